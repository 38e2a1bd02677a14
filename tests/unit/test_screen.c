// Golden screens: a seeded story drawn by every view at six sizes in three sets of glyphs, compared
// with files. GOLDEN=write writes the files instead (make golden); look at each before it is
// committed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "seeded.h"
#include "ui/view.h"

#define FOLDER "tests/screen/golden/"

struct golden {
	const struct view *view;
	int w, h;
	enum glyphs glyphs;
	bool roles;
	char name[64];
};

static const char *const glyph_names[] = {"braille", "block", "ascii"};

static char *
draw(const struct golden *t)
{
	struct session *s = seed_session("audio,timer,echo");
	struct grid g = {0};
	struct ui u = {.view = t->view,
	    .glyphs = t->glyphs,
	    .ascii = t->glyphs == GLYPHS_ASCII,
	    .window_ns = 60 * NS_PER_S,
	    .selected = 3,
	    .cursor = -1};
	seed_run(s, 0, 651);
	u.end_tick = s->now_tick;
	s->replay = false;
	s->recording = true;
	s->record_bytes = 1234567;
	assert_int_equal(grid_size(&g, t->w, t->h), 0);
	t->view->draw(&g, s, &u);
	if (t->w >= 30 && t->h >= 11) // the bar of keys: the key table's own business
		grid_fill(&g, (struct rect){0, t->h - 1, t->w, 1}, ' ', ROLE_TEXT);
	char *text = grid_dump(&g, t->roles);
	grid_free(&g);
	s->replay = true;
	session_free(s);
	return text;
}

static char *
read_all(const char *path)
{
	FILE *f = fopen(path, "r");
	if (!f)
		return NULL;
	static char buf[1 << 20];
	size_t n = fread(buf, 1, sizeof buf - 1, f);
	fclose(f);
	buf[n] = 0;
	return strdup(buf);
}

// The first line that differs, for whoever reads the failure.
static void
show_difference(const char *want, const char *got)
{
	for (int line = 1; *want || *got; line++) {
		size_t a = strcspn(want, "\n"), b = strcspn(got, "\n");
		if (a != b || memcmp(want, got, a)) {
			print_message("line %d\n  want: %.*s\n  got:  %.*s\n", line, (int)a, want,
			    (int)b, got);
			return;
		}
		want += a + (want[a] != 0);
		got += b + (got[b] != 0);
	}
}

static void
test_golden(void **state)
{
	const struct golden *t = *state;
	char path[256];
	const char *mode = getenv("GOLDEN");
	char *got = draw(t);
	snprintf(path, sizeof path, FOLDER "%s", t->name);
	if (mode && !strcmp(mode, "write")) {
		FILE *f = fopen(path, "w");
		assert_non_null(f);
		fputs(got, f);
		assert_int_equal(fclose(f), 0);
		free(got);
		return;
	}
	char *want = read_all(path);
	if (!want)
		fail_msg("no file %s: make golden", path);
	if (strcmp(want, got)) {
		show_difference(want, got);
		fail_msg("%s differs; where the new picture is right: make golden", path);
	}
	free(want);
	free(got);
}

int
main(void)
{
	static const struct view *const all[] = {
	    &view_live, &view_histogram, &view_table, &view_big};
	static const int sizes[][2] = {
	    {20, 5}, {40, 10}, {80, 24}, {120, 36}, {200, 50}, {300, 100}};
	static struct golden golden[96];
	static struct CMUnitTest tests[96];
	size_t n = 0;
	for (size_t v = 0; v < 4; v++)
		for (size_t k = 0; k < 6; k++)
			for (int glyphs = 0; glyphs < 3; glyphs++)
				golden[n++] = (struct golden){all[v], sizes[k][0], sizes[k][1],
				    (enum glyphs)glyphs, false, ""};
	golden[n++] = (struct golden){&view_live, 80, 24, GLYPHS_BRAILLE, true, ""};
	golden[n++] = (struct golden){&view_live, 120, 36, GLYPHS_BLOCK, true, ""};
	golden[n++] = (struct golden){&view_table, 80, 24, GLYPHS_ASCII, true, ""};
	for (size_t i = 0; i < n; i++) {
		struct golden *t = &golden[i];
		snprintf(t->name, sizeof t->name, "%s-%dx%d-%s%s", t->view->name, t->w, t->h,
		    glyph_names[t->glyphs], t->roles ? "-roles" : "");
		tests[i] = (struct CMUnitTest){
		    .name = t->name, .test_func = test_golden, .initial_state = t};
	}
	return _cmocka_run_group_tests("screens", tests, n, NULL, NULL);
}
