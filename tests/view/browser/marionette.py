"""Firefox, driven by its own protocol (Marionette): packets "LENGTH:JSON" on a socket, JSON [0, id, command,
arguments] and [1, id, error, result]. Firefox of distributions needs no other program for it."""
import base64
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time

# graphics by the processor, which Firefox refuses else; nothing fetched from elsewhere; pages stand still
PREFERENCES = {
    "webgl.force-enabled": True, "webgl.forbid-software": False,
    "webgl.disable-fail-if-major-performance-caveat": True, "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False, "app.update.auto": False,
    "browser.startup.homepage_override.mstone": "ignore", "network.captive-portal-service.enabled": False,
    "ui.prefersReducedMotion": 1,
}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Firefox:
    """A window of Firefox on a display of its own (Xvfb): without one it has no WebGL."""

    def __init__(self, firefox, xvfb, patience):
        self.patience = patience
        self.folder = tempfile.mkdtemp()
        self.number = 0
        port = free_port()
        with open(os.path.join(self.folder, "user.js"), "w", encoding="utf-8") as f:
            for name, value in {**PREFERENCES, "marionette.port": port}.items():
                f.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        read, write = os.pipe()
        self.display = subprocess.Popen(
            [xvfb, "-displayfd", str(write), "-screen", "0", "1280x800x24", "-nolisten", "tcp"],
            pass_fds=(write,), stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as f:
            display = ":" + f.readline().strip()
        self.process = subprocess.Popen(
            [firefox, "--marionette", "--no-remote", "--profile", self.folder, "about:blank"],
            env={**os.environ, "DISPLAY": display, "HOME": self.folder, "LIBGL_ALWAYS_SOFTWARE": "1"},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.socket = self.connect(port)
        self.receive()  # the greeting
        self.command("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {}}})

    def connect(self, port):
        end = time.monotonic() + self.patience
        while True:
            try:
                return socket.create_connection(("127.0.0.1", port), timeout=self.patience)
            except OSError:
                if time.monotonic() > end or self.process.poll() is not None:
                    raise
                time.sleep(0.2)

    def receive(self):
        head = b""
        while not head.endswith(b":"):
            head += self.socket.recv(1)
        size, body = int(head[:-1]), b""
        while len(body) < size:
            body += self.socket.recv(size - len(body))
        return json.loads(body)

    def command(self, name, arguments):
        self.number += 1
        packet = json.dumps([0, self.number, name, arguments]).encode()
        self.socket.sendall(b"%d:%s" % (len(packet), packet))
        _, _, error, result = self.receive()
        if error:
            raise RuntimeError(f"{name}: {error['message']}")
        return result

    def open(self, url):
        self.command("WebDriver:Navigate", {"url": url})

    def ask(self, script):
        """The value of a script that ends with `return`."""
        return self.command("WebDriver:ExecuteScript", {"script": script, "args": []})["value"]

    def wait(self, script):
        end = time.monotonic() + self.patience
        while not self.ask(script):
            if time.monotonic() > end:
                raise TimeoutError(script)
            time.sleep(0.1)

    def click(self, css):
        found = self.command("WebDriver:FindElement", {"using": "css selector", "value": css})
        self.command("WebDriver:ElementClick", {"id": next(iter(found["value"].values()))})

    def picture(self, path):
        shot = self.command("WebDriver:TakeScreenshot", {"full": False, "hash": False})
        with open(path, "wb") as f:
            f.write(base64.b64decode(shot["value"]))

    def close(self):
        try:
            self.command("Marionette:Quit", {"flags": ["eForceQuit"]})
            self.process.wait(timeout=20)
        except (OSError, RuntimeError, ValueError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.socket.close()
        self.display.terminate()
        self.display.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
