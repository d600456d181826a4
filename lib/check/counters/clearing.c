/* SPDX-License-Identifier: BSD-2-Clause */
/* What became of counters that were to be cleared, and what was lost with them. */
#include "base/error.h"
#include "check/counters/rates.h"
#include "fabric/fabric.h"

/*
 * struct cleared - over all ports
 * @chosen: what was to be cleared
 * @only, @num_only: the ports that are meant, of an earlier fabric; NULL: all
 * @at_least: of @lost: some port was at its end
 * @kept_counters: that some port kept
 */
struct cleared {
	const struct ibc_fabric *before, *after;
	uint32_t chosen, at_least, kept_counters;
	uint64_t lost[IBC_COUNTERS];
	size_t ports, kept;
	const struct ibc_place *only;
	size_t num_only;
};

static bool is_meant(const struct cleared *c, const struct ibc_port *port)
{
	for (size_t i = 0; i < c->num_only; i++)
		if (c->only[i].node->guid == port->node->guid && c->only[i].port == port->num)
			return true;
	return !c->only;
}

/* Was it read?  Of those that are meant. */
static bool was_read_there(const struct cleared *c, const struct ibc_port *port)
{
	return port->counters && is_meant(c, port);
}

/* Set of the counters of a port that did not fall; all it had, if it is silent now. */
static uint32_t kept_by(const struct cleared *c, const struct ibc_port *port)
{
	const struct ibc_port *now = fabric_same_port(c->after, port);
	const struct ibc_counters *was = port->counters, *is = now ? now->counters : NULL;
	uint32_t kept = 0;

	for (unsigned int i = 0; i < IBC_COUNTERS; i++) {
		if (!(was->known & c->chosen & COUNTER_BIT(i)) || !was->value[i])
			continue;
		if (!is || (is->known & COUNTER_BIT(i) && is->value[i] >= was->value[i]))
			kept |= COUNTER_BIT(i);
	}
	return kept;
}

/* All that is lost, as a sentence and as facts; then what was kept. */
static void report_clearing(const void *arg, struct ibc_sink *out)
{
	const struct cleared *c = arg;
	const struct ibc_port *port;
	const char *text = "";
	size_t named = 0;

	for (unsigned int i = 0; i < IBC_COUNTERS; i++)
		if (c->lost[i])
			text = sink_text(out, "%s%s %s %s%ju", text,
			                 *text ? "," : "values before the clear:", counter_name(i),
			                 c->at_least & COUNTER_BIT(i) ? ">=" : "",
			                 (uintmax_t)c->lost[i]);
	sink_as(out, IBC_INFO);
	sink_fabric(out, "counters of %zu of %zu ports were cleared; %s", c->ports - c->kept,
	            c->ports, *text ? text : "all of them were 0");
	for (unsigned int i = 0; i < IBC_COUNTERS; i++)
		if (c->lost[i])
			sink_fact(out, ibc_counter_word(i)->word, ibc_u64(c->lost[i]));
	/* one finding, at the first of the ports; the others are related */
	for (size_t i = 0; named < c->kept && (port = ibc_fabric_port(c->before, i)); i++) {
		if (!was_read_there(c, port) || !kept_by(c, port))
			continue;
		if (named++) {
			sink_relate(out, IBC_ROLE_FOUND, port);
			continue;
		}
		sink_as(out, IBC_UNKNOWN);
		sink_port(out, port,
		          "%zu of %zu ports, this one first, kept their old values or did not "
		          "report them after the clear: %s",
		          c->kept, c->ports, counter_names(out, c->kept_counters));
		sink_advise(out, "Clear them again. A device that never clears its counters needs "
		                 "other firmware.");
	}
	/* a name is a question, and gets an answer */
	for (size_t i = 0; c->ports < c->num_only && i < c->num_only; i++) {
		port = fabric_same_port(c->before, ibc_node_port(c->only[i].node, c->only[i].port));
		if (!port || port->counters)
			continue;
		sink_as(out, IBC_UNKNOWN);
		sink_port(out, port, "its counters were not read, and so not cleared");
		sink_advise(out, "A port that is down is not read. Else see counters.silent.");
	}
}

int ibc_check_clearing(const struct ibc_fabric *before, const struct ibc_fabric *after,
                       uint32_t counters, struct ibc_report *rep, struct ibc_error *err)
{
	return ibc_check_clearing_ports(before, after, counters, NULL, 0, rep, err);
}

int ibc_check_clearing_ports(const struct ibc_fabric *before, const struct ibc_fabric *after,
                             uint32_t counters, const struct ibc_place *ports, size_t num_ports,
                             struct ibc_report *rep, struct ibc_error *err)
{
	struct cleared c = { before, after, counters, .only = ports, .num_only = num_ports };
	struct ibc_sink out = { .report = rep, .check = ibc_check_find("counters.cleared") };
	const struct ibc_port *port;

	for (size_t i = 0; (port = ibc_fabric_port(before, i)); i++) {
		const struct ibc_counters *was = port->counters;
		uint32_t kept;

		if (!was_read_there(&c, port))
			continue;
		kept = kept_by(&c, port);
		for (unsigned int k = 0; k < IBC_COUNTERS; k++)
			if (was->known & counters & ~kept & COUNTER_BIT(k))
				c.lost[k] += was->value[k];
		c.at_least |= was->saturated & ~kept;
		c.ports++;
		c.kept += kept != 0;
		c.kept_counters |= kept;
	}
	return sink_run(&out, report_clearing, &c) ? fail_nomem(err) : 0;
}
