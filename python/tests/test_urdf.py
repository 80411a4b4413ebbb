"""Robots of URDF files: the same motion as a model written by hand, all types of joints, what is refused."""
import os
import re
import resource
import signal

import numpy as np

from common import Case, trammel, unittest
from trammel import Body, Model, joints, urdf

# a turret, an arm whose frames are turned and whose inertia has axes of its own, a slider at its end
ROBOT = """\
<robot name="reach">
  <material name="blue"><color rgba="0.2 0.4 0.8 0.5"/></material>
  <link name="base">
    <visual><origin xyz="0 0 0.1"/><geometry><box size="0.2 0.2 0.2"/></geometry>
      <material name="blue"/></visual>
  </link>
  <link name="turret">
    <inertial><origin xyz="0.01 0 0.07"/><mass value="5"/>
      <inertia ixx="0.04" iyy="0.05" izz="0.06" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><cylinder radius="0.08" length="0.3"/></geometry></visual>
  </link>
  <link name="fore-arm">
    <inertial><origin xyz="0.2 0.03 0" rpy="0.3 -0.2 0.5"/><mass value="2"/>
      <inertia ixx="0.004" iyy="0.02" izz="0.021" ixy="0.001" ixz="0" iyz="-0.0005"/></inertial>
  </link>
  <link name="tool"><visual><geometry><sphere radius="0.02"/></geometry></visual></link>
  <link name="slide">
    <inertial><origin xyz="0 0 0.05"/><mass value="0.7"/>
      <inertia ixx="0.002" iyy="0.002" izz="0.001"/></inertial>
  </link>
  <joint name="turn" type="continuous">
    <parent link="base"/><child link="turret"/><origin xyz="0 0 0.2"/><axis xyz="0 0 1"/>
    <dynamics damping="0.4"/>
  </joint>
  <joint name="elbow" type="revolute">
    <parent link="turret"/><child link="fore-arm"/><origin xyz="0.1 0 0.15" rpy="0.4 0.1 -0.7"/>
    <axis xyz="0 2 1"/><limit lower="-2.5" upper="2.6" effort="30" velocity="2"/>
  </joint>
  <joint name="grip" type="fixed"><parent link="fore-arm"/><child link="tool"/><origin xyz="0.4 0 0"/></joint>
  <joint name="slide" type="prismatic">
    <parent link="tool"/><child link="slide"/><origin rpy="0 1.2 0"/><axis xyz="1 0 0"/>
    <limit lower="0.02" upper="9" effort="5" velocity="1"/><dynamics damping="7"/>
  </joint>
</robot>
"""

START = 0.02 + 0.01 * (9 - 0.02)  # of the slide

TWO = """\
<robot name="two"><link name="a">{a}</link><link name="b"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<joint name="j" type="{kind}"><parent link="a"/><child link="{child}"/>{more}</joint></robot>
"""


class Hostile(Case):
    def test_names_with_line_feeds(self):
        """Nothing of a name becomes a line of the model, or reaches a terminal that would obey it."""
        evil = "x\nevents: {stop: {when: t, at: 0.1}}\n#\u202e\u2028"
        attribute = "".join(c if c.isalnum() else f"&#{ord(c)};" for c in evil)
        text = ROBOT.replace('"fore-arm"', f'"{attribute}"').replace('"reach"', f'"{attribute}"')
        text = text.replace("</robot>", f'<link name="{attribute}2"/><joint name="{attribute}" type="fixed">'
                            f'<parent link="base"/><child link="{attribute}2"/></joint></robot>')
        path = os.path.join(self.folder(), "robot\nevents: {}.urdf")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        yaml, notes = urdf.translate(path)
        for line in yaml.splitlines():
            self.assertRegex(line, r"^(#|title: |gravity: |ground:|bodies:|joints:|shapes:|inputs:|run: | )")
        for line in [yaml.replace("\n", ""), *notes]:
            self.assertTrue(line.isprintable(), line)
        self.assertEqual(len(trammel.Model.parse(yaml).body_names), 3)


    def write(self, text):
        path = os.path.join(self.folder(), "robot.urdf")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def test_extreme_numbers(self):
        """An axis is a direction, however long; small masses and inertias stay what they are."""
        plain = urdf.translate(self.write(ROBOT))[0]
        for scale in ("e200", "e-200"):
            text = ROBOT.replace('xyz="0 2 1"', f'xyz="0 2{scale} 1{scale}"')
            self.assertEqual(urdf.translate(self.write(text))[0], plain)
        small = TWO.format(a="", kind="revolute", child="b", more='<dynamics damping="3e-17"/>')
        small = small.replace('mass value="1"', 'mass value="2e-16"').replace('iyy="1"', 'iyy="1e-19"')
        small = small.replace('ixx="1"', 'ixx="2e-19"').replace('izz="1"', 'izz="1.5e-19"')
        text = urdf.translate(self.write(small))[0]
        for words in ("mass: 2e-16", "inertia: [2e-19, 1e-19, 1.5e-19]", "damping: 3e-17"):
            self.assertIn(words, text)

    def test_pipe(self):
        """A pipe is no file: nobody may ever write to it."""
        path = os.path.join(self.folder(), "robot.urdf")
        os.mkfifo(path)
        with self.assertRaisesRegex(trammel.Error, "a pipe that nobody writes"):
            urdf.translate(path)

    def test_output(self):
        """The model has its name when it is whole, and is written through links."""
        folder = self.folder()
        robot, out = self.write(ROBOT), os.path.join(folder, "out.yaml")
        os.symlink("target.yaml", out)
        self.assertEqual(urdf.main([robot, "-o", out]), 0)
        self.assertTrue(os.path.islink(out))
        self.assertEqual(sorted(os.listdir(folder)), ["out.yaml", "target.yaml"])
        before = os.path.getsize(out)
        hard, limit = resource.getrlimit(resource.RLIMIT_FSIZE)[1], 100
        keep = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
        try:
            self.assertEqual(urdf.main([robot, "-o", out]), 2)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
            signal.signal(signal.SIGXFSZ, keep)
        self.assertEqual(os.path.getsize(out), before)
        self.assertEqual(sorted(os.listdir(folder)), ["out.yaml", "target.yaml"])


class Motion(Case):
    def translated(self, text, **options):
        path = os.path.join(self.folder(), "robot.urdf")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return urdf.translate(path, **options)

    def test_motion(self):
        text, notes = self.translated(ROBOT)
        self.assertIn("link 'fore-arm' is called fore_arm", notes)
        self.assertIn("joint 'slide' is called slide_joint", notes)
        result = Model.parse(text).run(end=0.5, tol=1e-9)
        reference = self.reference().run(end=0.5, output_step=0.01, tol=1e-9)
        for mine, other in (("turn.angle", "turn.angle"), ("elbow.angle", "elbow.angle")):
            self.assertGreater(np.ptp(result[mine]), 0.05)
            np.testing.assert_allclose(result[mine], reference[other], atol=2e-7)
        # at the start the slide is 1 % inside of its limits; distances count from 0 of the robot
        self.assertAlmostEqual(result["slide_joint.distance"][0], START, delta=1e-12)
        np.testing.assert_allclose(result["slide_joint.distance"] - START, reference["slide.distance"],
                                   atol=2e-7)

    def reference(self):
        """All in the inertial frame at the start: points, axes and tensors from the poses of the links, which
        are products of elementary rotations."""
        def turn(k, a):
            c, s = np.cos(a), np.sin(a)
            i, j = (k + 1) % 3, (k + 2) % 3
            r = np.eye(3)
            r[i, i], r[j, j], r[i, j], r[j, i] = c, c, -s, s
            return r

        def rpy(r, p, y):
            return turn(2, y) @ turn(1, p) @ turn(0, r)
        arm_r, arm_p = rpy(0.4, 0.1, -0.7), np.array([0.1, 0, 0.35])
        tool_p = arm_p + arm_r @ [0.4, 0, 0]
        slide_r = arm_r @ rpy(0, 1.2, 0)
        along = slide_r @ [1, 0, 0]
        slide_p = tool_p + START * along
        own = rpy(0.3, -0.2, 0.5)
        tensor = np.array([[0.004, 0.001, 0], [0.001, 0.02, -0.0005], [0, -0.0005, 0.021]])

        def six(r, i):
            i = r @ i @ r.T  # the bodies have the axes of the inertial frame at the start
            return [i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]]
        m = Model(gravity=[0, 0, -9.81])
        m.add(Body("turret", mass=5, inertia=[0.04, 0.05, 0.06], position=[0.01, 0, 0.27]),
              Body("arm", mass=2, inertia=six(arm_r @ own, tensor), position=arm_p + arm_r @ [0.2, 0.03, 0]),
              Body("slide_body", mass=0.7, inertia=six(slide_r, np.diag([0.002, 0.002, 0.001])),
                   position=slide_p + slide_r @ [0, 0, 0.05]),
              joints.Revolute("turn", a="ground", b="turret", point=[0, 0, 0.2], axis=[0, 0, 1], damping=0.4),
              joints.Revolute("elbow", a="turret", b="arm", point=arm_p, axis=arm_r @ [0, 2, 1],
                              limits=trammel.Limits(lower=-2.5, upper=2.6, restitution=0)),
              joints.Prismatic("slide", a="arm", b="slide_body", point=slide_p, axis=along, damping=7,
                               limits=trammel.Limits(lower=0.02 - START, upper=9 - START, restitution=0)))
        return m

    def test_shapes_and_motors(self):
        text, notes = self.translated(ROBOT, motors=True)
        self.assertIn('base_visual: {type: box, at: ground.base_visual, group: collision, '
                      'size: [0.2, 0.2, 0.2], colour: "#3366cc", opacity: 0.5}', text)
        self.assertIn('torque: "clamp(tau_elbow, -30, 30)"', text)
        self.assertIn("limits of velocities are left out", notes)
        model = Model.parse(text)
        self.assertEqual(set(model.input_names), {"tau_turn", "tau_elbow", "tau_slide_joint"})
        self.assertEqual(model.body_names, ["turret", "fore_arm", "slide"])  # the tool is a frame of the arm

    def test_types(self):
        """Degrees of freedom of every type of joint, on a first link that nothing holds."""
        solid = '<inertial><mass value="2"/><inertia ixx="1" iyy="2" izz="2.5"/></inertial>'
        for kind, free in (("revolute", 1), ("continuous", 1), ("prismatic", 1), ("fixed", 0), ("planar", 3),
                           ("floating", 6)):
            with self.subTest(kind):
                text, _ = self.translated(TWO.format(a=solid, kind=kind, child="b", more=""), floating=True)
                self.assertEqual(trammel.check(Model.parse(text)).freedoms, 6 + free)

    def test_friction_and_mimic(self):
        more = """<axis xyz="0 1 0"/><dynamics damping="0.1" friction="0.3"/></joint>
            <link name="c"><inertial><origin xyz="0.1 0 0"/><mass value="1"/>
            <inertia ixx="1" iyy="1" izz="1"/></inertial></link>
            <joint name="k" type="continuous"><parent link="a"/><child link="c"/><axis xyz="0 1 0"/>
            <mimic joint="j" multiplier="-2" offset="0.3"/>"""
        text, _ = self.translated(TWO.format(a="", kind="continuous", child="b", more=more))
        self.assertIn("friction: {coulomb: 0.3}", text)
        result = Model.parse(text).run(end=0.4, tol=1e-8)
        self.assertGreater(np.ptp(result["k.angle"]), 0.01)
        np.testing.assert_allclose(result["k.angle"], 0.3 - 2 * result["j.angle"], atol=1e-8)

    def test_refused(self):
        solid = '<inertial><mass value="2"/><inertia ixx="1" iyy="2" izz="2.5"/></inertial>'
        good = {"a": "", "kind": "fixed", "child": "b", "more": ""}
        for change, words in (({"kind": "revolut"}, r"robot.urdf:3:1: .*'revolut' \(is it 'revolute'\?\)"),
                              ({"child": "c"}, "There is no link 'c'"),
                              ({"kind": "revolute", "more": '<axis xyz="0 0"/>'}, "expected 3 numbers"),
                              ({"kind": "revolute", "more": '<axis xyz="0 0 0"/>'}, "no length"),
                              ({"kind": "revolute", "more": '<mimic joint="x"/>'}, "no joint 'x'"),
                              ({"more": "<x"}, "robot.urdf:3:.*[Nn]ot well-formed")):
            with self.subTest(words), self.assertRaisesRegex(trammel.Error, words):
                self.translated(TWO.format(**{**good, **change}))
        with self.assertRaisesRegex(trammel.Error, "No link that moves has a mass"):
            massless = TWO.replace('mass value="1"', 'mass value="0"').replace('="1"', '="0"')
            self.translated(massless.format(**{**good, "kind": "revolute"}))
        with self.assertRaisesRegex(trammel.Error, "expected one"):
            self.translated(re.sub("<joint.*</joint>", "", TWO.format(**{**good, "a": solid})))
        with self.assertRaisesRegex(trammel.Error, "expected <robot>"):
            self.translated("<sdf/>")
        with self.assertRaisesRegex(trammel.Error, "entities"):
            self.translated('<!DOCTYPE robot [<!ENTITY a "aaaa">]><robot/>')

    def test_notes(self):
        """What is changed has its line; impossible inertias are mended on request."""
        more = '<axis xyz="0 0 0"/>\n<limit lower="1" upper="1"/>'
        text, notes = self.translated(TWO.format(a="\n<visual/>", kind="fixed", child="b", more=more))
        self.assertEqual([(n.line, str(n)) for n in notes],
                         [(2, "<visual> is left out: it has no <geometry> with a shape")])
        self.assertIn("type: fixed", text)
        bad = TWO.format(a="", kind="revolute", child="b", more="").replace('izz="1"', 'izz="3"')
        with self.assertRaisesRegex(trammel.Error, "robot.urdf:2:.*impossible"):
            self.translated(bad)
        text, notes = self.translated(bad, mend=True)
        self.assertIn("inertia: [1.5, 1.5, 3]", text)
        self.assertEqual(notes[0].line, 2)

    def test_command(self):
        folder = self.folder()
        path, out = os.path.join(folder, "robot.urdf"), os.path.join(folder, "robot.yaml")
        with open(path, "w", encoding="utf-8") as f:
            f.write(ROBOT)
        self.assertEqual(urdf.main([path, "-o", out]), 0)
        self.assertEqual(Model.load(out).joint_names, ["turn", "elbow", "slide_joint"])
        self.assertEqual(urdf.main([path, "-o", path]), 2)
        self.assertEqual(urdf.main([os.path.join(folder, "none.urdf")]), 2)


if __name__ == "__main__":
    unittest.main()
