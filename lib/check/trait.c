/* SPDX-License-Identifier: BSD-2-Clause */
#include "check/trait.h"

static struct mode width_mode(const struct ibc_port *p)
{
	return (struct mode){ p->width_active, p->width_enabled, p->width_supported };
}

static unsigned int width_best(unsigned int set)
{
	return ibc_width_widest(set);
}

static unsigned int width_rank(unsigned int value)
{
	return ibc_width_lanes(value);
}

static const struct ibc_word *width_word(unsigned int value)
{
	return ibc_width_word(value);
}

static struct mode speed_mode(const struct ibc_port *p)
{
	return (struct mode){ p->speed_active, p->speed_enabled, p->speed_supported };
}

static unsigned int speed_best(unsigned int set)
{
	return ibc_speed_fastest(set);
}

static unsigned int speed_rank(unsigned int value)
{
	return value; /* bits in rising order */
}

static const struct ibc_word *speed_word(unsigned int value)
{
	return ibc_speed_word(value);
}

const struct trait width_trait = {
	.name = "width",
	.key_active = "width_active",
	.key_expected = "width_expected",
	.mode = width_mode,
	.best = width_best,
	.rank = width_rank,
	.word = width_word,
	.last = IBC_WIDTH_2X,
	.split = IBC_WIDTH_2X,
};

const struct trait speed_trait = {
	.name = "speed",
	.key_active = "speed_active",
	.key_expected = "speed_expected",
	.mode = speed_mode,
	.best = speed_best,
	.rank = speed_rank,
	.word = speed_word,
	.last = IBC_SPEED_XDR,
};
