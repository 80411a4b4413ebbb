// Two capsules: the nearest points of their axes, between their ends or at them.
//
// With the segments a + s e, |s| <= S, and b + t f, |t| <= T, and w = b - a, the nearest points of the lines
// have s = (w.e - c w.f)/(1 - c^2), t = (c w.e - w.f)/(1 - c^2), c = e.f. If one of them is beyond an end,
// the nearest points are at an end: the nearest among the four of an end and the other segment.
#include "element/shape/point.h"

#include "element/shape/constants.h"

typedef struct segment {
    vec3 c, e;
    double half;
} segment;

static double clamp(double x, double most) { return fmin(fmax(x, -most), most); }

// The end `at` of B beside A; returns the square of their distance.
static double at_end(const segment *A, const segment *B, double at, tmli_contact_point *out)
{
    const vec3 b = v3_axpy(at, B->e, B->c);
    const double s = v3_dot(A->e, v3_sub(b, A->c));
    const vec3 d = v3_sub(b, v3_axpy(clamp(s, A->half), A->e, A->c));
    const double L = v3_norm(d);
    *out = (tmli_contact_point){.n = L > 0 ? v3_scale(1 / L, d) : v3(0, 0, 1),
                                .b = b,
                                .gap = L,
                                .inverse = L > 0 ? 1 / L : 0,
                                .share = fabs(s) < A->half ? 1 : 0,
                                .e = A->e};
    return L;
}

static bool crossing(const segment *A, const segment *B, tmli_contact_point *out)
{
    const vec3 w = v3_sub(B->c, A->c), normal = v3_cross(A->e, B->e);
    const double c = v3_dot(A->e, B->e), square = v3_dot(normal, normal), we = v3_dot(w, A->e),
                 wf = v3_dot(w, B->e);
    if (square < PARALLEL_LINES * PARALLEL_LINES) return false;
    const double s = (we - c * wf) / square, t = (c * we - wf) / square;
    if (fabs(s) >= A->half || fabs(t) >= B->half) return false;
    const double L = v3_dot(normal, w) / sqrt(square);
    *out = (tmli_contact_point){.n = v3_scale((L < 0 ? -1 : 1) / sqrt(square), normal),
                                .b = v3_axpy(t, B->e, B->c),
                                .gap = fabs(L),
                                .feature = TMLI_FEATURE_LINE,
                                .e = A->e,
                                .f = B->e,
                                .spacing = fabs(L)};
    return true;
}

void tmli_capsule_capsule(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y, const tmli_place *y,
                          tmli_contact_point *out)
{
    const segment A = {x->c, m3_col(&x->A, 2), X->half[2]}, B = {y->c, m3_col(&y->A, 2), Y->half[2]};
    if (!crossing(&A, &B, out)) {
        double best = INFINITY;
        for (int i = 0; i < 4; i++) {
            tmli_contact_point k;
            const bool swapped = i >= 2;
            const double half = swapped ? A.half : B.half, at = i % 2 == 0 ? -half : half;
            const double L = swapped ? at_end(&B, &A, at, &k) : at_end(&A, &B, at, &k);
            if (L >= best) continue;
            best = L;
            *out = k;
            out->swapped = swapped;
        }
    }
    out->rounding = out->swapped ? X->radius : Y->radius;
    out->gap -= X->radius + Y->radius;
}
