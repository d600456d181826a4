/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The parts of the reader of ibnetdiscover text: lines (netline.c), what they say of each other
 * (netgraph.c), and the file as a whole (netdiscover.c).
 */
#include <stdbool.h>
#include <stdint.h>

#include <ibcheck/fabric.h>

#include "source/source.h"

struct arena;
struct fabric_build;

/* ---- netline.c: one line, pure ------------------------------------------- */

/* "Switch 36 "S-..." # "leaf01" base port 0 lid 1 lmc 0", from the number on. */
struct net_header {
	unsigned int num_ports;
	const char *id, *desc; /* desc: NULL if the line has none */
	uint16_t lid;
	uint8_t lmc;
	bool enhanced;
};

/* What ports enable: codes of PortInfo; known: a line says so. */
struct net_enabled {
	unsigned int width, speed, extended;
	bool known;
};

/*
 * "[1](guid) "H-..."[1](guid) w=4 # lid 1 lmc 0 "host01" lid 2 4xEDR", of a switch in a file
 * of ibdiagnet2 "[1](1/1/1) ..."
 */
struct net_port {
	unsigned int num, peer_num;
	const char *peer_id, *peer_desc; /* peer_desc: NULL if the line has none */
	const char *label;               /* as ibdiagnet2 has it; NULL if the line has none */
	uint64_t guid, peer_guid;
	uint16_t lid, peer_lid;
	uint8_t lmc;
	bool rated;    /* the line has a word for width and speed */
	uint8_t width; /* of that word; unknown if it says so */
	uint16_t speed;
	struct net_enabled enabled; /* as before, but for what w=, s= and e= say */
};

/*
 * Both cut the line into pieces that the result points at.  0, or -EINVAL with
 * a sentence about the line alone.
 */
int net_header_parse(char *line, struct net_header *out, struct ibc_error *err);
int net_port_parse(char *line, struct net_port *out, struct ibc_error *err);

/*
 * Type and GUID of an id as ibnetdiscover makes them, "S-0002c903007b78b0", or ibcheck where nodes
 * share a GUID, "S-0002c903007b78b0.1".
 */
bool net_id_parse(const char *id, enum ibc_node_type *type, uint64_t *guid);
/*
 * A number, as C writes it, at *s; moves on behind it.  False if there is none
 * up to max.
 */
bool net_number(char **s, uint64_t max, uint64_t *out);

/* ---- netgraph.c: nodes by id, and their cables --------------------------- */

/*
 * struct net_graph - the arena has an escape
 * @text: the first file, which gets all complaints
 * @complete: the program that made it writes each cable at both of its ends
 * @ends: of cables, a line each
 */
struct net_graph {
	struct text_file *text;
	bool complete;
	struct fabric_build *build;
	struct ibc_subnet *subnet;
	struct arena *arena;
	struct net_node *nodes, *last; /* last: whose block the lines are in */
	struct net_end *ends;
	size_t num_ends, room, num_ports;
};
void net_graph_free(struct net_graph *g);

/*
 * A block begins: its node comes to be, or is the one there is, with as many ports; else, as where
 * a line contradicts another, -EINVAL, and it is reported.
 */
int net_graph_block(struct net_graph *g, const struct net_header *h, uint64_t guid,
                    enum ibc_node_type type, struct text_place where, struct net_node **out);
struct ibc_node *net_node_model(const struct net_node *node);
int net_graph_port(struct net_graph *g, struct net_node *node, const struct net_port *line,
                   struct text_place where);
/*
 * Nodes only named as peers come to be, and cables are laid.  Of what contradicts itself nothing
 * is believed: no cable is where several lines say there is another.
 */
void net_graph_finish(struct net_graph *g, uint64_t next_ca_guid);
