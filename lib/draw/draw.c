/* SPDX-License-Identifier: BSD-2-Clause */
/* The formats of drawings, and the one way to them. */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "draw/draw.h"
#include "draw/scene.h"

static const struct artist {
	const char *format;
	void (*draw)(const struct scene *scene, FILE *out);
} artists[] = {
	{ "dot", draw_dot },
	{ "svg", draw_svg },
};

int drawing_end(FILE *out, struct ibc_error *err)
{
	if (!fflush(out) && !ferror(out))
		return 0;
	return fail(err, -EIO, "cannot write the drawing: %s", strerror(errno ? errno : EIO));
}

int ibc_fattree_draw(const struct ibc_fattree *tree, const struct ibc_report *rep,
                     const char *format, FILE *out, struct ibc_error *err)
{
	struct scene scene;
	struct arena *a;
	size_t i = 0;
	int rc;

	while (i < ARRAY_SIZE(artists) && strcmp(artists[i].format, format) != 0)
		i++;
	if (i == ARRAY_SIZE(artists))
		return fail(err, -EINVAL, "no such format of drawings: \"%s\"", format);
	a = arena_new();
	if (a && scene_make(a, tree, rep, &scene))
		rc = 0;
	else
		rc = fail_nomem(err);
	if (!rc) {
		errno = 0;
		artists[i].draw(&scene, out);
		rc = drawing_end(out, err);
	}
	arena_free(a);
	return rc;
}
