"""check, static, modes, linearize, compare, verify: the numbers of the command."""
import json

import numpy as np

from common import CART, PENDULUM, Case, model_file, pendulum, run_command, trammel, unittest
from trammel import Model, joints


class Analyses(Case):
    def command(self, *args):
        done = run_command(*args, "--json")
        return json.loads(done.stdout)

    def test_check(self):
        path = model_file("redundant_four_bar.yaml")
        found, expected = trammel.check(Model.load(path)), self.command("check", path)
        self.assertIsNone(found.error)
        text = json.dumps(expected)
        self.assertEqual(found.freedoms, 1)
        self.assertGreater(len(found.dependencies), 0)
        for sentence in found.sentences:
            self.assertIn(json.dumps(sentence)[1:-1], text)
        self.assertEqual(found.eigenvalues.dtype, complex)

    def test_check_conflict(self):
        model = pendulum()
        model.frame("there", [100, 0])
        model.add(joints.Revolute("impossible", a="ground.there", b="bob.top"))
        found = trammel.check(model)
        self.assertFalse(found.assembled)
        self.assertIn("impossible", found.error)

    def test_static(self):
        path = model_file("suspension.yaml")
        found, expected = trammel.static(Model.load(path)), self.command("static", path)
        self.assertEqual(found.channels, expected["channels"])
        self.assertEqual(found.iterations, expected["iterations"])
        self.assertEqual(found["t"], 0.0)
        rest = Model.load(path).simulate(state=found.state)
        self.assertEqual(rest.t, 0.0)

    def test_modes(self):
        path = model_file("suspension.yaml")
        found = trammel.modes(Model.load(path), at="equilibrium")
        expected = self.command("modes", path, "--at", "equilibrium")["modes"]
        self.assertEqual([mode.hz for mode in found], [mode["hz"] for mode in expected])
        self.assertEqual(found[0].kind, "oscillation")
        self.assertAlmostEqual(found.assurance(0, found, 0), 1, 12)
        self.assertLess(found.assurance(0, found, 1), 0.9)
        self.assertEqual(np.abs(found[0].shape).max() > 0, True)

    def test_linearize(self):
        """A cart pushed by its input: x'' = push/m."""
        model = Model.parse(CART)
        model.output("place", "3*cart.x")
        linear = trammel.linearize(model)
        self.assertEqual(linear.states, ["cart.x", "cart.x'"])
        np.testing.assert_allclose(linear.A, [[0, 1], [0, 0]], atol=1e-12)
        np.testing.assert_allclose(linear.B, [[0], [0.5]], atol=1e-9)
        np.testing.assert_allclose(linear.C, [[3, 0]], atol=1e-6)
        self.assertFalse(linear.A.flags.owndata)
        self.assertEqual(linear.units["push"], "N")

    def test_verify(self):
        found = trammel.verify(Model.parse(PENDULUM), end=0.2)
        self.assertTrue(found)
        self.assertLess(found.ratio, 1)
        self.assertIn("pin.angle", [s.name for s in found.signals])

    def test_compare(self):
        found = trammel.compare(Model.parse(PENDULUM), ["bdf", "radau5"], tols=[1e-3, 1e-5], end=0.2,
                                budget=0)
        self.assertEqual([(r.method, r.tol) for r in found.rows],
                         [("bdf", 1e-3), ("bdf", 1e-5), ("radau5", 1e-3), ("radau5", 1e-5)])
        self.assertTrue(all(r.outcome == "done" for r in found.rows))
        self.assertLess(found.rows[1].error.position, found.rows[0].error.position)

    def test_compare_methods(self):
        """A single method, at the tolerances of the library; fixed steps; a method that does not exist."""
        found = trammel.compare(Model.parse(PENDULUM), "erk5", end=0.1, budget=0)
        self.assertEqual(len({r.tol for r in found.rows}), 7)
        found = trammel.compare(Model.parse(PENDULUM), ["genalpha"], steps=[1e-2, 5e-3], end=0.1, budget=0)
        self.assertEqual([r.step for r in found.rows], [1e-2, 5e-3])
        with self.assertRaisesRegex(trammel.UnknownNameError, r"'bfd' \(is it 'bdf'\?\)"):
            trammel.compare(Model.parse(PENDULUM), ["bfd"])

    def test_advise(self):
        advice = trammel.advise(Model.parse(PENDULUM))
        self.assertTrue(advice.runs)
        self.assertTrue(advice.method)

    def test_time(self):
        """At a time of the run, and what is not one."""
        found = trammel.linearize(pendulum(), at=0.2)
        self.assertEqual(found.t, 0.2)
        with self.assertRaisesRegex(trammel.ArgumentError, "7 s is not within the run, 0 to 0.5 s"):
            trammel.linearize(pendulum(), at=7)
        with self.assertRaisesRegex(trammel.ArgumentError, r"'equilibium' .*\(is it 'equilibrium'\?\)"):
            trammel.modes(pendulum(), at="equilibium")


if __name__ == "__main__":
    unittest.main()
