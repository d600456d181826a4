/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For LD_PRELOAD, in whatever runs in a simulated fabric: an ibcheck that sends anything but a
 * query dies at once, unless it was called with --clear and sets counters.  Each adds what it
 * sent to the file WITNESS, a line: queries, and what was set.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/mad.h>
#include <infiniband/umad.h>

#define GET_TABLE 0x12 /* of subnet administration (IBA 15.3.3) */

static unsigned long asked, set;

/* The name it was started by may be a link. */
static bool is_ibcheck(void)
{
	return strcmp(program_invocation_short_name, "ibcheck") == 0;
}

static bool has_argument(const char *wanted)
{
	FILE *in = fopen("/proc/self/cmdline", "r");
	char *argument = NULL;
	size_t room = 0;
	bool found = false;

	while (in && !found && getdelim(&argument, &room, '\0', in) > 0)
		found = strcmp(argument, wanted) == 0;
	free(argument);
	if (in)
		fclose(in);
	return found;
}

static void look_at(void *mad)
{
	uint32_t method = mad_get_field(mad, 0, IB_MAD_METHOD_F);
	uint32_t class = mad_get_field(mad, 0, IB_MAD_MGMTCLASS_F);

	if (method == IB_MAD_METHOD_GET || (method == GET_TABLE && class == IB_SA_CLASS)) {
		asked++;
		return;
	}
	set++;
	if (method == IB_MAD_METHOD_SET && class == IB_PERFORMANCE_CLASS && has_argument("--clear"))
		return;
	fprintf(stderr, "witness: method 0x%02x of class 0x%02x is no query\n", method, class);
	abort();
}

__attribute__((visibility("default"))) int umad_send(int fd, int agent, void *umad, int length,
                                                     int timeout_ms, int retries)
{
	int (*send)(int, int, void *, int, int, int);

	if (is_ibcheck())
		look_at(umad_get_mad(umad));
	*(void **)&send = dlsym(RTLD_NEXT, "umad_send");
	return send(fd, agent, umad, length, timeout_ms, retries);
}

__attribute__((destructor)) static void testify(void)
{
	const char *file = getenv("WITNESS");
	FILE *out = file && asked ? fopen(file, "a") : NULL;

	if (!out)
		return;
	fprintf(out, "%lu %lu\n", asked, set);
	fclose(out);
}
