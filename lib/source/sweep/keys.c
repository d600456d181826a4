/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of key files.  No message quotes a line: it holds a key.  A record that is cut
 * off would be a wrong key, so that numbers have all their digits, as opensm writes them.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/str.h"
#include "source/source.h"
#include "source/sweep/keys.h"

#define BLANKS   " \t"
#define PORT_MAX 254    /* IBA 14.2.5.3: 255 is none */
#define LID_MAX  0xbfff /* unicast (IBA 4.1) */

struct key_entry {
	uint64_t guid, value;
	unsigned long line;
	unsigned int port;
};

struct key_table {
	struct key_entry *entries;
	size_t num, room;
};

struct keys {
	struct arena *arena;
	const char *directory;
	uint64_t time;
	struct key_table tables[KEY_FILES];
};

#define KEY_OF_PORT "a port GUID and its key, each 0x and 16 hexadecimal digits"

static const struct key_form {
	const char *name;
	bool of_ports, of_lids, optional;
	const char *expected;
} forms[KEY_FILES] = {
	[KEYS_M] = { "guid2mkey", false, false, false, KEY_OF_PORT },
	[KEYS_NEIGHBORS] = { "neighbors", true, false, false,
	                     "two port GUIDs of 16 hexadecimal digits with a port number each, "
	                     "0x0002c90300000001:1" },
	[KEYS_VENDOR] = { "guid2vskey", false, false, true, KEY_OF_PORT },
	[KEYS_LIDS] = { "guid2lid", false, true, true,
	                "a port GUID of 16 hexadecimal digits, and its first and last LID" },
};

/* ---- one file ------------------------------------------------------------------ */

/* struct key_reader - of a file; its table has @form */
struct key_reader {
	struct text_file *text;
	struct arena *arena;
	const struct key_form *form;
	struct key_table *table;
};

/* "0x0002c90300000001", with ":1" behind it in neighbors */
static bool read_word(char *word, bool of_ports, uint64_t *number, unsigned int *port)
{
	char *colon = strchr(word, ':');
	uint64_t num = 0;

	if (of_ports != !!colon)
		return false;
	if (colon && str_u64(colon + 1, 0, PORT_MAX, &num))
		return false;
	if (colon)
		*colon = '\0';
	*port = (unsigned int)num;
	return strlen(word) == STR_GUID_MAX - 1 && str_guid(word, number) == 0;
}

static int read_key_line(void *reader, char *line, struct ibc_error *err)
{
	const struct key_reader *r = reader;
	const struct key_form *form = r->form;
	struct key_table *table = r->table;
	char *save, *of = strtok_r(line, BLANKS, &save), *what = strtok_r(NULL, BLANKS, &save);
	char *last = form->of_lids ? strtok_r(NULL, BLANKS, &save) : NULL;
	struct key_entry entry = { .line = text_line_number(r->text) };
	unsigned int far;
	uint64_t end;
	bool good = what && !strtok_r(NULL, BLANKS, &save) &&
	            read_word(of, form->of_ports, &entry.guid, &entry.port);

	if (!of)
		return 0;
	if (good && form->of_lids)
		good = last && str_u64(what, 1, LID_MAX, &entry.value) == 0 &&
		       str_u64(last, entry.value, LID_MAX, &end) == 0;
	else if (good)
		good = read_word(what, form->of_ports, &entry.value, &far);
	if (!good)
		return text_fail(r->text, err, "expected %s", form->expected);
	if (!arena_grow(r->arena, &table->entries, table->num, &table->room, sizeof(entry)))
		return fail_nomem(err);
	table->entries[table->num++] = entry;
	return 0;
}

static int by_end(const void *va, const void *vz)
{
	const struct key_entry *a = va, *z = vz;

	return order_u64(a->guid, z->guid) ?: order_u64(a->port, z->port);
}

/* In order of ends; that one has two values is an error. */
int keys_parse(struct keys *keys, enum key_file file, struct text_file *f, struct ibc_error *err)
{
	struct key_table *table = &keys->tables[file];
	struct key_reader r = { f, keys->arena, &forms[file], table };
	int rc = text_each_line(f, read_key_line, &r, err);
	const struct key_entry *e = table->entries;

	if (rc)
		return rc;
	if (table->num)
		qsort(table->entries, table->num, sizeof(*e), by_end);
	for (size_t i = 1; i < table->num; i++)
		if (by_end(&e[i - 1], &e[i]) == 0 && e[i - 1].value != e[i].value)
			return fail(err, -EINVAL, "%s: lines %lu and %lu contradict each other",
			            text_name(f), e[i - 1].line, e[i].line);
	if (table->num == 0 && !forms[file].optional)
		return fail(err, -EINVAL, "%s is empty", text_name(f));
	return 0;
}

/* ---- the directory --------------------------------------------------------------- */

struct keys *keys_new(struct arena *arena, const char *directory)
{
	struct keys *keys = arena_alloc(arena, sizeof(*keys));

	if (!keys)
		return NULL;
	keys->arena = arena;
	keys->directory = arena_strdup(arena, directory);
	return keys->directory ? keys : NULL;
}

int keys_read(const struct ibc_source_opts *opts, struct arena *arena, const struct keys **out,
              struct ibc_error *err)
{
	struct keys *keys = opts->key_files ? keys_new(arena, opts->key_files) : NULL;
	struct stat st;

	*out = keys;
	if (!keys)
		return opts->key_files ? fail_nomem(err) : 0;
	for (enum key_file file = 0; file < KEY_FILES; file++) {
		const char *path = arena_printf(arena, "%s/%s", keys->directory, forms[file].name);
		struct text_file *f;
		int rc = path ? text_open(path, &f, err) : fail_nomem(err);

		if (rc == -ENOENT && forms[file].optional)
			continue;
		if (rc)
			return rc;
		if (file == KEYS_M && stat(path, &st) == 0)
			keys->time = (uint64_t)st.st_mtime;
		rc = keys_parse(keys, file, f, err);
		text_close(f);
		if (rc)
			return rc;
	}
	/* opensm creates them so; whoever has the keys can reconfigure the fabric. */
	if (opts->complain && stat(keys->directory, &st) == 0 && st.st_mode & S_IXOTH)
		opts->complain(opts->complain_ctx,
		               &(struct ibc_complaint){
				   .file = keys->directory,
				   .sentence = "every user of this host can enter the directory of "
					       "keys; chmod 700 would keep them out",
				   .note = true,
			       });
	return 0;
}

const char *keys_directory(const struct keys *keys)
{
	return keys->directory;
}

uint64_t keys_time(const struct keys *keys)
{
	return keys->time;
}

bool keys_find(const struct keys *keys, enum key_file file, uint64_t guid, unsigned int port,
               uint64_t *out)
{
	const struct key_entry wanted = { .guid = guid, .port = port }, *found;
	const struct key_table *table = keys ? &keys->tables[file] : NULL;

	if (!table || !table->num || !guid)
		return false;
	found = bsearch(&wanted, table->entries, table->num, sizeof(wanted), by_end);
	if (found)
		*out = found->value;
	return found;
}
