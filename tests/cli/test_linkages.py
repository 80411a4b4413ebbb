"""Linkages whose points move on known curves: the numbers in the heads of their model files."""
import math
import os

from common import SOURCE, Case, each, fewer_if_slow, main, run, table

METHODS = fewer_if_slow("all but two methods", ("auto", "genalpha"),
                        ("auto", "bdf", "radau5", "genalpha", "erk8"), "not a matter of methods")

# Jansen's lengths [m], by his letters
LENGTHS = {k: v / 100 for k, v in {
    "a": 38, "b": 41.5, "c": 39.3, "d": 40.1, "e": 55.8, "f": 39.4, "g": 36.7, "h": 65.7, "i": 49, "j": 50,
    "k": 61.9, "l": 7.8, "m": 15}.items()}


def crossing(p, r, q, s):
    """The point at the distances r from p and s from q, to the left of the way from p to q."""
    d = math.dist(p, q)
    along = (d * d + r * r - s * s) / (2 * d)
    aside = math.sqrt(r * r - along * along)
    u = ((q[0] - p[0]) / d, (q[1] - p[1]) / d)
    return p[0] + along * u[0] - aside * u[1], p[1] + along * u[1] + aside * u[0]


def foot(angle):
    """The foot of a leg on the left, the shaft at the origin, by intersections of circles."""
    n = LENGTHS
    pin = (n["m"] * math.cos(angle), n["m"] * math.sin(angle))
    hip = (-n["a"], -n["l"])
    upper = crossing(hip, n["b"], pin, n["j"])
    knee = crossing(pin, n["k"], hip, n["c"])
    back = crossing(hip, n["d"], upper, n["e"])
    heel = crossing(knee, n["g"], back, n["f"])
    return crossing(knee, n["i"], heel, n["h"])


class Linkages(Case):
    @each(METHODS)
    def test_ellipse(self, method):
        path = os.path.join(SOURCE, "models", "trammel_of_archimedes.yaml")
        p = run("run", path, "--csv", "trammel.csv", "--out", "none", "-q", "--method", method)
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        c = table("trammel.csv")
        worst = max(abs((x / 0.20)**2 + (y / 0.12)**2 - 1) for x, y in zip(c["pen_x"], c["pen_y"]))
        self.assertLess(worst, 1e-8)
        self.assertAlmostEqual(max(map(abs, c["ellipse"])), worst, delta=1e-15)  # the output of the model
        # it goes round: both half axes are reached
        self.assertAlmostEqual(max(c["pen_x"]), 0.20, delta=1e-3)
        self.assertAlmostEqual(min(c["pen_y"]), -0.12, delta=1e-3)

    def test_foot(self):
        path = os.path.join(SOURCE, "models", "contact", "strandbeest.yaml")
        p = run("run", path, "--csv", "beast.csv", "--out", "none", "-q", "--end", "3")
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        c = table("beast.csv")
        for angle, x, y in zip(c["shaft.angle"], c["foot_x"], c["foot_y"]):
            self.assertLess(math.dist(foot(angle), (x, y)), 1e-8)
        # more than a turn, on its feet, and ahead: by 1.44 m per turn
        self.assertGreater(abs(c["shaft.angle"][-1]), 2 * math.pi)
        self.assertAlmostEqual(c["way"][-1], 1.89, delta=0.05)
        self.assertGreater(min(c["height"]), 0.92)

    def test_path_of_the_foot(self):
        path = [foot(math.radians(n / 4)) for n in range(1440)]
        xs, low = [x for x, _ in path], min(y for _, y in path)
        self.assertAlmostEqual(max(xs) - min(xs), 0.6791, delta=1e-4)
        on_ground = [x for x, y in path if y < low + 4e-3]
        self.assertAlmostEqual(max(on_ground) - min(on_ground), 0.482, delta=2e-3)


if __name__ == "__main__":
    main()
