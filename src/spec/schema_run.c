// Keys of the block `run`: the settings of a run.
#include "spec/schema_tables.h"

#define RUN(m) offsetof(tml_run_def, m)

static const tmli_key_choice scaling_choices[] = {
    {"none", TML_SCALING_NONE, "none"},
    {"left", TML_SCALING_LEFT, "constraint rows divided by the step size"},
    {"left-right", TML_SCALING_LEFT_RIGHT, "rows by powers of the step size, multipliers by 1/step^2"},
    {"left-right-velocity", TML_SCALING_LEFT_RIGHT_VELOCITY,
     "as left-right, and velocities by 1/step (with fields: three)"},
    {"uniform", TML_SCALING_UNIFORM, "one factor for all constraint rows, from means of the diagonals"},
    {"norm", TML_SCALING_NORM, "one factor for all constraint rows, from the norms of the matrices"},
    {"physical", TML_SCALING_PHYSICAL,
     "one factor per row, from the inertia and stiffness of the bodies it joins"},
    {"given", TML_SCALING_GIVEN,
     "one factor s = k + d/h + m/h^2 for all constraint rows, h the step: a map such as `{k: 1e3, m: 1}`, on "
     "the command line `k=1e3,m=1`"},
    {NULL, 0, NULL},
};
static const tmli_key_choice iterate_choices[] = {
    {"converged", TML_ITERATE_CONVERGED, "until the tolerance is met"},
    {"saturated", TML_ITERATE_SATURATED,
     "until corrections stop decreasing, with a new matrix in every iteration"},
    {NULL, 0, NULL},
};
static const tmli_key_choice group_choices[] = {
    {"r3so3", TML_GROUP_R3SO3, "translation and rotation separate"},
    {"se3", TML_GROUP_SE3, "rigid-body motions, all velocities in the frame of the body"},
    {"se3-cayley", TML_GROUP_SE3_CAYLEY, "as se3, with the Cayley map (Euler motion parameters)"},
    {NULL, 0, NULL},
};

static const tmli_key_choice placement_choices[] = {
    {"nodes", TML_PLACEMENT_NODES, "at the ends of the steps (Arnold and Bruels)"},
    {"inner", TML_PLACEMENT_INNER, "at a point inside the step (Chung and Hulbert)"},
    {NULL, 0, NULL},
};
static const tmli_key_choice constraint_point_choices[] = {
    {"end", TML_CONSTRAINT_POINT_END, "at the end of the step"},
    {"mean", TML_CONSTRAINT_POINT_MEAN, "the weighted mean of start and end is zero"},
    {"inner", TML_CONSTRAINT_POINT_INNER, "at the point of the equations of motion"},
    {NULL, 0, NULL},
};
static const tmli_key_choice fields_choices[] = {
    {"two", TML_FIELDS_TWO, "displacements and multipliers"},
    {"three", TML_FIELDS_THREE, "displacements, velocities and multipliers"},
    {NULL, 0, NULL},
};
static const tmli_key_choice control_choices[] = {
    {"motion", TML_CONTROL_MOTION, "positions and velocities"},
    {"all", TML_CONTROL_ALL, "positions, velocities and multipliers"},
    {NULL, 0, NULL},
};

static const tmli_key_choice coordinates_choices[] = {
    {"partition", TML_COORDINATES_PARTITION,
     "a subset of the coordinates of the model, chosen for good conditioning"},
    {"tangent", TML_COORDINATES_TANGENT, "coordinates in the tangent plane of the constraints"},
    {NULL, 0, NULL},
};
static const tmli_key_choice kinematics_choices[] = {
    {"auto", TML_KINEMATICS_AUTO,
     "joints for explicit methods if the model allows it, and with method auto if they are faster; otherwise "
     "bodies"},
    {"bodies", TML_KINEMATICS_BODIES,
     "positions and orientations of all bodies; every joint is a constraint"},
    {"joints", TML_KINEMATICS_JOINTS,
     "relative coordinates of a spanning tree; only cut joints are constraints"},
    {NULL, 0, NULL},
};
static const tmli_key_choice begin_choices[] = {
    {"given", TML_BEGIN_GIVEN, "the positions and velocities of the model"},
    {"static", TML_BEGIN_STATIC, "at rest in a static equilibrium near the positions of the model"},
    {"steady", TML_BEGIN_STEADY,
     "in steady rotation: bodies turn as at the start, in equilibrium with their centrifugal forces"},
    {NULL, 0, NULL},
};
static const tmli_key_choice contacts_choices[] = {
    {"located", TML_CONTACTS_LOCATED, "steps end at each impact, opening and end of slip: for few contacts"},
    {"captured", TML_CONTACTS_CAPTURED,
     "steps of the size `step` capture the impulses of all contacts within them, with the method moreau: for "
     "many contacts"},
    {NULL, 0, NULL},
};
static const tmli_key_choice redundancy_choices[] = {
    {"select", TML_REDUNDANCY_SELECT, "dependent rows are set aside, as with all other methods"},
    {"regularize", TML_REDUNDANCY_REGULARIZE, "the regularization alone, on all rows as given (comparison)"},
    {NULL, 0, NULL},
};
static const tmli_key_choice jacobian_choices[] = {
    {"exact", TML_JACOBIAN_EXACT, "exact derivatives of the elements"},
    {"differences", TML_JACOBIAN_DIFFERENCES, "difference quotients of accelerations"},
    {"full", TML_JACOBIAN_FULL,
     "as exact, and infl-trap and infl-sdirk with all derivatives of dependent coordinates (comparison)"},
    {NULL, 0, NULL},
};
static const tmli_key_choice estimate_choices[] = {
    {"filtered", TML_ESTIMATE_FILTERED, "without fast modes, converted to the order of the method"},
    {"embedded", TML_ESTIMATE_EMBEDDED,
     "distance of the embedded formula as it is, the whole tolerance for every step (comparison)"},
    {NULL, 0, NULL},
};

#define SCALE(m) offsetof(tml_scale_factor, m)
static const tmli_field scale_fields[] = {
    {"k", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "N/m", "0", ALL, 0, SCALE(k), 0, NULL, NULL,
     "part that does not depend on the step"},
    {"d", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "N s/m", "0", ALL, 0, SCALE(d), 0, NULL, NULL,
     "part over the step"},
    {"m", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "kg", "0", ALL, 0, SCALE(m), 0, NULL, NULL,
     "part over the square of the step"},
};
const tmli_schema tmli_schema_scale = {TMLI_SCHEMA_VALUE,
                                       "scaling",
                                       "The factor s = k + d/h + m/h^2 of the constraints at the step h, a "
                                       "value of the key `scaling` of the run "
                                       "([scaling](theory/scaling.md)).",
                                       NULL,
                                       COUNT(scale_fields),
                                       scale_fields,
                                       sizeof(tml_scale_factor),
                                       NULL};

static const tmli_field run_fields[] = {
    {"method", TMLI_FIELD_WORD, TMLI_RANGE_ANY, "", "auto", ALL, 0, RUN(method), 0, NULL, NULL,
     "integration method, see `trammel methods`; auto: chosen from properties of the model at the start"},
    {"solver", TMLI_FIELD_WORD, TMLI_RANGE_ANY, "", "auto", ALL, 0, RUN(solver), 0, NULL, NULL,
     "linear solver: dense, klu, block, reduced (multipliers first), tree (joint coordinates), or auto: tree "
     "for methods on the degrees of freedom, block for the others, klu if block is not reliable"},
    {"start", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "s", "0", ALL, 0, RUN(start), 0, NULL, NULL,
     "time at the start"},
    {"end", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "s", "1", ALL, 0, RUN(end), 0, NULL, NULL,
     "time at the end, after start"},
    {"output_step", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "s", "(end - start)/500", ALL, 0,
     RUN(output_step), 0, NULL, NULL, "time between rows of the results"},
    {"record", TMLI_FIELD_TEXT, TMLI_RANGE_ANY, "", "all that can change", ALL, 0, RUN(record), 0, NULL, NULL,
     "channels in result files: patterns, separated by commas, such as `chassis.*, *.force`; `*` stands for "
     "any characters, `?` for one, `pin.force` for all components of a vector"},
    {"tol", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "", "1e-4", ALL, 0, RUN(tol), 0, NULL, NULL,
     "tolerance, relative to the length of the model and to the size of a value; default of rtol and atol"},
    {"rtol", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "", "tol", ALL, 0, RUN(rtol), 0, NULL, NULL,
     "relative tolerance"},
    {"atol", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "", "tol", ALL, 0, RUN(atol), 0, NULL, NULL,
     "absolute tolerance in model lengths or rad"},
    {"step", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "s", "0: step-size control", ALL, 0, RUN(step), 0,
     NULL, NULL, "fixed step size"},
    {"control_from", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "s", "at no time", ALL, 0, RUN(control_from), 0, NULL,
     NULL, "time from which on the error controls the step size; until then steps have the size `step`"},
    {"max_step", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "s", "0: no limit", ALL, 0, RUN(max_step), 0,
     NULL, NULL, "largest step size"},
    {"min_step", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "s", "0: 1e-15 (end - start)", ALL, 0,
     RUN(min_step), 0, NULL, NULL, "smallest step size"},
    {"rho", TMLI_FIELD_NUMBER, TMLI_RANGE_UNIT, "", "genalpha 0.8, decay 0, others 1", ALL, 0, RUN(rho), 0,
     NULL, NULL,
     "spectral radius at infinity of genalpha, newmark, decay and moreau: 1 keeps high frequencies, 0 "
     "removes them "
     "in one "
     "step"},
    {"alpha", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "", "-0.3", ALL, 0, RUN(alpha), 0, NULL, NULL,
     "numerical damping of hht, -1/3 (most) to 0 (none)"},
    {"placement", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "nodes", ALL, 0, RUN(placement), 0,
     placement_choices, NULL, "where genalpha and hht satisfy the equations of motion"},
    {"constraint_point", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "end", ALL, 0, RUN(constraint_point), 0,
     constraint_point_choices, NULL,
     "where midpoint, and genalpha and hht with placement: inner, satisfy position constraints"},
    {"max_order", TMLI_FIELD_INTEGER, TMLI_RANGE_POSITIVE, "", "no limit", ALL, 0, RUN(max_order), 0, NULL,
     NULL, "highest order of bdf, ggl and the regularized methods, 1 to 5, and of adams, 1 to 12"},
    {"gamma", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "1/s", "0: chosen from the motion", ALL, 0,
     RUN(gamma), 0, NULL, NULL,
     "feedback of constraint errors in baumgarte, trust-region and direct-reg; errors decay with the time "
     "constant 1/gamma"},
    {"epsilon", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "", "0: chosen from the tolerance", ALL, 0,
     RUN(epsilon), 0, NULL, NULL,
     "regularization parameter of trust-region and direct-reg, in units of the effective inertia of the "
     "constraints"},
    {"index", TMLI_FIELD_INTEGER, TMLI_RANGE_POSITIVE, "", "3", ALL, 0, RUN(index), 0, NULL, NULL,
     "constraints that baumgarte, trust-region and direct-reg feed back: 3 positions and velocities, 2 "
     "velocities only (comparison)"},
    {"redundancy", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "select", ALL, 0, RUN(redundancy), 0,
     redundancy_choices, NULL,
     "what treats constraints that depend on each other in baumgarte, trust-region and direct-reg"},
    {"fields", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "two", ALL, 0, RUN(fields), 0, fields_choices, NULL,
     "unknowns of the Newton iteration"},
    {"control", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "motion", ALL, 0, RUN(control), 0, control_choices,
     NULL, "errors that control the step size"},
    {"scaling", TMLI_FIELD_SCALING, TMLI_RANGE_ANY, "", "physical", ALL, 0, RUN(scaling), RUN(scale),
     scaling_choices, &tmli_schema_scale, "scaling of the constraint equations"},
    {"augment", TMLI_FIELD_AUGMENT, TMLI_RANGE_NONNEGATIVE, "", "true", ALL, 0, RUN(augment), 0, NULL, NULL,
     "penalty of the augmented Lagrangian in units of the scaling; true and on mean 1, false and off mean 0"},
    {"iterate", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "converged", ALL, 0, RUN(iterate), 0, iterate_choices,
     NULL, "when the Newton iteration of a step ends"},
    {"switches", TMLI_FIELD_BOOL, TMLI_RANGE_ANY, "", "true", ALL, 0, RUN(switches), 0, NULL, NULL,
     "locate discontinuities, the jumps and kinks of expressions (if, step, abs, min, floor, ...), and end "
     "steps there; "
     "false: only the error control reacts to them"},
    {"repeat_steps", TMLI_FIELD_BOOL, TMLI_RANGE_ANY, "", "true", ALL, 0, RUN(repeat_steps), 0, NULL, NULL,
     "alpha and Radau methods: repeat a step in which a discontinuity is found, so that it ends just after "
     "it; false: the state there is interpolated within the step"},
    {"group", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "r3so3", ALL, 0, RUN(group), 0, group_choices, NULL,
     "Lie group on which bodies move within a step"},
    {"coordinates", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "partition", ALL, 0, RUN(coordinates), 0,
     coordinates_choices, NULL, "independent coordinates of the state-space methods"},
    {"kinematics", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "auto", ALL, 0, RUN(kinematics), 0,
     kinematics_choices, NULL, "unknowns in which the model is integrated"},
    {"begin", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "given", ALL, 0, RUN(begin), 0, begin_choices, NULL,
     "where the run begins"},
    {"jacobian", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "exact", ALL, 0, RUN(jacobian), 0, jacobian_choices,
     NULL, "derivatives of the state-space methods"},
    {"estimate", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "filtered", ALL, 0, RUN(estimate), 0,
     estimate_choices, NULL, "error estimate of the state-space methods"},
    {"threads", TMLI_FIELD_INTEGER, TMLI_RANGE_NONNEGATIVE, "", "1", ALL, 0, RUN(threads), 0, NULL, NULL,
     "threads of one run; 0: automatic, at most one per processor"},
    {"contacts", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "located", ALL, 0, RUN(contacts), 0, contacts_choices,
     NULL, "how impacts of rigid contacts are found ([captured contacts](theory/captured-contacts.md))"},
};
const tmli_schema tmli_schema_run = {TMLI_SCHEMA_BLOCK,
                                     "run",
                                     "Settings of a run; options of the command override them.",
                                     NULL,
                                     COUNT(run_fields),
                                     run_fields,
                                     sizeof(tml_run_def),
                                     NULL};
