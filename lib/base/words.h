/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include <ibcheck/fabric.h>

/*
 * From text to value, for readers of files; accepts the word and the name, in
 * any case ("4x", "EDR", "linkup").  ..._UNKNOWN if it is none.
 */
enum ibc_node_type node_type_of(const char *text);
enum ibc_port_state port_state_of(const char *text);
enum ibc_phys_state phys_state_of(const char *text);
enum ibc_width width_of(const char *text);
enum ibc_speed speed_of(const char *text);

#endif
