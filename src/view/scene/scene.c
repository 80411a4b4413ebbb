// From model and spec to the text of a scene. Names, types and references of the user come from the spec,
// places of joints from the model, where `point` and `axis` of a joint have become markers of its bodies.
#include "view/scene/scene.h"
#include "part/part.h"

#include <math.h>
#include <stdio.h>

#define TYPE_NAME(NAME, name) #name,
static const char *const joint_types[TML_JOINT_TYPES] = {TML_JOINT_TYPE_LIST(TYPE_NAME)};
static const char *const force_types[TML_FORCE_TYPES] = {TML_FORCE_TYPE_LIST(TYPE_NAME)};
#undef TYPE_NAME
static const char *const section_types[TML_SECTION_TYPES] = {"general", "rectangle", "circle",
                                                             "tube",    "i",         "l"};

void tmli_scene_place(tmli_json *j, const char *key, const tmli_marker *at)
{
    double p[3], q[4];
    v3_store(at->s, p);
    q_store(tmli_quat_from_matrix(&at->C), q);
    tmli_json_open(j, key, '{');
    tmli_json_integer(j, "body", at->body);
    tmli_json_place(j, "p", p, 3);
    tmli_json_place(j, "q", q, 4);
    tmli_json_close(j, '}');
}

// The place of a frame reference; none if there is no reference, or none that is a frame.
static void put_reference(tmli_json *j, const char *key, const tml_spec *spec, const tml_model *model,
                          const char *reference)
{
    tmli_marker at;
    if (reference && tmli_model_find_frame(spec, model, reference, (tml_mark){0}, &at, NULL) == TML_OK)
        tmli_scene_place(j, key, &at);
}

static void put_bodies(tmli_json *j, const tml_spec *spec, const tml_model *model)
{
    tmli_json_open(j, "bodies", '[');
    for (int i = 0; i < model->nbodies; i++) {
        const tml_body_def *d = &spec->bodies[i].def;
        tmli_json_open(j, NULL, '{');
        tmli_json_members(j, "name %s mass %g", model->node[i].name, d->mass);
        tmli_json_place(j, "inertia", d->inertia, 6);
        tmli_json_place(j, "q", model->node[i].q0, 7);
        if (d->point) tmli_json_bool(j, "point", true);
        tmli_json_close(j, '}');
    }
    tmli_json_close(j, ']');
}

// Named frames; those on nodes of beams and modal bodies too.
static void put_frames(tmli_json *j, const tml_spec *spec, const tml_model *model)
{
    tmli_json_open(j, "frames", '[');
    for (int i = 0; i < spec->nframes; i++) {
        const tml_frame_def *d = &spec->frames[i].def;
        tmli_marker at = {.s = v3_from(d->position), .C = q_matrix(q_normalize(q_from(d->orientation)))};
        if (tmli_model_find_body(spec, d->body, (tml_mark){0}, &at.body, NULL) != TML_OK) continue;
        if (at.body < 0) at.s = v3_sub(at.s, model->origin);
        tmli_json_open(j, NULL, '{');
        tmli_json_text(j, "name", d->name);
        tmli_scene_place(j, "at", &at);
        tmli_json_close(j, '}');
    }
    tmli_json_close(j, ']');
}

static void put_joints(tmli_json *j, const tml_spec *spec, const tml_model *model)
{
    tmli_json_open(j, "joints", '[');
    for (int i = 0; i < model->njoints; i++) {
        const tmli_constraint *c = &model->constraint[i];
        const tml_joint_def *d = &spec->joints[c->joint].def;
        tmli_json_open(j, NULL, '{');
        tmli_json_members(j, "name %s type %s", c->name, joint_types[c->type]);
        if (c->has_reaction) {
            tmli_scene_place(j, "a", &c->marker[0]);
            tmli_scene_place(j, "b", &c->marker[1]);
        }
        if (d->first) tmli_json_text(j, "first", d->first);
        if (d->second) tmli_json_text(j, "second", d->second);
        if (d->of) tmli_json_text(j, "of", d->of);
        if (isfinite(d->ratio)) tmli_json_rounded(j, "ratio", d->ratio, 7);
        if (isfinite(d->radius)) tmli_json_rounded(j, "radius", d->radius, 7);
        if (d->stiffness > 0) tmli_json_bool(j, "spring", true);
        tmli_json_close(j, '}');
    }
    tmli_json_close(j, ']');
}

static void put_forces(tmli_json *j, const tml_spec *spec, const tml_model *model)
{
    tmli_json_open(j, "forces", '[');
    for (int i = 0; i < spec->nforces; i++) {
        const tml_force_def *d = &spec->forces[i].def;
        tmli_json_open(j, NULL, '{');
        tmli_json_members(j, "name %s type %s", d->name, force_types[d->type]);
        put_reference(j, "a", spec, model, d->a);
        put_reference(j, "b", spec, model, d->b);
        if (d->stiffness > 0 || d->table_count > 0 || d->law) tmli_json_bool(j, "spring", true);
        if (d->damping > 0) tmli_json_bool(j, "damper", true);
        if (d->road) tmli_json_text(j, "road", d->road);
        if (d->of) tmli_json_text(j, "of", d->of);
        if (d->type == TML_FORCE_TYRE || d->type == TML_FORCE_SLIP_TYRE)
            tmli_json_rounded(j, "radius", d->radius, 7);
        if (d->type == TML_FORCE_SLIP_TYRE) tmli_json_place(j, "axis", d->axis, 3);
        if (d->type == TML_FORCE_CALLBACK) {
            tmli_json_open(j, "frames", '[');
            for (int k = 0; k < d->frame_count; k++) put_reference(j, NULL, spec, model, d->frame[k]);
            tmli_json_close(j, ']');
        }
        tmli_json_close(j, '}');
    }
    for (int i = 0; i < spec->ncontacts; i++) {
        const tml_contact_def *d = &spec->contacts[i].def;
        tmli_json_object(j, NULL, "name %s type %s first %s second %s", d->name, "contact", d->a,
                         d->b ? d->b : d->a);
    }
    tmli_json_close(j, ']');
}

// The index of the body OWNER_NODE.
static void put_node(tmli_json *j, const tml_spec *spec, tmli_arena *scratch, const char *owner,
                     const char *node)
{
    int body = -1;
    const char *name = tmli_arena_format(scratch, "%s_%s", owner, node);
    if (!name) j->failed = true;
    else if (tmli_model_find_body(spec, name, (tml_mark){0}, &body, NULL) == TML_OK)
        tmli_json_integer(j, NULL, body);
    tmli_arena_reset(scratch);
}

// Nodes in their order along the beam, and the elements between them, whose channels have the strains.
static void put_beams(tmli_json *j, const tml_spec *spec)
{
    tmli_arena scratch = {.env = j->env};
    tmli_json_open(j, "beams", '[');
    for (int i = 0; i < spec->nbeams; i++) {
        const tml_beam_def *d = &spec->beams[i].def;
        const double size[6] = {d->width, d->height, d->radius, d->inner_radius, d->web, d->flange};
        static const char *const keys[6] = {"width", "height", "radius", "inner", "web", "flange"};
        tmli_json_open(j, NULL, '{');
        tmli_json_members(j, "name %s section %s", d->name, section_types[d->section]);
        for (int k = 0; k < 6; k++)
            if (isfinite(size[k])) tmli_json_rounded(j, keys[k], size[k], 7);
        tmli_json_members(j, "elements %d order %d", d->elements, d->order);
        tmli_json_open(j, "nodes", '[');
        for (int k = 0; k <= d->elements * d->order; k++) {
            char number[16];
            snprintf(number, sizeof number, "%d", k);
            put_node(j, spec, &scratch, d->name, number);
        }
        tmli_json_close(j, ']');
        tmli_json_close(j, '}');
    }
    tmli_json_close(j, ']');
    tmli_arena_clear(&scratch);
}

// Modal bodies with their interface nodes, the bodies NAME_NODE.
static void put_modal_bodies(tmli_json *j, const tml_spec *spec)
{
    tmli_arena scratch = {.env = j->env};
    tmli_json_open(j, "modal_bodies", '[');
    for (int i = 0; i < spec->nmodals; i++) {
        const tml_modal_def *d = &spec->modals[i].def;
        tmli_json_open(j, NULL, '{');
        tmli_json_text(j, "name", d->name);
        tmli_json_open(j, "nodes", '[');
        for (int k = 0; k < d->part->nnodes; k++) put_node(j, spec, &scratch, d->name, d->part->name[k]);
        tmli_json_close(j, ']');
        tmli_json_close(j, '}');
    }
    tmli_json_close(j, ']');
    tmli_arena_clear(&scratch);
}

static void put_parameters(tmli_json *j, const tml_model *model)
{
    tmli_json_open(j, "parameters", '[');
    for (int i = 0; i < model->nparams; i++) {
        tmli_json_open(j, NULL, '[');
        tmli_json_text(j, NULL, model->param_names[i]);
        tmli_json_number(j, NULL, model->param_values[i]);
        tmli_json_close(j, ']');
    }
    tmli_json_close(j, ']');
}

// All places of the scene are relative to the origin of the model, so that seven digits, and those of
// graphics hardware, suffice for a model that stands far away.
static void put_origin(tmli_json *j, const tml_model *model)
{
    const vec3 o = model->origin;
    if (o.x == 0 && o.y == 0 && o.z == 0) return;
    tmli_json_open(j, "origin", '[');
    tmli_json_number(j, NULL, o.x);
    tmli_json_number(j, NULL, o.y);
    tmli_json_number(j, NULL, o.z);
    tmli_json_close(j, ']');
}

static tml_status write_scene(tmli_json *j, const tml_spec *spec, const tml_model *model, tml_error *err)
{
    double gravity[3];
    v3_store(model->gravity, gravity);
    tmli_json_open(j, NULL, '{');
    tmli_json_members(j, "scene %d title %s planar %u", 1, model->title, model->planar);
    tmli_json_place(j, "gravity", gravity, 3);
    tmli_json_rounded(j, "length", model->length, 7);
    put_origin(j, model);
    put_bodies(j, spec, model);
    put_frames(j, spec, model);
    put_joints(j, spec, model);
    put_forces(j, spec, model);
    put_beams(j, spec);
    put_modal_bodies(j, spec);
    tmli_scene_roads(j, spec, model);
    put_parameters(j, model);
    const tml_status st = tmli_scene_shapes(j, spec, model, err);
    tmli_json_close(j, '}');
    return st == TML_OK && j->failed ? tmli_no_memory(err, "scene") : st;
}

tml_status tml_scene_create(const tml_spec *spec, const tml_model *model, const tml_env *env, tml_scene **out,
                            tml_error *err)
{
    if (!spec || !model || !out) return tmli_null_argument(err, "tml_scene_create");
    *out = NULL;
    if (spec->nbodies != model->nbodies || spec->njoints != model->njoints)
        return tmli_fail(err, TML_ERR_ARG, "tml_scene_create: the model was not built from this spec");
    tml_scene *scene = tmli_calloc(env, 1, sizeof *scene);
    if (!scene) return tmli_no_memory(err, "scene");
    if (env) scene->env = *env;
    scene->json.env = &scene->env;
    const tml_status st = write_scene(&scene->json, spec, model, err);
    if (st == TML_OK) *out = scene;
    else tml_scene_destroy(scene);
    return st;
}

void tml_scene_destroy(tml_scene *scene)
{
    if (!scene) return;
    const tml_env env = scene->env;
    tmli_json_clear(&scene->json);
    tmli_free(&env, scene);
}

const char *tml_scene_text(const tml_scene *scene) { return scene ? scene->json.text : NULL; }
