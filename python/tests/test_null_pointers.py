"""Public functions take NULL for each of their pointers while the others are valid: nothing ends the process.

The functions are those of the headers, and a C program that calls them is made of these; each call is made in
a process of its own. What they return for NULL is held by test_null_arguments.c of the libraries."""
import glob
import os
import re
import subprocess

from common import CART, SOURCE, Case, trammel, unittest

COMPILER = os.environ.get("CC", "cc")
ARGUMENT = re.compile(r"^(?:const )?(\w+) ?((?:\*|const|\s)*)(\w+)?(\[\d*\])?$")
# Archives are in the hands of functions `archive` only, for as long as these run.
WITHOUT_OBJECT = "tml_archive"
STUDY = """model: cart.yaml
sampling: {method: random, members: 2, seed: 1}
parameters: {m: {from: 1, to: 2}}
quantities: {far: {of: cart.x, take: final}}
"""

HEAD = r"""
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <trammel/plot.h>
#include <trammel/trammel.h>
#include <trammel/view.h>
#include <unistd.h>

static tml_error err;
static double numbers[4096];
static int zeros[4096];
static long longs[16];
static bool truths[16];
static unsigned char bytes[1 << 16];
static const char *texts[4] = {"a.csv", "b.csv", "c.csv", "d.csv"};
static tml_env environment;
static tml_spec *o_tml_spec;
static tml_model *o_tml_model;
static tml_sim *o_tml_sim;
static tml_state *o_tml_state;
static const tml_system *o_tml_system;
static tml_result *o_tml_result;
static tml_writer *o_tml_writer;
static tml_robot *o_tml_robot;
static tml_study *o_tml_study;
static tml_study_worker *o_tml_study_worker;
static tml_study_table *o_tml_study_table;
static tml_scene *o_tml_scene;
static tml_plot *o_tml_plot;
static tml_modes *o_tml_modes;
static tml_linear *o_tml_linear;
static tml_check *o_tml_check;
static tml_mesh *o_tml_mesh;
static tml_part *o_tml_part;
static const tml_method_ops *o_tml_method_ops;

static void ok(tml_status st, const char *what)
{
    if (st == TML_OK) return;
    fprintf(stderr, "%s: %s\n", what, err.msg);
    exit(2);
}
#define OK(call) ok(call, #call)

static void make(void)
{
    const tml_channel channel = {.name = "t", .unit = "s", .dataset = "/t", .width = 1};
    const tml_plot_def plot = tml_plot_def_default();
    const tml_modes_def modes = tml_modes_def_default();
    tml_study_progress progress;
    tml_study_run_def run = tml_study_run_def_default();
    OK(tml_spec_read("cart.yaml", NULL, 0, NULL, &o_tml_spec, &err));
    OK(tml_model_build(o_tml_spec, &o_tml_model, &err));
    OK(tml_sim_create(o_tml_model, NULL, &o_tml_sim, &err));
    o_tml_system = tml_sim_system(o_tml_sim);
    OK(tml_state_create(o_tml_system, &o_tml_state, &err));
    tml_state_copy(o_tml_state, tml_sim_state(o_tml_sim));
    OK(tml_sim_record(o_tml_sim, &err));
    OK(tml_sim_run(o_tml_sim, 0.2, &err));
    OK(tml_result_write(tml_sim_recorded(o_tml_sim), "a.csv", NULL, 0, &err));
    OK(tml_sim_save(o_tml_sim, "a.sim", &err));
    OK(tml_result_open("a.csv", NULL, &o_tml_result, &err));
    OK(tml_writer_create("b.csv", &channel, 1, NULL, 0, NULL, &o_tml_writer, &err));
    OK(tml_robot_create(o_tml_model, &o_tml_robot, &err));
    OK(tml_study_read("study.yaml", NULL, &o_tml_study, &err));
    OK(tml_study_worker_create(o_tml_study, &o_tml_study_worker, &err));
    run.out = "j";
    OK(tml_study_run(o_tml_study, &run, &progress, &err));
    OK(tml_study_table_read(o_tml_study, "j.journal", &o_tml_study_table, &err));
    OK(tml_scene_create(o_tml_spec, o_tml_model, NULL, &o_tml_scene, &err));
    OK(tml_plot_create(&plot, NULL, &o_tml_plot, &err));
    OK(tml_modes_create(o_tml_model, o_tml_state, &modes, &o_tml_modes, &err));
    OK(tml_linear_create(o_tml_sim, o_tml_state, &o_tml_linear, &err));
    OK(tml_check_create(o_tml_model, 0, &o_tml_check, &err));
    o_tml_method_ops = tml_methods[0];
    memset(&err, 0, sizeof err);
}

// Whether a call ends its process; one that takes longer than 20 s is no matter of this test.
static int begins(const char *name)
{
    int status;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
        return 1;
    }
    if (child < 0 || waitpid(child, &status, 0) < 0) exit(2);
    if (WIFSIGNALED(status) && WTERMSIG(status) != SIGALRM)
        printf("%s: %s\n", name, strsignal(WTERMSIG(status)));
    else if (!WIFSIGNALED(status) && WEXITSTATUS(status) != 0)
        printf("%s: exit %d\n", name, WEXITSTATUS(status));
    return 0;
}
"""


def functions():
    """Name and [(type, number of stars, name)] of each function of the headers."""
    for path in sorted(glob.glob(os.path.join(SOURCE, "include", "trammel", "*.h"))):
        with open(path, encoding="utf-8") as f:
            text = re.sub(r"/\*.*?\*/|//[^\n]*", "", f.read(), flags=re.S)
        for name, arguments in re.findall(r"^TML_API [^;=()]*?\b(tml_\w+)\(([^;]*)\);", text, re.M):
            taken = []
            for a in arguments.split(","):
                kind, stars, word, array = ARGUMENT.match(" ".join(a.split())).groups()
                if kind != "void" or stars:
                    taken.append((kind, stars.count("*") + bool(array), word))
            yield name, taken


def value(kind, stars, word, definitions):
    """A valid argument."""
    if stars == 0:
        return {"double": "0.25", "size_t": "1", "bool": "true"}.get(kind, "1" if "count" in word else "0")
    if kind == "char":
        if stars == 2:
            return "texts"
        if kind == "char" and word == "text":
            return "(char[64]){\"a\"}"
        return {"path": '"a.csv"', "name": '"cart"', "out": '"o"', "journal": '"j.journal"'}.get(word, '"a"')
    plain = {"double": "numbers", "int": "zeros", "long": "longs", "bool": "truths", "void": "bytes",
             "size_t": "&(size_t){1}", "tml_env": "&environment", "tml_error": "&err"}
    if stars == 1 and kind in plain:
        return plain[kind]
    if stars == 2:
        if word == "plots":
            return "(const tml_plot *[]){o_tml_plot}"
        return f"({kind if kind != 'tml_method_ops' else 'const ' + kind} *[1]){{NULL}}"
    if f"o_{kind};" in HEAD:
        return f"(void *)(uintptr_t)o_{kind}"
    if kind + "_default" in definitions:
        return f"({kind}[1]){{{kind}_default()}}"
    return f"({kind}[1]){{{{0}}}}"


def program():
    lines, known = [HEAD, "int main(void)\n{\n    make();"], list(functions())
    definitions = {name for name, _ in known}
    for name, arguments in known:
        if any(a[0] == WITHOUT_OBJECT for a in arguments):
            continue
        valid = [value(*a, definitions) for a in arguments]
        pointers = [i for i, a in enumerate(arguments) if a[1]]
        for nulls in [[i] for i in pointers] + [pointers]:
            given = ["NULL" if i in nulls else v for i, v in enumerate(valid)]
            what = ", ".join(arguments[i][2] for i in nulls)
            lines.append(f'    if (begins("{name}({what}: NULL)")) {{\n        {name}({", ".join(given)});\n'
                         "        _exit(0);\n    }")
    return "\n".join(lines + ["    return 0;\n}\n"])


class Null(Case):
    maxDiff = None

    def test_each_pointer(self):
        library = trammel._library.PATH  # pylint: disable=protected-access
        folder, place = self.folder(), os.path.dirname(os.path.realpath(library))
        cart = "parameters: {m: 2}\n" + CART.replace("mass: 2", "mass: m")
        for name, text in (("cart.yaml", cart), ("study.yaml", STUDY), ("all.c", program())):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(text)
        built = subprocess.run([COMPILER, "-std=c17", "-g", "-w", "-I", os.path.join(SOURCE, "include"),
                                "all.c", "-o", "all", library, os.path.join(place, "libtrammel_view.so"),
                                os.path.join(place, "libtrammel_plot.so"), f"-Wl,-rpath,{place}"],
                               cwd=folder, capture_output=True, text=True, check=False)
        self.assertEqual(built.returncode, 0, built.stderr[:3000])
        done = subprocess.run([os.path.join(folder, "all")], cwd=folder, capture_output=True, text=True,
                              check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr[-3000:])


if __name__ == "__main__":
    unittest.main()
