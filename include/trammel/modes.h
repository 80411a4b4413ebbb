// Modes: small motions exp(s t) of a model about a state, with their frequencies, damping and shapes
// (docs/modes.md).
#ifndef TRAMMEL_MODES_H
#define TRAMMEL_MODES_H

#include <stdbool.h>
#include <trammel/base.h>
#include <trammel/model.h>

TML_C_BEGIN

typedef enum tml_mode_kind {
    TML_MODE_RIGID,        ///< s = 0: a motion that no force resists
    TML_MODE_OSCILLATION,  ///< a conjugate pair
    TML_MODE_APERIODIC     ///< s is real
} tml_mode_kind;

/** How the roots are found. */
typedef enum tml_mode_solver {
    TML_MODE_SOLVER_AUTO,   ///< by the size of the model
    TML_MODE_SOLVER_DENSE,  ///< all roots by LAPACK, after a reduction to the degrees of freedom
    TML_MODE_SOLVER_SPARSE  ///< some roots by ARPACK (shift and invert) on the sparse equations
} tml_mode_solver;

typedef struct tml_modes_def {
    size_t size;  ///< set by tml_modes_def_default()
    int count;    ///< wanted modes, >= 1; default 10
    double near;  ///< [Hz] those nearest to this frequency; 0: the lowest
    tml_mode_solver solver;
} tml_modes_def;

enum { TML_MODE_PARTS = 3 };

/** A mode. Of a conjugate pair the root with im > 0 is given. */
typedef struct tml_mode {
    double re, im;   ///< s [1/s], [rad/s]
    double hz;       ///< im/(2 pi): damped frequency
    double damping;  ///< -re/|s|: damping ratio; 0 if s = 0
    tml_mode_kind kind;
    bool unstable;  ///< it grows
    /** (n) real and imaginary part of the shape: increments of the coordinates (tml_body_layout: translations
     * in inertial axes [m], rotations in body axes [rad]), and first-order states. In steady motion the axes
     * are those of tml_modes.axes. The largest one in model lengths or rad is 1 and real. */
    const double *shape_re, *shape_im;
    /** Parts with the largest share of the kinetic energy: bodies, and beams and modal bodies with all their
     * nodes; descending, NULL: no more. */
    const char *part[TML_MODE_PARTS];
    double share[TML_MODE_PARTS];
} tml_mode;

/** The modes of a model at a state. It owns all arrays; the model must outlive it. */
typedef struct tml_modes {
    double t;          ///< [s]
    bool rest;         ///< the state is an equilibrium
    bool steady;       ///< it moves, and small motions have constant coefficients in `axes`
    const char *axes;  ///< steady: "inertial axes", "axes that turn with (0, 0, 6) rad/s"; else ""
    bool sparse;       ///< found by ARPACK: there may be roots that were not looked for
    int freedoms;      ///< mechanical degrees of freedom; -1: not counted
    int n;             ///< coordinates of a shape
    /** Modes, by ascending |s|. The slow root of an overdamped motion stands at the frequency of its shape
     * without damping. */
    int count;
    int rigid, unstable;    ///< number of modes of this kind
    int missing;            ///< further modes that exist and were asked for, but were not found
    const tml_mode *modes;  ///< (count)
    const double *weight;   ///< (n) inertia of a coordinate, for tml_modes_assurance
} tml_modes;

TML_API tml_modes_def tml_modes_def_default(void);
/** Modes at a consistent state of the model: one that a simulation gives. If it is neither an equilibrium nor
 * a steady motion, they are those of the coefficients of this instant. def may be NULL. The caller destroys
 * *out. Errors: TML_ERR_ARG (definition; a build without ARPACK and a large model), TML_ERR_SINGULAR (a free
 * part without mass), TML_ERR_NAN, TML_ERR_NOMEM. */
TML_API tml_status tml_modes_create(const tml_model *model, const tml_state *x, const tml_modes_def *def,
                                    tml_modes **out, tml_error *err);
TML_API void tml_modes_destroy(tml_modes *modes);  ///< accepts NULL
/** Modal assurance criterion, 0 .. 1: how alike the shapes of mode i of a and of mode j of b are, weighted by
 * inertia. Both belong to models with the same coordinates; NAN if they do not. */
TML_API double tml_modes_assurance(const tml_modes *a, int i, const tml_modes *b, int j);

TML_C_END
#endif
