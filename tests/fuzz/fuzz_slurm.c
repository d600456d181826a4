/* SPDX-License-Identifier: BSD-2-Clause */
/* Any topology.conf is read, and compared with a fabric: faults are findings. */
#include <stdint.h>
#include <stdlib.h>

#include <ibcheck/check.h>
#include <ibcheck/report.h>
#include <ibcheck/source.h>

#include "source/jobs/slurmconf.h"
#include "source/source.h"

#define FABRIC "synth:fattree:levels=3,pods=2,leaves=2,spines=2,uplinks=1,hosts=2,rails=2"

static struct ibc_fattree *tree;
static struct ibc_slurm *slurm;
static struct ibc_fabric *fab;

static void expect(int holds)
{
	if (!holds)
		abort();
}

static void make_fabric(void)
{
	const struct ibc_slurm_opts all = { 0 };
	const char *const sources[] = { FABRIC };

	expect(!ibc_fabric_load(sources, 1, NULL, &fab, NULL));
	expect(!ibc_fattree_infer(fab, NULL, &tree, NULL));
	expect(!ibc_slurm_make(tree, &all, &slurm, NULL));
}

static void check(const struct ibc_slurm_file *file)
{
	const struct ibc_input in = { .fabric = fab, .slurm = slurm, .slurm_file = file };
	struct ibc_report *rep;

	expect(!ibc_report_new(&rep, NULL));
	expect(!ibc_check_run(&in, "slurm", rep, NULL));
	expect(!ibc_report_finish(rep, NULL));
	/* silence is never health: a file without a line is none that is right */
	expect(file->num_lines || ibc_report_verdict(rep) == IBC_CRITICAL);
	expect(!file->num_faults || ibc_report_verdict(rep) == IBC_CRITICAL);
	ibc_report_free(rep);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ibc_slurm_file *file;
	struct text_file *text;

	if (!fab)
		make_fabric();
	expect(!text_open_bytes("topology.conf", data, size, &text, NULL));
	if (!slurm_read_text(text, &file, NULL)) {
		check(file);
		ibc_slurm_file_free(file);
	}
	text_close(text);
	return 0;
}
