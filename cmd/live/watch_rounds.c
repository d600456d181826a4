/* SPDX-License-Identifier: BSD-2-Clause */
/* The rounds of a watch: what is looked at, what is learned of each, the time between them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ibcheck/names.h>

#include "watch.h"

#define PIECE_SECONDS 0.1 /* of a wait: a signal, or a key, is noticed after that */

atomic_bool watch_stop, watch_reload;

/* ---- what is looked at: the whole fabric, or a thing that may vanish meanwhile ----------------
 */

/* Finds it in the last round; what is gone stays what it was. */
static int find_thing(struct watch *watch, struct ibc_error *err)
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

/* ---- rounds ---------------------------------------------------------------------------- */

void watch_settle(struct watch *watch, const struct app *settings)
{
	watch->cfg = settings->cfg;
	watch->thing = watch->app->args[0] ? watch->app->args[0] : settings->common.node;
	watch->interval = watch->cfg->interval_seconds;
}

bool watch_round(struct watch *watch)
{
	struct ibc_error why = { "" }, lost;
	int rc = again_sweep(watch->again, &why);
	char pace[TIME_TEXT];
	double interval;
	bool is_new;

	if (rc == -ECANCELED)
		return false;
	if (rc && !*why.text) /* its complaints are on stderr */
		cmd_fail(&why, rc, "what it reads cannot be used");
	pthread_mutex_lock(&watch->lock);
	if (!rc) {
		again_turn(watch->again);
		if (*watch->failure.text)
			log_say(watch, WATCH_RESUMED, "sweeps succeed again");
		watch->failure = (struct ibc_error){ "" };
		rc = find_thing(watch, watch->rounds ? &lost : &why);
		if (watch->rounds || !rc) {
			rc = log_round(watch, &why);
			if (!rc && !watch->out)
				rc = rates_fill(watch, &why);
			watch->rounds++;
		}
	}
	if (rc) {
		is_new = strcmp(watch->failure.text, why.text) != 0;
		watch->failure = why;
		if (is_new && watch->rounds)
			log_say(watch, WATCH_FAILED, "sweep failed: %s", why.text);
	}
	interval = watch->again->interval;
	duration_text(interval, pace);
	if (interval < watch->interval)
		log_say(watch, WATCH_FASTER, "sweeps every %s again", pace);
	else if (interval > watch->interval && !*watch->failure.text)
		log_say(watch, WATCH_SLOWER, "devices do not answer in time: next sweep after %s",
		        pace);
	watch->interval = interval;
	watch->turns++;
	pthread_mutex_unlock(&watch->lock);
	return !rc;
}

static void read_settings_again(struct watch *watch)
{
	struct ibc_error err = { "" };
	int rc;

	pthread_mutex_lock(&watch->lock);
	rc = again_reload(watch->again, &err);
	if (!rc) { /* another thing may be looked at now: what is known of the last one goes */
		watch_settle(watch, &watch->again->settings);
		again_set_interval(watch->again, watch->interval);
		watch->num_spots = 0;
		watch->thing_lost = 0;
	}
	if (rc)
		log_say(watch, WATCH_SETTINGS, "the configuration stays as it was: %s", err.text);
	else if (again_now(watch->again) && find_thing(watch, &err))
		log_say(watch, WATCH_SETTINGS, "the configuration was read again; but %s",
		        err.text);
	else
		log_say(watch, WATCH_SETTINGS,
		        "the configuration was read again; format and output stay until the next "
		        "start");
	if (watch->out) /* who asked for it waits for the answer, not for the next round */
		fflush(watch->out->file);
	pthread_mutex_unlock(&watch->lock);
}

bool watch_wait(struct watch *watch)
{
	for (;;) {
		double left;

		if (atomic_exchange(&watch_reload, false))
			read_settings_again(watch);
		if (watch_stop || (watch->cfg->count && watch->turns >= watch->cfg->count))
			return false;
		left = again_pause(watch->again);
		if (left <= 0 && !watch->frozen)
			return true;
		clock_wait(left > 0 && left < PIECE_SECONDS ? left : PIECE_SECONDS);
	}
}
