/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * json-LIBRARY SNAPSHOT: a line of JSON with what it wrote and read in a second, the best of
 * some runs.  Written are rows like those of tables, line by line; read are the lines of a
 * snapshot, and all that is in them is looked at.  "same" is what all must agree on.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#include "json.h"

#define RUNS 7

struct row rows[ROWS];

void end(const char *why)
{
	fprintf(stderr, "%s: %s\n", library.name, why);
	exit(3);
}

/* Of a CPU: others may work on this host. */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void make_rows(void)
{
	for (int i = 0; i < ROWS; i++) {
		struct row *r = &rows[i];

		snprintf(r->guid, sizeof(r->guid), "0x%016x", 0x10000 + i / 64);
		snprintf(r->peer_guid, sizeof(r->peer_guid), "0x%016x", 0x90000 + i);
		snprintf(r->name, sizeof(r->name), "leaf%04d", i / 64);
		snprintf(r->peer_name, sizeof(r->peer_name), "node%05d mlx5_0", i);
		r->port = i % 64 + 1;
		r->peer_port = 1;
		r->lid = i;
		r->bytes = (int64_t)i * 10000000019;
		r->gbps = i % 8 ? 100 : 53.125;
	}
}

void append(struct text *to, const char *bytes, size_t n)
{
	if (to->length + n > to->room) {
		to->room = 2 * (to->length + n);
		to->bytes = realloc(to->bytes, to->room);
	}
	if (!to->bytes)
		end("out of memory");
	memcpy(to->bytes + to->length, bytes, n);
	to->length += n;
}

static struct lines read_lines(const char *path)
{
	struct lines l = { 0 };
	FILE *in = fopen(path, "r");
	size_t room = 0;
	ssize_t n;

	if (!in)
		end(path);
	for (char *line = NULL; (n = getline(&line, &(size_t){ 0 }, in)) > 0; line = NULL) {
		if (l.num == room) {
			room = 2 * room + 1000;
			l.line = realloc(l.line, room * sizeof(*l.line));
			l.length = realloc(l.length, room * sizeof(*l.length));
		}
		line[n - 1] = '\0';
		l.line[l.num] = line;
		l.length[l.num++] = (size_t)n - 1;
		l.bytes += (size_t)n;
		l.longest = (size_t)n > l.longest ? (size_t)n : l.longest;
	}
	fclose(in);
	return l;
}

static double write_once(struct text *to)
{
	double start = now();

	to->length = 0;
	library.write(to);
	return now() - start;
}

static double read_once(const struct lines *l, struct found *f)
{
	double start = now();

	*f = (struct found){ 0 };
	library.read(l, f);
	return now() - start;
}

static double less(double a, double b)
{
	return a < b ? a : b;
}

int main(int argc, char **argv)
{
	double write_s = HUGE_VAL, read_s = HUGE_VAL;
	struct text text = { 0 };
	struct found found;
	struct lines lines;

	if (argc != 2)
		return 3;
	make_rows();
	lines = read_lines(argv[1]);
	for (int i = 0; i < RUNS; i++) {
		write_s = less(write_s, write_once(&text));
		read_s = less(read_s, read_once(&lines, &found));
	}
	printf("{\"library\":\"%s\",\"write_mbs\":%.0f,\"read_mbs\":%.0f,\"same\":\"%08lx %" PRIu64
	       " %" PRIu64 " %" PRIu64 "\"}\n",
	       library.name, (double)text.length / write_s / 1e6,
	       (double)lines.bytes / read_s / 1e6,
	       crc32_z(0, (const unsigned char *)text.bytes, text.length), found.values, found.sum,
	       found.text_bytes);
	return 0;
}
