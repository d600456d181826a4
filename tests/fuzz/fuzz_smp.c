/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes decode, and what comes out is what the model knows. */
#include <assert.h>
#include <string.h>

#include <ibcheck/fabric.h>

#include "wire/mad.h"
#include "wire/smp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_one_or_none(unsigned int set)
{
	return (set & (set - 1)) == 0;
}

static void decode_ports(const uint8_t data[SMP_DATA_SIZE])
{
	struct mlnx_ext_port_info ext;
	struct port_info pi;

	port_info_get(data, &pi);
	assert(pi.state <= IBC_STATE_ACTIVE && pi.phys_state <= IBC_PHYS_TEST);
	assert(is_one_or_none(pi.width_active) && pi.width_active <= IBC_WIDTH_2X);
	assert(is_one_or_none(pi.speed_active) && pi.speed_active <= IBC_SPEED_XDR);
	assert(pi.lmc <= 7);
	mlnx_ext_port_info_get(data, &ext);
	assert(is_one_or_none(ext.speed_active) && ext.speed_active <= IBC_SPEED_XDR);
}

static void decode_nodes(const uint8_t data[SMP_DATA_SIZE])
{
	struct switch_info si;
	struct node_info ni;

	node_info_get(data, &ni);
	assert(ni.type <= IBC_NODE_ROUTER);
	mlnx_ext_port_info_known(ni.vendor_id, ni.device_id);
	switch_info_get(data, &si);
}

static void decode_header(const uint8_t data[SMP_DATA_SIZE])
{
	struct mad_header h, again;
	uint8_t mad[SMP_DATA_SIZE];

	memset(&h, 0, sizeof(h));
	memset(&again, 0, sizeof(again));
	mad_header_get(data, &h);
	mad_verdict_of(h.status);
	memcpy(mad, data, sizeof(mad));
	mad_header_put(mad, &h);
	mad_header_get(mad, &again);
	assert(h.tid == again.tid && h.status == again.status && h.attribute == again.attribute);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t bytes[SMP_DATA_SIZE] = { 0 };

	memcpy(bytes, data, size < sizeof(bytes) ? size : sizeof(bytes));
	decode_nodes(bytes);
	decode_ports(bytes);
	decode_header(bytes);
	return 0;
}
