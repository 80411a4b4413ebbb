// The contract between physics and numerics: a constrained mechanical system
//
//   M(q) udot + B(q,t)' lambda = f(q,u,t)          (1)   B = dPhi/dd,  d: tangent increment, q (+) d
//   Phi(q,t) = 0                                   (2)   m rows
//   B u = nu(q,t),  nu = -Phi_t                    (3)   first derivative of (2) in time
//   B udot = gamma(q,u,t)                          (4)   second derivative of (2) in time
//
// with n velocity coordinates u and a configuration q (nq numbers) on a manifold. Multibody models implement
// it. A user implements it with callbacks for M, f and Phi (tml_system_create_user).
//
// First-order states z, zdot = g(q,u,z,t), are the velocities of the last nz coordinates
// (docs/decisions/0007-first-order-states.md). In these rows M is the identity, f is g, B has no entries, and
// nothing depends on the configuration: it is the integral of z.
//
// Rows at velocity level (nonholonomic: rolling, knife edges) have (3) and (4) without (2), with B and nu of
// their own. Where a function gives Phi, it gives B u - nu for them (velocity units), at x.u.
//
// What a system gives, in tiers:
//   required         residual, residual_rows, assemble, velocity, dynamics, diagonals, rows, and the scratch
//   derivatives      rows_times and gamma_derivatives, for methods on the degrees of freedom and others, and
//                    for rows at velocity level
//   manifold         retract, local, tangent, tangent_inverse, compose; tangent_rate and tangent_derivatives
//                    where T is not constant; transform_rows; count, add_turns and accept where there are
//                    rotations; check_branch where constraints have other branches
//   discontinuities  event_values, event_of_time, switch_modes, soft_mode, if nmode > 0
//   round-off        reach, where coordinates may become large
//   fast paths       increment, position, assemble_parts, accelerate; time_parts; input_change
//   energies         energy for the energy balance; power and power_parts for its terms
//   means            mean_residual, for methods that balance the energy of a step exactly
#ifndef TRAMMEL_SYSTEM_H
#define TRAMMEL_SYSTEM_H

#include <stdbool.h>
#include <trammel/archive.h>
#include <trammel/base.h>
#include <trammel/linsolver.h>
#include <trammel/switches.h>

TML_C_BEGIN

/** Constraint rows that are inactive: without an equation and with multiplier 0, because they depend on
 * others (always, or near a singular configuration). A force linear in time can replace theirs,
 *   M udot + B' lambda + g + (t - t0) g' = f,
 * without its component along the motion, (u.g/(u.D u + e)) D u, if D is not 0. The functions of a system
 * give inactive rows like all others, but count their penalties p as 0; who solves the equations leaves
 * them out. */
typedef struct tml_inactive_rows {
    int count;          ///< number of inactive rows
    bool has_force;     ///< g, g' and D have values; false: they are 0
    bool *row;          ///< (m) true: the row is inactive
    double t0;          ///< [s]
    double min_energy;  ///< [J] e, avoids a division by 0
    double *force;      ///< (n) g
    double *rate;       ///< (n) g'
    double *inertia;    ///< (n) D, diagonal
} tml_inactive_rows;

/** Everything that changes with time: a plain value. The state owns one block of memory that holds all
 * arrays. */
typedef struct tml_state {
    double t;  ///< time [s]
    int nq, n, m, na, nmode, nz, ninput;
    double input_t;  ///< time to which the values of inputs refer [s]
    /** Point of the inertial frame from which q counts positions [m]. Not 0 only if a model stands far from
     * the coordinate origin, compared with its length (500 lengths): positions would lose digits there. */
    double origin[3];
    double *q;                    ///< (nq) configuration
    double *u;                    ///< (n) velocities, the last nz of them first-order states
    double *z;                    ///< (nz) first-order states: u + n - nz
    double *udot;                 ///< (n) accelerations, and the rates of the first-order states
    double *lambda;               ///< (m) multipliers
    double *angle;                ///< (na) continuously counted angles [rad], to well within half a turn
    double *input;                ///< (2 ninput) value at input_t and slope [1/s] of each input
    double *mode;                 ///< (nmode) fixed branch of each discontinuity (switches.h)
    tml_inactive_rows *inactive;  ///< NULL: the system has no loops, all rows are active
} tml_state;

/** A step of a method that balances energy, for mean_residual. */
typedef struct tml_step {
    const tml_state *start, *end;
    const tml_state *middle;  ///< q0 (+) d/2, with u = d/h and udot = (u1 - u0)/h
    const double *d;          ///< (n) increment from start to end
    double h;                 ///< [s]
    double decay;             ///< [-] share of its change that a stress has beyond its mean; 0: conserving
} tml_step;

/** Coefficients of the iteration matrix computed by assemble:
 *
 *   [ cm M + cd D + (ck K + cp B' diag(p) B) T     B' diag(r) ]    K = d/dd [M udot + B' mu - f]
 *   [ diag(r) B T                                  0          ]    D = -df/du,  mu = lambda + p Phi
 *
 * T is the tangent operator of the retraction at `increment` (identity if NULL): q = q0 (+) increment. The
 * Newton matrix has cp = ck. The augmented projection and acceleration problems use cp alone.
 *
 * Rows at velocity level: velocities change by cv times the increment, and Phi is (B u - nu)/cv, a length.
 * Where B T stands for the derivative of Phi, they have B + (B u - nu)_d T/cv; B if cv = 0. Then mu = lambda,
 * too.
 *
 * With `step`, x is its middle, and K is that of mean_residual for ck = 1/2. It need not be exact. */
typedef struct tml_assembly {
    double cm, cd, ck, cp;
    const double *r;          ///< (m) row factors; NULL: all 1
    const double *p;          ///< (m) penalties; NULL: all 0
    const double *increment;  ///< (n); NULL: 0
    double cv;                ///< [1/s] for rows at velocity level; 0: see above
    const tml_step *step;     ///< forces are means over this step; NULL: those at x
    bool loads;               ///< B' - df/dlambda in place of B', if f depends on lambda
} tml_assembly;

/** Level at which a constraint row is given. */
typedef enum tml_level { TML_LEVEL_POSITION, TML_LEVEL_VELOCITY } tml_level;

/** What a coordinate measures. Tolerances and scaling compare lengths with angles through the length of the
 * model. The velocity of a state coordinate is a first-order state; its configuration is never judged. */
typedef enum tml_coordinate_kind {
    TML_COORDINATE_TRANSLATION,
    TML_COORDINATE_ROTATION,
    TML_COORDINATE_STATE
} tml_coordinate_kind;

typedef struct tml_system tml_system;

/** The functions of a system. `w` is the scratch memory made by create_work, one per thread; `self` is never
 * written. Functions that return a status return TML_RETRY (a smaller step may help) or TML_ERR_NAN (a value
 * is not finite) with a message if the equations cannot be evaluated at this state. `err` may be NULL. */
typedef struct tml_system_ops {
    void *(*create_work)(const void *self, const tml_env *env);  ///< NULL if memory is exhausted
    void (*destroy_work)(void *w);

    /** motion (n) = M udot + B'(lambda + p Phi) - f;  phi (m) = Phi (rows at velocity level: B u - nu). p may
     * be NULL. */
    tml_status (*residual)(const void *self, void *w, const tml_state *x, const double *p, double *motion,
                           double *phi, tml_error *err);
    /** As residual, and the values of B (as in rows), which the residual needs anyway. */
    tml_status (*residual_rows)(const void *self, void *w, const tml_state *x, const double *p,
                                double *motion, double *phi, double *rows, tml_error *err);
    /** motion (n) = M udot + B^'lambda - f^ with M, udot, lambda and the forces without a potential of the
     * middle of a step, and means over the step such that with its increment d
     *   f^.d = V0 - V1 - loss + h P,   loss >= 0, 0 if decay = 0,      B^ d = Phi(q1, t0) - Phi(q0, t0)
     * where V is the potential energy and P the power of the other forces at the middle, both of `energy`.
     * M must be constant. NULL: there are no such means; the residual at the middle replaces them. */
    tml_status (*mean_residual)(const void *self, void *w, const tml_step *step, double *motion,
                                tml_error *err);
    /** dphi (m) = Phi(q0 (+) d, t1) - Phi(q0, t0) without cancellation: the error is relative to dphi. x0
     * gives t0 and q0. NULL: the caller subtracts two values of Phi; very small steps then suffer from the
     * round-off of Phi. Values of rows at velocity level are not used. */
    tml_status (*increment)(const void *self, void *w, const tml_state *x0, const double *d, double t1,
                            double *dphi, tml_error *err);
    /** values (nnz): the iteration matrix, in pattern order. */
    tml_status (*assemble)(const void *self, void *w, const tml_state *x, const tml_assembly *a,
                           double *values, tml_error *err);
    /** M, D and K at once, each (nnz). The first n rows and columns are those of three calls of assemble with
     * p = NULL and increment = NULL; the other entries are 0. NULL: the caller calls assemble three times. */
    tml_status (*assemble_parts)(const void *self, void *w, const tml_state *x, double *M, double *D,
                                 double *K, tml_error *err);
    /** phi (m) = Phi alone. NULL: the caller uses residual. */
    tml_status (*position)(const void *self, void *w, const tml_state *x, double *phi, tml_error *err);
    /** phidot (m) = B u - nu. */
    tml_status (*velocity)(const void *self, void *w, const tml_state *x, double *phidot, tml_error *err);
    /** f (n) and gamma (m). */
    tml_status (*dynamics)(const void *self, void *w, const tml_state *x, double *f, double *gamma,
                           tml_error *err);
    /** The parts of f and gamma that depend on t; other terms may be missing: for a fixed motion both change
     * with t as those of `dynamics` do. NULL: the caller uses that. */
    tml_status (*time_parts)(const void *self, void *w, const tml_state *x, double *f, double *gamma,
                             tml_error *err);
    /** Solve (1) and (4) for udot and lambda of x with an algorithm that uses the topology. NULL: the caller
     * solves the assembled equations. */
    tml_status (*accelerate)(const void *self, void *w, tml_state *x, tml_error *err);
    /** Absolute diagonals of M, D and K (forces only, without B' lambda), each (n). */
    tml_status (*diagonals)(const void *self, void *w, const tml_state *x, double *m, double *d, double *k,
                            tml_error *err);
    /** values (rowptr[m]): B, row by row as in rowptr and rowcol. */
    tml_status (*rows)(const void *self, void *w, const tml_state *x, double *values, tml_error *err);
    /** Derivative of B v by d for a constant vector v (n); values ordered as in rows. */
    tml_status (*rows_times)(const void *self, void *w, const tml_state *x, const double *v, double *values,
                             tml_error *err);
    /** Derivatives of gamma by d and by u; values ordered as in rows. */
    tml_status (*gamma_derivatives)(const void *self, void *w, const tml_state *x, double *by_d, double *by_u,
                                    tml_error *err);

    /** out (nq) = q (+) d. out may be q. */
    void (*retract)(const void *self, const double *q, const double *d, double *out);
    /** d (n) with q0 (+) d = q1, for two close configurations. */
    void (*local)(const void *self, const double *q0, const double *q1, double *d);
    /** out (n) = inverse(T(d)) u: the rate of the increment d if the configuration moves with the velocity
     * u. */
    void (*tangent_inverse)(const void *self, const double *d, const double *u, double *out);
    /** out (n) = T(d) v: the velocity of the configuration if the increment d has the rate v. */
    void (*tangent)(const void *self, const double *d, const double *v, double *out);
    /** out (n) = (d/dt T(d)) v where d has the rate v, so that udot = T vdot + out. NULL: zero (T is
     * constant). */
    void (*tangent_rate)(const void *self, const double *d, const double *v, double *out);
    /** Derivatives of T at d = 0: first = T'[x] u, second = T''[x, u] u. NULL: zero if tangent_rate is NULL,
     * otherwise the caller takes differences. T'[x] x must be 0, which holds if q (+) d (+) -d = q. */
    void (*tangent_derivatives)(const void *self, const double *x, const double *u, double *first,
                                double *second);
    /** out (n) with (q (+) d1) (+) d2 = q (+) out; the error is relative to d1 and d2. out may be d1 or
     * d2. */
    void (*compose)(const void *self, const double *d1, const double *d2, double *out);
    /** Transform the row values `rows` (m) from the constraint frames at q0 to those at q1, in place. If rows
     * turn with a body and nothing else changes, an iteration matrix factored at q1 can then be used at q0.
     * NULL: rows have no frames. */
    void (*transform_rows)(const void *self, const double *q0, const double *q1, double *rows);
    /** angle (na) := the counted angles of x0 after its configuration has moved along q0 (+) s d, s = 0..1,
     * to well within half a turn: a state at q0 (+) d with them counts the turns made on the way. angle may
     * be x0->angle. NULL: there are no counted angles, or no increment turns them by half a turn. */
    void (*count)(const void *self, const tml_state *x0, const double *d, double *angle);
    /** Add full turns to the rotations in d (n), which leaves q (+) d as it is, so that d is nearest to
     * `near` (n): `local` finds the shortest increment, and a motion may have turned further. NULL: the
     * increment between two configurations is unique. */
    void (*add_turns)(const void *self, const double *near, double *d);
    /** Constraints may have solutions on other branches, which no motion reaches, such as axes turned by half
     * a turn. TML_RETRY with a message if x, which satisfies them, is on another branch than the start of the
     * system. NULL: there is one branch. */
    tml_status (*check_branch)(const void *self, void *w, const tml_state *x, tml_error *err);
    /** After an accepted step: set the continuously counted angles of x to their exact values. NULL if there
     * are none. */
    void (*accept)(const void *self, void *w, tml_state *x);
    /** Energies [J], and the power [W] of all forces without a potential and of time-dependent constraints.
     * NULL if not known. */
    tml_status (*energy)(const void *self, void *w, const tml_state *x, double *kinetic, double *potential,
                         double *power, tml_error *err);
    /** The power of `energy` alone, where this costs less. NULL: `energy` gives it. */
    tml_status (*power)(const void *self, void *w, const tml_state *x, double *power, tml_error *err);
    /** Parts of the power that `energy` or `power` found last in w: of drivers, applied forces and laws; of
     * contacts [W]. NULL: they are not known. */
    void (*power_parts)(const void *w, double *supplied, double *touching);

    /** out (n) = the residual of motion at x with the inputs of `with` less the one with its own. NULL: the
     * two are evaluated. */
    void (*input_change)(const void *self, void *w, const tml_state *x, const tml_state *with, double *out);

    // Discontinuities: points at which forces or constraints jump or have a kink. Each has an event function,
    // which is zero there, and a mode, which selects one smooth branch. With x.mode fixed, all functions are
    // smooth, also beyond the end of the branch. The following functions are NULL if nmode = 0.

    /** values (nmode): event functions at x, positive on the branch x.mode and negative beyond its end;
     * infinite if the mode has no effect at x. */
    void (*event_values)(const void *self, void *w, const tml_state *x, double *values);
    /** Event function of discontinuity i, which depends on time alone, and its first two time derivatives. */
    void (*event_of_time)(const void *self, int i, double t, const double *mode, double jet[3]);
    /** Update the modes of x. A discontinuity with a negative event function gets the branch on which x is.
     * One exactly at the end of a branch gets the branch of `later`, a state slightly later. all: recompute
     * every mode. Returns the number of changed modes. *constraint (may be NULL): a row whose right-hand side
     * changed, -1: none. */
    int (*switch_modes)(const void *self, void *w, tml_state *x, const tml_state *later, bool all,
                        int *constraint);
    /** The mode that smooths jump i over `width` (in units of the compared quantity), for motion that slides
     * along the jump; infinite: discontinuity i is no jump. */
    double (*soft_mode)(const void *self, int i, double width);
    /** How many times the round-off of numbers of the size of `length` the positions of q have: 1, or more if
     * bodies are far from where q counts positions from. NULL: 1. */
    double (*reach)(const void *self, const double *q);
    void (*destroy)(void *self);
} tml_system_ops;

/** A system. Threads may share it: its functions write to the scratch memory only. */
struct tml_system {
    const tml_system_ops *ops;
    void *self;
    tml_env env;
    int nq, n, m, na;
    /** Number of first-order states: the last nz coordinates, of kind state. Their configuration should keep
     * the digits of increments over any time: systems of callbacks store it as a sum of two numbers. */
    int nz;
    int ninput;                  ///< number of inputs
    const double *state_scale;   ///< (nz) nominal magnitude of z, for tolerances; NULL: 1
    int nmode;                   ///< number of discontinuities; 0: the system is smooth
    const tml_switch *switches;  ///< (nmode)
    const int *switch_of_row;    ///< (m) the switch whose row it is, -1: none; NULL: of no row
    bool switches_rows;          ///< some are friction or unilateral constraints
    bool unilateral;             ///< some are unilateral constraints
    bool retraction_curved;      ///< T(d) d differs from d: the velocity changes along q (+) s d
    bool autonomous;             ///< the equations do not depend on t; false: they may
    bool conservative;           ///< the power given by energy is always 0; false: it may not be
    bool coupled;                ///< M may have entries between different coordinate blocks of the pattern
    /** f depends on lambda too (friction whose load is a reaction): residual and dynamics take it from x, and
     * the index-1 equations are solved by iteration. */
    bool loads;
    bool loops;        ///< rows of B may be linearly dependent in some configuration; false: never
    double length;     ///< size of the model [m]
    double origin[3];  ///< of its states [m]
    /** Error of the accelerations by difference quotients, relative to the square of the speed over one
     * length: it does not fall with the step, and is added to what a step is allowed. 0: round-off. */
    double noise;
    const tml_coordinate_kind *kind;  ///< (n)
    const int *node;                  ///< (n) index of the body or point to which a coordinate belongs
    /** (n) Adjacent coordinates with the same number are components of one vector; its norm weights their
     * errors. NULL: one group per node and kind. */
    const int *group;
    /** (n) The lowest coordinate of the part to which a coordinate belongs: a body, an elastic part, what
     * inertia couples. The energy of vibrations is judged part by part. NULL: what the pattern couples. */
    const int *part;
    const tml_pattern *pattern;  ///< (n + m): coordinates, then multipliers
    const int *rowptr, *rowcol;  ///< pattern of B by rows: (m + 1), (rowptr[m])
    const unsigned char *level;  ///< (m) tml_level of a row; NULL: all at position level
    bool selects_rows;           ///< x.inactive is in effect; false: all rows have equations
    // Names for messages. They return buf or a static text, never NULL.
    const char *(*coordinate_name)(const tml_system *sys, int i, char *buf, size_t size);
    const char *(*row_name)(const tml_system *sys, int r, char *buf, size_t size);
    /** The element that has discontinuity i. The function may be NULL. */
    const char *(*mode_name)(const tml_system *sys, int i, char *buf, size_t size);
    const char *(*row_unit)(const tml_system *sys,
                            int r);  ///< "m" or "rad"; function NULL: units are not known
};

/** A state of the system with all values 0. The caller destroys it. Error: TML_ERR_NOMEM. */
TML_API tml_status tml_state_create(const tml_system *sys, tml_state **out, tml_error *err);
/** Copy all values; both states belong to the same system. No allocation. */
TML_API void tml_state_copy(tml_state *to, const tml_state *from);
TML_API void tml_state_destroy(tml_state *x, const tml_system *sys);  ///< x may be NULL
/** All values of a state, in an archive. */
TML_API void tml_state_archive(tml_state *x, tml_archive *a);

/** A system given by callbacks, on a vector space: q (+) d = q + d, u = qdot. In the state of the system u
 * has n + nz numbers, and q has n + 2 nz: two numbers per first-order state, sum and rest of its integral.
 * Matrices are dense and row-major. Outputs are 0 on entry. Each callback gets `user` as its last argument
 * and returns TML_OK, TML_RETRY (a smaller step may help) or an error. Callbacks that are NULL although they
 * may be are replaced by difference quotients. */
typedef struct tml_user_system_def {
    size_t size;    ///< set by tml_user_system_def_default()
    int n, m;       ///< number of coordinates and of constraint rows; n = 0 if there are only states
    double length;  ///< typical size of q, for tolerances; default 1
    /** (n x n); NULL if n = 0. */
    tml_status (*mass)(double t, const double *q, double *M, void *user);
    /** (n); NULL if n = 0. */
    tml_status (*force)(double t, const double *q, const double *u, double *f, void *user);
    /** (m - velocity_rows); NULL if that is 0. */
    tml_status (*constraint)(double t, const double *q, double *phi, void *user);
    /** ((m - velocity_rows) x n) B; may be NULL. */
    tml_status (*constraint_jacobian)(double t, const double *q, double *B, void *user);
    /** (n x n) df/dq; may be NULL. */
    tml_status (*force_by_q)(double t, const double *q, const double *u, double *fq, void *user);
    /** (n x n) df/du; may be NULL. */
    tml_status (*force_by_u)(double t, const double *q, const double *u, double *fu, void *user);
    /** (n x n) d/dq [M udot + B' mu], without -df/dq; may be NULL. */
    tml_status (*stiffness)(double t, const double *q, const double *udot, const double *mu, double *K,
                            void *user);
    /** (m) right-hand side of (4); may be NULL. */
    tml_status (*gamma)(double t, const double *q, const double *u, double *gamma, void *user);
    /** Energies [J]; may be NULL: the kinetic energy follows from M, the potential energy is 0. */
    tml_status (*energy)(double t, const double *q, const double *u, double *kinetic, double *potential,
                         void *user);
    void *user;
    /** Number of first-order states z. Where callbacks get u, it has n + nz numbers, the velocities and then
     * z; force_by_u is (n x (n + nz)). Forces may depend on z, M and constraints may not. */
    int nz;
    /** (nz) zdot; NULL if nz = 0. */
    tml_status (*rate)(double t, const double *q, const double *u, double *zdot, void *user);
    /** (nz x n) dzdot/dq; may be NULL. */
    tml_status (*rate_by_q)(double t, const double *q, const double *u, double *gq, void *user);
    /** (nz x (n + nz)) dzdot/du; may be NULL. */
    tml_status (*rate_by_u)(double t, const double *q, const double *u, double *gu, void *user);
    const double *state_scale;  ///< (nz) nominal magnitude of z, copied; NULL: 1
    /** Number of rows at velocity level, B u = nu: the last ones of the m rows. `constraint` and
     * constraint_jacobian give the others. */
    int velocity_rows;
    /** (velocity_rows x n) B; NULL if velocity_rows = 0. */
    tml_status (*velocity_jacobian)(double t, const double *q, double *B, void *user);
    /** (velocity_rows) nu; NULL: 0. */
    tml_status (*velocity_nu)(double t, const double *q, double *nu, void *user);
    /** (m - velocity_rows) dphi = Phi(t1, q0 + d) - Phi(t0, q0), with an error relative to dphi, not to Phi:
     * for a rod |q|^2 - L^2 this is (2 q0 + d)'d. At tight tolerances steps are so short that the round-off
     * of Phi over h^2 would decide. Derivatives of Phi that are not given follow from it with more digits.
     * May be NULL: it is then integrated from constraint_jacobian along d, if that is given; else values of
     * Phi are subtracted. */
    tml_status (*constraint_increment)(double t0, const double *q0, double t1, const double *d, double *dphi,
                                       void *user);
} tml_user_system_def;

TML_API tml_user_system_def tml_user_system_def_default(void);
/** Create a system from callbacks. The definition is copied; env may be NULL. Errors: TML_ERR_ARG,
 * TML_ERR_NOMEM. */
TML_API tml_status tml_system_create_user(const tml_user_system_def *def, const tml_env *env,
                                          tml_system **out, tml_error *err);
/** Destroy a system of callbacks; accepts NULL. The system of a model is destroyed with the model. */
TML_API void tml_system_destroy(tml_system *sys);

TML_C_END
#endif
