"""Mechanisms on a line, for scripts/pairs: features of the program that act along one direction, as a model
file and as a reference that shares nothing with the program.

A block (x) hangs on a spring and is guided by a rail. Each of FEATURES adds something.

The reference integrates the scalar equations with Dormand and Prince's formula to 1e-11, ends steps where a
mode or a law changes, and applies the laws of impact and of friction by hand.
"""
import math

FEATURES = {
    "friction": "dry friction in the rail, with a larger static one",
    "impact": "a rigid limit of the rail, with restitution",
    "jump": "the rail is on a carrier whose prescribed speed jumps",
    "event": "ends the run at a place",
    "beam": "a bar of one beam element to a second mass",
    "state": "a force with a lag of first order",
    "input": "a force of an input of the model",
    "gear": "a rack and a flywheel",
    "table": "a spring by a table with kinks",
    "wall": "a compliant contact",
    "puck": "a rigid contact with a free disc or ball",
    "rolling": "a spring to a wheel that rolls; in the plane only",
    "tyre": "a tyre on a wavy road, along its normal",
    "limit": "a compliant limit of the rail",
    "backlash": "a spring with backlash in the rail",
    "switch": "a force in the rail that jumps with the place",
}
END = 1.6  # [s]
SPRING, REST = 20.0, 0.4  # [N/m], [m]
SLIP, STICK = 2.0, 3.0  # [N]
STOP, STOP_E = 0.55, 0.6
JUMP, SPEEDS = 0.7, (0.5, -0.4)  # [s], [m/s]
EVENT = 0.3  # [m], passed downwards
BAR, LUMP, TAIL = 60.0, 0.05, 0.5  # [N/m], [kg]: half of the bar's mass in each node
LAG, COMMAND = 0.2, 2.0  # [s], [N]
PUSH = 1.3  # [N]
RADIUS, FLYWHEEL = 0.1, 0.02  # [m], [kg m^2]
TABLE = ((-1.0, -30.0), (0.0, 0.0), (0.3, 3.0), (1.0, 40.0))  # [m], [N]
WALL, WALL_K, WALL_C = 0.52, 2000.0, 5.0
PUCK, PUCK_AT, PUCK_E = 0.7, 0.42, 0.5  # [kg], [m] of the block where they touch
HOOP, HOOP_J, HOOP_R, HOOP_K = 0.8, 0.036, 0.3, 30.0
TYRE_K, WAVE, WAVELENGTH, PRESS = 20000.0, 0.004, 0.5, 0.01
LIMIT, LIMIT_K, LIMIT_C = 0.45, 800.0, 4.0
LASH_K, LASH, LASH_AT = 50.0, 0.1, 0.2
SWITCH = 0.25  # [m]


DORMAND_PRINCE = ((), (1 / 5,), (3 / 40, 9 / 40), (44 / 45, -56 / 15, 32 / 9),
                  (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
                  (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
                  (35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84))
ORDER_4 = (5179 / 57600, 0, 7571 / 16695, 393 / 640, -92097 / 339200, 187 / 2100, 1 / 40)


def table_force(x):
    rows = TABLE
    k = 0
    while k < len(rows) - 2 and x > rows[k + 1][0]:
        k += 1
    (a, fa), (b, fb) = rows[k], rows[k + 1]
    return fa + (fb - fa) / (b - a) * (x - a)


class Stepper:
    """Integrates y' = rates(y) with Dormand and Prince's formula to 1e-12 per step, from event to event.

    events(y): functions by name that are negative until something happens; handle(name): what it does, and
    "event" if it ends the run; jump(): what happens at the times `jumps`; start(): the modes at the start."""
    STEP = 4e-3  # [s] at most

    def __init__(self, has):
        self.has, self.t, self.y = has, 0.0, []
        self.impacts, self.loss, self.jumps = 0, 0.0, []

    def step(self, y, h):
        """One step; returns the result of order 5 and the difference from order 4."""
        k = []
        for row in DORMAND_PRINCE:
            at = [yi + h * sum(c * ki[i] for c, ki in zip(row, k) if c) for i, yi in enumerate(y)]
            k.append(self.rates(at))
        low = [yi + h * sum(c * ki[i] for c, ki in zip(ORDER_4, k) if c) for i, yi in enumerate(y)]
        return at, max(abs(p - r) for p, r in zip(at, low))

    def passed(self, y):
        return [name for name, value in self.events(y).items() if value > 0]

    def advance(self, h):
        """A step that ends at the first event; returns the next step size and what ends the run."""
        new, error = self.step(self.y, h)
        if error > 1e-12 and h > 1e-9:
            return 0.5 * h, None
        found = self.passed(new)
        if not found:
            self.t, self.y = self.t + h, new
            return min(self.STEP, h * (1.5 if error < 1e-13 else 1.0)), None
        low, high = 0.0, h
        for _ in range(60):
            middle = 0.5 * (low + high)
            now = self.passed(self.step(self.y, middle)[0])
            low, high, found = (low, middle, now) if now else (middle, high, found)
        self.t, self.y = self.t + high, self.step(self.y, high)[0]
        return 1e-4, self.handle(found[0])

    def run(self, end, rows):
        """[(t, y)] at equal times until the end or the event."""
        self.start()
        out, h, jumps = [], 1e-4, list(self.jumps)
        while True:
            row = len(out) * end / rows
            target = min([row] + jumps[:1])
            if target > self.t + 1e-13:
                h, hit = self.advance(min(h, target - self.t, self.STEP))
                if hit:
                    return out + [(self.t, list(self.y))]
            elif jumps and jumps[0] <= self.t + 1e-13:
                self.jump()
                jumps.pop(0)
            else:
                out.append((self.t, list(self.y)))
                if len(out) > rows:
                    return out


class Line(Stepper):
    """The reference: y = (x, y, p, z, their rates, force of the state, X)."""

    def __init__(self, features):
        super().__init__(set(features))
        rack = FLYWHEEL / RADIUS ** 2 if "gear" in self.has else 0.0
        bar = LUMP if "beam" in self.has else 0.0
        self.rack = rack
        self.own = 1.0 + bar
        self.mass = [self.own + rack, TAIL + LUMP, PUCK, HOOP + HOOP_J / HOOP_R ** 2]
        self.y = [0.0, 0.0, PUCK_AT, 0.0] + [0.0] * 6
        self.V = SPEEDS[0] if "jump" in self.has else 0.0
        self.jumps = [JUMP] if "jump" in self.has else []
        self.slip = self.closed = self.together = None
        self.beyond = self.armed = False
        self.sides, self.pushes = {}, {}

    @property
    def q(self):
        return self.y[:4]

    @property
    def v(self):
        return self.y[4:8]

    @property
    def f(self):
        return self.y[8]

    @property
    def X(self):
        return self.y[9]

    # ---- forces

    def rail(self, q, v, X):
        return q[0] - X, v[0] - self.V

    def forces(self, q, v, f, X):
        """Applied forces on the four masses, without dry friction."""
        x, has = q[0], self.has
        u, du = self.rail(q, v, X)
        out = [SPRING * (REST - x), 0.0, 0.0, 0.0]
        if "beam" in has:
            pull = BAR * (q[1] - x)
            out[0] += pull
            out[1] -= pull
        if "state" in has:
            out[0] += f
        if "input" in has:
            out[0] += PUSH
        if "table" in has:
            out[0] -= table_force(x)
        if "wall" in has and x > WALL:
            out[0] -= max(0.0, WALL_K * (x - WALL) + WALL_C * v[0])
        if "rolling" in has:
            pull = HOOP_K * (q[3] - x)
            out[0] += pull
            out[3] -= pull
        if "tyre" in has:
            w = 2 * math.pi / WAVELENGTH
            out[0] -= TYRE_K * (PRESS + WAVE * math.sin(w * x)) * WAVE * w * math.cos(w * x)
        if "limit" in has and u > LIMIT:
            out[0] -= max(0.0, LIMIT_K * (u - LIMIT) + LIMIT_C * du)
        if "backlash" in has:
            d = u - LASH_AT
            out[0] -= LASH_K * math.copysign(max(0.0, abs(d) - LASH / 2), d)
        if "switch" in has:
            out[0] += (-2.0 if self.beyond else 1.0) - 0.5 * du
        return out

    def accelerations(self, q, v, f, X):
        """(accelerations, force of friction or hold on the block, force between block and puck)."""
        force = self.forces(q, v, f, X)
        rub = -self.slip * SLIP if self.slip else 0.0
        held = self.closed or self.slip == 0
        if held:
            push = 0.0  # of the puck, which does not accelerate then either
            return [0.0] + [F / m for F, m in zip(force[1:], self.mass[1:])], -force[0], push
        total = force[0] + rub
        if self.together:
            a = total / (self.mass[0] + PUCK)
            return [a, force[1] / self.mass[1], a, force[3] / self.mass[3]], rub, PUCK * a
        force[0] = total
        return [F / m for F, m in zip(force, self.mass)], rub, 0.0

    # ---- where modes and laws change: functions that are negative until then

    def events(self, y):
        q, v, f, X = y[:4], y[4:8], y[8], y[9]
        u, du = self.rail(q, v, X)
        _, hold, push = self.accelerations(q, v, f, X)
        out = {}
        if "friction" in self.has and not self.closed:
            out["rub"] = abs(hold) - STICK if self.slip == 0 else -self.slip * du
        if "impact" in self.has:
            out["stop"] = hold if self.closed else u - STOP
        if "puck" in self.has:
            out["puck"] = -push if self.together else q[0] - q[2]
            if self.together and (self.closed or self.slip == 0):
                out["puck"] = -1.0
        if "event" in self.has:
            out["event"] = (EVENT - q[0]) if self.armed else -1.0
            out["arm"] = (q[0] - EVENT) if not self.armed else -1.0
        x = q[0]
        for name, places, value in (("table", [row[0] for row in TABLE[1:-1]], x), ("wall", [WALL], x),
                                    ("limit", [LIMIT], u), ("switch", [SWITCH], u),
                                    ("backlash", [LASH_AT - LASH / 2, LASH_AT + LASH / 2], u)):
            if name in self.has:
                for k, place in enumerate(places):
                    side = self.sides[name, k]
                    out[name, k] = -side * (value - place)
        if "wall" in self.has and x > WALL:
            out["wall lets go"] = -self.pushes["wall"] * (WALL_K * (x - WALL) + WALL_C * v[0])
        if "limit" in self.has and u > LIMIT:
            out["limit lets go"] = -self.pushes["limit"] * (LIMIT_K * (u - LIMIT) + LIMIT_C * du)
        return out

    # ---- integration

    def rates(self, y):
        q, v, f, X = y[:4], y[4:8], y[8], y[9]
        a = self.accelerations(q, v, f, X)[0]
        return v + a + [(COMMAND - f) / LAG if "state" in self.has else 0.0, self.V]

    def look(self):
        """The modes from the state as it is."""
        u, du = self.rail(self.q, self.v, self.X)
        x = self.q[0]
        a = self.accelerations(self.q, self.v, self.f, self.X)[0][0]
        self.sides = {}
        for name, places, value, rate in (
                ("table", [row[0] for row in TABLE[1:-1]], x, self.v[0]), ("wall", [WALL], x, self.v[0]),
                ("limit", [LIMIT], u, du), ("switch", [SWITCH], u, du),
                ("backlash", [LASH_AT - LASH / 2, LASH_AT + LASH / 2], u, du)):
            for k, place in enumerate(places):
                d = value - place
                if abs(d) < 1e-9:
                    d = rate if abs(rate) > 1e-9 else a
                self.sides[name, k] = 1.0 if d > 0 else -1.0
        self.beyond = self.sides["switch", 0] > 0
        self.pushes = {"wall": 1.0 if WALL_K * (x - WALL) + WALL_C * self.v[0] > 0 or
                       (abs(x - WALL) < 1e-9 and self.v[0] > 0) else -1.0,
                       "limit": 1.0 if LIMIT_K * (u - LIMIT) + LIMIT_C * du > 0 or
                       (abs(u - LIMIT) < 1e-9 and du > 0) else -1.0}

    def choose(self):
        """Slip or stick from the relative velocity, and from the forces where it is zero."""
        if "friction" not in self.has:
            self.slip = None
            return
        _, du = self.rail(self.q, self.v, self.X)
        if abs(du) > 1e-9:
            self.slip = math.copysign(1.0, du)
            return
        self.slip = 0
        hold = self.accelerations(self.q, self.v, self.f, self.X)[1]
        if abs(hold) > STICK:
            self.slip = math.copysign(1.0, -hold)

    def start(self):
        self.slip = None if "friction" not in self.has else 0
        self.look()
        self.choose()

    # ---- what happens there

    def handle(self, name):
        if name == "event":
            return "event"
        if name == "arm":
            self.armed = True
        elif name == "rub":
            if self.slip == 0:
                hold = self.accelerations(self.q, self.v, self.f, self.X)[1]
                self.slip = math.copysign(1.0, -hold)
            else:
                self.y[4] = self.V
                self.choose()
        elif name == "stop" and self.closed:
            self.closed = False
            self.choose()
        elif name == "stop":
            self.strike_stop()
        elif name == "puck" and self.together:
            self.together = False
        elif name == "puck":
            self.strike_puck()
        self.look()
        return None

    def strike_stop(self):
        u, du = self.rail(self.q, self.v, self.X)
        self.impacts += 1
        self.y[0] = self.X + STOP
        if du < 1e-7:
            self.y[4], self.closed = self.V, True
            self.slip = None if self.slip is None else 0
            return
        self.y[4] = self.V - STOP_E * du
        self.loss += 0.5 * self.mass[0] * (1 - STOP_E ** 2) * du ** 2
        if self.together:
            self.y[6] = max(self.v[2], self.v[0])
            self.together = False
        self.choose()

    def strike_puck(self):
        self.impacts += 1
        m, M = PUCK, self.mass[0]
        d = self.v[0] - self.v[2]
        self.y[2] = self.q[0]
        if d < 1e-7:
            total = (M * self.v[0] + m * self.v[2]) / (m + M)
            self.y[4] = self.y[6] = total
            self.together = True
        else:
            P = (1 + PUCK_E) * d * m * M / (m + M)
            self.loss += 0.5 * m * M / (m + M) * (1 - PUCK_E ** 2) * d ** 2
            self.y[4] -= P / M
            self.y[6] += P / m
        self.choose()

    def jump(self):
        """The carrier's speed changes; a rack passes an impulse on to the block."""
        change = SPEEDS[1] - SPEEDS[0]
        held = self.closed and change < 0  # the stop takes the block along
        self.V = SPEEDS[1]
        if held:
            self.y[4] = self.V
        else:
            others = PUCK if self.together else 0.0
            kick = self.rack * change / (self.mass[0] + others)
            self.y[4] += kick
            if self.together:
                if kick < 0:
                    self.together = False
                    self.y[4] = self.v[0] - kick + self.rack * change / self.mass[0]
                else:
                    self.y[6] += kick
            self.closed = False
        self.choose()
        self.look()


# ---- the model file ----------------------------------------------------------------------------------------


def vector(v, planar, factor=1.0):
    return "[" + ", ".join(f"{factor * x:.15g}" for x in (v[:2] if planar else v)) + "]"


def model_text(features, space, tol):
    """The model along an axis of the plane or of space."""
    has, planar = set(features), not space
    axis, up = ((2 / 3, 1 / 3, 2 / 3), (-1 / math.sqrt(2), 0.0, 1 / math.sqrt(2))) if space else \
        ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)) if "rolling" in has else ((0.8, 0.6, 0.0), (-0.6, 0.8, 0.0))

    def at(s, h=0.0):
        return vector([s * a + h * b for a, b in zip(axis, up)], planar)

    A = at(1.0)
    along = " + ".join(f"{a:.15g}*block.{c}" for a, c in zip(axis, "xyz") if a)
    speed = " + ".join(f"{a:.15g}*block.v{c}" for a, c in zip(axis, "xyz") if a)
    spin = "1" if planar else "[1, 1, 1]"
    base = "carrier" if "jump" in has else "ground"
    frames = [f"anchor: {at(-2.0)}"]
    bodies = [f"block: {{mass: 1, inertia: {spin}}}"]
    joints = [f"rail: {{type: prismatic, a: {base}, b: block, axis: {A}}}"]
    forces = [f"spring: {{type: spring, a: ground.anchor, b: block, stiffness: {SPRING:g}, "
              f"length: {2 + REST:g}}}"]
    beams, shapes, contacts, states, inputs, events, roads = [], [], [], [], [], [], []
    if "jump" in has:
        bodies.append(f"carrier: {{mass: 2, inertia: {spin}, velocity: {at(SPEEDS[0])}}}")
        joints += [f"track: {{type: prismatic, a: ground, b: carrier, axis: {A}}}",
                   f'motor: {{type: driver, of: track.distance, speed: "if(t < {JUMP:g}, {SPEEDS[0]:g}, '
                   f'{SPEEDS[1]:g})"}}']
    if "friction" in has:
        forces.append(f"rub: {{type: friction, of: rail.distance, coulomb: {SLIP:g}, static: {STICK:g}}}")
    if "impact" in has:
        forces.append(f"stop: {{type: limit, of: rail.distance, upper: {STOP:g}, restitution: {STOP_E:g}}}")
    if "event" in has:
        events.append(f"passed: {{when: {along} - {EVENT:g}, direction: down}}")
    if "beam" in has:
        bodies.append(f"tail: {{mass: {TAIL:g}, inertia: {spin}, position: {at(1.0)}}}")
        beams.append(f"bar: {{type: general, position: {at(0.0)}, end: {at(1.0)}, elements: 1, order: 1, "
                     f"stiffness: [{BAR:g}, 1e3, 1e3, 10, 10, 10], mass: {2 * LUMP:g}, inertia: 0.01}}")
        joints += [f"clamp1: {{type: fixed, a: block, b: bar.start, axis: {A}, point: {at(0.0)}}}",
                   f"clamp2: {{type: fixed, a: tail, b: bar.end, axis: {A}, point: {at(1.0)}}}",
                   f"guide: {{type: prismatic, a: ground, b: tail, point: {at(1.0)}, axis: {A}}}"]
    if "state" in has:
        states.append(f"motor_force: {{rate: ({COMMAND:g} - motor_force)/{LAG:g}, unit: N}}")
        parts = ", ".join(f"{a:.15g}*motor_force" for a in (axis[:2] if planar else axis))
        forces.append(f"drive: {{type: applied, at: block, force: [{parts}]}}")
    if "input" in has:
        inputs.append(f"push: {{value: {PUSH:g}, unit: N}}")
        parts = ", ".join(f"{a:.15g}*push" for a in (axis[:2] if planar else axis))
        forces.append(f"hand: {{type: applied, at: block, force: [{parts}]}}")
    if "gear" in has:
        rate = -SPEEDS[0] / RADIUS if "jump" in has else 0.0
        turn = f"{rate:g}" if planar else f"[0, 0, {rate:g}]"
        bodies.append(f"flywheel: {{mass: 1, inertia: {FLYWHEEL:g}, position: {at(0.0, 2.0)}, "
                      f"angular_velocity: {turn}}}")
        axle = "" if planar else ", axis: [0, 0, 1]"
        joints += [f"hub: {{type: revolute, a: ground, b: flywheel, point: {at(0.0, 2.0)}{axle}}}",
                   f"rack: {{type: rack, first: rail.distance, second: hub.angle, ratio: {RADIUS:g}}}"]
    if "table" in has:
        rows = ", ".join(f"[{a:g}, {b:g}]" for a, b in TABLE)
        forces.append(f"soft: {{type: spring, a: ground.anchor, b: block, length: 2, table: [{rows}], "
                      "interpolation: linear}")
    if has & {"wall", "puck"}:
        shapes.append("nose: {type: sphere, at: block, radius: 0.05}")
    if "wall" in has:
        frames.append(f"wall: {at(WALL + 0.05)}")
        shapes.append(f"wall: {{type: plane, at: ground.wall, normal: {at(-1.0)}}}")
        contacts.append(f"bump: {{a: nose, b: wall, law: linear, stiffness: {WALL_K:g}, damping: "
                        f"{WALL_C:g}}}")
    if "puck" in has:
        bodies.append(f"puck: {{mass: {PUCK:g}, inertia: 0.01, position: {at(PUCK_AT + 0.1)}}}")
        shapes.append("puck: {type: sphere, radius: 0.05}")
        contacts.append(f"hit: {{a: nose, b: puck, law: rigid, restitution: {PUCK_E:g}}}")
    if "rolling" in has:
        frames.append(f"floor: {{position: [0, -{HOOP_R:g}], orientation: {{axis: [1, 0, 0], angle: "
                      "-90 deg}}")
        bodies.append(f"hoop: {{mass: {HOOP:g}, inertia: {HOOP_J:g}, position: [1.5, 0]}}")
        joints.append(f"roll: {{type: wheel, a: ground.floor, b: hoop, radius: {HOOP_R:g}}}")
        forces.append(f"link: {{type: spring, a: block, b: hoop, stiffness: {HOOP_K:g}, length: 1.5}}")
    if "tyre" in has:
        roads.append(f"waves: {{type: sine, origin: {at(0.0, -(0.3 - PRESS))}, direction: {A}, "
                     f"up: {at(0.0, 1.0)}, amplitude: {WAVE:g}, wavelength: {WAVELENGTH:g}}}")
        forces.append(f"tyre: {{type: tyre, at: block, road: waves, radius: 0.3, stiffness: {TYRE_K:g}, "
                      "along: normal}")
    if "limit" in has:
        forces.append(f"soft_stop: {{type: coordinate, of: rail.distance, upper: {LIMIT:g}, limit_stiffness: "
                      f"{LIMIT_K:g}, limit_damping: {LIMIT_C:g}}}")
    if "backlash" in has:
        forces.append(f"loose: {{type: coordinate, of: rail.distance, stiffness: {LASH_K:g}, free: "
                      f"{LASH_AT:g}, backlash: {LASH:g}}}")
    if "switch" in has:
        forces.append(f'control: {{type: coordinate, of: rail.distance, force: "if(value > {SWITCH:g}, -2, '
                      '1) - 0.5*rate"}')
    lines = [f"title: {' and '.join(features)}, {'in space' if space else 'in the plane'}"]
    lines += ["planar: true"] * planar + ["ground:", "  frames:"] + [f"    {f}" for f in frames]
    for key, entries in (("bodies", bodies), ("beams", beams), ("joints", joints), ("roads", roads),
                         ("forces", forces), ("shapes", shapes), ("contacts", contacts), ("states", states),
                         ("inputs", inputs), ("events", events)):
        if entries:
            lines += [f"{key}:"] + [f"  {entry}" for entry in entries]
    lines += ["outputs:", f"  place: {along}", f"  speed: {speed}"]
    lines.append(f"run: {{end: {END:g}, output_step: {END / 160:.15g}, tol: {tol:g}}}")
    return "\n".join(lines) + "\n"
