/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fleet as srun -l writes it: TEMPLATE is a report of node01, from which HOSTS reports of
 * BYTES each are made, whose names and GUIDs differ.  They come in pieces of PIECE bytes, of each
 * host one, then the next, as if all wrote at once; 0: one host after another, whole lines.
 *
 *	fleet TEMPLATE HOSTS BYTES PIECE
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME       "node01"       /* in the template */
#define GUID       "a088c2030001" /* of its adapters, without the last digits */
#define ROWS       "\"facts\": ["
#define DIGITS     6 /* of a host's number, behind "node" and in place of the last digits of GUID */
#define MARKS_MAX  4096
#define NAME_BYTES (strlen("node") + DIGITS)

/* struct mark - where the number of the host stands */
static size_t marks[MARKS_MAX], num_marks;
static char *text;
static size_t length, room;

static void add(const char *bytes, size_t n)
{
	while (length + n + 1 > room) {
		room = room ? 2 * room : 1 << 16;
		text = realloc(text, room);
		if (!text)
			err(1, "realloc");
	}
	memcpy(text + length, bytes, n);
	length += n;
	text[length] = '\0';
}

static void add_mark(void)
{
	if (num_marks == MARKS_MAX)
		errx(1, "too many names");
	marks[num_marks++] = length;
	add("000000", DIGITS);
}

/* More facts, as a host with more devices has. */
static void pad(size_t bytes)
{
	char row[256];

	for (int i = 0; length < bytes; i++) {
		int n = snprintf(row, sizeof(row),
		                 "\n      {\"subject\": \"0000:%02x:%02x.0\", \"key\": "
		                 "\"current_link_speed\", \"value\": \"32.0 GT/s PCIe\", \"path\": "
		                 "\"/sys/bus/pci/devices/0000:%02x:%02x.0/current_link_speed\"},",
		                 i / 256, i % 256, i / 256, i % 256);

		add(row, (size_t)n);
	}
}

static void make(const char *template, size_t bytes)
{
	size_t padding = bytes > strlen(template) ? bytes - strlen(template) : 0;

	for (const char *at = template; *at;) {
		if (!strncmp(at, NAME, strlen(NAME))) {
			add("node", 4);
			add_mark();
			at += strlen(NAME);
		} else if (!strncmp(at, GUID, strlen(GUID))) {
			add(GUID, strlen(GUID) - DIGITS);
			add_mark();
			at += strlen(GUID);
		} else if (padding && !strncmp(at, ROWS, strlen(ROWS))) {
			add(ROWS, strlen(ROWS));
			pad(length + padding);
			at += strlen(ROWS);
		} else {
			add(at++, 1);
		}
	}
}

static void number_text(unsigned int host)
{
	char digits[DIGITS + 1];

	snprintf(digits, sizeof(digits), "%0*u", DIGITS, host);
	for (size_t i = 0; i < num_marks; i++)
		memcpy(text + marks[i], digits, DIGITS);
}

/* As srun cuts them: lines stay lines, and a piece ends one, too. */
static void put_piece(unsigned int host, size_t from, size_t n)
{
	for (const char *at = text + from, *end = at + n, *stop; at < end; at = stop + 1) {
		stop = memchr(at, '\n', (size_t)(end - at));
		stop = stop ? stop : end;
		printf("%u: ", host - 1);
		fwrite(at, 1, (size_t)(stop - at), stdout);
		putchar('\n');
	}
}

static char *read_file(const char *path)
{
	FILE *f = fopen(path, "r");
	char *bytes = calloc(1, 1 << 20);

	if (!f || !bytes || !fread(bytes, 1, (1 << 20) - 1, f))
		err(1, "%s", path);
	fclose(f);
	return bytes;
}

int main(int argc, char **argv)
{
	unsigned int hosts = argc == 5 ? (unsigned int)atoi(argv[2]) : 0;
	size_t piece;
	char *template;

	if (!hosts)
		errx(1, "usage: fleet TEMPLATE HOSTS BYTES PIECE");
	template = read_file(argv[1]);
	make(template, (size_t)atol(argv[3]));
	free(template);
	piece = (size_t)atol(argv[4]);
	for (size_t from = 0; from < length; from += piece ? piece : length) {
		size_t n = piece && from + piece < length ? piece : length - from;

		for (unsigned int host = 1; host <= hosts; host++) {
			number_text(host);
			if (piece)
				put_piece(host, from, n);
			else
				fwrite(text, 1, length, stdout);
		}
	}
	free(text);
	return 0;
}
