/* SPDX-License-Identifier: BSD-2-Clause */
/* --job: the hosts and the time of a job of Slurm, by sacct(1), or scontrol(1) where that fails. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "blame.h"

#define JOB_SECONDS 10        /* slurmctld and slurmdbd answer in one, or are down */
#define JOB_BYTES   (1 << 20) /* of their output: 20,000 names of hosts */

/* ---- what they print ---------------------------------------------------------------- */

/* The value of "KEY=" in a line of scontrol, cut in place; "" it is not there. */
static char *scontrol_value(char *line, const char *key)
{
	size_t n = strlen(key);

	for (char *at = strstr(line, key); at; at = strstr(at + 1, key))
		if (at == line || at[-1] == ' ')
			return at + n;
	return line + strlen(line);
}

static void cut(char *text, const char *at)
{
	text[strcspn(text, at)] = '\0';
}

/* sacct -P: "node[01-04]|BEGIN|END"; scontrol -o: "... NodeList=node[01-04] StartTime=... " */
static int read_line(struct blame_work *w, char *line, struct str_list *lists,
                     struct ibc_error *err)
{
	char *rest = line, *hosts = strsep(&rest, "|"), *begin = strsep(&rest, "|"), *end = rest;
	time_t from = 0, until = 0;

	if (!end) {
		begin = scontrol_value(line, "StartTime=");
		end = scontrol_value(line, "EndTime=");
		hosts = scontrol_value(line, "NodeList=");
		cut(begin, " ");
		cut(end, " ");
	}
	cut(hosts, " \r");
	cut(end, "| \r");
	if (!*hosts || strchr(hosts, '(')) /* "(null)", "None assigned" */
		return 0;
	if (blame_time(begin, &from) && (!w->in.from || from < w->in.from))
		w->in.from = from;
	if (blame_time(end, &until) && until > w->in.until)
		w->in.until = until;
	return str_list_add(lists, hosts, err);
}

static int read_output(struct blame_work *w, char *text, const char *from, struct ibc_error *err)
{
	struct str_list lists = { NULL, 0 };
	struct ibc_error why = { "" };
	char *rest = text, *line;
	int rc = 0;

	while (!rc && (line = strsep(&rest, "\n")))
		rc = read_line(w, line, &lists, err);
	for (size_t i = 0; !rc && i < lists.n; i++)
		if (*lists.items[i] == '@')
			rc = cmd_fail(err, -EINVAL, "%s: \"%s\" is no list of hosts", from,
			              lists.items[i]);
	if (!rc && !lists.n)
		rc = cmd_fail(err, -ENODATA, "%s says no hosts of this job", from);
	if (!rc) {
		rc = ibc_hostlist_read((const char *const *)lists.items, lists.n, &w->job_hosts,
		                       &why);
		if (rc)
			cmd_fail(err, rc, "%s: %s", from, why.text);
	}
	free(lists.items);
	return rc;
}

/* ---- running them ------------------------------------------------------------------- */

/* Until it ends, or its time is over: then it is ended. */
static int read_all(int fd, char *text, size_t room, size_t *n)
{
	double end = clock_seconds() + JOB_SECONDS;

	for (*n = 0; *n < room;) {
		struct pollfd wait = { fd, POLLIN, 0 };
		double left = end - clock_seconds();
		ssize_t got;

		if (left <= 0)
			return -ETIMEDOUT;
		if (poll(&wait, 1, (int)(left * 1000) + 1) <= 0)
			continue;
		got = read(fd, text + *n, room - *n);
		if (got <= 0)
			return got ? -errno : 0;
		*n += (size_t)got;
	}
	return -E2BIG;
}

static int ask_slurm(char *const *argv, char *text, struct ibc_error *err)
{
	int ends[2], input = open("/dev/null", O_RDWR | O_CLOEXEC), rc, status = 0;
	size_t n = 0;
	pid_t pid;

	if (input < 0 || pipe2(ends, O_CLOEXEC)) {
		rc = cmd_fail(err, -errno, "cannot run %s: %s", argv[0], strerror(errno));
		if (input >= 0)
			close(input);
		return rc;
	}
	rc = -start_program(argv, environ, (int[]){ input, ends[1] }, NULL, &pid);
	close(input);
	close(ends[1]);
	if (!rc) {
		rc = read_all(ends[0], text, JOB_BYTES, &n);
		if (rc)
			kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
	}
	close(ends[0]);
	text[n] = '\0';
	if (!rc && status)
		rc = -ECANCELED;
	return rc ? cmd_fail(err, rc, "%s: %s", argv[0],
	                     rc == -ETIMEDOUT   ? "no answer within 10 s"
	                     : rc == -E2BIG     ? "its output does not end"
	                     : rc == -ECANCELED ? "it failed"
	                                        : strerror(-rc))
	          : 0;
}

static int read_file(const char *path, char *text, struct ibc_error *err)
{
	FILE *in = fopen(path, "re");
	size_t n;

	if (!in)
		return cmd_fail(err, -errno, "cannot open %s: %s", path, strerror(errno));
	n = fread(text, 1, JOB_BYTES, in);
	text[n] = '\0';
	fclose(in);
	return n < JOB_BYTES ? 0 : cmd_fail(err, -E2BIG, "%s has more than 1 MiB", path);
}

int blame_job(struct blame_work *w, const char *job, const char *file, struct ibc_error *err)
{
	char *const sacct[] = { "sacct", "-n",        "-P", "-X", "-o", "NodeList,Start,End",
		                "-j",    (char *)job, NULL };
	char *const scontrol[] = { "scontrol", "-o", "show", "job", (char *)job, NULL };
	struct ibc_error why = { "" };
	char *text;
	int rc;

	/* nothing of it may look like an option */
	if (job && (!strspn(job, "0123456789") || job[strspn(job, "0123456789_+.")]))
		return cmd_fail(err, -EINVAL, "--job %s: an ID is digits, \"_\", \"+\" and \".\"",
		                job);
	text = malloc(JOB_BYTES + 1);
	if (!text)
		return cmd_fail(err, -ENOMEM, "out of memory");
	if (file) {
		rc = read_file(file, text, err);
		if (!rc)
			rc = read_output(w, text, file, err);
	} else {
		rc = ask_slurm(sacct, text, &why);
		if (!rc)
			rc = read_output(w, text, "sacct", &why);
		if (rc && !ask_slurm(scontrol, text, err))
			rc = read_output(w, text, "scontrol", err);
		else if (rc)
			rc = cmd_fail(
			    err, rc,
			    "--job %s: %s; --sacct FILE has the output of \"sacct -n -P -X "
			    "-o NodeList,Start,End -j %s\"",
			    job, why.text, job);
	}
	free(text);
	if (!rc) {
		w->in.hosts = w->job_hosts->names;
		w->in.num_hosts = w->job_hosts->num;
	}
	return rc;
}
