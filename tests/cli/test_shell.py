"""Manual pages and shell completion: they name every option, and man and the shells accept them."""
import glob
import os
import re
import shutil
import subprocess

from common import TRAMMEL, Case, main, run


def commands():
    return re.findall(r"(?m)^  ([a-z]+)  +\w", run("--help").stdout.split("Options:")[0])


def options(command):
    """The names in the help text of a command: ["-o", "--out", ...]."""
    lines = re.findall(r"(?m)^  (-.*)$", run(command, "--help").stdout)
    return [name for line in lines for name in re.findall(r"(?:^|, )(--?[a-z][a-z-]*)", line.split("   ")[0])]


def shell(*args, text=None):
    return subprocess.run(args, input=text, capture_output=True, text=True, encoding="utf-8", check=False)


class Manual(Case):
    def test_every_command_and_option_is_there(self):
        self.assertGreater(len(commands()), 12)
        main_page = self.good("manual").stdout.replace("\\-", "-")
        for name in commands():
            self.assertIn(f"trammel-{name}", main_page)
            page = self.good("manual", name).stdout.replace("\\-", "-")
            for option in options(name):
                self.assertIn(f"\\fB{option}\\fR", page, name)

    def test_man_reads_all_pages(self):
        os.makedirs("pages", exist_ok=True)
        self.good("manual", "--all", "pages")
        pages = sorted(glob.glob("pages/*.1"))
        self.assertEqual(len(pages), len(commands()) + 1)
        if not shutil.which("man") or not shutil.which("groff"):
            self.skipTest("man is not installed")
        for page in pages:
            p = shell("groff", "-man", "-ww", "-Tutf8", "-P-c", page)
            self.assertEqual((p.returncode, p.stderr), (0, ""), page)
        p = subprocess.run(["man", "-l", "pages/trammel-run.1"], capture_output=True, text=True, check=False,
                           env={**os.environ, "MANWIDTH": "79", "MANPAGER": "cat", "LC_ALL": "C.UTF-8"})
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        text = re.sub(".\x08", "", p.stdout)
        self.assertIn("trammel run MODEL [options]", text)
        self.assertIn("-o, --out FILE", text)
        self.assertIn("  trammel run crank.yaml --tol 1e-6 --csv crank.csv", text)

    def test_wrong_names(self):
        self.assertIn("There is no command 'rum'", self.bad(2, "manual", "rum").stderr)
        self.assertIn("too many", self.bad(2, "manual", "run", "check").stderr)
        self.assertIn("give no command", self.bad(2, "manual", "run", "--all", ".").stderr)
        self.assertIn("Cannot write", self.bad(1, "manual", "--all", "absent/folder").stderr)
        self.assertIn("is it 'bash'?", self.bad(2, "completion", "bsh").stderr)


class Completion(Case):
    def test_every_option_is_there(self):
        bash, zsh, fish = (self.good("completion", s).stdout for s in ("bash", "zsh", "fish"))
        for name in commands():
            in_bash = re.search(rf"(?m)^    '{name} '\*\) options='(.*)' ;;", bash).group(1).split()
            in_zsh = zsh.split(f"\n    {name})\n")[1].split(";;")[0]
            in_fish = [x for x in fish.splitlines() if x.startswith(
                f"complete -c trammel -n '__fish_seen_subcommand_from {name}'")]
            self.assertEqual(sorted(in_bash), sorted(options(name)))
            for option in options(name):
                if option in ("-h", "--help"):
                    continue
                self.assertRegex(in_zsh, rf"'(\*|\([^)]*\))?{option}\[", name)
                flag = f" -l {option[2:]} " if option.startswith("--") else f" -s {option[1:]} "
                self.assertTrue(any(flag in x for x in in_fish), (name, option))

    def test_shells_accept_them(self):
        for name in ("bash", "zsh", "fish"):
            if shutil.which(name):
                p = shell(name, "-n", text=self.good("completion", name).stdout)
                self.assertEqual((p.returncode, p.stderr), (0, ""), name)

    def complete(self, *words):
        """What bash offers for the last of the words."""
        script = (f"source <('{TRAMMEL}' completion bash)\n"
                  f"COMP_WORDS=({' '.join(repr(w) for w in words)}); COMP_CWORD={len(words) - 1}\n"
                  "_trammel 2>/dev/null; printf '%s\\n' \"${COMPREPLY[@]}\"")
        p = shell("bash", "-c", script)
        self.assertEqual(p.returncode, 0, p.stderr)
        return p.stdout.split()

    def test_bash_offers_commands_options_and_values(self):
        if not shutil.which("bash"):
            self.skipTest("bash is not installed")
        self.assertEqual(self.complete("trammel", "kin"), ["kinematics"])
        self.assertEqual(self.complete("trammel", "run", "--max"), ["--max-step", "--max-order"])
        self.assertEqual(self.complete("trammel", "run", "--method", "radau"), ["radau3", "radau5"])
        self.assertEqual(self.complete("trammel", "run", "--placement", ""), ["nodes", "inner"])
        self.assertEqual(self.complete("trammel", "run", "--out", "x"), [])  # bash lists files


if __name__ == "__main__":
    main()
