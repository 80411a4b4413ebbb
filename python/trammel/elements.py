"""Bodies, contacts, states, ... and values inside entries, with the keys of model files (docs/model-file.md).

Generated from docs/trammel.schema.json by python/tools/write_entries.py: do not edit by hand.
"""
# pylint: disable=too-many-arguments,too-many-locals,unused-argument,redefined-builtin
from __future__ import annotations

from typing import Literal

from .entries import Entry, Expression, Map, Number, Numbers, Reference, Value, Vector


class Body(Entry):
    r"""A rigid body. The origin of its frame is the centre of mass. The motion of a body without mass
    (`mass: 0`) must be determined by joints or forces.

    mass: mass; required, unless the body has a density [kg] (default: by `density`)
    density: instead of mass and inertia: they follow from the shapes of the body, and so does its
        centre of mass; position, velocity, frames and shapes are then relative to a frame of your
        choice, `origin` of the body; planar: kg/m^2 [kg/m^3]
    inertia: about the centre of mass in body axes: one number (planar: Jzz; spatial: the same about
        every axis), three [Jxx, Jyy, Jzz] or six [Jxx, Jyy, Jzz, Jxy, Jxz, Jyz] entries of the tensor;
        0: all mass in one point (say so: a body with mass and without this key gets a warning if its
        rotation matters); rotations that no force or joint determines are kept at rest [kg m^2]
        (default: 0)
    position: centre of mass at the start, inertial frame [m] (default: [0, 0, 0])
    orientation: body axes at the start, relative to the inertial axes [rad] (default: 0)
    velocity: of the centre of mass at the start, inertial frame [m/s] (default: [0, 0, 0])
    angular_velocity: at the start, body frame [rad/s] (default: [0, 0, 0])
    point: a point mass: it has no rotation and no inertia, and 3 unknowns instead of 6 (default: false)
    fixed_at_start: the assembly of the start does not move this body (default: false)
    frames: named points with axes, fixed to the body, relative to its centre of mass, in body axes
    shape: how it is drawn, short for entries of `shapes` named after the body (BODY, BODY_2, ...)
    """
    SECTION = "bodies"
    KEYS = ("mass", "density", "inertia", "position", "orientation", "velocity", "angular_velocity",
            "point", "fixed_at_start", "frames", "shape")

    def __init__(self, name: str, *, mass: Number | None = None, density: Number | None = None,
                 inertia: Number | Numbers | None = None, position: Vector | None = None,
                 orientation: Number | Value | Map | None = None, velocity: Vector | None = None,
                 angular_velocity: Number | Vector | None = None, point: bool | None = None,
                 fixed_at_start: bool | None = None, frames: Map | None = None,
                 shape: Value | Map | Numbers | None = None):
        super().__init__(name, locals())


class ModalBody(Entry):
    r"""An elastic part in a floating frame, with modes of its mesh (modal bodies). Its interface nodes
    become bodies NAME_NODE with the frames NAME.NODE (NAME.nNODE if NODE begins with a digit); the
    element NAME_part has the channels energy, mode1, mode2, ...

    part: file of the part, made by `trammel reduce`; its path is relative to the model file
    stiffness: instead of part: Matrix Market file of the stiffness of a free mesh
    mass: with stiffness: Matrix Market file of the mass
    nodes: with stiffness: CSV file of the nodes of the mesh
    interface: with stiffness: names of the interface nodes, separated by commas
    modes: with stiffness: number of modes with fixed interface nodes (default: 0)
    position: origin of the part, inertial frame [m] (default: [0, 0, 0])
    orientation: axes of the part [rad] (default: 0)
    velocity: of the origin of the part at the start, inertial frame [m/s] (default: [0, 0, 0])
    angular_velocity: at the start, inertial frame: the part moves as a rigid body [rad/s] (default: [0,
        0, 0])
    reference: interface node that carries the floating frame (default: of the part)
    damping: list of shares of critical damping of the elastic modes of the free part; the last one
        holds for all further modes
    mass_damping: further damping of these modes in proportion to their mass [1/s] (default: 0)
    stiffness_damping: and to their stiffness [s] (default: 0)
    stiffening: geometric stiffening by the load cases of the part (default: true)
    """
    SECTION = "modal_bodies"
    KEYS = ("part", "stiffness", "mass", "nodes", "interface", "modes", "position", "orientation",
            "velocity", "angular_velocity", "reference", "damping", "mass_damping", "stiffness_damping",
            "stiffening")

    def __init__(self, name: str, *, part: str | None = None, stiffness: str | None = None,
                 mass: str | None = None, nodes: str | None = None, interface: str | None = None,
                 modes: Number | None = None, position: Vector | None = None,
                 orientation: Number | Value | Map | None = None, velocity: Vector | None = None,
                 angular_velocity: Number | Vector | None = None, reference: Reference | None = None,
                 damping: Numbers | None = None, mass_damping: Number | None = None,
                 stiffness_damping: Number | None = None, stiffening: bool | None = None):
        super().__init__(name, locals())


class Contact(Entry):
    r"""A contact between shapes or groups of shapes (contact). It is a force, whose channels are `gap`,
    `force`, `friction` and `points`, and the contact forces.

    a: a shape or a group of shapes (required)
    b: a shape or a group of shapes that touch those of `a` (default: the shapes of `a` touch each
        other)
    law: normal force by the depth d [m] and its rate v [m/s]; it never pulls (default: hunt-crossley)
    stiffness: of each point of contact [N/m^exponent] (default: Hertz, by `youngs_modulus`)
    exponent: hunt-crossley: exponent of the depth, at least 1 (default: 1.5)
    damping: see `law` [s/m, N s/m^1.25, N s/m] (default: from `restitution`, or 0)
    restitution: speed after over speed before an impact, instead of `damping`; rigid: required
    impact: rigid: what `restitution` is the ratio of (default: newton)
    speed: hunt-crossley: least speed of impacts that meet `restitution`; in large groups that of all
        [m/s] (default: 1e-3 of the speeds of the model)
    friction: law regularized or lugre, rigid: coulomb, with `coefficient`; the load is the normal
        force, and `viscous`, `bristle_stiffness` [1/m] and `bristle_damping` [s/m] are per unit of load
    rolling: rolling resistance: moment over normal force [m] (default: 0)
    drilling: resistance to spin about the normal: moment over normal force [m] (default: 0)
    spin_creep: angular speed at which 76 % of these moments are reached [rad/s]
    """
    SECTION = "contacts"
    KEYS = ("a", "b", "law", "stiffness", "exponent", "damping", "restitution", "impact", "speed",
            "friction", "rolling", "drilling", "spin_creep")

    def __init__(self, name: str, *, a: Reference | None = None, b: Reference | None = None,
                 law: Literal["hunt-crossley", "hertz", "linear", "rigid"] | None = None,
                 stiffness: Number | None = None, exponent: Number | None = None,
                 damping: Number | None = None, restitution: Number | None = None,
                 impact: Literal["newton", "poisson"] | None = None, speed: Number | None = None,
                 friction: Value | Map | None = None, rolling: Number | None = None,
                 drilling: Number | None = None, spin_creep: Number | None = None):
        super().__init__(name, locals())


class State(Entry):
    r"""A first-order state, integrated with the motion by every method: controllers, actuators, filters.
    Expressions use it by its name.

    rate: rate of change as an expression of t, states, inputs and motion [unit/s] (required)
    start: value at the start [unit] (default: 0)
    scale: nominal magnitude, for the absolute tolerance [unit] (default: 1)
    unit: unit of the value, for results (default: 1)
    """
    SECTION = "states"
    KEYS = ("rate", "start", "scale", "unit")

    def __init__(self, name: str, *, rate: Expression | None = None, start: Number | None = None,
                 scale: Number | None = None, unit: str | None = None):
        super().__init__(name, locals())


class Input(Entry):
    r"""A number that a program which uses the library sets between steps (`tml_sim_set_input`). Expressions
    of forces, states, outputs and events use it by its name. Nothing else changes during a run:
    parameters are fixed when the model is built. A stiffness that is to change is an input in the
    expression of an applied force, as in `force: ["-k*cart.x", 0]` with `inputs: {k: {value: 300, unit:
    N/m}}`; then `tml_sim_set_parameter(sim, "k", 450, &err)` sets it.

    value: value at the start; the command keeps it, a program changes it between steps [unit] (default:
        0)
    unit: unit of the value, for results (default: 1)
    """
    SECTION = "inputs"
    KEYS = ("value", "unit")

    def __init__(self, name: str, *, value: Number | None = None, unit: str | None = None):
        super().__init__(name, locals())


class Event(Entry):
    r"""Stops the run when an expression crosses zero, or a condition becomes true.

    when: the run stops where this expression crosses zero, or where this condition (`a.x > 2 and t >
        1`) becomes true (required)
    direction: direction of the crossing; of a condition, down: where it becomes false (default: both)
    """
    SECTION = "events"
    KEYS = ("when", "direction")

    def __init__(self, name: str, *, when: Expression | None = None,
                 direction: Literal["up", "down", "both"] | None = None):
        super().__init__(name, locals())


class Table(Entry):
    r"""A function of one argument, given by points: `NAME(x)` in any expression of the run, or `table:
    NAME` of a force or road. See tables.

    points: rows [x, y], x ascending (default: those of `file`)
    file: a CSV file with the points; its path is relative to the model file
    x: column of the argument: its name in the first line of the file, or its number from 1 (default: 1)
    y: column of the values (default: 2)
    interpolation: the curve between the points (default: monotone)
    outside: the curve before the first and after the last point (default: extend)
    """
    SECTION = "tables"
    KEYS = ("points", "file", "x", "y", "interpolation", "outside")

    def __init__(self, name: str, *, points: Numbers | None = None, file: str | None = None,
                 x: str | None = None, y: str | None = None,
                 interpolation: Literal["monotone", "linear", "spline"] | None = None,
                 outside: Literal["extend", "hold"] | None = None):
        super().__init__(name, locals())


class Frame(Value):
    r"""A named point with axes on a body or on the ground. `NAME: [x, y, z]` is short for a position alone.

    position: relative to the origin of the body frame, in body axes [m] (default: [0, 0, 0])
    orientation: frame axes, relative to the body axes [rad] (default: 0)
    shape: short for entries of `shapes` at this frame, named BODY_FRAME, BODY_FRAME_2, ...
    """
    KEYS = ("position", "orientation", "shape")

    def __init__(self, *, position: Vector | None = None,
                 orientation: Number | Value | Map | None = None,
                 shape: Value | Map | Numbers | None = None):
        super().__init__(locals())


class Orientation(Value):
    r"""One number (angle about z), or a map in one of four forms: axis and angle; quaternion; euler with
    sequence; two of x, y, z.

    axis: rotation axis, any length; with angle
    angle: rotation angle about axis [rad]
    quaternion: [e0, e1, e2, e3], scalar first; normalized
    euler: three rotations, each about an axis of the frame after the preceding ones [rad]
    sequence: axes of the three rotations of euler, such as zxz, xyz, zyx (default: zyx)
    x: direction of the x axis of the frame; give two of x, y, z
    y: direction of the y axis of the frame
    z: direction of the z axis of the frame; it is used exactly (x, if z is not given), and the other
        one is made perpendicular to it
    """
    KEYS = ("axis", "angle", "quaternion", "euler", "sequence", "x", "y", "z")

    def __init__(self, *, axis: Vector | None = None, angle: Number | None = None,
                 quaternion: Numbers | None = None, euler: Numbers | None = None,
                 sequence: str | None = None, x: Vector | None = None, y: Vector | None = None,
                 z: Vector | None = None):
        super().__init__(locals())


class Limits(Value):
    r"""Limits of the first coordinate of a joint, the value of its key `limits`: compliant with
    `stiffness`, rigid with `restitution` (friction).

    lower: least value of the coordinate without a force [m or rad]
    upper: greatest value of the coordinate without a force [m or rad]
    stiffness: compliant limits: force per way beyond a limit [N/m or N m/rad]
    damping: compliant limits: force per speed beyond a limit; the sum never pulls [N s/m or N m s/rad]
        (default: 0)
    restitution: rigid limits: rate after an impact over the rate before it, 0 (none) to 1 (no loss)
    """
    KEYS = ("lower", "upper", "stiffness", "damping", "restitution")

    def __init__(self, *, lower: Number | None = None, upper: Number | None = None,
                 stiffness: Number | None = None, damping: Number | None = None,
                 restitution: Number | None = None):
        super().__init__(locals())


class Friction(Value):
    r"""Friction along the first coordinate of a joint, the value of its key `friction` (friction).

    law: law of friction ([friction](friction.md)) (default: coulomb)
    coulomb: force while it slips [N or N m] (default: coefficient * load)
    static: largest force while it sticks [N or N m] (default: that of slip)
    coefficient: coefficient of friction, instead of `coulomb`
    static_coefficient: the same for `static` (default: that of slip)
    load: normal load of the coefficients: a constant, or the force that the joint transmits [N]
    radius: along an angle: radius at which the load acts [m]
    stribeck: speed over which the force falls from `static` to `coulomb`; without it: at once [m/s or
        rad/s]
    viscous: additional force per speed [N s/m or N m s/rad] (default: 0)
    bristle_stiffness: lugre: stiffness of the bristles, sigma_0 [N/m or N m/rad]
    bristle_damping: lugre: damping of the bristles, sigma_1 [N s/m or N m s/rad] (default: 0)
    creep: regularized: speed at which 76 % of the force is reached [m/s or rad/s]
    """
    KEYS = ("law", "coulomb", "static", "coefficient", "static_coefficient", "load", "radius",
            "stribeck", "viscous", "bristle_stiffness", "bristle_damping", "creep")

    def __init__(self, *, law: Literal["coulomb", "lugre", "regularized"] | None = None,
                 coulomb: Number | None = None, static: Number | None = None,
                 coefficient: Number | None = None, static_coefficient: Number | None = None,
                 load: Number | None = None, radius: Number | None = None,
                 stribeck: Number | None = None, viscous: Number | None = None,
                 bristle_stiffness: Number | None = None, bristle_damping: Number | None = None,
                 creep: Number | None = None):
        super().__init__(locals())


class Motor(Value):
    r"""A motor with its controller, the value of the key `motor` of a joint: the force stiffness (position
    - coordinate) + damping (speed - rate) + command, within `limit`, as the channel JOINT_motor.force,
    whose sign is that of a spring: positive against the coordinate.

    position: target of the coordinate, an expression of t and any state, input or coordinate [m or rad]
    speed: target of its rate, the same [m/s or rad/s] (default: 0)
    command: force or torque, the same [N or N m]
    stiffness: force per deviation from `position` [N/m or N m/rad] (default: 0)
    damping: force per deviation of the rate from `speed` [N s/m or N m s/rad] (default: 0)
    limit: largest force or torque [N or N m]
    lag: time constant with which the force follows, by the state JOINT_motor_lag [s] (default: 0)
    """
    KEYS = ("position", "speed", "command", "stiffness", "damping", "limit", "lag")

    def __init__(self, *, position: Expression | None = None, speed: Expression | None = None,
                 command: Expression | None = None, stiffness: Number | None = None,
                 damping: Number | None = None, limit: Number | None = None, lag: Number | None = None):
        super().__init__(locals())


class Scaling(Value):
    r"""The factor s = k + d/h + m/h^2 of the constraints at the step h, a value of the key `scaling` of the
    run (scaling).

    k: part that does not depend on the step [N/m] (default: 0)
    d: part over the step [N s/m] (default: 0)
    m: part over the square of the step [kg] (default: 0)
    """
    KEYS = ("k", "d", "m")

    def __init__(self, *, k: Number | None = None, d: Number | None = None, m: Number | None = None):
        super().__init__(locals())


# keys of a model file, and of its block `run`
SECTIONS = ('title', 'description', 'planar', 'gravity', 'parameters', 'include', 'defaults', 'tables',
    'ground', 'bodies', 'beams', 'modal_bodies', 'joints', 'roads', 'forces', 'shapes', 'contacts',
    'states', 'inputs', 'outputs', 'events', 'repeat', 'run')
SETTINGS = {
    'method': 'integration method, see `trammel methods`; auto: chosen from properties of the '
        'model at the start (default: auto)',
    'solver': 'linear solver: dense, klu, block, reduced (multipliers first), tree (joint '
        'coordinates), or auto: tree for methods on the degrees of freedom, block for the'
        ' others, klu if block is not reliable (default: auto)',
    'start': 'time at the start [s] (default: 0)',
    'end': 'time at the end, after start [s] (default: start + 1)',
    'output_step': 'time between rows of the results [s] (default: (end - start)/500)',
    'record': 'channels in result files: patterns, separated by commas, such as `chassis.*, '
        '*.force`; `*` stands for any characters, `?` for one, `pin.force` for all '
        'components of a vector (default: all that can change)',
    'tol': 'tolerance, relative to the length of the model and to the size of a value; '
        'default of rtol and atol (default: 1e-4)',
    'rtol': 'relative tolerance (default: tol)',
    'atol': 'absolute tolerance in model lengths or rad (default: tol)',
    'step': 'fixed step size [s] (default: 0: step-size control)',
    'control_from': 'time from which on the error controls the step size; until then steps have the '
        'size `step` [s] (default: at no time)',
    'max_step': 'largest step size [s] (default: 0: no limit)',
    'min_step': 'smallest step size [s] (default: 0: 1e-15 (end - start))',
    'rho': 'spectral radius at infinity of genalpha, newmark, decay and moreau: 1 keeps high'
        ' frequencies, 0 removes them in one step (default: genalpha 0.8, decay 0, others'
        ' 1)',
    'alpha': 'numerical damping of hht, -1/3 (most) to 0 (none) (default: -0.3)',
    'placement': 'where genalpha and hht satisfy the equations of motion (default: nodes)',
    'constraint_point': 'where midpoint, and genalpha and hht with placement: inner, satisfy position '
        'constraints (default: end)',
    'max_order': 'highest order of bdf, ggl and the regularized methods, 1 to 5, and of adams, 1 '
        'to 12 (default: no limit)',
    'gamma': 'feedback of constraint errors in baumgarte, trust-region and direct-reg; errors '
        'decay with the time constant 1/gamma [1/s] (default: 0: chosen from the motion)',
    'epsilon': 'regularization parameter of trust-region and direct-reg, in units of the '
        'effective inertia of the constraints (default: 0: chosen from the tolerance)',
    'index': 'constraints that baumgarte, trust-region and direct-reg feed back: 3 positions '
        'and velocities, 2 velocities only (comparison) (default: 3)',
    'redundancy': 'what treats constraints that depend on each other in baumgarte, trust-region and'
        ' direct-reg (default: select)',
    'fields': 'unknowns of the Newton iteration (default: two)',
    'control': 'errors that control the step size (default: motion)',
    'scaling': 'scaling of the constraint equations (default: physical)',
    'augment': 'penalty of the augmented Lagrangian in units of the scaling; true and on mean 1,'
        ' false and off mean 0 (default: true)',
    'iterate': 'when the Newton iteration of a step ends (default: converged)',
    'switches': 'locate discontinuities, the jumps and kinks of expressions (if, step, abs, min, '
        'floor, ...), and end steps there; false: only the error control reacts to them '
        '(default: true)',
    'repeat_steps': 'alpha and Radau methods: repeat a step in which a discontinuity is found, so '
        'that it ends just after it; false: the state there is interpolated within the '
        'step (default: true)',
    'group': 'Lie group on which bodies move within a step (default: r3so3)',
    'coordinates': 'independent coordinates of the state-space methods (default: partition)',
    'kinematics': 'unknowns in which the model is integrated (default: auto)',
    'begin': 'where the run begins (default: given)',
    'jacobian': 'derivatives of the state-space methods (default: exact)',
    'estimate': 'error estimate of the state-space methods (default: filtered)',
    'threads': 'threads of one run; 0: automatic, at most one per processor (default: 1)',
    'contacts': 'how impacts of rigid contacts are found ([captured '
        'contacts](theory/captured-contacts.md)) (default: located)',
}
