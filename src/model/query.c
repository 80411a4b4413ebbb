// Queries of a model: names, numbers and the layout of its coordinates.
#include "model/model.h"

#include <string.h>

const tml_run_def *tml_model_run(const tml_model *model) { return model ? &model->run : NULL; }
const char *tml_model_title(const tml_model *model) { return model ? model->title : ""; }
int tml_model_body_count(const tml_model *model) { return model ? model->nbodies : 0; }
int tml_model_joint_count(const tml_model *model) { return model ? model->njoints : 0; }
int tml_model_force_count(const tml_model *model) { return model ? model->nuser_forces : 0; }

int tml_model_state_count(const tml_model *model) { return model ? model->nz : 0; }
int tml_model_input_count(const tml_model *model) { return model ? model->ninputs : 0; }

static bool has(int index, int count) { return index >= 0 && index < count; }

// Of the elements of a kind: their names.
#define NAMED(kind, name_of)                                                       \
    const char *tml_model_##kind##_name(const tml_model *model, int kind)          \
    {                                                                              \
        return has(kind, tml_model_##kind##_count(model)) ? model->name_of : NULL; \
    }
NAMED(body, node[body].name)
NAMED(joint, constraint[joint].name)
NAMED(force, force[force].name)
NAMED(state, node[tmli_model_state_node(model, state)].name)
NAMED(input, input[input].name)

int tml_model_joint_row_count(const tml_model *model, int joint)
{
    return has(joint, tml_model_joint_count(model)) ? model->constraint[joint].nrows : 0;
}

// ---- indices ----------------------------------------------------------------------------------------------

// The index of a name, or -1 with a message that gives the nearest name.
static int find(const tml_model *model, const char *what, const char *name, int count,
                const char *(*name_of)(const tml_model *, int), tml_error *err)
{
    if (!model || !name) {
        tmli_fail(err, TML_ERR_ARG, "tml_model_%s_index: an argument is NULL", what);
        return -1;
    }
    for (int i = 0; i < count; i++)
        if (strcmp(name_of(model, i), name) == 0) return i;
    const char **names = tmli_calloc(&model->env, (size_t)count + 1, sizeof *names);
    for (int i = 0; i < count && names; i++) names[i] = name_of(model, i);
    tmli_fail(err, TML_ERR_NAME, "there is no %s '%s'", what, name);
    tmli_error_hint(err, name, names, (size_t)count);
    tmli_free(&model->env, (void *)names);
    return -1;
}

#define INDEXED(kind)                                                                                   \
    int tml_model_##kind##_index(const tml_model *model, const char *name, tml_error *err)              \
    {                                                                                                   \
        return find(model, #kind, name, tml_model_##kind##_count(model), tml_model_##kind##_name, err); \
    }
INDEXED(body)
INDEXED(joint)
INDEXED(force)
INDEXED(state)
INDEXED(input)

// ---- layout -----------------------------------------------------------------------------------------------

tml_body_layout tml_model_body_layout(const tml_model *model, int body)
{
    tml_body_layout out = {.q = -1, .u = -1};
    if (!has(body, tml_model_body_count(model))) return out;
    const tmli_node *node = &model->node[body];
    out.q = 7 * body;
    out.u = node->first;
    out.u_count = node->ncoords;
    for (int k = 0; k < node->ncoords; k++) out.component[k] = (tml_body_component)node->local[k];
    return out;
}

tml_joint_layout tml_model_joint_layout(const tml_model *model, int joint)
{
    if (!has(joint, tml_model_joint_count(model))) return (tml_joint_layout){.lambda = -1};
    return (tml_joint_layout){.lambda = model->constraint[joint].first,
                              .row_count = model->constraint[joint].nrows};
}
