/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * join GROUP: makes the local port a member of a multicast group, so that the subnet
 * manager has trees to write; which group, by a number, is for the caller to choose.
 * ibsim's hosts have no IPoIB that would do so.
 */
#include <endian.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/mad.h>
#include <infiniband/umad.h>

#define MC_MEMBER 0x38

/* What makes a group where there is none (IBA 15.2.5.17), and who joins it. */
enum component {
	MGID = 1 << 0,
	PORT_GID = 1 << 1,
	QKEY = 1 << 2,
	TRAFFIC_CLASS = 1 << 6,
	PKEY = 1 << 7,
	SL = 1 << 12,
	FLOW_LABEL = 1 << 13,
	JOIN_STATE = 1 << 16,
};

static void put_query(uint8_t *mad, const umad_port_t *port, unsigned int group)
{
	uint8_t mgid[16] = { 0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, [12] = 0 };
	uint8_t *record = mad + IB_SA_DATA_OFFS, gid[16];

	mgid[14] = (uint8_t)(group >> 8);
	mgid[15] = (uint8_t)group;
	memcpy(gid, &port->gid_prefix, 8);
	memcpy(gid + 8, &port->port_guid, 8);
	mad_set_field(mad, 0, IB_MAD_BASEVER_F, 1);
	mad_set_field(mad, 0, IB_MAD_MGMTCLASS_F, IB_SA_CLASS);
	mad_set_field(mad, 0, IB_MAD_CLASSVER_F, 2);
	mad_set_field(mad, 0, IB_MAD_METHOD_F, IB_MAD_METHOD_SET);
	mad_set_field64(mad, 0, IB_MAD_TRID_F, group + 1ull);
	mad_set_field(mad, 0, IB_MAD_ATTRID_F, MC_MEMBER);
	mad_set_field64(mad, 0, IB_SA_COMPMASK_F,
	                MGID | PORT_GID | QKEY | TRAFFIC_CLASS | PKEY | SL | FLOW_LABEL |
	                    JOIN_STATE);
	mad_set_array(record, 0, IB_SA_MCM_MGID_F, mgid);
	mad_set_array(record, 0, IB_SA_MCM_PORTGID_F, gid);
	mad_set_field(record, 0, IB_SA_MCM_QKEY_F, 0xb1b);
	mad_set_field(record, 0, IB_SA_MCM_PKEY_F, 0xffff);
	mad_set_field(record, 0, IB_SA_MCM_JOIN_STATE_F, 1);
}

int main(int argc, char **argv)
{
	int fd, agent, length = 256, status = 1;
	umad_port_t port;
	uint8_t *umad;

	if (argc != 2 || umad_init() || umad_get_port(NULL, 0, &port))
		return 1;
	fd = umad_open_port(port.ca_name, port.portnum);
	agent = umad_register(fd, IB_SA_CLASS, 2, 0, NULL);
	umad = calloc(1, umad_size() + 256);
	if (fd >= 0 && agent >= 0 && umad) {
		put_query(umad_get_mad(umad), &port, (unsigned int)atoi(argv[1]));
		umad_set_addr(umad, (int)port.sm_lid, 1, (int)port.sm_sl, (int)IB_DEFAULT_QP1_QKEY);
		if (umad_send(fd, agent, umad, length, 1000, 3) == 0 &&
		    umad_recv(fd, umad, &length, 60000) >= 0)
			status = umad_status(umad) ||
			         mad_get_field(umad_get_mad(umad), 0, IB_MAD_STATUS_F);
	}
	if (status)
		fprintf(stderr, "join: the subnet manager did not take the member\n");
	free(umad);
	return status;
}
