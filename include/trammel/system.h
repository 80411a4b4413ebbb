// The contract between physics and numerics: a constrained mechanical system
//
//   M(q) udot + B(q,t)' lambda = f(q,u,t)          (1)   B = dPhi/dd,  d: tangent increment, q (+) d
//   Phi(q,t) = 0                                   (2)   m rows
//   B u = nu(q,t),  nu = -Phi_t                    (3)   its first
//   B udot = gamma(q,u,t)                          (4)   and second derivative in time
//
// with n velocity coordinates u and a configuration q (nq numbers) on a manifold. Multibody models implement
// it, and so do callbacks of a user who brings M, f, Phi in a page of C (tml_system_create_user).
#ifndef TRAMMEL_SYSTEM_H
#define TRAMMEL_SYSTEM_H

#include <stdbool.h>
#include <trammel/base.h>
#include <trammel/linsolver.h>

#ifdef __cplusplus
extern "C" {
#endif

/** All that changes with time: a plain value. The arrays live in one block owned by the state. */
typedef struct tml_state {
    double t;  ///< [s]
    int nq, n, m, na, nmode;
    double *q;       ///< (nq) configuration
    double *u;       ///< (n) velocities
    double *udot;    ///< (n) accelerations
    double *lambda;  ///< (m) multipliers
    double *angle;   ///< (na) last accepted values of the continuously counted angles [rad]
    double *
        /** (nmode) branches on which the switches of the model are held; 0: none, infinite: none any more */
        mode;
} tml_state;

/** Blocks of the iteration matrix asked for by assemble:
 *
 *   [ cm M + cd D + (ck K + cp B' diag(p) B) T     B' diag(r) ]    K = d/dd [M udot + B' mu - f],  mu = lambda + p Phi
 *   [ diag(r) B T                                  0          ]    D = -df/du
 *
 * T = tangent operator of the retraction at `increment` (identity if NULL): q = q0 (+) increment. Newton's
 * matrix has cp = ck; cp alone serves the augmented projection and acceleration problems. */
typedef struct tml_assembly {
    double cm, cd, ck, cp;
    const double *r;          ///< (m) row factors; NULL: all 1
    const double *p;          ///< (m) penalties; NULL: all 0
    const double *increment;  ///< (n) or NULL
} tml_assembly;

/** What a coordinate measures: tolerances and scaling treat lengths and angles alike through the model's
 * length. */
typedef enum tml_coordinate_kind { TML_COORDINATE_TRANSLATION, TML_COORDINATE_ROTATION } tml_coordinate_kind;

typedef struct tml_system tml_system;

/** The functions of a system. `w` is the scratch memory made by create_work: one per thread; self is never
 * written. All return TML_RETRY or TML_ERR_NAN with a sentence if an evaluation makes no sense at this
 * state. */
typedef struct tml_system_ops {
    void *(*create_work)(const void *self, const tml_env *env);  ///< NULL if memory is exhausted
    void (*destroy_work)(void *w);

    /** motion (n) = M udot + B'(lambda + p Phi) - f;  phi (m) = Phi. p may be NULL. */
    tml_status (*residual)(const void *self, void *w, const tml_state *x, const double *p, double *motion,
                           double *phi, tml_error *err);
    /** As residual, with the values of B that it needs anyway (as in rows). */
    tml_status (*residual_rows)(const void *self, void *w, const tml_state *x, const double *p,
                                double *motion, double *phi, double *rows, tml_error *err);
    /** dphi (m) = Phi(q0 (+) d, t1) - Phi(q0, t0), accurate to the size of the change; x0 gives t0 and q0.
     * NULL if the system can only subtract: then very small steps suffer from the round-off of Phi. */
    tml_status (*increment)(const void *self, void *w, const tml_state *x0, const double *d, double t1,
                            double *dphi, tml_error *err);
    /** The iteration matrix, in pattern order. */
    tml_status (*assemble)(const void *self, void *w, const tml_state *x, const tml_assembly *a,
                           double *values, tml_error *err);
    /** M, D and K at once, each (nnz): the first n rows and columns are those that assemble gives one by one
     * (p = NULL, no increment), the rest is 0. NULL: three calls of assemble. */
    tml_status (*assemble_parts)(const void *self, void *w, const tml_state *x, double *M, double *D,
                                 double *K, tml_error *err);
    /** phi (m) = Phi alone. NULL: ask for the residual. */
    tml_status (*position)(const void *self, void *w, const tml_state *x, double *phi, tml_error *err);
    /** phidot (m) = B u - nu. */
    tml_status (*velocity)(const void *self, void *w, const tml_state *x, double *phidot, tml_error *err);
    /** f (n) and gamma (m). */
    tml_status (*dynamics)(const void *self, void *w, const tml_state *x, double *f, double *gamma,
                           tml_error *err);
    /** udot and lambda of x from (1) and (4), by a way that follows the topology. NULL: solve the assembled
     * equations. */
    tml_status (*accelerate)(const void *self, void *w, tml_state *x, tml_error *err);
    /** Absolute diagonals of M, D and K (forces only, without B' lambda), each (n). */
    tml_status (*diagonals)(const void *self, void *w, const tml_state *x, double *m, double *d, double *k,
                            tml_error *err);
    /** Values of B (row by row as in rowptr, rowcol). */
    tml_status (*rows)(const void *self, void *w, const tml_state *x, double *values, tml_error *err);
    /** (B v)_d for a held vector v (n), values as in rows. */
    tml_status (*rows_times)(const void *self, void *w, const tml_state *x, const double *v, double *values,
                             tml_error *err);
    /** gamma_d and gamma_u, values as in rows. */
    tml_status (*gamma_derivatives)(const void *self, void *w, const tml_state *x, double *by_d, double *by_u,
                                    tml_error *err);

    /** out = q (+) d. out may be q. */
    void (*retract)(const void *self, const double *q, const double *d, double *out);
    /** d (n) with q0 (+) d = q1, for near configurations. */
    void (*local)(const void *self, const double *q0, const double *q1, double *d);
    /** out = inverse(T(d)) u: the derivative of the increment d whose configuration moves with velocity u. */
    void (*tangent_inverse)(const void *self, const double *d, const double *u, double *out);
    /** out = T(d) v: the velocity of the configuration whose increment d has the derivative v. */
    void (*tangent)(const void *self, const double *d, const double *v, double *out);
    /** out = (d/dt T(d)) v with d moving at the rate v: what udot = T vdot + out needs. NULL: zero (T is
     * constant). */
    void (*tangent_rate)(const void *self, const double *d, const double *v, double *out);
    /** Derivatives of T at d = 0: first = T'[x] u, second = T''[x, u] u. NULL: zero where tangent_rate is,
     * else by differences. T'[x] x must be 0, as it is if q (+) d (+) -d = q. */
    void (*tangent_derivatives)(const void *self, const double *x, const double *u, double *first,
                                double *second);
    /** out with (q (+) d1) (+) d2 = q (+) out, to the relative accuracy of d1 and d2. out may be d1 or d2. */
    void (*compose)(const void *self, const double *d1, const double *d2, double *out);
    /** rows (m) in the frames that constraints have at q0 -> in those at q1: where rows turn with a body and
     * all else does not change, an iteration matrix made at q1 then serves at q0. NULL: rows have no frames.
     */
    void (*transform_rows)(const void *self, const double *q0, const double *q1, double *rows);
    /** A step was accepted: carry the continuously counted angles of x forward. NULL if there are none. */
    void (*accept)(const void *self, void *w, tml_state *x);
    /** Energies [J] and power [W] of all forces without potential and of time-dependent constraints. NULL if
     * unknown. */
    tml_status (*energy)(const void *self, void *w, const tml_state *x, double *kinetic, double *potential,
                         double *power, tml_error *err);

    // Switches: places where forces or constraints jump or have a kink. With x.mode held they are smooth,
    // also beyond the place where a branch ends. The functions are NULL if nmode = 0.

    /** margin (nmode) at x: positive on the branch of x.mode, negative beyond its end; infinite if it does
     * not matter. */
    void (*event_values)(const void *self, void *w, const tml_state *x, double *margin);
    /** Margin of a switch that depends on time alone, and its first two derivatives. */
    void (*event_of_time)(const void *self, int i, double t, const double *mode, double jet[3]);
    /** Put the switches of x whose margin is negative onto the branch they are on, those exactly on a border
     * onto that of `later`, a state a little later; all: every switch anew. Returns the number of changed
     * modes; *constraint (may be NULL) becomes a row whose right side switched, -1: none. */
    int (*switch_modes)(const void *self, void *w, tml_state *x, const tml_state *later, bool all,
                        int *constraint);
    /** The mode of switch i softened over a width of what it compares, for motion along a jump; infinite: it
     * is none. */
    double (*soft_mode)(const void *self, int i, double width);
    void (*destroy)(void *self);
} tml_system_ops;

/** A system. Immutable; shared by threads. */
struct tml_system {
    const tml_system_ops *ops;
    void *self;
    tml_env env;
    int nq, n, m, na;
    int nmode;                 ///< switches; 0: the system is smooth
    const bool *mode_of_time;  ///< (nmode) true: the switch depends on time alone
    bool retraction_curved;    ///< T(d) d is not d: the velocity changes along q (+) s d
    bool autonomous;           ///< t enters nowhere; false: it may
    bool conservative;         ///< the power given by energy is always 0; false: it may not be
    bool coupled;              ///< M may have entries between different coordinate blocks of the pattern
    bool loops;                ///< rows of B may depend on each other, somewhere; false: never
    double length;             ///< the model's size [m]
    const tml_coordinate_kind *kind;  ///< (n)
    const int *node;                  ///< (n) which body or point a coordinate belongs to
    const int *
        /** (n) neighbours with the same number are components of one velocity, and errors of each are */
        group;
    ///< judged by its size; NULL: coordinates of one node and kind
    const tml_pattern *pattern;  ///< (n + m): coordinates, then multipliers
    const int *rowptr, *rowcol;  ///< pattern of B by rows: (m + 1), (rowptr[m])
    const bool *inactive;        ///< (m) rows without an equation, whose multiplier is 0; NULL: none is
    const char *(*coordinate_name)(const tml_system *sys, int i, char *buf, size_t size);
    const char *(*row_name)(const tml_system *sys, int r, char *buf, size_t size);
    const char *(*mode_name)(const tml_system *sys, int i, char *buf,
                             size_t size);                  ///< whose switch; may be NULL
    const char *(*row_unit)(const tml_system *sys, int r);  ///< "m" or "rad"; NULL: units are not known
};

TML_API tml_status tml_state_create(const tml_system *sys, tml_state **out, tml_error *err);
TML_API void tml_state_copy(tml_state *to, const tml_state *from);  ///< of one system; no allocation
TML_API void tml_state_destroy(tml_state *x, const tml_system *sys);

/** A system made of callbacks on a vector space (q (+) d = q + d, u = qdot). Matrices are dense, row-major.
 * Each callback gets `user` last and returns TML_OK, TML_RETRY (not possible here, try a smaller step) or an
 * error. */
typedef struct tml_user_system_def {
    size_t size;
    int n, m;
    double length;  ///< typical size of q, for tolerances; default 1
    tml_status (*mass)(double t, const double *q, double *M, void *user);                    ///< (n x n)
    tml_status (*force)(double t, const double *q, const double *u, double *f, void *user);  ///< (n)
    tml_status (*constraint)(double t, const double *q, double *phi, void *user);  ///< (m); NULL if m = 0
    tml_status (*constraint_jacobian)(double t, const double *q, double *B,
                                      void *user);  ///< (m x n); NULL: differences
    tml_status (*force_by_q)(double t, const double *q, const double *u, double *fq,
                             void *user);  ///< (n x n); NULL: differences
    tml_status (*force_by_u)(double t, const double *q, const double *u, double *fu,
                             void *user);  ///< (n x n); NULL: differences
    tml_status (*stiffness)(double t, const double *q, const double *udot, const double *mu, double *K,
                            void *user);
    ///< (n x n) d/dq [M udot + B' mu], without -f_q; NULL: differences
    tml_status (*gamma)(double t, const double *q, const double *u, double *gamma,
                        void *user);  ///< (m); NULL: differences
    tml_status (*energy)(double t, const double *q, const double *u, double *kinetic, double *potential,
                         void *user);  ///< or NULL
    void *user;
} tml_user_system_def;

TML_API tml_user_system_def tml_user_system_def_default(void);
TML_API tml_status tml_system_create_user(const tml_user_system_def *def, const tml_env *env,
                                          tml_system **out, tml_error *err);
TML_API void tml_system_destroy(
    tml_system *sys);  ///< accepts NULL; systems of models are destroyed with the model

#ifdef __cplusplus
}
#endif
#endif
