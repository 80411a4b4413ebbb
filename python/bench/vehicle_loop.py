#!/usr/bin/env python3
"""A controller in Python at 1 kHz on the vehicle: how many times faster than real time.

usage: vehicle_loop.py [SECONDS]

Active suspension: every millisecond a Python function reads the motion of the chassis and sets an input, the
lift on the chassis; then the simulation advances by a millisecond. CPU time, best of three. Steps of the
tick suit such a loop (step=1e-3); the method that auto chooses makes larger steps if it may.
"""
import os
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))

# pylint: disable=wrong-import-position
import trammel  # noqa: E402
from trammel import Input, Model, forces  # noqa: E402

TICK = 1e-3  # [s]


def vehicle():
    """The vehicle of models/ with an actuator that lifts its chassis."""
    model = Model.load(os.path.join(ROOT, "models", "hmmwv.yaml"))
    model.add(Input("lift", value=0, unit="N"),
              forces.Applied("actuator", at="chassis", force=[0, 0, "lift"]))
    return model


def drive(model, seconds, controlled, settings):
    """CPU time [s] of a loop of so many simulated seconds, and its simulation."""
    sim = model.simulate(**settings)
    chassis = sim.body("chassis")
    height = float(chassis.position[2])

    def controller():
        return -4e3 * (chassis.position[2] - height) - 2e3 * chassis.velocity[2]

    start = time.process_time()
    if controlled:
        for tick in range(round(seconds / TICK)):
            sim.set_input("lift", controller())
            sim.advance(TICK * (tick + 1))
    else:
        sim.run(seconds)
    return time.process_time() - start, sim


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 4.0
    model = vehicle()
    fixed = {"method": "genalpha", "step": TICK}
    for name, controlled, settings in (("run without a controller", False, {}),
                                       ("loop at 1 kHz", True, {}),
                                       ("loop at 1 kHz, genalpha with its step", True, fixed)):
        cpu, sim = min((drive(model, seconds, controlled, settings) for _ in range(3)),
                       key=lambda pair: pair[0])
        count = sim.report.count
        print(f"{name:38} {sim.report.method:8} {seconds:g} s in {cpu:.3f} s: {seconds / cpu:5.1f} times "
              f"faster than real time; {count.steps} steps, {1e6 * cpu / count.steps:.0f} us each")
    print(f"python itself: {1e6 * overhead(model):.1f} us per tick")


def overhead(model, ticks=10000):
    """CPU time of a tick that Python needs: the controller, and the calls of the library without a step."""
    sim = model.simulate()
    chassis = sim.body("chassis")
    start = time.process_time()
    for _ in range(ticks):
        force = -4e3 * chassis.position[2] - 2e3 * chassis.velocity[2]
        sim.advance(0.0)
    assert force != 0
    return (time.process_time() - start) / ticks


if __name__ == "__main__":
    main()
