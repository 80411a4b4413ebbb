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

const char *tml_model_body_name(const tml_model *model, int body)
{
    return has(body, tml_model_body_count(model)) ? model->node[body].name : NULL;
}

const char *tml_model_joint_name(const tml_model *model, int joint)
{
    return has(joint, tml_model_joint_count(model)) ? model->constraint[joint].name : NULL;
}

const char *tml_model_force_name(const tml_model *model, int force)
{
    return has(force, tml_model_force_count(model)) ? model->force[force].name : NULL;
}

const char *tml_model_state_name(const tml_model *model, int state)
{
    return has(state, tml_model_state_count(model)) ? model->node[tmli_model_state_node(model, state)].name
                                                    : NULL;
}

const char *tml_model_input_name(const tml_model *model, int input)
{
    return has(input, tml_model_input_count(model)) ? model->input[input].name : NULL;
}

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

int tml_model_body_index(const tml_model *model, const char *name, tml_error *err)
{
    return find(model, "body", name, tml_model_body_count(model), tml_model_body_name, err);
}

int tml_model_joint_index(const tml_model *model, const char *name, tml_error *err)
{
    return find(model, "joint", name, tml_model_joint_count(model), tml_model_joint_name, err);
}

int tml_model_force_index(const tml_model *model, const char *name, tml_error *err)
{
    return find(model, "force", name, tml_model_force_count(model), tml_model_force_name, err);
}

int tml_model_state_index(const tml_model *model, const char *name, tml_error *err)
{
    return find(model, "state", name, tml_model_state_count(model), tml_model_state_name, err);
}

int tml_model_input_index(const tml_model *model, const char *name, tml_error *err)
{
    return find(model, "input", name, tml_model_input_count(model), tml_model_input_name, err);
}

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
