"""An allocation that fails: a message and a status, no crash of ours, no leak, no shortened answer. All of
them, one by one: scripts/alloc-campaign, of which this is a part."""
import os
import re
import subprocess
import sys
import unittest

from common import FAULTS, SOURCE, TRAMMEL, Case, fewer_unless_long, main


@unittest.skipUnless(FAULTS, "no library of faults in this build")
class Failing(Case):
    def campaign(self, *args):
        build = os.path.dirname(TRAMMEL)
        script = os.path.join(SOURCE, "scripts", "alloc-campaign")
        p = subprocess.run([sys.executable, "-B", script, "--build",
                            build, *args], capture_output=True, text=True, check=False)
        self.assertEqual(p.returncode, 0, p.stdout + p.stderr)
        self.assertNotIn("WRONG", p.stdout)
        return p.stdout

    def test_results(self):
        """Clean messages for most; HDF5 ends the process in some of its own."""
        text = self.campaign("--every", fewer_unless_long("67", "1"), "run-csv", "run-h5")
        self.assertGreater(int(re.search(r"run-csv: .*?(\d+) message", text).group(1)), 4)

    def test_answers(self):
        self.campaign("--every", fewer_unless_long("97", "1"), "check", "verify")
        self.campaign("--every", fewer_unless_long("997", "1"), "compare-csv", "compare-h5")


if __name__ == "__main__":
    main()
