/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks of the tree of switches that Slurm has in its topology.conf.  slurmctld ends when it
 * cannot read that file, at "scontrol reconfigure" too, and where it can it believes it: a leaf
 * that is not as it is cabled costs jobs speed, and nothing says so.
 */
#include "check/slurm/slurm.h"

#include <stdlib.h>
#include <string.h>

#include "check/groups.h"
#include "check/phrases.h"

#define FAULTS_SHOWN 10 /* a mistake in every line is one mistake */

/* ---- slurm.file ----------------------------------------------------------------------------- */

/* The lines past those that are shown, in one finding. */
static void report_more(const struct slurm_view *v, size_t n, const char *kind, const char *one,
                        const char *many)
{
	size_t more = n > FAULTS_SHOWN ? n - FAULTS_SHOWN : 0;

	if (more)
		slurm_finding(v, kind, v->file->path, 0, "%zu more line%s %s", more,
		              more == 1 ? "" : "s", more == 1 ? one : many);
}

/* What slurmctld ends at: lines that are wrong by themselves, and names that are. */
static void report_faults(const struct slurm_view *v)
{
	const struct ibc_slurm_file *f = v->file;
	size_t again = 0, undefined = 0;

	for (size_t i = 0; i < f->num_faults && i < FAULTS_SHOWN; i++) {
		slurm_finding(v, "line", f->faults[i].file, f->faults[i].number, "%s",
		              f->faults[i].text);
		sink_advise(v->out, "Correct it before slurmctld is restarted or has to "
		                    "reconfigure: it may end there; then check again, as hosts of "
		                    "such lines were not compared");
	}
	report_more(v, f->num_faults, "line", "is not understood", "are not understood");
	if (!f->num_lines && !f->num_faults) {
		slurm_finding(v, "line", f->path, 0, "it defines no switch");
		sink_advise(v->out,
		            "Slurm places jobs as if there were no switches; write the file "
		            "with ibcheck topo --slurm");
	}
	for (size_t i = 0; i < f->num_lines; i++) {
		const struct ibc_slurm_line *l = &f->lines[i], *first = slurm_line(v, l->name);
		const char *shown[SHOWN_MAX];
		size_t n = 0;

		if (first != l && again++ < FAULTS_SHOWN) {
			slurm_finding(v, "line", l->file, l->number, "%s is defined already: %s",
			              l->name, slurm_line_text(v, first));
			sink_advise(v->out,
			            "Give each switch one line: slurmctld ends at the second one");
		}
		for (size_t k = 0; k < l->num_switches; k++)
			if (!slurm_line(v, l->switches[k]) && n++ < SHOWN_MAX)
				shown[n - 1] = l->switches[k];
		if (!n || undefined++ >= FAULTS_SHOWN)
			continue;
		if (f->num_faults) /* one of those may be meant to */
			sink_as(v->out, IBC_UNKNOWN);
		slurm_finding(v, "line", l->file, l->number, "no line defines %s, below %s",
		              list_text(v->out, shown, n), l->name);
		sink_advise(v->out,
		            "Add a line for each, or take them out: slurmctld ends here. It knows "
		            "switches by their exact name, in upper and lower case");
	}
	report_more(v, again, "line", "defines a switch that is defined already",
	            "define a switch that is defined already");
	report_more(v, undefined, "line", "names switches that no line defines",
	            "name switches that no line defines");
}

static void check_file(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct slurm_view v = slurm_view(in, out);

	report_faults(&v);
	if (v.num_ring) {
		const struct ibc_slurm_line *first = &v.file->lines[v.ring[0]];
		const char *shown[SHOWN_MAX];

		for (size_t i = 0; i < v.num_ring && i < SHOWN_MAX; i++)
			shown[i] = slurm_line_text(&v, &v.file->lines[v.ring[i]]);
		slurm_finding(&v, "tree", first->file, first->number, "not a tree: %s %s",
		              list_text(v.out, shown, v.num_ring),
		              v.num_ring == 1 ? "is below itself" : "are each below the others");
		sink_advise(
		    v.out,
		    "Name in Switches only what is below, never the spines or cores above: "
		    "slurmctld ends here. ibcheck topo --slurm writes the file as it is cabled");
	} else {
		/* Slurm takes it, and goes up one of the ways. */
		size_t *parents = sink_array(v.out, v.file->num_lines, sizeof(*parents)), n = 0;
		const struct ibc_slurm_line *child, *first = NULL;
		const char *shown[SHOWN_MAX];

		for (size_t i = 0; i < v.file->num_lines; i++)
			for (size_t k = 0; k < v.file->lines[i].num_switches; k++) {
				child = slurm_line(&v, v.file->lines[i].switches[k]);
				if (!child || ++parents[child - v.file->lines] != 2)
					continue;
				first = first ? first : child;
				if (n++ < SHOWN_MAX)
					shown[n - 1] = slurm_line_text(&v, child);
			}
		if (!n)
			return;
		sink_as(v.out, IBC_WARNING);
		slurm_finding(&v, "tree", first->file, first->number,
		              "%s %s below more than one switch", list_text(v.out, shown, n),
		              n == 1 ? "is" : "are");
		sink_advise(v.out, "Put what the spines join below one switch that stands for all "
		                   "of them, as ibcheck topo --slurm does");
	}
}

/* ---- slurm.hosts, of a file ----------------------------------------------------------------- */

static bool is_in_file(const struct slurm_view *v, const char *host)
{
	size_t low = 0, high = v->num_hosts;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(v->hosts[middle].name, host) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < v->num_hosts && !strcmp(v->hosts[low].name, host);
}

/* Nodes in several lines; those of one line more than once are one. */
static void report_repeated(const struct slurm_view *v, const char **names)
{
	const struct ibc_slurm_line *lines[2] = { NULL };
	size_t n = 0;

	for (size_t i = 1; i < v->num_hosts; i++) {
		const struct slurm_entry *a = &v->hosts[i - 1], *z = &v->hosts[i];

		if (strcmp(a->name, z->name) || (n && !strcmp(names[n - 1], z->name)))
			continue;
		if (!n) {
			lines[0] = &v->file->lines[a->line];
			lines[1] = &v->file->lines[z->line];
		}
		names[n++] = z->name;
	}
	if (!n)
		return;
	slurm_finding(v, "repeated", lines[1]->file, lines[1]->number,
	              "%s %s below more than one leaf: %s and %s", sink_folded(v->out, names, n),
	              n == 1 ? "is" : "are", slurm_line_text(v, lines[0]),
	              slurm_line_text(v, lines[1]));
	sink_advise(v->out,
	            "Make leaves that serve the same hosts one line, as ibcheck topo --slurm "
	            "does; Slurm counts such nodes for one of them");
	sink_fact(v->out, "hosts", ibc_u64(n));
}

/* Hosts that no line has: cabled ones, and what Slurm knows beside. */
static void report_absent(const struct slurm_view *v, const char **names)
{
	const struct ibc_slurm_host *h;
	const char *const *uncabled;
	size_t n = 0, num;

	uncabled = ibc_slurm_missing(v->slurm, &num);
	for (size_t i = 0; (h = ibc_slurm_host(v->slurm, i)); i++)
		if (!is_in_file(v, h->name))
			names[n++] = h->name;
	for (size_t i = 0; i < num; i++)
		if (!is_in_file(v, uncabled[i]))
			names[n++] = uncabled[i];
	if (!n)
		return;
	slurm_finding(v, "missing", v->file->path, 0, "%s %s in no line",
	              sink_folded(v->out, names, n), n == 1 ? "is" : "are");
	sink_advise(v->out,
	            "Slurm gives such a node to no job that needs others beside it: add %s "
	            "to the line of its leaf. If these are hosts that Slurm does not have, "
	            "list what it has: --nodes \"$(sinfo -h -o %%N)\"",
	            n == 1 ? "it" : "each");
	sink_fact(v->out, "hosts", ibc_u64(n));
}

/* Nodes of the file that Slurm does not know, or that are not cabled. */
static void report_unknown(const struct slurm_view *v, const char **names, bool known)
{
	const char *hosts;
	size_t n = 0;

	for (size_t i = 0; i < v->num_hosts; i++) {
		const char *name = v->hosts[i].name;

		if ((!i || strcmp(v->hosts[i - 1].name, name) != 0) &&
		    ibc_slurm_knows(v->slurm, name) == known &&
		    (!known || !ibc_slurm_host_by_name(v->slurm, name)))
			names[n++] = name;
	}
	if (!n)
		return;
	hosts = sink_folded(v->out, names, n);
	slurm_finding(v, known ? "not_found" : "unknown", v->file->path, 0, "%s",
	              known ? sink_text(v->out,
	                                "%s %s not found on any leaf, so that the leaf in the "
	                                "file was not checked",
	                                hosts, n == 1 ? "was" : "were")
	                    : sink_text(v->out, "Slurm has no node %s", hosts));
	if (known)
		sink_advise(v->out,
		            "See whether %s down, or called otherwise in the fabric than in "
		            "Slurm",
		            n == 1 ? "it is" : "they are");
	else
		sink_advise(v->out, "Take %s out, or correct the name", n == 1 ? "it" : "them");
	sink_fact(v->out, "hosts", ibc_u64(n));
}

/* ---- slurm.hosts, where a file is written --------------------------------------------------- */

/* Hosts that rails put on leaves of several lines: one was chosen. */
static void report_split(const struct slurm_view *v, const char **names)
{
	const struct ibc_slurm_host *h;
	size_t n = 0;

	for (size_t i = 0; (h = ibc_slurm_host(v->slurm, i)); i++)
		if (h->split)
			names[n++] = h->name;
	if (!n)
		return;
	sink_fabric(v->out,
	            "%s %s cabled to leaves that other hosts do not share: each is written below "
	            "the leaf of most of its ports, or of the first",
	            sink_folded(v->out, names, n), n == 1 ? "is" : "are");
	sink_advise(v->out, "Say which ports count: --rail mlx5_0 takes those of one HCA, --skip "
	                    "PATTERN leaves out leaves that are for storage");
	sink_fact(v->out, "kind", ibc_str("split"));
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
	            sink_folded(v->out, names, n), n == 1 ? "is" : "are", n == 1 ? "it" : "them");
	sink_advise(v->out,
	            "Bring %s up, and see that the NodeDescription begins with the name that "
	            "Slurm has; then write the file again",
	            n == 1 ? "it" : "them");
	sink_fact(v->out, "kind", ibc_str("missing"));
	sink_fact(v->out, "hosts", ibc_u64(n));
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
	sink_fact(v->out, "kind", ibc_str("apart"));
	sink_fact(v->out, "roots", ibc_u64(n));
}

static void check_hosts(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct slurm_view v = slurm_view(in, out);
	size_t n = v.num_hosts, missing;
	const char **names, *shown[SHOWN_MAX];
	const struct ibc_port *p;

	ibc_slurm_missing(v.slurm, &missing);
	for (size_t i = 0; ibc_slurm_host(v.slurm, i); i++)
		n++;
	names = sink_array(out, n + missing, sizeof(*names));
	if (!v.file) {
		report_split(&v, names);
		report_uncabled(&v);
		report_fabrics(&v);
	} else if (!v.file->num_faults) {
		/* else a line that was not understood may be the reason */
		report_repeated(&v, names);
		report_absent(&v, names);
		report_unknown(&v, names, false);
		report_unknown(&v, names, true);
		if (!v.num_ring && !v.num_undefined)
			check_slurm_roots(&v);
	}
	/* HCAs whose host is not known: it may be missing, unless all that Slurm knows were found
	 */
	if (!missing && !ibc_slurm_knows(v.slurm, ""))
		return;
	for (n = 0; (p = ibc_slurm_nameless(v.slurm, n)); n++)
		if (n < SHOWN_MAX)
			shown[n] = port_text(out, p->peer);
	if (!n)
		return;
	sink_fabric(
	    out,
	    "%s on %s: the description names no host that Slurm could know, so it is in no line",
	    amount_text(out, n, "HCA"), list_text(out, shown, n));
	sink_advise(out, "Have the host set the description of its HCAs (rdma-ndd), or name them "
	                 "in the node-name map");
	sink_fact(out, "kind", ibc_str("nameless"));
	sink_fact(out, "hcas", ibc_u64(n));
}

/* ---- the table ----------------------------------------------------------------------------- */

/* clang-format off */
#define SLURM(id, title, severity, function, wants, ...) \
	CHECK(id, title, severity, function, \
	      .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_NODE_DESC), .inputs = (wants), \
	      __VA_ARGS__)
/* clang-format on */

const struct ibc_check ibc_checks_slurm[] = {
	SLURM("slurm.file", "lines of topology.conf that end slurmctld, or form no tree",
	      IBC_CRITICAL, check_file, IBC_IN_SLURM_FILE,
	      KINDS({ .word = "line" }, { .word = "tree" }),
	      .many = "lines of topology.conf|are wrong"),
	SLURM("slurm.leaf", "hosts below another leaf than they are cabled to", IBC_CRITICAL,
	      check_slurm_leaf, IBC_IN_SLURM_FILE, .absence = IBC_ABSENT_HERE,
	      .many = "switches|are not in topology.conf as they are cabled"),
	SLURM("slurm.hosts", "hosts that Slurm does not place as they are cabled", IBC_WARNING,
	      check_hosts, IBC_IN_SLURM, .absence = IBC_ABSENT_HERE,
	      KINDS({ .word = "apart" }, { .word = "joined" }, { .word = "missing" },
	            { .word = "nameless" }, { .word = "not_found" }, { .word = "repeated" },
	            { .word = "split" }, { .word = "unknown" })),
	{ 0 },
};
