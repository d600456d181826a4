/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of pauses and losses that RoCE ports counted in ten seconds. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "mkroce.h"

#define BOTH "roce.pause-storm,roce.loss"

/* struct window - a port, ten seconds apart */
struct window {
	struct ibc_host *was, *now;
	struct ibc_ethernet *before, *after;
};

static struct window window(void)
{
	struct window w = { mk_roce_host(), mk_roce_host(), NULL, NULL };

	w.before = mk_roce(w.was, "mlx5_0", "ens1f0");
	w.after = mk_roce(w.now, "mlx5_0", "ens1f0");
	w.now->seconds = w.was->seconds + 10;
	return w;
}

/* So many packets of RDMA were received meanwhile. */
static void received(struct window *w, uint64_t packets)
{
	static const char *const names[] = { "port_rcv_packets" };
	struct ibc_rdma_port *before = (struct ibc_rdma_port *)w->before->device->ports,
			     *after = (struct ibc_rdma_port *)w->after->device->ports;

	before->counters = mk_named(w->was, names, 1);
	after->counters = mk_named(w->now, names, 1);
	before->num_counters = after->num_counters = 1;
	mk_counts(w->after, "port_rcv_packets", packets);
}

static void expect_window(const struct window *w, const char *lines)
{
	expect_host(w->was, w->now, BOTH, lines);
}

static void nothing_counted_is_fine(void **state)
{
	struct window w = window();

	(void)state;
	mk_counts(w.before, "packet_seq_err", 4711);
	mk_counts(w.after, "packet_seq_err", 4711);
	expect_window(&w, "");
}

static void one_reading_is_not_enough(void **state)
{
	struct ibc_host *h = mk_roce_host();
	struct ibc_report *rep;

	(void)state;
	mk_roce(h, "mlx5_0", "ens1f0");
	rep = report_of_host(NULL, h, BOTH, NULL);
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	ibc_host_free(h);
	expect_of(rep, "");
}

/* ---- pauses ---------------------------------------------------------------------------------- */

static void a_short_pause_is_fine(void **state)
{
	struct window w = window();

	(void)state;
	mk_counts(w.after, "rx_prio3_pause_duration", 100000);
	expect_window(&w, "");
}

static void more_than_a_hundredth_of_the_time_is_a_warning(void **state)
{
	struct window w = window();

	(void)state;
	mk_counts(w.before, "rx_prio3_pause_duration", 1000000);
	mk_counts(w.after, "rx_prio3_pause_duration", 1500000);
	expect_window(&w, "warning mlx5_0/1 (ens1f0): was paused by the network for 5 % of 10 s "
	                  "(rx_prio3_pause_duration)\n");
}

static void more_than_a_tenth_is_critical(void **state)
{
	struct window w = window();

	(void)state;
	mk_counts(w.after, "tx_prio3_pause_duration", 12000000);
	expect_window(&w, "critical mlx5_0/1 (ens1f0): paused the network for 100 % of 10 s "
	                  "(tx_prio3_pause_duration)\n");
}

static void a_storm_is_told_as_such(void **state)
{
	struct window w = window();

	(void)state;
	mk_counts(w.after, "tx_pause_storm_warning_events", 2);
	expect_window(
	    &w, "warning mlx5_0/1 (ens1f0): paused the network for a long time, 2 times in 10 s\n");
	w = window();
	mk_counts(w.after, "tx_pause_storm_warning_events", 2);
	mk_counts(w.after, "tx_pause_storm_error_events", 1);
	expect_window(&w, "critical mlx5_0/1 (ens1f0): paused the network until the NIC stopped "
	                  "the pause, 1 time in 10 s\n");
}

static void a_driver_that_does_not_count_pauses_is_unknown(void **state)
{
	struct window w = window();

	(void)state;
	w.after->num_statistics = 0;
	expect_window(&w, "unknown node01: pauses of mlx5_0/1 (ens1f0) is not known: the driver "
	                  "has no counter of them under a known name\n");
}

static void a_port_that_cannot_be_paused_need_not_count(void **state)
{
	struct window w = window();

	(void)state;
	w.after->num_statistics = 0;
	w.after->pfc = 0;
	expect_window(&w, "");
}

/* ---- losses ------------------------------------------------------------------------------- */

static void damage_is_critical_and_comes_first(void **state)
{
	struct window w = window();

	(void)state;
	mk_counts(w.after, "packet_seq_err", 9);
	mk_counts(w.after, "rx_icrc_encapsulated", 3);
	mk_counts(w.after, "link_down_events_phy", 1);
	expect_window(&w, "critical mlx5_0/1 (ens1f0): counters rose in 10 s: 3 "
	                  "rx_icrc_encapsulated, 9 packet_seq_err, 1 link_down_events_phy\n");
}

static void timeouts_are_critical_from_ten_a_minute(void **state)
{
	struct window w = window();

	(void)state;
	mk_counts(w.after, "local_ack_timeout_err", 1);
	expect_window(
	    &w, "warning mlx5_0/1 (ens1f0): counters rose in 10 s: 1 local_ack_timeout_err\n");
	w = window();
	mk_counts(w.after, "local_ack_timeout_err", 2);
	expect_window(
	    &w, "critical mlx5_0/1 (ens1f0): counters rose in 10 s: 2 local_ack_timeout_err\n");
}

static void drops_are_critical_where_flow_control_should_prevent_them(void **state)
{
	struct window w = window();

	(void)state;
	mk_counts(w.after, "rx_prio0_discards", 5);
	expect_window(&w,
	              "warning mlx5_0/1 (ens1f0): counters rose in 10 s: 5 rx_prio0_discards\n");
	w = window();
	mk_counts(w.after, "rx_prio3_discards", 5);
	mk_counts(w.after, "rx_discards_phy", 5);
	expect_window(&w, "critical mlx5_0/1 (ens1f0): counters rose in 10 s: 5 rx_prio3_discards, "
	                  "5 rx_discards_phy\n");
}

static void few_out_of_sequence_among_many_are_fine(void **state)
{
	struct window w = window();

	(void)state;
	received(&w, 1000000);
	mk_counts(w.after, "out_of_sequence", 100);
	expect_window(&w, "");
	w = window();
	received(&w, 1000000);
	mk_counts(w.after, "out_of_sequence", 101);
	mk_counts(w.after, "out_of_buffer", 50);
	expect_window(&w,
	              "warning mlx5_0/1 (ens1f0): counters rose in 10 s: 101 out_of_sequence\n");
}

static void requests_that_were_flushed_are_no_failure(void **state)
{
	struct window w = window();

	(void)state;
	mk_counts(w.after, "req_cqe_error", 64);
	mk_counts(w.after, "req_cqe_flush_error", 64);
	expect_window(&w, "");
}

static void a_counter_that_began_again_counts_on(void **state)
{
	struct window w = window();

	(void)state;
	mk_counts(w.before, "packet_seq_err", UINT32_MAX);
	mk_counts(w.after, "packet_seq_err", 2);
	expect_window(&w, "warning mlx5_0/1 (ens1f0): counters rose in 10 s: 3 packet_seq_err\n");
	w = window();
	mk_counts(w.before, "packet_seq_err", 4711);
	mk_counts(w.after, "packet_seq_err", 2);
	expect_window(&w, "");
}

static void a_port_that_came_meanwhile_is_unknown(void **state)
{
	struct window w = window();

	(void)state;
	((struct ibc_rdma_device *)w.before->device)->name = "mlx5_7";
	mk_counts(w.after, "packet_seq_err", 9);
	mk_counts(w.after, "rx_discards_phy", 9);
	expect_window(&w, "unknown node01: losses of mlx5_0/1 (ens1f0) is not known: it did not "
	                  "exist at the first reading\n"
	                  "unknown node01: pauses of mlx5_0/1 (ens1f0) is not known: it did not "
	                  "exist at the first reading\n");
}

static void an_interface_that_was_renamed_is_the_same(void **state)
{
	struct window w = window();

	(void)state;
	((struct ibc_netdev *)w.before->netdev)->name = "eth7";
	mk_counts(w.after, "rx_discards_phy", 9);
	expect_window(&w, "warning mlx5_0/1 (ens1f0): counters rose in 10 s: 9 rx_discards_phy\n");
}

static void counters_that_may_not_be_read_are_unknown(void **state)
{
	struct window w = window();

	(void)state;
	note_unread(w.now, "/sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence",
	            EINVAL);
	expect_window(
	    &w,
	    "unknown mlx5_0/1 (ens1f0): the value of its transport counters is not known: "
	    "/sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence: Invalid argument\n");
}

static void a_driver_whose_names_are_not_known_is_unknown(void **state)
{
	struct window w = window();

	(void)state;
	((struct ibc_rdma_port *)w.after->device->ports)->num_hw_counters = 0;
	expect_window(&w, "unknown node01: losses of mlx5_0/1 (ens1f0) is not known: the driver "
	                  "has no counter of them under a known name\n");
}

/* Its names are others, and it has no statistics. */
static void software_counts_under_names_of_its_own(void **state)
{
	static const char *const names[] = { "completer_retry_err", "rcvd_pkts", "rcvd_seq_err" };
	struct window w = window();
	struct ibc_rdma_port *ports[] = { (struct ibc_rdma_port *)w.before->device->ports,
		                          (struct ibc_rdma_port *)w.after->device->ports };

	(void)state;
	w.after->software = true;
	w.after->num_statistics = w.before->num_statistics = 0;
	for (size_t i = 0; i < 2; i++) {
		ports[i]->hw_counters = mk_named(i ? w.now : w.was, names, ARRAY_SIZE(names));
		ports[i]->num_hw_counters = ARRAY_SIZE(names);
	}
	mk_counts(w.after, "rcvd_seq_err", 1);
	mk_counts(w.after, "rcvd_pkts", 100);
	expect_window(&w, "warning mlx5_0/1 (ens1f0): counters rose in 10 s: 1 rcvd_seq_err\n");
}

/* ---- memory ------------------------------------------------------------------------------- */

static int run_all(const struct window *w)
{
	const struct ibc_input in = { .host = w->now, .host_before = w->was };
	struct ibc_report *rep;
	int rc = ibc_report_new(&rep, NULL);

	if (rc)
		return rc;
	rc = ibc_check_run(&in, "roce", rep, NULL);
	if (!rc)
		rc = ibc_report_finish(rep, NULL);
	ibc_report_free(rep);
	return rc;
}

/* Much is wrong, so that all of it takes memory. */
static void spoil(struct window *w)
{
	struct ibc_ethernet *e = mk_roce(w->now, "mlx5_1", "ens2f0");

	mk_setting(w->now, mk_nccl(w->now, 42), "NCCL_IB_GID_INDEX", "2", IBC_EFFECT_NONE);
	mk_nccl(w->now, 43);
	mk_nccl(w->now, 44)->unread = IBC_PROCESS_ENVIRON;
	w->after->peer_known = true;
	w->after->pause_rx = true;
	w->after->rdma_mtu = 1024;
	w->after->pfc |= PRIORITY(5);
	e->dcb_known = e->ecn_known = e->pause_known = false;
	mk_counts(w->after, "rx_icrc_encapsulated", 3);
	mk_counts(w->after, "rp_cnp_ignored", 3);
	mk_counts(w->after, "tx_prio3_pause_duration", 12000000);
}

static void running_out_of_memory_is_a_clean_failure(void **state)
{
	struct window w = window();
	int rc = -ENOMEM;

	(void)state;
	spoil(&w);
	for (unsigned int n = 1; rc; n++) {
		alloc_fail_at(n);
		rc = run_all(&w);
		alloc_fail_at(0);
		assert_true(rc == 0 || rc == -ENOMEM);
	}
	ibc_host_free(w.was);
	ibc_host_free(w.now);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_counted_is_fine),
		cmocka_unit_test(one_reading_is_not_enough),
		cmocka_unit_test(a_short_pause_is_fine),
		cmocka_unit_test(more_than_a_hundredth_of_the_time_is_a_warning),
		cmocka_unit_test(more_than_a_tenth_is_critical),
		cmocka_unit_test(a_storm_is_told_as_such),
		cmocka_unit_test(a_driver_that_does_not_count_pauses_is_unknown),
		cmocka_unit_test(a_port_that_cannot_be_paused_need_not_count),
		cmocka_unit_test(damage_is_critical_and_comes_first),
		cmocka_unit_test(timeouts_are_critical_from_ten_a_minute),
		cmocka_unit_test(drops_are_critical_where_flow_control_should_prevent_them),
		cmocka_unit_test(few_out_of_sequence_among_many_are_fine),
		cmocka_unit_test(requests_that_were_flushed_are_no_failure),
		cmocka_unit_test(a_counter_that_began_again_counts_on),
		cmocka_unit_test(a_port_that_came_meanwhile_is_unknown),
		cmocka_unit_test(an_interface_that_was_renamed_is_the_same),
		cmocka_unit_test(counters_that_may_not_be_read_are_unknown),
		cmocka_unit_test(a_driver_whose_names_are_not_known_is_unknown),
		cmocka_unit_test(software_counts_under_names_of_its_own),
		cmocka_unit_test(running_out_of_memory_is_a_clean_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
