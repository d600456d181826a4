/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Congestion with a cause that is known: a fluid simulation of the traffic makes the counters, a
 * device answers for them, and twelve windows are swept.  In 95 % of the runs the report must name
 * the root and its kind, and nothing else.
 *
 * FLUID_RUNS: so many, each with its number as the seed; FLUID_FIRST: the first; FLUID_TRACE: of
 * the first one, MADs are recorded into this file, in real time.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <ibcheck/capture.h>
#include <ibcheck/congestion.h>

#include "base/hash.h"
#include "findings.h"
#include "mkrig.h"
#include "model/fluid.h"
#include "source/capture.h"

#define FEW       10
#define WINDOWS   12
#define SECONDS   5
#define SECOND_NS 1000000000ull
#define BEGIN_NS  (1700000000 * SECOND_NS)
#define HOSTS_MAX 64

static uint64_t number_of(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : otherwise;
}

enum cause {
	QUIET,
	INCAST,
	SLOW_HOST,
	NARROW_LINK,
	STATIC_LEAF,
	MOVING,
	SMALL_GROUP,
	LOST_PLANE,
	CAUSES
};

/*
 * struct run - one fabric with one cause
 * @uplink: of a leaf, that is the port
 * @since, @until: windows, from 0, in which it is there
 * @expected: the port that is the root, and its kind; NULL: none is
 * @again: where it is afterwards, if it moves
 * @of: whose ports are roots too; NULL: of none
 */
struct run {
	struct rig r;
	struct fluid *fluid;
	uint64_t seed, number;
	enum cause cause;
	unsigned int since, until;
	int uplink;
	double demand;
	const struct ibc_port *hosts[HOSTS_MAX], *expected, *at, *again;
	const struct ibc_node *of;
	size_t num_hosts;
	const char *kind;
	struct ibc_recording *recording;
};

static unsigned int draw(struct run *x, unsigned int n)
{
	return (unsigned int)(hash_mix(x->seed += 0x9e3779b97f4a7c15) % n);
}

/* From @low up to @high. */
static double draw_real(struct run *x, double low, double high)
{
	return low + (high - low) * draw(x, 1001) / 1000;
}

/* ---- the causes ------------------------------------------------------------------------- */

static const struct ibc_port *draw_host(struct run *x)
{
	return x->hosts[draw(x, (unsigned int)x->num_hosts)];
}

/* As of struct fluid_flow; there are two at least. */
static const struct ibc_port *uplink_of(const struct ibc_node *leaf, int nth)
{
	for (unsigned int num = 1; num <= leaf->num_ports; num++)
		if (leaf->ports[num].peer && leaf->ports[num].peer->node->type == IBC_NODE_SWITCH &&
		    !nth--)
			return &leaf->ports[num];
	fail();
	return NULL;
}

static bool is_on(const struct run *x, unsigned int window)
{
	return window >= x->since && window < x->until;
}

/* In all planes that both have, each an equal part. */
static void send_flow(struct run *x, const struct ibc_port *from, const struct ibc_port *to,
                      double demand, int uplink)
{
	unsigned int n = 0;

	for (unsigned int num = 1; num <= from->node->num_ports; num++)
		n += from->node->ports[num].peer && to->node->ports[num].peer;
	demand *= (double)from->node->num_ports / n;
	for (unsigned int num = 1; num <= from->node->num_ports; num++)
		if (from->node->ports[num].peer && to->node->ports[num].peer)
			fluid_flow(x->fluid,
			           &(struct fluid_flow){ &from->node->ports[num],
			                                 &to->node->ports[num], demand, uplink });
}

/* So many hosts send to one. */
static void send_many(struct run *x, const struct ibc_port *to, double demand)
{
	for (size_t i = 0; i < x->num_hosts; i++)
		if (x->hosts[i] != to)
			send_flow(x, x->hosts[i], to, demand, -1);
}

/* All hosts of a leaf send to those of the next ones. */
static void send_out(struct run *x, const struct ibc_node *leaf, double demand, int uplink)
{
	size_t n = 0;

	for (size_t i = 0; i < x->num_hosts; i++) {
		const struct ibc_port *to;

		if (x->hosts[i]->peer->node != leaf)
			continue;
		do
			to = x->hosts[(i + ++n) % x->num_hosts];
		while (to->peer->node == leaf);
		send_flow(x, x->hosts[i], to, demand, uplink);
	}
}

/* What everybody does all the time. */
static void send_some(struct run *x)
{
	for (size_t i = 0; i < x->num_hosts; i++) {
		const struct ibc_port *to = draw_host(x);

		if (to != x->hosts[i])
			send_flow(x, x->hosts[i], to, draw_real(x, 0.01, 0.2), -1);
	}
}

static void send_window(struct run *x, unsigned int window)
{
	double demand = draw_real(x, 0.8, 1.2);
	bool on = is_on(x, window);

	fluid_stop(x->fluid);
	send_some(x);
	switch (x->cause) {
	case INCAST:
		if (on)
			send_many(x, x->at->peer, 2.5 * demand / (double)x->num_hosts);
		break;
	case SLOW_HOST:
		fluid_host_takes(x->fluid, x->at->peer, on ? 0.2 : 1);
		send_many(x, x->at->peer, 0.7 * demand / (double)x->num_hosts);
		break;
	case MOVING:
		fluid_host_takes(x->fluid, x->at->peer, on ? 0.2 : 1);
		fluid_host_takes(x->fluid, x->again->peer, on ? 1 : 0.2);
		send_many(x, x->at->peer, 0.6 * demand / (double)x->num_hosts);
		send_many(x, x->again->peer, 0.6 * demand / (double)x->num_hosts);
		break;
	case NARROW_LINK:
		send_out(x, x->at->node, 0.75 * demand, -1);
		break;
	case STATIC_LEAF:
		send_out(x, x->at->node, 0.45 * demand, on ? x->uplink : -1);
		break;
	case SMALL_GROUP: /* more than what is left carries, and less than all would */
		if (on)
			send_out(x, x->at->node, x->demand, -1);
		break;
	case LOST_PLANE:
		if (on)
			send_many(x, x->expected->peer, 3.5 / (double)x->num_hosts);
		break;
	case QUIET:
	case CAUSES:
		break;
	}
}

static void unplug(const struct ibc_port *port)
{
	struct ibc_port *ends[] = { (struct ibc_port *)port, (struct ibc_port *)port->peer };

	for (size_t i = 0; i < 2; i++) {
		ends[i]->peer = NULL;
		ends[i]->state = IBC_STATE_DOWN;
		ends[i]->phys_state = IBC_PHYS_POLLING;
	}
}

/* A port of a quarter of the width, at both ends. */
static void make_narrow(const struct ibc_port *port)
{
	((struct ibc_port *)port)->width_active = IBC_WIDTH_1X;
	((struct ibc_port *)port->peer)->width_active = IBC_WIDTH_1X;
}

/* All switches but that leaf; NULL: all. */
static void make_adaptive(struct run *x, const struct ibc_node *but)
{
	static const struct ibc_ar_info on = { .flags = IBC_AR_ENABLED, .group_cap = 64 },
					off = { .group_cap = 64 };

	for (size_t i = 0; i < ibc_fabric_count(x->r.real).nodes; i++) {
		struct ibc_node *node = (struct ibc_node *)ibc_fabric_node(x->r.real, i);

		node->ar = node == but ? &off : &on;
		node->smp_capabilities[0] = 1 << IBC_SMP_AR;
		answers_put(node, IBC_ATTR_GENERAL_INFO_SMP, ANSWER_OK);
		answers_put(node, IBC_ATTR_AR_INFO, ANSWER_OK);
	}
}

/* Of the leaf of a host; so that all of its hosts together have work for all it had. */
static void lose_uplink(struct run *x)
{
	const struct ibc_node *leaf = x->at->node;
	unsigned int hosts = 0, uplinks = 0;

	for (unsigned int num = 1; num <= leaf->num_ports; num++)
		(leaf->ports[num].peer->node->type == IBC_NODE_CA ? hosts++ : uplinks++);
	x->demand = 1.2 * (uplinks - 1) / hosts;
	unplug(uplink_of(leaf, (int)uplinks - 1));
	x->at = uplink_of(leaf, 0);
	x->of = leaf;
	make_adaptive(x, NULL);
}

/* Of a host, one that is not the first: it is reached by the others. */
static void lose_plane(struct run *x)
{
	const struct ibc_node *hca = x->at->peer->node;

	unplug(&hca->ports[2 + draw(x, 3)]);
	x->of = hca;
}

static void draw_cause(struct run *x)
{
	static const char *const kinds[] = {
		[INCAST] = "incast",           [SLOW_HOST] = "slow_receiver",
		[NARROW_LINK] = "narrow_link", [STATIC_LEAF] = "uneven_routes",
		[MOVING] = "slow_receiver",    [SMALL_GROUP] = "group_too_small",
		[LOST_PLANE] = "plane_lost",   [QUIET] = NULL,
	};
	bool lasts;

	x->cause = (enum cause)(x->number % CAUSES);
	x->kind = kinds[x->cause];
	x->since = draw(x, 4);
	x->until = WINDOWS;
	x->uplink = (int)draw(x, 2);
	x->at = draw_host(x)->peer;
	do
		x->again = draw_host(x)->peer;
	while (x->again == x->at);
	if (x->cause == MOVING) {
		x->since = 0;
		x->until = 5 + draw(x, 6);
	}
	if (x->cause == NARROW_LINK) {
		x->since = 0;
		x->at = uplink_of(x->at->node, x->uplink);
		make_narrow(x->at);
	}
	if (x->cause == STATIC_LEAF)
		x->at = uplink_of(x->at->node, x->uplink);
	lasts = (x->until - x->since) * 100 >= WINDOWS * 60;
	if (x->cause == STATIC_LEAF && draw(x, 2)) {
		make_adaptive(x, x->at->node);
		x->kind = "adaptive_not_used";
	}
	if (x->cause == SMALL_GROUP)
		lose_uplink(x);
	if (x->cause == LOST_PLANE)
		lose_plane(x);
	x->expected = x->cause == QUIET ? NULL : x->at;
	if (x->cause == MOVING && !lasts) {
		lasts = x->until * 100 <= WINDOWS * 40;
		x->expected = lasts ? x->again : NULL;
		x->since = lasts ? x->until : x->since;
	}
}

/* ---- a run ------------------------------------------------------------------------------ */

#define PLANES "synth:fattree:leaves=4,spines=3,hosts=4,planes=4,speed=XDR"

static struct run begin(uint64_t number)
{
	static const char *const shapes[] = {
		"synth:fattree:leaves=4,spines=3,hosts=4,speed=HDR",
		"synth:fattree:leaves=3,spines=4,hosts=5,speed=NDR",
		"synth:fattree:leaves=6,spines=2,hosts=3,speed=EDR",
	};
	struct run x = { .number = number, .seed = number * 1000 };
	const struct ibc_port *port;

	x.r = rig_needing(number % CAUSES == LOST_PLANE ? PLANES : shapes[number / CAUSES % 3],
	                  IBC_ATTRS(IBC_ATTR_PORT_COUNTERS, IBC_ATTR_AR_INFO));
	for (size_t i = 0; (port = ibc_fabric_port(x.r.real, i)); i++)
		if (port->num == 1 && port->peer && port->node->type == IBC_NODE_CA)
			x.hosts[x.num_hosts++] = port;
	for (size_t i = 0; i < ibc_fabric_count(x.r.real).nodes; i++)
		model_pma(x.r.model, ibc_fabric_node(x.r.real, i))->ext_errors = true;
	draw_cause(&x);
	x.fluid = fluid_new(x.r.real);
	return x;
}

static struct ibc_fabric *sweep_at(struct run *x, unsigned int window)
{
	struct transport_port from = rig_port(&x->r);
	struct transport *t = line_transport(line_new(&x->r.line, x->r.answer, x->r.model));
	struct fabric_build *b;
	struct ibc_fabric *fab;

	from.wall_ns = BEGIN_NS + (uint64_t)window * SECONDS * SECOND_NS;
	if (x->recording) {
		recording_run(x->recording);
		assert_int_equal(recording_wrap(x->recording, &from, 0, &t, NULL), 0);
		sleep(SECONDS);
	}
	assert_int_equal(fabric_build_new(&b, NULL), 0);
	assert_int_equal(discover_subnet(t, &from, "umad", &x->r.opts, b, NULL), 0);
	assert_int_equal(fabric_build_finish(b, &fab, NULL), 0);
	t->ops->close(t);
	return fab;
}

static bool is_of(const struct ibc_subject *subject, const struct ibc_port *port,
                  const struct ibc_node *of)
{
	if (of)
		return subject->near.guid == of->guid || subject->far.guid == of->guid;
	return (subject->near.guid == port->node->guid && subject->near.port == port->num) ||
	       (subject->far.guid == port->node->guid && subject->far.port == port->num);
}

static const char *fact_of(const struct ibc_finding *f, const char *key)
{
	for (size_t i = 0; i < f->num_facts; i++)
		if (!strcmp(f->facts[i].key, key))
			return f->facts[i].value.str;
	return "";
}

/* Does a report name the root, and nothing else? */
static bool is_right(const struct run *x, const struct ibc_report *rep)
{
	const struct ibc_finding *f;
	bool named = false;

	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++) {
		if (f->severity != IBC_WARNING && f->severity != IBC_CRITICAL)
			continue;
		if (!x->expected || !is_of(&f->subject, x->expected, x->of) ||
		    strcmp(fact_of(f, "cause"), x->kind) != 0)
			return false;
		named = true;
	}
	return named == (x->expected != NULL);
}

/* Does what is told of all windows say the same, and since when? */
static bool ranks_first(const struct run *x, const struct ibc_congestion *c)
{
	const struct ibc_congestion_root *root = c->roots;

	if (!x->expected)
		return true;
	return c->num_roots && root->lasts && !strcmp(root->kind->word, x->kind) &&
	       (x->of ? root->port->node->guid == x->of->guid ||
	                    root->port->peer->node->guid == x->of->guid
	              : root->port->node->guid == x->expected->node->guid &&
	                    root->port->num == x->expected->num) &&
	       root->onset == x->since + 1;
}

static bool judge(struct run *x, const struct ibc_windows *windows, const struct ibc_fabric *before,
                  const struct ibc_fabric *now)
{
	struct ibc_input in = { .fabric = now, .before = before, .windows = windows };
	struct ibc_congestion *c;
	struct ibc_report *rep;
	char *text;
	bool right;

	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(
	    ibc_check_run(&in, "counters.congestion,counters.slow-receiver", rep, NULL), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	assert_int_equal(ibc_congestion_find(windows, before, now, &c, NULL), 0);
	right = is_right(x, rep) && ranks_first(x, c);
	if (!right) {
		text = findings_text(rep);
		print_message("run %u, expected %s at %s/%u since %u:\n%s", (unsigned int)x->number,
		              x->kind, x->expected ? x->expected->node->label : "-",
		              x->expected ? x->expected->num : 0, x->since + 1, text);
		free(text);
		for (size_t i = 0; i < c->num_roots; i++)
			print_message("  %s %s %s/%u %g\n", c->roots[i].strip,
			              c->roots[i].kind->word, c->roots[i].port->node->label,
			              c->roots[i].port->num, c->roots[i].lost_bytes);
	}
	ibc_congestion_free(c);
	ibc_report_free(rep);
	return right;
}

static bool is_judged_right(uint64_t number, struct ibc_recording *recording)
{
	struct run x = begin(number);
	struct ibc_fabric *first, *before, *now;
	struct ibc_windows *windows;
	bool right;

	x.recording = recording;
	assert_int_equal(ibc_windows_new(&windows, NULL), 0);
	first = now = sweep_at(&x, 0);
	for (unsigned int i = 0; i < WINDOWS; i++) {
		before = now;
		send_window(&x, i);
		fluid_run(x.fluid, SECONDS);
		now = sweep_at(&x, i + 1);
		assert_int_equal(ibc_windows_add(windows, before, now, NULL), 0);
		if (before != first)
			ibc_fabric_free(before);
	}
	right = judge(&x, windows, first, now);
	ibc_windows_free(windows);
	ibc_fabric_free(first);
	ibc_fabric_free(now);
	fluid_free(x.fluid);
	rig_free(&x.r);
	return right;
}

/* ---- the tests ---------------------------------------------------------------------------- */

static void the_root_and_its_kind_are_found(void **state)
{
	uint64_t first = number_of("FLUID_FIRST", 0), runs = number_of("FLUID_RUNS", FEW);
	unsigned int right = 0;

	(void)state;
	for (uint64_t i = 0; i < runs; i++)
		right += is_judged_right(first + i, NULL);
	print_message("%u of %u right\n", right, (unsigned int)runs);
	assert_true(right * 100 >= runs * 95);
}

static void a_trace_is_written(void **state)
{
	const char *path = getenv("FLUID_TRACE");
	struct ibc_recording *recording;
	FILE *file;

	(void)state;
	if (!path)
		return;
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(ibc_recording_new(file, path, &recording, NULL), 0);
	is_judged_right(number_of("FLUID_FIRST", 0), recording);
	assert_int_equal(ibc_recording_end(recording, NULL), 0);
	assert_int_equal(fclose(file), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_root_and_its_kind_are_found),
		cmocka_unit_test(a_trace_is_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
