/* SPDX-License-Identifier: BSD-2-Clause */
/* What the checks say of a tree that is not as its like are. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ibcheck/case.h>
#include <ibcheck/fattree.h>
#include <ibcheck/topo.h>

#include "base/arena.h"
#include "findings.h"
#include "mktree.h"
#include "report/report.h"

/* Hosts on ports 1 to 4, uplinks from 5; GUIDs in the order of leaves, then spines. */
static const struct tree_spec two = { .leaves = 6, .spines = 4, .hosts = 4 };
static const struct tree_spec rails = { .rails = 2, .leaves = 4, .spines = 4, .hosts = 8 };

static struct mktree tree(const struct tree_spec *spec)
{
	struct mktree t = mktree(spec, 1);

	for (unsigned int i = 0; i < t.num_switches; i++)
		t.switches[i].guid = 0x1000 + i;
	return t;
}

/* Cable c of leaf l. */
static struct tree_link *uplink(struct mktree *t, unsigned int l, unsigned int c)
{
	return &t->links[l * t->spec.spines * t->spec.cables + c];
}

static struct tree_end spare(const struct mktree *t, unsigned int sw, unsigned int n)
{
	return (struct tree_end){ sw, t->switches[sw].ports - n };
}

static void cross(struct tree_link *a, struct tree_link *z)
{
	struct tree_end upper = a->end[1];

	a->end[1] = z->end[1];
	z->end[1] = upper;
}

/* Ports in no order, on both sides. */
static void shuffle(struct mktree *t)
{
	for (unsigned int i = 0; i < t->num_links; i++)
		for (unsigned int e = 0; e < 2; e++) {
			struct tree_link *other = &t->links[pick(t, t->num_links)];
			struct tree_end *a = &t->links[i].end[e], *z = &other->end[e];
			unsigned int port = a->port;

			if (a->sw != z->sw)
				continue;
			a->port = z->port;
			z->port = port;
		}
}

/* A port of a finished fabric, to be changed. */
static struct ibc_port *port_of(struct ibc_fabric *fab, uint64_t guid, unsigned int num)
{
	const struct ibc_node *node = ibc_fabric_node_by_guid(fab, guid);

	assert_non_null(node);
	return (struct ibc_port *)ibc_node_port(node, num);
}

/* ---- reports ---- */

static struct ibc_report *report_on(struct ibc_fabric *fab, const char *selection,
                                    const struct ibc_config *config)
{
	struct ibc_fattree *inferred;
	struct ibc_report *rep;

	assert_int_equal(ibc_fattree_infer(fab, NULL, &inferred, NULL), 0);
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(
	    ibc_check_run(
		&(struct ibc_input){ .fabric = fab, .fattree = inferred, .config = config },
		selection, rep, NULL),
	    0);
	ibc_fattree_free(inferred);
	ibc_fabric_free(fab);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	return rep;
}

/* Findings with their remedies; but for what opensm would make of it. */
static void expect_on(struct ibc_fabric *fab, const char *lines)
{
	struct ibc_report *rep = report_on(fab, "fattree,-fattree.opensm-ftree", NULL);
	const struct ibc_finding *f;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++) {
		print_finding(out, f);
		if (f->advice)
			fprintf(out, "  fix: %s\n", f->advice);
	}
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, lines);
	free(text);
	ibc_report_free(rep);
}

static void expect_tree(struct mktree *t, const char *lines)
{
	expect_on(mktree_done(t), lines);
}

static const char *fact_of(const struct ibc_finding *f, const char *key)
{
	for (size_t i = 0; i < f->num_facts; i++)
		if (!strcmp(f->facts[i].key, key))
			return f->facts[i].value.str;
	return NULL;
}

/* ---- cables ---- */

static void a_clean_tree_has_no_findings(void **state)
{
	struct mktree t = tree(&two);

	(void)state;
	expect_tree(&t, "");
}

static void a_missing_uplink_is_told_with_both_sockets(void **state)
{
	struct mktree t = tree(&two);

	(void)state;
	uplink(&t, 2, 1)->gone = true;
	expect_tree(&t, "critical leaf-0-0-0-2/6 - spine-0-0-0-1/3: is missing: both of its ports "
	                "are Polling; leaf-0-0-0-2 has 3 of its 4 uplinks\n"
	                "  fix: Connect leaf-0-0-0-2/6 to spine-0-0-0-1/3; if it is plugged in, "
	                "reseat it at both ends, then replace it\n");
}

static void the_evidence_is_rule_and_support(void **state)
{
	struct mktree t = tree(&two);
	const struct ibc_finding *f;
	struct ibc_report *rep;

	(void)state;
	uplink(&t, 2, 1)->gone = true;
	rep = report_on(mktree_done(&t), "fattree.missing-uplink", NULL);
	f = ibc_report_finding(rep, 0);
	assert_string_equal(fact_of(f, "rule"), "4 uplinks, 1 to each of 4 spine switches");
	assert_string_equal(fact_of(f, "support"), "5 of 6 leaf switches");
	assert_string_equal(fact_of(f, "expected"), "leaf-0-0-0-2/6 - spine-0-0-0-1/3");
	assert_int_equal(f->num_related, 2); /* the cable, and who loses by it */
	ibc_report_free(rep);
}

static void a_disabled_port_is_to_be_enabled(void **state)
{
	struct mktree t = tree(&two);
	struct ibc_fabric *fab;

	(void)state;
	uplink(&t, 2, 1)->gone = true;
	fab = mktree_done(&t);
	port_of(fab, 0x1002, 6)->phys_state = IBC_PHYS_DISABLED;
	expect_on(fab, "critical leaf-0-0-0-2/6 - spine-0-0-0-1/3: is missing: leaf-0-0-0-2/6 is "
	               "Disabled, spine-0-0-0-1/3 is Polling; leaf-0-0-0-2 has 3 of its 4 uplinks\n"
	               "  fix: Enable leaf-0-0-0-2/6 again (ibportstate), unless it was disabled "
	               "on purpose\n");
}

#define NOT_KNOWN                                                                                  \
	"unknown leaf-0-0-0-2/6 - spine-0-0-0-1/3: the cable from leaf-0-0-0-2/6 to "              \
	"spine-0-0-0-1/3 is not checked: one of its ports does not answer, or leads to a device "  \
	"that does not\n"                                                                          \
	"  fix: See port.silent first\n"

static void what_does_not_answer_is_not_missing(void **state)
{
	struct mktree t = tree(&two);
	struct ibc_fabric *fab;

	(void)state;
	uplink(&t, 2, 1)->gone = true;
	fab = mktree_done(&t);
	port_of(fab, 0x1002, 6)->answers.answered = 0;
	expect_on(fab, NOT_KNOWN);
}

static void a_port_that_is_up_leads_somewhere(void **state)
{
	struct mktree t = tree(&two);
	struct ibc_fabric *fab;

	(void)state;
	uplink(&t, 2, 1)->gone = true;
	fab = mktree_done(&t);
	port_of(fab, 0x1007, 3)->phys_state = IBC_PHYS_LINKUP;
	expect_on(fab, NOT_KNOWN);
}

static void without_order_of_ports_both_switches_are_named(void **state)
{
	struct mktree t = tree(&two);

	(void)state;
	shuffle(&t);
	uplink(&t, 2, 1)->gone = true;
	expect_tree(&t, "critical leaf-0-0-0-2: has no cable to spine-0-0-0-1; similar switches "
	                "have one; leaf-0-0-0-2 has 3 of its 4 uplinks\n"
	                "  fix: Connect leaf-0-0-0-2 to spine-0-0-0-1; if it is plugged in, reseat "
	                "it at both ends, then replace it\n");
}

/* What a person repairs is a cable; that one switch lacks several is what to read first. */
static void several_missing_of_one_switch_are_a_view(void **state)
{
	static const struct tree_spec wide = { .leaves = 8, .spines = 20, .hosts = 4 };
	struct mktree t = tree(&wide);
	struct ibc_fattree *inferred;
	const struct ibc_case *c;
	struct ibc_report *rep;
	struct ibc_fabric *fab;
	struct ibc_input in;

	(void)state;
	for (unsigned int i = 3; i < 6; i++)
		uplink(&t, 2, i)->gone = true;
	fab = mktree_done(&t);
	assert_int_equal(ibc_fattree_infer(fab, NULL, &inferred, NULL), 0);
	in = (struct ibc_input){ .fabric = fab, .fattree = inferred };
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, "fattree.missing-uplink", rep, NULL), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	assert_int_equal(ibc_cases_find(&in, ibc_check_find, rep, NULL), 0);
	assert_int_equal(rep->num_cases, 1);
	c = ibc_report_case_at(rep, 0);
	assert_int_equal(c->num_members, 3);
	assert_string_not_equal(c->findings[0]->id, c->findings[1]->id);
	assert_string_equal(c->subject.near.desc, "leaf-0-0-0-2");
	assert_string_equal(c->message, "3 cables to spine switches are missing: spine-0-0-0-3, "
	                                "spine-0-0-0-4 and spine-0-0-0-5; leaf-0-0-0-2 has 17 of "
	                                "its 20 uplinks");
	assert_string_equal(
	    c->advice, "Connect leaf-0-0-0-2/8 to spine-0-0-0-3/3, then connect leaf-0-0-0-2/9 "
		       "to spine-0-0-0-4/3, then connect leaf-0-0-0-2/10 to spine-0-0-0-5/3; so "
		       "many at once point to one cause: a line card, a cable bundle, the switch");
	assert_string_equal(c->findings[1]->message,
	                    "is missing: both of its ports are Polling; leaf-0-0-0-2 has 17 of its "
	                    "20 uplinks");
	assert_string_equal(c->findings[1]->advice,
	                    "Connect leaf-0-0-0-2/9 to spine-0-0-0-4/3; if it is plugged in, "
	                    "reseat it at both ends, then replace it");
	ibc_report_free(rep);
	ibc_fattree_free(inferred);
	ibc_fabric_free(fab);
}

/* Two cables of a pair whose ports are in no order are two, and told apart by an ordinal. */
static void without_ports_each_cable_has_an_ordinal(void **state)
{
	static const struct tree_spec pairs = { .leaves = 8, .spines = 6, .cables = 4, .hosts = 4 };
	struct mktree t = tree(&pairs);
	const struct ibc_finding *a, *z;
	struct ibc_report *rep;

	(void)state;
	for (unsigned int i = 0; i < 4; i++) /* so that no port has a majority */
		shuffle(&t);
	for (unsigned int i = 4; i < 6; i++)
		uplink(&t, 2, i)->gone = true;
	rep = report_on(mktree_done(&t), "fattree.missing-uplink", NULL);
	a = ibc_report_finding(rep, 0);
	z = ibc_report_finding(rep, 1);
	assert_int_equal(a->subject.kind, IBC_SUBJECT_NODE);
	assert_string_equal(fact_of(a, "far"), fact_of(z, "far"));
	assert_int_equal(finding_fact(a, "ordinal")->num, 1);
	assert_int_equal(finding_fact(z, "ordinal")->num, 2);
	ibc_report_free(rep);
}

/* Nobody takes a leaf with all its hosts and three quarters of its uplinks for another design. */
static void a_leaf_that_lacks_much_is_critical(void **state)
{
	static const struct tree_spec wide = { .leaves = 16, .spines = 18, .hosts = 4 };
	struct mktree t = tree(&wide);
	struct ibc_report *rep;

	(void)state;
	for (unsigned int i = 3; i < 7; i++)
		uplink(&t, 2, i)->gone = true;
	rep = report_on(mktree_done(&t), "fattree.missing-uplink", NULL);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(ibc_report_finding(rep, i)->severity, IBC_CRITICAL);
	assert_null(ibc_report_finding(rep, 4));
	ibc_report_free(rep);
}

#define DOUBTFUL(leaf)                                                                             \
	"warning " leaf ": has 14 of 18 uplinks where 14 switches like it have 18: 4 cables are "  \
	"missing, or it is intended\n"                                                             \
	"  fix: Look at its dark ports, and at what its cables have in common: a line card, a "    \
	"bundle, a power supply. If it is intended, say so: with a plan (--expect), or accept it " \
	"(ibcheck known add)\n"

/* They may have lost them together, with a power supply; of three nobody would think so. */
static void two_that_lack_the_same_may_be_meant_so(void **state)
{
	static const struct tree_spec wide = { .leaves = 16, .spines = 18, .hosts = 4 };
	struct mktree t = tree(&wide);

	(void)state;
	for (unsigned int i = 3; i < 7; i++)
		uplink(&t, 2, i)->gone = uplink(&t, 5, i)->gone = true;
	expect_tree(&t, DOUBTFUL("leaf-0-0-0-2") DOUBTFUL("leaf-0-0-0-5"));
}

/* Two cases of one leaf: what it has left is the same in both. */
static void uplinks_are_counted_over_all_cases(void **state)
{
	static const struct tree_spec wide = { .leaves = 8, .spines = 20, .hosts = 4 };
	struct mktree t = tree(&wide);

	(void)state;
	uplink(&t, 2, 3)->gone = uplink(&t, 2, 9)->gone = true;
	expect_tree(
	    &t, "critical leaf-0-0-0-2/8 - spine-0-0-0-3/3: is missing: both of its ports are "
		"Polling; leaf-0-0-0-2 has 18 of its "
		"20 uplinks\n"
		"  fix: Connect leaf-0-0-0-2/8 to spine-0-0-0-3/3; if it is plugged in, reseat it "
		"at both ends, then replace it\n"
		"critical leaf-0-0-0-2/14 - spine-0-0-0-9/3: is missing: both of its ports are "
		"Polling; leaf-0-0-0-2 has 18 of "
		"its 20 uplinks\n"
		"  fix: Connect leaf-0-0-0-2/14 to spine-0-0-0-9/3; if it is plugged in, reseat "
		"it at both ends, then replace it\n");
}

static void two_crossed_cables_are_one_swap(void **state)
{
	struct mktree t = tree(&two);

	(void)state;
	cross(uplink(&t, 0, 0), uplink(&t, 3, 1));
	expect_tree(&t,
	            "critical leaf-0-0-0-0/5 - spine-0-0-0-1/4: two cables are exchanged: "
	            "leaf-0-0-0-0/5 belongs on spine-0-0-0-0/1, leaf-0-0-0-3/6 on spine-0-0-0-1/4; "
	            "leaf-0-0-0-0 and leaf-0-0-0-3 each have 3 of their 4 uplinks\n"
	            "  fix: Exchange the two plugs at spine-0-0-0-0/1 and spine-0-0-0-1/4\n");
}

static void three_in_a_circle_are_rotated(void **state)
{
	struct mktree t = tree(&two);

	(void)state;
	cross(uplink(&t, 0, 0), uplink(&t, 3, 1));
	cross(uplink(&t, 3, 1), uplink(&t, 5, 2));
	expect_tree(&t, "critical leaf-0-0-0-0/5 - spine-0-0-0-1/4: three cables are rotated: "
	                "leaf-0-0-0-0/5 belongs on spine-0-0-0-0/1, leaf-0-0-0-5/7 on "
	                "spine-0-0-0-2/6, leaf-0-0-0-3/6 on spine-0-0-0-1/4; leaf-0-0-0-0, "
	                "leaf-0-0-0-5 and leaf-0-0-0-3 each have 3 of their 4 uplinks\n"
	                "  fix: Exchange the two plugs at spine-0-0-0-2/6 and spine-0-0-0-1/4, "
	                "then exchange the two plugs at spine-0-0-0-0/1 and spine-0-0-0-2/6\n");
}

static void a_doubled_cable_is_uneven(void **state)
{
	struct mktree t = tree(&two);

	(void)state;
	uplink(&t, 2, 0)->end[1] = spare(&t, uplink(&t, 2, 1)->end[1].sw, 0);
	expect_tree(&t, "critical leaf-0-0-0-2/5 - spine-0-0-0-1/10: one cable too many between "
	                "leaf-0-0-0-2 and spine-0-0-0-1: leaf-0-0-0-2/5 belongs on "
	                "spine-0-0-0-0/3; leaf-0-0-0-2 has 3 of its 4 uplinks\n"
	                "  fix: Move the plug from spine-0-0-0-1/10 to spine-0-0-0-0/3\n");
}

static void a_cable_between_leaves_lacks_at_both_ends(void **state)
{
	struct mktree t = tree(&two);

	(void)state;
	uplink(&t, 2, 0)->end[1] = uplink(&t, 4, 3)->end[0];
	uplink(&t, 4, 3)->gone = true;
	expect_tree(&t,
	            "critical leaf-0-0-0-2/5 - leaf-0-0-0-4/8: joins two leaf switches: "
	            "leaf-0-0-0-2/5 belongs on spine-0-0-0-0/3, leaf-0-0-0-4/8 on spine-0-0-0-3/5; "
	            "leaf-0-0-0-2 and leaf-0-0-0-4 each have 3 of their 4 uplinks\n"
	            "  fix: Move the plug from leaf-0-0-0-4/8 to spine-0-0-0-0/3, then connect "
	            "leaf-0-0-0-4/8 to spine-0-0-0-3/5\n");
}

static void a_slow_cable_is_held_against_its_siblings(void **state)
{
	struct mktree t = tree(&two);

	(void)state;
	uplink(&t, 1, 2)->speed = IBC_SPEED_FDR;
	expect_tree(&t, "warning leaf-0-0-0-1/7 - spine-0-0-0-2/2: trained to 4x FDR (54.5 Gb/s), "
	                "the cables beside it to 100 Gb/s\n"
	                "  fix: Reseat the cable at both ends, then replace it\n");
}

static void a_slow_cable_in_the_wrong_place_is_one_finding(void **state)
{
	struct mktree t = tree(&two);

	(void)state;
	cross(uplink(&t, 0, 0), uplink(&t, 3, 1));
	uplink(&t, 0, 0)->speed = IBC_SPEED_QDR;
	expect_tree(&t, "critical leaf-0-0-0-0/5 - spine-0-0-0-1/4: two cables are exchanged: "
	                "leaf-0-0-0-0/5 belongs on spine-0-0-0-0/1, leaf-0-0-0-3/6 on "
	                "spine-0-0-0-1/4; leaf-0-0-0-0 and leaf-0-0-0-3 each have 3 of their 4 "
	                "uplinks; leaf-0-0-0-0/5 is slow as well, 4x QDR (32 Gb/s)\n"
	                "  fix: Exchange the two plugs at spine-0-0-0-0/1 and spine-0-0-0-1/4\n");
}

static void a_cable_that_port_speed_tells_of_is_not_told_twice(void **state)
{
	struct mktree t = tree(&two);
	struct ibc_report *rep;

	(void)state;
	uplink(&t, 1, 2)->speed = IBC_SPEED_FDR;
	rep = report_on(mktree_done(&t), "port.speed,port.width,fattree.slow-trunk", NULL);
	assert_string_equal(ibc_report_finding(rep, 0)->check, "port.speed");
	assert_null(ibc_report_finding(rep, 1));
	ibc_report_free(rep);
}

/* ---- switches and hosts ---- */

static void ports_out_of_order_are_for_information(void **state)
{
	static const struct tree_spec wide = { .leaves = 10, .spines = 6, .hosts = 4 };
	struct mktree t = tree(&wide);
	unsigned int port = uplink(&t, 2, 0)->end[0].port;

	(void)state;
	uplink(&t, 2, 0)->end[0].port = uplink(&t, 2, 1)->end[0].port;
	uplink(&t, 2, 1)->end[0].port = port;
	expect_tree(&t, "info leaf-0-0-0-2: 2 cables join the right switches at other ports than "
	                "on similar switches: leaf-0-0-0-2/6 and leaf-0-0-0-2/5\n");
}

static void a_spine_that_is_absent_is_a_hint(void **state)
{
	static const struct tree_spec wide = { .leaves = 10, .spines = 6, .hosts = 4 };
	struct mktree t = tree(&wide);

	(void)state;
	t.switches[tree_find(&t, TIER_SPINE, 0, 0, 0, 2)].gone = true;
	expect_tree(&t, "warning fabric: a spine switch above leaf-0-0-0-0, leaf-0-0-0-1, "
	                "leaf-0-0-0-2 and 7 more seems to be missing: port 7 is dark on all 10, "
	                "between ports with uplinks: a hint\n"
	                "  fix: Look for a switch without power or with all cables unplugged; if "
	                "there never was one, nothing is wrong\n");
}

static void a_stray_host_is_for_information(void **state)
{
	struct mktree t = tree(&two);

	(void)state;
	t.hosts[0].at = spare(&t, tree_find(&t, TIER_SPINE, 0, 0, 0, 3), 0);
	expect_tree(&t, "info spine-0-0-0-3/10 - host00000 mlx5_0/1: host00000 is cabled to a "
	                "spine switch; hardly any other switch of that tier has hosts\n"
	                "  fix: Move it to a leaf switch, unless it is there on purpose: routing "
	                "engines for trees can refuse the fabric (fattree.opensm-ftree)\n");
}

static struct tree_host *adapter(struct mktree *t, unsigned int host, unsigned int rail)
{
	for (unsigned int i = 0; i < t->num_hosts; i++)
		if (t->hosts[i].number == host && t->hosts[i].adapter == rail)
			return &t->hosts[i];
	fail_msg("no such adapter");
	return NULL;
}

static void exchanged_adapters_are_a_warning(void **state)
{
	struct mktree t = tree(&rails);
	struct tree_end at = adapter(&t, 11, 0)->at;

	(void)state;
	adapter(&t, 11, 0)->at = adapter(&t, 11, 1)->at;
	adapter(&t, 11, 1)->at = at;
	expect_tree(
	    &t, "warning leaf-1-0-0-1/4 - host00011 mlx5_0/1: two HCAs are exchanged: host00011 "
		"mlx5_0/1 belongs on leaf-0-0-0-1/4, host00011 mlx5_1/1 on leaf-1-0-0-1/4; nearly "
		"all of 32 hosts with 2 HCAs have each HCA on its own leaf switches\n"
		"  fix: Exchange the two plugs at leaf-1-0-0-1/4 and leaf-0-0-0-1/4\n");
}

static void adapters_that_deviate_alone_are_for_information(void **state)
{
	struct mktree t = tree(&rails);

	(void)state;
	adapter(&t, 11, 0)->at = spare(&t, adapter(&t, 11, 1)->at.sw, 0);
	expect_tree(&t, "info host00011 mlx5_0: is on another leaf switch than the same HCA of "
	                "other hosts, and no HCA is in their place\n");
}

static const struct tree_spec four_rails = { .rails = 4, .leaves = 4, .spines = 4, .hosts = 8 };

static void a_rail_in_parts_is_critical(void **state)
{
	struct mktree t = tree(&four_rails);
	unsigned int sw = tree_find(&t, TIER_LEAF, 2, 0, 0, 1);

	(void)state;
	for (unsigned int i = 0; i < t.num_links; i++)
		t.links[i].gone |= t.links[i].end[0].sw == sw || t.links[i].end[1].sw == sw;
	expect_tree(&t,
	            "info leaf-2-0-0-1: is not part of the tree\n"
	            "critical leaf-2-0-0-1: has no path to leaf-2-0-0-0 and the other leaf "
	            "switches of rail mlx5_2, and most other rails of these 32 hosts are whole\n"
	            "  fix: Look for cables to the spine switches of this rail that are missing "
	            "or down. Until then its HCAs do not reach those of the other part\n");
}

static void one_rail_beside_is_not_most_of_them(void **state)
{
	struct mktree t = tree(&rails);
	unsigned int sw = tree_find(&t, TIER_LEAF, 1, 0, 0, 3);

	(void)state;
	for (unsigned int i = 0; i < t.num_links; i++)
		t.links[i].gone |= t.links[i].end[0].sw == sw || t.links[i].end[1].sw == sw;
	expect_tree(&t,
	            "info leaf-1-0-0-3: is not part of the tree\n"
	            "critical leaf-1-0-0-3: has no path to leaf-1-0-0-0 and the other leaf "
	            "switches of rail mlx5_1, and the other rail of these 32 hosts is whole\n"
	            "  fix: Look for cables to the spine switches of this rail that are missing "
	            "or down. Until then its HCAs do not reach those of the other part\n");
}

static void a_host_without_an_hca_on_a_rail_is_a_warning(void **state)
{
	struct mktree t = tree(&four_rails);

	(void)state;
	adapter(&t, 13, 2)->gone = true;
	expect_tree(&t,
	            "warning host00013 mlx5_0: is on a host that lacks one HCA in the fabric: 31 "
	            "hosts that have 4 of them have one on rail mlx5_2 too\n"
	            "  fix: Run \"ibcheck host\" there: the HCA is gone, or its cable is down or "
	            "unplugged\n");
}

/* ---- the whole ---- */

static void what_is_no_tree_is_named(void **state)
{
	struct mkfab m = mk_leaf(3);
	struct ibc_config *config;

	(void)state;
	expect_on(done(m), "info fabric: is not a fat-tree: one switch\n"
	                   "  fix: Its cabling is not judged by symmetry; \"ibcheck topo\" "
	                   "compares any topology with a plan\n");
	assert_int_equal(ibc_config_new(&config, NULL), 0);
	assert_int_equal(ibc_config_set(config, "fattree.family", "severity", "critical", NULL), 0);
	m = mk_leaf(3);
	expect_of(report_on(done(m), "fattree", config),
	          "critical fabric: is not a fat-tree: one switch\n");
	ibc_config_free(config);
}

static void without_an_inference_nothing_is_evaluated(void **state)
{
	struct mktree t = tree(&two);
	struct ibc_fabric *fab = mktree_done(&t);
	struct ibc_report *rep;

	(void)state;
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&(struct ibc_input){ .fabric = fab }, "fattree", rep, NULL),
	                 0);
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	ibc_report_free(rep);
	ibc_fabric_free(fab);
}

/* Has what a configuration makes of 4 hosts and 2 uplinks a leaf this severity? */
static void expect_ratio(const char *key, const char *limit, enum ibc_severity severity)
{
	static const struct tree_spec narrow = { .leaves = 6, .spines = 2, .hosts = 4 };
	struct mktree t = tree(&narrow);
	struct ibc_config *config;
	struct ibc_report *rep;

	assert_int_equal(ibc_config_new(&config, NULL), 0);
	if (key)
		assert_int_equal(ibc_config_set(config, "fattree.oversubscribed", key, limit, NULL),
		                 0);
	rep = report_on(mktree_done(&t), "fattree.oversubscribed", config);
	assert_int_equal(ibc_report_verdict(rep), severity);
	if (severity == IBC_OK)
		assert_null(ibc_report_finding(rep, 0));
	ibc_report_free(rep);
	ibc_config_free(config);
}

static void oversubscription_is_evaluated_by_the_limit_of_the_site(void **state)
{
	(void)state;
	expect_ratio(NULL, NULL, IBC_OK);
	expect_ratio("warning", "2", IBC_OK);
	expect_ratio("warning", "1.9", IBC_WARNING);
	expect_ratio("critical", "1.5", IBC_CRITICAL);
	expect_ratio("warning", "off", IBC_OK);
}

static void a_limit_of_the_whole_has_no_nodes(void **state)
{
	struct ibc_config *config;
	struct ibc_error err;

	(void)state;
	assert_int_equal(ibc_config_new(&config, NULL), 0);
	assert_int_equal(
	    ibc_config_set(config, "fattree.oversubscribed", "warning.switch", "2", &err), -EINVAL);
	assert_string_equal(err.text, "fattree.oversubscribed has no key \"warning.switch\": its "
	                              "keys are enabled, severity, warning, critical");
	assert_int_equal(
	    ibc_config_set(config, "fattree.oversubscribed \"leaf*\"", "warning", "2", &err),
	    -EINVAL);
	assert_int_equal(ibc_config_set(config, "fattree.oversubscribed", "warning", "2:1", &err),
	                 -EINVAL);
	assert_string_equal(
	    err.text,
	    "warning of fattree.oversubscribed cannot be \"2:1\": use a number (N to 1), or off");
	ibc_config_free(config);
}

static void many_that_follow_no_rule_equal_are_one_line(void **state)
{
	static const struct tree_spec wide = { .leaves = 24, .spines = 8, .hosts = 8 };
	struct mktree t = tree(&wide);
	struct ibc_report *rep;
	const struct ibc_finding *f;

	(void)state;
	for (unsigned int l = 0; l < 24; l += 6)
		for (unsigned int s = 0; s < 4; s++)
			uplink(&t, l, s)->gone = true;
	rep = report_on(mktree_done(&t), "fattree,-fattree.opensm-ftree", NULL);
	f = ibc_report_finding(rep, 0);
	assert_int_equal(f->num_related, 4);
	expect_of(rep, "info fabric: each of 4 switches has 4 uplinks, similar switches have 8: "
	               "leaf-0-0-0-0, leaf-0-0-0-6, leaf-0-0-0-12 and 1 more\n");
}

/* A plan knows better what was meant. */
static void with_a_plan_the_plan_speaks(void **state)
{
	struct mktree planned = tree(&two), found = tree(&two);
	struct ibc_fabric *plan, *fab;
	struct ibc_comparison *cmp;
	struct ibc_fattree *inferred;
	struct ibc_report *rep;

	(void)state;
	uplink(&found, 2, 1)->gone = true;
	plan = mktree_done(&planned);
	fab = mktree_done(&found);
	assert_int_equal(ibc_compare(plan, fab, NULL, &cmp, NULL), 0);
	assert_int_equal(ibc_fattree_infer(fab, NULL, &inferred, NULL), 0);
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(
	    ibc_check_run(
		&(struct ibc_input){ .fabric = fab, .fattree = inferred, .comparison = cmp },
		"topo,fattree,-fattree.opensm-ftree", rep, NULL),
	    0);
	ibc_fattree_free(inferred);
	ibc_comparison_free(cmp);
	ibc_fabric_free(plan);
	ibc_fabric_free(fab);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	assert_string_equal(ibc_report_finding(rep, 0)->check, "topo.missing-cable");
	assert_null(ibc_report_finding(rep, 1));
	ibc_report_free(rep);
}

/* ---- what opensm would make of it ---- */

static void expect_opensm(struct mktree *t, const char *lines)
{
	expect_of(report_on(mktree_done(t), "fattree.opensm-ftree", NULL), lines);
}

static void what_a_fault_keeps_ftree_from_is_a_warning(void **state)
{
	struct mktree t = tree(&two);

	(void)state;
	expect_opensm(&t, "");
	t = tree(&two);
	uplink(&t, 2, 1)->gone = true;
	expect_opensm(
	    &t,
	    "warning fabric: OpenSM with -R ftree would fall back to "
	    "minhop "
	    "on this topology: leaf-0-0-0-2 has 3 switches above it, others of its tier have 4\n");
	t = tree(&two);
	t.hosts[0].at = spare(&t, tree_find(&t, TIER_SPINE, 0, 0, 0, 3), 0);
	expect_opensm(&t, "warning fabric: OpenSM with -R ftree "
	                  "would fall back to minhop on this topology: host00000 mlx5_0 is on "
	                  "spine-0-0-0-3, which is not in the tier of the leaf switches\n");
}

static void what_the_design_keeps_it_from_is_for_information(void **state)
{
	struct mktree t = tree(&two);
	unsigned int spine = tree_find(&t, TIER_SPINE, 0, 0, 0, 0);

	(void)state;
	/* a reduction engine in each switch, as SHARP has them, is no host */
	for (unsigned int i = 0; i < t.num_switches; i++)
		tree_host(&t, spare(&t, i, 0), 900 + i, 0)->aggregator = true;
	expect_opensm(&t, "");
	t = tree(&two);
	for (unsigned int i = 0; i < 4; i++)
		tree_host(&t, spare(&t, spine + i, 0), 900 + i, 0);
	expect_opensm(&t, "info fabric: OpenSM with -R ftree would fall back to minhop on this "
	                  "topology: every switch has HCAs, so no switch is above the others\n");
}

static void a_thinner_trunk_is_named(void **state)
{
	static const struct tree_spec trunks = {
		.leaves = 6, .spines = 3, .cables = 2, .hosts = 4
	};
	struct mktree t = tree(&trunks);

	(void)state;
	uplink(&t, 2, 3)->gone = true;
	expect_opensm(&t, "warning fabric: OpenSM with -R ftree would "
	                  "fall back to minhop on this topology: leaf-0-0-0-2 has 1 cable to "
	                  "spine-0-0-0-1, others of its tier have 2 to each\n");
}

/* ---- memory ---- */

static void memory_may_run_out_anywhere(void **state)
{
	struct mktree t = tree(&two);
	struct ibc_fattree *inferred;
	struct ibc_fabric *fab;
	int rc = -1;

	(void)state;
	cross(uplink(&t, 0, 0), uplink(&t, 3, 1));
	uplink(&t, 4, 2)->gone = true;
	uplink(&t, 1, 2)->speed = IBC_SPEED_FDR;
	fab = mktree_done(&t);
	assert_int_equal(ibc_fattree_infer(fab, NULL, &inferred, NULL), 0);
	for (unsigned long n = 1; rc; n++) {
		struct ibc_report *rep;

		assert_int_equal(ibc_report_new(&rep, NULL), 0);
		alloc_fail_at(n);
		rc = ibc_check_run(&(struct ibc_input){ .fabric = fab, .fattree = inferred },
		                   "fattree", rep, NULL);
		alloc_fail_at(0);
		rc = rc ? rc : ibc_report_finish(rep, NULL);
		ibc_report_free(rep);
	}
	ibc_fattree_free(inferred);
	ibc_fabric_free(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clean_tree_has_no_findings),
		cmocka_unit_test(a_missing_uplink_is_told_with_both_sockets),
		cmocka_unit_test(the_evidence_is_rule_and_support),
		cmocka_unit_test(a_disabled_port_is_to_be_enabled),
		cmocka_unit_test(what_does_not_answer_is_not_missing),
		cmocka_unit_test(a_port_that_is_up_leads_somewhere),
		cmocka_unit_test(without_order_of_ports_both_switches_are_named),
		cmocka_unit_test(several_missing_of_one_switch_are_a_view),
		cmocka_unit_test(without_ports_each_cable_has_an_ordinal),
		cmocka_unit_test(a_leaf_that_lacks_much_is_critical),
		cmocka_unit_test(two_that_lack_the_same_may_be_meant_so),
		cmocka_unit_test(uplinks_are_counted_over_all_cases),
		cmocka_unit_test(two_crossed_cables_are_one_swap),
		cmocka_unit_test(three_in_a_circle_are_rotated),
		cmocka_unit_test(a_doubled_cable_is_uneven),
		cmocka_unit_test(a_cable_between_leaves_lacks_at_both_ends),
		cmocka_unit_test(a_slow_cable_is_held_against_its_siblings),
		cmocka_unit_test(a_slow_cable_in_the_wrong_place_is_one_finding),
		cmocka_unit_test(a_cable_that_port_speed_tells_of_is_not_told_twice),
		cmocka_unit_test(ports_out_of_order_are_for_information),
		cmocka_unit_test(a_spine_that_is_absent_is_a_hint),
		cmocka_unit_test(a_stray_host_is_for_information),
		cmocka_unit_test(exchanged_adapters_are_a_warning),
		cmocka_unit_test(adapters_that_deviate_alone_are_for_information),
		cmocka_unit_test(a_rail_in_parts_is_critical),
		cmocka_unit_test(one_rail_beside_is_not_most_of_them),
		cmocka_unit_test(a_host_without_an_hca_on_a_rail_is_a_warning),
		cmocka_unit_test(what_is_no_tree_is_named),
		cmocka_unit_test(without_an_inference_nothing_is_evaluated),
		cmocka_unit_test(oversubscription_is_evaluated_by_the_limit_of_the_site),
		cmocka_unit_test(a_limit_of_the_whole_has_no_nodes),
		cmocka_unit_test(many_that_follow_no_rule_equal_are_one_line),
		cmocka_unit_test(with_a_plan_the_plan_speaks),
		cmocka_unit_test(what_a_fault_keeps_ftree_from_is_a_warning),
		cmocka_unit_test(what_the_design_keeps_it_from_is_for_information),
		cmocka_unit_test(a_thinner_trunk_is_named),
		cmocka_unit_test(memory_may_run_out_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
