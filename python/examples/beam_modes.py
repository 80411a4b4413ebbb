"""Modes of a beam: a cantilever of steel, against the formula of Euler and Bernoulli.

Expected: the first two bending frequencies agree within 1 %; shear and rotary inertia, which the formula
neglects, lower them.
"""
import math

import numpy as np

import trammel
from trammel import Model, beams, joints

LENGTH, WIDTH, HEIGHT = 1.0, 0.02, 0.01
YOUNG, DENSITY = 210e9, 7850.0
ROOTS = 1.8751040687, 4.6940911330  # of cos(x) cosh(x) = -1


def main():
    model = Model("Cantilever")
    beam = model.add(beams.Rectangle("beam", width=WIDTH, height=HEIGHT, material="steel", elements=4,
                                     position=[0, 0, 0], end=[LENGTH, 0, 0]))
    model.add(joints.Fixed("wall", a="ground", b=beam["start"]))
    found = trammel.modes(model, count=6)
    exact = []
    for thickness in (HEIGHT, WIDTH):  # bends about y, about z
        radius = thickness / math.sqrt(12)
        exact += [root**2 / (2 * math.pi * LENGTH**2) * radius * math.sqrt(YOUNG / DENSITY) for root in ROOTS]
    for frequency in sorted(exact):
        nearest = found.hz[np.argmin(np.abs(found.hz - frequency))]
        print(f"formula {frequency:8.3f} Hz, found {nearest:8.3f} Hz")
        assert abs(nearest - frequency) < 0.01 * frequency
    first = found[0]
    print(f"first mode: {first.kind}, parts {[name for name, _ in first.parts]}")
    return found


if __name__ == "__main__":
    main()
