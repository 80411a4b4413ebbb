// The step of moreau.h, and its method.
#include "integrate/nonsmooth/moreau.h"
#include "system/state/fields.h"
#include "system/state/move.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "integrate/nonsmooth/constants.h"

static const tmli_fields FIELDS = {
    "moreau", offsetof(tmli_moreau, memory),
    (const tmli_span[]){TMLI_NUMBERS(tmli_moreau, h_last, h_last),
                        TMLI_WORK(tmli_moreau, work),
                        TMLI_KEPT_STATES(tmli_moreau, x, previous),
                        TMLI_SCRATCH_STATES(tmli_moreau, trial, middle),
                        TMLI_KEPT(tmli_moreau, struck, lift, TMLI_BY_N, 1),
                        TMLI_SCRATCH(tmli_moreau, trial_struck, change, TMLI_BY_N, 1),
                        TMLI_SCRATCH(tmli_moreau, phi, trial_blow, TMLI_BY_M, 1),
                        TMLI_SCRATCH(tmli_moreau, acted, acted, TMLI_BY_N, 1),
                        TMLI_INDICES(tmli_moreau, warm_count, warm_count, 0, TMLI_BY_OWN, 0),
                        TMLI_KEPT(tmli_moreau, warm, warm, TMLI_BY_OWN, TMLI_WARM),
                        TMLI_SCRATCH(tmli_moreau, trial_warm, trial_warm, TMLI_BY_OWN, TMLI_WARM),
                        TMLI_SCRATCH(tmli_moreau, strike, strike, TMLI_BY_OWN, 6),
                        {0}}};

// ---- creation ---------------------------------------------------------------------------------------------

// room: for points of contact
static tmli_sizes sizes_of(const tml_system *sys, int room)
{
    tmli_sizes sizes = tmli_sizes_of(sys);
    sizes.of[TMLI_BY_OWN] = (size_t)room;
    return sizes;
}

static void destroy(void *self)
{
    tmli_moreau *s = self;
    if (!s) return;
    const tml_env *env = &s->sys->env;
    tmli_index1_clear(&s->matrix);
    tmli_consistent_clear(&s->consistent);
    tmli_cone_clear(&s->cone);
    tmli_free_all(env, s->found, s->inverse, s->coupled);
    tmli_object_clear(&FIELDS, s->sys, s);
    tmli_free(env, s);
}

// Which coordinates answer together with others: those of bodies with joints, and with forces on them.
static int mark_coupled(tmli_moreau *s)
{
    const tml_system *sys = s->sys;
    const tml_pattern *p = sys->pattern;
    int count = 0;
    s->free = !tmli_mb_mark_acted(s->m, s->acted);
    for (int b = 0; b < p->nblocks; b++) {
        const int first = p->blockptr[b], end = p->blockptr[b + 1];
        if (first >= sys->n) continue;
        bool coupled = p->colptr[first + 1] - p->colptr[first] > end - first;
        for (int j = first; j < end; j++) coupled = coupled || s->acted[j];
        for (int j = first; j < end && coupled; j++) s->coupled[j] = ++count;
    }
    return count;
}

// Inverse of the mass matrix of a body in its own coordinates: mass and inertia about its centre of mass.
static void invert_mass(const tml_model *m, int i, double P[36])
{
    const tmli_node *node = &m->node[i];
    const double *J = node->J.m;
    double full[36] = {0};
    const double c[3] = {J[4] * J[8] - J[5] * J[7], J[5] * J[6] - J[3] * J[8], J[3] * J[7] - J[4] * J[6]};
    const double det = J[0] * c[0] + J[1] * c[1] + J[2] * c[2];
    const double inverse[9] = {c[0], J[2] * J[7] - J[1] * J[8], J[1] * J[5] - J[2] * J[4],
                               c[1], J[0] * J[8] - J[2] * J[6], J[2] * J[3] - J[0] * J[5],
                               c[2], J[1] * J[6] - J[0] * J[7], J[0] * J[4] - J[1] * J[3]};
    for (int r = 0; r < 3; r++) {
        full[7 * r] = 1 / node->mass;
        for (int k = 0; k < 3 && det > 0; k++) full[6 * (3 + r) + 3 + k] = inverse[3 * r + k] / det;
    }
    if (m->planar && J[8] > 0) full[35] = 1 / J[8];
    for (int r = 0; r < node->ncoords; r++)
        for (int k = 0; k < node->ncoords; k++) P[6 * r + k] = full[6 * node->local[r] + node->local[k]];
}

static tml_status create_contacts(tmli_moreau *s, int room, tml_error *err)
{
    const tml_env *env = &s->sys->env;
    s->found = tmli_calloc(env, (size_t)room + 1, sizeof *s->found);
    s->inverse = tmli_calloc(env, 36 * (size_t)s->m->nnodes, sizeof *s->inverse);
    s->coupled = tmli_calloc(env, (size_t)s->sys->n, sizeof *s->coupled);
    if (!s->found || !s->inverse || !s->coupled) return tmli_no_memory(err, "contacts");
    const int nfar = mark_coupled(s), most = nfar > 0 ? MOST_ANSWERS / (3 * nfar) + 1 : 0;
    const tml_status st = tmli_cone_create(env, s->sys->n, s->m->nnodes + 1, room, nfar,
                                           most < room ? most : room, &s->cone, err);
    if (st != TML_OK) return st;
    for (int j = 0; j < s->sys->n; j++)
        if (s->coupled[j] > 0) s->cone.far_at[s->coupled[j] - 1] = j;
    for (int i = 0; i < s->m->nbodies; i++) {
        if (s->coupled[s->m->node[i].first] > 0) continue;
        if (!(s->m->node[i].mass > 0))
            return tmli_fail(err, TML_ERR_MODEL, "'%s' has no mass, and nothing but contacts holds it",
                             s->m->node[i].name);
        invert_mass(s->m, i, s->inverse + 36 * (size_t)i);
    }
    return TML_OK;
}

static tml_status create(const tml_system *sys, const tml_integrator_options *opt, void **self,
                         tml_error *err)
{
    const tml_model *m = tmli_mb_model(sys);
    *self = NULL;
    if (!m) return tmli_fail(err, TML_ERR_ARG, "method moreau needs a model");
    tmli_moreau *s = tmli_calloc(&sys->env, 1, sizeof *s);
    if (!s) return tmli_no_memory(err, "moreau");
    const int room = tmli_mb_captured_room(m);
    s->sys = sys;
    s->m = m;
    s->theta = 1 / (1 + (isnan(opt->run.rho) ? 1 : opt->run.rho));
    s->contacts.bound = CONTACT_TOLERANCE;
    const tmli_sizes sizes = sizes_of(sys, room);
    tml_status st = tmli_fields_create(&FIELDS, &sizes, s, err);
    if (st == TML_OK) st = create_contacts(s, room, err);
    if (st == TML_OK && !s->free)
        st = tmli_consistent_create_redundant(sys, opt->solver, &s->consistent, err);
    if (st == TML_OK && !s->free) st = tmli_index1_create(s->consistent.sys, opt->solver, &s->matrix, err);
    if (st == TML_OK) *self = s;
    else destroy(s);
    return st;
}

static tml_status start(void *self, const tml_state *x, tml_error *err)
{
    tmli_moreau *s = self;
    tml_state_copy(s->x, x);
    const tml_status st = s->free ? TML_OK : tmli_consistent_factor(&s->consistent, s->x, err);
    tml_state_copy(s->previous, s->x);
    tml_state_copy(s->trial, s->x);
    tml_state_copy(s->middle, s->x);
    memset(s->middle->udot, 0, (size_t)s->sys->n * sizeof(double));
    memset(s->middle->lambda, 0, (size_t)s->sys->m * sizeof(double));
    s->h_last = 0;
    return st;
}

static double first_step(void *self)
{
    (void)self;
    return 1e-3;  // never used: steps are fixed
}

// ---- the motion without contacts --------------------------------------------------------------------------

// Change of the angular velocity: (J + h th D) dw = -h w x J w.
static void turn(const tmli_moreau *s, int i, double h, double *v)
{
    double M[36], D[36], A[9], b[3];
    const tmli_node *node = &s->m->node[i];
    if (node->ncoords != 6) return;
    const vec3 w = v3_from(v + 3), torque = v3_cross(w, m3_mulv(&node->J, w));
    if (v3_dot(torque, torque) == 0) return;
    tmli_mb_node_blocks(s->m, i, s->middle, M, D);
    v3_store(v3_scale(-h, torque), b);
    for (int k = 0; k < 9; k++) {
        const int at = 6 * (3 + k / 3) + 3 + k % 3;
        A[k] = M[at] + h * s->theta * D[at];
    }
    for (int c = 0; c < 3; c++)  // J is definite, and the step small: no pivoting
        for (int r = c + 1; r < 3; r++) {
            const double factor = A[3 * r + c] / A[3 * c + c];
            for (int k = c; k < 3; k++) A[3 * r + k] -= factor * A[3 * c + k];
            b[r] -= factor * b[c];
        }
    for (int r = 2; r >= 0; r--) {
        for (int k = r + 1; k < 3; k++) b[r] -= A[3 * r + k] * b[k];
        b[r] /= A[3 * r + r];
        v[3 + r] += b[r];
    }
}

// Bodies on which gravity alone acts.
static void fall(tmli_moreau *s, double h)
{
    const vec3 g = s->m->gravity;
    const double down[3] = {g.x, g.y, g.z};
    for (int i = 0; i < s->m->nbodies; i++) {
        const tmli_node *node = &s->m->node[i];
        double *v = s->cone.v + node->first;
        turn(s, i, h, v);
        for (int k = 0; k < node->ncoords; k++)
            if (node->local[k] < 3) v[k] += h * down[node->local[k]];
    }
}

// (2) without contacts, s->cone.v: u0' to u1. Afterwards s->f has h f and s->phi the right-hand side of the
// constraints.
static tml_status move_all(tmli_moreau *s, double h, tml_error *err)
{
    const tml_system *sys = s->consistent.sys;
    const int n = sys->n;
    const tml_state *const y = s->middle;
    tmli_index1_rows_changed(&s->matrix);
    tml_status st = tmli_index1_factor(&s->matrix, y, h * s->theta, h * h * s->theta * s->theta, err);
    s->count.factorizations++;
    if (st == TML_OK) st = tmli_active_residual(sys, s->matrix.work, y, NULL, s->f, s->phi, err);
    if (st == TML_OK && sys->m > 0) st = tmli_active_velocity(sys, s->matrix.work, y, s->phi, err);
    if (st != TML_OK) return st;
    for (int j = 0; j < n; j++) s->f[j] *= -h;
    for (int r = 0; r < sys->m; r++) s->phi[r] /= -s->theta;
    tmli_index1_solve(&s->matrix, s->f, s->phi, s->change, s->lambda);
    for (int j = 0; j < n; j++) s->cone.v[j] += s->change[j];
    return TML_OK;
}

// The velocities and multipliers with the impulses of contacts, in one solution: joints hold to round-off.
static void settle(tmli_moreau *s)
{
    const int n = s->sys->n;
    memcpy(s->load, s->f, (size_t)n * sizeof *s->load);
    tmli_moreau_add_impulses(s, s->load);
    tmli_index1_solve(&s->matrix, s->load, s->phi, s->change, s->lambda);
    for (int j = 0; j < n; j++)
        if (s->coupled[j] > 0) s->cone.v[j] = s->trial_struck[j] + s->change[j];
}

// ---- contacts ---------------------------------------------------------------------------------------------

// (3); s->strike (3 per point): velocities at the start. Over h the round-off of gaps would be a velocity.
static void set_bounds(tmli_moreau *s, double h)
{
    const double roundoff = GAP_ROUNDOFF * DBL_EPSILON * s->sys->length;
    for (int i = 0; i < s->cone.count; i++) {
        tmli_cone_point *p = &s->cone.point[i];
        double *u = s->strike + 3 * i;
        tmli_cone_velocity(&s->cone, p, u);
        const double gap = s->found[i].gap > roundoff ? s->found[i].gap : 0;
        p->b = fmin(0, -(gap / h + (1 - s->theta) * u[0]) / s->theta);
        p->in = true;
    }
}

static void count_contacts(tmli_moreau *s, const tmli_cone_result *r)
{
    tml_contact_counters *c = &s->trial_contacts;
    int points = 0;
    for (int i = 0; i < s->cone.count; i++) {
        const tmli_cone_point *p = &s->cone.point[i];
        double u[3];
        if (!(p->r[0] > 0)) continue;
        points++;
        tmli_cone_velocity(&s->cone, p, u);
        for (int k = 0; k < 3; k++) c->friction_loss -= p->r[k] * (u[k] + s->strike[3 * i + k]) / 2;
    }
    c->points = points > c->points ? points : c->points;
    c->islands = r->islands > c->islands ? r->islands : c->islands;
}

// ---- the step ---------------------------------------------------------------------------------------------

// q = q0 (+) h (a u0' + b u1)
static void move_from_start(tmli_moreau *s, double h, double a, double b, const double *u1, tml_state *out)
{
    for (int j = 0; j < s->sys->n; j++)
        s->change[j] = h * (a * s->trial_struck[j] + (b != 0 ? b * u1[j] : 0));
    tmli_state_move(s->sys, s->x, s->change, out);
}

// (2) and (3)
static tml_status solve_motion(tmli_moreau *s, double h, tml_error *err)
{
    tmli_cone_result r = {0};
    const size_t bytes = (size_t)s->sys->n * sizeof(double);
    set_bounds(s, h);
    tmli_inactive_copy(s->middle, s->x);
    move_from_start(s, h, s->theta, 0, NULL, s->middle);
    s->middle->t = s->x->t + s->theta * h;
    memcpy(s->middle->u, s->cone.v, bytes);
    tml_status st = TML_OK;
    if (s->free) fall(s, h);
    else st = move_all(s, h, err);
    if (st == TML_OK) st = tmli_moreau_answer(s, 3, err);
    if (st != TML_OK) return st;
    if (s->cone.count > 0) {
        tmli_moreau_recall(s);
        st = tmli_moreau_solve(s, &r, err);
        if (st != TML_OK) return st;
        if (!s->free && tmli_moreau_touches_coupled(s)) settle(s);
        count_contacts(s, &r);
    }
    if (!s->free) s->trial_contacts.last_driven += tmli_moreau_driven(s, s->middle);
    tmli_moreau_keep(s);
    return TML_OK;
}

static tml_status step(void *self, double h, double *error, tml_error *err)
{
    tmli_moreau *s = self;
    const tml_system *sys = s->sys;
    const size_t bytes = (size_t)sys->n * sizeof(double);
    s->h_trial = h;
    *error = 0;
    s->trial_contacts = s->contacts;
    s->trial_contacts.last_driven = s->trial_contacts.last_impact_driven = 0;
    tml_status st = tmli_moreau_find(s, s->x, h, err);
    memcpy(s->cone.v, s->x->u, bytes);
    if (st == TML_OK) st = tmli_moreau_strike(s, s->x, h, err);
    if (st != TML_OK) return st;
    s->trial_contacts.last_driven = s->trial_contacts.last_impact_driven;
    memcpy(s->trial_struck, s->cone.v, bytes);
    st = solve_motion(s, h, err);
    if (st != TML_OK) return st;
    tml_state *const y = s->trial;
    tml_state_copy(y, s->x);
    y->t = s->x->t + h;
    memcpy(y->u, s->cone.v, bytes);
    for (int j = 0; j < sys->n; j++) {
        if (!isfinite(y->u[j]))
            return tmli_fail(err, TML_ERR_NAN, "a velocity is not finite at t = %g s", y->t);
        y->udot[j] = (y->u[j] - s->x->u[j]) / h;
    }
    for (int r = 0; r < sys->m; r++) y->lambda[r] = s->lambda[r] / h;
    move_from_start(s, h, 1 - s->theta, s->theta, y->u, y);
    return tmli_moreau_set_positions(s, err);
}

static double next_step(void *self, double h, double error, bool accepted)
{
    (void)self;
    (void)error;
    (void)accepted;
    return h;
}

static void accept(void *self, double t)
{
    tmli_moreau *s = self;
    tml_state *const before = s->previous;
    double *const struck = s->struck, *const lifted = s->lift, *const warm = s->warm, *const blow = s->blow;
    s->previous = s->x;
    s->x = s->trial;
    s->trial = before;
    s->x->t = t;
    s->struck = s->trial_struck;
    s->trial_struck = struck;
    s->lift = s->trial_lift;
    s->trial_lift = lifted;
    s->warm = s->trial_warm;
    s->trial_warm = warm;
    s->blow = s->trial_blow;
    s->trial_blow = blow;
    s->blows = s->trial_blows;
    s->warm_count = s->trial_warm_count;
    tml_contact_counters *const c = &s->trial_contacts;
    const tml_contact_counters *b = &s->contacts;
    c->last_impact_loss = c->impact_loss - b->impact_loss;
    c->last_loss = c->last_impact_loss + (c->friction_loss - b->friction_loss) - (c->lifted - b->lifted);
    c->missed = b->missed;  // counted by trials that were not accepted
    s->contacts = s->trial_contacts;
    s->h_last = t - s->previous->t;
    if (s->sys->ops->accept) s->sys->ops->accept(s->sys->self, s->work, s->x);
    s->count.steps++;
}

// From u0' the velocity changes linearly; depths are removed along the way.
static void interpolate(void *self, double theta, tml_state *out)
{
    tmli_moreau *s = self;
    const double h = s->h_last;
    tml_state_copy(out, s->x);
    if (!(theta < 1) || h == 0) return;
    for (int j = 0; j < s->sys->n; j++) {
        const double change = s->x->u[j] - s->struck[j];
        s->change[j] = h * theta * (s->struck[j] + theta / 2 * change) + theta * s->lift[j];
        out->u[j] = s->struck[j] + theta * change;
    }
    tmli_state_move(s->sys, s->previous, s->change, out);
    out->t = s->previous->t + theta * h;
}

static const tml_state *state(const void *self) { return ((const tmli_moreau *)self)->x; }
static void counters(const void *self, tml_counters *out) { *out = ((const tmli_moreau *)self)->count; }
static void contacts(const void *self, tml_contact_counters *out)
{
    *out = ((const tmli_moreau *)self)->contacts;
}

static const tml_state *blows(const void *self, double **row)
{
    const tmli_moreau *s = self;
    *row = s->blow;
    return s->blows ? s->previous : NULL;
}

static void loads(const void *self, int contact, double out[3]) { tmli_moreau_loads(self, contact, out); }

static void archive(void *self, tml_archive *a)
{
    tmli_moreau *s = self;
    tml_contact_counters *c = &s->contacts;
    const tmli_sizes sizes = sizes_of(s->sys, s->cone.room);
    tmli_fields_archive(&FIELDS, &sizes, s, a);
    tml_counters_archive(&s->count, a);
    long *const longs[] = {&c->impacts, &c->sweeps, &c->missed};
    double *const numbers[] = {&c->residual,         &c->depth,       &c->impact_loss,
                               &c->friction_loss,    &c->lifted,      &c->last_loss,
                               &c->last_impact_loss, &c->last_driven, &c->last_impact_driven};
    tml_archive_ints(a, &c->points, 1);
    tml_archive_ints(a, &c->islands, 1);
    for (size_t i = 0; i < sizeof longs / sizeof *longs; i++) tml_archive_longs(a, longs[i], 1);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) tml_archive_doubles(a, numbers[i], 1);
    if (s->free) return;
    tmli_consistent_archive(&s->consistent, a);
    tmli_index1_archive(&s->matrix, a);
}

const tml_method_ops tml_method_moreau = {
    .name = "moreau",
    .summary = "time stepping for contacts: captured; order 2 between impacts, 1 across",
    .form = "velocities and impulses",
    .stability = "A-stable, rho = 0..1",
    .citation = "Moreau 1988; Jean 1999",
    .order = 1,
    .equations = TML_EQUATIONS_INDEX2,
    .one_step = true,
    .selects_rows = true,
    .coarse_multipliers = true,
    .halvings = MOST_HALVINGS,
    .create = create,
    .start = start,
    .first_step = first_step,
    .step = step,
    .next_step = next_step,
    .accept = accept,
    .interpolate = interpolate,
    .state = state,
    .counters = counters,
    .destroy = destroy,
    .archive = archive,
    .contacts = contacts,
    .contact_loads = loads,
    .contact_blows = blows,
};
