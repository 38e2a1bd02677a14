// Load `x11`: scrolls a 500x500 area and puts 500x500 images from shared memory into a window of its own (latencytest).
// The X libraries are loaded here, where they are wanted. Must not know other loads.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xcb/shm.h>
#include <xcb/xcb.h>

#include "load/table.h"
#include "load/worker.h"

#define SIDE 500
#define SCROLL 3       // pixels at a time
#define BATCH 8        // operations between two waits for the server to have done them
#define SHM_WITH_FD 2  // minor version of MIT-SHM that takes a file descriptor

// What is used of the two libraries, each under its own name.
#define XCB_CALLS(X) \
	X(xcb_connect) X(xcb_connection_has_error) X(xcb_get_setup) X(xcb_setup_roots_iterator) \
	X(xcb_setup_pixmap_formats_iterator) X(xcb_format_next) X(xcb_generate_id) X(xcb_create_window) \
	X(xcb_map_window) X(xcb_create_gc) X(xcb_change_property) X(xcb_copy_area) X(xcb_poly_fill_rectangle) \
	X(xcb_get_input_focus) X(xcb_get_input_focus_reply) X(xcb_poll_for_event) X(xcb_request_check) \
	X(xcb_get_extension_data)
#define SHM_CALLS(X) \
	X(xcb_shm_query_version) X(xcb_shm_query_version_reply) X(xcb_shm_attach_fd_checked) X(xcb_shm_put_image)

struct x11_calls {
#define MEMBER(name) __typeof__(&name) name;
	XCB_CALLS(MEMBER)
	SHM_CALLS(MEMBER)
#undef MEMBER
	xcb_extension_t *shm_id;
};

struct x11 {
	struct x11_calls x;
	xcb_connection_t *c;
	xcb_screen_t *screen;
	xcb_window_t window;
	xcb_gcontext_t gc;
	xcb_shm_seg_t seg;
	uint32_t *image; // NULL: the server takes no shared memory
};

static int
load_calls(struct x11_calls *x, struct err *e)
{
	void *xcb = dlopen("libxcb.so.1", RTLD_NOW), *shm = dlopen("libxcb-shm.so.0", RTLD_NOW);
	if (!xcb || !shm)
		return err_set(e, "no X library: install %s", xcb ? "libxcb-shm0" : "libxcb1");
	bool all = true;
#define FIND(lib, name) all &= (x->name = (__typeof__(&name))dlsym(lib, #name)) != NULL;
#define FIND_XCB(name) FIND(xcb, name)
#define FIND_SHM(name) FIND(shm, name)
	XCB_CALLS(FIND_XCB)
	SHM_CALLS(FIND_SHM)
	x->shm_id = dlsym(shm, "xcb_shm_id");
	return all && x->shm_id ? 0 : err_set(e, "the X library is too old");
}

static int
x11_prepare(struct load_run *r, struct err *e)
{
	static struct x11_calls x;
	const char *display = getenv("DISPLAY");
	if (!display || !*display)
		return err_set(e, "no X server: DISPLAY is not set");
	if (load_calls(&x, e) == -1)
		return -1;
	r->mem = &x;
	return 0;
}

static void
open_window(struct x11 *w)
{
	struct x11_calls *x = &w->x;
	static const char title[] = "stutter: x11 load";
	uint32_t values[] = {w->screen->black_pixel, 0};
	w->window = x->xcb_generate_id(w->c);
	x->xcb_create_window(w->c, XCB_COPY_FROM_PARENT, w->window, w->screen->root, 0, 0, SIDE, SIDE, 0,
	    XCB_WINDOW_CLASS_INPUT_OUTPUT, w->screen->root_visual, XCB_CW_BACK_PIXEL, values);
	x->xcb_change_property(w->c, XCB_PROP_MODE_REPLACE, w->window, XCB_ATOM_WM_NAME, XCB_ATOM_STRING, 8,
	    sizeof title - 1, title);
	w->gc = x->xcb_generate_id(w->c);
	uint32_t gc_values[] = {w->screen->white_pixel, 0};
	x->xcb_create_gc(w->c, w->gc, w->window, XCB_GC_FOREGROUND | XCB_GC_GRAPHICS_EXPOSURES, gc_values);
	x->xcb_map_window(w->c, w->window);
}

// Has the server take 32 bits a pixel?
static bool
pixels_are_words(const struct x11 *w)
{
	xcb_format_iterator_t i = w->x.xcb_setup_pixmap_formats_iterator(w->x.xcb_get_setup(w->c));
	for (; i.rem; w->x.xcb_format_next(&i))
		if (i.data->depth == w->screen->root_depth)
			return i.data->bits_per_pixel == 32;
	return false;
}

// Shares an image with the server by a file descriptor, so that no System V segment can be left behind.
static void
share_image(struct x11 *w, struct load_run *r)
{
	struct x11_calls *x = &w->x;
	size_t bytes = SIDE * SIDE * sizeof *w->image;
	const xcb_query_extension_reply_t *ext = x->xcb_get_extension_data(w->c, x->shm_id);
	if (!ext || !ext->present || !pixels_are_words(w))
		return;
	xcb_shm_query_version_reply_t *v =
	    x->xcb_shm_query_version_reply(w->c, x->xcb_shm_query_version(w->c), NULL);
	bool takes_fd = v && (v->major_version > 1 || v->minor_version >= SHM_WITH_FD);
	free(v);
	int fd = takes_fd ? memfd_create("stutter-image", MFD_CLOEXEC) : -1;
	if (fd == -1 || ftruncate(fd, (off_t)bytes) == -1)
		return;
	uint32_t *m = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (m == MAP_FAILED)
		return;
	w->seg = x->xcb_generate_id(w->c);
	// the library closes the descriptor
	xcb_generic_error_t *err = x->xcb_request_check(w->c, x->xcb_shm_attach_fd_checked(w->c, w->seg, fd, 1));
	if (err) {
		free(err);
		munmap(m, bytes);
		return;
	}
	load_fill(r, m, bytes);
	w->image = m;
}

// A round trip: the server has done all that came before.
static bool
wait_for_server(struct x11 *w)
{
	struct x11_calls *x = &w->x;
	xcb_get_input_focus_reply_t *a = x->xcb_get_input_focus_reply(w->c, x->xcb_get_input_focus(w->c), NULL);
	bool answered = a != NULL;
	free(a);
	for (xcb_generic_event_t *ev; (ev = x->xcb_poll_for_event(w->c));)
		free(ev);
	return answered && !x->xcb_connection_has_error(w->c);
}

static void
draw(struct x11 *w, struct load_run *r)
{
	struct x11_calls *x = &w->x;
	for (int i = 0; i < BATCH / 2; i++) {
		xcb_rectangle_t line = {(int16_t)(load_random(r) % SIDE), SIDE - SCROLL, 40, SCROLL};
		x->xcb_copy_area(w->c, w->window, w->window, w->gc, 0, SCROLL, 0, 0, SIDE, SIDE - SCROLL);
		if (w->image)
			x->xcb_shm_put_image(w->c, w->window, w->gc, SIDE, SIDE, 0, 0, SIDE, SIDE, 0, 0,
			    w->screen->root_depth, XCB_IMAGE_FORMAT_Z_PIXMAP, 0, w->seg, 0);
		else
			x->xcb_poly_fill_rectangle(w->c, w->window, w->gc, 1, &line);
	}
}

static int
x11_work(struct load_run *r, int index, struct err *e)
{
	struct x11 w = {.x = *(struct x11_calls *)r->mem};
	w.c = w.x.xcb_connect(NULL, NULL);
	if (w.x.xcb_connection_has_error(w.c))
		return err_set(e, "no X server answers at %s", getenv("DISPLAY"));
	w.screen = w.x.xcb_setup_roots_iterator(w.x.xcb_get_setup(w.c)).data;
	open_window(&w);
	share_image(&w, r);
	if (!w.image && index == 0)
		load_note(r, "the X server takes no shared memory: it scrolls only");
	for (draw(&w, r); wait_for_server(&w); draw(&w, r))
		load_worked(r, w.image ? BATCH : BATCH / 2);
	return err_set(e, "the X server has gone");
}

const struct load_kind load_x11 = {
    .name = "x11",
    .key = '4',
    .does = "scrolls a 500x500 area and puts 500x500 shared-memory images into a window of its own",
    .unit = "operations",
    .source = "latencytest",
    .level = 1,
    .stall_ms = 3000,
    .prepare = x11_prepare,
    .work = x11_work,
};
