/* SPDX-License-Identifier: BSD-2-Clause */
/* Bit errors, error correction, and why links are down or went down, of each end of a cable. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "phy.h"

/* ---- values of one port -------------------------------------------------------------------- */

static const struct phy_end *phy_at(const struct ibc_cell *cell)
{
	return cell->row;
}

static struct ibc_phy_ber ber_at(const struct ibc_cell *cell)
{
	return ibc_phy_ber_of(phy_at(cell)->port, &phy_at(cell)->delta, cell->column->arg);
}

static struct ibc_value cell_ber(struct ibc_cell *cell)
{
	return real_or_unknown(ber_at(cell).rate);
}

static struct ibc_value cell_ber_is_bound(struct ibc_cell *cell)
{
	struct ibc_phy_ber ber = ber_at(cell);

	return isnan(ber.rate) ? ibc_none() : ibc_bool(ber.is_bound);
}

static struct ibc_value cell_ber_text(struct ibc_cell *cell)
{
	return ber_text(cell, ber_at(cell));
}

const char *phy_ber_text(const struct phy_end *end, enum ibc_ber_stage stage, char *buf,
                         size_t size)
{
	struct ibc_phy_ber ber = ibc_phy_ber_of(end->port, &end->delta, stage);

	if (isnan(ber.rate))
		return NULL;
	snprintf(buf, size, "%s%.1e", ber.is_bound ? "<" : "", ber.rate);
	return buf;
}

/* What was counted in the time; of what is no count, what it is now. */
bool phy_number(const struct phy_end *end, enum ibc_phy_value value, uint64_t *out)
{
	if (end->delta.known >> value & 1)
		*out = end->delta.value[value];
	else if (!end->delta.compared && ibc_phy_knows(end->port->extra->phy, value))
		*out = end->port->extra->phy->value[value];
	else
		return false;
	return true;
}

static struct ibc_value cell_number(struct ibc_cell *cell)
{
	uint64_t number;

	return phy_number(phy_at(cell), cell->column->arg, &number) ? ibc_u64(number) : ibc_none();
}

static struct ibc_value cell_now(struct ibc_cell *cell)
{
	const struct ibc_phy *phy = phy_at(cell)->port->extra->phy;
	enum ibc_phy_value value = cell->column->arg;

	return ibc_phy_knows(phy, value) ? ibc_u64(phy->value[value]) : ibc_none();
}

static struct ibc_value worst_lane(const struct phy_end *end, bool errors)
{
	unsigned int worst = 0, known = 0;
	uint64_t most = 0, n;

	for (unsigned int i = 0; i < phy_lanes_of(end->port); i++) {
		if (!phy_number(end, IBC_PHY_RAW_ERRORS_LANE0 + i, &n))
			continue;
		if (!known++ || n > most) {
			worst = i;
			most = n;
		}
	}
	return !known || !most ? ibc_none() : ibc_u64(errors ? most : worst);
}

const char *phy_corrected_text(const struct phy_end *end, char *buf, size_t size)
{
	struct ibc_fec_most most;

	if (!ibc_fec_most_of(end->port, &end->delta, &most) || !most.of)
		return NULL;
	snprintf(buf, size, "%u of %u", most.symbols, most.of);
	return buf;
}

static uint64_t code_of(const struct phy_end *end, enum ibc_phy_value value)
{
	return ibc_phy_knows(end->port->extra->phy, value) ? end->port->extra->phy->value[value]
	                                                   : 0;
}

static const char *reason_text(const struct phy_end *end, enum ibc_phy_value value)
{
	const struct ibc_phy_code *code = ibc_phy_reason(code_of(end, value));

	return !code_of(end, value) || code->class == IBC_PHY_CLASS_NOTHING ? NULL : code->text;
}

static const char *blame_text(const struct phy_end *end)
{
	static const char *const texts[] = { NULL, "local", "remote" };
	uint64_t blame = code_of(end, IBC_PHY_DOWN_BLAME);

	return blame < ARRAY_SIZE(texts) ? texts[blame] : NULL;
}

static bool reports_why_down(const struct phy_end *end)
{
	return ibc_phy_knows(end->port->extra->phy, IBC_PHY_WHY_DOWN) &&
	       end->port->extra->phy->value[IBC_PHY_WHY_DOWN];
}

/* "is down: nothing is plugged in; last went down: too hot, given up by this end" */
void phy_add_down(struct ibc_cell *cell, const struct phy_end *end, bool named)
{
	const char *why = reason_text(end, IBC_PHY_DOWN_REASON), *blame = blame_text(end);
	const char *peer = reason_text(end, IBC_PHY_DOWN_REMOTE_REASON);
	const bool is_peers = peer && (!why || (blame && *blame == 'r'));
	const char *own = end->port->extra->phy ? end->port->extra->phy->why_down : NULL;

	if (!reports_why_down(end) && !why && !peer)
		return;
	if (named)
		ibc_cell_text(cell, "%s%s/%u ", cell->length ? "; " : "", end->port->node->label,
		              end->port->num);
	if (reports_why_down(end))
		ibc_cell_text(cell, "is down: %s%s%s%s",
		              ibc_phy_trouble(code_of(end, IBC_PHY_WHY_DOWN))->text,
		              own ? " (\"" : "", own ? own : "", own ? "\")" : "");
	if (!why && !peer)
		return;
	ibc_cell_text(cell, "%slast went down: %s%s%s", reports_why_down(end) ? "; " : "",
	              is_peers ? peer : why, is_peers ? " (the peer's reason)" : "",
	              code_of(end, IBC_PHY_DOWN_INTENT) == IBC_PHY_INTENDED ? ", intended" : "");
	if (blame)
		ibc_cell_text(cell, ", given up by %s",
		              *blame == 'l' ? "this end" : "the other end");
}

static struct ibc_value cell_down(struct ibc_cell *cell)
{
	phy_add_down(cell, phy_at(cell), false);
	return cell->length ? ibc_str(cell->text) : ibc_none();
}

/* A device that does not say has 0. */
static struct ibc_value phy_unhealthy(struct ibc_cell *cell)
{
	uint64_t code = code_of(phy_at(cell), IBC_PHY_UNHEALTHY);

	if (!code)
		return ibc_none();
	return ibc_str(code == 1 ? "none" : ibc_phy_unhealthy(code)->text);
}

static struct ibc_value phy_over(struct ibc_cell *cell)
{
	const struct ibc_phy_delta *d = &phy_at(cell)->delta;
	char text[TIME_TEXT];

	if (!d->known || !(d->seconds > 0))
		return ibc_none();
	duration_text(d->seconds, text);
	return ibc_cell_text(cell, "%s%s", text, d->compared && !d->cleared ? "" : " since clear");
}

static struct ibc_value phy_margin(struct ibc_cell *cell)
{
	struct ibc_fec_most most;

	if (!ibc_fec_most_of(phy_at(cell)->port, &phy_at(cell)->delta, &most) || !most.of ||
	    most.symbols > most.of)
		return ibc_none();
	return ibc_u64(most.of - most.symbols);
}

static struct ibc_value phy_intent(struct ibc_cell *cell)
{
	static const char *const texts[] = { NULL, "intended", "unintended" };
	uint64_t intent = code_of(phy_at(cell), IBC_PHY_DOWN_INTENT);

	return ibc_str(intent < ARRAY_SIZE(texts) ? texts[intent] : NULL);
}

GETTER(phy_fec, struct phy_end, e,
       e->port->extra->phy ? fec_value(e->port->extra->phy->fec_active) : ibc_none());
GETTER(phy_fec_requested, struct phy_end, e,
       e->port->extra->phy ? fec_value(e->port->extra->phy->fec_requested) : ibc_none());
GETTER(phy_port_type, struct phy_end, e,
       ibc_phy_knows(e->port->extra->phy, IBC_PHY_PORT_TYPE)
           ? ibc_enum(ibc_port_type_word(e->port->extra->phy->value[IBC_PHY_PORT_TYPE]))
           : ibc_none());
GETTER(phy_recovered, struct phy_end, e,
       ibc_phy_knows(e->port->extra->phy, IBC_PHY_RECOVERED)
           ? ibc_bool(e->port->extra->phy->value[IBC_PHY_RECOVERED])
           : ibc_none());
GETTER(phy_since, struct phy_end, e,
       !e->delta.known ? ibc_none()
                       : ibc_str(e->delta.compared && !e->delta.cleared ? "sweep" : "clear"));
GETTER(phy_worst_lane, struct phy_end, e, worst_lane(e, false));
GETTER(phy_worst_errors, struct phy_end, e, worst_lane(e, true));
GETTER(phy_most, struct phy_end, e, ibc_str(phy_corrected_text(e, cell->text, sizeof(cell->text))));
/* The register counts 1e-10 of the bandwidth. */
GETTER(phy_plr_loss, struct phy_end, e,
       ibc_phy_knows(e->port->extra->phy, IBC_PHY_PLR_LOSS)
           ? ibc_real((double)e->port->extra->phy->value[IBC_PHY_PLR_LOSS] / 1e8)
           : ibc_none());
GETTER(phy_blame, struct phy_end, e, ibc_str(blame_text(e)));
GETTER(phy_reason, struct phy_end, e, ibc_str(reason_text(e, IBC_PHY_DOWN_REASON)));
GETTER(phy_remote_reason, struct phy_end, e, ibc_str(reason_text(e, IBC_PHY_DOWN_REMOTE_REASON)));
GETTER(phy_recovery_reason, struct phy_end, e, ibc_str(reason_text(e, IBC_PHY_RECOVERY_REASON)));
GETTER(phy_why, struct phy_end, e,
       reports_why_down(e) ? ibc_str(ibc_phy_trouble(code_of(e, IBC_PHY_WHY_DOWN))->text)
                           : ibc_none());
GETTER(phy_why_own, struct phy_end, e,
       ibc_str(e->port->extra->phy ? e->port->extra->phy->why_down : NULL));

/* ---- the table ----------------------------------------------------------------------------- */

/* clang-format off */
#define DETAIL_OF(of, k, title, getter) \
	{ .key = (k), .heading = (title), .value = (getter), .arg = (of), .detail = true }
#define BER_COLUMNS(stage, name, title) \
	COLUMN_OF(stage, name "_ber", NULL, cell_ber), \
	COLUMN_OF(stage, name "_ber_is_bound", NULL, cell_ber_is_bound), \
	COLUMN_OF(stage, name "_ber_text", title, cell_ber_text)
/* What a metric counts: whatever the time that the row is of. */
#define SINCE_CLEAR(value, name) \
	COLUMN_OF(IBC_PHY_##value, name "_since_clear", NULL, cell_now)
/* clang-format on */

static const struct ibc_column phy_columns[] = {
	COLUMN("subnet", NULL, cell_subnet),
	PORT_COLUMNS,
	PEER_COLUMNS,
	COLUMN("name", "PORT", cell_port_name),
	DETAIL("peer", "PEER", cell_peer_name),
	COLUMN("phys_state", "PHYS", cell_phys_state),
	DETAIL("width", "WIDTH", cell_width),
	COLUMN("speed", "SPEED", cell_speed),
	COLUMN("fec", "FEC", phy_fec),
	COLUMN("fec_requested", NULL, phy_fec_requested),
	BER_COLUMNS(IBC_BER_RAW, "raw", "RAW BER"),
	BER_COLUMNS(IBC_BER_EFFECTIVE, "effective", "EFFECTIVE"),
	BER_COLUMNS(IBC_BER_SYMBOL, "symbol", "SYMBOL"),
	FIELD_OR_NONE("seconds", NULL, struct phy_end, delta.seconds),
	COLUMN("since", NULL, phy_since),
	COLUMN("over", "OVER", phy_over, .legend = "for how long the counters stand"),
	COLUMN_OF(IBC_PHY_BITS_RECEIVED, "bits_received", NULL, cell_number),
	DETAIL_OF(IBC_PHY_EFFECTIVE_ERRORS, "effective_errors", "EFFECTIVE ERRORS", cell_number),
	DETAIL_OF(IBC_PHY_SYMBOL_ERRORS, "symbol_errors", "SYMBOL ERRORS", cell_number),
	DETAIL("worst_lane", "WORST LANE", phy_worst_lane),
	DETAIL("worst_lane_errors", "ITS RAW ERRORS", phy_worst_errors),
	COLUMN("fec_corrected", "CORRECTED", phy_most),
	COLUMN("fec_margin_symbols", NULL, phy_margin),
	COLUMN_OF(IBC_PHY_FEC_UNCORRECTABLE_BLOCKS, "fec_uncorrectable", "UNCORRECTABLE",
	          cell_number),
	COLUMN("plr_loss_percent", "PLR LOSS %", phy_plr_loss),
	COLUMN_OF(IBC_PHY_RECOVERIES, "recoveries", "RECOVERIES", cell_number),
	COLUMN_OF(IBC_PHY_DOWNS_UNINTENDED, "downs_unintended", "DOWNS", cell_number),
	COLUMN_OF(IBC_PHY_DOWNS_INTENDED, "downs_intended", NULL, cell_number),
	COLUMN_OF(IBC_PHY_LINK_DOWNS, "link_downs", NULL, cell_number),
	SINCE_CLEAR(EFFECTIVE_ERRORS, "effective_errors"),
	SINCE_CLEAR(SYMBOL_ERRORS, "symbol_errors"),
	SINCE_CLEAR(FEC_CORRECTED_BLOCKS, "fec_corrected_blocks"),
	SINCE_CLEAR(FEC_UNCORRECTABLE_BLOCKS, "fec_uncorrectable_blocks"),
	SINCE_CLEAR(RECOVERIES, "recoveries"),
	SINCE_CLEAR(DOWNS_UNINTENDED, "downs_unintended"),
	SINCE_CLEAR(DOWNS_INTENDED, "downs_intended"),
	SINCE_CLEAR(LINK_DOWNS, "link_downs"),
	DETAIL_OF(IBC_PHY_TRAINING_ATTEMPTS, "training_attempts", "TRAINING ATTEMPTS", cell_now),
	DETAIL_OF(IBC_PHY_LINK_UP_MS, "link_up_ms", "LINK UP ms", cell_now),
	DETAIL("port_type", "TYPE OF PORT", phy_port_type),
	DETAIL("unhealthy", "UNHEALTHY", phy_unhealthy),
	DETAIL("port_recovered", "PORT RECOVERED", phy_recovered),
	COLUMN_OF(IBC_PHY_OOO_SL_MASK, "ooo_sl_mask", NULL, cell_now),
	COLUMN("down_blame", NULL, phy_blame),
	COLUMN("down_intent", NULL, phy_intent),
	COLUMN("down_reason", NULL, phy_reason),
	COLUMN("down_remote_reason", NULL, phy_remote_reason),
	DETAIL("recovery_reason", "LAST RECOVERY", phy_recovery_reason),
	COLUMN_OF(IBC_PHY_WHY_DOWN, "why_down_code", NULL, cell_now),
	COLUMN("why_down", NULL, phy_why),
	COLUMN("why_down_text", NULL, phy_why_own),
	SENTENCE("down", "LINK DOWN", cell_down),
	{ 0 },
};

/* clang-format off */
#define BER_METRICS(stage, text) \
	{ stage "_ber", stage "_bit_error_ratio", text, IBC_METRIC_GAUGE }, \
	{ stage "_ber_is_bound", stage "_bit_error_ratio_is_bound", \
	  "no error was seen, and the ratio is an upper bound: " text, IBC_METRIC_GAUGE }
#define COUNTED(column, name, text) { column "_since_clear", name, text, IBC_METRIC_COUNTER }
/* clang-format on */

static const struct ibc_metric phy_metrics[] = {
	BER_METRICS("raw", "bit errors before error correction, of all bits"),
	BER_METRICS("effective", "bit errors after error correction, of all bits"),
	BER_METRICS("symbol", "bit errors after correction and retransmission, of all bits"),
	COUNTED("effective_errors", "effective_errors", "errors after error correction"),
	COUNTED("symbol_errors", "symbol_errors", "errors after correction and retransmission"),
	COUNTED("fec_corrected_blocks", "fec_corrected_blocks", "code words that were corrected"),
	COUNTED("fec_uncorrectable_blocks", "fec_uncorrectable_blocks",
	        "code words that could not be corrected"),
	COUNTED("recoveries", "recoveries", "times that the link healed itself"),
	COUNTED("downs_unintended", "unintended_link_downs", "times that the link was lost"),
	COUNTED("downs_intended", "intended_link_downs",
	        "times that the link was taken down on purpose"),
	COUNTED("link_downs", "link_downs", "times that this port saw the link go down"),
	{ "fec_margin_symbols", "fec_margin_symbols",
	  "symbols that could still be corrected in the worst code word", IBC_METRIC_GAUGE },
	{ 0 },
};
static const struct ibc_metric_group phy_groups[] = {
	{ "infiniband_phy_", "InfiniBand port", NULL, NULL, port_labels, phy_metrics },
	{ 0 },
};
const struct ibc_table_type phy_type = TABLE("phy", phy_columns, NULL, .groups = phy_groups);

/* ---- the rows -------------------------------------------------------------------------------- */

bool phy_is_free(const struct ibc_port *p)
{
	if (p->peer || ibc_port_is_up(p) ||
	    (p->extra->module && p->extra->module->kind &&
	     p->extra->module->kind != IBC_MODULE_UNPLUGGED))
		return false;
	return !ibc_phy_knows(p->extra->phy, IBC_PHY_WHY_DOWN) ||
	       p->extra->phy->value[IBC_PHY_WHY_DOWN] == IBC_PHY_NOTHING_PLUGGED;
}

void phy_rows(struct app *app, const struct ibc_place *place)
{
	unsigned int last = place->port ? place->port : place->node->num_ports;

	for (unsigned int num = place->port ? place->port : 1; num <= last; num++) {
		const struct ibc_port *port = ibc_node_port(place->node, num);
		struct phy_end end = phy_end_of(app, port);

		if (port && port->extra->phy && !phy_is_free(port))
			ibc_table_row(app_table(app, &phy_type), &end);
	}
}
