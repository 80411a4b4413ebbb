// Geoms as shapes. Those that may touch (contype or conaffinity is not 0) are the group 'collision'; in a
// body with others, which are there to be seen, they are not drawn. Sites become frames.
#include "import/mjcf.h"
#include "import/values.h"
#include "spec/schema.h"

#include <string.h>

static tml_status touches(const tmli_mjcf *m, const tmli_xml *g, bool *out)
{
    double type = 1, affinity = 1;
    tml_status st = tmli_xml_numbers(g, "contype", 1, true, &type, m->r->err);
    if (st == TML_OK) st = tmli_xml_numbers(g, "conaffinity", 1, true, &affinity, m->r->err);
    *out = type != 0 || affinity != 0;
    return st;
}

static tml_status colour(const tmli_mjcf *m, const tmli_xml *g, tml_shape_def *d)
{
    const char *name = tmli_xml_get(g, "material");
    const tmli_xml *from = tmli_xml_get(g, "rgba") ? g : NULL;
    for (const tmli_xml *a = tmli_xml_find(m->root, "asset"); a && name && !from; a = tmli_xml_next(a))
        for (const tmli_xml *e = tmli_xml_find(a, "material"); e && !from; e = tmli_xml_next(e)) {
            const char *own = tmli_xml_get(e, "name");
            if (own && strcmp(own, name) == 0) from = e;
        }
    double rgba[4];
    if (!from || !tmli_xml_get(from, "rgba")) return TML_OK;
    const tml_status st = tmli_xml_numbers(from, "rgba", 4, false, rgba, m->r->err);
    return st == TML_OK ? tmli_robot_colour(m->r, rgba, d) : st;
}

// The name of a frame or shape of a body: free among the names of the model.
static const char *free_name(const tmli_mjcf *m, const char *base)
{
    while (base && tmli_robot_is_taken(m->r, base)) base = tmli_arena_format(m->r->arena, "%s_", base);
    return base;
}

static tml_status add_geom(const tmli_mjcf *m, const tmli_mjcf_body *b, const tmli_mjcf_part *p, int number,
                           bool touching, bool hidden)
{
    const tmli_robot *r = m->r;
    const tmli_link *link = &r->links[b->link];
    tml_shape_def d;
    tmli_pose pose;
    bool use = false;
    const tmli_entry at = {.at = p->element->at};
    tml_status st = tmli_mjcf_geom(m, p, &d, &pose, &use);
    if (st != TML_OK || !use) return st;
    if (d.type == TML_SHAPE_TYPES)
        return tmli_robot_note(r, p->element, "an ellipsoid is not drawn and touches nothing");
    const char *base =
        tmli_arena_format(r->arena, "%s_%s%d", link->name, touching ? "collision" : "visual", number);
    const char *frame = free_name(m, base);
    if (!frame) return tmli_no_memory(r->err, "shape");
    pose = tmli_pose_mul(&b->inside, &pose);
    st = tmli_robot_frame(r, link, p->element, frame, &pose, &d.at);
    d.name = frame;
    d.group = touching ? "collision" : NULL;
    d.hidden = hidden;
    if (st == TML_OK && !hidden) st = colour(m, p->element, &d);
    return st == TML_OK ? tmli_spec_add(r->spec, &tmli_schema_shape, &d, &at, r->err) : st;
}

static tml_status add_site(const tmli_mjcf *m, const tmli_mjcf_body *b, const tmli_mjcf_part *p)
{
    const char *given = tmli_xml_get(p->element, "name"), *name = NULL;
    tmli_pose pose;
    if (!given) return TML_OK;  // nothing can refer to it
    tml_status st = tmli_mjcf_pose(m, p->element, &pose);
    if (st == TML_OK) st = tmli_robot_name(m->r, p->element, given, "site", &name);
    pose = tmli_pose_mul(&p->at, &pose);
    pose = tmli_pose_mul(&b->inside, &pose);
    return st == TML_OK ? tmli_robot_frame(m->r, &m->r->links[b->link], p->element, name, &pose, NULL) : st;
}

tml_status tmli_mjcf_shapes(const tmli_mjcf *m, const tmli_mjcf_body *b)
{
    bool seen = false, touching = false;
    tml_status st = TML_OK;
    for (int i = 0; i < b->nparts && st == TML_OK; i++)
        if (strcmp(b->part[i].element->tag, "geom") == 0) {
            st = touches(m, b->part[i].element, &touching);
            seen = seen || !touching;
        }
    int number[2] = {0};
    for (int i = 0; i < b->nparts && st == TML_OK; i++) {
        const tmli_mjcf_part *p = &b->part[i];
        if (strcmp(p->element->tag, "site") == 0) st = add_site(m, b, p);
        if (strcmp(p->element->tag, "geom") != 0) continue;
        st = touches(m, p->element, &touching);
        if (st == TML_OK) st = add_geom(m, b, p, ++number[touching], touching, touching && seen);
    }
    return st;
}
