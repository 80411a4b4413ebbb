// Captured contacts of a model (element/contact/captured.h), for methods of time stepping.
#include "element/contact/captured.h"
#include "system/multibody/multibody.h"

int tmli_mb_captured_room(const tml_model *m)
{
    int room = 0;
    for (int i = 0; i < m->nforces; i++) room += tmli_captured_room(&m->force[i]);
    return room;
}

int tmli_mb_captured_points(const tml_model *m, tmli_work *w, const tml_state *x, double h,
                            tmli_captured_point *out, int room)
{
    tmli_mb_set_poses(m, w, x->q);
    const tmli_view v = {.m = m, .x = x, .pose = w->pose, .w = w};
    int count = 0;
    for (int i = 0; i < m->nforces; i++) {
        if (tmli_captured_room(&m->force[i]) == 0) continue;
        const int more = tmli_captured_points(&m->force[i], &v, i, h, out + count, room - count);
        if (more < 0) return -1;
        count += more;
    }
    return count;
}

bool tmli_mb_mark_acted(const tml_model *m, bool *acted)
{
    bool any = m->nconstraints > 0;
    for (int j = 0; j < m->n; j++) acted[j] = false;
    for (int i = 0; i < m->nforces; i++) {
        const tmli_force *f = &m->force[i];
        if (tmli_captured_room(f) > 0) continue;
        any = true;
        for (int k = 0; k < f->plan.nact; k++) acted[f->plan.global[k]] = true;
    }
    return any;
}
