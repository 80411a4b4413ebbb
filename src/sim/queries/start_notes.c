// What a user should know about the start of a run: velocities and positions that the assembly has replaced,
// velocities that lead out of a singular configuration nowhere, beams that stay behind, and torsion springs
// that cannot act.
#include "analysis/assembly/conflict.h"
#include "base/tolerances.h"
#include "element/force/force.h"
#include "sim/queries/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "consistency/tolerances.h"
#include "sim/queries/constants.h"

// ---- changes by the assembly ------------------------------------------------------------------------------

static double velocity_unit(const tml_sim *sim, int k) { return k < 3 ? 1 : sim->sys->length; }

static double size3(const double *x) { return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); }

// "[0, 0, 6.28]", or "6.28" about z in a planar model. Components that are nothing beside `most` are 0.
static void vector_text(const tml_sim *sim, const double *value, double most, bool spin, char *buf,
                        size_t size)
{
    double x[3];
    for (int i = 0; i < 3; i++) x[i] = fabs(value[i]) > TMLI_AGREEMENT * most ? value[i] : 0;
    if (sim->model->planar && spin) snprintf(buf, size, "%.4g", x[2]);
    else if (sim->model->planar) snprintf(buf, size, "[%.4g, %.4g]", x[0], x[1]);
    else snprintf(buf, size, "[%.4g, %.4g, %.4g]", x[0], x[1], x[2]);
}

static tml_status add_sentence(tml_sim *sim, const char *text, tml_error *err)
{
    const char *copy = tmli_arena_strdup(&sim->arena, text);
    if (!copy) return tmli_no_memory(err, "simulation");
    sim->start_sentence[sim->report.start_change_count++] = copy;
    return TML_OK;
}

// Largest given speed [m/s]; rotations times the model length.
static double given_speed(const tml_sim *sim, const tml_state *given)
{
    double most = 0;
    for (int i = 0; i < sim->model->nbodies; i++) {
        double v[6];
        tmli_node_velocity(sim->model, given->u, i, v);
        most = fmax(most, fmax(size3(v), velocity_unit(sim, 3) * size3(v + 3)));
    }
    return most;
}

// Velocities that were given, that is, are not zero, and have changed by more than the tolerance. A body
// without a velocity of its own follows the others and the drivers.
static tml_status note_velocity(tml_sim *sim, const tml_state *given, int body, double allowed,
                                tml_error *err)
{
    static const char *const what[2] = {"velocity", "angular velocity"}, *const unit[2] = {"m/s", "rad/s"};
    double from[6], to[6];
    tmli_node_velocity(sim->model, given->u, body, from);
    tmli_node_velocity(sim->model, sim->out->u, body, to);
    tml_status st = TML_OK;
    for (int part = 0; part < 2 && st == TML_OK; part++) {
        const double *a = from + 3 * part, *b = to + 3 * part;
        const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        if (size3(a) == 0 || size3(d) * velocity_unit(sim, 3 * part) <= allowed) continue;
        char before[80], after[80], text[400];
        const double most = fmax(size3(a), size3(b));
        vector_text(sim, a, most, part == 1, before, sizeof before);
        vector_text(sim, b, most, part == 1, after, sizeof after);
        snprintf(text, sizeof text, "%s of body '%.80s' from %s to %s %s", what[part],
                 sim->model->node[body].name, before, after, unit[part]);
        st = add_sentence(sim, text, err);
    }
    return st;
}

static void warn_of_velocities(const tml_sim *sim)
{
    const int count = sim->report.start_change_count;
    if (count == 0) return;
    char more[64] = "";
    if (count > 1) snprintf(more, sizeof more, " (and %d more; the summary lists them)", count - 1);
    tmli_log(&sim->env, TML_LOG_WARNING,
             "initial velocities violate the joints or drivers; the start changes the %s%s. Give velocities "
             "of all bodies that fit together ('trammel check' names the rows)",
             sim->start_sentence[0], more);
}

// A beam without velocities follows its joints as a rigid body would not: its end moves, the rest stays
// behind, and all of its vibrations begin. The node whose velocity changes most is named.
static void warn_of_beams(const tml_sim *sim, const tml_state *given, double tol)
{
    const tml_model *m = sim->model;
    double most = tol * fmax(given_speed(sim, given), given_speed(sim, sim->out)), to[6] = {0};
    int found = -1;
    for (int i = 0; i < m->nforces; i++) {
        const tmli_force *f = &m->force[i];
        if (f->ops != tmli_force_type(TML_FORCE_BEAM)) continue;
        for (int s = 0; s < f->plan.nslots; s++) {
            const int node = f->plan.node[s];
            double a[6], b[6];
            tmli_node_velocity(m, given->u, node, a);
            tmli_node_velocity(m, sim->out->u, node, b);
            const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
            if (size3(a) > 0 || size3(d) <= most) continue;
            most = size3(d);
            found = node;
            memcpy(to, b, sizeof to);
        }
    }
    if (found < 0) return;
    char text[80];
    vector_text(sim, to, size3(to), false, text, sizeof text);
    tmli_log(
        &sim->env, TML_LOG_WARNING,
        "a beam begins deformed motion: joints or drivers move its node '%s' with %s m/s, and the beam has "
        "no velocity of its own; it will vibrate. Give the beam the `velocity` and `angular_velocity` of "
        "its rigid motion",
        m->node[found].name, text);
}

static bool moves_coordinate(const tmli_constraint *c)
{
    return c->type == TML_JOINT_DRIVER && !c->rate[0] && c->motion;
}

// "file:7:3: ", or nothing for a model without a file
static const char *place_text(tml_mark at, char buf[TML_ERROR_FILE + 32])
{
    buf[0] = 0;
    if (at.file) snprintf(buf, TML_ERROR_FILE + 32, "%s:%d:%d: ", at.file, at.line, at.col);
    return buf;
}

// The constraints at the state that is given.
typedef struct given_rows {
    double *phi, *rows;  // (m), (entries)
    double allowed;      // gap or motion that is a matter of digits [model lengths or rad]
} given_rows;

// A driver whose motion begins elsewhere than its coordinate: the assembly moves the bodies to it.
static void warn_of_drivers(const tml_sim *sim, const tml_state *given, const given_rows *g)
{
    const tml_system *s = sim->sys;
    for (int i = 0; i < sim->model->nconstraints; i++) {
        const tmli_constraint *c = &sim->model->constraint[i];
        if (!moves_coordinate(c)) continue;
        const bool length = tmli_conflict_is_length(s, g->rows, c->first);
        const double gap = g->phi[c->first];
        if (!(fabs(gap) > g->allowed * (length ? s->length : 1))) continue;
        double jet[3];
        char place[TML_ERROR_FILE + 32];
        tmli_mb_row_time(c, given, 0, jet);
        tmli_log(
            &sim->env, TML_LOG_WARNING,
            "%sdriver '%s' begins at %.6g %s, but its coordinate is %.6g %s in the start that is given: "
            "the assembly moves the bodies. Let the motion begin there, or give the bodies another start",
            place_text(c->at, place), c->name, jet[0], length ? "m" : "rad", jet[0] + gap,
            length ? "m" : "rad");
    }
}

// The row that is open most in the state that is given, in model lengths or rad; -1: none is.
static int find_open_joint(const tml_sim *sim, const given_rows *g, bool *length)
{
    const tml_system *s = sim->sys;
    double most = g->allowed;
    int found = -1;
    for (int r = 0; r < s->m; r++) {
        const int owner = sim->model->row_owner[r];
        const tmli_constraint *c = owner >= 0 ? &sim->model->constraint[owner] : NULL;
        if (!c || c->stick || c->rate[r - c->first]) continue;
        const bool is_length = tmli_conflict_is_length(s, g->rows, r);
        const double gap = fabs(g->phi[r]) / (is_length ? s->length : 1);
        if (!(gap > most)) continue;
        most = gap;
        found = r;
        *length = is_length;
    }
    return found;
}

// A joint with `point` has its frames where the bodies start: it is closed there. If another joint
// is not, the assembly moves the bodies, and the joint is not where it was placed.
static void warn_of_places(const tml_sim *sim, const tml_state *given, const given_rows *g)
{
    const tml_model *m = sim->model;
    bool length = false;
    const int row = find_open_joint(sim, g, &length);
    const tmli_constraint *open = row >= 0 ? &m->constraint[m->row_owner[row]] : NULL;
    if (!open || open->motion) return;  // of drivers a sentence tells it
    const tmli_constraint *found = NULL;
    double most = g->allowed, way = 0, angle = 0;
    int body = -1;
    for (int i = 0; i < m->nconstraints; i++) {
        const tmli_constraint *c = &m->constraint[i];
        for (int k = 0; k < c->plan.nslots && c->placed; k++) {
            const double *a = given->q + (ptrdiff_t)7 * c->plan.node[k],
                         *b = sim->out->q + (ptrdiff_t)7 * c->plan.node[k];
            const double moved = v3_norm(v3_sub(v3_from(b), v3_from(a))),
                         turned = v3_norm(tmli_so3_log(q_mul(q_conj(q_from(a + 3)), q_from(b + 3))));
            if (!(fmax(moved / sim->sys->length, turned) > most)) continue;
            most = fmax(moved / sim->sys->length, turned);
            way = moved;
            angle = turned;
            found = c;
            body = c->plan.node[k];
        }
    }
    char place[TML_ERROR_FILE + 32];
    if (found)
        tmli_log(&sim->env, TML_LOG_WARNING,
                 "%sjoint '%s' was placed by its point where the bodies start, but the assembly "
                 "moves body '%s' by %.3g m and turns it by %.3g rad: joint '%s' is open by %.3g %s in the "
                 "start that is given. Give a start that fits it",
                 place_text(found->at, place), found->name, m->node[body].name, way, angle, open->name,
                 fabs(g->phi[row]), length ? "m" : "rad");
}

// Positions that the assembly has changed although the user may think that they fit.
static tml_status warn_of_positions(tml_sim *sim, const tml_state *given, double tol, tml_error *err)
{
    const tml_system *s = sim->sys;
    const tml_model *m = sim->model;
    bool any = false;
    for (int i = 0; i < m->nconstraints && !any; i++)
        any = m->constraint[i].placed || moves_coordinate(&m->constraint[i]);
    if (!any) return TML_OK;
    double *f = tmli_calloc(&sim->env, (size_t)(s->n + s->m + s->rowptr[s->m]), sizeof *f);
    if (!f) return tmli_no_memory(err, "simulation");
    const given_rows g = {f + s->n, f + s->n + s->m, fmax(tol, DRIVER_GAP)};
    if (s->ops->residual(s->self, sim->work, given, NULL, f, g.phi, NULL) == TML_OK &&
        s->ops->rows(s->self, sim->work, given, g.rows, NULL) == TML_OK) {
        warn_of_drivers(sim, given, &g);
        warn_of_places(sim, given, &g);
    }
    tmli_free(&sim->env, f);
    return TML_OK;
}

tml_status tmli_sim_note_start(tml_sim *sim, const tml_state *given, tml_error *err)
{
    const tml_model *m = sim->model;
    const double tol = fmax(TMLI_INPUT_ERROR, fmax(sim->run.rtol, sim->run.atol));
    sim->report.start_change_count = 0;
    sim->start_sentence = tmli_arena_alloc(&sim->arena, 2 * (size_t)m->nbodies, sizeof *sim->start_sentence);
    if (!sim->start_sentence) return tmli_no_memory(err, "simulation");
    tml_status st = warn_of_positions(sim, given, tol, err);
    const double allowed = tol * given_speed(sim, given);
    for (int i = 0; i < m->nbodies && st == TML_OK; i++) st = note_velocity(sim, given, i, allowed, err);
    sim->report.start_changes = sim->start_sentence;
    warn_of_velocities(sim);
    warn_of_beams(sim, given, tol);
    return st;
}

// ---- velocities on no branch ------------------------------------------------------------------------------

// Dependent rows, w'B = 0, leave w'B udot = 0 for any acceleration: B udot = gamma(q,u), (4) of system.h, has
// a solution only if w'gamma(q,u) = 0. Where rows depend on each other in all positions this holds; in a
// singular configuration only for the velocities of its branches. At rest u = 0 the motion begins along its
// accelerations, and the fourth derivative of the constraints asks the same of them. The row that is left out
// shows it: for y with B y = gamma in the active rows, its |B_r y - gamma_r| is, in units of the row, of the
// order of the squared rates if the condition fails, and round-off, as in the active rows, if it holds.
typedef struct departure {
    const double *unit;         // (n + m) of coordinates and rows
    double *gamma, *B, *y, *f;  // (m), (entries), (n), (n)
    double rate;                // largest |u|/unit of the state [1/s]
} departure;

static double row_times(const tml_sim *sim, const departure *d, const double *y, int r)
{
    const tml_system *s = sim->sys;
    double sum = 0;
    for (int k = s->rowptr[r]; k < s->rowptr[r + 1]; k++) sum += d->B[k] * y[s->rowcol[k]];
    return sum / d->unit[s->n + r];
}

static double largest_rate(const tml_sim *sim, const double *u)
{
    double rate = 0;
    for (int j = 0; j < sim->sys->n - sim->sys->nz; j++)
        rate = fmax(rate, fabs(u[j]) / sim->consistent.redundant.unit[j]);
    return rate;
}

// gamma, B and y for the velocities of x. False: x does not satisfy its constraints, or is at rest.
static bool find_departure(tml_sim *sim, const tml_state *x, departure *d)
{
    const tml_system *s = sim->sys;
    d->rate = largest_rate(sim, x->u);
    if (s->ops->dynamics(s->self, sim->work, x, d->f, d->gamma, NULL) != TML_OK ||
        s->ops->rows(s->self, sim->work, x, d->B, NULL) != TML_OK)
        return false;
    for (int r = 0; r < s->m; r++)
        if (!(fabs(row_times(sim, d, x->u, r)) <= TMLI_INPUT_ERROR * d->rate)) return false;
    memset(d->f, 0, (size_t)s->n * sizeof *d->f);
    tmli_index1_solve(&sim->consistent.matrix, d->f, d->gamma, d->y, NULL);
    return d->rate > 0;
}

// The row left out whose gap is largest; -1: none opens.
static int find_open_row(const tml_sim *sim, const bool *left_out, const departure *d)
{
    const tml_system *s = sim->sys;
    double noise = 0, most = 0;
    int found = -1;
    for (int r = 0; r < s->m; r++) {
        const double gap = fabs(row_times(sim, d, d->y, r) - d->gamma[r] / d->unit[s->n + r]);
        if (!left_out[r]) noise = fmax(noise, gap);
        if (!left_out[r] || !(gap > most)) continue;
        most = gap;
        found = r;
    }
    const double limit = fmax(TMLI_AMPLIFIED_TOLERANCE * d->rate * d->rate, noise / TMLI_AMPLIFIED_TOLERANCE);
    return most > limit ? found : -1;
}

static tml_status fail_branch(const tml_sim *sim, bool rest, int row, tml_error *err)
{
    char name[128];
    return tmli_fail(
        err, TML_ERR_MODEL,
        "the model starts %sin a singular configuration, in which %s depends on other joints, and its %s on "
        "none of the branches that lead out of it: no motion in this direction keeps all joints closed. "
        "Start beside the configuration, or with velocities of one branch",
        rest ? "at rest " : "", sim->sys->row_name(sim->sys, row, name, sizeof name),
        rest ? "accelerations are" : "velocities are");
}

tml_status tmli_sim_check_branch(tml_sim *sim, tml_error *err)
{
    const tml_system *s = sim->sys;
    const size_t n = (size_t)s->n, m = (size_t)s->m;
    const double duration = sim->run.end - sim->run.start;
    const bool *left_out = tmli_consistent_redundant(&sim->consistent);
    if (!left_out || !s->autonomous || tmli_consistent_inactive_count(&sim->consistent) == 0) return TML_OK;
    if (sim->consistent.matrix.has_massless) return TML_OK;
    const bool rest = largest_rate(sim, sim->out->u) * duration < TMLI_INPUT_ERROR;
    if (rest && largest_rate(sim, sim->out->udot) * duration * duration < TMLI_INPUT_ERROR) return TML_OK;
    double *memory = tmli_calloc(&sim->env, 2 * n + m + (size_t)s->rowptr[s->m] + 1, sizeof *memory);
    if (!memory) return tmli_no_memory(err, "simulation");
    departure d = {.unit = sim->consistent.redundant.unit, .y = memory, .f = memory + n};
    d.gamma = d.f + n;
    d.B = d.gamma + m;
    tml_state_copy(sim->scratch, sim->out);
    if (rest) memcpy(sim->scratch->u, sim->out->udot, (n - (size_t)s->nz) * sizeof(double));
    tml_status st = tmli_consistent_factor(&sim->consistent, sim->out, err);
    const int row =
        st == TML_OK && find_departure(sim, sim->scratch, &d) ? find_open_row(sim, left_out, &d) : -1;
    tmli_free(&sim->env, memory);
    return row >= 0 ? fail_branch(sim, rest, row, err) : st;
}

// ---- torsion springs that cannot act ----------------------------------------------------------------------

// g (n) += gradient of the measure that a force acts along
static void add_gradient(const tml_sim *sim, int use, double *g)
{
    const tml_model *m = sim->model;
    const tmli_measure_use *u = &m->measure_use[use];
    const tmli_work *w = sim->work;
    double g12[12];
    tmli_measure_grad(&u->measure, tmli_pose_of(w->pose, u->node[0]), tmli_pose_of(w->pose, u->node[1]), g12);
    for (int side = 0; side < 2; side++) {
        if (u->node[side] < 0) continue;
        const tmli_node *node = &m->node[u->node[side]];
        for (int k = 0; k < node->ncoords; k++) g[node->first + k] += g12[6 * side + node->local[k]];
    }
}

// With the unit force g along the angle the bodies accelerate by x, M x + B' y = g, B x = 0, and the angle by
// g'x; without joints by the sum of g_j^2/M_jj. A spring across the axis of its joint has g'x = 0.
static bool is_idle(tml_sim *sim, int use, const double *mass, double *g, double *x)
{
    const int n = sim->sys->n;
    double held = 0, free = 0;
    memset(g, 0, (size_t)n * sizeof *g);
    add_gradient(sim, use, g);
    tmli_index1_solve(&sim->consistent.matrix, g, NULL, x, NULL);
    for (int j = 0; j < n; j++) {
        held += g[j] * x[j];
        if (mass[j] > 0) free += g[j] * g[j] / mass[j];
    }
    return free > 0 && held < TMLI_INPUT_ERROR * free;
}

// A force along an angle: a torsion spring.
static bool is_torsion(const tml_model *m, const tmli_force *f)
{
    return f->use >= 0 && f->nchannels > 0 && f->channel[0].kind == TMLI_CHANNEL_MEASURE &&
           tmli_measure_is_angle(m->measure_use[f->use].measure.kind);
}

tml_status tmli_sim_note_idle_springs(tml_sim *sim, tml_error *err)
{
    const tml_model *m = sim->model;
    const size_t n = (size_t)sim->sys->n;
    bool any = false;
    for (int i = 0; i < m->nforces; i++) any |= is_torsion(m, &m->force[i]);
    if (!any || sim->consistent.matrix.has_massless) return TML_OK;
    double *mass = tmli_calloc(&sim->env, 5 * n, sizeof *mass);
    if (!mass) return tmli_no_memory(err, "simulation");
    tml_status st =
        sim->sys->ops->diagonals(sim->sys->self, sim->work, sim->out, mass, mass + n, mass + 2 * n, err);
    if (st == TML_OK) st = tmli_consistent_factor(&sim->consistent, sim->out, err);
    if (st == TML_OK) tmli_mb_set_poses(m, sim->work, sim->out->q);
    for (int i = 0; i < m->nforces && st == TML_OK; i++) {
        const tmli_force *f = &m->force[i];
        if (!is_torsion(m, f) || !is_idle(sim, f->use, mass, mass + 3 * n, mass + 4 * n)) continue;
        tmli_log(
            &sim->env, TML_LOG_WARNING,
            "torsion '%s' does nothing: the joints forbid the rotation about its axis, the z axis of its "
            "frame a; turn its frames so that z is the axis of the joint",
            f->name);
    }
    tmli_free(&sim->env, mass);
    return st;
}
