/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What other tools say of a fabric: the sections WARNINGS_* and ERRORS_* of ibdiagnet2.db_csv and
 * the lines -W- and -E- of its log (headings as of version 2.10; names of checks and events also
 * in NVIDIA's ibdiag_fabric_errs.h), opensm-unhealthy-ports.dump, UFM's table of ports in CSV, and
 * the output of ibqueryerrors and iblinkinfo (infiniband-diags of rdma-core).  A line that is not
 * understood is kept as such, and all others are read.
 */
#include <ibcheck/opinions.h>

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/str.h"
#include "base/utf8.h"
#include "source/ibdiagnet/dbcsv.h"
#include "source/source.h"

#define OPINIONS_MAX (1 << 22) /* 40 for each port of the largest subnets */
#define WORDS_MAX    400       /* bytes of a sentence: those of ibdiagnet have 200 at most */
#define HEADINGS     6         /* columns that are looked for in a table */

struct opinion_format;

/*
 * struct opinion_reader - @public comes first
 * @severity, @section: of the lines that follow; of a db_csv IBC_OK where no opinion is expected
 * @cell: 1 + the number of each heading in the table at hand, 0: it is not there; @num_cells: 0:
 *	  the heading comes
 * @block: whose ports come, in text of infiniband-diags; in an older log whose counters come
 * @heading: of a log: what the lines below say in detail, or NULL; on @heading_line
 */
struct opinion_reader {
	struct ibc_opinions public;
	struct arena *arena;
	struct ibc_opinion *all;
	size_t room;
	struct text_file *text;
	const char *name;
	const struct opinion_format *format;
	uint64_t time;
	enum ibc_severity severity;
	char section[128];
	size_t cell[HEADINGS], num_cells;
	struct ibc_end block;
	const char *heading;
	unsigned long heading_line;
	enum ibc_severity heading_severity;
};

/*
 * struct opinion_format - @has: as of str_any(), what no line of another format has
 * @take: false: the line is not understood
 */
struct opinion_format {
	enum ibc_tool tool;
	bool inside;
	const char *has;
	bool (*take)(struct opinion_reader *r, char *line);
};

static bool begins(const char *line, const char *words)
{
	return str_any(line, words, false);
}

/* ---- statements --------------------------------------------------------------------- */

static const char *clean(const struct opinion_reader *r, const char *text)
{
	return utf8_clean(r->arena, text, strnlen(text, WORDS_MAX));
}

/* Its place is that of @near. */
static struct ibc_opinion *add_opinion(struct opinion_reader *r, enum ibc_severity severity,
                                       const char *check, const char *words, struct ibc_end near)
{
	enum ibc_subject_kind kind = near.has_port || near.port_label ? IBC_SUBJECT_PORT
	                             : near.has_guid || near.desc     ? IBC_SUBJECT_NODE
	                                                              : IBC_SUBJECT_FABRIC;

	arena_grow(r->arena, &r->all, r->public.num, &r->room, sizeof(*r->all));
	r->all[r->public.num] = (struct ibc_opinion){
		.tool = r->format->tool,
		.file = r->name,
		.line = text_line_number(r->text),
		.severity = severity,
		.check = clean(r, check),
		.event = "",
		.words = clean(r, words),
		.time = r->time,
		.place = { .kind = kind, .near = near },
	};
	r->heading = NULL;
	return &r->all[r->public.num++];
}

static void set_port(struct ibc_end *end, uint64_t num)
{
	end->port = (unsigned int)num;
	end->has_port = true;
}

/* "12", "HCA-1/1"; what else a port is called is its label. */
static void set_port_text(const struct opinion_reader *r, struct ibc_end *end, const char *text)
{
	const char *last = strrchr(text, '/');
	uint64_t num;

	if (str_u64(last && isalpha((unsigned char)*text) ? last + 1 : text, 0, 255, &num) == 0)
		set_port(end, num);
	else
		end->port_label = clean(r, text);
}

/* ---- tables ---------------------------------------------------------------------------- */

/* The columns of these headings, squeezed; are the first and the last there? */
static bool find_headings(struct opinion_reader *r, const char *const headings[HEADINGS],
                          char *const *cells, size_t n)
{
	char heading[32];

	memset(r->cell, 0, sizeof(r->cell));
	for (size_t i = 0; i < HEADINGS; i++)
		for (size_t k = 0; k < n && headings[i] && !r->cell[i]; k++)
			if (!strcmp(str_squeeze(heading, sizeof(heading), cells[k]), headings[i]))
				r->cell[i] = k + 1;
	r->num_cells = n;
	return r->cell[0] && r->cell[HEADINGS - 1];
}

static const char *cell_text(const struct opinion_reader *r, char *const *cells, size_t heading)
{
	return r->cell[heading] ? cells[r->cell[heading] - 1] : "";
}

/* ---- ibdiagnet2.db_csv -------------------------------------------------------------------- */

enum { DB_SUMMARY, DB_SCOPE, DB_PORT_GUID, DB_PORT_NUMBER, DB_EVENT, DB_NODE_GUID };
static const char *const db_headings[HEADINGS] = {
	[DB_SUMMARY] = "summary",        [DB_SCOPE] = "scope",     [DB_PORT_GUID] = "portguid",
	[DB_PORT_NUMBER] = "portnumber", [DB_EVENT] = "eventname", [DB_NODE_GUID] = "nodeguid",
};

static bool take_db_row(struct opinion_reader *r, char *line)
{
	struct ibc_end end = { 0 };
	char *cells[DB_CELLS_MAX];
	size_t n = db_cells(line, cells);
	uint64_t num = 0;
	bool of_port;

	if (!r->num_cells)
		return find_headings(r, db_headings, cells, n);
	if (n != r->num_cells || str_guid(cell_text(r, cells, DB_NODE_GUID), &end.guid))
		return false;
	end.has_guid = end.guid;
	of_port = strstr(cell_text(r, cells, DB_SCOPE), "PORT");
	/* 0 is a port of a switch only where the row is about a port */
	if (str_u64(cell_text(r, cells, DB_PORT_NUMBER), 0, 255, &num) == 0 && (num || of_port))
		set_port(&end, num);
	else if (of_port)
		return false;
	add_opinion(r, r->severity, r->section, cell_text(r, cells, DB_SUMMARY), end)->event =
	    clean(r, cell_text(r, cells, DB_EVENT));
	return true;
}

/* The name of a section, behind what it is a list of; NULL: it is no such list. */
static const char *name_behind(const char *line, const char *prefix)
{
	return strncasecmp(line, prefix, strlen(prefix)) ? NULL : line + strlen(prefix);
}

static bool take_db(struct opinion_reader *r, char *line)
{
	const char *warnings = name_behind(line, "START_WARNINGS_");
	const char *errors = name_behind(line, "START_ERRORS_");

	if (is_dbcsv_line(line)) {
		r->severity = warnings ? IBC_WARNING : errors ? IBC_CRITICAL : IBC_OK;
		r->num_cells = 0;
		snprintf(r->section, sizeof(r->section), "%s", warnings ?: errors ?: line);
		if (!r->public.fabric && !strcasecmp(line, "START_NODES"))
			r->public.fabric = arena_strdup(r->arena, text_name(r->text));
		/* a list of faults by a name that is not known */
		return warnings || errors ||
		       (!strcasestr(line, "ERROR") && !strcasestr(line, "WARNING"));
	}
	if (name_behind(line, "END_")) {
		*r->section = '\0';
		return true;
	}
	if (!strcasecmp(r->section, "START_" DB_RUN))
		r->time = db_time(line) ?: r->time;
	return *line == '#' || (*r->section && (!r->severity || take_db_row(r, line)));
}

/* ---- ibdiagnet2.log ------------------------------------------------------------------------ */

/* "S<system GUID>/N<node GUID>/P1/13/1", "spine01/U1/P13", "host01/mlx5_0", "leaf01/U1/N/A" */
static struct ibc_end log_end(const struct opinion_reader *r, char *text)
{
	char *port = NULL, *none = strstr(text, "/N/A");
	struct ibc_end end = { 0 };
	unsigned long long guid;
	int all = 0;

	for (char *p = strstr(text, "/P"); p && !port; p = strstr(p + 1, "/P"))
		port = isdigit((unsigned char)p[2]) ? p : NULL;
	if (none)
		*none = '\0';
	if (port) {
		*port = '\0';
		set_port_text(r, &end, port + 2);
	}
	end.has_guid = sscanf(text, "S%*16x/N%16llx", &guid) == 1;
	if (end.has_guid)
		end.guid = guid;
	else if (sscanf(text, "S%16llx/U%*u%n", &guid, &all) == 1 && !text[all])
		end.desc = arena_printf(r->arena, "0x%016llx", guid); /* of its system */
	else
		end.desc = clean(r, text);
	return end;
}

/* A heading that no detail follows is all that is said. */
static void end_heading(struct opinion_reader *r)
{
	unsigned long line = r->heading_line;

	if (r->heading)
		add_opinion(r, r->heading_severity, r->section, r->heading, r->block)->line = line;
}

static void begin_heading(struct opinion_reader *r, const char *text)
{
	r->heading = clean(r, text);
	r->heading_line = text_line_number(r->text);
	r->heading_severity = r->severity;
}

/* "leaf01/U1/P3 - slow", "Link: leaf01/U1/P3<-->host01/U1/P1 - slow", or a sentence alone */
static void take_sentence(struct opinion_reader *r, char *text)
{
	char *words = strstr(text, " - "), *far, *port;
	struct ibc_end near = { 0 };
	struct ibc_opinion *o;

	if (!words) {
		add_opinion(r, r->severity, r->section, text, near);
		return;
	}
	*words = '\0';
	if (begins(text, "Link: "))
		text += 6;
	far = strstr(text, "<-->");
	if (far)
		*far = '\0';
	near = log_end(r, text);
	/* "leaf01/U1/N/A - In Node leaf01/U1 Port 65 hierarchy info is missing" */
	port = near.has_port || near.port_label ? NULL : strstr(words + 3, " Port ");
	if (port && sscanf(port, " Port %u", &near.port) == 1)
		near.has_port = true;
	o = add_opinion(r, r->severity, r->section, words + 3, near);
	if (far) {
		o->place.kind = IBC_SUBJECT_CABLE;
		o->place.far = log_end(r, far + 4);
	}
}

/* Behind "-E- " or "-W- ". */
static void take_statement(struct opinion_reader *r, char *text)
{
	char *end = strstr(text, " finished with "), *last = strrchr(text, ' ');

	if (begins(text, "lid=0x") && last) {
		begin_heading(r, text);
		r->block = log_end(r, last + 1);
	} else if (end) {
		end_heading(r);
		snprintf(r->section, sizeof(r->section), "%.*s", (int)(end - text), text);
		if (r->severity == IBC_CRITICAL)
			begin_heading(r, text);
	} else if (last && !strcmp(last, " skipped") && !strstr(text, " - ")) {
		return; /* what was not done */
	} else if (r->severity == IBC_CRITICAL || !begins(text, "Note: ")) {
		take_sentence(r, text);
	}
}

static bool take_log(struct opinion_reader *r, char *line)
{
	char counter[64], value[64];

	r->time = db_time(line) ?: r->time;
	r->public.cut |= strstr(line, "All other ") && strstr(line, "can be found in");
	/* "-E- lid=0x0008 dev=51000 S.../N.../P27", below it "port_xmit_discard : 65535 (overflow)"
	 */
	if (r->block.has_port && sscanf(line, "%63[a-z0-9_] : %63[^\n]", counter, value) == 2 &&
	    isdigit((unsigned char)*value))
		add_opinion(r, r->severity, counter, value, r->block);
	if (*line != '-')
		return !str_any(line, "-E- |-W- ", true);
	if (r->block.has_guid || r->block.desc)
		end_heading(r);
	r->block = (struct ibc_end){ 0 };
	if (begins(line, "-I- |---")) {
		end_heading(r);
		*r->section = '\0'; /* another check begins */
	}
	if (begins(line, "-E- |-W- ")) {
		r->severity = line[1] == 'E' ? IBC_CRITICAL : IBC_WARNING;
		take_statement(r, line + 4);
		return true;
	}
	return begins(line, "-I-|--");
}

/* ---- opensm-unhealthy-ports.dump ----------------------------------------------------------- */

/* A GUID, a port and a name; false: the first two are not there. */
static bool dump_end(const struct opinion_reader *r, char *const *cells, size_t n,
                     struct ibc_end *end)
{
	uint64_t num;

	if (n < 2 || str_guid(cells[0], &end->guid) || str_u64(cells[1], 0, 255, &num))
		return false;
	end->has_guid = true;
	set_port(end, num);
	end->desc = n > 2 && *cells[2] ? clean(r, cells[2]) : NULL;
	return end->guid;
}

/*
 * Written by OpenSM as a heading "# NodeGUID, PortNum, NodeDesc, PeerNodeGUID, PeerPortNum,
 * PeerNodeDesc, {Conditions}, TimeStamp" and such rows (seen in facebookresearch/gcm).  The
 * conditions are osm_hm_cond_type of osm_subnet.h; more of them may have commas between.
 */
static bool take_unhealthy(struct opinion_reader *r, char *line)
{
	char *open = strchr(line, '{'), *close = open ? strchr(open, '}') : NULL;
	char *cells[DB_CELLS_MAX];
	struct ibc_end near = { 0 }, far = { 0 };
	struct ibc_opinion *o;
	size_t n;

	if (*line == '#' || !close)
		return *line == '#';
	*close++ = '\0';
	*open++ = '\0';
	n = db_cells(line, cells);
	if (!dump_end(r, cells, n, &near))
		return false;
	/* the operator's own decision is no fault that was found */
	o = add_opinion(r, strcmp(open, "MANUAL") ? IBC_CRITICAL : IBC_WARNING, open,
	                close + strspn(close, ", "), near);
	if (n > 3 && dump_end(r, cells + 3, n - 3, &far))
		o->place.far = far;
	return true;
}

/* ---- UFM's table of ports -------------------------------------------------------------------- */

enum { UFM_SYSTEM, UFM_PORT, UFM_PEER_PORT, UFM_SEVERITY, UFM_PEER = HEADINGS - 1 };
static const char *const ufm_headings[HEADINGS] = {
	[UFM_SYSTEM] = "system",     [UFM_PORT] = "port",     [UFM_PEER_PORT] = "peerport",
	[UFM_SEVERITY] = "severity", [UFM_PEER] = "peernode",
};

static bool take_ufm(struct opinion_reader *r, char *line)
{
	char *cells[DB_CELLS_MAX];
	size_t n = db_cells(line, cells);
	struct ibc_end near = { 0 }, far = { 0 };
	const char *severity;
	struct ibc_opinion *o;

	if (!r->num_cells)
		return find_headings(r, ufm_headings, cells, n);
	if (n != r->num_cells || db_is_none(cell_text(r, cells, UFM_SYSTEM)))
		return false;
	near.desc = clean(r, cell_text(r, cells, UFM_SYSTEM));
	set_port_text(r, &near, cell_text(r, cells, UFM_PORT));
	severity = cell_text(r, cells, UFM_SEVERITY);
	if (!strcasecmp(severity, "Critical"))
		add_opinion(r, IBC_CRITICAL, "Severity", severity, near);
	if (db_is_none(cell_text(r, cells, UFM_PEER)))
		return true;
	far.desc = clean(r, cell_text(r, cells, UFM_PEER));
	set_port_text(r, &far, cell_text(r, cells, UFM_PEER_PORT));
	o = add_opinion(r, IBC_INFO, "Ports", "is cabled", near);
	o->place.kind = IBC_SUBJECT_CABLE;
	o->place.far = far;
	return true;
}

/* ---- infiniband-diags --------------------------------------------------------------------------
 */

/* "   GUID 0x2c9 port 12: [SymbolErrorCounter == 4] [PortXmitWait == 7 (7.000)]" */
static bool take_queryerrors(struct opinion_reader *r, char *line)
{
	char *name = strchr(line, '"'), *end = name ? strrchr(name, '"') : NULL;
	unsigned long long guid;
	struct ibc_end port = { 0 };
	char counter[64], value[64];
	int at = 0;

	if (begins(line, "Errors for ") && end > name) {
		*end = '\0';
		r->block.desc = clean(r, name + 1);
		return true;
	}
	if (begins(line, "#|Data Counters for |Link info"))
		return true;
	if (sscanf(line, "GUID 0x%llx port %u:%n", &guid, &port.port, &at) != 2 || !at)
		return strstr(line, "port ALL:"); /* the sum of those that follow */
	port.guid = guid;
	port.has_guid = port.has_port = true;
	port.desc = r->block.desc;
	for (line = strchr(line + at, '['); line; line = strchr(line + 1, '[')) {
		if (sscanf(line, "[%63[A-Za-z0-9] == %63[^]]]", counter, value) != 2)
			return false;
		add_opinion(r, IBC_WARNING, counter, value, port);
	}
	return true;
}

#define LINKINFO "CA: |Switch: 0x|Router: "

/* "4  1[  ] ==( 4X 10.0 Gbps Active/  LinkUp)==>  2  1[  ] "host" ( Could be 14.0625 Gbps)" */
static bool take_linkinfo(struct opinion_reader *r, char *line)
{
	char *state = strstr(line, "==("), *peer = state ? strstr(state, ")==>") : NULL, *flag,
	     *end;
	struct ibc_end port = r->block;
	unsigned long long guid = 0;

	if (begins(line, LINKINFO)) {
		r->block = (struct ibc_end){ 0 };
		r->block.has_guid = sscanf(line, "Switch: 0x%llx", &guid) == 1;
		r->block.guid = guid;
		return true;
	}
	if (!peer || (sscanf(line, "0x%llx %*u %u[", &guid, &port.port) != 2 &&
	              sscanf(line, "%*u %u[", &port.port) != 1))
		return false;
	if (guid)
		port.guid = guid;
	port.has_guid = port.guid;
	port.has_port = true;
	*peer = '\0';
	state += 3;
	state += strspn(state, " ");
	if (strstr(state, "Down"))
		add_opinion(r, IBC_INFO, "Down", state, port);
	for (flag = strstr(peer + 1, "Could be "); flag; flag = end) {
		end = strstr(flag + 1, "Could be ");
		flag[end ? (size_t)(end - flag) - 1 : strcspn(flag, ")")] = '\0';
		add_opinion(r, IBC_WARNING, strchr(flag, 'X') ? "Width" : "Speed", flag, port);
	}
	return true;
}

/* ---- files --------------------------------------------------------------------------------------
 */

static const struct opinion_format formats[] = {
	{ IBC_TOOL_IBDIAGNET, false, "START_|start_", take_db },
	{ IBC_TOOL_IBDIAGNET, false, "Running version|Running command|-I- |-W- |-E- ", take_log },
	{ IBC_TOOL_UFM, true, "Peer Node", take_ufm },
	{ IBC_TOOL_IBQUERYERRORS, false, "Errors for |## Summary: ", take_queryerrors },
	{ IBC_TOOL_IBLINKINFO, false, LINKINFO, take_linkinfo },
	{ IBC_TOOL_OPENSM, false, "# NodeGUID", take_unhealthy },
};

static void add_strange(struct opinion_reader *r, const char *text)
{
	if (r->public.num_strange < IBC_STRANGE_SHOWN)
		r->public.strange[r->public.num_strange] = (struct ibc_strange_line){
			r->name, clean(r, text), text_line_number(r->text)
		};
	r->public.num_strange++;
}

static int take_line(void *ctx, char *line, struct ibc_error *err)
{
	struct opinion_reader *r = ctx;
	char text[WORDS_MAX]; /* before it is cut to pieces */

	if (r->public.num >= OPINIONS_MAX)
		return text_fail(r->text, err, "more than %d statements", OPINIONS_MAX);
	snprintf(text, sizeof(text), "%s", line);
	for (size_t i = 0; !r->format && i < ARRAY_SIZE(formats); i++)
		r->format = str_any(line, formats[i].has, formats[i].inside) ? &formats[i] : NULL;
	if (!r->format && *line == '#')
		r->time = db_time(line) ?: r->time;
	else if (!r->format || !r->format->take(r, line))
		add_strange(r, text);
	return 0;
}

static int take_file(struct opinion_reader *r, struct ibc_error *err)
{
	int rc;

	r->format = NULL;
	r->name = clean(r, text_name(r->text));
	r->time = 0;
	r->severity = IBC_OK;
	*r->section = '\0';
	r->num_cells = 0;
	r->block = (struct ibc_end){ 0 };
	r->heading = NULL;
	rc = text_each_entry(r->text, take_line, r, err);
	if (rc)
		return rc;
	end_heading(r);
	if (r->format && r->format->take == take_db && *r->section)
		add_strange(r, "(the file ends in a section)");
	/* where no port is unhealthy OpenSM leaves an empty file; another may have been cut */
	if (!r->format && !text_line_number(r->text)) {
		if (!strcasestr(r->name, "unhealthy")) {
			add_strange(r, "(the file is empty)");
			return 0;
		}
		r->format = &formats[ARRAY_SIZE(formats) - 1];
	}
	if (!r->format)
		return fail(err, -EINVAL,
		            "%s is of no tool that is known: needed is ibdiagnet2.db_csv, "
		            "ibdiagnet2.log, opensm-unhealthy-ports.dump, UFM's table of ports in "
		            "CSV, or the output of ibqueryerrors or iblinkinfo",
		            r->name);
	r->public.tools |= 1U << r->format->tool;
	if (r->time && (!r->public.first || r->time < r->public.first))
		r->public.first = r->time;
	if (r->time > r->public.last)
		r->public.last = r->time;
	return 0;
}

/* @n paths, or @open, which stays the caller's. */
static int read_files(const char *const *paths, size_t n, struct text_file *open,
                      struct ibc_opinions **out, struct ibc_error *err)
{
	struct arena *arena = arena_new();
	struct opinion_reader *r = arena ? arena_alloc(arena, sizeof(*r)) : NULL;
	int rc = 0;

	*out = NULL;
	if (!r || setjmp(*arena_entry(arena))) {
		if (r && r->text != open)
			text_close(r->text);
		arena_free(arena);
		return fail_nomem(err);
	}
	r->arena = arena;
	for (size_t i = 0; !rc && i < (open ? 1 : n); i++) {
		r->text = open;
		if (!open)
			rc = text_open(paths[i], &r->text, err);
		if (!rc)
			rc = take_file(r, err);
		if (!open)
			text_close(r->text);
		r->text = NULL;
	}
	if (rc) {
		arena_free(arena);
		return rc;
	}
	arena_escape(arena, NULL);
	r->public.cut &= !r->public.fabric; /* which has them all */
	r->public.all = r->all;
	*out = &r->public;
	return 0;
}

int read_opinions(struct text_file *f, struct ibc_opinions **out, struct ibc_error *err)
{
	return read_files(NULL, 0, f, out, err);
}

int ibc_opinions_read(const char *const *paths, size_t n, struct ibc_opinions **out,
                      struct ibc_error *err)
{
	return read_files(paths, n, NULL, out, err);
}

void ibc_opinions_free(struct ibc_opinions *opinions)
{
	if (opinions)
		arena_free(((struct opinion_reader *)opinions)->arena);
}
