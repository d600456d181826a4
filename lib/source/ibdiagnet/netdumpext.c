/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of ibdiagnet2.net_dump_ext: a line for each port, columns between colons, their
 * names in the first line.  Taken are FEC, bit error rates and errors: the fabric itself
 * knows the rest better.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/phywords.h"
#include "base/str.h"
#include "source/ibdiagnet/phyfile.h"

#define BLANKS " \t"

enum column { PORT, GUID, FEC, RAW_BER, EFFECTIVE_BER, SYMBOL_BER, SYMBOL_ERR, EFFECTIVE_ERR };
static const char *const names[] = { "#IB",           "GUID",       "FEC mode",   "Raw BER",
	                             "Effective BER", "Symbol BER", "Symbol Err", "Effective Err" };
#define COLUMNS ARRAY_SIZE(names)
#define CELLS   32 /* of a line: twice what there are */

struct dump_reader {
	struct phy_file *file;
	unsigned int at[COLUMNS]; /* 1 + the cell; 0: there is none */
	unsigned int last;        /* cell: behind it comes a name, which may have colons */
	bool began, cut;          /* cut: the last line has no end */
};

bool is_net_dump_ext_line(const char *line)
{
	return strncmp(line, "Ty ", 3) == 0 && strstr(line, " GUID ") && strstr(line, "Raw BER");
}

/* Cuts at colons, and blanks go. */
static unsigned int cut_line(char *line, char *cells[CELLS])
{
	unsigned int n = 0;
	char *next = line, *end;

	while (n < CELLS && (line = strsep(&next, ":"))) {
		line += strspn(line, BLANKS);
		end = line + strlen(line);
		while (end > line && strchr(BLANKS, end[-1]))
			*--end = '\0';
		cells[n++] = line;
	}
	return n;
}

static int read_names(struct dump_reader *r, char *line, struct ibc_error *err)
{
	char *cells[CELLS];
	unsigned int n = cut_line(line, cells);

	r->began = true;
	for (unsigned int c = 0; c < COLUMNS; c++)
		for (unsigned int i = 0; i < n; i++)
			if (strcasecmp(cells[i], names[c]) == 0) {
				r->at[c] = i + 1;
				r->last = i > r->last ? i : r->last;
			}
	if (!r->at[PORT] || !r->at[GUID])
		return text_fail(r->file->text, err, "there is no column %s",
		                 names[r->at[PORT] ? GUID : PORT]);
	return 0;
}

/* ---- values ----------------------------------------------------------------------------- */

/* By their code in FEC_MODE. */
static const char *const fec_names[] = {
	"NO-FEC",
	"FIRECODE",
	"STD-RS",
	"STD-LL-RS",
	"RS_FEC_544_514",
	"",
	"",
	"",
	"MLNX-STRONG-RS",
	"MLNX-LL-RS",
	"MLNX-ADAPT-RS",
	"MLNX-COD-FEC",
	"MLNX-ZL-FEC",
	"MLNX_RS_544_514_PLR",
	"MLNX_RS_271_257_PLR",
};

static bool is_none(const char *cell)
{
	return !*cell || strcasecmp(cell, "N/A") == 0;
}

#define BER_COEFFICIENT_MAX 15  /* 4 bits, as the register has */
#define BER_MAGNITUDE_MAX   255 /* a byte */

/* "1.5e-08", "15E-255", "0": as many digits as a device has. */
static bool parse_ber(const char *cell, struct ibc_ber *out)
{
	char *end;
	double value = strtod(cell, &end), coefficient;
	int magnitude;

	*out = (struct ibc_ber){ 0 };
	if (end == cell || *end || !(value >= 0 && value <= 1))
		return false;
	if (value == 0)
		return true;
	magnitude = (int)floor(-log10(value)) + 2;
	if (magnitude > BER_MAGNITUDE_MAX)
		magnitude = BER_MAGNITUDE_MAX;
	while (round(coefficient = value * pow(10, magnitude)) > BER_COEFFICIENT_MAX)
		magnitude--;
	*out = (struct ibc_ber){ (uint8_t)round(coefficient), (uint8_t)magnitude };
	return true;
}

static void put_errors(struct dump_reader *r, struct ibc_port *port, char *const *cells)
{
	struct ibc_ber ber;
	uint64_t errors;

	/* what the device itself answered is of one moment: it is not mixed with this */
	if (ibc_port_has(port, IBC_ATTR_PHY_ERRORS))
		return;
	for (unsigned int c = RAW_BER; c < COLUMNS; c++) {
		const char *cell = r->at[c] ? cells[r->at[c] - 1] : "";
		struct ibc_phy *phy;

		if (is_none(cell))
			continue;
		if (c < SYMBOL_ERR ? !parse_ber(cell, &ber)
		                   : str_u64(cell, 0, UINT64_MAX, &errors) != 0) {
			phy_skip(r->file, PHY_BAD_VALUE, cell);
			continue;
		}
		phy = phy_of_port(r->file->build, port);
		phy_answered(port, IBC_ATTR_PHY_ERRORS);
		if (c < SYMBOL_ERR) {
			phy->ber[c - RAW_BER + IBC_BER_RAW] = ber;
			phy->known_bers |= (uint8_t)(1u << (c - RAW_BER + IBC_BER_RAW));
		} else {
			const unsigned int value = c == SYMBOL_ERR ? IBC_PHY_SYMBOL_ERRORS
			                                           : IBC_PHY_EFFECTIVE_ERRORS;

			phy->value[value] = errors;
			phy->known |= UINT64_C(1) << value;
		}
	}
}

/* ---- lines -------------------------------------------------------------------------------- */

static void read_port(struct dump_reader *r, char *line)
{
	char *cells[CELLS];
	unsigned int n = cut_line(line, cells);
	struct ibc_port *port;
	uint64_t num, guid;
	const char *fec;

	if (n <= r->last || str_u64(cells[r->at[PORT] - 1], 0, UINT8_MAX, &num) ||
	    str_guid(cells[r->at[GUID] - 1], &guid)) {
		phy_lose(r->file, "not understood: \"%.60s\"", cells[0]);
		return;
	}
	phy_port(r->file, guid, (unsigned int)num, &port);
	if (!port)
		return;
	put_errors(r, port, cells);
	fec = r->at[FEC] ? cells[r->at[FEC] - 1] : "";
	if (!is_none(fec)) {
		unsigned int code = 0;

		while (code < ARRAY_SIZE(fec_names) && strcasecmp(fec_names[code], fec) != 0)
			code++;
		if (code < ARRAY_SIZE(fec_names))
			phy_fec(r->file->build, port, fec_of_port_info(code));
		else
			phy_skip(r->file, PHY_BAD_VALUE, fec);
	}
}

static int read_dump_line(void *reader, char *line, struct ibc_error *err)
{
	struct dump_reader *r = reader;

	r->cut = text_was_cut(r->file->text);
	if (is_net_dump_ext_line(line))
		return read_names(r, line, err);
	if (r->began && *line && *line != '#')
		read_port(r, line);
	return 0;
}

int read_net_dump_ext(struct phy_file *pf, struct ibc_error *err)
{
	struct dump_reader r = { .file = pf };
	int rc = text_each_line(pf->text, read_dump_line, &r, err);

	if (rc == 0 && r.cut)
		phy_lose(pf, "the file is cut off: its last line has no end");
	return rc;
}
