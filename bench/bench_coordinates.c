// The two kinds of independent coordinates of the state-space family at equal tolerance: some of the system's
// own coordinates (partition) and coordinates of the tangent plane (tangent).
//
// First table: steps, rejected steps, changes of basis, processor time, and errors over the tolerance: those
// of either run against radau5 at a tolerance of 1e-8, and the distance of the two runs. Positions in model
// lengths and rad, velocities in units of the largest of their kind; largest over 32 instants of dense
// output. Second table: a four-bar linkage whose bars all turn full circles (models/four_bar.yaml with the
// ground as its shortest bar), so that no partition can stay: steps in a new basis compared with their
// neighbours.
//
//   bench_coordinates [--out DIR]   DIR: basis-changes.svg, step size over time, marks at changes of basis
//
// Run from the top of the tree.
#include "papers/paper.h"
#include <time.h>
#include <trammel/sim.h>

enum { INSTANTS = 32 };

typedef struct subject {
    const char *name;
    double end;  // [s]
    bool stiff;  // too stiff for explicit methods
} subject;

static const subject subjects[] = {{"four_bar", 1, false},    {"andrews", 0.03, false},
                                   {"heavy_top", 0.5, false}, {"governor", 2, false},
                                   {"suspension", 2, false},  {"stiff_double_pendulum", 1, true},
                                   {"hmmwv", 1, true}};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

typedef struct way {
    const char *method;
    double tol;
    bool implicit;
} way;

static const way ways[] = {{"for-sdirk", 1e-5, true},
                           {"infl-sdirk", 1e-5, true},
                           {"for-rosen", 1e-5, true},
                           {"ssp-trap", 1e-3, true},
                           {"erk8", 1e-5, false}};
enum { WAYS = sizeof ways / sizeof *ways };

static void stop(const char *what, const tml_error *err)
{
    fprintf(stderr, "bench_coordinates: %s: %s\n", what, err->msg);
    exit(1);
}

static tml_model *load(const char *name, const tml_parameter *set, int count)
{
    tml_error err = {0};
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    char path[200];
    snprintf(path, sizeof path, "models/%s.yaml", name);
    tml_status st = tml_spec_read(path, set, count, NULL, &spec, &err);
    if (st == TML_OK) st = tml_model_build(spec, &model, &err);
    if (st != TML_OK) stop(name, &err);
    tml_spec_destroy(spec);
    return model;
}

static tml_run_def settings(const tml_model *model, const char *method, double tol, double end)
{
    tml_run_def run = *tml_model_run(model);
    run.method = method;
    run.tol = tol;
    run.rtol = run.atol = NAN;
    run.step = run.max_step = 0;
    run.end = end;
    run.output_step = end / INSTANTS;
    run.kinematics = TML_KINEMATICS_BODIES;
    return run;
}

// ---- runs -------------------------------------------------------------------------------------------------

typedef struct course {
    const tml_system *sys;
    tml_state *x[INSTANTS + 1];
    int count;
    double seconds;
    tml_counters work;
} course;

static tml_status keep(const tml_sim *sim, const tml_state *x, void *user)
{
    (void)sim;
    course *c = user;
    tml_error err = {0};
    if (c->count > INSTANTS) return TML_OK;
    if (tml_state_create(c->sys, &c->x[c->count], &err) != TML_OK) stop("memory", &err);
    tml_state_copy(c->x[c->count++], x);
    return TML_OK;
}

static void ride(const tml_model *model, const tml_run_def *run, course *c)
{
    tml_error err = {0};
    tml_sim *sim = NULL;
    *c = (course){.sys = tml_model_system(model)};
    if (tml_sim_create(model, run, &sim, &err) != TML_OK) stop(run->method, &err);
    tml_sim_set_hooks(sim, &(tml_sim_hooks){.on_output = keep, .user = c});
    const clock_t begin = clock();
    if (tml_sim_run(sim, run->end, &err) != TML_OK) stop(run->method, &err);
    c->seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    tml_sim_report report;
    tml_sim_get_report(sim, &report);
    c->work = report.count;
    tml_sim_destroy(sim);
}

static void erase(course *c)
{
    for (int i = 0; i < c->count; i++) tml_state_destroy(c->x[i], c->sys);
}

// Largest distance of two courses; speeds are judged by the first.
static double distance(const course *a, const course *b)
{
    const tml_system *sys = a->sys;
    double fastest[2] = {0}, worst = 0, *d = calloc((size_t)sys->n + 1, sizeof *d);
    if (!d) exit(1);
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < sys->n; j++)
            fastest[sys->kind[j]] = fmax(fastest[sys->kind[j]], fabs(a->x[i]->u[j]));
    for (int i = 0; i < a->count && i < b->count; i++) {
        sys->ops->local(sys->self, a->x[i]->q, b->x[i]->q, d);
        for (int j = 0; j < sys->n; j++) {
            const double unit = sys->kind[j] == TML_COORDINATE_TRANSLATION ? sys->length : 1;
            worst = fmax(worst, fabs(d[j]) / unit);
            if (fastest[sys->kind[j]] > 0)
                worst = fmax(worst, fabs(b->x[i]->u[j] - a->x[i]->u[j]) / fastest[sys->kind[j]]);
        }
    }
    free(d);
    return worst;
}

static void compare(const tml_model *model, const subject *s, const way *w, const course *exact)
{
    course c[2];
    double error[2];
    tml_run_def run = settings(model, w->method, w->tol, s->end);
    for (int i = 0; i < 2; i++) {
        run.coordinates = i ? TML_COORDINATES_TANGENT : TML_COORDINATES_PARTITION;
        ride(model, &run, &c[i]);
        error[i] = distance(exact, &c[i]) / w->tol;
    }
    const tml_counters *p = &c[0].work, *t = &c[1].work;
    printf("| %s | `%s` | %.0e | %ld | %ld | %.2f | %ld | %ld | %ld | %.2f | %.2g | %.2g | %.2g |\n", s->name,
           w->method, w->tol, p->steps, t->steps, (double)t->steps / (double)p->steps,
           p->rejected_error + p->rejected_newton, t->rejected_error + t->rejected_newton, p->bases,
           c[1].seconds / c[0].seconds, error[0], error[1], distance(&c[0], &c[1]) / w->tol);
    fflush(stdout);
    for (int i = 0; i < 2; i++) erase(&c[i]);
}

static void compare_all(void)
{
    puts("| model | method | tol | steps: partition | tangent | ratio | rejected: partition | tangent | "
         "changes of basis | "
         "time: tangent over partition | error/tol: partition | tangent | distance |\n"
         "|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (int i = 0; i < SUBJECTS; i++) {
        const subject *s = &subjects[i];
        tml_model *model = load(s->name, NULL, 0);
        const tml_run_def run = settings(model, "radau5", 1e-8, s->end);
        course exact;
        ride(model, &run, &exact);
        for (int w = 0; w < WAYS; w++)
            if (ways[w].implicit || !s->stiff) compare(model, s, &ways[w], &exact);
        erase(&exact);
        tml_model_destroy(model);
    }
}

// ---- changes of basis -------------------------------------------------------------------------------------

enum { MOST = 20000 };

typedef struct track {
    int steps, changes;
    long bases;
    double t[MOST], h[MOST];      // middle and size of steps [s]
    double at[MOST], size[MOST];  // of those in a new basis
    bool fresh[MOST];             // in a new basis
} track;

static tml_status note(const tml_sim *sim, double t, double h, void *user)
{
    track *k = user;
    tml_sim_report report;
    tml_sim_get_report(sim, &report);
    if (k->steps == MOST) return TML_OK;
    k->t[k->steps] = t - h / 2;
    k->h[k->steps] = h;
    k->fresh[k->steps] = report.count.bases != k->bases;
    if (k->fresh[k->steps]) {
        k->at[k->changes] = t - h / 2;
        k->size[k->changes++] = h;
    }
    k->steps++;
    k->bases = report.count.bases;
    return TML_OK;
}

// Of steps in a new basis: the smallest over the step before, and over the smaller of both neighbours (a
// dip); the mean of the step after over the step before.
typedef struct dips {
    double before, both, after;
} dips;

static dips find_dips(const track *k)
{
    dips d = {INFINITY, INFINITY, 0};
    int count = 0;
    for (int i = 1; i < k->steps - 2; i++) {  // the last is cut to measure
        if (!k->fresh[i]) continue;
        d.before = fmin(d.before, k->h[i] / k->h[i - 1]);
        d.both = fmin(d.both, k->h[i] / fmin(k->h[i - 1], k->h[i + 1]));
        d.after += log(k->h[i + 1] / k->h[i - 1]);
        count++;
    }
    d.after = exp(d.after / count);
    return d;
}

static void turn(paper *p)
{
    static const way turners[] = {{"for-sdirk", 1e-5, true},
                                  {"infl-sdirk", 1e-5, true},
                                  {"for-rosen", 1e-5, true},
                                  {"ssp-trap", 1e-3, true},
                                  {"adams", 1e-5, false}};
    enum { TURNERS = sizeof turners / sizeof *turners };
    static track k[TURNERS];
    paper_series series[2 * TURNERS];
    tml_model *model = load("four_bar", (tml_parameter[2]){{"a", "0.25"}, {"d", "0.15"}}, 2);
    puts("\n| method | steps | rejected | changes of basis | step at a change, smallest: over the one before "
         "| over the "
         "smaller neighbour | step after over step before, mean |\n|---|---|---|---|---|---|---|");
    for (int i = 0; i < TURNERS; i++) {
        tml_error err = {0};
        tml_sim *sim = NULL;
        const tml_run_def run = settings(model, turners[i].method, turners[i].tol, 1);
        if (tml_sim_create(model, &run, &sim, &err) != TML_OK) stop(run.method, &err);
        tml_sim_set_hooks(sim, &(tml_sim_hooks){.on_step = note, .user = &k[i]});
        if (tml_sim_run(sim, run.end, &err) != TML_OK) stop(run.method, &err);
        tml_sim_report report;
        tml_sim_get_report(sim, &report);
        tml_sim_destroy(sim);
        const dips d = find_dips(&k[i]);
        printf("| `%s` | %d | %ld | %d | %.2f | %.2f | %.2f |\n", run.method, k[i].steps,
               report.count.rejected_error + report.count.rejected_newton, k[i].changes, d.before, d.both,
               d.after);
        series[2 * i] = (paper_series){turners[i].method, k[i].steps, k[i].t, k[i].h, false};
        series[2 * i + 1] = (paper_series){i ? NULL : "new basis", k[i].changes, k[i].at, k[i].size, true};
    }
    paper_draw(p, &(paper_figure){.file = "basis-changes.svg",
                                  .title = "A four-bar linkage turning full circles",
                                  .x = "time [s]",
                                  .y = "step size [s]",
                                  .linear_x = true,
                                  .smooth = true,
                                  .series = series,
                                  .count = 2 * TURNERS});
    tml_model_destroy(model);
}

int main(int argc, char **argv)
{
    paper p;
    if (!paper_arguments(&p, argc, argv)) return 1;
    compare_all();
    turn(&p);
    return p.failures > 0;
}
