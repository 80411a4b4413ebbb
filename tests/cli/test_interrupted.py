"""A system call that fails, is cut short, or never returns: nothing is torn, nothing wrong has status 0.
All of them, one by one: scripts/fault-campaign, of which this is a part."""
import os
import subprocess
import sys
import unittest

from common import SOURCE, TRAMMEL, Case, fewer_unless_long, main, read, write

INTERRUPT = os.environ.get("TRAMMEL_INTERRUPT")
MODEL = """\
planar: true
gravity: 9.81
bodies:
  bob: {mass: 0.7, inertia: 0.02, position: [1.3, 0], frames: {top: [-1.3, 0]}}
joints:
  pin: {type: revolute, a: ground, b: bob.top}
run: {end: 0.1, output_step: 0.01}
"""


@unittest.skipUnless(INTERRUPT, "no program that disturbs calls in this build")
class Interrupted(Case):
    def test_calls(self):
        script = os.path.join(SOURCE, "scripts", "fault-campaign")
        p = subprocess.run([sys.executable, "-B", script, "--build", os.path.dirname(TRAMMEL), "--first", "7",
                            "--every", fewer_unless_long("211", "1")], capture_output=True, text=True,
                           check=False)
        self.assertEqual(p.returncode, 0, p.stdout + p.stderr)
        self.assertIn(" 0 wrong", p.stdout)

    def each(self, fault, *words):
        """All runs of a command in which one of the calls is disturbed."""
        def disturbed(at):
            return subprocess.run([INTERRUPT, "count", fault, str(at), TRAMMEL, *words], capture_output=True,
                                  text=True, check=False, stdin=subprocess.DEVNULL)
        disturbed(0)
        count = int(read("count").split()[0])
        self.assertGreater(count, 0)
        for at in range(1, count + 1):
            yield disturbed(at)

    def test_close(self):
        """A result that cannot be closed after it was read has been read."""
        write("m.yaml", MODEL)
        self.good("run", "m.yaml", "-o", "in.h5", "-q")
        for fault in ("broken:close", "broken+:close"):
            for p in self.each(fault, "export", "in.h5", "-o", "e.csv"):
                self.assertIn(p.returncode, (0, 1, 2), p.stderr)

    def test_read(self):
        """What could not be read of a result is not left out of what is made of it."""
        write("m.yaml", MODEL)
        self.good("run", "m.yaml", "-o", "in.h5", "-q")
        self.good("view", "in.h5", "-o", "good.html", "-q")
        for p in self.each("broken:pread", "view", "in.h5", "-o", "v.html", "-q"):
            self.assertIn(p.returncode, (0, 1, 2), p.stderr)
            if p.returncode == 0:
                self.assertEqual(read("v.html"), read("good.html"))

    def test_report(self):
        """A report that was not finished leaves no diagrams beside it."""
        write("m.yaml", MODEL)
        for fault in ("term:fcntl", "term:close"):
            for _ in self.each(fault, "check", "m.yaml", "--html", "c.html"):
                self.assertEqual([f for f in os.listdir(".") if f.endswith(".svg")], [])


if __name__ == "__main__":
    main()
