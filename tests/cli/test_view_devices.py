#!/usr/bin/env python3
"""Pages on a phone, read by axe-core, with panels of other sizes, light and dark, as a film."""
import os
import unittest

from common import PENDULUM, SOURCE, Case, main, skip_if_slow, write
from test_view import BROWSER, NEEDS, Pages

AXE = os.path.join(SOURCE, "web", "node_modules", "axe-core", "axe.min.js")
FOUR_BAR = os.path.join(SOURCE, "models", "four_bar.yaml")
STUDY = """\
model: p.yaml
parameters: {L: {from: 1, to: 2, count: 5}}
quantities: {lowest: {of: height, take: min}}
"""


@skip_if_slow("the browser is not instrumented")
@unittest.skipUnless(BROWSER, NEEDS)
class Devices(Pages, Case):
    cost = 30  # [s]

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

    def test_phone(self):
        self.show([self.four_bar(kind="phone")], "devices.mjs")

    def test_start(self):
        self.show([self.four_bar(kind="start")], "devices.mjs")

    def test_panels(self):
        self.show([self.four_bar(kind="panels")], "devices.mjs")

    def test_film(self):
        self.show([self.four_bar(kind="film", end="1.5")], "devices.mjs")

    def test_dark(self):
        reports = list(self.reports().values())
        self.show([self.four_bar(kind="dark", reports=reports)], "devices.mjs")

    @unittest.skipUnless(os.path.exists(AXE), "needs axe-core: npm ci in the folder web")
    def test_axe(self):
        pages = [{"name": name, "kind": "axe", "page": path, "axe": AXE, "viewer": False}
                 for name, path in self.reports().items()]
        vehicle = os.path.join(SOURCE, "models", "hmmwv.yaml")
        self.good("run", vehicle, "-q", "-o", "v.h5", "--end", "0.2")
        self.good("view", "v.h5", "-q")
        self.show(pages + [self.four_bar(kind="axe", axe=AXE, viewer=True),
                           {"name": "vehicle", "kind": "axe", "page": os.path.abspath("v.html"), "axe": AXE,
                            "viewer": True}], "devices.mjs")


if __name__ == "__main__":
    main()
