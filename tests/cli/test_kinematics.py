"""`trammel kinematics`: motion and forces of driven mechanisms, compared with runs of the same models, with
closed forms and with an independent computation; what it refuses, and where it stops."""
import math
import os
import re

from common import SOURCE, Case, each, fewer_if_slow, main, table, write

STEWART = os.path.join(SOURCE, "models", "stewart_platform.yaml")

FOUR_BAR = """\
planar: true
gravity: 9.81
parameters: {a: 0.1, b: 0.35, c: 0.3, d: 0.4}
ground: {frames: {D: [d, 0]}}
bodies:
  crank: {mass: 0.2, inertia: 2e-4, position: [a/2, 0], frames: {A: [-a/2, 0], B: [a/2, 0]}}
  coupler:
    {mass: 0.7, inertia: 7e-3, position: [0.2, 0.12], orientation: 0.9, frames: {B: [-b/2, 0], C: [b/2, 0]}}
  rocker:
    {mass: 0.6, inertia: 5e-3, position: [0.38, 0.14], orientation: 1.4, frames: {D: [-c/2, 0], C: [c/2, 0]}}
joints:
  A: {type: revolute, a: ground, b: crank.A}
  B: {type: revolute, a: crank.B, b: coupler.B}
  C: {type: revolute, a: coupler.C, b: rocker.C}
  D: {type: revolute, a: ground.D, b: rocker.D}
  motor: {type: driver, of: A.angle, motion: 3*t + 2*t^2}
run: {end: 3, output_step: 0.05}
"""

SLIDER_CRANK = """\
gravity: [0, -9.81, 0]
bodies:
  crank: {mass: 1, inertia: [1e-4, 2e-3, 2e-3], position: [0.05, 0, 0], frames: {tip: [0.05, 0, 0]}}
  rod: {mass: 2, inertia: [1e-3, 0.02, 0.02], position: [0.25, 0, 0], frames: {big: [-0.15, 0, 0]}}
  piston: {mass: 1.5, inertia: 1e-3, position: [0.4, 0, 0]}
joints:
  main: {type: revolute, a: ground, b: crank, point: [0, 0, 0], axis: [0, 0, 1]}
  big: {type: spherical, a: crank.tip, b: rod.big}
  small: {type: universal, a: piston, b: rod, point: [0.4, 0, 0], axis: [1, 0, 0]}
  bore: {type: prismatic, a: ground, b: piston, axis: [1, 0, 0], point: [0, 0, 0]}
  motor: {type: driver, of: main.angle, motion: 20*t - sin(5*t)}
forces:
  gas: {type: applied, at: piston, force: ["-200*(1 + cos(main.angle))", 0, 0]}
run: {end: 1, output_step: 0.01}
"""

YOKE = """\
planar: true
gravity: 9.81
parameters: {r: 0.2, w: 9}
bodies:
  crank: {mass: 1, inertia: 0.01, position: [0, 0], frames: {pin: [r, 0]}}
  yoke:
    mass: 3
    inertia: 0.05
    position: [r, 0]
    frames: {slot: {orientation: {z: [0, 1, 0], x: [1, 0, 0]}}}
joints:
  hub: {type: revolute, a: ground, b: crank}
  pin: {type: point-on-line, a: yoke.slot, b: crank.pin}
  guide: {type: prismatic, a: ground, b: yoke, axis: [1, 0], point: [0, 0]}
  motor: {type: driver, of: hub.angle, motion: w*t}
run: {end: 1, output_step: 0.02}
"""

LEG = """\
planar: true
gravity: 9.81
parameters: {l: 0.5, x0: 0.2, y0: -0.8, k: "acos(hypot(x0, y0)/(2*l))", th: "atan2(y0, x0)"}
bodies:
  thigh:
    mass: 6
    inertia: 0.13
    position: [l/2*cos(th + k), l/2*sin(th + k)]
    orientation: th + k
    frames: {hip: [-l/2, 0], knee: [l/2, 0]}
  shank:
    mass: 3
    inertia: 0.07
    position: ["l*cos(th + k) + l/2*cos(th - k)", "l*sin(th + k) + l/2*sin(th - k)"]
    orientation: th - k
    frames: {knee: [-l/2, 0], foot: [l/2, 0]}
joints:
  hip: {type: revolute, a: ground, b: thigh.hip}
  knee: {type: revolute, a: thigh.knee, b: shank.knee}
  px: {type: driver, of: shank.foot.x, motion: x0*cos(5*t), actuators: [hip.angle, knee.angle]}
  py: {type: driver, of: shank.foot.y, motion: "y0 + 0.1*sin(5*t)", actuators: [hip.angle, knee.angle]}
run: {end: 1.3, output_step: 0.05}
"""

RSSR = """\
gravity: 9.81
bodies:
  crank: {mass: 1, inertia: [1e-3, 0.02, 0.02], position: [0.05, 0, 0], frames: {tip: [0.05, 0, 0]}}
  rod: {mass: 2, inertia: [1e-3, 0.06, 0.06], position: [0.3, 0.15, 0.1], frames: {b: [0.2, 0.15, 0.1]}}
  rocker:
    mass: 1.5
    inertia: [0.02, 1e-3, 0.02]
    position: [0.5, 0.3, 0.1]
    frames: {root: [0, 0, -0.1], tip: [0, 0, 0.1]}
joints:
  main: {type: revolute, a: ground, b: crank, point: [0, 0, 0], axis: [0, 0, 1]}
  s1: {type: universal, a: crank, b: rod, point: [0.1, 0, 0], axis: [0.4, 0.3, 0.2]}
  s2: {type: spherical, a: rod.b, b: rocker.tip}
  back: {type: revolute, a: ground, b: rocker.root, point: [0.5, 0.3, 0], axis: [0, 1, 0]}
  motor: {type: driver, of: main.angle, motion: 6*t + 0.3*sin(6*t)}
run: {end: 2.2, output_step: 0.05}
"""

MODELS = {"four_bar": FOUR_BAR, "slider_crank": SLIDER_CRANK, "yoke": YOKE, "leg": LEG, "rssr": RSSR}

# all motion driven, with steps that nothing but the drivers limit
LEGS = """\
planar: true
gravity: 9.81
parameters: {l: 0.45}
bodies:
  trunk: {mass: 40, inertia: 2, position: [0, 1]}
  thigh:
    mass: 7
    inertia: 0.12
    position: [0, 1 - l/2]
    orientation: -pi/2
    frames: {hip: [-l/2, 0], knee: [l/2, 0]}
  shank: {mass: 3, inertia: 0.05, position: [0, 1 - 3*l/2], orientation: -pi/2, frames: {knee: [-l/2, 0]}}
joints:
  guide: {type: prismatic, a: ground, b: trunk, point: [0, 1], axis: [1, 0]}
  hip: {type: revolute, a: trunk, b: thigh.hip}
  knee: {type: revolute, a: thigh.knee, b: shank.knee}
  d0: {type: driver, of: guide.distance, motion: 1.2*t}
  d1: {type: driver, of: hip.angle, motion: "-pi/2 + 0.4*sin(2*pi*t)"}
  d2: {type: driver, of: knee.angle, motion: "-0.5 + 0.5*cos(2*pi*t) - 0.2*sin(4*pi*t)"}
run: {end: 4, output_step: 0.1}
"""

# a crank and a rocker of equal length: both lines coincide when the crank has turned by half a turn
PARALLELOGRAM = """\
planar: true
bodies:
  left: {mass: 1, inertia: 0.01, position: [0, 0.1], orientation: pi/2, frames: {a: [-0.1, 0], b: [0.1, 0]}}
  bar: {mass: 1, inertia: 0.03, position: [0.25, 0.2], frames: {a: [-0.25, 0], b: [0.25, 0]}}
  right:
    {mass: 1, inertia: 0.01, position: [0.5, 0.1], orientation: pi/2, frames: {a: [-0.1, 0], b: [0.1, 0]}}
joints:
  A: {type: revolute, a: ground, b: left.a}
  B: {type: revolute, a: left.b, b: bar.a}
  C: {type: revolute, a: bar.b, b: right.b}
  D: {type: revolute, a: ground, b: right.a, point: [0.5, 0]}
  motor: {type: driver, of: A.angle, motion: pi/2 + 2*t}
run: {end: 2, output_step: 0.05}
"""


def solve(rows, right):
    """Gaussian elimination with partial pivoting."""
    n = len(right)
    a = [list(row) + [b] for row, b in zip(rows, right)]
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(a[i][k]))
        a[k], a[p] = a[p], a[k]
        for i in range(k + 1, n):
            f = a[i][k] / a[k][k]
            for j in range(k, n + 1):
                a[i][j] -= f * a[k][j]
    x = [0.0] * n
    for k in reversed(range(n)):
        x[k] = (a[k][n] - sum(a[k][j] * x[j] for j in range(k + 1, n))) / a[k][k]
    return x


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def times(m, v):
    return [sum(m[i][j] * v[j] for j in range(3)) for i in range(3)]


def rotation(q):
    w, x, y, z = q
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]


class Agreement(Case):
    """All channels of kinematics are those of a run."""

    @each(MODELS)
    def test_with_run(self, name):
        model = write(f"kin_{name}.yaml", MODELS[name])
        a, b = f"kin_{name}_a.csv", f"kin_{name}_b.csv"
        report = self.report("kinematics", model, "--csv", a)
        self.good("run", model, "--csv", b, "--method", "bdf", "--tol", "1e-9", "--quiet")
        self.assertEqual(report["command"], "kinematics")
        self.assertLess(report["residuals"]["position"], 1e-13)
        self.assertLess(report["energy"]["error"], 1e-6 * report["energy"]["scale"])  # quadrature
        x, y = table(a), table(b)
        self.assertEqual(list(x), list(y))
        for channel, values in x.items():
            if channel.startswith(("constraint.", "energy.")) or channel == "step":
                continue
            scale = 1 + max(map(abs, y[channel]))
            worst = max(abs(u - v) for u, v in zip(values, y[channel]))
            self.assertLess(worst, 2e-6 * scale, channel)

    def test_yoke_closed_form(self):
        """x = r cos(w t): torque of the motor = power over speed, with the energy of yoke and crank."""
        self.good("kinematics", write("kin_yoke.yaml", YOKE), "--csv", "kin_yoke.csv", "--quiet")
        x = table("kin_yoke.csv")
        for t, at, torque in zip(x["t"], x["yoke.x"], x["motor.multiplier"]):
            self.assertAlmostEqual(at, 0.2 * math.cos(9 * t), delta=1e-13)
            want = 3 * 0.2**2 * 9**2 * math.sin(9 * t) * math.cos(9 * t)  # power/w of the yoke
            self.assertAlmostEqual(-torque, want, delta=1e-11)

    def test_leg_torques(self):
        """Joint torques and foot motion deliver the same power as the energy changes."""
        model = write("kin_leg.yaml", LEG + "outputs: {wh: hip.rate, wk: knee.rate}\n")
        self.good("kinematics", model, "--csv", "kin_leg.csv", "--quiet", "--output-step", "1e-3")
        x = table("kin_leg.csv")
        energy = [a + b for a, b in zip(x["energy.kinetic"], x["energy.potential"])]
        for k in range(1, len(energy) - 1, 50):
            power = x["hip.angle_torque"][k] * x["wh"][k] + x["knee.angle_torque"][k] * x["wk"][k]
            slope = (energy[k + 1] - energy[k - 1]) / 2e-3
            self.assertAlmostEqual(power, slope, delta=2e-4 * (1 + abs(slope)))  # error of the difference
        self.assertEqual(max(map(abs, x["px.multiplier"] + x["py.multiplier"])), 0)


class Radau(Case):
    @each(fewer_if_slow("Radau, all but one method", ("radau5",),
                        ("radau3", "radau5", "ggl-radau3", "ggl-radau5"), "a minute"))
    def test_without_freedom(self, method):
        """Steps neither fall to nothing nor leave joints open, at loose tolerances too."""
        model = write("kin_legs.yaml", LEGS)
        self.good("kinematics", model, "--csv", "kin_legs_a.csv", "--quiet")
        a = table("kin_legs_a.csv")
        for tol in ("1e-2", "1e-3", "1e-4", "1e-6"):
            out = f"kin_legs_{method}.csv"
            r = self.report("run", model, "--method", method, "--tol", tol, "--csv", out)
            self.assertLess(r["counters"]["steps"], 500)
            self.assertLess(r["residuals"]["position"], 1e-12)
            self.assertLess(r["residuals"]["velocity"], 1e-10)
            b = table(out)
            for channel in ("shank.x", "shank.y", "knee.fx", "d1.multiplier"):
                scale = 1 + max(map(abs, a[channel]))
                worst = max(abs(u - v) for u, v in zip(a[channel], b[channel]))
                self.assertLess(worst, 1e-9 * scale, (tol, channel))


class Stewart(Case):
    def test_forces_of_massless_legs(self):
        """Equilibrium of the platform alone, by its motion in the results."""
        self.good("kinematics", STEWART, "--set", "cylinder=0", "--set", "rod=0", "--csv", "kin_s.csv",
                  "--quiet", "--output-step", "0.01")
        x = table("kin_s.csv")
        w, rb, rp, z0, m, inertia = math.pi, 0.8, 0.45, 0.9, 120, [7, 7, 13]
        base = [math.radians(a) for a in (-10, 10, 110, 130, 230, 250)]
        top = [math.radians(a) for a in (-50, 50, 70, 170, 190, 290)]
        for k in range(1, len(x["t"]) - 1, 9):
            t = x["t"][k]
            q = [x[f"platform.q{i}"][k] for i in range(4)]
            R = rotation(q)
            omega = [x[f"platform.w{c}"][k] for c in "xyz"]  # body frame
            h = 1e-5
            alpha = [(b - a) / (2 * h) for a, b in zip(self.spin(t - h), self.spin(t + h))]
            for got, want in zip(omega, self.spin(t)):
                self.assertAlmostEqual(got, want, delta=1e-8)
            one, two = math.cos(w * t), math.cos(2 * w * t)
            position = [0.1 * (1 - one), 0.05 * (1 - two), z0 + 0.08 * (1 - two)]
            force = [0.1 * w * w * one * m, 0.2 * w * w * two * m, (0.32 * w * w * two + 9.81) * m]
            spin = [inertia[i] * omega[i] for i in range(3)]
            moment = times(R, [inertia[i] * alpha[i] + cross(omega, spin)[i] for i in range(3)])
            columns = []
            for i in range(6):
                arm = times(R, [rp * math.cos(top[i]), rp * math.sin(top[i]), 0])
                foot = [rb * math.cos(base[i]), rb * math.sin(base[i]), 0]
                leg = [position[c] + arm[c] - foot[c] for c in range(3)]
                length = math.hypot(*leg)
                self.assertAlmostEqual(x[f"leg{i + 1}.distance"][k], length, delta=1e-12)
                e = [c / length for c in leg]
                columns.append(e + cross(arm, e))
            want = solve([[columns[i][r] for i in range(6)] for r in range(6)], force + moment)
            for i in range(6):
                self.assertAlmostEqual(x[f"leg{i + 1}.distance_force"][k], want[i], delta=1e-4)
            self.assertEqual(max(abs(x[f"path.f{c}"][k]) for c in "xyz"), 0)

    @staticmethod
    def spin(t):
        """Angular velocity in body axes of R = Rz(yaw) Ry(pitch) Rx(roll)."""
        w, deg = math.pi, math.pi / 180
        roll, pitch = 6 * deg * (1 - math.cos(w * t)), 4 * deg * (1 - math.cos(2 * w * t))
        p, q = 6 * deg * w * math.sin(w * t), 8 * deg * w * math.sin(2 * w * t)
        r = 10 * deg * w * math.sin(w * t)
        return [p - r * math.sin(pitch), q * math.cos(roll) + r * math.sin(roll) * math.cos(pitch),
                -q * math.sin(roll) + r * math.cos(roll) * math.cos(pitch)]

    def test_power_of_legs_with_inertia(self):
        outputs = write("kin_stewart.yaml", "include: " + STEWART + "\noutputs:\n" +
                        "".join(f"  p{i}: leg{i}.distance_force*leg{i}.speed\n" for i in range(1, 7)))
        self.good("kinematics", outputs, "--csv", "kin_p.csv", "--quiet", "--output-step", "1e-3", "--end",
                  "1", "--allow-path", os.path.dirname(STEWART))
        x = table("kin_p.csv")
        energy = [a + b for a, b in zip(x["energy.kinetic"], x["energy.potential"])]
        for k in range(1, len(energy) - 1, 40):
            power = sum(x[f"p{i}"][k] for i in range(1, 7))
            slope = (energy[k + 1] - energy[k - 1]) / 2e-3
            self.assertAlmostEqual(power, slope, delta=1e-4 * (10 + abs(slope)))

    @each(fewer_if_slow("Stewart.test_methods, all but two", ("genalpha", "erk8"),
                        ("genalpha", "bdf", "radau5", "ggl", "erk8", "adams", "infl-sdirk"), "minutes"))
    def test_methods(self, method):
        """Every method follows the pose, with the same forces in the legs."""
        end = "0.3"
        self.good("kinematics", STEWART, "--csv", f"kin_{method}_a.csv", "--quiet", "--end", end)
        self.good("run", STEWART, "--method", method, "--csv", f"kin_{method}_b.csv", "--quiet", "--end", end,
                  "--tol", "1e-6")
        a, b = table(f"kin_{method}_a.csv"), table(f"kin_{method}_b.csv")
        for channel in ["platform.x", "platform.q3", "rod3.z"] + [f"leg{i}.distance" for i in range(1, 7)]:
            self.assertLess(max(abs(u - v) for u, v in zip(a[channel], b[channel])), 1e-9, channel)
        for i in range(1, 7):
            u, v = a[f"leg{i}.distance_force"], b[f"leg{i}.distance_force"]
            self.assertLess(max(abs(p - q) for p, q in zip(u, v)), 1e-5 * max(map(abs, u)))


class Refusals(Case):
    def test_free_coordinates(self):
        motor = "  motor: {type: driver, of: A.angle, motion: 3*t + 2*t^2}\n"
        model = write("kin_free.yaml", FOUR_BAR.replace(motor, ""))
        p = self.bad(2, "kinematics", model, "--out", "none")
        self.assertIn("1 degree of freedom is not driven: 'crank', 'coupler', 'rocker' can move", p.stderr)
        self.assertRegex(p.stderr, r"Add drivers, for instance of '[ABCD]\.angle'")

    def test_states(self):
        model = write("kin_state.yaml", YOKE + "states: {z: {rate: -z, start: 1}}\n")
        self.assertIn("the first-order state 'z' must be integrated", self.bad(2, "kinematics", model).stderr)

    def test_actuators_that_cannot(self):
        model = write("kin_weak.yaml", LEG.replace("[hip.angle, knee.angle]", "[knee.angle]"))
        p = self.bad(2, "kinematics", model, "--out", "none")
        self.assertIn("the 1 actuators cannot exert the forces of the drivers at t = 0 s", p.stderr)
        model = write("kin_name.yaml", LEG.replace("[hip.angle, knee.angle]", "[hip.angle, nee.angle]"))
        p = self.bad(2, "kinematics", model, "--out", "none")
        self.assertIn("kin_name.yaml:20:72: error: unknown name 'nee.angle'", p.stderr)
        self.assertIn("knee.angle", p.stderr)

    def test_pose_without_coordinates(self):
        text = "bodies: {a: {mass: 1}}\njoints: {p: {type: pose, a: ground, b: a}}\nrun: {end: 1}\n"
        p = self.bad(2, "kinematics", write("kin_none.yaml", text))
        self.assertIn("a pose needs at least one of x, y, z, roll, pitch and yaw", p.stderr)

    def test_pose_out_of_the_plane(self):
        text = ("planar: true\nbodies: {a: {mass: 1, inertia: 1}}\n"
                "joints: {p: {type: pose, a: ground, b: a, x: t, y: 0, roll: t}}\nrun: {end: 1}\n")
        p = self.bad(2, "kinematics", write("kin_roll.yaml", text))
        self.assertIn("joint 'p' acts on a coordinate that is constant in a planar model", p.stderr)

    def test_gear_of_one_angle(self):
        """Two pins of the same bodies have the same angle: a gear of ratio 1 between them does nothing."""
        text = ("planar: true\nbodies: {a: {mass: 1, inertia: 1}}\njoints:\n"
                "  p: {type: revolute, a: ground, b: a}\n"
                "  q: {type: revolute, a: ground, b: a, point: [1, 0]}\n"
                "  g: {type: gear, first: p.angle, second: q.angle, ratio: %g}\nrun: {end: 1}\n")
        p = self.bad(2, "run", write("kin_gear.yaml", text % 1), "--out", "none")
        self.assertIn("kin_gear.yaml:6:3: error: joint 'g' has no effect: what it couples has this ratio in "
                      "any motion", p.stderr)


class Singular(Case):
    def test_change_point(self):
        """The parallelogram is flat when the crank angle is pi, at t = pi/4."""
        r = self.report("kinematics", write("kin_flat.yaml", PARALLELOGRAM), "--csv", "kin_flat.csv", code=1)
        message = r["error"]["message"]
        self.assertIn("singular configuration at t = 0.785398", message)
        self.assertRegex(message, "joint '[ABCD]|joint 'motor'")
        self.assertLess(max(table("kin_flat.csv")["t"]), math.pi / 4)

    def test_limit(self):
        """A crank longer than it could turn: the rod is stretched at some angle."""
        model = write("kin_lock.yaml", FOUR_BAR.replace("a: 0.1,", "a: 0.3,").replace("3*t + 2*t^2", "t"))
        r = self.report("kinematics", model, "--csv", "kin_lock.csv", code=1)
        message = r["error"]["message"]
        # the largest distance of B from D is b + c: a^2 + d^2 - 2 a d cos(angle) = (b + c)^2
        angle = math.acos((0.3**2 + 0.4**2 - 0.65**2) / (2 * 0.3 * 0.4))
        t = float(re.search(r"singular configuration at t = ([\d.]+) s", message).group(1))
        self.assertAlmostEqual(t, angle, delta=1e-5)
        self.assertIn("against a limit of its motion", message)


class Poses(Case):
    BODY = ("gravity: 9.81\nbodies:\n  a: {mass: 2, inertia: [1, 2, 2.5], position: [1, 0, 0]}\n"
            "ground: {frames: {g: {position: [0, 0, 0], orientation: {euler: [0.3, -0.2, 0.5]}}}}\n")

    def test_reaction(self):
        """The wrench of the pose carries the body."""
        model = write("kin_pose.yaml", self.BODY + "joints: {p: {type: pose, a: ground, b: a, x: 1 + 3*t^2, "
                      "y: 0, z: 0, roll: 0, pitch: 0, yaw: 2*t^2}}\nrun: {end: 3, output_step: 0.1}\n")
        self.good("kinematics", model, "--csv", "kin_pose.csv", "--quiet")
        x = table("kin_pose.csv")
        for k, t in enumerate(x["t"]):
            got = [x["p." + c][k] for c in ("fx", "fy", "fz", "mx", "my", "mz")]
            for g, want in zip(got, (12, 0, 2 * 9.81, 0, 0, 2.5 * 4)):
                self.assertAlmostEqual(g, want, delta=1e-10)
            self.assertAlmostEqual(x["p.yaw"][k], 2 * t * t, delta=1e-12)  # several turns, counted

    def test_subset(self):
        """Two coordinates prescribed, the others free: in a run."""
        model = write("kin_sub.yaml", self.BODY + "joints: {p: {type: pose, a: ground.g, b: a, x: 1 + t, "
                      "pitch: 0.3*sin(t)}}\nrun: {end: 1, output_step: 0.1}\n")
        self.good("run", model, "--csv", "kin_sub.csv", "--quiet")
        x = table("kin_sub.csv")
        for t, at, pitch in zip(x["t"], x["p.x"], x["p.pitch"]):
            self.assertAlmostEqual(at, 1 + t, delta=1e-9)
            self.assertAlmostEqual(pitch, 0.3 * math.sin(t), delta=1e-9)
        p = self.bad(2, "kinematics", model)
        self.assertIn("4 degrees of freedom are not driven", p.stderr)

    def test_table(self):
        model = write("kin_tab.yaml", self.BODY + "tables: {path: {points: [[0, 0], [1, 0.5], [2, 0.2], "
                      "[3, 0]], interpolation: spline}}\njoints: {p: {type: pose, a: ground, b: a, x: 1, "
                      "y: path(t), z: path(t)/2, roll: path(t), pitch: 0, yaw: -path(t)}}\n"
                      "run: {end: 3, output_step: 0.5}\n")
        self.good("kinematics", model, "--csv", "kin_tab.csv", "--quiet")
        x = table("kin_tab.csv")
        self.assertEqual([round(v, 12) for v in x["a.y"][::2]], [0, 0.5, 0.2, 0])

    def test_planar(self):
        """A plate moved in the plane: moment J yaw'' - (r x F) at a frame off the centre."""
        text = ("planar: true\ngravity: 9.81\nbodies: {a: {mass: 2, inertia: 0.3, frames: {f: [0.4, 0]}}}\n"
                "joints: {p: {type: pose, a: ground, b: a.f, x: 0.4, y: 0, yaw: 1.5*t^2}}\nrun: {end: 2}\n")
        self.good("kinematics", write("kin_plane.yaml", text), "--csv", "kin_plane.csv", "--quiet")
        x = table("kin_plane.csv")
        for k, t in enumerate(x["t"]):  # a pendulum about the frame
            angle, rate = 1.5 * t * t, 3 * t
            arm = [-0.4 * math.cos(angle), -0.4 * math.sin(angle)]
            a = [-3 * arm[1] - rate**2 * arm[0], 3 * arm[0] - rate**2 * arm[1]]
            want = [2 * a[0], 2 * (a[1] + 9.81), (0.3 + 2 * 0.16) * 3 + 2 * 9.81 * arm[0]]
            for c, w in zip(("fx", "fy", "mz"), want):
                self.assertAlmostEqual(x["p." + c][k], w, delta=1e-9)

    def test_gimbal_lock(self):
        """At a pitch of a quarter turn roll and yaw are the same motion."""
        model = write("kin_gimbal.yaml", self.BODY + "joints: {p: {type: pose, a: ground, b: a, x: 1, y: 0, "
                      "z: 0, roll: 0.1, pitch: t, yaw: 0}}\nrun: {end: 2, output_step: 0.1}\n")
        r = self.report("kinematics", model, "--out", "none", code=1)
        self.assertIn("at t = 1.57", r["error"]["message"])


class Impulses(Case):
    def test_jump_of_speed(self):
        """A block that starts to move at once: impulse m v, and rows before and after."""
        text = ("bodies: {a: {mass: 2, inertia: 1}}\njoints:\n"
                "  s: {type: prismatic, a: ground, b: a, axis: [1, 0, 0]}\n"
                "  d: {type: driver, of: s.distance, motion: 'if(t < 0.5, 0, 3*(t - 0.5))'}\n"
                "run: {end: 1, output_step: 0.2}\n")
        r = self.report("kinematics", write("kin_jump.yaml", text), "--csv", "kin_jump.csv")
        self.assertEqual(r["impulse_count"], 1)
        impulse = r["impulses"][0]
        self.assertEqual((impulse["joint"], impulse["jump"]), ("d", 3))
        self.assertAlmostEqual(impulse["t"], 0.5, delta=1e-12)
        self.assertAlmostEqual(abs(impulse["value"]), 6, delta=1e-12)
        self.assertAlmostEqual(impulse["work"], 9, delta=1e-12)
        x = table("kin_jump.csv")
        rows = [i for i, t in enumerate(x["t"]) if abs(t - 0.5) < 1e-9]
        self.assertEqual([round(x["a.vx"][i], 9) for i in rows], [0, 3])
        energy = [a + b for a, b in zip(x["energy.kinetic"], x["energy.dissipated"])]
        self.assertEqual([round(energy[i], 9) for i in rows], [0, 0])
        self.assertEqual([round(t, 9) for t in x["t"]], [0, 0.2, 0.4, 0.5, 0.5, 0.6, 0.8, 1])


class Accelerations(Case):
    def test_crank(self):
        """Second derivatives of frames, joint coordinates and orientations, in kinematics and in runs."""
        text = LEGS.replace("run: {", "outputs: {ax: shank.knee.ax, ay: shank.knee.ay, al: thigh.alz, "
                            "hip2: hip.angle_acceleration, xx: guide.distance_acceleration}\nrun: {")
        model = write("kin_acc.yaml", text)
        self.good("kinematics", model, "--csv", "kin_acc.csv", "--quiet")
        self.good("run", model, "--csv", "kin_acc_run.csv", "--quiet", "--method", "bdf")
        w, x, y = 2 * math.pi, table("kin_acc.csv"), table("kin_acc_run.csv")
        for k, t in enumerate(x["t"]):
            angle = -math.pi / 2 + 0.4 * math.sin(w * t)
            rate, second = 0.4 * w * math.cos(w * t), -0.4 * w * w * math.sin(w * t)
            want = {"al": second, "hip2": second, "xx": 0,
                    "ax": 0.45 * (-second * math.sin(angle) - rate**2 * math.cos(angle)),
                    "ay": 0.45 * (second * math.cos(angle) - rate**2 * math.sin(angle))}
            for name, value in want.items():
                self.assertAlmostEqual(x[name][k], value, delta=1e-10)
                self.assertAlmostEqual(y[name][k], value, delta=1e-8)

    def test_outputs_only(self):
        model = write("kin_acc_law.yaml", YOKE + "events: {e: {when: yoke.ax}}\n")
        p = self.bad(2, "run", model)
        self.assertIn("'yoke.ax' cannot be used here: accelerations are available in outputs only", p.stderr)


class Redundant(Case):
    def test_spatial_four_bar(self):
        """Parallel hinges in space: redundant rows, minimum-norm reactions as in a run."""
        text = FOUR_BAR.replace("planar: true\ngravity: 9.81", "gravity: [0, -9.81, 0]")
        text = text.replace("{D: [d, 0]}", "{D: [d, 0, 0]}")
        for name in ("a", "b", "c"):
            text = text.replace(f"[-{name}/2, 0]", f"[-{name}/2, 0, 0]")
            text = text.replace(f"[{name}/2, 0]", f"[{name}/2, 0, 0]")
        text = text.replace("[0.2, 0.12]", "[0.2, 0.12, 0]").replace("[0.38, 0.14]", "[0.38, 0.14, 0]")
        model = write("kin_space.yaml", text)
        r = self.report("kinematics", model, "--csv", "kin_space_a.csv")
        self.assertEqual(r["counters"]["repeated_constraints"], 3)
        self.assertTrue(r["repeated"])
        self.good("run", model, "--csv", "kin_space_b.csv", "--method", "bdf", "--tol", "1e-8", "--quiet")
        a, b = table("kin_space_a.csv"), table("kin_space_b.csv")
        for channel in ("motor.multiplier", "C.fx", "C.fy", "D.mz", "B.mx"):
            scale = 1 + max(map(abs, b[channel]))
            self.assertLess(max(abs(u - v) for u, v in zip(a[channel], b[channel])), 1e-5 * scale, channel)


if __name__ == "__main__":
    main()
