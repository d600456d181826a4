/* SPDX-License-Identifier: BSD-2-Clause */
#include "httpd.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "cmd.h"

#define LIBRARY "libmicrohttpd.so.12" /* its ABI of Debian 12 and 13 */

struct httpd mhd;

#define HTTPD_NAME(name) { "MHD_" #name, offsetof(struct httpd, name) },
static const struct {
	const char *name;
	size_t at;
} functions[] = { HTTPD_FUNCTIONS(HTTPD_NAME) };

int httpd_load(struct ibc_error *err)
{
	void *library, *function;

	if (*IBC_STATIC)
		return cmd_fail(
		    err, -ENOENT,
		    "serve needs libmicrohttpd, and this ibcheck is linked statically, "
		    "without it: install ibcheck from packages, or build it on this host");
	function = library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; function && i < ARRAY_SIZE(functions); i++) {
		function = dlsym(library, functions[i].name);
		memcpy((char *)&mhd + functions[i].at, &function, sizeof(function));
	}
	return function ? 0
	                : cmd_fail(err, -ENOENT,
	                           "serve needs libmicrohttpd: install the package libmicrohttpd12 "
	                           "(Debian, Ubuntu) or libmicrohttpd (%s)",
	                           dlerror());
}
