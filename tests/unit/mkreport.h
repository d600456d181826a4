/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKREPORT_H
#define MKREPORT_H

/* What the tests of reports have in common. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ibcheck/report.h>

#include "base/arena.h"

static const struct ibc_subject the_fabric = { .kind = IBC_SUBJECT_FABRIC };

static inline struct ibc_end mkend(uint64_t guid, const char *desc, unsigned int port)
{
	return (struct ibc_end){
		.guid = guid, .has_guid = true, .desc = desc, .port = port, .has_port = true
	};
}

static inline struct ibc_subject mknode(uint64_t guid, const char *desc)
{
	return (struct ibc_subject){
		.kind = IBC_SUBJECT_NODE,
		.near = { .guid = guid, .has_guid = true, .desc = desc },
	};
}

static inline struct ibc_subject mkport(uint64_t guid, const char *desc, unsigned int port)
{
	return (struct ibc_subject){ .kind = IBC_SUBJECT_PORT, .near = mkend(guid, desc, port) };
}

static inline struct ibc_subject mkcable(struct ibc_end near, struct ibc_end far)
{
	return (struct ibc_subject){ .kind = IBC_SUBJECT_CABLE, .near = near, .far = far };
}

static inline struct ibc_subject mkhost(const char *name)
{
	return (struct ibc_subject){ .kind = IBC_SUBJECT_HOST, .near = { .desc = name } };
}

static inline struct ibc_report *mkreport(void)
{
	struct ibc_report *rep;

	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	return rep;
}

/* A row of a test is an array of values; column @i shows the one of that number. */
static inline struct ibc_value nth_value(struct ibc_cell *cell)
{
	return ((const struct ibc_value *)cell->row)[cell->column->arg];
}

/* clang-format off */
#define COLUMN(i, k, title) { .key = (k), .heading = (title), .value = nth_value, .arg = (i) }
/* clang-format on */

/* A finding of a severity about port 1 of a node of this GUID. */
static inline void mkfinding(struct ibc_report *rep, const char *check, enum ibc_severity severity,
                             uint64_t guid)
{
	struct ibc_subject subject = mkport(guid, "leaf", 1);

	ibc_report_add(rep, check, severity, &subject, "is not as it should be");
}

#endif
