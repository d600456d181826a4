/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of known faults, held against a finding of each kind; rendered in every format. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <ibcheck/case.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct ibc_report *make_report(void)
{
	const struct ibc_subject subjects[] = {
		{ .kind = IBC_SUBJECT_FABRIC },
		{ .kind = IBC_SUBJECT_HOST, .near = { .desc = "host" } },
		{ .kind = IBC_SUBJECT_CABLE,
		  .near = { 0x2c9, "leaf", "a leaf", 19, true, true, "10/1" },
		  .far = { 0xf45, "spine", NULL, 3, true, true, NULL } },
	};
	struct ibc_report *rep;

	if (ibc_report_new(&rep, NULL))
		abort();
	for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++)
		ibc_report_add(rep, "port.width", IBC_WARNING, &subjects[i], "is odd");
	ibc_report_ran(rep, "port.width");
	return rep;
}

static void render_all(struct ibc_report *rep)
{
	const struct ibc_render_opts opts = { .verbose = true, .columns = 20 };
	const struct ibc_input nothing = { 0 };
	FILE *out = fopen("/dev/null", "w");
	const char *format;

	if (!out || ibc_report_finish(rep, NULL) ||
	    ibc_cases_find(&nothing, ibc_check_find, rep, NULL))
		abort();
	for (size_t i = 0; (format = ibc_render_format(i)); i++) {
		if (ibc_report_render(rep, format, &opts, out, NULL))
			abort();
	}
	fclose(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ibc_report *rep = make_report();
	int fd = memfd_create("known", 0);
	char path[64];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ibc_report_known(rep, path, "2026-01-31", NULL, NULL, NULL);
	render_all(rep);
	ibc_report_free(rep);
	close(fd);
	return 0;
}
