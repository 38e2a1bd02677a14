# Tests, checks and benches. Included by the Makefile.
objects: $(OBJ) # compile everything (linking needs every command)
check: all units drivers ## run every test; the last line counts them
	BUILD=$(BUILD) tests/run
asan: ## every unit test under address and undefined-behaviour sanitizers
	$(MAKE) BUILD=build-asan SAN='-fsanitize=address,undefined -fno-omit-frame-pointer' CFLAGS='-O1 -g' all units
	BUILD=build-asan tests/run unit
tsan: ## the threads under ThreadSanitizer
	$(MAKE) BUILD=build-tsan SAN=-fsanitize=thread CFLAGS='-O1 -g' all units
	BUILD=build-tsan tests/run unit
# A sound card for tests: an ALSA plugin, never sanitized as it is loaded into programs that are not.
$(BUILD)/tests/ioplug/libasound_module_pcm_stutter.so: tests/ioplug/pcm_stutter.c tests/ioplug/page.h
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE -DPIC -std=gnu17 $(WARN) $(CFLAGS) -fPIC -shared -o $@ $< $(LIB_CFLAGS) -lasound -lm
units: $(BUILD)/tests/ioplug/libasound_module_pcm_stutter.so
bench: all units ## ratios against cyclictest, stress-ng, fio, htop, aplay; on a quiet machine
	@for b in tests/bench/bench_*; do case $$b in *.c) ;; *) BUILD=$(BUILD) $$b || exit 1;; esac; done
.PHONY: check asan tsan fuzz lint bench soak
# Small programs that drive one part for tests and benches.
DRIVERS = $(BUILD)/tests/loads
drivers: $(DRIVERS)
$(DRIVERS): $(BUILD)/tests/%: tests/lib/%.c $(BUILD)/libstutter.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) -Itests/lib $(ALL_CFLAGS) $(LDFLAGS) -MMD -MP -o $@ $< $(BUILD)/libstutter.a $(ALL_LDLIBS)
-include $(DRIVERS:=.d)
.PHONY: drivers
