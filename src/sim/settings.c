// Settings of a run: find methods and solvers by name, check ranges, fill in defaults.
#include "base/tolerances.h"
#include "sim/loop.h"

#include <math.h>
#include <string.h>

// Largest max_order where the method is left open: that of bdf, which the setting asks for.
static const int MOST_ORDERS = 5;

// at: position in the model file; empty if the name is not from there.
static tml_status unknown_name(tml_error *err, tml_mark at, const char *what, const char *name,
                               const char *const *names, size_t count)
{
    const tmli_hint near = tmli_hint_word(name, names, count);
    const tml_status st = tmli_fail_at(err, TML_ERR_ARG, at, "there is no %s '%s'%s", what, name,
                                       near.text[0] ? near.text
                                       : count == 1 ? "; there is"
                                                    : "; there are");
    for (size_t i = 0; i < count && !near.text[0]; i++)
        tmli_error_append(err, "%s%s", names[i], i + 1 < count ? "," : "");
    return st;
}

static bool same_text(const char *a, const char *b) { return a && b && strcmp(a, b) == 0; }

bool tmli_sim_is_auto(const char *name) { return !name || strcmp(name, "auto") == 0; }

// The multipliers of a method that solves for them with the positions are less accurate than the motion: near
// a restart or a change of the step their error may be all of their size. Forces that depend on them carry
// this into the motion.
static bool has_good_multipliers(const tml_method_ops *method)
{
    return method->equations == TML_EQUATIONS_STATE_SPACE || method->equations == TML_EQUATIONS_REGULARIZED ||
           (method->equations == TML_EQUATIONS_INDEX2 && method->one_step);
}

tml_status tmli_sim_check_loads(const tml_sim *sim, tml_error *err)
{
    const tml_model *m = sim->model;
    if (!sim->sys->loads || !sim->method || has_good_multipliers(sim->method)) return TML_OK;
    const tmli_force *f = m ? m->force : NULL;
    for (int i = 0; m && i < m->nforces && f->load < 0; i++) f = &m->force[i];
    return tmli_fail_at(err, TML_ERR_MODEL, f ? f->at : (tml_mark){0},
                        "the load of '%s' is the reaction of its joint, which the method %s does not compute "
                        "well enough; use ggl-radau5, for-sdirk, erk5, erk8, adams, trust-region or auto",
                        f ? f->name : "a force", sim->method->name);
}

// Captured contacts have one method, with fixed steps.
static tml_status find_capturing(const tml_model *m, const tml_run_def *run, bool named,
                                 const tml_method_ops **out, tml_error *err)
{
    *out = &tml_method_moreau;
    if (!m) return tmli_fail(err, TML_ERR_ARG, "contacts: captured needs a model");
    if (!named && !tmli_sim_is_auto(run->method))
        return tmli_fail_at(err, TML_ERR_ARG, m->method_at,
                            "contacts: captured has the method moreau; '%s' ends its steps at impacts, which "
                            "contacts: located does",
                            run->method);
    if (!(run->step > 0) || !isnan(run->control_from))
        return tmli_fail(err, TML_ERR_ARG, "contacts: captured needs fixed steps: give 'step'");
    if (run->group != TML_GROUP_R3SO3 || run->kinematics == TML_KINEMATICS_JOINTS)
        return tmli_fail(err, TML_ERR_ARG, "contacts: captured needs group r3so3 and kinematics bodies");
    for (int i = 0; i < m->nconstraints; i++)
        if (m->constraint[i].stick)
            return tmli_fail_at(err, TML_ERR_MODEL, m->constraint[i].at,
                                "'%s' has a row that is in force at times (friction that sticks, a rigid "
                                "limit), which contacts: captured does not have yet; use a regularized or "
                                "compliant law, or contacts: located",
                                m->constraint[i].name);
    return TML_OK;
}

tml_status tmli_sim_find_method(const tml_model *m, const tml_run_def *run, const tml_method_ops **out,
                                tml_error *err)
{
    const char *names[32];
    size_t count = 0;
    *out = NULL;
    const bool moreau = same_text(run->method, tml_method_moreau.name);
    if (m && m->run.contacts != run->contacts)
        return tmli_fail(err, TML_ERR_ARG,
                         "the model was built for contacts: %s; set `contacts` before it is built",
                         m->run.contacts == TML_CONTACTS_CAPTURED ? "captured" : "located");
    if (run->contacts == TML_CONTACTS_CAPTURED) return find_capturing(m, run, moreau, out, err);
    if (moreau)
        return tmli_fail_at(err, TML_ERR_ARG, m ? m->method_at : (tml_mark){0},
                            "method moreau belongs to contacts: captured");
    if (tmli_sim_is_auto(run->method)) return TML_OK;
    *out = tml_method_find(run->method);
    if (*out) return TML_OK;
    for (; tml_methods[count] && count < 31; count++) names[count] = tml_methods[count]->name;
    names[count++] = "auto";
    const bool from_file = m && same_text(run->method, m->run.method);
    return unknown_name(err, from_file ? m->method_at : (tml_mark){0}, "method", run->method, names, count);
}

// Methods on the degrees of freedom solve for accelerations at every stage. Other methods factor iteration
// matrices.
static bool needs_accelerations(const tml_method_ops *method)
{
    return method && method->equations == TML_EQUATIONS_STATE_SPACE;
}

static tml_status find_named_solver(const tml_model *m, const tml_run_def *run, const tml_linsolver_ops **out,
                                    tml_error *err)
{
    const char *names[32];
    size_t count = 0;
    *out = tml_linsolver_find(run->solver);
    if (*out) return TML_OK;
    for (; tml_linsolvers[count] && count < 31; count++) names[count] = tml_linsolvers[count]->name;
    names[count++] = "auto";
    const bool from_file = m && same_text(run->solver, m->run.solver);
    return unknown_name(err, from_file ? m->solver_at : (tml_mark){0}, "solver", run->solver, names, count);
}

// auto, measured by bench_topology and bench_chain (docs/theory/topology.md). Accelerations: tree. It is
// faster than block from two bodies on, and than reduced except on single small loops; it detects a
// topology that does not suit it. Iteration matrices: block if scaling by inertia and augmentation are on,
// which make it sound, otherwise klu.
tml_status tmli_sim_find_solver(tml_sim *sim, tml_error *err)
{
    const tml_run_def *run = &sim->run;
    if (tmli_sim_is_auto(run->solver)) {
        const bool physical = run->scaling == TML_SCALING_PHYSICAL || run->scaling == TML_SCALING_UNIFORM;
        const bool sound = physical && run->augment > 0 && sim->model;
        if (!sound) sim->solver = &tml_linsolver_klu;
        else sim->solver = needs_accelerations(sim->method) ? &tml_linsolver_tree : &tml_linsolver_block;
        return TML_OK;
    }
    return find_named_solver(sim->model, run, &sim->solver, err);
}

tml_status tmli_sim_check_names(const tml_model *m, const tml_run_def *run, tml_error *err)
{
    const tml_method_ops *method;
    const tml_linsolver_ops *solver;
    const tml_status st = tmli_sim_find_method(m, run, &method, err);
    return st != TML_OK || tmli_sim_is_auto(run->solver) ? st : find_named_solver(m, run, &solver, err);
}

// A simulation has several block solvers for one pattern: of the start, the method, the monitor, the outputs.
// One order of elimination, which takes longer than the first factorization, serves them all.
tml_status tmli_sim_share_schedule(tml_sim *sim, tml_error *err)
{
    const char *name = sim->run.solver;
    const tml_linsolver_ops *given = tmli_sim_is_auto(name) ? NULL : tml_linsolver_find(name);
    if (given ? given->pivots : !sim->model) return TML_OK;  // klu
    const tml_status st = tmli_symbolic_init(&sim->schedule, sim->sys->pattern, &sim->env, err);
    if (sim->schedule.too_large) return TML_OK;  // the solver says so, unless `auto` takes another
    sim->system = *sim->sys;
    sim->pattern = *sim->sys->pattern;
    tmli_symbolic_share(&sim->schedule, &sim->pattern);
    sim->system.pattern = &sim->pattern;
    sim->sys = &sim->system;
    return st;
}

tml_status tmli_sim_check_settings(tml_run_def *run, tml_error *err)
{
    if (run->size != sizeof *run)
        return tmli_fail(err, TML_ERR_ARG, "the run definition was not made by tml_run_def_default()");
    if (!(run->end > run->start) || !isfinite(run->end) || !isfinite(run->start))
        return tmli_fail(err, TML_ERR_ARG, "the run ends at t = %g s, but starts at %g s", run->end,
                         run->start);
    if (isnan(run->rtol)) run->rtol = run->tol;
    if (isnan(run->atol)) run->atol = run->tol;
    if (!(run->rtol >= 0 && run->rtol < 1))
        return tmli_fail(err, TML_ERR_ARG, "rtol = %g is not in 0 .. 1", run->rtol);
    if (!(run->atol > 0)) return tmli_fail(err, TML_ERR_ARG, "atol = %g is not > 0", run->atol);
    if (!(run->step >= 0)) return tmli_fail(err, TML_ERR_ARG, "step = %g s is negative", run->step);
    if (isinf(run->control_from))
        return tmli_fail(err, TML_ERR_ARG, "control_from = %g s is no time", run->control_from);
    if (!(run->max_step >= 0))
        return tmli_fail(err, TML_ERR_ARG, "max_step = %g s is negative", run->max_step);
    if (!(run->min_step >= 0))
        return tmli_fail(err, TML_ERR_ARG, "min_step = %g s is negative", run->min_step);
    if (!(run->output_step >= 0))
        return tmli_fail(err, TML_ERR_ARG, "output_step = %g s is negative", run->output_step);
    if (!(run->augment >= 0) || !isfinite(run->augment))
        return tmli_fail(err, TML_ERR_ARG, "augment = %g is not >= 0", run->augment);
    if (!isnan(run->rho) && !(run->rho >= 0 && run->rho <= 1))
        return tmli_fail(err, TML_ERR_ARG, "rho = %g is outside of its range 0 .. 1", run->rho);
    if (!isnan(run->alpha) && !(run->alpha >= -1.0 / 3 && run->alpha <= 0))
        return tmli_fail(err, TML_ERR_ARG, "alpha = %g is outside of its range -1/3 .. 0", run->alpha);
    const tml_method_ops *method = run->method ? tml_method_find(run->method) : NULL;
    const int orders = method && method->max_order > 0 ? method->max_order : MOST_ORDERS;
    if (!(run->max_order == 0 || (run->max_order >= 1 && run->max_order <= orders)))
        return tmli_fail(err, TML_ERR_ARG, "max_order = %d is outside of its range 1 .. %d", run->max_order,
                         orders);
    if (!(run->gamma >= 0) || !isfinite(run->gamma))
        return tmli_fail(err, TML_ERR_ARG, "gamma = %g 1/s is not >= 0", run->gamma);
    if (!(run->epsilon >= 0) || !isfinite(run->epsilon))
        return tmli_fail(err, TML_ERR_ARG, "epsilon = %g is not >= 0", run->epsilon);
    if (run->index != 2 && run->index != 3)
        return tmli_fail(err, TML_ERR_ARG, "index = %d is neither 2 nor 3", run->index);
    const bool for_regularized = run->index == 2 || run->redundancy == TML_REDUNDANCY_REGULARIZE;
    if (for_regularized && method && method->equations != TML_EQUATIONS_REGULARIZED)
        return tmli_fail(err, TML_ERR_ARG,
                         "%s is a setting of baumgarte, trust-region and direct-reg; method %s does not have "
                         "it",
                         run->index == 2 ? "index 2" : "redundancy regularize", method->name);
    if (run->group != TML_GROUP_R3SO3 && run->group != TML_GROUP_SE3 && run->group != TML_GROUP_SE3_CAYLEY)
        return tmli_fail(err, TML_ERR_ARG, "there is no group number %d", (int)run->group);
    if (!(run->threads >= 0 && run->threads <= 1024))
        return tmli_fail(err, TML_ERR_ARG, "threads = %d is outside of its range 0 .. 1024", run->threads);
    const double span = run->end - run->start;
    if (run->output_step == 0) run->output_step = span / TMLI_RUN_OUTPUTS;
    if (span / run->output_step > TMLI_ROWS)
        return tmli_fail(err, TML_ERR_ARG, "output_step = %g s gives %g output rows, which is too many",
                         run->output_step, span / run->output_step);
    return TML_OK;
}
