/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <unistd.h>

#include "cmd.h"
#include "httpd.h"
#include "web.h"

#define REQUEST_BYTES (16 * 1024) /* a request's head, and room for the answer's */
#define BLOCK_BYTES   (32 * 1024) /* of text, made at a time */
#define BEAT_SECONDS  15          /* an event stream says something, so that a gone client shows */
#define PATHS_MAX     8           /* that keep something: serve has five */
#define BACKLOG       128 /* connections that wait to be accepted: what scrapes at once need */

/*
 * struct client - a connection
 * @since: when it came, or from when on it takes the answer
 * @asked: its request is known
 * @stream: it gets events; @seen: number of the last; @waiting: nothing to send
 */
struct client {
	LIST_ENTRY(client) all;
	struct web *web;
	struct MHD_Connection *connection;
	int fd;
	double since;
	bool asked, stream, waiting;
	unsigned long seen;
};

struct web {
	struct web_opts opts;
	struct MHD_Daemon *daemon;
	LIST_HEAD(, client) clients;
	unsigned int num_clients, num_streams;

	pthread_mutex_t lock; /* of what is published: all below */
	struct kept *bodies[PATHS_MAX];
	unsigned long published;
};

/* ---- answers ------------------------------------------------------------------------ */

/* What every answer says: nothing is stored, framed elsewhere or taken for what it is not. */
static const char *const headers[][2] = {
	{ "Connection", "close" },
	{ "Cache-Control", "no-store" },
	{ "X-Content-Type-Options", "nosniff" },
	{ "Referrer-Policy", "no-referrer" },
	{ "Content-Security-Policy",
	  "frame-ancestors 'self'; base-uri 'none'; form-action 'self'" },
};

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned int status,
                              const char *type, struct MHD_Response *response)
{
	enum MHD_Result rc;

	if (!response)
		return MHD_NO;
	for (size_t i = 0; i < ARRAY_SIZE(headers); i++)
		mhd.add_response_header(response, headers[i][0], headers[i][1]);
	mhd.add_response_header(response, "Content-Type", type);
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		mhd.add_response_header(response, "Allow", "GET");
	rc = mhd.queue_response(connection, status, response);
	mhd.destroy_response(response);
	return rc;
}

static enum MHD_Result answer_text(struct MHD_Connection *connection, unsigned int status,
                                   const char *type, const char *text)
{
	return answer(
	    connection, status, type,
	    mhd.create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_MUST_COPY));
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned int status,
                              const char *text)
{
	return answer_text(connection, status, "text/plain; charset=utf-8", text);
}

/*
 * struct body - one answer with a kept body
 * @reader: the client takes no gzip
 * @end: of the text, or of the gzip file
 */
struct body {
	struct kept *kept;
	struct kept_reader *reader;
	size_t end_size, sent;
	char end[KEPT_END_ROOM];
};

static void body_free(void *cls)
{
	struct body *b = cls;

	kept_reader_free(b->reader);
	kept_drop(b->kept);
	free(b);
}

static ssize_t read_body(void *cls, uint64_t pos, char *out, size_t room)
{
	struct body *b = cls;
	ptrdiff_t n = kept_next(b->reader, out, room);
	size_t left = b->end_size - b->sent;

	(void)pos;
	if (n)
		return n < 0 ? MHD_CONTENT_READER_END_WITH_ERROR : n;
	if (!left)
		return MHD_CONTENT_READER_END_OF_STREAM;
	left = left < room ? left : room;
	memcpy(out, b->end + b->sent, left);
	b->sent += left;
	return (ssize_t)left;
}

/* Takes the body over. */
static enum MHD_Result answer_kept(struct MHD_Connection *connection, unsigned int status,
                                   const char *type, struct kept *kept, const char *end, bool gzip)
{
	struct body *b = calloc(1, sizeof(*b));
	struct MHD_IoVec parts[2];
	struct MHD_Response *r = NULL;

	if (!b) {
		kept_drop(kept);
		return MHD_NO;
	}
	b->kept = kept;
	b->end_size = strlen(end);
	memcpy(b->end, end, b->end_size);
	if (gzip) {
		b->end_size = kept_end(kept, end, b->end_size, (unsigned char *)b->end);
		parts[0].iov_base = kept_bytes(kept, &parts[0].iov_len);
		parts[1] = (struct MHD_IoVec){ b->end, b->end_size };
		r = mhd.create_response_from_iovec(parts, 2, body_free, b);
	} else if ((b->reader = kept_read(kept))) {
		r = mhd.create_response_from_callback(kept_length(kept) + b->end_size, BLOCK_BYTES,
		                                      read_body, b, body_free);
	}
	if (!r) {
		body_free(b);
		return MHD_NO;
	}
	if (gzip)
		mhd.add_response_header(r, "Content-Encoding", "gzip");
	mhd.add_response_header(r, "Vary", "Accept-Encoding");
	return answer(connection, status, type, r);
}

/* ---- the stream of events -------------------------------------------------------------- */

static unsigned long count_published(struct web *web)
{
	unsigned long n;

	pthread_mutex_lock(&web->lock);
	n = web->published;
	pthread_mutex_unlock(&web->lock);
	return n;
}

/* A connection that has nothing to send is laid aside until web_run() wakes it. */
static ssize_t read_events(void *cls, uint64_t pos, char *out, size_t room)
{
	struct client *c = cls;
	unsigned long published = count_published(c->web);
	FILE *file = c->seen != published ? fmemopen(out, room, "w") : NULL;
	int n = 0;

	(void)pos;
	if (file) {
		fprintf(file, "retry: 5000\nid: %lu\ndata: ", published);
		c->web->opts.event(c->web->opts.ctx, file);
		fputs("\n\n", file);
		fclose(file);
		n = (int)strnlen(out, room);
	} else if (c->seen == published && clock_seconds() - c->since > BEAT_SECONDS) {
		n = snprintf(out, room, ":\n\n");
	}
	c->seen = published;
	if (n <= 0) {
		mhd.suspend_connection(c->connection);
		c->waiting = true;
		return 0;
	}
	c->since = clock_seconds();
	return n;
}

static void wake_streams(struct web *web, bool all)
{
	double now = clock_seconds();
	unsigned long published = count_published(web);
	struct client *c;

	LIST_FOREACH(c, &web->clients, all)
	{
		if (!c->waiting || (!all && c->seen == published && now - c->since <= BEAT_SECONDS))
			continue;
		c->waiting = false;
		mhd.resume_connection(c->connection);
	}
}

/* ---- requests ----------------------------------------------------------------------------- */

/* Only a name can be made to resolve to this host by others; an address, or "localhost", cannot. */
static bool names_us(const char *host)
{
	struct in6_addr address;
	char name[INET6_ADDRSTRLEN];
	size_t bracket = *host == '[', n = strcspn(host + bracket, bracket ? "]" : ":");

	if (n >= sizeof(name))
		return false;
	memcpy(name, host + bracket, n);
	name[n] = '\0';
	return !n || !strcasecmp(name, "localhost") ||
	       inet_pton(bracket ? AF_INET6 : AF_INET, name, &address) == 1;
}

/* "gzip", and not "gzip;q=0" */
static bool wants_gzip(const struct client *c)
{
	const char *accepts = mhd.lookup_connection_value(c->connection, MHD_HEADER_KIND,
	                                                  "Accept-Encoding");
	const char *q = accepts ? strcasestr(accepts, "gzip") : NULL;

	if (!q)
		return false;
	q += strlen("gzip");
	q += strspn(q, " \t");
	return *q != ';' || strtod(q + strcspn(q, "=,") + (q[strcspn(q, "=,")] == '='), NULL) > 0;
}

static enum MHD_Result answer_path(struct client *c, const struct web_path *p, size_t at)
{
	char end[KEPT_END_MAX + 1] = "";
	struct web *web = c->web;
	struct ibc_error err = { "there is none, or not yet: see /healthz\n" };
	struct kept *kept = NULL;
	int status = WEB_OK;
	FILE *file;

	file = p->end ? fmemopen(end, sizeof(end), "w") : NULL;
	if (file) { /* before the body: it may say that this is older than it is, not newer */
		status = p->end(web->opts.ctx, file);
		fclose(file);
	}
	if (p->made)
		status = p->made(
		    web->opts.ctx,
		    mhd.lookup_connection_value(c->connection, MHD_GET_ARGUMENT_KIND, p->word),
		    &kept, &err);
	else if (!p->kept)
		return answer_text(c->connection, (unsigned int)status, p->type,
		                   p->text ? p->text : end);
	if (p->kept) {
		pthread_mutex_lock(&web->lock);
		kept = kept_hold(web->bodies[at]);
		pthread_mutex_unlock(&web->lock);
	}
	if (!kept || (p->made && status != WEB_OK)) {
		kept_drop(kept);
		return refuse(c->connection, p->made ? (unsigned int)status : WEB_UNAVAILABLE,
		              err.text);
	}
	return answer_kept(c->connection, (unsigned int)status, p->type, kept, end, wants_gzip(c));
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *data,
                                  size_t *data_size, void **request)
{
	const union MHD_ConnectionInfo *info = mhd.get_connection_info(
	    connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	const char *host = mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
	struct client *c = info->socket_context;
	struct web *web = cls;
	const struct web_path *p;
	size_t at = 0;

	(void)version, (void)data, (void)data_size, (void)request;
	c->asked = true;
	c->since = clock_seconds();
	if (strcmp(method, "GET") != 0)
		return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET\n");
	if (host && !web->opts.any_host && !names_us(host))
		return refuse(connection, MHD_HTTP_MISDIRECTED_REQUEST,
		              "not this host: use its address, or localhost\n");
	if (web->opts.events && !strcmp(url, web->opts.events)) {
		if (web->num_streams >= web->opts.max_clients / WEB_STREAMS_PART)
			return refuse(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
			              "too many pages are open: reload this one later\n");
		c->stream = true;
		web->num_streams++;
		return answer(connection, MHD_HTTP_OK, "text/event-stream",
		              mhd.create_response_from_callback(MHD_SIZE_UNKNOWN, 2 * WEB_EVENT_MAX,
		                                                read_events, c, NULL));
	}
	for (p = web->opts.paths; p->path && strcmp(p->path, url) != 0; p++)
		at += p->kept;
	if (!p->path)
		return refuse(connection, MHD_HTTP_NOT_FOUND, "no such page\n");
	return answer_path(c, p, at);
}

/* ---- connections -------------------------------------------------------------------------- */

static void on_connection(void *cls, struct MHD_Connection *connection, void **context,
                          enum MHD_ConnectionNotificationCode what)
{
	const union MHD_ConnectionInfo *info = mhd.get_connection_info(
	    connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct client *c = *context;
	struct web *web = cls;

	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		c = calloc(1, sizeof(*c));
		*context = c;
		if (!c) { /* never asked, and closed at once */
			shutdown(info->connect_fd, SHUT_RDWR);
			return;
		}
		*c = (struct client){ .web = web,
			              .connection = connection,
			              .fd = info->connect_fd,
			              .since = clock_seconds() };
		LIST_INSERT_HEAD(&web->clients, c, all);
		web->num_clients++;
	} else if (c) {
		LIST_REMOVE(c, all);
		web->num_clients--;
		web->num_streams -= c->stream;
		free(c);
	}
}

/* ---- the server --------------------------------------------------------------------------- */

int web_new(const struct web_opts *opts, struct web **out, struct ibc_error *err)
{
	int rc = httpd_load(err);
	struct web *web;

	*out = NULL;
	if (rc)
		return rc;
	web = calloc(1, sizeof(*web));
	if (!web)
		return cmd_fail(err, -ENOMEM, "out of memory");
	web->opts = *opts;
	LIST_INIT(&web->clients);
	pthread_mutex_init(&web->lock, NULL);
	web->daemon = mhd.start_daemon(
	    MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, on_request, web,
	    MHD_OPTION_LISTEN_SOCKET, web->opts.listener, MHD_OPTION_CONNECTION_LIMIT,
	    web->opts.max_clients, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES,
	    MHD_OPTION_NOTIFY_CONNECTION, on_connection, web, MHD_OPTION_STRICT_FOR_CLIENT, 1,
	    MHD_OPTION_END);
	if (!web->daemon) {
		free(web);
		return cmd_fail(err, -EIO, "cannot start the web server: %s", strerror(errno));
	}
	*out = web;
	return 0;
}

void web_free(struct web *web)
{
	if (!web)
		return;
	wake_streams(web, true); /* else it does not stop */
	mhd.stop_daemon(web->daemon);
	for (size_t i = 0; i < PATHS_MAX; i++)
		kept_drop(web->bodies[i]);
	pthread_mutex_destroy(&web->lock);
	free(web);
}

void web_run(struct web *web, double seconds)
{
	struct client *c;
	bool crowded;
	double now;

	wake_streams(web, false);
	mhd.run_wait(web->daemon, (int32_t)(seconds * 1000));
	crowded = web->num_clients > web->opts.max_clients / 2;
	now = clock_seconds();
	LIST_FOREACH(c, &web->clients, all)
	{
		double limit = c->asked  ? web->opts.take_seconds
		               : crowded ? web->opts.crowded_seconds
		                         : web->opts.ask_seconds;

		if (!c->waiting && now - c->since > limit)
			shutdown(c->fd, SHUT_RDWR);
	}
}

void web_publish(struct web *web, struct kept **bodies)
{
	struct kept *old[PATHS_MAX];
	size_t n = 0;

	for (const struct web_path *p = web->opts.paths; bodies && p->path; p++)
		n += p->kept;
	pthread_mutex_lock(&web->lock);
	memcpy(old, web->bodies, sizeof(old));
	for (size_t i = 0; i < n; i++)
		web->bodies[i] = bodies[i];
	web->published++;
	pthread_mutex_unlock(&web->lock);
	for (size_t i = 0; i < n; i++)
		kept_drop(old[i]);
}

/* ---- listening
 * --------------------------------------------------------------------------------
 */

int web_listen(const char *address, int *fd, struct ibc_error *err)
{
	const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
		                        .ai_socktype = SOCK_STREAM };
	const char *colon = strrchr(address, ':');
	char host[INET6_ADDRSTRLEN + 2] = "";
	size_t bracket = *address == '[', n = colon ? (size_t)(colon - address) : 0;
	struct addrinfo *to;
	int rc = 0, on = 1;

	/* "HOST:PORT", with brackets around a HOST that has colons of its own */
	if (n > 2 * bracket && n < sizeof(host) && (!bracket || colon[-1] == ']'))
		memcpy(host, address + bracket, n - 2 * bracket);
	/* getaddrinfo() takes 65536 for 0 */
	if (!*host || (!bracket && strchr(host, ':')) || !colon[1] ||
	    colon[1 + strspn(colon + 1, "0123456789")] ||
	    strtoul(colon + 1, NULL, 10) > UINT16_MAX || getaddrinfo(host, colon + 1, &hints, &to))
		return cmd_fail(err, -EINVAL,
		                "\"%s\" is not ADDRESS:PORT such as 127.0.0.1:9917 or [::1]:9917",
		                address);
	*fd = socket(to->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (*fd < 0 || setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(*fd, to->ai_addr, to->ai_addrlen) || listen(*fd, BACKLOG)) {
		rc = cmd_fail(err, -errno, "cannot listen on %s: %s", address, strerror(errno));
		if (*fd >= 0)
			close(*fd);
		*fd = -1;
	}
	freeaddrinfo(to);
	return rc;
}

bool web_is_local(int fd)
{
	struct sockaddr_storage name = { 0 };
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)&name;
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&name;
	socklen_t size = sizeof(name);

	if (getsockname(fd, (struct sockaddr *)&name, &size))
		return false;
	switch (name.ss_family) {
	case AF_UNIX:
		return true;
	case AF_INET:
		return ntohl(v4->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	case AF_INET6:
		return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
	}
	return false;
}

const char *web_url(int fd, char url[WEB_URL])
{
	struct sockaddr_storage name = { 0 };
	char host[INET6_ADDRSTRLEN + 16], port[8]; /* and a scope */
	socklen_t size = sizeof(name);

	if (getsockname(fd, (struct sockaddr *)&name, &size) ||
	    getnameinfo((struct sockaddr *)&name, size, host, sizeof(host), port, sizeof(port),
	                NI_NUMERICHOST | NI_NUMERICSERV) ||
	    name.ss_family == AF_UNIX)
		return "a local listening socket";
	snprintf(url, WEB_URL, strchr(host, ':') ? "http://[%s]:%s/" : "http://%s:%s/", host, port);
	return url;
}
