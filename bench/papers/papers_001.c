// Reproduces Examples 5.1 and 5.2 of L. R. Petzold, Y. Ren, T. Maly, Regularization of higher-index
// differential-algebraic equations with rank-deficient constraints, SIAM J. Sci. Comput. 18 (1997) 753-774:
// Figures 5.1-5.4 and 5.6-5.14 (5.5 is a sketch), and which method succeeds at which gamma, epsilon and
// tolerance. usage: papers_001 [--out DIR]; prints tables in Markdown, writes 001_*.csv and the figures into
// DIR. The paper's figures have no numbers and no start of Example 5.2; ours is at rest at theta1 = pi/4.
// Success: theta1 within 0.05 of the smooth branch. Takes half a minute.
#include "hessenberg/petzold.h"
#include "paper.h"

enum { POINTS = 501, ROOM = 20001 };

static const char *const NAME[] = {"none", "Baumgarte", "trust region", "direct"};
static const double FAR = 0.05;  // [rad] from the smooth branch: another solution

// ---- Example 5.1 ------------------------------------------------------------------------------------------

typedef struct case_1 {
    int figure;
    tml_regularization kind;
    double epsilon;
    double known;  // largest error when steps resolve t = 0, of another program; NAN: none
    const char *paper;
} case_1;

static const case_1 FIRST[] = {
    {1, TML_REGULARIZATION_BAUMGARTE, 0, NAN, "works by passing over the singularity"},
    {2, TML_REGULARIZATION_DIRECT, 1e-6, 1.6e-3, "error visible at t = 0"},
    {3, TML_REGULARIZATION_TRUST_REGION, 1e-6, 3.0e-2, "error visible at t = 0"},
    {4, TML_REGULARIZATION_TRUST_REGION, 1e-9, 7.4e-3, "no error visible"},
};

typedef struct curve {
    int count;
    double *t, *v;
} curve;

// Steps and x - (t + 1) there; the largest is returned. NAN: it ended before t = 1.
static double run_1(const case_1 *c, double max_step, double tol, curve *out, tml_counters *count,
                    tml_error *err)
{
    double sign = 1, worst = 0;
    tml_hessenberg_def d = petzold_1(&sign);
    d.regularization = c->kind;
    d.epsilon = c->epsilon;
    d.max_step = max_step;
    d.rtol = d.atol = tol;
    tml_hessenberg *h = NULL;
    tml_status st = tml_hessenberg_create(&d, NULL, &h, err);
    out->count = 0;
    while (st == TML_OK && tml_hessenberg_time(h) < 1) {
        st = tml_hessenberg_step(h, err);
        const double t = tml_hessenberg_time(h), off = tml_hessenberg_x(h)[0] - t - 1;
        worst = fmax(worst, fabs(off));
        if (t > 1) break;
        const int i = out->count;  // fewer points where nothing happens
        if (i > 0 && t < 1 && t - out->t[i - 1] < 4e-3 && fabs(off - out->v[i - 1]) < 0.01 * c->known)
            continue;
        if (i == ROOM) continue;
        out->t[out->count] = t;
        out->v[out->count++] = off;
    }
    if (h) *count = tml_hessenberg_counters(h);
    tml_hessenberg_destroy(h);
    return st == TML_OK ? worst : (double)NAN;
}

static void draw_1(paper *p, const case_1 *c, const curve *coarse, const curve *fine)
{
    char file[64], title[128];
    snprintf(file, sizeof file, "001_figure5_%d.svg", c->figure);
    if (c->epsilon > 0)
        snprintf(title, sizeof title, "5.%d: Example 5.1, %s, ε = %g", c->figure, NAME[c->kind], c->epsilon);
    else snprintf(title, sizeof title, "5.%d: Example 5.1, %s", c->figure, NAME[c->kind]);
    const paper_series s[2] = {{"steps by the tolerance", coarse->count, coarse->t, coarse->v, false},
                               {"steps that resolve t = 0", fine->count, fine->t, fine->v, false}};
    paper_draw(p, &(paper_figure){.file = file,
                                  .title = title,
                                  .x = "t",
                                  .y = "x - (t + 1)",
                                  .linear_x = true,
                                  .linear_y = true,
                                  .x_min = -1,
                                  .x_max = 1,
                                  .smooth = true,
                                  .series = s,
                                  .count = fine->count ? 2 : 1});
}

static void write_1(paper *p, const case_1 *c, const curve *coarse, const curve *fine)
{
    char file[64];
    snprintf(file, sizeof file, "001_figure5_%d.csv", c->figure);
    FILE *f = paper_open(p, file);
    if (!f) return;
    fprintf(f, "steps,t,x,error\n");
    for (int k = 0; k < 2; k++) {
        const curve *v = k ? fine : coarse;
        for (int i = 0; i < v->count; i++)
            fprintf(f, "%s,%.9g,%.12g,%.6g\n", k ? "fine" : "own", v->t[i], v->v[i] + v->t[i] + 1, v->v[i]);
    }
    paper_close(p, f, file);
}

static void example_1(paper *p, curve *coarse, curve *fine)
{
    paper_part("example1", "exact exact exact size steps near exact exact", NULL);
    char what[96];
    puts("| figure | method | ε | error, tolerance 1e-5 | steps | error, resolved | another program | paper "
         "|");
    puts("|---|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < sizeof FIRST / sizeof *FIRST; i++) {
        const case_1 *c = &FIRST[i];
        tml_counters count = {0}, more;
        tml_error err = {0};
        // the zone in which epsilon counts: G B = t^2 < eps (direct), sqrt(eps) (trust region)
        const double zone = c->kind == TML_REGULARIZATION_DIRECT ? sqrt(c->epsilon) : sqrt(sqrt(c->epsilon));
        const double own = run_1(c, 0, 1e-5, coarse, &count, &err);
        const double resolved = zone > 0 ? run_1(c, zone / 10, 1e-9, fine, &more, &err) : (double)NAN;
        if (!(zone > 0)) fine->count = 0;
        printf("| 5.%d | %s | %g | %.1e | %ld | ", c->figure, NAME[c->kind], c->epsilon, own, count.steps);
        if (zone > 0) printf("%.1e | %.1e | %s |\n", resolved, c->known, c->paper);
        else printf("singular | singular | %s |\n", c->paper);
        snprintf(what, sizeof what, "5.%d: error at the tolerance 1e-5", c->figure);
        paper_within(p, what, own, 0, 1e-3);
        snprintf(what, sizeof what, "5.%d: error, resolved, over that of the other program", c->figure);
        if (zone > 0) paper_within(p, what, resolved / c->known, 0.95, 1.05);
        draw_1(p, c, coarse, fine);
        write_1(p, c, coarse, fine);
    }
}

// The power of epsilon in the error of Example 5.1; the theorem of the paper bounds it from below.
static void powers_1(paper *p, curve *fine)
{
    enum { COUNT = 4 };
    static const double epsilon[COUNT] = {1e-5, 1e-6, 1e-7, 1e-8};
    static const tml_regularization kind[2] = {TML_REGULARIZATION_DIRECT, TML_REGULARIZATION_TRUST_REGION};
    static const double bound[2] = {1.0 / 4, 1.0 / 8};
    paper_part("powers", "exact near near near near near exact", NULL);
    puts("| method | ε = 1e-5 | 1e-6 | 1e-7 | 1e-8 | power | least by the theorem |\n"
         "|---|---|---|---|---|---|---|");
    for (int m = 0; m < 2; m++) {
        double error[COUNT];
        printf("| %s |", NAME[kind[m]]);
        for (int i = 0; i < COUNT; i++) {
            const case_1 c = {.kind = kind[m], .epsilon = epsilon[i], .known = 1};
            const double zone = pow(epsilon[i], kind[m] == TML_REGULARIZATION_DIRECT ? 0.5 : 0.25);
            tml_counters count;
            tml_error err = {0};
            error[i] = run_1(&c, zone / 10, 1e-9, fine, &count, &err);
            printf(" %.1e |", error[i]);
        }
        const double power = paper_fit(COUNT, epsilon, error);
        printf(" %.2f | 1/%g |\n", power, 1 / bound[m]);
        paper_within(p, NAME[kind[m]], power, bound[m], 2 * bound[m]);
    }
}

// ---- Example 5.2 ------------------------------------------------------------------------------------------

typedef struct case_2 {
    int figure, index;
    tml_regularization kind;
    double gamma, epsilon, tol;
    int judged;  // 0: as in the paper
    const char *paper;
} case_2;

static const case_2 SECOND[] = {
    {6, 2, TML_REGULARIZATION_BAUMGARTE, 1e3, 0, 1e-5, 0, "works, not robust"},
    {7, 2, TML_REGULARIZATION_DIRECT, 1e3, 1e-6, 1e-5, 0, "fails"},
    {8, 2, TML_REGULARIZATION_TRUST_REGION, 1e3, 1e-6, 1e-5, 0, "works"},
    {9, 2, TML_REGULARIZATION_BAUMGARTE, 1e6, 0, 1e-6, 0, "fails"},
    {10, 2, TML_REGULARIZATION_DIRECT, 1e6, 1e-6, 1e-6, 0, "fails"},
    {11, 2, TML_REGULARIZATION_TRUST_REGION, 1e6, 1e-6, 1e-6, 0, "works"},
    {12, 3, TML_REGULARIZATION_BAUMGARTE, 1e3, 0, 1e-5, 0, "wrong solution"},
    {13, 3, TML_REGULARIZATION_DIRECT, 1e3, 1e-6, 1e-5, 0, "wrong solution"},
    {14, 3, TML_REGULARIZATION_TRUST_REGION, 1e3, 1e-6, 1e-5, 0, "works"},
};
enum { SECONDS = (int)(sizeof SECOND / sizeof *SECOND), STARTS = 4 };

static const double START[STARTS][2] = {
    {0.78539816339744831, 0}, {0.78539816339744831, -3}, {1.2, 0}, {0.4, 1}};

typedef struct run_2 {
    int count;  // of points
    double t[POINTS], theta1[POINTS], theta2[POINTS], lambda[POINTS], reference[POINTS];
    double by_5, by_10;  // largest deviation from the smooth branch within 5 and 10 s
    double left;         // [s] when it was left; NAN: never
    double drift;        // largest |cos theta1 + cos theta2|
    long steps;
    bool gave_up;
} run_2;

static void point(run_2 *r, const tml_hessenberg *h, double theta)
{
    const double *x = tml_hessenberg_x(h), off = fabs(x[0] - theta);
    const int i = r->count++;
    r->t[i] = tml_hessenberg_time(h);
    r->theta1[i] = x[0];
    r->theta2[i] = x[1];
    r->lambda[i] = tml_hessenberg_y(h)[0];
    r->reference[i] = theta;
    r->by_10 = fmax(r->by_10, off);
    if (r->t[i] < 5 + 1e-9) r->by_5 = r->by_10;
    if (isnan(r->left) && !(off < FAR)) r->left = r->t[i];
    if (isnan(r->left)) r->drift = fmax(r->drift, fabs(cos(x[0]) + cos(x[1])));
}

static void go(const case_2 *c, const double at[2], run_2 *r)
{
    double start[4], theta = at[0], w = at[1];
    tml_error err = {0};
    tml_hessenberg *h = NULL;
    petzold_2_start(theta, w, start);
    tml_hessenberg_def d = petzold_2(c->index, start);
    d.regularization = c->kind;
    d.gamma = c->gamma;
    d.epsilon = c->epsilon;
    d.rtol = d.atol = c->tol;
    d.judged = c->judged;
    d.max_steps = 200000;
    *r = (run_2){.left = (double)NAN};
    tml_status st = tml_hessenberg_create(&d, NULL, &h, &err);
    for (int i = 0; i < POINTS && st == TML_OK; i++) {
        const double t = 10.0 * i / (POINTS - 1);
        if (i > 0) petzold_2_reference(10.0 * (i - 1) / (POINTS - 1), t, &theta, &w);
        st = tml_hessenberg_run(h, t, &err);
        if (st == TML_OK) point(r, h, theta);
    }
    r->gave_up = st != TML_OK;
    if (r->gave_up && isnan(r->left)) r->left = h ? tml_hessenberg_time(h) : 0;
    if (h) r->steps = tml_hessenberg_counters(h).steps;
    tml_hessenberg_destroy(h);
}

static bool good(const run_2 *r) { return isnan(r->left); }

static void outcome(const run_2 *r, char *buf, size_t size)
{
    if (r->gave_up) snprintf(buf, size, "gives up at %.2f s", r->left);
    else if (!good(r)) snprintf(buf, size, "leaves at %.2f s", r->left);
    else snprintf(buf, size, "works");
}

static void draw_2(paper *p, const case_2 *c, const run_2 *r)
{
    char file[64], title[160];
    snprintf(file, sizeof file, "001_figure5_%d.svg", c->figure);
    snprintf(title, sizeof title, "5.%d: Example 5.2, %s, index %d, γ = %g", c->figure, NAME[c->kind],
             c->index, c->gamma);
    const paper_series s[3] = {{"smooth branch, θ1", POINTS, r->t, r->reference, false},
                               {"θ1", r->count, r->t, r->theta1, false},
                               {"θ2", r->count, r->t, r->theta2, false}};
    paper_draw(p, &(paper_figure){.file = file,
                                  .title = title,
                                  .x = "t [s]",
                                  .y = "angle [rad]",
                                  .linear_x = true,
                                  .linear_y = true,
                                  .smooth = true,
                                  .series = r->count == POINTS ? s : s + 1,
                                  .count = r->count == POINTS ? 3 : 2});
}

static void write_2(paper *p, const case_2 *c, const run_2 *r)
{
    char file[64];
    snprintf(file, sizeof file, "001_figure5_%d.csv", c->figure);
    FILE *f = paper_open(p, file);
    if (!f) return;
    fprintf(f, "t,theta1,theta2,lambda,smooth_branch\n");
    for (int i = 0; i < r->count; i++)
        fprintf(f, "%.9g,%.9g,%.9g,%.9g,%.12g\n", r->t[i], r->theta1[i], r->theta2[i], r->lambda[i],
                r->reference[i]);
    paper_close(p, f, file);
}

static void figures_2(paper *p, run_2 *r)
{
    paper_part("example2", "exact exact exact exact exact exact free free free free near exact", NULL);
    puts("| figure | form | method | γ | ε | tolerance | error within 5 s | 10 s | position residual | steps "
         "| ours | paper |");
    puts("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (int i = 0; i < SECONDS; i++) {
        const case_2 *c = &SECOND[i];
        char text[64], what[96];
        go(c, START[0], r);
        outcome(r, text, sizeof text);
        printf("| 5.%d | index %d | %s | %g | %g | %g | %.1e | %.1e | %.0e | %ld | %s | %s |\n", c->figure,
               c->index, NAME[c->kind], c->gamma, c->epsilon, c->tol, r->by_5, r->by_10, r->drift, r->steps,
               text, c->paper);
        draw_2(p, c, r);
        write_2(p, c, r);
        snprintf(what, sizeof what, "5.%d: the trust region works, error within 5 s", c->figure);
        if (c->kind == TML_REGULARIZATION_TRUST_REGION) paper_within(p, what, r->by_5, 0, 5e-3);
        snprintf(what, sizeof what, "5.%d: leaves the branch within 10 s", c->figure);
        if (c->index == 2 && c->kind != TML_REGULARIZATION_TRUST_REGION) paper_law(p, what, !good(r));
        snprintf(what, sizeof what, "5.%d: keeps to the branch, error within 10 s", c->figure);
        if (c->index == 3) paper_within(p, what, r->by_10, 0, 0.05);
    }
}

// The same cases over four starts and five tolerances: how many keep to the smooth branch for 10 s.
static void robustness(paper *p, run_2 *r)
{
    int kept[SECONDS] = {0};  // of 20, as in the paper
    static const double tolerance[5] = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
    paper_part("robustness", "exact exact exact exact runs runs runs runs runs few", NULL);
    paper_laws_in("laws");
    puts("| form | method | γ | ε | 1e-4 | 1e-5 | 1e-6 | 1e-7 | 1e-8 | all |");
    puts("|---|---|---|---|---|---|---|---|---|---|");
    for (int judged = 0; judged <= 2; judged += 2)
        for (int i = judged ? 6 : 0; i < SECONDS; i++) {
            case_2 c = SECOND[i];
            int all = 0;
            c.judged = judged;
            printf("| index %d%s | %s | %g | %g ", c.index,
                   c.index == 2 ? ""
                   : judged     ? ", all motion judged"
                                : ", positions judged",
                   NAME[c.kind], c.gamma, c.epsilon);
            for (int k = 0; k < 5; k++) {
                int passed = 0;
                c.tol = tolerance[k];
                for (int s = 0; s < STARTS; s++) {
                    go(&c, START[s], r);
                    passed += good(r);
                }
                printf("| %d ", passed);
                all += passed;
            }
            printf("| %d |\n", all);
            if (judged == 0) kept[i] = all;
        }
    paper_part("laws", "exact few exact exact", NULL);
    puts("| runs of 20 that keep to the branch | ours | claimed | met |\n|---|---|---|---|");
    paper_check(p, "index 2, γ = 1e3: trust region", kept[2], 14, 20);
    paper_check(p, "index 2, γ = 1e3: Baumgarte, direct", fmax(kept[0], kept[1]), 0, 5);
    paper_check(p, "index 2, γ = 1e6: trust region", kept[5], 10, 20);
    paper_check(p, "index 2, γ = 1e6: Baumgarte, direct", fmax(kept[3], kept[4]), 0, 5);
    paper_check(p, "index 3, γ = 1e3: the least of all three", fmin(kept[6], fmin(kept[7], kept[8])), 14, 20);
}

// Largest deviation over 10 s at a tolerance at which only the method counts.
static void sweep(paper *p, run_2 *r)
{
    static const double gamma[4] = {10, 1e2, 1e3, 1e4}, epsilon[4] = {1e-3, 1e-6, 1e-9, 1e-12};
    FILE *f = paper_open(p, "001_sweep.csv");
    if (f) fprintf(f, "index,method,gamma,epsilon,error,left\n");
    for (int index = 2; index <= 3; index++) {
        int works[2] = {0};
        double worst = 0;
        // which passage of the form of index 2 fails, the last digits decide
        paper_part(index == 2 ? "sweep2" : "sweep3",
                   index == 2 ? "exact exact exact free" : "exact exact exact size", NULL);
        puts("| form | method | γ | ε = 1e-3 | 1e-6 | 1e-9 | 1e-12 |");
        puts("|---|---|---|---|---|---|---|");
        for (int k = TML_REGULARIZATION_TRUST_REGION; k <= TML_REGULARIZATION_DIRECT; k++)
            for (int i = 0; i < 4; i++) {
                printf("| index %d | %s | %g ", index, NAME[k], gamma[i]);
                for (int j = 0; j < 4; j++) {
                    const case_2 c = {0, index, (tml_regularization)k, gamma[i], epsilon[j], 1e-8, 2, ""};
                    char text[64];
                    go(&c, START[0], r);
                    outcome(r, text, sizeof text);
                    works[k - TML_REGULARIZATION_TRUST_REGION] += good(r);
                    if (epsilon[j] < 1e-8) worst = fmax(worst, good(r) ? r->by_10 : (double)INFINITY);
                    if (good(r)) printf("| %.0e ", r->by_10);
                    else printf("| %s ", text);
                    if (f)
                        fprintf(f, "%d,%s,%g,%g,%.3g,%.4g\n", index, NAME[k], gamma[i], epsilon[j], r->by_10,
                                r->left);
                }
                puts("|");
            }
        // of 16; which of them, the last digits decide
        if (index == 2) paper_within(p, "index 2: the trust region works for some pairs", works[0], 2, 5);
        if (index == 2) paper_within(p, "index 2: direct works for none", works[1], 0, 1);
        if (index == 3) paper_within(p, "index 3, ε to 1e-9: largest error", worst, 0, 1e-5);
    }
    paper_close(p, f, "001_sweep.csv");
}

int main(int argc, char **argv)
{
    paper p;
    if (!paper_arguments(&p, argc, argv)) return 2;
    if (!tml_hessenberg_available()) {
        puts("This build has no SUNDIALS IDA: nothing of this paper can be redone.");
        return 0;
    }
    static run_2 r;
    curve coarse, fine;
    double *room = calloc(4 * (size_t)ROOM, sizeof *room);
    if (!room) return 1;
    coarse = (curve){.t = room, .v = room + ROOM};
    fine = (curve){.t = room + 2 * ROOM, .v = room + 3 * ROOM};
    example_1(&p, &coarse, &fine);
    powers_1(&p, &fine);
    figures_2(&p, &r);
    robustness(&p, &r);
    sweep(&p, &r);
    free(room);
    return paper_end(&p);
}
