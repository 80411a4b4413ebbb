// Bodies and joints of an MJCF file as links and joints. The joints of a body act one after the other, each
// at its place in the axes of the body: with the places p_1 ... p_n of n joints, link k lies at p_k,
//   joint 1 at (pose of the body) p_1,   joint k at p_k - p_(k-1),   the body at -p_n in its link         (1)
#include "import/mjcf.h"
#include "import/values.h"

#include <math.h>
#include <string.h>

static bool is(const tmli_xml *e, const char *tag) { return strcmp(e->tag, tag) == 0; }

static void count_elements(const tmli_xml *e, int *bodies, int *joints, int *parts)
{
    for (const tmli_xml *c = e->first; c; c = c->next) {
        *bodies += is(c, "body");
        *joints += is(c, "joint") || is(c, "freejoint");
        ++*parts;
        if (is(c, "body") || is(c, "frame")) count_elements(c, bodies, joints, parts);
    }
}

// ---- links and joints -------------------------------------------------------------------------------------

static tml_status add_link(const tmli_mjcf *m, const tmli_xml *e, const char *given, int *out)
{
    tmli_robot *r = m->r;
    tmli_link *link = &r->links[r->nlinks];
    *link = (tmli_link){.element = e, .given = given, .parent = -1, .first = -1, .last = -1};
    link->place = tmli_pose_identity();
    r->order[r->nlinks] = r->nlinks;
    *out = r->nlinks++;
    return tmli_robot_name(r, e, given, "link", &link->name);
}

static tml_status attach(const tmli_mjcf *m, tmli_urdf_joint j, const char *given)
{
    tmli_robot *r = m->r;
    const int index = r->njoints++;
    tmli_link *parent = &r->links[j.parent];
    j.given = given;
    j.sibling = j.leader = -1;
    r->links[j.child].parent = index;
    if (parent->last >= 0) r->joints[parent->last].sibling = index;
    else parent->first = index;
    parent->last = index;
    r->joints[index] = j;
    return tmli_robot_name(r, j.element, given, "joint", &r->joints[index].name);
}

static tml_status read_kind(const tmli_mjcf *m, const tmli_xml *e, tmli_urdf_kind *kind)
{
    static const char *const words[] = {"hinge", "slide", "ball", "free"};
    static const tmli_urdf_kind kinds[] = {TMLI_URDF_REVOLUTE, TMLI_URDF_PRISMATIC, TMLI_URDF_BALL,
                                           TMLI_URDF_FLOATING};
    const char *type = tmli_xml_get(e, "type");
    int k = 0;
    while (k < 4 && type && strcmp(type, words[k]) != 0) k++;
    if (is(e, "freejoint")) k = 3;
    if (k == 4)
        return tmli_fail_at(m->r->err, TML_ERR_NAME, e->at,
                            "The type of a joint is '%.60s', expected hinge, slide, ball or free.", type);
    *kind = kinds[k];
    return TML_OK;
}

// Numbers along the coordinate. A hinge has its reference, range and spring in the unit of angles.
static tml_status read_laws(const tmli_mjcf *m, const tmli_xml *e, tmli_urdf_joint *j, double *reference)
{
    const double unit = j->kind == TMLI_URDF_REVOLUTE ? m->angle : 1;
    double range[2] = {0}, limits[2] = {0};
    static const char *const keys[] = {"damping",   "frictionloss", "armature",
                                       "stiffness", "springref",    "ref"};
    double *const to[] = {&j->damping, &j->friction, &j->armature, &j->stiffness, &j->spring, reference};
    tml_status st = TML_OK;
    for (int i = 0; i < 6 && st == TML_OK; i++) st = tmli_xml_numbers(e, keys[i], 1, true, to[i], m->r->err);
    *reference *= unit;
    j->spring *= unit;
    if (st == TML_OK) st = tmli_mjcf_range(m, e, "range", "limited", &j->limited, range);
    if (st != TML_OK) return st;
    if (j->friction < 0 || j->armature < 0)
        return tmli_fail_at(m->r->err, TML_ERR_MODEL, e->at, "Joint '%.80s': its %s is below 0.", j->given,
                            j->friction < 0 ? "frictionloss" : "armature");
    for (int i = 0; i < 2; i++) limits[i] = unit * range[i];
    j->lower = limits[0];
    j->upper = limits[1];
    j->start = *reference;
    return TML_OK;
}

static tml_status read_axis(const tmli_mjcf *m, const tmli_xml *e, const tmli_pose *at, vec3 *axis)
{
    double x[3] = {0, 0, 1};
    const tml_status st = tmli_xml_numbers(e, "axis", 3, true, x, m->r->err);
    const double size = v3_norm(v3_from(x));
    if (st != TML_OK) return st;
    if (!(size > 0) || !isfinite(size))
        return tmli_fail_at(m->r->err, TML_ERR_MODEL, e->at, "The axis of a joint has no length.");
    *axis = m3_mulv(&at->r, v3_scale(1 / size, v3_from(x)));
    return TML_OK;
}

static tml_status note_ball(const tmli_mjcf *m, const tmli_urdf_joint *j)
{
    static const char *const keys[] = {"damping", "frictionloss", "armature", "stiffness", "range"};
    tml_status st = TML_OK;
    if (j->kind != TMLI_URDF_BALL && j->kind != TMLI_URDF_FLOATING) return TML_OK;
    for (int i = 0; i < 5 && st == TML_OK; i++)
        if (tmli_xml_get(j->element, keys[i]))
            st = tmli_robot_note(m->r, j->element, "%s of joint '%.80s' is left out: it is no hinge or slide",
                                 keys[i], j->given);
    return st;
}

// Joint number k of a body; *before: the place of the one before it, *parent: the link that carries it.
static tml_status add_joint(const tmli_mjcf *m, const tmli_mjcf_part *p, const char *given, const char *link,
                            tmli_pose *origin, vec3 *before, int *parent)
{
    double pos[3] = {0}, reference = 0;
    const char *name = tmli_xml_get(p->element, "name");
    tmli_urdf_joint j = {.element = p->element, .parent = *parent, .given = name ? name : given};
    tml_status st = read_kind(m, p->element, &j.kind);
    if (st == TML_OK) st = tmli_xml_numbers(p->element, "pos", 3, true, pos, m->r->err);
    if (st == TML_OK) st = read_axis(m, p->element, &p->at, &j.axis);
    const bool along = j.kind == TMLI_URDF_REVOLUTE || j.kind == TMLI_URDF_PRISMATIC;
    if (st == TML_OK && along) st = read_laws(m, p->element, &j, &reference);
    if (st == TML_OK) st = note_ball(m, &j);
    if (st == TML_OK) st = add_link(m, p->element, link, &j.child);
    if (st != TML_OK) return st;
    const vec3 place =
        j.kind == TMLI_URDF_FLOATING ? v3(0, 0, 0) : v3_add(p->at.p, m3_mulv(&p->at.r, v3_from(pos)));
    const tmli_pose step = {m3_identity(), v3_sub(place, *before)};
    j.origin = tmli_pose_mul(origin, &step);
    // the body is as given where the coordinate has its reference
    const tmli_pose back = {j.kind == TMLI_URDF_REVOLUTE ? tmli_robot_about(j.axis, -reference)
                                                         : m3_identity(),
                            v3_scale(j.kind == TMLI_URDF_PRISMATIC ? -reference : 0, j.axis)};
    j.origin = tmli_pose_mul(&j.origin, &back);
    *origin = tmli_pose_identity();
    *before = place;
    *parent = j.child;
    return attach(m, j, j.given);
}

// ---- bodies -----------------------------------------------------------------------------------------------

static tml_status collect_parts(const tmli_mjcf *m, const tmli_xml *e, const tmli_pose *at, tmli_mjcf_body *b)
{
    tml_status st = TML_OK;
    for (const tmli_xml *c = e->first; c && st == TML_OK; c = c->next) {
        tmli_pose inner;
        if (!is(c, "frame")) {
            b->part[b->nparts++] = (tmli_mjcf_part){c, *at};
            continue;
        }
        st = tmli_mjcf_pose(m, c, &inner);
        inner = tmli_pose_mul(at, &inner);
        if (st == TML_OK) st = collect_parts(m, c, &inner, b);
    }
    return st;
}

static tml_status add_joints(const tmli_mjcf *m, tmli_mjcf_body *b, const char *name, int parent,
                             tmli_pose *origin)
{
    vec3 before = v3(0, 0, 0);
    int count = 0, k = 0;
    tml_status st = TML_OK;
    for (int i = 0; i < b->nparts; i++)
        count += is(b->part[i].element, "joint") || is(b->part[i].element, "freejoint");
    for (int i = 0; i < b->nparts && st == TML_OK; i++) {
        const tmli_xml *e = b->part[i].element;
        if (!is(e, "joint") && !is(e, "freejoint")) continue;
        k++;
        const char *number = count > 1 ? tmli_arena_format(m->r->arena, "_%d", k) : "",
                   *given = tmli_arena_format(m->r->arena, "%s_joint%s", name, number),
                   *link = k < count ? tmli_arena_format(m->r->arena, "%s%s", name, number) : name;
        if (!number || !given || !link) return tmli_no_memory(m->r->err, "joint");
        st = add_joint(m, &b->part[i], given, link, origin, &before, &parent);
        b->link = parent;
    }
    b->inside = (tmli_pose){m3_identity(), v3_scale(-1, before)};
    if (st != TML_OK || count > 0) return st;
    tmli_urdf_joint fixed = {.element = b->element,
                             .kind = TMLI_URDF_FIXED,
                             .parent = parent,
                             .origin = *origin,
                             .axis = v3(0, 0, 1)};
    const char *given = tmli_arena_format(m->r->arena, "%s_fixed", name);
    st = given ? add_link(m, b->element, name, &b->link) : tmli_no_memory(m->r->err, "joint");
    fixed.child = b->link;
    return st == TML_OK ? attach(m, fixed, given) : st;
}

// around: -1: the world itself
static tml_status add_body(tmli_mjcf *m, const tmli_xml *e, int around, const tmli_pose *frame)
{
    const int index = m->nbodies++;
    tmli_mjcf_body *b = &m->body[index];
    const tmli_pose here = tmli_pose_identity();
    tmli_pose pose = here, origin = here;
    int nbodies = 0, njoints = 0, nparts = 0;
    count_elements(e, &nbodies, &njoints, &nparts);
    const char *given = tmli_xml_get(e, "name");
    *b = (tmli_mjcf_body){.element = e, .given = given ? given : "", .inside = here};
    b->part = tmli_arena_alloc(m->r->arena, (size_t)nparts + 1, sizeof *b->part);
    const char *name = given ? given : tmli_arena_format(m->r->arena, "body_%d", index);
    tml_status st = b->part && name ? collect_parts(m, e, &here, b) : tmli_no_memory(m->r->err, "body");
    if (st != TML_OK) return st;
    if (around < 0) {
        b->given = "world";
        st = add_link(m, e, "world", &b->link);
    } else {
        st = tmli_mjcf_pose(m, e, &pose);
        pose = tmli_pose_mul(frame, &pose);
        origin = tmli_pose_mul(&m->body[around].inside, &pose);
        if (st == TML_OK) st = add_joints(m, b, name, m->body[around].link, &origin);
    }
    for (int i = 0; i < b->nparts && st == TML_OK; i++)
        if (is(b->part[i].element, "body")) st = add_body(m, b->part[i].element, index, &b->part[i].at);
    return st;
}

tml_status tmli_mjcf_bodies(tmli_mjcf *m)
{
    tmli_robot *r = m->r;
    int nbodies = 1, njoints = 0, nparts = 0;
    tmli_xml *world = tmli_arena_alloc(r->arena, 1, sizeof *world);
    if (!world) return tmli_no_memory(r->err, "world");
    *world = (tmli_xml){.tag = "worldbody", .at = m->root->at};
    // several of them, of included files, are one
    for (const tmli_xml *e = tmli_xml_find(m->root, "worldbody"); e; e = tmli_xml_next(e)) {
        if (!e->first) continue;
        if (world->last) world->last->next = e->first;
        else world->first = e->first;
        world->last = e->last;
    }
    count_elements(world, &nbodies, &njoints, &nparts);
    const size_t most = (size_t)nbodies + (size_t)njoints + 1;
    if (!tmli_arena_alloc_all(r->arena, TMLI_ARRAY(r->links, most), TMLI_ARRAY(r->joints, most),
                              TMLI_ARRAY(r->order, most), TMLI_ARRAY(m->body, most),
                              TMLI_ARRAY(m->reference, most)))
        return tmli_no_memory(r->err, "robot");
    tml_status st = add_body(m, world, -1, NULL);
    for (int i = 0; i < m->nbodies && st == TML_OK; i++) st = tmli_mjcf_weigh(m, &m->body[i]);
    if (st != TML_OK) return st;
    tmli_robot_place(r);
    for (int i = 0; i < r->nlinks; i++) m->reference[i] = r->links[i].place;
    return TML_OK;
}

// ---- names ------------------------------------------------------------------------------------------------

const tmli_mjcf_body *tmli_mjcf_find_body(const tmli_mjcf *m, const tmli_xml *e, const char *name)
{
    for (int i = 0; i < m->nbodies; i++)
        if (strcmp(m->body[i].given, name) == 0) return &m->body[i];
    tmli_fail_at(m->r->err, TML_ERR_NAME, e->at, "There is no body '%.80s'.", name);
    return NULL;
}

int tmli_mjcf_find_joint(const tmli_mjcf *m, const char *name)
{
    for (int i = 0; i < m->r->njoints; i++) {
        const char *given = tmli_xml_get(m->r->joints[i].element, "name");
        if (given && !is(m->r->joints[i].element, "body") && strcmp(given, name) == 0) return i;
    }
    return -1;
}

const tmli_mjcf_body *tmli_mjcf_find_site(const tmli_mjcf *m, const tmli_xml *e, const char *name,
                                          tmli_pose *at, tml_status *st)
{
    for (int i = 0; i < m->nbodies; i++)
        for (int k = 0; k < m->body[i].nparts; k++) {
            const tmli_mjcf_part *p = &m->body[i].part[k];
            const char *given = is(p->element, "site") ? tmli_xml_get(p->element, "name") : NULL;
            if (!given || strcmp(given, name) != 0) continue;
            tmli_pose pose;
            *st = tmli_mjcf_pose(m, p->element, &pose);
            *at = tmli_pose_mul(&p->at, &pose);
            return &m->body[i];
        }
    *st = tmli_fail_at(m->r->err, TML_ERR_NAME, e->at, "There is no site '%.80s'.", name);
    return NULL;
}
