// The contact forces of results: for each pair of shapes the sum of the forces at its points. It acts at the
// centre of the normal forces,
//   p = sum N_i p_i / sum N_i,
// about which the normal forces on a flat face have no moment.
#include "element/contact/resultant.h"

#include <math.h>
#include <stdio.h>

tml_status tmli_resultant_name(const tmli_force_builder *b, tmli_force *f, int count,
                               tmli_pair_names *names_of)
{
    tmli_arena *arena = &b->m->arena;
    if (count > TMLI_FORCE_CONTACTS) return TML_OK;  // too many for a file
    const char **all = tmli_arena_alloc(arena, (size_t)count, sizeof *all);
    if (!all) return tmli_no_memory(b->err, "model");
    for (int i = 0; i < count; i++) {
        const char *shape[2];
        names_of(f, i, shape);
        const size_t size = (size_t)snprintf(NULL, 0, "%s_%s_", shape[0], shape[1]) + 1;
        char *text = tmli_arena_alloc(arena, size, 1);
        if (!text) return tmli_no_memory(b->err, "model");
        snprintf(text, size, "%s_%s_", shape[0], shape[1]);
        all[i] = count == 1 ? "" : text;
    }
    f->ncontacts = count;
    f->contact = all;
    return TML_OK;
}

tmli_resultant tmli_resultant_none(void) { return (tmli_resultant){.gap = INFINITY}; }

void tmli_resultant_add(tmli_resultant *r, double gap, vec3 point, vec3 normal, vec3 friction)
{
    const double N = v3_norm(normal);
    if (gap < r->gap) r->nearest = point;
    r->gap = fmin(r->gap, gap);
    r->pressed = v3_axpy(N, point, r->pressed);
    r->N += N;
    r->normal = v3_add(r->normal, normal);
    r->friction = v3_add(r->friction, friction);
}

tmli_contact_force tmli_resultant_force(const tmli_resultant *r, double sign)
{
    return (tmli_contact_force){.point = r->N > 0 ? v3_scale(1 / r->N, r->pressed) : r->nearest,
                                .normal = v3_scale(sign, r->normal),
                                .friction = v3_scale(sign, r->friction)};
}
