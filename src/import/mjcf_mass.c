// Geoms as shapes, and mass, centre and inertia of bodies: of <inertial>, or of their geoms.
#include "import/mjcf.h"
#include "import/values.h"
#include "spec/mass/integrals.h"

#include <math.h>
#include <string.h>

// ---- geoms ------------------------------------------------------------------------------------------------

static const tmli_xml *find_asset(const tmli_mjcf *m, const char *tag, const char *name)
{
    for (const tmli_xml *a = tmli_xml_find(m->root, "asset"); a; a = tmli_xml_next(a))
        for (const tmli_xml *e = tmli_xml_find(a, tag); e; e = tmli_xml_next(e)) {
            const char *own = tmli_xml_get(e, "name"), *file = tmli_xml_get(e, "file");
            if (own && strcmp(own, name) == 0) return e;
            if (own || !file) continue;  // without a name it has that of its file
            const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file,
                       *dot = strrchr(base, '.');
            const size_t n = dot ? (size_t)(dot - base) : strlen(base);
            if (strlen(name) == n && strncmp(name, base, n) == 0) return e;
        }
    return NULL;
}

static tml_status read_mesh(const tmli_mjcf *m, const tmli_xml *g, tml_shape_def *d, tmli_pose *pose,
                            bool *use)
{
    const tmli_robot *r = m->r;
    const char *name = tmli_xml_get(g, "mesh");
    const tmli_xml *e = name ? find_asset(m, "mesh", name) : NULL;
    double scale[3] = {1, 1, 1}, p[3] = {0}, q[4] = {1, 0, 0, 0};
    const char *file = tmli_xml_get(e, "file");
    if (!e) return tmli_fail_at(r->err, TML_ERR_NAME, g->at, "There is no mesh '%.80s'.", name ? name : "");
    if (!file) return tmli_robot_note(r, e, "mesh '%.80s' is left out: it has no file", name);
    const size_t n = strlen(m->mesh_folder);
    const char *path = tmli_arena_format(r->arena, "%s%s%s", m->mesh_folder,
                                         n > 0 && m->mesh_folder[n - 1] != '/' ? "/" : "", file);
    if (!path) return tmli_no_memory(r->err, "mesh");
    tml_status st = tmli_xml_numbers(e, "scale", 3, true, scale, r->err);
    if (st == TML_OK) st = tmli_xml_numbers(e, "refpos", 3, true, p, r->err);
    if (st == TML_OK) st = tmli_xml_numbers(e, "refquat", 4, true, q, r->err);
    if (st == TML_OK) st = tmli_robot_mesh(r, e, path, scale, d, use);
    const mat3 R = q_matrix(q_normalize(q_from(q))), back = m3_transpose(&R);
    const tmli_pose inner = {back, v3_scale(-1, m3_mulv(&back, v3_from(p)))};
    *pose = tmli_pose_mul(pose, &inner);
    return st;
}

// Place and half length between two points; the z axis points from one to the other.
static tml_status read_ends(const tmli_mjcf *m, const tmli_xml *g, tmli_pose *pose, double *half)
{
    double x[6];
    const tml_status st = tmli_xml_numbers(g, "fromto", 6, false, x, m->r->err);
    if (st != TML_OK) return st;
    const vec3 a = v3_from(x), b = v3_from(x + 3), way = v3_sub(b, a);
    const double length = v3_norm(way);
    if (!(length > 0))
        return tmli_fail_at(m->r->err, TML_ERR_MODEL, g->at, "<%.60s fromto>: the points are equal.", g->tag);
    *half = length / 2;
    *pose = (tmli_pose){tmli_robot_towards(v3_scale(1 / length, way)), v3_scale(0.5, v3_add(a, b))};
    return TML_OK;
}

static tml_status read_size(const tmli_mjcf *m, const tmli_xml *g, const char *type, double half,
                            tml_shape_def *d, bool *use)
{
    double s[3] = {0};
    int found = 0;
    const tml_status st = tmli_xml_list(g, "size", 0, 3, &found, s, m->r->err);
    if (st != TML_OK) return st;
    const bool box = strcmp(type, "box") == 0, ellipsoid = strcmp(type, "ellipsoid") == 0,
               capsule = strcmp(type, "capsule") == 0, cylinder = strcmp(type, "cylinder") == 0;
    if (half > 0 && (capsule || cylinder)) s[1] = half;
    if (half > 0 && (box || ellipsoid)) {
        s[2] = half;
        if (found < 2) s[1] = s[0];
    }
    d->type = box         ? TML_SHAPE_BOX
              : capsule   ? TML_SHAPE_CAPSULE
              : cylinder  ? TML_SHAPE_CYLINDER
              : ellipsoid ? TML_SHAPE_TYPES
                          : TML_SHAPE_SPHERE;
    for (int i = 0; i < 3; i++) d->edges[i] = 2 * s[i];
    d->radius = s[0];
    d->length = 2 * s[1];
    *use =
        s[0] > 0 && (!(box || ellipsoid) || (s[1] > 0 && s[2] > 0)) && (!(capsule || cylinder) || s[1] > 0);
    if (!(box || ellipsoid)) memset(d->edges, 0, sizeof d->edges);
    if (!(capsule || cylinder)) d->length = tml_shape_def_default().length;
    if (box) d->radius = tml_shape_def_default().radius;
    return TML_OK;
}

tml_status tmli_mjcf_geom(const tmli_mjcf *m, const tmli_mjcf_part *p, tml_shape_def *d, tmli_pose *pose,
                          bool *use)
{
    static const char *const known[] = {"sphere", "capsule", "ellipsoid", "cylinder", "box"};
    const tmli_xml *g = p->element;
    const char *type = tmli_xml_get(g, "type");
    double half = 0;
    *d = tml_shape_def_default();
    *use = false;
    if (!type) type = tmli_xml_get(g, "mesh") ? "mesh" : "sphere";
    tml_status st = tmli_mjcf_pose(m, g, pose);
    if (st == TML_OK && tmli_xml_get(g, "fromto")) st = read_ends(m, g, pose, &half);
    if (st != TML_OK) return st;
    if (strcmp(type, "mesh") == 0) {
        st = read_mesh(m, g, d, pose, use);
    } else if (strcmp(type, "plane") == 0) {
        d->type = TML_SHAPE_PLANE;
        *use = true;
    } else {
        int k = 0;
        while (k < 5 && strcmp(type, known[k]) != 0) k++;
        if (k == 5 && strcmp(type, "hfield") != 0 && strcmp(type, "sdf") != 0) {
            const tmli_hint near = tmli_hint_word(type, known, 5);
            return tmli_fail_at(m->r->err, TML_ERR_NAME, g->at,
                                "The type of a geom is '%.60s'%s%s expected plane, hfield, sphere, capsule, "
                                "ellipsoid, cylinder, box, mesh or sdf.",
                                type, near.text, near.text[0] ? ";" : ",");
        }
        if (k == 5) return tmli_robot_note(m->r, g, "a geom of the type %.60s is left out", type);
        if (tmli_xml_get(g, "mesh"))
            return tmli_robot_note(m->r, g, "a %s that is fitted to a mesh is left out", type);
        st = read_size(m, g, type, half, d, use);
        if (st == TML_OK && !*use)
            return tmli_fail_at(m->r->err, TML_ERR_MODEL, g->at,
                                "The size of a %s is not above 0: it has %s, in halves of lengths.", type,
                                k == 0                      ? "a radius"
                                : k == 2 || k == 4          ? "three numbers"
                                : tmli_xml_get(g, "fromto") ? "a radius beside 'fromto'"
                                                            : "a radius and a length");
    }
    *pose = tmli_pose_mul(&p->at, pose);
    return st;
}

// ---- mass -------------------------------------------------------------------------------------------------

// Integrals over a geom in its own axes. *solid: false: it has no volume, or the mesh is not closed.
static tml_status integrate(const tmli_mjcf *m, const tmli_xml *g, const tml_shape_def *d,
                            tmli_integrals *out, bool *solid)
{
    const tmli_robot *r = m->r;
    *solid = true;
    if (d->type == TML_SHAPE_TYPES) {  // an ellipsoid: the second moments are those of a fifth of the volume
        const double *e = d->edges, volume = 0.52359877559829887308 * e[0] * e[1] * e[2];
        *out = (tmli_integrals){.volume = volume};
        for (int i = 0; i < 3; i++) out->second.m[4 * i] = volume / 20 * e[i] * e[i];
        return TML_OK;
    }
    if (d->type != TML_SHAPE_MESH) {
        *solid = tmli_integrals_of_shape(d, false, out);
        return TML_OK;
    }
    tmli_mesh_data mesh = {0};
    tml_error why = {0};
    tml_status st = tmli_mesh_load(d->file, r->places, r->arena->env, &mesh, &why);
    if (st == TML_OK) st = tmli_integrals_of_mesh(&mesh, d->scale, r->arena->env, out, &why);
    tmli_mesh_data_clear(&mesh, r->arena->env);
    *solid = st == TML_OK;
    if (st == TML_ERR_NOMEM) return tmli_no_memory(r->err, "mesh");
    return *solid ? TML_OK : tmli_robot_note(r, g, "a mesh has no mass: %.200s", why.msg);
}

static tml_status add_geom(const tmli_mjcf *m, const tmli_mjcf_part *p, tmli_integrals *sum)
{
    const tmli_xml *g = p->element;
    double mass = NAN, density = 1000, group = 0;
    tml_shape_def d;
    tmli_pose pose;
    tmli_integrals own = {0};
    bool use = false;
    tml_status st = tmli_xml_numbers(g, "mass", 1, true, &mass, m->r->err);
    if (st == TML_OK) st = tmli_xml_numbers(g, "density", 1, true, &density, m->r->err);
    if (st == TML_OK) st = tmli_xml_numbers(g, "group", 1, true, &group, m->r->err);
    if (st != TML_OK || mass == 0 || (isnan(mass) && density == 0) || group < m->group[0] ||
        group > m->group[1])
        return st;
    if (mass < 0 || density < 0)
        return tmli_fail_at(m->r->err, TML_ERR_MODEL, g->at, "A geom has a negative mass or density.");
    st = tmli_mjcf_geom(m, p, &d, &pose, &use);
    if (st == TML_OK && use) st = integrate(m, g, &d, &own, &use);
    if (st != TML_OK || !use || !(own.volume > 0)) return st;
    const double factor = isnan(mass) ? density : mass / own.volume;
    own.volume *= factor;
    own.first = v3_scale(factor, own.first);
    own.second = m3_scale(factor, &own.second);
    tmli_integrals_add(sum, &own, &pose.r, pose.p);
    return TML_OK;
}

static tml_status read_inertial(const tmli_mjcf *m, const tmli_mjcf_part *p, tmli_link *link, tmli_pose *at,
                                mat3 *J)
{
    double d[6] = {0};
    const tmli_xml *e = p->element;
    const bool full = tmli_xml_get(e, "fullinertia") != NULL;
    tml_status st = tmli_mjcf_pose(m, e, at);
    if (st == TML_OK) st = tmli_xml_numbers(e, "mass", 1, false, &link->mass, m->r->err);
    if (st == TML_OK && full) st = tmli_xml_numbers(e, "fullinertia", 6, false, d, m->r->err);
    else if (st == TML_OK) st = tmli_xml_numbers(e, "diaginertia", 3, true, d, m->r->err);
    if (st == TML_OK && link->mass < 0)
        st = tmli_fail_at(m->r->err, TML_ERR_MODEL, e->at, "The mass of body '%.80s' is %g, expected >= 0.",
                          link->given, link->mass);
    *at = tmli_pose_mul(&p->at, at);
    *J = (mat3){{d[0], d[3], d[4], d[3], d[1], d[5], d[4], d[5], d[2]}};
    return st;
}

static tml_status from_geoms(const tmli_mjcf *m, const tmli_mjcf_body *b, tmli_link *link, tmli_pose *at,
                             mat3 *J)
{
    tmli_integrals sum = {0};
    tml_status st = TML_OK;
    for (int i = 0; i < b->nparts && st == TML_OK; i++)
        if (strcmp(b->part[i].element->tag, "geom") == 0) st = add_geom(m, &b->part[i], &sum);
    link->mass = sum.volume;
    if (!(sum.volume > 0)) return st;
    at->p = v3_scale(1 / sum.volume, sum.first);
    const mat3 part = m3_outer(v3_scale(sum.volume, at->p), at->p), minus = m3_scale(-1, &part),
               S = m3_add(&sum.second, &minus);
    *J = m3_scale(-1, &S);
    for (int i = 0; i < 3; i++) J->m[4 * i] += S.m[0] + S.m[4] + S.m[8];  // tr(S) - S
    return st;
}

tml_status tmli_mjcf_weigh(const tmli_mjcf *m, const tmli_mjcf_body *b)
{
    tmli_link *link = &m->r->links[b->link];
    tmli_pose at = tmli_pose_identity();
    const tmli_mjcf_part *own = NULL;
    mat3 J = {{0}};
    tml_status st = TML_OK;
    if (b == m->body) return TML_OK;  // the world
    for (int i = 0; i < b->nparts; i++)
        if (strcmp(b->part[i].element->tag, "inertial") == 0) own = &b->part[i];
    if (own && m->from_geoms < 1) st = read_inertial(m, own, link, &at, &J);
    else if (m->from_geoms >= 0) st = from_geoms(m, b, link, &at, &J);
    if (st != TML_OK) return st;
    link->mass = fmax(link->mass, m->bound_mass);
    for (int i = 0; i < 3; i++) J.m[4 * i] = fmax(J.m[4 * i], m->bound_inertia);
    const tmli_pose place = tmli_pose_mul(&b->inside, &at);
    const mat3 half = m3_mul(&place.r, &J), back = m3_transpose(&place.r);
    link->inertia = m3_mul(&half, &back);
    link->centre = place.p;
    if (m->balance) tmli_robot_mend(&link->inertia);
    return TML_OK;
}

void tmli_mjcf_scale_mass(const tmli_mjcf *m)
{
    double sum = 0;
    for (int i = 0; i < m->r->nlinks; i++) sum += m->r->links[i].mass;
    if (!(m->total_mass > 0 && sum > 0)) return;
    for (int i = 0; i < m->r->nlinks; i++) {
        tmli_link *link = &m->r->links[i];
        link->mass *= m->total_mass / sum;
        link->inertia = m3_scale(m->total_mass / sum, &link->inertia);
    }
}
