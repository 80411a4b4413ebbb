// Inputs: values that a program sets between steps.
//
// New values are kept until the next step begins. Then the method continues with them: it knows that the
// accelerations have jumped (inputs_changed of its contract), or it starts anew as after a discontinuity.
#include "sim/loop.h"

#include <math.h>
#include <string.h>

static bool has_input(const tml_sim *sim, int input) { return input >= 0 && input < sim->sys->ninput; }

// Time from which inputs act that are set now [s]: that of the output if on_output is being called.
static double present(const tml_sim *sim) { return sim->in_output ? sim->out->t : sim->t_reached; }

static double value_now(const tml_sim *sim, const tml_state *x, int input)
{
    return x->input[2 * input] + x->input[2 * input + 1] * (present(sim) - x->input_t);
}

static tml_status check_input(const tml_sim *sim, int input, double value, double rate, tml_error *err)
{
    if (!has_input(sim, input))
        return tmli_fail(err, TML_ERR_ARG, "there is no input %d; the model has %d inputs", input,
                         sim->sys->ninput);
    if (!isfinite(value) || !isfinite(rate))
        return tmli_fail(err, TML_ERR_ARG, "input '%s': value %g and rate %g must be finite",
                         tml_model_input_name(sim->model, input), value, rate);
    return TML_OK;
}

static void set_input(tml_sim *sim, int input, double value, double rate)
{
    const tml_state *x = tmli_sim_state(sim);
    if (!sim->inputs_pending)  // the others go on as they are
        for (int i = 0; i < x->ninput; i++) {
            sim->input[2 * i] = value_now(sim, x, i);
            sim->input[2 * i + 1] = x->input[2 * i + 1];
        }
    sim->inputs_pending = true;
    sim->outputs_set_inputs |= sim->in_output;
    sim->input[2 * input] = value;
    sim->input[2 * input + 1] = rate;
}

tml_status tml_sim_set_input(tml_sim *sim, int input, double value, double rate, tml_error *err)
{
    if (!sim) return tmli_null_argument(err, "tml_sim_set_input");
    bool first;
    tml_status st = tmli_sim_enter(sim, "tml_sim_set_input", &first, err);
    if (st == TML_OK) st = check_input(sim, input, value, rate, err);
    if (st == TML_OK) set_input(sim, input, value, rate);
    tmli_sim_leave(sim, first);
    return st;
}

tml_status tml_sim_set_inputs(tml_sim *sim, const int *inputs, int count, const double *values,
                              tml_error *err)
{
    if (!sim || (!values && count > 0)) return tmli_null_argument(err, "tml_sim_set_inputs");
    if (!inputs && count != sim->sys->ninput)
        return tmli_fail(err, TML_ERR_ARG, "there are %d values for the %d inputs of the model", count,
                         sim->sys->ninput);
    bool first;
    tml_status st = tmli_sim_enter(sim, "tml_sim_set_inputs", &first, err);
    if (st != TML_OK) return st;
    for (int i = 0; i < count && st == TML_OK; i++)
        st = check_input(sim, inputs ? inputs[i] : i, values[i], 0, err);
    for (int i = 0; i < count && st == TML_OK; i++) set_input(sim, inputs ? inputs[i] : i, values[i], 0);
    tmli_sim_leave(sim, first);
    return st;
}

// No input has this name.
static tml_status refuse_parameter(const tml_sim *sim, const char *name, tml_error *err)
{
    const tml_model *m = sim->model;
    const char *near = NULL;
    for (int i = 0; m && i < m->nparams; i++)
        if (strcmp(m->param_names[i], name) == 0)
            return tmli_fail(
                err, TML_ERR_ARG,
                "parameter '%s' is fixed: the model was built with its value %g. Build it again with another "
                "one and continue at this state, or make it an input if only expressions of forces, states, "
                "outputs and events use it",
                name, m->param_values[i]);
    tml_error local = {0};  // its message has the nearest name
    if (!m || tml_model_input_count(m) == 0)
        return tmli_fail(err, TML_ERR_NAME,
                         "there is no parameter '%s' that can change: the model has no inputs", name);
    if (m->nparams > 0) near = tmli_nearest(name, m->param_names, (size_t)m->nparams);
    tml_model_input_index(m, name, &local);
    tmli_fail(err, TML_ERR_NAME, "%s", local.msg);
    if (near) tmli_error_append(err, "(The parameter '%s' is fixed.)", near);
    return TML_ERR_NAME;
}

tml_status tml_sim_set_parameter(tml_sim *sim, const char *name, double value, tml_error *err)
{
    if (!sim || !name) return tmli_null_argument(err, "tml_sim_set_parameter");
    for (int i = 0; i < tml_model_input_count(sim->model); i++)
        if (strcmp(tml_model_input_name(sim->model, i), name) == 0)
            return tml_sim_set_input(sim, i, value, 0, err);
    return refuse_parameter(sim, name, err);
}

double tml_sim_input(const tml_sim *sim, int input)
{
    if (!sim || !has_input(sim, input)) return NAN;
    if (sim->inputs_pending) return sim->input[2 * input];
    return value_now(sim, tmli_sim_state(sim), input);
}

// A method without inputs_changed starts anew, with the accelerations of the new values.
static tml_status start_anew(tml_sim *sim, tml_state *x, tml_error *err)
{
    tmli_driver *d = &sim->driver;
    tml_status st = tmli_consistent_accelerations(&sim->consistent, x, err);
    if (st == TML_OK) st = d->method->start(d->self, x, err);
    if (st != TML_OK) return st;
    if (!d->fixed && d->method->max_order > 0) tmli_driver_begin(d, sim->run.min_step);
    return TML_OK;
}

// By the new inputs a discontinuity has left its branch at x: the restart there follows.
static tml_status leave_branch(tml_sim *sim, const tml_state *x, tml_error *err)
{
    tml_state_copy(sim->branch_end, x);
    const tml_status st = tmli_consistent_accelerations(&sim->consistent, sim->branch_end, err);
    if (st != TML_OK) return st;
    tml_state_copy(sim->branch_end_located, sim->branch_end);
    sim->restart_pending = true;
    return TML_OK;
}

tml_status tmli_sim_apply_inputs(tml_sim *sim, tml_error *err)
{
    const tml_system *s = sim->sys;
    tmli_driver *d = &sim->driver;
    tml_state *x = sim->restart_pending ? sim->branch_end : sim->out;
    if (!sim->restart_pending) tml_state_copy(x, tmli_sim_state(sim));
    memcpy(x->input, sim->input, 2 * (size_t)x->ninput * sizeof *x->input);
    x->input_t = sim->t_reached;
    sim->inputs_pending = false;
    if (sim->restart_pending) {  // the restart at the discontinuity follows
        tmli_state_copy_accepted(sim->branch_end_located, x);
        return TML_OK;
    }
    tml_status st =
        d->method->inputs_changed ? d->method->inputs_changed(d->self, x, err) : start_anew(sim, x, err);
    if (st == TML_OK && tmli_discontinuities_inputs_changed(&sim->discontinuities, d))
        st = leave_branch(sim, tmli_sim_state(sim), err);
    if (st != TML_OK || !s->ops->energy || s->conservative) return st;
    return tmli_sim_power_now(sim, sim->power_last, err);
}
