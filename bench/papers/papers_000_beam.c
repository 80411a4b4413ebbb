// Reproduces Figures 2 to 4 of O. A. Bauchau, A. Epple, C. L. Bottasso, Scaling of constraints and augmented
// Lagrangian formulations in multibody dynamics simulations, J. Comput. Nonlinear Dyn. 4 (2009) 021007: a
// thin cantilever that buckles laterally when a crank pulls it (models/beam_crank.yaml). Displacements at
// midspan; convergence of Radau IIA, the energy-decaying scheme and HHT; runs without augmentation and
// without scaling. Also the benchmark of 2016 with another beam (models/beam_buckling.yaml). The papers print
// curves only. usage: papers_000_beam [--out DIR], from the top of the tree. Takes a minute.
#include "paper_run.h"

enum { STEPS = 8, METHODS = 3, SAMPLES = 15 };

static const double STEP[STEPS] = {1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5, 5e-6};
static const char *const METHOD[METHODS] = {"radau5", "decay", "hht"};
static const double SAMPLE_TIME = 4e-3;  // [s]; a multiple of all steps
static const char *const CHANNEL[3] = {"u1", "u2", "u3"};

/** Midspan displacements at the multiples of a time. */
typedef struct history {
    int count;
    double (*u)[3];  // (count), owned
} history;

typedef struct setting {
    const char *method, *solver;
    double h;
    tml_scaling scaling;
    double augment;
} setting;

static tml_run_def run_of(const tml_model *model, const setting *s, double end)
{
    tml_run_def run = *tml_model_run(model);
    run.method = s->method;
    run.step = s->h;
    run.end = end;
    run.output_step = end;
    run.solver = s->solver ? s->solver : "block";
    run.scaling = s->scaling;
    run.augment = s->augment;
    return run;
}

/** Run to count * every; false with a message if the run fails. */
static bool follow(const tml_model *model, const setting *s, double every, int count, history *out,
                   tml_error *err)
{
    const tml_run_def run = run_of(model, s, every * count);
    tml_sim *sim = NULL;
    *out = (history){.count = count, .u = calloc((size_t)count, sizeof *out->u)};
    tml_status st = tml_sim_create(model, &run, &sim, err);
    double *values = st == TML_OK ? calloc((size_t)tml_sim_channel_count(sim), sizeof *values) : NULL;
    for (int i = 0; i < count && st == TML_OK; i++) {
        while (st == TML_OK && tml_sim_time(sim) < every * (i + 1))
            st = tml_sim_step(sim, every * (i + 1), err);
        if (st == TML_OK) st = tml_sim_channel_values(sim, tml_sim_state(sim), values, err);
        for (int k = 0; k < 3 && st == TML_OK; k++)
            out->u[i][k] = values[tml_sim_channel_index(sim, CHANNEL[k], NULL)];
    }
    free(values);
    tml_sim_destroy(sim);
    return st == TML_OK;
}

static const setting GOOD = {.h = 5e-4, .method = "radau5", .scaling = TML_SCALING_PHYSICAL, .augment = 1};

// ---- Figure 3 ---------------------------------------------------------------------------------------------

static void figure_3(paper *p, const tml_model *model)
{
    enum { COUNT = 200 };
    static double t[COUNT], u[3][COUNT];
    tml_error err = {0};
    history x;
    if (!follow(model, &GOOD, 2e-3, COUNT, &x, &err)) paper_fail(p, "figure 3", err.msg);
    FILE *f = paper_open(p, "000_figure3.csv");
    if (f) fprintf(f, "t,u1,u2,u3\n");
    double begin = 0;
    for (int i = 0; i < COUNT; i++) {
        t[i] = 2e-3 * (i + 1);
        for (int k = 0; k < 3; k++) u[k][i] = 1e3 * x.u[i][k];
        if (begin == 0 && fabs(x.u[i][1]) > 1e-3) begin = t[i];
        if (f) fprintf(f, "%.4g,%.10g,%.10g,%.10g\n", t[i], x.u[i][0], x.u[i][1], x.u[i][2]);
    }
    paper_close(p, f, "000_figure3.csv");
    paper_part("figure3", "exact value", NULL);
    printf("| t [s] | u1 | u2 | u3 |\n|---|---|---|---|\n");
    for (int i = 9; i < COUNT; i += 10)
        printf("| %.2f | %.4f | %.3f | %.4f |\n", t[i], u[0][i], u[1][i], u[2][i]);
    printf("\nThe lateral displacement passes 1 mm at %.3f s.\n", begin);
    paper_within(p, "the beam buckles: time of 1 mm [s]", begin, 0.04, 0.1);
    const paper_series s[3] = {
        {"u_1", COUNT, t, u[0], false}, {"u_2", COUNT, t, u[1], false}, {"u_3", COUNT, t, u[2], false}};
    paper_draw(p, &(paper_figure){.file = "000_figure3.svg",
                                  .title = "Beam actuated by a tip crank",
                                  .x = "time [s]",
                                  .y = "displacement at midspan [mm]",
                                  .linear_x = true,
                                  .linear_y = true,
                                  .smooth = true,
                                  .series = s,
                                  .count = 3});
    free(x.u);
}

// ---- Figure 4 ---------------------------------------------------------------------------------------------

// Largest distance of two histories over the largest displacement.
static double distance(const history *a, const history *b)
{
    double error = 0, size = 0;
    for (int i = 0; i < a->count; i++) {
        double e = 0, n = 0;
        for (int k = 0; k < 3; k++) {
            e += (a->u[i][k] - b->u[i][k]) * (a->u[i][k] - b->u[i][k]);
            n += b->u[i][k] * b->u[i][k];
        }
        error = fmax(error, e);
        size = fmax(size, n);
    }
    return sqrt(error / size);
}

/** How the crank sets in: as in the paper, with a jump of its acceleration, or smoothly. */
typedef struct start {
    const char *part, *rise, *csv, *svg;
    double reference_step;  // of Radau IIA
    double finest;          // step of Radau IIA below which it is not compared: round-off, or the reference
    bool smooth;            // the orders of the schemes must show
} start;

static const start STARTS[2] = {
    {"figure4", "0", "000_figure4.csv", "000_figure4.svg", 5e-6, 1e-5, false},
    {"figure4_smooth", "0.06", "000_figure4_smooth.csv", "000_figure4_smooth.svg", 2e-5, 2e-4, true}};

static tml_model *model_with(paper *p, const char *rise)
{
    tml_error err = {0};
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    const tml_parameter set = {.name = "rise", .text = rise};
    tml_status st = tml_spec_read("models/beam_crank.yaml", &set, 1, NULL, &spec, &err);
    if (st == TML_OK) st = tml_model_build(spec, &model, &err);
    tml_spec_destroy(spec);
    if (st != TML_OK) paper_fail(p, "models/beam_crank.yaml", err.msg);
    return model;
}

static void draw_errors(paper *p, const start *at, const double *inverse, double error[METHODS][STEPS])
{
    const paper_series series[METHODS] = {{"Radau IIA", STEPS, inverse, error[0], false},
                                          {"decay", STEPS, inverse, error[1], false},
                                          {"HHT", STEPS, inverse, error[2], false}};
    paper_draw(p, &(paper_figure){.file = at->svg,
                                  .title = at->smooth ? "Beam actuated by a tip crank, smooth start"
                                                      : "Beam actuated by a tip crank",
                                  .x = "1/h [1/s]",
                                  .y = "relative error at midspan",
                                  .series = series,
                                  .count = METHODS,
                                  .slopes = &(paper_slope){-2, 1e4, 1e-4, 1e5, "h^{2}"},
                                  .nslopes = 1});
}

static void figure_4(paper *p, const start *at)
{
    double inverse[STEPS], error[METHODS][STEPS];
    tml_error err = {0};
    history exact;
    setting s = GOOD;
    tml_model *model = model_with(p, at->rise);
    if (!model) return;
    s.h = at->reference_step;
    if (!follow(model, &s, SAMPLE_TIME, SAMPLES, &exact, &err)) paper_fail(p, "reference", err.msg);
    paper_part(at->part, "exact near", NULL);
    printf("| h [us] | Radau IIA | decay | HHT |\n|---|---|---|---|\n");
    FILE *f = paper_open(p, at->csv);
    if (f) fprintf(f, "h,radau5,decay,hht\n");
    for (int i = 0; i < STEPS; i++) {
        inverse[i] = 1 / STEP[i];
        for (int m = 0; m < METHODS; m++) {
            history x = {0};
            s.method = METHOD[m];
            s.h = STEP[i];
            error[m][i] = (double)NAN;
            if (m == 0 && STEP[i] < at->finest * (1 - 1e-9)) continue;
            if (follow(model, &s, SAMPLE_TIME, SAMPLES, &x, &err)) error[m][i] = distance(&x, &exact);
            else paper_fail(p, METHOD[m], err.msg);
            free(x.u);
        }
        printf("| %g |", 1e6 * STEP[i]);
        for (int m = 0; m < METHODS; m++) {
            if (isnan(error[m][i])) printf(" |");
            else printf(" %.2e |", error[m][i]);
        }
        putchar('\n');
        if (f) fprintf(f, "%g,%.4g,%.4g,%.4g\n", STEP[i], error[0][i], error[1][i], error[2][i]);
    }
    paper_close(p, f, at->csv);
    draw_errors(p, at, inverse, error);
    printf("\n| law in h | slope | order | met |\n|---|---|---|---|\n");
    char what[64];
    const double order[METHODS] = {5, 2, 2}, slack[METHODS] = {1, 0.1, 0.1};
    for (int m = 0; m < METHODS; m++) {
        const double slope = paper_fit(STEPS, STEP, error[m]);
        if (at->smooth) paper_check_slope(p, METHOD[m], slope, order[m], slack[m]);
        else printf("| %s | %+.3f | %+.0f | |\n", METHOD[m], slope, order[m]);
        snprintf(what, sizeof what, "%s converges: slope", METHOD[m]);
        paper_within(p, what, slope, 1, 6);
    }
    double worse = 0;
    for (int i = 0; i < STEPS; i++) worse = fmax(worse, error[1][i] / error[2][i]);
    paper_within(p, "`decay` is more accurate than HHT: largest ratio of their errors", worse, 0, 1);
    free(exact.u);
    tml_model_destroy(model);
}

// ---- scaling and augmentation -----------------------------------------------------------------------------

// What a run says, without numbers that round-off decides.
static const char *reason(const char *message)
{
    static const char *const KNOWN[] = {"the equations are not scaled (option scaling)",
                                        "no usable pivot in body 'shaft'"};
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
        if (strstr(message, KNOWN[i])) return KNOWN[i];
    return message;
}

static void failures(paper *p, const tml_model *model)
{
    static const struct {
        const char *name;
        tml_scaling scaling;
        double augment;
        bool works[2];  // at both steps
    } CASES[] = {{"s of (6), augmented", TML_SCALING_UNIFORM, 1, {true, true}},
                 {"s by rows, augmented", TML_SCALING_PHYSICAL, 1, {true, true}},
                 {"s = 1, augmented", TML_SCALING_LEFT_RIGHT, 1, {true, true}},
                 {"none, augmented", TML_SCALING_NONE, 1, {true, false}},
                 {"s of (6), not augmented", TML_SCALING_UNIFORM, 0, {false, false}},
                 {"s = 1, not augmented", TML_SCALING_LEFT_RIGHT, 0, {false, false}}};
    static const double H[2] = {5e-4, 5e-6};
    char what[64];
    paper_part("scaling", "exact", NULL);
    printf("| scaling | h = 500 us | h = 5 us |\n|---|---|---|\n");
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        bool same = true;
        printf("| %s |", CASES[i].name);
        for (int k = 0; k < 2; k++) {
            const setting s = {"hht", "block", H[k], CASES[i].scaling, CASES[i].augment};
            tml_error err = {0};
            history x;
            const bool good = follow(model, &s, H[k], 20, &x, &err);
            printf(" %s |", good ? "runs" : reason(err.msg));
            same = same && good == CASES[i].works[k];
            free(x.u);
        }
        putchar('\n');
        snprintf(what, sizeof what, "%s: runs where it should", CASES[i].name);
        paper_law(p, what, same);
    }
}

// ---- the benchmark of 2016 --------------------------------------------------------------------------------

static void benchmark(paper *p)
{
    static const double LISTED[6] = {3.0177e-4, 1.20089e-3, 2.66515e-3, 4.62014e-3, 6.93259e-3, 9.38388e-3};
    enum { COUNT = 25 };
    tml_error err = {0};
    history x[2];
    tml_model *model = paper_model(p, "beam_buckling");
    if (!model) return;
    setting s = GOOD;
    paper_part("benchmark", "exact exact value", NULL);
    printf("| t [s] | u3 listed | Radau IIA: u2 | u3 | decay: u2 | u3 |\n|---|---|---|---|---|---|\n");
    for (int m = 0; m < 2; m++) {
        s.method = METHOD[m];
        if (!follow(model, &s, 0.02, COUNT, &x[m], &err)) paper_fail(p, METHOD[m], err.msg);
    }
    double lateral = 0, off = 0;
    for (int i = 0; i < COUNT; i++) {
        if (i < 6) printf("| %.2f | %.4f |", 0.02 * (i + 1), 1e3 * LISTED[i]);
        else printf("| %.2f | |", 0.02 * (i + 1));
        for (int m = 0; m < 2; m++) printf(" %.4f | %.4f |", 1e3 * x[m].u[i][1], 1e3 * x[m].u[i][2]);
        putchar('\n');
        lateral = fmax(lateral, fabs(x[0].u[i][1]));
        for (int m = 0; m < 2 && i < 6; m++) off = fmax(off, fabs(x[m].u[i][2] / LISTED[i] - 1));
    }
    paper_within(p, "u3 before buckling: largest relative difference from the list", off, 0, 0.005);
    paper_within(p, "the beam buckles: largest lateral displacement [m]", lateral, 0.035, 0.055);
    free(x[0].u);
    free(x[1].u);
    tml_model_destroy(model);
}

int main(int argc, char **argv)
{
    paper p;
    if (!paper_arguments(&p, argc, argv)) return 2;
    tml_model *model = paper_model(&p, "beam_crank");
    if (model) {
        figure_3(&p, model);
        failures(&p, model);
        benchmark(&p);
        for (int i = 0; i < 2; i++) figure_4(&p, &STARTS[i]);
    }
    tml_model_destroy(model);
    return paper_end(&p);
}
