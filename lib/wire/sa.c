/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include <infiniband/mad.h>

#include "wire/pma.h"
#include "wire/sa.h"

#define SA_VERSION        2      /* ClassVersion of subnet administration (IBA 15.2.1.1) */
#define STATUS_NO_RECORDS 0x0300 /* class-specific status 3 (IBA 15.2.2.1) */

/* Of the RMPP header (IBA 13.6.2.1). */
enum rmpp_offset { RMPP_TYPE = 25, RMPP_FLAGS = 26, RMPP_SEGMENT = 28, RMPP_PAYLOAD = 32 };
#define RMPP_DATA  1 /* RMPPType of a segment of data (IBA 13.6.2.3) */
#define RMPP_FIRST 2 /* flag of the first segment (IBA 13.6.2.1) ... */
#define RMPP_LAST  4 /* ... and of the last */

#define SEGMENT_BYTES (MAD_SIZE - SA_HEADER_SIZE) /* data of a segment */
#define PAYLOAD_AT    36 /* PayloadLength counts from the SA header on (IBA 13.6.2.3) */

/* Of the SA header (IBA 15.2.1.1), and the answer to a PathRecord (IBA 15.2.5.16). */
enum offset { SM_KEY = 36, ATTRIBUTE_OFFSET = 44, COMPONENT_MASK = 48 };
enum path_offset { PATH_DLID = 40, PATH_SLID = 42, PATH_NUMB = 49, PATH_SL = 53 };
#define PATH_COMPONENTS (1 << 4 | 1 << 5 | 1 << 11 | 1 << 12) /* DLID SLID Reversible NumbPath */
#define ONE_REVERSIBLE  (1 << 7 | 1) /* bit 7 Reversible, bits 6-0 NumbPath */
#define SERVICE_NAME    48           /* of a ServiceRecord (IBA 15.2.5.14), 64 bytes ... */
#define BY_SERVICE_NAME (1 << 6)     /* ... and its component */

/* ---- queries ------------------------------------------------------------------ */

void sa_ask(uint8_t mad[MAD_SIZE], struct mad_addr *to, const struct sa_query *q)
{
	uint8_t *data = mad + SA_HEADER_SIZE;

	gmp_put(mad, to, MAD_CLASS_SA, q->method, q->attribute, q->lid);
	to->sl = q->sl;
	mad_set_field(mad, 0, IB_MAD_CLASSVER_F, SA_VERSION);
	bytes_put(mad + SM_KEY, 8, q->sm_key);
	if (q->attribute == SA_SERVICE_RECORD) {
		bytes_put(mad + COMPONENT_MASK, 8, BY_SERVICE_NAME);
		memcpy(data + SERVICE_NAME, SA_SERVICE_SHARP, sizeof(SA_SERVICE_SHARP));
	}
	if (q->attribute != SA_PATH_RECORD)
		return;
	bytes_put(mad + COMPONENT_MASK, 8, PATH_COMPONENTS);
	bytes_put(data + PATH_DLID, 2, q->dlid);
	bytes_put(data + PATH_SLID, 2, q->slid);
	data[PATH_NUMB] = ONE_REVERSIBLE;
}

bool sa_has_no_records(const uint8_t mad[SA_HEADER_SIZE])
{
	struct mad_header h;

	mad_header_get(mad, &h);
	return h.status == STATUS_NO_RECORDS;
}

/* ---- answers -------------------------------------------------------------------- */

/* 4.096 us, doubled so often (IBA 13.4.8.1). */
static uint32_t response_us(unsigned int value)
{
	uint64_t ns = 4096ull << value;

	return ns / 1000 > UINT32_MAX ? UINT32_MAX : (uint32_t)(ns / 1000);
}

/* One ClassPortInfo for all classes. */
void sa_class_info_get(const uint8_t mad[MAD_SIZE], struct sa_class_info *out)
{
	const uint8_t *data = mad + SA_HEADER_SIZE;
	struct pma_class_info info;

	pma_class_info_get(data, &info);
	out->cap_mask = info.cap_mask;
	out->redirect = info.redirect;
	out->response_us = response_us(mad_get_field((void *)data, 0, IB_CPI_RESP_TIME_VALUE_F) &
	                               31);
}

/*
 * Who puts an answer of many MADs together leaves the header of the first: it is one of
 * data.  Where that was not done, as under a simulator, and a whole MAD came, there may be more.
 * The last record may lack what fills the others up; with less of it the answer was cut off.
 */
bool sa_records_get(const uint8_t *mad, size_t length, size_t least, struct sa_records *out)
{
	size_t size = bytes_get(mad + ATTRIBUTE_OFFSET, 2) * 8, data = length - SA_HEADER_SIZE;
	size_t fill = size - least < 8 ? size - least : 0, num = size ? (data + fill) / size : 0;

	*out = (struct sa_records){
		.first = mad + SA_HEADER_SIZE,
		.size = size,
		.num = num,
		.cut_short = (mad[RMPP_TYPE] != RMPP_DATA && length >= MAD_SIZE) ||
		             data > num * size,
	};
	return !num || size >= least;
}

size_t sa_segments(size_t length)
{
	return length <= MAD_SIZE ? 1
	                          : (length - SA_HEADER_SIZE + SEGMENT_BYTES - 1) / SEGMENT_BYTES;
}

/* The payload of the first is that of all, each with its SA header. */
void sa_segment_put(uint8_t mad[MAD_SIZE], const uint8_t *whole, size_t length, size_t i)
{
	size_t num = sa_segments(length), at = i * SEGMENT_BYTES;
	size_t data = length - SA_HEADER_SIZE - at;
	size_t headers = i == 0 ? num * (SA_HEADER_SIZE - PAYLOAD_AT) : SA_HEADER_SIZE - PAYLOAD_AT;
	bool is_last = i + 1 == num;

	memset(mad, 0, MAD_SIZE);
	memcpy(mad, whole, SA_HEADER_SIZE);
	memcpy(mad + SA_HEADER_SIZE, whole + SA_HEADER_SIZE + at, is_last ? data : SEGMENT_BYTES);
	mad[RMPP_FLAGS] = (uint8_t)((mad[RMPP_FLAGS] & ~(RMPP_FIRST | RMPP_LAST)) |
	                            (i == 0 ? RMPP_FIRST : 0) | (is_last ? RMPP_LAST : 0));
	bytes_put(mad + RMPP_SEGMENT, 4, i + 1);
	bytes_put(mad + RMPP_PAYLOAD, 4, i == 0 || is_last ? headers + data : 0);
}

uint32_t sa_segment_number(const uint8_t mad[MAD_SIZE])
{
	return mad[RMPP_TYPE] == RMPP_DATA ? (uint32_t)bytes_get(mad + RMPP_SEGMENT, 4) : 0;
}

size_t sa_segment_length(const uint8_t mad[MAD_SIZE])
{
	size_t payload = bytes_get(mad + RMPP_PAYLOAD, 4);

	if (payload < SA_HEADER_SIZE - PAYLOAD_AT || payload > MAD_SIZE - PAYLOAD_AT)
		return MAD_SIZE;
	return PAYLOAD_AT + payload;
}

void sa_path_get(const uint8_t record[SA_PATH_SIZE], struct ibc_path_sl *out)
{
	*out = (struct ibc_path_sl){
		.slid = (uint16_t)bytes_get(record + PATH_SLID, 2),
		.dlid = (uint16_t)bytes_get(record + PATH_DLID, 2),
		.sl = record[PATH_SL] & 15,
	};
}

/* MCMemberRecord (IBA 15.2.5.17) */
void sa_member_get(const uint8_t record[SA_MEMBER_SIZE], struct ibc_mc_member *out)
{
	*out = (struct ibc_mc_member){
		.port_guid = bytes_get(record + 24, 8),
		.qkey = (uint32_t)bytes_get(record + 32, 4),
		.mlid = (uint16_t)bytes_get(record + 36, 2),
		.mtu = record[38] & 63,
		.pkey = (uint16_t)bytes_get(record + 40, 2),
		.rate = record[42] & 63,
		.sl = record[44] >> 4,
		.join_state = record[48] & 15,
	};
	memcpy(out->mgid, record, sizeof(out->mgid));
}

/* ServiceRecord (IBA 15.2.5.14).  A manager that ignores the component mask lists all services. */
bool sa_service_get(const uint8_t record[SA_SERVICE_SIZE], struct ibc_service *out)
{
	*out = (struct ibc_service){
		.id = bytes_get(record, 8),
		.pkey = (uint16_t)bytes_get(record + 24, 2),
		.lease_seconds = (uint32_t)bytes_get(record + 28, 4),
	};
	memcpy(out->gid, record + 8, sizeof(out->gid));
	return !memcmp(record + SERVICE_NAME, SA_SERVICE_SHARP, sizeof(SA_SERVICE_SHARP));
}
