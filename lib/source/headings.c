/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sheets of cables come from many hands, but their headings are made of the same
 * words: one for the end and one for the property of it, in either order ("Source
 * Port", "port_a", "Z-Node Name").  Where the word for the end is missing ("Rack",
 * "Name", "Port", "Rack", "Name", "Port"), the first column is of the first end.
 */
#include "source/headings.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/error.h"

#define WORD_MAX 48 /* longer headings are no word that we know */

/* The ends; those below are whichever of the two comes first. */
enum side { SIDE_NONE = -1, SIDE_A, SIDE_B, SIDE_SWITCH, SIDE_LEAF, SIDE_SPINE, SIDE_HOST, SIDES };

/* Words, in lower case, without blanks and signs. */
static const char *const side_words[SIDES] = {
	[SIDE_A] =
	    "a sidea aside enda aend 1 source src from local near nearend start terminationa",
	[SIDE_B] = ("b sideb bside endb bend 2 z sidez zside endz zend destination dest dst to "
	            "remote far farend target peer end terminationb"),
	[SIDE_SWITCH] = "switch",
	[SIDE_LEAF] = "leaf",
	[SIDE_SPINE] = "spine",
	[SIDE_HOST] = "host server",
};

static const char *const end_words[END_FIELDS] = {
	[END_NODE] = "node nodename name device devicename system systemname hostname switch "
		     "switchname host server",
	[END_PORT] = "port portnumber portnum portno portname vport switchport hostport interface "
		     "hcaport",
	[END_HCA] = "hca hcaname nic nicname",
	[END_RACK] = "rack rackname cabinet",
	[END_KIND] = "type nodetype devicetype role",
	[END_GUID] = "guid nodeguid",
	[END_ROW] = "row rowname",
	[END_POD] = "pod podname",
};

static const char *const cable_words[CABLE_FIELDS] = {
	[CABLE_WIDTH] = "width linkwidth",
	[CABLE_SPEED] = "speed linkspeed rate linkrate",
	[CABLE_LABEL] = "label cablelabel cable cableid cablename cablenumber cableno",
	[CABLE_LENGTH] = "length cablelength lengthm cablelengthm",
};

static const char *const end_names[END_FIELDS] = { "node", "port", "hca", "rack",
	                                           "type", "guid", "row", "pod" };

/* What one heading says. */
struct heading {
	enum side side;
	enum end_field end;     /* END_FIELDS: it is of the cable */
	enum cable_field cable; /* then */
	bool counts_hcas, is_name;
	int column;
};

/* ---- one heading ----------------------------------------------------------- */

/* "A-Node Name" as "anodename"; what is too long is no word. */
static void squeeze_word(const char *text, char word[WORD_MAX])
{
	size_t n = 0;

	for (; *text && n < WORD_MAX - 1; text++)
		if (isalnum((unsigned char)*text))
			word[n++] = (char)tolower((unsigned char)*text);
	word[*text ? 0 : n] = '\0';
}

/* The next of some words, of *n characters; NULL: there is none.  At first *n is 0. */
static const char *next_word(const char *words, size_t *n)
{
	words += *n + (*n && words[*n]);
	*n = strcspn(words, " ");
	return *n ? words : NULL;
}

/* In which row a word of this length stands, or -1. */
static int row_with(const char *const *rows, size_t num, const char *word, size_t length)
{
	for (size_t i = 0; i < num; i++) {
		size_t n = 0;

		for (const char *known = rows[i]; (known = next_word(known, &n));)
			if (n == length && strncmp(known, word, n) == 0)
				return (int)i;
	}
	return -1;
}

static enum side side_of(const char *word, size_t length)
{
	return row_with(side_words, SIDES, word, length);
}

/* A word for an end in front of or behind one for a field. */
static bool read_both(const char *word, struct heading *out)
{
	size_t length = strlen(word);

	for (out->end = 0; out->end < END_FIELDS; out->end++) {
		size_t n = 0;

		for (const char *known = end_words[out->end]; (known = next_word(known, &n));) {
			if (n >= length)
				continue;
			if (strncmp(word + length - n, known, n) == 0)
				out->side = side_of(word, length - n);
			if (out->side == SIDE_NONE && strncmp(word, known, n) == 0)
				out->side = side_of(word + n, length - n);
			if (out->side != SIDE_NONE)
				return true;
		}
	}
	return false;
}

static bool read_heading(const char *text, struct heading *out)
{
	char word[WORD_MAX];
	size_t length;
	int end, cable;

	*out = (struct heading){ .side = SIDE_NONE };
	/* the sheets of two programs: a second part of a name, a host's n-th HCA */
	if (strcasecmp(text, "Name-2") == 0) {
		out->end = END_HCA;
		return true;
	}
	/* a list of UFM has it in the midst of a line */
	if (strncasecmp(text, "#Fields:", 8) == 0)
		text += 8;
	out->counts_hcas = strcasecmp(text, "HCA/Port") == 0;
	squeeze_word(text, word);
	length = strlen(word);
	out->is_name = length > 4 && strcmp(word + length - 4, "name") == 0;
	/* NetBox calls the port a termination, and has a type of terminations and one of cables */
	if (length == 12 && strncmp(word, "termination", 11) == 0)
		out->side = side_of(word, length);
	out->end = END_PORT;
	if (out->side != SIDE_NONE || read_both(word, out))
		return true;
	/* "From", "Switch", but not "A" or "1" */
	out->end = END_NODE;
	out->side = length > 1 ? side_of(word, length) : SIDE_NONE;
	if (out->side != SIDE_NONE)
		return true;
	end = row_with(end_words, END_FIELDS, word, length);
	if (end == END_ROW || end == END_POD)
		end = -1; /* alone it is the number of the line, or the pod of the cable */
	cable = row_with(cable_words, CABLE_FIELDS, word, length);
	out->end = end < 0 ? END_FIELDS : end;
	out->cable = cable < 0 ? CABLE_FIELDS : cable;
	return end >= 0 || cable >= 0;
}

/* ---- a line of them ---------------------------------------------------------- */

/* Two columns of one end that cannot both be meant. */
struct clash {
	enum end_field field;
	int side, first, second; /* first: NO_COLUMN: there is none */
};

/* Which end each side is: those that say it, then the others in their order. */
static void resolve_sides(const struct heading *said, size_t num, int end_of[SIDES])
{
	bool taken[2] = { false };

	for (int s = 0; s < SIDES; s++)
		end_of[s] = s <= SIDE_B ? s : NO_COLUMN;
	for (size_t i = 0; i < num; i++)
		if (said[i].side == SIDE_A || said[i].side == SIDE_B)
			taken[said[i].side] = true;
	for (size_t i = 0; i < num; i++) {
		if (said[i].side == SIDE_NONE || end_of[said[i].side] != NO_COLUMN ||
		    (taken[0] && taken[1]))
			continue;
		end_of[said[i].side] = taken[0];
		taken[taken[0]] = true;
	}
}

/* Extra columns are passed over, but not where they leave in doubt what is cabled. */
static void put_column(struct headings *h, int side, const struct heading *said,
                       struct clash *clash)
{
	int *column = &h->end[side][said->end];

	if (*column == NO_COLUMN)
		*column = said->column;
	else if (said->is_name && said->end == END_NODE && h->end[side][END_PORT] == NO_COLUMN)
		h->end[side][END_PORT] = said->column; /* NetBox: device, name of its port */
	else if (said->end == END_NODE || said->end == END_PORT)
		*clash = (struct clash){ said->end, side, *column, said->column };
	h->counts_hcas[side] |= said->counts_hcas;
	h->of_switches[side] |= said->side >= SIDE_SWITCH && said->side < SIDE_HOST;
}

/* The columns; of two for one end the last pair is in clash. */
static void place_all(const struct text_piece *cells, size_t num, struct headings *h,
                      struct clash *clash)
{
	struct heading said[CSV_CELLS_MAX];
	int end_of[SIDES];

	*clash = (struct clash){ .first = NO_COLUMN };
	*h = (struct headings){ 0 };
	for (int field = 0; field < END_FIELDS; field++)
		h->end[0][field] = h->end[1][field] = NO_COLUMN;
	for (int field = 0; field < CABLE_FIELDS; field++)
		h->cable[field] = NO_COLUMN;
	for (size_t i = 0; i < num; i++) {
		char word[WORD_MAX];

		squeeze_word(cells[i].text, word);
		h->is_ndt |= strstr(word, "startdevice") != NULL;
		h->is_netbox |= !strcmp(word, "terminationadevice") || !strcmp(word, "sideadevice");
		if (!read_heading(cells[i].text, &said[h->found]))
			continue;
		said[h->found++].column = (int)i;
	}
	if (h->is_netbox) /* they are no types of nodes */
		for (size_t i = 0; i < h->found; i++)
			if (said[i].end == END_KIND)
				said[i--] = said[--h->found];
	resolve_sides(said, h->found, end_of);
	for (size_t i = 0; i < h->found; i++)
		if (said[i].side != SIDE_NONE && end_of[said[i].side] != NO_COLUMN)
			put_column(h, end_of[said[i].side], &said[i], clash);
	for (size_t i = 0; i < h->found; i++) {
		enum end_field field = said[i].end;
		/* switches have no HCAs */
		bool of_second = h->of_switches[0] && (field == END_HCA || field == END_KIND);

		if (said[i].side != SIDE_NONE)
			continue;
		/* what says no end goes to the first that lacks it */
		if (field < END_FIELDS)
			put_column(h, of_second || h->end[0][field] != NO_COLUMN, &said[i], clash);
		else if (h->cable[said[i].cable] == NO_COLUMN)
			h->cable[said[i].cable] = said[i].column;
	}
}

/* ---- what is wrong with it ------------------------------------------------------ */

/* "node_a, port_a"; "none" */
struct list {
	char text[IBC_ERROR_MAX / 2];
	size_t length;
};

static void add_listed(struct list *l, const char *mark, const char *text)
{
	size_t room = sizeof(l->text) - l->length;

	l->length += (size_t)snprintf(l->text + l->length, room, "%s%s%.30s%s",
	                              l->length ? ", " : "", mark, text, mark);
	if (l->length >= sizeof(l->text))
		l->length = sizeof(l->text) - 1;
}

bool headings_read(const struct text_piece *cells, size_t num, struct headings *out,
                   struct text_place *at, struct ibc_error *what)
{
	struct list missing = { "none", 0 }, seen = { "none", 0 };
	struct clash clash;

	place_all(cells, num, out, &clash);
	for (int side = 0; side < 2; side++)
		for (enum end_field field = END_NODE; field <= END_PORT; field++) {
			const int *column = out->end[side];
			char name[16];

			/* an HCA has a port even where no column says which */
			if (column[field] != NO_COLUMN ||
			    (field == END_PORT && column[END_HCA] != NO_COLUMN))
				continue;
			snprintf(name, sizeof(name), "%s_%c", end_names[field], "ab"[side]);
			add_listed(&missing, "", name);
		}
	if (clash.first != NO_COLUMN) {
		*at = cells[clash.second].at;
		fail(what, -EINVAL,
		     "\"%.60s\" and \"%.60s\" both name %s_%c: change one of the two headings",
		     cells[clash.first].text, cells[clash.second].text, end_names[clash.field],
		     "ab"[clash.side]);
		return false;
	}
	if (!missing.length)
		return true;
	for (size_t i = 0; i < num; i++)
		if (*cells[i].text)
			add_listed(&seen, "\"", cells[i].text);
	*at = cells[0].at;
	fail(what, -EINVAL,
	     "no heading names %s (headings of this line: %s); node_a, port_a, node_b and port_b "
	     "are required",
	     missing.text, seen.text);
	return false;
}

unsigned int headings_known(char *line)
{
	const char separator[] = { csv_separator(line), '\0' };
	struct heading heading;
	unsigned int known = 0;
	char *save = NULL;

	for (char *cell = strtok_r(line, separator, &save); cell;
	     cell = strtok_r(NULL, separator, &save))
		known += read_heading(cell, &heading);
	return known;
}
