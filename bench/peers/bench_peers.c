// Trammel against other simulators at equal error: chains, rows of four-bars, Andrews' mechanism, a stiff
// double pendulum.
//
//   bench_peers [--csv FILE] [--limit SECONDS] [--cell SECONDS] [--repeats N]
//               [--quick | --all] [--only TEXT] [--peer NAME]
//
// Prints tables; what happens meanwhile goes to the standard error. --limit: of one run; --cell: of one
// simulator on one problem; --quick: small problems, fewer settings; --all: every setting down to the
// smallest error, to see where it fails; --only: problems whose name contains the text; --peer: Trammel and
// this one.
//
// The error is the largest of any body's position [m] or angle [rad] at the sample times against a reference
// of its own (reference.c). Times are processor time in one thread, the least of at least N runs, for runs of
// milliseconds of up to 36, in which the simulators take turns. "Set-up" is what comes before the integration
// loop: Trammel reads the model file, builds the model and creates the simulation, MuJoCo loads the text of
// its model, Simbody and Bullet build theirs by calls, and IDA is given vectors, pattern and solver. Each
// simulator runs with several settings, of which the fastest that reaches the error counts; those that it
// cannot try within its time for the problem are left out. A simulator whose program is not beside this one
// is absent. Run from the top of the tree: it reads models/.
#include "contest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    problem_kind kind;
    int n;
    bool quick;
} PROBLEMS[] = {{CHAIN, 5, true},       {CHAIN, 50, true},    {CHAIN, 200, false},
                {CHAIN, 1000, false},   {FOUR_BARS, 1, true}, {FOUR_BARS, 10, true},
                {FOUR_BARS, 40, false}, {ANDREWS, 1, true},   {STIFF_PENDULUM, 1, true}};

static const struct {
    const char *name, *program, *package;
} PEERS[] = {{"Trammel", "peer_trammel", "this project"},
             {"IDA", "peer_ida", "libsundials-dev"},
             {"Simbody", "peer_simbody", "libsimbody-dev"},
             {"MuJoCo", "peer_mujoco", "libmujoco-dev"},
             {"Bullet", "peer_bullet", "libbullet-dev"}};
enum { MAX_PEERS = sizeof PEERS / sizeof *PEERS, PROBLEM_COUNT = sizeof PROBLEMS / sizeof *PROBLEMS };

/** Who is here; Trammel first. */
typedef struct field {
    int count;
    remote peer[MAX_PEERS];
    bool hopeless[MAX_PEERS]
                 [MAX_ENTRIES];  // settings left out of a large problem since they were slow on a smaller one
} field;

typedef struct cell {
    double seconds[TIMINGS][LEVELS];  // NAN: not reached
    double late;                      // [s] in which no run reached what is missing; 0: not for the time
    char what[LEVELS][64];            // the setting of the fastest loop
} cell;

typedef struct row {
    char name[32];
    cell cell[MAX_PEERS + 1];  // Trammel auto, Trammel best, the others
} row;

// Column 0 is Trammel with its first setting, `auto`, column 1 with any; then come the others.
static const point *column_best(const field *f, const contest *c, int i, int level, timing by,
                                const entry **of)
{
    return contest_best(c, &f->peer[i > 0 ? i - 1 : 0], i == 0 ? 0 : -1, level, by, of);
}

static const char *column_name(const field *f, int i)
{
    return i == 0 ? "auto" : i == 1 ? "best" : f->peer[i - 1].name;
}

// ---- output -----------------------------------------------------------------------------------------------

static void write_csv(const contest *c, FILE *f)
{
    for (int k = 0; k < c->count; k++) {
        const entry *e = &c->entry[k];
        for (int i = 0; i < e->count; i++) {
            const point *p = &e->point[i];
            fprintf(f, "%s,%s,\"%s\",%s,%.3e,%.3e,%.4e,%.4e,%d,%ld,\n", c->m->name, e->p->name, e->name,
                    p->note, p->accuracy, p->error, p->seconds[LOOP], p->seconds[WHOLE], p->runs, p->steps);
        }
        if (e->failed_at > 0)
            fprintf(f, "%s,%s,\"%s\",,%.3e,,,,,,\"%s\"\n", c->m->name, e->p->name, e->name, e->failed_at,
                    e->failure);
    }
    fflush(f);
}

static void print_failures(const contest *c)
{
    for (int k = 0; k < c->count; k++) {
        const entry *e = &c->entry[k];
        if (e->failed_at > 0)
            fprintf(stderr, "    %s, %s at %.1e: %s\n", e->p->name, e->name, e->failed_at, e->failure);
    }
}

// Both levels of a column; "-": not reached, >: not in this time.
static void print_milliseconds(const cell *x, timing by)
{
    char text[LEVELS][16];
    for (int l = 0; l < LEVELS; l++) {
        const bool missing = isnan(x->seconds[by][l]);
        const double ms = 1e3 * (missing ? x->late : x->seconds[by][l]);
        if (missing && x->late == 0) snprintf(text[l], sizeof text[l], "-");
        else
            snprintf(text[l], sizeof text[l],
                     ms < 10    ? "%s%.2f"
                     : ms < 100 ? "%s%.1f"
                                : "%s%.0f",
                     missing ? ">" : "", ms);
    }
    printf(" %7s /%7s", text[0], text[1]);
}

// Trammel's time over that of another; NAN: one of them does not reach the level.
static double ratio(const row *r, int other, timing by, int level)
{
    return r->cell[0].seconds[by][level] / r->cell[other].seconds[by][level];
}

static void print_ratios(const row *r, int other, timing by)
{
    char text[LEVELS][16];
    for (int l = 0; l < LEVELS; l++) {
        const double x = ratio(r, other, by, l);
        if (!isfinite(x)) snprintf(text[l], sizeof text[l], "-");
        else snprintf(text[l], sizeof text[l], x < 0.1 ? "%.3f" : "%.2f", x);
    }
    printf(" %7s /%7s", text[0], text[1]);
}

static void print_header(const field *f, int from, int settings_after)
{
    printf("%-20s", "");
    for (int i = from; i <= f->count; i++)
        printf(" %16s%s", column_name(f, i), i == settings_after ? "                              " : "");
    putchar('\n');
}

static void print_times(const field *f, const row *rows, int count, timing by)
{
    const bool settings = by == LOOP;  // behind those of `best`
    print_header(f, 0, settings ? 1 : -1);
    for (int r = 0; r < count; r++) {
        printf("%-20s", rows[r].name);
        for (int i = 0; i <= f->count; i++) {
            const cell *x = &rows[r].cell[i];
            print_milliseconds(x, by);
            if (i == 1 && settings) {
                const bool same = strcmp(x->what[0], x->what[1]) == 0;
                printf(" %-14s %-14s", x->what[0], same ? "" : x->what[1]);
            }
        }
        putchar('\n');
    }
}

static void print_tables(const field *f, const row *rows, int count)
{
    static const char *const what[TIMINGS] = {
        [LOOP] = "the integration loop", [WHOLE] = "set-up and integration loop"};
    for (int i = 0; i < f->count; i++) printf("%s%s %s", i ? ", " : "", f->peer[i].name, f->peer[i].version);
    putchar('\n');
    for (int by = 0; by < TIMINGS; by++) {
        printf("\nTimes of %s [ms] at errors of %.0e / %.0e\n\n", what[by], LEVEL[0], LEVEL[1]);
        print_times(f, rows, count, (timing)by);
    }
    int behind = 0, all = 0;
    for (int by = 0; by < TIMINGS; by++) {
        printf("\n`auto` over the others, %s\n\n", what[by]);
        print_header(f, 2, -1);
        for (int r = 0; r < count; r++) {
            printf("%-20s", rows[r].name);
            for (int i = 2; i <= f->count; i++) {
                print_ratios(&rows[r], i, (timing)by);
                for (int l = 0; l < LEVELS; l++, all++) {
                    // what the other does not reach in its time is won if `auto` reaches it
                    const bool other = !isnan(rows[r].cell[i].seconds[by][l]);
                    behind += other ? !(ratio(&rows[r], i, (timing)by, l) < 1)
                                    : isnan(rows[r].cell[0].seconds[by][l]);
                }
            }
            putchar('\n');
        }
    }
    printf("\n`auto` is not ahead in %d of %d comparisons.\n", behind, all);
}

// What won, with its accuracy and error.
static void print_winners(const field *f, const contest *c)
{
    for (int i = 0; i <= f->count; i++) {
        for (int l = 0; l < LEVELS; l++) {
            const entry *e;
            const point *p = column_best(f, c, i, l, LOOP, &e), *w = column_best(f, c, i, l, WHOLE, NULL);
            const double late = contest_late(c, &f->peer[i > 0 ? i - 1 : 0], i == 0 ? 0 : -1);
            fprintf(stderr, "    %-8s %.0e  ", column_name(f, i), LEVEL[l]);
            if (!p && late > 0) fprintf(stderr, "not finished in %.2g s\n", late);
            else if (!p) fprintf(stderr, "not found\n");
            else
                fprintf(stderr, "%9.3f ms  %9.3f with set-up  %6ld steps  error %.1e  %s at %.2e %s\n",
                        1e3 * p->seconds[LOOP], 1e3 * w->seconds[WHOLE], p->steps, p->error, e->name,
                        p->accuracy, e->index ? "" : p->note);
        }
    }
}

// ---- measuring --------------------------------------------------------------------------------------------

static void fill_row(const field *f, const contest *c, row *r)
{
    memcpy(r->name, c->m->name, sizeof r->name);
    for (int i = 0; i <= f->count; i++) {
        r->cell[i].late = contest_late(c, &f->peer[i > 0 ? i - 1 : 0], i == 0 ? 0 : -1);
        for (int l = 0; l < LEVELS; l++) {
            const entry *e;
            const point *p = column_best(f, c, i, l, LOOP, &e), *w = column_best(f, c, i, l, WHOLE, NULL);
            r->cell[i].seconds[LOOP][l] = p ? p->seconds[LOOP] : NAN;
            r->cell[i].seconds[WHOLE][l] = w ? w->seconds[WHOLE] : NAN;
            snprintf(r->cell[i].what[l], sizeof r->cell[i].what[l], "%s",
                     !p         ? "-"
                     : e->index ? e->name
                                : p->note);
        }
    }
}

static void measure(field *f, const mechanism *m, const contest_options *opt, FILE *csv, row *out)
{
    const double begin = cpu_now();
    double before[MAX_PEERS];
    for (int i = 0; i < f->count; i++) before[i] = f->peer[i].spent;
    reference *ref = reference_create(m);
    fprintf(stderr, "\n%s: reference: halving its step changes %.0e, pins open by %.0e", m->name,
            ref->halving, ref->closure);
    if (isnan(ref->known)) fputc('\n', stderr);
    else fprintf(stderr, ", off by %.0e from what is known\n", ref->known);
    contest *c = contest_create(m, ref, opt);
    if (m->n < 100) memset(f->hopeless, 0, sizeof f->hopeless);
    for (int i = 0; i < f->count; i++) {
        contest_measure(c, &f->peer[i], i == 0 ? 1 : 0, f->hopeless[i]);
        bool slow[MAX_ENTRIES];
        contest_find_hopeless(c, &f->peer[i], slow);
        for (int k = 0; k < MAX_ENTRIES; k++) f->hopeless[i][k] |= slow[k];
    }
    contest_race(c);
    print_winners(f, c);
    print_failures(c);
    fprintf(stderr, "    processor time [s]: reference %.1f", cpu_now() - begin);
    for (int i = 0; i < f->count; i++)
        fprintf(stderr, ", %s %.1f", f->peer[i].name, f->peer[i].spent - before[i]);
    fputc('\n', stderr);
    fill_row(f, c, out);
    if (csv) write_csv(c, csv);
    contest_destroy(c);
    reference_destroy(ref);
}

// Who is installed beside this program.
static bool gather(field *f, const char *self, const char *only)
{
    char folder[1024];
    const char *slash = strrchr(self, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - self) : 1, slash ? self : ".");
    for (int i = 0; i < (int)MAX_PEERS; i++) {
        remote *r = &f->peer[f->count];
        if (i > 0 && only && strcmp(only, PEERS[i].name) != 0) continue;
        if (remote_open(r, PEERS[i].name, folder, PEERS[i].program)) {
            fprintf(stderr, "%s %s\n", r->name, r->version);
            f->count++;
        } else {
            fprintf(stderr, "%s: absent (%s)\n", PEERS[i].name, PEERS[i].package);
            if (i == 0) return false;
        }
    }
    return true;
}

static int usage(void)
{
    fputs("usage: bench_peers [--csv FILE] [--limit SECONDS] [--cell SECONDS] [--repeats N] "
          "[--quick | --all] [--only TEXT] [--peer NAME]\n",
          stderr);
    return 2;
}

int main(int argc, char **argv)
{
    contest_options opt = {.limit = 4, .cell = 24, .repeats = 3};
    const char *csv_path = NULL, *only = NULL, *one = NULL;
    for (int i = 1; i < argc; i++) {
        const bool more = i + 1 < argc;
        if (strcmp(argv[i], "--quick") == 0) opt.quick = true;
        else if (strcmp(argv[i], "--all") == 0) opt.all = true;
        else if (strcmp(argv[i], "--csv") == 0 && more) csv_path = argv[++i];
        else if (strcmp(argv[i], "--cell") == 0 && more) opt.cell = atof(argv[++i]);
        else if (strcmp(argv[i], "--limit") == 0 && more) opt.limit = atof(argv[++i]);
        else if (strcmp(argv[i], "--repeats") == 0 && more) opt.repeats = atoi(argv[++i]);
        else if (strcmp(argv[i], "--only") == 0 && more) only = argv[++i];
        else if (strcmp(argv[i], "--peer") == 0 && more) one = argv[++i];
        else return usage();
    }
    if (!(opt.limit > 0) || !(opt.cell > 0) || opt.repeats < 1) return usage();
    FILE *csv = csv_path ? fopen(csv_path, "w") : NULL;
    if (csv_path && !csv) {
        perror(csv_path);
        return 1;
    }
    if (csv) fputs("problem,simulator,setting,method,accuracy,error,loop,whole,runs,steps,failure\n", csv);
    field f = {0};
    if (!gather(&f, argv[0], one)) return 1;

    row rows[PROBLEM_COUNT];
    int count = 0;
    for (int i = 0; i < (int)PROBLEM_COUNT; i++) {
        mechanism *m = mechanism_create(PROBLEMS[i].kind, PROBLEMS[i].n);
        if ((!opt.quick || PROBLEMS[i].quick) && (!only || strstr(m->name, only)))
            measure(&f, m, &opt, csv, &rows[count++]);
        mechanism_destroy(m);
    }
    print_tables(&f, rows, count);
    for (int i = 0; i < f.count; i++) remote_close(&f.peer[i]);
    const bool lost = fflush(stdout) != 0 || (csv && fclose(csv) != 0);
    if (lost) perror("bench_peers");
    return lost;
}
