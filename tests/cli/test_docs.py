#!/usr/bin/env python3
"""The commands of the README, of the tutorial and of the pages on check and redundancy do what these say they do."""
import os
import subprocess
import sys

SOURCE = os.environ["TRAMMEL_SOURCE_DIR"]
if "TRAMMEL_SLOW_BUILD" in os.environ:
    sys.exit(0)  # the output is that of the plain build
sys.exit(subprocess.run([sys.executable, "-B", os.path.join(SOURCE, "scripts", "run-docs"),
                         "--build", os.path.dirname(os.environ["TRAMMEL"]),
                         os.path.join(SOURCE, "README.md"),
                         *(os.path.join(SOURCE, "docs", page + ".md") for page in ("tutorial", "check", "redundancy"))]).returncode)
