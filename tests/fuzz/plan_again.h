/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PLAN_AGAIN_H
#define PLAN_AGAIN_H

#include "fabric_of.h"

/*
 * What a format can hold comes back from it; what was no text may have grown too long, and a node
 * whose cables are in lines that were lost is in none that is written.
 */
static inline void plan_again(const struct ibc_fabric *fab, const char *format, reader_fn *read)
{
	struct ibc_fabric_counts first = ibc_fabric_count(fab), second;
	struct ibc_fabric *again;
	struct ibc_error err = { "" };
	char *bytes = NULL;
	size_t n;
	FILE *out = open_memstream(&bytes, &n);
	int rc = ibc_fabric_write(fab, format, out, &err);

	assert(out && fclose(out) == 0);
	if (rc) {
		assert(rc == -EINVAL && *err.text);
	} else if (!ibc_fabric_lines_lost(fab, NULL) && !strstr(bytes, "\xef\xbf\xbd")) {
		again = fabric_of(read, bytes, n);
		assert(again);
		second = ibc_fabric_count(again);
		assert(first.cables == second.cables && first.nodes == second.nodes &&
		       first.switches == second.switches && first.cas == second.cas);
		ibc_fabric_free(again);
	}
	free(bytes);
}

#endif
