// Cost of result files: a chain of 1000 rods over 1 s at 1e-3 with 101 rows, without a file, as HDF5 and as
// CSV. Processor time of the whole, from the model's text to the closed file; size over that of the numbers.
// The least of three runs each.
//
// usage: bench_results [COMMAND]
//
// By the library: all channels. With COMMAND, the path of `trammel`, also by the command: the channels that
// can change, and what it takes to continue the run.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <trammel/sim.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need(tml_status st, const tml_error *err)
{
    if (st == TML_OK) return;
    printf("%s: %s\n", tml_status_name(st), err->msg);
    exit(1);
}

enum { ROWS = 101 };

typedef struct sink {
    tml_writer *writer;  // NULL: none
    double *row;
    tml_error err;
} sink;

static tml_status take_row(const tml_sim *sim, const tml_state *x, void *user)
{
    sink *s = user;
    tml_status st = tml_sim_channel_values(sim, x, s->row, &s->err);
    if (st == TML_OK && s->writer) st = tml_writer_row(s->writer, s->row, &s->err);
    return st;
}

// Returns seconds; *bytes: of the file.
static double run(const char *path, int *channels, long *bytes)
{
    tml_error err = {0};
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_sim *sim = NULL;
    sink s = {0};
    static const tml_parameter rods = {"N", "1000"};
    const double start = now();
    need(tml_spec_read("models/chain.yaml", &rods, 1, NULL, &spec, &err), &err);
    need(tml_model_build(spec, &model, &err), &err);
    tml_run_def def = *tml_model_run(model);
    def.rtol = def.atol = 1e-3;
    need(tml_sim_create(model, &def, &sim, &err), &err);
    *channels = tml_sim_channel_count(sim);
    s.row = calloc((size_t)*channels + 1, sizeof *s.row);
    if (!s.row) exit(1);
    if (path)
        need(tml_writer_create(path, tml_sim_channels(sim), *channels, NULL, 0, NULL, &s.writer, &err), &err);
    tml_sim_set_hooks(sim, &(tml_sim_hooks){.on_output = take_row, .user = &s});
    need(tml_sim_run(sim, NAN, &err), &err);
    need(tml_writer_close(s.writer, &err), &err);
    const double seconds = now() - start;
    struct stat info = {0};
    if (path && stat(path, &info) == 0) *bytes = (long)info.st_size;
    if (path) unlink(path);
    free(s.row);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
    tml_spec_destroy(spec);
    return seconds;
}

// ---- by the command ---------------------------------------------------------------------------------------

static double children(void)
{
    struct rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static double run_command(const char *command, const char *path, int *channels, long *bytes)
{
    const double start = children();
    const pid_t child = fork();
    if (child == 0) {
        execl(command, command, "run", "models/chain.yaml", "--set", "N=1000", "--tol", "1e-3", "--out",
              path ? path : "none", "--quiet", (char *)NULL);
        _exit(127);
    }
    int status = 1;
    if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0) {
        printf("%s does not run\n", command);
        exit(1);
    }
    const double seconds = children() - start;
    tml_error err = {0};
    tml_result *r = NULL;
    struct stat info = {0};
    if (!path) return seconds;
    need(tml_result_open(path, NULL, &r, &err), &err);
    *channels = tml_result_channel_count(r);
    if (stat(path, &info) == 0) *bytes = (long)info.st_size;
    tml_result_close(r);
    unlink(path);
    unlink("bench_results.csv.resume");
    return seconds;
}

int main(int argc, char **argv)
{
    static const char *const paths[] = {NULL, "bench_results.h5", "bench_results.csv"};
    static const char *const names[] = {"no file", "HDF5", "CSV"};
    for (int by_command = 0; by_command < (argc > 1 ? 2 : 1); by_command++) {
        double none = 0;
        printf("%-10s time [s]   over no file   size over numbers   channels\n",
               by_command ? "command" : "library");
        for (int i = 0; i < 3; i++) {
            double least = 1e9;
            int channels = 0;
            long bytes = 0;
            for (int k = 0; k < 3; k++) {
                const double seconds = by_command ? run_command(argv[1], paths[i], &channels, &bytes)
                                                  : run(paths[i], &channels, &bytes);
                if (seconds < least) least = seconds;
            }
            if (i == 0) none = least;
            printf("%-10s %8.3f %14.2f", names[i], least, least / none);
            if (i == 0) puts("");
            else printf(" %19.2f %10d\n", (double)bytes / (8.0 * channels * ROWS), channels);
        }
    }
    return 0;
}
