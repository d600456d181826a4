/* SPDX-License-Identifier: BSD-2-Clause */
#include "wire/erf.h"

#include <string.h>

#include "wire/mad.h"

/* ---- pcap ----------------------------------------------------------------------- */

#define PCAP_MICROSECONDS 0xa1b2c3d4    /* its byte order is that of all numbers ... */
#define PCAP_NANOSECONDS  0xa1b23c4d    /* ... and its digits mean the unit of time */
#define NS_PER_SECOND     1000000000ull /* nanoseconds */
#define NS_DECIMALS       9             /* of a second */
#define PCAP_SECTION      0x0a0d0d0a    /* begins a pcapng file, in both byte orders */
#define PCAP_ORDER        0x1a2b3c4d    /* of the section: its byte order is that of all numbers */

/* Blocks of pcapng; the offsets are those of a block, its option and its head and tail. */
enum pcap_block { BLOCK_INTERFACE = 1, BLOCK_OLD_PACKET, BLOCK_SIMPLE, BLOCK_PACKET = 6 };
enum { BLOCK_SIZE = 12 };
enum { INTERFACE_OPTIONS = 16, OPTION_HEADER = 4, OPTION_TSRESOL = 9, PACKET_DATA = 28 };

static uint32_t number_get(const uint8_t *p, unsigned int n, bool big_endian)
{
	uint32_t value = 0;

	if (big_endian)
		return (uint32_t)bytes_get(p, n);
	while (n-- > 0)
		value = value << 8 | p[n];
	return value;
}

static void little_put(uint8_t *p, unsigned int n, uint64_t value)
{
	for (; n-- > 0; value >>= 8)
		*p++ = (uint8_t)value;
}

bool pcap_header_get(const uint8_t header[PCAP_HEADER_SIZE], struct pcap_format *out)
{
	for (unsigned int big = 0; big <= 1; big++) {
		uint32_t magic = number_get(header, 4, big);

		*out = (struct pcap_format){ .big_endian = big, .num = 1 };
		out->interfaces[0].link_type = (uint16_t)number_get(header + 20, 4, big);
		out->interfaces[0].decimals = magic == PCAP_NANOSECONDS ? 9 : 6;
		if (magic == PCAP_MICROSECONDS || magic == PCAP_NANOSECONDS)
			return true;
	}
	*out = (struct pcap_format){ .blocks = true };
	return bytes_get(header, 4) == PCAP_SECTION;
}

void pcap_header_put(uint8_t header[PCAP_HEADER_SIZE])
{
	memset(header, 0, PCAP_HEADER_SIZE);
	little_put(header, 4, PCAP_MICROSECONDS);
	little_put(header + 4, 2, 2); /* version 2.4 */
	little_put(header + 6, 2, 4);
	little_put(header + 16, 4, ERF_RECORD_MAX);
	little_put(header + 20, 4, PCAP_LINK_ERF);
}

uint32_t pcap_record_length(const uint8_t record[PCAP_RECORD_SIZE], const struct pcap_format *f)
{
	return number_get(record + 8, 4, f->big_endian);
}

/* Of a count of units that are 10^-decimals seconds; others than powers of ten: 0. */
static uint64_t time_of(uint64_t count, unsigned int decimals)
{
	for (; decimals < NS_DECIMALS; decimals++)
		count *= 10;
	for (; decimals > NS_DECIMALS; decimals--)
		count /= 10;
	return count;
}

static void interface_get(const uint8_t *p, size_t length, struct pcap_format *f)
{
	struct pcap_interface *to = &f->interfaces[f->num++];
	size_t n;

	*to = (struct pcap_interface){ (uint16_t)number_get(p + 8, 2, f->big_endian), 6 };
	for (size_t at = INTERFACE_OPTIONS; at + OPTION_HEADER < length; at += OPTION_HEADER + n) {
		n = (number_get(p + at + 2, 2, f->big_endian) + 3) / 4 * 4;
		if (number_get(p + at, 2, f->big_endian) == OPTION_TSRESOL)
			to->decimals = p[at + OPTION_HEADER];
	}
}

/* A block of pcapng: its type and length, what it holds, its length again. */
static size_t next_block(const uint8_t *p, size_t n, struct pcap_format *f, struct pcap_packet *out)
{
	uint32_t type, length, from;

	if (n < BLOCK_SIZE)
		return 0;
	if (bytes_get(p, 4) == PCAP_SECTION) {
		f->big_endian = bytes_get(p + 8, 4) == PCAP_ORDER;
		f->num = 0;
	}
	type = number_get(p, 4, f->big_endian);
	length = number_get(p + 4, 4, f->big_endian);
	if (length < BLOCK_SIZE || length % 4 != 0 || length > n)
		return 0;
	if (type == BLOCK_INTERFACE && length > INTERFACE_OPTIONS && f->num < PCAP_INTERFACES)
		interface_get(p, length - 4, f);
	out->unread = type == BLOCK_OLD_PACKET || type == BLOCK_SIMPLE;
	if (type != BLOCK_PACKET || length < PACKET_DATA + 4)
		return length;
	from = number_get(p + 8, 4, f->big_endian);
	out->length = number_get(p + 20, 4, f->big_endian);
	out->bytes = p + PACKET_DATA;
	out->time_ns = (uint64_t)number_get(p + 12, 4, f->big_endian) << 32;
	out->time_ns |= number_get(p + 16, 4, f->big_endian);
	out->link_type = 0;
	if (from < f->num) {
		out->link_type = f->interfaces[from].link_type;
		out->time_ns = time_of(out->time_ns, f->interfaces[from].decimals);
	}
	return out->length > length - PACKET_DATA - 4 ? 0 : length;
}

size_t pcap_next(const uint8_t *p, size_t n, struct pcap_format *f, struct pcap_packet *out)
{
	*out = (struct pcap_packet){ .link_type = f->interfaces[0].link_type };
	if (f->blocks)
		return next_block(p, n, f, out);
	if (n < PCAP_RECORD_SIZE || pcap_record_length(p, f) > n - PCAP_RECORD_SIZE)
		return 0;
	out->bytes = p + PCAP_RECORD_SIZE;
	out->length = pcap_record_length(p, f);
	out->time_ns = number_get(p, 4, f->big_endian) * NS_PER_SECOND;
	out->time_ns += time_of(number_get(p + 4, 4, f->big_endian), f->interfaces[0].decimals);
	return PCAP_RECORD_SIZE + out->length;
}

/* ---- ERF ------------------------------------------------------------------------ */

enum { ERF_TYPE_INFINIBAND = 21, ERF_TYPE_META = 27 };
enum erf_offset { TYPE = 8, FLAGS = 9, RECORD_LENGTH = 10, WIRE_LENGTH = 14, ERF_HEADER = 16 };

#define TYPE_EXTENDED   0x80 /* bit of a type, and of an extension: 8 more bytes follow */
#define FLAG_INTERFACE  0x03 /* which interface the packet passed */
#define FLAG_VARYING    0x04 /* records of varying length */
#define FLAG_DS_ERROR   0x20 /* the query timed out */
#define EXTENSION_BYTES 8    /* of an extension header */
#define RECORD_PADDING  8    /* a record of a sniffer is a multiple of it */

/* The whole record: pcap header, ERF header, and length bytes of a packet that is there. */
static size_t erf_put(uint8_t *out, uint8_t type, uint8_t flags, uint64_t time_ns, size_t length)
{
	uint8_t *erf = out + PCAP_RECORD_SIZE;
	/* 32.32 fixed point, rounded up: so every nanosecond comes back as it was */
	uint64_t fraction = ((time_ns % NS_PER_SECOND << 32) + NS_PER_SECOND - 1) / NS_PER_SECOND;

	little_put(out, 4, time_ns / NS_PER_SECOND);
	little_put(out + 4, 4, time_ns % NS_PER_SECOND / 1000);
	little_put(out + 8, 4, ERF_HEADER + length);
	little_put(out + 12, 4, ERF_HEADER + length);
	memset(erf, 0, ERF_HEADER);
	little_put(erf, 8, (time_ns / NS_PER_SECOND << 32) + fraction);
	erf[TYPE] = type;
	erf[FLAGS] = flags | FLAG_VARYING;
	bytes_put(erf + RECORD_LENGTH, 2, ERF_HEADER + length);
	bytes_put(erf + WIRE_LENGTH, 2, length);
	return PCAP_RECORD_SIZE + ERF_HEADER + length;
}

/* ---- packets of MADs ---------------------------------------------------------------- */

/* LRH (IBA 7.7), BTH (IBA 9.2), DETH (IBA 9.3.1); a GRH (IBA 8.3) may lie between. */
enum packet_offset { LRH_BTH = 8, BTH_DETH = 12, DETH_SIZE = 8, GRH_SIZE = 40, CRC_SIZE = 6 };

#define NEXT_IS_BTH  2      /* LNH: a local packet (IBA 7.7.5) */
#define NEXT_IS_GRH  3      /* LNH: a global packet */
#define UD_SEND_ONLY 0x64   /* opcode of an unreliable datagram (IBA 9.2.1) */
#define VL_SMP       15     /* the virtual lane of subnet management */
#define PKEY_DEFAULT 0xffff /* of a full member */

size_t erf_put_mad(uint8_t out[ERF_PACKET_MAX], const struct erf_record *r)
{
	const size_t headers = LRH_BTH + BTH_DETH + DETH_SIZE;
	uint8_t *p = out + PCAP_RECORD_SIZE + ERF_HEADER, *bth = p + LRH_BTH,
		*deth = bth + BTH_DETH;
	size_t padded = (r->length + 3) / 4 * 4;

	memset(p, 0, headers + padded + CRC_SIZE);
	p[0] = (uint8_t)(r->qpn ? 0 : VL_SMP << 4);
	p[1] = (uint8_t)(r->sl << 4 | NEXT_IS_BTH);
	bytes_put(p + 2, 2, r->dlid);
	bytes_put(p + 4, 2, (headers + padded + 4) / 4);
	bytes_put(p + 6, 2, r->slid);
	bth[0] = UD_SEND_ONLY;
	bth[1] = (uint8_t)((4 - r->length % 4) % 4 << 4); /* PadCnt */
	bytes_put(bth + 2, 2, PKEY_DEFAULT);
	bytes_put(bth + 5, 3, r->qpn);
	bytes_put(deth, 4, r->qkey);
	bytes_put(deth + 5, 3, r->qpn);
	memcpy(p + headers, r->bytes, r->length);
	return erf_put(out, ERF_TYPE_INFINIBAND, r->received | (r->error ? FLAG_DS_ERROR : 0),
	               r->time_ns, headers + padded + CRC_SIZE);
}

/* A MAD goes to QP0 or QP1; what is behind its 256 bytes is no part of it. */
enum erf_kind packet_get(const uint8_t *p, size_t length, struct erf_record *out)
{
	const uint8_t *bth = p + LRH_BTH;
	size_t headers = LRH_BTH + BTH_DETH + DETH_SIZE, pad;

	if (length < headers)
		return ERF_OTHER;
	if ((p[1] & 3) == NEXT_IS_GRH) {
		bth += GRH_SIZE;
		headers += GRH_SIZE;
	} else if ((p[1] & 3) != NEXT_IS_BTH) {
		return ERF_OTHER;
	}
	if (length < headers + MAD_HEADER_SIZE || bth[0] != UD_SEND_ONLY)
		return ERF_OTHER;
	out->sl = p[1] >> 4;
	out->dlid = (uint16_t)bytes_get(p + 2, 2);
	out->slid = (uint16_t)bytes_get(p + 6, 2);
	out->qpn = (uint32_t)bytes_get(bth + 5, 3);
	out->qkey = (uint32_t)bytes_get(bth + BTH_DETH, 4);
	pad = bth[1] >> 4 & 3;
	out->bytes = p + headers;
	out->length = length - headers;
	if (out->length > MAD_SIZE)
		out->length = MAD_SIZE;
	else if (out->length >= MAD_HEADER_SIZE + CRC_SIZE + pad)
		out->length -= CRC_SIZE + pad;
	return out->qpn <= 1 ? ERF_MAD : ERF_OTHER;
}

/* ---- comments -------------------------------------------------------------------- */

/* Of a record of metadata: tags of a type, a length and a value; the first names the section. */
enum meta { META_COMMENT = 1, META_SECTION_CAPTURE = 0xff00, META_TAG = 4, META_SECTION = 8 };

size_t erf_put_comment(uint8_t out[ERF_PACKET_MAX], uint64_t time_ns, const char *text)
{
	uint8_t *p = out + PCAP_RECORD_SIZE + ERF_HEADER;
	size_t length = strnlen(text, ERF_COMMENT_MAX), padded = (length + 3) / 4 * 4;

	memset(p, 0, META_SECTION + META_TAG + padded);
	bytes_put(p, 2, META_SECTION_CAPTURE);
	bytes_put(p + 2, 2, META_SECTION - META_TAG);
	bytes_put(p + 4, 2, 1); /* the first capture of the file */
	bytes_put(p + META_SECTION, 2, META_COMMENT);
	bytes_put(p + META_SECTION + 2, 2, length);
	memcpy(p + META_SECTION + META_TAG, text, length);
	return erf_put(out, ERF_TYPE_META, 0, time_ns, META_SECTION + META_TAG + padded);
}

static enum erf_kind comment_get(const uint8_t *p, size_t length, struct erf_record *out)
{
	size_t at = 0, n;

	for (; at + META_TAG <= length; at += META_TAG + (n + 3) / 4 * 4) {
		n = bytes_get(p + at + 2, 2);
		if (bytes_get(p + at, 2) != META_COMMENT)
			continue;
		if (at + META_TAG + n > length)
			return ERF_DAMAGED;
		out->bytes = p + at + META_TAG;
		out->length = n;
		return ERF_COMMENT;
	}
	return ERF_OTHER;
}

/* ---- a record -------------------------------------------------------------------- */

enum erf_kind erf_get(const uint8_t *p, size_t length, struct erf_record *out)
{
	size_t at = ERF_HEADER, end, wire;
	uint64_t fraction;
	bool more, cut;

	*out = (struct erf_record){ .length = 0 };
	if (length < ERF_HEADER)
		return ERF_DAMAGED;
	fraction = number_get(p, 4, false);
	out->time_ns = number_get(p + 4, 4, false) * NS_PER_SECOND +
	               (fraction * NS_PER_SECOND >> 32);
	out->received = p[FLAGS] & FLAG_INTERFACE;
	out->error = p[FLAGS] & FLAG_DS_ERROR;
	end = bytes_get(p + RECORD_LENGTH, 2);
	wire = bytes_get(p + WIRE_LENGTH, 2);
	/* a sniffer pads its records, and pcap may leave that out */
	if (end >= length + RECORD_PADDING || end < ERF_HEADER)
		return ERF_DAMAGED;
	cut = end > length;
	end = cut ? length : end;
	for (more = p[TYPE] & TYPE_EXTENDED; more; at += EXTENSION_BYTES) {
		if (at + EXTENSION_BYTES > end)
			return ERF_DAMAGED;
		more = p[at] & TYPE_EXTENDED;
	}
	/* the wire length is that of the packet itself */
	if (cut && at + wire > end)
		return ERF_DAMAGED;
	if ((p[TYPE] & ~TYPE_EXTENDED) == ERF_TYPE_META)
		return comment_get(p + at, end - at, out);
	if (at + wire < end)
		end = at + wire;
	if ((p[TYPE] & ~TYPE_EXTENDED) != ERF_TYPE_INFINIBAND)
		return ERF_OTHER;
	return packet_get(p + at, end - at, out);
}
