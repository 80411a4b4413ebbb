// Processor time of whole processes: what a user waits for before and beside the steps. Least and median of
// many runs, user and system time, of an empty program, `trammel --version`, and `trammel run` of a pendulum,
// of a stiff vehicle (4 s, with its last row only, and with 401 rows), and of a beam of few elements, whose
// start counts.
// usage: bench_startup [COMMAND]     the command; default: the one of this build
#define _GNU_SOURCE  // wait4
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS = 50 };

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Fills ms (RUNS), ascending [ms]. False if the program fails.
static bool measure(char *const argv[], double *ms)
{
    for (int i = 0; i < RUNS; i++) {
        const pid_t child = fork();
        if (child == 0) {
            const int nowhere = open("/dev/null", O_WRONLY);
            if (nowhere < 0 || dup2(nowhere, 1) < 0) _exit(126);
            execv(argv[0], argv);
            _exit(127);
        }
        int status = 0;
        struct rusage use;
        if (child < 0 || wait4(child, &status, 0, &use) != child || status != 0) return false;
        ms[i] = 1e3 * (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
                1e-3 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
    }
    qsort(ms, RUNS, sizeof *ms, compare);
    return true;
}

// build/trammel, two names above build/bench/bench_startup
static void own_command(char *path, size_t room)
{
    const ssize_t n = readlink("/proc/self/exe", path, room - sizeof "trammel");
    char *end = path + (n > 0 ? n : 0);
    for (int names = 0; names < 2 && end > path; names++) do
            end--;
        while (end > path && *end != '/');
    strcpy(end, "/trammel");
}

int main(int argc, char **argv)
{
    char command[4096], model[] = "models/pendulum.yaml", vehicle[] = "models/hmmwv.yaml",
                        beam[] = "models/beam_flying_planar.yaml";
    if (argc > 1) snprintf(command, sizeof command, "%s", argv[1]);
    else own_command(command, sizeof command);
    char path[] = "/tmp/trammel-startup-XXXXXX";
    if (!mkdtemp(path)) return 1;
    char h5[64], csv[64];
    snprintf(h5, sizeof h5, "%s/a.h5", path);
    snprintf(csv, sizeof csv, "%s/a.csv", path);

    char truth[] = "/bin/true", version[] = "--version", run[] = "run", out[] = "--out", none[] = "none";
    char tol[] = "--tol", loose[] = "1e-3", rows[] = "--output-step", last[] = "4";
    char set[] = "--set", elements[] = "n=8", end[] = "--end", soon[] = "2";
    struct {
        const char *what;
        char *argv[12];
    } cases[] = {
        {"an empty program", {truth}},
        {"trammel --version", {command, version}},
        {"trammel run pendulum, no result file", {command, run, model, out, none}},
        {"trammel run pendulum, CSV", {command, run, model, out, csv}},
        {"trammel run pendulum, HDF5 (default)", {command, run, model, out, h5}},
        {"trammel run vehicle at 1e-3, no file", {command, run, vehicle, tol, loose, rows, last, out, none}},
        {"the same with 401 rows, no file", {command, run, vehicle, tol, loose, out, none}},
        {"the same with 401 rows, HDF5", {command, run, vehicle, tol, loose, out, h5}},
        {"trammel run beam of 8 elements, 2 s",
         {command, run, beam, set, elements, end, soon, tol, loose, out, none}},
    };
    printf("Processor time of a process, least and median of %d [ms]\n", RUNS);
    int failed = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double ms[RUNS];
        if (measure(cases[i].argv, ms)) printf("  %-38s %6.2f %6.2f\n", cases[i].what, ms[0], ms[RUNS / 2]);
        else failed = 1, printf("  %-38s failed\n", cases[i].what);
    }
    unlink(h5), unlink(csv), rmdir(path);
    return failed;
}
