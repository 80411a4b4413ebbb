// Formulas of D. Negrut, On the implicit integration of differential-algebraic equations of multibody
// dynamics, thesis, University of Iowa, 1998, that the library has in another form or not at all: Newmark's
// formulas with other parameters than 1/4 and 1/2 ((3.21), (3.23), for state-space and descriptor form alike:
// both have the same solution), and the dense output of SDIRK4/16, (4.12), and of SDIRK4/15, section 4.5.1,
// beside the quintic of the library. All on y'' = a(y, y') of a double pendulum of points with a torsion
// spring and damper at the second joint, in its two angles: what remains when constraints are solved for.
// Then `ssp-sdirk`, (3.68) to (3.73), beside its relatives on the vehicle. usage: papers_004_formulas
// [--out DIR], from the top of the tree. Takes seconds.
#include "paper_run.h"

enum { D = 2, Y = 2 * D, STAGES = 5, STEPS = 5 };
static const double END = 1;  // [s]

typedef struct pendulum {
    double k, d;  // [N m/rad], [N m s/rad]
} pendulum;

// Points of 1 and 0.5 kg on rods of 1 and 0.7 m, angles from the downward vertical.
static void accelerate(const pendulum *p, const double *y, const double *v, double *a)
{
    const double m1 = 1, m2 = 0.5, l1 = 1, l2 = 0.7, g = 9.81, c = cos(y[0] - y[1]), s = sin(y[0] - y[1]);
    const double moment = p->k * (y[1] - y[0]) + p->d * (v[1] - v[0]);
    const double f1 = -m2 * l1 * l2 * s * v[1] * v[1] - (m1 + m2) * g * l1 * sin(y[0]) + moment;
    const double f2 = m2 * l1 * l2 * s * v[0] * v[0] - m2 * g * l2 * sin(y[1]) - moment;
    const double a11 = (m1 + m2) * l1 * l1, a12 = m2 * l1 * l2 * c, a22 = m2 * l2 * l2;
    const double det = a11 * a22 - a12 * a12;
    a[0] = (a22 * f1 - a12 * f2) / det;
    a[1] = (a11 * f2 - a12 * f1) / det;
}

static void slope(const pendulum *p, const double *y, double *f)
{
    for (int i = 0; i < D; i++) f[i] = y[D + i];
    accelerate(p, y, y + D, f + D);
}

// x := inv(A) x by elimination with pivots.
static void solve(int n, double a[Y][Y], double *x)
{
    for (int c = 0; c < n; c++) {
        int p = c;
        for (int r = c + 1; r < n; r++)
            if (fabs(a[r][c]) > fabs(a[p][c])) p = r;
        double t = x[c];
        x[c] = x[p];
        x[p] = t;
        for (int k = 0; k < n; k++) {
            t = a[c][k];
            a[c][k] = a[p][k];
            a[p][k] = t;
        }
        for (int r = c + 1; r < n; r++) {
            t = a[r][c] / a[c][c];
            for (int k = c; k < n; k++) a[r][k] -= t * a[c][k];
            x[r] -= t * x[c];
        }
    }
    for (int c = n - 1; c >= 0; c--) {
        for (int k = c + 1; k < n; k++) x[c] -= a[c][k] * x[k];
        x[c] /= a[c][c];
    }
}

/** y (n) with r(y) = 0, by Newton's method with differences. */
static void newton(int n, void (*r)(const void *self, const double *y, double *r), const void *self,
                   double *y)
{
    for (int iteration = 0; iteration < 20; iteration++) {
        double at[Y], moved[Y], a[Y][Y], size = 0;
        r(self, y, at);
        for (int c = 0; c < n; c++) {
            const double keep = y[c], d = 1e-7 * fmax(1, fabs(keep));
            y[c] = keep + d;
            r(self, y, moved);
            for (int i = 0; i < n; i++) a[i][c] = (moved[i] - at[i]) / d;
            y[c] = keep;
        }
        solve(n, a, at);
        for (int i = 0; i < n; i++) {
            y[i] -= at[i];
            size = fmax(size, fabs(at[i]) / fmax(1, fabs(y[i])));
        }
        if (!(size > 1e-14)) return;
    }
}

// ---- Newmark's formulas -----------------------------------------------------------------------------------

typedef struct newmark {
    const pendulum *p;
    double beta, gamma, h, y[Y], a[D];  // state and accelerations at the start
} newmark;

static void newmark_end(const newmark *s, const double *a1, double *y)
{
    for (int i = 0; i < D; i++) {
        y[i] = s->y[i] + s->h * s->y[D + i] + s->h * s->h * ((0.5 - s->beta) * s->a[i] + s->beta * a1[i]);
        y[D + i] = s->y[D + i] + s->h * ((1 - s->gamma) * s->a[i] + s->gamma * a1[i]);
    }
}

static void newmark_residual(const void *self, const double *a1, double *r)
{
    const newmark *s = self;
    double y[Y], a[D];
    newmark_end(s, a1, y);
    accelerate(s->p, y, y + D, a);
    for (int i = 0; i < D; i++) r[i] = a1[i] - a[i];
}

static void newmark_run(const pendulum *p, double beta, double gamma, const double *start, int count,
                        double *y)
{
    newmark s = {.p = p, .beta = beta, .gamma = gamma, .h = END / count};
    memcpy(s.y, start, sizeof s.y);
    accelerate(p, s.y, s.y + D, s.a);
    for (int i = 0; i < count; i++) {
        double a1[D] = {s.a[0], s.a[1]};
        newton(D, newmark_residual, &s, a1);
        newmark_end(&s, a1, s.y);
        memcpy(s.a, a1, sizeof s.a);
    }
    memcpy(y, s.y, sizeof s.y);
}

// Largest modulus of the roots of the formula on y'' = -y as h grows without bound.
static double radius_at_infinity(double beta, double gamma)
{
    // beta z^2 + (1/2 + gamma - 2 beta) z + 1/2 - gamma + beta = 0
    const double b = (0.5 + gamma - 2 * beta) / beta, c = (0.5 - gamma + beta) / beta;
    const double square = b * b / 4 - c;
    return square < 0 ? sqrt(c) : fabs(b) / 2 + sqrt(square);
}

static double distance(const double *a, const double *b, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

// ---- SDIRK and its dense output ---------------------------------------------------------------------------

typedef struct sdirk {
    const char *name;
    double A[STAGES][STAGES];
    double dense[STAGES][4];  // of the stage's derivative, by powers of theta
    bool of_z;                // of z_i instead: z = h A k
} sdirk;

static const sdirk SDIRK[2] = {
    {"SDIRK4/16, (4.12)",
     {{1.0 / 4, 0, 0, 0, 0},
      {1.0 / 2, 1.0 / 4, 0, 0, 0},
      {17.0 / 50, -1.0 / 25, 1.0 / 4, 0, 0},
      {371.0 / 1360, -137.0 / 2720, 15.0 / 544, 1.0 / 4, 0},
      {25.0 / 24, -49.0 / 48, 125.0 / 16, -85.0 / 12, 1.0 / 4}},
     {{11.0 / 3, -463.0 / 72, 217.0 / 36, -20.0 / 9},
      {11.0 / 2, -385.0 / 16, 661.0 / 24, -10},
      {-125.0 / 18, 20125.0 / 432, -8875.0 / 216, 250.0 / 27},
      {0, -85.0 / 4, 85.0 / 6, 0},
      {-11.0 / 9, 557.0 / 108, -359.0 / 54, 80.0 / 27}},
     false},
    {"SDIRK4/15, 4.5.1",
     {{4.0 / 15, 0, 0, 0, 0},
      {1.0 / 2, 4.0 / 15, 0, 0, 0},
      {51069.0 / 144200, -7809.0 / 144200, 4.0 / 15, 0, 0},
      {12047244770625658.0 / 141474406359725325.0, -3057890203562191.0 / 47158135453241775.0,
       2239631894905804.0 / 28294881271945065.0, 4.0 / 15, 0},
      {181513.0 / 86430, -89074.0 / 116015, 83636.0 / 34851, -69863904375173.0 / 23297141763930.0, 4.0 / 15}},
     {{24.74416644927758, -51.98245719616925, 33.14347947522142, -5.905188728329743},
      {-4.325375951824688, 10.52501981094525, -19.72986789558523, 13.53022403646467},
      {41.39683763286316, -154.2067922191855, 230.4878502285804, -117.6778956422581},
      {-61.04144619901784, 214.3082125319825, -287.6629744338197, 134.3962081008550},
      {-3.391332232917013, 14.71166018088679, -18.99932366302254, 8.678995715052762}},
     true}};

typedef struct stage {
    const pendulum *p;
    double known[Y], g;
} stage;

static void stage_residual(const void *self, const double *y, double *r)
{
    const stage *s = self;
    double f[Y];
    slope(s->p, y, f);
    for (int i = 0; i < Y; i++) r[i] = y[i] - s->known[i] - s->g * f[i];
}

// A step from y to y1, with the slopes k of the stages.
static void sdirk_step(const pendulum *p, const sdirk *m, const double *y, double h, double k[STAGES][Y],
                       double *y1)
{
    for (int i = 0; i < STAGES; i++) {
        stage s = {.p = p, .g = h * m->A[i][i]};
        memcpy(s.known, y, sizeof s.known);
        for (int j = 0; j < i; j++)
            for (int c = 0; c < Y; c++) s.known[c] += h * m->A[i][j] * k[j][c];
        memcpy(y1, y, sizeof s.known);
        newton(Y, stage_residual, &s, y1);
        for (int c = 0; c < Y; c++) k[i][c] = (y1[c] - s.known[c]) / s.g;  // as the library, see dirk.c
    }
}

static void dense(const sdirk *m, const double *y, double h, double k[STAGES][Y], double theta, double *out)
{
    memcpy(out, y, Y * sizeof *out);
    for (int i = 0; i < STAGES; i++) {
        const double *b = m->dense[i];
        const double weight = theta * (b[0] + theta * (b[1] + theta * (b[2] + theta * b[3])));
        for (int j = m->of_z ? 0 : i; j <= i; j++)
            for (int c = 0; c < Y; c++) out[c] += h * weight * (m->of_z ? m->A[i][j] : 1) * k[j][c];
    }
}

// Positions and velocities on the quintic through position, velocity and acceleration of both ends.
static void quintic(const double *y, const double *a0, const double *y1, const double *a1, double h, double x,
                    double *out)
{
    const double z = 1 - x, x2 = x * x, z2 = z * z;
    for (int i = 0; i < D; i++) {
        const double d = y1[i] - y[i], v0 = y[D + i], v1 = y1[D + i];
        out[i] = y[i] + x2 * x * (10 - 15 * x + 6 * x2) * d +
                 h * x * z * (z2 * (1 + 3 * x) * v0 - x2 * (1 + 3 * z) * v1) +
                 h * h / 2 * x2 * z2 * (z * a0[i] + x * a1[i]);
        out[D + i] = 30 * x2 * z2 / h * d + z2 * (1 - 3 * x) * (1 + 5 * x) * v0 +
                     x2 * (1 - 3 * z) * (1 + 5 * z) * v1 +
                     h / 2 * x * z * (z * (2 - 5 * x) * a0[i] - x * (2 - 5 * z) * a1[i]);
    }
}

/** Largest distance of both polynomials from the exact step between its ends: positions and velocities. The
 * exact one starts where the step does: what counts is what the polynomial adds. */
static void dense_errors(const pendulum *p, const sdirk *m, const double *start, int count, double own[2],
                         double ours[2])
{
    enum { INSIDE = 4, FINE = 40 };
    double y[Y], y1[Y], k[STAGES][Y], unused[STAGES][Y], exact[Y], at[Y], a0[D];
    const double h = END / count;
    memcpy(y, start, sizeof y);
    for (int i = 0; i < FINE; i++) {  // to where the spring carries its load
        sdirk_step(p, m, y, 0.1 / FINE, k, y1);
        memcpy(y, y1, sizeof y);
    }
    memcpy(a0, k[STAGES - 1] + D, sizeof a0);  // accelerations of the last stage, as in the library
    own[0] = own[1] = ours[0] = ours[1] = 0;
    for (int i = 0; i < count; i++) {
        sdirk_step(p, m, y, h, k, y1);
        memcpy(exact, y, sizeof exact);
        for (int j = 1; j < INSIDE; j++) {
            for (int s = 0; s < FINE / INSIDE; s++) {
                sdirk_step(p, m, exact, h / FINE, unused, at);
                memcpy(exact, at, sizeof exact);
            }
            for (int part = 0; part < 2; part++) {
                dense(m, y, h, k, (double)j / INSIDE, at);
                own[part] = fmax(own[part], distance(at + part * D, exact + part * D, D));
                quintic(y, a0, y1, k[STAGES - 1] + D, h, (double)j / INSIDE, at);
                ours[part] = fmax(ours[part], distance(at + part * D, exact + part * D, D));
            }
        }
        memcpy(y, y1, sizeof y);
        memcpy(a0, k[STAGES - 1] + D, sizeof a0);
    }
}

// ---- tables -----------------------------------------------------------------------------------------------

static const double START[Y] = {1.1, 0.4, 0, 0};

static void newmark_table(paper *p, FILE *f)
{
    static const struct {
        double beta, gamma;
        const char *name;
        int order;
        bool stable;  // for any step
    } CASE[] = {{0.25, 0.5, "trapezoidal (the thesis, `ssp-trap`, `infl-trap`)", 2, true},
                {1.0 / 3, 0.5, "beta above 1/4", 2, true},
                {1.0 / 6, 0.5, "linear acceleration", 2, false},
                {1.0 / 12, 0.5, "Fox and Goodwin", 2, false},
                {0.3025, 0.6, "gamma = 0.6, beta = (gamma + 1/2)^2/4", 1, true},
                {1, 1.5, "gamma = 3/2, beta = 1", 1, true}};
    const pendulum soft = {3, 0.02}, stiff = {1e5, 0};
    double exact[Y];
    char what[128];
    newmark_run(&soft, 0.25, 0.5, START, 1 << 17, exact);
    paper_part("newmark", "value value free near", NULL);
    puts("\nNewmark's formulas on the double pendulum, 1 s: error of the angles; then a spring of 1e5 N "
         "m/rad, "
         "w h = 18\n\n| beta | gamma | | h = 0.01 | 0.005 | 0.0025 | order | radius at infinity | stiff: "
         "angle "
         "of the spring after 100 steps [rad] |\n|---|---|---|---|---|---|---|---|---|");
    if (f) fprintf(f, "what,beta,gamma,e1,e2,e3,order,radius,angle\n");
    for (size_t i = 0; i < sizeof CASE / sizeof *CASE; i++) {
        double e[3], h[3], y[Y];
        for (int k = 0; k < 3; k++) {
            newmark_run(&soft, CASE[i].beta, CASE[i].gamma, START, 100 << k, y);
            h[k] = END / (100 << k);
            e[k] = distance(y, exact, D);
        }
        const double bent[Y] = {1, 1 + 1e-6, 0, 0}, order = paper_fit(3, h, e),
                     radius = radius_at_infinity(CASE[i].beta, CASE[i].gamma);
        newmark_run(&stiff, CASE[i].beta, CASE[i].gamma, bent, 100, y);
        const double angle = fabs(y[1] - y[0]);
        const bool held = angle < 1e-3;
        printf("| %.4g | %.3g | %s | %.2e | %.2e | %.2e | %.2f | %.2f | ", CASE[i].beta, CASE[i].gamma,
               CASE[i].name, e[0], e[1], e[2], order, radius);
        if (held) printf("%.0e |\n", angle);
        else printf("lost |\n");
        if (f)
            fprintf(f, "newmark,%g,%g,%.4g,%.4g,%.4g,%.3f,%.3f,%.3g\n", CASE[i].beta, CASE[i].gamma, e[0],
                    e[1], e[2], order, radius, held ? angle : (double)NAN);
        snprintf(what, sizeof what, "%s: order", CASE[i].name);
        paper_within(p, what, order, CASE[i].order - 0.15, CASE[i].order + 0.15);
        snprintf(what, sizeof what, "%s: %s for any step", CASE[i].name,
                 CASE[i].stable ? "stable" : "not stable");
        paper_law(p, what, held == CASE[i].stable && (radius <= 1 + 1e-12) == CASE[i].stable);
    }
}

static void dense_table(paper *p, FILE *f)
{
    paper_part("dense", "free value value near", NULL);
    puts(
        "\nWhat dense output adds to the error within a step, largest over 1 s: the polynomials of the "
        "thesis "
        "and the library's quintic, angles [rad] and rates [rad/s]\n\n| formula | spring [N m/rad] | h [s] | "
        "thesis: angles | rates | quintic: angles | rates |\n|---|---|---|---|---|---|---|");
    char what[128];
    for (int m = 0; m < 2; m++)
        for (int stiff = 0; stiff < 2; stiff++) {
            const pendulum q = stiff ? (pendulum){1e4, 1e3} : (pendulum){3, 0.02};
            const double start[Y] = {1.1, stiff ? 1.1 : 0.4, 0, 0};
            double h[STEPS], own[2][STEPS], ours[2][STEPS];
            for (int i = 0; i < STEPS; i++) {
                double a[2], b[2];
                dense_errors(&q, &SDIRK[m], start, 5 << i, a, b);
                h[i] = END / (5 << i);
                printf("| %s | %g | %g |", SDIRK[m].name, q.k, h[i]);
                for (int part = 0; part < 2; part++) own[part][i] = a[part], ours[part][i] = b[part];
                printf(" %.1e | %.1e | %.1e | %.1e |\n", a[0], a[1], b[0], b[1]);
                if (f)
                    fprintf(f, "dense,%d,%g,%g,%.4g,%.4g,%.4g,%.4g,\n", m, q.k, h[i], a[0], a[1], b[0], b[1]);
            }
            const double slope[4] = {paper_fit(3, h + 2, own[0] + 2), paper_fit(3, h + 2, own[1] + 2),
                                     paper_fit(3, h + 2, ours[0] + 2), paper_fit(3, h + 2, ours[1] + 2)};
            printf("| | | slope | %.1f | %.1f | %.1f | %.1f |\n", slope[0], slope[1], slope[2], slope[3]);
            // order 3 of the thesis' polynomials: h^4 in a step; the quintic is as good as the method, h^5
            double least = INFINITY;
            for (int i = 0; i < STEPS; i++)
                for (int part = 0; part < 2; part++) least = fmin(least, own[part][i] / ours[part][i]);
            snprintf(what, sizeof what, "%s, %g N m/rad: slope of the thesis", SDIRK[m].name, q.k);
            paper_within(p, what, slope[0], 3.5, 4.5);
            snprintf(what, sizeof what, "%s, %g N m/rad: of the quintic", SDIRK[m].name, q.k);
            paper_within(p, what, slope[2], stiff ? 3 : 4.5, 6);
            snprintf(what, sizeof what, "%s, %g N m/rad: error of the thesis over the quintic's, least",
                     SDIRK[m].name, q.k);
            paper_within(p, what, least, 1, 1e4);
        }
}

static void relatives(paper *p, FILE *f)
{
    static const char *const METHOD[3] = {"ssp-sdirk", "infl-sdirk", "for-sdirk"};
    double steps[3][4] = {{0}};
    tml_model *model = paper_model(p, "hmmwv");
    if (!model) return;
    paper_part("ssp-sdirk", "free exact steps few steps steps near", NULL);
    puts(
        "\n`ssp-sdirk`, (3.68) to (3.73), on the vehicle, 4 s, joint coordinates\n\n| method | tol | steps | "
        "rejected | iterations | accelerations | factorizations |\n|---|---|---|---|---|---|---|");
    for (int m = 0; m < 3; m++)
        for (int i = 2; i <= 5; i++) {
            const paper_case c = {
                .method = METHOD[m], .tol = pow(10, -i), .end = 4, .kinematics = TML_KINEMATICS_JOINTS};
            paper_cost cost;
            if (!paper_run(p, model, &c, NULL, &cost)) continue;
            printf("| `%s` | 1e-%d | %ld | %ld | %ld | %ld | %ld |\n", METHOD[m], i, cost.steps,
                   cost.rejected, cost.iterations, cost.evaluations, cost.factorizations);
            if (f)
                fprintf(f, "%s,%g,%ld,%ld,%ld,%ld,%ld,,\n", METHOD[m], c.tol, cost.steps, cost.rejected,
                        cost.iterations, cost.evaluations, cost.factorizations);
            steps[m][i - 2] = (double)cost.steps;
        }
    double most = 1;
    for (int i = 0; i < 4; i++) most = fmax(most, fmax(steps[0][i] / steps[1][i], steps[1][i] / steps[0][i]));
    paper_within(p, "one solution in state-space and descriptor form: ratio of steps, most", most, 1, 1.1);
    tml_model_destroy(model);
}

int main(int argc, char **argv)
{
    paper p;
    if (!paper_arguments(&p, argc, argv)) return 2;
    FILE *f = paper_open(&p, "004_formulas.csv");
    newmark_table(&p, f);
    dense_table(&p, f);
    relatives(&p, f);
    paper_close(&p, f, "004_formulas.csv");
    return paper_end(&p);
}
