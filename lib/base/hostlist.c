/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ibcheck/hostlist.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/folded.h"

#define DIGITS_MAX      18     /* longer numbers are text: 64 bits hold these */
#define HOST_NAME_BYTES 255    /* of a host name (RFC 1035) */
#define HOSTS_MAX       262144 /* of one list, as of Slurm */
#define PIECE           48     /* brackets, commas, and two numbers */

/* ---- order ------------------------------------------------------------------------ */

/* struct host_name - @stem bytes, and a number of @digits digits, or none, which ends it */
struct host_name {
	const char *text;
	size_t stem, digits;
	uint64_t value;
};

static struct host_name host_name_of(const char *text)
{
	struct host_name h = { .text = text, .stem = strlen(text) };

	while (h.stem && isdigit((unsigned char)text[h.stem - 1])) {
		h.stem--;
		h.digits++;
	}
	if (h.digits > DIGITS_MAX) {
		h.stem += h.digits;
		h.digits = 0;
	}
	h.value = h.digits ? strtoull(text + h.stem, NULL, 10) : 0;
	return h;
}

static bool is_padded_text(const char *digits, size_t n)
{
	return n > 1 && *digits == '0';
}

static bool is_padded(const struct host_name *h)
{
	return is_padded_text(h->text + h->stem, h->digits);
}

static int by_stem(const struct host_name *a, const struct host_name *z)
{
	int order = memcmp(a->text, z->text, a->stem < z->stem ? a->stem : z->stem);

	return order ? order : order_u64(a->stem, z->stem) ?: order_u64(!!a->digits, !!z->digits);
}

/* Numbers by length, then as text. */
static int by_name(const void *va, const void *vz)
{
	const struct host_name *a = va, *z = vz;
	int order = by_stem(a, z);

	if (!order)
		order = order_u64(a->digits, z->digits);
	return order ? order : strcmp(a->text + a->stem, z->text + z->stem);
}

/* In order, each once: into @sorted, which may be NULL. */
static void sort_names(const char *const *names, size_t *n, struct host_name *sorted)
{
	size_t kept = 0;

	for (size_t i = 0; sorted && i < *n; i++)
		sorted[i] = host_name_of(names[i]);
	if (sorted && *n)
		qsort(sorted, *n, sizeof(*sorted), by_name);
	for (size_t i = 0; sorted && i < *n; i++)
		if (!kept || by_name(&sorted[kept - 1], &sorted[i]) != 0)
			sorted[kept++] = sorted[i];
	*n = kept;
}

/* ---- fold --------------------------------------------------------------------------- */

/* A range that begins with a padded number keeps its length, another takes no padded one. */
static bool goes_on(const struct host_name *first, const struct host_name *last,
                    const struct host_name *next)
{
	return next->value == last->value + 1 &&
	       (is_padded(first) ? next->digits == first->digits : !is_padded(next));
}

/* "08-10,100" of names that have the stem in common */
static char *fold_numbers(char *out, const struct host_name *h, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && goes_on(&h[i], &h[end - 1], &h[end]);)
			end++;
		out += sprintf(out, "%s%s", i ? "," : "", h[i].text + h[i].stem);
		if (end > i + 1)
			out += sprintf(out, "-%s", h[end - 1].text + h[end - 1].stem);
	}
	return out;
}

static void fold_sorted(char *out, const struct host_name *h, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && by_stem(&h[i], &h[end]) == 0;)
			end++;
		out += sprintf(out, "%s%.*s", i ? "," : "", (int)h[i].stem, h[i].text);
		if (end == i + 1) {
			out += sprintf(out, "%s", h[i].text + h[i].stem);
			continue;
		}
		*out++ = '[';
		out = fold_numbers(out, &h[i], end - i);
		*out++ = ']';
	}
}

static size_t room_folded(const struct host_name *h, size_t n)
{
	size_t room = 1;

	for (size_t i = 0; i < n; i++)
		room += strlen(h[i].text) + strlen("[,]");
	return room;
}

const char *folded_hosts(struct arena *a, const char *const *names, size_t n)
{
	struct host_name *sorted = arena_array(a, n + 1, sizeof(*sorted));
	char *text;

	sort_names(names, &n, sorted);
	text = sorted ? arena_alloc(a, room_folded(sorted, n)) : NULL;
	if (text)
		fold_sorted(text, sorted, n);
	return text;
}

char *ibc_hostlist_fold(const char *const *names, size_t n)
{
	struct host_name *sorted = xalloc((n + 1) * sizeof(*sorted));
	char *text;

	sort_names(names, &n, sorted);
	text = sorted ? xalloc(room_folded(sorted, n)) : NULL;
	if (text)
		fold_sorted(text, sorted, n);
	free(sorted);
	return text;
}

/* ---- parse --------------------------------------------------------------------------- */

/*
 * struct list_parser - what was read
 * @name: the name at hand, as far as its brackets are settled
 */
struct list_parser {
	const char *text;
	struct arena *arena;
	const char **names;
	size_t n, room;
	char name[HOST_NAME_BYTES + PIECE];
	struct ibc_error *err;
};

/* struct number_range - "08-10/2": numbers of at least @width digits */
struct number_range {
	uint64_t first, last, step;
	int width;
};

static int refuse(const struct list_parser *p, const char *at, const char *why)
{
	return fail(p->err, -EINVAL, "host list, column %zu: %s", (size_t)(at - p->text) + 1, why);
}

static int read_number(const struct list_parser *p, const char **at, uint64_t *out)
{
	size_t digits = strspn(*at, "0123456789");

	if (!digits || digits > DIGITS_MAX)
		return refuse(p, *at,
		              digits ? "a number of more than 18 digits"
		                     : "expected a number, as in n[1-3,5]");
	*out = strtoull(*at, NULL, 10);
	*at += digits;
	return 0;
}

/* Behind its "-": the end, and how far apart they are. */
static int read_range_end(const struct list_parser *p, const char *begin, const char **at,
                          struct number_range *r)
{
	size_t digits = (size_t)(*at - begin);
	const char *end = ++*at;
	int rc = read_number(p, at, &r->last);
	bool padded = is_padded_text(begin, digits) || is_padded_text(end, (size_t)(*at - end));

	if (!rc && padded && digits != (size_t)(*at - end))
		return refuse(p, begin, "the ends of a range are padded to different lengths");
	if (!rc && r->last < r->first)
		return refuse(p, begin, "a range that runs backwards");
	if (rc || **at != '/')
		return rc;
	++*at;
	rc = read_number(p, at, &r->step);
	return rc || r->step ? rc : refuse(p, *at - 1, "a step of 0");
}

static int read_range(const struct list_parser *p, const char **at, struct number_range *r)
{
	const char *begin = *at;
	int rc = read_number(p, at, &r->first);
	size_t digits = (size_t)(*at - begin);

	r->last = r->first;
	r->step = 1;
	r->width = is_padded_text(begin, digits) ? (int)digits : 1;
	return rc || **at != '-' ? rc : read_range_end(p, begin, at, r);
}

static int add_name(struct list_parser *p, const char *at, size_t length)
{
	if (p->n == HOSTS_MAX)
		return refuse(p, at, "more than 262144 hosts");
	if (!arena_grow(p->arena, &p->names, p->n, &p->room, sizeof(*p->names)))
		return fail_nomem(p->err);
	p->names[p->n] = arena_strndup(p->arena, p->name, length);
	return p->names[p->n++] ? 0 : fail_nomem(p->err);
}

static int refuse_letter(const struct list_parser *p, const char *at)
{
	if (isspace((unsigned char)*at))
		return refuse(p, at, "a blank inside a name: put commas between names");
	if (strchr("!&^@*?", *at))
		return refuse(p, at,
		              "groups, operators and wildcards are not read: expand the list with "
		              "\"nodeset -e\" first");
	return strchr("[]", *at) ? refuse(p, at, "a ] without its [") : 0;
}

static int refuse_long(const struct list_parser *p, const char *at)
{
	return refuse(p, at, "a name of more than 255 characters");
}

static int expand(struct list_parser *p, const char *at, const char *end, size_t length);

static int expand_range(struct list_parser *p, const struct number_range *r, const char *rest,
                        const char *end, size_t length)
{
	int rc = 0;

	for (uint64_t v = r->first; !rc && v <= r->last; v += r->step) {
		int n = sprintf(p->name + length, "%0*" PRIu64, r->width, v);

		rc = expand(p, rest, end, length + (size_t)n);
	}
	return rc;
}

/* Behind the "[": what follows the "]" is added to each of the numbers. */
static int expand_brackets(struct list_parser *p, const char *at, const char *end, size_t length)
{
	const char *close = memchr(at, ']', (size_t)(end - at));
	struct number_range r = { 0 };
	int rc = 0;

	if (!close)
		return refuse(p, at - 1, "a [ without its ]");
	if (close[1] == '[')
		return refuse(p, close + 1, "brackets side by side");
	for (; !rc && at <= close; at++) {
		rc = read_range(p, &at, &r);
		if (!rc && *at != ',' && at != close)
			rc = refuse(p, at, "expected a number, as in n[1-3,5]");
		if (!rc)
			rc = expand_range(p, &r, close + 1, end, length);
	}
	return rc;
}

/* What is left of a name, behind the bytes that it has already. */
static int expand(struct list_parser *p, const char *at, const char *end, size_t length)
{
	int rc = length <= HOST_NAME_BYTES ? 0 : refuse_long(p, at);

	for (; !rc && at < end && *at != '['; at++) {
		rc = length < HOST_NAME_BYTES ? refuse_letter(p, at) : refuse_long(p, at);
		if (!rc)
			p->name[length++] = *at;
	}
	if (rc)
		return rc;
	return at < end ? expand_brackets(p, at + 1, end, length) : add_name(p, at, length);
}

/* A comma inside of brackets divides no names. */
static const char *end_of_name(const char *at)
{
	for (bool inside = false; *at && (inside || *at != ','); at++)
		inside = *at == '[' || (inside && *at != ']');
	return at;
}

static int parse_names(struct list_parser *p)
{
	int rc = 0;

	for (const char *at = p->text, *end; !rc; at = end + 1) {
		const char *stop = end = end_of_name(at);

		while (at < end && isspace((unsigned char)*at))
			at++;
		while (stop > at && isspace((unsigned char)stop[-1]))
			stop--;
		rc = at < stop ? expand(p, at, stop, 0) : refuse(p, at, "a name is missing");
		if (!*end)
			break;
	}
	return rc;
}

/* The pointers and the texts in one piece. */
static struct ibc_hostlist *list_of(const char *const *names, size_t n)
{
	struct host_name *sorted = xalloc((n + 1) * sizeof(*sorted));
	struct ibc_hostlist *list;
	size_t size = sizeof(*list);
	const char **to;
	char *text;

	sort_names(names, &n, sorted);
	size += n * sizeof(char *);
	for (size_t i = 0; sorted && i < n; i++)
		size += strlen(sorted[i].text) + 1;
	list = sorted ? xalloc(size) : NULL;
	if (list) {
		list->names = to = (const char **)(list + 1);
		text = (char *)(to + n);
		list->num = n;
		for (size_t i = 0; i < n; i++) {
			to[i] = text;
			text = stpcpy(text, sorted[i].text) + 1;
		}
	}
	free(sorted);
	return list;
}

int ibc_hostlist_of(const char *const *names, size_t n, struct ibc_hostlist **out,
                    struct ibc_error *err)
{
	*out = list_of(names, n);
	return *out ? 0 : fail_nomem(err);
}

int ibc_hostlist_parse(const char *text, struct ibc_hostlist **out, struct ibc_error *err)
{
	struct list_parser p = { .text = text, .arena = arena_new(), .err = err };
	int rc = p.arena ? parse_names(&p) : fail_nomem(err);

	*out = NULL;
	if (!rc)
		rc = ibc_hostlist_of(p.names, p.n, out, err);
	arena_free(p.arena);
	return rc;
}

void ibc_hostlist_free(struct ibc_hostlist *list)
{
	free(list);
}
