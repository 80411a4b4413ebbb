// The members as a study, from its file to its tables. The torque is an input: one model serves all.
#define _POSIX_C_SOURCE 200809L
#include "rollout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/study.h>
#include <unistd.h>

static const double TOLERANCES[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8};
static const double REFERENCE = 1e-12;

static void need(tml_status st, const tml_error *err)
{
    if (st == TML_OK) return;
    fprintf(stderr, "%s\n", err->msg);
    exit(1);
}

static void write_text(const char *folder, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%.300s/%.60s", folder, name);
    FILE *f = fopen(path, "w");
    if (!f || fputs(text, f) < 0 || fclose(f) != 0) exit(1);
}

static void write_files(const rollout *r, const char *folder, double tol)
{
    char text[2000];
    snprintf(text, sizeof text,
             "planar: true\n"
             "gravity: 9.81\n"
             "defaults:\n"
             "  bodies: {mass: 1, inertia: 1/12, frames: {left: [-0.5, 0], right: [0.5, 0]}}\n"
             "  joints: {type: revolute}\n"
             "inputs: {torque: {value: 0, unit: N m}}\n"
             "joints: {pin1: {a: ground, b: rod1.left}}\n"
             "forces: {motor: {type: applied, at: rod1, torque: torque}}\n"
             "repeat:\n"
             "  - {index: i, from: 1, to: %d, bodies: {\"rod{i}\": {position: [i - 1/2, 0]}}}\n"
             "  - {index: i, from: 2, to: %d, joints: {\"pin{i}\": {a: \"rod{i-1}.right\", b: "
             "\"rod{i}.left\"}}}\n"
             "outputs: {tip_x: rod%d.right.x, tip_y: rod%d.right.y}\n"
             "run: {end: %.17g, tol: %.17g}\n",
             r->rods, r->rods, r->rods, r->rods, r->end, tol);
    write_text(folder, "chain.yaml", text);
    snprintf(text, sizeof text,
             "model: chain.yaml\n"
             "sampling: {method: random, members: %ld}\n"
             "parameters: {torque: {from: -10, to: 10}}\n"
             "quantities: {x: {of: tip_x}, y: {of: tip_y}}\n",
             r->members);
    write_text(folder, "study.yaml", text);
}

static void remove_files(const char *folder)
{
    static const char *const names[] = {"chain.yaml", "study.yaml", "out.journal", "out.csv", "out.h5"};
    char path[512];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%.300s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

// Rows of the table: torque, x, y.
static void take_results(const tml_study *s, const char *out, double *torque, double *tip)
{
    char journal[512];
    tml_error err = {0};
    tml_study_table *t = NULL;
    snprintf(journal, sizeof journal, "%.400s.journal", out);
    need(tml_study_table_read(s, journal, &t, &err), &err);
    for (long i = 0; i < tml_study_table_count(t); i++) {
        const double *row = tml_study_table_values(t, i);
        const long k = tml_study_table_member(t, i);
        if (torque) torque[k] = row[0];
        memcpy(tip + 2 * k, row + 1, 2 * sizeof *tip);
    }
    tml_study_table_destroy(t);
}

static void run(const rollout *r, double tol, double *torque, rollout_result *result)
{
    char folder[] = "/tmp/rollout_XXXXXX", path[512], out[512];
    tml_error err = {0};
    tml_study *s = NULL;
    tml_study_run_def def = tml_study_run_def_default();
    if (!mkdtemp(folder)) exit(1);
    write_files(r, folder, tol);
    snprintf(path, sizeof path, "%s/study.yaml", folder);
    snprintf(out, sizeof out, "%s/out", folder);
    def.out = out;
    def.threads = r->threads;
    const double cpu = rollout_cpu(), wall = rollout_wall();
    need(tml_study_read(path, NULL, &s, &err), &err);
    need(tml_study_run(s, &def, NULL, &err), &err);
    result->cpu = rollout_cpu() - cpu;
    result->passed = rollout_wall() - wall;
    take_results(s, out, torque, result->tip);
    tml_study_destroy(s);
    remove_files(folder);
}

bool rollout_trammel(const rollout *r, int setting, rollout_result *out)
{
    if (setting >= (int)(sizeof TOLERANCES / sizeof *TOLERANCES)) return false;
    snprintf(out->setting, sizeof out->setting, "tol %g", TOLERANCES[setting]);
    run(r, TOLERANCES[setting], NULL, out);
    return true;
}

void rollout_reference(const rollout *r, double *torque, double *tip)
{
    rollout_result result = {.tip = tip};
    run(r, REFERENCE, torque, &result);
}
