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
    FIELD("k", NUMBER, NONNEGATIVE, "N/m", "0", SCALE(k), "part that does not depend on the step"),
    FIELD("d", NUMBER, NONNEGATIVE, "N s/m", "0", SCALE(d), "part over the step"),
    FIELD("m", NUMBER, NONNEGATIVE, "kg", "0", SCALE(m), "part over the square of the step"),
};
const tmli_schema tmli_schema_scale =
    SCHEMA(VALUE, "scaling", NULL, scale_fields, sizeof(tml_scale_factor), NULL,
           "The factor s = k + d/h + m/h^2 of the constraints at the step h, a value of the key `scaling` of "
           "the run ([scaling](theory/scaling.md)).");

static const tmli_field run_fields[] = {
    FIELD(
        "method", WORD, ANY, "", "auto", RUN(method),
        "integration method, see `trammel methods`; auto: chosen from properties of the model at the start"),
    FIELD("solver", WORD, ANY, "", "auto", RUN(solver),
          "linear solver: dense, klu, block, reduced (multipliers first), tree (joint coordinates), or auto: "
          "tree for methods on the degrees of freedom, block for the others, klu if block is not reliable"),
    FIELD("start", NUMBER, ANY, "s", "0", RUN(start), "time at the start"),
    FIELD("end", NUMBER, ANY, "s", "start + 1", RUN(end), "time at the end, after start"),
    FIELD("output_step", NUMBER, NONNEGATIVE, "s", "(end - start)/500", RUN(output_step),
          "time between rows of the results"),
    FIELD("record", TEXT, ANY, "", "all that can change", RUN(record),
          "channels in result files: patterns, separated by commas, such as `chassis.*, *.force`; `*` stands "
          "for any characters, `?` for one, `pin.force` for all components of a vector"),
    FIELD("tol", NUMBER, POSITIVE, "", "1e-4", RUN(tol),
          "tolerance, relative to the length of the model and to the size of a value; default of rtol and "
          "atol"),
    FIELD("rtol", NUMBER, POSITIVE, "", "tol", RUN(rtol), "relative tolerance"),
    FIELD("atol", NUMBER, POSITIVE, "", "tol", RUN(atol), "absolute tolerance in model lengths or rad"),
    FIELD("step", NUMBER, NONNEGATIVE, "s", "0: step-size control", RUN(step), "fixed step size"),
    FIELD("control_from", NUMBER, ANY, "s", "at no time", RUN(control_from),
          "time from which on the error controls the step size; until then steps have the size `step`"),
    FIELD("max_step", NUMBER, NONNEGATIVE, "s", "0: no limit", RUN(max_step), "largest step size"),
    FIELD("min_step", NUMBER, NONNEGATIVE, "s", "0: 1e-15 (end - start)", RUN(min_step),
          "smallest step size"),
    FIELD("rho", NUMBER, UNIT, "", "genalpha 0.8, decay 0, others 1", RUN(rho),
          "spectral radius at infinity of genalpha, newmark, decay and moreau: 1 keeps high frequencies, 0 "
          "removes them in one step"),
    FIELD("alpha", NUMBER, ANY, "", "-0.3", RUN(alpha), "numerical damping of hht, -1/3 (most) to 0 (none)"),
    FIELD("placement", CHOICE, ANY, "", "nodes", RUN(placement),
          "where genalpha and hht satisfy the equations of motion", .choices = placement_choices),
    FIELD("constraint_point", CHOICE, ANY, "", "end", RUN(constraint_point),
          "where midpoint, and genalpha and hht with placement: inner, satisfy position constraints",
          .choices = constraint_point_choices),
    FIELD("max_order", INTEGER, POSITIVE, "", "no limit", RUN(max_order),
          "highest order of bdf, ggl and the regularized methods, 1 to 5, and of adams, 1 to 12"),
    FIELD("gamma", NUMBER, NONNEGATIVE, "1/s", "0: chosen from the motion", RUN(gamma),
          "feedback of constraint errors in baumgarte, trust-region and direct-reg; errors decay with the "
          "time constant 1/gamma"),
    FIELD("epsilon", NUMBER, NONNEGATIVE, "", "0: chosen from the tolerance", RUN(epsilon),
          "regularization parameter of trust-region and direct-reg, in units of the effective inertia of the "
          "constraints"),
    FIELD("index", INTEGER, POSITIVE, "", "3", RUN(index),
          "constraints that baumgarte, trust-region and direct-reg feed back: 3 positions and velocities, 2 "
          "velocities only (comparison)"),
    FIELD("redundancy", CHOICE, ANY, "", "select", RUN(redundancy),
          "what treats constraints that depend on each other in baumgarte, trust-region and direct-reg",
          .choices = redundancy_choices),
    FIELD("fields", CHOICE, ANY, "", "two", RUN(fields), "unknowns of the Newton iteration",
          .choices = fields_choices),
    FIELD("control", CHOICE, ANY, "", "motion", RUN(control), "errors that control the step size",
          .choices = control_choices),
    FIELD("scaling", SCALING, ANY, "", "physical", RUN(scaling), "scaling of the constraint equations",
          .flag = RUN(scale), .choices = scaling_choices, .sub = &tmli_schema_scale),
    FIELD("augment", AUGMENT, NONNEGATIVE, "", "true", RUN(augment),
          "penalty of the augmented Lagrangian in units of the scaling; true and on mean 1, false and off "
          "mean 0"),
    FIELD("iterate", CHOICE, ANY, "", "converged", RUN(iterate), "when the Newton iteration of a step ends",
          .choices = iterate_choices),
    FIELD("switches", BOOL, ANY, "", "true", RUN(switches),
          "locate discontinuities, the jumps and kinks of expressions (if, step, abs, min, floor, ...), and "
          "end steps there; false: only the error control reacts to them"),
    FIELD("repeat_steps", BOOL, ANY, "", "true", RUN(repeat_steps),
          "alpha and Radau methods: repeat a step in which a discontinuity is found, so that it ends just "
          "after it; false: the state there is interpolated within the step"),
    FIELD("group", CHOICE, ANY, "", "r3so3", RUN(group), "Lie group on which bodies move within a step",
          .choices = group_choices),
    FIELD("coordinates", CHOICE, ANY, "", "partition", RUN(coordinates),
          "independent coordinates of the state-space methods", .choices = coordinates_choices),
    FIELD("kinematics", CHOICE, ANY, "", "auto", RUN(kinematics), "unknowns in which the model is integrated",
          .choices = kinematics_choices),
    FIELD("begin", CHOICE, ANY, "", "given", RUN(begin), "where the run begins", .choices = begin_choices),
    FIELD("jacobian", CHOICE, ANY, "", "exact", RUN(jacobian), "derivatives of the state-space methods",
          .choices = jacobian_choices),
    FIELD("estimate", CHOICE, ANY, "", "filtered", RUN(estimate), "error estimate of the state-space methods",
          .choices = estimate_choices),
    FIELD("threads", INTEGER, NONNEGATIVE, "", "1", RUN(threads),
          "threads of one run; 0: automatic, at most one per processor"),
    FIELD("contacts", CHOICE, ANY, "", "located", RUN(contacts),
          "how impacts of rigid contacts are found ([captured contacts](theory/captured-contacts.md))",
          .choices = contacts_choices),
};
const tmli_schema tmli_schema_run = SCHEMA(BLOCK, "run", NULL, run_fields, sizeof(tml_run_def), NULL,
                                           "Settings of a run; options of the command override them.");
