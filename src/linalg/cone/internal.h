// Shared by the files of the contact problem.
#ifndef TMLI_LINALG_CONE_INTERNAL_H
#define TMLI_LINALG_CONE_INTERNAL_H

#include "linalg/cone/cone.h"

/** W (3 x 3): the velocity of p by unit impulses of q. */
void tmli_cone_block(const tmli_cone *c, const tmli_cone_point *p, const tmli_cone_point *q, double W[9]);
/** True for points of spheres: normal and tangents are not coupled but for round-off, and the tangents are
 * alike. Such a point slips against its slip without friction. */
bool tmli_cone_is_round(const double W[6]);
/** Largest residual of points [m/s]. */
double tmli_cone_island_residual(const tmli_cone *c, const int *order, int count);
/** Rows of a point in its mode. */
static inline int tmli_cone_rows(const tmli_cone_mode *m)
{
    return m->kind == TMLI_CONE_STICK ? 3 : m->kind == TMLI_CONE_OPEN ? 0 : 1;
}

// ---- bodies.c ---------------------------------------------------------------------------------------------

bool tmli_cone_bodies_create(const tml_env *env, int units, int room, tmli_cone_bodies *s);
void tmli_cone_bodies_clear(const tml_env *env, tmli_cone_bodies *s);
/** Order the bodies of an island; false: it is too large for a factorization, or has coupled coordinates. */
bool tmli_cone_bodies_enter(tmli_cone *c, const int *order, int count);
/** Forget the island. */
void tmli_cone_bodies_leave(tmli_cone *c);
/** Factor the matrix of the modes c->mode; shift: over the mean mobility of each point; false: singular. */
bool tmli_cone_bodies_factor(tmli_cone *c, const int *order, int count, double shift);
/** Velocities s->velocity := (1 + C R/e)^-1 of them. */
void tmli_cone_bodies_substitute(tmli_cone_bodies *s);
/** x: changes of velocity of the rows of the modes, to impulses. */
void tmli_cone_bodies_solve(tmli_cone *c, const int *order, int count, double *x);

// ---- keep.c -----------------------------------------------------------------------------------------------

/** Copy the velocities of the bodies of an island. */
void tmli_cone_copy_velocities(const tmli_cone *c, const int *order, int count, const double *from,
                               double *to);
/** Keep the impulses and velocities of an island: c->save, c->kept. */
void tmli_cone_keep(tmli_cone *c, const int *order, int count);
/** Return to what was kept, to the last digit. */
void tmli_cone_restore(tmli_cone *c, const int *order, int count);

// ---- cone.c -----------------------------------------------------------------------------------------------

/** Solve each point of an island for itself, one after the other. */
void tmli_cone_sweep(tmli_cone *c, const int *order, int count);

// ---- balls.c ----------------------------------------------------------------------------------------------

/** Fill c->ball with the points of an island; false: not all have that form. */
bool tmli_cone_balls_pack(tmli_cone *c, const int *order, int count);
/** Impulses of c->ball to the points. */
void tmli_cone_balls_unpack(tmli_cone *c, const int *order, int count);
/** A sweep over c->ball. */
void tmli_cone_balls_sweep(tmli_cone *c, int count);

// ---- split.c ----------------------------------------------------------------------------------------------

/** Improve the impulses of an island that bodies.c has entered; cycle: how often it was tried before.
 * Returns the residual, which is not larger than the one given. */
double tmli_cone_split(tmli_cone *c, const int *order, int count, int cycle, double residual, double wanted);

// ---- modes.c ----------------------------------------------------------------------------------------------

/** Replace the impulses of an island, over bodies or at most TMLI_CONE_DIRECT points, by a solution at once,
 * if its residual is less than the present one; returns the residual. stick: the first modes are that all
 * stick, not those of the present impulses. wanted: a residual that is small enough. */
double tmli_cone_at_once(tmli_cone *c, const int *order, int count, bool stick, double residual,
                         double wanted);

#endif
