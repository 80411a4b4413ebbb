"""Features where they meet (scripts/pairs): a part of the combinations, all of them with make test-long. The
references by hand are checked against closed solutions, and spoilt on purpose."""
import math
import os
import subprocess
import sys

from common import SOURCE, TRAMMEL, Case, fewer_if_slow, fewer_unless_long, main

sys.path.insert(0, os.path.join(SOURCE, "scripts", "mechanisms"))
import floor  # noqa: E402  pylint: disable=wrong-import-position
import line  # noqa: E402  pylint: disable=wrong-import-position

EVERY = fewer_if_slow("Pairs, 6 of 18 combinations", "34", fewer_unless_long("11", "1"), "ten seconds")


def pairs(*options):
    build = os.path.dirname(os.path.abspath(TRAMMEL))
    command = [sys.executable, "-B", os.path.join(SOURCE, "scripts", "pairs"), "--build", build, "--jobs",
               "1", *options]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=SOURCE)


class Pairs(Case):
    cost = 30  # [s]

    def test_combinations(self):
        p = pairs("--every", EVERY)
        self.assertEqual(p.returncode, 0, p.stdout + p.stderr)
        self.assertRegex(p.stdout, r"combinations, 0 faults")

    def test_friction_beside_impacts_and_jumps(self):
        p = pairs("--sizes", "3", "--only", "friction+impact+jump,jump+spin+stop")
        self.assertEqual(p.returncode, 0, p.stdout + p.stderr)
        self.assertRegex(p.stdout, r"2 combinations, 0 faults")

    def test_friction_that_rests_against_a_limit(self):
        """A four-bar that a closed limit and friction hold: velocities of round-off size are no reversals."""
        p = pairs("--only", "loop_strikes")
        self.assertEqual(p.returncode, 0, p.stdout + p.stderr)
        self.assertRegex(p.stdout, r"1 combinations, 0 faults")


class References(Case):
    """What combinations are held against."""

    def test_block_on_a_spring(self):
        """x = c (1 - cos w t)."""
        w = math.sqrt(line.SPRING)
        for t, y in line.Line(("event",)).run(0.5, 20):
            self.assertAlmostEqual(y[0], line.REST * (1 - math.cos(w * t)), delta=1e-10)

    def test_ball_gets_to_roll(self):
        """From v without spin: it slides for 2/7 v/(mu g), and rolls with 5/7 v."""
        t, y = floor.Floor((), True).run(floor.END, 30)[-1]
        v, a = floor.START, floor.MU * floor.G
        slides = 2 / 7 * v / a
        self.assertAlmostEqual(y[3], 5 / 7 * v, delta=1e-10)
        self.assertAlmostEqual(y[0], v * slides - a * slides ** 2 / 2 + 5 / 7 * v * (t - slides), delta=1e-10)

    def test_a_wrong_law_is_found(self):
        """The restitution of the reference is another one than that of the model."""
        kept = line.STOP_E
        code = ("import runpy, sys; sys.path.insert(0, 'scripts/mechanisms'); import line; "
                "text = line.model_text; line.model_text = lambda *a: text(*a).replace('restitution: 0.6', "
                "'restitution: 0.61'); sys.argv = ['pairs', '--build', "
                f"{os.path.dirname(os.path.abspath(TRAMMEL))!r}, '--jobs', '1', '--only', 'impact+gear']; "
                "runpy.run_path('scripts/pairs', run_name='__main__')")
        p = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, check=False,
                           cwd=SOURCE)
        self.assertEqual((p.returncode, kept), (1, 0.6), p.stdout + p.stderr)
        self.assertRegex(p.stdout, r"FAULT by hand .* tolerances, loss .* tolerances")


if __name__ == "__main__":
    main()
