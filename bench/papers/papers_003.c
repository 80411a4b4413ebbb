// Reproduces the figures 1-8 of C. L. Bottasso, O. A. Bauchau, A. Cardona, Time-step-size-independent
// conditioning and sensitivity to perturbations in the numerical solution of index three differential
// algebraic equations, SIAM J. Sci. Comput. 29 (2007) 397-414: the pendulum (31) with BDF2 up to t = 1e-3 s,
// Newton until the corrections stop falling, in all the scalings of the paper, with three fields and with
// two. usage: papers_003 [--out DIR]; prints tables in Markdown, writes CSV and SVG. Takes seconds. The
// numbers are discussed in docs/papers.md. Figures 2 to 8 use the method bdf2 as a simulation would: steps of
// fixed size, `iterate` saturated, `report`. Figure 1 needs a prediction that no method makes, and more
// corrections than a solve: it uses the formula in tests/integrate/lab.h, which also holds the problem.
#include <float.h>

#include "integrate/lab.h"
#include "paper.h"

enum { FORMS = 7, SIZES = 5, STEPS = 100000 };

typedef struct form {
    const char *name, *short_name;
    tml_scaling scaling;
    tml_fields fields;
    int condition;   // claimed power of h
    int correction;  // claimed bound of the power of h of the largest correction
    int round_off;   // its power, if scaling rows does not change what elimination loses
} form;

static const form FORM[FORMS] = {
    {"three fields, none (4)", "none", TML_SCALING_NONE, TML_FIELDS_THREE, -3, -3, -2},
    {"three fields, left (16)", "left", TML_SCALING_LEFT, TML_FIELDS_THREE, -2, -2, -2},
    {"three fields, left and right (23), (24)", "left and right", TML_SCALING_LEFT_RIGHT, TML_FIELDS_THREE,
     -1, -1, -1},
    {"three fields, with velocities (29)", "left and right, velocities", TML_SCALING_LEFT_RIGHT_VELOCITY,
     TML_FIELDS_THREE, 0, 0, 0},
    {"two fields, none (37)", "none", TML_SCALING_NONE, TML_FIELDS_TWO, -4, -3, -2},
    {"two fields, left (44)", "left", TML_SCALING_LEFT, TML_FIELDS_TWO, -3, -2, -2},
    {"two fields, left and right (48), (49)", "left and right", TML_SCALING_LEFT_RIGHT, TML_FIELDS_TWO, 0, 0,
     0},
};

typedef struct results {
    double h[SIZES];
    double condition[FORMS][SIZES], inf[FORMS][SIZES], correction[FORMS][SIZES], field[3][FORMS][SIZES];
} results;

static const char *const STARTS[2] = {"paper", "generic"};
static const double ANGLE[2] = {0, -0.7};  // [rad] from the horizontal; at rest

static void measure(paper *p, int start, results *out)
{
    char file[64];
    snprintf(file, sizeof file, "003_%s.csv", STARTS[start]);
    FILE *f = paper_open(p, file);
    if (f)
        fprintf(
            f, "form,h,steps,iterations,condition_2,condition_inf,correction,position,velocity,multiplier\n");
    tml_error err = {0};
    for (int i = 0; i < FORMS; i++) {
        double h = 1e-4;
        for (int k = 0; k < SIZES; k++, h /= 10) {
            lab_run r;
            if (!lab_method_run(FORM[i].scaling, FORM[i].fields, h, ANGLE[start], STEPS, &r, &err))
                paper_fail(p, FORM[i].name, err.msg);
            out->h[k] = h;
            out->condition[i][k] = r.last.condition_2;
            out->inf[i][k] = r.last.condition_inf;
            // Below: residuals that are zero, exactly or but for the last bit of some terms, because the
            // pendulum has not moved by a rounding unit. Unknowns are of order 1: no correction of half a
            // rounding unit, 1.1e-16, would be less than half of that.
            const double none = DBL_EPSILON / 4;
            out->correction[i][k] = r.correction > none ? r.correction : (double)NAN;
            for (int j = 0; j < 3; j++) out->field[j][i][k] = r.field[j] > none ? r.field[j] : (double)NAN;
            if (f)
                fprintf(f, "\"%s\",%g,%ld,%.3g,%.6g,%.6g,%.3g,%.3g,%.3g,%.3g\n", FORM[i].name, h, r.steps,
                        r.iterations, r.last.condition_2, r.last.condition_inf, r.correction, r.field[0],
                        r.field[1], r.field[2]);
        }
    }
    paper_close(p, f, file);
}

static void print_conditions(paper *p, const results *r)
{
    paper_part("conditions", "exact value", NULL);
    printf("| form |");
    for (int k = 0; k < SIZES; k++) printf(" h = %g |", r->h[k]);
    printf("\n|---|");
    for (int k = 0; k < SIZES; k++) printf("---|");
    for (int i = 0; i < FORMS; i++) {
        printf("\n| %s |", FORM[i].name);
        for (int k = 0; k < SIZES; k++) printf(" %.5g |", r->condition[i][k]);
    }
    printf("\n\n| law in h | slope | claimed | met within 0.1 |\n|---|---|---|---|\n");
    for (int i = 0; i < FORMS; i++)
        paper_check_slope(p, FORM[i].name, paper_fit(SIZES, r->h, r->condition[i]), FORM[i].condition, 0.1);
}

// The law in h: the bound of the paper, and the rounding errors of elimination where they are less. The
// largest of many roundings may vary by a factor of 5 over the decades: 0.35 of a slope. A run of ten steps
// may end in residuals that are exactly zero; more than one such cell of a row is no measurement.
static void check_corrections(paper *p, const form *how, const double *h, const double *value)
{
    const double slope = paper_fit(SIZES, h, value);
    int measured = 0;
    for (int k = 0; k < SIZES; k++) measured += value[k] > 0;
    const double value_of_law = measured >= SIZES - 1 ? slope : (double)NAN;
    const bool good = paper_within(p, how->name, value_of_law, how->round_off - 0.35, how->round_off + 0.35);
    printf(" %+.1f | %+d | %+d | %s |", slope, how->correction, how->round_off, good ? "yes" : "NO");
}

static void print_corrections(paper *p, const results *r, int start)
{
    char part[32];
    snprintf(part, sizeof part, "corrections_%s", STARTS[start]);
    // which cells of the runs of ten steps from the generic start are zero, the machine's rounding decides
    paper_part(part,
               start ? "exact free size size size size near exact"
                     : "exact size size size size size near exact",
               NULL);
    printf("| form |");
    for (int k = 0; k < SIZES; k++) printf(" h = %g |", r->h[k]);
    printf(" slope | bound of the paper | law | met within 0.35 |\n|---|");
    for (int k = 0; k < SIZES + 4; k++) printf("---|");
    for (int i = 0; i < FORMS; i++) {
        printf("\n| %s |", FORM[i].name);
        for (int k = 0; k < SIZES; k++) {
            if (isnan(r->correction[i][k])) printf(" 0 |");
            else printf(" %.1e |", r->correction[i][k]);
        }
        check_corrections(p, &FORM[i], r->h, r->correction[i]);
    }
    printf("\n");
}

enum { MOST = 12 };  // corrections of figure 1

// The first MOST corrections of one step from a prediction without motion and force; Newton is called again
// where it stopped.
static bool trace(lab *b, double norm[MOST], tml_error *err)
{
    int made = 0;
    if (!lab_bdf2_try(b, true, err)) return false;
    for (;;) {
        const tmli_record *r = b->kernel.record;
        for (int k = 0; k < r->traced && made < MOST; k++) norm[made++] = r->trace[k];
        if (made == MOST) return true;
        if (!lab_bdf2_again(b, err)) return false;
    }
}

// Steps of 1e-7 s up to t = 5e-4 s, then on to the first step whose corrections do not fall below `above`.
static bool find_trace(const tml_system *sys, tml_scaling scaling, double above, double norm[MOST],
                       tml_error *err)
{
    const double q[2] = {cos(ANGLE[1]), sin(ANGLE[1])};
    const tml_integrator_options opt = lab_options(scaling, TML_FIELDS_THREE, 0, true);
    lab b;
    bool good = lab_begin(&b, sys, &opt, 1e-7, q, err), found = false;
    for (int k = 0; k < 10000 && good && !found; k++) {
        if (k >= 5000) {
            good = trace(&b, norm, err);
            found = good && norm[MOST - 1] > above;
        }
        if (good) good = lab_bdf2_try(&b, false, err);
        if (good) lab_accept(&b);
    }
    lab_end(&b);
    return good && found;
}

// Figure 1: corrections of one step with h = 1e-7 s over the iterations, without scaling, and what scaling
// makes of them. In some steps the constraint residual comes out as exactly zero after a few iterations, and
// the corrections go on falling; one of the others is shown.
static void figure_1(paper *p)
{
    double norm[2][MOST], number[MOST], least[2] = {INFINITY, INFINITY}, most[2] = {0};
    static const tml_scaling modes[2] = {TML_SCALING_NONE, TML_SCALING_LEFT_RIGHT_VELOCITY};
    static const double above[2] = {1e-3, 1e-17};
    tml_error err = {.msg = "no step of that kind"};
    tml_system *sys = lab_pendulum(&err);
    FILE *f = paper_open(p, "003_figure1.csv");
    if (f) fprintf(f, "iteration,none,left_right_velocity\n");
    for (int i = 0; i < 2 && sys; i++)
        if (!find_trace(sys, modes[i], above[i], norm[i], &err)) paper_fail(p, "figure 1", err.msg);
    paper_part("figure1", "exact size", NULL);
    printf("| iteration | none | left and right, velocities |\n|---|---|---|\n");
    for (int k = 0; k < MOST; k++) {
        number[k] = k + 1;
        printf("| %d | %.2e | %.2e |\n", k + 1, norm[0][k], norm[1][k]);
        if (f) fprintf(f, "%d,%.6g,%.6g\n", k + 1, norm[0][k], norm[1][k]);
        for (int i = 0; i < 2 && k > 0; i++) {
            least[i] = fmin(least[i], norm[i][k]);
            most[i] = fmax(most[i], norm[i][k]);
        }
    }
    // h^-2 eps = 0.022 times a number of order 1
    paper_within(p, "none: saturates from the second iteration on, least", least[0], 2e-3, 0.2);
    paper_within(p, "most", most[0], 2e-3, 0.2);
    paper_within(p, "left and right, velocities: saturates at round-off, most", most[1], 0, 5e-15);
    paper_close(p, f, "003_figure1.csv");
    tml_system_destroy(sys);
    const paper_series s[2] = {{"none", MOST, number, norm[0], false},
                               {"left and right, velocities", MOST, number, norm[1], false}};
    paper_draw(p, &(paper_figure){.file = "003_figure1.svg",
                                  .title = "Newton's corrections, h = 10^{-7} s",
                                  .x = "iteration",
                                  .y = "2-norm of the correction",
                                  .linear_x = true,
                                  .series = s,
                                  .count = 2});
}

static void draw(paper *p, const char *file, const char *title, const char *y, const results *r,
                 const double values[FORMS][SIZES], const int *forms, int count)
{
    paper_series s[FORMS];
    for (int i = 0; i < count; i++)
        s[i] = (paper_series){FORM[forms[i]].short_name, SIZES, r->h, values[forms[i]], false};
    paper_draw(p, &(paper_figure){
                      .file = file, .title = title, .x = "step [s]", .y = y, .series = s, .count = count});
}

static void figures(paper *p, const results *r, const char *suffix)
{
    static const int lr[] = {0, 1, 2}, lrv[] = {1, 3}, two[] = {4, 5, 6};
    static const char *const words[3] = {"displacements", "velocities", "multipliers"};
    char file[64];
    const char *norm = "largest correction, 2-norm", *condition = "condition number, 2-norm";
#define DRAW(name, ...)                                            \
    do {                                                           \
        snprintf(file, sizeof file, "003_%s%s.svg", name, suffix); \
        draw(p, file, __VA_ARGS__);                                \
    } while (0)
    DRAW("figure2", "Three fields", norm, r, r->correction, lr, 3);
    for (int j = 0; j < 3; j++) {
        char name[32], title[64];
        snprintf(name, sizeof name, "figure3_%s", words[j]);
        snprintf(title, sizeof title, "Three fields: %s", words[j]);
        DRAW(name, title, "largest correction", r, r->field[j], lr, 3);
    }
    DRAW("figure5", "Three fields, velocities scaled", norm, r, r->correction, lrv, 2);
    DRAW("figure7", "Two fields", norm, r, r->correction, two, 3);
    if (suffix[0]) return;  // the condition numbers are those of the other start
    DRAW("figure4", "Three fields", condition, r, r->condition, lr, 3);
    DRAW("figure6", "Three fields, velocities scaled", condition, r, r->condition, lrv, 2);
    DRAW("figure8", "Two fields", condition, r, r->condition, two, 3);
#undef DRAW
}

int main(int argc, char **argv)
{
    paper p;
    if (!paper_arguments(&p, argc, argv)) return 2;
    figure_1(&p);
    for (int start = 0; start < 2; start++) {
        results r;
        measure(&p, start, &r);
        if (start == 0) print_conditions(&p, &r);
        print_corrections(&p, &r, start);
        figures(&p, &r, start ? "_generic" : "");
    }
    return paper_end(&p);
}
