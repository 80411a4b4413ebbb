"""The documentation site is written without a warning, has what it should, and needs nothing from
elsewhere."""
import glob
import os
import re
import shutil
import subprocess
import sys
import unittest

from common import PATIENCE, SOURCE, Case, main, read, skip_if_slow
from test_view import CHROMIUM, NODE, PLAYWRIGHT


@skip_if_slow("no C code runs")
@unittest.skipUnless(shutil.which("mkdocs"), "needs mkdocs and mkdocs-material")
class Site(Case):
    def test(self):
        # mkdocs stops at any warning: a page that is not in the navigation, a link to nowhere
        done = subprocess.run([sys.executable, os.path.join(SOURCE, "scripts", "site"), "--out", "site"],
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        pages = glob.glob("site/**/*.html", recursive=True)
        pages.remove(os.path.join("site", "404.html"))  # shown by servers, in any folder
        self.assertGreater(len(pages), 80)
        self.check_api()
        self.assertIn("λ<sub>f</sub>", read("site/theory/alpha.html"))
        for page in pages:
            with self.subTest(page=page):
                text = read(page)
                self.assertNotRegex(text, r'<(?:script|img)[^>]+src="(?:https?:)?//')
                self.assertNotRegex(text, r'<link[^>]+rel="stylesheet"[^>]+href="(?:https?:)?//')
                self.check_files(page, text)
        if CHROMIUM and NODE and os.path.exists(PLAYWRIGHT):
            self.check_search()

    def check_search(self):
        """From the disk, in a folder of the site."""
        script = os.path.join(SOURCE, "tests", "view", "browser", "site.mjs")
        page = os.path.abspath("site/howto/robot-arm.html")
        done = subprocess.run([NODE, script, CHROMIUM, PLAYWRIGHT, page, "campbell"], capture_output=True,
                              text=True, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("/site/tutorial.html#", done.stdout)

    def check_api(self):
        """Every public function has its place."""
        for header in glob.glob(os.path.join(SOURCE, "include", "trammel", "*.h")):
            page = read(f"site/api/{os.path.basename(header)[:-2]}.html")
            for name in re.findall(r"^TML_API [^;]*?\b(tml_\w+)\(", read(header), re.M):
                self.assertIn(f">{name}", page)

    def check_files(self, page, text):
        """What mkdocs does not look at: links in HTML, pictures, files."""
        for target in re.findall(r'(?:href|src)="([^"#?]+)', text):
            if re.match(r"[a-z]+:", target):
                continue
            path = os.path.normpath(os.path.join(os.path.dirname(page), target))
            self.assertTrue(os.path.exists(path), f"{page}: {target}")


if __name__ == "__main__":
    main()
