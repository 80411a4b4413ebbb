"""Doctests: those of the package, and the blocks of pages of docs in a folder with the link `models`."""
import doctest
import importlib
import os
import re

from common import SOURCE, Case, unittest

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
MODULES = ["trammel.model", "trammel.robot", "trammel.simulation"]


class Doctests(Case):
    def run_tests(self, tests):
        report = []
        runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
        tried = 0
        for test in tests:
            tried += runner.run(test, out=report.append).attempted
        self.assertEqual(runner.failures, 0, "".join(report))
        return tried

    def test_modules(self):
        for name in MODULES:
            tests = doctest.DocTestFinder().find(importlib.import_module(name))
            self.assertGreater(self.run_tests(tests), 3, name)

    def test_pages(self):
        for name, least in (("python.md", 30), ("robots.md", 12)):
            with self.subTest(name):
                self.check_page(name, least)

    def check_page(self, name, least):
        path = os.path.join(SOURCE, "docs", name)
        with open(path, encoding="utf-8") as f:
            text = f.read()
        blocks = re.findall(r"^```pycon\n(.*?)^```$", text, re.M | re.S)
        folder, before = self.folder(), os.getcwd()
        os.symlink(os.path.join(SOURCE, "models"), os.path.join(folder, "models"))
        os.chdir(folder)
        self.addCleanup(os.chdir, before)
        test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, name, path, 0)
        self.assertGreater(self.run_tests([test]), least)


if __name__ == "__main__":
    unittest.main()
