// Pairs of shapes at a state; see set.h.
#include "element/contact/set.h"

#include <math.h>

// Hertz: k = 4/3 E' sqrt(R), 1/E' = (1 - nu_a^2)/E_a + (1 - nu_b^2)/E_b, 1/R = 1/R_a + 1/R_b. A flat shape
// has no 1/R, one without Young's modulus is rigid.
static double hertz_stiffness(const tmli_shape *a, const tmli_shape *b)
{
    double compliance = 0, curvature = 0;
    for (int i = 0; i < 2; i++) {
        const tmli_shape *s = i == 0 ? a : b;
        if (s->youngs_modulus > 0) compliance += (1 - s->poisson * s->poisson) / s->youngs_modulus;
        const double r = tmli_shape_curvature_radius(s);
        if (r > 0) curvature += 1 / r;
    }
    return 4.0 / 3 / (compliance * sqrt(curvature));
}

tmli_normal_law tmli_contact_set_law(const tmli_contact_set *c, const tmli_shape *a, const tmli_shape *b)
{
    tmli_normal_law l = c->law;
    if (isnan(l.k)) l.k = hertz_stiffness(a, b);
    if (c->zeta > 0) {
        const double mass = 1 / (a->inverse_mass + b->inverse_mass);
        l.c = l.law == TML_CONTACT_LINEAR ? 2 * c->zeta * sqrt(l.k * mass) : c->zeta * sqrt(5 * l.k * mass);
    }
    return l;
}

static tmli_place place_of(const tmli_view *v, const tmli_shape *s)
{
    return tmli_shape_place(s, tmli_pose_of(v->pose, s->body));
}

// False if the spheres around two shapes are apart; around a shape over a plane: if it is above.
static bool may_touch(const tmli_view *v, const tmli_shape *a, const tmli_shape *b)
{
    const tmli_pose *A = tmli_pose_of(v->pose, a->body), *B = tmli_pose_of(v->pose, b->body);
    const vec3 d = v3_sub(v3_add(B->r, m3_mulv(&B->R, b->s)), v3_add(A->r, m3_mulv(&A->R, a->s)));
    if (a->type == TML_SHAPE_PLANE) return v3_dot(m3_mulv(&A->R, m3_col(&a->C, 2)), d) <= tmli_shape_bound(b);
    const double reach = tmli_shape_bound(a) + tmli_shape_bound(b);
    return v3_dot(d, d) <= reach * reach;
}

static void set_motion(const tmli_view *v, int node, tmli_body_motion *b)
{
    double u[6];
    const tmli_pose *pose = tmli_pose_of(v->pose, node);
    tmli_node_velocity(v->m, v->x->u, node, u);
    *b = (tmli_body_motion){
        .r = pose->r, .R = &pose->R, .v = v3_from(u), .w = m3_mulv(&pose->R, v3_from(u + 3))};
}

void tmli_contact_pair_points(const tmli_contact_set *c, const tmli_view *v, const tmli_contact_pair *p,
                              tmli_contact_here here[TMLI_PAIR_POINTS])
{
    const tmli_shape *const s[2] = {&c->shape[p->shape[0]], &c->shape[p->shape[1]]};
    const tmli_place place[2] = {place_of(v, s[0]), place_of(v, s[1])};
    tmli_contact_point point[TMLI_PAIR_POINTS];
    p->type->points(s[0], &place[0], s[1], &place[1], point);
    const tmli_normal_law law = tmli_contact_set_law(c, s[0], s[1]);
    tmli_body_motion body[2];
    for (int k = 0; k < 2; k++) set_motion(v, s[k]->body, &body[k]);
    for (int i = 0; i < p->points; i++) {
        tmli_contact_here *h = &here[i];
        const int X = point[i].swapped;
        h->point = point[i];
        h->law = law;
        h->mode = p->first + i;
        h->bristle = c->first_bristle < 0 ? -1 : c->first_bristle + 2 * (p->first + i);
        h->state = (tmli_contact_state){.point = &h->point,
                                        .normal = &h->law,
                                        .tangential = &c->tangential,
                                        .body = {body[X], body[!X]},
                                        .axis = {m3_col(&place[X].A, 0), m3_col(&place[X].A, 1)}};
        h->slot[0] = c->slot[p->shape[X]];
        h->slot[1] = c->slot[p->shape[!X]];
    }
}

void tmli_contact_set_visit(const tmli_contact_set *c, const tmli_view *v, bool near,
                            tmli_contact_visit *visit, void *user)
{
    for (int i = 0; i < c->npairs; i++) {
        const tmli_contact_pair *p = &c->pair[i];
        tmli_contact_here here[TMLI_PAIR_POINTS];
        if (near && c->first_bristle < 0 && !may_touch(v, &c->shape[p->shape[0]], &c->shape[p->shape[1]]))
            continue;
        tmli_contact_pair_points(c, v, p, here);
        for (int k = 0; k < p->points; k++) visit(&here[k], user);
    }
}
