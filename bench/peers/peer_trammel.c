// Trammel in the comparison: the model file of the problem, `auto`, then every method, with unknowns per body
// and per joint. Linear solver and everything else as a user gets it who sets nothing.
#include "peer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <trammel/sim.h>

static char message[1024], method[64];  // of the last run

static const char *version(void) { return TRAMMEL_VERSION; }

static int method_count(void)
{
    int count = 0;
    while (tml_methods[count]) count++;
    return count;
}

// Setting 0 is auto; then the methods with kinematics chosen, and with the other one.
static bool setting(const mechanism *m, bool quick, int i, char *buf, size_t size)
{
    (void)m, (void)quick;
    const int methods = method_count();
    if (i > 2 * methods) return false;
    if (i == 0) snprintf(buf, size, "auto");
    else snprintf(buf, size, "%s%s", tml_methods[(i - 1) % methods]->name, i > methods ? " joints" : "");
    return true;
}

static tml_status build(const mechanism *m, tml_model **model, tml_error *err)
{
    static const char *const file[] = {
        [CHAIN] = "models/chain.yaml",
        [FOUR_BARS] = "models/four_bars.yaml",
        [ANDREWS] = "models/andrews.yaml",
        [STIFF_PENDULUM] = "models/stiff_double_pendulum.yaml",
    };
    char text[16];
    snprintf(text, sizeof text, "%d", m->n);
    const tml_parameter size = {"N", text}, rate = {"w20", "10"};
    const tml_parameter *set = m->kind == STIFF_PENDULUM ? &rate : &size;
    tml_spec *spec = NULL;
    *model = NULL;
    tml_status st = tml_spec_read(file[m->kind], set, m->kind == ANDREWS ? 0 : 1, NULL, &spec, err);
    if (st == TML_OK) st = tml_model_build(spec, model, err);
    tml_spec_destroy(spec);
    return st;
}

typedef struct watch {
    samples *out;
    double stop;  // processor time
    long steps;
} watch;

static tml_status take(const tml_sim *sim, const tml_state *x, void *user)
{
    (void)sim;
    watch *w = user;
    double *p = samples_next(w->out);
    if (!p) return TML_ERR_STOPPED;
    for (int i = 0; i < w->out->bodies; i++, p += 3) {
        const double *q = x->q + 7 * i;  // position, quaternion with the scalar first
        p[0] = q[0];
        p[1] = q[1];
        p[2] = 2 * atan2(q[6], q[3]);
    }
    return TML_OK;
}

static tml_status on_step(const tml_sim *sim, double t, double h, void *user)
{
    (void)sim, (void)t, (void)h;
    watch *w = user;
    return ++w->steps % 32 == 0 && cpu_now() > w->stop ? TML_ERR_STOPPED : TML_OK;
}

static const char *run(const mechanism *m, int index, double accuracy, double limit, samples *out,
                       peer_result *result)
{
    const int methods = method_count();
    tml_error err = {0};
    tml_model *model;
    const double start = cpu_now();
    tml_sim *sim = NULL;
    const char *wrong = NULL;
    tml_status st = build(m, &model, &err);
    if (st == TML_OK) {
        tml_run_def def = tml_run_def_default();
        def.end = m->end;
        def.output_step = m->sample;
        def.tol = accuracy;
        def.method = index ? tml_methods[(index - 1) % methods]->name : "auto";
        if (index > 0) def.kinematics = index > methods ? TML_KINEMATICS_JOINTS : TML_KINEMATICS_BODIES;
        st = tml_sim_create(model, &def, &sim, &err);
    }
    if (st == TML_OK) {
        const double begin = cpu_now();
        result->setup = begin - start;
        watch w = {.out = out, .stop = begin + limit};
        tml_sim_set_hooks(
            sim, &(tml_sim_hooks){.on_output = take, .on_step = on_step, .user = &w, .motion_only = true});
        st = tml_sim_run(sim, NAN, &err);
        result->seconds = cpu_now() - begin;
        if (st == TML_ERR_STOPPED || (st == TML_OK && cpu_now() > w.stop)) wrong = PEER_LATE;
        tml_sim_report report;
        tml_sim_get_report(sim, &report);
        result->steps = report.count.steps;
        snprintf(method, sizeof method, "%s", report.method);
        result->note = method;
    }
    if (st != TML_OK && !wrong) {
        snprintf(message, sizeof message, "%s", err.msg);
        wrong = message;
    }
    tml_sim_destroy(sim);
    tml_model_destroy(model);
    return wrong;
}

const peer the_peer = {
    .version = version, .setting = setting, .first = 1e-1, .factor = 0.31622776601683794, .run = run};
