/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What attributes.def says of attributes, and the bits of struct ibc_answers. */
#include <ibcheck/fabric.h>

enum attr_class { ATTR_NONE, ATTR_SMP, ATTR_PMA, ATTR_SA, ATTR_VENDOR };

/* All whose row says so: attrs_where(ATTR_CLASS, ATTR_PMA). */
enum attr_key { ATTR_CLASS, ATTR_GROUP, ATTR_OPTIONAL, ATTR_KEYS };
struct ibc_attrs attrs_where(enum attr_key key, unsigned int value);
/* The attribute of a name ("PortInfo"), in any case, or IBC_ATTR_NONE. */
enum ibc_attr attr_of(const char *name);

/* An attribute's bit in the answers of a node, and of a port; 0: it has none there. */
extern const uint64_t attr_node_bits[IBC_ATTR_COUNT], attr_port_bits[IBC_ATTR_COUNT];
/* The bits of those that are optional: only of these "not supported" is an answer. */
extern const uint64_t attr_node_optional, attr_port_optional;
/* Between a set and such bits.  What has no bit is lost. */
struct ibc_attrs attrs_from_bits(uint64_t from, const uint64_t bits[IBC_ATTR_COUNT]);
uint64_t attrs_to_bits(struct ibc_attrs set, const uint64_t bits[IBC_ATTR_COUNT]);
