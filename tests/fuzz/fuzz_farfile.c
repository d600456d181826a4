/* SPDX-License-Identifier: BSD-2-Clause */
/* Any ibdiagnet2.far is an error with a sentence, or tables for two switches, which a snapshot
 * keeps. */
#include "fabric_of.h"
#include "source/ibdiagnet/farfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ibc_error err = { "" };
	struct ibc_subnet *subnet;
	struct ibc_fabric *fab, *again;
	struct fabric_build *b;
	struct text_file *f;
	size_t n;
	char *text;
	int rc;

	assert(fabric_build_new(&b, NULL) == 0);
	subnet = fabric_build_subnet(b, "fuzz", "snapshot");
	fabric_build_node(b, subnet, 0x10, IBC_NODE_SWITCH, 4);
	fabric_build_node(b, subnet, 0x11, IBC_NODE_SWITCH, 36);
	assert(text_open_bytes("fuzz", data, size, &f, NULL) == 0);
	rc = read_far(f, b, &err);
	text_close(f);
	if (rc) {
		assert(rc == -EINVAL && *err.text);
		fabric_build_free(b);
		return 0;
	}
	assert(subnet->forwarding && subnet->forwarding->num_lids <= 0xc000);
	assert(fabric_build_finish(b, &fab, NULL) == 0);
	text = bytes_of(fab, "snapshot", &n);
	again = fabric_of(read_snapshot, text, n);
	assert(again);
	free(text);
	ibc_fabric_free(again);
	ibc_fabric_free(fab);
	return 0;
}
