/* SPDX-License-Identifier: BSD-2-Clause */
/* A specification is a fabric that holds together, or an error with a sentence. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/build.h"
#include "source/source.h"

#define SPEC_MAX    200
#define PRODUCT_MAX 20000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Keeps the fabrics small: no count of nodes exceeds the product of all numbers. */
static bool is_small(const char *spec)
{
	unsigned long product = 1;

	for (const char *s = spec; *s; s++) {
		char *end;
		unsigned long number = strtoul(s, &end, 0);

		if (end == s)
			continue;
		/* greater numbers are refused, or a seed */
		if (number > 1 && number <= 254)
			product *= number;
		if (product > PRODUCT_MAX)
			return false;
		s = end - 1;
	}
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char spec[SPEC_MAX + 1] = "";
	struct fabric_build *b;
	struct ibc_fabric *fab;
	struct ibc_error err = { "" };
	int rc;

	memcpy(spec, data, size < SPEC_MAX ? size : SPEC_MAX);
	if (!is_small(spec) || fabric_build_new(&b, NULL))
		return 0;
	rc = source_synth(spec, NULL, b, &err);
	if (rc) {
		assert(rc == -EINVAL && *err.text);
		fabric_build_free(b);
		return 0;
	}
	assert(fabric_build_finish(b, &fab, NULL) == 0);
	ibc_fabric_free(fab);
	return 0;
}
