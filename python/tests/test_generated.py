"""The generated files fit the headers and the schema; structures have the layout of the compiler."""
import ctypes
import json
import os
import subprocess
import sys
import types
import typing

from common import SOURCE, Case, trammel, unittest
from trammel import _abi

TOOLS = os.path.join(SOURCE, "python", "tools")
COMPILER = os.environ.get("CC", "cc")


class Generated(Case):
    def check(self, *command):
        done = subprocess.run([sys.executable, "-B", *command, "--check"], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_abi(self):
        self.check(os.path.join(TOOLS, "write_abi.py"), "--compiler", COMPILER)

    def test_entries(self):
        self.check(os.path.join(TOOLS, "write_entries.py"))

    def test_settings_are_keys(self):
        """Saved simulations keep the keys of the block run, by its schema, and what is listed here."""
        with open(os.path.join(SOURCE, "docs", "trammel.schema.json"), encoding="utf-8") as f:
            keys = set(json.load(f)["$defs"]["run"]["properties"])
        fields = {name for name, *_ in _abi.tml_run_def._fields_}
        # size is set by the library, scale is a map of the key scaling, report is kept by sim/save.c
        self.assertEqual(fields, keys | {"size", "scale", "report"})

    def test_layout(self):
        """Size and offsets of every structure, by the compiler."""
        lines = ["#include <stddef.h>", "#include <trammel/trammel.h>", "#include <trammel/plot.h>",
                 "#include <trammel/view.h>"]
        for name, kind in vars(_abi).items():
            if not (isinstance(kind, type) and issubclass(kind, ctypes.Structure)) or name == "Structure":
                continue
            lines.append(f'_Static_assert(sizeof({name}) == {ctypes.sizeof(kind)}, "{name}");')
            for field, *_ in kind._fields_:
                offset = getattr(kind, field).offset
                lines.append(f'_Static_assert(offsetof({name}, {field}) == {offset}, "{name}.{field}");')
        self.assertGreater(len(lines), 300)
        source = os.path.join(self.folder(), "layout.c")
        with open(source, "w", encoding="utf-8") as f:
            f.write("\n".join(lines) + "\n")
        include = os.path.join(SOURCE, "include")
        done = subprocess.run([COMPILER, "-std=c17", "-fsyntax-only", "-I", include, source],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    @unittest.skipIf(sys.version_info < (3, 10), "hints of this form are read from Python 3.10 on")
    def test_hints(self):
        """Type hints of all functions and methods name types that exist."""
        modules = [name for name in sys.modules if name.startswith("trammel.") and name != "trammel._abi"]
        self.assertGreater(len(modules), 12)
        tried = 0
        for name in modules:
            module = sys.modules[name]
            for owner in [module, *(c for c in vars(module).values() if isinstance(c, type))]:
                for function in vars(owner).values():
                    if isinstance(function, types.FunctionType) and function.__module__ == name:
                        typing.get_type_hints(function)
                        tried += 1
        self.assertGreater(tried, 150)

    def test_version(self):
        with open(os.path.join(SOURCE, "CMakeLists.txt"), encoding="utf-8") as f:
            self.assertIn(f"project(trammel VERSION {trammel.__version__} ", f.read())


if __name__ == "__main__":
    unittest.main()
