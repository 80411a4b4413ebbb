"""trammel run: what it writes and what it reports."""
import json
import math
import os
import subprocess

from common import PENDULUM, SOURCE, TRAMMEL, Case, main, read, remove, run, table, write

BODY = ["x", "y", "q0", "q3", "vx", "vy", "wz", "ax", "ay", "alz"]  # in the plane
REACTION = ["fx", "fy", "mz"]
TAIL = ["energy.kinetic", "energy.potential", "energy.dissipated", "constraint.position",
        "constraint.velocity", "step"]

SLIDER = """\
planar: true
gravity: 9.81
bodies:
  arm: {mass: 0.7, inertia: 0.02, position: [0.31, 0], frames: {root: [-0.31, 0]}}
  block: {mass: 0.4, inertia: 0.013, position: [0, 0.83]}
joints:
  pin: {type: revolute, a: ground, b: arm.root}
  rail: {type: prismatic, a: ground, b: block, axis: [0, 1]}
outputs:
  late: 2*t
  early: arm.x
run: {end: 0.1, output_step: 0.01, step: 1e-3}
"""


class Columns(Case):
    def test_order(self):
        write("slider.yaml", SLIDER)
        self.good("run", "slider.yaml", "--csv", "slider.csv")
        expected = ["t"] + [f"{b}.{c}" for b in ("arm", "block") for c in BODY]
        expected += ["pin.angle", "pin.rate"] + [f"pin.{c}" for c in REACTION]
        expected += ["rail.distance", "rail.speed"] + [f"rail.{c}" for c in REACTION]
        expected += TAIL + ["late", "early"]
        self.assertEqual(read("slider.csv").splitlines()[0].split(","), expected)

    def test_values(self):
        write("slider.yaml", SLIDER)
        self.good("run", "slider.yaml", "--csv", "slider.csv")
        c = table("slider.csv")
        self.assertEqual(len(c["t"]), 11)
        for k, t in enumerate(c["t"]):
            self.assertAlmostEqual(t, 0.01 * k, delta=1e-12)  # round-off of a sum of 11 terms
            # free fall along the rail; the method integrates a constant acceleration exactly up to round-off
            # of Newton's corrections (1e-9 of 0.83 m allows for them)
            self.assertAlmostEqual(c["block.y"][k], 0.83 - 9.81 / 2 * t * t, delta=1e-9)
            self.assertEqual(c["late"][k], 2 * t)
            self.assertEqual(c["early"][k], c["arm.x"][k])
            q = sum(c[f"arm.q{i}"][k] ** 2 for i in (0, 3))
            self.assertAlmostEqual(q, 1, delta=1e-12)


class Files(Case):
    def setUp(self):
        write("swing.yaml", PENDULUM)
        remove("swing.h5", "swing.csv", "other.h5")

    def test_default_is_the_name_of_the_model(self):
        os.makedirs("sub", exist_ok=True)
        write("sub/deep.model.yaml", PENDULUM)
        remove("deep.model.h5")
        p = self.good("run", "sub/deep.model.yaml")
        self.assertIn("deep.model.h5 (51 rows", p.stdout)
        with open("deep.model.h5", "rb") as f:
            self.assertEqual(f.read(4), b"\x89HDF")

    def test_choice(self):
        self.good("run", "swing.yaml", "--csv", "swing.csv")
        self.assertTrue(os.path.exists("swing.csv") and not os.path.exists("swing.h5"))
        self.good("run", "swing.yaml", "--csv", "swing.csv", "--out", "other.h5")
        self.assertTrue(os.path.exists("other.h5") and not os.path.exists("swing.h5"))
        self.good("run", "swing.yaml", "--out", "none")
        self.assertFalse(os.path.exists("swing.h5") or os.path.exists("none"))
        remove("swing.csv")
        self.good("run", "swing.yaml", "-o", "swing.csv")
        self.assertEqual(len(table("swing.csv")["t"]), 51)

    def test_read_with_pandas(self):
        """The lines of the tutorial, on a model with the names that they use; the same values as in CSV."""
        python = "/usr/bin/python3"
        if subprocess.run([python, "-c", "import h5py, pandas"], capture_output=True).returncode != 0:
            self.skipTest("h5py or pandas is not installed")
        text = read(os.path.join(SOURCE, "docs", "tutorial.md"))
        code = text.split("```python\n", 1)[1].split("```", 1)[0]
        write("pendulum.yaml", PENDULUM.replace("bob", "rod"))
        names = self.good("run", "pendulum.yaml", "--out", "pendulum.h5", "--csv", "pendulum.csv")
        self.assertIn("rows", names.stdout)
        c = table("pendulum.csv")
        angle = next(n for n in c if n.endswith(".angle") or n.endswith(".distance"))
        write("read.py", code.replace("pin.angle", angle) +
              "print(repr(list(results['rod.x'])), list(channels['unit'].str.decode('utf-8'))[:2])\n")
        p = subprocess.run([python, "read.py"], capture_output=True, text=True)
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        self.assertIn(repr(c["rod.x"]) + " ['s', 'm']", p.stdout)

    def test_one_file_twice(self):
        """Through links, and under two names: neither the model nor a result is overwritten."""
        remove("link.csv", "hard.csv", "dir", "twice.csv")
        os.symlink("swing.yaml", "link.csv")
        os.link("swing.yaml", "hard.csv")
        os.symlink(".", "dir")
        for name in ("link.csv", "hard.csv"):
            p = run("run", "swing.yaml", "--csv", name)
            self.assertEqual(p.returncode, 2)
            self.assertIn(f"--csv: '{name}' would overwrite the model, by a link", p.stderr)
        self.assertEqual(read("swing.yaml"), PENDULUM)
        for options in (("--out", "twice.csv", "--csv", "dir/twice.csv"),
                        ("--csv", "twice.csv", "--report", "./twice.csv")):
            p = run("run", "swing.yaml", *options)
            self.assertEqual(p.returncode, 2)
            self.assertIn("twice.csv", p.stderr)
            self.assertFalse(os.path.exists("twice.csv"))
        remove("link.csv", "hard.csv", "dir")

    def test_a_bad_model_keeps_old_results(self):
        write("swing.csv", "precious")
        write("swing.yaml", PENDULUM.replace("bob.top", "bob.tip"))
        self.bad(2, "run", "swing.yaml", "--csv", "swing.csv")
        self.assertEqual(read("swing.csv"), "precious")

    def test_same_bits(self):
        self.good("run", "swing.yaml", "--csv", "swing.csv")
        first = read("swing.csv")
        self.good("run", "swing.yaml", "--csv", "swing.csv", env={**os.environ, "LC_ALL": "de_DE.UTF-8"})
        self.assertEqual(read("swing.csv"), first)

    def test_one_after_the_other_in_json(self):
        r = self.report("run", "swing.yaml", "--csv", "swing.csv", "--out", "other.h5")
        self.assertEqual([(o["path"], o["format"]) for o in r["outputs"]],
                         [("other.h5", "hdf5"), ("swing.csv", "csv")])
        for o in r["outputs"]:
            self.assertEqual(o["bytes"], os.path.getsize(o["path"]))


class Report(Case):
    def setUp(self):
        write("swing.yaml", PENDULUM)

    def test_summary(self):
        p = self.good("run", "swing.yaml", "--out", "none")
        lines = p.stdout.splitlines()
        self.assertEqual(lines[0], 'Pendulum "of" the tests')
        labels = [line[:15].strip() for line in lines[1:]]
        self.assertEqual([x for x in labels if x],
                         ["model", "method", "solver", "simulated", "steps", "step size", "Newton",
                          "constraints", "energy", "wall time", "written"])
        for line in lines[1:]:
            self.assertRegex(line, r"^  .{13}\S")
        self.assertIn("1 body, 1 joint, 0 forces; 3 coordinates, 2 constraint equations", p.stdout)
        self.assertIn("fixed step 0.001 s", p.stdout)
        self.assertIn("  steps        500, 0 rejected\n", p.stdout)

    def test_only_what_applies(self):
        """No Newton iteration, scaling or augmentation of methods that have none; a basis only if it has
        changed."""
        def labels(*options):
            text = self.good("run", "swing.yaml", "--out", "none", "--tol", "1e-4", *options).stdout
            lines = {line[:15].strip(): line[15:] for line in text.splitlines()[1:] if line[:15].strip()}
            return lines
        for method, newton, scaled in (("bdf", True, True), ("radau5", True, True),
                                       ("for-sdirk", True, False), ("erk8", False, False),
                                       ("adams", False, False)):
            with self.subTest(method=method):
                lines = labels("--method", method)
                self.assertEqual("Newton" in lines, newton)
                self.assertEqual("scaling" in lines["solver"], scaled)
                self.assertEqual("augmentation" in lines["solver"], scaled)
                self.assertNotIn("basis", lines)
                self.assertNotIn("switches", lines)
        self.assertRegex(labels("--method", "for-rosen")["matrix"], r"^[\d,]+ factorizations$")

    def test_reason_of_the_method(self):
        """The choice is open: summary and JSON tell the method and why; asked for by name, there is nothing
        to tell."""
        for options, method, why in (((), "genalpha", "fixed steps"), (("--tol", "1e-4"), "erk8", "smooth"),
                                     (("--tol", "1e-4", "--method", "auto"), "erk8", "smooth"),
                                     (("--rho", "0.6", "--tol", "1e-4"), "genalpha", "rho is given")):
            text = self.good("run", "swing.yaml", "--out", "none", *options).stdout
            self.assertRegex(text, rf"  method       {method}, .*\n {{15}}chosen by auto: (.*\n)?.*{why}")
            s = self.report("run", "swing.yaml", "--out", "none", *options)["settings"]
            self.assertEqual(s["method"], method)
            self.assertIn(why, s["method_reason"])
        options = ("--tol", "1e-4", "--method", "bdf")
        self.assertNotIn("chosen by auto", self.good("run", "swing.yaml", "--out", "none", *options).stdout)
        self.assertNotIn("method_reason",
                         self.report("run", "swing.yaml", "--out", "none", *options)["settings"])

    def test_quiet(self):
        self.assertEqual(self.good("run", "swing.yaml", "--out", "none", "--quiet").stdout, "")
        self.assertEqual(self.good("run", "swing.yaml", "--out", "none", "-q").stdout, "")

    def test_lost_energy(self):
        """Energy that a formula damps away, or a wrong motion loses, is worth a warning; --quiet leaves
        it."""
        model = os.path.join(SOURCE, "models", "pendulum.yaml")
        p = run("run", model, "--method", "bdf2", "--step", "0.2", "--out", "none", "--quiet")
        self.assertEqual(p.returncode, 0)
        self.assertRegex(p.stderr,
                         r"^trammel: warning: the energy balance error is 9\d\S* % of the largest energy "
                         r"term")
        self.good("run", model, "--method", "bdf2", "--step", "0.001", "--end", "1", "--out", "none")

    def test_velocities_that_do_not_fit(self):
        """The assembly makes of them what joints allow; what has changed is told."""
        text = "planar: true\nbodies: {ball: {mass: 1, inertia: 1, velocity: [%s]}}\n" \
               "joints: {guide: {type: prismatic, a: ground, b: ball, axis: [1, 0, 0]}}\nrun: {end: 0.1}\n"
        for velocity, told in (("1, 3", "from [1, 3] to [1, 0] m/s"), ("3, 1", "from [3, 1] to [3, 0] m/s"),
                               ("3, 1e-9", ""), ("0, 0", "")):
            write("guide.yaml", text % velocity)
            p = run("run", "guide.yaml", "--out", "none", "--quiet")
            self.assertEqual((p.returncode, bool(p.stderr)), (0, bool(told)), p.stderr)
            self.assertIn(told, p.stderr)

    def test_json(self):
        r = self.report("run", "swing.yaml", "--out", "none")
        self.assertEqual((r["status"], r["error"], r["interrupted"], r["event"]), ("ok", None, False, None))
        self.assertEqual(r["title"], 'Pendulum "of" the tests')
        self.assertEqual(r["t"], 0.5)
        self.assertEqual(r["rows"], 51)
        self.assertEqual(r["counters"]["steps"], 500)
        self.assertGreaterEqual(r["counters"]["iterations"], 500)
        self.assertGreaterEqual(r["counters"]["residuals"], r["counters"]["iterations"])
        self.assertEqual(r["size"],
                         {"bodies": 1, "joints": 1, "forces": 0, "coordinates": 3, "constraints": 2})
        for name in ("min", "max", "mean"):
            self.assertAlmostEqual(r["step_size"][name], 1e-3, delta=1e-9)  # the last step lands on the end
        self.assertGreater(r["wall_seconds"], 0)
        self.assertAlmostEqual(r["real_time_factor"], 0.5 / r["wall_seconds"], delta=1e-6 / r["wall_seconds"])
        e = r["energy"]
        fall = 0.7 * 9.81 * 1.3
        self.assertLess(abs(e["start"]), 1e-12 * fall)
        self.assertLess(e["error"], 1e-4 * fall)  # second order: (h w)^2 = 8e-6 with some room
        self.assertAlmostEqual(e["kinetic"] + e["potential"], e["start"] - e["dissipated"], delta=1e-4 * fall)

    def test_options_override_the_file(self):
        r = self.report("run", "swing.yaml", "--out", "none", "--end", "0.25", "--output-step", "0.05",
                        "--step", "0.0025", "--solver", "dense", "--scaling", "off", "--augment", "off",
                        "--rho", "0.3")
        s = r["settings"]
        names = ("end", "output_step", "step", "solver", "scaling", "augment", "rho")
        self.assertEqual([s[n] for n in names], [0.25, 0.05, 0.0025, "dense", "none", 0, 0.3])
        self.assertEqual((r["rows"], r["counters"]["steps"], r["t"]), (6, 100, 0.25))
        r = self.report("run", "swing.yaml", "--out", "none", "--scaling", "on", "--augment", "0.7")
        s = r["settings"]
        self.assertEqual((s["scaling"], s["augment"]), ("physical", 0.7))
        self.assertEqual(s["group"], "r3so3")
        self.assertEqual((s["method"], s["end"]), ("genalpha", 0.5))

    def test_a_run_that_starts_late(self):
        write("late.yaml", "bodies: {b: {mass: 1, inertia: 1}}\nrun: {start: 1e6}\n")
        for options, end in (((), "1000001"), (("--end", "1000000.5"), "1000000.5")):
            p = run("run", "late.yaml", "--out", "none", *options)
            self.assertEqual(p.returncode, 0, p.stderr)
            self.assertIn(f"1000000 .. {end} s", p.stdout)

    def test_groups(self):
        first = self.report("run", "swing.yaml", "--out", "none", "--tol", "1e-6")
        for group in ("se3", "se3-cayley"):
            r = self.report("run", "swing.yaml", "--out", "none", "--tol", "1e-6", "--group", group)
            self.assertEqual(r["settings"]["group"], group)
            # a swing from rest: speeds of some m/s at the end, each run within its tolerance
            self.assertAlmostEqual(r["energy"]["kinetic"], first["energy"]["kinetic"], delta=1e-4)
            text = self.good("run", "swing.yaml", "--out", "none", "--group", group).stdout
            self.assertIn(f"on {group};", text)

    def test_tolerances_replace_a_fixed_step(self):
        s = self.report("run", "swing.yaml", "--out", "none", "--tol", "2e-4")["settings"]
        self.assertEqual((s["rtol"], s["atol"], s["step"]), (2e-4, 2e-4, 0))
        s = self.report("run", "swing.yaml", "--out", "none", "--tol", "1e-4", "--rtol", "3e-4", "--max-step",
                        "0.02")["settings"]
        self.assertEqual((s["rtol"], s["atol"], s["max_step"]), (3e-4, 1e-4, 0.02))

    def test_set(self):
        self.good("run", "swing.yaml", "--csv", "set.csv", "--set", "L=2*0.37")
        self.assertEqual(table("set.csv")["bob.x"][0], 0.74)

    def test_event(self):
        write("event.yaml", PENDULUM + "events:\n  low: {when: bob.y + 0.4, direction: down}\n")
        r = self.report("run", "event.yaml", "--csv", "event.csv", "--end", "2")
        self.assertEqual((r["event"], r["status"]), ("low", "ok"))
        c = table("event.csv")
        self.assertAlmostEqual(c["bob.y"][-1], -0.4, delta=1e-6)  # dense output of order 2, h = 1e-3
        self.assertAlmostEqual(r["t"], c["t"][-1], delta=2e-3)    # within the step that met it
        p = self.good("run", "event.yaml", "--out", "none", "--end", "2")
        self.assertIn("of 2 s: ended by event 'low'", p.stdout)

    def test_tolerance_is_met(self):
        """A quarter swing from rest, against elliptic integrals done by quadrature."""
        write("quarter.yaml", PENDULUM + "events:\n  bottom: {when: bob.x, direction: down}\n")
        tol = 1e-5
        r = self.report("run", "quarter.yaml", "--csv", "quarter.csv", "--end", "3", "--tol", str(tol))
        self.assertEqual(r["event"], "bottom")
        # J th'' = -m g L cos th, quarter period = K(k) sqrt(J/(m g L)), k = sin(90 deg / 2); K by the AGM
        J, mgl = 0.02 + 0.7 * 1.3**2, 0.7 * 9.81 * 1.3
        a, b = 1, math.cos(math.pi / 4)
        for _ in range(8):
            a, b = (a + b) / 2, math.sqrt(a * b)
        quarter = math.pi / (2 * a) * math.sqrt(J / mgl)
        t = table("quarter.csv")["t"][-1]
        self.assertLess(abs(t - quarter), 10 * tol)  # speed there: 3 lengths/s, so 3 tol in x, with room


class NotAscii(Case):
    def test_title(self):
        write("ü.yaml", PENDULUM.replace("Pendulum", "Pendel nach Bézout \\"))
        r = self.report("run", "ü.yaml", "--out", "none")
        self.assertEqual(r["model"], "ü.yaml")
        self.assertTrue(r["title"].startswith("Pendel nach Bézout \\"))

    def test_a_name_that_is_no_utf8(self):
        name = b"caf\xe9.yaml"
        try:
            with open(name, "w", encoding="utf-8") as f:
                f.write("bodies: 1\n")
        except OSError:
            self.skipTest("the file system wants UTF-8")
        p = subprocess.run([TRAMMEL, "run", name, "--json"], capture_output=True, check=False)
        self.assertEqual(p.returncode, 2)
        self.assertEqual(json.loads(p.stdout.decode("utf-8"))["model"], "caf\ufffd.yaml")


class Switches(Case):
    MODEL = """\
planar: true
bodies: {b: {mass: 2, point: true, position: [0, 0]}}
forces: {f: {type: applied, at: b, force: ["if(t < 0.3, 0, 100)", 0]}}
run: {end: 1}
"""

    def test_summary(self):
        write("switch.yaml", self.MODEL)
        p = self.good("run", "switch.yaml", "--csv", "switch.csv")
        self.assertIn("  switches     1 discontinuity located\n", p.stdout)
        self.assertAlmostEqual(table("switch.csv")["b.x"][-1], 12.25, delta=1e-12)
        p = self.good("run", "switch.yaml", "--csv", "switch.csv", "--json")
        r = json.loads(p.stdout)
        self.assertEqual((r["counters"]["switches"], r["settings"]["switches"]), (1, True))

    def test_off(self):
        write("switch.yaml", self.MODEL.replace("end: 1", "end: 1, switches: false"))
        p = self.good("run", "switch.yaml", "--csv", "switch.csv")
        self.assertNotIn("located", p.stdout)


if __name__ == "__main__":
    main()
