"""What the tests of the command share: running it, small models, and the way to leave something out of slow
builds."""
import csv
import json
import os
import re
import subprocess
import sys
import unittest

TRAMMEL = os.environ["TRAMMEL"]
SLOW = "TRAMMEL_SLOW_BUILD" in os.environ  # instrumented: ten times slower
LONG = "TRAMMEL_LONG" in os.environ  # make test-long
FAULTS = os.environ.get("TRAMMEL_FAULTS")  # a library to be preloaded, see tests/support/faults.c
PATIENCE = 600  # [s] after which a command is considered hung; no measure of speed
SOURCE = os.environ.get("TRAMMEL_SOURCE_DIR", os.path.join(os.path.dirname(__file__), "..", ".."))

PENDULUM = """\
title: Pendulum "of" the tests
planar: true
gravity: 9.81
parameters: {L: 1.3}
bodies:
  bob: {mass: 0.7, inertia: 0.02, position: [L, 0], frames: {top: [-L, 0]}}
joints:
  pin: {type: revolute, a: ground, b: bob.top}
outputs:
  height: bob.y + L
run: {end: 0.5, output_step: 0.01, step: 1e-3}
"""


def write(name, text):
    with open(name, "w", encoding="utf-8", newline="") as f:
        f.write(text)
    return name


def read(name):
    with open(name, encoding="utf-8") as f:
        return f.read()


def remove(*names):
    for name in names:
        if os.path.lexists(name):
            os.remove(name)


def run(*args, **more):
    """Runs the command; returns the finished process with text in stdout and stderr."""
    return subprocess.run([TRAMMEL, *args], capture_output=True, text=True, encoding="utf-8",
                          timeout=PATIENCE, stdin=subprocess.DEVNULL, check=False, **more)


def methods_of_runs():
    """What `trammel methods` says of each method by name, but for those that belong to captured contacts."""
    return {m["name"]: m for m in json.loads(run("methods", "--json").stdout)["methods"]
            if m["form"] != "velocities and impulses"}


def module_folder():
    """The folder of the modules of this version, beside the command; None if it was built without them."""
    version = run("--version").stdout.split()[1]
    folder = os.path.join(os.path.dirname(TRAMMEL), "trammel-" + version.rpartition(".")[0])
    return folder if os.path.isdir(folder) else None


def has_units():
    """Whether the library of units of co-simulation for this machine was built."""
    folder = module_folder()
    return bool(folder) and os.path.exists(os.path.join(folder, f"fmu-{os.uname().machine}.so"))


def csv_lines(name):
    """Names and rows of a CSV file: its lines without comments."""
    return [line for line in read(name).splitlines() if not line.startswith("#")]


def table(name):
    """Columns of a CSV file by name."""
    lines = csv_lines(name)
    names = lines[0].split(",")
    rows = [[float(x) for x in line.split(",")] for line in lines[1:]]
    return {n: [row[i] for row in rows] for i, n in enumerate(names)}


def csv_rows(f):
    """Rows of an open CSV file, by the names of its columns."""
    return csv.DictReader(line for line in f if not line.startswith("#"))


def faulty(*args, **faults):
    """The command with faults as tests/support/faults.c describes them. Blocks of results and checkpoints are
    written after few rows, because the clock advances by 0.2 s at every look."""
    environment = dict(os.environ, LD_PRELOAD=FAULTS, FAULT_TICK="0.2",
                       **{"FAULT_" + k.upper(): str(v) for k, v in faults.items()})
    return run(*args, env=environment)


def report_skip(name, reason):
    """Tells that instrumented builds leave this out. tests/tools/list_skipped collects these lines."""
    print(f"skipped under sanitizers: {name}: {reason}", flush=True)


def skip_if_slow(reason):
    """Decorator: instrumented builds do not run this test or class."""
    def decorate(item):
        if not SLOW:
            return item
        report_skip(f"{os.path.basename(sys.argv[0])} {item.__qualname__}", reason)
        return unittest.skip(reason)(item)
    return decorate


def fewer_if_slow(name, some, every, reason):
    """`every`; instrumented builds get `some` and tell it under this name."""
    if not SLOW:
        return every
    report_skip(f"{os.path.basename(sys.argv[0])} {name}", reason)
    return some


def fewer_unless_long(some, every):
    """`some`; make test-long runs `every`."""
    return every if LONG else some


def each(values):
    """Decorator of a test method with one argument: becomes one test for each value, test_x_VALUE. Needs
    Case."""
    def decorate(method):
        method.one_test_for = tuple(values)
        return method
    return decorate


class Case(unittest.TestCase):
    """A class that takes long states its time on one core, `cost = 90  # [s]`: see tests/tools/list_tests."""
    maxDiff = None

    def __init_subclass__(cls, **more):
        super().__init_subclass__(**more)
        for name, method in list(vars(cls).items()):
            if not hasattr(method, "one_test_for"):
                continue
            delattr(cls, name)
            for value in method.one_test_for:
                word = re.sub(r"\W+", "_", str(value)).strip("_")
                assert not hasattr(cls, f"{name}_{word}"), f"two values of {name} have the name {word}"
                setattr(cls, f"{name}_{word}", lambda self, f=method, v=value: f(self, v))

    def good(self, *args, **more):
        p = run(*args, **more)
        self.assertEqual((p.returncode, p.stderr), (0, ""), p.stdout)
        return p

    def bad(self, code, *args, **more):
        p = run(*args, **more)
        self.assertEqual(p.returncode, code, p.stderr + p.stdout)
        self.assertIn("error: ", p.stderr)
        return p

    def report(self, *args, code=0, **more):
        """The JSON report of a run that ends with this exit status."""
        p = run(*args, "--json", **more)
        self.assertEqual(p.returncode, code, p.stderr)
        r = json.loads(p.stdout)
        self.assertEqual(r["exit_status"], code)
        return r


def main():
    """Runs the tests of the calling file. usage: FILE.py [--part I/N] [CLASS[.METHOD]...]

    --part runs every N-th of the test methods chosen, from the I-th on.
    """
    args = sys.argv[1:]
    part, parts = 1, 1
    if args[:1] == ["--part"]:
        part, parts = map(int, args[1].split("/"))
        args = args[2:]
    assert 1 <= part <= parts, "--part I/N with 1 <= I <= N"
    module = sys.modules["__main__"]
    loader = unittest.TestLoader()
    suite = loader.loadTestsFromNames(args, module) if args else loader.loadTestsFromModule(module)
    chosen = flatten(suite)[part - 1::parts]
    if not chosen:
        sys.exit("no tests")
    result = unittest.TextTestRunner(verbosity=2).run(unittest.TestSuite(chosen))
    sys.exit(not result.wasSuccessful())


def flatten(suite):
    """The test cases of a suite of suites."""
    return [case for item in suite
            for case in (flatten(item) if isinstance(item, unittest.TestSuite) else [item])]
