/* SPDX-License-Identifier: BSD-2-Clause */
/* Hosts of a fleet in a fabric: who is cabled otherwise than its like, and who is not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <ibcheck/cabling.h>
#include <ibcheck/case.h>
#include <ibcheck/check.h>

#include "base/arena.h"
#include "base/hash.h"
#include "fleet_of.h"
#include "mkfab.h"

/* ---- a site ------------------------------------------------------------------------------ */

#define HOSTS  64
#define RAILS  8
#define LEAVES 16
#define PORTS  254
#define GONE   100 /* instead of a leaf: not in the fabric */
#define LOOSE  101 /* in the fabric, without a cable */
#define TEXT   16384

/* struct hca - what a host reports of it, and its leaf; NULL: as it is usual */
struct hca {
	unsigned int leaf;
	const char *name, *pci, *state, *layer, *type, *node_guid;
	bool twice; /* in the next subnet, too */
};

/*
 * struct site - hosts of @rails HCAs, each usually on the leaf of its number
 * @broken: what a finding of the host is about
 * @called: its name, in both; @flooded: its report has more facts than any host
 * @parted: each leaf is a subnet; @cut: the sweep ended early; @silent: a switch port did not
 * answer
 * @nameless: HCAs have no names there; @guidless: nor GUIDs
 */
struct site {
	size_t num, rails;
	struct hca hca[HOSTS][RAILS];
	const char *product[HOSTS], *command[HOSTS], *broken[HOSTS], *called[HOSTS];
	bool flooded[HOSTS], parted, cut, silent, nameless, guidless;
};

static struct site *site_of(size_t num, size_t rails)
{
	struct site *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	s->num = num;
	s->rails = rails;
	for (size_t h = 0; h < num; h++)
		for (size_t k = 0; k < rails; k++)
			s->hca[h][k].leaf = (unsigned int)k;
	return s;
}

static uint64_t guid_at(size_t host, size_t rail)
{
	return 0x100000 + 256 * host + 16 * rail;
}

static const char *name_of(const struct site *s, size_t h, char own[24])
{
	snprintf(own, 24, "n%zu", h + 1);
	return s->called[h] ? s->called[h] : own;
}

static void put_hca(struct mkfab m, const struct site *s, size_t h, size_t k, uint64_t leaf)
{
	const struct hca *hca = &s->hca[h][k];
	char name[64], own[24];

	snprintf(name, sizeof(name), s->nameless ? "ConnectX" : "%s mlx5_%zu", name_of(s, h, own),
	         k);
	mk_ca(m, guid_at(h, k), name, 1)->named_only = s->guidless;
	if (hca->leaf == LOOSE)
		return;
	cable(m, leaf, (unsigned int)(s->num * s->rails < PORTS ? h * s->rails + k + 1 : h + 1),
	      guid_at(h, k), 1);
}

static struct ibc_fabric *fabric_of(const struct site *s)
{
	struct mkfab m = mkfab();
	char name[32];

	for (unsigned int leaf = 0; leaf < LEAVES; leaf++) {
		snprintf(name, sizeof(name), "rail-%u", leaf);
		if (s->parted)
			m = mk_subnet(m, name);
		m.subnet->cut_short = s->cut;
		snprintf(name, sizeof(name), "leaf%02u", leaf);
		mk_switch(m, 16 + leaf, name, PORTS);
		if (s->silent)
			answers_put(port(m, 16 + leaf, PORTS), IBC_ATTR_PORT_INFO, ANSWER_NONE);
		for (size_t h = 0; h < s->num; h++)
			for (size_t k = 0; k < s->rails; k++)
				if (s->hca[h][k].leaf == leaf ||
				    (s->hca[h][k].twice && s->hca[h][k].leaf + 1 == leaf) ||
				    (!leaf && s->hca[h][k].leaf == LOOSE))
					put_hca(m, s, h, k, 16 + leaf);
	}
	return done(m);
}

static void put_text(FILE *out, const char *key, const char *value)
{
	fprintf(out, value ? ", \"%s\": \"%s\"" : ", \"%s\": null", key, value);
}

static void put_report(FILE *out, const struct site *s, size_t h)
{
	const struct hca *hca;
	char text[32], own[24];

	fprintf(out,
	        "{\"schema\": 2, \"tool\": {\"name\": \"ibcheck\", \"version\": \"1.0\"}, "
	        "\"meta\": {\"time\": \"2026-01-31T12:00:00Z\", \"described\": \"%s\", "
	        "\"command\": \"%s\"}, \"verdict\": \"ok\", \"findings\": [",
	        name_of(s, h, own), s->command[h] ? s->command[h] : "host");
	if (s->broken[h])
		fprintf(out,
		        "{\"check\": \"host.rate\", \"severity\": \"warning\", \"subject\": "
		        "{\"kind\": \"port\", \"node_desc\": \"%s\"}, \"message\": \"is slow\"}",
		        s->broken[h]);
	fprintf(out, "], \"tables\": {\"interfaces\": [{\"interface\": \"ib0\", \"namespace\": "
	             "null, \"port\": \"mlx5_1/1\"}], \"host_ports\": [");
	for (size_t k = 0; k < s->rails && !s->command[h]; k++) {
		hca = &s->hca[h][k];
		snprintf(text, sizeof(text), "mlx5_%zu", k);
		fprintf(out, "%s{\"ca\": \"%s\", \"port\": 1", k ? ", " : "",
		        hca->name ? hca->name : text);
		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)guid_at(h, k));
		put_text(out, "node_guid", hca->node_guid ? hca->node_guid : text);
		put_text(out, "link_layer", hca->layer);
		put_text(out, "ca_type", hca->type);
		put_text(out, "state", hca->state ? hca->state : "active");
		fprintf(out, "}");
	}
	fprintf(out, "], \"pci\": [");
	for (size_t k = 0; k < s->rails && s->hca[h][0].pci; k++)
		fprintf(out, "%s{\"device\": \"%s\", \"hop\": 0, \"pci\": \"%s\"}", k ? ", " : "",
		        s->hca[h][k].name, s->hca[h][k].pci);
	fprintf(out, "], \"facts\": [{\"subject\": \"machine\", \"key\": \"product\"");
	put_text(out, "value", s->product[h]);
	for (int i = 0; s->flooded[h] && i <= IBC_FLEET_FACTS; i++)
		fprintf(out, "}, {\"subject\": \"s%d\", \"key\": \"k\", \"value\": \"v\"", i);
	fprintf(out, "}]}}\n");
}

static char *reports_of(const struct site *s)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (size_t h = 0; h < s->num; h++)
		put_report(out, s, h);
	fclose(out);
	return text;
}

/* ---- what is found ----------------------------------------------------------------------- */

static void add_text(char text[TEXT], const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void add_text(char text[TEXT], const char *format, ...)
{
	size_t n = strlen(text);
	va_list ap;

	va_start(ap, format);
	vsnprintf(text + n, TEXT - n, format, ap);
	va_end(ap);
}

/* The findings of fleet.rail; and the cases of those of hosts. */
static bool judge(const struct ibc_fleet *fleet, const struct ibc_fabric *fab, char told[TEXT])
{
	struct ibc_input in = { .fleet = fleet };
	struct ibc_report *rep = NULL;
	struct ibc_cabling *cabling = NULL;
	const struct ibc_finding *f;
	const struct ibc_case *c;
	bool ok;

	*told = '\0';
	ok = fleet && !ibc_cabling_find(fleet, fab, &cabling, NULL) && !ibc_report_new(&rep, NULL);
	in.cabling = cabling;
	ok = ok && !ibc_check_run(&in, "fleet.rail", rep, NULL) &&
	     !ibc_check_fleet(fleet, cabling, rep, NULL) && !ibc_report_finish(rep, NULL) &&
	     !ibc_cases_find(&in, ibc_check_find, rep, NULL);
	for (size_t i = 0; ok && (c = ibc_report_case_at(rep, i)); i++)
		if (!strcmp(c->check, "host.rate"))
			add_text(told, "%s%s: %s", *told ? "; " : "", c->subject.near.desc,
			         c->message);
	for (size_t i = 0; ok && (f = ibc_report_finding(rep, i)); i++)
		if (!strcmp(f->check, "fleet.rail"))
			add_text(told, "%s%s %s: %s", *told ? "; " : "",
			         ibc_severity_word(f->severity)->word, f->subject.near.desc,
			         f->message);
	ibc_report_free(rep);
	ibc_cabling_free(cabling);
	return ok;
}

/* Of the site, which is freed. */
static const char *found_at(struct site *s)
{
	static const struct ibc_fleet_opts plain = { 0 };
	static char told[TEXT];
	char *text = reports_of(s);
	struct ibc_fabric *fab = fabric_of(s);
	struct ibc_fleet *fleet = load(NULL, text, strlen(text), &plain);

	assert_true(judge(fleet, fab, told));
	ibc_fleet_free(fleet);
	ibc_fabric_free(fab);
	free(text);
	free(s);
	return told;
}

static void exchange(struct site *s, size_t host, size_t a, size_t z)
{
	unsigned int leaf = s->hca[host][a].leaf;

	s->hca[host][a].leaf = s->hca[host][z].leaf;
	s->hca[host][z].leaf = leaf;
}

/* ---- rails ------------------------------------------------------------------------------- */

static void hosts_as_their_like_are_no_finding(void **state)
{
	struct site *s;

	(void)state;
	assert_string_equal(found_at(site_of(8, 4)), "");
	assert_string_equal(found_at(site_of(8, 1)), "");
	s = site_of(8, 4); /* two HCAs share a leaf: which of them is where is the same */
	for (size_t h = 0; h < s->num; h++)
		for (size_t k = 0; k < 4; k++)
			s->hca[h][k].leaf = (unsigned int)(k / 2);
	assert_string_equal(found_at(s), "");
}

static void an_exchange_is_of_two_rails(void **state)
{
	struct site *s = site_of(4, 2);

	(void)state;
	exchange(s, 2, 0, 1);
	assert_string_equal(
	    found_at(s),
	    "warning n3: mlx5_0/1 is cabled to leaf01/5, on rail 1 (3 of 4 hosts: rail "
	    "0); mlx5_1/1 is cabled to leaf00/6, on rail 0 (3 of 4 hosts: rail 1)");
	s = site_of(5, 4);
	s->hca[4][1].leaf = 3;
	assert_string_equal(
	    found_at(s),
	    "warning n5: mlx5_1/1 is cabled to leaf03/18, on rail 3 (4 of 5 hosts: rail 1)");
	s = site_of(8, 6);
	for (size_t k = 0; k < 6; k += 2)
		exchange(s, 0, k, k + 1);
	assert_non_null(strstr(found_at(s), "(7 of 8 hosts: rail 3); and 2 other ports"));
}

static void fewer_than_four_are_not_compared(void **state)
{
	struct site *s = site_of(3, 2);

	(void)state;
	exchange(s, 2, 0, 1);
	assert_string_equal(found_at(s), "info n[1-3]: rails are not compared: fewer than 4 hosts "
	                                 "have 2 InfiniBand ports");
	s = site_of(6, 2);
	s->product[5] = "X";
	exchange(s, 5, 0, 1);
	assert_string_equal(found_at(s), "info n6: rails are not compared: fewer than 4 hosts have "
	                                 "2 InfiniBand ports and are of this product: X");
}

static void without_an_order_nobody_is_blamed(void **state)
{
	struct site *s = site_of(8, 2);

	(void)state;
	for (size_t h = 0; h < 4; h++)
		exchange(s, h, 0, 1);
	assert_string_equal(found_at(s),
	                    "info n[1-8]: rails are not compared: fewer than 60 % of these hosts "
	                    "have each port on leaf switches of its own");
}

/* Of most hosts the third port is down, and of the others half is on another rail. */
static void a_kind_without_a_majority_is_listed(void **state)
{
	struct site *s = site_of(12, 3);

	(void)state;
	for (size_t h = 0; h < 8; h++)
		s->hca[h][2] = (struct hca){ .leaf = GONE, .state = "down" };
	s->hca[8][2].leaf = s->hca[9][2].leaf = 0;
	assert_string_equal(found_at(s),
	                    "info n[1-12]: rail of mlx5_2/1: none has a majority of 60 %: 0 on 2 "
	                    "(n[9-10]), 2 on 2 (n[11-12])");
}

/* Storage servers have two HCAs, on what is the first and the third rail of other hosts. */
static void each_kind_numbers_the_rails_of_a_leaf(void **state)
{
	struct site *s = site_of(20, 4);

	(void)state;
	for (size_t h = 4; h < 12; h++)
		for (size_t k = 0; k < 4; k++)
			s->hca[h][k].leaf += 4;
	for (size_t h = 12; h < 20; h++) {
		s->product[h] = "X";
		s->hca[h][1].leaf = 2;
		for (size_t k = 2; k < 4; k++)
			s->hca[h][k] = (struct hca){ .leaf = GONE, .layer = "Ethernet" };
	}
	assert_string_equal(found_at(s), "");
}

static void a_leaf_without_a_rail_is_unknown(void **state)
{
	struct site *s = site_of(8, 2);

	(void)state;
	s->hca[7][1].leaf = 9;
	assert_string_equal(found_at(s),
	                    "unknown n8: mlx5_1/1 is cabled to leaf09/16, whose rail is not known: "
	                    "too few ports of such hosts are there, or they are of several rails "
	                    "(7 of 7 hosts: rail 1)");
}

static void a_small_leaf_has_a_rail_if_all_agree(void **state)
{
	const char *found;
	struct site *s;

	(void)state;
	for (size_t plant = 0; plant < 2; plant++) {
		s = site_of(12, 2);
		for (size_t h = 0; h < 12; h++)
			for (size_t k = 0; k < 2; k++)
				s->hca[h][k].leaf += 2 * (h / 3);
		if (plant)
			exchange(s, 11, 0, 1);
		found = found_at(s);
		if (!plant)
			assert_string_equal(found, "");
		else
			assert_non_null(strstr(found, "unknown n12: mlx5_0/1 is cabled to leaf07"));
		assert_true(!plant || strstr(found, "(9 of 9 hosts: rail 0); and 1 more"));
	}
}

/* The kernel numbers as it finds them: the slots are what is cabled. */
static void pci_addresses_order_hcas(void **state)
{
	static const char *const names[] = { "mlx5_0", "mlx5_1" };
	static const char *const slots[] = { "0000:1a:00.0", "0000:9a:00.0" };
	struct site *s;

	(void)state;
	for (size_t plant = 0; plant < 2; plant++) {
		s = site_of(6, 2);
		for (size_t h = 0; h < 6; h++)
			for (size_t k = 0; k < 2; k++) {
				s->hca[h][k].name = names[h == 3 ? 1 - k : k];
				s->hca[h][k].pci = slots[plant && h == 3 ? 1 - k : k];
			}
		if (plant)
			assert_non_null(strstr(found_at(s), "warning n4: mlx5_0/1 is cabled to "
			                                    "leaf01/8, on rail 1"));
		else
			assert_string_equal(found_at(s), "");
	}
}

/* By names its ports are in another order: it is no like of the others. */
static void who_tells_no_pci_addresses_is_compared_with_its_like(void **state)
{
	struct site *s = site_of(8, 2);

	(void)state;
	for (size_t h = 0; h < 7; h++) {
		s->hca[h][0] = (struct hca){ .leaf = 0, .name = "mlx5_0", .pci = "0000:9a:00.0" };
		s->hca[h][1] = (struct hca){ .leaf = 1, .name = "mlx5_1", .pci = "0000:1a:00.0" };
	}
	assert_string_equal(found_at(s), "info n8: rails are not compared: fewer than 4 hosts have "
	                                 "2 InfiniBand ports and report no PCI addresses");
}

static void a_port_may_be_in_another_subnet(void **state)
{
	struct site *s = site_of(5, 2);

	(void)state;
	s->parted = true;
	exchange(s, 1, 0, 1);
	assert_string_equal(found_at(s),
	                    "warning n2: mlx5_0/1 is in subnet rail-1 (4 of 5 hosts: rail-0); "
	                    "mlx5_1/1 is in subnet rail-0 (4 of 5 hosts: rail-1)");
}

static void what_has_no_cable_of_its_own_is_left_out(void **state)
{
	struct site *s = site_of(4, 2);

	(void)state;
	s->hca[0][1] = (struct hca){ .leaf = GONE, .type = "MT4126" };
	s->hca[1][1] = (struct hca){ .leaf = GONE, .layer = "Ethernet" };
	s->hca[2][1] = (struct hca){ .leaf = GONE, .type = "MT4129", .state = "down" };
	s->hca[3][1] = (struct hca){ .leaf = GONE, .type = "MT4129", .layer = "InfiniBand" };
	assert_non_null(strstr(found_at(s),
	                       "warning n4: mlx5_1/1 is Active, and its GUID is nowhere "
	                       "in the fabric; info"));
}

static void virtual_functions_have_no_cable(void **state)
{
	static const char *const vfs[] = { "MT4098", "MT4100", "MT4114", "MT41683" };
	static const char *const others[] = { "MT4099", "MT4113", "MT41682", "MT41686", "" };
	struct site *s;

	(void)state;
	for (size_t i = 0; i < sizeof(vfs) / sizeof(vfs[0]); i++) {
		s = site_of(1, 2);
		s->hca[0][1] = (struct hca){ .leaf = GONE, .type = vfs[i] };
		assert_string_equal(found_at(s), "");
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		s = site_of(1, 2);
		s->hca[0][1] = (struct hca){ .leaf = GONE, .type = others[i] };
		assert_non_null(strstr(found_at(s), "warning n1: mlx5_1/1 is Active"));
	}
}

/* ---- absence ----------------------------------------------------------------------------- */

#define NO_GUID   "0x0"
#define NAME_GONE "; the fabric has another GUID for its mlx5_0"

static void an_active_port_must_be_in_the_fabric(void **state)
{
	struct site *s = site_of(1, 1);

	(void)state;
	s->hca[0][0].leaf = LOOSE;
	assert_string_equal(found_at(s),
	                    "warning n1: mlx5_0/1 is Active, and nothing is cabled to it in the "
	                    "fabric");
	s = site_of(1, 1);
	s->hca[0][0].node_guid = "0x77";
	assert_string_equal(
	    found_at(s),
	    "warning n1: is not in the fabric: of 1 port no GUID is there (mlx5_0/1 is "
	    "Active)" NAME_GONE);
	s = site_of(1, 1);
	s->hca[0][0] = (struct hca){ .leaf = GONE, .state = "" };
	assert_non_null(strstr(found_at(s), "(mlx5_0/1 is in a state that is not known)"));
	s = site_of(1, 1);
	s->hca[0][0] = (struct hca){ .leaf = GONE, .state = "down" };
	assert_string_equal(
	    found_at(s),
	    "warning n1: is not in the fabric: of 1 port no GUID is there (mlx5_0/1 is "
	    "Down)");
	s = site_of(1, 1);
	s->hca[0][0].leaf = GONE;
	s->cut = true;
	assert_string_equal(
	    found_at(s),
	    "unknown n1: is not in the fabric: of 1 port no GUID is there (mlx5_0/1 is "
	    "Active); the fabric was not read "
	    "whole");
	s = site_of(1, 1);
	s->hca[0][0].leaf = GONE;
	s->silent = true;
	assert_non_null(strstr(found_at(s), "(mlx5_0/1 is Active); the fabric was not read whole"));
	s = site_of(1, 4);
	s->product[0] = "X";
	s->hca[0][1].leaf = s->hca[0][2].leaf = s->hca[0][3].leaf = GONE;
	s->hca[0][3].state = "down";
	assert_non_null(strstr(found_at(s),
	                       "warning n1: mlx5_1/1 is Active, and its GUID is nowhere "
	                       "in the fabric (and 1 more are not there)"));
}

static void what_cannot_be_found_is_unknown(void **state)
{
	struct site *s = site_of(1, 1);

	(void)state;
	s->hca[0][0].node_guid = NO_GUID;
	assert_string_equal(found_at(s), ""); /* by its name */
	s = site_of(1, 1);
	s->hca[0][0].node_guid = NO_GUID;
	s->nameless = true;
	assert_string_equal(found_at(s),
	                    "unknown n1: its report does not contain the GUID of mlx5_0/1, and the "
	                    "fabric does not contain its name: where it is cabled is not known");
	s = site_of(2, 1);
	s->hca[1][0].node_guid = "0x100000";
	assert_string_equal(
	    found_at(s), "unknown n1: the report of another host has the same GUID as mlx5_0/1: "
			 "where it is cabled is not known; unknown n2: the report of another host "
			 "has the same GUID as mlx5_0/1: where it is cabled is not known");
	s = site_of(1, 1);
	s->parted = s->hca[0][0].twice = true;
	assert_string_equal(found_at(s),
	                    "unknown n1: the fabric contains the GUID or the name twice of "
	                    "mlx5_0/1: where it is cabled is not known");
	s = site_of(1, 1);
	s->command[0] = "ipoib";
	assert_string_equal(found_at(s),
	                    "unknown n1: there is no report of ibcheck host: where its "
	                    "HCAs are cabled is not known");
}

/* Of its other port nobody knows: that is not "nowhere". */
static void a_host_with_a_clone_may_be_there(void **state)
{
	struct site *s = site_of(2, 2);

	(void)state;
	s->hca[1][0].node_guid = "0x100000";
	s->hca[1][1].leaf = GONE;
	assert_non_null(strstr(found_at(s),
	                       "warning n2: mlx5_1/1 is Active, and its GUID is nowhere "
	                       "in the fabric; unknown n2: the report of another"));
}

/* What has no GUIDs does not lack any. */
static void a_list_of_cables_lacks_no_guids(void **state)
{
	struct site *s;

	(void)state;
	for (size_t nameless = 0; nameless < 2; nameless++) {
		s = site_of(1, 1);
		s->guidless = true;
		s->nameless = nameless;
		assert_string_equal(found_at(s),
		                    nameless ? "unknown n1: the fabric contains no GUIDs, and not "
		                               "the name of mlx5_0/1: where it is cabled is not "
		                               "known"
		                             : "");
	}
}

static void hosts_of_two_domains_are_not_one(void **state)
{
	struct site *s = site_of(2, 1);

	(void)state;
	s->called[0] = "n1.a.x";
	s->called[1] = "n1.b.x";
	s->hca[0][0].node_guid = s->hca[1][0].node_guid = NO_GUID;
	s->hca[1][0].leaf = GONE;
	assert_string_equal(found_at(s),
	                    "unknown n1.b.x: its report does not contain the GUID of mlx5_0/1, and "
	                    "the fabric does not contain its name: where it is cabled is not "
	                    "known");
}

static void a_case_says_where_its_cables_lead(void **state)
{
	struct site *s = site_of(4, 2);

	(void)state;
	s->broken[2] = "mlx5_1/1";
	assert_string_equal(found_at(s), "n3 mlx5_1: is slow; its cable leads to leaf01/6, rail 1");
	s = site_of(4, 2);
	s->broken[2] = "ib0";
	assert_string_equal(found_at(s), "n3 ib0: is slow; its cable leads to leaf01/6, rail 1");
	s = site_of(4, 2);
	s->broken[2] = "mlx5_7/1";
	assert_string_equal(found_at(s), "n3 mlx5_7: is slow");
	s = site_of(8, 2);
	s->hca[5][1].leaf = LOOSE;
	s->hca[5][1].state = "down";
	for (size_t h = 0; h < 8; h++)
		s->broken[h] = "mlx5_1/1";
	assert_string_equal(found_at(s),
	                    "n[1-8]: 8 hosts, mlx5_1/1: is slow; cables to leaf01 (7), "
	                    "of 1 not known");
	s = site_of(40, 1);
	for (size_t h = 0; h < 40; h++) {
		s->hca[h][0].leaf = h / 8;
		s->broken[h] = h ? "mlx5_0/1" : NULL;
	}
	assert_non_null(strstr(found_at(s),
	                       ": is slow; cables to leaf01 (8), leaf02 (8), leaf03 (8) "
	                       "and 2 more"));
}

/* ---- what others ask --------------------------------------------------------------------- */

static void a_finding_is_of_a_port_by_its_name(void **state)
{
	static const struct ibc_fleet_opts plain = { 0 };
	struct site *s = site_of(2, 2);
	char *text = reports_of(s);
	struct ibc_fabric *fab = fabric_of(s);
	struct ibc_fleet *fleet = load(NULL, text, strlen(text), &plain);
	const struct ibc_fleet_cables *h;
	struct ibc_cabling *c;

	(void)state;
	assert_int_equal(ibc_cabling_find(fleet, fab, &c, NULL), 0);
	assert_null(ibc_cabling_of(c, "n3"));
	h = ibc_cabling_of(c, "n2");
	assert_ptr_equal(h, ibc_cabling_host(c, 1));
	assert_ptr_equal(ibc_cabling_port(h, "mlx5_1/1"), &h->ports[1]);
	assert_ptr_equal(ibc_cabling_port(h, "mlx5_1"), &h->ports[1]);
	assert_null(ibc_cabling_port(h, "mlx5_1/2"));
	assert_null(ibc_cabling_port(h, "mlx5_1/x"));
	assert_null(ibc_cabling_port(h, "mlx5_"));
	assert_string_equal(ibc_joined_word(h->ports[1].joined)->word, "guid");
	ibc_cabling_free(c);
	ibc_fleet_free(fleet);
	ibc_fabric_free(fab);
	free(text);
	free(s);
}

/* It has HCAs, and nobody knows which: it is none of those without. */
static void a_report_of_too_many_facts_is_of_no_host(void **state)
{
	static const struct ibc_fleet_opts plain = { 0 };
	struct site *s = site_of(2, 1);
	struct ibc_fleet *fleet;
	struct ibc_fabric *fab;
	struct ibc_cabling *c;
	char *text;

	(void)state;
	s->flooded[1] = true;
	text = reports_of(s);
	fab = fabric_of(s);
	fleet = load(NULL, text, strlen(text), &plain);
	assert_int_equal(ibc_cabling_find(fleet, fab, &c, NULL), 0);
	assert_non_null(ibc_cabling_of(c, "n1"));
	assert_null(ibc_cabling_of(c, "n2"));
	ibc_cabling_free(c);
	ibc_fleet_free(fleet);
	ibc_fabric_free(fab);
	free(text);
	free(s);
}

static void without_memory_there_is_nothing(void **state)
{
	static const struct ibc_fleet_opts plain = { 0 };
	static char told[TEXT];
	struct site *s = site_of(5, 2);
	struct ibc_fabric *fab = fabric_of(s);
	struct ibc_fleet *fleet;
	char *text;
	bool ok = false;

	(void)state;
	exchange(s, 0, 0, 1);
	s->hca[1][0].node_guid = NO_GUID;
	s->hca[2][0].node_guid = "0x77";
	s->broken[3] = s->broken[4] = "ib0";
	text = reports_of(s);
	fleet = load(NULL, text, strlen(text), &plain);
	for (long n = 1; !ok; n++) {
		alloc_fail_at((unsigned long)n);
		ok = judge(fleet, fab, told);
		alloc_fail_at(0);
	}
	ibc_fleet_free(fleet);
	ibc_fabric_free(fab);
	free(text);
	free(s);
}

/* ---- random sites ------------------------------------------------------------------------ */

static unsigned int draw(uint64_t *seed, unsigned int n)
{
	*seed += 0x9e3779b97f4a7c15;
	return (unsigned int)(hash_mix(*seed) % n);
}

/* Two groups of leaves of each rail; up to a fifth of the hosts is exchanged, or has moved away. */
static void judge_random(uint64_t seed)
{
	size_t num = 10 + draw(&seed, HOSTS / 2), rails = 2 + draw(&seed, RAILS - 1);
	struct site *s = site_of(num, rails);
	char expected[TEXT] = "", found[TEXT] = "", *save;
	size_t faults = 1 + draw(&seed, (unsigned int)num / 5), step = num / faults;

	for (size_t h = 0; h < num; h++)
		for (size_t k = 0; k < rails; k++)
			s->hca[h][k].leaf += h % 2 ? RAILS : 0;
	for (size_t i = 0; i < faults; i++) {
		size_t h = i * step, a = draw(&seed, (unsigned int)rails);

		add_text(expected, "n%zu ", h + 1);
		if (draw(&seed, 2))
			exchange(s, h, a, (a + 1) % rails);
		else
			s->hca[h][a].leaf = GONE;
	}
	for (char *at = strtok_r((char *)found_at(s), ";", &save); at;
	     at = strtok_r(NULL, ";", &save)) {
		size_t host;

		at += *at == ' ';
		if (sscanf(at, "warning n%zu:", &host) == 1)
			add_text(found, "n%zu ", host);
		else if (!strncmp(at, "info", 4))
			fail_msg("seed: %s", at);
	}
	/* findings come by name, and faults by number */
	assert_int_equal(strlen(found), strlen(expected));
	for (char *at = strtok_r(expected, " ", &save); at; at = strtok_r(NULL, " ", &save)) {
		char name[16];

		snprintf(name, sizeof(name), "%s ", at);
		assert_non_null(strstr(found, name));
	}
}

static void every_planted_fault_is_found_and_none_invented(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++)
		judge_random(seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hosts_as_their_like_are_no_finding),
		cmocka_unit_test(an_exchange_is_of_two_rails),
		cmocka_unit_test(fewer_than_four_are_not_compared),
		cmocka_unit_test(without_an_order_nobody_is_blamed),
		cmocka_unit_test(a_kind_without_a_majority_is_listed),
		cmocka_unit_test(each_kind_numbers_the_rails_of_a_leaf),
		cmocka_unit_test(a_leaf_without_a_rail_is_unknown),
		cmocka_unit_test(a_small_leaf_has_a_rail_if_all_agree),
		cmocka_unit_test(pci_addresses_order_hcas),
		cmocka_unit_test(who_tells_no_pci_addresses_is_compared_with_its_like),
		cmocka_unit_test(a_port_may_be_in_another_subnet),
		cmocka_unit_test(what_has_no_cable_of_its_own_is_left_out),
		cmocka_unit_test(virtual_functions_have_no_cable),
		cmocka_unit_test(an_active_port_must_be_in_the_fabric),
		cmocka_unit_test(what_cannot_be_found_is_unknown),
		cmocka_unit_test(a_host_with_a_clone_may_be_there),
		cmocka_unit_test(a_list_of_cables_lacks_no_guids),
		cmocka_unit_test(hosts_of_two_domains_are_not_one),
		cmocka_unit_test(a_case_says_where_its_cables_lead),
		cmocka_unit_test(a_finding_is_of_a_port_by_its_name),
		cmocka_unit_test(a_report_of_too_many_facts_is_of_no_host),
		cmocka_unit_test(without_memory_there_is_nothing),
		cmocka_unit_test(every_planted_fault_is_found_and_none_invented),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
