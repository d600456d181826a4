/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The protocol is three variables of the environment and a datagram, which sd_notify(3) and
 * sd_listen_fds(3) promise to keep: less than libsystemd would cost every run.
 */
#include "service.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cmd.h"

#define LISTEN_FDS_START 3 /* SD_LISTEN_FDS_START */

void service_say(const char *what)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t n = path ? strlen(path) : 0;
	int fd;

	if (!n || n >= sizeof(to.sun_path))
		return;
	memcpy(to.sun_path, path, n);
	if (*path == '@') /* no file */
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return;
	sendto(fd, what, strlen(what), MSG_NOSIGNAL, (const struct sockaddr *)&to,
	       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
	close(fd);
}

/* A number of the environment that is for this process, not for one that started it. */
static unsigned long long number_for_us(const char *name, const char *for_pid)
{
	const char *pid = getenv(for_pid), *text = getenv(name);

	if (!text || (pid && strtoull(pid, NULL, 10) != (unsigned long long)getpid()))
		return 0;
	return strtoull(text, NULL, 10);
}

double service_watchdog(void)
{
	return (double)number_for_us("WATCHDOG_USEC", "WATCHDOG_PID") / 1e6;
}

int service_listener(int *fd, struct ibc_error *err)
{
	unsigned long long n = getenv("LISTEN_PID") ? number_for_us("LISTEN_FDS", "LISTEN_PID") : 0;
	int listens = 0;
	socklen_t size = sizeof(listens);

	*fd = -1;
	if (!n)
		return 0;
	if (n > 1)
		return cmd_fail(
		    err, -EINVAL,
		    "systemd has handed over %llu files: serve takes one listening socket", n);
	if (getsockopt(LISTEN_FDS_START, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) || !listens)
		return cmd_fail(err, -EINVAL,
		                "the TCP socket of systemd does not listen: use "
		                "ListenStream= and no Accept=yes");
	*fd = LISTEN_FDS_START;
	fcntl(*fd, F_SETFD, FD_CLOEXEC);
	fcntl(*fd, F_SETFL, fcntl(*fd, F_GETFL) | O_NONBLOCK);
	return 0;
}
