/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/arena.h"
#include "mkrig.h"

#define SWITCHES 9
#define HOSTS    24
#define NODES    (SWITCHES + HOSTS)

/* Every device is one of the vendor, with this version; NULL: it lets the question fall. */
static struct rig rig_with(const char *of_switches, const char *of_hosts)
{
	struct rig r = rig(TWO_TIER);
	const struct ibc_node *n;

	for (size_t i = 0; (n = ibc_fabric_node(r.real, i)); i++) {
		struct ibc_node *node = (struct ibc_node *)n;

		node->vendor_id = 0x2c9;
		node->device_id = n->type == IBC_NODE_SWITCH ? 0xd2f2 : 0x1021;
		node->firmware = n->type == IBC_NODE_SWITCH ? of_switches : of_hosts;
	}
	r.opts.needs = IBC_ATTRS(IBC_ATTR_GENERAL_INFO);
	return r;
}

/* The first host but the one the sweep starts from. */
static struct ibc_node *some_host(const struct rig *r)
{
	const struct ibc_node *n;

	for (size_t i = 0; (n = ibc_fabric_node(r->real, i)); i++)
		if (n->type == IBC_NODE_CA && n != model_from(r->model)->node)
			return (struct ibc_node *)n;
	fail();
	return NULL;
}

static const struct ibc_node *seen(const struct rig *r, const struct ibc_node *real)
{
	const struct ibc_node *n = ibc_fabric_node_by_guid(r->seen, real->guid);

	assert_non_null(n);
	return n;
}

static struct ibc_coverage coverage(const struct rig *r)
{
	return ibc_fabric_coverage(r->seen, IBC_ATTR_GENERAL_INFO);
}

static void who_does_not_need_firmware_asks_for_none(void **state)
{
	struct rig r = rig_with("27.2012.4036", "28.39.2048");

	(void)state;
	r.opts.needs = IBC_ATTRS(IBC_ATTR_PORT_COUNTERS);
	sweep(&r);
	assert_int_equal(model_asked(r.model, MODEL_GENERAL_INFO), 0);
	assert_int_equal(coverage(&r).asked, 0);
	assert_false(ibc_attrs_has(ibc_fabric_subnet(r.seen, 0)->provides, IBC_ATTR_GENERAL_INFO));
	rig_free(&r);
}

static void every_device_of_the_vendor_tells_its_own(void **state)
{
	struct rig r = rig_with("27.2012.4036", "28.39.2048");
	struct ibc_node *other = some_host(&r);
	const struct ibc_node *n;

	(void)state;
	other->firmware = "28.40.1000";
	sweep(&r);
	assert_int_equal(model_asked(r.model, MODEL_GENERAL_INFO), NODES);
	assert_int_equal(coverage(&r).answered, NODES);
	assert_true(ibc_attrs_has(ibc_fabric_subnet(r.seen, 0)->provides, IBC_ATTR_GENERAL_INFO));
	for (size_t i = 0; (n = ibc_fabric_node(r.real, i)); i++)
		assert_string_equal(seen(&r, n)->firmware, n->firmware);
	rig_free(&r);
}

static void psid_and_capabilities_come_with_the_version(void **state)
{
	struct rig r = rig_with("31.2012.1024", "28.40.1000");
	struct ibc_node *host = some_host(&r);

	(void)state;
	host->psid = "MT_0000000838";
	host->has_gmp_capabilities = true;
	host->gmp_capabilities[0] = 0x36001d00e0; /* of a ConnectX-7 */
	sweep(&r);
	assert_string_equal(seen(&r, host)->psid, "MT_0000000838");
	assert_int_equal(ibc_node_gmp_capability(seen(&r, host), IBC_GMP_ACCESS_REGISTER), 1);
	assert_int_equal(ibc_node_gmp_capability(seen(&r, host), 21), 0);
	assert_int_equal(ibc_node_gmp_capability(seen(&r, host), 37), 1);
	assert_null(seen(&r, model_from(r.model)->node)->psid);
	rig_free(&r);
}

/* A mask of 0 is an answer; none is not. */
static void who_tells_nothing_has_unknown_capabilities(void **state)
{
	struct rig r = rig_with("31.2012.1024", "");

	(void)state;
	sweep(&r);
	assert_int_equal(ibc_node_gmp_capability(seen(&r, some_host(&r)), IBC_GMP_ACCESS_REGISTER),
	                 -1);
	assert_int_equal(ibc_node_gmp_capability(seen(&r, model_from(r.model)->peer->node),
	                                         IBC_GMP_ACCESS_REGISTER),
	                 0);
	rig_free(&r);
}

static void firmware_alone_asks_for_no_counters(void **state)
{
	struct rig r = rig_with("27.2012.4036", "28.39.2048");
	const struct ibc_port *p;

	(void)state;
	sweep(&r);
	assert_int_equal(model_asked(r.model, MODEL_CLASS_INFO), 0);
	for (size_t i = 0; (p = ibc_fabric_port(r.seen, i)); i++)
		assert_int_equal(ibc_port_answer(p, IBC_ATTR_PORT_COUNTERS), IBC_NOT_ASKED);
	rig_free(&r);
}

static void a_device_of_another_vendor_is_not_asked(void **state)
{
	struct rig r = rig_with("27.2012.4036", "28.39.2048");
	struct ibc_node *other = some_host(&r);

	(void)state;
	other->vendor_id = 0x1175;
	other->device_id = 0x10;
	sweep(&r);
	assert_int_equal(coverage(&r).asked, NODES - 1);
	assert_int_equal(ibc_node_answer(seen(&r, other), IBC_ATTR_GENERAL_INFO), IBC_NOT_ASKED);
	assert_null(seen(&r, other)->firmware);
	rig_free(&r);
}

static void a_kind_without_it_is_asked_once(void **state)
{
	struct rig r = rig_with("27.2012.4036", "");

	(void)state;
	sweep(&r);
	assert_int_equal(model_asked(r.model, MODEL_GENERAL_INFO), SWITCHES + 1);
	assert_int_equal(coverage(&r).unsupported, HOSTS);
	assert_int_equal(coverage(&r).answered, SWITCHES);
	rig_free(&r);
}

static void a_kind_that_is_silent_has_it_not(void **state)
{
	struct rig r = rig_with("27.2012.4036", NULL), without = rig_with(NULL, NULL);

	(void)state;
	without.opts.needs = IBC_ATTRS();
	sweep(&without);
	sweep(&r);
	assert_int_equal(coverage(&r).unsupported, HOSTS);
	assert_int_equal(coverage(&r).timed_out, 0);
	/* four of them, three tries each; and it costs less than the last wait of the ladder */
	assert_int_equal(model_asked(r.model, MODEL_GENERAL_INFO), SWITCHES + 4 * 3);
	assert_true(ibc_fabric_subnet(r.seen, 0)->sweep.duration_seconds <
	            ibc_fabric_subnet(without.seen, 0)->sweep.duration_seconds + 0.4);
	rig_free(&r);
	rig_free(&without);
}

static void one_that_is_silent_among_its_kind_is_a_gap(void **state)
{
	struct rig r = rig_with("27.2012.4036", "28.39.2048");
	struct ibc_node *quiet = some_host(&r);

	(void)state;
	quiet->firmware = NULL;
	sweep(&r);
	assert_int_equal(coverage(&r).timed_out, 1);
	assert_int_equal(coverage(&r).answered, NODES - 1);
	assert_true(ibc_node_unanswered(seen(&r, quiet), IBC_ATTR_GENERAL_INFO));
	rig_free(&r);
}

static void the_first_to_be_asked_may_be_the_silent_one(void **state)
{
	struct rig r = rig_with("27.2012.4036", "28.39.2048");
	struct ibc_node *first = (struct ibc_node *)model_from(r.model)->node;

	(void)state;
	first->firmware = NULL;
	sweep(&r);
	assert_int_equal(coverage(&r).answered, NODES - 1);
	assert_true(ibc_node_unanswered(seen(&r, first), IBC_ATTR_GENERAL_INFO));
	rig_free(&r);
}

static void an_answer_without_a_version_is_none(void **state)
{
	struct rig r = rig_with("27.2012.4036", "0.0.0");

	(void)state;
	sweep(&r);
	assert_int_equal(coverage(&r).refused + coverage(&r).unsupported, HOSTS);
	assert_true(coverage(&r).refused >= 4);
	assert_null(seen(&r, some_host(&r))->firmware);
	rig_free(&r);
}

static void without_a_subnet_manager_every_device_is_a_gap(void **state)
{
	struct rig r = rig_with("27.2012.4036", "28.39.2048");
	const struct ibc_port *p;

	(void)state;
	for (size_t i = 0; (p = ibc_fabric_port(r.real, i)); i++) {
		real_port(&r, p->node->guid, p->num)->lid = 0;
		if (p->state == IBC_STATE_ACTIVE)
			real_port(&r, p->node->guid, p->num)->state = IBC_STATE_INIT;
	}
	sweep(&r);
	assert_int_equal(model_asked(r.model, MODEL_GENERAL_INFO), 0);
	assert_int_equal(coverage(&r).timed_out, NODES);
	rig_free(&r);
}

static void a_sweep_that_trusts_no_lid_asks_when_it_knows_all(void **state)
{
	struct rig r = rig_with("27.2012.4036", "28.39.2048");

	(void)state;
	r.opts.directed_only = true;
	sweep(&r);
	assert_int_equal(coverage(&r).answered, NODES);
	rig_free(&r);
}

static void who_waits_when_the_deadline_comes_was_not_asked(void **state)
{
	struct rig r = rig_with("27.2012.4036", NULL);

	(void)state;
	r.opts.deadline_seconds = 0.018;
	sweep(&r);
	assert_true(ibc_fabric_subnet(r.seen, 0)->cut_short);
	/* one is in flight, and the others wait for it */
	assert_true(ibc_fabric_subnet(r.seen, 0)->not_asked >= HOSTS);
	assert_int_equal(coverage(&r).timed_out, 0);
	rig_free(&r);
}

static void every_allocation_may_fail(void **state)
{
	(void)state;
	for (unsigned int n = 1;; n++) {
		struct rig r = rig_with("27.2012.4036", "");
		struct transport_port from = { .ca = "sim0", .port = 1 };
		struct line *line = line_new(&r.line, model_answer, r.model);
		struct fabric_build *b;
		int rc;

		assert_int_equal(fabric_build_new(&b, NULL), 0);
		alloc_fail_at(n);
		rc = discover_subnet(line_transport(line), &from, "umad", &r.opts, b, NULL);
		alloc_fail_at(0);
		fabric_build_free(b);
		line_free(line);
		rig_free(&r);
		if (rc == 0)
			return;
		assert_int_equal(rc, -ENOMEM);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_does_not_need_firmware_asks_for_none),
		cmocka_unit_test(every_device_of_the_vendor_tells_its_own),
		cmocka_unit_test(psid_and_capabilities_come_with_the_version),
		cmocka_unit_test(who_tells_nothing_has_unknown_capabilities),
		cmocka_unit_test(firmware_alone_asks_for_no_counters),
		cmocka_unit_test(a_device_of_another_vendor_is_not_asked),
		cmocka_unit_test(a_kind_without_it_is_asked_once),
		cmocka_unit_test(a_kind_that_is_silent_has_it_not),
		cmocka_unit_test(one_that_is_silent_among_its_kind_is_a_gap),
		cmocka_unit_test(the_first_to_be_asked_may_be_the_silent_one),
		cmocka_unit_test(an_answer_without_a_version_is_none),
		cmocka_unit_test(without_a_subnet_manager_every_device_is_a_gap),
		cmocka_unit_test(a_sweep_that_trusts_no_lid_asks_when_it_knows_all),
		cmocka_unit_test(who_waits_when_the_deadline_comes_was_not_asked),
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
