/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What has begun and ended since the last run: an incident is a root finding, by its check and
 * the thing it is about, from run to run.
 *
 * It ends only if a run looked where it was.  One whose finding another explains now is hidden:
 * neither open on its own nor gone.  One that comes back soon is the same one.
 */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/gone/gone.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/str.h"
#include "fabric/fabric.h"
#include "report/report.h"
#include "store/store.h"

/*
 * struct incident - a row of the history
 * @key: check and thing
 * @hidden, @unseen: the run since which it is so, or 0
 * @settling: runs that have seen it while it is not reported yet; 0: it is reported
 * @state: what became of it in this run
 * @present: this run found it
 */
struct incident {
	UT_hash_handle hh;
	const char *key, *check, *thing, *name, *message, *case_id;
	int64_t id, opened, last_seen, opens, hidden, unseen, settling;
	enum ibc_severity severity;
	enum ibc_case_state state;
	bool closed, present, known;
};

/*
 * struct recording - one run
 * @sql: the history; @run: its number there
 * @known: incidents by key
 * @states, @settling: of the case that is being seen: how many of its incidents are in each
 *	state, and how many runs have seen the oldest of those that are not settled
 * @escape: where the arena of the store leaves to without memory
 */
struct recording {
	struct ibc_store *store;
	struct sql *sql;
	int64_t run;
	const struct ibc_input *in;
	const struct ibc_fabric *before;
	const struct ibc_check *(*find_check)(const char *id);
	struct ibc_report *rep;
	struct incident *known;
	bool failed;
	unsigned int states[IBC_CASE_UNSETTLED + 1];
	int64_t settling;
	jmp_buf escape;
};

/* ---- what is remembered ------------------------------------------------------------- */

/* Of two of one key the later one counts: the other has ended. */
static void remember(struct recording *r, struct incident *i)
{
	struct incident *same;

	HASH_FIND_STR(r->known, i->key, same);
	if (same)
		HASH_DEL(r->known, same);
	HASH_ADD_KEYPTR(hh, r->known, i->key, strlen(i->key), i);
	if (!hash_added(i))
		longjmp(r->escape, 1);
}

/*
 * Of a check that has kinds also the id, which begins the same however many of its digits
 * are shown.  The others go on where another device takes the place: its id is another.
 */
static const char *key_of(const struct recording *r, const char *check, const char *thing,
                          const char *id)
{
	const struct ibc_check *c = r->find_check(check);

	return arena_printf(r->store->arena, "%s %s %.8s", check, thing, c && c->kinds ? id : "");
}

/* Those that are open, and those that could come back. */
static void load_incidents(struct recording *r)
{
#define COLUMNS                                                                                    \
	"SELECT id, check_id, thing, name, severity, opened, closed, opens, message, case_id,"     \
	" hidden, unseen, known, settling, last_seen FROM incident "
	sqlite3_stmt *row = sql_query(
	    r->sql, COLUMNS "WHERE closed > ?1 UNION ALL " COLUMNS "WHERE closed IS NULL", "i",
	    (int64_t)r->store->opts.now - r->store->opts.reopen_seconds);

	while (sql_row(r->sql, row)) {
		struct arena *a = r->store->arena;
		struct incident *i = arena_alloc(a, sizeof(*i));

		i->id = sqlite3_column_int64(row, 0);
		i->check = sql_text(r->sql, a, row, 1);
		i->thing = sql_text(r->sql, a, row, 2);
		i->name = sql_text(r->sql, a, row, 3);
		i->severity = (enum ibc_severity)sql_between(r->sql, row, 4, IBC_OK, IBC_CRITICAL);
		i->opened = sqlite3_column_int64(row, 5);
		i->closed = sqlite3_column_type(row, 6) != SQLITE_NULL;
		i->opens = sqlite3_column_int64(row, 7);
		i->message = sql_text(r->sql, a, row, 8);
		i->case_id = sql_text(r->sql, a, row, 9);
		i->hidden = sqlite3_column_int64(row, 10);
		i->unseen = sqlite3_column_int64(row, 11);
		i->known = sqlite3_column_int(row, 12);
		i->settling = sqlite3_column_int64(row, 13);
		i->last_seen = sqlite3_column_int64(row, 14);
		/* a hook may make an address or a name of it */
		if (!i->check || !i->thing || !i->name || !i->message || !i->case_id ||
		    !ibc_is_case_id(i->case_id)) {
			sql_damaged(r->sql);
			return;
		}
		i->key = key_of(r, i->check, i->thing, i->case_id);
		remember(r, i);
	}
}

/* ---- what is there now ---------------------------------------------------------------- */

static void put_event(struct recording *r, const struct incident *i, const char *kind,
                      const char *message)
{
	sql_run(r->sql, "INSERT OR REPLACE INTO event VALUES(?, ?, ?, ?, ?)", "iiitt", i->id,
	        r->run, (int64_t)r->store->opts.now, kind, message);
}

/*
 * Is it to be reported?  Who accepted it before it came knows; one that came again is no fault
 * that heals by itself; and a clock that went back must not put it off for long.
 * @was_known: in the last run, which is why nothing was said of it then.
 */
static void settle(struct recording *r, struct incident *i, bool was_known)
{
	const struct ibc_store_opts *opts = &r->store->opts;
	int64_t age = (int64_t)opts->now - i->opened;

	if (!i->settling) {
		if (was_known && !i->known && i->state == IBC_CASE_OPEN)
			i->state = IBC_CASE_WORSE;
	} else if (!i->known &&
	           (i->opens > 1 || age < 0 ||
	            (i->settling >= opts->settle_runs && age >= opts->settle_seconds))) {
		i->state = i->opens > 1 ? IBC_CASE_BACK : IBC_CASE_NEW;
		i->settling = 0;
	} else if (!i->known) {
		i->state = IBC_CASE_UNSETTLED;
	}
}

static void see_again(struct recording *r, struct incident *i, const struct ibc_finding *f,
                      bool root)
{
	enum ibc_severity then = i->severity;
	bool was_known = i->known;

	i->present = true;
	i->known = finding_is_known(f);
	i->state = IBC_CASE_OPEN;
	i->severity = f->severity;
	i->message = f->message;
	i->name = subject_name(r->store->arena, &f->subject);
	i->case_id = f->id;
	if (i->closed) {
		i->closed = false;
		i->opens++;
		i->state = IBC_CASE_BACK;
		/* what is gone again was there until then */
		i->opened = f->since ? (int64_t)f->since : i->opened;
		put_event(r, i, "reopened", i->message);
	}
	if (root)
		i->hidden = 0;
	else if (!i->hidden) {
		put_event(r, i, "merged", NULL);
		i->hidden = r->run;
	}
	if (i->severity != then)
		put_event(r, i, i->severity > then ? "worse" : "better", i->message);
	if (i->severity > then && i->state == IBC_CASE_OPEN)
		i->state = IBC_CASE_WORSE;
	i->settling += i->settling > 0;
	if (root)
		settle(r, i, was_known);
	sql_run(
	    r->sql,
	    "UPDATE incident SET name = ?, opened = ?, severity = ?, last_seen = ?, closed = NULL,"
	    " opens = ?, message = ?, advice = ?, known = ?, case_id = ?, hidden = ?,"
	    " unseen = 0, settling = ? WHERE id = ?",
	    "tiiiittitiii", i->name, i->opened, (int64_t)i->severity, (int64_t)r->store->opts.now,
	    i->opens, i->message, f->advice, (int64_t)i->known, i->case_id, i->hidden, i->settling,
	    i->id);
}

/* A consequence is reported with its cause. */
static void see_first(struct recording *r, const struct ibc_finding *f, const char *thing,
                      const char *key, bool root)
{
	struct arena *a = r->store->arena;
	struct incident *i = arena_alloc(a, sizeof(*i));
	int64_t now = (int64_t)r->store->opts.now;
	/* what is gone began when it was last seen */
	int64_t began = f->since ? (int64_t)f->since : now;

	*i = (struct incident){ .check = f->check,
		                .thing = arena_strdup(a, thing),
		                .name = subject_name(a, &f->subject),
		                .key = key,
		                .severity = f->severity,
		                .state = IBC_CASE_NEW,
		                .message = f->message,
		                .case_id = f->id,
		                .known = finding_is_known(f),
		                .opened = began,
		                .opens = 1,
		                .hidden = root ? 0 : r->run,
		                .settling = root,
		                .present = true };
	settle(r, i, false);
	sql_run(r->sql,
	        "INSERT INTO incident(check_id, thing, name, severity, opened, last_seen, opens,"
	        " message, advice, known, case_id, hidden, unseen, settling)"
	        " VALUES(?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, 0, ?)",
	        "tttiiittitii", i->check, i->thing, i->name, (int64_t)i->severity, began, now,
	        i->message, f->advice, (int64_t)i->known, i->case_id, i->hidden, i->settling);
	i->id = r->sql->failed ? 0 : sqlite3_last_insert_rowid(r->sql->handle);
	put_event(r, i, "opened", i->message);
	remember(r, i);
}

/* The incident of a finding; NULL: it has none. */
static struct incident *see(struct recording *r, const struct ibc_finding *f, bool root)
{
	const struct ibc_check *check = r->find_check(f->check);
	char thing[IBC_IDENTITY_MAX];
	struct incident *i;
	const char *key;

	/* what befell the memory itself is no fault of the fabric */
	if (f->severity <= IBC_INFO || !strcmp(f->check, "state.memory") ||
	    !strcmp(f->check, "fabric.lines") || !strcmp(f->check, "gone.unseen") || f->doubtful)
		return NULL;
	key = key_of(r, f->check, ibc_subject_identity(&f->subject, thing), f->id);
	HASH_FIND_STR(r->known, key, i);
	if (i && i->present)
		return i;
	if (i && (root || !i->closed))
		see_again(r, i, f, root);
	else if (root || (check && check->inputs & IBC_IN_TOTALS))
		/* a total is left by errors that were reported: no news when these cease */
		see_first(r, f, thing, key, root);
	HASH_FIND_STR(r->known, key, i);
	return i;
}

/* ---- what is not there any more ---------------------------------------------------------- */

/* "cable.alarm:bias": of which kind it is, its ID shows; the check alone where that is not known.
 */
static const char *part_of(const struct recording *r, const struct ibc_check *check,
                           const struct incident *i)
{
	char id[STR_GUID_MAX];

	for (size_t k = 0; check->words && check->words[k].word; k++) {
		str_from_guid(id, hash_fact(hash_case(i->check, i->thing), check->words[k].word));
		if (report_same_id(id + strlen("0x"), i->case_id))
			return arena_printf(r->store->arena, "%s:%s", i->check,
			                    check->words[k].word);
	}
	return i->check;
}

/* Checks leave out what a finding of another about the same thing explains; none of their own. */
static bool is_explained(const struct recording *r, const struct ibc_check *check,
                         const char *thing)
{
	const struct ibc_explainer *by;
	const struct ibc_finding *f;

	for (size_t i = 0; check->explained_by && (f = ibc_report_finding(r->rep, i)); i++) {
		for (by = check->explained_by; by->check && strcmp(by->check, f->check) != 0;)
			by++;
		if (by->check && strcmp(f->check, check->id) != 0 &&
		    (names_end_of(thing, &f->subject.near) || names_end_of(thing, &f->subject.far)))
			return true;
	}
	return false;
}

/* Does a port of it lead nowhere, or, of a thing that the last sweep had, do all lead as there? */
static bool is_unmended(const struct recording *r, const struct ibc_end *end, bool was_there)
{
	const struct ibc_node *node = ibc_fabric_node_by_guid(r->store->fabric, end->guid);
	const struct ibc_port *now, *then;
	bool same = node && was_there;

	for (unsigned int num = 1; node && (now = ibc_node_port(node, num)); num++) {
		if (end->has_port && num != end->port)
			continue;
		then = fabric_same_port(r->before, now);
		if (end->has_port && !now->peer)
			return true;
		same &= port_keeps_peer(then, now) || (then && !then->peer && !now->peer);
	}
	return same;
}

/*
 * What the symmetry of a tree showed is well only where the cabling has changed: else the
 * class is no longer formed, or the switch is no longer judged.
 */
static bool is_as_it_was(const struct recording *r, const struct incident *i)
{
	size_t n;
	const char *second = identity_far(i->thing, &n);
	const struct ibc_subnet *subnet = r->before ? ibc_fabric_subnet(r->before, 0) : NULL;
	bool was_there = subnet && i->last_seen >= (int64_t)subnet->time;
	struct ibc_end near, far;

	if (!parse_end(i->thing, n, &near) || !is_unmended(r, &near, was_there))
		return false;
	return !second || !parse_end(second, strlen(second), &far) ||
	       is_unmended(r, &far, was_there);
}

/* The run looked, and all is well; or it was taken away, moved or replaced. */
static bool has_ended(const struct recording *r, const struct ibc_check *check, const char *what,
                      const struct incident *i)
{
	const struct ibc_gone *g = r->store->gone;

	if (g && !strncmp(check->id, "gone.", strlen("gone.")))
		return !store_still_gone(r->store, check->id, i->thing);
	if (g && g->partial && !strncmp(i->thing, "fabric", strlen("fabric")))
		return false;
	if (check->inputs & IBC_IN_TREE && !ibc_attrs_has(check->needs, IBC_ATTR_LINK) &&
	    is_as_it_was(r, i))
		return false;
	return store_looked(r->in, r->before, check, what, i->thing);
}

/* An earlier version had it as one; its parts are incidents of their own now. */
static bool is_several(const struct recording *r, const struct incident *i)
{
	const struct view *v = r->rep->views;

	while (v && !view_has_id(r->rep, v, i->case_id))
		v = v->next;
	return v;
}

static void judge_absent(struct recording *r, struct incident *i)
{
	const struct ibc_check *check = r->find_check(i->check);
	const char *what = check ? part_of(r, check, i) : NULL;
	bool several;

	if (!check || !ibc_report_has_run(r->rep, what))
		return;
	several = is_several(r, i);
	if (!several && is_explained(r, check, i->thing)) {
		if (i->hidden)
			return;
		i->hidden = r->run;
		sql_run(r->sql, "UPDATE incident SET hidden = ? WHERE id = ?", "ii", i->hidden,
		        i->id);
		put_event(r, i, "merged", NULL);
	} else if (several || has_ended(r, check, what, i)) {
		i->closed = true;
		/* what was never reported is not reported as ended */
		i->state = several || i->settling ? IBC_CASE_UNKNOWN : IBC_CASE_GONE;
		sql_run(r->sql,
		        "UPDATE incident SET closed = ?, hidden = 0, unseen = 0 WHERE id = ?", "ii",
		        (int64_t)r->store->opts.now, i->id);
		put_event(r, i, several ? "merged" : "closed", NULL);
	} else if (!i->unseen) {
		i->unseen = r->run;
		sql_run(r->sql, "UPDATE incident SET unseen = ? WHERE id = ?", "ii", i->unseen,
		        i->id);
		put_event(r, i, "not-looked", NULL);
	}
}

/* ---- while this host saw no switch ---------------------------------------------------------- */

/* Are all ports that its incidents name cabled again?  An adapter may have one that is not. */
static bool is_joined(const struct ibc_fabric *fab, const struct recording *island)
{
	const struct ibc_node *node;
	struct incident *i, *next;
	struct ibc_end end;

	HASH_ITER(hh, island->known, i, next) {
		if (i->closed || !parse_end(i->thing, strlen(i->thing), &end) || !end.has_port)
			continue;
		node = ibc_fabric_node_by_guid(fab, end.guid);
		if (!node || !ibc_node_port(node, end.port) || !ibc_node_port(node, end.port)->peer)
			return false;
	}
	return true;
}

/*
 * Without a switch this host was a fabric of its own (directory.c), which will not be seen again:
 * what was open there ends here, in that history, and is reported with what is gone here.  If
 * that history fails, this one does not; the next run tries again.
 */
static void join_island(struct recording *r, struct recording *island)
{
	struct incident *i, *next, *here;
	struct ibc_error err;

	if (!store_open_island(r->store, &err))
		return;
	island->sql = &r->store->island;
	island->run = sql_number(island->sql, "SELECT max(id) FROM run", "");
	load_incidents(island);
	if (!is_joined(r->store->fabric, island))
		return;
	HASH_ITER(hh, island->known, i, next) {
		HASH_DEL(island->known, i);
		if (i->closed)
			continue;
		judge_absent(island, i);
		HASH_FIND_STR(r->known, i->key, here);
		if (i->closed && !(here && here->present))
			remember(r, i);
	}
}

/* ---- what a report says of the past of its cases, and which of them are gone ---- */

static void case_adds(struct recording *r, struct ibc_case *c, size_t finding,
                      const struct incident *i)
{
	time_t now = r->store->opts.now;
	struct ibc_finding *f = report_own_finding(r->rep, c->findings[finding]);

	if (finding >= c->num_members || !i)
		return;
	f->state = i->state;
	f->since = (time_t)i->opened < now ? (time_t)i->opened : now; /* the clock went back */
	if (!c->since || f->since < c->since)
		c->since = f->since;
	if (i->opens > c->times)
		c->times = (unsigned int)i->opens;
	/* one of several that was accepted is no news of them */
	r->states[i->known && c->num_members > 1 ? IBC_CASE_OPEN : i->state]++;
	if (i->state == IBC_CASE_UNSETTLED && i->settling > r->settling)
		r->settling = i->settling;
}

/*
 * A new member makes an old case worse; it is new, or back, if all of it is.  Those that are
 * not settled have no part in it, unless there are no others.
 */
static void case_settles(struct recording *r, struct ibc_case *c)
{
	const struct ibc_store_opts *opts = &r->store->opts;
	const unsigned int *n = r->states;
	unsigned int all = n[IBC_CASE_NEW] + n[IBC_CASE_BACK] + n[IBC_CASE_WORSE] +
	                   n[IBC_CASE_OPEN];

	c->settling = NULL;
	if (!all && n[IBC_CASE_UNSETTLED]) {
		c->state = IBC_CASE_UNSETTLED;
		c->settling = opts->settle_runs
		                  ? arena_printf(r->rep->arena, "run %lld of %u",
		                                 (long long)r->settling, opts->settle_runs)
		                  : arena_printf(r->rep->arena, "%lld of %u min",
		                                 (long long)(opts->now - c->since) / 60,
		                                 (opts->settle_seconds + 59) / 60);
		r->failed |= !c->settling;
	} else if (!all)
		c->state = IBC_CASE_UNKNOWN;
	else if (n[IBC_CASE_OPEN] == all)
		c->state = IBC_CASE_OPEN;
	else if (n[IBC_CASE_NEW] == all)
		c->state = IBC_CASE_NEW;
	else
		c->state = n[IBC_CASE_BACK] == all ? IBC_CASE_BACK : IBC_CASE_WORSE;
	memset(r->states, 0, sizeof(r->states));
	r->settling = 0;
}

/* ---- those that are gone ------------------------------------------------------------ */

/* The end that a piece of an identity stands for, and what it was called. */
static struct ibc_end end_of(struct arena *a, const char *thing, size_t n, const char *name,
                             size_t length)
{
	const char *called = memrchr(name, '/', length);
	struct ibc_end end;

	parse_end(thing, n, &end);
	end.desc = arena_strndup(a, name,
	                         end.has_port && called ? (size_t)(called - name) : length);
	return end;
}

struct ibc_subject past_subject(struct arena *a, const char *thing, const char *name)
{
	const char *dash = strstr(thing, SEPARATOR), *between = strstr(name, SEPARATOR);
	struct ibc_subject s = { .kind = IBC_SUBJECT_FABRIC };

	if (!strcmp(thing, "fabric"))
		return s;
	if (!dash || !between) {
		s.near = end_of(a, thing, strlen(thing), name, strlen(name));
		s.kind = s.near.has_port   ? IBC_SUBJECT_PORT
		         : s.near.has_guid ? IBC_SUBJECT_NODE
		                           : IBC_SUBJECT_HOST;
		return s;
	}
	s.kind = IBC_SUBJECT_CABLE;
	s.near = end_of(a, thing, (size_t)(dash - thing), name, (size_t)(between - name));
	dash += strlen(SEPARATOR);
	between += strlen(SEPARATOR);
	s.far = end_of(a, dash, strlen(dash), between, strlen(between));
	return s;
}

static void case_gone(struct recording *r)
{
	struct incident *i, *next;
	struct ibc_report *rep = r->rep;
	size_t n = 0;

	HASH_ITER(hh, r->known, i, next)
		n += i->state == IBC_CASE_GONE;
	rep->num_gone = 0;
	rep->gone = arena_array(rep->arena, n, sizeof(*rep->gone));
	if (n && !rep->gone) {
		r->failed = true;
		return;
	}
	HASH_ITER(hh, r->known, i, next) {
		struct ibc_case *c = &rep->gone[rep->num_gone];

		if (i->state != IBC_CASE_GONE)
			continue;
		*c = (struct ibc_case){
			.id = report_keep(rep, i->case_id),
			.check = report_keep(rep, i->check),
			.severity = i->severity,
			.subject = past_subject(rep->arena, i->thing, i->name),
			.message = report_keep(rep, i->message),
			.num_members = 1,
			.state = IBC_CASE_GONE,
			.since = (time_t)i->opened,
			.times = (unsigned int)i->opens,
		};
		rep->num_gone++;
		r->failed |= c->subject.kind != IBC_SUBJECT_FABRIC && !c->subject.near.desc;
	}
	if (rep->num_gone)
		qsort(rep->gone, rep->num_gone, sizeof(*rep->gone), compare_cases);
	r->failed |= rep->failed;
}

/* ---- one run ----------------------------------------------------------------------------- */

/* Roots first: a finding that is one in any case is not hidden. */
static void see_cases(struct recording *r, bool roots)
{
	for (size_t n = 0; n < r->rep->num_cases; n++) {
		struct ibc_case *c = &r->rep->cases[n];
		size_t first = roots ? 0 : c->num_members;
		size_t end = roots ? c->num_members : c->num_findings;

		for (size_t i = first; i < end && i < c->num_findings; i++)
			case_adds(r, c, i, see(r, c->findings[i], roots));
		if (roots)
			case_settles(r, c);
	}
}

void store_incidents(struct ibc_store *store, const struct ibc_input *in,
                     const struct ibc_fabric *before,
                     const struct ibc_check *(*find_check)(const char *id), struct ibc_report *rep)
{
	struct recording *r = arena_alloc(store->arena, sizeof(*r));
	struct recording *island = arena_alloc(store->arena, sizeof(*island));
	jmp_buf *outer = arena_escape(store->arena, &r->escape);
	struct incident *i, *next;

	*r = (struct recording){ .store = store,
		                 .sql = &store->sql,
		                 .run = store->run,
		                 .in = in,
		                 .before = before,
		                 .find_check = find_check,
		                 .rep = rep };
	if (setjmp(r->escape)) {
		r->failed = true;
	} else {
		*island = *r;
		load_incidents(r);
		see_cases(r, true);
		see_cases(r, false);
		HASH_ITER(hh, r->known, i, next)
			if (!i->present && !i->closed)
				judge_absent(r, i);
		join_island(r, island);
		case_gone(r);
	}
	arena_escape(store->arena, outer);
	HASH_CLEAR(hh, r->known);
	HASH_CLEAR(hh, island->known);
	if (r->failed)
		sql_no_memory(r->sql);
}
