// Keyframes of an MJCF file: configurations with names. The model starts at one of them, if that is asked
// for. Their numbers are those of the joints in the order of the file: 7 of a free joint (place and
// quaternion), 4 of a ball, 1 of the others.
#include "import/mjcf.h"
#include "import/values.h"

#include <math.h>
#include <string.h>

static tml_status fail_count(const tmli_mjcf *m, const tmli_xml *e, const char *why)
{
    return tmli_fail_at(m->r->err, TML_ERR_SYNTAX, e->at, "<key qpos>: %s.", why);
}

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

static tml_status begin_at(const tmli_mjcf *m, const tmli_xml *key)
{
    const char *p = tmli_xml_get(key, "qpos");
    double x[7];
    if (!p) return tmli_robot_note(m->r, key, "the keyframe has no qpos: the start is that of the file");
    for (int i = 0; i < m->r->njoints; i++) {
        tmli_urdf_joint *j = &m->r->joints[i];
        if (j->kind == TMLI_URDF_FIXED) continue;
        const int count = j->kind == TMLI_URDF_FLOATING ? 7 : j->kind == TMLI_URDF_BALL ? 4 : 1;
        if (!next_numbers(&p, count, x)) return fail_count(m, key, "it has fewer numbers than the joints");
        if (count == 1) j->start = x[0];
        if (count == 7) j->origin = (tmli_pose){m3_identity(), v3_from(x)};
        if (count > 1) turn(&j->origin, x + count - 4);
    }
    return *(p + strspn(p, " \t\r\n")) ? fail_count(m, key, "it has more numbers than the joints") : TML_OK;
}

tml_status tmli_mjcf_keyframe(const tmli_mjcf *m)
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
