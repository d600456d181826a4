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
#include "wire/mad.h"

#define SWITCHES 9
#define HOSTS    24
#define NODES    (SWITCHES + HOSTS)
#define LINKED   120 /* ports with a cable */

static struct rig counting_rig(const char *spec)
{
	struct rig r = rig(spec);

	r.opts.needs = IBC_ATTRS(IBC_ATTR_PORT_COUNTERS);
	return r;
}

/* A counter of a port of the real fabric, kept until counters_free(). */
static struct ibc_counters *real_counters(struct rig *r, const struct ibc_port *p)
{
	struct ibc_port *real = real_port(r, p->node->guid, p->num);

	if (!real->counters)
		real->counters = calloc(1, sizeof(*real->counters));
	assert_non_null(real->counters);
	return (struct ibc_counters *)real->counters;
}

static void counters_free(struct rig *r)
{
	const struct ibc_port *p;

	for (size_t i = 0; (p = ibc_fabric_port(r->real, i)); i++)
		free((void *)p->counters);
	rig_free(r);
}

static const struct ibc_port *seen_port(const struct rig *r, const struct ibc_port *real)
{
	const struct ibc_port *p = ibc_node_port(ibc_fabric_node_by_guid(r->seen, real->node->guid),
	                                         real->num);

	assert_non_null(p);
	return p;
}

static uint64_t seen_count(const struct rig *r, const struct ibc_port *real,
                           enum ibc_counter counter)
{
	const struct ibc_counters *c = seen_port(r, real)->counters;

	assert_non_null(c);
	assert_true(c->known & 1u << counter);
	return c->value[counter];
}

static bool is_linked(const struct ibc_port *p)
{
	return p->peer && p->num;
}

static size_t linked(const struct ibc_fabric *fab)
{
	const struct ibc_port *p;
	size_t n = 0;

	for (size_t i = 0; (p = ibc_fabric_port(fab, i)); i++)
		n += is_linked(p);
	return n;
}

static size_t counted(const struct ibc_fabric *fab)
{
	const struct ibc_port *p;
	size_t n = 0;

	for (size_t i = 0; (p = ibc_fabric_port(fab, i)); i++)
		n += p->counters != NULL;
	return n;
}

/* The nth switch or CA with a cable that is not where the sweep starts. */
static const struct ibc_node *real_node(const struct rig *r, enum ibc_node_type type, size_t nth)
{
	const struct ibc_node *n;

	for (size_t i = 0; (n = ibc_fabric_node(r->real, i)); i++)
		if (n->type == type && n != model_from(r->model)->node && !nth--)
			return n;
	fail();
	return NULL;
}

static const struct ibc_port *linked_port(const struct ibc_node *node)
{
	for (unsigned int i = 1; i <= node->num_ports; i++)
		if (node->ports[i].peer)
			return &node->ports[i];
	fail();
	return NULL;
}

static uint64_t timed_out(const struct rig *r, enum ibc_attr attr)
{
	return ibc_fabric_coverage(r->seen, attr).timed_out;
}

static uint64_t gmps(const struct rig *r)
{
	uint64_t n = 0;

	for (enum model_count i = MODEL_CLASS_INFO; i <= MODEL_VL_WAIT; i++)
		n += model_asked(r->model, i);
	return n;
}

static void for_all_pma(struct rig *r, void (*change)(struct model_pma *pma))
{
	const struct ibc_node *n;

	for (size_t i = 0; (n = ibc_fabric_node(r->real, i)); i++)
		change(model_pma(r->model, n));
}

/* ---- what is asked ----------------------------------------------------------- */

static void a_sweep_that_needs_no_counters_asks_for_none(void **state)
{
	struct rig r = rig(TWO_TIER);

	(void)state;
	sweep(&r);
	assert_int_equal(gmps(&r), 0);
	assert_int_equal(counted(r.seen), 0);
	assert_false(ibc_attrs_meet(ibc_fabric_subnet(r.seen, 0)->provides,
	                            ibc_attrs_of_group(IBC_ATTRS_COUNTERS)));
	rig_free(&r);
}

static void every_port_with_a_link_is_asked_once_and_every_kind(void **state)
{
	struct rig r = counting_rig(TWO_TIER);

	(void)state;
	sweep(&r);
	assert_int_equal(r.rc, 0);
	assert_int_equal(counted(r.seen), LINKED);
	assert_int_equal(linked(r.seen), LINKED);
	assert_int_equal(model_asked(r.model, MODEL_COUNTERS), LINKED);
	assert_int_equal(model_asked(r.model, MODEL_COUNTERS_EXT), LINKED);
	assert_int_equal(model_asked(r.model, MODEL_CLASS_INFO), 2);
	assert_int_equal(model_asked(r.model, MODEL_SAMPLES), 2);
	assert_int_equal(gmps(&r), 2 * LINKED + 4);
	assert_true(ibc_attrs_is_empty(ibc_attrs_minus(ibc_attrs_of_group(IBC_ATTRS_COUNTERS),
	                                               ibc_fabric_subnet(r.seen, 0)->provides)));
	rig_free(&r);
}

static void what_one_of_a_kind_tells_all_of_it_have(void **state)
{
	struct rig r = counting_rig(TWO_TIER);
	const struct ibc_node *n;

	(void)state;
	for (size_t i = 0; (n = ibc_fabric_node(r.real, i)); i++)
		((struct ibc_node *)n)->xmit_wait_tick = n->type == IBC_NODE_SWITCH ? 7 : 31;
	sweep(&r);
	for (size_t i = 0; (n = ibc_fabric_node(r.seen, i)); i++) {
		assert_true(ibc_node_has(n, IBC_ATTR_PERF_CLASS_PORT_INFO));
		assert_true(ibc_node_has(n, IBC_ATTR_PORT_SAMPLES_CONTROL));
		assert_int_equal(n->perf_cap_mask, 0x1300);
		assert_int_equal(n->xmit_wait_tick, n->type == IBC_NODE_SWITCH ? 7 : 31);
	}
	assert_int_equal(ibc_fabric_coverage(r.seen, IBC_ATTR_PERF_CLASS_PORT_INFO).answered,
	                 NODES);
	rig_free(&r);
}

static void have_ext_errors(struct model_pma *pma)
{
	pma->ext_errors = true;
}

static void extended_counters_with_errors_are_asked_alone(void **state)
{
	struct rig r = counting_rig(TWO_TIER);
	const struct ibc_port *p = linked_port(real_node(&r, IBC_NODE_SWITCH, 0));

	(void)state;
	for_all_pma(&r, have_ext_errors);
	real_counters(&r, p)->value[IBC_LINK_DOWNED] = 70000;
	real_counters(&r, p)->value[IBC_XMIT_WAIT] = 1ull << 40;
	sweep(&r);
	assert_int_equal(model_asked(r.model, MODEL_COUNTERS), 0);
	assert_int_equal(model_asked(r.model, MODEL_COUNTERS_EXT), LINKED);
	assert_int_equal(seen_count(&r, p, IBC_LINK_DOWNED), 70000);
	assert_int_equal(seen_count(&r, p, IBC_XMIT_WAIT), 1ull << 40);
	assert_int_equal(seen_port(&r, p)->counters->saturated, 0);
	assert_int_equal(ibc_port_answer(seen_port(&r, p), IBC_ATTR_PORT_COUNTERS), IBC_NOT_ASKED);
	counters_free(&r);
}

static void have_no_ext(struct model_pma *pma)
{
	pma->no_ext = true;
}

static void a_device_without_extended_counters_has_data_of_32_bits(void **state)
{
	struct rig r = counting_rig(TWO_TIER);
	const struct ibc_port *p = linked_port(real_node(&r, IBC_NODE_CA, 0));
	const struct ibc_counters *c;

	(void)state;
	for_all_pma(&r, have_no_ext);
	real_counters(&r, p)->value[IBC_XMIT_DATA] = 4000;
	real_counters(&r, p)->value[IBC_RCV_DATA] = 1ull << 50;
	sweep(&r);
	assert_int_equal(model_asked(r.model, MODEL_COUNTERS_EXT), 0);
	assert_int_equal(seen_count(&r, p, IBC_XMIT_DATA), 4000);
	assert_int_equal(seen_count(&r, p, IBC_RCV_DATA), 4 * 0xffffffffull);
	c = seen_port(&r, p)->counters;
	assert_int_equal(c->saturated, 1u << IBC_RCV_DATA);
	assert_false(c->known & 1u << IBC_UNICAST_XMIT_PKTS);
	counters_free(&r);
}

static void promise_ext(struct model_pma *pma)
{
	pma->empty_promise = true;
}

static void a_kind_that_promises_extended_counters_in_vain_is_asked_for_few(void **state)
{
	struct rig r = counting_rig(TWO_TIER);
	const struct ibc_port *p;

	(void)state;
	for_all_pma(&r, promise_ext);
	sweep(&r);
	assert_true(model_asked(r.model, MODEL_COUNTERS_EXT) < LINKED / 2);
	assert_int_equal(counted(r.seen), LINKED);
	for (size_t i = 0; (p = ibc_fabric_port(r.seen, i)); i++)
		if (p->counters)
			assert_true(p->counters->known & 1u << IBC_XMIT_DATA);
	assert_int_equal(timed_out(&r, IBC_ATTR_PORT_COUNTERS_EXT), 0);
	rig_free(&r);
}

/* Answers PortCounters of each port once, and knows nothing of them then. */
static int answer_once(void *model, const struct mad_addr *to, uint8_t mad[MAD_SIZE])
{
	static uint8_t asked[UINT16_MAX][256];
	const size_t attribute = 17, port = 65, class = 1, status = 5;
	uint8_t *before = mad[class] == MAD_CLASS_PERFORMANCE && mad[attribute] == PMA_PORT_COUNTERS
	                      ? &asked[to->dlid][mad[port]]
	                      : NULL;
	int device = model_answer(model, to, mad);

	if (before && (*before)++)
		mad[status] = 0x0c;
	return device;
}

static void counters_that_were_told_stay_told(void **state)
{
	struct rig r = counting_rig(TWO_TIER);

	(void)state;
	for_all_pma(&r, promise_ext);
	r.answer = answer_once;
	sweep(&r);
	assert_true(counted(r.seen) > 0);
	assert_int_equal(ibc_fabric_coverage(r.seen, IBC_ATTR_PORT_COUNTERS).answered,
	                 counted(r.seen));
	rig_free(&r);
}

static void have_no_class_info(struct model_pma *pma)
{
	pma->no_class_info = true;
}

static void without_class_port_info_a_device_has_what_all_have(void **state)
{
	struct rig r = counting_rig(TWO_TIER);

	(void)state;
	for_all_pma(&r, have_no_class_info);
	sweep(&r);
	assert_int_equal(model_asked(r.model, MODEL_CLASS_INFO), 2);
	assert_int_equal(model_asked(r.model, MODEL_COUNTERS), LINKED);
	assert_int_equal(gmps(&r), LINKED + 2);
	assert_int_equal(ibc_fabric_coverage(r.seen, IBC_ATTR_PERF_CLASS_PORT_INFO).unsupported,
	                 NODES);
	rig_free(&r);
}

static void lanes_are_asked_for_only_if_somebody_needs_them(void **state)
{
	static const uint64_t wait[PMA_VLS] = { 3, 0, 0, 70000, [15] = 9 };
	struct rig r = counting_rig(TWO_TIER);
	const struct ibc_port *p = linked_port(real_node(&r, IBC_NODE_SWITCH, 0));
	const struct ibc_counters *c;

	(void)state;
	r.opts.needs = IBC_ATTRS(IBC_ATTR_VL_XMIT_WAIT);
	real_counters(&r, p)->vl_wait = wait;
	sweep(&r);
	assert_int_equal(model_asked(r.model, MODEL_VL_WAIT), LINKED);
	c = seen_port(&r, p)->counters;
	assert_int_equal(c->vl_wait[0], 3);
	assert_int_equal(c->vl_wait[15], 9);
	assert_true(c->known & 1u << IBC_SYMBOL_ERROR);
	counters_free(&r);
}

/* ---- details ------------------------------------------------------------------ */

static void details_are_asked_where_their_parent_counted(void **state)
{
	struct rig r = counting_rig(TWO_TIER);
	const struct ibc_port *a = linked_port(real_node(&r, IBC_NODE_SWITCH, 0));
	const struct ibc_port *b = linked_port(real_node(&r, IBC_NODE_CA, 0));
	struct ibc_counters *ca = real_counters(&r, a), *cb = real_counters(&r, b);

	(void)state;
	ca->value[IBC_RCV_ERRORS] = 5;
	ca->value[IBC_LOCAL_PHYSICAL] = 5;
	cb->value[IBC_XMIT_DISCARDS] = 9;
	cb->value[IBC_INACTIVE_DISCARDS] = 8;
	cb->value[IBC_SW_HOQ_DISCARDS] = 1;
	sweep(&r);
	assert_int_equal(model_asked(r.model, MODEL_RCV_ERRORS), 1);
	assert_int_equal(model_asked(r.model, MODEL_XMIT_DISCARDS), 1);
	assert_int_equal(seen_count(&r, a, IBC_LOCAL_PHYSICAL), 5);
	assert_int_equal(seen_count(&r, b, IBC_INACTIVE_DISCARDS), 8);
	assert_int_equal(seen_count(&r, b, IBC_SW_HOQ_DISCARDS), 1);
	assert_false(seen_port(&r, a)->counters->known & 1u << IBC_INACTIVE_DISCARDS);
	assert_false(seen_port(&r, b)->counters->known & 1u << IBC_LOCAL_PHYSICAL);
	counters_free(&r);
}

static void have_no_details(struct model_pma *pma)
{
	pma->no_details = true;
}

static void details_a_kind_does_not_have_are_no_gap(void **state)
{
	struct rig r = counting_rig(TWO_TIER);
	const struct ibc_port *p;
	struct ibc_coverage c;

	(void)state;
	for_all_pma(&r, have_no_details);
	for (size_t i = 0; (p = ibc_fabric_port(r.real, i)); i++)
		if (is_linked(p))
			real_counters(&r, p)->value[IBC_RCV_ERRORS] = 1;
	sweep(&r);
	c = ibc_fabric_coverage(r.seen, IBC_ATTR_RCV_ERROR_DETAILS);
	assert_int_equal(c.asked, LINKED);
	assert_int_equal(c.unsupported, LINKED);
	assert_true(model_asked(r.model, MODEL_RCV_ERRORS) < LINKED / 2);
	counters_free(&r);
}

/* ---- values --------------------------------------------------------------------- */

static void a_counter_at_its_end_is_saturated(void **state)
{
	struct rig r = counting_rig(TWO_TIER);
	const struct ibc_port *p = linked_port(real_node(&r, IBC_NODE_SWITCH, 1));
	struct ibc_counters *c = real_counters(&r, p);

	(void)state;
	c->value[IBC_LINK_DOWNED] = 300;
	c->value[IBC_SYMBOL_ERROR] = 0xfffe;
	c->value[IBC_XMIT_PKTS] = UINT64_MAX;
	sweep(&r);
	assert_int_equal(seen_count(&r, p, IBC_LINK_DOWNED), 255);
	assert_int_equal(seen_count(&r, p, IBC_SYMBOL_ERROR), 0xfffe);
	assert_int_equal(seen_port(&r, p)->counters->saturated,
	                 1u << IBC_LINK_DOWNED | 1u << IBC_XMIT_PKTS);
	counters_free(&r);
}

static void zero_is_known_and_absent_is_not(void **state)
{
	struct rig r = counting_rig(TWO_TIER);
	const struct ibc_port *p = linked_port(real_node(&r, IBC_NODE_SWITCH, 0));
	const struct ibc_counters *c;

	(void)state;
	sweep(&r);
	c = seen_port(&r, p)->counters;
	assert_true(c->known & 1u << IBC_SYMBOL_ERROR);
	assert_int_equal(c->value[IBC_SYMBOL_ERROR], 0);
	assert_false(c->known & 1u << IBC_QP1_DROPPED);
	assert_false(c->known & 1u << IBC_LOOPING);
	rig_free(&r);
}

static void every_port_knows_when_it_was_read(void **state)
{
	struct rig r = counting_rig(TWO_TIER);
	double duration, first = 1e9, last = 0;
	const struct ibc_port *p;

	(void)state;
	sweep(&r);
	for (size_t i = 0; (p = ibc_fabric_port(r.seen, i)); i++) {
		if (!p->counters)
			continue;
		if (p->counters->at_seconds < first)
			first = p->counters->at_seconds;
		if (p->counters->at_seconds > last)
			last = p->counters->at_seconds;
	}
	duration = ibc_fabric_subnet(r.seen, 0)->sweep.duration_seconds;
	assert_true(first > 0 && first < 1 + duration);
	assert_true(last > first && last - first < duration);
	rig_free(&r);
}

/* ---- silence ---------------------------------------------------------------------- */

static void a_silent_pma_is_a_gap_of_its_ports_alone(void **state)
{
	struct rig r = counting_rig(TWO_TIER);
	const struct ibc_node *leaf = real_node(&r, IBC_NODE_SWITCH, 0);
	const struct ibc_port *p;
	size_t gaps = 0;

	(void)state;
	model_pma(r.model, leaf)->silent = true;
	sweep(&r);
	assert_int_equal(r.rc, 0);
	for (size_t i = 0; (p = ibc_fabric_port(r.seen, i)); i++) {
		if (!is_linked(p))
			continue;
		gaps += ibc_port_unanswered(p, IBC_ATTR_PORT_COUNTERS);
		assert_int_equal(ibc_port_unanswered(p, IBC_ATTR_PORT_COUNTERS),
		                 p->node->guid == leaf->guid);
		assert_int_equal(!p->counters, p->node->guid == leaf->guid);
	}
	assert_true(gaps > 0);
	assert_true(ibc_fabric_subnet(r.seen, 0)->sweep.duration_seconds < 1.5);
	rig_free(&r);
}

static void a_silent_one_does_not_hold_up_its_kind(void **state)
{
	struct rig r = counting_rig(TWO_TIER);
	const struct ibc_node *n;
	const struct ibc_port *p;

	(void)state;
	/* the first of all hosts to be asked is the one the sweep starts from */
	model_pma(r.model, model_from(r.model)->node)->silent = true;
	sweep(&r);
	assert_int_equal(counted(r.seen), LINKED - 1);
	assert_true(model_asked(r.model, MODEL_CLASS_INFO) < 4 + 8 + 2);
	n = ibc_fabric_node_by_guid(r.seen, model_from(r.model)->node->guid);
	assert_true(ibc_node_unanswered(n, IBC_ATTR_PERF_CLASS_PORT_INFO));
	for (size_t i = 0; (p = ibc_fabric_port(r.seen, i)); i++)
		if (p->counters)
			assert_true(p->counters->at_seconds < 1.1);
	rig_free(&r);
}

/* The first of a kind has long been given up when the second turns up. */
static void one_that_comes_late_is_asked_all_the_same(void **state)
{
	struct mkfab m = mkfab();
	struct rig r;

	(void)state;
	mk_switch(m, 1, "leaf01", 2);
	mk_ca(m, 0x11, "host01 mlx5_0", 1);
	mk_ca(m, 0x12, "host02 mlx5_0", 1);
	cable(m, 1, 1, 0x11, 1);
	cable(m, 1, 2, 0x12, 1);
	r = rig_of(done(m));
	r.opts.needs = IBC_ATTRS(IBC_ATTR_PORT_COUNTERS);
	r.line.rtt_ns = 400000000;
	model_pma(r.model, model_from(r.model)->node)->silent = true;
	sweep(&r);
	assert_int_equal(r.rc, 0);
	assert_int_equal(ibc_fabric_subnet(r.seen, 0)->not_asked, 0);
	assert_true(
	    ibc_node_has(ibc_fabric_node_by_guid(r.seen, 0x12), IBC_ATTR_PERF_CLASS_PORT_INFO));
	rig_free(&r);
}

static void be_silent(struct model_pma *pma)
{
	pma->silent = true;
}

static void where_all_are_silent_every_port_is_a_gap(void **state)
{
	struct rig r = counting_rig(TWO_TIER);

	(void)state;
	for_all_pma(&r, be_silent);
	sweep(&r);
	assert_int_equal(r.rc, 0);
	assert_int_equal(timed_out(&r, IBC_ATTR_PORT_COUNTERS), LINKED);
	assert_int_equal(timed_out(&r, IBC_ATTR_PERF_CLASS_PORT_INFO), NODES);
	assert_int_equal(counted(r.seen), 0);
	assert_true(ibc_fabric_subnet(r.seen, 0)->sweep.duration_seconds < 3);
	rig_free(&r);
}

static void silence_pma_of_hosts(struct rig *r, size_t n)
{
	const struct ibc_node *node;

	for (size_t i = 0; n && (node = ibc_fabric_node(r->real, i)); i++) {
		if (node->type != IBC_NODE_CA)
			continue;
		model_pma(r->model, node)->silent = true;
		n--;
	}
}

static void hundreds_that_are_silent_speak_for_their_kind(void **state)
{
	struct rig r = counting_rig("synth:fattree:leaves=20,spines=2,hosts=40");

	(void)state;
	silence_pma_of_hosts(&r, 800);
	sweep(&r);
	assert_true(model_asked(r.model, MODEL_CLASS_INFO) <= 4 * 256 + 1);
	assert_int_equal(timed_out(&r, IBC_ATTR_PORT_COUNTERS), 800);
	assert_int_equal(timed_out(&r, IBC_ATTR_PERF_CLASS_PORT_INFO), 800);
	/* switches are another kind */
	assert_int_equal(counted(r.seen), 800 + 80);
	assert_true(ibc_fabric_subnet(r.seen, 0)->sweep.duration_seconds < 3);
	rig_free(&r);
}

static void one_that_answers_speaks_for_its_kind_too(void **state)
{
	struct rig r = counting_rig("synth:fattree:leaves=20,spines=2,hosts=40");

	(void)state;
	silence_pma_of_hosts(&r, 200);
	sweep(&r);
	assert_int_equal(timed_out(&r, IBC_ATTR_PORT_COUNTERS), 200);
	assert_int_equal(counted(r.seen), 800 + 80 + 600);
	rig_free(&r);
}

static void let_samples_fall(struct model_pma *pma)
{
	pma->silent_samples = true;
}

static void no_tick_is_no_gap(void **state)
{
	struct rig r = counting_rig(TWO_TIER);
	struct ibc_coverage c;

	(void)state;
	for_all_pma(&r, let_samples_fall);
	sweep(&r);
	c = ibc_fabric_coverage(r.seen, IBC_ATTR_PORT_SAMPLES_CONTROL);
	assert_int_equal(c.unsupported, NODES);
	assert_int_equal(c.timed_out, 0);
	assert_int_equal(counted(r.seen), LINKED);
	rig_free(&r);
}

static void loss_leaves_no_gap(void **state)
{
	struct rig r = counting_rig(TWO_TIER);

	(void)state;
	r.line.loss = 0.05;
	r.line.seed = 11;
	sweep(&r);
	assert_int_equal(counted(r.seen), LINKED);
	assert_int_equal(timed_out(&r, IBC_ATTR_PORT_COUNTERS), 0);
	assert_int_equal(timed_out(&r, IBC_ATTR_PORT_COUNTERS_EXT), 0);
	rig_free(&r);
}

static void the_deadline_counts_what_was_not_asked(void **state)
{
	struct rig r = counting_rig(TWO_TIER);
	const struct ibc_subnet *subnet;

	(void)state;
	r.opts.deadline_seconds = 8 * RTT_NS / 1e9;
	sweep(&r);
	subnet = ibc_fabric_subnet(r.seen, 0);
	assert_true(subnet->cut_short);
	assert_true(subnet->not_asked > 0);
	assert_true(counted(r.seen) < LINKED);
	rig_free(&r);
}

/* ---- out of reach -------------------------------------------------------------------- */

static void without_a_subnet_manager_nothing_is_sent_and_every_port_is_a_gap(void **state)
{
	struct rig r = counting_rig(TWO_TIER);
	const struct ibc_port *p;

	(void)state;
	for (size_t i = 0; (p = ibc_fabric_port(r.real, i)); i++) {
		real_port(&r, p->node->guid, p->num)->lid = 0;
		if (p->state == IBC_STATE_ACTIVE)
			real_port(&r, p->node->guid, p->num)->state = IBC_STATE_INIT;
	}
	sweep(&r);
	assert_int_equal(r.rc, 0);
	assert_int_equal(gmps(&r), 0);
	assert_int_equal(timed_out(&r, IBC_ATTR_PORT_COUNTERS), LINKED);
	assert_int_equal(timed_out(&r, IBC_ATTR_PERF_CLASS_PORT_INFO), NODES);
	rig_free(&r);
}

static void an_adapter_that_is_not_active_is_a_gap_and_is_not_asked(void **state)
{
	struct rig r = counting_rig(TWO_TIER);
	const struct ibc_port *p = linked_port(real_node(&r, IBC_NODE_CA, 0));

	(void)state;
	real_port(&r, p->node->guid, p->num)->state = IBC_STATE_INIT;
	real_port(&r, p->peer->node->guid, p->peer->num)->state = IBC_STATE_INIT;
	sweep(&r);
	assert_int_equal(timed_out(&r, IBC_ATTR_PORT_COUNTERS), 1);
	assert_true(ibc_port_unanswered(seen_port(&r, p), IBC_ATTR_PORT_COUNTERS));
	assert_int_equal(gmps(&r), 2 * (LINKED - 1) + 4);
	/* the switch tells of its end all the same */
	assert_non_null(seen_port(&r, p->peer)->counters);
	rig_free(&r);
}

static void who_shares_a_lid_is_not_asked(void **state)
{
	struct rig r = counting_rig(TWO_TIER);
	const struct ibc_node *a = real_node(&r, IBC_NODE_CA, 0);
	const struct ibc_node *z = real_node(&r, IBC_NODE_CA, 1);
	const struct ibc_port *p = linked_port(a), *q = linked_port(z);

	(void)state;
	real_port(&r, z->guid, q->num)->lid = p->lid;
	sweep(&r);
	assert_int_equal(r.rc, -EAGAIN);
	model_free(r.model);
	r.model = model_new(r.real, NULL);
	r.opts.directed_only = true;
	sweep(&r);
	assert_int_equal(r.rc, 0);
	assert_int_equal(counted(r.seen), LINKED - 2);
	assert_true(ibc_port_unanswered(seen_port(&r, p), IBC_ATTR_PORT_COUNTERS));
	assert_true(ibc_port_unanswered(seen_port(&r, q), IBC_ATTR_PORT_COUNTERS));
	assert_int_equal(gmps(&r), 2 * (LINKED - 2) + 4);
	rig_free(&r);
}

static void a_deadline_holds_for_both_halves_of_a_sweep_without_lids(void **state)
{
	struct rig r = counting_rig(TWO_TIER);
	const struct ibc_subnet *subnet;

	(void)state;
	r.opts.directed_only = true;
	r.opts.deadline_seconds = 1;
	for_all_pma(&r, be_silent);
	sweep(&r);
	subnet = ibc_fabric_subnet(r.seen, 0);
	assert_true(subnet->cut_short);
	assert_true(subnet->sweep.duration_seconds < 1.01);
	rig_free(&r);
}

static void each_port_of_an_adapter_is_asked_at_its_own_lid(void **state)
{
	struct mkfab m = mkfab();
	struct rig r;
	const struct ibc_node *host;

	(void)state;
	mk_switch(m, 0x10, "leaf", 4);
	mk_ca(m, 0x20, "host01 mlx4_0", 2);
	mk_ca(m, 0x30, "host02 mlx4_0", 1);
	cable(m, 0x10, 1, 0x20, 1);
	cable(m, 0x10, 2, 0x20, 2);
	cable(m, 0x10, 3, 0x30, 1);
	port(m, 0x20, 2)->lid = 0x21;
	r = rig_of(done(m));
	r.opts.needs = IBC_ATTRS(IBC_ATTR_PORT_COUNTERS);
	sweep(&r);
	assert_int_equal(counted(r.seen), 6);
	host = ibc_fabric_node_by_guid(r.seen, 0x20);
	assert_true(ibc_port_has(&host->ports[1], IBC_ATTR_PORT_COUNTERS));
	assert_true(ibc_port_has(&host->ports[2], IBC_ATTR_PORT_COUNTERS));
	rig_free(&r);
}

/* ---- redirection ------------------------------------------------------------------------ */

static void redirect_all(struct rig *r)
{
	const struct ibc_node *n;

	for (size_t i = 0; (n = ibc_fabric_node(r->real, i)); i++) {
		const struct ibc_port *p = n->type == IBC_NODE_SWITCH ? &n->ports[0] : &n->ports[1];

		model_pma(r->model, n)->redirect = (struct mad_addr){
			.dlid = p->lid, .qpn = 5, .qkey = 0x80010000, .sl = 2
		};
	}
}

static void a_redirect_is_followed_once_a_device(void **state)
{
	struct rig r = counting_rig(TWO_TIER);

	(void)state;
	redirect_all(&r);
	sweep(&r);
	assert_int_equal(counted(r.seen), LINKED);
	/* there and elsewhere */
	assert_int_equal(model_asked(r.model, MODEL_CLASS_INFO), 2 * NODES);
	assert_int_equal(model_asked(r.model, MODEL_COUNTERS), LINKED);
	assert_int_equal(timed_out(&r, IBC_ATTR_PORT_COUNTERS), 0);
	rig_free(&r);
}

static void a_redirect_to_one_that_redirects_is_refused(void **state)
{
	struct rig r = counting_rig(TWO_TIER);
	const struct ibc_node *a = real_node(&r, IBC_NODE_CA, 0),
			      *z = real_node(&r, IBC_NODE_CA, 1);

	(void)state;
	redirect_all(&r);
	model_pma(r.model, a)->redirect.dlid = linked_port(z)->lid;
	model_pma(r.model, z)->redirect.qpn = 6;
	sweep(&r);
	assert_int_equal(counted(r.seen), LINKED - 1);
	assert_int_equal(ibc_fabric_coverage(r.seen, IBC_ATTR_PERF_CLASS_PORT_INFO).refused, 1);
	assert_int_equal(ibc_fabric_coverage(r.seen, IBC_ATTR_PORT_COUNTERS).refused, 1);
	rig_free(&r);
}

/* ---- memory ------------------------------------------------------------------------------- */

static void running_out_of_memory_is_an_error_and_leaks_nothing(void **state)
{
	struct rig r = counting_rig("synth:fattree:leaves=2,spines=1,hosts=1");
	unsigned long n = 0;

	(void)state;
	ibc_attrs_add(&r.opts.needs, IBC_ATTR_VL_XMIT_WAIT);
	do {
		struct fabric_build *b;
		struct transport_port from = { .ca = "sim0", .port = 1 };
		struct line *line = line_new(&r.line, model_answer, r.model);

		assert_int_equal(fabric_build_new(&b, NULL), 0);
		alloc_fail_at(++n);
		r.rc = discover_subnet(line_transport(line), &from, "umad", &r.opts, b, &r.err);
		if (r.rc == 0 && fabric_build_failed(b))
			r.rc = -ENOMEM;
		alloc_fail_at(0);
		fabric_build_free(b);
		line_free(line);
		assert_true(r.rc == 0 || r.rc == -ENOMEM);
	} while (r.rc);
	assert_true(n > 3);
	rig_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sweep_that_needs_no_counters_asks_for_none),
		cmocka_unit_test(every_port_with_a_link_is_asked_once_and_every_kind),
		cmocka_unit_test(what_one_of_a_kind_tells_all_of_it_have),
		cmocka_unit_test(extended_counters_with_errors_are_asked_alone),
		cmocka_unit_test(a_device_without_extended_counters_has_data_of_32_bits),
		cmocka_unit_test(a_kind_that_promises_extended_counters_in_vain_is_asked_for_few),
		cmocka_unit_test(counters_that_were_told_stay_told),
		cmocka_unit_test(without_class_port_info_a_device_has_what_all_have),
		cmocka_unit_test(lanes_are_asked_for_only_if_somebody_needs_them),
		cmocka_unit_test(details_are_asked_where_their_parent_counted),
		cmocka_unit_test(details_a_kind_does_not_have_are_no_gap),
		cmocka_unit_test(a_counter_at_its_end_is_saturated),
		cmocka_unit_test(zero_is_known_and_absent_is_not),
		cmocka_unit_test(every_port_knows_when_it_was_read),
		cmocka_unit_test(a_silent_pma_is_a_gap_of_its_ports_alone),
		cmocka_unit_test(a_silent_one_does_not_hold_up_its_kind),
		cmocka_unit_test(one_that_comes_late_is_asked_all_the_same),
		cmocka_unit_test(where_all_are_silent_every_port_is_a_gap),
		cmocka_unit_test(hundreds_that_are_silent_speak_for_their_kind),
		cmocka_unit_test(one_that_answers_speaks_for_its_kind_too),
		cmocka_unit_test(no_tick_is_no_gap),
		cmocka_unit_test(loss_leaves_no_gap),
		cmocka_unit_test(the_deadline_counts_what_was_not_asked),
		cmocka_unit_test(without_a_subnet_manager_nothing_is_sent_and_every_port_is_a_gap),
		cmocka_unit_test(an_adapter_that_is_not_active_is_a_gap_and_is_not_asked),
		cmocka_unit_test(who_shares_a_lid_is_not_asked),
		cmocka_unit_test(a_deadline_holds_for_both_halves_of_a_sweep_without_lids),
		cmocka_unit_test(each_port_of_an_adapter_is_asked_at_its_own_lid),
		cmocka_unit_test(a_redirect_is_followed_once_a_device),
		cmocka_unit_test(a_redirect_to_one_that_redirects_is_refused),
		cmocka_unit_test(running_out_of_memory_is_an_error_and_leaks_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
