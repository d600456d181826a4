/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * lanes [plain|adaptive]: sweeps the fabric of the local port, with SLtoVLMappingTables of
 * switches and HCAs, and the VLArbitrationTable of every port; plain: without; adaptive: with LFTs
 * and adaptive tables instead.  Exits with 1 unless all of them were answered.
 *
 * Time and memory are told by tests/bench/umad_shim.c, below it.
 */
#include <stdio.h>
#include <string.h>

#include <ibcheck/source.h>

static const enum ibc_attr lanes[] = { IBC_ATTR_SL2VL, IBC_ATTR_HCA_SL2VL,
	                               IBC_ATTR_VL_ARBITRATION };
static const enum ibc_attr adaptive[] = { IBC_ATTR_LFT, IBC_ATTR_AR_GROUPS, IBC_ATTR_AR_LFT };

int main(int argc, char **argv)
{
	struct ibc_source_opts opts = IBC_SOURCE_OPTS_INIT;
	const char *spec = "umad";
	struct ibc_fabric *fab;
	struct ibc_error err;
	int missing = 0;

	const enum ibc_attr *tables = argc > 1 && strcmp(argv[1], "adaptive") == 0 ? adaptive
	                                                                           : lanes;
	const bool wanted = argc == 1 || tables == adaptive;

	if (wanted)
		opts.needs = IBC_ATTRS(tables[0], tables[1], tables[2]);
	if (ibc_fabric_load(&spec, 1, &opts, &fab, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 3;
	}
	for (size_t i = 0; i < sizeof(lanes) / sizeof(lanes[0]); i++) {
		struct ibc_coverage c = ibc_fabric_coverage(fab, tables[i]);

		missing |= (c.asked > 0) != wanted || c.answered < c.asked;
	}
	ibc_fabric_free(fab);
	return missing;
}
