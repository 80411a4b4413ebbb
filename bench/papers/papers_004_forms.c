// The forms of D. Negrut, On the implicit integration of differential-algebraic equations of multibody
// dynamics, thesis, University of Iowa, 1998, chapter 3, side by side: what Newton's method costs in
// state-space form (3.2), descriptor form (3.3, with all derivatives and with the cheaper matrix) and after
// first-order reduction (3.4), on the stiff double pendulum and the vehicle, with the thesis' own estimate
// and with ours; and how the ratios of explicit to implicit runs depend on the lever of the vehicle's
// bushings. usage: papers_004_forms [--out DIR], from the top of the tree. Takes half a minute.
#include "paper_run.h"

enum { TOLS = 4 };

static const double TOL[TOLS] = {1e-2, 1e-3, 1e-4, 1e-5};

typedef struct form {
    const char *method, *unknowns;
    tml_jacobian jacobian;
    int stages;  // solved by iteration in a step
} form;

static const form FORMS[] = {
    {"ssp-trap", "independent accelerations (3.30)", TML_JACOBIAN_EXACT, 1},
    {"infl-trap", "all accelerations, multipliers (3.76); 3.3 whole", TML_JACOBIAN_FULL, 1},
    {"infl-trap", "the same; cheaper matrix", TML_JACOBIAN_EXACT, 1},
    {"infl-sdirk", "as infl-trap; 3.3 whole", TML_JACOBIAN_FULL, 5},
    {"infl-sdirk", "the same; cheaper matrix", TML_JACOBIAN_EXACT, 5},
    {"for-sdirk", "positions and velocities (4.88)", TML_JACOBIAN_EXACT, 5},
    {"for-rosen", "none: linear systems (4.53)", TML_JACOBIAN_EXACT, 0},
};
enum { COUNT = sizeof FORMS / sizeof *FORMS };

/** Of ssp-trap on the vehicle with the thesis' estimate: the range over the tolerances. */
typedef struct range {
    double least, most;
} range;

static void widen(range *r, double value)
{
    r->least = r->most > 0 ? fmin(r->least, value) : value;
    r->most = fmax(r->most, value);
}

// State-space and descriptor form of a formula have one solution, and with the same estimate the same steps.
// Where the thesis' estimate allows steps at which iterations fail, these decide.
static void check_same(paper *p, double steps[COUNT][TOLS], tml_estimate estimate)
{
    double most = 1;
    for (int i = 0; i < TOLS; i++)
        most = fmax(most, fmax(steps[0][i] / steps[1][i], steps[1][i] / steps[0][i]));
    if (estimate == TML_ESTIMATE_FILTERED)
        paper_within(p, "`ssp-trap` and `infl-trap` with all derivatives: ratio of steps, most", most, 1,
                     1.02);
}

static void table(paper *p, const char *name, double end, tml_kinematics kinematics, tml_estimate estimate,
                  FILE *csv, range of_ssp_trap[2])
{
    static const char *const ESTIMATE[] = {"filtered", "embedded"};
    tml_model *model = paper_model(p, name);
    if (!model) return;
    char part[64];
    snprintf(part, sizeof part, "%s_%s", name, ESTIMATE[estimate]);
    // with the thesis' estimate a run of loose tolerance hangs on the fate of single steps
    paper_part(part, estimate == TML_ESTIMATE_EMBEDDED ? "exact exact near" : "exact exact steps", NULL);
    double steps_of[COUNT][TOLS] = {{0}};
    printf("`%s`, %g s, `estimate: %s`: steps, iterations per step and stage, factorizations per step\n\n",
           name, end, ESTIMATE[estimate]);
    printf("| method | unknowns | 1e-2 | 1e-3 | 1e-4 | 1e-5 |\n|---|---|---|---|---|---|\n");
    for (int f = 0; f < COUNT; f++) {
        printf("| `%s` | %s |", FORMS[f].method, FORMS[f].unknowns);
        for (int i = 0; i < TOLS; i++) {
            const paper_case c = {.method = FORMS[f].method,
                                  .tol = TOL[i],
                                  .end = end,
                                  .kinematics = kinematics,
                                  .jacobian = FORMS[f].jacobian,
                                  .estimate = estimate};
            paper_cost cost;
            if (!paper_run(p, model, &c, NULL, &cost)) break;
            const double steps = (double)cost.steps, stages = FORMS[f].stages > 0 ? FORMS[f].stages : 1;
            printf(" %ld, %.2f, %.2f |", cost.steps, (double)cost.iterations / steps / stages,
                   (double)cost.factorizations / steps);
            steps_of[f][i] = steps;
            if (f == 0) {
                widen(&of_ssp_trap[0], (double)cost.iterations / steps);
                widen(&of_ssp_trap[1], (double)cost.factorizations / steps);
            }
            if (csv)
                fprintf(csv, "%s,%s,%s,%s,%g,%ld,%ld,%ld,%ld,%ld\n", name, ESTIMATE[estimate],
                        FORMS[f].method, FORMS[f].jacobian == TML_JACOBIAN_FULL ? "full" : "exact", TOL[i],
                        cost.steps, cost.rejected, cost.iterations, cost.evaluations, cost.factorizations);
        }
        printf("\n");
    }
    check_same(p, steps_of, estimate);
    if (estimate == TML_ESTIMATE_EMBEDDED) paper_laws_in("laws");
    tml_model_destroy(model);
}

// The thesis, 4.1.2: "typically 3 iterations" and one integration Jacobian in a step of SspTrap.
static void print_laws(paper *p, const range r[2])
{
    paper_part("laws", "exact near exact exact", NULL);
    puts("| law | measured | claimed | met |\n|---|---|---|---|");
    paper_check(p, "`ssp-trap` on the vehicle: fewest iterations of a step, mean of a run", r[0].least, 2,
                3.5);
    paper_check(p, "most", r[0].most, 2, 3.5);
    paper_check(p, "fewest integration Jacobians of a step, mean of a run", r[1].least, 1, 1.1);
    paper_check(p, "most", r[1].most, 1, 1.1);
}

// ---- the lever of the bushings ----------------------------------------------------------------------------

// Evaluations of accelerations do not depend on the machine. The explicit runs cover STRETCH seconds before
// the bump, where stability alone decides; those of 4 s are extrapolated from it.
static const double STRETCH = 0.05, LENGTH = 4;  // [s]

static tml_model *vehicle(paper *p, double arm)
{
    char value[32];
    tml_error err = {0};
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    snprintf(value, sizeof value, "%g", arm);
    const tml_parameter set = {.name = "arm", .text = value};
    tml_status st = tml_spec_read("models/hmmwv.yaml", &set, 1, NULL, &spec, &err);
    if (st == TML_OK) st = tml_model_build(spec, &model, &err);
    tml_spec_destroy(spec);
    if (st != TML_OK) paper_fail(p, "models/hmmwv.yaml", err.msg);
    return model;
}

static void levers(paper *p)
{
    enum { LEVERS = 5 };
    static const double ARM[LEVERS] = {0.02, 0.04, 0.067, 0.09, 0.114};
    double evaluations[LEVERS], implicit[2] = {INFINITY, 0};
    paper_part("levers", "exact steps", NULL);
    printf(
        "| arm [m] | mean step of `erk5` [us] | root [1/s] | `erk5` (extrapolated) | `for-sdirk` | ratio | "
        "`ssp-trap` | ratio |\n|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < LEVERS; i++) {
        tml_model *model = vehicle(p, ARM[i]);
        if (!model) return;
        paper_case c = {.method = "erk5", .tol = 1e-3, .end = STRETCH, .kinematics = TML_KINEMATICS_JOINTS};
        paper_cost explicit_run, sdirk, trapezoidal;
        bool good = paper_run(p, model, &c, NULL, &explicit_run);
        c.end = LENGTH;
        c.method = "for-sdirk";
        good = good && paper_run(p, model, &c, NULL, &sdirk);
        c.method = "ssp-trap";
        good = good && paper_run(p, model, &c, NULL, &trapezoidal);
        if (good) {
            const double step = STRETCH / (double)explicit_run.steps,
                         whole = (double)explicit_run.evaluations * LENGTH / STRETCH;
            printf("| %g%s | %.1f | %.2g | %.3g | %ld | %.0f | %ld | %.0f |\n", ARM[i],
                   ARM[i] == 0.067   ? " (chosen)"
                   : ARM[i] == 0.114 ? " (former bearings)"
                                     : "",
                   1e6 * step, -3.3 / step, whole, sdirk.evaluations, whole / (double)sdirk.evaluations,
                   trapezoidal.evaluations, whole / (double)trapezoidal.evaluations);
        }
        if (i < LEVERS) evaluations[i] = (double)explicit_run.evaluations;
        implicit[0] = fmin(implicit[0], (double)sdirk.evaluations);
        implicit[1] = fmax(implicit[1], (double)sdirk.evaluations);
        tml_model_destroy(model);
    }
    paper_within(p, "evaluations of `erk5` by the arm to the power of", paper_fit(LEVERS, ARM, evaluations),
                 1.9, 2.1);
    paper_within(p, "`for-sdirk`: most evaluations over fewest", implicit[1] / implicit[0], 1, 1.2);
}

int main(int argc, char **argv)
{
    paper p;
    if (!paper_arguments(&p, argc, argv)) return 2;
    FILE *csv = paper_open(&p, "004_forms.csv");
    if (csv)
        fprintf(csv, "model,estimate,method,jacobian,tol,steps,rejected,iterations,evaluations,"
                     "factorizations\n");
    for (int e = 0; e < 2; e++) {
        const tml_estimate estimate = e == 0 ? TML_ESTIMATE_FILTERED : TML_ESTIMATE_EMBEDDED;
        range unused[2] = {{0}}, vehicle_run[2] = {{0}};
        table(&p, "stiff_double_pendulum", 2, TML_KINEMATICS_BODIES, estimate, csv, unused);
        table(&p, "hmmwv", 4, TML_KINEMATICS_BODIES, estimate, csv, vehicle_run);
        if (estimate == TML_ESTIMATE_EMBEDDED) print_laws(&p, vehicle_run);
    }
    paper_close(&p, csv, "004_forms.csv");
    levers(&p);
    return paper_end(&p);
}
