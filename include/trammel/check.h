// A look at a model before it is run: degrees of freedom, repeated constraints, start values, time scales.
#ifndef TRAMMEL_CHECK_H
#define TRAMMEL_CHECK_H

#include <stdbool.h>
#include <trammel/base.h>
#include <trammel/model.h>
#include <trammel/system.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tml_check_body {
    const char *name;
    double mass;         ///< [kg]
    int coordinates;     ///< velocity coordinates: 6, point mass 3, planar 3 or 2
    double moved;        ///< by the assembly: the centre of mass [m]
    double turned;       ///< [rad]
    double position[3];  ///< centre of mass after the assembly, inertial frame [m]
    bool held;           ///< a joint or a force acts on it
} tml_check_body;

typedef struct tml_check_joint {
    const char *name;
    const char *type;     ///< as in a model file: "revolute"
    const char *between;  ///< the bodies it joins: "ground, crank"
    int rows;             ///< constraint rows
    int dependent;        ///< how many of them repeat others
} tml_check_joint;

/** A constraint row that says nothing new. */
typedef struct tml_check_dependency {
    const char *row;            ///< "joint 'pin4' (row 3 of 5)"
    int joint;                  ///< index in tml_check.joints; -1 for systems of callbacks
    bool empty;                 ///< the row has no effect at all in this configuration
    int others_count;           ///< whose rows it repeats; 0 and not empty: rows of the same joint only
    const char *const *others;  ///< their names, the joint itself not among them: "pin1", "pin2"
} tml_check_dependency;

/** The worst row at one level. */
typedef struct tml_check_residual {
    double value;      ///< |residual| [unit]
    const char *row;   ///< "joint 'pin' (row 1 of 5)"; NULL if all residuals are 0
    const char *unit;  ///< "m", "rad", "m/s", "rad/s"
} tml_check_residual;

/** A root s of the linearized system: motions exp(s t). Of a conjugate pair both are listed. */
typedef struct tml_check_eigenvalue {
    double re, im;  ///< [1/s], [rad/s]
} tml_check_eigenvalue;

typedef struct tml_check_note {
    tml_log_level level;
    const char *text;  ///< one or more sentences
} tml_check_note;

/** What was found. All texts and arrays belong to the check. */
typedef struct tml_check {
    double t;           ///< [s]
    const char *title;  ///< never NULL
    double length;      ///< size of the model [m]
    int body_count, joint_count, force_count;
    const tml_check_body *bodies;
    const tml_check_joint *joints;

    int coordinates;     ///< n
    int rows;            ///< m
    int count_freedoms;  ///< n - m: the count by hand (Gruebler); may be negative
    int rank;            ///< of the constraint Jacobian at the assembled start; -1: not computed (too large)
    int freedoms;        ///< n - rank; -1: not computed
    int rank_nearby;  ///< rank at a configuration close by; larger than rank: the start is a singular position;
                      ///< -1: not computed (only looked at if rows are dependent)
    double weakest;        ///< smallest pivot of an independent row, 0..1; small: rows are nearly dependent
    int dependency_count;  ///< m - rank
    const tml_check_dependency *dependencies;

    tml_check_residual position, velocity;  ///< of the start as given, before the assembly
    double moved;             ///< largest change of a position by the assembly, in model lengths or rad
    double velocity_changed;  ///< largest change of a velocity, in model lengths/s or rad/s

    bool has_spectrum;   ///< false: not computed; a note says why
    bool instantaneous;  ///< the start moves or accelerates: the spectrum is that of the instant
    int massless;        ///< free directions without inertia
    int eigenvalue_count;
    const tml_check_eigenvalue *eigenvalues;  ///< finite ones, by ascending size
    int zeros;                                ///< the first `zeros` of them are zero
    double stiffness_ratio;                   ///< largest over smallest nonzero size; 0 if there is none
    double fastest;                           ///< shortest time scale 1/|s| [s]; 0 if there is none
    double highest_hz;  ///< highest frequency of oscillation [Hz]; 0 if nothing oscillates

    int note_count;
    const tml_check_note *notes;
} tml_check;

/** Check a model at time t [s]; the model must outlive the check. Errors: those of the assembly as they are
 * (TML_ERR_ASSEMBLY names the joints that do not close), TML_ERR_NAN, TML_ERR_NOMEM. Dependent constraints, massless
 * parts and systems too large for a spectrum are no errors but notes. Cost: dense, O(n^3) up to some thousand coordinates. */
TML_API tml_status tml_check_create(const tml_model *model, double t, tml_check **out, tml_error *err);
/** The same for any system, starting from x0 (t, q, u, angle used). No bodies or joints are listed. */
TML_API tml_status tml_check_create_system(const tml_system *sys, const tml_state *x0, tml_check **out,
                                           tml_error *err);
TML_API void tml_check_destroy(tml_check *check);  ///< accepts NULL

#ifdef __cplusplus
}
#endif
#endif
