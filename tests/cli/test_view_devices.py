#!/usr/bin/env python3
"""Pages on a phone, read by axe-core, with panels of other sizes, light and dark, as a film."""
import os
import unittest

from common import PENDULUM, SOURCE, Case, main, skip_if_slow, table, write
from test_view import BROWSER, NEEDS, Pages

AXE = os.path.join(SOURCE, "web", "node_modules", "axe-core", "axe.min.js")
FOUR_BAR = os.path.join(SOURCE, "models", "four_bar.yaml")
STUDY = """\
model: p.yaml
parameters: {L: {from: 1, to: 2, count: 5}}
quantities: {lowest: {of: height, take: min}}
"""


class Models(Pages):
    """What the pages are made of."""

    def four_bar(self, **more):
        end = more.pop("end", "2")
        self.good("run", FOUR_BAR, "-q", "-o", "four_bar.h5", "--end", end)
        self.good("view", "four_bar.h5", "-q")
        return {"name": more["kind"], "page": os.path.abspath("four_bar.html"), "from": 0, "to": float(end),
                "t": 0.25, "body": "coupler",
                "outputs": ["crank_angle", "rocker_angle", "point_x", "point_y"], **more}

    def reports(self):
        """Pages of check, compare and study."""
        write("p.yaml", PENDULUM)
        write("s.yaml", STUDY)
        self.good("check", FOUR_BAR, "--html", "check.html")
        self.good("compare", "p.yaml", "--methods", "genalpha,bdf", "--tols", "1e-3,1e-5", "--html",
                  "compare.html", "-q")
        self.good("study", "s.yaml", "--report", "study.html", "-q", "--overwrite")
        return {name: os.path.abspath(f"{name}.html") for name in ("check", "compare", "study")}


@skip_if_slow("the browser is not instrumented")
@unittest.skipUnless(BROWSER, NEEDS)
class Devices(Models, Case):
    cost = 40  # [s]

    def test_phone(self):
        self.show([self.four_bar(kind="phone")], "devices.mjs")

    def test_start(self):
        self.show([self.four_bar(kind="start")], "devices.mjs")

    def test_scale(self):
        self.good("run", os.path.join(SOURCE, "models", "hmmwv.yaml"), "-q", "-o", "v.h5", "--end", "0.2")
        self.good("view", "v.h5", "-q")
        self.show([self.four_bar(kind="scale"), {"name": "road", "kind": "scale", "road": True,
                                                 "page": os.path.abspath("v.html")}], "devices.mjs")

    def test_panels(self):
        self.show([self.four_bar(kind="panels")], "devices.mjs")

    def test_film(self):
        self.show([self.four_bar(kind="film", end="1.5")], "devices.mjs")

    def test_dark(self):
        reports = list(self.reports().values())
        self.show([self.four_bar(kind="dark", reports=reports)], "devices.mjs")

    def test_beside(self):
        """A crank that starts faster or slower."""
        row = 50  # 0.25 s
        beside = []
        for name, rate in (("slow", "15"), ("fast", "25"), ("own", "20")):
            self.good("run", FOUR_BAR, "-q", "-o", f"{name}.h5", "--csv", f"{name}.csv", "--set", f"w={rate}")
            rows = table(f"{name}.csv")
            self.assertAlmostEqual(rows["t"][row], 0.25, delta=1e-12)
            beside.append({"name": f"{name}.h5", "value": rows["point_x"][row],
                           "position": [rows["coupler.x"][row], rows["coupler.y"][row], 0]})
        own = beside.pop()
        self.good("view", "own.h5", "-q", "--with", "slow.h5", "--with", "fast.h5")
        self.show([{"name": "beside", "kind": "beside", "page": os.path.abspath("own.html"), "t": 0.25,
                    "body": "coupler", "channel": "point_x", "position": own["position"],
                    "beside": beside}], "devices.mjs")


@skip_if_slow("the browser is not instrumented")
@unittest.skipUnless(BROWSER and os.path.exists(AXE), NEEDS + ", axe-core: npm ci in the folder web")
class Readers(Models, Case):
    """As programs that read pages aloud see them."""
    cost = 40  # [s]

    def test_axe(self):
        """No serious violation: reports, and a result with names, values, drawers and keys."""
        pages = [{"name": name, "kind": "axe", "page": path, "axe": AXE, "viewer": False}
                 for name, path in self.reports().items()]
        self.good("run", os.path.join(SOURCE, "models", "hmmwv.yaml"), "-q", "-o", "v.h5", "--end", "0.2")
        self.good("view", "v.h5", "-q")
        self.show(pages + [{"name": "vehicle", "kind": "axe", "page": os.path.abspath("v.html"), "axe": AXE,
                            "viewer": True}], "devices.mjs")


if __name__ == "__main__":
    main()
