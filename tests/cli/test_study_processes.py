"""trammel study in processes of one machine and of several, which are killed, too."""
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

from _studies import NAMES, STUDY, begin
from common import (PATIENCE, TRAMMEL, Case, fewer_unless_long, main, module_folder, read, remove,
                    skip_if_slow, write)

MODULE = os.path.join(module_folder() or "", "mpi.so")
MPI = shutil.which("mpirun") and os.path.exists(MODULE)
MPIRUN = ["mpirun", "--oversubscribe", "-n", "4", TRAMMEL, "study", "s.yaml"]
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_btl_vader_single_copy_mechanism="none", OMPI_MCA_btl="self,vader,tcp",
                   OMPI_MCA_btl_base_warn_component_unused="0")


def mpi_starts():
    """Whether mpirun can start processes on this machine at all, whatever they do."""
    p = subprocess.run(["mpirun", "--oversubscribe", "-n", "4", "true"], env=ENVIRONMENT, capture_output=True,
                       timeout=PATIENCE, check=False)
    return p.returncode == 0


def is_running(pid):
    """Whether a thread of a process is: the first one may be dead while others hold files."""
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/stat", encoding="utf-8") as f:
                if f.read().rsplit(")", 1)[1].split()[0] not in "ZX":
                    return True
    except OSError:
        return os.path.exists(f"/proc/{pid}/task")  # a thread has just ended: look again
    return False


def wait_for_end(mpirun, pids):
    """Of the processes of a study, then of mpirun. It may end before those that it has told to, and they
    hold the journal; and when all of them are dead it may wait for itself for ever (PMIx_server_finalize
    of Open MPI 4.1.4: a mutex of its own), which is not the study's."""
    end = time.monotonic() + PATIENCE / 4
    while any(map(is_running, pids)) and time.monotonic() < end:
        time.sleep(1e-3)
    alive = [pid for pid in pids if is_running(pid)]
    try:
        mpirun.wait(timeout=10)
    except subprocess.TimeoutExpired:
        mpirun.kill()
    return alive


def ranks(parent):
    """Processes of a study by rank: descendants of mpirun."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
                owner = int(f.read().rsplit(")", 1)[1].split()[1])
            with open(f"/proc/{pid}/environ", encoding="utf-8") as f:
                rank = re.search(r"OMPI_COMM_WORLD_RANK=(\d+)", f.read())
        except OSError:
            continue
        if owner == parent and rank:
            found[int(rank.group(1))] = int(pid)
    return found


@unittest.skipUnless(MPI, "no MPI in this build")
@skip_if_slow("MPI has leaks of its own")
class Processes(Case):
    """Members on many processes."""
    cost = 15  # [s]

    def setUp(self):
        if not mpi_starts():
            self.skipTest("mpirun cannot start processes here")
        begin()
        write("s.yaml", STUDY.replace("members: 16", "members: 256"))
        self.good("study", "s.yaml", "--threads", "1", "--out", "one")
        self.whole = read("one.csv")

    def test_table_of_one_process(self):
        p = subprocess.run(MPIRUN, env=ENVIRONMENT, capture_output=True, text=True, timeout=PATIENCE,
                           check=False)
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertNotIn("trammel", p.stderr)  # mpirun itself may have something to say
        self.assertIn("256 of 256, 0 failed", p.stdout)
        self.assertEqual(p.stdout.count("256 of 256"), 1)
        self.assertEqual(read("s.csv"), self.whole)
        p = subprocess.run(MPIRUN, env=ENVIRONMENT, capture_output=True, text=True, timeout=PATIENCE,
                           check=False)
        self.assertEqual(p.returncode, 2, p.stdout)  # there is a journal: all processes end
        self.assertEqual(p.stderr.count("--resume continues the study"), 1, p.stderr)

    def test_killed(self):
        """Whatever processes are killed, and whenever: after --resume nothing is lost, nothing is there
        twice. The moment is a number of lines of the journal; the result does not depend on it."""
        victims = ((0,), (1,), (3,), (0, 1, 2, 3), (2,), (0,), (1, 2), (3,), (0, 3), (1,))
        for i, victim in enumerate(fewer_unless_long(victims, 3 * victims)):
            remove(*NAMES)
            with subprocess.Popen(MPIRUN, env=ENVIRONMENT, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL) as p:
                while p.poll() is None and (not os.path.exists("s.journal")
                                            or read("s.journal").count("\n") < 2 + 20 * i % 256):
                    time.sleep(1e-3)
                pids = ranks(p.pid)
                for rank in victim:
                    if rank in pids:
                        try:
                            os.kill(pids[rank], signal.SIGKILL)
                        except ProcessLookupError:
                            pass
                self.assertEqual(wait_for_end(p, pids.values()), [], (i, victim))
            self.good("study", "s.yaml", "--resume", "--threads", "2")
            self.assertEqual(read("s.csv"), self.whole, (i, victim))
            members = [line.split(",")[0] for line in read("s.journal").splitlines()[2:]]
            self.assertEqual(len(members), len(set(members)))
            self.assertEqual(len(members), 256)


AGENT = """\
#!/bin/sh
# in place of ssh: runs a command on the "machine" of an address
case $1 in *.1) name={a} ;; *) name={b} ;; esac
shift
exec ip netns exec $name unshare -u sh -c "hostname $name; $*"
"""


def ip(*args):
    return subprocess.run(["ip", *args], capture_output=True, text=True, timeout=PATIENCE, check=False)


@unittest.skipUnless(MPI and all(map(shutil.which, ("ip", "unshare", "hostname"))), "no MPI or no namespaces")
@skip_if_slow("MPI has leaks of its own")
class Machines(Case):
    """Two machines with addresses of their own: network namespaces, joined by a cable."""

    def setUp(self):
        begin()
        write("s.yaml", STUDY.replace("members: 16", "members: 256"))
        self.good("study", "s.yaml", "--threads", "1", "--out", "one")
        self.names = [f"tml{x}{os.getpid()}" for x in "ab"]
        self.addCleanup(self.remove_machines)
        for name in self.names:
            if ip("netns", "add", name).returncode:
                self.skipTest("no network namespaces here")
        cable = [f"v{x}{os.getpid()}" for x in "ab"]
        done = [ip("link", "add", cable[0], "type", "veth", "peer", "name", cable[1])]
        for i, name in enumerate(self.names):
            done += [ip("link", "set", cable[i], "netns", name),
                     ip("-n", name, "addr", "add", f"10.77.0.{i + 1}/24", "dev", cable[i]),
                     ip("-n", name, "link", "set", cable[i], "up"), ip("-n", name, "link", "set", "lo", "up")]
        if any(p.returncode for p in done):
            self.skipTest("no cable between network namespaces here")
        self.cable = cable
        write("agent", AGENT.format(a=self.names[0], b=self.names[1]))
        os.chmod("agent", 0o755)
        net = "10.77.0.0/24"
        mpirun = ["mpirun", "--mca", "plm_rsh_agent", os.path.abspath("agent"), "--mca", "btl", "tcp,self",
                  "--mca", "btl_tcp_if_include", net, "--mca", "oob_tcp_if_include", net,
                  "--host", "10.77.0.1:2,10.77.0.2:2", "-n", "4"]
        start = ["ip", "netns", "exec", self.names[0], "unshare", "-u", "sh", "-c"]
        words = f"hostname {self.names[0]}; exec {' '.join(mpirun)}"
        p = subprocess.run([*start, f"{words} true"], env=ENVIRONMENT, capture_output=True, text=True,
                           timeout=PATIENCE, check=False)
        if p.returncode:
            self.skipTest("mpirun cannot start processes in network namespaces here")
        self.command = [*start, f"{words} {TRAMMEL} study s.yaml"]

    def end_processes(self):
        for name in self.names:
            while pids := ip("netns", "pids", name).stdout.split():  # until they are gone
                for pid in pids:
                    try:
                        os.kill(int(pid), signal.SIGKILL)
                    except ProcessLookupError:
                        pass
                time.sleep(1e-2)

    def remove_machines(self):
        self.end_processes()
        for name in self.names:
            ip("netns", "del", name)

    def test_one_study(self):
        p = subprocess.run(self.command, env=ENVIRONMENT, capture_output=True, text=True, timeout=PATIENCE,
                           check=False)
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertEqual(read("s.csv"), read("one.csv"))

    def test_cut_off(self):
        """One machine loses its cable; what is not there when the scheduler ends the job, --resume runs."""
        with subprocess.Popen(self.command, env=ENVIRONMENT, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as p:
            while p.poll() is None and (not os.path.exists("s.journal")
                                        or read("s.journal").count("\n") < 60):
                time.sleep(1e-3)
            ip("-n", self.names[1], "link", "set", self.cable[1], "down")
            before = read("s.journal")
            self.end_processes()
            p.wait(timeout=PATIENCE)
        self.good("study", "s.yaml", "--resume")
        self.assertEqual(read("s.csv"), read("one.csv"))
        self.assertTrue(read("s.journal").startswith(before[:before.rfind("\n") + 1]))


if __name__ == "__main__":
    main()
