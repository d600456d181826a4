/* SPDX-License-Identifier: BSD-2-Clause */
/* Where output goes: stdout, or a file written beside its place and renamed. */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "cmd.h"

#define BUFFER_BYTES (64 * 1024) /* of a file: reports have megabytes */

/* The file that a signal's handler removes; NULL: none. */
static char *volatile unfinished;
static volatile int unfinished_dir;
static const int deadly[] = { SIGINT, SIGTERM, SIGHUP };

static void remove_and_die(int sig)
{
	if (unfinished)
		unlinkat(unfinished_dir, unfinished, 0);
	raise(sig); /* SA_RESETHAND: now it ends the program */
}

void out_deadly(sigset_t *set)
{
	struct sigaction old;

	sigemptyset(set);
	for (size_t i = 0; i < ARRAY_SIZE(deadly); i++)
		if (!sigaction(deadly[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaddset(set, deadly[i]);
}

void out_catch(void (*handler)(int), int flags)
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = flags };
	sigset_t set;

	out_deadly(&set);
	for (size_t i = 0; i < ARRAY_SIZE(deadly); i++)
		if (sigismember(&set, deadly[i]))
			sigaction(deadly[i], &act, NULL);
}

/* A file of this name, or what a run that was killed left of it; -1 while another run has it. */
static int take_up(int dir, const char *name)
{
	struct stat opened, there;
	int fd = ibc_file_open(dir, name, O_WRONLY | O_CREAT, 0600, NULL);

	if (fd < 0)
		return -1;
	/* what was opened must still be the file of this name, and belong to this user */
	if (!flock(fd, LOCK_EX | LOCK_NB) && !fstat(fd, &opened) &&
	    !fstatat(dir, name, &there, AT_SYMLINK_NOFOLLOW) && opened.st_ino == there.st_ino &&
	    opened.st_dev == there.st_dev && opened.st_uid == geteuid() && !fchmod(fd, 0600) &&
	    !ftruncate(fd, 0))
		return fd;
	close(fd);
	return -1;
}

#define OTHER_NAMES 100 /* as many runs at once write one file, or names are taken to annoy us */

/*
 * Makes "PATH.new", or, if that cannot be had, a file of another name: out->temp.  Signals are
 * blocked, so that none finds a file that its handler does not know of.
 */
static int make_beside(struct out *out)
{
	sigset_t all, before;
	int fd = -1, error;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	for (int i = 0; fd < 0 && i < OTHER_NAMES; i++) {
		free(out->temp);
		if (asprintf(&out->temp, i ? "%s.new%d" : "%s.new", out->file_name, i) < 0) {
			out->temp = NULL;
			break;
		}
		fd = i ? openat(out->dir, out->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)
		       : take_up(out->dir, out->temp);
		if (fd < 0 && i && errno != EEXIST)
			break;
	}
	error = errno;
	if (fd >= 0) {
		unfinished_dir = out->dir;
		unfinished = out->temp;
		out_catch(remove_and_die, SA_RESETHAND);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return fd;
}

static int fail_write(const struct out *out, int code, struct ibc_error *err)
{
	return cmd_fail(err, -code, "cannot write %s: %s", out->name, strerror(code));
}

/* ---- a stream that remembers why it failed first ------------------------------- */

static ssize_t stream_write(void *cookie, const char *bytes, size_t n)
{
	struct out *out = cookie;
	size_t done = 0;
	ssize_t rc;

	while (done < n) {
		rc = write(out->fd, bytes + done, n - done);
		if (rc < 0 && errno == EINTR)
			continue;
		if (rc < 0) {
			out->error = out->error ? out->error : errno;
			return 0;
		}
		done += (size_t)rc;
	}
	return (ssize_t)n;
}

static int open_stream(struct out *out, struct ibc_error *err)
{
	const cookie_io_functions_t io = { .write = stream_write };

	out->file = fopencookie(out, "w", io);
	if (!out->file)
		return cmd_fail(err, -ENOMEM, "out of memory");
	setvbuf(out->file, NULL, _IOFBF, BUFFER_BYTES);
	return 0;
}

/* ---- files --------------------------------------------------------------------- */

/*
 * Until it is whole no other user reads it; then it has the mode that a file made by open() would
 * have, or that of the file that is replaced: not what another user chose, and no set-user-ID.
 */
static int open_beside(struct out *out, const struct stat *old, struct ibc_error *err)
{
	mode_t mask;

	out->fd = make_beside(out);
	if (out->fd < 0) {
		free(out->temp);
		out->temp = NULL;
		return fail_write(out, errno, err);
	}
	if (old && old->st_uid == geteuid()) {
		out->mode = old->st_mode & 0777;
	} else {
		mask = umask(0);
		umask(mask);
		out->mode = 0666 & ~mask;
	}
	return 0;
}

/* A device, a pipe, or a link of /proc to what this process has open. */
static int open_itself(struct out *out, int place, const struct stat *st, struct ibc_error *err)
{
	char path[64];
	struct statfs fs;

	if (!S_ISLNK(st->st_mode)) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", place);
		out->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	} else if (fstatfs(out->dir, &fs) || fs.f_type != PROC_SUPER_MAGIC) {
		errno = ELOOP;
	} else {
		out->fd = openat(out->dir, out->file_name, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	}
	return out->fd < 0 ? fail_write(out, errno, err) : 0;
}

/*
 * A device or a pipe is written as it is: renaming onto it would replace it.  A pipe that another
 * user put there may never have a reader.  Who can write the directory may exchange it at any
 * moment, so it is held first, and what is held is looked at.
 */
static int open_there(struct out *out, struct ibc_error *err)
{
	int place = openat(out->dir, out->file_name, O_PATH | O_NOFOLLOW | O_CLOEXEC), rc;
	struct stat st;

	if (place < 0)
		return errno == ENOENT ? open_beside(out, NULL, err) : fail_write(out, errno, err);
	if (fstat(place, &st))
		rc = fail_write(out, errno, err);
	else if (S_ISDIR(st.st_mode))
		rc = fail_write(out, EISDIR, err);
	else if (S_ISFIFO(st.st_mode) && st.st_uid != geteuid() && st.st_uid != 0)
		rc = cmd_fail(err, -EPERM, "cannot write %s: it is a pipe of another user",
		              out->name);
	else if (!S_ISREG(st.st_mode))
		rc = open_itself(out, place, &st, err);
	else if (faccessat(out->dir, out->file_name, W_OK, 0))
		rc = fail_write(out, errno, err);
	else
		rc = open_beside(out, &st, err);
	close(place);
	return rc;
}

int out_open_stderr(struct out *out, struct ibc_error *err)
{
	/* the end closes it, and errors are to be said later */
	*out = (struct out){ .fd = dup(STDERR_FILENO), .dir = -1, .name = "standard error" };
	return out->fd < 0 ? fail_write(out, errno, err) : open_stream(out, err);
}

int out_open(struct out *out, const char *path, struct ibc_error *err)
{
	int rc;

	*out = (struct out){ .fd = STDOUT_FILENO,
		             .dir = -1,
		             .name = path ? path : "standard output" };
	if (!path)
		return open_stream(out, err);
	/* Through a symbolic link, so that the link stays one. */
	out->fd = -1;
	out->dir = ibc_dir_open(path, &out->file_name, err);
	if (out->dir < 0)
		return out->dir == -ELOOP ? -ELOOP : fail_write(out, -out->dir, err);
	rc = open_there(out, err);
	if (!rc)
		rc = open_stream(out, err);
	if (rc)
		out_abandon(out);
	return rc;
}

/* ---- the end --------------------------------------------------------------------- */

/* Gives up what is left; what is not in its place by now is removed. */
void out_abandon(struct out *out)
{
	if (out->file)
		fclose(out->file);
	if (out->fd >= 0 && out->file_name)
		close(out->fd);
	if (out->temp)
		unlinkat(out->dir, out->temp, 0);
	unfinished = NULL;
	if (out->file_name)
		close(out->dir);
	free(out->temp);
	free(out->file_name);
	*out = (struct out){ .fd = -1, .dir = -1 };
}

/* The first reason the system gave for not writing it all; 0 if it is in its place. */
static int finish_output(struct out *out)
{
	int fd = out->fd, failed = fclose(out->file);

	out->file = NULL;
	if (out->error || failed)
		return out->error ? out->error : EIO;
	if (out->temp && (fsync(fd) || fchmod(fd, out->mode)))
		return errno;
	out->fd = -1;
	if (close(fd))
		return errno;
	if (!out->temp)
		return 0;
	if (renameat(out->dir, out->temp, out->dir, out->file_name))
		return errno;
	unfinished = NULL;
	free(out->temp);
	out->temp = NULL;
	return 0;
}

int out_commit(struct out *out, struct ibc_error *err)
{
	int code = finish_output(out), rc = 0;

	*err->text = '\0';
	if (code == EPIPE) /* the reader has seen enough, and needs no message */
		rc = -EPIPE;
	else if (code)
		rc = fail_write(out, code, err);
	out_abandon(out);
	return rc;
}

int out_end(struct out *out, int rc, struct ibc_error *err)
{
	if (!rc || out->error)
		return out_commit(out, err);
	out_abandon(out);
	return rc;
}

struct ibc_render_opts out_looks(const struct out *out)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	const char *columns = getenv("COLUMNS"); /* a shell exports it if asked to */
	struct ibc_render_opts looks = { 0 };
	struct winsize size;

	looks.columns = columns ? (unsigned int)strtoul(columns, NULL, 10) : 0;
	if (!isatty(out->fd))
		return looks;
	looks.color = !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
	if (!ioctl(out->fd, TIOCGWINSZ, &size))
		looks.columns = size.ws_col;
	return looks;
}
