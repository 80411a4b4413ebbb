// The iteration matrix of a multibody model: local matrices of nodes, forces and constraints, scattered
// according to their plans.
#include "system/multibody/multibody.h"
#include "system/state/inactive.h"

#include <string.h>

void tmli_mb_node_blocks(const tml_model *m, int i, const tml_state *x, double M[36], double D[36])
{
    const tmli_node *node = &m->node[i];
    double v[6];
    memset(M, 0, 36 * sizeof(double));
    memset(D, 0, 36 * sizeof(double));
    tmli_node_velocity(m, x->u, i, v);
    const vec3 w = v3_from(v + 3);
    const mat3 w_skew = m3_skew(w), Jw_skew = m3_skew(m3_mulv(&node->J, w));
    const mat3 wJ = m3_mul(&w_skew, &node->J);
    for (int r = 0; r < 3; r++) {
        M[7 * r] = node->mass;
        for (int c = 0; c < 3; c++) {
            M[6 * (3 + r) + 3 + c] = node->J.m[3 * r + c];
            D[6 * (3 + r) + 3 + c] = wJ.m[3 * r + c] - Jw_skew.m[3 * r + c];  // d(w x J w)/dw
        }
    }
}

static void assemble_nodes(const tml_model *m, const tml_state *x, const tml_assembly *a, double *values)
{
    for (int i = 0; i < m->nnodes; i++) {
        const tmli_node *node = &m->node[i];
        const bool in_plane = m->planar && i < m->nbodies && node->ncoords == 3;
        if (in_plane || tmli_node_translates(node)) {  // the inertia is diagonal, and w x J w = 0
            for (int k = 0; k < node->ncoords; k++)
                values[node->matrix[k * node->ncoords + k]] +=
                    a->cm * (in_plane && k == 2 ? node->J.m[8] : node->mass);
            continue;
        }
        double M[36], D[36];
        tmli_mb_node_blocks(m, i, x, M, D);
        for (int r = 0, k = 0; r < node->ncoords; r++)
            for (int c = 0; c < node->ncoords; c++, k++) {
                const int at = 6 * node->local[r] + node->local[c];
                values[node->matrix[k]] += a->cm * M[at] + a->cd * D[at];
            }
    }
}

// Multiply the rotation columns of a local matrix (rows x width) by the operators (nnodes) of their nodes.
static void apply_tangent(const mat3 *operators, const tmli_plan *p, double *A, int rows)
{
    const int width = 6 * p->nslots;
    for (int s = 0; s < p->nslots; s++) {
        const double *T = operators[p->node[s]].m;
        for (int r = 0; r < rows; r++) {
            double *c = A + r * width + 6 * s + 3;
            const double c0 = c[0], c1 = c[1], c2 = c[2];
            c[0] = c0 * T[0] + c1 * T[3] + c2 * T[6];
            c[1] = c0 * T[1] + c1 * T[4] + c2 * T[7];
            c[2] = c0 * T[2] + c1 * T[5] + c2 * T[8];
        }
    }
}

static void scatter_matrix(const tmli_plan *p, const double *A, double factor, double *values)
{
    const int width = 6 * p->nslots, n = p->nact;
    for (int i = 0; i < n; i++) {
        const double *row = A + p->act[i] * width;
        const int32_t *at = p->matrix + i * n;
        for (int j = 0; j < n; j++) values[at[j]] += factor * row[p->act[j]];
    }
}

// The diagonal blocks of a force with a diagonal tangent: H ck T + D cd.
static void assemble_loose(const tml_model *m, const tmli_work *w, const tmli_force *f, double ck, double cd,
                           const mat3 *operators, double *values)
{
    for (int s = 0; s < f->plan.nslots; s++) {
        const tmli_node *node = &m->node[f->plan.node[s]];
        double *const H = w->H + 36 * s, *const D = w->D + 36 * s;
        const tmli_plan one = {.nslots = 1, .node = &f->plan.node[s]};
        if (operators) apply_tangent(operators, &one, H, 6);
        for (int r = 0, k = 0; r < node->ncoords; r++)
            for (int c = 0; c < node->ncoords; c++, k++) {
                const int at = 6 * node->local[r] + node->local[c];
                values[node->matrix[k]] += ck * H[at] + cd * D[at];
            }
    }
}

static void assemble_forces(const tml_model *m, tmli_work *w, const tml_state *x, const tml_assembly *a,
                            bool with_tangent, double *values)
{
    if (a->cd == 0 && a->ck == 0) return;
    tmli_step_view view = {0};
    if (a->step) view = tmli_mb_step_view(m, w, a->step);
    for (int i = 0; i < m->nforces; i++) {
        const tmli_force *f = &m->force[i];
        const int width = 6 * f->plan.nslots;
        if (f->rate_free && a->ck == 0) continue;
        if (f->diagonal_tangent) {
            tmli_mb_force_tangent(m, w, x, f);
            assemble_loose(m, w, f, a->ck, a->cd, with_tangent ? w->T : NULL, values);
            continue;
        }
        if (a->step && f->ops->mean_tangent) {
            memset(w->H, 0, (size_t)(width * width) * sizeof(double));
            if (!f->rate_free) memset(w->D, 0, (size_t)(width * width) * sizeof(double));
            memset(w->H_end, 0, (size_t)(width * width) * sizeof(double));
            f->ops->mean_tangent(f, &view, w->H_end, w->H, w->D);
            if (with_tangent) apply_tangent(w->T_end, &f->plan, w->H_end, width);
            scatter_matrix(&f->plan, w->H_end, 2 * a->ck, values);  // the middle moves by half of the end
        } else {
            tmli_mb_force_tangent(m, w, x, f);
        }
        if (with_tangent) apply_tangent(w->T, &f->plan, w->H, width);
        scatter_matrix(&f->plan, w->H, a->ck, values);
        if (!f->rate_free) scatter_matrix(&f->plan, w->D, a->cd, values);
    }
}

// Mass matrices of the elements with inertia, and the derivative of M udot.
static void assemble_element_inertia(const tml_model *m, tmli_work *w, const tml_state *x,
                                     const tml_assembly *a, bool with_tangent, double *values)
{
    const tmli_view v = {.m = m, .x = x, .pose = w->pose, .w = w};
    for (int i = 0; i < m->nforces && m->has_inertia; i++) {
        const tmli_force *f = &m->force[i];
        const int width = 6 * f->plan.nslots;
        if (!f->ops->mass) continue;
        if (a->cm != 0) {
            memset(w->H, 0, (size_t)(width * width) * sizeof(double));
            f->ops->mass(f, &v, w->H);
            scatter_matrix(&f->plan, w->H, a->cm, values);
        }
        if (a->ck == 0) continue;
        double *const udot = w->gd;
        for (int s = 0; s < f->plan.nslots; s++)
            tmli_node_velocity(m, x->udot, f->plan.node[s], udot + 6 * s);
        memset(w->H, 0, (size_t)(width * width) * sizeof(double));
        f->ops->mass_tangent(f, &v, udot, w->H);
        if (with_tangent) apply_tangent(w->T, &f->plan, w->H, width);
        scatter_matrix(&f->plan, w->H, a->ck, values);
    }
}

// Local stiffness of a constraint: ck sum mu N + cp B' p B, the second without rows at velocity level.
static void constraint_stiffness(const tml_model *m, tmli_work *w, const tml_state *x,
                                 const tmli_constraint *c, const tml_assembly *a)
{
    const int width = 6 * c->plan.nslots;
    double phi[TMLI_JOINT_ROWS];
    memset(w->H, 0, (size_t)(width * width) * sizeof(double));
    if (a->ck != 0) {
        if (a->p) tmli_mb_constraint_value(m, w, x, c, phi);
        for (int r = 0; r < c->nrows && a->p; r++)
            if (c->rate[r]) phi[r] = a->cv > 0 ? phi[r] / a->cv : 0;
        tmli_mb_constraint_mu(c, x, a->p, phi, w->mu);
        for (int r = 0; r < c->nrows; r++) w->mu[r] *= a->ck;
        if (!tmli_is_released(c, x)) tmli_mb_constraint_hessian(m, w, c, w->mu);
    }
    for (int r = 0; r < c->nrows && a->p && a->cp != 0; r++) {
        const double *b = w->B + r * width;
        for (int i = 0; i < width && !c->rate[r]; i++) {
            const double pb = a->cp * tmli_active_penalty(x, a->p, c->first + r) * b[i];
            if (pb == 0) continue;
            for (int j = 0; j < width; j++) w->H[i * width + j] += pb * b[j];
        }
    }
}

// change (nrows x 6 nslots) = derivative of Phi by the increment: B T, or B + (B u - nu)_d T/cv in rows at
// velocity level; w->B is set.
static void constraint_change(const tml_model *m, tmli_work *w, const tml_state *x, const tmli_constraint *c,
                              double cv, bool with_tangent, double *change)
{
    const int width = 6 * c->plan.nslots;
    if (cv > 0) tmli_mb_constraint_rows_times(m, w, c, x->u, change);
    if (tmli_is_released(c, x)) tmli_mb_clear_rows(c, change);
    for (int r = 0; r < c->nrows; r++) {
        double *to = change + r * width;
        const double *b = w->B + r * width;
        if (!c->rate[r]) memcpy(to, b, (size_t)width * sizeof *to);
        if (with_tangent && (!c->rate[r] || cv > 0)) apply_tangent(w->T, &c->plan, to, 1);
        for (int i = 0; i < width && c->rate[r]; i++) to[i] = b[i] + (cv > 0 ? to[i] / cv : 0);
    }
}

// values += cp B' p (change) of the rows at velocity level
static void add_rate_penalties(tmli_work *w, const tml_state *x, const tmli_constraint *c,
                               const tml_assembly *a, const double *change, double *values)
{
    const int width = 6 * c->plan.nslots;
    if (!a->p || a->cp == 0) return;
    memset(w->H, 0, (size_t)(width * width) * sizeof(double));
    for (int r = 0; r < c->nrows; r++)
        for (int i = 0; i < width && c->rate[r]; i++) {
            const double pb = a->cp * tmli_active_penalty(x, a->p, c->first + r) * w->B[r * width + i];
            for (int j = 0; j < width; j++) w->H[i * width + j] += pb * change[r * width + j];
        }
    scatter_matrix(&c->plan, w->H, 1, values);
}

static void assemble_constraints(const tml_model *m, tmli_work *w, const tml_state *x, const tml_assembly *a,
                                 bool with_tangent, double *values)
{
    for (int i = 0; i < m->nconstraints; i++) {
        const tmli_constraint *c = &m->constraint[i];
        const int width = 6 * c->plan.nslots, n = c->plan.nact;
        tmli_mb_rows_at(m, w, x, c);
        if (a->ck != 0 || a->cp != 0) {
            constraint_stiffness(m, w, x, c, a);
            if (with_tangent) apply_tangent(w->T, &c->plan, w->H, width);
            scatter_matrix(&c->plan, w->H, 1, values);
        }
        for (int r = 0; r < c->nrows; r++) {
            const double f = a->r ? a->r[c->first + r] : 1;
            for (int k = 0; k < n; k++) values[c->columns[r * n + k]] = f * w->B[r * width + c->plan.act[k]];
        }
        const double *change = w->B;
        if (c->rates) {
            double *const second = w->B + c->nrows * width;
            constraint_change(m, w, x, c, a->cv, with_tangent, second);
            add_rate_penalties(w, x, c, a, second, values);
            change = second;
        } else if (with_tangent) apply_tangent(w->T, &c->plan, w->B, c->nrows);
        for (int r = 0; r < c->nrows; r++) {
            const double f = a->r ? a->r[c->first + r] : 1;
            for (int k = 0; k < n; k++) values[c->rows[r * n + k]] = f * change[r * width + c->plan.act[k]];
            if (tmli_is_released(c, x)) values[c->diagonal[r]] = f > 0 ? -f : -1;
        }
    }
}

// values of the columns of constraint c += r C, C (rows of c x 6 nslots of f)
static void add_load_columns(const tmli_constraint *c, const tmli_force *f, const double *r, const double *C,
                             double *values)
{
    const int width = 6 * f->plan.nslots, n = c->plan.nact;
    for (int k = 0; k < n; k++) {
        const int node = c->plan.node[c->plan.act[k] / 6], coordinate = c->plan.act[k] % 6;
        int slot = 0;
        while (slot < f->plan.nslots && f->plan.node[slot] != node) slot++;
        for (int i = 0; i < c->nrows && slot < f->plan.nslots; i++)
            values[c->columns[i * n + k]] += (r ? r[c->first + i] : 1) * C[i * width + 6 * slot + coordinate];
    }
}

// Columns of multipliers on which forces depend += -r dQ/dlambda.
static void assemble_loads(const tml_model *m, tmli_work *w, const tml_state *x, const tml_assembly *a,
                           double *values)
{
    const tmli_view v = {.m = m, .x = x, .pose = w->pose, .w = w};
    for (int i = 0; i < m->nforces; i++) {
        const tmli_force *f = &m->force[i];
        if (f->load < 0) continue;
        const int width = 6 * f->plan.nslots;
        double *C = w->loads;
        memset(C, 0, m->load_entries * sizeof(double));
        f->ops->by_multipliers(f, &v, C);
        for (int l = 0; l < f->nloads; l++) {
            const tmli_constraint *c = &m->constraint[f->load + l];
            if (!tmli_is_released(c, x)) add_load_columns(c, f, a->r, C, values);
            C += c->nrows * width;
        }
    }
}

void tmli_mb_assemble_damping(const tml_model *m, tmli_work *w, const tml_state *x, double *values)
{
    const tml_assembly a = {.cd = 1};
    tmli_mb_set_poses(m, w, x->q);
    memset(values, 0, (size_t)tmli_pattern_nnz(m->pattern) * sizeof(double));
    assemble_nodes(m, x, &a, values);
    assemble_forces(m, w, x, &a, false, values);
}

tml_status tmli_mb_assemble_parts(const void *self, void *work, const tml_state *x, double *M, double *D,
                                  double *K, tml_error *err)
{
    const tml_model *m = self;
    tmli_work *w = work;
    const size_t size = (size_t)tmli_pattern_nnz(m->pattern) * sizeof(double);
    const tml_assembly mass = {.cm = 1}, damping = {.cd = 1}, stiff = {.ck = 1};
    (void)err;
    tmli_mb_set_poses(m, w, x->q);
    memset(M, 0, size);
    memset(D, 0, size);
    memset(K, 0, size);
    assemble_nodes(m, x, &mass, M);
    assemble_nodes(m, x, &damping, D);
    assemble_element_inertia(m, w, x, &mass, false, M);
    assemble_element_inertia(m, w, x, &stiff, false, K);
    for (int i = 0; i < m->nforces; i++) {
        const tmli_force *f = &m->force[i];
        tmli_mb_force_tangent(m, w, x, f);
        if (f->diagonal_tangent) {
            assemble_loose(m, w, f, 1, 0, NULL, K);
            assemble_loose(m, w, f, 0, 1, NULL, D);
            continue;
        }
        scatter_matrix(&f->plan, w->H, 1, K);
        if (!f->rate_free) scatter_matrix(&f->plan, w->D, 1, D);
    }
    for (int i = 0; i < m->nconstraints; i++) {
        constraint_stiffness(m, w, x, &m->constraint[i], &stiff);
        scatter_matrix(&m->constraint[i].plan, w->H, 1, K);
    }
    return TML_OK;
}

tml_status tmli_mb_assemble(const void *self, void *work, const tml_state *x, const tml_assembly *a,
                            double *values, tml_error *err)
{
    const tml_model *m = self;
    tmli_work *w = work;
    (void)err;
    const bool with_tangent = a->increment && !m->planar;  // T = 1 in planar models
    tmli_mb_set_poses(m, w, x->q);
    for (int i = 0; i < m->nnodes && with_tangent; i++) {
        double d[6];
        tmli_node_velocity(m, a->increment, i, d);
        w->T[i] = tmli_so3_tangent(v3_from(d + 3));
        if (!a->step) continue;
        tmli_node_velocity(m, a->step->d, i, d);
        w->T_end[i] = tmli_so3_tangent(v3_from(d + 3));
    }
    memset(values, 0, (size_t)tmli_pattern_nnz(m->pattern) * sizeof(double));
    assemble_nodes(m, x, a, values);
    assemble_forces(m, w, x, a, with_tangent, values);
    assemble_element_inertia(m, w, x, a, with_tangent, values);
    assemble_constraints(m, w, x, a, with_tangent, values);
    if (a->loads && m->loads) assemble_loads(m, w, x, a, values);
    return TML_OK;
}
