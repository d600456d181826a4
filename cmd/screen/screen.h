/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A terminal as rows of text, and its keys: the only file that knows of ncurses. */
#include <stdbool.h>
#include <stddef.h>

enum screen_look { LOOK_PLAIN, LOOK_HEAD, LOOK_BAD, LOOK_WARN, LOOK_GOOD, LOOK_DIM };

/* Keys beside the characters they write. */
enum screen_key {
	KEY_NONE, /* none was pressed in time */
	KEY_ESCAPE = 27,
	KEY_BACK = 127,
	KEY_RETURN = 256,
	KEY_ROW_UP,
	KEY_ROW_DOWN,
	KEY_SCREEN_UP,
	KEY_SCREEN_DOWN,
	KEY_FIRST,
	KEY_LAST,
	KEY_RESIZED,
};

/* There is one.  False: it can show nothing.  What is written to stderr meanwhile is kept. */
bool screen_open(void);
/* Leaves the terminal as it was; then stderr gets what was kept for it. */
void screen_close(void);
/* Empties it to be written on; screen_show() then shows what is new of it. */
void screen_clear(int *rows, int *columns);
/*
 * Writes text into so many columns from there, and blanks behind it.  What does not fit is cut,
 * and nothing in it reaches the terminal as anything but a character.
 */
void screen_put(int row, int column, int columns, enum screen_look look, bool selected,
                const char *text);
/* Bytes of a text that so many columns have room for, a character at least; *used: of them. */
int screen_fit(const char *text, int columns, int *used);
void screen_show(void);
/* A key, or KEY_NONE after so long. */
int screen_key(int milliseconds);
/* The last line that was written to stderr since the screen was opened; "": none. */
const char *screen_complaint(void);
