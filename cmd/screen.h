/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CMD_SCREEN_H
#define CMD_SCREEN_H

/* A terminal as rows of text, and its keys: the only file that knows of ncurses. */
#include <stdbool.h>
#include <stddef.h>

struct screen;

enum screen_look { LOOK_PLAIN, LOOK_HEAD, LOOK_BAD, LOOK_WARN, LOOK_GOOD, LOOK_DIM };

/* Keys beside the characters they write. */
enum screen_key {
	KEY_NONE, /* nobody pressed one in time */
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

/* NULL: the terminal can show nothing.  What is written to stderr meanwhile is kept. */
struct screen *screen_open(void);
/* Leaves the terminal as it was; then stderr gets what was kept for it. */
void screen_close(struct screen *screen);
void screen_size(struct screen *screen, int *rows, int *columns);
/* An empty screen to write on; screen_show() then shows what is new of it. */
void screen_clear(struct screen *screen);
/*
 * Writes text into so many columns from there, and blanks behind it.  What does not fit is cut,
 * and nothing in it reaches the terminal as anything but a character.
 */
void screen_put(struct screen *screen, int row, int column, int columns, enum screen_look look,
                bool selected, const char *text);
/* Bytes of a text that so many columns have room for, a character at least; *used: of them. */
int screen_fit(const char *text, int columns, int *used);
void screen_show(struct screen *screen);
/* A key, or KEY_NONE after so long. */
int screen_key(struct screen *screen, int milliseconds);
/* The last line that was written to stderr since the screen was opened; "": none. */
const char *screen_complaint(struct screen *screen);

#endif
