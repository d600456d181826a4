/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * file SOURCE snapshot|state FILE: writes the fabric to FILE, loads it from there, and tells
 * as one line of JSON what each took.  Every port has counters, as in a fabric at work.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <ibcheck/fabric.h>

#include "source/source.h"

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void end(const char *what, const struct ibc_error *err)
{
	fprintf(stderr, "%s: %s\n", what, err->text);
	exit(3);
}

/* Traffic of months, few errors: numbers of all lengths. */
static void make_busy(const struct ibc_fabric *fab)
{
	struct ibc_counters *c = calloc(ibc_fabric_count(fab).ports, sizeof(*c));
	const struct ibc_port *p;

	if (!c)
		exit(3);
	for (size_t i = 0; (p = ibc_fabric_port(fab, i)); i++, c++) {
		if (!p->counters)
			continue;
		*c = *p->counters;
		for (unsigned int k = IBC_XMIT_WAIT; k < IBC_LOCAL_PHYSICAL; k++)
			c->value[k] = (uint64_t)(i + 1) * (k + 1) * 10000019;
		c->value[IBC_SYMBOL_ERROR] = i % 7;
		((struct ibc_port *)p)->counters = c;
	}
}

/* ---- a snapshot ---- */

static void save_snapshot(const struct ibc_fabric *fab, const char *path)
{
	struct ibc_error err = { "" };
	FILE *out = fopen(path, "w");

	if (!out || ibc_fabric_write(fab, "snapshot", out, &err) || fclose(out))
		end(path, &err);
}

static struct ibc_fabric *load(const char *spec, struct ibc_attrs needs)
{
	struct ibc_source_opts opts = IBC_SOURCE_OPTS_INIT;
	struct ibc_error err = { "" };
	struct ibc_fabric *fab;

	opts.needs = needs;
	if (ibc_fabric_load(&spec, 1, &opts, &fab, &err))
		end(spec, &err);
	return fab;
}

static struct ibc_fabric *load_snapshot(const char *path)
{
	return load(path, IBC_ATTRS());
}

/* ---- a state ---- */

/* As a run leaves it in a state directory: on the disk. */
static void write_last_sweep(const struct ibc_fabric *fab, const char *path)
{
	struct ibc_error err = { "" };
	FILE *out = fopen(path, "w");

	if (!out || write_state(fab, NULL, out, &err) || fflush(out) || fsync(fileno(out)) ||
	    fclose(out))
		end(path, &err);
}

/* ---- all ---- */

static const struct kind {
	const char *name;
	void (*write)(const struct ibc_fabric *fab, const char *path);
	struct ibc_fabric *(*load)(const char *path);
} kinds[] = {
	{ "snapshot", save_snapshot, load_snapshot },
	{ "state", write_last_sweep, load_snapshot },
};

static void measure(const struct kind *kind, const struct ibc_fabric *fab, const char *path)
{
	double wall[] = { seconds(CLOCK_MONOTONIC), 0, 0 };
	double cpu[] = { seconds(CLOCK_PROCESS_CPUTIME_ID), 0, 0 };
	struct ibc_fabric *again;
	struct stat file;

	kind->write(fab, path);
	wall[1] = seconds(CLOCK_MONOTONIC);
	cpu[1] = seconds(CLOCK_PROCESS_CPUTIME_ID);
	again = kind->load(path);
	wall[2] = seconds(CLOCK_MONOTONIC);
	cpu[2] = seconds(CLOCK_PROCESS_CPUTIME_ID);
	if (stat(path, &file))
		exit(3);
	printf(
	    "{\"nodes\":%zu,\"bytes\":%lld,\"write_s\":%.6f,\"write_cpu_s\":%.6f,\"load_s\":%.6f,"
	    "\"load_cpu_s\":%.6f}\n",
	    ibc_fabric_count(again).nodes, (long long)file.st_size, wall[1] - wall[0],
	    cpu[1] - cpu[0], wall[2] - wall[1], cpu[2] - cpu[1]);
	ibc_fabric_free(again);
}

int main(int argc, char **argv)
{
	struct ibc_fabric *fab;

	if (argc != 4)
		return 3;
	fab = load(argv[1], ibc_attrs_of_group(IBC_ATTRS_COUNTERS));
	make_busy(fab);
	measure(&kinds[!strcmp(argv[2], kinds[1].name)], fab, argv[3]);
	ibc_fabric_free(fab);
	return 0;
}
