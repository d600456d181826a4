/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKREGISTERS_H
#define MKREGISTERS_H

/*
 * A switch and a host whose registers are asked by MADs made by hand:
 *
 *	struct net n = net();
 *
 *	model_phy_up(phy(&n, SWITCH, 1), 400, MODEL_FEC_KP4);
 *	assert_int_equal(ask(&n, SWITCH, OPERATION), 0);
 *	expect(&n, 0x04 + 8, "03000000");
 *
 * Include it after <cmocka.h>.
 */
#include <stdio.h>

#include "mkfab.h"
#include "model/model.h"

#define SWITCH 1
#define HOST   2

/* leaf 1, ports 1 to 4; port 1 has host 2 */
struct net {
	struct ibc_fabric *fab;
	struct model *model;
	uint8_t mad[MAD_SIZE];
	int who;
};

static inline struct net net_of(uint16_t switch_id, uint16_t host_id)
{
	struct mkfab m = mkfab();
	struct net n = { 0 };
	struct ibc_node *leaf = mk_switch(m, SWITCH, "leaf01", 4);
	struct ibc_node *host = mk_ca(m, HOST, "host01 mlx5_0", 1);

	leaf->device_id = switch_id;
	host->device_id = host_id;
	cable(m, SWITCH, 1, HOST, 1);
	leaf->firmware = "31.2012.1024";
	host->firmware = "28.39.1002";
	n.fab = done(m);
	n.model = model_new(n.fab, NULL);
	return n;
}

static inline struct net net(void)
{
	return net_of(0xd2f2, 0x1021);
}

static inline void net_free(struct net *n)
{
	model_free(n->model);
	ibc_fabric_free(n->fab);
}

static inline struct model_registers *of(struct net *n, uint64_t guid)
{
	return model_registers(n->model, ibc_fabric_node_by_guid(n->fab, guid));
}

static inline struct model_phy *phy(struct net *n, uint64_t guid, unsigned int num)
{
	return &of(n, guid)->ports[num];
}

/* "0a 01" and so on; blanks as they please. */
static inline size_t bytes_of(const char *hex, uint8_t *out)
{
	size_t n = 0;
	int used;

	for (unsigned int byte; sscanf(hex, "%2x%n", &byte, &used) == 1; hex += used)
		out[n++] = (uint8_t)byte;
	return n;
}

static inline int send_to(struct net *n, uint16_t lid)
{
	const struct mad_addr to = { .dlid = lid, .qpn = 1, .qkey = 0x80010000 };

	n->who = model_answer(n->model, &to, n->mad);
	return n->who;
}

/* The status, or -1: no answer. */
static inline int ask_with(struct net *n, uint16_t lid, const char *header, const char *index,
                           unsigned int block)
{
	memset(n->mad, 0, sizeof(n->mad));
	bytes_of(header, n->mad);
	n->mad[33] |= (uint8_t)block;
	bytes_of(index, n->mad + 36);
	return send_to(n, lid) < 0 ? -1 : n->mad[4] << 8 | n->mad[5];
}

#define HEADER "01 0a 01 01 0000 0000 0000000000000001 0051 0000 0000"

static inline int ask_block(struct net *n, uint16_t lid, const char *id, const char *index,
                            unsigned int block)
{
	char header[80];

	snprintf(header, sizeof(header), HEADER "%s", id);
	return ask_with(n, lid, header, index, block);
}

static inline int ask(struct net *n, uint16_t lid, const char *id, const char *index)
{
	return ask_block(n, lid, id, index, 0);
}

static inline void expect(const struct net *n, unsigned int at, const char *hex)
{
	uint8_t bytes[MAD_SIZE];
	size_t length = bytes_of(hex, bytes);

	assert_true(length);
	assert_memory_equal(n->mad + 36 + at, bytes, length);
}

static inline uint64_t number(const struct net *n, unsigned int at, unsigned int size)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < size; i++)
		value = value << 8 | n->mad[36 + at + i];
	return value;
}

/* Questions: register and index. */
#define STATISTICS "5008", "0001 4016"
#define PHYSICAL   "5008", "0001 4012"
#define RECOVERY   "5008", "0001 401a"
#define PLR        "5008", "0001 4022"
#define HISTOGRAM  "5008", "0001 4023"
#define OPERATION  "5031", "0001 4000 00000000"
#define WHY_DOWN   "5031", "0001 4000 00000001"
#define TRAINING   "5031", "0001 4000 00000002"
#define MODULE     "5031", "0001 4000 20000003" /* in uW */
#define MODULE_DBM "5031", "0001 4000 00000003"
#define LINK_DOWN  "5031", "0001 4000 00000006"
#define LINK_UP    "5031", "0001 4000 00000008"
#define LATCHED    "5031", "0001 4000 00000009"

#endif
