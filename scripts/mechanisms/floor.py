"""A ball on a rough floor, for scripts/pairs: features that meet a rigid contact with friction, as a model
file and as a reference that shares nothing with the program.

A disc in the plane, or a ball in space, moves on a rigid floor with friction. Each of FEATURES adds
something.

The reference has the modes flight, slide and roll, and the laws of impact and of friction by hand.
"""
import math

from line import Stepper

FEATURES = {
    "drop": "it falls from a height, and bounces",
    "jump": "the floor is a belt whose prescribed speed jumps",
    "stop": "a rigid limit of its place, with restitution",
    "spring": "a spring along the floor",
    "state": "a force with a lag of first order",
    "input": "a torque of an input of the model",
    "event": "ends the run at a place",
    "wall": "a compliant contact at its front",
    "slope": "gravity leans",
    "drag": "a resistance to its speed",
    "spin": "it begins with backspin",
    "load": "it is pressed down by half of its weight",
}
END = 1.5  # [s]
MASS, RADIUS, MU, E, G = 0.8, 0.1, 0.22, 0.5, 9.81
START = 1.1  # [m/s]
HEIGHT = 0.15  # [m]
JUMP, SPEEDS = 0.62, (0.8, -0.6)  # [s], [m/s]
STOP, STOP_E = 0.35, 0.6
SPRING = 9.0  # [N/m]
LAG, COMMAND = 0.25, -1.5  # [s], [N]
TORQUE = 0.06  # [N m], with the roll towards +x
EVENT = 0.25  # [m], passed upwards
WALL, WALL_K, WALL_C = 0.45, 900.0, 3.0
LEAN = 0.12  # [rad]
DRAG = 0.5  # [N s/m]
SPIN = -25.0  # [rad/s]
LIMIT_OF_BOUNCES = 1e-7  # [m/s]


class Floor(Stepper):
    """The reference: y = (x, h, turn, x', h', w, f); w positive if it rolls towards +x."""

    def __init__(self, features, space):
        super().__init__(set(features))
        self.inertia = (0.4 if space else 0.5) * MASS * RADIUS ** 2
        lean = LEAN if "slope" in self.has else 0.0
        press = 0.5 if "load" in self.has else 0.0
        self.weight, self.pull = MASS * G * (math.cos(lean) + press), MASS * G * math.sin(lean)
        self.y = [0.0, HEIGHT if "drop" in self.has else 0.0, 0.0, START, 0.0,
                  SPIN if "spin" in self.has else 0.0, 0.0]
        self.V = SPEEDS[0] if "jump" in self.has else 0.0
        self.flight, self.mode, self.closed = "drop" in self.has, None, False
        self.jumps = [JUMP] if "jump" in self.has else []
        self.wall_side = self.wall_push = -1.0

    def slip(self, y):
        return y[3] - RADIUS * y[5] - self.V

    def force(self, y):
        F = self.pull
        if "spring" in self.has:
            F -= SPRING * y[0]
        if "state" in self.has:
            F += y[6]
        if "drag" in self.has:
            F -= DRAG * y[3]
        if "wall" in self.has and y[0] > WALL:
            F -= max(0.0, WALL_K * (y[0] - WALL) + WALL_C * y[3])
        return F

    def friction(self, y):
        """Force of the floor on the ball along x."""
        if self.flight:
            return 0.0
        if self.mode:
            return -self.mode * MU * self.weight
        M, F = self.torque(), self.force(y)
        if self.closed:
            return M / RADIUS  # the spin stays
        return (RADIUS * M / self.inertia - F / MASS) / (1 / MASS + RADIUS ** 2 / self.inertia)

    def torque(self):
        return TORQUE if "input" in self.has else 0.0

    def rates(self, y):
        T = self.friction(y)
        a = 0.0 if self.closed else (self.force(y) + T) / MASS
        fall = -self.weight / MASS if self.flight else 0.0
        return [y[3], y[4], y[5], a, fall, (self.torque() - RADIUS * T) / self.inertia,
                (COMMAND - y[6]) / LAG if "state" in self.has else 0.0]

    def events(self, y):
        out = {}
        if self.flight:
            out["floor"] = -y[1]
        else:
            out["rub"] = -self.mode * self.slip(y) if self.mode else \
                abs(self.friction(y)) - MU * self.weight
        if "stop" in self.has:
            out["stop"] = -(self.force(y) + self.friction(y)) if self.closed else y[0] - STOP
        if "event" in self.has:
            out["event"] = y[0] - EVENT
        if "wall" in self.has:
            out["wall"] = -self.wall_side * (y[0] - WALL)
            if y[0] > WALL:
                out["wall lets go"] = -self.wall_push * (WALL_K * (y[0] - WALL) + WALL_C * y[3])
        return out

    def choose(self):
        """Slide or roll, from the slip."""
        if self.flight:
            return
        s = self.slip(self.y)
        self.mode = math.copysign(1.0, s) if abs(s) > 1e-9 else 0
        if self.mode == 0 and abs(self.friction(self.y)) > MU * self.weight:
            self.mode = math.copysign(1.0, -self.friction(self.y))

    def look(self):
        d = self.y[0] - WALL
        self.wall_side = math.copysign(1.0, self.y[3] if abs(d) < 1e-9 else d)
        push = WALL_K * d + WALL_C * self.y[3]
        self.wall_push = 1.0 if push > 0 else -1.0

    def jump(self):
        self.V = SPEEDS[1]
        self.choose()

    def handle(self, name):
        if name == "event":
            return "event"
        if name == "floor":
            self.strike_floor()
        elif name == "rub" and self.mode:
            self.y[5] = (self.y[3] - self.V) / RADIUS
            self.choose()
        elif name == "rub":
            self.mode = math.copysign(1.0, -self.friction(self.y))
        elif name == "stop" and self.closed:
            self.closed = False
            self.choose()
        elif name == "stop":
            self.strike_stop()
        self.look()
        return None

    def strike_floor(self):
        self.impacts += 1
        hit = -self.y[4]
        self.y[1] = 0.0
        s = self.slip(self.y)
        stick = -s / (1 / MASS + RADIUS ** 2 / self.inertia)
        most = MU * (1 + E) * MASS * hit
        P = stick if abs(stick) < most else math.copysign(most, -s)
        if self.closed:
            stick = -s * self.inertia / RADIUS ** 2
            P = stick if abs(stick) < most else math.copysign(most, -s)
        else:
            self.y[3] += P / MASS
        self.y[5] -= RADIUS * P / self.inertia
        self.loss += 0.5 * MASS * (1 - E ** 2) * hit ** 2 - P * (s + self.slip(self.y)) / 2
        self.y[4] = E * hit
        if hit < LIMIT_OF_BOUNCES:
            self.y[4], self.flight = 0.0, False
            self.choose()
        if self.closed and self.y[3] < 0:
            self.closed = False

    def strike_stop(self):
        self.impacts += 1
        rate = self.y[3]
        self.y[0], self.y[3] = STOP, -STOP_E * rate
        self.loss += 0.5 * MASS * (1 - STOP_E ** 2) * rate ** 2
        if rate < LIMIT_OF_BOUNCES:
            self.y[3], self.closed = 0.0, True
        self.choose()

    def start(self):
        self.look()
        self.choose()


def model_text(features, space, tol):
    has = set(features)
    planar = not space
    up = "z" if space else "y"

    def at(x, h=0.0):
        return f"[{x:g}, 0, {h:g}]" if space else f"[{x:g}, {h:g}]"

    inertia = (0.4 if space else 0.5) * MASS * RADIUS ** 2
    lean = LEAN if "slope" in has else 0.0
    spin = SPIN if "spin" in has else 0.0
    turn = f"[0, {spin:g}, 0]" if space else f"{-spin:g}"
    height = RADIUS + (HEIGHT if "drop" in has else 0.0)
    gx, gz = G * math.sin(lean), -G * math.cos(lean)
    gravity = f"[{gx:.15g}, 0, {gz:.15g}]" if space else f"[{gx:.15g}, {gz:.15g}]"
    bodies = [f"ball: {{mass: {MASS:g}, inertia: {inertia:.15g}, position: {at(0.0, height)}, velocity: "
              f"{at(START)}, angular_velocity: {turn}}}"]
    joints, forces, states, inputs, events, frames = [], [], [], [], [], []
    shapes = [f"ball: {{type: sphere, radius: {RADIUS:g}}}"]
    contacts = [f"hit: {{a: ball, b: floor, law: rigid, restitution: {E:g}, "
                f"friction: {{coefficient: {MU:g}}}}}"]
    if "jump" in has:
        bodies.append(f"belt: {{mass: 3, inertia: 1, velocity: {at(SPEEDS[0])}}}")
        joints += [f"track: {{type: prismatic, a: ground, b: belt, axis: {at(1.0)}}}",
                   f'motor: {{type: driver, of: track.distance, speed: "if(t < {JUMP:g}, {SPEEDS[0]:g}, '
                   f'{SPEEDS[1]:g})"}}']
    shapes.append(f"floor: {{type: plane, at: {'belt' if 'jump' in has else 'ground'}}}")
    if "stop" in has:
        forces.append(f"stop: {{type: limit, of: ball.x, upper: {STOP:g}, restitution: {STOP_E:g}}}")
    if "spring" in has:
        forces.append(f"spring: {{type: coordinate, of: ball.x, stiffness: {SPRING:g}, free: 0}}")
    if "state" in has:
        states.append(f"lagged: {{rate: ({COMMAND:g} - lagged)/{LAG:g}, unit: N}}")
        forces.append(f"drive: {{type: applied, at: ball, force: [lagged, 0{', 0' if space else ''}]}}")
    if "input" in has:
        inputs.append(f"torque: {{value: {TORQUE:g}, unit: N m}}")
        turned = "[0, torque, 0]" if space else "-torque"
        forces.append(f"motor2: {{type: applied, at: ball, torque: {turned}}}")
    if "event" in has:
        events.append(f"passed: {{when: ball.x - {EVENT:g}, direction: up}}")
    if "wall" in has:
        frames.append(f"wall: {at(WALL + RADIUS)}")
        shapes.append(f"wall: {{type: plane, at: ground.wall, normal: {at(-1.0)}}}")
        contacts.append(f"bump: {{a: ball, b: wall, law: linear, stiffness: {WALL_K:g}, damping: "
                        f"{WALL_C:g}}}")
    if "drag" in has:
        forces.append(f'air: {{type: coordinate, of: ball.x, damping: {DRAG:g}}}')
    if "load" in has:
        down = f"[0, 0, {-0.5 * MASS * G:.15g}]" if space else f"[0, {-0.5 * MASS * G:.15g}]"
        forces.append(f"press: {{type: applied, at: ball, force: {down}}}")
    lines = [f"title: rough floor, {' and '.join(features)}, {'in space' if space else 'in the plane'}"]
    lines += ["planar: true"] * planar + [f"gravity: {gravity}"]
    lines += ["ground:", "  frames:"] + [f"    {f}" for f in frames] if frames else []
    for key, entries in (("bodies", bodies), ("joints", joints), ("forces", forces), ("shapes", shapes),
                         ("contacts", contacts), ("states", states), ("inputs", inputs), ("events", events)):
        if entries:
            lines += [f"{key}:"] + [f"  {entry}" for entry in entries]
    lines += ["outputs:", "  place: ball.x", f"  height: ball.{up} - {RADIUS:g}",
              f"  spin: {'ball.wy' if space else '-ball.wz'}"]
    lines.append(f"run: {{end: {END:g}, output_step: {END / 150:.15g}, tol: {tol:g}}}")
    return "\n".join(lines) + "\n"
