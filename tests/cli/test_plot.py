#!/usr/bin/env python3
"""trammel plot and trammel stats: expressions of channels, peaks between rows, refused input."""
import json
import math
import os
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


def lines_of_svg(path):
    """The lines of a diagram, as lists of points in the units of its linear axes, by colour."""
    svg = read(path)
    number = r"(-?[0-9.]+)"
    texts = re.findall(rf'<text x="{number}" y="{number}"[^>]*text-anchor="(\w+)"[^>]*>([0-9.]+)</text>', svg)
    grid = re.findall(rf'd="M{number} {number}L{number} {number}"[^>]*stroke="#e2e2e2"', svg)

    def axis(anchor, at):  # from px to units, by two grid lines and their labels
        labels = [float(text) for *_, where, text in texts if where == anchor]
        places = [float(line[at]) for line in grid if line[1 - at] != line[3 - at]]
        scale = (labels[-1] - labels[0]) / (places[-1] - places[0])
        return lambda px: labels[0] + scale * (px - places[0])

    x, y = axis("middle", 0), axis("end", 1)
    lines = {}
    for data, color in re.findall(r'<path d="([^"]*)" fill="none" stroke="(#\w+)" stroke-width="1.5"', svg):
        points = [tuple(map(float, p.split())) for p in re.split("[ML]", data)[1:]]
        if len(points) > 2:  # not of the legend
            lines.setdefault(color, []).extend((x(u), y(v)) for u, v in points)
    return list(lines.values())


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

    def test_patterns(self):
        """A text with '*' that is no product."""
        write("pairs.csv", "t,p.x,p.y,q.x\n0,1,2,3\n1,2,3,4\n")
        names = [row["name"] for row in json.loads(self.good("stats", "pairs.csv", "p.*", "--json").stdout)]
        self.assertEqual(names, ["p.x", "p.y"])
        names = [row["name"] for row in json.loads(
            self.good("stats", "pairs.csv", "?.x", "p.x*q.x", "--json").stdout)]
        self.assertEqual(names, ["p.x", "q.x", "p.x*q.x"])
        self.good("plot", "pairs.csv", "p.*", "-o", "pairs.svg")
        self.assertIn("p.y", read("pairs.svg"))
        self.bad(2, "plot", "pairs.csv", "r.*")

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

    def test_spectrum(self):
        def value(t):
            return 7 + 3 * math.sin(14.5 * t) + 1.2 * math.cos(61 * t + 1)

        uneven = [0.01 * (i + 0.3 * math.sin(2 * i)) for i in range(1201)]
        write("even.csv", "t,a\n" + "".join(f"{0.01 * i!r},{value(0.01 * i)!r}\n" for i in range(1001)))
        write("uneven.csv", "t,a\n" + "".join(f"{t!r},{value(t)!r}\n" for t in uneven))
        self.good("plot", "even.csv", "a", "--with", "uneven.csv", "--spectrum", "--highest", "15",
                  "--from", "1", "-o", "s.svg")
        text = re.sub(r"<[^>]*>", "", read("s.svg"))
        for word in ("frequency [Hz]", "amplitude", "a (even)", "a (uneven)"):
            self.assertIn(word, text)
        lines = lines_of_svg("s.svg")
        self.assertEqual(len(lines), 2)
        for line in lines:
            for low, high, omega, amplitude in (1, 5, 14.5, 3), (7, 12, 61, 1.2):
                peak = max((p for p in line if low < p[0] < high), key=lambda p: p[1])
                self.assertAlmostEqual(peak[0], omega / 2 / math.pi, delta=0.01)
                self.assertAlmostEqual(peak[1], amplitude, delta=0.01 * amplitude)
            self.assertLess(max(a for f, a in line if 5 < f < 7 or f < 0.5 or f > 13), 0.02)  # also no mean

    def test_spectrum_of_many_rows_keeps_peaks(self):
        rows = "".join(f"{0.001 * i!r},{math.sin(0.3 * i)!r}\n" for i in range(20001))
        write("many.csv", "t,a\n" + rows)
        self.good("plot", "many.csv", "a", "--spectrum", "-o", "many.svg")
        line = max(lines_of_svg("many.svg"), key=len)
        self.assertLess(len(line), 4 * 640 + 100)
        peak = max(line, key=lambda p: p[1])
        self.assertAlmostEqual(peak[1], 1, delta=0.004)
        self.assertAlmostEqual(peak[0], 300 / 2 / math.pi, delta=0.02 + 600 / 640 / 4)

    def test_unit_of_a_spectrum(self):
        write("p.yaml", PENDULUM)
        self.good("run", "p.yaml", "-q", "-o", "one.h5")
        self.good("plot", "one.h5", "bob.y", "--spectrum", "--log", "-o", "unit.svg")
        self.assertIn("amplitude [m]", re.sub(r"<[^>]*>", "", read("unit.svg")))

    def test_results_over_each_other(self):
        write("p.yaml", PENDULUM)
        self.good("run", "p.yaml", "-q", "-o", "one.h5")
        self.good("run", "p.yaml", "-q", "-o", "two.h5", "--set", "L=0.9")
        self.good("plot", "one.h5", "bob.y", "--over", "bob.x", "--with", "two.h5", "-o", "path.svg", "--to",
                  "0.4")
        text = re.sub(r"<[^>]*>", "", read("path.svg"))
        for word in ("bob.y (one)", "bob.y (two)", "bob.x [m]", "bob.y [m]"):
            self.assertIn(word, text)

    def test_units_have_diagrams_of_their_own(self):
        write("p.yaml", PENDULUM.replace("outputs:", "outputs:\n  lift: {value: 9.81*bob.y, unit: J/kg}"))
        self.good("run", "p.yaml", "-q", "-o", "one.h5")
        self.good("plot", "one.h5", "bob.y", "pin.fx", "lift", "2*lift", "-o", "units.svg")
        svg = read("units.svg")
        text = re.sub(r"<[^>]*>", "", svg)
        for word in ("bob.y [m]", "pin.fx [N]", "value [J/kg]", "time [s]"):
            self.assertIn(word, text)
        self.assertEqual(text.count("time [s]"), 1)
        self.assertIn('height="879"', svg)  # 3 of 293 px
        frames = re.findall(r'<path d="M(\S+) \S+L\S+ \S+L\S+ \S+L\S+ \S+Z" fill="none"', svg)
        self.assertEqual((len(frames), len(set(frames))), (3, 1))  # frames begin in line
        self.good("plot", "one.h5", "bob.y", "pin.fx", "--together", "-o", "one.svg")
        self.assertIn('height="400"', read("one.svg"))

    def test_lonely_points_are_dots(self):
        write("blows.csv", "t,f\n" + "".join(f"{i},{100 if i in (3, 7) else 0}\n" for i in range(10)))
        self.good("plot", "blows.csv", "f", "--log", "-o", "blows.svg")
        self.assertEqual(read("blows.svg").count("<circle"), 2)

    def test_members_of_a_study_are_points(self):
        write("members.csv", "k,peak\n" + "".join(f"{(7*i) % 10},{i}\n" for i in range(10)))
        self.good("plot", "members.csv", "peak", "--over", "k", "-o", "members.svg")
        self.assertEqual(read("members.svg").count("<circle"), 11)  # and one in the legend

    def test_history_of_the_steps(self):
        """Cells of the report of a run that no method fills are gaps, in diagrams and tables."""
        write("p.yaml", PENDULUM)
        self.good("run", "p.yaml", "-q", "--method", "genalpha", "--report", "steps.csv")
        self.assertIn(",,", read("steps.csv"))
        self.good("plot", "steps.csv", "iterations", "velocity_scaled", "-o", "steps.svg")
        self.assertIn("iterations", re.sub(r"<[^>]*>", "", read("steps.svg")))
        self.good("plot", "steps.csv", "h", "--log", "-o", "steps.svg")
        rows = json.loads(self.good("stats", "steps.csv", "iterations", "--json").stdout)
        self.assertGreaterEqual(rows[0]["max"], 1)

    def test_refused(self):
        self.assertIn("EXPR is missing", self.bad(2, "plot", waves()).stderr)
        for text, said in (("a.x,b", "(Lines are arguments of their own, with blanks between them.)"),
                           ("time", "(The time is 't'.)"), ("a.y.z", "is an entry of 'outputs' of the model: "
                                                            "'NAME: a.y.z'.)")):
            self.assertIn(said, self.bad(2, "plot", waves(), text).stderr)
        write("other.csv", "t,d\n0,1\n1,2\n")
        self.assertIn("(In 'other.csv'.)", self.bad(2, "plot", waves(), "b", "--with", "other.csv").stderr)
        self.assertIn("(is it 'a.x'?)", self.bad(2, "plot", waves(), "a.xx").stderr)
        self.assertIn("frequency", self.bad(2, "plot", waves(), "b", "--spectrum", "--over", "a.x").stderr)
        self.assertIn("--spectrum", self.bad(2, "plot", waves(), "b", "--highest", "3").stderr)
        p = self.bad(2, "plot", waves(), "b", "--spectrum", "--to", "0.1")
        self.assertIn("at least 8 times, not 3", p.stderr)
        self.assertIn("'b' of 'waves.csv'", p.stderr)
        write("rows.csv", "x\n" + "1\n2\n" * 10)
        self.assertIn("no times", self.bad(2, "plot", "rows.csv", "x", "--spectrum").stderr)
        remove("empty.svg")
        for window in (("--from", "50"), ("--to", "-1"), ("--from", "2", "--to", "1")):
            p = self.bad(2, "plot", waves(), "b", "-o", "empty.svg", *window)
            self.assertIn("'waves.csv' has no rows between --from and --to: its times go from 0 to 11.1 s",
                          p.stderr)
            self.assertFalse(os.path.exists("empty.svg"))
        self.assertIn(".gif", self.bad(2, "plot", waves(), "b", "-o", "x.gif").stderr)


if __name__ == "__main__":
    main()
