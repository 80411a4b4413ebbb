#!/usr/bin/env python3
"""The Radau methods on bundled models: the error at the end is proportional to the tolerance, every model
runs.

References as in test_references.py: converged in quadruple precision. The band around the tolerance is wide
enough for the irregular part of an error (its sign changes along the motion), and far narrower than the range
of tolerances.
"""
import json
import math
import os
import subprocess
import sys
import tempfile

from common import SLOW, SOURCE, TRAMMEL, csv_rows, fewer_if_slow, fewer_unless_long, report_skip

MODELS = os.path.join(SOURCE, "models")
# [s] their vibrations take 10,000 to 50,000 steps
BRIEF = {"beam_buckling.yaml": "0.05", "beam_cam.yaml": "0.1", "beam_crank.yaml": "0.02",
         "modal_crank.yaml": "0.02"}
METHODS = ("radau3", "radau5", "ggl-radau3", "ggl-radau5")
failures = []

ANDREWS = {"beta": 15.81077119515370709711939, "theta": -15.75637105841183946972775,
           "gamma": 4.082224011964580485828232e-02,
           "phi": -5.347301163420795937701850e-01, "delta": 5.244099658799540693716558e-01,
           "omega": 5.347301163420795937701850e-01, "epsilon": 1.048080741041937873068515}
HEAVY_TOP = {0.2: (0.6055505613771198, 0.5989576817949192, -0.5239830274300032),
             1.0: (0.1733439640983860, 0.6400885920705688, -0.7484907911335813),
             2.0: (-0.1504168227456418, -0.7241655916368957, -0.6730222695604441)}
STIFF = {0.1: (5.8793329170220, 5.7358318386785), 0.5: (3.8333745088596, 3.8201393421236),
         1.0: (5.0552761176004, 5.0547509436836), 2.0: (4.6018805320814, 4.6018890395661)}


def run(model, *options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out.csv")
        done = subprocess.run([TRAMMEL, "run", os.path.join(MODELS, model), "--csv", path, "--json",
                               *options],
                              check=True, capture_output=True, text=True)
        with open(path) as f:
            return [{k: float(v) for k, v in row.items()}
                    for row in csv_rows(f)], json.loads(done.stdout)


def at(rows, t):
    best = min(rows, key=lambda row: abs(row["t"] - t))
    assert abs(best["t"] - t) < 1e-9, f"no row at t = {t}"
    return best


def report(what, ratio, low, high):
    good = low <= ratio <= high
    print(f"{'ok  ' if good else 'FAIL'} {what:50s} error/tolerance {ratio:8.3f}  wanted {low} .. {high}")
    if not good:
        failures.append(what)


# Share of rejected steps, where it may exceed a quarter: bristles give way like exp(t) within 20 ms, and each
# step on the way there must be shorter than the one before. Round-off decides how many are tried in vain.
SUDDEN = {"stick_slip.yaml": 0.35}


def andrews(method, tol, low, high):
    rows, _ = run("andrews.yaml", "--method", method, "--tol", tol)
    error = max(abs(at(rows, 0.03)[k] - v) for k, v in ANDREWS.items())
    report(f"{method} andrews, tol {tol}", error / float(tol), low, high)


def heavy_top(method, tol):
    rows, _ = run("heavy_top.yaml", "--method", method, "--tol", tol)
    error = max(abs(at(rows, t)["top." + k] - v) for t, ref in HEAVY_TOP.items() for k, v in zip("xyz", ref))
    report(f"{method} heavy top, tol {tol}", error / float(tol), 0.02, 3)


def stiff_pendulum(method, tol):
    rows, _ = run("stiff_double_pendulum.yaml", "--method", method, "--tol", tol, "--set", "w20=0")
    error = max(max(abs(at(rows, t)["theta1"] - a), abs(at(rows, t)["theta2"] - b)) for t,
                (a, b) in STIFF.items())
    report(f"{method} stiff double pendulum, tol {tol}", error / float(tol), 0.01, 3)


def spring_pendulum(method, tol):
    rows, _ = run("spring_pendulum.yaml", "--method", method, "--tol", tol)
    error = max(abs(r["phi"] - math.pi / 4 * math.cos(math.sqrt(10) * r["t"])) for r in rows)
    report(f"{method} spring pendulum, tol {tol}", error / float(tol), 0.02, 3)


def every_model():
    for i, model in enumerate(sorted(f for f in os.listdir(MODELS) if f.endswith(".yaml"))):
        by_turns = METHODS[i % 2::2]  # radau3 and ggl-radau3, or radau5 and ggl-radau5
        for method in fewer_unless_long(by_turns, METHODS):
            end = ("--end", BRIEF[model]) if model in BRIEF else ()
            _, summary = run(model, "--method", method, "--tol", "1e-4", *end)
            count = summary["counters"]
            wasted = count["rejected_error"] + count["rejected_newton"]
            if summary["status"] != "ok" or wasted > 10 + SUDDEN.get(model, 0.25) * count["steps"]:
                failures.append(f"{method} {model}")
            print(f"     {method:10s} {model:28s} {count['steps']:6d} steps, {wasted:4d} rejected")


def main():
    fine = fewer_if_slow("tolerances below 1e-4", ("1e-4",), ("1e-4", "1e-6", "1e-8"), "half a minute")
    coarse = ("1e-3",) if SLOW else ("1e-3", "1e-5")
    for method in METHODS:
        for tol in fine:
            andrews(method, tol, 0.02 if "ggl" in method else 0.1, 10)
        for tol in (*coarse, "1e-7") if "5" in method and not SLOW else coarse:
            heavy_top(method, tol)
            stiff_pendulum(method, tol)
            spring_pendulum(method, tol)
    if SLOW:
        report_skip("test_radau.py every_model", "a minute")
    else:
        for tol in ("1e-5", "1e-7", "1e-9", "1e-10"):
            andrews("radau5", tol, 0.1, 10)
        every_model()
    if failures:
        sys.exit("missed: " + ", ".join(failures))


if __name__ == "__main__":
    main()
