/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Preloaded: tells on stderr, as one line of JSON, how long writing the report took, and the
 * time of a CPU: of a host with other work the former says less.
 */
#include <dlfcn.h>
#include <time.h>

#include <ibcheck/report.h>

typedef int render_fn(const struct ibc_report *rep, const char *format,
                      const struct ibc_render_opts *opts, FILE *out, struct ibc_error *err);

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((visibility("default"))) int ibc_report_render(const struct ibc_report *rep,
                                                             const char *format,
                                                             const struct ibc_render_opts *opts,
                                                             FILE *out, struct ibc_error *err)
{
	render_fn *render = (render_fn *)dlsym(RTLD_NEXT, "ibc_report_render");
	double start = now(CLOCK_MONOTONIC), cpu = now(CLOCK_THREAD_CPUTIME_ID);
	int rc = render(rep, format, opts, out, err);

	fflush(out);
	fprintf(stderr, "{\"render_s\":%.6f,\"render_cpu_s\":%.6f}\n", now(CLOCK_MONOTONIC) - start,
	        now(CLOCK_THREAD_CPUTIME_ID) - cpu);
	return rc;
}
