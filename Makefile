# SPDX-License-Identifier: BSD-2-Clause
# GNU make; everything built goes below $(O).  "make help" lists the targets.

VERSION := 0.1.0
SONAME  := libibcheck.so.0

O       ?= build
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
BINDIR  ?= $(PREFIX)/bin
INCDIR  ?= $(PREFIX)/include
MANDIR  ?= $(PREFIX)/share/man
DATADIR ?= $(PREFIX)/share
PKG_CONFIG ?= pkg-config

PACKAGES := libibumad libibmad jansson zlib libzstd libcsv inih
# libcsv and libibmad ship no .pc file everywhere: name the library then
pkg = $(shell $(PKG_CONFIG) $(1) $(2) 2>/dev/null)
DEP_CFLAGS := $(foreach p,libibumad libibmad jansson zlib libzstd,$(call pkg,--cflags,$(p)))
LIB_LIBS   := $(foreach p,libibumad libibmad jansson zlib libzstd,$(call pkg,--libs,$(p)))
CMD_LIBS   := $(or $(call pkg,--libs,inih),-linih)

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 -Wvla
ifeq ($(WERROR),1)
WARN += -Werror
endif
CFLAGS ?= -O2 -g
ALL_CFLAGS = -std=gnu11 $(WARN) -fPIC -fvisibility=hidden -D_GNU_SOURCE \
	-DIBC_VERSION='"$(VERSION)"' -Iinclude $(DEP_CFLAGS) -MMD -MP
ifdef SAN
ALL_CFLAGS += -fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=undefined
ALL_LDFLAGS += -fsanitize=$(SAN)
endif

LIB_SRC := $(wildcard lib/*/*.c)
CMD_SRC := $(wildcard cmd/*.c)
LIB_OBJ := $(LIB_SRC:%.c=$(O)/%.o)
CMD_OBJ := $(CMD_SRC:%.c=$(O)/%.o)

all: $(O)/ibcheck

$(O)/lib/%.o: lib/%.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -Ilib $(CFLAGS) -c -o $@ $<

$(O)/cmd/%.o: cmd/%.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -Icmd $(CFLAGS) -c -o $@ $<

# unit tests see the insides; the program does not
$(O)/libibcheck.a: $(LIB_OBJ)
	rm -f $@
	ar rcs $@ $^

$(O)/$(SONAME): $(LIB_OBJ) lib/libibcheck.map
	$(CC) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=lib/libibcheck.map -Wl,--no-undefined \
		$(ALL_LDFLAGS) $(LDFLAGS) -o $@ $(LIB_OBJ) $(LIB_LIBS)
	ln -sf $(SONAME) $(O)/libibcheck.so

$(O)/ibcheck: $(CMD_OBJ) $(O)/$(SONAME)
	$(CC) $(ALL_LDFLAGS) -Wl,-rpath,'$$ORIGIN' $(LDFLAGS) -o $@ $(CMD_OBJ) -L$(O) -libcheck $(CMD_LIBS)

# ---- tests -------------------------------------------------------------------

UNIT_SRC := $(wildcard tests/unit/test_*.c)
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$(O)/tests/%)
MODEL_OBJ := $(patsubst %.c,$(O)/%.o,$(wildcard tests/model/*.c))

$(O)/tests/model/%.o: tests/model/%.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -Ilib -Itests $(CFLAGS) -c -o $@ $<

$(O)/tests/test_%: tests/unit/test_%.c $(MODEL_OBJ) $(O)/libibcheck.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -Ilib -Itests $(CFLAGS) $(ALL_LDFLAGS) -o $@ $< $(MODEL_OBJ) $(O)/libibcheck.a \
		-lcmocka $(LIB_LIBS) -lm

check-unit: $(UNIT_BIN)
	@for t in $(UNIT_BIN); do $$t || exit 1; done

clean:
	rm -rf $(O)

.PHONY: all clean check-unit
.DELETE_ON_ERROR:
-include $(shell find $(O) -name '*.d' 2>/dev/null)
