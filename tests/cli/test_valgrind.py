"""The command under valgrind: nothing is read that was not written, nor outside of its block. Ten models of
different kinds run a little, and write what a run can write: what reaches a file is checked byte by byte."""
import os
import shutil
import subprocess
import unittest

from common import PATIENCE, PENDULUM, SOURCE, SLOW, TRAMMEL, Case, each, main, remove, write

VALGRIND = shutil.which("valgrind")
MODELS = {  # end of the run [s]
    "andrews": 0.003,  # stiff, springs
    "beam_flying_planar": 0.05,  # beams
    "contact/bouncing_ball": 0.02,  # elastic contact
    "contact/rigid_ball": 0.02,  # rigid contact, impacts
    "friction_arm": 0.02,  # friction in a joint
    "governor": 0.1,  # in space
    "hmmwv": 0.01,  # bushings, tyres on a road
    "impact": 0.02,  # switched forces
    "redundant_parallelogram": 0.05,  # redundant constraints
    "stick_slip": 0.1,  # bristles, two kinds of work
}


@unittest.skipUnless(VALGRIND, "valgrind is not installed")
@unittest.skipIf(SLOW, "sanitizers look for the same, and valgrind cannot run them")
class Models(Case):
    cost = 90  # [s]

    def watched(self, *args):
        p = subprocess.run(
            [VALGRIND, "-q", "--vgdb=no", "--error-exitcode=99",
             "--suppressions=" + os.path.join(SOURCE, "tests", "support", "valgrind.supp"), TRAMMEL, *args],
            capture_output=True, text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL, check=False,
            env=dict(os.environ, OPENBLAS_NUM_THREADS="1"))
        self.assertEqual((p.returncode, p.stderr), (0, ""), p.stderr[:5000])

    @each(MODELS)
    def test_run(self, model):
        path = os.path.join(SOURCE, "models", model + ".yaml")
        self.watched("run", path, "-q", "--end", str(MODELS[model]), "-o", "a.h5", "--csv", "a.csv",
                     "--save", "a.sim")
        remove("a.h5", "a.csv", "a.sim")

    def test_read(self):
        """Results that are read, by everything that reads them."""
        write("p.yaml", PENDULUM)
        for name in ("p.h5", "p.csv"):
            self.watched("run", "p.yaml", "-q", "-o", name)
            for command in (("stats", name, "height", "--json"), ("export", name, "-o", "e.csv", "-q"),
                            ("plot", name, "height", "-o", "p.svg"),
                            ("view", name, "--model", "p.yaml", "-o", "p.html", "-q"),
                            ("run", "--resume", name, "--end", "0.6", "-q")):
                self.watched(*command)


if __name__ == "__main__":
    main()
