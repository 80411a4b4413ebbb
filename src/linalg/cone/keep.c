// What an island has reached, to return to it after a trial that failed: not by subtraction of impulses,
// since those of a matrix that is nearly singular are huge.
#include "linalg/cone/internal.h"

#include <string.h>

void tmli_cone_copy_velocities(const tmli_cone *c, const int *order, int count, const double *from,
                               double *to)
{
    bool far = false;
    for (int i = 0; i < count; i++) {
        const tmli_cone_point *p = &c->point[order[i]];
        far = far || p->far >= 0;
        for (int side = 0; side < 2; side++)
            if (p->at[side] >= 0) memcpy(to + p->at[side], from + p->at[side], 6 * sizeof *to);
    }
    for (int j = 0; j < c->nfar && far; j++) to[c->far_at[j]] = from[c->far_at[j]];
}

void tmli_cone_keep(tmli_cone *c, const int *order, int count)
{
    for (int i = 0; i < count; i++) memcpy(c->save + 3 * i, c->point[order[i]].r, sizeof c->point->r);
    tmli_cone_copy_velocities(c, order, count, c->v, c->kept);
}

void tmli_cone_restore(tmli_cone *c, const int *order, int count)
{
    for (int i = 0; i < count; i++) memcpy(c->point[order[i]].r, c->save + 3 * i, sizeof c->point->r);
    tmli_cone_copy_velocities(c, order, count, c->kept, c->v);
}
