// The pile in MuJoCo: contacts without friction (condim 1), their time constant two steps.
#define _POSIX_C_SOURCE 200809L
#include "pile.h"

#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *solver;
    int iterations;
    double step;
} settings[] = {{"CG", 30, 4e-3},  {"PGS", 50, 4e-3},  {"CG", 30, 2e-3},   {"PGS", 50, 2e-3},
                {"CG", 100, 2e-3}, {"CG", 50, 1e-3},   {"PGS", 50, 1e-3},  {"CG", 100, 1e-3},
                {"CG", 50, 5e-4},  {"PGS", 100, 5e-4}, {"CG", 100, 2.5e-4}};

static char *write_model(const pile *p, int i)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f) exit(1);
    const double w = p->radius * p->n, h = settings[i].step;
    fprintf(f,
            "<mujoco><option timestep='%g' solver='%s' iterations='%d' gravity='0 0 -9.81'/>\n"
            "<size nconmax='%d' njmax='%d' nstack='%d'/>\n"
            "<default><geom condim='1' solref='%g 1' solimp='0.99 0.9999 0.0001'/></default><worldbody>\n",
            h, settings[i].solver, settings[i].iterations, 6 * p->n * p->n * p->n + 200,
            6 * p->n * p->n * p->n + 200, 20000000, 2 * h);
    fprintf(f,
            "<geom type='plane' size='9 9 1'/>\n"
            "<geom type='plane' size='9 9 1' pos='%g 0 0' zaxis='1 0 0'/>\n"
            "<geom type='plane' size='9 9 1' pos='%g 0 0' zaxis='-1 0 0'/>\n"
            "<geom type='plane' size='9 9 1' pos='0 %g 0' zaxis='0 1 0'/>\n"
            "<geom type='plane' size='9 9 1' pos='0 %g 0' zaxis='0 -1 0'/>\n",
            -w, w, -w, w);
    for (int k = 0; k < p->n * p->n * p->n; k++) {
        double x[3];
        pile_start(p, k, x);
        fprintf(
            f, "<body pos='%.17g %.17g %.17g'><freejoint/><geom type='sphere' size='%g' mass='%g'/></body>\n",
            x[0], x[1], x[2], p->radius, p->mass);
    }
    fputs("</worldbody></mujoco>\n", f);
    fclose(f);
    return text;
}

bool pile_mujoco(const pile *p, int i, pile_result *out)
{
    char message[1000] = "";
    if (i >= (int)(sizeof settings / sizeof *settings)) return false;
    char *text = write_model(p, i);
    mjVFS *files = malloc(sizeof *files);
    if (!files) exit(1);
    mj_defaultVFS(files);
    mj_makeEmptyFileVFS(files, "pile.xml", (int)strlen(text));
    memcpy(files->filedata[0], text, strlen(text));
    mjModel *m = mj_loadXML("pile.xml", files, message, sizeof message);
    mj_deleteVFS(files);
    free(files);
    free(text);
    if (!m) {
        fprintf(stderr, "MuJoCo: %s\n", message);
        exit(1);
    }
    mjData *d = mj_makeData(m);
    if (!d) exit(1);
    while (d->time < p->late - m->opt.timestep / 2) mj_step(m, d);
    const double start = pile_clock();
    for (out->steps = 0; d->time < p->end - m->opt.timestep / 2; out->steps++) mj_step(m, d);
    out->seconds = pile_clock() - start;
    out->contacts = d->ncon;
    for (int k = 0; k < p->n * p->n * p->n; k++)
        for (int c = 0; c < 3; c++) out->position[3 * k + c] = d->qpos[7 * k + c];
    snprintf(out->setting, sizeof out->setting, "%s, %d iterations, h %g", settings[i].solver,
             settings[i].iterations, settings[i].step);
    mj_deleteData(d);
    mj_deleteModel(m);
    return true;
}
