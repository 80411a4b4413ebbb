"""Random rows of blocks that slide with dry friction on the ground or on a belt whose speed jumps, strike
each other and walls, and are pushed by constant forces.

Their motion is piecewise quadratic: a simulation from event to event, written here, is exact to round-off. So
are the times for which each block is faster than a threshold, which states of the model integrate.
"""
import json
import math
import random

from common import Case, fewer_if_slow, main, run, table, write

SEEDS = fewer_if_slow("Blocks, 12 of 60 rows", range(12), range(60), "ten seconds")
METHODS = ("auto", "erk5", "bdf", "genalpha", "radau5", "ggl")
MANY = 50  # impacts; more are those of a block that comes to rest at another one
STILL = 1e-11  # [m/s] relative speed that is none
TOL = 1e-6


def random_row(seed):
    r = random.Random(seed)
    blocks, x = [], 0
    for _ in range(r.randint(1, 4)):
        x += 0.3 + r.uniform(0.02, 0.3)
        force = r.choice([0, 0.001, 0.3, 1, 2])
        blocks.append({"m": r.choice([0.3, 0.7, 1, 2.5]), "x": x, "v": r.uniform(-2, 2), "slip": force,
                       "stick": force * r.choice([1, 1, 1.5]), "push": r.choice([0, 0, 0.52, -0.7, 1.6]),
                       "on": r.choice(["ground", "belt"]), "above": r.choice([0, 0.2, -0.3]), "time": 0})
    times, speeds = [], [r.uniform(-1, 1)]
    for _ in range(r.randint(0, 3)):
        times.append((times or [0])[-1] + r.uniform(0.1, 0.4))
        speeds.append(r.choice([r.uniform(-2, 2), -speeds[-1], 0, speeds[0]]))
    walls = (-0.1 - r.uniform(0, 0.3), x + 0.1 + r.uniform(0, 0.3))
    return {"blocks": blocks, "walls": walls, "times": times, "speeds": speeds,
            "e": r.choice([0.4, 0.6, 0.8, 1]), "e_wall": r.choice([0.4, 0.7, 1])}


def model_of(row):
    blocks, speed = row["blocks"], repr(row["speeds"][-1])
    for t, before in reversed(list(zip(row["times"], row["speeds"]))):
        speed = f"if(t < {t!r}, {before!r}, {speed})"
    text = "planar: true\ngravity: 0\nbodies:\n  belt: {mass: 3, inertia: 1}\n"
    for i, b in enumerate(blocks):
        text += (f"  b{i}: {{mass: {b['m']}, inertia: 1, position: [{b['x']!r}, 0], "
                 f"velocity: [{b['v']!r}, 0]}}\n")
    text += "shapes:\n" + "".join(f"  b{i}: {{type: sphere, radius: 0.1}}\n" for i in range(len(blocks)))
    text += ("joints:\n  track: {type: prismatic, a: ground, b: belt, axis: [1, 0]}\n"
             f"  drive: {{type: driver, of: track.distance, speed: '{speed}'}}\n")
    for i, b in enumerate(blocks):
        friction = f", friction: {{coulomb: {b['slip']}, static: {b['stick']}}}" if b["slip"] else ""
        text += f"  j{i}: {{type: prismatic, a: {b['on']}, b: b{i}, axis: [1, 0]{friction}}}\n"
    if len(blocks) > 1:
        text += "contacts:\n"
    for i in range(len(blocks) - 1):
        text += f"  c{i}: {{a: b{i}, b: b{i + 1}, law: rigid, restitution: {row['e']}}}\n"
    text += "forces:\n" + "".join(f"  f{i}: {{type: applied, at: b{i}, force: [{b['push']}, 0]}}\n"
                                  for i, b in enumerate(blocks))
    for name, of, at in (("lower", 0, row["walls"][0]), ("upper", len(blocks) - 1, row["walls"][1])):
        text += f"  {name}: {{type: limit, of: b{of}.x, {name}: {at!r}, restitution: {row['e_wall']}}}\n"
    text += "states:\n" + "".join(f"  z{i}: {{rate: 'if(b{i}.vx > {b['above']}, 1, 0)'}}\n"
                                  for i, b in enumerate(blocks))
    return text + "run: {end: 1}\n"


def acceleration(b, below):
    slip = b["v"] - below
    if abs(slip) > STILL:
        return (b["push"] - math.copysign(b["slip"], slip)) / b["m"]
    if abs(b["push"]) <= b["stick"]:
        return 0
    return (b["push"] - math.copysign(b["slip"], b["push"])) / b["m"]


def time_to_close(gap, rate, a):
    """When gap + rate t + a t^2/2 becomes negative."""
    if gap < 1e-13 and rate < -1e-13:
        return 0
    if a == 0:
        return -gap / rate if rate < 0 else math.inf
    inside = rate * rate - 2 * a * gap
    if inside < 0:
        return math.inf
    roots = [(-rate + side * math.sqrt(inside)) / a for side in (-1, 1)]
    return min((t for t in roots if t > 1e-13 and rate + a * t < 0), default=math.inf)


def time_above(b, a, h):
    """Share of the next h seconds in which b is faster than its threshold."""
    v = b["v"] - b["above"]
    if abs(v) <= STILL and a == 0:
        return 0
    zero = -v / a if a else math.inf
    if 0 < zero < h:
        return zero if v > 0 else h - zero
    return h if v + a * h / 2 > 0 else 0


def strike(first, second, e):
    """Impact of two blocks; None: a wall."""
    inertia = [1 / b["m"] if b else 0 for b in (first, second)]
    speed = [b["v"] if b else 0 for b in (first, second)]
    impulse = (1 + e) * (speed[0] - speed[1]) / sum(inertia)
    if first:
        first["v"] -= impulse * inertia[0]
    if second:
        second["v"] += impulse * inertia[1]


def closed_solution(row, end=1.0):
    """The blocks at the end; None: one comes to rest at another, or at a wall."""
    blocks = [dict(b) for b in row["blocks"]]
    turns = list(zip(row["times"] + [math.inf], row["speeds"]))
    t, impacts = 0, 0
    while t < end - 1e-15:
        below = [turns[0][1] if b["on"] == "belt" else 0 for b in blocks]
        a = [acceleration(b, s) for b, s in zip(blocks, below)]
        h, what = min(end, turns[0][0]) - t, "turn" if turns[0][0] < end else None
        events = []
        for b, s, d in zip(blocks, below, a):
            if abs(b["v"] - s) > STILL and d * (b["v"] - s) < 0:
                events.append(((s - b["v"]) / d, (b, s)))
        neighbours = list(zip([None] + blocks, blocks + [None]))
        accelerations = list(zip([0] + a, a + [0]))
        for i, ((p, q), (dp, dq)) in enumerate(zip(neighbours, accelerations)):
            gap = (q["x"] if q else row["walls"][1]) - (p["x"] if p else row["walls"][0])
            gap -= 0.2 if p and q else 0
            rate = (q["v"] if q else 0) - (p["v"] if p else 0)
            if gap < 1e-9 and abs(rate) < 1e-6 and dq < dp:
                return None
            events.append((time_to_close(max(gap, 0), rate, dq - dp), i))
        first, event = min(events, key=lambda e: e[0])
        if first < h:
            h, what = first, event
        for b, d in zip(blocks, a):
            b["time"] += time_above(b, d, h)
            b["x"] += b["v"] * h + d * h * h / 2
            b["v"] += d * h
        t += h
        if what == "turn":
            turns.pop(0)
        elif isinstance(what, tuple):
            what[0]["v"] = what[1]
        elif what is not None:
            impacts += 1
            strike(*neighbours[what], row["e"] if all(neighbours[what]) else row["e_wall"])
        if impacts > MANY:
            return None
    return blocks


class Blocks(Case):
    def test_rows(self):
        compared = 0
        for seed in SEEDS:
            row, method = random_row(seed), METHODS[seed % len(METHODS)]
            exact = closed_solution(row)
            if not exact:
                continue
            compared += 1
            with self.subTest(seed=seed, method=method):
                write("row.yaml", model_of(row))
                done = run("run", "row.yaml", "--method", method, "--tol", str(TOL), "--csv", "row.csv",
                           "--json")
                self.assertEqual(done.returncode, 0, done.stderr)
                end = {name: column[-1] for name, column in table("row.csv").items()}
                for i, b in enumerate(exact):
                    # impacts, at most fifty, magnify the errors before them
                    for name, value in ((f"b{i}.x", b["x"]), (f"b{i}.vx", b["v"]), (f"z{i}", b["time"])):
                        self.assertAlmostEqual(end[name], value, delta=100 * TOL, msg=name)
                energy = json.loads(done.stdout)["energy"]
                self.assertLessEqual(energy["error"], TOL * energy["scale"])
        self.assertGreater(compared, 0.8 * len(SEEDS))


if __name__ == "__main__":
    main()
