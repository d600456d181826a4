/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKSNAP_H
#define MKSNAP_H

/* Small snapshots, and what becomes of them.  Include it after <cmocka.h>. */
#include "mkfab.h"
#include "mkfile.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define HEADER "{\"ibcheck_snapshot\":1,\"subnets\":[{}]}\n"
#define NODE   "{\"subnet\":0,\"guid\":\"0x1\",\"type\":2,\"num_ports\":2,\"ports\":["
#define END    "{\"end\":{\"nodes\":0,\"ports\":0,\"cables\":0}}\n"

static inline struct ibc_fabric *load(const char *bytes, size_t n)
{
	return fabric_of(read_snapshot, bytes, n);
}

/* The fabric, written and read again; frees it. */
static inline struct ibc_fabric *reload(struct ibc_fabric *fab)
{
	size_t n;
	char *bytes = bytes_of(fab, "snapshot", &n);
	struct ibc_fabric *again = load(bytes, n);

	free(bytes);
	ibc_fabric_free(fab);
	return again;
}

/* The bytes of a state; to be freed. */
static inline char *state_of(const struct ibc_fabric *fab, size_t *n)
{
	char *bytes = NULL;
	FILE *out = open_memstream(&bytes, n);

	assert_int_equal(write_state(fab, NULL, out, NULL), 0);
	fclose(out);
	return bytes;
}

static inline void refused(const char *text, const char *why)
{
	expect_refusal(read_snapshot, text, strlen(text), why);
}

/* A switch and two CAs, of which one is silent. */
static inline struct ibc_fabric *small(void)
{
	struct mkfab m = mkfab();

	mk_switch(m, 0x10, "leaf01", 3);
	mk_ca(m, 0x20, "host01 mlx5_0", 1);
	mk_ca(m, 0x30, "host02 mlx5_0", 1);
	cable(m, 0x10, 1, 0x20, 1);
	cable(m, 0x10, 2, 0x30, 1);
	port(m, 0x30, 1)->answers.answered = 0;
	return done(m);
}

#endif
