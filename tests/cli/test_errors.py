"""Errors in model files: the position, the line, the caret, the exit status."""
import glob
import os

from common import PENDULUM, SOURCE, Case, main, run, write


class Caret(Case):
    def lines(self, name, text):
        write(name, text)
        return self.bad(2, "run", name, "--out", "none").stderr.splitlines()

    def pointed_at(self, lines):
        """The text from the caret on; the margins of both lines are equal."""
        source, caret = lines[1], lines[2]
        self.assertTrue(caret.endswith("^"), lines)
        self.assertRegex(source, r"^ *\d+ \| ")
        self.assertRegex(caret, r"^ +\| ")
        self.assertEqual(source.index("|"), caret.index("|"))
        return source[len(caret) - 1:]

    def test_format(self):
        lines = self.lines("caret.yaml", PENDULUM.replace("revolute", "revolut"))
        self.assertRegex(lines[0], r"^caret\.yaml:8:15: error: .*'revolut' \(is it 'revolute'\?\)")
        self.assertEqual(lines[1], "    8 |   pin: {type: revolut, a: ground, b: bob.top}")
        self.assertEqual(lines[2], "      |               ^")
        self.assertEqual(len(lines), 3)

    def test_names_resolved_late(self):
        lines = self.lines("late.yaml", PENDULUM.replace("b: bob.top", "b: bub.top"))
        self.assertRegex(lines[0], r"^late\.yaml:8:\d+: error: .*'bob")
        self.assertTrue(self.pointed_at(lines).startswith("bub.top"), lines)

    def test_tabs_stay(self):
        lines = self.lines("tab.yaml", "bodies:\n  rod: {mass: 1,\t\tinertia: 1,\tmas: 2}\n")
        self.assertEqual(lines[1].count("\t"), 3)
        self.assertEqual(lines[2].count("\t"), 3)
        source, caret = lines[1].expandtabs(8), lines[2].expandtabs(8)
        self.assertTrue(source[len(caret) - 1:].startswith("mas: 2"), lines)

    def test_characters_not_bytes(self):
        lines = self.lines("wide.yaml", "{title: äöüß→, bodies: {rod: {mass: 1, mas: 2}}}\n")
        self.assertTrue(self.pointed_at(lines).startswith("mas: 2"), lines)

    def test_long_lines_are_shortened(self):
        filler = "1.25, " * 60
        text = f"bodies:\n  rod: {{mass: 1, inertia: 1, position: [{filler}], mas: 2}}\n"
        lines = self.lines("long.yaml", text)
        self.assertLess(max(map(len, lines[1:])), 120)
        self.assertIn("...", lines[1])
        self.pointed_at(lines)

    def test_windows_line_ends(self):
        lines = self.lines("crlf.yaml", PENDULUM.replace("revolute", "revolut").replace("\n", "\r\n"))
        self.assertEqual(lines[1], "    8 |   pin: {type: revolut, a: ground, b: bob.top}")

    def test_included_file(self):
        os.makedirs("inc", exist_ok=True)
        write("inc/part.yaml", "bodies:\n  rod: {mass: -3, inertia: 1}\n")
        lines = self.lines("main.yaml", "include: inc/part.yaml\n")
        self.assertRegex(lines[0], r"^inc/part\.yaml:2:\d+: error: ")
        self.assertTrue(self.pointed_at(lines).startswith("-3"), lines)

    def test_json(self):
        write("caret.yaml", PENDULUM.replace("revolute", "revolut"))
        r = self.report("run", "caret.yaml", code=2)
        self.assertEqual(r["outputs"], [])
        e = r["error"]
        self.assertEqual((e["file"], e["line"], e["column"]), ("caret.yaml", 8, 15))
        self.assertIn("'revolute'", e["message"])


class Status(Case):
    def test_files(self):
        for name in ("no-such-file.yaml", "."):
            p = self.bad(2, "run", name)
            self.assertIn(f"'{name}'", p.stderr)

    def test_assembly(self):
        write("apart.yaml", """\
planar: true
bodies:
  rod: {mass: 1, inertia: 1, frames: {a: [-0.5, 0], b: [0.5, 0]}}
joints:
  left: {type: revolute, a: ground, b: rod.a}
  right: {type: revolute, a: ground.far, b: rod.b}
ground: {frames: {far: [3, 0]}}
run: {end: 1}
""")
        self.bad(2, "run", "apart.yaml", "--out", "none")

    def test_all_bad_files(self):
        """Whatever is wrong with a file: exit status 2 and a position."""
        names = sorted(glob.glob(os.path.join(SOURCE, "tests", "io", "bad", "*.yaml")))
        self.assertGreater(len(names), 50)
        for name in names:
            with self.subTest(name=os.path.basename(name)):
                p = run("run", name, "--out", "none", "--end", "1e-3")
                self.assertEqual(p.returncode, 2, p.stderr)
                self.assertRegex(p.stderr, r"^\S+:\d+:(\d+:)? error: |^trammel: error: ")


if __name__ == "__main__":
    main()
