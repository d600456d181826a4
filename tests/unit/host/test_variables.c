/* SPDX-License-Identifier: BSD-2-Clause */
/* What settings do, and where they are found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "host/process/variables.h"
#include "mkproc.h"

#define RANK 100
#define NONE IBC_EFFECT_NONE
#define TCP  IBC_EFFECT_FORCES_TCP
#define MAY  IBC_EFFECT_ALLOWS_TCP
#define RDMA IBC_EFFECT_REQUIRES_RDMA

static void names_are_in_order_and_each_is_found(void **state)
{
	const struct variable *variable, *before = NULL;

	(void)state;
	for (size_t i = 0; (variable = variable_at(i)); i++) {
		assert_ptr_equal(variable_of(variable->name, strlen(variable->name)), variable);
		assert_true(!before || strcmp(before->name, variable->name) < 0);
		assert_true(*variable->meaning);
		before = variable;
	}
	assert_null(variable_of("NCCL_NE", 7));
	assert_null(variable_of("NCCL_NETS", 9));
	assert_null(variable_of("", 0));
	assert_non_null(variable_of("NCCL_NETS", 8));
}

static const struct {
	const char *name, *value;
	uint8_t effect;
} values[] = {
	{ "NCCL_IB_DISABLE", "1", TCP },
	{ "NCCL_IB_DISABLE", "0", NONE },
	{ "NCCL_IB_DISABLE", "", NONE },
	{ "NCCL_IBEXT_DISABLE", "1", MAY },
	{ "NCCL_NET", "Socket", TCP },
	{ "NCCL_NET", "socket", TCP },
	{ "NCCL_NET", "IB", RDMA },
	{ "NCCL_NET", "AWS Libfabric", NONE },
	{ "NCCL_NET_PLUGIN", "none", NONE },
	{ "NCCL_NET_PLUGIN", "ucx", MAY },
	{ "NCCL_IBVERBS_LIB", "/opt/libibverbs.so", MAY },
	{ "NCCL_SOCKET_IFNAME", "ib0", NONE },
	{ "NCCL_IB_HCA", "mlx5", NONE },
	{ "NCCL_IB_HCA", "=mlx5_0:1", NONE },
	{ "NCCL_IB_HCA", "=mlx5", TCP },
	{ "NCCL_IB_HCA", "mlx5_7", TCP },
	{ "NCCL_IB_HCA", "ibp65s0,mlx5_1", NONE },
	{ "NCCL_IB_HCA", "^mlx5_1", NONE },
	{ "NCCL_IB_HCA", "^mlx5", TCP },
	{ "NCCL_IB_HCA", "^=mlx5_0,mlx5_1", TCP },
	{ "NCCL_IB_HCA", "", NONE },
	{ "UCX_TLS", "tcp", TCP },
	{ "UCX_TLS", "tcp,sm,self", TCP },
	{ "UCX_TLS", "all", MAY },
	{ "UCX_TLS", "rc,sm,self", RDMA },
	{ "UCX_TLS", "rc_x,tcp", MAY },
	{ "UCX_TLS", "sm,self", NONE },
	{ "UCX_TLS", "^ib", TCP },
	{ "UCX_TLS", "^rc,dc,ud", TCP },
	{ "UCX_TLS", "^rc", MAY },
	{ "UCX_TLS", "^tcp", RDMA },
	{ "UCX_TLS", "^ib,tcp", NONE },
	{ "UCX_TLS", "ud:aux,rc", RDMA },
	{ "MPI_UCX_TLS", "tcp", TCP },
	{ "UCX_NET_DEVICES", "ib0", TCP },
	{ "UCX_NET_DEVICES", "mlx5_0:1", RDMA },
	{ "UCX_NET_DEVICES", "ib0,mlx5_1:1", RDMA },
	{ "UCX_NET_DEVICES", "all", MAY },
	{ "OMPI_MCA_pml", "ob1", TCP },
	{ "OMPI_MCA_pml", "^ucx", TCP },
	{ "OMPI_MCA_pml", "ucx", RDMA },
	{ "OMPI_MCA_pml", "cm", RDMA },
	{ "OMPI_MCA_pml", "^ob1", NONE },
	{ "OMPI_MCA_btl", "tcp,self", TCP },
	{ "OMPI_MCA_btl", "tcp,self,openib", NONE },
	{ "OMPI_MCA_btl", "^openib", NONE },
	{ "OMPI_MCA_btl", "self,sm", NONE },
	{ "OMPI_MCA_opal_common_ucx_tls", "any", MAY },
	{ "FI_PROVIDER", "tcp", TCP },
	{ "FI_PROVIDER", "tcp;ofi_rxm", TCP },
	{ "FI_PROVIDER", "sockets", TCP },
	{ "FI_PROVIDER", "verbs;ofi_rxm", RDMA },
	{ "FI_PROVIDER", "verbs,tcp", MAY },
	{ "FI_PROVIDER", "^verbs", TCP },
	{ "FI_PROVIDER", "shm", NONE },
	{ "I_MPI_FABRICS", "shm:ofi", NONE },
	{ "I_MPI_FABRICS", "shm:tcp", TCP },
	{ "I_MPI_FABRICS", "tcp", TCP },
	{ "I_MPI_FABRICS", "shm:dapl", RDMA },
	{ "I_MPI_OFI_PROVIDER", "mlx", RDMA },
	{ "I_MPI_OFI_PROVIDER", "tcp", TCP },
	{ "I_MPI_FALLBACK", "enable", MAY },
	{ "I_MPI_DEVICE", "sock", TCP },
	{ "GLOO_SOCKET_IFNAME", "ib0", NONE },
};

static void each_value_does_what_its_library_documents(void **state)
{

	(void)state;
	put_device("mlx5_0");
	put_device("mlx5_1");
	put_process(RANK, 1, "rank");
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		const struct ibc_setting *setting;
		struct ibc_host *host;
		char text[128];
		int n = snprintf(text, sizeof(text), "%s=%s", values[i].name, values[i].value);

		put_bytes(of_process(RANK, "environ"), text, (size_t)n + 1);
		host = read_processes(0, NULL);
		setting = setting_of(ibc_host_process(host, 0), values[i].name);
		assert_non_null(setting);
		assert_string_equal(setting->value, values[i].value);
		assert_string_equal(setting->where, "environ");
		if (setting->effect != values[i].effect)
			print_message("%s=%s\n", values[i].name, values[i].value);
		assert_int_equal(setting->effect, values[i].effect);
		ibc_host_free(host);
	}
}

static void on_a_host_without_devices_no_name_of_one_is_wrong(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_process(RANK, 1, "rank");
	put_texts(RANK, "environ", "NCCL_IB_HCA=mlx5_7\0UCX_NET_DEVICES=mlx5_7:1");
	host = read_processes(0, NULL);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(ibc_host_process(host, 0)->settings[i].effect, NONE);
	ibc_host_free(host);
}

static void values_of_other_variables_never_get_in(void **state)
{
	const struct ibc_process *process;
	struct ibc_host *host;

	(void)state;
	put_process(RANK, 1, "rank");
	put_texts(RANK, "environ",
	          "SECRET=hunter2\0NCCL_TOKEN=hunter2\0HOME=hunter2\0"
	          "NCCL_NET\0NCCL_NETWORK=hunter2\0=hunter2\0RANK=hunter2");
	put_texts(RANK, "cmdline",
	          "sh\0-c\0NCCL_NET=Socket SECRET=hunter2 ./rank\0--mca\0btl\0"
	          "tcp hunter2\0-genv\0SECRET\0hunter2\0-x\0SECRET=hunter2\0--mca");
	host = read_processes(0, NULL);
	process = ibc_host_process(host, 0);
	assert_int_equal(process->num_settings, 0);
	ibc_host_free(host);
}

static void command_lines_tell_in_the_ways_of_their_launchers(void **state)
{
	static const struct {
		const char *text;
		size_t n;
		const char *name, *value;
	} cases[] = {
#define LINE(text) text, sizeof(text)
		{ LINE("mpirun\0--mca\0btl\0tcp,self\0./rank"), "OMPI_MCA_btl", "tcp,self" },
		{ LINE("mpirun\0-mca\0pml\0ob1"), "OMPI_MCA_pml", "ob1" },
		{ LINE("mpirun\0-x\0NCCL_NET=Socket"), "NCCL_NET", "Socket" },
		{ LINE("mpiexec.hydra\0-genv\0UCX_TLS\0tcp"), "UCX_TLS", "tcp" },
		{ LINE("mpiexec.hydra\0-genv\0UCX_TLS=tcp\0x"), "UCX_TLS", "tcp" },
		{ LINE("srun\0--export=ALL,FI_PROVIDER=tcp,X=1\0x"), "FI_PROVIDER", "tcp" },
		{ LINE("env\0NCCL_IB_DISABLE=1\0./rank"), "NCCL_IB_DISABLE", "1" },
		{ LINE("mpirun\0--mca\0--mca\0--mca\0btl\0tcp"), "OMPI_MCA_btl", NULL },
	};

	(void)state;
	put_process(RANK, 1, "rank");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct ibc_setting *setting;
		struct ibc_host *host;

		put_bytes(of_process(RANK, "cmdline"), cases[i].text, cases[i].n);
		host = read_processes(0, NULL);
		setting = setting_of(ibc_host_process(host, 0), cases[i].name);
		assert_int_equal(setting != NULL, cases[i].value != NULL);
		if (setting) {
			assert_string_equal(setting->value, cases[i].value);
			assert_string_equal(setting->where, "cmdline");
		}
		ibc_host_free(host);
	}
}

static void the_pml_of_open_mpi_decides_over_its_btls(void **state)
{
	static const struct {
		const char *text;
		size_t n;
		uint8_t pml, btl;
	} cases[] = {
		{ LINE("OMPI_MCA_pml=ucx\0OMPI_MCA_btl=tcp,self"), RDMA, NONE },
		{ LINE("OMPI_MCA_pml=ob1\0OMPI_MCA_btl=tcp,self"), TCP, TCP },
		{ LINE("OMPI_MCA_pml=ob1\0OMPI_MCA_btl=openib,self"), NONE, NONE },
		{ LINE("OMPI_MCA_pml=ob1\0OMPI_MCA_btl=^openib"), TCP, NONE },
	};

	(void)state;
	put_process(RANK, 1, "rank");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ibc_host *host;

		put_bytes(of_process(RANK, "environ"), cases[i].text, cases[i].n);
		host = read_processes(0, NULL);
		assert_int_equal(setting_of(ibc_host_process(host, 0), "OMPI_MCA_pml")->effect,
		                 cases[i].pml);
		assert_int_equal(setting_of(ibc_host_process(host, 0), "OMPI_MCA_btl")->effect,
		                 cases[i].btl);
		ibc_host_free(host);
	}
}

#define MAPPED(path) "7f0000000000-7f0000001000 r-xp 00000000 08:01 1234   " path "\n"

static const struct ibc_setting *read_setting(struct ibc_host **host, const char *name)
{
	*host = read_processes(0, NULL);
	return setting_of(ibc_host_process(*host, 0), name);
}

static void each_library_reads_its_own_files(void **state)
{
	static const struct {
		const char *maps, *file, *text, *name, *where;
	} cases[] = {
		{ "libnccl.so.2", "etc/nccl.conf", "# for all\n NCCL_IB_DISABLE = 1 \n",
		  "NCCL_IB_DISABLE", "/etc/nccl.conf:2" },
		{ "libnccl.so.2", "home/u/.nccl.conf", "NCCL_NET=Socket\r\n", "NCCL_NET",
		  "/home/u/.nccl.conf:1" },
		{ "libmpi.so.40", "opt/lib/ompi/etc/openmpi-mca-params.conf", "\n\nbtl = tcp,self",
		  "OMPI_MCA_btl", "/opt/lib/ompi/etc/openmpi-mca-params.conf:3" },
		{ "libmpi.so.40", "home/u/.openmpi/mca-params.conf", "pml=ob1", "OMPI_MCA_pml",
		  "/home/u/.openmpi/mca-params.conf:1" },
		{ "libmpi.so.40", "etc/openmpi/openmpi-mca-params.conf", "pml=ob1", "OMPI_MCA_pml",
		  "/etc/openmpi/openmpi-mca-params.conf:1" },
		{ "libucp.so.0", "etc/ucx/ucx.conf", "UCX_TLS=tcp\n", "UCX_TLS",
		  "/etc/ucx/ucx.conf:1" },
		{ "libucp.so.0", "etc/ucx/ucx.conf", "[Intel]\nUCX_TLS=tcp\n", "UCX_TLS", NULL },
		{ "libc.so.6", "etc/nccl.conf", "NCCL_IB_DISABLE=1\n", "NCCL_IB_DISABLE", NULL },
		{ "libnccl.so.2", "etc/nccl.conf", "SECRET=1\n=\n\n#NCCL_NET=IB\n", "NCCL_NET",
		  NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct ibc_setting *setting;
		struct ibc_host *host;
		char maps[256];

		put_process(RANK, 1, "rank");
		put_texts(RANK, "environ", "HOME=/home/u");
		snprintf(maps, sizeof(maps), MAPPED("/opt/lib/ompi/lib64/%s"), cases[i].maps);
		put(of_process(RANK, "maps"), maps);
		put(cases[i].file, cases[i].text);
		setting = read_setting(&host, cases[i].name);
		assert_int_equal(setting != NULL, cases[i].where != NULL);
		if (setting)
			assert_string_equal(setting->where, cases[i].where);
		ibc_host_free(host);
		assert_int_equal(unlink(below_root(cases[i].file)), 0);
	}
}

static void put_nccl(void)
{
	put_process(RANK, 1, "rank");
	put(of_process(RANK, "maps"), MAPPED("/usr/lib/libnccl.so.2"));
}

static void the_environment_comes_before_files_and_ones_own_before_the_systems(void **state)
{
	const struct ibc_setting *setting;
	struct ibc_host *host;

	(void)state;
	put_nccl();
	put("etc/nccl.conf", "NCCL_IB_DISABLE=1\n");
	put("home/u/.nccl.conf", "NCCL_IB_DISABLE=0\n");
	put_texts(RANK, "environ", "HOME=/home/u");
	setting = read_setting(&host, "NCCL_IB_DISABLE");
	assert_string_equal(setting->where, "/home/u/.nccl.conf:1");
	assert_int_equal(setting->effect, NONE);
	ibc_host_free(host);
	put_texts(RANK, "environ", "HOME=/home/u\0NCCL_IB_DISABLE=2\0NCCL_IB_DISABLE=0");
	setting = read_setting(&host, "NCCL_IB_DISABLE");
	assert_string_equal(setting->value, "2");
	assert_int_equal(ibc_host_process(host, 0)->num_settings, 1);
	ibc_host_free(host);
}

/* To open some devices starts something; who names one may want us to. */
static void what_is_named_and_is_no_file_is_not_even_opened(void **state)
{
	struct ibc_host *host;
	int watch;

	(void)state;
	put_nccl();
	put_texts(RANK, "environ", "NCCL_CONF_FILE=/dev/odd");
	make_dirs("dev/odd");
	assert_int_equal(mkfifo(below_root("dev/odd"), 0666), 0);
	watch = watch_open("dev/odd");
	host = read_processes(0, NULL);
	assert_false(was_opened(watch));
	assert_int_equal(unread_of(host, "/dev/odd"), EINVAL);
	ibc_host_free(host);
}

static void a_named_file_is_read_in_the_place_of_ones_own(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_nccl();
	put("home/u/.nccl.conf", "NCCL_NET=IB\n");
	put("home/u/other.conf", "NCCL_NET=Socket\n");
	put_texts(RANK, "environ", "HOME=/home/u\0NCCL_CONF_FILE=~/other.conf");
	assert_string_equal(read_setting(&host, "NCCL_NET")->where, "/home/u/other.conf:1");
	ibc_host_free(host);
}

static void files_are_those_of_a_containers_root_and_links_stay_in_it(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_nccl();
	put("etc/nccl.conf", "NCCL_NET=IB\n");
	put("box/etc/nccl.conf", "NCCL_NET=Socket\n");
	put_link(of_process(RANK, "root"), "/box");
	assert_string_equal(read_setting(&host, "NCCL_NET")->value, "Socket");
	ibc_host_free(host);
	assert_int_equal(unlink(below_root("box/etc/nccl.conf")), 0);
	put_link("box/etc/nccl.conf", "/etc/real.conf");
	put("box/etc/real.conf", "NCCL_NET=Socket\n");
	assert_string_equal(read_setting(&host, "NCCL_NET")->where, "/etc/nccl.conf:1");
	ibc_host_free(host);
	put_link("box/etc/nccl.conf", "./../../../up/./real.conf");
	put_link("box/up", "../etc");
	assert_string_equal(read_setting(&host, "NCCL_NET")->value, "Socket");
	ibc_host_free(host);
	put_link("box/up", "up");
	assert_null(read_setting(&host, "NCCL_NET"));
	assert_int_equal(unread_of(host, "/etc/nccl.conf"), ELOOP);
	ibc_host_free(host);
}

static void a_file_that_is_none_is_unread(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_nccl();
	make_dirs("etc/nccl.conf/x");
	host = read_processes(0, NULL);
	assert_int_equal(unread_of(host, "/etc/nccl.conf"), EINVAL);
	ibc_host_free(host);
}

static void settings_of_all_programs_are_the_hosts(void **state)
{
	struct ibc_host *host;

	(void)state;
	make_dirs("proc/1/x");
	put("etc/nccl.conf", "NCCL_IB_DISABLE=1\nSECRET=1\n");
	put("etc/ucx/ucx.conf", "UCX_TLS=all\n");
	host = read_processes(0, NULL);
	assert_string_equal(ibc_host_setting(host, 0)->where, "/etc/nccl.conf:1");
	assert_int_equal(ibc_host_setting(host, 0)->effect, TCP);
	assert_string_equal(ibc_host_setting(host, 1)->name, "UCX_TLS");
	assert_null(ibc_host_setting(host, 2));
	ibc_host_free(host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_in_order_and_each_is_found),
		TEST(each_value_does_what_its_library_documents),
		TEST(on_a_host_without_devices_no_name_of_one_is_wrong),
		TEST(values_of_other_variables_never_get_in),
		TEST(command_lines_tell_in_the_ways_of_their_launchers),
		TEST(the_pml_of_open_mpi_decides_over_its_btls),
		TEST(each_library_reads_its_own_files),
		TEST(the_environment_comes_before_files_and_ones_own_before_the_systems),
		TEST(what_is_named_and_is_no_file_is_not_even_opened),
		TEST(a_named_file_is_read_in_the_place_of_ones_own),
		TEST(files_are_those_of_a_containers_root_and_links_stay_in_it),
		TEST(a_file_that_is_none_is_unread),
		TEST(settings_of_all_programs_are_the_hosts),
	};

	return cmocka_run_group_tests_name("variables", tests, NULL, NULL);
}
