// Trammel against other simulators at equal error: chains, rows of four-bars, Andrews' mechanism, a stiff
// double pendulum.
//
//   bench_peers [--csv FILE] [--limit SECONDS] [--repeats N] [--quick | --all] [--only TEXT] [--peer NAME]
//
// --quick: small problems, fewer settings; --all: every setting down to the smallest error, to see where it
// fails; --only: problems whose name contains the text; --peer: Trammel and this one.
//
// The error is the largest of any body's position [m] or angle [rad] at the sample times against a reference
// of its own (reference.c). Times are processor time of the integration loop in one thread, the least of N
// runs; creation is not in them. Each simulator runs with several settings, of which the fastest that reaches
// the error counts. A simulator whose program is not beside this one is absent. Run from the top of the tree:
// it reads models/.
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
             {"MuJoCo", "peer_mujoco", "libmujoco-dev"}};
enum { MAX_PEERS = sizeof PEERS / sizeof *PEERS, PROBLEM_COUNT = sizeof PROBLEMS / sizeof *PROBLEMS };

/** Who is here; Trammel first. */
typedef struct field {
    int count;
    remote peer[MAX_PEERS];
    bool hopeless[MAX_PEERS]
                 [MAX_ENTRIES];  // settings left out of a large problem since they were slow on a smaller one
} field;

typedef struct cell {
    double seconds[LEVELS];  // NAN: not reached
    char what[LEVELS][64];   // the setting
} cell;

typedef struct row {
    char name[32];
    cell cell[MAX_PEERS + 1];  // Trammel auto, Trammel best, the others
} row;

// Column 0 is Trammel with its first setting, `auto`, column 1 with any; then come the others.
static const point *column_best(const field *f, const contest *c, int i, int level, const entry **of)
{
    return contest_best(c, &f->peer[i > 0 ? i - 1 : 0], i == 0 ? 0 : -1, level, of);
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
            fprintf(f, "%s,%s,\"%s\",%s,%.3e,%.3e,%.4e,%d,%ld,\n", c->m->name, e->p->name, e->name, p->note,
                    p->accuracy, p->error, p->seconds, p->runs, p->steps);
        }
        if (e->failed_at > 0)
            fprintf(f, "%s,%s,\"%s\",,%.3e,,,,,\"%s\"\n", c->m->name, e->p->name, e->name, e->failed_at,
                    e->failure);
    }
    fflush(f);
}

static void print_failures(const contest *c)
{
    for (int k = 0; k < c->count; k++) {
        const entry *e = &c->entry[k];
        if (e->failed_at > 0)
            printf("    %s, %s at %.1e: %s\n", e->p->name, e->name, e->failed_at, e->failure);
    }
}

static void print_pair(const double *x, const char *format)
{
    char text[2][16];
    for (int l = 0; l < LEVELS; l++) {
        if (isnan(x[l])) snprintf(text[l], sizeof text[l], "-");
        else snprintf(text[l], sizeof text[l], format, x[l]);
    }
    printf(" %7s /%7s", text[0], text[1]);
}

static void print_milliseconds(const double *seconds)
{
    char text[2][16];
    for (int l = 0; l < LEVELS; l++) {
        const double ms = 1e3 * seconds[l];
        if (isnan(ms)) snprintf(text[l], sizeof text[l], "-");
        else snprintf(text[l], sizeof text[l], ms < 10 ? "%.2f" : ms < 100 ? "%.1f" : "%.0f", ms);
    }
    printf(" %7s /%7s", text[0], text[1]);
}

static void print_header(const field *f, int from)
{
    printf("\n%-20s", "");
    for (int i = from; i <= f->count; i++)
        printf(" %15s%s", column_name(f, i), i == 1 ? "                              " : "");
    putchar('\n');
}

static void print_tables(const field *f, const row *rows, int count)
{
    printf("\nTimes [ms] at errors of %.0e / %.0e\n", LEVEL[0], LEVEL[1]);
    print_header(f, 0);
    for (int r = 0; r < count; r++) {
        printf("%-20s", rows[r].name);
        for (int i = 0; i <= f->count; i++) {
            const cell *x = &rows[r].cell[i];
            print_milliseconds(x->seconds);
            if (i == 1) {
                const bool same = strcmp(x->what[0], x->what[1]) == 0;
                printf(" %-14s", x->what[0]);
                printf(" %-14s", same ? "" : x->what[1]);
            }
        }
        putchar('\n');
    }
    for (int ours = 0; ours < 2; ours++) {
        printf("\nTrammel's time (%s) over the others'\n", column_name(f, ours));
        print_header(f, 2);
        for (int r = 0; r < count; r++) {
            printf("%-20s", rows[r].name);
            for (int i = 2; i <= f->count; i++) {
                double ratio[LEVELS];
                for (int l = 0; l < LEVELS; l++)
                    ratio[l] = rows[r].cell[ours].seconds[l] / rows[r].cell[i].seconds[l];
                print_pair(ratio, "%.2f");
            }
            putchar('\n');
        }
    }
}

// What won, with its accuracy and error.
static void print_winners(const field *f, const contest *c)
{
    for (int i = 0; i <= f->count; i++) {
        for (int l = 0; l < LEVELS; l++) {
            const entry *e;
            const point *p = column_best(f, c, i, l, &e);
            if (!p) printf("    %-8s %.0e  not reached\n", column_name(f, i), LEVEL[l]);
            else
                printf("    %-8s %.0e  %9.3f ms  %6ld steps  error %.1e  %s at %.2e %s\n", column_name(f, i),
                       LEVEL[l], 1e3 * p->seconds, p->steps, p->error, e->name, p->accuracy,
                       e->index ? "" : p->note);
        }
    }
}

// ---- measuring --------------------------------------------------------------------------------------------

static void fill_row(const field *f, const contest *c, row *r)
{
    memcpy(r->name, c->m->name, sizeof r->name);
    for (int i = 0; i <= f->count; i++) {
        for (int l = 0; l < LEVELS; l++) {
            const entry *e;
            const point *p = column_best(f, c, i, l, &e);
            r->cell[i].seconds[l] = p ? p->seconds : NAN;
            snprintf(r->cell[i].what[l], sizeof r->cell[i].what[l], "%s",
                     !p         ? "-"
                     : e->index ? e->name
                                : p->note);
        }
    }
}

static void measure(field *f, const mechanism *m, const contest_options *opt, FILE *csv, row *out)
{
    reference *ref = reference_create(m);
    printf("\n%s: reference: halving its step changes %.0e, pins open by %.0e", m->name, ref->halving,
           ref->closure);
    if (isnan(ref->known)) putchar('\n');
    else printf(", off by %.0e from what is known\n", ref->known);
    fflush(stdout);
    contest *c = contest_create(m, ref, opt);
    if (m->n < 100) memset(f->hopeless, 0, sizeof f->hopeless);
    for (int i = 0; i < f->count; i++) {
        contest_measure(c, &f->peer[i], i == 0 ? 1 : 0, f->hopeless[i]);
        bool slow[MAX_ENTRIES];
        contest_find_hopeless(c, &f->peer[i], slow);
        for (int k = 0; k < MAX_ENTRIES; k++) f->hopeless[i][k] |= slow[k];
    }
    print_winners(f, c);
    print_failures(c);
    fflush(stdout);
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
            printf("%s %s\n", r->name, r->version);
            f->count++;
        } else {
            printf("%s: absent (%s)\n", PEERS[i].name, PEERS[i].package);
            if (i == 0) return false;
        }
    }
    return true;
}

static int usage(void)
{
    fputs("usage: bench_peers [--csv FILE] [--limit SECONDS] [--repeats N] [--quick | --all] "
          "[--only TEXT] [--peer NAME]\n",
          stderr);
    return 2;
}

int main(int argc, char **argv)
{
    contest_options opt = {.limit = 4, .repeats = 3};
    const char *csv_path = NULL, *only = NULL, *one = NULL;
    for (int i = 1; i < argc; i++) {
        const bool more = i + 1 < argc;
        if (strcmp(argv[i], "--quick") == 0) opt.quick = true;
        else if (strcmp(argv[i], "--all") == 0) opt.all = true;
        else if (strcmp(argv[i], "--csv") == 0 && more) csv_path = argv[++i];
        else if (strcmp(argv[i], "--limit") == 0 && more) opt.limit = atof(argv[++i]);
        else if (strcmp(argv[i], "--repeats") == 0 && more) opt.repeats = atoi(argv[++i]);
        else if (strcmp(argv[i], "--only") == 0 && more) only = argv[++i];
        else if (strcmp(argv[i], "--peer") == 0 && more) one = argv[++i];
        else return usage();
    }
    if (!(opt.limit > 0) || opt.repeats < 1) return usage();
    FILE *csv = csv_path ? fopen(csv_path, "w") : NULL;
    if (csv_path && !csv) {
        perror(csv_path);
        return 1;
    }
    if (csv) fputs("problem,simulator,setting,method,accuracy,error,seconds,runs,steps,failure\n", csv);
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
    return csv && fclose(csv) != 0;
}
