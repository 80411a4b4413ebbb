// Impulses of an island for given modes, by the velocities of its bodies; see modes.c.
//
// The rows of points that are closed are R = G_N (slip) or G (stick), their impulses act by C = P G' (stick)
// or P (G_N - mu t.G_T)' (slip), with diagonal shifts e, one for each point. Impulses x that change the
// velocities of their rows by y follow from a matrix over bodies instead of points:
//   (R C + e) x = y     <=>     (1 + C R/e) dv = C y/e,   x = (y - R dv)/e                                (1)
// A wall has four to twelve points for each brick, and its bodies, in the order in which they are reached
// from one end (Cuthill, McKee, ACM Nat. Conf. (1969) 157), have a matrix with a narrow envelope. It is
// factored by blocks of 6 x 6 without exchange of blocks,
//   L_ij = (A_ij - sum_k L_ik U_kj) D_j,   U_ij = A_ij - sum_k L_ik U_kj,   D_i = U_ii^-1                 (2)
// which is stable for points that stick, since P^-1 (1 + C R/e) is definite then. What is lost by slip in a
// direction that jams is seen in the residual.
#include "linalg/cone/internal.h"

#include <math.h>
#include <string.h>

#include "linalg/cone/constants.h"

enum { B = 6, BB = B * B };

void tmli_cone_bodies_clear(const tml_env *env, tmli_cone_bodies *s)
{
    tmli_free_all(env, s->place, s->body, s->first, s->begin, s->next, s->row, s->lower, s->upper, s->inverse,
                  s->velocity, s->shift);
    *s = (tmli_cone_bodies){0};
}

bool tmli_cone_bodies_create(const tml_env *env, int units, int room, tmli_cone_bodies *s)
{
    const size_t n = (size_t)units + 1;
    const double blocks = 0.5 * units * (units - 1.0);
    *s = (tmli_cone_bodies){.room = blocks < ENVELOPE_BLOCKS ? (size_t)blocks : ENVELOPE_BLOCKS};
    const bool all =
        tmli_calloc_all(env, TMLI_ARRAY(s->place, n), TMLI_ARRAY(s->body, n), TMLI_ARRAY(s->first, n),
                        TMLI_ARRAY(s->begin, n + 1), TMLI_ARRAY(s->next, 2 * (size_t)room + 1),
                        TMLI_ARRAY(s->row, n), TMLI_ARRAY(s->lower, BB * s->room + 1),
                        TMLI_ARRAY(s->upper, BB * s->room + 1), TMLI_ARRAY(s->inverse, BB * n),
                        TMLI_ARRAY(s->velocity, B * n), TMLI_ARRAY(s->shift, (size_t)room + 1));
    for (int i = 0; i < units && s->place; i++) s->place[i] = -1;
    return all;
}

// ---- the order of bodies ----------------------------------------------------------------------------------

// Neighbours of the bodies of an island: s->next from s->begin[unit] on, with begin[unit + 1] their end. Only
// the entries of these bodies are set, in their list s->body; returns the number of bodies.
static int find_neighbours(tmli_cone *c, const int *order, int count)
{
    tmli_cone_bodies *s = &c->bodies;
    int n = 0, at = 0;
    for (int i = 0; i < count; i++)
        for (int side = 0; side < 2; side++) {
            const int u = c->point[order[i]].unit[side];
            if (u < 0 || s->place[u] >= 0) continue;
            s->place[u] = 0;
            s->body[n++] = u;
            s->first[u] = 0;
        }
    for (int i = 0; i < count; i++) {
        const int *u = c->point[order[i]].unit;
        if (u[0] < 0 || u[1] < 0) continue;
        s->first[u[0]]++;
        s->first[u[1]]++;
    }
    for (int k = 0; k < n; k++) {  // first: the number of neighbours, begin: where the next one is stored
        s->begin[s->body[k]] = at;
        at += s->first[s->body[k]];
    }
    for (int i = 0; i < count; i++) {
        const int *u = c->point[order[i]].unit;
        if (u[0] < 0 || u[1] < 0) continue;
        s->next[s->begin[u[0]]++] = u[1];
        s->next[s->begin[u[1]]++] = u[0];
    }
    for (int k = 0; k < n; k++) s->begin[s->body[k]] -= s->first[s->body[k]];
    return n;
}

// Lists bodies in the order in which they are reached from `start`: s->body, s->place.
static void walk(tmli_cone_bodies *s, int n, int start)
{
    for (int k = 0; k < n; k++) s->place[s->body[k]] = -1;
    int end = 1;
    s->body[0] = start;
    s->place[start] = 0;
    for (int k = 0; k < end; k++) {
        const int u = s->body[k];
        for (int j = s->begin[u]; j < s->begin[u] + s->first[u]; j++) {
            const int other = s->next[j];
            if (s->place[other] >= 0) continue;
            s->place[other] = end;
            s->body[end++] = other;
        }
    }
}

void tmli_cone_bodies_leave(tmli_cone *c)
{
    tmli_cone_bodies *s = &c->bodies;
    for (int k = 0; k < s->n; k++) s->place[s->body[k]] = -1;
    s->n = 0;
}

bool tmli_cone_bodies_enter(tmli_cone *c, const int *order, int count)
{
    tmli_cone_bodies *s = &c->bodies;
    for (int i = 0; i < count; i++)
        if (c->point[order[i]].far >= 0) return false;
    s->n = find_neighbours(c, order, count);
    walk(s, s->n, s->body[0]);
    for (int k = 0; k < 2; k++) walk(s, s->n, s->body[s->n - 1]);  // from an end
    for (int k = 0; k < s->n; k++) s->first[k] = k;
    for (int i = 0; i < count; i++) {
        const int *u = c->point[order[i]].unit;
        if (u[0] < 0 || u[1] < 0) continue;
        const int a = s->place[u[0]], b = s->place[u[1]], low = a < b ? a : b, high = a < b ? b : a;
        s->first[high] = low < s->first[high] ? low : s->first[high];
    }
    double work = 0;
    size_t at = 0;
    for (int k = 0; k < s->n; k++) {
        const double width = k - s->first[k];
        s->row[k] = at;
        at += (size_t)(k - s->first[k]);
        work += width * width + 1;
    }
    if (at <= s->room && work <= ENVELOPE_WORK * count) return true;
    tmli_cone_bodies_leave(c);
    return false;
}

// ---- factorization ----------------------------------------------------------------------------------------

// Z -= X Y
static inline void subtract(const double *restrict X, const double *restrict Y, double *restrict Z)
{
    for (int i = 0; i < B; i++)
        for (int k = 0; k < B; k++) {
            const double x = X[B * i + k];
            for (int j = 0; j < B; j++) Z[B * i + j] -= x * Y[B * k + j];
        }
}

// A := A^-1 with exchange of rows; false: singular.
static bool invert(double *A)
{
    double R[BB] = {0};
    for (int i = 0; i < B; i++) R[(B + 1) * i] = 1;
    for (int k = 0; k < B; k++) {
        int best = k;
        for (int i = k + 1; i < B; i++)
            if (fabs(A[B * i + k]) > fabs(A[B * best + k])) best = i;
        if (!(fabs(A[B * best + k]) > 0)) return false;
        for (int j = 0; j < B && best != k; j++) {
            const double a = A[B * k + j], r = R[B * k + j];
            A[B * k + j] = A[B * best + j];
            A[B * best + j] = a;
            R[B * k + j] = R[B * best + j];
            R[B * best + j] = r;
        }
        const double pivot = 1 / A[B * k + k];
        for (int j = 0; j < B; j++) {
            A[B * k + j] *= pivot;
            R[B * k + j] *= pivot;
        }
        for (int i = 0; i < B; i++) {
            const double l = A[B * i + k];
            if (i == k || l == 0) continue;
            for (int j = 0; j < B; j++) {
                A[B * i + j] -= l * A[B * k + j];
                R[B * i + j] -= l * R[B * k + j];
            }
        }
    }
    memcpy(A, R, sizeof R);
    return true;
}

// Block (i, j) of the matrix.
static double *block_of(tmli_cone_bodies *s, int i, int j)
{
    if (i == j) return s->inverse + BB * (size_t)i;
    const int row = i > j ? i : j, column = i > j ? j : i;
    return (i > j ? s->lower : s->upper) + BB * (s->row[row] + (size_t)(column - s->first[row]));
}

// The change of velocities by the impulse x (3) of a point in its mode, side by side: 6 numbers.
static void column_of(const tmli_cone_point *p, const tmli_cone_mode *m, int side, int k, double out[B])
{
    const double *H = p->H[0] + B * side;
    if (m->kind == TMLI_CONE_STICK) {
        memcpy(out, p->H[k] + B * side, B * sizeof *out);
        return;
    }
    for (int j = 0; j < B; j++) out[j] = H[j] - p->mu * (m->t[0] * H[12 + j] + m->t[1] * H[24 + j]);
}

// 1 + C R/e
static void assemble(tmli_cone *c, const int *order, int count)
{
    tmli_cone_bodies *s = &c->bodies;
    const size_t blocks = s->n > 0 ? s->row[s->n - 1] + (size_t)(s->n - 1 - s->first[s->n - 1]) : 0;
    memset(s->lower, 0, BB * blocks * sizeof *s->lower);
    memset(s->upper, 0, BB * blocks * sizeof *s->upper);
    memset(s->inverse, 0, BB * (size_t)s->n * sizeof *s->inverse);
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < B; j++) s->inverse[BB * (size_t)i + (size_t)((B + 1) * j)] = 1;
    for (int i = 0; i < count; i++) {
        const tmli_cone_point *p = &c->point[order[i]];
        const tmli_cone_mode *m = &c->mode[i];
        for (int k = 0; k < tmli_cone_rows(m); k++)
            for (int a = 0; a < 2; a++) {
                double h[B];
                if (p->unit[a] < 0) continue;
                column_of(p, m, a, k, h);
                for (int b = 0; b < 2; b++) {
                    if (p->unit[b] < 0) continue;
                    double *A = block_of(s, s->place[p->unit[a]], s->place[p->unit[b]]);
                    const double *g = p->G[k] + B * b;
                    for (int r = 0; r < B; r++)
                        for (int j = 0; j < B; j++) A[B * r + j] += h[r] / s->shift[i] * g[j];
                }
            }
    }
}

bool tmli_cone_bodies_factor(tmli_cone *c, const int *order, int count, double shift)
{
    tmli_cone_bodies *s = &c->bodies;
    for (int i = 0; i < count; i++) {
        const double *W = c->point[order[i]].W;
        s->shift[i] = shift * (W[0] + W[3] + W[5]) / 3;
    }
    assemble(c, order, count);
    for (int i = 0; i < s->n; i++) {
        double *D = s->inverse + BB * (size_t)i;
        for (int j = s->first[i]; j < i; j++) {
            double *L = block_of(s, i, j), *U = block_of(s, j, i), scaled[BB] = {0};
            for (int k = s->first[i] > s->first[j] ? s->first[i] : s->first[j]; k < j; k++) {
                subtract(block_of(s, i, k), block_of(s, k, j), L);
                subtract(block_of(s, j, k), block_of(s, k, i), U);
            }
            subtract(L, s->inverse + BB * (size_t)j, scaled);
            for (int e = 0; e < BB; e++) L[e] = -scaled[e];
            subtract(L, U, D);
        }
        if (!invert(D)) return false;
    }
    return true;
}

// x -= A y
static inline void subtract_vector(const double *A, const double *y, double *x)
{
    for (int i = 0; i < B; i++)
        for (int j = 0; j < B; j++) x[i] -= A[B * i + j] * y[j];
}

void tmli_cone_bodies_substitute(tmli_cone_bodies *s)
{
    double *const v = s->velocity;
    for (int i = 0; i < s->n; i++)
        for (int j = s->first[i]; j < i; j++) subtract_vector(block_of(s, i, j), v + B * j, v + B * i);
    for (int i = s->n - 1; i >= 0; i--) {
        double x[B] = {0};
        subtract_vector(s->inverse + BB * (size_t)i, v + B * i, x);
        for (int j = 0; j < B; j++) v[B * i + j] = -x[j];
        for (int j = s->first[i]; j < i; j++) subtract_vector(block_of(s, j, i), v + B * i, v + B * j);
    }
}

void tmli_cone_bodies_solve(tmli_cone *c, const int *order, int count, double *x)
{
    tmli_cone_bodies *s = &c->bodies;
    memset(s->velocity, 0, B * (size_t)s->n * sizeof *s->velocity);
    for (int i = 0, row = 0; i < count; row += tmli_cone_rows(&c->mode[i++])) {
        const tmli_cone_point *p = &c->point[order[i]];
        for (int k = 0; k < tmli_cone_rows(&c->mode[i]); k++)
            for (int a = 0; a < 2; a++) {
                double h[B], *v = p->unit[a] < 0 ? NULL : s->velocity + B * s->place[p->unit[a]];
                if (!v) continue;
                column_of(p, &c->mode[i], a, k, h);
                for (int j = 0; j < B; j++) v[j] += h[j] * x[row + k] / s->shift[i];
            }
    }
    tmli_cone_bodies_substitute(s);
    for (int i = 0, row = 0; i < count; row += tmli_cone_rows(&c->mode[i++])) {
        const tmli_cone_point *p = &c->point[order[i]];
        for (int k = 0; k < tmli_cone_rows(&c->mode[i]); k++) {
            double u = 0;
            for (int a = 0; a < 2; a++)
                for (int j = 0; j < B && p->unit[a] >= 0; j++)
                    u += p->G[k][B * a + j] * s->velocity[B * s->place[p->unit[a]] + j];
            x[row + k] = (x[row + k] - u) / s->shift[i];
        }
    }
}
