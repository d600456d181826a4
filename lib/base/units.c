/* SPDX-License-Identifier: BSD-2-Clause */
#include <ibcheck/types.h>

#include "base/array.h"

/* In rising order. */
static const struct {
	enum ibc_width width;
	unsigned int lanes;
} widths[] = {
	{ IBC_WIDTH_1X, 1 }, { IBC_WIDTH_2X, 2 },   { IBC_WIDTH_4X, 4 },
	{ IBC_WIDTH_8X, 8 }, { IBC_WIDTH_12X, 12 },
};

/* In rising order; Gb/s a lane, after the line code and with it. */
static const struct {
	enum ibc_speed speed;
	double data_gbps, signal_gbps;
} speeds[] = {
	{ IBC_SPEED_SDR, 2, 2.5 },
	{ IBC_SPEED_DDR, 4, 5 },
	{ IBC_SPEED_QDR, 8, 10 },
	{ IBC_SPEED_FDR10, 10, 10.3125 },
	{ IBC_SPEED_FDR, 14.0625 * 64 / 66, 14.0625 },
	{ IBC_SPEED_EDR, 25, 25.78125 },
	{ IBC_SPEED_HDR, 50, 53.125 },
	{ IBC_SPEED_NDR, 100, 106.25 },
	{ IBC_SPEED_XDR, 200, 212.5 },
};

enum ibc_width ibc_width_widest(unsigned int set)
{
	for (size_t i = ARRAY_SIZE(widths); i-- > 0;)
		if (set & widths[i].width)
			return widths[i].width;
	return IBC_WIDTH_UNKNOWN;
}

enum ibc_speed ibc_speed_fastest(unsigned int set)
{
	for (size_t i = ARRAY_SIZE(speeds); i-- > 0;)
		if (set & speeds[i].speed)
			return speeds[i].speed;
	return IBC_SPEED_UNKNOWN;
}

unsigned int ibc_width_lanes(enum ibc_width width)
{
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++)
		if (widths[i].width == width)
			return widths[i].lanes;
	return 0;
}

double ibc_link_gbps(enum ibc_width width, enum ibc_speed speed)
{
	for (size_t i = 0; i < ARRAY_SIZE(speeds); i++)
		if (speeds[i].speed == speed)
			return ibc_width_lanes(width) * speeds[i].data_gbps;
	return 0;
}

double ibc_link_signal_gbps(enum ibc_width width, enum ibc_speed speed)
{
	for (size_t i = 0; i < ARRAY_SIZE(speeds); i++)
		if (speeds[i].speed == speed)
			return ibc_width_lanes(width) * speeds[i].signal_gbps;
	return 0;
}

unsigned int ibc_mtu_bytes(unsigned int code)
{
	return code >= 1 && code <= 5 ? 128u << code : 0;
}
