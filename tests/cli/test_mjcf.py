"""Robots of MJCF files: what becomes of them, what is noted and refused; no file elsewhere is read."""
import json
import math
import os

from common import Case, main, read, remove, run, table, write

G = 9.81


def model(*parts, name="r"):
    return f'<mujoco model="{name}">\n' + "\n".join(parts) + "\n</mujoco>\n"


def world(inside):
    return f"<worldbody>{inside}</worldbody>"


SOLID = '<inertial pos="0.3 0 0" mass="2" diaginertia="0.02 0.05 0.06"/>'
ARM = world(f'<body name="arm"><joint name="j" axis="0 1 0"{{}}/>{SOLID}</body>')


class Mjcf(Case):
    def setUp(self):
        remove("robot.xml", "robot.yaml", "robot.csv", "more.xml")

    def translate(self, text, *options):
        write("robot.xml", text)
        remove("robot.yaml")
        p = run("import", "robot.xml", "-o", "robot.yaml", *options)
        self.assertEqual(p.returncode, 0, p.stderr)
        return p.stdout, read("robot.yaml")

    def refused(self, text, words, *options, line=None):
        write("robot.xml", text)
        remove("robot.yaml")
        p = run("import", "robot.xml", "-o", "robot.yaml", *options)
        self.assertEqual(p.returncode, 2, p.stdout + p.stderr)
        self.assertRegex(p.stderr, words)
        self.assertRegex(p.stderr, rf"\.xml:{line or '[0-9]+'}:[0-9]+: error: ")
        self.assertFalse(os.path.exists("robot.yaml"))

    def row(self, outputs=(), end=1e-6, name="robot.yaml"):
        """The first row of a run, with more outputs."""
        text = read(name)
        more = "".join(f"  o{i}: {{value: {x}}}\n" for i, x in enumerate(outputs))
        write("with.yaml", text + ("outputs:\n" + more if more else ""))
        self.good("run", "with.yaml", "--end", str(end), "--csv", "robot.csv", "--out", "none")
        return {k: v[0] for k, v in table("robot.csv").items()}

    def freedoms(self):
        return json.loads(self.good("check", "robot.yaml", "--json").stdout)["degrees_of_freedom"]

    def body(self, text, name):
        """Mass and inertia of a body of a model file."""
        part = text.split(f"\n  {name}:\n")[1]
        lines = dict(line.strip().split(": ", 1) for line in part.split("\n")[:5] if ": " in line)
        numbers = [json.loads(lines.get(key, "[0, 0, 0]")) for key in ("inertia", "position")]
        return float(lines["mass"]), *numbers


class Bodies(Mjcf):
    def test_pendulum(self):
        """(I + m l^2 + A) q'' = m g l - k (q - q0), from the horizontal; angles are in degrees."""
        notes, text = self.translate(model(ARM.format(
            ' armature="0.3" stiffness="4" springref="90" damping="0.7" frictionloss="0" range="-170 170"')))
        self.assertIn("armature: 0.3", text)
        self.assertIn("damping: 0.7", text)
        self.assertIn("limits: {lower: -2.96", text)
        a = self.row(["j.angle_acceleration"])["o0"]
        inertia = 0.05 + 2 * 0.3 ** 2 + 0.3
        self.assertAlmostEqual(a, (2 * G * 0.3 + 4 * math.pi / 2) / inertia, delta=1e-9)
        self.assertNotIn("armature> is left out", notes)

    def test_run_directly(self):
        write("robot.xml", model(ARM.format("")))
        self.good("run", "robot.xml", "--end", "0.1", "--csv", "same.csv", "--out", "none")
        self.good("import", "robot.xml", "-o", "robot.yaml")
        self.good("run", "robot.yaml", "--end", "0.1", "--csv", "robot.csv", "--out", "none")
        self.assertEqual(table("same.csv"), table("robot.csv"))

    def test_inertia_of_geoms(self):
        """Masses of all primitive types, by density and by mass, at their places."""
        pi = math.pi
        shapes = {  # size, mass of density 1000 or given, moments
            '"sphere" size="0.1"': (4 / 3 * pi * 1e-3 * 1000, [0.4 * 0.01] * 3),
            '"box" size="0.1 0.2 0.3" mass="3"': (3, [(0.04 + 0.09) / 3, (0.01 + 0.09) / 3, 0.05 / 3]),
            '"cylinder" size="0.1 0.2" density="500"': (pi * 0.01 * 0.4 * 500, [
                (3 * 0.01 + 0.16) / 12, (3 * 0.01 + 0.16) / 12, 0.005]),
            '"ellipsoid" size="0.1 0.2 0.3"': (4 / 3 * pi * 6e-3 * 1000, [0.13 / 5, 0.1 / 5, 0.05 / 5]),
        }
        for geom, (mass, per_mass) in shapes.items():
            _, text = self.translate(model(world(
                f'<body name="b" pos="1 2 3"><freejoint/><geom type={geom} pos="0.5 0 0"/></body>')))
            m, inertia, position = self.body(text, "b")
            self.assertAlmostEqual(m, mass, delta=1e-12 * mass)
            self.assertEqual(position, [1.5, 2, 3])
            for got, want in zip(inertia, per_mass):
                self.assertAlmostEqual(got, want * mass, delta=1e-12 * mass)

    def test_capsule_between_points(self):
        """A cylinder of length h and two half spheres, by a chain of closed forms; two of them in a cross."""
        r, h = 0.05, 0.4
        _, text = self.translate(model(world(
            '<body name="b"><freejoint/>'
            f'<geom type="capsule" fromto="-0.2 0 0 0.2 0 0" size="{r}"/></body>')))
        m, inertia, _ = self.body(text, "b")
        cylinder, ball = math.pi * r * r * h * 1000, 4 / 3 * math.pi * r ** 3 * 1000
        self.assertAlmostEqual(m, cylinder + ball, delta=1e-12)
        axial = cylinder * r * r / 2 + ball * 0.4 * r * r
        across = cylinder * (h * h / 12 + r * r / 4) + ball * (0.4 * r * r + h * h / 4 + 3 / 8 * h * r)
        self.assertAlmostEqual(inertia[0], axial, delta=1e-12)
        self.assertAlmostEqual(inertia[1], across, delta=1e-12)

    def test_several_joints(self):
        """Two hinges in a body are a universal joint; places of joints and a frame between them."""
        self.translate(model(world(
            '<body name="b" pos="0.1 0 0"><joint name="p" axis="1 0 0"/><joint name="q" axis="0 1 0"/>'
            '<inertial pos="0.3 0.1 0.2" mass="2" diaginertia="0.02 0.05 0.06"/></body>')))
        self.assertEqual(self.freedoms(), 2)
        got = self.row(["p.angle_acceleration", "q.angle_acceleration"])
        write("robot.yaml", f"""gravity: [0, 0, -{G}]
bodies:
  b: {{mass: 2, inertia: [0.02, 0.05, 0.06], position: [0.4, 0.1, 0.2], frames: {{f: [-0.3, -0.1, -0.2]}}}}
ground: {{frames: {{f: [0.1, 0, 0]}}}}
joints:
  u: {{type: universal, a: ground.f, b: b.f}}
""")
        want = self.row(["u.angle1_acceleration", "u.angle2_acceleration"])
        for name in ("o0", "o1"):
            self.assertAlmostEqual(got[name], want[name], delta=1e-9)

    def test_armatures_of_several_joints(self):
        """Bodies without mass lie between the joints: across an armature they have no inertia."""
        parts = "".join(f'<joint name="{n}" {kind} armature="0.1"/>' for n, kind in (
            ("x", 'type="slide" axis="1 0.3 1e-7"'), ("y", 'type="slide" axis="0 1 0"'),
            ("z", 'axis="1e-5 0 1"'), ("r", 'axis="1 0 0"')))
        self.translate(model(world(
            f'<body name="b">{parts}'
            '<inertial pos="0.01 0.02 0" mass="2" diaginertia="0.02 0.05 0.06"/></body>')))
        rows = []
        for method in ("bdf", "genalpha", "radau5"):
            for solver in ("block", "klu", "dense"):
                self.good("run", "robot.yaml", "--end", "0.1", "--kinematics", "bodies", "--method", method,
                          "--solver", solver, "--tol", "1e-6", "--csv", "robot.csv", "--out", "none")
                rows.append(table("robot.csv")["r.angle"][-1])
        self.good("run", "robot.yaml", "--end", "0.1", "--kinematics", "joints", "--tol", "1e-6", "--csv",
                  "robot.csv", "--out", "none")
        for x in rows:
            self.assertAlmostEqual(x, table("robot.csv")["r.angle"][-1], delta=1e-5)

    def test_joint_place_and_reference(self):
        """A joint at a place turns the body about it; the body is as given where q = ref."""
        self.translate(model('<compiler angle="radian"/>', world(
            '<body name="b" pos="1 0 0" euler="0 0 0.5">'
            '<joint name="j" axis="0 1 0" pos="0.2 0 0" ref="0.3"/>'
            '<inertial pos="0.5 0 0" mass="2" diaginertia="0.02 0.05 0.06"/></body>')))
        r = self.row(["j.angle", "j.angle_acceleration"])
        self.assertAlmostEqual(r["o0"], 0.3, delta=1e-12)
        self.assertAlmostEqual(r["b.x"], 1 + 0.5 * math.cos(0.5), delta=1e-12)
        self.assertAlmostEqual(r["o1"], 2 * G * 0.3 / (0.05 + 2 * 0.09), delta=1e-9)

    def test_rotations(self):
        """All ways to write the same rotation, a quarter turn about z."""
        for way in ('quat="1 0 0 1"', 'axisangle="0 0 2 90"', 'xyaxes="0 1 0 -1 0 0"', 'euler="0 0 90"'):
            self.translate(model(world(f'<body name="b" {way}><freejoint/>{SOLID}</body>')))
            r = self.row()
            self.assertAlmostEqual(r["b.x"], 0, delta=1e-12)
            self.assertAlmostEqual(r["b.y"], 0.3, delta=1e-12)

    def test_defaults(self):
        """Classes in each other, childclass, and a class of its own."""
        _, text = self.translate(model(
            '<default><joint damping="1"/><default class="a"><joint armature="0.2"/><default class="b">'
            '<joint damping="3"/></default></default></default>', world(
                f'<body name="x" childclass="a"><joint name="j1" axis="0 1 0"/>{SOLID}<body name="y">'
                f'<joint name="j2" class="b" axis="0 1 0"/>{SOLID}</body></body>'
                f'<body name="z"><joint name="j3" axis="0 1 0"/>{SOLID}</body>')))
        lines = {n: line for n in ("j1", "j2", "j3") for line in text.splitlines()
                 if line.startswith(f"  {n}: {{type")}
        self.assertIn("damping: 1, armature: 0.2", lines["j1"])
        self.assertIn("damping: 3, armature: 0.2", lines["j2"])
        self.assertIn("damping: 1}", lines["j3"])

    def test_total_mass(self):
        _, text = self.translate(model('<compiler settotalmass="7"/>', ARM.format("")))
        self.assertAlmostEqual(self.body(text, "arm")[0], 7, delta=1e-12)

    def test_meshes_have_mass(self):
        corners = "".join(f"v {x} {y} {z}\n" for x in (0, 2) for y in (0, 2) for z in (0, 2))
        faces = ("1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4")
        write("cube.obj", corners + "".join(f"f {x}\n" for x in faces))
        assets = '<asset><mesh name="c" file="cube.obj" scale="0.1 0.1 0.1"/></asset>'
        _, text = self.translate(model(assets, world(
            '<body name="b"><freejoint/><geom type="mesh" mesh="c"/></body>')))
        m, _, position = self.body(text, "b")
        self.assertAlmostEqual(m, 8, delta=1e-6)
        for x in position:
            self.assertAlmostEqual(x, 0.1, delta=1e-7)
        self.assertIn("file: cube.obj", text)


class Laws(Mjcf):
    INERTIA = 0.05 + 2 * 0.09

    def acceleration(self, actuator, inputs="", q=0.0):
        """Acceleration of the arm without gravity at the angle q."""
        _, text = self.translate(model(
            '<compiler angle="radian"/><option gravity="0 0 0"/>', ARM.format(f' ref="{q}"'),
            f"<actuator>{actuator}</actuator>"))
        for pair in inputs.split():
            name, value = pair.split("=")
            self.assertIn(f"  {name}: {{}}", text)
            text = text.replace(f"  {name}: {{}}", f"  {name}: {{value: {value}}}")
        write("robot.yaml", text)
        return self.row(["j.angle_acceleration"])["o0"] * self.INERTIA

    def test_actuators(self):
        for text, inputs, q, want in (
                ('<motor name="m" joint="j" gear="3" ctrlrange="-1 1"/>', "m=0.5", 0, 1.5),
                ('<motor name="m" joint="j" gear="3" ctrlrange="-1 1"/>', "m=7", 0, 3),
                ('<position name="m" joint="j" kp="20" forcerange="-4 4"/>', "m=0.5", 0.4, 2),
                ('<position name="m" joint="j" kp="20" forcerange="-4 4"/>', "m=2", 0.4, 4),
                ('<position name="m" joint="j" kp="20" gear="2"/>', "m=2", 0.4, 2 * 20 * (2 - 0.8)),
                ('<velocity name="m" joint="j" kv="5"/>', "m=0.5", 0, 2.5),
                ('<general name="m" joint="j" gainprm="3" biastype="affine" biasprm="1 -2 0"/>', "m=0.5", 0.4,
                 1.5 + 1 - 0.8)):
            self.assertAlmostEqual(self.acceleration(text, inputs, q), want, delta=1e-9, msg=text)

    def test_damping_ratio(self):
        """kv = 2 zeta sqrt(kp I): the servo at the ratio 1 has a double root."""
        _, text = self.translate(model('<option gravity="0 0 0"/>', ARM.format(""),
                                       '<actuator><position joint="j" kp="20" dampratio="1"/></actuator>'))
        kv = 2 * math.sqrt(20 * self.INERTIA)
        self.assertIn(f"(-{kv:.12}"[:12], text)

    def test_filter_is_a_state(self):
        _, text = self.translate(model(ARM.format(""), (
            '<actuator><general name="m" joint="j" dyntype="filter" dynprm="0.1"/></actuator>')))
        self.assertIn('m_act: {rate: "(m - m_act)/0.1"}', text)

    def test_force_at_a_site(self):
        self.translate(model('<option gravity="0 0 0"/>', world(
            '<body name="b"><freejoint/><inertial pos="0 0 0" mass="2" diaginertia="0.1 0.1 0.1"/>'
            '<site name="s" pos="0.1 0 0"/></body>'),
            '<actuator><motor name="m" site="s" gear="0 0 3 0 0 0.2"/></actuator>'))
        write("robot.yaml", read("robot.yaml").replace("  m: {}", "  m: {value: 2}"))
        r = self.row()
        self.assertAlmostEqual(r["b.az"], 3, delta=1e-9)
        self.assertAlmostEqual(r["b.aly"], -6, delta=1e-9)  # 0.1 m of 6 N about 0.1 kg m2
        self.assertAlmostEqual(r["b.alz"], 4, delta=1e-9)

    def test_gravity_compensation(self):
        self.translate(model(world(f'<body name="b" gravcomp="1"><freejoint/>{SOLID}</body>')))
        self.assertAlmostEqual(self.row()["b.az"], 0, delta=1e-12)

    def test_fixed_tendon(self):
        """One motor on two joints: torques in the ratio of the coefficients."""
        two = world(f'<body name="a"><joint name="j" axis="0 1 0"/>{SOLID}</body>'
                    f'<body name="b" pos="0 1 0"><joint name="k" axis="0 1 0"/>{SOLID}</body>')
        _, text = self.translate(model(
            '<option gravity="0 0 0"/>', two,
            '<tendon><fixed name="t"><joint joint="j" coef="2"/><joint joint="k" coef="-0.5"/></fixed>'
            '</tendon>'
            '<actuator><motor name="m" tendon="t"/></actuator>'))
        write("robot.yaml", text.replace("  m: {}", "  m: {value: 1}"))
        r = self.row(["j.angle_acceleration", "k.angle_acceleration"])
        self.assertAlmostEqual(r["o0"] * self.INERTIA, 2, delta=1e-9)
        self.assertAlmostEqual(r["o1"] * self.INERTIA, -0.5, delta=1e-9)


class Loops(Mjcf):
    LEG = ('<body name="{n}" pos="{x} 0 0"><joint name="{n}" axis="0 1 0"/>'
           '<inertial pos="0 0 0.5" mass="1" diaginertia="0.1 0.1 0.02"/>{i}</body>')

    def test_four_bar(self):
        """Two cranks and a rod whose end is connected: it stays closed."""
        rod = ('<body name="rod" pos="0 0 1"><joint name="rod" axis="0 1 0"/>'
               '<inertial pos="0.5 0 0" mass="1" diaginertia="0.02 0.1 0.1"/></body>')
        self.translate(model(world(self.LEG.format(n="l", x=0, i=rod) + self.LEG.format(n="r", x=1, i="")),
                             '<equality><connect body1="rod" body2="r" anchor="1 0 0"/></equality>'))
        self.assertEqual(self.freedoms(), 1)
        r = self.report("run", "robot.yaml", "--end", "1", "--tol", "1e-8", "--csv", "robot.csv", "--out",
                        "none")
        self.assertEqual(r["exit_status"], 0)
        self.assertLess(max(abs(x) for x in table("robot.csv")["constraint.position"]), 1e-11)

    def test_weld_and_joint(self):
        legs = world(self.LEG.format(n="l", x=0, i="") + self.LEG.format(n="r", x=1, i=""))
        self.translate(model(legs, (
            '<equality><joint joint1="l" joint2="r" polycoef="0 -2 0 0 0"/></equality>')))
        self.assertEqual(self.freedoms(), 1)
        r = self.row(["l_joint.angle_acceleration + 2*r_joint.angle_acceleration"])
        self.assertAlmostEqual(r["o0"], 0, delta=1e-9)
        self.translate(model(legs, '<equality><weld body1="l" body2="r"/></equality>'))
        self.assertEqual(self.freedoms(), 0)

    def test_keyframe(self):
        text = model('<compiler angle="radian"/>', ARM.format(""),
                     '<keyframe><key name="up" qpos="0.7"/><key name="down" qpos="-0.4"/></keyframe>')
        notes, _ = self.translate(text)
        self.assertIn("keyframe 'up' is another start", notes)
        self.translate(text, "--start", "down")
        self.assertAlmostEqual(self.row()["j.angle"], -0.4, delta=1e-12)
        self.refused(text, "no keyframe 'left'", "--start", "left")
        self.refused(text.replace('"0.7"', '"0.7 1"'), "more numbers than the joints", "--start", "up")

    def test_keyframe_rates(self):
        """qvel: rates of a chain; a joint that follows another one has its rate times the ratio."""
        chain = world('<body name="a"><joint name="q" axis="0 0 1"/><geom size="0.1" mass="2" pos="1 0 0"/>'
                      '<body name="b" pos="2 0 0"><joint name="s" type="slide" axis="0 1 0"/>'
                      '<joint name="p" axis="0 1 0" pos="0 0 0.5"/><geom size="0.1" mass="1" pos="1 0 0"/>'
                      '<body name="c" pos="0 0 1"><joint name="f" axis="1 0 0"/>'
                      '<geom size="0.1" mass="1"/></body></body></body>')
        text = model('<option gravity="0 0 0"/>', chain,
                     '<keyframe><key name="k" qpos="0.3 -0.4 0.8 0.1" qvel="2 -1.5 0.7 9"/></keyframe>')
        notes, _ = self.translate(text, "--start", "k")
        row = self.row()
        for name, value in (("q.angle", 0.3), ("q.rate", 2), ("s.distance", -0.4), ("s.speed", -1.5),
                            ("p.angle", 0.8), ("p.rate", 0.7), ("f.rate", 9)):
            self.assertAlmostEqual(row[name], value, delta=1e-12, msg=name)
        self.assertNotIn("keyframe", notes)
        follows = text.replace("<keyframe>", '<equality><joint joint1="f" joint2="p" polycoef="0 3 0 0 0"/>'
                               '</equality><keyframe>')
        self.translate(follows, "--start", "k")
        self.assertAlmostEqual(self.row()["f.rate"], 3*0.7, delta=1e-12)
        held = text.replace("<keyframe>", '<equality><joint joint1="f" polycoef="0 0 0 0 0"/></equality>'
                            "<keyframe>")
        self.assertIn("the rate 9 of joint 'f' is left out: it is held",
                      self.translate(held, "--start", "k")[0])
        self.refused(text.replace("0.7 9", "0.7"), "fewer numbers than the joints", "--start", "k")

    def test_keyframe_free(self):
        """The velocity of a free joint is in the axes of the world, all angular ones in those of the body."""
        text = model('<option gravity="0 0 0"/>',
                     world('<body name="a"><freejoint/><geom size="0.1" mass="2" pos="0.5 0 0"/>'
                           '<body name="b" pos="1 0 0"><joint name="ball" type="ball"/>'
                           '<geom size="0.1" mass="1" pos="0 0 0.3"/></body></body>'),
                     '<keyframe><key name="k" qpos="1 2 3 0.7071067811865476 0 0 0.7071067811865476 '
                     '0.7071067811865476 0.7071067811865476 0 0" qvel="4 5 6 0 0 2 0 3 0"/></keyframe>')
        self.translate(text, "--start", "k")
        row = self.row()
        # a quarter turn about z: the centre of mass is at (0, 0.5, 0) from the origin of the body
        for name, value in (("a.x", 1), ("a.y", 2.5), ("a.vx", 4 - 2*0.5), ("a.vy", 5), ("a.vz", 6),
                            ("a.wz", 2), ("a.wx", 0)):
            self.assertAlmostEqual(row[name], value, delta=1e-9, msg=name)
        # the ball's body has turned a quarter about its x, which is y of the world: its y is z of a
        self.assertAlmostEqual(row["b.wy"], 2 + 3, delta=1e-9)
        self.assertAlmostEqual(row["b.wz"], 0, delta=1e-9)

    def test_keyframe_controls(self):
        """ctrl and act: values of inputs and starts of states, of all actuators in their order."""
        text = model(ARM.format(""), '<actuator><motor name="m" joint="j"/>'
                     '<position name="p" joint="j" kp="2" timeconst="0.1"/>'
                     '<intvelocity name="v" joint="j" kp="3"/></actuator>',
                     '<keyframe><key name="k" ctrl="4 -5 6" act="0.25 0.5" time="2"/></keyframe>')
        notes, written = self.translate(text, "--start", "k")
        self.assertRegex(notes, r"robot\.xml:4: <key time> is left out")
        for name, value in (("m", 4), ("p", -5), ("v", 6)):
            self.assertIn(f"  {name}: {{value: {value}}}", written)
        row = self.row()
        self.assertAlmostEqual(row["p_act"], 0.25, delta=1e-5)
        self.assertAlmostEqual(row["v_act"], 0.5, delta=1e-4)
        self.refused(text.replace("4 -5 6", "4 -5"), "<key ctrl>: it has fewer numbers than the actuators",
                     "--start", "k")
        self.refused(text.replace("0.25 0.5", "1 2 3"), "more numbers than the actuators with an activation",
                     "--start", "k")

    def test_start_between_limits(self):
        """A reference in degrees whose radians have more than 15 digits is no start beside the limits."""
        for ref in (-10, 33.3, 89):
            notes, _ = self.translate(model(ARM.format(f' ref="{ref}" range="-90 90"')))
            self.assertEqual("is not between its limits" in notes, ref == 89, ref)
            start = min(math.radians(ref), math.radians(88.2))
            self.assertAlmostEqual(self.row()["j.angle"], start, delta=1e-14)


class Files(Mjcf):
    def test_include(self):
        write("more.xml", f"<mujocoinclude>{ARM.format('')}</mujocoinclude>")
        self.translate(model('<include file="more.xml"/>'))
        self.assertEqual(self.freedoms(), 1)
        self.refused(model('<include file="robot.xml"/>'), "included twice, or by itself", line=2)
        write("more.xml", '<mujocoinclude><include file="more.xml"/></mujocoinclude>')
        self.refused(model('<include file="more.xml"/>'), "included twice, or by itself")
        self.refused(model('<include file="none.xml"/>'), "Cannot read 'none.xml'", line=2)
        self.refused(model('<include file="../../../../../../../../../../etc/passwd"/>'), "outside", line=2)
        self.refused(model('<include file="/etc/passwd"/>'), "outside", line=2)

    def test_hostile(self):
        bomb = ('<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>' + model(ARM.format("")))
        self.refused(bomb, "entities", line=1)
        self.refused(model(world('<body>' * 150 + '</body>' * 150)), "nested deeper")
        self.refused(model(ARM.format("").replace('mass="2"', 'mass="nan"')), "expected a number", line=2)
        self.refused(model(ARM.format("").replace('mass="2"', 'mass="-2"')), "body 'arm' is -2", line=2)
        self.refused(model(ARM.format(' class="none"')), "no class 'none'", line=2)
        self.refused(model(ARM.format("").replace('0 1 0', '0 0 0')), "no length", line=2)
        self.refused(model(ARM.format(' type="screw"')), "hinge, slide, ball or free", line=2)
        self.refused(model(world("")), "No link that moves has a mass")
        self.refused(model(ARM.format(""), '<actuator><motor joint="k"/></actuator>'), "no joint 'k'", line=3)
        self.refused(model(ARM.format(""), '<equality><joint joint1="j" joint2="j"/></equality>'), "itself",
                     line=3)
        self.refused(model(world('<body><geom type="mesh" mesh="m"/></body>')), "no mesh 'm'", line=2)
        self.refused("<mujoco><worldbody></mujoco>", r"this is no XML file\. \(<worldbody> of line 1 is not",
                     line=1)
        for geom, words in (('type="capsul" size="1 1"', r"is 'capsul' \(is it 'capsule'\?\); expected pl"),
                            ('type="box" size="1"', "size of a box is not above 0: it has three numbers"),
                            ('type="capsule" size="1"', "a radius and a length, in halves of lengths")):
            self.refused(model(world(f"<body><geom {geom}/></body>")), words, line=2)
        self.refused(model(ARM.format("").replace('name="j"', 'name="shoulder"'),
                           '<actuator><motor joint="sholder"/></actuator>'),
                     r"no joint 'sholder' \(is it 'shoulder'\?\)", line=3)
        self.refused("<other/>", "<robot>, a URDF file, or <mujoco>", line=1)

    def test_mesh_elsewhere_is_left_out(self):
        notes, _ = self.translate(model('<asset><mesh name="m" file="/etc/passwd.stl"/></asset>', ARM.format(
            "").replace("</body>", '<geom type="mesh" mesh="m"/></body>')))
        self.assertIn("is left out", notes)

    def test_notes(self):
        """What is not understood is told, with its line and how often it is there."""
        notes, text = self.translate(model(
            '<option timestep="0.001"/>', '<sensor/>',
            ARM.format(' solreflimit="1 2"').replace(
                "</body>", '<geom size="0.1" condim="3" mass="0"/></body>'),
            '<contact><exclude body1="arm" body2="arm"/></contact>'))
        for line in ("robot.xml:2: <option timestep> is left out", "robot.xml:3: <sensor> is left out",
                     "robot.xml:4: <joint solreflimit> is left out", "robot.xml:4: <geom condim> is left out",
                     "robot.xml:4: geoms do not touch", "robot.xml:5: <contact> is left out"):
            self.assertIn(line, notes)
        self.assertIn("# line 2: <option timestep> is left out", text)

    def test_view(self):
        """A robot itself is run and shown."""
        for name, text in (("shown.xml", model(ARM.format(""))), (
                "shown.urdf", '<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>'
                '<inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link><joint name="j" type="continuous">'
                '<parent link="a"/><child link="b"/></joint></robot>')):
            remove("shown.html", "shown.h5")
            write(name, text)
            p = self.good("view", name)
            self.assertIn("shown.html", p.stdout)
            self.assertTrue(os.path.exists("shown.html"))
        write("bad.xml", "<mujoco>")
        p = run("view", "bad.xml")
        self.assertEqual(p.returncode, 2)
        self.assertIn("bad.xml:1", p.stderr)


if __name__ == "__main__":
    main()
