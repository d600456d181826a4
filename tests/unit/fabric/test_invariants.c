/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fabric/fabric.h"
#include "mkfab.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct ibc_fabric *small_fabric(void)
{
	struct mkfab m = mkfab();

	mk_ca(m, 30, "host02 mlx5_0", 2);
	mk_switch(m, 10, "leaf01", 4);
	mk_ca(m, 20, "host01 mlx5_0", 1);
	cable(m, 10, 1, 20, 1);
	cable(m, 30, 2, 10, 3);
	m.subnet->origin = port(m, 20, 1);
	return done(m);
}

/* Each breaks one thing of a fabric that is sound. */
static void break_peer(struct ibc_fabric *fab)
{
	((struct ibc_port *)&fab->nodes[1]->node.ports[1])->peer = NULL;
}

static void break_self(struct ibc_fabric *fab)
{
	struct ibc_port *p = (struct ibc_port *)&fab->nodes[0]->node.ports[2];

	p->peer = p;
}

static void break_number(struct ibc_fabric *fab)
{
	((struct ibc_port *)&fab->nodes[0]->node.ports[2])->num = 3;
}

static void break_outcome(struct ibc_fabric *fab)
{
	((struct ibc_port *)&fab->nodes[0]->node.ports[2])->answers.asked = 0;
}

static void break_outcomes(struct ibc_fabric *fab)
{
	fab->nodes[0]->node.answers.refused = fab->nodes[0]->node.answers.answered;
}

static void break_order(struct ibc_fabric *fab)
{
	struct fabric_node *first = fab->nodes[0];

	fab->nodes[0] = fab->nodes[1];
	fab->nodes[1] = first;
	fab->nodes[0]->order = 0;
	fab->nodes[1]->order = 1;
}

static void break_place(struct ibc_fabric *fab)
{
	fab->nodes[0]->order = 1;
}

static void break_guid(struct ibc_fabric *fab)
{
	fab->nodes[2]->node.guid++;
}

static void break_duplicate(struct ibc_fabric *fab)
{
	fab->nodes[0]->node.duplicate = true;
}

static void break_label(struct ibc_fabric *fab)
{
	fab->nodes[0]->node.label = "";
}

static void break_no_label(struct ibc_fabric *fab)
{
	fab->nodes[0]->node.label = NULL;
}

static void break_walk(struct ibc_fabric *fab)
{
	fab->ports[1] = fab->ports[2];
}

static void break_walk_end(struct ibc_fabric *fab)
{
	fab->num_ports = 9;
}

static void break_lid(struct ibc_fabric *fab)
{
	((struct ibc_port *)&fab->nodes[1]->node.ports[1])->lid = 77;
}

static void break_lid_table(struct ibc_fabric *fab)
{
	fab->subnets[0]->by_lid[5] = fab->subnets[0]->by_lid[10];
}

static void break_subnet(struct ibc_fabric *fab)
{
	fab->subnets[0]->subnet.fabric = NULL;
}

static void break_subnet_text(struct ibc_fabric *fab)
{
	fab->subnets[0]->subnet.file = NULL;
}

static void break_origin(struct ibc_fabric *fab)
{
	static const struct ibc_node elsewhere;
	static const struct ibc_port origin = { .node = &elsewhere };

	fab->subnets[0]->subnet.origin = &origin;
}

static void break_host(struct ibc_fabric *fab)
{
	fab->nodes[1]->node.host_name = "host01";
}

static void break_host_list(struct ibc_fabric *fab)
{
	fab->num_hosts = 1;
}

static void break_host_order(struct ibc_fabric *fab)
{
	fab->hosts[1] = fab->hosts[0];
}

static void every_broken_invariant_is_told(void **state)
{
	static void (*const breaks[])(struct ibc_fabric *) = {
		break_peer,        break_self,   break_number,    break_outcome,
		break_outcomes,    break_order,  break_place,     break_guid,
		break_duplicate,   break_label,  break_no_label,  break_walk,
		break_walk_end,    break_lid,    break_lid_table, break_subnet,
		break_subnet_text, break_origin, break_host,      break_host_list,
		break_host_order,
	};

	(void)state;
	for (size_t i = 0; i < COUNT(breaks); i++) {
		struct ibc_fabric *fab = small_fabric();
		struct ibc_error err = { "" };

		assert_int_equal(ibc_fabric_verify(fab, &err), 0);
		assert_string_equal(err.text, "");
		breaks[i](fab);
		assert_int_equal(ibc_fabric_verify(fab, &err), -EPROTO);
		assert_string_not_equal(err.text, "");
		assert_int_equal(ibc_fabric_verify(fab, NULL), -EPROTO);
		ibc_fabric_free(fab);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_broken_invariant_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
