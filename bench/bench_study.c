// Cost of studies: members of the double-wishbone suspension with random springs and shock absorbers.
//   steps     the same members by a loop that only steps, on two threads as well; building models is not
//             counted
//   study     the whole study, from its file to the tables: quantities at the ends, peaks of a height and a
//             force, and the largest acceleration, which needs rows (of a tenth of the members)
//   shell     a command per member, of 50 members
// Steps and studies take turns, a tenth of the members at a time, so that a machine which is busy now and
// then disturbs their ratio little. And what process 0 of a study on many processes does for a chunk and for
// a member of it (docs/cluster.md).
// usage: bench_study [MEMBERS [COMMAND]], in the source tree
#define _POSIX_C_SOURCE 200809L
#include "study/crew.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <trammel/sim.h>
#include <unistd.h>

static double clock_of(clockid_t which)
{
    struct timespec t;
    clock_gettime(which, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static double cpu(void) { return clock_of(CLOCK_PROCESS_CPUTIME_ID); }
static double wall(void) { return clock_of(CLOCK_MONOTONIC); }

static void need(tml_status st, const tml_error *err)
{
    if (st == TML_OK) return;
    printf("%s: %s\n", tml_status_name(st), err->msg);
    exit(1);
}

static tml_study *study_of(const char *folder, long members, const char *quantities)
{
    char path[512], here[512];
    tml_error err = {0};
    tml_study *s = NULL;
    if (!getcwd(here, sizeof here)) exit(1);
    snprintf(path, sizeof path, "%.400s/bench.yaml", folder);
    FILE *f = fopen(path, "w");
    if (!f) exit(1);
    fprintf(f,
            "model: %s/models/suspension.yaml\n"
            "sampling: {method: random, members: %ld}\n"
            "parameters: {k: {from: 120e3, to: 220e3}, c: {from: 10e3, to: 25e3}}\n"
            "quantities: {%s}\n",
            here, members, quantities);
    fclose(f);
    need(tml_study_read(path, NULL, &s, &err), &err);
    return s;
}

// ---- steps alone ------------------------------------------------------------------------------------------

enum { ROUNDS = 10, THREADS = 2 };

typedef struct part {
    const tml_study *s;
    long first, members;  // every THREADS * ROUNDS-th one
    double seconds;       // CPU time of the steps
} part;

static double step_member(const tml_study *s, long member)
{
    tml_error err = {0};
    double x[2];
    char text[2][32];
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_sim *sim = NULL;
    need(tml_study_parameters(s, member, x, &err), &err);
    for (int k = 0; k < 2; k++) snprintf(text[k], sizeof text[k], "%.17g", x[k]);
    const tml_parameter set[] = {{"k", text[0]}, {"c", text[1]}};
    need(tml_spec_read("models/suspension.yaml", set, 2, NULL, &spec, &err), &err);
    need(tml_model_build(spec, &model, &err), &err);
    need(tml_sim_create(model, NULL, &sim, &err), &err);
    const double end = tml_sim_settings(sim)->end, began = clock_of(CLOCK_THREAD_CPUTIME_ID);
    while (tml_sim_time(sim) < end) need(tml_sim_step(sim, end, &err), &err);
    const double used = clock_of(CLOCK_THREAD_CPUTIME_ID) - began;
    tml_sim_destroy(sim);
    tml_model_destroy(model);
    tml_spec_destroy(spec);
    return used;
}

static void *step_part(void *user)
{
    part *p = user;
    for (long i = p->first; i < p->members; i += THREADS * ROUNDS) p->seconds += step_member(p->s, i);
    return NULL;
}

// CPU time of the steps of the members of a round, on two threads as the studies have.
static double step_round(const tml_study *s, long members, int round)
{
    part p[THREADS] = {{s, round, members, 0}, {s, round + ROUNDS, members, 0}};
    pthread_t other;
    if (pthread_create(&other, NULL, step_part, &p[1]) != 0) exit(1);
    step_part(&p[0]);
    pthread_join(other, NULL);
    return p[0].seconds + p[1].seconds;
}

// A study, and what it has taken so far.
typedef struct contender {
    const char *what, *quantities;
    int rounds;                    // of ROUNDS
    double used, passed, against;  // CPU time and time [s]; CPU time of the steps of the same members
    double least, most;            // used over against in a round
    long done, failed;
} contender;

// The round-th part of the study, from its file to the tables.
static void study_round(const char *folder, contender *k, long members, int round, double steps)
{
    char out[512];
    tml_error err = {0};
    tml_study_progress p;
    tml_study_run_def def = tml_study_run_def_default();
    snprintf(out, sizeof out, "%.400s/bench", folder);
    def.out = out;
    def.threads = THREADS;
    def.overwrite = true;
    def.part = round + 1;
    def.parts = ROUNDS;
    const double began = cpu(), at = wall();
    tml_study *s = study_of(folder, members, k->quantities);
    need(tml_study_run(s, &def, &p, &err), &err);
    const double used = cpu() - began;
    k->passed += wall() - at;
    k->used += used;
    k->against += steps;
    k->least = round ? fmin(k->least, used / steps) : used / steps;
    k->most = round ? fmax(k->most, used / steps) : used / steps;
    k->done += p.here;
    k->failed += p.failed;
    tml_study_destroy(s);
}

static void print_study(const contender *k)
{
    printf(
        "study, %-22s %8.3f ms per member, %5.3f times the steps (%.3f to %.3f), %6.1f members per second\n",
        k->what, 1e3 * k->used / (double)k->done, k->used / k->against, k->least, k->most,
        (double)k->done / k->passed);
    if (k->failed) printf("%ld members failed\n", k->failed);
}

static void compare(const tml_study *s, const char *folder, long members)
{
    contender all[] = {
        {.what = "ends only", .quantities = "last: {of: chassis_height}", .rounds = ROUNDS},
        {.what = "two peaks",
         .quantities = "high: {of: chassis_height, take: max}, load: {of: wheel_load, take: min}",
         .rounds = ROUNDS},
        {.what = "peak of acceleration", .quantities = "high: {of: chassis.az, take: max}", .rounds = 1}};
    const int count = (int)(sizeof all / sizeof *all);
    double steps = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const double now = step_round(s, members, round);
        steps += now;
        for (int i = 0; i < count; i++)
            if (round < all[i].rounds) study_round(folder, &all[i], members, round, now);
    }
    printf("steps                         %8.3f ms per member\n", 1e3 * steps / (double)members);
    for (int i = 0; i < count; i++) print_study(&all[i]);
}

static void time_shell(const tml_study *s, const char *folder, const char *command, long members)
{
    const double at = wall();
    for (long i = 0; i < members; i++) {
        double x[2];
        char line[800];
        tml_study_parameters(s, i, x, NULL);
        snprintf(line, sizeof line,
                 "%.300s run models/suspension.yaml --set k=%.17g --set c=%.17g --csv %.200s/run.csv --quiet",
                 command, x[0], x[1], folder);
        if (system(line) != 0) exit(1);  // NOLINT(cert-env33-c): what a user would type
    }
    printf("shell                         %8.1f members per second\n", (double)members / (wall() - at));
}

// ---- process 0 --------------------------------------------------------------------------------------------

typedef struct flood {
    long left;
    size_t size;
    char *data;
} flood;

static bool probe(int *from, size_t *size, void *user)
{
    const flood *f = user;
    *from = 1;
    *size = f->size;
    return true;
}
static tml_status receive(int from, void *data, size_t size, void *user, tml_error *err)
{
    flood *f = user;
    (void)from, (void)err;
    memcpy(data, f->data, size);
    f->left--;
    return TML_OK;
}
static tml_status send_nothing(int to, const void *data, size_t size, void *user, tml_error *err)
{
    (void)to, (void)data, (void)size, (void)user, (void)err;
    return TML_OK;
}

// Reports of `lines` members that come without pause: what process 0 does for each, without the messages.
static double time_reports(const tml_study *s, const char *folder, int lines)
{
    struct {
        double seconds;
        int64_t members, failed, stop;
    } head = {1e-2, lines, 0, 0};
    const size_t room = tmli_journal_room(s);
    flood f = {.data = calloc((size_t)lines + 1, room)};
    double values[16] = {0};
    tml_error err = {0};
    char path[512];
    memcpy(f.data, &head, sizeof head);
    f.size = sizeof head;
    for (int i = 0; i < lines; i++) f.size += tmli_journal_line(s, i, values, "", f.data + f.size, room);
    const tml_study_ranks ranks = {
        .count = 2, .send = send_nothing, .probe = probe, .receive = receive, .user = &f};
    tml_study_run_def def = tml_study_run_def_default();
    def.ranks = &ranks;
    tmli_crew c = {.study = s, .def = &def, .done = calloc((size_t)s->members, 1)};
    tml_study_table *none = NULL;
    snprintf(path, sizeof path, "%.400s/flood.journal", folder);
    c.progress.members = s->members;
    pthread_mutex_init(&c.lock, NULL);
    need(tmli_table_create(s, &none, &err), &err);
    need(tmli_journal_open(s, path, TMLI_JOURNAL_OVERWRITE, none, &c.journal, &err), &err);
    const double began = wall();
    tmli_ranks_serve(&c);
    const double each = (wall() - began) / (double)-f.left;
    tmli_journal_close(c.journal);
    tml_study_table_destroy(none);
    free(c.done);
    free(f.data);
    return each;
}

int main(int argc, char **argv)
{
    const long members = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
    char folder[] = "/tmp/bench_study_XXXXXX";
    if (members < THREADS * ROUNDS || !mkdtemp(folder)) return 2;
    tml_study *s = study_of(folder, members, "last: {of: chassis_height}");
    compare(s, folder, members);
    if (argc > 2) time_shell(s, folder, argv[2], members < 50 ? members : 50);
    tml_study_destroy(s);
    s = study_of(folder, 200000, "last: {of: chassis_height}");
    const double one = time_reports(s, folder, 1), many = time_reports(s, folder, 101);
    printf("process 0                     %8.2f us per chunk, %.2f us per member\n",
           1e6 * (one - (many - one) / 100), 1e6 * (many - one) / 100);
    tml_study_destroy(s);
    return 0;
}
