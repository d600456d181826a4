/* SPDX-License-Identifier: BSD-2-Clause */
/* The counters of ibdiagnet2.db_csv. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mkattrs.h"
#include "mkdb.h"

#define BIT(counter) (1u << (counter))

/* The counters of port 1 of the host, whose row in PM_INFO this is. */
static struct ibc_fabric *counted(const char *columns, const char *values)
{
	char *text = text_of(NODES LINKS "START_PM_INFO\nNodeGUID,PortNumber,%s\n0x20,1,%s\n"
	                                 "END_PM_INFO\n",
	                     columns, values);
	struct ibc_fabric *fab = load(text);

	free(text);
	return fab;
}

static void the_counter_of_more_bits_is_believed(void **state)
{
	struct ibc_fabric *fab = load(NODES PORTS LINKS COUNTERS);
	const struct ibc_counters *leaf = port_of(fab, 0x10, 1)->counters;
	const struct ibc_counters *host = port_of(fab, 0x20, 1)->counters;

	(void)state;
	assert_int_equal(leaf->known, BIT(IBC_SYMBOL_ERROR) | BIT(IBC_XMIT_DATA));
	assert_int_equal(leaf->value[IBC_SYMBOL_ERROR], 70000);
	assert_int_equal(leaf->value[IBC_XMIT_DATA], 0x800000000); /* of words, in bytes */
	assert_int_equal(leaf->saturated, 0);
	assert_int_equal(host->value[IBC_SYMBOL_ERROR], 65535);
	assert_int_equal(host->saturated, BIT(IBC_SYMBOL_ERROR));
	assert_int_equal(host->value[IBC_XMIT_DATA], 4000);
	ibc_fabric_free(fab);
}

static void what_the_device_does_not_have_is_unsupported(void **state)
{
	struct ibc_fabric *fab = load(NODES PORTS LINKS COUNTERS);
	const struct ibc_port *leaf = port_of(fab, 0x10, 1), *host = port_of(fab, 0x20, 1);

	(void)state;
	assert_true(ibc_port_has(leaf, IBC_ATTR_PORT_COUNTERS));
	assert_true(ibc_port_has(leaf, IBC_ATTR_PORT_COUNTERS_EXT));
	assert_true(ibc_port_has(host, IBC_ATTR_PORT_COUNTERS));
	assert_attrs(ibc_port_attrs(host, IBC_UNSUPPORTED), IBC_ATTR_PORT_COUNTERS_EXT);
	assert_attrs(
	    ibc_attrs_and(ibc_fabric_subnet(fab, 0)->provides, attrs_where(ATTR_CLASS, ATTR_PMA)),
	    IBC_ATTR_PORT_COUNTERS, IBC_ATTR_PORT_COUNTERS_EXT);
	ibc_fabric_free(fab);
}

static void what_is_not_in_the_block_was_not_answered(void **state)
{
	struct ibc_fabric *fab = load(NODES LINKS COUNTERS);

	(void)state;
	/* cabled, and no row tells of them */
	assert_true(ibc_port_unanswered(port_of(fab, 0x30, 1), IBC_ATTR_PORT_COUNTERS));
	assert_true(ibc_port_unanswered(port_of(fab, 0x10, 2), IBC_ATTR_PORT_COUNTERS));
	assert_null(port_of(fab, 0x30, 1)->counters);
	assert_int_equal(port_of(fab, 0x10, 4)->answers.asked, 0);
	ibc_fabric_free(fab);
}

static void a_counter_below_zero_is_not_known(void **state)
{
	struct ibc_fabric *fab = counted("PortXmitDataExtended,PortRcvDataExtended",
	                                 "18446744073709551576,7");
	const struct ibc_counters *c = port_of(fab, 0x20, 1)->counters;

	(void)state;
	assert_int_equal(c->known, BIT(IBC_RCV_DATA));
	ibc_fabric_free(fab);
}

static void a_row_of_nothing_was_not_answered(void **state)
{
	static const char *const nothing[] = { "N/A,N/A", "-1,-1", ",0xfffffffffffffffe" };

	(void)state;
	for (size_t i = 0; i < COUNT(nothing); i++) {
		struct ibc_fabric *fab = counted("LinkDownedCounter,LinkDownedCounterExt",
		                                 nothing[i]);
		const struct ibc_port *p = port_of(fab, 0x20, 1);

		assert_null(p->counters);
		assert_true(ibc_port_unanswered(p, IBC_ATTR_PORT_COUNTERS));
		assert_int_equal(p->answers.unsupported, 0);
		ibc_fabric_free(fab);
	}
}

static void every_counter_of_the_model_has_its_column(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < IBC_COUNTERS; i++) {
		struct ibc_fabric *fab = counted(ibc_counter_word(i)->name, "7");
		const struct ibc_counters *c = port_of(fab, 0x20, 1)->counters;

		assert_non_null(c);
		assert_int_equal(c->known, BIT(i));
		assert_int_equal(c->value[i], i == IBC_XMIT_DATA || i == IBC_RCV_DATA ? 28 : 7);
		ibc_fabric_free(fab);
	}
}

static void columns_of_no_counter_are_passed_over(void **state)
{
	struct ibc_fabric *fab = counted("PortXmitDataPerSecond,max_retransmission_rate,"
	                                 "PortLocalPhysicalErrorsExt,portlocalphysicalerrors",
	                                 "a,b,c,5");
	const struct ibc_port *p = port_of(fab, 0x20, 1);

	(void)state;
	assert_int_equal(p->counters->known, BIT(IBC_LOCAL_PHYSICAL));
	assert_attrs(
	    ibc_attrs_and(ibc_port_attrs(p, IBC_ANSWERED), attrs_where(ATTR_CLASS, ATTR_PMA)),
	    IBC_ATTR_RCV_ERROR_DETAILS);
	ibc_fabric_free(fab);
}

static void all_ones_of_64_bits_are_at_least(void **state)
{
	struct ibc_fabric *fab = counted("PortRcvPktsExtended", "0xffffffffffffffff");

	(void)state;
	assert_int_equal(port_of(fab, 0x20, 1)->counters->saturated, BIT(IBC_RCV_PKTS));
	ibc_fabric_free(fab);
}

static void a_snapshot_keeps_what_was_read(void **state)
{
	struct ibc_fabric *fab = load(NODES PORTS LINKS FIRMWARE COUNTERS), *again;
	size_t n;
	char *bytes = bytes_of(fab, "snapshot", &n);

	(void)state;
	again = fabric_of(read_snapshot, bytes, n);
	assert_string_equal(node_of(again, 0x20)->firmware, "28.39.2048");
	assert_null(node_of(again, 0x10)->firmware);
	assert_int_equal(port_of(again, 0x10, 1)->counters->value[IBC_SYMBOL_ERROR], 70000);
	assert_attrs(ibc_port_attrs(port_of(again, 0x20, 1), IBC_UNSUPPORTED),
	             IBC_ATTR_PORT_COUNTERS_EXT);
	free(bytes);
	ibc_fabric_free(fab);
	ibc_fabric_free(again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_counter_of_more_bits_is_believed),
		cmocka_unit_test(what_the_device_does_not_have_is_unsupported),
		cmocka_unit_test(what_is_not_in_the_block_was_not_answered),
		cmocka_unit_test(a_counter_below_zero_is_not_known),
		cmocka_unit_test(a_row_of_nothing_was_not_answered),
		cmocka_unit_test(every_counter_of_the_model_has_its_column),
		cmocka_unit_test(columns_of_no_counter_are_passed_over),
		cmocka_unit_test(all_ones_of_64_bits_are_at_least),
		cmocka_unit_test(a_snapshot_keeps_what_was_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
