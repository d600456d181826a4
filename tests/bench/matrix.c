/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * matrix SOURCE: draws a fabric as a matrix, and tells as one line of JSON how long that took,
 * with its tree already inferred, and how large the drawing is.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include <ibcheck/draw.h>
#include <ibcheck/source.h>

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	const struct ibc_matrix_opts opts = { .colour = IBC_COLOUR_FAULTS };
	const char *spec = argc == 2 ? argv[1] : NULL;
	struct ibc_fattree *tree;
	struct ibc_matrix *m;
	struct ibc_report *rep;
	struct ibc_fabric *fab;
	struct ibc_error err;
	struct rusage use;
	FILE *out = tmpfile();
	double start, cpu;

	if (!out || !spec || ibc_fabric_load(&spec, 1, NULL, &fab, &err) ||
	    ibc_fattree_infer(fab, NULL, &tree, &err) || ibc_report_new(&rep, &err) ||
	    ibc_report_finish(rep, &err))
		return 3;
	start = now(CLOCK_MONOTONIC);
	cpu = now(CLOCK_PROCESS_CPUTIME_ID);
	if (ibc_matrix_build(fab, tree, rep, &opts, &m, &err) || ibc_matrix_svg(m, out, &err))
		return 3;
	start = now(CLOCK_MONOTONIC) - start;
	cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	getrusage(RUSAGE_SELF, &use);
	printf("{\"nodes\":%zu,\"wall_s\":%.6f,\"cpu_s\":%.6f,\"bytes\":%ld,\"rss_kb\":%ld}\n",
	       ibc_fabric_count(fab).nodes, start, cpu, ftell(out), use.ru_maxrss);
	fclose(out);
	ibc_matrix_free(m);
	ibc_report_free(rep);
	ibc_fattree_free(tree);
	ibc_fabric_free(fab);
	return 0;
}
