/* SPDX-License-Identifier: BSD-2-Clause */
/* Any file of keys is an error without a key in it, or is found again; the first byte chooses. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "source/source.h"
#include "source/sweep/keys.h"

static void expect(bool holds)
{
	if (!holds)
		abort();
}

/* The word where a key would be. */
static void expect_no_key(const char *error, const uint8_t *data, size_t size)
{
	char word[17];

	for (size_t i = 0; i + 16 <= size; i++) {
		memcpy(word, data + i, 16);
		word[16] = '\0';
		if (strspn(word, "0123456789abcdefABCDEF") == 16)
			expect(!strstr(error, word) || !strcmp(word, "0002c90300000001"));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum key_file file = size ? data[0] % KEY_FILES : 0;
	struct ibc_error err = { "" };
	struct arena *arena = arena_new();
	struct keys *keys = keys_new(arena, "fuzz");
	struct text_file *f;
	uint64_t found;

	expect(keys);
	if (size && text_open_bytes("fuzz", data + 1, size - 1, &f, NULL) == 0) {
		if (keys_parse(keys, file, f, &err) == 0) {
			expect(!keys_find(keys, file, 0, 1, &found));
			keys_find(keys, file, 0x2c90300000001, file == KEYS_NEIGHBORS, &found);
		} else {
			expect_no_key(err.text, data + 1, size - 1);
		}
		text_close(f);
	}
	arena_free(arena);
	return 0;
}
