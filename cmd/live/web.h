/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The web server of "serve": GET of a few paths whose bodies are kept, and a stream of events.
 *
 * One thread calls web_run() again and again and does all that has to do with connections, none
 * of which can make it wait; any other may publish.  A connection is for one request: it has
 * a time to ask and a time to take the answer, and where many are open, those that ask nothing
 * go first.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>

#include <ibcheck/error.h>

#include "kept.h"

/* RFC 9110, 15 */
#define WEB_OK          200 /* as everywhere */
#define WEB_NOT_FOUND   404 /* no such thing */
#define WEB_UNAVAILABLE 503 /* not now */

/*
 * struct web_path - something to get; its body is one of these:
 * @path: "/metrics"; the table ends with one that is NULL
 * @type: Content-Type
 * @text: always the same
 * @kept: published; until then there is none (503)
 * @end: writes the end of the body for each request, or all of it: at most KEPT_END_MAX bytes;
 *	returns the status
 * @made: makes it for each request, of what the query has as @word, or NULL; returns the
 *	status, for all but 200 with a sentence: nothing that takes long
 */
struct web_path {
	const char *path, *type, *text;
	bool kept;
	int (*end)(void *ctx, FILE *out);
	int (*made)(void *ctx, const char *value, struct kept **out, struct ibc_error *err);
	const char *word;
};

/*
 * struct web_opts - what a server is given
 * @listener: a socket that listens; closed by web_free()
 * @any_host: answer whatever name the client knows this host by, else only to its addresses and
 *	"localhost": a foreign page whose name resolves to this host (DNS rebinding) gets nothing
 * @paths: outlives the server
 * @events: the path of the stream of events, or NULL; @event: writes the data of one, a line
 *	of less than WEB_EVENT_MAX bytes
 * @max_clients: connections at once
 * @ask_seconds, @take_seconds: for a whole request, for its answer
 * @crowded_seconds: for a whole request, while more than half of the connections are taken
 */
struct web_opts {
	int listener;
	bool any_host;
	const struct web_path *paths;
	const char *events;
	void (*event)(void *ctx, FILE *out);
	void *ctx;
	unsigned int max_clients;
	double ask_seconds, crowded_seconds, take_seconds;
};
#define WEB_OPTS_INIT                                                                              \
	{                                                                                          \
		.listener = -1, .max_clients = 256, .ask_seconds = 5, .crowded_seconds = 1,        \
		.take_seconds = 60                                                                 \
	}
#define WEB_EVENT_MAX    1024 /* bytes: a line of a few words and numbers */
#define WEB_STREAMS_PART 4    /* a stream of events stays: at most one connection in so many */

struct web;

/* 0, -EIO or what httpd_load() says, with a sentence; the listener is the caller's then. */
int web_new(const struct web_opts *opts, struct web **out, struct ibc_error *err);
void web_free(struct web *web);

/* Serves for so long at most; less if a signal comes. */
void web_run(struct web *web, double seconds);

/*
 * In the place of what was there: all of @bodies at once, in the order of the paths that keep
 * one, and an event for everybody.  Takes the bodies over; any thread.  A body that is NULL is not
 * there (503); NULL for all: only the event.
 */
void web_publish(struct web *web, struct kept **bodies);

/*
 * A socket that listens at "127.0.0.1:9917" or "[::1]:9917"; 0, -EINVAL for an address that is
 * none, or what the system said.
 */
int web_listen(const char *address, int *fd, struct ibc_error *err);
/* Can only this host reach it? */
bool web_is_local(int fd);
/* "http://127.0.0.1:9917/", or "a local listening socket" */
#define WEB_URL 80
const char *web_url(int fd, char url[WEB_URL]);
