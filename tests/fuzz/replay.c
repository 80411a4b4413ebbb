// Runs every file of a directory through a fuzz target: the corpus as a regression test, with any compiler.
// Exit status 1 if the directory cannot be read or holds no file; a crash is the target's own.
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// The buffer has exactly the size of the file, so that a sanitizer sees the first byte read too far.
static int replay(const char *path, size_t size)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data = malloc(size ? size : 1);
    const int ok = f && data && fread(data, 1, size, f) == size;
    if (f) fclose(f);
    if (ok) LLVMFuzzerTestOneInput(data, size);
    else fprintf(stderr, "%s: cannot be read\n", path);
    free(data);
    return ok;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
        return 1;
    }
    DIR *dir = opendir(argv[1]);
    if (!dir) {
        fprintf(stderr, "%s: cannot be opened\n", argv[1]);
        return 1;
    }
    int files = 0, ok = 1;
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        char path[4096];
        struct stat st;
        const int n = snprintf(path, sizeof path, "%s/%s", argv[1], e->d_name);
        if (n < 0 || (size_t)n >= sizeof path || stat(path, &st) != 0 || !S_ISREG(st.st_mode)) continue;
        fprintf(stderr, "%s\n", e->d_name);  // the last name printed is the one that crashed
        ok = replay(path, (size_t)st.st_size) && ok;
        files++;
    }
    closedir(dir);
    if (files == 0) fprintf(stderr, "%s: no files\n", argv[1]);
    return ok && files ? 0 : 1;
}
