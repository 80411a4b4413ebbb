// The energy-decaying scheme of O. Bauchau, the third of Figure 4 of O. A. Bauchau, A. Epple, C. L. Bottasso,
// J. Comput. Nonlinear Dyn. 4 (2009) 021007 ([30]: Multibody Syst. Dyn. 2 (1998) 169-225), beside the
// library's method `decay`, which shares its aim and is another scheme. Bauchau's is rebuilt here for a
// mechanism of points from the principle that it rests on, the time-discontinuous Galerkin method with linear
// functions of time, with a factor alpha of the jumps; its spectral radius at infinity is (1 - alpha)/(1 +
// alpha).
// usage: papers_000_decay [--out DIR]. Takes seconds.
//
// A step of h from i to f, with j behind the jump at its start, D_h = u_j - u_i, D_g = u_f - u_j:
//   u_f - u_i = h (v_j + v_f)/2,     u_j - u_i = - h/6 [(v_f - v_i) - alpha (v_j - v_i)]               (1)
//   M (v_f - v_i) = - h F_g,         M (v_j - v_i) = h/3 (F_g - F_h)                                   (2)
//   F_g.D_g = V_f - V_j,             F_h.D_h = V_j - V_i + alpha/2 k (x_j - x_i)^2                     (3)
// with mean forces F of springs k of length x. Multiplied by the increments, (1) to (3) give
//   T_f + V_f = T_i + V_i - alpha/2 [(v_j - v_i)'M (v_j - v_i) + k (x_j - x_i)^2]                      (4)
// For a linear oscillator alpha = 1 is the Pade approximation (1, 2) of Radau IIA with two stages: order 3,
// nothing is left at infinity after one step. Two states are unknown in a step, in `decay` one.
//
// The mechanism: a point of 1 kg on a spring of 1 m, a point of 0.5 kg on a spring of 0.7 m to it; gravity.
// It has no joints: document and title of [30] do not say how constraints enter at j.
#include "paper_run.h"

enum { N = 4, UNKNOWNS = 4 * N };

static const double MASS[2] = {1, 0.5}, FREE[2] = {1, 0.7}, GRAVITY = 9.81;

typedef struct point_state {
    double u[N], v[N];
} point_state;

typedef struct scheme {
    double k, h, alpha;
    point_state i;
} scheme;

// ---- forces -----------------------------------------------------------------------------------------------

// Component c of the vector along spring j; the first begins at the origin.
static double along(const double *u, int j, int c) { return u[2 * j + c] - (j ? u[c] : 0); }

static double spring_length(const double *u, int j) { return hypot(along(u, j, 0), along(u, j, 1)); }

static double energy(double k, const point_state *s)
{
    double e = 0;
    for (int j = 0; j < 2; j++) e += k * pow(spring_length(s->u, j) - FREE[j], 2) / 2;
    for (int i = 0; i < N; i++) e += MASS[i / 2] * (s->v[i] * s->v[i] / 2 + (i % 2) * GRAVITY * s->u[i]);
    return e;
}

// f := mean of dV/du over the increment from a to b, with `extra` of (3). Lengths are differenced exactly:
// x_b - x_a = (r_a + r_b)/(x_a + x_b) . (increment of r).
static void mean_force(const scheme *s, const double *a, const double *b, double extra, double *f)
{
    for (int i = 0; i < N; i++) f[i] = (i % 2) * MASS[i / 2] * GRAVITY;
    for (int j = 0; j < 2; j++) {
        const double xa = spring_length(a, j), xb = spring_length(b, j);
        const double tension = s->k * ((xa + xb) / 2 - FREE[j] + extra * (xb - xa) / 2);
        for (int c = 0; c < 2; c++) {
            const double direction = (along(a, j, c) + along(b, j, c)) / (xa + xb);
            f[2 * j + c] += tension * direction;
            if (j) f[c] -= tension * direction;
        }
    }
}

// ---- a step of (1) to (3) ---------------------------------------------------------------------------------

// z: u_j, u_f, v_j, v_f.
static void residual(const scheme *s, const double *z, double *r)
{
    const double *uj = z, *uf = z + N, *vj = z + 2 * N, *vf = z + 3 * N, h = s->h;
    double fg[N], fh[N];
    mean_force(s, uj, uf, 0, fg);
    mean_force(s, s->i.u, uj, s->alpha, fh);
    for (int i = 0; i < N; i++) {
        const double m = MASS[i / 2], vi = s->i.v[i];
        r[i] = uf[i] - s->i.u[i] - h * (vj[i] + vf[i]) / 2;
        r[N + i] = uj[i] - s->i.u[i] + h / 6 * (vf[i] - vi - s->alpha * (vj[i] - vi));
        r[2 * N + i] = h * (m * (vf[i] - vi) + h * fg[i]);
        r[3 * N + i] = h * (m * (vj[i] - vi) - h / 3 * (fg[i] - fh[i]));
    }
}

// b := inv(A) b by elimination with pivots.
static void solve(double a[UNKNOWNS][UNKNOWNS], double *b)
{
    for (int c = 0; c < UNKNOWNS; c++) {
        int p = c;
        for (int r = c + 1; r < UNKNOWNS; r++)
            if (fabs(a[r][c]) > fabs(a[p][c])) p = r;
        for (int k = 0; k < UNKNOWNS; k++) {
            const double t = a[c][k];
            a[c][k] = a[p][k];
            a[p][k] = t;
        }
        const double t = b[c];
        b[c] = b[p];
        b[p] = t;
        for (int r = c + 1; r < UNKNOWNS; r++) {
            const double f = a[r][c] / a[c][c];
            for (int k = c; k < UNKNOWNS; k++) a[r][k] -= f * a[c][k];
            b[r] -= f * b[c];
        }
    }
    for (int c = UNKNOWNS - 1; c >= 0; c--) {
        for (int k = c + 1; k < UNKNOWNS; k++) b[c] -= a[c][k] * b[k];
        b[c] /= a[c][c];
    }
}

/** s->i := the end of the step; false: Newton's method does not converge. */
static bool step(scheme *s)
{
    double z[UNKNOWNS], r[UNKNOWNS], moved[UNKNOWNS], a[UNKNOWNS][UNKNOWNS], size = INFINITY;
    for (int i = 0; i < N; i++) {
        z[i] = z[N + i] = s->i.u[i];
        z[2 * N + i] = z[3 * N + i] = s->i.v[i];
    }
    for (int iteration = 0; iteration < 50; iteration++) {
        residual(s, z, r);
        for (int c = 0; c < UNKNOWNS; c++) {
            const double keep = z[c], d = 1e-6 * fmax(1, fabs(keep));
            z[c] = keep + d;
            residual(s, z, moved);
            for (int i = 0; i < UNKNOWNS; i++) a[i][c] = (moved[i] - r[i]) / d;
            z[c] = keep;
        }
        solve(a, r);
        const double before = size;
        size = 0;
        for (int c = 0; c < UNKNOWNS; c++) {
            z[c] -= r[c];
            if (c < 2 * N) size = fmax(size, fabs(r[c]));
        }
        if (!isfinite(size)) return false;
        if (size < 1e-15 || (size < 1e-10 && size > before / 2)) break;
        if (iteration == 49) return false;
    }
    memcpy(s->i.u, z + N, sizeof s->i.u);
    memcpy(s->i.v, z + 3 * N, sizeof s->i.v);
    return true;
}

// ---- runs -------------------------------------------------------------------------------------------------

// From rest, both springs horizontal, the second stretched.
static point_state start_state(double stretch)
{
    return (point_state){.u = {FREE[0], 0, FREE[0] + FREE[1] + stretch, 0}};
}

typedef struct outcome {
    point_state end;
    double lost, grown;  // energy over the run, largest growth in a step [J]
    bool good;
} outcome;

static void watch(outcome *o, double *last, double first, double now)
{
    o->grown = fmax(o->grown, now - *last);
    o->lost = first - now;
    *last = now;
}

/** count steps of Bauchau's scheme to `end`. */
static outcome run_bauchau(double k, double stretch, double alpha, double end, int count)
{
    scheme s = {k, end / count, alpha, start_state(stretch)};
    const double first = energy(k, &s.i);
    double last = first;
    outcome o = {.good = true};
    for (int i = 0; i < count && o.good; i++) {
        o.good = step(&s);
        watch(&o, &last, first, energy(k, &s.i));
    }
    o.end = s.i;
    return o;
}

/** The same by a method of the library; count 0: steps by a tolerance of 1e-10. */
static outcome run_library(paper *p, const char *method, double k, double stretch, double end, int count)
{
    char text[1024];
    const int length = snprintf(
        text, sizeof text,
        "planar: true\ngravity: [0, %.17g]\nbodies:\n"
        "  a: {mass: %g, point: true, position: [%.17g, 0]}\n"
        "  b: {mass: %g, point: true, position: [%.17g, 0]}\n"
        "defaults:\n  forces: {type: spring, stiffness: %.17g}\n"
        "forces:\n  inner: {a: ground, b: a, length: %g}\n  outer: {a: a, b: b, length: %g}\n"
        "run: {end: %g, output_step: %g}\n",
        -GRAVITY, MASS[0], FREE[0], MASS[1], FREE[0] + FREE[1] + stretch, k, FREE[0], FREE[1], end, end);
    tml_error err = {0};
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_sim *sim = NULL;
    outcome o = {0};
    tml_status st = tml_spec_parse(text, (size_t)length, "points", NULL, 0, NULL, &spec, &err);
    if (st == TML_OK) st = tml_model_build(spec, &model, &err);
    if (st == TML_OK) {
        tml_run_def run = *tml_model_run(model);
        run.method = method;
        if (count > 0) run.step = end / count;
        else run.tol = 1e-10;
        st = tml_sim_create(model, &run, &sim, &err);
    }
    double first = (double)NAN, last = first;
    for (bool begin = true; st == TML_OK; begin = false) {
        const tml_state *x = tml_sim_state(sim);
        for (int i = 0; i < N; i++) {  // positions and a quaternion for each point
            o.end.u[i] = x->q[i / 2 * (x->nq / 2) + i % 2];
            o.end.v[i] = x->u[i];
        }
        const double now = energy(k, &o.end);
        if (begin) first = last = now;
        watch(&o, &last, first, now);
        if (!(tml_sim_time(sim) < end)) break;
        st = tml_sim_step(sim, end, &err);
    }
    o.good = st == TML_OK;
    if (!o.good) paper_fail(p, method, err.msg);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
    tml_spec_destroy(spec);
    return o;
}

static double distance(const outcome *a, const outcome *b)
{
    double most = 0;
    for (int i = 0; i < N; i++) most = fmax(most, fabs(a->end.u[i] - b->end.u[i]));
    return a->good ? most : (double)NAN;
}

// ---- order and energy -------------------------------------------------------------------------------------

enum { HALVINGS = 8 };

typedef struct curves {
    double h[HALVINGS], error[2][HALVINGS], lost[2][HALVINGS];  // Bauchau, decay
} curves;

static void compare(paper *p, double k, double stretch, int first, curves *c, FILE *f)
{
    const outcome exact = run_library(p, "radau5", k, stretch, 1, 0);
    paper_part(k < 1e3 ? "soft" : "stiff", "value near", "value");
    printf("\nk = %g N/m (periods from %.2g s on), 1 s from rest: error of positions [m], energy lost [J]\n\n"
           "| h [s] | Bauchau: error | lost | `decay`: error | lost |\n|---|---|---|---|---|\n",
           k, 2 * acos(-1) / sqrt(3.73 * k));
    double grown[2] = {0};
    for (int i = 0; i < HALVINGS; i++) {
        const int count = first << i;
        const outcome o[2] = {run_bauchau(k, stretch, 1, 1, count),
                              run_library(p, "decay", k, stretch, 1, count)};
        c->h[i] = 1.0 / count;
        printf("| %.3g |", c->h[i]);
        for (int m = 0; m < 2; m++) {
            c->error[m][i] = distance(&o[m], &exact);
            c->lost[m][i] = o[m].lost;
            printf(" %.2e | %.2e |", c->error[m][i], o[m].lost);
            grown[m] = o[m].good ? fmax(grown[m], o[m].grown) : (double)INFINITY;
        }
        putchar('\n');
        if (f)
            fprintf(f, "%g,%g,%.5g,%.5g,%.5g,%.5g\n", k, c->h[i], c->error[0][i], c->lost[0][i],
                    c->error[1][i], c->lost[1][i]);
    }
    for (int m = 0; m < 2; m++)
        paper_within(p, m ? "`decay`: largest growth of energy in a step [J]" : "Bauchau: the same", grown[m],
                     -1, 1e-8);
    if (k < 1e3) paper_laws_in("laws");
}

static void draw(paper *p, const char *file, const char *title, const curves *c, int slope)
{
    const paper_series s[4] = {{"Bauchau, error [m]", HALVINGS, c->h, c->error[0], false},
                               {"decay, error [m]", HALVINGS, c->h, c->error[1], false},
                               {"Bauchau, energy lost [J]", HALVINGS, c->h, c->lost[0], false},
                               {"decay, energy lost [J]", HALVINGS, c->h, c->lost[1], false}};
    paper_draw(p, &(paper_figure){.file = file,
                                  .title = title,
                                  .x = "step [s]",
                                  .y = "after 1 s",
                                  .series = s,
                                  .count = 4,
                                  .slopes = &(paper_slope){2, 2e-3, 1e-5, 2e-2, "h^{2}"},
                                  .nslopes = slope});
}

// ---- one frequency ----------------------------------------------------------------------------------------

// |R(i w h)| of the Pade approximation (1, 2), for alpha = 1.
static double radius_bauchau(double wh)
{
    const double top = 1 + wh * wh / 9, re = 1 - wh * wh / 6, im = -2 * wh / 3;
    return sqrt(top / (re * re + im * im));
}

// Mean factor of a step of `decay` over `count` steps on one spring of w h, behind the first three steps.
static double radius_decay(paper *p, double wh, int skip, int count)
{
    char text[512];
    const int length =
        snprintf(text, sizeof text,
                 "planar: true\ngravity: [0, 0]\nbodies: {a: {mass: 1, point: true, position: "
                 "[1.01, 0]}}\nforces: {s: {type: spring, a: ground, b: a, stiffness: %.17g, "
                 "length: 1}}\nrun: {end: %d, output_step: %d, step: 1, method: decay, tol: 1e-14}\n",
                 wh * wh, skip + count, skip + count);
    tml_error err = {0};
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_sim *sim = NULL;
    double first = (double)NAN, last = first;
    tml_status st = tml_spec_parse(text, (size_t)length, "oscillator", NULL, 0, NULL, &spec, &err);
    if (st == TML_OK) st = tml_model_build(spec, &model, &err);
    if (st == TML_OK) st = tml_sim_create(model, tml_model_run(model), &sim, &err);
    for (int i = 0; i <= skip + count && st == TML_OK; i++) {
        const tml_state *x = tml_sim_state(sim);
        const double x0 = hypot(x->q[0], x->q[1]) - 1, e = wh * wh * x0 * x0 + x->u[0] * x->u[0];
        if (i == skip) first = e;
        last = e;
        if (i < skip + count) st = tml_sim_step(sim, skip + count, &err);
    }
    if (st != TML_OK) paper_fail(p, "decay", err.msg);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
    tml_spec_destroy(spec);
    return pow(last / first, 0.5 / count);
}

static void radii(paper *p, FILE *f)
{
    enum { COUNT = 13 };
    double wh[COUNT], r[2][COUNT], most = 0;
    paper_part("radius", "value near near", NULL);
    puts("\nOne frequency w: factor of the amplitude in a step\n\n| w h | Bauchau, alpha = 1 | `decay`, rho "
         "= 0 "
         "|\n|---|---|---|");
    for (int i = 0; i < COUNT; i++) {
        wh[i] = pow(10, -1 + 0.25 * i);
        r[0][i] = radius_bauchau(wh[i]);
        r[1][i] = radius_decay(p, wh[i], 3, 8);  // further on round-off is all that is left
        printf("| %.3g | %.5f | %.5f |\n", wh[i], r[0][i], r[1][i]);
        if (f) fprintf(f, "radius,%g,%.6f,,%.6f,\n", wh[i], r[0][i], r[1][i]);
        for (int m = 0; m < 2; m++) most = fmax(most, r[m][i]);
    }
    paper_within(p, "no amplitude grows: largest factor", most, 0, 1 + 1e-9);
    paper_within(p, "Bauchau: w h times the factor tends to", wh[COUNT - 1] * r[0][COUNT - 1], 1.95, 2.05);
    const paper_series s[2] = {{"Bauchau, alpha = 1", COUNT, wh, r[0], false},
                               {"decay, rho = 0, alone", COUNT, wh, r[1], false}};
    paper_draw(p, &(paper_figure){.file = "000_decay_radius.svg",
                                  .title = "Amplitude after a step over that before",
                                  .x = "w h",
                                  .y = "factor",
                                  .linear_y = true,
                                  .series = s,
                                  .count = 2});
}

int main(int argc, char **argv)
{
    paper p;
    static curves soft, stiff;
    if (!paper_arguments(&p, argc, argv)) return 2;
    FILE *f = paper_open(&p, "000_decay.csv");
    if (f) fprintf(f, "k,h,bauchau_error,bauchau_lost,decay_error,decay_lost\n");
    radii(&p, f);
    compare(&p, 300, 0.05, 20, &soft, f);
    compare(&p, 3e6, 1e-3, 20, &stiff, f);
    paper_close(&p, f, "000_decay.csv");
    draw(&p, "000_decay_soft.svg", "k = 300 N/m: steps follow all motion", &soft, 1);
    draw(&p, "000_decay_stiff.svg", "k = 3e6 N/m: steps do not follow the springs", &stiff, 0);
    paper_part("laws", "near", NULL);
    printf("\n| law in h, k = 300 N/m | slope | expected | met within 0.1 |\n|---|---|---|---|\n");
    paper_check_slope(&p, "Bauchau: error", paper_fit(4, soft.h + 4, soft.error[0] + 4), 2, 0.1);
    paper_check_slope(&p, "Bauchau: energy lost", paper_fit(4, soft.h + 4, soft.lost[0] + 4), 3, 0.1);
    paper_check_slope(&p, "`decay`: error", paper_fit(4, soft.h + 4, soft.error[1] + 4), 2, 0.1);
    paper_check_slope(&p, "`decay`: energy lost", paper_fit(4, soft.h + 4, soft.lost[1] + 4), 4, 0.3);
    return paper_end(&p);
}
