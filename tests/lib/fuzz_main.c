// Feeds files to a fuzzer's function, so that what was once found stays found without libFuzzer.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
main(int argc, char **argv)
{
	enum { MOST = 1 << 22 };
	uint8_t *buf = malloc(MOST);
	for (int i = 1; buf && i < argc; i++) {
		FILE *f = fopen(argv[i], "rb");
		if (!f) {
			perror(argv[i]);
			return 1;
		}
		size_t n = fread(buf, 1, MOST, f);
		fclose(f);
		uint8_t *exact = malloc(n ? n : 1); // so that a sanitizer sees one byte too many
		for (size_t k = 0; exact && k < n; k++)
			exact[k] = buf[k];
		if (exact)
			LLVMFuzzerTestOneInput(exact, n);
		free(exact);
	}
	free(buf);
	return 0;
}
