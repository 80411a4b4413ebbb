"""A pendulum built in Python: its motion, its period, and how its energy is kept.

Expected: a rod of length 1 m, let go at 30 degrees from hanging, swings with the period of the elliptic
integral, 1.6665 s.
"""
import math

import numpy as np

from trammel import Body, Model, joints

LENGTH, MASS, START = 1.0, 2.0, math.radians(30)


def pendulum():
    model = Model("Pendulum", planar=True, gravity=9.81)
    turned = START - math.pi / 2  # the rod lies along x of its body
    rod = model.add(Body("rod", mass=MASS, inertia=MASS * LENGTH**2 / 12, orientation=turned,
                         position=[LENGTH / 2 * math.cos(turned), LENGTH / 2 * math.sin(turned)],
                         frames={"top": [-LENGTH / 2, 0]}))
    model.add(joints.Revolute("pin", a="ground", b=rod["top"]))
    return model


def exact_period():
    """4 K(sin(START/2)) / w0 with the arithmetic-geometric mean."""
    a, b = 1.0, math.cos(START / 2)
    while abs(a - b) > 1e-15:
        a, b = (a + b) / 2, math.sqrt(a * b)
    return 2 * math.pi / a / math.sqrt(1.5 * 9.81 / LENGTH)


def main():
    result = pendulum().run(end=10, tol=1e-8)
    angle, t = result["pin.angle"] + math.pi / 2, result.t  # from hanging
    rising = np.flatnonzero((angle[:-1] < 0) & (angle[1:] >= 0))
    crossings = t[rising] - angle[rising] * (t[rising + 1] - t[rising]) / (angle[rising + 1] - angle[rising])
    period = np.diff(crossings).mean()
    print(result)
    print(f"period {period:.4f} s, exact {exact_period():.4f} s")
    print(f"error of the energy balance {result.report.energy_error:.0e} J")
    assert abs(period - exact_period()) < 1e-4
    return result


if __name__ == "__main__":
    main()
