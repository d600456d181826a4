/* SPDX-License-Identifier: BSD-2-Clause */
/* A person before a screen: keys, and a thread that sweeps meanwhile. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "watch_view.h"

#define KEY_MS      100 /* a wait for a key; so old is what is shown at the most */
#define END_SECONDS 1   /* for the sweep to end; its state is safe whenever the program ends */

/* ---- keys -------------------------------------------------------------------------------- */

static void press_quit(struct view *v)
{
	v->quit = true;
}

static void press_help(struct view *v)
{
	v->help = !v->help;
}

static void press_back(struct view *v)
{
	if (v->help)
		v->help = false;
	else if (v->opened.guid)
		v->opened = (struct spot){ 0 };
	else
		*v->filter = '\0';
}

static void press_order(struct view *v)
{
	v->order = (v->order + 1) % view_num_orders;
}

static void press_filter(struct view *v)
{
	v->typing = true;
	*v->filter = '\0';
}

static void press_freeze(struct view *v)
{
	v->frozen = !v->frozen;
	atomic_store(&v->watch->frozen, v->frozen);
}

static void press_zero(struct view *v)
{
	again_rebase(v->watch->again);
	log_say(v->watch, WATCH_START, "errors and flaps start from 0 here");
}

static void press_open(struct view *v)
{
	if (v->selected < v->num_shown)
		v->opened = spot_of(v->shown[v->selected]->near);
}

/* To a row that there is. */
static void move(struct view *v, long by)
{
	long to = (long)v->selected + by, last = (long)v->num_shown - 1;

	to = to > last ? last : to;
	v->selected = to < 0 ? 0 : (size_t)to;
	if (v->selected < v->num_shown)
		v->at = spot_of(v->shown[v->selected]->near);
}

static void press_up(struct view *v)
{
	move(v, -1);
}

static void press_down(struct view *v)
{
	move(v, 1);
}

static void press_page_up(struct view *v)
{
	move(v, -(long)v->page);
}

static void press_page_down(struct view *v)
{
	move(v, (long)v->page);
}

static void press_first(struct view *v)
{
	v->selected = 0;
	v->at = (struct spot){ 0 };
}

static void press_last(struct view *v)
{
	move(v, (long)v->num_shown);
}

/* Those with a label are shown by "?". */
static const struct view_key view_keys[] = {
	{ '?', "?", "show or hide this", press_help },
	{ 'q', "q", "quit", press_quit },
	{ 's', "s", "sort by the next column: errors, wait, utilisation, flaps, name",
	  press_order },
	{ '/', "/", "show only what has a text in it; Enter ends it, Esc clears it", press_filter },
	{ ' ', "Space", "freeze: no sweep until Space is pressed again", press_freeze },
	{ 'z', "z", "zero: count errors and flaps from now on", press_zero },
	{ KEY_RETURN, "Enter", "open the selected port", press_open },
	{ KEY_ESCAPE, "Esc", "back", press_back },
	{ KEY_ROW_UP, "Up, k", "previous row", press_up },
	{ KEY_ROW_DOWN, "Down, j", "next row", press_down },
	{ KEY_SCREEN_UP, "PgUp", "previous screen", press_page_up },
	{ KEY_SCREEN_DOWN, "PgDn", "next screen", press_page_down },
	{ KEY_FIRST, "Home", "first row, whichever that is", press_first },
	{ KEY_LAST, "End", "last row", press_last },
	{ 'k', NULL, NULL, press_up },
	{ 'j', NULL, NULL, press_down },
	{ KEY_BACK, NULL, NULL, press_back },
	{ 0 },
};

static void type(struct view *v, int key)
{
	size_t n = strlen(v->filter);

	if (key == KEY_RETURN || key == KEY_ESCAPE)
		v->typing = false;
	if (key == KEY_ESCAPE)
		*v->filter = '\0';
	else if (key == KEY_BACK && n)
		v->filter[n - 1] = '\0';
	else if (key >= ' ' && key < KEY_RETURN && key != KEY_BACK && n + 1 < sizeof(v->filter))
		v->filter[n] = (char)key;
}

static void press(struct view *v, int key)
{
	const struct view_key *k = v->keys;

	if (v->typing) {
		type(v, key);
		return;
	}
	while (k->press && k->key != key)
		k++;
	if (k->press)
		k->press(v);
}

/* ---- two threads ------------------------------------------------------------------------ */

static void *sweep(void *ctx)
{
	struct watch *watch = ctx;

	while (watch_wait(watch))
		watch_round(watch);
	watch_stop = true;
	return NULL;
}

/* Signals are for the thread that reads keys. */
static int start_sweeps(struct watch *watch, pthread_t *thread, struct ibc_error *err)
{
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(thread, NULL, sweep, watch);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return rc ? cmd_fail(err, -rc, "cannot start a thread: %s", strerror(rc)) : 0;
}

/* A hook that is running is ended by the signal; whoever does not end is left behind. */
static void end_sweeps(pthread_t thread)
{
	struct timespec until;

	watch_stop = true;
	pthread_kill(thread, SIGTERM);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += END_SECONDS;
	if (pthread_timedjoin_np(thread, NULL, &until))
		_exit(ibc_severity_exit(IBC_UNKNOWN));
}

/* Draws what a round, or a key, has made new. */
static void look(struct view *v)
{
	unsigned int drawn = 0;
	int key = KEY_RESIZED;

	while (!v->quit && !watch_stop) {
		pthread_mutex_lock(&v->watch->lock);
		if (key != KEY_NONE)
			press(v, key);
		if (key != KEY_NONE || drawn != v->watch->turns)
			view_draw(v);
		drawn = v->watch->turns;
		pthread_mutex_unlock(&v->watch->lock);
		screen_show(v->screen);
		key = screen_key(v->screen, KEY_MS);
	}
}

int watch_show(struct watch *watch, struct ibc_error *err)
{
	struct view view = { .watch = watch, .keys = view_keys };
	pthread_t thread;
	int rc;

	if (!watch_round(watch)) /* what is wrong from the start is no news to wait for */
		return cmd_fail(err, -EIO, "%s", watch->failure.text);
	view.screen = screen_open();
	if (!view.screen)
		return -ENOTTY;
	rc = start_sweeps(watch, &thread, err);
	if (!rc) {
		look(&view);
		screen_close(view.screen);
		end_sweeps(thread);
	} else {
		screen_close(view.screen);
	}
	free(view.shown);
	return rc;
}
