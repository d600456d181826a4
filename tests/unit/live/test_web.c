/* SPDX-License-Identifier: BSD-2-Clause */
/* The web server of "serve", over loopback, and clients that mean well or ill. */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../../cmd/live/web.h"

#define LONG_ANSWER  (8 * 1024 * 1024) /* more than sockets hold */
#define PATIENCE_MS  60000             /* of a test, for what takes milliseconds */
#define MANY_CLIENTS 500               /* the limit of files is 1024, and both ends are here */
#define ANSWER_MAX   (2 * LONG_ANSWER)

struct site {
	struct web *web;
	pthread_t thread;
	atomic_bool stop;
	unsigned short port;
};

static int put_status(void *ctx, FILE *out)
{
	(void)ctx;
	fputs("late\n", out);
	return WEB_UNAVAILABLE;
}

static int put_age(void *ctx, FILE *out)
{
	(void)ctx;
	fputs("age 12\n", out);
	return WEB_OK;
}

static void put_event(void *ctx, FILE *out)
{
	(void)ctx;
	fputs("{}", out);
}

static const struct web_path paths[] = {
	{ "/metrics", "text/plain", .kept = true, .end = put_age },
	{ "/healthz", "text/plain", .end = put_status },
	{ "/report.json", "application/json", .kept = true },
	{ 0 },
};

static void *serve(void *arg)
{
	struct site *s = arg;

	while (!s->stop)
		web_run(s->web, 0.02);
	return NULL;
}

static void start(struct site *s, struct web_opts opts)
{
	struct sockaddr_in name;
	socklen_t size = sizeof(name);
	struct ibc_error err = { "" };

	memset(s, 0, sizeof(*s));
	opts.paths = paths;
	opts.events = "/events";
	opts.event = put_event;
	assert_int_equal(web_listen("127.0.0.1:0", &opts.listener, &err), 0);
	getsockname(opts.listener, (struct sockaddr *)&name, &size);
	s->port = name.sin_port;
	assert_int_equal(web_new(&opts, &s->web, &err), 0);
	assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

static void end(struct site *s)
{
	s->stop = true;
	pthread_join(s->thread, NULL);
	web_free(s->web);
}

static struct kept *keep(const char *text, size_t times)
{
	struct kept *k;
	FILE *file = kept_open(&k);

	while (times--)
		fputs(text, file);
	assert_int_equal(kept_close(file, 0, &k), 0);
	return k;
}

static void publish(struct site *s, const char *text, size_t times)
{
	struct kept *bodies[] = { keep(text, times), keep("{}\n", 1) };

	web_publish(s->web, bodies);
}

static int reach(const struct site *s)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = s->port };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	return fd;
}

static void say(int fd, const char *text)
{
	assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* All that comes until the other side closes, or, if that is not NULL, until this has come. */
static size_t hear(int fd, char *answer, const char *until)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	size_t n = 0;
	ssize_t got;

	do {
		assert_int_equal(poll(&wait, 1, PATIENCE_MS), 1);
		got = recv(fd, answer + n, ANSWER_MAX - 1 - n, 0);
		n += got > 0 ? (size_t)got : 0;
		answer[n] = '\0';
	} while (got > 0 && !(until && strstr(answer, until)));
	return n;
}

static char *ask(const struct site *s, const char *request)
{
	char *answer = calloc(1, ANSWER_MAX);
	int fd = reach(s);

	say(fd, request);
	hear(fd, answer, NULL);
	close(fd);
	return answer;
}

static void expect(const struct site *s, const char *request, const char *first, const char *last)
{
	char *answer = ask(s, request);
	size_t n = strlen(answer), m = strlen(last);

	assert_memory_equal(answer, first, strlen(first));
	assert_true(n >= m);
	assert_string_equal(answer + n - m, last);
	free(answer);
}

#define GET(path) "GET " path " HTTP/1.1\r\nHost: localhost\r\n\r\n"

/* ---- who means well ------------------------------------------------------------------- */

static void before_the_first_sample_there_is_none(void **state)
{
	struct site s;

	(void)state;
	start(&s, (struct web_opts)WEB_OPTS_INIT);
	expect(&s, GET("/metrics"), "HTTP/1.1 503 ", "there is none, or not yet: see /healthz\n");
	expect(&s, GET("/healthz"), "HTTP/1.1 503 ", "\r\n\r\nlate\n");
	end(&s);
}

static void the_last_sample_is_served_with_its_end(void **state)
{
	struct site s;

	(void)state;
	start(&s, (struct web_opts)WEB_OPTS_INIT);
	publish(&s, "old 1\n", 1);
	publish(&s, "new 2\n", 1);
	expect(&s, GET("/metrics"), "HTTP/1.1 200 ", "\r\n\r\nnew 2\nage 12\n");
	expect(&s, GET("/report.json?x=1"), "HTTP/1.1 200 ", "\r\n\r\n{}\n");
	end(&s);
}

static void gzip_is_for_who_takes_it(void **state)
{
	static const struct {
		const char *accepts;
		bool gzip;
	} rows[] = {
		{ "gzip", true },      { "deflate, gzip;q=0.5, br", true },
		{ "gzip;q=0", false }, { "gzip; q=0.0, br", false },
		{ "br", false },
	};
	char request[200], *answer;
	struct site s;

	(void)state;
	start(&s, (struct web_opts)WEB_OPTS_INIT);
	publish(&s, "x", 100000);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(request, sizeof(request),
		         "GET /metrics HTTP/1.1\r\nHost: [::1]:1\r\nAccept-Encoding: %s\r\n\r\n",
		         rows[i].accepts);
		answer = ask(&s, request);
		assert_int_equal(!!strstr(answer, "Content-Encoding: gzip"), rows[i].gzip);
		assert_int_equal(!!strstr(answer, "xage 12\n"), !rows[i].gzip);
		free(answer);
	}
	end(&s);
}

static void an_event_tells_of_every_sample(void **state)
{
	char *answer = calloc(1, ANSWER_MAX);
	struct site s;
	int fd;

	(void)state;
	start(&s, (struct web_opts)WEB_OPTS_INIT);
	fd = reach(&s);
	say(fd, GET("/events"));
	hear(fd, answer, "\r\n\r\n");
	assert_non_null(strstr(answer, "text/event-stream"));
	publish(&s, "x", 1);
	hear(fd, answer, "id: 1\ndata: {}\n\n");
	web_publish(s.web, NULL);
	hear(fd, answer, "id: 2\ndata: {}\n\n");
	expect(&s, GET("/metrics"), "HTTP/1.1 200 ",
	       "xage 12\n"); /* an event alone takes nothing */
	end(&s);             /* while it is open */
	close(fd);
	free(answer);
}

static void streams_of_events_leave_room_for_others(void **state)
{
	struct web_opts opts = WEB_OPTS_INIT;
	int fds[2 * WEB_STREAMS_PART];
	char *answer = calloc(1, ANSWER_MAX);
	struct site s;

	(void)state;
	opts.max_clients = 2 * WEB_STREAMS_PART;
	start(&s, opts);
	publish(&s, "x", 1);
	for (int i = 0; i < 2; i++) {
		fds[i] = reach(&s);
		say(fds[i], GET("/events"));
		hear(fds[i], answer, "id: 1");
	}
	expect(&s, GET("/events"), "HTTP/1.1 503 ", "reload this one later\n");
	expect(&s, GET("/metrics"), "HTTP/1.1 200 ", "xage 12\n");
	for (int i = 0; i < 2; i++)
		close(fds[i]);
	end(&s);
	free(answer);
}

/* ---- who does not ------------------------------------------------------------------------- */

static void what_is_not_served_is_refused(void **state)
{
	static const char *const rows[][2] = {
		{ GET("/"), "HTTP/1.1 404 " },
		{ GET("/metrics/../etc/passwd"), "HTTP/1.1 404 " },
		{ "POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc",
		  "HTTP/1.1 405 " },
		{ "HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 405 " },
		{ "DELETE /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 405 " },
		{ "GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n", "HTTP/1.1 421 " },
		{ "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1.evil.example:80\r\n\r\n",
		  "HTTP/1.1 421 " },
		{ "GET /metrics HTTP/1.1\r\n\r\n", "HTTP/1.1 400 " },
		{ "garbage\r\n\r\n", "" },
	};
	struct site s;

	(void)state;
	start(&s, (struct web_opts)WEB_OPTS_INIT);
	publish(&s, "x", 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		expect(&s, rows[i][0], rows[i][1], "");
	expect(&s, "GET /metrics HTTP/1.0\r\n\r\n", "HTTP/1.", "xage 12\n");
	end(&s);
}

static void any_host_is_for_who_asks_for_it(void **state)
{
	struct web_opts opts = WEB_OPTS_INIT;
	struct site s;

	(void)state;
	opts.any_host = true;
	start(&s, opts);
	publish(&s, "x", 1);
	expect(&s, "GET /metrics HTTP/1.1\r\nHost: head01.example\r\n\r\n", "HTTP/1.1 200 ",
	       "xage 12\n");
	end(&s);
}

static void a_huge_request_is_refused(void **state)
{
	char *request = malloc(200000), *answer = calloc(1, ANSWER_MAX);
	struct site s;
	int fd;

	(void)state;
	memset(request, 'a', 200000);
	memcpy(request, "GET /", 5);
	start(&s, (struct web_opts)WEB_OPTS_INIT);
	publish(&s, "x", 1);
	fd = reach(&s);
	send(fd, request, 200000, MSG_NOSIGNAL); /* it need not be read */
	hear(fd, answer, NULL);
	assert_true(!*answer || !strncmp(answer, "HTTP/1.1 4", 10));
	close(fd);
	expect(&s, GET("/metrics"), "HTTP/1.1 200 ", "xage 12\n");
	end(&s);
	free(request);
	free(answer);
}

static void only_the_first_of_a_pipeline_is_answered(void **state)
{
	struct site s;
	char *answer, *second;

	(void)state;
	start(&s, (struct web_opts)WEB_OPTS_INIT);
	publish(&s, "x", 1);
	answer = ask(&s, GET("/healthz") GET("/healthz") GET("/healthz"));
	second = strstr(answer, "HTTP/1.1");
	assert_ptr_equal(second, answer);
	assert_null(strstr(second + 1, "HTTP/1.1"));
	free(answer);
	end(&s);
}

static void who_asks_or_takes_too_slowly_is_left(void **state)
{
	struct web_opts opts = WEB_OPTS_INIT;
	char *answer = calloc(1, ANSWER_MAX);
	struct site s;
	int asking, taking;
	size_t n;

	(void)state;
	opts.ask_seconds = 0.2;
	opts.take_seconds = 0.2;
	start(&s, opts);
	publish(&s, "0123456789abcdef", LONG_ANSWER / 16);
	asking = reach(&s);
	say(asking, "GET /metr");
	assert_int_equal(hear(asking, answer, NULL), 0);
	close(asking);
	taking = reach(&s);
	say(taking, GET("/metrics"));
	usleep(1000000);
	n = hear(taking, answer, NULL);
	assert_true(n > 0 && n < LONG_ANSWER);
	close(taking);
	end(&s);
	free(answer);
}

static void hundreds_of_clients_that_say_nothing_stop_nobody(void **state)
{
	struct web_opts opts = WEB_OPTS_INIT;
	int fds[MANY_CLIENTS];
	struct site s;

	(void)state;
	opts.max_clients = 32;
	opts.ask_seconds = 1000;
	opts.crowded_seconds = 0.01;
	start(&s, opts);
	publish(&s, "x", 1);
	for (int i = 0; i < MANY_CLIENTS; i++)
		fds[i] = reach(&s);
	expect(&s, GET("/metrics"), "HTTP/1.1 200 ", "xage 12\n");
	for (int i = 0; i < MANY_CLIENTS; i++)
		close(fds[i]);
	end(&s);
}

static void a_slow_client_stops_nobody(void **state)
{
	struct site s;
	int slow;

	(void)state;
	start(&s, (struct web_opts)WEB_OPTS_INIT);
	publish(&s, "0123456789abcdef", LONG_ANSWER / 16);
	slow = reach(&s);
	say(slow, GET("/metrics"));
	expect(&s, GET("/healthz"), "HTTP/1.1 503 ", "late\n");
	expect(&s, GET("/metrics"), "HTTP/1.1 200 ", "0123456789abcdefage 12\n");
	publish(&s, "x", 1); /* what it has begun to take stays */
	expect(&s, GET("/metrics"), "HTTP/1.1 200 ", "\r\n\r\nxage 12\n");
	close(slow);
	end(&s);
}

/* ---- where it listens ------------------------------------------------------------------------ */

static void addresses_are_numbers(void **state)
{
	static const char *const bad[] = { "",           "9917",          "localhost:9917",
		                           "::1:9917",   "127.0.0.1",     "1.2.3.4:",
		                           "[::1]",      "[]:1",          ":9917",
		                           "1.2.3:x",    "[127.0.0.1:80", "a:99999",
		                           "1.2.3.4:-1", "127.0.0.1]:1" };
	struct ibc_error err;
	int fd;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(web_listen(bad[i], &fd, &err), -EINVAL);
}

static void only_loopback_is_local(void **state)
{
	static const struct {
		const char *address;
		bool local;
	} rows[] = { { "127.0.0.1:0", true },
		     { "127.1.2.3:0", true },
		     { "0.0.0.0:0", false },
		     { "[::1]:0", true },
		     { "[::]:0", false } };
	struct ibc_error err;
	int fd;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (web_listen(rows[i].address, &fd, &err)) /* no IPv6 here */
			continue;
		assert_int_equal(web_is_local(fd), rows[i].local);
		close(fd);
	}
}

static void a_port_in_use_is_told(void **state)
{
	struct sockaddr_in name;
	socklen_t size = sizeof(name);
	struct ibc_error err = { "" };
	char address[64];
	int first, second;

	(void)state;
	assert_int_equal(web_listen("127.0.0.1:0", &first, &err), 0);
	getsockname(first, (struct sockaddr *)&name, &size);
	snprintf(address, sizeof(address), "127.0.0.1:%u", ntohs(name.sin_port));
	assert_int_equal(web_listen(address, &second, &err), -EADDRINUSE);
	assert_non_null(strstr(err.text, "Address already in use"));
	close(first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(before_the_first_sample_there_is_none),
		cmocka_unit_test(the_last_sample_is_served_with_its_end),
		cmocka_unit_test(gzip_is_for_who_takes_it),
		cmocka_unit_test(an_event_tells_of_every_sample),
		cmocka_unit_test(streams_of_events_leave_room_for_others),
		cmocka_unit_test(what_is_not_served_is_refused),
		cmocka_unit_test(any_host_is_for_who_asks_for_it),
		cmocka_unit_test(a_huge_request_is_refused),
		cmocka_unit_test(only_the_first_of_a_pipeline_is_answered),
		cmocka_unit_test(who_asks_or_takes_too_slowly_is_left),
		cmocka_unit_test(hundreds_of_clients_that_say_nothing_stop_nobody),
		cmocka_unit_test(a_slow_client_stops_nobody),
		cmocka_unit_test(addresses_are_numbers),
		cmocka_unit_test(only_loopback_is_local),
		cmocka_unit_test(a_port_in_use_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
