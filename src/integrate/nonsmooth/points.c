// Points of contact as a contact problem; see moreau.h.
#include "integrate/nonsmooth/moreau.h"

#include <math.h>
#include <string.h>

#include "integrate/nonsmooth/constants.h"

// Coupled coordinates are one body for islands: impulses reach all of them.
static int unit_of(const tmli_moreau *s, const tmli_captured_point *p, int side)
{
    if (p->node[side] < 0) return -1;
    return s->coupled[p->at[side]] > 0 ? s->m->nnodes : p->node[side];
}

tml_status tmli_moreau_find(tmli_moreau *s, const tml_state *x, double h, tml_error *err)
{
    const int count = tmli_mb_captured_points(s->m, s->work, x, h, s->found, s->cone.room);
    if (count < 0)
        return tmli_fail(err, TML_ERR_STEP,
                         "more than %d points of contact at t = %g s: bodies are deep in each other, or too "
                         "fast for the step",
                         s->cone.room, x->t);
    s->cone.count = count;
    for (int i = 0; i < count; i++) {
        const tmli_captured_point *from = &s->found[i];
        tmli_cone_point *p = &s->cone.point[i];
        for (int side = 0; side < 2; side++) {
            p->at[side] = from->at[side];
            p->unit[side] = unit_of(s, from, side);
        }
        p->in = false;
        p->far = -1;
        p->mu = from->mu;
        p->b = 0;
        memset(p->r, 0, sizeof p->r);
        memcpy(p->G, from->G, sizeof p->G);
    }
    return TML_OK;
}

bool tmli_moreau_touches_coupled(const tmli_moreau *s)
{
    for (int i = 0; i < s->cone.count; i++)
        for (int side = 0; side < 2; side++)
            if (s->cone.point[i].unit[side] == s->m->nnodes) return true;
    return false;
}

// The answer of coupled coordinates to the impulses of a point.
static tml_status answer_far(tmli_moreau *s, tmli_cone_point *p, int rows, int far, tml_error *err)
{
    const int n = s->sys->n, nfar = s->cone.nfar;
    if (far >= s->cone.far_room)
        return tmli_fail(err, TML_ERR_STEP, "more than %d points of contact on bodies with joints or forces",
                         s->cone.far_room);
    p->far = far;
    double *const out = s->cone.far + 3 * (size_t)nfar * (size_t)far;
    memset(out, 0, 3 * (size_t)nfar * sizeof *out);
    for (int k = 0; k < rows; k++) {
        memset(s->load, 0, (size_t)n * sizeof *s->load);
        for (int side = 0; side < 2; side++)
            for (int j = 0; j < 6 && p->unit[side] == s->m->nnodes; j++)
                if (p->G[k][6 * side + j] != 0) s->load[p->at[side] + j] += p->G[k][6 * side + j];
        tmli_index1_solve(&s->matrix, s->load, NULL, s->change, NULL);
        for (int j = 0; j < nfar; j++) out[k * nfar + j] = s->change[s->cone.far_at[j]];
    }
    return TML_OK;
}

tml_status tmli_moreau_answer(tmli_moreau *s, int rows, tml_error *err)
{
    int far = 0;
    for (int i = 0; i < s->cone.count; i++) {
        tmli_cone_point *p = &s->cone.point[i];
        bool is_far = false;
        memset(p->H, 0, sizeof p->H);
        for (int side = 0; side < 2; side++) {
            if (p->at[side] < 0) continue;
            is_far = is_far || p->unit[side] == s->m->nnodes;
            if (p->unit[side] == s->m->nnodes) continue;
            const double *P = s->inverse + 36 * (size_t)p->unit[side];
            for (int k = 0; k < rows; k++) {
                const double *g = p->G[k] + 6 * side;
                double *out = p->H[k] + 6 * side;
                for (int a = 0; a < 6; a++, P += 6)
                    out[a] =
                        (P[0] * g[0] + P[1] * g[1] + P[2] * g[2]) + (P[3] * g[3] + P[4] * g[4] + P[5] * g[5]);
                P -= 36;
            }
        }
        const tml_status st = is_far ? answer_far(s, p, rows, far++, err) : TML_OK;
        if (st != TML_OK) return st;
        tmli_cone_weigh(&s->cone, p);
    }
    return TML_OK;
}

static const char *name_of(const tmli_moreau *s, int node)
{
    return node < 0 ? "ground" : s->m->node[node].name;
}

void tmli_moreau_count(tmli_moreau *s, const tmli_cone_result *r)
{
    tml_contact_counters *c = &s->trial_contacts;
    c->sweeps += r->sweeps;
    if (r->missed == 0) c->residual = fmax(c->residual, r->residual);
}

tml_status tmli_moreau_solve(tmli_moreau *s, tmli_cone_result *r, tml_error *err)
{
    *r = tmli_cone_solve(&s->cone, CONTACT_TOLERANCE);
    tmli_moreau_count(s, r);
    if (r->missed == 0) return TML_OK;
    const int *node = s->found[r->worst].node;
    s->contacts.missed++;
    return tmli_fail(err, TML_RETRY,
                     "the impulses of contacts were not found: '%s' and '%s' keep %.2g of the change of "
                     "velocity that contacts demand (bound %.2g) at t = %g s",
                     name_of(s, node[0]), name_of(s, node[1]), r->residual, CONTACT_TOLERANCE, s->x->t);
}

// ---- work of constraints ----------------------------------------------------------------------------------

void tmli_moreau_add_impulses(const tmli_moreau *s, double *out)
{
    for (int i = 0; i < s->cone.count; i++) {
        const tmli_cone_point *p = &s->cone.point[i];
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < 3 && p->unit[side] == s->m->nnodes; k++)
                for (int j = 0; j < 6; j++)
                    if (p->G[k][6 * side + j] != 0) out[p->at[side] + j] += p->r[k] * p->G[k][6 * side + j];
    }
}

double tmli_moreau_driven(const tmli_moreau *s, const tml_state *x)
{
    return tmli_mb_driven_power(s->m, x, s->lambda);
}

// ---- start values -----------------------------------------------------------------------------------------

static void set_key(const tmli_captured_point *p, double key[3])
{
    key[0] = (double)(p->pair >> 24);
    key[1] = (double)(p->pair & 0xffffff);
    key[2] = p->feature;
}

static int compare_pairs(const double *a, const double *b)
{
    if (a[0] != b[0]) return a[0] < b[0] ? -1 : 1;
    return a[1] < b[1] ? -1 : a[1] > b[1];
}

// The stored impulse of a point, from `at` on; NULL: there is none. Of points with the same key the first has
// the first.
static const double *find_warm(const tmli_moreau *s, int i, int at, const double key[3])
{
    int before = 0;
    for (int k = i - 1; k >= 0 && s->found[k].pair == s->found[i].pair; k--)
        before += s->found[k].feature == s->found[i].feature;
    for (; at < s->warm_count && compare_pairs(s->warm + TMLI_WARM * at, key) == 0; at++)
        if (s->warm[TMLI_WARM * at + 2] == key[2] && before-- == 0) return s->warm + TMLI_WARM * at;
    return NULL;
}

// The impulses are vectors in space: axes may have turned.
void tmli_moreau_recall(tmli_moreau *s)
{
    const double part = s->h_last > 0 ? s->h_trial / s->h_last : 1;
    int at = 0;
    for (int i = 0; i < s->cone.count; i++) {
        const tmli_captured_point *f = &s->found[i];
        tmli_cone_point *p = &s->cone.point[i];
        double key[3];
        set_key(f, key);
        while (at < s->warm_count && compare_pairs(s->warm + TMLI_WARM * at, key) < 0) at++;
        const double *w = find_warm(s, i, at, key);
        if (!w) continue;
        for (int a = 0; a < 3; a++) p->r[a] = part * v3_dot(f->axis[a], v3_from(w + 3));
        const double size = hypot(p->r[1], p->r[2]), most = p->mu * fmax(p->r[0], 0);
        if (!(p->r[0] > 0)) p->r[0] = 0;
        for (int a = 1; a < 3 && size > most; a++) p->r[a] *= most / size;
        tmli_cone_push(&s->cone, p, p->r);
    }
}

void tmli_moreau_keep(tmli_moreau *s)
{
    s->trial_warm_count = 0;
    for (int i = 0; i < s->cone.count; i++) {
        const tmli_cone_point *p = &s->cone.point[i];
        const tmli_captured_point *f = &s->found[i];
        if (!(p->r[0] > 0)) continue;
        double *const w = s->trial_warm + TMLI_WARM * s->trial_warm_count++;
        set_key(f, w);
        vec3 sum = v3(0, 0, 0);
        for (int a = 0; a < 3; a++) sum = v3_axpy(p->r[a], f->axis[a], sum);
        v3_store(sum, w + 3);
        w[6] = p->r[0];
    }
}

void tmli_moreau_loads(const tmli_moreau *s, int contact, double out[3])
{
    out[0] = out[1] = out[2] = 0;
    if (!(s->h_last > 0)) return;
    for (int i = 0; i < s->warm_count; i++) {
        const double *w = s->warm + TMLI_WARM * i;
        if ((int64_t)w[0] >> 24 != contact) continue;
        const double square = v3_dot(v3_from(w + 3), v3_from(w + 3)) - w[6] * w[6];
        out[0] += w[6] / s->h_last;
        out[1] += sqrt(fmax(square, 0)) / s->h_last;
        out[2] += 1;
    }
}
