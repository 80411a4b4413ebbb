"""check, compare and verify --html: reports with diagrams, self-contained and well-formed."""
import base64
import hashlib
import os
import re
import xml.etree.ElementTree as ET

from common import PENDULUM, SOURCE, Case, main, read, write

FOUR_BAR = """\
title: 'Four bars <b>&amp;</b> "one" too many'
planar: true
gravity: 9.81
bodies:
  crank: {mass: 1, inertia: 0.1, position: [0, 0.5], frames: {a: [0, -0.5], b: [0, 0.5]}}
  rod: {mass: 1, inertia: 0.1, position: [1, 1], frames: {a: [-1, 0], b: [1, 0], m: [0, 0]}}
  rocker: {mass: 1, inertia: 0.1, position: [2, 0.5], frames: {a: [0, -0.5], b: [0, 0.5]}}
  third: {mass: 1, inertia: 0.1, position: [1, 0.5], frames: {a: [0, -0.5], b: [0, 0.5]}}
joints:
  p0: {type: revolute, a: ground, b: crank.a, point: [0, 0]}
  p1: {type: revolute, a: crank.b, b: rod.a}
  p2: {type: revolute, a: rod.b, b: rocker.b}
  p3: {type: revolute, a: ground, b: rocker.a, point: [2, 0]}
  p4: {type: revolute, a: rod.m, b: third.b}
  p5: {type: revolute, a: ground, b: third.a, point: [1, 0]}
run: {end: 0.1}
"""


class Html(Case):
    def page(self, name):
        """The diagrams of a page, which loads nothing, as trees of XML; and its text."""
        text = read(name)
        self.assertNotRegex(text, r"<(link|img|iframe)|url\(http| src=")
        # one script, ours, which the policy allows by its hash
        script, = re.findall(r"<script>(.*?)</script>", text, re.S)
        self.assertEqual(text.count("<script"), 1)
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        self.assertIn(f"default-src 'none'; script-src 'sha256-{digest}'; style-src", text)
        self.assertTrue(text.rstrip().endswith("</html>"))
        self.assertRegex(text, r"@media ?\(prefers-color-scheme: ?dark\)")
        for tag in ("table", "figure", "pre", "h2", "p", "div"):
            self.assertEqual(len(re.findall(f"<{tag}[ >]", text)), text.count(f"</{tag}>"), tag)
        return [ET.fromstring(s) for s in re.findall(r"<svg.*?</svg>", text, re.S)], text

    def test_check(self):
        write("four.yaml", FOUR_BAR)
        self.good("check", "four.yaml", "--html", "four.html")
        svg, text = self.page("four.html")
        self.assertEqual(len(svg), 4)  # graph, spectrum, two patterns
        self.assertIn("Four bars &lt;b&gt;&amp;amp;&lt;/b&gt; &quot;one&quot;", text)
        graph = svg[0]
        self.assertEqual(len(graph.findall("rect")), 5)  # four bodies and the ground
        paths = graph.findall("path")
        self.assertEqual(len(paths), 6)
        # a spanning tree of four bodies has four joints, the other two close loops
        self.assertEqual(sum("stroke-dasharray" in p.attrib for p in paths), 2)
        marked = [t.text for t in graph.findall("text") if "redundant" in (t.text or "")]
        self.assertEqual(len(marked), 1)
        plain, ordered = (s.findall("rect")[1:] for s in svg[2:])
        blocks = 4 + 6  # bodies and joints
        cells = {(r.get("x"), r.get("y")) for r in plain}
        self.assertEqual(len(cells), len(plain))
        # every joint couples with its bodies, both ways; ground has no block: 9 ends at bodies
        self.assertGreaterEqual(len(plain), blocks + 2 * 9 - 6)
        self.assertGreaterEqual(len({(r.get("x"), r.get("y")) for r in ordered}), len(plain))

    def test_graph_shows_all(self):
        """Joints that close loops lead past bodies, and no name is behind a body."""
        model = os.path.join(SOURCE, "models", "suspension.yaml")
        self.good("check", model, "--no-trial", "--html", "s.html")
        graph = self.page("s.html")[0][0]
        corner = ("x", "y", "width", "height")
        boxes = [tuple(float(r.get(k)) for k in corner) for r in graph.findall("rect")]
        left, _, width, _ = (float(x) for x in graph.get("viewBox").split())

        def boxes_at(x, y):
            self.assertTrue(left <= x <= left + width, "outside the picture")
            return {b for b in boxes if b[0] <= x <= b[0] + b[2] and b[1] <= y <= b[1] + b[3]}
        lines = [p for p in graph.findall("path") if "stroke-dasharray" in p.attrib]
        self.assertEqual(len(lines), 2)
        for p in lines:
            ax, ay, cx, cy, bx, by = (float(x) for x in re.findall(r"-?[\d.]+", p.get("d")))
            ends = boxes_at(ax, ay) | boxes_at(bx, by)
            for t in (0.02 * k for k in range(51)):
                at = [(1 - t) ** 2 * a + 2 * t * (1 - t) * c + t ** 2 * b
                      for a, c, b in ((ax, cx, bx), (ay, cy, by))]
                self.assertLessEqual(boxes_at(*at), ends, p.get("d"))
        names = [t for t in graph.findall("text") if t.get("font-size") == "10"]
        self.assertEqual(len(names), 7)
        for t in names:
            self.assertFalse(boxes_at(float(t.get("x")), float(t.get("y")) - 3), t.text)

    def test_contradiction_is_reported_too(self):
        rod = "  far: {type: distance, a: ground, b: crank.b, length: 9}\n"
        write("bad.yaml", FOUR_BAR.replace("run:", f"{rod}run:"))
        self.bad(2, "check", "bad.yaml", "--html", "bad.html")
        svg, _ = self.page("bad.html")
        self.assertGreaterEqual(len(svg), 1)

    def test_large_model(self):
        self.good("check", os.path.join(SOURCE, "models", "hmmwv.yaml"), "--no-trial", "--html", "h.html")
        self.assertEqual(len(self.page("h.html")[0]), 4)

    def test_compare_and_verify(self):
        write("p.yaml", PENDULUM)
        self.good("compare", "p.yaml", "--methods", "genalpha,bdf", "--tols", "1e-3,1e-5", "--html", "c.html",
                  "-q")
        svg, text = self.page("c.html")
        self.assertEqual(len(svg), 3)
        self.assertIn("genalpha", text)
        self.good("verify", "p.yaml", "--tol", "1e-4", "--method", "bdf", "--html", "v.html", "-q")
        svg, text = self.page("v.html")
        self.assertEqual(len(svg), 1)
        self.assertIn("Every signal is within the tolerance", text)

    def test_cannot_be_written(self):
        write("p.yaml", PENDULUM)
        self.assertIn("absent/x.html", self.bad(1, "check", "p.yaml", "--html", "absent/x.html").stderr)


if __name__ == "__main__":
    main()
