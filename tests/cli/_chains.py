"""Closed solutions of several quantities, piece by piece: the linear equation of one coordinate, first roots,
quadrature; and the class of tests that compares runs with them."""
import cmath
import math

from common import Case, table, write

TOLERANCES = (1e-4, 1e-7)
WITHIN = 10  # tolerances, of the largest value of a quantity in the run
G = 9.81
CASES = [(which, tol) for which in ("auto", "other") for tol in TOLERANCES]


def linear(M, c, k, p, q=0.0, T=1.0, x=0.0, v=0.0, t0=0.0):
    """Place and speed by M x'' + c x' + k x = p + q exp(-(t - t0)/T), functions of t; from x, v at t0."""
    own = q / (M / T ** 2 - c / T + k) if q else 0.0
    if k:
        steady = (p / k, 0.0, 0.0)
    else:
        steady = (0.0, p / c, 0.0) if c else (0.0, 0.0, p / (2 * M))
    X, V = x - steady[0] - own, v - steady[1] + own / T
    d = cmath.sqrt(c * c - 4 * M * k)
    r1, r2 = (-c + d) / (2 * M), (-c - d) / (2 * M)
    if r1 == r2:
        A, B = X, V - r1 * X
    else:
        A, B = (V - r2 * X) / (r1 - r2), (r1 * X - V) / (r1 - r2)

    def place(t):
        s = t - t0
        free = (A + B * s) * cmath.exp(r1 * s) if r1 == r2 else A * cmath.exp(r1 * s) + B * cmath.exp(r2 * s)
        return steady[0] + steady[1] * s + steady[2] * s * s + own * math.exp(-s / T) + free.real

    def speed(t):
        s = t - t0
        free = ((B + r1 * (A + B * s)) * cmath.exp(r1 * s) if r1 == r2
                else A * r1 * cmath.exp(r1 * s) + B * r2 * cmath.exp(r2 * s))
        return steady[1] + 2 * steady[2] * s - own / T * math.exp(-s / T) + free.real

    return place, speed


def parabola(x, v, a, t0):
    return linear(1, 0, 0, a, x=x, v=v, t0=t0)


def root(f, a, b, parts=2000):
    """First zero of f in (a, b] at which its sign changes, behind a by more than 1e-9 of it; None."""
    low = a + 1e-9 * (b - a)
    at_low = f(low) > 0
    for i in range(1, parts + 1):
        high = a + (b - a) * i / parts
        if (f(high) > 0) != at_low:
            for _ in range(200):
                middle = 0.5 * (low + high)
                if middle in (low, high):
                    break
                low, high = (middle, high) if (f(middle) > 0) == at_low else (low, middle)
            return high
        low = high
    return None


def first(end, *roots):
    """(time, word) of the first of the roots [(time or None, word)]; (end, "")."""
    return min([item for item in roots if item[0] is not None] + [(end, "")])


def integral(f, a, b, parts=200):
    """Gauss's formula with 6 points."""
    points = ((0.9324695142031521, 0.1713244923791704), (0.6612093864662645, 0.3607615730481386),
              (0.2386191860831969, 0.4679139345726910))
    h = (b - a) / parts
    middles = [a + (i + 0.5) * h for i in range(parts)]
    return sum(w * (f(m + h / 2 * x) + f(m - h / 2 * x)) for m in middles for x, w in points) * h / 2


def solve(A, b):
    """The solution of A x = b, by Gauss and Jordan."""
    n = len(b)
    A = [row[:] + [b[i]] for i, row in enumerate(A)]
    for i in range(n):
        p = max(range(i, n), key=lambda k: abs(A[k][i]))
        A[i], A[p] = A[p], A[i]
        for k in range(n):
            if k != i:
                f = A[k][i] / A[i][i]
                A[k] = [x - f * y for x, y in zip(A[k], A[i])]
    return [A[i][n] / A[i][i] for i in range(n)]


class Chain:
    """Quantities by name, each by the last piece that has begun and gives it: a number or a function of t."""

    def __init__(self):
        self.pieces = []

    def go(self, t, **quantities):
        self.pieces.append((t, quantities))

    def at(self, name, t):
        value = 0.0
        for begin, quantities in self.pieces:
            if begin <= t:
                value = quantities.get(name, value)
        return value(t) if callable(value) else value

    def of(self, name, offset=0.0, factor=1.0):
        return lambda t: offset + factor * self.at(name, t)

    def is_near(self, t, time):
        return any(abs(t - begin) < time for begin, _ in self.pieces)


class Closed(Case):
    """Runs a model and compares columns and energies with a solution."""

    def compare(self, text, case, other, end, chain, columns, shares):
        """columns: functions of t by name, of the size of their largest value in the run; shares: of the
        energies in the report, to the largest of them."""
        which, tol = case
        write("closed.yaml", f"{text}run: {{end: {end!r}, output_step: {end / 500!r}}}\n")
        r = self.report("run", "closed.yaml", "--tol", repr(tol), "--csv", "closed.csv", "--out", "none",
                        "--method", other if which == "other" else which)
        found = table("closed.csv")
        for name, exact in columns.items():
            values = [exact(t) for t in found["t"]]
            size = max(max(abs(x - values[0]) for x in values), 0.1)
            # speeds jump at breaks: rows that are nearer to one than its time may err do not count
            errors = [(abs(x - y), t) for x, y, t in zip(found[name], values, found["t"])
                      if not chain.is_near(t, WITHIN * tol * end)]
            worst, t = max(errors)
            self.assertLessEqual(worst, WITHIN * tol * size,
                                 f"{name} at {t:g} s: {worst / tol / size:.3g} tolerances off")
        energy = dict(r["energy"])
        energy["dissipated"] += energy["supplied"]  # what friction, dampers and impacts took
        largest = max(abs(x) for x in shares.values())
        for name, share in shares.items():
            self.assertAlmostEqual(energy[name], share, delta=WITHIN * tol * largest, msg=name)
        return r, found
