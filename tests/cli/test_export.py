"""trammel export: CSV, VTK series, glTF animations, pictures."""
import json
import math
import os
import shutil
import struct
import unittest
import xml.etree.ElementTree as ET

from common import PENDULUM, SOURCE, Case, main, remove, run, skip_if_slow, table, write
from test_view import CHROMIUM, has_viewer

FLOAT, UNSIGNED = 5126, 5125
WIDTH = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}


class Gltf:
    """Reads a .glb file and checks what the specification of glTF 2.0 demands of its parts."""

    def __init__(self, path):
        with open(path, "rb") as f:
            data = f.read()
        magic, version, length = struct.unpack_from("<4sII", data)
        assert (magic, version, length) == (b"glTF", 2, len(data)) and length % 4 == 0
        size, kind = struct.unpack_from("<I4s", data, 12)
        assert kind == b"JSON" and size % 4 == 0
        self.json = json.loads(data[20:20 + size])
        bytes_size, kind = struct.unpack_from("<I4s", data, 20 + size)
        assert kind == b"BIN\0" and 28 + size + bytes_size == length
        self.bytes = data[28 + size:]
        assert self.json["asset"]["version"] == "2.0"
        assert self.json["buffers"] == [{"byteLength": bytes_size}]
        self.arrays = [self.array(a) for a in self.json["accessors"]]
        for m in self.json["meshes"]:
            self.check_mesh(m)
        nodes = self.json["nodes"]
        children = [c for n in nodes for c in n.get("children", [])]
        assert sorted(children + self.json["scenes"][0]["nodes"]) == list(range(len(nodes)))
        assert len(set(children)) == len(children)
        for n in nodes:
            assert 0 <= n.get("mesh", 0) < len(self.json["meshes"])
        for animation in self.json.get("animations", []):
            self.check_animation(animation)

    def array(self, a):
        view = self.json["bufferViews"][a["bufferView"]]
        width, count = WIDTH[a["type"]], a["count"]
        assert count > 0 and a["componentType"] in (FLOAT, UNSIGNED)
        assert view["buffer"] == 0 and view["byteOffset"] % 4 == 0
        assert 4 * width * count == view["byteLength"]
        assert view["byteOffset"] + view["byteLength"] <= len(self.bytes)
        letter = "f" if a["componentType"] == FLOAT else "I"
        flat = struct.unpack_from(f"<{width * count}{letter}", self.bytes, view["byteOffset"])
        assert all(map(math.isfinite, flat))
        rows = [flat[i:i + width] for i in range(0, len(flat), width)]
        for key, best in (("min", min), ("max", max)):
            if key in a:
                assert list(a[key]) == [best(r[k] for r in rows) for k in range(width)], (a, key)
        return rows

    def check_mesh(self, mesh):
        for p in mesh["primitives"]:
            position, normal, index = (self.arrays[i] for i in (
                p["attributes"]["POSITION"], p["attributes"]["NORMAL"], p["indices"]))
            accessor = self.json["accessors"][p["attributes"]["POSITION"]]
            assert "min" in accessor and "max" in accessor
            assert len(position) == len(normal) and len(index) % 3 == 0
            assert max(i for i, in index) < len(position)
            assert all(abs(math.hypot(*n) - 1) < 1e-5 for n in normal)
            assert 0 <= p["material"] < len(self.json["materials"])
            # triangles face outward: their normal agrees with that of their corners
            for k in range(0, len(index), 3):
                a, b, c = (position[i] for i, in index[k:k + 3])
                u, v = ([y[j] - x[j] for j in range(3)] for x, y in ((a, b), (a, c)))
                n = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
                middle = [sum(normal[i][j] for i, in index[k:k + 3]) for j in range(3)]
                if math.hypot(*n) > 1e-9:
                    assert sum(x * y for x, y in zip(n, middle)) > 0

    def check_animation(self, animation):
        targets = set()
        for c in animation["channels"]:
            s = animation["samplers"][c["sampler"]]
            times, values = self.arrays[s["input"]], self.arrays[s["output"]]
            width = {"translation": 3, "rotation": 4, "scale": 3}[c["target"]["path"]]
            assert "min" in self.json["accessors"][s["input"]]
            assert all(a < b for (a,), (b,) in zip(times, times[1:])) and times[0][0] >= 0
            assert len(times) == len(values) and len(values[0]) == width
            if width == 4:
                assert all(abs(math.hypot(*q) - 1) < 1e-5 for q in values)
            target = (c["target"]["node"], c["target"]["path"])
            assert target not in targets
            targets.add(target)

    def track(self, name, path):
        """Times and values of a node of this name."""
        node = [n.get("name") for n in self.json["nodes"]].index(name)
        animation = self.json["animations"][0]
        for c in animation["channels"]:
            if c["target"] == {"node": node, "path": path}:
                s = animation["samplers"][c["sampler"]]
                return self.arrays[s["input"]], self.arrays[s["output"]]
        raise KeyError((name, path))


class Vtk:
    """A .pvd series: times, and per time points, triangles and parts."""

    def __init__(self, path):
        root = ET.parse(path).getroot()
        assert root.tag == "VTKFile" and root.get("type") == "Collection"
        sets = root.findall("Collection/DataSet")
        self.times = [float(d.get("timestep")) for d in sets]
        self.surfaces = [self.surface(os.path.join(os.path.dirname(path), d.get("file"))) for d in sets]

    def surface(self, path):
        piece = ET.parse(path).getroot().find("PolyData/Piece")
        points = [float(x) for x in piece.find("Points/DataArray").text.split()]
        arrays = {a.get("Name"): [int(x) for x in a.text.split()]
                  for a in piece.findall("Polys/DataArray") + piece.findall("CellData/DataArray")}
        n, m = int(piece.get("NumberOfPoints")), int(piece.get("NumberOfPolys"))
        assert len(points) == 3 * n and n > 0
        assert arrays["offsets"] == list(range(3, 3 * m + 3, 3)) and len(arrays["part"]) == m
        assert len(arrays["connectivity"]) == 3 * m
        assert min(arrays["connectivity"]) >= 0 and max(arrays["connectivity"]) < n
        return [points[i:i + 3] for i in range(0, 3 * n, 3)], arrays["connectivity"], arrays["part"]


MODEL = PENDULUM.replace("frames: {top", "shape: {type: box, size: [0.2, 0.1]}, frames: {top")


class ModelCase(Case):
    def run_model(self):
        write("e.yaml", MODEL)
        self.good("run", "e.yaml", "-q", "-o", "e.h5", "--csv", "e_run.csv")


class Export(ModelCase):
    def test_round_off_of_times(self):
        """The row at 0.35000000000000003 is the one at 0.35, and so at the other end."""
        self.run_model()
        times = table("e_run.csv")["t"]
        row = times[35]
        self.assertGreater(row, 0.35)
        self.good("export", "e.h5", "-o", "a.csv", "--channels", "bob.x", "--to", "0.35")
        self.assertEqual(table("a.csv")["t"], times[:36])
        self.good("export", "e.h5", "-o", "a.csv", "--channels", "bob.x", "--from", f"{row*(1 + 3e-16):.17g}")
        self.assertEqual(table("a.csv")["t"], times[35:])
        p = self.good("export", "e.h5", "-o", "v.pvd", "--from", "0.25", "--to", "0.35")
        self.assertIn("v.pvd: 11 times", p.stdout)

    def test_csv(self):
        self.run_model()
        p = self.good("export", "e.h5", "-o", "a.csv", "--channels", "bob.?,height", "--from", "0.1", "--to",
                      "0.2")
        self.assertEqual(p.stdout, "a.csv: 4 columns, 11 rows\n")
        a, whole = table("a.csv"), table("e_run.csv")
        self.assertEqual(list(a), ["t", "bob.x", "bob.y", "height"])
        for name, values in a.items():
            self.assertEqual(values, whole[name][10:21], name)
        self.good("export", "e.h5", "bob.x", "sqrt(bob.x^2 + bob.y^2)", "-o", "b.csv", "-q", "--units")
        b = table("b.csv")
        self.assertEqual(list(b), ["t [s]", "bob.x [m]", "sqrt(bob.x^2 + bob.y^2)"])
        self.assertTrue(all(abs(x - 1.3) < 1e-6 for x in b["sqrt(bob.x^2 + bob.y^2)"]))
        self.good("export", "e.h5", "-o", "all.csv", "-q")
        self.assertEqual(table("all.csv"), whole)

    def test_vtk(self):
        self.run_model()
        self.assertEqual(self.good("export", "e.h5", "-o", "v.pvd", "--step", "0.1").stdout,
                         "v.pvd: 6 times from 0 s to 0.5 s\n")
        v, whole = Vtk("v.pvd"), table("e_run.csv")
        whole["bob.z"] = 51 * [0]  # not in the result of a planar model
        self.assertEqual(v.times, [0, 0.1, 0.2, 0.3, 0.4, 0.5])
        for k, (points, _, parts) in enumerate(v.surfaces):
            self.assertEqual(set(parts), {0})
            # the middle of the box is where the body is, and its corners are half a diagonal away
            for i, axis in enumerate("xyz"):
                mean = sum(p[i] for p in points) / len(points)
                self.assertAlmostEqual(mean, whole[f"bob.{axis}"][10 * k], 5)
            middle = [whole[f"bob.{axis}"][10 * k] for axis in "xy"]
            for p in points:
                self.assertAlmostEqual(math.dist(p[:2], middle), math.sqrt(0.05) / 2, 5)

    def test_gltf(self):
        self.run_model()
        self.good("export", "e.h5", "-o", "g.glb", "-q")
        g, whole = Gltf("g.glb"), table("e_run.csv")
        whole["bob.z"] = 51 * [0]  # not in the result of a planar model
        times, places = g.track("bob", "translation")
        self.assertEqual(len(times), 51)
        for i, axis in enumerate("xyz"):
            self.assertTrue(all(abs(p[i] - x) < 1e-6 for p, x in zip(places, whole[f"bob.{axis}"])))
        _, turns = g.track("bob", "rotation")
        for q, e0, e3 in zip(turns, whole["bob.q0"], whole["bob.q3"]):
            self.assertAlmostEqual(abs(q[3] * e0 + q[2] * e3), 1, 5)

    def test_gltf_as_a_mesh(self):
        """What is exported can be the shape of a body."""
        self.run_model()
        self.good("export", "e.h5", "-o", "g.glb", "-q")
        write("shaped.yaml", "bodies: {a: {mass: 1, inertia: 1, shape: {type: mesh, file: g.glb}}}\n"
              "run: {end: 0.1}\n")
        self.good("run", "shaped.yaml", "-q")
        self.good("export", "shaped.h5", "-o", "again.glb", "-q")
        self.assertGreater(len(Gltf("again.glb").json["meshes"]), 0)
        with open("g.glb", "rb") as f:
            data = f.read()
        with open("g.glb", "wb") as f:
            f.write(data[:len(data) // 2])
        self.assertIn("'g.glb' is no valid glTF 2.0: it is cut short",
                      self.bad(2, "run", "shaped.yaml", "-q").stderr.replace(os.getcwd() + "/", ""))

    def test_models_with_springs_beams_and_meshes(self):
        """All kinds of parts: the files are valid."""
        for model, more in (("hmmwv", ("--end", "0.1")), ("beam_flying_planar", ("--end", "0.02")),
                            ("contact/spheres_in_box", ("--end", "0.02"))):
            name = os.path.basename(model)
            path = os.path.join(SOURCE, "models", f"{model}.yaml")
            self.good("run", path, "-q", "-o", f"{name}.h5", *more)
            self.good("export", f"{name}.h5", "-o", f"{name}.glb", "-q")
            self.good("export", f"{name}.h5", "-o", f"{name}.pvd", "-q", "--to", "0")
            self.assertGreater(len(Gltf(f"{name}.glb").json["nodes"]), 5)
            self.assertGreater(len(Vtk(f"{name}.pvd").surfaces[0][0]), 100)
            remove(f"{name}.h5", f"{name}.glb")

    def test_time_between_rows(self):
        self.run_model()
        p = self.good("export", "e.h5", "-o", "w.pvd", "--from", "0.1003", "--to", "0.1003")
        self.assertEqual(p.stdout, "w.pvd: 1 time from 0.1003 s to 0.1003 s\n")
        self.assertEqual(Vtk("w.pvd").times, [0.1003])

    def test_refused(self):
        self.run_model()
        for args, word in (((), "--out is missing"), (("-o", "x.txt"), ".csv, .pvd"),
                           (("-o", "x.glb", "--units"), "belong to CSV"),
                           (("-o", "x.csv", "--step", "1"), "--step"),
                           (("-o", "x.csv", "--channels", "bob.w"), "is it 'bob."),
                           (("-o", "x.csv", "--channels", "*", "bob.x"), "not both"),
                           (("-o", "e.h5"), "would overwrite the result"),
                           (("-o", "x.h5"), "does not end in"),
                           (("-o", "x.glb", "--from", "3"), "no rows between")):
            p = run("export", "e.h5", *args)
            self.assertEqual(p.returncode, 2, p.stderr)
            self.assertIn(word, p.stderr)
        self.good("run", "e.yaml", "-q", "--csv", "plain.csv")
        self.assertIn("no scene", self.bad(2, "export", "plain.csv", "-o", "x.glb").stderr)
        self.assertIn("Cannot write", self.bad(1, "export", "e.h5", "-o", "absent/x.glb").stderr)


@skip_if_slow("the browser is not instrumented")
@unittest.skipUnless(CHROMIUM, "needs chromium")
class Pictures(ModelCase):
    def test_pictures(self):
        if not has_viewer():
            self.skipTest("built without the viewer")
        self.run_model()
        remove("p-0000.png", "p-0001.png", "p-0002.png", "f.gif")
        self.good("export", "e.h5", "-o", "p.png", "--step", "0.25", "--width", "320", "--height", "200",
                  "-q", "--view", "front", "--chromium", CHROMIUM)
        pictures = []
        for k in range(3):
            with open(f"p-000{k}.png", "rb") as f:
                pictures.append(f.read())
            self.assertEqual(struct.unpack(">II", pictures[-1][16:24]), (320, 200))
        self.assertEqual(len(set(pictures)), 3)  # it moves
        self.assertIn("--chromium", self.bad(1, "export", "e.h5", "-o", "q.png", "--to", "0", "--chromium",
                                             "/absent/browser").stderr)
        if shutil.which("ffmpeg"):
            self.good("export", "e.h5", "-o", "f.gif", "--fps", "8", "--width", "160", "--height", "100",
                      "-q", "--chromium", CHROMIUM)
            with open("f.gif", "rb") as f:
                self.assertEqual(f.read(6), b"GIF89a")
        else:
            self.assertRegex(self.bad(1, "export", "e.h5", "-o", "f.gif").stderr,
                             r"need ffmpeg.*the page of .trammel view. records films without it")


if __name__ == "__main__":
    main()
