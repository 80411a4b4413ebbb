// Pairs of shapes at a state; see set.h.
#include "element/contact/set.h"
#include "element/contact/near.h"

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

double tmli_contact_bound_distance(const tmli_view *v, const tmli_shape *a, const tmli_shape *b)
{
    const tmli_pose *A = tmli_pose_of(v->pose, a->body), *B = tmli_pose_of(v->pose, b->body);
    const vec3 d = v3_sub(v3_add(B->r, m3_mulv(&B->R, b->s)), v3_add(A->r, m3_mulv(&A->R, a->s)));
    if (a->type == TML_SHAPE_PLANE) return v3_dot(m3_mulv(&A->R, m3_col(&a->C, 2)), d) - b->bound;
    return v3_norm(d) - a->bound - b->bound;
}

static bool may_touch(const tmli_view *v, const tmli_shape *a, const tmli_shape *b)
{
    return tmli_contact_bound_distance(v, a, b) <= 0;
}

static void set_motion(const tmli_view *v, int node, tmli_body_motion *b)
{
    double u[6];
    const tmli_pose *pose = tmli_pose_of(v->pose, node);
    tmli_node_velocity(v->m, v->x->u, node, u);
    *b = (tmli_body_motion){
        .r = pose->r, .R = &pose->R, .v = v3_from(u), .w = m3_mulv(&pose->R, v3_from(u + 3))};
}

int tmli_contact_pair_points(const tmli_contact_set *c, const tmli_view *v, const tmli_contact_pair *p,
                             tmli_contact_here here[TMLI_PAIR_POINTS])
{
    const tmli_shape *const s[2] = {&c->shape[p->shape[0]], &c->shape[p->shape[1]]};
    const tmli_place place[2] = {place_of(v, s[0]), place_of(v, s[1])};
    tmli_contact_point point[TMLI_PAIR_POINTS];
    const int count = tmli_pair_points(p->type, s[0], &place[0], s[1], &place[1], point);
    const tmli_normal_law law = tmli_contact_set_law(c, s[0], s[1]);
    tmli_body_motion body[2];
    for (int k = 0; k < 2; k++) set_motion(v, s[k]->body, &body[k]);
    for (int i = 0; i < count; i++) {
        tmli_contact_here *h = &here[i];
        const int X = point[i].swapped;
        h->point = point[i];
        h->law = law;
        h->mode = p->shared ? p->first : p->first + i;
        h->shared = p->shared;
        h->bristle = c->first_bristle < 0 ? -1 : c->first_bristle + 2 * (p->first + i);
        h->state = (tmli_contact_state){.point = &h->point,
                                        .normal = &h->law,
                                        .tangential = &c->tangential,
                                        .body = {body[X], body[!X]},
                                        .axis = {m3_col(&place[X].A, 0), m3_col(&place[X].A, 1)}};
        h->slot[0] = c->slot[p->shape[X]];
        h->slot[1] = c->slot[p->shape[!X]];
    }
    return count;
}

// ---- pairs of a list --------------------------------------------------------------------------------------

static void visit_pair(const tmli_contact_set *c, const tmli_view *v, const tmli_contact_pair *p,
                       tmli_contact_visit *visit, void *user)
{
    tmli_contact_here here[TMLI_PAIR_POINTS];
    const int count = tmli_contact_pair_points(c, v, p, here);
    for (int k = 0; k < count; k++) visit(&here[k], user);
}

static void visit_list(const tmli_contact_set *c, const tmli_view *v, bool near, tmli_contact_visit *visit,
                       void *user)
{
    for (int i = 0; i < c->npairs; i++) {
        const tmli_contact_pair *p = &c->pair[i];
        const tmli_shape *a = &c->shape[p->shape[0]], *b = &c->shape[p->shape[1]];
        if (!near || c->first_bristle >= 0 || may_touch(v, a, b)) visit_pair(c, v, p, visit, user);
    }
}

// ---- pairs by cells ---------------------------------------------------------------------------------------

bool tmli_contact_set_is_pair(const tmli_contact_set *c, int i, int j)
{
    const int a = c->side[i], b = c->side[j];
    const bool meet = c->one_group || ((a & 1) && (b & 2)) || ((a & 2) && (b & 1));
    return meet && c->shape[i].body != c->shape[j].body;
}

int tmli_contact_set_loaded(const tmli_contact_set *c, int i, int j)
{
    const int later = i > j ? i : j, first = i > j ? j : i;
    const bool swap = !c->one_group && (c->side[first] & 2) && !(c->side[later] & 2);
    const int second = swap ? first : later;
    return c->shape[second].body >= 0 ? second : swap ? later : first;
}

size_t tmli_contact_set_scratch(const tmli_contact_set *c)
{
    const int small = c->nshapes - c->nlarge;
    return (size_t)small * (sizeof(vec3) + sizeof(double)) + tmli_near_bytes(small);
}

typedef struct sweep {
    const tmli_contact_set *c;
    const tmli_view *v;
    tmli_contact_visit *visit;
    void *user;
    const vec3 *centre;  // of the small shapes
} sweep;

static void visit_two(const sweep *s, int i, int j)
{
    const tmli_contact_set *c = s->c;
    if (!tmli_contact_set_is_pair(c, i, j)) return;
    bool swap;
    const tmli_pair_type *type = tmli_pair_find(c->shape[i].type, c->shape[j].type, &swap);
    const tmli_contact_pair p = {.type = type,
                                 .shape = {swap ? j : i, swap ? i : j},
                                 .modes = tmli_pair_count(type, c->shape[i].flat),
                                 .shared = tmli_pair_is_shared(type, c->shape[i].flat)};
    visit_pair(c, s->v, &p, s->visit, s->user);
}

// A large shape and all after it.
static void visit_large(const sweep *s, int i)
{
    const tmli_contact_set *c = s->c;
    const tmli_shape *a = &c->shape[i];
    for (int j = i + 1; j < c->nlarge; j++) {
        const bool swap = c->shape[j].type == TML_SHAPE_PLANE;
        if (may_touch(s->v, swap ? &c->shape[j] : a, swap ? a : &c->shape[j])) visit_two(s, i, j);
    }
    const tmli_place place = place_of(s->v, a);
    const vec3 normal = m3_col(&place.A, 2);
    for (int j = c->nlarge; j < c->nshapes; j++) {
        const vec3 d = v3_sub(s->centre[j - c->nlarge], place.c);
        const double most = a->bound + c->shape[j].bound;
        const bool near =
            a->type == TML_SHAPE_PLANE ? v3_dot(normal, d) <= c->shape[j].bound : v3_dot(d, d) <= most * most;
        if (near) visit_two(s, i, j);
    }
}

static void visit_small(int i, int j, void *user)
{
    const sweep *s = user;
    const tmli_shape *small = s->c->shape + s->c->nlarge;
    const vec3 d = v3_sub(s->centre[i], s->centre[j]);
    const double reach = small[i].bound + small[j].bound;
    if (v3_dot(d, d) <= reach * reach) visit_two(s, s->c->nlarge + i, s->c->nlarge + j);
}

static void visit_cells(const tmli_force *f, const tmli_view *v, tmli_contact_visit *visit, void *user)
{
    const tmli_contact_set *c = f->data;
    const int small = c->nshapes - c->nlarge;
    vec3 *const centre = (void *)(v->w->scratch + f->scratch_at);
    double *const radius = (double *)(centre + small);
    const sweep s = {c, v, visit, user, centre};
    tmli_near near = tmli_near_in(radius + small, small, c->cell);
    for (int i = 0; i < small; i++) {
        const tmli_shape *shape = &c->shape[c->nlarge + i];
        const tmli_pose *B = tmli_pose_of(v->pose, shape->body);
        centre[i] = v3_add(B->r, m3_mulv(&B->R, shape->s));
        radius[i] = shape->bound;
    }
    for (int i = 0; i < c->nlarge; i++) visit_large(&s, i);
    if (c->small_meet) tmli_near_pairs(&near, centre, radius, visit_small, (void *)&s);
}

void tmli_contact_set_visit(const tmli_force *f, const tmli_view *v, bool near, tmli_contact_visit *visit,
                            void *user)
{
    const tmli_contact_set *c = f->data;
    if (c->swept) visit_cells(f, v, visit, user);
    else visit_list(c, v, near, visit, user);
}
