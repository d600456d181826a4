/* SPDX-License-Identifier: BSD-2-Clause */
/* The switches that a topology.yaml of Slurm lists. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <yaml.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/utf8.h"
#include "source/slurmyaml.h"
#include "source/source.h"

/* 49,151 hosts, which a subnet has at the most, each on a line with a name of 64 bytes: twice */
#define BYTES_MAX    (8 << 20)
#define TROUBLE_TEXT 160 /* what libyaml says is shorter */

/* struct yaml_reader - @rc: why no more bytes came */
struct yaml_reader {
	struct text_file *text;
	yaml_document_t document;
	struct ibc_error *err;
	size_t bytes;
	int rc;
};

/* Behind blank lines and comments. */
bool slurm_is_yaml(const uint8_t *bytes, size_t n)
{
	bool comment = false;
	size_t i = 0;

	for (; i < n; i++) {
		comment = bytes[i] == '#' || (comment && bytes[i] != '\n');
		if (!comment && !(bytes[i] && strchr(" \t\r\n", bytes[i])))
			break;
	}
	return i < n && (bytes[i] == '-' || bytes[i] == '%');
}

static int feed(void *reader, unsigned char *buffer, size_t size, size_t *length)
{
	struct yaml_reader *r = reader;
	char *bytes;
	ssize_t n = text_block(r->text, size, &bytes, r->err);

	r->bytes += n > 0 ? (size_t)n : 0;
	if (r->bytes > BYTES_MAX)
		n = fail(r->err, -EINVAL, "%s: longer than %d MB, which no cluster's is",
		         text_name(r->text), BYTES_MAX >> 20);
	if (n > 0)
		memcpy(buffer, bytes, (size_t)n);
	r->rc = n < 0 ? (int)n : 0;
	*length = n < 0 ? 0 : (size_t)n;
	return n >= 0;
}

/* Of a mapping; NULL: it is none, or has no such key. */
static yaml_node_t *yaml_value(struct yaml_reader *r, yaml_node_t *node, const char *key)
{
	if (!node || node->type != YAML_MAPPING_NODE)
		return NULL;
	for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top;
	     p++) {
		yaml_node_t *k = yaml_document_get_node(&r->document, p->key);

		if (k && k->type == YAML_SCALAR_NODE &&
		    !strcmp((const char *)k->data.scalar.value, key))
			return yaml_document_get_node(&r->document, p->value);
	}
	return NULL;
}

/* NULL: there is none, or it is empty. */
static const char *yaml_text(struct yaml_reader *r, yaml_node_t *node, const char *key)
{
	yaml_node_t *value = yaml_value(r, node, key);

	if (!value || value->type != YAML_SCALAR_NODE || !*value->data.scalar.value)
		return NULL;
	utf8_scrub((char *)value->data.scalar.value);
	return (const char *)value->data.scalar.value;
}

/* The i-th of a sequence; NULL: it is none, or is not so long. */
static yaml_node_t *yaml_item(struct yaml_reader *r, yaml_node_t *node, size_t i)
{
	if (!node || node->type != YAML_SEQUENCE_NODE ||
	    i >= (size_t)(node->data.sequence.items.top - node->data.sequence.items.start))
		return NULL;
	return yaml_document_get_node(&r->document, node->data.sequence.items.start[i]);
}

static yaml_node_t *find_switches(struct yaml_reader *r)
{
	yaml_node_t *root = yaml_document_get_root_node(&r->document), *found = NULL, *topology;

	for (size_t i = 0; (topology = yaml_item(r, root, i)); i++) {
		yaml_node_t *switches = yaml_value(r, yaml_value(r, topology, "tree"), "switches");
		const char *by_default = yaml_text(r, topology, "cluster_default");

		if (switches && by_default && !strcasecmp(by_default, "true"))
			return switches;
		found = found ? found : switches;
	}
	return found;
}

/*
 * The line of the first alias, or of what it is in; 0: there is none.  What is used twice is one
 * node that has two parents, and a few of them can be more than any memory holds.
 */
static unsigned long find_alias(struct yaml_reader *r)
{
	yaml_node_t *nodes = r->document.nodes.start, *node;
	bool *used = xalloc((size_t)(r->document.nodes.top - nodes) + 1);
	unsigned long line = 0;

	r->rc = used ? 0 : fail_nomem(r->err);
	for (node = nodes; used && !line && node < r->document.nodes.top; node++) {
		bool list = node->type == YAML_SEQUENCE_NODE, map = node->type == YAML_MAPPING_NODE;
		const int *item = list  ? node->data.sequence.items.start
		                  : map ? (const int *)node->data.mapping.pairs.start
		                        : NULL;
		const int *end = list  ? node->data.sequence.items.top
		                 : map ? (const int *)node->data.mapping.pairs.top
		                       : NULL;

		for (; item != end && !line; item++) {
			line = used[*item] ? node->start_mark.line + 1 : 0;
			used[*item] = true;
		}
	}
	free(used);
	return line;
}

static int each_switch(struct yaml_reader *r,
                       void (*take)(void *ctx, const struct yaml_switch *entry), void *ctx)
{
	unsigned long alias = find_alias(r);
	yaml_node_t *switches = alias || r->rc ? NULL : find_switches(r), *item;

	if (alias)
		take(ctx,
		     &(struct yaml_switch){ .number = alias,
		                            .trouble = "an alias (*NAME) is in it: write it out" });
	if (alias || r->rc)
		return r->rc;
	if (!switches)
		return fail(
		    r->err, -EINVAL,
		    "%s: no tree of switches is in it, and other topologies are not compared",
		    text_name(r->text));
	for (size_t i = 0; (item = yaml_item(r, switches, i)); i++) {
		struct yaml_switch entry = { .number = item->start_mark.line + 1,
			                     .name = yaml_text(r, item, "switch"),
			                     .nodes = yaml_text(r, item, "nodes"),
			                     .children = yaml_text(r, item, "children") };

		if (!entry.name)
			entry = (struct yaml_switch){
				.number = entry.number,
				.trouble = "not a switch: expected \"switch: NAME\", and "
					   "\"nodes: LIST\" or \"children: LIST\"",
			};
		take(ctx, &entry);
	}
	return 0;
}

/* What is no YAML is told with its line. */
static int refuse_yaml(struct yaml_reader *r, const yaml_parser_t *parser,
                       void (*take)(void *ctx, const struct yaml_switch *entry), void *ctx)
{
	char text[TROUBLE_TEXT];
	bool at_context = parser->error == YAML_READER_ERROR;

	if (r->rc)
		return r->rc;
	if (parser->error == YAML_MEMORY_ERROR)
		return fail_nomem(r->err);
	snprintf(text, sizeof(text), "not understood as YAML: %s",
	         parser->problem ? parser->problem : "it does not end");
	take(ctx, &(struct yaml_switch){ .number = at_context ? parser->mark.line + 1
	                                                      : parser->problem_mark.line + 1,
	                                 .trouble = text });
	return 0;
}

int slurm_yaml_each(struct text_file *text,
                    void (*take)(void *ctx, const struct yaml_switch *entry), void *ctx,
                    struct ibc_error *err)
{
	struct yaml_reader r = { .text = text, .err = err };
	yaml_parser_t parser;
	int rc;

	if (!yaml_parser_initialize(&parser))
		return fail_nomem(err);
	yaml_parser_set_input(&parser, feed, &r);
	if (yaml_parser_load(&parser, &r.document)) {
		rc = each_switch(&r, take, ctx);
		yaml_document_delete(&r.document);
	} else {
		rc = refuse_yaml(&r, &parser, take, ctx);
	}
	yaml_parser_delete(&parser);
	return rc;
}
