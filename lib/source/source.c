/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of sources, and what makes a fabric of them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/left_out.h"
#include "fabric/build.h"
#include "source/capture.h"
#include "source/csv.h"
#include "source/plans/plan.h"
#include "source/source.h"
#include "source/sweep/keys.h"

/* ---- files -------------------------------------------------------------- */

/*
 * struct source_format - what a file can hold, recognized by the first line that no other has
 * @anywhere: there may be other lines in front, notes or messages
 */
static const struct source_format {
	const char *name;
	bool (*has_line)(const char *line);
	reader_fn *read;
	bool anywhere;
} formats[] = {
	{ "a snapshot of ibcheck", is_snapshot_line, read_snapshot, false },
	{ "ibnetdiscover text", is_netdiscover_line, read_netdiscover, true },
	{ "iblinkinfo or ibnetdiscover -p output", is_link_list_line, read_link_list, true },
	{ "ibdiagnet2.db_csv", is_dbcsv_line, read_dbcsv, true },
	{ "ibdiagnet2.lst", is_lst_line, read_lst, true },
	{ "a list of cables in CSV (with headings: node_a, port_a, node_b, port_b)",
	  is_cable_list_line, read_cable_list, true },
	{ "a .topo of ibutils or UFM", is_topo_line, read_topo, true },
};

/* struct foreign_format - a file that people have, and cannot be read: what to give instead */
static const struct foreign_format {
	const char *name, *begin, *inside, *instead;
} foreign_formats[] = {
	{ "an ibdiagnet2 .net_dump file", "#", ": IB#",
	  "ibdiagnet2.db_csv or ibdiagnet2.ibnetdiscover of the same directory" },
};

/*
 * "%s is neither A, B nor C", what is recognized by bytes first; of what looks like a sheet, with
 * the headings that it has.
 */
static int fail_format(const char *name, const char *first, struct ibc_error *err)
{
	const char *separator = strchr(first, csv_separator(first));
	char all[IBC_ERROR_MAX / 2] = "";
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(formats) && n < sizeof(all); i++)
		n += (size_t)snprintf(all + n, sizeof(all) - n, "%s%s",
		                      i == 0                         ? ""
		                      : i + 1 == ARRAY_SIZE(formats) ? " nor "
		                                                     : ", ",
		                      formats[i].name);
	if (separator && strchr(separator + 1, *separator))
		return fail(err, -EINVAL,
		            "%s is no list of cables: needed are the headings node_a, port_a, "
		            "node_b and port_b, and its first line is \"%.150s\"",
		            name, first);
	return fail(err, -EINVAL, "%s is neither a trace of ibcheck --record, %s", name, all);
}

/*
 * Before the first line of a format there may be notes, and messages of the program that wrote it:
 * some about every one of the 49,151 LIDs that a subnet has at most.  What has none by then is
 * something else, and may be packed to a thousandth.
 */
#define LINES_BEFORE 200000
#define BYTES_BEFORE (32 << 20) /* lines of 160 bytes */

/* Lines of no format are passed over until one is of a format. */
static int find_format(struct text_file *f, const struct source_format **out, struct ibc_error *err)
{
	const char *why = "is empty";
	char first[256] = "";
	bool foreign = false;
	size_t length, bytes = 0;
	char *line;
	int rc;

	*out = NULL;
	while (!*out && (rc = text_line(f, &line, &length, err)) > 0) {
		bytes += length;
		if (text_line_number(f) > LINES_BEFORE || bytes > BYTES_BEFORE) {
			foreign = true;
			break;
		}
		line += strspn(line, " \t");
		for (size_t i = 0; i < ARRAY_SIZE(foreign_formats); i++) {
			const struct foreign_format *format = &foreign_formats[i];

			if (strncmp(line, format->begin, strlen(format->begin)) == 0 &&
			    strstr(line, format->inside))
				return fail(err, -EINVAL, "%s is %s, which cannot be read: give %s",
				            text_name(f), format->name, format->instead);
		}
		if (*line == '#')
			why = "contains only comments";
		if (csv_is_comment(line) || *line == '\0')
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(formats) && !*out; i++)
			if ((!foreign || formats[i].anywhere) && formats[i].has_line(line))
				*out = &formats[i];
		if (!foreign)
			snprintf(first, sizeof(first), "%s", line);
		foreign = true;
	}
	if (*out)
		return text_rewind(f, err);
	if (rc < 0)
		return rc;
	if (strchr(first, TEXT_NUL))
		return fail(err, -EINVAL, "%s:1: contains a NUL byte: this is not a text file",
		            text_name(f));
	if (!foreign && text_was_overlong(f))
		why = "has a line that is too long to be one, and none of a known format";
	return foreign ? fail_format(text_name(f), first, err)
	               : fail(err, -EINVAL, "%s %s", text_name(f), why);
}

int source_state(int fd, const char *name, struct ibc_fabric **out, struct ibc_error *err)
{
	const struct source_format *format;
	struct fabric_build *b = NULL;
	struct text_file *f;
	int rc = text_take(fd, name, &f, err);

	if (rc)
		return rc;
	rc = fabric_build_new(&b, err);
	if (!rc)
		rc = find_format(f, &format, err);
	if (!rc && format->read != read_snapshot)
		rc = fail(err, -EINVAL, "%s is no snapshot of ibcheck", name);
	if (!rc)
		rc = read_snapshot(f, name, b, err);
	text_close(f);
	if (!rc)
		return fabric_build_finish(b, out, err);
	if (b)
		fabric_build_free(b);
	return rc;
}

/* What else a file can hold, @of: names, or what replaces the only subnet's own; NULL: none. */
static int add_file(const char *path, struct ibc_attrs of,
                    int (*read)(struct text_file *f, struct fabric_build *b, struct ibc_error *err),
                    const struct ibc_source_opts *opts, struct fabric_build *b,
                    struct ibc_error *err)
{
	struct text_file *f;
	int rc = path ? text_open(path, &f, err) : 0;

	if (rc || !path)
		return rc;
	text_complain_to(f, opts->complain, opts->complain_ctx);
	text_read_on(f);
	rc = read(f, b, err);
	rc = text_end_read(f, rc, b, 0, of, err);
	text_close(f);
	return rc;
}

/* ---- the table of sources ----------------------------------------------- */

static const struct source {
	const char *kind; /* the specification is this word, or begins with it and a colon */
	int (*add)(const char *spec, const struct ibc_source_opts *opts, struct fabric_build *b,
	           struct ibc_error *err);
} sources[] = {
	{ "umad", source_umad },
	{ "synth", source_synth },
};

static bool is_of_kind(const char *spec, const char *kind)
{
	size_t n = strlen(kind);

	return strncmp(spec, kind, n) == 0 && (spec[n] == '\0' || spec[n] == ':');
}

static int add_source(const char *spec, const struct ibc_source_opts *opts, struct fabric_build *b,
                      struct ibc_error *err)
{
	const struct byte_source *const *bytes = byte_sources;
	const struct source_format *format;
	struct text_file *f;
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		if (is_of_kind(spec, sources[i].kind))
			return sources[i].add(spec, opts, b, err);
	rc = text_open(spec, &f, err);
	if (rc)
		return rc;
	text_complain_to(f, opts->complain, opts->complain_ctx);
	while (*bytes && !text_begins(f, (*bytes)->begins))
		bytes++;
	if (*bytes)
		rc = (*bytes)->read(f, spec, opts, b, err);
	else if (text_begins(f, is_capture))
		rc = fail(err, -EINVAL, "%s is a capture: reading it" OF_PART_LEFT_OUT, spec,
		          left_out_part("source_trace", strlen("source_trace")));
	else if ((rc = find_format(f, &format, err)) == 0)
		rc = text_read(f, format->read, spec, b, err);
	text_close(f);
	return rc;
}

static int load_sources(const char *const *specs, size_t n, const struct ibc_source_opts *opts,
                        struct ibc_fabric **out, struct ibc_error *err)
{
	const struct fabric_build *before;
	struct fabric_build *b;
	int rc = fabric_build_new(&b, err);

	if (rc)
		return rc;
	if (opts->no_counters)
		fabric_build_no_counters(b);
	/* names first: the map of today wins over those a snapshot was taken with */
	rc = add_file(opts->node_name_map, IBC_ATTRS(IBC_ATTR_NODE_DESC), read_node_names, opts, b,
	              err);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = add_source(specs[i], opts, b, err);
	before = b;
	if (rc == 0 && opts->join_plans)
		rc = plans_join(&b, err);
	/* a plan that is made of several files knows no names of the map */
	if (rc == 0 && b != before)
		rc = add_file(opts->node_name_map, IBC_ATTRS(IBC_ATTR_NODE_DESC), read_node_names,
		              opts, b, err);
	if (rc == 0)
		rc = add_file(opts->tables,
		              IBC_ATTRS(IBC_ATTR_LFT, IBC_ATTR_PRIVATE_LFT, IBC_ATTR_AR_GROUPS,
		                        IBC_ATTR_AR_LFT),
		              read_tables, opts, b, err);
	if (rc == 0)
		rc = add_file(opts->paths, IBC_ATTRS(IBC_ATTR_PATH_RECORD), read_paths, opts, b,
		              err);
	for (size_t i = 0; rc == 0 && i < opts->num_phy; i++)
		rc = add_file(opts->phy[i], ibc_attrs_of_group(IBC_ATTRS_PHYSICAL), read_phy_file,
		              opts, b, err);
	if (rc) {
		fabric_build_free(b);
		return rc;
	}
	return fabric_build_finish(b, out, err);
}

/* Until another sweep is not wanted any more. */
static int load(const char *const *specs, size_t n, const struct ibc_source_opts *opts,
                unsigned int clear, struct source_again again, struct ibc_fabric **out,
                struct ibc_error *err)
{
	struct ibc_source_opts how = opts ? *opts : IBC_SOURCE_OPTS_INIT;
	bool is_live = false;
	struct arena *arena;
	int rc = 0;

	how.again = &again;
	how.clear = clear;
	if (clear)
		ibc_attrs_add(&how.needs, IBC_ATTR_PORT_COUNTERS);
	if (how.tables)
		how.needs = ibc_attrs_minus(how.needs, IBC_ATTRS(IBC_ATTR_LFT));
	if (how.paths)
		how.needs = ibc_attrs_minus(how.needs, IBC_ATTRS(IBC_ATTR_PATH_RECORD));
	if (how.record)
		recording_run(how.record);
	if (n == 0)
		return fail(err, -EINVAL, "no source of the fabric is given");
	arena = arena_new();
	if (!arena)
		return fail_nomem(err);
	/* keys are of live fabrics: traces hold none, and answer without */
	for (size_t i = 0; i < n; i++)
		is_live |= is_of_kind(specs[i], "umad");
	if (is_live)
		rc = keys_read(&how, arena, &how.keys, err);
	if (rc == 0)
		do {
			again.wanted = false;
			rc = load_sources(specs, n, &how, out, err);
		} while (rc == -EAGAIN && again.wanted && ++again.pass);
	arena_free(arena);
	return rc;
}

int ibc_fabric_load(const char *const *specs, size_t n, const struct ibc_source_opts *opts,
                    struct ibc_fabric **out, struct ibc_error *err)
{
	return load(specs, n, opts, 0, (struct source_again){ 0 }, out, err);
}

int ibc_fabric_load_down(const char *const *specs, size_t n, const struct ibc_source_opts *opts,
                         const struct ibc_down *down, struct ibc_fabric **out,
                         struct ibc_error *err)
{
	return load(specs, n, opts, 0, (struct source_again){ .down = *down }, out, err);
}

static int clear_live(const char *const *specs, size_t n, const struct ibc_source_opts *opts,
                      unsigned int what, const struct ibc_place *only, size_t num_only,
                      struct ibc_fabric **out, struct ibc_error *err)
{
	for (size_t i = 0; i < n; i++)
		if (!is_of_kind(specs[i], "umad"))
			return fail(err, -EINVAL, "counters cannot be cleared in %s", specs[i]);
	return load(specs, n, opts, what,
	            (struct source_again){ .clear_only = only, .num_clear_only = num_only }, out,
	            err);
}

int ibc_counters_clear(const char *const *specs, size_t n, const struct ibc_source_opts *opts,
                       unsigned int what, struct ibc_fabric **out, struct ibc_error *err)
{
	return clear_live(specs, n, opts, what, NULL, 0, out, err);
}

int ibc_counters_clear_ports(const char *const *specs, size_t n, const struct ibc_source_opts *opts,
                             unsigned int what, const struct ibc_place *ports, size_t num_ports,
                             struct ibc_fabric **out, struct ibc_error *err)
{
	return clear_live(specs, n, opts, num_ports ? what : 0, ports, num_ports, out, err);
}
