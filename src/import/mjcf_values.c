// Settings of an MJCF file, and poses of its elements.
#include "import/mjcf.h"
#include "import/values.h"

#include <math.h>
#include <string.h>

static const double degree = 0.017453292519943295;

bool tmli_mjcf_flag(const tmli_xml *e, const char *key, bool otherwise)
{
    const char *text = tmli_xml_get(e, key);
    if (text && strcmp(text, "true") == 0) return true;
    if (text && strcmp(text, "false") == 0) return false;
    return otherwise;
}

tml_status tmli_mjcf_range(const tmli_mjcf *m, const tmli_xml *e, const char *key, const char *limited,
                           bool *given, double range[2])
{
    const bool there = tmli_xml_get(e, key) != NULL;
    *given = there && tmli_mjcf_flag(e, limited, m->auto_limits);
    const tml_status st = there ? tmli_xml_numbers(e, key, 2, false, range, m->r->err) : TML_OK;
    if (st != TML_OK || !*given || range[0] <= range[1]) return st;
    return tmli_fail_at(m->r->err, TML_ERR_MODEL, e->at, "<%.60s %s>: %g is above %g.", e->tag, key, range[0],
                        range[1]);
}

static tml_status read_number(const tmli_mjcf *m, const tmli_xml *e, const char *key, double *out)
{
    return tmli_xml_numbers(e, key, 1, true, out, m->r->err);
}

static tml_status read_compiler(tmli_mjcf *m, const tmli_xml *e)
{
    const char *angle = tmli_xml_get(e, "angle"), *place = tmli_xml_get(e, "coordinate"),
               *order = tmli_xml_get(e, "eulerseq"), *assets = tmli_xml_get(e, "assetdir"),
               *meshes = tmli_xml_get(e, "meshdir"), *from = tmli_xml_get(e, "inertiafromgeom");
    double group[2] = {m->group[0], m->group[1]};
    if (angle) m->angle = strcmp(angle, "radian") == 0 ? 1 : degree;
    if (place && strcmp(place, "local") != 0)
        return tmli_fail_at(m->r->err, TML_ERR_SYNTAX, e->at,
                            "coordinate=\"%.60s\" is not read: places are local.", place);
    if (order && (strlen(order) != 3 || strspn(order, "xyzXYZ") != 3))
        return tmli_fail_at(m->r->err, TML_ERR_SYNTAX, e->at,
                            "eulerseq=\"%.60s\": expected three of x, y, z, X, Y, Z.", order);
    if (order) memcpy(m->sequence, order, 4);
    if (assets) m->mesh_folder = assets;
    if (meshes) m->mesh_folder = meshes;
    if (from) m->from_geoms = strcmp(from, "true") == 0 ? 1 : strcmp(from, "false") == 0 ? -1 : 0;
    m->auto_limits = tmli_mjcf_flag(e, "autolimits", m->auto_limits);
    m->balance = tmli_mjcf_flag(e, "balanceinertia", m->balance);
    tml_status st = tmli_xml_numbers(e, "inertiagrouprange", 2, true, group, m->r->err);
    for (int i = 0; i < 2; i++) m->group[i] = (int)fmin(fmax(group[i], -1e6), 1e6);
    if (st == TML_OK) st = read_number(m, e, "settotalmass", &m->total_mass);
    if (st == TML_OK) st = read_number(m, e, "boundmass", &m->bound_mass);
    return st == TML_OK ? read_number(m, e, "boundinertia", &m->bound_inertia) : st;
}

tml_status tmli_mjcf_settings(tmli_mjcf *m)
{
    tml_status st = TML_OK;
    m->angle = degree;
    memcpy(m->sequence, "xyz", 4);
    m->mesh_folder = "";
    m->auto_limits = true;
    m->group[1] = 1000;
    m->gravity[2] = -9.81;
    for (const tmli_xml *e = tmli_xml_find(m->root, "compiler"); e && st == TML_OK; e = tmli_xml_next(e))
        st = read_compiler(m, e);
    for (const tmli_xml *e = tmli_xml_find(m->root, "option"); e && st == TML_OK; e = tmli_xml_next(e))
        st = tmli_xml_numbers(e, "gravity", 3, true, m->gravity, m->r->err);
    return st;
}

// ---- poses ------------------------------------------------------------------------------------------------

static mat3 euler(const tmli_mjcf *m, const double angles[3])
{
    mat3 R = m3_identity();
    for (int i = 0; i < 3; i++) {
        const char c = m->sequence[i];
        const bool fixed = c < 'a';
        const int k = (fixed ? c - 'X' : c - 'x');
        const mat3 one = tmli_robot_about(v3(k == 0, k == 1, k == 2), m->angle * angles[i]);
        R = fixed ? m3_mul(&one, &R) : m3_mul(&R, &one);
    }
    return R;
}

static tml_status fail_length(const tmli_mjcf *m, const tmli_xml *e, const char *key)
{
    return tmli_fail_at(m->r->err, TML_ERR_MODEL, e->at, "<%.60s %s>: a direction has no length.", e->tag,
                        key);
}

static tml_status read_rotation(const tmli_mjcf *m, const tmli_xml *e, mat3 *R)
{
    static const char *const keys[] = {"quat", "axisangle", "xyaxes", "zaxis", "euler"};
    static const int counts[] = {4, 4, 6, 3, 3};
    double x[6] = {0};
    *R = m3_identity();
    for (int k = 0; k < 5; k++) {
        if (!tmli_xml_get(e, keys[k])) continue;
        const tml_status st = tmli_xml_numbers(e, keys[k], counts[k], false, x, m->r->err);
        if (st != TML_OK) return st;
        const vec3 a = v3_from(x), b = v3_from(x + 3);
        const double size = v3_norm(a);
        if (k == 0) {
            const double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
            if (!(length > 0) || !isfinite(length)) return fail_length(m, e, keys[k]);
            const quat q = {x[0] / length, x[1] / length, x[2] / length, x[3] / length};
            *R = q_matrix(q_normalize(q));
        } else if (k == 4) {
            *R = euler(m, x);
        } else if (!(size > 0) || !isfinite(size)) {
            return fail_length(m, e, keys[k]);
        } else if (k == 1) {
            *R = tmli_robot_about(v3_scale(1 / size, a), m->angle * x[3]);
        } else if (k == 3) {
            *R = tmli_robot_towards(v3_scale(1 / size, a));
        } else {
            const vec3 first = v3_scale(1 / size, a), rest = v3_axpy(-v3_dot(first, b), first, b);
            if (!(v3_norm(rest) > 0)) return fail_length(m, e, keys[k]);
            const vec3 second = v3_scale(1 / v3_norm(rest), rest);
            *R = m3_from_cols(first, second, v3_cross(first, second));
        }
        return TML_OK;
    }
    return TML_OK;
}

tml_status tmli_mjcf_pose(const tmli_mjcf *m, const tmli_xml *e, tmli_pose *out)
{
    double p[3] = {0};
    tml_status st = tmli_xml_numbers(e, "pos", 3, true, p, m->r->err);
    out->p = v3_from(p);
    return st == TML_OK ? read_rotation(m, e, &out->r) : st;
}
