/* SPDX-License-Identifier: BSD-2-Clause */
#include "picture.h"

#include <errno.h>
#include <string.h>

int picture_of(const char *path, const char *colour, struct picture *out, struct ibc_error *err)
{
	const struct ibc_word *word;
	unsigned int i = 0;

	*out = (struct picture){ path, IBC_COLOUR_FAULTS };
	if (!colour)
		return 0;
	if (!path)
		return cmd_fail(err, -EINVAL, "--colour %s: give the file to draw with --svg",
		                colour);
	while ((word = ibc_colour_word(i)) && strcmp(word->word, colour) != 0)
		i++;
	if (!word)
		return cmd_fail(err, -EINVAL, "--colour: \"%s\" is not one of " PICTURE_COLOURS,
		                colour);
	out->colour = i;
	return 0;
}

struct ibc_attrs picture_needs(const struct picture *picture)
{
	return picture->path ? ibc_colour_needs(picture->colour) : IBC_ATTRS();
}

int picture_draw(struct app *app, const struct picture *picture, struct ibc_error *err)
{
	const struct ibc_matrix_opts opts = { picture->colour, app->before,     app->windows,
		                              app->places,     app->num_places, false };
	struct out out;
	int rc;

	if (!picture->path)
		return 0;
	rc = app_infer(app, err);
	if (!rc)
		rc = out_open(&out, picture->path, err);
	if (rc)
		return rc;
	rc = ibc_picture_svg(app->fabric, app->fattree, app->report, &opts, out.file, err);
	return out_end(&out, rc, err);
}
