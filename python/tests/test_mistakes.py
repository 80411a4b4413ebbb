"""Mistakes: each raises an exception that says what is wrong, where, and what to do."""
import copy
import inspect
import os
import pickle

import numpy as np

from common import CART, PENDULUM, Case, model_file, pendulum, trammel, unittest
from trammel import Body, ForceFunction, Friction, Model, Result, Simulation, joints, shapes


class Mistakes(Case):
    def mistake(self, kind, pattern, function, *arguments, **keywords):
        with self.assertRaisesRegex(kind, pattern) as caught:
            function(*arguments, **keywords)
        return caught.exception

    # ---- keywords -----------------------------------------------------------------------------------------

    def test_key(self):
        self.mistake(TypeError, r"^Revolute has no key 'dampin' \(is it 'damping'\?\); it has a, b, point",
                     joints.Revolute, "pin", dampin=1)

    def test_position(self):
        self.mistake(TypeError, r"^Body takes its values by keyword, after the name: Body\(name, mass=\.",
                     Body, "arm", 2.0)

    def test_attribute(self):
        arm = Body("arm", mass=1)
        self.mistake(AttributeError, r"^Body has no key 'mas' \(is it 'mass'\?\)", setattr, arm, "mas", 2)
        self.mistake(AttributeError, r"^Body has no key 'inertai' \(is it 'inertia'\?\)", getattr, arm,
                     "inertai")

    def test_section(self):
        self.mistake(TypeError, r"^A model has no key 'gravitiy' \(is it 'gravity'\?\)", Model, gravitiy=9.81)

    def test_setting(self):
        self.mistake(TypeError, r"^A run has no setting 'tolerance'", pendulum().run, tolerance=1e-3)

    def test_no_class(self):
        self.mistake(AttributeError, r"^trammel\.joints has no 'Hinge' .*; it has Fixed, Revolute,",
                     getattr, joints, "Hinge")
        self.mistake(AttributeError, r"^trammel\.forces has no 'Springs' \(is it 'Spring'\?\); it has",
                     getattr, trammel.forces, "Springs")
        self.mistake(AttributeError, r"^module 'trammel' has no attribute 'Modl' \(is it 'Model'\?\)$",
                     getattr, trammel, "Modl")
        self.assertTrue(callable(trammel.urdf.translate))

    # ---- what other packages have -------------------------------------------------------------------------

    def test_attributes(self):
        model = pendulum()
        result, sim = model.run(), model.simulate()
        for thing, name, said in (
                (model, "bodies", r"section\('bodies'\) has the entries that were added in Python"),
                (model, "parameters", r"with_parameters\(NAME=VALUE\)"),
                (model, "modes", r"analyses are functions, such as trammel\.modes\(model\)"),
                (model, "simulation", r"simulate\(\) makes a Simulation"),
                (model, "body_nams", r"\(is it 'body_names'\?\)"),
                (result, "time", r"`t` has the times"), (result, "save", r"write\(path\)"),
                (result, "pin", r"write result\['pin\.\w+'\]"), (result, "show", r"page\(path\)"),
                (sim, "reset", r"restart\(state\)"), (sim, "time", "`t` is the time")):
            pattern = rf"^{type(thing).__name__} has no '{name}'.*{said}"
            self.mistake(AttributeError, pattern, getattr, thing, name)
        self.mistake(AttributeError, r"'load'; write trammel\.Model\.load\(path\)$", getattr, trammel, "load")
        self.mistake(AttributeError, r"'Revolute'; it is trammel\.joints\.Revolute$", getattr, trammel,
                     "Revolute")
        self.mistake(AttributeError, r"no 'Hinge' \(it is called 'Revolute' here\)", getattr, joints, "Hinge")
        self.assertFalse(hasattr(result, "_repr_png_"))
        copy.copy(result)
        pickle.loads(pickle.dumps(model))

    def test_attribute_without_effect(self):
        """model.gravity = 0 changed nothing, and nobody said so."""
        model = pendulum()
        self.mistake(AttributeError, r"^Model has no 'gravity' that could be set: give it to Model\(gravity=",
                     setattr, model, "gravity", 0)
        self.mistake(AttributeError, r"^Model has no 'tolerance' that could be set", setattr, model,
                     "tolerance", 0)

    def test_file_as_title(self):
        self.mistake(trammel.ArgumentError, r"Model\.load\('arm\.yaml'\) reads the file", Model, "arm.yaml")

    def test_settings_of_others(self):
        for theirs, ours in (("dt", "step"), ("t_end", "end"), ("integrator", "method")):
            self.mistake(TypeError, rf"no setting '{theirs}' \(it is called '{ours}' here\); it has method,",
                         pendulum().run, **{theirs: 1})
        self.mistake(TypeError, r"no setting 'L' \(a parameter of the model is set by Model\.load or",
                     pendulum().run, L=2)
        result = pendulum().run()
        self.mistake(trammel.UnknownNameError, r"no channel 'pin' \(is it 'pin\.\w+'\?\)",
                     lambda: result["pin"])

    def test_frame(self):
        arm = Body("arm", mass=1, frames={"root": [0, 0, 0]})
        self.mistake(KeyError, r"body 'arm' has no frame 'rot' \(is it 'root'\?\)", lambda: arm["rot"])

    # ---- values: the sentences of the library, with the line of the program ----------------------------

    def test_reference(self):
        line = inspect.currentframe().f_lineno + 1
        model = pendulum(b="bobb.top")
        e = self.mistake(trammel.UnknownNameError, r"body 'bobb' not found \(is it 'bob'\?\)", model.run)
        self.assertEqual((e.path, e.status), ("joints.pin.b", "name"))
        self.assertTrue(e.file.endswith("common.py"), e.file)
        model.section("joints")["pin"] = joints.Revolute("pin", a="ground", b="bob.tip")
        e = self.mistake(trammel.UnknownNameError, r"mistakes\.py:\d+: joints\.pin\.b: .*'tip'", model.run)
        self.assertEqual(e.line, line + 4)

    def test_value(self):
        e = self.mistake(trammel.ModelError, r"'mass' is -1, expected a number >= 0", self.with_body, mass=-1)
        self.assertEqual(e.path, "bodies.arm.mass")

    def with_body(self, **keys):
        model = Model()
        model.add(Body("arm", **keys))
        return model.run()

    def test_missing(self):
        self.mistake(trammel.Error, r"bodies\.arm.*: body 'arm' .*mass", self.with_body, inertia=1)

    def test_not_finite(self):
        e = self.mistake(trammel.ArgumentError, r"The value is nan, expected a finite number", self.with_body,
                         mass=float("nan"))
        self.assertEqual(e.path, "bodies.arm.mass")

    def test_type_of_value(self):
        self.mistake(trammel.ArgumentError, r"bodies\.arm\.mass: The value is of type object, expected a",
                     self.with_body, mass=object())

    def test_expression(self):
        e = self.mistake(trammel.UnknownNameError,
                         r"unknown name 'k1'; names of your own stand under 'parameters'",
                         pendulum(stiffness="2*k1").run)
        self.assertEqual(e.path, "joints.pin.stiffness")

    def test_word(self):
        self.mistake(trammel.UnknownNameError, r"is 'coulmb' \(is it 'coulomb'\?\)",
                     pendulum(friction=Friction(law="coulmb", coulomb=1)).run)

    def test_inner_value(self):
        e = self.mistake(trammel.ModelError, r"the z entry of 'size' is 0.1, expected 0 in a planar model",
                         self.planar_box)
        self.assertEqual(e.path, "bodies.arm.shape.size")

    def planar_box(self):
        model = Model(planar=True)
        model.add(Body("arm", mass=1, shape=shapes.Box(size=[1, 0.1, 0.1])))
        return model.run()

    def test_name_twice(self):
        self.mistake(trammel.ArgumentError, r"The model already has 'pin' among its joints", pendulum().add,
                     joints.Fixed("pin", a="ground", b="bob"))

    def test_no_name(self):
        self.mistake(trammel.ArgumentError, r"needs a name", Model().add, shapes.Sphere(radius=1))

    def test_no_entry(self):
        self.mistake(TypeError, r"^'pin' is not an entry of a model: expected a body", Model().add, "pin")

    def test_setting_value(self):
        e = self.mistake(trammel.ModelError, r"'tol' is -1, expected a number > 0", pendulum().run, tol=-1)
        self.assertEqual(e.path, "run.tol")

    def test_method(self):
        self.mistake(trammel.ArgumentError, r"no method 'bfd' \(is it 'bdf'\?\)", pendulum().run,
                     method="bfd")

    # ---- files --------------------------------------------------------------------------------------------

    def test_no_file(self):
        e = self.mistake(OSError, r"^nix\.yaml: Cannot read 'nix\.yaml': No such file", Model.load,
                         "nix.yaml")
        self.assertIsInstance(e, trammel.FileError)

    def test_file_with_mistake(self):
        path = os.path.join(self.folder(), "model.yaml")
        with open(path, "w", encoding="utf-8") as f:
            f.write(PENDULUM.replace("mass:", "mas:"))
        e = self.mistake(trammel.UnknownNameError, r"Unknown key 'mas' in body 'bob' \(is it 'mass'\?\)",
                         Model.load, path)
        self.assertEqual((e.file, e.line, e.column, e.path), (path, 6, 9, None))
        self.assertTrue(str(e).startswith(f"{path}:6:9: "), e)

    def test_parameter(self):
        self.mistake(trammel.UnknownNameError, r"no parameter 'l'", Model.parse, PENDULUM, l=2)

    def test_result_file(self):
        self.mistake(trammel.ArgumentError, r"does not end in \.csv, \.h5 or \.hdf5", Result.load, "x.txt")

    def test_write(self):
        self.mistake(trammel.FileError, r"No such file or directory", pendulum().run().write, "nowhere/x.csv")

    # ---- use ----------------------------------------------------------------------------------------------

    def test_channel(self):
        result = pendulum().run()
        self.mistake(LookupError, r"there is no channel 'pin\.angel' \(is it 'pin\.angle'\?\)",
                     lambda: result["pin.angel"])
        self.mistake(TypeError, r"A channel is named by a text, found 3; rows are in `values`",
                     lambda: result[3])
        self.mistake(LookupError, r"'pin\.\*' is a pattern, .*; find\('pin\.\*'\) lists the channels",
                     lambda: result["pin.*"])
        sim = pendulum().simulate()
        self.mistake(LookupError, r"there is no channel 'pin\.angel' \(is it 'pin\.angle'\?\)",
                     lambda: sim["pin.angel"])

    def test_input(self):
        sim = Simulation(Model.parse(CART))
        self.mistake(LookupError, r"no input 'pusch' \(is it 'push'\?\)", sim.set_input, "pusch", 1)
        self.mistake(ValueError, r"is nan|finite", sim.set_input, "push", float("nan"))

    def test_body(self):
        self.mistake(LookupError, r"'bobb'.*is it 'bob'", pendulum().simulate().body, "bobb")

    def test_fixed_parameter(self):
        self.mistake(trammel.ArgumentError, r"parameter 'L' is fixed.*Build it again with another one",
                     Model.parse(PENDULUM).simulate().set_parameter, "L", 2)

    def test_backwards(self):
        sim = pendulum().simulate()
        sim.advance(0.2)
        for call in (sim.run, sim.advance, sim.step):
            self.mistake(trammel.ArgumentError, r"is at t = 0\.2 s and cannot go back to 0\.1 s", call, 0.1)
        self.mistake(trammel.ArgumentError, r"cannot go back to nan s", sim.advance, float("nan"))

    def test_inside_a_run(self):
        sim = pendulum().simulate()
        self.mistake(trammel.ArgumentError, r"The simulation is running: a function called by its run",
                     sim.run, on_step=lambda s, t, h: s.step())

    def test_model(self):
        self.mistake(TypeError, r"A Model is wanted, found str: Model\.load\(path\) reads one",
                     Simulation, "pendulum.yaml")
        self.mistake(TypeError, r"A Model is wanted, found str", trammel.check, "pendulum.yaml")

    def test_state(self):
        """A state of another model, and what is no state."""
        other = Simulation(Model.parse(CART)).state
        sim = pendulum().simulate()
        self.mistake(trammel.ArgumentError, r"the state belongs to another system", sim.restart, other)
        self.mistake(trammel.ArgumentError, r"the state x0 belongs to another system", Simulation, pendulum(),
                     state=other)
        self.mistake(TypeError, r"A state of a simulation is wanted", sim.restart, None)

    def test_no_number(self):
        sim = Simulation(Model.parse(CART))
        self.mistake(ValueError, r"could not convert string to float: 'much'", sim.set_input, "push", "much")
        self.mistake(ValueError, r"could not convert string to float: 'late'", sim.advance, "late")

    def test_another_model(self):
        saved = pendulum().simulate().save_bytes()
        self.mistake(trammel.ArgumentError, r"has 3 velocity coordinates, this one 2", Simulation.load,
                     Model.load(model_file("pendulum.yaml")), saved)

    def test_assembly(self):
        model = pendulum()
        model.add(joints.Revolute("far", a="bob", b="ground", point=[9, 9]))
        model.frame("there", [100, 0])
        model.add(joints.Revolute("impossible", a="ground.there", b="bob.top"))
        e = self.mistake(trammel.AssemblyError, r"impossible", model.run)
        self.assertEqual(e.status, "assembly")

    def test_function(self):
        self.mistake(TypeError, r"force 'f': the function is of type str, expected a function f\(t, frames\)",
                     ForceFunction, "f", "f", frames="bob")
        self.mistake(trammel.ArgumentError, r"5 frames, expected 1 to 4", ForceFunction, "f", print,
                     frames=["bob"] * 5)

    def test_function_frame(self):
        model = pendulum()
        model.add(ForceFunction("f", lambda t, x: [0, 0, 0], frames="bobb"))
        e = self.mistake(trammel.UnknownNameError, r"'bobb'.*is it 'bob'", model.run)
        self.assertIsNotNone(e.message)

    def test_copies(self):
        """What has memory of the library is not copied behind its back."""
        sim = Simulation(Model.parse(CART), end=1)
        for f in (copy.copy, copy.deepcopy, pickle.dumps):
            self.mistake(TypeError, r"A Simulation cannot be copied or pickled. sim.save\(path\)", f, sim)
            self.mistake(TypeError, r"A Modes cannot be copied", f, trammel.modes(pendulum()))
        self.mistake(TypeError, r"A State cannot be pickled", pickle.dumps, sim.state)
        kept = copy.copy(sim.state), copy.deepcopy(sim.state)
        sim.advance(0.5)
        self.assertEqual([x.t for x in kept], [0, 0])
        result = pendulum().run(end=0.1)
        for other in (copy.copy(result), copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
            self.same_bits(other["bob.x"], result["bob.x"])
        model = copy.deepcopy(pendulum())
        self.same_bits(model.run(end=0.1).values, result.values)

    def test_texts(self):
        self.mistake(ValueError, r"NUL", Model.load, "a\0b")
        sim = Simulation(Model.parse(CART), end=1)
        self.mistake(trammel.ArgumentError, r"infinite", sim.advance, float("inf"))
        self.mistake(TypeError, r"on_output is of type int, expected a function", sim.run, on_output=5)
        sim.set_input(np.int64(0), np.float32(1))
        self.mistake(TypeError, r"is not an entry", pendulum().add, trammel.Body)
        self.mistake(TypeError, r"The model of a study is a file", trammel.Study, model=pendulum())
        model = pendulum()
        model.add(ForceFunction("f", lambda t, x: None, frames="bob"))
        self.mistake(trammel.ArgumentError, r"force 'f': the function returned nothing", model.run)

    def test_size_of_force(self):
        model = pendulum()
        model.add(ForceFunction("f", lambda t, x: 1.0, frames="bob"))
        self.mistake(trammel.ArgumentError, r"force 'f': the function returned 1 numbers, expected 3",
                     model.run)


if __name__ == "__main__":
    unittest.main()
