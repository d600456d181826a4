/* SPDX-License-Identifier: BSD-2-Clause */
/* What is blamed for what a job's lines say, and what is not. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ibcheck/blame.h>
#include <ibcheck/report.h>

#include "base/arena.h"

#include "mkfab.h"

#include "mkroutes.h"

#include "mkadaptive.h"

/*
 * Leaves 1 and 2, spines 3 and 4.  At port n of leaf 1 is node1n, HCA 10 + n, at leaf 2 node2n, HCA
 * 20 + n, for n from 1 to 4; LIDs are GUIDs.  All routes are over spine 3, by ports 5 of the
 * leaves. twin has HCAs 31 at leaf 1, and 32 at leaf 2.
 */
#define LEAF1  1
#define LEAF2  2
#define SPINE  3
#define NOON   1795176000
#define MINUTE 60

struct made {
	struct mkfab m;
	struct fabric_forwarding *tables;
};

static struct made make(bool routed)
{
	struct made made = { .m = mkfab() };
	struct mkfab m = made.m;
	char name[64];

	m.subnet->time = NOON - 30 * MINUTE;
	mk_switch(m, LEAF1, "leaf01", 8);
	mk_switch(m, LEAF2, "leaf02", 8);
	mk_switch(m, SPINE, "spine01", 2);
	mk_switch(m, 4, "spine02", 2);
	for (unsigned int leaf = LEAF1; leaf <= LEAF2; leaf++) {
		for (unsigned int n = 1; n <= 4; n++) {
			snprintf(name, sizeof(name), "node%u%u mlx5_0", leaf, n);
			mk_ca(m, 10 * leaf + n, name, 1);
			cable(m, leaf, n, 10 * leaf + n, 1);
		}
		cable(m, leaf, 5, SPINE, leaf);
		cable(m, leaf, 6, 4, leaf);
		snprintf(name, sizeof(name), "twin HCA-%u", leaf);
		mk_ca(m, 30 + leaf, name, 1);
		cable(m, leaf, 7, 30 + leaf, 1);
	}
	if (routed) {
		made.tables = mk_tables(m, 64);
		mk_min_hop(m, made.tables);
	}
	return made;
}

static struct ibc_fabric *fabric(void)
{
	return done(make(true).m);
}

/* ---- lines ------------------------------------------------------------------------------ */

#define NOBODY                                                                                     \
	{                                                                                          \
		.host = "", .address = "", .device = "", .pci = ""                                 \
	}

static struct ibc_log_end host(const char *name)
{
	struct ibc_log_end end = NOBODY;

	end.host = name;
	return end;
}

static struct ibc_log_end nobody(void)
{
	return host("");
}

static struct ibc_log_end hca(const char *name, const char *device)
{
	struct ibc_log_end end = host(name);

	end.device = device;
	return end;
}

static struct ibc_log_event line(int status, struct ibc_log_end own, struct ibc_log_end peer)
{
	return (struct ibc_log_event){
		.program = IBC_LOG_UCX,
		.kind = IBC_LOG_COMPLETION,
		.status = status,
		.vendor_error = -1,
		.own = own,
		.peer = peer,
		.process = "",
		.count = 1,
		.first = NOON,
		.last = NOON,
		.file = "log",
		.line = 1,
		.text = "it broke",
	};
}

static struct ibc_log_event broken(const char *own, const char *peer)
{
	return line(IBC_WC_RETRY_EXC, host(own), host(peer));
}

static struct ibc_log_event said(enum ibc_log_kind kind, const char *own)
{
	struct ibc_log_event e = line(IBC_WC_UNKNOWN, host(own), nobody());

	e.kind = kind;
	e.text = "Link down";
	return e;
}

/* ---- signs ------------------------------------------------------------------------------ */

/* Seen by a run 10 minutes later, since the one 5 minutes before. */
static struct ibc_blame_sign sign(enum ibc_blame_sign_kind kind, uint64_t guid, unsigned int port)
{
	return (struct ibc_blame_sign){ .kind = kind,
		                        .guid = guid,
		                        .port = port,
		                        .from = NOON - 5 * MINUTE,
		                        .until = NOON + 10 * MINUTE };
}

static struct ibc_blame_sign counted(uint64_t guid, unsigned int port, enum ibc_counter counter,
                                     uint64_t amount)
{
	struct ibc_blame_sign s = sign(IBC_SIGN_COUNTED, guid, port);

	s.counter = counter;
	s.amount = amount;
	return s;
}

static struct ibc_blame_sign incident(uint64_t guid, unsigned int port, const char *check)
{
	struct ibc_blame_sign s = sign(IBC_SIGN_INCIDENT, guid, port);

	s.check = check;
	s.case_id = "7f3a9c10";
	return s;
}

static struct ibc_blame_sign at(time_t from, time_t until, struct ibc_blame_sign s)
{
	s.from = from;
	s.until = until;
	return s;
}

/* ---- what comes of it --------------------------------------------------------------------- */

static void write_cause(FILE *out, const struct ibc_blame_cause *c)
{
	char place[2][IBC_PLACE_TEXT] = { "", "" };
	const struct ibc_port *far = c->is_cable ? c->port->peer : NULL;

	ibc_place_text((struct ibc_place){ c->node, c->port ? c->port->num : 0 }, place[0],
	               sizeof(place[0]));
	if (far)
		ibc_place_text((struct ibc_place){ far->node, far->num }, place[1],
		               sizeof(place[1]));
	fprintf(out, "%s %s%s%s, %zu; ", ibc_blame_kind_word(c->kind)->word,
	        *place[0] ? place[0]
	        : c->host ? c->host
	                  : "-",
	        far ? " - " : "", place[1], c->pairs);
}

/* "fabric leaf01/5 - spine01/1, 2; unseen node21, 3; ": what is blamed, and for how many pairs. */
static const char *answer(const struct ibc_blame *blame)
{
	static char text[4096];
	FILE *out = fmemopen(text, sizeof(text), "w");

	assert_non_null(out);
	*text = '\0';
	for (size_t i = 0; i < blame->num_causes; i++)
		write_cause(out, &blame->causes[i]);
	fclose(out);
	if (*text)
		text[strlen(text) - 2] = '\0';
	return text;
}

static struct ibc_blame *ask(struct ibc_blame_input in, const struct ibc_log_event *events,
                             size_t n)
{
	struct ibc_joblog log = { .events = events, .num = n, .lines = n, .recognised = n };
	struct ibc_blame *blame;

	in.log = &log;
	in.at = in.at ? in.at : NOON;
	assert_int_equal(ibc_blame_find(&in, &blame, NULL), 0);
	return blame;
}

/* clang-format off */
#define EVENTS(...) \
	(const struct ibc_log_event[]){ __VA_ARGS__ }, \
	sizeof((const struct ibc_log_event[]){ __VA_ARGS__ }) / sizeof(struct ibc_log_event)
#define SIGNS(...) \
	.signs = (const struct ibc_blame_sign[]){ __VA_ARGS__ }, \
	.num_signs = sizeof((const struct ibc_blame_sign[]){ __VA_ARGS__ }) / \
		     sizeof(struct ibc_blame_sign)
#define ALIASES(...) \
	.aliases = (const struct ibc_blame_alias[]){ __VA_ARGS__ }, \
	.num_aliases = sizeof((const struct ibc_blame_alias[]){ __VA_ARGS__ }) / \
		       sizeof(struct ibc_blame_alias)
/* On the fabric above. */
#define BLAMES(expected, input, events) do { \
	struct ibc_fabric *fab = fabric(); \
	struct ibc_blame_input in = { input }; \
	struct ibc_blame *blame; \
	in.then = fab; \
	blame = ask(in, events); \
	assert_string_equal(answer(blame), expected); \
	ibc_blame_free(blame); \
	ibc_fabric_free(fab); \
} while (0)
#define INPUT(...) __VA_ARGS__
#define TEST(name) static void name(void **state)
/* clang-format on */

/* ---- without evidence ------------------------------------------------------------------- */

TEST(two_hosts_without_evidence_are_not_blamed)
{
	struct ibc_fabric *fab = fabric();
	struct ibc_blame *blame = ask(
	    (struct ibc_blame_input){ .then = fab },
	    EVENTS(broken("node11", "node21"), broken("node21", "node11")));

	(void)state;
	assert_string_equal(answer(blame), "unseen -, 1");
	assert_int_equal(blame->causes[0].links, 4);
	assert_string_equal(blame->causes[0].ends->own, "node11 mlx5_0/1");
	assert_string_equal(blame->causes[0].ends->peer, "node21 mlx5_0/1");
	assert_int_equal(blame->pairs[0].lines, 2);
	assert_true(!blame->pairs[0].guessed);
	ibc_blame_free(blame);
	ibc_fabric_free(fab);
}

TEST(a_host_that_all_have_in_common_is_not_blamed_for_it)
{
	(void)state;
	BLAMES("unseen node21, 3", INPUT(.at = NOON),
	       EVENTS(broken("node11", "node21"), broken("node12", "node21"),
	              broken("node22", "node21")));
}

TEST(flushes_and_other_links_are_counted_and_no_more)
{
	struct ibc_fabric *fab = fabric();
	struct ibc_log_event roce = broken("node11", "node21");
	struct ibc_log_event flush = line(IBC_WC_WR_FLUSH, host("node11"), host("node22"));
	struct ibc_log_event mapped = roce;
	struct ibc_blame *blame;

	(void)state;
	roce.roce = true;
	mapped.own.gid_guid = UINT64_C(0xffff0a020005);
	blame = ask((struct ibc_blame_input){ .then = fab }, EVENTS(roce, flush, flush, mapped));
	assert_int_equal(blame->num_causes, 0);
	assert_int_equal(blame->ethernet, 2);
	assert_int_equal(blame->flushes, 2);
	ibc_blame_free(blame);
	ibc_fabric_free(fab);
}

/* ---- a cable ------------------------------------------------------------------------------ */

TEST(a_cable_of_the_route_that_went_down_then_is_named)
{
	(void)state;
	BLAMES("fabric leaf01/5 - spine01/1, 1", INPUT(SIGNS(sign(IBC_SIGN_DOWN, LEAF1, 5))),
	       EVENTS(broken("node11", "node21")));
	/* whichever end counted it */
	BLAMES("fabric leaf01/5 - spine01/1, 1",
	       INPUT(SIGNS(counted(SPINE, 1, IBC_LINK_DOWNED, 1))),
	       EVENTS(broken("node11", "node21")));
	BLAMES("fabric leaf02/1 - node21 mlx5_0/1, 1",
	       INPUT(SIGNS(counted(LEAF2, 1, IBC_RCV_ERRORS, 5000))),
	       EVENTS(broken("node11", "node21")));
	BLAMES("fabric leaf01/5 - spine01/1, 1", INPUT(SIGNS(incident(LEAF1, 5, "counters.flap"))),
	       EVENTS(broken("node11", "node21")));
}

TEST(what_no_route_crosses_is_no_evidence)
{
	(void)state;
	BLAMES("unseen -, 1",
	       INPUT(SIGNS(sign(IBC_SIGN_DOWN, LEAF1, 6), sign(IBC_SIGN_DOWN, LEAF1, 2),
	                   counted(LEAF2, 3, IBC_RCV_ERRORS, 5000))),
	       EVENTS(broken("node11", "node21")));
}

TEST(what_was_at_another_time_is_no_evidence)
{
	const struct ibc_blame_sign down = sign(IBC_SIGN_DOWN, LEAF1, 5);

	(void)state;
	BLAMES("unseen -, 1",
	       INPUT(SIGNS(at(NOON - 60 * MINUTE, NOON - 10 * MINUTE, down),
	                   at(NOON + 5 * MINUTE, NOON + 10 * MINUTE, down),
	                   at(NOON - 86400, NOON + 60, down))),
	       EVENTS(broken("node11", "node21")));
}

TEST(few_errors_break_no_connection)
{
	(void)state;
	BLAMES("unseen -, 1",
	       INPUT(SIGNS(
		   counted(LEAF1, 5, IBC_SYMBOL_ERROR, 20), counted(LEAF1, 5, IBC_RCV_ERRORS, 3),
		   counted(LEAF1, 5, IBC_XMIT_DISCARDS, 100000),
		   incident(LEAF1, 5, "counters.symbol"), incident(LEAF1, 5, "port.width"))),
	       EVENTS(broken("node11", "node21")));
}

TEST(errors_explain_less_than_a_host_that_all_have_in_common)
{
	const struct ibc_log_event all[] = { broken("node11", "node21"), broken("node22", "node21"),
		                             broken("node23", "node21"),
		                             broken("node24", "node21") };

	(void)state;
	BLAMES("unseen node21, 4", INPUT(SIGNS(counted(LEAF1, 1, IBC_RCV_ERRORS, 50))),
	       INPUT(all, 4));
	/* a link that went down does break what crosses it */
	BLAMES("fabric leaf01/1 - node11 mlx5_0/1, 1; unseen node21, 3",
	       INPUT(SIGNS(counted(LEAF1, 1, IBC_LINK_DOWNED, 1))), INPUT(all, 4));
}

TEST(two_faults_are_two_causes)
{
	(void)state;
	BLAMES("fabric leaf01/1 - node11 mlx5_0/1, 2; fabric leaf02/4 - node24 mlx5_0/1, 1",
	       INPUT(SIGNS(sign(IBC_SIGN_DOWN, LEAF1, 1), sign(IBC_SIGN_DOWN, LEAF2, 4),
	                   sign(IBC_SIGN_DOWN, LEAF1, 4))),
	       EVENTS(broken("node11", "node21"), broken("node12", "node11"),
	              broken("node12", "node24")));
}

TEST(a_case_that_is_remembered_is_named)
{
	struct ibc_fabric *fab = fabric();
	struct ibc_blame *blame = ask(
	    (struct ibc_blame_input){ .then = fab,
	                              SIGNS(counted(LEAF1, 5, IBC_RCV_ERRORS, 5000),
	                                    incident(SPINE, 1, "counters.rcv-errors")) },
	    EVENTS(broken("node11", "node21")));

	(void)state;
	assert_string_equal(answer(blame), "fabric leaf01/5 - spine01/1, 1");
	assert_string_equal(blame->causes[0].case_id, "7f3a9c10");
	assert_non_null(strstr(blame->causes[0].evidence, "PortRcvErrors 5000 at leaf01/5"));
	ibc_blame_free(blame);
	ibc_fabric_free(fab);
}

TEST(a_route_that_is_sent_by_a_port_that_is_down_is_evidence)
{
	struct made made = make(true);
	struct ibc_fabric *fab;
	struct ibc_blame *blame;

	(void)state;
	made.m.subnet->time = NOON;
	*mk_entry(made.tables, LEAF1, 21) = 8; /* which has no cable */
	fab = done(made.m);
	blame = ask((struct ibc_blame_input){ .then = fab }, EVENTS(broken("node11", "node21")));
	assert_string_equal(answer(blame), "fabric leaf01/8, 1");
	ibc_blame_free(blame);
	ibc_fabric_free(fab);
}

/* ---- a switch, a host --------------------------------------------------------------------- */

TEST(a_switch_most_of_whose_cables_went_down_is_named_for_them)
{
	(void)state;
	BLAMES("fabric spine01, 2",
	       INPUT(SIGNS(sign(IBC_SIGN_DOWN, LEAF1, 5), sign(IBC_SIGN_DOWN, LEAF2, 5))),
	       EVENTS(broken("node11", "node21"), broken("node12", "node22")));
	BLAMES("fabric spine01, 1", INPUT(SIGNS(sign(IBC_SIGN_GONE, SPINE, 0))),
	       EVENTS(broken("node11", "node21")));
}

/* Of its hosts nothing is known any more. */
TEST(a_leaf_all_of_whose_cables_upward_went_down_is_named_for_them)
{
	(void)state;
	BLAMES("fabric leaf02, 2",
	       INPUT(SIGNS(sign(IBC_SIGN_DOWN, LEAF2, 5), sign(IBC_SIGN_DOWN, LEAF2, 6))),
	       EVENTS(broken("node11", "node21"), broken("node12", "node22")));
}

/* Without other switches two hosts that restart are no switch. */
TEST(two_hosts_of_the_only_switch_are_not_the_switch)
{
	struct mkfab m = mkfab();
	struct ibc_fabric *fab;
	struct ibc_blame *blame;

	(void)state;
	mk_switch(m, LEAF1, "leaf01", 8);
	for (unsigned int n = 1; n <= 4; n++) {
		mk_ca(m, 10 + n, (const char *[]){ "node11", "node12", "node13", "node14" }[n - 1],
		      1);
		cable(m, LEAF1, n, 10 + n, 1);
	}
	fab = done(m);
	blame = ask(
	    (struct ibc_blame_input){
		.then = fab, SIGNS(sign(IBC_SIGN_DOWN, LEAF1, 1), sign(IBC_SIGN_DOWN, LEAF1, 2)) },
	    EVENTS(broken("node13", "node14"), broken("node13", "node11")));
	assert_string_equal(answer(blame), "fabric leaf01/1 - node11/1, 1; unseen -, 1");
	ibc_blame_free(blame);
	ibc_fabric_free(fab);
}

TEST(hosts_of_a_leaf_that_lose_their_links_at_once_are_not_blamed)
{
	(void)state;
	BLAMES("fabric leaf01, 3", INPUT(.at = NOON),
	       EVENTS(said(IBC_LOG_PORT_EVENT, "node11"), said(IBC_LOG_PORT_EVENT, "node12"),
	              said(IBC_LOG_PORT_EVENT, "node13"), broken("node11", "node21"),
	              broken("node12", "node22"), broken("node13", "node23")));
}

static struct ibc_fabric *counted_fabric(time_t when)
{
	struct mkfab m = make(false).m;

	m.subnet->time = (double)when;
	for (unsigned int end = 0; end < 2; end++) {
		struct ibc_port *p = port(m, end ? 14 : LEAF1, end ? 1 : 4);
		struct ibc_counters *c = arena_alloc(fabric_build_arena(m.b), sizeof(*c));

		*c = (struct ibc_counters){ .known = 1u << IBC_LINK_DOWNED };
		p->counters = c;
		answers_put(p, IBC_ATTR_PORT_COUNTERS, ANSWER_OK);
	}
	return done(m);
}

/* Its other cables were up all the time: these hosts were restarted. */
TEST(a_leaf_whose_other_cables_stayed_up_did_not_restart)
{
	struct ibc_fabric *then = counted_fabric(NOON - 5 * MINUTE);
	struct ibc_fabric *now = counted_fabric(NOON + 5 * MINUTE);
	struct ibc_blame *blame = ask(
	    (struct ibc_blame_input){ .then = then, .now = now },
	    EVENTS(said(IBC_LOG_PORT_EVENT, "node11"), said(IBC_LOG_PORT_EVENT, "node12"),
	           said(IBC_LOG_PORT_EVENT, "node13"), broken("node11", "node21"),
	           broken("node12", "node22"), broken("node13", "node23")));

	(void)state;
	assert_string_equal(answer(blame), "host node11 mlx5_0/1, 1; host node12 mlx5_0/1, 1; "
	                                   "host node13 mlx5_0/1, 1");
	ibc_blame_free(blame);
	ibc_fabric_free(then);
	ibc_fabric_free(now);
}

TEST(a_host_of_which_something_was_seen_is_named)
{
	const struct ibc_blame_sign gone = sign(IBC_SIGN_GONE, 21, 0);

	(void)state;
	BLAMES("host node21 mlx5_0, 3", INPUT(SIGNS(gone)),
	       EVENTS(broken("node11", "node21"), broken("node12", "node21"),
	              broken("node22", "node21")));
	/* it was there when the job began, however old the sweep is */
	BLAMES("host node21 mlx5_0, 1", INPUT(SIGNS(at(NOON - 86400, NOON + 60, gone))),
	       EVENTS(broken("node11", "node21")));
	BLAMES("unseen -, 1", INPUT(SIGNS(at(NOON + 60 * MINUTE, NOON + 70 * MINUTE, gone))),
	       EVENTS(broken("node11", "node21")));
	BLAMES("host node21 mlx5_0, 1", INPUT(.at = NOON),
	       EVENTS(broken("node11", "node21"), said(IBC_LOG_DEVICE, "node21")));
	BLAMES("host node21 mlx5_0/1, 1", INPUT(.at = NOON),
	       EVENTS(broken("node11", "node21"), said(IBC_LOG_PORT_EVENT, "node21")));
}

/* An answer came: no cable broke, and a program can be the reason as well as the HCA. */
TEST(who_answers_that_it_could_not_is_named_and_not_blamed)
{
	const struct ibc_log_event refused = line(IBC_WC_REM_OP, host("node11"), host("node21"));

	(void)state;
	BLAMES("unseen node21, 2", INPUT(SIGNS(sign(IBC_SIGN_DOWN, LEAF1, 5))),
	       EVENTS(refused, line(IBC_WC_REM_OP, host("node12"), host("node21"))));
	BLAMES("host node21 mlx5_0, 1", INPUT(.at = NOON),
	       EVENTS(refused, said(IBC_LOG_DEVICE, "node21")));
	BLAMES("software node21, 2", INPUT(.at = NOON),
	       EVENTS(line(IBC_WC_LOC_PROT, host("node21"), host("node11")), refused));
}

TEST(a_host_all_of_whose_hcas_lose_their_links_is_named)
{
	(void)state;
	BLAMES("host twin, 2",
	       INPUT(SIGNS(sign(IBC_SIGN_DOWN, LEAF1, 7), sign(IBC_SIGN_DOWN, LEAF2, 7))),
	       EVENTS(broken("node11", "twin"), broken("node22", "twin")));
}

TEST(symptoms_of_a_host_explain_less_than_a_cable)
{
	struct ibc_log_event hot = said(IBC_LOG_DEVICE, "node11");
	struct ibc_log_event slow = said(IBC_LOG_PORT_EVENT, "node11");

	(void)state;
	hot.text = "High temperature on sensors";
	slow.text = "transmit timeout: latency 4600 msecs";
	BLAMES("fabric leaf01/5 - spine01/1, 1", INPUT(SIGNS(sign(IBC_SIGN_DOWN, LEAF1, 5))),
	       EVENTS(hot, slow, broken("node11", "node21")));
	BLAMES("unseen -, 1", INPUT(.at = NOON), EVENTS(slow));
}

TEST(a_port_event_alone_is_a_fault_and_beside_others_a_sign)
{
	struct ibc_log_event old = said(IBC_LOG_PORT_EVENT, "node11");

	(void)state;
	BLAMES("host node11 mlx5_0/1, 1", INPUT(.at = NOON), EVENTS(old));
	old.first = old.last = NOON - 120 * MINUTE;
	BLAMES("unseen -, 1", INPUT(.at = NOON), EVENTS(old, broken("node11", "node21")));
}

/* What a kernel says of a PCI function, which may be a port of an Ethernet card. */
static struct ibc_log_event kernel(const char *own, const char *pci, const char *device)
{
	struct ibc_log_event e = said(IBC_LOG_PORT_EVENT, own);

	e.program = IBC_LOG_KERNEL;
	e.own.pci = pci;
	e.own.device = device;
	return e;
}

TEST(a_pci_function_is_a_cause_only_if_it_is_known_to_be_infiniband)
{
	const struct ibc_blame_alias hca = {
		.host = "node11", .device = "mlx5_0", .pci = "0000:13:00.0", .port = 1, .guid = 12
	};
	struct ibc_log_event unused = kernel("node11", "0000:98:00.1", "");
	struct ibc_log_event named = kernel("node11", "0000:98:00.1", "mlx5_0");
	struct ibc_log_event ethernet = unused;

	(void)state;
	ethernet.roce = true;
	/* not known */
	BLAMES("unseen -, 1", INPUT(.at = NOON), EVENTS(unused, broken("node11", "node21")));
	BLAMES("", INPUT(.at = NOON), EVENTS(unused));
	/* Ethernet, by the interface, or by a report in which it is no HCA */
	BLAMES("unseen -, 1", INPUT(.at = NOON), EVENTS(ethernet, broken("node11", "node21")));
	BLAMES("unseen -, 1", INPUT(ALIASES(hca)), EVENTS(unused, broken("node11", "node21")));
	/* InfiniBand, by a report, or by a line that names the HCA with it, be it another line */
	BLAMES("host node11 mlx5_0/1, 1", INPUT(ALIASES(hca)),
	       EVENTS(kernel("node11", "0000:13:00.0", ""), broken("node11", "node21")));
	BLAMES("host node11 mlx5_0/1, 1", INPUT(.at = NOON),
	       EVENTS(named, broken("node11", "node21")));
	named.first = named.last = NOON - 120 * MINUTE;
	BLAMES("host node11 mlx5_0/1, 1", INPUT(.at = NOON),
	       EVENTS(named, unused, broken("node11", "node21")));
}

TEST(a_hosts_port_whose_cable_has_errors_is_that_cable)
{
	(void)state;
	BLAMES("fabric leaf01/1 - node11 mlx5_0/1, 1",
	       INPUT(SIGNS(counted(LEAF1, 1, IBC_LINK_DOWNED, 2))),
	       EVENTS(said(IBC_LOG_PORT_EVENT, "node11"), broken("node11", "node21")));
}

/* ---- software ------------------------------------------------------------------------------- */

TEST(statuses_of_the_program_are_its_own)
{
	(void)state;
	BLAMES("software node11, 1; software node12, 1",
	       INPUT(SIGNS(sign(IBC_SIGN_DOWN, LEAF1, 5))),
	       EVENTS(line(IBC_WC_RNR_RETRY_EXC, host("node11"), host("node21")),
	              line(IBC_WC_LOC_PROT, host("node12"), host("node22"))));
}

TEST(who_loses_a_process_that_died_of_itself_follows)
{
	struct ibc_log_event before = broken("node13", "node12");

	(void)state;
	before.first = before.last = NOON - 10 * MINUTE;
	BLAMES("software node12, 2; unseen -, 1", INPUT(.at = NOON),
	       EVENTS(line(IBC_WC_LOC_PROT, host("node12"), host("node22")),
	              broken("node11", "node12"), before));
	/* and excuses no cable that others cross */
	BLAMES("fabric leaf01/5 - spine01/1, 2; software node12, 1",
	       INPUT(SIGNS(sign(IBC_SIGN_DOWN, LEAF1, 5))),
	       EVENTS(line(IBC_WC_LOC_PROT, host("node12"), host("node22")),
	              broken("node24", "node12"), broken("node11", "node21")));
	/* nor what was seen of them then: it may be either */
	BLAMES("software node12, 1; unseen -, 1", INPUT(SIGNS(sign(IBC_SIGN_DOWN, LEAF1, 5))),
	       EVENTS(line(IBC_WC_LOC_PROT, host("node12"), host("node22")),
	              broken("node24", "node12")));
	before.first = before.last = NOON + 20 * MINUTE;
	BLAMES("software node12, 1; unseen -, 1", INPUT(.at = NOON),
	       EVENTS(line(IBC_WC_LOC_PROT, host("node12"), host("node22")), before));
}

TEST(software_excuses_no_other_process_of_its_host)
{
	struct ibc_log_event died = line(IBC_WC_REM_INV_REQ, host("node12"), host("node22"));
	struct ibc_log_event other = broken("node12", "node23"), same = other;

	(void)state;
	died.process = same.process = "node12:5776";
	other.process = "node12:6000";
	BLAMES("software node12, 2", INPUT(.at = NOON), EVENTS(died, same));
	BLAMES("software node12, 1; unseen -, 1", INPUT(.at = NOON), EVENTS(died, other));
	BLAMES("software node12, 1; unseen -, 1", INPUT(.at = NOON), EVENTS(same, died));
	died.process = other.process = "";
	BLAMES("software node12, 1; unseen -, 1", INPUT(.at = NOON), EVENTS(died, other));
	/* one line of a pair that is not excused is enough */
	BLAMES("software node12, 1; unseen -, 1", INPUT(.at = NOON),
	       EVENTS(died, broken("node23", "node12"), other));
}

TEST(software_hides_no_port_event)
{
	(void)state;
	BLAMES("host node12 mlx5_0/1, 1; software node12, 1", INPUT(.at = NOON),
	       EVENTS(line(IBC_WC_LOC_PROT, host("node12"), host("node22")),
	              said(IBC_LOG_PORT_EVENT, "node12")));
}

TEST(software_is_software_on_ethernet)
{
	struct ibc_log_event roce = line(IBC_WC_REM_ACCESS, host("node11"), host("node21"));

	(void)state;
	roce.roce = true;
	BLAMES("software node11, 1", INPUT(.at = NOON), EVENTS(roce));
}

/* ---- who is who ----------------------------------------------------------------------------- */

static void is_found(struct ibc_log_end end, size_t ports, const char *name,
                     const struct ibc_blame_alias *aliases, size_t n)
{
	struct ibc_fabric *fab = fabric();
	struct ibc_blame *blame = ask(
	    (struct ibc_blame_input){ .then = fab, .aliases = aliases, .num_aliases = n },
	    EVENTS(line(IBC_WC_RETRY_EXC, end, nobody())));

	assert_int_equal(blame->pairs[0].own_ports, ports);
	assert_string_equal(blame->pairs[0].own, name);
	ibc_blame_free(blame);
	ibc_fabric_free(fab);
}

TEST(an_end_is_found_by_all_that_names_it)
{
	struct ibc_log_end gid = nobody(), lid = nobody(), address = nobody(), pci = host("twin");
	const struct ibc_blame_alias names[] = {
		{ .host = "node22", .address = "10.2.0.5" },
		{ .host = "twin",
		  .device = "mlx5_9",
		  .pci = "0000:3b:00.0",
		  .port = 1,
		  .guid = 33 },
	};

	(void)state;
	gid.gid_prefix = 0xfe80000000000000;
	gid.gid_guid = 22; /* of port 1 of HCA 21: its GUID is 1 more */
	lid.lid = 23;
	address.address = "10.2.0.5";
	pci.pci = "0000:3b:00.0";
	is_found(gid, 1, "node21 mlx5_0/1", NULL, 0);
	is_found(lid, 1, "node23 mlx5_0/1", NULL, 0);
	is_found(host("NODE21.site"), 1, "node21 mlx5_0/1", NULL, 0);
	is_found(host("node21-ib0"), 1, "node21 mlx5_0/1", NULL, 0);
	is_found(host("node99"), 0, "node99", NULL, 0);
	is_found(address, 0, "10.2.0.5", NULL, 0);
	is_found(address, 1, "node22 mlx5_0/1", names, 1);
	is_found(pci, 1, "twin HCA-2/1", names, 2);
}

TEST(an_hca_is_known_by_name_or_may_be_any_of_its_host)
{
	(void)state;
	is_found(host("twin"), 2, "twin", NULL, 0);
	is_found(hca("twin", "mlx5_1"), 1, "twin HCA-2/1", NULL, 0);
	/* both are called by index, and neither by this one */
	is_found(hca("twin", "mlx5_2"), 0, "twin mlx5_2", NULL, 0);
}

TEST(lines_say_whose_an_address_is)
{
	struct ibc_log_event using = line(0, host("node21"), nobody());
	struct ibc_log_end peer = nobody();

	(void)state;
	using.kind = IBC_LOG_USING;
	using.own.address = peer.address = "10.2.0.21";
	BLAMES("fabric leaf02/1 - node21 mlx5_0/1, 1", INPUT(SIGNS(sign(IBC_SIGN_DOWN, LEAF2, 1))),
	       EVENTS(using, line(IBC_WC_RETRY_EXC, host("node11"), peer)));
}

/* Its own cable its packets cross in any case. */
TEST(an_address_of_several_hosts_may_be_any)
{
	struct ibc_log_end peer = nobody();

	(void)state;
	peer.address = "10.2.0.5";
	BLAMES("unseen -, 1",
	       INPUT(SIGNS(sign(IBC_SIGN_DOWN, LEAF2, 1), sign(IBC_SIGN_GONE, 22, 0)),
	             ALIASES({ .host = "node21", .address = "10.2.0.5" },
	                     { .host = "node22", .address = "10.2.0.5" })),
	       EVENTS(line(IBC_WC_RETRY_EXC, host("node11"), peer)));
	/* names of one host are one */
	BLAMES("fabric leaf02/1 - node21 mlx5_0/1, 1",
	       INPUT(SIGNS(sign(IBC_SIGN_DOWN, LEAF2, 1)),
	             ALIASES({ .host = "node21", .address = "10.2.0.5" },
	                     { .host = "node21-ib", .address = "10.2.0.5" })),
	       EVENTS(line(IBC_WC_RETRY_EXC, host("node11"), peer)));
}

TEST(of_an_unknown_peer_only_the_own_cable_is_looked_at)
{
	struct ibc_log_end peer = nobody();

	(void)state;
	peer.address = "10.2.0.99";
	BLAMES("fabric leaf01/1 - node11 mlx5_0/1, 1", INPUT(SIGNS(sign(IBC_SIGN_DOWN, LEAF1, 1))),
	       EVENTS(line(IBC_WC_RETRY_EXC, host("node11"), peer)));
	BLAMES("unseen -, 1", INPUT(SIGNS(sign(IBC_SIGN_DOWN, LEAF1, 5))),
	       EVENTS(line(IBC_WC_RETRY_EXC, host("node11"), peer)));
}

TEST(a_lid_is_that_of_the_sweep_of_the_time)
{
	struct made old = make(true), new = make(true);
	struct ibc_log_end peer = nobody();
	struct ibc_fabric *then, *now;
	struct ibc_blame *blame;

	(void)state;
	new.m.subnet->time = NOON + 600 * MINUTE;
	port(new.m, 21, 1)->lid = 40;
	port(new.m, 22, 1)->lid = 21;
	then = done(old.m);
	now = done(new.m);
	peer.lid = 21;
	blame = ask((struct ibc_blame_input){ .then = then, .now = now },
	            EVENTS(line(IBC_WC_RETRY_EXC, host("node11"), peer)));
	assert_string_equal(blame->pairs[0].peer, "node21 mlx5_0/1");
	ibc_blame_free(blame);
	ibc_fabric_free(then);
	ibc_fabric_free(now);
}

/* Later there is a leaf alone, whose ports are down, or up. */
static void is_named_later(bool up, const char *expected)
{
	struct made new = { .m = mkfab() };
	struct ibc_fabric *then = fabric(), *now;
	struct ibc_blame *blame;

	new.m.subnet->time = NOON + 60 * MINUTE;
	mk_switch(new.m, LEAF1, "leaf01", 8);
	if (up)
		mk_active(port(new.m, LEAF1, 1));
	now = done(new.m);
	blame = ask((struct ibc_blame_input){ .then = then,
	                                      .now = now,
	                                      SIGNS(sign(IBC_SIGN_DOWN, LEAF1, 1)) },
	            EVENTS(broken("node11", "node21")));
	assert_string_equal(answer(blame), expected);
	ibc_blame_free(blame);
	ibc_fabric_free(then);
	ibc_fabric_free(now);
}

TEST(a_cable_whose_hca_is_gone_since_is_its_host)
{
	(void)state;
	is_named_later(false, "host node11 mlx5_0/1, 1");
	/* that did not answer, and may be well */
	is_named_later(true, "fabric leaf01/1 - node11 mlx5_0/1, 1");
}

TEST(who_did_not_answer_is_not_blamed)
{
	struct ibc_fabric *fab = fabric();
	struct ibc_blame *blame = ask(
	    (struct ibc_blame_input){ .then = fab, SIGNS(sign(IBC_SIGN_SILENT, SPINE, 0)) },
	    EVENTS(broken("node11", "node21")));

	(void)state;
	assert_string_equal(answer(blame), "unseen -, 1");
	assert_non_null(strstr(blame->causes[0].evidence, "spine01 did not answer"));
	ibc_blame_free(blame);
	ibc_fabric_free(fab);
}

/* ---- what is not sure ------------------------------------------------------------------------ */

TEST(what_only_one_of_its_hcas_crosses_is_no_evidence)
{
	struct ibc_fabric *fab = fabric();
	struct ibc_blame *blame = ask(
	    (struct ibc_blame_input){ .then = fab, SIGNS(sign(IBC_SIGN_DOWN, LEAF2, 7)) },
	    EVENTS(broken("node11", "twin")));

	(void)state;
	assert_string_equal(answer(blame), "unseen -, 1");
	assert_int_equal(blame->causes[0].maybe->num, 7);
	assert_non_null(strstr(blame->causes[0].evidence, "went down at leaf02/7"));
	ibc_blame_free(blame);
	/* whichever it was, a packet of node11 crosses its cable */
	blame = ask((struct ibc_blame_input){ .then = fab, SIGNS(sign(IBC_SIGN_DOWN, LEAF1, 1)) },
	            EVENTS(broken("node11", "twin")));
	assert_string_equal(answer(blame), "fabric leaf01/1 - node11 mlx5_0/1, 1");
	ibc_blame_free(blame);
	ibc_fabric_free(fab);
}

TEST(a_port_of_several_that_has_an_error_is_the_one_whose_cable_went_down)
{
	(void)state;
	BLAMES("fabric leaf02/7 - twin HCA-2/1, 1",
	       INPUT(SIGNS(counted(LEAF2, 7, IBC_LINK_DOWNED, 1))),
	       EVENTS(broken("node11", "twin"), said(IBC_LOG_PORT_EVENT, "twin")));
}

TEST(without_tables_only_the_cables_at_the_ends_are_sure)
{
	struct ibc_fabric *fab = done(make(false).m);
	struct ibc_blame *blame = ask(
	    (struct ibc_blame_input){ .then = fab, SIGNS(sign(IBC_SIGN_DOWN, LEAF1, 5)) },
	    EVENTS(broken("node11", "node21")));

	(void)state;
	assert_string_equal(answer(blame), "unseen -, 1");
	assert_true(blame->guessed && blame->pairs[0].guessed);
	ibc_blame_free(blame);
	blame = ask((struct ibc_blame_input){ .then = fab, SIGNS(sign(IBC_SIGN_DOWN, LEAF1, 1)) },
	            EVENTS(broken("node11", "node21")));
	assert_string_equal(answer(blame), "fabric leaf01/1 - node11 mlx5_0/1, 1");
	ibc_blame_free(blame);
	ibc_fabric_free(fab);
}

/* The sweep is that of the first line. */
TEST(of_a_later_job_only_the_cables_at_the_ends_are_sure)
{
	struct ibc_log_event first = broken("node13", "node23");

	(void)state;
	first.first = first.last = NOON - 180 * MINUTE;
	BLAMES("unseen -, 2", INPUT(SIGNS(sign(IBC_SIGN_DOWN, LEAF1, 5))),
	       EVENTS(first, broken("node11", "node21")));
	BLAMES("fabric leaf01/1 - node11 mlx5_0/1, 1; unseen -, 1",
	       INPUT(SIGNS(sign(IBC_SIGN_DOWN, LEAF1, 1))),
	       EVENTS(first, broken("node11", "node21")));
}

TEST(adaptive_routing_takes_either_spine)
{
	struct made made = make(true);
	struct ibc_fabric *fab;
	struct ibc_blame *blame;

	(void)state;
	mk_adaptive(made.m, made.tables);
	fab = done(made.m);
	blame = ask((struct ibc_blame_input){ .then = fab, SIGNS(sign(IBC_SIGN_DOWN, LEAF1, 6)) },
	            EVENTS(broken("node11", "node21")));
	assert_string_equal(answer(blame), "fabric leaf01/6 - spine02/1, 1");
	assert_true(blame->pairs[0].guessed);
	ibc_blame_free(blame);
	ibc_fabric_free(fab);
}

/* ---- which lines ----------------------------------------------------------------------------- */

TEST(lines_of_other_hosts_and_times_are_not_of_the_job)
{
	const char *const hosts[] = { "node11", "node21" };
	struct ibc_log_event late = broken("node21", "node22");

	(void)state;
	late.first = late.last = NOON + 300 * MINUTE;
	BLAMES("unseen -, 1",
	       INPUT(.hosts = hosts, .num_hosts = 2, .from = NOON - 3600, .until = NOON + MINUTE),
	       EVENTS(broken("node11.site", "node21"), broken("node13", "node23"), late));
}

TEST(a_line_without_a_time_is_of_the_time_before_the_end)
{
	struct ibc_log_event untimed = broken("node11", "node21");

	(void)state;
	untimed.first = untimed.last = 0;
	BLAMES("fabric leaf01/5 - spine01/1, 1",
	       INPUT(.at = NOON + 50 * MINUTE, .slack = 3600, SIGNS(sign(IBC_SIGN_DOWN, LEAF1, 5))),
	       EVENTS(untimed));
	BLAMES("unseen -, 1", INPUT(.at = NOON + 50 * MINUTE, SIGNS(sign(IBC_SIGN_DOWN, LEAF1, 5))),
	       EVENTS(untimed));
}

TEST(no_memory_is_an_error)
{
	const struct ibc_log_event events[] = { broken("node11", "node21"),
		                                broken("node12", "twin"),
		                                line(IBC_WC_LOC_PROT, host("node13"), host("x")),
		                                said(IBC_LOG_PORT_EVENT, "node14") };
	const struct ibc_joblog log = { .events = events, .num = 4 };
	struct ibc_fabric *fab = fabric();
	const struct ibc_blame_input in = {
		.log = &log, .then = fab, .at = NOON, SIGNS(sign(IBC_SIGN_DOWN, LEAF1, 5))
	};
	struct ibc_blame *blame;
	unsigned long n = 0;
	int rc;

	(void)state;
	do {
		alloc_fail_at(++n);
		rc = ibc_blame_find(&in, &blame, NULL);
		alloc_fail_at(0);
		assert_true(rc ? rc == -ENOMEM && !blame : blame->num_causes == 2);
	} while (rc);
	ibc_blame_free(blame);
	ibc_fabric_free(fab);
}

TEST(no_memory_for_its_findings_is_an_error)
{
	const struct ibc_log_event events[] = { broken("node11", "node21"),
		                                broken("node12", "twin"),
		                                line(IBC_WC_LOC_PROT, host("node13"), host("x")),
		                                broken("node14", "node13") };
	const struct ibc_joblog log = { .events = events, .num = 4, .lost = 1 };
	struct ibc_fabric *fab = fabric();
	const struct ibc_blame_input in = {
		.log = &log, .then = fab, .at = NOON, SIGNS(sign(IBC_SIGN_DOWN, LEAF1, 1))
	};
	struct ibc_report *rep;
	struct ibc_blame *blame;
	unsigned long n = 0;
	int rc;

	(void)state;
	assert_int_equal(ibc_blame_find(&in, &blame, NULL), 0);
	do {
		assert_int_equal(ibc_report_new(&rep, NULL), 0);
		alloc_fail_at(++n);
		rc = ibc_check_blame(blame, &in, rep, NULL);
		alloc_fail_at(0);
		if (!ibc_report_finish(rep, NULL) && !rc) {
			assert_int_equal(ibc_report_count(rep, IBC_CRITICAL), 1);
			assert_int_equal(ibc_report_count(rep, IBC_UNKNOWN), 2);
			assert_int_equal(ibc_report_verdict(rep), IBC_CRITICAL);
			n = 0;
		}
		ibc_report_free(rep);
	} while (n);
	ibc_blame_free(blame);
	ibc_fabric_free(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_hosts_without_evidence_are_not_blamed),
		cmocka_unit_test(a_host_that_all_have_in_common_is_not_blamed_for_it),
		cmocka_unit_test(flushes_and_other_links_are_counted_and_no_more),
		cmocka_unit_test(a_cable_of_the_route_that_went_down_then_is_named),
		cmocka_unit_test(what_no_route_crosses_is_no_evidence),
		cmocka_unit_test(what_was_at_another_time_is_no_evidence),
		cmocka_unit_test(few_errors_break_no_connection),
		cmocka_unit_test(errors_explain_less_than_a_host_that_all_have_in_common),
		cmocka_unit_test(two_faults_are_two_causes),
		cmocka_unit_test(a_case_that_is_remembered_is_named),
		cmocka_unit_test(a_route_that_is_sent_by_a_port_that_is_down_is_evidence),
		cmocka_unit_test(a_switch_most_of_whose_cables_went_down_is_named_for_them),
		cmocka_unit_test(a_leaf_all_of_whose_cables_upward_went_down_is_named_for_them),
		cmocka_unit_test(two_hosts_of_the_only_switch_are_not_the_switch),
		cmocka_unit_test(hosts_of_a_leaf_that_lose_their_links_at_once_are_not_blamed),
		cmocka_unit_test(a_leaf_whose_other_cables_stayed_up_did_not_restart),
		cmocka_unit_test(a_host_of_which_something_was_seen_is_named),
		cmocka_unit_test(who_answers_that_it_could_not_is_named_and_not_blamed),
		cmocka_unit_test(a_host_all_of_whose_hcas_lose_their_links_is_named),
		cmocka_unit_test(symptoms_of_a_host_explain_less_than_a_cable),
		cmocka_unit_test(a_port_event_alone_is_a_fault_and_beside_others_a_sign),
		cmocka_unit_test(a_pci_function_is_a_cause_only_if_it_is_known_to_be_infiniband),
		cmocka_unit_test(a_hosts_port_whose_cable_has_errors_is_that_cable),
		cmocka_unit_test(statuses_of_the_program_are_its_own),
		cmocka_unit_test(who_loses_a_process_that_died_of_itself_follows),
		cmocka_unit_test(software_excuses_no_other_process_of_its_host),
		cmocka_unit_test(software_hides_no_port_event),
		cmocka_unit_test(software_is_software_on_ethernet),
		cmocka_unit_test(an_end_is_found_by_all_that_names_it),
		cmocka_unit_test(an_hca_is_known_by_name_or_may_be_any_of_its_host),
		cmocka_unit_test(lines_say_whose_an_address_is),
		cmocka_unit_test(an_address_of_several_hosts_may_be_any),
		cmocka_unit_test(of_an_unknown_peer_only_the_own_cable_is_looked_at),
		cmocka_unit_test(a_lid_is_that_of_the_sweep_of_the_time),
		cmocka_unit_test(who_did_not_answer_is_not_blamed),
		cmocka_unit_test(a_cable_whose_hca_is_gone_since_is_its_host),
		cmocka_unit_test(what_only_one_of_its_hcas_crosses_is_no_evidence),
		cmocka_unit_test(
		    a_port_of_several_that_has_an_error_is_the_one_whose_cable_went_down),
		cmocka_unit_test(without_tables_only_the_cables_at_the_ends_are_sure),
		cmocka_unit_test(of_a_later_job_only_the_cables_at_the_ends_are_sure),
		cmocka_unit_test(adaptive_routing_takes_either_spine),
		cmocka_unit_test(lines_of_other_hosts_and_times_are_not_of_the_job),
		cmocka_unit_test(a_line_without_a_time_is_of_the_time_before_the_end),
		cmocka_unit_test(no_memory_is_an_error),
		cmocka_unit_test(no_memory_for_its_findings_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
