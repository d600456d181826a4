/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of --phy: which of ibdiagnet's they are. */
#include <errno.h>

#include "base/array.h"
#include "base/error.h"
#include "source/ibdiagnet/phyfile.h"

static const struct {
	bool (*has_line)(const char *line);
	int (*read)(struct phy_file *pf, struct ibc_error *err);
} formats[] = {
	{ is_cables_file_line, read_cables_file },
	{ is_dbcsv_line, merge_dbcsv },
	{ is_net_dump_ext_line, read_net_dump_ext },
};

static int merge_file(struct phy_file *pf, struct ibc_error *err)
{
	size_t length, i = ARRAY_SIZE(formats);
	char *line;
	int rc = 0;

	/* by its first line that only one of them has */
	while (i == ARRAY_SIZE(formats) && (rc = text_line(pf->text, &line, &length, err)) > 0)
		for (i = 0; i < ARRAY_SIZE(formats) && !formats[i].has_line(line);)
			i++;
	if (rc < 0)
		return rc;
	if (rc == 0)
		return fail(err, -EINVAL,
		            "%s is neither ibdiagnet2.cables, ibdiagnet2.db_csv nor "
		            "ibdiagnet2.net_dump_ext",
		            text_name(pf->text));
	rc = text_rewind(pf->text, err) ?: formats[i].read(pf, err);
	if (rc)
		return rc;
	if (!pf->found && pf->skips[PHY_FOREIGN].num)
		return fail(err, -EINVAL,
		            "%s is of another fabric: none of its %zu GUIDs is in this one (the "
		            "first is %s)",
		            text_name(pf->text), pf->skips[PHY_FOREIGN].num,
		            pf->skips[PHY_FOREIGN].what);
	if (!pf->found)
		return fail(err, -EINVAL, "%s contains nothing of the physical layer",
		            text_name(pf->text));
	phy_report(pf);
	return 0;
}

int read_phy_file(struct text_file *f, struct fabric_build *b, struct ibc_error *err)
{
	return phy_run(f, b, merge_file, NULL, err);
}
