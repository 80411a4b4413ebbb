"""Models: read, built in Python, with parameters; the same bits as the command."""
import copy
import os
import pickle

import numpy as np

from common import PENDULUM, SOURCE, Case, model_file, pendulum, run_command, trammel, unittest
from trammel import Body, Model, beams, forces, joints, shapes


class SameBits(Case):
    def by_command(self, path, *options):
        out = os.path.join(self.folder(), "x.csv")
        done = run_command("run", path, "--csv", out, "-q", "--channels", "*", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return np.array(trammel.Result.load(out).values)

    def test_files(self):
        for name, options in (("pendulum.yaml", {"end": 1}), ("slider_crank.yaml", {"end": 0.2}),
                              ("hmmwv.yaml", {"end": 0.3}), ("impact.yaml", {})):
            with self.subTest(name):
                arguments = [f"--{key}={value}" for key, value in options.items()]
                result = Model.load(model_file(name)).run(**options)
                self.same_bits(result.values, self.by_command(model_file(name), *arguments))

    def test_python_and_yaml(self):
        """A model in Python gives the same bits as the same model in a file."""
        self.same_bits(pendulum().run().values, Model.parse(PENDULUM).run().values)

    def test_every_section(self):
        """Springs, contacts, beams, states, tables, events: the same bits as the text of a file."""
        text = """\
gravity: 9.81
parameters: {k: 311.7}
tables: {pull: {points: [[0, 0], [0.1, 3.3], [0.2, 4.1]], interpolation: linear}}
ground: {frames: {hook: [0.3, 0, 1]}}
bodies:
  ball: {mass: 0.37, inertia: [1e-3, 2e-3, 2.5e-3], position: [0.3, 0, 0.6],
         shape: {type: sphere, radius: 0.1}}
beams:
  rod: {type: circle, radius: 0.01, position: [1, 0, 0], end: [1.5, 0, 0], E: 1e7,
        nu: 0.3, density: 1000, damping: 0.01, elements: 1}
joints:
  wall: {type: fixed, a: ground, b: rod.start, point: [1, 0, 0]}
forces:
  spring: {type: spring, a: ground.hook, b: ball, stiffness: k, damping: 0.2, length: 0.35}
  wind: {type: applied, at: ball, force: ["pull(t/2)", 0, 0]}
shapes:
  floor: {type: plane, at: ground}
contacts:
  hit: {a: ball, b: floor, stiffness: 1e5, restitution: 0.6}
states:
  filter: {rate: (ball.z - filter)/0.05, start: 0.6}
events:
  late: {when: t - 0.15, direction: up}
run: {end: 0.4, tol: 1e-5}
"""
        model = Model(gravity=9.81, parameters={"k": 311.7})
        model.add(trammel.Table("pull", points=[[0, 0], [0.1, 3.3], [0.2, 4.1]], interpolation="linear"))
        hook = model.frame("hook", [0.3, 0, 1])
        ball = model.add(Body("ball", mass=0.37, inertia=np.array([1e-3, 2e-3, 2.5e-3]),
                              position=(0.3, 0, 0.6), shape=shapes.Sphere(radius=0.1)))
        model.add(beams.Circle("rod", radius=0.01, position=[1, 0, 0], end=[1.5, 0, 0], E=1e7,
                               nu=0.3, density=1000, damping=0.01, elements=1))
        model.add(joints.Fixed("wall", a="ground", b="rod.start", point=[1, 0, 0]),
                  forces.Spring("spring", a=hook, b=ball, stiffness="k", damping=0.2, length=0.35),
                  forces.Applied("wind", at=ball, force=["pull(t/2)", 0, 0]))
        floor = model.add(shapes.Plane("floor", at="ground"))
        model.add(trammel.Contact("hit", a=ball, b=floor, stiffness=np.float64(1e5), restitution=0.6),
                  trammel.State("filter", rate="(ball.z - filter)/0.05", start=0.6),
                  trammel.Event("late", when="t - 0.15", direction="up"))
        model.settings(end=0.4, tol=1e-5)
        a, b = model.run(), Model.parse(text).run()
        self.assertEqual(a.event, "late")
        self.assertEqual(a.names, b.names)
        self.same_bits(a.values, b.values)

    def test_text(self):
        """The text of a model in Python is a model file."""
        path = os.path.join(self.folder(), "model.yaml")
        with open(path, "w", encoding="utf-8") as f:
            f.write(pendulum().text)
        self.same_bits(self.by_command(path), pendulum().run().values)

    def test_numbers(self):
        """Numbers reach the library with all their bits."""
        for number in (0.1 + 0.2, 1 / 3, 1e-300, 123456789.12345679, 5e-324, 6.02e23, 7):
            model = Model()
            model.add(Body("a", mass=1, inertia=1, position=[number, -number, 0]))
            x = trammel.Simulation(model).body("a").position
            self.assertEqual(x[0], number)
            self.assertEqual(x[1], -number)


class Building(Case):
    def test_parameters(self):
        short = Model.parse(PENDULUM, L=0.4)
        self.assertAlmostEqual(short.run(end=0.01)["bob.x"][0], 0.4, 12)  # the assembly of the start rounds
        longer = short.with_parameters(L="2*0.4")
        self.assertAlmostEqual(longer.run(end=0.01)["bob.x"][0], 0.8, 12)
        self.assertAlmostEqual(short.run(end=0.01)["bob.x"][0], 0.4, 12)
        self.same_bits(Model.parse(PENDULUM, parameters={"L": 1.3}).run().values,
                       Model.parse(PENDULUM).run().values)

    def test_names(self):
        model = Model.load(model_file("slider_crank.yaml"))
        self.assertIn("crank", model.body_names)
        self.assertEqual(len(model.joint_names), len(set(model.joint_names)))
        self.assertEqual(model.title, Model.parse(model.text, name=model_file("x.yaml")).title)

    def test_texts(self):
        """Texts reach the library as they are."""
        for title in ('Größe "δ"', "null", "a: {b}  # c", "back\\slash", "1e3"):
            model = pendulum()
            model._sections["title"] = title
            self.assertEqual(model.title, title)
            self.assertEqual(model.run(end=0.1).title, title)

    def test_entries_change(self):
        """A change of an entry is in the next simulation, not in one that was made before."""
        model = pendulum()
        before = trammel.Simulation(model)
        pin = model.section("joints")["pin"]
        pin.damping = 2.5
        after = trammel.Simulation(model)
        self.assertLess(abs(after.run()["bob.wz"][-1]), abs(before.run()["bob.wz"][-1]))
        self.assertEqual(pin.damping, 2.5)
        self.assertIsNone(pin.stiffness)

    def test_file_and_more(self):
        """Entries are added to a model that was read."""
        model = Model.load(model_file("pendulum.yaml"))
        model.output("twice", "2*bob.x")
        model.add(forces.Drag("air", body="bob", linear=0.3))
        result = model.run(end=1)
        self.same_bits(result["twice"], 2 * result["bob.x"])
        self.assertEqual(model.force_names, ["air"])

    def test_docstrings(self):
        """They are made from the schema: keys, meanings, units, defaults."""
        self.assertIn("stiffness: force per elongation", forces.Spring.__doc__)
        self.assertIn("[kg] (default: by `density`)", Body.__doc__)
        self.assertIn("(required)", forces.Spring.__doc__)
        self.assertIn("(default: 0)", joints.Revolute.__doc__)

    def test_folder(self):
        """Files that a model names are looked for in its folder."""
        folder = self.folder()
        with open(os.path.join(folder, "curve.csv"), "w", encoding="utf-8") as f:
            f.write("x,y\n0,0\n1,2\n")
        model = Model(folder=folder)
        model.add(Body("a", mass=1, inertia=1), trammel.Table("f", file="curve.csv"),
                  forces.Applied("push", at="a", force=["f(t)", 0, 0]))
        self.assertGreater(model.run(end=0.5)["a.x"][-1], 0)

    def test_pickle(self):
        """A model can be sent to another process, or copied."""
        for again in (pickle.loads(pickle.dumps(pendulum())), copy.deepcopy(pendulum())):
            self.same_bits(again.run().values, pendulum().run().values)

    def test_package_is_small(self):
        """Files can be read in one sitting; the generated ones are tables."""
        folder = os.path.join(SOURCE, "python", "trammel")
        for name in os.listdir(folder):
            if name.endswith(".py") and name != "_abi.py":
                with open(os.path.join(folder, name), encoding="utf-8") as f:
                    self.assertLess(len(f.readlines()), 600, name)


if __name__ == "__main__":
    unittest.main()
