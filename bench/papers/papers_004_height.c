// Figure 17, the height of the chassis, and its rest height in D. Negrut, On the implicit integration of
// differential-algebraic equations of multibody dynamics, thesis, University of Iowa, 1998: about 0.71 m; of
// models/hmmwv.yaml: 0.688 m. The thesis prints stiffness and damping of tyres and bushings, and refers to
// a report for the rest, so the program asks which datum makes the difference: static equilibria with one
// datum changed, and the value of each that would give 0.71 m. Beside it the one combination that belongs
// together, the free lengths of the source of the springs, which the model does not use (docs/vehicle.md).
// usage: papers_004_height [--out DIR], from the top of the tree. Takes a second.
//
//   height = R - W/(4 k_tyre) + c + (rise of the springs),   c = 0.239 m, wheel to mass centre    (1)
#include "paper_run.h"

static const double PRINTED = 0.71, ROUNDING = 0.005;  // [m] of the thesis
enum { SET = 2 };

typedef struct datum {
    const char *name, *origin;
    const char *parameter[SET];  // NULL: one only
    double ours[SET], other[SET];
} datum;

// the tyre of (1) with W/(4 k) = 0: a spring whose free length is that under load
static const datum DATA[] = {
    {"radius R of the wheel", "rigid tyre of the source", {"R", NULL}, {0.4699, 0}, {0.467, 0}},
    {"stiffness of the tyres", "no deflection", {"k_tyre", NULL}, {296325, 0}, {1e12, 0}},
    {"free length of the front springs", "source", {"free_front", NULL}, {0.31932, 0}, {0.339, 0}},
    {"free length of the rear springs", "source", {"free_rear", NULL}, {0.33743, 0}, {0.382, 0}},
    {"free lengths of both", "source", {"free_front", "free_rear"}, {0.31932, 0.33743}, {0.339, 0.382}},
};
enum { COUNT = (int)(sizeof DATA / sizeof *DATA) };

/** Height of the chassis in equilibrium [m], a share x of the way from our values to the others; NAN: said
 * why. */
static double height(paper *p, const datum *d, double x)
{
    char text[SET][64];
    tml_parameter set[SET];
    int count = 0;
    for (int i = 0; i < SET && d && d->parameter[i]; i++) {
        snprintf(text[i], sizeof text[i], "%.17g", d->ours[i] + x * (d->other[i] - d->ours[i]));
        set[count++] = (tml_parameter){.name = d->parameter[i], .text = text[i]};
    }
    tml_error err = {0};
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_sim *sim = NULL;
    double out = (double)NAN;
    tml_status st = tml_spec_read("models/hmmwv.yaml", set, count, NULL, &spec, &err);
    if (st == TML_OK) st = tml_model_build(spec, &model, &err);
    if (st == TML_OK) {
        tml_run_def run = *tml_model_run(model);
        run.begin = TML_BEGIN_STATIC;
        st = tml_sim_create(model, &run, &sim, &err);
    }
    double *row = st == TML_OK ? calloc((size_t)tml_sim_channel_count(sim), sizeof *row) : NULL;
    if (row) st = tml_sim_channel_values(sim, tml_sim_state(sim), row, &err);
    if (row && st == TML_OK) out = row[tml_sim_channel_index(sim, "height", NULL)];
    if (st != TML_OK) paper_fail(p, d ? d->name : "models/hmmwv.yaml", err.msg);
    free(row);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
    tml_spec_destroy(spec);
    return out;
}

/** The share at which the height is the printed one, by the secant rule; NAN: out of reach. */
static double share(paper *p, const datum *d, double h0, double h1)
{
    double a = 0, b = 1, at_a = h0 - PRINTED, at_b = h1 - PRINTED;
    for (int i = 0; i < 20 && fabs(at_b) > 1e-7; i++) {
        const double c = b - at_b * (b - a) / (at_b - at_a);
        if (!(fabs(c) < 1e3)) return (double)NAN;
        a = b, at_a = at_b;
        b = c, at_b = height(p, d, c) - PRINTED;
    }
    return fabs(at_b) < 1e-6 ? b : (double)NAN;
}

static void print_values(const datum *d, double x)
{
    for (int i = 0; i < SET && d->parameter[i]; i++)
        printf("%s%.5g", i ? ", " : "", d->ours[i] + x * (d->other[i] - d->ours[i]));
}

// ---- Figure 17 --------------------------------------------------------------------------------------------

typedef struct curve {
    int count;
    double x[600], y[600];
    int column, channels;
    double *row;
} curve;

static tml_status on_output(const tml_sim *sim, const tml_state *x, void *user)
{
    curve *c = user;
    tml_status st = tml_sim_channel_values(sim, x, c->row, NULL);
    if (st != TML_OK || c->count == 600) return st;
    c->x[c->count] = x->t;
    c->y[c->count++] = c->row[c->column];
    return st;
}

// Height of the chassis over 5 s.
static void draw_height(paper *p, const tml_model *model)
{
    static curve c;
    tml_error err = {0};
    tml_sim *sim = NULL;
    const paper_case run_case = {
        .method = "for-sdirk", .tol = 1e-5, .end = 5, .kinematics = TML_KINEMATICS_JOINTS};
    tml_run_def run = paper_run_def(model, &run_case);
    run.output_step = 0.01;
    tml_status st = tml_sim_create(model, &run, &sim, &err);
    if (st == TML_OK) {
        const tml_channel *channel = tml_sim_channels(sim);
        c.channels = tml_sim_channel_count(sim);
        c.row = calloc((size_t)c.channels, sizeof *c.row);
        for (int k = 0; k < c.channels; k++)
            if (strcmp(channel[k].name, "chassis.z") == 0) c.column = k;
        tml_sim_set_hooks(sim, &(tml_sim_hooks){.on_output = on_output, .user = &c});
        st = c.row ? tml_sim_run(sim, 5, &err) : TML_ERR_NOMEM;
    }
    if (st != TML_OK) paper_fail(p, "figure 17", err.msg);
    tml_sim_destroy(sim);
    free(c.row);
    double most = 0;
    for (int i = 0; i < c.count; i++) most = fmax(most, c.y[i]);
    paper_within(p, "highest over the bump [m]", most, 0.707, 0.709);
    paper_within(p, "at rest after 5 s [m]", c.count > 0 ? c.y[c.count - 1] : (double)NAN, 0.6875, 0.6877);
    const paper_series s = {.name = "chassis", .count = c.count, .x = c.x, .y = c.y};
    paper_draw(p, &(paper_figure){.file = "004_figure17.svg",
                                  .title = "Vehicle over a bump",
                                  .x = "time [s]",
                                  .y = "height of the chassis [m]",
                                  .linear_x = true,
                                  .linear_y = true,
                                  .smooth = true,
                                  .series = &s,
                                  .count = 1});
}

int main(int argc, char **argv)
{
    paper p;
    if (!paper_arguments(&p, argc, argv)) return 2;
    const double ours = height(&p, NULL, 0);
    double off = (double)NAN;
    paper_part("height", "value", NULL);
    printf("\nThe rest height of the chassis: thesis about %g m, ours %.4f m\n\n", PRINTED, ours);
    puts("| datum | ours | other value | height with it [m] | value for 0.71 m |\n|---|---|---|---|---|");
    FILE *f = paper_open(&p, "004_height.csv");
    if (f) fprintf(f, "datum,ours_m,with_other_m,share_for_0.71\n");
    for (int i = 0; i < COUNT; i++) {
        const datum *d = &DATA[i];
        const double with = height(&p, d, 1);
        // no stiffness of the tyres reaches it exactly: 1 ends at R + c
        if (strcmp(d->parameter[0], "k_tyre") == 0) off = fabs(with - PRINTED);
        const double x = strcmp(d->parameter[0], "k_tyre") == 0 ? (double)NAN : share(&p, d, ours, with);
        printf("| %s | ", d->name);
        print_values(d, 0);
        printf(" | ");
        print_values(d, 1);
        printf(" (%s) | %.4f%s | ", d->origin, with,
               fabs(with - PRINTED) < ROUNDING ? ", rounds to 0.71" : "");
        if (isnan(x)) printf("none");
        else print_values(d, x);
        printf(" |\n");
        if (f) fprintf(f, "%s,%.6f,%.6f,%.4f\n", d->name, ours, with, x);
    }
    paper_close(&p, f, "004_height.csv");
    tml_model *model = paper_model(&p, "hmmwv");
    if (model) draw_height(&p, model);
    tml_model_destroy(model);
    paper_within(&p, "rest height [m]", ours, 0.6875, 0.6877);
    paper_within(&p, "without deflection of the tyres as printed, off by [m]", off, 0, ROUNDING);
    return paper_end(&p);
}
