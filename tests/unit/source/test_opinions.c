/* SPDX-License-Identifier: BSD-2-Clause */
/* What files of other tools say, and what is put beside it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ibcheck/case.h>
#include <ibcheck/opinions.h>
#include <ibcheck/topo.h>

#include "base/arena.h"
#include "check/sink.h"
#include "findings.h"
#include "mkcount.h"
#include "source/source.h"

#define HEADINGS "Scope,NodeGUID,PortGUID,PortNumber,EventName,Summary\n"

/* ---- reading ---- */

static int read_named(const char *name, const char *text, struct ibc_opinions **out,
                      struct ibc_error *err)
{
	char *copy = strdup(text);
	struct text_file *f;
	int rc = text_open_bytes(name, copy, strlen(copy), &f, err);

	*out = NULL;
	if (!rc) {
		rc = read_opinions(f, out, err);
		text_close(f);
	}
	free(copy);
	return rc;
}

static int read_text(const char *text, struct ibc_opinions **out, struct ibc_error *err)
{
	return read_named("f", text, out, err);
}

static void print_place(FILE *to, const struct ibc_end *end)
{
	if (end->has_guid)
		fprintf(to, "0x%llx", (unsigned long long)end->guid);
	else if (end->desc)
		fputs(end->desc, to);
	if (end->has_port)
		fprintf(to, "/%u", end->port);
	else if (end->port_label)
		fprintf(to, "/%s", end->port_label);
}

/* "ibdiagnet warning 0x10/3 FW_CHECK old; ? 4", or the sentence of the error. */
static const char *said_by(const char *text)
{
	static char out[4096];
	struct ibc_error err = { "" };
	struct ibc_opinions *all;
	FILE *to;

	if (read_text(text, &all, &err)) {
		assert_null(all);
		snprintf(out, sizeof(out), "%s", err.text);
		return out;
	}
	out[0] = '\0';
	to = fmemopen(out, sizeof(out), "w");
	for (size_t i = 0; i < all->num; i++) {
		const struct ibc_opinion *o = &all->all[i];

		fprintf(to, "%s%s %s ", i ? "; " : "", ibc_tool_word(o->tool)->word,
		        ibc_severity_word(o->severity)->word);
		print_place(to, &o->place.near);
		if (o->place.kind == IBC_SUBJECT_CABLE) {
			fputs(" - ", to);
			print_place(to, &o->place.far);
		}
		fprintf(to, " %s %s", o->check, o->words);
	}
	for (size_t i = 0; i < all->num_strange && i < IBC_STRANGE_SHOWN; i++)
		fprintf(to, " ? %lu %s", all->strange[i].line, all->strange[i].text);
	fclose(to);
	ibc_opinions_free(all);
	return out;
}

static void sections_of_a_db_csv_are_warnings_and_errors(void **state)
{
	(void)state;
	assert_string_equal(said_by("START_NODES\nNodeDesc\n\"a\"\nEND_NODES\n"
	                            "START_WARNINGS_FW_CHECK\n" HEADINGS
	                            "NODE,0x10,0x00,0x00,NODE_WRONG_FW_VERSION,\"old\"\n"
	                            "END_WARNINGS_FW_CHECK\n"
	                            "START_ERRORS_LINKS\n" HEADINGS
	                            "PORT,0x10,0x11,7,LINK_UNEXPECTED_WIDTH,\"1x\"\n"
	                            "CLUSTER,0x00,0x00,0x00,SM_NOT_FOUND_MASTER,\"none\"\n"
	                            "END_ERRORS_LINKS\n"),
	                    "ibdiagnet warning 0x10 FW_CHECK old; "
	                    "ibdiagnet critical 0x10/7 LINKS 1x; ibdiagnet critical  LINKS none");
}

static void a_section_of_faults_is_known_in_any_case_or_not_understood(void **state)
{
	(void)state;
	assert_string_equal(said_by("start_nodes\nend_nodes\nstart_errors_x\n" HEADINGS
	                            "NODE,0x10,0x00,0x00,E,\"old\"\nend_errors_x\n"),
	                    "ibdiagnet critical 0x10 x old");
	assert_string_equal(said_by("START_NODES\nEND_NODES\nSTART_FW_ERRORS\na\nEND_FW_ERRORS\n"),
	                    " ? 3 START_FW_ERRORS");
}

static void a_line_that_is_not_understood_is_kept_and_the_others_are_read(void **state)
{
	(void)state;
	assert_string_equal(said_by("START_WARNINGS_FW_CHECK\n" HEADINGS
	                            "NODE,what,0x00,0x00,E,\"old\"\nNODE,0x10\n"
	                            "NODE,0x10,0x00,0x00,E,\"older\"\nEND_WARNINGS_FW_CHECK\n"),
	                    "ibdiagnet warning 0x10 FW_CHECK older"
	                    " ? 3 NODE,what,0x00,0x00,E,\"old\" ? 4 NODE,0x10");
	/* a port without its number is no node */
	assert_string_equal(said_by("START_ERRORS_A\n" HEADINGS "PORT,0x10,0x00,300,E,\"a\"\n"
	                            "PORT,0x10,0x00,6/1,E,\"b\"\nPORT,0x10,0x00,N/A,E,\"c\"\n"
	                            "END_ERRORS_A\n"),
	                    " ? 3 PORT,0x10,0x00,300,E,\"a\" ? 4 PORT,0x10,0x00,6/1,E,\"b\""
	                    " ? 5 PORT,0x10,0x00,N/A,E,\"c\"");
	/* without its heading nothing is known of a row */
	assert_string_equal(said_by("START_WARNINGS_A\nx,y\n1,2\nEND_WARNINGS_A\n"),
	                    " ? 2 x,y ? 3 1,2");
}

static void lines_of_a_log_have_a_place_and_the_check_before_them(void **state)
{
	(void)state;
	assert_string_equal(
	    said_by("-I- Start\n-W- FW Check finished with warnings\n"
	            "-W- S0000000000000012/N0000000000000010 - old\n"
	            "-W- leaf01/U1/P3 - slow\n-I- All other warnings can be found in x\n"
	            "-E- Link: S12/N0000000000000010/P1/2<-->host/U1/P1 - Unexpected speed\n"
	            "-E- no place\n-W- Lids Check skipped\n"
	            "-W- leaf01/U1/N/A - In Node leaf01/U1 Port 65 is missing\n"),
	    "ibdiagnet warning 0x10 FW Check old; ibdiagnet warning leaf01/U1/3 FW Check slow; "
	    "ibdiagnet critical 0x10/1/2 - host/U1/1  Unexpected speed; "
	    "ibdiagnet critical   no place; "
	    "ibdiagnet warning leaf01/U1/65  In Node leaf01/U1 Port 65 is missing");
}

static void older_logs_have_counters_below_their_port(void **state)
{
	(void)state;
	assert_string_equal(
	    said_by("-E- Ports counters value Check finished with errors\n"
	            "-E- lid=0x0008 dev=51000 S0000000000000012/N0000000000000010/P27\n"
	            "  Performance Monitor counter         : Value\n"
	            "  port_rcv_switch_relay_errors        : 65535 (overflow)\n"
	            "-W- FW Check finished with warnings\n"
	            "  port_xmit_discard : 1\n"
	            "-W- S200bc703001df4bc/U1 - Node has wrong FW version 2.11.1250.\n"
	            "-E- Fail to find a path from:r1i3n6/U1/1 to:r1i3n12/U1/1\n"),
	    "ibdiagnet critical 0x10/27 port_rcv_switch_relay_errors 65535 (overflow); "
	    "ibdiagnet warning 0x200bc703001df4bc FW Check Node has wrong FW version 2.11.1250.; "
	    "ibdiagnet critical  FW Check Fail to find a path from:r1i3n6/U1/1 to:r1i3n12/U1/1");
}

#define LOG "Running version: 2.10\n"

static void no_line_of_a_log_with_a_statement_is_lost(void **state)
{
	(void)state;
	assert_string_equal(said_by(LOG "12:00:00 -E- a - b\n-e- a - b\n-F- a - b\n"),
	                    " ? 2 12:00:00 -E- a - b ? 3 -e- a - b ? 4 -F- a - b");
	assert_string_equal(said_by(LOG "-E-The a\n-I- ok\n-----\n"), " ? 2 -E-The a");
	assert_string_equal(
	    said_by(LOG "-E- leaf01/U1/P5 - 3 sweeps were skipped by the SM: link is flapping\n"
	                "-E- Note: bad\n-W- Note: good\n-W- Lids Check skipped\n"),
	    "ibdiagnet critical leaf01/U1/5  3 sweeps were skipped by the SM: link is flapping; "
	    "ibdiagnet critical   Note: bad");
	assert_string_equal(said_by(LOG "-E- leaf01/U1/P5 - sweeps were skipped\n"),
	                    "ibdiagnet critical leaf01/U1/5  sweeps were skipped");
}

static void a_heading_without_details_is_a_statement(void **state)
{
	(void)state;
	assert_string_equal(
	    said_by(LOG "-E- A finished with errors\n-E- B finished with errors\n-E- b\n"
	                "-E- lid=0x0008 leaf01/U1/P5\n port xmit discard 3\n"
	                "-E- C finished with errors\n"),
	    "ibdiagnet critical  A A finished with errors; ibdiagnet critical  B b; "
	    "ibdiagnet critical leaf01/U1/5 B lid=0x0008 leaf01/U1/P5; "
	    "ibdiagnet critical  C C finished with errors");
}

static void an_unhealthy_port_is_critical_unless_somebody_said_so(void **state)
{
	(void)state;
	assert_string_equal(
	    said_by("# NodeGUID, PortNum, NodeDesc, PeerNodeGUID\n"
	            "0x10, 3, \"a, b\", 0x20, 1, \"c\", {FLAPPING}, Fri Mar 20 01:13:40 2026\n"
	            "0x10, 4, \"a\", 0x0, 0, \"\", {MANUAL}, Fri\n0x10, 5 FLAPPING\n"),
	    "opensm critical 0x10/3 FLAPPING Fri Mar 20 01:13:40 2026; "
	    "opensm warning 0x10/4 MANUAL Fri ? 4 0x10, 5 FLAPPING");
	assert_string_equal(said_by("# NodeGUID, PortNum, NodeDesc\n"), "");
}

static void a_table_of_ufm_states_cables(void **state)
{
	(void)state;
	assert_string_equal(said_by("\"System\",Port,Peer Node,Peer Port\nleaf01,3,host01,HCA-1/1\n"
	                            "leaf01,1/4/2,N/A,N/A\n,7,x,1\nleaf01,1/4/2,leaf02,9\n"),
	                    "ufm info leaf01/3 - host01/1 Ports is cabled; "
	                    "ufm info leaf01/1/4/2 - leaf02/9 Ports is cabled ? 4 ,7,x,1");
}

static void a_port_that_ufm_calls_critical_is_so_with_and_without_a_cable(void **state)
{
	(void)state;
	assert_string_equal(said_by("System,Port,Severity,Peer Node,Peer Port\n"
	                            "leaf01,1,Critical,host01,1\nleaf01,3,critical,N/A,N/A\n"
	                            "leaf01,4,Info,N/A,N/A\n"),
	                    "ufm critical leaf01/1 Severity Critical; "
	                    "ufm info leaf01/1 - host01/1 Ports is cabled; "
	                    "ufm critical leaf01/3 Severity critical");
}

static void each_counter_of_ibqueryerrors_is_a_statement(void **state)
{
	(void)state;
	assert_string_equal(
	    said_by("Errors for 0x10 \"leaf01\"\n"
	            "   GUID 0x10 port ALL: [SymbolErrorCounter == 5]\n"
	            "   GUID 0x10 port 3: [SymbolErrorCounter == 4] [PortXmitWait == 7 (7.000)]\n"
	            "   GUID 0x10 port x: [SymbolErrorCounter == 4]\n"
	            "## Summary: 2 nodes checked, 1 bad nodes found\n"),
	    "ibqueryerrors warning 0x10/3 SymbolErrorCounter 4; "
	    "ibqueryerrors warning 0x10/3 PortXmitWait 7 (7.000)"
	    " ? 4 GUID 0x10 port x: [SymbolErrorCounter == 4]");
}

static void iblinkinfo_says_what_could_be(void **state)
{
	(void)state;
	assert_string_equal(
	    said_by("CA: host01:\n 0x21  7  1[  ] ==( 4X 10.0 Gbps Active/  LinkUp)==>  1  1[  ] "
	            "\"leaf01\" ( Could be FDR10)\nSwitch: 0x10 leaf01:\n"
	            " 1  1[  ] ==( 4X 10.0 Gbps Active/  LinkUp)==>  7  1[  ] \"h\" "
	            "(Could be 12X Could be 14.0625 Gbps)\n"
	            " 1  2[  ] ==(  Down/ Polling)==>  [  ] \"\" ( )\n"),
	    "iblinkinfo warning 0x21/1 Speed Could be FDR10; "
	    "iblinkinfo warning 0x10/1 Width Could be 12X; "
	    "iblinkinfo warning 0x10/1 Speed Could be 14.0625 Gbps; "
	    "iblinkinfo info 0x10/2 Down Down/ Polling");
}

static void what_is_of_no_tool_is_an_error(void **state)
{
	struct ibc_opinions *all;

	(void)state;
	assert_non_null(strstr(said_by("hello\n"), "f is of no tool that is known"));
	assert_int_equal(ibc_opinions_read((const char *[]){ "/nosuch" }, 1, &all, NULL), -ENOENT);
}

static void an_empty_file_is_a_list_of_no_unhealthy_port(void **state)
{
	struct ibc_opinions *all;

	(void)state;
	assert_int_equal(read_named("unhealthy.dump", "", &all, NULL), 0);
	assert_int_equal(all->num + all->num_strange, 0);
	assert_int_equal(all->tools, 1 << IBC_TOOL_OPENSM);
	ibc_opinions_free(all);
	assert_string_equal(said_by(""), " ? 0 (the file is empty)");
}

static void a_db_csv_with_nodes_is_a_fabric_as_well(void **state)
{
	struct ibc_opinions *all;

	(void)state;
	assert_int_equal(read_text("START_NODES\nNodeDesc\nEND_NODES\n", &all, NULL), 0);
	assert_string_equal(all->fabric, "f");
	ibc_opinions_free(all);
	assert_int_equal(read_text("START_WARNINGS_A\n" HEADINGS "END_WARNINGS_A\n", &all, NULL),
	                 0);
	assert_null(all->fabric);
	ibc_opinions_free(all);
	/* what is cut off was not understood */
	assert_string_equal(said_by("START_WARNINGS_A\n" HEADINGS),
	                    " ? 2 (the file ends in a section)");
}

static void no_memory_is_an_error(void **state)
{
	struct ibc_opinions *all;
	unsigned long n = 0;
	int rc;

	(void)state;
	do {
		alloc_fail_at(++n);
		rc = read_text("Errors for \"a\"\nGUID 0x10 port 3: [VL15Dropped == 4]\n?\n", &all,
		               NULL);
		alloc_fail_at(0);
		assert_true(rc ? !all : all->num == 1);
	} while (rc);
	ibc_opinions_free(all);
}

/* ---- beside our findings ---- */

/* leaf01/1 - host01/1 runs at 1x, leaf01/2 - host02/1 at 4x; both were read. */
static struct ibc_fabric *narrow(void)
{
	struct mkfab m = mkfab();

	m.subnet->time = 2000000000;
	mk_switch(m, 0x10, "leaf01", 4);
	mk_ca(m, 0x20, "host01", 2);
	port(m, 0x20, 2)->phys_state = IBC_PHYS_POLLING;
	mk_ca(m, 0x30, "host02", 1);
	cable(m, 0x10, 1, 0x20, 1);
	cable(m, 0x10, 2, 0x30, 1);
	port(m, 0x10, 1)->width_active = port(m, 0x20, 1)->width_active = IBC_WIDTH_1X;
	mk_all_counting(m);
	count(m, 0x10, 1, IBC_SYMBOL_ERROR, 300);
	return done(m);
}

/* "agree width leaf01/1 port.width; ...": what is said of it, with what becomes of the verdict. */
static const char *beside(const char *text, const char *checks)
{
	static char out[4096];
	struct ibc_fabric *fab = narrow();
	struct ibc_input in = { .fabric = fab, .totals = true };
	const struct ibc_finding *f;
	struct ibc_contrasts *all;
	struct ibc_opinions *said;
	struct ibc_report *rep;
	FILE *to;

	out[0] = '\0';
	assert_int_equal(read_text(text, &said, NULL), 0);
	in.unhealthy = said;
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, checks, rep, NULL), 0);
	assert_int_equal(ibc_contrasts_find(said, &in, rep, &all, NULL), 0);
	ibc_check_contrasts(said, all, rep);
	ibc_contrasts_free(all);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	assert_int_equal(ibc_contrasts_find(said, &in, rep, &all, NULL), 0);
	to = fmemopen(out, sizeof(out), "w");
	for (size_t i = 0; i < all->num; i++) {
		const struct ibc_contrast *c = &all->all[i];
		const struct ibc_word *why = ibc_contrast_why_word(c->why);

		fprintf(to, "%s%s %s %s %s", i ? "; " : "", ibc_contrast_who_word(c->who)->word,
		        c->kind, c->where ? c->where : "fabric",
		        c->ours ? c->ours->check : why->word);
	}
	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++)
		if (!strncmp(f->check, "compare.", 8)) {
			fputs(" | ", to);
			print_finding(to, f);
		}
	fclose(to);
	ibc_contrasts_free(all);
	ibc_opinions_free(said);
	ibc_report_free(rep);
	ibc_fabric_free(fab);
	return out;
}

#define ERRORS(rows) "START_ERRORS_LINKS\n" HEADINGS rows "END_ERRORS_LINKS\n"

static void both_say_it_of_one_cable_whichever_end_they_name(void **state)
{
	(void)state;
	assert_string_equal(
	    beside(ERRORS("PORT,0x20,0x21,1,LINK_UNEXPECTED_WIDTH,\"1x\"\n"), "port.width"),
	    "agree width host01/1 port.width");
}

static void what_only_we_say_is_listed_with_the_reason(void **state)
{
	(void)state;
	assert_string_equal(beside(ERRORS(""), "port.width"),
	                    "only_we width leaf01/1 - host01/1 port.width");
}

static void what_only_they_call_critical_leaves_the_verdict_unknown(void **state)
{
	(void)state;
	/* the width of this one was read, and is right */
	assert_string_equal(
	    beside(ERRORS("PORT,0x10,0x11,2,LINK_UNEXPECTED_WIDTH,\"1x\"\n"), "port.width"),
	    "only_they width leaf01/2 unknown; only_we width leaf01/1 - host01/1 port.width"
	    " | unknown leaf01/2: ibdiagnet calls it critical, and no check finds it (not known): "
	    "LINK_UNEXPECTED_WIDTH: 1x\n");
}

static void a_check_that_did_not_run_has_read_nothing(void **state)
{
	(void)state;
	assert_string_equal(
	    beside("START_WARNINGS_A\n" HEADINGS "PORT,0x10,0x11,2,LINK_UNEXPECTED_WIDTH,\"1x\"\n"
	           "NODE,0x99,0x0,0,NODE_WRONG_FW_VERSION,\"old\"\n"
	           "PORT,0x10,0x11,2,PORT_HIERARCHY_MISSING,\"x\"\nEND_WARNINGS_A\n",
	           "port.name"),
	    "only_they firmware 0x0000000000000099 unread; only_they width leaf01/2 unread; "
	    "only_they hierarchy leaf01/2 unjudged");
}

/* 300 SymbolErrors since the last clear at leaf01/1: of another counter that says nothing. */
static void a_total_agrees_with_what_is_said_of_its_counter(void **state)
{
	static const char text[] =
	    "Errors for 0x10 \"leaf01\"\n"
	    "GUID 0x10 port 1: [SymbolErrorCounter == 300] [VL15Dropped == 9]\n";

	(void)state;
	assert_string_equal(beside(text, "counters.totals"),
	                    "only_they counters leaf01/1 limit; agree counters leaf01/1 "
	                    "counters.totals");
}

static void what_they_call_critical_is_no_hint_of_ours(void **state)
{
	(void)state;
	/* that a second port of an HCA is down is said, and not counted */
	assert_string_equal(
	    beside("# NodeGUID\n0x20, 2, \"host01\", {REBOOT}, now\n", "port.physical"),
	    "only_they unhealthy host01/2 unjudged | unknown host01/2: OpenSM calls it critical, "
	    "and no check finds it (not judged): REBOOT: now\n");
}

static void what_names_no_place_is_not_what_we_say_of_a_port(void **state)
{
	(void)state;
	assert_string_equal(beside("-W- In Node leaf01 Port 2 link width is 1x\n", "port.width"),
	                    "only_they width fabric unknown; "
	                    "only_we width leaf01/1 - host01/1 port.width");
}

static void the_victim_of_a_finding_is_not_its_place(void **state)
{
	struct ibc_fabric *fab = narrow();
	struct ibc_input in = { .fabric = fab };
	const struct ibc_subject host = node_subject(ibc_fabric_node_by_guid(fab, 0x30));
	const struct ibc_subject leaf = node_subject(ibc_fabric_node_by_guid(fab, 0x10));
	struct ibc_contrasts *all;
	struct ibc_opinions *said;
	struct ibc_report *rep;

	(void)state;
	assert_int_equal(read_text("-E- leaf01/U1/P3 - Unexpected width\n", &said, NULL), 0);
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	ibc_report_add(rep, "port.width", IBC_WARNING, &host, "is narrow");
	ibc_report_relate(rep, IBC_ROLE_VICTIM, &leaf);
	assert_int_equal(ibc_contrasts_find(said, &in, rep, &all, NULL), 0);
	assert_int_equal(all->all[0].who, IBC_ONLY_THEY);
	ibc_contrasts_free(all);
	ibc_opinions_free(said);
	ibc_report_free(rep);
	ibc_fabric_free(fab);
}

static void what_ufm_calls_critical_agrees_with_any_fault_of_the_port(void **state)
{
	(void)state;
	assert_string_equal(beside("System,Port,Severity,Peer Node,Peer Port\n"
	                           "leaf01,1,Critical,N/A,N/A\nleaf01,3,Critical,N/A,N/A\n",
	                           "port.width"),
	                    "only_they Severity leaf01/3 unjudged; "
	                    "agree Severity leaf01/1 port.width | unknown leaf01/3: UFM calls it "
	                    "critical, and no check finds it (not judged): Severity: Critical\n");
}

static void an_isolated_port_is_what_the_list_says(void **state)
{
	(void)state;
	assert_string_equal(
	    beside("# NodeGUID\n0x10, 3, \"leaf01\", {REBOOT}, now\n", "port.isolated"),
	    "agree unhealthy leaf01/3 port.isolated");
}

static void a_name_is_no_pattern_and_no_lid(void **state)
{
	(void)state;
	assert_string_equal(beside("-W- leaf0* - a\n-W- 1 - b\n-W- leaf01/U1 - c\n", "port.name"),
	                    "only_they  leaf0* unjudged; only_they  1 unjudged; "
	                    "only_they  leaf01 unjudged");
}

/* A log of 2001 that says nothing, and no other file: we looked in 2033. */
static void a_log_without_a_statement_looked_at_another_time(void **state)
{
	struct ibc_fabric *fab = narrow();
	struct ibc_input in = { .fabric = fab };
	struct ibc_contrasts *all;
	struct ibc_opinions *said;
	struct ibc_report *rep;

	(void)state;
	assert_int_equal(
	    read_text(LOG "Running timestamp: 2001-01-31 12:00:00 UTC +0000\n", &said, NULL), 0);
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, "port.width", rep, NULL), 0);
	assert_int_equal(ibc_contrasts_find(said, &in, rep, &all, NULL), 0);
	assert_int_equal(all->all[0].why, IBC_WHY_TIME);
	ibc_contrasts_free(all);
	/* one of the time of the fabric is enough */
	said->last = 2000000000;
	assert_int_equal(ibc_contrasts_find(said, &in, rep, &all, NULL), 0);
	assert_int_equal(all->all[0].why, IBC_WHY_UNKNOWN);
	ibc_contrasts_free(all);
	ibc_opinions_free(said);
	ibc_report_free(rep);
	ibc_fabric_free(fab);
}

static void a_log_and_a_db_csv_of_one_run_are_one_statement(void **state)
{
	(void)state;
	assert_string_equal(
	    beside("START_WARNINGS_LINKS\n" HEADINGS
	           "PORT,0x10,0x11,1,LINK_UNEXPECTED_WIDTH,\"1x\"\n"
	           "PORT,0x10,0x11,1,LINK_UNEXPECTED_WIDTH,\"1x \"\nEND_WARNINGS_LINKS\n",
	           "port.width"),
	    "agree width leaf01/1 port.width");
}

static void of_what_is_said_twice_the_worst_counts_and_each_event_is_its_own(void **state)
{
	(void)state;
	assert_string_equal(
	    beside(LOG "-W- leaf01/U1/P2 - bad\n-E- leaf01/U1/P2 - bad\n", "port.width"),
	    "only_they  leaf01/2 unjudged; only_we width leaf01/1 - host01/1 port.width"
	    " | unknown leaf01/2: ibdiagnet calls it critical, and no check finds it (not judged): "
	    "bad\n");
	assert_string_equal(beside("START_WARNINGS_A\n" HEADINGS "PORT,0x10,0x11,2,FIRST,\"bad\"\n"
	                           "PORT,0x10,0x11,2,SECOND,\"bad\"\nEND_WARNINGS_A\n",
	                           "port.name"),
	                    "only_they A leaf01/2 unjudged; only_they A leaf01/2 unjudged");
}

static void lines_that_were_not_understood_leave_the_verdict_unknown(void **state)
{
	(void)state;
	assert_string_equal(
	    beside("Errors for \"a\"\n?\n! \n", "port.name"),
	    " | unknown fabric: 2 lines are not understood, the first is line 2 of f: \"?\"\n");
	assert_string_equal(
	    beside(LOG "-I- All other errors can be found in ibdiagnet2.db_csv\n", "port.name"),
	    " | unknown fabric: a log says that it lists only some of its lines\n");
}

static void without_memory_nothing_is_compared(void **state)
{
	struct ibc_fabric *fab = narrow();
	struct ibc_input in = { .fabric = fab };
	struct ibc_contrasts *all;
	struct ibc_opinions *said;
	struct ibc_report *rep;
	unsigned long n = 0;
	int rc;

	(void)state;
	assert_int_equal(read_text("-W- leaf01/U1/P1 - Unexpected width\n", &said, NULL), 0);
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, "port.width", rep, NULL), 0);
	do {
		alloc_fail_at(++n);
		rc = ibc_contrasts_find(said, &in, rep, &all, NULL);
		alloc_fail_at(0);
		assert_true(rc ? rc == -ENOMEM && !all
		               : all->num == 1 && all->all[0].who == IBC_AGREE);
	} while (rc);
	ibc_contrasts_free(all);
	ibc_opinions_free(said);
	ibc_report_free(rep);
	ibc_fabric_free(fab);
}

/* ---- isolated ports ---- */

static const char *isolated(const char *rows, uint8_t state)
{
	static char out[1024];
	struct mkfab m = mkfab();
	struct ibc_input in = { 0 };
	struct ibc_opinions *said;
	struct ibc_fabric *fab;
	struct ibc_report *rep;
	char text[1024], *found;

	mk_switch(m, 0x10, "leaf01", 4);
	mk_ca(m, 0x20, "host01", 1);
	cable(m, 0x10, 1, 0x20, 1);
	port(m, 0x10, 1)->state = port(m, 0x20, 1)->state = state;
	fab = done(m);
	snprintf(text, sizeof(text), "# NodeGUID, PortNum\n%s", rows);
	assert_int_equal(read_text(text, &said, NULL), 0);
	in.fabric = fab;
	in.unhealthy = said;
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, "port.isolated", rep, NULL), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	found = findings_text(rep);
	snprintf(out, sizeof(out), "%s", found);
	free(found);
	ibc_opinions_free(said);
	ibc_report_free(rep);
	ibc_fabric_free(fab);
	return out;
}

#define ROW(at, condition) "0x10, " at ", \"leaf01\", 0x20, 1, \"host01\", {" condition "}, now\n"

static void an_isolated_port_is_critical_with_the_reason(void **state)
{
	(void)state;
	assert_string_equal(isolated(ROW("1", "SET_ERR"), IBC_STATE_INIT),
	                    "critical leaf01/1 - host01/1: is isolated by the subnet manager: "
	                    "SET_ERR, it refused what the subnet manager set\n");
	/* no cable was seen there */
	assert_string_equal(isolated(ROW("3", "NEW_ONE"), IBC_STATE_ACTIVE),
	                    "critical leaf01/3 - host01/1: is isolated by the subnet manager: "
	                    "NEW_ONE\n");
}

static void one_that_is_still_in_use_or_was_marked_by_hand_is_a_warning(void **state)
{
	(void)state;
	assert_string_equal(isolated(ROW("1", "REBOOT"), IBC_STATE_ACTIVE),
	                    "warning leaf01/1 - host01/1: is still in use, and called unhealthy by "
	                    "the subnet manager: REBOOT, its node rebooted more than 10 times in "
	                    "15 min\n");
	assert_string_equal(isolated(ROW("1", "MANUAL"), IBC_STATE_INIT),
	                    "warning leaf01/1 - host01/1: is isolated by the subnet manager: "
	                    "MANUAL, an operator marked it so\n");
}

static void port_0_of_a_switch_that_was_found_is_in_use(void **state)
{
	(void)state;
	assert_string_equal(
	    isolated("0x10, 0, \"leaf01\", 0x0, 0, \"\", {ILLEGAL}, now\n", IBC_STATE_ACTIVE),
	    "warning leaf01/0: is still in use, and called unhealthy by the subnet "
	    "manager: ILLEGAL, it sent SMPs with illegal fields\n");
}

static void one_that_the_sweep_did_not_find_is_called_as_the_list_does(void **state)
{
	(void)state;
	assert_string_equal(
	    isolated("0x99, 7, \"leaf99\", {FLAPPING}, now\n0x99\n", IBC_STATE_INIT),
	    "unknown fabric: 1 line is not understood, the first is line 3 of f: "
	    "\"0x99\"\n"
	    "critical leaf99/7: is isolated by the subnet manager: FLAPPING, its "
	    "link trained again and again, in 5 of 10 sweeps\n");
}

/* That the isolated port is a case, which explains the finding of this check, or does not. */
static void expect_cases(struct mkfab m, struct mkfab *plan, const char *check, bool explained)
{
	struct ibc_fabric *fab = done(m), *planned = plan ? done(*plan) : NULL;
	struct ibc_input in = { .fabric = fab };
	struct ibc_comparison *cmp = NULL;
	struct ibc_opinions *said;
	struct ibc_report *rep;
	const struct ibc_finding *f;
	char selection[64];
	size_t i = 0;

	assert_int_equal(read_text("# NodeGUID, PortNum\n" ROW("1", "REBOOT"), &said, NULL), 0);
	in.unhealthy = said;
	if (planned)
		assert_int_equal(ibc_compare(planned, fab, NULL, &cmp, NULL), 0);
	in.comparison = cmp;
	snprintf(selection, sizeof(selection), "port.isolated,%s", check);
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, selection, rep, NULL), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	assert_int_equal(ibc_cases_find(&in, ibc_check_find, rep, NULL), 0);
	while ((f = ibc_report_finding(rep, i)) && strcmp(f->check, check) != 0)
		i++;
	assert_non_null(f);
	assert_string_equal(f->in_case->check, explained ? "port.isolated" : check);
	assert_int_equal(!ibc_report_case_at(rep, 1), explained);
	ibc_report_free(rep);
	ibc_opinions_free(said);
	ibc_comparison_free(cmp);
	ibc_fabric_free(planned);
	ibc_fabric_free(fab);
}

static void an_isolated_link_in_init_is_one_case(void **state)
{
	struct mkfab m = mkfab();

	(void)state;
	mk_switch(m, 0x10, "leaf01", 4);
	mk_ca(m, 0x20, "host01", 1);
	mk_ca(m, 0x30, "host02", 1);
	cable(m, 0x10, 1, 0x20, 1);
	cable(m, 0x10, 2, 0x30, 1);
	port(m, 0x10, 1)->state = port(m, 0x20, 1)->state = IBC_STATE_INIT;
	expect_cases(m, NULL, "port.state", true);
}

static void a_planned_host_is_hidden_by_the_isolation_of_all_of_its_ports(void **state)
{
	(void)state;
	for (unsigned int ports = 1; ports <= 2; ports++) {
		struct mkfab found = mkfab(), plan = mkfab();

		mk_switch(found, 0x10, "leaf01", 4);
		mk_ca(found, 0x30, "host02", 1);
		cable(found, 0x10, 2, 0x30, 1);
		mk_switch(plan, 0x10, "leaf01", 4);
		mk_ca(plan, 0x20, "host01", ports);
		mk_ca(plan, 0x30, "host02", 1);
		cable(plan, 0x10, 1, 0x20, 1);
		cable(plan, 0x10, 2, 0x30, 1);
		if (ports == 2)
			cable(plan, 0x10, 3, 0x20, 2);
		expect_cases(found, &plan, "topo.missing-node", ports == 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_of_a_db_csv_are_warnings_and_errors),
		cmocka_unit_test(a_section_of_faults_is_known_in_any_case_or_not_understood),
		cmocka_unit_test(a_line_that_is_not_understood_is_kept_and_the_others_are_read),
		cmocka_unit_test(lines_of_a_log_have_a_place_and_the_check_before_them),
		cmocka_unit_test(older_logs_have_counters_below_their_port),
		cmocka_unit_test(no_line_of_a_log_with_a_statement_is_lost),
		cmocka_unit_test(a_heading_without_details_is_a_statement),
		cmocka_unit_test(an_unhealthy_port_is_critical_unless_somebody_said_so),
		cmocka_unit_test(a_table_of_ufm_states_cables),
		cmocka_unit_test(a_port_that_ufm_calls_critical_is_so_with_and_without_a_cable),
		cmocka_unit_test(each_counter_of_ibqueryerrors_is_a_statement),
		cmocka_unit_test(iblinkinfo_says_what_could_be),
		cmocka_unit_test(what_is_of_no_tool_is_an_error),
		cmocka_unit_test(an_empty_file_is_a_list_of_no_unhealthy_port),
		cmocka_unit_test(a_db_csv_with_nodes_is_a_fabric_as_well),
		cmocka_unit_test(no_memory_is_an_error),
		cmocka_unit_test(both_say_it_of_one_cable_whichever_end_they_name),
		cmocka_unit_test(what_only_we_say_is_listed_with_the_reason),
		cmocka_unit_test(what_only_they_call_critical_leaves_the_verdict_unknown),
		cmocka_unit_test(a_check_that_did_not_run_has_read_nothing),
		cmocka_unit_test(a_total_agrees_with_what_is_said_of_its_counter),
		cmocka_unit_test(what_they_call_critical_is_no_hint_of_ours),
		cmocka_unit_test(what_names_no_place_is_not_what_we_say_of_a_port),
		cmocka_unit_test(the_victim_of_a_finding_is_not_its_place),
		cmocka_unit_test(what_ufm_calls_critical_agrees_with_any_fault_of_the_port),
		cmocka_unit_test(an_isolated_port_is_what_the_list_says),
		cmocka_unit_test(a_name_is_no_pattern_and_no_lid),
		cmocka_unit_test(a_log_without_a_statement_looked_at_another_time),
		cmocka_unit_test(a_log_and_a_db_csv_of_one_run_are_one_statement),
		cmocka_unit_test(of_what_is_said_twice_the_worst_counts_and_each_event_is_its_own),
		cmocka_unit_test(lines_that_were_not_understood_leave_the_verdict_unknown),
		cmocka_unit_test(without_memory_nothing_is_compared),
		cmocka_unit_test(an_isolated_port_is_critical_with_the_reason),
		cmocka_unit_test(one_that_is_still_in_use_or_was_marked_by_hand_is_a_warning),
		cmocka_unit_test(port_0_of_a_switch_that_was_found_is_in_use),
		cmocka_unit_test(an_isolated_link_in_init_is_one_case),
		cmocka_unit_test(a_planned_host_is_hidden_by_the_isolation_of_all_of_its_ports),
		cmocka_unit_test(one_that_the_sweep_did_not_find_is_called_as_the_list_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
