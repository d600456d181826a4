/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the codes of PDDR pages 1 and 6 mean.  Which class a code is of is a judgement on its
 * name in mstflint's tables; what a newer firmware adds to them is unknown here.
 */
#include <ibcheck/phy.h>

#include "base/array.h"
#include "base/words.h"

enum {
	NOTHING = IBC_PHY_CLASS_NOTHING,
	QUALITY = IBC_PHY_CLASS_QUALITY,
	CONGESTION = IBC_PHY_CLASS_CONGESTION,
	MODULE = IBC_PHY_CLASS_MODULE,
	INTENDED = IBC_PHY_CLASS_INTENDED,
	PEER = IBC_PHY_CLASS_OTHER_SIDE,
	TRAINING = IBC_PHY_CLASS_TRAINING,
	DEVICE = IBC_PHY_CLASS_DEVICE,
};

/* Codes from first to last mean the same. */
struct range {
	uint16_t first, last;
	struct ibc_phy_code code;
};

static const struct range reasons[] = {
	{ 0, 0, { NOTHING, "the link has not gone down" } },
	{ 2, 2, { QUALITY, "too many bit errors" } },
	{ 3, 3, { QUALITY, "block lock lost" } },
	{ 4, 4, { QUALITY, "alignment lost" } },
	{ 5, 5, { QUALITY, "FEC synchronization lost" } },
	{ 6, 6, { QUALITY, "PLL lock lost" } },
	{ 7, 7, { QUALITY, "FIFO overflow" } },
	{ 8, 8, { QUALITY, "false SKIP condition" } },
	{ 9, 9, { QUALITY, "too many minor errors" } },
	{ 10, 10, { QUALITY, "retransmission (PLR) timed out" } },
	{ 11, 11, { QUALITY, "heartbeat errors" } },
	{ 12, 12, { CONGESTION, "credit watchdog expired" } },
	{ 13, 13, { CONGESTION, "too many link integrity errors" } },
	{ 14, 14, { CONGESTION, "buffer overrun" } },
	{ 15, 15, { INTENDED, "taken down by a local command, the link was good" } },
	{ 16, 16, { QUALITY, "taken down by a local command, with many bit errors" } },
	{ 17, 17, { INTENDED, "taken down by an in-band command, the link was good" } },
	{ 18, 18, { QUALITY, "taken down by an in-band command, with many bit errors" } },
	{ 19, 19, { INTENDED, "taken down by verification" } },
	{ 20, 20, { PEER, "the peer reported a fault" } },
	{ 21, 21, { PEER, "the peer began to train again" } },
	{ 22, 22, { INTENDED, "taken down by management" } },
	{ 23, 23, { MODULE, "the cable was unplugged" } },
	{ 24, 24, { MODULE, "the module cannot be read" } },
	{ 25, 25, { MODULE, "the module shut down, it was too hot" } },
	{ 26, 26, { MODULE, "the module draws too much current" } },
	{ 27, 27, { MODULE, "the module needs more power than the cage has" } },
	{ 28, 28, { QUALITY, "fast recovery, raw bit errors" } },
	{ 29, 29, { QUALITY, "fast recovery, bit errors left after FEC" } },
	{ 30, 30, { QUALITY, "fast recovery, symbol errors" } },
	{ 31, 31, { CONGESTION, "fast recovery, credit watchdog expired" } },
	{ 32, 32, { PEER, "the peer went to sleep" } },
	{ 33, 33, { PEER, "the peer was disabled" } },
	{ 34, 34, { PEER, "the peer was disabled and locked" } },
	{ 35, 35, { PEER, "the peer was too hot" } },
	{ 36, 36, { PEER, "the peer was forced down" } },
	{ 37, 37, { PEER, "the peer was reset" } },
	{ 38, 38, { DEVICE, "the device was reset" } },
	{ 39, 39, { QUALITY, "fast recovery, retransmission (PLR) by the sender" } },
	{ 40, 40, { INTENDED, "forced down by hardware" } },
	{ 42, 42, { DEVICE, "the link did not come back from power saving" } },
	{ 43, 43, { QUALITY, "too many link error recoveries" } },
	{ 44, 44, { INTENDED, "contained" } },
	{ 45, 45, { QUALITY, "too much bandwidth lost to retransmission" } },
	{ 46, 46, { MODULE, "the external laser failed" } },
	{ 47, 47, { QUALITY, "too many symbol errors" } },
	{ 48, 48, { INTENDED, "taken down by network management" } },
	{ 49, 49, { QUALITY, "bit errors above the limit in the guard time" } },
	{ 50, 50, { DEVICE, "local fault" } },
	{ 51, 51, { PEER, "link interruption" } },
	{ 52, 52, { INTENDED, "debugging" } },
	{ 53, 53, { INTENDED, "recovery by command" } },
	{ 58, 58, { QUALITY, "too much bandwidth lost to recovery" } },
	{ 59, 59, { PEER, "the peer was contained" } },
	{ 60, 60, { MODULE, "the module was reset, or went to low power" } },
	{ 61, 61, { INTENDED, "the receiver was contained" } },
	{ 62, 62, { INTENDED, "the transmitter was contained" } },
};

static const struct range troubles[] = {
	{ 0, 0, { NOTHING, "the device sees no issue" } },
	{ 1, 1, { INTENDED, "closed by a command" } },
	{ 2, 4, { TRAINING, "negotiation failed" } },
	{ 5, 8, { TRAINING, "training failed" } },
	{ 9, 13, { TRAINING, "the two ends do not agree" } },
	{ 14, 14, { PEER, "the peer reports a fault" } },
	{ 15, 15, { QUALITY, "bad signal" } },
	{ 16, 16, { MODULE, "the cable does not fit the protocol of the port" } },
	{ 17, 17, { QUALITY, "bad signal" } },
	{ 18, 19, { DEVICE, "internal error" } },
	{ 22, 23, { DEVICE, "internal error" } },
	{ 24, 32, { MODULE, "the cable does not fit the protocol of the port" } },
	{ 34, 35, { QUALITY, "the speed was lowered" } },
	{ 38, 39, { TRAINING, "negotiation failed" } },
	{ 42, 42, { QUALITY, "bad signal" } },
	{ 48, 49, { QUALITY, "bad signal" } },
	{ 50, 50, { DEVICE, "internal error" } },
	{ 52, 52, { QUALITY, "bad signal" } },
	{ 55, 55, { DEVICE, "internal error" } },
	{ 56, 56, { MODULE, "the lanes of the module are not synchronized" } },
	{ 57, 57, { PEER, "no signal: no light, or nothing sends at the other end" } },
	{ 60, 60, { PEER, "no partner for a long time" } },
	{ 62, 66, { TRAINING, "training failed" } },
	{ 69, 69, { TRAINING, "negotiation failed" } },
	{ 70, 70, { QUALITY, "too many bit errors" } },
	{ 128, 128, { NOTHING, "the device is still looking" } },
	{ 1023, 1023, { NOTHING, "the device does not know" } },
	{ 1024, 1024, { MODULE, "nothing is plugged in" } },
	{ 1025, 1025, { MODULE, "a long-range module of another vendor" } },
	{ 1026, 1026, { MODULE, "the module's I2C bus is stuck" } },
	{ 1027, 1027, { MODULE, "the module's memory is bad, or of an unknown kind" } },
	{ 1028, 1028, { MODULE, "the module is not in the list of parts" } },
	{ 1029, 1029, { MODULE, "the cable is not supported" } },
	{ 1030, 1030, { MODULE, "the module shut down, it is too hot" } },
	{ 1031, 1031, { MODULE, "the cable has a short circuit" } },
	{ 1032, 1032, { MODULE, "the module needs more power than the cage has" } },
	{ 1033, 1033, { INTENDED, "forced down by management" } },
	{ 1034, 1034, { INTENDED, "the module is disabled by a command" } },
	{ 1035, 1035, { MODULE, "the module is off, the system lacks power" } },
	{ 1036, 1036, { INTENDED, "this type of module is not enabled" } },
	{ 1040, 1040, { MODULE, "the PCIe slot lacks power" } },
	{ 1042, 1042, { MODULE, "fault in the module's state machine" } },
	{ 1043, 1046, { MODULE, "limited to a lower speed by its stamp" } },
	{ 1047, 1048, { MODULE, "fault in the module's data path" } },
	{ 1050, 1053, { MODULE, "the module does not start" } },
	{ 1054, 1054, { INTENDED, "the module is forced to low power" } },
	{ 1055, 1055, { MODULE, "external laser: the fibre is dirty" } },
	{ 1056, 1056, { MODULE, "external laser: power control failed" } },
	{ 1057, 1057, { MODULE, "external laser: unplugged" } },
	{ 1058, 1058, { MODULE, "external laser: did not ramp up in time" } },
	{ 1059, 1059, { MODULE, "external laser: power too high" } },
	{ 1060, 1060, { MODULE, "external laser: power too low" } },
	{ 1061, 1061, { MODULE, "external laser: temperature control failed" } },
	{ 1062, 1062, { MODULE, "external laser: power tuning failed" } },
	{ 1063, 1063, { MODULE, "external laser: wavelength tuning failed" } },
};

static const struct ibc_phy_code *find(const struct range *r, size_t n, uint64_t code)
{
	static const struct ibc_phy_code unknown = { IBC_PHY_CLASS_UNKNOWN, "unknown" };

	for (; n > 0; r++, n--)
		if (r->first <= code && code <= r->last)
			return &r->code;
	return &unknown;
}

const struct ibc_phy_code *ibc_phy_reason(uint64_t code)
{
	return find(reasons, ARRAY_SIZE(reasons), code);
}

const struct ibc_phy_code *ibc_phy_trouble(uint64_t code)
{
	return find(troubles, ARRAY_SIZE(troubles), code);
}

/* Of ExtendedPortInfo. */
static const struct range unhealthy[] = {
	{ 0, 1, { NOTHING, "the port is healthy" } },
	{ 2, 2, { CONGESTION, "credit watchdog expired" } },
	{ 3, 3, { INTENDED, "symmetry is enforced" } },
	{ 4, 4, { QUALITY, "too many raw bit errors" } },
	{ 5, 5, { QUALITY, "too many bit errors left after FEC" } },
	{ 6, 6, { QUALITY, "too many symbol errors" } },
	{ 8, 8, { INTENDED, "contain and drain" } },
};

const struct ibc_phy_code *ibc_phy_unhealthy(uint64_t code)
{
	return find(unhealthy, ARRAY_SIZE(unhealthy), code);
}

static const struct word_entry classes[] = {
	{ IBC_PHY_CLASS_NOTHING, { "nothing", "nothing" } },
	{ IBC_PHY_CLASS_QUALITY, { "quality", "signal quality" } },
	{ IBC_PHY_CLASS_CONGESTION, { "congestion", "congestion" } },
	{ IBC_PHY_CLASS_MODULE, { "module", "module" } },
	{ IBC_PHY_CLASS_INTENDED, { "intended", "intended" } },
	{ IBC_PHY_CLASS_OTHER_SIDE, { "other_side", "other side" } },
	{ IBC_PHY_CLASS_TRAINING, { "training", "training" } },
	{ IBC_PHY_CLASS_DEVICE, { "device", "device" } },
	WORDS_END,
};

const struct ibc_word *ibc_phy_class_word(enum ibc_phy_class class)
{
	return words_find(classes, class);
}
