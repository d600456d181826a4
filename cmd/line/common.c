/* SPDX-License-Identifier: BSD-2-Clause */
/* The options every command takes. */
#include <string.h>

#include "cmd.h"

#define TIMEOUT_MAX_MS        60000          /* a minute; the engine counts ms in 16 bits */
#define DEADLINE_MAX_SECONDS  86400          /* a day */
#define REOPEN_MAX_SECONDS    (30 * 86400)   /* a month: what lies further apart is another fault */
#define HOOK_MAX_SECONDS      3600           /* an hour: the next runs wait for it */
#define SETTLE_MAX            86400          /* seconds, a day, or runs, one each second */
#define RETENTION_MAX_SECONDS (3650 * 86400) /* ten years */

const struct opt common_opts[] = {
	OPT_LIST(0, "source", "SPEC", struct common, sources,
	         "where the fabric comes from: umad (default), umad:CA[:PORT], umad:all, a file "
	         "(snapshot, ibnetdiscover text, ibdiagnet2.db_csv, list of cables, trace), or "
	         "synth:...; repeat it for several subnets",
	         .hint = HINT_SOURCE, .section = SECTION_COMMON, .scope = TAKES_SWEEP),
	OPT_LIST(0, "phy", "FILE", struct common, phy,
	         "the physical layer as ibdiagnet saw it: ibdiagnet2.cables, ibdiagnet2.db_csv or "
	         "ibdiagnet2.net_dump_ext; repeat it for several",
	         .hint = HINT_FILE, .section = SECTION_ALL, .scope = TAKES_SWEEP),
	OPT_STR('C', "Ca", "CA", struct common, ca, "sweep from this local device", .hint = HINT_CA,
	        .section = SECTION_COMMON, .scope = TAKES_SWEEP),
	OPT_UINT('P', "Port", "PORT", struct common, port, 1, 255, "sweep from this port of it",
	         .section = SECTION_COMMON, .scope = TAKES_SWEEP),
	OPT_UINT('t', "timeout", "MS", struct common, timeout_ms, 1, TIMEOUT_MAX_MS,
	         "how long to wait for the last retry of a query, in milliseconds (default 1000)",
	         .section = SECTION_COMMON, .scope = TAKES_SWEEP),
	OPT_HEX('y', "m_key", "KEY", struct common, m_key, "M_Key to send with every query",
	        .section = SECTION_COMMON, .secret = true, .scope = TAKES_SWEEP),
	OPT_HEX(0, "vs-key", "KEY", struct common, vs_key,
	        "V_Key to send with queries of NVIDIA's vendor class: firmware, physical layer",
	        .section = SECTION_COMMON, .secret = true, .scope = TAKES_SWEEP),
	OPT_STR(0, "key-files", "DIR", struct common, key_files,
	        "M_Keys and V_Keys by port: the directory where opensm keeps guid2mkey and "
	        "neighbors (/var/cache/opensm), or a copy of it",
	        .hint = HINT_DIR, .section = SECTION_COMMON, .scope = TAKES_SWEEP),
	OPT_STR(0, "record", "FILE", struct common, record,
	        "write every MAD of the sweep to FILE, which Wireshark opens and --source replays; "
	        ".gz and .zst compress",
	        .hint = HINT_FILE, .scope = TAKES_SWEEP),
	OPT_SECONDS(0, "deadline", "S", struct common, deadline_seconds, DEADLINE_MAX_SECONDS,
	            "stop sending queries after S seconds, and mark the report as incomplete",
	            .section = SECTION_COMMON, .scope = TAKES_SWEEP),
	OPT_SECONDS('i', "interval", "S", struct common, interval_seconds, WINDOW_MAX_SECONDS,
	            "sweep twice, S seconds apart (10, 0.5, 2m or 1h), and compare the counters",
	            .section = SECTION_COMMON, .scope = TAKES_WINDOWS),
	OPT_UINT(0, "count", "N", struct common, windows, 1, IBC_WINDOWS_MAX,
	         "with --interval: N windows, one after the other; congestion counts if it is seen "
	         "in 60 % of them (default 1)",
	         .section = SECTION_COMMON, .scope = TAKES_WINDOWS),
	OPT_FLAG(0, "physical", struct common, physical,
	         "read the physical layer as well: bit errors, error correction (FEC), modules and "
	         "cables, why a link is down; many queries, which firmware answers",
	         .section = SECTION_COMMON, .scope = TAKES_PHYSICAL),
	OPT_STR(0, "unhealthy", "FILE", struct common, unhealthy,
	        "ports that the subnet manager calls unhealthy: opensm-unhealthy-ports.dump of "
	        "OpenSM and UFM",
	        .hint = HINT_FILE, .section = SECTION_ALL, .scope = TAKES_UNHEALTHY),
	OPT_STR(0, "node-name-map", "FILE", struct common, node_name_map,
	        "names by node GUID (default: the system's ib-node-name-map)", .hint = HINT_FILE,
	        .section = SECTION_COMMON, .scope = TAKES_NODES),
	OPT_STR(
	    0, "checks", "LIST", struct common, checks,
	    "run only these checks: IDs and groups, separated by commas; \"-ID\" leaves one out",
	    .hint = HINT_CHECK, .section = SECTION_ALL, .scope = TAKES_SELECTION),
	OPT_STR(0, "known", "FILE", struct common, known,
	        "faults known and accepted until a date: listed, but not part of the verdict",
	        .hint = HINT_FILE, .section = SECTION_COMMON, .scope = TAKES_KNOWN),
	OPT_STR(0, "state", "DIR", struct common, state,
	        "remember this sweep and its findings in DIR, and compare with the last run",
	        .hint = HINT_DIR, .section = SECTION_COMMON, .scope = TAKES_STATE | TAKES_HISTORY),
	OPT_SECONDS(0, "reopen", "AGE", struct common, reopen_seconds, REOPEN_MAX_SECONDS,
	            "a fault that comes back within AGE is the same one (default 24h)",
	            .section = SECTION_COMMON, .file_only = true, .scope = TAKES_STATE),
	OPT_SECONDS(0, "forget", "AGE", struct common, forget_seconds, RETENTION_MAX_SECONDS,
	            "no longer expect a host that has been away for longer (default 30d)",
	            .section = SECTION_COMMON, .file_only = true, .scope = TAKES_STATE),
	OPT_SECONDS(0, "retention", "AGE", struct common, retention_seconds, RETENTION_MAX_SECONDS,
	            "forget faults that ended longer ago (default 400d)", .section = SECTION_COMMON,
	            .file_only = true, .scope = TAKES_STATE),
	OPT_SPAN(0, "settle", "SPAN", struct common, settle, SETTLE_MAX,
	         "report a fault as new only after this number of runs (3) or this time (15m); "
	         "default: at once",
	         .section = SECTION_COMMON, .scope = TAKES_STATE),
	OPT_FLAG(0, "changes", struct common, changes,
	         "show only faults that began, got worse, came back or ended since the last run; "
	         "text is empty if there are none; needs --state",
	         .section = SECTION_ALL, .scope = TAKES_STATE),
	OPT_STR(0, "hook", "PROGRAM", struct common, hook,
	        "run PROGRAM when something changed, with the changes as JSON on its standard "
	        "input; needs --state",
	        .hint = HINT_FILE, .section = SECTION_COMMON, .scope = TAKES_STATE),
	OPT_SECONDS(0, "hook-timeout", "S", struct common, hook_seconds, HOOK_MAX_SECONDS,
	            "end the hook after S seconds (default 30)", .section = SECTION_COMMON,
	            .file_only = true, .scope = TAKES_STATE),
	OPT_STR('f', "format", "FORMAT", struct common, format, "form of the report",
	        .hint = HINT_FORMAT, .section = SECTION_COMMON),
	OPT_STR(0, "table", "NAME", struct common, table,
	        "with csv: the table to write:", .hint = HINT_TABLE, .section = SECTION_ALL),
	OPT_STR(
	    0, "sort", "COLUMN", struct common, sort,
	    "sort tables by the column of this name in JSON, and show all rows; \"-COLUMN\": the "
	    "greatest first",
	    .section = SECTION_ALL),
	OPT_STR('n', "node", "NAME", struct common, node,
	        "show only findings and rows of this node, host, NODE/PORT, GUID or LID (wildcards "
	        "fit several); the verdict stays that of the whole fabric",
	        .section = SECTION_ALL, .scope = TAKES_NODES),
	OPT_STR(0, "severity", "LEVEL", struct common, severity,
	        "show only findings of LEVEL and worse: info, warning, unknown or critical; the "
	        "verdict stays that of all findings",
	        .hint = HINT_WORDS, .words = "info warning unknown critical",
	        .section = SECTION_ALL, .scope = TAKES_CHECKS),
	OPT_FLAG(0, "oneline", struct common, oneline, "text: one line a case, and the sum",
	         .section = SECTION_ALL, .scope = TAKES_CHECKS),
	OPT_STR('o', "output", "FILE", struct common, output,
	        "write to FILE, which appears whole or not at all", .hint = HINT_FILE),
	OPT_STR(0, "config", "FILE", struct common, config,
	        "settings (default " CONFIG_DEFAULT ", if it exists)", .hint = HINT_FILE),
	OPT_STR(0, "root", "DIR", struct common, root,
	        "read the host's sys, proc and etc below DIR", .hint = HINT_DIR,
	        .scope = TAKES_ROOT),
	OPT_FLAG('q', "quiet", struct common, quiet, "print nothing when all is well",
	         .section = SECTION_ALL, .scope = TAKES_CHECKS),
	OPT_FLAG('v', "verbose", struct common, verbose, "show everything, not one screen",
	         .section = SECTION_ALL),
	OPT_FLAG(0, "no-pager", struct common, no_pager,
	         "write text to the terminal at once, not by $PAGER (less)",
	         .section = SECTION_COMMON),
	OPT_STR(0, "debug", "LIST", struct common, debug,
	        "trace to stderr: engine, discovery, counters, tree, match, routes, or all",
	        .hint = HINT_TOPIC),
	OPT_FLAG('h', "help", struct common, help, "show this; -h: one screen of it"),
	OPT_FLAG('V', "version", struct common, version, "show the version"),
	OPT_END,
};

bool asks_live(const char *spec)
{
	return !strncmp(spec, "umad", 4);
}

bool asks_sweep(const struct app *app)
{
	const struct str_list *sources = &app->common.sources;
	bool live = !sources->n;

	for (size_t i = 0; i < sources->n; i++)
		live |= asks_live(sources->items[i]);
	return live;
}
