/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hosts that do not answer, from two to all, of several fabrics: how many cases that is, that no
 * switch is made up, and that each is named.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ibcheck/case.h>

#include "base/array.h"
#include "base/hash.h"
#include "findings.h"
#include "mkrig.h"

static const char *const fabrics[] = {
	"synth:fattree:leaves=6,spines=2,hosts=8",
	"synth:fattree:leaves=6,spines=3,hosts=4,cables=2",
	"synth:fattree:leaves=12,spines=6,hosts=6",
	"synth:fattree:levels=3,pods=3,leaves=3,spines=2,uplinks=2,hosts=4",
	"synth:torus:size=3x3,hosts=3",
};

static const struct ibc_port *leaf_of(const struct ibc_node *host)
{
	return host->ports[1].peer;
}

/* struct who - which hosts do not answer; the one that the sweep starts at does */
struct who {
	const struct ibc_node *hosts[256], *silent[256];
	size_t num_hosts, num_silent;
};

static void choose(struct who *who, size_t host)
{
	for (size_t i = 0; i < who->num_silent; i++)
		if (who->silent[i] == who->hosts[host])
			return;
	who->silent[who->num_silent++] = who->hosts[host];
}

/* All of so many leaf switches, from the last on; or so many of the last, or of all leaf switches.
 */
static void of_leaves(struct who *who, size_t leaves, size_t most)
{
	const struct ibc_node *leaf = NULL;
	size_t at_leaf = 0;

	for (size_t i = who->num_hosts; i--;) {
		const struct ibc_node *at = leaf_of(who->hosts[i])->node;

		if (at != leaf && !leaves--)
			return;
		at_leaf = at == leaf ? at_leaf + 1 : 1;
		leaf = at;
		if (at_leaf <= most)
			choose(who, i);
	}
}

static void whole_leaves(struct who *who, size_t n)
{
	of_leaves(who, n, SIZE_MAX);
}

static void at_one_leaf(struct who *who, size_t n)
{
	of_leaves(who, 1, n);
}

static void one_of_each(struct who *who, size_t n)
{
	of_leaves(who, n, 1);
}

static void at_random(struct who *who, size_t n)
{
	uint64_t seed = 41 + n;

	while (who->num_silent < n && who->num_silent < who->num_hosts)
		choose(who, (size_t)(seed = hash_mix(seed)) % who->num_hosts);
}

static struct who hosts_of(const struct rig *r)
{
	struct who who = { .num_hosts = 0 };
	const struct ibc_node *node;

	for (size_t i = 0; (node = ibc_fabric_node(r->real, i)); i++)
		if (node->type == IBC_NODE_CA && node != model_from(r->model)->node)
			who.hosts[who.num_hosts++] = node;
	return who;
}

/* Is there a finding about the port before it, which names it where that is known? */
static bool is_told(const struct ibc_report *rep, const struct ibc_node *host, bool by_name)
{
	const struct ibc_port *p = leaf_of(host);
	const struct ibc_finding *f;

	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++)
		if (f->subject.near.guid == p->node->guid && f->subject.near.port == p->num)
			return !by_name || strstr(f->message, host->label);
	return false;
}

/* Cases that count; the first is of this check. */
static size_t num_cases(const struct ibc_report *rep, const char **check)
{
	const struct ibc_case *c;
	size_t n = 0;

	for (size_t i = 0; (c = ibc_report_case_at(rep, i)); i++) {
		if (c->severity <= IBC_INFO)
			continue;
		if (!n++)
			*check = c->check;
	}
	return n;
}

/* How many of so many are silent, and the cases. */
struct came {
	size_t silent, hosts, cases;
	bool is_key; /* the first is that of M_Keys */
};

static struct came judge(const char *fabric, void (*who_is)(struct who *who, size_t n), size_t n,
                         bool before)
{
	struct rig r = rig(fabric);
	struct who who = hosts_of(&r);
	struct ibc_input in = { .before = before ? r.real : NULL };
	const struct ibc_finding *f;
	const char *check = "";
	struct ibc_report *rep;
	struct came came;

	who_is(&who, n);
	for (size_t i = 0; i < who.num_silent; i++)
		model_silence(r.model, who.silent[i]);
	sweep(&r);
	assert_int_equal(r.rc, 0);
	in.fabric = r.seen;
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, "port.silent,sm.mkey", rep, NULL), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	assert_int_equal(ibc_cases_find(&in, ibc_check_find, rep, NULL), 0);
	for (size_t i = 0; i < who.num_silent; i++)
		if (!is_told(rep, who.silent[i], before))
			fail_msg("%s: %s is not named: %s", fabric, who.silent[i]->label,
			         findings_text(rep));
	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++)
		if (strstr(f->message, "switch"))
			fail_msg("%s, %zu: there is no such switch: %s", fabric, n, f->message);
	came = (struct came){ who.num_silent, who.num_hosts, num_cases(rep, &check),
		              !strcmp(check, "sm.mkey") };
	ibc_report_free(rep);
	rig_free(&r);
	return came;
}

static void those_of_one_leaf_switch_are_one_case(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(fabrics); i++)
		for (size_t n = 2; n <= 8; n++) {
			struct came came = judge(fabrics[i], at_one_leaf, n, n % 2);

			assert_true(came.silent > 1);
			assert_int_equal(came.cases, 1);
			assert_false(came.is_key);
		}
}

/* From half of all on it is for all that one looks. */
static void whole_leaf_switches_are_one_case(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(fabrics); i++)
		for (size_t n = 1; n <= 12; n++) {
			struct came came = judge(fabrics[i], whole_leaves, n, n % 2);

			assert_int_equal(came.cases, 1);
			assert_int_equal(came.is_key, came.silent * 2 >= came.hosts + 1);
		}
}

static void spread_ones_are_as_many_cases_as_the_table_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(fabrics); i++)
		for (size_t n = 2; n <= 12; n++) {
			struct came came = judge(fabrics[i], one_of_each, n, n % 2);

			assert_int_equal(came.cases,
			                 came.silent < 5 && !came.is_key ? came.silent : 1);
		}
}

static void whoever_is_silent_is_few_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(fabrics); i++)
		for (size_t n = 2; n <= 70; n += n < 12 ? 1 : 7) {
			struct came came = judge(fabrics[i], at_random, n, n % 2);

			assert_true(came.cases <= (came.silent < 5 ? came.silent : 2));
			if (came.silent == came.hosts)
				assert_true(came.is_key && came.cases == 1);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(those_of_one_leaf_switch_are_one_case),
		cmocka_unit_test(whole_leaf_switches_are_one_case),
		cmocka_unit_test(spread_ones_are_as_many_cases_as_the_table_says),
		cmocka_unit_test(whoever_is_silent_is_few_cases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
