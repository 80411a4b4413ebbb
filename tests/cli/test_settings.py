"""Every key of the run block has a flag in run, compare and verify, and says the same there as in a file."""
import json
import re

from common import PENDULUM, Case, main, run, skip_if_slow, table, write

MODEL = re.sub(r"run: .*", "run: {end: 0.2, output_step: 0.05, tol: 1e-3}", PENDULUM)
# a value of each key that is not its default
VALUES = {"method": "genalpha", "solver": "dense", "start": 0.05, "end": 0.15, "output_step": 0.025,
          "tol": 2e-4,
          "rtol": 3e-4, "atol": 4e-4, "step": 0.004, "control_from": 0.1, "max_step": 0.01,
          "min_step": 1e-9, "rho": 0.3, "alpha": -0.1,
          "placement": "inner", "max_order": 3, "fields": "three", "control": "all", "scaling": "left-right",
          "augment": 0.5, "iterate": "saturated", "switches": "off",
          "repeat_steps": "off", "group": "se3", "coordinates": "tangent",
          "kinematics": "bodies", "jacobian": "differences", "begin": "static", "threads": 2,
          "gamma": 40, "epsilon": 1e-9, "estimate": "embedded", "index": 2, "redundancy": "regularize",
          "constraint_point": "mean", "contacts": "captured"}
OTHER_FLAG = {"record"}  # --channels of run
NOT_IN_COMPARE = {"method", "tol", "rtol", "atol", "step", "control_from"}  # --methods, --tols, --steps
# in force whatever the method, and shown in the reports
WORK = ("steps", "rejected_error", "factorizations")
# of some methods only, which others refuse (test_variants.py, test_captured.py)
OWN = {"estimate", "index", "redundancy", "constraint_point", "contacts"}
SHOWN = sorted(set(VALUES) - NOT_IN_COMPARE - OWN - {"solver"})


def flag(key):
    return "--" + key.replace("_", "-")


def keys():
    return json.loads(run("schema").stdout)["$defs"]["run"]["properties"]


def expected(key):
    return {"off": False, "on": True}.get(VALUES[key], VALUES[key])


def options(*wanted):
    return [x for key in wanted for x in (flag(key), str(VALUES[key]))]


class Flags(Case):
    def setUp(self):
        write("settings.yaml", MODEL)

    def test_every_key_is_tried_here(self):
        self.assertEqual(set(keys()), set(VALUES) | OTHER_FLAG)

    def test_every_key_has_a_flag(self):
        for command in ("run", "compare", "verify"):
            text = self.good(command, "--help").stdout
            for key in VALUES:
                there = re.search(rf"(?m)^  {flag(key)} ", text) is not None
                self.assertEqual(there, command != "compare" or key not in NOT_IN_COMPARE, (command, key))

    def test_all_words_are_explained(self):
        text = self.good("run", "--help").stdout
        brief = " ".join(self.good("verify", "--help").stdout.split())
        seen = 0
        for key, rule in keys().items():
            for word in rule.get("enum", []):
                self.assertRegex(text, rf"(?m)^ {{28}}{word} +\w", key)
                self.assertRegex(brief, rf"{flag(key)} .*\b{word}\b", key)
                seen += 1
        self.assertGreater(seen, 20)


class Effects(Case):
    cost = 6  # [s]

    def setUp(self):
        write("settings.yaml", MODEL)

    def same(self, settings):
        for key in SHOWN:
            self.assertEqual(settings[key], expected(key), key)

    def test_run(self):
        r = self.report("run", "settings.yaml", "--out", "none",
                        *options("method", "solver", "rtol", "atol", *SHOWN))
        self.same(r["settings"])
        self.assertEqual([r["settings"][k] for k in ("method", "solver", "rtol", "atol")],
                         ["genalpha", "dense", 3e-4, 4e-4])
        self.assertEqual((r["t"], r["rows"]), (0.15, 5))
        r = self.report("run", "settings.yaml", "--out", "none", *options("tol"))
        self.assertEqual((r["settings"]["rtol"], r["settings"]["atol"]), (2e-4, 2e-4))
        r = self.report("run", "settings.yaml", "--out", "none", *options("step"))
        self.assertEqual((r["settings"]["step"], r["counters"]["steps"]), (0.004, 50))

    def test_compare(self):
        r = self.report("compare", "settings.yaml", "--methods", "genalpha", "--tols", "1e-3", "--reference",
                        "genalpha@1e-5", *options("solver", *SHOWN))
        self.same(r["settings"])
        self.assertEqual(r["output_times"], 5)

    def verify(self, *args):
        """The report; whether the settings meet the tolerance does not matter here."""
        p = run("verify", "settings.yaml", "--json", *args)
        self.assertIn(p.returncode, (0, 1), p.stderr)
        return json.loads(p.stdout)

    def test_verify(self):
        for key in SHOWN:
            r = self.verify(*options("method", key))
            self.assertEqual(r["settings"][key], expected(key))
        r = self.verify(*options("method", "solver", "rtol", "atol", "start", "end",
                                 "output_step"))
        self.assertEqual([r["run"][k] for k in ("method", "rtol", "atol")], ["genalpha", 3e-4, 4e-4])
        self.assertEqual(r["output_times"], 5)

    def test_as_in_a_file(self):
        """A flag and the key of the file give the same run."""
        for key in ["method", "solver", *SHOWN]:
            word = json.dumps(expected(key))
            write("file.yaml", re.sub(r"run: {(.*)}",
                                      lambda m: f"run: {{{drop(m.group(1), key)}, {key}: {word}}}",
                                      MODEL))
            a = self.report("run", "file.yaml", "--out", "none")
            b = self.report("run", "settings.yaml", "--out", "none", *options(key))
            self.assertEqual(a["settings"], b["settings"], key)
            self.assertEqual(a["counters"], b["counters"], key)

    @skip_if_slow("half a minute")
    def test_they_reach_the_runs(self):
        """What a setting changes in one run it changes in those that are compared and verified."""
        for method, key in [("hht", "alpha"), ("genalpha", "placement"), ("genalpha", "rho"),
                            ("bdf", "max_order"),
                            ("trust-region", "gamma"),
                            ("radau5", "control"), ("bdf", "iterate"), ("genalpha", "max_step"),
                            ("genalpha", "group")]:
            with self.subTest(key=key):
                more = options(key)
                if key == "max_order":
                    more = ["--max-order", "1"]

                def compared(*args):
                    rows = self.report("compare", "settings.yaml", "--methods", method, "--tols", "1e-4",
                                       "--reference", "radau5@1e-6", *args)["rows"]
                    return [rows[0][k] for k in WORK], rows[0]["error"]

                def verified(*args):
                    return self.verify("--method", method, "--tol", "1e-4", *args)["run"]["steps"]

                def alone(*args):
                    c = self.report("run", "settings.yaml", "--method", method, "--tol", "1e-4", "--out",
                                    "none",
                                    *args)["counters"]
                    return [c[k] for k in WORK]
                self.assertNotEqual(compared(), compared(*more))
                self.assertEqual(compared(*more)[0], alone(*more))
                self.assertEqual(verified(*more), alone(*more)[0])


def drop(block, key):
    """The entries of a run block without one key."""
    return ", ".join(x for x in block.split(", ") if not x.startswith(key + ":"))


class Wrong(Case):
    def setUp(self):
        write("settings.yaml", MODEL)

    def test_values(self):
        for command in ("run", "compare", "verify"):
            for args, words in [
                (["--max-order", "2.5"], "not a whole number"), (["--max-order", "0"], "greater than 0"),
                (["--max-order", "nine"], "not a whole number"), (["--max-order", "7"], "1 .. 5"),
                (["--threads", "-1"], "0 or greater"), (["--threads", "1.5"], "not a whole number"),
                (["--threads", "5000"], "0 .. 1024"), (["--rho", "2"], "from 0 to 1"),
                (["--alpha", "-1"], "-1/3 .. 0"),
                (["--switches", "true"], "is not on or off"), (["--switches", "offf"], "is it 'off'?"),
                (["--coordinates", "tangnt"], "is it 'tangent'?"),
                (["--kinematics", "bodie"], "is it 'bodies'?"),
                (["--jacobian", "extact"], "is it 'exact'?"), (["--placement", "node"], "is it 'nodes'?"),
                (["--fields", "2"], "is not two or three"), (["--iterate", "convergd"], "is it 'converged'?"),
                (["--control", "motions"], "is it 'motion'?"),
                (["--scaling", "left-rigth"], "is it 'left-right'?"),
                (["--min-step", "0"], "greater than 0"),
                (["--start", "9"], "--start: the end time 0.2 s is not after"),
                (["--min-step", "0.1", "--max-step", "0.01"], "is less than the smallest"),
                (["--max-oder", "3"], "is it '--max-order'?"),
                (["--coordinate", "tangent"], "is it '--coordinates'?"),
                (["--max_order", "3"], "is it '--max-order'?"),
                (["--rho", "0.5", "--rho", "0.6"], "given twice"),
            ]:
                with self.subTest(command=command, args=args):
                    p = self.bad(2, command, "settings.yaml", *args)
                    self.assertIn(words, p.stderr)
                    self.assertEqual(p.stdout, "")

    def test_a_fixed_step_has_no_limits(self):
        for name in ("--max-step", "--min-step"):
            self.assertIn("has no effect",
                          self.bad(2, "run", "settings.yaml", "--step", "1e-3", name, "1").stderr)
            self.assertIn("has no effect",
                          self.bad(2, "verify", "settings.yaml", "--step", "1e-3", name, "1").stderr)
            self.assertIn("have no effect",
                          self.bad(2, "compare", "settings.yaml", "--steps", "1e-3", name, "1").stderr)

    def test_what_compare_has_in_the_plural(self):
        for name, plural in (("--method", "--methods"), ("--tol", "--tols"), ("--step", "--steps")):
            self.assertIn(f"is it '{plural}'?", self.bad(2, "compare", "settings.yaml", name, "1").stderr)


class ControlFrom(Case):
    """Fixed steps until a time, controlled ones from there on."""

    def steps(self, *args):
        return self.report("run", "settings.yaml", "--out", "none", *args)["counters"]["steps"]

    def setUp(self):
        write("settings.yaml", MODEL)

    def test_steps(self):
        for method in ("auto", "genalpha", "bdf", "radau5", "erk5"):
            more = ("--method", method, "--control-from", "0.1")
            with self.subTest(method=method):
                coarse, fine = (self.steps("--step", h, "--tol", "1e-3", *more) for h in ("0.01", "0.001"))
                self.assertAlmostEqual(fine - coarse, 90, delta=10)  # 10 and 100 fixed ones until 0.1 s
                more_exact = self.steps("--step", "0.01", "--tol", "1e-8", *more)
                self.assertGreaterEqual(more_exact, coarse)

    def test_end(self):
        """Steps of 0.003 s end at 0.1 s, and the error of what follows is that of the tolerance."""
        write("plain.yaml", MODEL)
        for method in ("auto", "radau5", "genalpha"):
            self.good("run", "settings.yaml", "--method", method, "--step", "0.003", "--control-from", "0.1",
                      "--tol", "1e-9", "--csv", "settings.csv")
            self.good("run", "plain.yaml", "--method", "erk8", "--tol", "1e-11", "--csv", "plain.csv")
            a, b = table("settings.csv"), table("plain.csv")
            with self.subTest(method=method):
                name = next(k for k in a if k.endswith(".x"))
                for x, y in zip(a[name], b[name]):
                    self.assertAlmostEqual(x, y, delta=2e-5)

    def test_resume(self):
        """A run that ends behind that time and is continued has the rows of the whole one."""
        more = ("--step", "0.004", "--control-from", "0.1", "--tol", "1e-6", "--method", "radau5")
        self.good("run", "settings.yaml", *more, "--out", "whole.h5")
        self.good("run", "settings.yaml", *more, "--end", "0.15", "--out", "part.h5", "--save", "part.state")
        self.good("run", "settings.yaml", "--continue", "part.state", "--end", "0.2", "--csv", "rest.csv")
        self.good("export", "whole.h5", "--out", "whole.csv")
        whole, rest = table("whole.csv"), table("rest.csv")
        name = next(k for k in whole if k.endswith(".x"))
        self.assertAlmostEqual(whole[name][-1], rest[name][-1], delta=1e-6)

    def test_without_a_step(self):
        p = run("run", "settings.yaml", "--control-from", "0.1")
        self.assertEqual(p.returncode, 2)
        self.assertIn("'control_from' ends the fixed steps of 'step', which is not given", p.stderr)


if __name__ == "__main__":
    main()
