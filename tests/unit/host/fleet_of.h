/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef UNIT_FLEET_OF_H
#define UNIT_FLEET_OF_H

/* Fleets of reports that are texts; after cmocka.h. */
#include <errno.h>
#include <string.h>

#include "fleet/fleet.h"

/* ---- reports ----------------------------------------------------------------------------- */

/* A report in one line, as short as they come; times are seconds of one minute. */
#define REPORT_AT(second, host, verdict, guid, findings)                                           \
	"{\"schema\": 2, \"tool\": {\"name\": \"ibcheck\", \"version\": \"1.0\"}, "                \
	"\"meta\": {\"time\": \"2026-01-31T12:00:" second "Z\", \"host\": \"login\", "             \
	"\"described\": " host ", \"command\": \"host\", \"arguments\": [\"{\", \"}\"]}, "         \
	"\"verdict\": \"" verdict "\", \"coverage\": {\"complete\": true, \"skipped\": []}, "      \
	"\"findings\": [" findings "], \"cases\": [{\"findings\": [0]}], "                         \
	"\"tables\": {\"host_ports\": [{\"ca\": \"mlx5_0\", \"port\": 1, \"lid\": 7, "             \
	"\"rate_gbps\": 400.0, \"state\": null, \"node_guid\": \"" guid "\"}], "                   \
	"\"other\": [{\"ca\": \"x\"}], "                                                           \
	"\"facts\": [{\"subject\": \"mlx5_0\", \"key\": \"fw_ver\", \"value\": \"28.1\", "         \
	"\"path\": \"/sys\"}]}}\n"
#define REPORT(host, verdict) REPORT_AT("00", "\"" host "\"", verdict, "0x1", "")
#define DOWN                                                                                       \
	"{\"check\": \"host.port-state\", \"severity\": \"critical\", \"subject\": "               \
	"{\"kind\": \"port\", \"node_desc\": \"mlx5_1/1\"}, \"related\": [{\"role\": "             \
	"\"cause\", \"kind\": \"node\", \"node_desc\": \"x\"}], \"message\": \"is "                \
	"\\\"Down\\\"\", "                                                                         \
	"\"advice\": \"m\\u00e9nd \\ud83d\\ude00\", \"facts\": {\"kind\": \"y\"}, "                \
	"\"known\": null}"

/* ---- reading ------------------------------------------------------------------------------ */

/* In pieces of so many bytes; NULL: no memory. */
static inline struct ibc_fleet *load(const char *label, const char *text, size_t piece,
                                     const struct ibc_fleet_opts *opts)
{
	struct ibc_fleet *fleet = fleet_new(opts);
	size_t length = strlen(text);

	if (!fleet || setjmp(fleet->escape)) {
		ibc_fleet_free(fleet);
		return NULL;
	}
	feed_begin(fleet, "FILE", label);
	for (size_t i = 0; i < length; i += piece)
		feed_bytes(fleet, text + i, length - i < piece ? length - i : piece);
	feed_end(fleet);
	fleet_join(fleet);
	return fleet;
}

#endif
