// `stutter report`: recordings as one HTML page that needs nothing else.
// Must not know how recordings are read.
#include "report/page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "command.h"
#include "report/headless.h"
#include "session/options.h"
#include "session/replay.h"

static const char style[] =
    ":root{color-scheme:light dark;--back:#fff;--text:#1b1f24;--dim:#667;--grid:#dde1e6;--max:#334a6d;--avg:#0a7d55;--burn:#1d9a1d;"
    "--period:#a77b00;--buffer:#c0262d;--warn:#8a5a00;--c0:#3366aa;--c1:#c2571a;--c2:#2c8a4b;--c3:#8d44ad;--c4:#a8324a;--c5:#6b7280;"
    "--u:#3c82c4;--s:#c4563c;--i:#c9a227;--q:#8d6bb8;--t:#777}\n"
    "@media(prefers-color-scheme:dark){:root{--back:#0f1216;--text:#e6e8ea;--dim:#9aa3ad;--grid:#2a3038;--max:#f2f2f2;--avg:#5fd7a7;"
    "--burn:#3fd93f;--period:#e8c02e;--buffer:#ff5a5f;--warn:#f0b84a;--c0:#6ea8ff;--c1:#ffa05a;--c2:#63d38a;--c3:#cf93ee;--c4:#ff7d93;"
    "--c5:#aab2bd;--u:#5aa2e8;--s:#e8775a;--i:#e0c04a;--q:#b493dd;--t:#999}}\n"
    "body{background:var(--back);color:var(--text);font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:0 auto;padding:1rem}\n"
    "h1{font-size:1.5rem}h2{font-size:1.25rem;margin-top:2.2rem;border-bottom:1px solid var(--grid)}h3{font-size:1.02rem;margin:1.4rem 0 .3rem}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.9rem}\n"
    "td,th{padding:.15rem .6rem .15rem 0;text-align:right;white-space:nowrap}td:first-child,th:first-child{text-align:left}\n"
    "th{color:var(--dim);font-weight:500}.facts td{text-align:left;white-space:normal}.facts td:first-child{color:var(--dim)}\n"
    ".warn{color:var(--warn)}.spoilt{color:var(--buffer);font-weight:600}.legend,.dim{color:var(--dim);font-size:.85rem}\n"
    "svg{width:100%;height:auto;display:block;overflow:visible}svg path{fill:none;stroke-width:1.4;stroke-linejoin:round}svg text{font-size:11px;fill:var(--dim)}\n"
    "svg .r{text-anchor:end}svg .m{text-anchor:middle}svg .grid{stroke:var(--grid);stroke-width:1}svg .max{stroke:var(--max);stroke-width:1}\n"
    "svg .avg{stroke:var(--avg)}svg .burn{stroke:var(--burn)}svg .period{stroke:var(--period);stroke-dasharray:5 4}"
    "svg .buffer{stroke:var(--buffer);stroke-dasharray:5 4}\n"
    "svg .h0{stroke:var(--c0)}svg .h1{stroke:var(--c1)}svg .h2{stroke:var(--c2)}svg .h3{stroke:var(--c3)}svg .h4{stroke:var(--c4)}svg "
    ".h5{stroke:var(--c5)}svg .mark{stroke-width:2}\n"
    "svg .user{fill:var(--u)}svg .system{fill:var(--s)}svg .iowait{fill:var(--i)}svg .irq{fill:var(--q)}svg .steal{fill:var(--t)}\n"
    ".legend span{display:inline-block;width:.8em;height:.8em;border-radius:2px}.k0{background:var(--c0)}.k1{background:var(--c1)}"
    ".k2{background:var(--c2)}.k3{background:var(--c3)}.k4{background:var(--c4)}.k5{background:var(--c5)}\n"
    ".legend .max{background:var(--max)}.legend .avg{background:var(--avg)}.legend .burn{background:var(--burn)}.legend "
    ".period{background:var(--period)}.legend .buffer{background:var(--buffer)}.legend .user{background:var(--u)}.legend "
    ".system{background:var(--s)}.legend .iowait{background:var(--i)}.legend .irq{background:var(--q)}.legend .steal{background:var(--t)}\n"
    "@media(max-width:600px){body{padding:.6rem;font-size:15px}svg text{font-size:17px}}\n"
    "@media print{:root{--back:#fff;--text:#000;--dim:#444;--grid:#ccc;--max:#334a6d;--avg:#0a7d55}body{max-width:none}"
    "h3,svg,table{break-inside:avoid}h2{break-before:page}h2:first-of-type{break-before:auto}}\n";

void
page_text(FILE *f, const char *s)
{
	for (; *s; s++)
		switch (*s) {
		case '&': fputs("&amp;", f); break;
		case '<': fputs("&lt;", f); break;
		case '>': fputs("&gt;", f); break;
		case '"': fputs("&quot;", f); break;
		case '\'': fputs("&#39;", f); break;
		default: putc(*s, f);
		}
}

static struct page_trace *
trace_for(struct page_data *d, uint64_t set, int probe)
{
	for (int i = 0; i < d->traces; i++)
		if (d->trace[i].load_set == set)
			return &d->trace[i];
	if (d->traces == CONDITIONS_MAX)
		return NULL;
	struct page_trace *t = &d->trace[d->traces++];
	*t = (struct page_trace){.load_set = set, .probe = probe};
	return t;
}

static float
max_of(const struct slice *s)
{
	return s && s->s.samples ? (float)s->s.max_ns : NAN;
}

static void
on_tick(void *data, struct session *s, const struct tick *t)
{
	struct page_data *d = data;
	int probe = session_main_probe(s);
	if (t->cpu_known) {
		if (d->cpus == d->cpu_room) {
			size_t room = d->cpu_room ? d->cpu_room * 2 : 1024;
			struct page_cpu *c = realloc(d->cpu, room * sizeof *c);
			if (!c)
				return;
			d->cpu = c;
			d->cpu_room = room;
		}
		d->cpu[d->cpus++] = (struct page_cpu){(double)t->t_ns / 1e9, (float)t->cpu.user, (float)t->cpu.system, (float)t->cpu.iowait, (float)t->cpu.irq,
		    (float)t->cpu.steal};
	}
	if (t->warmup || probe < 0 || probe >= t->probes)
		return;
	struct page_trace *c = trace_for(d, t->load_set, probe);
	if (!c || c->probe != probe)
		return;
	if (c->n == c->room) {
		size_t room = c->room ? c->room * 2 : 512;
		struct page_point *p = realloc(c->point, room * sizeof *p);
		if (!p)
			return;
		c->point = p;
		c->room = room;
	}
	const struct probe_tick *pt = &t->probe[probe];
	// latencytest's total is the time from write to write; without audio, it is the lateness itself.
	const struct slice *total = pt->slice[Q_INTERVAL] ? pt->slice[Q_INTERVAL] : pt->slice[Q_LATE];
	struct page_point p = {max_of(total), total && total->s.samples ? (float)sums_avg_ns(&total->s) : NAN, max_of(pt->slice[Q_BURN])};
	c->point[c->n++] = p;
	c->s += (double)t->len_ns / 1e9;
}

static void
fact(FILE *f, const char *what, const char *value)
{
	if (!*value)
		return;
	fprintf(f, "<tr><td>%s</td><td>", what);
	page_text(f, value);
	fputs("</td></tr>\n", f);
}

static void
machine(FILE *f, const struct session *s, const struct replay *r)
{
	const struct host *h = &s->host;
	char text[300], b[16], when[40] = "";
	time_t sec = (time_t)(s->start_wall_ns / 1000000000);
	struct tm tm;
	if (sec > 0 && gmtime_r(&sec, &tm))
		strftime(when, sizeof when, "%Y-%m-%d %H:%M UTC", &tm);
	fputs("<div class=\"wide\"><table class=\"facts\">\n", f);
	fact(f, "machine", h->name);
	snprintf(text, sizeof text, "%s %s", h->kernel, h->version);
	fact(f, "kernel", text);
	fact(f, "preemption", h->preempt);
	snprintf(text, sizeof text, "%d x %s", h->cpus, *h->model ? h->model : "CPU");
	fact(f, "processor", text);
	if (h->ram_bytes)
		fact(f, "memory", text_bytes(b, sizeof b, (double)h->ram_bytes));
	fact(f, "governor", h->governor);
	fact(f, "clock source", h->clocksource);
	fact(f, "virtual machine", h->is_virtual ? *h->hypervisor ? h->hypervisor : "yes" : "");
	fact(f, "measured", when);
	snprintf(text, sizeof text, "%.1f s, %.1f s of them counted%s", (double)s->elapsed_ns / 1e9, s->measured_s,
	    replay_cut(r) ? "; the recording was cut off" : "");
	fact(f, "length", text);
	for (int i = 0; i < s->probes; i++) {
		const struct probe_facts *p = &s->probe[i].facts;
		char asked[24], got[24], every[16];
		int n = snprintf(text, sizeof text, "%s", p->effective_known ? policy_text(got, sizeof got, p->effective) : "");
		if (p->effective_known && strcmp(policy_text(asked, sizeof asked, p->asked), got))
			n += snprintf(text + n, sizeof text - (size_t)n, " (asked %s)", asked);
		if (p->interval_ns > 0)
			n += snprintf(text + n, sizeof text - (size_t)n, ", every %s", text_ns(every, sizeof every, p->interval_ns, false));
		if (*p->device && p->rate)
			n += snprintf(text + n, sizeof text - (size_t)n, ", %s, %u x %u frames at %u Hz%s", p->device, p->periods, p->period_frames, p->rate,
			    p->hardware == 0 ? " (not hardware)" : "");
		char name[64];
		snprintf(name, sizeof name, "probe ");
		fputs("<tr><td>", f);
		page_text(f, name);
		page_text(f, s->probe[i].label);
		fputs("</td><td>", f);
		page_text(f, text);
		fputs("</td></tr>\n", f);
		(void)n;
	}
	fputs("</table></div>\n", f);
	for (int i = 0; i < s->warnings; i++) {
		fprintf(f, "<p class=\"%s\">%s", s->warning[i].severity == WARN_SPOILT ? "spoilt" : s->warning[i].severity == WARN_DOUBT ? "warn" : "dim",
		    s->warning[i].severity == WARN_SPOILT ? "Not to be trusted: " : "");
		page_text(f, s->warning[i].text);
		fputs("</p>\n", f);
	}
}

static void
cell_ns(FILE *f, const struct dist *d, double v)
{
	char t[16];
	fprintf(f, "<td>%s</td>", text_ns(t, sizeof t, d && d->s.samples && isfinite(v) ? llround(v) : TEXT_NONE, false));
}

static void
cell_pct(FILE *f, double v)
{
	char t[16];
	fprintf(f, "<td>%s</td>", text_pct(t, sizeof t, v));
}

static void
figures(FILE *f, const struct session *s, int probe)
{
	bool audio = !strcmp(s->probe[probe].kind->name, "audio");
	fputs("<div class=\"wide\"><table><tr><th>under</th><th>time</th><th>max</th><th>avg</th><th>stddev</th><th>p50</th><th>p99</th><th>p99.9</th>"
	      "<th>&le;1 ms</th><th>&le;2 ms</th>", f);
	if (audio)
		fputs("<th>drop-outs</th>", f);
	fputs("<th>CPU</th></tr>\n", f);
	for (int i = 0; i < s->conditions; i++) {
		const struct condition *c = &s->condition[i];
		const struct dist *d = c->late ? c->late[probe] : NULL;
		if (!d || !d->s.samples)
			continue;
		fputs("<tr><td>", f);
		page_text(f, c->name);
		fprintf(f, "</td><td>%.1f s</td>", c->elapsed_s);
		cell_ns(f, d, (double)d->s.max_ns);
		cell_ns(f, d, sums_avg_ns(&d->s));
		cell_ns(f, d, sums_stddev_ns(&d->s));
		cell_ns(f, d, (double)dist_percentile_ns(d, 0.5));
		cell_ns(f, d, (double)dist_percentile_ns(d, 0.99));
		cell_ns(f, d, (double)dist_percentile_ns(d, 0.999));
		cell_pct(f, sums_within_pct(&d->s, 0));
		cell_pct(f, sums_within_pct(&d->s, 1));
		if (audio)
			fprintf(f, "<td>%llu</td>", c->xruns ? (unsigned long long)c->xruns[probe] : 0ull);
		cell_pct(f, c->cpu_s > 0 ? 100 - (c->cpu_sum.idle + c->cpu_sum.iowait) / c->cpu_s : NAN);
		fputs("</tr>\n", f);
	}
	fputs("</table></div>\n", f);
}

static void
loads(FILE *f, const struct session *s)
{
	bool head = false;
	for (int i = 0; i < s->loads; i++) {
		const struct session_load *l = &s->load[i];
		char t[16];
		if (l->on_s <= 0 && l->status.state != LOAD_FAILED)
			continue;
		if (!head)
			fputs("<h3>Loads</h3><div class=\"wide\"><table><tr><th>load</th><th>level</th><th>on</th><th>work a second</th><th>CPU</th><th></th></tr>\n", f);
		head = true;
		fputs("<tr><td>", f);
		page_text(f, l->name);
		fprintf(f, "</td><td>%d</td><td>%.1f s</td><td>%s ", l->status.level, l->on_s, l->on_s > 0 ? text_count(t, sizeof t, (double)l->work / l->on_s) : "-");
		page_text(f, l->unit);
		fputs("</td>", f);
		cell_pct(f, l->on_s > 0 ? (double)l->cpu_ns / 1e7 / l->on_s : NAN);
		fprintf(f, "<td>%s", l->status.state == LOAD_FAILED ? "failed: " : "");
		page_text(f, l->status.reason);
		fputs("</td></tr>\n", f);
	}
	if (head)
		fputs("</table></div>\n", f);
}

static void
graphs(FILE *f, const struct page_data *d)
{
	const struct session *s = d->s;
	for (int i = 0; i < d->traces; i++) {
		const struct page_trace *t = &d->trace[i];
		char name[160];
		if (t->n < 2)
			continue;
		bool audio = s->probe[t->probe].total[Q_INTERVAL] != NULL, burn = s->probe[t->probe].total[Q_BURN] && s->probe[t->probe].total[Q_BURN]->s.samples;
		fputs("<h3>", f);
		page_text(f, t->load_set ? "Under " : "Without load");
		page_text(f, t->load_set ? session_load_set_name(s, t->load_set, name, sizeof name) : "");
		fputs(", ", f);
		page_text(f, s->probe[t->probe].label);
		fputs("</h3>\n", f);
		page_graph(f, d, t);
		fprintf(f, "<p class=\"legend\"><span class=\"max\"></span> %s, maximum &nbsp; <span class=\"avg\"></span> average", audio ? "total" : "latency");
		if (burn)
			fputs(" &nbsp; <span class=\"burn\"></span> CPU loop", f);
		if (audio)
			fputs(" &nbsp; <span class=\"period\"></span> one period &nbsp; <span class=\"buffer\"></span> whole buffer", f);
		fputs("</p>\n", f);
	}
}

static void
section(FILE *f, const struct page_data *d, const struct replay *r, const char *path)
{
	const struct session *s = d->s;
	const char *base = strrchr(path, '/');
	char safe[200];
	int main_probe = session_main_probe(s);
	fputs("<section>\n<h2>", f);
	page_text(f, text_safe(safe, sizeof safe, base ? base + 1 : path));
	fputs("</h2>\n", f);
	machine(f, s, r);
	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < s->probes; i++)
			if ((i == main_probe) == !pass && s->probe[i].total[Q_LATE] && s->probe[i].total[Q_LATE]->s.samples) {
				fputs("<h3>Figures of ", f);
				page_text(f, s->probe[i].label);
				fputs("</h3>\n", f);
				figures(f, s, i);
			}
	loads(f, s);
	graphs(f, d);
	if (main_probe >= 0 && s->conditions) {
		fputs("<h3>How often how late, ", f);
		page_text(f, s->probe[main_probe].label);
		fputs("</h3>\n", f);
		page_histogram(f, d, main_probe);
	}
	if (d->cpus > 1) {
		fputs("<h3>CPU</h3>\n", f);
		page_cpu_graph(f, d);
	}
	fputs("</section>\n", f);
}

static int
one_file(FILE *f, const char *path, struct err *e)
{
	struct page_data *d = calloc(1, sizeof *d);
	struct replay *r = d ? replay_open(path, e) : NULL;
	int status = r ? 0 : d ? -1 : err_set(e, "no memory for a page");
	if (r) {
		d->s = replay_session(r);
		session_hook_add(d->s, (struct session_hook){.data = d, .tick = on_tick});
		while (replay_run(r, INT64_MAX, 0) == REPLAY_WAITING)
			usleep(1000);
		section(f, d, r, path);
	}
	for (int i = 0; d && i < d->traces; i++)
		free(d->trace[i].point);
	if (d)
		free(d->cpu);
	replay_close(r);
	free(d);
	return status;
}

static int
page(FILE *f, const struct config *c, struct err *e)
{
	fprintf(f, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	           "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
	           "<title>stutter report</title>\n<style>\n%s</style></head><body>\n<h1>stutter report</h1>\n", style);
	for (int i = 0; i < c->arg_count; i++)
		if (one_file(f, c->arg[i], e))
			return -1;
	fputs("<p class=\"dim\">Latency is lateness against a schedule (echo: a round trip), counted by time: a wake that came late stands for every period "
	      "that it missed. Made by stutter " STUTTER_VERSION ".</p>\n</body></html>\n", f);
	return 0;
}

static int
to_file(const struct config *c, struct err *e)
{
	char tmp[sizeof c->output + 16];
	snprintf(tmp, sizeof tmp, "%s.XXXXXX", c->output);
	int fd = mkstemp(tmp);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f)
		return err_set(e, "cannot write '%.120s':", c->output);
	fchmod(fd, 0644);
	int r = page(f, c, e);
	if (!r && (fflush(f) || ferror(f)))
		r = err_set(e, "cannot write '%.120s':", c->output);
	fclose(f);
	if (!r && rename(tmp, c->output))
		r = err_set(e, "cannot write '%.120s':", c->output);
	if (r)
		unlink(tmp);
	return r;
}

int
command_report(int argc, char **argv)
{
	static struct config c;
	struct err e;
	int r = options_read(&c, MODE_REPORT, argc, argv, &e);
	if (r)
		return r > 0 ? 0 : headless_fail(2, e.text);
	if (c.arg_count < 1)
		return headless_fail(2, "report wants recordings: stutter report FILE... -o X.html");
	if (*c.output && strcmp(c.output, "-"))
		return to_file(&c, &e) ? headless_fail(1, e.text) : 0;
	return page(stdout, &c, &e) ? headless_fail(1, e.text) : headless_flush();
}
