/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Subnet administration (IBA 15.2): queries out, records in. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/types.h>

#include "base/mad.h"
#include "wire/mad.h"

#define SA_HEADER_SIZE  56  /* header, RMPP header, SA header */
#define SA_PATH_SIZE    64  /* bytes of a PathRecord (IBA 15.2.5.16) */
#define SA_MEMBER_SIZE  52  /* bytes of an MCMemberRecord (IBA 15.2.5.17) */
#define SA_SERVICE_SIZE 176 /* bytes of a ServiceRecord (IBA 15.2.5.14) */

/* The only ServiceName that is asked for: the aggregation manager of SHARP registers it. */
#define SA_SERVICE_SHARP "SHArP.AggregationManager"

enum sa_attribute {
	SA_CLASS_PORT_INFO = 0x01,
	SA_SERVICE_RECORD = 0x31,
	SA_PATH_RECORD = 0x35,
	SA_MC_MEMBER_RECORD = 0x38,
};

/* struct sa_query - lid, sl: where to; slid, dlid: only of a PathRecord */
struct sa_query {
	enum mad_method method;
	uint16_t attribute; /* enum sa_attribute */
	uint64_t sm_key;
	uint16_t lid;
	uint8_t sl;
	uint16_t slid, dlid;
};

/* Writes a whole query, without a transaction id, and where it goes: QP1 of a LID. */
void sa_ask(uint8_t mad[MAD_SIZE], struct mad_addr *to, const struct sa_query *q);

/* Is this status an answer: there are no such records (IBA 15.2.2.1, ERR_NO_RECORDS)? */
bool sa_has_no_records(const uint8_t mad[SA_HEADER_SIZE]);

/* ---- answers: every decoder is total ---------------------------------------- */

struct sa_class_info {
	uint16_t cap_mask;
	uint32_t response_us;     /* RespTimeValue */
	struct mad_addr redirect; /* where to ask instead; dlid 0: nowhere else */
};

void sa_class_info_get(const uint8_t mad[MAD_SIZE], struct sa_class_info *out);

/*
 * struct sa_records - the records of an answer
 * @size: bytes from one to the next
 * @cut_short: there may have been more
 */
struct sa_records {
	const uint8_t *first;
	size_t num, size;
	bool cut_short;
};

/*
 * The records of an answer of length bytes, at least SA_HEADER_SIZE.  False: they are
 * shorter than least.
 */
bool sa_records_get(const uint8_t *mad, size_t length, size_t least, struct sa_records *out);

/*
 * What many MADs were put together from, as segments of RMPP again (IBA 13.6.2.3): an answer
 * of length bytes has so many, and segment i, from 0, is written into mad.
 */
size_t sa_segments(size_t length);
void sa_segment_put(uint8_t mad[MAD_SIZE], const uint8_t *whole, size_t length, size_t i);
/* Is it a segment of data, and the how many-th?  0: no. */
uint32_t sa_segment_number(const uint8_t mad[MAD_SIZE]);
/* Bytes of it, header included; of the only segment, or of the last. */
size_t sa_segment_length(const uint8_t mad[MAD_SIZE]);

void sa_path_get(const uint8_t record[SA_PATH_SIZE], struct ibc_path_sl *out);
void sa_member_get(const uint8_t record[SA_MEMBER_SIZE], struct ibc_mc_member *out);
/* False: it has another name than SA_SERVICE_SHARP. */
bool sa_service_get(const uint8_t record[SA_SERVICE_SIZE], struct ibc_service *out);
