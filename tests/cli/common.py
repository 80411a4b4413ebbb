"""What the tests of the command share: running it, and small models."""
import json
import os
import subprocess
import unittest

TRAMMEL = os.environ["TRAMMEL"]
SLOW = "TRAMMEL_SLOW_BUILD" in os.environ  # instrumented: do less of the same
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
    return subprocess.run([TRAMMEL, *args], capture_output=True, text=True, encoding="utf-8", timeout=120,
                          stdin=subprocess.DEVNULL, check=False, **more)


def table(name):
    """Columns of a CSV file by name."""
    lines = read(name).splitlines()
    names = lines[0].split(",")
    rows = [[float(x) for x in line.split(",")] for line in lines[1:]]
    return {n: [row[i] for row in rows] for i, n in enumerate(names)}


class Case(unittest.TestCase):
    maxDiff = None

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
