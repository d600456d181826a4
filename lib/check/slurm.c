/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks of the tree of switches that Slurm has in its topology.conf.  slurmctld ends when it
 * cannot read that file, at "scontrol reconfigure" too, and where it can it believes it: a leaf
 * that is not as it is cabled costs jobs speed, and nothing says so.
 */
#include "check/slurm.h"

#include <stdlib.h>
#include <string.h>

#include "check/groups.h"
#include "check/phrases.h"

#define FAULTS_SHOWN 10 /* a mistake in every line is one mistake */

/* ---- slurm.syntax ------------------------------------------------------------------------- */

/* "2 more lines are", of @n of which some are told */
static const char *more_text(struct ibc_sink *out, size_t n, const char *one, const char *many)
{
	size_t more = n - FAULTS_SHOWN;

	return sink_text(out, "%zu more line%s %s", more, more == 1 ? "" : "s",
	                 more == 1 ? one : many);
}

static void report_faults(const struct slurm_view *v)
{
	const struct ibc_slurm_file *f = v->file;

	for (size_t i = 0; i < f->num_faults && i < FAULTS_SHOWN; i++) {
		slurm_finding(v, f->faults[i].file, f->faults[i].number, "%s", f->faults[i].text);
		sink_advise(v->out, "Correct it before slurmctld is restarted or has to "
		                    "reconfigure: it may end there; then check again, as hosts of "
		                    "such lines were not compared");
	}
	if (f->num_faults > FAULTS_SHOWN)
		slurm_finding(v, f->path, 0, "%s not understood",
		              more_text(v->out, f->num_faults, "is", "are"));
	if (!f->num_lines && !f->num_faults) {
		slurm_finding(v, f->path, 0, "it defines no switch");
		sink_advise(v->out,
		            "Slurm places jobs as if there were no switches; write the file "
		            "with ibcheck topo --slurm");
	}
}

/* A file that includes itself defines all of it again and again. */
static void report_duplicates(const struct slurm_view *v)
{
	size_t n = 0;

	for (size_t i = 1; i < v->num_names; i++) {
		const struct ibc_slurm_line *line = &v->file->lines[v->names[i].line];

		if (strcmp(v->names[i - 1].name, v->names[i].name) != 0 || n++ >= FAULTS_SHOWN)
			continue;
		slurm_finding(v, line->file, line->number, "%s is defined already: %s", line->name,
		              slurm_line_text(v, slurm_line(v, line->name)));
		sink_advise(v->out, "Give each switch one line: slurmctld ends at the second one");
	}
	if (n > FAULTS_SHOWN)
		slurm_finding(v, v->file->path, 0, "%s a switch that is defined already",
		              more_text(v->out, n, "defines", "define"));
}

/* Are there any?  Told of the first lines only. */
static bool report_undefined(const struct slurm_view *v, const struct ibc_slurm_line *line,
                             bool told)
{
	const char *shown[SHOWN_MAX];
	size_t n = 0;

	for (size_t k = 0; k < line->num_switches; k++)
		if (!slurm_line(v, line->switches[k]) && n++ < SHOWN_MAX)
			shown[n - 1] = line->switches[k];
	if (!n || !told)
		return n;
	slurm_finding(v, line->file, line->number, "no line defines %s, below %s",
	              list_text(v->out, shown, n), line->name);
	sink_advise(v->out, "Add a line for each, or take them out: slurmctld ends here. It knows "
	                    "switches by their exact name, in upper and lower case");
	return true;
}

static void check_syntax(const struct ibc_input *in, struct ibc_sink *out)
{
	struct slurm_view v;
	size_t n = 0;

	if (!slurm_view_new(in, out, &v))
		return;
	report_faults(&v);
	report_duplicates(&v);
	for (size_t i = 0; i < v.file->num_lines; i++)
		n += report_undefined(&v, &v.file->lines[i], n < FAULTS_SHOWN);
	if (n > FAULTS_SHOWN)
		slurm_finding(&v, v.file->path, 0, "%s switches that no line defines",
		              more_text(out, n, "names", "name"));
}

/* ---- slurm.tree ---------------------------------------------------------------------------- */

/* A line below this one that is above one which is in a ring, or in it itself. */
static size_t ring_child(const struct slurm_view *v, size_t line)
{
	const struct ibc_slurm_line *l = &v->file->lines[line], *child;

	for (size_t k = 0; k < l->num_switches; k++) {
		child = slurm_line(v, l->switches[k]);
		if (child && v->ring[child - v->file->lines])
			return (size_t)(child - v->file->lines);
	}
	return line;
}

/* Who goes down long enough is in the ring; then once around. */
static void report_ring(const struct slurm_view *v)
{
	const struct ibc_slurm_line *first;
	const char *shown[SHOWN_MAX];
	size_t at = 0, start, n = 0;

	while (!v->ring[at])
		at++;
	for (size_t i = 0; i < v->file->num_lines; i++)
		at = ring_child(v, at);
	start = at;
	do {
		if (n++ < SHOWN_MAX)
			shown[n - 1] = slurm_line_text(v, &v->file->lines[at]);
		at = ring_child(v, at);
	} while (at != start);
	first = &v->file->lines[start];
	slurm_finding(v, first->file, first->number, "not a tree: %s %s",
	              list_text(v->out, shown, n),
	              n == 1 ? "is below itself" : "are each below the others");
	sink_advise(v->out, "Name in Switches only what is below, never the spines or cores above: "
	                    "slurmctld ends here. ibcheck topo --slurm writes the file as it is "
	                    "cabled");
}

/* Slurm takes it, and goes up one of the ways. */
static void report_parents(const struct slurm_view *v)
{
	size_t *parents = sink_array(v->out, v->file->num_lines + 1, sizeof(*parents)), n = 0;
	const struct ibc_slurm_line *child, *first = NULL;
	const char *shown[SHOWN_MAX];

	for (size_t i = 0; parents && i < v->file->num_lines; i++)
		for (size_t k = 0; k < v->file->lines[i].num_switches; k++) {
			child = slurm_line(v, v->file->lines[i].switches[k]);
			if (!child || ++parents[child - v->file->lines] != 2)
				continue;
			first = first ? first : child;
			if (n++ < SHOWN_MAX)
				shown[n - 1] = slurm_line_text(v, child);
		}
	if (!n)
		return;
	sink_as(v->out, IBC_WARNING);
	slurm_finding(v, first->file, first->number, "%s %s below more than one switch",
	              list_text(v->out, shown, n), n == 1 ? "is" : "are");
	sink_advise(v->out,
	            "Put what the spines join below one switch that stands for all of them, "
	            "as ibcheck topo --slurm does");
}

static void check_tree(const struct ibc_input *in, struct ibc_sink *out)
{
	struct slurm_view v;

	if (!slurm_view_new(in, out, &v))
		return;
	if (v.num_ring)
		report_ring(&v);
	else
		report_parents(&v);
}

/* ---- slurm.rails ---------------------------------------------------------------------------- */

/* Hosts that rails put on leaves of several lines: one was chosen. */
static void report_split(const struct slurm_view *v)
{
	const struct ibc_slurm_host *h;
	const char **names;
	size_t n = 0, all = 0;

	while (ibc_slurm_host(v->slurm, all))
		all++;
	names = sink_array(v->out, all + 1, sizeof(*names));
	for (size_t i = 0; names && (h = ibc_slurm_host(v->slurm, i)); i++)
		if (h->split)
			names[n++] = h->name;
	if (!n)
		return;
	sink_fabric(v->out,
	            "%s %s cabled to leaves that other hosts do not share: each is written below "
	            "the leaf of most of its ports, or of the first",
	            slurm_hosts_text(v->out, names, n), n == 1 ? "is" : "are");
	sink_advise(v->out, "Say which ports count: --rail mlx5_0 takes those of one HCA, --skip "
	                    "PATTERN leaves out leaves that are for storage");
	sink_fact(v->out, "hosts", ibc_u64(n));
}

/* Nodes in several lines; those of one line more than once are one. */
static void report_repeated(const struct slurm_view *v)
{
	const char **names = sink_array(v->out, v->num_hosts + 1, sizeof(*names));
	const struct ibc_slurm_line *lines[2] = { NULL };
	size_t n = 0;

	for (size_t i = 1; names && i < v->num_hosts; i++) {
		const struct slurm_entry *a = &v->hosts[i - 1], *z = &v->hosts[i];

		if (strcmp(a->name, z->name) || a->line == z->line)
			continue;
		if (!n) {
			lines[0] = &v->file->lines[a->line];
			lines[1] = &v->file->lines[z->line];
		}
		if (!n || strcmp(names[n - 1], z->name) != 0)
			names[n++] = z->name;
	}
	if (!n)
		return;
	slurm_finding(v, lines[1]->file, lines[1]->number,
	              "%s %s below more than one leaf: %s and %s",
	              slurm_hosts_text(v->out, names, n), n == 1 ? "is" : "are",
	              slurm_line_text(v, lines[0]), slurm_line_text(v, lines[1]));
	sink_advise(v->out,
	            "Make leaves that serve the same hosts one line, as ibcheck topo --slurm "
	            "does; Slurm counts such nodes for one of them");
	sink_fact(v->out, "hosts", ibc_u64(n));
}

static void check_rails(const struct ibc_input *in, struct ibc_sink *out)
{
	struct slurm_view v;

	if (!slurm_view_new(in, out, &v))
		return;
	if (v.file)
		report_repeated(&v);
	else
		report_split(&v);
}

/* ---- slurm.missing ----------------------------------------------------------------------------
 */

/* Hosts that no line has: cabled ones, and what Slurm knows beside. */
static void report_absent(const struct slurm_view *v)
{
	const struct ibc_slurm_host *h;
	const char *const *uncabled, **names;
	size_t n = 0, all = 0, num;

	while (ibc_slurm_host(v->slurm, all))
		all++;
	uncabled = ibc_slurm_missing(v->slurm, &num);
	names = sink_array(v->out, all + num + 1, sizeof(*names));
	for (size_t i = 0; names && (h = ibc_slurm_host(v->slurm, i)); i++)
		if (slurm_line_of_host(v, h->name) == SIZE_MAX)
			names[n++] = h->name;
	for (size_t i = 0; names && i < num; i++)
		if (slurm_line_of_host(v, uncabled[i]) == SIZE_MAX)
			names[n++] = uncabled[i];
	if (!n)
		return;
	slurm_finding(v, v->file->path, 0, "%s %s in no line", slurm_hosts_text(v->out, names, n),
	              n == 1 ? "is" : "are");
	sink_advise(v->out,
	            "Slurm gives such a node to no job that needs others beside it: add %s "
	            "to the line of its leaf. If these are hosts that Slurm does not have, "
	            "list what it has: --nodes \"$(sinfo -h -o %%N)\"",
	            n == 1 ? "it" : "each");
	sink_fact(v->out, "hosts", ibc_u64(n));
}

static void report_uncabled(const struct slurm_view *v)
{
	size_t n;
	const char *const *names = ibc_slurm_missing(v->slurm, &n);

	if (!n)
		return;
	sink_fabric(v->out,
	            "%s %s on no leaf, and in no line: Slurm gives %s to no job that needs "
	            "other nodes as well",
	            slurm_hosts_text(v->out, names, n), n == 1 ? "is" : "are",
	            n == 1 ? "it" : "them");
	sink_advise(v->out,
	            "Bring %s up, and see that the NodeDescription begins with the name that "
	            "Slurm has; then write the file again",
	            n == 1 ? "it" : "them");
	sink_fact(v->out, "hosts", ibc_u64(n));
}

/* Whoever they are of may be missing; where all that Slurm knows are found, nobody is. */
static void report_nameless(const struct slurm_view *v)
{
	const char *shown[SHOWN_MAX];
	const struct ibc_port *p;
	size_t n = 0, missing;

	ibc_slurm_missing(v->slurm, &missing);
	if (!missing && !ibc_slurm_knows(v->slurm, ""))
		return;
	for (; (p = ibc_slurm_nameless(v->slurm, n)); n++)
		if (n < SHOWN_MAX)
			shown[n] = port_text(v->out, p->peer);
	if (!n)
		return;
	sink_fabric(v->out,
	            "%s on %s: the description names no host that Slurm could know, so it is "
	            "in no line",
	            amount_text(v->out, n, "HCA"), list_text(v->out, shown, n));
	sink_advise(v->out, "Have the host set the description of its HCAs (rdma-ndd), or name "
	                    "them in the node-name map");
	sink_fact(v->out, "hcas", ibc_u64(n));
}

static void check_missing(const struct ibc_input *in, struct ibc_sink *out)
{
	struct slurm_view v;

	if (!slurm_view_new(in, out, &v))
		return;
	if (!v.file)
		report_uncabled(&v);
	else if (!v.file->num_faults) /* else they may be in a line that was not understood */
		report_absent(&v);
	report_nameless(&v);
}

/* ---- slurm.unknown ----------------------------------------------------------------------------
 */

/* Of the nodes of the file those that Slurm does not know, or that are not cabled. */
static size_t list_unknown(const struct slurm_view *v, bool known, const char **names)
{
	size_t n = 0;

	for (size_t i = 0; i < v->num_hosts; i++) {
		const char *name = v->hosts[i].name;

		if (i && !strcmp(v->hosts[i - 1].name, name))
			continue;
		if (ibc_slurm_knows(v->slurm, name) == known &&
		    (!known || !ibc_slurm_host_by_name(v->slurm, name)))
			names[n++] = name;
	}
	return n;
}

static void check_unknown(const struct ibc_input *in, struct ibc_sink *out)
{
	struct slurm_view v;
	const char **names;
	size_t n;

	if (!slurm_view_new(in, out, &v))
		return;
	names = sink_array(out, v.num_hosts + 1, sizeof(*names));
	n = names ? list_unknown(&v, false, names) : 0;
	if (n) {
		slurm_finding(&v, v.file->path, 0, "Slurm has no node %s",
		              slurm_hosts_text(out, names, n));
		sink_advise(out, "Take %s out, or correct the name", n == 1 ? "it" : "them");
		sink_fact(out, "hosts", ibc_u64(n));
	}
	n = names ? list_unknown(&v, true, names) : 0;
	if (n) {
		slurm_finding(&v, v.file->path, 0,
		              "%s %s not found on any leaf, so that the leaf in the file was not "
		              "checked",
		              slurm_hosts_text(out, names, n), n == 1 ? "was" : "were");
		sink_advise(out,
		            "See whether %s down, or called otherwise in the fabric than in "
		            "Slurm",
		            n == 1 ? "it is" : "they are");
		sink_fact(out, "hosts", ibc_u64(n));
	}
}

/* ---- slurm.root ---------------------------------------------------------------------------- */

static const struct ibc_slurm_switch *root_of(const struct ibc_slurm_switch *line)
{
	while (line->up)
		line = line->up;
	return line;
}

/* Fabrics that nothing joins are no fault, but jobs do not span them. */
static void report_fabrics(const struct slurm_view *v)
{
	const struct ibc_slurm_switch *line;
	const char *shown[SHOWN_MAX];
	size_t n = 0;

	for (size_t i = 0; (line = ibc_slurm_switch(v->slurm, i)); i++)
		if (!line->up && n++ < SHOWN_MAX)
			shown[n - 1] = line->name;
	if (n < 2)
		return;
	sink_as(v->out, IBC_INFO);
	sink_fabric(v->out,
	            "no cable joins %s: each is the root of a tree of its own, and jobs do "
	            "not span them",
	            list_text(v->out, shown, n));
	sink_fact(v->out, "roots", ibc_u64(n));
}

/* struct root_pair - the root of a host in the file, and as it is cabled */
struct root_pair {
	const struct ibc_slurm_line *file;
	const struct ibc_slurm_switch *cabled;
};

static int by_cabled_root(const void *va, const void *vz)
{
	const struct root_pair *a = va, *z = vz;

	return order_u64((uintptr_t)a->cabled, (uintptr_t)z->cabled)
	           ?: order_u64((uintptr_t)a->file, (uintptr_t)z->file);
}

static int by_file_root(const void *va, const void *vz)
{
	const struct root_pair *a = va, *z = vz;

	return order_u64((uintptr_t)a->file, (uintptr_t)z->file)
	           ?: order_u64((uintptr_t)a->cabled, (uintptr_t)z->cabled);
}

/* Each pair once, by what is cabled. */
static size_t collect_roots(const struct slurm_view *v, struct root_pair *pairs)
{
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < v->num_hosts; i++) {
		const struct ibc_slurm_host *h = ibc_slurm_host_by_name(v->slurm, v->hosts[i].name);
		size_t line = v->hosts[i].line;

		while (v->up[line])
			line = v->up[line] - 1;
		if (h)
			pairs[n++] = (struct root_pair){ &v->file->lines[line], root_of(h->leaf) };
	}
	qsort(pairs, n, sizeof(*pairs), by_cabled_root);
	for (size_t i = 0; i < n; i++)
		if (!kept || by_cabled_root(&pairs[kept - 1], &pairs[i]))
			pairs[kept++] = pairs[i];
	return kept;
}

/* Lines that stand side by side, and one fabric has all their hosts. */
static void report_apart(const struct slurm_view *v, const struct root_pair *pairs, size_t n)
{
	const char *shown[SHOWN_MAX];

	if (n < 2)
		return;
	for (size_t i = 0; i < n && i < SHOWN_MAX; i++)
		shown[i] = slurm_line_text(v, pairs[i].file);
	slurm_finding(
	    v, pairs[0].file->file, pairs[0].file->number,
	    "no switch is above all of %s: jobs do not span them, though cables join them",
	    list_text(v->out, shown, n));
	sink_advise(v->out, "Add a line SwitchName=root Switches=LIST with all of them");
	sink_fact(v->out, "roots", ibc_u64(n));
}

static void report_joined(const struct slurm_view *v, const struct root_pair *pairs, size_t n)
{
	const char *shown[SHOWN_MAX];

	if (n < 2)
		return;
	for (size_t i = 0; i < n && i < SHOWN_MAX; i++)
		shown[i] = pairs[i].cabled->name;
	slurm_finding(v, pairs[0].file->file, pairs[0].file->number,
	              "%s joins what no cable joins: as cabled, the roots are %s",
	              pairs[0].file->name, list_text(v->out, shown, n));
	sink_advise(v->out,
	            "Give each fabric a root of its own, so that Slurm starts no job across "
	            "them");
	sink_fact(v->out, "roots", ibc_u64(n));
}

static void check_root(const struct ibc_input *in, struct ibc_sink *out)
{
	struct root_pair *pairs;
	struct slurm_view v;
	size_t n;

	if (!slurm_view_new(in, out, &v))
		return;
	if (!v.file)
		report_fabrics(&v);
	/* else it is no matter of roots what is above what */
	if (!v.file || v.num_ring || v.num_undefined || v.file->num_faults)
		return;
	pairs = sink_array(out, v.num_hosts, sizeof(*pairs));
	n = pairs ? collect_roots(&v, pairs) : 0;
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && pairs[end].cabled == pairs[i].cabled;)
			end++;
		report_apart(&v, &pairs[i], end - i);
	}
	if (n)
		qsort(pairs, n, sizeof(*pairs), by_file_root);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && pairs[end].file == pairs[i].file;)
			end++;
		report_joined(&v, &pairs[i], end - i);
	}
}

/* ---- the table ----------------------------------------------------------------------------- */

/* clang-format off */
#define SLURM(id, title, severity, function, wants, ...) \
	CHECK(id, title, severity, function, \
	      .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_NODE_DESC), .inputs = (wants), \
	      __VA_ARGS__)
/* clang-format on */

const struct ibc_check ibc_checks_slurm[] = {
	SLURM("slurm.syntax", "lines of topology.conf that end slurmctld", IBC_CRITICAL,
	      check_syntax, IBC_IN_SLURM_FILE, .many = "lines of topology.conf|are wrong"),
	SLURM("slurm.tree", "switches of topology.conf that form no tree", IBC_CRITICAL, check_tree,
	      IBC_IN_SLURM_FILE),
	SLURM("slurm.leaf", "hosts below another leaf than they are cabled to", IBC_CRITICAL,
	      check_slurm_leaf, IBC_IN_SLURM_FILE,
	      .many = "switches|are not in topology.conf as they are cabled"),
	SLURM("slurm.rails", "hosts below more than one leaf", IBC_WARNING, check_rails,
	      IBC_IN_SLURM),
	SLURM("slurm.missing", "hosts that topology.conf lacks", IBC_WARNING, check_missing,
	      IBC_IN_SLURM),
	SLURM("slurm.unknown", "nodes of topology.conf that are not found", IBC_WARNING,
	      check_unknown, IBC_IN_SLURM_FILE),
	SLURM("slurm.root", "trees that Slurm does not join, or should not", IBC_WARNING,
	      check_root, IBC_IN_SLURM),
	{ 0 },
};
