"""Help texts, names of commands and options, exit status of wrong usage."""
import json
import os
import re
import subprocess

from common import PENDULUM, TRAMMEL, Case, main, remove, run, write

COMMANDS = ["run", "check", "compare", "verify", "methods", "schema"]
RUN_OPTIONS = ["--method", "--tol", "--rtol", "--atol", "--step", "--end", "--output-step", "--solver",
               "--scaling", "--augment", "--group", "--rho", "--max-step", "--set", "--csv", "--out",
               "--quiet",
               "--json", "--no-progress", "--help"]


class Help(Case):
    def test_all_commands_are_listed(self):
        text = self.good("--help").stdout
        for name in COMMANDS:
            self.assertRegex(text, rf"(?m)^  {name} +\w")
        self.assertEqual(self.good("help").stdout, text)
        self.assertEqual(self.good("-h").stdout, text)

    def test_each_command_has_help(self):
        for name in COMMANDS:
            text = self.good(name, "--help").stdout
            self.assertTrue(text.startswith(f"usage: trammel {name}"), text)
            self.assertEqual(self.good("help", name).stdout, text)
            for line in text.splitlines():
                self.assertLess(len(line), 80, line)

    def test_run_help_names_all_options(self):
        text = self.good("run", "--help").stdout
        for option in RUN_OPTIONS:
            self.assertRegex(text, rf"(?m)^  (-\w, )?{option}\b")

    def test_run_help_tells_the_true_defaults(self):
        """A model that says nothing about its run gives the same as one with the defaults of the help
        text."""
        text = self.good("run", "--help").stdout
        flags = re.split(r"(?m)^  (?=-)", text)[1:]
        found = {f.split()[0]: re.search(r"\(default: ([\w.-]+)\)", f) for f in flags}
        # their defaults are those of another setting or of one method
        for name in ("--rtol", "--atol", "--alpha"):
            del found[name]
        defaults = [x for name, m in found.items() if m for x in (name, m.group(1))]
        self.assertGreater(len(defaults), 2 * 12)
        write("plain.yaml", "bodies:\n  ball: {mass: 0.7, point: true, velocity: [0.3, 0, 0]}\n")
        silent = json.loads(self.good("run", "plain.yaml", "--json", "--out", "none").stdout)
        given = json.loads(self.good("run", "plain.yaml", "--json", "--out", "none", *defaults).stdout)
        self.assertEqual(silent["settings"], given["settings"])
        self.assertIn("(default: (end - start)/500)", " ".join(text.split()))
        self.assertEqual(silent["rows"], 501)
        self.assertIn("largest step size [s] (default: no limit)", text)
        self.assertEqual(silent["settings"]["max_step"], 0)

    def test_version(self):
        self.assertRegex(self.good("--version").stdout, r"^trammel \d+\.\d+\.\d+\n$")

    def test_nothing_is_wrong_usage(self):
        p = run()
        self.assertEqual(p.returncode, 2)
        self.assertIn("usage: trammel COMMAND", p.stderr)
        self.assertEqual(p.stdout, "")


class Wrong(Case):
    def setUp(self):
        write("usage.yaml", PENDULUM)

    def says(self, *args):
        p = self.bad(2, *args)
        self.assertEqual(p.stdout, "")
        self.assertTrue(p.stderr.startswith("trammel: error: "), p.stderr)
        return p.stderr.splitlines()[0]

    def test_nearest_names(self):
        self.assertIn("is it 'run'?", self.says("rnu"))
        self.assertIn("is it 'methods'?", self.says("help", "method"))
        self.assertIn("is it '--version'?", self.says("--verson"))
        self.assertIn("is it '--tol'?", self.says("run", "usage.yaml", "--tool", "1e-3"))
        self.assertIn("is it '--output-step'?", self.says("run", "usage.yaml", "--output_step=1e-3"))
        self.assertIn("is it 'genalpha'?", self.says("run", "usage.yaml", "--method", "genalfa"))
        self.assertIn("is it 'block'?", self.says("run", "usage.yaml", "--solver", "blok"))
        self.assertIn("is it 'physical'?", self.says("run", "usage.yaml", "--scaling", "physcal"))
        self.assertIn("is it 'se3'?", self.says("run", "usage.yaml", "--group", "se2"))
        self.assertNotIn("is it", self.says("xyzzy"))

    def test_of_other_commands(self):
        self.assertIn("no option '--motors'. ('trammel import' has it.)",
                      self.says("run", "usage.yaml", "--motors"))
        self.assertIn("('out' is called '--as' here)", self.says("new", "pendulum", "--out", "x.yaml"))
        self.assertIn("is it 'robot-arm'?", self.says("new", "robot"))
        self.assertIn("does not end in .html; pictures and films are written by 'trammel export'",
                      self.says("view", "usage.h5", "-o", "x.pdf"))
        self.good("version")

    def test_words_of_others(self):
        for args, said in ((("usage.yaml",), "no command 'usage.yaml' ('trammel run' runs a model)."),
                           (("usage.h5",), "('trammel view' shows a result)"),
                           (("simulate",), "('trammel run' does that)"),
                           (("optimize",), "('trammel study' does that)"),
                           (("animate",), "('trammel view' does that)"),
                           (("info",), "('trammel check' does that)"),
                           (("eigenvalues",), "('trammel modes' does that)"),
                           (("-v",), "(is it '--version'?)"),
                           (("run", "usage.yaml", "--output", "r.h5"), "'--output' (is it '--out'?)"),
                           (("run", "usage.yaml", "--param", "L=2"), "'--param' (is it '--set'?)"),
                           (("run", "usage.yaml", "--steps", "9"), "in place of 'steps' try '--output-step'"),
                           (("run", "usage.yaml", "--plot"), "'trammel plot' is a command of its own"),
                           (("run", "usage.yaml", "--animate"), "'trammel view' is a command of its own"),
                           (("run", "usage.yaml", "L=2"), "(--set L=2 changes a parameter.)"),
                           (("run", "usage.yaml", "--set", "L", "2"), "argument too many. (--set L=2?)"),
                           (("plot", "usage.h5", "height", "--vs", "t"), "'--vs' (is it '--over'?)"),
                           (("new", "truck"), "(is it 'car'?)"), (("new", "beam"), "(is it 'cantilever'?)"),
                           (("new", "double-pendulum"), "(is it 'pendulum'?)")):
            self.assertIn(said, self.says(*args), args)

    def test_plot(self):
        self.good("run", "usage.yaml", "-o", "usage.h5", "--quiet")
        self.assertEqual(self.good("plot", "usage.h5", "height").stdout, "written: plot.svg\n")
        self.assertEqual(self.good("plot", "usage.h5", "height", "-o", "mine.svg").stdout, "")
        self.assertIn("unknown name 'pin' (is it 'pin.", self.says("plot", "usage.h5", "pin"))

    def test_parameters(self):
        r = self.report("run", "usage.yaml", "--set", "L = 2", "--out", "none", code=0)
        self.assertEqual(r["exit_status"], 0)
        write("pushed.yaml", PENDULUM + "inputs: {push: {unit: N}}\n")
        self.assertIn("no parameter 'push' (there is L). (It is an input: its 'value' stands under 'inputs'",
                      self.says("run", "pushed.yaml", "--set", "push=1"))

    def test_files(self):
        """The file that is meant, or what is wrong with the one that is there."""
        for path in ("rods.yml", "rods.h5", "beside/rod.csv", "beside/other.urdf"):
            remove(path)
        os.makedirs("beside", exist_ok=True)
        write("beside/rods_1.yaml", PENDULUM)
        for name in ("beside/rods_1", "beside/rods_1.yml", "beside/rod_1.yaml"):
            self.assertIn(f"'{name}': No such file or directory (is it 'beside/rods_1.yaml'?).",
                          self.says("run", name))
        self.assertIn("'beside/none.yaml': No such file or directory.", self.says("run", "beside/none.yaml"))
        self.good("run", "beside/rods_1.yaml", "-o", "beside/rods_1.h5", "--quiet")
        for name in ("beside/rods_1.csv", "beside/rods_.h5"):
            self.assertIn("No such file or directory (is it 'beside/rods_1.h5'?)",
                          self.says("plot", name, "t"))
        for command in (("check",), ("fmu",), ("run",)):
            self.assertRegex(self.bad(2, *command, "beside/rods_1.h5").stderr,
                             r"'beside/rods_1\.h5' is (a result,|an HDF5 file, a result;) expected a model")
        self.assertIn("(Is it a model? 'trammel run' makes a result of it.)",
                      self.says("view", "beside/rods_1.yaml"))
        self.assertIn("(There is no such file.)", self.says("view", "beside/other.urdf"))
        for ending, program in ((".mbd", "MBDyn"), (".adm", "Adams"), (".py", "Python"), (".slx", "Simulink"),
                                (".sdf", "Gazebo"), (".mo", "Modelica"), (".fmu", "FMI")):
            write("beside/model" + ending, "begin: data;\n  problem: initial value;\n")
            self.assertIn(f"model{ending}' is a file of {program}; expected a model file (YAML or JSON) "
                          "or a robot (URDF, MJCF).", self.bad(2, "run", "beside/model" + ending).stderr)
        self.good("run", "beside/rods_1.yaml", "-o", "none", "--csv", "beside/table.csv", "--quiet")
        self.assertIn("(A .csv file is a table or a result, not a model.)",
                      self.bad(2, "run", "beside/table.csv").stderr)

    def test_values(self):
        for option, value, word in [
            ("--tol", "1e-x", "not a number"), ("--tol", "0", "greater than 0"),
            ("--tol", "", "not a number"), ("--rtol", "-1", "greater than 0"),
            ("--atol", "nan", "not a number"), ("--end", "1e999", "too large"),
            ("--output-step", "0", "greater than 0"), ("--step", "0x1", "not a number"),
            ("--rho", "1.001", "from 0 to 1"), ("--augment", "-1", "0 or greater"),
            ("--augment", "maybe", "a number, on or off"), ("--max-step", "0", "greater"),
            ("--end", "-0.1", "after the start"), ("--end", "0", "after the start"),
            ("--csv", "a.txt", ".csv"), ("--out", "a.mat", ".h5"),
            ("--out", "", "empty"), ("--set", "L", "NAME=VALUE"),
            ("--set", "=1", "NAME=VALUE"), ("--set", "Q=1", "'Q'"),
            ("--set", "L=2*foo", "foo")
        ]:
            with self.subTest(option=option, value=value):
                text = self.says("run", "usage.yaml", option, value)
                self.assertIn(word, text)
                self.assertEqual(self.says("run", "usage.yaml", f"{option}={value}"), text)

    def test_form(self):
        for args, word in [(["--tol"], "needs a value"), (["--tol", "--quiet"], "needs a value"),
                           (["--quiet=yes"], "takes no value"), (["two.yaml"], "one argument too many"),
                           (["--tol", "1e-3", "--tol", "1e-4"], "given twice"),
                           (["--set", "L=1", "--set", "L=2"], "given twice"),
                           (["--step", "1e-3", "--tol", "1e-3"], "give only one of them"),
                           (["--csv", "a.csv", "--out", "a.csv"], "same file"), (["-x"], "no option")]:
            with self.subTest(args=args):
                self.assertIn(word, self.says("run", "usage.yaml", *args))
        self.assertIn("MODEL is missing", self.says("run"))

    def test_the_model_is_not_overwritten(self):
        write("usage.csv", PENDULUM)
        self.assertIn("overwrite", self.says("run", "usage.csv", "--csv", "usage.csv"))
        with open("usage.csv", encoding="utf-8") as f:
            self.assertEqual(f.read(), PENDULUM)

    def test_a_name_like_an_option(self):
        write("--odd.yaml", PENDULUM)
        self.good("run", "--out", "none", "--", "--odd.yaml")
        remove("--odd.yaml")

    def test_json_is_there_too(self):
        p = self.bad(2, "run", "usage.yaml", "--tol", "x", "--json")
        r = json.loads(p.stdout)
        self.assertEqual((r["status"], r["exit_status"]), ("argument", 2))
        self.assertIn("not a number", r["error"]["message"])


class Tables(Case):
    def test_methods(self):
        r = json.loads(self.good("methods", "--json").stdout)
        text = self.good("methods").stdout
        self.assertLess(max(map(len, text.splitlines())), 80)
        methods = {m["name"]: m for m in r["methods"]}
        self.assertEqual(methods["genalpha"]["order"], 2)
        self.assertLessEqual({"dense", "klu", "block", "reduced", "tree"}, {s["name"] for s in r["solvers"]})
        for m in r["methods"]:
            self.assertEqual(set(m), {"name", "order", "form", "stability", "summary", "citation"})
            self.assertRegex(text, rf"(?m)^  {m['name']} +order {m['order']}; ")
        for s in r["solvers"] + [{"name": "auto"}]:
            self.assertRegex(text, rf"(?m)^  {s['name']} +\w")

    def test_schema(self):
        schema = json.loads(self.good("schema").stdout)
        self.assertIn("$schema", schema)
        self.assertIn("bodies", schema["properties"])
        page = self.good("schema", "--markdown").stdout
        self.assertTrue(page.startswith("#"), page[:80])
        self.assertIn("revolute", page)

    def test_lost_output_is_a_failure(self):
        for args in (["methods"], ["schema"], ["--help"], ["run", "--help"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                p = subprocess.run([TRAMMEL, *args], stdout=full, stderr=subprocess.PIPE, text=True,
                                   check=False)
            self.assertEqual(p.returncode, 1, args)
            self.assertIn("standard output", p.stderr)


if __name__ == "__main__":
    main()
