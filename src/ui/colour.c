// Colours: contrast, and the nearest of what a terminal has.
// Pure; must not know of themes or terminals.
#include "ui/colour.h"

#include <limits.h>
#include <math.h>

static double
linear(int v)
{
	double c = v / 255.0;
	return c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double
luminance(int32_t rgb)
{
	return 0.2126 * linear(rgb >> 16 & 255) + 0.7152 * linear(rgb >> 8 & 255) + 0.0722 * linear(rgb & 255);
}

double
colour_contrast(int32_t a, int32_t b)
{
	double la = luminance(a), lb = luminance(b);
	return (fmax(la, lb) + 0.05) / (fmin(la, lb) + 0.05);
}

static int
xterm_rgb(int index)
{
	static const int level[6] = {0, 95, 135, 175, 215, 255};
	if (index >= 232) {
		int v = 8 + 10 * (index - 232);
		return v << 16 | v << 8 | v;
	}
	index -= 16;
	return level[index / 36] << 16 | level[index / 6 % 6] << 8 | level[index % 6];
}

int
colour_256(int32_t rgb)
{
	int best = 16, least = INT_MAX;
	for (int i = 16; i < 256; i++) {
		int c = xterm_rgb(i);
		int r = (rgb >> 16 & 255) - (c >> 16 & 255), g = (rgb >> 8 & 255) - (c >> 8 & 255), b = (rgb & 255) - (c & 255);
		int mean = ((rgb >> 16 & 255) + (c >> 16 & 255)) / 2; // how red: the eye weighs the channels by it
		int far = (512 + mean) * r * r / 256 + 4 * g * g + (767 - mean) * b * b / 256;
		if (far < least) {
			least = far;
			best = i;
		}
	}
	return best;
}

static int
largest(int32_t rgb)
{
	int r = rgb >> 16 & 255, g = rgb >> 8 & 255, b = rgb & 255;
	return r > g ? (r > b ? r : b) : g > b ? g : b;
}

static int
smallest(int32_t rgb)
{
	int r = rgb >> 16 & 255, g = rgb >> 8 & 255, b = rgb & 255;
	return r < g ? (r < b ? r : b) : g < b ? g : b;
}

static int
hue(int32_t rgb, int light)
{
	int hi = largest(rgb), lo = smallest(rgb);
	if (hi < 64)
		return 0;
	if (4 * (hi - lo) < hi) // a grey
		return hi >= (light ? 160 : 96) ? 7 : 0;
	int middle = lo + (hi - lo) * (light ? 6 : 4) / 10;
	return ((rgb >> 16 & 255) > middle) | ((rgb >> 8 & 255) > middle) << 1 | ((rgb & 255) > middle) << 2;
}

int
colour_8(int32_t rgb, int light)
{
	int c = hue(rgb, light);
	return c == 4 && !light ? 6 : c; // dark blue on black reads badly
}

int
colour_16(int32_t rgb, int light)
{
	int hi = largest(rgb), lo = smallest(rgb), c = hue(rgb, light);
	if (4 * (hi - lo) < hi)
		return hi >= 235 ? 15 : light && hi >= 64 && hi < 160 ? 8 : c;
	return !light && c && (hi >= 200 || c == 4) ? c + 8 : c;
}
