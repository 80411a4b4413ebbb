// Robots: creation, states, frames.
#include "robot/robot.h"

#include <math.h>
#include <string.h>

#include "system/multibody/multibody.h"
#include "system/state/first_order.h"

// ---- creation ---------------------------------------------------------------------------------------------

void tml_robot_destroy(tml_robot *r)
{
    if (!r) return;
    if (r->y) tml_state_destroy(r->y, r->sys);
    if (r->work) r->sys->ops->destroy_work(r->work);
    tmli_redundant_rows_clear(&r->redundant);
    tml_system_destroy(r->sys);
    tmli_arena_clear(&r->arena);
    const tml_env env = r->env;
    tmli_free(&env, r);
}

static tml_status allocate(tml_robot *r, tml_error *err)
{
    const size_t n = (size_t)r->sys->n, all = n + (size_t)r->sys->m;
    const size_t entries = (size_t)r->sys->rowptr[r->sys->m];
    const bool room = tmli_arena_alloc_all(
        &r->arena, TMLI_ARRAY(r->M, n * n), TMLI_ARRAY(r->D, n * n), TMLI_ARRAY(r->K, n * n),
        TMLI_ARRAY(r->A, all * all), TMLI_ARRAY(r->right, 3 * all * n), TMLI_ARRAY(r->rows, 2 * entries),
        TMLI_ARRAY(r->jacobian, 12 * n + 1), TMLI_ARRAY(r->pivot, all + 1));
    return room ? TML_OK : tmli_no_memory(err, "robot");
}

void tmli_robot_columns(const tml_robot *r, int rows, const double *from, double *to)
{
    for (int i = 0; i < rows; i++) memcpy(to + i * r->n, from + i * r->sys->n, (size_t)r->n * sizeof *to);
}

// Time, inputs, modes, angles and first-order states of the start of the model; joints at zero.
static tml_status start(tml_robot *r, tml_error *err)
{
    const tml_system *base = tml_model_system(r->model);
    tml_state *x = NULL;
    tml_status st = tml_state_create(base, &x, err);
    if (st != TML_OK) return st;
    tml_model_start(r->model, tml_model_run(r->model)->start, x);
    r->y->t = x->t;
    memcpy(r->y->input, x->input, 2 * (size_t)x->ninput * sizeof *x->input);
    r->y->input_t = x->input_t;
    memcpy(r->y->mode, x->mode, (size_t)x->nmode * sizeof *x->mode);
    memcpy(r->y->angle, x->angle, (size_t)x->na * sizeof *x->angle);
    tmli_joint_space_zero(r->sys, r->y->q);
    const size_t nz = (size_t)base->nz;
    memcpy(r->y->u + r->n, x->u + base->n - nz, nz * sizeof *x->u);
    memcpy(r->y->q + r->nq, x->q + base->nq - 2 * nz, 2 * nz * sizeof *x->q);
    tml_state_destroy(x, base);
    tmli_robot_moved(r);
    return TML_OK;
}

tml_status tml_robot_create(const tml_model *model, tml_robot **out, tml_error *err)
{
    if (out) *out = NULL;
    if (!model || !out) return tmli_null_argument(err, "tml_robot_create");
    const tml_system *base = tml_model_system(model);
    tml_robot *r = tmli_calloc(&base->env, 1, sizeof *r);
    if (!r) return tmli_no_memory(err, "robot");
    r->env = base->env;
    r->arena.env = &r->env;
    r->model = model;
    tml_status st = tmli_joint_space_create_unswitched(base, &r->sys, err);
    if (st == TML_OK) {
        r->n = tmli_mechanical(r->sys);
        r->nq = r->sys->nq - 2 * r->sys->nz;
        r->work = r->sys->ops->create_work(r->sys->self, &r->env);
        if (!r->work) st = tmli_no_memory(err, "robot");
    }
    if (st == TML_OK) st = tml_state_create(r->sys, &r->y, err);
    if (st == TML_OK) st = allocate(r, err);
    if (st == TML_OK && r->sys->m > 0) st = tmli_redundant_rows_create(r->sys, NULL, &r->redundant, err);
    if (st == TML_OK) st = tmli_robot_name_coordinates(r, err);
    if (st == TML_OK) st = start(r, err);
    if (st != TML_OK) {
        tml_robot_destroy(r);
        return st;
    }
    *out = r;
    return TML_OK;
}

int tml_robot_n(const tml_robot *r) { return r ? r->n : 0; }
int tml_robot_nq(const tml_robot *r) { return r ? r->nq : 0; }
int tml_robot_row_count(const tml_robot *r) { return r ? r->sys->m : 0; }
const double *tml_robot_q(const tml_robot *r) { return r ? r->y->q : NULL; }
const double *tml_robot_u(const tml_robot *r) { return r ? r->y->u : NULL; }

const tml_robot_coordinate *tml_robot_get_coordinate(const tml_robot *r, int index)
{
    return r && index >= 0 && index < r->n ? &r->coords[index] : NULL;
}

// ---- state ------------------------------------------------------------------------------------------------

static bool all_finite(const double *x, int n)
{
    bool finite = true;
    for (int i = 0; i < n; i++) finite = finite && isfinite(x[i]);
    return finite;
}

// The first coordinate of a quaternion of length 0; -1: none.
static int empty_quaternion(const tml_robot *r, const double *q)
{
    for (int j = 0; j < r->n; j++) {
        const double *p = q + r->coords[j].q;
        if (r->coords[j].quaternion && !(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3] > 0)) return j;
    }
    return -1;
}

void tmli_robot_moved(tml_robot *r)
{
    const tml_system *s = r->sys;
    if (s->ops->accept) s->ops->accept(s->self, r->work, r->y);
    if (r->y->nmode > 0) s->ops->switch_modes(s->self, r->work, r->y, NULL, true, NULL);
}

tml_status tml_robot_set(tml_robot *r, const double *q, const double *u, tml_error *err)
{
    if (!r || !q) return tmli_null_argument(err, "tml_robot_set");
    if (!all_finite(q, r->nq) || (u && !all_finite(u, r->n)))
        return tmli_fail(err, TML_ERR_ARG, "tml_robot_set: q and u must be finite");
    const int empty = empty_quaternion(r, q);
    if (empty >= 0)
        return tmli_fail(err, TML_ERR_ARG, "tml_robot_set: the quaternion of '%s' is zero",
                         r->coords[empty].name);
    memcpy(r->y->q, q, (size_t)r->nq * sizeof *q);
    for (int j = 0; j < r->n; j++) {
        double *p = r->y->q + r->coords[j].q;
        if (r->coords[j].quaternion) q_store(q_normalize(q_from(p)), p);
    }
    if (u) memcpy(r->y->u, u, (size_t)r->n * sizeof *u);
    else memset(r->y->u, 0, (size_t)r->n * sizeof *r->y->u);
    tmli_robot_moved(r);
    return TML_OK;
}

tml_status tml_robot_set_state(tml_robot *r, const tml_state *x, tml_error *err)
{
    if (!r || !x) return tmli_null_argument(err, "tml_robot_set_state");
    const tml_system *base = tml_model_system(r->model);
    if (x->nq != base->nq || x->n != base->n || x->m != base->m)
        return tmli_fail(err, TML_ERR_ARG, "tml_robot_set_state: the state belongs to another model");
    return tmli_joint_space_from_base(r->sys, r->work, x, r->y, err);
}

tml_status tml_robot_get_state(tml_robot *r, tml_state *x, tml_error *err)
{
    if (!r || !x) return tmli_null_argument(err, "tml_robot_get_state");
    const tml_system *base = tml_model_system(r->model);
    if (x->nq != base->nq || x->n != base->n || x->m != base->m)
        return tmli_fail(err, TML_ERR_ARG, "tml_robot_get_state: the state belongs to another model");
    tmli_joint_space_to_base(r->sys, r->work, r->y, x);
    return TML_OK;
}

tml_status tml_robot_set_input(tml_robot *r, int input, double value, tml_error *err)
{
    if (!r) return tmli_null_argument(err, "tml_robot_set_input");
    if (input < 0 || input >= r->y->ninput)
        return tmli_fail(err, TML_ERR_ARG, "there is no input %d; the model has %d inputs", input,
                         r->y->ninput);
    if (!isfinite(value)) return tmli_fail(err, TML_ERR_ARG, "input %d: its value must be finite", input);
    r->y->input[2 * input] = value;
    r->y->input[2 * input + 1] = 0;
    return TML_OK;
}

// ---- frames -----------------------------------------------------------------------------------------------

tml_status tml_robot_find_frame(const tml_spec *spec, const char *name, tml_robot_frame *out, tml_error *err)
{
    if (!spec || !name || !out) return tmli_null_argument(err, "tml_robot_find_frame");
    tmli_marker marker;
    const tml_status st = tmli_model_find_frame(spec, NULL, name, (tml_mark){0}, &marker, err);
    if (st != TML_OK) return st;
    out->body = marker.body;
    v3_store(marker.s, out->point);
    memcpy(out->axes, marker.C.m, sizeof out->axes);
    return TML_OK;
}

static tml_status check_frame(const tml_robot *r, const tml_robot_frame *f, tml_error *err)
{
    if (f->body < -1 || f->body >= r->model->nbodies)
        return tmli_fail(err, TML_ERR_ARG, "frame: there is no body %d; the model has %d", f->body,
                         r->model->nbodies);
    if (!all_finite(f->point, 3) || !all_finite(f->axes, 9))
        return tmli_fail(err, TML_ERR_ARG, "frame: its point and axes must be finite");
    return TML_OK;
}

tmli_pose tmli_robot_frame_pose(tml_robot *r, const double *q, const tml_robot_frame *f)
{
    tmli_pose x;
    mat3 axes;
    memcpy(axes.m, f->axes, sizeof axes.m);
    tmli_joint_space_pose(r->sys, r->work, q, f->body, &x);
    const vec3 p = v3_add(x.r, m3_mulv(&x.R, v3_from(f->point)));
    return (tmli_pose){.r = f->body < 0 ? p : tmli_model_place(r->model, p), .R = m3_mul(&x.R, &axes)};
}

tml_status tml_robot_pose(tml_robot *r, const tml_robot_frame *f, double *position, double *axes,
                          tml_error *err)
{
    if (!r || !f) return tmli_null_argument(err, "tml_robot_pose");
    const tml_status st = check_frame(r, f, err);
    if (st != TML_OK) return st;
    const tmli_pose x = tmli_robot_frame_pose(r, r->y->q, f);
    if (position) v3_store(x.r, position);
    if (axes) memcpy(axes, x.R.m, sizeof x.R.m);
    return TML_OK;
}

tml_status tml_robot_jacobian(tml_robot *r, const tml_robot_frame *f, double *J, double *rate, tml_error *err)
{
    if (!r || !f || !J) return tmli_null_argument(err, "tml_robot_jacobian");
    const tml_status st = check_frame(r, f, err);
    if (st != TML_OK) return st;
    double *change = r->jacobian + 6 * (size_t)r->sys->n;
    tmli_joint_space_jacobian(r->sys, r->work, r->y, f->body, v3_from(f->point), r->jacobian, change);
    tmli_robot_columns(r, 6, r->jacobian, J);
    if (rate) tmli_robot_columns(r, 6, change, rate);
    return TML_OK;
}
