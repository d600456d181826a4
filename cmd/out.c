/* SPDX-License-Identifier: BSD-2-Clause */
/* Where output goes: stdout, or a file written beside its place and renamed. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"

/* The file that a signal's handler removes; NULL: none. */
static char *volatile unfinished;
static const int deadly[] = { SIGINT, SIGTERM, SIGHUP };

static void remove_and_die(int sig)
{
	if (unfinished)
		unlink(unfinished);
	raise(sig); /* SA_RESETHAND: now it ends the program */
}

static void watch_signals(char *temp)
{
	struct sigaction act = { .sa_handler = remove_and_die, .sa_flags = SA_RESETHAND };
	struct sigaction old;

	unfinished = temp;
	for (size_t i = 0; i < sizeof(deadly) / sizeof(*deadly); i++)
		if (!sigaction(deadly[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(deadly[i], &act, NULL);
}

static int fail_write(const char *path, int code, struct ibc_error *err)
{
	return cmd_fail(err, -code, "cannot write %s: %s", path, strerror(code));
}

/* As a file made by open() would have it, or as the file that is replaced has it. */
static mode_t mode_of_new(const struct stat *old)
{
	mode_t mask;

	if (old)
		return old->st_mode & 07777;
	mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

static int open_beside(struct out *out, const struct stat *old, struct ibc_error *err)
{
	int fd;

	if (asprintf(&out->temp, "%s.XXXXXX", out->path) < 0) {
		out->temp = NULL;
		return cmd_fail(err, -ENOMEM, "out of memory");
	}
	fd = mkstemp(out->temp);
	if (fd < 0) {
		free(out->temp);
		out->temp = NULL;
		return fail_write(out->path, errno, err);
	}
	watch_signals(out->temp);
	out->file = fdopen(fd, "w");
	if (!out->file) {
		close(fd);
		return cmd_fail(err, -ENOMEM, "out of memory");
	}
	return fchmod(fd, mode_of_new(old)) ? fail_write(out->path, errno, err) : 0;
}

/* A device or a pipe is written as it is: renaming onto it would replace it. */
static int open_file(struct out *out, struct ibc_error *err)
{
	struct stat st;

	if (stat(out->path, &st))
		return open_beside(out, NULL, err);
	if (S_ISDIR(st.st_mode))
		return fail_write(out->path, EISDIR, err);
	if (access(out->path, W_OK))
		return fail_write(out->path, errno, err);
	if (S_ISREG(st.st_mode))
		return open_beside(out, &st, err);
	out->file = fopen(out->path, "w");
	return out->file ? 0 : fail_write(out->path, errno, err);
}

static void release(struct out *out, bool failed)
{
	if (out->file && out->file != stdout)
		fclose(out->file);
	if (out->temp && failed)
		unlink(out->temp);
	unfinished = NULL;
	free(out->temp);
	free(out->path);
	*out = (struct out){ 0 };
}

void out_abandon(struct out *out)
{
	release(out, true);
}

int out_open(struct out *out, const char *path, struct ibc_error *err)
{
	int rc;

	*out = (struct out){ 0 };
	if (!path) {
		out->file = stdout;
		return 0;
	}
	/* Through a symbolic link, so that the link stays one. */
	out->path = realpath(path, NULL);
	if (!out->path)
		out->path = strdup(path);
	if (!out->path)
		return cmd_fail(err, -ENOMEM, "out of memory");
	rc = open_file(out, err);
	if (rc)
		out_abandon(out);
	return rc;
}

/* The reason the system gave for an output that failed; 0 if all is written. */
static int finish(struct out *out)
{
	FILE *file = out->file;

	errno = EIO;
	if (fflush(file) || ferror(file))
		return errno;
	if (out->temp && fsync(fileno(file)))
		return errno;
	out->file = NULL;
	if (fclose(file))
		return errno;
	if (out->temp && rename(out->temp, out->path))
		return errno;
	return 0;
}

int out_commit(struct out *out, struct ibc_error *err)
{
	int code = finish(out), rc = 0;

	if (code == EPIPE) /* the reader has seen enough, and needs no message */
		rc = -EPIPE;
	else if (code)
		rc = fail_write(out->path ? out->path : "standard output", code, err);
	release(out, code != 0);
	return rc;
}

struct ibc_render_opts out_looks(FILE *file)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	struct ibc_render_opts looks = { 0 };
	struct winsize size;

	if (!isatty(fileno(file)))
		return looks;
	looks.color = !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
	if (!ioctl(fileno(file), TIOCGWINSZ, &size))
		looks.columns = size.ws_col;
	return looks;
}
