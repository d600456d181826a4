/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Captures of InfiniBand packets as Wireshark reads them: pcap files of link type 197, whose
 * records are in Endace's Extensible Record Format (ERF types 21 and 27).  A packet of type 21
 * is LRH, GRH or not, BTH, DETH, MAD, ICRC, VCRC (IBA 5.2); one of type 27 holds a comment.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mad.h"

#define PCAP_HEADER_SIZE 24    /* bytes, once a file */
#define PCAP_RECORD_SIZE 16    /* bytes, before each record */
#define ERF_RECORD_MAX   65535 /* bytes: its length has 16 bits */
#define ERF_COMMENT_MAX  1024  /* bytes of a comment that is written: a line of ours, thrice */
#define ERF_PACKET_MAX   2048  /* bytes of a record that is written, with its pcap header */

/* struct pcap_format - what the header of a file says of the records */
struct pcap_format {
	uint32_t link_type;
	bool big_endian, nanoseconds;
};

enum { PCAP_LINK_ERF = 197 };

/* False: this is no pcap file. */
bool pcap_header_get(const uint8_t header[PCAP_HEADER_SIZE], struct pcap_format *out);
/* Little-endian, microseconds, ERF. */
void pcap_header_put(uint8_t header[PCAP_HEADER_SIZE]);
/* How many bytes of the file belong to the record that follows. */
uint32_t pcap_record_length(const uint8_t record[PCAP_RECORD_SIZE], const struct pcap_format *f);

enum erf_kind {
	ERF_MAD,
	ERF_COMMENT, /* text, not terminated */
	ERF_OTHER,   /* another packet than a MAD, or a record of another type */
	ERF_DAMAGED, /* its lengths contradict each other */
};

/*
 * struct erf_record - one record
 * @received: by interface 1, else sent by interface 0
 * @error: the flag "DS error", by which a trace marks the query that timed out
 */
struct erf_record {
	uint64_t time_ns; /* since 1970 */
	bool received, error;
	uint8_t sl;
	uint16_t dlid, slid;
	uint32_t qpn, qkey;
	const uint8_t *bytes; /* of the MAD, or of the comment */
	size_t length;
};

/* Total over any bytes; out->bytes points into them. */
enum erf_kind erf_get(const uint8_t *record, size_t length, struct erf_record *out);
/*
 * A record with its pcap header; how long they are.  A MAD has at most MAD_SIZE bytes, a
 * comment ERF_COMMENT_MAX.
 */
size_t erf_put_mad(uint8_t out[ERF_PACKET_MAX], const struct erf_record *r);
size_t erf_put_comment(uint8_t out[ERF_PACKET_MAX], uint64_t time_ns, const char *text);
