/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKNET_H
#define MKNET_H

/* Fabrics from ibnetdiscover text, and what is in them.  Include it after <cmocka.h>. */
#include "mkfile.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define SWITCH "Switch\t4 \"S-0000000000000010\"\t\t# \"sw\" base port 0 lid 1 lmc 0\n"
#define CA     "Ca\t2 \"H-0000000000000020\"\t\t# \"host mlx5_0\"\n"
#define CABLE  "[1]\t\"H-0000000000000020\"[1](21) \t\t# \"host mlx5_0\" lid 2 4xEDR\n"
#define BACK   "[1](21) \t\"S-0000000000000010\"[1]\t\t# lid 2 lmc 0 \"sw\" lid 1 4xEDR\n"

static inline struct ibc_fabric *load(const char *text)
{
	return fabric_of(read_netdiscover, text, strlen(text));
}

static inline void refused(const char *text, const char *why)
{
	expect_refusal(read_netdiscover, text, strlen(text), why);
}

static inline void lost(const char *text, const char *why)
{
	expect_lost(read_netdiscover, text, why);
}

static inline const struct ibc_node *node_of(const struct ibc_fabric *fab, uint64_t guid)
{
	const struct ibc_node *node = ibc_fabric_node_by_guid(fab, guid);

	assert_non_null(node);
	return node;
}

static inline const struct ibc_node *node_named(const struct ibc_fabric *fab, const char *name)
{
	const struct ibc_node *node;

	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++)
		if (!strcmp(node->desc, name))
			return node;
	fail_msg("no node is called %s", name);
	return NULL;
}

static inline const struct ibc_port *port_of(const struct ibc_fabric *fab, uint64_t guid,
                                             unsigned int num)
{
	const struct ibc_port *port = ibc_node_port(node_of(fab, guid), num);

	assert_non_null(port);
	return port;
}

static inline void expect_cable(const struct ibc_node *a, unsigned int a_port,
                                const struct ibc_node *z, unsigned int z_port)
{
	assert_non_null(ibc_node_port(a, a_port)->peer);
	assert_ptr_equal(ibc_node_port(a, a_port)->peer->node, z);
	assert_int_equal(ibc_node_port(a, a_port)->peer->num, z_port);
}

static inline void expect_rate(const struct ibc_port *port, enum ibc_width width,
                               enum ibc_speed speed)
{
	assert_true(ibc_port_has(port, IBC_ATTR_LINK));
	assert_int_equal(port->width_active, width);
	assert_int_equal(port->speed_active, speed);
}

static inline void expect_counts(const struct ibc_fabric *fab, size_t switches, size_t cas,
                                 size_t cables)
{
	struct ibc_fabric_counts n = ibc_fabric_count(fab);

	assert_int_equal(n.switches, switches);
	assert_int_equal(n.cas, cas);
	assert_int_equal(n.cables, cables);
}

static inline int load_file(const char *path, struct ibc_fabric **out, struct ibc_error *err)
{
	return ibc_fabric_load(&path, 1, NULL, out, err);
}

#endif
