/* SPDX-License-Identifier: BSD-2-Clause */
/* The formats, and the one way through them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "render/writer.h"

const char *ibc_render_format(size_t i)
{
	const struct renderer *const *r = renderers;

	while (*r && i--)
		r++;
	return *r ? (*r)->name : NULL;
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
	const struct renderer *const *r = renderers;
	struct writer w = { .out = out, .opts = opts ? opts : &plain };
	int error;

	while (*r && strcmp((*r)->name, format) != 0)
		r++;
	if (!*r)
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
	error = write_report(&w, *r, rep);
	funlockfile(out);
	free(w.line);
	arena_free(w.arena);
	if (error == -ENOMEM)
		return fail_nomem(err);
	if (error)
		return fail(err, -EIO, "cannot write the report: %s", strerror(-error));
	return 0;
}
