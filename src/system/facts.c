// What a model's equations are known to lack, so that nobody computes it.
#include "system/multibody.h"

static bool moves_by_time(const tml_model *m)
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

bool tmli_mb_is_steady(const tml_model *m)
{
    if (moves_by_time(m)) return false;
    for (int i = 0; i < m->nforces; i++) {
        const tmli_force *f = &m->force[i];
        if (has_time(&f->law)) return false;
        for (int k = 0; k < 6; k++)
            if (has_time(&f->wrench[k])) return false;
    }
    return true;
}

// No damping, and a stiffness with a potential: K = K'.
static bool elastic(const tmli_bushing *b)
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            if (b->D[6 * i + j] != 0 || b->K[6 * i + j] != b->K[6 * j + i]) return false;
    return true;
}

bool tmli_mb_is_conservative(const tml_model *m)
{
    if (moves_by_time(m)) return false;
    for (int i = 0; i < m->nforces; i++) {
        const tmli_force *f = &m->force[i];
        const bool scalar = f->type == TML_FORCE_SPRING || f->type == TML_FORCE_TORSION;
        if (scalar && f->damping == 0 && !f->law.expr) continue;
        if (f->type == TML_FORCE_BUSHING && elastic(&f->bushing)) continue;
        return false;
    }
    return true;
}
