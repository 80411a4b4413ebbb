// Random starts of two mechanisms that pass singular configurations: how many runs succeed, on the smooth
// branch?
//
// Models: models/singular_slider_crank.yaml for 10 s, models/folded_parallelogram.yaml for 6 s, run with the
// settings of the files (method auto, tolerance 1e-4) from angles in (-pi, pi) and rates in (-6, 6) rad/s. On
// the smooth branch each has one unknown and one equation of motion, which the classical Runge-Kutta method
// integrates beside the run:
//   slider-crank    (3 + 2 cos 2x) x'' = 2 sin(2x) x'^2 - g sin x                                        (1)
//   parallelogram   (2/3 mc + mb) L x'' = -(mc + mb) g cos x,      mc = 1, mb = 2, L = 1/2                (2)
// A run is good if it ends, every output is finite, it never leaves the smooth branch (an output that is zero
// on it), and energy is kept to a hundredth of its largest term. The program also prints the largest error of
// the angle. This error is not a criterion, because starts close to those that come to rest upside down
// amplify errors without bound.
//
// usage, from the top of the tree: bench_sweep [--count N] [--method NAME]; exit status 1 if less than 99.5 %
// are good
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/sim.h>

enum { SHOWN = 10 };  // failures printed in full

static const double pi = 3.14159265358979323846, branch_allowed = 1e-3, energy_allowed = 1e-2, share = 0.995;

typedef struct subject {
    const char *name, *path;
    const char *angle, *rate;            // parameters of the start
    const char *angle_out, *branch_out;  // outputs
    double end;                          // [s]
    double (*law)(double x, double w);   // x''
} subject;

static double slider(double x, double w)  // (1)
{
    return (2 * sin(2 * x) * w * w - 9.8 * sin(x)) / (3 + 2 * cos(2 * x));
}

static double folded(double x, double w)  // (2)
{
    (void)w;
    return -3 * 9.81 * cos(x) / ((2.0 / 3 + 2) * 0.5);
}

static const subject subjects[] = {
    {"singular_slider_crank", "models/singular_slider_crank.yaml", "th1", "w", "theta1", "branch", 10,
     slider},
    {"folded_parallelogram", "models/folded_parallelogram.yaml", "theta", "w", "angle", "fold", 6, folded},
};

// SplitMix64 (S. Vigna, public domain algorithm); the same starts on every machine
static double uniform(uint64_t *s, double lo, double hi)
{
    uint64_t z = *s += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    z ^= z >> 31;
    return lo + (hi - lo) * ((double)(z >> 11) * 0x1p-53);
}

typedef struct ride {
    const subject *s;
    double *values;
    int count, angle, branch;  // channels
    double t, x, w;            // of the reference
    double zero;               // angle of the output where the reference counts 0
    double error, off;         // largest error of the angle, largest |branch|
    long passages;             // of the reference through sin x = 0
    bool started, finite;
} ride;

static void advance(ride *r, double t)
{
    const int n = (int)ceil((t - r->t) / 1e-3);
    const double h = n ? (t - r->t) / n : 0;
    for (int i = 0; i < n; i++) {
        double (*f)(double, double) = r->s->law;
        const double x = r->x, w = r->w, a1 = f(x, w), w2 = w + h / 2 * a1, a2 = f(x + h / 2 * w, w2),
                     w3 = w + h / 2 * a2, a3 = f(x + h / 2 * w2, w3), w4 = w + h * a3, a4 = f(x + h * w3, w4);
        r->x += h / 6 * (w + 2 * w2 + 2 * w3 + w4);
        r->passages += sin(x) * sin(r->x) < 0;
        r->w += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    r->t = t;
}

static tml_status look(const tml_sim *sim, const tml_state *x, void *user)
{
    ride *r = user;
    const tml_status st = tml_sim_channel_values(sim, x, r->values, NULL);
    if (st != TML_OK) return st;
    for (int i = 0; i < r->count; i++) r->finite = r->finite && isfinite(r->values[i]);
    advance(r, x->t);
    if (!r->started) r->zero = r->values[r->angle] - r->x;
    r->started = true;
    r->error = fmax(r->error, fabs(r->values[r->angle] - r->zero - r->x));
    r->off = fmax(r->off, fabs(r->values[r->branch]));
    return TML_OK;
}

static int channel(const tml_sim *sim, const char *name)
{
    const tml_channel *c = tml_sim_channels(sim);
    const int n = tml_sim_channel_count(sim);
    for (int i = 0; i < n; i++)
        if (!strcmp(c[i].name, name)) return i;
    fprintf(stderr, "bench_sweep: no channel '%s'\n", name);
    exit(1);
}

static tml_status run_one(const subject *s, const char *method, double x, double w, ride *r,
                          tml_sim_report *report, tml_error *err)
{
    char angle[32], rate[32];
    snprintf(angle, sizeof angle, "%.17g", x);
    snprintf(rate, sizeof rate, "%.17g", w);
    const tml_parameter start[] = {{s->angle, angle}, {s->rate, rate}};
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_sim *sim = NULL;
    *r = (ride){.s = s, .x = x, .w = w, .finite = true};
    tml_status st = tml_spec_read(s->path, start, 2, NULL, &spec, err);
    if (st == TML_OK) st = tml_model_build(spec, &model, err);
    if (st == TML_OK) {
        tml_run_def run = *tml_model_run(model);
        run.end = s->end;
        if (method) run.method = method;
        st = tml_sim_create(model, &run, &sim, err);
    }
    if (st == TML_OK) {
        r->count = tml_sim_channel_count(sim);
        r->angle = channel(sim, s->angle_out);
        r->branch = channel(sim, s->branch_out);
        r->values = malloc((size_t)r->count * sizeof *r->values);
        if (!r->values) exit(1);
        tml_sim_set_hooks(sim, &(tml_sim_hooks){.on_output = look, .user = r});
        st = tml_sim_run(sim, NAN, err);
        tml_sim_get_report(sim, report);
        free(r->values);
    }
    tml_sim_destroy(sim);
    tml_model_destroy(model);
    tml_spec_destroy(spec);
    return st;
}

// What is wrong with a run; NULL: nothing.
static const char *verdict(tml_status st, const ride *r, const tml_sim_report *report, const tml_error *err)
{
    if (st != TML_OK) return err->msg;
    if (!r->finite) return "an output is not finite";
    if (r->off > branch_allowed) return "the other branch is taken";
    if (report->energy_error > energy_allowed * report->energy_scale) return "energy is not kept";
    return NULL;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool sweep(const subject *s, const char *method, int count)
{
    uint64_t seed = 20250;
    int good = 0, shown = 0;
    long passed = 0, passages = 0;
    double *errors = malloc((size_t)count * sizeof *errors);
    if (!errors) exit(1);
    for (int i = 0; i < count; i++) {
        const double x = uniform(&seed, -pi, pi), w = uniform(&seed, -6, 6);
        tml_error err = {0};
        tml_sim_report report = {0};
        ride r;
        const tml_status st = run_one(s, method, x, w, &r, &report, &err);
        const char *fault = verdict(st, &r, &report, &err);
        passed += report.count.singular;
        passages += r.passages;
        if (!fault) errors[good++] = r.error;
        else if (shown++ < SHOWN)
            printf("  --set %s=%.17g --set %s=%.17g: %s (branch %.1e, energy %.1e)\n", s->angle, x, s->rate,
                   w, fault, r.off, report.energy_scale > 0 ? report.energy_error / report.energy_scale : 0);
    }
    qsort(errors, (size_t)good, sizeof *errors, compare);
    printf("%s: %d of %d starts good (%.1f %%), %ld of %ld singular positions noticed; error of the angle: "
           "median %.1e, 99 %% below %.1e rad\n",
           s->name, good, count, 100.0 * good / count, passed, passages, good ? errors[good / 2] : 0,
           good ? errors[good * 99 / 100] : 0);
    free(errors);
    return good >= share * count;
}

int main(int argc, char **argv)
{
    int count = 1000;
    const char *method = NULL;  // as the file says: auto
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--count")) count = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--method")) method = argv[i + 1];
    }
    if (count < 1 || argc % 2 == 0) {
        fprintf(stderr, "usage: bench_sweep [--count N] [--method NAME]\n");
        return 2;
    }
    bool good = true;
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
        good = sweep(&subjects[i], method, count) && good;
    return good ? 0 : 1;
}
