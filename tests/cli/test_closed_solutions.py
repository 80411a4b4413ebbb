"""Mechanisms with closed solutions in which at least three features meet: impacts, dry friction, jumps of
drivers, rolling, gears, states, inputs, events, beams. Every row of the results is within 10 tolerances of
the solution, at the tolerances 1e-4 and 1e-7.
The solutions are chains of formulas (_pieces.py).
"""
import math

from _pieces import TINY, Dry, Path, oscillation, parabola, root
from common import Case, each, main, table, write

TOLERANCES = (1e-4, 1e-7)
WITHIN = 10  # tolerances, of the largest value of a quantity in the run
G = 9.81


class Closed(Case):
    """Runs a model and compares columns with paths."""
    cost = 5  # [s]

    def compare(self, text, tol, end, *expected, rows=200, fastest=0.0):
        """expected: (column of values, column of rates, path[, factor of both]); fastest: the largest speed
        of the model if it is not among these, to which an error of a rate is relative then."""
        write("closed.yaml", f"{text}run: {{end: {end!r}, output_step: {end / rows!r}}}\n")
        r = self.report("run", "closed.yaml", "--tol", repr(tol), "--csv", "closed.csv", "--out", "none")
        found = table("closed.csv")
        for value, rate, path, *factor in expected:
            factor = factor[0] if factor else 1.0
            exact = [path(t) for t in found["t"]]
            for k, name in enumerate((value, rate)):
                if name is None:
                    continue
                size = max([abs(factor * row[k]) for row in exact] + [fastest] * k)
                # a rate jumps at breaks: rows that are nearer to one than its time may err do not count
                near = WITHIN * tol * end if k else 0.0
                errors = [(abs(x - factor * row[k]), t) for x, row, t in zip(found[name], exact, found["t"])
                          if all(abs(t - b) > near for b in path.breaks())]
                worst, t = max(errors)
                self.assertLessEqual(worst, WITHIN * tol * size,
                                     f"{name} at {t:g} s: {worst / tol / size:.3g} tolerances off")
        return r, found


class ClosedSolutions(Closed):

    @each(TOLERANCES)
    def test_block_on_incline_with_spring_and_stop(self, tol):
        """m x'' = -m g sin a - k (x - l) - mu N sign(x'), N = m g cos a by the reaction of the guide; the
        stop at 0.5 m has the restitution 0.6. Harmonic pieces about l + (-m g sin a -+ mu N)/k."""
        m, k, free, mu, a = 2.0, 300.0, 0.33, 0.2, 0.4
        text = f"""
planar: true
gravity: {G}
parameters: {{a: {a}}}
bodies: {{block: {{mass: {m}, inertia: 0.1, velocity: [3*cos(a), 3*sin(a)]}}}}
joints:
  slope:
    type: prismatic
    a: ground
    b: block
    axis: [cos(a), sin(a)]
    stiffness: {k}
    free: {free}
    friction: {{coefficient: {mu}, load: reaction}}
    limits: {{upper: 0.5, restitution: 0.6}}
"""
        w = math.sqrt(k / m)
        weight, N = m * G * math.sin(a), m * G * math.cos(a)

        def force(_, x):
            return -weight - k * (x - free)

        dry = Dry(lambda t, x, v, f: oscillation(x, v, w, free + (f - weight) / k), force, mu * N, mu * N,
                  [(0.5, 1)], 0.6)
        self.compare(text, tol, 2.0, ("slope.distance", "slope.speed", dry.run(0.0, 3.0, 2.0)))

    @each(TOLERANCES)
    def test_stick_slip_on_a_belt_whose_speed_jumps(self, tol):
        """m x'' = -k x - F sign(x' - V): harmonic about -+F/k while it slips, x' = V while it sticks, until
        k |x| = F_s. The belt jumps from 0.6 to -0.4 m/s; the block does not, since friction is finite."""
        m, k, F, Fs = 1.0, 40.0, 2.0, 3.0
        text = f"""
planar: true
bodies:
  belt: {{mass: 5, inertia: 1, velocity: [0.6, 0]}}
  block: {{mass: {m}, inertia: 0.1, velocity: [0.6, 0]}}
joints:
  track: {{type: prismatic, a: ground, b: belt, axis: [1, 0]}}
  motor: {{type: driver, of: track.distance, speed: "if(t < 1.13, 0.6, -0.4)"}}
  rub: {{type: prismatic, a: belt, b: block, axis: [1, 0], friction: {{coulomb: {F}, static: {Fs}}}}}
forces: {{tie: {{type: coordinate, of: block.x, stiffness: {k}, free: 0}}}}
"""
        w = math.sqrt(k / m)
        dry = Dry(lambda t, x, v, f: oscillation(x, v, w, f / k), lambda t, x: -k * x, F, Fs, jumps=[1.13],
                  belt=lambda t: 0.6 if t < 1.13 else -0.4)
        self.compare(text, tol, 3.0, ("block.x", "block.vx", dry.run(0.0, 0.6, 3.0, 0)))

    @each(TOLERANCES)
    def test_ball_on_a_table_that_goes_up_and_down(self, tol):
        """Parabolas over a table with the zigzag 0.2 |mod(t, 1) - 1/2| - 0.1, from its surface with v = V -
        e (v - V). The state counts the time in which the ball rises."""
        e, r, end = 0.8, 0.1, 2.4

        def surface(t):
            u = math.fmod(t, 1.0)
            return 0.2 * abs(u - 0.5) - 0.1, -0.2 if u < 0.5 else 0.2

        text = f"""
planar: true
gravity: {G}
bodies:
  table: {{mass: 3, inertia: 1, velocity: [0, -0.2]}}
  ball: {{mass: 0.7, inertia: 0.01, position: [0, {0.45 + r}]}}
joints:
  post: {{type: prismatic, a: ground, b: table, axis: [0, 1]}}
  cam: {{type: driver, of: post.distance, motion: "0.2*abs(mod(t, 1) - 0.5) - 0.1"}}
shapes:
  top: {{type: plane, at: table}}
  ball: {{type: sphere, radius: {r}}}
contacts: {{hit: {{a: ball, b: top, law: rigid, restitution: {e}}}}}
states: {{rising: {{rate: "if(ball.vy > 0, 1, 0)"}}}}
"""
        path, rising = Path(), Path()
        t, y, v, risen = 0.0, 0.45, 0.0, 0.0
        while t < end:
            piece = parabola(y + r, v, -G)
            s = root(lambda s, p=piece, b=t: surface(b + s)[0] + r - p(s)[0], 2.0)
            path.go(t, piece)
            top = max(0.0, min(v / G, s))
            rising.go(t, lambda s, a=risen, b=top: (a + min(s, b), 0.0))
            risen += top
            t, (y, v) = t + s, piece(s)
            V = surface(t)[1]
            y, v = y - r, V - e * (v - V)
        self.compare(text, tol, end, ("ball.y", "ball.vy", path), ("rising", None, rising))

    @each(TOLERANCES)
    def test_gears_with_friction_and_limits(self, tol):
        """Two wheels, a = 2 b: (J_b + 4 J_a) b'' = 2 M - F sign(b'), between limits of b with e = 0.5, until
        the bounces end."""
        Ja, Jb, F, e = 0.2, 0.5, 0.4, 0.5
        text = f"""
planar: true
bodies:
  fast: {{mass: 1, inertia: {Ja}}}
  slow: {{mass: 1, inertia: {Jb}, position: [1, 0]}}
joints:
  left: {{type: revolute, a: ground, b: fast, torque: "if(t < 1.25, 1.5, -2)"}}
  right:
    type: revolute
    a: ground
    b: slow
    point: [1, 0]
    friction: {{coulomb: {F}}}
    limits: {{lower: -0.5, upper: 1.2, restitution: {e}}}
  mesh: {{type: gear, first: left.angle, second: right.angle, ratio: 2}}
"""
        J = Jb + 4 * Ja

        def force(t, _):
            return 3.0 if t < 1.25 else -4.0

        dry = Dry(lambda t, x, v, f: parabola(x, v, (force(t + 1e-12, x) + f) / J), force, F, F,
                  [(-0.5, -1), (1.2, 1)], e, [1.25])
        path = dry.run(0.0, 0.0, 4.0)
        self.compare(text, tol, 4.0, ("right.angle", "right.rate", path),
                     ("left.angle", "left.rate", path, 2.0))

    @each(TOLERANCES)
    def test_rolling_disc_with_stepped_torque_strikes_a_wall(self, tol):
        """(m + J/r^2) x'' = -M/r, and x' turns round with e = 0.6 at the wall; the disc keeps rolling, and
        its angle is -x/r."""
        m, J, r, e = 2.0, 0.07, 0.3, 0.6
        text = f"""
planar: true
ground: {{frames: {{floor: {{orientation: {{axis: [1, 0, 0], angle: -90 deg}}}}}}}}
bodies: {{disc: {{mass: {m}, inertia: {J}, position: [0, {r}]}}}}
joints: {{contact: {{type: wheel, a: ground.floor, b: disc, radius: {r}}}}}
forces:
  motor: {{type: applied, at: disc, torque: "if(t < 1.4, -1.2, if(t < 2, 0.9, -0.4))"}}
  wall: {{type: limit, of: disc.x, upper: 1, restitution: {e}}}
"""
        def force(t, _):
            return (1.2 if t < 1.4 else -0.9 if t < 2 else 0.4) / r

        mass = m + J / r ** 2
        dry = Dry(lambda t, x, v, f: parabola(x, v, force(t + 1e-12, x) / mass), force, 0.0, 0.0,
                  [(1.0, 1)], e, [1.4, 2.0])
        path = dry.run(0.0, 0.0, 3.0)
        self.compare(text, tol, 3.0, ("disc.x", "disc.vx", path), (None, "disc.wz", path, -1 / r))

    @each(TOLERANCES)
    def test_actuator_with_lag_friction_and_stop(self, tol):
        """f' = (u - f)/T from 0, so f = u (1 - exp(-t/T)). The block sticks until f + p = F_s, then m x'' = f
        + p - F sign(x'), integrated twice; it bounces on the stop with e = 0.4 and comes to rest there."""
        m, u, T, p, F, Fs, e = 0.8, 3.0, 0.3, 0.2, 1.0, 1.5, 0.4
        text = f"""
planar: true
bodies: {{block: {{mass: {m}, inertia: 0.1}}}}
inputs: {{push: {{value: {p}, unit: N}}}}
states: {{motor: {{rate: ({u} - motor)/{T}, unit: N}}}}
joints:
  rail:
    type: prismatic
    a: ground
    b: block
    axis: [1, 0]
    force: motor + push
    friction: {{coulomb: {F}, static: {Fs}}}
    limits: {{upper: 0.3, restitution: {e}}}
"""
        def piece(t, x, v, f):
            a, b = (u + p + f) / m, u / m * math.exp(-t / T)  # x'' = a - b exp(-s/T)
            return lambda s: (x + v * s + a * s * s / 2 - b * T * (s - T * (1 - math.exp(-s / T))),
                              v + a * s - b * T * (1 - math.exp(-s / T)))

        dry = Dry(piece, lambda t, _: u * (1 - math.exp(-t / T)) + p, F, Fs, [(0.3, 1)], e)
        motor = Path()
        motor.go(0.0, lambda s: (u * (1 - math.exp(-s / T)), 0.0))
        self.compare(text, tol, 2.5, ("rail.distance", "rail.speed", dry.run(0.0, 0.0, 2.5)),
                     ("motor", None, motor))

    @each(TOLERANCES)
    def test_pendulum_with_friction_and_stop_until_an_event(self, tol):
        """J w^2/2 = m g l (cos a - cos a0) - F |a - a0| from rest at a0 to the stop at -0.2, J w^2/2 e^2
        behind it, then up to the event at 0.5. The times are integrals of da/w; with a = a0 - z^2 the first
        one has a smooth integrand (Simpson's rule)."""
        m, I, l, a0, stop, last, F, e = 1.5, 0.1, 0.7, 1.2, -0.2, 0.5, 0.8, 0.7
        text = f"""
planar: true
gravity: {G}
parameters: {{a0: {a0}, l: {l}}}
bodies:
  bob: {{mass: {m}, inertia: {I}, position: [l*sin(a0), -l*cos(a0)], orientation: a0,
        frames: {{top: [0, l]}}}}
joints:
  pin:
    type: revolute
    a: ground
    b: bob.top
    friction: {{coulomb: {F}}}
    limits: {{lower: {stop}, restitution: {e}}}
events: {{reached: {{when: pin.angle - {last}, direction: up}}}}
"""
        J = I + m * l * l

        def down(a):
            return math.sqrt(2 / J * (m * G * l * (math.cos(a) - math.cos(a0)) - F * (a0 - a)))

        def up(a):
            return math.sqrt((e * down(stop)) ** 2
                             - 2 / J * (m * G * l * (math.cos(stop) - math.cos(a)) + F * (a - stop)))

        def simpson(f, a, b, n=4000):
            h = (b - a) / n
            return h / 3 * sum((1 if i in (0, n) else 4 if i % 2 else 2) * f(a + i * h) for i in range(n + 1))

        slope = 2 / J * (m * G * l * math.sin(a0) - F)  # w^2 = slope (a0 - a) near the start
        first = simpson(lambda z: 2 * z / down(a0 - z * z) if z > 1e-5 else 2 / math.sqrt(slope), 0.0,
                        math.sqrt(a0 - stop))
        end = first + simpson(lambda a: 1 / up(a), stop, last)
        write("closed.yaml", f"{text}run: {{end: 3, output_step: 0.5}}\n")
        r = self.report("run", "closed.yaml", "--tol", repr(tol), "--csv", "closed.csv", "--out", "none")
        self.assertEqual((r["event"], r["impacts"]), ("reached", 1))
        self.assertLessEqual(abs(r["t"] - end), WITHIN * tol * end)
        found = table("closed.csv")
        self.assertLessEqual(abs(found["pin.angle"][-1] - last), WITHIN * tol * last)
        self.assertLessEqual(abs(found["pin.rate"][-1] - up(last)), WITHIN * tol * down(stop))

    @each(TOLERANCES)
    def test_two_weights_over_a_pulley_with_friction_and_a_stop(self, tol):
        """(m1 + m2 + J/r^2) y'' = -(m1 - m2) g - F/r sign(y'): the heavy weight falls on a stop with e = 0.5,
        and the whole machine bounces with it."""
        m1, m2, J, r, F, e = 3.0, 2.0, 0.05, 0.2, 0.3, 0.5
        text = f"""
planar: true
gravity: {G}
bodies:
  left: {{mass: {m1}, inertia: 0.1, position: [-{r}, -1]}}
  right: {{mass: {m2}, inertia: 0.1, position: [{r}, -1]}}
  pulley: {{mass: 1, inertia: {J}}}
joints:
  guide1: {{type: prismatic, a: ground, b: left, point: [-{r}, -1], axis: [0, 1],
           limits: {{lower: -0.8, restitution: {e}}}}}
  guide2: {{type: prismatic, a: ground, b: right, point: [{r}, -1], axis: [0, 1]}}
  bearing: {{type: revolute, a: ground, b: pulley, friction: {{coulomb: {F}}}}}
  rope1: {{type: rack, first: guide1.distance, second: bearing.angle, ratio: {r}}}
  rope2: {{type: rack, first: guide2.distance, second: bearing.angle, ratio: -{r}}}
"""
        mass, pull = m1 + m2 + J / r ** 2, -(m1 - m2) * G
        dry = Dry(lambda t, x, v, f: parabola(x, v, (pull + f) / mass), lambda t, x: pull, F / r, F / r,
                  [(-0.8, -1)], e)
        path = dry.run(0.0, 0.0, 4.0)
        self.compare(text, tol, 4.0, ("guide1.distance", "guide1.speed", path),
                     ("guide2.distance", "guide2.speed", path, -1.0),
                     ("bearing.angle", "bearing.rate", path, 1 / r))

    @each(TOLERANCES)
    def test_bead_with_friction_on_a_rod_whose_speed_jumps(self, tol):
        """r'' = W^2 r - 2 mu W r': the reaction 2 m W r' loads the friction, in both directions of r'. So r =
        A exp(p t) + B exp(q t) with p, q = W (-mu +- sqrt(1 + mu^2)). W jumps from 3 to 4.5 rad/s: the
        impulse m r dW across the rod loads friction, too, and takes mu r dW of r'. The bead bounces on a stop
        with e = 0.6 until it rests there. In space."""
        mu, e, jump, end = 0.25, 0.6, 0.4, 1.2
        text = f"""
bodies:
  rod: {{mass: 2, inertia: [0.1, 0.2, 0.2], angular_velocity: [0, 0, 3]}}
  bead: {{mass: 0.5, inertia: 0.01, position: [0.3, 0, 0], velocity: [0, 0.9, 0],
         angular_velocity: [0, 0, 3]}}
joints:
  pivot: {{type: revolute, a: ground, b: rod, axis: [0, 0, 1]}}
  motor: {{type: driver, of: pivot.angle, speed: "if(t < {jump}, 3, 4.5)"}}
  slide:
    type: prismatic
    a: rod
    b: bead
    point: [0, 0, 0]
    axis: [1, 0, 0]
    friction: {{coefficient: {mu}, load: reaction}}
    limits: {{upper: 0.45, restitution: {e}}}
outputs: {{r: "sqrt(bead.x^2 + bead.y^2)", rr: "(bead.x*bead.vx + bead.y*bead.vy)/sqrt(bead.x^2 + bead.y^2)"}}
"""

        def exponentials(r, v, W):
            p, q = W * (math.sqrt(1 + mu * mu) - mu), -W * (math.sqrt(1 + mu * mu) + mu)
            A, B = (v - q * r) / (p - q), (p * r - v) / (p - q)
            return lambda s: (A * math.exp(p * s) + B * math.exp(q * s),
                              p * A * math.exp(p * s) + q * B * math.exp(q * s))

        path, t, r, v = Path(), 0.0, 0.3, 0.0
        while t < end:
            piece = exponentials(r, v, 3.0 if t < jump else 4.5)
            path.go(t, piece)
            until = jump if t < jump else end
            s = root(lambda s, p=piece: p(s)[0] - 0.75, until - t)
            r, v = piece(until - t if s is None else s)
            t = until if s is None else t + s
            if t == jump:
                v -= mu * r * 1.5
            if s is not None:
                v = -e * v
                if abs(v) < TINY:  # the centrifugal force holds it at the stop
                    path.go(t, lambda s: (0.75, 0.0))
                    break
        fastest = 4.5 * 0.75  # m/s, of the bead at the stop, across the rod
        self.compare(text, tol, end, ("r", "rr", path), fastest=fastest)

    @each(TOLERANCES)
    def test_bar_between_a_jumping_driver_and_a_block_that_rubs(self, tol):
        """A beam of one element of degree 1 is a bar with the stiffness k = EA/L and half of its mass in each
        of its two nodes: (m + rho L/2) x'' = k (u - x) - F sign(x'). The driver jumps from rest to a constant
        u', the block follows when the bar pulls with F_s: harmonic pieces about u - F/k, which moves."""
        m, k, rho, F, Fs, speed = 1.0, 100.0, 0.6, 2.0, 3.0, 0.8
        text = f"""
planar: true
bodies:
  base: {{mass: 1, inertia: 1}}
  block: {{mass: {m}, inertia: 1, position: [1, 0]}}
beams:
  bar:
    type: general
    end: [1, 0]
    elements: 1
    order: 1
    stiffness: [{k}, 1e3, 1e3, 10, 10, 10]
    mass: {rho}
    inertia: 0.01
joints:
  left: {{type: prismatic, a: ground, b: base, axis: [1, 0]}}
  motor: {{type: driver, of: left.distance, motion: "if(t < 0.1, 0, {speed}*(t - 0.1))"}}
  clamp1: {{type: fixed, a: base, b: bar.start}}
  clamp2: {{type: fixed, a: block, b: bar.end}}
  right: {{type: prismatic, a: ground, b: block, point: [1, 0], axis: [1, 0],
          friction: {{coulomb: {F}, static: {Fs}}}}}
"""
        mass = m + rho / 2
        w = math.sqrt(k / mass)

        def base(t):
            return max(0.0, speed * (t - 0.1))

        dry = Dry(lambda t, x, v, f: oscillation(x, v, w, base(t) + f / k, speed if t > 0.1 - 1e-9 else 0.0),
                  lambda t, x: k * (base(t) - x), F, Fs, jumps=[0.1])
        self.compare(text, tol, 1.5, ("right.distance", "right.speed", dry.run(0.0, 0.0, 1.5, 0)))

    @each(TOLERANCES)
    def test_ball_falls_on_a_conveyor_whose_speed_jumps(self, tol):
        """A solid ball bounces with e = 0.5 on a belt with V = 1, -0.5 m/s from 1.1 s on. The slip is s = v -
        V - r w. An impact with the normal speed c changes v by -mu (1 + e) c against the slip, or by -2/7 s
        if that is less; the spin by 5/2 of it, over r. Sliding on the belt changes v by mu g per time until s
        = 0, and s by 7/2 mu g. The bounces end after (1 + e)/(1 - e) times the first fall."""
        mu, e, r, height, jump, end = 0.15, 0.5, 0.1, 0.3, 1.1, 2.0
        text = f"""
gravity: {G}
bodies:
  belt: {{mass: 4, inertia: 1, velocity: [1, 0, 0]}}
  ball: {{mass: 0.5, inertia: 0.002, position: [0, 0, {r + height}], velocity: [-0.4, 0, 0]}}
joints:
  track: {{type: prismatic, a: ground, b: belt, axis: [1, 0, 0]}}
  motor: {{type: driver, of: track.distance, speed: "if(t < {jump}, 1, -0.5)"}}
shapes:
  top: {{type: plane, at: belt}}
  ball: {{type: sphere, radius: {r}}}
contacts: {{hit: {{a: ball, b: top, law: rigid, restitution: {e}, friction: {{coefficient: {mu}}}}}}}
"""
        x_path, z_path, w_path = Path(), Path(), Path()
        t, x, v, w, z, c = 0.0, 0.0, -0.4, 0.0, height, 0.0  # w about y: the lowest point has v - r w
        while True:
            fall = (c + math.sqrt(c * c + 2 * G * z)) / G
            x_path.go(t, parabola(x, v, 0.0))
            z_path.go(t, parabola(r + z, c, -G))
            w_path.go(t, lambda s, a=w: (0.0, a))
            t, x, z = t + fall, x + v * fall, 0.0
            hit = G * fall - c
            slip = v - 1.0 - r * w
            dv = -math.copysign(min(mu * (1 + e) * hit, 2 / 7 * abs(slip)), slip)
            v, w, c = v + dv, w - 2.5 * dv / r, e * hit
            if c < TINY:
                break
        z_path.go(t, lambda s: (r, 0.0))
        while t < end:
            V, until = (1.0, jump) if t < jump else (-0.5, end)
            slip = v - V - r * w
            a = -math.copysign(mu * G, slip) if abs(slip) > 1e-9 else 0.0
            last = min(until - t, abs(slip) / (3.5 * mu * G)) if a else until - t
            x_path.go(t, parabola(x, v, a))
            w_path.go(t, lambda s, b=w, d=-2.5 * a / r: (0.0, b + d * s))
            t, x, v, w = t + last, x + v * last + a * last * last / 2, v + a * last, w - 2.5 * a / r * last
        self.compare(text, tol, end, ("ball.x", "ball.vx", x_path), ("ball.z", "ball.vz", z_path),
                     (None, "ball.wy", w_path))

    @each(TOLERANCES)
    def test_screw_with_friction_stepped_torque_and_stops(self, tol):
        """(J + m h^2) a'' = M - m g h - F sign(a') with h = pitch/2 pi, between stops of the angle with e =
        0.3; at last friction holds the nut, since m g h < F."""
        m, J, pitch, F, e = 2.0, 0.01, 0.02, 0.1, 0.3
        text = f"""
gravity: {G}
bodies: {{nut: {{mass: {m}, inertia: {J}}}}}
joints:
  thread:
    type: screw
    a: ground
    b: nut
    axis: [0, 0, 1]
    pitch: {pitch}
    torque: "if(t < 0.5, 0.5, if(t < 1.1, -0.3, 0))"
    friction: {{coulomb: {F}}}
    limits: {{upper: 3, lower: -1, restitution: {e}}}
"""
        h = pitch / 2 / math.pi
        mass = J + m * h * h

        def force(t, _):
            return (0.5 if t < 0.5 else -0.3 if t < 1.1 else 0.0) - m * G * h

        dry = Dry(lambda t, x, v, f: parabola(x, v, (force(t + 1e-12, x) + f) / mass), force, F, F,
                  [(3.0, 1), (-1.0, -1)], e, [0.5, 1.1])
        path = dry.run(0.0, 0.0, 2.0)
        self.compare(text, tol, 2.0, ("thread.angle", "thread.rate", path), ("nut.z", "nut.vz", path, h))

    @each(TOLERANCES)
    def test_disc_strikes_a_block_that_rubs_and_has_a_spring_and_a_stop(self, tol):
        """A free disc strikes a block at rest, which friction holds: the impulse does not care, u = (1 + e) m
        v/(m + M). Then M x'' = -k x - F sign(x') to the stop with e = 0.5 and back until it sticks; the disc
        keeps v - M u/m, slow enough not to be met again."""
        m, M, v0, e, k, F, Fs = 0.5, 2.0, 4.0, 0.8, 90.0, 3.0, 5.0
        text = f"""
planar: true
bodies:
  disc: {{mass: {m}, inertia: 0.01, position: [-0.5, 0], velocity: [{v0}, 0]}}
  block: {{mass: {M}, inertia: 0.1}}
shapes:
  disc: {{type: sphere, radius: 0.1}}
  head: {{type: sphere, at: block, radius: 0.15}}
contacts: {{hit: {{a: disc, b: head, law: rigid, restitution: {e}}}}}
joints:
  rail:
    type: prismatic
    a: ground
    b: block
    axis: [1, 0]
    stiffness: {k}
    free: 0
    friction: {{coulomb: {F}, static: {Fs}}}
    limits: {{upper: 0.12, restitution: 0.5}}
"""
        first = 0.25 / v0
        u = (1 + e) * m * v0 / (m + M)
        disc, block = Path(), Path()
        disc.go(0.0, parabola(-0.5, v0, 0.0))
        disc.go(first, parabola(-0.25, v0 - M * u / m, 0.0))
        w = math.sqrt(k / M)
        dry = Dry(lambda t, x, v, f: oscillation(x, v, w, f / k), lambda t, x: -k * x, F, Fs, [(0.12, 1)],
                  0.5)
        struck = dry.run(0.0, u, 1.5)
        block.go(0.0, lambda s: (0.0, 0.0))
        for begin, piece in zip(struck.begins, struck.pieces):
            block.go(first + begin, piece)
        self.compare(text, tol, 1.5, ("disc.x", "disc.vx", disc), ("rail.distance", "rail.speed", block))


class FrictionAtTheStart(Closed):
    """Friction whose mode the start cannot know from the velocities in the file."""

    @each(("0", "0.8"))
    def test_driver_with_a_kink_at_the_start(self, given):
        """0.2 |sin 4 t| begins with 0.8 rad/s, whatever the file gives: the joint that rubs slips at once.
        The driver carries J a'' + F sign(a')."""
        text = f"""
planar: true
bodies: {{arm: {{mass: 1, inertia: 1, angular_velocity: {given}}}}}
joints:
  pin: {{type: revolute, a: ground, b: arm, friction: {{coulomb: 0.5}}}}
  motor: {{type: driver, of: pin.angle, motion: "0.2*abs(sin(4*t))"}}
"""
        path = Path()
        path.go(0.0, lambda t: (0.2 * math.sin(4 * t), 0.8 * math.cos(4 * t)))
        _, found = self.compare(text, 1e-6, 0.3, ("pin.angle", "pin.rate", path))
        for t, load in zip(found["t"], found["motor.multiplier"]):
            self.assertAlmostEqual(load, 3.2 * math.sin(4 * t) - 0.5, delta=1e-9)

    @each(("auto", "radau5", "bdf", "ggl-radau5", "for-sdirk", "erk8"))
    def test_joint_that_others_hold(self, method):
        """The row of stick repeats those of the weld; the rest is a pendulum: E = 0 from the horizontal."""
        write("held.yaml", """
planar: true
gravity: 9.81
bodies:
  base: {mass: 1, inertia: 1}
  rod: {mass: 2, inertia: 0.1, position: [0.6, 0]}
joints:
  weld: {type: fixed, a: ground, b: base}
  pin: {type: revolute, a: ground, b: base, friction: {coulomb: 0.5}}
  hinge: {type: revolute, a: base, b: rod, point: [0, 0]}
run: {end: 0.5, output_step: 0.05, tol: 1e-7}
""")
        self.report("run", "held.yaml", "--method", method, "--csv", "held.csv", "--out", "none")
        found = table("held.csv")
        for angle, rate in zip(found["hinge.angle"], found["hinge.rate"]):
            energy = (0.1 + 2 * 0.36) / 2 * rate ** 2 + 2 * 9.81 * 0.6 * math.sin(angle)
            self.assertAlmostEqual(energy, 0.0, delta=1e-5)  # 10 tolerances of 12 J


class Grazing(Closed):
    @each([(method, deep, tol) for method in ("auto", "erk8", "for-sdirk", "bdf")
           for deep, tol in ((1e-4, 1e-7), (1e-5, 1e-7), (1e-6, 1e-8))])
    def test_visits_to_a_limit_much_shorter_than_steps(self, case):
        """An oscillation of the amplitude 1 would pass its limit by `deep` four times. Each impact leaves
        e = 0.6 of the speed there, v^2 = 1 - (1 - deep)^2 at first, and so v^2 (1 - e^8)/2 are lost."""
        method, deep, tol = case
        write("grazing.yaml", f"""
planar: true
bodies: {{b: {{mass: 1, inertia: 1, velocity: [1, 0]}}}}
joints:
  rail: {{type: prismatic, a: ground, b: b, axis: [1, 0], limits: {{upper: {1 - deep!r}, restitution: 0.6}}}}
forces: {{f: {{type: applied, at: b, force: ["-b.x", 0]}}}}
run: {{end: 25}}
""")
        r = self.report("run", "grazing.yaml", "--method", method, "--tol", repr(tol), "--out", "none")
        self.assertEqual(r["impacts"], 4)
        loss = (2 * deep - deep ** 2) * (1 - 0.6 ** 8) / 2
        self.assertAlmostEqual(r["impact_loss"], loss, delta=10 * tol)


if __name__ == "__main__":
    main()
