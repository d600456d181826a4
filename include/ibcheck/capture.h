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
 * NodeDescriptions and GUIDs become others, the same everywhere: a GUID keeps its first three
 * bytes, which name the vendor, a NodeDescription what follows its first word.  Keys, and
 * attributes that are not known, become 0.  Packets that are no MADs are left out.
 *
 * Return: 0, -ENOMEM or -EIO.
 */
int ibc_capture_anonymize(const struct ibc_capture *cap, FILE *file, const char *path,
                          struct ibc_error *err);

#pragma GCC visibility pop

#endif
