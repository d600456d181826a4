/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_CAPTURE_H
#define IBCHECK_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <ibcheck/error.h>

#pragma GCC visibility push(default)

/**
 * DOC: captures
 *
 * A trace holds every MAD that a sweep sent and received, as a capture that Wireshark
 * opens: pcap of link type 197 (ERF).  Queries have interface 0, answers interface 1, a query
 * that timed out is there a second time with the flag "DS error".  Each sweep begins with a
 * comment that names the local port.  Keys are 0.
 */
struct ibc_recording;

/**
 * ibc_recording_new() - begin a trace
 * @file: open for writing; it stays the caller's
 * @path: its name: behind ".gz" and ".zst" it is compressed
 * @out: for ibc_source_opts.record, to be ended with ibc_recording_end()
 *
 * Return: 0, -ENOMEM, or -EIO.
 */
int ibc_recording_new(FILE *file, const char *path, struct ibc_recording **out,
                      struct ibc_error *err);
/* Writes what is left, and frees it.  0, or -EIO: something could not be written. */
int ibc_recording_end(struct ibc_recording *rec, struct ibc_error *err);

/**
 * struct ibc_mad - one MAD of a capture
 * @record: its number in the file, from 1
 * @time_ns: since 1970
 * @rtt_ns: of an answer to a query of the capture; else 0
 * @status: without the direction bit of directed SMPs
 * @received, @timed_out: else it was sent
 * @answered: of a query: the capture has its answer
 */
struct ibc_mad {
	size_t record;
	uint64_t time_ns, rtt_ns;
	uint32_t modifier;
	uint16_t attribute, status, dlid, slid;
	uint8_t mgmt_class, method;
	bool received, timed_out, answered;
};

struct ibc_capture;

/**
 * ibc_capture_load() - read a capture, whoever made it
 * @out: to be freed with ibc_capture_free()
 *
 * Return: 0, -EINVAL it is no capture of InfiniBand, or damaged; or what the system said.
 */
int ibc_capture_load(const char *path, struct ibc_capture **out, struct ibc_error *err);
/* From where @fd stands, which it closes; @name: for messages. */
int ibc_capture_load_fd(int fd, const char *name, struct ibc_capture **out, struct ibc_error *err);
void ibc_capture_free(struct ibc_capture *cap);

/* The i-th MAD, or NULL. */
const struct ibc_mad *ibc_capture_mad(const struct ibc_capture *cap, size_t i);
/* Records that hold no MAD: other packets. */
size_t ibc_capture_others(const struct ibc_capture *cap);
/* Sweeps that it holds; 0: it is not of ibcheck, and does not replay. */
size_t ibc_capture_sweeps(const struct ibc_capture *cap);

/* "SMP", "Get", "NodeInfo"; NULL: not known. */
const char *ibc_mad_class_name(uint8_t mgmt_class);
const char *ibc_mad_method_name(uint8_t method);
const char *ibc_mad_attribute_name(uint8_t mgmt_class, uint16_t attribute);

/**
 * ibc_capture_anonymize() - the same capture, but for the names in it
 * @file: open for writing; compressed as the name @path asks for
 *
 * GUIDs, names, serial numbers of modules, subnet prefixes and multicast groups become others,
 * the same everywhere: a GUID keeps its first three bytes, which name the vendor, and is none of
 * the original; a NodeDescription keeps the words that every site has, such as "HCA-1".  Keys, and
 * attributes that are not known, become 0.  Packets that are no MADs are left out.  LIDs, P_Keys,
 * times and what is cabled to what stay.
 *
 * Return: 0, -ENOMEM or -EIO.
 */
int ibc_capture_anonymize(const struct ibc_capture *cap, FILE *file, const char *path,
                          struct ibc_error *err);

/* What identifies a site. */
enum ibc_identity {
	IBC_IDENTITY_GUID,
	IBC_IDENTITY_NAME,    /* in NodeDescriptions, services, of the host that swept; its parts */
	IBC_IDENTITY_SERIAL,  /* of modules and cables */
	IBC_IDENTITY_KEY,     /* M_Key and the like */
	IBC_IDENTITY_ADDRESS, /* prefixes of subnets, multicast groups */
};
#define IBC_IDENTITIES 5 /* members of enum ibc_identity */

/**
 * struct ibc_capture_search - what of a capture is in another one
 * @bytes: of the other one, unpacked: all of them were looked at
 * @known: different ones in the original, where a MAD has such a thing: what it has elsewhere is
 *	   not known
 * @brief: those of them that bytes are equal to by chance, names of less than four characters and
 *	   small numbers, so that they are looked for only in fields that have such things
 * @found: those that are in the other one
 */
struct ibc_capture_search {
	size_t bytes;
	struct ibc_identity_count {
		size_t known, brief, found;
	} of[IBC_IDENTITIES];
};

/**
 * ibc_capture_search() - does a copy still have anything that identifies a site?
 * @keys: @num_keys more that it must not have, such as those that the sweep was sent with
 *
 * GUIDs are looked for without the bytes that name their vendor; all in any case, from any bit on,
 * backwards, in words of two and four bytes of the other order, and numbers as hexadecimal digits.
 *
 * Return: 0, also if something was found; -EPROTO: it is no copy; -E2BIG: it is too long for a
 * search that finds nothing by chance; -ENOMEM.
 */
int ibc_capture_search(const struct ibc_capture *original, const struct ibc_capture *copy,
                       const uint64_t *keys, size_t num_keys, struct ibc_capture_search *out,
                       struct ibc_error *err);

#pragma GCC visibility pop

#endif
