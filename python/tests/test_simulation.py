"""Simulations: states that share memory, inputs, steps, runs, saved simulations, Ctrl-C, threads."""
import ctypes
import gc
import math
import os
import subprocess
import sys
import threading
import time
import weakref

import numpy as np

from common import CART, PENDULUM, SOURCE, Case, model_file, pendulum, trammel, unittest
from trammel import Body, Model, Simulation, joints
from trammel._library import lib


class Memory(Case):
    def test_state(self):
        """The arrays of a state are the memory of the library."""
        state = pendulum().simulate().state.copy()
        x = state._pointer.contents
        for name, array in (("q", state.q), ("u", state.u), ("udot", state.udot), ("lambda", state.lambda_)):
            pointer = ctypes.cast(getattr(x, name), ctypes.c_void_p).value
            self.assertEqual(array.ctypes.data, pointer, name)
            self.assertFalse(array.flags.owndata, name)
        state.q[0] = 0.731
        self.assertEqual(x.q[0], 0.731)
        x.u[0] = -0.2
        self.assertEqual(state.u[0], -0.2)

    def test_read_only(self):
        """What follows the simulation cannot be written, as if it changed the motion; a copy can."""
        sim = pendulum().simulate()
        bob = sim.body("bob")
        seen = []

        def look(_sim, x):
            seen.append(x)
            with self.assertRaises(ValueError):
                x.q[0] = 1
            with self.assertRaises(AttributeError):
                x.t = 1

        for array in (sim.q, sim.u, sim.state.udot, sim.state.lambda_, bob.position,
                      bob.quaternion, bob.velocity, bob.acceleration):
            with self.assertRaises(ValueError):
                array[0] = 1
        with self.assertRaises(AttributeError):
            sim.state.t = 3
        sim.run(0.02, on_output=look)
        self.assertTrue(seen)
        x = sim.state.copy()
        x.u[:] *= 2
        x.t = 0.3
        sim.restart(x)
        self.assertEqual(sim.t, 0.3)
        self.assertLess(abs(sim.u - x.u).max(), 1e-9)

    def test_times(self):
        """Times that are none are refused, and change nothing."""
        sim = pendulum().simulate()
        for bad in (math.nan, math.inf, -math.inf):
            with self.assertRaises(trammel.ArgumentError):
                sim.state_at(bad)
            x = sim.state.copy()
            x.t = bad
            with self.assertRaises(trammel.ArgumentError):
                sim.restart(x)
        with self.assertRaises(trammel.ArgumentError):
            sim.run(math.inf)
        self.assertEqual(sim.t, 0)
        self.assertEqual(sim.state_at(0.1).t, 0.1)

    def test_parts(self):
        """Parts of a state share its memory, and follow the simulation."""
        sim = pendulum().simulate()
        bob, q = sim.body("bob"), sim.q
        self.assertTrue(np.shares_memory(bob.position, q))
        self.assertTrue(np.shares_memory(bob.velocity, sim.u))
        self.assertEqual(bob.components, ["vx", "vy", "wz"])
        before = bob.position.copy()
        sim.advance(0.1)
        self.assertIs(q, sim.q)
        self.assertFalse(np.array_equal(before, bob.position))
        address = ctypes.addressof(lib.tml_sim_state(sim._handle).contents.q.contents)
        accepted = np.frombuffer((ctypes.c_double * q.size).from_address(address))
        self.same_bits(accepted, q)

    def test_far_away(self):
        """A model far from the coordinate origin has an origin of its own; positions of bodies are those of
        the inertial frame."""
        model = trammel.Model.parse("""
            planar: true
            gravity: 9.81
            ground: {frames: {eye: [5e6, -3e6]}}
            bodies: {bob: {mass: 1, inertia: 0.2, position: [5e6 + 0.7, -3e6], frames: {top: [-0.7, 0]}}}
            joints: {pin: {type: revolute, a: ground.eye, b: bob.top}}
            """)
        sim = model.simulate()
        bob = sim.body("bob")
        self.assertEqual(list(bob.position), [5e6 + 0.7, -3e6, 0])
        self.assertEqual(list(sim.state.origin + sim.q[:3]), list(bob.position))
        self.assertFalse(bob.position.flags.writeable)
        sim.advance(0.1)
        self.assertAlmostEqual(bob.position[1], sim["bob.y"], delta=1e-9)
        x = sim.state.copy()
        x.body("bob").position = [5e6, -3e6 - 0.7, 0]
        self.assertAlmostEqual(x.q[1] + x.origin[1], -3e6 - 0.7)

    def test_lives_on(self):
        """Arrays keep what they need: the simulation and the model can go."""
        array = pendulum().simulate().body("bob").position
        result = pendulum().run()
        column = result["bob.x"]
        del result
        self.assertEqual(array.size, 3)
        self.assertEqual(column.size, 51)

    def test_freed(self):
        """What the library has allocated is freed with the last object that uses it."""
        def use():
            model = pendulum()
            sim = model.simulate(end=0.05)
            rows = sim.run()["bob.x"]
            matrix = trammel.linearize(model).A
            return [sim.state.q, rows, matrix, trammel.modes(model), sim.state_at(0.05).u]

        gc.collect()
        alive = len(weakref.finalize._registry)
        kept = use()
        self.assertEqual(kept[2].shape, (2, 2))
        self.assertGreater(len(weakref.finalize._registry), alive)
        del kept
        gc.collect()
        self.assertEqual(len(weakref.finalize._registry), alive)

    def test_output_state(self):
        """on_output sees the state of the library itself."""
        seen = []

        def on_output(sim, state):
            seen.append((state.q.ctypes.data, float(state.q[0])))
            state.copy()

        result = pendulum().simulate().run(on_output=on_output)
        self.assertEqual(len({address for address, _ in seen}), 1)
        self.assertEqual([x for _, x in seen], list(result["bob.x"]))


class Steps(Case):
    def test_loop(self):
        sim = Simulation(Model.parse(CART))
        for tick in range(10):
            sim.set_input("push", 3.1)
            self.assertTrue(sim.advance(0.05 * (tick + 1)))
        self.assertEqual(sim.t, 0.5)
        self.assertAlmostEqual(sim["cart.x"], 3.1 / 2 * 0.5**2 / 2, 7)  # tolerance 1e-8, as in the model
        self.assertEqual(sim.input("push"), 3.1)

    def test_event(self):
        sim = Simulation(Model.parse(CART))
        sim.set_input("push", 10.0)
        self.assertFalse(sim.advance(2.0))
        self.assertEqual(sim.event, "far")
        self.assertAlmostEqual(sim["cart.x"], 0.7, 6)

    def test_one_step(self):
        sim = pendulum().simulate()
        t = sim.step()
        self.assertGreater(t, 0)
        self.assertEqual(t, sim.t)
        self.assertEqual(sim.report.count.steps, 1)
        self.assertLess(sim.step(t + 1e-5), t + 1.1e-5)

    def test_states(self):
        sim = pendulum().simulate()
        middle = sim.state_at(0.25)
        self.assertEqual(middle.t, 0.25)
        other = pendulum().simulate(state=middle)
        self.assertEqual(other.t, 0.25)
        sim.restart(middle)
        self.same_bits(sim.q[:3], middle.q[:3])

    def test_rate(self):
        sim = Simulation(Model.parse(CART))
        sim.set_input("push", 0.0, rate=6.0)
        sim.advance(0.5)
        self.assertAlmostEqual(sim["cart.x"], 6.0 / 2 * 0.5**3 / 6, 7)


class Runs(Case):
    def test_hooks(self):
        steps, outputs = [], []
        sim = pendulum().simulate()
        result = sim.run(on_step=lambda s, t, h: steps.append((t, h)),
                         on_output=lambda s, x: outputs.append(x.t))
        self.assertEqual(len(steps), result.report.count.steps)
        self.same_bits(np.array(outputs), np.array(result.t))

    def test_stop_and_go_on(self):
        """A run that on_step stops continues with the same bits."""
        whole = pendulum().run()
        sim = pendulum().simulate()
        first = sim.run(on_step=lambda s, t, h: t < 0.2)
        second = sim.run()
        self.assertGreater(len(first), 3)
        self.same_bits(np.vstack([first.values, second.values]), whole.values)

    def test_exception(self):
        """An exception in a hook ends the run and is raised."""
        def fail(sim, t, h):
            raise RuntimeError("mine")

        sim = pendulum().simulate()
        with self.assertRaisesRegex(RuntimeError, "mine"):
            sim.run(on_step=fail)
        self.assertEqual(len(sim.result.names), len(sim.channels))

    def test_save(self):
        whole = pendulum().run()
        sim = pendulum().simulate()
        first = sim.run(on_step=lambda s, t, h: t < 0.3)
        data, path = sim.save_bytes(), os.path.join(self.folder(), "x.sim")
        sim.save(path)
        for saved in (data, path):
            second = Simulation.load(pendulum(), saved).run()
            self.same_bits(np.vstack([first.values, second.values]), whole.values)

    def test_settings(self):
        sim = pendulum().simulate(method="radau5", tol=1e-7, end=0.1, output_step=0.05)
        result = sim.run()
        self.assertEqual((sim.report.method, len(result)), ("radau5", 3))
        self.assertEqual((sim.settings.tol, sim.settings.end), (1e-7, 0.1))

    def test_lock_released(self):
        """While the library computes, other threads of Python go on."""
        count, done = [0], threading.Event()

        def other():
            while not done.is_set():
                count[0] += 1
                time.sleep(0)

        interval = sys.getswitchinterval()
        self.addCleanup(sys.setswitchinterval, interval)
        sim = pendulum().simulate(end=1000)
        thread = threading.Thread(target=other)
        thread.start()
        # from here on the other thread runs only if the lock is given to it
        sys.setswitchinterval(1000)
        err = trammel._abi.tml_error()
        released = False
        for i in range(1000):
            before = count[0]
            lib.tml_sim_run(sim._handle, 0.5 * (i + 1), err)  # no function of Python in it
            released = count[0] > before
            if released:
                break
        sys.setswitchinterval(interval)
        done.set()
        thread.join()
        self.assertTrue(released)

    def test_threads(self):
        """Simulations of one model run in several threads, with the same bits."""
        model = Model.load(model_file("slider_crank.yaml"))
        found = [None] * 4

        def work(i):
            found[i] = model.simulate(end=0.2).run().values

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for values in found[1:]:
            self.same_bits(found[0], values)

    def test_model_changed(self):
        """A simulation has the model that it began with, whatever another thread does to the model."""
        def pendulum_of(mass):
            model = Model(planar=True, gravity=9.81)
            body = model.add(Body("bob", mass=mass, inertia=0.02, position=[1, 0], frames={"top": [-1, 0]}))
            model.add(joints.Revolute("pin", a="ground", b="bob.top"))
            return model, body

        model, body = pendulum_of(0.7)
        sim = model.simulate(end=2, tol=1e-8)
        sim.run(1)
        alone = sim.run().values
        sim = model.simulate(end=2, tol=1e-8)
        begun, rows = threading.Event(), []

        def work():
            sim.run(1)
            begun.set()
            rows.append(sim.run().values)

        thread = threading.Thread(target=work)
        thread.start()
        begun.wait()
        for i in range(50):
            model.add(Body(f"b{i}", mass=1, inertia=1))
            body.mass = 0.7 + i
        thread.join()
        self.same_bits(rows[0][-1], alone[-1])
        self.assertEqual(len(sim.model.body_names), 51)  # for the next simulation

    def test_interrupt(self):
        """Ctrl-C stops a run after the step at hand; it can be continued."""
        program = f"""
import os, signal, sys
sys.path.insert(0, {os.path.join(SOURCE, "python")!r})
import trammel
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
sim = trammel.Model.parse({PENDULUM!r}).simulate(end=1e6, output_step=1e6)
q = sim.q
def interrupt(sim, t, h):
    if sim.report.count.steps == 100:
        os.kill(os.getpid(), signal.SIGINT)
try:
    sim.run(on_step=interrupt)
except KeyboardInterrupt:
    steps = sim.report.count.steps
    assert q[0] == sim["bob.x"]
    sim.advance(sim.t + 0.1)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    print("interrupted after", steps, len(sim.result))
"""
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300,
                              check=False)
        self.assertEqual((done.stdout, done.stderr), ("interrupted after 100 1\n", ""))


if __name__ == "__main__":
    unittest.main()
