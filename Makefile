# SPDX-License-Identifier: BSD-2-Clause
# GNU make; everything built goes below $(O).  "make help" lists the targets.

VERSION := 0.4.0
SOMAJOR := 0
SONAME  := libibcheck.so.$(SOMAJOR)

O       ?= build
PREFIX  ?= /usr/local
BINDIR  ?= $(PREFIX)/bin
LIBDIR  ?= $(PREFIX)/lib
INCDIR  ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
LIBEXECDIR ?= $(PREFIX)/libexec
MANDIR  ?= $(DATADIR)/man
DOCDIR  ?= $(DATADIR)/doc/ibcheck
UNITDIR ?= $(PREFIX)/lib/systemd/system
UDEVDIR ?= $(PREFIX)/lib/udev
SYSUSERSDIR ?= $(PREFIX)/lib/sysusers.d
TMPFILESDIR ?= $(PREFIX)/lib/tmpfiles.d
ZSHDIR  ?= $(DATADIR)/zsh/site-functions
PKG_CONFIG ?= pkg-config
INSTALL ?= install
OBJCOPY ?= objcopy

.DEFAULT_GOAL := all

# ---- flags -------------------------------------------------------------------

LIB_PKGS := libibumad libibmad jansson libmnl zlib libzstd sqlite3
CMD_PKGS := inih jansson ncursesw zlib
# headers are enough: cmd/live/httpd.c loads it where it is used
LOADED_PKGS := libmicrohttpd

ifneq ($(filter-out help clean dist lines uninstall,$(or $(MAKECMDGOALS),all)),)
MISSING := $(shell for p in $(LIB_PKGS) $(CMD_PKGS) $(LOADED_PKGS); do \
	$(PKG_CONFIG) --exists $$p 2>/dev/null || echo $$p; done)
ifneq ($(MISSING),)
$(error $(PKG_CONFIG) does not find: $(MISSING); "./bootstrap" installs what is needed)
endif
DEP_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(LIB_PKGS) $(CMD_PKGS) $(LOADED_PKGS))
LIB_LIBS   := $(shell $(PKG_CONFIG) --libs $(LIB_PKGS)) -lm
CMD_LIBS   := $(shell $(PKG_CONFIG) --libs $(CMD_PKGS))
endif

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 -Wvla
ifeq ($(WERROR),1)
WARN += -Werror
endif
CFLAGS ?= -O2 -g
OWN_CFLAGS := -std=gnu11 $(WARN) -fPIC -fvisibility=hidden -D_GNU_SOURCE \
	-DIBC_VERSION='"$(VERSION)"' -DIBC_SONAME='"$(SONAME)"' -Iinclude $(DEP_CFLAGS)
ifdef SAN
OWN_CFLAGS += -fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=undefined
OWN_LDFLAGS := -fsanitize=$(SAN)
endif
LIB_CFLAGS  := $(OWN_CFLAGS) -Ilib
CMD_INC     := -Icmd $(patsubst %/,-I%,$(wildcard cmd/*/))
CMD_CFLAGS  := $(OWN_CFLAGS) $(CMD_INC) -DIBC_STATIC='"$(STATIC)"'
TEST_CFLAGS := $(OWN_CFLAGS) -Ilib -Itests -Itests/unit $(patsubst %/,-I%,$(wildcard tests/unit/*/))

# V=1 shows the commands whole, -s nothing
silent := $(findstring s,$(firstword -$(MAKEFLAGS)))
say = $(if $(V),,@$(if $(silent),,echo '  $(1)	$@'; ))
compile = $(call say,CC)mkdir -p $(@D) && $(CC) $(1) -MMD -MP $(CPPFLAGS) $(CFLAGS) -c -o $@ $<
link = $(call say,LD)mkdir -p $(@D) && $(CC) $(OWN_LDFLAGS) $(LDFLAGS)

# ---- parts -------------------------------------------------------------------

# PARTS says what each is.  A build of some links the same objects and shorter lists, which are in $(P).
ALL_PARTS := core $(shell sed -n 's/^\([a-z]*\): .*/\1/p' PARTS)
PARTS   ?= $(ALL_PARTS)
BUILT   := $(filter $(PARTS),$(ALL_PARTS))
WITHOUT := $(filter-out $(PARTS),$(ALL_PARTS))
empty   :=
P       := $(O)$(if $(WITHOUT),/parts/$(subst $(empty) ,-,$(BUILT)))
ifneq ($(WITHOUT)$(filter-out $(ALL_PARTS),$(PARTS)),)
ifneq ($(filter-out all install uninstall print-% $(P)/%,$(MAKECMDGOALS)),)
$(error without $(WITHOUT): all, install, uninstall are all that there is)
endif
LEFT_OUT := $(shell lib/left-out $(PARTS))
ifneq ($(.SHELLSTATUS),0)
$(error PARTS='$(PARTS)' cannot be built)
endif
LEFT_OUT := $(foreach w,$(LEFT_OUT),$(if $(findstring /,$w),$w))
endif

$(P)/left-out: PARTS lib/left-out FORCE
	@mkdir -p $(@D) && lib/left-out $(BUILT) >$@.new && { cmp -s $@.new $@ || cp $@.new $@; } && rm $@.new

# ---- the library and the program --------------------------------------------

LIB_SRC := $(wildcard lib/*/*.c lib/*/*/*.c)
CMD_SRC := $(wildcard cmd/*.c cmd/*/*.c)
EXPLAIN := lib/check/explain
PAGE    := lib/render/page
LIB_LISTS := $(EXPLAIN) lib/base/build lib/check/tables lib/fabric/outsides lib/render/renderers lib/source/byte_sources
CMD_LISTS := cmd/all_commands cmd/all_additions cmd/left_out
LIB_OBJ := $(LIB_SRC:%.c=$(O)/%.o) $(O)/$(PAGE).o
CMD_OBJ := $(CMD_SRC:%.c=$(O)/%.o) $(O)/cmd/live.o
LIB_LIST_OBJ := $(LIB_LISTS:%=$(P)/%.o)
CMD_LIST_OBJ := $(CMD_LISTS:%=$(P)/%.o)
SOLIB   := $(O)/$(SONAME)

all: $(P)/ibcheck $(if $(WITHOUT),,$(O)/tests/sim/roomy.so $(O)/tests/sim/stray.so)
	@:

$(O)/lib/%.o: lib/%.c
	$(call compile,$(LIB_CFLAGS))

$(O)/cmd/%.o: cmd/%.c
	$(call compile,$(CMD_CFLAGS))

# An array, an element for each line that the build has, ended by 0; "&" in a declaration and an element
# is its name.  $(1) a header; $(2) the declaration; $(3) the type and name of the array; $(4) the element;
# $(5) what is before the name in left-out
GEN = $(call say,GEN)mkdir -p $(@D) &&
names = sed 's/^TABLE(\(.*\))$$/\1/' $< | \
	awk 'FILENAME != "-" { without[$$1] = 1; next } !(("$(5)" $$0) in without)' $(P)/left-out -
array = $(GEN) { echo '\#include "$(1)"'; $(names) | sed 's/.*/extern $(2);/'; \
	echo '$(3)[] = {'; $(names) | sed 's/.*/$(4),/'; echo '0 };'; } >$@

$(P)/cmd/all_commands.c: cmd/commands.txt $(P)/left-out Makefile
	$(call array,cmd.h,const struct cmd cmd_&,const struct cmd *const all_commands,\&cmd_&,cmd_)
$(P)/cmd/all_additions.c: cmd/additions.txt $(P)/left-out Makefile
	$(call array,cmd.h,const struct addition addition_&,const struct addition *const all_additions,\&addition_&,addition_)
$(P)/lib/check/tables.c: lib/check/tables.def $(P)/left-out Makefile
	$(call array,check/groups.h,const struct ibc_check ibc_checks_&[],const struct ibc_check *const check_tables,ibc_checks_&,ibc_checks_)
$(P)/lib/render/renderers.c: lib/render/formats.txt $(P)/left-out Makefile
	$(call array,render/writer.h,const struct renderer renderer_&,const struct renderer *const renderers,\&renderer_&,renderer_)
$(P)/lib/fabric/outsides.c: lib/fabric/outside.txt $(P)/left-out Makefile
	$(call array,fabric/outside.h,const struct outside outside_&,const struct outside *const outsides,\&outside_&,outside_)
$(P)/lib/source/byte_sources.c: lib/source/bytes.txt $(P)/left-out Makefile
	$(call array,source/source.h,const struct byte_source source_&,const struct byte_source *const byte_sources,\&source_&,source_)

# what is not a file of what it is without, and the part that has it; and its version
left_out = sed -n 's/^\([^/ ]*\) \(.*\)/{ "\1", "\2" },/p' $<; echo '{ 0 } };'
$(P)/lib/base/build.c: $(P)/left-out Makefile
	$(GEN) { printf '#include "base/left_out.h"\n'; \
		echo 'const char *ibc_version(void) { return IBC_VERSION "$(if $(WITHOUT),+$(subst $(empty) ,.,$(BUILT)))"; }'; \
		echo 'const struct left_out left_out[] = {'; $(left_out); } >$@
$(P)/cmd/left_out.c: $(P)/left-out Makefile
	$(GEN) { printf '#include "lacking.h"\nconst struct lacking lacking[] = {\n'; $(left_out); } >$@

$(LIB_LIST_OBJ): %.o: %.c
	$(call compile,$(LIB_CFLAGS))
$(CMD_LIST_OBJ): %.o: %.c
	$(call compile,$(CMD_CFLAGS))

# the page of "ibcheck serve"
$(O)/cmd/live.c: $(addprefix cmd/live/,embed.awk index.html live.css live.js)
	$(GEN) awk -f $^ >$@
$(O)/cmd/live.o: $(O)/cmd/live.c
	$(call compile,$(CMD_CFLAGS))

# what "ibcheck explain" says, a file a check; the directory: a file may be gone
$(P)/$(EXPLAIN).c: $(filter-out $(LEFT_OUT),$(wildcard $(EXPLAIN)/*.txt)) $(EXPLAIN)/embed.awk $(EXPLAIN) $(P)/left-out
	$(GEN) awk -f $(EXPLAIN)/embed.awk $(filter %.txt,$^) >$@

# what "-f html" brings with it; its head names the script by its hash
$(O)/$(PAGE).c: $(PAGE).css $(PAGE).js $(PAGE).awk
	$(GEN) awk -f $(PAGE).awk -v hash="$$(sed 's/^\t*//' $(PAGE).js | \
		sha256sum | head -c 64 | tr a-f A-F | basenc -d --base16 | base64)" $(PAGE).css $(PAGE).js >$@

$(O)/$(PAGE).o: %.o: %.c
	$(call compile,$(LIB_CFLAGS))

# the version and the flags are here
$(LIB_OBJ) $(CMD_OBJ) $(LIB_LIST_OBJ) $(CMD_LIST_OBJ): Makefile

# unit tests see the insides; the program does not
$(O)/libibcheck.a: $(LIB_OBJ) $(LIB_LIST_OBJ)
	$(call say,AR)rm -f $@ && ar qcs $@ $^

$(SOLIB): $(LIB_OBJ) $(LIB_LIST_OBJ) lib/libibcheck.map
	$(link) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=lib/libibcheck.map \
		-Wl,--no-undefined -o $@ $(LIB_OBJ) $(LIB_LIST_OBJ) $(LIB_LIBS)
	@ln -sf $(SONAME) $(O)/libibcheck.so

# runs in place; the one that is installed finds the library as any program does
$(O)/ibcheck: RPATH := -Wl,-rpath,'$$ORIGIN'
$(O)/ibcheck $(O)/install/ibcheck: $(CMD_OBJ) $(CMD_LIST_OBJ) $(SOLIB)
	$(link) $(RPATH) -o $@ $(CMD_OBJ) $(CMD_LIST_OBJ) -L$(O) -libcheck $(CMD_LIBS)

# Of some parts: the linker takes what the lists lead to, and no library is beside it.
$(O)/parts/objects.a: $(LIB_OBJ) $(CMD_OBJ)
	$(call say,AR)mkdir -p $(@D) && rm -f $@ && ar qcs --thin $@ $^
$(O)/parts/%/ibcheck: $(LIB_LIST_OBJ) $(CMD_LIST_OBJ) $(O)/parts/objects.a
	$(link) -o $@ $^ -Wl,--as-needed $(LIB_LIBS) $(CMD_LIBS)

# One file that runs where no package is; tests/static/build says what STATIC is and calls it.  What
# the library hides is hidden from the program here too.  The linker warns of getaddrinfo() of
# numbers, and of dlopen() in SQLite, which is not called.
$(O)/static/libibcheck.o: $(LIB_OBJ) $(LIB_LIST_OBJ)
	$(call say,LD)mkdir -p $(@D) && $(CC) -r -nostdlib -o $@ $^ && $(OBJCOPY) --localize-hidden $@
$(O)/static/ibcheck: $(CMD_OBJ) $(CMD_LIST_OBJ) $(O)/static/libibcheck.o
	$(link) -static -Wl,--no-warnings -o $@ $^ $(shell $(PKG_CONFIG) --static --libs $(LIB_PKGS) $(CMD_PKGS)) -lm

static:
	@for arch in amd64 arm64; do O='$(O)' tests/static/build $$arch || exit; done

# ---- tests -------------------------------------------------------------------

UNIT_BIN  := $(patsubst %.c,$(O)/tests/%,$(notdir $(wildcard tests/unit/*/test_*.c)))
vpath test_%.c $(wildcard tests/unit/*/)
FUZZ_BIN  := $(patsubst tests/fuzz/%.c,$(O)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
MODEL_OBJ := $(patsubst %.c,$(O)/%.o,$(wildcard tests/model/*.c))
SAN_O     := $(O)/san
RUN_TESTS := O=$(O) SAN_O=$(SAN_O) CC='$(CC)' tests/run

$(O)/tests/model/%.o: tests/model/%.c
	$(call compile,$(TEST_CFLAGS))

$(O)/tests/test_%: test_%.c $(MODEL_OBJ) $(O)/libibcheck.a
	$(link) $(TEST_CFLAGS) -MMD -MP $(CFLAGS) -o $@ $< $(MODEL_OBJ) $(O)/libibcheck.a \
		-lcmocka $(LIB_LIBS)

# parts of the program that stand alone
$(O)/tests/test_kept $(O)/tests/test_web: $(O)/tests/test_%: test_%.c \
		$(patsubst %,$(O)/cmd/%.o,live/web live/httpd run/progress screen/fail screen/kept)
	$(link) $(TEST_CFLAGS) -MMD -MP $(CFLAGS) -o $@ $(filter %.c %.o,$^) -lcmocka $(CMD_LIBS)

# FUZZ_MAIN: replays files; empty where the compiler brings a fuzzer of its own
FUZZ_MAIN ?= tests/fuzz/main.c
$(O)/fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(FUZZ_MAIN) $(O)/libibcheck.a
	$(link) $(TEST_CFLAGS) $(CFLAGS) -o $@ $(filter %.c %.o,$^) $(O)/libibcheck.a $(LIB_LIBS)

# what the tests of a live host need around it, and those in the simulator
HOST_BIN := $(patsubst tests/host/%.c,$(O)/tests/host/%,$(wildcard tests/host/*.c))
SIM_SO   := $(addprefix $(O)/tests/sim/,between.so clock.so drain.so meanwhile.so partition.so roomy.so stray.so witness.so)
INJECT_SO := $(O)/tests/inject/shim.so
SIM_BIN  := $(filter-out $(SIM_SO:%.so=%),$(patsubst %.c,$(O)/%,$(wildcard tests/sim/*.c)))

$(HOST_BIN) $(SIM_BIN): $(O)/tests/%: tests/%.c $(O)/libibcheck.a
	$(link) $(TEST_CFLAGS) -MMD -MP $(CFLAGS) -o $@ $< $(O)/libibcheck.a $(LIB_LIBS)

$(SIM_SO) $(INJECT_SO): $(O)/tests/%.so: tests/%.c
	$(link) -shared $(TEST_CFLAGS) -MMD -MP $(CPPFLAGS) $(CFLAGS) -o $@ $< -Wl,--as-needed $(LIB_LIBS) -ldl

# what the program itself reads
$(O)/fuzz/fuzz_config: $(addprefix cmd/,files/config.c line/common.c line/ini.c line/lacking.c line/opts.c screen/columns.c screen/fail.c) \
	$(O)/cmd/left_out.o
$(O)/fuzz/fuzz_policy: cmd/line/ini.c cmd/screen/fail.c
$(O)/fuzz/fuzz_config $(O)/fuzz/fuzz_policy: LIB_LIBS += $(CMD_LIBS)
$(addprefix $(O)/,fuzz/fuzz_config fuzz/fuzz_policy tests/test_kept tests/test_web): TEST_CFLAGS += $(CMD_INC)
# and a fabric that answers
$(O)/fuzz/fuzz_sweep: $(MODEL_OBJ)

tests: $(UNIT_BIN) $(HOST_BIN) $(SIM_BIN) $(SIM_SO) $(INJECT_SO) $(O)/bench/built
fuzzers: $(FUZZ_BIN)
# builds that are without some part
parts: all
	+@tests/parts/combinations | while read -r parts; do \
		$(MAKE) --no-print-directory PARTS="$$parts" all || exit; done

# the same once more, with the sanitizers watching; what runs it
sanitized:
	@+$(MAKE) --no-print-directory O=$(SAN_O) SAN=address,undefined CFLAGS='-O1 -g1' all tests fuzzers
SANITIZED := san% hostile% drift% fluid%

# What a person runs; what CI runs, which has all of it; and what is run before a release.
# SUITE: instead of all of them, one or several, or pieces: "sim", "sim/fabric unit"
CHECKED := unit golden parts fuzz guard core
ALL     := unit golden parts fuzz guard lint dialects blame gone sim san inject host prometheus browser deb \
	mutation hostile fleet drift fluid $(if $(VM),vm)
WHOLE   := partial sangolden debootstrap static s390x mutations calls month day flaps fuzzing
check: all tests parts $(if $(filter $(SANITIZED),$(SUITE)),sanitized) $(if $(filter fuzz%,$(or $(SUITE),fuzz)),fuzzers)
	@$(RUN_TESTS) $(or $(SUITE),$(CHECKED))
check-all: all tests parts fuzzers sanitized
	@$(RUN_TESTS) $(ALL)
check-whole: all tests parts fuzzers sanitized libfuzzer
	@SCALE=10 $(RUN_TESTS) $(ALL) $(WHOLE)
check-unit: tests
	@$(RUN_TESTS) unit
check-golden: all
	@$(RUN_TESTS) golden
check-guard: $(O)/bench/built
	@$(RUN_TESTS) guard
check-sim: all $(SIM_BIN) $(SIM_SO)
	@$(RUN_TESTS) sim
check-host: all $(HOST_BIN)
	@$(RUN_TESTS) host
check-vm: all $(HOST_BIN)
	@$(RUN_TESTS) vm
check-lint: all
	@$(RUN_TESTS) lint
check-prometheus: all
	@$(RUN_TESTS) prometheus
check-browser: all
	@$(RUN_TESTS) browser
check-deb:
	@$(RUN_TESTS) deb
check-fuzz: fuzzers
	@$(RUN_TESTS) fuzz
check-san: sanitized
	@$(RUN_TESTS) san

# for a person with time to spare: fuzz-NAME runs tests/fuzz/fuzz_NAME.c until stopped
LIBFUZZER = +$(MAKE) --no-print-directory O=$(O)/libfuzzer CC=clang FUZZ_MAIN= \
	SAN=fuzzer-no-link,address,undefined LDFLAGS=-fsanitize=fuzzer
libfuzzer:
	@$(LIBFUZZER) fuzzers
fuzz-%:
	@$(LIBFUZZER) $(O)/libfuzzer/fuzz/fuzz_$*
	mkdir -p $(O)/corpus/$*
	$(O)/libfuzzer/fuzz/fuzz_$* $(O)/corpus/$* tests/fuzz/corpus/$*

demo: all $(SIM_SO)
	@O=$(O) tests/sim/demo

# ---- the bench ---------------------------------------------------------------

BENCH_OBJ := $(patsubst tests/bench/%.c,$(O)/bench/%.o,tests/bench/umad_shim.c tests/bench/server.c)

$(O)/bench/%.o: tests/bench/%.c
	$(call compile,$(TEST_CFLAGS))

# hides all but libibumad's own names: the program under it may be linked to the same library
$(O)/bench/umad_shim.so: $(BENCH_OBJ) $(MODEL_OBJ) $(O)/libibcheck.a tests/bench/umad_shim.map
	$(link) -shared -Wl,--version-script=tests/bench/umad_shim.map -o $@ $(filter-out %.map,$^) \
		$(LIB_LIBS) -ldl

$(O)/bench/render.so: tests/bench/render.c
	$(link) -shared $(TEST_CFLAGS) -MMD -MP $(CFLAGS) -o $@ $< -ldl
$(O)/bench/measure: $(O)/bench/measure.o
	$(link) -o $@ $^
$(O)/bench/%: $(O)/bench/%.o $(O)/libibcheck.a
	$(link) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIB_LIBS)

# nothing is looked up while it works; beside it, what counts of its instructions depend on
$(O)/bench/work: LDFLAGS += -Wl,-z,now
$(O)/bench/work: $(MODEL_OBJ)
$(O)/bench/built: $(O)/bench/work
	@echo "$$($(CC) --version | sed 's/^[^ ]* //;q'), $(CFLAGS)" >$@

# JSON of our own, and the libraries for it that this host has
JSON_LIBS = $(shell for p in jansson json-c yajl yyjson; do \
	$(PKG_CONFIG) --exists $$p 2>/dev/null && echo $$p; done)
$(O)/bench/json_%.o: tests/bench/json_%.c
	$(call compile,$(TEST_CFLAGS) $(shell $(PKG_CONFIG) --cflags $* 2>/dev/null))
$(O)/bench/json-own: $(O)/bench/json_own.o $(O)/bench/json.o $(O)/libibcheck.a
	$(link) -o $@ $^ $(LIB_LIBS)
$(O)/bench/json-%: $(O)/bench/json_%.o $(O)/bench/json.o
	$(link) -o $@ $^ $(shell $(PKG_CONFIG) --libs $*) -lz
bench-json: $(O)/bench/json-own $(foreach p,$(JSON_LIBS),$(O)/bench/json-$p)

BENCH_BIN := $(addprefix $(O)/bench/,umad_shim.so render.so null_client measure routes cases fleet matrix store file phy lanes logs built)
bench: all $(HOST_BIN) $(SIM_SO) $(BENCH_BIN) bench-json
	@O=$(O) CC='$(CC)' tests/bench/run

pictures: all tests
	@UPDATE=1 IBCHECK='$(abspath $(O))/ibcheck' bats tests/browser/pictures.bats

site: all $(SIM_SO)
	rm -rf $(O)/site
	mkdir -p $(O)/site
	@O=$(O) doc/site/record $(O)/site
	@doc/site/pages $(O)/site

# ---- install -----------------------------------------------------------------

HEADERS := $(wildcard include/ibcheck/*.h)
PROGRAM := $(if $(WITHOUT),$(P),$(O)/install)/ibcheck
MANUALS := $(filter-out man/ibcheck-sim.1,$(wildcard man/*.[1-9]))
UNITS   := $(wildcard examples/*.service examples/*.socket examples/*.timer)
# the group, what it shares, and its devices
GROUP   := $(addprefix examples/ibcheck.,sysusers tmpfiles udev)
EXAMPLES := $(filter-out $(UNITS) $(GROUP),$(wildcard examples/*))
TOPOLOGIES := $(wildcard topologies/*)
PICTURES := doc/pictures.md $(filter-out %.txt,$(wildcard doc/pictures/*))
SCHEMAS := $(wildcard man/*.schema.json)
SOFILE  := libibcheck.so.$(VERSION)

$(O)/libibcheck.pc: lib/libibcheck.pc.in Makefile FORCE
	@sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@INCDIR@|$(INCDIR)|' \
		-e 's|@VERSION@|$(VERSION)|' $< >$@

# every file that is installed as it is, and where to
SCRIPTS := $(addprefix integrations/,slurm-health slurm-prolog npd nfd)
INTEGRATIONS := $(filter-out $(SCRIPTS),$(wildcard integrations/*))
# without some parts there is no library either
NOT_INSTALLED = $(LEFT_OUT) $(if $(WITHOUT),$(HEADERS) $(O)/libibcheck.pc man/libibcheck.3 examples/nodes.c)
INSTALLED = $(filter-out $(NOT_INSTALLED:%=%:%),$(ALL_INSTALLED))
ALL_INSTALLED := \
	$(foreach f,$(HEADERS),$(f):$(INCDIR)/ibcheck/$(notdir $(f))) \
	$(foreach f,$(MANUALS),$(f):$(MANDIR)/man$(patsubst .%,%,$(suffix $(f)))/$(notdir $(f))) \
	$(O)/libibcheck.pc:$(LIBDIR)/pkgconfig/libibcheck.pc \
	$(foreach f,$(SCHEMAS),$(f):$(DATADIR)/ibcheck/$(notdir $(f))) \
	$(foreach f,$(TOPOLOGIES),$(f):$(DATADIR)/ibcheck/$(f)) \
	$(foreach f,$(UNITS),$(f):$(UNITDIR)/$(notdir $(f))) \
	examples/ibcheck.sysusers:$(SYSUSERSDIR)/ibcheck.conf \
	examples/ibcheck.tmpfiles:$(TMPFILESDIR)/ibcheck.conf \
	examples/ibcheck.udev:$(UDEVDIR)/rules.d/70-ibcheck.rules \
	cmd/jobs/ibcheck-perf-run:$(BINDIR)/ibcheck-perf-run \
	README.md:$(DOCDIR)/README.md \
	doc/coming-from.md:$(DOCDIR)/doc/coming-from.md \
	doc/checklists.md:$(DOCDIR)/doc/checklists.md \
	$(foreach f,$(PICTURES),$(f):$(DOCDIR)/$(f)) \
	$(foreach f,$(EXAMPLES),$(f):$(DOCDIR)/$(f)) \
	$(foreach f,$(SCRIPTS),$(f):$(LIBEXECDIR)/ibcheck/$(notdir $(f))) \
	$(foreach f,$(INTEGRATIONS),$(f):$(DATADIR)/ibcheck/$(f)) \
	completions/ibcheck.bash:$(DATADIR)/bash-completion/completions/ibcheck \
	completions/_ibcheck:$(ZSHDIR)/_ibcheck \
	completions/ibcheck.fish:$(DATADIR)/fish/vendor_completions.d/ibcheck.fish

install: all $(PROGRAM) $(O)/libibcheck.pc
	$(INSTALL) -D -m 755 $(PROGRAM) $(DESTDIR)$(BINDIR)/ibcheck
ifeq ($(WITHOUT),)
	$(INSTALL) -D -m 755 $(SOLIB) $(DESTDIR)$(LIBDIR)/$(SOFILE)
	ln -sf $(SOFILE) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libibcheck.so
endif
	@set -e; for f in $(INSTALLED); do \
		case $$f in $(LIBEXECDIR:%=*:%)/* | $(BINDIR:%=*:%)/*) mode=755 ;; *) mode=644 ;; esac; \
		echo "$(INSTALL) -D -m $$mode $${f%%:*} $(DESTDIR)$${f#*:}"; \
		$(INSTALL) -D -m $$mode "$${f%%:*}" "$(DESTDIR)$${f#*:}"; done
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi

# the simulator, which other programs are tested with: a package of its own
SIM_PARTS := $(addprefix $(O)/tests/sim/,roomy.so stray.so) tests/sim/scenario.awk
SIM_DIR   := $(LIBEXECDIR)/ibcheck-sim

install-sim: $(SIM_PARTS)
	sed "s|^parts=''|parts='$(SIM_DIR)'|" tests/sim/fabric | \
		$(INSTALL) -D -m 755 /dev/stdin $(DESTDIR)$(BINDIR)/ibcheck-sim
	$(INSTALL) -D -m 755 tests/sim/console $(DESTDIR)$(SIM_DIR)/console
	$(INSTALL) -m 644 $(SIM_PARTS) $(DESTDIR)$(SIM_DIR)
	$(INSTALL) -D -m 644 man/ibcheck-sim.1 $(DESTDIR)$(MANDIR)/man1/ibcheck-sim.1

uninstall:
	rm -f $(addprefix $(DESTDIR),$(BINDIR)/ibcheck-sim $(MANDIR)/man1/ibcheck-sim.1 \
		$(addprefix $(SIM_DIR)/,console $(notdir $(SIM_PARTS))))
	rm -f $(DESTDIR)$(BINDIR)/ibcheck \
		$(addprefix $(DESTDIR)$(LIBDIR)/,$(SOFILE) $(SONAME) libibcheck.so)
	@for f in $(ALL_INSTALLED); do \
		echo "rm -f $(DESTDIR)$${f#*:}"; rm -f "$(DESTDIR)$${f#*:}"; done
	@rmdir $(addprefix $(DESTDIR),$(INCDIR)/ibcheck $(DATADIR)/ibcheck/topologies \
		$(DATADIR)/ibcheck/integrations $(LIBEXECDIR)/ibcheck $(SIM_DIR) \
		$(DATADIR)/ibcheck $(DOCDIR)/examples $(DOCDIR)/doc/pictures $(DOCDIR)/doc \
		$(DOCDIR)) 2>/dev/null || :

# ---- the rest ----------------------------------------------------------------

# The last commit and nothing else, with its time: whoever makes it, and wherever, gets the same bytes.
DIST := ibcheck-$(VERSION)
dist:
	mkdir -p $(O)
	git -c core.attributesFile=/dev/null -c core.autocrlf=false -c tar.umask=0022 archive \
		--prefix=$(DIST)/ -o $(O)/$(DIST).tar HEAD
	gzip -9nf $(O)/$(DIST).tar

lines:
	@tests/lines

clean:
	rm -rf $(O)

# prints a variable, for scripts: make print-LIB_CFLAGS
print-%:
	@echo '$(subst ','\'',$($*))'

help:
	@sed -n 's/^#: \?//p' Makefile

#: Targets
#:   all           the program and the library, below $(O) (default)
#:   parts         programs that are without one part, and the core alone: $(O)/parts
#:   check         what a person runs: unit tests, recorded runs, corpora, lints, some
#:                 simulated sweeps; the last line sums them up; with SUITE=sim/fabric only this
#:   check-all     that, and all else that takes an hour at most: sanitizers, every simulated
#:                 sweep, services, browsers, packages, virtual machines
#:   check-whole   that, and what takes hours, before a release: ten times the seeds, every
#:                 injected fault and mutation, a month of cron, a day of serve, half an hour
#:                 of fuzzing, a big-endian machine, the packages in a Debian of their own
#:   check-unit    cmocka tests of the library
#:   check-golden  recorded runs of the program; UPDATE=1 records anew
#:   check-guard   instructions of a sweep, a load, fattree, routes and a state, beside those stored
#:   check-sim     real sweeps, of ibsim and opensm
#:   check-host    real TCP over fake IPoIB, in network namespaces (root)
#:   check-vm      real RDMA devices, in a virtual machine that is booted (QEMU)
#:   check-lint    layers, format, sizes, exported symbols, manuals, ...
#:   check-prometheus  metrics and rules, by promtool and by a real Prometheus
#:   check-browser  drawings and pages, as a browser shows them
#:   check-deb     the packages of Debian: that they build, and what lintian finds
#:   check-fuzz    the fuzzers' corpora, replayed
#:   check-san     unit and golden tests, and the corpora, under ASan and UBSan
#:   fuzz-NAME     fuzz one parser until stopped (clang)
#:   bench         speed and memory, against the peers; tests/bench/RESULTS.md, README.md
#:   pictures      those of doc/pictures.md, of a simulated fabric, anew (chromium)
#:   site          $(O)/site, static pages: README, doc, manuals, reports, the demo (cmark-gfm)
#:   demo          a simulated fabric, broken and checked
#:   install       to DESTDIR, PREFIX (BINDIR LIBDIR LIBEXECDIR INCDIR DATADIR MANDIR
#:                 DOCDIR UNITDIR UDEVDIR SYSUSERSDIR TMPFILESDIR ZSHDIR)
#:   install-sim   ibcheck-sim, which runs a command in a simulated fabric, with the same
#:   uninstall     what these two have installed, with the same
#:   dist          $(O)/ibcheck-VERSION.tar.gz, of what is committed
#:   static        $(O)/static/ibcheck-VERSION-ARCHITECTURE.tar.gz for amd64 and arm64: the program
#:                 as one file that needs no library, without serve; by Debian's cross-compilers
#:   lines         lines of code in lib, cmd and include by directory: those that have
#:                 more than comments and blanks (tests/lines)
#:   clean         removes $(O)
#:
#: Variables
#:   O=build       where everything built goes
#:   PARTS='core host'  a program of these parts alone (see the file PARTS), which needs no library of
#:                 ours: $(O)/parts/core-host/ibcheck; for all, install, uninstall
#:   CFLAGS        yours come last; CPPFLAGS and LDFLAGS are used as well
#:   WERROR=1      warnings are errors
#:   SAN=LIST      build with these sanitizers, for example address,undefined
#:   VM=1          check-all takes check-vm with it
#:   V=1           show the commands

FORCE:
.PHONY: all tests parts fuzzers sanitized libfuzzer check check-all check-whole check-unit check-golden check-sim check-lint \
	check-prometheus check-browser check-deb check-fuzz check-san check-host check-vm check-guard \
	bench bench-json pictures site demo \
	dist static lines install install-sim uninstall clean help FORCE
.DELETE_ON_ERROR:
.SECONDARY:
-include $(wildcard $(O)/lib/*/*.d $(O)/lib/*/*/*.d $(O)/cmd/*.d $(O)/cmd/*/*.d $(O)/parts/*/*/*.d $(O)/parts/*/*/*/*.d $(O)/tests/*.d $(O)/tests/*/*.d $(O)/fuzz/*.d \
	$(O)/bench/*.d)
