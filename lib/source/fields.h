/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * What a snapshot keeps of each object of the model: one table an object, for writing and for
 * reading (snapfields.c).  What is 0, "", NaN or NULL is not written.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/error.h>
#include <ibcheck/fabric.h>

struct arena;
struct json_item;
struct json_out;

enum field_type {
	FIELD_U8,
	FIELD_U16,
	FIELD_U32,
	FIELD_U64,
	FIELD_BOOL,
	FIELD_REAL,       /* not negative */
	FIELD_HEX,        /* uint64_t as "0x%016x" */
	FIELD_ATTRS,      /* struct ibc_attrs, as an array of names */
	FIELD_NODE_ATTRS, /* the same of struct ibc_answers, of a node */
	FIELD_PORT_ATTRS, /* ... and of a port */
	FIELD_TEXT,       /* const char * */
	FIELD_COUNT,      /* uint64_t; JSON's integers end at 2^63 - 1, which stands for all ones */
	FIELD_NAN,        /* double; NaN: not known; of an array those at the end are left out */
	FIELD_SECONDS,    /* double, in seconds behind the time of the subnet ... */
	FIELD_AGE,        /* ... and the same where it is negative: what an earlier sweep read */
	FIELD_PORT,       /* const struct ibc_port *, as [NODE, PORT]; read by the caller */
	FIELD_OBJECT,     /* pointer to an object of .record */
	FIELD_INSIDE,     /* an object in place */
	FIELD_LIST,       /* pointer to several of them; a size_t at .count says how many */
	FIELD_OWN,        /* .own reads and writes it */
	FIELD_NONE,       /* never written; the caller reads it */
};

#define FIELD_ZERO   1 /* written even if it is 0 or an array of nothing */
#define FIELD_NEEDED 2 /* has to be there */
#define FIELD_MARKS  4 /* .when is a bool without a key of its own: that it is there */

/*
 * struct field - a key and where its value is
 * @num: > 0: an array of so many
 * @count: offset of an uint8_t that says how many of them there are; 0: all
 * @when: offset of an uint8_t or a bool: 0: there is no value; else there has to be; 0: none
 * @part: > 0: the caller reads the value, which becomes that element of its parts
 */
struct field {
	const char *key; /* NULL ends a table */
	size_t offset;
	enum field_type type;
	uint8_t flags, num, part;
	uint16_t count, when;
	union {
		const struct record *record;
		const struct field_own *own;
	};
};

/*
 * struct record - an object
 * @clear: NULL, or what it is before anything is read, other than 0
 * @wrong: NULL, or says of one that was read which key has an invalid value; NULL: none
 */
struct record {
	const struct field *fields;
	size_t size;
	void (*clear)(void *object);
	const char *(*wrong)(const void *object);
};

/*
 * struct field_own - @put adds the value at that place; @get reads it, 0 or -EINVAL with a
 * sentence; @is_none: nothing is written
 */
struct field_own {
	bool (*is_none)(const void *at);
	void (*put)(struct json_out *o, const void *at);
	int (*get)(const struct json_item *value, const char *key, void *at, struct arena *a,
	           struct ibc_error *err);
};

/* The object of port_fields. */
struct whole_port {
	struct ibc_port port;
	struct ibc_port_extra extra;
};

extern const struct field header_fields[], subnet_fields[], node_fields[], port_fields[],
    counters_fields[], forwarding_fields[], multicast_fields[], sa_fields[];

/* Of the first four, what the caller reads. */
enum { HEADER_SCHEMA = 1, HEADER_TOOL, HEADER_SUBNETS, HEADER_PARTS };
enum { SUBNET_ORIGIN = 1, SUBNET_FORWARDING, SUBNET_MULTICAST, SUBNET_SA, SUBNET_PARTS };
enum { NODE_SUBNET = 1, NODE_NAME, NODE_PORTS, NODE_PARTS };
enum { PORT_NUM = 1, PORT_PEER, PORT_COUNTERS, PORT_PARTS };

/* Adds the fields of the object at base. */
void fields_put(struct json_out *o, const struct field *table, const void *base);

/*
 * Fills the object at base.  Texts are cleaned, and go into a, as all does that it points to; a
 * has an escape.  @parts: by .part, what the caller reads, NULL before.  A key that is not in the
 * table is an error.  0, or -EINVAL with a sentence that names the key.
 */
int fields_get(const struct json_item *from, const struct field *table, void *base,
               const struct json_item **parts, struct arena *a, struct ibc_error *err);

/* A number, of the types that are one; false if the value does not fit.  Bytes of any type. */
uint64_t fields_number(const void *at, enum field_type type);
bool fields_set_number(void *at, enum field_type type, uint64_t value);
unsigned int fields_size(enum field_type type);

/* A number that may have 64 bits: FIELD_COUNT. */
void count_put(struct json_out *o, uint64_t value);
bool count_get(const struct json_item *value, uint64_t *out);
