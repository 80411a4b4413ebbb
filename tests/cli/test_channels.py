"""trammel run --channels: which columns are written, in both formats, also of a run that is continued."""
import os
import subprocess

from common import PENDULUM, Case, main, remove, table, write


class Channels(Case):
    def setUp(self):
        write("p.yaml", PENDULUM)

    def test_columns(self):
        self.good("run", "p.yaml", "-o", "all.csv", "--quiet")
        every = table("all.csv")
        for patterns, names in (("bob.*", [n for n in every if n.startswith("bob.")]),
                                ("*.force", ["pin.fx", "pin.fy", "pin.fz"]),
                                ("bob.position, height", ["bob.x", "bob.y", "bob.z", "height"]),
                                ("bob.v?", ["bob.vx", "bob.vy", "bob.vz"]),
                                ("*.y", ["bob.y"]), ("t", []), ("*", [n for n in every if n != "t"])):
            self.good("run", "p.yaml", "--channels", patterns, "-o", "some.csv", "--quiet")
            some = table("some.csv")
            self.assertEqual(list(some), ["t"] + names, patterns)
            for name in some:
                self.assertEqual(some[name], every[name])

    def test_unknown(self):
        p = self.bad(2, "run", "p.yaml", "--channels", "bob.*,bib.x", "-o", "none.csv")
        self.assertIn("no channel is like 'bib.x' (is it 'bob.x'?)", p.stderr)
        self.assertFalse(os.path.exists("none.csv"))

    def test_records(self):
        """A single component keeps its place in its vector."""
        self.good("run", "p.yaml", "--channels", "bob.y", "-o", "one.h5", "--quiet")
        text = subprocess.run(["h5dump", "-d", "/channels", "one.h5"], capture_output=True, text=True,
                              check=True).stdout
        record = text.split('"bob.y"')[1].split("}")[0].replace(",", " ").split()
        self.assertEqual(record, ['"m"', '"bodies"', '"bob"', '"position"', '""', "1"])

    def test_of_the_model(self):
        write("r.yaml", PENDULUM.replace("run: {", "run: {record: 'bob.y, *.force', "))
        self.good("run", "r.yaml", "-o", "r.csv", "--quiet")
        self.assertEqual(list(table("r.csv")), ["t", "bob.y", "pin.fx", "pin.fy", "pin.fz"])
        self.good("run", "--resume", "r.csv", "--end", "0.6", "--quiet")
        self.assertEqual(len(table("r.csv")["t"]), 61)
        self.good("run", "r.yaml", "--channels", "height", "-o", "r.csv", "--quiet")
        self.assertEqual(list(table("r.csv")), ["t", "height"])
        remove("r.csv", "r.csv.resume")
        write("w.yaml", PENDULUM.replace("run: {", "run: {record: bib.x, "))
        p = self.bad(2, "run", "w.yaml", "-o", "none.csv")
        self.assertIn("w.yaml:11:15: error: record: no channel is like 'bib.x' (is it 'bob.x'?)", p.stderr)

    def test_continued(self):
        self.good("run", "p.yaml", "--channels", "bob.y,height", "-o", "c.csv", "--quiet")
        self.good("run", "--resume", "c.csv", "--end", "0.8", "--quiet")
        found = table("c.csv")
        self.assertEqual(list(found), ["t", "bob.y", "height"])
        self.assertAlmostEqual(found["t"][-1], 0.8)
        self.assertEqual(len(found["t"]), 81)
        self.bad(2, "run", "--resume", "c.csv", "--end", "1", "--channels", "bob.x")
        remove("c.csv", "c.csv.resume")


if __name__ == "__main__":
    main()
