// The notes of a check: what its results mean for the user, and what can be done.
#include "analysis/check/check.h"
#include "analysis/modes/linearize.h"
#include "model/model.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "analysis/check/constants.h"

void tmli_check_note(tmli_checker *k, tml_log_level level, const char *fmt, ...)
{
    char text[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    tml_check_note *grown =
        tmli_grown(&k->env, k->notes, k->check.note_count, &k->note_room, 16, sizeof *grown);
    if (!grown) {
        k->failed = true;
        return;
    }
    k->notes = grown;
    const char *kept = tmli_check_text(k, text);
    if (kept) k->notes[k->check.note_count++] = (tml_check_note){level, kept};
}

static void note_start(tmli_checker *k)
{
    const tml_check *c = &k->check;
    if (c->moved > TMLI_INPUT_ERROR) {
        int worst = -1;
        for (int i = 0; i < c->body_count; i++)
            if (worst < 0 || fmax(c->bodies[i].moved / c->length, c->bodies[i].turned) >
                                 fmax(c->bodies[worst].moved / c->length, c->bodies[worst].turned))
                worst = i;
        if (worst >= 0)
            tmli_check_note(k, TML_LOG_WARNING,
                            "The initial positions violate the constraints (%s is off by %.3g %s). The "
                            "assembly moves body '%s' by %.3g m and rotates it by %.3g rad. Correct the "
                            "initial values if this is not intended.",
                            c->position.row ? c->position.row : "a row", c->position.value, c->position.unit,
                            c->bodies[worst].name, c->bodies[worst].moved, c->bodies[worst].turned);
        else
            tmli_check_note(k, TML_LOG_WARNING,
                            "The initial positions violate the constraints: %s is off by %.3g.",
                            c->position.row ? c->position.row : "a row", c->position.value);
    }
    if (c->velocity_changed > TMLI_INPUT_ERROR)
        tmli_check_note(k, TML_LOG_WARNING,
                        "The initial velocities violate the constraints (%s is off by %.3g %s). The nearest "
                        "velocities that satisfy them are used.",
                        c->velocity.row ? c->velocity.row : "a row", c->velocity.value, c->velocity.unit);
}

// One note for each body that nothing holds; one for all if they are many.
static void note_free_bodies(tmli_checker *k)
{
    enum { MOST = 5 };
    const tml_check *c = &k->check;
    const char *name[MOST];
    int count = 0;
    for (int i = 0; i < c->body_count; i++) {
        if (c->bodies[i].connected) continue;
        if (count < MOST) name[count] = c->bodies[i].name;
        count++;
    }
    for (int i = 0; i < count && count <= MOST; i++)
        tmli_check_note(k, TML_LOG_WARNING, "Nothing holds body '%s': no joint and no force acts on it.",
                        name[i]);
    if (count > MOST)
        tmli_check_note(k, TML_LOG_WARNING,
                        "Nothing holds %d bodies, '%s', '%s' and '%s' among them: no joint and no force acts "
                        "on them.",
                        count, name[0], name[1], name[2]);
}

static void note_massless_rotations(tmli_checker *k)
{
    for (int i = 0; k->model && i < k->model->nbodies; i++) {
        const tmli_node *node = &k->model->node[i];
        const vec3 n = node->massless_axis;
        if (node->massless_rotations == 3 || (node->massless_rotations == 1 && k->model->planar))
            tmli_check_note(k, TML_LOG_INFO,
                            "Body '%s' has no rotational inertia, and no moment acts on it: its rotation is "
                            "kept at rest.",
                            node->name);
        else if (node->massless_rotations == 1)
            tmli_check_note(k, TML_LOG_INFO,
                            "Body '%s' has no inertia about its axis [%.4g, %.4g, %.4g] (body frame), and no "
                            "moment acts about it: this rotation is kept at rest.",
                            node->name, n.x, n.y, n.z);
    }
}

// ---- redundant rows ---------------------------------------------------------------------------------------

typedef struct set_of_rows {
    int drivers;         // number of drivers in the set
    const char *two[2];  // the first and another of them
    bool rods;           // it contains only rods
} set_of_rows;

static set_of_rows inspect_set(const tmli_checker *k, int set)
{
    set_of_rows s = {.rods = true};
    for (int r = 0; r < k->check.rows; r++) {
        if (k->row_list[r].set != set) continue;
        const tmli_constraint *c = &k->model->constraint[k->row_list[r].joint];
        s.rods = s.rods && c->ops->rod;
        if (c->ops->role == TMLI_JOINT_MOTION) s.two[s.drivers++ > 0] = c->name;
    }
    return s;
}

// Advice how to make shared reactions unique.
static const char *advise_on_joints(const tmli_checker *k, bool rods)
{
    if (rods) return "remove one of the rods";
    if (k->model->planar)
        return "remove a joint or a part of the loop, or give a joint more freedom (point-on-line, a pin in "
               "a "
               "slot, instead of revolute)";
    if (tmli_check_connects_same_bodies(k))
        return "remove a joint, or give one more freedom (spherical or cylindrical instead of revolute)";
    if (tmli_check_is_planar(k))
        return "give a joint of the loop more freedom (spherical or cylindrical instead of revolute), or "
               "make the "
               "mechanism planar";
    return "give a joint of the loop more freedom (spherical or cylindrical instead of revolute)";
}

// Advice on the first redundant set with drivers, and on joints.
static void note_redundant_rows(tmli_checker *k)
{
    const tml_check *c = &k->check;
    bool joints = false, rods = true;
    char drivers[400] = "";
    for (int i = 0; k->model && i < c->set_count; i++) {
        const set_of_rows s = inspect_set(k, i);
        const bool more = c->sets[i].excess > (s.drivers > 1 ? s.drivers - 1 : s.drivers);
        joints = joints || more;
        rods = rods && (s.rods || !more);
        if (s.drivers == 1 && !drivers[0])
            snprintf(drivers, sizeof drivers,
                     "remove driver '%.100s', because the joints already determine its coordinate", s.two[0]);
        else if (s.drivers > 1 && !drivers[0])
            snprintf(drivers, sizeof drivers,
                     "remove all but one of the %d drivers that prescribe the same motion (%.100s, %.100s%s)",
                     s.drivers, s.two[0], s.two[1], s.drivers > 2 ? ", ..." : "");
    }
    if (!k->model) tmli_check_note(k, TML_LOG_INFO, "Redundant rows do not change the motion.");
    else
        tmli_check_note(
            k, TML_LOG_INFO,
            "Redundant rows do not change the motion. To make the shared reactions unique, %s%s%s.", drivers,
            drivers[0] && joints ? ", and " : "", joints ? advise_on_joints(k, rods) : "");
}

// Misaligned joints: rows that are nearly, not exactly, redundant.
static void note_misalignment(tmli_checker *k)
{
    const tml_check *c = &k->check;
    if (k->gaps)
        tmli_check_note(k, TML_LOG_WARNING,
                        "Joints that should be aligned are slightly misaligned: %s. The assembly does not "
                        "close this gap.",
                        k->gaps);
    else if (c->misfit > TMLI_AGREEMENT)
        tmli_check_note(k, TML_LOG_WARNING,
                        "Joints that should be aligned are slightly misaligned: redundant rows differ in "
                        "direction by up to %.1e.",
                        c->misfit);
}

static void note_rank(tmli_checker *k)
{
    const tml_check *c = &k->check;
    if (c->dependency_count > 0 && c->rank_nearby > c->rank)
        tmli_check_note(k, TML_LOG_WARNING,
                        "The start is a singular configuration: %d constraint row%s dependent here, %d in "
                        "nearby configurations. The mechanism may leave it on more than one branch; start "
                        "from another configuration.",
                        c->dependency_count, c->dependency_count == 1 ? " is" : "s are",
                        c->rows - c->rank_nearby);
    else if (c->dependency_count > 0) note_redundant_rows(k);
    note_misalignment(k);
    if (c->rank > 0 && c->weakest < TMLI_NEARLY_DEPENDENT)
        tmli_check_note(k, TML_LOG_WARNING,
                        "Some constraint rows are nearly dependent (smallest relative pivot %.1e): joints "
                        "that should be aligned are slightly misaligned, or the start is close to a singular "
                        "configuration. Reactions will be large.",
                        c->weakest);
    if (c->freedoms == 0 && c->coordinates > 0)
        tmli_check_note(k, TML_LOG_INFO,
                        "No degree of freedom is left: constraints and drivers prescribe all motion.");
}

static void note_spectrum(tmli_checker *k)
{
    const tml_check *c = &k->check;
    if (!c->has_spectrum) return;
    if (c->instantaneous && c->eigenvalue_count > 0)
        tmli_check_note(
            k, TML_LOG_INFO,
            "The start is neither an equilibrium nor a steady motion: the roots are those of the "
            "coefficients of this instant. The coefficients change with the motion, so the roots say "
            "little about stability; they are estimates of time scales.");
    const double slowest = c->zeros < c->eigenvalue_count
                               ? hypot(c->eigenvalues[c->zeros].re, c->eigenvalues[c->zeros].im)
                               : INFINITY;
    if (c->zeros > 0 && c->zeros_below > TMLI_DOUBTFUL_ZERO * slowest)
        tmli_check_note(
            k, TML_LOG_WARNING,
            "Roots below %.2g 1/s are counted as zero: round-off beside the fastest motions hides "
            "them here. 'trammel modes' finds the slow ones one by one.",
            c->zeros_below);
    if (c->massless > 0)
        tmli_check_note(k, TML_LOG_WARNING,
                        "%d degree%s of freedom %s no inertia: only forces determine %s. Methods that "
                        "integrate accelerations cannot be used (bdf, radau5 and damped genalpha can). Give "
                        "the parts mass and inertia unless this is intended.",
                        c->massless, tmli_plural(c->massless), c->massless > 1 ? "have" : "has",
                        c->massless > 1 ? "them" : "it");
    double growth = 0;
    for (int i = c->zeros; i < c->eigenvalue_count; i++)
        if (c->eigenvalues[i].re > TMLI_INPUT_ERROR * hypot(c->eigenvalues[i].re, c->eigenvalues[i].im))
            growth = fmax(growth, c->eigenvalues[i].re);
    if (growth > 0 && !c->instantaneous)
        tmli_check_note(k, TML_LOG_INFO,
                        "Small motions grow, at most by a factor e in %.3g s: the %s is not stable.",
                        1 / growth, c->steady ? "steady motion" : "configuration");
    if (c->stiffness_ratio > NOTE_STIFFNESS)
        tmli_check_note(k, TML_LOG_INFO,
                        "The system is stiff: its time scales span a factor of %.1e, the shortest is %.3g s. "
                        "Use an implicit method, with numerical damping if fast oscillations are undamped.",
                        c->stiffness_ratio, c->fastest);
}

static void note_tables(tmli_checker *k)
{
    for (int i = 0; k->model && i < k->model->ntables; i++) {
        char text[400];
        if (!tmli_table_describe_overshoot(k->model, i, text, sizeof text)) continue;
        text[0] = 'T';  // the
        tmli_check_note(k, TML_LOG_WARNING, "%s.", text);
    }
}

void tmli_check_add_notes(tmli_checker *k)
{
    note_start(k);
    note_free_bodies(k);
    note_tables(k);
    note_massless_rotations(k);
    note_rank(k);
    note_spectrum(k);
}
