// Spec to model: each joint becomes a group of rows. A row is a sum of measures between nodes minus a target.
#include "element/contact/contact.h"
#include "model/build/build.h"

#include <string.h>

#include "base/tolerances.h"
#include "model/build/constants.h"

enum { USES_PER_JOINT = 6 };  // measures of a hinge: five rows and the angle

// ---- the two frames of a joint ----------------------------------------------------------------------------

// Axes with the given z. In a planar model, an axis in the plane gets y = Z: each row then depends either on
// motion in the plane or on motion out of it, and rows of the second kind can be dropped.
static mat3 axes_along(vec3 z, bool planar)
{
    z = v3_scale(1 / v3_norm(z), z);
    vec3 y = v3(0, 0, 1);
    if (!planar || fabs(z.z) > TMLI_AGREEMENT) {
        const vec3 e = fabs(z.x) < 0.7 ? v3(1, 0, 0) : v3(0, 1, 0);
        y = v3_cross(z, e);
        y = v3_scale(1 / v3_norm(y), y);
    }
    return m3_from_cols(v3_cross(y, z), y, z);
}

// Apply `point` and `axis` of the joint, given in the inertial frame at the start, to a marker.
static void set_marker(const tml_model *m, const tml_joint_def *d, tmli_marker *k)
{
    const tmli_pose x = tmli_node_start_pose(m, k->body);
    if (d->has_point) k->s = m3_tmulv(&x.R, v3_sub(v3_sub(v3_from(d->point), m->origin), x.r));
    if (d->has_axis) {
        const mat3 W = axes_along(v3_from(d->axis), m->planar);
        const mat3 Rt = m3_transpose(&x.R);
        k->C = m3_mul(&Rt, &W);
    }
}

// In a planar model only the direction of an axis in the plane matters; choose the other two axes so that
// rows separate (see axes_along). The axes of a stay if joint coordinates are measured along them. A fixed
// joint is the same for any common axes of both frames: use those of the inertial frame.
static void set_planar_axes(const tml_model *m, tmli_planar_axes rule, tmli_marker *a, tmli_marker *b)
{
    const bool slides = rule == TMLI_AXES_SLIDE, parallel = rule == TMLI_AXES_PARALLEL;
    const vec3 z_a = m3_col(&a->C, 2), z_b = m3_col(&b->C, 2);
    if (slides && fabs(z_a.z) < TMLI_AGREEMENT) a->C = axes_along(z_a, true);
    if ((slides || parallel) && fabs(z_b.z) < TMLI_AGREEMENT) b->C = axes_along(z_b, true);
    if (rule != TMLI_AXES_COMMON) return;
    const tmli_pose x = tmli_node_start_pose(m, a->body);
    const mat3 E = m3_mul(&x.R, &a->C), turn = m3_transpose(&E);
    a->C = m3_mul(&a->C, &turn);
    b->C = m3_mul(&b->C, &turn);
}

static tml_status check_point_mass(const tml_spec *spec, const tmli_joint_entry *e, const tmli_marker *a,
                                   const tmli_marker *b, tml_error *err)
{
    const unsigned *uses = tmli_joint_type(e->def.type)->uses;
    const bool a_point = a->body >= 0 && spec->bodies[a->body].def.point;
    const bool b_point = b->body >= 0 && spec->bodies[b->body].def.point;
    if ((a_point && uses[0] != TMLI_USES_POINT) || (b_point && uses[1] != TMLI_USES_POINT))
        return tmli_fail_at(err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "type"),
                            "joint '%s': '%s' is a point mass and has no axes; use spherical or distance, or "
                            "make it frame b of "
                            "point-on-line or point-on-plane",
                            e->def.name, spec->bodies[a_point ? a->body : b->body].def.name);
    return TML_OK;
}

// In a planar model a revolute joint turns about Z and a prismatic joint moves in x-y. With another axis it
// would be locked.
static tml_status check_planar_axis(const tml_model *m, const tmli_joint_entry *e, const tmli_marker *a,
                                    tml_error *err)
{
    const tmli_planar_direction rule = tmli_joint_type(e->def.type)->planar_direction;
    const tmli_pose x = tmli_node_start_pose(m, a->body);
    const vec3 z = m3_mulv(&x.R, m3_col(&a->C, 2));
    const tml_mark at = tmli_entry_mark(&e->at, e->def.has_axis ? "axis" : "type");
    if (rule == TMLI_Z_NORMAL && hypot(z.x, z.y) > TMLI_AGREEMENT)
        return tmli_fail_at(err, TML_ERR_MODEL, at,
                            "joint '%s': its axis %s, but rotation in a planar model is about z; omit 'axis'",
                            e->def.name, fabs(z.z) < TMLI_AGREEMENT ? "lies in the plane" : "is tilted");
    if (rule == TMLI_Z_IN_PLANE && fabs(z.z) > TMLI_AGREEMENT)
        return tmli_fail_at(err, TML_ERR_MODEL, at,
                            "joint '%s': its axis is not in the plane, so it cannot slide; give 'axis' as a "
                            "direction [x, y], or "
                            "use frames whose z axes lie in the plane",
                            e->def.name);
    return TML_OK;
}

// A fixed joint at a point of two bodies, not of two frames whose axes would coincide, holds the bodies as
// they are placed at the start.
static bool keeps_placement(const tml_joint_def *d)
{
    return d->type == TML_JOINT_FIXED && d->has_point && !d->has_axis && !strchr(d->a, '.') &&
           !strchr(d->b, '.');
}

static tml_status find_markers(const tml_spec *spec, const tml_model *m, const tmli_joint_entry *e,
                               tmli_marker *a, tmli_marker *b, tml_error *err)
{
    const tml_joint_def *d = &e->def;
    tml_status st = tmli_model_find_frame(spec, m, d->a, tmli_entry_mark(&e->at, "a"), a, err);
    if (st == TML_OK) st = tmli_model_find_frame(spec, m, d->b, tmli_entry_mark(&e->at, "b"), b, err);
    if (st != TML_OK) return st;
    if (a->body == b->body)
        return tmli_fail_at(err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "b"),
                            "joint '%s' connects '%s' to itself", d->name,
                            a->body < 0 ? "ground" : spec->bodies[a->body].def.name);
    if (d->has_axis && !(v3_norm(v3_from(d->axis)) > 0))
        return tmli_fail_at(err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "axis"),
                            "joint '%s': the axis has length 0", d->name);
    st = check_point_mass(spec, e, a, b, err);
    if (st != TML_OK) return st;
    set_marker(m, d, a);
    set_marker(m, d, b);
    if (keeps_placement(d)) {
        const tmli_pose A = tmli_node_start_pose(m, a->body), B = tmli_node_start_pose(m, b->body);
        const mat3 axes = m3_mul(&A.R, &a->C), Rt = m3_transpose(&B.R);
        b->C = m3_mul(&Rt, &axes);
    }
    if (!m->planar) return TML_OK;
    set_planar_axes(m, tmli_joint_type(d->type)->planar_axes, a, b);
    return check_planar_axis(m, e, a, err);
}

// ---- rows -------------------------------------------------------------------------------------------------

typedef struct row_set {  // the rows of one joint under construction
    int nrows, nterms;
    int use[TMLI_JOINT_TERMS], row[TMLI_JOINT_TERMS];  // index in model.measure_use; row of the joint
    double coef[TMLI_JOINT_TERMS];
    double target[TMLI_JOINT_ROWS];
    bool rate[TMLI_JOINT_ROWS];
} row_set;

static double start_value(const tml_model *m, const tmli_measure_use *use)
{
    if (use->angle >= 0) return tmli_model_start_value(m, use);
    const tmli_pose A = tmli_node_start_pose(m, use->node[0]), B = tmli_node_start_pose(m, use->node[1]);
    return tmli_measure_value(&use->measure, &A, &B);
}

// Largest derivative of a row by an existing coordinate, at the given poses.
static double row_slope(const tml_model *m, const row_set *s, int row, const tmli_pose *pose)
{
    const tmli_pose ground = {.R = m3_identity()};
    double total[2 * TMLI_JOINT_TERMS][6];  // derivatives by node, in order of first occurrence
    int node[2 * TMLI_JOINT_TERMS], nnodes = 0;
    for (int k = 0; k < s->nterms; k++) {
        if (s->row[k] != row) continue;
        const tmli_measure_use *use = &m->measure_use[s->use[k]];
        double g[12];
        const tmli_pose *A = use->node[0] < 0 ? &ground : &pose[use->node[0]];
        const tmli_pose *B = use->node[1] < 0 ? &ground : &pose[use->node[1]];
        tmli_measure_grad(&use->measure, A, B, g);
        for (int side = 0; side < 2; side++) {
            int at = 0;
            if (use->node[side] < 0) continue;
            while (at < nnodes && node[at] != use->node[side]) at++;
            if (at == nnodes) {
                node[nnodes++] = use->node[side];
                memset(total[at], 0, sizeof total[at]);
            }
            for (int c = 0; c < 6; c++) total[at][c] += s->coef[k] * g[6 * side + c];
        }
    }
    double largest = 0;
    for (int i = 0; i < nnodes; i++) {
        const tmli_node *n = &m->node[node[i]];
        for (int k = 0; k < n->ncoords; k++) largest = fmax(largest, fabs(total[i][n->local[k]]));
    }
    return largest;
}

// Residual of a row at the start.
static double start_residual(const tml_model *m, const row_set *s, int row)
{
    double phi = s->rate[row] ? 0 : -s->target[row];
    for (int k = 0; k < s->nterms && !s->rate[row]; k++)
        if (s->row[k] == row) phi += s->coef[k] * start_value(m, &m->measure_use[s->use[k]]);
    return phi;
}

// Scattered poses of the nodes of a joint.
static void scatter_nodes(const tml_model *m, const row_set *s, int trial, tmli_pose *pose)
{
    int last[2] = {-1, -1};  // most terms are between the same two nodes
    for (int k = 0; k < s->nterms; k++)
        for (int side = 0; side < 2; side++) {
            const int i = m->measure_use[s->use[k]].node[side];
            if (i < 0 || i == last[side]) continue;
            last[side] = i;
            const double turn = 0.83 + 1.37 * trial + 2.11 * (i % 17);
            pose[i] = tmli_node_start_pose(m, i);
            pose[i].r = v3_add(pose[i].r, v3(m->length * sin(3 * turn), m->length * cos(5 * turn), 0));
            const mat3 Q = q_matrix(tmli_so3_exp(v3(0, 0, turn)));
            pose[i].R = m3_mul(&pose[i].R, &Q);
        }
}

// Drop the rows that no planar motion changes: those without a derivative at PLANAR_TRIALS scattered
// configurations.
static tml_status drop_identical_rows(const tml_model *m, const tmli_joint_entry *e, row_set *s,
                                      tmli_pose *pose, tml_error *err)
{
    int keep[TMLI_JOINT_ROWS], kept = 0;
    bool moves[TMLI_JOINT_ROWS] = {false};
    int still = s->nrows;
    for (int trial = 0; trial < PLANAR_TRIALS && still > 0; trial++) {
        scatter_nodes(m, s, trial, pose);
        for (int r = 0; r < s->nrows; r++) {
            if (moves[r] || !(row_slope(m, s, r, pose) > TMLI_ROUNDOFF * fmax(1, m->length))) continue;
            moves[r] = true;
            still--;
        }
    }
    for (int r = 0; r < s->nrows; r++) {
        keep[r] = moves[r] ? kept++ : -1;
        const double phi = start_residual(m, s, r);
        const tmli_joint_ops *ops = tmli_joint_type(e->def.type);
        if (keep[r] < 0 && (ops->role != TMLI_JOINT_BETWEEN || ops->moved))
            return tmli_fail_at(err, TML_ERR_MODEL, e->at.at,
                                ops->role == TMLI_JOINT_COUPLER
                                    ? "joint '%s' has no effect: what it couples has this ratio in any motion"
                                    : "joint '%s' acts on a coordinate that is constant in a planar model",
                                e->def.name);
        if (keep[r] < 0 && fabs(phi) > TMLI_AGREEMENT * fmax(1, m->length))
            return tmli_fail_at(
                err, TML_ERR_MODEL, e->at.at,
                "joint '%s' cannot be assembled in the plane: the residual of a row that no motion "
                "in x-y changes is %g",
                e->def.name, phi);
    }
    if (kept == 0 && e->def.type == TML_JOINT_PARALLEL && !e->def.has_axis)
        return tmli_fail_at(err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "type"),
                            "joint '%s' has no effect: z axes are always parallel in a planar model; give "
                            "'axis' as a direction [x, y] to keep the bodies from rotating relative to each "
                            "other",
                            e->def.name);
    int terms = 0;
    for (int k = 0; k < s->nterms; k++) {
        if (keep[s->row[k]] < 0) continue;
        s->use[terms] = s->use[k];
        s->coef[terms] = s->coef[k];
        s->row[terms++] = keep[s->row[k]];
    }
    for (int r = 0; r < s->nrows; r++)
        if (keep[r] >= 0) {
            s->target[keep[r]] = s->target[r];
            s->rate[keep[r]] = s->rate[r];
        }
    s->nterms = terms;
    s->nrows = kept;
    return TML_OK;
}

static tml_status store_rows(tml_model *m, const row_set *s, tmli_constraint *c, tml_error *err)
{
    c->first = m->m;
    c->nrows = s->nrows;
    m->m += s->nrows;
    c->nterms = s->nterms;
    c->term = tmli_arena_alloc(&m->arena, (size_t)s->nterms + 1, sizeof *c->term);
    c->target = tmli_arena_alloc(&m->arena, (size_t)s->nrows + 1, sizeof *c->target);
    c->plan.node = tmli_arena_alloc(&m->arena, 2 * (size_t)s->nterms + 2, sizeof(int));
    if (!c->term || !c->target || !c->plan.node) return tmli_no_memory(err, "model");
    memcpy(c->target, s->target, (size_t)s->nrows * sizeof(double));
    for (int r = 0; r < s->nrows; r++) {
        c->rate[r] = s->rate[r];
        c->rates = c->rates || s->rate[r];
    }
    for (int k = 0; k < s->nterms; k++) {
        const tmli_measure_use *use = &m->measure_use[s->use[k]];
        c->term[k] = (tmli_row_term){
            .use = s->use[k],
            .coef = s->coef[k],
            .row = s->row[k],
            .slot = {tmli_plan_slot(&c->plan, use->node[0]), tmli_plan_slot(&c->plan, use->node[1])}};
    }
    return TML_OK;
}

// ---- the kinds of joints ----------------------------------------------------------------------------------

// The branch on which the joint is at the start. A joint in between, far from assembled, has none.
static void set_branch(tml_model *m, const tmli_joint_branch *branch, tmli_constraint *c)
{
    const bool rotates = !m->planar || branch->count > 1;  // in the plane z axes stay parallel
    const tmli_pose A = tmli_node_start_pose(m, c->marker[0].body),
                    B = tmli_node_start_pose(m, c->marker[1].body);
    double sum = 0;
    for (int k = 0; k < branch->count; k++) sum += tmli_measure_value(&branch->dot[k], &A, &B);
    if (!rotates || !(fabs(sum) > branch->least + LEAST_BRANCH_MARGIN)) return;
    c->branch = *branch;
    if (branch->count > 0) m->branched[m->nbranched++] = (int)(c - m->constraint);
    c->branch_sign = sum < 0 ? -1 : 1;
}

// Row r follows the expression `text`, given with `key`. A counted angle starts with its value.
static tml_status add_motion(const tml_spec *spec, tml_model *m, const tmli_joint_entry *e, const char *key,
                             const char *text, int r, int use_index, tmli_constraint *c, tml_error *err)
{
    if (!c->motion) c->motion = tmli_arena_alloc(&m->arena, TMLI_JOINT_ROWS, sizeof *c->motion);
    if (!c->motion) return tmli_no_memory(err, "model");
    tmli_expr_vars motion = {0};
    const tml_status st =
        tmli_model_compile(spec, m, text, tmli_entry_mark(&e->at, key), TMLI_SCOPE_TIME, NULL, &motion, err);
    if (st != TML_OK) return st;
    c->motion[r].expr = motion.expr;
    tmli_measure_use *use = &m->measure_use[use_index];
    const double t0 = m->run.start;
    if (use->angle >= 0 && !use->stated && text != e->def.speed) {
        use->start = tmli_expr_eval(motion.expr, &t0);
        use->stated = true;
    }
    return TML_OK;
}

// The rows of a pose follow the expressions given, in their order.
static tml_status add_pose_motions(const tml_spec *spec, tml_model *m, const tmli_joint_entry *e,
                                   const row_set *s, tmli_constraint *c, tml_error *err)
{
    int r = 0;
    tml_status st = TML_OK;
    for (int k = 0; k < 6 && st == TML_OK; k++) {
        if (!e->def.pose[k]) continue;
        st = add_motion(spec, m, e, tmli_pose_keys[k], e->def.pose[k], r, s->use[r], c, err);
        r++;
    }
    return st;
}

static tml_status build_joint(const tml_spec *spec, tml_model *m, const tmli_joint_entry *e,
                              tmli_constraint *c, row_set *s, tml_error *err)
{
    tmli_marker a, b;
    tml_status st = find_markers(spec, m, e, &a, &b, err);
    if (st != TML_OK) return st;
    tml_joint_def def = e->def;
    if (c->ops->rod && isnan(def.length)) {
        const tmli_pose A = tmli_node_start_pose(m, a.body), B = tmli_node_start_pose(m, b.body);
        const tmli_measure d = tmli_measure_distance(&a, &b);
        def.length = tmli_measure_value(&d, &A, &B);
        if (!(def.length > 0))
            return tmli_fail_at(err, TML_ERR_MODEL, e->at.at,
                                "joint '%s': the two points coincide; a distance joint needs a length > 0",
                                e->def.name);
    }
    tmli_joint_rows rows;
    tmli_joint_build(&def, &a, &b, &rows);
    for (int k = 0; k < rows.ncoords; k++) {
        const int use = tmli_model_add_measure_use(m, rows.coord[k].measure, a.body, b.body);
        if (use < 0) return tmli_no_memory(err, "model");
        if (!isnan(e->def.angle) && m->measure_use[use].angle >= 0) {
            m->measure_use[use].start = e->def.angle;
            m->measure_use[use].stated = true;
            tmli_model_warn_of_angle(m, use, e->def.name, tmli_entry_mark(&e->at, "angle"));
        }
        c->coord[k] = use;
        c->coord_suffix[k] = rows.coord[k].suffix;
        c->rate_suffix[k] = rows.coord[k].rate;
        c->coord_unit[k] = rows.coord[k].unit;
    }
    c->ncoords = rows.ncoords;
    for (int k = 0; k < rows.nterms; k++) {
        // a counted angle in a row is the angle coordinate of the joint
        s->use[k] = rows.term[k].coord >= 0
                        ? c->coord[rows.term[k].coord]
                        : tmli_model_add_measure_use(m, rows.term[k].measure, a.body, b.body);
        if (s->use[k] < 0) return tmli_no_memory(err, "model");
        s->coef[k] = rows.term[k].coef;
        s->row[k] = rows.term[k].row;
    }
    s->nrows = rows.nrows;
    s->nterms = rows.nterms;
    memcpy(s->target, rows.target, sizeof s->target);
    memcpy(s->rate, rows.rate, sizeof s->rate);
    if (c->ops->start_target) s->target[s->nrows - 1] = start_residual(m, s, s->nrows - 1);
    c->has_reaction = true;
    c->node_b = b.body;
    c->s_b = b.s;
    c->marker[0] = a;
    c->marker[1] = b;
    set_branch(m, &rows.branch, c);
    return c->ops->moved ? add_pose_motions(spec, m, e, s, c, err) : TML_OK;
}

// first - ratio second = value at the start (gear: two coordinates; rack: distance and angle)
static tml_status build_coupler(const tml_spec *spec, tml_model *m, const tmli_joint_entry *e, row_set *s,
                                tml_error *err)
{
    tml_status st =
        tmli_model_find_coordinate(spec, m, e->def.first, tmli_entry_mark(&e->at, "first"), &s->use[0], err);
    if (st == TML_OK)
        st = tmli_model_find_coordinate(spec, m, e->def.second, tmli_entry_mark(&e->at, "second"), &s->use[1],
                                        err);
    if (st != TML_OK) return st;
    if (e->def.type == TML_JOINT_RACK) {
        if (m->measure_use[s->use[0]].measure.kind == TMLI_ANGLE)
            return tmli_fail_at(err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "first"),
                                "rack '%s': 'first' is the distance of the rack, found an angle",
                                e->def.name);
        if (m->measure_use[s->use[1]].measure.kind != TMLI_ANGLE)
            return tmli_fail_at(err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "second"),
                                "rack '%s': 'second' is the angle of the pinion, found a distance",
                                e->def.name);
    }
    if (s->use[0] == s->use[1])
        return tmli_fail_at(
            err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "second"),
            "joint '%s' couples '%s' to itself; 'first' and 'second' must be different coordinates",
            e->def.name, e->def.second);
    s->nrows = 1;
    s->nterms = 2;
    s->coef[0] = 1;
    s->coef[1] = -e->def.ratio;
    s->target[0] = start_residual(m, s, 0);
    return TML_OK;
}

static tml_status build_driver(const tml_spec *spec, tml_model *m, const tmli_joint_entry *e,
                               tmli_constraint *c, row_set *s, tml_error *err)
{
    tml_status st =
        tmli_model_find_coordinate(spec, m, e->def.of, tmli_entry_mark(&e->at, "of"), &s->use[0], err);
    if (st != TML_OK) return st;
    const bool speed = e->def.speed != NULL;
    s->rate[0] = speed;
    s->nrows = 1;
    s->nterms = 1;
    s->coef[0] = 1;
    return add_motion(spec, m, e, speed ? "speed" : "motion", speed ? e->def.speed : e->def.motion, 0,
                      s->use[0], c, err);
}

static tml_status build_one(const tml_spec *spec, tml_model *m, const tmli_joint_entry *e, tmli_pose *scratch,
                            tmli_constraint *c, tml_error *err)
{
    row_set s = {0};
    c->joint = (int)(e - spec->joints);
    c->type = e->def.type;
    c->ops = tmli_joint_type(c->type);
    c->node_b = -1;
    c->placed = e->def.has_point;
    c->at = tmli_model_keep_mark(m, e->at.at);
    c->name = tmli_arena_strdup(&m->arena, e->def.name);
    if (!c->name || (e->at.at.file && !c->at.file)) return tmli_no_memory(err, "model");
    tml_status st;
    if (c->ops->role == TMLI_JOINT_COUPLER) st = build_coupler(spec, m, e, &s, err);
    else if (c->ops->role == TMLI_JOINT_MOTION) st = build_driver(spec, m, e, c, &s, err);
    else st = build_joint(spec, m, e, c, &s, err);
    if (st == TML_OK && m->planar) st = drop_identical_rows(m, e, &s, scratch, err);
    if (st == TML_OK) st = store_rows(m, &s, c, err);
    return st;
}

// A row that is in force at times, at velocity level: the rate of the measure `use`. owner: what it belongs
// to.
static tml_status build_stick(tml_model *m, const char *owner, const char *name, tml_mark at, int use,
                              tml_error *err)
{
    static const tmli_joint_ops stick_ops = {.role = TMLI_JOINT_COUPLER};
    const row_set s = {.nrows = 1, .nterms = 1, .use = {use}, .coef = {1}, .rate = {true}};
    tmli_constraint *c = &m->constraint[m->nconstraints++];
    c->ops = &stick_ops;
    c->joint = -1;
    c->node_b = -1;
    c->stick = owner;
    c->at = tmli_model_keep_mark(m, at);
    c->name = tmli_arena_strdup(&m->arena, name);
    if (!c->name || (at.file && !c->at.file)) return tmli_no_memory(err, "model");
    return store_rows(m, &s, c, err);
}

// The rows of a rigid contact: one per point along its normal, then those of friction.
static tml_status build_rigid(const tml_spec *spec, tml_model *m, const tmli_contact_entry *e, tml_error *err)
{
    const tmli_force_builder b = {spec, m, err};
    tmli_rigid_point *point;
    int count;
    tml_status st = tmli_contact_rigid_points(&b, e, &count, &point);
    for (int i = 0; i < count && st == TML_OK; i++) {
        const int use = tmli_model_add_measure_use(m, point[i].measure, point[i].node[0], point[i].node[1]);
        if (use < 0) return tmli_no_memory(err, "model");
        st = build_stick(m, "contact", e->def.name, e->at.at, use, err);
    }
    const int tangents = tmli_contact_rigid_tangents(spec, &e->def);
    for (int k = 0; k < tangents * count && st == TML_OK; k++) {
        const tmli_rigid_point *p = &point[k / tangents];
        const int use =
            tmli_model_add_measure_use(m, tmli_contact_rigid_slip(p, k % tangents), p->node[0], p->node[1]);
        if (use < 0) return tmli_no_memory(err, "model");
        st = build_stick(m, "friction", e->def.name, e->at.at, use, err);
    }
    return st;
}

static tml_status build_sticks(const tml_spec *spec, tml_model *m, tml_error *err)
{
    tml_status st = TML_OK;
    int use = -1;
    for (int i = 0; i < spec->nforces && st == TML_OK; i++) {
        const tmli_force_entry *e = &spec->forces[i];
        if (!tmli_force_has_row(&e->def)) continue;
        st = tmli_model_find_coordinate(spec, m, e->def.of, tmli_entry_mark(&e->at, "of"), &use, err);
        if (st == TML_OK)
            st = build_stick(m, e->def.type == TML_FORCE_LIMIT ? "limit" : "friction", e->def.name, e->at.at,
                             use, err);
    }
    for (int i = 0; i < spec->ncontacts && st == TML_OK; i++)
        if (tmli_contact_has_rows(spec, &spec->contacts[i].def))
            st = build_rigid(spec, m, &spec->contacts[i], err);
    return st;
}

static int count_switched(const tml_spec *spec)
{
    int count = 0;
    for (int i = 0; i < spec->nforces; i++) count += tmli_force_has_row(&spec->forces[i].def);
    for (int i = 0; i < spec->ncontacts; i++) count += tmli_contact_rigid_count(spec, &spec->contacts[i].def);
    return count;
}

// The target of a gear, rack or screw is its value at the start. It is set after all joints are built,
// because a driver may change the number of full turns of an angle at the start.
static void set_start_target(const tml_model *m, const tmli_constraint *c)
{
    if (c->nterms == 0 || !c->ops->start_target) return;
    const int row = c->term[c->nterms - 1].row;  // screw: the last row, unless a planar model dropped it
    if (c->ops->role == TMLI_JOINT_BETWEEN && m->measure_use[c->term[c->nterms - 1].use].angle < 0) return;
    c->target[row] = 0;
    for (int k = 0; k < c->nterms; k++)
        if (c->term[k].row == row)
            c->target[row] += c->term[k].coef * start_value(m, &m->measure_use[c->term[k].use]);
}

tml_status tmli_model_build_constraints(const tml_spec *spec, tml_model *m, tml_error *err)
{
    m->constraint = tmli_arena_alloc(&m->arena, (size_t)(spec->njoints + count_switched(spec)) + 1,
                                     sizeof *m->constraint);
    m->branched = tmli_arena_alloc(&m->arena, (size_t)spec->njoints + 1, sizeof *m->branched);
    tmli_pose *scratch = tmli_calloc(&m->env, (size_t)m->nnodes, sizeof *scratch);
    tml_status st = m->constraint && m->branched && scratch ? TML_OK : tmli_no_memory(err, "model");
    // joints between frames come first: gears, racks and drivers refer to their coordinates
    int *index = tmli_calloc(&m->env, (size_t)spec->njoints + 1, sizeof *index);
    if (!index || !tmli_model_reserve_uses(m, USES_PER_JOINT * spec->njoints))
        st = tmli_no_memory(err, "model");
    int count = 0;
    for (int pass = 0; pass < 2 && st == TML_OK; pass++)
        for (int j = 0; j < spec->njoints; j++)
            if ((tmli_joint_type(spec->joints[j].def.type)->role != TMLI_JOINT_BETWEEN) == (pass == 1))
                index[count++] = j;
    for (int k = 0; k < count && st == TML_OK; k++) {
        m->njoints = ++m->nconstraints;
        st = build_one(spec, m, &spec->joints[index[k]], scratch, &m->constraint[k], err);
    }
    for (int k = 0; k < m->nconstraints && st == TML_OK; k++) set_start_target(m, &m->constraint[k]);
    if (st == TML_OK) st = build_sticks(spec, m, err);
    tmli_free(&m->env, index);
    tmli_free(&m->env, scratch);
    return st;
}
