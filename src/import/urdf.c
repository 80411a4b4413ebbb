// The spec of a robot.
#include "import/robot.h"

#include "import/constants.h"
#include "import/values.h"
#include "spec/schema.h"

#include <math.h>
#include <string.h>

bool tmli_is_xml(const char *text, size_t length)
{
    size_t i = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (i < length && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r')) i++;
    return i < length && text[i] == '<';
}

// ---- frames -----------------------------------------------------------------------------------------------

// Rodrigues' formula; axis of length 1.
mat3 tmli_robot_about(vec3 axis, double angle)
{
    const mat3 K = m3_skew(axis), K2 = m3_mul(&K, &K), a = m3_scale(sin(angle), &K),
               b = m3_scale(1 - cos(angle), &K2), one = m3_identity(), sum = m3_add(&a, &b);
    return m3_add(&one, &sum);
}

// A rotation that takes z to the axis, by the shortest way.
mat3 tmli_robot_towards(vec3 axis)
{
    const vec3 n = v3_cross(v3(0, 0, 1), axis);
    const double size = v3_norm(n);
    if (size < ROTATION_ROUNDOFF && axis.z > 0) return m3_identity();
    if (size < ROTATION_ROUNDOFF) return (mat3){{1, 0, 0, 0, -1, 0, 0, 0, -1}};
    return tmli_robot_about(v3_scale(1 / size, n), atan2(size, axis.z));
}

// The velocity of the child of a joint that has its place.
static void set_velocity(const tmli_link *parent, const tmli_urdf_joint *j, tmli_link *link)
{
    const vec3 axis = m3_mulv(&link->place.r, j->axis), arm = v3_sub(link->place.p, parent->place.p);
    const bool slides = j->kind == TMLI_URDF_PRISMATIC;
    link->velocity =
        v3_add(v3_add(parent->velocity, v3_cross(parent->turn, arm)), m3_mulv(&parent->place.r, j->velocity));
    link->turn = v3_add(parent->turn, m3_mulv(&link->place.r, j->turn));
    if (slides) link->velocity = v3_axpy(j->rate, axis, link->velocity);
    else link->turn = v3_axpy(j->rate, axis, link->turn);
}

void tmli_robot_place(tmli_robot *r)
{
    for (int i = 1; i < r->nlinks; i++) {
        tmli_link *link = &r->links[r->order[i]];
        const tmli_urdf_joint *j = &r->joints[link->parent];
        tmli_pose moved = tmli_pose_identity();
        if (j->kind == TMLI_URDF_REVOLUTE || j->kind == TMLI_URDF_CONTINUOUS)
            moved.r = tmli_robot_about(j->axis, j->start);
        else if (j->kind == TMLI_URDF_PRISMATIC) moved.p = v3_scale(j->start, j->axis);
        const tmli_link *parent = &r->links[j->parent];
        const tmli_pose at = tmli_pose_mul(&parent->place, &j->origin);
        link->place = tmli_pose_mul(&at, &moved);
        set_velocity(parent, j, link);
    }
}

// The pose within a link, in the frame of its body.
static tmli_pose on_body(const tmli_robot *r, const tmli_link *link, const tmli_pose *inside)
{
    const tmli_link *holder = &r->links[link->holder];
    if (link->holder == r->ground) return tmli_pose_mul(&link->place, inside);
    const mat3 back = m3_transpose(&holder->place.r);
    const tmli_pose inverse = {back, v3_scale(-1, m3_mulv(&back, holder->place.p))},
                    here = tmli_pose_mul(&inverse, &link->place);
    tmli_pose at = link == holder ? *inside : tmli_pose_mul(&here, inside);
    at.p = v3_sub(at.p, holder->centre);
    return at;
}

static void store(const tmli_pose *at, double position[3], double orientation[4])
{
    v3_store(at->p, position);
    q_store(tmli_quat_from_matrix(&at->r), orientation);
    for (int i = 0; i < 3; i++) position[i] = tmli_robot_tidy(position[i], 1);
    for (int i = 0; i < 4; i++) orientation[i] = tmli_robot_tidy(orientation[i], 1);
}

static const char *body_name(const tmli_robot *r, const tmli_link *link)
{
    return link->holder == r->ground ? "ground" : r->links[link->holder].name;
}

tml_status tmli_robot_frame(const tmli_robot *r, const tmli_link *link, const tmli_xml *e, const char *name,
                            const tmli_pose *inside, const char **out)
{
    tml_frame_def d = tml_frame_def_default();
    const tmli_entry at = {.at = e->at};
    const tmli_pose place = on_body(r, link, inside);
    d.body = body_name(r, link);
    d.name = name;
    store(&place, d.position, d.orientation);
    const tml_status st = tmli_spec_add(r->spec, &tmli_schema_frame, &d, &at, r->err);
    if (st != TML_OK || !out) return st;
    *out = tmli_arena_format(r->arena, "%s.%s", d.body, name);
    return *out ? TML_OK : tmli_no_memory(r->err, "frame");
}

// ---- bodies -----------------------------------------------------------------------------------------------

// Inertias that are round-off of the program that wrote the file, of either sign.
static tml_status drop_roundoff(const tmli_robot *r, const tmli_link *link, const tmli_xml *where, mat3 *J)
{
    double size = 0;
    for (int i = 0; i < 9; i++) size = fmax(size, fabs(J->m[i]));
    if (!(size > 0 && size <= r->moment && link->mass > 0)) return TML_OK;
    *J = (mat3){{0}};
    return tmli_robot_note(r, where, "the inertia of link '%.80s' is round-off: its mass is in one point",
                           link->given);
}

// Of the centre, in inertial axes, and the angular velocity in those of the body.
static void store_velocity(const tmli_link *link, double velocity[3], double angular[3])
{
    const vec3 arm = m3_mulv(&link->place.r, link->centre),
               v = v3_add(link->velocity, v3_cross(link->turn, arm)),
               w = m3_tmulv(&link->place.r, link->turn);
    const double fast = v3_norm(v) + v3_norm(link->turn) * v3_norm(arm), turning = v3_norm(w);
    v3_store(v, velocity);
    v3_store(w, angular);
    for (int i = 0; i < 3; i++) {
        velocity[i] = velocity[i] == 0 ? 0 : tmli_robot_tidy(velocity[i], fast);
        angular[i] = angular[i] == 0 ? 0 : tmli_robot_tidy(angular[i], turning);
    }
}

static tml_status add_body(const tmli_robot *r, const tmli_link *link)
{
    static const int at[6] = {0, 4, 8, 1, 2, 5};
    const tmli_xml *tensor = tmli_xml_find(link->own, "inertia"), *where = tensor ? tensor : link->element;
    const tmli_field_mark mark = {"inertia", where->at};
    const tmli_entry entry = {.at = link->element->at, .nfields = 1, .fields = &mark};
    tml_body_def d = tml_body_def_default();
    const tmli_pose centre = {m3_identity(), link->centre}, place = tmli_pose_mul(&link->place, &centre);
    double size = 0;
    mat3 J = link->inertia;
    tml_status st = drop_roundoff(r, link, where, &J);
    if (st != TML_OK) return st;
    d.name = link->name;
    d.mass = link->mass;
    store(&place, d.position, d.orientation);
    store_velocity(link, d.velocity, d.angular_velocity);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 9; i++) size = fmax(size, fabs(J.m[i]));
        for (int i = 0; i < 6; i++) d.inertia[i] = tmli_robot_tidy(J.m[at[i]], size);
        const tmli_check c = {.schema = &tmli_schema_body, .name = d.name, .entry = &entry};
        if (k == 1 || !r->def->mend || tmli_check_inertia(&c, &d) == TML_OK) break;
        tmli_robot_mend(&J);
        st = tmli_robot_note(r, where, "the inertia of link '%.80s' was impossible: it is mended",
                             link->given);
        if (st != TML_OK) return st;
    }
    st = tmli_spec_add(r->spec, &tmli_schema_body, &d, &entry, r->err);
    if (st == TML_ERR_MODEL && strstr(r->err->msg, "inertia"))
        tmli_error_append(r->err, "(trammel import --mend takes the nearest possible one.)");
    return st;
}

// ---- joints -----------------------------------------------------------------------------------------------

const char *tmli_robot_coordinate(const tmli_robot *r, const tmli_urdf_joint *j)
{
    return tmli_arena_format(r->arena, "%s.%s", j->name,
                             j->kind == TMLI_URDF_PRISMATIC ? "distance" : "angle");
}

static tml_status add_gear(const tmli_robot *r, const tmli_urdf_joint *j)
{
    tml_joint_def d = tml_joint_def_default();
    const tmli_xml *mimic = tmli_xml_find(j->element, "mimic"), *e = mimic ? mimic : j->element;
    const tmli_entry at = {.at = e->at};
    const char *given = tmli_arena_format(r->arena, "%s_mimic", j->name);
    tml_status st = given ? tmli_robot_name(r, e, given, "joint", &d.name) : tmli_no_memory(r->err, "joint");
    d.type = TML_JOINT_GEAR;
    d.first = tmli_robot_coordinate(r, j);
    d.second = tmli_robot_coordinate(r, &r->joints[j->leader]);
    d.ratio = j->ratio;
    if (st == TML_OK) st = tmli_spec_add(r->spec, &tmli_schema_joint, &d, &at, r->err);
    return st;
}

// The torque or force of a motor: an input within the limits of the effort.
static tml_status add_motor(const tmli_robot *r, const tmli_urdf_joint *j, double effort, tml_joint_def *d)
{
    tml_input_def input = tml_input_def_default();
    const tmli_entry at = {.at = j->element->at};
    const char *given = tmli_arena_format(r->arena, "tau_%s", j->name);
    char most[32];
    tml_status st =
        given ? tmli_robot_name(r, j->element, given, "input", &input.name) : tmli_no_memory(r->err, "input");
    if (st != TML_OK) return st;
    input.unit = j->kind == TMLI_URDF_PRISMATIC ? "N" : "N m";
    tmli_dtoa(effort, most);
    d->drive =
        effort > 0 ? tmli_arena_format(r->arena, "clamp(%s, -%s, %s)", input.name, most, most) : input.name;
    st = d->drive ? TML_OK : tmli_no_memory(r->err, "input");
    return st == TML_OK ? tmli_spec_add(r->spec, &tmli_schema_input, &input, &at, r->err) : st;
}

// Damping, friction, limits and the motor.
static tml_status add_laws(const tmli_robot *r, const tmli_urdf_joint *j, tml_joint_def *d)
{
    const tmli_xml *limit = tmli_xml_find(j->element, "limit");
    double effort = 0;
    tml_status st = limit ? tmli_xml_numbers(limit, "effort", 1, true, &effort, r->err) : TML_OK;
    d->damping = j->damping;
    d->armature = j->armature;
    d->stiffness = j->stiffness;
    if (j->stiffness != 0) d->free = j->spring;
    d->drive = j->drive;
    d->has_friction = j->friction != 0;
    if (d->has_friction) d->friction.coulomb = j->friction;
    d->has_limits = j->limited;
    if (j->limited) {
        d->limits.lower = j->lower;
        d->limits.upper = j->upper;
        d->limits.restitution = 0;
    }
    const bool driven = r->def->motors && !j->drive && j->kind != TMLI_URDF_PLANAR &&
                        j->kind != TMLI_URDF_BALL && j->leader < 0;
    return st == TML_OK && driven ? add_motor(r, j, effort, d) : st;
}

static tml_status add_joint(const tmli_robot *r, const tmli_urdf_joint *j)
{
    static const tml_joint_type types[TMLI_URDF_KINDS] = {
        TML_JOINT_REVOLUTE, TML_JOINT_REVOLUTE, TML_JOINT_PRISMATIC, TML_JOINT_FIXED,
        TML_JOINT_FIXED,    TML_JOINT_PLANAR,   TML_JOINT_SPHERICAL};
    static const double half_turn = 3.141592653589793;
    const tmli_link *parent = &r->links[j->parent], *child = &r->links[j->child];
    const bool fixed = j->held || j->kind == TMLI_URDF_FIXED;
    if ((j->kind == TMLI_URDF_FLOATING && !j->held) || parent->holder == child->holder) return TML_OK;
    const tmli_entry at = {.at = j->element->at};
    tml_joint_def d = tml_joint_def_default();
    tmli_pose turn = tmli_pose_identity(), origin = j->origin;
    if (!fixed) turn.r = tmli_robot_towards(j->axis);
    if (j->held && j->kind == TMLI_URDF_PRISMATIC) turn.p = v3_scale(j->start, j->axis);
    if (j->held && j->kind != TMLI_URDF_PRISMATIC) turn.r = tmli_robot_about(j->axis, j->start);
    origin = tmli_pose_mul(&origin, &turn);
    if (j->held) turn = tmli_pose_identity();
    d.name = j->name;
    d.type = fixed ? TML_JOINT_FIXED : types[j->kind];
    tml_status st = tmli_robot_frame(r, parent, j->element, j->name, &origin, &d.a);
    if (st == TML_OK) st = tmli_robot_frame(r, child, j->element, j->name, &turn, &d.b);
    if (d.type == TML_JOINT_REVOLUTE && fabs(j->start) > half_turn) d.angle = j->start;
    if (st == TML_OK && !fixed) st = add_laws(r, j, &d);
    if (st == TML_OK) st = tmli_spec_add(r->spec, &tmli_schema_joint, &d, &at, r->err);
    return st;
}

// ---- the robot --------------------------------------------------------------------------------------------

// What the file gives and the model has no place for, once.
static tml_status note_limits(const tmli_robot *r)
{
    static const char *const keys[] = {"velocity", "effort"};
    static const char *const what[] = {"limits of velocities are left out",
                                       "limits of efforts are left out: no joint has a motor (--motors)"};
    tml_status st = TML_OK;
    for (int k = 0; k < (r->def->motors ? 1 : 2) && st == TML_OK; k++)
        for (int i = 0; i < r->njoints; i++) {
            const tmli_xml *e = tmli_xml_find(r->joints[i].element, "limit");
            if (!e || !tmli_xml_get(e, keys[k])) continue;
            st = tmli_robot_note(r, e, "%s", what[k]);
            break;
        }
    return st;
}

tml_status tmli_robot_add(const tmli_robot *r)
{
    tml_status st = TML_OK;
    for (int i = 0; i < r->nlinks && st == TML_OK; i++)
        if (r->links[r->order[i]].holder == r->order[i] && r->order[i] != r->ground)
            st = add_body(r, &r->links[r->order[i]]);
    for (int i = 0; i < r->njoints && st == TML_OK; i++) st = add_joint(r, &r->joints[i]);
    for (int i = 0; i < r->njoints && st == TML_OK; i++)  // after both of its joints
        if (r->joints[i].leader >= 0) st = add_gear(r, &r->joints[i]);
    return st;
}

// Links without mass on a body that moves, such as the tip of a tool: frames of it with their names.
static tml_status add_frames(const tmli_robot *r)
{
    const tmli_pose here = tmli_pose_identity();
    tml_status st = TML_OK;
    for (int i = 0; i < r->nlinks && st == TML_OK; i++) {
        const tmli_link *link = &r->links[r->order[i]];
        if (link->holder == r->order[i] || link->holder == r->ground) continue;
        st = tmli_robot_frame(r, link, link->element, link->name, &here, NULL);
    }
    return st;
}

static tml_status add_all(tmli_robot *r)
{
    const double gravity[3] = {0, 0, -9.81};
    tml_spec_set_gravity(r->spec, gravity);
    tml_status st = tmli_robot_add(r);
    if (st == TML_OK) st = add_frames(r);
    for (int i = 0; i < r->nlinks && !r->touching; i++)
        r->touching = tmli_xml_find(r->links[i].element, "collision") != NULL;
    for (int i = 0; i < r->nlinks && st == TML_OK; i++) st = tmli_robot_shapes(r, &r->links[r->order[i]]);
    return st == TML_OK ? note_limits(r) : st;
}

static tml_status set_run(tmli_robot *r)
{
    tml_run_def run = tml_run_def_default();
    run.end = 5;
    run.output_step = 0.01;
    return tml_spec_set_run(r->spec, &run, r->err);
}

static tml_status set_title(tmli_robot *r, const char *key)
{
    const char *name = tmli_xml_get(r->root, key);
    char *title = tmli_arena_strdup(r->arena, name ? name : "");
    if (!title) return tmli_no_memory(r->err, "title");
    tmli_clean(title);
    return tml_spec_set_title(r->spec, title, r->err);
}

// Whether an element tells xacro how to make a file. What it has left where it found no such macro is left
// out, as all that is not understood.
static bool is_for_xacro(const char *tag)
{
    static const char *const words[] = {"include", "macro",   "property",  "arg",          "if",
                                        "unless",  "element", "attribute", "insert_block", "call"};
    if (strncmp(tag, "xacro:", 6) != 0) return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(tag + 6, words[i]) == 0) return true;
    return false;
}

static tml_status check_xacro(const tmli_robot *r, const tmli_xml *e)
{
    tml_status st = TML_OK;
    if (is_for_xacro(e->tag) || (strncmp(e->tag, "xacro:", 6) == 0 && !tmli_xml_find(r->root, "link")))
        return tmli_fail_at(r->err, TML_ERR_SYNTAX, e->at,
                            "<%.60s> is for xacro, which makes URDF files: expand the file first (xacro "
                            "FILE.xacro -o FILE.urdf).",
                            e->tag);
    if (strncmp(e->tag, "xacro:", 6) == 0)
        return tmli_robot_note(r, e, "<%.60s> is left out: xacro has not expanded it", e->tag);
    for (const tmli_xml *c = e->first; c && st == TML_OK; c = c->next) st = check_xacro(r, c);
    return st;
}

static tml_status read_robot(tmli_robot *r)
{
    tml_status st = check_xacro(r, r->root);
    const bool mjcf = strcmp(r->root->tag, "mujoco") == 0;
    if (st == TML_OK) st = set_run(r);
    if (st == TML_OK) st = set_title(r, mjcf ? "model" : "name");
    if (st != TML_OK) return st;
    if (mjcf) return tmli_mjcf_read(r);
    if (strcmp(r->root->tag, "robot") != 0)
        return tmli_fail_at(r->err, TML_ERR_SYNTAX, r->root->at,
                            "The file holds <%.60s>, expected <robot>, a URDF file, or <mujoco>, an "
                            "MJCF file.",
                            r->root->tag);
    st = tmli_robot_read(r);
    if (st != TML_OK) return st;
    r->ground = r->def->floating ? -1 : r->first;
    if (r->ground >= 0 && r->links[r->ground].mass > 0)
        st = tmli_robot_note(r, r->links[r->ground].element,
                             "link '%.80s' is the ground (--floating: nothing holds it)",
                             r->links[r->ground].given);
    tmli_robot_place(r);
    if (st == TML_OK) st = tmli_robot_weigh(r);
    return st == TML_OK ? add_all(r) : st;
}

tml_import_def tml_import_def_default(void) { return (tml_import_def){.size = sizeof(tml_import_def)}; }

tml_status tmli_import(const tml_import_def *def, const char *text, size_t length, const tmli_places *places,
                       const char *folder, const tml_env *env, tml_spec **out, tml_error *err)
{
    tmli_arena arena = {.env = env};
    tmli_robot r = {.def = def, .places = places, .folder = folder, .arena = &arena, .err = err};
    tmli_xml *root = NULL;
    *out = NULL;
    tml_status st = tmli_xml_parse(text, length, def->path, &arena, &root, err);
    r.root = root;
    if (st == TML_OK) st = tml_spec_create(env, &r.spec, err);
    if (st == TML_OK) st = tml_spec_create(env, &r.taken, err);
    if (st == TML_OK) st = read_robot(&r);
    if (st == TML_OK) *out = r.spec;
    else tml_spec_destroy(r.spec);
    tml_spec_destroy(r.taken);
    tmli_arena_clear(&arena);
    return st;
}
