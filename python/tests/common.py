"""What the tests share: models, and the command to compare with."""
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.environ.get("TRAMMEL_SOURCE_DIR",
                        os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(SOURCE, "python"))
COMMAND = os.environ.get("TRAMMEL", os.path.join(SOURCE, "build", "trammel"))

# pylint: disable=wrong-import-position
import trammel  # noqa: E402
from trammel import Body, Model, joints  # noqa: E402

PENDULUM = """\
title: Pendulum of the tests
planar: true
gravity: 9.81
parameters: {L: 1.3}
bodies:
  bob: {mass: 0.7, inertia: 0.02, position: [L, 0], frames: {top: [-L, 0]}}
joints:
  pin: {type: revolute, a: ground, b: bob.top, damping: 0.013}
outputs:
  height: bob.y + L
run: {end: 0.5, output_step: 0.01, tol: 1e-6}
"""

CART = """\
title: Cart
planar: true
bodies: {cart: {mass: 2, inertia: 1}}
joints: {rail: {type: prismatic, a: ground, b: cart, axis: [1, 0]}}
inputs: {push: {value: 0, unit: N}}
forces: {drive: {type: applied, at: cart, force: [push, 0]}}
events: {far: {when: cart.x - 0.7}}
run: {end: 2, tol: 1e-8}
"""


def model_file(name):
    return os.path.join(SOURCE, "models", name)


def pendulum(**changes):
    """The model PENDULUM, built in Python."""
    model = Model("Pendulum of the tests", planar=True, gravity=9.81, parameters={"L": 1.3})
    bob = model.add(Body("bob", mass=0.7, inertia=0.02, position=["L", 0], frames={"top": ["-L", 0]}))
    model.add(joints.Revolute("pin", **{"a": "ground", "b": bob["top"], "damping": 0.013, **changes}))
    model.output("height", "bob.y + L")
    model.settings(end=0.5, output_step=0.01, tol=1e-6)
    return model


def run_command(*args):
    return subprocess.run([COMMAND, *args], capture_output=True, text=True, timeout=600, check=False)


class Case(unittest.TestCase):
    def folder(self):
        """A folder that is removed after the test."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return folder.name

    def same_bits(self, a, b):
        self.assertEqual(a.shape, b.shape)
        self.assertEqual(a.tobytes(), b.tobytes())


__all__ = ["CART", "COMMAND", "Case", "PENDULUM", "SOURCE", "model_file", "pendulum", "run_command",
           "trammel", "unittest"]
