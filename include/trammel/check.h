// Properties of a model at its start: degrees of freedom, redundant constraints, start values, time scales.
#ifndef TRAMMEL_CHECK_H
#define TRAMMEL_CHECK_H

#include <stdbool.h>
#include <trammel/base.h>
#include <trammel/model.h>
#include <trammel/system.h>

TML_C_BEGIN

typedef struct tml_check_body {
    const char *name;
    double mass;         ///< [kg]
    int coordinates;     ///< velocity coordinates: 6, point mass 3, planar 3 or 2
    double moved;        ///< displacement of the centre of mass by the assembly [m]
    double turned;       ///< rotation by the assembly [rad]
    double position[3];  ///< centre of mass after the assembly, inertial frame [m]
    bool connected;      ///< a joint or a force acts on it
} tml_check_body;

typedef struct tml_check_joint {
    const char *name;
    const char *type;     ///< as in a model file: "revolute"
    const char *between;  ///< the bodies it joins: "ground, crank"
    int rows;             ///< number of constraint rows
    int redundant;        ///< number of rows among them that depend on others
} tml_check_joint;

/** A redundant constraint row. */
typedef struct tml_check_dependency {
    const char *row;  ///< "joint 'pin4' (row 3 of 5)"
    int joint;        ///< index in tml_check.joints; -1 for systems of callbacks
    bool empty;       ///< the row is zero in this configuration
    int other_count;  ///< joints on whose rows it depends; 0 and not empty: rows of the same joint only
    const char *const *others;  ///< their names, without the joint itself: "pin1", "pin2"
} tml_check_dependency;

/** Whether the reaction of a constraint row is the same in every solution of the equations of motion. */
typedef enum tml_reaction_kind {
    TML_REACTION_UNIQUE,        ///< it is
    TML_REACTION_SHARED,        ///< only its sum with those of the dependent rows is unique
    TML_REACTION_INDETERMINATE  ///< no: singular configuration, or the row is zero
} tml_reaction_kind;

/** A constraint row. Its multiplier is a component of the reaction. */
typedef struct tml_check_row {
    int joint;  ///< index in tml_check.joints; -1 for systems of callbacks
    /** "rotation about x", "displacement along z", "length"; for systems of callbacks the name of the row */
    const char *component;
    tml_reaction_kind reaction;
    int set;         ///< index in tml_check.sets; -1: it depends on no other row
    bool redundant;  ///< it is listed among the redundant rows
} tml_check_row;

/** A set of rows that depend on each other, directly or through other rows. */
typedef struct tml_check_set {
    int rows;    ///< number of rows
    int excess;  ///< number of redundant rows among them
    bool here;   ///< dependent in this singular configuration only; false: also in nearby configurations
} tml_check_set;

/** A joint (its lengths or its angles) whose constraints contradict those of others. */
typedef struct tml_check_conflict {
    int group;         ///< joints of one group contradict each other
    int joint;         ///< index in tml_check.joints; -1 for systems of callbacks
    const char *row;   ///< row with the largest residual: "joint 'rod2'"
    double gap;        ///< its residual if all other joints of the group are satisfied [unit]
    const char *unit;  ///< "m", "rad", "m/s", "rad/s"
} tml_check_conflict;

/** A sweep: the mechanism is moved without forces, by its drivers or along a degree of freedom, until it
 * reaches a singular configuration (additional rows become dependent), returns to its start or has moved far
 * enough. */
typedef struct tml_check_sweep {
    /** The sweep coordinate: "motor" (a driver), "crank.angle" (a joint coordinate), "path" (length of the
     * path). */
    const char *along;
    /** Unit of the sweep coordinate: "rad", "m"; "1" for a path (model lengths and rad). */
    const char *unit;
    bool driven;   ///< the drivers move the mechanism; false: it moves along a degree of freedom
    double start;  ///< sweep coordinate at the start
    double least;  ///< sweep coordinate where the singular value is smallest, or first vanishes
    double last;   ///< sweep coordinate at the end
    /** range of the sweep coordinate; a crank that cannot turn fully moves between them */
    double lowest, highest;
    double t_least, t_last;  ///< driven: times of `least` and `last` [s]
    /** Smallest singular value of the independent rows (normalized, lengths in model lengths) at the start,
     * and the smallest of the sweep. */
    double sigma_start, sigma;
    bool singular;  ///< sigma vanishes
    bool passes;    ///< singular: the path continues smoothly and others branch off; false: limit of travel
    int rank_before, rank_there;  ///< rank of the constraint Jacobian; equal if not singular
    bool closed;                  ///< the mechanism returned to its start
    bool extreme;                 ///< the sweep ended at an extreme value of its coordinate
    const char *text;             ///< summary in a sentence
} tml_check_sweep;

/** The row with the largest residual, of positions or of velocities. */
typedef struct tml_check_residual {
    double value;      ///< |residual| [unit]
    const char *row;   ///< "joint 'pin' (row 1 of 5)"; NULL if all residuals are 0
    const char *unit;  ///< "m", "rad", "m/s", "rad/s"
} tml_check_residual;

/** An eigenvalue s of the linearized system: motions exp(s t). Both of a conjugate pair are listed. */
typedef struct tml_check_eigenvalue {
    double re, im;  ///< [1/s], [rad/s]
} tml_check_eigenvalue;

typedef struct tml_check_note {
    tml_log_level level;
    const char *text;  ///< one or more sentences
} tml_check_note;

/** The results of a check. It owns all texts and arrays. */
typedef struct tml_check {
    /** false: the constraints contradict each other; only bodies, joints, rows, notes and conflicts are
     * valid */
    bool assembled;
    double t;           ///< time [s]
    const char *title;  ///< never NULL
    double length;      ///< size of the model [m]
    int body_count, joint_count, force_count;
    const tml_check_body *bodies;
    const tml_check_joint *joints;
    const tml_check_row *row_list;  ///< (rows)

    int conflict_count;
    const tml_check_conflict *conflicts;

    int coordinates;     ///< n, velocity coordinates
    int rows;            ///< constraint rows of joints; those of friction and limits hold nothing yet
    int count_freedoms;  ///< n - rows, the Gruebler count; may be negative
    int rank;            ///< of the constraint Jacobian at the assembled start; -1: not computed
    int freedoms;        ///< n - rank; -1: not computed
    /** Rank in a nearby configuration; larger than rank: the start is a singular configuration. -1: not
     * computed (only computed if rows are dependent). */
    int rank_nearby;
    const char *mobility;  ///< why freedoms and count_freedoms differ; "" if they do not
    /** Deviation of the dependent rows from exact dependence, in model lengths or rad: joints not exactly
     * aligned. */
    double misfit;
    /** Smallest pivot of an independent row, 0..1; small: nearly dependent; 1 if not computed. */
    double weakest;
    int dependency_count;  ///< m - rank
    const tml_check_dependency *dependencies;
    int set_count;
    const tml_check_set *sets;
    int sentence_count;
    /** One per joint: "hinge_C: rotation about x repeats hinge_A; their reactions are shared" */
    const char *const *sentences;
    int unique, shared, indeterminate;  ///< number of rows by kind of reaction

    /** false: no closed loops or rods, the rows are independent in every configuration, no sweeps are made */
    bool loops;
    int sweep_count;
    const tml_check_sweep *sweeps;
    int nearest;  ///< the sweep with the nearest singular configuration; -1: none was found

    tml_check_residual position, velocity;  ///< of the start as given, before the assembly
    /** Of positions after the assembly: redundant rows of joints that are not exactly aligned. */
    tml_check_residual left_open;
    double moved;             ///< largest change of a position by the assembly, in model lengths or rad
    double velocity_changed;  ///< largest change of a velocity, in model lengths/s or rad/s

    bool has_spectrum;  ///< false: not computed; a note gives the reason
    /** The start is neither an equilibrium nor a steady motion: the spectrum is that of the coefficients of
     * this instant, and motions do not follow it for long. */
    bool instantaneous;
    /** The start moves, and small motions beside it have constant coefficients in the axes `axes`: rolling,
     * spinning, turning at constant speed. The spectrum is exact. */
    bool steady;
    const char *axes;  ///< steady: "inertial axes", "axes that turn with (0, 0, 6) rad/s"; else ""
    int massless;      ///< number of free directions without inertia
    int eigenvalue_count;
    const tml_check_eigenvalue *eigenvalues;  ///< the finite ones, by ascending |s|
    int zeros;                                ///< the first `zeros` of them are zero
    /** Roots below this [1/s] are not told from zero: round-off beside the largest hides them. */
    double zeros_below;
    double stiffness_ratio;  ///< largest over smallest nonzero |s|; 0 if there is none
    double fastest;          ///< shortest time scale 1/|s| [s]; 0 if there is none
    double highest_hz;       ///< highest frequency of oscillation [Hz]; 0 if nothing oscillates

    int note_count;
    const tml_check_note *notes;
} tml_check;

/** Check a model at time t [s]. The model must outlive the check; the caller destroys *out.
 *
 * Errors: TML_ERR_ASSEMBLY: the constraints contradict each other; err names them, and *out is still a check,
 * with `assembled` false. TML_ERR_NAN, TML_ERR_NOMEM: *out is NULL. Redundant constraints, massless motion
 * and systems too large for a spectrum lead to notes, not to errors. Cost: sparse operations, and O(n^3) for
 * the spectrum, which is limited to some thousand coordinates. */
TML_API tml_status tml_check_create(const tml_model *model, double t, tml_check **out, tml_error *err);
/** The same for any system at x0, of which t, q, u and angle are used. No bodies or joints are listed. */
TML_API tml_status tml_check_create_system(const tml_system *sys, const tml_state *x0, tml_check **out,
                                           tml_error *err);
TML_API void tml_check_destroy(tml_check *check);  ///< accepts NULL

TML_C_END
#endif
