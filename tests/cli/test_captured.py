"""Captured contacts (contacts: captured, method moreau): closed cases of impact, friction and rest."""
import json
import random
from math import atan, cos, sin, sqrt

from common import SOURCE, Case, each, main, run, table, write

G = 9.81


def final(name):
    return {n: x[-1] for n, x in table(name).items()}


class Run(Case):
    def last(self, name, text, *args):
        self.good("run", write(f"{name}.yaml", text), "--out", f"{name}.csv", *args)
        return final(f"{name}.csv")


BALL = """\
gravity: 9.81
parameters: {e: 0.8}
bodies:
  ball: {mass: 1.3, inertia: 0.0052, position: [0, 0, 1.1]}
shapes:
  ball: {type: sphere, radius: 0.1}
  table: {type: plane, at: ground}
contacts:
  hit: {a: ball, b: table, law: rigid, restitution: e}
run: {end: 5, contacts: captured, step: 1e-3, output_step: 1e-3}
"""


class Ball(Run):
    def test_restitution(self):
        """Every impact multiplies the speed by -e, and the ball rests at the end of all bounces."""
        self.last("ball", BALL)
        t = table("ball.csv")
        z, v = t["ball.z"], t["ball.vz"]
        jumps = [(a, b) for a, b in zip(v, v[1:]) if a < 0 and b > 1e-9]
        self.assertGreater(len(jumps), 10)
        for before, after in jumps:  # the weight acts in the step of the impact, too
            self.assertAlmostEqual(after, -0.8 * before - G * 1e-3, delta=1e-12)
        rest = sqrt(2 / G) * (1 + 0.8) / (1 - 0.8)
        ends = next(x for x, height in zip(t["t"], z) if max(z[t["t"].index(x):]) - 0.1 < 1e-6)
        self.assertAlmostEqual(ends, rest, delta=0.05)  # bounces of less than a step are left out
        self.assertGreater(min(z), 0.1 - 1e-12)
        self.assertEqual(z[-1], 0.1)
        self.assertLess(abs(v[-1]), 1e-18)

    @each([0, 0.5, 1])
    def test_energy(self, e):
        """It is never gained, and what impacts take away is known; without loss it is kept."""
        r = self.report("run", write("energy.yaml", BALL), "--set", f"e={e}", "--out", "energy.csv")
        t = table("energy.csv")
        total = [k + p for k, p in zip(t["energy.kinetic"], t["energy.potential"])]
        self.assertLess(max(b - a for a, b in zip(total, total[1:])), 1e-12)
        self.assertLess(r["energy"]["error"], 1e-11)
        if e == 1:
            self.assertAlmostEqual(total[-1], total[0], delta=1e-11)
        else:
            self.assertAlmostEqual(total[-1], 1.3 * G * 0.1, delta=1e-9)


SLOPE = """\
parameters: {mu: 0.5, part: 0.99, angle: atan(part*mu)}
gravity: [9.81*sin(angle), 0, -9.81*cos(angle)]
bodies:
  block: {mass: 1.3, inertia: [0.01, 0.02, 0.03], position: [0, 0, 0.1]}
shapes:
  block: {type: box, size: [0.3, 0.25, 0.2]}
  table: {type: plane, at: ground}
contacts:
  stand: {a: block, b: table, law: rigid, restitution: 0, friction: {coefficient: mu}}
run: {end: 1, contacts: captured, step: 2e-3}
"""


class Slope(Run):
    @each([0.5, 0.99, 0.999999])
    def test_rests(self, part):
        last = self.last("slope", SLOPE, "--set", f"part={part}")
        for x in (last["block.x"], last["block.y"], last["block.z"] - 0.1, last["block.q3"]):
            self.assertLess(abs(x), 1e-14)

    def test_forces(self):
        """Channels of the contact: weight and friction as means over a step, and the points that press."""
        last = self.last("loads", SLOPE)
        angle = atan(0.99 * 0.5)
        self.assertAlmostEqual(last["stand.force"], 1.3 * G * cos(angle), delta=1e-8)
        # friction of single points is not unique: its sum of sizes is at least the load along the slope
        self.assertGreater(last["stand.friction"], 1.3 * G * sin(angle) * (1 - 1e-8))
        self.assertLessEqual(last["stand.friction"], 0.5 * last["stand.force"] * (1 + 1e-8))
        self.assertEqual(last["stand.points"], 4)

    @each([1.01, 1.5])
    def test_slides(self, part):
        last = self.last("slide", SLOPE, "--set", f"part={part}")
        angle = atan(part * 0.5)
        path = (sin(angle) - 0.5 * cos(angle)) * G / 2
        self.assertAlmostEqual(last["block.x"], path, delta=1e-11)
        self.assertAlmostEqual(last["block.vx"], 2 * path, delta=1e-11)

    def test_stops(self):
        """A block that slides on a level table stops after v^2/(2 mu g), to the order of the step."""
        text = SLOPE.replace("part: 0.99", "part: 0").replace("position: [0, 0, 0.1]",
                                                              "position: [0, 0, 0.1], velocity: [2, 0, 0]")
        last = self.last("stop", text)
        self.assertAlmostEqual(last["block.x"], 4 / (2 * 0.5 * G), delta=1e-5)
        self.assertLess(abs(last["block.vx"]), 1e-14)


def stack(count, end=2, top=1, step=4e-3):
    text = "gravity: 9.81\nbodies:\n"
    shapes = "shapes:\n  floor: {type: plane, at: ground, group: all}\n"
    for i in range(count):
        mass = top if i == count - 1 else 1
        text += f"  b{i}: {{mass: {mass}, inertia: {mass / 600}, position: [0, 0, {0.05 + 0.1 * i}]}}\n"
        shapes += f"  b{i}: {{type: box, size: [0.1, 0.1, 0.1], group: all}}\n"
    return (text + shapes +
            "contacts:\n  c: {a: all, law: rigid, restitution: 0, friction: {coefficient: 0.5}}\n"
            f"run: {{end: {end}, contacts: captured, step: {step}}}\n")


class Stack(Run):
    @each([1, 1000])
    def test_stands(self, top):
        """Ten boxes, the uppermost one also with a thousand times the mass of the others."""
        last = self.last("stack", stack(10, top=top))
        for i in range(10):
            for c, x in (("x", 0), ("y", 0), ("z", 0.05 + 0.1 * i)):
                # solutions at once have residuals of 1e-12 of the largest velocities, here of the load
                self.assertAlmostEqual(last[f"b{i}.{c}"], x, delta=1e-12 * top)

    def test_falls(self):
        """Boxes that are displaced by more than half an edge fall."""
        text = stack(2).replace("position: [0, 0, 0.15", "position: [0.052, 0, 0.15")
        self.assertLess(self.last("falls", text)["b1.z"], 0.06)
        text = stack(2).replace("position: [0, 0, 0.15", "position: [0.048, 0, 0.15")
        self.assertAlmostEqual(self.last("stays", text)["b1.z"], 0.15, delta=1e-12)


def box(name, size, mass, place):
    inertia = [mass / 12 * (sum(x * x for x in size) - a * a) for a in size]
    return (f"  {name}: {{mass: {mass}, inertia: {inertia}, position: {place}}}\n",
            f"  {name}: {{group: all, type: box, size: {list(size)}}}\n")


def wall(rows, end, ball=""):
    """A gable: each row has a brick less than the one below; ball: a body that strikes it."""
    size, bodies, shapes = (0.2, 0.1, 0.08), "", "  floor: {type: plane, at: ground, group: all}\n"
    for r in range(rows):
        for c in range(rows - r):
            b, s = box(f"b{r}_{c}", size, 2, [0.2 * c + 0.1 * r, 0, 0.04 + 0.08 * r])
            bodies, shapes = bodies + b, shapes + s
    if ball:
        bodies += f"  ball: {ball}\n"
        shapes += "  ball: {type: sphere, radius: 0.1, group: all}\n"
    return ("gravity: 9.81\nbodies:\n" + bodies + "shapes:\n" + shapes + "contacts:\n"
            "  c: {a: all, law: rigid, restitution: 0, friction: {coefficient: 0.5}}\n"
            f"run: {{end: {end}, contacts: captured, step: 2e-3, output_step: 2e-3}}\n")


class Wall(Run):
    """Islands of more points than are solved at once over points, where sweeps converge slowly."""

    def test_stands(self):
        r = self.report("run", write("wall.yaml", wall(8, 1)), "--out", "wall.csv")
        last = final("wall.csv")
        self.assertGreater(r["contacts"]["points"], 96)
        self.assertEqual(r["contacts"]["missed"], 0)
        for row in range(8):
            self.assertAlmostEqual(last[f"b{row}_0.x"], 0.1 * row, delta=1e-10)
            self.assertAlmostEqual(last[f"b{row}_0.z"], 0.04 + 0.08 * row, delta=1e-10)

    @each([5, 500])
    def test_struck(self, mass):
        """A ball breaks the wall: all steps meet the bound, and none gains energy."""
        ball = f"{{mass: {mass}, inertia: {0.004 * mass}, position: [0.8, -0.3, 0.3], velocity: [0, 6, 0]}}"
        r = self.report("run", write("hit.yaml", wall(8, 0.3, ball)), "--out", "hit.csv")
        self.assertEqual(r["contacts"]["missed"], 0)
        self.assertLessEqual(r["contacts"]["residual"], r["contacts"]["bound"])
        t = table("hit.csv")
        self.assertGreater(t["b3_2.y"][-1], 0.05)
        total = [k + p for k, p in zip(t["energy.kinetic"], t["energy.potential"])]
        self.assertLess(max(b - a for a, b in zip(total, total[1:])), 1e-8 * total[0])


class Bound(Run):
    def test_not_met(self):
        """Masses of 1e-7 and 1e7 kg in one heap: the run says what is not found, and ends."""
        r = random.Random(6)
        bodies, shapes = "", "  floor: {type: plane, at: ground, group: all}\n"
        for i in range(40):
            place = [(i % 3 - 1) * 0.2 + r.uniform(-.02, .02), (i // 3 % 3 - 1) * 0.2, 0.15 + i // 9 * 0.2]
            b, s = box(f"b{i}", [r.uniform(0.06, 0.16) for _ in range(3)], 10**r.uniform(-7, 7), place)
            bodies, shapes = bodies + b, shapes + s
        text = ("gravity: 9.81\nbodies:\n" + bodies + "shapes:\n" + shapes + "contacts:\n"
                "  c: {a: all, law: rigid, restitution: 0.3, friction: {coefficient: 1.5}}\n"
                "run: {end: 2, contacts: captured, step: 4e-3}\n")
        p = self.bad(1, "run", write("heap.yaml", text), "--out", "heap.csv")
        for said in ("impulses of contacts were not found", "'b", "at t = ", "smaller step"):
            self.assertIn(said, p.stderr)


    def test_no_number(self):
        """A force that is no number at the end of a step: the last row has energies."""
        write("f.yaml", "gravity: 9.81\nbodies: {a: {mass: 1, inertia: 0.01, position: [0, 0, 0.12]}}\n"
              "shapes:\n  s: {type: sphere, at: a, radius: 0.1}\n  floor: {type: plane, at: ground}\n"
              "contacts: {c: {a: s, b: floor, law: rigid, restitution: 0.3}}\n"
              "forces: {f: {type: applied, at: a, force: [0, 0, sqrt(0.3 - t)]}}\n"
              "run: {end: 1, contacts: captured, step: 4e-3}\n")
        p = self.bad(1, "run", "f.yaml", "--out", "f.csv")
        self.assertIn("work of the forces is not a finite number", p.stderr)
        for name, column in table("f.csv").items():
            self.assertFalse(any(x != x for x in column), name)  # NaN


CRADLE = """\
parameters: {gap: 0}
defaults:
  bodies: {mass: 1, inertia: 0.001}
bodies:
  b1: {position: [-0.2, 0, 0], velocity: [1, 0, 0]}
  b2: {position: [0, 0, 0]}
  b3: {position: [0.1 + gap, 0, 0]}
  b4: {position: [0.2 + 2*gap, 0, 0]}
  b5: {position: [0.3 + 3*gap, 0, 0]}
defaults_end: 0
shapes:
  b1: {type: sphere, radius: 0.05, group: balls}
  b2: {type: sphere, radius: 0.05, group: balls}
  b3: {type: sphere, radius: 0.05, group: balls}
  b4: {type: sphere, radius: 0.05, group: balls}
  b5: {type: sphere, radius: 0.05, group: balls}
contacts:
  hit: {a: balls, law: rigid, restitution: 1}
run: {end: 0.3, contacts: captured, step: 1e-3}
""".replace("defaults_end: 0\n", "")


class Cradle(Run):
    @each([0, 1e-6, 1e-3, 0.01])
    def test_passes_on(self, gap):
        last = self.last("cradle", CRADLE, "--set", f"gap={gap}")
        for i, v in enumerate([0, 0, 0, 0, 1]):
            self.assertAlmostEqual(last[f"b{i + 1}.vx"], v, delta=1e-14)


SLANT = """\
parameters: {mu: 0.5}
bodies:
  ball: {mass: 1, inertia: 0.004, position: [0, 0, 0.15], velocity: [2, 0, -1]}
shapes:
  ball: {type: sphere, radius: 0.1}
  table: {type: plane, at: ground}
contacts:
  hit: {a: ball, b: table, law: rigid, restitution: 0.6, IMPACT friction: {coefficient: mu}}
run: {end: 0.2, contacts: captured, step: 1e-3}
"""


class Slant(Run):
    @each(["", "impact: poisson,"])
    def test_ball(self, impact):
        """A ball strikes at a slant: 2/7 of the momentum of its slip within the cone, it leaves rolling."""
        for mu in (0.1, 0.5):
            last = self.last("slant", SLANT.replace("IMPACT", impact), "--set", f"mu={mu}")
            friction = min(2 / 7 * 2, mu * 1.6)
            self.assertAlmostEqual(last["ball.vz"], 0.6, delta=1e-12)
            self.assertAlmostEqual(last["ball.vx"], 2 - friction, delta=1e-12)
            self.assertAlmostEqual(last["ball.wy"], friction * 0.1 / 0.004, delta=1e-10)


PENDULUM = """\
gravity: [0, 0, -9.81]
bodies:
  arm: {mass: 1, inertia: [0.01, 0.02, 0.03], position: [0.5, 0, 0], frames: {hinge: [-0.5, 0, 0]}}
joints:
  pin: {type: revolute, a: ground, b: arm.hinge, axis: [0, 1, 0]}
shapes:
  tip: {type: sphere, radius: 0.05, at: arm}
  wall: {type: plane, at: ground, normal: [1, 0, 0]}
contacts:
  hit: {a: tip, b: wall, law: rigid, restitution: 0.6}
"""


class Pendulum(Run):
    """A pendulum that strikes a stop, beside the same with located impacts."""

    def test_stop(self):
        self.last("exact", PENDULUM + "run: {end: 1.2, tol: 1e-9, output_step: 0.05}\n")
        exact = table("exact.csv")
        errors = []
        for step in (4e-3, 1e-3, 2.5e-4):
            r = self.report("run", write("stop.yaml", PENDULUM + f"run: {{end: 1.2, contacts: captured, "
                                         f"step: {step}, output_step: 0.05}}\n"), "--out", "stop.csv")
            t = table("stop.csv")
            self.assertLess(r["residuals"]["position"], 1e-12)  # the joint holds
            self.assertEqual(r["contacts"]["impacts"], 2)
            self.assertGreater(min(t["hit.gap"]), -1e-12)
            total = [k + p for k, p in zip(t["energy.kinetic"], t["energy.potential"])]
            self.assertLess(max(b - a for a, b in zip(total, total[1:])), 1e-3 * step / 1e-3)
            errors.append(max(abs(a - b) for a, b in zip(t["arm.x"], exact["arm.x"])))
        self.assertLess(errors[2], 2e-3)
        self.assertLess(errors[2], errors[0] / 4)

    def test_order(self):
        """Between impacts, here before the first, errors are of the order 2."""
        self.last("exact", PENDULUM + "run: {end: 0.25, tol: 1e-10}\n")
        exact = final("exact.csv")
        errors = []
        for step in (1e-2, 5e-3):
            last = self.last("smooth", PENDULUM + f"run: {{end: 0.25, contacts: captured, step: {step}}}\n")
            errors.append([abs(last[c] - exact[c]) for c in ("arm.x", "arm.vx")])
        for coarse, fine in zip(*errors):
            self.assertGreater(fine, 1e-9)
            self.assertAlmostEqual(coarse / fine, 4, delta=0.4)


class Heap(Run):
    def test_boxes_and_balls(self):
        """Dropped bodies come to rest on the floor and on each other, without depth and without energy."""
        text = "gravity: 9.81\nbodies:\n"
        shapes = "shapes:\n  floor: {type: plane, at: ground, group: all}\n"
        for i in range(6):
            place = [0.03 * sin(7 * i), 0.03 * cos(5 * i), 0.1 + 0.16 * i]
            mass = 0.7 if i % 2 else 1
            text += f"  b{i}: {{mass: {mass}, inertia: {mass * 0.0015}, position: {place}}}\n"
            shapes += f"  b{i}: {{group: all, " + ("type: sphere, radius: 0.05}\n" if i % 2 else
                                                   "type: box, size: [0.12, 0.1, 0.08]}\n")
        text += shapes + """\
contacts:
  c: {a: all, law: rigid, restitution: 0.3, friction: {coefficient: 0.5}}
run: {end: 4, contacts: captured, step: 4e-3, output_step: 4e-3}
"""
        r = self.report("run", write("heap.yaml", text), "--out", "heap.csv")
        t = table("heap.csv")
        total = [k + p for k, p in zip(t["energy.kinetic"], t["energy.potential"])]
        self.assertLess(max(b - a for a, b in zip(total, total[1:])), 1e-3)
        self.assertLess(r["energy"]["error"], 1e-4 * total[0])
        self.assertLess(r["contacts"]["depth"], 1.5e-4)  # also while they tumble
        for i in range(6):
            self.assertGreater(min(t[f"b{i}.z"]), 0.04 - 1e-4)


SPHERES = """\
gravity: 9.81
parameters: {n: 5, r: 0.05, m: 0.5, w: 0.12*n}
ground:
  frames: {west: [-w/2, 0, 0], east: [w/2, 0, 0], south: [0, -w/2, 0], north: [0, w/2, 0]}
defaults:
  contacts: {law: rigid, restitution: 0, friction: {coefficient: 0.3}}
shapes:
  bottom: {type: plane, at: ground, group: box}
  west: {type: plane, at: ground.west, normal: [1, 0, 0], group: box}
  east: {type: plane, at: ground.east, normal: [-1, 0, 0], group: box}
  south: {type: plane, at: ground.south, normal: [0, 1, 0], group: box}
  north: {type: plane, at: ground.north, normal: [0, -1, 0], group: box}
repeat:
  - index: i
    to: n
    repeat:
      - index: j
        to: n
        repeat:
          - index: l
            to: n
            bodies:
              "ball{i}_{j}_{l}":
                mass: m
                inertia: 0.4*m*r^2
                position:
                  - (i - (n + 1)/2)*0.115 + 0.005*sin(7*l + 3*j)
                  - (j - (n + 1)/2)*0.115 + 0.005*sin(5*l + i)
                  - 0.06 + (l - 1)*0.12
            shapes:
              "ball{i}_{j}_{l}": {type: sphere, radius: r, group: balls}
contacts:
  walls: {a: balls, b: box}
  pile: {a: balls}
run: {contacts: captured, step: 4e-3, end: 1.5, output_step: 4e-3}
"""


class Spheres(Case):
    def test_box(self):
        """A heap too large to be solved at once: sweeps that begin with the last impulses meet the bound."""
        r = self.report("run", write("spheres.yaml", SPHERES), "--out", "spheres.csv", "--channels",
                        "energy.*")
        c, steps = r["contacts"], r["counters"]["steps"]
        self.assertGreater(c["points"], 200)
        self.assertEqual(c["missed"], 0)
        self.assertLessEqual(c["residual"], c["bound"])
        self.assertLess(c["sweeps"], 60 * steps)  # 41
        self.assertLess(c["depth"], 0.01 * 0.05)
        t = table("spheres.csv")
        total = [k + p for k, p in zip(t["energy.kinetic"], t["energy.potential"])]
        # points that close fast are slowed down at the start of the step; 2e-7 is what curved paths leave
        self.assertLess(max(b - a for a, b in zip(total, total[1:])), 1e-6 * total[0])
        self.assertLess(r["energy"]["error"], 1e-9 * total[0])


def drop(seed):
    """Boxes and balls of random sizes and masses, thrown on a floor, and half the least width of each."""
    r = random.Random(seed)
    text, shapes = "gravity: 9.81\nbodies:\n", "shapes:\n  floor: {type: plane, at: ground, group: all}\n"
    half = []
    for i in range(r.randint(2, 8)):
        mass, size = 10**r.uniform(-1, 1), [r.uniform(0.03, 0.2) for _ in range(3)]
        if r.random() < 0.4:
            size = 3 * [size[0]]
            shape = f"type: sphere, radius: {size[0] / 2}"
        else:
            shape = f"type: box, size: {size}"
        inertia = [mass / 12 * (sum(x * x for x in size) - a * a) for a in size]
        place = [r.uniform(-0.1, 0.1), r.uniform(-0.1, 0.1), 0.25 + 0.36 * i]
        speed, spin = ([r.uniform(-x, x) for _ in range(3)] for x in (2, 5))
        text += (f"  b{i}: {{mass: {mass}, inertia: {inertia}, position: {place}, velocity: {speed}, "
                 f"angular_velocity: {spin}}}\n")
        shapes += f"  b{i}: {{group: all, {shape}}}\n"
        half.append(min(size) / 2)
    law = f"restitution: {r.choice([0, 0.4, 1])}, impact: {r.choice(['newton', 'poisson'])}"
    return (text + shapes + f"contacts:\n  c: {{a: all, law: rigid, {law}, "
            f"friction: {{coefficient: {r.choice([0, 0.3, 1])}}}}}\n"
            "run: {end: 1.5, contacts: captured, step: 2e-3, output_step: 2e-3}\n"), half


class Drops(Case):
    cost = 3  # [s]

    @each(range(20))
    def test_drop(self, seed):
        """Nothing falls through the floor, hardly anything overlaps, and no step gains energy."""
        text, half = drop(seed)
        r = self.report("run", write(f"drop{seed}.yaml", text), "--out", f"drop{seed}.csv")
        t = table(f"drop{seed}.csv")
        total = [k + p for k, p in zip(t["energy.kinetic"], t["energy.potential"])]
        # lifting out of depths may gain some: 1e-4 of the energy at most in 220 drops
        self.assertLess(max(b - a for a, b in zip(total, total[1:])), 1e-4 * total[0])
        self.assertLess(r["energy"]["error"], 1e-3 * total[0])
        self.assertGreater(min(t["c.gap"]), -2e-3)
        for i, least in enumerate(half):
            self.assertGreater(min(t[f"b{i}.z"]), least - 1e-3)


BELT = """\
gravity: 9.81
bodies:
  belt: {{mass: 10, inertia: 1, position: [0, 0, -0.05], velocity: {velocity}}}
  box: {{mass: 2, inertia: 0.01, position: [0, 0, {height}]}}
joints:
  rail: {{type: prismatic, a: ground, b: belt, axis: {axis}, point: [0, 0, 0]}}
  d: {{type: driver, of: rail.distance, motion: {motion}}}
shapes:
  belt: {{type: box, size: [10, 2, 0.1]}}
  box: {{type: box, size: [0.2, 0.2, 0.2]}}
contacts: {{c: {{a: box, b: belt, law: rigid, restitution: {e}, friction: {{coefficient: 0.3}}}}}}
run: {{end: {end}, output_step: 0.02, contacts: captured, step: {step}}}
"""


class Driven(Run):
    """The work of drivers against contacts: the energy balance holds at every row."""

    def ends(self, bound, axis="[1, 0, 0]", motion="t", velocity="[1, 0, 0]", height=0.1, e=0, end=0.6,
             step=1e-3):
        last = self.last("belt", BELT.format(**{k: v for k, v in locals().items() if k != "self"}))
        t = table("belt.csv")
        total = [k + p + d for k, p, d in zip(t["energy.kinetic"], t["energy.potential"],
                                              t["energy.dissipated"])]
        self.assertLess(max(total) - min(total), bound)
        # what is not supplied is lost
        for lost, supplied, d in zip(t["energy.contact_loss"], t["energy.supplied"], t["energy.dissipated"]):
            self.assertAlmostEqual(lost - supplied, d, delta=bound)
        return last

    @each([0.1, 0.6])
    def test_belt(self, height):
        """m V^2 to take a box along that falls on the belt, half of it by friction; with bounces, too."""
        last = self.ends(1e-11, height=height, e=0.5, end=1.5)
        self.assertAlmostEqual(last["energy.supplied"], 2, delta=1e-9)
        self.assertAlmostEqual(last["box.vx"], 1, delta=1e-9)

    def test_lift(self):
        """(10 + 2)(g + 1)/2 for both, half a metre."""
        last = self.ends(1e-11, axis="[0, 0, 1]", motion="0.5*t^2", velocity="[0, 0, 0]", end=1)
        self.assertAlmostEqual(last["energy.supplied"], 64.86, delta=1e-9)

    def test_blows(self):
        """A plate that swings strikes the box again and again: the balance is of order 2."""
        errors = []
        for step in (4e-3, 1e-3):
            r = self.ends(1e-3, axis="[0, 0, 1]", motion="t/2 + 0.1*sin(5*t)", velocity="[0, 0, 1]",
                          height=0.3, e=0.7, end=2, step=step)
            self.assertGreater(r["energy.contact_loss"], 1)
            t = table("belt.csv")
            total = [t[f"energy.{x}"] for x in ("kinetic", "potential", "dissipated")]
            total = [sum(x) for x in zip(*total)]
            errors.append(max(abs(x - total[0]) for x in total))
        self.assertLess(errors[1], errors[0]/8)

    PLATE = """\
gravity: 9.81
bodies:
  plate: {mass: 5, inertia: 1, velocity: [0, 0, -0.4]}
  ball: {mass: 0.5, inertia: 0.002, position: [0, 0, HEIGHT], velocity: [0, 0, -0.4]}
joints:
  rail: {type: prismatic, a: ground, b: plate, axis: [0, 0, 1]}
  d: {type: driver, of: rail.distance, motion: MOTION}
shapes: {ball: {type: sphere, radius: 0.1}, plate: {type: plane}}
contacts: {c: {a: ball, b: plate, law: rigid, restitution: E}}
run: {end: 0.36, output_step: 1e-3, contacts: captured, step: 1e-3}
"""

    def plate(self, height, motion, e):
        text = self.PLATE.replace("HEIGHT", str(height)).replace("MOTION", motion).replace("E}", f"{e}}}")
        p = run("run", write("plate.yaml", text), "--out", "plate.csv")  # which warns of jumps
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertNotIn("balance", p.stderr)
        return table("plate.csv")

    @each(["-0.4*t", "-0.4*t + 0.3*t^2"])
    def test_momentum(self, motion):
        """The forces and the impulses of the driver are what changes the momentum of all bodies."""
        t = self.plate(0.15, motion, 0.6)
        done = 0
        for i, (time, force, impulse) in enumerate(zip(t["t"], t["d.multiplier"], t["d.impulse"])):
            done -= 1e-3 * force if i else 0
            gained = 5 * t["plate.vz"][i] + 0.5 * t["ball.vz"][i] + 5.5 * 0.4 + 5.5 * G * time
            self.assertAlmostEqual(done - impulse, gained, delta=1e-9)
        self.assertLess(t["d.impulse"][-1], -0.5)

    @each([0, 0.5, 1])
    def test_jump_under_a_ball(self, e):
        """A driver that jumps strikes what rests on its body: the blow passes through it."""
        jump = '"if(t < 0.3, -0.4*t, 0.6*t - 0.3)"'
        t = self.plate(0.1, jump, e)
        self.assertAlmostEqual(t["d.impulse"][-1], -5 - 0.5 * (1 + e), delta=1e-9)


class Model(Run):
    def test_tower(self):
        """The bundled model: a ball falls on a tower of three boxes."""
        model = f"{SOURCE}/models/contact/captured_boxes.yaml"
        self.good("run", model, "--out", "whole.csv")
        self.assertAlmostEqual(final("whole.csv")["top.z"], 0.25, delta=1e-6)
        self.assertAlmostEqual(final("whole.csv")["ball.z"], 0.35, delta=1e-6)


class Commands(Case):
    def test_verify(self):
        """Steps are compared with their halves and quarters: a block at rest is verified, bounces are not."""
        rest = self.good("verify", write("rest.yaml", SLOPE)).stdout
        for said in ("fixed step 0.002 s", "fixed step 0.0005 s", "fixed step 0.001 s", "1 across", "met"):
            self.assertIn(said, rest)
        # a time of impact has an error of a step, 1e-3 s at 4 m/s, beyond the tolerance of 1e-4
        p = run("verify", write("ball.yaml", BALL))
        self.assertEqual(p.returncode, 1)
        self.assertIn("NOT met", p.stdout)

    def test_tolerance(self):
        """A tolerance replaces a fixed step, but not the one by which contacts are captured."""
        r = self.report("run", write("rest.yaml", SLOPE), "--tol", "1e-5", "--out", "none")
        self.assertEqual((r["settings"]["step"], r["settings"]["rtol"]), (2e-3, 1e-5))

    def test_methods(self):
        self.assertIn("moreau", [m["name"] for m in json.loads(run("methods", "--json").stdout)["methods"]])
        self.assertIn("moreau", run("methods").stdout)


class Refused(Case):
    def test_check(self):
        write("ball.yaml", BALL)
        self.assertIn("contacts are captured", " ".join(run("check", "ball.yaml").stdout.split()))

    def test_expression(self):
        """Forces of captured contacts are known after a step: expressions cannot use them."""
        text = SLOPE + "outputs:\n  load: stand.force\n"
        self.bad(2, "run", write("load.yaml", text), "--out", "none")

    def test_settings(self):
        write("ball.yaml", BALL)
        for change, said in (((", step: 1e-3", ""), "needs fixed steps"),
                             (("end: 5", "end: 5, method: bdf"), "has the method moreau"),
                             (("contacts: captured", "method: moreau"), "belongs to contacts: captured"),
                             (("radius: 0.1", "radius: 0.1, length: 1, axis: [1, 0, 0]"), None),
                             (("type: sphere, radius: 0.1", "type: capsule, radius: 0.1, length: 0.3"),
                              "has no captured contact")):
            p = self.bad(2, "run", write("bad.yaml", BALL.replace(*change)), "--out", "none")
            if said:
                self.assertIn(said, p.stderr)


if __name__ == "__main__":
    main()
