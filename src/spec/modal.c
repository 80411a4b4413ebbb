// A modal body becomes bodies at its interface nodes and an element between them.
//
// The bodies have equal shares of the mass and of the mean moment of inertia, so that reports show the right
// sums; the element has the difference to the inertia of the part (element/force/modal.c).
#include "math/math3.h"
#include "part/part.h"
#include "spec/names.h"
#include "spec/schema.h"

#include <ctype.h>
#include <string.h>

static tml_status check_files(const tmli_check *c, const tml_modal_def *d)
{
    if (d->part_file || d->stiffness_file)
        return tmli_check_fail(c, TML_ERR_MODEL, d->part_file ? "part" : "stiffness",
                               "files of parts are read with the model file only (tml_spec_read).");
    return tmli_check_fail(c, TML_ERR_MODEL, "part",
                           "it needs 'part', or 'stiffness' with 'mass', 'nodes' "
                           "and 'interface'.");
}

tml_status tmli_spec_check_modal(const tmli_check *c, void *def)
{
    tml_modal_def *const d = def;
    const tml_part *p = d->part;
    if (!p) return check_files(c, d);
    q_store(q_normalize(q_from(d->orientation)), d->orientation);
    for (int i = 0; i < d->damping_count; i++)
        if (!(d->damping[i] >= 0))
            return tmli_check_fail(c, TML_ERR_MODEL, "damping", "entry %d of 'damping' is %g, expected >= 0.",
                                   i + 1, d->damping[i]);
    for (int i = 0; i < p->nnodes; i++) {
        const size_t length = strlen(p->name[i]);
        bool word = length > 0;
        for (size_t k = 0; k < length; k++)
            word = word && (isalnum((unsigned char)p->name[i][k]) || p->name[i][k] == '_');
        if (!word)
            return tmli_check_fail(c, TML_ERR_NAME, "part",
                                   "the name of its node '%.60s' is not valid: expected letters, digits and "
                                   "'_'.",
                                   p->name[i]);
        if (c->planar && p->position[3 * i + 2] != 0)
            return tmli_check_fail(c, TML_ERR_MODEL, "part",
                                   "its node '%s' has z = %g, expected 0 in a planar model.", p->name[i],
                                   p->position[3 * i + 2]);
    }
    int reference = d->reference ? -1 : p->reference;
    for (int i = 0; i < p->nnodes && d->reference; i++)
        if (strcmp(p->name[i], d->reference) == 0) reference = i;
    if (d->stiffening && p->nstiffening > 0 && reference >= 0 && reference != p->reference)
        return tmli_check_fail(c, TML_ERR_MODEL, "reference",
                               "the load cases of the part hold for its reference node '%s'; reduce it with "
                               "another one, or write 'stiffening: false'.",
                               p->name[p->reference]);
    if (reference >= 0) return TML_OK;
    return tmli_check_fail(c, TML_ERR_NAME, "reference", "the part has no node '%s'%s.", d->reference,
                           tmli_hint_of(d->reference, p->name, (size_t)p->nnodes).text);
}

// ---- expansion --------------------------------------------------------------------------------------------

typedef struct expansion {
    tml_spec *spec;
    const tml_modal_def *d;
    tmli_entry at;
    tml_error *err;
    tml_part_info info;
} expansion;

static tml_status add_node(const expansion *x, int i)
{
    const tml_modal_def *d = x->d;
    const tml_part *p = d->part;
    const double share = 1.0 / p->nnodes,
                 mean = (x->info.inertia[0] + x->info.inertia[1] + x->info.inertia[2]) / 3;
    tml_body_def body = tml_body_def_default();
    const mat3 R = q_matrix(q_from(d->orientation));
    const vec3 arm = m3_mulv(&R, v3_from(p->position + 3 * (size_t)i)), w = v3_from(d->angular_velocity);
    body.name = tmli_arena_format(&x->spec->arena, "%s_%s", d->name, p->name[i]);
    if (!body.name) return tmli_no_memory(x->err, "modal body");
    body.mass = share * x->info.mass;
    for (int k = 0; k < 3; k++) body.inertia[k] = k == 2 || !x->spec->planar ? share * mean : 0;
    v3_store(v3_add(v3_from(d->position), arm), body.position);
    memcpy(body.orientation, d->orientation, sizeof body.orientation);
    v3_store(v3_add(v3_from(d->velocity), v3_cross(w, arm)), body.velocity);
    v3_store(m3_tmulv(&R, w), body.angular_velocity);
    if (x->spec->planar) {  // exactly in the plane
        body.position[2] = body.velocity[2] = 0;
        body.angular_velocity[0] = body.angular_velocity[1] = 0;
    }
    tml_status st = tmli_spec_add(x->spec, &tmli_schema_body, &body, &x->at, x->err);
    if (st != TML_OK) return st;
    tml_frame_def frame = tml_frame_def_default();
    frame.body = body.name;
    frame.name = tmli_arena_format(&x->spec->arena, "%s%s", isdigit((unsigned char)p->name[i][0]) ? "n" : "",
                                   p->name[i]);
    if (!frame.name) return tmli_no_memory(x->err, "modal body");
    st = tmli_spec_add(x->spec, &tmli_schema_frame, &frame, &x->at, x->err);
    if (st == TML_OK) st = tmli_names_reserve(x->spec, x->err);
    if (st != TML_OK) return st;
    const int index = x->spec->nframes - 1;
    tmli_names_put(x->spec, &(tmli_taken){d->name, x->spec->frames[index].def.name, "frame", x->at.at,
                                          TMLI_SPACE_FRAMES, index});
    return TML_OK;
}

tml_status tmli_spec_expand_modal(tml_spec *spec, const void *def, const tmli_entry *entry, tml_error *err)
{
    tml_modal_def *copy = tmli_arena_alloc(&spec->arena, 1, sizeof *copy);
    if (!copy) return tmli_no_memory(err, "modal body");
    memcpy(copy, def, sizeof *copy);
    expansion x = {.spec = spec, .d = copy, .at = {.at = entry ? entry->at : (tml_mark){0}}, .err = err};
    tml_status st = tml_part_get_info(copy->part, &x.info, err);
    for (int i = 0; i < copy->part->nnodes && st == TML_OK; i++) st = add_node(&x, i);
    if (st != TML_OK) return st;
    tml_force_def f = tml_force_def_default();
    f.name = tmli_arena_format(&spec->arena, "%s_part", copy->name);
    if (!f.name) return tmli_no_memory(err, "modal body");
    f.type = TML_FORCE_MODAL;
    f.modal = copy;
    return tmli_spec_add(spec, &tmli_schema_force, &f, &x.at, err);
}
