// The beam of Figure 2 of O. A. Bauchau, A. Epple, C. L. Bottasso, J. Comput. Nonlinear Dyn. 4 (2009) 021007,
// with a solver as theirs: a skyline L D L' without any pivoting (tests/linalg/skyline.h). Without
// augmentation their run ends in the first iteration, with augmentation and "no scaling [..], i.e., s = 1"
// the matrix is factored and "iterations failed to converge", with s of (6) it runs. What fails here: the
// equations as they are, (19), are not those with s = 1 in (5), where h^2 has been multiplied through and
// multipliers are h^2 lambda. In the notation of [19], s' = s/h^2 (section 6), s' = 1 is no scaling.
// usage: papers_000_skyline [--out DIR], from the top of the tree. Takes seconds.
#include "paper_run.h"

#include "linalg/skyline.h"

enum { STEPS = 3, SOLVERS = 3, COUNT = 20 };
static const double H[STEPS] = {5e-4, 5e-5, 5e-6};

typedef struct outcome {
    bool singular, converged;
    long iterations;
    double condition, s;  // infinity norm; scaling factor s of (5)
} outcome;

typedef struct form {
    const char *name;
    tml_scaling scaling;
    double augment;
    bool runs[STEPS];  // with the skyline solver
} form;

static const form FORMS[] = {
    {"s of (6), augmented", TML_SCALING_UNIFORM, 1, {true, true, true}},
    {"s by rows, augmented", TML_SCALING_PHYSICAL, 1, {true, true, true}},
    {"s = 1 in (5), augmented", TML_SCALING_LEFT_RIGHT, 1, {true, true, true}},
    {"not scaled, (19), augmented", TML_SCALING_NONE, 1, {true, false, false}},
    {"s of (6), not augmented", TML_SCALING_UNIFORM, 0, {false, false, false}},
    {"s = 1 in (5), not augmented", TML_SCALING_LEFT_RIGHT, 0, {false, false, false}},
};

static outcome run(paper *p, const tml_model *model, const tml_state *start, const form *f,
                   const tml_linsolver_ops *solver, double h)
{
    const tml_system *sys = tml_model_system(model);
    tml_integrator_options opt = tml_integrator_options_default();
    opt.fixed_step = true;
    opt.run.scaling = f->scaling;
    opt.run.augment = f->augment;
    opt.solver = solver;
    opt.duration = h * COUNT;
    opt.run.report = true;
    const tml_method_ops *ops = NULL;
    void *self = NULL;
    tml_error err = {0};
    tml_counters count = {0};
    tml_conditioning c = {0};
    double error;
    tml_status st = tml_method_create(tml_method_find("hht"), sys, &opt, &ops, &self, &err);
    if (st == TML_OK) st = ops->start(self, start, &err);
    if (st != TML_OK) paper_fail(p, f->name, err.msg);
    for (int i = 0; i < COUNT && st == TML_OK; i++) {
        st = ops->step(self, h, &error, &err);
        if (st == TML_OK) ops->accept(self, start->t + h * (i + 1));
    }
    if (self) ops->counters(self, &count);
    if (st == TML_OK && solver->rcond) ops->conditioning(self, &c);  // what it needs, a skyline has not
    if (self) ops->destroy(self);
    return (outcome){.singular = st != TML_OK && count.iterations == 0,
                     .converged = st == TML_OK,
                     .iterations = count.iterations,
                     .condition = c.condition_inf,
                     .s = c.scale_max * h * h};
}

static const char *word(const outcome *o)
{
    return o->converged ? "runs" : o->singular ? "no pivot" : "does not converge";
}

static void table(paper *p, const tml_model *model, const tml_state *start)
{
    static const tml_linsolver_ops *const solver[SOLVERS] = {&SKYLINE, &tml_linsolver_block,
                                                             &tml_linsolver_klu};
    FILE *f = paper_open(p, "000_skyline.csv");
    if (f) fprintf(f, "form,h,solver,outcome,iterations,condition_inf,s\n");
    double condition[sizeof FORMS / sizeof *FORMS][STEPS];
    char what[128];
    paper_part("beam", "near", NULL);
    printf("\n%d steps of HHT on the beam: outcome with the skyline solver, condition number and s (from "
           "`klu`)\n\n| form | h = 500 us | 50 us | 5 us |\n|---|---|---|---|\n",
           COUNT);
    for (size_t i = 0; i < sizeof FORMS / sizeof *FORMS; i++) {
        bool same = true;
        printf("| %s |", FORMS[i].name);
        for (int k = 0; k < STEPS; k++) {
            outcome o[SOLVERS];
            for (int s = 0; s < SOLVERS; s++) {
                o[s] = run(p, model, start, &FORMS[i], solver[s], H[k]);
                if (f)
                    fprintf(f, "\"%s\",%g,%s,%s,%ld,%.3g,%.3g\n", FORMS[i].name, H[k], solver[s]->name,
                            word(&o[s]), o[s].iterations, o[s].condition, o[s].s);
            }
            printf(" %s", word(&o[0]));
            if (o[2].converged) printf(", %.0e, s = %.2g", o[2].condition, o[2].s);
            printf(" |");
            same = same && o[0].converged == FORMS[i].runs[k] && o[1].converged == o[0].converged &&
                   o[0].singular == (FORMS[i].augment == 0);
            condition[i][k] = o[2].condition;
        }
        putchar('\n');
        snprintf(what, sizeof what, "%s: outcome as in the paper, `block` as the skyline solver",
                 FORMS[i].name);
        paper_law(p, what, same);
    }
    double ratio = 0;
    for (int k = 0; k < STEPS; k++) ratio = fmax(ratio, condition[2][k] / condition[0][k]);
    paper_within(p, "condition number with s = 1 over that with s of (6), most", ratio, 1, 4.5);
    paper_close(p, f, "000_skyline.csv");
}

int main(int argc, char **argv)
{
    paper p;
    if (!paper_arguments(&p, argc, argv)) return 2;
    tml_model *model = paper_model(&p, "beam_crank");
    if (!model) return 1;
    tml_run_def def = *tml_model_run(model);
    tml_error err = {0};
    tml_sim *sim = NULL;  // assembles the start
    if (tml_sim_create(model, &def, &sim, &err) == TML_OK) table(&p, model, tml_sim_state(sim));
    else paper_fail(&p, "beam_crank", err.msg);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
    return paper_end(&p);
}
