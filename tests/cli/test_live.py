"""Results of a run that goes on: they are read without disturbing it."""
import json
import os
import re
import signal
import subprocess
import unittest
import urllib.request

from common import (FAULTS, PATIENCE, PENDULUM, SOURCE, TRAMMEL, Case, main, read, remove, skip_if_slow,
                    write)
from test_view import CHROMIUM, NODE, PLAYWRIGHT, has_viewer

LONG_PENDULUM = PENDULUM.replace("end: 0.5", "end: 5")


def start_and_stop(*args, at):
    """A run that is stopped, as by the terminal's ^Z, in place of its change of a file number `at`."""
    environment = dict(os.environ, LD_PRELOAD=FAULTS, FAULT_TICK="0.2", FAULT_KILL=str(at),
                       FAULT_SIGNAL=str(int(signal.SIGSTOP)))
    p = subprocess.Popen([TRAMMEL, "run", *args], env=environment, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    _, status = os.waitpid(p.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status), "the run did not get to this change"
    return p


def go_on(p):
    p.send_signal(signal.SIGCONT)
    out, err = p.communicate(timeout=600)
    return p.returncode, out, err


@unittest.skipUnless(FAULTS, "no library of faults in this build")
class Running(Case):
    def test_results_are_read_during_the_run(self):
        write("live.yaml", LONG_PENDULUM)
        self.good("run", "live.yaml", "-q", "-o", "whole.h5")
        whole = self.good("stats", "whole.h5", "height").stdout
        seen = []
        for at in (60, 61, 90):
            remove("live.h5")
            p = start_and_stop("live.yaml", "-q", "-o", "live.h5", at=at)
            try:
                refused = self.bad(1, "run", "live.yaml", "-q", "-o", "live.h5").stderr
                self.assertIn("another program is writing it", refused)
                self.assertNotIn("replaced", refused)
                last = self.good("stats", "live.h5", "t").stdout.splitlines()[1].split()
                seen.append(float(last[3]))
                self.good("plot", "live.h5", "height", "-o", "live.svg")
                if has_viewer():
                    self.assertRegex(self.good("view", "live.h5").stdout, r"\d+ rows")
            finally:
                self.assertEqual(go_on(p), (0, "", ""))
            self.assertEqual(self.good("stats", "live.h5", "height").stdout, whole)
        self.assertTrue(all(0 < t < 5 for t in seen), seen)
        self.assertGreater(seen[-1], seen[0])


    def test_other_programs(self):
        """A result that another program cuts, deletes or replaces while it is written: status 1, and no offer
        of a --resume that cannot work."""
        write("live.yaml", LONG_PENDULUM)

        def cut(size):
            def change(name):
                os.truncate(name, int(os.path.getsize(name) * size))
            return change

        def replace(name):
            write("other", "x\n")
            os.rename("other", name)
        for form in ("h5", "csv"):
            for change in (cut(0), cut(0.5), cut(0.99), os.remove, replace):
                name = "changed." + form
                remove(name, name + ".resume")
                p = start_and_stop("live.yaml", "-q", "-o", name, at=60 if form == "h5" else 12)
                change(name)
                status, _, err = go_on(p)
                self.assertEqual(status, 1, (form, change, err))
                self.assertRegex(err, "was (cut by another program|deleted or replaced) while it was written")
                if "--resume" in err:
                    self.good("run", "--resume", name, "-q")
        remove("changed.h5", "changed.csv", "changed.h5.resume", "changed.csv.resume")


class Server:
    """`trammel view --serve RESULT`, until the end of the with block."""

    def __init__(self, *args):
        self.process = subprocess.Popen([TRAMMEL, "view", "--serve", *args], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        self.address = re.match(r"(http://127\.0\.0\.1:\d+/) shows ", line).group(1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=PATIENCE)
        assert (self.process.returncode, out, err) == (0, "", ""), err

    def get(self, target=""):
        with urllib.request.urlopen(self.address + target, timeout=PATIENCE) as answer:
            return answer.status, answer.read()

    def rows(self, version="none"):
        """Number of rows and version of the data, if they are not those of `version`."""
        status, body = self.get(f"data?have={version}")
        if status == 204:
            return None
        length = int.from_bytes(body[:4], "little")
        info = json.loads(body[4:4 + length])
        return info["rows"], info["live"]["version"]


class Serve(Case):
    def test_pages_and_data(self):
        if not has_viewer():
            self.skipTest("built without the viewer")
        remove("s.h5")
        write("s.yaml", PENDULUM)
        with Server("s.h5") as server:
            self.assertIn(b"Waiting for rows", server.get()[1])
            self.assertIsNone(server.rows())
            self.good("run", "s.yaml", "-q")
            page = server.get()[1].decode()
            self.assertIn("connect-src 'self'", page)
            self.assertNotIn("connect-src 'none'", page)
            rows, version = server.rows()
            self.assertEqual(rows, 51)
            self.assertIsNone(server.rows(version))
            self.good("run", "s.yaml", "-q", "--end", "1")
            self.assertEqual(server.rows(version)[0], 101)
        self.good("view", "s.h5", "-q")
        self.assertIn("connect-src 'none'", read("s.html"))

    def test_refused(self):
        self.assertIn("--out", self.bad(2, "view", "s.h5", "--serve", "-o", "x.html").stderr)
        self.assertIn("--serve", self.bad(2, "view", "s.h5", "--port", "8080").stderr)
        self.assertIn("65535", self.bad(2, "view", "s.h5", "--serve", "--port", "70000").stderr)


@skip_if_slow("the browser is not instrumented")
@unittest.skipUnless(FAULTS and CHROMIUM and NODE and os.path.exists(PLAYWRIGHT),
                     "needs chromium, playwright and the library of faults")
class Browser(Case):
    def test_page_follows_the_run(self):
        """The run is stopped at two changes of its file; the page shows the rows up to them, and all at the
        end, without being loaded again."""
        remove("b.h5")
        write("b.yaml", LONG_PENDULUM)
        p = start_and_stop("b.yaml", "-q", "-o", "b.h5", at=60)
        try:
            with Server("b.h5") as server:
                script = os.path.join(SOURCE, "tests", "view", "browser", "live.mjs")
                browser = subprocess.Popen([NODE, script, CHROMIUM, PLAYWRIGHT, server.address],
                                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE, text=True)
                first = json.loads(browser.stdout.readline())
                self.assertEqual((first["live"], first["updates"]), ("running", 0))
                self.assertEqual(first["rows"], server.rows()[0])
                self.assertEqual(go_on(p), (0, "", ""))
                last = json.loads(browser.stdout.readline())
                out, err = browser.communicate(timeout=PATIENCE)
                self.assertEqual((browser.returncode, out), (0, ""), err)
            self.assertEqual((last["live"], last["rows"], last["end"]), ("ended", 501, 5))
            self.assertGreater(last["updates"], 0)
            self.assertGreater(last["time"], first["time"])
        finally:
            if p.poll() is None:
                p.kill()
                p.communicate()


if __name__ == "__main__":
    main()
