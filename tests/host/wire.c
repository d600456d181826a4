/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two interfaces that the kernel takes for IPoIB, wired back to back, each in a network
 * namespace that nobody else has: TUN devices whose hardware type is set to InfiniBand
 * (TUNSETLINK, only while they are down).
 *
 *	wire [MTU]
 *
 * prints how to enter the namespaces, and copies packets until it is killed; then all of
 * it is gone.  The ends are 10.99.0.1 and 10.99.0.2.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PACKET_MAX (65536 + 64) /* with its header */

struct end {
	int netns, tun;
};

static int must(int rc, const char *what)
{
	if (rc >= 0)
		return rc;
	perror(what);
	exit(1);
}

static struct ifreq request_of(const char *name)
{
	struct ifreq request = { .ifr_flags = 0 };

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
	return request;
}

static void set_address(int s, const char *name, int command, const char *text)
{
	struct ifreq request = request_of(name);
	struct sockaddr_in address = { .sin_family = AF_INET };

	inet_pton(AF_INET, text, &address.sin_addr);
	memcpy(&request.ifr_addr, &address, sizeof(address));
	must(ioctl(s, (unsigned long)command, &request), text);
}

static void bring_up(int s, const char *name)
{
	struct ifreq request = request_of(name);

	must(ioctl(s, SIOCGIFFLAGS, &request), "SIOCGIFFLAGS");
	request.ifr_flags |= IFF_UP;
	must(ioctl(s, SIOCSIFFLAGS, &request), "SIOCSIFFLAGS");
}

static int make_tun(int s, const char *address, int mtu)
{
	struct ifreq request = request_of("ib0");
	int tun = must(open("/dev/net/tun", O_RDWR | O_CLOEXEC), "/dev/net/tun");

	/* what one end leaves to the hardware, segments and checksums, the other is told of */
	request.ifr_flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR;
	must(ioctl(tun, TUNSETIFF, &request), "TUNSETIFF");
	must(ioctl(tun, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6), "TUNSETOFFLOAD");
	must(ioctl(tun, TUNSETLINK, (unsigned long)ARPHRD_INFINIBAND), "TUNSETLINK");
	request = request_of("ib0");
	request.ifr_mtu = mtu;
	must(ioctl(s, SIOCSIFMTU, &request), "SIOCSIFMTU");
	set_address(s, "ib0", SIOCSIFADDR, address);
	set_address(s, "ib0", SIOCSIFNETMASK, "255.255.255.0");
	bring_up(s, "ib0");
	return tun;
}

static struct end make_end(const char *address, int mtu)
{
	struct end end;
	int s;

	must(unshare(CLONE_NEWNET), "unshare");
	end.netns = must(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC), "ns/net");
	s = must(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket");
	bring_up(s, "lo");
	end.tun = make_tun(s, address, mtu);
	close(s);
	return end;
}

static void copy(int from, int to)
{
	static char packet[PACKET_MAX];
	ssize_t n = read(from, packet, sizeof(packet));

	if (n > 0 && write(to, packet, (size_t)n) < 0 && errno != EIO)
		perror("write");
}

int main(int argc, char **argv)
{
	int home = must(open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), "ns/net");
	int mtu = argc > 1 ? atoi(argv[1]) : 2044;
	struct end a = make_end("10.99.0.1", mtu), b = make_end("10.99.0.2", mtu);
	struct pollfd ends[] = { { .fd = a.tun, .events = POLLIN },
		                 { .fd = b.tun, .events = POLLIN } };

	must(setns(home, CLONE_NEWNET), "setns");
	printf("/proc/%d/fd/%d /proc/%d/fd/%d\n", getpid(), a.netns, getpid(), b.netns);
	fflush(stdout);
	while (must(poll(ends, 2, -1), "poll") >= 0)
		for (int i = 0; i < 2; i++)
			if (ends[i].revents & POLLIN)
				copy(ends[i].fd, ends[!i].fd);
	return 0;
}
