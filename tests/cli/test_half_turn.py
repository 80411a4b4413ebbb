"""Bushings that turn by half a turn and more: their torque, of the shortest rotation, jumps there."""
import math

from common import Case, fewer_if_slow, main, table, write

METHODS = fewer_if_slow("HalfTurn, 3 of 9 methods", ("auto", "bdf", "radau5"),
                        ("auto", "bdf", "radau5", "genalpha", "erk5", "erk8", "adams", "for-sdirk", "ggl"),
                        "ten seconds")
INERTIA, STIFFNESS, SPEED, END = 0.7, 0.9, 4.1, 7.0
PLANAR = f"""\
planar: true
bodies: {{b: {{mass: 1, inertia: {INERTIA}, angular_velocity: {SPEED}}}}}
joints: {{pin: {{type: revolute, a: ground, b: b, point: [0, 0]}}}}
forces: {{f: {{type: bushing, a: ground, b: b, stiffness: [0, 0, 0, 0, 0, {STIFFNESS}]}}}}
run: {{end: {END}}}
"""
SPATIAL = f"""\
bodies:
  b: {{mass: 1, inertia: {INERTIA}, angular_velocity: [{SPEED * 2 / 3}, {-SPEED / 3}, {SPEED * 2 / 3}]}}
joints: {{pin: {{type: revolute, a: ground, b: b, point: [0, 0, 0], axis: [2, -1, 2]}}}}
forces: {{f: {{type: bushing, a: ground, b: b, stiffness: [0, 0, 0, {STIFFNESS}, {STIFFNESS}, {STIFFNESS}]}}}}
run: {{end: {END}}}
"""


def exact():
    """A harmonic vibration about each full turn, passed from one to the next at half a turn: angle, rate."""
    w = math.sqrt(STIFFNESS / INERTIA)
    turn = 2 * math.asin(math.pi * w / SPEED) / w
    count = math.floor(END / turn + 0.5)
    s = END - count * turn
    return 2 * math.pi * count + SPEED / w * math.sin(w * s), SPEED * math.cos(w * s)


class HalfTurn(Case):
    def compare(self, model):
        write("turn.yaml", model)
        angle, rate = exact()
        self.assertGreater(angle, 6 * math.pi)
        for method in METHODS:
            for tol in (1e-4, 1e-6):
                if method == "genalpha" and tol < 1e-4:  # of order 2
                    continue
                with self.subTest(method=method, tol=tol):
                    self.good("run", "turn.yaml", "--method", method, "--tol", str(tol), "--csv", "turn.csv",
                              "--channels", "pin.*")
                    end = {name: column[-1] for name, column in table("turn.csv").items()}
                    self.assertAlmostEqual(end["pin.angle"], angle, delta=10 * tol)
                    self.assertAlmostEqual(end["pin.rate"], rate, delta=10 * tol)

    def test_planar(self):
        self.compare(PLANAR)

    def test_spatial(self):
        self.compare(SPATIAL)


if __name__ == "__main__":
    main()
