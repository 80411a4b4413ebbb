// Reproduces the numbers of O. A. Bauchau, A. Epple, C. L. Bottasso, Scaling of constraints and augmented
// Lagrangian formulations in multibody dynamics simulations, J. Comput. Nonlinear Dyn. 4 (2009) 021007:
// tables 1 and 2 (condition number of the iteration matrix of the midpoint rule, pendulum with a root spring)
// and the example (35) in arithmetic of five digits. usage: papers_000 [--out DIR]; prints tables in
// Markdown, writes CSV and SVG. Takes seconds. The numbers are discussed in docs/papers.md.
//
// The steps are those of the method `midpoint` with the options scaling and augment. The problem is in
// tests/integrate/lab.h, with a rule written on the kernel for the tests; both must give the same numbers.
#include "consistency/consistent.h"
#include "integrate/lab.h"
#include "paper.h"

typedef struct row {
    double value;       // h [s] or m [kg]
    double printed[3];  // no scaling, s = 1, s of (6)
    double two[3], inf[3];
} row;

static void print_table(paper *p, const char *part, const char *what, const char *file, const row *rows,
                        int count, double off)
{
    paper_part(part, "exact exact exact exact value", NULL);
    printf("| %s | paper: none | s = 1 | (6) | ours, 2-norm: none | s = 1 | (6) | inf-norm: none | s = 1 | "
           "(6) |\n|---|---|---|---|---|---|---|---|---|---|\n",
           what);
    FILE *f = paper_open(p, file);
    if (f) fprintf(f, "%s,paper_none,paper_s1,paper_eq6,none_2,s1_2,eq6_2,none_inf,s1_inf,eq6_inf\n", what);
    for (int i = 0; i < count; i++) {
        const row *r = &rows[i];
        printf("| %g |", r->value);
        if (f) fprintf(f, "%g", r->value);
        for (int k = 0; k < 3; k++) {
            if (isnan(r->printed[k])) printf(" |");
            else printf(" %.2g |", r->printed[k]);
            if (f && isnan(r->printed[k])) fprintf(f, ",");
            else if (f) fprintf(f, ",%g", r->printed[k]);
        }
        for (int k = 0; k < 3; k++) printf(k ? " %.4g |" : " %.3g |", r->two[k]);
        for (int k = 0; k < 3; k++) printf(k ? " %.4g |" : " %.3g |", r->inf[k]);
        for (int k = 0; k < 3 && f; k++) fprintf(f, ",%.10g", r->two[k]);
        for (int k = 0; k < 3 && f; k++) fprintf(f, ",%.10g", r->inf[k]);
        putchar('\n');
        if (f) fputc('\n', f);
    }
    paper_within(p, "`midpoint` and the rule on the kernel: largest difference", off, 0, 0.01);
    paper_close(p, f, file);
}

// A step of `midpoint` from x to x.
static tml_status step_of(const tml_system *sys, const tml_integrator_options *opt, double h, long steps,
                          tml_state *x, tml_conditioning *out, tml_error *err)
{
    const tml_method_ops *ops = NULL;
    void *self = NULL;
    double error;
    tml_status st = tml_method_create(tml_method_find("midpoint"), sys, opt, &ops, &self, err);
    if (st == TML_OK) st = ops->start(self, x, err);
    for (long i = 0; i < steps && st == TML_OK; i++) {
        st = ops->step(self, h, &error, err);
        if (st == TML_OK) ops->accept(self, x->t + h * (double)(i + 1));
    }
    if (st == TML_OK && out) ops->conditioning(self, out);
    if (st == TML_OK) tml_state_copy(x, ops->state(self));
    if (self) ops->destroy(self);
    return st;
}

typedef struct variant {
    const char *name;
    tml_scaling scaling;
    double augment;
    tml_constraint_point constraint_point;
} variant;

static const variant PRINTED[3] = {{"no scaling", TML_SCALING_NONE, 0, TML_CONSTRAINT_POINT_END},
                                   {"s = 1", TML_SCALING_LEFT_RIGHT, 1, TML_CONSTRAINT_POINT_END},
                                   {"s of (6)", TML_SCALING_UNIFORM, 1, TML_CONSTRAINT_POINT_END}};

// Condition numbers of the last step to 1 s with three variants; up to it with the scaling of (6).
static tml_status method_run(double m, double h, const variant v[3], tml_conditioning out[3], tml_error *err)
{
    const double phi = 0.78539816339744831, q[3] = {sin(phi), -cos(phi), phi};
    lab_spring p = {m, 10, 1};
    tml_state *x = NULL, *y = NULL;
    tmli_consistent consistent = {0};
    tml_system *sys = lab_spring_pendulum(&p, err);
    if (!sys) return TML_ERR_NOMEM;
    tml_status st = tml_state_create(sys, &x, err);
    if (st == TML_OK) st = tml_state_create(sys, &y, err);
    if (st == TML_OK) st = tmli_consistent_create(sys, &tml_linsolver_dense, &consistent, err);
    if (st == TML_OK) {
        memcpy(x->q, q, sizeof q);
        st = tmli_consistent_project(&consistent, x, err);
    }
    tml_integrator_options opt = lab_options(TML_SCALING_UNIFORM, TML_FIELDS_TWO, 1, false);
    if (st == TML_OK) st = step_of(sys, &opt, h, lround(1 / h) - 1, x, NULL, err);
    for (int i = 0; i < 3 && st == TML_OK; i++) {
        opt = lab_options(v[i].scaling, TML_FIELDS_TWO, v[i].augment, true);
        opt.run.constraint_point = v[i].constraint_point;
        opt.run.report = true;
        tml_state_copy(y, x);
        st = step_of(sys, &opt, h, 1, y, &out[i], err);
    }
    tmli_consistent_clear(&consistent);
    tml_state_destroy(x, sys);
    tml_state_destroy(y, sys);
    tml_system_destroy(sys);
    return st;
}

// Returns the largest relative difference of `midpoint` from the rule on the kernel.
static double measure(paper *p, row *r, double m, double h)
{
    tml_conditioning c[3], by_hand[3];
    double angle, off = 0;
    tml_error err = {0};
    if (method_run(m, h, PRINTED, c, &err) != TML_OK) paper_fail(p, "midpoint", err.msg);
    if (!lab_spring_run(m, h, by_hand, &angle, &err)) paper_fail(p, "problem II", err.msg);
    for (int k = 0; k < 3; k++) {
        r->two[k] = c[k].condition_2;
        r->inf[k] = c[k].condition_inf;
        off = fmax(off, fabs(r->two[k] / by_hand[k].condition_2 - 1));
    }
    return off;
}

enum { ROWS = 9 };

static void columns(const row *rows, int count, double x[ROWS], double two[3][ROWS], double printed[3][ROWS])
{
    for (int i = 0; i < count; i++) {
        x[i] = rows[i].value;
        for (int k = 0; k < 3; k++) {
            two[k][i] = rows[i].two[k];
            printed[k][i] = rows[i].printed[k];
        }
    }
}

static void draw(paper *p, const char *file, const char *title, const char *x_label, const row *rows,
                 int count, const paper_slope *slope)
{
    double x[ROWS], two[3][ROWS], printed[3][ROWS];
    columns(rows, count, x, two, printed);
    paper_series s[6];
    for (int k = 0; k < 3; k++) {
        s[k] = (paper_series){PRINTED[k].name, count, x, two[k], false};
        s[3 + k] = (paper_series){k ? NULL : "paper", count, x, printed[k], true};
    }
    paper_draw(p, &(paper_figure){.file = file,
                                  .title = title,
                                  .x = x_label,
                                  .y = "condition number, 2-norm",
                                  .series = s,
                                  .count = 6,
                                  .slopes = slope,
                                  .nslopes = 1});
}

static void table_1(paper *p)
{
    row rows[ROWS] = {{1e-1, {4e4, 10, 12}, {0}, {0}},   {5e-2, {6e5, 8.9, 13}, {0}, {0}},
                      {1e-2, {3e8, 9.2, 14}, {0}, {0}},  {5e-3, {5e9, 9.2, 14}, {0}, {0}},
                      {1e-3, {3e12, 9.2, 14}, {0}, {0}}, {5e-4, {5e13, 9.2, 14}, {0}, {0}},
                      {1e-4, {3e16, 9.2, 14}, {0}, {0}}, {5e-5, {5e17, 9.2, 14}, {0}, {0}},
                      {1e-5, {3e20, 9.2, 14}, {0}, {0}}};
    double off = 0;
    for (int i = 0; i < ROWS; i++) off = fmax(off, measure(p, &rows[i], 1, rows[i].value));
    print_table(p, "table1", "h", "000_table1.csv", rows, ROWS, off);
    double x[ROWS], two[3][ROWS], printed[3][ROWS];
    columns(rows, ROWS, x, two, printed);
    printf("\n| law in h, 2-norm | slope | claimed | met within 0.1 |\n|---|---|---|---|\n");
    const double law[3] = {-4, 0, 0};
    for (int k = 0; k < 3; k++)
        paper_check_slope(p, PRINTED[k].name, paper_fit(ROWS - 2, x + 2, two[k] + 2), law[k], 0.1);
    draw(p, "000_table1.svg", "Midpoint rule, m = 1 kg", "step [s]", rows, ROWS,
         &(paper_slope){-4, 1e-4, 1e12, 1e-2, "h^{-4}"});
}

static void table_2(paper *p)
{
    row rows[8] = {{1e-2, {3e6, 20, 13}, {0}, {0}},   {1e-1, {3e8, 9, 14}, {0}, {0}},
                   {1, {3e10, 4e2, 14}, {0}, {0}},    {1e1, {3e12, 3e4, 14}, {0}, {0}},
                   {1e2, {3e14, 3e6, 14}, {0}, {0}},  {1e3, {3e16, 3e8, 14}, {0}, {0}},
                   {1e4, {3e18, 3e10, 14}, {0}, {0}}, {1e5, {NAN, NAN, NAN}, {0}, {0}}};
    double off = 0;
    for (int i = 0; i < 8; i++) off = fmax(off, measure(p, &rows[i], rows[i].value, 0.01));
    print_table(p, "table2", "m", "000_table2.csv", rows, 8, off);
    double x[ROWS], two[3][ROWS], printed[3][ROWS];
    columns(rows, 8, x, two, printed);
    printf("\n| law in m, 2-norm | slope | claimed | met within 0.1 |\n|---|---|---|---|\n");
    const double law[3] = {2, 2, 0};
    for (int k = 0; k < 3; k++)  // m >= 100: with s = 1 the heavy pendulum follows the law, (1 + 4/m) m^2
        paper_check_slope(p, PRINTED[k].name, paper_fit(4, x + 4, two[k] + 4), law[k], 0.1);
    draw(p, "000_table2.svg", "Midpoint rule, h = 0.01 s (crosses: labels as printed)", "mass [kg]", rows, 8,
         &(paper_slope){2, 1, 1e12, 100, "m^{2}"});
}

// The choices that the text of the paper leaves open, for table 1: m, d, k of (6) by the infinity norms of
// the matrices, and the mean of the constraints, (9c), instead of those at the end, (19b).
static void choices(paper *p)
{
    static const variant v[3] = {{"diagonals, (19b)", TML_SCALING_UNIFORM, 1, TML_CONSTRAINT_POINT_END},
                                 {"norms, (19b)", TML_SCALING_NORM, 1, TML_CONSTRAINT_POINT_END},
                                 {"diagonals, (9c)", TML_SCALING_UNIFORM, 1, TML_CONSTRAINT_POINT_MEAN}};
    enum { STEPS = 5 };
    double h[STEPS], two[3][STEPS];
    paper_part("choices", "exact value", NULL);
    printf("| h | %s | %s | %s |\n|---|---|---|---|\n", v[0].name, v[1].name, v[2].name);
    FILE *f = paper_open(p, "000_choices.csv");
    if (f) fprintf(f, "h,diagonals_end,norms_end,diagonals_mean\n");
    for (int i = 0; i < STEPS; i++) {
        tml_conditioning c[3] = {0};
        tml_error err = {0};
        h[i] = pow(10, -1 - i);
        if (method_run(1, h[i], v, c, &err) != TML_OK) paper_fail(p, "choices", err.msg);
        for (int k = 0; k < 3; k++) two[k][i] = c[k].condition_2;
        printf("| %g | %.4g | %.4g | %.4g |\n", h[i], two[0][i], two[1][i], two[2][i]);
        if (f) fprintf(f, "%g,%.6g,%.6g,%.6g\n", h[i], two[0][i], two[1][i], two[2][i]);
    }
    paper_close(p, f, "000_choices.csv");
    printf("\n| law in h, 2-norm | slope | claimed | met within 0.1 |\n|---|---|---|---|\n");
    for (int k = 0; k < 3; k++)
        paper_check_slope(p, v[k].name, paper_fit(STEPS - 1, h + 1, two[k] + 1), 0, 0.1);
}

static void equation_35(paper *p)
{
    FILE *f = paper_open(p, "000_equation35.csv");
    paper_part("equation35", "exact", NULL);
    printf("| pivoting | x1 | x2 | x3 | paper |\n|---|---|---|---|---|\n");
    if (f) fprintf(f, "pivoting,x1,x2,x3,paper_x1,paper_x2,paper_x3\n");
    for (int pivot = 1; pivot >= 0; pivot--) {
        double x[3];
        lab_five_digits(1e-3, pivot, x);
        printf("| %s | %.5g | %.5g | %.5g | 1, %d, 0.99999 |\n", pivot ? "full" : "none", x[0], x[1], x[2],
               pivot ? 1 : 10);
        if (f)
            fprintf(f, "%s,%.5g,%.5g,%.5g,1,%d,0.99999\n", pivot ? "full" : "none", x[0], x[1], x[2],
                    pivot ? 1 : 10);
        const double off = fabs(x[0] - 1) + fabs(x[1] - (pivot ? 1 : 10)) + fabs(x[2] - 0.99999);
        paper_within(p, pivot ? "full: as printed, off by" : "none: as printed, off by", off, 0, 1e-9);
    }
    paper_close(p, f, "000_equation35.csv");
}

int main(int argc, char **argv)
{
    paper p;
    if (!paper_arguments(&p, argc, argv)) return 2;
    table_1(&p);
    table_2(&p);
    choices(&p);
    equation_35(&p);
    return paper_end(&p);
}
