/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A snapshot is JSON, an object a line; the keys of each are in snapfields.c:
 *
 *   header  {"ibcheck_snapshot":1,"tool":"ibcheck 0.3.0","subnets":[{subnet_fields}, ...]}
 *   nodes   {"subnet":0,node_fields,"ports":[{port_fields}, ...]}
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
 *
 * A state, which a run leaves for the next one, is a snapshot without tables, packed by zstd;
 * in it "age_seconds" says how long before this sweep began an earlier one read something.
 */
#define SNAPSHOT_SCHEMA_KEY "ibcheck_snapshot"
