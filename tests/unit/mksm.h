/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKSM_H
#define MKSM_H

/*
 * Subnet managers for the fabrics of mkfab.h:
 *
 *	mk_sm(m, host(1), 10, IBC_SM_MASTER);
 *	mk_sa(m, host(1), 300);
 *
 * Include it after findings.h.
 */
#include "base/arena.h"

static inline struct ibc_sm_info *mk_sm_at(struct mkfab m, struct ibc_port *p,
                                           unsigned int priority, enum ibc_sm_state state)
{
	struct ibc_sm_info *sm = arena_alloc(fabric_build_arena(m.b), sizeof(*sm));

	assert_non_null(sm);
	*sm = (struct ibc_sm_info){
		.guid = p->guid,
		.priority = (uint8_t)priority,
		.state = (uint8_t)state,
		.state_later = (uint8_t)state,
		.act_count = 100,
		.act_count_later = 101,
		.act_seconds = 0.01,
	};
	port_extra(p)->sm = sm;
	p->cap_mask |= 2; /* IsSM */
	answers_put(p, IBC_ATTR_SM_INFO, ANSWER_OK);
	ibc_attrs_add(&m.subnet->provides, IBC_ATTR_SM_INFO);
	return sm;
}

/* On port 1 of a CA. */
static inline struct ibc_sm_info *mk_sm(struct mkfab m, uint64_t guid, unsigned int priority,
                                        enum ibc_sm_state state)
{
	return mk_sm_at(m, port(m, guid, 1), priority, state);
}

/* The port is asked for its manager, and says nothing. */
static inline void mk_silent_sm(struct mkfab m, uint64_t guid)
{
	port(m, guid, 1)->cap_mask |= 2; /* IsSM */
	answers_put(port(m, guid, 1), IBC_ATTR_SM_INFO, ANSWER_NONE);
	ibc_attrs_add(&m.subnet->provides, IBC_ATTR_SM_INFO);
}

/* Administration, asked from a port for the LID of the master. */
static inline void mk_sa(struct mkfab m, uint64_t from, unsigned int lid, uint32_t latency_us,
                         enum answer outcome)
{
	struct ibc_sa *sa = arena_alloc(fabric_build_arena(m.b), sizeof(*sa));

	assert_non_null(sa);
	sa->lid = (uint16_t)lid;
	sa->latency_us = latency_us;
	m.subnet->sa = sa;
	m.subnet->origin = port(m, from, 1);
	port(m, from, 1)->sm_lid = (uint16_t)lid;
	answers_put(port(m, from, 1), IBC_ATTR_SA_CLASS_PORT_INFO, outcome);
	ibc_attrs_add(&m.subnet->provides, IBC_ATTR_SA_CLASS_PORT_INFO);
}

/* The port has told that it is in these partitions. */
static inline void mk_pkeys(struct mkfab m, struct ibc_port *p, const uint16_t *keys, size_t n)
{
	struct ibc_pkeys *t = arena_alloc(fabric_build_arena(m.b), sizeof(*t));

	t->keys = keys;
	t->num_keys = n;
	port_extra(p)->pkeys = t;
	answers_put(p, IBC_ATTR_PKEY_TABLE, ANSWER_OK);
	ibc_attrs_add(&m.subnet->provides, IBC_ATTR_PKEY_TABLE);
}

#endif
