// Mean forces of the beam element over a step, and their tangents (docs/theory/decay.md). Equation numbers as
// in section.h.
#include "element/beam/section.h"
#include "element/force/force.h"

#include <string.h>

enum { ALL = TMLI_BEAM_ALL, POINT = TMLI_BEAM_POINT };

typedef tmli_beam_shape shape;
typedef tmli_beam_section section;

static void multiply6(const double *C, const double *x, double *y)
{
    for (int i = 0; i < 6; i++) {
        double sum = 0;
        for (int k = 0; k < 6; k++) sum += C[6 * i + k] * x[k];
        y[i] = sum;
    }
}

static void add_square(int n, const double *A, double *out)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) out[i * n + k] += A[i * ALL + k];
}

// ---- means over a step ------------------------------------------------------------------------------------

// The shapes of a step, and the mean stress at a Gauss point.
typedef struct step_shape {
    shape start, middle, end;
} step_shape;

static void step_shape_of(const tmli_beam *b, const tmli_beam_step *s, step_shape *k)
{
    tmli_beam_shape_of(b, s->start, NULL, &k->start);
    tmli_beam_shape_of(b, s->end, NULL, &k->end);
    tmli_beam damped = *b;  // so that rates are computed
    damped.eta = 1;
    tmli_beam_shape_of(&damped, s->middle, s->u, &k->middle);
}

// c, last: sections at the middle and at the end. The stress of c becomes the mean one. Returns its work
// over the step by the strains less that by their derivatives at the middle [J/m]. *terms (may be NULL): that
// of strains of 1 and curvatures of 1 over the size of the element, of which these are differences.
static double mean_section(const tmli_beam *b, int g, const tmli_beam_step *s, const step_shape *k,
                           section *c, section *last, double *terms)
{
    section first;
    double strain[6], damping[6], work = 0;
    tmli_beam_section_at(b, g, &k->start, &first);
    tmli_beam_section_at(b, g, &k->middle, c);
    tmli_beam_section_at(b, g, &k->end, last);
    for (int i = 0; i < 6; i++) {
        const double change = last->strain[i] - first.strain[i];
        strain[i] = (first.strain[i] + last->strain[i]) / 2 + s->decay * change;
    }
    multiply6(b->C, strain, c->stress);
    for (int i = 0; i < 6; i++)
        work += c->stress[i] * (last->strain[i] - first.strain[i] - s->h * c->rate[i]);
    for (int i = 0; i < 6 && terms; i++) *terms += fabs(c->stress[i]) * (i < 3 ? b->j[g] : 1) * b->weight[g];
    multiply6(b->C, c->rate, damping);
    for (int i = 0; i < 6; i++) c->stress[i] += b->eta * damping[i];
    return work;
}

void tmli_beam_mean_force(const tmli_beam *b, const tmli_beam_step *s, double *F)
{
    double f[ALL] = {0}, work = 0, terms = 0, length = 0;
    step_shape k;
    step_shape_of(b, s, &k);
    for (int g = 0; g < b->nodes - 1; g++) {
        section c, last;
        double E[6 * POINT];
        work += b->weight[g] * b->j[g] * mean_section(b, g, s, &k, &c, &last, &terms);
        length += b->weight[g] * b->j[g];
        tmli_beam_point_rows(b, &c, E);
        tmli_beam_spread_force(b, g, E, c.stress, f);
    }
    tmli_beam_to_nodes(b, s->middle, &k.middle, f, F);
    tmli_force_add_work(b->nodes, s->d, length, true, work, terms, F);
}

void tmli_beam_mean_tangent(const tmli_beam *b, const tmli_beam_step *s, double *H_end, double *H, double *D)
{
    const int n = 6 * b->nodes;
    const size_t size = (size_t)(n * ALL) * sizeof(double);
    double f[ALL] = {0}, A[ALL * ALL], B[ALL * ALL], V[ALL * ALL], half[ALL * ALL];
    step_shape k;
    step_shape_of(b, s, &k);
    memset(A, 0, size);
    memset(V, 0, size);
    memset(half, 0, size);
    double material[ALL * ALL];
    memset(material, 0, size);
    for (int g = 0; g < b->nodes - 1; g++) {
        section c, last;
        double E[6 * POINT], E_end[6 * POINT], K[POINT * POINT] = {0}, W[POINT * POINT];
        mean_section(b, g, s, &k, &c, &last, NULL);
        tmli_beam_point_rows(b, &c, E);
        tmli_beam_point_rows(b, &last, E_end);
        tmli_beam_spread_force(b, g, E, c.stress, f);
        tmli_beam_point_product(b->C, E, E_end, (0.5 + s->decay) / b->j[g], K);
        tmli_beam_spread_tangent(b, g, K, material);
        tmli_beam_point_curvature(b, &c, K);
        tmli_beam_spread_tangent(b, g, K, A);
        if (b->eta == 0) continue;
        memset(W, 0, sizeof W);
        tmli_beam_point_product(b->C, E, E, b->eta / b->j[g], W);
        tmli_beam_spread_tangent(b, g, W, V);
    }
    tmli_beam_columns_to_nodes(b, s->end, &k.end, material, half);
    memset(B, 0, size);
    tmli_beam_rows_to_nodes(b, s->middle, &k.middle, half, B);
    add_square(n, B, H_end);
    memset(B, 0, size);
    memset(half, 0, size);
    tmli_beam_columns_to_nodes(b, s->middle, &k.middle, A, half);
    tmli_beam_rows_to_nodes(b, s->middle, &k.middle, half, B);
    tmli_beam_add_geometric(b, s->middle, &k.middle, f, ALL, B);
    add_square(n, B, H);
    if (b->eta == 0) return;
    memset(B, 0, size);
    memset(half, 0, size);
    tmli_beam_columns_to_nodes(b, s->middle, &k.middle, V, half);
    tmli_beam_rows_to_nodes(b, s->middle, &k.middle, half, B);
    add_square(n, B, D);
}
