"""trammel study: the optimum of a quantity."""
import json
import os
import re
import unittest

from _studies import begin
from common import Case, main, module_folder, read, run, write

CART = """\
inputs: {k: {value: 300}, c: {value: 3}}
bodies: {cart: {mass: 2, inertia: 1, position: [0.2, 0, 0]}}
joints: {rail: {type: prismatic, a: ground, b: cart, axis: [1, 0, 0]}}
forces: {pull: {type: applied, at: cart, force: ["-k*cart.x - c*cart.vx", 0, 0]}}
run: {end: 0.9, tol: 1e-5}
"""
SEARCH = """\
model: cart.yaml
parameters:
  k: {from: 100, to: 1000}
  c: {from: 0.5, to: 30, distribution: log-uniform}
quantities:
  low: {of: cart.x, take: min}
optimize:
  minimize: (k/500 - 1)^2 + (low/0.2 + 0.5)^2
  evaluations: 150
"""
NLOPT = os.path.exists(os.path.join(module_folder() or "", "nlopt.so"))


@unittest.skipUnless(NLOPT, "no NLopt in this build")
class Search(Case):
    def setUp(self):
        begin()
        write("cart.yaml", CART)
        write("s.yaml", SEARCH)

    def optimum(self, p):
        """Parameters of the optimum that is printed."""
        return tuple(float(re.search(rf"^  {x} = ([^ ,]+), of ", p.stdout, re.M).group(1)) for x in "kc")

    def test_closed_form(self):
        """The first minimum is -0.2 exp(-d pi/w): half of the start where d/w = log(2)/pi, at k = 500."""
        p = self.good("study", "s.yaml")
        k, c = self.optimum(p)
        ratio = 0.6931471805599453 / 3.141592653589793
        self.assertAlmostEqual(k, 500, delta=3)
        damping = 4 * ratio * (250 / (1 + ratio**2))**0.5  # c = 2 m d, d = ratio w, d^2 + w^2 = k/m
        self.assertAlmostEqual(c, damping, delta=0.02 * damping)

    def test_constraint(self):
        write("s.yaml", SEARCH + "  constraints: {soft: k/400 - 1}\n")
        k, _ = self.optimum(self.good("study", "s.yaml"))
        self.assertTrue(395 < k <= 400, k)

    def test_report(self):
        """The optimum stands first: bounds, constraints, the reason of the end, the way."""
        write("s.yaml", SEARCH.replace("from: 100, to: 1000", "from: 100, to: 450, unit: N/m") +
              "  tolerance: 1e-3\n  constraints: {soft: k/400 - 1, slow: c/100 - 1}\n")
        p = self.good("study", "s.yaml", "--report", "r.html")
        self.assertRegex(p.stdout, r"\noptimum   member \d+, least \(k/500 - 1\)\^2 .* = 0\.0[45]")
        self.assertRegex(p.stdout, r"\n  k = \S+ N/m, of 100 \.\. 450\n  c = \S+, of 0\.5 \.\. 30\n"
                                   r"  low is -\S+ m\n  soft: \S+, active\n  slow: -0\.\d+, satisfied\n"
                                   r"stopped   after \d+ members: parameters changed by less than 0.001 "
                                   r"of their ranges")
        page = read("r.html")
        places = [page.index(x) for x in ("<h2>Optimum", "least value", "constraint soft", "stopped",
                                          "<h2>Convergence", "best so far", "<h2>Statistics", "k [N/m]")]
        self.assertEqual(places, sorted(places))

    def test_record_of_the_best(self):
        """Of a search over inputs: the run and the page of the best member."""
        write("s.yaml", "record: best\n" + SEARCH)
        p = self.good("study", "s.yaml")
        best, low = re.search(r"\noptimum   member (\d+)(?:.*\n)*?  low is (\S+) m", p.stdout).groups()
        self.assertEqual([n for n in os.listdir(".") if n.endswith(".h5") and "member" in n],
                         [f"s.member{best}.h5"])
        p = json.loads(self.good("stats", f"s.member{best}.h5", "cart.x", "--json").stdout)
        self.assertAlmostEqual(p[0]["min"], float(low), delta=1e-5)
        if os.path.exists(f"s.member{best}.html"):  # a build with the viewer
            self.assertIn('id="scene">{', read(f"s.member{best}.html"))

    def test_bound_and_end(self):
        write("s.yaml", SEARCH.replace("from: 100, to: 1000", "from: 100, to: 300"))
        p = self.good("study", "s.yaml")
        self.assertRegex(p.stdout, r"(?m)^  k = \S+, of 100 \.\. 300: at its upper bound$")
        write("s.yaml", SEARCH.replace("evaluations: 150", "evaluations: 5"))
        p = self.good("study", "s.yaml", "--overwrite")
        self.assertIn("\nstopped   after 5 members, the most that were allowed", p.stdout)

    def test_maximum(self):
        write("s.yaml", SEARCH.replace("minimize: (", "maximize: -(").replace(" + (low", " - (low"))
        k, _ = self.optimum(self.good("study", "s.yaml"))
        self.assertAlmostEqual(k, 500, delta=3)

    def test_resumed(self):
        """Any part of the journal resumes to the same table."""
        self.good("study", "s.yaml")
        whole, journal = read("s.csv"), read("s.journal")
        for cut in (len(journal) // 3, len(journal) // 2, len(journal) - 3):
            write("s.journal", journal[:cut])
            self.good("study", "s.yaml", "--resume")
            self.assertEqual((read("s.csv"), read("s.journal")), (whole, journal))

    def test_damaged(self):
        """The way of the search goes over members that are computed again."""
        self.good("study", "s.yaml")
        whole, lines = read("s.csv"), read("s.journal").splitlines(keepends=True)
        lines[7] = lines[7].replace(",", ",1", 1)
        write("s.journal", "".join(lines))
        p = run("study", "s.yaml", "--resume", "-q")
        self.assertEqual((p.returncode, read("s.csv")), (0, whole), p.stderr)
        self.assertIn("damaged lines (1,", p.stderr)

    def test_mistakes(self):
        for old, new, message in (("optimize:", "sampling: grid\noptimize:", "either 'sampling' or"),
                                  ("minimize", "minimise", "is it 'minimize'"),
                                  ("  minimize: (", "  maximize: low\n  minimize: (", "one of the keys"),
                                  ("(low/", "(loww/", r"s\.yaml:8:30: .*is it 'low'"),
                                  ("from: 100, to: 1000", "values: [1, 2]", "between 'from' and 'to'"),
                                  ("evaluations: 150", "method: cobila", "is it 'cobyla'"),
                                  ("evaluations: 150", "method: bobyqa\n  constraints: {a: k - 1}",
                                   "has no constraints: use cobyla")):
            self.assertIn(old, SEARCH)
            write("s.yaml", SEARCH.replace(old, new))
            p = self.bad(2, "study", "s.yaml", "--overwrite")
            self.assertRegex(p.stderr, message, new)
        write("s.yaml", SEARCH)
        self.assertIn("no parts", self.bad(2, "study", "s.yaml", "--part", "1/2").stderr)


if __name__ == "__main__":
    main()
