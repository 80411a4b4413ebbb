// An island by splitting: the motion of its bodies with springs e at all points, and the law of each point
// for itself, in turn. With z the velocities of points that obey the law, shifts e and the relaxation a:
//   motion   v := (1 + P G'G/e)^-1 (v_free + P G'(z/e + r))                                              (1)
//   law      y = a G v + (1 - a) z - e r,   r, z := the solution of (2) of cone.h for z = y + e r        (2)
// This is the method of Douglas and Rachford (Trans. Amer. Math. Soc. 82 (1956) 421), also known as ADMM. The
// matrix of (1) is factored once (bodies.c); since e is a multiple of 1, (2) is a projection on a disc. A
// fixed point obeys the law of Coulomb itself, not its convex relative. What the springs hide from a sweep,
// columns that bend and heavy bodies on light ones, (1) moves at once; sweeps afterwards remove what is
// local.
#include "linalg/cone/internal.h"

#include <math.h>
#include <string.h>

#include "linalg/cone/constants.h"

// (1): velocities of c->bodies from c->free.
static void move_bodies(tmli_cone *c, const int *order, int count)
{
    tmli_cone_bodies *s = &c->bodies;
    for (int i = 0; i < count; i++) {
        const tmli_cone_point *p = &c->point[order[i]];
        for (int a = 0; a < 2; a++)
            if (p->unit[a] >= 0)
                memcpy(s->velocity + 6 * s->place[p->unit[a]], c->free + p->at[a], 6 * sizeof(double));
    }
    for (int i = 0; i < count; i++) {
        const tmli_cone_point *p = &c->point[order[i]];
        double x[3];
        for (int k = 0; k < 3; k++) x[k] = c->split[3 * i + k] / s->shift[i] + p->r[k];
        for (int a = 0; a < 2; a++) {
            if (p->unit[a] < 0) continue;
            double *v = s->velocity + 6 * s->place[p->unit[a]];
            const double *h = p->H[0] + 6 * a;
            for (int j = 0; j < 6; j++) v[j] += x[0] * h[j] + x[1] * h[12 + j] + x[2] * h[24 + j];
        }
    }
    tmli_cone_bodies_substitute(s);
}

// (2)
static void obey(tmli_cone *c, const int *order, int count)
{
    tmli_cone_bodies *s = &c->bodies;
    for (int i = 0; i < count; i++) {
        tmli_cone_point *p = &c->point[order[i]];
        const double e = s->shift[i];
        double y[3], *z = c->split + 3 * i;
        for (int k = 0; k < 3; k++) {
            double u = 0;
            for (int a = 0; a < 2; a++)
                for (int j = 0; j < 6 && p->unit[a] >= 0; j++)
                    u += p->G[k][6 * a + j] * s->velocity[6 * s->place[p->unit[a]] + j];
            y[k] = SPLIT_RELAXATION * u + (1 - SPLIT_RELAXATION) * z[k] - e * p->r[k];
        }
        const double load = fmax(0, (p->b - y[0]) / e), most = p->mu * load;
        const double size = sqrt(y[1] * y[1] + y[2] * y[2]) / e, part = size > most ? most / size : 1;
        p->r[0] = load;
        p->r[1] = -part * y[1] / e;
        p->r[2] = -part * y[2] / e;
        for (int k = 0; k < 3; k++) z[k] = y[k] + e * p->r[k];
    }
}

// The residual of the present impulses after sweeps; they themselves stay as they are. Kept if it is less.
static double test(tmli_cone *c, const int *order, int count, double residual)
{
    tmli_cone_copy_velocities(c, order, count, c->free, c->v);
    for (int i = 0; i < count; i++) {
        const tmli_cone_point *p = &c->point[order[i]];
        memcpy(c->rhs + 3 * i, p->r, sizeof p->r);
        tmli_cone_push(c, p, p->r);
    }
    for (int j = 0; j < SPLIT_SWEEPS; j++) tmli_cone_sweep(c, order, count);
    const double found = tmli_cone_island_residual(c, order, count);
    if (found < residual) tmli_cone_keep(c, order, count);
    for (int i = 0; i < count; i++) memcpy(c->point[order[i]].r, c->rhs + 3 * i, sizeof c->point->r);
    return fmin(found, residual);
}

double tmli_cone_split(tmli_cone *c, const int *order, int count, int cycle, double residual, double wanted)
{
    // springs from soft to hard: soft ones for sliding, hard ones for large ratios of masses
    static const double shift[] = {0.1, 0.01, 1, 0.001};
    tmli_cone_keep(c, order, count);
    for (int i = 0; i < count; i++) {
        tmli_cone_velocity(c, &c->point[order[i]], c->split + 3 * i);
        c->mode[i].kind = TMLI_CONE_STICK;
    }
    for (int i = 0; i < count; i++) {
        const tmli_cone_point *p = &c->point[order[i]];
        const double dr[3] = {-p->r[0], -p->r[1], -p->r[2]};
        tmli_cone_push(c, p, dr);
    }
    tmli_cone_copy_velocities(c, order, count, c->v, c->free);
    if (tmli_cone_bodies_factor(c, order, count, shift[cycle % 4]))
        for (int k = 1; k <= SPLIT_ITERATIONS && residual > wanted; k++) {
            move_bodies(c, order, count);
            obey(c, order, count);
            if (k % SPLIT_PER_TEST == 0) residual = test(c, order, count, residual);
        }
    tmli_cone_restore(c, order, count);
    return residual;
}
