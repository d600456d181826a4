/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <inttypes.h>
#include <setjmp.h>
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
#define LIST_BYTES      160    /* two lines of a terminal */
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

static bool is_padded(const char *digits, size_t n)
{
	return n > 1 && *digits == '0';
}

static int by_stem(const struct host_name *a, const struct host_name *z)
{
	int order = memcmp(a->text, z->text, a->stem < z->stem ? a->stem : z->stem);

	return order ?: order_u64(a->stem, z->stem) ?: order_u64(!!a->digits, !!z->digits);
}

/* Numbers by length, then as text. */
static int by_name(const void *va, const void *vz)
{
	const struct host_name *a = va, *z = vz;

	return by_stem(a, z) ?: order_u64(a->digits, z->digits)
	    ?: strcmp(a->text + a->stem, z->text + z->stem);
}

/* In order, each once; NULL: no memory. */
static struct host_name *sort_names(struct arena *a, const char *const *names, size_t *n)
{
	struct host_name *sorted = a ? arena_array(a, *n + 1, sizeof(*sorted)) : NULL;
	size_t kept = 0;

	if (!sorted)
		return NULL;
	for (size_t i = 0; i < *n; i++)
		sorted[i] = host_name_of(names[i]);
	qsort(sorted, *n, sizeof(*sorted), by_name);
	for (size_t i = 0; i < *n; i++)
		if (!kept || by_name(&sorted[kept - 1], &sorted[i]) != 0)
			sorted[kept++] = sorted[i];
	*n = kept;
	return sorted;
}

/* ---- fold --------------------------------------------------------------------------- */

/* A range that begins with a padded number keeps its length, another takes no padded one. */
static bool goes_on(const struct host_name *first, const struct host_name *last,
                    const struct host_name *next)
{
	return next->value == last->value + 1 &&
	       (is_padded(first->text + first->stem, first->digits)
	            ? next->digits == first->digits
	            : !is_padded(next->text + next->stem, next->digits));
}

/* Of names that have the stem in common "n[08-10,100]". */
static void fold_sorted(char *out, const struct host_name *h, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && by_stem(&h[i], &h[end]) == 0;)
			end++;
		out += sprintf(out, "%s%.*s%s", i ? "," : "", (int)h[i].stem, h[i].text,
		               end > i + 1 ? "[" : "");
		for (size_t k = i, last; k < end; k = last + 1) {
			for (last = k; last + 1 < end && goes_on(&h[k], &h[last], &h[last + 1]);)
				last++;
			out += sprintf(out, "%s%s", k > i ? "," : "", h[k].text + h[k].stem);
			if (last > k)
				out += sprintf(out, "-%s", h[last].text + h[last].stem);
		}
		if (end > i + 1)
			out += sprintf(out, "]");
	}
}

const char *folded_hosts(struct arena *a, const char *const *names, size_t n)
{
	struct host_name *sorted = sort_names(a, names, &n);
	size_t room = 1;
	char *text;

	for (size_t i = 0; sorted && i < n; i++)
		room += strlen(sorted[i].text) + strlen("[,]");
	text = sorted ? arena_alloc(a, room) : NULL;
	if (text)
		fold_sorted(text, sorted, n);
	return text;
}

const char *folded_names(struct arena *a, const char *const *names, size_t n)
{
	const char *list = folded_hosts(a, names, n);
	size_t cut = 0, depth = 0;

	if (!list || strlen(list) <= LIST_BYTES)
		return list;
	for (size_t i = 0; i < LIST_BYTES; i++) {
		depth += list[i] == '[';
		depth -= list[i] == ']';
		if (list[i] == ',' && !depth)
			cut = i;
	}
	return cut ? arena_printf(a, "%.*s and more", (int)cut, list)
	           : arena_printf(a, "%.*s...", LIST_BYTES, list);
}

char *ibc_hostlist_fold(const char *const *names, size_t n)
{
	struct arena *tmp = arena_new();
	const char *folded = tmp ? folded_hosts(tmp, names, n) : NULL;
	char *text = folded ? xalloc(strlen(folded) + 1) : NULL;

	if (text)
		strcpy(text, folded);
	arena_free(tmp);
	return text;
}

/* ---- parse --------------------------------------------------------------------------- */

/*
 * struct list_parser - what was read
 * @escape, @rc: where to go if it is no list, and why; 0: no memory
 * @name: the name at hand, as far as its brackets are settled
 */
struct list_parser {
	const char *text;
	struct arena *arena;
	const char **names;
	size_t n, room;
	char name[HOST_NAME_BYTES + PIECE];
	jmp_buf escape;
	int rc;
	struct ibc_error *err;
};

/* struct number_range - "08-10/2": numbers of at least @width digits */
struct number_range {
	uint64_t first, last, step;
	int width;
};

__attribute__((noreturn)) static void refuse(struct list_parser *p, const char *at, const char *why)
{
	p->rc = fail(p->err, -EINVAL, "host list, column %zu: %s", (size_t)(at - p->text) + 1, why);
	longjmp(p->escape, 1);
}

static uint64_t read_number(struct list_parser *p, const char **at)
{
	const char *begin = *at;
	size_t digits = strspn(begin, "0123456789");

	if (!digits || digits > DIGITS_MAX)
		refuse(p, begin,
		       digits ? "a number of more than 18 digits"
		              : "expected a number, as in n[1-3,5]");
	*at += digits;
	return strtoull(begin, NULL, 10);
}

static struct number_range read_range(struct list_parser *p, const char **at)
{
	const char *begin = *at, *end;
	struct number_range r = { .first = read_number(p, at), .step = 1 };
	size_t digits = (size_t)(*at - begin), more;

	r.last = r.first;
	r.width = is_padded(begin, digits) ? (int)digits : 1;
	if (**at != '-')
		return r;
	end = ++*at;
	r.last = read_number(p, at);
	more = (size_t)(*at - end);
	if ((is_padded(begin, digits) || is_padded(end, more)) && digits != more)
		refuse(p, begin, "the ends of a range are padded to different lengths");
	if (r.last < r.first)
		refuse(p, begin, "a range that runs backwards");
	if (**at == '/') {
		++*at;
		r.step = read_number(p, at);
		if (!r.step)
			refuse(p, *at - 1, "a step of 0");
	}
	return r;
}

static void expand(struct list_parser *p, const char *at, const char *end, size_t length);

/* Behind the "[": what follows the "]" is added to each of the numbers. */
static void expand_brackets(struct list_parser *p, const char *at, const char *end, size_t length)
{
	const char *close = memchr(at, ']', (size_t)(end - at));

	if (!close)
		refuse(p, at - 1, "a [ without its ]");
	if (close[1] == '[')
		refuse(p, close + 1, "brackets side by side");
	for (; at <= close; at++) {
		struct number_range r = read_range(p, &at);

		if (*at != ',' && at != close)
			refuse(p, at, "expected a number, as in n[1-3,5]");
		for (uint64_t v = r.first; v <= r.last; v += r.step) {
			int n = sprintf(p->name + length, "%0*" PRIu64, r.width, v);

			expand(p, close + 1, end, length + (size_t)n);
		}
	}
}

/* What is left of a name, behind the bytes that it has already. */
static void expand(struct list_parser *p, const char *at, const char *end, size_t length)
{
	for (; length < HOST_NAME_BYTES && at < end && *at != '['; at++) {
		if (isspace((unsigned char)*at))
			refuse(p, at, "a blank inside a name: put commas between names");
		if (strchr("!&^@*?", *at))
			refuse(p, at,
			       "groups, operators and wildcards are not read: expand the list with "
			       "\"nodeset -e\" first");
		if (*at == ']')
			refuse(p, at, "a ] without its [");
		p->name[length++] = *at;
	}
	if (length > HOST_NAME_BYTES || (at < end && *at != '['))
		refuse(p, at, "a name of more than 255 characters");
	if (at < end) {
		expand_brackets(p, at + 1, end, length);
		return;
	}
	if (p->n == HOSTS_MAX)
		refuse(p, at, "more than 262144 hosts");
	arena_grow(p->arena, &p->names, p->n, &p->room, sizeof(*p->names));
	p->names[p->n++] = arena_strndup(p->arena, p->name, length);
}

static void parse_names(struct list_parser *p)
{
	for (const char *at = p->text, *end;; at = end + 1) {
		const char *stop;

		/* a comma inside of brackets divides no names */
		end = at;
		for (bool inside = false; *end && (inside || *end != ','); end++)
			inside = *end == '[' || (inside && *end != ']');
		while (at < end && isspace((unsigned char)*at))
			at++;
		for (stop = end; stop > at && isspace((unsigned char)stop[-1]);)
			stop--;
		if (at == stop)
			refuse(p, at, "a name is missing");
		expand(p, at, stop, 0);
		if (!*end)
			break;
	}
}

/* The pointers and the texts are one piece. */
int ibc_hostlist_of(const char *const *names, size_t n, struct ibc_hostlist **out,
                    struct ibc_error *err)
{
	struct arena *tmp = arena_new();
	struct host_name *sorted = sort_names(tmp, names, &n);
	size_t size = sizeof(**out) + n * sizeof(char *);
	const char **to;
	char *text;

	for (size_t i = 0; sorted && i < n; i++)
		size += strlen(sorted[i].text) + 1;
	*out = sorted ? xalloc(size) : NULL;
	if (*out) {
		(*out)->names = to = (const char **)(*out + 1);
		(*out)->num = n;
		text = (char *)(to + n);
		for (size_t i = 0; i < n; i++) {
			to[i] = text;
			text = stpcpy(text, sorted[i].text) + 1;
		}
	}
	arena_free(tmp);
	return *out ? 0 : fail_nomem(err);
}

int ibc_hostlist_parse(const char *text, struct ibc_hostlist **out, struct ibc_error *err)
{
	struct arena *arena = arena_new();
	struct list_parser *p = arena ? arena_alloc(arena, sizeof(*p)) : NULL;
	int rc;

	*out = NULL;
	if (!p || setjmp(p->escape)) {
		rc = p && p->rc ? p->rc : fail_nomem(err);
		arena_free(arena);
		return rc;
	}
	p->text = text;
	p->arena = arena;
	p->err = err;
	arena_escape(arena, &p->escape);
	parse_names(p);
	rc = ibc_hostlist_of(p->names, p->n, out, err);
	arena_free(arena);
	return rc;
}

void ibc_hostlist_free(struct ibc_hostlist *list)
{
	free(list);
}
