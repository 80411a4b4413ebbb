// The choice of `auto`: a method and its unknowns. A setting that only one method has selects this method.
// Otherwise the candidates, and the reasons for them (measurements: docs/methods.md):
//   genalpha   one solve per step, numerical damping independent of the step size: for fixed steps
//   erk8       explicit, of high order, needs accelerations only: for open chains without stiff forces, in
//              joint coordinates; for what rolls or skids on edges, which has no joint coordinates: errors of
//              rolling add up, so that implicit methods take many steps for its accuracy
//   adams      explicit, with few evaluations: for closed loops in the plane, where every evaluation solves
//              for the dependent coordinates; in space this costs too much
//   bdf        one real matrix per step, few iterations: for large stiff models, and for closed loops and
//              rods in space
//   radau5     restarts at full order, stable for every oscillation: for discontinuities, where bdf would
//              restart with small steps of low order; for fast, weakly damped vibrations, for which orders 3
//              to 5 of bdf are not stable; for stiff models with few joint coordinates; and for motions
//              without inertia: accelerations beside the balance of their springs, from which bdf would make
//              up its history, are as wrong as the springs are stiff over the inertia that they move
//   ggl-radau5 has multipliers as good as its velocities: for friction that is loaded by reactions
//   for-sdirk  integrates the degrees of freedom only: if there are none, its steps are as long as the
//              outputs allow
// Implicit methods use joint coordinates if these are fewer and the tree is not deep: a row of their matrix
// couples a body with all bodies that carry it, so the cost grows with the square of the depth. Not if light
// bodies carry far heavier ones: Newton's method then converges in the coordinates of the bodies only.
#include "sim/choose.h"
#include "analysis/modes/linearize.h"
#include "analysis/rank/dependence.h"
#include "analysis/rank/rank.h"
#include "base/modes.h"
#include "system/joint_space/joint_space.h"
#include "system/state/units.h"

#include <math.h>
#include <stdio.h>

#include "sim/constants.h"

typedef struct properties {
    bool rates_known;     // the next two are known
    double vibration;     // fastest weakly damped vibration [rad/s]; 0: none that matters
    bool at_least;        // there may be a faster one
    double stiffness;     // fastest rate over the rate of the motion
    bool weakly_damped;   // every coordinate by itself
    bool joint_space;     // joint coordinates may be used, and are fewer than those of the bodies
    bool suits_explicit;  // all motions have inertia, and the remaining constraints are cheap to solve
    int depth;            // longest chain of bodies, if joint_space
    int constraints;      // remaining constraint rows
    bool rolls;           // there are rows of velocities, and few coordinates
} properties;

// Whether a vibration of w [rad/s] with the damping ratio `damping` matters: it is weakly damped, much faster
// than the motion, and has many periods within the run.
static bool is_vibration(double w, double damping, double motion, double duration)
{
    return w * duration > VIBRATION_PERIODS * 6.283185307179586 && w > STIFF_FOR_EXPLICIT * motion &&
           damping < VIBRATION_DAMPING;
}

// The fastest weakly damped vibration [rad/s]; 0: none that matters. The coefficients of a moving model
// change at the rate of its motion: below that rate real parts of the roots of one instant mean nothing.
static double fastest_vibration(const tmli_spectrum *s, double motion, double duration)
{
    double fastest = 0;
    for (int i = 0; i < s->count; i++) {
        const double w = fabs(s->im[i]), size = hypot(s->re[i], s->im[i]);
        if (s->re[i] <= motion && is_vibration(w, -s->re[i] / size, motion, duration))
            fastest = fmax(fastest, w);
    }
    return fastest;
}

// Rate of the motion at x [1/s]: the largest of |u|/unit and sqrt(|udot|/unit), unit: model length or 1 rad.
static double motion_rate(const tml_system *s, const tml_state *x)
{
    double rate = 0;
    for (int j = 0; j < s->n - s->nz; j++) {
        const double unit = tmli_coordinate_unit(s, j);
        rate = fmax(rate, fmax(fabs(x->u[j]) / unit, sqrt(fabs(x->udot[j]) / unit)));
    }
    return rate;
}

// Rates from the eigenvalues of the equations linearized about x. Fails with a shortage only; after any
// other failure the rates are not known.
static tml_status find_rates_by_spectrum(const tml_sim *sim, const tml_state *x, double motion, properties *f,
                                         tml_error *err)
{
    const tml_system *s = sim->sys;
    tmli_rank rank = {0};
    tmli_spectrum spectrum = {0};
    tml_state *y = NULL;
    tml_error local = {0};
    tml_status st = tmli_rank_calc(s, sim->work, x, &rank, &local);
    if (st == TML_OK) st = tml_state_create(s, &y, &local);
    if (st == TML_OK) {
        tml_state_copy(y, x);
        st = tmli_linearize(s, sim->model, sim->work, &rank, y, &spectrum, &local);
    }
    if (st == TML_OK) {
        f->rates_known = true;
        f->vibration = fastest_vibration(&spectrum, motion, sim->run.end - sim->run.start);
        f->stiffness = spectrum.fastest / motion;
    }
    tmli_spectrum_clear(&spectrum);
    tml_state_destroy(y, s);
    tmli_rank_clear(&rank);
    if (!tmli_is_shortage(st)) return TML_OK;
    if (err) *err = local;
    return st;
}

// The same from the diagonals of M, D, K: sqrt(K/M) and D/M of every coordinate. Constraints add inertia, so
// these rates are upper estimates. For a coordinate in no constraint sqrt(K/M) is its vibration while all
// others rest, which by Rayleigh's principle is not faster than the fastest one.
static tml_status find_rates_by_diagonals(const tml_sim *sim, const tml_state *x, double motion,
                                          properties *f, tml_error *err)
{
    const tml_system *s = sim->sys;
    const size_t n = (size_t)s->n;
    double *m = tmli_calloc(&sim->env, 4 * n, sizeof *m), fastest = 0;
    if (!m) return tmli_no_memory(err, "simulation");
    double *const d = m + n, *const k = d + n, *const held = k + n;
    f->rates_known = s->ops->diagonals(s->self, sim->work, x, m, d, k, NULL) == TML_OK;
    f->weakly_damped = f->rates_known;
    for (int i = 0; i < s->rowptr[s->m]; i++) held[s->rowcol[i]] = 1;
    for (size_t j = 0; j < n && f->rates_known; j++) {
        if (!(d[j] > 0 || k[j] > 0)) continue;
        const double w = sqrt(k[j] / m[j]), damping = d[j] / m[j];
        fastest = fmax(fastest, fmax(w, damping));
        f->weakly_damped = f->weakly_damped && damping < 2 * VIBRATION_DAMPING * w;
        if (held[j] == 0 && m[j] > 0 && k[j] > 0 &&
            is_vibration(w, damping / (2 * w), motion, sim->run.end - sim->run.start))
            f->vibration = fmax(f->vibration, w);
    }
    f->at_least = true;
    f->stiffness = fastest / motion;
    tmli_free(&sim->env, m);
    return TML_OK;
}

// Rates of the forces. A model without force elements (gravity and inertia only) is not stiff.
static tml_status find_rates(const tml_sim *sim, const tml_state *x, properties *f, tml_error *err)
{
    const double duration = sim->run.end - sim->run.start,
                 motion = fmax(motion_rate(sim->sys, x), 1 / duration);
    const properties before = *f;
    if (sim->model && sim->model->nforces == 0) {
        f->rates_known = true;
        return TML_OK;
    }
    if (sim->sys->n > DIAGONAL_COORDINATES) {
        const tml_status st = find_rates_by_diagonals(sim, x, motion, f, err);
        if (st != TML_OK || sim->sys->n > SPECTRUM_COORDINATES) return st;
        if (f->vibration > 0 && f->weakly_damped) return TML_OK;  // it decides; eigenvalues would tell more
        *f = before;
    }
    return find_rates_by_spectrum(sim, x, motion, f, err);
}

// True if settings of Newton's iteration on the coordinates of the bodies are given. Joint coordinates or an
// explicit method would ignore them.
static bool has_newton_settings(const tml_run_def *run)
{
    return run->group != TML_GROUP_R3SO3 || run->scaling != TML_SCALING_PHYSICAL || run->augment != 1 ||
           run->control != TML_CONTROL_MOTION || !tmli_sim_is_auto(run->solver);
}

// True if a joint passes on a spin at an angle. The velocity of the body behind it relative to the spinning
// one turns with it, while that in axes of the body is constant: joint coordinates take several times the
// steps, and the errors of bdf add up in one direction.
static bool passes_on_spin(const tml_model *m)
{
    for (int i = 0; i < m->njoints; i++)
        if (m->constraint[i].type == TML_JOINT_CONSTANT_VELOCITY) return true;
    return false;
}

// Operations that the loops may take in an evaluation in joint coordinates, so that a run takes no more of
// them than one on the bodies: those of a step there, by the schedule of its solver.
static double allowed_loop_work(const tml_sim *sim)
{
    const tmli_symbolic *s = sim->sys->pattern->schedule;
    if (!s) return INFINITY;  // no block solver on the bodies
    const double solve = 2 * (double)s->factor_size * (s->free ? REFINED_SOLVES : 1);
    return (SOLVES_PER_STEP * solve + FACTORS_PER_STEP * s->flops) / EVALUATIONS_PER_STEP;
}

// Size of the model in joint coordinates.
static tml_status inspect_joint_space(tml_sim *sim, properties *f, tml_error *err)
{
    const tml_system *s = sim->sys;
    const bool on_bodies = sim->run.kinematics == TML_KINEMATICS_BODIES,
               free = !has_newton_settings(&sim->run);
    tml_error local = {0};
    tml_system *joints = NULL;
    f->constraints = s->m;
    f->rolls = s->level && sim->model && s->n <= ROLLING_COORDINATES;
    f->suits_explicit =
        ((s->m == 0 && !sim->model) || (f->rolls && !on_bodies)) && free && !sim->massless_motion;
    if (on_bodies || !tmli_joint_space_possible(s) || !free) return TML_OK;
    tml_status st = tmli_joint_space_create(s, false, allowed_loop_work(sim), &joints, &local);
    double least = 0;
    if (st == TML_OK) st = tmli_joint_space_least_inertia(joints, &least, &local);
    if (st == TML_OK) {
        f->constraints = joints->m;
        f->depth = tmli_joint_space_describe(joints).depth;
        const bool light = least > 0 && least < LEAST_INERTIA;
        f->joint_space = joints->n < s->n && !light && !passes_on_spin(sim->model);
        f->suits_explicit = least > 0 && (f->constraints == 0 || (joints->n < s->n && sim->model->planar));
    }
    tmli_sim_set_joints(sim, joints);
    if (!tmli_is_shortage(st)) return TML_OK;
    if (err) *err = local;
    return st;
}

// The method that a given setting belongs to; NULL: no such setting.
static const char *find_method_of_setting(const tml_run_def *run, char *reason, size_t size)
{
    const char *setting = NULL, *method = NULL;
    if (!isnan(run->rho)) setting = "rho", method = "genalpha";
    else if (!isnan(run->alpha)) setting = "alpha", method = "hht";
    else if (run->placement == TML_PLACEMENT_INNER) setting = "placement", method = "genalpha";
    else if (run->constraint_point != TML_CONSTRAINT_POINT_END)
        setting = "constraint_point", method = "midpoint";
    else if (run->max_order > 0) setting = "max_order", method = "bdf";
    else if (run->gamma > 0) setting = "gamma", method = "trust-region";
    else if (run->epsilon > 0) setting = "epsilon", method = "trust-region";
    else if (run->index == 2) setting = "index", method = "trust-region";
    else if (run->redundancy == TML_REDUNDANCY_REGULARIZE) setting = "redundancy", method = "trust-region";
    if (setting) snprintf(reason, size, "%s is given, a setting of this method", setting);
    if (setting || run->step > 0) return method;
    // radau5 has its own Newton iteration without these settings, explicit methods have none
    if (run->fields == TML_FIELDS_THREE) setting = "fields: three";
    else if (run->iterate == TML_ITERATE_SATURATED) setting = "iterate: saturated";
    else if (run->scaling == TML_SCALING_GIVEN) setting = "a scaling by hand";
    else if (run->scaling == TML_SCALING_NORM) setting = "scaling: norm";
    if (!setting) return NULL;
    snprintf(reason, size, "%s, which radau5 does not support", setting);
    return "bdf";
}

// Set the method of the choice and, for an implicit one, the unknowns that suit it.
static void select_method(const tml_sim *sim, const properties *f, const char *method, tmli_sim_choice *out)
{
    out->method = tml_method_find(method);
    const bool free_choice =
        sim->run.kinematics == TML_KINEMATICS_AUTO && !tml_method_is_explicit(out->method);
    out->kinematics = free_choice && f->joint_space && f->depth <= JOINT_SPACE_DEPTH ? TML_KINEMATICS_JOINTS
                                                                                     : sim->run.kinematics;
}

// A discontinuity that the motion is not expected to meet.
static bool is_rare(const tml_model *m, int mode)
{
    const tmli_discontinuity *s = m ? &m->discontinuity[m->mode_owner[mode]] : NULL;
    return s && !s->expr && m->force[s->force].rare;
}

// Discontinuities whose times depend on the state: there may be many of them.
static int count_state_discontinuities(const tml_sim *sim)
{
    int count = 0;
    for (int i = 0; i < sim->sys->nmode && sim->run.switches; i++)
        count += !sim->sys->switches[i].of_time && !is_rare(sim->model, i);
    return count;
}

static void choose_by_rates(const tml_sim *sim, const properties *f, bool implicit, tmli_sim_choice *out)
{
    char *reason = out->reason;
    const size_t size = sizeof out->reason;
    const bool stiff = f->rates_known && f->stiffness > STIFF_FOR_EXPLICIT;
    if (f->vibration > 0) {
        select_method(sim, f, "radau5", out);
        snprintf(reason, size,
                 "weakly damped vibration of %.3g Hz%s: the method is stable for it at full order",
                 f->vibration / 6.283185307179586, f->at_least ? " or more" : "");
    } else if (f->rates_known && !stiff && f->suits_explicit && (f->constraints == 0 || f->rolls) &&
               !implicit) {
        select_method(sim, f, "erk8", out);
        snprintf(reason, size, "smooth, not stiff%s: an explicit method of high order is the cheapest",
                 f->rolls ? ", rolls or skids" : " and without closed loops");
    } else if (f->rates_known && !stiff && f->suits_explicit && !implicit &&
               sim->run.rtol > LOOSE_TOLERANCE) {
        select_method(sim, f, "erk5", out);
        snprintf(reason, size,
                 "smooth, not stiff, with closed loops in the plane, a loose tolerance: an explicit method "
                 "that has its order at once");
    } else if (f->rates_known && !stiff && f->suits_explicit && !implicit) {
        select_method(sim, f, "adams", out);
        snprintf(reason, size,
                 "smooth, not stiff, with closed loops in the plane: an explicit method with few evaluations "
                 "is the cheapest");
    } else if (stiff && f->joint_space && f->depth <= JOINT_SPACE_DEPTH) {
        select_method(sim, f, "radau5", out);
        snprintf(
            reason, size,
            "stiff (time scales differ by a factor of %.2g) with few unknowns: the method takes long steps",
            f->stiffness);
    } else if (sim->massless_motion) {
        select_method(sim, f, "radau5", out);
        snprintf(reason, size,
                 "a motion without inertia, which forces determine: the method takes it without a history");
    } else {
        select_method(sim, f, "bdf", out);
        if (stiff)
            snprintf(reason, size, "smooth and stiff (time scales differ by a factor of %.2g)", f->stiffness);
        else if (f->constraints > 0)
            snprintf(reason, size,
                     "smooth, with closed loops or rods: the method passes singular configurations");
        else if (sim->sys->n > SPECTRUM_COORDINATES)
            snprintf(reason, size, "smooth and large (%d coordinates): one real matrix per step",
                     sim->sys->n);
        else snprintf(reason, size, "smooth: few evaluations per step");
    }
}

tml_status tmli_sim_check_fully_driven(const tml_sim *sim, const tml_state *x, bool *driven, tml_error *err)
{
    const tml_system *s = sim->sys;
    *driven = false;
    if (!sim->model || s->m < s->n) return TML_OK;
    bool *dependent = tmli_calloc(&sim->env, (size_t)s->m, sizeof *dependent), any = false;
    if (!dependent) return tmli_no_memory(err, "simulation");
    int rank = 0;
    bool held = false;  // a row that may be released
    tml_error why = {0};
    const tml_status st = tmli_dependent_rows(s, sim->work, x, dependent, &any, &why);
    for (int r = 0; r < s->m; r++) rank += !dependent[r];
    for (int i = 0; i < s->nmode; i++) held = held || tmli_holds_row(s, x, i);
    *driven = st == TML_OK && !held && rank == s->n;
    tmli_free(&sim->env, dependent);
    if (!tmli_is_shortage(st)) return TML_OK;
    if (err) *err = why;
    return st;
}

tml_status tmli_sim_choose(tml_sim *sim, const tml_state *x, bool implicit, tmli_sim_choice *out,
                           tml_error *err)
{
    char *reason = out->reason;
    const size_t size = sizeof out->reason;
    properties f = {0};
    const char *method = find_method_of_setting(&sim->run, reason, size);
    if (sim->sys->loads) {
        snprintf(reason, size, "friction is loaded by reactions, which the method computes well");
        method = "ggl-radau5";
    }
    if (!method && sim->run.step > 0) {
        snprintf(reason, size, "fixed steps: one solve per step, and numerical damping keeps it stable");
        method = "genalpha";
    }
    if (method) {  // on bodies: these settings are about their coordinates
        select_method(sim, &f, method, out);
        return TML_OK;
    }
    tml_status st = inspect_joint_space(sim, &f, err);
    if (st != TML_OK) return st;
    const int discontinuities = count_state_discontinuities(sim);
    if (discontinuities > 0) {
        select_method(sim, &f, "radau5", out);
        snprintf(reason, size, "%d discontinuit%s in the forces: the method restarts at full order",
                 discontinuities, discontinuities == 1 ? "y" : "ies");
        return TML_OK;
    }
    bool driven = false;
    st = tmli_sim_check_fully_driven(sim, x, &driven, err);
    if (st != TML_OK) return st;
    if (driven && !has_newton_settings(&sim->run)) {
        select_method(sim, &f, "for-sdirk", out);
        snprintf(reason, size,
                 sim->sys->autonomous ? "no degree of freedom: the mechanism cannot move"
                                      : "no degree of freedom: the drivers prescribe all motion");
        return TML_OK;
    }
    st = find_rates(sim, x, &f, err);
    if (st == TML_OK) choose_by_rates(sim, &f, implicit, out);
    return st;
}

bool tmli_sim_choose_fallback(const tml_sim *sim, tmli_sim_choice *out)
{
    char none[sizeof out->reason];
    const bool given = find_method_of_setting(&sim->run, none, sizeof none) || sim->sys->loads;
    const tml_method_ops *fallback = tml_method_find("radau5");
    out->method = fallback;
    out->kinematics = sim->auto_kinematics ? TML_KINEMATICS_BODIES : sim->run.kinematics;
    const bool joints_before = sim->run.kinematics == TML_KINEMATICS_JOINTS,
               joints_after = out->kinematics == TML_KINEMATICS_JOINTS;
    if (!sim->auto_method || given || sim->driver.fixed || tml_method_is_explicit(sim->method) ||
        (sim->method == fallback && joints_before == joints_after))
        return false;
    snprintf(out->reason, sizeof out->reason, "a one-step method%s passes dead points of light bodies best",
             joints_after ? "" : " on the coordinates of the bodies");
    return true;
}
