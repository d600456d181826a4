/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/compare/repair.h"
#include "base/arena.h"

/* Cables by their ends: leaves are 1 .. 9, spines 11 .. 19. */
#define CABLE(a, p, b, q)                                                                          \
	{                                                                                          \
		{ { a, p }, { b, q } }, 0                                                          \
	}

#define LENGTH(segments) (sizeof(segments) / sizeof((segments)[0]))

struct script {
	struct arena *arena;
	struct repair repair;
	char text[1024];
};

static void write_step(char *out, size_t room, const struct repair_step *s)
{
	static const char *const words[] = { "move", "exchange", "connect", "remove" };

	switch (s->action) {
	case IBC_ACTION_MOVE:
		snprintf(out, room, "%s %u/%u to %u/%u of %u/%u", words[s->action], s->from.node,
		         s->from.port, s->to.node, s->to.port, s->peer.node, s->peer.port);
		break;
	case IBC_ACTION_EXCHANGE:
		snprintf(out, room, "%s %u/%u of %u/%u and %u/%u of %u/%u", words[s->action],
		         s->from.node, s->from.port, s->peer.node, s->peer.port, s->to.node,
		         s->to.port, s->to_peer.node, s->to_peer.port);
		break;
	case IBC_ACTION_CONNECT:
		snprintf(out, room, "%s %u/%u %u/%u", words[s->action], s->to.node, s->to.port,
		         s->peer.node, s->peer.port);
		break;
	case IBC_ACTION_REMOVE:
		snprintf(out, room, "%s %u/%u %u/%u", words[s->action], s->from.node, s->from.port,
		         s->peer.node, s->peer.port);
		break;
	case IBC_ACTION_REPLACE:
	case IBC_ACTION_RENAME:
		fail_msg("%u is nothing to do to a cable", s->action);
	}
}

/* "move ...; move ... | connect ...": steps by fault */
static struct script script_of(const struct segment *absent, size_t num_absent,
                               const struct segment *surplus, size_t num_surplus,
                               const struct repair_node *nodes)
{
	struct script s = { .arena = arena_new() };

	assert_true(
	    repair_find(s.arena, absent, num_absent, surplus, num_surplus, nodes, &s.repair));
	for (size_t i = 0; i < s.repair.num_steps; i++) {
		const struct repair_step *step = &s.repair.steps[i];
		size_t used = strlen(s.text);

		if (i > 0)
			strcat(s.text, step->fault == step[-1].fault ? "; " : " | ");
		used = strlen(s.text);
		write_step(s.text + used, sizeof(s.text) - used, step);
	}
	return s;
}

static void expect(const struct segment *absent, size_t num_absent, const struct segment *surplus,
                   size_t num_surplus, const struct repair_node *nodes, const char *text)
{
	struct script s = script_of(absent, num_absent, surplus, num_surplus, nodes);

	assert_string_equal(s.text, text);
	arena_free(s.arena);
}

static void nothing_deviates_nothing_moves(void **state)
{
	(void)state;
	expect(NULL, 0, NULL, 0, NULL, "");
}

static void an_absent_cable_is_connected(void **state)
{
	const struct segment absent[] = { CABLE(1, 5, 11, 1) };

	(void)state;
	expect(absent, 1, NULL, 0, NULL, "connect 1/5 11/1");
}

static void a_surplus_cable_is_removed(void **state)
{
	const struct segment surplus[] = { CABLE(1, 5, 11, 1) };

	(void)state;
	expect(NULL, 0, surplus, 1, NULL, "remove 1/5 11/1");
}

static void a_plug_beside_its_socket_moves_there(void **state)
{
	const struct segment absent[] = { CABLE(1, 5, 11, 1) };
	const struct segment surplus[] = { CABLE(1, 6, 11, 1) };

	(void)state;
	expect(absent, 1, surplus, 1, NULL, "move 1/6 to 1/5 of 11/1");
}

static void both_plugs_of_a_cable_between_the_right_nodes_move(void **state)
{
	const struct segment absent[] = { CABLE(1, 5, 11, 1) };
	const struct segment surplus[] = { CABLE(11, 2, 1, 6) };

	(void)state;
	expect(absent, 1, surplus, 1, NULL, "move 1/6 to 1/5 of 11/2; move 11/2 to 11/1 of 1/5");
}

static void two_crossed_cables_are_one_exchange(void **state)
{
	const struct segment absent[] = { CABLE(1, 5, 11, 1), CABLE(2, 5, 12, 2) };
	const struct segment surplus[] = { CABLE(1, 5, 12, 2), CABLE(2, 5, 11, 1) };
	struct script s = script_of(absent, 2, surplus, 2, NULL);

	(void)state;
	assert_string_equal(s.text, "exchange 2/5 of 11/1 and 1/5 of 12/2");
	assert_int_equal(s.repair.num_faults, 1);
	assert_true(s.repair.faults->cycle);
	assert_int_equal(s.repair.faults->num_absent, 2);
	assert_int_equal(s.repair.faults->num_surplus, 2);
	arena_free(s.arena);
}

static void three_rotated_cables_are_two_exchanges_of_one_kind_of_end(void **state)
{
	const struct segment absent[] = { CABLE(1, 5, 11, 1), CABLE(2, 5, 12, 2),
		                          CABLE(3, 5, 13, 3) };
	const struct segment surplus[] = { CABLE(1, 5, 12, 2), CABLE(2, 5, 13, 3),
		                           CABLE(3, 5, 11, 1) };

	(void)state;
	expect(absent, 3, surplus, 3, NULL,
	       "exchange 3/5 of 11/1 and 1/5 of 12/2; exchange 2/5 of 13/3 and 3/5 of 12/2");
}

static void spines_in_one_rack_are_the_cheaper_end(void **state)
{
	const struct segment absent[] = { CABLE(1, 5, 11, 1), CABLE(2, 5, 12, 2) };
	const struct segment surplus[] = { CABLE(1, 5, 12, 2), CABLE(2, 5, 11, 1) };
	struct repair_node nodes[20] = { [11] = { .rack = 7 }, [12] = { .rack = 7 } };

	(void)state;
	expect(absent, 2, surplus, 2, nodes, "exchange 11/1 of 2/5 and 12/2 of 1/5");
	nodes[1].rack = nodes[2].rack = 3;
	nodes[12].rack = 8;
	expect(absent, 2, surplus, 2, nodes, "exchange 2/5 of 11/1 and 1/5 of 12/2");
}

static void of_ends_that_cost_the_same_the_higher_one_moves(void **state)
{
	const struct segment absent[] = { CABLE(1, 5, 11, 1), CABLE(2, 5, 12, 2) };
	const struct segment surplus[] = { CABLE(1, 5, 12, 2), CABLE(2, 5, 11, 1) };
	struct repair_node nodes[20] = { [1] = { .height = 1 },
		                         [2] = { .height = 1 },
		                         [11] = { .height = 2 },
		                         [12] = { .height = 2 } };

	(void)state;
	expect(absent, 2, surplus, 2, nodes, "exchange 11/1 of 2/5 and 12/2 of 1/5");
	nodes[1].height = nodes[2].height = 3;
	expect(absent, 2, surplus, 2, nodes, "exchange 2/5 of 11/1 and 1/5 of 12/2");
}

static void a_cable_between_leaves_is_one_move_and_one_connection(void **state)
{
	const struct segment absent[] = { CABLE(1, 5, 11, 1), CABLE(2, 5, 12, 2) };
	const struct segment surplus[] = { CABLE(1, 5, 2, 5) };

	(void)state;
	expect(absent, 2, surplus, 1, NULL, "move 2/5 to 11/1 of 1/5; connect 2/5 12/2");
}

static void a_plug_in_the_socket_of_another_cable_goes_back_first(void **state)
{
	const struct segment absent[] = { CABLE(1, 5, 11, 1), CABLE(2, 5, 12, 2) };
	const struct segment surplus[] = { CABLE(1, 5, 12, 2) };

	(void)state;
	expect(absent, 2, surplus, 1, NULL, "move 1/5 to 2/5 of 12/2; connect 1/5 11/1");
}

static void no_plug_goes_to_a_node_that_nobody_has_seen(void **state)
{
	const struct segment absent[] = { CABLE(1, 5, 11, 1), CABLE(2, 5, 12, 2) };
	const struct segment surplus[] = { CABLE(1, 5, 12, 2) };
	struct repair_node nodes[20] = { [2] = { .unseen = true } };

	(void)state;
	expect(absent, 2, surplus, 1, nodes, "move 12/2 to 11/1 of 1/5; connect 2/5 12/2");
}

static void what_holds_both_sockets_goes_before_a_plug_moves_in(void **state)
{
	const struct segment absent[] = { CABLE(1, 5, 11, 1) };
	const struct segment surplus[] = { CABLE(1, 5, 12, 8), CABLE(2, 8, 11, 1) };

	(void)state;
	expect(absent, 1, surplus, 2, NULL, "remove 2/8 11/1; move 12/8 to 11/1 of 1/5");
}

static void a_shifted_row_moves_one_after_the_other_into_the_free_socket(void **state)
{
	const struct segment absent[] = { CABLE(1, 1, 11, 1), CABLE(1, 2, 12, 1),
		                          CABLE(1, 3, 13, 1) };
	const struct segment surplus[] = { CABLE(1, 2, 11, 1), CABLE(1, 3, 12, 1),
		                           CABLE(1, 4, 13, 1) };

	(void)state;
	expect(absent, 3, surplus, 3, NULL,
	       "move 1/2 to 1/1 of 11/1; move 1/3 to 1/2 of 12/1; move 1/4 to 1/3 of 13/1");
}

static void paths_come_before_cycles_and_rack_by_rack(void **state)
{
	const struct segment absent[] = { CABLE(1, 5, 11, 1), CABLE(2, 5, 12, 2),
		                          CABLE(3, 1, 13, 1), CABLE(4, 1, 14, 1),
		                          CABLE(5, 1, 15, 1) };
	const struct segment surplus[] = { CABLE(1, 5, 12, 2), CABLE(2, 5, 11, 1) };
	const struct repair_node nodes[20] = {
		[3] = { .rack = 2 },  [4] = { .rack = 1 },  [5] = { .rack = 2 },
		[13] = { .rack = 9 }, [14] = { .rack = 9 }, [15] = { .rack = 9 },
	};

	(void)state;
	expect(absent, 5, surplus, 2, nodes,
	       "connect 4/1 14/1 | connect 3/1 13/1 | connect 5/1 15/1 | "
	       "exchange 2/5 of 11/1 and 1/5 of 12/2");
}

static void every_step_names_the_cable_it_makes(void **state)
{
	const struct segment absent[] = { CABLE(1, 5, 11, 1), CABLE(2, 5, 12, 2) };
	const struct segment surplus[] = { CABLE(1, 5, 12, 2) };
	struct script s = script_of(absent, 2, surplus, 1, NULL);

	(void)state;
	assert_ptr_equal(s.repair.steps[0].segment, &surplus[0]);
	assert_ptr_equal(s.repair.steps[0].becomes, &absent[1]);
	assert_null(s.repair.steps[1].segment);
	assert_ptr_equal(s.repair.steps[1].becomes, &absent[0]);
	arena_free(s.arena);
}

static void running_out_of_memory_is_told(void **state)
{
	const struct segment absent[] = { CABLE(1, 5, 11, 1), CABLE(2, 5, 12, 2) };
	const struct segment surplus[] = { CABLE(1, 5, 12, 2) };
	unsigned long n = 0;
	bool found = false;

	(void)state;
	while (!found) {
		struct arena *a = arena_new();
		struct repair r;

		alloc_fail_at(++n);
		found = repair_find(a, absent, 2, surplus, 1, NULL, &r);
		alloc_fail_at(0);
		arena_free(a);
	}
	assert_true(n > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_deviates_nothing_moves),
		cmocka_unit_test(an_absent_cable_is_connected),
		cmocka_unit_test(a_surplus_cable_is_removed),
		cmocka_unit_test(a_plug_beside_its_socket_moves_there),
		cmocka_unit_test(both_plugs_of_a_cable_between_the_right_nodes_move),
		cmocka_unit_test(two_crossed_cables_are_one_exchange),
		cmocka_unit_test(three_rotated_cables_are_two_exchanges_of_one_kind_of_end),
		cmocka_unit_test(spines_in_one_rack_are_the_cheaper_end),
		cmocka_unit_test(of_ends_that_cost_the_same_the_higher_one_moves),
		cmocka_unit_test(a_cable_between_leaves_is_one_move_and_one_connection),
		cmocka_unit_test(a_plug_in_the_socket_of_another_cable_goes_back_first),
		cmocka_unit_test(no_plug_goes_to_a_node_that_nobody_has_seen),
		cmocka_unit_test(what_holds_both_sockets_goes_before_a_plug_moves_in),
		cmocka_unit_test(a_shifted_row_moves_one_after_the_other_into_the_free_socket),
		cmocka_unit_test(paths_come_before_cycles_and_rack_by_rack),
		cmocka_unit_test(every_step_names_the_cable_it_makes),
		cmocka_unit_test(running_out_of_memory_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
