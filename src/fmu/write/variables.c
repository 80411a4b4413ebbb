// The variables of a unit: time, inputs, outputs, parameters. Channels repeat inputs, and a parameter may
// have the name of a channel; names of a unit are unique.
#include "fmu/write/write.h"

#include <math.h>
#include <string.h>

static bool is_taken(const tmli_fmu_variables *v, const char *name)
{
    for (int i = 0; i < v->count; i++)
        if (v->item[i].name && strcmp(v->item[i].name, name) == 0) return true;
    return false;
}

// A name that no variable has: the given one with underscores after it.
static const char *unique(const tmli_fmu_variables *v, tmli_arena *arena, const char *name)
{
    while (name && is_taken(v, name)) name = tmli_arena_format(arena, "%s_", name);
    return name;
}

static void add(tmli_fmu_variables *v, tmli_fmu_role role, const char *name, const char *own,
                const char *unit, double start)
{
    const char *shown = unit && *unit && strcmp(unit, "1") != 0 ? unit : NULL;
    v->item[v->count++] = (tmli_fmu_variable){role, name, own, shown, start};
}

static const char *unit_of(const tml_sim *sim, const char *name)
{
    const int i = tml_sim_channel_index(sim, name, NULL);
    return i >= 0 ? tml_sim_channels(sim)[i].unit : NULL;
}

tml_status tmli_fmu_variables_list(const tmli_fmu_def *def, tmli_arena *arena, tmli_fmu_variables *out,
                                   tml_error *err)
{
    const tml_model *model = tml_sim_model(def->sim);
    const tml_channel *channel = tml_sim_channels(def->sim);
    const int channels = tml_sim_channel_count(def->sim);
    *out = (tmli_fmu_variables){.inputs = tml_model_input_count(model),
                                .parameters = tml_spec_parameter_count(def->spec)};
    out->item =
        tmli_arena_alloc(arena, (size_t)(1 + out->inputs + channels + out->parameters), sizeof *out->item);
    if (!out->item) return tmli_no_memory(err, "unit");
    add(out, TMLI_ROLE_TIME, NULL, NULL, "s", NAN);  // its name comes last
    for (int i = 0; i < out->inputs; i++) {
        const char *name = tml_model_input_name(model, i);
        add(out, TMLI_ROLE_INPUT, name, name, unit_of(def->sim, name), tml_sim_input(def->sim, i));
    }
    for (int i = 0; i < channels; i++) {
        if (!def->chosen[i] || strcmp(channel[i].name, "t") == 0) continue;
        if (tml_model_input_index(model, channel[i].name, NULL) >= 0) continue;
        add(out, TMLI_ROLE_OUTPUT, channel[i].name, channel[i].name, channel[i].unit, NAN);
        out->outputs++;
    }
    for (int i = 0; i < out->parameters; i++) {
        const char *own = tml_spec_parameter_name(def->spec, i);
        const char *name =
            is_taken(out, own) ? unique(out, arena, tmli_arena_format(arena, "parameter.%s", own)) : own;
        if (!name) return tmli_no_memory(err, "unit");
        add(out, TMLI_ROLE_PARAMETER, name, own, NULL, tml_spec_parameter_value(def->spec, i));
    }
    out->item[0].name = unique(out, arena, "time");
    return out->item[0].name ? TML_OK : tmli_no_memory(err, "unit");
}
