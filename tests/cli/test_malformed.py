"""Whatever is wrong with a model: exit status 2, the position with a caret, a sentence that helps; never a
crash.

The first line of each file in malformed/ says what is expected: LINE:COL and a piece of the sentence. 0:0
stands for mistakes of the mechanism as a whole (it cannot be assembled, its equations have no solution),
which have no position but name the joints or bodies.
"""
import glob
import os
import random
import re
import subprocess

from common import PATIENCE, PENDULUM, SOURCE, TRAMMEL, Case, main, write

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "malformed")


def refused(name, folder=None):
    """The finished command on a model it must refuse."""
    return subprocess.run([TRAMMEL, "run", name, "--out", "none"], cwd=folder, capture_output=True,
                          timeout=PATIENCE,
                          stdin=subprocess.DEVNULL, check=False)


class Files(Case):
    def expectation(self, path):
        with open(path, encoding="utf-8") as f:
            m = re.match(r"# expect: (\d+):(\d+) (.+)\n$", f.readline())
        self.assertTrue(m, path)
        return int(m[1]), int(m[2]), m[3]

    def check(self, name):
        line, col, fragment = self.expectation(os.path.join(HERE, name))
        p = refused(name, HERE)
        out, err = p.stdout.decode(), p.stderr.decode()
        self.assertEqual((p.returncode, out), (2, ""), err)
        lines = err.splitlines()
        self.assertIn(fragment, lines[0])
        if line == 0:
            self.assertRegex(lines[0], r"^trammel: error: ")
            self.assertEqual(len(lines), 1)
            return
        m = re.match(r"(\S+\.yaml):(\d+):(\d+): error: ", lines[0])
        self.assertTrue(m, err)
        self.assertEqual((int(m[2]), int(m[3])), (line, col), err)
        self.assertEqual(len(lines), 3, err)
        self.caret(os.path.join(HERE, m[1]), line, col, lines)

    def caret(self, path, line, col, lines):
        """The line as it stands in the file, and the caret under the column."""
        with open(path, encoding="utf-8") as f:
            source = f.read().splitlines()[line - 1]
        margin = lines[1].index("| ") + 2
        shown = lines[1][margin:]
        self.assertTrue(source.startswith(shown.removesuffix("...")), lines)
        self.assertEqual(lines[2], " " * (margin - 2) + "| " + " " * (col - 1) + "^")

    def test_all(self):
        names = sorted(map(os.path.basename, glob.glob(os.path.join(HERE, "*.yaml"))))
        self.assertGreaterEqual(len(names), 80)
        for name in names:
            with self.subTest(name=name):
                self.check(name)

    def test_check_refuses_them_too(self):
        for name in ("body_misspelt", "law_unknown", "include_circle", "planar_joint", "cannot_close"):
            with self.subTest(name=name):
                p = subprocess.run([TRAMMEL, "check", name + ".yaml"], cwd=HERE, capture_output=True,
                                   timeout=PATIENCE,
                                   check=False)
                self.assertEqual(p.returncode, 2, p.stderr)
                self.assertIn(self.expectation(os.path.join(HERE, name + ".yaml"))[2].encode(), p.stderr)


ONE_BODY = "bodies: {a: {mass: 1, inertia: 1}}\n"
BEAM = ("beams:\n  b: {position: [0, 0, 0], end: [1, 0, 0], type: circle, radius: 0.01, material: steel, "
        "KEY: VALUE}\n")
REPEAT = ONE_BODY + ("repeat:\n- {index: i, from: 1, to: 3, step: 1, KEY: VALUE, "
                     "bodies: {'b{i}': {mass: 1, inertia: 1}}}\n")
WHOLE = {
    "elements": (BEAM, ("0", "-1", "2.5", "20000")),
    "order": (BEAM, ("0", "-1", "4", "1.5")),
    "repeat": ("planar: true\n" + ONE_BODY + "shapes:\n  s: {type: profile, at: a, points: [[1, 0], [0, 1], "
               "[-1, -1]], KEY: VALUE}\n", ("0", "-2", "1.5", "1001")),
    "modes": ("modal_bodies:\n  m: {stiffness: k.mtx, mass: m.mtx, nodes: n.csv, KEY: VALUE}\n",
              ("1.5",)),  # read before its range is checked
    "from": (REPEAT.replace("from: 1, ", ""), ("0.5",)),
    "to": (REPEAT.replace("to: 3, ", ""), ("2.5",)),
    "step": (REPEAT.replace("step: 1, ", ""), ("0", "0.5")),
    "max_order": (ONE_BODY + "run: {method: bdf, KEY: VALUE}\n", ("-1", "1.5", "6")),
    "index": (ONE_BODY + "run: {KEY: VALUE}\n", ("0", "1", "4", "-1", "2.5")),
    "seed": (ONE_BODY + "roads: {r: {type: random, roughness: 1e-4, KEY: VALUE}}\n", ("1.5", "30000000000")),
    "threads": (ONE_BODY + "run: {KEY: VALUE}\n", ("-1", "1.5", "1025")),
}


class Whole(Case):
    """Whole numbers outside of their range, or that are none, are refused and never rounded or clamped."""

    def test_all(self):
        for key, (template, values) in WHOLE.items():
            for value in values:
                with self.subTest(key=key, value=value):
                    p = refused(write("whole.yaml", template.replace("KEY", key).replace("VALUE", value)))
                    self.assertEqual(p.returncode, 2, p.stderr)
                    self.assertRegex(p.stderr.decode(), f"error: .*{key}.* (is|=) {value}|{value}' = ")

    def test_place(self):
        for value in ("0", "-1"):
            text = BEAM.replace("KEY", "elements").replace("VALUE", value)
            p = refused(write("whole.yaml", text))
            column = text.splitlines()[1].index(f"elements: {value}") + len("elements: ") + 1
            self.assertIn(f"whole.yaml:2:{column}: error: beam 'b': 'elements' is {value}, expected a number "
                          "> 0.", p.stderr.decode())

    def test_every_key(self):
        """The reference page knows no other whole numbers."""
        with open(os.path.join(SOURCE, "docs", "model-file.md"), encoding="utf-8") as f:
            keys = set(re.findall(r"^\| `(\w+)` \| whole number", f.read(), re.M))
        self.assertEqual(keys, set(WHOLE))


class Bytes(Case):
    def refuse(self, data, expected):
        with open("bytes.yaml", "wb") as f:
            f.write(data)
        p = refused("bytes.yaml")
        self.assertEqual(p.returncode, 2, p.stderr)
        self.assertIn(b"error: ", p.stderr)
        self.assertRegex(p.stderr.decode(errors="replace"), expected)

    def test_empty(self):
        self.refuse(b"", r"bytes\.yaml:1:1: error: The file is empty")
        self.refuse(b"# only this\n", "The file is empty")

    def test_binary(self):
        self.refuse(bytes(range(256)) * 8, r"bytes\.yaml:1:1: error: .*binary")
        self.refuse(b"\x7fELF\x02\x01\x01\x00", "binary")
        self.refuse(PENDULUM.encode("utf-16"), r"bytes\.yaml:1:1: error: ")
        self.refuse(b"title: caf\xe9\n" + PENDULUM.split("\n", 1)[1].encode(),
                    r"bytes\.yaml:1:11: error: .*UTF-8")

    def test_deep(self):
        self.refuse(b"bodies: " + b"[" * 100000, "error: ")
        self.refuse(b"bodies: " + b"{a: " * 20000 + b"}" * 20000, "error: ")
        self.refuse(b"outputs: {x: " + b"(" * 50000 + b"1" + b")" * 50000 + b"}", "error: ")

    def test_laughs(self):
        """Aliases that multiply to 10^9 entries."""
        lines = ["a0: &a0 [1, 2, 3]"] + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]"
                                         for i in range(1, 10)]
        self.refuse("\n".join(lines).encode(), "error: ")
        text = "bodies: {rod: {mass: 1, inertia: 1, position: *a9}}"
        self.refuse(("parameters:\n  " + "\n  ".join(lines) + "\n" + text).encode(), "error: ")

    def test_long(self):
        self.refuse(b"titel: " + b"x" * 1000000, r"'titel'.*'title'")
        self.refuse(b"x" * 1000000 + b": 1", "Unknown key 'xxx")
        self.refuse(b"bodies: {" + b"x" * 100000 + b": {mass: -1, inertia: 1}}", "error: ")
        self.refuse(b"bodies: {rod: {mass: -" + b"9" * 400 + b", inertia: 1}}", "error: ")

    def test_cut_off(self):
        """A file that ends too early, at every byte: refused with a position, or a model of its own."""
        spring = "forces:\n  s: {type: spring, a: ground, b: bob, law: \"2*(length - L)\"}\n"
        text = (PENDULUM + spring).encode()
        for n in range(1, len(text), 7):
            with open("cut.yaml", "wb") as f:
                f.write(text[:n])
            p = refused("cut.yaml")
            self.assertIn(p.returncode, (0, 2), (n, p.stderr))
            if p.returncode == 2:
                self.assertRegex(p.stderr.decode(errors="replace"), r"^cut\.yaml:\d+:\d+: error: ", n)

    def test_damaged(self):
        """One character exchanged at random: no crash, no hang, and a status that says what it was."""
        rnd = random.Random(20260117)
        for _ in range(60):
            text = list(PENDULUM)
            text[rnd.randrange(len(text))] = rnd.choice("{}[]:,\"'&*!|>%@#-+. \n\tx9")
            write("damaged.yaml", "".join(text))
            p = refused("damaged.yaml")
            self.assertIn(p.returncode, (0, 1, 2), (p.stderr, "".join(text)))


class Parameters(Case):
    def test_set(self):
        write("set.yaml", PENDULUM)
        for value, expected in (("K=1", "'K'"), ("L=1 +", "L"), ("L=x", "x"), ("L=1/0", "L"),
                                ("L", "NAME=VALUE"),
                                ("=3", "NAME=VALUE"), ("L=", "L")):
            with self.subTest(value=value):
                p = self.bad(2, "run", "set.yaml", "--out", "none", "--set", value)
                self.assertIn(expected, p.stderr)


if __name__ == "__main__":
    main()
