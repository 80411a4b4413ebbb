"""Robots: the calls of the library, from Python; their numbers are checked in tests/robot."""
import threading

import numpy as np

from common import PENDULUM, Case, model_file, trammel, unittest
from trammel import Model, Robot, Simulation

ARM = """\
gravity: [0, 0, -9.81]
bodies:
  upper: {mass: 2, inertia: [0.03, 0.03, 0.01], position: [0, 0, 0.3], frames: {tip: [0, 0, 0.3]}}
  lower: {mass: 1, inertia: [0.02, 0.02, 0.01], position: [0, 0, 0.8],
          frames: {tip: {position: [0, 0, 0.2], orientation: {axis: [1, 0, 0], angle: 0.4}}}}
joints:
  waist: {type: revolute, a: ground, b: upper, point: [0, 0, 0], axis: [0, 0, 1], torque: tau}
  elbow: {type: revolute, a: upper.tip, b: lower, point: [0, 0, 0.6], axis: [0, 1, 0],
          limits: {lower: -2, upper: 2.2, restitution: 0}}
  hand: {type: prismatic, a: lower, b: grip, axis: [0, 0, 1]}
inputs: {tau: {value: 0, unit: N m}}
""".replace("joints:", "  grip: {mass: 0.3, inertia: [0.001, 0.001, 0.001], position: [0, 0, 1.1]}\njoints:")


class Calls(Case):
    def setUp(self):
        self.model = Model.parse(ARM)
        self.robot = Robot(self.model)
        self.robot.set([0.3, -0.7, 0.05], [0.4, -1.1, 0.2])

    def test_coordinates(self):
        robot = self.robot
        self.assertEqual(robot.names, ["waist.angle", "elbow.angle", "hand.distance"])
        self.assertEqual([c.unit for c in robot.coordinates], ["rad", "rad", "m"])
        self.assertEqual((robot.coordinates[1].lower, robot.coordinates[1].upper), (-2, 2.2))
        self.assertEqual(robot.coordinates[0].upper, np.inf)

    def test_state(self):
        """A simulation that begins at the state of the robot, and the robot at the state of a simulation."""
        robot = self.robot
        sim = Simulation(self.model, state=robot.state(), end=1, tol=1e-9)
        self.assertLess(abs(sim["elbow.angle"] + 0.7), 1e-12)
        accelerations = robot.accelerations()
        found = [sim[f"{name}_acceleration"] for name in robot.names]
        np.testing.assert_allclose(found, accelerations, rtol=1e-9)
        sim.advance(0.3)
        robot.set(sim.state)
        np.testing.assert_allclose(robot.q, [sim[name] for name in robot.names], rtol=0, atol=1e-12)

    def test_dynamics(self):
        robot = self.robot
        M, h, Q = robot.mass_matrix(), robot.bias(), robot.forces()
        udot = np.array([0.3, 2.0, -0.4])
        np.testing.assert_allclose(robot.inverse_dynamics(udot), M @ udot + h - Q, rtol=1e-12)
        np.testing.assert_allclose(robot.accelerations(robot.inverse_dynamics(udot)), udot, rtol=1e-10)
        self.assertEqual(abs(Q).max(), 0)
        robot.set_input("tau", 1.5)
        np.testing.assert_allclose(robot.forces(), [1.5, 0, 0], atol=1e-14)

    def test_gradients(self):
        robot, step, tau = self.robot, 1e-6, np.array([0.2, -0.3, 1.0])
        q, u = robot.q, robot.u
        found = robot.gradients(tau)

        def at(dq=0.0, du=0.0, dt=0.0):
            robot.set(q + dq, u + du)
            return robot.accelerations(tau + dt)

        for k, name in enumerate(("dq", "du", "dt")):
            wanted = np.column_stack([(at(**{name: step * e}) - at(**{name: -step * e})) / (2 * step)
                                      for e in np.eye(3)])
            np.testing.assert_allclose(found[k], wanted, rtol=0, atol=1e-7 * max(1, abs(wanted).max()))

    def test_frames(self):
        robot = self.robot
        J, rate = robot.jacobian_and_rate("lower.tip")
        sim = Simulation(self.model, state=robot.state(), end=1, tol=1e-10)
        before, step, velocity = robot.pose("lower.tip")[0], 1e-5, J @ robot.u
        acceleration = J @ robot.accelerations() + rate @ robot.u
        sim.advance(step)
        robot.set(sim.state)
        after = robot.pose("lower.tip")[0]
        # of a path over the step, without its third derivative
        np.testing.assert_allclose((after - before) / step, (velocity + acceleration * step / 2)[:3],
                                   rtol=0, atol=1e-8)

    def test_reach(self):
        robot = self.robot
        position, axes = robot.pose("grip")
        robot.set([-0.2, -0.3, 0.1])
        found = robot.reach({"grip": position})
        self.assertTrue(found and found.distance < 1e-10, found)
        found = robot.reach({"grip": (position, axes, 1, 0.1)})
        self.assertLess(found.angle, 1e-9)
        found = robot.reach({"grip": (None, axes)}, lower=[-3, -3, 0], upper=[3, 3, 0.02])
        self.assertLessEqual(found.q[2], 0.02)
        with self.assertRaisesRegex(trammel.ArgumentError, "a position of 3 numbers"):
            robot.reach({"grip": [1, 2]})
        with self.assertRaises(trammel.UnknownNameError):
            robot.reach({"grap": position})

    def test_static(self):
        robot = self.robot
        np.testing.assert_allclose(robot.static_torques(), robot.bias(), atol=1e-12)
        self.assertEqual(abs(robot.u).max(), 0)

    def test_loop(self):
        robot = Robot(Model.load(model_file("four_bar.yaml")))
        self.assertGreater(robot.row_count, 0)
        B, gamma = robot.rows()
        self.assertEqual((B.shape, gamma.shape), ((robot.row_count, robot.n), (robot.row_count,)))

    def test_contacts(self):
        """What touches, and where: a grip on the floor, pushed through its Jacobian."""
        shapes = ("shapes: {floor: {type: plane, at: ground}, ball: {type: sphere, radius: 0.1, at: grip}}\n"
                  "contacts: {touch: {a: floor, b: ball, law: rigid, restitution: 0,"
                  " friction: {coefficient: 0.5}}}\n")
        robot = Robot(Model.parse(ARM + shapes))
        robot.set([0.3, 2.0, 0.05], [0.4, -1.1, 0.2])
        self.assertEqual(robot.contacts(-1), [])
        point, = robot.contacts(1)
        self.assertEqual((point.name, point.bodies), ("touch", ("ground", "grip")))
        height = robot.pose("grip")[0][2]
        self.assertLess(abs(point.gap - (height - 0.1)), 1e-14)
        np.testing.assert_allclose(point.normal, [0, 0, 1])
        self.assertLess(abs(point.jacobian[2] @ robot.u - robot.jacobian("grip")[2] @ robot.u), 1e-12)
        before = robot.accelerations()
        push = robot.accelerations(point.jacobian.T @ [0, 0, 5.0])
        self.assertGreater(point.normal @ point.jacobian @ (push - before), 0)

    def test_states(self):
        """A motor with a lag: its force is that of the state of the simulation."""
        model = Model.parse(PENDULUM.replace("run:", "states: {lag: {start: 0.2, rate: -lag}}\nrun:"))
        robot = Robot(model)
        self.assertEqual(len(robot.names), robot.n)
        sim = model.simulate()
        sim.advance(0.1)
        robot.set(sim.state)
        self.assertLess(abs(robot.state().u[-1] - 0.2 * np.exp(-0.1)), 1e-5)

    def test_threads(self):
        """Calls of two threads are those of one state or of the other, never of both."""
        states = [([0.3, -0.7, 0.05], [0.4, -1.1, 0.2]), ([-1.9, 1.3, 0.02], [3.1, 0.7, -0.4])]

        def answers():
            return self.robot.mass_matrix(), self.robot.bias(), self.robot.accelerations()
        right = []
        for state in states:
            self.robot.set(*state)
            right.append(answers())
        mixed = []

        def ask(state):
            for _ in range(1500):
                self.robot.set(*state)
                mixed.extend(k for k, x in enumerate(answers())
                             if not any(np.array_equal(x, r[k]) for r in right))
        threads = [threading.Thread(target=ask, args=(state,)) for state in states]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(mixed, [])

    def test_mistakes(self):
        with self.assertRaisesRegex(trammel.ArgumentError, r"q has the shape \(2,\), expected 3 numbers"):
            self.robot.set([1, 2])
        with self.assertRaisesRegex(TypeError, "A Model is wanted"):
            Robot("arm.yaml")
        with self.assertRaisesRegex(trammel.Error, "restricts velocities"):
            driver = "  turn: {type: driver, of: elbow.angle, speed: 1}\n"
            Robot(Model.parse(ARM.replace("inputs:", driver + "inputs:")))


if __name__ == "__main__":
    unittest.main()
