"""An environment for learning, with the interface of Gymnasium but without the package: reset and step.

A cart with an inverted pendulum; a policy pushes it 50 times per second. Observations are one array (cart.x,
cart.vx, angle of the rod, its rate), actions the force over its largest value. Rows are recorded: an episode
is a result, to be written or shown in the viewer.

Expected: the linear policy holds the rod in all of ten episodes of 10 s, the one that does nothing loses it
within two seconds.
"""
import numpy as np

from trammel import Body, Input, Model, forces, joints

PERIOD = 0.02  # of the policy [s]
LARGEST = 10.0  # force [N]


def cart():
    model = Model("Cart with an inverted pendulum", planar=True, gravity=9.81)
    body = model.add(Body("cart", mass=1, inertia=0.01))
    rod = model.add(Body("rod", mass=0.2, inertia=0.006, position=[0, 0.3], frames={"foot": [0, -0.3]}))
    push = model.add(Input("push", value=0, unit="N"))
    model.add(joints.Prismatic("rail", a="ground", b=body, axis=[1, 0]),
              joints.Revolute("pin", a=body, b=rod["foot"]),
              forces.Applied("drive", at=body, force=[push, 0]))
    model.settings(tol=1e-6)
    return model


class Environment:
    """reset(seed=) -> observation, info; step(action) -> observation, reward, terminated, truncated, info."""

    def __init__(self, seconds=10.0):
        self.seconds = seconds
        self.sim = cart().simulate(record=PERIOD, end=seconds)
        self.observation = self.sim.handle("cart.x", "cart.vx", "pin.angle", "pin.rate")
        self.start = self.sim.state.copy()
        self.random = np.random.default_rng()

    def reset(self, *, seed=None, options=None):
        """Begin an episode: upright but for small velocities of cart and rod."""
        if seed is not None:
            self.random = np.random.default_rng(seed)
        x = self.start.copy()
        speed, rate = self.random.uniform(-0.3, 0.3, 2)
        x.body("cart").velocity[0] = speed
        x.body("rod").velocity[:] = speed - 0.3 * rate, 0, rate
        self.sim.set_inputs([0])
        self.sim.restart(x)
        return self.sim[self.observation], {}

    def step(self, action):
        """One period of the policy with the force `action`, from -1 to 1."""
        self.sim.set_inputs(LARGEST * np.clip(action, -1, 1))
        self.sim.advance(self.sim.t + PERIOD)
        seen = self.sim[self.observation]
        fallen = bool(abs(seen[2]) > 0.5 or abs(seen[0]) > 2)
        reward = 0.0 if fallen else 1.0
        return seen, reward, fallen, self.sim.t >= self.seconds - PERIOD / 2, {}

    def render(self, path):
        """The episode so far as a page of the viewer."""
        self.sim.result.page(path)


def episode(env, policy, seed):
    """Sum of the rewards, and the last observation."""
    seen, _ = env.reset(seed=seed)
    total, ended = 0.0, False
    while not ended:
        seen, reward, terminated, truncated, _ = env.step(policy(seen))
        total += reward
        ended = terminated or truncated
    return total, seen


def main():
    env = Environment()
    gains = np.array([0.6, 1.0, 8.2, 1.5])  # by hand; the rod leans to the left at a positive angle

    def linear(seen):
        return np.array([gains @ (seen * [1, 1, -1, -1])])

    def idle(_seen):
        return np.zeros(1)

    held = [episode(env, linear, seed) for seed in range(10)]
    lost = [episode(env, idle, seed)[0] for seed in range(10)]
    lean = max(abs(seen[2]) for _, seen in held)
    print(f"linear policy: {min(total for total, _ in held):.0f} to {max(t for t, _ in held):.0f} of 500, "
          f"leans by {lean:.4f} rad at most in the end")
    print(f"no policy: {min(lost):.0f} to {max(lost):.0f}")
    episode(env, linear, 3)
    result = env.sim.result
    print(f"last episode: {len(result)} rows to {result.t[-1]:g} s")
    assert min(total for total, _ in held) == 500 and lean < 5e-3 and max(lost) < 100
    return env


if __name__ == "__main__":
    main()
