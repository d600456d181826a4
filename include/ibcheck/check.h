/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_CHECK_H
#define IBCHECK_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/error.h>
#include <ibcheck/fabric.h>
#include <ibcheck/report.h>

#pragma GCC visibility push(default)

/**
 * DOC: checks
 *
 * A check is a pure function from what was observed to findings.  The registry
 * is the one place that lists them; help, completion, manual, configuration
 * and the plan of the sweep are read from it.
 */

struct ibc_ar_hop;
struct ibc_cabling;
struct ibc_config;
struct ibc_dependents;
struct ibc_comparison;
struct ibc_fattree;
struct ibc_fleet;
struct ibc_gone;
struct ibc_host;
struct ibc_opinions;
struct ibc_path;
struct ibc_perf_judge_opts;
struct ibc_perf_judgement;
struct ibc_routes;
struct ibc_slurm;
struct ibc_slurm_file;
struct ibc_trace;
struct ibc_windows;

/**
 * struct ibc_workload - what the check ipoib.fallback made of the processes of one job
 * @name: "job 4711 (slurm)", "rsync, PID 812"
 * @job, @job_kind: id and batch system or container runtime; NULL or "": none
 * @interface: of the socket that moved most; NULL: none
 * @verdict: "ok", "at_risk", "possible", "likely", "confirmed", "unknown"
 * @bytes_per_second: over IPoIB, by its @sockets there
 * @queue_pairs: in use by all of its @processes; negative: could not be read
 * @score: the sum of the evidence, which the verdict follows from
 */
struct ibc_workload {
	const char *name, *job, *job_kind, *interface, *verdict;
	uint64_t bytes_per_second;
	size_t sockets, processes;
	int queue_pairs;
	double score;
};

/**
 * struct ibc_input - what the checks look at; zero what there is not
 */
struct ibc_input {
	const struct ibc_fabric *fabric;
	const struct ibc_config *config; /* NULL: the defaults */
	const struct ibc_fabric *before; /* an earlier sweep, to see what was counted since */
	/*
	 * The sweeps of this run up to @fabric, the first of which is @before or later: rates are
	 * judged by most of the windows, errors by all of the time; or NULL.
	 */
	const struct ibc_windows *windows;
	bool totals; /* judge what was counted since it was last cleared */
	const struct ibc_comparison *comparison; /* of @fabric with a plan, or with @before */
	const struct ibc_fattree *fattree;       /* inferred from @fabric */
	const struct ibc_routes *routes;         /* what the tables of @fabric do */
	const struct ibc_slurm *slurm;           /* the tree of @fabric that Slurm is to know */
	const struct ibc_slurm_file *slurm_file; /* the one that it has */
	const struct ibc_perf_judgement *perf;   /* of measurements between hosts */
	const struct ibc_host *host;             /* this host */
	const struct ibc_host *host_before;      /* the same, a window of time earlier */
	const struct ibc_fleet *fleet;           /* reports of many hosts */
	const struct ibc_cabling *cabling;       /* its hosts in a fabric */
	/*
	 * What of the host is not judged since no window was asked for: a note says so, if
	 * other checks run.  NULL: checks without one are skipped, and leave the verdict open.
	 */
	const char *untimed;
	bool physical;        /* the physical layer was asked for: what is not there is a gap */
	bool require_fattree; /* whatever is configured, it is critical if it is none */
	bool checks_file;     /* the file is what is checked: a line not understood is critical */
	struct ibc_attrs relevant; /* a gap if unanswered, whether a check reads it */
	/* called by ipoib.fallback for each workload, those with most traffic first; or NULL */
	void (*on_workload)(void *ctx, const struct ibc_workload *workload);
	void *ctx;
	const struct ibc_trace *trace; /* gets how counters are judged */
	/* a selection: checks that the user named, each of which must check something; or NULL */
	const char *named;
	const struct ibc_opinions *unhealthy; /* ports that the subnet manager calls so; or NULL */
};

/**
 * enum ibc_input_kind - what a check looks at beside the fabric or the host, as a set
 *
 * Where it is not there, the check is skipped, and the report says why: for
 * IBC_IN_BEFORE, since many checks lack it at once, in a single finding.
 */
enum ibc_input_kind {
	IBC_IN_BEFORE = 1 << 0,      /* input.before */
	IBC_IN_HOST_BEFORE = 1 << 1, /* input.host_before */
	IBC_IN_COMPARISON = 1 << 2,
	IBC_IN_TREE = 1 << 3, /* input.fattree */
	IBC_IN_ROUTES = 1 << 4,
	IBC_IN_TOTALS = 1 << 5, /* input.totals; where they are not asked for, nothing is missing */
	/*
	 * The source provides the physical layer (IBC_ATTRS_PHYSICAL); likewise, and what else
	 * such a check needs, unless all checks of a run are such: one that checks nothing says so
	 */
	IBC_IN_PHYSICAL = 1 << 6,
	IBC_IN_FLEET = 1 << 7,      /* input.fleet */
	IBC_IN_SLURM = 1 << 8,      /* input.slurm */
	IBC_IN_SLURM_FILE = 1 << 9, /* both: input.slurm_file, too */
	IBC_IN_PERF = 1 << 10,      /* input.perf */
	IBC_IN_POLICY = 1 << 11,    /* a policy of input.fleet; without one nothing is missing */
	IBC_IN_CABLING = 1 << 12,   /* input.cabling */
	/*
	 * The source provides adaptive routing.  One that does not is no gap, unless all checks of
	 * a run are such
	 */
	IBC_IN_ADAPTIVE = 1 << 13,
	IBC_IN_VPORTS = 1 << 14,    /* likewise, of virtual ports */
	IBC_IN_ROUTERS = 1 << 15,   /* likewise, of routers */
	IBC_IN_UNHEALTHY = 1 << 16, /* input.unhealthy; without it nothing is missing */
	IBC_IN_GONE = 1 << 17,      /* ibc_check_expect(); likewise */
	IBC_IN_PLAN = 1 << 18,      /* input.comparison, or input.fabric is a file to be checked */
};

struct ibc_sink;

/**
 * struct ibc_limits - from how much on something is worth a finding, unless a site says else
 * @warning, @critical: reached, or more; INFINITY: never
 * @ber: if not 0, a link without forward error correction (before FDR) may have so many bit
 *	 errors a bit: what that makes is its warning, and ten times as much is critical
 * @unit: what is counted, behind "a number"; NULL: the check has no limits
 * @whole: of the fabric, not of its ports
 */
struct ibc_limits {
	double warning, critical, ber;
	const char *unit;
	bool whole;
};

/**
 * enum ibc_relation - how the thing of a finding lies to that of another, which explains it
 * @IBC_SAME: it is the same
 * @IBC_AT: it lies on it: a port of it, a cable at it, the far end of the cable; or what the
 *	    finding names as its cause does
 * @IBC_BESIDE: it, or its switch, is one that the cable ends at, or at which the port is
 * @IBC_BEHIND: no other way leads to it from where the sweep began
 * @IBC_ACROSS: it is a route, or a ring of cables, which leads over it; or our queries do
 * @IBC_IN_SUBNET: it is in the same subnet, and the other is more than a warning
 * @IBC_OF_SUBNET: it is in the subnet that the other is about as a whole
 * @IBC_NAMED: what the finding names as its cause is it, and no other thing
 */
enum ibc_relation {
	IBC_SAME = 1,
	IBC_AT,
	IBC_BESIDE,
	IBC_BEHIND,
	IBC_ACROSS,
	IBC_IN_SUBNET,
	IBC_OF_SUBNET,
	IBC_NAMED,
};

/* In the fabric; in what it is compared with, a plan or an earlier sweep. */
enum ibc_absence { IBC_ABSENT_HERE = 1, IBC_ABSENT_THERE = 2 };

/*
 * struct ibc_check_kind - what a check can find: the fact "kind" of its findings
 * @word: by it and the id of the check a kind is named, "cable.alarm:bias"
 * @vital: without an answer to this it is not checked; IBC_ATTR_NONE: as the check
 */
struct ibc_check_kind {
	const char *word;
	enum ibc_attr vital;
};

/* struct ibc_explainer - findings of this check explain those that so lie to them */
struct ibc_explainer {
	const char *check;
	enum ibc_relation relation;
};

/**
 * struct ibc_check - one entry of the registry
 * @id: "group.name", permanent
 * @title: what it finds, a few words, lower case
 * @needs: attributes it reads: the sweep asks for ibc_attrs_complete() of the union
 * @severity: of its findings, unless the finding says otherwise
 * @parts: set of enum ibc_host_part it reads: then it looks at input.host, not at a fabric
 * @host_parts: likewise, of a check of a fabric that judges by the same rules what a host reports
 *	  about its own modules and sensors, where there is no fabric
 * @inputs: set of enum ibc_input_kind it cannot do without
 * @explained_by: what can be the cause of its findings, from the ground up: the first that is
 *		  there explains them, and they are left out, or belong to its case; ended by
 *		  an element without check, or NULL
 * @many: what several such things are, and do: "planned cables|are missing"; "{width}" stands
 *	  for that fact, a word or text, and those whose fact is another are not alike.  NULL:
 *	  their findings are never put together
 * @kinds: "{fan}": facts, words, texts or numbers, that distinguish what it finds about one thing,
 *	   and are part of the id of a finding; with "?" before them only where it has one of
 *	   them; NULL: one thing has one finding of it
 * @limits: the defaults of keys "warning" and "critical"
 * @expects: what the number means that a site may expect of it (key "expect"), or NULL
 * @together: all that it finds is one case, of each of the facts that @many names; this fact, a
 *	      number, decides which is the worst, "" of none; or NULL
 * @allows: a list in the configuration says what is intended (key "allow")
 * @vital: without an answer to any of these it checks nothing; empty: what of @needs is optional,
 *	   if all is, or if @inputs say that not all fabrics have it
 * @absence: set of enum ibc_absence: its findings rest on what is not there; of a fabric that
 *	     lacks lines of its file, or that a deadline cut short (ibc_subnet.lost_of), they are
 *	     unknown
 * @words: its kinds, ended by one without word; NULL: none
 * @run: for the library itself; NULL: the program alone knows, and says so by a function below
 */
struct ibc_check {
	const char *id, *title;
	struct ibc_attrs needs;
	uint32_t parts, host_parts;
	unsigned int inputs;
	enum ibc_severity severity;
	const struct ibc_explainer *explained_by;
	const char *many, *kinds;
	struct ibc_limits limits;
	const char *expects;
	void (*run)(const struct ibc_input *in, struct ibc_sink *out);
	bool allows;
	const char *together;
	struct ibc_attrs vital;
	unsigned int absence;
	const struct ibc_check_kind *words;
};

/* Walk the registry, in the order of groups; NULL past the last one. */
const struct ibc_check *ibc_check_at(size_t i);
/* By id, or NULL. */
const struct ibc_check *ibc_check_find(const char *id);
/*
 * What the words mean, how it is found out, what it costs, what to do: paragraphs of plain
 * text, separated by empty lines.
 */
const char *ibc_check_explain(const struct ibc_check *check);

/**
 * ibc_check_brief() - what the cases of a report come to, for those who decide
 * @fabric: they are on, or NULL
 * @previous: when the run before this one began; 0: it is not known
 * @rep: a finished report whose cases were found: format "html" shows how much is affected, what
 *	 each case costs until it is repaired, and whose work that is
 *
 * Return: 0, or -ENOMEM.
 */
int ibc_check_brief(const struct ibc_fabric *fabric, time_t previous, struct ibc_report *rep,
                    struct ibc_error *err);

/**
 * ibc_check_selected() - does a selection name this check?
 * @selection: comma-separated ids, groups and kinds ("port.width", "port", "cable.alarm:bias"), a
 *	       "-" before one takes it out; NULL: all
 *
 * Return: true if it does, or names any of its kinds.
 */
bool ibc_check_selected(const struct ibc_check *check, const char *selection);
/* 0, or -EINVAL naming the first word of @selection that no check answers to. */
int ibc_check_selection_verify(const char *selection, struct ibc_error *err);
/* What replaced the check of this id of an earlier version, "cable.alarm:bias"; "": nothing; or
 * NULL. */
const char *ibc_check_successor(const char *id, size_t length);

/**
 * struct ibc_check_set - some of the checks, whole or in part; begins as zeros
 * @kinds: of ibc_check_at(i) a bit for each kind that is in the set; a check without kinds has one
 * @disabled: likewise what a selection named by its id, and the configuration disables
 */
#define IBC_CHECKS_MAX 256 /* more than there are */
struct ibc_check_set {
	uint16_t kinds[IBC_CHECKS_MAX], disabled[IBC_CHECKS_MAX];
};
/* Adds what of the check a selection names and the configuration enables; false: nothing. */
bool ibc_check_set_add(struct ibc_check_set *set, const struct ibc_check *check,
                       const char *selection, const struct ibc_config *config);
/* Is the check in it, if only in part? */
bool ibc_check_set_has(const struct ibc_check_set *set, const struct ibc_check *check);
/* Those that a selection names and that are enabled. */
struct ibc_check_set ibc_check_select(const char *selection, const struct ibc_config *config);

/* The union of .needs over them, complete. */
struct ibc_attrs ibc_check_needs(struct ibc_check_set set);
/* The union of .parts and .host_parts, likewise; IBC_HOST_RDMA is always in it. */
uint32_t ibc_check_parts(struct ibc_check_set set);
/* The union of .inputs, likewise. */
unsigned int ibc_check_inputs(struct ibc_check_set set);
/* The attributes that are a gap of theirs if unanswered: what they read, and IBC_ATTRS_ALWAYS. */
struct ibc_attrs ibc_check_relevant(struct ibc_check_set set);

/*
 * Takes the checks of counters, and of their samples, out of @set if the fabric's source has no
 * counters; the report says so, and it is no gap.
 */
void ibc_check_spare_counters(struct ibc_check_set *set, const struct ibc_fabric *fabric,
                              struct ibc_report *rep);

/**
 * ibc_check_run_set() - run checks
 * @in: what to look at
 * @rep: gets the findings, the coverage, the sums
 *
 * A check whose attributes the source cannot provide is recorded as skipped, and the verdict is
 * then at least unknown.  So is one that found nothing since no device reported what it judges, if
 * it was named; others are recorded as unreported, which leaves the verdict to the rest.  So is
 * what was named by its id, and is disabled.  Of a check that is in the set in part, findings of
 * the other kinds are left out, unless it is not known what they are (IBC_UNKNOWN).
 *
 * Return: 0, or -ENOMEM.
 */
int ibc_check_run_set(const struct ibc_input *in, const struct ibc_check_set *set,
                      struct ibc_report *rep, struct ibc_error *err);
/* The same with ibc_check_select(). */
int ibc_check_run(const struct ibc_input *in, const char *selection, struct ibc_report *rep,
                  struct ibc_error *err);

/* ---- what only the caller knows ------------------------------------------ */

/**
 * enum ibc_samples - why counters are not compared, or will not be the next time
 * @IBC_SAMPLES_NONE: there is one sweep, and nothing else
 * @IBC_SAMPLES_FIRST: the state directory (@where) has none yet
 * @IBC_SAMPLES_EMPTY: this sweep has no counters
 * @IBC_SAMPLES_CUT: not all windows were waited for; @where: how many of how many were
 */
enum ibc_samples {
	IBC_SAMPLES_NONE,
	IBC_SAMPLES_FIRST,
	IBC_SAMPLES_EMPTY,
	IBC_SAMPLES_CUT,
};
/* Adds it as counters.state.  @where: NULL where there is none. */
void ibc_check_samples(struct ibc_report *rep, enum ibc_samples why, const char *where);

/**
 * enum ibc_memory - what of a state directory is lost, or will be
 * @IBC_MEMORY_CLOSED: it cannot be used
 * @IBC_MEMORY_NEWER: a newer version wrote it
 * @IBC_MEMORY_BUSY: another run has it
 * @IBC_MEMORY_DAMAGED: a part of it was damaged, and begins anew
 * @IBC_MEMORY_UNWRITTEN: this run could not be added
 */
enum ibc_memory {
	IBC_MEMORY_CLOSED,
	IBC_MEMORY_NEWER,
	IBC_MEMORY_BUSY,
	IBC_MEMORY_DAMAGED,
	IBC_MEMORY_UNWRITTEN,
};
/* Adds it as state.memory.  @why: a sentence. */
void ibc_check_memory(struct ibc_report *rep, enum ibc_memory what, const char *why);

/**
 * ibc_check_expect() - what a memory expects, for the checks gone.*
 * @gone: of ibc_store_expect(), which stays until the checks have run; or NULL
 *
 * Before ibc_check_run(), whose report this is.
 */
void ibc_check_expect(struct ibc_report *rep, const struct ibc_gone *gone);

/**
 * struct ibc_passed - a fault that was seen during a watch, and is not there at the end
 * @check: that found it; @message: what it said
 * @began, @last_seen: when it was first and last seen; @times: how often it came
 */
struct ibc_passed {
	const struct ibc_subject *subject;
	const char *check, *message, *advice;
	enum ibc_severity severity;
	time_t began, last_seen;
	unsigned int times;
};
/* Adds it as accept.passed, as severe as it was. */
void ibc_check_passed(struct ibc_report *rep, const struct ibc_passed *passed);

/**
 * enum ibc_uncovered - what an acceptance did not look at
 * @IBC_UNCOVERED_SWEEPS: part of the time, in which no sweep succeeded
 * @IBC_UNCOVERED_PAUSE: a time in which it did not run, and which was added at the end
 * @IBC_UNCOVERED_PHYSICAL: the physical layer, which no source reported
 */
enum ibc_uncovered { IBC_UNCOVERED_SWEEPS, IBC_UNCOVERED_PAUSE, IBC_UNCOVERED_PHYSICAL };
/* Adds it as accept.uncovered.  @how: "12 min: cannot open ...", or how long; or NULL. */
void ibc_check_uncovered(struct ibc_report *rep, enum ibc_uncovered what, const char *how);

/**
 * ibc_check_clearing() - what became of counters that were to be cleared, as counters.cleared
 * @before: as they were
 * @after: as they are now
 * @counters: set of 1 << enum ibc_counter: those that were to be cleared
 *
 * Return: 0, or -ENOMEM.
 */
int ibc_check_clearing(const struct ibc_fabric *before, const struct ibc_fabric *after,
                       uint32_t counters, struct ibc_report *rep, struct ibc_error *err);
/* The same of some ports, as ibc_counters_clear_ports() takes them: what was not read is said. */
int ibc_check_clearing_ports(const struct ibc_fabric *before, const struct ibc_fabric *after,
                             uint32_t counters, const struct ibc_place *ports, size_t num_ports,
                             struct ibc_report *rep, struct ibc_error *err);

/**
 * ibc_check_whatif() - what would be lost without some things, as whatif.*
 * @in: the fabric with them, and its tree
 * @lost: what depends on them
 * @rest: what the fabric without them was inferred to be: ibc_fabric_without()
 * @today: a finished report of what is wrong with the fabric already; or NULL
 * @after: one of the routes that what is left would get; or NULL
 * @unrouted: why there is none, where it was wanted; or NULL
 *
 * Return: 0, or -ENOMEM.
 */
int ibc_check_whatif(const struct ibc_input *in, const struct ibc_dependents *lost,
                     const struct ibc_fattree *rest, const struct ibc_report *today,
                     const struct ibc_report *after, const char *unrouted, struct ibc_report *rep,
                     struct ibc_error *err);

/*
 * Adds what the hosts of a fleet say of themselves, but for notes and what they know: each finding
 * as one of the same check, about "HOST" or "HOST THING", which its facts "host" and "thing" have.
 * @cabling: or NULL: what is about an HCA gets the facts "cable", "leaf" and "rail".
 * 0, or -ENOMEM.
 */
int ibc_check_fleet(const struct ibc_fleet *fleet, const struct ibc_cabling *cabling,
                    struct ibc_report *rep, struct ibc_error *err);

/* Sets the limits of measurements between hosts to those of the checks perf.*. */
void ibc_check_perf_limits(const struct ibc_config *config, struct ibc_perf_judge_opts *opts);

/*
 * Adds why what is sent on a path does not arrive, as one of routes.*, and where its virtual lane
 * loses it, as qos.sl2vl; nothing if it arrives.
 */
void ibc_check_path(const struct ibc_path *path, struct ibc_report *rep);
/* Adds that a choice on the way of such packets loses them, or may, as ar.dead-way. */
void ibc_check_ar_path(const struct ibc_path *path, const struct ibc_ar_hop *hops, size_t n,
                       struct ibc_report *rep);

/* ---- configuration ------------------------------------------------------ */

int ibc_config_new(struct ibc_config **out, struct ibc_error *err);
void ibc_config_free(struct ibc_config *config);

/**
 * ibc_config_set() - set one key, as a line of ibcheck.conf(5) does
 * @section: "port.width" (any check id); "cable.alarm:bias" for one kind, which goes before the
 *	     check; for the limits of some nodes only with a pattern of their names:
 *	     "counters.symbol \"leaf*\""
 * @key: "enabled" (yes, no), "severity" (info, warning, critical); of checks that
 *	 have .expects "expect" (a number); of those that compare with limits "warning"
 *	 and "critical" (a number, "off"), and these with ".switch" or ".ca" for the
 *	 ports of such nodes; in the section "common" "important", a list of patterns of
 *	 names of hosts: ibc_step_cuts()
 *
 * Return: 0, -ENOMEM, or -EINVAL with a sentence that names what is wrong (without
 * file and line, which the caller knows).
 */
int ibc_config_set(struct ibc_config *config, const char *section, const char *key,
                   const char *value, struct ibc_error *err);

/**
 * ibc_config_keys() - the keys of a check, with their defaults
 *
 * "enabled = yes, severity = warning, warning = 1, critical = off; these are numbers of events
 * an hour, or off"; NUMBER or LIST where a key has no default; cut off where it does not fit.
 *
 * Return: @text.
 */
char *ibc_config_keys(const struct ibc_check *check, char *text, size_t size);
#define IBC_KEYS_MAX 384 /* room for all of them */

/* Any kind of it. */
bool ibc_config_enabled(const struct ibc_config *config, const struct ibc_check *check);
enum ibc_severity ibc_config_severity(const struct ibc_config *config,
                                      const struct ibc_check *check);

#pragma GCC visibility pop

#endif
