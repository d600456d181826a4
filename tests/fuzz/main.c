/* SPDX-License-Identifier: BSD-2-Clause */
/* Gives the files named on the command line to a fuzz target: a corpus, replayed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define INPUT_MAX (1 << 24)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
	FILE *in = fopen(path, "rb");
	uint8_t *bytes = malloc(INPUT_MAX), *exact = NULL;
	size_t size = 0;

	if (in && bytes)
		size = fread(bytes, 1, INPUT_MAX, in);
	/* of the very size, so that the sanitizer sees a step beyond it */
	if (in && bytes && !ferror(in))
		exact = realloc(bytes, size ? size : 1);
	if (exact)
		LLVMFuzzerTestOneInput(exact, size);
	else
		perror(path);
	free(exact ? exact : bytes);
	if (in)
		fclose(in);
	return exact ? 0 : 1;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: %s FILE...\n", argv[0]);
		return 2;
	}
	for (int i = 1; i < argc; i++)
		if (replay(argv[i]))
			return 1;
	printf("%d inputs\n", argc - 1);
	return 0;
}
