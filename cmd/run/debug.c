/* SPDX-License-Identifier: BSD-2-Clause */
/* --debug: decisions of the library, on stderr as they are made. */
#include <errno.h>
#include <string.h>

#include "cmd.h"

static void write_line(void *ctx, enum ibc_trace_topic topic, const char *text)
{
	(void)ctx;
	say_line(ibc_trace_topic_word(topic)->word, text);
}

int app_debug(struct app *app, struct ibc_error *err)
{
	const char *word = app->common.debug;
	const struct ibc_word *topic;

	app->trace.line = write_line;
	while (word) {
		size_t length = strcspn(word, ","), n = 0;
		unsigned int topics = 0;
		char list[128] = "";

		if (length == strlen(DEBUG_ALL) && !strncmp(word, DEBUG_ALL, length))
			topics = (1u << IBC_TRACE_TOPICS) - 1;
		for (unsigned int i = 0; (topic = ibc_trace_topic_word(i)); i++) {
			if (strlen(topic->word) == length && !strncmp(word, topic->word, length))
				topics = 1u << i;
			if (n < sizeof(list))
				n += (size_t)snprintf(list + n, sizeof(list) - n, "%s, ",
				                      topic->word);
		}
		if (!topics)
			return cmd_fail(err, -EINVAL,
			                "--debug: \"%.*s\" is not one of %s" DEBUG_ALL, (int)length,
			                word, list);
		app->trace.topics |= topics;
		word = word[length] ? word + length + 1 : NULL;
	}
	return 0;
}
