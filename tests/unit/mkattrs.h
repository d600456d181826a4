/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKATTRS_H
#define MKATTRS_H

/* Sets of attributes in tests.  Include it after <cmocka.h>. */
#include "fabric/attributes.h"
#include "fabric/build.h"

/* A set is that of these attributes. */
#define assert_attrs(set, ...)                                                                     \
	do {                                                                                       \
		const struct ibc_attrs is_ = (set), should_ = IBC_ATTRS(__VA_ARGS__);              \
		assert_memory_equal(&is_, &should_, sizeof(is_));                                  \
	} while (0)

/* Whatever became of it. */
static inline struct ibc_attrs asked_of(const struct ibc_port *p)
{
	return attrs_from_bits(p->answers.asked, attr_port_bits);
}

/* A port was never asked. */
static inline void not_asked(struct ibc_port *p, enum ibc_attr attr)
{
	answers_drop(&p->answers, attr_port_bits[attr]);
}

#endif
