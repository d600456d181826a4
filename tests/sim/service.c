/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * service LEASE [ID]: registers the local port as SHARP's aggregation manager, as sharp_am does,
 * with a lease of so many seconds, and a ServiceID that tells records of one port apart.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/mad.h>
#include <infiniband/umad.h>

#define SERVICE_RECORD 0x31

/* Of a ServiceRecord (IBA 15.2.5.14). */
enum component { ID = 1 << 0, GID = 1 << 1, PKEY = 1 << 2, LEASE = 1 << 4, NAME = 1 << 6 };
enum offset { ID_AT = 0, GID_AT = 8, PKEY_AT = 24, LEASE_AT = 28, NAME_AT = 48 };

static void put_number(uint8_t *at, int size, uint64_t value)
{
	while (size--) {
		at[size] = (uint8_t)value;
		value >>= 8;
	}
}

static void put_query(uint8_t *mad, const umad_port_t *port, uint32_t lease, uint64_t id)
{
	uint8_t *record = mad + IB_SA_DATA_OFFS;

	mad_set_field(mad, 0, IB_MAD_BASEVER_F, 1);
	mad_set_field(mad, 0, IB_MAD_MGMTCLASS_F, IB_SA_CLASS);
	mad_set_field(mad, 0, IB_MAD_CLASSVER_F, 2);
	mad_set_field(mad, 0, IB_MAD_METHOD_F, IB_MAD_METHOD_SET);
	mad_set_field64(mad, 0, IB_MAD_TRID_F, id + 1);
	mad_set_field(mad, 0, IB_MAD_ATTRID_F, SERVICE_RECORD);
	mad_set_field64(mad, 0, IB_SA_COMPMASK_F, ID | GID | PKEY | LEASE | NAME);
	put_number(record + ID_AT, 8, id);
	memcpy(record + GID_AT, &port->gid_prefix, 8);
	memcpy(record + GID_AT + 8, &port->port_guid, 8);
	put_number(record + PKEY_AT, 2, 0xffff);
	put_number(record + LEASE_AT, 4, lease);
	strcpy((char *)record + NAME_AT, "SHArP.AggregationManager");
}

int main(int argc, char **argv)
{
	int fd, agent, length = 256, status = 1;
	umad_port_t port;
	uint8_t *umad;

	if (argc < 2 || umad_init() || umad_get_port(NULL, 0, &port))
		return 1;
	fd = umad_open_port(port.ca_name, port.portnum);
	agent = umad_register(fd, IB_SA_CLASS, 2, 0, NULL);
	umad = calloc(1, umad_size() + 256);
	if (fd >= 0 && agent >= 0 && umad) {
		put_query(umad_get_mad(umad), &port, (uint32_t)strtoul(argv[1], NULL, 0),
		          argc > 2 ? strtoull(argv[2], NULL, 0) : 1);
		umad_set_addr(umad, (int)port.sm_lid, 1, (int)port.sm_sl, (int)IB_DEFAULT_QP1_QKEY);
		if (umad_send(fd, agent, umad, length, 1000, 3) == 0 &&
		    umad_recv(fd, umad, &length, 60000) >= 0)
			status = umad_status(umad) ||
			         mad_get_field(umad_get_mad(umad), 0, IB_MAD_STATUS_F);
	}
	if (status)
		fprintf(stderr, "service: subnet administration did not take the record\n");
	free(umad);
	return status;
}
