/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKKEYS_H
#define MKKEYS_H

/*
 * A model whose ports have a key each, and the files a subnet manager would have of them:
 *
 *	struct rig r = rig(TWO_TIER);
 *
 *	protect(&r, 2);
 *	write_keys(&r, NULL);
 *	sweep_with_keys(&r);
 *
 * In the directory of mkroot.h.  Include it after <cmocka.h>.
 */
#include <inttypes.h>

#include "base/hash.h"
#include "mkrig.h"
#include "mkroot.h"
#include "source/sweep/keys.h"

/* The port whose GUID and keys a port has: of a switch port 0. */
static inline const struct ibc_port *keyed(const struct ibc_port *p)
{
	return p->node->type == IBC_NODE_SWITCH ? &p->node->ports[0] : p;
}

/* To tell from that of any other port. */
static inline uint64_t m_key_for(const struct ibc_port *p)
{
	return hash_mix(keyed(p)->guid);
}

static inline uint64_t v_key_for(const struct ibc_port *p)
{
	return hash_mix(~keyed(p)->guid);
}

static inline void protect(struct rig *r, unsigned int level)
{
	const struct ibc_port *p;

	for (size_t i = 0; (p = ibc_fabric_port(r->real, i)); i++) {
		((struct ibc_port *)p)->m_key_protect = (uint8_t)level;
		if (keyed(p) == p)
			*model_keys(r->model, p) = (struct model_keys){ m_key_for(p),
				                                        v_key_for(p) };
	}
}

/* As opensm writes them, but for one port, of which another key is written; NULL: for none. */
static inline void write_keys(const struct rig *r, const struct ibc_port *stale)
{
	FILE *keys, *v_keys, *neighbors, *lids;
	const struct ibc_port *p;

	keys = fopen(below_root("guid2mkey"), "w");
	v_keys = fopen(below_root("guid2vskey"), "w");
	neighbors = fopen(below_root("neighbors"), "w");
	lids = fopen(below_root("guid2lid"), "w");
	assert_true(keys && v_keys && neighbors && lids);
	for (size_t i = 0; (p = ibc_fabric_port(r->real, i)); i++) {
		if (keyed(p) == p)
			fprintf(keys, "0x%016" PRIx64 " 0x%016" PRIx64 "\n\n", p->guid,
			        m_key_for(p) ^ (p == stale));
		if (keyed(p) == p)
			fprintf(v_keys, "0x%016" PRIx64 " 0x%016" PRIx64 "\n\n", p->guid,
			        v_key_for(p));
		if (keyed(p) == p && p->lid)
			fprintf(lids, "0x%016" PRIx64 " 0x%04x 0x%04x\n\n", p->guid, p->lid,
			        p->lid);
		if (p->peer)
			fprintf(neighbors, "0x%016" PRIx64 ":%u 0x%016" PRIx64 ":%u\n\n",
			        keyed(p)->guid, p->num, keyed(p->peer)->guid, p->peer->num);
	}
	assert_int_equal(fclose(keys) | fclose(v_keys) | fclose(neighbors) | fclose(lids), 0);
}

static inline void sweep_with_keys(struct rig *r)
{
	struct arena *arena = arena_new();

	assert_non_null(arena);
	r->opts.key_files = root;
	assert_int_equal(keys_read(&r->opts, arena, &r->opts.keys, &r->err), 0);
	sweep(r);
	r->opts.keys = NULL;
	arena_free(arena);
}

/* Does a text hold a key of the model, in whatever digits, or as bytes? */
static inline bool holds_number(const char *text, size_t n, uint64_t number)
{
	char forms[3][24];
	uint8_t bytes[8];

	for (unsigned int i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(number >> (56 - 8 * i));
	snprintf(forms[0], sizeof(forms[0]), "%" PRIx64, number);
	snprintf(forms[1], sizeof(forms[1]), "%" PRIX64, number);
	snprintf(forms[2], sizeof(forms[2]), "%" PRIu64, number);
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if (memmem(text, n, forms[i], strlen(forms[i])))
			return true;
	return memmem(text, n, bytes, sizeof(bytes));
}

static inline bool holds_key(const struct rig *r, const char *text, size_t n)
{
	const struct ibc_port *p;

	for (size_t i = 0; (p = ibc_fabric_port(r->real, i)); i++)
		if (keyed(p) == p &&
		    (holds_number(text, n, m_key_for(p)) || holds_number(text, n, v_key_for(p))))
			return true;
	return false;
}

#endif
