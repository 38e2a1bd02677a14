// Colours: contrast, and the nearest of what a terminal has.
// Pure; must not know of themes or terminals.
#ifndef UI_COLOUR_H
#define UI_COLOUR_H

#include <stdint.h>

// Contrast of two colours (0xRRGGBB), 1..21, as WCAG 2 defines it.
double colour_contrast(int32_t a, int32_t b);
// The nearest of xterm's 240 fixed colours (16..255); the first 16 are the person's own.
int colour_256(int32_t rgb);
// Of the 16 or 8 ANSI colours by hue; LIGHT: on a light background, where greys go dark instead.
int colour_16(int32_t rgb, int light);
int colour_8(int32_t rgb, int light);

#endif
