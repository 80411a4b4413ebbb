"""A force of one's own: a magnet below a pendulum, as a Python function.

The model comes from a file that knows nothing of it. A compiled function can be given by its address instead,
if the force is evaluated very often.

Expected: the bob of models/pendulum.yaml is drawn to the magnet; at 2 s it is at (-0.8576, -0.5143) m, as in
examples/own_force.c.
"""
import os

import numpy as np

from trammel import ForceFunction, Model

MODELS = os.environ.get("TRAMMEL_MODELS", os.path.join(os.path.dirname(__file__), "..", "..", "models"))
STRENGTH, SIZE = 0.4, 0.1  # [N m^2], [m]: keeps the force finite at distance 0


def attract(t, frames):
    """Forces on the magnet and on the bob [N], inertial axes."""
    magnet, bob = frames
    d = magnet.position - bob.position
    force = STRENGTH * d / (SIZE**2 + d @ d) ** 1.5
    return [-force, force]


def main():
    model = Model.load(os.path.join(MODELS, "pendulum.yaml"))
    magnet = model.frame("magnet", [0.3, -1.2])
    model.add(ForceFunction("attraction", attract, frames=[magnet, "bob"]))
    sim = model.simulate()
    sim.run(2)
    x, y, _ = sim.body("bob").position
    print(f"t = {sim.t:g} s: bob at ({x:.4f}, {y:.4f}) m")
    assert np.hypot(x + 0.85761, y + 0.51430) < 1e-3  # its tolerance is 1e-4 over the run
    return sim


if __name__ == "__main__":
    main()
