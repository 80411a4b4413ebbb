// The state of a model: its start, an equilibrium, or a time of its run.
#include "state_at.h"

#include "base/base.h"

#include <math.h>
#include <string.h>

static const char *const words[] = {"start", "equilibrium", "steady"};
enum { WORDS = sizeof words / sizeof *words };

// *begin and *t (NAN: the start) of the option --at
static tml_status parse(const char *at, tml_begin *begin, double *t, tml_error *err)
{
    static const tml_begin begins[WORDS] = {TML_BEGIN_GIVEN, TML_BEGIN_STATIC, TML_BEGIN_STEADY};
    *t = NAN;
    for (int i = 0; i < WORDS; i++)
        if (strcmp(at, words[i]) == 0) {
            *begin = begins[i];
            return TML_OK;
        }
    const char *end;
    *t = tmli_strtod(at, &end);
    if (end != at && !*end && isfinite(*t)) return TML_OK;
    return tmli_fail(err, TML_ERR_ARG, "--at: '%.60s' is not start, equilibrium, steady or a time [s]%s.", at,
                     tmli_hint_of(at, words, WORDS).text);
}

static tml_status advance(cli_state *s, double t, tml_error *err)
{
    const tml_run_def *run = tml_sim_settings(s->sim);
    if (t < run->start)
        return tmli_fail(err, TML_ERR_ARG, "--at: %g s is before the start of the run, %g s.", t, run->start);
    if (t > run->end)
        return tmli_fail(err, TML_ERR_ARG, "--at: %g s is after the end of the run, %g s (--end moves it).",
                         t, run->end);
    const tml_status st = tml_sim_advance_to(s->sim, t, s->x, err);
    tml_sim_report report;
    tml_sim_get_report(s->sim, &report);
    if (st == TML_OK && report.event)
        return tmli_fail(err, TML_ERR_ARG, "--at: the event '%s' ends the run at %g s, before %g s.",
                         report.event, s->x->t, t);
    return st;
}

tml_status cli_state_load(cli_state *s, const cli_input *in, const char *at, const tml_env *env,
                          tml_error *err)
{
    double t = NAN;
    tml_begin begin = TML_BEGIN_GIVEN;
    tml_status st = parse(at, &begin, &t, err);
    if (st == TML_OK) st = cli_input_load(in, CLI_STEPS_CHOSEN, env, &s->spec, &s->model, err);
    if (st != TML_OK) return st;
    tml_run_def run = *tml_model_run(s->model);
    if (begin != TML_BEGIN_GIVEN) run.begin = begin;
    s->simulated = true;
    st = tml_sim_create(s->model, &run, &s->sim, err);
    if (st == TML_OK) st = tml_state_create(tml_sim_system(s->sim), &s->x, err);
    if (st != TML_OK) return st;
    if (isnan(t)) {
        tml_state_copy(s->x, tml_sim_state(s->sim));
        return TML_OK;
    }
    st = advance(s, t, err);
    s->simulated = st != TML_ERR_ARG;
    return st;
}

void cli_state_clear(cli_state *s)
{
    if (s->sim) tml_state_destroy(s->x, tml_sim_system(s->sim));
    tml_sim_destroy(s->sim);
    tml_model_destroy(s->model);
    tml_spec_destroy(s->spec);
    *s = (cli_state){0};
}

void cli_state_report(cli_report *r, double t, bool rest, bool steady, const char *axes, const char *what)
{
    cli_label(r, "state");
    cli_entry(r, "t = {t %.6g} s, {-rest %u steady %u}", t, rest, steady);
    if (steady) cli_entry(r, "{-axes %s}", axes);
    if (rest) cli_entry(r, "at rest in equilibrium\n");
    else if (steady) cli_entry(r, "steady motion, seen in %s\n", axes);
    else cli_entry(r, "not steady: %s of this instant\n", what);
}
