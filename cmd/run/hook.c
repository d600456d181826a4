/* SPDX-License-Identifier: BSD-2-Clause */
/* --hook: a program that gets what changed on its standard input, once the report is out. */
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"

#define SCHEMA        1 /* man/ibcheck-hook.schema.json; only additions keep it */
#define GRACE_SECONDS 1 /* to tidy up, once the time is over */

/* ---- what it gets ------------------------------------------------------------------- */

static bool has_hook(const struct app *app)
{
	return app->common.hook && app->memory.asked;
}

/* The report of this run as --changes shows it, before any table is in it. */
int hook_compose(struct app *app, struct ibc_error *err)
{
	const struct ibc_show show = { .changes = true };
	size_t size;
	FILE *out;
	int rc;

	free(app->memory.changes);
	app->memory.changes = NULL;
	if (!has_hook(app) || !ibc_report_changed(app->report))
		return 0;
	out = open_memstream(&app->memory.changes, &size);
	if (!out)
		return cmd_fail(err, -ENOMEM, "out of memory");
	ibc_report_show(app->report, &show);
	rc = ibc_report_render(app->report, "json", NULL, out, err);
	return text_end(out, &app->memory.changes, err) && !rc ? -ENOMEM : rc;
}

/* ---- the program --------------------------------------------------------------------- */

static const char *const kept_names[] = { "HOME=", "LANG=", "LOGNAME=", "TZ=" };

int start_program(char *const *argv, char *const *env, const int fds[2], const sigset_t *mask,
                  pid_t *pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	sigset_t pipe;
	int rc;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE); /* which the program itself ignores */
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, fds[0], STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&files, fds[1], STDOUT_FILENO);
	posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
	posix_spawnattr_init(&how);
	posix_spawnattr_setflags(&how,
	                         POSIX_SPAWN_SETSIGDEF |
	                             (mask ? POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK : 0));
	posix_spawnattr_setsigdefault(&how, &pipe);
	if (mask)
		posix_spawnattr_setsigmask(&how, mask);
	rc = (mask ? posix_spawn : posix_spawnp)(pid, argv[0], &files, &how, argv, env);
	posix_spawnattr_destroy(&how);
	posix_spawn_file_actions_destroy(&files);
	return rc;
}

/* It stays a zombie, so that its number remains that of its group. */
static bool has_ended(pid_t pid)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid;
}

/* 0: it has ended; ETIMEDOUT; or the signal, negative, that is to end this program. */
static int wait_for_end(pid_t pid, double seconds, const sigset_t *signals)
{
	static const struct timespec pause = { 1, 0 };
	double end = clock_seconds() + seconds, left;

	while (!has_ended(pid)) {
		struct timespec wait = pause;
		int sig;

		left = end - clock_seconds();
		if (left <= 0)
			return ETIMEDOUT;
		if (left < 1)
			wait = (struct timespec){ 0, (long)(left * 1e9) };
		sig = sigtimedwait(signals, NULL, &wait);
		if (sig > 0 && sig != SIGCHLD)
			return -sig;
	}
	return 0;
}

/* Also what it has started: a time limit that leaves children would be none. */
static int end_group(pid_t pid, const sigset_t *signals)
{
	int status = 0;

	if (!has_ended(pid)) {
		kill(-pid, SIGTERM);
		wait_for_end(pid, GRACE_SECONDS, signals);
	}
	kill(-pid, SIGKILL);
	waitpid(pid, &status, 0);
	return status;
}

int run_program(char *const *argv, int input, int output, double seconds, bool goes_on,
                struct ibc_error *err)
{
	char *env[ARRAY_SIZE(kept_names) + 2]; /* PATH, NULL */
	char time[TIME_TEXT];
	sigset_t signals, before;
	int rc, why, status;
	size_t n = 0;
	pid_t pid;

	/* the same from a terminal, from cron and from systemd: what cron gives */
	env[n++] = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
	for (size_t i = 0; i < ARRAY_SIZE(kept_names); i++)
		for (char **e = environ; *e; e++)
			if (!strncmp(*e, kept_names[i], strlen(kept_names[i]))) {
				env[n++] = *e;
				break; /* the first one counts, as for getenv(3) */
			}
	env[n] = NULL;
	out_deadly(&signals);
	if (goes_on)
		sigdelset(&signals, SIGHUP);
	sigaddset(&signals, SIGCHLD);
	signal(SIGCHLD, SIG_DFL); /* else, where it came ignored, no status is kept */
	sigprocmask(SIG_BLOCK, &signals, &before);
	rc = start_program(argv, env, (int[]){ input, output }, &before, &pid);
	if (rc) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		return cmd_fail(err, -rc, "%s", strerror(rc));
	}
	why = wait_for_end(pid, seconds, &signals);
	status = end_group(pid, &signals);
	if (why < 0)
		raise(-why);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (why == ETIMEDOUT)
		return cmd_fail(err, -ETIMEDOUT, "it has not ended within %s",
		                duration_text(seconds, time));
	if (WIFSIGNALED(status))
		return cmd_fail(err, -ECANCELED, "a signal has ended it: %s",
		                strsignal(WTERMSIG(status)));
	if (WEXITSTATUS(status))
		return cmd_fail(err, -ECANCELED, "its exit status is %d", WEXITSTATUS(status));
	return 0;
}

/* ---- once a run ------------------------------------------------------------------------ */

static int give(const char *const *changes, void *ctx, struct ibc_error *err)
{
	const struct app *app = ctx;
	char *const argv[] = { (char *)app->common.hook, NULL };
	int input, rc = 0;
	FILE *out;

	/* as a file: a hook that reads slowly, or not at all, does not stop this program */
	input = memfd_create("ibcheck changes", MFD_CLOEXEC);
	out = input < 0 ? NULL : fdopen(dup(input), "w");
	if (out) {
		fprintf(out, "{\n\"schema\": %d,\n\"reports\": [\n", SCHEMA);
		for (size_t i = 0; changes[i]; i++)
			fprintf(out, "%s%s", i ? ",\n" : "", changes[i]);
		fputs("]\n}\n", out);
	}
	if (!out || fclose(out) || lseek(input, 0, SEEK_SET))
		rc = cmd_fail(err, -errno, "cannot write what changed: %s", strerror(errno));
	else
		/* rounds go on, and the handler of theirs decides what SIGHUP means */
		rc = run_program(argv, input, STDERR_FILENO, app->common.hook_seconds, app->stop,
		                 err);
	if (input >= 0)
		close(input);
	return rc;
}

void hook_run(struct app *app)
{
	const char *const changes[] = { app->memory.changes, NULL };
	const char *program = app->common.hook;
	struct ibc_error why = { "" };
	struct stat st;
	int rc = 0;

	if (!has_hook(app))
		return;
	/* not only when there is something to report: then it is late */
	if (!stat(program, &st) && !S_ISREG(st.st_mode))
		rc = cmd_fail(&why, -EACCES, "it is no file");
	else if (access(program, X_OK))
		rc = cmd_fail(&why, -errno, "%s", strerror(errno));
	if (!rc && app->memory.recorded)
		rc = ibc_store_deliver(app->memory.store,
		                       (unsigned int)(app->common.hook_seconds * 1000), give, app,
		                       &why);
	else if (!rc && app->memory.changes)
		rc = give(changes, app, &why);
	if (!rc)
		return;
	say_error("hook %s: %s%s", program, why.text,
	          rc == -EKEYREJECTED ? ""
	          : app->memory.recorded
	              ? "; the changes are kept, and the next run passes them on again"
	              : "; the changes are only in this report");
	app->memory.hook_failed = true;
}
