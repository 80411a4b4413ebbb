// The forms of an orientation. The result is a unit quaternion p that maps components in the rotated axes to
// the parent axes.
//
// Rotation by the angle a about the unit axis n:  p = (cos a/2, n sin a/2)                           (1)
// Three rotations about body-fixed axes, each after the preceding ones:  p = p1 p2 p3                (2)
// Two axes in parent components: the exact one is normalized, the other made perpendicular to it, the third
// completes a right-handed triad; they are the columns of R                                          (3)
#include "io/yaml.h"
#include "math/math3.h"

#include <string.h>

#include "base/tolerances.h"

static quat rotation_about(vec3 n, double angle)
{
    const double c = cos(angle / 2), s = sin(angle / 2);
    return (quat){c, s * n.x, s * n.y, s * n.z};  // (1)
}

// Normalize a direction. It is scaled first, so that its square neither overflows nor underflows.
static tml_status read_direction(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w, vec3 *out)
{
    double x[3];
    const tml_status st = tmli_value_vector(r, n, w, x);
    if (st != TML_OK) return st;
    const double big = fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2])));
    if (big == 0) return tmli_value_fail(r, n, w, "a direction of length > 0");
    const vec3 v = v3(x[0] / big, x[1] / big, x[2] / big);
    *out = v3_scale(1 / v3_norm(v), v);
    return TML_OK;
}

static tml_status from_euler(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w, quat *out)
{
    const tmli_where w_euler = {w->what, w->name, "euler"}, w_seq = {w->what, w->name, "sequence"};
    const tmli_yaml_node *sequence = tmli_yaml_node_get(n, "sequence");
    const char *order = "zyx";
    double a[3];
    tml_status st = tmli_value_numbers(r, tmli_yaml_node_get(n, "euler"), &w_euler, 3, a);
    if (st == TML_OK && sequence) st = tmli_value_text(r, sequence, &w_seq, &order);
    if (st != TML_OK) return st;
    for (int i = 0; i < 3; i++)
        tmli_value_note_degrees(r, tmli_yaml_node_get(n, "euler")->items[i], &w_euler, a[i]);
    if (strlen(order) != 3 || strspn(order, "xyz") != 3 || order[0] == order[1] || order[1] == order[2])
        return tmli_value_fail(r, sequence ? sequence : n, &w_seq,
                               "three letters of x, y, z, no two adjacent letters equal, such as zxz or zyx");
    static const vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    quat p = {1, 0, 0, 0};
    for (int i = 0; i < 3; i++) p = q_mul(p, rotation_about(axes[order[i] - 'x'], a[i]));  // (2)
    *out = p;
    return TML_OK;
}

static tml_status from_axes(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w, quat *out)
{
    static const char *const keys[3] = {"x", "y", "z"};
    vec3 e[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    bool given[3];
    for (int i = 0; i < 3; i++) {
        const tmli_yaml_node *axis = tmli_yaml_node_get(n, keys[i]);
        const tmli_where wi = {w->what, w->name, keys[i]};
        given[i] = axis != NULL;
        const tml_status st = axis ? read_direction(r, axis, &wi, &e[i]) : TML_OK;
        if (st != TML_OK) return st;
    }
    const int exact = given[2] ? 2 : 0;
    const int other = given[2] ? (given[0] ? 0 : 1) : 1, third = 3 - exact - other;
    vec3 v = v3_axpy(-v3_dot(e[exact], e[other]), e[exact], e[other]);
    if (v3_norm(v) < TMLI_INPUT_ERROR) {
        char where[160];
        return tmli_fail_at(r->err, TML_ERR_MODEL, n->at,
                            "%s: %s and %s are parallel, expected two directions.", tmli_where_text(w, where),
                            keys[other], keys[exact]);
    }
    e[other] = v3_scale(1 / v3_norm(v), v);
    e[third] = v3_cross(e[(third + 1) % 3], e[(third + 2) % 3]);
    const mat3 R = m3_from_cols(e[0], e[1], e[2]);  // (3)
    *out = tmli_quat_from_matrix(&R);
    return TML_OK;
}

static tml_status from_quaternion(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w, quat *out)
{
    const tmli_where wq = {w->what, w->name, "quaternion"};
    double q[4], norm2 = 0;
    const tml_status st = tmli_value_numbers(r, n, &wq, 4, q);
    if (st != TML_OK) return st;
    for (int i = 0; i < 4; i++) norm2 += q[i] * q[i];
    const double least = TMLI_INPUT_ERROR * TMLI_INPUT_ERROR;  // a smaller vector part would have no digits
    if (!(norm2 > least && norm2 * least < 1))
        return tmli_value_fail(r, n, &wq, "four numbers of length near 1");
    *out = q_normalize(q_from(q));
    return TML_OK;
}

static tml_status from_map(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w, quat *out)
{
    const tml_status st = tmli_entry_check_keys(r, &tmli_schema_rotation, -1, w->name, n);
    if (st != TML_OK) return st;
    const tmli_yaml_node *axis = tmli_yaml_node_get(n, "axis"), *angle = tmli_yaml_node_get(n, "angle");
    const tmli_yaml_node *q = tmli_yaml_node_get(n, "quaternion"), *euler = tmli_yaml_node_get(n, "euler");
    const bool sequence = tmli_yaml_node_get(n, "sequence") != NULL;
    if (axis && angle && n->count == 2) {
        const tmli_where wa = {w->what, w->name, "axis"}, wb = {w->what, w->name, "angle"};
        vec3 e;
        double a = 0;
        tml_status ok = read_direction(r, axis, &wa, &e);
        if (ok == TML_OK) ok = tmli_value_number(r, angle, &wb, &a);
        if (ok == TML_OK) tmli_value_note_degrees(r, angle, &wb, a);
        if (ok == TML_OK) *out = rotation_about(e, a);
        return ok;
    }
    if (q && n->count == 1) return from_quaternion(r, q, w, out);
    if (euler && n->count == 1 + (int)sequence) return from_euler(r, n, w, out);
    if (!axis && !angle && !q && !euler && !sequence && n->count == 2) return from_axes(r, n, w, out);
    return tmli_value_fail(
        r, n, w, "one of the forms {axis, angle}, {quaternion}, {euler, sequence} or two of {x, y, z}");
}

tml_status tmli_value_rotation(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w, double out[4])
{
    quat p = {1, 0, 0, 0};
    tml_status st = TML_OK;
    if (n->kind == TMLI_NODE_SCALAR) {
        double angle = 0;
        st = tmli_value_number(r, n, w, &angle);
        if (st == TML_OK) tmli_value_note_degrees(r, n, w, angle);
        p = rotation_about(v3(0, 0, 1), angle);
    } else if (n->kind == TMLI_NODE_MAP) {
        st = from_map(r, n, w, &p);
    } else {
        st = tmli_value_fail(r, n, w, "an angle about z, or a map such as {axis: [0, 0, 1], angle: 30 deg}");
    }
    if (st == TML_OK) q_store(p, out);
    return st;
}
