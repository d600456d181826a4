/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of ibdiagnet2.far, which "ibdiagnet -r" writes where switches route adaptively: their
 * groups of ports, and of each LID the static port and the group.
 *
 *	File version: 1
 *	Switch 0x0002c90000000030 ...
 *	Groups Definition:
 *	Group  Sub Group  WHBF  Ports
 *	-----
 *	0      0          0     1,2,3,
 *	LFT Definition:
 *	PLFT_NUM: 0, top: 0x1234
 *	LID     Static Port  Lid State  Group
 *	-----
 *	0x0001  17           Free       3
 *
 * No file of a real fabric was at hand: this is what a program expects that reads them
 * (Rapimt).  So another version is an error, of a switch with a line that is not understood
 * the adaptive table is not used, and nothing is guessed.  The ports of all sub-groups of a group
 *are its ports.  Of several LFTs of a switch (private LFTs) the first is read, and it is noted that
 *there are more.
 */
#include "source/ibdiagnet/farfile.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/error.h"
#include "fabric/build.h"
#include "source/netdiscover/netdiscover.h"
#include "source/source.h"
#include "source/tables/tableread.h"

#define VERSION_HEAD "File version:"
#define SWITCH_HEAD  "Switch "
#define GROUPS_HEAD  "Groups Definition"
#define LFT_HEAD     "LFT Definition"
#define PLFT_HEAD    "PLFT_NUM:"
#define SUB_GROUPS   256 /* AdaptiveRoutingInfo has their number in 8 bits */

/* What the lines are in. */
enum inside { NOTHING, SWITCH, GROUPS, LFT, FIRST_LFT, PRIVATE_LFT };

/*
 * struct far_reader
 * @has_whbf: the groups have this column
 * @has_first, @has_private: the table of this switch that is read; others
 * @defined: bits of the groups that this switch has
 * @block, @pending: the last block of entries, which is not in the tables yet
 */
struct far_reader {
	struct table_reader tables;
	bool has_whbf, has_first, has_private;
	uint64_t defined[IBC_AR_GROUPS / 64];
	size_t block;
	uint16_t pending[IBC_LFT_BLOCK];
};

static const struct {
	const char *word;
	enum ibc_ar_entry entry;
} states[] = {
	{ "Bounded", IBC_AR_ENTRY_BOUNDED },
	{ "Free", IBC_AR_ENTRY_FREE },
	{ "Static", IBC_AR_ENTRY_STATIC },
	{ "HBF", IBC_AR_ENTRY_HASH },
};

static bool begins(const char *line, const char *with)
{
	return strncmp(line, with, strlen(with)) == 0;
}

bool is_far(const uint8_t *bytes, size_t n)
{
	return n >= strlen(VERSION_HEAD) && begins((const char *)bytes, VERSION_HEAD);
}

static int not_understood(struct far_reader *far, const char *line)
{
	return table_lose(&far->tables, "not understood: \"%.60s\"", line);
}

/* ---- groups --------------------------------------------------------------------------- */

/* A number and what divides it from the next. */
static bool take_number(char **at, uint64_t max, uint64_t *out)
{
	if (!net_number(at, max, out) || !strchr(TABLE_BLANKS ",", **at))
		return false;
	*at += strspn(*at, TABLE_BLANKS ",");
	return true;
}

/* "0  0  0  1,2,3,": group, sub-group, perhaps WHBF, ports */
static int take_group(struct far_reader *far, char *line)
{
	struct table_reader *r = &far->tables;
	unsigned int most = r->node ? r->node->num_ports : IBC_NO_ENTRY - 1;
	struct ibc_port_set ports = { { 0 } };
	uint64_t group, ignored, port;
	char *at = line, *list, name[128];

	if (!take_number(&at, UINT32_MAX, &group) || !take_number(&at, SUB_GROUPS, &ignored) ||
	    (far->has_whbf && !take_number(&at, UINT32_MAX, &ignored)))
		return not_understood(far, line);
	if (group >= IBC_AR_GROUPS)
		return table_lose(&far->tables, "group %u, but a switch has %u at the most",
		                  (unsigned int)group, IBC_AR_GROUPS);
	far->defined[group / 64] |= 1ull << group % 64;
	for (list = at; *at;) {
		if (!take_number(&at, UINT32_MAX, &port))
			return not_understood(far, list);
		if (port == 0 || port > most)
			return table_lose(&far->tables,
			                  "a group has port %u, but %s has ports 1 to %u",
			                  (unsigned int)port, table_name(r, name), most);
		ports.words[port / 64] |= 1ull << port % 64;
	}
	if (r->out && r->node && !r->again)
		fabric_ar_group(r->build, r->out, r->column, (unsigned int)group, &ports);
	return 0;
}

/* ---- entries -------------------------------------------------------------------------- */

static void clear_pending(struct far_reader *far)
{
	for (size_t i = 0; i < IBC_LFT_BLOCK; i++)
		far->pending[i] = IBC_AR_ENTRY_STATIC << IBC_AR_ENTRY_SHIFT;
}

/* Puts what is pending into the tables, and what has no entry up to a block. */
static void put_blocks(struct far_reader *far, size_t before)
{
	struct table_reader *r = &far->tables;

	for (; far->block < before; far->block++) {
		if (r->out && r->node && !r->again)
			fabric_ar_block(r->build, r->out, r->column, far->block, far->pending);
		clear_pending(far);
	}
}

/* "Free       3": the state of a LID, and its group; false: it is not understood */
static bool take_state(char *at, uint16_t *entry)
{
	size_t length = strcspn(at, TABLE_BLANKS);
	uint64_t group = 0;

	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		if (strlen(states[i].word) != length ||
		    strncasecmp(at, states[i].word, length) != 0)
			continue;
		at += length;
		at += strspn(at, TABLE_BLANKS);
		*entry = (uint16_t)(states[i].entry << IBC_AR_ENTRY_SHIFT);
		if (states[i].entry == IBC_AR_ENTRY_STATIC)
			return true; /* whatever stands for its group */
		if (!take_number(&at, IBC_AR_GROUPS - 1, &group) || *at)
			return false;
		*entry |= (uint16_t)group;
		return true;
	}
	return false;
}

/* "0x0001  17  Free  3" */
static int take_lid(struct far_reader *far, char *line)
{
	struct table_reader *r = &far->tables;
	unsigned int group;
	uint64_t lid, port;
	uint16_t entry;
	char *at = line;

	if (!take_number(&at, UINT32_MAX, &lid) || !take_number(&at, IBC_NO_ENTRY, &port) ||
	    !take_state(at, &entry))
		return not_understood(far, line);
	if (table_entry(r, lid, (unsigned int)port))
		return 0;
	group = entry & ((1u << IBC_AR_ENTRY_SHIFT) - 1);
	/* without its definition a group would pass for a static entry */
	if (entry >> IBC_AR_ENTRY_SHIFT != IBC_AR_ENTRY_STATIC &&
	    !(far->defined[group / 64] >> group % 64 & 1))
		table_lose(&far->tables, "LID 0x%llx has group %u, which is not defined",
		           (unsigned long long)lid, group);
	put_blocks(far, lid / IBC_LFT_BLOCK);
	far->pending[lid % IBC_LFT_BLOCK] = entry;
	return 0;
}

/* ---- the beginning and the end of a switch -------------------------------------------- */

/* "PLFT_NUM: 0, top: 0x1234" */
static int begin_lft(struct far_reader *far, char *line)
{
	char *at = line + strlen(PLFT_HEAD), *top_at = strstr(line, "top:");
	struct table_reader *r = &far->tables;
	uint64_t number, top;

	at += strspn(at, TABLE_BLANKS);
	if (top_at)
		top_at += strlen("top:");
	if (top_at)
		top_at += strspn(top_at, TABLE_BLANKS);
	if (!net_number(&at, UINT8_MAX, &number) || !top_at ||
	    !net_number(&top_at, UINT16_MAX, &top))
		return not_understood(far, line);
	if (number || far->has_first) {
		far->has_private = true;
		r->inside = PRIVATE_LFT;
		return 0;
	}
	far->has_first = true;
	r->top = top < TABLE_LID_MAX ? (unsigned int)top : TABLE_LID_MAX;
	r->inside = FIRST_LFT;
	r->gap = false; /* what was lost before is of its groups */
	return 0;
}

/*
 * Nothing ends a table.  But where a table before went up to its top, this one does, and
 * what the switch has comes in order.  Where none did, the last of the file may be cut if
 * others go further: what it lacks behind its last entry is not known.
 */
static void end_switch(struct far_reader *far, bool last_of_file)
{
	struct table_reader *r = &far->tables;
	bool may_be_cut;
	char how[80];

	if (r->inside == NOTHING)
		return;
	if (last_of_file && text_was_cut(r->text) && r->last != r->top) {
		table_end_cut(r, "the last line has no end", r->last);
	} else if (!far->has_first || r->entries == 0) {
		table_end_cut(r, "it has no entry", 0);
	} else if (r->ends && r->last < r->top) {
		snprintf(how, sizeof(how), "it ends at LID %u, and its top is %u", r->last, r->top);
		table_end_cut(r, how, r->last);
	} else {
		if (r->last == r->top)
			r->ends = r->last;
		may_be_cut = last_of_file && !r->ends && r->last + 1 < r->num_lids;
		table_end(r, r->last, may_be_cut ? r->last + 1 : TABLE_WHOLE);
	}
	put_blocks(far, (r->num_lids + IBC_LFT_BLOCK - 1) / IBC_LFT_BLOCK);
	/* which group a lost line was about, or which LIDs, is not known */
	if (r->lost && r->out && r->node)
		fabric_ar_gap(r->build, r->out, r->column, IBC_AR_UNREAD);
	else if (far->has_private && r->out && r->node && !r->again)
		fabric_ar_private(r->build, r->out, r->column);
}

static void end_far(struct table_reader *r)
{
	end_switch((struct far_reader *)r, true);
}

/* ---- lines ---------------------------------------------------------------------------- */

/* Does a line have just these words, whatever blanks are between them? */
static bool is_of_words(const char *line, const char *words)
{
	while (*line && (*line == *words || (strchr(TABLE_BLANKS, *line) && *words == ' '))) {
		line += strchr(TABLE_BLANKS, *line) ? strspn(line, TABLE_BLANKS) : 1;
		words++;
	}
	return line[strspn(line, TABLE_BLANKS)] == '\0' && *words == '\0';
}

/* Headings, and lines that divide. */
static bool is_heading(struct far_reader *far, const char *line)
{
	if (far->tables.inside == GROUPS && begins(line, "Group")) {
		far->has_whbf = is_of_words(line, "Group Sub Group WHBF Ports");
		return far->has_whbf || is_of_words(line, "Group Sub Group Ports");
	}
	return begins(line, "LID") || line[strspn(line, "-" TABLE_BLANKS)] == '\0';
}

static int take_line(void *reader, char *line, struct ibc_error *err)
{
	struct far_reader *far = reader;
	struct table_reader *r = &far->tables;
	bool is_row;

	line += strspn(line, TABLE_BLANKS);
	if (*line == '\0' || *line == '#')
		return 0;
	if (r->inside == NOTHING && begins(line, VERSION_HEAD)) {
		const char *version = line + strlen(VERSION_HEAD);

		if (is_of_words(version + strspn(version, TABLE_BLANKS), "1"))
			return 0;
		return text_fail(r->text, err, "\"%.40s\", but only version 1 is understood", line);
	}
	if (begins(line, SWITCH_HEAD)) {
		end_switch(far, false);
		if (!table_guid(line, SWITCH_HEAD, &r->guid)) {
			table_lose(&far->tables, "expected \"" SWITCH_HEAD "0x...\"");
			return 0;
		}
		far->has_first = far->has_private = far->has_whbf = false;
		memset(far->defined, 0, sizeof(far->defined));
		far->block = 0;
		clear_pending(far);
		return table_begin(r, SWITCH, TABLE_LID_MAX, 0, err);
	}
	is_row = isdigit((unsigned char)*line);
	if (r->inside == SWITCH && begins(line, GROUPS_HEAD))
		r->inside = GROUPS;
	else if ((r->inside == SWITCH || r->inside == GROUPS) && begins(line, LFT_HEAD))
		r->inside = LFT;
	else if (r->inside >= LFT && begins(line, PLFT_HEAD))
		begin_lft(far, line);
	else if (is_heading(far, line) || r->inside == PRIVATE_LFT)
		return 0;
	else if (r->inside == GROUPS && is_row)
		take_group(far, line);
	else if (r->inside == FIRST_LFT && is_row)
		take_lid(far, line);
	else
		not_understood(far, line);
	return 0;
}

static const struct table_format far_format = {
	.contents = "ibdiagnet2.far with tables of switches",
	.take = take_line,
	.end = end_far,
};

int read_far(struct text_file *f, struct fabric_build *b, struct ibc_error *err)
{
	struct far_reader far = { .tables.format = &far_format };

	return tables_read(&far.tables, f, b, err);
}
