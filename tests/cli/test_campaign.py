"""Random mechanisms (scripts/campaign): every result is right, or refused with a reason. 200 of them in
test_long_campaign.py."""
import os
import subprocess
import sys

from common import SOURCE, TRAMMEL, Case, fewer_if_slow, main

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


if __name__ == "__main__":
    main()
