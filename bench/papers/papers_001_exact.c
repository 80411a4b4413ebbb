// The solutions that Figures 5.6-5.8 and 5.12-5.14 of L. R. Petzold, Y. Ren, T. Maly, SIAM J. Sci. Comput. 18
// (1997) 753-774 approximate: Example 5.2 (slider-crank with equal arms) integrated to 14 digits, without the
// library: multipliers eliminated, arithmetic of long double (64 bits of mantissa on x86-64, 113 on aarch64),
// extrapolation of the midpoint rule. Then the same figures by the library at the tolerance of the paper from
// a hundred starts: the paper does not give its own. usage: papers_001_exact [--out DIR]. Takes ten seconds,
// minutes where 113 bits are computed by software.
//
//   M theta'' = f - G' lambda,  g = -cos theta1 - cos theta2,  G = (sin theta1, sin theta2)           (1)
//   s = G inv(M) G',   d = G inv(M) f + (terms of the form)                                           (2)
//   index 2: G_t theta' + gamma g',  g' = G theta';   index 3: 2 gamma g' + 2 gamma^2 g, as in (4.3)
//   lambda = d/s (Baumgarte), d/(s + epsilon) (direct), s d/(s^2 + epsilon) (trust region)            (3)
//
// What to expect. On g = 0 (3) is exact for epsilon = 0, but s vanishes at theta = (0, pi). In the form of
// index 2 nothing changes g: g = c stays. For c != 0 the curve g = c does not pass through (0, pi), it bends
// from one branch onto the other within sqrt(c) of it: the exact solution changes the branch however small c
// is, and a run that keeps to its branch has stepped over the bend. In the form of index 3 c decays like
// exp(-gamma t), and the exact solution keeps to its branch.
#include "hessenberg/petzold.h"
#include "paper.h"

typedef long double real;

static const double FAR = 0.05, END = 10, GAMMA = 1e3;  // [rad], [s], [1/s]
enum { STATES = 6, COLUMNS = 8, STARTS = 100 };

typedef struct problem {
    int index;
    tml_regularization kind;
    real epsilon;
} problem;

// ---- the equations ----------------------------------------------------------------------------------------

static real multiplier(const problem *p, real s, real d)
{
    if (p->kind == TML_REGULARIZATION_DIRECT) return d / (s + p->epsilon);
    if (p->kind == TML_REGULARIZATION_TRUST_REGION) return s * d / (s * s + p->epsilon);
    return d / s;
}

// x: theta1, theta2, their rates, and angle and rate of the smooth branch, (1) of petzold.h.
static void slopes(const problem *p, const real *x, real *out)
{
    const real gamma = (real)GAMMA, a = sinl(x[0]), b = sinl(x[1]), w1 = x[2], w2 = x[3];
    const real c = cosl(x[1] - x[0]), s = sinl(x[1] - x[0]), det = 2 - c * c;
    const real f1 = s * w2 * w2 - (real)19.6L * a, f2 = -s * w1 * w1 - (real)9.8L * b;
    const real free1 = (f1 - c * f2) / det, free2 = (2 * f2 - c * f1) / det;  // inv(M) f
    const real by1 = (a - c * b) / det, by2 = (2 * b - c * a) / det;          // inv(M) G'
    const real rate = a * w1 + b * w2;
    real d = a * free1 + b * free2;
    if (p->index == 2) d += cosl(x[0]) * w1 * w1 + cosl(x[1]) * w2 * w2 + gamma * rate;
    else d += 2 * gamma * rate - 2 * gamma * gamma * (cosl(x[0]) + cosl(x[1]));
    const real lambda = multiplier(p, a * by1 + b * by2, d);
    out[0] = w1;
    out[1] = w2;
    out[2] = free1 - by1 * lambda;
    out[3] = free2 - by2 * lambda;
    out[4] = x[5];
    out[5] = (2 * sinl(2 * x[4]) * x[5] * x[5] - (real)9.8L * sinl(x[4])) / (3 + 2 * cosl(2 * x[4]));
}

// ---- extrapolation (Gragg, Bulirsch, Stoer) ---------------------------------------------------------------

// y := the modified midpoint rule over h in n steps from x.
static void midpoint(const problem *p, const real *x, real h, int n, real *y)
{
    real last[STATES], now[STATES], k[STATES];
    slopes(p, x, k);
    for (int i = 0; i < STATES; i++) {
        last[i] = x[i];
        now[i] = x[i] + h / n * k[i];
    }
    for (int j = 1; j < n; j++) {
        slopes(p, now, k);
        for (int i = 0; i < STATES; i++) {
            const real next = last[i] + 2 * h / n * k[i];
            last[i] = now[i];
            now[i] = next;
        }
    }
    slopes(p, now, k);
    for (int i = 0; i < STATES; i++) y[i] = (last[i] + now[i] + h / n * k[i]) / 2;
}

// y := a step of order 2 COLUMNS; the difference from order 2 COLUMNS - 2 is returned, NAN: not finite.
static real extrapolate(const problem *p, const real *x, real h, real *y)
{
    real table[COLUMNS][STATES], error = 0;
    for (int j = 0; j < COLUMNS; j++) {
        midpoint(p, x, h, 2 * (j + 1), table[j]);
        for (int k = j - 1; k >= 0; k--) {
            const real ratio = (real)(j + 1) / (real)(k + 1);
            for (int i = 0; i < STATES; i++)
                table[k][i] = table[k + 1][i] + (table[k + 1][i] - table[k][i]) / (ratio * ratio - 1);
        }
    }
    for (int i = 0; i < STATES; i++) {
        y[i] = table[0][i];
        error += fabsl(table[1][i] - table[0][i]);
    }
    return error;
}

typedef struct outcome {
    double off;   // largest deviation of theta1 from the smooth branch [rad]
    double left;  // [s] when it was 0.05 rad; NAN: never
    long steps;
    double shortest;  // step [s]
} outcome;

/** From rest at theta, with theta2 moved so that g = c. */
static outcome integrate(const problem *p, double theta, double c, real tol)
{
    const real first = (real)theta;
    real x[STATES] = {first, acosl(-cosl(first) - (real)c), 0, 0, first, 0}, y[STATES], t = 0, h = 1e-3L;
    outcome o = {0, (double)NAN, 0, END};
    while (t < END && o.steps < 200000) {
        if (t + h > END) h = END - t;
        const real error = extrapolate(p, x, h, y);
        if (!(error <= tol) && h > 1e-9L) {
            h /= 2;
            continue;
        }
        t += h;
        o.steps++;
        o.shortest = fmin(o.shortest, (double)h);
        for (int i = 0; i < STATES; i++) x[i] = y[i];
        const double off = (double)fabsl(x[0] - x[4]);
        o.off = fmax(o.off, off);
        if (isnan(o.left) && !(off < FAR)) o.left = (double)t;
        if (!isnan(o.left)) break;
        if (error < tol / 1e4L) h *= 1.5L;
    }
    return o;
}

// ---- the library at the tolerance of the paper ------------------------------------------------------------

enum { POINTS = 201 };

/** True: theta1 keeps to the smooth branch, `branch` (POINTS), for 10 s from rest. */
static bool keeps(const problem *p, double theta, const double *branch)
{
    double start[4];
    tml_error err = {0};
    tml_hessenberg *h = NULL;
    petzold_2_start(theta, 0, start);
    tml_hessenberg_def d = petzold_2(p->index, start);
    d.regularization = p->kind;
    d.gamma = GAMMA;
    d.epsilon = (double)p->epsilon;
    d.rtol = d.atol = 1e-5;
    d.max_steps = 200000;
    tml_status st = tml_hessenberg_create(&d, NULL, &h, &err);
    bool good = true;
    for (int i = 0; i < POINTS && st == TML_OK && good; i++) {
        st = tml_hessenberg_run(h, END * i / (POINTS - 1), &err);
        good = st == TML_OK && fabs(tml_hessenberg_x(h)[0] - branch[i]) < FAR;
    }
    tml_hessenberg_destroy(h);
    return good && st == TML_OK;
}

static double start_angle(int i) { return 0.3 + 0.01 * i; }  // [rad]

static void count_starts(const problem *problems, int count, int *kept)
{
    double branch[POINTS];
    for (int k = 0; k < count; k++) kept[k] = 0;
    for (int s = 0; s < STARTS && tml_hessenberg_available(); s++) {
        double theta = start_angle(s), w = 0;
        for (int i = 0; i < POINTS; i++) {
            if (i > 0) petzold_2_reference(END * (i - 1) / (POINTS - 1), END * i / (POINTS - 1), &theta, &w);
            branch[i] = theta;
        }
        for (int k = 0; k < count; k++) kept[k] += keeps(&problems[k], start_angle(s), branch);
    }
}

// ---- table ------------------------------------------------------------------------------------------------

typedef struct figure {
    int number;
    problem problem;
    bool stays;  // the exact solution, by the argument at the top of this file
    const char *paper;
} figure;

static const figure FIGURES[] = {
    {6, {2, TML_REGULARIZATION_BAUMGARTE, 0}, false, "works, not robust"},
    {7, {2, TML_REGULARIZATION_DIRECT, 1e-6L}, false, "fails"},
    {8, {2, TML_REGULARIZATION_TRUST_REGION, 1e-6L}, true, "works"},
    {12, {3, TML_REGULARIZATION_BAUMGARTE, 0}, true, "wrong solution"},
    {13, {3, TML_REGULARIZATION_DIRECT, 1e-6L}, true, "wrong solution"},
    {14, {3, TML_REGULARIZATION_TRUST_REGION, 1e-6L}, true, "works"},
};
enum { FIGURE_COUNT = (int)(sizeof FIGURES / sizeof *FIGURES) };

static void print_outcome(const outcome *o)
{
    if (isnan(o->left)) printf(" keeps, off by %.0e |", o->off);
    else printf(" leaves at %.2f s |", o->left);
}

int main(int argc, char **argv)
{
    static const char *const NAME[] = {"none", "Baumgarte", "trust region", "direct"};
    static const double C[3] = {1e-12, 1e-9, 1e-6};
    paper p;
    if (!paper_arguments(&p, argc, argv)) return 2;
    problem problems[FIGURE_COUNT];
    int kept[FIGURE_COUNT];
    for (int i = 0; i < FIGURE_COUNT; i++) problems[i] = FIGURES[i].problem;
    count_starts(problems, FIGURE_COUNT, kept);
    paper_part("exact", "free free free size size size hundred free", NULL);
    printf(
        "\nFrom rest at pi/4, g = c at the start; then IDA at 1e-5 from %d starts at rest, %g to %g rad: how "
        "many keep to the smooth branch\n\n",
        STARTS, start_angle(0), start_angle(STARTS - 1));
    puts("| figure | form | method | c = 1e-12 | c = 1e-9 | c = 1e-6 | IDA, 1e-5 | paper |");
    puts("|---|---|---|---|---|---|---|---|");
    FILE *f = paper_open(&p, "001_exact.csv");
    if (f) fprintf(f, "figure,index,method,c,off,left\n");
    for (int i = 0; i < FIGURE_COUNT; i++) {
        const figure *g = &FIGURES[i];
        char what[96];
        bool same = true;
        double off = 0;
        printf("| 5.%d | index %d | %s |", g->number, g->problem.index, NAME[g->problem.kind]);
        for (int k = 0; k < 3; k++) {
            const outcome o = integrate(&g->problem, 0.78539816339744831, C[k], 1e-14L);
            print_outcome(&o);
            if (k < 2) same = same && isnan(o.left) == g->stays;
            if (k == 0) off = o.off;
            if (f)
                fprintf(f, "5.%d,%d,%s,%g,%.3g,%.4g\n", g->number, g->problem.index, NAME[g->problem.kind],
                        C[k], o.off, o.left);
        }
        if (tml_hessenberg_available()) printf(" %d of %d | %s |\n", kept[i], STARTS, g->paper);
        else printf(" no IDA | %s |\n", g->paper);
        snprintf(what, sizeof what, "5.%d: the exact solution %s", g->number,
                 g->stays ? "keeps to the branch" : "leaves the branch");
        paper_law(&p, what, same);
        snprintf(what, sizeof what, "5.%d: and is off by", g->number);
        if (g->problem.index == 3) paper_within(&p, what, off, 0, 1e-5);
        snprintf(what, sizeof what, "5.%d: of %d starts", g->number, STARTS);
        if (tml_hessenberg_available())
            paper_within(&p, what, kept[i], g->stays ? 60 : 0, g->stays ? 100 : 30);
    }
    paper_close(&p, f, "001_exact.csv");
    return paper_end(&p);
}
