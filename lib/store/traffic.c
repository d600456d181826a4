/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Data and wait of all ports: one row a day, with a column for each counter.  A column is the
 * codes of all ports by their number in the history, packed with zstd; the lowest bytes of all
 * codes come first, then the next, since only the higher ones are alike.
 */
#include <string.h>
#include <zstd.h>

#include "base/arena.h"
#include "store/store.h"

#define LEVEL      1 /* zstd's fastest: the lower bytes are noise, and do not get smaller */
#define CODE_BYTES 8 /* of a uint64_t */
#define AMOUNT_MAX (UINT64_MAX / 2 - 1) /* what a code has room for */

static const enum ibc_counter columns[] = {
	[TRAFFIC_WAIT] = IBC_XMIT_WAIT,
	[TRAFFIC_XMIT] = IBC_XMIT_DATA,
	[TRAFFIC_RCV] = IBC_RCV_DATA,
};

/* ---- codes: 0 nothing is known; else 1, and twice the amount, and 1 if it is at least that -- */

struct ibc_amount traffic_amount(uint64_t code)
{
	return (struct ibc_amount){ .known = code,
		                    .at_least = code && (code - 1) & 1,
		                    .n = code ? (code - 1) / 2 : 0 };
}

struct ibc_amount amount_sum(struct ibc_amount a, struct ibc_amount b)
{
	struct ibc_amount sum = { a.known || b.known, a.at_least || b.at_least, a.n + b.n };

	if (sum.n < a.n || sum.n > AMOUNT_MAX)
		return (struct ibc_amount){ true, true, AMOUNT_MAX };
	return sum;
}

/* ---- columns -------------------------------------------------------------------------- */

bool traffic_unpack(struct arena *a, sqlite3_stmt *row, int column, struct traffic_column *out)
{
	const void *packed = sqlite3_column_blob(row, column);
	size_t size = (size_t)sqlite3_column_bytes(row, column);
	unsigned long long length = packed ? ZSTD_getFrameContentSize(packed, size) : 0;

	out->n = 0;
	/* a damaged length is not believed */
	if (!length || length % CODE_BYTES || length / CODE_BYTES > TRAFFIC_PORTS_MAX)
		return false;
	if (length / CODE_BYTES > out->room) {
		out->bytes = arena_alloc(a, length);
		out->codes = arena_array(a, length / CODE_BYTES, sizeof(*out->codes));
		out->room = length / CODE_BYTES;
	}
	if (ZSTD_decompress(out->bytes, length, packed, size) != length)
		return false;
	out->n = length / CODE_BYTES;
	for (size_t port = 0; port < out->n; port++)
		out->codes[port] = out->bytes[port];
	for (unsigned int i = 1; i < CODE_BYTES; i++) {
		const unsigned char *plane = out->bytes + i * out->n;

		/* most high ones are zeros, all the same: is each the same as the next? */
		if (!plane[0] && !memcmp(plane, plane + 1, out->n - 1))
			continue;
		for (size_t port = 0; port < out->n; port++)
			out->codes[port] |= (uint64_t)plane[port] << 8 * i;
	}
	return true;
}

uint64_t traffic_code(const struct traffic_column *c, size_t port)
{
	return port < c->n ? c->codes[port] : 0;
}

static bool pack(struct arena *a, const uint64_t *codes, size_t n, struct sql_blob *out)
{
	size_t bound = ZSTD_compressBound(n * CODE_BYTES), size;
	unsigned char *bytes = arena_array(a, n, CODE_BYTES);
	void *packed = arena_alloc(a, bound);

	for (size_t i = 0; i < CODE_BYTES; i++)
		for (size_t port = 0; port < n; port++)
			bytes[i * n + port] = (unsigned char)(codes[port] >> 8 * i);
	size = ZSTD_compress(packed, bound, bytes, n * CODE_BYTES, LEVEL);
	*out = (struct sql_blob){ packed, size };
	return !ZSTD_isError(size);
}

/* ---- one run ---------------------------------------------------------------------------- */

void traffic_begin(struct traffic *t, struct ibc_store *store, size_t room)
{
	struct traffic_column column = { .n = 0 };
	sqlite3_stmt *row;

	*t = (struct traffic){ .store = store,
		               .room = room,
		               .day = (int64_t)store->opts.now / DAY,
		               .hours = 1 << (int64_t)store->opts.now % DAY / HOUR };
	for (int c = 0; c < TRAFFIC_COLUMNS; c++)
		t->codes[c] = arena_array(store->arena, room, sizeof(*t->codes[c]));
	row = sql_query(&store->sql, "SELECT wait, xmit, rcv, hours FROM traffic WHERE day = ?",
	                "i", t->day);
	while (sql_row(&store->sql, row)) {
		t->hours |= sqlite3_column_int64(row, TRAFFIC_COLUMNS);
		for (int c = 0; c < TRAFFIC_COLUMNS; c++) {
			if (!traffic_unpack(store->arena, row, c, &column) || column.n > room) {
				sql_damaged(&store->sql);
				continue;
			}
			memcpy(t->codes[c], column.codes, column.n * sizeof(*column.codes));
			t->n = column.n > t->n ? column.n : t->n;
		}
	}
}

void traffic_add(struct traffic *t, int64_t port, const struct ibc_delta *delta)
{
	if (port <= 0 || (size_t)port >= t->room)
		sql_damaged(&t->store->sql);
	for (int c = 0; c < TRAFFIC_COLUMNS && !t->store->sql.failed; c++) {
		uint32_t bit = BIT(columns[c]);
		struct ibc_amount more = { true, delta->at_least & bit, delta->value[columns[c]] };
		uint64_t *code = &t->codes[c][port];

		if (!(delta->known & bit))
			continue;
		more = amount_sum(traffic_amount(*code), more);
		*code = more.known ? 1 + 2 * more.n + more.at_least : 0;
		t->n = (size_t)port >= t->n ? (size_t)port + 1 : t->n;
		t->moved = true;
	}
}

void traffic_end(struct traffic *t)
{
	struct sql_blob packed[TRAFFIC_COLUMNS];

	if (!t->moved || t->store->sql.failed)
		return;
	for (int c = 0; c < TRAFFIC_COLUMNS; c++)
		if (!pack(t->store->arena, t->codes[c], t->n, &packed[c])) {
			sql_no_memory(&t->store->sql);
			return;
		}
	sql_run(&t->store->sql, "INSERT OR REPLACE INTO traffic VALUES(?, ?, ?, ?, ?)", "iibbb",
	        t->day, t->hours, &packed[TRAFFIC_WAIT], &packed[TRAFFIC_XMIT],
	        &packed[TRAFFIC_RCV]);
}
