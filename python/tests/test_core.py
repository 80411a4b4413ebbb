"""libtrammel_core, which needs nothing but libc and libm, in the place of libtrammel."""
import json
import os
import subprocess
import sys

from common import SOURCE, Case, trammel, unittest

CORE = os.path.join(os.path.dirname(trammel.library_path), "libtrammel_core.so")

PROGRAM = """
import json, sys, trammel
ends = {}
for path in sys.argv[1:]:
    simulation = trammel.Simulation(trammel.Model.load(path))
    simulation.run(simulation.t + 0.2)
    ends[path] = [float(x).hex() for x in (*simulation.q, *simulation.u)]
print(json.dumps(ends))
"""

# one of each solver and family of methods
MODELS = ("pendulum", "four_bar", "slider_crank", "controlled_cart", "suspension", "hmmwv", "beam_crank",
          "redundant_bricard", "heavy_top", "stick_slip", "contact/bicycle", "contact/rigid_ball",
          "contact/tetrahedron")
# LAPACK of the reference sums in another order than OpenBLAS, which has an order for every processor: the
# modes of the part differ by round-off, and the tests of steps of the tolerance 1e-5 turn out otherwise.
NEARLY = {"modal_crank": 1e-4, "contact/block_on_slope": 1e-12}


def environment(library):
    return dict(os.environ, TRAMMEL_LIBRARY=library, PYTHONPATH=os.path.join(SOURCE, "python"))


@unittest.skipUnless(os.path.exists(CORE), "built without libtrammel_core")
class Core(Case):
    def ends(self, library, names):
        paths = [os.path.join(SOURCE, "models", n + ".yaml") for n in names]
        done = subprocess.run([sys.executable, "-B", "-c", PROGRAM, *paths], capture_output=True, text=True,
                              check=False, env=environment(library))
        self.assertEqual(done.returncode, 0, done.stderr)
        return list(json.loads(done.stdout).values())

    def test_same_bits(self):
        """The same kernels: runs that call no routine of LAPACK for their numbers have the same bits."""
        for name, a, b in zip(MODELS, self.ends(trammel.library_path, MODELS), self.ends(CORE, MODELS)):
            self.assertEqual(a, b, name)

    def test_nearly(self):
        for (name, most), a, b in zip(NEARLY.items(), self.ends(trammel.library_path, NEARLY),
                                      self.ends(CORE, NEARLY)):
            for x, y in zip(a, b):
                x, y = float.fromhex(x), float.fromhex(y)
                self.assertAlmostEqual(x, y, delta=most * max(1.0, abs(x)), msg=name)

    def test_no_modules(self):
        """What stands on other libraries is refused with its reason."""
        program = ("import sys, trammel\n"
                   "result = trammel.Model.load(sys.argv[1]).run(end=0.1)\n"
                   "result.write('core.csv')\n"
                   "try: result.write('core.h5')\n"
                   "except trammel.Error as e: print(e)\n")
        model = os.path.join(SOURCE, "models", "pendulum.yaml")
        done = subprocess.run([sys.executable, "-B", "-c", program, model],
                              capture_output=True, text=True, check=False,
                              env=environment(CORE))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("The module 'hdf5' is not part of this library", done.stdout)


if __name__ == "__main__":
    unittest.main()
