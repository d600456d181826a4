/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The allow list of a site: what it means to have where a check would report it. */
#include <stdbool.h>

struct ibc_address;

/*
 * Does an allow list name something?  Patterns separated by commas; with a @kind, those that
 * have it before a colon: "comm:rsync*", "job:4711", "mount:/scratch", "subnet:10.1.0.0/16",
 * "user:0".
 */
bool allow_names(const char *allow, const char *kind, const char *value);
bool allow_names_address(const char *allow, const struct ibc_address *address);
bool address_is_within(const struct ibc_address *address, const struct ibc_address *subnet);
