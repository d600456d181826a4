/* SPDX-License-Identifier: BSD-2-Clause */
/* Any log is an error, or each of its events has a place, numbers that can be, and clean texts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <ibcheck/joblog.h>

static void expect(bool holds)
{
	if (!holds)
		abort();
}

static void expect_end(const struct ibc_log_end *end)
{
	expect(end->host && end->address && end->device && end->pci);
	expect(strlen(end->host) < 256 && !strpbrk(end->host, "\n\x1b") && end->port < 255 &&
	       end->lid < 0xc000);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct ibc_joblog_opts opts = { .now = 1772600000 };
	char path[64];
	const char *const paths[] = { path };
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct ibc_joblog *log;
	uint64_t lines = 0;

	expect(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (ibc_joblog_read(paths, 1, &opts, &log, NULL) == 0) {
		for (size_t i = 0; i < log->num; i++) {
			const struct ibc_log_event *e = &log->events[i];

			expect_end(&e->own);
			expect_end(&e->peer);
			expect(e->count && e->line && e->line <= log->lines && *e->file &&
			       *e->text);
			expect(e->program && e->kind && e->last >= e->first &&
			       e->last - e->first < IBC_LOG_BUCKET);
			expect(e->status == IBC_WC_UNKNOWN || ibc_wc_status_name(e->status));
			expect(strlen(e->text) <= IBC_LOG_TEXT && !strpbrk(e->text, "\x1b\r\n"));
			lines += e->kind != IBC_LOG_USING ? e->count : 0;
		}
		expect(lines <= log->recognised && log->lost <= log->recognised);
		expect(!log->lost == !log->first_lost);
	}
	ibc_joblog_free(log);
	close(fd);
	return 0;
}
