/* SPDX-License-Identifier: BSD-2-Clause */

/* The model that stands in for a fabric: it must not be kinder than one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mkfab.h"
#include "model/model.h"
#include "wire/mad.h"
#include "wire/smp.h"

/* host 10 - 1 switch 2 - switch 3 - host 11; host 11 has a second, empty port */
struct net {
	struct ibc_fabric *fab;
	struct model *model;
	uint8_t mad[MAD_SIZE];
	struct mad_addr to;
};

static struct mkfab two_switches(void)
{
	struct mkfab m = mkfab();

	mk_ca(m, 10, "host10 mlx5_0", 1);
	mk_ca(m, 11, "host11 mlx5_0", 2);
	mk_switch(m, 2, "leaf02", 4);
	mk_switch(m, 3, "leaf03", 4);
	cable(m, 10, 1, 2, 1);
	cable(m, 2, 4, 3, 3);
	cable(m, 3, 1, 11, 1);
	return m;
}

static struct net net_of(struct mkfab m)
{
	struct net n = { .fab = done(m) };

	n.model = model_new(n.fab, NULL);
	return n;
}

static void net_free(struct net *n)
{
	model_free(n->model);
	ibc_fabric_free(n->fab);
}

static const struct ibc_node *node(const struct net *n, uint64_t guid)
{
	return ibc_fabric_node_by_guid(n->fab, guid);
}

static int ask_directed(struct net *n, uint16_t attribute, uint32_t modifier, const uint8_t *hops,
                        size_t num_hops)
{
	smp_get_directed(n->mad, &n->to, &(struct smp_query){ attribute, modifier, 0 }, hops,
	                 num_hops);
	return model_answer(n->model, &n->to, n->mad);
}

static int ask_lid(struct net *n, uint16_t attribute, uint32_t modifier, uint16_t lid)
{
	smp_get_by_lid(n->mad, &n->to, &(struct smp_query){ attribute, modifier, 0 }, lid);
	return model_answer(n->model, &n->to, n->mad);
}

static uint16_t status(const struct net *n)
{
	struct mad_header h;

	mad_header_get(n->mad, &h);
	assert_int_equal(h.method, MAD_METHOD_GET_RESP);
	return h.status;
}

static void expect_node(const struct net *n, uint64_t guid, unsigned int local_port)
{
	struct node_info ni;

	assert_int_equal(status(n), 0);
	node_info_get(smp_data(n->mad), &ni);
	assert_true(ni.node_guid == guid);
	assert_int_equal(ni.local_port, local_port);
}

static void a_directed_query_walks_its_path(void **state)
{
	static const uint8_t path[] = { 1, 4, 1 };
	struct net n = net_of(two_switches());

	(void)state;
	assert_true(ask_directed(&n, SMP_NODE_INFO, 0, NULL, 0) >= 0);
	expect_node(&n, 10, 1);
	assert_true(ask_directed(&n, SMP_NODE_INFO, 0, path, 1) >= 0);
	expect_node(&n, 2, 1);
	assert_true(ask_directed(&n, SMP_NODE_INFO, 0, path, 2) >= 0);
	expect_node(&n, 3, 3);
	assert_true(ask_directed(&n, SMP_NODE_INFO, 0, path, 3) >= 0);
	expect_node(&n, 11, 1);
	assert_int_equal(model_asked(n.model, MODEL_NODE_INFO), 4);
	net_free(&n);
}

static void a_path_to_nowhere_is_silent(void **state)
{
	static const uint8_t wrong[][4] = { { 2 }, { 1, 2 }, { 1, 9 }, { 1, 4, 1, 1 }, { 1, 0 } };
	static const size_t hops[] = { 1, 2, 2, 4, 2 };
	struct net n = net_of(two_switches());

	(void)state;
	for (size_t i = 0; i < sizeof(hops) / sizeof(hops[0]); i++)
		assert_int_equal(ask_directed(&n, SMP_NODE_INFO, 0, wrong[i], hops[i]),
		                 LINE_NOBODY);
	net_free(&n);
}

static void a_cable_that_is_down_lets_nothing_through(void **state)
{
	static const uint8_t path[] = { 1, 4 };
	struct mkfab m = two_switches();
	struct net n;

	(void)state;
	port(m, 2, 4)->phys_state = IBC_PHYS_POLLING;
	n = net_of(m);
	assert_int_equal(ask_directed(&n, SMP_NODE_INFO, 0, path, 2), LINE_NOBODY);
	assert_int_equal(ask_lid(&n, SMP_NODE_INFO, 0, 3), LINE_NOBODY);
	assert_true(ask_lid(&n, SMP_NODE_INFO, 0, 2) >= 0);
	net_free(&n);
}

static void a_lid_is_reached_over_active_links_only(void **state)
{
	struct mkfab m = two_switches();
	struct net n;

	(void)state;
	port(m, 11, 1)->state = IBC_STATE_INIT;
	n = net_of(m);
	assert_true(ask_lid(&n, SMP_NODE_INFO, 0, 3) >= 0);
	expect_node(&n, 3, 3);
	assert_int_equal(ask_lid(&n, SMP_NODE_INFO, 0, 11), LINE_NOBODY);
	assert_int_equal(ask_lid(&n, SMP_NODE_INFO, 0, 4711), LINE_NOBODY);
	net_free(&n);
}

static void a_combined_route_goes_by_lid_and_then_by_hops(void **state)
{
	static const struct smp_query node_info = { SMP_NODE_INFO, 0, 0 };
	static const uint8_t hop = 1;
	struct net n = net_of(two_switches());

	(void)state;
	smp_get_combined(n.mad, &n.to, &node_info, 3, 10, &hop, 1);
	assert_true(model_answer(n.model, &n.to, n.mad) >= 0);
	expect_node(&n, 11, 1);
	smp_get_combined(n.mad, &n.to, &node_info, 11, 10, &hop, 1);
	assert_int_equal(model_answer(n.model, &n.to, n.mad), LINE_NOBODY);
	model_refuse_combined(n.model);
	smp_get_combined(n.mad, &n.to, &node_info, 3, 10, &hop, 1);
	assert_int_equal(model_answer(n.model, &n.to, n.mad), LINE_NOBODY);
	net_free(&n);
}

static void every_attribute_is_told_as_the_fabric_has_it(void **state)
{
	static const uint8_t path[] = { 1, 4, 1 };
	struct mkfab m = two_switches();
	struct switch_info si;
	struct port_info pi;
	struct net n;

	(void)state;
	port(m, 3, 2)->width_supported = IBC_WIDTH_12X;
	n = net_of(m);
	ask_directed(&n, SMP_NODE_DESC, 0, path, 3);
	assert_memory_equal(smp_data(n.mad), "host11 mlx5_0", sizeof("host11 mlx5_0"));
	ask_directed(&n, SMP_SWITCH_INFO, 0, path, 2);
	switch_info_get(smp_data(n.mad), &si);
	assert_int_equal(si.lft_cap, 49152);
	ask_directed(&n, SMP_PORT_INFO, 2, path, 2);
	port_info_get(smp_data(n.mad), &pi);
	assert_int_equal(pi.phys_state, IBC_PHYS_POLLING);
	assert_int_equal(pi.width_supported, IBC_WIDTH_12X);
	assert_int_equal(pi.local_port, 3);
	ask_directed(&n, SMP_PORT_INFO, 0, path, 3);
	port_info_get(smp_data(n.mad), &pi);
	assert_int_equal(pi.lid, 11);
	assert_int_equal(pi.speed_active, IBC_SPEED_EDR);
	ask_directed(&n, SMP_PORT_INFO, 2, path, 3);
	port_info_get(smp_data(n.mad), &pi);
	assert_int_equal(pi.state, IBC_STATE_DOWN);
	net_free(&n);
}

static void what_a_device_does_not_have_it_refuses(void **state)
{
	static const uint8_t path[] = { 1 };
	struct net n = net_of(two_switches());

	(void)state;
	ask_directed(&n, SMP_SWITCH_INFO, 0, NULL, 0);
	assert_int_equal(status(&n), 0x0c);
	ask_directed(&n, 0x001a, 0, path, 1); /* RandomForwardingTable */
	assert_int_equal(status(&n), 0x0c);
	ask_directed(&n, SMP_PORT_INFO, 5, path, 1);
	assert_int_equal(status(&n), 0x1c);
	ask_directed(&n, SMP_MLNX_EXT_PORT_INFO, 4, path, 1);
	assert_int_equal(status(&n), 0x1c);
	assert_int_equal(model_asked(n.model, MODEL_OTHER), 1);
	assert_int_equal(model_asked_total(n.model), 4);
	net_free(&n);
}

static void only_gets_of_known_classes_are_answered(void **state)
{
	struct net n = net_of(two_switches());

	(void)state;
	smp_get_by_lid(n.mad, &n.to, &(struct smp_query){ SMP_NODE_INFO, 0, 0 }, 2);
	n.mad[3] = MAD_METHOD_SET;
	assert_int_equal(model_answer(n.model, &n.to, n.mad), LINE_NOBODY);
	n.mad[3] = MAD_METHOD_GET;
	n.mad[1] = 0x04;
	assert_int_equal(model_answer(n.model, &n.to, n.mad), LINE_NOBODY);
	net_free(&n);
}

static void a_silent_device_is_asked_in_vain(void **state)
{
	static const uint8_t path[] = { 1, 4, 1 };
	struct net n = net_of(two_switches());

	(void)state;
	model_silence(n.model, node(&n, 3));
	assert_int_equal(ask_directed(&n, SMP_NODE_INFO, 0, path, 2), LINE_NOBODY);
	assert_int_equal(model_asked(n.model, MODEL_NODE_INFO), 1);
	/* its SMA would have to pass this on */
	assert_int_equal(ask_directed(&n, SMP_NODE_INFO, 0, path, 3), LINE_NOBODY);
	/* its crossbar passes this on */
	assert_true(ask_lid(&n, SMP_NODE_INFO, 0, 11) >= 0);
	net_free(&n);
}

static void as_many_cas_as_wanted_are_silent_but_never_the_own(void **state)
{
	struct mkfab m = mkfab();
	struct net n;
	size_t silent = 0;

	(void)state;
	mk_switch(m, 1, "leaf", 20);
	for (unsigned int i = 1; i <= 20; i++) {
		mk_ca(m, 100 + i, "host", 1);
		cable(m, 1, i, 100 + i, 1);
	}
	n = net_of(m);
	model_silence_cas(n.model, 8);
	assert_true(ask_directed(&n, SMP_NODE_INFO, 0, NULL, 0) >= 0);
	for (uint16_t lid = 101; lid <= 120; lid++)
		silent += ask_lid(&n, SMP_NODE_INFO, 0, lid) == LINE_NOBODY;
	assert_int_equal(silent, 8);
	net_free(&n);
}

static void a_fabric_of_a_text_file_is_answered_as_healthy(void **state)
{
	static const uint8_t path[] = { 1 };
	struct mkfab m = two_switches();
	struct ibc_port *up = port(m, 2, 4), *down = port(m, 2, 2);
	struct port_info pi;
	struct net n;

	(void)state;
	up->answers = (struct ibc_answers){ 0 };
	answers_put(up, IBC_ATTR_LINK, ANSWER_OK);
	down->answers = up->answers;
	up->state = up->phys_state = 0;
	n = net_of(m);
	ask_directed(&n, SMP_PORT_INFO, 4, path, 1);
	port_info_get(smp_data(n.mad), &pi);
	assert_int_equal(pi.state, IBC_STATE_ACTIVE);
	assert_int_equal(pi.phys_state, IBC_PHYS_LINKUP);
	assert_int_equal(pi.speed_enabled, IBC_SPEED_EDR);
	ask_directed(&n, SMP_PORT_INFO, 2, path, 1);
	port_info_get(smp_data(n.mad), &pi);
	assert_int_equal(pi.state, IBC_STATE_DOWN);
	net_free(&n);
}

static void a_switch_can_ask_as_well(void **state)
{
	static const uint8_t path[] = { 4 };
	struct net n = { .fab = done(two_switches()) };

	(void)state;
	n.model = model_new(n.fab, ibc_node_port(node(&n, 2), 0));
	assert_int_equal(model_from(n.model)->node->guid, 2);
	assert_true(ask_directed(&n, SMP_NODE_INFO, 0, NULL, 0) >= 0);
	expect_node(&n, 2, 0);
	assert_true(ask_directed(&n, SMP_NODE_INFO, 0, path, 1) >= 0);
	expect_node(&n, 3, 3);
	assert_true(ask_lid(&n, SMP_NODE_INFO, 0, 11) >= 0);
	net_free(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_directed_query_walks_its_path),
		cmocka_unit_test(a_path_to_nowhere_is_silent),
		cmocka_unit_test(a_cable_that_is_down_lets_nothing_through),
		cmocka_unit_test(a_lid_is_reached_over_active_links_only),
		cmocka_unit_test(a_combined_route_goes_by_lid_and_then_by_hops),
		cmocka_unit_test(every_attribute_is_told_as_the_fabric_has_it),
		cmocka_unit_test(what_a_device_does_not_have_it_refuses),
		cmocka_unit_test(only_gets_of_known_classes_are_answered),
		cmocka_unit_test(a_silent_device_is_asked_in_vain),
		cmocka_unit_test(as_many_cas_as_wanted_are_silent_but_never_the_own),
		cmocka_unit_test(a_fabric_of_a_text_file_is_answered_as_healthy),
		cmocka_unit_test(a_switch_can_ask_as_well),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
