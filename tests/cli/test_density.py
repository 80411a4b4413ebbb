"""`density` of bodies in model files: the same motion as with mass and inertia, and what is refused."""
from common import Case, main, table, write

# a bar whose frame is at its end, and the same by mass and inertia about its centre
BY_DENSITY = """\
gravity: 9.81
bodies:
  bar:
    density: 500
    frames: {middle: {position: [0.4, 0, 0], shape: {type: box, size: [0.8, 0.05, 0.04]}}, tip: [0.8, 0, 0]}
joints: {pin: {type: revolute, a: ground, b: bar.origin, axis: [0, 1, 0]}}
outputs: {tip_z: bar.tip.z}
run: {end: 1, output_step: 0.1, method: radau5, tol: 1e-8}
"""
BY_MASS = """\
gravity: 9.81
parameters: {m: 500*0.8*0.05*0.04}
bodies:
  bar:
    mass: m
    inertia: [m*(0.05^2 + 0.04^2)/12, m*(0.8^2 + 0.04^2)/12, m*(0.8^2 + 0.05^2)/12]
    position: [0.4, 0, 0]
    frames: {origin: [-0.4, 0, 0], tip: [0.4, 0, 0]}
joints: {pin: {type: revolute, a: ground, b: bar.origin, axis: [0, 1, 0]}}
outputs: {tip_z: bar.tip.z}
run: {end: 1, output_step: 0.1, method: radau5, tol: 1e-8}
"""


class Density(Case):
    def test_motion(self):
        for name, text in (("density", BY_DENSITY), ("mass", BY_MASS)):
            write(name + ".yaml", text)
            self.good("run", name + ".yaml", "-q", "--csv", name + ".csv", "--out", "none")
        a, b = table("density.csv"), table("mass.csv")
        for channel in ("tip_z", "bar.x", "bar.z", "pin.fx", "pin.fz", "energy.kinetic"):
            for x, y in zip(a[channel], b[channel]):
                self.assertAlmostEqual(x, y, delta=1e-9 * max(1, abs(y)))
        self.assertLess(min(a["tip_z"]), -0.5)

    def test_refused(self):
        def error(old, new):
            self.assertIn(old, BY_DENSITY)
            write("d.yaml", BY_DENSITY.replace(old, new))
            return self.bad(2, "check", "d.yaml").stderr
        self.assertRegex(error("density: 500", "density: 500\n    mass: 1"),
                         r"d.yaml:5:11: error: body 'bar' has 'density' and 'mass'")
        self.assertRegex(error("density: 500", "density: 0"),
                         r"d.yaml:4:14: error: 'density' of body 'bar' is 0")
        self.assertRegex(error("density: 500", "density: -1"), r"d.yaml:4:14: error: .*-1")
        self.assertRegex(error(", shape: {type: box, size: [0.8, 0.05, 0.04]}", ""),
                         r"d.yaml:4:14: error: body 'bar' has a density, but no shape")
        self.assertRegex(error("density: 500", ""), r"lacks the key 'mass'")
        write("open.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
                          "vertex 0 1 0\nendloop\nendfacet\nendsolid x\n")
        self.assertRegex(error("{type: box, size: [0.8, 0.05, 0.04]}", "{type: mesh, file: open.stl}"),
                         r"d.yaml:5:\d+: error: .*not closed: 3 of its edges")


if __name__ == "__main__":
    main()
