/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Causes of waiting where forwarding tables are known.  Traffic flows like water by the tables
 * (model/fluid.h), and what was made is known: in 95 % of the windows the report must name the
 * causes, each with its kind, and nothing else; a host that is none is never named.
 *
 * WAITCAUSES_RUNS: so many windows, each with its number as the seed; WAITCAUSES_FIRST: the first.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "mkclos.h"
#include "mkcount.h"
#include "model/fluid.h"

#define WINDOWS   300
#define HOSTS_MAX 64
#define TRUTHS    2

enum scene {
	INCAST,
	SLOW,
	NARROW,
	UNEVEN,
	TWO_SLOW,
	SLOW_BESIDE_BUSY,
	INCAST_BESIDE_BUSY,
	INCAST_AND_SLOW,
	BUSY_ONLY,
	SCENES
};

/* struct truth - a port of a switch, and what it is a cause of */
struct truth {
	const struct ibc_port *port;
	const char *kind;
};

struct scenario {
	uint64_t random;
	struct clos c;
	struct ibc_fabric *before, *now;
	struct fluid *fluid;
	const struct ibc_port *hosts[HOSTS_MAX];
	unsigned int num_hosts;
	struct truth truths[TRUTHS];
	size_t num_truths;
};

static double draw_real(struct scenario *x, double low, double high)
{
	return low + (high - low) * draw(&x->random, 1001) / 1000;
}

/* ---- traffic ------------------------------------------------------------------------------ */

/* Over the uplink that the tables have for it. */
static void send(struct scenario *x, const struct ibc_port *from, const struct ibc_port *to,
                 double demand)
{
	const struct ibc_forwarding *f = ibc_fabric_subnet(x->now, 0)->forwarding;
	size_t column = (size_t)(from->peer->node->guid - 1); /* leaves come first */
	unsigned int out = f->out[to->lid * f->stride + column];

	fluid_flow(x->fluid,
	           &(struct fluid_flow){ from, to, demand, (int)out - (int)x->c.hosts - 1 });
}

/* Another host than these; of the same leaf as the first of them, or anywhere. */
static const struct ibc_port *draw_other(struct scenario *x, const struct ibc_port *const * not,
                                         size_t n, bool same_leaf)
{
	const struct ibc_port *found;
	size_t i;

	do {
		found = x->hosts[draw(&x->random, x->num_hosts)];
		for (i = 0; i < n && not [i] != found; i++)
			;
	} while (i < n || (same_leaf && found->peer->node != not [0] -> peer -> node));
	return found;
}

/* So many different hosts send to one, together so much; those of its leaf only if @local. */
static void send_many(struct scenario *x, const struct ibc_port *const *to, size_t busy,
                      unsigned int senders, double demand)
{
	const struct ibc_port *used[HOSTS_MAX];

	for (size_t i = 0; i < busy; i++)
		used[i] = to[i];
	for (unsigned int i = 0; i < senders; i++) {
		used[busy + i] = draw_other(x, used, busy + i, false);
		send(x, used[busy + i], to[0], demand / senders);
	}
}

static void expect_cause(struct scenario *x, const struct ibc_port *port, const char *kind)
{
	x->truths[x->num_truths++] = (struct truth){ port, kind };
}

static void make_incast(struct scenario *x, const struct ibc_port *const *at, size_t busy)
{
	unsigned int most = x->num_hosts - 4 < 16 ? x->num_hosts - 4 : 16;
	unsigned int senders = 2 + draw(&x->random, most - 1);
	double demand = draw_real(x, 1.3, 2.5);

	send_many(x, at, busy, senders, demand > 0.95 * senders ? 0.95 * senders : demand);
	expect_cause(x, at[0]->peer, "incast");
}

static void make_slow(struct scenario *x, const struct ibc_port *const *at, size_t busy,
                      double takes)
{
	fluid_host_takes(x->fluid, at[0], takes);
	send_many(x, at, busy, 1 + draw(&x->random, 5), draw_real(x, 1.4, 2) * takes);
	expect_cause(x, at[0]->peer, "slow_receiver");
}

/* Hosts of the same leaf send so much to it that its link is nearly full, and no more. */
static void make_busy(struct scenario *x, const struct ibc_port *const *at)
{
	const struct ibc_port *used[4] = { at[0], at[1] };
	unsigned int senders = 1 + draw(&x->random, 2);

	for (unsigned int i = 0; i < senders; i++) {
		used[2 + i] = draw_other(x, used, 2 + i, true);
		send(x, used[2 + i], at[1], 0.93 / senders);
	}
}

static struct ibc_port *uplink_of(struct scenario *x, unsigned int leaf, unsigned int spine)
{
	return (struct ibc_port *)ibc_node_port(ibc_fabric_node_by_guid(x->now, clos_leaf(leaf)),
	                                        clos_up(&x->c, spine, 0));
}

/* All hosts of a leaf send, each to another one elsewhere, whose LID one uplink of it has. */
static void load_uplink(struct scenario *x, unsigned int leaf, const struct ibc_port *up,
                        double demand)
{
	const struct ibc_forwarding *f = ibc_fabric_subnet(x->now, 0)->forwarding;
	unsigned int n = x->c.hosts, at = draw(&x->random, x->num_hosts);

	for (unsigned int i = 0, k = 0; i < n; k++) {
		const struct ibc_port *to = x->hosts[(at + k) % x->num_hosts];

		if (f->out[to->lid * f->stride + leaf] == up->num)
			send(x, x->hosts[leaf * n + i++], to, demand / n);
	}
}

static void make_narrow(struct scenario *x)
{
	unsigned int leaf = draw(&x->random, x->c.leaves);
	struct ibc_port *up = uplink_of(x, leaf, draw(&x->random, x->c.spines));

	up->width_active = ((struct ibc_port *)up->peer)->width_active = IBC_WIDTH_1X;
	fluid_free(x->fluid);
	x->fluid = fluid_new(x->now);
	load_uplink(x, leaf, up, draw_real(x, 0.4, 0.7));
	expect_cause(x, up, "narrow_link");
}

/* The table of a leaf has one uplink for as many others as it has hosts. */
static void make_uneven(struct scenario *x)
{
	struct ibc_forwarding *f =
	    (struct ibc_forwarding *)ibc_fabric_subnet(x->now, 0)->forwarding;
	unsigned int leaf = draw(&x->random, x->c.leaves);
	struct ibc_port *up = uplink_of(x, leaf, draw(&x->random, x->c.spines));

	for (unsigned int i = 0; i < x->num_hosts; i++)
		if (x->hosts[i]->peer->node != up->node)
			((uint8_t *)f->out)[x->hosts[i]->lid * f->stride + leaf] = (uint8_t)up->num;
	load_uplink(x, leaf, up, draw_real(x, 1.3, 2));
	expect_cause(x, up, "uneven_routes");
}

static void make_scene(struct scenario *x, enum scene scene)
{
	/* what suffers, what is beside it on its leaf, and another one */
	const struct ibc_port *at[3] = { x->hosts[draw(&x->random, x->num_hosts)] }, *other[3];

	at[1] = draw_other(x, at, 1, true);
	at[2] = draw_other(x, at, 2, false);
	other[0] = at[2];
	other[1] = at[0];
	for (unsigned int i = 0; i < x->num_hosts; i++) {
		const struct ibc_port *to = draw_other(x, &x->hosts[i], 1, false);

		if (to != at[1]) /* a busy one gets no more than its link carries */
			send(x, x->hosts[i], to, draw_real(x, 0, 0.06));
	}
	switch (scene) {
	case INCAST:
		make_incast(x, at, 1);
		break;
	case SLOW:
		make_slow(x, at, 1, draw_real(x, 0.15, 0.7));
		break;
	case NARROW:
		make_narrow(x);
		break;
	case UNEVEN:
		make_uneven(x);
		break;
	case TWO_SLOW:
		make_slow(x, at, 1, 0.6);
		make_slow(x, draw(&x->random, 2) ? &at[1] : other, 1, 0.3);
		break;
	case SLOW_BESIDE_BUSY:
		make_slow(x, at, 2, draw_real(x, 0.3, 0.7));
		make_busy(x, at);
		break;
	case INCAST_BESIDE_BUSY:
		make_incast(x, at, 2);
		make_busy(x, at);
		break;
	case INCAST_AND_SLOW:
		make_incast(x, at, 1);
		make_slow(x, other, 2, draw_real(x, 0.2, 0.6));
		break;
	case BUSY_ONLY:
		make_busy(x, at);
		break;
	case SCENES:
		break;
	}
}

/* ---- a window ----------------------------------------------------------------------------- */

static struct mkfab mk_window(const struct clos *c)
{
	struct mkfab m = mkfab();

	mk_clos(m, c);
	for (unsigned int l = 0; l < c->leaves; l++)
		for (unsigned int i = 0; i < c->hosts; i++)
			port(m, clos_host(c, l, i), 1)->lid = (uint16_t)clos_host(c, l, i);
	mk_d_mod_k(m, c);
	return m;
}

static struct scenario begin(uint64_t number)
{
	struct scenario x = { .random = number * 1000003 };
	struct pair s;

	x.c = (struct clos){ 3 + draw(&x.random, 4), 2 + draw(&x.random, 3), 0, 1 };
	x.c.hosts = 4 + draw(&x.random, 3);
	s = mk_pair(mk_window(&x.c), mk_window(&x.c));
	x.before = done(s.before);
	x.now = done(s.now);
	x.fluid = fluid_new(x.now);
	for (unsigned int l = 0; l < x.c.leaves; l++)
		for (unsigned int i = 0; i < x.c.hosts; i++)
			x.hosts[x.num_hosts++] = ibc_node_port(
			    ibc_fabric_node_by_guid(x.now, clos_host(&x.c, l, i)), 1);
	return x;
}

static bool is_at(const struct ibc_subject *s, const struct ibc_port *port)
{
	return (s->near.guid == port->node->guid && s->near.port == port->num) ||
	       (s->far.guid == port->node->guid && s->far.port == port->num);
}

static const char *cause_of(const struct ibc_finding *f)
{
	for (size_t i = 0; i < f->num_facts; i++)
		if (!strcmp(f->facts[i].key, "cause"))
			return f->facts[i].value.str;
	return "";
}

/*
 * A cause that holds nobody up is none: where a host gets too little to be slow at, as what is
 * sent to it is held up elsewhere.
 */
static bool is_in_effect(const struct truth *t)
{
	const uint64_t *counted = t->port->counters->value;

	if (!strcmp(t->kind, "slow_receiver"))
		return (double)counted[IBC_XMIT_WAIT] * 8 >= 0.05 * EDR_4X_HOUR;
	return strcmp(t->kind, "incast") != 0 ||
	       (double)counted[IBC_XMIT_DATA] >= 0.9 * EDR_4X_HOUR;
}

/* Does a report name the causes, and nothing else?  *innocent: a host that is none. */
static bool is_right(const struct scenario *x, const struct ibc_report *rep, bool *innocent)
{
	const struct ibc_finding *f;
	size_t named = 0, others = 0, expected = 0;

	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++) {
		bool to_host = !strcmp(cause_of(f), "incast") ||
		               !strcmp(cause_of(f), "slow_receiver");
		bool right = false, at = false;

		if (f->severity != IBC_WARNING && f->severity != IBC_CRITICAL)
			continue;
		for (size_t k = 0; k < x->num_truths; k++) {
			at |= is_at(&f->subject, x->truths[k].port);
			right |= is_at(&f->subject, x->truths[k].port) &&
			         is_in_effect(&x->truths[k]) &&
			         !strcmp(cause_of(f), x->truths[k].kind);
		}
		named += right;
		others += !right;
		*innocent |= to_host && !at;
	}
	for (size_t k = 0; k < x->num_truths; k++)
		expected += is_in_effect(&x->truths[k]);
	return named == expected && !others;
}

static bool is_judged_right(uint64_t number, bool *innocent)
{
	struct scenario x = begin(number);
	struct ibc_input in = { .fabric = x.now, .before = x.before };
	struct ibc_report *rep;
	char *text;
	bool right;

	make_scene(&x, (enum scene)(number % SCENES));
	fluid_run(x.fluid, HOUR);
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(
	    ibc_check_run(&in, "counters.congestion,counters.slow-receiver", rep, NULL), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	right = is_right(&x, rep, innocent);
	if (!right) {
		text = findings_text(rep);
		print_message("window %u, scene %u%s:\n%s", (unsigned int)number,
		              (unsigned int)(number % SCENES), *innocent ? ", INNOCENT" : "", text);
		free(text);
		for (size_t i = 0; i < x.num_truths; i++)
			print_message("  expected: %s/%u - %s %s\n", x.truths[i].port->node->label,
			              x.truths[i].port->num, x.truths[i].port->peer->node->label,
			              x.truths[i].kind);
	}
	ibc_report_free(rep);
	fluid_free(x.fluid);
	ibc_fabric_free(x.before);
	ibc_fabric_free(x.now);
	return right;
}

static uint64_t number_of(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : otherwise;
}

static void with_tables_the_cause_is_named_and_no_innocent_host(void **state)
{
	uint64_t first = number_of("WAITCAUSES_FIRST", 0),
		 runs = number_of("WAITCAUSES_RUNS", WINDOWS);
	unsigned int right = 0, innocents = 0;

	(void)state;
	for (uint64_t i = 0; i < runs; i++) {
		bool innocent = false;

		right += is_judged_right(first + i, &innocent);
		innocents += innocent;
	}
	print_message("%u of %u right, %u innocent hosts\n", right, (unsigned int)runs, innocents);
	assert_int_equal(innocents, 0);
	assert_true(right * 100 >= runs * 95);
}

/* ---- by hand ------------------------------------------------------------------------------ */

static const struct clos four_leaves = { 4, 2, 2, 1 };

static struct pair trees(bool tables)
{
	struct mkfab now = mk_window(&four_leaves);

	if (!tables)
		((struct ibc_subnet *)now.subnet)->forwarding = NULL;
	return mk_pair(mk_window(&four_leaves), now);
}

static void what_comes_to_one_host_over_one_spine_is_an_incast(void **state)
{
	const uint64_t to = clos_leaf(3), spine = clos_spine(0); /* that of host07 */

	(void)state;
	for (int tables = 0; tables < 2; tables++) {
		struct pair s = trees(tables);

		load(s, to, 1, 96, 0);
		load(s, spine, 4, 96, 0);
		for (unsigned int l = 0; l < 3; l++) {
			load(s, clos_leaf(l), clos_up(&four_leaves, 0, 0), 32, 20);
			load(s, clos_host(&four_leaves, l, 0), 1, 32, 20);
		}
		expect_pair(s, "counters",
		            "critical leaf04/1 - host07 mlx5_0/1: the link to host07 is full (96 "
		            "%); 7 ports wait behind it, up to 20 % of the time\n");
	}
}

/* host07 is reached over spine01, host08 over spine02. */
static void two_slow_receivers_have_their_own_victims(void **state)
{
	struct pair s = trees(true);

	(void)state;
	load(s, clos_leaf(3), 1, 60, 40);
	load(s, clos_leaf(3), 2, 30, 70);
	load(s, clos_spine(0), 4, 60, 35);
	load(s, clos_spine(1), 4, 30, 65);
	load(s, clos_leaf(0), clos_up(&four_leaves, 1, 0), 30, 60);
	expect_pair(s, "counters.slow-receiver",
	            "critical leaf04/1 - host07 mlx5_0/1: host07 is a slow receiver: leaf04/1 "
	            "waits 40 % of the time at 60 % utilization; 1 port waits behind it, up to 40 "
	            "% of the time\n"
	            "critical leaf04/2 - host08 mlx5_0/1: host08 is a slow receiver: leaf04/2 "
	            "waits 70 % of the time at 30 % utilization; 2 ports wait behind it, up to 70 "
	            "% of the time\n");
}

static void a_busy_link_takes_no_victims_from_a_slow_receiver(void **state)
{
	(void)state;
	for (int local = 0; local < 2; local++) {
		struct pair s = trees(true);

		load(s, clos_leaf(3), 1, 30, 60); /* slow */
		load(s, clos_leaf(3), 2, 95, 0);  /* busy */
		load(s, clos_spine(0), 4, 30, 50);
		if (local)
			load(s, clos_host(&four_leaves, 3, 0), 1, 95, 0);
		expect_pair(s, "counters",
		            "critical leaf04/1 - host07 mlx5_0/1: host07 is a slow receiver: "
		            "leaf04/1 waits 60 % of the time at 30 % utilization; 1 port waits "
		            "behind it, up to 60 % of the time\n");
	}
}

static void without_tables_both_causes_are_named(void **state)
{
	struct pair s = trees(false);
	struct ibc_report *rep;

	(void)state;
	load(s, clos_leaf(3), 1, 60, 40);
	load(s, clos_leaf(3), 2, 30, 70);
	load(s, clos_spine(0), 4, 60, 35);
	rep = report_of_pair(s, "counters.slow-receiver", NULL);
	assert_non_null(strstr(ibc_report_finding(rep, 0)->advice, "ibcheck all --routes"));
	expect_of(rep, "critical leaf04/1 - host07 mlx5_0/1: host07 is a slow receiver: leaf04/1 "
	               "waits 40 % of the time at 60 % utilization; 1 port waits behind it, up to "
	               "40 % of the time; without linear forwarding tables (LFTs) it is not known "
	               "which ports wait for leaf04/2 (slow receiver) instead\n"
	               "critical leaf04/2 - host08 mlx5_0/1: host08 is a slow receiver: leaf04/2 "
	               "waits 70 % of the time at 30 % utilization; without linear forwarding "
	               "tables (LFTs) it is not known which ports wait for leaf04/1 (slow "
	               "receiver) instead\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_comes_to_one_host_over_one_spine_is_an_incast),
		cmocka_unit_test(two_slow_receivers_have_their_own_victims),
		cmocka_unit_test(without_tables_both_causes_are_named),
		cmocka_unit_test(a_busy_link_takes_no_victims_from_a_slow_receiver),
		cmocka_unit_test(with_tables_the_cause_is_named_and_no_innocent_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
