// Turning axes: their rates, the rotation that accelerations show, and their names.
#include "analysis/modes/axes.h"
#include "linalg/dense/lapack.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/modes/constants.h"

void tmli_steady_rate(const tmli_steady *s, int n, const double *x, double *out)
{
    memset(out, 0, (size_t)n * sizeof *out);
    for (int i = 0; i < s->count; i++) {
        const tmli_turn *t = &s->turn[i];
        double from[3], to[3];
        for (int c = 0; c < 3; c++) from[c] = t->at[c] < 0 ? 0 : x[t->at[c]];
        v3_store(v3_cross(t->rate, v3_from(from)), to);
        for (int c = 0; c < 3; c++)
            if (t->at[c] >= 0) out[t->at[c]] = to[c];
    }
}

void tmli_steady_turn(const tmli_steady *s, double time, double *x)
{
    for (int i = 0; i < s->count; i++) {
        const tmli_turn *t = &s->turn[i];
        const mat3 R = q_matrix(tmli_so3_exp(v3_scale(time, t->rate)));
        double from[3], to[3];
        for (int c = 0; c < 3; c++) from[c] = t->at[c] < 0 ? 0 : x[t->at[c]];
        v3_store(m3_mulv(&R, v3_from(from)), to);
        for (int c = 0; c < 3; c++)
            if (t->at[c] >= 0) x[t->at[c]] = to[c];
    }
}

void tmli_steady_add(tmli_steady *s, const tml_model *m, const tml_state *x, int body, vec3 translation,
                     vec3 rotation)
{
    const tmli_node *node = &m->node[body];
    const mat3 R = tmli_node_orientation(x, body);
    const vec3 w = tmli_node_component(node, x->u, 3);
    tmli_turn t[2] = {{{-1, -1, -1}, translation}, {{-1, -1, -1}, v3_sub(m3_tmulv(&R, rotation), w)}};
    for (int c = 0; c < node->ncoords; c++) t[node->local[c] / 3].at[node->local[c] % 3] = node->first + c;
    for (int k = 0; k < 2; k++)
        if (v3_norm(t[k].rate) > 0) s->turn[s->count++] = t[k];
}

void tmli_steady_move(const tml_system *sys, const tml_model *m, const tmli_body_axes *axes,
                      const tmli_steady *s, const tml_state *x, double time, double *d, double *spin,
                      tml_state *y)
{
    tml_state_copy(y, x);
    memset(spin, 0, (size_t)sys->n * sizeof *spin);
    for (int j = 0; j < sys->n; j++) d[j] = time * x->u[j];
    for (int i = 0; m && i < m->nbodies; i++) {
        const tmli_node *node = &m->node[i];
        const mat3 R = tmli_node_orientation(x, i),
                   T = tmli_so3_tangent(v3_scale(-time, axes[i].translation));
        const vec3 dr = m3_mulv(&T, tmli_node_component(node, x->u, 0)),
                   turn = m3_tmulv(&R, axes[i].rotation),
                   rest = v3_sub(tmli_node_component(node, x->u, 3), turn);
        double first[6], second[6] = {0};
        v3_store(v3_scale(time, dr), first);
        v3_store(v3_scale(time, turn), first + 3);
        v3_store(v3_scale(time, rest), second + 3);
        for (int c = 0; c < node->ncoords; c++) {
            d[node->first + c] = first[node->local[c]];
            spin[node->first + c] = second[node->local[c]];
        }
    }
    sys->ops->retract(sys->self, x->q, d, y->q);
    sys->ops->retract(sys->self, y->q, spin, y->q);
    tmli_steady_turn(s, time, y->u);
    for (int j = sys->n - sys->nz; j < sys->n; j++) y->u[j] += time * x->udot[j];
    y->t += time;
}

vec3 tmli_node_component(const tmli_node *node, const double *u, int first)
{
    double x[3] = {0};
    for (int c = 0; c < node->ncoords; c++)
        if (node->local[c] / 3 == first / 3) x[node->local[c] - first] = u[node->first + c];
    return v3_from(x);
}

mat3 tmli_node_orientation(const tml_state *x, int node) { return q_matrix(q_from(x->q + 7 * node + 3)); }

vec3 tmli_node_spin(const tml_model *m, const tml_state *x, int node)
{
    const mat3 R = tmli_node_orientation(x, node);
    return m3_mulv(&R, tmli_node_component(&m->node[node], x->u, 3));
}

// (3) in the sense of least squares: (sum v^2 - v v') O = sum v x vdot. Directions of O with an eigenvalue of
// zero are not determined.
vec3 tmli_steady_rotation(const tml_model *m, const tml_state *x, const int *part_of, int part, double rate,
                          mat3 *undetermined)
{
    double A[9] = {0}, e[3] = {0}, work[32];
    vec3 rhs = v3(0, 0, 0);
    for (int i = 0; i < m->nbodies; i++) {
        if (part_of && part_of[i] != part) continue;
        const tmli_node *node = &m->node[i];
        const mat3 R = tmli_node_orientation(x, i);
        for (int first = 0; first < 6; first += 3) {
            const double unit = first == 0 ? m->length : 1;
            vec3 v = v3_scale(1 / unit, tmli_node_component(node, x->u, first));
            vec3 a = v3_scale(1 / unit, tmli_node_component(node, x->udot, first));
            if (first == 3) {
                v = m3_mulv(&R, v);
                a = m3_mulv(&R, a);
            }
            const mat3 vv = m3_outer(v, v);
            for (int k = 0; k < 9; k++) A[k] += (k % 4 == 0) * v3_dot(v, v) - vv.m[k];
            rhs = v3_add(rhs, v3_cross(v, a));
        }
    }
    const int three = 3, lwork = 32;
    int info = 0;
    tmli_dsyev("V", "U", &three, A, &three, e, work, &lwork, &info, 1,
               1);  // A is symmetric: any storage order
    vec3 least = v3(0, 0, 0);
    mat3 rest = {{0}};
    for (int k = 0; k < 3; k++) {
        const vec3 axis = v3_from(A + 3 * k);
        if (e[k] > TMLI_INPUT_ERROR * TMLI_INPUT_ERROR * fmax(e[2], DBL_MIN)) {
            least = v3_axpy(v3_dot(axis, rhs) / e[k], axis, least);
        } else {
            const mat3 P = m3_outer(axis, axis);
            rest = m3_add(&rest, &P);
        }
    }
    if (undetermined) *undetermined = rest;
    return v3_norm(least) <= TMLI_INPUT_ERROR * rate ? v3(0, 0, 0) : least;
}

static double without_noise(double x, double size) { return fabs(x) <= TMLI_AGREEMENT * size ? 0 : x; }

void tmli_steady_describe(const tmli_steady *s, bool known, char *text, size_t size)
{
    static const char *const words[] = {
        [TMLI_AXES_FIXED] = "inertial axes",
        [TMLI_AXES_BODIES] = "inertial axes, rotations in the axes of their bodies",
        [TMLI_AXES_OWN] = "axes that turn with the bodies",
    };
    const double speed = v3_norm(s->omega);
    if (s->axes == TMLI_AXES_TURNING)
        snprintf(text, size, "axes that turn with (%.4g, %.4g, %.4g) rad/s", without_noise(s->omega.x, speed),
                 without_noise(s->omega.y, speed), without_noise(s->omega.z, speed));
    else snprintf(text, size, "%s", known ? words[s->axes] : "the coordinates of the system");
}
