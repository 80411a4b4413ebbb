// The closing report of `trammel run`, as text and as JSON.
#include "cli/common/print.h"
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

// 1234567 as "1,234,567"
static const char *grouped(long n, char buf[32])
{
    char digits[24];
    const int count = snprintf(digits, sizeof digits, "%ld", n);
    int used = 0;
    for (int i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0) buf[used++] = ',';
        buf[used++] = digits[i];
    }
    buf[used] = 0;
    return buf;
}

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

static void print_count(FILE *out, int n, const char *one, const char *many, const char *after)
{
    fprintf(out, "%d %s%s", n, n == 1 ? one : many, after);
}

// ---- text -------------------------------------------------------------------------------------------------

// True if the settings scaling and augment act on the method: they shape the iteration matrix in which the
// multipliers are unknowns.
static bool scales_matrix(const tml_method_ops *method)
{
    return method && (method->equations == TML_EQUATIONS_INDEX3 || method->equations == TML_EQUATIONS_INDEX2);
}

static void print_setup(const run_state *r, const tml_sim_report *report, FILE *out)
{
    const tml_run_def *run = tml_sim_settings(r->sim);
    const tml_system *sys = tml_sim_system(r->sim);
    cli_label(out, "model");
    print_count(out, tml_model_body_count(r->model), "body", "bodies", ", ");
    print_count(out, tml_model_joint_count(r->model), "joint", "joints", ", ");
    print_count(out, tml_model_force_count(r->model), "force", "forces", "; ");
    print_count(out, sys->n, "coordinate", "coordinates", ", ");
    print_count(out, sys->m, "constraint equation", "constraint equations", "\n");
    const tml_method_ops *method = r->method ? r->method : tml_method_find(report->method);
    cli_label(out, "method");
    if (r->method) {
        fprintf(out, "%s: %s\n", method->name, method->summary);
        return;
    }
    fprintf(out, "%s, order %d; ", report->method, method ? method->order : 0);
    if (run->group != TML_GROUP_R3SO3) fprintf(out, "on %s; ", cli_settings_word(run, "group"));
    if (run->step > 0 && isnan(run->control_from)) fprintf(out, "fixed step %g s\n", run->step);
    else if (run->step > 0)
        fprintf(out, "fixed step %g s, to be controlled from %g s on\n", run->step, run->control_from);
    else if (!isnan(run->control_from))
        fprintf(out, "fixed steps until %g s, then tolerance %g\n", run->control_from, run->rtol);
    else if (run->rtol == run->atol) fprintf(out, "tolerance %g\n", run->rtol);
    else fprintf(out, "rtol %g, atol %g\n", run->rtol, run->atol);
    if (report->reason) {
        cli_label(out, "");
        const char *head = "chosen by auto:";
        fputs(head, out);
        cli_wrap(out, report->reason, CLI_LABEL, CLI_LABEL + (int)strlen(head));
    }
    cli_label(out, "solver");
    fputs(report->solver, out);
    if (scales_matrix(method) && run->scaling == TML_SCALING_GIVEN)
        fprintf(out, "; scaling s = %g + %g/h + %g/h^2, augmentation %g", run->scale.k, run->scale.d,
                run->scale.m, run->augment);
    else if (scales_matrix(method))
        fprintf(out, "; scaling %s, augmentation %g", cli_settings_word(run, "scaling"), run->augment);
    fputc('\n', out);
}

// One sentence per joint with redundant rows.
static void print_redundant(const tml_sim_report *report, FILE *out)
{
    const int count = report->sentence_count, shown = count <= REDUNDANT_MAX ? count : REDUNDANT_MAX - 1;
    for (int i = 0; i < shown; i++) cli_sentence(out, i == 0 ? "redundant" : "", report->sentences[i]);
    if (shown == count) return;
    cli_fact(out, "", "... and %d more; `trammel check --all` lists them", count - shown);
}

// Velocities of the file that the start has replaced.
static void print_start(const tml_sim_report *report, FILE *out)
{
    const int count = report->start_change_count, shown = count <= REDUNDANT_MAX ? count : REDUNDANT_MAX - 1;
    for (int i = 0; i < shown; i++)
        cli_fact(out, i == 0 ? "start" : "", "changed: %s", report->start_changes[i]);
    if (shown == count) return;
    cli_fact(out, "", "... and %d more", count - shown);
}

static void print_creep(const tml_sim_report *report, FILE *out)
{
    if (report->creeping_count == 0) return;
    cli_label(out, "friction");
    fprintf(out, "regularized: creeps instead of sticking, '%s' with about %.3g m/s or rad/s",
            report->creeps_most, report->creep);
    if (report->creeping_count > 1) fprintf(out, " (and %d more, slower)", report->creeping_count - 1);
    fputc('\n', out);
}

// [J]
static double unresolved_energy(const tml_sim_report *report)
{
    return fmax(report->energy_error, ENERGY_ROUNDOFF * report->energy_scale);
}

static void print_impulses(const tml_sim_report *report, FILE *out)
{
    if (report->impact_count > 0) {
        const double loss = report->impact_loss;
        cli_fact(out, "impacts",
                 "%ld of rigid limits and contacts, in which %.4g J of kinetic energy were lost",
                 report->impact_count, loss < 0 && -loss <= unresolved_energy(report) ? 0 : loss);
    }
    for (int i = 0; i < report->impulses_kept && i < REDUNDANT_MAX; i++) {
        const tml_sim_impulse *p = &report->impulses[i];
        cli_fact(out, i == 0 ? "impulses" : "",
                 "%s at t = %.6g s: %.4g N s or N m s, velocity changes by %.4g, work %.4g J", p->joint, p->t,
                 p->value, p->jump, p->work);
    }
    const long more = report->impulse_count - REDUNDANT_MAX;
    if (more <= 0) return;
    cli_fact(out, "", "... and %ld more", more);
}

static void print_captured(const tml_sim_report *report, FILE *out)
{
    const tml_contact_counters *c = &report->contacts;
    const long steps = report->count.steps;
    if (!(c->bound > 0)) return;
    cli_fact(out, "contacts", "captured: up to %d points in %d groups, %ld struck; depth up to %.2g m",
             c->points, c->islands, c->impacts, c->depth);
    cli_fact(out, "", "%.4g J lost by impacts, %.4g J by friction; %.2g J gained by lifting", c->impact_loss,
             c->friction_loss, c->lifted);
    cli_fact(out, "", "%.3g sweeps per step, residual up to %.2g of what contacts demand",
             steps > 0 ? (double)c->sweeps / (double)steps : 0, c->residual);
    if (c->missed > 0)
        cli_fact(out, "", "%ld step%s above the bound %g halved", c->missed,
                 c->missed > 1 ? "s were" : " was", c->bound);
}

void cli_print_equilibrium(const tml_equilibrium *e, FILE *out)
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

// Digits of a time that tell the start of a run from its end.
static int time_digits(const tml_run_def *run)
{
    const double share = fmax(fabs(run->start), fabs(run->end)) / (run->end - run->start);
    return (int)fmin(fmax(4 + ceil(log10(share)), 6), 15);
}

static void print_span(const run_state *r, const tml_sim_report *report, FILE *out)
{
    const tml_run_def *run = tml_sim_settings(r->sim);
    const double t = tml_sim_time(r->sim);
    const int n = time_digits(run);
    cli_label(out, r->method ? "time" : "simulated");
    fprintf(out, "%.*g .. %.*g s", n, run->start, n, t);
    if (r->interrupted) fprintf(out, " of %.*g s: interrupted", n, run->end);
    else if (r->err.status != TML_OK) fprintf(out, " of %.*g s: FAILED", n, run->end);
    else if (report->event) fprintf(out, " of %.*g s: ended by event '%s'", n, run->end, report->event);
    fputc('\n', out);
}

static void print_singular(const tml_counters *c, FILE *out)
{
    char a[32];
    cli_label(out, "singular");
    if (c->singular == 1) fprintf(out, "1 singular configuration passed at t = %.6g s", c->singular_first);
    else
        fprintf(out, "%s singular configurations passed, t = %.6g .. %.6g s", grouped(c->singular, a),
                c->singular_first, c->singular_last);
    fputc('\n', out);
    cli_fact(out, "", "rank of the constraints %d -> %d; the motion continues on the smooth branch", c->rank,
             c->singular_rank);
}

static void print_steps(const tml_sim_report *report, FILE *out)
{
    const tml_counters *c = &report->count;
    const long rejected = c->rejected_error + c->rejected_newton;
    char a[32], b[32];
    cli_label(out, "steps");
    fprintf(out, "%s, %s rejected", grouped(c->steps, a), grouped(rejected, b));
    if (c->rejected_error > 0 && c->rejected_newton > 0)
        fprintf(out, " (%s by the error test, %s without convergence)", grouped(c->rejected_error, a),
                grouped(c->rejected_newton, b));
    else if (rejected > 0) fputs(c->rejected_error > 0 ? " by the error test" : " without convergence", out);
    fputc('\n', out);
    if (c->steps == 0) return;
    cli_fact(out, "step size", "%.3g .. %.3g s, mean %.3g s", report->h_min, report->h_max, report->h_mean);
}

// Work of the implicit methods.
static void print_iterations(const tml_sim_report *report, FILE *out)
{
    const tml_counters *c = &report->count;
    const tml_method_ops *method = tml_method_find(report->method);
    char a[32];
    if (c->steps == 0 || c->factorizations == 0 || (method && tml_method_is_explicit(method))) return;
    cli_label(out, c->iterations > 0 ? "Newton" : "matrix");
    const double mean = (double)c->iterations / (double)c->steps;
    if (c->iterations > 0)  // the mean contains rejected attempts, and all stages
        fprintf(out, "%.2f iterations per step, at most %d%s; ", mean, c->max_iterations,
                mean > c->max_iterations ? " at once" : "");
    fprintf(out, "%s factorization%s\n", grouped(c->factorizations, a), tmli_plural(c->factorizations));
}

static void print_forces(const run_state *r, FILE *out)
{
    const tml_channel *channel = tml_sim_channels(r->sim);
    for (int i = 0; i < r->nranges && r->rows > 0; i++) {
        const run_range *g = &r->range[i];
        cli_fact(out, i == 0 ? "forces" : "", "%s %.6g .. %.6g %s", channel[g->channel].name, g->least,
                 g->most, channel[g->channel].unit);
    }
}

static void print_work(const tml_sim_report *report, FILE *out)
{
    const tml_counters *c = &report->count;
    char a[32];
    print_steps(report, out);
    print_iterations(report, out);
    if (c->bases > 0) {
        cli_fact(out, "basis", "independent coordinates changed %s time%s", grouped(c->bases, a),
                 tmli_plural(c->bases));
    }
    if (report->switches > 0) {
        cli_fact(out, "switches", "%s %s located", grouped(report->switches, a),
                 report->switches == 1 ? "discontinuity" : "discontinuities");
    }
    if (c->singular > 0) print_singular(c, out);
    print_creep(report, out);
    print_impulses(report, out);
    print_captured(report, out);
}

// What became of the energy: only if it went more than one way, else the line of the balance says it.
static void print_ways_of_energy(const tml_sim_report *report, double unresolved, FILE *out)
{
    const double supplied = report->supplied, lost = report->contact_loss,
                 damped = report->dissipated + supplied - lost;
    const bool of[3] = {fabs(supplied) > unresolved, fabs(damped) > unresolved, fabs(lost) > unresolved};
    if (of[0] + of[1] + of[2] < 2) return;
    if (of[0])
        cli_fact(out, "", "%.6g J %s by drivers, applied forces and laws", fabs(supplied),
                 supplied > 0 ? "supplied" : "taken");
    if (of[1]) cli_fact(out, "", "%.6g J dissipated by dampers and friction", damped);
    if (of[2] && lost > 0) cli_fact(out, "", "%.6g J lost in contacts", lost);
    if (of[2] && lost < 0)
        cli_fact(out, "", "%.6g J brought in by roads and moving surfaces, through tyres and contacts",
                 -lost);
}

static void print_audit(const run_state *r, const tml_sim_report *report, FILE *out)
{
    char buf[160];
    if (tml_sim_system(r->sim)->m > 0) {
        const char *row = name_worst_row(r, report, buf, sizeof buf);
        cli_label(out, "constraints");
        fprintf(out, "largest residual of positions %.1e", report->position_residual);
        if (row && report->position_residual > 0) fprintf(out, " in %s", row);
        fprintf(out, ", of velocities %.1e\n", report->velocity_residual);
    }
    if (!(report->energy_scale > 0)) return;
    const double end = report->kinetic + report->potential, dissipated = report->dissipated;
    cli_label(out, "energy");
    fprintf(out, "%.6g J at the start, %.6g J at the end", report->energy_start, end);
    const double unresolved = unresolved_energy(report);
    if (fabs(dissipated) > unresolved)
        fprintf(out, ", %.6g J %s", fabs(dissipated), dissipated > 0 ? "dissipated" : "supplied");
    fputc('\n', out);
    print_ways_of_energy(report, unresolved, out);
    cli_fact(out, "", "balance error %.1e J, %.1e of the largest term", report->energy_error,
             report->energy_error / report->energy_scale);
    const tml_counters *c = &report->count;
    if (!(c->damped_above > 0)) return;
    snprintf(buf, sizeof buf,
             "above %.3g Hz not resolved at all times: up to %.1e m and %.1e m/s in a step; %.1e J of them "
             "damped",
             c->damped_above, c->damped_position, c->damped_velocity, c->damped_energy);
    cli_label(out, "vibrations");
    cli_wrap(out, buf, CLI_LABEL, CLI_LABEL);
}

static void print_time(const run_state *r, const tml_sim_report *report, FILE *out)
{
    const double simulated = tml_sim_time(r->sim) - tml_sim_settings(r->sim)->start;
    const double ratio = report->wall_seconds > 0 ? simulated / report->wall_seconds : 0;
    cli_label(out, "wall time");
    fprintf(out, "%.3g s", report->wall_seconds);
    if (ratio >= 1) fprintf(out, ", %.3g times faster than real time", ratio);
    else if (ratio > 0) fprintf(out, ", %.3g times slower than real time", 1 / ratio);
    fputc('\n', out);
}

static void print_files(const run_state *r, FILE *out)
{
    char a[32], b[32];
    for (int i = 0; i < r->nfiles; i++) {
        const run_file *f = &r->files[i];
        cli_label(out, i == 0 ? "written" : "");
        cli_put_visible(f->path, strlen(f->path), 0, out);
        if (f->kept)
            fprintf(out, " (%s row%s, %s)\n", grouped(r->rows, a), tmli_plural(r->rows),
                    size_text(f->bytes, b));
        else fputs(": INCOMPLETE\n", out);
    }
    if (r->nfiles > 0) return;
    cli_fact(out, "written", "no result file");
}

static void print_notes(const run_state *r, FILE *out)
{
    for (int i = 0; i < r->watch.note_count; i++) cli_sentence(out, i == 0 ? "note" : "", r->watch.note[i]);
}

void run_print_report(const run_state *r, FILE *out)
{
    tml_sim_report report;
    tml_sim_get_report(r->sim, &report);
    cli_put_title(r->model, r->values->in.model, out);
    print_setup(r, &report, out);
    print_redundant(&report, out);
    print_start(&report, out);
    if (report.equilibrium.found) cli_print_equilibrium(&report.equilibrium, out);
    print_span(r, &report, out);
    print_work(&report, out);
    print_forces(r, out);
    print_audit(r, &report, out);
    print_notes(r, out);
    print_time(r, &report, out);
}

void run_print_summary(const run_state *r, FILE *out)
{
    run_print_report(r, out);
    print_files(r, out);
}

// ---- JSON -------------------------------------------------------------------------------------------------

void run_json_settings(tmli_json *j, const char *key, const tml_sim *sim)
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

static void json_model(tmli_json *j, const run_state *r)
{
    const tml_system *sys = tml_sim_system(r->sim);
    tmli_json_object(j, "size", "bodies %d joints %d forces %d coordinates %d constraints %d",
                     tml_model_body_count(r->model), tml_model_joint_count(r->model),
                     tml_model_force_count(r->model), sys->n, sys->m);
}

static void json_counters(tmli_json *j, const tml_sim_report *report)
{
    const tml_counters *c = &report->count;
    tmli_json_open(j, "counters", '{');
    tmli_json_members(j,
                      "steps %ld rejected_error %ld rejected_newton %ld switches %ld repeated_constraints %d "
                      "singular_positions %ld",
                      c->steps, c->rejected_error, c->rejected_newton, report->switches, report->repeated,
                      c->singular);
    tmli_json_members(j, "iterations %ld max_iterations %d residuals %ld factorizations %ld bases %ld",
                      c->iterations, c->max_iterations, c->residuals, c->factorizations, c->bases);
    tmli_json_close(j, '}');
    const bool any = c->steps > 0;
    tmli_json_object(j, "step_size", "min %g max %g mean %g", any ? report->h_min : (double)NAN,
                     any ? report->h_max : (double)NAN, any ? report->h_mean : (double)NAN);
}

static void json_audit(tmli_json *j, const run_state *r, const tml_sim_report *report)
{
    char buf[160];
    tmli_json_object(j, "residuals", "position %g position_row %s velocity %g", report->position_residual,
                     name_worst_row(r, report, buf, sizeof buf), report->velocity_residual);
    const tml_counters *c = &report->count;
    tmli_json_object(j, "damped", "above %g position %g velocity %g energy %g", c->damped_above,
                     c->damped_position, c->damped_velocity, c->damped_energy);
    tmli_json_open(j, "energy", '{');
    tmli_json_members(j, "start %g kinetic %g potential %g dissipated %g", report->energy_start,
                      report->kinetic, report->potential, report->dissipated);
    tmli_json_members(j, "supplied %g contact_loss %g error %g scale %g", report->supplied,
                      report->contact_loss, report->energy_error, report->energy_scale);
    tmli_json_close(j, '}');
}

static void json_impulses(tmli_json *j, const tml_sim_report *report)
{
    tmli_json_members(j, "impacts %ld impact_loss %g impulse_count %ld", report->impact_count,
                      report->impact_loss, report->impulse_count);
    tmli_json_open(j, "impulses", '[');
    for (int i = 0; i < report->impulses_kept; i++) {
        const tml_sim_impulse *p = &report->impulses[i];
        tmli_json_object(j, NULL, "joint %s t %g value %g jump %g work %g", p->joint, p->t, p->value, p->jump,
                         p->work);
    }
    tmli_json_close(j, ']');
}

static void json_captured(tmli_json *j, const tml_sim_report *report)
{
    const tml_contact_counters *c = &report->contacts;
    if (!(c->bound > 0)) return;
    tmli_json_open(j, "contacts", '{');
    tmli_json_members(j, "points %d islands %d impacts %ld sweeps %ld missed %ld", c->points, c->islands,
                      c->impacts, c->sweeps, c->missed);
    tmli_json_members(j, "bound %g residual %g depth %g impact_loss %g", c->bound, c->residual, c->depth,
                      c->impact_loss);
    tmli_json_members(j, "friction_loss %g lifted %g", c->friction_loss, c->lifted);
    tmli_json_close(j, '}');
}

static void json_forces(tmli_json *j, const run_state *r)
{
    const tml_channel *channel = tml_sim_channels(r->sim);
    tmli_json_open(j, "forces", '[');
    for (int i = 0; i < r->nranges && r->rows > 0; i++)
        tmli_json_object(j, NULL, "channel %s unit %s min %g max %g", channel[r->range[i].channel].name,
                         channel[r->range[i].channel].unit, r->range[i].least, r->range[i].most);
    tmli_json_close(j, ']');
}

static void json_sim(tmli_json *j, const run_state *r)
{
    tml_sim_report report;
    tml_sim_get_report(r->sim, &report);
    const tml_run_def *run = tml_sim_settings(r->sim);
    const double t = tml_sim_time(r->sim), wall = report.wall_seconds;
    tmli_json_text(j, "title", tml_model_title(r->model));
    json_model(j, r);
    run_json_settings(j, "settings", r->sim);
    tmli_json_members(j, "t %g event %s", t, report.event);
    tmli_json_texts(j, "repeated", report.sentences, report.sentence_count);
    tmli_json_texts(j, "start_changes", report.start_changes, report.start_change_count);
    json_impulses(j, &report);
    json_captured(j, &report);
    tmli_json_members(j, "creeps_most %s creep %g", report.creeps_most,
                      report.creeping_count > 0 ? report.creep : (double)NAN);
    json_counters(j, &report);
    if (r->method) json_forces(j, r);
    tmli_json_open(j, "notes", '[');
    for (int i = 0; i < r->watch.note_count; i++) tmli_json_text(j, NULL, r->watch.note[i]);
    tmli_json_close(j, ']');
    json_audit(j, r, &report);
    const double condition = tml_sim_condition(r->sim);
    tmli_json_members(j, "condition %g wall_seconds %g real_time_factor %g",
                      condition > 0 ? condition : (double)NAN, wall,
                      wall > 0 ? (t - run->start) / wall : (double)NAN);
}

static const char *format_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (dot[1] == 'c' || dot[1] == 'C') ? "csv" : "hdf5";
}

void run_print_json(const run_state *r, int exit_status, FILE *out)
{
    tmli_json j = cli_json_begin(out, r->command, r->values->in.model,
                                 r->interrupted ? TML_ERR_STOPPED : r->err.status, exit_status, &r->err);
    tmli_json_bool(&j, "interrupted", r->interrupted);
    if (r->sim) json_sim(&j, r);
    tmli_json_integer(&j, "rows", r->rows);
    tmli_json_open(&j, "outputs", '[');
    for (int i = 0; i < r->nfiles; i++) {
        if (!r->files[i].kept) continue;
        tmli_json_object(&j, NULL, "path %s format %s bytes %lld", r->files[i].path,
                         format_of(r->files[i].path), r->files[i].bytes);
    }
    tmli_json_close(&j, ']');
    tmli_json_close(&j, '}');
}
