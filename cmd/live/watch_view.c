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

/* To a row that there is. */
static void move(struct view *v, long by)
{
	long to = (long)v->selected + by, last = (long)v->num_shown - 1;

	to = to > last ? last : to;
	v->selected = to < 0 ? 0 : (size_t)to;
	if (v->selected < v->num_shown)
		v->at = spot_of(v->shown[v->selected]->near);
}

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
	if (v->typing) {
		type(v, key);
		return;
	}
	switch (key) {
	case 'q':
		v->quit = true;
		break;
	case 's':
		v->order = (v->order + 1) % VIEW_ORDERS;
		break;
	case '/':
		v->typing = true;
		*v->filter = '\0';
		break;
	case KEY_ESCAPE:
	case KEY_BACK:
		*v->filter = '\0';
		break;
	case ' ':
		v->watch->frozen = !v->watch->frozen;
		break;
	case 'z':
		v->watch->again->rebase = true;
		log_say(v->watch, WATCH_START, "errors and flaps start from 0 here");
		break;
	case KEY_ROW_UP:
	case 'k':
		move(v, -1);
		break;
	case KEY_ROW_DOWN:
	case 'j':
		move(v, 1);
		break;
	case KEY_SCREEN_UP:
		move(v, -(long)v->page);
		break;
	case KEY_SCREEN_DOWN:
		move(v, (long)v->page);
		break;
	case KEY_FIRST:
		v->selected = 0;
		v->at = (struct spot){ 0 };
		break;
	case KEY_LAST:
		move(v, (long)v->num_shown);
		break;
	}
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

int watch_show(struct watch *watch, struct ibc_error *err)
{
	struct view view = { .watch = watch };
	unsigned int drawn = 0;
	int rc, key = KEY_RESIZED;
	struct timespec until;
	sigset_t all, before;
	pthread_t thread;

	if (!watch_round(watch)) /* what is wrong from the start is no news to wait for */
		return cmd_fail(err, -EIO, "%s", watch->failure.text);
	if (!screen_open())
		return -ENOTTY;
	/* signals are for this thread, which reads keys */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&thread, NULL, sweep, watch);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	while (!rc && !view.quit && !watch_stop) { /* draws what a round, or a key, has made new */
		pthread_mutex_lock(&watch->lock);
		if (key != KEY_NONE)
			press(&view, key);
		if (key != KEY_NONE || drawn != watch->turns)
			view_draw(&view);
		drawn = watch->turns;
		pthread_mutex_unlock(&watch->lock);
		screen_show();
		key = screen_key(KEY_MS);
	}
	screen_close();
	free(view.shown);
	if (rc)
		return cmd_fail(err, -rc, "cannot start a thread: %s", strerror(rc));
	/* a hook that is running is ended by the signal; a sweep that does not end is left behind
	 */
	watch_stop = true;
	pthread_kill(thread, SIGTERM);
	until = clock_after(CLOCK_REALTIME, END_SECONDS);
	if (pthread_timedjoin_np(thread, NULL, &until))
		_exit(ibc_severity_exit(IBC_UNKNOWN));
	return 0;
}
