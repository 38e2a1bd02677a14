// What a person relies on in every picture: it never breaks at any size or with any data, a peak is
// never lost and never changes while it moves, no data is a gap.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "seeded.h"
#include "ui/keys.h"
#include "ui/axis.h"
#include "ui/view.h"

static struct ui
ui_of(const struct session *s, enum glyphs glyphs)
{
	return (struct ui){.view = &view_live,
	    .glyphs = glyphs,
	    .ascii = glyphs == GLYPHS_ASCII,
	    .window_ns = 60 * NS_PER_S,
	    .cursor = -1,
	    .end_tick = s->now_tick};
}

static unsigned
below(unsigned n)
{
	return (unsigned)(seed_next() * n);
}

static void
check_cells(const struct grid *g, bool ascii)
{
	for (int i = 0; i < g->w * g->h; i++) {
		assert_true(g->cell[i].role < ROLE_COUNT && g->cell[i].back < ROLE_COUNT);
		if (ascii)
			assert_true(g->cell[i].ch < 0x7f);
	}
}

static void
draw_all(struct session *s, int times)
{
	static const int64_t windows[] = {
	    0, TICK_NS, 10 * NS_PER_S, 60 * NS_PER_S, 3600 * NS_PER_S, 90 * 86400 * NS_PER_S};
	struct grid g = {0};
	for (int i = 0; i < times; i++) {
		bool big = i % 16 == 15;
		assert_int_equal(
		    grid_size(&g, 1 + (int)below(big ? 400 : 60), 1 + (int)below(big ? 120 : 40)),
		    0);
		for (int v = 0; views[v]; v++)
			for (int glyphs = 0; glyphs < 3; glyphs++) {
				struct ui u = ui_of(s, (enum glyphs)glyphs);
				u.scale = (enum scale_kind)below(3);
				u.scale_top_ns = below(4) ? (int64_t)below(100000000) : 0;
				u.window_ns = windows[below(6)];
				u.end_tick =
				    below(4) ? s->now_tick : s->now_tick - (int64_t)below(2000);
				u.cursor = (int)below(80) - 2;
				u.selected = (int)below(20) - 1;
				u.probe = (int)below(5) - 1;
				u.list_top = (int)below(30) - 3;
				u.big = !below(8);
				u.frozen = !below(8);
				u.hint = !below(8);
				grid_clear(&g);
				views[v]->draw(&g, s, &u);
				check_cells(&g,
				    u.ascii && views[v] != &view_help && views[v] != &view_compare);
				view_compare_forget(&u);
			}
	}
	grid_free(&g);
}

static void
test_any_size(void **state)
{
	(void)state;
	struct session *s = seed_session("audio,timer,echo");
	seed_run(s, 0, 500);
	draw_all(s, 300);
	session_free(s);
}

static void
test_nothing_yet(void **state)
{
	(void)state;
	struct config c;
	config_defaults(&c);
	struct session *s = session_new(&c);
	draw_all(s, 40);
	session_free(s);
	s = seed_session("timer,audio,job");
	draw_all(s, 40);
	session_free(s);
}

// Figures that should never be, and texts as long as they may get.
static void
test_mad_data(void **state)
{
	(void)state;
	static struct dist d;
	struct session *s = seed_session("audio,timer,echo,job");
	for (int64_t n = 0; n < 300; n++) {
		struct tick *t = seed_tick(s, n);
		for (int i = 0; i < t->probes; i++) {
			struct probe_facts *f = &t->probe[i].facts;
			free(t->probe[i].slice[Q_LATE]);
			t->probe[i].slice[Q_LATE] = NULL;
			if (n % 3 == i % 3)
				continue;
			dist_reset(&d, (struct limits){0, {1000000, 2000000}});
			dist_add(&d, below(2) ? 0 : (int64_t)1 << below(60), 1 + below(1000));
			t->probe[i].slice[Q_LATE] = dist_to_slice(&d);
			f->rate = below(2) ? below(400000) : 0;
			f->period_frames = below(2) ? below(9999) : 0;
			f->buffer_frames = below(99999);
			f->interval_ns = (int64_t)1 << below(60);
			f->played_s = f->silent_s = f->rate_ppm = below(2) ? NAN : -1e18;
			f->doubts = below(256);
			f->state = (enum probe_state)below(5);
			memset(f->reason, 'r', sizeof f->reason - 1);
			memset(f->device, 'd', sizeof f->device - 1);
		}
		for (int i = 0; i < t->loads; i++) {
			struct load_tick *l = &t->load[i];
			l->status.state = l->state = (enum load_state)below(5);
			l->status.level = (int)below(200) - 50;
			l->work = below(2) ? UINT64_MAX : 0;
			l->cpu_ns = below(2) ? (int64_t)1 << 50 : -5;
			memset(l->status.reason, 'x', sizeof l->status.reason - 1);
			l->status.passes = below(3);
			l->status.last.elapsed_s = NAN;
		}
		t->cpu.user = below(2) ? NAN : -3;
		t->cpu.system = below(2) ? 1e30 : INFINITY;
		session_apply(s, t);
		tick_free(t);
		free(t);
	}
	memset(s->host.name, 'h', sizeof s->host.name - 1);
	memset(s->host.kernel, 'k', sizeof s->host.kernel - 1);
	s->cpus = CPUS_MAX;
	draw_all(s, 100);
	session_free(s);
}

static void
one_tick(struct session *s, int64_t n, int64_t late_ns)
{
	static struct dist d;
	struct tick *t = seed_tick(s, n);
	t->events = 0;
	free(t->probe[0].slice[Q_LATE]);
	t->probe[0].slice[Q_LATE] = NULL;
	dist_reset(&d, (struct limits){0, {1000000, 2000000}});
	dist_add(&d, late_ns, 1);
	if (late_ns >= 0)
		t->probe[0].slice[Q_LATE] = dist_to_slice(&d);
	session_apply(s, t);
	tick_free(t);
	free(t);
}

static bool
seen_in_top(const struct grid *g, const struct ui *u, int rows)
{
	for (int y = u->graph.y; y < u->graph.y + rows; y++)
		for (int x = u->graph.x; x < u->graph.x + u->graph.w; x++) {
			const struct cell *c = &g->cell[y * g->w + x];
			if ((c->role == ROLE_MAX || c->role == ROLE_AVG) && c->ch && c->ch != ' ')
				return true;
		}
	return false;
}

// One late wake in an hour is seen at any window that holds it, in any set of glyphs.
static void
test_peak_is_never_lost(void **state)
{
	(void)state;
	static const int windows_s[] = {5, 10, 60, 300, 1800, 7200, 36000};
	struct session *s = seed_session("timer");
	for (int64_t n = 0; n < 36000; n++)
		one_tick(s, n, n == 35970 ? 60000000 : 20000);
	for (int glyphs = 0; glyphs < 3; glyphs++)
		for (size_t k = 0; k < sizeof windows_s / sizeof *windows_s; k++)
			for (int w = 40; w < 200; w += 37) {
				struct ui u = ui_of(s, (enum glyphs)glyphs);
				struct grid g = {0};
				u.window_ns = windows_s[k] * NS_PER_S;
				grid_size(&g, w, 30);
				view_live.draw(&g, s, &u);
				assert_true(seen_in_top(&g, &u, u.graph.h / 4));
				grid_free(&g);
			}
	session_free(s);
}

// As time goes on the picture moves by whole cells and nothing in it changes on the way.
static void
test_columns_keep_their_picture(void **state)
{
	(void)state;
	struct session *s = seed_session("timer");
	struct grid g[2] = {{0}, {0}};
	int moved = 0;
	seed_run(s, 0, 720);
	for (int w = 61; w < 130; w += 17) {
		struct time_axis a[2];
		for (int64_t end = 640; end < 700; end++) {
			struct ui u[2];
			for (int k = 0; k < 2; k++) {
				u[k] = ui_of(s, GLYPHS_BRAILLE);
				u[k].end_tick = end + k;
				grid_size(&g[k], w, 24);
				view_live.draw(&g[k], s, &u[k]);
				time_axis_init(
				    &a[k], u[k].window_ns, u[k].end_tick, u[k].graph.w, 2);
			}
			int by = (int)(a[1].last - a[0].last);
			moved += by;
			assert_in_range(by, 0, 1);
			// The oldest cell may join a neighbour that is out of sight now; the newest
			// is still being filled.
			for (int y = u[0].graph.y; y < u[0].graph.y + u[0].graph.h; y++)
				for (int x = 2; x < u[0].graph.w - 1; x++) {
					const struct cell *was =
					    &g[0].cell[y * w + u[0].graph.x + x];
					const struct cell *is =
					    &g[1].cell[y * w + u[1].graph.x + x - by];
					assert_int_equal(was->ch, is->ch);
					assert_int_equal(was->role, is->role);
				}
		}
	}
	assert_true(moved > 30);
	grid_free(&g[0]);
	grid_free(&g[1]);
	session_free(s);
}

static int
blank_columns(const struct grid *g, const struct ui *u)
{
	int blank = 0;
	for (int x = u->graph.x; x < u->graph.x + u->graph.w; x++) {
		int ink = 0;
		for (int y = u->graph.y; y < u->graph.y + u->graph.h; y++)
			ink += g->cell[y * g->w + x].role == ROLE_MAX ||
			       g->cell[y * g->w + x].role == ROLE_AVG;
		blank += !ink;
	}
	return blank;
}

// Ten seconds without a sample: a hole where the probe was off, none where one wake came ten
// seconds late.
static void
test_no_data_is_a_gap(void **state)
{
	(void)state;
	for (int late = 0; late < 2; late++) {
		struct session *s = seed_session("timer");
		struct grid g = {0};
		for (int64_t n = 0; n < 700; n++)
			one_tick(s, n,
			    n >= 500 && n < 600 ? -1
			    : n == 600 && late  ? 10 * NS_PER_S
						: 20000);
		struct ui u = ui_of(s, GLYPHS_BRAILLE);
		grid_size(&g, 100, 24);
		view_live.draw(&g, s, &u);
		int blank = blank_columns(&g, &u), tenth = u.graph.w / 6;
		if (late)
			assert_int_equal(blank, 0);
		else
			assert_in_range(blank, tenth - 2, tenth + 2);
		grid_free(&g);
		session_free(s);
	}
}

static void
test_scale_is_steady(void **state)
{
	(void)state;
	struct ui u = {.scale = SCALE_LOG};
	struct scale a, b;
	scale_choose(&a, &u, &(struct extent){15000, 120000, NAN}, 40);
	scale_choose(&b, &u, &(struct extent){21000, 9000000, 4000000}, 40);
	assert_true(a.lo == b.lo && a.hi == b.hi); // idle and loaded pictures compare
	scale_choose(&b, &u, &(struct extent){15000, 4e9, NAN}, 40);
	assert_true(b.hi == 10 && scale_dot(&b, 4e9) < 40);
	scale_choose(&b, &u, &(struct extent){1500, 90000, NAN}, 40);
	assert_true(b.lo == 3);
	u.scale = SCALE_FIXED;
	u.scale_top_ns = 4000000;
	scale_choose(&b, &u, &(struct extent){15000, 4e9, NAN}, 40);
	assert_int_equal(scale_dot(&b, 4000000), 39);
	assert_int_equal(scale_dot(&b, 4000001), 40);
	assert_int_equal(scale_dot(&b, 0), 0);
}

// What a key does depends on no order of rows.
static void
test_a_key_does_one_thing(void **state)
{
	(void)state;
	for (const struct key_row *r = key_rows; r->name; r++) {
		assert_true(r->action && *r->does && *r->keys && r->key[0]);
		for (const int *k = r->key; *k; k++)
			assert_ptr_equal(key_find(*k), r);
		for (const struct key_row *other = key_rows; other < r; other++)
			assert_string_not_equal(other->name, r->name);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_any_size),
	    cmocka_unit_test(test_nothing_yet),
	    cmocka_unit_test(test_mad_data),
	    cmocka_unit_test(test_peak_is_never_lost),
	    cmocka_unit_test(test_columns_keep_their_picture),
	    cmocka_unit_test(test_no_data_is_a_gap),
	    cmocka_unit_test(test_scale_is_steady),
	    cmocka_unit_test(test_a_key_does_one_thing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
