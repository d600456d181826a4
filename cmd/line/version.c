/* SPDX-License-Identifier: BSD-2-Clause */
/* --version: what a bug report needs to know, and which file of a library is loaded. */
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "lacking.h"

/*
 * The symbol shows which file the library was loaded from: beside the one of the distribution there
 * can be that of a vendor's stack or of an environment.  @is_function: it is a function that
 * returns the version.  IBC_STATIC has lines instead where all are linked into one file.
 */
static const struct {
	const char *library, *symbol;
	bool is_function;
} libraries[] = {
	{ "libibcheck", "ibc_version", true },  { "libibumad", "umad_init", false },
	{ "libibmad", "mad_get_field", false }, { "jansson", "jansson_version_str", true },
	{ "inih", "ini_parse", false },         { "libmnl", "mnl_socket_open", false },
	{ "ncurses", "curses_version", true },  { "sqlite3", "sqlite3_libversion", true },
	{ "zlib", "zlibVersion", true },        { "zstd", "ZSTD_versionString", true },
};

void version_library(FILE *out, const char *name, const char *version, const void *symbol)
{
	const char *number = version ? strrchr(version, ' ') : NULL; /* "ncurses 6.4" */
	char path[PATH_MAX];
	Dl_info from;

	if (!symbol || !dladdr(symbol, &from)) {
		fprintf(out, "%-14s %-14s no shared library\n", name, "-");
		return;
	}
	fprintf(out, "%-14s %-14s %s\n", name,
	        number    ? number + 1
	        : version ? version
	                  : "-",
	        realpath(from.dli_fname, path) ? path : from.dli_fname);
}

void write_version(const void *ctx, FILE *out)
{
	(void)ctx;
	fprintf(out, "ibcheck %s\n", ibc_version());
	list_lacking(out);
	fprintf(out, "report schema %d, snapshot schema %d, library ABI %s, compiler %s\n\n",
	        IBC_REPORT_SCHEMA, IBC_SNAPSHOT_SCHEMA, IBC_SONAME, __VERSION__);
	fputs(IBC_STATIC, out);
	for (size_t i = 0; !*IBC_STATIC && i < ARRAY_SIZE(libraries); i++) {
		void *symbol = dlsym(RTLD_DEFAULT, libraries[i].symbol);
		const char *(*version)(void) = NULL;

		if (libraries[i].is_function)
			memcpy(&version, &symbol, sizeof(version));
		version_library(out, libraries[i].library, version ? version() : NULL, symbol);
	}
	for (const struct addition *const *a = all_additions; *a; a++)
		if ((*a)->library)
			(*a)->library(out);
}
