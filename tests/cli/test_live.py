"""Results of a run that goes on: they are read without disturbing it."""
import os
import re
import signal
import subprocess
import unittest

from common import FAULTS, PENDULUM, TRAMMEL, Case, main, remove, run, write
from test_view import has_viewer

LONG_PENDULUM = PENDULUM.replace("end: 0.5", "end: 5")


def start_and_stop(*args, at):
    """A run that is stopped, as by the terminal's ^Z, in place of its change of a file number `at`."""
    environment = dict(os.environ, LD_PRELOAD=FAULTS, FAULT_TICK="0.2", FAULT_KILL=str(at),
                       FAULT_SIGNAL=str(int(signal.SIGSTOP)))
    p = subprocess.Popen([TRAMMEL, "run", *args], env=environment, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    _, status = os.waitpid(p.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status), "the run did not get to this change"
    return p


def go_on(p):
    p.send_signal(signal.SIGCONT)
    out, err = p.communicate(timeout=600)
    return p.returncode, out, err


@unittest.skipUnless(FAULTS, "no library of faults in this build")
class Running(Case):
    def test_results_are_read_during_the_run(self):
        write("live.yaml", LONG_PENDULUM)
        self.good("run", "live.yaml", "-q", "-o", "whole.h5")
        whole = self.good("stats", "whole.h5", "height").stdout
        seen = []
        for at in (60, 61, 90):
            remove("live.h5")
            p = start_and_stop("live.yaml", "-q", "-o", "live.h5", at=at)
            try:
                refused = self.bad(1, "run", "live.yaml", "-q", "-o", "live.h5").stderr
                self.assertIn("another program is writing it", refused)
                self.assertNotIn("replaced", refused)
                last = self.good("stats", "live.h5", "t").stdout.splitlines()[1].split()
                seen.append(float(last[3]))
                self.good("plot", "live.h5", "height", "-o", "live.svg")
                if has_viewer():
                    self.assertRegex(self.good("view", "live.h5").stdout, r"\d+ rows")
            finally:
                self.assertEqual(go_on(p), (0, "", ""))
            self.assertEqual(self.good("stats", "live.h5", "height").stdout, whole)
        self.assertTrue(all(0 < t < 5 for t in seen), seen)
        self.assertGreater(seen[-1], seen[0])


if __name__ == "__main__":
    main()
