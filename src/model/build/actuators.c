// Spec to model: actuators, the joint coordinates whose forces make the motion of drivers and poses.
#include "model/build/build.h"

#include <string.h>

static bool is_known(const tml_model *m, const char *name)
{
    for (int i = 0; i < m->nactuators; i++)
        if (strcmp(m->actuator[i].name, name) == 0) return true;
    return false;
}

static tml_status add_actuator(const tml_spec *spec, tml_model *m, const tmli_joint_entry *e, int k,
                               tml_error *err)
{
    const char *name = e->def.actuator[k];
    const tml_mark at = tmli_entry_mark(&e->at, "actuators");
    int use = -1;
    if (is_known(m, name)) return TML_OK;
    const tml_status st = tmli_model_find_coordinate(spec, m, name, at, &use, err);
    if (st != TML_OK) return st;
    const bool angle = tmli_measure_is_angle(m->measure_use[use].measure.kind);
    const char *dot = strrchr(name, '.');
    tmli_actuator *a = &m->actuator[m->nactuators];
    *a =
        (tmli_actuator){.name = tmli_arena_strdup(&m->arena, name),
                        .owner = tmli_arena_format(&m->arena, "%.*s", (int)(dot - name), name),
                        .channel = tmli_arena_format(&m->arena, "%s_%s", dot + 1, angle ? "torque" : "force"),
                        .unit = angle ? "N m" : "N",
                        .use = use};
    if (!a->name || !a->owner || !a->channel) return tmli_no_memory(err, "model");
    m->nactuators++;
    return TML_OK;
}

tml_status tmli_model_build_actuators(const tml_spec *spec, tml_model *m, tml_error *err)
{
    size_t room = 1;
    for (int i = 0; i < spec->njoints; i++) room += (size_t)spec->joints[i].def.actuator_count;
    m->actuator = tmli_arena_alloc(&m->arena, room, sizeof *m->actuator);
    if (!m->actuator) return tmli_no_memory(err, "model");
    tml_status st = TML_OK;
    for (int i = 0; i < spec->njoints; i++) {
        const tmli_joint_entry *e = &spec->joints[i];
        for (int k = 0; k < e->def.actuator_count && st == TML_OK; k++) st = add_actuator(spec, m, e, k, err);
        for (int c = 0; c < m->nconstraints && e->def.actuator_count > 0; c++)
            if (strcmp(m->constraint[c].name, e->def.name) == 0) m->constraint[c].actuated = true;
    }
    return st;
}
