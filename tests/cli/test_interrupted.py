"""A system call that fails, is cut short, or never returns: nothing is torn, nothing wrong has status 0.
All of them, one by one: scripts/fault-campaign, of which this is a part."""
import os
import subprocess
import sys
import unittest

from common import SOURCE, TRAMMEL, Case, fewer_unless_long, main


@unittest.skipUnless(os.environ.get("TRAMMEL_INTERRUPT"), "no program that disturbs calls in this build")
class Interrupted(Case):
    def test_calls(self):
        script = os.path.join(SOURCE, "scripts", "fault-campaign")
        p = subprocess.run([sys.executable, "-B", script, "--build", os.path.dirname(TRAMMEL), "--first", "7",
                            "--every", fewer_unless_long("41", "1")], capture_output=True, text=True,
                           check=False)
        self.assertEqual(p.returncode, 0, p.stdout + p.stderr)
        self.assertIn(" 0 wrong", p.stdout)


if __name__ == "__main__":
    main()
