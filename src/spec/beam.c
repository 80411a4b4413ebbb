// A beam becomes bodies at its nodes and force elements between them.
//
// The section gives stiffness C and, per length, mass and inertia. Its mass is lumped in the nodes by the
// weights of the Lobatto points: exact for the total mass and for constant loads, and as accurate as the
// element. With constant twist and curvatures k, the shape without stress is R(s) = R0 exp(s k~),
// r(s) = r0 + R0 T(-s k) e_x s with the tangent operator T of the exponential.
#include "math/lagrange.h"
#include "math/math3.h"
#include "spec/names.h"
#include "spec/schema.h"

#include <stdio.h>
#include <string.h>

enum { MAX_ELEMENTS = 10000 };
static const double pi = 3.14159265358979323846;

// ---- sections ---------------------------------------------------------------------------------------------

typedef struct section {
    double A, Iy, Iz, J;  // area, second moments about y and z, torsion constant [m^2, m^4]
    double ky, kz;        // shear factors
} section;

// Torsion constant of a rectangle with the sides a >= b (Saint-Venant's series).
static double torsion_of_rectangle(double a, double b)
{
    double sum = 0;
    for (int n = 1; n < 40; n += 2) sum += tanh(n * pi * a / (2 * b)) / pow(n, 5);
    return a * b * b * b / 3 * (1 - 192 * b / (pow(pi, 5) * a) * sum);
}

static section section_of(const tml_beam_def *d, double nu)
{
    const double b = d->width, h = d->height, r = d->radius;
    section s = {0};
    if (d->section == TML_SECTION_RECTANGLE) {
        s = (section){.A = b * h, .Iy = b * h * h * h / 12, .Iz = h * b * b * b / 12};
        s.J = torsion_of_rectangle(fmax(b, h), fmin(b, h));
        s.ky = s.kz = 10 * (1 + nu) / (12 + 11 * nu);  // Cowper
    } else if (d->section == TML_SECTION_I) {
        const double t = d->flange, inner = h - 2 * t, w = d->web;
        s.A = 2 * b * t + inner * w;
        s.Iy = (b * h * h * h - (b - w) * inner * inner * inner) / 12;
        s.Iz = (2 * t * b * b * b + inner * w * w * w) / 12;
        s.J = (2 * b * t * t * t + (h - t) * w * w * w) / 3;  // thin walls
        s.ky = 5 / 6.0 * 2 * b * t / s.A;                     // the flanges carry shear along y
        s.kz = (h - t) * w / s.A;                             // the web that along z
    } else {
        const double i = d->section == TML_SECTION_TUBE ? d->inner_radius : 0, m = i / r;
        const double q = (1 + m * m) * (1 + m * m);
        s.A = pi * (r * r - i * i);
        s.Iy = s.Iz = pi * (pow(r, 4) - pow(i, 4)) / 4;
        s.J = 2 * s.Iy;
        s.ky = s.kz = 6 * (1 + nu) * q / ((7 + 6 * nu) * q + (20 + 12 * nu) * m * m);  // Cowper
    }
    return s;
}

static const double material_values[TML_MATERIALS][3] = {[TML_MATERIAL_NONE] = {NAN, NAN, NAN},
                                                         [TML_MATERIAL_STEEL] = {210e9, 0.3, 7850},
                                                         [TML_MATERIAL_ALUMINIUM] = {70e9, 0.33, 2700},
                                                         [TML_MATERIAL_TITANIUM] = {114e9, 0.34, 4430}};

// Stiffness, mass and inertia of a section that is given by its form and material.
static tml_status complete_section(const tmli_check *c, tml_beam_def *d)
{
    static const char *const key[3] = {"E", "nu", "density"};
    double *const value[3] = {&d->youngs_modulus, &d->poisson, &d->density};
    for (int i = 0; i < 3; i++) {
        if (isnan(*value[i])) *value[i] = material_values[d->material][i];
        if (isnan(*value[i]))
            return tmli_check_fail(c, TML_ERR_MODEL, key[i], "'%s' is missing (or give a material).", key[i]);
    }
    const double E = d->youngs_modulus, nu = d->poisson, G = E / (2 * (1 + nu));
    if (!(nu > -1 && nu <= 0.5))
        return tmli_check_fail(c, TML_ERR_MODEL, "nu", "'nu' is %g, expected a number from -1 to 0.5.", nu);
    if (d->section == TML_SECTION_TUBE && d->inner_radius >= d->radius)
        return tmli_check_fail(c, TML_ERR_MODEL, "inner_radius",
                               "'inner_radius' is %g, expected less than 'radius', %g.", d->inner_radius,
                               d->radius);
    if (d->section == TML_SECTION_I && (2 * d->flange >= d->height || d->web > d->width))
        return tmli_check_fail(c, TML_ERR_MODEL, 2 * d->flange >= d->height ? "flange" : "web",
                               "the parts of the section do not fit into its width %g and height %g.",
                               d->width, d->height);
    const section s = section_of(d, nu);
    const double diagonal[6] = {E * s.A, s.ky * G * s.A, s.kz * G * s.A, G * s.J, E * s.Iy, E * s.Iz};
    for (int i = 0; i < 6; i++) d->stiffness6[7 * i] = diagonal[i];
    d->mass = d->density * s.A;
    d->inertia[0] = d->density * (s.Iy + s.Iz);
    d->inertia[1] = d->density * s.Iy;
    d->inertia[2] = d->density * s.Iz;
    return TML_OK;
}

// A symmetric matrix is positive definite: elimination without pivots.
static tml_status check_stiffness(const tmli_check *c, const double *C)
{
    double A[36];
    memcpy(A, C, sizeof A);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < i; k++)
            if (fabs(C[6 * i + k] - C[6 * k + i]) > 1e-9 * sqrt(fabs(C[7 * i] * C[7 * k])))
                return tmli_check_fail(
                    c, TML_ERR_MODEL, "stiffness",
                    "'stiffness' is not symmetric: entries (%d, %d) and (%d, %d) are %g and "
                    "%g.",
                    i + 1, k + 1, k + 1, i + 1, C[6 * i + k], C[6 * k + i]);
    for (int p = 0; p < 6; p++) {
        if (!(A[7 * p] > 1e-12 * C[7 * p]) || !(C[7 * p] > 0))
            return tmli_check_fail(c, TML_ERR_MODEL, "stiffness",
                                   "'stiffness' is not positive definite (entry %d).", p + 1);
        for (int i = p + 1; i < 6; i++)
            for (int k = p + 1; k < 6; k++) A[6 * i + k] -= A[6 * i + p] * A[6 * p + k] / A[7 * p];
    }
    return TML_OK;
}

// ---- geometry ---------------------------------------------------------------------------------------------

static tml_status set_axes(const tmli_check *c, tml_beam_def *d)
{
    if (!d->has_end) {
        if (isnan(d->length))
            return tmli_check_fail(c, TML_ERR_MODEL, "length", "'length' is missing (or give 'end').");
        q_store(q_normalize(q_from(d->orientation)), d->orientation);
        return TML_OK;
    }
    if (!isnan(d->length))
        return tmli_check_fail(c, TML_ERR_MODEL, "length", "give either 'end' or 'length', not both.");
    if (d->curvature[1] != 0 || d->curvature[2] != 0)
        return tmli_check_fail(c, TML_ERR_MODEL, "curvature",
                               "a beam with 'end' is straight; a curved one has 'length' and 'orientation'.");
    const vec3 line = v3_sub(v3_from(d->end), v3_from(d->position));
    d->length = v3_norm(line);
    if (!(d->length > 0))
        return tmli_check_fail(c, TML_ERR_MODEL, "end", "start and end of the beam are the same point.");
    const vec3 x = v3_scale(1 / d->length, line);
    if (!d->has_up) v3_store(fabs(x.z) > 0.99 ? v3(0, 1, 0) : v3(0, 0, 1), d->up);
    const vec3 up = v3_from(d->up), across = v3_cross(up, x);
    if (v3_norm(across) < 1e-6 * v3_norm(up))
        return tmli_check_fail(c, TML_ERR_MODEL, "up", "'up' points along the beam, expected across it.");
    const vec3 y = v3_scale(1 / v3_norm(across), across), z = v3_cross(x, y);
    const mat3 R = m3_from_cols(x, y, z);
    q_store(tmli_quat_from_matrix(&R), d->orientation);
    return TML_OK;
}

tml_status tmli_spec_check_beam(const tmli_check *c, void *def)
{
    tml_beam_def *const d = def;
    if (d->order < 1 || d->order > 3)
        return tmli_check_fail(c, TML_ERR_MODEL, "order", "'order' is %d, expected 1, 2 or 3.", d->order);
    if (d->elements > MAX_ELEMENTS)
        return tmli_check_fail(c, TML_ERR_MODEL, "elements", "'elements' is %d, expected at most %d.",
                               d->elements, MAX_ELEMENTS);
    tml_status st = set_axes(c, d);
    if (st == TML_OK && d->section != TML_SECTION_GENERAL) st = complete_section(c, d);
    if (st == TML_OK && !(d->inertia[2] > 0 && (c->planar || (d->inertia[0] > 0 && d->inertia[1] > 0))))
        st = tmli_check_fail(c, TML_ERR_MODEL, "inertia", "the moments of 'inertia' must be > 0.");
    return st == TML_OK ? check_stiffness(c, d->stiffness6) : st;
}

// ---- expansion --------------------------------------------------------------------------------------------

static tml_status add_node(tml_spec *spec, const tml_beam_def *d, const char *name, double s, double weight,
                           const tmli_entry *entry, tml_error *err)
{
    tml_body_def body = tml_body_def_default();
    const mat3 R0 = q_matrix(q_from(d->orientation));
    const vec3 turn = v3_scale(s, v3_from(d->curvature));
    const mat3 T = tmli_so3_tangent(v3_scale(-1, turn));
    const vec3 along = m3_mulv(&R0, v3_scale(s, m3_mulv(&T, v3(1, 0, 0))));
    const quat p = q_mul(q_from(d->orientation), tmli_so3_exp(turn));
    const mat3 R = q_matrix(p);
    const vec3 w = v3_from(d->angular_velocity);
    body.name = name;
    body.mass = d->mass * weight;
    for (int i = 0; i < 6; i++) body.inertia[i] = d->inertia[i] * weight;
    v3_store(v3_add(v3_from(d->position), along), body.position);
    q_store(p, body.orientation);
    v3_store(v3_add(v3_from(d->velocity), v3_cross(w, along)), body.velocity);
    v3_store(m3_tmulv(&R, w), body.angular_velocity);
    if (spec->planar) {  // exactly in the plane
        body.position[2] = body.velocity[2] = 0;
        body.orientation[1] = body.orientation[2] = 0;
        body.angular_velocity[0] = body.angular_velocity[1] = 0;
        for (int i = 0; i < 6; i++) body.inertia[i] *= i == 2;
    }
    const tmli_entry at = {entry ? entry->at : (tml_mark){0}, 0, NULL};
    return tmli_spec_add(spec, &tmli_schema_body, &body, &at, err);
}

// The frame BEAM.name is the frame of a node.
static tml_status add_frame(tml_spec *spec, const char *beam, const char *node, const char *name,
                            const tmli_entry *entry, tml_error *err)
{
    tml_frame_def frame = tml_frame_def_default();
    frame.body = node;
    frame.name = name;
    const tmli_entry at = {entry ? entry->at : (tml_mark){0}, 0, NULL};
    tml_status st = tmli_spec_add(spec, &tmli_schema_frame, &frame, &at, err);
    if (st == TML_OK) st = tmli_names_reserve(spec, err);
    if (st != TML_OK) return st;
    tmli_names_put(spec, &(tmli_taken){beam, name, "frame", at.at, TMLI_SPACE_FRAMES, spec->nframes - 1});
    return TML_OK;
}

static tml_status add_element(tml_spec *spec, const tml_beam_def *d, int e, const tmli_entry *entry,
                              tml_error *err)
{
    tml_force_def f = tml_force_def_default();
    char name[160], node[4][160];
    snprintf(name, sizeof name, "%.120s_e%d", d->name, e + 1);
    f.name = name;
    f.type = TML_FORCE_BEAM;
    f.frame_count = d->order + 1;
    for (int i = 0; i <= d->order; i++) {
        snprintf(node[i], sizeof node[i], "%.120s_%d", d->name, e * d->order + i);
        f.frame[i] = node[i];
    }
    memcpy(f.section_stiffness, d->stiffness6, sizeof f.section_stiffness);
    f.section_damping = d->damping;
    f.space_damping[0] = d->mass_damping * d->mass;
    for (int i = 0; i < 3; i++) f.space_damping[1 + i] = d->mass_damping * d->inertia[i];
    const tmli_entry at = {entry ? entry->at : (tml_mark){0}, 0, NULL};
    return tmli_spec_add(spec, &tmli_schema_force, &f, &at, err);
}

tml_status tmli_spec_expand_beam(tml_spec *spec, const void *def, const tmli_entry *entry, tml_error *err)
{
    const tml_beam_def *const d = def;
    const int order = d->order, last = d->elements * order;
    const double *point = tmli_lobatto_point[order + 1], *weight = tmli_lobatto_weight[order + 1];
    const double half = d->length / d->elements / 2;  // ds/dxi
    tml_status st = TML_OK;
    char name[160];
    for (int i = 0; i <= last && st == TML_OK; i++) {
        const int e = i == last ? d->elements - 1 : i / order, k = i - e * order;
        double w = half * weight[k];
        if (k == 0 && e > 0) w += half * weight[order];  // two elements share the node
        snprintf(name, sizeof name, "%.120s_%d", d->name, i);
        st = add_node(spec, d, name, half * (2 * e + 1 + point[k]), w, entry, err);
        if (st == TML_OK && i == 0) st = add_frame(spec, d->name, name, "start", entry, err);
        if (st == TML_OK && i == last) st = add_frame(spec, d->name, name, "end", entry, err);
        if (st == TML_OK && 2 * i == last) st = add_frame(spec, d->name, name, "mid", entry, err);
    }
    for (int e = 0; e < d->elements && st == TML_OK; e++) st = add_element(spec, d, e, entry, err);
    return st;
}
