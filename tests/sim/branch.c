/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * branch LID MLID PORT on|off: has the switch of this LID send a multicast group by a port,
 * or no more, whatever the subnet manager wrote there.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/mad.h>

#define MLID_FIRST  0xc000
#define BLOCK       32 /* groups, of each 16 ports as one number (IBA 14.2.5.10) */
#define PORTS       16
#define POSITION_AT 28 /* in the attribute modifier, above the number of the block */

int main(int argc, char **argv)
{
	int classes[] = { IB_SMI_CLASS };
	uint8_t data[IB_SMP_DATA_SIZE] = { 0 }, *entry;
	unsigned int group, port, modifier;
	struct ibmad_port *via;
	ib_portid_t to = { 0 };
	uint16_t ports;

	if (argc != 5)
		return 1;
	to.lid = atoi(argv[1]);
	group = (unsigned int)strtoul(argv[2], NULL, 0) - MLID_FIRST;
	port = (unsigned int)atoi(argv[3]);
	modifier = group / BLOCK | port / PORTS << POSITION_AT;
	via = mad_rpc_open_port(NULL, 0, classes, 1);
	if (!via || !smp_query_via(data, &to, IB_ATTR_MULTICASTFORWTBL, modifier, 0, via)) {
		fprintf(stderr, "branch: LID %s does not tell its multicast table\n", argv[1]);
		return 1;
	}
	entry = data + 2 * (group % BLOCK);
	ports = (uint16_t)(entry[0] << 8 | entry[1]);
	if (strcmp(argv[4], "on") == 0)
		ports |= (uint16_t)(1 << port % PORTS);
	else
		ports &= (uint16_t) ~(1 << port % PORTS);
	entry[0] = (uint8_t)(ports >> 8);
	entry[1] = (uint8_t)ports;
	if (!smp_set_via(data, &to, IB_ATTR_MULTICASTFORWTBL, modifier, 0, via)) {
		fprintf(stderr, "branch: LID %s does not take its multicast table\n", argv[1]);
		return 1;
	}
	mad_rpc_close_port(via);
	return 0;
}
