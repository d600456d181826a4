/* SPDX-License-Identifier: BSD-2-Clause */
/* Any file of service levels is an error, or each path has one level. */
#include <stdlib.h>

#include "fabric/build.h"
#include "source/source.h"

static void expect(bool holds)
{
	if (!holds)
		abort();
}

/* One host, whose GUID is 0x21. */
static struct fabric_build *one_host(void)
{
	struct fabric_build *b;
	struct ibc_subnet *subnet;

	if (fabric_build_new(&b, NULL))
		abort();
	subnet = fabric_build_subnet(b, "fuzz", "snapshot");
	fabric_build_port(fabric_build_node(b, subnet, 0x21, IBC_NODE_CA, 1), 1)->lid = 7;
	return b;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fabric_build *b = one_host();
	const struct ibc_sa *sa;
	struct text_file *f;

	if (text_open_bytes("fuzz", data, size, &f, NULL) == 0) {
		if (read_paths(f, b, NULL) == 0) {
			sa = fabric_build_subnet_at(b, 0)->sa;
			expect(sa && sa->num_paths);
			for (size_t i = 0; i < sa->num_paths; i++)
				expect(sa->paths[i].slid == 7 && sa->paths[i].sl < 16 &&
				       (!i || sa->paths[i - 1].dlid < sa->paths[i].dlid));
		}
		text_close(f);
	}
	fabric_build_free(b);
	return 0;
}
