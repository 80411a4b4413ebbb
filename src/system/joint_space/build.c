// The system in joint coordinates from a model: tree, loops, names, pattern.
#include "base/parts.h"
#include "linalg/pattern/pattern.h"
#include "system/joint_space/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "system/joint_space/constants.h"

// An element with inertia between its nodes that is not along a coordinate; NULL: there is none.
static const tmli_force *other_inertia(const tml_model *m)
{
    for (int i = 0; i < m->nforces && m->has_inertia; i++)
        if (m->force[i].ops->mass && m->force[i].use < 0) return &m->force[i];
    return NULL;
}

bool tmli_joint_space_possible(const tml_system *sys)
{
    const tml_model *m = tmli_mb_model(sys);
    return m && m->nz == 0 && !m->level && m->max_diagonal_slots == 0 && !other_inertia(m) && !m->loads;
}

tmli_joint_space_info tmli_joint_space_describe(const tml_system *sys)
{
    const tmli_joint_space *s = sys->self;
    return (tmli_joint_space_info){s->njoints, s->depth, s->nloops, s->m};
}

// ---- names ------------------------------------------------------------------------------------------------

static const char *coordinate_name(const tml_system *sys, int i, char *buf, size_t size)
{
    static const char *const free_names[6] = {"x", "y", "z", "rx", "ry", "rz"};
    const tmli_joint_space *s = sys->self;
    const tmli_tree_joint *b = &s->joint[s->joint_of_node[s->node_of[i]]];
    const int k = i - b->first;
    if (b->constraint < 0) {
        const int name = k < b->nslide ? k : s->planar ? 5 : 3 + k - b->nslide;
        snprintf(buf, size, "%s.%s", s->model->node[b->node].name, free_names[name]);
        return buf;
    }
    const tmli_constraint *c = &s->model->constraint[b->constraint];
    const bool slide = k < b->nslide;
    const int turns = b->nu - b->nslide, number = slide ? k + 1 : k - b->nslide + 1;
    if ((slide ? b->nslide : turns) == 1) snprintf(buf, size, "%s.%s", c->name, slide ? "distance" : "angle");
    else snprintf(buf, size, "%s.%s%d", c->name, slide ? "distance" : "angle", number);
    return buf;
}

// The row of the base that is row r here.
static int base_row(const tmli_joint_space *s, int r)
{
    int i = 0;
    while (r >= s->loop[i].first + s->loop[i].nrows) i++;
    return s->model->constraint[s->loop[i].constraint].first + s->loop[i].keep + r - s->loop[i].first;
}

static const char *row_name(const tml_system *sys, int r, char *buf, size_t size)
{
    const tmli_joint_space *s = sys->self;
    return s->base->row_name(s->base, base_row(s, r), buf, size);
}

static const char *row_unit(const tml_system *sys, int r)
{
    const tmli_joint_space *s = sys->self;
    return s->base->row_unit(s->base, base_row(s, r));
}

static const char *mode_name(const tml_system *sys, int i, char *buf, size_t size)
{
    const tmli_joint_space *s = sys->self;
    return s->base->mode_name(s->base, i, buf, size);
}

// ---- tables -----------------------------------------------------------------------------------------------

// Every coordinate is a group of its own: a fast spin must not hide errors of a slow tilt, which moves the
// centre of mass.
static bool index_coordinates(tmli_joint_space *s)
{
    const size_t n = (size_t)s->n + 1;
    if (!tmli_arena_alloc_all(&s->arena, TMLI_ARRAY(s->kind, n), TMLI_ARRAY(s->node_of, n),
                              TMLI_ARRAY(s->group, n), TMLI_ARRAY(s->ball, (size_t)s->njoints)))
        return false;
    for (int i = 0; i < s->njoints; i++) {
        const tmli_tree_joint *b = &s->joint[i];
        if (b->rotation == TMLI_ROTATION_BALL) s->ball[s->nballs++] = b->first + b->nslide;
        for (int k = 0; k < b->nu; k++) {
            s->kind[b->first + k] = b->state        ? TML_COORDINATE_STATE
                                    : k < b->nslide ? TML_COORDINATE_TRANSLATION
                                                    : TML_COORDINATE_ROTATION;
            s->node_of[b->first + k] = b->node;
            s->group[b->first + k] = b->first + k;
        }
    }
    return true;
}

// Levels of the rows, and switches with their rows here.
static bool index_switches(tmli_joint_space *s)
{
    const tml_model *m = s->model;
    if (!m->level) return true;
    const size_t rows = (size_t)s->m + 1;
    if (!tmli_arena_alloc_all(&s->arena, TMLI_ARRAY(s->level, rows), TMLI_ARRAY(s->switch_of_row, rows),
                              TMLI_ARRAY(s->switches, (size_t)s->base->nmode + 1)))
        return false;
    for (int i = 0; i < s->base->nmode; i++) {
        s->switches[i] = s->base->switches[i];
        s->switches[i].row = -1;
    }
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *p = &s->loop[i];
        const int first = m->constraint[p->constraint].first + p->keep;
        for (int r = 0; r < p->nrows; r++) {
            const int mode = s->base->switch_of_row ? s->base->switch_of_row[first + r] : -1;
            s->level[p->first + r] = m->level[first + r];
            s->switch_of_row[p->first + r] = mode;
            if (mode >= 0) s->switches[mode].row = p->first + r;
        }
    }
    return true;
}

// Bodies of one tree, which its inertia couples, and the trees that elastic elements join.
static bool find_parts(tmli_joint_space *s)
{
    const tml_model *m = s->model;
    s->part = tmli_arena_alloc(&s->arena, (size_t)s->n + 1, sizeof *s->part);
    int *tree = tmli_calloc(&s->env, 2 * (size_t)s->njoints + (size_t)m->n + 1, sizeof *tree);
    if (!s->part || !tree) {
        tmli_free(&s->env, tree);
        return false;
    }
    int *lowest = tree + s->njoints;   // coordinate of a tree
    int *joint = lowest + s->njoints;  // by the part of the model: one with a body of it; -1: none yet
    for (int j = 0; j < m->n; j++) joint[j] = -1;
    for (int i = 0; i < s->njoints; i++) {
        tree[i] = i;
        if (s->joint[i].parent >= 0) tmli_parts_join(tree, i, s->joint[i].parent);
        const tmli_node *node = &m->node[s->joint[i].node];
        if (node->ncoords == 0) continue;
        int *other = &joint[m->part[node->first]];
        if (*other >= 0) tmli_parts_join(tree, i, *other);
        *other = i;
    }
    for (int i = 0; i < s->njoints; i++) lowest[i] = -1;
    for (int j = 0; j < s->n; j++) {
        int *of = &lowest[tmli_part_of(tree, s->joint_of_node[s->node_of[j]])];
        if (*of < 0) *of = j;
        s->part[j] = *of;
    }
    tmli_free(&s->env, tree);
    return true;
}

static void mark_used(tmli_joint_space *s, const tmli_plan *p)
{
    for (int k = 0; k < p->nslots; k++) s->pose_used[s->joint_of_node[p->node[k]]] = true;
}

// Finds the bodies whose pose elements use, and the counted angles that are not coordinates.
static bool find_used_bodies(tmli_joint_space *s)
{
    const tml_model *m = s->model;
    s->pose_used = tmli_arena_alloc(&s->arena, (size_t)s->njoints + 1, sizeof *s->pose_used);
    s->counted = tmli_arena_alloc(&s->arena, (size_t)m->nmeasure_uses + 1, sizeof *s->counted);
    s->in_loop = tmli_arena_alloc(&s->arena, (size_t)s->njoints + 1, sizeof *s->in_loop);
    if (!s->pose_used || !s->counted || !s->in_loop) return false;
    s->loops_are_pins = true;
    for (int i = 0; i < s->nloops; i++) {
        s->loops_are_pins = s->loops_are_pins && m->constraint[s->loop[i].constraint].pin;
        for (int k = 0; k < s->loop[i].npath; k++) s->in_loop[s->loop[i].path[k]] = true;
    }
    for (int i = 0; i < m->nforces; i++) mark_used(s, &m->force[i].plan);
    for (int i = 0; i < s->nloops; i++)
        if (!m->constraint[s->loop[i].constraint].pin)
            mark_used(s, &m->constraint[s->loop[i].constraint].plan);
    for (int i = 0; i < m->nmeasure_uses; i++) {
        if (m->measure_use[i].angle < 0) continue;
        bool known = false;
        for (int side = 0; side < 2 && !known; side++) {
            if (m->measure_use[i].node[side] < 0) continue;
            const tmli_tree_joint *b = &s->joint[s->joint_of_node[m->measure_use[i].node[side]]];
            known = b->counted_angle[0] == i || b->counted_angle[1] == i;
        }
        if (!known) s->counted[s->ncounted++] = tmli_joint_space_turning_chain(s, i);
    }
    return true;
}

// ---- pattern ----------------------------------------------------------------------------------------------

// Bodies whose coordinates are coupled in the matrix: those on one path to the ground, and all on the paths
// of one element.
static void couple(const tmli_joint_space *s, const int *list, int count, bool *joined)
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) joined[list[i] * s->njoints + list[j]] = true;
}

static int paths_of(const tmli_joint_space *s, const int *node, int count, int *mark, int stamp, int *list)
{
    int n = 0;
    for (int k = 0; k < count; k++)
        for (int i = s->joint_of_node[node[k]]; i >= 0 && mark[i] != stamp; i = s->joint[i].parent) {
            mark[i] = stamp;
            list[n++] = i;
        }
    return n;
}

static void couple_all(const tmli_joint_space *s, int *mark, int *list, bool *joined)
{
    const tml_model *m = s->model;
    int stamp = 0;
    for (int i = 0; i < m->nnodes; i++) couple(s, list, paths_of(s, &i, 1, mark, ++stamp, list), joined);
    for (int i = 0; i < m->nforces; i++) {
        const tmli_plan *p = &m->force[i].plan;
        couple(s, list, paths_of(s, p->node, p->nslots, mark, ++stamp, list), joined);
    }
    for (int i = 0; i < s->nloops; i++) couple(s, s->loop[i].path, s->loop[i].npath, joined);
}

static const char *block_name(int32_t block, void *user)
{
    (void)block;
    (void)user;
    return "joint coordinates";
}

typedef struct blocks {
    int count, nedges, *of_joint;
    int32_t *size, *edge, *afterptr, *afterind;
    uint8_t *multiplier;
} blocks;

// One block per tree joint with coordinates, one per loop. A loop is eliminated after all tree joints on
// its path.
static tml_status make_pattern(tmli_joint_space *s, tmli_arena *scratch, tml_error *err)
{
    const size_t nl = (size_t)s->njoints, most = nl + (size_t)s->nloops;
    blocks b = {0};
    bool *joined = tmli_arena_alloc(scratch, nl * nl, sizeof *joined);
    int *mark = tmli_arena_alloc(scratch, 3 * nl, sizeof *mark);
    b.size = tmli_arena_alloc(scratch, 2 * most + 2, sizeof *b.size);
    b.multiplier = tmli_arena_alloc(scratch, most + 1, 1);
    if (!joined || !mark || !b.size || !b.multiplier) return tmli_no_memory(err, "joint coordinates");
    b.afterptr = b.size + most;
    b.of_joint = mark + 2 * nl;
    couple_all(s, mark, mark + nl, joined);
    size_t edges = 0, after = 0;
    for (size_t k = 0; k < nl * nl; k++) edges += joined[k];
    for (int i = 0; i < s->nloops; i++) after += (size_t)s->loop[i].npath;
    b.edge = tmli_arena_alloc(scratch, 2 * (edges + after) + 1, sizeof *b.edge);
    b.afterind = tmli_arena_alloc(scratch, after + 1, sizeof *b.afterind);
    if (!b.edge || !b.afterind) return tmli_no_memory(err, "joint coordinates");
    for (int i = 0; i < s->njoints; i++) {
        b.of_joint[i] = s->joint[i].nu > 0 ? b.count : -1;
        if (s->joint[i].nu > 0) b.size[b.count++] = s->joint[i].nu;
    }
    for (int i = 0; i < s->njoints; i++)
        for (int j = 0; j < i; j++) {
            if (!joined[i * s->njoints + j] || b.of_joint[i] < 0 || b.of_joint[j] < 0) continue;
            b.edge[2 * b.nedges] = b.of_joint[i];
            b.edge[2 * b.nedges++ + 1] = b.of_joint[j];
        }
    int32_t nrules = 0;
    for (int i = 0; i < s->nloops; i++) {
        b.multiplier[b.count] = 1;
        b.size[b.count] = s->loop[i].nrows;
        for (int k = 0; k < s->loop[i].npath; k++) {
            const int block = b.of_joint[s->loop[i].path[k]];
            if (block < 0) continue;
            b.edge[2 * b.nedges] = b.count;
            b.edge[2 * b.nedges++ + 1] = block;
            b.afterind[nrules++] = block;
        }
        b.afterptr[++b.count] = nrules;
    }
    return tmli_pattern_create(b.count, b.size, b.multiplier, b.nedges, b.edge, b.afterptr, b.afterind,
                               block_name, NULL, &s->env, &s->pattern, err);
}

// The pattern of a system without a matrix: the diagonal.
static tml_status make_diagonal(tmli_joint_space *s, tmli_arena *scratch, tml_error *err)
{
    const size_t n = (size_t)(s->n + s->m);
    int32_t *size = tmli_arena_alloc(scratch, n + 1, sizeof *size);
    uint8_t *multiplier = tmli_arena_alloc(scratch, n + 1, 1);
    if (!size || !multiplier) return tmli_no_memory(err, "joint coordinates");
    for (size_t k = 0; k < n; k++) {
        size[k] = 1;
        multiplier[k] = k >= (size_t)s->n;
    }
    return tmli_pattern_create((int32_t)n, size, multiplier, 0, NULL, NULL, NULL, block_name, NULL, &s->env,
                               &s->pattern, err);
}

// ---- creation ---------------------------------------------------------------------------------------------

static void fill_system(tmli_joint_space *s)
{
    const tml_system *base = s->base;
    s->system = *base;
    s->ops = tmli_joint_space_ops;
    if (base->loads) s->ops.accelerate = NULL;  // the equations are not linear in the multipliers
    s->system.ops = &s->ops;
    s->system.self = s;
    s->system.nq = s->nq;
    s->system.n = s->n;
    s->system.m = s->m;
    s->system.retraction_curved = false;
    s->system.coupled = true;
    // rows at velocity level restrict what joints leave free: they are dependent if those of the bodies are
    s->system.loops = s->m > 0 && (base->loops || !s->level);
    s->system.level = s->unswitched ? NULL : s->level;
    if (s->switches) s->system.switches = s->switches;
    s->system.switch_of_row = s->switch_of_row;
    s->system.switches_rows = base->switches_rows && !s->unswitched;
    s->system.kind = s->kind;
    s->system.node = s->node_of;
    s->system.part = s->part;
    s->system.group = s->group;
    s->system.pattern = s->pattern;
    s->system.rowptr = s->rowptr;
    s->system.rowcol = s->rowcol;
    s->system.coordinate_name = coordinate_name;
    s->system.row_name = row_name;
    s->system.row_unit = row_unit;
    s->system.mode_name = mode_name;
}

static tml_status plan_matrix(tmli_joint_space *s, bool matrix, tml_error *err)
{
    s->matrix = matrix;
    tmli_arena scratch = {.env = &s->env};
    const tml_status st = s->matrix ? make_pattern(s, &scratch, err) : make_diagonal(s, &scratch, err);
    tmli_arena_clear(&scratch);
    return st == TML_OK && s->matrix ? tmli_joint_space_plan_blocks(s, err) : st;
}

static tml_status build(tmli_joint_space *s, bool matrix, double most_work, tml_error *err)
{
    tml_status st = tmli_joint_space_build_tree(s, err);
    if (st == TML_OK && s->n == 0)
        st = tmli_fail(err, TML_ERR_MODEL,
                       "the model cannot move: no joint coordinates are left; use kinematics: bodies");
    if (st == TML_OK) st = tmli_joint_space_find_loops(s, most_work, err);
    if (st == TML_OK) st = tmli_joint_space_find_along(s, err);
    if (st == TML_OK &&
        (!index_switches(s) || !index_coordinates(s) || !find_parts(s) || !find_used_bodies(s)))
        st = tmli_no_memory(err, "joint coordinates");
    if (st == TML_OK && s->planar) st = tmli_joint_space_plan_planar(s, err);
    matrix = matrix || s->level || (s->m > 0 && s->n <= MATRIX_COORDINATES);  // level: it projects velocities
    return st == TML_OK ? plan_matrix(s, matrix, err) : st;
}

static tml_status create(const tml_system *base, bool matrix, double most_work, bool unswitched,
                         tml_system **out, tml_error *err)
{
    *out = NULL;
    const tml_model *m = tmli_mb_model(base);
    if (!m)
        return tmli_fail(err, TML_ERR_ARG,
                         "kinematics joints is for models of bodies and joints; this system has none");
    const tmli_force *other = other_inertia(m);
    if (other)
        return tmli_fail_at(err, TML_ERR_MODEL, other->at,
                            "'%s' has inertia between its nodes, which joint coordinates do not support; "
                            "use kinematics: bodies",
                            other->name);
    for (int r = 0; r < m->m && m->level && unswitched; r++)
        if (m->level[r] == TML_LEVEL_VELOCITY && m->row_owner[r] < m->njoints)
            return tmli_fail(err, TML_ERR_MODEL,
                             "joint '%s' restricts velocities, not positions: coordinates and forces of a "
                             "robot have no place for it",
                             m->constraint[m->row_owner[r]].name);
    for (int i = 0; i < m->nforces; i++)
        if (m->force[i].diagonal_tangent)
            return tmli_fail(err, TML_ERR_MODEL,
                             "contact '%s' has too many shapes for joint coordinates; use kinematics: bodies",
                             m->force[i].name);
    for (int i = 0; i < m->nforces && unswitched; i++)  // rows that come and go have no reactions here
        if (m->force[i].load >= 0 && m->force[i].load < m->njoints)
            return tmli_fail_at(
                err, TML_ERR_MODEL, m->force[i].at,
                "the load of '%s' is a reaction, on which the forces of a robot cannot depend",
                m->force[i].name);
    tmli_joint_space *s = tmli_calloc(&base->env, 1, sizeof *s);
    if (!s) return tmli_no_memory(err, "joint coordinates");
    s->env = base->env;
    s->arena.env = &s->env;
    s->base = base;
    s->model = m;
    s->planar = m->planar;
    s->least_inertia = NAN;
    s->unswitched = unswitched;
    const tml_status st = build(s, matrix, most_work, err);
    fill_system(s);
    if (st != TML_OK) {
        tml_system_destroy(&s->system);
        return st;
    }
    *out = &s->system;
    return TML_OK;
}

tml_status tmli_joint_space_create(const tml_system *base, bool matrix, double most_work, tml_system **out,
                                   tml_error *err)
{
    return create(base, matrix, most_work, false, out, err);
}

tml_status tmli_joint_space_create_unswitched(const tml_system *base, tml_system **out, tml_error *err)
{
    return create(base, true, INFINITY, true, out, err);
}

tml_status tmli_joint_space_add_matrix(tml_system *sys, tml_error *err)
{
    tmli_joint_space *s = sys->self;
    if (s->matrix) return TML_OK;
    tmli_pattern_destroy(s->pattern);
    s->pattern = NULL;
    const tml_status st = plan_matrix(s, true, err);
    s->system.pattern = s->pattern;
    return st;
}

tml_status tmli_joint_space_share_schedule(tml_system *sys, tml_error *err)
{
    tmli_joint_space *s = sys->self;
    if (!s->matrix || s->pattern->schedule) return TML_OK;
    const tml_status st = tmli_symbolic_init(&s->schedule, s->pattern, &s->env, err);
    if (s->schedule.too_large) return TML_OK;  // the solver says so
    if (st == TML_OK) tmli_symbolic_share(&s->schedule, s->pattern);
    return st;
}

// ---- inertia ----------------------------------------------------------------------------------------------

void tmli_joint_space_zero(const tml_system *sys, double *q)
{
    const tmli_joint_space *s = sys->self;
    memset(q, 0, (size_t)s->nq * sizeof *q);
    for (int i = 0; i < s->njoints; i++)
        if (s->joint[i].rotation == TMLI_ROTATION_BALL) q[s->joint[i].firstq + s->joint[i].nslide] = 1;
}

// Twice the kinetic energy [kg m^2/s^2] of the bodies that `moves` marks, which move as one: with the angular
// velocity w, and with the velocity v at P of body i.
static double twice_kinetic_energy(const tmli_joint_space *s, const tmli_joint_space_work *work,
                                   const bool *moves, int i, vec3 v, vec3 w)
{
    double sum = 0;
    for (int k = i; k < s->njoints; k++) {
        const tmli_node *node = &s->model->node[s->joint[k].node];
        if (!moves[k] || s->joint[k].node >= s->model->nbodies) continue;
        if (s->planar) {
            const tmli_planar_body *f = &work->planar_body[k], *at = &work->planar_body[i];
            const double x = f->Px + f->cx - at->Px, y = f->Py + f->cy - at->Py, vx = v.x - w.z * y,
                         vy = v.y + w.z * x;
            sum += node->mass * (vx * vx + vy * vy) + (s->joint[k].point ? 0 : node->J.m[8] * w.z * w.z);
        } else {
            const tmli_tree_body *f = &work->body[k];
            const vec3 r = v3_sub(v3_add(f->P, f->c), work->body[i].P), vc = v3_add(v, v3_cross(w, r)),
                       own = m3_tmulv(&f->R, w);
            sum +=
                node->mass * v3_dot(vc, vc) + (s->joint[k].point ? 0 : v3_dot(own, m3_mulv(&node->J, own)));
        }
    }
    return sum;
}

// Velocity of P of body i and its angular velocity at the unit rate of its coordinate k, all others at rest.
static void unit_motion(const tmli_joint_space *s, const tmli_joint_space_work *work, int i, int k, vec3 *v,
                        vec3 *w)
{
    const tmli_tree_joint *b = &s->joint[i];
    const tmli_planar_body *f = &work->planar_body[s->planar ? i : 0];
    const tmli_tree_body *x = &work->body[i];
    *v = *w = v3(0, 0, 0);
    if (s->planar && k < b->nslide) *v = v3(f->sx[k], f->sy[k], 0);
    else if (s->planar) *w = v3(0, 0, s->planar_joint[i].sign);
    else if (k < b->nslide) *v = x->motion[k].v;
    else {
        *w = b->rotation == TMLI_ROTATION_BALL ? m3_mulv(&x->R, x->motion[k].w) : x->motion[k].w;
        if (b->pitch != 0) *v = x->motion[k].v;
    }
}

// After `accelerate`. moves (njoints): scratch.
static double least_relative_inertia(const tmli_joint_space *s, const tmli_joint_space_work *work,
                                     bool *moves)
{
    double least = 1;
    if (s->n > INERTIA_COORDINATES) return 1;
    for (int i = 0; i < s->njoints; i++) {
        for (int k = 0; k < s->njoints; k++)
            moves[k] = k == i || (k > i && s->joint[k].parent >= 0 && moves[s->joint[k].parent]);
        for (int k = 0; k < s->joint[i].nu; k++) {
            vec3 v, w;
            unit_motion(s, work, i, k, &v, &w);
            const double inv = s->planar ? work->inv[s->joint[i].first + k] : work->body[i].motion[k].inv;
            least = fmin(least, 1 / (inv * twice_kinetic_energy(s, work, moves, i, v, w)));
        }
    }
    return least;
}

tml_status tmli_joint_space_least_inertia(tml_system *sys, double *least, tml_error *err)
{
    tmli_joint_space *s = sys->self;
    *least = s->least_inertia;
    if (!isnan(*least)) return TML_OK;
    tml_state *x = NULL, *y = NULL;
    void *w = sys->ops->create_work(s, &s->env);
    tml_status st = w ? tml_state_create(s->base, &x, err) : tmli_no_memory(err, "joint coordinates");
    *least = 0;
    bool *moves = tmli_calloc(&s->env, (size_t)s->njoints + 1, sizeof *moves);
    if (st == TML_OK && !moves) st = tmli_no_memory(err, "joint coordinates");
    if (st == TML_OK) st = tml_state_create(sys, &y, err);
    if (st == TML_OK) {
        tml_model_start(s->model, s->model->run.start, x);
        memset(x->u, 0, (size_t)x->n * sizeof *x->u);
        tmli_joint_space_zero(sys, y->q);
        tmli_joint_space_from_base(sys, w, x, y,
                                   NULL);  // positions as far as possible: the start may not be assembled yet
        if (tmli_joint_space_accelerate(s, w, y, NULL) != TML_ERR_SINGULAR)
            *least = least_relative_inertia(s, w, moves);
        s->least_inertia = *least;
    }
    tmli_free(&s->env, moves);
    if (w) sys->ops->destroy_work(w);
    tml_state_destroy(x, s->base);
    tml_state_destroy(y, sys);
    return st;
}
