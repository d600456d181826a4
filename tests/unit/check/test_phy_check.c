/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of links below the counters: bits, error correction, and why a link is down. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ibcheck/counters.h>

#include "mkphy.h"
#include "report/report.h"

#define LINK1 "leaf01/1 - host01 mlx5_0/1: "

static void links_that_are_well_are_not_mentioned(void **state)
{
	struct pair s = mk_optics(9);

	(void)state;
	expect_optics(s, "");
	expect_once(mk_optics(9), "");
}

/* ---- errors after correction -------------------------------------------------------- */

/* 1.44e15 bits in the hour: 14 errors are a rate of 1e-14 */
static void errors_after_fec_are_a_rate_of_this_interval(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	add(s, 1, 1, IBC_PHY_SYMBOL_ERRORS, 37);
	expect_optics(s, "critical " LINK1 "2.6e-14 errors per bit are left after FEC at leaf01/1 "
	                 "(37 in 1 h)\n");
	s = mk_optics(1);
	add(s, 1, 1, IBC_PHY_SYMBOL_ERRORS, 14);
	expect_optics(s, "");
}

static void up_to_edr_the_errors_after_fec_count(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	port(s.now, 1, 1)->speed_active = port(s.now, host(1), 1)->speed_active = IBC_SPEED_EDR;
	module_of(s, 1, 1)->rates = module_of(s, host(1), 1)->rates = IBC_SPEED_EDR;
	add(s, 1, 1, IBC_PHY_SYMBOL_ERRORS, 37);
	add(s, host(1), 1, IBC_PHY_EFFECTIVE_ERRORS, 144);
	expect_optics(s, "critical " LINK1 "1e-13 errors per bit are left after FEC at "
	                 "host01 mlx5_0/1 (144 in 1 h)\n");
}

/* In 125 minutes a tenth of the rate is told. */
static void a_long_interval_tells_a_lower_rate(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	s.now.subnet->time += 2 * HOUR;
	put_run(phy_of(s.now, 1, 1), DAYS_10_S + 3 * HOUR);
	put_run(phy_of(s.now, host(1), 1), DAYS_10_S + 3 * HOUR);
	add(s, 1, 1, IBC_PHY_SYMBOL_ERRORS, 8);
	expect_optics(s, "critical " LINK1 "1.9e-15 errors per bit are left after FEC at leaf01/1 "
	                 "(8 in 3 h)\n");
}

/* Trap: few errors in a short time are no rate. */
static struct pair short_pair(uint64_t errors)
{
	struct pair s = mk_optics(1);

	s.now.subnet->time -= HOUR - 60;
	put_run(phy_of(s.now, 1, 1), DAYS_10_S + 60);
	put_run(phy_of(s.now, host(1), 1), DAYS_10_S + 60);
	add(s, 1, 1, IBC_PHY_SYMBOL_ERRORS, errors);
	return s;
}

static void a_minute_proves_nothing_but_many_errors(void **state)
{
	(void)state;
	expect_optics(short_pair(9), "");
	expect_optics(short_pair(10), "critical " LINK1 "4.2e-13 errors per bit are left after FEC "
	                              "at leaf01/1 (10 in 60 s)\n");
}

static void a_short_interval_leaves_what_is_known_since_the_last_clear(void **state)
{
	struct pair s = short_pair(0);

	(void)state;
	put(phy_of(s.before, 1, 1), IBC_PHY_SYMBOL_ERRORS, 34600);
	add(s, 1, 1, IBC_PHY_SYMBOL_ERRORS, 34600);
	expect_optics(s, "warning " LINK1 "1e-13 errors per bit were left after FEC at leaf01/1 in "
	                 "10 days since the last clear\n");
	expect_pair(short_pair(0), "phy.partial",
	            "info fabric: a link without an error in 60 s shows only that its BER is below "
	            "1e-13\n");
}

static void the_rate_that_counts_can_be_set(void **state)
{
	struct ibc_config *config;
	struct pair s = mk_optics(1);

	(void)state;
	add(s, 1, 1, IBC_PHY_SYMBOL_ERRORS, 37);
	assert_int_equal(ibc_config_new(&config, NULL), 0);
	assert_int_equal(ibc_config_set(config, "phy.ber-after-fec", "critical", "off", NULL), 0);
	expect_of(report_of_pair(s, OPTICS, config), "");
	ibc_config_free(config);
}

/* Trap: a week of peace hides an hour of errors: the age is always told. */
static void one_reading_tells_errors_since_the_last_clear(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	be(s, 1, 1, IBC_PHY_SYMBOL_ERRORS, 34600);
	expect_once(s, "warning " LINK1 "1e-13 errors per bit were left after FEC at leaf01/1 in "
	               "10 days since the last clear\n");
	s = mk_optics(1);
	be(s, 1, 1, IBC_PHY_SYMBOL_ERRORS, 3460000);
	expect_once(s, "critical " LINK1 "1e-11 errors per bit were left after FEC at leaf01/1 in "
	               "10 days since the last clear\n");
}

static void counters_of_less_than_a_minute_are_too_young(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	put_run(phy_of(s.now, 1, 1), 59);
	be(s, 1, 1, IBC_PHY_SYMBOL_ERRORS, 3);
	expect_once(s, "");
}

/* Trap: 15E-255 is no rate. */
static void no_error_seen_is_no_rate(void **state)
{
	struct pair s = mk_optics(1);
	struct ibc_phy *phy = phy_of(s.now, 1, 1);

	(void)state;
	phy->known = UINT64_C(1) << IBC_PHY_CLEAR_AGE_MS;
	for (unsigned int i = 0; i < IBC_BERS; i++)
		phy->ber[i] = (struct ibc_ber){ 15, 255 };
	phy->known_bers = 7;
	expect_once(s, "");
}

static void a_file_that_has_only_rates_is_judged_by_them(void **state)
{
	struct pair s = mk_optics(1);
	struct ibc_phy *phy = phy_of(s.now, 1, 1);

	(void)state;
	phy->known = 0;
	phy->ber[IBC_BER_SYMBOL] = (struct ibc_ber){ 3, 13 };
	phy->known_bers = 1 << IBC_BER_SYMBOL;
	expect_once(s,
	            "warning " LINK1 "3e-13 errors per bit were left after FEC at leaf01/1 since "
	            "the last clear\n");
}

/* Somebody cleared them: what is there now came after that. */
static void counters_that_ran_backwards_are_a_clear(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	put_run(phy_of(s.now, 1, 1), 1800);
	be(s, 1, 1, IBC_PHY_SYMBOL_ERRORS, 72);
	be(s, 1, 1, IBC_PHY_FEC_UNCORRECTABLE_BLOCKS, 2);
	expect_optics(s, "critical " LINK1 "1e-13 errors per bit are left after FEC at leaf01/1 "
	                 "(at least 72 in 30 min since the last clear)\n"
	                 "critical " LINK1 "at least 2 code words could not be corrected at "
	                 "leaf01/1 in 30 min since the last clear\n");
}

static void code_words_that_are_lost_are_critical_without_plr(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	add(s, 1, 1, IBC_PHY_FEC_UNCORRECTABLE_BLOCKS, 2);
	expect_optics(s,
	              "critical " LINK1 "2 code words could not be corrected at leaf01/1 in 1 h\n");
	s = mk_optics(1);
	phy_of(s.now, 1, 1)->fec_active = phy_of(s.now, host(1), 1)->fec_active =
	    IBC_FEC_RS_544_PLR;
	add(s, 1, 1, IBC_PHY_FEC_UNCORRECTABLE_BLOCKS, 2);
	expect_optics(s, "warning " LINK1 "2 code words could not be corrected at leaf01/1 in 1 h, "
	                 "and were requested again (PLR)\n");
}

static void training_may_lose_code_words(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	add(s, 1, 1, IBC_PHY_FEC_UNCORRECTABLE_BLOCKS, 2);
	add(s, 1, 1, IBC_PHY_LINK_DOWNS, 1);
	be(s, 1, 1, IBC_PHY_DOWN_INTENT, IBC_PHY_INTENDED);
	expect_optics(s,
	              "warning " LINK1 "2 code words could not be corrected at leaf01/1 in 1 h\n");
}

/* ---- the margin ------------------------------------------------------------------------- */

static struct ibc_fec_histogram *histogram(struct mkfab m, uint64_t guid, unsigned int num)
{
	struct ibc_fec_histogram *h = arena_alloc(fabric_build_arena(m.b), sizeof(*h));

	assert_non_null(h);
	h->fec_type = 1;
	h->num_bins = h->num_blocks = 16;
	for (uint8_t i = 0; i < 16; i++)
		h->low[i] = h->high[i] = i;
	h->blocks[0] = 1000000;
	h->blocks[5] = 7;
	phy_of(m, guid, num)->histogram = h;
	return h;
}

static void a_filled_bin_near_the_end_is_a_margin_that_is_gone(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	histogram(s.before, 1, 1)->blocks[13] = 4;
	histogram(s.now, 1, 1)->blocks[13] = 6;
	expect_optics(
	    s, "warning " LINK1
	       "FEC corrected 13 of at most 15 symbols in 2 code words at leaf01/1 in 1 h\n");
}

static void a_bin_that_was_filled_before_says_nothing_of_now(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	histogram(s.before, 1, 1)->blocks[14] = 4;
	histogram(s.now, 1, 1)->blocks[14] = 4;
	expect_optics(s, "");
	s = mk_optics(1);
	histogram(s.now, 1, 1)->blocks[14] = 4;
	expect_once(s, "info " LINK1 "FEC corrected 14 of at most 15 symbols in 4 code words at "
	               "leaf01/1 in 10 days since the last clear\n");
}

/* Bad input: 21 bins where the code has 8, and ranges of nonsense. */
static void a_histogram_of_any_length_is_read(void **state)
{
	struct pair s = mk_optics(1);
	struct ibc_fec_histogram *h = histogram(s.now, 1, 1);

	(void)state;
	h->num_bins = 0;
	expect_once(s, "");
	s = mk_optics(1);
	h = histogram(s.now, 1, 1);
	h->num_blocks = IBC_FEC_BINS;
	h->blocks[20] = 1;
	expect_once(s, "");
	s = mk_optics(1);
	h = histogram(s.now, 1, 1);
	phy_of(s.now, 1, 1)->fec_active = phy_of(s.now, host(1), 1)->fec_active = IBC_FEC_UNKNOWN;
	h->fec_type = 9;
	h->blocks[15] = 1;
	expect_once(s, "");
}

static void retransmission_costs_bandwidth(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	add(s, 1, 1, IBC_PHY_PLR_REJECTED, 5294117647);
	expect_optics(s, "critical " LINK1
	                 "2 % of what arrives at leaf01/1 has to be sent again in 1 h\n");
	s = mk_optics(1);
	phy_of(s.now, 1, 1)->known &= ~(UINT64_C(1) << IBC_PHY_PLR_RECEIVED);
	be(s, 1, 1, IBC_PHY_PLR_LOSS, 20000000);
	expect_once(s, "warning " LINK1 "0.2 % of what arrives at leaf01/1 has to be sent again in "
	               "10 days since the last clear\n");
}

static void correction_never_adds_errors(void **state)
{
	struct pair s = mk_optics(1);
	struct ibc_phy *phy = phy_of(s.now, 1, 1);

	(void)state;
	phy->ber[IBC_BER_RAW] = (struct ibc_ber){ 1, 9 };
	phy->ber[IBC_BER_EFFECTIVE] = (struct ibc_ber){ 2, 9 };
	phy->ber[IBC_BER_SYMBOL] = (struct ibc_ber){ 15, 255 };
	phy->known_bers = 7;
	expect_optics(s, "");
	s = mk_optics(1);
	phy = phy_of(s.now, 1, 1);
	phy->ber[IBC_BER_EFFECTIVE] = (struct ibc_ber){ 3, 9 };
	phy->ber[IBC_BER_RAW] = (struct ibc_ber){ 1, 9 };
	phy->known_bers = 3;
	expect_optics(s,
	              "info " LINK1 "leaf01/1 reports a raw BER of 1e-09, and an effective BER of "
	              "3e-09\n");
}

/* ---- before correction ------------------------------------------------------------------------
 */

static void errors_on_all_lanes(struct pair s, uint64_t guid, unsigned int num, uint64_t each)
{
	for (unsigned int lane = 0; lane < 4; lane++)
		be(s, guid, num, IBC_PHY_RAW_ERRORS_LANE0 + lane,
		   phy_of(s.before, guid, num)->value[IBC_PHY_RAW_ERRORS_LANE0 + lane] + each);
}

/* Trap: raw errors are normal under FEC; a tenth of what it corrects is too near. */
static void raw_errors_are_judged_by_what_fec_corrects(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	for (unsigned int lane = 0; lane < 4; lane++) /* it was so before */
		put(phy_of(s.before, 1, 1), IBC_PHY_RAW_ERRORS_LANE0 + lane, 1500000000000);
	errors_on_all_lanes(s, 1, 1, 10800000000);
	expect_optics(s, "warning " LINK1
	                 "raw BER 3e-05 at leaf01/1 in 1 h, RS(544,514) corrects up to 0.00021\n");
}

static void a_raw_ber_that_rises_tenfold_is_a_warning(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	errors_on_all_lanes(s, 1, 1, 4000000);
	expect_optics(s, "warning " LINK1
	                 "raw BER rose to 1.1e-08 at leaf01/1 in 1 h, it was 1e-09\n");
}

static void one_of_its_class_with_a_hundred_times_the_raw_errors_is_a_note(void **state)
{
	struct pair s = mk_optics(9);

	(void)state;
	for (unsigned int lane = 0; lane < 4; lane++)
		be(s, 1, 1, IBC_PHY_RAW_ERRORS_LANE0 + lane, 12000000000);
	expect_once(s, "info " LINK1 "raw BER 1.4e-07 at leaf01/1, the median of 18 such links is "
	               "1e-09\n");
	s = mk_optics(3); /* of six nobody knows what is usual */
	for (unsigned int lane = 0; lane < 4; lane++)
		be(s, 1, 1, IBC_PHY_RAW_ERRORS_LANE0 + lane, 12000000000);
	expect_once(s, "");
}

/* Trap: what has hardly run has a high bound, and nothing wrong. */
static void a_young_link_without_errors_is_no_outlier(void **state)
{
	struct pair s = mk_optics(9);

	(void)state;
	put_run(phy_of(s.now, 1, 1), 0.000001);
	for (unsigned int lane = 0; lane < 4; lane++)
		be(s, 1, 1, IBC_PHY_RAW_ERRORS_LANE0 + lane, 0);
	be(s, 1, 1, IBC_PHY_PLR_RECEIVED, 100);
	be(s, 1, 1, IBC_PHY_PLR_REJECTED, 9);
	expect_once(s, "");
}

static void a_dirty_lane_is_named(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	put(phy_of(s.before, host(1), 1), IBC_PHY_RAW_ERRORS_LANE0 + 2, 86400000 * 100ull);
	be(s, host(1), 1, IBC_PHY_RAW_ERRORS_LANE0 + 2, 86400000 * 100ull + 36000000);
	expect_optics(s,
	              "warning " LINK1 "lane 2 of host01 mlx5_0/1 had 36000000 raw errors in 1 h, "
	              "the other lanes about 360000\n");
}

/* ---- links that went down -------------------------------------------------------------------- */

static void drop(struct pair s, uint64_t guid, unsigned int num, uint64_t downs,
                 enum ibc_phy_blame blame, uint64_t reason)
{
	add(s, guid, num, IBC_PHY_LINK_DOWNS, downs);
	be(s, guid, num, IBC_PHY_DOWN_BLAME, blame);
	be(s, guid, num, IBC_PHY_DOWN_INTENT, IBC_PHY_UNINTENDED);
	be(s, guid, num,
	   blame == IBC_PHY_BLAME_REMOTE ? IBC_PHY_DOWN_REMOTE_REASON : IBC_PHY_DOWN_REASON,
	   reason);
}

static void a_link_that_was_given_up_names_who_and_why(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	phy_of(s.now, host(1), 1)->known &= ~(UINT64_C(1) << IBC_PHY_LINK_DOWNS);
	drop(s, 1, 1, 2, IBC_PHY_BLAME_LOCAL, 2);
	expect_optics(s, "warning " LINK1 "went down 2 times in 1 h, the receiver of "
	                 "leaf01/1 gave it up: too many bit errors\n");
}

static void a_module_that_shut_down_is_critical(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	phy_of(s.now, host(1), 1)->known &= ~(UINT64_C(1) << IBC_PHY_LINK_DOWNS);
	drop(s, 1, 1, 1, IBC_PHY_BLAME_UNKNOWN, 25);
	expect_optics(s, "critical " LINK1
	                 "went down 1 time in 1 h, leaf01/1 reports: the module shut "
	                 "down, it was too hot\n");
}

/* Both ends agree: the receiver's own word is enough; alone the other end is believed. */
static void who_gave_up_is_told_once(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	drop(s, 1, 1, 0, IBC_PHY_BLAME_REMOTE, 2);
	drop(s, host(1), 1, 2, IBC_PHY_BLAME_LOCAL, 2);
	add(s, 1, 1, IBC_PHY_LINK_DOWNS, 2);
	expect_optics(s, "critical " LINK1 "went down 2 times in 1 h: 2 at leaf01/1, 2 at "
	                 "host01 mlx5_0/1\n"
	                 "warning " LINK1 "went down 2 times in 1 h, the receiver of "
	                 "host01 mlx5_0/1 gave it up: too many bit errors\n");
	s = mk_optics(1);
	port_extra(port(s.now, host(1), 1))->phy = NULL;
	drop(s, 1, 1, 2, IBC_PHY_BLAME_REMOTE, 2);
	expect_optics(s, "warning " LINK1 "went down 2 times in 1 h, the receiver of "
	                 "host01 mlx5_0/1 gave it up: too many bit errors\n");
}

/* Trap: the reason has no time. */
static void a_reason_without_a_down_is_history(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	drop(s, 1, 1, 0, IBC_PHY_BLAME_LOCAL, 2);
	expect_optics(s, "");
	s = mk_optics(1);
	drop(s, 1, 1, 2, IBC_PHY_BLAME_LOCAL, 2); /* some time in ten days */
	expect_once(s, "");
	s = mk_optics(1);
	put_run(phy_of(s.now, 1, 1), 3600);
	drop(s, 1, 1, 2, IBC_PHY_BLAME_LOCAL, 2);
	expect_once(s,
	            "warning " LINK1 "went down 2 times in 1 h since the last clear, the receiver "
	            "of leaf01/1 gave it up: too many bit errors\n");
}

static void downs_at_both_ends_are_a_flap(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	add(s, 1, 1, IBC_PHY_LINK_DOWNS, 2);
	add(s, host(1), 1, IBC_PHY_LINK_DOWNS, 1);
	expect_optics(s, "critical " LINK1 "went down 2 times in 1 h: 2 at leaf01/1, 1 at "
	                 "host01 mlx5_0/1\n");
}

static void downs_at_one_end_are_a_flap_if_the_other_did_not_restart(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	add(s, 1, 1, IBC_PHY_LINK_DOWNS, 1);
	expect_optics(s, "critical " LINK1 "went down 1 time in 1 h: 1 at leaf01/1, 0 at "
	                 "host01 mlx5_0/1\n");
}

/* Trap: a host that restarts is no flap. */
static void a_restart_is_no_flap(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	put_run(phy_of(s.now, host(1), 1), 600);
	add(s, 1, 1, IBC_PHY_LINK_DOWNS, 1);
	expect_optics(s, "");
	s = mk_optics(1);
	add(s, 1, 1, IBC_PHY_LINK_DOWNS, 1);
	be(s, 1, 1, IBC_PHY_DOWN_INTENT, IBC_PHY_INTENDED);
	expect_optics(s, "");
	s = mk_optics(1);
	add(s, 1, 1, IBC_PHY_LINK_DOWNS, 1);
	be(s, 1, 1, IBC_PHY_DOWN_REASON, 37);
	expect_optics(s, "");
	s = mk_optics(1); /* without power a host is a bad signal */
	put_run(phy_of(s.now, host(1), 1), 600);
	drop(s, 1, 1, 1, IBC_PHY_BLAME_LOCAL, 3);
	expect_optics(s, "");
	s = mk_optics(1); /* nobody knows of the other end */
	port_extra(port(s.now, host(1), 1))->phy = NULL;
	add(s, 1, 1, IBC_PHY_LINK_DOWNS, 1);
	expect_optics(s, "");
}

/* ---- links that stay down -----------------------------------------------------------------------
 */

static struct ibc_port *pull(struct mkfab m, uint64_t code, const char *words)
{
	struct ibc_port *p = port(m, 1, 2); /* a free one behind one host */

	mk_phy(m, p, 100);
	((struct ibc_phy *)p->extra->phy)->known = 0;
	put((struct ibc_phy *)p->extra->phy, IBC_PHY_WHY_DOWN, code);
	((struct ibc_phy *)p->extra->phy)->why_down = words;
	return p;
}

static void a_port_that_cannot_work_says_why(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	pull(s.now, 15, "Bad signal integrity");
	expect_once(s, "warning leaf01/2: is down: bad signal (\"Bad signal integrity\")\n");
}

/* Trap: most ports of a fabric are free. */
static void a_free_port_is_not_mentioned(void **state)
{
	static const uint64_t codes[] = { 0, 57, 60, 1024, 1, 128, 1023, 4711 };

	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		struct pair s = mk_optics(1);

		pull(s.now, codes[i], NULL);
		expect_once(s, "");
	}
}

static void a_port_that_led_somewhere_is_expected_up(void **state)
{
	struct pair s = { mk_reading(2, DAYS_10_S), mk_reading(1, DAYS_10_S + HOUR) };

	(void)state;
	s.before.subnet->time = 1000000;
	s.now.subnet->time = s.before.subnet->time + HOUR;
	pull(s.now, 1024, NULL);
	expect_optics(s, "warning leaf01/2: is down: nothing is plugged in\n");
}

/* ---- how it is set up
 * ------------------------------------------------------------------------------ */

static void a_device_may_call_its_link_unhealthy(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	be(s, 1, 1, IBC_PHY_LINK_HEALTH, IBC_LINK_HEALTH_ATTENTION);
	be(s, host(1), 1, IBC_PHY_WHY_DOWN, 34);
	expect_optics(s, "warning " LINK1 "leaf01/1 reports: the link needs attention; "
	                 "host01 mlx5_0/1 reports: the speed was lowered\n");
}

/* Whether or not the link is up; only where bits are to blame it is the plugs. */
static void an_unhealthy_port_says_why(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	be(s, 1, 1, IBC_PHY_UNHEALTHY, 4);
	be(s, host(1), 1, IBC_PHY_UNHEALTHY, 1);
	expect_optics(s,
	              "warning " LINK1 "leaf01/1 counts as unhealthy: too many raw bit errors\n");
	s = mk_optics(1);
	be(s, 1, 1, IBC_PHY_UNHEALTHY, 8);
	expect_optics(s, "warning " LINK1 "leaf01/1 counts as unhealthy: contain and drain\n");
}

static void a_loopback_is_told(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	be(s, 1, 1, IBC_PHY_LOOPBACK, 2);
	expect_optics(s, "warning " LINK1 "leaf01/1 has a loopback inside the device\n");
}

static void two_ends_with_different_fec_are_critical(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	phy_of(s.now, 1, 1)->fec_active = IBC_FEC_RS_271;
	expect_optics(s, "critical " LINK1
	                 "leaf01/1 uses RS(271,257), host01 mlx5_0/1 uses RS(544,514)\n");
}

static void an_unusual_fec_is_a_note(void **state)
{
	struct pair s = mk_optics(9);

	(void)state;
	phy_of(s.now, 1, 1)->fec_active = phy_of(s.now, host(1), 1)->fec_active =
	    IBC_FEC_RS_544_PLR;
	expect_optics(s,
	              "info " LINK1 "uses RS(544,514) + PLR; 8 of 9 such links use RS(544,514)\n");
}

static void slow_training_stands_out_of_its_class(void **state)
{
	struct pair s = mk_optics(9);

	(void)state;
	be(s, 1, 1, IBC_PHY_LINK_UP_MS, 25000);
	be(s, host(2), 1, IBC_PHY_TRAINING_ATTEMPTS, 7);
	expect_optics(s,
	              "info " LINK1 "took 25000 ms to come up at leaf01/1, the median of 18 such "
	              "links is 1500\n"
	              "info leaf01/2 - host02 mlx5_0/1: needed 7 attempts to train at "
	              "host02 mlx5_0/1, the median of 18 such links is 1\n");
}

/* Trap: what a whole class does is a rule. */
static void what_all_of_a_class_do_is_no_finding(void **state)
{
	struct pair s = mk_optics(9);

	(void)state;
	for (unsigned int i = 1; i <= 9; i++) {
		be(s, 1, i, IBC_PHY_LINK_UP_MS, 25000);
		be(s, host(i), 1, IBC_PHY_LINK_UP_MS, 25000);
	}
	expect_optics(s, "");
}

/* ---- what was not read
 * ------------------------------------------------------------------------------- */

static void what_was_not_read_is_named(void **state)
{
	struct pair s = mk_optics(2);
	struct ibc_report *rep;

	(void)state;
	answers_put(port(s.now, 1, 1), IBC_ATTR_PHY_PLR, ANSWER_NONE);
	answers_put(port(s.now, 1, 2), IBC_ATTR_PHY_PLR, ANSWER_UNSUPPORTED);
	answers_put(port(s.now, host(1), 1), IBC_ATTR_PHY_PLR, ANSWER_OK);
	answers_put(port(s.now, 1, 2), IBC_ATTR_PHY_ERRORS, ANSWER_REFUSED);
	mk_ca(s.now, 0x900, "old01 mlx5_0", 1);
	fabric_build_find(s.now.b, s.now.subnet, host(2))->phy_discarded = true;
	answers_put(port(s.now, host(2), 1), IBC_ATTR_PHY_ERRORS, ANSWER_REFUSED);
	rep = report_of_pair(s, "phy", NULL);
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	expect_of(
	    rep,
	    "unknown fabric: 1 device: answers were for other ports than were asked for, and "
	    "were discarded\n"
	    "info fabric: 1 device: nothing of the physical layer was read\n"
	    "unknown fabric: PPCNT.0x16 (bit errors) was refused in 1 of 3 queries, at 1 device\n"
	    "unknown fabric: PPCNT.0x22 (retransmission) got no answer in 1 of 3 queries, at 1 "
	    "device\n"
	    "info fabric: PPCNT.0x22 (retransmission) is not supported in 1 of 3 queries, at 1 "
	    "device\n");
}

/* One fault, however many registers were asked for: a key, or a firmware that hangs. */
static void a_device_that_answers_nothing_is_one_gap(void **state)
{
	struct pair s = mk_optics(2);
	struct ibc_node *node = fabric_build_find(s.now.b, s.now.subnet, host(2));
	struct ibc_report *rep;

	(void)state;
	node->has_gmp_capabilities = true;
	node->gmp_capabilities[0] = UINT64_C(1) << IBC_GMP_ACCESS_REGISTER;
	answers_drop(&port(s.now, host(2), 1)->answers,
	             attr_port_bits[IBC_ATTR_PHY_ERRORS] | attr_port_bits[IBC_ATTR_PHY_MODULE]);
	answers_put(node, IBC_ATTR_PHY_TEMPERATURE, ANSWER_NONE);
	answers_put(port(s.now, host(2), 1), IBC_ATTR_PHY_ERRORS, ANSWER_NONE);
	answers_put(port(s.now, host(2), 1), IBC_ATTR_PHY_PLR, ANSWER_REFUSED);
	rep = report_of_pair(s, "phy", NULL);
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	expect_of(rep, "unknown fabric: 1 device: access to registers is offered, and none of them "
	               "was answered\n");
}

static void a_rate_without_an_error_is_a_bound(void **state)
{
	struct pair s = mk_optics(1);
	const struct ibc_port *p = port(s.now, 1, 1);
	struct ibc_phy_delta d;
	struct ibc_phy_ber ber;

	(void)state;
	assert_false(ibc_phy_delta_of(NULL, p, &d));
	ber = ibc_phy_ber_of(p, &d, IBC_BER_RAW);
	assert_false(ber.is_bound);
	assert_true(ber.rate > 0 && ber.rate < 1e-6);
	ber = ibc_phy_ber_of(p, &d, IBC_BER_SYMBOL);
	assert_true(ber.is_bound);
	assert_true(ber.rate == 3 / (double)d.value[IBC_PHY_BITS_RECEIVED]);
	d.known = 0;
	assert_true(isnan(ibc_phy_ber_of(p, &d, IBC_BER_EFFECTIVE).rate));
	ibc_fabric_free(done(s.before));
	ibc_fabric_free(done(s.now));
}

/* All lanes carry the same share of the bits: the mean of their rates is that of the link. */
static void the_rate_of_a_lane_is_by_its_share_of_the_bits(void **state)
{
	struct pair s = mk_optics(1);
	const struct ibc_port *p = port(s.now, 1, 1);
	unsigned int lanes = ibc_width_lanes(p->width_active);
	struct ibc_phy_delta d;
	double sum = 0;

	(void)state;
	ibc_phy_delta_of(NULL, p, &d);
	for (unsigned int i = 0; i < lanes; i++)
		sum += ibc_phy_lane_ber_of(p, &d, i).rate;
	assert_true(fabs(sum / lanes / ibc_phy_ber_of(p, &d, IBC_BER_RAW).rate - 1) < 1e-9);
	assert_true(isnan(ibc_phy_lane_ber_of(p, &d, lanes).rate));
	d.value[IBC_PHY_RAW_ERRORS_LANE1] = 0;
	assert_true(ibc_phy_lane_ber_of(p, &d, 1).is_bound);
	ibc_fabric_free(done(s.before));
	ibc_fabric_free(done(s.now));
}

/* A fabric whose devices were asked in vain. */
static struct mkfab mk_unread(enum answer outcome)
{
	struct mkfab m = mk_leaf(2);

	ibc_attrs_add(&m.subnet->provides, IBC_ATTR_PHY_ERRORS);
	answers_put(port(m, 1, 1), IBC_ATTR_PHY_ERRORS, outcome);
	answers_put(port(m, 1, 2), IBC_ATTR_PHY_ERRORS, ANSWER_UNSUPPORTED);
	return m;
}

static void where_nothing_was_read_one_sentence_says_so(void **state)
{
	struct ibc_report *rep = report_of(mk_unread(ANSWER_UNSUPPORTED), "phy.partial", NULL);

	(void)state;
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	expect_of(rep, "unknown fabric: nothing of the physical layer was read: no device offers "
	               "access to its registers\n");
	rep = report_of(mk_unread(ANSWER_NONE), "phy.partial", NULL);
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	expect_of(rep,
	          "unknown fabric: nothing of the physical layer was read: no device answered\n");
}

static void one_reading_is_named_as_such(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	ibc_fabric_free(done(s.before));
	expect(s.now, "phy",
	       "info fabric: there is one reading: errors are those since the last clear, and what "
	       "rises is not seen\n");
}

/* Of who asked for the physical layer, or did not. */
static struct ibc_report *report_asked(struct mkfab m, const char *checks, bool asked)
{
	struct ibc_input in = { .fabric = done(m), .physical = asked };
	struct ibc_report *rep;

	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, checks, rep, NULL), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	ibc_fabric_free((struct ibc_fabric *)in.fabric);
	return rep;
}

static void expect_skipped(struct ibc_report *rep, const char *check, const char *reason)
{
	assert_string_equal(rep->skipped->check, check);
	assert_string_equal(rep->skipped->reason, reason);
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	ibc_report_free(rep);
}

#define NOT_READ                                                                                   \
	"the physical layer was not read: a file gets it by --phy, a snapshot by --physical when " \
	"it is made"

static void a_check_of_two_readings_is_skipped_where_there_is_one(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	ibc_fabric_free(done(s.before));
	expect_skipped(report_asked(s.now, "phy.ber-after-fec,port.width", true),
	               "phy.ber-after-fec", "it needs two readings");
	expect_skipped(report_of(mk_leaf(2), "phy.ber-after-fec", NULL), "phy.ber-after-fec",
	               NOT_READ);
}

static void without_the_physical_layer_nothing_is_said_or_all_is_skipped(void **state)
{
	struct ibc_report *rep = report_of(mk_leaf(2), "port,phy,cable,device", NULL);

	(void)state;
	assert_null(rep->skipped);
	assert_int_equal(ibc_report_verdict(rep), IBC_OK);
	expect_of(rep, "");
	expect_skipped(report_of(mk_leaf(2), "phy.lane", NULL), "phy.lane", NOT_READ);
}

static void who_asked_for_the_physical_layer_is_told_that_it_was_not_read(void **state)
{
	(void)state;
	expect_skipped(report_asked(mk_leaf(2), "port.width,phy.lane", true), "phy.lane", NOT_READ);
}

/* As a file of ibdiagnet has it: the FEC of links, and no counters. */
static struct mkfab mk_sections(void)
{
	struct mkfab m = mk_reading(2, DAYS_10_S);

	m.subnet->provides = ibc_attrs_or(MKFAB_ATTRS,
	                                  IBC_ATTRS(IBC_ATTR_PHY_STATE, IBC_ATTR_PHY_TEMPERATURE));
	for (unsigned int i = 1; i <= 2; i++)
		phy_of(m, 1, i)->known = phy_of(m, host(i), 1)->known = 0;
	return m;
}

static void what_is_there_unasked_is_judged_and_the_rest_is_no_gap(void **state)
{
	static const char *const all[] = { "port,phy,cable,device",
		                           "port,phy,cable,device,-phy.partial" };

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		struct mkfab m = mk_sections();
		struct ibc_report *rep = report_asked(mk_sections(), all[i], false);

		assert_null(rep->skipped);
		expect_of(rep, "");
		phy_of(m, 1, 1)->fec_active = IBC_FEC_RS_272;
		rep = report_asked(m, all[i], false);
		assert_null(rep->skipped);
		assert_string_equal(ibc_report_finding(rep, 0)->check, "phy.fec-mismatch");
		ibc_report_free(rep);
		rep = report_asked(mk_sections(), all[i], true);
		assert_non_null(rep->skipped);
		assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
		ibc_report_free(rep);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(links_that_are_well_are_not_mentioned),
		cmocka_unit_test(errors_after_fec_are_a_rate_of_this_interval),
		cmocka_unit_test(up_to_edr_the_errors_after_fec_count),
		cmocka_unit_test(a_long_interval_tells_a_lower_rate),
		cmocka_unit_test(a_minute_proves_nothing_but_many_errors),
		cmocka_unit_test(a_short_interval_leaves_what_is_known_since_the_last_clear),
		cmocka_unit_test(the_rate_that_counts_can_be_set),
		cmocka_unit_test(one_reading_tells_errors_since_the_last_clear),
		cmocka_unit_test(counters_of_less_than_a_minute_are_too_young),
		cmocka_unit_test(no_error_seen_is_no_rate),
		cmocka_unit_test(a_file_that_has_only_rates_is_judged_by_them),
		cmocka_unit_test(counters_that_ran_backwards_are_a_clear),
		cmocka_unit_test(code_words_that_are_lost_are_critical_without_plr),
		cmocka_unit_test(training_may_lose_code_words),
		cmocka_unit_test(a_filled_bin_near_the_end_is_a_margin_that_is_gone),
		cmocka_unit_test(a_bin_that_was_filled_before_says_nothing_of_now),
		cmocka_unit_test(a_histogram_of_any_length_is_read),
		cmocka_unit_test(retransmission_costs_bandwidth),
		cmocka_unit_test(correction_never_adds_errors),
		cmocka_unit_test(raw_errors_are_judged_by_what_fec_corrects),
		cmocka_unit_test(a_raw_ber_that_rises_tenfold_is_a_warning),
		cmocka_unit_test(one_of_its_class_with_a_hundred_times_the_raw_errors_is_a_note),
		cmocka_unit_test(a_young_link_without_errors_is_no_outlier),
		cmocka_unit_test(a_dirty_lane_is_named),
		cmocka_unit_test(a_link_that_was_given_up_names_who_and_why),
		cmocka_unit_test(a_module_that_shut_down_is_critical),
		cmocka_unit_test(who_gave_up_is_told_once),
		cmocka_unit_test(a_reason_without_a_down_is_history),
		cmocka_unit_test(downs_at_both_ends_are_a_flap),
		cmocka_unit_test(downs_at_one_end_are_a_flap_if_the_other_did_not_restart),
		cmocka_unit_test(a_restart_is_no_flap),
		cmocka_unit_test(a_port_that_cannot_work_says_why),
		cmocka_unit_test(a_free_port_is_not_mentioned),
		cmocka_unit_test(a_port_that_led_somewhere_is_expected_up),
		cmocka_unit_test(a_device_may_call_its_link_unhealthy),
		cmocka_unit_test(an_unhealthy_port_says_why),
		cmocka_unit_test(a_loopback_is_told),
		cmocka_unit_test(two_ends_with_different_fec_are_critical),
		cmocka_unit_test(an_unusual_fec_is_a_note),
		cmocka_unit_test(slow_training_stands_out_of_its_class),
		cmocka_unit_test(what_all_of_a_class_do_is_no_finding),
		cmocka_unit_test(what_was_not_read_is_named),
		cmocka_unit_test(a_device_that_answers_nothing_is_one_gap),
		cmocka_unit_test(a_rate_without_an_error_is_a_bound),
		cmocka_unit_test(the_rate_of_a_lane_is_by_its_share_of_the_bits),
		cmocka_unit_test(where_nothing_was_read_one_sentence_says_so),
		cmocka_unit_test(one_reading_is_named_as_such),
		cmocka_unit_test(a_check_of_two_readings_is_skipped_where_there_is_one),
		cmocka_unit_test(without_the_physical_layer_nothing_is_said_or_all_is_skipped),
		cmocka_unit_test(who_asked_for_the_physical_layer_is_told_that_it_was_not_read),
		cmocka_unit_test(what_is_there_unasked_is_judged_and_the_rest_is_no_gap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
