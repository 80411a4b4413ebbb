"""Mechanisms with closed solutions in which contacts, impacts within them, loaded friction and bodies that
touch inside of a machine meet jumps of drivers, states and switches; compared as in
test_closed_machines.py."""
import math

from _chains import CASES, Chain, Closed, G, first, integral, linear, parabola, root, solve
from common import each, main, write


class Touch(Closed):
    cost = 12  # [s]

    @each(CASES + [("adams", 1e-4), ("ggl", 1e-4)])
    def test_load_knocks_on_the_ends_of_a_carriage(self, case):
        """A carriage on a rail and a load on the carriage, both with friction. A force f' = (F - f)/T pulls
        the carriage. The load slips back, bounces on its limits with e = 0.5, M m/(M + m) w dw being lost,
        comes to rest there, held by limit and friction, and leaves when friction alone cannot brake it."""
        M, m, T, f1, s1, f2, s2, e, up, end = 4.0, 1.2, 0.1, 8.0, 10.0, 3.0, 5.0, 0.5, 0.06, 1.5
        text = """
bodies:
  car: {mass: 4, inertia: [1, 1, 1], position: [2, 1, -3]}
  load: {mass: 1.2, inertia: [0.1, 0.1, 0.1], position: [2, 1, -2]}
states: {f: {rate: "(if(t < 0.5, 40, -25) - f)/0.1", unit: N, scale: 40}}
joints:
  rail:
    type: prismatic
    a: ground
    b: car
    point: [2, 1, -3]
    axis: [2/3, -1/3, 2/3]
    friction: {coulomb: 8, static: 10}
    force: f
  bed:
    type: prismatic
    a: car
    b: load
    point: [2, 1, -2]
    axis: [2/3, -1/3, 2/3]
    friction: {coulomb: 3, static: 5}
    limits: {lower: -0.06, upper: 0.06, restitution: 0.5}
"""
        chain, rubbed, lost, work = Chain(), 0.0, 0.0, 0.0
        x = v = u = w = 0.0  # of the carriage, and of the load on it
        side, sticks, holds, f = 0, True, True, 0.0  # the limit on which the load rests; rail, bed
        for t, until, wanted in ((0.0, 0.5, 40.0), (0.5, end, -25.0)):
            f0, t0 = f, t

            def force(s, f0=f0, t0=t0, wanted=wanted):
                return wanted + (f0 - wanted) * math.exp(-(s - t0) / T)

            chain.go(t, f=force)
            while t < until:
                r1 = 0 if sticks else math.copysign(1, v if v else force(t))
                a = (force(t) - r1 * f1) / (M + m)
                r2 = 0 if holds else math.copysign(1, w if w else -a)
                mass, rest = (M + m, 0.0) if holds else (M, r2 * f2)
                X, V = parabola(x, 0, 0, t)
                if not sticks:
                    X, V = linear(mass, 0, 0, wanted - r1 * f1 + rest, force(t) - wanted, T, x, v, t)
                A, B = parabola(x + u, v + w, -r2 * f2 / m, t)

                def shift(s, A=A, X=X, u=u, holds=holds):
                    return u if holds else A(s) - X(s)

                def slide(s, B=B, V=V, holds=holds):
                    return 0.0 if holds else B(s) - V(s)

                def needed(s, r1=r1, side=side):  # of friction on the load, to go with the carriage
                    p = m * (force(s) - r1 * f1) / (M + m)
                    return side * p if side else abs(p)

                chain.go(t, x=X, v=V, u=shift, w=slide)
                ends = [(root(V, t, until), "stops")]
                if sticks:
                    ends = [(root(lambda s: force(s) - s1, t, until), "starts")]
                if holds and not sticks:
                    ends.append((root(lambda s: needed(s) - s2, t, until), "slips"))
                if not holds:
                    ends += [(root(slide, t, until), "rests"),
                             (root(lambda s: abs(shift(s)) - up, t, until), "knocks")]
                old, (t, what) = t, first(until, *ends)
                rubbed += f1 * abs(X(t) - x) + f2 * abs(shift(t) - u)
                work += integral(lambda s: force(s) * V(s), old, t)
                x, v, u, w = X(t), V(t), shift(t), slide(t)
                if what == "starts":
                    sticks = False
                elif what == "stops":
                    v = 0.0  # the force is above that of sticking friction
                elif what == "slips":
                    holds, side = False, 0
                elif what == "rests":
                    w = 0.0
                    holds = m * abs(force(t) - r1 * f1) / (M + m) <= s2
                elif what == "knocks":
                    u = math.copysign(up, u)
                    lost += 0.5 * M * m / (M + m) * w * w * (1 - e * e)
                    v, w = v + m / (M + m) * (1 + e) * w, -e * w
                    if abs(w) < 1e-6:  # the last one
                        v, w, holds, side = v + m / (M + m) * w, 0.0, True, math.copysign(1, u)
            f = force(until)
        self.compare(text, case, "bdf", end, chain,
                     {"car.x": chain.of("x", 2, 2 / 3), "car.vx": chain.of("v", factor=2 / 3),
                      "f": chain.of("f"),
                      "bed.distance": chain.of("u"), "bed.speed": chain.of("w")},
                     {"contact_loss": lost, "dissipated": rubbed + lost, "supplied": work,
                      "kinetic": 0.5 * M * v * v + 0.5 * m * (v + w) ** 2})

    @each(CASES)
    def test_rack_with_flywheel_on_a_compliant_wall(self, case):
        """A bar slides down, turns a flywheel by a rack, with friction there, and strikes a wall of the
        stiffness k: (m + J/r^2) x'' = W - k max(x - 0.4, 0) - sign(x') Tc/r, until it rests in the wall by
        friction."""
        m, r, k, slip, stick, a, end = 1.3, 0.08, 2000.0, 0.12 / 0.08, 0.2 / 0.08, math.radians(35), 3.0
        M, weight, wall = m + 0.012 / r ** 2, m * G * math.sin(a), 0.4
        text = f"""
planar: true
gravity: {G}
parameters: {{th: 35 deg}}
ground: {{frames: {{foot: {{position: [7 + 0.5*cos(th), 2 - 0.5*sin(th)]}}}}}}
bodies:
  bar: {{mass: {m}, inertia: 0.02, position: [7, 2]}}
  wheel: {{mass: 0.4, inertia: 0.012, position: [9, 9]}}
joints:
  rail: {{type: prismatic, a: ground, b: bar, point: [7, 2], axis: [cos(th), -sin(th)]}}
  axle: {{type: revolute, a: ground, b: wheel, point: [9, 9], friction: {{coulomb: 0.12, static: 0.2}}}}
  teeth: {{type: rack, first: rail.distance, second: axle.angle, ratio: {r}}}
shapes:
  nose: {{type: sphere, radius: 0.1, at: bar}}
  wall: {{type: plane, at: ground.foot, normal: [-cos(th), sin(th)]}}
contacts: {{end: {{a: nose, b: wall, law: linear, stiffness: {k}}}}}
"""
        chain, t, x, v, rubbed = Chain(), 0.0, 0.0, 0.0, 0.0
        while t < end:
            force = weight - k * max(x - wall, 0)
            if v == 0 and abs(force) <= stick:
                chain.go(t, x=x, v=0.0)
                break
            s = math.copysign(1, v if v else force)
            inside = x > wall or (x == wall and v > 0)
            X, V = linear(M, 0, k if inside else 0, weight - s * slip + (k * wall if inside else 0), x=x, v=v,
                          t0=t)
            chain.go(t, x=X, v=V)
            near = min(t + 0.5, end)
            t, what = first(near, (root(lambda u: X(u) - wall, t, near), "wall"), (root(V, t, near), "turn"))
            rubbed += slip * abs(X(t) - x)
            x, v = wall if what == "wall" else X(t), 0.0 if what == "turn" else V(t)
        self.compare(text, case, "bdf", end, chain,
                     {"rail.distance": chain.of("x"), "wheel.wz": chain.of("v", factor=1 / r),
                      "bar.y": chain.of("x", 2, -math.sin(a)), "bar.vx": chain.of("v", factor=math.cos(a))},
                     {"dissipated": rubbed, "kinetic": 0.5 * M * v * v, "contact_loss": 0.0})

    @each(CASES)
    def test_block_on_a_tray_that_is_shaken(self, case):
        """A chute leans by a, its friction is loaded by its reaction: on a tray with the acceleration A the
        load is m (g cos a + A sin a), along the chute act g sin a - A cos a. A jump of the tray by V is a
        short time of great A: it ends the slip s by the share s/(cos a + mu sin a), and the rest leaves -(cos
        a - mu sin a)."""
        m, mu, static, a, end = 2.0, 0.35, 0.5, math.radians(22), 1.6
        C, S, tray = math.cos(a), math.sin(a), {0.0: 0.0, 0.2: -3.2, 0.6: 0.0, 1.0: 1.5}
        text = f"""
planar: true
gravity: {G}
parameters: {{th: 22 deg}}
bodies:
  tray: {{mass: 6, inertia: 1, position: [100, 50]}}
  block: {{mass: {m}, inertia: 0.1, position: [100, 50]}}
joints:
  rail: {{type: prismatic, a: ground, b: tray, point: [100, 50], axis: [1, 0]}}
  shake:
    type: driver
    of: rail.distance
    motion: if(t < 0.2, 0, if(t < 0.6, -1.6*(t - 0.2)^2, -0.256 + 0.5*(t - 0.6) + 0.75*max(0, t - 1)^2))
  chute:
    type: prismatic
    a: tray
    b: block
    point: [100, 50]
    axis: [cos(th), -sin(th)]
    friction: {{coefficient: {mu}, static_coefficient: {static}, load: reaction}}
"""
        chain, s, v, rubbed = Chain(), 0.0, 0.0, 0.0
        for t, until in ((0.0, 0.2), (0.2, 0.6), (0.6, 1.0), (1.0, end)):
            if t == 0.6:
                jump = 0.5 + 1.28
                part = v / (C + mu * S)
                after = -(jump - part) * (C - mu * S)
                rubbed += m * mu * S * (part * v / 2 + (jump - part) * -after / 2)
                v = after
            load, force = G * C + tray[t] * S, G * S - tray[t] * C
            while t < until:
                if v == 0 and abs(force) <= static * load:
                    chain.go(t, s=s, v=0.0)
                    break
                side = math.copysign(1, v if v else force)
                X, V = parabola(s, v, force - side * mu * load, t)
                chain.go(t, s=X, v=V)
                t = (root(V, t, until) if v else None) or until
                rubbed += m * mu * load * abs(X(t) - s)
                s, v = X(t), V(t) if t == until else 0.0
        chain.go(0.2, X=lambda t: -1.6 * (t - 0.2) ** 2)
        chain.go(0.6, X=lambda t: -0.256 + 0.5 * (t - 0.6) + 0.75 * max(0, t - 1) ** 2)
        self.compare(text, case, "for-sdirk", end, chain,
                     {"chute.distance": chain.of("s"), "block.vy": chain.of("v", factor=-S),
                      "block.x": lambda t: 100 + chain.at("X", t) + C * chain.at("s", t)},
                     {"dissipated": rubbed, "contact_loss": 0.0})

    @each(CASES)
    def test_rod_is_lifted_while_it_swings(self, case):
        """In a sleeve a rod turns, J a'' + c a' + k (a - 0.1) = 0, and slides with friction, lifted by 22 N
        while a > 0.2 and by 5 N else; it bounces on its ends with e = 0.3."""
        J, k, c, m, slip, stick, e, end = 0.05, 8.0, 0.12, 1.1, 2.5, 3.0, 0.3, 1.8
        text = f"""
gravity: {G}
bodies: {{rod: {{mass: {m}, inertia: [0.3, 0.32, {J}], position: [0, -900, 4], angular_velocity: [0, 0, 9]}}}}
joints:
  sleeve:
    type: cylindrical
    a: ground
    b: rod
    point: [0, -900, 4]
    axis: [0, 0, 1]
    stiffness: {k}
    damping: {c}
    free: 0.1
forces:
  lift: {{type: coordinate, of: sleeve.distance, force: "if(sleeve.angle > 0.2, 22, 5)"}}
  rub: {{type: friction, of: sleeve.distance, coulomb: {slip}, static: {stick}}}
  stop: {{type: limit, of: sleeve.distance, upper: 0.3, lower: -0.2, restitution: {e}}}
"""
        chain, switches = Chain(), [0.0]
        angle, rate = linear(J, c, k, 0.1 * k, x=0.0, v=9.0)
        chain.go(0.0, a=angle, w=rate)
        while switches[-1] is not None:
            switches.append(root(lambda t: angle(t) - 0.2, switches[-1], end))
        switches[-1] = end
        x, v, rubbed, lost, work = 0.0, 0.0, integral(lambda t: c * rate(t) ** 2, 0, end), 0.0, 0.0
        for i, (t, until) in enumerate(zip(switches, switches[1:])):
            lift = 22 if i % 2 else 5
            force = lift - m * G
            while t < until:
                if v == 0 and abs(force) <= stick:
                    chain.go(t, x=x, v=0.0)
                    break
                s = math.copysign(1, v if v else force)
                X, V = parabola(x, v, (force - s * slip) / m, t)
                chain.go(t, x=X, v=V)
                limit = 0.3 if s > 0 else -0.2
                t, what = first(until, (root(V, t, until) if v else None, "turn"),
                                (root(lambda u: X(u) - limit, t, until), "stop"))
                rubbed += slip * abs(X(t) - x)
                work += lift * (X(t) - x)
                x, v = X(t), 0.0 if what == "turn" else V(t)
                if what == "stop":
                    lost += 0.5 * m * v * v * (1 - e * e)
                    x, v = limit, -e * v
        self.compare(text, case, "erk8", end, chain,
                     {"sleeve.angle": chain.of("a"), "rod.wz": chain.of("w"),
                      "sleeve.distance": chain.of("x"),
                      "rod.vz": chain.of("v")},
                     {"contact_loss": lost, "dissipated": lost + rubbed, "supplied": work})

    @each(CASES)
    def test_ball_bounces_on_a_belt_and_rolls(self, case):
        """With the slip s of its lowest point a ball takes from each impact m (1 + e) u up and -2/7 m s
        along, or mu times the former against s. The bounces end after a finite time; when the belt jumps the
        ball slips, by s' = -7/2 mu g, until it rolls."""
        m, r, e, mu, end, far = 0.7, 0.1, 0.5, 0.3, 2.2, 50000
        J, along = 0.4 * m * r * r, (0.6, 0.8)
        text = f"""
gravity: {G}
bodies:
  ball:
    mass: {m}
    inertia: 0.0028
    position: [{far}, {2 * far}, 0.35]
    velocity: [1.5, -0.6, 0]
    angular_velocity: [4, 7, 2]
  belt: {{mass: 5, inertia: 1, position: [{far}, {2 * far}, 0]}}
joints:
  rail: {{type: prismatic, a: ground, b: belt, point: [{far}, {2 * far}, 0], axis: [0.6, 0.8, 0]}}
  motor:
    type: driver
    of: rail.distance
    motion: if(t < 0.1, 0.5*t, if(t < 1.3, 0.05 - 0.4*(t - 0.1), -0.43 + 0.9*(t - 1.3)))
shapes:
  ball: {{type: sphere, radius: {r}}}
  top: {{type: plane, at: belt}}
contacts: {{hit: {{a: ball, b: top, law: rigid, restitution: {e}, friction: {{coefficient: {mu}}}}}}}
"""
        chain, t, x, v, w, up, z, lost = Chain(), 0.0, [0.0, 0.0], [1.5, -0.6], [4.0, 7.0], 0.0, 0.35, 0.0

        def move(until, a=(0.0, 0.0), falls=0.0):
            """Accelerations a along the belt; x, v and w become those of the end."""
            lines = [parabola(x[i], v[i], a[i], t) for i in (0, 1)]
            height = parabola(z, up, -falls, t)
            chain.go(t, x=lines[0][0], vx=lines[0][1], y=lines[1][0], vy=lines[1][1], z=height[0],
                     vz=height[1])
            x[:], v[:] = [f[0](until) for f in lines], [f[1](until) for f in lines]
            for i, sign in ((0, 1), (1, -1)):
                w[i] += sign * m * r / J * a[1 - i] * (until - t)

        def slip(belt):
            return [v[0] - r * w[1] - belt * along[0], v[1] + r * w[0] - belt * along[1]]

        while z > r or up > 1e-9:
            fall = math.sqrt(2 * 0.25 / G) if z > r else 2 * up / G
            speed = G * fall if z > r else up
            move(t + fall, falls=G)
            t, z = t + fall, r
            belt = 0.5 if t < 0.1 else -0.4
            s = slip(belt)
            share = min(2 / 7, mu * (1 + e) * speed / math.hypot(*s)) if math.hypot(*s) > 0 else 0.0
            p = [-m * share * s[0], -m * share * s[1]]
            lost -= sum(p[i] * s[i] for i in (0, 1)) + 7 / 4 / m * (p[0] ** 2 + p[1] ** 2)
            lost += 0.5 * m * speed ** 2 * (1 - e * e)
            v = [v[i] + p[i] / m for i in (0, 1)]
            w = [w[0] + r * p[1] / J, w[1] - r * p[0] / J]
            up = e * speed
        up = 0.0
        for until, belt in ((1.3, -0.4), (end, 0.9)):
            s = slip(belt)
            size = math.hypot(*s)
            if size > 1e-9:
                stop = t + size / (3.5 * mu * G)
                move(stop, [-mu * G * s[i] / size for i in (0, 1)])
                lost += mu * m * G * size * (stop - t) / 2
                t = stop
            move(until)
            t = until
        self.compare(text, case, "for-sdirk", end, chain,
                     {"ball.x": chain.of("x", far), "ball.y": chain.of("y", 2 * far), "ball.z": chain.of("z"),
                      "ball.vx": chain.of("vx"), "ball.vy": chain.of("vy"), "ball.vz": chain.of("vz")},
                     {"contact_loss": lost, "dissipated": lost})

    @each(CASES)
    def test_disc_rolls_down_a_wedge_and_strikes_its_foot(self, case):
        """Unknowns are the accelerations X of the wedge, s of the disc down the slope and w, the normal
        force N and the frictions T on the disc and R on the wedge:
          m (X cos a + s) = m g sin a + T,   m X sin a = N - m g cos a,
          M X = -N sin a - T cos a + R,      J w = T r
        with s + r w = 0, or T = -+ mu N. At the stop s' is reversed with e = 0.5; by the recoil of the
        wedge the slope strikes, too, with an impulse N of the disc that slips, T = mu N."""
        M, m, r, a, mu, rub, e, end = 3.0, 0.8, 0.1, math.radians(20), 0.4, 2.0, 0.5, 0.9
        J, C, S = 0.5 * m * r * r, math.cos(a), math.sin(a)
        text = f"""
planar: true
gravity: {G}
parameters: {{th: 20 deg}}
bodies:
  wedge: {{mass: {M}, inertia: 1, position: [0, 0], frames: {{foot: [cos(th), -sin(th)]}}}}
  disc: {{mass: {m}, inertia: 0.004, position: [0.4*cos(th) + 0.1*sin(th), -0.4*sin(th) + 0.1*cos(th)]}}
joints:
  rail: {{type: prismatic, a: ground, b: wedge, point: [0, 0], axis: [1, 0], friction: {{coulomb: {rub}}}}}
shapes:
  disc: {{type: sphere, radius: {r}}}
  slope: {{type: plane, at: wedge, normal: [sin(th), cos(th)]}}
  stop: {{type: plane, at: wedge.foot, normal: [-cos(th), sin(th)]}}
contacts:
  floor: {{a: disc, b: slope, law: rigid, restitution: 0, friction: {{coefficient: {mu}}}}}
  wall: {{a: disc, b: stop, law: rigid, restitution: {e}}}
"""
        def energy(V, v, w):
            return 0.5 * M * V * V + 0.5 * m * ((V * C + v) ** 2 + (V * S) ** 2) + 0.5 * J * w * w

        def accelerations(rolls, slip, side):
            return solve([[m * C, m, 0, 0, -1, 0], [m * S, 0, 0, -1, 0, 0], [M, 0, 0, S, C, -1],
                          [0, 0, J, 0, -r, 0],
                          [0, 1, r, 0, 0, 0] if rolls else [0, 0, 0, mu * math.copysign(1, slip), 1, 0],
                          [0, 0, 0, 0, 0, 1] if side else [1, 0, 0, 0, 0, 0]],
                         [m * G * S, -m * G * C, 0, 0, 0, -side * rub])

        chain, t, X, V, s, v, w, rubbed, lost = Chain(), 0.0, 0.0, 0.0, 0.4, 0.0, 0.0, 0.0, 0.0
        while t < end:
            slip = v + r * w
            rolls = abs(slip) < 1e-12
            side = math.copysign(1, V) if V else 0
            q = accelerations(rolls, slip, side)
            if side == 0 and abs(q[5]) > rub:
                side = -math.copysign(1, q[5])
                q = accelerations(rolls, slip, side)
            self.assertTrue(q[3] > 0 and (not rolls or abs(q[4]) < mu * q[3]))
            place, speed = parabola(X, V, q[0], t)
            way, rate = parabola(s, v, q[1], t)
            spin = parabola(0.0, w, q[2], t)[1]
            chain.go(t, X=place, V=speed, s=way, v=rate, w=spin)
            old, (t, what) = t, first(end, (root(speed, t, end) if V else None, "rests"),
                                      (root(lambda u: way(u) - 0.9, t, end), "strikes"),
                                      (None if rolls else root(lambda u: rate(u) + r * spin(u), t, end),
                                      "rolls"))
            rubbed += rub * abs(place(t) - X)
            lost += 0 if rolls else mu * q[3] * abs(slip + rate(t) + r * spin(t)) / 2 * (t - old)
            X, V, s, v, w = place(t), speed(t), way(t), rate(t), spin(t)
            if what == "rests":
                V = 0.0
            if what == "rolls":
                w = -v / r
            if what == "strikes":
                before = energy(V, v, w)
                p = solve([[m * C, m, 0, 1, 0, -1], [m * S, 0, 0, 0, -1, 0], [M, 0, 0, -C, S, C],
                           [0, 0, J, 0, 0, -r], [0, 1, 0, 0, 0, 0], [0, 0, 0, 0, -mu, 1]],
                          [0, 0, 0, 0, -(1 + e) * v, 0])
                V, v, w = V + p[0], -e * v, w + p[2]
                self.assertTrue(p[4] > 0 and v + r * w < 0)
                lost += before - energy(V, v, w)
        self.compare(text, case, "for-sdirk", end, chain,
                     {"wedge.x": chain.of("X"), "wedge.vx": chain.of("V"), "disc.wz": chain.of("w"),
                      "disc.x": lambda t: chain.at("X", t) + C * chain.at("s", t) + r * S,
                      "disc.vy": chain.of("v", factor=-S)},
                     {"contact_loss": lost, "dissipated": lost + rubbed})

    @each(("auto", "for-sdirk"))
    def test_friction_supplies_nothing_in_an_impact_that_turns_its_slip(self, method):
        """A block on a rail meets a plane that leans by b. The impulse P of the plane loads the rail and its
        friction mu P sin b, which acts against the slip after the impact, -e v: all of m v^2 (1 - e^2)/2 is
        lost in the impact, and nothing in friction."""
        write("leaning.yaml", """
planar: true
bodies: {block: {mass: 2, inertia: 0.1, velocity: [3, 0]}}
ground: {frames: {wall: [1, 0]}}
joints:
  rail: {type: prismatic, a: ground, b: block, axis: [1, 0], friction: {coefficient: 0.3, load: reaction}}
shapes:
  ball: {type: sphere, radius: 0.1, at: block}
  wall: {type: plane, at: ground.wall, normal: [-0.8, 0.6]}
contacts: {hit: {a: ball, b: wall, law: rigid, restitution: 0.4}}
run: {end: 0.5}
""")
        r = self.report("run", "leaning.yaml", "--method", method, "--out", "none")
        self.assertEqual(r["impacts"], 1)
        self.assertAlmostEqual(r["energy"]["kinetic"], 0.16 * 9, delta=1e-9)
        self.assertAlmostEqual(r["energy"]["contact_loss"], 0.84 * 9, delta=1e-9)
        self.assertAlmostEqual(r["energy"]["dissipated"], 0.84 * 9, delta=1e-9)


if __name__ == "__main__":
    main()
