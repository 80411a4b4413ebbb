// Equalities of an MJCF file: joints that follow others become gears, <connect> and <weld> joints between
// bodies, which close loops exactly.
#include "import/mjcf.h"
#include "import/values.h"
#include "spec/schema.h"

#include <math.h>
#include <string.h>

static bool is_along(const tmli_urdf_joint *j)
{
    return j->kind == TMLI_URDF_REVOLUTE || j->kind == TMLI_URDF_PRISMATIC;
}

static tml_status find(const tmli_mjcf *m, const tmli_xml *e, const char *key, int *out)
{
    const char *name = tmli_xml_get(e, key);
    *out = name ? tmli_mjcf_find_joint(m, name) : -1;
    if (!name || (*out >= 0 && is_along(&m->r->joints[*out]))) return TML_OK;
    return tmli_fail_at(m->r->err, TML_ERR_NAME, e->at, "There is no hinge or slide '%.80s'.", name);
}

// Whether following the leaders of `from` leads to `to`.
static bool leads_to(const tmli_robot *r, int from, int to)
{
    for (int steps = 0; from >= 0 && steps <= r->njoints; steps++) {
        if (from == to) return true;
        from = r->joints[from].leader;
    }
    return from >= 0;
}

// y - y0 = c0 + c1 (x - x0) + ..., references with 0
static tml_status couple(const tmli_mjcf *m, const tmli_xml *e)
{
    tmli_robot *r = m->r;
    int first, second, found = 0;
    double c[5] = {0, 1, 0, 0, 0};
    tml_status st = find(m, e, "joint1", &first);
    if (st == TML_OK) st = find(m, e, "joint2", &second);
    if (st == TML_OK) st = tmli_xml_list(e, "polycoef", 0, 5, &found, c, r->err);
    if (st != TML_OK) return st;
    if (first < 0) return tmli_fail_at(r->err, TML_ERR_SYNTAX, e->at, "<joint> has no attribute 'joint1'.");
    tmli_urdf_joint *j = &r->joints[first];
    if (second >= 0 && (c[2] != 0 || c[3] != 0 || c[4] != 0))
        return tmli_robot_note(r, e, "joint '%.80s' follows '%.80s' by no straight line: it is left free",
                               j->given, r->joints[second].given);
    if (j->leader >= 0 || j->held || (second >= 0 && leads_to(r, second, first)))
        return tmli_fail_at(r->err, TML_ERR_MODEL, e->at, "Joint '%.80s' follows itself, or two others.",
                            j->given);
    if (second < 0 || c[1] == 0) {
        j->held = true;
        j->start += c[0];
        return tmli_robot_note(r, e, "joint '%.80s' is held at %g", j->given, j->start);
    }
    j->leader = second;
    j->ratio = c[1];
    j->offset = c[0];
    if (j->limited)
        st = tmli_robot_note(r, e, "limits of joint '%.80s' are left out: it follows '%.80s'", j->given,
                             r->joints[second].given);
    j->limited = false;
    return st;
}

// A joint that is held has no rate.
static tml_status stop(const tmli_robot *r, tmli_urdf_joint *j)
{
    const double rate = j->rate;
    j->rate = 0;
    if (rate == 0) return TML_OK;
    return tmli_robot_note(r, j->element, "the rate %g of joint '%.80s' is left out: it is held", rate,
                           j->given);
}

tml_status tmli_mjcf_couple(tmli_mjcf *m)
{
    tmli_robot *r = m->r;
    tml_status st = TML_OK;
    double *reference = tmli_arena_alloc(r->arena, (size_t)r->njoints + 1, sizeof *reference);
    if (!reference) return tmli_no_memory(r->err, "joints");
    for (int i = 0; i < r->njoints; i++) reference[i] = r->joints[i].start;
    st = tmli_mjcf_keyframe(m);
    for (const tmli_xml *s = tmli_xml_find(m->root, "equality"); s && st == TML_OK; s = tmli_xml_next(s))
        for (const tmli_xml *e = tmli_xml_find(s, "joint"); e && st == TML_OK; e = tmli_xml_next(e))
            if (tmli_mjcf_flag(e, "active", true)) st = couple(m, e);
    for (int i = 0; i < r->njoints && st == TML_OK; i++) {
        tmli_urdf_joint *j = &r->joints[i];
        if (j->limited && !j->held) st = tmli_robot_limit(r, j->element, j->start, j);
        if (st == TML_OK && j->held) st = stop(r, j);
    }
    for (int pass = 0; pass < r->njoints && st == TML_OK; pass++) {  // along the longest chain
        bool changed = false;
        for (int i = 0; i < r->njoints; i++) {
            tmli_urdf_joint *j = &r->joints[i];
            if (j->leader < 0) continue;
            const double start =
                reference[i] + j->offset + j->ratio * (r->joints[j->leader].start - reference[j->leader]);
            const double rate = j->ratio * r->joints[j->leader].rate;
            changed = changed || start != j->start || rate != j->rate;
            j->start = start;
            j->rate = rate;
        }
        if (!changed) break;
    }
    for (int i = 0; i < r->njoints && st == TML_OK; i++)
        if (!isfinite(r->joints[i].start))
            st = tmli_fail_at(r->err, TML_ERR_MODEL, r->joints[i].element->at,
                              "Joint '%.80s' follows another beyond all numbers.", r->joints[i].given);
    return st;
}

// ---- loops ------------------------------------------------------------------------------------------------

static tmli_pose inverse(const tmli_pose *a)
{
    const mat3 back = m3_transpose(&a->r);
    return (tmli_pose){back, v3_scale(-1, m3_mulv(&back, a->p))};
}

// The pose of a body in the world at the reference configuration.
static tmli_pose reference_of(const tmli_mjcf *m, const tmli_mjcf_body *b)
{
    return tmli_pose_mul(&m->reference[b->link], &b->inside);
}

// Both ends: bodies, and the frame of the joint in each.
static tml_status find_ends(const tmli_mjcf *m, const tmli_xml *e, const tmli_mjcf_body *body[2],
                            tmli_pose at[2])
{
    static const char *const sites[] = {"site1", "site2"}, *const bodies[] = {"body1", "body2"};
    tml_status st = TML_OK;
    if (tmli_xml_get(e, sites[0]) || tmli_xml_get(e, sites[1])) {
        for (int k = 0; k < 2 && st == TML_OK; k++) {
            const char *name = NULL;
            st = tmli_xml_text(e, sites[k], &name, m->r->err);
            if (st == TML_OK) body[k] = tmli_mjcf_find_site(m, e, name, &at[k], &st);
        }
        return st;
    }
    for (int k = 0; k < 2; k++) {
        const char *name = tmli_xml_get(e, bodies[k]);
        if (k == 0 && !name) return tmli_xml_text(e, bodies[k], &name, m->r->err);
        body[k] = name ? tmli_mjcf_find_body(m, e, name) : m->body;
        if (!body[k]) return m->r->err ? m->r->err->status : TML_ERR_NAME;
    }
    const bool weld = strcmp(e->tag, "weld") == 0;
    double p[3] = {0}, pose[7] = {0};
    st = tmli_xml_numbers(e, "anchor", 3, weld, p, m->r->err);
    if (st == TML_OK) st = tmli_xml_numbers(e, "relpose", 7, true, pose, m->r->err);
    const bool given = pose[3] != 0 || pose[4] != 0 || pose[5] != 0 || pose[6] != 0;
    at[weld] = (tmli_pose){m3_identity(), v3_from(p)};  // that of a weld is in the second body
    const tmli_pose a = reference_of(m, body[0]), b = reference_of(m, body[1]),
                    back = inverse(weld ? &a : &b), between = tmli_pose_mul(&back, weld ? &b : &a);
    const tmli_pose told = {q_matrix(q_normalize(q_from(pose + 3))), v3_from(pose)};
    at[!weld] = tmli_pose_mul(weld && given ? &told : &between, &at[weld]);
    return st;
}

static tml_status add_loop(const tmli_mjcf *m, const tmli_xml *e, int number)
{
    const tmli_robot *r = m->r;
    const tmli_mjcf_body *body[2] = {NULL, NULL};
    tmli_pose at[2];
    tml_joint_def d = tml_joint_def_default();
    const tmli_entry entry = {.at = e->at};
    const char *own = tmli_xml_get(e, "name"), *given = tmli_arena_format(r->arena, "%s_%d", e->tag, number);
    tml_status st = find_ends(m, e, body, at);
    if (st == TML_OK)
        st = given ? tmli_robot_name(r, e, own ? own : given, "joint", &d.name)
                   : tmli_no_memory(r->err, "joint");
    if (st != TML_OK) return st;
    const tmli_link *link[2] = {&r->links[body[0]->link], &r->links[body[1]->link]};
    if (link[0]->holder == link[1]->holder)
        return tmli_robot_note(r, e, "<%s> is left out: both ends are of one body", e->tag);
    d.type = strcmp(e->tag, "weld") == 0 ? TML_JOINT_FIXED : TML_JOINT_SPHERICAL;
    for (int k = 0; k < 2 && st == TML_OK; k++) {
        const tmli_pose place = tmli_pose_mul(&body[k]->inside, &at[k]);
        const char *name = tmli_arena_format(r->arena, "%s_%c", d.name, k == 0 ? 'a' : 'b');
        st = name ? tmli_robot_frame(r, link[k], e, name, &place, k == 0 ? &d.a : &d.b)
                  : tmli_no_memory(r->err, "frame");
    }
    return st == TML_OK ? tmli_spec_add(r->spec, &tmli_schema_joint, &d, &entry, r->err) : st;
}

tml_status tmli_mjcf_loops(const tmli_mjcf *m)
{
    tml_status st = TML_OK;
    int number = 0;
    for (const tmli_xml *s = tmli_xml_find(m->root, "equality"); s && st == TML_OK; s = tmli_xml_next(s))
        for (const tmli_xml *e = s->first; e && st == TML_OK; e = e->next) {
            const bool loop = strcmp(e->tag, "connect") == 0 || strcmp(e->tag, "weld") == 0;
            if (!tmli_mjcf_flag(e, "active", true))
                st = tmli_robot_note(m->r, e, "<%.60s> is left out: it is not active", e->tag);
            else if (loop) st = add_loop(m, e, ++number);
            else if (strcmp(e->tag, "joint") != 0)
                st = tmli_robot_note(m->r, e, "<%.60s> of <equality> is left out", e->tag);
        }
    return st;
}
