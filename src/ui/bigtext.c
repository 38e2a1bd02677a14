// A font of blocks.
// Must not know what its figures mean.
#include "ui/bigtext.h"

#include <string.h>

#include "base/text.h"
#include "ui/draw.h"

#define ROWS 5

// Five rows each, '#' is ink; all rows of a glyph are equally long.
static const struct glyph {
	uint32_t ch;
	const char *row[ROWS];
} glyphs[] = {
    {'0', {"###", "# #", "# #", "# #", "###"}},
    {'1', {" # ", "## ", " # ", " # ", "###"}},
    {'2', {"###", "  #", "###", "#  ", "###"}},
    {'3', {"###", "  #", "###", "  #", "###"}},
    {'4', {"# #", "# #", "###", "  #", "  #"}},
    {'5', {"###", "#  ", "###", "  #", "###"}},
    {'6', {"###", "#  ", "###", "# #", "###"}},
    {'7', {"###", "  #", "  #", "  #", "  #"}},
    {'8', {"###", "# #", "###", "# #", "###"}},
    {'9', {"###", "# #", "###", "  #", "###"}},
    {'.', {" ", " ", " ", " ", "#"}},
    {'-', {"   ", "   ", "###", "   ", "   "}},
    {'m', {"     ", "     ", "#####", "# # #", "# # #"}},
    {'s', {"   ", "###", "#  ", " ##", "###"}},
    {'u', {"   ", "   ", "# #", "# #", "###"}},
    {0xb5, {"    ", "# # ", "# # ", "####", "#   "}},
    {'n', {"   ", "   ", "###", "# #", "# #"}},
    {'h', {"#  ", "#  ", "###", "# #", "# #"}},
    {'d', {"  #", "  #", "###", "# #", "###"}},
    {'A', {" ## ", "#  #", "####", "#  #", "#  #"}},
    {'B', {"### ", "#  #", "### ", "#  #", "### "}},
    {' ', {" ", " ", " ", " ", " "}},
};

static const struct glyph *
find(uint32_t ch)
{
	for (size_t i = 0; i < sizeof glyphs / sizeof *glyphs; i++)
		if (glyphs[i].ch == ch)
			return &glyphs[i];
	return NULL;
}

// Pixels across, or 0 where a character has no glyph.
static int
width(const char *text)
{
	int w = 0;
	uint32_t cp;
	for (int n; (n = text_utf8(text, &cp)) > 0; text += n) {
		const struct glyph *gl = find(cp);
		if (!gl)
			return 0;
		w += (int)strlen(gl->row[0]) + 1;
	}
	return w - 1;
}

// A pixel is KX columns wide and KY half rows high; Y counts half rows.
static void
pixel(struct grid *g, int x, int y, int kx, int ky, enum role role, bool ascii)
{
	for (int hy = y; hy < y + ky; hy++)
		for (int i = x; i < x + kx; i++) {
			int row = hy / 2;
			if (i < 0 || row < 0 || i >= g->w || row >= g->h)
				continue;
			uint32_t was = g->cell[row * g->w + i].ch, half = hy % 2 ? 0x2584 : 0x2580;
			if (ascii)
				grid_put(g, i, row, '#', role);
			else
				grid_put(g, i, row,
				    was == 0x2588 || was == 0x2580 || was == 0x2584
					? (was == half ? half : 0x2588)
					: half,
				    role);
		}
}

void
bigtext_draw(struct grid *g, struct rect r, enum role role, const char *text, bool ascii)
{
	int w = width(text), plain = draw_width(text);
	int kx = w > 0 ? r.w / w : 0, ky = r.h * 2 / ROWS;
	if (ascii)
		ky -= ky % 2;
	// Not thinner than tall by more than a half, nor the other way round.
	if (kx > ky + ky / 2)
		kx = ky + ky / 2;
	if (ky > kx * 2)
		ky = kx * 2;
	if (kx < 1 || ky < 1) {
		if (plain <= r.w && r.h > 0)
			grid_text(g, r.x + (r.w - plain) / 2, r.y + r.h / 2, plain, role, text);
		return;
	}
	int x = r.x + (r.w - w * kx) / 2, y = (r.y * 2 + (r.h * 2 - ROWS * ky) / 2);
	y -= ascii ? y % 2 : 0;
	uint32_t cp;
	for (int n; (n = text_utf8(text, &cp)) > 0; text += n) {
		const struct glyph *gl = find(cp);
		int gw = (int)strlen(gl->row[0]);
		for (int gy = 0; gy < ROWS; gy++)
			for (int gx = 0; gx < gw; gx++)
				if (gl->row[gy][gx] == '#')
					pixel(g, x + gx * kx, y + gy * ky, kx, ky, role, ascii);
		x += (gw + 1) * kx;
	}
}
