/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "analysis/tree/wiring.h"
#include "base/arena.h"
#include "base/array.h"
#include "draw/named.h"
#include "draw/scene.h"
#include "draw/title.h"
#include "fabric/fabric.h"

#define NO_BOX UINT32_MAX

/* A scene in the making; hosts are boxes only where a finding names them. */
struct making {
	struct arena *a;
	const struct ibc_fattree *tree;
	const struct switches *sw;
	struct scene *scene;
	bool *hurt;       /* by node */
	uint32_t *box_of; /* by node */
	uint32_t *group;  /* by switch: of like ones in its rank */
	size_t nodes;
};

static const struct ibc_node *node_at(const struct making *m, size_t i)
{
	return ibc_fabric_node(m->tree->fab, i);
}

/* ---- what the findings name --------------------------------------------------------- */

static void hurt_end(struct making *m, const struct ibc_end *end)
{
	const struct ibc_node *node = named_end_node(m->tree->fab, end);

	if (node)
		m->hurt[node_order(node)] = true;
}

static void hurt_subject(void *ctx, const struct ibc_finding *f, const struct ibc_subject *subject)
{
	(void)f;
	if (subject->kind == IBC_SUBJECT_HOST || subject->kind == IBC_SUBJECT_PROCESS)
		return;
	hurt_end(ctx, &subject->near);
	if (subject->kind == IBC_SUBJECT_CABLE)
		hurt_end(ctx, &subject->far);
}

/* ---- rows ------------------------------------------------------------------------------ */

/* Hosts are below the leaves, switches without a rank above all. */
static unsigned int row_of(const struct making *m, const struct ibc_node *node)
{
	uint32_t s = switch_number(m->sw, node);

	if (s == NO_SWITCH)
		return 0;
	return 1 + (m->tree->rank[s] == RANK_NONE ? m->tree->tiers : m->tree->rank[s]);
}

/* The switches that stand for each other: of one pod, or at the top of one place. */
static uint32_t group_of(const struct making *m, uint32_t s)
{
	const struct wiring_groups *groups = &m->tree->groups;

	if (!groups->n)
		return 0;
	return groups->as_lower[s] != NO_GROUP ? groups->as_lower[s] : groups->as_upper[s];
}

/* How many switches each row has, and how many groups of them. */
struct row_size {
	size_t switches, groups;
};

static int by_row_and_group(const void *x, const void *y, void *ctx)
{
	const struct making *m = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	unsigned int row_a = row_of(m, m->sw->nodes[a]), row_b = row_of(m, m->sw->nodes[b]);
	int order = order_u64(row_a, row_b) ?: order_u64(m->group[a], m->group[b]);

	return order ?: strverscmp(m->sw->nodes[a]->label, m->sw->nodes[b]->label);
}

static uint32_t *in_order(struct making *m)
{
	uint32_t *order = arena_array(m->a, m->sw->n + 1, sizeof(*order));

	m->group = arena_array(m->a, m->sw->n + 1, sizeof(*m->group));
	if (!order || !m->group)
		return NULL;
	for (uint32_t s = 0; s < m->sw->n; s++) {
		order[s] = s;
		m->group[s] = group_of(m, s);
	}
	qsort_r(order, m->sw->n, sizeof(*order), by_row_and_group, m);
	return order;
}

static void count_rows(const struct making *m, const uint32_t *order, struct row_size *size)
{
	for (uint32_t i = 0; i < m->sw->n; i++) {
		unsigned int row = row_of(m, m->sw->nodes[order[i]]);
		bool first = i == 0 || row_of(m, m->sw->nodes[order[i - 1]]) != row;

		size[row].switches++;
		size[row].groups += first || m->group[order[i]] != m->group[order[i - 1]];
	}
}

/* ---- boxes ------------------------------------------------------------------------------- */

static struct scene_box *add_box(struct making *m, unsigned int row)
{
	struct scene_box *box = &m->scene->boxes[m->scene->num_boxes++];

	box->row = row;
	box->order = m->scene->row_size[row]++;
	box->detail = "";
	return box;
}

static const char *hosts_text(const struct making *m, uint32_t s)
{
	uint32_t hosts = m->sw->hosts[s];

	if (!hosts)
		return "";
	return arena_printf(m->a, "%u host%s", hosts, hosts == 1 ? "" : "s");
}

static struct scene_box *add_lone(struct making *m, const struct ibc_node *node, unsigned int row)
{
	struct scene_box *box = add_box(m, row);

	box->label = node->label;
	box->hurt = m->hurt[node_order(node)];
	box->lone = true;
	m->box_of[node_order(node)] = (uint32_t)(m->scene->num_boxes - 1);
	return box;
}

static void add_switch(struct making *m, uint32_t s, unsigned int row)
{
	add_lone(m, m->sw->nodes[s], row)->detail = hosts_text(m, s);
}

static const char *aggregate_text(const struct making *m, uint32_t n, uint32_t hosts)
{
	if (!hosts)
		return arena_printf(m->a, "%u switches", n);
	return arena_printf(m->a, "%u switches, %u hosts", n, hosts);
}

/* order[first] .. order[end - 1] are alike; those that a finding names stand alone. */
static void add_aggregate(struct making *m, const uint32_t *order, uint32_t first, uint32_t end,
                          unsigned int row)
{
	uint32_t box_at = NO_BOX, n = 0, hosts = 0, one = 0, last = 0;

	for (uint32_t i = first; i < end; i++) {
		const struct ibc_node *node = m->sw->nodes[order[i]];

		if (m->hurt[node_order(node)]) {
			add_switch(m, order[i], row);
			continue;
		}
		if (box_at == NO_BOX) {
			box_at = (uint32_t)m->scene->num_boxes;
			one = order[i];
			add_box(m, row);
		}
		m->box_of[node_order(node)] = box_at;
		hosts += m->sw->hosts[order[i]];
		last = order[i];
		n++;
	}
	if (!n)
		return;
	m->scene->boxes[box_at].lone = n == 1;
	m->scene->boxes[box_at].label = n == 1 ? m->sw->nodes[one]->label
	                                       : arena_printf(m->a, "%s .. %s",
	                                                      m->sw->nodes[one]->label,
	                                                      m->sw->nodes[last]->label);
	m->scene->boxes[box_at].detail = aggregate_text(m, n, hosts);
}

/* How far the switches go that share a box with order[first], if no finding names them. */
static uint32_t end_of_aggregate(const struct making *m, const uint32_t *order, uint32_t first,
                                 const struct row_size *size)
{
	unsigned int row = row_of(m, m->sw->nodes[order[first]]);
	uint32_t end = first + 1;

	if (size[row].switches <= ROW_MAX)
		return end;
	while (end < m->sw->n && row_of(m, m->sw->nodes[order[end]]) == row &&
	       (size[row].groups > GROUPS_MAX || m->group[order[end]] == m->group[order[first]]))
		end++;
	return end;
}

static void add_switches(struct making *m, const uint32_t *order, const struct row_size *size)
{
	for (uint32_t first = 0, end; first < m->sw->n; first = end) {
		unsigned int row = row_of(m, m->sw->nodes[order[first]]);

		end = end_of_aggregate(m, order, first, size);
		if (end == first + 1)
			add_switch(m, order[first], row);
		else
			add_aggregate(m, order, first, end, row);
	}
}

static void add_hosts(struct making *m)
{
	for (size_t i = 0; i < m->nodes; i++) {
		const struct ibc_node *node = node_at(m, i);

		if (m->hurt[i] && node->type != IBC_NODE_SWITCH)
			add_lone(m, node, 0);
	}
}

static bool make_boxes(struct making *m)
{
	unsigned int rows = m->tree->tiers + 2;
	struct row_size *size = arena_array(m->a, rows, sizeof(*size));
	uint32_t *order = in_order(m);

	m->scene->rows = rows;
	m->scene->row_size = arena_array(m->a, rows, sizeof(*m->scene->row_size));
	m->scene->row_name = arena_array(m->a, rows, sizeof(*m->scene->row_name));
	m->scene->boxes = arena_array(m->a, m->nodes + 1, sizeof(*m->scene->boxes));
	if (!size || !order || !m->scene->row_size || !m->scene->row_name || !m->scene->boxes)
		return false;
	for (unsigned int row = 0; row < rows; row++)
		m->scene->row_name[row] = row && row <= m->tree->tiers
		                              ? rank_name(row - 1, m->tree->tiers)
		                              : "";
	count_rows(m, order, size);
	add_hosts(m);
	add_switches(m, order, size);
	return true;
}

/* ---- cables -------------------------------------------------------------------------------- */

static int by_ends(const void *x, const void *y)
{
	const struct scene_edge *a = x, *b = y;

	return order_u64(a->from, b->from) ?: order_u64(a->to, b->to);
}

static void merge_edges(struct scene *scene)
{
	size_t kept = 0;

	qsort(scene->edges, scene->num_edges, sizeof(*scene->edges), by_ends);
	for (size_t i = 0; i < scene->num_edges; i++) {
		struct scene_edge *last = kept ? &scene->edges[kept - 1] : NULL;

		if (last && !by_ends(last, &scene->edges[i]))
			last->cables += scene->edges[i].cables;
		else
			scene->edges[kept++] = scene->edges[i];
	}
	scene->num_edges = kept;
}

static struct scene_edge edge_of(const struct making *m, uint32_t s, const struct switch_pair *pair)
{
	uint32_t from = m->box_of[node_order(m->sw->nodes[s])];
	uint32_t to = m->box_of[node_order(m->sw->nodes[pair->to])];

	if (m->scene->boxes[from].row > m->scene->boxes[to].row)
		return (struct scene_edge){ to, from, pair->count };
	return (struct scene_edge){ from, to, pair->count };
}

static bool make_edges(struct making *m)
{
	const struct switches *sw = m->sw;
	struct scene *scene = m->scene;

	scene->edges = arena_array(m->a, sw->first_pair[sw->n] + 1, sizeof(*scene->edges));
	if (!scene->edges)
		return false;
	for (uint32_t s = 0; s < sw->n; s++) {
		for (uint32_t k = sw->first_pair[s]; k < sw->first_pair[s + 1]; k++) {
			struct scene_edge edge = edge_of(m, s, &sw->pairs[k]);

			if (s < sw->pairs[k].to && edge.from != edge.to)
				scene->edges[scene->num_edges++] = edge;
		}
	}
	merge_edges(scene);
	return true;
}

/* ---- marks --------------------------------------------------------------------------------- */

static const char *node_end_text(const struct making *m, const struct ibc_node *node,
                                 const struct ibc_end *end)
{
	if (!end->has_port)
		return node->label;
	return arena_printf(m->a, "%s/%u", node->label, end->port);
}

/* From the lower one, so that a cable is called the same whichever end a finding is about. */
static struct scene_mark mark_of_cable(const struct making *m, const struct ibc_node *near,
                                       const struct ibc_subject *cable, const struct ibc_node *far)
{
	uint32_t from = m->box_of[node_order(near)], to = m->box_of[node_order(far)];
	const char *a = node_end_text(m, near, &cable->near);
	const char *z = node_end_text(m, far, &cable->far);
	unsigned int row = m->scene->boxes[from].row, to_row = m->scene->boxes[to].row;
	struct scene_mark mark = { from, to, .cases = "" };

	if (!a || !z)
		return mark;
	if (named_is_there(near, cable, far)) {
		mark.port = ibc_node_port(near, cable->near.port);
		mark.port = ibc_port_is_near_end(mark.port) ? mark.port : mark.port->peer;
	}
	mark.absent = !mark.port;
	mark.label = arena_printf(m->a, "%s - %s", a, z);
	if (row > to_row || (row == to_row && from > to)) {
		mark.from = to;
		mark.to = from;
		mark.label = arena_printf(m->a, "%s - %s", z, a);
	}
	return mark;
}

/* Findings come by check, so those of one case need not follow each other. */
static void add_case_id(const struct making *m, struct scene_mark *mark, const struct ibc_case *in)
{
	if (!in || (mark->cases && strstr(mark->cases, in->id)))
		return;
	mark->cases = mark->cases && *mark->cases ? arena_printf(m->a, "%s %s", mark->cases, in->id)
	                                          : in->id;
}

static void add_mark(void *ctx, const struct ibc_finding *f, const struct ibc_subject *subject)
{
	struct making *m = ctx;
	const struct ibc_node *near = named_end_node(m->tree->fab, &subject->near);
	const struct ibc_node *far = named_end_node(m->tree->fab, &subject->far);
	struct scene *scene = m->scene;
	struct scene_mark *mark, found;

	if (subject->kind != IBC_SUBJECT_CABLE || !near || !far ||
	    m->box_of[node_order(near)] == NO_BOX || m->box_of[node_order(far)] == NO_BOX)
		return;
	found = mark_of_cable(m, near, subject, far);
	for (mark = scene->marks; mark < scene->marks + scene->num_marks; mark++)
		if (!found.label || !mark->label || !strcmp(mark->label, found.label))
			break;
	if (mark == scene->marks + MARKS_MAX) {
		scene->marks_left_out++;
		return;
	}
	if (mark == scene->marks + scene->num_marks) {
		*mark = found;
		scene->num_marks++;
	}
	add_case_id(m, mark, f->in_case);
}

static bool make_marks(struct making *m, const struct ibc_report *rep)
{
	m->scene->marks = arena_array(m->a, MARKS_MAX, sizeof(*m->scene->marks));
	if (!m->scene->marks)
		return false;
	named_each(rep, add_mark, m);
	return true;
}

/* ---- all ------------------------------------------------------------------------------------ */

static bool has_texts(const struct scene *scene)
{
	bool has = scene->title != NULL;

	for (size_t i = 0; i < scene->num_boxes; i++)
		has &= scene->boxes[i].label && scene->boxes[i].detail;
	for (size_t i = 0; i < scene->num_marks; i++)
		has &= scene->marks[i].label && scene->marks[i].cases;
	return has;
}

bool scene_make(struct arena *a, const struct ibc_fattree *tree, const struct ibc_report *rep,
                struct scene *out)
{
	struct making m = { .a = a, .tree = tree, .sw = &tree->switches, .scene = out };

	*out = (struct scene){ .title = drawing_title(a, tree->fab) };
	m.nodes = ibc_fabric_count(tree->fab).nodes;
	m.hurt = arena_array(a, m.nodes + 1, sizeof(*m.hurt));
	m.box_of = arena_array(a, m.nodes + 1, sizeof(*m.box_of));
	if (!m.hurt || !m.box_of)
		return false;
	memset(m.box_of, 0xff, m.nodes * sizeof(*m.box_of));
	named_each(rep, hurt_subject, &m);
	return make_boxes(&m) && make_edges(&m) && make_marks(&m, rep) && has_texts(out);
}
