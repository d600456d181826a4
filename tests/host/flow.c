/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Moves bytes over TCP, as the one or the other end of a job does:
 *
 *	flow serve PORT
 *	flow send [-n] [-b ADDRESS] [-i N] [-r MEGABYTES] [-m FILE]... ADDRESS PORT
 *
 * "send" opens N sockets that carry a message each and are quiet from then on, and one
 * more that carries so many megabytes a second; from an ADDRESS, if it is given one.  A FILE
 * is mapped as a library would be.
 * Both print a line when they are ready, and go on until they are killed.  What has been
 * sent by then "serve" has accepted, read, and answered with a byte, unless -n says that it
 * will not.
 */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define TICKS_A_SECOND 50
#define MESSAGE_BYTES  1024
#define BUSY_BYTES     (2 << 20) /* for a socket to be taken for a busy one */

static char bytes[1 << 20];
static const char query[MESSAGE_BYTES] = { [MESSAGE_BYTES - 1] = '?' }; /* be answered */

static int must(int rc, const char *what)
{
	if (rc >= 0)
		return rc;
	perror(what);
	exit(1);
}

static void say_ready(void)
{
	puts("ready");
	fflush(stdout);
}

/* ---- serve -------------------------------------------------------------------------- */

static void watch(int all, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	must(epoll_ctl(all, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
}

/* For both families: what comes by IPv4 has a mapped address. */
static int listen_on(const char *port)
{
	struct sockaddr_in6 address = { .sin6_family = AF_INET6,
		                        .sin6_port = htons((uint16_t)atoi(port)) };
	int s = must(socket(AF_INET6, SOCK_STREAM, 0), "socket"), on = 1;

	setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	must(bind(s, (struct sockaddr *)&address, sizeof(address)), "bind");
	must(listen(s, SOMAXCONN), "listen");
	return s;
}

/* Whether there will be more. */
static int take(int s)
{
	ssize_t n = read(s, bytes, sizeof(bytes));

	if (n <= 0)
		return 0;
	return bytes[n - 1] != '?' || write(s, bytes, 1) == 1;
}

static void serve(const char *port)
{
	int door = listen_on(port), all = must(epoll_create1(0), "epoll_create1");
	struct epoll_event event;

	watch(all, door);
	say_ready();
	for (;;) {
		if (epoll_wait(all, &event, 1, -1) < 0)
			must(errno == EINTR ? 0 : -1, "epoll_wait"); /* it was stopped */
		else if (event.data.fd == door)
			watch(all, must(accept(door, NULL, NULL), "accept"));
		else if (!take(event.data.fd))
			close(event.data.fd);
	}
}

/* ---- send --------------------------------------------------------------------------- */

static const char *source; /* address to send from, or NULL */
static int unanswered;

static struct addrinfo *address_of(const char *host, const char *port)
{
	const struct addrinfo numbers = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
		                          .ai_socktype = SOCK_STREAM };
	struct addrinfo *found;

	if (!getaddrinfo(host, port, &numbers, &found))
		return found;
	fprintf(stderr, "%s is no address\n", host);
	exit(1);
}

static void send_all(int s, const char *what, size_t n)
{
	while (n) {
		size_t some = n < sizeof(bytes) ? n : sizeof(bytes);

		n -= (size_t)must((int)write(s, what, some), "write");
	}
}

/* It begins with so many bytes, and then has a message. */
static int connect_to(const char *host, const char *port, size_t first)
{
	struct addrinfo *to = address_of(host, port),
			*from = source ? address_of(source, "0") : NULL;
	int s = must(socket(to->ai_family, SOCK_STREAM, 0), "socket");
	char answer;

	if (from)
		must(bind(s, from->ai_addr, from->ai_addrlen), source);
	must(connect(s, to->ai_addr, to->ai_addrlen), host);
	freeaddrinfo(to);
	if (from)
		freeaddrinfo(from);
	send_all(s, bytes, first);
	send_all(s, query, sizeof(query));
	if (!unanswered && read(s, &answer, 1) != 1)
		must(-1, "no answer");
	return s;
}

static void map(const char *path)
{
	int fd = must(open(path, O_RDONLY), path);

	if (mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		must(-1, path);
	close(fd);
}

static uint64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* What was due while others had the processor is made up for. */
static void keep_sending(int s, uint64_t bytes_a_second)
{
	uint64_t began = now_us(), sent = 0, due;

	for (;; usleep(1000000 / TICKS_A_SECOND)) {
		due = (now_us() - began) * bytes_a_second / 1000000;
		send_all(s, bytes, due - sent);
		sent = due;
	}
}

static int send_forever(int argc, char **argv)
{
	int idle = 0, flow, option;
	uint64_t rate = 0;

	while ((option = getopt(argc, argv, "nb:i:r:m:")) >= 0) {
		if (option == 'i')
			idle = atoi(optarg);
		else if (option == 'r')
			rate = (uint64_t)atoi(optarg) * 1000000;
		else if (option == 'm')
			map(optarg);
		else if (option == 'n')
			unanswered = 1;
		else if (option == 'b')
			source = optarg;
		else
			return 2;
	}
	for (; idle; idle--)
		connect_to(argv[optind], argv[optind + 1], 0);
	flow = rate ? connect_to(argv[optind], argv[optind + 1], BUSY_BYTES) : -1;
	say_ready();
	if (rate)
		keep_sending(flow, rate);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	struct rlimit files;

	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	if (argc == 3 && !strcmp(argv[1], "serve"))
		serve(argv[2]);
	if (argc >= 4 && !strcmp(argv[1], "send"))
		return send_forever(argc - 1, argv + 1);
	return 2;
}
