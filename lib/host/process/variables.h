/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The variables that say how a program sends its data, or which job it belongs to. */
#include <ibcheck/host.h>

#define RANK_WHOLE 7 /* who has all of these bits is a rank of a parallel program */

/*
 * struct variable - a row of the table, which ibcheck-ipoib(8) lists
 * @meaning: what it says of a program that has it, in a few words
 * @effect, @host_effect: what a value does, on any host or with such devices; both NULL: it
 *	informs, it does nothing
 * @job: kind of the job whose id it holds, or NULL
 * @rank: the bits that it makes of a rank; its value is not kept
 */
struct variable {
	const char *name, *meaning;
	uint8_t (*effect)(const char *value);
	uint8_t (*host_effect)(const struct ibc_host *host, const char *value);
	const char *job;
	uint8_t rank;
};

/* NULL: no variable of the table, and so its value is not kept. */
const struct variable *variable_of(const char *name, size_t length);
/* In the order of their names; NULL past the last. */
const struct variable *variable_at(size_t i);

/* May a program with this setting send over the device?  Settings of another kind allow any. */
bool variable_takes_device(const char *name, const char *value, const char *device);
