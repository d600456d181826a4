/* SPDX-License-Identifier: BSD-2-Clause */
/* The formats, and the one way through them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "render/writer.h"

/* clang-format off */
static const struct renderer {
	const char *name;
	void (*render)(struct writer *w, const struct ibc_report *rep);
} renderers[] = {
	{ "text", render_text },
	{ "json", render_json },
	{ "csv", render_csv },
	{ "html", render_html },
	{ "prometheus", render_prometheus },
	{ "nagios", render_nagios },
	{ "junit", render_junit },
};
/* clang-format on */

const char *ibc_render_format(size_t i)
{
	return i < ARRAY_SIZE(renderers) ? renderers[i].name : NULL;
}

/* 0, or negative errno; what is still in the stream's buffer can fail, too. */
static int write_report(struct writer *w, const struct renderer *r, const struct ibc_report *rep)
{

	if (setjmp(*arena_entry(w->arena)))
		return -ENOMEM;
	r->render(w, rep);
	if (w->error)
		return w->error;
	errno = 0;
	return fflush(w->out) || ferror(w->out) ? (errno ? -errno : -EIO) : 0;
}

int ibc_report_render(const struct ibc_report *rep, const char *format,
                      const struct ibc_render_opts *opts, FILE *out, struct ibc_error *err)
{
	static const struct ibc_render_opts plain;
	const struct renderer *r = renderers, *end = renderers + ARRAY_SIZE(renderers);
	struct writer w = { .out = out, .opts = opts ? opts : &plain };
	int error;

	while (r < end && strcmp(r->name, format) != 0)
		r++;
	if (r == end)
		return fail(err, -EINVAL, "no such format: \"%s\"", format);
	if (rep->failed)
		return fail_nomem(err);
	if (!rep->finished)
		return fail(err, -EINVAL, "the report is not finished");
	for (size_t i = 0; i < rep->num_findings; i++) /* what is in no case would not be seen */
		if (!rep->findings[i].in_case)
			return fail(err, -EINVAL, "the cases of the report were not looked for");
	w.arena = arena_new();
	if (!w.arena)
		return fail_nomem(err);
	/* locked once, not once a word */
	flockfile(out);
	error = write_report(&w, r, rep);
	funlockfile(out);
	free(w.line);
	arena_free(w.arena);
	if (error == -ENOMEM)
		return fail_nomem(err);
	if (error)
		return fail(err, -EIO, "cannot write the report: %s", strerror(-error));
	return 0;
}
