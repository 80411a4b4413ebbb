// Rows of the constraints on SE(3) and their derivatives; equation numbers as in se3.c.
#include "system/se3/internal.h"

// Every row of values times Q. A row holds whole nodes.
static void rotate_rows(const tmli_se3 *s, const tmli_se3_work *w, double *values)
{
    const tml_model *m = s->model;
    for (int k = 0; k < m->rowptr[m->m]; k += m->node[m->node_of[m->rowcol[k]]].ncoords) {
        const int i = m->node_of[m->rowcol[k]];
        double g[6];
        if (!s->on_se3[i]) continue;
        tmli_se3_load_node(&m->node[i], values + k, g);
        v3_store(m3_tmulv(&w->frame[i].R, v3_from(g)), g);
        tmli_se3_store_node(&m->node[i], g, values + k);
    }
}

tml_status tmli_se3_rows(const void *self, void *work, const tml_state *x, double *values, tml_error *err)
{
    const tmli_se3 *s = self;
    tmli_se3_work *w = work;
    tml_status st = s->base->ops->rows(s->base->self, w->base, x, values, err);
    tmli_se3_set_frames(s, w, x, NULL);
    if (st == TML_OK) rotate_rows(s, w, values);
    return st;
}

tml_status tmli_se3_residual_rows(const void *self, void *work, const tml_state *x, const double *p,
                                  double *motion, double *phi, double *values, tml_error *err)
{
    const tmli_se3 *s = self;
    tmli_se3_work *w = work;
    const tml_state y = tmli_se3_base_state(s, w, x);
    tml_status st = s->base->ops->residual_rows(s->base->self, w->base, &y, p, motion, phi, values, err);
    if (st != TML_OK) return st;
    tmli_se3_rotate(s, x->q, true, motion, motion);
    if (!values) return TML_OK;
    tmli_se3_set_frames(s, w, x, NULL);
    rotate_rows(s, w, values);
    return TML_OK;
}

tml_status tmli_se3_rows_times(const void *self, void *work, const tml_state *x, const double *v,
                               double *values, tml_error *err)
{
    const tmli_se3 *s = self;
    tmli_se3_work *w = work;
    const tml_model *m = s->model;
    tmli_se3_rotate(s, x->q, false, v, w->u);
    tml_status st = s->base->ops->rows_times(s->base->self, w->base, x, w->u, values, err);
    if (st == TML_OK) st = tmli_se3_rows(self, work, x, w->rows, err);
    if (st != TML_OK) return st;
    rotate_rows(s, w, values);
    for (int k = 0; k < m->rowptr[m->m]; k += m->node[m->node_of[m->rowcol[k]]].ncoords) {  // (6)
        const int i = m->node_of[m->rowcol[k]];
        double g[6], b[6], y[6];
        if (!s->on_se3[i]) continue;
        tmli_se3_load_node(&m->node[i], values + k, g);
        tmli_se3_load_node(&m->node[i], w->rows + k, b);
        tmli_node_velocity(m, v, i, y);
        v3_store(v3_add(v3_from(g + 3), v3_cross(v3_from(y), v3_from(b))), g + 3);  // b'(-y~) = (y x b)'
        tmli_se3_store_node(&m->node[i], g, values + k);
    }
    return TML_OK;
}

tml_status tmli_se3_gamma_derivatives(const void *self, void *work, const tml_state *x, double *by_d,
                                      double *by_u, tml_error *err)
{
    const tmli_se3 *s = self;
    tmli_se3_work *w = work;
    const tml_model *m = s->model;
    const tml_system *b = s->base;
    const tml_state y = tmli_se3_base_state(s, w, x);
    tml_status st = b->ops->gamma_derivatives(b->self, w->base, &y, by_d, by_u, err);
    tmli_se3_convective(s, x, true, w->motion);
    if (st == TML_OK) st = b->ops->rows_times(b->self, w->base, &y, w->motion, w->row_derivatives, err);
    if (st == TML_OK) st = tmli_se3_rows(self, work, x, w->rows, err);
    if (st != TML_OK) return st;
    for (int k = 0; k < m->rowptr[m->m]; k++) by_d[k] -= w->row_derivatives[k];
    rotate_rows(s, w, by_d);
    rotate_rows(s, w, by_u);
    for (int k = 0; k < m->rowptr[m->m]; k += m->node[m->node_of[m->rowcol[k]]].ncoords) {
        const int i = m->node_of[m->rowcol[k]];
        const tmli_se3_frame *f = &w->frame[i];
        double d[6], u[6], g[6];
        if (!s->on_se3[i]) continue;
        tmli_se3_load_node(&m->node[i], by_d + k, d);
        tmli_se3_load_node(&m->node[i], by_u + k, u);
        tmli_se3_load_node(&m->node[i], w->rows + k, g);
        const vec3 bt = v3_from(g), v_bt = v3_cross(f->v, bt), c = v3_cross(f->w, f->v);
        const vec3 both = v3_add(v3_cross(f->v, v3_from(u)), v3_cross(bt, c));
        v3_store(v3_add(v3_from(d + 3), both), d + 3);        // (7)
        v3_store(v3_sub(v3_from(u), v3_cross(bt, f->w)), u);  // (8)
        v3_store(v3_sub(v3_from(u + 3), v_bt), u + 3);
        tmli_se3_store_node(&m->node[i], d, by_d + k);
        tmli_se3_store_node(&m->node[i], u, by_u + k);
    }
    return TML_OK;
}
