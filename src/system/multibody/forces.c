// Forces of a model, by the tables of their types (element/force/force.h), and the expressions of outputs and
// events.
#include "element/force/along.h"
#include "system/multibody/multibody.h"

#include <math.h>
#include <string.h>

static tmli_view view_of(const tml_model *m, tmli_work *w, const tml_state *x)
{
    return (tmli_view){.m = m, .x = x, .pose = w->pose, .w = w};
}

void tmli_mb_force(const tml_model *m, tmli_work *w, const tml_state *x, const tmli_force *f, double *Q)
{
    const tmli_view v = view_of(m, w, x);
    if (f->ops->force) f->ops->force(f, &v, Q);
}

void tmli_mb_force_tangent(const tml_model *m, tmli_work *w, const tml_state *x, const tmli_force *f)
{
    const tmli_view v = view_of(m, w, x);
    const size_t slots = (size_t)f->plan.nslots, size = 36 * (f->diagonal_tangent ? slots : slots * slots);
    memset(w->H, 0, size * sizeof(double));
    if (!f->rate_free) memset(w->D, 0, size * sizeof(double));
    if (f->ops->tangent) f->ops->tangent(f, &v, w->H, w->D);
}

void tmli_mb_force_energy(const tml_model *m, tmli_work *w, const tml_state *x, const tmli_force *f,
                          double *potential, double *power)
{
    tmli_view v = view_of(m, w, x);
    v.known = w->known;
    double own[TMLI_WORK_KINDS] = {0};
    if (f->ops->energy) {
        f->ops->energy(f, &v, potential, own);
    } else if (f->ops->power) {
        own[f->work] = f->ops->power(f, &v);
    } else if (f->ops->force && !(f->ops->conservative && f->ops->conservative(f))) {
        double *const Q = w->gd;
        memset(Q, 0, 6 * (size_t)f->plan.nslots * sizeof(double));
        f->ops->force(f, &v, Q);
        for (int s = 0; s < f->plan.nslots; s++) {
            double u[6];
            tmli_node_velocity(m, x->u, f->plan.node[s], u);
            for (int c = 0; c < 6; c++) own[f->work] += Q[6 * s + c] * u[c];
        }
    }
    for (int kind = 0; kind < TMLI_WORK_KINDS; kind++) *power += own[kind];
    w->supplied += own[TMLI_WORK_SUPPLIED];
    w->touching += own[TMLI_WORK_CONTACT];
}

void tmli_mb_force_mass(const tml_model *m, tmli_work *w, const tml_state *x, const tmli_force *f, double *M)
{
    const tmli_view v = view_of(m, w, x);
    f->ops->mass(f, &v, M);
}

double tmli_mb_force_kinetic(const tml_model *m, tmli_work *w, const tml_state *x, const tmli_force *f)
{
    const int width = 6 * f->plan.nslots;
    double *const u = w->gd, sum = 0;
    memset(w->H, 0, (size_t)(width * width) * sizeof(double));
    tmli_mb_force_mass(m, w, x, f, w->H);
    for (int s = 0; s < f->plan.nslots; s++) tmli_node_velocity(m, x->u, f->plan.node[s], u + 6 * s);
    for (int i = 0; i < width; i++)
        for (int j = 0; j < width; j++) sum += u[i] * w->H[i * width + j] * u[j] / 2;
    return sum;
}

// ---- channels and outputs ---------------------------------------------------------------------------------

void tmli_mb_force_channels(const tml_model *m, tmli_work *w, const tml_state *x, const tmli_force *f,
                            double *values)
{
    const tmli_view v = view_of(m, w, x);
    if (f->ops->channels) f->ops->channels(f, &v, values);
    for (int k = 0; k < f->nchannels; k++) {
        if (f->channel[k].kind == TMLI_CHANNEL_VALUE) continue;
        const bool rate = f->channel[k].kind == TMLI_CHANNEL_RATE;
        const tmli_var var = {.kind = rate ? TMLI_VAR_RATE : TMLI_VAR_MEASURE, .use = f->use};
        values[k] = tmli_variable_value(&v, &var, NULL);
    }
}

void tmli_mb_contact_forces(const tml_model *m, tmli_work *w, const tml_state *x, const tmli_force *f,
                            double *out)
{
    const tmli_view v = view_of(m, w, x);
    const int count = tmli_contact_quantities(f);
    tmli_contact_force c[TMLI_FORCE_CONTACTS];
    if (f->ncontacts > 0) f->ops->contacts(f, &v, c);
    for (int i = 0; i < f->ncontacts; i++, out += count) {
        double all[TMLI_CONTACT_QUANTITIES];
        v3_store(tmli_model_place(m, c[i].point), all);
        v3_store(c[i].normal, all + 3);
        v3_store(c[i].friction, all + 6);
        memcpy(out, all, (size_t)count * sizeof *out);
    }
}

// A measure, its rate g.u, and its second derivative g.udot + u'N u
static void measure_jet(const tmli_view *v, const tmli_measure_use *use, double jet[3])
{
    const tmli_pose *A = tmli_pose_of(v->pose, use->node[0]), *B = tmli_pose_of(v->pose, use->node[1]);
    double u[12], udot[12], g[12];
    for (int side = 0; side < 2; side++) {
        tmli_node_velocity(v->m, v->x->u, use->node[side], u + 6 * side);
        tmli_node_velocity(v->m, v->x->udot, use->node[side], udot + 6 * side);
    }
    jet[0] = tmli_counted_angle(use, v->x, tmli_measure_grad(&use->measure, A, B, g));
    jet[1] = 0;
    jet[2] = tmli_measure_quad(&use->measure, A, B, u);
    for (int i = 0; i < 12; i++) {
        jet[1] += g[i] * u[i];
        jet[2] += g[i] * udot[i];
    }
}

void tmli_mb_coordinates(const tml_model *m, tmli_work *w, const tml_state *x, const tmli_constraint *c,
                         double *out)
{
    const tmli_view v = view_of(m, w, x);
    for (int k = 0; k < c->ncoords; k++) {
        double jet[3];
        measure_jet(&v, &m->measure_use[c->coord[k]], jet);
        for (int i = 0; i < 3; i++) out[i * c->ncoords + k] = jet[i];
    }
}

static double output_variable(const tmli_view *v, const tmli_var *var)
{
    switch (var->kind) {
    case TMLI_VAR_SECOND: {
        double jet[3];
        measure_jet(v, &v->m->measure_use[var->use], jet);
        return jet[2];
    }
    case TMLI_VAR_ALPHA: {
        double udot[6];
        tmli_node_velocity(v->m, v->x->udot, var->node, udot);
        return udot[3 + var->component];
    }
    case TMLI_VAR_QUAT: return v->x->q[7 * var->node + 3 + var->component];
    case TMLI_VAR_REACTION: {
        double reaction[6];
        tmli_mb_reaction(v->m, v->w, v->x, &v->m->constraint[var->element], reaction);
        return reaction[var->component];
    }
    case TMLI_VAR_MULTIPLIER: {
        const tmli_constraint *c = &v->m->constraint[var->element];
        return c->nrows ? v->x->lambda[c->first] : 0;
    }
    case TMLI_VAR_ACTUATOR: return v->w->actuator ? v->w->actuator[var->element] : NAN;
    case TMLI_VAR_CHANNEL: {
        double values[TMLI_FORCE_CHANNELS];
        tmli_mb_force_channels(v->m, v->w, v->x, &v->m->force[var->element], values);
        return values[var->component];
    }
    case TMLI_VAR_CONTACT: {
        double values[TMLI_CONTACT_QUANTITIES * TMLI_FORCE_CONTACTS];
        const tmli_force *f = &v->m->force[var->element];
        tmli_mb_contact_forces(v->m, v->w, v->x, f, values);
        return values[tmli_contact_quantities(f) * (var->component / TMLI_CONTACT_QUANTITIES) +
                      var->component % TMLI_CONTACT_QUANTITIES];
    }
    default: return tmli_variable_value(v, var, NULL);
    }
}

double tmli_mb_expression(const tml_model *m, tmli_work *w, const tml_state *x, const tmli_expr_vars *e)
{
    const tmli_view v = view_of(m, w, x);
    double values[TMLI_MAX_VARS];
    for (int k = 0; k < e->nvars; k++) values[k] = output_variable(&v, &e->var[k]);
    return tmli_expr_eval_mode(e->expr, values, tmli_modes(x, e->mode));
}

double tmli_mb_event_expression(const tml_model *m, tmli_work *w, const tml_state *x, const tmli_expr_vars *e)
{
    const tmli_view v = view_of(m, w, x);
    double values[TMLI_MAX_VARS];
    for (int k = 0; k < e->nvars; k++) {
        const tmli_var *var = &e->var[k];
        const bool along = var->kind == TMLI_VAR_MEASURE || var->kind == TMLI_VAR_RATE;
        values[k] = output_variable(&v, var);
        if ((along || var->kind == TMLI_VAR_OMEGA) &&
            fabs(values[k]) <= tmli_along_rest(m, along ? var->use : -1))
            values[k] = 0;
    }
    return tmli_expr_eval_mode(e->expr, values, tmli_modes(x, e->mode));
}
