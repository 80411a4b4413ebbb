// The report of a check as JSON. Members are documented in docs/check.md.
#include "check.h"

#include "analysis/rank/dependence.h"

#include <math.h>

static void json_parts(tmli_json *j, const tml_check *c)
{
    tmli_json_open(j, "bodies", '[');
    for (int i = 0; i < c->body_count; i++) {
        const tml_check_body *b = &c->bodies[i];
        tmli_json_open(j, NULL, '{');
        tmli_json_members(j, "name %s mass %g coordinates %d", b->name, b->mass, b->coordinates);
        tmli_json_numbers(j, "position", b->position, 3);
        tmli_json_members(j, "moved %g turned %g", b->moved, b->turned);
        tmli_json_close(j, '}');
    }
    tmli_json_close(j, ']');
    tmli_json_open(j, "joints", '[');
    for (int i = 0; i < c->joint_count; i++)
        tmli_json_object(j, NULL, "name %s type %s between %s rows %d dependent_rows %d", c->joints[i].name,
                         c->joints[i].type, c->joints[i].between, c->joints[i].rows, c->joints[i].redundant);
    tmli_json_close(j, ']');
}

static void json_freedoms(tmli_json *j, const tml_check *c)
{
    tmli_json_members(j, "coordinates %d constraint_rows %d rank %i rank_nearby %i", c->coordinates, c->rows,
                      c->rank, c->rank_nearby);
    tmli_json_members(j, "degrees_of_freedom %i degrees_of_freedom_by_count %d weakest_pivot %g", c->freedoms,
                      c->count_freedoms, c->weakest);
    tmli_json_open(j, "dependent_rows", '[');
    for (int i = 0; i < c->dependency_count; i++) {
        const tml_check_dependency *d = &c->dependencies[i];
        tmli_json_open(j, NULL, '{');
        tmli_json_members(j, "row %s joint %s empty %u", d->row,
                          d->joint < 0 ? NULL : c->joints[d->joint].name, d->empty);
        tmli_json_texts(j, "follows_from", d->others, d->other_count);
        tmli_json_close(j, '}');
    }
    tmli_json_close(j, ']');
}

static void json_redundancy(tmli_json *j, const tml_check *c)
{
    tmli_json_members(j, "mobility %s misfit %g", c->mobility, c->misfit);
    tmli_json_texts(j, "repeated", c->sentences, c->sentence_count);
    tmli_json_open(j, "redundant_sets", '[');
    for (int s = 0; s < c->set_count; s++)
        tmli_json_object(j, NULL, "rows %d excess %d only_here %u", c->sets[s].rows, c->sets[s].excess,
                         c->sets[s].here);
    tmli_json_close(j, ']');
    tmli_json_open(j, "reactions", '[');
    for (int r = 0; r < c->rows && c->rank >= 0; r++) {
        const tml_check_row *row = &c->row_list[r];
        tmli_json_object(j, NULL, "joint %s component %s kind %s set %i dependent %u",
                         row->joint < 0 ? NULL : c->joints[row->joint].name, row->component,
                         tmli_reaction_words[row->reaction], row->set, row->redundant);
    }
    tmli_json_close(j, ']');
}

static void json_conflicts(tmli_json *j, const tml_check *c)
{
    tmli_json_open(j, "conflicts", '[');
    for (int i = 0; i < c->conflict_count; i++) {
        const tml_check_conflict *k = &c->conflicts[i];
        tmli_json_object(j, NULL, "group %d joint %s row %s gap %g unit %s", k->group,
                         k->joint < 0 ? NULL : c->joints[k->joint].name, k->row, k->gap, k->unit);
    }
    tmli_json_close(j, ']');
}

static void json_sweep(tmli_json *j, const tml_check_sweep *s)
{
    tmli_json_open(j, NULL, '{');
    tmli_json_members(j, "along %s unit %s driven %u start %g nearest %g end %g", s->along, s->unit,
                      s->driven, s->start, s->least, s->last);
    tmli_json_members(j, "lowest %g highest %g t_nearest %g t_end %g sigma_start %g sigma %g", s->lowest,
                      s->highest, s->driven ? s->t_least : NAN, s->driven ? s->t_last : NAN, s->sigma_start,
                      s->sigma);
    tmli_json_members(j, "what %s rank %d rank_there %d closed %u extreme %u text %s",
                      !s->singular ? "regular"
                      : s->passes  ? "bifurcation"
                                   : "limit",
                      s->rank_before, s->rank_there, s->closed, s->extreme, s->text);
    tmli_json_close(j, '}');
}

static void json_sweeps(tmli_json *j, const tml_check *c)
{
    tmli_json_open(j, "singular", '{');
    tmli_json_members(j, "at_start %u loops %u nearest %i", c->rank_nearby > c->rank, c->loops, c->nearest);
    tmli_json_open(j, "sweeps", '[');
    for (int i = 0; i < c->sweep_count; i++) json_sweep(j, &c->sweeps[i]);
    tmli_json_close(j, ']');
    tmli_json_close(j, '}');
}

static void json_condition(tmli_json *j, const char *key, double x)
{
    if (isinf(x)) tmli_json_text(j, key, "singular");
    else tmli_json_number(j, key, x > 0 ? x : NAN);
}

static void json_advice(tmli_json *j, const tml_advice *a)
{
    if (!a) {
        tmli_json_value(j, "suggested", NULL);
        return;
    }
    tmli_json_open(j, "suggested", '{');
    tmli_json_members(j, "runs %u failure %s method %s method_reason %s unknowns %s", a->runs,
                      a->runs ? NULL : a->failure, a->method, a->method ? a->method_reason : NULL,
                      a->unknowns);
    tmli_json_members(j, "step %g step_reason %s tolerance %g solver %s solver_reason %s",
                      a->step > 0 ? a->step : NAN, a->step > 0 ? a->step_reason : NULL, a->tolerance,
                      a->solver, a->solver ? a->solver_reason : NULL);
    tmli_json_close(j, '}');
    tmli_json_open(j, "step_matrix", '{');
    tmli_json_integer(j, "unknowns", a->unknown_count);
    json_condition(j, "condition_scaled", a->condition_scaled);
    json_condition(j, "condition_plain", a->condition_plain);
    tmli_json_close(j, '}');
}

static void json_residual(tmli_json *j, const char *key, const tml_check_residual *r)
{
    tmli_json_object(j, key, "value %g unit %s row %s", r->value, r->unit, r->row);
}

static void json_spectrum(tmli_json *j, const tml_check *c)
{
    if (!c->has_spectrum) {
        tmli_json_value(j, "spectrum", NULL);
        return;
    }
    tmli_json_open(j, "spectrum", '{');
    tmli_json_members(j, "instantaneous %u steady %u axes %s massless %d zeros %d", c->instantaneous,
                      c->steady, c->axes, c->massless, c->zeros);
    tmli_json_members(j, "zeros_below %g stiffness_ratio %g shortest_time_scale %g highest_frequency_hz %g",
                      c->zeros_below, c->stiffness_ratio, c->fastest, c->highest_hz);
    tmli_json_open(j, "eigenvalues", '[');
    for (int i = 0; i < c->eigenvalue_count; i++)
        tmli_json_numbers(j, NULL, (const double[]){c->eigenvalues[i].re, c->eigenvalues[i].im}, 2);
    tmli_json_close(j, ']');
    tmli_json_close(j, '}');
}

void cli_check_json(tmli_json *j, const tml_check *c, const tml_advice *advice)
{
    tmli_json_members(j, "title %s length %g t %g", c->title, c->length, c->t);
    json_parts(j, c);
    tmli_json_members(j, "forces %d assembled %u", c->force_count, c->assembled);
    json_freedoms(j, c);
    json_redundancy(j, c);
    json_conflicts(j, c);
    tmli_json_open(j, "start", '{');
    json_residual(j, "position", &c->position);
    json_residual(j, "velocity", &c->velocity);
    if (c->assembled) json_residual(j, "left_open", &c->left_open);
    tmli_json_members(j, "moved %g velocity_changed %g", c->moved, c->velocity_changed);
    tmli_json_close(j, '}');
    json_sweeps(j, c);
    json_spectrum(j, c);
    json_advice(j, advice);
    tmli_json_open(j, "notes", '[');
    for (int i = 0; i < c->note_count; i++)
        tmli_json_object(j, NULL, "level %s text %s",
                         c->notes[i].level == TML_LOG_WARNING ? "warning" : "info", c->notes[i].text);
    tmli_json_close(j, ']');
}
