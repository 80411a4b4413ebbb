"""Closed solutions of one coordinate with dry friction, impacts and jumps, for the tests.

A solution is a chain of pieces, each a formula of the time since its begin. A piece ends where the coordinate
meets a limit, its rate passes zero or a law jumps: a root of the formula, found by bisection.
"""
import math

TINY = 1e-9  # a bounce of this speed [m/s, rad/s] is the last one


class Path:
    """A coordinate over time, piece by piece: functions of the time since the begin of the piece that return
    (value, rate)."""

    def __init__(self):
        self.begins, self.pieces = [], []

    def go(self, t, piece):
        self.begins.append(t)
        self.pieces.append(piece)

    def __call__(self, t):
        k = max(i for i, begin in enumerate(self.begins) if begin <= t + 1e-15 or i == 0)
        return self.pieces[k](t - self.begins[k])

    def breaks(self):
        return self.begins[1:]


def root(f, end, parts=2000):
    """First time in (0, end] at which f, negative just behind 0, gets to 0; None: it does not."""
    low = end / parts * 1e-6
    for i in range(1, parts + 1):
        high = end * i / parts
        if f(high) >= 0:
            for _ in range(200):
                middle = 0.5 * (low + high)
                low, high = (low, middle) if f(middle) >= 0 else (middle, high)
            return high
        low = high
    return None


def parabola(x, v, a):
    """Constant acceleration."""
    return lambda s: (x + v * s + a * s * s / 2, v + a * s)


def oscillation(x, v, w, centre, drift=0.0):
    """x'' = -w^2 (x - centre - drift s)."""
    A, B = x - centre, (v - drift) / w
    return lambda s: (centre + drift * s + A * math.cos(w * s) + B * math.sin(w * s),
                      drift - w * A * math.sin(w * s) + w * B * math.cos(w * s))


class Dry:
    """A coordinate with mass, dry friction and rigid limits: piece by piece until the end.

    piece(t, x, v, friction): motion from t on under the applied force and this force of friction
    force(t, x):              the applied force
    jumps:                    times at which force or piece change
    belt(t):                  velocity of what rubs on it
    """

    def __init__(self, piece, force, slip, stick, limits=(), restitution=0.0, jumps=(), belt=lambda t: 0.0):
        self.piece, self.force, self.slip, self.stick = piece, force, slip, stick
        self.limits, self.e, self.belt = limits, restitution, belt
        self.jumps = sorted(jumps)
        self.path = Path()

    def run(self, x, v, end, mode=None):
        """From (x, v) at 0. mode: -1, 1 slips, 0 sticks; None: by the velocity."""
        t = 0.0
        while t < end:
            v_belt = self.belt(t + 1e-12)
            relative = v - v_belt
            if mode is None:
                mode = math.copysign(1, relative) if abs(relative) > 1e-12 else self.start(t, x)
            until = min([jump for jump in self.jumps if jump > t + 1e-12] + [end])
            t, x, v, mode = self.advance(t, x, v, mode, until, v_belt)
        return self.path

    def start(self, t, x):
        f = self.force(t + 1e-12, x)
        return 0 if abs(f) <= self.stick else math.copysign(1, f)

    def advance(self, t, x, v, mode, until, v_belt):
        if mode == 0:
            piece = parabola(x, v_belt, 0.0)
            ends = [(root(lambda s: abs(self.force(t + s, piece(s)[0])) - self.stick, until - t), None)]
        else:
            piece = self.piece(t, x, v, -mode * self.slip)
            ends = [(root(lambda s: mode * (v_belt - piece(s)[1]), until - t), "stop")]
        for limit, side in self.limits:
            ends.append((root(lambda s, a=limit, b=side: b * (piece(s)[0] - a), until - t), limit))
        self.path.go(t, piece)
        found = [(s, what) for s, what in ends if s is not None]
        if not found:
            return until, *piece(until - t), None if until in self.jumps else mode
        s, what = min(found, key=lambda item: item[0])
        t, (x, v) = t + s, piece(s)
        if what is None:  # stick gives way, towards the force
            return t, x, v_belt, math.copysign(1, self.force(t, x))
        if what == "stop":
            f = self.force(t, x)
            return t, x, v_belt, 0 if abs(f) <= self.stick else math.copysign(1, f)
        v = -self.e * v
        if abs(v) < TINY:  # rests on the limit
            self.path.go(t, lambda s, a=what: (a, 0.0))
            return until, what, 0.0, None
        return t, what, v, math.copysign(1, v - v_belt)
