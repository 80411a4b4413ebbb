"""Every bundled model runs to its end, keeps its energy balance, and gives the same with every linear
solver."""
import glob
import json
import math
import os

from common import SLOW, SOURCE, Case, each, fewer_if_slow, fewer_unless_long, main, read, run, table

# constraints that repeat others or come to depend on each other have tests of their own: test_redundant,
# test_singular; beams: test_beams; modal bodies: test_reduce; bristles, which methods of order 2 follow in a
# million steps: tests/sim/test_friction.c
APART = ("redundant_", "singular_", "folded_", "beam_", "modal_", "stick_slip",
         *fewer_unless_long(("rolling_disc", "friction_arm"), ()))  # a minute
MODELS = {os.path.basename(p)[:-5]: p for p in sorted(glob.glob(os.path.join(SOURCE, "models", "*.yaml")))
          if not os.path.basename(p).startswith(APART)}
CONSERVATIVE = ("chain", "double_pendulum", "flail", "four_bar", "heavy_top", "pendulum", "spring_pendulum",
                "trammel_of_archimedes")

METHODS = fewer_if_slow("all but four methods, and tolerances below 1e-3",
                        ("genalpha", "newmark", "for-sdirk", "infl-sdirk"), (
    "genalpha", "genalpha --placement inner", "hht", "newmark", "midpoint", "decay",
    "conserve",
    "ssp-trap --tol 1e-4", "ssp-sdirk", "infl-trap --tol 1e-4", "infl-sdirk", "for-sdirk", "for-rosen",
    "baumgarte", "trust-region", "direct-reg"), "minutes")
# positions are fed back, not solved; only in builds with IDA
REGULARIZED = ("baumgarte", "trust-region", "direct-reg")

MEANS = ("decay", "conserve")
STICKS = ("friction_arm",)  # their estimates do not settle where friction sticks: docs/theory/decay.md

# Fixed steps short against the model's own motion, and an end after a few dozen of them.
STEPS = {"andrews": 1e-5, "heavy_top": 1e-3, "stiff_double_pendulum": 1e-3}


class Runs(Case):
    cost = 75  # [s]

    def test_models(self):
        self.assertGreaterEqual(len(MODELS), 11)

    @each(METHODS)
    def test(self, method):
        listed = {m["name"] for m in json.loads(run("methods", "--json").stdout)["methods"]}
        if method in REGULARIZED and method not in listed:
            self.skipTest("built without IDA")
        first = METHODS.index(method) % 2
        some = fewer_unless_long(list(MODELS)[first::2], list(MODELS))  # every second one, by turns
        for name in some:
            path = MODELS[name]
            if method in MEANS and name in STICKS:
                continue
            with self.subTest(model=name):
                self.run_one(name, path, method)

    def run_one(self, name, path, method):
        out = name + ".csv"
        loose = ("--tol", "1e-3") if SLOW else ()
        p = run("run", path, "--csv", out, "--json", "--method", *method.split(), *loose)
        self.assertEqual((p.returncode, p.stderr), (0, ""), p.stdout)
        r = json.loads(p.stdout)
        c = table(out)
        self.assertEqual(len(c["t"]), r["rows"])
        self.assertAlmostEqual(c["t"][-1], r["settings"]["end"], delta=1e-9 * r["settings"]["end"])
        for column, values in c.items():
            self.assertTrue(all(map(math.isfinite, values)), column)
        # rows held while a singular position is passed are open by less than the tolerance
        singular = r["counters"]["singular_positions"] > 0
        self.assertLess(r["residuals"]["position"], 1e-5 if singular or method in REGULARIZED else 1e-7
                        if SLOW else 1e-9)
        e = r["energy"]
        # energy - start + dissipated = 0, relative to the largest part; a tenth of a percent at the models'
        # tolerances
        share = 3e-2 if SLOW else 1e-3
        self.assertLess(abs(e["error"]), share * e["scale"])
        if name in CONSERVATIVE:
            self.assertEqual(e["dissipated"], 0)
            swing = max(max(c["energy.kinetic"]), max(map(abs, c["energy.potential"])))
            total = [k + v for k, v in zip(c["energy.kinetic"], c["energy.potential"])]
            self.assertLess(max(total) - min(total), share * swing)

    def test_head_comments(self):
        for name, path in MODELS.items():
            with self.subTest(model=name):
                self.assertTrue(read(path).startswith("# "))
                self.assertLess(max(map(len, read(path).splitlines())), 130)


class Solvers(Case):
    def test_agree(self):
        """The same steps with all solvers: what differs is round-off, magnified by a short motion."""
        for name, path in MODELS.items():
            with self.subTest(model=name):
                h = STEPS.get(name, 2e-3)
                ends, size = {}, None
                for solver in ("klu", "block", "reduced", "tree", "dense"):
                    out = f"{name}_{solver}.csv"
                    p = run("run", path, "--csv", out, "--json", "--solver", solver, "--step", str(h),
                            "--end",
                            str(50 * h), "--output-step", str(50 * h))
                    self.assertEqual(p.returncode, 0, p.stderr)
                    self.assertEqual(json.loads(p.stdout)["settings"]["solver"], solver)
                    ends[solver] = {k: v[-1] for k, v in table(out).items()}
                size = json.loads(run("check", path, "--json").stdout)["length"]
                self.compare(ends, size)

    def compare(self, ends, size):
        for column, value in ends["dense"].items():
            part = column.rsplit(".", 1)[-1]
            if part in ("x", "y", "z"):
                scale = size
            elif part in ("q0", "q1", "q2", "q3", "angle"):
                scale = 1
            elif part in ("vx", "vy", "vz", "wx", "wy", "wz"):
                scale = max(abs(v) for k, v in ends["dense"].items() if k.rsplit(".", 1)[-1] == part)
                scale = max(scale, size if part[0] == "v" else 1)
            else:
                continue
            for solver in ("klu", "block", "reduced", "tree"):
                self.assertLess(abs(ends[solver][column] - value), 1e-6 * scale, f"{solver}: {column}")


class Physics(Case):
    """Numbers of the machines that a sheet of paper gives."""

    def end(self, name, *options):
        p = run("run", MODELS[name], "--csv", "physics.csv", *options)
        self.assertEqual(p.returncode, 0, p.stderr)
        return table("physics.csv")

    def test_four_bar_turns_over(self):
        c = self.end("four_bar")
        self.assertGreater(c["crank_angle"][-1], 6 * 2 * math.pi)
        self.assertTrue(all(b > a for a, b in zip(c["crank_angle"], c["crank_angle"][1:])))
        # dead centres: crank and coupler in line, rocker between the angles of the two triangles; D at (d, 0)
        a, b, rocker, d = 0.15, 0.40, 0.35, 0.40
        limits = [math.pi - math.acos((rocker**2 + d**2 - s**2) / (2 * rocker * d)) for s in (b + a, b - a)]
        self.assertGreater(min(c["rocker_angle"]), min(limits) - 1e-3)
        self.assertLess(max(c["rocker_angle"]), max(limits) + 1e-3)

    def test_slider_crank(self):
        c = self.end("slider_crank")
        for x, exact in zip(c["slider_position"], c["exact_position"]):
            self.assertAlmostEqual(x, exact, delta=1e-9)
        # at rest the motor carries the crank and half the rod: g r (m_crank/2 + m_rod/2)
        self.assertAlmostEqual(c["motor_torque"][0], 9.81 * 0.05 * (0.35 + 0.28) / 2, delta=1e-6)
        # ten turns a second after the start-up of 0.2 s, which makes one turn
        self.assertAlmostEqual(c["crank_angle"][-1], 2 * math.pi * 5, delta=1e-9)

    def test_governor_settles(self):
        c = self.end("governor")
        for t, load in ((1.99, 0.3), (5, 0.4)):
            k = min(range(len(c["t"])), key=lambda i: abs(c["t"][i] - t))
            drive = 6 - 120 * (c["sleeve_height"][k] - 0.17)
            # its swing dies out slowly
            self.assertAlmostEqual(drive, load * c["spin"][k], delta=0.02 * drive)
        self.assertLess(c["spin"][-1], 11.2)

    def test_impact_strikes(self):
        p = run("run", MODELS["impact"], "--csv", "physics.csv", "--json")
        self.assertEqual(p.returncode, 0, p.stderr)
        r, c = json.loads(p.stdout), table("physics.csv")
        # contacts begin and end; the damper's pull at the end of a contact is cut off a little before the
        # faces part
        self.assertEqual(r["counters"]["switches"] % 3, 0)
        self.assertGreaterEqual(r["counters"]["switches"], 6)
        self.assertLess(r["step_size"]["min"], 1e-4 * r["step_size"]["max"])
        self.assertLess(r["counters"]["rejected_error"] + r["counters"]["rejected_newton"], 10)
        # the arm falls 0.4 m (1 - cos 50 deg): speed at the first strike from its energy, J = 0.02 + 4 0.4^2
        k = next(i for i, v in enumerate(c["block.vx"]) if v > 0.1)
        speed = 0.4 * math.sqrt(2 * 4 * 9.81 * 0.4 * (1 - math.cos(math.radians(50))) / (0.02 + 4 * 0.16))
        self.assertAlmostEqual(max(c["arm.vx"][:k]), speed, delta=0.02 * speed)
        # momentum about the pin is kept in the strike
        self.assertAlmostEqual(0.4 * 6 * c["block.vx"][k] + 0.66 / 0.4 * c["arm.vx"][k], 0.66 / 0.4 * speed,
                               delta=0.03 * speed)

    def test_road_table_stays_on_the_points(self):
        c = self.end("road_table")
        self.assertGreaterEqual(min(c["road_height"]), 0)
        self.assertAlmostEqual(max(c["road_height"]), 0.08, delta=1e-12)
        self.assertAlmostEqual(c["car.y"][-1], c["car.y"][0], delta=1e-3)  # settled again

    def test_suspension_carries_the_weight(self):
        c = self.end("suspension")
        weight = 9.81 * (521.6 + 5.813 + 23.965 + 90.555)
        self.assertAlmostEqual(c["wheel_load"][-1], weight, delta=2e-3 * weight)  # the tyre leans a little
        self.assertGreater(max(c["wheel_travel"]), 0.02)
        self.assertLess(min(c["camber"]), -0.005)  # the top moves inwards as the wheel rises
        self.assertLess(abs(c["chassis_height"][-1] - c["chassis_height"][-20]), 5e-4)


if __name__ == "__main__":
    main()
