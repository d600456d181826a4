/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * One table of sources (source.c): each adds one subnet (or more) to a fabric that is being
 * built.  None of them judges.  Here is what each file declares for that table, and file.c,
 * which all that read text share.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <ibcheck/source.h>

struct fabric_build;
struct mlnx_ext_port_info;
struct port_info;
struct transport;
struct transport_port;

/*
 * struct source_again - why all is swept once more, and what stays for each of these sweeps
 * @wanted: it shall be
 * @handed_over: subnets whose subnet manager changed meanwhile, a bit each
 * @spent_seconds: of the deadline
 * @directed_only: two devices claim one LID
 * @pass: how often that was so: a trace keeps the passes apart
 * @clear_only, @num_clear_only: the ports of ibc_counters_clear_ports(); NULL: all are meant
 * @down: of ibc_fabric_load_down()
 */
struct source_again {
	uint64_t handed_over;
	double spent_seconds;
	bool directed_only, wanted;
	unsigned int pass;
	const struct ibc_place *clear_only;
	size_t num_clear_only;
	struct ibc_down down;
};

/*
 * discover.c: sweeps from a transport; all silence is recorded, not reported.
 * -EAGAIN: opts->again says why; sweep anew.
 */
int discover_subnet(struct transport *t, const struct transport_port *from, const char *spec,
                    const struct ibc_source_opts *opts, struct fabric_build *b,
                    struct ibc_error *err);
/* umad.c: "umad", "umad:CA:PORT", "umad:all" */
int source_umad(const char *spec, const struct ibc_source_opts *opts, struct fabric_build *b,
                struct ibc_error *err);
/* synth.c: "synth:SHAPE:..." */
int source_synth(const char *spec, const struct ibc_source_opts *opts, struct fabric_build *b,
                 struct ibc_error *err);

/* ports.c: what the two attributes say, into the model. */
void port_put(struct ibc_port *port, const struct port_info *pi);
void ext_port_put(struct ibc_port *port, const struct mlnx_ext_port_info *ext);

/*
 * file.c: a text file read line by line, plain, gzip or zstd, recognized by its
 * first bytes.  Memory is bounded by LINE_MAX_BYTES whatever the file holds.
 */
#define LINE_MAX_BYTES (1 << 20)
/* It stands in a line for each NUL byte. */
#define TEXT_NUL '\x1a'
/* terminal.c: is a line one of a prompt or of script(1)?  Colours and titles, out of a line. */
#define TEXT_ESCAPE '\x1b'
bool is_of_terminal(const char *line);
void take_escapes_out(char *line);
/* More ports than this no file is believed to have: the largest subnets have a sixth. */
#define FILE_MAX_PORTS (1 << 21)
struct text_file;
/* source.c: a snapshot in a file that is open, which it closes; @name: of it, for messages */
int source_state(int fd, const char *name, struct ibc_fabric **out, struct ibc_error *err);
/* text_open() of one that is open */
int text_take(int fd, const char *name, struct text_file **out, struct ibc_error *err);
int text_open(const char *path, struct text_file **out, struct ibc_error *err);
/* For fuzzing and tests: the same over bytes; name is for messages. */
int text_open_bytes(const char *name, const void *bytes, size_t n, struct text_file **out,
                    struct ibc_error *err);
/*
 * The next line without its end (LF or CRLF), NUL-terminated, valid until the
 * next call.  1: a line; 0: end of file; -EINVAL: too long or a NUL byte in the first, where no
 * reader complains, or a damaged or truncated compressed stream; -EIO.
 */
int text_line(struct text_file *f, char **line, size_t *length, struct ibc_error *err);
/* Looks ahead, before the first line. */
bool text_begins(struct text_file *f, bool (*has)(const uint8_t *bytes, size_t n));
/*
 * The next n bytes, whatever they are, valid until the next call; they count as a line.  How
 * many there are, fewer only where the file ends; or errors as above.
 */
ssize_t text_block(struct text_file *f, size_t n, char **bytes, struct ibc_error *err);
/*
 * The next bytes, as many as are at hand and TEXT_CHUNK at the most, valid until the next call; 0:
 * the end; -EBADMSG: a compressed stream is damaged or cut, and what came before is good; -EINVAL,
 * -EIO.
 */
ssize_t text_chunk(struct text_file *f, char **bytes, struct ibc_error *err);
#define TEXT_CHUNK 65536 /* bytes: they stay in the cache of one core */
/* Puts the next line behind the last one, with an LF between them; returns as above. */
int text_line_on(struct text_file *f, char **line, size_t *length, struct ibc_error *err);
/* Calls for each line, until one is not 0, which comes back; or 0, or as text_line(). */
int text_each_line(struct text_file *f,
                   int (*take)(void *reader, char *line, struct ibc_error *err), void *reader,
                   struct ibc_error *err);
/* Likewise for those that are not empty, without the blanks around them. */
int text_each_entry(struct text_file *f,
                    int (*take)(void *reader, char *line, struct ibc_error *err), void *reader,
                    struct ibc_error *err);
/* A new subnet, which the file describes; in fabric_build_run(). */
struct ibc_subnet *text_subnet(const struct text_file *f, const char *spec, const char *kind,
                               struct fabric_build *b);
const char *text_name(const struct text_file *f);
unsigned long text_line_number(const struct text_file *f);
struct text_place text_here(const struct text_file *f);
/*
 * -EINVAL with file and line of the last line in front: reading ends there.  If there
 * were complaints, it is the last of them.
 */
int text_fail(struct text_file *f, struct ibc_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Did it come from text_open()? */
bool text_is_on_disk(const struct text_file *f);
/* Was the last line the file's last, and without an end? */
bool text_was_cut(const struct text_file *f);
/* Was a line left out since none is so long? */
bool text_was_overlong(const struct text_file *f);
/* Start again from the first line (lines were read to recognize the format). */
int text_rewind(struct text_file *f, struct ibc_error *err);
void text_close(struct text_file *f);

/*
 * What is not understood is skipped and counted: a reader complains and reads on.  Of a fabric the
 * subnets know it in the end (text_end_read()), unless nothing was understood; of any other file
 * text_verdict() makes an error of it, which passes through any @rc but 0 and -EINVAL, which is
 * then reported already.  Until text_complain_to() they are only counted.
 */
struct text_place {
	unsigned long line, column; /* from 1 */
	const char *file;           /* that another includes, as long as that is open; NULL: it */
};
/* A piece of a line, and where it is. */
struct text_piece {
	char *text;
	struct text_place at;
};
void text_complain_to(struct text_file *f, ibc_complain_fn complain, void *ctx);
/*
 * Lines that are too long or have NUL bytes are complained of as well: by text_read(), and before
 * any other reader that does.
 */
void text_read_on(struct text_file *f);
/* -EINVAL, for those that go no further.  A line counts once, whatever is wrong with it. */
int text_complain(struct text_file *f, struct text_place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Nothing is wrong: it reports what was passed over. */
void text_note(const struct text_file *f, struct text_place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/*
 * What does not belong to the format, in front of the first record and behind the last:
 * text_skip() for each line; text_skipped() then reports them, "lines 1-2 and 400 ...".
 * text_go_on() at each record: lines between two of them are lost, and text_complain() is called.
 */
#define SKIPPED_RANGES 8
struct text_skipped {
	unsigned long first[SKIPPED_RANGES], last[SKIPPED_RANGES];
	size_t num, in_front; /* ranges; 1 + those in front of the first record, 0: none came yet */
};
void text_skip(struct text_skipped *skipped, struct text_file *f);
/* skipped.c */
void text_go_on(struct text_skipped *skipped, struct text_file *f);
void text_skipped(const struct text_skipped *skipped, struct text_file *f, const char *format);
int text_verdict(struct text_file *f, int rc, struct ibc_error *err);
/*
 * Of what was read into a fabric: the verdict where @rc is not 0; else the subnets from @first on
 * lack what the complaints are about: these attributes; NodeInfo stands for all that a fabric's own
 * file has.
 */
int text_end_read(struct text_file *f, int rc, struct fabric_build *b, size_t first,
                  struct ibc_attrs of, struct ibc_error *err);

/*
 * Readers of one file into one subnet (a snapshot: its subnets), and what recognizes
 * their formats: is a line, without the blanks in front, one that only they have?
 * snapshot.c, netdiscover.c, linklist.c, lst.c, dbcsv.c, cablelist.c, topofile.c
 */
typedef int reader_fn(struct text_file *f, const char *spec, struct fabric_build *b,
                      struct ibc_error *err);
reader_fn read_snapshot, read_netdiscover, read_dbcsv, read_cable_list, read_topo, read_link_list,
    read_lst;
/*
 * file.c: each cable has two lines, but for those that so many lost lines account for: if that is
 * all of them, they hide nothing.
 */
void text_has_both(struct text_file *f, unsigned long accounted);
/* Is one of these lines complained of, or one of which it is not known where it is? */
bool text_lost_within(const struct text_file *f, unsigned long first, unsigned long end);
/* file.c: either of the two above behind it */
int text_read(struct text_file *f, reader_fn *read, const char *spec, struct fabric_build *b,
              struct ibc_error *err);
bool is_snapshot_line(const char *line);
bool is_netdiscover_line(const char *line);
bool is_dbcsv_line(const char *line);
bool is_cable_list_line(const char *line);
bool is_topo_line(const char *line);
bool is_link_list_line(const char *line);
bool is_lst_line(const char *line);

/* tracewrite.c: is it a capture?  traceplay.c: sweeps over it, if it is a trace of ours. */
bool is_capture(const uint8_t *bytes, size_t n);
int replay_capture(struct text_file *f, const char *spec, const struct ibc_source_opts *opts,
                   struct fabric_build *b, struct ibc_error *err);
/* struct byte_source - a file that is known by its first bytes, and what reads it */
struct byte_source {
	bool (*begins)(const uint8_t *bytes, size_t n);
	int (*read)(struct text_file *f, const char *spec, const struct ibc_source_opts *opts,
	            struct fabric_build *b, struct ibc_error *err);
};
/* Those of bytes.txt that this build has; ended by NULL. */
extern const struct byte_source *const byte_sources[];

/* snapwrite.c, netwrite.c, planwrite.c */
int write_snapshot(const struct ibc_fabric *fab, FILE *out, struct ibc_error *err);
/* What @before has, or NULL, stands where this sweep has nothing: counters, firmware; no tables. */
int write_state(const struct ibc_fabric *fab, const struct ibc_fabric *before, FILE *out,
                struct ibc_error *err);
int write_netdiscover(const struct ibc_fabric *fab, FILE *out, struct ibc_error *err);
int write_cable_list(const struct ibc_fabric *fab, FILE *out, struct ibc_error *err);
int write_topo(const struct ibc_fabric *fab, FILE *out, struct ibc_error *err);

/*
 * tablefile.c: forwarding tables, for the only subnet there is: its switches are known.
 * They take the place of those it has.
 */
int read_tables(struct text_file *f, struct fabric_build *b, struct ibc_error *err);
/* phyformats.c: what ibdiagnet reports about the physical layer, of all subnets there are. */
int read_phy_file(struct text_file *f, struct fabric_build *b, struct ibc_error *err);
/* pathfile.c: service levels of paths, likewise; ibc_subnet.sa keeps what else it has. */
int read_paths(struct text_file *f, struct fabric_build *b, struct ibc_error *err);

/* jobs.c: ibc_jobs_read() of a file that is open */
struct ibc_jobs;
int read_jobs(struct text_file *f, struct ibc_jobs **out, struct ibc_error *err);

/* opinions.c: ibc_opinions_read() of a file that is open */
struct ibc_opinions;
int read_opinions(struct text_file *f, struct ibc_opinions **out, struct ibc_error *err);

/* hostfile.c: what ibc_hostlist_read() reads of a file, of one that is open */
struct ibc_hostlist;
int read_hostfile(struct text_file *f, struct ibc_hostlist **out, struct ibc_error *err);

/* The order of struct ibc_path_sl in it. */
int by_dlid(const void *a, const void *z);
/* names.c: a node-name map, "0x<guid> "name"" a line, '#' comments. */
int read_node_names(struct text_file *f, struct fabric_build *b, struct ibc_error *err);
