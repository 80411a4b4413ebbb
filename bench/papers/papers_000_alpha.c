// Tables 1 and 2 of O. A. Bauchau, A. Epple, C. L. Bottasso, J. Comput. Nonlinear Dyn. 4 (2009) 021007, by
// another scheme than the text says. It derives the midpoint rule, but its numbers are not those of that rule
// (papers_000): the constant of the column without scaling is 3 there and 1 by (30). This program computes
// the tables by generalized-alpha, the scheme of section 8, in the infinity norm, which the text names,
// without the penalty term in the matrix. usage: papers_000_alpha [--out DIR]. Takes seconds.
//
// Without scaling J = [a M/h^2, b B'; c C_q, 0] as h -> 0, a = (1 - alpha_m)/beta, b = c = 1 - alpha_f
// for (37b), and with B = 2 q the largest entries of J and of its inverse give
//   condition number -> (a m/h^2) (a m/(4 b c l^2 h^2)) = a^2/(4 b c) m^2/(l^2 h^4)                    (1)
// a^2/(4 b c) = 1 for the midpoint rule (a = 2, b = c = 1) and 2.85 for rho_inf = 0.5 (a = 9/4, b = c = 2/3).
#include "consistency/consistent.h"
#include "integrate/lab.h"
#include "paper.h"

static const double RHO = 0.5, LENGTH = 1, STIFFNESS = 10;  // l [m], k [N m/rad]
static const double START = 75;                             // [degrees]; the paper does not give it

// `count` steps from x; the conditioning of the last is wanted, or x is moved to its end.
static tml_status steps(const tml_system *sys, double rho, tml_scaling scaling, double h, long count,
                        tml_state *x, tml_conditioning *out, tml_error *err)
{
    const tml_method_ops *ops = NULL;
    void *self = NULL;
    double error;
    tml_integrator_options opt = lab_options(scaling, TML_FIELDS_TWO, 0, out != NULL);
    opt.run.rho = rho;
    tml_status st = tml_method_create(tml_method_find("genalpha"), sys, &opt, &ops, &self, err);
    if (st == TML_OK) st = ops->start(self, x, err);
    for (long i = 0; i < count && st == TML_OK; i++) {
        st = ops->step(self, h, &error, err);
        if (st == TML_OK) ops->accept(self, x->t + h * (double)(i + 1));
    }
    if (st == TML_OK && out) ops->conditioning(self, out);
    if (st == TML_OK && !out) tml_state_copy(x, ops->state(self));
    if (self) ops->destroy(self);
    return st;
}

/** Condition numbers of the last step to 1 s: no scaling, s = 1, s of (6). */
static bool measure(paper *p, double rho, double start, double m, double h, double out[3])
{
    static const tml_scaling scaling[3] = {TML_SCALING_NONE, TML_SCALING_LEFT_RIGHT, TML_SCALING_UNIFORM};
    const double phi = start * acos(-1) / 180, q[3] = {LENGTH * sin(phi), -LENGTH * cos(phi), phi};
    lab_spring spring = {m, STIFFNESS, LENGTH};
    tml_error err = {0};
    tml_state *x = NULL;
    tmli_consistent consistent = {0};
    tml_system *sys = lab_spring_pendulum(&spring, &err);
    tml_status st = sys ? tml_state_create(sys, &x, &err) : TML_ERR_NOMEM;
    if (st == TML_OK) st = tmli_consistent_create(sys, &tml_linsolver_dense, &consistent, &err);
    if (st == TML_OK) {
        memcpy(x->q, q, sizeof q);
        st = tmli_consistent_project(&consistent, x, &err);
    }
    // to the last step with s of (6); then that step in each form until corrections stop falling
    tml_conditioning c;
    if (st == TML_OK) st = steps(sys, rho, TML_SCALING_UNIFORM, h, lround(1 / h) - 1, x, NULL, &err);
    for (int k = 0; k < 3 && st == TML_OK; k++) {
        st = steps(sys, rho, scaling[k], h, 1, x, &c, &err);
        out[k] = c.condition_inf;
    }
    if (st != TML_OK) paper_fail(p, "genalpha", err.msg);
    tmli_consistent_clear(&consistent);
    if (sys) tml_state_destroy(x, sys);
    tml_system_destroy(sys);
    return st == TML_OK;
}

typedef struct row {
    double value, printed[3];
} row;

// Printed values have one digit (no scaling) or two; small steps must round to them, large ones come near.
static void table(paper *p, const char *title, const char *what, const row *rows, int count, bool masses,
                  FILE *f)
{
    paper_part(masses ? "table2" : "table1", "value", "value");
    printf("\n%s\n\n| %s | paper: none | s = 1 | (6) | genalpha, inf-norm: none | s = 1 | (6) |\n"
           "|---|---|---|---|---|---|---|\n",
           title, what);
    double off[3] = {0};
    for (int i = 0; i < count; i++) {
        const row *r = &rows[i];
        const double m = masses ? 10 * r->value : 1, h = masses ? 0.01 : r->value;
        double c[3] = {0};
        if (!measure(p, RHO, START, m, h, c)) return;
        printf("| %g |", r->value);
        for (int k = 0; k < 3; k++) printf(" %.2g |", r->printed[k]);
        for (int k = 0; k < 3; k++) printf(" %.3g |", c[k]);
        putchar('\n');
        if (f)
            fprintf(f, "%s,%g,%g,%g,%g,%.5g,%.5g,%.5g\n", what, r->value, r->printed[0], r->printed[1],
                    r->printed[2], c[0], c[1], c[2]);
        for (int k = 0; k < 3; k++) {
            const bool small = masses ? m >= 1 : h <= 0.01;
            // a digit of the print: 3 is 2.5 .. 3.5, 9.2 is 9.15 .. 9.25; with s = 1 and heavy masses a digit
            const double digit = c[k] / r->printed[k] - 1;
            if (small) off[k] = fmax(off[k], fabs(digit));
        }
    }
    paper_within(p, "none: from h = 0.01, m = 0.1 on as printed, relative difference", off[0], 0, 0.25);
    paper_within(p, "s = 1: the same", off[1], 0, masses ? 0.25 : 0.01);
    paper_within(p, "(6): the same", off[2], 0, 0.05);
}

static void constants(paper *p, FILE *f)
{
    double off = 0;
    paper_part("constants", "value", "value");
    puts("\nThe constant of the column without scaling, (1), by the spectral radius of the scheme, h = 1e-3; "
         "other starts at 0.5 below\n\n| rho_inf | start [deg] | (1) | none x h^4 | s = 1 | (6) "
         "|\n|---|---|---|---|---|---|");
    static const double CASE[][2] = {{0, 75},   {0.3, 75}, {0.4, 75}, {0.5, 75},  {0.6, 75}, {0.8, 75},
                                     {0.5, 30}, {0.5, 45}, {0.5, 90}, {0.5, 105}, {0.5, 120}};
    for (size_t i = 0; i < sizeof CASE / sizeof *CASE; i++) {
        const double rho = CASE[i][0], am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1);
        const double beta = (1 - am + af) * (1 - am + af) / 4, a = (1 - am) / beta;
        double c[3] = {0};
        if (!measure(p, rho, CASE[i][1], 1, 1e-3, c)) return;
        const double law = a * a / (4 * (1 - af) * (1 - af));
        off = fmax(off, fabs(1e-12 * c[0] / law - 1));
        printf("| %g | %g | %.3f | %.3f | %.2f | %.2f |\n", rho, CASE[i][1], law, 1e-12 * c[0], c[1], c[2]);
        if (f)
            fprintf(f, "constant,%g,%g,%g,%.4f,%.5g,%.4g,%.4g\n", rho, CASE[i][1], 0.0, law, c[0], c[1],
                    c[2]);
    }
    paper_within(p, "none x h^4 is (1): largest relative difference", off, 0, 1e-3);
}

int main(int argc, char **argv)
{
    static const row H[] = {{1e-1, {4e4, 10, 12}},   {5e-2, {6e5, 8.9, 13}},  {1e-2, {3e8, 9.2, 14}},
                            {5e-3, {5e9, 9.2, 14}},  {1e-3, {3e12, 9.2, 14}}, {5e-4, {5e13, 9.2, 14}},
                            {1e-4, {3e16, 9.2, 14}}, {5e-5, {5e17, 9.2, 14}}, {1e-5, {3e20, 9.2, 14}}};
    static const row M[] = {{1e-2, {3e6, 20, 13}},  {1e-1, {3e8, 9, 14}},   {1, {3e10, 4e2, 14}},
                            {1e1, {3e12, 3e4, 14}}, {1e2, {3e14, 3e6, 14}}, {1e3, {3e16, 3e8, 14}},
                            {1e4, {3e18, 3e10, 14}}};
    paper p;
    if (!paper_arguments(&p, argc, argv)) return 2;
    FILE *f = paper_open(&p, "000_alpha.csv");
    if (f) fprintf(f, "what,value,paper_none,paper_s1,paper_eq6,none,s1,eq6\n");
    printf("Tables 1 and 2 by generalized-alpha, rho_inf = %g, from rest at %g degrees\n", RHO, START);
    table(&p, "Table 1: m = 1 kg", "h", H, sizeof H / sizeof *H, false, f);
    table(&p, "Table 2: h = 0.01 s, ours with ten times the printed mass", "m", M, sizeof M / sizeof *M, true,
          f);
    constants(&p, f);
    paper_close(&p, f, "000_alpha.csv");
    return paper_end(&p);
}
