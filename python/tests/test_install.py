"""`pip install ./python` works without a network, and what it installs works without the checkout."""
import os
import shutil
import subprocess
import sys

from common import PENDULUM, SOURCE, Case, trammel, unittest

PROGRAM = """
import os, sys, trammel
assert "site-packages" in trammel.__file__, trammel.__file__
assert trammel.library_path.startswith(os.path.dirname(trammel.__file__)), trammel.library_path
result = trammel.Model.parse(sys.stdin.read()).run()
result.write("x.h5")
print(trammel.Result.load("x.h5").values.tobytes() == result.values.tobytes(), len(result))
"""


class Install(Case):
    def run_quietly(self, *command, **more):
        environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "TRAMMEL_LIBRARY")}
        environment.update(more.pop("env", {}))
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, **more)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_pip(self):
        asked = subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True, check=False)
        if asked.returncode:
            self.skipTest("pip is not installed")
        folder = self.folder()
        venv = os.path.join(folder, "venv")
        python = os.path.join(venv, "bin", "python")
        self.run_quietly(sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", venv)
        source = os.path.join(folder, "checkout", "python")  # without a build beside it
        shutil.copytree(os.path.join(SOURCE, "python"), source,
                        ignore=shutil.ignore_patterns("__pycache__", "lib"))
        self.run_quietly(sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "--quiet",
                         "--disable-pip-version-check", "--no-compile", source,
                         env={"TRAMMEL_BUILD": os.path.dirname(trammel.library_path)})
        printed = self.run_quietly(python, "-c", PROGRAM, cwd=folder, input=PENDULUM)
        self.assertEqual(printed, "True 51\n")

    def test_before_make(self):
        """Without a build and an installed library a sentence says what to do, and nothing is made."""
        folder = self.folder()
        tools = os.path.join(SOURCE, "python", "tools")
        program = ("import sys; sys.path.insert(0, sys.argv[1]); import ctypes.util; "
                   "ctypes.util.find_library = lambda name: None; import build_wheel; "
                   "build_wheel.build_wheel(sys.argv[2])")
        environment = {k: v for k, v in os.environ.items() if k != "TRAMMEL_LIBRARY"}
        done = subprocess.run([sys.executable, "-B", "-c", program, tools, folder], capture_output=True,
                              text=True, check=False, env={**environment, "TRAMMEL_BUILD": folder})
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "Trammel is not built: run 'make' at the top of the checkout, then "
                         "'pip install ./python' again. (Or give TRAMMEL_BUILD, the folder of a build.)\n")
        self.assertEqual(os.listdir(folder), [])

    def test_wheel_without_library(self):
        """With a library elsewhere the package is made without one; at import it says what to do."""
        folder = self.folder()
        program = ("import sys; sys.path.insert(0, sys.argv[1]); import build_wheel; "
                   "print(build_wheel.build_wheel(sys.argv[2]))")
        name = self.run_quietly(sys.executable, "-B", "-c", program, os.path.join(SOURCE, "python", "tools"),
                                folder, env={"TRAMMEL_BUILD": folder,
                                             "TRAMMEL_LIBRARY": "libtrammel.so"}).strip()
        self.assertEqual(name, f"trammel-{trammel.__version__}-py3-none-any.whl")
        shutil.unpack_archive(os.path.join(folder, name), folder, "zip")
        done = subprocess.run([sys.executable, "-B", "-c", "import trammel"], cwd=folder, check=False,
                              env={**os.environ, "TRAMMEL_LIBRARY": os.path.join(folder, "libtrammel.so"),
                                   "PYTHONPATH": folder}, capture_output=True, text=True)
        self.assertIn("Build it with 'make', or set TRAMMEL_LIBRARY", done.stderr)


if __name__ == "__main__":
    unittest.main()
