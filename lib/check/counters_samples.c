/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of the counters themselves: those that are full, and those somebody cleared. */
#include "check/collect.h"
#include "check/counters_rates.h"
#include "check/groups.h"

#define AGGREGATE 8 /* more ports than this are one finding */

/* Ports of which something is to be said, and of which counters. */
struct marked {
	struct examples examples;
	uint32_t counters; /* of any of them */
};

static void mark_port(struct marked *m, const struct ibc_port *p, uint32_t counters)
{
	if (!counters)
		return;
	examples_add(&m->examples, p);
	m->counters |= counters;
}

/* ---- full --------------------------------------------------------------------------- */

static const char full_advice[] =
    "Clear them once the cause is repaired (\"ibcheck counters --clear errors\"). Until then "
    "further errors of this kind cannot be seen.";

static void report_full(struct ibc_sink *out, const struct ibc_port *p, uint32_t counters)
{
	sink_port(out, p, "has counters at their maximum, which no longer rise: %s",
	          counter_names(out, counters));
	sink_advise(out, "%s", full_advice);
	sink_fact(out, "counters", ibc_str(counter_names(out, counters)));
}

static void report_many_full(struct ibc_sink *out, const struct marked *m)
{
	sink_fabric(out, "%zu ports have counters at their maximum, which no longer rise: %s",
	            m->examples.count, counter_names(out, m->counters));
	sink_advise(out, "%s", full_advice);
	sink_fact(out, "ports", ibc_u64(m->examples.count));
	sink_fact(out, "counters", ibc_str(counter_names(out, m->counters)));
	examples_relate(out, &m->examples);
}

static void report_full_traffic(struct ibc_sink *out, const struct marked *m)
{
	if (!m->examples.count)
		return;
	sink_as(out, IBC_INFO);
	sink_fabric(out, "%zu ports have 32-bit traffic counters at their maximum: %s",
	            m->examples.count, counter_names(out, m->counters));
	sink_fact(out, "ports", ibc_u64(m->examples.count));
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
	for (size_t i = 0; errors.examples.count <= AGGREGATE && i < errors.examples.count; i++) {
		p = errors.examples.ports[i];
		report_full(out, p,
		            p->counters->saturated & p->counters->known & ~IBC_TRAFFIC_COUNTERS);
	}
	if (errors.examples.count > AGGREGATE)
		report_many_full(out, &errors);
	report_full_traffic(out, &traffic);
}

/* ---- cleared ------------------------------------------------------------------------- */

static void report_cleared(struct ibc_sink *out, const struct ibc_port *p, uint32_t counters)
{
	sink_port(out, p,
	          "was cleared by another program, or restarted, since the earlier sweep: %s",
	          counter_names(out, counters));
	sink_fact(out, "counters", ibc_str(counter_names(out, counters)));
}

static void report_many_cleared(struct ibc_sink *out, const struct marked *m)
{
	sink_fabric(out, "%zu ports were cleared by another program since the earlier sweep: %s",
	            m->examples.count, counter_names(out, m->counters));
	sink_advise(out, "Look for a performance manager (perfmgr of opensm, UFM) or a script that "
	                 "clears counters: the earlier counts are lost to all other programs.");
	sink_fact(out, "ports", ibc_u64(m->examples.count));
	sink_fact(out, "counters", ibc_str(counter_names(out, m->counters)));
	examples_relate(out, &m->examples);
}

static uint32_t cleared_of(const struct ibc_input *in, const struct ibc_port *p)
{
	struct ibc_delta delta;

	return window_of(in, p, &delta) ? delta.cleared : 0;
}

/*
 * A counter that went backwards was cleared by somebody: what it says is what came
 * after that, and what came before is lost.
 */
static void check_cleared(const struct ibc_input *in, struct ibc_sink *out)
{
	struct marked cleared = { .counters = 0 };
	const struct ibc_port *p;

	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++)
		mark_port(&cleared, p, cleared_of(in, p));
	if (cleared.examples.count > AGGREGATE) {
		report_many_cleared(out, &cleared);
		return;
	}
	for (size_t i = 0; i < cleared.examples.count; i++)
		report_cleared(out, cleared.examples.ports[i],
		               cleared_of(in, cleared.examples.ports[i]));
}

/* ---- the table ------------------------------------------------------------------------ */

const struct ibc_check ibc_checks_counters_samples[] = {
	CHECK("counters.saturated", "counters at their maximum", IBC_WARNING, check_saturated,
	      .needs = IBC_ATTRS(IBC_ATTR_PORT_COUNTERS)),
	CHECK("counters.cleared", "counters that another program cleared", IBC_INFO, check_cleared,
	      .needs = IBC_ATTRS(IBC_ATTR_PORT_COUNTERS), .inputs = IBC_IN_BEFORE),
	{ 0 },
};
