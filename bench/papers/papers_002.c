// Reproduces Figures 1 to 3 of O. A. Bauchau, Dymore user's manual, generalized-alpha scheme: spectral
// radius, period elongation and algorithmic damping over h/T for rho = 0, 0.2, .. 1, and the same curves of
// hht, newmark and midpoint. No formulas are used: the amplification matrix is that of the integrator's own
// steps (tests/integrate/amplification.h). usage: papers_002 [--out DIR]; prints a table in Markdown beside
// reference values, writes 002_curves.csv and the figures into DIR. The figures have no numbers; the
// reference values are those of the formulas with 45 digits. Takes a second.
#include "integrate/amplification.h"
#include "paper.h"

enum { POINTS = 121, GENALPHA = 6 };  // points of a curve, 40 a decade; curves of figures 1 to 3

typedef struct curve {
    const char *method;
    double rho, alpha;
    tml_placement placement;
} curve;

static const curve CURVE[] = {
    {"genalpha", 0, NAN, TML_PLACEMENT_NODES},   {"genalpha", 0.2, NAN, TML_PLACEMENT_NODES},
    {"genalpha", 0.4, NAN, TML_PLACEMENT_NODES}, {"genalpha", 0.6, NAN, TML_PLACEMENT_NODES},
    {"genalpha", 0.8, NAN, TML_PLACEMENT_NODES}, {"genalpha", 1, NAN, TML_PLACEMENT_NODES},
    {"genalpha", 0.8, NAN, TML_PLACEMENT_INNER}, {"hht", NAN, -1.0 / 3, TML_PLACEMENT_NODES},
    {"hht", NAN, -0.3, TML_PLACEMENT_NODES},     {"hht", NAN, -0.1, TML_PLACEMENT_NODES},
    {"newmark", 1, NAN, TML_PLACEMENT_NODES},    {"newmark", 0.8, NAN, TML_PLACEMENT_NODES},
    {"midpoint", NAN, NAN, TML_PLACEMENT_NODES}};

// [rho][h/T]: spectral radius, period elongation [%] (aliased from h/T = 1 on), algorithmic damping
static const double H_OVER_T[4] = {0.01, 0.1, 1, 10};
static const double REFERENCE[6][4][3] = {{{0.99999233, 0.17962666, 0.00012232},
                                           {0.96970817, 12.32057196, 0.05490498},
                                           {0.33922581, 269.09939499, 0.53610101},
                                           {0.06588417, 3012.57208784, 0.80300069}},
                                          {{0.99999771, 0.09841502, 0.00003651},
                                           {0.98697303, 8.09095774, 0.02255208},
                                           {0.49081116, 202.95154397, 0.32457466},
                                           {0.24715779, 2118.81539741, 0.44260746}},
                                          {{0.99999939, 0.06002986, 0.00000973},
                                           {0.99556971, 5.51585995, 0.00745627},
                                           {0.66413014, 178.36828015, 0.17841556},
                                           {0.44992926, 2035.85126088, 0.26200692}},
                                          {{0.99999988, 0.04213475, 0.00000194},
                                           {0.99898339, 4.06048817, 0.00168454},
                                           {0.82779464, 164.86493411, 0.07941636},
                                           {0.65140648, 2001.64991901, 0.14191761}},
                                          {{0.99999999, 0.03471694, 0.00000017},
                                           {0.99990442, 3.38284060, 0.00015727},
                                           {0.95627926, 154.86193788, 0.01813062},
                                           {0.84640945, 1976.46383940, 0.05502464}},
                                          {{1.00000000, 0.03289003, 0.00000000},
                                           {1.00000000, 3.20749106, 0.00000000},
                                           {1.00000000, 148.81394247, 0.00000000},
                                           {1.00000000, 1941.35248755, 0.00000000}}};

static tml_status calc(const curve *c, double h_over_T, amplification *a, tml_error *err)
{
    tml_integrator_options opt = tml_integrator_options_default();
    opt.run.rho = c->rho;
    opt.run.alpha = c->alpha;
    opt.run.placement = c->placement;
    const tml_method_ops *method = tml_method_find(c->method);
    return amplification_calc(method, &opt, h_over_T, a, err);
}

// Largest difference from the references, relative to the value or to 1.
static tml_status compare(double *worst, tml_error *err)
{
    paper_part("values", "exact exact value exact roundoff value exact free value exact roundoff", "size");
    puts("| rho | h/T | spectral radius | reference | difference | elongation % | reference | difference | "
         "damping | "
         "reference | difference |");
    puts("|---|---|---|---|---|---|---|---|---|---|---|");
    *worst = 0;
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 4; k++) {
            amplification a;
            tml_status st = calc(&CURVE[i], H_OVER_T[k], &a, err);
            if (st != TML_OK) return st;
            const double value[3] = {a.radius, 100 * a.period_elongation, a.damping};
            printf("| %.1f | %g ", CURVE[i].rho, H_OVER_T[k]);
            for (int j = 0; j < 3; j++) {
                const double reference = REFERENCE[i][k][j], difference = value[j] - reference;
                printf("| %.8f | %.8f | %+.0e ", value[j], reference, difference);
                *worst = fmax(*worst, fabs(difference) / fmax(1, reference));
            }
            puts("|");
        }
    return TML_OK;
}

typedef struct curves {
    double x[POINTS];
    double y[sizeof CURVE / sizeof *CURVE][3][POINTS];  // spectral radius, period elongation [%], damping
} curves;

static tml_status calc_curves(curves *c, tml_error *err)
{
    for (size_t i = 0; i < sizeof CURVE / sizeof *CURVE; i++)
        for (int k = 0; k < POINTS; k++) {
            amplification a;
            c->x[k] = pow(10, -2 + k / 40.0);
            tml_status st = calc(&CURVE[i], c->x[k], &a, err);
            if (st != TML_OK) return st;
            c->y[i][0][k] = a.radius;
            c->y[i][1][k] = 100 * a.period_elongation;
            c->y[i][2][k] = a.damping;
        }
    return TML_OK;
}

// One row per curve and h/T.
static void write_curves(paper *p, const curves *c)
{
    FILE *f = paper_open(p, "002_curves.csv");
    if (!f) return;
    fprintf(f, "method,placement,rho,alpha,h_over_T,spectral_radius,period_elongation_percent,damping\n");
    for (size_t i = 0; i < sizeof CURVE / sizeof *CURVE; i++)
        for (int k = 0; k < POINTS; k++)
            fprintf(f, "%s,%s,%g,%g,%.9g,%.9g,%.9g,%.9g\n", CURVE[i].method,
                    CURVE[i].placement == TML_PLACEMENT_INNER ? "inner" : "nodes", CURVE[i].rho,
                    CURVE[i].alpha, c->x[k], c->y[i][0][k], c->y[i][1][k], c->y[i][2][k]);
    paper_close(p, f, "002_curves.csv");
}

// The reference values are marked on the curves; from h/T = 1/2 on a period has less than two steps and is
// not what it seems.
static void draw(paper *p, const curves *c)
{
    static const char *const file[3] = {"002_figure1.svg", "002_figure2.svg", "002_figure3.svg"};
    static const char *const title[3] = {"Spectral radius", "Period elongation", "Algorithmic damping"};
    static const char *const axis[3] = {"spectral radius", "elongation of the period [%]", "damping ratio"};
    static const double x_max[3] = {10, 0.5, 10}, y_max[3] = {1.05, 120, 0.85};
    static const char *const name[GENALPHA] = {"ρ = 0", "ρ = 0.2", "ρ = 0.4", "ρ = 0.6", "ρ = 0.8", "ρ = 1"};
    for (int j = 0; j < 3; j++) {
        paper_series s[GENALPHA + 1];
        double x[4 * GENALPHA], y[4 * GENALPHA];
        int marked = 0;
        for (int i = 0; i < GENALPHA; i++) {
            s[i] = (paper_series){name[i], POINTS, c->x, c->y[i][j], false};
            for (int k = 0; k < 4; k++) {
                if (H_OVER_T[k] > x_max[j]) continue;
                x[marked] = H_OVER_T[k];
                y[marked++] = REFERENCE[i][k][j];
            }
        }
        s[GENALPHA] = (paper_series){"formulas", marked, x, y, true};
        paper_draw(p, &(paper_figure){.file = file[j],
                                      .title = title[j],
                                      .x = "h/T",
                                      .y = axis[j],
                                      .linear_y = true,
                                      .x_min = 0.01,
                                      .x_max = x_max[j],
                                      .y_min = j == 0 ? 0 : -0.02 * y_max[j],
                                      .y_max = y_max[j],
                                      .smooth = true,
                                      .series = s,
                                      .count = GENALPHA + 1});
    }
}

int main(int argc, char **argv)
{
    paper p;
    if (!paper_arguments(&p, argc, argv)) return 2;
    double worst;
    static curves c;
    tml_error err = {0};
    tml_status st = compare(&worst, &err);
    if (st == TML_OK) printf("\nlargest difference, relative to the value or 1: %.1e\n", worst);
    if (st == TML_OK && p.out) st = calc_curves(&c, &err);
    if (st != TML_OK) paper_fail(&p, "curves", err.msg);
    else if (p.out) {
        write_curves(&p, &c);
        draw(&p, &c);
    }
    // half a unit of the last of eight printed digits
    if (st == TML_OK) paper_within(&p, "largest difference from the formulas", worst, 0, 5.5e-9);
    return paper_end(&p);
}
