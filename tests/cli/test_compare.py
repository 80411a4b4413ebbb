"""trammel compare: the table, its files, and what is wrong with wrong options."""
import csv
import json
import os
import re
import xml.dom.minidom

from common import PENDULUM, SOURCE, Case, main, methods_of_runs, remove, run, write

EASY = ["--methods", "genalpha", "--tols", "1e-2..1e-4"]
NOTHING_KEPT = ["--reference", "genalpha@1e-6"]


def rows_of(name):
    with open(name, encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


class Table(Case):
    def setUp(self):
        write("compare.yaml", PENDULUM)

    def test_table(self):
        p = self.good("compare", "compare.yaml", *EASY)
        self.assertTrue(p.stdout.startswith('Pendulum "of" the tests\n'), p.stdout)
        self.assertRegex(p.stdout, r"reference    \S+ at 1e-06, checked by")
        self.assertRegex(p.stdout, r"CPU time of each run; total wall time")
        found = re.findall(r"(?m)^  genalpha +(\S+) +(\S+) +(\S+) +(\S+) +(\d+) +\d+ +\d+ +\d+ +\d+ +\S+$",
                           p.stdout)
        self.assertEqual([x[0] for x in found], ["1.0e-02", "1.0e-03", "1.0e-04"])
        for tol, position, _, _, _ in found:
            self.assertLess(float(position), float(tol))
        self.assertLess(int(found[0][4]), int(found[2][4]))

    def test_default_compares_all_methods(self):
        listed = set(methods_of_runs())
        r = self.report("compare", "compare.yaml", "--tols", "1e-2", "--end", "0.1")
        left = {text.split(":")[0] for text in r["not_compared"]}
        self.assertEqual({x["method"] for x in r["rows"]} | left, listed)
        self.assertIn("genalpha", {x["method"] for x in r["rows"]})

    def test_json_and_csv_say_the_same(self):
        r = self.report("compare", "compare.yaml", *EASY, *NOTHING_KEPT, "--csv", "c.csv")
        table = rows_of("c.csv")
        self.assertEqual(len(table), 3)
        for a, b in zip(r["rows"], table):
            self.assertEqual((a["method"], a["outcome"]), (b["method"], b["outcome"]))
            self.assertEqual(a["tol"], float(b["tol"]))
            self.assertEqual(b["step"], "")
            self.assertEqual(a["error"]["position"], float(b["position_error"]))
            self.assertEqual(a["error"]["multiplier"], float(b["multiplier_error"]))
            self.assertEqual(a["steps"], int(b["steps"]))
        self.assertEqual(r["reference"]["name"], "genalpha at 1e-06")

    def test_groups(self):
        self.good("run", "compare.yaml", "--tol", "1e-7", "--out", "plain.csv")
        for group in ("se3", "se3-cayley"):
            r = self.report("compare", "compare.yaml", *EASY, "--group", group, "--reference", "plain.csv")
            for row in r["rows"]:
                self.assertLess(row["error"]["position"], row["tol"])
        self.assertNotEqual([x["steps"] for x in r["rows"]],
                            [x["steps"] for x in self.report("compare", "compare.yaml", *EASY)["rows"]])

    def test_jobs_do_not_change_results(self):
        def numbers(jobs):
            r = self.report("compare", "compare.yaml", *EASY, *NOTHING_KEPT, "--jobs", jobs)
            return [{k: v for k, v in x.items() if k != "cpu_seconds"} for x in r["rows"]], r["reference"]
        self.assertEqual(numbers("1"), numbers("2"))

    def test_a_model_with_discontinuities(self):
        """Rows of a reference go from run to run together with the times of their discontinuities."""
        limits = "b: bob.top, limits: {lower: -0.3, stiffness: 1e3}}"
        write("stop.yaml", PENDULUM.replace("b: bob.top}", limits))
        p = self.good("compare", "stop.yaml", "--methods", "radau5,bdf", "--tols", "1e-3,1e-4")
        self.assertEqual(len(re.findall(r"(?m)^  (?:radau5|bdf) +1\.0e-0[34] ", p.stdout)), 4, p.stdout)

    def test_fixed_steps(self):
        r = self.report("compare", "compare.yaml", "--methods", "genalpha", "--steps", "1e-2,5e-3", "--set",
                        "L=0.9",
                        *NOTHING_KEPT)
        a, b = (x["error"]["position"] for x in r["rows"])
        self.assertAlmostEqual(a / b, 4, delta=0.3)  # second order
        self.assertEqual([x["step"] for x in r["rows"]], [1e-2, 5e-3])
        self.assertIn("  method       step  ",
                      self.good("compare", "compare.yaml", "--methods", "genalpha", "--steps", "1e-2",
                                *NOTHING_KEPT).stdout)

    def test_reference_file(self):
        self.good("run", "compare.yaml", "--tol", "1e-7", "--csv", "ref.csv", "--quiet")
        self.good("run", "compare.yaml", "--tol", "1e-7", "--out", "ref.h5", "--quiet")
        for name in ("ref.csv", "ref.h5"):
            r = self.report("compare", "compare.yaml", *EASY, "--reference", name)
            self.assertEqual(r["reference"]["name"], name)
            self.assertIsNone(r["reference"]["uncertainty"]["position"])
            self.assertEqual(r["output_times"], 51)
            for x in r["rows"]:
                self.assertLess(x["error"]["position"], x["tol"])
                self.assertGreater(x["error"]["position"], 1e-4 * x["tol"])
        write("part.csv", "t,bob.x\n0,1.3\n0.5,0.3\n")  # one column, one common time
        r = self.report("compare", "compare.yaml", *EASY, "--reference", "part.csv")
        self.assertGreater(r["rows"][0]["error"]["position"], 0.01)
        self.assertIsNone(r["rows"][0]["error"]["velocity"])

    def test_pictures(self):
        self.good("compare", "compare.yaml", *EASY, *NOTHING_KEPT, "--plot", "p.svg", "--error", "velocity",
                  "--quiet")
        text = xml.dom.minidom.parse("p.svg").toxml()
        self.assertIn("velocity error", text)
        self.assertIn("genalpha", text)
        self.assertIn("Pendulum &quot;of&quot; the tests", text)
        p = run("compare", "compare.yaml", *EASY, *NOTHING_KEPT, "--png", "p.png")
        if p.returncode == 0:
            with open("p.png", "rb") as f:
                self.assertEqual(f.read(4), b"\x89PNG")
        else:
            self.assertEqual(p.returncode, 2)
            self.assertIn("cairo", p.stderr)

    def test_limits_are_kept(self):
        model = os.path.join(SOURCE, "models", "andrews.yaml")
        p = self.good("compare", model, "--methods", "genalpha", "--tols", "1e-2,1e-9", "--limit", "0.2",
                      "--reference", "genalpha@1e-3")
        self.assertRegex(p.stdout, r"genalpha  1.0e-09  stopped .*\(1\)")
        self.assertRegex(p.stdout, r"\n  \(1\)  stopped after 0\.\d+ s at t = ")

    def test_no_progress_in_a_pipe(self):
        self.assertEqual(self.good("compare", "compare.yaml", *EASY, *NOTHING_KEPT, "--quiet").stdout, "")


class Wrong(Case):
    def setUp(self):
        write("wrong.yaml", PENDULUM)

    def test_values(self):
        for args, words in [
            (["--tols", "1e-2..3e-5"], "whole number of decades"),
            (["--tols", "1e-2.."], "a value is missing"),
            (["--tols", "..1e-2"], "a value is missing"), (["--tols", "1e-2,,1e-3"], "a value is missing"),
            (["--tols", "1e-2,"], "a value is missing"), (["--tols", "1e-2..1e-2"], "one value only"),
            (["--tols", "small"], "not a number"), (["--tols", "1e-3..tiny"], "not a number"),
            (["--tols", "0"], "greater than 0"), (["--tols", "-1e-3"], "greater than 0"),
            (["--tols", "1e-2..1e-200"], "decades"), (["--tols", "2"], "less than 1"),
            (["--tols", "1e-3,1e-3"], "given twice"), (["--tols", "1e-2..1e-4,1e-3"], "given twice"),
            (["--tols", "1e-3", "--steps", "1e-2"], "not both"), (["--steps", "1e-2...1e-3"], "two dots"),
            (["--methods", "genalfa"], "There is no method 'genalfa' (is it 'genalpha'?)"),
            (["--methods", "genalpha,"], "a name is missing"),
            (["--methods", "genalpha,genalpha"], "given twice"),
            (["--reference", "genalpha"], "METHOD@TOL"), (["--reference", "genalpha@x"], "not a number"),
            (["--reference", "genalpa@1e-5"], "is it 'genalpha'?"), (["--reference", "gone.csv"], "gone.csv"),
            (["--jobs", "1.5"], "whole number"), (["--jobs", "0"], "greater than 0"),
            (["--budget", "-3"], "greater than 0"),
            (["--plot", "a.gif"], ".svg, .pdf or .png"),
            (["--csv", "a.txt"], ".csv"), (["--svg", "a.png"], ".svg"),
            (["--end", "-1"], "after the start"), (["--error", "postion"], "is it 'position'?"),
            (["--set", "Q=1"], "'Q'"), (["--solver", "blok"], "is it 'block'?"),
        ]:
            with self.subTest(args=args):
                p = self.bad(2, "compare", "wrong.yaml", *args)
                self.assertIn(words, p.stderr)
                self.assertEqual(p.stdout, "")

    def test_reference_without_common_names_or_times(self):
        write("names.csv", "t,foo\n0,1\n0.5,2\n")
        self.assertIn("no column of this model", self.bad(2, "compare", "wrong.yaml", *EASY, "--reference",
                                                          "names.csv").stderr)
        write("times.csv", "t,bob.x\n0.0033,1\n0.0077,2\n")
        self.assertIn("no row at an output time", self.bad(2, "compare", "wrong.yaml", *EASY, "--reference",
                                                           "times.csv").stderr)
        write("back.csv", "t,bob.x\n0.5,1\n0,2\n")
        self.assertIn("time decreases",
                      self.bad(2, "compare", "wrong.yaml", *EASY, "--reference", "back.csv").stderr)

    def test_files_that_cannot_be_written(self):
        p = self.bad(1, "compare", "wrong.yaml", *EASY, *NOTHING_KEPT, "--csv", "no/such/c.csv")
        self.assertIn("no/such/c.csv", p.stderr)
        self.assertIn("genalpha", p.stdout)  # the table is not lost
        write("model.csv", PENDULUM)
        self.assertIn("overwrite", self.bad(2, "compare", "model.csv", "--csv", "model.csv").stderr)
        remove("model.csv")

    def test_a_model_that_cannot_start(self):
        self.bad(2, "compare", "missing.yaml")
        write("odd.yaml", PENDULUM.replace("mass: 0.7", "mass: -0.7"))
        self.assertIn("odd.yaml:6", self.bad(2, "compare", "odd.yaml").stderr)

    def test_json_is_there_too(self):
        p = self.bad(2, "compare", "wrong.yaml", "--methods", "genalfa", "--json")
        r = json.loads(p.stdout)
        self.assertEqual(r["exit_status"], 2)
        self.assertIn("genalpha", r["error"]["message"])


if __name__ == "__main__":
    main()
