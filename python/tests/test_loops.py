"""Loops of one's own: rows that are recorded, channels by handles, inputs at once, inputs in on_output."""
import os
import threading

import numpy as np

from common import CART, PENDULUM, Case, model_file, trammel, unittest
from trammel import ForceFunction, Model, Simulation


class Record(Case):
    def test_rows(self):
        """The rows are on the grid of `record`, whatever the ticks are."""
        sim = Model.parse(CART).simulate(record=0.05)
        for tick in range(40):
            sim.set_input("push", 1.3 - 0.1 * tick)
            sim.advance(0.02 * (tick + 1))
        result = sim.result
        np.testing.assert_allclose(result.t, 0.05 * np.arange(17), rtol=0, atol=4e-16)  # round-off
        v = x = 0.0
        for tick in range(40):
            a = (1.3 - 0.1 * tick) / 2
            x, v = x + 0.02 * v + 2e-4 * a, v + 0.02 * a
        self.assertLess(abs(result["cart.x"][-1] - x), 1e-8)  # the tolerance
        self.assertEqual(result["cart.x"][-1], sim["cart.x"])
        self.assertEqual((result.title, result.names), ("Cart", [c.name for c in sim.channels]))
        self.assertIn("simulated    0 .. 0.8 s", result.summary)

    def test_as_a_run(self):
        """Steps of the same sizes have the rows of a run."""
        model = Model.parse(PENDULUM)
        sim = model.simulate(record=True)
        while sim.t < 0.5:
            sim.step()
        result = model.run()
        self.same_bits(np.array(sim.result.values), np.array(result.values))

    def test_result(self):
        """It is written, read, shown and plotted as that of a run; later rows do not change it."""
        sim = Model.parse(CART).simulate(record=0.1)
        sim.advance(0.5)
        result, path = sim.result, os.path.join(self.folder(), "cart.h5")
        sim.advance(0.7)
        self.assertEqual((len(result), len(sim.result)), (6, 8))
        result.write(path)
        self.same_bits(np.array(trammel.Result.load(path).values), result.values)
        page = os.path.join(self.folder(), "cart.html")
        result.page(page)
        self.assertGreater(os.path.getsize(page), 1000)
        result.plot("cart.x", path=os.path.join(self.folder(), "cart.svg"))

    def test_event_and_restart(self):
        sim = Model.parse(CART).simulate(record=0.1)
        start = sim.state.copy()
        sim.set_input("push", 50)
        self.assertFalse(sim.advance(1))
        self.assertLess(abs(sim.result["cart.x"][-1] - 0.7), 1e-9)
        sim.restart(start)
        self.assertEqual(len(sim.result), 1)

    def test_run_and_load(self):
        model = Model.parse(CART)
        sim = model.simulate(record=0.1)
        sim.advance(0.2)
        self.assertEqual(len(sim.run(0.4)), 3)
        self.assertEqual(len(sim.result), 5)
        again = Simulation.load(model, sim.save_bytes(), record=True)
        again.advance(0.5)
        self.assertEqual(list(np.round(again.result.t, 12)), [0.4, 0.5])

    def test_mistakes(self):
        model = Model.parse(CART)
        with self.assertRaisesRegex(trammel.ArgumentError, "the step is given twice"):
            model.simulate(record=0.1, output_step=0.2)
        with self.assertRaisesRegex(trammel.ArgumentError, "made without `record`"):
            _ = model.simulate().result
        with self.assertRaises(trammel.Error):
            model.simulate(record=-0.1)


class Handles(Case):
    def setUp(self):
        self.sim = Model.load(model_file("slider_crank.yaml")).simulate(record=0.01)
        self.sim.advance(0.03)

    def test_values(self):
        """A row of `values` is as one of `result.values`."""
        sim, row = self.sim, self.sim.values
        self.assertEqual(row.shape, sim.result.values[-1].shape)
        for name in ("t", "slider.x", "crank.wz", "energy.kinetic"):
            column = sim.index(name)
            self.assertEqual(column, sim.result.index(name))
            self.assertEqual(row[column], sim[name])
            self.assertLess(abs(row[column] - sim.result[name][-1]), 1e-6, name)
        row[:] = 0  # it is a copy
        self.assertNotEqual(sim["crank.wz"], 0)

    def test_attitude(self):
        angle = 2 * np.arctan2(self.sim["crank.q3"], self.sim["crank.q0"])
        self.assertLess(abs(self.sim["crank.yaw"] - angle), 1e-12)
        self.assertLess(abs(self.sim["crank.yaw_rate"] - self.sim["crank.wz"]), 1e-12)

    def test_handles(self):
        sim = self.sim
        x, both = sim.handle("slider.x"), sim.handle("slider.x", "crank.wz")
        angles = sim.handle("crank.q*")
        self.assertIsInstance(sim[x], float)
        self.assertEqual(list(sim[both]), [sim["slider.x"], sim["crank.wz"]])
        self.assertEqual(list(sim[["slider.x", "crank.wz"]]), list(sim[both]))
        self.assertEqual(angles.names, ["crank.q0", "crank.q1", "crank.q2", "crank.q3"])
        self.assertEqual((both.units, len(angles)), (["m", "rad/s"], 4))
        before, kept = sim[x], sim[both]
        sim.advance(0.04)
        self.assertNotEqual(sim[x], before)
        self.assertEqual(kept[0], before)  # arrays are not reused

    def test_mistakes(self):
        other = Model.parse(CART).simulate()
        with self.assertRaisesRegex(trammel.ArgumentError, "of another simulation"):
            _ = other[self.sim.handle("slider.x")]
        with self.assertRaisesRegex(trammel.UnknownNameError, "no channel 'slider.xx'.*slider.x"):
            self.sim.handle("slider.xx")
        with self.assertRaisesRegex(trammel.UnknownNameError, "no channel like"):
            self.sim.handle("sledge.*")
        for wrong in (3, None, [], [1], 2.5):
            with self.assertRaisesRegex(TypeError, "expected the name of a channel"):
                _ = self.sim[wrong]


TWO = CART.replace("inputs: {push: {value: 0, unit: N}}", "inputs: {push: {value: 0}, drag: {value: 0}}") \
    .replace("[push, 0]", "[push - drag, 0]")


class Inputs(Case):
    def test_together(self):
        sim = Model.parse(TWO).simulate()
        sim.set_inputs(np.array([3.0, 1.0]))
        self.assertEqual((sim.input("push"), sim.input("drag")), (3, 1))
        sim.set_inputs({"drag": 2})
        self.assertEqual((sim.input("push"), sim.input("drag")), (3, 2))
        sim.advance(0.5)
        self.assertLess(abs(sim["cart.vx"] - 0.25), 1e-8)
        for wrong in ([1], 1.0, [[1, 2]], [1, 2, 3]):
            with self.assertRaisesRegex(trammel.ArgumentError, "expected one for each of the 2 inputs"):
                sim.set_inputs(wrong)
        with self.assertRaisesRegex(trammel.ArgumentError, "must be finite"):
            sim.set_inputs([7, np.nan])
        with self.assertRaises(trammel.UnknownNameError):
            sim.set_inputs({"push": 7, "drug": 1})
        self.assertEqual(sim.input("push"), 3)

    def test_in_on_output(self):
        """As in a loop with the output step as its tick; also on_step may set inputs."""
        def control(sim, state):
            sim.set_input("push", 2 - 6 * float(state.q[0]) - float(state.u[0]))

        sim = Model.parse(CART).simulate(end=1, output_step=0.05)
        result = sim.run(on_output=control)
        loop = Model.parse(CART).simulate(end=1)
        for tick in range(20):
            control(loop, loop.state)
            loop.advance(0.05 * (tick + 1))
        self.assertLess(abs(sim.q[0] - loop.q[0]), 3e-8)  # both within their tolerance, 1e-8
        self.assertEqual(result["push"][-1], loop.input("push"))
        sim.run(1.2, on_step=lambda s, t, h: s.set_input("push", 0.25))
        self.assertEqual(sim.input("push"), 0.25)

    def test_refused(self):
        """A force cannot set inputs in the middle of a step, nor another thread during a run."""
        model = Model.parse(CART)
        sims = []
        model.add(ForceFunction("meddle", lambda t, f: sims[0].set_input("push", 1) if sims else np.zeros(3),
                                frames="cart"))
        sims.append(model.simulate())
        with self.assertRaisesRegex(trammel.ArgumentError, "The simulation is running"):
            sims[0].advance(0.1)

        found = []

        def meddle(sim):
            try:
                sim.set_input("push", 1)
            except trammel.ArgumentError as e:
                found.append(str(e))

        def on_output(sim, _state):
            thread = threading.Thread(target=meddle, args=(sim,))
            thread.start()
            thread.join()

        Model.parse(CART).simulate().run(0.05, on_output=on_output)
        self.assertTrue(found and all("running" in message for message in found))


class Kinematics(Case):
    def test_against_the_command(self):
        """The crank is driven: its angle is that of the driver, the torque that of an integrated run."""
        model = Model.load(model_file("stewart_platform.yaml"))
        result = trammel.kinematics(model, end=0.3)
        self.assertEqual(result.report.method, "kinematics")
        run = model.run(end=0.3, tol=1e-9)
        moving = [n for n in result.names if n.endswith((".x", ".y", ".z"))]
        self.assertTrue(moving)
        for name in moving:
            self.assertLess(np.abs(result[name] - run[name]).max(), 1e-7, name)

    def test_free(self):
        with self.assertRaisesRegex(trammel.Error, "free|degree"):
            trammel.kinematics(Model.parse(PENDULUM))


if __name__ == "__main__":
    unittest.main()
