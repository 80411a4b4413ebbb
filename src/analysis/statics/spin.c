// Velocities, accelerations and tangents of steady rotation; see spin.h.
#include "analysis/statics/spin.h"

#include "analysis/modes/axes.h"
#include "base/tolerances.h"

#include <string.h>

// Whether the angular velocity of a body is its own: that of a point mass is not, nor that of a body without
// inertia that may turn freely.
static bool turns_itself(const tml_model *model, int i)
{
    const tmli_node *node = &model->node[i];
    bool turns = false;
    for (int c = 0; c < node->ncoords; c++) turns = turns || node->local[c] >= 3;
    return turns && node->massless_rotations < (model->planar ? 1 : 3);
}

// A body that moves and does not turn: by (1) it moves straight on, which is steady if all others move along
// with it (same). *other: a body that turns, whose motion (1) is that of body i at the start; -1: none.
static void find_companion(const tmli_spin *s, int i, int *other, bool *same)
{
    const struct tmli_spin_body *b = &s->body[i];
    *same = s->model->nbodies > 1;
    *other = -1;
    for (int k = 0; k < s->model->nbodies; k++) {
        const struct tmli_spin_body *o = &s->body[k];
        const vec3 v = v3_add(o->v, v3_cross(o->O, v3_sub(b->r, o->r)));
        const bool agrees = v3_norm(v3_sub(v, b->v)) <= TMLI_AGREEMENT * v3_norm(b->v);
        *same = *same && agrees;
        if (*other < 0 && agrees && v3_norm(o->O) > 0) *other = k;
    }
}

// A body that has no angular velocity of its own turns with one whose motion is its own at the start.
static tml_status spin_bodies(tmli_spin *s, tml_error *err)
{
    bool any = false;
    for (int i = 0; i < s->model->nbodies; i++) any = any || v3_norm(s->body[i].O) > 0;
    for (int i = 0; i < s->model->nbodies; i++) {
        struct tmli_spin_body *b = &s->body[i];
        const char *name = s->model->node[i].name;
        const bool itself = turns_itself(s->model, i);
        int other;
        bool same;
        if (v3_norm(b->v) == 0 || v3_norm(b->O) > 0) continue;
        find_companion(s, i, &other, &same);
        if (other < 0 && same) continue;
        b->carried = other >= 0 && !itself;
        if (b->carried) b->O = s->body[other].O;
        else if (!itself)
            return tmli_fail(err, TML_ERR_MODEL,
                             "'%s' is a point mass that moves with no body that turns: a steady rotation has "
                             "an angular velocity. Give it an inertia and an angular_velocity",
                             name);
        else if (any)
            return tmli_fail(err, TML_ERR_MODEL,
                             "'%s' moves straight on beside bodies that turn, which is no steady rotation. "
                             "Give it its angular_velocity",
                             name);
    }
    return TML_OK;
}

tml_status tmli_spin_init(tmli_spin *s, const tml_model *model, const tml_state *x, bool own, bool *found,
                          tml_error *err)
{
    *s = (tmli_spin){.model = model};
    if (found) *found = false;
    s->body = tmli_calloc(&model->env, (size_t)model->nbodies + 1, sizeof *s->body);
    if (!s->body) return tmli_no_memory(err, "statics");
    for (int i = 0; i < model->nbodies; i++) {
        struct tmli_spin_body *b = &s->body[i];
        const mat3 R = tmli_node_orientation(x, i);
        b->r = v3_from(x->q + 7 * i);
        b->v = tmli_node_component(&model->node[i], x->u, 0);
        b->O = tmli_node_spin(model, x, i);
        b->w = m3_tmulv(&R, b->O);
        const double turns = v3_norm(b->O);
        const bool in_place = turns > 0 && v3_norm(b->v) <= TMLI_AGREEMENT * turns * model->length;
        b->own = own && in_place;
        if (found && in_place) *found = true;
    }
    return spin_bodies(s, err);
}

void tmli_spin_clear(tmli_spin *s)
{
    if (s->model) tmli_free(&s->model->env, s->body);
    *s = (tmli_spin){0};
}

void tmli_spin_apply(const tmli_spin *s, tml_state *x)
{
    for (int i = 0; i < s->model->nbodies; i++) {
        const tmli_node *node = &s->model->node[i];
        const struct tmli_spin_body *b = &s->body[i];
        const mat3 R = tmli_node_orientation(x, i);
        const vec3 v = v3_add(b->v, v3_cross(b->O, v3_sub(v3_from(x->q + 7 * i), b->r)));
        double u[6] = {0}, udot[6] = {0};
        if (!b->own) v3_store(v, u);
        if (!b->carried) v3_store(b->own ? b->w : m3_tmulv(&R, b->O), u + 3);
        if (!b->own) v3_store(v3_cross(b->O, v), udot);
        for (int c = 0; c < node->ncoords; c++) {
            x->u[node->first + c] = u[node->local[c]];
            x->udot[node->first + c] = udot[node->local[c]];
        }
    }
}

// Columns of the blocks T and A of (2) of a body, for its six coordinates
static void calc_blocks(const tmli_spin *s, const tml_state *x, int body, double T[6][6], double A[6][6])
{
    const mat3 R = tmli_node_orientation(x, body);
    const vec3 O = s->body[body].O, w = s->body[body].carried ? v3(0, 0, 0) : m3_tmulv(&R, O);
    memset(T, 0, 36 * sizeof(double));
    memset(A, 0, 36 * sizeof(double));
    for (int c = 0; c < 3; c++) {
        const vec3 axis = v3(c == 0, c == 1, c == 2), turned = v3_cross(O, axis);
        v3_store(turned, T[c]);
        v3_store(v3_cross(w, axis), T[3 + c] + 3);
        v3_store(v3_cross(O, turned), A[c]);
    }
}

void tmli_spin_tangent(const tmli_spin *s, const tml_state *x, const double *M, const double *D,
                       double *values)
{
    const tml_pattern *p = s->model->pattern;
    const int n = s->model->n;
    double T[6][6], A[6][6];
    for (int b = 0; b < s->model->nbodies; b++) {
        const tmli_node *node = &s->model->node[b];
        if (s->body[b].own || v3_norm(s->body[b].O) == 0) continue;  // (3) does not depend on d
        calc_blocks(s, x, b, T, A);
        for (int j = 0; j < node->ncoords; j++) {
            const int32_t begin = p->colptr[node->first + j], count = p->colptr[node->first + j + 1] - begin;
            for (int32_t k = 0; k < count && p->rowind[begin + k] < n; k++)
                for (int c = 0; c < node->ncoords; c++) {  // columns of a block have the same rows
                    const int32_t at = p->colptr[node->first + c] + k;
                    const int to = node->local[c], from = node->local[j];
                    values[begin + k] += D[at] * T[from][to] + M[at] * A[from][to];
                }
        }
    }
}
