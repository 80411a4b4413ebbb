"""trammel run --report: the conditioning of every step."""
import json
import math
import os

from common import PENDULUM, Case, main, read, remove, write

COLUMNS = ("t,h,scale_min,scale_max,unknowns,condition_1,condition_inf,condition_2,growth,"
           "iterations,correction,position_scaled,velocity_scaled,multiplier_scaled,"
           "position,velocity,multiplier").split(",")


def last(path):
    lines = read(path).splitlines()
    return dict(zip(lines[0].split(","), lines[-1].split(",")))


class Report(Case):
    def setUp(self):
        write("swing.yaml", PENDULUM)
        remove("r.csv")

    def run_with(self, *options):
        self.good("run", "swing.yaml", "--out", "none", "--report", "r.csv", *options)
        return last("r.csv")

    def test_rows(self):
        self.run_with("--step", "1e-3", "--end", "0.05")
        lines = read("r.csv").splitlines()
        self.assertEqual(lines[0].split(","), COLUMNS)
        self.assertEqual(len(lines), 51)
        for k, line in enumerate(lines[1:], 1):
            row = dict(zip(COLUMNS, line.split(",")))
            self.assertAlmostEqual(float(row["t"]), 1e-3 * k, delta=1e-12)  # round-off of a sum
            self.assertAlmostEqual(float(row["h"]), 1e-3, delta=1e-12)
            self.assertEqual(row["velocity_scaled"], "")  # eliminated
            self.assertGreaterEqual(int(row["iterations"]), 1)
            self.assertLess(float(row["condition_2"]), 100)

    def test_laws(self):
        # per decade of the step; 0.1: the papers' laws hold as h goes to 0
        laws = {("none", "two"): 4, ("left", "two"): 3, ("left-right", "two"): 0, ("none", "three"): 3,
                ("left", "three"): 2, ("left-right", "three"): 1, ("left-right-velocity", "three"): 0,
                ("uniform", "three"): 0, ("physical", "three"): 0}
        for (scaling, fields), power in laws.items():
            found = []
            for h in (1e-3, 1e-4):
                row = self.run_with("--step", str(h), "--end", str(10 * h), "--output-step", str(h),
                                    "--scaling",
                                    scaling, "--fields", fields, "--augment", "off", "--iterate", "saturated",
                                    "--solver", "dense")
                found.append(float(row["condition_2"]))
                self.assertEqual(row["velocity_scaled"] != "", fields == "three")
            self.assertAlmostEqual(math.log10(found[1] / found[0]), power, delta=0.1,
                                   msg=f"{scaling} {fields}")

    def test_results_stay(self):
        self.good("run", "swing.yaml", "--csv", "a.csv", "--end", "0.3")
        self.good("run", "swing.yaml", "--csv", "b.csv", "--end", "0.3", "--report", "r.csv")
        self.assertEqual(read("a.csv"), read("b.csv"))
        self.assertFalse(os.path.exists("none"))

    def test_method_stays(self):
        """auto once took bdf for the report, which the matrices of other methods have as well."""
        chain = write("chain.yaml", PENDULUM.replace("step: 1e-3", "tol: 1e-4"))
        bar = write("bar.yaml", "beams:\n  arm: {type: rectangle, end: [1, 0, 0], width: 0.02, height: 0.01, "
                    "material: steel, elements: 2}\njoints:\n  wall: {type: fixed, a: ground, b: arm.start}\n"
                    "gravity: 9.81\nrun: {end: 0.02}\n")
        for model, known in ((chain, False), (bar, True)):
            plain = json.loads(self.good("run", model, "--csv", "a.csv", "--json").stdout)
            told = json.loads(self.good("run", model, "--csv", "b.csv", "--json", "--report", "r.csv").stdout)
            self.assertEqual(told["settings"]["method"], plain["settings"]["method"])
            self.assertEqual(told["counters"]["steps"], plain["counters"]["steps"])
            self.assertEqual(read("a.csv"), read("b.csv"))
            lines = read("r.csv").splitlines()
            self.assertEqual(len(lines), 1 + plain["counters"]["steps"])
            row = last("r.csv")
            self.assertEqual(list(row), COLUMNS)
            self.assertEqual(row["condition_1"] != "", known)  # an explicit method has no matrix
            self.assertAlmostEqual(float(row["t"]), told["t"], delta=1e-12)

    def test_refusals(self):
        self.assertIn(".csv", self.bad(2, "run", "swing.yaml", "--report", "r.txt").stderr)
        self.assertIn("--csv and --report name the same file",
                      self.bad(2, "run", "swing.yaml", "--csv", "r.csv", "--report", "r.csv").stderr)
        self.assertIn("is it 'saturated'?", self.bad(2, "run", "swing.yaml", "--iterate", "saturate").stderr)
        self.assertIn("nowhere/r.csv", self.bad(1, "run", "swing.yaml", "--out", "none", "--report",
                                                "nowhere/r.csv").stderr)


if __name__ == "__main__":
    main()
