"""Random mechanisms (scripts/campaign): every result is right, or refused with a reason. 200 of them in
test_long_campaign.py."""
import os
import subprocess
import sys

from common import SOURCE, TRAMMEL, Case, fewer_if_slow, main, write

SEEDS = fewer_if_slow("Campaign, 16 of 20 seeds", "0..3", "0..19", "ten seconds")


class Campaign(Case):
    cost = 10  # [s]
    seeds = SEEDS

    def test_verdicts(self):
        build = os.path.dirname(os.path.abspath(TRAMMEL))
        command = [sys.executable, "-B", os.path.join(SOURCE, "scripts", "campaign"), "--seeds", self.seeds,
                   "--build", build, "--jobs", "1"]
        p = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(p.returncode, 0, p.stdout + p.stderr)
        self.assertRegex(p.stdout, r"right +\d+")


class Unbounded(Case):
    """Where something grows without bound the run ends with this reason, whatever the steps do there."""

    def test_slider_without_mass(self):
        """Its two lines become parallel at t = 6.19 ms. Steps of 1e-13 s led nowhere, for hours."""
        command = [sys.executable, "-B", os.path.join(SOURCE, "scripts", "campaign"), "--seeds", "711097",
                   "--write", "."]
        subprocess.run(command, check=True)
        p = self.bad(1, "run", "mechanism_711097.yaml", "--csv", "slider.csv")
        self.assertRegex(p.stderr, r"smooth motion ends at t = 0\.00618\d* s: 'b4\.y' .* 'b4' has no mass")

    def test_state(self):
        """w' = w^2 from w = 1 ends at t = 1."""
        write("state.yaml", "bodies: {c: {mass: 1, inertia: 1}}\nstates: {w: {rate: w^2, start: 1}}\n"
                            "run: {end: 3}\n")
        for method in ("auto", "bdf", "radau5", "erk8", "genalpha"):
            with self.subTest(method=method):
                p = self.bad(1, "run", "state.yaml", "--method", method, "--csv", "state.csv")
                self.assertRegex(p.stderr, r"solution ends at t = (1\.0000|0\.9999)\d* s: the state 'w' has "
                                           r"the value .* grows without bound")


if __name__ == "__main__":
    main()
