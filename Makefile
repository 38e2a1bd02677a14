# stutter: build, install, test.  `make help` lists the targets.
VERSION = 0.1.0

prefix ?= $(PREFIX)
PREFIX ?= /usr/local
bindir = $(prefix)/bin
datadir = $(prefix)/share
mandir = $(datadir)/man
INSTALL = install

CC ?= cc
CFLAGS ?= -O2 -g
CPPFLAGS ?=
LDFLAGS ?=
WARN = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wwrite-strings -Wvla -Wno-missing-field-initializers
ifdef WERROR
WARN += -Werror
endif
BUILD ?= build
SAN ?=

# pkg-config name : Debian package that brings it
LIBS_NEEDED = ncursesw:libncurses-dev libproc2:libproc2-dev alsa:libasound2-dev sndfile:libsndfile1-dev \
	inih:libinih-dev jansson:libjansson-dev xcb:libxcb1-dev xcb-shm:libxcb-shm0-dev dbus-1:libdbus-1-dev
PKGS = $(foreach l,$(LIBS_NEEDED),$(firstword $(subst :, ,$(l))))
# xcb and D-Bus are loaded at run time, where they are wanted: only their headers are needed here
LINKED = $(filter-out xcb xcb-shm dbus-1,$(PKGS))

BUILD_DEPS = pkg-config libc6-dev $(foreach l,$(LIBS_NEEDED),$(lastword $(subst :, ,$(l))))
CHECK_DEPS = libcmocka-dev clang libclang-rt-14-dev clang-tidy clang-format cppcheck valgrind python3 tmux jq rt-tests stress-ng \
	fio htop time linux-perf pulseaudio pulseaudio-utils libasound2-plugins alsa-utils xvfb x11-apps mandoc sox libsox-fmt-mp3 \
	procps util-linux kmod e2fsprogs locales chromium

no_build = clean distclean deps check-deps help dist uninstall check-layers
ifneq ($(filter-out $(no_build),$(or $(MAKECMDGOALS),all)),)
ifeq ($(filter deps check-deps,$(MAKECMDGOALS)),)
missing := $(strip $(foreach l,$(LIBS_NEEDED),$(shell pkg-config --exists $(firstword $(subst :, ,$(l))) 2>/dev/null || echo $(lastword $(subst :, ,$(l))))))
ifneq ($(missing),)
$(error missing: $(missing) (Debian package names). Run `make deps`)
endif
endif
endif
LIB_CFLAGS = $(shell pkg-config --cflags $(PKGS))
LIB_LDLIBS = $(shell pkg-config --libs $(LINKED))

ALL_CPPFLAGS = -D_GNU_SOURCE -DSTUTTER_VERSION='"$(VERSION)"' -DSTUTTER_DATADIR='"$(datadir)/stutter"' -Isrc $(LIB_CFLAGS) $(CPPFLAGS)
ALL_CFLAGS = -std=gnu17 $(WARN) -pthread $(CFLAGS) $(SAN)
ALL_LDLIBS = $(LIB_LDLIBS) -lm -ldl -pthread

SRC = $(wildcard src/*.c src/*/*.c)
OBJ = $(SRC:src/%.c=$(BUILD)/%.o) $(BUILD)/embedded.o
LIBOBJ = $(filter-out $(BUILD)/main.o,$(OBJ))
UNIT = $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/*.c))
EMBED = $(wildcard themes/*.theme src/session/suites/*.suite)

all: $(BUILD)/stutter ## build the program

$(BUILD)/stutter: $(OBJ)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(OBJ) $(ALL_LDLIBS)

$(BUILD)/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# The shipped themes and suites are inside the program too, so that it runs uninstalled.
$(BUILD)/embedded.S: $(EMBED) src/base/embed.sh Makefile
	@mkdir -p $(@D)
	sh src/base/embed.sh $(EMBED) > $@
$(BUILD)/embedded.o: $(BUILD)/embedded.S
	$(CC) $(SAN) -c -o $@ $<

$(BUILD)/libstutter.a: $(LIBOBJ)
	@rm -f $@
	$(AR) rcs $@ $(LIBOBJ)

$(BUILD)/tests/%: tests/unit/%.c $(BUILD)/libstutter.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) -Itests/lib $(ALL_CFLAGS) $(LDFLAGS) -MMD -MP -o $@ $< $(BUILD)/libstutter.a $(ALL_LDLIBS) -lcmocka

-include $(OBJ:.o=.d) $(UNIT:=.d)

run: all ## build and start the monitor
	$(BUILD)/stutter

# `make check-deps check` is in order also with -j
ifneq ($(filter deps check-deps,$(MAKECMDGOALS)),)
$(OBJ): | $(filter deps check-deps,$(MAKECMDGOALS))
endif

units: $(UNIT)

include tests/tests.mk

deps: ## install what the build needs (Debian, as root or through sudo)
	@$(call apt,$(BUILD_DEPS))
check-deps: deps ## install what the tests need
	@$(call apt,$(CHECK_DEPS))
apt = need=`for p in $(1); do dpkg-query -W -f '$${Status}\n' $$p 2>/dev/null | grep -q 'ok installed' || echo $$p; done`; \
	[ -z "$$need" ] || { SUDO=; [ `id -u` = 0 ] || SUDO=sudo; export DEBIAN_FRONTEND=noninteractive; \
	$$SUDO apt-get update -qq && $$SUDO apt-get install -y -qq --no-install-recommends $$need; }

install: all ## install under PREFIX (default /usr/local); DESTDIR is honoured
	$(INSTALL) -d $(DESTDIR)$(bindir) $(DESTDIR)$(datadir)/stutter/themes $(DESTDIR)$(mandir)/man1
	$(INSTALL) -m 755 $(BUILD)/stutter $(DESTDIR)$(bindir)/stutter
	$(INSTALL) -m 644 themes/*.theme $(DESTDIR)$(datadir)/stutter/themes/
	$(INSTALL) -m 644 man/config.example $(DESTDIR)$(datadir)/stutter/
	$(INSTALL) -m 644 man/stutter.1 $(DESTDIR)$(mandir)/man1/stutter.1

uninstall: ## take away what install put there
	rm -f $(DESTDIR)$(bindir)/stutter $(DESTDIR)$(mandir)/man1/stutter.1
	rm -rf $(DESTDIR)$(datadir)/stutter

dist: ## stutter-VERSION.tar.gz from what is committed
	git archive --format=tar.gz --prefix=stutter-$(VERSION)/ -o stutter-$(VERSION).tar.gz HEAD

clean: ## remove what was built
	rm -rf $(BUILD) build-asan build-tsan build-fuzz
distclean: clean
	rm -f stutter-*.tar.gz

help: ## this list
	@grep -hE '^[a-z-]+:.*##' Makefile tests/tests.mk | sed 's/:.*##/	/' | expand -t 14

.PHONY: all run units deps check-deps install uninstall dist clean distclean help
.DELETE_ON_ERROR:
