"""The version is the same everywhere; the list of what is bundled has all that the linker took."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from common import SOURCE, TRAMMEL, read, run, write

BUILD = os.path.dirname(TRAMMEL)
ARCHIVE = re.compile(r"^(/\S+/)([^/\s]+\.a)\(", re.M)


def text(*path):
    return read(os.path.join(SOURCE, *path))


class Version(unittest.TestCase):
    def setUp(self):
        self.version = re.search(r"^project\(trammel VERSION (\S+) ", text("CMakeLists.txt"), re.M)[1]

    def test_same(self):
        self.assertEqual(run("--version").stdout, f"trammel {self.version}\n")
        self.assertIn(f"\nversion: {self.version}\n", text("CITATION.cff"))
        self.assertIn(f'\nVERSION = "{self.version}"', text("python", "trammel", "_abi.py"))
        self.assertNotIn(self.version, text("python", "pyproject.toml"))

    def test_changelog(self):
        """Its newest version is this one, of the day that CITATION.cff gives."""
        newest = re.search(r"^## \[(\d\S*)\] - (\S+)$", text("CHANGELOG.md"), re.M)
        self.assertEqual(newest[1], self.version)
        self.assertIn(f"\ndate-released: {newest[2]}\n", text("CITATION.cff"))

    def test_names_in_documents(self):
        """Names of files with a version: archives, folders of modules."""
        minor = self.version.rpartition(".")[0]
        pages = glob.glob(os.path.join(SOURCE, "docs", "*.md")) + [os.path.join(SOURCE, "README.md")]
        found = 0
        for page in pages:
            for name in re.findall(r"\b(?:lib)?trammel[-_](\d+\.\d+(?:\.\d+)?)", read(page)):
                self.assertIn(name, (self.version, minor), page)
                found += 1
        self.assertGreater(found, 8)


@unittest.skipUnless(glob.glob(os.path.join(BUILD, "*.map")), "built without maps of the linker")
@unittest.skipUnless(shutil.which("dpkg-query"), "not a Debian system")
class Parts(unittest.TestCase):
    def sbom(self, *args, root=SOURCE):
        command = [sys.executable, "-B", os.path.join(root, "scripts", "sbom"), "--build", BUILD, *args]
        return subprocess.run(command, capture_output=True, text=True, check=False,
                              env={**os.environ, "SOURCE_DATE_EPOCH": "1600000000"})

    def test_complete(self):
        """Every archive of the maps is in the list, with the products that have it, version and licence."""
        p = self.sbom()
        self.assertEqual(p.returncode, 0, p.stderr)
        document = json.loads(p.stdout)
        self.assertEqual(document["metadata"]["timestamp"], "2020-09-13T12:26:40Z")
        listed = {}
        for part in document["components"]:
            self.assertTrue(part["version"] and part["licenses"][0]["expression"], part)
            values = {key: [q["value"] for q in part["properties"] if q["name"] == key]
                      for key in ("trammel:file", "trammel:in")}
            listed.update((file, values["trammel:in"]) for file in values["trammel:file"])
        linked = 0
        for path in glob.glob(os.path.join(BUILD, "*.map")):
            product = os.path.basename(path)[:-len(".map")]
            taken = read(path).partition("\nDiscarded input sections")[0]
            for folder, archive in set(ARCHIVE.findall(taken)):
                archive = os.path.basename(os.path.realpath(folder + archive))
                self.assertIn(product, listed.get(archive, ()), archive)
                linked += 1
        self.assertGreater(linked, 0)
        self.assertTrue({"three.js", "uPlot"} < {part["name"] for part in document["components"]})

    def test_unnamed(self):
        """An archive without an entry in packaging/bundled.tsv is an error."""
        with tempfile.TemporaryDirectory() as root:
            for name in ("scripts/sbom", "packaging/bundled.tsv", "CMakeLists.txt", "web/package.json",
                         "web/package-lock.json"):
                os.makedirs(os.path.join(root, os.path.dirname(name)), exist_ok=True)
                shutil.copy(os.path.join(SOURCE, name), os.path.join(root, name))
            self.assertEqual(self.sbom("--check", root=root).returncode, 0)
            table = os.path.join(root, "packaging", "bundled.tsv")
            rows = read(table).splitlines(True)
            write(table, "".join(line for line in rows if not line.startswith("npm:uplot")))
            p = self.sbom("--check", root=root)
            self.assertEqual((p.returncode, p.stderr),
                             (1, "packaging/bundled.tsv does not name npm:uplot: add name and licence\n"))


if __name__ == "__main__":
    unittest.main()
