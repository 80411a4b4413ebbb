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

/** Is the reaction of a constraint row the same in every solution of the equations of motion? */
typedef enum tml_reaction_kind {
    TML_REACTION_UNIQUE,
    /** rows that repeat each other carry it together: the sum is unique, the shares are not */
    TML_REACTION_SHARED,
    TML_REACTION_INDETERMINATE  ///< nothing fixes it here: a singular position, or a row without effect
} tml_reaction_kind;

/** A constraint row, and with it a component of the reaction. */
typedef struct tml_check_row {
    int joint;  ///< index in tml_check.joints; -1 for systems of callbacks
    const char
        *component;  ///< "rotation about x", "displacement along z", "length"; for callbacks the row's name
    tml_reaction_kind reaction;
    int set;         ///< index in tml_check.sets; -1: it depends on no other row
    bool dependent;  ///< one of those that are listed as repeating others
} tml_check_row;

/** Rows that depend on each other, directly or through others. */
typedef struct tml_check_set {
    int rows;    ///< in it
    int excess;  ///< how many of them are too many
    bool here;   ///< only in this position, which is singular; else also in positions close by
} tml_check_set;

/** A joint (its lengths or its angles) that cannot be fulfilled together with others. */
typedef struct tml_check_conflict {
    int group;         ///< those of one group contradict each other
    int joint;         ///< index in tml_check.joints; -1 for systems of callbacks
    const char *row;   ///< the worst row: "joint 'rod2'"
    double gap;        ///< by how much it would be off if all others of the group were fulfilled [unit]
    const char *unit;  ///< "m", "rad", "m/s", "rad/s"
} tml_check_conflict;

/** The mechanism moved without forces, by its drivers or along a freedom, until it comes to a singular
 * position (where constraint rows come to depend on each other), is back where it began, or has gone far
 * enough. */
typedef struct tml_check_sweep {
    const char *
        along;  ///< what is followed: "motor" (a driver), "crank.angle" (a joint coordinate), "path" (no name)
    const char
        *unit;  ///< of start, least, last: "rad", "m"; of a path that has no name model lengths and rad: "1"
    bool driven;             ///< by time
    double start;            ///< value of what is followed at the start
    double least;            ///< where the singular value is smallest, or vanishes for the first time
    double last;             ///< at the end
    double lowest, highest;  ///< on the way: a crank that cannot turn round goes there and back between them
    double t_least, t_last;  ///< [s] driven: the times of these
    double sigma_start,
        sigma;      ///< smallest singular value of the independent rows (normalized, lengths in model
                    ///< lengths) at the start, and the smallest met
    bool singular;  ///< it vanishes
    bool passes;    ///< singular: the path leads on smoothly, but is not the only one; else it ends there
    int rank_before, rank_there;  ///< of the constraint Jacobian; equal unless singular
    bool closed;                  ///< it came back to where it began
    bool extreme;                 ///< it ended where what is followed has its largest or smallest value
    const char *text;             ///< all of it as a sentence
} tml_check_sweep;

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
    bool assembled;  ///< false: the constraints contradict each other; parts, rows, notes and conflicts only
    double t;        ///< [s]
    const char *title;  ///< never NULL
    double length;      ///< size of the model [m]
    int body_count, joint_count, force_count;
    const tml_check_body *bodies;
    const tml_check_joint *joints;
    const tml_check_row *row_list;  ///< (rows)

    int conflict_count;
    const tml_check_conflict *conflicts;

    int coordinates;     ///< n
    int rows;            ///< m
    int count_freedoms;  ///< n - m: the count by hand (Gruebler); may be negative
    int rank;            ///< of the constraint Jacobian at the assembled start; -1: not computed
    int freedoms;        ///< n - rank; -1: not computed
    /** rank at a configuration close by; larger than rank: the start is a singular position; */
    int rank_nearby;
    ///< -1: not computed (only looked at if rows are dependent)
    const char *mobility;  ///< why freedoms and count_freedoms differ; "" if they do not
    double
        /** how far dependent rows are from exact repetition, in units of the model: joints not quite
         * aligned */
        misfit;
    double
        weakest;  ///< smallest pivot of an independent row, 0..1; small: nearly dependent; 1 if not computed
    int dependency_count;  ///< m - rank
    const tml_check_dependency *dependencies;
    int set_count;
    const tml_check_set *sets;
    int sentence_count;
    const char *const
        *sentences;  ///< by joint: "hinge_C: rotation about x repeats hinge_A; their reactions are shared"
    int unique, shared, indeterminate;  ///< rows by their reactions

    bool
        loops;  ///< false: no closed loops or rods, so that rows are independent in every position; no sweeps
    int sweep_count;
    const tml_check_sweep *sweeps;
    int nearest;  ///< the sweep with the nearest singular position; -1: none was met

    tml_check_residual position, velocity;  ///< of the start as given, before the assembly
    tml_check_residual
        /** of positions after it: what rows that repeat others miss, where joints are not quite aligned */
        left_open;
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

/** Check a model at time t [s]; the model must outlive the check. TML_ERR_ASSEMBLY: the constraints
 * contradict each other; err says which, and *out is a check all the same, with `assembled` false (destroy
 * it as any other). Other errors, without a check: TML_ERR_NAN, TML_ERR_NOMEM. Dependent constraints,
 * massless parts and systems too large for a spectrum are no errors but notes. Cost: sparse, but for the
 * spectrum, which is dense, O(n^3), up to some thousand coordinates. */
TML_API tml_status tml_check_create(const tml_model *model, double t, tml_check **out, tml_error *err);
/** The same for any system, starting from x0 (t, q, u, angle used). No bodies or joints are listed. */
TML_API tml_status tml_check_create_system(const tml_system *sys, const tml_state *x0, tml_check **out,
                                           tml_error *err);
TML_API void tml_check_destroy(tml_check *check);  ///< accepts NULL

#ifdef __cplusplus
}
#endif
#endif
