/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sheets of cables come from many hands, but their headings are made of the same
 * words: one for the end and one for what is told of it, in either order ("Source
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

/* In lower case, without blanks and signs; the empty word of a field: the side alone names it. */
struct known_word {
	const char *word;
	int value;
};

static const struct known_word side_words[] = {
	{ "a", SIDE_A },
	{ "sidea", SIDE_A },
	{ "aside", SIDE_A },
	{ "enda", SIDE_A },
	{ "aend", SIDE_A },
	{ "1", SIDE_A },
	{ "source", SIDE_A },
	{ "src", SIDE_A },
	{ "from", SIDE_A },
	{ "local", SIDE_A },
	{ "near", SIDE_A },
	{ "nearend", SIDE_A },
	{ "b", SIDE_B },
	{ "sideb", SIDE_B },
	{ "bside", SIDE_B },
	{ "endb", SIDE_B },
	{ "bend", SIDE_B },
	{ "2", SIDE_B },
	{ "z", SIDE_B },
	{ "sidez", SIDE_B },
	{ "zside", SIDE_B },
	{ "endz", SIDE_B },
	{ "zend", SIDE_B },
	{ "destination", SIDE_B },
	{ "dest", SIDE_B },
	{ "dst", SIDE_B },
	{ "to", SIDE_B },
	{ "remote", SIDE_B },
	{ "far", SIDE_B },
	{ "farend", SIDE_B },
	{ "target", SIDE_B },
	{ "peer", SIDE_B },
	{ "switch", SIDE_SWITCH },
	{ "leaf", SIDE_LEAF },
	{ "spine", SIDE_SPINE },
	{ "host", SIDE_HOST },
	{ "server", SIDE_HOST },
	{ "start", SIDE_A },
	{ "end", SIDE_B },
	{ "terminationa", SIDE_A },
	{ "terminationb", SIDE_B },
};

static const struct known_word end_words[] = {
	{ "node", END_NODE },       { "nodename", END_NODE },   { "name", END_NODE },
	{ "device", END_NODE },     { "devicename", END_NODE }, { "system", END_NODE },
	{ "systemname", END_NODE }, { "hostname", END_NODE },   { "switch", END_NODE },
	{ "switchname", END_NODE }, { "host", END_NODE },       { "server", END_NODE },
	{ "port", END_PORT },       { "portnumber", END_PORT }, { "portnum", END_PORT },
	{ "portno", END_PORT },     { "portname", END_PORT },   { "vport", END_PORT },
	{ "switchport", END_PORT }, { "hostport", END_PORT },   { "interface", END_PORT },
	{ "hcaport", END_PORT },    { "hca", END_HCA },         { "hcaname", END_HCA },
	{ "nic", END_HCA },         { "nicname", END_HCA },     { "rack", END_RACK },
	{ "rackname", END_RACK },   { "cabinet", END_RACK },    { "type", END_KIND },
	{ "nodetype", END_KIND },   { "devicetype", END_KIND }, { "role", END_KIND },
	{ "guid", END_GUID },       { "nodeguid", END_GUID },   { "row", END_ROW },
	{ "rowname", END_ROW },     { "pod", END_POD },         { "podname", END_POD },
};

static const struct known_word cable_words[] = {
	{ "width", CABLE_WIDTH },         { "linkwidth", CABLE_WIDTH },
	{ "speed", CABLE_SPEED },         { "linkspeed", CABLE_SPEED },
	{ "rate", CABLE_SPEED },          { "linkrate", CABLE_SPEED },
	{ "label", CABLE_LABEL },         { "cablelabel", CABLE_LABEL },
	{ "cable", CABLE_LABEL },         { "cableid", CABLE_LABEL },
	{ "cablename", CABLE_LABEL },     { "cablenumber", CABLE_LABEL },
	{ "cableno", CABLE_LABEL },       { "length", CABLE_LENGTH },
	{ "cablelength", CABLE_LENGTH },  { "lengthm", CABLE_LENGTH },
	{ "cablelengthm", CABLE_LENGTH },
};

static const char *const end_names[END_FIELDS] = {
	[END_NODE] = "node", [END_PORT] = "port", [END_HCA] = "hca", [END_RACK] = "rack",
	[END_KIND] = "type", [END_GUID] = "guid", [END_ROW] = "row", [END_POD] = "pod",
};

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

/* What a word of this length means, or -1. */
static int heading_value(const struct known_word *words, size_t num, const char *word,
                         size_t length)
{
	for (size_t i = 0; i < num; i++)
		if (strncmp(words[i].word, word, length) == 0 && words[i].word[length] == '\0')
			return words[i].value;
	return -1;
}

static enum side side_of(const char *word, size_t length)
{
	return heading_value(side_words, ARRAY_SIZE(side_words), word, length);
}

/* A word for an end in front of or behind one for a field. */
static bool read_both(const char *word, struct heading *out)
{
	size_t length = strlen(word);

	for (size_t i = 0; i < ARRAY_SIZE(end_words); i++) {
		size_t n = strlen(end_words[i].word);

		if (n >= length)
			continue;
		out->end = end_words[i].value;
		if (strcmp(word + length - n, end_words[i].word) == 0)
			out->side = side_of(word, length - n);
		if (out->side == SIDE_NONE && strncmp(word, end_words[i].word, n) == 0)
			out->side = side_of(word + n, length - n);
		if (out->side != SIDE_NONE)
			return true;
	}
	return false;
}

/* "From", "Switch", but not "A" or "1". */
static bool read_side(const char *word, struct heading *out)
{
	out->end = END_NODE;
	out->side = word[0] && word[1] ? side_of(word, strlen(word)) : SIDE_NONE;
	return out->side != SIDE_NONE;
}

static bool read_field(const char *word, struct heading *out)
{
	size_t length = strlen(word);
	int end = heading_value(end_words, ARRAY_SIZE(end_words), word, length);
	int cable = heading_value(cable_words, ARRAY_SIZE(cable_words), word, length);

	if (end == END_ROW || end == END_POD)
		end = -1; /* alone it is the number of the line, or the pod of the cable */
	out->end = end < 0 ? END_FIELDS : end;
	out->cable = cable < 0 ? CABLE_FIELDS : cable;
	return end >= 0 || cable >= 0;
}

/* NetBox calls the port a termination, and has a type of terminations and one of cables. */
static bool read_netbox(const char *word, struct heading *out)
{
	if (strncmp(word, "termination", 11) != 0 || !word[11] || word[12])
		return false;
	out->end = END_PORT;
	out->side = side_of(word, 12);
	return out->side != SIDE_NONE;
}

static bool read_heading(const char *text, struct heading *out)
{
	char word[WORD_MAX];

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
	out->is_name = strlen(word) > 4 && strcmp(word + strlen(word) - 4, "name") == 0;
	return read_netbox(word, out) || read_both(word, out) || read_side(word, out) ||
	       read_field(word, out);
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

/* Where it goes that says no end: to the first that lacks it.  Switches have no HCAs. */
static int end_for(const struct headings *h, enum end_field field)
{
	if (h->of_switches[0] && (field == END_HCA || field == END_KIND))
		return 1;
	return h->end[0][field] != NO_COLUMN;
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
		if (said[i].side != SIDE_NONE)
			continue;
		if (said[i].end < END_FIELDS)
			put_column(h, end_for(h, said[i].end), &said[i], clash);
		else if (h->cable[said[i].cable] == NO_COLUMN)
			h->cable[said[i].cable] = said[i].column;
	}
}

/* An HCA has a port even where no column tells which. */
static bool is_missing(const struct headings *h, int side, enum end_field field)
{
	return h->end[side][field] == NO_COLUMN &&
	       (field == END_NODE || (field == END_PORT && h->end[side][END_HCA] == NO_COLUMN));
}

bool headings_read(const struct text_piece *cells, size_t num, struct headings *out)
{
	struct clash clash;
	bool missing = false;

	place_all(cells, num, out, &clash);
	for (int side = 0; side < 2; side++)
		missing |= is_missing(out, side, END_NODE) || is_missing(out, side, END_PORT);
	return !missing && clash.first == NO_COLUMN;
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

static void list_missing(const struct headings *h, struct list *missing)
{
	char name[16];

	for (int side = 0; side < 2; side++)
		for (enum end_field field = 0; field < END_FIELDS; field++) {
			snprintf(name, sizeof(name), "%s_%c", end_names[field], "ab"[side]);
			if (is_missing(h, side, field))
				add_listed(missing, "", name);
		}
}

struct text_place headings_fault(const struct text_piece *cells, size_t num, struct ibc_error *what)
{
	struct list missing = { "none", 0 }, seen = { "none", 0 };
	struct headings h;
	struct clash clash;

	place_all(cells, num, &h, &clash);
	if (clash.first != NO_COLUMN) {
		fail(what, -EINVAL,
		     "\"%.60s\" and \"%.60s\" both name %s_%c: change one of the two headings",
		     cells[clash.first].text, cells[clash.second].text, end_names[clash.field],
		     "ab"[clash.side]);
		return cells[clash.second].at;
	}
	list_missing(&h, &missing);
	for (size_t i = 0; i < num; i++)
		if (*cells[i].text)
			add_listed(&seen, "\"", cells[i].text);
	fail(what, -EINVAL,
	     "no heading names %s (headings of this line: %s); node_a, port_a, node_b and port_b "
	     "are required",
	     missing.text, seen.text);
	return cells[0].at;
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
