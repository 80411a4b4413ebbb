#!/usr/bin/env python3
"""Bundled benchmark problems against converged solutions: the tolerance asked for is met.

References were computed in quadruple precision (index-1 form, extrapolation) or, for the stiff pendulum, with
two independent integrators at 1e-13. The tolerance is relative to the size of the model (positions) or of a
radian.
"""
import math
import os
import subprocess
import sys
import tempfile

from common import SLOW, SOURCE, TRAMMEL, csv_rows, fewer_if_slow

failures = []
chosen = []  # options that choose the method


def run(model, *options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out.csv")
        subprocess.run([TRAMMEL, "run", os.path.join(SOURCE, "models", model), "--csv", path, "--quiet",
                        *options,
                        *chosen], check=True)
        with open(path) as f:
            return {float(row["t"]): {k: float(v) for k, v in row.items()} for row in csv_rows(f)}


def at(rows, t):
    best = min(rows, key=lambda x: abs(x - t))
    assert abs(best - t) < 1e-9, f"no row at t = {t}"
    return rows[best]


def report(what, error, limit):
    mark = "ok  " if error <= limit else "FAIL"
    print(f"{mark} {what:58s} error {error:9.2e}  allowed {limit:9.2e}")
    if not error <= limit:
        failures.append(what)


METHODS = ("genalpha --placement inner", "genalpha --rho 0.95", "hht", "hht --placement inner", "newmark",
           "midpoint", "decay", "conserve")

ANDREWS = {"beta": 15.81077119515370709711939, "theta": -15.75637105841183946972775,
           "gamma": 4.082224011964580485828232e-02,
           "phi": -5.347301163420795937701850e-01, "delta": 5.244099658799540693716558e-01,
           "omega": 5.347301163420795937701850e-01, "epsilon": 1.048080741041937873068515}

HEAVY_TOP = {  # centre of mass
    0.2: (0.6055505613771198, 0.5989576817949192, -0.5239830274300032),
    1.0: (0.1733439640983860, 0.6400885920705688, -0.7484907911335813),
    2.0: (-0.1504168227456418, -0.7241655916368957, -0.6730222695604441)}

STIFF = {  # w20: {t: (theta1, theta2)}
    0: {0.1: (5.8793329170220, 5.7358318386785), 0.5: (3.8333745088596, 3.8201393421236),
        1.0: (5.0552761176004, 5.0547509436836), 2.0: (4.6018805320814, 4.6018890395661)},
    10: {0.1: (6.0670665130322, 5.9236424396599), 0.5: (3.7363754783894, 3.7231547756131),
         1.0: (5.1614397993303, 5.1609241849734), 2.0: (4.6404781832213, 4.6404967016885)}}


def andrews():
    tol = "1e-6" if SLOW else "1e-8"
    end = at(run("andrews.yaml", "--tol", tol), 0.03)
    for name, value in ANDREWS.items():
        report(f"andrews {name} at 0.03 s, tol {tol} (relative)", abs(end[name] / value - 1), 1e-6)


def heavy_top(tol):
    rows = run("heavy_top.yaml", "--tol", tol)
    error = max(abs(at(rows, t)["top." + k] - v) for t, ref in HEAVY_TOP.items() for k, v in zip("xyz", ref))
    report(f"heavy top, tol {tol}", error, float(tol))


def stiff_pendulum(tol, w20):
    rows = run("stiff_double_pendulum.yaml", "--tol", tol, "--set", f"w20={w20}")
    error = max(max(abs(at(rows, t)["theta1"] - a), abs(at(rows, t)["theta2"] - b)) for t,
                (a, b) in STIFF[w20].items())
    report(f"stiff double pendulum, w20 = {w20}, tol {tol}", error, float(tol))


def spring_pendulum(tol):
    rows = run("spring_pendulum.yaml", "--tol", tol)
    error = max(abs(r["phi"] - math.pi / 4 * math.cos(math.sqrt(10) * t)) for t, r in rows.items())
    report(f"spring pendulum, tol {tol}", error, float(tol))


def tracks(what, error, tol, least):
    """The error is the tolerance, not much more (the motion itself makes some 0.1 to 1 of the sum of what
    steps may add; the midpoint rule reaches 1.04 on the top), and not so much less that work was wasted."""
    what = " ".join([*chosen, what])
    report(f"{what}, tol {tol}", error, 1.5 * float(tol))
    if not error >= least * float(tol):
        print(f"FAIL {what}: error {error:.2e} is below {least} of the tolerance {tol}")
        failures.append(what)


def method(options, tol):
    """All problems with one method. At the end of Andrews' mechanism errors of the other sign have made up
    for some."""
    chosen[:] = ["--method", *options.split()]
    top = run("heavy_top.yaml", "--tol", tol)
    tracks("heavy top", max(abs(at(top, t)["top." + k] - v) for t, ref in HEAVY_TOP.items() for k,
                            v in zip("xyz", ref)),
           tol, 0.03)
    stiff = run("stiff_double_pendulum.yaml", "--tol", tol, "--set", "w20=10")
    tracks("stiff double pendulum", max(abs(at(stiff, t)[k] - v) for t, ref in STIFF[10].items()
                                        for k, v in zip(("theta1", "theta2"), ref)), tol, 0.03)
    spring = run("spring_pendulum.yaml", "--tol", tol)
    tracks("spring pendulum", max(abs(r["phi"] - math.pi / 4 * math.cos(math.sqrt(10) * t)) for t,
                                  r in spring.items()),
           tol, 0.03)
    end = at(run("andrews.yaml", "--tol", tol), 0.03)
    tracks("andrews", max(abs(end[k] - v) / max(1, abs(v)) for k, v in ANDREWS.items()), tol, 0.001)
    chosen.clear()


def main():
    andrews()
    for options in fewer_if_slow("all methods but newmark, tolerances below 1e-3", ("newmark",), METHODS,
                                 "a minute"):
        for tol in ("1e-3",) if SLOW else ("1e-3", "1e-5"):
            method(options, tol)
    for tol in ("1e-3",) if SLOW else ("1e-3", "1e-5", "1e-7"):
        heavy_top(tol)
        stiff_pendulum(tol, 0)
        stiff_pendulum(tol, 10)
        spring_pendulum(tol)
    if failures:
        sys.exit(f"{len(failures)} of the references missed")


if __name__ == "__main__":
    main()
