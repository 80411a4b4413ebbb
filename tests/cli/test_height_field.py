"""Height fields: files of heights, mistakes in them, and how they are drawn."""
import json
import os

from common import Case, main, table, write

MODEL = """gravity: 9.81
bodies: {ball: {mass: 1, inertia: 0.004, position: [0.2, 0.1, 1.5]}}
shapes:
  ball: {type: sphere, radius: 0.1}
  hills: {type: height-field, at: ground, length: 4, width: 2, scale: 0.5, file: hills.csv}
contacts: {hit: {a: ball, b: hills, stiffness: 1e4, damping: 1}}
run: {end: 0.02, output_step: 0.01}
"""


def read_bytes(name):
    with open(name, "rb") as f:
        return f.read()


class Fields(Case):
    def error(self, heights):
        write("hills.csv", heights)
        write("field.yaml", MODEL)
        return self.bad(2, "check", "field.yaml").stderr

    def test_files(self):
        for heights, message in (
                ("0 1 2\n0 1\n", "hills.csv:2:4: error: The line has 2 numbers, and the first one has 3."),
                ("0;1;2\n", "hills.csv:1:1: error: The file has 1 line with numbers, expected at least 2"),
                ("0\n1\n", "hills.csv:1:1: error: The line has 1 number, expected at least 2 heights."),
                ("# nothing\n", "The file has no lines with numbers."),
                ("0,1\n1,nan\n", "hills.csv:2:3: error: Column 2 is 'nan', expected a finite number."),
                ("a,b\n1,2\n", "hills.csv:1:1: error: Column 1 is 'a', expected a finite number.")):
            self.assertIn(message, self.error(heights))

    def test_gap(self):
        """The ball is over the plane z = 0.5 (2 + x)."""
        write("hills.csv", "# metres\n0, 1, 2, 3, 4\n0, 1, 2, 3, 4\n\n0, 1, 2, 3, 4\n")
        write("field.yaml", MODEL)
        self.good("run", "field.yaml", "-q", "--csv", "out.csv", "--out", "none")
        self.assertAlmostEqual(table("out.csv")["hit.gap"][0], 0.4 / 1.25 ** 0.5 - 0.1, places=12)

    def test_drawn(self):
        """As a mesh; a grid of 2 x 3 has 2 cells, each drawn as 4 x 4."""
        write("hills.csv", "0, 1, 2\n0, 1, 2\n")
        write("field.yaml", MODEL)
        self.good("run", "field.yaml", "-q", "--out", "field.h5")
        self.good("export", "field.h5", "-o", "field.glb", "-q")
        glb = read_bytes("field.glb")
        scene = json.loads(glb[20:20 + int.from_bytes(glb[12:16], "little")])
        counts = {scene["accessors"][p["attributes"]["POSITION"]]["count"]
                  for m in scene["meshes"] for p in m["primitives"]}
        triangles = 2 * 4 * 4 * 2
        self.assertTrue(counts & {9 * 5, 3 * triangles}, counts)
        self.good("export", "field.h5", "-o", "field.pvd", "-q")
        self.good("view", "field.h5", "-o", "field.html", "-q")
        self.assertTrue(os.path.getsize("field.html") > 0)


if __name__ == "__main__":
    main()
