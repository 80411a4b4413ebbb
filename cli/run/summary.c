// The closing report of `trammel run`, as text and as JSON.
#include "run.h"

#include "base/base.h"

#include <math.h>
#include <string.h>

enum {
    REDUNDANT_MAX =
        5,  // joints with redundant rows that are listed; of more joints only the number is printed
};

static const double ENERGY_ROUNDOFF =
    1e-12;  // smallest dissipated energy printed, over the largest energy term

static const char *size_text(long long bytes, char buf[32])
{
    static const char *const units[] = {"kB", "MB", "GB", "TB"};
    double x = (double)bytes;
    int unit = -1;
    while (x >= 999.5 && unit < 3) x /= 1000, unit++;
    if (unit < 0) snprintf(buf, 32, "%lld bytes", bytes);
    else snprintf(buf, 32, "%.*f %s", x < 9.95 ? 1 : 0, x, units[unit]);
    return buf;
}

// Name of the constraint row with the largest position residual; NULL: there is none.
static const char *name_worst_row(const run_state *r, const tml_sim_report *report, char *buf, size_t size)
{
    const tml_system *sys = tml_sim_system(r->sim);
    if (report->position_row < 0 || report->position_row >= sys->m || !sys->row_name) return NULL;
    return sys->row_name(sys, report->position_row, buf, size);
}

// True if the settings scaling and augment act on the method: they shape the iteration matrix in which the
// multipliers are unknowns.
static bool scales_matrix(const tml_method_ops *method)
{
    return method && (method->equations == TML_EQUATIONS_INDEX3 || method->equations == TML_EQUATIONS_INDEX2);
}

// ---- model and settings -----------------------------------------------------------------------------------

void run_put_settings(tmli_json *j, const char *key, const tml_sim *sim)
{
    const tml_run_def *run = tml_sim_settings(sim);
    tml_sim_report report;
    tml_sim_get_report(sim, &report);
    tmli_json_open(j, key, '{');
    tmli_json_text(j, "method", report.method);
    if (report.reason) tmli_json_text(j, "method_reason", report.reason);
    tmli_json_text(j, "solver", report.solver);
    cli_settings_json(j, run);
    tmli_json_close(j, '}');
}

static void put_steps_setting(cli_report *out, const tml_run_def *run)
{
    if (run->step > 0 && isnan(run->control_from)) cli_entry(out, "fixed step %g s\n", run->step);
    else if (run->step > 0)
        cli_entry(out, "fixed step %g s, to be controlled from %g s on\n", run->step, run->control_from);
    else if (!isnan(run->control_from))
        cli_entry(out, "fixed steps until %g s, then tolerance %g\n", run->control_from, run->rtol);
    else if (run->rtol == run->atol) cli_entry(out, "tolerance %g\n", run->rtol);
    else cli_entry(out, "rtol %g, atol %g\n", run->rtol, run->atol);
}

typedef struct closing {
    const run_state *r;
    const tml_sim_report *report;
} closing;

static void put_method(const closing *s, cli_report *out)
{
    const tml_run_def *run = tml_sim_settings(s->r->sim);
    if (s->r->method) {
        cli_line(out, "method", "%s: %s", s->r->method->name, s->r->method->summary);
        return;
    }
    const tml_method_ops *method = tml_method_find(s->report->method);
    cli_label(out, "method");
    cli_entry(out, "%s, order %d; ", s->report->method, method ? method->order : 0);
    if (run->group != TML_GROUP_R3SO3) cli_entry(out, "on %s; ", cli_settings_word(run, "group"));
    put_steps_setting(out, run);
    if (s->report->reason) {
        const char *head = "chosen by auto:";
        cli_label(out, "");
        cli_entry(out, "%s", head);
        cli_wrapped(out, s->report->reason, CLI_LABEL, CLI_LABEL + (int)strlen(head));
    }
    cli_label(out, "solver");
    cli_entry(out, "%s", s->report->solver);
    if (scales_matrix(method) && run->scaling == TML_SCALING_GIVEN)
        cli_entry(out, "; scaling s = %g + %g/h + %g/h^2, augmentation %g", run->scale.k, run->scale.d,
                  run->scale.m, run->augment);
    else if (scales_matrix(method))
        cli_entry(out, "; scaling %s, augmentation %g", cli_settings_word(run, "scaling"), run->augment);
    cli_entry(out, "\n");
}

static void put_setup(const closing *s, cli_report *out)
{
    const tml_system *sys = tml_sim_system(s->r->sim);
    cli_entry(out, "{-title %s}", tml_model_title(s->r->model));
    cli_open(out, "size", '{');
    cli_line(out, "model",
             "{bodies %d body|bodies}, {joints %d joint}, {forces %d force}; {coordinates %d coordinate}, "
             "{constraints %d constraint equation}",
             tml_model_body_count(s->r->model), tml_model_joint_count(s->r->model),
             tml_model_force_count(s->r->model), sys->n, sys->m);
    cli_close(out, '}');
    put_method(s, out);
    if (out->kind == CLI_REPORT_JSON) run_put_settings(&out->j, "settings", s->r->sim);
}

// ---- start ------------------------------------------------------------------------------------------------

// Of many lines the first ones, and how many there are beside them.
static int shown_of(int count) { return count <= REDUNDANT_MAX ? count : REDUNDANT_MAX - 1; }

// One sentence per joint with redundant rows.
static void put_redundant(const closing *s, cli_report *out)
{
    const int count = s->report->sentence_count, shown = shown_of(count);
    cli_texts(out, "repeated", s->report->sentences, count);
    for (int i = 0; i < shown; i++) cli_sentence(out, i == 0 ? "redundant" : "", s->report->sentences[i]);
    if (shown < count) cli_line(out, "", "... and %d more; `trammel check --all` lists them", count - shown);
}

// Velocities of the file that the start has replaced.
static void put_start(const closing *s, cli_report *out)
{
    const int count = s->report->start_change_count, shown = shown_of(count);
    cli_texts(out, "start_changes", s->report->start_changes, count);
    for (int i = 0; i < shown; i++)
        cli_line(out, i == 0 ? "start" : "", "changed: %s", s->report->start_changes[i]);
    if (shown < count) cli_line(out, "", "... and %d more", count - shown);
}

static void print_equilibrium(cli_report *out, const tml_equilibrium *e)
{
    char text[400], stable[80];
    if (e->unstable == 0) snprintf(stable, sizeof stable, "%s", e->neutral ? "neutral" : "stable");
    else if (e->unstable < 0) snprintf(stable, sizeof stable, "its stability is not known");
    else
        snprintf(stable, sizeof stable, "UNSTABLE: %d growing motion%s", e->unstable,
                 e->unstable > 1 ? "s" : "");
    snprintf(
        text, sizeof text,
        "found by %s, %d steps, %d iterations; %s; forces balanced to %.1e of the largest; moved by up to "
        "%.3g model lengths or rad",
        e->relaxed ? "relaxation" : "load steps", e->steps + 1, e->iterations, stable, e->residual, e->moved);
    cli_sentence(out, "equilibrium", text);
    if (e->limit_points == 0) return;
    const int shown = e->limit_points < TML_LIMIT_LOADS ? e->limit_points : TML_LIMIT_LOADS;
    size_t used = (size_t)snprintf(text, sizeof text, "%d limit point%s passed on the way, at",
                                   e->limit_points, e->limit_points > 1 ? "s" : "");
    for (int i = 0; i < shown; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %.5g", i ? "," : "", e->limit_load[i]);
    snprintf(text + used, sizeof text - used, "%s of the loads", shown < e->limit_points ? ", ..." : "");
    cli_sentence(out, "", text);
}

void run_put_equilibrium(cli_report *out, const tml_equilibrium *e)
{
    cli_entry(out, "{-found_by %s steps %d iterations %d limit_points %d}",
              e->relaxed ? "relaxation" : "load steps", e->steps + 1, e->iterations, e->limit_points);
    cli_numbers(out, "limit_loads", e->limit_load,
                e->limit_points < TML_LIMIT_LOADS ? e->limit_points : TML_LIMIT_LOADS);
    cli_entry(out, "{-unstable_roots %d neutral %u residual %g moved %g}", e->unstable, e->neutral,
              e->residual, e->moved);
    print_equilibrium(out, e);
}

static void put_equilibrium(const closing *s, cli_report *out)
{
    if (s->report->equilibrium.found) print_equilibrium(out, &s->report->equilibrium);
}

// ---- steps ------------------------------------------------------------------------------------------------

// Digits of a time that tell the start of a run from its end.
static int time_digits(const tml_run_def *run, double end)
{
    const double share = fmax(fabs(run->start), fabs(end)) / (end - run->start);
    return (int)fmin(fmax(4 + ceil(log10(share)), 6), 15);
}

static void put_span(const closing *s, cli_report *out)
{
    const tml_run_def *run = tml_sim_settings(s->r->sim);
    const double t = tml_sim_time(s->r->sim);
    char from[32], to[32], end[32];
    const int n = time_digits(run, s->r->end);
    snprintf(from, sizeof from, "%.*g", n, run->start);
    snprintf(to, sizeof to, "%.*g", n, t);
    snprintf(end, sizeof end, "%.*g", n, s->r->end);
    cli_label(out, s->r->method ? "time" : "simulated");
    cli_entry(out, "{-t %g event %s}%s .. %s s", t, s->report->event, from, to);
    if (s->r->interrupted) cli_entry(out, " of %s s: interrupted", end);
    else if (s->r->err.status != TML_OK) cli_entry(out, " of %s s: FAILED", end);
    else if (s->report->event) cli_entry(out, " of %s s: ended by event '%s'", end, s->report->event);
    cli_entry(out, "\n");
}

static void put_singular(const tml_counters *c, cli_report *out)
{
    cli_label(out, "singular");
    cli_entry(out, "{%ld, singular configuration} passed", c->singular);
    if (c->singular == 1) cli_entry(out, " at t = %.6g s\n", c->singular_first);
    else cli_entry(out, ", t = %.6g .. %.6g s\n", c->singular_first, c->singular_last);
    cli_line(out, "", "rank of the constraints %d -> %d; the motion continues on the smooth branch", c->rank,
             c->singular_rank);
}

static void put_steps(const tml_sim_report *report, cli_report *out)
{
    const tml_counters *c = &report->count;
    const long rejected = c->rejected_error + c->rejected_newton;
    cli_label(out, "steps");
    cli_entry(out, "{steps %ld,}, {%ld,} rejected{-rejected_error %ld rejected_newton %ld}", c->steps,
              rejected, c->rejected_error, c->rejected_newton);
    if (c->rejected_error > 0 && c->rejected_newton > 0)
        cli_entry(out, " ({%ld,} by the error test, {%ld,} without convergence)", c->rejected_error,
                  c->rejected_newton);
    else if (rejected > 0)
        cli_entry(out, "%s", c->rejected_error > 0 ? " by the error test" : " without convergence");
    cli_entry(out, "\n");
    if (c->steps > 0)
        cli_line(out, "step size", "%.3g .. %.3g s, mean %.3g s", report->h_min, report->h_max,
                 report->h_mean);
}

// Work of the implicit methods.
static void put_iterations(const tml_sim_report *report, cli_report *out)
{
    const tml_counters *c = &report->count;
    const tml_method_ops *method = tml_method_find(report->method);
    cli_entry(out, "{-iterations %ld max_iterations %d residuals %ld factorizations %ld}", c->iterations,
              c->max_iterations, c->residuals, c->factorizations);
    if (c->steps == 0 || c->factorizations == 0 || (method && tml_method_is_explicit(method))) return;
    cli_label(out, c->iterations > 0 ? "Newton" : "matrix");
    const double mean = (double)c->iterations / (double)c->steps;
    if (c->iterations > 0)  // the mean contains rejected attempts, and all stages
        cli_entry(out, "%.2f iterations per step, at most %d%s; ", mean, c->max_iterations,
                  mean > c->max_iterations ? " at once" : "");
    cli_entry(out, "{%ld, factorization}\n", c->factorizations);
}

static void put_work(const closing *s, cli_report *out)
{
    const tml_counters *c = &s->report->count;
    cli_open(out, "counters", '{');
    put_steps(s->report, out);
    cli_entry(out, "{-switches %ld repeated_constraints %d singular_positions %ld}", s->report->switches,
              s->report->repeated, c->singular);
    put_iterations(s->report, out);
    cli_entry(out, "{-bases %ld}", c->bases);
    cli_close(out, '}');
    if (c->bases > 0) cli_line(out, "basis", "independent coordinates changed {%ld, time}", c->bases);
    if (s->report->switches > 0)
        cli_line(out, "switches", "{%ld, discontinuity|discontinuities} located", s->report->switches);
    if (c->singular > 0) put_singular(c, out);
    const bool any = c->steps > 0;
    cli_object(out, "step_size", "{-min %g max %g mean %g}", any ? s->report->h_min : NAN,
               any ? s->report->h_max : NAN, any ? s->report->h_mean : NAN);
}

// ---- friction and contacts --------------------------------------------------------------------------------

static void put_creep(const closing *s, cli_report *out)
{
    const bool any = s->report->creeping_count > 0;
    cli_entry(out, "{-creeps_most %s creep %g}", s->report->creeps_most, any ? s->report->creep : NAN);
    if (!any) return;
    cli_label(out, "friction");
    cli_entry(out, "regularized: creeps instead of sticking, '%s' with about %.3g m/s or rad/s",
              s->report->creeps_most, s->report->creep);
    if (s->report->creeping_count > 1)
        cli_entry(out, " (and %d more, slower)", s->report->creeping_count - 1);
    cli_entry(out, "\n");
}

// [J]
static double unresolved_energy(const tml_sim_report *report)
{
    return fmax(report->energy_error, ENERGY_ROUNDOFF * report->energy_scale);
}

static void put_impulses(const closing *s, cli_report *out)
{
    const double loss = s->report->impact_loss;
    cli_entry(out, "{-impacts %ld impact_loss %g impulse_count %ld}", s->report->impact_count, loss,
              s->report->impulse_count);
    if (s->report->impact_count > 0)
        cli_line(out, "impacts",
                 "%ld of rigid limits and contacts, in which %.4g J of kinetic energy were lost",
                 s->report->impact_count, loss < 0 && -loss <= unresolved_energy(s->report) ? 0 : loss);
    cli_open(out, "impulses", '[');
    for (int i = 0; i < s->report->impulses_kept; i++) {
        const tml_sim_impulse *p = &s->report->impulses[i];
        out->silent = i >= REDUNDANT_MAX;
        cli_label(out, i == 0 ? "impulses" : "");
        cli_object(
            out, NULL,
            "{joint %s} at t = {t %.6g} s: {value %.4g} N s or N m s, velocity changes by {jump %.4g}, work "
            "{work %.4g} J\n",
            p->joint, p->t, p->value, p->jump, p->work);
    }
    out->silent = false;
    cli_close(out, ']');
    const long more = s->report->impulse_count - REDUNDANT_MAX;
    if (more > 0) cli_line(out, "", "... and %ld more", more);
}

static void put_captured(const closing *s, cli_report *out)
{
    const tml_contact_counters *c = &s->report->contacts;
    const long steps = s->report->count.steps;
    if (!(c->bound > 0)) return;
    cli_open(out, "contacts", '{');
    cli_line(
        out, "contacts",
        "captured: up to {points %d} points in {islands %d} groups, {impacts %ld} struck; depth up to %.2g m",
        c->points, c->islands, c->impacts, c->depth);
    cli_entry(out, "{-sweeps %ld missed %ld bound %g residual %g depth %g}", c->sweeps, c->missed, c->bound,
              c->residual, c->depth);
    cli_line(
        out, "",
        "{impact_loss %.4g} J lost by impacts, {friction_loss %.4g} J by friction; {lifted %.2g} J gained "
        "by lifting",
        c->impact_loss, c->friction_loss, c->lifted);
    cli_close(out, '}');
    cli_line(out, "", "%.3g sweeps per step, residual up to %.2g of what contacts demand",
             steps > 0 ? (double)c->sweeps / (double)steps : 0, c->residual);
    if (c->missed > 0)
        cli_line(out, "", "%ld step%s above the bound %g halved", c->missed,
                 c->missed > 1 ? "s were" : " was", c->bound);
}

static void put_forces(const closing *s, cli_report *out)
{
    const tml_channel *channel = tml_sim_channels(s->r->sim);
    if (!s->r->method) return;
    cli_open(out, "forces", '[');
    for (int i = 0; i < s->r->nranges && s->r->rows > 0; i++) {
        const run_range *g = &s->r->range[i];
        const tml_channel *of = &channel[g->channel];
        cli_label(out, i == 0 ? "forces" : "");
        cli_object(out, NULL, "{channel %s} {-unit %s}{min %.6g} .. {max %.6g} %s\n", of->name, of->unit,
                   g->least, g->most, of->unit);
    }
    cli_close(out, ']');
}

// ---- audit ------------------------------------------------------------------------------------------------

static void put_constraints(const closing *s, cli_report *out)
{
    char buf[160];
    const char *row = name_worst_row(s->r, s->report, buf, sizeof buf);
    cli_open(out, "residuals", '{');
    out->silent = tml_sim_system(s->r->sim)->m == 0;
    cli_label(out, "constraints");
    cli_entry(out, "largest residual of positions {position %.1e}", s->report->position_residual);
    cli_text(out, "position_row", row);
    if (row && s->report->position_residual > 0) cli_entry(out, " in %s", row);
    cli_entry(out, ", of velocities {velocity %.1e}\n", s->report->velocity_residual);
    out->silent = false;
    cli_close(out, '}');
}

// What became of the energy: only if it went more than one way, else the line of the balance says it.
static void put_ways_of_energy(const tml_sim_report *report, double unresolved, cli_report *out)
{
    const double supplied = report->supplied, lost = report->contact_loss,
                 damped = report->dissipated + supplied - lost;
    const bool of[3] = {fabs(supplied) > unresolved, fabs(damped) > unresolved, fabs(lost) > unresolved};
    if (of[0] + of[1] + of[2] < 2) return;
    if (of[0])
        cli_line(out, "", "%.6g J %s by drivers, applied forces and laws", fabs(supplied),
                 supplied > 0 ? "supplied" : "taken");
    if (of[1]) cli_line(out, "", "%.6g J dissipated by dampers and friction", damped);
    if (of[2] && lost > 0) cli_line(out, "", "%.6g J lost in contacts and limits", lost);
    if (of[2] && lost < 0)
        cli_line(out, "", "%.6g J brought in by roads and moving surfaces, or given back by limits", -lost);
}

static void put_energy(const closing *s, cli_report *out)
{
    const double end = s->report->kinetic + s->report->potential, dissipated = s->report->dissipated,
                 unresolved = unresolved_energy(s->report);
    cli_open(out, "energy", '{');
    out->silent = !(s->report->energy_scale > 0);
    cli_label(out, "energy");
    cli_entry(out, "{start %.6g} J at the start, %.6g J at the end", s->report->energy_start, end);
    if (fabs(dissipated) > unresolved)
        cli_entry(out, ", %.6g J %s", fabs(dissipated), dissipated > 0 ? "dissipated" : "supplied");
    cli_entry(out, "\n{-kinetic %g potential %g dissipated %g supplied %g contact_loss %g}",
              s->report->kinetic, s->report->potential, dissipated, s->report->supplied,
              s->report->contact_loss);
    put_ways_of_energy(s->report, unresolved, out);
    cli_line(out, "", "balance error {error %.1e} J, %.1e of the largest term{-scale %g}",
             s->report->energy_error, s->report->energy_error / s->report->energy_scale,
             s->report->energy_scale);
    out->silent = false;
    cli_close(out, '}');
}

static void put_vibrations(const closing *s, cli_report *out)
{
    const tml_counters *c = &s->report->count;
    char text[200];
    cli_object(out, "damped", "{-above %g position %g velocity %g energy %g}", c->damped_above,
               c->damped_position, c->damped_velocity, c->damped_energy);
    if (!(s->report->energy_scale > 0) || !(c->damped_above > 0)) return;
    snprintf(text, sizeof text,
             "above %.3g Hz not resolved at all times: up to %.1e m and %.1e m/s in a step; %.1e J of them "
             "damped",
             c->damped_above, c->damped_position, c->damped_velocity, c->damped_energy);
    cli_sentence(out, "vibrations", text);
}

static void put_notes(const closing *s, cli_report *out)
{
    cli_open(out, "notes", '[');
    for (int i = 0; i < s->r->watch.note_count; i++) {
        cli_text(out, NULL, s->r->watch.note[i]);
        cli_sentence(out, i == 0 ? "note" : "", s->r->watch.note[i]);
    }
    cli_close(out, ']');
}

static void put_time(const closing *s, cli_report *out)
{
    const double simulated = tml_sim_time(s->r->sim) - tml_sim_settings(s->r->sim)->start;
    const double wall = s->report->wall_seconds, ratio = wall > 0 ? simulated / wall : 0;
    const double condition = tml_sim_condition(s->r->sim);
    cli_label(out, "wall time");
    cli_entry(out, "{-condition %g}{wall_seconds %.3g} s{-real_time_factor %g}",
              condition > 0 ? condition : NAN, wall, wall > 0 ? ratio : NAN);
    if (ratio >= 1) cli_entry(out, ", %.3g times faster than real time", ratio);
    else if (ratio > 0) cli_entry(out, ", %.3g times slower than real time", 1 / ratio);
    cli_entry(out, "\n");
}

// ---- the report -------------------------------------------------------------------------------------------

typedef void part(const closing *s, cli_report *out);

static part *const of_text[] = {put_setup,       put_redundant, put_start,      put_equilibrium, put_span,
                                put_work,        put_creep,     put_impulses,   put_captured,    put_forces,
                                put_constraints, put_energy,    put_vibrations, put_notes,       put_time};
static part *const of_json[] = {put_setup,       put_span,       put_redundant, put_start,  put_impulses,
                                put_captured,    put_creep,      put_work,      put_forces, put_notes,
                                put_constraints, put_vibrations, put_energy,    put_time};

void run_put_report(const run_state *r, cli_report *out)
{
    const bool json = out->kind == CLI_REPORT_JSON;
    part *const *const parts = json ? of_json : of_text;
    const size_t count = json ? sizeof of_json / sizeof *of_json : sizeof of_text / sizeof *of_text;
    tml_sim_report report;
    const closing s = {r, &report};
    tml_sim_get_report(r->sim, &report);
    cli_entry(out, "%s\n", cli_title(r->model, r->values->in.model));
    for (size_t i = 0; i < count; i++) parts[i](&s, out);
}

static const char *format_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (dot[1] == 'c' || dot[1] == 'C') ? "csv" : "hdf5";
}

static void put_files(const run_state *r, cli_report *out)
{
    char size[32];
    cli_entry(out, "{-rows %ld}", r->rows);
    cli_open(out, "outputs", '[');
    for (int i = 0; i < r->nfiles; i++) {
        const run_file *f = &r->files[i];
        cli_label(out, i == 0 ? "written" : "");
        if (f->kept)
            cli_object(out, NULL, "{path %s}{-format %s bytes %lld} ({%ld, row}, %s)\n", f->path,
                       format_of(f->path), f->bytes, r->rows, size_text(f->bytes, size));
        else cli_entry(out, "%s: INCOMPLETE\n", f->path);
    }
    if (r->nfiles == 0) cli_line(out, "written", "no result file");
    cli_close(out, ']');
}

void run_put_summary(const run_state *r, cli_report *out)
{
    cli_entry(out, "{-interrupted %u}", r->interrupted);
    if (r->sim) run_put_report(r, out);
    put_files(r, out);
}
