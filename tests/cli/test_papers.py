"""scripts/papers finds what differs from docs/papers.md: numbers, laws that are not met, tables and figures
that are not listed. The programs themselves take a quarter of an hour: make papers."""
import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import unittest

from common import SOURCE, Case, main

SCRIPT = os.path.join(SOURCE, "scripts", "papers")


def load():
    loader = importlib.machinery.SourceFileLoader("papers", SCRIPT)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("papers", loader))
    loader.exec_module(module)
    return module


LAW = "<!-- law: slope, 0 .. 1: met -->\n"
papers = load()
with open(papers.PAGE, encoding="utf-8") as page_file:
    PAGE = page_file.read()


class Program(Case):
    """A program that prints what the page has, in the place of papers_000."""

    def end_of(self, text, status=0, *options):
        os.makedirs("build/bench", exist_ok=True)
        with open("output.txt", "w", encoding="utf-8") as f:
            f.write(text)
        with open("build/bench/papers_000", "w", encoding="utf-8") as f:
            f.write(f"#!/bin/sh\ncat {os.path.abspath('output.txt')}\nexit {status}\n")
        os.chmod("build/bench/papers_000", 0o755)
        p = subprocess.run([sys.executable, SCRIPT, "--build", "build", *options], capture_output=True,
                           text=True, check=False)
        return p.returncode, p.stderr

    def printed(self):
        return "".join(f"\n<!-- part: {m['name']}; columns: exact value -->\n{m['body']}{LAW}"
                       for m in papers.PLACE.finditer(PAGE) if m["program"] == "papers_000")

    def test_same(self):
        self.assertEqual(self.end_of(self.printed()), (0, ""))
        with open("build/papers/papers.md", encoding="utf-8") as f:
            self.assertEqual(f.read(), PAGE)

    def test_broken(self):
        text = self.printed()
        slope = "| no scaling | -4.000 | -4 | yes |"
        self.assertEqual(text.count(slope), 1)
        for name, output, status, message in (
                ("law", text.replace(slope, "| no scaling | -3.000 | -4 | NO |"), 1, "-3.000"),
                ("status", text, 1, "papers_000: failed"),
                ("number", text.replace(slope, slope.replace("-4.000", "-4.002")), 0, "found -4.002"),
                ("nan", text.replace(slope, slope.replace("-4.000", "nan")), 0, "found: | no scaling | nan"),
                ("line", text.replace(slope + "\n", ""), 0, "lines instead of"),
                ("part", text.replace("part: choices;", "part: others;"), 0, "choices: not printed"),
                ("place", text.replace("part: choices;", "part: others;"), 0, "others: has no place")):
            with self.subTest(name):
                code, err = self.end_of(output, status)
                self.assertEqual(code, 1)
                self.assertIn(message, err)


    def test_laws(self):
        """A law that is not met is a failure, whatever the status; so is a part that says nothing of laws."""
        text = self.printed()
        for name, old, new, message in (
                ("not met", LAW, LAW.replace(": met", ": not met"), "the law 'slope, 0 .. 1' is not met"),
                ("none", LAW, "", "choices: has no law, and does not say why"),
                ("elsewhere", LAW, "<!-- laws: in figure -->\n", "there are no laws in 'figure'"),
                ("why", LAW, "<!-- laws: none: times -->\n", "")):
            with self.subTest(name):
                code, err = self.end_of(text.replace(old, new))
                self.assertEqual(code, 1 if message else 0, err)
                self.assertIn(message, err)

    def test_break(self):
        """--break wants every law to fail, and the program with it."""
        broken = self.printed().replace(": met", ": not met")
        for name, text, status, message in (
                ("seen", broken, 1, ""), ("status", broken, 0, "papers_000: ends well"),
                ("met", self.printed(), 1, "papers_000 choices: 'slope, 0 .. 1' is met"),
                ("no laws", "", 1, "papers_000: has no laws")):
            with self.subTest(name):
                code, err = self.end_of(text, status, "--break")
                self.assertEqual(code, 1 if message else 0, err)
                self.assertIn(message, err)

    def test_left_out(self):
        """What a program leaves out stays as the page has it."""
        parts = self.printed().split("\n<!-- part: choices;")
        rest = parts[1][parts[1].index("\n<!-- part:"):]
        for said, code in (("", 1), ("<!-- left out: choices; an hour, --whole -->\n", 0)):
            self.assertEqual(self.end_of(said + parts[0] + rest)[0], code)


class Numbers(unittest.TestCase):
    def test_kinds(self):
        for kind, same, other in (
                ("exact", ("3", "3.0"), ("3", "4")), ("value", ("1.234", "1.235"), ("1.234", "1.237")),
                ("steps", ("560", "572"), ("560", "590")), ("steps", ("39", "42"), ("39", "43")),
                ("near", ("1.9e-3", "2.1e-3"), ("1.9e-3", "2.7e-3")), ("few", ("13", "18"), ("13", "19")),
                ("hundred", ("15", "9"), ("15", "40")),
                ("runs", ("1", "3"), ("1", "4")), ("size", ("2e-16", "1e-15"), ("2e-16", "0")),
                ("roundoff", ("1e-9", "-4e-12"), ("1e-9", "2e-8")), ("time", ("1", "1000"), None)):
            self.assertTrue(papers.docs.agree(kind, *same), (kind, same))
            if other:
                self.assertFalse(papers.docs.agree(kind, *other), (kind, other))

    def test_parts(self):
        with self.assertRaises(ValueError):
            papers.parts_of("<!-- part: a; columns: exact nearly -->\n")
        with self.assertRaises(ValueError):
            papers.parts_of("<!-- part: a -->\n<!-- part: a -->\n")


class Section6(unittest.TestCase):
    def test_listed(self):
        """Every table and figure of the documents has its state."""
        self.assertEqual(papers.unlisted(PAGE), [])

    def test_missing(self):
        for old, new, wrong in (
                ("| Figure 5.5 |", "| Figure |", "Figure 5.5: not in section 6"),
                ("| Figure 5.5 |", "| Figures 5.5, 5.6 |", "Figure 5.6: not in the document, or twice"),
                ("| Figure 5.5 | left out: a sketch", "| Figure 5.5 | a sketch", "begins with none of")):
            self.assertEqual(PAGE.count(old), 1)
            self.assertIn(wrong, "\n".join(papers.unlisted(PAGE.replace(old, new))))


if __name__ == "__main__":
    main()
