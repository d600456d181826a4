/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <ibcheck/changes.h>

#include "base/arena.h"
#include "mkpair.h"

#define ALL    ((1u << IBC_CHANGE_COUNT) - 1)
#define BUT(k) (ALL & ~(1u << (k)))

static void print_change(FILE *out, const struct ibc_change *c)
{
	const struct ibc_node *node = c->is ? c->is : c->was;
	const struct ibc_port *port = c->is ? c->port_is : c->port_was;
	char was[256], is[256];

	fprintf(out, "%s %s", ibc_change_word(c->kind)->word, node->label);
	if (port)
		fprintf(out, "/%u", port->num);
	fprintf(out, ": %s -> %s\n", ibc_change_text(c, true, was, sizeof(was)),
	        ibc_change_text(c, false, is, sizeof(is)));
}

/* Frees both fabrics. */
static void expect_kinds(struct mkfab was, struct mkfab is, uint32_t kinds, const char *lines)
{
	struct ibc_fabric *before = done(was), *after = done(is);
	struct ibc_comparison *cmp;
	struct ibc_changes *changes;
	const struct ibc_change *c;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(ibc_compare(before, after, NULL, &cmp, NULL), 0);
	assert_int_equal(ibc_changes_find(cmp, kinds, &changes, NULL), 0);
	for (size_t i = 0; (c = ibc_changes_at(changes, i)); i++)
		print_change(out, c);
	assert_int_equal(fclose(out), 0);
	ibc_changes_free(changes);
	ibc_comparison_free(cmp);
	ibc_fabric_free(before);
	ibc_fabric_free(after);
	assert_string_equal(text, lines);
	free(text);
}

static void expect(struct mkfab was, struct mkfab is, const char *lines)
{
	expect_kinds(was, is, ALL, lines);
}

static struct ibc_node *node(struct mkfab m, uint64_t guid)
{
	return fabric_build_find(m.b, m.subnet, guid);
}

static void a_fabric_that_stayed_as_it_was_has_no_changes(void **state)
{
	(void)state;
	expect(mk_site(), mk_site(), "");
}

/* ---- nodes and cables ------------------------------------------------------------ */

static void a_host_that_is_gone_takes_its_cable_along(void **state)
{
	struct mkfab is = mk_site_nodes();

	(void)state;
	mk_site_uplinks(is);
	mk_site_hosts(is);
	expect(mk_site(), is,
	       "node_gone host04 mlx5_0: host04 mlx5_0 -> \n"
	       "cable_gone leaf02/2: leaf02/2 - host04 mlx5_0/1 -> \n");
}

static void a_host_that_is_new_brings_its_cable_along(void **state)
{
	struct mkfab was = mk_site_nodes();

	(void)state;
	mk_site_uplinks(was);
	mk_site_hosts(was);
	expect(was, mk_site(),
	       "node_new host04 mlx5_0:  -> host04 mlx5_0\n"
	       "cable_new leaf02/2:  -> leaf02/2 - host04 mlx5_0/1\n");
}

static void two_cables_that_were_exchanged_have_moved(void **state)
{
	struct mkfab is = mk_site_nodes();

	(void)state;
	mk_site_hosts(is);
	mk_ca(is, HOST04, "host04 mlx5_0", 1);
	cable(is, LEAF02, 2, HOST04, 1);
	cable(is, LEAF01, 5, SPINE02, 1);
	cable(is, LEAF01, 6, SPINE01, 1);
	cable(is, LEAF02, 5, SPINE01, 2);
	cable(is, LEAF02, 6, SPINE02, 2);
	expect(mk_site(), is,
	       "cable_moved leaf01/5: leaf01/5 - spine01/1 -> leaf01/5 - spine02/1\n"
	       "cable_moved leaf01/6: leaf01/6 - spine02/1 -> leaf01/6 - spine01/1\n");
}

static void a_node_that_was_renamed_is_the_same(void **state)
{
	struct mkfab is = mk_site();

	(void)state;
	fabric_build_desc(is.b, node(is, HOST01), "login01 mlx5_0", 14);
	expect(mk_site(), is, "node_renamed login01 mlx5_0: host01 mlx5_0 -> login01 mlx5_0\n");
}

/* ---- ports ------------------------------------------------------------------------ */

static void the_state_of_a_cable_is_told_once(void **state)
{
	struct mkfab is = mk_site();

	(void)state;
	port(is, LEAF01, 5)->state = IBC_STATE_INIT;
	port(is, SPINE01, 1)->state = IBC_STATE_INIT;
	expect(mk_site(), is, "state leaf01/5: Active -> Init\n");
}

static void the_state_of_the_far_end_alone_is_told_there(void **state)
{
	struct mkfab is = mk_site();

	(void)state;
	port(is, SPINE01, 1)->state = IBC_STATE_ARMED;
	expect(mk_site(), is, "state spine01/1: Active -> Armed\n");
}

static void a_free_port_that_was_disabled_has_changed(void **state)
{
	struct mkfab is = mk_site();

	(void)state;
	port(is, LEAF01, 8)->phys_state = IBC_PHYS_DISABLED;
	expect(mk_site(), is, "state leaf01/8: Polling -> Disabled\n");
}

static void a_free_port_that_looks_for_a_peer_has_not(void **state)
{
	struct mkfab is = mk_site();

	(void)state;
	port(is, LEAF01, 7)->phys_state = IBC_PHYS_TRAINING;
	port(is, LEAF01, 8)->phys_state = IBC_PHYS_SLEEP;
	expect(mk_site(), is, "");
}

static void a_rate_changes_in_either_direction(void **state)
{
	struct mkfab was = mk_site(), is = mk_site();

	(void)state;
	port(was, LEAF02, 5)->speed_active = port(was, SPINE01, 2)->speed_active = IBC_SPEED_FDR;
	port(is, LEAF01, 5)->width_active = port(is, SPINE01, 1)->width_active = IBC_WIDTH_1X;
	expect(was, is,
	       "rate leaf01/5: 4x EDR (100 Gb/s) -> 1x EDR (25 Gb/s)\n"
	       "rate leaf02/5: 4x FDR (54.5 Gb/s) -> 4x EDR (100 Gb/s)\n");
}

static void a_rate_that_was_not_told_has_not_changed(void **state)
{
	struct mkfab was = mk_site(), is = mk_site();

	(void)state;
	port(was, LEAF01, 5)->speed_active = port(was, SPINE01, 1)->speed_active = 0;
	answers_put(port(was, LEAF01, 6), IBC_ATTR_PORT_INFO, ANSWER_NONE);
	port(was, LEAF01, 6)->speed_active = IBC_SPEED_SDR;
	expect_kinds(was, is, 1u << IBC_CHANGE_RATE, "");
}

/* ---- LIDs, and who gives them ------------------------------------------------------ */

static void a_lid_or_its_mask_may_change(void **state)
{
	struct mkfab is = mk_site();

	(void)state;
	port(is, LEAF01, 0)->lid = 77;
	port(is, HOST01, 1)->lmc = 2;
	port(is, HOST02, 1)->lid = 0;
	expect_kinds(mk_site(), is, 1u << IBC_CHANGE_LID,
	             "lid leaf01/0: 1 -> 77\n"
	             "lid host01 mlx5_0/1: 272 -> 272, LMC 2\n"
	             "lid host02 mlx5_0/1: 288 -> none\n");
}

static void a_lid_that_was_not_told_has_not_changed(void **state)
{
	struct mkfab is = mk_site();
	struct ibc_port *p = port(is, HOST02, 1);

	(void)state;
	p->lid = 0;
	answers_put(p, IBC_ATTR_PORT_INFO, ANSWER_NONE);
	expect_kinds(mk_site(), is, 1u << IBC_CHANGE_LID, "");
}

/* Its second port leads to another subnet. */
static struct mkfab mk_two_subnets(uint16_t lid)
{
	struct mkfab m = mk_site();

	mk_ca(m, 0x901, "host09 mlx4_0", 2);
	cable(m, LEAF01, 7, 0x901, 1);
	port(m, 0x901, 1)->lid = 901;
	mk_active(port(m, 0x901, 2));
	port(m, 0x901, 2)->lid = lid;
	return m;
}

static void a_lid_of_another_subnet_does_not_change_this_one(void **state)
{
	(void)state;
	expect_kinds(mk_two_subnets(7), mk_two_subnets(8), 1u << IBC_CHANGE_LID, "");
}

static void obey(struct mkfab m, uint16_t sm_lid)
{
	struct ibc_port *p;

	for (uint64_t guid = 1; guid <= HOST04; guid++)
		for (unsigned int num = 0; num <= UINT8_MAX; num++)
			if ((p = fabric_build_port(node(m, guid), num)))
				p->sm_lid = sm_lid;
}

static void a_manager_that_moved_is_on_another_node(void **state)
{
	struct mkfab was = mk_site(), is = mk_site();

	(void)state;
	obey(was, HOST01);
	obey(is, HOST03);
	expect(was, is, "sm host03 mlx5_0: host01 mlx5_0 -> host03 mlx5_0\n");
}

static void a_manager_that_has_another_lid_has_not_moved(void **state)
{
	struct mkfab was = mk_site(), is = mk_site();

	(void)state;
	obey(was, HOST01);
	obey(is, 77);
	port(is, HOST01, 1)->lid = 77;
	expect(was, is, "lid host01 mlx5_0/1: 272 -> 77\n");
}

/* ---- devices ------------------------------------------------------------------------ */

static void firmware_and_hardware_may_change(void **state)
{
	struct mkfab was = mk_site(), is = mk_site();

	(void)state;
	node(was, LEAF01)->firmware = "27.2010.4036";
	node(is, LEAF01)->firmware = "27.2012.4036";
	node(was, HOST01)->revision = 0xa0;
	node(is, HOST01)->revision = 0xb0;
	node(is, HOST02)->device_id = 0x1018;
	expect(was, is,
	       "firmware leaf01: 27.2010.4036 -> 27.2012.4036\n"
	       "revision host01 mlx5_0: 0xa0 -> 0xb0\n"
	       "device_id host02 mlx5_0: 0x1017 -> 0x1018\n");
}

static void firmware_that_one_of_them_does_not_tell_has_not_changed(void **state)
{
	struct mkfab was = mk_site(), is = mk_site();

	(void)state;
	node(was, LEAF01)->firmware = "27.2010.4036";
	node(is, LEAF02)->firmware = "27.2012.4036";
	node(is, HOST01)->revision = 0xb0;
	node(is, HOST02)->device_id = 0;
	expect(was, is, "");
}

static void what_a_replaced_node_has_otherwise_is_no_change_of_its_own(void **state)
{
	struct mkfab was = mk_site(), is = mk_site_nodes();

	(void)state;
	node(was, HOST04)->firmware = "28.39.1002";
	mk_site_uplinks(is);
	mk_site_hosts(is);
	mk_ca(is, 0x999, "host04 mlx5_0", 1);
	cable(is, LEAF02, 2, 0x999, 1);
	node(is, 0x999)->firmware = "28.40.1000";
	expect(was, is, "node_replaced host04 mlx5_0: host04 mlx5_0 -> host04 mlx5_0\n");
}

/* ---- what only one of them could see --------------------------------------------------- */

static void what_was_behind_silence_is_not_new(void **state)
{
	struct mkfab was = mk_site_nodes();

	(void)state;
	mk_site_uplinks(was);
	mk_site_hosts(was);
	mk_silent_beyond(was, LEAF02, 2);
	expect(was, mk_site(), "");
}

static void what_is_behind_silence_is_not_gone(void **state)
{
	struct mkfab is = mk_site_nodes();

	(void)state;
	mk_site_uplinks(is);
	mk_site_hosts(is);
	mk_silent_beyond(is, LEAF02, 2);
	expect(mk_site(), is, "");
}

static void what_was_behind_a_silent_switch_is_not_new(void **state)
{
	struct mkfab was = mkfab();

	(void)state;
	mk_switch(was, LEAF01, "leaf01", 8);
	mk_switch(was, SPINE01, "spine01", 8);
	mk_switch(was, SPINE02, "spine02", 8);
	mk_ca(was, HOST01, "host01 mlx5_0", 1);
	mk_ca(was, HOST02, "host02 mlx5_0", 1);
	cable(was, LEAF01, 1, HOST01, 1);
	cable(was, LEAF01, 2, HOST02, 1);
	cable(was, LEAF01, 5, SPINE01, 1);
	cable(was, LEAF01, 6, SPINE02, 1);
	mk_silent_beyond(was, SPINE01, 2);
	mk_silent_beyond(was, SPINE02, 2);
	expect(was, mk_site(), "");
}

static void a_port_that_did_not_tell_may_have_had_its_cable(void **state)
{
	struct mkfab was = mk_site_nodes();

	(void)state;
	mk_site_uplinks(was);
	mk_site_hosts(was);
	answers_put(port(was, LEAF02, 2), IBC_ATTR_PORT_INFO, ANSWER_NONE);
	expect(was, mk_site(), "");
}

static void a_cable_is_new_if_one_of_its_ports_was_free(void **state)
{
	struct mkfab was = mk_site(), is = mk_site();

	(void)state;
	answers_put(port(was, LEAF01, 8), IBC_ATTR_PORT_INFO, ANSWER_NONE);
	cable(is, LEAF01, 8, LEAF02, 8);
	expect(was, is, "cable_new leaf01/8:  -> leaf01/8 - leaf02/8\n");
}

static void a_cable_between_ports_that_did_not_tell_is_not_new(void **state)
{
	struct mkfab was = mk_site(), is = mk_site();

	(void)state;
	answers_put(port(was, LEAF01, 8), IBC_ATTR_PORT_INFO, ANSWER_NONE);
	answers_put(port(was, LEAF02, 8), IBC_ATTR_PORT_INFO, ANSWER_NONE);
	cable(is, LEAF01, 8, LEAF02, 8);
	expect(was, is, "");
}

/* ---- the rest ------------------------------------------------------------------------------ */

static void only_kinds_that_are_wanted_are_found(void **state)
{
	struct mkfab is = mk_site();

	(void)state;
	port(is, LEAF01, 8)->phys_state = IBC_PHYS_DISABLED;
	port(is, LEAF01, 0)->lid = 77;
	expect_kinds(mk_site(), is, BUT(IBC_CHANGE_STATE), "lid leaf01/0: 1 -> 77\n");
}

static void a_text_never_goes_beyond_its_room(void **state)
{
	struct ibc_fabric *fab = done(mk_site());
	const struct ibc_port *p = ibc_node_port(ibc_fabric_node_by_guid(fab, LEAF01), 5);
	char text[8];

	(void)state;
	for (unsigned int kind = 0; kind < IBC_CHANGE_COUNT; kind++) {
		struct ibc_change c = { kind, p->node, p->node, p, p };

		((struct ibc_node *)p->node)->firmware = "27.2012.4036";
		for (size_t size = 0; size <= sizeof(text); size++) {
			memset(text, '#', sizeof(text));
			ibc_change_text(&c, true, text, size);
			for (size_t i = size; i < sizeof(text); i++)
				assert_int_equal(text[i], '#');
			if (size)
				assert_true(memchr(text, '\0', size));
		}
	}
	ibc_fabric_free(fab);
}

static void every_allocation_may_fail(void **state)
{
	struct mkfab m = mk_site();
	struct ibc_fabric *before = done(mk_site()), *after;
	struct ibc_comparison *cmp;
	struct ibc_changes *changes;
	unsigned long n = 0;
	int rc;

	(void)state;
	for (unsigned int num = 1; num <= 8; num++)
		port(m, LEAF01, num)->phys_state = IBC_PHYS_DISABLED;
	after = done(m);
	assert_int_equal(ibc_compare(before, after, NULL, &cmp, NULL), 0);
	do {
		alloc_fail_at(++n);
		rc = ibc_changes_find(cmp, ALL, &changes, NULL);
		alloc_fail_at(0);
		assert_true(rc == 0 || (rc == -ENOMEM && !changes));
	} while (rc);
	assert_true(n > 3);
	ibc_changes_free(changes);
	ibc_changes_free(NULL);
	ibc_comparison_free(cmp);
	ibc_fabric_free(before);
	ibc_fabric_free(after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fabric_that_stayed_as_it_was_has_no_changes),
		cmocka_unit_test(a_host_that_is_gone_takes_its_cable_along),
		cmocka_unit_test(a_host_that_is_new_brings_its_cable_along),
		cmocka_unit_test(two_cables_that_were_exchanged_have_moved),
		cmocka_unit_test(a_node_that_was_renamed_is_the_same),
		cmocka_unit_test(the_state_of_a_cable_is_told_once),
		cmocka_unit_test(the_state_of_the_far_end_alone_is_told_there),
		cmocka_unit_test(a_free_port_that_was_disabled_has_changed),
		cmocka_unit_test(a_free_port_that_looks_for_a_peer_has_not),
		cmocka_unit_test(a_rate_changes_in_either_direction),
		cmocka_unit_test(a_rate_that_was_not_told_has_not_changed),
		cmocka_unit_test(a_lid_or_its_mask_may_change),
		cmocka_unit_test(a_lid_that_was_not_told_has_not_changed),
		cmocka_unit_test(a_lid_of_another_subnet_does_not_change_this_one),
		cmocka_unit_test(a_manager_that_moved_is_on_another_node),
		cmocka_unit_test(a_manager_that_has_another_lid_has_not_moved),
		cmocka_unit_test(firmware_and_hardware_may_change),
		cmocka_unit_test(firmware_that_one_of_them_does_not_tell_has_not_changed),
		cmocka_unit_test(what_a_replaced_node_has_otherwise_is_no_change_of_its_own),
		cmocka_unit_test(what_was_behind_silence_is_not_new),
		cmocka_unit_test(what_is_behind_silence_is_not_gone),
		cmocka_unit_test(what_was_behind_a_silent_switch_is_not_new),
		cmocka_unit_test(a_port_that_did_not_tell_may_have_had_its_cable),
		cmocka_unit_test(a_cable_is_new_if_one_of_its_ports_was_free),
		cmocka_unit_test(a_cable_between_ports_that_did_not_tell_is_not_new),
		cmocka_unit_test(only_kinds_that_are_wanted_are_found),
		cmocka_unit_test(a_text_never_goes_beyond_its_room),
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
