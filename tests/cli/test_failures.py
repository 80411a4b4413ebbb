"""Runs that end badly: no space, no right to write, signals, a terminal; results made so far stay."""
import json
import os
import pty
import re
import resource
import select
import signal
import subprocess
import time

from common import (PATIENCE, PENDULUM, TRAMMEL, Case, csv_lines, each, main, read, remove, run, table,
                    write)

# some hours of work
ENDLESS = PENDULUM.replace("end: 0.5, output_step: 0.01, step: 1e-3", "end: 1e6, output_step: 0.1, tol: 1e-3")


def small_files():
    """In the child: writes beyond 64 kB fail."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))


class Writing(Case):
    def setUp(self):
        write("w.yaml", PENDULUM)

    def test_no_such_folder(self):
        for name in ("no/such/x.csv", "no/such/x.h5"):
            p = self.bad(1, "run", "w.yaml", "--out", name)
            self.assertIn(name, p.stderr)

    def test_full_device(self):
        for name in ("full.csv", "full.h5"):
            remove(name)
            os.symlink("/dev/full", name)
            p = self.bad(1, "run", "w.yaml", "--out", name)
            self.assertIn(f"'{name}': No space left on device", p.stderr)
            remove(name)

    def test_full_in_the_middle(self):
        for name in ("mid.csv", "mid.h5"):
            p = run("run", "w.yaml", "--out", name, "--output-step", "1e-3", "--json", preexec_fn=small_files)
            self.assertEqual(p.returncode, 1, p.stderr)
            self.assertIn(name, p.stderr)
            r = json.loads(p.stdout)
            self.assertEqual((r["status"], r["error"]["status"], r["outputs"]), ("io", "io", []))

    def test_summary_into_nothing(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            p = subprocess.run([TRAMMEL, "run", "w.yaml", "--out", "none"], stdout=full,
                               stderr=subprocess.PIPE, check=False)
        self.assertEqual(p.returncode, 1)


class Failing(Case):
    # from t = 0.2005 s on the torque is no number
    FORCE = "forces:\n  push: {type: applied, at: bob, torque: log(0.2005 - t)}\n"
    NO_NUMBER = PENDULUM + FORCE

    def test_the_run_fails(self):
        write("fail.yaml", self.NO_NUMBER)
        remove("fail.csv")
        p = self.bad(1, "run", "fail.yaml", "--csv", "fail.csv")
        self.assertIn(": FAILED\n", p.stdout)
        m = re.search(r"results up to t = (\S+) s are in fail\.csv\n", p.stderr)
        self.assertTrue(m, p.stderr)
        t = table("fail.csv")["t"]
        self.assertAlmostEqual(t[-1], float(m.group(1)), delta=1e-5)  # printed with six digits
        self.assertGreater(len(t), 5)
        r = self.report("run", "fail.yaml", "--csv", "fail.csv", code=1)
        self.assertNotIn(r["status"], ("ok", "argument"))
        self.assertAlmostEqual(r["error"]["t"], 0.2005, delta=1.1e-3)  # a step before or after
        self.assertEqual(r["outputs"][0]["path"], "fail.csv")


def wait_for_rows(case, name):
    """Until the command writes rows of results, however slow the machine is."""
    stop = time.monotonic() + PATIENCE
    while time.monotonic() < stop:
        if os.path.exists(name) and read(name).count("\n") > 2:
            return
        time.sleep(0.05)
    case.fail("no rows")


class Signals(Case):
    def start(self, *args):
        write("endless.yaml", ENDLESS)
        return subprocess.Popen([TRAMMEL, "run", "endless.yaml", *args], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def test_interrupt(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            remove("int.csv")
            p = self.start("--csv", "int.csv", "--json")
            wait_for_rows(self, "int.csv")
            p.send_signal(number)
            out, err = p.communicate(timeout=PATIENCE)
            self.assertEqual(p.returncode, 1, err)
            r = json.loads(out)
            self.assertEqual((r["status"], r["interrupted"], r["exit_status"]), ("stopped", True, 1))
            self.assertIn("interrupted at t = ", err)
            self.assertIn("are in int.csv", err)
            c = table("int.csv")
            self.assertEqual(len(c["t"]), r["rows"])
            self.assertEqual(len({len(x) for x in c.values()}), 1)

    def test_interrupt_summary(self):
        remove("int.csv")
        p = self.start("--csv", "int.csv")
        wait_for_rows(self, "int.csv")
        p.send_signal(signal.SIGINT)
        out, _ = p.communicate(timeout=PATIENCE)
        self.assertIn(" of 1e+06 s: interrupted\n", out)

    def test_killed(self):
        remove("kill.csv")
        p = self.start("--csv", "kill.csv")
        wait_for_rows(self, "kill.csv")
        p.kill()
        p.communicate(timeout=PATIENCE)
        text = read("kill.csv")
        if not text.endswith("\n"):  # the system ends a write of many pages between two of them
            p = run("stats", "kill.csv", "t")
            self.assertEqual(p.returncode, 0, p.stderr)
            self.assertIn(f"line {text.count(chr(10)) + 1} has no end and is left out", p.stderr)
            write("kill.csv", text[:text.rfind("\n") + 1])
        self.assertGreater(len(table("kill.csv")["t"]), 1)

    def test_silent_in_a_pipe(self):
        remove("silent.csv")
        p = self.start("--csv", "silent.csv")
        wait_for_rows(self, "silent.csv")
        p.send_signal(signal.SIGINT)
        _, err = p.communicate(timeout=PATIENCE)
        self.assertRegex(err, r"^(trammel: warning: .*\n)*trammel: interrupted at t = \S+ s\n"
                              r"(trammel: note: results .*\n)?$")


class Terminal(Case):
    def on_terminal(self, *args, term="xterm", lines=0):
        """stderr of an endless run and its duration [s]; interrupted when there are rows and it has drawn so
        many lines."""
        write("endless.yaml", ENDLESS)
        remove("terminal.csv")
        master, slave = pty.openpty()
        start = time.monotonic()
        p = subprocess.Popen([TRAMMEL, "run", "endless.yaml", "--csv", "terminal.csv", *args],
                             stdout=subprocess.DEVNULL, stderr=slave, env={**os.environ, "TERM": term})
        os.close(slave)
        wait_for_rows(self, "terminal.csv")
        text, earliest, running = b"", time.monotonic() + 0.3, True  # a line would be drawn in that time
        try:
            while True:
                if running and time.monotonic() > earliest and text.count(b"\r") >= lines:
                    p.send_signal(signal.SIGINT)
                    running = False
                if select.select([master], [], [], 0.05)[0]:
                    text += os.read(master, 4096)
        except OSError:  # the other end is closed
            pass
        os.close(master)
        self.assertEqual(p.wait(timeout=PATIENCE), 1)
        return text.decode(), time.monotonic() - start

    def test_one_line_redrawn_and_cleared(self):
        text, seconds = self.on_terminal(lines=3)
        drawn = text.split("\r\x1b[K")[1:]
        self.assertGreaterEqual(len(drawn), 4, text)
        self.assertLessEqual(len(drawn), 10 * seconds + 3, text)  # ten a second, and the clearing
        # A warning (how many steps such a long run needs) may stand anywhere, also where the line was just
        # cleared and not drawn again when the run ended.
        drawn[-1] = re.sub(r"^(trammel: warning: [^\n]*\n)+", "", drawn[-1])
        for line in drawn[:-1]:
            if line.startswith("trammel: warning:"):
                continue
            self.assertRegex(line, r"^\[#*\.*\] +\d+ %  \S+ of 1e\+06 s  h \S+  \d+ steps  .* left$")
            self.assertLess(len(line), 80)
        self.assertTrue(drawn[-1].startswith("trammel: interrupted"), text)

    def test_none(self):
        for args, term in ((["--no-progress"], "xterm"), (["--quiet"], "xterm"), ([], "dumb")):
            self.assertNotIn("\x1b", self.on_terminal(*args, term=term)[0])


class LastRow(Case):
    """A run that fails shows how far it has come: its last good state is a row."""

    @each(("auto", "genalpha", "bdf", "radau5", "erk5", "adams", "ssp-trap"))
    def test_of_a_failed_run(self, method):
        write("last.yaml", PENDULUM.replace("output_step: 0.01, step: 1e-3", "output_step: 0.1")
              + "forces:\n  f: {type: applied, at: bob, force: [sqrt(0.237 - t), 0]}\n")
        remove("last.csv")
        p = run("run", "last.yaml", "--method", method, "--csv", "last.csv", "-q")
        self.assertEqual(p.returncode, 1, p.stderr)
        rows = [float(line.split(",")[0]) for line in csv_lines("last.csv")[1:]]
        failed = float(re.search(r"at t = (\S+) s", p.stderr).group(1))
        self.assertEqual(rows, sorted(set(rows)))
        self.assertAlmostEqual(rows[-1], failed, delta=2e-3)
        self.assertGreater(rows[-1], rows[-2])
        self.assertNotIn("nan", "".join(csv_lines("last.csv")))


if __name__ == "__main__":
    main()
