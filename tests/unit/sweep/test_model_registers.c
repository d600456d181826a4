/* SPDX-License-Identifier: BSD-2-Clause */

/* Registers of the model: who answers, when, and what ends the test. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "mkregisters.h"

#define MINUTE 60000000000ull
#define KEY    0x1122334455667788

#define GENERAL_INFO "01 0a 01 01 0000 0000 0000000000000001 0017 0000 00000000"

/* ---- who answers ----------------------------------------------------------------- */

static void general_info_has_the_masks_of_real_devices(void **state)
{
	struct net n = net();

	(void)state;
	of(&n, SWITCH);
	of(&n, HOST);
	assert_int_equal(ask_with(&n, SWITCH, GENERAL_INFO, "", 0), 0);
	expect(&n, 160 - 36, "0d1d01f4 00000286 00000000 00000000");
	expect(&n, 100 - 36, "0000001f 000007dc 00000400");
	assert_int_equal(ask_with(&n, HOST, GENERAL_INFO, "", 0), 0);
	expect(&n, 160 - 36, "001d00e0 00000036 00000000 00000000");
	net_free(&n);
}

static void what_the_fabric_knows_of_a_device_goes_first(void **state)
{
	struct net n = net();
	struct ibc_node *leaf = (struct ibc_node *)ibc_fabric_node_by_guid(n.fab, SWITCH);

	(void)state;
	leaf->has_gmp_capabilities = true;
	leaf->gmp_capabilities[0] = 0x0000000200000001;
	leaf->gmp_capabilities[1] = 0x0000000400000003;
	of(&n, SWITCH);
	assert_int_equal(ask_with(&n, SWITCH, GENERAL_INFO, "", 0), 0);
	expect(&n, 160 - 36, "00000001 00000002 00000003 00000004");
	assert_int_equal(ask(&n, SWITCH, STATISTICS), 0x0c);
	net_free(&n);
}

static void an_answer_is_one_to_its_question(void **state)
{
	struct net n = net();
	uint8_t header[24];

	(void)state;
	of(&n, SWITCH);
	assert_int_equal(ask(&n, SWITCH, "5008", "16 00 00 00"), 0x1c);
	assert_int_equal(ask(&n, SWITCH, "5008", "00014016"), 0);
	bytes_of("01 0a 01 81 0000 0000 0000000000000001 0051 0000 00005008", header);
	assert_memory_equal(n.mad, header, 24);
	expect(&n, 0, "00014016 00000000");
	assert_int_equal(model_asked(n.model, MODEL_ACCESS_REGISTER), 2);
	net_free(&n);
}

static void what_does_not_know_registers_refuses_the_class(void **state)
{
	static const struct {
		uint16_t device_id;
		int general_info, registers;
	} kinds[] = { { 53001, 4, 4 }, { 0xcb20, 0, 0x0c }, { 0xd2f2, 0, 0 } };

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct net n = net_of(kinds[i].device_id, 0x1021);

		of(&n, SWITCH);
		assert_int_equal(ask_with(&n, SWITCH, GENERAL_INFO, "", 0), kinds[i].general_info);
		assert_int_equal(ask(&n, SWITCH, "5008", "00014016"), kinds[i].registers);
		assert_int_equal(ask(&n, HOST, "5008", "00014016"), 0x0c);
		net_free(&n);
	}
}

static void what_a_device_does_not_have_has_a_status(void **state)
{
	static const struct {
		const char *id, *index;
		unsigned int block;
		int status;
	} asked[] = {
		{ "5008", "0001 4016 00000000", 0, 0 },    /* group 0x16 */
		{ "5008", "0001 0016 00000000", 0, 0x1c }, /* by local number */
		{ "5008", "0000 4016 00000000", 0, 0x1c }, /* port 0 */
		{ "5008", "0005 4016 00000000", 0, 0x1c }, /* it has four */
		{ "5008", "0001 5016 00000000", 0, 0x1c }, /* port 257 */
		{ "5008", "0001 4015 00000000", 0, 0x1c }, /* another group */
		{ "5008", "0001 4016 00000100", 0, 0x1c }, /* a plane */
		{ "5008", "0001 4016 00000000", 1, 0 },    /* 256 bytes are two blocks */
		{ "5008", "0001 4016 00000000", 2, 0x1c },
		{ "5031", "0001 4000 00000007", 0, 0x1c }, /* no such page */
		{ "5031", "0001 4000 00000001", 0, 0 },
		{ "5031", "0001 0000 00000001", 0, 0x1c },
		{ "503e", "0001 4000 00000000", 0, 0 },
		{ "503e", "0001 4000 00000000", 1, 0x1c }, /* 92 bytes are one */
		{ "900a", "00000000", 0, 0 },
		{ "900a", "00000000", 1, 0x1c },
		{ "900a", "00000001", 0, 0x1c }, /* no such sensor */
		{ "900a", "80000000", 0, 0x1c }, /* a diode */
		{ "9003", "0e000000", 0, 0x1c }, /* a fifteenth fan */
		{ "5014", "0001 4000", 0, 0x14 },
		{ "907f", "", 0, 0x14 },
		{ "9009", "", 0, 0x14 },
	};
	struct net n = net();

	(void)state;
	of(&n, SWITCH);
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++)
		assert_int_equal(ask_block(&n, SWITCH, asked[i].id, asked[i].index, asked[i].block),
		                 asked[i].status);
	net_free(&n);
}

static void an_adapter_has_no_fans_and_older_firmware_no_pddr(void **state)
{
	struct net n = net();

	(void)state;
	of(&n, HOST);
	assert_int_equal(ask(&n, HOST, "9001", ""), 0x14);
	assert_int_equal(ask(&n, HOST, "900f", "00000000 00000001"), 0x14);
	assert_int_equal(ask(&n, HOST, "5031", "0001 4000 00000003"), 0);
	of(&n, HOST)->unknown |= MODEL_REGISTER(MODEL_PDDR);
	assert_int_equal(ask(&n, HOST, "5031", "0001 4000 00000003"), 0x14);
	assert_int_equal(ask(&n, HOST, "5008", "0001 4016"), 0);
	net_free(&n);
}

/* ---- devices --------------------------------------------------------------------- */

static void sensors_are_in_eighths_of_a_degree(void **state)
{
	struct net n = net();
	struct model_registers *r = of(&n, SWITCH);

	(void)state;
	r->asic = -26;
	r->asic_low = -8;
	assert_int_equal(ask(&n, SWITCH, "900a", ""), 0);
	expect(&n, 0, "00000000 0000ffe6 800001d0 00000348 0000fff8 00000000 6173696300000000");
	model_phy_plug(&r->ports[3], &model_optics, "AO24-000126");
	assert_int_equal(ask(&n, SWITCH, "900a", "00000041"), 0);
	expect(&n, 0, "00000041 000001b8 00000000 00000000 00000000 00000000 6d6f64756c653200");
	assert_int_equal(ask(&n, SWITCH, "900a", "00000040"), 0x1c);
	model_phy_plug(&r->ports[1], &model_dac, "DC24-000002");
	assert_int_equal(ask(&n, SWITCH, "900f", "00000040 00000003"), 0);
	expect(&n, 0, "00000040 00000003 00000000 00000000 00000000 01b801b8 80028002");
	model_phy_plug(&r->ports[1], &model_no_sensor, "");
	r->ports[3].module = NULL;
	assert_int_equal(ask(&n, SWITCH, "900f", "00000040 00000002"), 0);
	expect(&n, 0x10, "80018001 80008000");
	/* 64 records: 51 in the first block, the rest at the begin of the second */
	assert_int_equal(ask_block(&n, SWITCH, "900f", "0000000d 00000040", 1), 0);
	expect(&n, 0, "80018001 80008000 80028002");
	net_free(&n);
}

static void fans_turn(void **state)
{
	struct net n = net();
	struct model_registers *r = of(&n, SWITCH);

	(void)state;
	r->fan_there = 0x2fff;
	r->fan_slow = 0x0802;
	r->fan_fast = 0x0401;
	r->fans[11] = 0x1234;
	assert_int_equal(ask(&n, SWITCH, "9001", ""), 0);
	expect(&n, 0, "00000000 2fff0000");
	assert_int_equal(ask(&n, SWITCH, "9003", "0b000000"), 0);
	expect(&n, 0, "0b000000 00001234");
	assert_int_equal(ask(&n, SWITCH, "9003", "0c000000"), 0x1c);
	assert_int_equal(ask(&n, SWITCH, "9007", ""), 0);
	expect(&n, 0, "08020000 04010000");
	net_free(&n);
}

static void a_device_has_a_name_and_knows_its_registers(void **state)
{
	struct net n = net();
	struct model_registers *r = of(&n, SWITCH);

	(void)state;
	snprintf(r->serial, sizeof(r->serial), "MT2401X00001");
	assert_int_equal(ask(&n, SWITCH, "9021", ""), 0);
	expect(&n, 0, "4d5432343031583030303031 00000000");
	expect(&n, 0x20, "514d2d41434d452d3634 0000");
	expect(&n, 0x38, "41330000");
	expect(&n, 0x40, "41636d6520514d2d41434d452d3634 00");
	assert_int_equal(ask(&n, SWITCH, "507f", ""), 0);
	expect(&n, 0x08, "80000000 00000000 40020000 00000100");
	expect(&n, 0x28, "00008020 00000006 00480800 00000001");
	r->unknown = MODEL_REGISTER(MODEL_PDDR);
	assert_int_equal(ask(&n, SWITCH, "507f", ""), 0);
	expect(&n, 0x08, "80000000 00000000 40000000 00000100");
	net_free(&n);
}

/* ---- time, and what goes wrong --------------------------------------------------- */

static int answer_nothing(void *ctx, const struct mad_addr *to, uint8_t mad[MAD_SIZE])
{
	(void)ctx;
	(void)to;
	(void)mad;
	return LINE_NOBODY;
}

static void counters_run_by_the_clock_of_the_line(void **state)
{
	struct net n = net();
	struct line_opts opts = { 0 };
	struct line *line = line_new(&opts, answer_nothing, NULL);

	(void)state;
	model_phy_up(phy(&n, SWITCH, 1), 400, MODEL_FEC_KP4);
	assert_int_equal(ask(&n, SWITCH, STATISTICS), 0);
	assert_true(number(&n, 8, 8) == 0);
	model_clock(n.model, line);
	line_stall(line, MINUTE);
	assert_int_equal(ask(&n, SWITCH, STATISTICS), 0);
	assert_int_equal(number(&n, 8, 8), 60000);
	assert_true(number(&n, 0x08 + 8, 8) == 24000000000000);
	model_clock(n.model, NULL);
	line_free(line);
	model_pass(n.model, MINUTE);
	assert_int_equal(ask(&n, SWITCH, STATISTICS), 0);
	assert_int_equal(number(&n, 8, 8), 120000);
	model_phy_clear(phy(&n, SWITCH, 1));
	model_pass(n.model, MINUTE);
	assert_int_equal(ask(&n, SWITCH, STATISTICS), 0);
	assert_int_equal(number(&n, 8, 8), 60000);
	net_free(&n);
}

static void a_device_may_be_busy_twice_and_then_answer(void **state)
{
	struct net n = net();

	(void)state;
	of(&n, SWITCH)->busy = 2;
	for (unsigned int round = 0; round < 2; round++) {
		assert_int_equal(ask(&n, SWITCH, STATISTICS), 1);
		assert_int_equal(ask(&n, SWITCH, MODULE), 1);
		assert_int_equal(ask(&n, SWITCH, STATISTICS), 1);
		assert_int_equal(ask(&n, SWITCH, STATISTICS), 0);
		assert_int_equal(ask(&n, SWITCH, MODULE), 1);
		assert_int_equal(ask(&n, SWITCH, MODULE), 0);
	}
	net_free(&n);
}

static void a_device_may_be_silent_drop_or_want_a_key(void **state)
{
	struct net n = net();
	struct model_registers *r = of(&n, SWITCH);
	const struct ibc_node *leaf = ibc_fabric_node_by_guid(n.fab, SWITCH);

	(void)state;
	r->drop_every = 3;
	assert_int_equal(ask(&n, SWITCH, STATISTICS), 0);
	assert_int_equal(ask(&n, SWITCH, STATISTICS), 0);
	assert_int_equal(ask(&n, SWITCH, STATISTICS), -1);
	r->drop_every = 0;
	r->silent = true;
	assert_int_equal(ask(&n, SWITCH, STATISTICS), -1);
	r->silent = false;
	model_keys(n.model, &leaf->ports[0])->v_key = KEY;
	assert_int_equal(ask(&n, SWITCH, STATISTICS), -1);
	r->wrong_key = 0x0c;
	assert_int_equal(ask(&n, SWITCH, STATISTICS), 0x0c);
	memset(n.mad, 0, sizeof(n.mad));
	bytes_of(HEADER "5008 1122334455667788 00000000 00014016", n.mad);
	assert_true(send_to(&n, SWITCH) >= 0);
	assert_int_equal(n.mad[5], 0);
	net_free(&n);
}

static void a_device_may_take_ib_ports_for_others(void **state)
{
	struct net n = net();

	(void)state;
	of(&n, SWITCH)->port_shift = 1;
	phy(&n, SWITCH, 2)->link_downs = 5;
	assert_int_equal(ask(&n, SWITCH, PHYSICAL), 0);
	expect(&n, 0, "00014012");
	expect(&n, 0xc0 + 8, "00000005");
	net_free(&n);
}

static void a_device_may_be_slow_and_answer_one_at_a_time(void **state)
{
	struct net n = net();
	struct model_registers *r = of(&n, SWITCH);
	uint64_t late_ns;

	(void)state;
	r->slow_ms.low = 50;
	r->slow_ms.high = 400;
	for (unsigned int i = 0; i < 50; i++) {
		assert_int_equal(ask(&n, SWITCH, STATISTICS), 0);
		late_ns = model_fate(n.model).late_ns;
		assert_in_range(late_ns, 50000000, 400000000);
	}
	r->slow_ms.low = r->slow_ms.high = 0;
	r->service_ns = 200000;
	for (unsigned int i = 1; i <= 3; i++) {
		assert_int_equal(ask(&n, SWITCH, STATISTICS), 0);
		assert_int_equal(model_fate(n.model).late_ns, i * 200000);
	}
	assert_int_equal(r->most, 3);
	model_pass(n.model, 400000);
	assert_int_equal(ask(&n, SWITCH, STATISTICS), 0);
	assert_int_equal(model_fate(n.model).late_ns, 400000);
	assert_int_equal(r->most, 3);
	net_free(&n);
}

static void an_answer_may_be_cut_or_a_lie(void **state)
{
	struct net n = net();
	size_t length;

	(void)state;
	of(&n, SWITCH)->cut = 60;
	assert_int_equal(ask(&n, SWITCH, STATISTICS), 0);
	assert_non_null(model_whole(n.model, &length));
	assert_int_equal(length, 60);
	of(&n, SWITCH)->cut = 0;
	of(&n, SWITCH)->lies = true;
	assert_int_equal(ask(&n, SWITCH, STATISTICS), 0);
	assert_null(model_whole(n.model, &length));
	assert_true(number(&n, 0, 8) != 0x0001401600000000);
	net_free(&n);
}

static void a_line_brings_it_late_and_cut(void **state)
{
	const struct mad_addr to = { .dlid = SWITCH, .qpn = 1, .qkey = 0x80010000 };
	const struct line_opts opts = { .rtt_ns = 50000, .whole = model_whole, .fate = model_fate };
	struct net n = net();
	struct line *line = line_new(&opts, model_answer, n.model);
	struct transport *t = line_transport(line);
	uint64_t sent_ns = line_now_ns(line);
	uint8_t mad[MAD_SIZE] = { 0 };
	struct mad_in in;

	(void)state;
	of(&n, SWITCH)->slow_ms.low = of(&n, SWITCH)->slow_ms.high = 70;
	of(&n, SWITCH)->cut = 48;
	bytes_of(HEADER "5008 0000000000000000 00000000 00014016", mad);
	assert_int_equal(t->ops->send(t, &to, mad, 1000), 0);
	assert_int_equal(t->ops->recv(t, &in, UINT64_MAX), 1);
	assert_int_equal(in.length, 48);
	assert_int_equal(line_now_ns(line) - sent_ns, 70050000);
	line_free(line);
	net_free(&n);
}

/* ---- what ends the test ------------------------------------------------------------ */

/* Does the model end the process, whoever is asked? */
static bool is_fatal(struct net *n, const char *header, const char *index)
{
	int status;
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		fclose(stderr);
		ask_with(n, SWITCH, header, index, 0);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void what_could_change_something_ends_the_test(void **state)
{
	static const struct {
		const char *id, *index;
	} fatal[] = {
		{ "5008", "00014016 80000000" },          /* clr */
		{ "5008", "00014016 40000000" },          /* lp_gl */
		{ "5008", "00014016 20000000" },          /* counters_cap */
		{ "5008", "00ff4016" },                   /* all ports */
		{ "5008", "0001403f" },                   /* all groups */
		{ "5008", "00014016 00000000 00000001" }, /* a value */
		{ "5031", "00ff4000 00000001" },
		{ "5031", "00014000 80000003" },
		{ "503e", "00014000 00010000" },
		{ "503e", "00014000 00000000 00000000 00000001" },
		{ "900a", "00000000 00000000 40000000" }, /* mtr */
		{ "900a", "00000000 00000000 20000000" }, /* weme */
		{ "900a", "00000000 00000000 10000000" }, /* sdme */
		{ "900a", "00000000 00000000 80000000" }, /* mte */
		{ "9003", "00000001" },
		{ "9001", "00000000 00010000" },
		{ "507f", "00000100" }, /* pl_op */
		{ "5006", "" },         /* PAOS */
		{ "9014", "" },         /* MCIA */
		{ "0000", "" },
	};
	struct net n = net();
	char header[80];

	(void)state;
	for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++) {
		snprintf(header, sizeof(header), HEADER "%s", fatal[i].id);
		assert_true(is_fatal(&n, header, fatal[i].index));
	}
	assert_false(is_fatal(&n, HEADER "5008", "00014016"));
	/* a Set, of registers and of all else */
	assert_true(
	    is_fatal(&n, "010a0102 00000000 0000000000000001 0051 0000 00005008", "00014016"));
	assert_true(is_fatal(&n, "010a0102 00000000 0000000000000001 0017", ""));
	/* a bit beside the number of the block */
	assert_true(is_fatal(&n, HEADER "5008 0000000000000000 00100000", "00014016"));
	net_free(&n);
}

/* Each bit of a question alone: it is an index, or fatal. */
static void every_bit_of_a_question_is_an_index_or_fatal(void **state)
{
	static const uint8_t index[] = { 0xff, 0xff, 0xff, 0x3f, 0, 0, 0x0f, 0xff };
	struct net n = net();
	char question[2 * 220 + 1];

	(void)state;
	for (unsigned int bit = 0; bit < 16 * 8; bit++) {
		unsigned int byte = bit / 8;
		bool is_index = byte < sizeof(index) && index[byte] & 1 << bit % 8;

		memset(question, '0', sizeof(question) - 1);
		question[2 * byte] = "0123456789abcdef"[1 << bit % 8 >> 4];
		question[2 * byte + 1] = "0123456789abcdef"[(1 << bit % 8) & 0xf];
		question[32] = '\0';
		assert_int_equal(is_fatal(&n, HEADER "5008", question), !is_index);
	}
	net_free(&n);
}

/* ---- of subnet management ------------------------------------------------------- */

static void subnet_management_has_the_masks_of_real_devices(void **state)
{
	struct net n = net_of(53001, 0x1021);
	uint8_t data[64] = { 0 };

	(void)state;
	assert_int_equal(model_smp_general_info(of(&n, SWITCH), 4, data), 0);
	assert_memory_equal(data, "\x20\0\x02\x30\0\0\x40\0\0\0\0\0\0\0\0\0", 16);
	assert_int_equal(model_smp_general_info(of(&n, SWITCH), 1, data), 0x1c);
	memset(of(&n, HOST)->smp, 0, sizeof(of(&n, HOST)->smp));
	assert_int_equal(model_smp_general_info(of(&n, HOST), 4, data), 0x0c);
	assert_int_equal(model_ext_port(of(&n, HOST), 1, data), 0x1c);
	net_free(&n);
}

static void a_port_has_its_extended_info(void **state)
{
	struct net n = net();
	uint8_t data[64] = { 0 };

	(void)state;
	model_phy_up(phy(&n, SWITCH, 1), 400, MODEL_FEC_KP4);
	phy(&n, SWITCH, 1)->fnm = true;
	phy(&n, SWITCH, 1)->special = 0x82;
	assert_int_equal(model_ext_port(of(&n, SWITCH), 1, data), 0);
	assert_int_equal(data[6], 1);
	assert_int_equal(data[44], 0x80);
	assert_int_equal(data[47], 0x82);
	assert_memory_equal(data + 52, "\0\0\xff\xff", 4);
	assert_int_equal(model_ext_port(of(&n, SWITCH), 5, data), 0x1c);
	of(&n, SWITCH)->mute = true;
	assert_int_equal(model_ext_port(of(&n, SWITCH), 1, data), REGISTERS_SAY_NOTHING);
	net_free(&n);
}

static void a_port_without_a_cage_refuses_the_module_alone(void **state)
{
	struct net n = net();

	(void)state;
	phy(&n, SWITCH, 1)->no_cage = true;
	assert_int_equal(ask(&n, SWITCH, MODULE), 0x1c);
	assert_int_equal(ask(&n, SWITCH, LATCHED), 0x1c);
	assert_int_equal(ask(&n, SWITCH, OPERATION), 0);
	assert_int_equal(ask(&n, SWITCH, STATISTICS), 0);
	net_free(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(subnet_management_has_the_masks_of_real_devices),
		cmocka_unit_test(a_port_has_its_extended_info),
		cmocka_unit_test(a_port_without_a_cage_refuses_the_module_alone),
		cmocka_unit_test(general_info_has_the_masks_of_real_devices),
		cmocka_unit_test(what_the_fabric_knows_of_a_device_goes_first),
		cmocka_unit_test(an_answer_is_one_to_its_question),
		cmocka_unit_test(what_does_not_know_registers_refuses_the_class),
		cmocka_unit_test(what_a_device_does_not_have_has_a_status),
		cmocka_unit_test(an_adapter_has_no_fans_and_older_firmware_no_pddr),
		cmocka_unit_test(sensors_are_in_eighths_of_a_degree),
		cmocka_unit_test(fans_turn),
		cmocka_unit_test(a_device_has_a_name_and_knows_its_registers),
		cmocka_unit_test(counters_run_by_the_clock_of_the_line),
		cmocka_unit_test(a_device_may_be_busy_twice_and_then_answer),
		cmocka_unit_test(a_device_may_be_silent_drop_or_want_a_key),
		cmocka_unit_test(a_device_may_take_ib_ports_for_others),
		cmocka_unit_test(a_device_may_be_slow_and_answer_one_at_a_time),
		cmocka_unit_test(an_answer_may_be_cut_or_a_lie),
		cmocka_unit_test(a_line_brings_it_late_and_cut),
		cmocka_unit_test(what_could_change_something_ends_the_test),
		cmocka_unit_test(every_bit_of_a_question_is_an_index_or_fatal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
