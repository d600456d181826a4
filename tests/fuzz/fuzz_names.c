/* SPDX-License-Identifier: BSD-2-Clause */
/* Any node-name map is an error, or names for a fabric; any text names something there or not. */
#include <sys/mman.h>
#include <unistd.h>

#include <ibcheck/names.h>

#include "fabric_of.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void find_any(const struct ibc_fabric *fab, const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct ibc_place *places;
	size_t n;
	int rc;

	assert(text);
	rc = ibc_fabric_find(fab, text, &places, &n, NULL);
	assert(rc ? rc == -ENOENT && !n : n > 0);
	free(places);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ibc_error err = { "" };
	struct fabric_build *b;
	struct ibc_fabric *fab;
	struct text_file *f;
	int rc;

	assert(text_open_bytes("map", data, size, &f, NULL) == 0);
	assert(fabric_build_new(&b, NULL) == 0);
	fabric_build_node(b, fabric_build_subnet(b, "fuzz", "snapshot"), 0x20, IBC_NODE_CA, 1);
	rc = read_node_names(f, b, &err);
	text_close(f);
	if (rc) {
		assert(rc == -EINVAL && *err.text);
		fabric_build_free(b);
		return 0;
	}
	assert(fabric_build_finish(b, &fab, NULL) == 0);
	find_any(fab, data, size);
	ibc_fabric_free(fab);
	return 0;
}
