// Bodies with a density: mass, centre of mass and inertia from their shapes.
//
// Position, velocity, frames and shapes of such a body are given in a frame of the user's choice. The body
// goes to its centre of mass, at c in that frame: with R and w of the body at the start
//
//   r := r + R c,  v := v + R (w x c),  frames := frames - c
//
// and the frame of the user stays as the frame `origin` at -c, to which shapes of the body itself are fixed.
#include "spec/mass/integrals.h"
#include "spec/names.h"
#include "spec/spec.h"

#include <string.h>

typedef struct weighing {
    tml_spec *spec;
    tmli_body_entry *body;
    tmli_integrals sum;
    int shapes;
    tml_error *err;
} weighing;

static tml_status fail(const weighing *w, const tmli_shape_entry *e, const char *key, const char *what)
{
    return tmli_fail_at(w->err, TML_ERR_MODEL, tmli_entry_mark(&e->at, key),
                        "body '%s' has a density, but shape '%s' %s.", w->body->def.name, e->def.name, what);
}

// True if a shape is on the body; *frame is its frame, NULL: the body itself.
static bool is_on_body(const weighing *w, const tml_shape_def *d, const tml_frame_def **frame)
{
    const char *at = d->at ? d->at : d->name, *dot = strchr(at, '.'), *body = w->body->def.name;
    const size_t n = dot ? (size_t)(dot - at) : strlen(at);
    *frame = NULL;
    if (strlen(body) != n || strncmp(body, at, n) != 0) return false;
    if (!dot) return true;
    const tmli_taken *taken = tmli_names_find(w->spec, TMLI_SPACE_FRAMES, body, dot + 1);
    if (taken) *frame = &w->spec->frames[taken->index].def;
    return taken != NULL;  // the model names what is not there
}

static tml_status integrate_mesh(const weighing *w, const tmli_shape_entry *e, tmli_integrals *out)
{
    tmli_mesh_data mesh = {0};
    tml_error why = {0};
    tml_status st = tmli_mesh_of_spec(w->spec, e->def.file, &w->spec->env, &mesh, &why);
    if (st == TML_OK) st = tmli_integrals_of_mesh(&mesh, e->def.scale, &w->spec->env, out, &why);
    tmli_mesh_data_clear(&mesh, &w->spec->env);
    if (st == TML_OK) return TML_OK;
    return tmli_fail_at(w->err, st, tmli_entry_mark(&e->at, "file"),
                        "body '%s' has a density; shape '%s': %s", w->body->def.name, e->def.name, why.msg);
}

static tml_status integrate_profile(const weighing *w, const tmli_shape_entry *e, tmli_integrals *out)
{
    tmli_arena arena = {.env = &w->spec->env};
    tmli_outline outline;
    tml_error why = {0};
    const tml_status st = tmli_outline_of(&e->def, &arena, &outline, &why);
    if (st == TML_OK) *out = tmli_integrals_of_outline(&outline);
    tmli_arena_clear(&arena);
    if (st == TML_OK) return TML_OK;
    return tmli_fail_at(w->err, st, tmli_entry_mark(&e->at, "points"),
                        "body '%s' has a density; profile '%s': %s", w->body->def.name, e->def.name, why.msg);
}

static tml_status add_shape(weighing *w, const tmli_shape_entry *e, const tml_frame_def *frame)
{
    tmli_integrals part = {0};
    const bool planar = w->spec->planar;
    if (e->def.type == TML_SHAPE_MESH && !planar) {
        const tml_status st = integrate_mesh(w, e, &part);
        if (st != TML_OK) return st;
    } else if (e->def.type == TML_SHAPE_PROFILE) {
        const tml_status st = integrate_profile(w, e, &part);
        if (st != TML_OK) return st;
    } else if (!tmli_integrals_of_shape(&e->def, planar, &part)) {
        return fail(w, e, "type",
                    e->def.type == TML_SHAPE_HEIGHT_FIELD      ? "is a height field, which has no volume"
                    : planar && e->def.type != TML_SHAPE_PLANE ? "has no area in a planar model"
                                                               : "is a plane, which has no volume");
    }
    const mat3 C = frame ? q_matrix(q_from(frame->orientation)) : m3_identity();
    tmli_integrals_add(&w->sum, &part, &C, frame ? v3_from(frame->position) : v3(0, 0, 0));
    w->shapes++;
    return TML_OK;
}

// J = tr(S) 1 - S about the centre of mass, times the density.
static void set_inertia(tml_body_def *d, const tmli_integrals *x, vec3 c, double density)
{
    const mat3 cc = m3_outer(c, c), away = m3_scale(-x->volume, &cc), S = m3_add(&x->second, &away);
    const double trace = S.m[0] + S.m[4] + S.m[8];
    d->mass = density * x->volume;
    for (int k = 0; k < 3; k++) d->inertia[k] = density * (trace - S.m[4 * k]);
    d->inertia[3] = -density * S.m[1];
    d->inertia[4] = -density * S.m[2];
    d->inertia[5] = -density * S.m[5];
}

static void move_to_centre(weighing *w, vec3 c)
{
    tml_body_def *d = &w->body->def;
    const mat3 R = q_matrix(q_from(d->orientation));
    v3_store(v3_add(v3_from(d->position), m3_mulv(&R, c)), d->position);
    v3_store(v3_add(v3_from(d->velocity), m3_mulv(&R, v3_cross(v3_from(d->angular_velocity), c))),
             d->velocity);
    for (int i = 0; i < w->spec->nframes; i++) {
        tml_frame_def *f = &w->spec->frames[i].def;
        if (strcmp(f->body, d->name) == 0) v3_store(v3_sub(v3_from(f->position), c), f->position);
    }
}

// The frame of the user, and the shapes that were fixed to it.
static tml_status keep_origin(weighing *w, vec3 c)
{
    tml_spec *spec = w->spec;
    tml_frame_def f = tml_frame_def_default();
    const size_t n = strlen(w->body->def.name);
    f.body = w->body->def.name;
    f.name = "origin";
    v3_store(v3_scale(-1, c), f.position);
    char *at = tmli_arena_alloc(&spec->arena, n + sizeof ".origin", 1);
    if (!at) return tmli_no_memory(w->err, "model");
    memcpy(at, f.body, n);
    memcpy(at + n, ".origin", sizeof ".origin");
    for (int i = 0; i < spec->nshapes; i++) {
        const tml_frame_def *frame;
        if (is_on_body(w, &spec->shapes[i].def, &frame) && !frame) spec->shapes[i].def.at = at;
    }
    return tml_spec_add_frame(spec, &f, w->err);
}

static tml_status weigh(weighing *w)
{
    tml_body_def *d = &w->body->def;
    tml_status st = TML_OK;
    if (d->point)
        return tmli_fail_at(w->err, TML_ERR_MODEL, tmli_entry_mark(&w->body->at, "density"),
                            "body '%s' is a point mass: give its mass instead of a density.", d->name);
    for (int i = 0; i < w->spec->nshapes && st == TML_OK; i++) {
        const tml_frame_def *frame;
        if (is_on_body(w, &w->spec->shapes[i].def, &frame)) st = add_shape(w, &w->spec->shapes[i], frame);
    }
    if (st != TML_OK) return st;
    if (w->shapes == 0)
        return tmli_fail_at(w->err, TML_ERR_MODEL, tmli_entry_mark(&w->body->at, "density"),
                            "body '%s' has a density, but no shape to which it applies.", d->name);
    const vec3 c = v3_scale(1 / w->sum.volume, w->sum.first);
    set_inertia(d, &w->sum, c, d->density);
    d->density = 0;
    move_to_centre(w, c);
    return keep_origin(w, c);
}

tml_status tml_spec_weigh(tml_spec *spec, tml_error *err)
{
    if (!spec) return tmli_null_argument(err, "tml_spec_weigh");
    for (int i = 0; i < spec->nbodies; i++) {
        if (!(spec->bodies[i].def.density > 0)) continue;
        weighing w = {.spec = spec, .body = &spec->bodies[i], .err = err};
        const tml_status st = weigh(&w);
        if (st != TML_OK) return st;
    }
    return TML_OK;
}
