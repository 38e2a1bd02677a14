// The live view: graphs, loads and figures, as the size of the screen allows.
// Must not know how its parts draw themselves.
#include "ui/panel.h"

static void
draw(struct grid *g, const struct session *s, struct ui *u)
{
	struct panel p;
	struct layout l;
	panel_init(&p, s, u);
	layout_make(&l, g->w, g->h, panel_probes_lines(s, g->w));
	p.frames = l.frames;
	p.joined = l.joined;
	p.bands = l.bands;
	u->graph = (struct rect){0};
	for (int i = 0; i < LOADS_MAX; i++)
		u->load_row[i] = (struct rect){0};
	panel_plots(&p, l.latency.w, l.gutter);
	panel_top(g, l.top, &p);
	panel_latency(g, l.latency, &p);
	panel_cpu(g, l.cpu, &p);
	panel_loads(g, l.loads, &p);
	panel_probes(g, l.probes, &p);
	panel_figures(g, l.figures, &p);
	panel_strip(g, l.strip, &p);
	panel_warn(g, l.warn, &p);
	panel_keys(g, l.keys, &p);
}

const struct view view_live = {
    .name = "live",
    .does = "graphs of latency and CPU, loads, figures",
    .draw = draw,
};
