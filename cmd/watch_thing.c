/* SPDX-License-Identifier: BSD-2-Clause */
/* What a watch looks at: the whole fabric, or a thing that may vanish meanwhile. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include <ibcheck/names.h>

#include "watch.h"

bool watch_wants(const struct watch *watch, struct spot spot)
{
	for (size_t i = 0; i < watch->num_spots; i++)
		if (watch->spots[i].guid == spot.guid &&
		    (!watch->spots[i].num || watch->spots[i].num == spot.num))
			return true;
	return !watch->thing;
}

/* What is gone stays what it was. */
int watch_find_thing(struct watch *watch, struct ibc_error *err)
{
	const struct app *now = again_now(watch->again);
	struct ibc_place *places;
	struct spot *spots;
	size_t n;
	int rc = watch->thing ? ibc_fabric_find(now->fabric, watch->thing, &places, &n, err) : 0;

	if (rc && !watch->thing_lost)
		watch->thing_lost = time(NULL);
	if (rc || !watch->thing)
		return rc;
	spots = calloc(n, sizeof(*spots));
	for (size_t i = 0; spots && i < n; i++)
		spots[i] = (struct spot){ places[i].node->guid, places[i].port };
	free(places);
	if (!spots)
		return cmd_fail(err, -ENOMEM, "out of memory");
	free(watch->spots);
	watch->spots = spots;
	watch->num_spots = n;
	watch->thing_lost = 0;
	return 0;
}
