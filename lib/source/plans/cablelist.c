/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of a list of cables in CSV: a line of headings, then a line for each cable.
 * Sheets have titles above their headings: up to the first line that names all that
 * is needed, nothing counts.  ibcheck-topology(5) describes the format.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "fabric/build.h"
#include "source/csv.h"
#include "source/headings.h"
#include "source/plans/plan.h"

#define DIGITS "0123456789"
/* So many known headings are no accident. */
#define HEADINGS_SURE 2
/* Titles, and headings above headings. */
#define TITLES_MAX 50
/* Of a line so much is looked at to find out what it is. */
#define LOOK_BYTES 4096

struct cable_reader {
	struct csv csv;
	struct headings headings;
	size_t num_headings;
	const char *first_heading;
	struct plan *plan;
	const char *spec;
	struct fabric_build *build;
	struct arena *arena;
	struct ibc_error *err;
};

bool is_cable_list_line(const char *line)
{
	char copy[LOOK_BYTES];

	snprintf(copy, sizeof(copy), "%s", line);
	return headings_known(copy) >= HEADINGS_SURE;
}

/* ---- headings ---------------------------------------------------------------- */

/* 1: they are read; 0: the file has none, which is an error of it. */
static int find_headings(struct cable_reader *r)
{
	struct ibc_error wrong, worst = {
		"no line has the column headings: node_a, port_a, node_b and port_b are required"
	};
	struct text_place at, worst_at = { 0 };
	struct csv *csv = &r->csv;
	unsigned int best = HEADINGS_SURE - 1;

	for (int i = 0; i < TITLES_MAX; i++) {
		int rc;

		csv->separator = '\0';
		rc = csv_record(csv, r->err);
		if (rc < 0)
			return rc;
		if (rc == 0)
			break;
		r->num_headings = csv->num;
		if (headings_read(csv->cells, csv->num, &r->headings, &at, &wrong)) {
			r->first_heading = arena_strdup(r->arena, csv->cells->text);
			return 1;
		}
		if (r->headings.found > best) {
			best = r->headings.found;
			worst_at = at;
			worst = wrong;
		}
	}
	text_complain(csv->text, worst_at, "%s", worst.text);
	return 0;
}

/* ---- one cable ----------------------------------------------------------------- */

/* Empty where the line has no such cell. */
static struct text_piece cell_at(const struct cable_reader *r, int column)
{
	static char none[] = "";

	if (column == NO_COLUMN || (size_t)column >= r->csv.num)
		return (struct text_piece){ none, r->csv.end };
	return r->csv.cells[column];
}

/* "3" in a column that counts HCAs is the first port of mlx5_2. */
static bool counts_hcas(const struct cable_reader *r, int side, const char *port, const char *kind)
{
	const struct plan_type *type = plan_type_of(kind);

	return r->headings.counts_hcas[side] && !r->headings.of_switches[side] &&
	       (!type || type->type != IBC_NODE_SWITCH) && port[strspn(port, DIGITS)] == '\0';
}

/* A column of HCAs has part of the name, and where there is no other the port. */
static int read_end_port(struct cable_reader *r, int side, struct plan_end *end)
{
	const int *columns = r->headings.end[side];
	struct text_piece hca = cell_at(r, columns[END_HCA]), port = cell_at(r, columns[END_PORT]);
	bool only_hca = *port.text == '\0';
	struct ibc_error what;

	if (only_hca)
		port = hca;
	end->port_at = port.at;
	if (*port.text == '\0')
		return text_complain(r->csv.text, port.at, "port_%c is missing", "ab"[side]);
	if (plan_port_parse(port.text, &end->port, &what))
		return text_complain(r->csv.text, port.at, "%s", what.text);
	if (counts_hcas(r, side, port.text, end->kind.text)) {
		end->port.part = end->port.own;
		end->port.part_length = snprintf(end->port.own, sizeof(end->port.own), "mlx5_%u",
		                                 end->port.num - 1);
		end->port.num = 1;
	}
	if (only_hca || *hca.text == '\0')
		return 0;
	if (end->port.part_length > 0)
		return text_complain(r->csv.text, hca.at, "%.60s and %.*s: two HCAs for one port",
		                     hca.text, end->port.part_length, end->port.part);
	end->port.part = hca.text;
	end->port.part_length = (int)strlen(hca.text);
	return 0;
}

static int read_end(struct cable_reader *r, int side, struct plan_end *end)
{
	const int *columns = r->headings.end[side];

	end->node = cell_at(r, columns[END_NODE]);
	end->rack = cell_at(r, columns[END_RACK]);
	end->row = cell_at(r, columns[END_ROW]);
	end->pod = cell_at(r, columns[END_POD]);
	end->kind = cell_at(r, columns[END_KIND]);
	end->guid = cell_at(r, columns[END_GUID]);
	end->in_switch_column = r->headings.of_switches[side];
	if (*end->node.text)
		return read_end_port(r, side, end);
	return text_complain(r->csv.text, end->node.at, "node_%c is missing", "ab"[side]);
}

static int read_note(struct cable_reader *r, enum cable_field field, const char *name,
                     struct text_piece *out)
{
	*out = cell_at(r, r->headings.cable[field]);
	if (strlen(out->text) <= PLAN_TEXT_MAX)
		return 0;
	return text_complain(r->csv.text, out->at, "a %s longer than %d bytes", name,
	                     PLAN_TEXT_MAX);
}

/* Sheets that were put one behind the other have the headings again. */
static bool is_heading_again(const struct cable_reader *r)
{
	struct ibc_error what;
	struct text_place at;
	struct headings again;

	return strcmp(r->csv.cells->text, r->first_heading) == 0 &&
	       headings_read(r->csv.cells, r->csv.num, &again, &at, &what);
}

/* Complains of all that is wrong with a line, where one thing does not hide the next. */
static int read_row(struct cable_reader *r)
{
	struct text_piece width = cell_at(r, r->headings.cable[CABLE_WIDTH]);
	struct text_piece speed = cell_at(r, r->headings.cable[CABLE_SPEED]);
	struct plan_cable cable = { .at = r->csv.cells[0].at };
	struct ibc_error what;
	int rc = 0;

	/* most likely a separator inside a cell that has no quotation marks */
	for (size_t i = r->num_headings; i < r->csv.num; i++)
		if (*r->csv.cells[i].text) {
			text_complain(
			    r->csv.text, r->csv.cells[i].at,
			    "cell %zu, and there are only %zu headings: a cell that holds "
			    "the separator must be in quotation marks",
			    i + 1, r->num_headings);
			return 0;
		}
	if (r->csv.num < r->num_headings && text_was_cut(r->csv.text)) {
		text_complain(r->csv.text, r->csv.end,
		              "the file is cut off: %zu cells in its last line, of %zu", r->csv.num,
		              r->num_headings);
		return 0;
	}
	rc |= read_end(r, 0, &cable.ends[0]);
	rc |= read_end(r, 1, &cable.ends[1]);
	if (plan_width_parse(width.text, &cable.rate, &what))
		rc |= text_complain(r->csv.text, width.at, "%s", what.text);
	else if (plan_speed_parse(speed.text, &cable.rate, &what))
		rc |= text_complain(r->csv.text, speed.at, "%s", what.text);
	rc |= read_note(r, CABLE_LABEL, "label", &cable.label);
	rc |= read_note(r, CABLE_LENGTH, "length", &cable.length);
	return rc ? 0 : plan_add(r->plan, &cable);
}

static int read_cables(void *reader)
{
	struct cable_reader *r = reader;
	int rc;

	r->plan = plan_new(r->csv.text, r->spec, PLAN_CABLES, false, r->build, r->arena);
	rc = find_headings(r);
	if (rc > 0 && r->headings.is_ndt)
		plan_both_ends(r->plan);
	while (rc > 0) {
		rc = csv_record(&r->csv, r->err);
		if (rc > 0 && !is_heading_again(r))
			rc = read_row(r) ?: 1;
	}
	return plan_finish(r->plan, rc, r->err);
}

int read_cable_list(struct text_file *f, const char *spec, struct fabric_build *b,
                    struct ibc_error *err)
{
	struct cable_reader r = {
		.csv.text = f, .spec = spec, .build = b, .arena = arena_new(), .err = err
	};
	int rc = fabric_build_run(b, r.arena, read_cables, &r);

	plan_free(r.plan);
	arena_free(r.arena);
	return rc == -ENOMEM ? fail_nomem(err) : rc;
}
