"""Forces by functions: of Python, and compiled ones by their address."""
import ctypes
import gc
import os
import subprocess

import numpy as np

from common import SOURCE, Case, model_file, pendulum, trammel, unittest
from trammel import ForceFunction, Model, forces

COMPILED = """\
#include <trammel/spec.h>
void pull(double t, const tml_frame_motion *frame, double *wrench, void *user)
{
    const double k = user ? *(const double *)user : 3.0;
    for (int i = 0; i < 3; i++) wrench[i] = -k * frame[0].position[i] - 0.1 * t;
}
"""


def pull(t, frames):
    return -3.0 * frames[0].position - 0.1 * t


class Functions(Case):
    def run_with(self, force):
        model = Model.load(model_file("pendulum.yaml"))
        model.add(force)
        return model.run(end=1, tol=1e-7)

    def test_expression(self):
        """The same force as a Python function and as an expression: the same motion, to the tolerance."""
        components = [f"-3*bob.{axis} - 0.1*t" for axis in "xy"]  # a planar model
        a = self.run_with(ForceFunction("pull", pull, frames="bob"))
        b = self.run_with(forces.Applied("pull", at="bob", force=components))
        # derivatives of a function are difference quotients: steps differ; 10 times the tolerance
        self.assertLess(np.abs(a["bob.x"] - b["bob.x"]).max(), 1e-6)
        self.assertGreater(np.abs(a["bob.x"] - self.run_with(
            forces.Applied("other", at="bob", force=[1, 0]))["bob.x"]).max(), 1e-3)

    def test_kept_frames(self):
        """Frames that a function keeps hold numbers of Python's own memory when the simulation is gone."""
        kept, seen = [], set()

        def keep(t, frames):
            kept.append(frames[0])
            seen.add(tuple(frames[0].position))
            return np.zeros(3)
        self.run_with(ForceFunction("keep", keep, frames="bob"))
        gc.collect()
        for frame in kept:
            owner = frame.position
            while isinstance(owner.base, np.ndarray):
                owner = owner.base
            self.assertTrue(owner.flags.owndata, "it is memory of the library")
            self.assertIn(tuple(frame.position), seen)
        with self.assertRaises(ValueError):
            kept[0].position[0] = 1

    def test_compiled(self):
        """A compiled function by its address gives the bits of the same one in Python."""
        folder = self.folder()
        source, library = os.path.join(folder, "pull.c"), os.path.join(folder, "pull.so")
        with open(source, "w", encoding="utf-8") as f:
            f.write(COMPILED)
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-ffp-contract=off", "-I",
                        os.path.join(SOURCE, "include"), "-o", library, source], check=True)
        function = ctypes.CDLL(library).pull
        address = ctypes.cast(function, ctypes.c_void_p).value
        result = self.run_with(ForceFunction("pull", pull, frames="bob"))
        self.same_bits(self.run_with(ForceFunction("pull", function, frames="bob")).values, result.values)
        self.same_bits(self.run_with(ForceFunction("pull", address, frames="bob")).values, result.values)
        k = ctypes.c_double(5.0)
        other = self.run_with(ForceFunction("pull", address, frames="bob", user=ctypes.addressof(k)))
        self.assertFalse(np.array_equal(other.values, result.values))

    def test_motion(self):
        """A function sees position, axes and velocities of its frames, in the order given."""
        seen = []

        def look(t, frames):
            seen.append([np.array(x) for f in frames for x in f])
            return np.zeros((2, 6))

        model = pendulum()
        model.add(ForceFunction("look", look, frames=["bob.top", "ground"]))
        sim = model.simulate()
        seen.clear()
        sim.advance(0.3)
        top, axes, velocity, spin, origin = seen[-1][:5]
        np.testing.assert_allclose(top, 0, atol=1e-6)  # the pin holds it; tolerance 1e-6
        np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
        np.testing.assert_allclose(velocity, 0, atol=1e-4)
        self.assertLess(spin[2], -1)
        np.testing.assert_array_equal(origin, 0)

    def test_exception(self):
        """An exception in a function is raised by whatever called it, and only once."""
        calls = []

        def fail(t, frames):
            calls.append(t)
            if t > 0.1:
                raise KeyError("mine")
            return [0, 0, 0]

        model = pendulum()
        model.add(ForceFunction("fail", fail, frames="bob"))
        sim = model.simulate()
        with self.assertRaisesRegex(KeyError, "mine"):
            sim.run()
        self.assertLess(sim.t, 0.11)
        sim = model.simulate()
        self.assertTrue(sim.advance(0.05))
        with self.assertRaisesRegex(KeyError, "mine"):
            sim.advance(0.3)

    def test_moment(self):
        """The last three numbers are a moment."""
        model = Model()
        model.add(trammel.Body("a", mass=1, inertia=2))
        model.add(ForceFunction("turn", lambda t, x: [0, 0, 0, 0, 0, 3.0], frames="a"))
        self.assertAlmostEqual(model.run(end=1)["a.wz"][-1], 1.5, 6)


if __name__ == "__main__":
    unittest.main()
