"""A study of a suspension: how hard and how long a bump shakes the chassis, over the damping of its shock
absorber.

Each variant is the model with another value of its parameter `c`. Variants run in threads: the library
computes without the interpreter's lock.

Expected: with little damping the chassis swings long after the bump, with much damping it is hit hard.
"""
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from trammel import Model

MODELS = os.environ.get("TRAMMEL_MODELS", os.path.join(os.path.dirname(__file__), "..", "..", "models"))


def evaluate(factor):
    """Largest acceleration of the chassis [m/s^2], and the range of its height after the bump [m]."""
    model = Model.load(os.path.join(MODELS, "suspension.yaml"), c=19015.6 * factor)
    result = model.run(end=3, output_step=2e-3)
    height, speed = result["chassis.z"], result["chassis.vz"]
    acceleration = np.gradient(speed, result.t)
    after = result.t > 0.5
    return np.abs(acceleration[after]).max(), np.ptp(height[result.t > 1.2])


def main():
    factors = np.geomspace(0.1, 4, 7)
    with ThreadPoolExecutor(2) as pool:
        table = np.array(list(pool.map(evaluate, factors)))
    print("damping  acceleration  swing after the bump")
    for factor, (acceleration, swing) in zip(factors, table):
        print(f"{factor:7.2f}  {acceleration:9.2f} m/s2  {1000 * swing:10.1f} mm")
    assert table[0, 1] > 10 * table[-1, 1] and table[-1, 0] > 3 * table[0, 0]
    return table


if __name__ == "__main__":
    main()
