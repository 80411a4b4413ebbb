// What the tests of writers and readers share: channels, a scratch directory, and repeatable contents of
// every cell. The including file defines _POSIX_C_SOURCE.
#ifndef TEST_RESULT_FIXTURE_H
#define TEST_RESULT_FIXTURE_H

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <trammel/result.h>

#include "result/hdf5/h5.h"
#include "result/reader.h"
#include "support/support.h"

static const tml_channel channels[] = {
    {.name = "t", .unit = "s", .dataset = "/t", .width = 1},
    {.name = "crank.x", .unit = "m", .dataset = "/bodies/crank/position", .width = 3},
    {.name = "crank.y", .unit = "m", .dataset = "/bodies/crank/position", .component = 1, .width = 3},
    {.name = "crank.z", .unit = "m", .dataset = "/bodies/crank/position", .component = 2, .width = 3},
    {.name = "a \"quoted\", name", .unit = "rad", .dataset = "/bodies/arm/angle", .width = 1},
    {.name = "pin.force", .unit = "N", .dataset = "/joints/pin/load", .width = 2, .determined = "shared"},
    {.name = "pin.torque",
     .unit = "N m",
     .dataset = "/joints/pin/load",
     .component = 1,
     .width = 2,
     .determined = "indeterminate"},
};
enum { N = sizeof channels / sizeof *channels, LONG_NOTE = 150001 };

static const char *const endings[] = {"csv", "h5", "hdf5"};

typedef struct fixture {
    char dir[64], path[128];
    char *model;  // a note of more than 64 KB
    tml_result_note notes[3];
} fixture;

static inline int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    strcpy(f->dir, "/tmp/trammel_result_XXXXXX");
    if (!mkdtemp(f->dir)) return -1;
    f->model = malloc(LONG_NOTE + 1);
    for (int i = 0; i < LONG_NOTE; i++) f->model[i] = (char)('a' + i % 23);
    f->model[LONG_NOTE] = 0;
    f->notes[0] = (tml_result_note){"title", "Kurbel \xc3\xa4 1"};
    f->notes[1] = (tml_result_note){"model", f->model};
    f->notes[2] = (tml_result_note){"options", ""};
    *state = f;
    return 0;
}

static inline int teardown(void **state)
{
    fixture *f = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", f->dir);
    const int rc = system(command);
    free(f->model);
    free(f);
    return rc;
}

static const char *in_dir(fixture *f, const char *name)
{
    snprintf(f->path, sizeof f->path, "%s/%s", f->dir, name);
    return f->path;
}

// The value of a cell: any bit pattern of a finite number, sometimes something special.
static inline double cell(size_t row, int column)
{
    static const double special[] = {NAN, INFINITY, -INFINITY, -0.0, 5e-324, 1.7976931348623157e308, 0.1};
    rng r = rng_seed(row * 1009 + (size_t)column * 17 + 3);
    for (int i = 0; i < 5; i++) rng_unit(&r);
    if (column > 0 && (row + (size_t)column) % 31 == 0) return special[(row + (size_t)column) / 31 % 7];
    return ldexp(rng_range(&r, -1, 1), (int)rng_range(&r, -300, 300));
}

static inline void fill_row(size_t row, double x[N])
{
    for (int i = 0; i < N; i++) x[i] = cell(row, i);
}

static inline bool same_bits(double a, double b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static inline tml_status read_any(const char *path, const tml_env *env, tmli_result **out, tml_error *err)
{
    return strstr(path, ".csv") ? tmli_result_read_csv(path, env, out, err)
                                : tmli_result_read_hdf5(path, env, out, err);
}

static inline void check_cells(const tmli_result *r)
{
    assert_int_equal(r->ncols, N);
    for (int i = 0; i < N; i++) assert_string_equal(r->names[i], channels[i].name);
    for (size_t k = 0; k < r->nrows; k++)
        for (int i = 0; i < N; i++)
            if (!same_bits(r->values[k * N + (size_t)i], cell(k, i)))
                fail_msg("row %zu column %d: %.17g, expected %.17g", k, i, r->values[k * N + (size_t)i],
                         cell(k, i));
}

static inline void write_rows(tml_writer *w, size_t from, size_t to)
{
    double x[N];
    tml_error err = {0};
    for (size_t k = from; k < to; k++) {
        fill_row(k, x);
        if (tml_writer_row(w, x, &err) != TML_OK) fail_msg("%s", err.msg);
    }
}

static inline tml_writer *open_writer(fixture *f, const char *name)
{
    tml_error err = {0};
    tml_writer *w = NULL;
    if (tml_writer_create(in_dir(f, name), channels, N, f->notes, 3, NULL, &w, &err) != TML_OK)
        fail_msg("%s", err.msg);
    return w;
}

#endif
