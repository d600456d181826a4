/* SPDX-License-Identifier: BSD-2-Clause */
/* Any text is an error, or a list that is the same once it is folded and read again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <ibcheck/hostlist.h>

static void expect(int holds)
{
	if (!holds)
		abort();
}

static void read_again(const struct ibc_hostlist *list)
{
	char *folded = ibc_hostlist_fold(list->names, list->num);
	struct ibc_hostlist *again = NULL;

	expect(folded && ibc_hostlist_parse(folded, &again, NULL) == 0);
	expect(again->num == list->num);
	for (size_t i = 0; i < list->num; i++)
		expect(!strcmp(again->names[i], list->names[i]));
	ibc_hostlist_free(again);
	free(folded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct ibc_hostlist *list;

	expect(text != NULL);
	if (ibc_hostlist_parse(text, &list, NULL) == 0)
		read_again(list);
	ibc_hostlist_free(list);
	free(text);
	return 0;
}
