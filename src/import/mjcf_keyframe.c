// Keyframes of an MJCF file: configurations with names. The model starts at one of them, if that is asked
// for. Their numbers are those of the joints in the order of the file: 7 of a free joint (place and
// quaternion), 4 of a ball, 1 of the others; of rates 6, 3 and 1. Controls are those of the actuators.
#include "import/mjcf.h"
#include "import/values.h"

#include <math.h>
#include <string.h>

// The next `count` numbers of a text.
static bool next_numbers(const char **p, int count, double *out)
{
    for (int i = 0; i < count; i++) {
        const char *end = NULL;
        *p += strspn(*p, " \t\r\n");
        out[i] = tmli_strtod(*p, &end);
        if (end == *p || !isfinite(out[i])) return false;
        *p = end;
    }
    return true;
}

static void turn(tmli_pose *pose, const double *q)
{
    double size = 0;
    for (int i = 0; i < 4; i++) size += q[i] * q[i];
    if (!(size > 0)) return;
    const mat3 R = q_matrix(q_normalize((quat){q[0], q[1], q[2], q[3]}));
    pose->r = m3_mul(&pose->r, &R);
}

// Numbers of an attribute, taken one after the other.
typedef struct numbers {
    const tmli_mjcf *m;
    const tmli_xml *key;
    const char *attribute, *of;  // of: what has them
    const char *at;              // NULL: the keyframe has no such attribute
} numbers;

static numbers numbers_of(const tmli_mjcf *m, const tmli_xml *key, const char *attribute, const char *of)
{
    return (numbers){m, key, attribute, of, tmli_xml_get(key, attribute)};
}

static tml_status fail_count(const numbers *n, const char *than)
{
    return tmli_fail_at(n->m->r->err, TML_ERR_SYNTAX, n->key->at, "<key %s>: it has %s numbers than the %s.",
                        n->attribute, than, n->of);
}

static tml_status take(numbers *n, int count, double *out)
{
    return next_numbers(&n->at, count, out) ? TML_OK : fail_count(n, "fewer");
}

static tml_status end(const numbers *n)
{
    return *(n->at + strspn(n->at, " \t\r\n")) ? fail_count(n, "more") : TML_OK;
}

static tml_status place_joints(const tmli_mjcf *m, const tmli_xml *key)
{
    numbers n = numbers_of(m, key, "qpos", "joints");
    double x[7];
    if (!n.at) return tmli_robot_note(m->r, key, "the keyframe has no qpos: the start is that of the file");
    for (int i = 0; i < m->r->njoints; i++) {
        tmli_urdf_joint *j = &m->r->joints[i];
        if (j->kind == TMLI_URDF_FIXED) continue;
        const int count = j->kind == TMLI_URDF_FLOATING ? 7 : j->kind == TMLI_URDF_BALL ? 4 : 1;
        const tml_status st = take(&n, count, x);
        if (st != TML_OK) return st;
        if (count == 1) j->start = x[0];
        if (count == 7) j->origin = (tmli_pose){m3_identity(), v3_from(x)};
        if (count > 1) turn(&j->origin, x + count - 4);
    }
    return end(&n);
}

// Of a free joint the velocity in the axes of the world and the angular velocity in those of the body, of a
// ball the latter, rates of the others.
static tml_status move_joints(const tmli_mjcf *m, const tmli_xml *key)
{
    numbers n = numbers_of(m, key, "qvel", "joints");
    double x[6];
    if (!n.at) return TML_OK;
    for (int i = 0; i < m->r->njoints; i++) {
        tmli_urdf_joint *j = &m->r->joints[i];
        if (j->kind == TMLI_URDF_FIXED) continue;
        const int count = j->kind == TMLI_URDF_FLOATING ? 6 : j->kind == TMLI_URDF_BALL ? 3 : 1;
        const tml_status st = take(&n, count, x);
        if (st != TML_OK) return st;
        if (count == 1) j->rate = x[0];
        if (count == 6) j->velocity = v3_from(x);
        if (count > 1) j->turn = v3_from(x + count - 3);
    }
    return end(&n);
}

// Numbers of actuators; activations: only of those that have one.
static tml_status read_actuators(const tmli_mjcf *m, numbers *n, bool activations, double **out)
{
    size_t count = 0;
    if (!n->at) return TML_OK;
    for (const tmli_xml *s = tmli_xml_find(m->root, "actuator"); s; s = tmli_xml_next(s))
        for (const tmli_xml *e = s->first; e; e = e->next) count++;
    double *x = *out = tmli_arena_alloc(m->r->arena, count + 1, sizeof **out);
    if (!x) return tmli_no_memory(m->r->err, "controls");
    for (const tmli_xml *s = tmli_xml_find(m->root, "actuator"); s; s = tmli_xml_next(s))
        for (const tmli_xml *e = s->first; e; e = e->next, x++) {
            *x = 0;
            if (activations && !tmli_mjcf_has_activation(e)) continue;
            const tml_status st = take(n, 1, x);
            if (st != TML_OK) return st;
        }
    return end(n);
}

static tml_status note_rest(const tmli_mjcf *m, const tmli_xml *key)
{
    static const char *const rest[] = {"time", "mpos", "mquat"};
    tml_status st = TML_OK;
    for (size_t i = 0; i < sizeof rest / sizeof *rest && st == TML_OK; i++) {
        const char *text = tmli_xml_get(key, rest[i]);
        if (text && strcmp(text, "0") != 0) st = tmli_robot_note(m->r, key, "<key %s> is left out", rest[i]);
    }
    return st;
}

static tml_status begin_at(tmli_mjcf *m, const tmli_xml *key)
{
    numbers controls = numbers_of(m, key, "ctrl", "actuators"),
            activations = numbers_of(m, key, "act", "actuators with an activation");
    tml_status st = place_joints(m, key);
    if (st == TML_OK) st = move_joints(m, key);
    if (st == TML_OK) st = read_actuators(m, &controls, false, &m->control);
    if (st == TML_OK) st = read_actuators(m, &activations, true, &m->activation);
    return st == TML_OK ? note_rest(m, key) : st;
}

tml_status tmli_mjcf_keyframe(tmli_mjcf *m)
{
    const char *wanted = m->r->def->start;
    bool found = false;
    tml_status st = TML_OK;
    for (const tmli_xml *s = tmli_xml_find(m->root, "keyframe"); s && st == TML_OK; s = tmli_xml_next(s))
        for (const tmli_xml *e = tmli_xml_find(s, "key"); e && st == TML_OK; e = tmli_xml_next(e)) {
            const char *name = tmli_xml_get(e, "name");
            const bool same = wanted && name && strcmp(name, wanted) == 0 && !found;
            found = found || same;
            if (same) st = begin_at(m, e);
            else if (name) st = tmli_robot_note(m->r, e, "keyframe '%.80s' is another start (--start)", name);
            else st = tmli_robot_note(m->r, e, "a keyframe without a name is left out");
        }
    if (st == TML_OK && wanted && !found)
        st = tmli_fail_at(m->r->err, TML_ERR_NAME, m->root->at, "There is no keyframe '%.80s'.", wanted);
    return st;
}
