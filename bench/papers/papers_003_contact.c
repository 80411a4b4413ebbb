// Reproduces Figures 9 to 11 of C. L. Bottasso, O. A. Bauchau, A. Cardona, SIAM J. Sci. Comput. 29 (2007)
// 397-414, section 5: a cam strikes a beam with a tip mass (models/beam_cam.yaml). Histories of the step
// size and of the scaling factor s = k + m/h^2, k = 1e3, with m = 1; with m = 0 the run fails at the impact.
// As in the paper nothing but the error control finds the contact (switches off). The paper prints curves
// only. usage: papers_003_contact [--out DIR], from the top of the tree. Takes half a minute.
#include "paper_run.h"

typedef struct history {
    double *t, *h, *s;  // of accepted steps
    int count, room;
} history;

typedef struct outcome {
    bool good;
    double t;       // reached [s]
    char why[400];  // if it failed
    history steps;
    tml_scale_factor scale;
    double contact;  // end of the first step to a contact [s]; 0: none yet
    double *row;     // channels of a state
    int gap;         // channel of the distance
} outcome;

static tml_status on_step(const tml_sim *sim, double t, double h, void *user)
{
    outcome *o = user;
    history *x = &o->steps;
    if (o->contact == 0) {
        const tml_status st = tml_sim_channel_values(sim, tml_sim_state(sim), o->row, NULL);
        if (st != TML_OK) return st;
        if (o->row[o->gap] < 0) o->contact = t;
    }
    if (x->count == x->room) {
        const int room = 2 * x->room + 10000;
        double *const more = realloc(x->t, 3 * (size_t)room * sizeof *more);
        if (!more) return TML_ERR_NOMEM;
        memmove(more + 2 * (size_t)room, more + 2 * (size_t)x->room, (size_t)x->count * sizeof *more);
        memmove(more + room, more + x->room, (size_t)x->count * sizeof *more);
        *x = (history){more, more + room, more + 2 * (size_t)room, x->count, room};
    }
    x->t[x->count] = t;
    x->h[x->count] = h;
    x->s[x->count++] = o->scale.k + o->scale.m / (h * h);
    return TML_OK;
}

// Generalized-alpha as in the paper, which finds the contact by its error control alone.
static tml_run_def run_of_paper(const tml_model *model, tml_scaling scaling)
{
    tml_run_def run = *tml_model_run(model);
    run.method = "genalpha";
    run.rho = 0;
    run.tol = 1e-2;
    run.max_step = 1e-2;  // that of the paper before the impact
    run.switches = false;
    run.scaling = scaling;
    return run;
}

static outcome run_with(const tml_model *model, double m)
{
    outcome o = {.scale = {.k = 1e3, .m = m}};
    tml_error err = {0};
    tml_sim *sim = NULL;
    tml_run_def run = run_of_paper(model, TML_SCALING_GIVEN);
    run.scale = o.scale;
    tml_status st = tml_sim_create(model, &run, &sim, &err);
    if (st == TML_OK) {
        o.row = calloc((size_t)tml_sim_channel_count(sim), sizeof *o.row);
        o.gap = tml_sim_channel_index(sim, "gap", &err);
        if (!o.row || o.gap < 0) st = TML_ERR_NOMEM;
    }
    if (st == TML_OK) tml_sim_set_hooks(sim, &(tml_sim_hooks){.on_step = on_step, .user = &o});
    if (st == TML_OK) st = tml_sim_run(sim, run.end, &err);
    o.good = st == TML_OK;
    o.t = sim ? tml_sim_time(sim) : 0;
    snprintf(o.why, sizeof o.why, "%.380s", err.msg);
    tml_sim_destroy(sim);
    free(o.row);
    return o;
}

static double largest(const history *x, const double *y, double from, double to)
{
    double most = 0;
    for (int i = 0; i < x->count; i++)
        if (x->t[i] > from && x->t[i] <= to) most = fmax(most, y[i]);
    return most;
}

static double smallest(const history *x, const double *y, double from, double to)
{
    double least = INFINITY;
    for (int i = 0; i < x->count; i++)
        if (x->t[i] > from && x->t[i] <= to) least = fmin(least, y[i]);
    return least;
}

// Steps before, at and after the impact, with the largest and least of each time; of both runs.
static void table(const outcome run[2])
{
    static const double FROM[] = {0.2, 0.4, 0.49, 0.495, 0.5, 0.6, 0.8},
                        TO[] = {0.4, 0.49, 0.495, 0.5, 0.6, 0.8, 1};
    paper_part("steps", "exact near size size free", NULL);
    paper_laws_in("laws");
    printf("| time [s] | steps | h | s = 1e3 + 1/h^2 | m = 0: h |\n|---|---|---|---|---|\n");
    for (int i = 0; i < 7; i++) {
        const history *x = &run[1].steps, *y = &run[0].steps;
        int count = 0;
        for (int k = 0; k < x->count; k++) count += x->t[k] > FROM[i] && x->t[k] <= TO[i];
        printf("| %.3g to %.3g | %d | %.1e to %.1e | %.1e to %.1e |", FROM[i], TO[i], count,
               smallest(x, x->h, FROM[i], TO[i]), largest(x, x->h, FROM[i], TO[i]),
               smallest(x, x->s, FROM[i], TO[i]), largest(x, x->s, FROM[i], TO[i]));
        if (largest(y, y->h, FROM[i], TO[i]) > 0)
            printf(" %.1e to %.1e |\n", smallest(y, y->h, FROM[i], TO[i]), largest(y, y->h, FROM[i], TO[i]));
        else printf(" |\n");
    }
}

// A curve through the least (most: largest) values of short times: there are too many steps to draw.
static int thin(const history *x, const double *y, bool most, double *t, double *out, int room)
{
    int count = 0;
    for (int i = 0; i < room; i++) {
        const double from = (double)i / room, to = (i + 1.0) / room,
                     v = most ? largest(x, y, from, to) : smallest(x, y, from, to);
        if (!(v > 0 && isfinite(v))) continue;
        t[count] = to;
        out[count++] = v;
    }
    return count;
}

static void draw(paper *p, const outcome run[2])
{
    enum { POINTS = 1000 };
    static double t[2][POINTS], y[2][POINTS];
    static const char *const FILES[2] = {"003_figure10.svg", "003_figure11.svg"},
                             *const TITLES[2] = {"Cam and beam: step size", "Cam and beam: scaling factor"},
                             *const LABELS[2] = {"least step of a millisecond [s]",
                                                 "largest factor of a millisecond"};
    for (int k = 0; k < 2; k++) {
        paper_series s[2];
        for (int m = 0; m < 2; m++) {
            const history *x = &run[m].steps;
            const int count = thin(x, k == 0 ? x->h : x->s, k == 1, t[m], y[m], POINTS);
            s[m] = (paper_series){m == 0 ? "m = 0" : "m = 1", count, t[m], y[m], false};
        }
        paper_draw(p, &(paper_figure){.file = FILES[k],
                                      .title = TITLES[k],
                                      .x = "time [s]",
                                      .y = LABELS[k],
                                      .linear_x = true,
                                      .smooth = true,
                                      .series = s,
                                      .count = 2});
    }
}

static void check(paper *p, bool good, const char *what)
{
    good = paper_law(p, what, good);
    printf("| %s | %s |\n", what, good ? "yes" : "NO");
}

// The scalings of ours that grow as the step falls, too; and the model's own run, which locates the contact.
static void others(paper *p, const tml_model *model)
{
    static const char *const name[3] = {"`physical`", "`uniform`",
                                        "`radau5`, contact located, tolerance 1e-3"};
    const tml_run_def run[3] = {run_of_paper(model, TML_SCALING_PHYSICAL),
                                run_of_paper(model, TML_SCALING_UNIFORM), *tml_model_run(model)};
    paper_part("others", "exact near exact", NULL);
    printf("| run | steps | to the end |\n|---|---|---|\n");
    for (int i = 0; i < 3; i++) {
        tml_error err = {0};
        tml_sim *sim = NULL;
        tml_sim_report report = {0};
        tml_status st = tml_sim_create(model, &run[i], &sim, &err);
        if (st == TML_OK) st = tml_sim_run(sim, run[i].end, &err);
        if (sim) tml_sim_get_report(sim, &report);
        printf("| %s | %ld | %s |\n", name[i], report.count.steps, st == TML_OK ? "yes" : err.msg);
        paper_law(p, name[i], st == TML_OK);
        tml_sim_destroy(sim);
    }
}

int main(int argc, char **argv)
{
    paper p;
    if (!paper_arguments(&p, argc, argv)) return 2;
    tml_model *model = paper_model(&p, "beam_cam");
    if (!model) return 1;
    const outcome run[2] = {run_with(model, 0), run_with(model, 1)};
    const history *x = &run[1].steps;
    table(run);
    const double contact = run[1].contact, before = largest(x, x->h, 0.2, contact - 1e-3),
                 least = smallest(x, x->h, contact - 1e-3, 0.5), after = largest(x, x->h, 0.6, 1),
                 s = largest(x, x->s, contact - 1e-3, 0.5);
    static const char CAUSE[] = "their scaling does not grow as the step falls (m of the option scaling)";
    const char *const why = strstr(run[0].why, CAUSE) ? CAUSE : run[0].why;
    paper_part("laws", "exact", "size");
    printf("Contact at %.4f s. Steps fall from %.2g to %.2g s, by %.1e, and rise again to %.2g s. Largest "
           "factor: %.1e.\n\nm = 0 ends at %.4f s: %s\n\n| | met |\n|---|---|\n",
           contact, before, least, before / least, after, s, run[0].t, run[0].good ? "no failure" : why);
    if (!run[1].good) paper_fail(&p, "m = 1", run[1].why);
    check(&p, run[1].good, "m = 1 converges to the end");
    check(&p, fabs(contact - 0.494) < 1e-3, "contact near 0.494 s");
    check(&p, before / least >= 1e4, "steps fall by at least 1e4");
    check(&p, after / least >= 1e3, "and recover");
    check(&p, s >= 1e10, "the factor reaches 1e10");
    const double s_after = largest(x, x->s, 0.6, 1), s_least = smallest(x, x->s, 0.6, 1);
    check(&p, s_least >= 1e8 && s_after <= 1e11, "from 0.6 s on the factor is between 1e8 and 1e11");
    check(&p, !run[0].good && fabs(run[0].t - contact) < 1e-3, "m = 0 fails at the contact");
    others(&p, model);
    draw(&p, run);
    for (int i = 0; i < 2; i++) free(run[i].steps.t);
    tml_model_destroy(model);
    return paper_end(&p);
}
