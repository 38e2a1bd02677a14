// For unit tests: a sound card of the tests' own (tests/ioplug) in this process, and an audio probe
// that plays on it.
#ifndef TESTS_CARD_H
#define TESTS_CARD_H

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../ioplug/page.h"
#include "base/clock.h"
#include "measure/dist.h"
#include "probe/kinds.h"

#define DEADLINE_S 30

struct card {
	char dir[64], page_path[96], conf[96], capture[96];
	volatile int64_t *page;
};

// A card called "card". One at a time in a process: libasound keeps its configuration.
static inline void
card_open(struct card *c)
{
	char exe[512], text[1600];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	assert_true(n > 0);
	exe[n] = '\0';
	*strrchr(exe, '/') = '\0';
	snprintf(c->dir, sizeof c->dir, "/tmp/stutter-card.XXXXXX");
	assert_non_null(mkdtemp(c->dir));
	snprintf(c->page_path, sizeof c->page_path, "%s/page", c->dir);
	snprintf(c->conf, sizeof c->conf, "%s/conf", c->dir);
	snprintf(c->capture, sizeof c->capture, "%s/played", c->dir);
	int fd = open(c->page_path, O_RDWR | O_CREAT, 0600);
	assert_int_equal(ftruncate(fd, PAGE_FIELDS * 8), 0);
	c->page = mmap(NULL, PAGE_FIELDS * 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(c->page != MAP_FAILED);
	close(fd);
	FILE *f = fopen(c->conf, "w");
	snprintf(text, sizeof text,
	    "</usr/share/alsa/alsa.conf>\npcm_type.stutter { lib "
	    "\"%s/ioplug/libasound_module_pcm_stutter.so\" }\n"
	    "pcm.card { type stutter page \"%s\" }\npcm.tape { type stutter page \"%s\" capture "
	    "\"%s\" }\n",
	    exe, c->page_path, c->page_path, c->capture);
	fputs(text, f);
	fclose(f);
	setenv("ALSA_CONFIG_PATH", c->conf, 1);
}

// As new: no fault, nothing happened yet.
static inline void
card_reset(struct card *c)
{
	for (int i = 0; i < PAGE_FIELDS; i++)
		c->page[i] = 0;
	unlink(c->capture);
}

static inline void
card_close(struct card *c)
{
	unlink(c->page_path);
	unlink(c->conf);
	unlink(c->capture);
	rmdir(c->dir);
}

// An audio probe and all that it said.
struct rig {
	struct probe *p;
	struct probe_facts facts;
	struct dist d[Q_COUNT];
	int64_t xrun_ns[256];
	int xruns, gaps;
	bool was_lost;
	char why[120]; // it was lost
	int64_t started_ns;
};

static inline struct probe_config
rig_config(const char *device, unsigned periods, unsigned frames)
{
	return (struct probe_config){
	    .policy = {POLICY_FIFO, 50},
	    .cpu = -1,
	    .device = device,
	    .rate = 44100,
	    .periods = periods,
	    .period_frames = frames,
	};
}

static inline void
rig_take(struct rig *r, const struct sample *m)
{
	if (m->kind == SAMPLE_GAP) {
		r->gaps++;
		return;
	}
	if (m->kind == SAMPLE_XRUN) {
		if (r->xruns < 256)
			r->xrun_ns[r->xruns] = m->value[Q_LATE];
		r->xruns++;
		return;
	}
	for (int q = 0; q < Q_COUNT; q++) {
		if (m->value[q] < 0)
			continue;
		if (!r->d[q].s.samples)
			r->d[q].lim = probe_limits(r->p, (enum quantity)q);
		if (q == Q_LATE)
			dist_add_late(&r->d[q], m->value[q], m->period_ns, m->missed);
		else
			dist_add(&r->d[q], m->value[q], 1 + (uint64_t)m->missed);
	}
}

// What a session does ten times a second, here more often.
static inline void
rig_pump(struct rig *r)
{
	struct sample m;
	nanosleep(&(struct timespec){.tv_nsec = 5 * NS_PER_MS}, NULL);
	r->p->kind->tend(r->p);
	while (ring_pop(r->p->ring, &m))
		rig_take(r, &m);
	probe_read(r->p, &r->facts);
	if (r->facts.state == PROBE_LOST && !r->was_lost) {
		r->was_lost = true;
		snprintf(r->why, sizeof r->why, "%s", r->facts.reason);
	}
}

static inline void
rig_forget(struct rig *r)
{
	for (int q = 0; q < Q_COUNT; q++)
		dist_reset(&r->d[q], probe_limits(r->p, (enum quantity)q));
	r->xruns = r->gaps = 0;
	r->was_lost = false;
	r->why[0] = '\0';
}

static inline void
rig_start(struct rig *r, const struct probe_config *c)
{
	struct err e = {""};
	memset(r, 0, sizeof *r);
	r->started_ns = clock_now_ns();
	r->p = probe_new(probe_find("audio"), c, &e);
	assert_non_null(r->p);
	if (r->p->kind->start(r->p, &e))
		fail_msg("start: %s", e.text);
	rig_forget(r);
}

static inline void
rig_run(struct rig *r, double s)
{
	int64_t until = clock_now_ns() + (int64_t)(s * 1e9);
	while (clock_now_ns() < until)
		rig_pump(r);
}

#define RIG_UNTIL(r, condition)                                                                    \
	do {                                                                                       \
		int64_t until_ns_ = clock_now_ns() + DEADLINE_S * NS_PER_S;                        \
		while (!(condition) && clock_now_ns() < until_ns_)                                 \
			rig_pump(r);                                                               \
		if (!(condition))                                                                  \
			fail_msg("never: %s (state %d: %s)", #condition, (r)->facts.state,         \
			    (r)->facts.reason);                                                    \
	} while (0)

// Plays, and has left its start-up behind.
#define RIG_PLAYS(r) RIG_UNTIL(r, (r)->facts.state == PROBE_RUNNING && (r)->d[Q_LATE].s.samples > 0)

static inline void
rig_stop(struct rig *r)
{
	if (r->p)
		probe_free(r->p);
	r->p = NULL;
}

#endif
