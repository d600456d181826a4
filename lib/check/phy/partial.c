/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What of the physical layer was not read, and why: for that no check says that it is well.  As
 * in lib/check/port/silent.c the counts given to sink_unanswered() add up to all queries without an
 * answer.
 */
#include "check/collect.h"
#include "check/groups.h"
#include "check/phrases.h"
#include "check/phy/phy.h"
#include "fabric/attributes.h"

/* ---- devices ---------------------------------------------------------------------------- */

/* Why nothing at all is known of a device; else its registers are looked at one by one. */
enum whole { READ, NO_ACCESS, NO_ANSWER, DISCARDED, WHOLES };

static bool has_answered(const struct ibc_node *node, struct query_bits queries)
{
	uint64_t answered = node->answers.answered & queries.node;
	const struct ibc_port *p;

	for (unsigned int num = 0; num <= node->num_ports && !answered; num++)
		if ((p = ibc_node_port(node, num)))
			answered = p->answers.answered & queries.port;
	return answered;
}

/* ExtendedPortInfo, which is of subnet management, is no register: who has it may have none. */
static struct query_bits register_bits(void)
{
	return query_bits(ibc_attrs_and(ibc_attrs_of_group(IBC_ATTRS_PHYSICAL),
	                                attrs_where(ATTR_CLASS, ATTR_VENDOR)));
}

static enum whole whole_of(const struct ibc_node *node)
{
	const struct query_bits registers = register_bits();

	if (node->phy_discarded)
		return DISCARDED;
	if (has_answered(node, registers))
		return READ;
	if (ibc_node_gmp_capability(node, IBC_GMP_ACCESS_REGISTER) != 1)
		return NO_ACCESS;
	return unanswered_by(node, registers).open ? NO_ANSWER : READ;
}

/* struct gap - what has one reason; @open: queries of it that got no answer */
struct gap {
	uint64_t open;
	size_t num, asked;
	const struct ibc_node *nodes[RELATED_MAX];
};

static void gap_add(struct gap *gap, const struct ibc_node *node)
{
	if (gap->num < RELATED_MAX)
		gap->nodes[gap->num] = node;
	gap->num++;
}

static void gap_relate(struct ibc_sink *out, const struct gap *gap)
{
	for (size_t i = 0; i < gap->num && i < RELATED_MAX; i++)
		sink_relate_node(out, IBC_ROLE_FOUND, gap->nodes[i]);
}

static const struct {
	const char *word, *text, *advice;
} wholes[] = {
	[NO_ACCESS] = { "no_access", "nothing of the physical layer was read",
	                "They do not offer access to registers (AccessRegisterGMP), or do not say "
	                "so: their links and cables are checked only from the other end." },
	[NO_ANSWER] = { "no_answer",
	                "access to registers is offered, and none of them was answered",
	                "Read them again. If that stays so they may want a vendor key (--vs-key, "
	                "--key-files), or their firmware differs: compare it with that of "
	                "others." },
	[DISCARDED] = { "discarded",
	                "answers were for other ports than were asked for, and were discarded",
	                "Record the sweep (--record FILE) and report it: this firmware numbers its "
	                "ports differently." },
};

static void evaluate_devices(struct ibc_sink *out, const struct ibc_fabric *fab,
                             struct query_bits queries)
{
	struct gap gaps[WHOLES] = { 0 };
	const struct ibc_node *node;

	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++) {
		struct gap *gap = &gaps[whole_of(node)];

		gap_add(gap, node);
		gap->open += unanswered_by(node, queries).open;
	}
	for (enum whole w = NO_ACCESS; w < WHOLES; w++) {
		if (!gaps[w].num)
			continue;
		sink_as(out, gaps[w].open ? IBC_UNKNOWN : IBC_INFO);
		sink_fabric(out, "%s: %s", amount_text(out, gaps[w].num, "device"), wholes[w].text);
		sink_advise(out, "%s", wholes[w].advice);
		sink_fact(out, "devices", ibc_u64(gaps[w].num));
		sink_fact(out, "reason", ibc_str(wholes[w].word));
		sink_unanswered(out, gaps[w].open);
		gap_relate(out, &gaps[w]);
	}
}

/* ---- registers ------------------------------------------------------------------------- */

/* Silence and refusals are gaps; who does not know a register has answered. */
static const struct outcome {
	enum ibc_answer answer;
	enum ibc_severity severity;
	const char *word, *verb, *advice;
} outcomes[] = {
	{ IBC_SILENT, IBC_UNKNOWN, "timed_out", "got no answer",
	  "Read it again. If it stays silent, the devices may want a vendor key (--vs-key, "
	  "--key-files)." },
	{ IBC_REFUSED, IBC_UNKNOWN, "refused", "was refused",
	  "Compare the firmware of these devices with that of others, and their vendor keys." },
	{ IBC_UNSUPPORTED, IBC_INFO, "unsupported", "is not supported",
	  "Newer firmware can have this register. It is not checked for these devices." },
};

/* What registers contain, whose names say little to who does not know mstflint. */
static const char *const contents[IBC_ATTR_COUNT] = {
	[IBC_ATTR_PHY_ERRORS] = "bit errors",
	[IBC_ATTR_PHY_FEC_BLOCKS] = "code words of FEC",
	[IBC_ATTR_PHY_RECOVERIES] = "recoveries and link downs",
	[IBC_ATTR_PHY_PLR] = "retransmission",
	[IBC_ATTR_PHY_FEC_HISTOGRAM] = "histogram of FEC",
	[IBC_ATTR_PHY_FEC_BINS] = "bins of that histogram",
	[IBC_ATTR_PHY_STATE] = "state of the link, FEC",
	[IBC_ATTR_PHY_WHY_DOWN] = "why a port is down",
	[IBC_ATTR_PHY_TRAINING] = "training",
	[IBC_ATTR_PHY_MODULE] = "modules and cables",
	[IBC_ATTR_PHY_LAST_DOWN] = "the last link down",
	[IBC_ATTR_PHY_LINK_UP] = "time to come up",
	[IBC_ATTR_PHY_MODULE_LATCHES] = "latched alarms of modules",
	[IBC_ATTR_PHY_LENGTH] = "length of cables",
	[IBC_ATTR_PHY_TEMPERATURE] = "temperature of the device",
	[IBC_ATTR_PHY_FANS] = "fans",
	[IBC_ATTR_PHY_FAN_ALARMS] = "alarms of fans",
	[IBC_ATTR_PHY_EXT_PORT] = "type and health of ports",
};

/* Of one register, of devices that answer at all, the queries that so ended. */
static void evaluate_register(struct ibc_sink *out, const struct ibc_fabric *fab,
                              enum ibc_attr attr, const struct outcome *o)
{
	const char *name = ibc_attr_name(attr);
	struct gap gap = { .num = 0 };
	const struct ibc_node *node;
	const struct ibc_port *p;

	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++) {
		uint64_t open = attr_node_bits[attr] && ibc_node_answer(node, attr) == o->answer;

		if (whole_of(node) != READ)
			continue;
		gap.asked += attr_node_bits[attr] && ibc_node_answer(node, attr);
		for (unsigned int num = 0; attr_port_bits[attr] && num <= node->num_ports; num++)
			if ((p = ibc_node_port(node, num))) {
				open += ibc_port_answer(p, attr) == o->answer;
				gap.asked += ibc_port_answer(p, attr) != IBC_NOT_ASKED;
			}
		gap.open += open;
		if (open)
			gap_add(&gap, node);
	}
	if (!gap.open)
		return;
	sink_as(out, o->severity);
	sink_fabric(out, "%s (%s) %s in %ju of %zu queries, at %s", name, contents[attr], o->verb,
	            (uintmax_t)gap.open, gap.asked, amount_text(out, gap.num, "device"));
	sink_advise(out, "%s", o->advice);
	sink_fact(out, "attribute", ibc_str(name));
	sink_fact(out, "reason", ibc_str(o->word));
	sink_fact(out, "queries", ibc_u64(gap.open));
	sink_fact(out, "asked", ibc_u64(gap.asked));
	if (o->severity == IBC_UNKNOWN)
		sink_unanswered(out, gap.open);
	gap_relate(out, &gap);
}

/* ---- one reading, or two that are too close ----------------------------------------------- */

static void evaluate_readings(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_port *p;
	struct count most = { .n = 0 };

	for (size_t i = 0; in->before && (p = ibc_fabric_port(in->fabric, i)); i++) {
		struct ibc_phy_delta d;
		struct count bits;

		if (!ibc_phy_delta_of(in->before, p, &d))
			continue;
		bits = phy_count(&d, IBC_PHY_BITS_RECEIVED);
		most = bits.n > most.n ? bits : most;
	}
	if (in->before && (!most.n || most.seconds >= SHORT_SECONDS))
		return;
	sink_as(out, IBC_INFO);
	if (in->before) {
		/* none in n bits shows that a rate is below 3 / n (95 %), and no more */
		sink_fabric(out, "a link without an error%s shows only that its BER is below %.1g",
		            time_text(out, &most), 3 / (double)most.n);
		sink_advise(
		    out, "Wait longer between two readings (--interval): %d min show 1e-14 on NDR.",
		    SHORT_SECONDS / 60 + 1);
	} else {
		sink_fabric(out, "there is one reading: errors are those since the last clear, and "
		                 "what rises is not seen");
		sink_advise(out, "Read twice (--interval), or remember readings (--state).");
	}
	sink_fact(out, "reason", ibc_str(in->before ? "short_interval" : "one_reading"));
}

/* ---- nothing at all ------------------------------------------------------------------------ */

/* One sentence where every device would say the same; no check has looked at anything. */
static bool report_nothing(struct ibc_sink *out, const struct ibc_fabric *fab,
                           struct query_bits queries)
{
	const struct query_bits registers = register_bits();
	const struct ibc_node *node;
	uint64_t open = 0;

	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++) {
		if (node->num_sensors || node->phy_discarded || has_answered(node, registers))
			return false;
		open += unanswered_by(node, queries).open;
	}
	sink_as(out, IBC_UNKNOWN);
	sink_fabric(out, "nothing of the physical layer was read: %s",
	            open ? "no device answered" : "no device offers access to its registers");
	sink_advise(out,
	            "Either no device offers these registers (AccessRegisterGMP in GeneralInfo), "
	            "or a V_Key is missing (--vs-key, --key-files). Devices also need a LID.");
	sink_fact(out, "queries", ibc_u64(open));
	sink_unanswered(out, open);
	return true;
}

static void check_partial(const struct ibc_input *in, struct ibc_sink *out)
{
	struct ibc_attrs all = ibc_attrs_of_group(IBC_ATTRS_PHYSICAL);
	const struct query_bits queries = query_bits(all);

	if (report_nothing(out, in->fabric, queries))
		return;
	for (enum ibc_attr attr = 0; (attr = ibc_attrs_next(all, attr));)
		for (size_t i = 0; i < ARRAY_SIZE(outcomes); i++)
			evaluate_register(out, in->fabric, attr, &outcomes[i]);
	evaluate_devices(out, in->fabric, queries);
	evaluate_readings(in, out);
}

/* ---- the table -------------------------------------------------------------------------- */

const struct ibc_check ibc_checks_phy_partial[] = {
	CHECK("phy.partial", "what of the physical layer was not read", IBC_INFO, check_partial,
	      REGISTERS(IBC_ATTR_PHY_ERRORS), .kinds = "{attribute}{reason}",
	      EXPLAINED_BY(BY("port.silent", AT))),
	{ 0 },
};
