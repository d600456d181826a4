/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_FIELDS_H
#define SOURCE_FIELDS_H

/*
 * What a snapshot keeps of each object of the model: one table an object, for
 * writing and for reading.  What is 0 or "" is not written.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/error.h>

struct arena;
struct json_item;
struct json_out;

enum field_type {
	FIELD_U8,
	FIELD_U16,
	FIELD_U32,
	FIELD_U64,
	FIELD_BOOL,
	FIELD_REAL,
	FIELD_HEX,        /* uint64_t as "0x%016x" */
	FIELD_ATTRS,      /* struct ibc_attrs, as an array of names */
	FIELD_NODE_ATTRS, /* the same of struct ibc_answers, of a node */
	FIELD_PORT_ATTRS, /* ... and of a port */
	FIELD_TEXT,       /* const char * */
};

struct field {
	const char *key; /* NULL ends a table */
	size_t offset;
	enum field_type type;
};

extern const struct field subnet_fields[], sweep_fields[], node_fields[], port_fields[],
    cable_fields[], forwarding_fields[], multicast_fields[], sa_fields[];

/* Adds the fields of the object at base. */
void fields_put(struct json_out *o, const struct field *table, const void *base);

/* A key that is no field, and its value, or NULL; one without a key ends a list of them. */
struct field_other {
	const char *key;
	const struct json_item *value;
};

/*
 * Fills the object at base.  Texts are cleaned and go into a.  other: NULL, or keys that
 * the caller reads itself; their values are found.  Any key beyond those is an error.
 * -EINVAL with a sentence that names the key, or -ENOMEM.
 */
int fields_get(const struct json_item *from, const struct field *table, void *base,
               struct field_other *other, struct arena *a, struct ibc_error *err);

/* countfields.c: the counters of a port, an object. */
struct ibc_counters;
void counters_put(struct json_out *o, const struct ibc_counters *counters);
/* Into a; NULL: they are only verified.  0, -EINVAL with a sentence, or -ENOMEM. */
int counters_get(const struct json_item *from, struct arena *a, const struct ibc_counters **out,
                 struct ibc_error *err);

/* A number that may have 64 bits. */
void count_put(struct json_out *o, uint64_t value);
bool count_get(const struct json_item *value, uint64_t *out);

/* arfields.c: "adaptive_routing" of a node. */
struct ibc_node;
void ar_put(struct json_out *o, const struct ibc_node *node);
/* The value may be NULL.  Into a.  0, -EINVAL with a sentence, or -ENOMEM. */
int ar_get(const struct json_item *from, struct ibc_node *node, struct arena *a,
           struct ibc_error *err);

/* vportfields.c: "vports" of a port, "router" of a node. */
struct ibc_port;
void vports_put(struct json_out *o, const struct ibc_port *port);
void node_router_put(struct json_out *o, const struct ibc_node *node);
/* Any value may be NULL.  Into a.  0, -EINVAL with a sentence, or -ENOMEM. */
int vports_get(const struct json_item *from, struct ibc_port *port, struct arena *a,
               struct ibc_error *err);
int node_router_get(const struct json_item *from, struct ibc_node *node, struct arena *a,
                    struct ibc_error *err);

/* phyfields.c: "phy" and "module" of a port, "sensors" of a node. */
void port_phy_put(struct json_out *o, const struct ibc_port *port);
void sensors_put(struct json_out *o, const struct ibc_node *node);
/* Any value may be NULL.  Into a.  0, -EINVAL with a sentence, or -ENOMEM. */
int port_phy_get(const struct json_item *phy, const struct json_item *module, struct ibc_port *port,
                 struct arena *a, struct ibc_error *err);
int sensors_get(const struct json_item *sensors, struct ibc_node *node, struct arena *a,
                struct ibc_error *err);

/* smfields.c: "sm" and "pkeys" of a port. */
void managed_put(struct json_out *o, const struct ibc_port *port);
/* Either value may be NULL.  Into a.  0, -EINVAL with a sentence, or -ENOMEM. */
int managed_get(const struct json_item *sm, const struct json_item *pkeys, struct ibc_port *port,
                struct arena *a, struct ibc_error *err);

/* From one object to another, texts as they are. */
void fields_copy(const struct field *table, const void *from, void *to);

/* A number, of the types that are one; false if the value does not fit.  Bytes of any type. */
uint64_t fields_number(const void *at, enum field_type type);
bool fields_set_number(void *at, enum field_type type, uint64_t value);
unsigned int fields_size(enum field_type type);

#endif
