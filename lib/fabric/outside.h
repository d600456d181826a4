/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Hosts, and what a core that knows fabrics only asks about them. */
#include <ibcheck/fabric.h>

struct ibc_cabling;
struct ibc_check;
struct ibc_fleet;
struct ibc_host;
struct ibc_input;
struct ibc_sink;
struct ibc_subject;
struct plug;

/*
 * struct outside - what a part answers for the things outside of a fabric that an input can have
 *
 * Of input.host:
 * @name: for sentences
 * @parts: set of enum ibc_host_part that was read
 * @shows: the attributes of the physical layer that something of it has
 * @hides_modules: the kernel lets only root read what is plugged in
 * @next_plug: fills in the next port, whatever is plugged in; false: there is none
 * @sensor: the i-th one that is of a device, not of a module that was read; NULL: no more
 *
 * Of a fleet:
 * @has_policy: it was read with one
 * @fabric: that its hosts were found in
 * @looked: as store_looked()
 */
struct outside {
	const char *(*name)(const struct ibc_host *host);
	uint32_t (*parts)(const struct ibc_host *host);
	struct ibc_attrs (*shows)(const struct ibc_host *host);
	bool (*hides_modules)(const struct ibc_host *host);
	bool (*next_plug)(const struct ibc_input *in, struct ibc_sink *out, struct plug *plug);
	const struct ibc_sensor *(*sensor)(const struct ibc_host *host, size_t i,
	                                   struct ibc_subject *device);
	bool (*has_policy)(const struct ibc_fleet *fleet);
	const struct ibc_fabric *(*fabric)(const struct ibc_cabling *cabling);
	bool (*looked)(const struct ibc_input *in, const struct ibc_check *check, const char *what,
	               const char *thing);
};

/* outside.txt: of the build; [0] is there where an input has a host or a fleet. */
extern const struct outside *const outsides[];
