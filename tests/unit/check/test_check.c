/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ibcheck/opinions.h>

#include "base/arena.h"
#include "check/sink.h"
#include "findings.h"
#include "report/report.h"

#define CHECKS_MAX 256

/* ---- the registry ---- */

static void ids_are_unique_and_made_of_group_and_name(void **state)
{
	const struct ibc_check *c;

	(void)state;
	for (size_t i = 0; (c = ibc_check_at(i)); i++) {
		const char *dot = strchr(c->id, '.');

		assert_non_null(dot);
		assert_true(dot > c->id && dot[1]);
		for (const char *s = c->id; *s; s++)
			assert_true(islower((unsigned char)*s) || isdigit((unsigned char)*s) ||
			            strchr(".-", *s));
		assert_ptr_equal(ibc_check_find(c->id), c);
	}
	assert_null(ibc_check_find("port"));
	assert_null(ibc_check_find(""));
}

static void groups_stand_together(void **state)
{
	const struct ibc_check *c, *d, *last;

	(void)state;
	for (size_t i = 1; (c = ibc_check_at(i)); i++) {
		size_t group = strcspn(c->id, ".") + 1;

		last = ibc_check_at(i - 1);
		if (strncmp(c->id, last->id, group) == 0)
			continue;
		for (size_t k = 0; k < i && (d = ibc_check_at(k)); k++)
			assert_true(strncmp(c->id, d->id, group) != 0);
	}
}

static void every_check_says_what_it_finds_and_explains_itself(void **state)
{
	const struct ibc_check *c;

	(void)state;
	for (size_t i = 0; (c = ibc_check_at(i)); i++) {
		const char *text = ibc_check_explain(c);
		size_t paragraphs = 1;

		/* what the program alone knows has nothing to run */
		assert_true(c->run || !strncmp(c->id, "accept.", strlen("accept.")) ||
		            !strncmp(c->id, "compare.", strlen("compare.")) ||
		            !strncmp(c->id, "whatif.", strlen("whatif.")) ||
		            !strncmp(c->id, "blame.", strlen("blame.")) ||
		            !strcmp(c->id, "state.memory") || !strcmp(c->id, "repair.link"));
		assert_true(!ibc_attrs_is_empty(c->needs) || c->parts ||
		            c->inputs & (IBC_IN_FLEET | IBC_IN_PERF) ||
		            !strcmp(c->id, "fabric.lines"));
		assert_true(c->severity > IBC_OK);
		assert_true(strlen(c->title) > 10 && strlen(c->title) < 60);
		for (const char *s = text; (s = strstr(s, "\n\n")); s += 2)
			paragraphs++;
		assert_true(paragraphs >= 4);
		assert_null(strstr(text, "  "));
		assert_null(strstr(text, " \n"));
		assert_int_equal(text[strlen(text) - 1], '.');
	}
}

static size_t index_of(const char *id)
{
	const struct ibc_check *c;
	size_t i = 0;

	while ((c = ibc_check_at(i)) && strcmp(c->id, id) != 0)
		i++;
	assert_non_null(c);
	return i;
}

static bool is_first_of_list(const struct ibc_explainer *first, const struct ibc_explainer *by)
{
	while (first < by && strcmp(first->check, by->check) != 0)
		first++;
	return first == by;
}

/* Puts a check above all of its list, and each of these above those before it. */
static bool lift(size_t i, size_t *height)
{
	const struct ibc_explainer *list = ibc_check_at(i)->explained_by;
	size_t least = 0;
	bool lifted = false;

	for (const struct ibc_explainer *by = list; by && by->check; by++) {
		size_t k = index_of(by->check);

		assert_int_not_equal(by->relation, 0);
		/* kinds of one check may explain each other: the first finding does */
		if (!is_first_of_list(list, by) || k == i)
			continue;
		lifted |= height[k] < least;
		height[k] = height[k] < least ? least : height[k];
		least = height[k] + 1;
	}
	lifted |= height[i] < least;
	height[i] = height[i] < least ? least : height[i];
	return lifted;
}

static void checks_are_explained_from_the_ground_up_and_never_in_a_circle(void **state)
{
	size_t height[CHECKS_MAX] = { 0 }, rounds = 0;
	bool lifted = true;

	(void)state;
	while (lifted) {
		lifted = false;
		for (size_t i = 0; ibc_check_at(i); i++) {
			assert_true(i < CHECKS_MAX);
			lifted |= lift(i, height);
		}
		assert_true(rounds++ < CHECKS_MAX);
	}
}

/* Of fabrics, whose findings are never put together: each is of all of a subnet, or a case apart.
 */
static const char *const single[] = {
	/* one a subnet, or one for all that is concerned */
	"counters.state", "state.memory", "accept.uncovered", "fabric.lines",
	"compare.not-understood", "topo.plan", "counters.saturated", "counters.cleared", "sm.none",
	"sm.multiple", "sm.no-standby", "sm.priority", "sm.handover", "sm.sa-silent", "sm.sa-slow",
	"sm.lid-disagrees", "sm.placement", "sm.mkey", "diff.lid", "diff.unchecked",
	"fattree.missing-spine", "fattree.missing-leaf", "fattree.oversubscribed",
	"fattree.opensm-ftree", "fattree.irregular", "fattree.family", "routes.longer", "ar.off",
	"ar.sl", "fabric.psid", "phy.partial", "slurm.hosts", "sharp.manager",
	/* of each its own cause and its own remedy */
	"blame.fabric", "blame.host", "blame.software", "blame.unseen", "repair.link", "sm.stalled",
	"ar.loop", "routes.loop", "routes.credit-loop", "routes.multicast",
	/* one mistake in the manager's configuration makes all of them */
	"qos.arbitration", "qos.sl-spread",
	/* there is one such part, and one list; a manager has its own cause */
	"gone.cut", "gone.unseen", "gone.earlier", "gone.manager",
	/* what is taken away is one thing to do */
	"whatif.cut-off", "whatif.sm", "whatif.bandwidth", "whatif.ftree"
};

static void what_can_be_of_many_things_says_so(void **state)
{
	const struct ibc_check *check;
	size_t n = 0;

	(void)state;
	for (size_t i = 0; (check = ibc_check_at(i)); i++) {
		bool alone = false;

		for (size_t k = 0; k < sizeof(single) / sizeof(single[0]); k++)
			alone |= !strcmp(single[k], check->id);
		n += alone;
		if (!check->parts && !(check->inputs & IBC_IN_FLEET) && !check->many != alone)
			fail_msg("%s: either it has .many, or it is listed here", check->id);
		if (check->many)
			assert_non_null(strchr(check->many, '|'));
	}
	assert_int_equal(n, sizeof(single) / sizeof(single[0]));
}

/* ---- selections ---- */

static bool selects(const char *selection, const char *id)
{
	const struct ibc_check *check = ibc_check_find(id);

	assert_non_null(check);
	return ibc_check_selected(check, selection);
}

static void a_selection_names_ids_and_groups(void **state)
{
	(void)state;
	assert_true(selects(NULL, "port.width"));
	assert_true(selects("port", "port.width"));
	assert_true(selects("port.width", "port.width"));
	assert_true(selects("port.speed,port.width", "port.width"));
	assert_true(selects(" port.speed , port.width ", "port.width"));
	assert_false(selects("port.speed", "port.width"));
	assert_false(selects("port.widt", "port.width"));
	assert_false(selects("po", "port.width"));
	assert_false(selects("", "port.width"));
}

static void a_dash_takes_out_what_it_names(void **state)
{
	(void)state;
	assert_false(selects("port,-port.width", "port.width"));
	assert_true(selects("port,-port.width", "port.speed"));
	assert_true(selects("-port.width", "port.speed"));
	assert_false(selects("-port.width", "port.width"));
	assert_false(selects("-port", "port.width"));
	assert_true(selects("-port,port.width", "port.width"));
	assert_true(selects("port.rate-odd", "port.rate-odd"));
}

static void a_wrong_word_is_named_with_what_comes_near(void **state)
{
	struct ibc_error err = { "" };

	(void)state;
	assert_int_equal(ibc_check_selection_verify(NULL, &err), 0);
	assert_int_equal(ibc_check_selection_verify("port,-port.width", &err), 0);
	assert_int_equal(ibc_check_selection_verify("port,-port.widht", &err), -EINVAL);
	assert_string_equal(err.text,
	                    "no check is called \"port.widht\": did you mean \"port.width\"?");
	assert_int_equal(ibc_check_selection_verify("prot", &err), -EINVAL);
	assert_string_equal(err.text, "no check is called \"prot\": did you mean \"port\"?");
	assert_int_equal(ibc_check_selection_verify("bananas", &err), -EINVAL);
	assert_string_equal(err.text,
	                    "no check is called \"bananas\": \"ibcheck explain\" lists them");
	assert_int_equal(ibc_check_selection_verify("", &err), -EINVAL);
	assert_int_equal(ibc_check_selection_verify("port,", &err), -EINVAL);
	assert_int_equal(ibc_check_selection_verify("port,-", &err), -EINVAL);
	assert_string_equal(err.text, "the selection of checks has an empty word");
}

static void a_word_without_end_does_no_harm(void **state)
{
	struct ibc_error err = { "" };
	char word[5000];

	(void)state;
	memset(word, 'p', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	assert_int_equal(ibc_check_selection_verify(word, &err), -EINVAL);
	assert_true(strlen(err.text) < 200);
	assert_int_equal(ibc_check_selection_verify(word, NULL), -EINVAL);
}

static void needs_are_those_of_the_enabled_checks(void **state)
{
	struct ibc_config *config;

	(void)state;
	assert_attrs(ibc_check_needs(ibc_check_select("port.width", NULL)), IBC_ATTR_PORT_INFO);
	assert_attrs(ibc_check_needs(ibc_check_select("port.width,port.name", NULL)),
	             IBC_ATTR_PORT_INFO, IBC_ATTR_NODE_DESC);
	assert_int_equal(ibc_config_new(&config, NULL), 0);
	assert_int_equal(ibc_config_set(config, "port.name", "enabled", "no", NULL), 0);
	assert_attrs(ibc_check_needs(ibc_check_select("port.width,port.name", config)),
	             IBC_ATTR_PORT_INFO);
	ibc_config_free(config);
}

/* ---- configuration ---- */

static struct ibc_config *config_of(const char *section, const char *key, const char *value)
{
	struct ibc_config *config;

	assert_int_equal(ibc_config_new(&config, NULL), 0);
	assert_int_equal(ibc_config_set(config, section, key, value, NULL), 0);
	return config;
}

static void a_check_that_is_switched_off_does_not_run(void **state)
{
	struct ibc_config *config = config_of("port.width", "enabled", "no");
	struct mkfab m = mk_leaf(2);
	struct ibc_report *rep;

	(void)state;
	port(m, 1, 1)->width_active = IBC_WIDTH_1X;
	assert_false(ibc_config_enabled(config, ibc_check_find("port.width")));
	assert_true(ibc_config_enabled(config, ibc_check_find("port.speed")));
	assert_true(ibc_config_enabled(NULL, ibc_check_find("port.width")));
	rep = report_of(m, "port.width", config);
	assert_null(rep->ran);
	expect_of(rep, "");
	assert_int_equal(ibc_config_set(config, "port.width", "enabled", "yes", NULL), 0);
	assert_true(ibc_config_enabled(config, ibc_check_find("port.width")));
	ibc_config_free(config);
}

static void a_severity_that_was_set_wins(void **state)
{
	struct ibc_config *config = config_of("port.width", "severity", "critical");
	const struct ibc_check *width = ibc_check_find("port.width");
	struct mkfab m = mk_leaf(2);

	(void)state;
	assert_int_equal(ibc_config_severity(config, width), IBC_CRITICAL);
	assert_int_equal(ibc_config_severity(NULL, width), IBC_WARNING);
	assert_int_equal(ibc_config_severity(config, ibc_check_find("port.guid")), IBC_CRITICAL);
	port(m, 1, 1)->width_active = IBC_WIDTH_1X;
	expect_of(report_of(m, "port.width", config),
	          "critical leaf01/1 - host01 mlx5_0/1: runs at 1x, both ends enable 4x\n");
	ibc_config_free(config);
}

static void a_note_stays_a_note_whatever_was_set(void **state)
{
	struct ibc_config *config = config_of("port.physical", "severity", "critical");
	struct mkfab m = mk_leaf(2);

	(void)state;
	mk_ca(m, 0x900, "storage01 mlx5_0", 2);
	cable(m, 1, 6, 0x900, 1);
	port(m, 1, 5)->phys_state = IBC_PHYS_TRAINING;
	expect_of(report_of(m, "port.physical,-port.rate-odd", config),
	          "critical leaf01/5: is Training: a cable is plugged in and does not come up\n"
	          "info storage01 mlx5_0/2: is Polling\n");
	ibc_config_free(config);
}

static void silence_cannot_be_configured_away(void **state)
{
	struct ibc_config *config = config_of("port.silent", "severity", "info");
	struct mkfab m = mk_leaf(2);
	struct ibc_report *rep;

	(void)state;
	answers_put(port(m, 1, 1), IBC_ATTR_PORT_INFO, ANSWER_NONE);
	rep = report_of(m, "port", config);
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	ibc_report_free(rep);
	ibc_config_free(config);
}

static void a_wrong_line_of_configuration_is_named(void **state)
{
	static const struct {
		const char *section, *key, *value, *text;
	} cases[] = {
		{ "port.widht", "enabled", "yes",
		  "no check is called \"port.widht\": did you mean \"port.width\"?" },
		{ "port.width", "severe", "info",
		  "port.width has no key \"severe\": its keys are enabled, severity" },
		{ "port.width", "enabled", "maybe",
		  "enabled of port.width cannot be \"maybe\": use yes or no" },
		{ "port.width", "severity", "unknown",
		  "severity of port.width cannot be \"unknown\": use info, warning or critical" },
		{ "port.width", "severity", "",
		  "severity of port.width cannot be \"\": use info, warning or critical" },
	};
	struct ibc_config *config = config_of("port.width", "severity", "info");

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ibc_error err = { "" };

		assert_int_equal(
		    ibc_config_set(config, cases[i].section, cases[i].key, cases[i].value, &err),
		    -EINVAL);
		assert_string_equal(err.text, cases[i].text);
	}
	assert_int_equal(ibc_config_severity(config, ibc_check_find("port.width")), IBC_INFO);
	assert_true(ibc_config_enabled(config, ibc_check_find("port.width")));
	ibc_config_free(config);
	ibc_config_free(NULL);
}

/* ---- a run ---- */

static void what_a_source_cannot_tell_is_skipped_not_passed(void **state)
{
	struct mkfab m = mk_leaf(3);
	struct ibc_report *rep;

	(void)state;
	m.subnet->provides = IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_NODE_DESC, IBC_ATTR_LINK);
	port(m, 1, 1)->width_active = IBC_WIDTH_1X;
	rep = report_of(m, "port.width,port.rate-odd", NULL);
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	assert_string_equal(rep->skipped->check, "port.width");
	assert_string_equal(rep->skipped->reason, "test (snapshot) does not contain PortInfo");
	assert_null(rep->skipped->next);
	assert_string_equal(rep->ran->check, "port.rate-odd");
	expect_of(rep, "");
}

static void one_subnet_that_cannot_tell_does_not_stop_the_others(void **state)
{
	struct mkfab m = mk_leaf(3), second = mk_subnet(m, "old.net");
	struct ibc_report *rep;

	(void)state;
	second.subnet->provides = IBC_ATTRS(IBC_ATTR_NODE_INFO);
	port(m, 1, 1)->width_active = IBC_WIDTH_1X;
	rep = report_of(m, "port.width", NULL);
	assert_string_equal(rep->ran->check, "port.width");
	assert_string_equal(rep->skipped->reason, "old.net (snapshot) does not contain PortInfo");
	expect_of(rep, "warning leaf01/1 - host01 mlx5_0/1: runs at 1x, both ends enable 4x\n");
}

static void port_info_tells_of_links_and_fdr10_is_an_extra(void **state)
{
	struct mkfab m = mk_leaf(3);
	struct ibc_report *rep;

	(void)state;
	m.subnet->provides = IBC_ATTRS(IBC_ATTR_PORT_INFO);
	rep = report_of(m, "port.rate-odd,port.speed", NULL);
	assert_null(rep->skipped);
	assert_int_equal(ibc_report_verdict(rep), IBC_OK);
	ibc_report_free(rep);
}

static void without_a_fabric_everything_is_skipped(void **state)
{
	struct ibc_input in = { .fabric = NULL };
	struct ibc_report *rep;

	(void)state;
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, "port.width", rep, NULL), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	assert_string_equal(rep->skipped->reason, "there is no fabric to check");
	ibc_report_free(rep);
}

static uint64_t sum_of(const struct ibc_report *rep, const char *key)
{
	for (const struct sum *s = rep->sums; s; s = s->next) {
		if (strcmp(s->key, key) == 0)
			return s->value;
	}
	fail_msg("no sum %s", key);
	return 0;
}

static void a_run_says_what_it_rests_on(void **state)
{
	struct mkfab m = mk_leaf(3), second = mk_subnet(m, "second");
	struct ibc_report *rep;

	(void)state;
	mk_ca(second, 0x900, "host01 mlx5_1", 1);
	m.subnet->sweep.sent = 40;
	second.subnet->sweep.sent = 2;
	second.subnet->not_asked = 5;
	answers_put(port(m, 1, 1), IBC_ATTR_PORT_INFO, ANSWER_REFUSED);
	rep = report_of(m, "port", NULL);
	assert_int_equal(sum_of(rep, "nodes"), 5);
	assert_int_equal(sum_of(rep, "switches"), 1);
	assert_int_equal(sum_of(rep, "links"), 3);
	assert_int_equal(sum_of(rep, "hosts"), 3);
	assert_int_equal(sum_of(rep, "subnets"), 2);
	assert_int_equal(rep->sweep.sent, 42);
	assert_int_equal(rep->not_asked, 5);
	for (const struct cover *c = rep->cover; c; c = c->next) {
		assert_string_not_equal(c->attribute, "Link");
		assert_int_equal(c->n.refused, strcmp(c->attribute, "PortInfo") == 0);
		assert_true(c->n.asked > 0);
	}
	ibc_report_free(rep);
}

/* A fabric with something for every check. */
static struct ibc_fabric *sick_fabric(void)
{
	struct mkfab m = mk_leaf(12);

	port(m, 1, 1)->width_active = IBC_WIDTH_1X;
	port(m, 1, 2)->speed_active = IBC_SPEED_QDR;
	port(m, 1, 3)->speed_enabled = IBC_SPEED_HDR;
	port(m, 1, 4)->mtu_active = 4;
	port(m, 1, 5)->mtu_active = port(m, host(5), 1)->mtu_active = 3;
	port(m, 1, 6)->vl_active = 2;
	port(m, 1, 7)->state = IBC_STATE_INIT;
	port(m, 1, 8)->phys_state = IBC_PHYS_DISABLED;
	port(m, 1, 13)->phys_state = IBC_PHYS_DISABLED;
	port(m, host(9), 1)->guid = port(m, host(10), 1)->guid;
	port(m, host(11), 1)->speed_active = port(m, 1, 11)->speed_active = IBC_SPEED_SDR;
	port(m, host(11), 1)->speed_enabled = IBC_SPEED_SDR;
	port(m, host(11), 1)->speed_supported = IBC_SPEED_SDR;
	answers_put(port(m, 1, 14), IBC_ATTR_NODE_INFO, ANSWER_NONE);
	answers_put(port(m, host(12), 1), IBC_ATTR_PORT_INFO, ANSWER_NONE);
	mk_ca(m, 0x900, "host01 mlx5_0", 1);
	mk_ca(m, 0x910, "", 1);
	mk_ca(m, 0x910, "", 1);
	return done(m);
}

/* An earlier sweep that is of no use. */
static struct ibc_fabric *other_fabric(void)
{
	struct mkfab m = mkfab();

	mk_ca(m, 0x1000, "stranger mlx5_0", 1);
	return done(m);
}

static void every_check_of_ports_has_something_to_say(void **state)
{
	const struct ibc_opinion flapping = {
		.severity = IBC_CRITICAL,
		.check = "FLAPPING",
		.words = "",
		.place.near = { .guid = 1, .has_guid = true, .port = 1, .has_port = true },
	};
	const struct ibc_opinions unhealthy = { .all = &flapping, .num = 1 };
	struct ibc_input in = { .fabric = sick_fabric(),
		                .before = other_fabric(),
		                .unhealthy = &unhealthy };
	const struct ibc_check *c;

	(void)state;
	for (size_t i = 0; (c = ibc_check_at(i)); i++) {
		struct ibc_report *rep;

		if (!ibc_check_selected(c, "port"))
			continue;
		assert_int_equal(ibc_report_new(&rep, NULL), 0);
		assert_int_equal(ibc_check_run(&in, c->id, rep, NULL), 0);
		assert_non_null(ibc_report_finding(rep, 0));
		assert_string_equal(ibc_report_finding(rep, 0)->check, c->id);
		ibc_report_free(rep);
	}
	ibc_fabric_free((struct ibc_fabric *)in.before);
	ibc_fabric_free((struct ibc_fabric *)in.fabric);
}

/* Runs all checks while the nth allocation and all after it fail; true: none did. */
static bool runs_with_memory_for(const struct ibc_input *in, unsigned long n)
{
	struct ibc_report *rep;
	bool well;

	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	alloc_fail_at(n);
	well = ibc_check_run(in, NULL, rep, NULL) == 0;
	well = ibc_report_finish(rep, NULL) == 0 && well;
	alloc_fail_at(0);
	assert_true(well || ibc_report_verdict(rep) >= IBC_UNKNOWN);
	ibc_report_free(rep);
	return well;
}

static void without_memory_a_run_fails_and_never_says_ok(void **state)
{
	struct ibc_input in = { .fabric = sick_fabric() };
	unsigned long n = 1;

	(void)state;
	while (!runs_with_memory_for(&in, n))
		n++;
	assert_true(n > 20);
	ibc_fabric_free((struct ibc_fabric *)in.fabric);
}

static void a_configuration_without_memory_is_none(void **state)
{
	struct ibc_config *config = NULL;
	struct ibc_error err = { "" };

	(void)state;
	for (unsigned long n = 1; n <= 2; n++) {
		alloc_fail_at(n);
		assert_int_equal(ibc_config_new(&config, &err), -ENOMEM);
		alloc_fail_at(0);
		assert_null(config);
		assert_true(*err.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_are_unique_and_made_of_group_and_name),
		cmocka_unit_test(groups_stand_together),
		cmocka_unit_test(every_check_says_what_it_finds_and_explains_itself),
		cmocka_unit_test(checks_are_explained_from_the_ground_up_and_never_in_a_circle),
		cmocka_unit_test(what_can_be_of_many_things_says_so),
		cmocka_unit_test(a_selection_names_ids_and_groups),
		cmocka_unit_test(a_dash_takes_out_what_it_names),
		cmocka_unit_test(a_wrong_word_is_named_with_what_comes_near),
		cmocka_unit_test(a_word_without_end_does_no_harm),
		cmocka_unit_test(needs_are_those_of_the_enabled_checks),
		cmocka_unit_test(a_check_that_is_switched_off_does_not_run),
		cmocka_unit_test(a_severity_that_was_set_wins),
		cmocka_unit_test(a_note_stays_a_note_whatever_was_set),
		cmocka_unit_test(silence_cannot_be_configured_away),
		cmocka_unit_test(a_wrong_line_of_configuration_is_named),
		cmocka_unit_test(what_a_source_cannot_tell_is_skipped_not_passed),
		cmocka_unit_test(one_subnet_that_cannot_tell_does_not_stop_the_others),
		cmocka_unit_test(port_info_tells_of_links_and_fdr10_is_an_extra),
		cmocka_unit_test(without_a_fabric_everything_is_skipped),
		cmocka_unit_test(a_run_says_what_it_rests_on),
		cmocka_unit_test(every_check_of_ports_has_something_to_say),
		cmocka_unit_test(without_memory_a_run_fails_and_never_says_ok),
		cmocka_unit_test(a_configuration_without_memory_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
