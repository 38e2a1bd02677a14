// One message about what went wrong, filled by whoever failed, shown in one place by whoever asked.
// Must not print, exit or allocate.
#ifndef BASE_ERR_H
#define BASE_ERR_H

struct err {
	char text[240];
};

// Fills E (which may be NULL) and returns -1, so that a caller can `return err_set(...)`.
// A format that ends in ':' gets " " and the text of errno appended. Never longer than one line.
int err_set(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
