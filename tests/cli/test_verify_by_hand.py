"""trammel verify finds what a comparison of the result files of two runs finds by hand, column by column, on
every bundled model and on random mechanisms."""
import glob
import json
import math
import os
import random
import re

from common import SOURCE, Case, fewer_if_slow, fewer_unless_long, main, run, table, write

MODELS = sorted(glob.glob(os.path.join(SOURCE, "models", "*.yaml")))
QUICK = [m for m in MODELS if os.path.basename(m) in ("double_pendulum.yaml", "heavy_top.yaml")]
# [s] their vibrations take 10,000 to 50,000 steps
BRIEF = {"beam_buckling.yaml": "0.02", "beam_cam.yaml": "0.05", "beam_crank.yaml": "0.01",
         "modal_crank.yaml": "0.01"}
# flexible ones run long: one of them is enough for make test
SOME = [m for m in MODELS if not os.path.basename(m).startswith(("beam_", "modal_"))][::3] + [
    m for m in MODELS if m.endswith("beam_cam.yaml")]
SEEDS = range(20)


# rates and accelerations of joint coordinates, vectors of contact forces, parts of the dissipated energy
FOLLOWS = re.compile(r"\.speed$|rate[12]?$|_acceleration$|(point|normal|friction)_[xyz]$|"
                     r"^energy\.(supplied|contact_loss)$")


def angle_between(a, b):
    """Angle between two orientations given as quaternions."""
    w = sum(x*y for x, y in zip(a, b))
    v = (a[0]*b[1] - a[1]*b[0] - a[2]*b[3] + a[3]*b[2], a[0]*b[2] + a[1]*b[3] - a[2]*b[0] - a[3]*b[1],
         a[0]*b[3] - a[1]*b[2] + a[2]*b[1] - a[3]*b[0])
    return 2*math.atan2(math.sqrt(sum(x*x for x in v)), abs(w))


def differences(a, b, rows, name):
    """Of one signal at the common output times, rows of both files; the largest first."""
    if name.endswith(".orientation"):
        body = name[:-len("orientation")]
        quaternion = [(a[body + q], b[body + q]) for q in ("q0", "q1", "q2", "q3")]
        found = (angle_between([x[i] for x, _ in quaternion], [y[k] for _, y in quaternion])
                 for i, k in rows)
    else:
        found = (abs(a[name][i] - b[name][k]) for i, k in rows)
    return sorted(found, reverse=True)


def random_mechanism(seed):
    """An open chain, in the plane or in space, with drag and sometimes a driver or a force that switches."""
    r = random.Random(seed)
    planar = seed % 2 == 0
    lines = [f"planar: {'true' if planar else 'false'}",
             "gravity: 9.81" if planar else "gravity: [0, 0, -9.81]", "bodies:"]
    joints, forces, x = [], [], 0.0
    count = r.randint(2, 4)
    for i in range(count):
        length = r.uniform(0.2, 0.6)
        at = f"{x + length/2:.6f}, 0" if planar else f"{x + length/2:.6f}, 0, 0"
        mass = r.uniform(0.5, 3)
        inertia = (f"{mass*length**2/12:.6g}" if planar else
                   f"[{mass*length**2/90:.6g}, {mass*length**2/11:.6g}, {mass*length**2/12:.6g}]")
        lines.append(f"  rod{i}: {{mass: {mass:.6g}, inertia: {inertia}, position: [{at}]}}")
        before = f"rod{i - 1}" if i else "ground"
        point = f"{x:.6f}, 0" if planar else f"{x:.6f}, 0, 0"
        kind = "revolute" if planar or r.random() < 0.5 else "spherical"
        axis = "" if planar or kind != "revolute" else f", axis: [0, {r.uniform(0.2, 1):.4f}, 1]"
        joints.append(f"  pin{i}: {{type: {kind}, a: {before}, b: rod{i}, point: [{point}]{axis}}}")
        force = ", ".join(f"-{r.uniform(0.1, 2):.4f}*rod{i}.v{c}" for c in ("xy" if planar else "xyz"))
        forces.append(f"  drag{i}: {{type: applied, at: rod{i}, force: [{force}]}}")
        x += length
    if seed % 5 == 1:
        forces.append(f"  push: {{type: applied, at: rod{count - 1}, force: "
                      f"[\"if(rod{count - 1}.y < -0.2, 3, 0)\"{', 0' if planar else ', 0, 0'}]}}")
    if seed % 4 == 2 and planar:
        joints.append(f"  motor: {{type: driver, of: pin0.angle, motion: {r.uniform(0.2, 1):.4f}*sin(3*t)}}")
    lines += ["joints:", *joints, "forces:", *forces, "outputs:", f"  height: rod{count - 1}.y",
              "run: {end: 0.6, tol: 1e-4}"]
    return "\n".join(lines) + "\n"


class ByHand(Case):
    cost = 40  # [s]

    def compare(self, model):
        brief = BRIEF.get(os.path.basename(model))
        end = ("--end", brief) if brief else ()
        p = run("verify", model, "--json", "--no-progress", *end)
        v = json.loads(p.stdout)
        self.assertIn("met", v, p.stderr)
        self.assertEqual(p.returncode, 0 if v["met"] else 1)
        asked = self.report("run", model, "--csv", "asked.csv", "--channels", "*", *end)
        # the very run
        self.assertEqual(asked["settings"]["method"], v["run"]["method"])
        self.assertEqual(asked["counters"]["steps"], v["run"]["steps"])
        against = v["against"]
        better = self.report("run", model, "--rtol", repr(against["rtol"]), "--atol", repr(against["atol"]),
                             "--csv", "better.csv", "--channels", "*", *end)
        self.assertEqual(better["counters"]["steps"], against["steps"])
        a, b = table("asked.csv"), table("better.csv")
        times = {t: k for k, t in enumerate(b["t"])}
        rows = [(i, times[t]) for i, t in enumerate(a["t"]) if t in times]
        self.assertGreater(len(rows), 1)
        names = set()
        for s in v["signals"]:
            if s["kind"] == "event times":
                continue
            names.add(s["name"])
            # forces are not compared at the rows where they jump: one of the largest that are left
            left_out = v["jumps"] if s["kind"] in ("reactions", "forces", "outputs") else 0
            largest = differences(a, b, rows, s["name"])[:left_out + 1]
            by_hand = min(largest, key=lambda d: abs(d - s["difference"]))
            # what should be 0 is round-off of round-off
            self.assertAlmostEqual(s["difference"], by_hand, delta=max(1e-12*by_hand, 1e-20), msg=s["name"])
        parts = ("t", "step", "constraint.position", "constraint.velocity")
        other = ("ax", "ay", "az", "alx", "aly", "alz", "q0", "q1", "q2", "q3", "roll", "pitch", "yaw",
                 "impulse")
        left = {n for n in a if n not in names and n not in parts and n.rsplit(".", 1)[-1] not in other
                and not FOLLOWS.search(n)}
        self.assertLessEqual(left, {"push"} if model.endswith("controlled_cart.yaml") else set())

    def test_bundled_models(self):
        models = fewer_if_slow("ByHand.test_bundled_models", QUICK, fewer_unless_long(SOME, MODELS),
                               "runs every model thrice")
        for model in models:
            with self.subTest(model=os.path.basename(model)):
                self.compare(model)

    def test_random_mechanisms(self):
        for seed in fewer_if_slow("ByHand.test_random_mechanisms", SEEDS[:2],
                                  fewer_unless_long(SEEDS[:8], SEEDS), "twenty models"):
            with self.subTest(seed=seed):
                self.compare(write("random.yaml", random_mechanism(seed)))


if __name__ == "__main__":
    main()
