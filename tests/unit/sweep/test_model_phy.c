/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The model's ports and modules: what is at which byte stands here once more, as numbers from
 * the registers' tables; and counters that run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mkregisters.h"

/* ---- ports ----------------------------------------------------------------------- */

/* 400 Gb/s for ten seconds; lane 2 has a bit of 1000 wrong, the others 1 of 10^9 */
static void statistics_are_at_their_bytes(void **state)
{
	struct net n = net();
	struct model_phy *p = phy(&n, SWITCH, 1);

	(void)state;
	model_phy_up(p, 400, MODEL_FEC_NONE);
	p->raw_ber[2] = 1e-3f;
	model_phy_run(p, 10);
	assert_int_equal(ask(&n, SWITCH, STATISTICS), 0);
	expect(&n, 0x08, "0000000000002710 000003a352944000");            /* ms, bits */
	assert_in_range(number(&n, 0x10 + 8, 8), 1000000000, 1000003100); /* symbol */
	assert_true(number(&n, 0x18 + 8, 8) == 0);                        /* corrected */
	assert_in_range(number(&n, 0x20 + 8, 8), 999, 1000);
	assert_in_range(number(&n, 0x30 + 8, 8), 999999000, 1000001000);
	assert_true(number(&n, 0x40 + 8, 8) == 0);          /* a fifth lane */
	expect(&n, 0x60 + 8, "00000403 00000403 00000403"); /* 3E-4 */
	expect(&n, 0x6c + 8, "00000000 00000000 00000000 00000000");
	assert_true(number(&n, 0x7c + 8, 8) == number(&n, 0x10 + 8, 8));
	p->no_lane_ber = false;
	assert_int_equal(ask(&n, SWITCH, STATISTICS), 0);
	expect(&n, 0x6c + 8, "09010901 03010901 ff0fff0f ff0fff0f");
	net_free(&n);
}

static void a_port_without_errors_says_15e_255(void **state)
{
	struct net n = net();
	struct model_phy *p = phy(&n, SWITCH, 1);

	(void)state;
	model_phy_up(p, 400, MODEL_FEC_KP4);
	model_phy_noisy(p, 0);
	model_phy_run(p, 100);
	assert_int_equal(ask(&n, SWITCH, STATISTICS), 0);
	expect(&n, 0x60 + 8, "0001ff0f 0000ff0f 0000ff0f"); /* bin 1 is the first that is empty */
	net_free(&n);
}

/* Few wrong symbols in a block; the last bins are empty. */
static void fec_counts_blocks_by_their_wrong_symbols(void **state)
{
	struct net n = net();
	struct model_phy *p = phy(&n, SWITCH, 1);
	uint64_t sum = 0, blocks = 73529411764ull; /* 4e14 bits of 5440 */

	(void)state;
	model_phy_up(p, 400, MODEL_FEC_KP4);
	model_phy_noisy(p, 1e-6f);
	p->link_downs = 0x01020304;
	p->recoveries = 0x05060708;
	p->unintended = 3;
	p->intended = 4;
	model_phy_run(p, 1000);
	assert_int_equal(ask(&n, SWITCH, HISTOGRAM), 0);
	for (unsigned int i = 0; i < 21; i++)
		sum += number(&n, 8 + 8 * i, 8);
	assert_in_range(sum, blocks - 20, blocks + 1);
	assert_in_range(number(&n, 16, 8), 397000000, 400000000); /* 5.4e-3 of them have one */
	assert_int_equal(ask(&n, SWITCH, STATISTICS), 0);
	expect(&n, 0x60 + 8, "0005"); /* of five there is none: 7e10 x 5.4e-3^5 / 5! */
	assert_int_equal(ask(&n, SWITCH, PHYSICAL), 0);
	expect(&n, 8, "00000000000f4240"); /* ms */
	assert_in_range(number(&n, 0x78 + 8, 8), 397000000, 405000000);
	assert_true(number(&n, 0x80 + 8, 8) == 0);
	assert_in_range(number(&n, 0x88 + 8, 8), blocks - 405000000, blocks - 397000000);
	assert_in_range(number(&n, 0xa0 + 8, 8) * 4, number(&n, 0x98 + 8, 8) - 4,
	                number(&n, 0x98 + 8, 8));
	expect(&n, 0xc0 + 8, "01020304 05060708");
	assert_int_equal(ask_block(&n, SWITCH, PHYSICAL, 1), 0);
	expect(&n, 0xf0 + 8 - 220, "00000003 00000004");
	net_free(&n);
}

static void raw_is_never_less_than_effective_nor_that_less_than_symbol(void **state)
{
	static const float ber[] = { 0, 1e-12f, 1e-7f, 1e-5f, 2e-4f, 1e-3f, 1e-2f };
	static const enum model_fec fec[] = { MODEL_FEC_NONE, MODEL_FEC_KR4,    MODEL_FEC_LL,
		                              MODEL_FEC_KP4,  MODEL_FEC_LL_PLR, MODEL_FEC_KP4_PLR };
	struct net n = net();

	(void)state;
	for (size_t i = 0; i < 7 * 6 * 2; i++) {
		struct model_phy *p = phy(&n, SWITCH, 1);

		model_phy_clear(p);
		model_phy_up(p, 400, fec[i % 6]);
		model_phy_noisy(p, ber[i / 6 % 7]);
		p->bursts = i < 42 ? 0 : 0.7;
		p->plr_lost = 0.1;
		for (unsigned int k = 0; k < 10; k++) {
			uint64_t raw = 0;

			model_phy_run(p, 0.37);
			assert_int_equal(ask(&n, SWITCH, STATISTICS), 0);
			for (unsigned int lane = 0; lane < 8; lane++)
				raw += number(&n, 0x20 + 8 + 8 * lane, 8);
			assert_true(raw >= number(&n, 0x7c + 8, 8));
			assert_true(number(&n, 0x7c + 8, 8) >= number(&n, 0x10 + 8, 8));
			assert_true(number(&n, 0x18 + 8, 8) == raw - number(&n, 0x7c + 8, 8));
		}
	}
	net_free(&n);
}

static void retransmission_saves_what_fec_does_not(void **state)
{
	struct net n = net();
	struct model_phy *p = phy(&n, SWITCH, 1);

	(void)state;
	model_phy_up(p, 400, MODEL_FEC_KP4_PLR);
	p->bursts = 10;
	p->plr_lost = 0.25;
	p->recovered = 7;
	p->unintended = 2;
	p->intended = 1;
	p->since_recovery_s = 99;
	model_phy_run(p, 13.6);
	assert_int_equal(ask(&n, SWITCH, PLR), 0);
	expect(&n, 8, "000000003b9aca00 0000000000000088 0000000000000022 000000003b9aca00");
	expect(&n, 0x20 + 8, "0000000000000088 0000000000000088");
	expect(&n, 0x38 + 8, "0000000000000550 0000000000000001"); /* 136 of 1e9, times 1e10 */
	expect(&n, 0x5c + 8, "0000000000000550");
	assert_int_equal(ask(&n, SWITCH, STATISTICS), 0);
	assert_true(number(&n, 0x7c + 8, 8) == 136 * 16);
	assert_true(number(&n, 0x10 + 8, 8) == 34 * 16);
	assert_int_equal(ask(&n, SWITCH, PHYSICAL), 0);
	expect(&n, 0x80 + 8, "0000000000000088");
	assert_int_equal(ask(&n, SWITCH, RECOVERY), 0);
	expect(&n, 8, "00000007 00000002 00000001");
	expect(&n, 0x4c + 8, "00000063");
	model_phy_up(p, 400, MODEL_FEC_KP4);
	assert_int_equal(ask(&n, SWITCH, PLR), 0);
	assert_true(number(&n, 8, 8) == 0);
	net_free(&n);
}

static void bins_are_those_of_the_fec(void **state)
{
	struct net n = net();
	struct model_phy *p = phy(&n, SWITCH, 1);

	(void)state;
	model_phy_up(p, 400, MODEL_FEC_KP4);
	assert_int_equal(ask(&n, SWITCH, "503e", "0001 4000"), 0);
	expect(&n, 0, "10014000 00100000 000f0000 00000000 00000000 00010001 00020002");
	expect(&n, 0x10 + 4 * 15, "000f000f 00000000");
	model_phy_up(p, 200, MODEL_FEC_LL_PLR);
	assert_int_equal(ask(&n, SWITCH, "503e", "0001 4000"), 0);
	expect(&n, 0, "20014000 00080000");
	p->num_bins = 16;
	assert_int_equal(ask(&n, SWITCH, "503e", "0001 4000"), 0);
	expect(&n, 0, "20014000 00100000");
	model_phy_up(p, 100, MODEL_FEC_NONE);
	assert_int_equal(ask(&n, SWITCH, "503e", "0001 4000"), 0);
	expect(&n, 0, "00014000 00000000");
	net_free(&n);
}

static void a_drift_grows_tenfold(void **state)
{
	struct net n = net();
	struct model_phy *p = phy(&n, SWITCH, 1);

	(void)state;
	model_phy_up(p, 400, MODEL_FEC_KP4);
	p->tenfold_s = 86400;
	model_phy_run(p, 2 * 86400);
	assert_in_range((uint64_t)(p->raw_ber[0] * 1e12f), 99000, 101000);
	/* the integral: (100 - 1) / ln 10 days at 1e-9 of 1e11 bits a second */
	assert_in_range((uint64_t)p->counts.raw[0], 3700000 * 99ull, 3760000 * 99ull);
	net_free(&n);
}

static void what_a_link_is_in_is_at_its_bytes(void **state)
{
	struct net n = net();
	struct model_phy *p = phy(&n, SWITCH, 1);

	(void)state;
	model_phy_up(p, 400, MODEL_FEC_KP4_PLR);
	p->fec_asked = MODEL_FEC_KP4;
	p->ib_fsm = 6;
	p->loopback = 2;
	p->remote_device = 8;
	p->disable_mask = 0x020304;
	model_phy_train_slowly(p, 0x0107, 90000);
	assert_int_equal(ask(&n, SWITCH, OPERATION), 0);
	expect(&n, 0x04 + 8, "03000600");
	expect(&n, 0x18 + 8, "00000002 000c0007");
	expect(&n, 0x38 + 8, "00000002");
	assert_int_equal(ask(&n, SWITCH, TRAINING), 0);
	expect(&n, 8, "08000000 01070000 00020304 00000f0f");
	assert_int_equal(ask(&n, SWITCH, LINK_UP), 0);
	expect(&n, 8, "00000000 00015f90");
	assert_int_equal(ask(&n, SWITCH, WHY_DOWN), 0);
	expect(&n, 8, "00000000 00000000 00000000 4e6f20697373756520 6f62736572766564 00");
	net_free(&n);
}

static void what_went_down_says_who_and_why(void **state)
{
	struct net n = net();
	struct model_phy *p = phy(&n, SWITCH, 1);

	(void)state;
	model_phy_up(p, 400, MODEL_FEC_KP4);
	model_phy_drop(p, 3, 1, 2, 25);
	p->down.entry = 28;
	p->down.remote = 20;
	p->down.ts1 = 8;
	p->down.raw_alarms = 0x0102;
	p->down.effective_alarms = 0x0304;
	p->down.symbol_alarms = 0x0506;
	p->down.hi_ser = 9;
	model_phy_why(p, 1030, "Hot");
	assert_int_equal(ask(&n, SWITCH, LINK_DOWN), 0);
	expect(&n, 8, "00000021 001c0019 00000014 00008019 00000506");
	expect(&n, 0x18 + 8, "03040102");
	expect(&n, 0x30 + 8, "00000009");
	assert_int_equal(ask(&n, SWITCH, PHYSICAL), 0);
	expect(&n, 0xc0 + 8, "00000003");
	assert_int_equal(ask(&n, SWITCH, WHY_DOWN), 0);
	expect(&n, 8, "00000000 00000406 00000000 486f7400");
	assert_int_equal(ask(&n, SWITCH, OPERATION), 0);
	expect(&n, 0x04 + 8, "02000000");
	net_free(&n);
}

/* ---- modules --------------------------------------------------------------------- */

static void optics_are_at_their_bytes(void **state)
{
	struct net n = net();
	struct model_phy *p = phy(&n, SWITCH, 1);

	(void)state;
	model_phy_plug(p, &model_optics_x4, "AO24-000123");
	for (unsigned int i = 0; i < PHY_LANES; i++) {
		model_phy_module(p)->rx[i] = (uint16_t)(1000 + i);
		model_phy_module(p)->tx[i] = (uint16_t)(0x2000 + i);
		model_phy_module(p)->bias[i] = (uint16_t)(0x3000 + i);
	}
	model_phy_module(p)->firmware = 0x2e010203;
	model_phy_module(p)->config_error = 3;
	assert_int_equal(ask(&n, SWITCH, MODULE), 0);
	expect(&n, 0, "00014000 20000003 04000000 20000800");
	expect(&n, 0x14 + 8, "41636d65204f70746963732020202020"); /* "Acme Optics" */
	expect(&n, 0x24 + 8, "4452342d4f5346502d3530304d202020");
	expect(&n, 0x34 + 8, "00004231 2e010203 414f32342d3030303132332020202020");
	expect(&n, 0x4c + 8, "370080e8"); /* 55 degrees, 3.3 V */
	expect(&n, 0x50 + 8, "03e803e9 03ea03eb 03ec03ed 03ee03ef");
	expect(&n, 0x60 + 8, "20002001 20022003 20042005 20062007");
	expect(&n, 0x70 + 8, "30003001 30023003 30043005 30063007");
	expect(&n, 0x80 + 8, "5000f600 875a7a76 0f8d0078 0f8d00fa 196403e8");
	expect(&n, 0x94 + 8, "70000000 000008ff 00001f00 44444444");
	expect(&n, 0xb0 + 8, "3234303330320000 0000aacc 00000000 00000003");
	assert_int_equal(ask_block(&n, SWITCH, MODULE, 1), 0);
	net_free(&n);
}

static void light_is_in_dbm_unless_asked_in_microwatts(void **state)
{
	struct net n = net();
	struct model_phy *p = phy(&n, SWITCH, 1);

	(void)state;
	model_phy_plug(p, &model_optics, "AO24-000124");
	model_phy_darken(p, 3);
	model_phy_module(p)->rx[0] = 251;
	assert_int_equal(ask(&n, SWITCH, MODULE_DBM), 0);
	expect(&n, 0x50 + 8, "fffa0000 0000ffd8"); /* -6, 0, 0, -40 dBm */
	expect(&n, 0x88 + 8, "0006fff7");
	assert_int_equal(ask(&n, SWITCH, MODULE), 0);
	expect(&n, 0x50 + 8, "00fb03e8 03e80000");
	assert_int_equal(ask(&n, SWITCH, LATCHED), 0);
	expect(&n, 8, "00000000 00000000 00000000 00000000 08000000 00080000");
	assert_true(model_optics.rx[3] > 0);
	net_free(&n);
}

static void passive_copper_measures_nothing_and_has_its_flags_set(void **state)
{
	struct net n = net();
	struct model_phy *p = phy(&n, SWITCH, 1);

	(void)state;
	model_phy_plug(p, &model_dac, "DC24-000001");
	assert_int_equal(ask(&n, SWITCH, MODULE_DBM), 0);
	expect(&n, 0x00 + 8, "0a000000 300f0800");
	for (unsigned int i = 0x4c; i < 0x94; i += 4)
		expect(&n, i + 8, "00000000");
	expect(&n, 0x9c + 8, "00000000");
	assert_int_equal(ask(&n, SWITCH, LATCHED), 0);
	expect(&n, 8, "00000000 00030600 00000000 32230000 03060000 00000000");
	net_free(&n);
}

static void modules_may_be_anything(void **state)
{
	static const struct {
		const struct model_module *module;
		const char *serial, *head, *number, *heat;
	} shown[] = {
		{ &model_aoc, "A", "00000000 10140000", "41202020", "3700" },
		{ &model_aoc_cmis, "\xc3\x28\x01", "00000000 105e0800", "c3280120", "3700" },
		{ &model_no_sensor, "", "00000000 20000100", "20202020", "0000" },
		{ &model_zeros, "", "00000000 00000000", "00000000", "0000" },
		{ &model_ones, "\xff\xff\xff\xff", "ffff0000 f0ffff00", "ffffffff", "ffff" },
	};
	struct net n = net();

	(void)state;
	of(&n, SWITCH);
	assert_int_equal(ask(&n, SWITCH, MODULE), 0);
	expect(&n, 8, "00000000 40000000 00000000");
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		model_phy_plug(phy(&n, SWITCH, 1), shown[i].module, shown[i].serial);
		assert_int_equal(ask(&n, SWITCH, MODULE), 0);
		expect(&n, 8, shown[i].head);
		expect(&n, 0x3c + 8, shown[i].number);
		expect(&n, 0x4c + 8, shown[i].heat);
	}
	net_free(&n);
}

static void two_ports_of_a_cage_have_one_module(void **state)
{
	struct net n = net();
	struct model_phy *p = phy(&n, SWITCH, 1);

	(void)state;
	model_phy_plug(p, &model_optics, "AO24-000125");
	model_phy_twins(p, phy(&n, SWITCH, 2));
	model_phy_heat(phy(&n, SWITCH, 2), 81.5);
	assert_int_equal(ask(&n, SWITCH, MODULE), 0);
	expect(&n, 0x3c + 8, "414f32342d303030313235");
	expect(&n, 0x4c + 8, "5180");
	assert_int_equal(ask(&n, SWITCH, "5031", "0002 4000 20000003"), 0);
	expect(&n, 0x3c + 8, "414f32342d303030313235");
	expect(&n, 0x4c + 8, "5180");
	assert_int_equal(ask(&n, SWITCH, LATCHED), 0);
	expect(&n, 8, "10000000");
	model_phy_heat(p, -3);
	assert_int_equal(ask(&n, SWITCH, "5031", "0002 4000 20000003"), 0);
	expect(&n, 0x4c + 8, "fd00");
	net_free(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statistics_are_at_their_bytes),
		cmocka_unit_test(a_port_without_errors_says_15e_255),
		cmocka_unit_test(fec_counts_blocks_by_their_wrong_symbols),
		cmocka_unit_test(raw_is_never_less_than_effective_nor_that_less_than_symbol),
		cmocka_unit_test(retransmission_saves_what_fec_does_not),
		cmocka_unit_test(bins_are_those_of_the_fec),
		cmocka_unit_test(a_drift_grows_tenfold),
		cmocka_unit_test(what_a_link_is_in_is_at_its_bytes),
		cmocka_unit_test(what_went_down_says_who_and_why),
		cmocka_unit_test(optics_are_at_their_bytes),
		cmocka_unit_test(light_is_in_dbm_unless_asked_in_microwatts),
		cmocka_unit_test(passive_copper_measures_nothing_and_has_its_flags_set),
		cmocka_unit_test(modules_may_be_anything),
		cmocka_unit_test(two_ports_of_a_cage_have_one_module),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
