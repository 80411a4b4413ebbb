// Properties of the equations of a model that make computations unnecessary: autonomous, conservative, no
// loops; the parts that depend on time.
#include "system/multibody/multibody.h"

#include <string.h>

static bool has_motion(const tml_model *m)
{
    for (int i = 0; i < m->nconstraints; i++)
        if (m->constraint[i].motion) return true;
    return false;
}

static bool has_time(const tmli_expr_vars *e)
{
    for (int i = 0; e->expr && i < e->nvars; i++)
        if (e->var[i].kind == TMLI_VAR_TIME) return true;
    return false;
}

static bool depends_on_time(const tmli_force *f)
{
    if (f->ops->uses_time) return true;
    for (int k = 0; k < f->nlaws; k++)
        if (has_time(&f->law[k])) return true;
    return false;
}

bool tmli_mb_is_autonomous(const tml_model *m)
{
    if (has_motion(m)) return false;
    for (int i = 0; i < m->nforces; i++)
        if (depends_on_time(&m->force[i])) return false;
    return true;
}

tml_status tmli_mb_time_parts(const void *self, void *work, const tml_state *x, double *f, double *gamma,
                              tml_error *err)
{
    const tml_model *m = self;
    tmli_work *w = work;
    tmli_mb_set_poses(m, w, x->q);
    memset(f, 0, (size_t)m->n * sizeof(double));
    memset(gamma, 0, (size_t)m->m * sizeof(double));
    for (int i = 0; i < m->nforces; i++)
        if (depends_on_time(&m->force[i])) tmli_mb_add_force(m, w, x, &m->force[i], f);
    for (int j = 0; j < m->n; j++) f[j] = -f[j];
    for (int k = 0; k < m->ndriven; k++) {
        const tmli_constraint *c = &m->constraint[m->driven[k]];
        for (int r = 0; r < c->nrows; r++) {
            double jet[3];
            tmli_mb_row_time(c, x, r, jet);
            gamma[c->first + r] = jet[2];
        }
    }
    return tmli_mb_check_finite(m, w, x, f, gamma, err);
}

bool tmli_mb_is_conservative(const tml_model *m)
{
    if (has_motion(m)) return false;
    for (int i = 0; i < m->nforces; i++) {
        const tmli_force *f = &m->force[i];
        if (!f->ops->conservative || !f->ops->conservative(f)) return false;
    }
    return true;
}

// ---- loops ------------------------------------------------------------------------------------------------

static int root_of(const int *parent, int i)
{
    while (parent[i] != i) i = parent[i];
    return i;
}

// Nodes on which constraint c acts, at most three; if there is only one, the ground is the second.
static int nodes_of(const tml_model *m, const tmli_constraint *c, int node[3])
{
    int count = 0;
    for (int k = m->rowptr[c->first]; k < m->rowptr[c->first + c->nrows] && count < 3; k++) {
        const int i = m->node_of[m->rowcol[k]];
        if ((count < 1 || node[0] != i) && (count < 2 || node[1] != i)) node[count++] = i;
    }
    if (count == 1) node[count++] = m->nnodes;
    return count;
}

// Two stick rows, of friction and of a limit, on one coordinate, or of two points of a rigid contact.
static bool repeats_stick_row(const tml_model *m, int i)
{
    const tmli_constraint *c = &m->constraint[i];
    for (int k = m->njoints; k < i; k++)
        if (m->constraint[k].term[0].use == c->term[0].use || strcmp(m->constraint[k].name, c->name) == 0)
            return true;
    return false;
}

// A stick row on a coordinate of a joint: it holds a motion that the joint leaves free.
static bool is_joint_coordinate(const tml_model *m, const tmli_constraint *c)
{
    for (int i = 0; i < m->njoints && c->stick; i++)
        for (int k = 0; k < m->constraint[i].ncoords; k++)
            if (m->constraint[i].coord[k] == c->term[0].use) return true;
    return false;
}

// If the graph of bodies and joints is a tree, all rows are independent: the rows of one joint are, with the
// exception of some types, and each joint moves its subtree independently of the others. A second path
// between two bodies can make rows dependent.
tml_status tmli_mb_find_loops(const tml_model *m, bool *loops, tml_error *err)
{
    int *parent = tmli_calloc(&m->env, (size_t)m->nnodes + 1, sizeof *parent);
    if (!parent) return tmli_no_memory(err, "model");
    *loops = false;
    for (int i = 0; i <= m->nnodes; i++) parent[i] = i;
    for (int i = 0; i < m->nconstraints && !*loops; i++) {
        int node[3];
        const int count = nodes_of(m, &m->constraint[i], node);
        *loops = repeats_stick_row(m, i);
        if (count == 0 || is_joint_coordinate(m, &m->constraint[i])) continue;
        const int a = root_of(parent, node[0]), b = root_of(parent, node[1]);
        *loops = *loops || count > 2 || a == b || m->constraint[i].ops->dependent;
        parent[a] = b;
    }
    tmli_free(&m->env, parent);
    return TML_OK;
}
