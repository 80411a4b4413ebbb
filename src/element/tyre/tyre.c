// Tyre; symbols as in tyre.h. With the gradient g(a) = (a, p x R'a) of a.P,
//   sdot = e.v, hdot = n.v,   v = rdot + R b,   b = w x p                                                 (1)
//   cdot = z' sdot - hdot,    c_d = z' g(e) - g(n)                                                        (2)
//   cdot_d = z'' sdot g(e) + (0, b x R'(z' e - n))           (R b changes by -R b~ dth)                   (3)
//   F_d = F_c c_d + d cdot_d,   F_u = d c_d                                                               (4)
//   Q = F g(a),   a = n, or n - z' e                                                                      (5)
//   -Q_d = -g(a) F_d' - F (0, p~ (R'a)~) + F z'' g(e) g(e)'  (last term: along the normal only)           (6)
//   -Q_u = -g(a) F_u'                                                                                     (7)
// The power without the part of the potential U(c) is P = Q.u + U' cdot: -d cdot^2 for a force along the
// normal, and F z' sdot in addition for a force along `up`.
#include "element/tyre/tyre.h"
#include "base/modes.h"

#include <math.h>

#include "element/tyre/constants.h"

static const double FREE = 1, PRESSED = 2, RELAXING = 3;  // modes of contact

static void gradient(const tmli_tyre *t, const tmli_pose *B, vec3 a, double g[6])
{
    v3_store(a, g);
    v3_store(v3_cross(t->p, m3_tmulv(&B->R, a)), g + 3);
}

static vec3 force_direction(const tmli_tyre *t, const tmli_tyre_state *x)
{
    return t->normal ? v3_axpy(-x->road[1], t->e, t->n) : t->n;
}

double tmli_tyre_upright(double lean) { return sqrt(fmax(1 - lean * lean, LYING * LYING)); }

// The state of the tyre on a piece of the road and on a branch of its table, without the contact;
// negative: the actual ones.
static void evaluate_state(const tmli_tyre *t, const tmli_pose *B, const double u[6], int piece, int branch,
                           tmli_tyre_state *x)
{
    const vec3 P = v3_sub(v3_add(B->r, m3_mulv(&B->R, t->p)), t->o);
    const vec3 v = v3_add(v3_from(u), m3_mulv(&B->R, v3_cross(v3_from(u + 3), t->p)));  // (1)
    x->s = v3_dot(t->e, P);
    x->s_rate = v3_dot(t->e, v);
    tmli_profile_eval(&t->profile, piece < 0 ? tmli_profile_piece(&t->profile, x->s) : piece, x->s, x->road);
    x->compression = t->radius + x->road[0] - v3_dot(t->n, P);
    x->rate = x->road[1] * x->s_rate - v3_dot(t->n, v);  // (2)
    if (t->disc) {                                       // (1) of slip.h
        const vec3 a = m3_mulv(&B->R, t->axis), turning = v3_cross(m3_mulv(&B->R, v3_from(u + 3)), a);
        const double lean = v3_dot(t->n, a), upright = tmli_tyre_upright(lean);
        x->compression += t->radius * (upright - 1);
        x->rate -= t->radius * lean * v3_dot(t->n, turning) / upright;
    }
    x->spring = t->stiffness * x->compression;
    x->slope = t->stiffness;
    if (t->table) {
        double slope;
        x->spring += tmli_curve_eval_branch(t->table, branch, x->compression, &slope, NULL);
        x->slope += slope;
    }
    x->force = x->spring + t->damping * x->rate;
    x->presses = x->stores = true;
}

// The state of the contact.
static double contact_of(const tmli_tyre_state *x)
{
    return !(x->compression > 0) ? FREE : x->force > 0 ? PRESSED : RELAXING;
}

// Event function of the contact [m]: distance to the nearer end of the branch.
static double contact_event_value(const tmli_tyre *t, const tmli_tyre_state *x, double branch)
{
    const double push = x->force / (t->stiffness > 0 ? t->stiffness : 1);
    if (branch == FREE) return -x->compression;
    return fmin(x->compression, branch == PRESSED ? push : -push);
}

static bool has_pieces(const tmli_tyre *t) { return t->profile.nbreaks > 0; }

// The piece that the mode fixes; -1: none.
static int fixed_piece(const tmli_tyre *t, const double *mode)
{
    return mode && has_pieces(t) && tmli_mode_fixes_branch(mode[0]) ? (int)mode[0] - 1 : -1;
}

static bool has_kinks(const tmli_tyre *t) { return t->table && tmli_curve_smoothness(t->table) < 1; }

// The mode of the table, and the branch that it fixes; -1: none.
static int table_mode(const tmli_tyre *t) { return has_pieces(t) + t->contact; }
static int fixed_branch(const tmli_tyre *t, const double *mode)
{
    return mode && has_kinks(t) && tmli_mode_fixes_branch(mode[table_mode(t)]) ? (int)mode[table_mode(t)] - 1
                                                                               : -1;
}

static double table_event_value(const tmli_tyre *t, int branch, double compression)
{
    double low, high;
    tmli_curve_branch_ends(t->table, branch, &low, &high);
    return fmin(compression - low, high - compression);
}

void tmli_tyre_at(const tmli_tyre *t, const tmli_pose *B, const double u[6], const double *mode,
                  tmli_tyre_state *out)
{
    evaluate_state(t, B, u, fixed_piece(t, mode), fixed_branch(t, mode), out);
    if (!t->contact) return;
    const double fixed = mode ? mode[has_pieces(t)] : TML_SWITCH_UNSET;
    const double branch = tmli_mode_fixes_branch(fixed) ? fixed : contact_of(out);
    out->presses = branch == PRESSED;
    out->stores = branch != FREE;
    if (!out->presses) out->force = 0;
}

void tmli_tyre_contact(const tmli_tyre *t, const tmli_pose *B, const tmli_tyre_state *x, vec3 *point,
                       vec3 *normal)
{
    const vec3 P = v3_add(B->r, m3_mulv(&B->R, t->p)), direction = force_direction(t, x);
    *point = v3_axpy(x->compression - t->radius, direction, P);
    *normal = v3_scale(x->force, direction);
}

void tmli_tyre_eval(const tmli_tyre *t, const tmli_pose *B, const tmli_tyre_state *x, double Q[6])
{
    double g[6];
    gradient(t, B, force_direction(t, x), g);
    for (int i = 0; i < 6; i++) Q[i] += x->force * g[i];  // (5)
}

void tmli_tyre_tangent(const tmli_tyre *t, const tmli_pose *B, const double u[6], const tmli_tyre_state *x,
                       int width, double *H, double *D)
{
    if (!x->presses) return;
    const vec3 a = force_direction(t, x), below = v3_axpy(x->road[1], t->e, v3_scale(-1, t->n));
    const vec3 b = v3_cross(v3_from(u + 3), t->p);
    double along[6], ga[6], c_d[6], rotating[6] = {0};
    gradient(t, B, t->e, along);
    gradient(t, B, a, ga);
    gradient(t, B, below, c_d);                                   // (2)
    v3_store(v3_cross(b, m3_tmulv(&B->R, below)), rotating + 3);  // (3)
    const double normal_change = t->normal ? x->force * x->road[2] : 0;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            const double rate_d = x->road[2] * x->s_rate * along[j] + rotating[j];
            const double F_d = x->slope * c_d[j] + t->damping * rate_d;             // (4)
            H[i * width + j] += normal_change * along[i] * along[j] - ga[i] * F_d;  // (6)
            D[i * width + j] -= ga[i] * t->damping * c_d[j];                        // (7)
        }
    const mat3 arm = m3_skew(t->p), turned = m3_skew(m3_tmulv(&B->R, a)), N = m3_mul(&arm, &turned);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) H[(3 + i) * width + 3 + j] -= x->force * N.m[3 * i + j];
}

void tmli_tyre_energy(const tmli_tyre *t, const tmli_pose *B, const double u[6], const tmli_tyre_state *x,
                      double *potential, double *power)
{
    double Q[6] = {0};
    tmli_tyre_eval(t, B, x, Q);
    tmli_tyre_energy_of(t, Q, u, x, potential, power);
}

void tmli_tyre_energy_of(const tmli_tyre *t, const double Q[6], const double u[6], const tmli_tyre_state *x,
                         double *potential, double *power)
{
    for (int i = 0; i < 6; i++) *power += Q[i] * u[i];
    if (!x->stores) return;
    *potential += t->stiffness * x->compression * x->compression / 2;
    if (t->table) *potential += tmli_curve_integral(t->table, x->compression);
    *power += x->spring * x->rate;
}

// ---- discontinuities --------------------------------------------------------------------------------------

int tmli_tyre_modes(const tmli_tyre *t) { return has_pieces(t) + t->contact + has_kinks(t); }

void tmli_tyre_event_values(const tmli_tyre *t, const tmli_pose *B, const double u[6], const double *mode,
                            double *values)
{
    tmli_tyre_state x;
    const int piece = fixed_piece(t, mode);
    const int branch = fixed_branch(t, mode);
    evaluate_state(t, B, u, piece, branch, &x);
    if (has_kinks(t))
        values[table_mode(t)] = branch >= 0 ? table_event_value(t, branch, x.compression) : INFINITY;
    if (has_pieces(t)) values[0] = piece >= 0 ? tmli_profile_event_value(&t->profile, piece, x.s) : INFINITY;
    if (!t->contact) return;
    const double fixed = mode[has_pieces(t)];
    values[has_pieces(t)] = tmli_mode_fixes_branch(fixed) ? contact_event_value(t, &x, fixed) : INFINITY;
}

// The branch of the table, on the piece of the road that is already known
static int update_table(const tmli_tyre *t, const tmli_pose *B, const double u[6], const tmli_pose *later_B,
                        const double later_u[6], bool all, double *mode)
{
    tmli_tyre_state x;
    double *const own = &mode[table_mode(t)];
    if (*own == INFINITY) return 0;
    evaluate_state(t, B, u, fixed_piece(t, mode), -1, &x);
    if (later_B && table_event_value(t, tmli_curve_branch(t->table, x.compression), x.compression) == 0)
        evaluate_state(t, later_B, later_u, fixed_piece(t, mode), -1, &x);
    const int fixed = fixed_branch(t, mode);
    if (!all && fixed >= 0 && table_event_value(t, fixed, x.compression) >= 0) return 0;
    const double next = 1 + tmli_curve_branch(t->table, x.compression);
    const int changed = next != *own;
    *own = next;
    return changed;
}

int tmli_tyre_update_modes(const tmli_tyre *t, const tmli_pose *B, const double u[6],
                           const tmli_pose *later_B, const double later_u[6], bool all, double *mode)
{
    tmli_tyre_state x, later;
    int changed = 0;
    if (has_pieces(t) && tmli_mode_is_watched(mode[0])) {
        evaluate_state(t, B, u, -1, -1, &x);
        double s = x.s;
        if (later_B) evaluate_state(t, later_B, later_u, -1, -1, &later);
        if (later_B && tmli_profile_is_near_end(&t->profile, x.s, PIECE_END_DISTANCE * t->radius))
            s = later.s;
        const int fixed = fixed_piece(t, mode);
        if (all || fixed < 0 || tmli_profile_event_value(&t->profile, fixed, s) < 0) {
            const double next = 1 + tmli_profile_piece(&t->profile, s);
            changed += next != mode[0];
            mode[0] = next;
        }
    }
    if (has_kinks(t)) changed += update_table(t, B, u, later_B, later_u, all, mode);
    double *contact = mode + has_pieces(t);
    if (!t->contact || !tmli_mode_is_watched(*contact)) return changed;
    // on the new piece: at a kink of the road the force jumps
    evaluate_state(t, B, u, fixed_piece(t, mode), fixed_branch(t, mode), &x);
    if (later_B && (x.compression == 0 || (x.compression > 0 && x.force == 0)))
        evaluate_state(t, later_B, later_u, fixed_piece(t, mode), fixed_branch(t, mode), &x);
    if (all || !tmli_mode_fixes_branch(*contact) || contact_event_value(t, &x, *contact) < 0) {
        const double next = contact_of(&x);
        changed += next != *contact;
        *contact = next;
    }
    return changed;
}
