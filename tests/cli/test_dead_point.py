"""A light body on two rods between the ground and a heavy body that flies by: it whips past the line on which
the rods are stretched. Which side it is on is a matter of the branch of the constraints alone."""
from common import Case, main, table, write

MODEL = """\
planar: true
gravity: 9.81
ground: {frames: {post: [-292.9, 144.673]}}
bodies:
  knee: {mass: 3140, point: true, position: [-141.6, -79.9], velocity: [-9.19005563537021, -6.19155204602295],
         frames: {c: [0, 0]}}
  load: {mass: 17200000000, inertia: 66700000000000, position: [230.1, -58.65],
         velocity: [-3.47928436910207, -12.2146461758368], angular_velocity: 0.0336394291316515,
         frames: {c: [-35.48, 95.36]}}
joints:
  upper: {type: distance, a: ground.post, b: knee.c}
  lower: {type: distance, a: knee.c, b: load.c}
run: {end: 10, output_step: 0.1}
"""
LENGTH = 300  # [m]


class DeadPoint(Case):
    cost = 3  # [s]

    def end(self, method, tol):
        self.good("run", "rods.yaml", "--method", method, "--tol", str(tol), "--csv", "rods.csv")
        return {name: column[-1] for name, column in table("rods.csv").items()}

    def test_side(self):
        write("rods.yaml", MODEL)
        exact = self.end("erk8", 1e-9)
        for method in ("auto", "radau5", "radau3", "ggl-radau5", "bdf", "for-sdirk", "erk5"):
            for tol in (1e-3, 1e-4, 1e-6):
                with self.subTest(method=method, tol=tol):
                    end = self.end(method, tol)
                    for name in ("knee.x", "knee.y", "load.x", "load.y"):
                        self.assertAlmostEqual(end[name], exact[name], delta=20 * tol * LENGTH)


if __name__ == "__main__":
    main()
