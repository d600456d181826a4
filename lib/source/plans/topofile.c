/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of .topo files, as ibutils, ibdiagnet and UFM have them:
 *
 *	MQM8700 leaf01
 *		P1 -4x-50G-> HCA host01 mlx5_0/P1
 *
 * The .ibnl files beside them, which list the chips that a type of system is made of, are
 * not read: a system is one node, unless its ports have more to their names.
 */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/words.h"
#include "fabric/build.h"
#include "source/plans/plan.h"

#define BLANKS " \t"
/* LOCAL -4x-25G-> TYPE NAME PORT */
enum word { LOCAL, ARROW, TYPE, NAME, PORT, WORDS };

struct topo_reader {
	struct text_file *text;
	struct plan *plan;
	const char *spec;
	struct fabric_build *build;
	struct ibc_error *err;
	struct arena *arena;
	struct text_piece type, name; /* of the system whose ports come; NULL: of none */
	bool broken; /* the line before was lost, and this one may be a piece of it */
	struct text_piece words[WORDS + 1];
	size_t num;
};

/* "->", "-4x->" */
static bool is_arrow(const char *word, size_t n)
{
	return n >= 2 && word[0] == '-' && strncmp(word + n - 2, "->", 2) == 0;
}

bool is_topo_line(const char *line)
{
	const char *word = line + strcspn(line, BLANKS);

	word += strspn(word, BLANKS);
	return word > line && is_arrow(word, strcspn(word, BLANKS));
}

/* ---- words of a line --------------------------------------------------------- */

/* The first few; a word that begins with "#" is the end. */
static void split_words(struct topo_reader *r, char *line)
{
	struct text_place at = { text_line_number(r->text), 1, NULL };
	char *word = line;

	for (r->num = 0; r->num <= WORDS; r->num++) {
		word += strspn(word, BLANKS);
		at.column = (unsigned long)(word - line) + 1;
		r->words[r->num] = (struct text_piece){ word, at };
		if (*word == '\0' || *word == '#')
			return;
		word += strcspn(word, BLANKS);
		if (*word)
			*word++ = '\0';
	}
}

/* Behind so many words nothing may come but what customizes a system. */
static bool ends_at(struct topo_reader *r, size_t num)
{
	if (r->num == num || strncmp(r->words[num].text, "CFG", 3) == 0)
		return true;
	text_complain(r->text, r->words[num].at, "not understood: \"%.60s\"", r->words[num].text);
	return false;
}

/* ---- systems ------------------------------------------------------------------- */

/* "MQM8700 leaf01", and perhaps "CFG: ..."; else the ports that follow are of one unknown. */
static int read_system(struct topo_reader *r)
{
	r->name.text = NULL;
	if (r->num < 2 || r->broken)
		return text_complain(r->text, r->words[0].at,
		                     "not understood: a system is TYPE NAME, and a port of it "
		                     "PORT -> TYPE NAME PORT");
	if (!ends_at(r, 2))
		return -EINVAL;
	r->type = r->words[0];
	r->name = r->words[1];
	r->type.text = arena_strdup(r->arena, r->type.text);
	r->name.text = arena_strdup(r->arena, r->name.text);
	return 0;
}

/* ---- ports ---------------------------------------------------------------------- */

/* "->", "-4x->", "-4x-25G->": a width and a speed, each with a dash in front. */
static int read_arrow(struct topo_reader *r, struct plan_rate *out)
{
	const struct text_piece *arrow = &r->words[ARROW];
	int rc = is_arrow(arrow->text, strlen(arrow->text)) ? 0 : -EINVAL;
	char *save = NULL;

	if (rc == 0)
		arrow->text[strlen(arrow->text) - strlen("->")] = '\0';
	for (char *word = strtok_r(arrow->text, "-", &save); word && !rc;
	     word = strtok_r(NULL, "-", &save)) {
		enum ibc_width width = width_of(word);
		enum ibc_speed speed = width ? IBC_SPEED_UNKNOWN : plan_lane_speed(word);

		out->width = (uint8_t)(width ? width : out->width);
		out->speed = (uint16_t)(speed ? speed : out->speed);
		rc = width || speed ? 0 : -EINVAL;
	}
	if (rc)
		text_complain(r->text, arrow->at,
		              "no width and speed of a lane between the dashes: expected \"->\", "
		              "\"-4x->\" or \"-4x-25G->\"");
	return rc;
}

static int read_end(struct topo_reader *r, const struct text_piece *type,
                    const struct text_piece *name, const struct text_piece *port,
                    struct plan_end *out)
{
	static char none[] = "";
	struct ibc_error what;

	*out = (struct plan_end){ .node = *name,
		                  .kind = *type,
		                  .rack = { none, name->at },
		                  .row = { none, name->at },
		                  .pod = { none, name->at },
		                  .guid = { none, name->at },
		                  .port_at = port->at };
	if (plan_panel_parse(port->text, &out->port, &what) == 0)
		return 0;
	return text_complain(r->text, port->at, "%s", what.text);
}

static int read_topo_port(struct topo_reader *r)
{
	static char none[] = "";
	struct text_piece *w = r->words;
	struct plan_cable cable = { .at = w[LOCAL].at,
		                    .label = { none, w[LOCAL].at },
		                    .length = { none, w[LOCAL].at } };
	int rc = read_arrow(r, &cable.rate);

	if (!r->name.text)
		return text_complain(r->text, w[LOCAL].at,
		                     "a port outside of a system: an empty line ends a system");
	if (r->num < WORDS) {
		/* what is lost may go on to the line of the next system */
		r->name.text = NULL;
		return text_complain(r->text, w[r->num].at,
		                     "the line ends early: a port is PORT -> TYPE NAME PORT");
	}
	if (!ends_at(r, WORDS))
		return -EINVAL;
	/* where it is: in this line, not in that of the system */
	r->type.at = r->name.at = w[LOCAL].at;
	rc |= read_end(r, &r->type, &r->name, &w[LOCAL], &cable.ends[0]);
	rc |= read_end(r, &w[TYPE], &w[NAME], &w[PORT], &cable.ends[1]);
	return rc ?: plan_add(r->plan, &cable);
}

/* ---- the file --------------------------------------------------------------------- */

static int read_topo_line(void *reader, char *line, struct ibc_error *err)
{
	struct topo_reader *r = reader;
	bool blank = line[strspn(line, BLANKS)] == '\0';

	(void)err;
	split_words(r, line);
	if (blank)
		r->name.text = NULL;
	if (r->num)
		r->broken = r->num > ARROW && *r->words[ARROW].text == '-' ? read_topo_port(r)
		                                                           : read_system(r);
	else
		r->broken &= !blank;
	return 0;
}

static int read_topo_file(void *reader)
{
	struct topo_reader *r = reader;

	r->plan = plan_new(r->text, r->spec, PLAN_TOPO, true, r->build, r->arena);
	return plan_finish(r->plan, text_each_line(r->text, read_topo_line, r, r->err), r->err);
}

int read_topo(struct text_file *f, const char *spec, struct fabric_build *b, struct ibc_error *err)
{
	struct topo_reader r = {
		.text = f, .spec = spec, .build = b, .arena = arena_new(), .err = err
	};
	int rc = fabric_build_run(b, r.arena, read_topo_file, &r);

	plan_free(r.plan);
	arena_free(r.arena);
	return rc == -ENOMEM ? fail_nomem(err) : rc;
}
