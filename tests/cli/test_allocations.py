"""An allocation that fails: a message and a status, no crash of ours, no leak, no shortened answer. All of
them, one by one: scripts/alloc-campaign, of which this is a part."""
import os
import re
import resource
import subprocess
import sys
import unittest

from common import FAULTS, SOURCE, TRAMMEL, Case, fewer_unless_long, main, write


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
        text = self.campaign("--every", fewer_unless_long("53", "1"), "run-csv", "run-h5", "study")
        self.assertGreater(int(re.search(r"run-csv: .*?(\d+) message", text).group(1)), 4)
        self.campaign("--every", fewer_unless_long("397", "1"), "resume-csv", "resume-h5", "study-on")
        self.campaign("--last", fewer_unless_long("30", "999"), "resume-csv")  # the name of the checkpoint

    def test_answers(self):
        self.campaign("--every", fewer_unless_long("97", "1"), "check", "verify", "check-html")
        self.campaign("--every", fewer_unless_long("397", "1"), "view", "export", "plot", "plot-png")
        self.campaign("--every", fewer_unless_long("997", "1"), "compare-csv", "compare-h5")

    def test_reader(self):
        """A value that the YAML library lost is no value that is missing, nor the text wrong."""
        self.campaign("--first", "20", "--every", fewer_unless_long("3", "1"), *fewer_unless_long(
            ("--last", "90"), ()), "run-csv")

    def test_notes(self):
        """A note of a result that the library could not open is not left out of the page."""
        self.campaign("--first", fewer_unless_long("4790", "1"), "--last", fewer_unless_long("4800", "9999"),
                      "view")


MODEL = """\
planar: true
gravity: 9.81
bodies:
  bob: {mass: 0.7, inertia: 0.02, position: [1, 0], frames: {top: [-1, 0]}}
joints:
  pin: {type: revolute, a: ground, b: bob.top}
run: {end: 0.1, output_step: 0.01}
"""


@unittest.skipUnless(FAULTS, "sanitizers need the memory for themselves")
class Limits(Case):
    """Memory that ends: libraries that do not survive it are not entered."""

    def limited(self, kilobytes, *words):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (1024 * kilobytes, 1024 * kilobytes))
        return subprocess.run([TRAMMEL, *words], capture_output=True, text=True, check=False, timeout=60,
                              preexec_fn=limit, env=dict(os.environ, OPENBLAS_NUM_THREADS="1"))

    def sweep(self, step, *words):
        """Every limit ends in a message about memory, or does not matter."""
        top = 8192
        while self.limited(top, *words).returncode != 0:
            top *= 2
        outcomes = set()
        for kilobytes in range(top // 2, top + 1, step):
            p = self.limited(kilobytes, *words)
            outcomes.add(p.returncode)
            self.assertIn(p.returncode, (0, 1, 2), f"{kilobytes} kB: {p.stderr}")
            if p.returncode:
                self.assertRegex(p.stderr, "memory|failed to map", f"{kilobytes} kB")
        self.assertIn(0, outcomes)
        self.assertGreater(len(outcomes), 1)

    def test_products(self):
        """OpenBLAS asks for its memory again and again."""
        write("m.yaml", MODEL)
        self.sweep(int(fewer_unless_long("16384", "1024")), "check", "m.yaml")

    def test_results(self):
        write("m.yaml", MODEL)
        self.good("run", "m.yaml", "-o", "in.h5", "-q")
        self.sweep(int(fewer_unless_long("512", "64")), "export", "in.h5", "-o", "e.csv")
        self.sweep(int(fewer_unless_long("1024", "64")), "plot", "in.h5", "bob.x", "-o", "p.png")


if __name__ == "__main__":
    main()
