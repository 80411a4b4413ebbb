// Links without mass. Files have many: frames of tools and sensors, feet of robots, the first link of most.
// Nothing that a branch without mass does has an effect on the rest: its joints are held. A link without mass
// that is fixed to one with mass belongs to its body. What remains lies between joints and what has a mass
// beyond them: it stays a body without mass, whose motion follows from theirs.
#include "import/robot.h"

#include "import/constants.h"

#include <math.h>

static bool is_light(const tmli_link *link)
{
    double size = link->mass;
    for (int i = 0; i < 9; i++) size = fmax(size, fabs(link->inertia.m[i]));
    return !(size > 0);
}

static bool is_fixed(const tmli_urdf_joint *j) { return j->kind == TMLI_URDF_FIXED || j->held; }

// From the ends of the branches to the first link.
static void find_carriers(tmli_robot *r)
{
    for (int i = 0; i < r->nlinks; i++) r->links[i].carries = !is_light(&r->links[i]);
    for (int i = r->nlinks - 1; i > 0; i--) {
        const tmli_link *link = &r->links[r->order[i]];
        if (link->carries) r->links[r->joints[link->parent].parent].carries = true;
    }
}

// Moment of inertia about a joint of all that is fixed to its child; infinite if that carries more joints.
static double moment(const tmli_robot *r, const tmli_urdf_joint *j, int *stack)
{
    const tmli_link *child = &r->links[j->child];
    const vec3 axis = m3_mulv(&child->place.r, j->axis);
    double sum = 0;
    int count = 0;
    stack[count++] = j->child;
    while (count > 0) {
        const tmli_link *link = &r->links[stack[--count]];
        const vec3 inside = m3_tmulv(&link->place.r, axis),
                   arm = v3_sub(v3_add(link->place.p, m3_mulv(&link->place.r, link->centre)), child->place.p),
                   across = v3_cross(axis, arm);
        sum += fabs(v3_dot(inside, m3_mulv(&link->inertia, inside))) + link->mass * v3_dot(across, across);
        for (int k = link->first; k >= 0; k = r->joints[k].sibling) {
            if (!is_fixed(&r->joints[k])) return INFINITY;
            stack[count++] = r->joints[k].child;
        }
    }
    return sum;
}

// Joints that turn points of mass on their own axis, from the ends of the branches on.
static tml_status hold_idle_joints(tmli_robot *r)
{
    int *stack = tmli_arena_alloc(r->arena, (size_t)r->nlinks, sizeof *stack);
    double mass = 0, size = 0;
    tml_status st = stack ? TML_OK : tmli_no_memory(r->err, "robot");
    for (int i = 0; i < r->nlinks; i++) {
        mass += r->links[i].mass;
        size = fmax(size, v3_norm(r->links[i].place.p));
    }
    r->moment = LEAST_MOMENT * mass * size * size;
    for (int i = r->nlinks - 1; i > 0 && st == TML_OK; i--) {
        const tmli_link *link = &r->links[r->order[i]];
        tmli_urdf_joint *j = &r->joints[link->parent];
        const bool turns = j->kind == TMLI_URDF_REVOLUTE || j->kind == TMLI_URDF_CONTINUOUS;
        if (!turns || is_fixed(j) || moment(r, j, stack) > r->moment) continue;
        j->held = true;
        st =
            tmli_robot_note(r, j->element, "joint '%.80s' is held at %g: nothing has a moment about its axis",
                            j->given, j->start);
    }
    return st;
}

static tml_status hold_light_branches(tmli_robot *r)
{
    tml_status st = TML_OK;
    for (int i = 1; i < r->nlinks && st == TML_OK; i++) {
        const tmli_link *link = &r->links[r->order[i]];
        tmli_urdf_joint *j = &r->joints[link->parent];
        if (link->carries || is_fixed(j)) continue;
        j->held = true;
        st = tmli_robot_note(r, j->element, "joint '%.80s' is held at %g: nothing that it moves has a mass",
                             j->given, j->start);
    }
    return st;
}

// Joints that copy one that is held, or are held.
static tml_status free_followers(const tmli_robot *r)
{
    tml_status st = TML_OK;
    for (int i = 0; i < r->njoints && st == TML_OK; i++) {
        tmli_urdf_joint *j = &r->joints[i];
        if (j->leader < 0 || !(j->held || r->joints[j->leader].held)) continue;
        if (!j->held)
            st = tmli_robot_note(r, j->element, "joint '%.80s' copies no other: '%.80s' is held", j->given,
                                 r->joints[j->leader].given);
        j->leader = -1;
    }
    return st;
}

// The links that are fixed to each other, and the body of each.
static void find_holders(tmli_robot *r)
{
    for (int i = 0; i < r->nlinks; i++) r->links[i].holder = -1;
    for (int i = 0; i < r->nlinks; i++) {
        const int me = r->order[i];
        tmli_link *link = &r->links[me];
        const tmli_urdf_joint *j = link->parent >= 0 ? &r->joints[link->parent] : NULL;
        link->top = j && is_fixed(j) ? r->links[j->parent].top : me;
        tmli_link *top = &r->links[link->top];
        if (top->holder < 0 && !is_light(link)) top->holder = me;  // for the top itself, if it is light
    }
    if (r->ground >= 0) r->links[r->ground].holder = r->ground;
    for (int i = 0; i < r->nlinks; i++) {
        const int me = r->order[i];
        tmli_link *link = &r->links[me];
        if (link->top == me) link->holder = link->holder < 0 ? me : link->holder;
        else link->holder = is_light(link) ? r->links[r->joints[link->parent].parent].holder : me;
    }
}

// A first link that nothing holds, without mass and with one joint: what this joint carries moves freely
// without it, and would do so with it.
static tml_status hold_first_joint(tmli_robot *r, bool *again)
{
    int only = -1, count = 0;
    *again = false;
    if (r->ground >= 0 || !is_light(&r->links[r->links[r->first].holder])) return TML_OK;
    for (int i = 0; i < r->njoints; i++) {
        const tmli_urdf_joint *j = &r->joints[i];
        if (is_fixed(j) || r->links[j->parent].top != r->first) continue;
        only = i;
        count++;
    }
    if (count != 1) return TML_OK;
    tmli_urdf_joint *j = &r->joints[only];
    *again = j->held = true;
    return tmli_robot_note(r, j->element, "joint '%.80s' is held at %g: what it stands on has no mass",
                           j->given, j->start);
}

static tml_status note_light_bodies(const tmli_robot *r)
{
    tml_status st = TML_OK;
    for (int i = 0; i < r->nlinks && st == TML_OK; i++) {
        const tmli_link *link = &r->links[i];
        if (i == r->ground || link->holder != i || !is_light(link)) continue;
        st = tmli_robot_note(r, link->element,
                             "link '%.80s' moves and has no mass: it follows what it carries", link->given);
    }
    return st;
}

tml_status tmli_robot_weigh(tmli_robot *r)
{
    bool any = false, again = true;
    find_carriers(r);
    for (int i = 0; i < r->nlinks; i++) any = any || (i != r->ground && !is_light(&r->links[i]));
    if (!any)
        return tmli_fail_at(
            r->err, TML_ERR_MODEL, r->root->at, "No link that moves has a mass: give links an <inertial>%s.",
            r->ground >= 0 && !is_light(&r->links[r->ground]) ? ", or let the first one move (--floating)"
                                                              : "");
    tml_status st = hold_light_branches(r);
    if (st == TML_OK) st = hold_idle_joints(r);
    if (st == TML_OK) st = free_followers(r);
    while (again && st == TML_OK) {
        find_holders(r);
        st = hold_first_joint(r, &again);
    }
    return st == TML_OK ? note_light_bodies(r) : st;
}

// ---- impossible inertias ----------------------------------------------------------------------------------

// One rotation of Jacobi's method: S(p, q) becomes 0; V collects the rotations.
static void rotate(mat3 *S, mat3 *V, int p, int q)
{
    const double f = S->m[3 * p + q];
    if (f == 0) return;
    const double t = (S->m[4 * q] - S->m[4 * p]) / (2 * f), u = (t < 0 ? -1 : 1) / (fabs(t) + hypot(t, 1)),
                 c = 1 / hypot(u, 1), s = u * c;
    mat3 R = m3_identity();
    R.m[4 * p] = R.m[4 * q] = c;
    R.m[3 * p + q] = s;
    R.m[3 * q + p] = -s;
    const mat3 back = m3_transpose(&R), half = m3_mul(&back, S);
    *S = m3_mul(&half, &R);
    S->m[3 * p + q] = S->m[3 * q + p] = 0;
    *V = m3_mul(V, &R);
}

// J is that of a distribution of positive mass exactly if S = tr(J)/2 - J, the integral of x x', has no
// negative eigenvalue (spec/check.c). Without the negative ones S is the nearest such matrix, and
//   J = tr(S) - S                                                                                         (1)
// A largest moment that exceeds the sum of the two others stays, and these are raised alike.
void tmli_robot_mend(mat3 *J)
{
    const double half = 0.5 * (J->m[0] + J->m[4] + J->m[8]);
    mat3 S = m3_scale(-1, J), V = m3_identity(), good = {{0}};
    double trace = 0;
    for (int i = 0; i < 3; i++) S.m[4 * i] += half;
    for (int sweep = 0; sweep < 20; sweep++)  // it converges quadratically: five are enough
        for (int k = 0; k < 3; k++) rotate(&S, &V, k == 2 ? 1 : 0, k == 0 ? 1 : 2);
    for (int i = 0; i < 3; i++) {
        const double s = fmax(S.m[4 * i], 0);
        const mat3 part = m3_outer(v3_scale(s, m3_col(&V, i)), m3_col(&V, i));
        good = m3_add(&good, &part);
        trace += s;
    }
    *J = m3_scale(-1, &good);
    for (int i = 0; i < 3; i++) J->m[4 * i] += trace;  // (1)
}
