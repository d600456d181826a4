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

struct screen *screen_open(void)
{
	const char *no_color = getenv("NO_COLOR");
	struct screen *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	setlocale(LC_CTYPE, "");
	s->terminal = newterm(NULL, stdout, stdin);
	if (!s->terminal) {
		free(s);
		return NULL;
	}
	/* a line of stderr in the middle of the screen would destroy that */
	s->kept = memfd_create("ibcheck complaints", MFD_CLOEXEC);
	s->real = dup(STDERR_FILENO);
	if (s->kept >= 0 && s->real >= 0)
		dup2(s->kept, STDERR_FILENO);
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
	return s;
}

void screen_close(struct screen *s)
{
	char buf[4096];
	ssize_t n;

	endwin();
	delscreen(s->terminal);
	if (s->kept >= 0 && s->real >= 0) {
		dup2(s->real, STDERR_FILENO);
		lseek(s->kept, 0, SEEK_SET);
		while ((n = read(s->kept, buf, sizeof(buf))) > 0)
			if (write(STDERR_FILENO, buf, (size_t)n) < 0)
				break;
		close(s->kept);
		close(s->real);
	}
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
	int rows, width, n = 0, used = 0;

	screen_size(s, &rows, &width);
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
	attrset(attributes(look, selected));
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
