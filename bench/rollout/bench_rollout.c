// Many runs of one chain (rollout.h) on two threads: a study of Trammel, from its file to its tables, and,
// where it is installed, MuJoCo with its model in memory. For each setting the largest error of a tip among
// the members, processor time per member, and members per second.
//
// usage: bench_rollout [MEMBERS [RODS]]     (2000 members, 5 rods: the bodies of the suspension)
#define _POSIX_C_SOURCE 200809L
#include "rollout.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const struct {
    const char *name;
    rollout_run *run;
} simulators[] = {
    {"Trammel", rollout_trammel},
#ifdef ROLLOUT_MUJOCO
    {"MuJoCo", rollout_mujoco},
#endif
};

static double clock_of(clockid_t which)
{
    struct timespec t;
    clock_gettime(which, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
double rollout_cpu(void) { return clock_of(CLOCK_PROCESS_CPUTIME_ID); }
double rollout_wall(void) { return clock_of(CLOCK_MONOTONIC); }

static double largest_error(const double *tip, const double *reference, long members)
{
    double most = 0;
    for (long i = 0; i < members; i++) {
        const double e = hypot(tip[2 * i] - reference[2 * i], tip[2 * i + 1] - reference[2 * i + 1]);
        most = isnan(e) ? INFINITY : fmax(most, e);
    }
    return most;
}

int main(int argc, char **argv)
{
    rollout r = {.rods = argc > 2 ? atoi(argv[2]) : 5,
                 .end = 1,
                 .members = argc > 1 ? atol(argv[1]) : 2000,
                 .threads = 2};
    if (r.rods < 1 || r.members < 1) return 2;
    double *torque = calloc((size_t)r.members, sizeof *torque);
    double *reference = calloc(2 * (size_t)r.members, sizeof *reference);
    rollout_result out = {.tip = calloc(2 * (size_t)r.members, sizeof *out.tip)};
    if (!torque || !reference || !out.tip) return 1;
    rollout_reference(&r, torque, reference);
    r.torque = torque;
    printf("%ld members of %d rods, %g s, %d threads\n", r.members, r.rods, r.end, r.threads);
    printf("%-8s %-26s %12s %14s %14s\n", "", "", "error [m]", "ms per member", "members per s");
    for (size_t s = 0; s < sizeof simulators / sizeof *simulators; s++)
        for (int i = 0; simulators[s].run(&r, i, &out); i++)
            printf("%-8s %-26s %12.2g %14.3f %14.0f\n", simulators[s].name, out.setting,
                   largest_error(out.tip, reference, r.members), 1e3 * out.cpu / (double)r.members,
                   (double)r.members / out.passed);
    free(torque);
    free(reference);
    free(out.tip);
    return 0;
}
