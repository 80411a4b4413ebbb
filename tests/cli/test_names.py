"""Names of any length: a model with long names that differ at their ends is the model with short ones."""
import math
import os
import shutil

from common import SOURCE, Case, each, main, run, table, write

# Every name that is composed with others has an @. Two of each kind, with different data.
PLANE = """\
planar: true
gravity: 9.81
bodies:
  @a: {mass: 1.1, inertia: 0.3, position: [0.5, 0], angular_velocity: 0.7, velocity: [0, 0.35],
       frames: {@f: {position: [0.5, 0], shape: {type: sphere, radius: 0.02}}, @g: [0.4, 0.1]}}
  @b: {mass: 0.7, inertia: 0.2, position: [3.5, 0], shape: [{type: sphere, radius: 0.3},
       {type: sphere, radius: 0.2}]}
  @c: {mass: 0.9, inertia: 0.1, position: [7, 0.4], velocity: [0.6, 0]}
  @d: {mass: 1.3, inertia: 0.1, position: [9, 0.4], velocity: [0.2, 0]}
  @w: {mass: 40, inertia: 2, position: [20, 0.299], velocity: [3, 0], angular_velocity: -9}
joints:
  @p: {type: revolute, a: ground, b: @a, point: [0, 0], stiffness: 30, damping: 0.2,
       friction: {coulomb: 0.03}}
  @q: {type: revolute, a: ground, b: @b, point: [3, 0], stiffness: 11, damping: 0.1,
       friction: {law: lugre, coulomb: 0.2, bristle_stiffness: 30}, torque: 0.3*sin(3*t)}
  @s: {type: prismatic, a: ground, b: @c, axis: [1, 0], limits: {upper: 7.2, restitution: 0.5}}
  @u: {type: prismatic, a: ground, b: @d, axis: [1, 0], limits: {upper: 9.3, stiffness: 1e3}}
beams:
  @x: {position: [30, 0], end: [31, 0], elements: 2, order: 2, type: rectangle, width: 0.02, height: 0.02,
       material: steel, load: ["0", "-20*cos(t)"]}
  @y: {position: [33, 0], end: [34, 0], elements: 3, type: rectangle, width: 0.03, height: 0.02,
       material: steel, load: ["0", "-11"]}
roads: {@r: {type: flat}}
forces:
  @t: {type: slip-tyre, at: @w, road: @r, radius: 0.3, stiffness: 4e5, damping: 8000, load: 400,
       coefficient: 0.9, longitudinal_stiffness: 6000, cornering_stiffness: 6000,
       longitudinal_relaxation: 0.1, lateral_relaxation: 0.3}
  @k: {type: spring, a: @a.@f, b: @b, stiffness: 3, length: 2}
outputs:
  @o: "@q.angle + 2*@a.@f.x + distance(@a.@f, @b)"
  @n: "@k.length + @q.angle"
run: {end: 0.02, output_step: 0.01, step: 2e-3, method: genalpha}
"""
BEAM_JOINTS = """\
  @v: {type: fixed, a: ground, b: @x.start, point: [30, 0]}
  @z: {type: fixed, a: ground, b: @y.start, point: [33, 0]}
"""
# Contacts with bristles, and a modal body.
SPACE = """\
gravity: 9.81
bodies:
  @a: {mass: 1.1, inertia: 0.3, position: [0, 0, 0.2], velocity: [1, 0, 0]}
  @b: {mass: 0.7, inertia: 0.3, position: [2, 0, 0.3], velocity: [0.5, 0, 0]}
modal_bodies:
  @h: {part: rod.part, position: [10, 0, 0]}
  @i: {part: rod.part, position: [20, 0, 0], damping: [0.02]}
joints:
  @j: {type: fixed, a: ground, b: @h.crank, point: [10, 0, 0]}
  @k: {type: fixed, a: ground, b: @i.crank, point: [20, 0, 0]}
shapes:
  @s: {type: sphere, radius: 0.2, at: @a}
  @t: {type: sphere, radius: 0.3, at: @b}
  @f: {type: plane, at: ground}
contacts:
  @c: {a: @s, b: @f, stiffness: 1e4, damping: 30,
       friction: {law: lugre, coefficient: 0.3, bristle_stiffness: 500, bristle_damping: 2}}
  @d: {a: @t, b: @f, stiffness: 2e4, damping: 30,
       friction: {law: lugre, coefficient: 0.2, bristle_stiffness: 700, bristle_damping: 2}}
outputs:
  @o: "@a.x + @h.pin.z"
  @p: "@b.x + @i.pin.z"
run: {end: 0.01, output_step: 5e-3, step: 1e-3, method: genalpha}
"""
# Drivers with actuators.
DRIVEN = """\
planar: true
gravity: 9.81
bodies:
  @a: {mass: 1.1, inertia: 0.3, position: [0.5, 0]}
  @b: {mass: 0.7, inertia: 0.2, position: [3.5, 0]}
joints:
  @p: {type: revolute, a: ground, b: @a, point: [0, 0]}
  @q: {type: revolute, a: ground, b: @b, point: [3, 0]}
  @m: {type: driver, of: @p.angle, motion: 0.7*t^2, actuators: @p.angle}
  @n: {type: driver, of: @q.angle, motion: 0.3*t^2, actuators: @q.angle}
outputs: {@o: "@p.angle_torque - @q.angle_torque"}
run: {end: 0.4, output_step: 0.05}
"""
MODELS = {"driven": DRIVEN, "plane": PLANE.replace("beams:\n", BEAM_JOINTS + "beams:\n"), "space": SPACE}
# Where names were cut once (120), and above.
LENGTHS = (118, 119, 120, 121, 250, 300)


class Names(Case):
    def setUp(self):
        if not os.path.exists("rod.part"):
            shutil.copy(os.path.join(SOURCE, "models", "parts", "rod.part"), "rod.part")

    @each([f"{model} {length}" for model in MODELS for length in LENGTHS])
    def test_same_motion(self, which):
        """The columns are the same, and so are their names but for the common beginning."""
        model, length = which.split()
        found = []
        for k, prefix in enumerate(("Q", "Q" * (int(length) - 1))):
            name = f"{model}{length}_{k}"
            p = run("run", write(f"{name}.yaml", MODELS[model].replace("@", prefix)), "--out", f"{name}.csv")
            self.assertEqual(p.returncode, 0, p.stderr)
            columns = table(f"{name}.csv")
            found.append({n.replace(prefix, "@"): x for n, x in columns.items()})
        self.assertEqual(list(found[0]), list(found[1]))
        for name, x in found[0].items():
            self.assertEqual(x, found[1][name], name)
        self.assertGreater(len(found[0]), 15)

    def test_one_name_begins_another(self):
        """The spring of a joint acts along its own coordinate, not along that of a joint whose name is the
        beginning of its name."""
        text = """\
planar: true
bodies:
  a: {mass: 1, inertia: 1, position: [0, 0]}
  b: {mass: 1, inertia: 1, position: [5, 0], velocity: [1, 0]}
joints:
  SHORT: {type: prismatic, a: ground, b: a, axis: [1, 0]}
  LONG: {type: prismatic, a: ground, b: b, axis: [1, 0], stiffness: 4, free: 5}
run: {end: 0.5, tol: 1e-6}
"""
        for length in LENGTHS:
            name = "j" * length
            write("two.yaml", text.replace("SHORT", name).replace("LONG", name + "_and_more"))
            self.good("run", "two.yaml", "--out", "two.csv")
            last = {n: x[-1] for n, x in table("two.csv").items()}
            self.assertAlmostEqual(last.get("a.x", 0), 0, delta=1e-12)  # no force
            self.assertAlmostEqual(last["b.x"], 5 + math.sin(1) / 2, delta=1e-4)

    def test_shapes_of_modes(self):
        """Columns of a mode table are not cut either."""
        for k, prefix in enumerate(("Q", "Q" * 300)):
            write("modes.yaml", MODELS["plane"].replace("@", prefix).replace("limits: {upper: 7.2, "
                                                                               "restitution: 0.5}", ""))
            p = run("modes", "modes.yaml", "--out", f"modes{k}.csv")
            self.assertEqual(p.returncode, 0, p.stderr)
        names = [list(table(f"modes{k}.csv")) for k in range(2)]
        self.assertEqual(names[0], [n.replace("Q" * 300, "Q") for n in names[1]])


if __name__ == "__main__":
    main()
