/* SPDX-License-Identifier: BSD-2-Clause */
/* A terminal by ncurses: wide characters, colours where it has them. */
#include <curses.h>
#undef KEY_RESIZED

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

#include "screen.h"

#define ESCAPE_MS      50        /* between the bytes of one key, over a slow line */
#define COLUMNS_MAX    1024      /* no terminal is as wide */
#define COMPLAINTS_MAX (1 << 20) /* bytes that are kept: an hour of a line a second */

static SCREEN *terminal;
static int kept, real; /* what stands in place of stderr, which is the other meanwhile */

/* ---- stderr -------------------------------------------------------------------------- */

const char *screen_complaint(void)
{
	static char complaint[256];
	off_t end = kept < 0 ? 0 : lseek(kept, 0, SEEK_END), from;
	char *line;
	ssize_t n;

	if (end <= 0)
		return complaint;
	from = end < (off_t)sizeof(complaint) ? 0 : end - (off_t)sizeof(complaint) + 1;
	n = pread(kept, complaint, (size_t)(end - from), from);
	complaint[n > 0 ? n : 0] = '\0';
	while (n > 0 && complaint[n - 1] == '\n')
		complaint[--n] = '\0';
	line = strrchr(complaint, '\n');
	if (line)
		memmove(complaint, line + 1, strlen(line));
	if (end > COMPLAINTS_MAX && !ftruncate(kept, 0))
		lseek(kept, 0, SEEK_SET);
	return complaint;
}

/* ---- the terminal ---------------------------------------------------------------------- */

static const short colors[] = {
	[LOOK_BAD] = COLOR_RED, [LOOK_WARN] = COLOR_YELLOW, [LOOK_GOOD] = COLOR_GREEN
};

bool screen_open(void)
{
	const char *no_color = getenv("NO_COLOR");

	setlocale(LC_CTYPE, "");
	terminal = newterm(NULL, stdout, stdin);
	if (!terminal)
		return false;
	/* a line of stderr in the middle of the screen would destroy that */
	kept = memfd_create("ibcheck complaints", MFD_CLOEXEC);
	real = dup(STDERR_FILENO);
	if (kept >= 0 && real >= 0)
		dup2(kept, STDERR_FILENO);
	if (!(no_color && *no_color) && start_color() != ERR) {
		use_default_colors();
		for (short look = LOOK_BAD; look <= LOOK_GOOD; look++)
			init_pair(look, colors[look], -1);
	}
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	set_escdelay(ESCAPE_MS);
	curs_set(0);
	return true;
}

void screen_close(void)
{
	char buf[4096];
	ssize_t n;

	endwin();
	delscreen(terminal);
	if (kept < 0 || real < 0)
		return;
	dup2(real, STDERR_FILENO);
	lseek(kept, 0, SEEK_SET);
	while ((n = read(kept, buf, sizeof(buf))) > 0)
		if (write(STDERR_FILENO, buf, (size_t)n) < 0)
			break;
	close(kept);
	close(real);
}

void screen_clear(int *rows, int *columns)
{
	getmaxyx(stdscr, *rows, *columns);
	erase();
}

/*
 * The next character, the bytes and columns that it takes.  What is none of this locale, or
 * cannot be shown, is "?".
 */
static size_t next_char(const char *text, wchar_t *c, int *width)
{
	mbstate_t state = { 0 };
	size_t n = mbrtowc(c, text, MB_CUR_MAX, &state);
	bool whole = n && n <= MB_CUR_MAX;

	*width = whole && iswprint((wint_t)*c) ? wcwidth(*c) : -1;
	if (*width < 0) {
		*c = L'?';
		*width = 1;
	}
	return whole ? n : 1;
}

void screen_put(int row, int column, int columns, enum screen_look look, bool selected,
                const char *text)
{
	attr_t attrs = selected ? A_REVERSE : A_NORMAL;
	wchar_t wide[COLUMNS_MAX];
	int rows, width, n = 0, used = 0;

	getmaxyx(stdscr, rows, width);
	columns = column + columns > width ? width - column : columns;
	if (row < 0 || row >= rows || columns <= 0)
		return;
	while (*text && n < COLUMNS_MAX) {
		text += next_char(text, &wide[n], &width);
		if (used + width > columns)
			break;
		used += width;
		n++;
	}
	if (look == LOOK_DIM)
		attrs |= A_DIM;
	else if (look)
		attrs |= A_BOLD;
	if (look && look != LOOK_DIM && look != LOOK_HEAD && has_colors())
		attrs |= (attr_t)COLOR_PAIR(look);
	attrset(attrs);
	mvaddnwstr(row, column, wide, n);
	while (used < columns)
		mvaddch(row, column + used++, ' ');
	attrset(A_NORMAL);
}

int screen_fit(const char *text, int columns, int *used)
{
	int at = 0, width;
	wchar_t c;
	size_t n;

	for (*used = 0; text[at]; at += (int)n) {
		n = next_char(text + at, &c, &width);
		if (at && *used + width > columns)
			break;
		*used += width;
	}
	return at;
}

void screen_show(void)
{
	refresh();
}

/* ---- keys -------------------------------------------------------------------------------- */

int screen_key(int milliseconds)
{
	static const struct {
		int code, key;
	} keys[] = {
		{ ERR, KEY_NONE },
		{ '\r', KEY_RETURN },
		{ '\n', KEY_RETURN },
		{ KEY_ENTER, KEY_RETURN },
		{ KEY_UP, KEY_ROW_UP },
		{ KEY_DOWN, KEY_ROW_DOWN },
		{ KEY_PPAGE, KEY_SCREEN_UP },
		{ KEY_NPAGE, KEY_SCREEN_DOWN },
		{ KEY_HOME, KEY_FIRST },
		{ KEY_END, KEY_LAST },
		{ KEY_BACKSPACE, KEY_BACK },
		{ '\b', KEY_BACK },
		{ KEY_RESIZE, KEY_RESIZED },
	};
	int code;

	timeout(milliseconds);
	code = getch();
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].code == code)
			return keys[i].key;
	return code < KEY_RETURN ? code : KEY_NONE;
}
