"""Bodies that land flush on each other rest on each other: edges and corners of equal shapes are at the same
places, and none of them may be pushed out through the side."""
from common import Case, each, main, run, table, write

MASS, G = 1.0, 9.81
HEAD = """\
planar: PLANAR
gravity: 9.81
defaults:
  bodies: {mass: 1, inertia: 0.0067}
  contacts:
    stiffness: STIFFNESS
    damping: DAMPING
    friction: {law: regularized, coefficient: 0.5, creep: 1e-3}
shapes:
  floor: {type: plane, at: ground}
run: {end: 1.5, tol: 1e-4}
"""
SIZE = 0.1  # [m]


def stack(count, offset, shape, fall=0.25, stiffness=1e6, damping=10, turned="", planar=False):
    """`count` equal shapes above each other, the first on the floor, each next one displaced by `offset`."""
    text = HEAD.replace("PLANAR", str(planar).lower()).replace("STIFFNESS", str(stiffness))
    text = text.replace("DAMPING", str(damping))
    bodies, contacts = "bodies:\n", "contacts:\n"
    for i in range(count):
        height = SIZE * (i + 0.5) + fall * i
        place = [offset[0] * i, height] if planar else [offset[0] * i, offset[1] * i, height]
        turn = turned if i % 2 else ""
        bodies += f"  b{i}: {{position: {place}, {turn}shape: {{{shape}}}}}\n"
        contacts += f"  c{i}: {{a: b{i}, b: {f'b{i - 1}' if i else 'floor'}}}\n"
    return text + bodies + contacts


PLANE = f"type: box, size: [{SIZE}, {SIZE}]"
SPACE = f"type: box, size: [{SIZE}, {SIZE}, {SIZE}]"
CYLINDER = f"type: cylinder, radius: {SIZE / 2}, length: {SIZE}"
ABOUT_Z = "orientation: {axis: [0, 0, 1], angle: ANGLE}, "
CASES = {
    "plane": stack(2, [0], PLANE, planar=True),
    "plane nearly": stack(2, [1e-5], PLANE, planar=True),
    "plane slightly": stack(2, [1e-3], PLANE, planar=True),
    "plane soft": stack(2, [0], PLANE, planar=True, stiffness=1e5, damping=50),
    "plane beside": stack(2, [0.02], PLANE, planar=True),
    "plane turned": stack(2, [0], PLANE, planar=True, turned="orientation: pi/2, "),
    "plane three": stack(3, [0], PLANE, planar=True, fall=0.05),
    "space": stack(2, [0, 0], SPACE),
    "space beside": stack(2, [0.02, 0], SPACE),
    "space nearly": stack(2, [0.02, 1e-5], SPACE),
    "space slightly": stack(2, [0.02, 3e-4], SPACE),
    "space soft": stack(2, [0.02, 0], SPACE, stiffness=1e5, damping=50),
    "space turned": stack(2, [0.02, 0], SPACE, turned=ABOUT_Z.replace("ANGLE", "pi/2")),
    "space askew": stack(2, [0.01, 0], SPACE, turned=ABOUT_Z.replace("ANGLE", "0.02")),
    "space three": stack(3, [0.005, 0], SPACE, fall=0.05),
    "cylinders": stack(2, [0, 0], CYLINDER),
}


class Flush(Case):
    @each(CASES)
    def test_rests(self, which):
        """Every body is above the one below it, and the pairs carry the weight of what is above them."""
        text = CASES[which]
        name = which.replace(" ", "_")
        p = run("run", write(f"{name}.yaml", text), "--out", f"{name}.csv")
        self.assertEqual(p.returncode, 0, p.stderr)
        last = {n: x[-1] for n, x in table(f"{name}.csv").items()}
        count = text.count("shape: {")
        up = "y" if "planar: true" in text else "z"
        stiffness = 1e5 if "soft" in which else 1e6
        for i in range(count):
            weight = (count - i) * MASS * G
            self.assertAlmostEqual(last[f"c{i}.force"], weight, delta=0.05 * weight)  # points at edges lean
            # per pair at most the depth d of one point that carries everything, k d^1.5
            deepest = 1.01 * (count * MASS * G / stiffness)**(2 / 3)
            self.assertGreater(last[f"b{i}.{up}"], SIZE / 2 + SIZE * i - (i + 1) * deepest)
            self.assertLess(last[f"b{i}.{up}"], SIZE / 2 + SIZE * i)


class Sunk(Case):
    """Bodies that are deeper in each other than a load at rest presses them are named."""

    def test_soft(self):
        write("soft.yaml", stack(2, [0, 0], SPACE, fall=0, stiffness=300, damping=3))
        p = run("run", "soft.yaml", "--out", "none")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertRegex(p.stderr,
                         r"warning: contact 'c1': '(b0|b1)' is 0\.0\d+ m deep in '(b0|b1)' at t = 1\.5 s")

    def test_stiff(self):
        write("stiff.yaml", stack(2, [0, 0], SPACE, fall=0))
        self.assertNotIn("deep in", run("run", "stiff.yaml", "--out", "none").stderr)


if __name__ == "__main__":
    main()
