/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What a sweep asks of subnet administration; sa.c and paths.c share it. */
#include "source/sweep/sweep.h"
#include "wire/sa.h"

#define SA_IN_VAIN_MAX 8 /* queries that brought nothing: nor will the others */

/*
 * struct sa_client - who is asked, and what was answered
 * @origin: the port whose answers record what became of the queries
 * @known: the model's
 * @moved_to: where to ask instead; dlid 0: not moved
 * @in_vain: queries in a row that brought nothing
 * @paths: those that were answered, in any order
 * @paths_open: queries for paths without an answer
 * @paths_outcome: what became of those: refused, if any was
 */
struct sa_client {
	struct sweep *sweep;
	struct ibc_port *origin;
	struct ibc_sa *known;
	struct engine_device device;
	struct mad_addr moved_to;
	unsigned int in_vain;
	bool answers;
	struct ibc_path_sl *paths;
	size_t num_paths, path_room, paths_open;
	enum answer paths_outcome;
	bool paths_begun;
};

/* Fills a query in for subnet administration, and sends it where that is. */
void sa_route(struct sa_client *sa, struct sa_query *q, struct mad_addr *to, uint8_t mad[MAD_SIZE]);

/* paths.c: a sample; then those that the sample leaves open. */
void paths_ask_sample(struct sa_client *sa);
void paths_ask_rest(struct sa_client *sa);
void paths_finish(struct sa_client *sa);
