/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For LD_PRELOAD: no limited member of a partition answers another one (IBA 10.9.3), so where
 * all are limited nothing arrives but SMPs, which belong to none.  ibsim has tables of P_Keys,
 * and does not look at them.
 */
#include <dlfcn.h>

#include <infiniband/mad.h>
#include <infiniband/umad.h>

__attribute__((visibility("default"))) int umad_send(int fd, int agent, void *umad, int length,
                                                     int timeout_ms, int retries)
{
	int (*send)(int, int, void *, int, int, int);
	uint32_t class = mad_get_field(umad_get_mad(umad), 0, IB_MAD_MGMTCLASS_F);

	if (class != IB_SMI_CLASS && class != IB_SMI_DIRECT_CLASS)
		return 0;
	*(void **)&send = dlsym(RTLD_NEXT, "umad_send");
	return send(fd, agent, umad, length, timeout_ms, retries);
}
