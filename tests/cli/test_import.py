"""Robots of URDF files: what becomes of them, what is noted and refused; no file elsewhere is read."""
import json
import os
import re
import time

from common import Case, main, read, remove, run, table, write

SOLID = ('<inertial><origin xyz="{c}"/><mass value="{m}"/>'
         '<inertia ixx="0.02" iyy="0.03" izz="0.025"/></inertial>')


def solid(m=1.7, c="0.1 0.02 0.03"):
    return SOLID.format(m=m, c=c)


def link(name, inside=""):
    return f'<link name="{name}">{inside}</link>\n'


def joint(name, parent, child, kind="revolute", inside='<axis xyz="0 1 0"/>'):
    return (f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="0.3 0 0.1"/>{inside}</joint>\n')


def robot(*parts):
    return '<robot name="r">\n' + "".join(parts) + "</robot>\n"


# in the manner of an arm with a frame of its flange, and of a base on which it stands
ARM = robot(
    link("world"), link("base_link", solid(3)), link("shoulder_link", solid()), link("elbow_link", solid()),
    link("flange"), link("tool0"),
    joint("world_joint", "world", "base_link", "fixed", '<axis xyz="0 0 0"/>'),
    joint("pan", "base_link", "shoulder_link", "revolute",
          '<axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="87" velocity="2"/>'),
    joint("lift", "shoulder_link", "elbow_link", "revolute",
          '<axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="87" velocity="2"/>'
          '<dynamics damping="0.4" friction="0.2"/>'),
    joint("flange_joint", "elbow_link", "flange", "fixed"), joint("tool_joint", "flange", "tool0", "fixed"))


class Import(Case):
    def setUp(self):
        remove("robot.urdf", "robot.yaml", "out.csv", "same.csv")

    def translate(self, text, *options):
        write("robot.urdf", text)
        remove("robot.yaml")
        p = run("import", "robot.urdf", "-o", "robot.yaml", *options)
        self.assertEqual(p.returncode, 0, p.stderr)
        return p.stdout, read("robot.yaml")

    def freedoms(self):
        return json.loads(self.good("check", "robot.yaml", "--json").stdout)["degrees_of_freedom"]

    def refused(self, text, words, *options, line=None):
        write("robot.urdf", text)
        remove("robot.yaml")
        p = run("import", "robot.urdf", "-o", "robot.yaml", *options)
        self.assertEqual(p.returncode, 2, p.stdout + p.stderr)
        self.assertRegex(p.stderr, words)
        self.assertRegex(p.stderr, rf"^robot\.urdf:{line or '[0-9]+'}:[0-9]+: error: ")
        self.assertFalse(os.path.exists("robot.yaml"))
        q = run("run", "robot.urdf", "-o", "none", "--quiet")  # the same file without an import
        if not options:
            self.assertEqual(q.returncode, 2, q.stdout + q.stderr)
            self.assertRegex(q.stderr, words)


class Translation(Import):
    def test_arm(self):
        notes, text = self.translate(ARM)
        self.assertIn("robot.urdf:9: limits of velocities are left out", notes)
        self.assertIn("# line 9: limits of velocities", text)
        self.assertIn("\n      tool0: {position: ", text)  # a frame of elbow_link
        self.assertIn("friction: {coulomb: 0.2}", text)
        self.assertEqual(self.freedoms(), 2)

    def test_run_directly(self):
        """A robot runs as the model that is written, bit for bit, and goes on from a saved state."""
        self.translate(ARM)
        common = ("--end", "0.3", "--quiet")
        p = run("run", "robot.urdf", "-o", "none", "--csv", "out.csv", *common)
        self.assertRegex(p.stderr, r"^trammel: warning: robot\.urdf: \d+ notes on what the model .*\n$")
        self.good("run", "robot.yaml", "-o", "none", "--csv", "same.csv", *common)
        self.assertEqual(read("out.csv"), read("same.csv"))
        self.assertEqual(run("check", "robot.urdf").returncode, 0)
        remove("out.h5", "page.html")
        self.assertEqual(run("run", "robot.urdf", "-o", "out.h5", "--end", "0.2", "--quiet").returncode, 0)
        remove("robot.urdf")
        self.good("run", "--resume", "out.h5", "--end", "0.3", "--quiet")
        self.good("view", "out.h5", "-o", "page.html")

    def test_floating(self):
        """What has no mass at the root belongs to what it is fixed to."""
        self.translate(ARM)
        fixed = read("robot.yaml")
        _, text = self.translate(ARM, "--floating")
        self.assertIn("ground.world_joint", fixed)
        self.assertNotIn("ground", text)
        self.assertEqual(self.freedoms(), 8)
        self.good("run", "robot.yaml", "-o", "none", "--csv", "out.csv", "--end", "0.3", "--quiet")

    def test_massless_branch(self):
        """A branch without mass is held: its links are frames, and nothing else changes."""
        plain = robot(link("a"), link("b", solid()), joint("j", "a", "b"))
        more = robot(link("a"), link("b", solid()), link("c"), link("d"), joint("j", "a", "b"),
                     joint("k", "b", "c", "continuous"), joint("l", "c", "d", "prismatic"))
        _, one = self.translate(plain)
        notes, two = self.translate(more)
        self.assertRegex(notes, r"robot\.urdf:7: joint 'k' is held at 0: nothing that it moves has a mass")
        self.assertEqual(re.findall(r"\n      ([cd]): ", two), ["c", "d"])
        two = re.sub(r"\n      [cd]: .*", "", two)
        self.assertEqual(one.partition("title")[2], two.partition("title")[2])

    def test_massless_between(self):
        """Two joints with a massless link between them: a universal joint, with the motion of one."""
        text = robot(link("a"), link("cross"), link("b", solid(2, "0 0 -0.5")),
                     '<joint name="x" type="continuous"><parent link="a"/><child link="cross"/>'
                     '<axis xyz="1 0 0"/></joint>'
                     '<joint name="y" type="continuous"><parent link="cross"/><child link="b"/>'
                     '<axis xyz="0 1 0"/></joint>')
        notes, model = self.translate(text)
        self.assertIn("link 'cross' moves and has no mass", notes)
        universal = """\
gravity: [0, 0, -9.81]
bodies:
  b: {mass: 2, inertia: [0.02, 0.03, 0.025], position: [0, 0, -0.5], velocity: [-0.4, -0.3, 0],
      angular_velocity: [-0.6, 0.8, 0], frames: {top: [0, 0, 0.5]}}
joints: {u: {type: universal, a: ground, b: b.top}}
run: {end: 0.5, output_step: 0.5, tol: 1e-8}
"""
        model = model.replace("    mass: 2\n", "    mass: 2\n    velocity: [-0.4, -0.3, 0]\n"
                              "    angular_velocity: [-0.6, 0.8, 0]\n")
        model = model.replace("    mass: 0\n", "    mass: 0\n    angular_velocity: [-0.6, 0, 0]\n")
        model = model.replace("end: 5, output_step: 0.01", "end: 0.5, output_step: 0.5, tol: 1e-8")
        ends = []
        for name, content in (("robot.yaml", model), ("same.yaml", universal)):
            write(name, content)
            remove("out.csv")
            self.good("run", name, "-o", "none", "--csv", "out.csv", "--channels", "b.*", "--quiet")
            rows = [r.split(",") for r in read("out.csv").splitlines() if r and not r.startswith("#")]
            at = [i for i, n in enumerate(rows[0]) if n in ("b.x", "b.y", "b.z")]
            ends.append([float(rows[-1][i]) for i in at])
        self.assertEqual(len(ends[0]), 3)
        for a, b in zip(*ends):
            self.assertAlmostEqual(a, b, delta=1e-6)

    def test_inertia(self):
        """An impossible inertia is refused with its line, and mended on request: the largest moment stays."""
        bad = '<inertial><mass value="1"/>\n<inertia ixx="0.1" iyy="0.2" izz="0.9"/></inertial>'
        text = robot(link("a"), link("b", bad), joint("j", "a", "b"))
        self.refused(text, "impossible.*--mend", line=4)
        notes, model = self.translate(text, "--mend")
        self.assertIn("robot.urdf:4: the inertia of link 'b' was impossible", notes)
        self.assertIn("inertia: [0.4, 0.5, 0.9]", model)
        tiny = bad.replace("0.1", "-2e-35").replace("0.2", "1e-35").replace("0.9", "0")
        notes, model = self.translate(robot(link("a"), link("b", tiny), joint("j", "a", "b", "fixed"), link(
            "c", solid()), joint("k", "b", "c")))
        self.assertIn("the inertia of link 'b' is round-off: its mass is in one point", notes)
        self.assertIn("inertia: [0, 0, 0]", model)
        self.good("run", "robot.yaml", "-o", "none", "--end", "0.1", "--quiet")
        negative = bad.replace('"0.1"', '"-0.1"')
        _, model = self.translate(robot(link("a"), link("b", negative), joint("j", "a", "b")), "--mend")
        self.assertIn("inertia: [0.3, 0.6, 0.9]", model)

    def test_limits_and_copies(self):
        limits = '<axis xyz="0 0 1"/><limit lower="{}" upper="{}" effort="1" velocity="1"/>'
        parts = [link("a"), link("b", solid()), link("c", solid()), link("d", solid()), link("e", solid()),
                 joint("j", "a", "b", "revolute", limits.format(0.5, 1.5)),
                 joint("k", "b", "c", "revolute", limits.format(0.25, 0.25)),
                 joint("l", "c", "d", "revolute", limits.format(1, -1) +
                       '<mimic joint="j" multiplier="2" offset="0.1"/>'),
                 joint("m", "d", "e", "prismatic", '<mimic joint="l" multiplier="-0.5"/>')]
        notes, model = self.translate(robot(*parts))
        self.assertIn("joint 'k' is held at 0.25: its limits are equal", notes)
        self.assertIn("limits of joint 'l' are left out", notes)
        self.assertIn("joint 'j' starts at 0.51: 0 is not between its limits", notes)
        self.assertIn("l_mimic: {type: gear, ratio: 2, first: l.angle, second: j.angle}", model)
        self.assertIn("m_mimic: {type: gear, ratio: -1, first: m.distance, second: j.angle}", model)
        self.good("run", "robot.yaml", "-o", "none", "--csv", "out.csv", "--end", "0.02", "--quiet")
        rows = [r.split(",") for r in read("out.csv").splitlines() if r and not r.startswith("#")]
        start = dict(zip(rows[0], rows[1]))
        for name, value in (("j.angle", 0.51), ("l.angle", 1.12), ("m.distance", -0.56)):
            self.assertAlmostEqual(float(start[name]), value, delta=1e-9)

    def test_gripper(self):
        """Two fingers that copy each other, with 0 at their limit: they start inside, and the run does not
        switch for ever."""
        finger = '<axis xyz="0 {} 0"/><limit lower="0" upper="0.04"/>'
        parts = [link("a"), link("hand", solid()), link("left", solid(0.015, "0 0 0.02")),
                 link("right", solid(0.015, "0 0 0.02")), joint("j", "a", "hand"),
                 joint("f1", "hand", "left", "prismatic", finger.format(1)),
                 joint("f2", "hand", "right", "prismatic", finger.format(-1) + '<mimic joint="f1"/>')]
        self.translate(robot(*parts))
        p = self.good("run", "robot.yaml", "-o", "none", "--end", "1", "--json")
        self.assertLess(json.loads(p.stdout)["counters"]["steps"], 1000)

    def test_points_on_axes(self):
        """A joint that turns a point of mass about itself moves nothing: it is held."""
        point = '<inertial><mass value="0.1"/><inertia ixx="0" iyy="0" izz="0"/></inertial>'
        parts = [link("a"), link("b", solid()), link("c", point), link("d", point), joint("j", "a", "b"),
                 joint("k", "b", "c", "continuous", '<axis xyz="1 0 0"/>'),
                 '<joint name="l" type="continuous"><parent link="c"/><child link="d"/></joint>']
        notes, _ = self.translate(robot(*parts))
        self.assertIn("joint 'l' is held at 0: nothing has a moment about its axis", notes)
        self.assertIn("joint 'k' is held at 0: nothing has a moment about its axis", notes)
        self.good("run", "robot.yaml", "-o", "none", "--end", "0.1", "--quiet")

    def test_frames_of_links_without_mass(self):
        """The tip of a tool is a frame of the body to which it is fixed, 0.3 m and a quarter turn from it."""
        tip = joint("tip_fixed", "b", "tip", "fixed").replace('xyz="0.3 0 0.1"',
                                                              'xyz="0 0.3 0" rpy="0 0 1.5707963267948966"')
        far = joint("far_fixed", "tip", "far", "fixed").replace('xyz="0.3 0 0.1"', 'xyz="0.2 0 0"')
        _, text = self.translate(robot(link("a"), link("b", solid()), link("tip"), link("far"),
                                       joint("j", "a", "b", "continuous"), tip, far))
        write("robot.yaml", text + "outputs: {x: b.tip.x - b.far.x, y: b.far.y - b.tip.y}\n")
        self.good("run", "robot.yaml", "--end", "1e-3", "--csv", "robot.csv", "--out", "none", "--quiet")
        row = {k: v[0] for k, v in table("robot.csv").items()}
        self.assertAlmostEqual(row["x"], 0, delta=1e-12)
        self.assertAlmostEqual(row["y"], 0.2, delta=1e-12)

    def test_names(self):
        """Names of the model are its own: none of a file becomes a line, and forces have room for theirs."""
        evil = "x&#10;events: {stop: {when: t}}&#10;#"
        parts = [link(evil), link("t", solid()), link("j_limit", solid()), link("1-a", solid()),
                 joint("j", evil, "t", "revolute", '<limit lower="-1" upper="1"/>'),
                 joint("k", "t", "j_limit"), joint("t", "j_limit", "1-a")]
        notes, model = self.translate(robot(*parts))
        for line in model.splitlines():
            self.assertRegex(line, r"^(#|title: |gravity: |ground:|bodies:|joints:|run: | )")
        self.assertIn("link 't' is called t_link", notes)
        self.assertIn("joint 'j' is called j_joint", notes)
        self.good("check", "robot.yaml")

    def test_left_out(self):
        parts = [link("a", "<sensor/><colision/>"), link("b", solid()),
                 joint("j", "a", "b", inside="<safety_controller/>"),
                 '<transmission name="x"/>\n<gazebo/>\n<gazebo/>\n<xacro:sensors/>\n']
        notes, _ = self.translate(robot(*parts))
        for words in (":2: <sensor> of <link> is left out",
                      ":2: <colision> of <link> is left out (is it 'collision'?)",
                      ":4: <safety_controller> of <joint> is left out",
                      ":5: <transmission> of <robot> is left out",
                      ":6: <gazebo> of <robot> is left out, here and 1 times more",
                      ":8: <xacro:sensors> is left out"):
            self.assertIn("robot.urdf" + words, notes)

    def test_motors(self):
        _, model = self.translate(ARM, "--motors")
        self.assertIn('torque: "clamp(tau_pan, -87, 87)"', model)
        self.assertIn('tau_lift: {unit: "N m"}', model)
        self.good("check", "robot.yaml")


def stl(path):
    """A tetrahedron."""
    p = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    corners = ["facet normal 0 0 0\nouter loop\n" + "".join("vertex %g %g %g\n" % p[k] for k in f) +
               "endloop\nendfacet\n" for f in faces]
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    write(path, "solid t\n" + "".join(corners) + "endsolid t\n")


class Shapes(Import):
    def draw(self, geometry, tag="visual", more=""):
        return robot(link("a", f"<{tag}><geometry>{geometry}</geometry>{more}</{tag}>"), link("b", solid()),
                     joint("j", "a", "b"))

    def test_shapes(self):
        both = robot(
            '<material name="red"><color rgba="1 0 0 0.5"/></material>\n', link("a"),
            link("b", solid() + '<visual><geometry><box size="1 2 3"/></geometry><material name="red"/>'
                 '</visual><collision><geometry><sphere radius="0.5"/></geometry></collision>'),
            link("c", solid() + '<collision><origin xyz="0 0 1"/><geometry>'
                 '<cylinder radius="0.5" length="2"/></geometry></collision>'),
            joint("j", "a", "b"), joint("k", "b", "c"))
        _, model = self.translate(both)
        for words in ('b_visual: {type: box, at: b.visual, size: [1, 2, 3], colour: "#ff0000", opacity: 0.5}',
                      "b_collision: {type: sphere, at: b.visual, group: collision, radius: 0.5, "
                      "hidden: true}",
                      "c_collision: {type: cylinder, at: c.collision, group: collision, radius: 0.5, "
                      "length: 2}"):
            self.assertIn(words, model)
        for geometry, words in (('<box size="0 1 1"/>', "its size is not above 0"), ("<ball/>", "no box"),
                                ("", "no <geometry>")):
            self.assertIn(words, self.translate(self.draw(geometry))[0])

    def test_meshes(self):
        """Beside the file, in the package, below the folder of the model; never elsewhere."""
        stl("pkg/meshes/a.stl")
        stl("outside/b.stl")
        os.makedirs("pkg/urdf", exist_ok=True)
        text = self.draw('<mesh filename="package://pkg/meshes/a.stl" scale="0.01 0.01 0.01"/>')
        write("pkg/urdf/robot.urdf", text)
        p = self.good("import", "pkg/urdf/robot.urdf", "-o", "pkg/robot.yaml")
        self.assertNotIn("left out: it", p.stdout)
        self.assertIn("file: meshes/a.stl, scale: 0.01", read("pkg/robot.yaml"))
        self.good("run", "pkg/robot.yaml", "-o", "none", "--end", "0.01", "--quiet")
        p = self.good("import", "pkg/urdf/robot.urdf", "-o", "pkg/urdf/robot.yaml")
        self.assertIn("outside of the folder of the model file", p.stdout)
        self.assertNotIn("mesh", read("pkg/urdf/robot.yaml").partition("title")[2])
        p = self.good("import", "pkg/urdf/robot.urdf", "-o", "pkg/urdf/robot.yaml", "--allow-path", "pkg")
        self.good("run", "pkg/urdf/robot.yaml", "-o", "none", "--end", "0.01", "--quiet", "--allow-path",
                  "pkg")
        remove("pkg/link.stl")
        os.symlink(os.path.abspath("outside/b.stl"), "pkg/link.stl")
        for name, words in (("../outside/b.stl", "outside"), ("link.stl", "outside"),
                            ("none.stl", "not found"), (os.path.abspath("outside/b.stl"), "outside"),
                            ("/dev/zero.stl", "not found"),
                            ("file:///etc/passwd.stl", "not found"), ("a.dae", "no STL, OBJ or glTF"),
                            ("x{1}.stl", "not found"), ("meshes", "no STL")):
            write("pkg/robot.urdf", self.draw(f'<mesh filename="{name}"/>'))
            p = self.good("import", "pkg/robot.urdf", "-o", "pkg/robot.yaml")
            self.assertRegex(p.stdout, rf"pkg/robot\.urdf:2: mesh .* is left out: .*{words}")
            self.good("check", "pkg/robot.yaml")
        mirrored = self.draw('<mesh filename="meshes/a.stl" scale="1 -1 1"/>')
        write("pkg/robot.urdf", mirrored)
        p = self.good("import", "pkg/robot.urdf", "-o", "pkg/robot.yaml")
        self.assertIn("differs by direction", p.stdout)


class Refused(Import):
    def test_mistakes(self):
        one = [link("a"), link("b", solid())]
        for text, words, line in (
                (robot(*one, joint("j", "a", "c")), r"There is no link 'c'", 4),
                (robot(*one, joint("j", "a", "b", "revolut")), r"type 'revolut'.*revolute", 4),
                (robot(*one, joint("j", "a", "b", "gear")), "expected revolute", 4),
                (robot(*one, joint("j", "a", "b", inside='\n<axis xyz="0 0 0"/>')), "has no length", 5),
                (robot(*one, joint("j", "a", "b", inside='<axis xyz="0 1"/>')), "expected 3 numbers", 4),
                (robot(*one, joint("j", "a", "b", inside='<axis xyz="0 1 ${x}"/>')), "xacro", 4),
                (robot(*one), "children of no joint, expected one", 3),
                (robot(*one, joint("j", "a", "b"), joint("k", "b", "a")), "form a ring", 2),
                (robot(*one, link("c"), link("d"), joint("j", "a", "b"), joint("k", "c", "d"),
                       joint("l", "d", "c")), "ring of joints: leave one of them out", 4),
                (robot(*one, joint("j", "a", "b"), joint("k", "a", "b")), "child of two joints", 5),
                (robot(*one, link("a"), joint("j", "a", "b")), "two links 'a'.*line 2", 4),
                (robot(*one, joint("j", "a", "b"), joint("j", "a", "b")), "two joints 'j'", 5),
                (robot(*one, joint("j", "a", "b", inside='<mimic joint="x"/>')), "There is no joint 'x'", 4),
                (robot(*one, joint("j", "a", "b", inside='<mimic joint="j"/>')), "copies itself", 4),
                (robot(link("a"), link("b"), joint("j", "a", "b")), "has a mass: give links an <inert", 1),
                (robot(link("a"), link("b", solid(-1)), joint("j", "a", "b")), "is -1, expected >= 0", 3),
                (robot(link("a"), link("b", solid("nan")), joint("j", "a", "b")), "expected a number", 3),
                (robot(link("a"), link("b", solid("1e999")), joint("j", "a", "b")), "expected a number", 3),
                (robot(link("a"), link("b", solid("1,5")), joint("j", "a", "b")), "expected a number", 3),
                (robot(link("a"), link("b", "<inertial/>"), joint("j", "a", "b")), "no <mass>", 3),
                (robot(*one, '<joint name="j" type="fixed"><parent link="a"/></joint>'), "has no <child>", 4),
                (robot(*one, '<joint type="fixed"/>'), "no attribute 'name'", 4),
                (robot(), "has no link", 1),
                ("<sdf/>", "holds <sdf>, expected <robot>", 1),
                ("<robot>\n<link", "XML", 2),
                ("<robot>\n</robto>", r"[Mm]ismatched.*\(<robot> of line 1 is not closed\.\)", 2),
                ('<robot name="arm & hand"/>', r"\(Write '&amp;' for '&'\.\)", 1),
                ('<robot xmlns:xacro="x">\n<xacro:include filename="/etc/passwd"/></robot>', "for xacro", 2)):
            with self.subTest(words):
                self.refused(text, words, line=line)

    def test_hostile(self):
        bomb = '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">\n' + "".join(
            f'<!ENTITY {b} "{10 * ("&" + a + ";")}">\n' for a, b in zip("abcdefghi", "bcdefghij"))
        secret = write("secret.txt", "the secret")
        for text, words, line in (
                (bomb + ']><robot name="&j;"/>', "entities are not read", 1),
                (f'<!DOCTYPE r [\n<!ENTITY x SYSTEM "file://{os.path.abspath(secret)}">]><robot name="&x;"/>',
                 "entities are not read", 2),
                ('<!DOCTYPE r [<!ENTITY % p SYSTEM "secret.txt"> %p;]><robot/>', "entities are not read", 1),
                ('<!DOCTYPE r SYSTEM "secret.txt"><robot name="&x;"/>', "in another file, which is not", 1),
                ("<robot>" + 200 * "<a>", "nested deeper than 100", 1),
                ('<robot name="&undefined;"/>', "[Uu]ndefined entity", 1),
                ("<?xml version='1.0' encoding='no-such'?><robot/>", "encoding", 1)):
            with self.subTest(words):
                self.refused(text, words, line=line)
                self.assertNotIn("the secret", run("import", "robot.urdf").stderr)

    def test_no_robot(self):
        write("robot.urdf", "bodies: {}\n")
        p = run("import", "robot.urdf", "-o", "robot.yaml")
        self.assertEqual(p.returncode, 2)
        self.assertIn("robot.urdf:1:1: error: This is no XML file", p.stderr)
        write("robot.yaml", "bodies: {}\n")
        self.assertIn("is a model already, expected a robot", self.bad(2, "import", "robot.yaml").stderr)
        p = self.bad(2, "import", "robot.yaml", "-o", "other.yaml")
        self.assertIn("(A model file needs no import.)", p.stderr)
        p = run("import", "none.urdf")
        self.assertEqual(p.returncode, 2)
        self.assertIn("No such file", p.stderr)

    def test_large(self):
        """10 MB: the work grows with the size."""
        seconds = []
        for count in (5000, 20000):
            parts = [link(f"l{i}", solid() + 100 * " ") for i in range(count)]
            parts += [joint(f"j{i}", f"l{(i - 1) // 3}", f"l{i}", "fixed") for i in range(1, count)]
            write("robot.urdf", robot(*parts, 300000 * "<a/>"))
            t = time.monotonic()
            self.good("import", "robot.urdf", "-o", "robot.yaml")
            seconds.append(time.monotonic() - t)
        self.assertGreater(os.path.getsize("robot.urdf"), 8e6)
        self.assertLess(seconds[1], 16 * seconds[0] + 1)  # 4 if linear; 16 if it grew with the square


if __name__ == "__main__":
    main()
