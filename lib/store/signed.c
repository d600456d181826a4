/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What waits for a hook is signed: whoever can write the history can add to it, and a hook of root
 * takes what it gets for root's word.  The key is a file that its user alone can read.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ibcheck/files.h>

#include "base/arena.h"
#include "base/error.h"
#include "store/store.h"

struct key {
	uint64_t half[2];
};

static uint64_t turned(uint64_t z, int bits)
{
	return z << bits | z >> (64 - bits);
}

static void sip_rounds(uint64_t v[4], int n)
{
	while (n--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = turned(v[1], 13) ^ v[0];
		v[3] = turned(v[3], 16) ^ v[2];
		v[0] = turned(v[0], 32) + v[3];
		v[2] += v[1];
		v[3] = turned(v[3], 21) ^ v[0];
		v[1] = turned(v[1], 17) ^ v[2];
		v[2] = turned(v[2], 32);
	}
}

/* SipHash-2-4 (Aumasson, Bernstein 2012): without the key that of another text is not known. */
static uint64_t sip_hash(const struct key *key, const char *text, size_t n)
{
	uint64_t v[4] = { key->half[0] ^ 0x736f6d6570736575, key->half[1] ^ 0x646f72616e646f6d,
		          key->half[0] ^ 0x6c7967656e657261, key->half[1] ^ 0x7465646279746573 };
	uint64_t word = 0;

	for (size_t i = 0; i <= (n | 7); i++) {
		word |= (uint64_t)(i < n          ? (unsigned char)text[i]
		                   : i == (n | 7) ? n & 0xff
		                                  : 0)
		        << i % 8 * 8;
		if (i % 8 < 7)
			continue;
		v[3] ^= word;
		sip_rounds(v, 2);
		v[0] ^= word;
		word = 0;
	}
	v[2] ^= 0xff;
	sip_rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* The key of who runs this: one that is not his alone is made anew.  0 or negative errno. */
static int key_of(const struct ibc_store *store, struct key *key)
{
	const char *name = arena_printf(store->arena, "hook.key.%u", (unsigned int)geteuid());
	struct stat st;
	int fd = name ? ibc_file_open(store->fd, name, O_RDONLY, 0, NULL) : -ENOMEM, rc;
	bool good = fd >= 0 && !fstat(fd, &st) && st.st_uid == geteuid() && !(st.st_mode & 077) &&
	            st.st_size == sizeof(*key) && pread(fd, key, sizeof(*key), 0) == sizeof(*key);

	store_unlock(&fd);
	if (good || !name)
		return name ? 0 : -ENOMEM;
	unlinkat(store->fd, name, 0);
	fd = ibc_file_open(store->fd, name, O_WRONLY | O_CREAT | O_EXCL, 0600, NULL);
	if (fd < 0)
		return fd;
	good = getrandom(key, sizeof(*key), 0) == sizeof(*key) &&
	       write(fd, key, sizeof(*key)) == sizeof(*key);
	rc = good ? 0 : errno ? -errno : -EIO;
	store_unlock(&fd);
	return rc;
}

#define SIGNATURE 16 /* digits; a blank follows */

static int sign(const struct ibc_store *store, int64_t run, const char *text,
                char out[SIGNATURE + 1])
{
	const char *all = arena_printf(store->arena, "%" PRId64 " %s", run, text);
	struct key key;
	int rc = all ? key_of(store, &key) : -ENOMEM;

	if (!rc)
		snprintf(out, SIGNATURE + 1, "%016" PRIx64, sip_hash(&key, all, strlen(all)));
	return rc;
}

const char *store_signed(const struct ibc_store *store, int64_t run, const char *text,
                         struct ibc_error *err)
{
	char signature[SIGNATURE + 1];
	int rc = sign(store, run, text, signature);

	if (rc) {
		fail(err, rc, "cannot write %s/hook.key.%u: %s", store->dir,
		     (unsigned int)geteuid(), strerror(-rc));
		return NULL;
	}
	text = arena_printf(store->arena, "%s %s", signature, text);
	if (!text)
		fail_nomem(err);
	return text;
}

const char *store_signed_text(const struct ibc_store *store, int64_t run, const char *text)
{
	char signature[SIGNATURE + 1];

	if (strlen(text) <= SIGNATURE || text[SIGNATURE] != ' ' ||
	    sign(store, run, text + SIGNATURE + 1, signature) ||
	    strncmp(text, signature, SIGNATURE) != 0)
		return NULL;
	return text + SIGNATURE + 1;
}
