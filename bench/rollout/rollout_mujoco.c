// The members by MuJoCo: one model, a state per thread that is set back to the start for each member, and
// mj_step, as MuJoCo's own module `rollout` does it.
#define _POSIX_C_SOURCE 200809L
#include "rollout.h"

#include <math.h>
#include <mujoco/mujoco.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *integrator;
    int steps;  // of a second
} settings[] = {{"Euler", 100}, {"Euler", 1000}, {"RK4", 50},  {"RK4", 100},
                {"RK4", 200},   {"RK4", 400},    {"RK4", 800}, {"RK4", 1600}};

static mjModel *load(const rollout *r, int i)
{
    char message[1000] = "";
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    mjVFS *files = malloc(sizeof *files);
    if (!f || !files) exit(1);
    fprintf(f,
            "<mujoco><compiler boundmass='0' boundinertia='0'/><option timestep='%.17g' gravity='0 -9.81 0' "
            "integrator='%s'><flag contact='disable' limit='disable' frictionloss='disable'/></option>"
            "<worldbody>\n",
            1.0 / settings[i].steps, settings[i].integrator);
    for (int k = 0; k < r->rods; k++)
        fprintf(f,
                "<body pos='%d 0 0'><inertial pos='0.5 0 0' mass='1' diaginertia='%.17g %.17g %.17g'/>"
                "<joint axis='0 0 1'/>\n",
                k > 0, 1.0 / 12, 1.0 / 12, 1.0 / 12);
    fputs("<site name='tip' pos='1 0 0'/>", f);
    for (int k = 0; k < r->rods; k++) fputs("</body>", f);
    fputs("</worldbody></mujoco>\n", f);
    fclose(f);
    mj_defaultVFS(files);
    mj_makeEmptyFileVFS(files, "chain.xml", (int)size);
    memcpy(files->filedata[0], text, size);
    mjModel *m = mj_loadXML("chain.xml", files, message, sizeof message);
    mj_deleteVFS(files);
    free(files);
    free(text);
    if (m) return m;
    fprintf(stderr, "MuJoCo: %s\n", message);
    exit(1);
}

typedef struct part {
    const rollout *r;
    const mjModel *m;
    int first;
    long steps;
    double *tip;
} part;

static void *run_part(void *user)
{
    const part *p = user;
    mjData *d = mj_makeData(p->m);
    if (!d) exit(1);
    for (long i = p->first; i < p->r->members; i += p->r->threads) {
        mj_resetData(p->m, d);
        d->qfrc_applied[0] = p->r->torque[i];
        for (long k = 0; k < p->steps; k++) mj_step(p->m, d);
        mj_kinematics(p->m, d);
        p->tip[2 * i] = d->site_xpos[0];
        p->tip[2 * i + 1] = d->site_xpos[1];
    }
    mj_deleteData(d);
    return NULL;
}

bool rollout_mujoco(const rollout *r, int setting, rollout_result *out)
{
    enum { MOST = 64 };
    pthread_t thread[MOST];
    part parts[MOST];
    if (setting >= (int)(sizeof settings / sizeof *settings) || r->threads > MOST) return false;
    snprintf(out->setting, sizeof out->setting, "%s, %d steps a second", settings[setting].integrator,
             settings[setting].steps);
    const double cpu = rollout_cpu(), wall = rollout_wall();
    mjModel *m = load(r, setting);
    const long steps = lround(r->end * settings[setting].steps);
    for (int i = 0; i < r->threads; i++) {
        parts[i] = (part){r, m, i, steps, out->tip};
        if (pthread_create(&thread[i], NULL, run_part, &parts[i]) != 0) exit(1);
    }
    for (int i = 0; i < r->threads; i++) pthread_join(thread[i], NULL);
    out->cpu = rollout_cpu() - cpu;
    out->passed = rollout_wall() - wall;
    mj_deleteModel(m);
    return true;
}
