// The contact problem: impulses of points with Coulomb friction between bodies that move freely otherwise.
//
// Point c has three rows G_c over the coordinates of two bodies, one along its normal and two along tangents,
// its impulse r = (r_N, r_T) and its velocity u = G_c v:
//   v = v_free + sum P G_c' r_c                                  P: what a body answers to an impulse    (1)
//   0 <= u_N - b   _|_  r_N >= 0                                 b: the rate that the law of impact demands
//   |r_T| <= mu r_N,   r_T = -mu r_N u_T/|u_T| where u_T is not 0                                        (2)
// (2) is the complementarity of the cones K = {|r_T| <= mu r_N} and K*, with the velocity of De Saxce and
// Feng (Math. Comput. Model. 28 (1998) 225)
//   K* contains w = u - b + mu |u_T| n,   w _|_ r in K                                                   (3)
// The residual of a point is its natural map in units of velocity, F = (r - P_K(r - s w))/s, s = 3/trace
// W_cc, with the projection P_K on the cone and W_cc = G_c P G_c'.
//
// Bodies that touch, directly or through others, are an island; fixed bodies join nothing. Each is solved for
// itself:
//   1. sweeps over its points, each solved exactly with the others held (block Gauss-Seidel; Jourdan, Alart,
//      Jean, Comput. Methods Appl. Mech. Engrg. 155 (1998) 31), from the impulses of the last step on
//   2. all points at once by a factorization over bodies (bodies.c) or points, for given modes of stick and
//      slip (modes.c), which is the solution, to round-off, where the modes are consistent with it
//   3. splitting into the motion of bodies and the law of each point (split.c), then 1 and 2 again
// Heaps of spheres are swept first (balls.c). The residual is measured, and above the tolerance it is missed.
// The order is that of the points: the same bits in every run.
#ifndef TMLI_LINALG_CONE_CONE_H
#define TMLI_LINALG_CONE_CONE_H

#include "base/base.h"

/** Points of an island up to which it is small: solved at once also over points, and to a closer tolerance.
 * Origin: 96 points, a stack of 24 boxes, have 288 unknowns, whose factorization costs as much as 1000
 * sweeps. */
enum { TMLI_CONE_DIRECT = 96 };

/** A point. Bodies have up to 6 coordinates; rows and answers of those that do not exist are 0. */
typedef struct tmli_cone_point {
    int at[2];        // first coordinate of each body; -1: none
    int unit[2];      // the body, for islands; -1: fixed, joins nothing
    bool in;          // takes part
    bool round;       // of spheres (internal.h); set by tmli_cone_weigh
    int far;          // index of its answer in all coordinates that are coupled to others; -1: none
    double mu, b;     // coefficient of friction; [m/s]
    double r[3];      // impulse [N s]: in the start, out the solution
    double W[6];      // of W_cc: NN, NT, NT', TT, TT', T'T'
    double G[3][12];  // rows
    double H[3][12];  // P G', by rows; 0 for a body whose answer is `far`
} tmli_cone_point;

/** The same of two spheres, or of one and a fixed body, in heaps (balls.c). */
typedef struct tmli_cone_ball {
    int at[2];
    double axis[3][3];      // n, t, t'
    double arm[2][2][3];    // of each body, for t and t'
    double mobility[2][2];  // of each body: 1/m, 1/J
    double W[2], mu, b, r[3];
} tmli_cone_ball;

/** What a point does in a solution at once. */
typedef struct tmli_cone_mode {
    enum { TMLI_CONE_OPEN, TMLI_CONE_STICK, TMLI_CONE_SLIP } kind;
    double t[2];  // direction of slip
} tmli_cone_mode;

/** What a solution has cost and reached. */
typedef struct tmli_cone_result {
    int islands;
    long sweeps;      // over all points of an island, added up over islands by their share of the points
    int direct;       // islands solved at once
    int missed;       // islands whose residual is above the tolerance
    int worst;        // the point with the largest residual of those; -1: there is none
    double residual;  // largest over the islands, over their largest demanded change of velocity
} tmli_cone_result;

/** The bodies of an island, and the matrix of its impulses over them (bodies.c). */
typedef struct tmli_cone_bodies {
    int n;                  // bodies of the present island
    int *place, *body;      // (units) where a body is in the order, -1: nowhere; the bodies in it
    int *first;             // (units) first block of each row
    int *begin, *next;      // (units + 1), (2 room) neighbours
    size_t *row, room;      // (units) where the blocks of a row begin; blocks there is room for
    double *lower, *upper;  // (36 room) blocks left of the diagonal by rows, above it by columns
    double *inverse;        // (36 units) of the blocks of the diagonal
    double *velocity;       // (6 units)
    double *shift;          // (room of points)
} tmli_cone_bodies;

typedef struct tmli_cone {
    tml_env env;
    int n, units, room;      // coordinates, bodies, points
    int count;               // points
    tmli_cone_point *point;  // (room)
    double least;            // [m/s] change of velocity that points demand at least; 0: none
    double *v;               // (n + 6) velocities, with the impulses
    int nfar;                // coordinates that are coupled to others
    int *far_at;             // (nfar) which they are
    double *far;             // (3 nfar) per point with an answer there, of far_room
    int far_room;
    int *parent, *label;  // (units) of islands
    int *order, *begin;   // (room + 1) points by island, first of each
    double *dense;        // of solutions at once over points
    int *pivot;
    double *rhs, *save;    // (3 room) of solutions at once
    double *split;         // (3 room) velocities of points in split.c
    double *free, *kept;   // (n + 6) velocities without impulses, and of `save`
    tmli_cone_mode *mode;  // (room)
    tmli_cone_bodies bodies;
    tmli_cone_ball *ball;  // (room)
} tmli_cone;

/** A problem for up to `room` points, far_room of them with an answer in the nfar coupled coordinates. */
tml_status tmli_cone_create(const tml_env *env, int n, int units, int room, int nfar, int far_room,
                            tmli_cone *out, tml_error *err);
void tmli_cone_clear(tmli_cone *c);

/** u (3) = G v of a point. */
void tmli_cone_velocity(const tmli_cone *c, const tmli_cone_point *p, double u[3]);
/** v += P G' dr. */
void tmli_cone_push(tmli_cone *c, const tmli_cone_point *p, const double dr[3]);
/** Set W of a point from its rows and answers. */
void tmli_cone_weigh(const tmli_cone *c, tmli_cone_point *p);
/** Solve for the points that take part. v contains the impulses r from which it starts. tolerance: of the
 * residual, over the largest change of velocity that a point of the island demands. */
tmli_cone_result tmli_cone_solve(tmli_cone *c, double tolerance);

// ---- a single point (point.c) -----------------------------------------------------------------------------

/** r (3) with (2) for u = W r + q; deterministic where there are several. */
void tmli_cone_local(const double W[6], double mu, const double q[3], double r[3]);
/** The size of F for the velocity u [m/s]. */
double tmli_cone_residual(const tmli_cone_point *p, const double u[3]);

#endif
