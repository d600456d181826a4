/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registers of the physical layer: queries, what may leave, decoders.  The bytes here are typed
 * from the layouts of the registers, offset by offset, not made by the code that is tested.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "base/phywords.h"
#include "wire/mad.h"
#include "wire/registers.h"
#include "wire/smp.h"
#include "wire/vendor.h"

/* Bytes from an offset on. */
struct hex {
	unsigned int offset;
	const char *bytes;
};

static void put_hex(uint8_t *at, const char *hex)
{
	for (; *hex; hex++) {
		char digits[3] = { hex[0], hex[1], '\0' };

		if (*hex == ' ')
			continue;
		*at++ = (uint8_t)strtoul(digits, NULL, 16);
		hex++;
	}
}

/* A register, zero but for this; the caller has room for it. */
static const uint8_t *typed(uint8_t data[REGISTER_SIZE], const struct hex *hex, size_t n)
{
	memset(data, 0, REGISTER_SIZE);
	for (size_t i = 0; i < n; i++)
		put_hex(data + hex[i].offset, hex[i].bytes);
	return data;
}
#define TYPED(...)                                                                                 \
	typed((uint8_t[REGISTER_SIZE]){ 0 }, (const struct hex[]){ __VA_ARGS__ },                  \
	      sizeof((const struct hex[]){ __VA_ARGS__ }) / sizeof(struct hex))

/* ---- queries ---------------------------------------------------------------------------- */

/* What every query has in common: up to the dword of the block. */
#define HEAD(id) "010a0101 00000000 0000000000000000 0051 0000 0000" id " 1122334455667788 00000000"

static const struct {
	struct register_query query;
	const char *mad; /* the rest is 0 */
} queries[] = {
	{ { REGISTER_PPCNT, 3, 0x16 }, HEAD("5008") "00034016 00000000" },
	{ { REGISTER_PPCNT, 64, 0x12 }, HEAD("5008") "00404012 00000000" },
	{ { REGISTER_PPCNT, 1, 0x1a }, HEAD("5008") "0001401a 00000000" },
	{ { REGISTER_PPCNT, 1, 0x22 }, HEAD("5008") "00014022 00000000" },
	{ { REGISTER_PPCNT, 1, 0x23 }, HEAD("5008") "00014023 00000000" },
	{ { REGISTER_PDDR, 1, 0 }, HEAD("5031") "00014000 20000000" },
	{ { REGISTER_PDDR, 33, 1 }, HEAD("5031") "00214000 20000001" },
	{ { REGISTER_PDDR, 33, 2 }, HEAD("5031") "00214000 20000002" },
	{ { REGISTER_PDDR, 33, 3 }, HEAD("5031") "00214000 20000003" },
	{ { REGISTER_PDDR, 254, 6 }, HEAD("5031") "00fe4000 20000006" },
	{ { REGISTER_PDDR, 33, 8 }, HEAD("5031") "00214000 20000008" },
	{ { REGISTER_PDDR, 33, 9 }, HEAD("5031") "00214000 20000009" },
	{ { REGISTER_PPHCR, 5, 0 }, HEAD("503e") "00054000" },
	{ { REGISTER_PRTL, 5, 0 }, HEAD("5014") "00054000" },
	{ { REGISTER_MTMP, 0, 0 }, HEAD("900a") "00000000" },
	{ { REGISTER_MFCR, 0, 0 }, HEAD("9001") "00000000" },
	{ { REGISTER_MFSM, 0, 5 }, HEAD("9003") "05000000" },
	{ { REGISTER_FORE, 0, 0 }, HEAD("9007") "00000000" },
};

static void get(uint8_t mad[MAD_SIZE], const struct register_query *query)
{
	struct mad_addr to;

	memset(mad, 0xff, MAD_SIZE);
	register_get(mad, &to, query, 42, 0x1122334455667788);
	assert_int_equal(to.dlid, 42);
	assert_int_equal(to.qpn, 1);
	assert_int_equal(to.qkey, 0x80010000);
}

static void a_query_is_what_the_table_says(void **state)
{
	uint8_t mad[MAD_SIZE], expected[MAD_SIZE];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(queries); i++) {
		memset(expected, 0, sizeof(expected));
		put_hex(expected, queries[i].mad);
		get(mad, &queries[i].query);
		assert_memory_equal(mad, expected, MAD_SIZE);
		assert_true(register_may_leave(mad));
	}
}

/* Where the index fields are, in bits of the register from its first byte on. */
static bool is_index_bit(const struct register_query *q, unsigned int bit)
{
	const unsigned int offset = bit / 8;

	if (q->port && offset == 1)
		return true;
	if (q->id == REGISTER_PPCNT)
		return offset == 3 && bit % 8 >= 2;
	if (q->id == REGISTER_PDDR)
		return offset == 7;
	return q->id == REGISTER_MFSM && offset == 0 && bit % 8 >= 4;
}

static void a_query_with_any_other_bit_does_not_leave(void **state)
{
	uint8_t mad[MAD_SIZE];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(queries); i++) {
		get(mad, &queries[i].query);
		/* the dword of the block, and the register */
		for (unsigned int bit = 32 * 8; bit < MAD_SIZE * 8; bit++) {
			if (bit >= 36 * 8 && is_index_bit(&queries[i].query, bit - 36 * 8))
				continue;
			mad[bit / 8] ^= 0x80 >> bit % 8;
			assert_false(register_may_leave(mad));
			mad[bit / 8] ^= 0x80 >> bit % 8;
		}
		assert_true(register_may_leave(mad));
	}
}

static void the_v_key_is_anyones(void **state)
{
	uint8_t mad[MAD_SIZE];

	(void)state;
	get(mad, &queries[0].query);
	memset(mad + 24, 0xff, 8);
	assert_true(register_may_leave(mad));
}

static void no_index_names_more_than_was_meant(void **state)
{
	static const struct {
		struct register_query query;
		const char *reg;
	} forbidden[] = {
		{ { REGISTER_PPCNT, 1, 0x16 }, "00ff4016 00000000" }, /* all ports */
		{ { REGISTER_PPCNT, 1, 0x16 }, "00004016 00000000" }, /* none */
		{ { REGISTER_PPCNT, 1, 0x16 }, "0001403f 00000000" }, /* all groups */
		{ { REGISTER_PPCNT, 1, 0x16 }, "00014016 80000000" }, /* clr */
		{ { REGISTER_PPCNT, 1, 0x16 }, "00014016 40000000" }, /* lp_gl */
		{ { REGISTER_PPCNT, 1, 0x16 }, "00014000 00000000" }, /* not asked for */
		{ { REGISTER_PPCNT, 1, 0x16 }, "00010016 00000000" }, /* not an IB port number */
		{ { REGISTER_PDDR, 1, 3 }, "00014000 00000003" },     /* whole dBm */
		{ { REGISTER_PDDR, 1, 3 }, "00014000 20000005" },     /* no such page */
		{ { REGISTER_PDDR, 1, 3 }, "00014000 200000ff" },
		{ { REGISTER_MTMP, 0, 0 }, "00000000 00000000 40000000" }, /* mtr */
		{ { REGISTER_MTMP, 0, 0 }, "00000001" },                   /* not asked for */
		{ { REGISTER_FORE, 0, 0 }, "00010000" },
	};
	uint8_t mad[MAD_SIZE];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forbidden); i++) {
		get(mad, &forbidden[i].query);
		memset(mad + 36, 0, REGISTER_SIZE);
		put_hex(mad + 36, forbidden[i].reg);
		assert_false(register_may_leave(mad));
	}
}

/* Of 16 bits only those of the table; nor does one that only begins alike. */
static void no_other_register_leaves(void **state)
{
	unsigned int left = 0;
	uint8_t mad[MAD_SIZE];

	(void)state;
	get(mad, &(struct register_query){ REGISTER_FORE, 0, 0 });
	for (uint32_t id = 0; id < 0x20000; id++) {
		bytes_put(mad + 20, 4, id);
		left += register_may_leave(mad);
	}
	assert_int_equal(left, 4); /* MFCR, MFSM, FORE and MTMP, whose queries are all zeros */
}

static void a_status_is_the_registers(void **state)
{
	(void)state;
	assert_int_equal(register_verdict_of(0), MAD_OK);
	assert_int_equal(register_verdict_of(1), MAD_BUSY);
	assert_int_equal(register_verdict_of(0x04), MAD_UNSUPPORTED);
	assert_int_equal(register_verdict_of(0x0c), MAD_UNSUPPORTED);
	assert_int_equal(register_verdict_of(0x14), MAD_UNSUPPORTED);
	assert_int_equal(register_verdict_of(0x1c), MAD_REFUSED);
	assert_int_equal(register_verdict_of(0x08), MAD_REFUSED);
	assert_int_equal(register_verdict_of(0xffff), MAD_REFUSED);
}

/* ---- the link -------------------------------------------------------------------------------- */

static struct ibc_phy phy_of(uint16_t id, unsigned int select, const uint8_t *data)
{
	const struct register_query q = { id, 1, (uint8_t)select };
	struct ibc_phy phy = { .known = 0 };

	phy_values_get(&q, data, &phy);
	return phy;
}

#define assert_value(phy, which, expected)                                                         \
	do {                                                                                       \
		assert_true(ibc_phy_knows((phy), (which)));                                        \
		assert_true((phy)->value[which] == (expected));                                    \
	} while (0)

static void ppcnt_0x16_has_errors_and_rates(void **state)
{
	struct ibc_phy phy = phy_of(REGISTER_PPCNT, 0x16,
	                            TYPED({ 0x08, "0000000000000e10" },   /* ms */
	                                  { 0x10, "0123456789abcdef" },   /* bits */
	                                  { 0x18, "0000000000000007" },   /* symbol */
	                                  { 0x20, "00000000000186a0" },   /* corrected */
	                                  { 0x28, "0000000000000011" },   /* lane 0 */
	                                  { 0x30, "0000000000000022" },   /* lane 1 */
	                                  { 0x60, "8000000000000088" },   /* lane 7 */
	                                  { 0x68, "00090803" },           /* raw 3e-8 */
	                                  { 0x6c, "00000f02" },           /* effective 2e-15 */
	                                  { 0x70, "0000ff0f" },           /* symbol: none */
	                                  { 0x84, "0000000500000006" })); /* effective */

	(void)state;
	assert_value(&phy, IBC_PHY_CLEAR_AGE_MS, 3600);
	assert_value(&phy, IBC_PHY_BITS_RECEIVED, 0x0123456789abcdef);
	assert_value(&phy, IBC_PHY_SYMBOL_ERRORS, 7);
	assert_value(&phy, IBC_PHY_CORRECTED_BITS, 100000);
	assert_value(&phy, IBC_PHY_RAW_ERRORS_LANE0, 0x11);
	assert_value(&phy, IBC_PHY_RAW_ERRORS_LANE1, 0x22);
	assert_value(&phy, IBC_PHY_RAW_ERRORS_LANE2, 0);
	assert_value(&phy, IBC_PHY_RAW_ERRORS_LANE7, 0x8000000000000088);
	assert_value(&phy, IBC_PHY_FIRST_EMPTY_BIN, 9);
	assert_value(&phy, IBC_PHY_EFFECTIVE_ERRORS, 0x0000000500000006);
	assert_int_equal(phy.known_bers, 7);
	assert_int_equal(phy.ber[IBC_BER_RAW].coefficient, 3);
	assert_int_equal(phy.ber[IBC_BER_RAW].magnitude, 8);
	assert_int_equal(phy.ber[IBC_BER_EFFECTIVE].coefficient, 2);
	assert_int_equal(phy.ber[IBC_BER_EFFECTIVE].magnitude, 15);
	assert_true(ibc_ber_value(phy.ber[IBC_BER_SYMBOL]) == 0);
	assert_false(ibc_phy_knows(&phy, IBC_PHY_LINK_DOWNS));
	assert_int_equal(phy.fec_active, IBC_FEC_UNKNOWN);
}

static void ppcnt_0x12_has_blocks_of_fec(void **state)
{
	struct ibc_phy phy = phy_of(
	    REGISTER_PPCNT, 0x12,
	    TYPED({ 0x80, "0000000000000101" }, { 0x88, "0000000000000002" },
	          { 0x90, "00000000ffffffff" }, { 0xa0, "0000000000000404" }, { 0xc8, "00000009" },
	          { 0xcc, "0000000a" }));

	(void)state;
	assert_value(&phy, IBC_PHY_FEC_CORRECTED_BLOCKS, 0x101);
	assert_value(&phy, IBC_PHY_FEC_UNCORRECTABLE_BLOCKS, 2);
	assert_value(&phy, IBC_PHY_FEC_CLEAN_BLOCKS, 0xffffffff);
	assert_value(&phy, IBC_PHY_FEC_CORRECTED_SYMBOLS, 0x404);
	assert_value(&phy, IBC_PHY_LINK_DOWNS, 9);
	assert_value(&phy, IBC_PHY_RECOVERIES_SINCE_UP, 10);
}

static void ppcnt_0x1a_has_recoveries(void **state)
{
	struct ibc_phy phy = phy_of(
	    REGISTER_PPCNT, 0x1a,
	    TYPED({ 0x08, "00000003 00000002 00000001" }, { 0x54, "0000003c" }));

	(void)state;
	assert_value(&phy, IBC_PHY_RECOVERIES, 3);
	assert_value(&phy, IBC_PHY_DOWNS_UNINTENDED, 2);
	assert_value(&phy, IBC_PHY_DOWNS_INTENDED, 1);
	assert_value(&phy, IBC_PHY_RECOVERY_AGE_SECONDS, 60);
}

static void without_a_recovery_its_age_is_not_known(void **state)
{
	struct ibc_phy phy = phy_of(REGISTER_PPCNT, 0x1a, TYPED({ 0x54, "0000003c" }));

	(void)state;
	assert_value(&phy, IBC_PHY_RECOVERIES, 0);
	assert_false(ibc_phy_knows(&phy, IBC_PHY_RECOVERY_AGE_SECONDS));
}

static void ppcnt_0x22_has_retransmission(void **state)
{
	struct ibc_phy phy = phy_of(REGISTER_PPCNT, 0x22,
	                            TYPED({ 0x08, "0000000000000001 0000000000000002" },
	                                  { 0x18, "0000000000000003 0000000000000004" },
	                                  { 0x28, "0000000000000005 0000000000000006" },
	                                  { 0x40, "0000000000989680 0000000000000007" },
	                                  { 0x64, "0000000000000008" }));

	(void)state;
	for (unsigned int i = 0; i < 6; i++)
		assert_value(&phy, IBC_PHY_PLR_RECEIVED + i, i + 1);
	assert_value(&phy, IBC_PHY_PLR_LOSS, 10000000); /* 0.1 % */
	assert_value(&phy, IBC_PHY_PLR_EVENTS_MAX, 7);
	assert_value(&phy, IBC_PHY_PLR_XMIT_LOSS, 8);
}

static void pddr_0_has_state_and_fec(void **state)
{
	struct ibc_phy phy = phy_of(REGISTER_PDDR, 0,
	                            TYPED({ 0x0c, "03000b00" }, { 0x20, "fffff002" },
	                                  { 0x24, "000c0007" }, { 0x40, "fffffff1" }));

	(void)state;
	assert_value(&phy, IBC_PHY_MANAGER, IBC_PHY_MANAGER_ACTIVE);
	assert_value(&phy, IBC_PHY_IB_FSM, 0x0b);
	assert_value(&phy, IBC_PHY_LOOPBACK, 2);
	assert_value(&phy, IBC_PHY_LINK_HEALTH, IBC_LINK_HEALTH_ATTENTION);
	assert_int_equal(phy.fec_active, IBC_FEC_RS_544_PLR);
	assert_int_equal(phy.fec_requested, IBC_FEC_RS_544);
}

static void pddr_1_says_why_it_is_down(void **state)
{
	const uint8_t *data = TYPED({ 0x0c, "00000400" },
	                            { 0x14, "4361626c6520697320756e706c756767 656400" },
	                            { 0x28, "58" });
	struct ibc_phy phy = phy_of(REGISTER_PDDR, 1, data);
	struct register_text text = register_text_get(data, TEXT_WHY_DOWN);

	(void)state;
	assert_value(&phy, IBC_PHY_WHY_DOWN, 1024);
	assert_int_equal(text.length, 18);
	assert_memory_equal(text.bytes, "Cable is unplugged", 18);
}

static void pddr_2_has_training(void **state)
{
	struct ibc_phy phy = phy_of(REGISTER_PDDR, 2,
	                            TYPED({ 0x08, "6a000000 00030000 ff000004" }));

	(void)state;
	assert_value(&phy, IBC_PHY_REMOTE_DEVICE, 106);
	assert_value(&phy, IBC_PHY_TRAINING_ATTEMPTS, 3);
	assert_value(&phy, IBC_PHY_DISABLED_BY, 4);
}

static void pddr_6_says_who_dropped_the_link(void **state)
{
	struct ibc_phy phy = phy_of(REGISTER_PDDR, 6,
	                            TYPED({ 0x08, "00000021 001c0019 00000002 00009066" },
	                                  { 0x18, "00000011" }, { 0x20, "00330022" },
	                                  { 0x38, "ffffff05" }));

	(void)state;
	assert_value(&phy, IBC_PHY_DOWN_BLAME, IBC_PHY_BLAME_LOCAL);
	assert_value(&phy, IBC_PHY_DOWN_INTENT, IBC_PHY_UNINTENDED);
	assert_value(&phy, IBC_PHY_DOWN_REASON, 25);
	assert_value(&phy, IBC_PHY_RECOVERY_REASON, 28);
	assert_value(&phy, IBC_PHY_DOWN_REMOTE_REASON, 2);
	assert_value(&phy, IBC_PHY_DOWN_E2E_REASON, 0x66);
	assert_value(&phy, IBC_PHY_DOWN_TS1, 9);
	assert_value(&phy, IBC_PHY_SYMBOL_BER_ALARMS, 0x11);
	assert_value(&phy, IBC_PHY_RAW_BER_ALARMS, 0x22);
	assert_value(&phy, IBC_PHY_EFFECTIVE_BER_ALARMS, 0x33);
	assert_value(&phy, IBC_PHY_HIGH_SER_EVENTS, 5);
}

static void pddr_8_has_the_time_to_link_up(void **state)
{
	struct ibc_phy phy = phy_of(REGISTER_PDDR, 8, TYPED({ 0x0c, "00002710" }));

	(void)state;
	assert_value(&phy, IBC_PHY_LINK_UP_MS, 10000);
}

static void prtl_has_a_round_trip_where_it_is_measured(void **state)
{
	struct ibc_phy phy = phy_of(
	    REGISTER_PRTL, 0, TYPED({ 0x00, "80014000 00020003 00000064 00000005 00000190" }));

	(void)state;
	assert_value(&phy, IBC_PHY_ROUND_TRIP_NS, 800);
	assert_value(&phy, IBC_PHY_ROUND_TRIP_ACCURACY_NS, 3);
	assert_value(&phy, IBC_PHY_LOCAL_LATENCY_NS, 100);
	assert_value(&phy, IBC_PHY_MODULE_LATENCY_NS, 5);
	phy = phy_of(REGISTER_PRTL, 0, TYPED({ 0x04, "00020003 00000064 00000005 00000190" }));
	assert_true(phy.known == 0);
}

static void other_pages_tell_nothing(void **state)
{
	(void)state;
	assert_true(phy_of(REGISTER_PDDR, 3, TYPED({ 0, "ffffffff" })).known == 0);
	assert_true(phy_of(0x5006, 0, TYPED({ 0, "ffffffff" })).known == 0);
}

static void the_histogram_comes_in_two_registers(void **state)
{
	struct ibc_fec_histogram h = { .fec_type = 0 };

	(void)state;
	fec_blocks_get(TYPED({ 0x08, "0000000100000000" }, { 0xa8, "0000000000000015" }), &h);
	assert_int_equal(h.num_blocks, 21);
	assert_int_equal(h.num_bins, 0);
	fec_bins_get(TYPED({ 0x00, "10054000 00030000" }, { 0x10, "00000000 00020001 000f0003" }),
	             &h);
	assert_true(h.blocks[0] == 0x100000000);
	assert_true(h.blocks[20] == 0x15);
	assert_int_equal(h.fec_type, 1);
	assert_int_equal(h.num_bins, 3);
	assert_int_equal(h.low[1], 1);
	assert_int_equal(h.high[1], 2);
	assert_int_equal(h.low[2], 3);
	assert_int_equal(h.high[2], 15);
}

/* ---- modules ----------------------------------------------------------------------------------
 */

static struct ibc_module module_of(const uint8_t *data)
{
	struct ibc_module m;

	module_clear(&m);
	module_get(data, &m);
	return m;
}

static bool is_text(const uint8_t *data, enum register_text_id id, const char *expected)
{
	struct register_text t = register_text_get(data, id);

	return t.length == strlen(expected) && memcmp(t.bytes, expected, t.length) == 0;
}

/* An OSFP of two ports: CMIS, 70.5 and an alarm at 80 degrees. */
#define OSFP                                                                                       \
	{ 0x08, "00220000 20c50800" }, { 0x1c, "41636d6520202020 2020202020202020" },              \
	    { 0x2c, "41432d3430302020 2020202020202020" }, { 0x3c, "00004132" },                   \
	    { 0x40, "2e78000c" }, { 0x44, "4143323130314654 3030303031202020" },                   \
	    { 0x54, "46808020" }, { 0x58, "03e803e9 03ea03eb 03ec03ed 03ee03ef" },                 \
	    { 0x68, "044c0001 00000000 00000000 0000ffff" },                                       \
	    { 0x78, "0dac0dad 00000000 00000000 00000001" },                                       \
	    { 0x88, "5000f600 8ca07148 0fa00064 0fa000c8 196400fa" }, { 0x9c, "70000000" },        \
	    { 0xa0, "00000880" }, { 0xa4, "00001f00" }, { 0xa8, "44444447" },                      \
	    { 0xb8, "3231303133312020" }, { 0xc0, "230002c9" },                                    \
	{                                                                                          \
		0xc8, "00000001"                                                                   \
	}

static void pddr_3_has_the_identity_of_a_module(void **state)
{
	const uint8_t *data = TYPED(OSFP);
	struct ibc_module m = module_of(data);
	struct module_version v = module_version_get(data);

	(void)state;
	assert_int_equal(m.kind, IBC_MODULE_OPTICAL);
	assert_int_equal(m.form, IBC_FORM_OSFP);
	assert_int_equal(m.technology, IBC_TECHNOLOGY_VCSEL_850);
	assert_int_equal(m.breakout, 0x22);
	assert_true(m.length_m == 500); /* 0xc5: 5, times 100 */
	assert_int_equal(m.rates, IBC_SPEED_NDR);
	assert_int_equal(m.oui, 0x0002c9);
	assert_int_equal(m.state, IBC_MODULE_READY);
	assert_true(m.rx_average);
	assert_int_equal(m.config_error, 1);
	assert_int_equal(m.data_path[0], 4);
	assert_int_equal(m.data_path[7], 7);
	assert_false(m.has_latched);
	assert_true(is_text(data, TEXT_VENDOR, "Acme"));
	assert_true(is_text(data, TEXT_PART, "AC-400"));
	assert_true(is_text(data, TEXT_REVISION, "A2"));
	assert_true(is_text(data, TEXT_SERIAL, "AC2101FT00001"));
	assert_true(is_text(data, TEXT_DATE, "210131"));
	assert_int_equal(v.major, 46);
	assert_int_equal(v.minor, 120);
	assert_int_equal(v.build, 12);
}

static void pddr_3_has_what_a_module_measures(void **state)
{
	struct ibc_module m = module_of(TYPED(OSFP));
	const struct ibc_ddm_reading *d = m.ddm;

	(void)state;
	assert_int_equal(m.monitored, 0x1f);
	assert_true(d[IBC_DDM_TEMPERATURE].now[0] == 70.5);
	assert_true(isnan(d[IBC_DDM_TEMPERATURE].now[1]));
	assert_true(d[IBC_DDM_TEMPERATURE].high == 80);
	assert_true(d[IBC_DDM_TEMPERATURE].low == -10);
	assert_true(fabs(d[IBC_DDM_VOLTAGE].now[0] - 3.2800) < 1e-9);
	assert_true(fabs(d[IBC_DDM_VOLTAGE].high - 3.6000) < 1e-9);
	assert_true(fabs(d[IBC_DDM_VOLTAGE].low - 2.9000) < 1e-9);
	for (unsigned int lane = 0; lane < 8; lane++)
		assert_true(d[IBC_DDM_RX_POWER].now[lane] == 1000 + lane);
	assert_true(d[IBC_DDM_RX_POWER].high == 4000);
	assert_true(d[IBC_DDM_RX_POWER].low == 100);
	assert_true(d[IBC_DDM_TX_POWER].now[0] == 1100);
	assert_true(d[IBC_DDM_TX_POWER].now[1] == 1);
	assert_true(d[IBC_DDM_TX_POWER].now[2] == 0); /* monitored: a dark lane */
	assert_true(d[IBC_DDM_TX_POWER].now[7] == 65535);
	assert_true(d[IBC_DDM_TX_POWER].low == 200);
	/* units of 2 uA, four times */
	assert_true(d[IBC_DDM_BIAS].now[0] == 3500 * 8);
	assert_true(d[IBC_DDM_BIAS].high == 6500 * 8);
	assert_true(d[IBC_DDM_BIAS].low == 250 * 8);
}

static void temperatures_are_signed(void **state)
{
	struct ibc_module m = module_of(
	    TYPED({ 0x08, "00000000 20000000" }, { 0x54, "fcc00000" }, { 0xa4, "00000100" }));
	struct ibc_sensor s;

	(void)state;
	assert_true(m.ddm[IBC_DDM_TEMPERATURE].now[0] == -3.25);
	temperature_get(TYPED({ 0x04, "0000ffe6" }), &s);
	assert_true(s.now == -3.25);
}

/* Of passive copper nothing is measured: zeros are no temperature, and no limits. */
static void copper_measures_nothing(void **state)
{
	struct ibc_module m = module_of(TYPED({ 0x08, "a0000000 30020000" }));

	(void)state;
	assert_int_equal(m.kind, IBC_MODULE_PASSIVE_COPPER);
	assert_int_equal(m.technology, IBC_TECHNOLOGY_COPPER);
	assert_true(m.length_m == 2);
	assert_int_equal(m.monitored, 0);
	for (unsigned int i = 0; i < IBC_DDMS; i++) {
		assert_true(isnan(m.ddm[i].now[0]));
		assert_true(isnan(m.ddm[i].high));
		assert_true(isnan(m.ddm[i].low));
	}
}

static void zero_degrees_are_a_temperature_where_it_is_measured(void **state)
{
	struct ibc_module m = module_of(TYPED({ 0x08, "00000000 20000000" }, { 0xa4, "00000100" }));

	(void)state;
	assert_true(m.ddm[IBC_DDM_TEMPERATURE].now[0] == 0);
	assert_true(isnan(m.ddm[IBC_DDM_VOLTAGE].now[0]));
}

static void a_plug_of_four_lanes_has_no_fifth(void **state)
{
	struct ibc_module m = module_of(TYPED({ 0x08, "00000000 10000000" },
	                                      { 0x58, "00010002 00030004 00050006 00070008" },
	                                      { 0xa4, "00000800" }));

	(void)state;
	assert_int_equal(m.form, IBC_FORM_QSFP28);
	assert_true(m.ddm[IBC_DDM_RX_POWER].now[3] == 4);
	assert_true(isnan(m.ddm[IBC_DDM_RX_POWER].now[4]));
}

static double length_in(const char *second_dword)
{
	return module_of(TYPED({ 0x0c, second_dword })).length_m;
}

static void lengths_have_two_codings(void **state)
{
	(void)state;
	assert_true(length_in("30030000") == 3);               /* QSFP28 */
	assert_true(length_in("30ff0100") == 255);             /* QSFP+ */
	assert_true(fabs(length_in("30050600") - 0.5) < 1e-9); /* QSFP-DD: tenths */
	assert_true(length_in("30430800") == 3);               /* OSFP: units */
	assert_true(length_in("10830700") == 30);              /* QSFP, CMIS: tens */
	assert_true(isnan(length_in("20000800")));
	assert_true(isnan(length_in("20c00800")));
}

static void pddr_9_has_latched_flags(void **state)
{
	struct ibc_module m;

	(void)state;
	module_clear(&m);
	module_latches_get(
	    TYPED({ 0x08, "1a800000 01020304 11121314 21222324" }, { 0x18, "31320000 41424344" }),
	    &m);
	assert_true(m.has_latched);
	assert_int_equal(m.latched[IBC_LATCH_TEMPERATURE], 1);
	assert_int_equal(m.latched[IBC_LATCH_VOLTAGE], 0xa);
	assert_int_equal(m.latched[IBC_LATCH_FIRMWARE_FAULT], 1);
	assert_int_equal(m.latched[IBC_LATCH_DATA_PATH_FAULT], 0);
	assert_int_equal(m.latched[IBC_LATCH_TX_FAULT], 1);
	assert_int_equal(m.latched[IBC_LATCH_TX_LOS], 2);
	assert_int_equal(m.latched[IBC_LATCH_TX_LOL], 3);
	assert_int_equal(m.latched[IBC_LATCH_TX_EQUALIZER], 4);
	for (unsigned int i = 0; i < 4; i++) {
		assert_int_equal(m.latched[IBC_LATCH_TX_POWER_HIGH + i], 0x11 + i);
		assert_int_equal(m.latched[IBC_LATCH_BIAS_HIGH + i], 0x21 + i);
		assert_int_equal(m.latched[IBC_LATCH_RX_POWER_HIGH + i], 0x41 + i);
	}
	assert_int_equal(m.latched[IBC_LATCH_RX_LOS], 0x31);
	assert_int_equal(m.latched[IBC_LATCH_RX_LOL], 0x32);
}

/* ---- sensors ------------------------------------------------------------------------------------
 */

static void mtmp_has_a_temperature_and_its_limits(void **state)
{
	const uint8_t *data = TYPED({ 0x04, "000001ec 80000258 00000348 00000320" },
	                            { 0x18, "6173696300000000" });
	struct ibc_sensor s;

	(void)state;
	temperature_get(data, &s);
	assert_int_equal(s.kind, IBC_SENSOR_TEMPERATURE);
	assert_true(s.now == 61.5);
	assert_true(s.max == 75);
	assert_true(s.high == 105);
	assert_true(s.low == 100);
	assert_true(is_text(data, TEXT_SENSOR, "asic"));
	temperature_get(TYPED({ 0x04, "000001ec 00000258" }), &s);
	assert_true(isnan(s.max));
	assert_true(isnan(s.high));
	assert_true(isnan(s.low));
}

static void fans_have_a_bit_each(void **state)
{
	const uint8_t *fore = TYPED({ 0x00, "00050000 80010000" });
	uint16_t low, high;

	(void)state;
	assert_int_equal(fans_in_use_get(TYPED({ 0x04, "07ff001f" })), 0x7ff);
	fan_alarms_get(fore, &low, &high);
	assert_int_equal(low, 5);
	assert_int_equal(high, 0x8001);
	assert_int_equal(fan_speed_get(TYPED({ 0x04, "00002710" })), 10000);
}

/* ---- any bytes
 * ------------------------------------------------------------------------------------ */

static void decode_all(const uint8_t data[REGISTER_SIZE])
{
	struct ibc_fec_histogram h = { .fec_type = 0 };
	struct ibc_phy phy = { .known = 0 };
	struct ibc_module m;
	struct ibc_sensor s;
	uint16_t low, high;

	for (size_t i = 0; i < ARRAY_SIZE(queries); i++)
		phy_values_get(&queries[i].query, data, &phy);
	fec_blocks_get(data, &h);
	fec_bins_get(data, &h);
	assert_in_range(h.num_bins, 0, IBC_FEC_BINS);
	module_clear(&m);
	module_get(data, &m);
	module_latches_get(data, &m);
	assert_in_range(m.kind, 0, IBC_MODULE_UNPLUGGED);
	temperature_get(data, &s);
	fan_alarms_get(data, &low, &high);
	for (unsigned int i = 0; i < REGISTER_TEXTS; i++) {
		struct register_text t = register_text_get(data, i);

		assert_true((const uint8_t *)t.bytes >= data);
		assert_true((const uint8_t *)t.bytes + t.length <= data + REGISTER_SIZE);
	}
}

static void any_bytes_can_be_decoded(void **state)
{
	uint8_t *data = malloc(REGISTER_SIZE); /* so that a sanitizer knows its end */
	uint32_t random = 1;

	(void)state;
	for (unsigned int byte = 0; byte < 256; byte++) {
		memset(data, (int)byte, REGISTER_SIZE);
		decode_all(data);
	}
	for (unsigned int n = 0; n < 1000; n++) {
		for (unsigned int i = 0; i < REGISTER_SIZE; i++) {
			random = random * 1664525 + 1013904223;
			data[i] = (uint8_t)(random >> 24);
		}
		decode_all(data);
	}
	free(data);
}

static void ones_are_no_texts_and_zeros_are_none(void **state)
{
	uint8_t data[REGISTER_SIZE] = { 0 };

	(void)state;
	for (unsigned int i = 0; i < REGISTER_TEXTS; i++)
		assert_int_equal(register_text_get(data, i).length, 0);
	memset(data, ' ', sizeof(data));
	for (unsigned int i = 0; i < REGISTER_TEXTS; i++)
		assert_int_equal(register_text_get(data, i).length, 0);
	memset(data, 0xff, sizeof(data));
	assert_int_equal(register_text_get(data, TEXT_SERIAL).length, 16);
	assert_int_equal(module_of(data).kind, IBC_MODULE_UNKNOWN);
	assert_int_equal(module_of(data).state, IBC_MODULE_STATE_UNKNOWN);
}

/* ---- attributes of subnet management -------------------------------------------------- */

static void ext_port_info_tells_of_a_port(void **state)
{
	static const struct hex hex[] = { { 0, "10" }, { 6, "05" }, { 52, "0102 7ffe" } };
	uint8_t data[REGISTER_SIZE];
	struct ibc_phy phy = { 0 };

	(void)state;
	ext_port_values_get(typed(data, hex, ARRAY_SIZE(hex)), &phy);
	assert_int_equal(phy.value[IBC_PHY_RECOVERED], 1);
	assert_int_equal(phy.value[IBC_PHY_UNHEALTHY], 5);
	assert_int_equal(phy.value[IBC_PHY_ADAPTIVE_TIMEOUT_SL_MASK], 0x0102);
	assert_int_equal(phy.value[IBC_PHY_OOO_SL_MASK], 0x7ffe);
	assert_true(ibc_phy_knows(&phy, IBC_PHY_PORT_TYPE));
	assert_false(ibc_phy_is_special(&phy));
	assert_false(ibc_phy_knows(&phy, IBC_PHY_BITS_RECEIVED));
}

/* A type counts where the port is special; the bit of an FNM port is apart. */
static void a_special_port_has_a_type(void **state)
{
	static const struct {
		const char *fnm, *special;
		unsigned int type;
		const char *word;
	} types[] = {
		{ "00", "00", IBC_PORT_ORDINARY, "ordinary" },
		{ "00", "02", IBC_PORT_ORDINARY, "ordinary" },
		{ "00", "81", IBC_PORT_AGGREGATION, "aggregation" },
		{ "00", "f2", IBC_PORT_ROUTER, "router" },
		{ "80", "83", IBC_PORT_GATEWAY, "ethernet_gateway" },
		{ "80", "00", IBC_PORT_FNM, "fnm" },
		{ "00", "80", IBC_PORT_SPECIAL, "special" },
		{ "00", "8e", 14, "special" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		const struct hex hex[] = { { 44, types[i].fnm }, { 47, types[i].special } };
		uint8_t data[REGISTER_SIZE];
		struct ibc_phy phy = { 0 };

		ext_port_values_get(typed(data, hex, ARRAY_SIZE(hex)), &phy);
		assert_int_equal(phy.value[IBC_PHY_PORT_TYPE], types[i].type);
		assert_int_equal(ibc_phy_is_special(&phy), types[i].type != IBC_PORT_ORDINARY);
		assert_string_equal(ibc_port_type_word(types[i].type)->word, types[i].word);
	}
}

/* Quantum-2's mask as ibdiagnet shows it: bits 0, 2, 4 to 6, 8 to 10 and so on, and 61. */
static void a_mask_of_capabilities_is_four_dwords(void **state)
{
	static const struct hex hex[] = { { 0, "a02d3775 20305000 00000001 80000000" } };
	uint8_t data[REGISTER_SIZE];
	uint64_t mask[2];

	(void)state;
	capabilities_get(typed(data, hex, 1), mask);
	assert_true(mask[0] >> 9 & 1 && mask[0] >> 61 & 1 && !(mask[0] >> 32 & 1));
	assert_true(mask[1] == (UINT64_C(0x80000000) << 32 | 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ext_port_info_tells_of_a_port),
		cmocka_unit_test(a_special_port_has_a_type),
		cmocka_unit_test(a_mask_of_capabilities_is_four_dwords),
		cmocka_unit_test(a_query_is_what_the_table_says),
		cmocka_unit_test(a_query_with_any_other_bit_does_not_leave),
		cmocka_unit_test(the_v_key_is_anyones),
		cmocka_unit_test(no_index_names_more_than_was_meant),
		cmocka_unit_test(no_other_register_leaves),
		cmocka_unit_test(a_status_is_the_registers),
		cmocka_unit_test(ppcnt_0x16_has_errors_and_rates),
		cmocka_unit_test(ppcnt_0x12_has_blocks_of_fec),
		cmocka_unit_test(ppcnt_0x1a_has_recoveries),
		cmocka_unit_test(without_a_recovery_its_age_is_not_known),
		cmocka_unit_test(ppcnt_0x22_has_retransmission),
		cmocka_unit_test(pddr_0_has_state_and_fec),
		cmocka_unit_test(pddr_1_says_why_it_is_down),
		cmocka_unit_test(pddr_2_has_training),
		cmocka_unit_test(pddr_6_says_who_dropped_the_link),
		cmocka_unit_test(pddr_8_has_the_time_to_link_up),
		cmocka_unit_test(prtl_has_a_round_trip_where_it_is_measured),
		cmocka_unit_test(other_pages_tell_nothing),
		cmocka_unit_test(the_histogram_comes_in_two_registers),
		cmocka_unit_test(pddr_3_has_the_identity_of_a_module),
		cmocka_unit_test(pddr_3_has_what_a_module_measures),
		cmocka_unit_test(temperatures_are_signed),
		cmocka_unit_test(copper_measures_nothing),
		cmocka_unit_test(zero_degrees_are_a_temperature_where_it_is_measured),
		cmocka_unit_test(a_plug_of_four_lanes_has_no_fifth),
		cmocka_unit_test(lengths_have_two_codings),
		cmocka_unit_test(pddr_9_has_latched_flags),
		cmocka_unit_test(mtmp_has_a_temperature_and_its_limits),
		cmocka_unit_test(fans_have_a_bit_each),
		cmocka_unit_test(any_bytes_can_be_decoded),
		cmocka_unit_test(ones_are_no_texts_and_zeros_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
