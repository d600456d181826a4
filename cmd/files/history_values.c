/* SPDX-License-Identifier: BSD-2-Clause */
/* Values that the tables of a history share. */
#include <string.h>

#include "history.h"

struct ibc_value time_value(struct ibc_cell *cell, bool local, time_t when)
{
	char text[32];
	struct tm tm;

	if (!when || !(local ? localtime_r(&when, &tm) : gmtime_r(&when, &tm)))
		return ibc_none();
	strftime(text, sizeof(text), local ? "%Y-%m-%d %H:%M" : "%Y-%m-%dT%H:%M:%SZ", &tm);
	return ibc_cell_text(cell, "%s", text);
}

struct ibc_value day_value(struct ibc_cell *cell, time_t when)
{
	char text[16];
	struct tm tm;

	if (!when || !gmtime_r(&when, &tm))
		return ibc_none();
	strftime(text, sizeof(text), "%Y-%m-%d", &tm);
	return ibc_cell_text(cell, "%s", text);
}

struct ibc_value total_value(struct ibc_cell *cell, bool text, struct ibc_amount amount)
{
	if (text && amount.known && amount.at_least)
		return ibc_cell_text(cell, ">=%llu", (unsigned long long)amount.n);
	return amount.known ? ibc_u64(amount.n) : ibc_none();
}

/* clang-format off */
#define PAST_GETTER(name, expression) \
	struct ibc_value name(struct ibc_cell *cell) \
	{ \
		const struct ibc_past_port *port = *(const struct ibc_past_port *const *)cell->row; \
		return expression; \
	}
/* clang-format on */
PAST_GETTER(past_fabric, ibc_str(port->fabric->name))
PAST_GETTER(past_guid, ibc_guid(port->guid))
PAST_GETTER(past_num, ibc_u64(port->num))
PAST_GETTER(past_name, ibc_str(port->name))
