"""Units of outputs: inferred from what they are made of, and values in the unit that is asked for."""
import json
import math

from common import Case, main, run, table, write

MODEL = """\
planar: true
gravity: [0, -9.81]
parameters: {{k: 1, L: 0.3}}
bodies: {{link: {{mass: 1, inertia: 0.1, position: [0.5, 0]}}, load: {{mass: 1, inertia: 1}}}}
joints:
  pin: {{type: revolute, a: ground, b: link, point: [0, 0]}}
  rail: {{type: prismatic, a: ground, b: load, axis: [1, 0]}}
forces: {{coil: {{type: spring, a: ground, b: link, stiffness: 3}}}}
states: {{charge: {{rate: 1, unit: C}}, way: {{rate: link.vx, unit: m}}}}
outputs: {{value: {{value: "{value}"{unit}}}}}
run: {{end: 0.1, output_step: 0.05}}
"""


class OutputUnits(Case):
    def unit(self, value, unit=""):
        write("m.yaml", MODEL.format(value=value, unit=f', unit: "{unit}"' if unit else ""))
        p = run("run", "m.yaml", "--csv", "r.csv", "--out", "r.h5", "--quiet")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.notes = "".join(x for x in p.stderr.splitlines(True) if "nothing uses" not in x)
        p = self.good("stats", "r.h5", "value", "--json")
        return json.loads(p.stdout)[0]["unit"]

    def test_inferred(self):
        cases = (("link.x", "m"), ("link.x + L", "m"), ("-2*link.x", "m"), ("(link.x + link.y)/2", "m"),
                 ("link.vx", "m/s"), ("link.ax", "m/s^2"), ("pin.angle", "rad"), ("pin.rate", "rad/s"),
                 ("pin.angle*180/pi", "deg"), ("57.2958*pin.angle", "deg"), ("pin.rate*30/pi", "rpm"),
                 ("link.x*1000", "mm"), ("3.6*link.vx", "km/h"), ("pin.fx", "N"), ("pin.fx/1000", "kN"),
                 ("rail.mz", "N m"), ("pin.fx*link.x", "N m"), ("pin.fx*link.vx", "W"),
                 ("pin.fx/link.x", "N/m"), ("hypot(link.x, link.y)", "m"), ("t", "s"),
                 ("sqrt(link.x^2 + link.y^2)", "m"), ("link.x*pin.fx", "N m"), ("pin.mz/(pin.fy + 99)", "m"),
                 ("atan2(link.y, link.x)", "rad"), ("sin(pin.angle)", "1"), ("link.y/link.x", "1"),
                 ("if(t > 1, link.x, link.y)", "m"),
                 ("max(abs(link.x), 0.1)", "m"), ("pin.angle*link.x", "m"), ("pin.rate*link.x", "m/s"),
                 ("way + link.x", "m"), ("coil.force*rail.speed", "W"), ("distance(ground, link)", "m"))
        for value, unit in cases:
            self.assertEqual(self.unit(value), unit, value)
            self.assertEqual(self.notes, "", value)

    def test_along_a_coordinate(self):
        """A driver, a gear, a joint's spring and its friction exert what belongs to their coordinate."""
        parts = """\
  turn: {type: driver, of: pin.angle, motion: t}
  push: {type: driver, of: rail.distance, motion: t}
  gear: {type: gear, first: pin.angle, second: wheel.angle, ratio: 2}
  rack: {type: rack, first: slide.distance, second: wheel.angle, ratio: 2}
  wheel: {type: revolute, a: ground, b: disc, point: [2, 0], stiffness: 3}
  slide: {type: prismatic, a: ground, b: bar, axis: [1, 0], friction: {coulomb: 1}}
forces:
  motor: {type: coordinate, of: wheel.angle, force: t}
  pull: {type: coordinate, of: slide.distance, force: t}
"""
        text = MODEL.format(value="VALUE", unit="")
        text = text.replace("forces: {", parts + "  ").replace("3}}\n", "3}\n")
        text = text.replace("inertia: 1}}", "inertia: 1}, disc: {mass: 1, inertia: 1, position: [2, 0]}, "
                                            "bar: {mass: 1, inertia: 1}}")
        for value, unit in (("turn.multiplier", "N m"), ("push.multiplier", "N"), ("gear.multiplier", "N m"),
                            ("rack.multiplier", "N"), ("motor.force", "N m"), ("pull.force", "N"),
                            ("turn.multiplier*pin.rate", "W"), ("-push.multiplier/1000", "kN")):
            write("m.yaml", text.replace("VALUE", value))
            p = run("run", "m.yaml", "--out", "r.h5", "--quiet")
            self.assertEqual(p.returncode, 0, p.stderr)
            p = self.good("stats", "r.h5", "value", "--json")
            self.assertEqual(json.loads(p.stdout)[0]["unit"], unit, value)

    def test_open(self):
        """A parameter may have any unit, and a large number may be one: nothing is claimed."""
        for value in ("k*link.x", "link.x*2*k", "1234*link.x", "charge*2", "link.x/L", "link.x^pin.angle"):
            self.assertEqual(self.unit(value), "1", value)

    def test_amplitudes(self):
        """A number of the text may have any unit: that of the other term."""
        for value in ("link.x - 0.3*sin(2*t)", "link.x + sin(t)/3", "link.x - step(t, 0, 0.1, 1, 0.5)",
                      "pin.angle - 0.2*cos(pin.angle)"):
            self.assertEqual(self.unit(value), "rad" if "pin" in value else "m", value)
            self.assertEqual(self.notes, "", value)

    def test_sum_of_different_units(self):
        for value, units in (("link.x + pin.angle", "m and rad"), ("pin.fx - pin.mz", "N and N m"),
                             ("max(link.x, link.vx)", "m and m/s"), ("1000*link.x + pin.fy", "mm and N")):
            self.unit(value)
            self.assertRegex(self.notes, r"m\.yaml:\d+:\d+: output 'value' adds values of different units, "
                                         f"{units}\n")
        self.unit("link.x + pin.angle*link.x")  # an arc
        self.assertEqual(self.notes, "")

    def test_asked_for(self):
        """`unit: deg` of an angle is a value in degrees; one that the expression has converted stays."""
        self.unit("pin.angle")
        angle = table("r.csv")["value"][-1]
        self.assertGreater(abs(angle), 1e-3)
        degree = 180 / math.pi
        for value, unit, factor in (("pin.angle", "deg", degree), ("pin.angle*180/pi", "deg", degree),
                                    ("pin.angle", "rad", 1), ("k*pin.angle", "deg", degree),
                                    ("2.5*pin.angle", "deg", 2.5*degree), ("pin.angle/L", "deg", degree/0.3),
                                    ("(k + 56.2957795)*pin.angle", "deg", 57.2957795),
                                    ("-2*pin.angle", "deg", -2*degree)):
            self.assertEqual(self.unit(value, unit), unit)
            self.assertAlmostEqual(table("r.csv")["value"][-1] / angle, factor, delta=1e-9 * factor)
            self.assertEqual(self.notes, "")
        self.unit("pin.rate")
        rate = table("r.csv")["value"][-1]
        self.unit("pin.rate", "rpm")
        self.assertAlmostEqual(table("r.csv")["value"][-1] / rate, 30 / math.pi, delta=1e-9)
        self.unit("link.x")
        x = table("r.csv")["value"][-1]
        for value, unit, factor in (("link.x", "in", 1/0.0254), ("k*link.x", "ft", 1/0.3048),
                                    ("link.x*39.37008", "in", 39.37008)):
            self.assertEqual(self.unit(value, unit), unit)
            self.assertAlmostEqual(table("r.csv")["value"][-1]/x, factor, delta=1e-9*factor)
            self.assertEqual(self.notes, "")
        self.unit("link.x", "N")
        self.assertIn("output 'value' has the unit 'N', but its value is in m", self.notes)
        for unit in ("degree", "degrees"):  # the value stays in rad
            self.unit("pin.angle", unit)
            self.assertIn(f"output 'value' has the unit '{unit}', which is not known: its value stays in rad",
                          self.notes)
        self.unit("1000*link.x", "cm")
        self.assertIn("has the unit 'cm', but its value is in mm", self.notes)
        for value in ("charge*link.x", "link.x^pin.angle", "k*link.x*pin.angle*0.3*sin(pin.rate)"):
            self.unit(value, "kN")
            self.assertIn("has the unit 'kN', to which its value is not converted: nobody says", self.notes)
        for value, unit in (("k*link.x", "N"), ("k*link.x/1000", "kN"), ("300*k*sin(t)", "mm"),
                            ("charge*180/pi", "deg")):  # as they are
            self.assertEqual(self.unit(value, unit), unit)
            self.assertEqual(self.notes, "", value)
        for value, unit in (("pin.fx*link.x", "Nm"), ("pin.fx*link.x", "N*m"), ("k*pin.angle", "parts")):
            self.unit(value, unit)
            self.assertEqual(self.notes, "")


if __name__ == "__main__":
    main()
