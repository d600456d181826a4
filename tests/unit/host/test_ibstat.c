/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What ibstat printed on training hosts, laid out as the files it was read from: what is
 * read of them and printed the same way is the same text.
 */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <ibcheck/fabric.h>

#include "mkstack.h"

#define CAPTURES       "../shared/data/ibstat/ibstat."
#define LINE_MAX_BYTES 256

/* ---- from text to files ------------------------------------------------------------- */

/* struct place - where the lines are that are laid out: a device, and a port of it */
struct place {
	char device[64];
	unsigned int port;
};

static void put_value(const struct place *at, bool of_port, const char *file, const char *value)
{
	char path[256], text[256];

	if (of_port)
		snprintf(path, sizeof(path), CLASS "%s/ports/%u/%s", at->device, at->port, file);
	else
		snprintf(path, sizeof(path), CLASS "%s/%s", at->device, file);
	snprintf(text, sizeof(text), "%s\n", value);
	put(path, text);
}

/* "0x946dae0300cde72c" as "946d:ae03:00cd:e72c" */
static const char *guid_text(const char *value, const char *before)
{
	static char text[64];
	unsigned long long guid = strtoull(value, NULL, 16);

	snprintf(text, sizeof(text), "%s%04llx:%04llx:%04llx:%04llx", before, guid >> 48,
	         guid >> 32 & 0xffff, guid >> 16 & 0xffff, guid & 0xffff);
	return text;
}

static void put_text(const struct place *at, bool of_port, const char *file, const char *value)
{
	put_value(at, of_port, file, value);
}

static void put_guid(const struct place *at, bool of_port, const char *file, const char *value)
{
	put_value(at, of_port, file, guid_text(value, ""));
}

static void put_gid(const struct place *at, bool of_port, const char *file, const char *value)
{
	put_value(at, of_port, file, guid_text(value, "fe80:0000:0000:0000:"));
}

/* As the kernel has them, with their numbers. */
static void put_word(const struct place *at, bool of_port, const char *file, const char *value)
{
	static const char *const words[][2] = {
		{ "Down", "1: DOWN" },
		{ "Active", "4: ACTIVE" },
		{ "Polling", "2: Polling" },
		{ "Disabled", "3: Disabled" },
		{ "LinkUp", "5: LinkUp" },
		{ "40", "40 Gb/sec (4X QDR)" },
		{ "100", "100 Gb/sec (4X EDR)" },
		{ "200", "200 Gb/sec (4X HDR)" },
		{ "400", "400 Gb/sec (4X NDR)" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i][0], value)) {
			put_value(at, of_port, file, words[i][1]);
			return;
		}
	fail_msg("no kernel has the word %s", value);
}

static const struct {
	const char *key, *file;
	bool of_port;
	void (*put)(const struct place *at, bool of_port, const char *file, const char *value);
} keys[] = {
	{ "CA type", "hca_type", false, put_text },
	{ "Firmware version", "fw_ver", false, put_text },
	{ "Hardware version", "hw_rev", false, put_text },
	{ "Node GUID", "node_guid", false, put_guid },
	{ "System image GUID", "sys_image_guid", false, put_guid },
	{ "State", "state", true, put_word },
	{ "Physical state", "phys_state", true, put_word },
	{ "Rate", "rate", true, put_word },
	{ "Base lid", "lid", true, put_text },
	{ "LMC", "lid_mask_count", true, put_text },
	{ "SM lid", "sm_lid", true, put_text },
	{ "Capability mask", "cap_mask", true, put_text },
	{ "Port GUID", "gids/0", true, put_gid },
	{ "Link layer", "link_layer", true, put_text },
};

static void put_line(struct place *at, const char *line)
{
	size_t n = strcspn(line, ":");

	if (sscanf(line, "CA '%63[^']'", at->device) == 1) {
		put_value(at, false, "node_type", "1: CA");
		return;
	}
	if (sscanf(line, "Port %u:", &at->port) == 1) {
		put_value(at, true, "sm_sl", "0");
		return;
	}
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (n == strlen(keys[i].key) && !strncmp(line, keys[i].key, n))
			keys[i].put(at, keys[i].of_port, keys[i].file, line + n + 2);
}

/* The lines that ibstat has of devices, without blanks before them, in @text. */
static void put_capture(const char *path, FILE *text)
{
	struct place at = { .device = "" };
	char line[LINE_MAX_BYTES];
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		char *begin = line + strspn(line, " \t");

		begin[strcspn(begin, "\n")] = '\0';
		if (!*begin || !strncmp(begin, "ibpanic", 7))
			continue;
		put_line(&at, begin);
		fprintf(text, "%s\n", begin);
	}
	fclose(f);
}

/* ---- and back ------------------------------------------------------------------------- */

static void print_port(FILE *out, const struct ibc_rdma_port *p)
{
	fprintf(out, "Port %u:\n", p->num);
	fprintf(out, "State: %s\n", ibc_port_state_word(p->state)->name);
	fprintf(out, "Physical state: %s\n", ibc_phys_state_word(p->phys_state)->name);
	fprintf(out, "Rate: %.0f\n", p->rate_gbps);
	if (p->infiniband) {
		fprintf(out, "Base lid: %u\nLMC: %u\nSM lid: %u\n", p->lid, p->lmc, p->sm_lid);
		fprintf(out, "Capability mask: 0x%08x\n", p->cap_mask);
		fprintf(out, "Port GUID: 0x%016llx\n", (unsigned long long)p->guid);
	}
	fprintf(out, "Link layer: %s\n", p->link_layer);
}

static void print_device(FILE *out, const struct ibc_rdma_device *d)
{
	fprintf(out, "CA '%s'\nCA type: %s\nNumber of ports: %zu\n", d->name, d->hca_type,
	        d->num_ports);
	fprintf(out, "Firmware version: %s\nHardware version: %s\n", d->fw_ver, d->hw_rev);
	fprintf(out, "Node GUID: 0x%016llx\n", (unsigned long long)d->node_guid);
	fprintf(out, "System image GUID: 0x%016llx\n", (unsigned long long)d->sys_image_guid);
	for (size_t i = 0; i < d->num_ports; i++)
		print_port(out, &d->ports[i]);
}

/* Without what is not read of Ethernet ports. */
static void leave_out_ethernet(char *text)
{
	char *at, *end;

	while ((at = strstr(text, "Base lid: 0\nLMC: 0\nSM lid: 0\n")) &&
	       (end = strstr(at, "Link layer: Ethernet")))
		memmove(at, end, strlen(end) + 1);
}

/* ---- tests ------------------------------------------------------------------------------ */

static char *captured(const char *path)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	put_capture(path, out);
	assert_int_equal(fclose(out), 0);
	leave_out_ethernet(text);
	return text;
}

/* In the order of ibstat, which is that of names as text. */
static char *printed(const struct ibc_host *host)
{
	const struct ibc_rdma_device *device, *next, *last = NULL;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (;; last = next) {
		next = NULL;
		for (size_t i = 0; (device = ibc_host_device(host, i)); i++)
			if ((!last || strcmp(device->name, last->name) > 0) &&
			    (!next || strcmp(device->name, next->name) < 0))
				next = device;
		if (!next)
			break;
		print_device(out, next);
	}
	assert_int_equal(fclose(out), 0);
	return text;
}

static void each(void (*test)(const char *path))
{
	glob_t found;

	if (glob(CAPTURES "*", 0, NULL, &found)) {
		print_message("SKIPPED: there is nothing like " CAPTURES "*\n");
		skip();
	}
	for (size_t i = 0; i < found.gl_pathc; i++) {
		test(found.gl_pathv[i]);
		assert_int_equal(remove_root(NULL), 0);
		assert_int_equal(make_root(NULL), 0);
	}
	globfree(&found);
}

static void expect_same(const char *path)
{
	char *before = captured(path), *after;
	struct ibc_host *host = read_host();

	after = printed(host);
	assert_string_equal(after, before);
	free(before);
	free(after);
	ibc_host_free(host);
}

static void what_is_read_is_what_ibstat_printed(void **state)
{
	(void)state;
	each(expect_same);
}

/* Every InfiniBand port is up on these, and whatever else is down is Ethernet. */
static void expect_no_fault(const char *path)
{
	free(captured(path));
	says("host.port-state,host.rate,host.firmware", "");
}

static void ethernet_ports_that_are_down_are_no_fault_of_the_fabric(void **state)
{
	(void)state;
	each(expect_no_fault);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_read_is_what_ibstat_printed),
		TEST(ethernet_ports_that_are_down_are_no_fault_of_the_fabric),
	};

	return cmocka_run_group_tests_name("ibstat", tests, NULL, NULL);
}
