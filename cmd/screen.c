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

/*
 * @terminal: of ncurses
 * @kept: what stands in place of stderr, which is @real meanwhile
 */
struct screen {
	SCREEN *terminal;
	int kept, real;
	char complaint[256];
};

/* ---- stderr -------------------------------------------------------------------------- */

/* A line of it in the middle of the screen would destroy that. */
static void keep_complaints(struct screen *s)
{
	s->kept = memfd_create("ibcheck complaints", MFD_CLOEXEC);
	s->real = dup(STDERR_FILENO);
	if (s->kept >= 0 && s->real >= 0)
		dup2(s->kept, STDERR_FILENO);
}

static void give_complaints(struct screen *s)
{
	char buf[4096];
	ssize_t n;

	if (s->kept < 0 || s->real < 0)
		return;
	dup2(s->real, STDERR_FILENO);
	lseek(s->kept, 0, SEEK_SET);
	while ((n = read(s->kept, buf, sizeof(buf))) > 0)
		if (write(STDERR_FILENO, buf, (size_t)n) < 0)
			break;
	close(s->kept);
	close(s->real);
}

const char *screen_complaint(struct screen *s)
{
	off_t end = s->kept < 0 ? 0 : lseek(s->kept, 0, SEEK_END), from;
	char *line;
	ssize_t n;

	if (end <= 0)
		return s->complaint;
	from = end < (off_t)sizeof(s->complaint) ? 0 : end - (off_t)sizeof(s->complaint) + 1;
	n = pread(s->kept, s->complaint, (size_t)(end - from), from);
	s->complaint[n > 0 ? n : 0] = '\0';
	while (n > 0 && s->complaint[n - 1] == '\n')
		s->complaint[--n] = '\0';
	line = strrchr(s->complaint, '\n');
	if (line)
		memmove(s->complaint, line + 1, strlen(line));
	if (end > COMPLAINTS_MAX && !ftruncate(s->kept, 0))
		lseek(s->kept, 0, SEEK_SET);
	return s->complaint;
}

/* ---- the terminal ---------------------------------------------------------------------- */

static const short colors[] = {
	[LOOK_BAD] = COLOR_RED, [LOOK_WARN] = COLOR_YELLOW, [LOOK_GOOD] = COLOR_GREEN
};

static void start_colors(void)
{
	const char *no_color = getenv("NO_COLOR");

	if ((no_color && *no_color) || start_color() == ERR)
		return;
	use_default_colors();
	for (short look = LOOK_BAD; look <= LOOK_GOOD; look++)
		init_pair(look, colors[look], -1);
}

struct screen *screen_open(void)
{
	struct screen *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	setlocale(LC_CTYPE, "");
	s->terminal = newterm(NULL, stdout, stdin);
	if (!s->terminal) {
		free(s);
		return NULL;
	}
	keep_complaints(s);
	start_colors();
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	set_escdelay(ESCAPE_MS);
	curs_set(0);
	return s;
}

void screen_close(struct screen *s)
{
	endwin();
	delscreen(s->terminal);
	give_complaints(s);
	free(s);
}

void screen_size(struct screen *s, int *rows, int *columns)
{
	(void)s;
	getmaxyx(stdscr, *rows, *columns);
}

void screen_clear(struct screen *s)
{
	(void)s;
	erase();
}

/* How many characters of the text fit; *used: columns that they take. */
static int fit(wchar_t *text, int columns, int *used)
{
	int n = 0;

	for (*used = 0; text[n]; n++) {
		int width;

		if (!iswprint((wint_t)text[n]) || (width = wcwidth(text[n])) < 0) {
			text[n] = L'?';
			width = 1;
		}
		if (*used + width > columns)
			break;
		*used += width;
	}
	return n;
}

/* Bytes that are no character of this locale are "?". */
static void widen(const char *text, wchar_t wide[COLUMNS_MAX])
{
	mbstate_t state = { 0 };
	size_t n = 0, length;

	while (*text && n < COLUMNS_MAX - 1) {
		length = mbrtowc(&wide[n], text, strlen(text), &state);
		if (length > strlen(text)) {
			wide[n] = L'?';
			length = 1;
			memset(&state, 0, sizeof(state));
		}
		text += length;
		n++;
	}
	wide[n] = L'\0';
}

static attr_t attributes(enum screen_look look, bool selected)
{
	attr_t attrs = selected ? A_REVERSE : A_NORMAL;

	if (look == LOOK_HEAD)
		return attrs | A_BOLD;
	if (look == LOOK_DIM)
		return attrs | A_DIM;
	return look ? attrs | A_BOLD | (has_colors() ? (attr_t)COLOR_PAIR(look) : 0) : attrs;
}

void screen_put(struct screen *s, int row, int column, int columns, enum screen_look look,
                bool selected, const char *text)
{
	wchar_t wide[COLUMNS_MAX];
	int rows, width, n, used;

	screen_size(s, &rows, &width);
	columns = column + columns > width ? width - column : columns;
	if (row < 0 || row >= rows || columns <= 0)
		return;
	widen(text, wide);
	n = fit(wide, columns, &used);
	attrset(attributes(look, selected));
	mvaddnwstr(row, column, wide, n);
	while (used < columns)
		mvaddch(row, column + used++, ' ');
	attrset(A_NORMAL);
}

int screen_fit(const char *text, int columns, int *used)
{
	mbstate_t state = { 0 };
	int at = 0, width;
	wchar_t c;
	size_t n;

	for (*used = 0; text[at]; at += (int)n) {
		n = mbrtowc(&c, text + at, MB_CUR_MAX, &state);
		width = n > MB_CUR_MAX ? 1 : wcwidth(c);
		if (n > MB_CUR_MAX) {
			memset(&state, 0, sizeof(state));
			n = 1;
		}
		width = width < 0 ? 1 : width;
		if (at && *used + width > columns)
			break;
		*used += width;
	}
	return at;
}

void screen_show(struct screen *s)
{
	(void)s;
	refresh();
}

/* ---- keys -------------------------------------------------------------------------------- */

int screen_key(struct screen *s, int milliseconds)
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

	(void)s;
	timeout(milliseconds);
	code = getch();
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].code == code)
			return keys[i].key;
	return code < KEY_RETURN ? code : KEY_NONE;
}
