// Drag: Q = -(c1 + c2 |v|) v for the velocity of the centre of mass, and in the same form for the angular
// velocity (body frame).
#include "element/force/force.h"

typedef struct drag {
    int body, slot;
    double c[4];  // linear, quadratic, angular linear, angular quadratic
} drag;

static tml_status build(const tmli_force_builder *b, const tmli_force_entry *e, tmli_force *f)
{
    drag *d = f->data;
    int body;
    tml_status st = tmli_model_find_body(b->spec, e->def.b, tmli_entry_mark(&e->at, "body"), &body, b->err);
    if (st == TML_OK) st = tmli_force_check_moves(b, e, "body", body);
    if (st == TML_OK && (e->def.angular_linear != 0 || e->def.angular_quadratic != 0))
        st = tmli_force_check_torque(b, e, body);
    if (st != TML_OK) return st;
    *d = (drag){.body = body,
                .c = {e->def.linear, e->def.quadratic, e->def.angular_linear, e->def.angular_quadratic}};
    return tmli_force_plan(b, f, 1, &d->body, &d->slot);
}

static void force(const tmli_force *f, const tmli_view *v, double *Q)
{
    const drag *d = f->data;
    double u[6];
    tmli_node_velocity(v->m, v->x->u, d->body, u);
    for (int part = 0; part < 2; part++) {
        const double c = d->c[2 * part] + d->c[2 * part + 1] * v3_norm(v3_from(u + 3 * part));
        for (int i = 0; i < 3; i++) Q[6 * d->slot + 3 * part + i] -= c * u[3 * part + i];
    }
}

static void tangent(const tmli_force *f, const tmli_view *v, double *H, double *D)
{
    const drag *d = f->data;
    const int width = 6 * f->plan.nslots;
    double u[6];
    (void)H;
    tmli_node_velocity(v->m, v->x->u, d->body, u);
    for (int part = 0; part < 2; part++) {
        const double speed = v3_norm(v3_from(u + 3 * part));
        const double c = d->c[2 * part] + d->c[2 * part + 1] * speed;
        const double rank1 = speed > 0 ? d->c[2 * part + 1] / speed : 0;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                D[(6 * d->slot + 3 * part + i) * width + 6 * d->slot + 3 * part + j] +=
                    (i == j ? c : 0) + rank1 * u[3 * part + i] * u[3 * part + j];
    }
}

// The torque acts on each rotation separately: a rotation at rest stays at rest.
static tmli_touch touch(const tmli_force *f, int node, vec3 *point)
{
    *point = v3(0, 0, 0);
    return ((const drag *)f->data)->body == node ? TMLI_TOUCH_POINT : TMLI_TOUCH_NONE;
}

const tmli_force_ops tmli_force_drag = {
    .work = TMLI_WORK_DAMPED,
    .size = sizeof(drag),
    .build = build,
    .force = force,
    .tangent = tangent,
    .touch = touch,
};
