/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * What formats that people write have in common: words for ports, widths, speeds
 * and types (planwords.c), and a graph of names that becomes a fabric (plan.c).
 */
#include <stdbool.h>
#include <stdint.h>

#include <ibcheck/fabric.h>

#include "source/source.h"

struct arena;
struct fabric_build;

/* ---- planwords.c: words, pure -------------------------------------------- */

/*
 * struct plan_port - a port as people call it
 * @part: of the node what it belongs to, "mlx5_0" or "L1", or ""; may point to @own
 * @part_length: bytes of it
 * @of_switch: only switches have such ports
 */
struct plan_port {
	unsigned int num;
	const char *part;
	int part_length;
	bool of_switch;
	char own[16];
};

/*
 * A port of a cable list: "7", "P7", "Port 7", "IB Port 7", "IB1/7", "swp7"; "17/2" and
 * "sw17p2" for port 2 of the two in cage 17; "Blade 16_Port 2/20" for port 20 of the second
 * chip of line card 16; "mlx5_2/P1", "mlx5_2/1", "mlx5_2", "host01 mlx5_2" of a host.  0, or
 * -EINVAL and a sentence about the text.
 */
int plan_port_parse(const char *text, struct plan_port *out, struct ibc_error *err);
/* A port of a .topo, "P7", "mlx5_2/P1", "L1/P3": what is in front of the last "/" is a part. */
int plan_panel_parse(const char *text, struct plan_port *out, struct ibc_error *err);

/* What a cable is to run at; 0: the file does not say. */
struct plan_rate {
	uint8_t width;
	uint16_t speed;
};
/* "4x", "4", ""; the speed is not known then. */
int plan_width_parse(const char *text, struct plan_rate *out, struct ibc_error *err);
/*
 * For an @out that has the width, if it is given: "EDR", "4xEDR", "HDR100", ""; or
 * Gb/s, of the cable ("100G"; of four lanes if @out has no width) or of a lane ("25G").
 */
int plan_speed_parse(const char *text, struct plan_rate *out, struct ibc_error *err);
/* Gb/s of a lane, as a .topo has them: "2.5G", "25G"; or "FDR10". */
enum ibc_speed plan_lane_speed(const char *text);
/* The word for it; "" if the speed is unknown. */
const char *plan_lane_word(enum ibc_speed speed);

/* An HCA has no more; the others that a host has are HCAs of their own. */
#define HCA_PORTS 2
/* What a word for a kind of node says: "leaf", "host"; NULL if it is no such word. */
struct plan_type {
	const char *word;
	enum ibc_node_type type;
	unsigned int ports_max;
};
const struct plan_type *plan_type_of(const char *word);
/* Of what nothing else is known: is it a switch by its name or its highest port? */
enum ibc_node_type plan_type_guess(const char *name, unsigned int highest_port);

/* ---- plan.c --------------------------------------------------------------- */

/* In a node, a rack or a label no more bytes are believed. */
#define PLAN_TEXT_MAX 255

/*
 * struct plan_end - one end of a cable
 * @node: its name, the part that @port belongs to not among it
 * @rack, @row, @pod, @kind, @guid: "" if not given; kind is any word that like nodes share
 * @port_at: where the file has the port
 * @in_switch_column: it stands where switches do
 */
struct plan_end {
	struct text_piece node, rack, row, pod, kind, guid;
	struct plan_port port;
	struct text_place port_at;
	bool in_switch_column;
};

/* struct plan_cable - @label, @length: "" if not given */
struct plan_cable {
	struct plan_end ends[2];
	struct plan_rate rate;
	struct text_piece label, length;
	struct text_place at;
};

/* Made up GUIDs are so far apart that ibsim's port GUIDs, node GUID + port number, are no node's.
 */
#define PLAN_GUID_STEP 0x100
/* Kinds of their subnets. */
#define PLAN_CABLES "cables"
#define PLAN_TOPO   "topo"

struct plan;
/* From now on each cable may be listed once more from its other end. */
void plan_both_ends(struct plan *p);

/*
 * In fabric_build_run(), whose scratch is @arena.  @both_ends: each cable may be listed once more
 * from its other end.
 */
struct plan *plan_new(struct text_file *f, const char *spec, const char *kind, bool both_ends,
                      struct fabric_build *b, struct arena *arena);
/* Of what is not in arenas; may be NULL. */
void plan_free(struct plan *p);
/* 0, also if that gave complaints; -EINVAL: more ports than are believed */
int plan_add(struct plan *p, const struct plan_cable *cable);
/*
 * After the last line, with what reading it gave: complaints are an error, else the
 * fabric gets its nodes and cables.
 */
int plan_finish(struct plan *p, int rc, struct ibc_error *err);

/* ---- joinplans.c ----------------------------------------------------------- */

/*
 * Subnets that are lists of cables and name the same switch become one; the build may be another
 * then, without the names of a map.  -EINVAL: the files contradict each other; -ENOMEM.
 */
int plans_join(struct fabric_build **build, struct ibc_error *err);
