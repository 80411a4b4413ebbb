// The pile in Trammel: contacts of Hunt and Crossley, found by cells.
#include "pile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/trammel.h>

static const struct {
    double stiffness, tol;
} settings[] = {{3e6, 1e-2}, {6e6, 1e-2}, {1e7, 1e-2}};

static void stop(const tml_error *err)
{
    fprintf(stderr, "Trammel: %s\n", err->msg);
    exit(1);
}

static const char text[] =
    "gravity: 9.81\n"
    "parameters: {n: 3, r: 0.05, m: 0.5, w: 2*r*n, k: 1e6, drop: 0.002}\n"
    "ground: {frames: {west: [-w/2, 0, 0], east: [w/2, 0, 0], south: [0, -w/2, 0], north: [0, w/2, 0]}}\n"
    "defaults: {contacts: {stiffness: k, restitution: 0.2, speed: 0.2}}\n"
    "shapes:\n"
    "  bottom: {type: plane, at: ground, group: box}\n"
    "  west: {type: plane, at: ground.west, normal: [1, 0, 0], group: box}\n"
    "  east: {type: plane, at: ground.east, normal: [-1, 0, 0], group: box}\n"
    "  south: {type: plane, at: ground.south, normal: [0, 1, 0], group: box}\n"
    "  north: {type: plane, at: ground.north, normal: [0, -1, 0], group: box}\n"
    "repeat:\n"
    "  - index: l\n"
    "    to: n\n"
    "    repeat:\n"
    "      - index: j\n"
    "        to: n\n"
    "        repeat:\n"
    "          - index: i\n"
    "            to: n\n"
    "            bodies:\n"
    "              \"b{l}_{j}_{i}\":\n"
    "                mass: m\n"
    "                inertia: 0.4*m*r^2\n"
    "                position: [2*r*(i - (n + 1)/2), 2*r*(j - (n + 1)/2), r + drop + (2*r + drop)*(l - 1)]\n"
    "            shapes: {\"b{l}_{j}_{i}\": {type: sphere, radius: r, group: balls}}\n"
    "contacts: {walls: {a: balls, b: box}, pile: {a: balls}}\n"
    "run: {method: erk5}\n";

static double channel(const tml_sim *sim, const double *row, const char *name)
{
    tml_error err;
    const int i = tml_sim_channel_index(sim, name, &err);
    if (i < 0) stop(&err);
    return row[i];
}

bool pile_trammel(const pile *p, int i, pile_result *out)
{
    tml_error err;
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_sim *sim = NULL;
    tml_sim_report before, after;
    if (i >= (int)(sizeof settings / sizeof *settings)) return false;
    const double value[] = {p->n, p->radius, p->mass, settings[i].stiffness, p->drop};
    char number[5][32];
    tml_parameter set[] = {{.name = "n"}, {.name = "r"}, {.name = "m"}, {.name = "k"}, {.name = "drop"}};
    for (int k = 0; k < 5; k++) {
        snprintf(number[k], sizeof number[k], "%.17g", value[k]);
        set[k].text = number[k];
    }
    if (tml_spec_parse(text, strlen(text), "pile", set, 5, NULL, &spec, &err) != TML_OK) stop(&err);
    if (tml_model_build(spec, &model, &err) != TML_OK) stop(&err);
    tml_spec_destroy(spec);
    tml_run_def run = *tml_model_run(model);
    run.tol = settings[i].tol;
    run.end = p->end;
    run.output_step = p->end;
    if (tml_sim_create(model, &run, &sim, &err) != TML_OK) stop(&err);
    if (tml_sim_run(sim, p->late, &err) != TML_OK) stop(&err);
    tml_sim_get_report(sim, &before);
    const double start = pile_clock();
    if (tml_sim_run(sim, p->end, &err) != TML_OK) stop(&err);
    out->seconds = pile_clock() - start;
    tml_sim_get_report(sim, &after);
    out->steps = after.count.steps - before.count.steps;
    double *row = calloc((size_t)tml_sim_channel_count(sim), sizeof *row);
    if (!row || tml_sim_channel_values(sim, tml_sim_state(sim), row, &err) != TML_OK) stop(&err);
    out->contacts = channel(sim, row, "walls.points") + channel(sim, row, "pile.points");
    free(row);
    for (int k = 0; k < p->n * p->n * p->n; k++) {
        const tml_body_layout b = tml_model_body_layout(model, k);
        memcpy(out->position + 3 * k, tml_sim_state(sim)->q + b.q, 3 * sizeof(double));
    }
    snprintf(out->setting, sizeof out->setting, "erk5, tol %g, k %.0e", settings[i].tol,
             settings[i].stiffness);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
    return true;
}
