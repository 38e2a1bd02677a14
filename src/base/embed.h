// The shipped themes and suites, carried inside the program.
// Knows names and bytes; must not know what they mean.
#ifndef BASE_EMBED_H
#define BASE_EMBED_H

struct embedded_file {
	const char *name; // file name without its folder: "nord.theme"
	const char *text; // NUL-terminated
};

// Ends with a row whose name is NULL, in the order of the Makefile's list (by folder, then by name).
extern const struct embedded_file embedded_files[];

#endif
