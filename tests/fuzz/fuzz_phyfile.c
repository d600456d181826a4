/* SPDX-License-Identifier: BSD-2-Clause */
/* Any file of the physical layer is an error, or the fabric that has it goes through a snapshot. */
#include "fabric_of.h"

/* leaf (0x10) and host (0x20, its port 0x21). */
static struct fabric_build *one_cable(void)
{
	struct fabric_build *b;
	struct ibc_subnet *subnet;
	struct ibc_node *leaf, *host;

	assert(fabric_build_new(&b, NULL) == 0);
	subnet = fabric_build_subnet(b, "fuzz", "snapshot");
	leaf = fabric_build_node(b, subnet, 0x10, IBC_NODE_SWITCH, 4);
	host = fabric_build_node(b, subnet, 0x20, IBC_NODE_CA, 1);
	fabric_build_port(host, 1)->guid = 0x21;
	assert(fabric_build_link(fabric_build_port(leaf, 1), fabric_build_port(host, 1)) == 0);
	return b;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fabric_build *b = one_cable();
	struct ibc_fabric *fab, *again;
	struct ibc_error err = { "" };
	struct text_file *f;
	char *text;
	size_t n;
	int rc;

	assert(text_open_bytes("fuzz", data, size, &f, NULL) == 0);
	rc = read_phy_file(f, b, &err);
	text_close(f);
	if (rc) {
		assert(rc == -EINVAL && *err.text);
		fabric_build_free(b);
		return 0;
	}
	assert(fabric_build_finish(b, &fab, NULL) == 0);
	text = bytes_of(fab, "snapshot", &n);
	again = fabric_of(read_snapshot, text, n);
	assert(again);
	free(text);
	ibc_fabric_free(fab);
	ibc_fabric_free(again);
	return 0;
}
