#!/usr/bin/env python3
"""A smooth force that sets in within micrometres: the step falls by five decades, the right solution is kept,
by every method.

A ball falls 1 m onto a wall exp(-k y) [N], k = 2e5 1/m, and bounces: the contact takes some 1e-5 s of the 1.5
s. Energy is conserved, so an integrator that steps into the wall, or lets an iteration pass that has not
converged, shows it at once.
"""
import json
import os
import subprocess
import sys
import tempfile

from common import TRAMMEL, csv_rows

MODEL = """
title: ball on an exponential wall
planar: true
gravity: 9.81
parameters: {k: 2e5, m: 4}
bodies:
  ball: {mass: m, inertia: 0.1, position: [0, 1]}
joints:
  slide: {type: prismatic, a: ground, b: ball, axis: [0, 1]}
forces:
  wall: {type: applied, at: ball, force: [0, "exp(-k*ball.y)"]}
outputs: {E: "m*9.81*ball.y + m*ball.vy^2/2 + exp(-k*ball.y)/k", v: ball.vy}
run: {end: 1.5, output_step: 0.0125}
"""
TOL = 1e-3
MEANS = ("decay", "conserve")  # of forces within a step: a wall may escape them, and they stop in it
failures = 0

with tempfile.TemporaryDirectory() as folder:
    model, out = os.path.join(folder, "wall.yaml"), os.path.join(folder, "wall.csv")
    with open(model, "w") as f:
        f.write(MODEL)
    methods = [m["name"]
               for m in json.loads(subprocess.check_output([TRAMMEL, "methods", "--json"]))["methods"]
               if m["form"] != "velocities and impulses"]  # those of captured contacts
    for method in methods:
        done = subprocess.run([TRAMMEL, "run", model, "--method", method, "--tol", str(TOL), "--csv", out,
                               "--json"],
                              capture_output=True, text=True)
        if method in MEANS and done.returncode == 1 and "'wall' is not finite" in done.stderr:
            print(f"ok   {method:11s} stops in the wall")
            continue
        if done.returncode:
            print(f"FAIL {method}: {done.stderr}")
            failures += 1
            continue
        report = json.loads(done.stdout)
        with open(out) as f:
            rows = list(csv_rows(f))
        worst = max(abs(float(r["E"]) / 39.24 - 1) for r in rows)
        bounced = max(float(r["v"]) for r in rows) > 4
        fall = report["step_size"]["max"] / report["step_size"]["min"]
        # velocities within TOL of their largest: twice that in energy
        ok = worst < 2 * TOL and bounced and fall > 1e5
        print(f"{'ok  ' if ok else 'FAIL'} {method:11s} energy off by {worst:.1e}, steps fall by {fall:.1e}, "
              f"{report['counters']['steps']} steps")
        failures += not ok
sys.exit(failures > 0)
