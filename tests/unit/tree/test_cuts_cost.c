/* SPDX-License-Identifier: BSD-2-Clause */
/* What the steps of a plan cut off is found near them: twice as many steps take twice the work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ibcheck/topo.h>

#include "check/repair.h"

#include "mkfab.h"

#define SPINES 4

/* Ports that are looked at where each leaf's first uplink is pulled, of a fabric with so many. */
static size_t looked_at(unsigned int leaves)
{
	size_t before = repair_ports_looked_at();
	struct mkfab m = mkfab();
	struct ibc_fabric *fab;
	char text[256];

	for (unsigned int s = 1; s <= SPINES; s++)
		mk_switch(m, s, "spine", leaves);
	for (unsigned int l = 1; l <= leaves; l++) {
		mk_switch(m, 0x100 + l, "leaf", SPINES);
		for (unsigned int s = 1; s <= SPINES; s++)
			cable(m, s, l, 0x100 + l, s);
	}
	fab = done(m);
	for (unsigned int l = 1; l <= leaves; l++) {
		const struct ibc_node *leaf = ibc_fabric_node_by_guid(fab, 0x100 + l);
		struct ibc_step step = { .action = IBC_ACTION_REMOVE,
			                 .from = { leaf, 1 },
			                 .peer = { leaf->ports[1].peer->node, l } };

		assert_int_equal(ibc_step_cuts(&step, NULL, text, sizeof(text)), 0);
	}
	ibc_fabric_free(fab);
	return repair_ports_looked_at() - before;
}

static void twice_as_many_steps_take_twice_the_work(void **state)
{
	size_t few = looked_at(60), many = looked_at(120);

	(void)state;
	assert_in_range(few, 60, 60 * 100);
	assert_in_range(many, 120, 3 * few);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(twice_as_many_steps_take_twice_the_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
