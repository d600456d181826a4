/* SPDX-License-Identifier: BSD-2-Clause */
/* What of an acceptance outlives the process: a file of its numbers, and a directory. */
#include "accept.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ports.h"

#define FILE_NAME "acceptance"
#define SECTION   "acceptance"
#define GAP       "unwatched" /* key of a gap: "FROM UNTIL WHY" */
#define MOST      1e12        /* seconds since 1970, or a hash: more is damage, and no time_t */

static const struct number {
	const char *key;
	size_t offset;
} numbers[] = {
#define NUMBER(key, field)                                                                         \
	{                                                                                          \
		key, offsetof(struct acceptance, field)                                            \
	}
	NUMBER("begun", begun),       NUMBER("last", last),
	NUMBER("for_seconds", asked), NUMBER("watched_seconds", watched),
	NUMBER("lost_seconds", lost), NUMBER("paused_seconds", paused),
	NUMBER("plan", plan),         NUMBER("samples", samples),
	NUMBER("failed", failed),     NUMBER("physical", physical),
};
#define NUMBER_AT(a, i) ((double *)(void *)((char *)(a) + numbers[i].offset))

/* ---- plans ---------------------------------------------------------------------------- */

/* FNV-1a of 32 bits, which a double holds: a plan that was edited is another one. */
static uint32_t hash_byte(uint32_t hash, int byte)
{
	return (hash ^ (uint32_t)byte) * 16777619;
}

static int hash_file(const char *path, uint32_t *hash, struct ibc_error *err)
{
	int byte, rc = 0, fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;
	FILE *file;

	if (fd >= 0 && !fstat(fd, &st) && !S_ISREG(st.st_mode)) {
		close(fd); /* a pipe would be empty the second time */
		return cmd_fail(err, -EINVAL, "%s is no file: a plan is read for each sweep", path);
	}
	file = fd < 0 ? NULL : fdopen(fd, "r");
	if (!file) {
		rc = cmd_fail(err, -EINVAL, "cannot open %s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return rc;
	}
	while ((byte = getc(file)) != EOF)
		*hash = hash_byte(*hash, byte);
	*hash = hash_byte(*hash, 0); /* two files are not one */
	if (ferror(file))
		rc = cmd_fail(err, -EIO, "cannot read %s: %s", path, strerror(errno));
	fclose(file);
	return rc;
}

int acceptance_plan(const struct str_list *files, const struct ibc_check_set *checks, double *plan,
                    struct ibc_error *err)
{
	uint32_t hash = 2166136261;
	const struct ibc_check *check;
	int rc = 0;

	for (size_t i = 0; !rc && i < files->n; i++)
		rc = hash_file(files->items[i], &hash, err);
	for (size_t i = 0; (check = ibc_check_at(i)); i++) {
		for (const char *c = check->id; checks->kinds[i] && *c; c++)
			hash = hash_byte(hash, *c);
		if (check->words)
			hash = hash_byte(hash, checks->kinds[i]);
	}
	*plan = hash;
	return rc;
}

/* ---- the file ------------------------------------------------------------------------- */

static int add_gap(struct acceptance *a, const struct acceptance_gap *gap, struct ibc_error *err)
{
	struct acceptance_gap *gaps = reallocarray(a->gaps, a->num_gaps + 1, sizeof(*gaps));

	if (!gaps)
		return cmd_fail(err, -ENOMEM, "out of memory");
	a->gaps = gaps;
	gaps[a->num_gaps++] = *gap;
	return 0;
}

static int read_pair(void *ctx, const char *section, const char *key, const char *value, int line,
                     struct ibc_error *err)
{
	struct acceptance *a = ctx;
	struct acceptance_gap gap = { 0 };
	bool ours = !strcmp(section, SECTION);
	long long from, until;
	int n = 0;
	char *end;

	(void)line;
	if (ours && !strcmp(key, GAP)) {
		if (sscanf(value, "%lld %lld %n", &from, &until, &n) != 2 || !n || from < 0 ||
		    until < from || (double)until > MOST)
			return cmd_fail(err, -EINVAL, GAP " is not two times and a reason");
		gap.from = (time_t)from;
		gap.until = (time_t)until;
		snprintf(gap.why, sizeof(gap.why), "%s", value + n);
		return add_gap(a, &gap, err);
	}
	for (size_t i = 0; ours && i < ARRAY_SIZE(numbers); i++) {
		double *number = NUMBER_AT(a, i);

		if (strcmp(key, numbers[i].key) != 0)
			continue;
		*number = strtod(value, &end);
		if (end == value || *end || !(*number >= 0 && *number <= MOST))
			return cmd_fail(err, -EINVAL, "%s is not a number: %s", key, value);
		return 0;
	}
	return cmd_fail(err, -EINVAL, "unknown key \"%s\" in [%s]", key, section);
}

int acceptance_save(const struct acceptance *a, struct ibc_error *err)
{
	struct out out;
	int rc = out_open(&out, a->file, err);

	if (rc)
		return rc;
	fputs("# An unfinished \"ibcheck accept\": the same command goes on with it.\n"
	      "[" SECTION "]\n",
	      out.file);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		fprintf(out.file, "%s = %.3f\n", numbers[i].key, *NUMBER_AT(a, i));
	for (size_t i = 0; i < a->num_gaps; i++) {
		const struct acceptance_gap *gap = &a->gaps[i];

		fprintf(out.file, GAP " = %lld %lld ", (long long)gap->from, (long long)gap->until);
		for (const char *c = gap->why; *c; c++) /* inih takes a semicolon for a comment */
			fputc((unsigned char)*c < ' ' ? ' ' : *c == ';' ? ',' : *c, out.file);
		fputc('\n', out.file);
	}
	return out_end(&out, 0, err);
}

int acceptance_add_gap(struct acceptance *a, time_t until, const char *why, struct ibc_error *err)
{
	struct acceptance_gap *last = a->num_gaps ? &a->gaps[a->num_gaps - 1] : NULL;
	struct acceptance_gap gap = { .from = (time_t)a->last, .until = until };

	if (until < gap.from) /* the clock was set back */
		gap.until = gap.from;
	a->last = (double)gap.until;
	snprintf(gap.why, sizeof(gap.why), "%s", why);
	if (!last || last->until != gap.from || strcmp(last->why, gap.why) != 0)
		return add_gap(a, &gap, err);
	last->until = gap.until;
	return 0;
}

/* ---- begin, go on ---------------------------------------------------------------------- */

/* A name that contains the time, so that it is unique. */
static int name_files(struct acceptance *a, const char *state, struct ibc_error *err)
{
	time_t begun = (time_t)a->begun;
	char when[32] = "";
	struct tm tm;

	if (gmtime_r(&begun, &tm))
		strftime(when, sizeof(when), "%Y-%m-%dT%H%M%SZ", &tm);
	if (asprintf(&a->dir, "%s/accept-%s", state, when) < 0)
		a->dir = NULL;
	if (!a->dir || asprintf(&a->first, "%s/first.snap.zst", a->dir) < 0)
		a->first = NULL;
	return a->first ? 0 : cmd_fail(err, -ENOMEM, "out of memory");
}

int acceptance_open(struct acceptance *a, const char *state, bool restart, struct ibc_error *err)
{
	const struct acceptance asked = *a;
	struct ibc_error why = { "" };
	char was[TIME_TEXT];
	int rc, fd;

	a->held = ibc_dir_make(state, err);
	if (a->held < 0)
		return a->held;
	if (flock(a->held, LOCK_EX | LOCK_NB))
		return cmd_fail(err, -EBUSY, "another ibcheck accept runs in %s", state);
	if (asprintf(&a->file, "%s/" FILE_NAME, state) < 0) {
		a->file = NULL;
		return cmd_fail(err, -ENOMEM, "out of memory");
	}
	if (restart || faccessat(a->held, FILE_NAME, F_OK, AT_SYMLINK_NOFOLLOW)) {
		a->begun = a->last = (double)time(NULL);
		return name_files(a, state, err);
	}
	fd = ibc_file_open(a->held, FILE_NAME, O_RDONLY, 0, &why);
	if (fd < 0)
		return cmd_fail(err, fd, "cannot read %s: %s", a->file, why.text);
	rc = ini_read_open(fdopen(fd, "r"), a->file, read_pair, a, err);
	if (rc)
		return rc;
	if (!(a->begun > 0) || !(a->asked > 0))
		return cmd_fail(err, -EINVAL, "%s is no acceptance: --restart begins a new one",
		                a->file);
	if (fabs(a->asked - asked.asked) > 0.5)
		return cmd_fail(err, -EINVAL,
		                "the acceptance in %s is not over, and was for %s: go on with "
		                "that, or begin again with --restart",
		                state, duration_text(a->asked, was));
	if (a->plan != asked.plan)
		return cmd_fail(err, -EINVAL,
		                "the acceptance in %s is not over, and its plan or its checks were "
		                "others, or have been changed since: begin again with --restart",
		                state);
	a->resumed = true;
	return name_files(a, state, err);
}

/* ---- the sweep that it begins with: the last one is compared with it ------------------------- */

int acceptance_load(const struct app *app, struct ibc_fabric **first, struct ibc_error *err)
{
	const struct acceptance *a = app->own;
	struct ibc_error why = { "" }, reason = { "" };
	char opened[32];
	const char *path = opened;
	int dir, fd, rc;

	/* members of a group may share the state: no link of theirs is read */
	dir = openat(a->held, strrchr(a->dir, '/') + 1,
	             O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	fd = dir < 0 ? cmd_fail(&reason, -errno, "%s", strerror(errno))
	             : ibc_file_open(dir, strrchr(a->first, '/') + 1, O_RDONLY, 0, &reason);
	snprintf(opened, sizeof(opened), "/proc/self/fd/%d", fd);
	rc = fd < 0 ? cmd_fail(&why, fd, "cannot open %s: %s", a->first, reason.text)
	            : app_load(app, &path, 1, first, &why);
	if (fd >= 0)
		close(fd);
	if (dir >= 0)
		close(dir);
	return rc ? cmd_fail(err, rc, "%s cannot go on, --restart begins again: %s", a->dir,
	                     why.text)
	          : 0;
}

int acceptance_sweep(struct app *app, struct ibc_error *err)
{
	struct acceptance *a = app->own;
	struct ibc_attrs attrs = ibc_attrs_or(IBC_ATTRS(IBC_ATTR_PORT_COUNTERS),
	                                      ibc_attrs_of_group(IBC_ATTRS_PHYSICAL));
	struct ibc_fabric *first = NULL;
	const struct ibc_node *node;
	size_t n = 0, there = 0;
	int rc;

	app->how.physical = true;
	rc = app_sample(app, attrs, err);
	app->how.physical = app->common.physical;
	if (!rc && a->resumed) {
		rc = acceptance_load(app, &first, err);
		for (; !rc && (node = ibc_fabric_node(first, n)); n++)
			there += ibc_fabric_node_by_guid(app->fabric, node->guid) != NULL;
		/* as the memory has it: a fabric of which half is dark is the same */
		if (!rc && there * 2 < n)
			rc = cmd_fail(err, -EINVAL,
			              "%s is of another fabric, or most of it is down: %zu of its "
			              "%zu nodes are here; --restart begins again",
			              a->file, there, n);
	} else if (!rc) {
		a->physical = cables_known(app->fabric);
		rc = mkdirat(a->held, strrchr(a->dir, '/') + 1, 0755)
		         ? cmd_fail(err, -errno, "cannot make %s: %s", a->dir, strerror(errno))
		         : app_save(app, a->first, err);
	}
	ibc_fabric_free(first);
	ibc_fabric_free(app->fabric);
	app->fabric = NULL;
	return rc;
}

/* ---- the end ---------------------------------------------------------------------------- */

int acceptance_end(const struct acceptance *a, struct ibc_error *err)
{
	return unlinkat(a->held, FILE_NAME, 0)
	           ? cmd_fail(err, -errno, "cannot remove %s: %s", a->file, strerror(errno))
	           : 0;
}

void acceptance_free(struct app *app)
{
	struct acceptance *a = app->own;

	if (a->asked > 0 && a->held >= 0) /* else it was never begun */
		close(a->held);
	free(a->file);
	free(a->dir);
	free(a->first);
	free(a->gaps);
}
