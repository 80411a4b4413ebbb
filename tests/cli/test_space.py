"""The state-space family on the stiff double pendulum: errors stay near the tolerance, above and below.

D. Negrut's test of error control (thesis, University of Iowa 1998, sect. 5.1). References: angles and rates
of both rods from the equations in the two angles, converged to 2e-12 (DOP853 and Radau IIA); for errors along
the whole run `trammel compare` with its own converged reference.
"""
import json
import math

from common import SOURCE, Case, main, run, skip_if_slow, table, write

MODEL = SOURCE + "/models/stiff_double_pendulum.yaml"
METHODS = ("ssp-trap", "ssp-sdirk", "infl-trap", "infl-sdirk", "for-sdirk", "for-rosen")

# rate of the second rod at the start -> time -> theta1, theta2 and their rates
REFERENCE = {
    0: {0.1: (5.8793329170220, 5.7358318386785, -7.1571534976644, -6.2942481545721),
        0.5: (3.8333745088596, 3.8201393421236, 3.6682807656354, 3.7462771524182),
        1.0: (5.0552761176004, 5.0547509436836, -3.9384591225833, -3.9349206242456),
        2.0: (4.6018805320814, 4.6018890395661, -1.3951565174109, -1.3955145921627)},
    10: {0.1: (6.0670665130322, 5.9236424396599, -5.7921123691815, -4.9292753853969),
         0.5: (3.7363754783894, 3.7231547756131, 2.5257755528711, 2.6034230911984),
         1.0: (5.1614397993303, 5.1609241849734, -3.6068031347478, -3.6030967486154),
         2.0: (4.6404781832213, 4.6404967016885, -1.6298924540839, -1.6302527153804)}}
FASTEST = 9.5  # [rad/s] largest rate of either rod


# A four-bar linkage in space: three of its 20 rows depend on the others. Bars of our own making.
REDUNDANT = """\
title: Four hinges
gravity: [1, 0, -9.81]
bodies:
  crank: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, 0.1]}
  coupler: {mass: 1, inertia: [0.01, 0.02, 0.02], position: [0.2, 0, 0.25]}
  rocker: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.4, 0, 0.15]}
joints:
  a: {type: revolute, a: ground, b: crank, point: [0, 0, 0], axis: [0, 1, 0]}
  b: {type: revolute, a: crank, b: coupler, point: [0, 0, 0.2], axis: [0, 1, 0]}
  c: {type: revolute, a: coupler, b: rocker, point: [0.4, 0, 0.3], axis: [0, 1, 0]}
  d: {type: revolute, a: ground, b: rocker, point: [0.4, 0, 0], axis: [0, 1, 0]}
run: {end: 1, tol: 1e-4}
"""


class Redundant(Case):
    def test_dependent_rows(self):
        path, ends = write("hinges.yaml", REDUNDANT), []
        for method in METHODS:
            p = run("run", path, "--method", method, "--csv", "hinges.csv")
            self.assertEqual(p.returncode, 0, p.stderr)
            c = table("hinges.csv")
            ends.append((c["crank.x"][-1], c["crank.z"][-1]))
            for other in ends:  # over the length of the model, 0.5 m; two runs may be ten tolerances off each
                self.assertLess(math.dist(ends[-1], other), 20 * 1e-4 * 0.5, method)


class ErrorControl(Case):
    cost = 8  # [s]

    def test_reference_values(self):
        """Independent numbers: angles [rad] and rates over the largest one within ten tolerances."""
        for w20, points in REFERENCE.items():
            for method in METHODS:
                with self.subTest(method=method, w20=w20):
                    self.run_one(method, w20, points, 1e-5)

    def run_one(self, method, w20, points, tol):
        p = run("run", MODEL, "--method", method, "--tol", str(tol), "--set", f"w20={w20}", "--csv",
                "space.csv")
        self.assertEqual(p.returncode, 0, p.stderr)
        c = table("space.csv")
        for t, exact in points.items():
            k = min(range(len(c["t"])), key=lambda i: abs(c["t"][i] - t))
            found = (c["theta1"][k], c["theta2"][k], c["rod1.wz"][k], c["rod2.wz"][k])
            for i, (a, b) in enumerate(zip(found, exact)):
                self.assertLess(abs(a - b) / (1 if i < 2 else FASTEST), 10 * tol, f"t = {t}, {i}")

    @skip_if_slow("half a minute")
    def test_band(self):
        """Largest errors along the run, from 1e-2 to 1e-7: at most ten tolerances, at least a twentieth of
        one.

        Velocities are judged by 9.5 rad/s (`compare` divides by the largest velocity of any point, 32 m/s
        over 1.74 m)."""
        for w20 in REFERENCE:
            p = run("compare", MODEL, "--methods", ",".join(METHODS), "--tols", "1e-2..1e-7", "--reference",
                    "radau5@1e-10", "--set", f"w20={w20}", "--budget", "none", "--json")
            self.assertEqual(p.returncode, 0, p.stderr)
            report = json.loads(p.stdout)
            rate = report["velocity_scale"] / report["length"]
            line = None
            for row in report["rows"]:
                ratios = (row["error"]["position"] / row["tol"],
                          row["error"]["velocity"] * rate / FASTEST / row["tol"])
                if row["method"] != line:
                    line = row["method"]
                    print(f"\n| `{line}` | {w20} |", end="")
                print(f" {ratios[0]:.2f}, {ratios[1]:.2f}, {row['steps']:,} |", end="")
                with self.subTest(w20=w20, method=row["method"], tol=row["tol"]):
                    for ratio in ratios:
                        self.assertGreater(ratio, 0.05)
                        self.assertLess(ratio, 10)
        print()


if __name__ == "__main__":
    main()
