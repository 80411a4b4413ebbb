// The radius of the trust region in L. R. Petzold, Y. Ren, T. Maly, SIAM J. Sci. Comput. 18 (1997) 753-774,
// (2.9): the paper derives epsilon from the radius delta, and then gives epsilon. Here delta is given
// (`radius` of hessenberg.h) on Example 5.2, the slider-crank with equal arms, from rest at pi/4 for 10 s at
// the paper's gamma of 1e3 and tolerances of 1e-4 to 1e-8. usage: papers_001_radius [--out DIR]. Takes
// seconds.
//
//   |y| <= Y = sqrt(2 delta) gamma^k,   k = 1 (index 2), 2 (index 3)                                  (1)
//
// The multiplier of the smooth motion is 15 at most; a bound below it changes the motion.
#include "hessenberg/petzold.h"
#include "paper.h"

enum { POINTS = 501, TOLS = 5 };

static const double FAR = 0.05, END = 10, GAMMA = 1e3, LEAST = 1e-12;  // [rad], [s], [1/s], least epsilon
static const double TOL[TOLS] = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8};

typedef struct outcome {
    double off;         // largest deviation of theta1 from the smooth branch [rad]; NAN: the run ended early
    double multiplier;  // largest |y| at the points
    long steps;
} outcome;

static outcome run(int index, double radius, double epsilon, double tol)
{
    double start[4], theta = PETZOLD_PI / 4, w = 0;
    tml_error err = {0};
    tml_hessenberg *h = NULL;
    petzold_2_start(theta, w, start);
    tml_hessenberg_def d = petzold_2(index, start);
    d.gamma = GAMMA;
    d.epsilon = epsilon;
    d.radius = radius;
    d.rtol = d.atol = tol;
    d.max_steps = 200000;
    outcome o = {0, 0, 0};
    tml_status st = tml_hessenberg_create(&d, NULL, &h, &err);
    for (int i = 0; i < POINTS && st == TML_OK; i++) {
        const double t = END * i / (POINTS - 1);
        if (i > 0) petzold_2_reference(END * (i - 1) / (POINTS - 1), t, &theta, &w);
        st = tml_hessenberg_run(h, t, &err);
        if (st != TML_OK) break;
        o.off = fmax(o.off, fabs(tml_hessenberg_x(h)[0] - theta));
        o.multiplier = fmax(o.multiplier, fabs(tml_hessenberg_y(h)[0]));
    }
    if (st != TML_OK) o.off = (double)NAN;
    if (h) o.steps = tml_hessenberg_counters(h).steps;
    tml_hessenberg_destroy(h);
    return o;
}

// Deviations at the tolerances; returns how many keep to the branch.
static int print_row(int index, double radius, double epsilon, FILE *f)
{
    int kept = 0;
    double most = 0;
    for (int i = 0; i < TOLS; i++) {
        const outcome o = run(index, radius, epsilon, TOL[i]);
        kept += o.off < FAR;
        most = fmax(most, o.multiplier);
        if (o.off < FAR) printf(" %.0e |", o.off);
        else printf(isnan(o.off) ? " ends |" : " leaves |");
        if (f)
            fprintf(f, "%d,%g,%g,%g,%.3g,%.4g,%ld\n", index, radius, epsilon, TOL[i], o.off, o.multiplier,
                    o.steps);
    }
    printf(" %.0f |\n", most);
    return kept;
}

int main(int argc, char **argv)
{
    char what[96];
    static const double BOUND[] = {10, 20, 50, 100, 1000};
    paper p;
    if (!paper_arguments(&p, argc, argv)) return 2;
    if (!tml_hessenberg_available()) {
        puts("This build has no SUNDIALS IDA: nothing of this paper can be redone.");
        return 0;
    }
    FILE *f = paper_open(&p, "001_radius.csv");
    if (f) fprintf(f, "index,radius,epsilon,tol,off,multiplier,steps\n");
    paper_part("radius", "free value value free", NULL);
    printf(
        "\nγ = %g. Largest deviation of theta1 from the smooth branch within 10 s; epsilon at least %g\n\n",
        GAMMA, LEAST);
    puts("| form | δ | bound Y | 1e-4 | 1e-5 | 1e-6 | 1e-7 | 1e-8 | largest multiplier |\n"
         "|---|---|---|---|---|---|---|---|---|");
    for (int index = 2; index <= 3; index++) {
        for (size_t i = 0; i < sizeof BOUND / sizeof *BOUND; i++) {
            const double scaled = BOUND[i] / pow(GAMMA, index - 1), radius = scaled * scaled / 2;
            printf("| index %d | %.0e | %g |", index, radius, BOUND[i]);
            const int kept = print_row(index, radius, LEAST, f);
            snprintf(what, sizeof what, "index %d, bound 100: tolerances at which it keeps to the branch",
                     index);
            if (BOUND[i] == 100) paper_within(&p, what, kept, TOLS - 1, TOLS);
            snprintf(what, sizeof what, "index %d, bound 10, below the multipliers: the same", index);
            if (BOUND[i] == 10) paper_within(&p, what, kept, 0, 1);
        }
        printf("| index %d | none, ε = 1e-6 | |", index);
        print_row(index, 0, 1e-6, f);
    }
    paper_close(&p, f, "001_radius.csv");
    return paper_end(&p);
}
