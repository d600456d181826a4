/* SPDX-License-Identifier: BSD-2-Clause */
/* The rounds of a watch: what is learned of each, and the time between them. */
#include <errno.h>
#include <string.h>

#include "watch.h"

#define DEFAULT_SECONDS 1   /* a sweep of the largest fabrics takes less */
#define PIECE_SECONDS   0.1 /* of a wait: a signal, or a key, is noticed after that */

atomic_bool watch_stop, watch_reload;

void watch_settle(struct watch *watch, const struct app *settings)
{
	watch->cfg = settings->cfg;
	watch->thing = watch->app->args[0] ? watch->app->args[0] : settings->common.node;
	watch->interval = watch->cfg->interval_seconds > 0 ? watch->cfg->interval_seconds
	                                                   : DEFAULT_SECONDS;
}

static void say_pace(struct watch *watch)
{
	double interval = again_interval(watch->again);
	char text[TIME_TEXT];

	if (interval == watch->interval)
		return;
	time_text(interval, text);
	if (interval < watch->interval)
		log_say(watch, WATCH_FASTER, "sweeps every %s again", text);
	else if (!*watch->failure.text)
		log_say(watch, WATCH_SLOWER, "devices do not answer in time: next sweep after %s",
		        text);
	watch->interval = interval;
}

static void say_failure(struct watch *watch, const struct ibc_error *why)
{
	bool is_new = strcmp(watch->failure.text, why->text) != 0;

	watch->failure = *why;
	if (is_new && watch->rounds)
		log_say(watch, WATCH_FAILED, "sweep failed: %s", why->text);
}

static int learn(struct watch *watch, struct ibc_error *err)
{
	struct ibc_error ignored;
	int rc;

	again_turn(watch->again);
	if (*watch->failure.text)
		log_say(watch, WATCH_RESUMED, "sweeps succeed again");
	watch->failure = (struct ibc_error){ "" };
	rc = watch_find_thing(watch, watch->rounds ? &ignored : err);
	if (rc && !watch->rounds)
		return rc;
	rc = log_round(watch, err);
	if (!rc && !watch->out)
		rc = rates_fill(watch, err);
	watch->rounds++;
	return rc;
}

bool watch_round(struct watch *watch)
{
	struct ibc_error why = { "" };
	int rc = again_sweep(watch->again, &why);

	if (rc == -ECANCELED)
		return false;
	if (rc && !*why.text) /* its complaints are on stderr */
		cmd_fail(&why, rc, "what it reads cannot be used");
	pthread_mutex_lock(&watch->lock);
	if (!rc)
		rc = learn(watch, &why);
	if (rc)
		say_failure(watch, &why);
	say_pace(watch);
	watch->turns++;
	pthread_mutex_unlock(&watch->lock);
	return !rc;
}

/* What is looked at may be another thing now: of the last one nothing is kept. */
static int settle_again(struct watch *watch, struct ibc_error *err)
{
	int rc = again_reload(watch->again, err);

	if (rc)
		return rc;
	watch_settle(watch, again_settings(watch->again));
	again_set_interval(watch->again, watch->interval);
	watch->num_spots = 0;
	watch->thing_lost = 0;
	return 0;
}

static void read_settings_again(struct watch *watch)
{
	struct ibc_error err = { "" };

	pthread_mutex_lock(&watch->lock);
	if (settle_again(watch, &err))
		log_say(watch, WATCH_SETTINGS, "the configuration stays as it was: %s", err.text);
	else if (again_now(watch->again) && watch_find_thing(watch, &err))
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

static bool is_over(const struct watch *watch)
{
	return watch_stop || (watch->cfg->count && watch->turns >= watch->cfg->count);
}

bool watch_wait(struct watch *watch)
{
	double left;

	for (;;) {
		if (atomic_exchange(&watch_reload, false))
			read_settings_again(watch);
		left = again_pause(watch->again);
		if (is_over(watch) || (left <= 0 && !watch->frozen))
			return !is_over(watch);
		clock_wait(left > 0 && left < PIECE_SECONDS ? left : PIECE_SECONDS);
	}
}
