// The report of a check as JSON. Members are documented in docs/check.md.
#include "check.h"

#include <math.h>

static void json_parts(cli_json *j, const tml_check *c)
{
    cli_json_open(j, "bodies", '[');
    for (int i = 0; i < c->body_count; i++) {
        const tml_check_body *b = &c->bodies[i];
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "name", b->name);
        cli_json_number(j, "mass", b->mass);
        cli_json_integer(j, "coordinates", b->coordinates);
        cli_json_open(j, "position", '[');
        for (int k = 0; k < 3; k++) cli_json_number(j, NULL, b->position[k]);
        cli_json_close(j, ']');
        cli_json_number(j, "moved", b->moved);
        cli_json_number(j, "turned", b->turned);
        cli_json_close(j, '}');
    }
    cli_json_close(j, ']');
    cli_json_open(j, "joints", '[');
    for (int i = 0; i < c->joint_count; i++) {
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "name", c->joints[i].name);
        cli_json_text(j, "type", c->joints[i].type);
        cli_json_text(j, "between", c->joints[i].between);
        cli_json_integer(j, "rows", c->joints[i].rows);
        cli_json_integer(j, "dependent_rows", c->joints[i].dependent);
        cli_json_close(j, '}');
    }
    cli_json_close(j, ']');
}

static void json_count(cli_json *j, const char *key, int n)  // -1: not computed
{
    if (n < 0) cli_json_null(j, key);
    else cli_json_integer(j, key, n);
}

static void json_freedoms(cli_json *j, const tml_check *c)
{
    cli_json_integer(j, "coordinates", c->coordinates);
    cli_json_integer(j, "constraint_rows", c->rows);
    json_count(j, "rank", c->rank);
    json_count(j, "rank_nearby", c->rank_nearby);
    json_count(j, "degrees_of_freedom", c->freedoms);
    cli_json_integer(j, "degrees_of_freedom_by_count", c->count_freedoms);
    cli_json_number(j, "weakest_pivot", c->weakest);
    cli_json_open(j, "dependent_rows", '[');
    for (int i = 0; i < c->dependency_count; i++) {
        const tml_check_dependency *d = &c->dependencies[i];
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "row", d->row);
        cli_json_text(j, "joint", d->joint < 0 ? NULL : c->joints[d->joint].name);
        cli_json_bool(j, "empty", d->empty);
        cli_json_open(j, "follows_from", '[');
        for (int k = 0; k < d->other_count; k++) cli_json_text(j, NULL, d->others[k]);
        cli_json_close(j, ']');
        cli_json_close(j, '}');
    }
    cli_json_close(j, ']');
}

static void json_redundancy(cli_json *j, const tml_check *c)
{
    static const char *const kinds[3] = {"unique", "shared", "indeterminate"};
    cli_json_text(j, "mobility", c->mobility);
    cli_json_number(j, "misfit", c->misfit);
    cli_json_open(j, "repeated", '[');
    for (int i = 0; i < c->sentence_count; i++) cli_json_text(j, NULL, c->sentences[i]);
    cli_json_close(j, ']');
    cli_json_open(j, "redundant_sets", '[');
    for (int s = 0; s < c->set_count; s++) {
        cli_json_open(j, NULL, '{');
        cli_json_integer(j, "rows", c->sets[s].rows);
        cli_json_integer(j, "excess", c->sets[s].excess);
        cli_json_bool(j, "only_here", c->sets[s].here);
        cli_json_close(j, '}');
    }
    cli_json_close(j, ']');
    cli_json_open(j, "reactions", '[');
    for (int r = 0; r < c->rows && c->rank >= 0; r++) {
        const tml_check_row *row = &c->row_list[r];
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "joint", row->joint < 0 ? NULL : c->joints[row->joint].name);
        cli_json_text(j, "component", row->component);
        cli_json_text(j, "kind", kinds[row->reaction]);
        if (row->set < 0) cli_json_null(j, "set");
        else cli_json_integer(j, "set", row->set);
        cli_json_bool(j, "dependent", row->dependent);
        cli_json_close(j, '}');
    }
    cli_json_close(j, ']');
}

static void json_conflicts(cli_json *j, const tml_check *c)
{
    cli_json_open(j, "conflicts", '[');
    for (int i = 0; i < c->conflict_count; i++) {
        const tml_check_conflict *k = &c->conflicts[i];
        cli_json_open(j, NULL, '{');
        cli_json_integer(j, "group", k->group);
        cli_json_text(j, "joint", k->joint < 0 ? NULL : c->joints[k->joint].name);
        cli_json_text(j, "row", k->row);
        cli_json_number(j, "gap", k->gap);
        cli_json_text(j, "unit", k->unit);
        cli_json_close(j, '}');
    }
    cli_json_close(j, ']');
}

static void json_sweep(cli_json *j, const tml_check_sweep *s)
{
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "along", s->along);
    cli_json_text(j, "unit", s->unit);
    cli_json_bool(j, "driven", s->driven);
    cli_json_number(j, "start", s->start);
    cli_json_number(j, "nearest", s->least);
    cli_json_number(j, "end", s->last);
    cli_json_number(j, "lowest", s->lowest);
    cli_json_number(j, "highest", s->highest);
    cli_json_number(j, "t_nearest", s->driven ? s->t_least : NAN);
    cli_json_number(j, "t_end", s->driven ? s->t_last : NAN);
    cli_json_number(j, "sigma_start", s->sigma_start);
    cli_json_number(j, "sigma", s->sigma);
    cli_json_text(j, "what", !s->singular ? "regular" : s->passes ? "bifurcation" : "limit");
    cli_json_integer(j, "rank", s->rank_before);
    cli_json_integer(j, "rank_there", s->rank_there);
    cli_json_bool(j, "closed", s->closed);
    cli_json_bool(j, "extreme", s->extreme);
    cli_json_text(j, "text", s->text);
    cli_json_close(j, '}');
}

static void json_sweeps(cli_json *j, const tml_check *c)
{
    cli_json_open(j, "singular", '{');
    cli_json_bool(j, "at_start", c->rank_nearby > c->rank);
    cli_json_bool(j, "loops", c->loops);
    if (c->nearest < 0) cli_json_null(j, "nearest");
    else cli_json_integer(j, "nearest", c->nearest);
    cli_json_open(j, "sweeps", '[');
    for (int i = 0; i < c->sweep_count; i++) json_sweep(j, &c->sweeps[i]);
    cli_json_close(j, ']');
    cli_json_close(j, '}');
}

static void json_condition(cli_json *j, const char *key, double x)
{
    if (isinf(x)) cli_json_text(j, key, "singular");
    else cli_json_number(j, key, x > 0 ? x : NAN);
}

static void json_advice(cli_json *j, const tml_advice *a)
{
    if (!a) {
        cli_json_null(j, "suggested");
        return;
    }
    cli_json_open(j, "suggested", '{');
    cli_json_bool(j, "runs", a->runs);
    cli_json_text(j, "failure", a->runs ? NULL : a->failure);
    cli_json_text(j, "method", a->method);
    cli_json_text(j, "method_reason", a->method ? a->method_reason : NULL);
    cli_json_text(j, "unknowns", a->unknowns);
    cli_json_number(j, "step", a->step > 0 ? a->step : NAN);
    cli_json_text(j, "step_reason", a->step > 0 ? a->step_reason : NULL);
    cli_json_number(j, "tolerance", a->tolerance);
    cli_json_text(j, "solver", a->solver);
    cli_json_text(j, "solver_reason", a->solver ? a->solver_reason : NULL);
    cli_json_close(j, '}');
    cli_json_open(j, "step_matrix", '{');
    cli_json_integer(j, "unknowns", a->unknown_count);
    json_condition(j, "condition_scaled", a->condition_scaled);
    json_condition(j, "condition_plain", a->condition_plain);
    cli_json_close(j, '}');
}

static void json_residual(cli_json *j, const char *key, const tml_check_residual *r)
{
    cli_json_open(j, key, '{');
    cli_json_number(j, "value", r->value);
    cli_json_text(j, "unit", r->unit);
    cli_json_text(j, "row", r->row);
    cli_json_close(j, '}');
}

static void json_spectrum(cli_json *j, const tml_check *c)
{
    if (!c->has_spectrum) {
        cli_json_null(j, "spectrum");
        return;
    }
    cli_json_open(j, "spectrum", '{');
    cli_json_bool(j, "instantaneous", c->instantaneous);
    cli_json_bool(j, "steady", c->steady);
    cli_json_text(j, "axes", c->axes);
    cli_json_integer(j, "massless", c->massless);
    cli_json_integer(j, "zeros", c->zeros);
    cli_json_number(j, "zeros_below", c->zeros_below);
    cli_json_number(j, "stiffness_ratio", c->stiffness_ratio);
    cli_json_number(j, "shortest_time_scale", c->fastest);
    cli_json_number(j, "highest_frequency_hz", c->highest_hz);
    cli_json_open(j, "eigenvalues", '[');
    for (int i = 0; i < c->eigenvalue_count; i++) {
        cli_json_open(j, NULL, '[');
        cli_json_number(j, NULL, c->eigenvalues[i].re);
        cli_json_number(j, NULL, c->eigenvalues[i].im);
        cli_json_close(j, ']');
    }
    cli_json_close(j, ']');
    cli_json_close(j, '}');
}

void cli_check_json(cli_json *j, const tml_check *c, const tml_advice *advice)
{
    cli_json_text(j, "title", c->title);
    cli_json_number(j, "length", c->length);
    cli_json_number(j, "t", c->t);
    json_parts(j, c);
    cli_json_integer(j, "forces", c->force_count);
    cli_json_bool(j, "assembled", c->assembled);
    json_freedoms(j, c);
    json_redundancy(j, c);
    json_conflicts(j, c);
    cli_json_open(j, "start", '{');
    json_residual(j, "position", &c->position);
    json_residual(j, "velocity", &c->velocity);
    if (c->assembled) json_residual(j, "left_open", &c->left_open);
    cli_json_number(j, "moved", c->moved);
    cli_json_number(j, "velocity_changed", c->velocity_changed);
    cli_json_close(j, '}');
    json_sweeps(j, c);
    json_spectrum(j, c);
    json_advice(j, advice);
    cli_json_open(j, "notes", '[');
    for (int i = 0; i < c->note_count; i++) {
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "level", c->notes[i].level == TML_LOG_WARNING ? "warning" : "info");
        cli_json_text(j, "text", c->notes[i].text);
        cli_json_close(j, '}');
    }
    cli_json_close(j, ']');
}
