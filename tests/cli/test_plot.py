#!/usr/bin/env python3
"""trammel plot and trammel stats: expressions of channels, peaks between rows, refused input."""
import json
import math
import re
import zlib

from common import PENDULUM, Case, main, read, remove, run, write

STEP = 0.037  # [s] between rows: the peaks of the waves lie between them


def waves():
    rows = ["t,a.x,b,c"]
    for i in range(301):
        t = STEP * i
        rows.append(f"{t!r},{math.sin(t)!r},{2 + 3 * math.cos(2 * t - 1)!r},5")
    return write("waves.csv", "\n".join(rows) + "\n")


def parts_of_pdf(path):
    """The bytes of a PDF with its streams in clear."""
    with open(path, "rb") as f:
        data = f.read()
    parts = [data]
    for stream in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", data, re.DOTALL):
        try:
            parts.append(zlib.decompressobj().decompress(stream))
        except zlib.error:
            pass  # not compressed
    return parts


class Stats(Case):
    def test_peaks_between_rows(self):
        table = json.loads(self.good("stats", waves(), "a.x", "b", "b - 3*a.x", "--json").stdout)
        a, b, both = table
        # the top of a parabola through three rows: error of the fourth derivative, h^4/128, and of its place
        self.assertAlmostEqual(a["max"], 1, delta=STEP**4)
        self.assertAlmostEqual(a["min"], -1, delta=STEP**4)
        self.assertLess(min(abs(a["t_max"] - math.pi / 2 - 2 * math.pi * k) for k in range(2)), STEP**2)
        self.assertAlmostEqual(b["max"], 5, delta=3 * 16 * STEP**4)
        self.assertEqual((b["first"], both["name"]), (2 + 3 * math.cos(1), "b - 3*a.x"))
        end = 300 * STEP
        mean = (1 - math.cos(end)) / end
        rms = math.sqrt((end / 2 - math.sin(2 * end) / 4) / end)
        # trapezoids: h^2/12 of the second derivative
        self.assertAlmostEqual(a["mean"], mean, delta=STEP**2 / 6)
        self.assertAlmostEqual(a["rms"], rms, delta=STEP**2 / 4)

    def test_channels_that_change(self):
        lines = self.good("stats", waves()).stdout.splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["channel", "a.x", "b"])

    def test_rows_that_jump(self):
        write("jump.csv", "t,x\n0,0\n1,1\n1,9\n2,3\n")
        table = json.loads(self.good("stats", "jump.csv", "x", "--json").stdout)
        self.assertEqual((table[0]["max"], table[0]["t_max"]), (9, 1))

    def test_kinks_have_no_parabola(self):
        write("kink.csv", "t,x\n" + "".join(f"{t},{3 - abs(t - 4.2)!r}\n" for t in range(9)))
        table = json.loads(self.good("stats", "kink.csv", "x", "--json").stdout)
        self.assertEqual((table[0]["max"], table[0]["t_max"]), (3 - abs(4 - 4.2), 4))

    def test_refused(self):
        self.assertIn("(is it 'a.x'?)", self.bad(2, "stats", waves(), "a.xx").stderr)
        self.assertIn("none.csv", self.bad(2, "stats", "none.csv").stderr)


class Plot(Case):
    def test_lines(self):
        remove("plot.svg")
        self.good("plot", waves(), "a.x", "2*b - 1")
        svg = read("plot.svg")
        self.assertIn("2*b - 1", svg)
        self.assertIn("time [s]", re.sub(r"<[^>]*>", "", svg))

    def test_pdf(self):
        remove("plot.pdf", "again.pdf")
        p = run("plot", waves(), "a.x", "b", "-o", "plot.pdf", "--title", "W 10^{3}")
        if p.returncode:
            self.assertIn("cairo", p.stderr)
            return
        parts = parts_of_pdf("plot.pdf")
        data = b"\n".join(parts)
        self.assertEqual(data[:5], b"%PDF-")
        self.assertRegex(data, rb"/MediaBox \[ ?0 0 480 300 ?\]")  # 640 x 400 px in points
        self.assertRegex(data, rb"/FontFile[23]? ")
        self.assertNotIn(b"/Image", data)
        self.assertNotIn(b"/CreationDate", data)
        # each of the lines passes through all rows: "x y m", then "x y l", in the stream of the page
        page = max(parts[1:], key=lambda part: len(re.findall(rb" l\b", part)))
        self.assertGreater(len(re.findall(rb"[0-9.]+ [0-9.]+ l\b", page)), 2 * 300)
        self.good("plot", "waves.csv", "a.x", "b", "-o", "again.pdf", "--title", "W 10^{3}")
        self.assertEqual(parts_of_pdf("again.pdf"), parts)

    def test_results_over_each_other(self):
        write("p.yaml", PENDULUM)
        self.good("run", "p.yaml", "-q", "-o", "one.h5")
        self.good("run", "p.yaml", "-q", "-o", "two.h5", "--set", "L=0.9")
        self.good("plot", "one.h5", "bob.y", "--over", "bob.x", "--with", "two.h5", "-o", "path.svg", "--to",
                  "0.4")
        text = re.sub(r"<[^>]*>", "", read("path.svg"))
        for word in ("bob.y (one)", "bob.y (two)", "bob.x [m]", "bob.y [m]"):
            self.assertIn(word, text)

    def test_refused(self):
        self.assertIn("EXPR is missing", self.bad(2, "plot", waves()).stderr)
        self.assertIn("(is it 'a.x'?)", self.bad(2, "plot", waves(), "a.xx").stderr)
        self.assertIn(".gif", self.bad(2, "plot", waves(), "b", "-o", "x.gif").stderr)


if __name__ == "__main__":
    main()
