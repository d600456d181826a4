/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Questions to the kernel by netlink: dumps, never changes. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libmnl/libmnl.h>

struct ibc_host;

/* No request of ours is longer; libmnl's bound for what arrives is larger. */
#define NETLINK_REQUEST_BYTES 256

/*
 * Starts a request in buf: a header of this type, and after it @size zeroed bytes of the
 * family's own header, which @extra gets.
 */
struct nlmsghdr *netlink_request(char buf[NETLINK_REQUEST_BYTES], uint16_t type, uint16_t flags,
                                 size_t size, void **extra);
/*
 * Sends it and calls back for each answer until the last.  A callback returns MNL_CB_OK, or
 * MNL_CB_STOP to end.  0 or errno: EAGAIN when the kernel did not answer in time.
 */
int netlink_ask(struct mnl_socket *socket, struct nlmsghdr *request, mnl_cb_t each, void *ctx);

/* The same for a family of generic netlink, with its command. */
struct nlmsghdr *netlink_generic(char buf[NETLINK_REQUEST_BYTES], uint16_t family, uint16_t flags,
                                 uint8_t command);
/* The number of such a family by its name; 0 or errno: ENOENT from a kernel without it. */
int netlink_family(struct mnl_socket *socket, const char *name, uint16_t *family);

/* A socket of this family in the namespace the thread is in; NULL with errno. */
struct mnl_socket *netlink_open(int family);

/* The attributes of a message or a nest by number, 0..max; NULL where there is none. */
void netlink_parse(const struct nlmsghdr *message, size_t header, const struct nlattr **by_type,
                   uint16_t max);
void netlink_parse_nested(const struct nlattr *nest, const struct nlattr **by_type, uint16_t max);

/* What an attribute holds, of so many bytes at least; else 0, or "" */
uint8_t attr_u8(const struct nlattr *attr);
uint16_t attr_u16(const struct nlattr *attr);
uint32_t attr_u32(const struct nlattr *attr);
uint64_t attr_u64(const struct nlattr *attr);
/* So many bytes of it; false: it has fewer. */
bool attr_copy(const struct nlattr *attr, void *out, size_t size);
/* Not always ended by a NUL: *n bytes. */
const char *attr_text(const struct nlattr *attr, size_t *n);
/* The same as text_clean() in host/tree.h has it. */
const char *attr_clean(struct ibc_host *host, const struct nlattr *attr);
