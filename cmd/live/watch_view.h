/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "screen.h"
#include "watch.h"

/*
 * struct view - what a person sees of a watch
 * @order: of the rows, below VIEW_ORDERS
 * @filter: only rows and events with this in their text; @typing: it is being typed
 * @selected: the row; @at: what it is about, so that it stays selected when the order changes;
 *	nothing: the first row, whichever that is
 * @top: the first row on the screen
 * @shown: rows, in their order: of watch->rates
 * @page: rows that the screen has for them
 */
struct view {
	struct watch *watch;
	unsigned int order;
	char filter[64];
	bool typing, quit;
	size_t selected, top, num_shown, room, page;
	struct spot at;
	const struct rate **shown;
};

/* watch_draw.c */
#define VIEW_ORDERS 6
void view_draw(struct view *view);
