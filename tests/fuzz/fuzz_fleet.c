/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes are reports of hosts, or what is wrong with them; the same whatever pieces they come
 * in.  And whatever GUIDs and names they have, they are found in a fabric, or it is known why not.
 */
#include <stdlib.h>
#include <string.h>

#include <ibcheck/cabling.h>
#include <ibcheck/source.h>

#include "fleet/fleet.h"

static void expect(int holds)
{
	if (!holds)
		abort();
}

static struct ibc_fleet *load(const uint8_t *data, size_t size, size_t piece)
{
	static const struct ibc_fleet_opts opts = { .now = 1, .max_age_seconds = 1 };
	struct ibc_fleet *fleet = fleet_new(&opts);

	expect(fleet && !setjmp(fleet->escape));
	feed_begin(fleet, "fuzz", NULL);
	for (size_t i = 0; i < size; i += piece)
		feed_bytes(fleet, (const char *)data + i, size - i < piece ? size - i : piece);
	feed_end(fleet);
	fleet_join(fleet);
	return fleet;
}

static void compare_reports(const struct ibc_fleet_report *a, const struct ibc_fleet_report *z)
{
	expect(!strcmp(a->source, z->source) && !strcmp(a->command, z->command));
	expect(!a->trouble == !z->trouble && (!a->trouble || !strcmp(a->trouble, z->trouble)));
	expect(a->num_facts == z->num_facts && a->num_findings == z->num_findings);
}

static void look_up(const struct ibc_fleet *fleet, const struct ibc_fleet_report *r)
{
	for (size_t i = 0; i < r->num_facts; i++) {
		struct ibc_fleet_key key = ibc_fleet_key(fleet, r->facts[i].key);

		expect(*key.table && key.thing && key.what);
		expect(*ibc_fleet_text(fleet, r->facts[i].value));
	}
}

static void find_in_fabric(const struct ibc_fleet *fleet)
{
	static const char *const spec[] = { "synth:fattree:rails=2,leaves=2,hosts=4,spines=1" };
	static struct ibc_fabric *fab;
	struct ibc_source_opts opts = IBC_SOURCE_OPTS_INIT;
	const struct ibc_fleet_cables *h;
	struct ibc_cabling *c;

	if (!fab)
		expect(ibc_fabric_load(spec, 1, &opts, &fab, NULL) == 0);
	expect(ibc_cabling_find(fleet, fab, &c, NULL) == 0);
	for (size_t i = 0; (h = ibc_cabling_host(c, i)); i++) {
		expect(ibc_cabling_of(c, h->host->name) == h);
		for (size_t k = 0; k < h->num; k++)
			expect(!h->ports[k].at == (h->ports[k].joined < IBC_JOINED_NAME));
	}
	ibc_cabling_free(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ibc_fleet *whole = load(data, size, size + 1);
	struct ibc_fleet *cut = load(data, size, size ? 1 + data[0] % 7 : 1);
	const struct ibc_fleet_host *h, *same;

	for (size_t i = 0; (h = ibc_fleet_host(whole, i)); i++) {
		same = ibc_fleet_host(cut, i);
		expect(same && !strcmp(h->name, same->name) && h->verdict == same->verdict);
		expect(h->num_reports == same->num_reports);
		for (size_t k = 0; k < h->num_reports; k++) {
			compare_reports(h->reports[k], same->reports[k]);
			look_up(whole, h->reports[k]);
		}
	}
	find_in_fabric(whole);
	ibc_fleet_free(whole);
	ibc_fleet_free(cut);
	return 0;
}
