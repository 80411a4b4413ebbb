// The readers of result files on any bytes: the first byte selects the format. HDF5 files are made here, with
// any numbers as rows: the library is not safe against files that are damaged at will.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/result.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition) abort();
}

static void write_file(const char *path, const uint8_t *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    require(f && fwrite(data, 1, size, f) == size && fclose(f) == 0);
}

static void write_rows(const char *path, const uint8_t *data, size_t size)
{
    const tml_channel channels[2] = {{.name = "t", .unit = "s", .dataset = "/t", .width = 1},
                                     {.name = "x", .unit = "m", .dataset = "/outputs/x", .width = 1}};
    tml_writer *w = NULL;
    require(tml_writer_create(path, channels, 2, NULL, 0, NULL, &w, NULL) == TML_OK);
    for (size_t i = 0; i + 16 <= size && i < 1600; i += 16) {
        double row[2];
        memcpy(row, data + i, sizeof row);
        require(tml_writer_row(w, row, NULL) == TML_OK);
    }
    require(tml_writer_close(w, NULL) == TML_OK);
}

static void read_file(const char *path)
{
    tml_result *r = NULL;
    tml_error err = {0};
    const tml_status st = tml_result_open(path, NULL, &r, &err);
    require((st == TML_OK) == (r != NULL));
    require(st == TML_OK || err.msg[0]);
    for (size_t row = 0; row < tml_result_row_count(r); row++)
        for (int i = 0; i < tml_result_channel_count(r); i++) {
            const double x = tml_result_value(r, row, i);
            require(isnan(x) || x == tml_result_row(r, row)[i]);
        }
    for (int i = 0; i < tml_result_channel_count(r); i++) {
        const int found = tml_result_channel_index(r, tml_result_channel_name(r, i), NULL);
        require(found >= 0 && found <= i);
    }
    tml_result_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    if (size < 1) return 0;
    const int hdf5 = data[0] == 'H';
    snprintf(path, sizeof path, "fuzz-%ld.%s", (long)getpid(), hdf5 ? "h5" : "csv");
    if (hdf5) write_rows(path, data + 1, size - 1);
    else write_file(path, data + 1, size - 1);
    read_file(path);
    unlink(path);
    return 0;
}
