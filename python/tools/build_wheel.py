"""The build backend of the package (PEP 517): it writes a wheel, and needs nothing but Python.

The wheel holds the package and the shared libraries: those of TRAMMEL_BUILD (a build folder) or of ../build.
Without them it fails, unless there is an installed library that the package will find when it is imported.
scripts/packages calls it with the settings `platform`, that of the wheel in place of this machine's, and
`notices`, a folder with the licences and the list of what the libraries contain.
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


def _version():
    with open(os.path.join(HERE, "trammel", "_abi.py"), encoding="utf-8") as f:
        return re.search(r'^VERSION = "(.*)"', f.read(), re.M)[1]


def _metadata():
    return (f"Metadata-Version: 2.1\nName: {_project('name')}\nVersion: {_version()}\n"
            f"Summary: {_project('description')}\nLicense: Apache-2.0\n"
            f"Requires-Python: {_project('requires-python')}\nRequires-Dist: numpy\n"
            "Provides-Extra: pandas\nRequires-Dist: pandas; extra == 'pandas'\n")


def _libraries():
    """{path in the package: file} of the shared libraries that were built."""
    build = os.environ.get("TRAMMEL_BUILD") or os.path.join(os.path.dirname(HERE), "build")
    found = {f"trammel/lib/{name}": os.path.join(build, name) for name in LIBRARIES}
    for path in glob.glob(os.path.join(build, "trammel-*", "*.so*")):
        found["trammel/lib/" + os.path.relpath(path, build)] = path
    return {name: path for name, path in found.items() if os.path.exists(path)}


def _notices(folder):
    """{path in the folder of metadata: file}"""
    found = {f"licenses/{name}": os.path.join(folder, "licenses", name)
             for name in os.listdir(os.path.join(folder, "licenses"))}
    return {**found, "sboms/sbom.cdx.json": os.path.join(folder, "sbom.cdx.json")}


def _write(folder, files, tag, notices=()):
    """A wheel of {path: bytes} and {path in the folder of metadata: bytes}; returns its name."""
    stem = f"{_project('name')}-{_version()}"
    info = f"{stem}.dist-info"
    pure = "true" if tag.endswith("any") else "false"
    files = {**files, **{f"{info}/{path}": data for path, data in dict(notices).items()},
             f"{info}/METADATA": _metadata().encode(),
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
    entry.external_attr = (0o755 if path.endswith(".so") or ".so." in path else 0o644) << 16
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
    settings = config_settings or {}
    platform = settings.get("platform") or re.sub(r"[-.]", "_", sysconfig.get_platform())
    notices = _notices(settings["notices"]) if "notices" in settings else {}
    return _write(wheel_directory, {**files, **libraries}, f"py3-none-{platform}",
                  {path: _read(file) for path, file in notices.items()})


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _write(wheel_directory, {"trammel.pth": (HERE + "\n").encode()}, "py3-none-any")


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("The package is installed from a checkout: pip install ./python")
