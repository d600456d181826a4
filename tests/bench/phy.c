/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * phy [plain]: sweeps the fabric of the local port, with bit errors, module and the last link
 * down of every port; plain: without.  Exits with 1 unless all of them were answered.
 *
 * Time and memory are told by tests/bench/umad_shim.c, below it.
 */
#include <stdio.h>

#include <ibcheck/source.h>

static const enum ibc_attr registers[] = { IBC_ATTR_PHY_ERRORS, IBC_ATTR_PHY_MODULE,
	                                   IBC_ATTR_PHY_LAST_DOWN };

int main(int argc, char **argv)
{
	struct ibc_source_opts opts = IBC_SOURCE_OPTS_INIT;
	const char *spec = "umad";
	struct ibc_fabric *fab;
	struct ibc_error err;
	int missing = 0;

	(void)argv;
	opts.needs = IBC_ATTRS(IBC_ATTR_GENERAL_INFO, registers[0], registers[1], registers[2]);
	opts.physical = argc == 1;
	if (ibc_fabric_load(&spec, 1, &opts, &fab, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 3;
	}
	for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++) {
		struct ibc_coverage c = ibc_fabric_coverage(fab, registers[i]);

		missing |= (c.asked == 0) == opts.physical || c.answered < c.asked;
	}
	ibc_fabric_free(fab);
	return missing;
}
