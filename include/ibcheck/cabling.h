/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_CABLING_H
#define IBCHECK_CABLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/error.h>
#include <ibcheck/fabric.h>
#include <ibcheck/fleet.h>

#pragma GCC visibility push(default)

/**
 * DOC: the hosts of a fleet in a fabric
 *
 * Reports of hosts have the GUIDs of their HCAs, and a fabric has what these are cabled to.  A
 * rail is the leaf switches that have the same HCA of most hosts of a kind, whose HCAs are numbered
 * by their PCI addresses; rails are numbered from 0, by each kind for itself.
 */
struct ibc_cabling;

/**
 * enum ibc_joined - what of a fabric is a port of a report
 * @IBC_JOINED_NO_GUID: not known: the report or the fabric has no GUID, and the fabric not its name
 * @IBC_JOINED_ABSENT: its GUID is nowhere
 * @IBC_JOINED_CLONED: not known: reports of two hosts have its GUID
 * @IBC_JOINED_TWICE: not known: the fabric has its GUID, or its name, twice
 * @IBC_JOINED_NAME, @IBC_JOINED_GUID: a port, found by the name of its HCA, or by GUID
 */
enum ibc_joined {
	IBC_JOINED_NO_GUID,
	IBC_JOINED_ABSENT,
	IBC_JOINED_CLONED,
	IBC_JOINED_TWICE,
	IBC_JOINED_NAME,
	IBC_JOINED_GUID,
};
const struct ibc_word *ibc_joined_word(enum ibc_joined joined);

#define IBC_RAIL_UNKNOWN (-1)

/**
 * struct ibc_fleet_port - an InfiniBand port of a host, of no virtual function
 * @hca: "mlx5_0"; @num: 0: the report does not say
 * @pci, @state: "0000:1a:00.0", "active"; "" not known
 * @guid: of the node, as the report has it; 0: not known
 * @at: the same in the fabric, if @joined says so; or NULL
 * @other: of an absent one the HCA that has its name in the fabric; or NULL
 * @rail: of the leaf switch it is cabled to, as its kind numbers them; IBC_RAIL_UNKNOWN
 * @usual_rail: if @of is not 0: @usual of @of hosts of its kind have the same port on that one
 * @usual_subnet: likewise, @in of @in_of hosts; NULL: there is none, or one subnet
 */
struct ibc_fleet_port {
	const char *hca, *pci, *state;
	uint64_t guid, port_guid;
	const struct ibc_port *at;
	const struct ibc_node *other;
	const struct ibc_subnet *usual_subnet;
	enum ibc_joined joined;
	int rail, usual_rail;
	uint32_t usual, of, in, in_of;
	uint8_t num;
};

/**
 * struct ibc_fleet_cables - a host of which a report counts
 * @ports: in the order of their PCI addresses, or of their names where these are not known
 * @product: of the machine; "" not known
 * @reported: a report of it lists its HCAs, if only that there is none
 */
struct ibc_fleet_cables {
	const struct ibc_fleet_host *host;
	const struct ibc_fleet_port *ports;
	size_t num;
	const char *product;
	bool reported;
};

/**
 * struct ibc_fleet_kind - hosts that are compared: of one product, with as many ports, and with
 *	PCI addresses, or without
 * @hosts: by name; all have @ports ports
 * @rails: their ports are on so many rails; 0: none are known
 * @mixed: that is since their ports are on leaf switches as it happens
 */
struct ibc_fleet_kind {
	const struct ibc_fleet_cables *const *hosts;
	size_t num, ports, rails;
	bool mixed;
};

#define IBC_CABLING_FEW      4  /* as of fleet.outlier: of fewer hosts none is usual */
#define IBC_CABLING_MAJORITY 60 /* percent, likewise */

/**
 * ibc_cabling_find() - find the hosts of a fleet in a fabric
 * @out: borrows from both; to be freed with ibc_cabling_free()
 *
 * O(n log n) of the ports.  Return: 0, or -ENOMEM.
 */
int ibc_cabling_find(const struct ibc_fleet *fleet, const struct ibc_fabric *fab,
                     struct ibc_cabling **out, struct ibc_error *err);
/* NULL has no effect. */
void ibc_cabling_free(struct ibc_cabling *cabling);

/* In the order of their names; NULL past the last one. */
const struct ibc_fleet_cables *ibc_cabling_host(const struct ibc_cabling *cabling, size_t i);
/* By name, or NULL. */
const struct ibc_fleet_cables *ibc_cabling_of(const struct ibc_cabling *cabling, const char *name);
/* The port that a report calls "mlx5_0/1", or "mlx5_0" if that has no other; or NULL. */
const struct ibc_fleet_port *ibc_cabling_port(const struct ibc_fleet_cables *host,
                                              const char *thing);
/* NULL past the last one. */
const struct ibc_fleet_kind *ibc_cabling_kind(const struct ibc_cabling *cabling, size_t i);
const struct ibc_fabric *ibc_cabling_fabric(const struct ibc_cabling *cabling);

#pragma GCC visibility pop

#endif
