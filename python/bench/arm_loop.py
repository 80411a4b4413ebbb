#!/usr/bin/env python3
"""A controller in Python at 1 kHz on an arm with seven joints, recorded: times faster than real time.

usage: arm_loop.py [SECONDS]

Every millisecond the program reads the angles and rates of all joints as one array, sets all torques at once
(proportional and derivative, towards a posture), and advances by a millisecond. Rows of all channels are
recorded every 10 ms. CPU time, best of three.
"""
import os
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))

# pylint: disable=wrong-import-position
import numpy as np  # noqa: E402
from trammel import Body, Input, Model, joints  # noqa: E402

TICK = 1e-3  # [s]
LINKS = 7


def arm():
    """A chain of links whose axes alternate, with the masses and lengths of an arm for light loads."""
    model = Model("Arm with seven joints", gravity=[0, 0, -9.81])
    below = "ground"
    for i in range(LINKS):
        mass, length = 3.5 - 0.35 * i, 0.25 - 0.015 * i
        height = sum(0.25 - 0.015 * k for k in range(i))
        link = model.add(Body(f"link{i}", mass=mass, inertia=[0.02, 0.02, 0.006],
                              position=[0, 0, height + length / 2],
                              frames={"foot": [0, 0, -length / 2], "tip": [0, 0, length / 2]}))
        torque = model.add(Input(f"tau{i}", value=0, unit="N m"))
        model.add(joints.Revolute(f"axis{i}", a=below, b=link["foot"], armature=0.1, damping=0.5,
                                  axis=[0, 0, 1] if i % 2 == 0 else [0, 1, 0], torque=torque.name))
        below = link["tip"]
        if i == 0:
            model.frame("base", [0, 0, 0])
    model.settings(tol=1e-5)
    return model


def drive(model, seconds, record, settings):
    """CPU time [s] of a loop of so many simulated seconds, and its simulation."""
    sim = model.simulate(record=record, end=seconds, **settings)
    motion = sim.handle("axis*.angle", "axis*.rate")
    aim = 0.4 * np.sin(1.0 + np.arange(LINKS))
    stiffness = np.linspace(400, 60, LINKS)
    damping = 0.1 * stiffness

    start = time.process_time()
    for tick in range(round(seconds / TICK)):
        seen = sim[motion]
        sim.set_inputs(stiffness * (aim - seen[:LINKS]) - damping * seen[LINKS:])
        sim.advance(TICK * (tick + 1))
    return time.process_time() - start, sim


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
    model = arm()
    fixed = {"method": "genalpha", "step": TICK}
    for name, record, settings in (("no record", False, {}), ("a row every 10 ms", 0.01, {}),
                                   ("the same, genalpha with its step", 0.01, fixed)):
        cpu, sim = min((drive(model, seconds, record, settings) for _ in range(3)), key=lambda pair: pair[0])
        count = sim.report.count
        print(f"{name:34} {sim.report.method:8} {seconds:g} s in {cpu:.4f} s: {seconds / cpu:5.1f} times "
              f"faster than real time; {count.steps} steps, {1e6 * cpu / count.steps:.1f} us each")
    handle = sim.handle("axis3.angle")
    start = time.process_time()
    for _ in range(100000):
        _value = sim[handle]
    print(f"sim[handle]: {10 * (time.process_time() - start):.2f} us")


if __name__ == "__main__":
    main()
