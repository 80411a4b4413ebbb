// What a wrong word may mean: the valid name nearest to it, or what another program's word is called here.
#include "base/base.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum {
    NEAREST_MAX = 64,  // longer words are compared by their first 64 characters
    PREFIX_MIN = 3,    // a shorter word is not taken for the beginning of a name
    MAX_LISTED = 12    // names that a message lists
};

// Edit distance with insertion, deletion, substitution and transposition of adjacent characters (optimal
// string alignment).
static size_t edit_distance(const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b);
    if (na > NEAREST_MAX) na = NEAREST_MAX;
    if (nb > NEAREST_MAX) nb = NEAREST_MAX;
    size_t row[3][NEAREST_MAX + 1];
    for (size_t j = 0; j <= nb; j++) row[0][j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t *cur = row[i % 3], *prev = row[(i + 2) % 3], *prev2 = row[(i + 1) % 3];
        cur[0] = i;
        const int ca = tolower((unsigned char)a[i - 1]);
        for (size_t j = 1; j <= nb; j++) {
            const int cb = tolower((unsigned char)b[j - 1]);
            size_t best = prev[j - 1] + (ca != cb);
            if (prev[j] + 1 < best) best = prev[j] + 1;
            if (cur[j - 1] + 1 < best) best = cur[j - 1] + 1;
            if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
                cb == tolower((unsigned char)a[i - 2]) && prev2[j - 2] + 1 < best)
                best = prev2[j - 2] + 1;
            cur[j] = best;
        }
    }
    return row[na % 3][nb];
}

const char *tmli_nearest(const char *word, const char *const *names, size_t count)
{
    const char *best = NULL;
    size_t best_distance = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        if (!names[i]) continue;
        const size_t d = edit_distance(word, names[i]);
        if (d < best_distance) {
            best_distance = d;
            best = names[i];
        }
    }
    // of names that are unlike it, the first one that it begins: "pin" of "pin.angle"
    for (size_t i = 0; i < count && best_distance > 1 && strlen(word) >= PREFIX_MIN; i++)
        if (names[i] && strncmp(names[i], word, strlen(word)) == 0) return names[i];
    // a third of the letters may differ, at least one and at most four, but not all letters of a short name
    size_t allowed = (strlen(word) + 2) / 3;
    if (allowed > 4) allowed = 4;
    return best && best_distance <= allowed && best_distance < strlen(best) ? best : NULL;
}

// ---- words of other programs ------------------------------------------------------------------------------

typedef struct other_words {
    const char *ours;
    const char *theirs;  // each between blanks, lower case
} other_words;

// The same thing: Adams, MuJoCo, URDF, MBDyn, Chrono, Exudyn, Simscape, Python.
static const other_words same[] = {
    {"revolute", " hinge pin pivot continuous rotational revolute_joint rotary rotation r "},
    {"prismatic", " slider slide translational linear_guide sliding linear p "},
    {"spherical", " ball ball_joint spherical_joint ball-socket ball-and-socket point "},
    {"fixed", " weld welded rigid lock clamp bracket "},
    {"universal", " hooke cardan hinge2 "},
    {"constant-velocity", " cv convel "},
    {"point-on-line", " inline in-line "},
    {"point-on-plane", " inplane in-plane "},
    {"distance", " rod massless_link "},
    {"screw", " helical "},
    {"rack", " rack-and-pinion rackpin "},
    {"driver", " motor motion actuator joint-motion "},
    {"spring", " tsda spring-damper springdamper linear-spring sforce "},
    {"torsion", " rsda rotational-spring torsion-spring torsional-spring rotary-spring rotary "},
    {"applied", " gforce vforce external body-force "},
    {"bushing", " 6dof-spring field "},
    {"coulomb", " dry "},
    {"coefficient", " mu friction_coefficient "},
    {"restitution", " cor bounce e "},
    {"length", " height free_length rest_length natural_length l0 unstretched_length initial_length "
               "undeformed_length "},
    {"radius", " r "},
    {"limits", " limit range stop stops angle_limits joint_limits bounds "},
    {"of", " joint coordinate channel signal variable "},
    {"when", " condition trigger expression "},
    {"a", " parent body1 body_1 frame1 frame_1 body_a frame_a from j marker_j "},
    {"b", " child body2 body_2 frame2 frame_2 body_b frame_b to i marker_i "},
    {"ground", " world inertial fixed_base origin "},
    {"stiffness", " k spring_constant rate spring spring_stiffness spring_rate "},
    {"damping", " c d damper damping_coefficient viscous_damping dashpot "},
    {"bodies", " links parts body rigid_bodies objects masses "},
    {"joints", " constraints connections "},
    {"forces", " loads force_elements springs "},
    {"parameters", " params variables constants definitions "},
    {"outputs", " sensors requests measures measurements "},
    {"inputs", " controls "},
    {"contacts", " collisions "},
    {"shapes", " geometry geometries geoms visuals "},
    {"gravity", " g grav "},
    {"run", " simulation solver_settings simulate options settings solver analysis integration time "},
    {"title", " name model "},
    {"mass", " m weight "},
    {"inertia", " i j moi inertia_tensor moment_of_inertia "},
    {"position", " pos p com cm xyz location origin initial_position x0 anchor "},
    {"orientation", " rot rotation quat rpy attitude angle theta phi rotation_angle "},
    {"velocity", " vel v speed linear_velocity initial_velocity v0 "},
    {"angular_velocity", " omega w angvel angular_speed initial_angular_velocity omega0 "},
    {"quaternion", " quat q "},
    {"colour", " color rgba "},
    {"step", " dt h step_size stepsize timestep time_step fixed_step "},
    {"end", " t_end tend end_time endtime duration stop stop_time t_final tf final_time t_stop time t tspan "
            "t_span simulation_time sim_time "},
    {"start", " t_start tstart start_time t0 "},
    {"tol", " tolerance accuracy eps error precision "},
    {"rtol", " reltol relative_tolerance "},
    {"atol", " abstol absolute_tolerance "},
    {"max_step", " hmax max_dt dt_max maximum_step "},
    {"min_step", " hmin min_dt dt_min "},
    {"output_step", " dt_out dtout output_dt sample_time sampling output_interval "},
    {"method", " integrator scheme stepper "},
    {"solver", " linear_solver "},
    {"as", " out output name file o "},
    {"settings", " run simulation options "},
    {"from", " min minimum lower start "},
    {"to", " max maximum upper end stop "},
    {"count", " n num number points steps samples "},
    {"latin-hypercube", " lhs latin "},
    {"random", " monte-carlo montecarlo mc "},
    {"grid", " full-factorial factorial full "},
    {"members", " samples n count runs size "},
    {"deviation", " std sigma stdev stddev standard_deviation "},
    {"mean", " average avg "},
    {"min", " minimum smallest least "},
    {"max", " maximum largest peak "},
    {"final", " last end "},
    {"initial", " first start "},
    {"minimize", " min objective cost goal "},
    {"maximize", " max "},
    {"cylindrical", " cylinder "},
    {"wheel", " rolling roll "},
    {"law", " expression function formula f "},
    {"point", " location origin position pos anchor "},
    {"axis", " direction dir "},
    {"angle", " initial_angle angle0 theta theta0 phi phi0 q0 "},
    {"force", " f vector components value "},
    {"shape", " geometry geom visual visuals mesh graphics "},
};

// Options and commands of this program.
static const other_words usage[] = {
    {"out", " output outfile output_file o file "},
    {"set", " param parameter p define d override "},
    {"over", " vs versus x against xaxis x_axis "},
    {"version", " v ver "},
    {"run", " solve sim start exec execute dynamics integrate simulate "},
    {"study", " optimize optimise optimization sweep doe batch montecarlo parameter-study "},
    {"view", " animate animation show open gui play render film movie visualize "},
    {"check", " info inspect validate lint "},
    {"export", " convert "},
    {"modes", " eig eigen eigenvalues frequencies modal "},
    {"static", " statics equilibrium "},
    {"plot", " graph draw chart "},
    {"stats", " peaks summary statistics "},
    {"new", " init create template example examples "},
    {"pendulum", " double-pendulum simple "},
    {"car", " truck vehicle lane-change driver "},
    {"quarter-car", " suspension bump ride "},
    {"robot-arm", " manipulator arm pid "},
    {"four-bar", " linkage fourbar crank-rocker "},
    {"slider-crank", " piston engine crank compressor "},
    {"cantilever", " beam fem flexible "},
    {"rotor", " shaft whirl jeffcott "},
    {"conveyor", " belt rollers contact "},
    {"gripper", " hand grasp friction "},
};

// Not the same, but what takes its place.
static const other_words instead[] = {
    {"erk5",
     " rk4 rk45 ode45 dopri5 rkf45 dp5 runge-kutta rungekutta explicit rk rk2 rk44 heun euler explicit-euler "
     "semi-implicit-euler symplectic-euler verlet velocity-verlet leapfrog fehlberg ode23 rk23 "
     "bogacki-shampine tsit5 "},
    {"erk8", " dop853 rk8 ode113 rk78 "},
    {"radau5", " implicit implicitfast ode23s radau iia ode15i dirk "},
    {"bdf", " ode15s gear gstiff wstiff dassl ida cvode lsode daessc constant-bdf lsoda sundials "},
    {"ggl", " si2 stabilized-index2 "},
    {"hht", " hht-i3 hht-alpha alpha "},
    {"genalpha", " generalized-alpha gen-alpha generalizedalpha chung-hulbert "},
    {"bdf2", " implicit-euler backward-euler euler-implicit be "},
    {"adams", " abam adams-bashforth-moulton ode113 "},
    {"newmark", " trapezoidal trapezoidal-index2 ode23t newmark-beta crank-nicolson tustin "},
    {"spring", " damper dashpot cable rope tendon muscle "},
    {"position", " x y z "},
    {"coordinate", " motor actuator joint-torque "},
    {"spherical", " gimbal "},
    {"midpoint", " symplectic implicit-midpoint "},
    {"applied",
     " force torque moment general user point-force thruster thrust wind buoyancy load pid magnet "},
    {"gear", " belt chain coupler pulley "},
    {"point-on-line", " slot curve groove "},
    {"distance", " rope link bar strut cable "},
    {"velocity", " vx vy vz "},
    {"count", " step linspace "},
    {"distribution", " uniform normal scale "},
    {"frequency", " period "},
    {"output_step", " steps nsteps n_steps num_steps samples fps frames frame_rate sample_rate rows rate "},
    {"law", " preload force "},
};

// Not a word of this list: what to do instead.
static const struct {
    const char *among;  // a name of the list
    const char *theirs, *say;
} elsewhere[] = {
    {"revolute", " free freejoint floating 6dof ", "a body without joints is free: leave it out"},
    {"revolute", " spring torsion bushing damper tsda rsda applied tyre ",
     "a force: it stands under 'forces'"},
    {"revolute", " contact collision cam ", "shapes that touch stand under 'contacts'"},
    {"spring", " driver gear rack revolute prismatic fixed distance motion ",
     "a joint: it stands under 'joints'"},
    {"spring", " contact collision impact ", "shapes that touch stand under 'contacts'"},
    {"spring", " gravity weight ", "'gravity' stands at the top of the model, for all bodies"},
    {"fixed_at_start", " fixed static anchored grounded kinematic ",
     "a joint of type 'fixed' holds a body; what never moves may be frames and shapes of 'ground'"},
    {"fixed_at_start", " quaternion euler rpy ", "a form of it: orientation: {quaternion: [1, 0, 0, 0]}"},
    {"fixed_at_start", " length width height size radius ",
     "a body has no size: 'shape' draws one, and with 'density' gives mass and inertia"},
    {"fixed_at_start", " color colour rgba ", "of a shape: shape: {type: sphere, radius: 0.1, colour: red}"},
    {"fixed_at_start", " name id ", "the name of an entry stands before it: NAME: {...}"},
    {"type", " name id ", "the name of an entry stands before it: NAME: {...}"},
    {"backlash", " motion actuator drive speed servo ",
     "a joint of type 'driver' prescribes a motion of the coordinate; 'motor' drives it with a controller, "
     "'torque' or 'force' acts along it"},
    {"backlash", " mu friction_coefficient coulomb ",
     "of its friction: friction: {coefficient: 0.3, load: reaction, radius: 0.01}"},
    {"output_step", " file filename save output out results ",
     "the option --out of 'trammel run' names the result file"},
    {"output_step", " gravity ", "it stands beside 'run', not in it"},
    {"output_step", " initial_step first_step h0 ", "the tolerance sets the first step"},
    {"modal_bodies", " motion motions drivers driver motors actuators ",
     "a joint of type 'driver' prescribes a motion; forces 'applied' and 'coordinate' drive"},
    {"modal_bodies", " units unit ", "all numbers are in SI units"},
    {"modal_bodies", " frames markers points sites ",
     "frames stand in their body, those of the ground in ground: {frames: ...}"},
    {"modal_bodies", " controllers controller control ",
     "a control law is an expression of a force; its integrals stand under 'states'"},
    {"modal_bodies", " initial_conditions initial initial_state ",
     "bodies begin with their position, orientation, velocity and angular_velocity"},
    {"modal_bodies", " materials material ", "a body has a mass or a density, a beam its material"},
    {"quantities", " report out output threads plot plots ",
     "an option of 'trammel study': --report, --out, --threads; 'trammel plot' draws the table"},
    {"quantities", " seed members samples ",
     "it belongs to sampling: {method: random, members: 100, seed: 1}"},
    {"quantities", " minimize maximize objective goal constraints ",
     "it belongs to optimize: {minimize: QUANTITY, constraints: {NAME: EXPRESSION}}"},
    {"take", " max min mean rms final initial maximum minimum ", "write {of: CHANNEL, take: max}"},
    {"time_of_max", " range amplitude peak_to_peak ",
     "take max and min, and the difference: NAME: high - low"},
    {"time_of_max", " integral ", "a state of the model integrates its rate; take its final value"},
    {"genalpha", " default automatic best fast stiff ", "leave it out, and 'auto' chooses"},
};

// Words that differ in '-' and '_' are the same.
static bool is_word(const char *list, const char *word, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] != word[i] && !(strchr("-_", word[i]) && list[i] && strchr("-_", list[i]))) return false;
    return list[n] == ' ';
}

static bool same_word(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if (*a != *b && !(strchr("-_", *a) && strchr("-_", *b))) return false;
    return *a == *b;
}

static bool contains(const char *list, const char *word)
{
    const size_t n = strlen(word);
    for (const char *p = strchr(list, ' '); p && n > 0; p = strchr(p + 1, ' '))
        if (is_word(p + 1, word, n)) return true;
    return false;
}

// The valid name that a word of a table stands for, or NULL.
static const char *find_ours(const other_words *table, size_t rows, const char *word,
                             const char *const *names, size_t count)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < count && contains(table[i].theirs, word); k++)
            if (names[k] && same_word(names[k] + strspn(names[k], "-"), table[i].ours)) return names[k];
    return NULL;
}

tmli_hint tmli_hint_of(const char *word, const char *const *names, size_t count)
{
    tmli_hint h = {""};
    const char *near = names ? tmli_nearest(word, names, count) : NULL;
    if (near) snprintf(h.text, sizeof h.text, " (is it '%.120s'?)", near);
    return h;
}

tmli_hint tmli_hint_list(const char *word, const char *const *names, size_t count)
{
    tmli_hint h = tmli_hint_of(word, names, count);
    if (h.text[0] || !names || count == 0 || count > MAX_LISTED) return h;
    size_t used = (size_t)snprintf(h.text, sizeof h.text, count == 1 ? " (there is " : " (there are ");
    for (size_t i = 0; i < count; i++) {
        if (used + strlen(names[i]) + 3 > sizeof h.text) return (tmli_hint){""};
        used += (size_t)snprintf(h.text + used, sizeof h.text - used, "%s%s", names[i],
                                 i + 1 < count ? ", " : ")");
    }
    return h;
}

static const char *find_elsewhere(const char *word, const char *const *names, size_t count)
{
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        for (size_t k = 0; k < count && contains(elsewhere[i].theirs, word); k++)
            if (names[k] && strcmp(names[k], elsewhere[i].among) == 0) return elsewhere[i].say;
    return NULL;
}

// Lower case, without the dashes of an option.
static void put_bare(const char *word, char bare[NEAREST_MAX])
{
    const char *w = word + strspn(word, "-");
    size_t n = 0;
    for (; w[n] && n + 1 < NEAREST_MAX; n++) bare[n] = (char)tolower((unsigned char)w[n]);
    bare[n] = 0;
}

const char *tmli_usage_word(const char *word, const char *const *names, size_t count)
{
    char bare[NEAREST_MAX];
    put_bare(word, bare);
    return find_ours(usage, sizeof usage / sizeof *usage, bare, names, count);
}

tmli_hint tmli_hint_word(const char *word, const char *const *names, size_t count)
{
    tmli_hint h = {""};
    char bare[NEAREST_MAX];
    put_bare(word, bare);
    const char *ours = find_ours(same, sizeof same / sizeof *same, bare, names, count);
    const char *like = find_ours(instead, sizeof instead / sizeof *instead, bare, names, count);
    const char *say = find_elsewhere(bare, names, count);
    if (ours) snprintf(h.text, sizeof h.text, " ('%s' is called '%.60s' here)", bare, ours);
    else if (say) snprintf(h.text, sizeof h.text, " (%s)", say);
    else if (like) snprintf(h.text, sizeof h.text, " (in place of '%s' try '%.60s')", bare, like);
    return h.text[0] ? h : tmli_hint_of(word, names, count);
}

bool tmli_error_hint(tml_error *err, const char *word, const char *const *names, size_t count)
{
    const tmli_hint h = tmli_hint_of(word, names, count);
    if (h.text[0]) tmli_error_append(err, "%s", h.text + 1);
    return h.text[0] != 0;
}
