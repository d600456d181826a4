/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of the counters themselves: those that are full, and those that were cleared. */
#include "check/collect.h"
#include "check/counters/rates.h"
#include "check/groups.h"

#define AGGREGATE 8 /* more ports than this are one finding */

/* Ports of which something is to be said, and of which of their counters. */
struct marked {
	struct examples examples;
	uint32_t of[AGGREGATE], counters; /* counters: of any of them */
};

static void mark_port(struct marked *m, const struct ibc_port *p, uint32_t counters)
{
	if (!counters)
		return;
	if (m->examples.count < AGGREGATE)
		m->of[m->examples.count] = counters;
	examples_add(&m->examples, p);
	m->counters |= counters;
}

/*
 * A finding for each port; of more of them one for all.
 * @one, @many: what a port has; what ports have
 * @for_one: the advice is given for each port, too
 */
static void report_marked(struct ibc_sink *out, const struct marked *m, const char *one,
                          const char *many, bool for_one, const char *advice)
{
	for (size_t i = 0; m->examples.count <= AGGREGATE && i < m->examples.count; i++) {
		const char *names = counter_names(out, m->of[i]);

		sink_port(out, m->examples.ports[i], "%s: %s", one, names);
		if (for_one)
			sink_advise(out, "%s", advice);
		sink_fact(out, "counters", ibc_str(names));
	}
	if (m->examples.count <= AGGREGATE)
		return;
	sink_fabric(out, "%zu ports %s: %s", m->examples.count, many,
	            counter_names(out, m->counters));
	sink_advise(out, "%s", advice);
	sink_fact(out, "ports", ibc_u64(m->examples.count));
	sink_fact(out, "counters", ibc_str(counter_names(out, m->counters)));
	examples_relate(out, &m->examples);
}

/*
 * Counters stop at their greatest value.  What it says is "at least", and what happens
 * from then on is not seen.
 */
static void check_saturated(const struct ibc_input *in, struct ibc_sink *out)
{
	struct marked errors = { .counters = 0 }, traffic = { .counters = 0 };
	const struct ibc_port *p;

	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++) {
		uint32_t full = p->counters ? p->counters->saturated & p->counters->known : 0;

		mark_port(&errors, p, full & ~IBC_TRAFFIC_COUNTERS);
		mark_port(&traffic, p, full & IBC_TRAFFIC_COUNTERS);
	}
	report_marked(out, &errors, "has counters at their maximum, which no longer rise",
	              "have counters at their maximum, which no longer rise", true,
	              "Clear them once the cause is repaired (\"ibcheck counters --clear "
	              "errors\"). Until then further errors of this kind cannot be seen.");
	if (!traffic.examples.count)
		return;
	sink_as(out, IBC_INFO);
	sink_fabric(out, "%zu ports have 32-bit traffic counters at their maximum: %s",
	            traffic.examples.count, counter_names(out, traffic.counters));
	sink_fact(out, "ports", ibc_u64(traffic.examples.count));
	examples_relate(out, &traffic.examples);
}

/*
 * A counter that went backwards was cleared: its value is what came after that, and what
 * came before is lost.
 */
static void check_cleared(const struct ibc_input *in, struct ibc_sink *out)
{
	struct marked cleared = { .counters = 0 };
	const struct ibc_port *p;
	struct ibc_delta delta;

	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++)
		if (window_of(in, p, &delta))
			mark_port(&cleared, p, delta.cleared);
	report_marked(out, &cleared,
	              "was cleared by another program, or restarted, since the earlier sweep",
	              "were cleared by another program since the earlier sweep", false,
	              "Look for a performance manager (perfmgr of opensm, UFM) or a script that "
	              "clears counters: the earlier counts are lost to all other programs.");
}

/* ---- the table ------------------------------------------------------------------------ */

const struct ibc_check ibc_checks_counters_samples[] = {
	CHECK("counters.saturated", "counters at their maximum", IBC_WARNING, check_saturated,
	      .needs = IBC_ATTRS(IBC_ATTR_PORT_COUNTERS)),
	CHECK("counters.cleared", "counters that another program cleared", IBC_INFO, check_cleared,
	      .needs = IBC_ATTRS(IBC_ATTR_PORT_COUNTERS), .inputs = IBC_IN_BEFORE),
	{ 0 },
};
