"""Commands shown in the documents print what the documents show; scripts/run-docs says how numbers are
compared."""
import importlib.machinery
import importlib.util
import os
import re
import subprocess
import sys
import unittest

from common import SOURCE, TRAMMEL, Case, each, fewer_unless_long, has_units, main


def load(path):
    name = os.path.basename(path).replace("-", "_")
    loader = importlib.machinery.SourceFileLoader(name, path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


docs = load(os.path.join(SOURCE, "scripts", "run-docs"))

SUMMARY = """\
Four-bar linkage
  method       adams, order 12; tolerance 0.0001
  steps        1,266, 44 rejected (44 by the error test, 0 by Newton)
  step size    0.00142 .. 0.0515 s, mean 0.00752 s
  basis        1 change of independent coordinates
  constraints  velocity kept to 8.3e-16, position to 2.2e-16 in joint 'B' (row 2 of 2)
  energy       1.72969 J at the start, -3.2e-05 J at the end
               balance kept to 4.9e-06 J, 4.1e-06 of the largest term
  wall time    0.0127 s, 157 times faster than real time
  written      fourbar.csv (201 rows, 178 kB)
at the bottom after 0.5699562039676808 s
  bdf       1.0e-02   6.8e-03   3.1e-03   5.8e-03        131     30      0        504      137   0.00585
"""


class Documents(Case):
    @each(os.path.relpath(path, SOURCE) for path in docs.pages())
    def test(self, page):
        if page == os.path.join("docs", "fmu.md") and not has_units():
            self.skipTest("built without the library of units")
        found = docs.run(os.path.join(SOURCE, page), os.path.dirname(TRAMMEL),
                         short=fewer_unless_long(True, False))
        self.assertFalse(found, "\n\n".join(found))

    def test_pages(self):
        pages = [os.path.relpath(path, SOURCE) for path in docs.pages()]
        for page in ("README.md", os.path.join("docs", "tutorial.md"), os.path.join("docs", "vehicle.md")):
            self.assertIn(page, pages)

    def test_options(self):
        """Commands and options that do not exist are found wherever a document has them."""
        build = os.path.dirname(TRAMMEL)
        for text, count in (("`trammel run m.yaml --end 1`", 0), ("`trammel rum m.yaml`", 1),
                            ("`trammel run m.yaml --constraint_point mean`", 1),
                            ("text\n\n    trammel run m.yaml \\\n      --ends 1\n", 1),
                            ("```console\n$ build/trammel check m.yaml --fast | grep --count x\n```\n", 1),
                            ("`trammel part 1`", 0)):
            with self.subTest(text):
                self.assertEqual(len(docs.unknown_options(text, build)), count)


class Places(unittest.TestCase):
    """Places in the code are functions, which stay, and not lines, which do not."""

    def test_functions(self):
        count = 0
        for path in docs.pages():
            with open(path, encoding="utf-8") as f:
                text = f.read()
            self.assertNotRegex(text, r"`[\w/]+\.[ch]:\d", path)
            for name, where in re.findall(r"`(\w+)`\s+of\s+`(\w+/[\w/]+\.c)`", text):
                with open(os.path.join(SOURCE, "src", where), encoding="utf-8") as f:
                    self.assertRegex(f.read(), rf"\b{name}\(", f"{path}: {name} of {where}")
                count += 1
        self.assertGreater(count, 10)


class Choice(Case):
    """The bold cells of docs/methods.md are what `auto` chooses."""

    def test_bold(self):
        choice = load(os.path.join(SOURCE, "scripts", "choice"))
        with open(os.path.join(SOURCE, "docs", "methods.md"), encoding="utf-8") as f:
            rows = [[cell.strip() for cell in line.strip().strip("|").split("|")]
                    for line in f if line[0] == "|"]
        head = next(row for row in rows if row[1] == "`bdf` bodies")
        at = rows.index(head)
        shown = {row[0].replace(", ", ":"): [h for h, cell in zip(head, row) if cell.startswith("**")]
                 for row in rows[at + 2:] if len(row) == len(head)}
        self.assertEqual(list(shown), choice.MODELS)
        few = ["double_pendulum", "four_bars:N=1", "slider_crank", "impact"]
        for spec in fewer_unless_long(few, choice.MODELS):
            with self.subTest(spec):
                method, unknowns = choice.chosen(TRAMMEL, spec)
                self.assertEqual(shown[spec], [f"`{method}` {unknowns}"])


class Sums(Case):
    """Pages whose rows take too long to be made again agree with themselves: counts, largest numbers."""

    # What is wrong in a page: a pattern, of which the first number in brackets grows by one, or which is
    # followed by other words; and what is said of it.
    PAGES = {"pairs": ((r"combinations (\d+) are right", "right: "),
                       (r"^Of (\d+) combinations", "combinations: "),
                       (r"(?<=largest numbers of all:\n\n).*\n.*\n\| (\d)", "largest: by hand"),
                       (r"^\| line \| friction, jump", "combination: ")),
             "regret": ((r"^`same` is at most 4 on (\d+)", "at most 4: "),
                        (r"^\| heavy_top", "heavy_top: has no row")),
             "campaign": ((r"^\| right \| (\d+)", " verdicts on "), (r"^\| right \| \d+ \| (\d+)", "right: "),
                          (r"^(\d+) right, \d+ sensitive", " verdicts ["), (r"^- (\d+) drivers", "told of "))}

    def disagreements(self, name, path):
        p = subprocess.run([sys.executable, "-B", os.path.join(SOURCE, "scripts", name), "--compare", path],
                           cwd=SOURCE, check=False, capture_output=True, text=True)
        self.assertEqual(p.stderr, "")
        self.assertEqual(p.returncode, 1 if p.stdout else 0)
        return p.stdout

    @each(PAGES)
    def test(self, name):
        with open(os.path.join(SOURCE, "docs", f"{name}.md"), encoding="utf-8") as f:
            text = f.read()
        self.assertEqual(self.disagreements(name, os.path.join("docs", f"{name}.md")), "")
        for pattern, message in self.PAGES[name]:
            with self.subTest(pattern):
                found = re.search(pattern, text, re.M)
                number = str(int(found[1]) + 1) if found.lastindex else "s"
                start, end = found.span(1) if found.lastindex else (found.end(), found.end())
                with open("page.md", "w", encoding="utf-8") as f:
                    f.write(text[:start] + number + text[end:])
                self.assertIn(message, self.disagreements(name, os.path.abspath("page.md")))


class Recompute(Case):
    """scripts/recompute prints what follows from the tables of a page."""

    PAGE = ("<!-- printed by: one; columns: exact -->\n\n| n | `a` | b |\n|---|--:|---|\n"
            "| x 1 | 1,200 / 3 | p |\n| `y` | 4.5e-3 | |\n\n<!-- end -->\n\n"
            "| n | c |\n|---|---|\n| z | 7 |\n")

    def recompute(self, *arguments):
        with open("page.md", "w", encoding="utf-8") as f:
            f.write(self.PAGE)
        script = os.path.join(SOURCE, "scripts", "recompute")
        p = subprocess.run([sys.executable, script, "page.md", *arguments], check=False, capture_output=True,
                           text=True)
        return p.stdout.strip() if p.returncode == 0 else p.stderr

    def test_values(self):
        self.assertEqual(self.recompute("one", "cell('x','a')", "cell(0,'a',1)", "cell('y',1)", "count"),
                         "1200 3 0.0045 2")
        self.assertEqual(self.recompute("one", "sum(column('a'))", "len(column('a',1))",
                                        "sum(t == 'p' for t in texts(2))"), "1200 1 1")
        self.assertEqual(self.recompute("one", "table('n | c').cell('z',1)"), "7")

    def test_mistakes(self):
        self.assertIn("no table 'two'", self.recompute("two", "count"))
        self.assertIn("no table 'one@2'", self.recompute("one@2", "count"))
        self.assertIn("begins none of", self.recompute("one", "cell('w',1)"))


class Thresholds(unittest.TestCase):
    def test_listed(self):
        """docs/constants.md has every threshold of the code with its value."""
        script = os.path.join(SOURCE, "scripts", "sensitivity")
        p = subprocess.run([sys.executable, script, "--check", "docs/constants.md"], cwd=SOURCE, check=False,
                           capture_output=True, text=True)
        self.assertEqual(p.returncode, 0, p.stderr)


class Comparison(unittest.TestCase):
    """The comparison accepts what differs between machines, and nothing else."""

    def difference(self, old, new, ignore=None):
        self.assertEqual(SUMMARY.count(old), 1, old)
        return docs.compare(SUMMARY, SUMMARY.replace(old, new), ignore)

    def test_accepted(self):
        for old, new in (("1,266, 44", "1380, 47"), ("44 by", "41 by"), ("0.00142", "0.002"),
                         ("mean 0.00752", "mean 0.0075"),
                         ("  basis        1 change of independent coordinates\n", ""), ("8.3e-16", "0"),
                         ("2.2e-16 in joint 'B' (row 2 of 2)", "1e-12 in joint 'A' (row 1 of 2)"),
                         ("1.72969", "1.7297"),
                         ("-3.2e-05 J", "1.2e-06 J"), ("4.9e-06", "1.1e-05"), ("0.0127 s, 157", "3 s, 0.2"),
                         ("178 kB", "180 kB"),
                         ("0.5699562039676808", "0.56996315"), ("  steps ", " steps  "), ("0.00585", "1.2"),
                         ("504", "460")):
            with self.subTest(old=old, new=new):
                self.assertIsNone(self.difference(old, new))
        self.assertIsNone(docs.compare("  16.0  x", "  16.0  x\n"))

    def test_refused(self):
        for old, new in (("adams", "bdf"), ("order 12", "order 11"), ("0.0001", "0.001"), ("1,266", "1400"),
                         ("44 by", "60 by"),
                         ("0.0515", "0.09"), ("mean 0.00752 s", "mean s"), ("8.3e-16", "8.3e-09"),
                         ("2.2e-16 in joint 'B'", "2.2e-9 in joint 'A'"), ("1.72969", "1.7299"),
                         ("-3.2e-05", "0.0042"),
                         ("4.9e-06", "5.1e-04"), ("157 times", "157 percent"), ("201 rows", "202 rows"),
                         ("178 kB", "300 kB"),
                         ("0.5699562039676808", "0.569982"),
                         ("  wall time    0.0127 s, 157 times faster than real time\n", ""),
                         ("at the bottom", "\nat the bottom"), ("6.8e-03", "6.8e-01"), ("504", "600"),
                         ("1.0e-02", "1.0e-03"),
                         ("0.00585\n", "0.00585\nmore\n"), ("linkage", "linkage 1")):
            with self.subTest(old=old, new=new):
                self.assertIsNotNone(self.difference(old, new))

    def test_exceptions(self):
        self.assertIsNone(self.difference("order 12", "order 11", ignore="order"))
        self.assertIsNotNone(self.difference("order 12", "order 11", ignore="solver"))

    def test_document(self):
        """A whole document: files are written, a wrong line and an unexpected failure are found, --update
        mends."""
        page = ("# Page\n\n```yaml\n# a.yaml\nx: 1\n```\n\n```console\n$ cat a.yaml\n# a.yaml\nx: 1\n$ echo "
                "2\n```\n"
                "<!-- run-docs: ignore 3 -->\n```console\n$ echo 3.1\n3\n```\n")
        wrong = page + "\n```console\n$ echo 4\n5\n$ false\n```\n"
        for text, count in ((page.replace("$ echo 2\n", "$ echo 2\n2\n"), 0), (wrong, 3)):
            with open("page.md", "w", encoding="utf-8") as f:
                f.write(text)
            self.assertEqual(len(docs.run("page.md", ".")), count)
        docs.run("page.md", ".", update=True)
        with open("page.md", encoding="utf-8") as f:
            text = f.read()
        self.assertIn("$ echo 4\n4\n", text)
        self.assertIn("$ echo 2\n2\n", text)
        self.assertIn("$ echo 3.1\n3\n", text)

    def test_errors(self):
        """Errors of ours may be shown, not those of other programs."""
        for shown, count in (("trammel: error: no model", 0), ("a.yaml:3:5: error: no key", 0),
                             ("h5dump error: unable to open object", 1), ("sh: 1: h5dump: not found", 1),
                             ("tool: error: no file", 1), ("Traceback (most recent call last):", 1),
                             ("  balance error 2.6e-04 J", 1)):
            with open("page.md", "w", encoding="utf-8") as f:
                f.write(f"```console\n$ echo '{shown}'; false\n{shown}\n```\n")
            self.assertEqual(len(docs.run("page.md", ".")), count, shown)
        with open("page.md", "w", encoding="utf-8") as f:
            f.write("```console\n$ echo 'h5dump error: no object' | grep h5\nh5dump error: no object\n```\n")
        self.assertIn("error of another program", docs.run("page.md", ".")[0])

    def test_part(self):
        """What a command printed, with the kinds of its columns."""
        part = ("<!-- printed by: printf '| a | 10.5 |\\n'; columns: exact %s -->\n\n"
                "| a | %s |\n\n<!-- end -->\n")
        for kind, number, count in (("time", "3", 0), ("near", "11.0", 0), ("value", "11.0", 1)):
            with open("page.md", "w", encoding="utf-8") as f:
                f.write(part % (kind, number))
            self.assertEqual(len(docs.run("page.md", ".")), count, kind)
            self.assertEqual(len(docs.run("page.md", ".", short=True)), 0)
        docs.run("page.md", ".", update=True)
        with open("page.md", encoding="utf-8") as f:
            self.assertEqual(f.read(), part % ("value", "10.5"))

    def test_free_cells(self):
        """Cells that the command does not print keep the text of the page."""
        part = ("<!-- printed by: printf '| a | 12 | |\\n'; columns: exact exact free -->\n\n"
                "| a | %s | words |\n\n<!-- end -->\n")
        with open("page.md", "w", encoding="utf-8") as f:
            f.write(part % "11")
        self.assertEqual(len(docs.run("page.md", ".", update=True)), 1)
        with open("page.md", encoding="utf-8") as f:
            self.assertEqual(f.read(), part % "12")
        self.assertEqual(docs.run("page.md", "."), [])

    def test_says(self):
        """Numbers of a sentence: all that are printed, in that order, in that paragraph."""
        for text, printed, count in (("takes 1,203 steps, 7 rejected", "steps 1203 of which 8", 0),
                                     ("takes 7 steps, 1203 rejected", "steps 1203 of which 8", 1),
                                     ("takes 1203 steps\n\nand 8 rejected", "steps 1203 of which 8", 1),
                                     ("takes 1203 steps", "no steps", 1)):
            with open("page.md", "w", encoding="utf-8") as f:
                f.write(f"- <!-- says: echo {printed}; kinds: exact count -->\n  It {text}\n- and 8\n")
            self.assertEqual(len(docs.run("page.md", ".")), count, text)

    def test_says_more(self):
        """Several commands for one paragraph, each with its numbers; bounds; those that take long."""
        page = ("<!-- says: echo 3; kinds: %s -->\n<!-- says: echo 1; kinds: exact%s -->\n"
                "1 step, at most 4\n")
        for kind, long, short, count in (("bound", "", False, 0), ("exact", "", False, 1),
                                         ("exact", "", True, 1), ("bound; long", "; long", True, 0),
                                         ("exact; long", "", True, 0)):
            with open("page.md", "w", encoding="utf-8") as f:
                f.write(page % (kind, long))
            self.assertEqual(len(docs.run("page.md", ".", short=short)), count, kind)

    def test_hung(self):
        """A command that does not end is a difference."""
        with open("page.md", "w", encoding="utf-8") as f:
            f.write("<!-- says: echo 1; sleep 60; kinds: exact -->\n1\n")
        patience, docs.PATIENCE = docs.PATIENCE, 0.2
        try:
            found = docs.run("page.md", ".")
        finally:
            docs.PATIENCE = patience
        self.assertEqual(len(found), 1)
        self.assertIn("given up", found[0])

    def test_filters(self):
        """Parts that filter what one command prints run it once."""
        with open("log.txt", "w", encoding="utf-8"):
            pass
        with open("page.md", "w", encoding="utf-8") as f:
            for line in (1, 2):
                f.write("<!-- printed by: echo ran >>log.txt; printf '| 1 |\\n| 2 |\\n' | sed -n "
                        f"{line}p; columns: exact -->\n\n| {line} |\n\n<!-- end -->\n\n")
        root, docs.ROOT = docs.ROOT, os.getcwd()
        try:
            self.assertEqual(docs.run("page.md", "."), [])
        finally:
            docs.ROOT = root
        with open("log.txt", encoding="utf-8") as f:
            self.assertEqual(f.read(), "ran\n")

    def test_long(self):
        """Blocks that take long are left out if wanted; they may have another exception too."""
        with open("page.md", "w", encoding="utf-8") as f:
            f.write("<!-- run-docs: long -->\n```console\n$ echo 1\n2\n```\n"
                    "<!-- run-docs: long; ignore 4 -->\n```console\n$ echo 3\n4\n3\n```\n")
        self.assertEqual(len(docs.run("page.md", ".", short=True)), 0)
        self.assertEqual(len(docs.run("page.md", ".")), 1)


if __name__ == "__main__":
    main()
