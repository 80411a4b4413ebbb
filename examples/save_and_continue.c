// A run that is saved, loaded and continued: it has the same bits as the run that was not interrupted.
//
// The hook on_step sees the simulation between two steps: there it can be saved, and there a run can be
// stopped and continued. The second simulation stands for another process: it has nothing but the model and
// the file. Exit status 0 if both end in exactly the same state.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <trammel/trammel.h>

static const char *const FILE_NAME = "slider_crank.sim";

static tml_status save_once(const tml_sim *sim, double t, double h, void *user)
{
    int *const saved = (int *)user;
    tml_error err;
    (void)h;
    if (*saved || t < 0.1) return TML_OK;
    *saved = 1;
    if (tml_sim_save(sim, FILE_NAME, &err) == TML_OK) {
        printf("saved at t = %.6f s\n", t);
        return TML_OK;
    }
    fprintf(stderr, "%s\n", err.msg);
    return TML_ERR_STOPPED;
}

static int same(const tml_state *a, const tml_state *b)
{
    return a->t == b->t && memcmp(a->q, b->q, (size_t)a->nq * sizeof(double)) == 0 &&
           memcmp(a->u, b->u, (size_t)a->n * sizeof(double)) == 0;
}

int main(void)
{
    tml_error err;
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_sim *whole = NULL, *rest = NULL;
    int saved = 0;
    const tml_sim_hooks hooks = {.on_step = save_once, .user = &saved};

    tml_status st = tml_spec_read("models/slider_crank.yaml", NULL, 0, NULL, &spec, &err);
    if (st == TML_OK) st = tml_model_build(spec, &model, &err);
    if (st == TML_OK) st = tml_sim_create(model, NULL, &whole, &err);
    tml_sim_set_hooks(whole, &hooks);
    if (st == TML_OK) st = tml_sim_run(whole, NAN, &err);

    if (st == TML_OK) st = tml_sim_load(model, FILE_NAME, &rest, &err);
    if (st == TML_OK) printf("loaded at t = %.6f s\n", tml_sim_time(rest));
    if (st == TML_OK) st = tml_sim_run(rest, NAN, &err);
    const int good = st == TML_OK && same(tml_sim_state(whole), tml_sim_state(rest));
    if (good) printf("both end at t = %.6f s, in the same state to the last bit\n", tml_sim_time(rest));
    else fprintf(stderr, "%s\n", st == TML_OK ? "the states differ" : err.msg);

    remove(FILE_NAME);
    tml_sim_destroy(whole);
    tml_sim_destroy(rest);
    tml_model_destroy(model);
    tml_spec_destroy(spec);
    return good ? 0 : 1;
}
