#!/usr/bin/env python3
"""bdf and ggl against converged solutions: the error follows the tolerance over many decades.

On Andrews' mechanism the error at the end is within a factor of ten of the tolerance, on either side, from
1e-4 to 1e-10. It has a sign and may be small by chance at one tolerance; so the lower bound holds for the
geometric mean over the decades, and for each of them it is 0.01. The other problems: at most three times the
tolerance, and their errors fall with it.
"""
import math
import sys

import test_references as ref

METHODS = ("bdf", "ggl")


def check(what, value, low, high):
    mark = "ok  " if low <= value <= high else "FAIL"
    print(f"{mark} {what:50s} error {value:8.3g} tolerances  allowed {low:g} .. {high:g}")
    if mark == "FAIL":
        ref.failures.append(what)


def andrews(method, tols):
    product = 1
    for tol in tols:
        end = ref.at(ref.run("andrews.yaml", "--method", method, "--tol", tol), 0.03)
        error = max(abs(end[k] - v) for k, v in ref.ANDREWS.items()) / float(tol)
        check(f"{method}: andrews, tol {tol}", error, 0.01, 10)
        product *= error
    check(f"{method}: andrews, mean over the decades", product ** (1 / len(tols)), 0.1, 10)


def heavy_top(method, tol):
    rows = ref.run("heavy_top.yaml", "--method", method, "--tol", tol)
    return max(abs(ref.at(rows, t)["top." + k] - v) for t, x in ref.HEAVY_TOP.items() for k,
               v in zip("xyz", x))


def stiff_pendulum(method, tol, w20):
    rows = ref.run("stiff_double_pendulum.yaml", "--method", method, "--tol", tol, "--set", f"w20={w20}")
    return max(max(abs(ref.at(rows, t)["theta1"] - a), abs(ref.at(rows, t)["theta2"] - b))
               for t, (a, b) in ref.STIFF[w20].items())


def spring_pendulum(method, tol):
    rows = ref.run("spring_pendulum.yaml", "--method", method, "--tol", tol)
    return max(abs(r["phi"] - math.pi / 4 * math.cos(math.sqrt(10) * t)) for t, r in rows.items())


def main():
    for method in METHODS:
        andrews(method, ("1e-4", "1e-5", "1e-6", "1e-7", "1e-8", "1e-9", "1e-10"))
        for tol in ("1e-3", "1e-5", "1e-7"):
            for name, error in (("heavy top", heavy_top(method, tol)),
                                ("stiff double pendulum", stiff_pendulum(method, tol, 0)),
                                ("stiff double pendulum, w20 = 10", stiff_pendulum(method, tol, 10)),
                                ("spring pendulum", spring_pendulum(method, tol))):
                check(f"{method}: {name}, tol {tol}", error / float(tol), 0.003, 3)
    tol = "1e-3"
    check(f"bdf2: heavy top, tol {tol}", heavy_top("bdf2", tol) / float(tol), 0.003, 3)
    check(f"bdf2: spring pendulum, tol {tol}", spring_pendulum("bdf2", tol) / float(tol), 0.003, 3)
    if ref.failures:
        sys.exit(f"{len(ref.failures)} of the references missed")


if __name__ == "__main__":
    main()
