/* SPDX-License-Identifier: BSD-2-Clause */
/* Any file of another tool is an error, or each of its statements has words and a line. */
#include <stdlib.h>
#include <string.h>

#include <ibcheck/opinions.h>

#include "source/source.h"

static void expect(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ibc_opinions *all;
	struct text_file *f;

	expect(text_open_bytes("fuzz", data, size, &f, NULL) == 0);
	if (read_opinions(f, &all, NULL) == 0) {
		for (size_t i = 0; i < all->num; i++)
			expect(all->all[i].check && all->all[i].words && all->all[i].line &&
			       all->all[i].severity && ibc_tool_word(all->all[i].tool));
		for (size_t i = 0; i < all->num_strange && i < IBC_STRANGE_SHOWN; i++)
			expect(all->strange[i].text &&
			       (all->strange[i].line ||
			        !strcmp(all->strange[i].text, "(the file is empty)")));
	}
	ibc_opinions_free(all);
	text_close(f);
	return 0;
}
