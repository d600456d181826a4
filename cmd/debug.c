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

/* A word of the list as a set of topics; 0: it is none. */
static unsigned int topics_of(const char *word, size_t length)
{
	const struct ibc_word *topic;

	if (length == strlen(DEBUG_ALL) && !strncmp(word, DEBUG_ALL, length))
		return (1u << IBC_TRACE_TOPICS) - 1;
	for (unsigned int i = 0; (topic = ibc_trace_topic_word(i)); i++)
		if (strlen(topic->word) == length && !strncmp(word, topic->word, length))
			return 1u << i;
	return 0;
}

static int refuse(const char *word, size_t length, struct ibc_error *err)
{
	const struct ibc_word *topic;
	char list[128] = "";
	size_t n = 0;

	for (unsigned int i = 0; (topic = ibc_trace_topic_word(i)) && n < sizeof(list); i++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s, ", topic->word);
	return cmd_fail(err, -EINVAL, "--debug: \"%.*s\" is not one of %s" DEBUG_ALL, (int)length,
	                word, list);
}

int app_debug(struct app *app, struct ibc_error *err)
{
	const char *word = app->common.debug;

	app->trace.line = write_line;
	while (word) {
		size_t length = strcspn(word, ",");
		unsigned int topics = topics_of(word, length);

		if (!topics)
			return refuse(word, length, err);
		app->trace.topics |= topics;
		word = word[length] ? word + length + 1 : NULL;
	}
	return 0;
}
