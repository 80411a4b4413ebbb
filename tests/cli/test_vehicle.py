"""The 14-body vehicle over its bump: joints counted, stiffness, times of the bump, settling, methods against
each other."""
import json
import os

from common import SOURCE, Case, main, read, run, skip_if_slow, table, write

PATH = os.path.join(SOURCE, "models", "hmmwv.yaml")
HINGED = os.path.join(SOURCE, "models", "hmmwv_revolute.yaml")
FRONT, REAR = ("wheel_front_left", "wheel_front_right"), ("wheel_rear_left", "wheel_rear_right")
SPEED, RADIUS, BUMP = 4.4704, 0.4699, 0.05
REACH = (BUMP * (BUMP + 2 * RADIUS)) ** 0.5  # a disc meets the bump this far before its middle


def check(path, *options):
    return json.loads(run("check", path, "--json", *options).stdout)


def drive(path, *options):
    p = run("run", path, "--out", "none", "--csv", "vehicle.csv", "--json", *options)
    if p.returncode:
        raise AssertionError(p.stderr)
    return table("vehicle.csv"), json.loads(p.stdout)


def times(columns, start, step=0.01):
    """First row after which a column leaves its value at `start` by more than a millimetre."""
    first = round(start / step)
    return [next(t for t, x in zip(columns["t"][first:], c[first:]) if abs(x - c[first]) > 1e-3) for c in
            (columns[name] for name in FRONT + REAR)]


class Counts(Case):
    def test_stiff(self):
        r = check(PATH)
        rows = {}
        for j in r["joints"]:
            rows[j["type"]] = rows.get(j["type"], 0) + j["rows"]
        self.assertEqual(rows, {"fixed": 6, "revolute": 20, "spherical": 36, "distance": 4})
        self.assertEqual((len(r["bodies"]), r["coordinates"], r["constraint_rows"], r["rank"],
                          r["degrees_of_freedom"]), (14, 84, 66, 66, 18))
        self.assertAlmostEqual(sum(b["mass"] for b in r["bodies"]), 2576.924, delta=1e-3)

    def test_hinged(self):
        r = check(HINGED)
        self.assertEqual((len(r["bodies"]), r["coordinates"], r["rank"], r["degrees_of_freedom"]),
                         (14, 84, 73, 11))
        fastest = max(abs(complex(*e)) for e in r["spectrum"]["eigenvalues"])
        self.assertLess(fastest, 300)  # nothing stiff: wheels on overdamped springs

    def test_dominant_eigenvalue(self):
        """Four upper arms twist against 2e6 N s/m on small inertias: real roots near -2.6e5 1/s."""
        roots = sorted(check(PATH)["spectrum"]["eigenvalues"])
        self.assertAlmostEqual(roots[0][0], -2.6e5, delta=0.1e5)
        self.assertLess(abs(roots[0][1]), 1)
        self.assertGreater(roots[4][0], -2e3)  # then a gap
        # twice the lever, four times the damping of the twist
        twice = sorted(check(PATH, "--set", "arm=0.134")["spectrum"]["eigenvalues"])
        self.assertAlmostEqual(twice[0][0] / roots[0][0], 4, delta=0.2)


class Bump(Case):
    def test_times_and_settling(self):
        c, r = drive(PATH)
        # wheels start 3.884 m - 1.649 m and 3.884 m + 1.653 m before the middle of the bump
        front, rear = (3.884 - 1.648965 - REACH) / SPEED, (3.884 + 1.652965 - REACH) / SPEED
        found = times(c, 0.4)[:2] + times(c, 1.1)[2:]
        for t, expected in zip(found, (front, front, rear, rear)):
            self.assertGreater(t, expected)
            self.assertLess(t, expected + 0.03)  # a row later, and the tyre gives way
        self.assertLess(abs(c["t"][c["wheel_front_left"].index(max(c["wheel_front_left"]))] - 0.5), 0.05)
        self.assertLess(abs(c["t"][c["wheel_rear_left"].index(max(c["wheel_rear_left"]))] - 1.24), 0.05)
        # near equilibrium at the start, and back there at the end
        rest = c["height"][-1]
        self.assertAlmostEqual(c["height"][0], rest, delta=1e-3)
        self.assertGreater(max(c["height"]), rest + 0.015)
        self.assertLess(max(abs(h - rest) for h in c["height"][250:]), 1e-4)
        self.assertAlmostEqual(sum(c["load_" + w[6:]][-1] for w in FRONT + REAR), 2576.924 * 9.81, delta=5)
        for x in ("roll", "chassis.y"):
            self.assertLess(max(map(abs, c[x])), 1e-9)  # the vehicle is its own mirror image
        self.assertAlmostEqual(c["chassis.vx"][-1], SPEED, delta=1e-4)  # vertical forces do not slow it
        self.assertEqual(r["counters"]["switches"], 4)  # left and right wheels together
        self.assertLess(abs(r["energy"]["error"]), 1e-4 * r["energy"]["scale"])

    def test_factors_follow_the_step(self):
        """With bushings of -2.6e5 1/s factors of another step size make corrections fall slowly."""
        c = drive(PATH, "--method", "radau5")[1]["counters"]
        trials = c["steps"] + c["rejected_error"] + c["rejected_newton"]
        self.assertLess(c["iterations"], 2.6 * trials)  # 2.84 if they are kept up to twice the step

    def test_no_tiny_steps_at_kinks(self):
        """Bushings take up the force of a kink in 4e-6 s, with less than a tenth of a tolerance."""
        r = drive(PATH, "--method", "radau5")[1]
        self.assertGreater(r["step_size"]["min"], 4e-5)

    def test_hinges_and_bushings_agree(self):
        """Stiff bushings are almost hinges: heights differ by less than a millimetre."""
        a, b = drive(PATH)[0], drive(HINGED)[0]
        self.assertLess(max(abs(x - y) for x, y in zip(a["height"], b["height"])), 1e-3)

    def test_lift_off(self):
        """Tyres that cannot pull: the wheels leave the road behind the bump and come back."""
        write("lift.yaml", read(os.path.join(SOURCE, "models", "parts",
                                             "hmmwv.yaml")).replace("contact: false", "contact: true"))
        write("lifting.yaml", read(PATH).replace("parts/hmmwv.yaml", "lift.yaml"))
        c, r = drive("lifting.yaml", "--method", "bdf")
        loads = c["load_front_left"]
        self.assertEqual(min(loads), 0)
        self.assertGreaterEqual(r["counters"]["switches"], 8)
        self.assertAlmostEqual(c["height"][-1], 0.68755, delta=1e-4)
        self.assertGreater(max(c["height"]), max(drive(PATH)[0]["height"]))  # nothing pulls it down
        self.assertLess(abs(r["energy"]["error"]), 1e-3 * r["energy"]["scale"])


@skip_if_slow("half a minute")
class Methods(Case):
    cost = 9  # [s]

    def test_agree(self):
        """Largest difference of the chassis height to a better run, well below the tolerance (times 2 m)."""
        best = drive(PATH, "--method", "radau5", "--tol", "1e-7")[0]["height"]
        for method in ("bdf", "radau5", "ggl", "genalpha"):
            for tol in (1e-2, 1e-3, 1e-4):
                if method == "genalpha" and tol < 1e-3:
                    continue  # order 2 takes 12 000 steps
                with self.subTest(method=method, tol=tol):
                    c, _ = drive(PATH, "--method", method, "--tol", str(tol))
                    error = max(abs(x - y) for x, y in zip(c["height"], best))
                    self.assertLess(error, 0.1 * tol)


if __name__ == "__main__":
    main()
