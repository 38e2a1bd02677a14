# Tests, checks and benches. Included by the Makefile.
objects: $(OBJ) # compile everything (linking needs every command)
check: all units drivers ## run every test; the last line counts them
	BUILD=$(BUILD) tests/run
golden: $(BUILD)/tests/test_screen ## write the golden screens anew: look at each before it is committed
	GOLDEN=write $(BUILD)/tests/test_screen
asan: ## every test under address and undefined-behaviour sanitizers
	$(MAKE) BUILD=build-asan SAN='-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer' CFLAGS='-O1 -g' all units drivers
	LSAN_OPTIONS=suppressions=tests/lsan-suppressions ASAN_OPTIONS=handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_abort=0 TEST_LIMIT=900 BUILD=build-asan tests/run unit screen term real
tsan: ## the threads under ThreadSanitizer
	$(MAKE) BUILD=build-tsan SAN=-fsanitize=thread CFLAGS='-O1 -g' all units
	BUILD=build-tsan tests/run unit
PRELOADS = $(BUILD)/tests/failalloc.so $(BUILD)/tests/jumpclock.so
# A sound card for tests: an ALSA plugin, never sanitized as it is loaded into programs that are not.
$(BUILD)/tests/ioplug/libasound_module_pcm_stutter.so: tests/ioplug/pcm_stutter.c tests/ioplug/page.h
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE -DPIC -std=gnu17 $(WARN) $(CFLAGS) -fPIC -shared -o $@ $< $(LIB_CFLAGS) -lasound -lm
$(PRELOADS): $(BUILD)/tests/%.so: tests/lib/%.c
	@mkdir -p $(@D)
	$(CC) -std=gnu17 $(WARN) $(CFLAGS) -fPIC -shared -o $@ $< -ldl
units: $(PRELOADS) $(BUILD)/tests/ioplug/libasound_module_pcm_stutter.so
bench: all units drivers ## ratios against cyclictest, stress-ng, fio, htop, aplay; on a quiet machine
	@for b in tests/bench/bench_*; do case $$b in *.c) ;; *) BUILD=$(BUILD) $$b || exit 1;; esac; done
.PHONY: golden check asan tsan fuzz lint bench soak
# Small programs that drive one part for tests and benches.
DRIVERS = $(BUILD)/tests/loads $(BUILD)/tests/probe_drive
FUZZERS = $(wildcard tests/fuzz/fuzz_*.c)
CORPUS_RUNNERS = $(FUZZERS:tests/fuzz/%.c=$(BUILD)/tests/%)
drivers: $(DRIVERS) $(BUILD)/tests/sample_way $(CORPUS_RUNNERS)
$(DRIVERS): $(BUILD)/tests/%: tests/lib/%.c $(BUILD)/libstutter.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) -Itests/lib $(ALL_CFLAGS) $(LDFLAGS) -MMD -MP -o $@ $< $(BUILD)/libstutter.a $(ALL_LDLIBS)
$(BUILD)/tests/sample_way: $(BUILD)/tests/%: tests/bench/%.c $(BUILD)/libstutter.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(LDFLAGS) -MMD -MP -o $@ $< $(BUILD)/libstutter.a $(ALL_LDLIBS)
# A fuzzer as an ordinary program: runs the files that it is given.
$(CORPUS_RUNNERS): $(BUILD)/tests/%: tests/fuzz/%.c tests/lib/fuzz_main.c $(BUILD)/libstutter.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) -Itests/lib $(ALL_CFLAGS) $(LDFLAGS) -o $@ $< tests/lib/fuzz_main.c $(BUILD)/libstutter.a $(ALL_LDLIBS)
-include $(DRIVERS:=.d) $(BUILD)/tests/sample_way.d
check-layers: ## the rule of who may include whom, and each header by itself
	CC='$(CC)' CPPFLAGS='$(LIB_CFLAGS)' tests/check-layers --headers
lint: ## gcc's analyzer, clang-tidy, cppcheck
	CPPFLAGS='$(subst ','\'',$(ALL_CPPFLAGS))' tests/lint
fuzz: ## each fuzzer for SECONDS=10 seconds, with clang's sanitizers
	$(MAKE) BUILD=build-fuzz CC=clang CFLAGS='-O1 -g' SAN='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all' fuzzers
	tests/fuzz/run build-fuzz $(or $(SECONDS),10) $(FUZZERS:tests/fuzz/fuzz_%.c=%)
fuzzers: $(FUZZERS:tests/fuzz/%.c=$(BUILD)/%)
$(BUILD)/fuzz_%: tests/fuzz/fuzz_%.c $(BUILD)/libstutter.a
	$(CC) $(ALL_CPPFLAGS) -Itests/lib $(ALL_CFLAGS) $(subst fuzzer-no-link,fuzzer,$(SAN)) -o $@ $< $(BUILD)/libstutter.a $(ALL_LDLIBS)
.PHONY: drivers check-layers fuzzers
soak: all units drivers ## the long tests: 500 endings, each allocation failing, 200 kills, MINUTES=30 under everything
	ENDINGS=500 TEST_LIMIT=7200 BUILD=$(BUILD) tests/run tests/real/test_endings.py
	SCARCE_EVERY=1 TEST_LIMIT=3600 BUILD=$(BUILD) tests/run tests/real/test_scarce.py
	KILLS=200 TEST_LIMIT=3600 BUILD=$(BUILD) tests/run tests/real/test_recording.py
	SOAK_MINUTES=$(or $(MINUTES),30) TEST_LIMIT=7200 BUILD=$(BUILD) tests/run tests/real/test_soak.py
