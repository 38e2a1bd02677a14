// Numbers and names as people write and read them, the same in every locale (a decimal point, never a comma).
// Must not know of screens: widths are the caller's.
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define TEXT_NONE INT64_MIN // "no data": every text_* shows it as "-"

// Formatters: write at most SIZE bytes to BUF, NUL-terminated, and return BUF. Three significant digits (whole
// microseconds from 10 us), at most 7 columns. NaN and infinity are "-". `ascii` picks "us" over "µs".
char *text_ns(char *buf, size_t size, int64_t ns, bool ascii);       // 812ns 1.48µs 18µs 1.48ms 16.3ms 2.30s 4m05s 3h12m
char *text_bytes(char *buf, size_t size, double bytes);              // 812B 412M 1.90G (units of 1000, as fio prints rates)
char *text_count(char *buf, size_t size, double n);                  // 812 41.2k 1.90G
char *text_pct(char *buf, size_t size, double pct);                  // 97.1% 100% 99.98% <0.01%; 100% is all of it
char *text_clock(char *buf, size_t size, int64_t ns);                // 00:12:31

// Parsers: 0, or -1 with E saying what was wrong and what is allowed. The whole of S must be used.
int text_parse_ns(const char *s, int64_t *ns, struct err *e);        // 10us 1ms 0.5s 5m 2h; no unit: seconds; "0"
int text_parse_size(const char *s, uint64_t *bytes, struct err *e);  // 4096 64K 2G 1.5T (units of 1024)
int text_parse_long(const char *s, long lo, long hi, long *v, struct err *e);

// Copies S to BUF for a screen, a file or a terminal: control characters, escape codes and broken UTF-8 become
// '?', bidirectional overrides too; cut whole characters to fit SIZE. Returns BUF.
char *text_safe(char *buf, size_t size, const char *s);
// Reads one UTF-8 character from S (NUL-terminated): its code point to *CP, the bytes it takes returned (0 at the
// end; a broken byte is 1 and U+FFFD).
int text_utf8(const char *s, uint32_t *cp);

#endif
