"""Machines with closed solutions in which at least three features meet: gears, screws, racks, beams and
rotating arms with dry friction, rigid limits, jumps of drivers and of laws, first-order states, events. Every
row of the results is within 10 tolerances of the solution, with the default method and another one, and so
are the shares of the energy balance."""
import math

from _chains import CASES, WITHIN, Chain, Closed, G, first, integral, linear, root
from common import each, main, table, write


class Machines(Closed):
    cost = 12  # [s]

    @each(CASES)
    def test_gears_with_lag_bounce_to_rest_and_leave(self, case):
        """m' = (u - m)/T turns the first of two gears, (J1 + J2/i^2) w' = m - sign(w) Fc/i, against a stop
        with e = 0.6. The bounces end; then m falls, and static friction of the other gear lets go at m =
        -Fs/i."""
        i, T, e, up = 0.4, 0.15, 0.6, 0.8
        J, slip, stick = 0.3 + 0.05 / i ** 2, 0.4 / i, 0.6 / i
        text = """
planar: true
bodies:
  big: {mass: 3, inertia: 0.3, position: [12000, -7000]}
  small: {mass: 1, inertia: 0.05, position: [12000.5, -7000]}
states: {m: {rate: "(if(t < 0.2, 0, if(t < 3, 2, -2.5)) - m)/0.15", unit: N m}}
joints:
  pin: {type: revolute, a: ground, b: big, point: [12000, -7000], limits: {upper: 0.8, restitution: 0.6}}
  pin2: {type: revolute, a: ground, b: small, point: [12000.5, -7000], friction: {coulomb: 0.4, static: 0.6}}
  mesh: {type: gear, first: pin.angle, second: pin2.angle, ratio: -0.4}
forces: {motor: {type: applied, at: big, torque: m}}
"""
        chain, rubbed, lost = Chain(), 0.0, 0.0
        chain.go(0.0, a=0.0, w=0.0, m=0.0)
        chain.go(0.2, m=lambda t: 2 * (1 - math.exp(-(t - 0.2) / T)))
        t, x, v, s = 0.2 - T * math.log(1 - stick / 2), 0.0, 0.0, 1
        while True:
            X, V = linear(J, 0, 0, 2 - s * slip, -2 * math.exp(-(t - 0.2) / T), T, x, v, t)
            chain.go(t, a=X, w=V)
            near = 3.0 if s > 0 else t + 2 * abs(v) * J
            t = root(lambda u: X(u) - up, t, near) if s > 0 else root(V, t, near)
            rubbed += slip * abs(X(t) - x)
            x, v = X(t), V(t)
            if s < 0:
                v, s = 0.0, 1  # the torque is above that of sticking friction
                continue
            lost += 0.5 * J * v * v * (1 - e * e)
            x, v, s = up, -e * v, -1
            if abs(v) < 1e-7:
                break
        chain.go(t, a=up, w=0.0)
        m3 = chain.at("m", 2.999999999) + 2.5
        chain.go(3.0, m=lambda t: -2.5 + m3 * math.exp(-(t - 3) / T))
        t = 3 - T * math.log((2.5 - stick) / m3)
        X, V = linear(J, 0, 0, -2.5 + slip, m3 * math.exp(-(t - 3) / T), T, up, 0, t)
        chain.go(t, a=X, w=V)
        rubbed += slip * (up - X(3.6))
        self.compare(text, case, "bdf", 3.6, chain,
                     {"pin.angle": chain.of("a"), "big.wz": chain.of("w"), "m": chain.of("m"),
                      "small.wz": chain.of("w", factor=-1 / i)},
                     {"dissipated": rubbed + lost, "contact_loss": lost, "kinetic": 0.5 * J * V(3.6) ** 2})

    @each(CASES)
    def test_hoop_rolls_behind_a_cart_that_jumps(self, case):
        """The cart y of prescribed speed pulls the axle of a rolling hoop by a spring with a damper, and air
        resists: with u = x - y, (m + J/r^2) u'' + (c + d) u' + k u = -d y', until an event."""
        m, J, r, mass, k, c, d = 2.0, 0.25, 0.4, 0.5, 60.0, 3.0, 0.6 + 0.04 / 0.4 ** 2
        M = m + J / r ** 2
        text = f"""
planar: true
gravity: {G}
ground: {{frames: {{floor: {{orientation: {{axis: [1, 0, 0], angle: -90 deg}}}}, rail: [-1, 0.4]}}}}
bodies:
  hoop: {{mass: {m}, inertia: {J}, position: [0, {r}]}}
  cart: {{mass: {mass}, inertia: 0.1, position: [-1, {r}]}}
joints:
  roll: {{type: wheel, a: ground.floor, b: hoop, radius: {r}}}
  slide: {{type: prismatic, a: ground.rail, b: cart, axis: [1, 0]}}
  drive:
    type: driver
    of: slide.distance
    motion: if(t < 0.5, 0.8*t, if(t < 1.1, 0.4 - 0.5*(t - 0.5), 0.1 + 1.2*(t - 1.1)))
forces:
  s: {{type: spring, a: cart, b: hoop, stiffness: {k}, damping: {c}, length: 0.9}}
  air: {{type: drag, body: hoop, linear: 0.6, angular_linear: 0.04}}
events: {{there: {{when: hoop.x - 0.9, direction: up}}}}
"""
        chain, x, v, taken = Chain(), 0.0, 0.0, 0.0
        for t, end, s, y in ((0, 0.5, 0.8, 0.0), (0.5, 1.1, -0.5, 0.4), (1.1, 4, 1.2, 0.1)):
            U, W = linear(M, c + d, k, -d * s, x=x - y + 0.1, v=v - s, t0=t)

            def place(u, U=U, s=s, t=t, y=y):
                return U(u) + y + s * (u - t) - 0.1

            def speed(u, W=W, s=s):
                return W(u) + s

            chain.go(t, x=place, v=speed)
            end = root(lambda u: place(u) - 0.9, t, end) or end
            taken += integral(lambda u: c * W(u) ** 2 + d * speed(u) ** 2, t, end)
            x, v = place(end), speed(end)
        _, found = self.compare(text, case, "genalpha", 4.0, chain,
                                {"hoop.x": chain.of("x"), "hoop.vx": chain.of("v"),
                                 "hoop.wz": chain.of("v", factor=-1 / r)},
                                {"dissipated": taken, "kinetic": 0.5 * M * v * v + 0.5 * mass * 1.2 ** 2})
        self.assertAlmostEqual(found["t"][-1], end, delta=WITHIN * case[1])

    @each(CASES)
    def test_screw_lifts_until_its_torque_switches_by_the_angle(self, case):
        """(J + m p^2) w' = tau - m g p - sign(w) Fc, p the translation per angle along a leaning axis; beyond
        5 rad the torque is -tau/2. The nut comes to rest there again and again, and is thrown back."""
        J, m, p, tau, slip, lean = 0.02, 1.5, 0.25 / (2 * math.pi), 1.4, 0.15, 0.6
        M, weight, end = J + m * p * p, m * G * lean * p, 2.4
        text = f"""
gravity: {G}
inputs: {{tau: {{value: {tau}, unit: N m}}}}
bodies: {{nut: {{mass: {m}, inertia: [{J}, {J}, {J}], position: [300, -20, 5]}}}}
joints:
  screw:
    type: screw
    a: ground
    b: nut
    point: [300, -20, 5]
    axis: [0.48, 0.64, {lean}]
    pitch: 0.25
    torque: tau*if(screw.angle < 5, 1, -0.5)
    friction: {{coulomb: {slip}, static: 0.25}}
"""
        chain, t, x, v, rubbed, work = Chain(), 0.0, 0.0, 0.0, 0.0, 0.0
        while t < end:
            torque = tau if x < 5 or (x == 5 and v < 0) else -0.5 * tau
            s = math.copysign(1, v if v else torque - weight)
            X, V = linear(M, 0, 0, torque - weight - s * slip, x=x, v=v, t0=t)
            chain.go(t, a=X, w=V)
            t, what = first(end, (root(lambda u: X(u) - 5, t, end), "switch"),
                            (root(V, t, end) if v else None, "turn"))
            rubbed += slip * abs(X(t) - x)
            work += torque * (X(t) - x)
            x, v = 5 if what == "switch" else X(t), 0.0 if what == "turn" else V(t)
        self.compare(text, case, "bdf", end, chain,
                     {"screw.angle": chain.of("a"), "screw.distance": chain.of("a", factor=p),
                      "nut.x": chain.of("a", 300, 0.48 * p), "nut.vz": chain.of("w", factor=lean * p)},
                     {"dissipated": rubbed, "supplied": work, "kinetic": 0.5 * M * v * v})

    @each(CASES)
    def test_bar_pulls_a_block_that_sticks_and_slips(self, case):
        """A beam of one straight element, k = EA/L with half of its mass at each end, between a base with
        jumps of its speed s and a block that sticks up to Fs: (m + mu L/2) u'' + k u = -sign(v) Fc, u = x - s
        t."""
        k, M, half, slip, stick, end = 500.0, 2.6, 0.6, 6.0, 9.0, 1.6
        text = """
beams:
  bar: {type: general, position: [0, 0, 0], length: 0.8, elements: 1, order: 1, mass: 1.5, inertia: 0.01,
        stiffness: [400, 900, 900, 50, 70, 80]}
bodies: {block: {mass: 2, inertia: 0.1, position: [0.8, 0, 0]}}
joints:
  base: {type: prismatic, a: ground, b: bar.start, axis: [1, 0, 0]}
  pull: {type: driver, of: base.distance, motion: "0.3*min(t, 0.35) - 0.2*max(0, t - 0.9)"}
  weld: {type: fixed, a: bar.end, b: block}
  rail:
    type: prismatic
    a: ground
    b: block
    axis: [1, 0, 0]
    point: [0.8, 0, 0]
    friction: {coulomb: 6, static: 9}
"""
        chain, x, v, rubbed, sticks = Chain(), 0.0, 0.0, 0.0, True
        for t, until, s, y in ((0.0, 0.35, 0.3, 0.0), (0.35, 0.9, 0.0, 0.105), (0.9, end, -0.2, 0.105)):
            def base(u, t=t, s=s, y=y):
                return y + s * (u - t)

            while t < until:
                if sticks:
                    chain.go(t, x=x, v=0.0)
                    t = root(lambda u: abs(k * (base(u) - x)) - stick, t, until) or until
                    sticks = t == until
                    continue
                side = math.copysign(1, v if v else base(t) - x)
                U, W = linear(M, 0, k, -side * slip, x=x - base(t), v=v - s, t0=t)

                def place(u, U=U, base=base):
                    return U(u) + base(u)

                def speed(u, W=W, s=s):
                    return W(u) + s

                chain.go(t, x=place, v=speed)
                t = root(speed, t, until) or until
                rubbed += slip * abs(place(t) - x)
                x, v = place(t), speed(t)
                if t < until:
                    v, sticks = 0.0, abs(k * (base(t) - x)) <= stick
        self.compare(text, case, "for-sdirk", end, chain,
                     {"block.x": chain.of("x", 0.8), "block.vx": chain.of("v")},
                     {"dissipated": rubbed, "kinetic": 0.5 * M * v * v + 0.5 * half * 0.2 ** 2,
                      "potential": 0.5 * k * (base(end) - x) ** 2})

    @each(CASES)
    def test_yoyo_with_a_hand_that_pulls_below_a_height(self, case):
        """A spool unrolls, (m + J/r^2) x'' + c/r^2 x' = m g - p; at 0.7 m the thread ends, e = 0.8 of the
        speed turn round. Below 0.4 m the hand pulls up, p' = (2 N - p)/T, above it lets go, p' = -p/T."""
        m, r, e, T, end = 0.6, 0.02, 0.8, 0.25, 3.5
        M, D = m + 0.0009 / r ** 2, 0.0006 / r ** 2
        text = f"""
gravity: {G}
bodies:
  frame: {{mass: 0.1, inertia: 0.001, position: [3, -8, 60]}}
  spool: {{mass: 0.5, inertia: [0.0009, 0.0005, 0.0005], position: [3, -8, 60]}}
states: {{pull: {{rate: "(if(frame.z < 59.6, 2, 0) - pull)/{T}", unit: N}}}}
joints:
  string:
    type: prismatic
    a: ground
    b: frame
    point: [3, -8, 60]
    axis: [0, 0, -1]
    limits: {{upper: 0.7, restitution: {e}}}
  axle: {{type: revolute, a: frame, b: spool, axis: [1, 0, 0], point: [3, -8, 60], damping: 0.0006}}
  thread: {{type: rack, first: string.distance, second: axle.angle, ratio: {r}}}
forces: {{hand: {{type: applied, at: frame, force: [0, 0, pull]}}}}
"""
        chain, t, x, v, p, wanted, lost, damped, work = Chain(), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        while t < end:
            X, V = linear(M, D, 0, m * G - wanted, wanted - p, T, x, v, t)

            def pull(u, t=t, p=p, wanted=wanted):
                return wanted + (p - wanted) * math.exp(-(u - t) / T)

            chain.go(t, x=X, v=V, p=pull)
            until, what = first(end, (root(lambda u: X(u) - 0.4, t, end), "hand"),
                                (root(lambda u: X(u) - 0.7, t, end), "stop"))
            damped += integral(lambda u: D * V(u) ** 2, t, until)
            work -= integral(lambda u: pull(u) * V(u), t, until)
            t, x, v, p = until, X(until), V(until), pull(until)
            if what == "hand":
                x, wanted = 0.4, 2.0 if v > 0 else 0.0
            if what == "stop":
                lost += 0.5 * M * v * v * (1 - e * e)
                x, v = 0.7, -e * v
        self.compare(text, case, "bdf", end, chain,
                     {"frame.z": chain.of("x", 60, -1), "frame.vz": chain.of("v", factor=-1),
                      "spool.wx": chain.of("v", factor=1 / r), "pull": chain.of("p")},
                     {"contact_loss": lost, "dissipated": lost + damped, "supplied": work,
                      "kinetic": 0.5 * M * v * v})

    @each(CASES)
    def test_bead_is_thrown_to_the_end_of_a_rod(self, case):
        """A rod about a leaning axis begins to turn at once with w = 6/s. The bead on it, with spring, damper
        and friction, m r'' + c r' + (k - m w^2) r = k r0 - sign(r') Fc, bounces on the end with e = 0.7 until
        it rests there. The driver supplies the energy of the jump and w times the change of angular
        momentum."""
        I, m, w, k, r0, c, slip, e, R, end = 0.32, 0.9, 6.0, 14.0, 0.25, 0.8, 0.9, 0.7, 0.5, 1.3
        text = f"""
bodies:
  arm: {{mass: 2, inertia: [0.3, 0.3, 0.3], position: [-40, 60, 2]}}
  bead: {{mass: {m}, inertia: [0.02, 0.02, 0.02], position: [-40 + 0.25*0.6, 60 + 0.25*0.8, 2]}}
joints:
  axle: {{type: revolute, a: ground, b: arm, point: [-40, 60, 2], axis: [0.8, -0.6, 0]}}
  motor: {{type: driver, of: axle.angle, motion: "6*max(t - 0.3, 0)"}}
  rod:
    type: prismatic
    a: arm
    b: bead
    point: [-40, 60, 2]
    axis: [0.6, 0.8, 0]
    stiffness: {k}
    damping: {c}
    free: 0
    friction: {{coulomb: {slip}, static: 1.2}}
    limits: {{upper: 0.25, restitution: {e}}}
"""
        chain, t, r, v, rubbed, lost, damped = Chain(), 0.3, r0, 0.0, 0.0, 0.0, 0.0
        chain.go(0.0, r=r0, v=0.0, a=0.0, w=0.0)
        chain.go(0.3, a=lambda t: w * (t - 0.3), w=w)
        while t < end:
            s = -1 if v < 0 else 1
            X, V = linear(m, c, k - m * w * w, k * r0 - s * slip, x=r, v=v, t0=t)
            chain.go(t, r=X, v=V)
            near = end if s > 0 else min(end, t + 2 * abs(v) + 1e-3)
            until, what = first(near, (root(lambda u: X(u) - R, t, near) if s > 0 else None, "stop"),
                                (root(V, t, near) if v < 0 else None, "turn"))
            rubbed += slip * abs(X(until) - r)
            damped += integral(lambda u: c * V(u) ** 2, t, until)
            t, r, v = until, X(until), V(until)
            if what == "turn":
                v = 0.0
            if what == "stop":
                lost += 0.5 * m * v * v * (1 - e * e)
                r, v = R, -e * v
                if abs(v) < 1e-7:
                    chain.go(t, r=R, v=0.0)
                    r, v, t = R, 0.0, end

        def across(t):  # the speed along z
            return (chain.at("v", t) * math.sin(chain.at("a", t))
                    + chain.at("r", t) * chain.at("w", t) * math.cos(chain.at("a", t)))

        self.compare(text, case, "bdf", end, chain,
                     {"bead.y": lambda t: 60 + chain.at("r", t) * 0.8 * math.cos(chain.at("a", t)),
                      "bead.z": lambda t: 2 + chain.at("r", t) * math.sin(chain.at("a", t)),
                      "bead.vz": across},
                     {"contact_loss": lost, "dissipated": lost + rubbed + damped,
                      "kinetic": 0.5 * (I + m * r * r) * w * w + 0.5 * m * v * v,
                      "supplied": 0.5 * (I + m * r0 * r0) * w * w + w * w * m * (r * r - r0 * r0)})

    @each([(method, tol) for method in ("auto", "bdf", "for-sdirk") for tol in (1e-4, 1e-6, 1e-9)])
    def test_stop_and_friction_that_hold_together_let_go(self, case):
        """J w' = u - t is held by a stop, and by friction alone after 1 s, until 2 s. Then J w' = u - t +
        Fc."""
        method, tol = case
        write("held.yaml", """
planar: true
bodies: {wheel: {mass: 3, inertia: 0.5}}
joints:
  pin:
    type: revolute
    a: ground
    b: wheel
    torque: 1 - t
    limits: {upper: 0, restitution: 0.6}
    friction: {coulomb: 0.8, static: 1}
run: {end: 3, output_step: 0.1}
""")
        self.report("run", "held.yaml", "--method", method, "--tol", repr(tol), "--csv", "held.csv", "--out",
                    "none")
        found = table("held.csv")
        for t, w in zip(found["t"], found["wheel.wz"]):
            s = max(t - 2, 0)
            self.assertAlmostEqual(w, -(0.2 * s + s * s / 2) / 0.5, delta=WITHIN * tol * 1.4, msg=f"{t} s")


if __name__ == "__main__":
    main()
