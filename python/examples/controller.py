"""A controller in the loop at 1 kHz: it reads the state, sets an input, and advances to the next tick.

A cart with a pendulum that stands upright; the input `push` is the force on the cart [N]. The gains come from
the linear system beside the upright position: poles by a Riccati equation, solved with NumPy alone.

Expected: the rod leans by 0.1 rad at the start and stands upright after a few seconds.
"""
import numpy as np

import trammel
from trammel import Body, Input, Model, forces, joints


def cart(lean=0.0):
    """The rod leans to the right by this angle [rad]."""
    model = Model("Cart with an inverted pendulum", planar=True, gravity=9.81)
    body = model.add(Body("cart", mass=1, inertia=0.01))
    rod = model.add(Body("rod", mass=0.2, inertia=0.006, orientation=-lean,
                         position=[0.3 * np.sin(lean), 0.3 * np.cos(lean)], frames={"foot": [0, -0.3]}))
    push = model.add(Input("push", value=0, unit="N"))
    model.add(joints.Prismatic("rail", a="ground", b=body, axis=[1, 0]),
              joints.Revolute("pin", a=body, b=rod["foot"]),
              forces.Applied("drive", at=body, force=[push, 0]))
    model.output("x", "cart.x")
    model.output("angle", "pin.angle")
    model.settings(end=10, tol=1e-6)
    return model


def gains(linear):
    """State feedback u = -K x that is best for y' y + 0.1 u^2: from the stable subspace of the
    Hamiltonian matrix."""
    a, b, weight = linear.A, linear.B, linear.C.T @ linear.C
    hamiltonian = np.block([[a, -b @ b.T / 0.1], [-weight, -a.T]])
    values, vectors = np.linalg.eig(hamiltonian)
    stable = vectors[:, values.real < 0]
    n = len(a)
    riccati = np.real(stable[n:] @ np.linalg.inv(stable[:n]))
    return (b.T @ riccati / 0.1)[0]


def main():
    linear = trammel.linearize(cart())
    k = gains(linear)
    sim = cart(lean=0.1).simulate()
    body, rod = sim.body("cart"), sim.body("rod")

    def state():
        """The states of the linear system, by their names."""
        turn = 2 * np.arctan2(rod.quaternion[3], rod.quaternion[0])
        values = {"cart.x": body.position[0], "cart.x'": body.velocity[0], "rod.rz": turn,
                  "rod.rz'": rod.velocity[2], "rod.x": rod.position[0], "rod.x'": rod.velocity[0]}
        return np.array([values[name] for name in linear.states])

    for tick in range(8000):
        sim.set_input("push", float(-k @ state()))
        sim.advance(1e-3 * (tick + 1))
    lean = -2 * np.arctan2(rod.quaternion[3], rod.quaternion[0])
    print(f"states {', '.join(linear.states)}; gains {np.round(k, 2)}")
    print(f"t = {sim.t:g} s: cart at {abs(body.position[0]):.4f} m, rod leans {abs(lean):.4f} rad")
    assert abs(lean) < 1e-3 and abs(body.position[0]) < 1e-2
    return sim


if __name__ == "__main__":
    main()
