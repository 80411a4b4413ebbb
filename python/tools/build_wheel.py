"""The build backend of the package (PEP 517): it writes a wheel, and needs nothing but Python.

The wheel holds the package and the shared libraries: those of TRAMMEL_BUILD (a build folder) or of ../build.
Without them it fails, unless there is an installed library that the package will find when it is imported.
"""
import base64
import ctypes.util
import glob
import hashlib
import os
import re
import sys
import sysconfig
import zipfile

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIBRARIES = ("libtrammel.so", "libtrammel_view.so", "libtrammel_plot.so")
TIME = (2020, 1, 1, 0, 0, 0)  # of all files: the same sources give the same wheel


def _project(key):
    """A text of pyproject.toml; Python has no reader of TOML before 3.11."""
    with open(os.path.join(HERE, "pyproject.toml"), encoding="utf-8") as f:
        return re.search(rf'^{key} = "(.*)"$', f.read(), re.M)[1]


def _metadata():
    return (f"Metadata-Version: 2.1\nName: {_project('name')}\nVersion: {_project('version')}\n"
            f"Summary: {_project('description')}\nLicense: Apache-2.0\n"
            f"Requires-Python: {_project('requires-python')}\nRequires-Dist: numpy\n"
            "Provides-Extra: pandas\nRequires-Dist: pandas; extra == 'pandas'\n")


def _libraries():
    """{path in the package: file} of the shared libraries that were built."""
    build = os.environ.get("TRAMMEL_BUILD") or os.path.join(os.path.dirname(HERE), "build")
    found = {f"trammel/lib/{name}": os.path.join(build, name) for name in LIBRARIES}
    for path in glob.glob(os.path.join(build, "trammel-*", "*.so")):
        found["trammel/lib/" + os.path.relpath(path, build)] = path
    return {name: path for name, path in found.items() if os.path.exists(path)}


def _write(folder, files, tag):
    """A wheel of {path: bytes}; returns its name."""
    stem = f"{_project('name')}-{_project('version')}"
    info = f"{stem}.dist-info"
    pure = "true" if tag.endswith("any") else "false"
    files = {**files, f"{info}/METADATA": _metadata().encode(),
             f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: trammel\nRoot-Is-Purelib: {pure}\n"
                              f"Tag: {tag}\n".encode()}
    record = ""
    name = f"{stem}-{tag}.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in sorted(files.items()):
            wheel.writestr(_entry(path), data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += f"{path},sha256={digest},{len(data)}\n"
        wheel.writestr(_entry(f"{info}/RECORD"), record + f"{info}/RECORD,,\n")
    return name


def _entry(path):
    entry = zipfile.ZipInfo(path, TIME)
    entry.external_attr = (0o755 if path.endswith(".so") else 0o644) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _read(path):
    with open(path, "rb") as f:
        return f.read()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    names = sorted(os.listdir(os.path.join(HERE, "trammel")))
    files = {f"trammel/{n}": _read(os.path.join(HERE, "trammel", n)) for n in names
             if n.endswith(".py") or n == "py.typed"}
    libraries = {name: _read(path) for name, path in _libraries().items()}
    if "trammel/lib/libtrammel.so" not in libraries:
        installed = os.environ.get("TRAMMEL_LIBRARY") or ctypes.util.find_library("trammel")
        if not installed:
            sys.exit("Trammel is not built: run 'make' at the top of the checkout, then 'pip install "
                     "./python' again. (Or give TRAMMEL_BUILD, the folder of a build.)")
        print(f"The checkout is not built: the package will load {installed} when it is imported.",
              file=sys.stderr)
        return _write(wheel_directory, files, "py3-none-any")
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    return _write(wheel_directory, {**files, **libraries}, f"py3-none-{platform}")


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _write(wheel_directory, {"trammel.pth": (HERE + "\n").encode()}, "py3-none-any")


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("The package is installed from a checkout: pip install ./python")
