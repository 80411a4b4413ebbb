// Actuators and tendons of an MJCF file. With the length l = sum of c_i q_i of a transmission, the control u
// and the activation a (u itself, or its filter), an actuator has the force
//   F = (g0 + g1 l + g2 l') a + b0 + b1 l + b2 l',   within its range                                     (1)
// and drives joint i with c_i F. A fixed tendon with stiffness k and damping d adds F = -k (l - l0) - d l'.
#include "import/mjcf.h"
#include "import/values.h"
#include "spec/schema.h"

#include <math.h>
#include <string.h>

typedef struct actuator {
    const tmli_xml *element;
    const char *name;         // of its input
    int index;                // in the file, from 0 on
    double gain[3], bias[3];  // g, b of (1)
    double time;              // of the filter [s]; 0: none
    bool integrates;          // its activation is the integral of the control
    bool limited, forced;
    double control[2], force[2];
    double gear[6];
    double ratio;  // > 0: of damping to the critical one
} actuator;

static const char *number(const tmli_mjcf *m, double x)
{
    char text[32];
    tmli_dtoa(x, text);
    return tmli_arena_format(m->r->arena, x < 0 ? "(%s)" : "%s", text);
}

// ---- transmissions ----------------------------------------------------------------------------------------

static bool is_along(const tmli_urdf_joint *j)
{
    return j->kind == TMLI_URDF_REVOLUTE || j->kind == TMLI_URDF_PRISMATIC;
}

static tml_status alloc_sum(const tmli_mjcf *m, int most, tmli_mjcf_sum *out)
{
    *out = (tmli_mjcf_sum){0};
    out->joint = tmli_arena_alloc(m->r->arena, (size_t)most + 1, sizeof *out->joint);
    out->factor = tmli_arena_alloc(m->r->arena, (size_t)most + 1, sizeof *out->factor);
    return out->joint && out->factor ? TML_OK : tmli_no_memory(m->r->err, "tendon");
}

static tml_status add_term(const tmli_mjcf *m, const tmli_xml *e, const char *name, double factor,
                           tmli_mjcf_sum *out)
{
    const int j = tmli_mjcf_find_joint(m, name);
    if (j < 0) {
        const tmli_robot *r = m->r;
        const char **names = tmli_arena_alloc(r->arena, (size_t)r->njoints + 1, sizeof *names);
        size_t count = 0;
        for (int i = 0; i < r->njoints && names; i++)
            if (r->joints[i].given[0]) names[count++] = r->joints[i].given;
        return tmli_fail_at(r->err, TML_ERR_NAME, e->at, "There is no joint '%.80s'%s.", name,
                            names ? tmli_hint_list(name, names, count).text : "");
    }
    if (!is_along(&m->r->joints[j]))
        return tmli_robot_note(m->r, e, "joint '%.80s' is not driven: it is no hinge or slide", name);
    out->joint[out->count] = j;
    out->factor[out->count++] = factor;
    return TML_OK;
}

static tml_status read_tendon(const tmli_mjcf *m, const tmli_xml *e, double gear, tmli_mjcf_sum *out)
{
    int count = 0;
    for (const tmli_xml *c = tmli_xml_find(e, "joint"); c; c = tmli_xml_next(c)) count++;
    tml_status st = alloc_sum(m, count, out);
    for (const tmli_xml *c = tmli_xml_find(e, "joint"); c && st == TML_OK; c = tmli_xml_next(c)) {
        const char *name = NULL;
        double factor = 0;
        st = tmli_xml_text(c, "joint", &name, m->r->err);
        if (st == TML_OK) st = tmli_xml_numbers(c, "coef", 1, false, &factor, m->r->err);
        if (st == TML_OK) st = add_term(m, c, name, gear * factor, out);
    }
    return st;
}

static const tmli_xml *find_tendon(const tmli_mjcf *m, const char *name)
{
    for (const tmli_xml *s = tmli_xml_find(m->root, "tendon"); s; s = tmli_xml_next(s))
        for (const tmli_xml *e = s->first; e; e = e->next) {
            const char *own = tmli_xml_get(e, "name");
            if (own && strcmp(own, name) == 0) return e;
        }
    return NULL;
}

// sum of factors times values or rates of joints; a single joint has its own words
static const char *write_sum(const tmli_mjcf *m, const tmli_mjcf_sum *s, bool rate)
{
    const char *all = NULL;
    for (int i = 0; i < s->count; i++) {
        const tmli_urdf_joint *j = &m->r->joints[s->joint[i]];
        const char *factor = number(m, s->factor[i]), *x = rate ? "rate" : "value";
        if (s->count > 1)
            x = rate ? tmli_arena_format(m->r->arena, "%s.%s", j->name,
                                         j->kind == TMLI_URDF_PRISMATIC ? "speed" : "rate")
                     : tmli_robot_coordinate(m->r, j);
        if (!factor || !x) return NULL;
        const char *term = s->factor[i] == 1 ? x : tmli_arena_format(m->r->arena, "%s*%s", factor, x);
        all = all && term ? tmli_arena_format(m->r->arena, "%s + %s", all, term) : term;
        if (!all) return NULL;
    }
    return all ? tmli_arena_format(m->r->arena, s->count > 1 || s->factor[0] != 1 ? "(%s)" : "%s", all) : "0";
}

static tml_status add_drive(const tmli_mjcf *m, const tmli_mjcf_sum *s, const char *force)
{
    for (int i = 0; i < s->count; i++) {
        tmli_urdf_joint *j = &m->r->joints[s->joint[i]];
        const char *factor = number(m, s->factor[i]);
        const char *term = !force || !factor   ? NULL
                           : s->factor[i] == 1 ? force
                                               : tmli_arena_format(m->r->arena, "%s*(%s)", factor, force);
        j->drive = term && j->drive ? tmli_arena_format(m->r->arena, "%s + %s", j->drive, term) : term;
        if (!j->drive) return tmli_no_memory(m->r->err, "drive");
    }
    return TML_OK;
}

// ---- actuators --------------------------------------------------------------------------------------------

static tml_status read_three(const tmli_mjcf *m, const tmli_xml *e, const char *key, double out[3])
{
    double x[10] = {0};
    int found = 0;
    x[0] = out[0];
    const tml_status st = tmli_xml_list(e, key, 0, 10, &found, x, m->r->err);
    memcpy(out, x, 3 * sizeof *out);
    return st;
}

bool tmli_mjcf_has_activation(const tmli_xml *e)
{
    static const char *const always[] = {"intvelocity", "cylinder", "muscle"};
    const char *dynamics = tmli_xml_get(e, "dyntype"), *time = tmli_xml_get(e, "timeconst");
    for (int i = 0; i < 3; i++)
        if (strcmp(e->tag, always[i]) == 0) return true;
    const char *end;
    if (strcmp(e->tag, "position") == 0) return time && tmli_strtod(time, &end) > 0;
    return dynamics && strcmp(dynamics, "none") != 0;
}

// *use: false: it is left out, with a note
static tml_status read_general(const tmli_mjcf *m, actuator *a, bool *use)
{
    const tmli_xml *e = a->element;
    const char *gain = tmli_xml_get(e, "gaintype"), *bias = tmli_xml_get(e, "biastype"),
               *dynamics = tmli_xml_get(e, "dyntype");
    double x[3] = {1, 0, 0};
    a->gain[0] = 1;
    tml_status st = read_three(m, e, "gainprm", a->gain);
    if (st == TML_OK) st = read_three(m, e, "biasprm", a->bias);
    if (st == TML_OK) st = read_three(m, e, "dynprm", x);
    const bool affine_gain = gain && strcmp(gain, "affine") == 0,
               affine = bias && strcmp(bias, "affine") == 0;
    if (!affine_gain) a->gain[1] = a->gain[2] = 0;
    if (!affine) memset(a->bias, 0, sizeof a->bias);
    const bool filter = dynamics && strncmp(dynamics, "filter", 6) == 0;
    a->integrates = dynamics && strcmp(dynamics, "integrator") == 0;
    if (filter) a->time = x[0];
    *use = (!gain || affine_gain || strcmp(gain, "fixed") == 0) &&
           (!bias || affine || strcmp(bias, "none") == 0) &&
           (!dynamics || filter || a->integrates || strcmp(dynamics, "none") == 0);
    return st;
}

static tml_status read_servo(const tmli_mjcf *m, actuator *a)
{
    const tmli_xml *e = a->element;
    const bool velocity = strcmp(e->tag, "velocity") == 0, integral = strcmp(e->tag, "intvelocity") == 0;
    double kp = 1, kv = velocity ? 1 : 0, ratio = 0;
    tml_status st = tmli_xml_numbers(e, "kp", 1, true, &kp, m->r->err);
    if (st == TML_OK) st = tmli_xml_numbers(e, "kv", 1, true, &kv, m->r->err);
    if (st == TML_OK) st = tmli_xml_numbers(e, "dampratio", 1, true, &ratio, m->r->err);
    if (st == TML_OK) st = tmli_xml_numbers(e, "timeconst", 1, true, &a->time, m->r->err);
    a->integrates = integral;
    a->gain[0] = velocity ? kv : kp;
    a->bias[1] = velocity ? 0 : -kp;
    a->bias[2] = -kv;
    a->ratio = ratio;
    return st;
}

// The range of the control of a servo from that of its joint.
static tml_status inherit(const tmli_mjcf *m, actuator *a, const tmli_mjcf_sum *s)
{
    double share = 0;
    const tml_status st = tmli_xml_numbers(a->element, "inheritrange", 1, true, &share, m->r->err);
    if (st != TML_OK || !(share > 0) || s->count != 1 || a->limited) return st;
    const tmli_urdf_joint *j = &m->r->joints[s->joint[0]];
    if (!(j->upper > j->lower)) return TML_OK;
    const double middle = (j->upper + j->lower) / 2, half = share * (j->upper - j->lower) / 2;
    a->control[0] = middle - half;
    a->control[1] = middle + half;
    a->limited = true;
    return TML_OK;
}

// Inertia along a joint at the reference of all that it carries, with its armature.
static double inertia_along(const tmli_mjcf *m, int index)
{
    const tmli_robot *r = m->r;
    const tmli_urdf_joint *j = &r->joints[index];
    const tmli_pose *at = &m->reference[j->child];
    const vec3 axis = m3_mulv(&at->r, j->axis);
    double sum = j->armature;
    for (int i = j->child; i < r->nlinks; i++) {
        int up = i;
        while (up >= 0 && up != j->child)
            up = r->links[up].parent < 0 ? -1 : r->joints[r->links[up].parent].parent;
        if (up < 0) continue;
        const tmli_link *link = &r->links[i];
        const tmli_pose *own = &m->reference[i];
        const vec3 inside = m3_tmulv(&own->r, axis),
                   arm = v3_sub(v3_add(own->p, m3_mulv(&own->r, link->centre)), at->p),
                   across = v3_cross(axis, arm);
        sum += j->kind == TMLI_URDF_PRISMATIC
                   ? link->mass
                   : v3_dot(inside, m3_mulv(&link->inertia, inside)) + link->mass * v3_dot(across, across);
    }
    return sum;
}

static tml_status read_actuator(const tmli_mjcf *m, actuator *a, bool *use)
{
    const tmli_xml *e = a->element;
    int found = 0;
    double kv = 1;
    tml_status st = TML_OK;
    *use = true;
    if (strcmp(e->tag, "general") == 0) st = read_general(m, a, use);
    else if (strcmp(e->tag, "motor") == 0) a->gain[0] = 1;
    else if (strcmp(e->tag, "damper") == 0) {
        st = tmli_xml_numbers(e, "kv", 1, true, &kv, m->r->err);
        a->gain[2] = -kv;
    } else if (strcmp(e->tag, "position") == 0 || strcmp(e->tag, "velocity") == 0 ||
               strcmp(e->tag, "intvelocity") == 0)
        st = read_servo(m, a);
    else *use = false;
    a->gear[0] = 1;
    if (st == TML_OK) st = tmli_xml_list(e, "gear", 0, 6, &found, a->gear, m->r->err);
    if (st == TML_OK) st = tmli_mjcf_range(m, e, "ctrlrange", "ctrllimited", &a->limited, a->control);
    if (st == TML_OK) st = tmli_mjcf_range(m, e, "forcerange", "forcelimited", &a->forced, a->force);
    return st;
}

static tml_status add_input(const tmli_mjcf *m, actuator *a)
{
    tml_input_def input = tml_input_def_default();
    const tmli_entry at = {.at = a->element->at};
    const char *own = tmli_xml_get(a->element, "name"),
               *given = own ? own : tmli_arena_format(m->r->arena, "ctrl_%d", a->index + 1);
    if (m->control) input.value = m->control[a->index];
    const tml_status st = given ? tmli_robot_name(m->r, a->element, given, "input", &input.name)
                                : tmli_no_memory(m->r->err, "input");
    if (st != TML_OK) return st;
    a->name = input.name;
    return tmli_spec_add(m->r->spec, &tmli_schema_input, &input, &at, m->r->err);
}

// The activation: the control within its range, or a state that follows it.
static tml_status write_activation(const tmli_mjcf *m, const actuator *a, const char **out)
{
    const tmli_robot *r = m->r;
    tml_state_def z = tml_state_def_default();
    const tmli_entry at = {.at = a->element->at};
    *out = a->name;
    if (a->limited && a->control[0] < a->control[1])
        *out = tmli_arena_format(r->arena, "clamp(%s, %s, %s)", a->name, number(m, a->control[0]),
                                 number(m, a->control[1]));
    if (!*out) return tmli_no_memory(r->err, "input");
    if (!(a->time > 0) && !a->integrates) return TML_OK;
    if (m->activation) z.start = m->activation[a->index];
    const char *given = tmli_arena_format(r->arena, "%s_act", a->name);
    tml_status st =
        given ? tmli_robot_name(r, a->element, given, "state", &z.name) : tmli_no_memory(r->err, "state");
    if (st != TML_OK) return st;
    z.rate =
        a->integrates ? *out : tmli_arena_format(r->arena, "(%s - %s)/%s", *out, z.name, number(m, a->time));
    if (!z.rate) return tmli_no_memory(r->err, "state");
    *out = z.name;
    return tmli_spec_add(r->spec, &tmli_schema_state, &z, &at, r->err);
}

// (1); length and rate may be "0"
static const char *write_force(const tmli_mjcf *m, const actuator *a, const char *activation,
                               const char *length, const char *rate)
{
    tmli_arena *arena = m->r->arena;
    const char *of[3] = {NULL, length, rate}, *all = NULL;
    for (int part = 0; part < 2; part++)
        for (int k = 0; k < 3; k++) {
            const double c = part == 0 ? a->gain[k] : a->bias[k];
            const bool still = k > 0 && strcmp(of[k], "0") == 0;
            if (c == 0 || still) continue;
            const char *size = number(m, c), *term = NULL;
            if (part == 0 && k == 0)
                term = c == 1 ? activation : tmli_arena_format(arena, "%s*%s", size, activation);
            else if (part == 0) term = tmli_arena_format(arena, "%s*%s*%s", size, of[k], activation);
            else term = k == 0 ? size : tmli_arena_format(arena, "%s*%s", size, of[k]);
            all = all && term ? tmli_arena_format(arena, "%s + %s", all, term) : term;
            if (!all) return NULL;
        }
    if (!all) all = "0";
    if (a->forced && a->force[0] < a->force[1])
        all = tmli_arena_format(arena, "clamp(%s, %s, %s)", all, number(m, a->force[0]),
                                number(m, a->force[1]));
    return all;
}

// A force and a torque in the axes of a site.
static tml_status act_at_site(const tmli_mjcf *m, actuator *a, const char *site)
{
    const tmli_robot *r = m->r;
    tmli_pose at;
    tml_status st = TML_OK;
    const tmli_mjcf_body *b = tmli_mjcf_find_site(m, a->element, site, &at, &st);
    const tmli_entry entry = {.at = a->element->at};
    tml_force_def f = tml_force_def_default();
    const char *activation = NULL, *frame = NULL;
    if (st == TML_OK) st = add_input(m, a);
    if (st == TML_OK) st = write_activation(m, a, &activation);
    const char *force = st == TML_OK ? write_force(m, a, activation, "0", "0") : NULL,
               *given = force ? tmli_arena_format(r->arena, "%s_thrust", a->name) : NULL;
    if (st != TML_OK) return st;
    if (!given) return tmli_no_memory(r->err, "force");
    st = tmli_robot_name(r, a->element, given, "force", &f.name);
    frame = f.name;
    at = tmli_pose_mul(&b->inside, &at);
    if (st == TML_OK) st = tmli_robot_frame(r, &r->links[b->link], a->element, frame, &at, &f.b);
    f.type = TML_FORCE_APPLIED;
    f.body_axes = true;
    for (int i = 0; i < 6 && st == TML_OK; i++) {
        const char **to = i < 3 ? &f.force[i] : &f.torque[i - 3];
        if (a->gear[i] == 0) continue;
        *to = tmli_arena_format(r->arena, "%s*(%s)", number(m, a->gear[i]), force);
        if (!*to) st = tmli_no_memory(r->err, "force");
    }
    return st == TML_OK ? tmli_spec_add(r->spec, &tmli_schema_force, &f, &entry, r->err) : st;
}

// The joints that it drives; *site: or the site at which it acts.
static tml_status find_transmission(const tmli_mjcf *m, const actuator *a, tmli_mjcf_sum *s,
                                    const char **site)
{
    const tmli_xml *e = a->element;
    const char *joint = tmli_xml_get(e, "joint"), *tendon = tmli_xml_get(e, "tendon");
    if (!joint) joint = tmli_xml_get(e, "jointinparent");
    *site = tmli_xml_get(e, "refsite") ? NULL : tmli_xml_get(e, "site");
    tml_status st = alloc_sum(m, 1, s);
    if (st != TML_OK || *site) return st;
    if (joint) return add_term(m, e, joint, a->gear[0], s);
    const tmli_xml *t = tendon ? find_tendon(m, tendon) : NULL;
    if (tendon && !t)
        return tmli_fail_at(m->r->err, TML_ERR_NAME, e->at, "There is no tendon '%.80s'.", tendon);
    return t && strcmp(t->tag, "fixed") == 0 ? read_tendon(m, t, a->gear[0], s) : TML_OK;
}

static tml_status add_actuator(const tmli_mjcf *m, const tmli_xml *e, int index, bool sites)
{
    actuator a = {.element = e, .index = index};
    tmli_mjcf_sum s;
    bool use = false;
    const char *site = NULL, *activation = NULL;
    tml_status st = read_actuator(m, &a, &use);
    if (st == TML_OK) st = find_transmission(m, &a, &s, &site);
    if (st != TML_OK || (site && use) != sites) return st;
    if (site && use) return act_at_site(m, &a, site);
    if (!use || s.count == 0)
        return tmli_robot_note(m->r, e, "actuator <%.60s> '%.80s' is left out: %s", e->tag,
                               tmli_xml_get(e, "name") ? tmli_xml_get(e, "name") : "",
                               use ? "it drives no hinge, slide, fixed tendon or site"
                                   : "its law is not known");
    st = inherit(m, &a, &s);
    if (st == TML_OK) st = add_input(m, &a);
    if (st == TML_OK) st = write_activation(m, &a, &activation);
    if (st != TML_OK) return st;
    double inertia = 0;
    for (int i = 0; i < s.count && a.ratio > 0; i++)
        if (s.factor[i] != 0) inertia += inertia_along(m, s.joint[i]) / (s.factor[i] * s.factor[i]);
    if (a.ratio > 0) a.bias[2] = -2 * a.ratio * sqrt(fmax(a.gain[0] * inertia, 0));
    const char *length = write_sum(m, &s, false), *rate = write_sum(m, &s, true);
    if (!length || !rate) return tmli_no_memory(m->r->err, "drive");
    return add_drive(m, &s, write_force(m, &a, activation, length, rate));
}

static tml_status for_actuators(const tmli_mjcf *m, bool sites)
{
    tml_status st = TML_OK;
    int index = 0;
    for (const tmli_xml *x = tmli_xml_find(m->root, "actuator"); x && st == TML_OK; x = tmli_xml_next(x))
        for (const tmli_xml *e = x->first; e && st == TML_OK; e = e->next)
            st = add_actuator(m, e, index++, sites);
    return st;
}

// ---- fixed tendons ----------------------------------------------------------------------------------------

static tml_status add_tendon(const tmli_mjcf *m, const tmli_xml *e)
{
    double stiffness = 0, damping = 0, free = 0;
    static const char *const rest[] = {"range", "frictionloss", "armature"};
    int found = 0;
    double length[2] = {-1, -1};
    tmli_mjcf_sum s;
    if (strcmp(e->tag, "fixed") != 0)
        return tmli_robot_note(m->r, e, "tendon '%.80s' is left out: it is none of joints",
                               tmli_xml_get(e, "name") ? tmli_xml_get(e, "name") : "");
    tml_status st = tmli_xml_numbers(e, "stiffness", 1, true, &stiffness, m->r->err);
    if (st == TML_OK) st = tmli_xml_numbers(e, "damping", 1, true, &damping, m->r->err);
    if (st == TML_OK) st = tmli_xml_list(e, "springlength", 0, 2, &found, length, m->r->err);
    if (st == TML_OK) st = read_tendon(m, e, 1, &s);
    for (int i = 0; i < 3 && st == TML_OK; i++)
        if (tmli_xml_get(e, rest[i]) && strcmp(tmli_xml_get(e, rest[i]), "0") != 0)
            st = tmli_robot_note(m->r, e, "%s of a tendon is left out", rest[i]);
    if (st != TML_OK || (stiffness == 0 && damping == 0) || s.count == 0) return st;
    for (int i = 0; i < s.count && found == 0; i++)  // its length at the reference
        free += s.factor[i] * m->r->joints[s.joint[i]].start;
    if (found > 0) free = length[0];
    const char *x = write_sum(m, &s, false), *v = write_sum(m, &s, true), *force = NULL;
    if (x && v)
        force = tmli_arena_format(m->r->arena, "%s*(%s - %s) + %s*%s", number(m, -stiffness), x,
                                  number(m, free), number(m, -damping), v);
    return force ? add_drive(m, &s, force) : tmli_no_memory(m->r->err, "tendon");
}

static tml_status limit_drives(const tmli_mjcf *m)
{
    tml_status st = TML_OK;
    for (int i = 0; i < m->r->njoints && st == TML_OK; i++) {
        tmli_urdf_joint *j = &m->r->joints[i];
        double range[2] = {0};
        bool limited = false;
        if (!j->drive || strcmp(j->element->tag, "joint") != 0) continue;
        st = tmli_mjcf_range(m, j->element, "actuatorfrcrange", "actuatorfrclimited", &limited, range);
        if (st != TML_OK || !limited || !(range[0] < range[1])) continue;
        j->drive = tmli_arena_format(m->r->arena, "clamp(%s, %s, %s)", j->drive, number(m, range[0]),
                                     number(m, range[1]));
        if (!j->drive) st = tmli_no_memory(m->r->err, "drive");
    }
    return st;
}

tml_status tmli_mjcf_drives(const tmli_mjcf *m)
{
    tml_status st = for_actuators(m, false);
    if (st == TML_OK) st = limit_drives(m);
    for (const tmli_xml *s = tmli_xml_find(m->root, "tendon"); s && st == TML_OK; s = tmli_xml_next(s))
        for (const tmli_xml *e = s->first; e && st == TML_OK; e = e->next) st = add_tendon(m, e);
    return st;
}

// ---- forces on bodies -------------------------------------------------------------------------------------

static tml_status lift(const tmli_mjcf *m, const tmli_mjcf_body *b)
{
    const tmli_robot *r = m->r;
    const tmli_link *link = &r->links[b->link];
    const tmli_entry entry = {.at = b->element->at};
    tml_force_def f = tml_force_def_default();
    double share = 0;
    tml_status st = tmli_xml_numbers(b->element, "gravcomp", 1, true, &share, r->err);
    if (st != TML_OK || share == 0 || b == m->body || !(link->mass > 0) || link->holder == r->ground)
        return st;
    const char *given = tmli_arena_format(r->arena, "%s_lift", link->name);
    const tmli_pose centre = {m3_identity(), link->centre};
    st = given ? tmli_robot_name(r, b->element, given, "force", &f.name) : tmli_no_memory(r->err, "force");
    if (st == TML_OK) st = tmli_robot_frame(r, link, b->element, f.name, &centre, &f.b);
    f.type = TML_FORCE_APPLIED;
    for (int i = 0; i < 3 && st == TML_OK; i++) {
        if (m->gravity[i] == 0) continue;
        f.force[i] = number(m, -share * link->mass * m->gravity[i]);
        if (!f.force[i]) st = tmli_no_memory(r->err, "force");
    }
    return st == TML_OK ? tmli_spec_add(r->spec, &tmli_schema_force, &f, &entry, r->err) : st;
}

tml_status tmli_mjcf_forces(const tmli_mjcf *m)
{
    tml_status st = for_actuators(m, true);
    for (int i = 0; i < m->nbodies && st == TML_OK; i++) st = lift(m, &m->body[i]);
    return st;
}
