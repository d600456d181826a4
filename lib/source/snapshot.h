/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_SNAPSHOT_H
#define SOURCE_SNAPSHOT_H

/*
 * A snapshot is JSON, an object a line:
 *
 *   header  {"ibcheck_snapshot":1,"tool":"ibcheck 0.1.0","subnets":[{subnet_fields,
 *	     "origin":[NODE,PORT],"forwarding":{forwarding_fields},
 *	     "multicast":{multicast_fields},"sa":{sa_fields},"sweep":{sweep_fields}}, ...]}
 *   nodes   {"subnet":0,node_fields,"name":"as a node-name map had it",
 *	     "ports":[{"num":1,port_fields,"peer":[NODE,PORT],"cable":{cable_fields},
 *	     "sm":{sm_fields},"pkeys":"ffff7fff",
 *	     "counters":{"at_seconds":S,"values":{COUNTER:N, ...},
 *	     "saturated":[COUNTER, ...],"vl_transmit_wait":[16 N]}}, ...]}; in a state
 *	     "age_seconds":S of what an earlier sweep read, before this one began
 *   tables  {"table":NAME,"node":NODE or "subnet":0,"from":ROW,"rows":["digits", ...]},
 *	     see snaprows.h
 *   end     {"end":{"nodes":N,"ports":N,"cables":N,"tables":LINES,"crc32":N}}
 *
 * NODE counts the node lines from 0, so that nodes of one GUID stay apart.
 * Both ends of a cable name each other.  A port that is not listed has nothing
 * to say, a counter that is not listed is not known, nor is a row of a table.
 * "tables" is not there where there are none.  The checksum is that of zlib over all
 * lines in front of the last, each with its line feed; a hand that changes them has to
 * take it out.
 */
#include <stdint.h>

#define SNAPSHOT_SCHEMA_KEY "ibcheck_snapshot"

/*
 * A state is the same objects for a program alone: this line, then of each object a
 * struct state_record, keys and words not met before, and what unpack_object() reads
 * (jsonpack.h).  The checksum is that of all bytes in front of the last record.
 */
#define STATE_BEGIN "ibcheck state "
#define STATE_LINE  STATE_BEGIN "1"

/* Lengths of what follows, little end first. */
struct state_record {
	uint32_t words, object;
};

#endif
