/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Captures of InfiniBand packets as Wireshark reads and writes them: pcap and pcapng files.  The
 * records of link type 197 are in Endace's Extensible Record Format (ERF types 21 and 27), those
 * of link type 247 are packets, as tcpdump writes them.  A packet, also of ERF type 21, is LRH, GRH
 * or not, BTH, DETH, MAD, ICRC, VCRC (IBA 5.2); a record of ERF type 27 holds a comment.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mad.h"

#define PCAP_HEADER_SIZE 24    /* bytes, once a file */
#define PCAP_RECORD_SIZE 16    /* bytes, before each record */
#define PCAP_INTERFACES  32    /* of a pcapng file: records of more are not looked at */
#define ERF_RECORD_MAX   65535 /* bytes: its length has 16 bits */
#define ERF_COMMENT_MAX  1024  /* bytes of a comment that is written: a line of ours, thrice */
#define ERF_PACKET_MAX   2048  /* bytes of a record that is written, with its pcap header */

/*
 * struct pcap_format - what a file says of its records
 * @blocks: it is a pcapng file; what a section of it says comes with pcap_next()
 * @interfaces: what the records of each are, and the decimals of a second in their times
 */
struct pcap_format {
	bool big_endian, blocks;
	unsigned int num;
	struct pcap_interface {
		uint16_t link_type;
		uint8_t decimals;
	} interfaces[PCAP_INTERFACES];
};

/*
 * struct pcap_packet - a record; one of a pcapng file that is no packet has no bytes
 * @unread: but for a packet in a block that is not read: a simple one, or one of old files
 */
struct pcap_packet {
	const uint8_t *bytes;
	size_t length;
	uint64_t time_ns; /* since 1970 */
	uint16_t link_type;
	bool unread;
};

enum { PCAP_LINK_ERF = 197, PCAP_LINK_INFINIBAND = 247 };

/* False: this is no pcap or pcapng file. */
bool pcap_header_get(const uint8_t header[PCAP_HEADER_SIZE], struct pcap_format *out);
/* How many of the n bytes the next record takes, with its header; 0: it is cut off. */
size_t pcap_next(const uint8_t *p, size_t n, struct pcap_format *f, struct pcap_packet *out);
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

/* Total over any bytes; out->bytes points into them.  The second is of a packet without ERF. */
enum erf_kind erf_get(const uint8_t *record, size_t length, struct erf_record *out);
enum erf_kind packet_get(const uint8_t *packet, size_t length, struct erf_record *out);
/*
 * A record with its pcap header; how long they are.  A MAD has at most MAD_SIZE bytes, a
 * comment ERF_COMMENT_MAX.
 */
size_t erf_put_mad(uint8_t out[ERF_PACKET_MAX], const struct erf_record *r);
size_t erf_put_comment(uint8_t out[ERF_PACKET_MAX], uint64_t time_ns, const char *text);
