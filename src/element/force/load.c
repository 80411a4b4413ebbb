// See load.h.
#include "element/force/load.h"

#include <string.h>

int tmli_load_find_joint(const tml_model *m, int use)
{
    for (int i = 0; i < m->njoints; i++) {
        const tmli_constraint *c = &m->constraint[i];
        bool own = false, length = false;
        for (int k = 0; k < c->ncoords; k++) own = own || c->coord[k] == use;
        for (int k = 0; k < c->nterms; k++) {
            const tmli_measure_kind kind = m->measure_use[c->term[k].use].measure.kind;
            length = length || kind == TMLI_COORD || kind == TMLI_DOT2;
        }
        if (own && length && c->has_reaction && c->type != TML_JOINT_SCREW) return i;
    }
    return -1;
}

static vec3 force_of(const tmli_view *w, const tmli_constraint *c)
{
    double F[3] = {0};
    for (int k = 0; k < c->nterms; k++) {
        const tmli_measure_use *use = &w->m->measure_use[c->term[k].use];
        const double lambda = w->x->lambda[c->first + c->term[k].row] * c->term[k].coef;
        double g[12];
        tmli_measure_grad(&use->measure, tmli_pose_of(w->pose, use->node[0]),
                          tmli_pose_of(w->pose, use->node[1]), g);
        for (int i = 0; i < 3; i++) F[i] -= lambda * g[6 + i];
    }
    return v3_from(F);
}

double tmli_load_of(const tmli_view *w, int constraint, double *by_lambda, double *by_d)
{
    const tmli_constraint *c = &w->m->constraint[constraint];
    const vec3 F = force_of(w, c);
    const double N = v3_norm(F);
    const vec3 e = N > 0 ? v3_scale(1 / N, F) : v3(0, 0, 0);
    for (int r = 0; r < c->nrows && by_lambda; r++) by_lambda[r] = 0;
    if (by_d) memset(by_d, 0, 12 * sizeof *by_d);
    for (int k = 0; k < c->nterms && (by_lambda || by_d); k++) {
        const tmli_measure_use *use = &w->m->measure_use[c->term[k].use];
        const tmli_pose *A = tmli_pose_of(w->pose, use->node[0]), *B = tmli_pose_of(w->pose, use->node[1]);
        const double coef = c->term[k].coef, lambda = w->x->lambda[c->first + c->term[k].row] * coef;
        double g[12], H[144] = {0};
        tmli_measure_grad(&use->measure, A, B, g);
        if (by_lambda) by_lambda[c->term[k].row] -= coef * v3_dot(e, v3_from(g + 6));
        if (!by_d) continue;
        tmli_measure_add_hessian(&use->measure, A, B, lambda, H);
        for (int j = 0; j < 12; j++)
            by_d[j] -= e.x * H[12 * 6 + j] + e.y * H[12 * 7 + j] + e.z * H[12 * 8 + j];
    }
    return N;
}
