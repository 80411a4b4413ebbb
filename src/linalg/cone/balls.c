// Sweeps over heaps of spheres, in a third of the memory of general points.
//
// Bodies whose answer to impulses is 1/m and 1/J in all directions, touched along lines through their
// centres, have the rows
//   u_N = n.(v_B - v_A),   u_T = t.(v_B - v_A) + a_A.w_A + a_B.w_B                                       (1)
// and answer to the impulse p = n r_N + t r_T + t' r_T' by
//   v_A -= p/m_A,   w_A += (a_A r_T + a'_A r_T')/J_A,   v_B += p/m_B,   w_B likewise                     (2)
// Normal and tangents are not coupled, and the exact local solution is a projection (point.c).
#include "linalg/cone/internal.h"

#include <math.h>
#include <string.h>

#include "linalg/cone/constants.h"

// The factor of H over G in three columns of a side; false: there is none.
static bool factor_of(const tmli_cone_point *p, int first, double *factor)
{
    double most = 0, at = 0;
    for (int k = 0; k < 3; k++)
        for (int j = first; j < first + 3; j++)
            if (fabs(p->G[k][j]) > most) {
                most = fabs(p->G[k][j]);
                at = p->H[k][j] / p->G[k][j];
            }
    *factor = at;
    for (int k = 0; k < 3; k++)
        for (int j = first; j < first + 3; j++)
            if (fabs(p->H[k][j] - at * p->G[k][j]) > ROUND_COUPLING * fabs(at) * most) return false;
    return true;
}

// out: (1), (2) of p; false: it has another form.
static bool pack(const tmli_cone *c, const tmli_cone_point *p, tmli_cone_ball *out)
{
    const int side = p->at[0] >= 0 ? 0 : 1;
    if (!p->round || p->at[side] < 0) return false;
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++) out->axis[k][j] = (side == 0 ? -1 : 1) * p->G[k][6 * side + j];
    for (int s = 0; s < 2; s++) {
        // a body that does not exist has the velocity 0 behind the last coordinate, and does not move
        out->at[s] = p->at[s] >= 0 ? p->at[s] : c->n;
        memset(out->arm[s], 0, sizeof out->arm[s]);
        out->mobility[s][0] = out->mobility[s][1] = 0;
        if (p->at[s] < 0) continue;
        for (int part = 0; part < 2; part++)
            if (!factor_of(p, 6 * s + 3 * part, &out->mobility[s][part])) return false;
        for (int j = 0; j < 3; j++) {
            const double sign = s == 0 ? -1 : 1;
            double arm = 0;
            for (int k = 0; k < 3; k++)
                if (p->G[k][6 * s + j] != sign * out->axis[k][j]) return false;
            for (int k = 1; k < 3; k++) {
                out->arm[s][k - 1][j] = p->G[k][6 * s + 3 + j];
                arm = fmax(arm, fmax(fabs(p->G[k][6 * s + 3]),
                                     fmax(fabs(p->G[k][6 * s + 4]), fabs(p->G[k][6 * s + 5]))));
            }
            if (fabs(p->G[0][6 * s + 3 + j]) > ROUND_COUPLING * arm) return false;
        }
    }
    out->W[0] = p->W[0];
    out->W[1] = p->W[3];
    out->mu = p->mu;
    out->b = p->b;
    memcpy(out->r, p->r, sizeof out->r);
    return true;
}

bool tmli_cone_balls_pack(tmli_cone *c, const int *order, int count)
{
    for (int i = 0; i < count; i++)
        if (!pack(c, &c->point[order[i]], &c->ball[i])) return false;
    return true;
}

void tmli_cone_balls_unpack(tmli_cone *c, const int *order, int count)
{
    for (int i = 0; i < count; i++) memcpy(c->point[order[i]].r, c->ball[i].r, sizeof c->ball[i].r);
}

static inline double dot(const double *x, const double *y) { return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]; }

void tmli_cone_balls_sweep(tmli_cone *c, int count)
{
    for (int i = 0; i < count; i++) {
        tmli_cone_ball *p = &c->ball[i];
        double *A = c->v + p->at[0], *B = c->v + p->at[1];
        const double d[3] = {B[0] - A[0], B[1] - A[1], B[2] - A[2]};
        const double wanted = p->r[0] - (dot(p->axis[0], d) - p->b) / p->W[0];
        const double next = wanted > 0 ? wanted : 0, most = p->mu * next;
        double t[2];
        for (int k = 0; k < 2; k++)
            t[k] = p->r[1 + k] -
                   (dot(p->axis[1 + k], d) + dot(p->arm[0][k], A + 3) + dot(p->arm[1][k], B + 3)) / p->W[1];
        const double square = t[0] * t[0] + t[1] * t[1],
                     part = square > most * most ? most / sqrt(square) : 1;
        const double dr[3] = {next - p->r[0], part * t[0] - p->r[1], part * t[1] - p->r[2]};
        for (int j = 0; j < 3; j++) {
            const double push = p->axis[0][j] * dr[0] + p->axis[1][j] * dr[1] + p->axis[2][j] * dr[2];
            A[j] -= p->mobility[0][0] * push;
            B[j] += p->mobility[1][0] * push;
            A[3 + j] += p->mobility[0][1] * (p->arm[0][0][j] * dr[1] + p->arm[0][1][j] * dr[2]);
            B[3 + j] += p->mobility[1][1] * (p->arm[1][0][j] * dr[1] + p->arm[1][1][j] * dr[2]);
        }
        p->r[0] = next;
        p->r[1] = part * t[0];
        p->r[2] = part * t[1];
    }
}
