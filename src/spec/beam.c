// A beam becomes bodies at its nodes and force elements between them.
//
// The section gives stiffness C and, per length, mass and inertia. Mass and distributed loads are lumped in
// the nodes by the weights of the Lobatto points: exact for the total mass and for constant loads, and as
// accurate as the element.
#include "math/lagrange.h"
#include "spec/beam_curve.h"
#include "spec/beam_parts.h"
#include "spec/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ELEMENTS = 10000 };

// ---- geometry ---------------------------------------------------------------------------------------------

// Section axes with x along `line` and z towards `up`.
static tml_status set_start_axes(const tmli_check *c, tml_beam_def *d, vec3 line)
{
    const vec3 x = v3_scale(1 / v3_norm(line), line);
    if (!d->has_up) v3_store(fabs(x.z) > 0.99 ? v3(0, 1, 0) : v3(0, 0, 1), d->up);
    const vec3 up = v3_from(d->up), across = v3_cross(up, x);
    if (v3_norm(across) < 1e-6 * v3_norm(up))
        return tmli_check_fail(c, TML_ERR_MODEL, "up", "'up' points along the beam, expected across it.");
    const vec3 y = v3_scale(1 / v3_norm(across), across), z = v3_cross(x, y);
    const mat3 R = m3_from_cols(x, y, z);
    q_store(tmli_quat_from_matrix(&R), d->orientation);
    return TML_OK;
}

static tml_status check_points(const tmli_check *c, tml_beam_def *d)
{
    const tml_beam_def standard = tml_beam_def_default();
    const bool oriented = memcmp(d->orientation, standard.orientation, sizeof d->orientation) != 0;
    if (d->has_end || !isnan(d->length) || oriented || v3_norm(v3_from(d->position)) > 0)
        return tmli_check_fail(c, TML_ERR_MODEL, "points",
                               "give either 'points' or 'position' with 'end' or 'length' and "
                               "'orientation', not both.");
    if (d->curvature[1] != 0 || d->curvature[2] != 0)
        return tmli_check_fail(c, TML_ERR_MODEL, "curvature",
                               "the points give the curvature of the beam; only a twist can be added.");
    for (int i = 1; i < d->point_count; i++)
        if (!(v3_norm(v3_sub(v3_from(d->points + 3 * i), v3_from(d->points + 3 * i - 3))) > 0))
            return tmli_check_fail(c, TML_ERR_MODEL, "points", "points %d and %d of the beam are the same.",
                                   i, i + 1);
    tmli_beam_curve curve;
    memcpy(d->position, d->points, sizeof d->position);
    tml_status st = tmli_beam_curve_init(&curve, d, c->env, c->err);
    if (st == TML_OK) {
        d->length = curve.length;
        st = set_start_axes(c, d, tmli_beam_curve_start(&curve));
    }
    tmli_beam_curve_clear(&curve, c->env);
    return st;
}

static tml_status set_axes(const tmli_check *c, tml_beam_def *d)
{
    if (d->point_count > 0) return check_points(c, d);
    if (!d->has_end) {
        if (isnan(d->length))
            return tmli_check_fail(c, TML_ERR_MODEL, "length",
                                   "'length' is missing (or give 'end' or 'points').");
        q_store(q_normalize(q_from(d->orientation)), d->orientation);
        return TML_OK;
    }
    if (!isnan(d->length))
        return tmli_check_fail(c, TML_ERR_MODEL, "length", "give either 'end' or 'length', not both.");
    if (d->curvature[1] != 0 || d->curvature[2] != 0)
        return tmli_check_fail(c, TML_ERR_MODEL, "curvature",
                               "a beam with 'end' is straight; a curved one has 'length' and 'orientation', "
                               "or 'points'.");
    const vec3 line = v3_sub(v3_from(d->end), v3_from(d->position));
    d->length = v3_norm(line);
    if (!(d->length > 0))
        return tmli_check_fail(c, TML_ERR_MODEL, "end", "start and end of the beam are the same point.");
    return set_start_axes(c, d, line);
}

static tml_status check_stations(const tmli_check *c, const tml_beam_def *d)
{
    for (int i = 0; i < d->station_count; i++) {
        if (!(d->stations[i] >= 0 && d->stations[i] <= 1))
            return tmli_check_fail(c, TML_ERR_MODEL, "stations",
                                   "station %d is %g, expected a share of the length, 0 to 1.", i + 1,
                                   d->stations[i]);
        for (int k = 0; k < i; k++)
            if (d->stations[i] != d->stations[k] && fabs(d->stations[i] - d->stations[k]) < 1e-6)
                return tmli_check_fail(c, TML_ERR_MODEL, "stations",
                                       "stations %d and %d are %g of the length apart, expected at least "
                                       "1e-6.",
                                       k + 1, i + 1, fabs(d->stations[i] - d->stations[k]));
    }
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
    if (st == TML_OK) st = check_stations(c, d);
    if (st == TML_OK && d->section != TML_SECTION_GENERAL) st = tmli_beam_complete_section(c, d);
    if (st == TML_OK && !(d->inertia[2] > 0 && (c->planar || (d->inertia[0] > 0 && d->inertia[1] > 0))))
        st = tmli_check_fail(c, TML_ERR_MODEL, "inertia", "the moments of 'inertia' must be > 0.");
    return st == TML_OK ? tmli_beam_check_stiffness(c, d->stiffness6) : st;
}

// ---- the mesh ---------------------------------------------------------------------------------------------

/** Where the elements of a beam end: at all stations, and between them at equal distances. */
typedef struct mesh {
    tml_spec *spec;
    const tml_beam_def *d;
    const tmli_entry *entry;
    tml_error *err;
    tmli_beam_curve curve;
    int elements;
    double *end;  // (elements + 1) lengths along the beam
} mesh;

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Divide spans (of stations) into elements as equal as possible: the next one always goes to the span whose
// elements are the longest.
static tml_status make_mesh(mesh *m)
{
    const tml_beam_def *d = m->d;
    const tml_env *env = &m->spec->env;
    const size_t most = (size_t)d->station_count + 2;
    double *station = tmli_calloc(env, most, sizeof *station);
    int *count = tmli_calloc(env, most, sizeof *count), spans = 0;
    if (!station || !count) goto no_memory;
    station[0] = 0;
    station[1] = 1;
    for (int i = 0; i < d->station_count; i++) station[2 + i] = d->stations[i];
    qsort(station, most, sizeof *station, by_size);
    for (size_t i = 1; i < most; i++)
        if (station[i] > station[spans]) station[++spans] = station[i];
    for (int i = 0; i < spans; i++) count[i] = 1;
    m->elements = spans > d->elements ? spans : d->elements;
    for (int left = m->elements - spans; left > 0; left--) {
        int longest = 0;
        for (int i = 1; i < spans; i++)
            if ((station[i + 1] - station[i]) / count[i] >
                (station[longest + 1] - station[longest]) / count[longest] * (1 + 1e-9))
                longest = i;
        count[longest]++;
    }
    m->end = tmli_calloc(env, (size_t)m->elements + 1, sizeof *m->end);
    if (!m->end) goto no_memory;
    for (int i = 0, e = 0; i < spans; i++)
        for (int k = 0; k < count[i]; k++)
            m->end[++e] =
                d->length * (station[i] + (station[i + 1] - station[i]) * (k + 1) / (double)count[i]);
    tmli_free_all(env, station, count);
    return TML_OK;
no_memory:
    tmli_free_all(env, station, count);
    return tmli_no_memory(m->err, "beam");
}

// ---- expansion --------------------------------------------------------------------------------------------

static tmli_entry entry_of(const mesh *m)
{
    return (tmli_entry){.at = m->entry ? m->entry->at : (tml_mark){0}};
}

static tml_status add_node(const mesh *m, const char *name, double s, double weight)
{
    tml_spec *spec = m->spec;
    const tml_beam_def *d = m->d;
    tml_body_def body = tml_body_def_default();
    vec3 r;
    quat p;
    tmli_beam_curve_at(&m->curve, s, &r, &p);
    const mat3 R = q_matrix(p);
    const vec3 w = v3_from(d->angular_velocity), along = v3_sub(r, v3_from(d->position));
    body.name = name;
    body.mass = d->mass * weight;
    for (int i = 0; i < 6; i++) body.inertia[i] = d->inertia[i] * weight;
    v3_store(r, body.position);
    q_store(p, body.orientation);
    v3_store(v3_add(v3_from(d->velocity), v3_cross(w, along)), body.velocity);
    v3_store(m3_tmulv(&R, w), body.angular_velocity);
    if (spec->planar) {  // exactly in the plane
        body.position[2] = body.velocity[2] = 0;
        body.orientation[1] = body.orientation[2] = 0;
        body.angular_velocity[0] = body.angular_velocity[1] = 0;
        for (int i = 0; i < 6; i++) body.inertia[i] *= i == 2;
    }
    const tmli_entry at = entry_of(m);
    return tmli_spec_add(spec, &tmli_schema_body, &body, &at, m->err);
}

// The frame BEAM.name is the frame of a node.
static tml_status add_frame(const mesh *m, const char *node, const char *name)
{
    tml_frame_def frame = tml_frame_def_default();
    frame.body = node;
    frame.name = name;
    const tmli_entry at = entry_of(m);
    tml_status st = tmli_spec_add(m->spec, &tmli_schema_frame, &frame, &at, m->err);
    if (st == TML_OK) st = tmli_names_reserve(m->spec, m->err);
    if (st != TML_OK) return st;
    tmli_names_put(m->spec, &(tmli_taken){m->d->name, m->spec->frames[m->spec->nframes - 1].def.name, "frame",
                                          at.at, TMLI_SPACE_FRAMES, m->spec->nframes - 1});
    return TML_OK;
}

// The frames of a node at the length s.
static tml_status add_frames(const mesh *m, const char *node, double s)
{
    const double L = m->d->length, near = 1e-9 * L;
    tml_status st = TML_OK;
    if (s == 0) st = add_frame(m, node, "start");
    if (st == TML_OK && fabs(s - L / 2) < near) st = add_frame(m, node, "mid");
    if (st == TML_OK && fabs(s - L) < near) st = add_frame(m, node, "end");
    for (int i = 0; i < m->d->station_count && st == TML_OK; i++) {
        char name[24];
        if (fabs(s - L * m->d->stations[i]) >= near) continue;
        snprintf(name, sizeof name, "s%d", i + 1);
        st = add_frame(m, node, name);
    }
    return st;
}

static tml_status add_element(const mesh *m, int e)
{
    const tml_beam_def *d = m->d;
    tml_force_def f = tml_force_def_default();
    f.name = tmli_arena_format(&m->spec->arena, "%s_e%d", d->name, e + 1);
    f.type = TML_FORCE_BEAM;
    f.frame_count = d->order + 1;
    bool named = f.name != NULL;
    for (int i = 0; i <= d->order; i++) {
        f.frame[i] = tmli_arena_format(&m->spec->arena, "%s_%d", d->name, e * d->order + i);
        named = named && f.frame[i];
    }
    if (!named) return tmli_no_memory(m->err, "beam");
    memcpy(f.section_stiffness, d->stiffness6, sizeof f.section_stiffness);
    f.section_damping = d->damping;
    f.beam_interpolation = d->interpolation;
    f.space_damping[0] = d->mass_damping * d->mass;
    for (int i = 0; i < 3; i++) f.space_damping[1 + i] = d->mass_damping * d->inertia[i];
    const tmli_entry at = entry_of(m);
    return tmli_spec_add(m->spec, &tmli_schema_force, &f, &at, m->err);
}

// out (3) = `weight` times the expressions `text`, in the arena of the spec; 0 stays none.
static bool weigh(tml_spec *spec, const char *const text[3], double weight, const char *out[3])
{
    for (int k = 0; k < 3; k++) {
        char number[32];
        if (!text[k]) continue;
        out[k] = tmli_arena_format(&spec->arena, "%s*(%s)", tmli_dtoa(weight, number), text[k]);
        if (!out[k]) return false;
    }
    return true;
}

// Distributed loads, as forces at a node with the length `weight` of the beam that belongs to it: as exact as
// the element, like its mass.
static tml_status add_loads(const mesh *m, const char *node, int i, double weight)
{
    const tml_beam_def *d = m->d;
    const char *const *const load[2][2] = {{d->load, d->load_moment}, {d->follower_load, d->follower_moment}};
    for (int follower = 0; follower < 2; follower++) {
        tml_force_def f = tml_force_def_default();
        bool any = false;
        for (int k = 0; k < 3; k++) any = any || load[follower][0][k] || load[follower][1][k];
        if (!any) continue;
        f.name = tmli_arena_format(&m->spec->arena, "%s_%s%d", d->name, follower ? "follower" : "load", i);
        f.type = TML_FORCE_APPLIED;
        f.b = node;
        f.body_axes = follower;
        if (!f.name || !weigh(m->spec, load[follower][0], weight, f.force) ||
            !weigh(m->spec, load[follower][1], weight, f.torque))
            return tmli_no_memory(m->err, "beam");
        const tmli_entry at = entry_of(m);
        const tml_status st = tmli_spec_add(m->spec, &tmli_schema_force, &f, &at, m->err);
        if (st != TML_OK) return st;
    }
    return TML_OK;
}

static tml_status add_parts(const mesh *m)
{
    const int order = m->d->order, last = m->elements * order;
    const double *point = tmli_lobatto_point[order + 1], *weight = tmli_lobatto_weight[order + 1];
    tml_status st = TML_OK;
    for (int i = 0; i <= last && st == TML_OK; i++) {
        const int e = i == last ? m->elements - 1 : i / order, k = i - e * order;
        const double half = (m->end[e + 1] - m->end[e]) / 2;  // ds/dxi
        const double s = i == last ? m->d->length : m->end[e] + half * (1 + point[k]);
        double w = half * weight[k];
        if (k == 0 && e > 0) w += (m->end[e] - m->end[e - 1]) / 2 * weight[order];  // two elements share it
        const char *name = tmli_arena_format(&m->spec->arena, "%s_%d", m->d->name, i);
        st = name ? add_node(m, name, s, w) : tmli_no_memory(m->err, "beam");
        if (st == TML_OK) st = add_frames(m, name, s);
        if (st == TML_OK) st = add_loads(m, name, i, w);
    }
    for (int e = 0; e < m->elements && st == TML_OK; e++) st = add_element(m, e);
    return st;
}

tml_status tmli_spec_expand_beam(tml_spec *spec, const void *def, const tmli_entry *entry, tml_error *err)
{
    mesh m = {.spec = spec, .d = def, .entry = entry, .err = err};
    tml_status st = tmli_beam_curve_init(&m.curve, m.d, &spec->env, err);
    if (st == TML_OK) st = make_mesh(&m);
    if (st == TML_OK) st = add_parts(&m);
    tmli_beam_curve_clear(&m.curve, &spec->env);
    tmli_free(&spec->env, m.end);
    return st;
}
