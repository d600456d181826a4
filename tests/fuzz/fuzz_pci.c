/* SPDX-License-Identifier: BSD-2-Clause */
/* Configuration space of an adapter: whatever it holds, the search for registers ends. */
#include <assert.h>

#include <ibcheck/host.h>

#include "tree.h"

#define ADAPTER "sys/bus/pci/devices/0000:17:00.0"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const dirs[] = { "sys", "sys/bus", "sys/bus/pci", "sys/bus/pci/devices",
	                            ADAPTER };
static const char *const files[][2] = { { ADAPTER "/vendor", "0x15b3\n" },
	                                { ADAPTER "/device", "0x1021\n" },
	                                { ADAPTER "/class", "0x020700\n" },
	                                { ADAPTER "/config", "" } };

static void remove_root(void)
{
	for (size_t i = 0; i < COUNT(files); i++)
		unlinkat(root_fd, files[i][0], 0);
	for (size_t i = COUNT(dirs); i-- > 0;)
		unlinkat(root_fd, dirs[i], AT_REMOVEDIR);
	rmdir(root);
}

static void make_root(void)
{
	open_root();
	for (size_t i = 0; i < COUNT(dirs); i++)
		assert(mkdirat(root_fd, dirs[i], 0755) == 0);
	for (size_t i = 0; i < COUNT(files); i++)
		put(files[i][0], files[i][1], strlen(files[i][1]));
	atexit(remove_root);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct ibc_host_opts opts = { .root = root, .parts = IBC_HOST_PCI };
	const struct ibc_pci *pci;
	struct ibc_host *host;

	if (root_fd < 0)
		make_root();
	put(ADAPTER "/config", data, size);
	assert(ibc_host_read(&opts, &host, NULL) == 0);
	pci = ibc_host_pci(host, 0);
	assert(pci && pci->kind == IBC_PCI_HCA && !ibc_host_pci(host, 1));
	assert(pci->config_read == (size > 64)); /* so much of it everybody may read */
	assert(pci->config_read || (!pci->has_acs && !pci->device_control));
	ibc_host_free(host);
	return 0;
}
