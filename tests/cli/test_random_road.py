#!/usr/bin/env python3
"""Random roads: their spectrum under a wheel, what a seed means, and what is said of mistakes."""
import math
import subprocess
import unittest

from common import PATIENCE, TRAMMEL, main, write
from common import table as columns

# A wheel on a carriage that is pulled over 1.2 km of short waves; the tyre carries it softly.
MODEL = """\
planar: true
roads:
  way: {type: random, roughness: 256e-6, shortest: 1, longest: 6%s}
bodies:
  carriage: {mass: 1, inertia: 1, position: [0, 1], velocity: [30, 0]}
joints:
  rail: {type: prismatic, a: ground, b: carriage, axis: [1, 0], point: [0, 1]}
  drive: {type: driver, of: rail.distance, motion: 30*t}
forces:
  tyre: {type: tyre, at: carriage, road: way, radius: 1, stiffness: 100, contact: false}
run: {end: 40, output_step: 0.005}
"""


def simulate(text):
    model = write("road.yaml", text)
    subprocess.run([TRAMMEL, "run", model, "-o", "none", "--csv", "road.csv", "-q"], check=True,
                   timeout=PATIENCE)
    return columns("road.csv")


class Spectrum(unittest.TestCase):
    def test_variance(self):
        """Of the compression, which is the height, and of its rate: G0 n0^2 (longest - shortest), and (2 pi
        v)^2 G0 n0^2 (1/shortest - 1/longest)."""
        x = simulate(MODEL % "")["tyre.compression"]
        found = sum(z * z for z in x) / len(x)
        self.assertLess(abs(found / (256e-8 * 5) - 1), 0.03)
        rate = [(b - a) / 0.01 for a, b in zip(x, x[2:])]
        # a central difference over 0.3 m takes (sin(k d)/(k d))^2 of a wave k, here averaged over n
        def kept(n):
            return (math.sin(2 * math.pi * n * 0.15) / (2 * math.pi * n * 0.15)) ** 2
        part = sum(kept(1 / 6 + (1 - 1 / 6) * (i + 0.5) / 1000) for i in range(1000)) / 1000
        wanted = (2 * math.pi * 30) ** 2 * 256e-8 * (1 - 1 / 6) * part
        self.assertLess(abs(sum(v * v for v in rate) / len(rate) / wanted - 1), 0.05)

    def test_seeds(self):
        one, same = simulate(MODEL % ""), simulate(MODEL % ", seed: 1")
        self.assertEqual(one["tyre.compression"], same["tyre.compression"])
        other = simulate(MODEL % ", seed: 2")["tyre.compression"]
        product = sum(a * b for a, b in zip(one["tyre.compression"], other)) / len(other)
        self.assertLess(abs(product), 0.5 * 256e-8 * 5)  # independent phases

    def test_begins(self):
        """Flat up to its position."""
        x = simulate(MODEL % ", position: 60, length: 30")
        for t, z in zip(x["t"], x["tyre.compression"]):
            if t <= 2:
                self.assertEqual(z, 0)
        self.assertGreater(max(map(abs, x["tyre.compression"])), 1e-3)


class Mistakes(unittest.TestCase):
    def test_messages(self):
        for text, line, said in ((", shortest: 7", 3, "key 'shortest'"),
                                 (", amplitude: 1", 3, "amplitude"),
                                 (", seed: 1.5", 3, "whole number")):
            p = subprocess.run([TRAMMEL, "check", write("road.yaml", MODEL % text)], capture_output=True,
                               text=True, check=False, timeout=PATIENCE)
            self.assertEqual(p.returncode, 2, p.stderr)
            self.assertIn(f"road.yaml:{line}:", p.stderr)
            self.assertIn(said, p.stderr)
        model = write("road.yaml", MODEL.replace("shortest: 1", "shortest: 8") % "")
        p = subprocess.run([TRAMMEL, "check", model], capture_output=True, text=True, check=False,
                           timeout=PATIENCE)
        self.assertIn("'shortest' (8 m) is not less than 'longest' (6 m)", p.stderr)


if __name__ == "__main__":
    main()
