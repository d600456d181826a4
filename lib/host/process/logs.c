/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines of logs that show which transport a program took, in the words of NCCL (init.cc,
 * net_ib, net_socket), UCX (ucp_worker.c), Open MPI and Intel MPI.  Only files that were
 * named are read, of each the beginning and the end; of lines that say the same of one
 * process the first is kept.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/host.h"

/* of the beginning and of the end: what decides is at start or at failure */
#define PART_BYTES (4 << 20)
#define TEXT_BYTES 400       /* of a line that is shown */
#define KEPT_MAX   1000      /* of a file */
#define PID_MAX    (1 << 22) /* Linux: PID_MAX_LIMIT */

#define SKEW_SECONDS 60 /* between our clock and that of who keeps the file */

/* What follows a phrase: a transport's name, or nothing that matters. */
enum { PLAIN, NCCL_NAME, OFI_NAME, UCX_LANES };

static const struct phrase {
	const char *text;
	bool tcp;
	int follows;
} phrases[] = {
	{ "NCCL INFO Using network ", true, NCCL_NAME },
	{ "via NET/", true, NCCL_NAME },
	{ "Assigned NET plugin ", true, NCCL_NAME },
	{ "Failed to initialize NET plugin IB", true, PLAIN },
	{ "NET/IB : No device found", true, PLAIN },
	{ "NET/IB : No IP interface found", true, PLAIN },
	{ "NET/Socket : Using [", true, PLAIN },
	{ "Count not open libibverbs", true, PLAIN },
	{ "NET/IB : Using [", false, PLAIN },
	{ "Initialized NET plugin IB", false, PLAIN },
	{ "inter-node cfg#", true, UCX_LANES },
	{ "ep_cfg[", true, UCX_LANES },
	{ "Please set max locked memory (ulimit -l)", true, PLAIN },
	{ "PML ucx cannot be selected", true, PLAIN },
	{ "support level is transports only", true, PLAIN },
	{ "There was an error initializing an OpenFabrics device", true, PLAIN },
	{ "select: component ob1 selected", true, PLAIN },
	{ "select: component ucx selected", false, PLAIN },
	{ "libfabric provider: ", true, OFI_NAME },
};

/* How the names of transports are written: at once behind the phrase, or anywhere behind it. */
static const struct {
	bool anywhere;
	const char *const tcp[5], *const rdma[9]; /* NULL at the end */
} names[] = {
	[NCCL_NAME] = { false, { "Socket" }, { "IB", "AWS Libfabric", "UCX" } },
	[OFI_NAME] = { false,
	               { "tcp", "sockets", "udp", "net" },
	               { "mlx", "verbs", "psm", "opx", "efa", "cxi" } },
	/* "tag(rc_mlx5/mlx5_0:1 tcp/ib0)": TCP if that is all there is */
	[UCX_LANES] = { true,
	                { "(tcp/", " tcp/" },
	                { "(rc_", " rc_", "(dc_", " dc_", "(ud_", " ud_", "(srd", " srd" } },
};

static bool names_any(const char *text, const char *const *words, bool anywhere)
{
	for (size_t i = 0; words[i]; i++)
		if (anywhere ? strstr(text, words[i]) : text_after(text, words[i]))
			return true;
	return false;
}

/* Does what follows the phrase name the transport? */
static bool names_transport(const struct phrase *phrase, const char *rest, bool *tcp)
{
	bool anywhere = names[phrase->follows].anywhere;

	*tcp = phrase->tcp;
	if (phrase->follows == PLAIN)
		return true;
	*tcp = !names_any(rest, names[phrase->follows].rdma, anywhere);
	return !*tcp || names_any(rest, names[phrase->follows].tcp, anywhere);
}

/* ---- whose it is -------------------------------------------------------------------- */

/* The PID in "host:PID:TID" or "[host:PID]" before the phrase, of this host; or 0. */
static int pid_before(const struct ibc_host *host, const char *line, const char *phrase)
{
	size_t ours = strcspn(host->name, "."), its;
	const char *begin = line;
	int pid = 0;

	for (const char *p = line; p < phrase; p++) {
		char *end;
		long number;

		if (*p == ' ' || *p == '[' || *p == '\t') {
			begin = p + 1;
			continue;
		}
		if (*p != ':' || !isdigit((unsigned char)p[1]))
			continue;
		number = strtol(p + 1, &end, 10);
		its = strcspn(begin, ".:");
		if ((*end == ':' || *end == ']') && number > 0 && number <= PID_MAX && ours &&
		    p > begin && ours == its && !strncmp(begin, host->name, ours))
			pid = (int)number;
	}
	return pid;
}

/* ---- files ------------------------------------------------------------------------------ */

struct log {
	struct ibc_host *host;
	const char *path;
	size_t first; /* of its lines in the model */
	bool rest;    /* the middle was left out: lines have no number */
	struct stream stream;
};

static void keep_log_line(struct log *log, const struct phrase *phrase, int pid, bool tcp)
{
	struct host_list *lines = &log->host->log_lines;
	struct ibc_log_line *line;
	const char *text;

	for (size_t i = log->first; i < lines->n; i++) {
		line = lines->items[i];
		if (line->pid == pid && line->tcp == tcp && strstr(line->text, phrase->text))
			return;
	}
	if (lines->n - log->first >= KEPT_MAX)
		return;
	text = text_clean(log->host, log->stream.item, strnlen(log->stream.item, TEXT_BYTES));
	line = host_new(log->host, lines, sizeof(*line));
	*line = (struct ibc_log_line){ .path = log->path,
		                       .text = text,
		                       .line = log->rest ? 0 : log->stream.number,
		                       .tcp = tcp,
		                       .pid = pid };
}

/* As many of its lines as are in the next PART_BYTES. */
static void read_part(struct log *log)
{
	while (log->stream.total - (log->stream.n - log->stream.at) < PART_BYTES &&
	       stream_next(&log->stream))
		for (size_t i = 0; i < ARRAY_SIZE(phrases); i++) {
			const char *found = strstr(log->stream.item, phrases[i].text);
			bool tcp;

			if (!found ||
			    !names_transport(&phrases[i], found + strlen(phrases[i].text), &tcp))
				continue;
			keep_log_line(log, &phrases[i],
			              pid_before(log->host, log->stream.item, found), tcp);
			break;
		}
}

/* ---- when it was written ---------------------------------------------------------------- */

/* Seconds since 1970 when the host started ("btime" of proc(5)); 0: not known. */
static double boot_time(struct ibc_host *host)
{
	unsigned long long seconds = 0;
	struct stream s;
	const char *path = lines_open(host, &s, "/proc/stat"), *value;

	while (!seconds && stream_next(&s)) {
		value = text_after(s.item, "btime ");
		seconds = value ? strtoull(value, NULL, 10) : 0;
	}
	lines_close(host, &s, path);
	return (double)seconds;
}

static void read_log(struct ibc_host *host, const char *name, double boot)
{
	struct log log = { .host = host, .first = host->log_lines.n };
	struct stat st = { .st_mtim.tv_sec = INT64_MAX };
	double ticks = (double)sysconf(_SC_CLK_TCK);
	int error;

	log.path = text_clean(host, name, strlen(name));
	stream_take(&log.stream, regular_open(open(name, O_PATH | O_CLOEXEC)), '\n');
	read_part(&log);
	if (!fstat(log.stream.fd, &st) && st.st_size > 2 * PART_BYTES &&
	    lseek(log.stream.fd, -PART_BYTES, SEEK_END) > 0) {
		stream_of(&log.stream, log.stream.fd, '\n');
		log.rest = true;
	}
	read_part(&log);
	error = stream_close(&log.stream);
	if (error)
		note_unread(host, log.path, error);
	/* a log that is older than a process is of an earlier one that had its PID */
	for (size_t i = log.first; boot > 0 && i < host->log_lines.n; i++) {
		struct ibc_log_line *line = host->log_lines.items[i];
		const struct ibc_process *process = ibc_host_process_by_pid(host, line->pid);

		if (process &&
		    (double)st.st_mtime + SKEW_SECONDS < boot + (double)process->start / ticks)
			line->pid = 0;
	}
}

/* They are the operator's, and so not below the root. */
void host_read_logs(struct ibc_host *host)
{
	double boot = host->opts.num_logs ? boot_time(host) : 0;

	for (size_t i = 0; i < host->opts.num_logs; i++) {
		glob_t found = { .gl_pathc = 0 };
		int rc = glob(host->opts.logs[i], GLOB_NOCHECK, NULL, &found);

		if (rc)
			note_unread(host, host_text(host, "%s", host->opts.logs[i]), EIO);
		for (size_t j = 0; !rc && j < found.gl_pathc; j++)
			read_log(host, found.gl_pathv[j], boot);
		globfree(&found);
	}
}
