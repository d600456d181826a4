/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <ibcheck/phy.h>

/* The two ways that devices number codes of error correction; ..._UNKNOWN for any other. */
enum ibc_fec fec_of_pddr(unsigned int code);      /* PDDR page 0 */
enum ibc_fec fec_of_port_info(unsigned int code); /* ExtendedPortInfo 0xFF90, db_csv FEC_MODE */

/* A module of which nothing is known. */
void module_clear(struct ibc_module *module);

/*
 * What it is, by its technology and length, for sources that do not say: a module for a fibre of
 * any length has none of its own.
 */
enum ibc_module_kind module_kind_of(const struct ibc_module *module);
