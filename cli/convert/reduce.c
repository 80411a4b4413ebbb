// trammel reduce: the reduced part of a modal body from the matrices of a mesh, or from a model of the part.
#include "base/base.h"
#include "cli/common/cli.h"
#include "cli/common/settings.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/part.h>

enum { MAX_INTERFACE = 200, SHOWN_MODES = 20 };

typedef struct reduce_values {
    const char *source, *mass, *nodes, *interface, *reference, *out, *matrices;
    int modes;
    double frequency;
    cli_list load, tie, set, folders;
    cli_files *files;
} reduce_values;

#define AT(member) offsetof(reduce_values, member)
static const cli_option options[] = {
    CLI_OPTION_ARGUMENT(
        "SOURCE", CLI_ARGUMENT, AT(source), CLI_FILE_READ,
        "stiffness matrix of the free part (Matrix Market, .mtx), or a model of it (YAML or JSON)"),
    CLI_OPTION_TEXT("--mass", 0, AT(mass), "FILE", CLI_FILE_READ, "mass matrix (Matrix Market)"),
    CLI_OPTION_TEXT(
        "--nodes", 0, AT(nodes), "FILE", CLI_FILE_READ,
        "nodes of the matrices: CSV with the columns node, x, y, z, ux, uy, uz, rx, ry, rz, the last six "
        "with the row of the coordinate in the matrices, 0: none"),
    CLI_OPTION_TEXT(
        "--interface", 0, AT(interface), "NODES", CLI_FILE_NONE,
        "interface nodes, separated by commas; of a model: NAME=FRAME, such as root=arm.start,tip=arm.end"),
    CLI_OPTION_NUMBER("--modes", CLI_INTEGER, TMLI_RANGE_NONNEGATIVE, AT(modes), "N", NULL,
                      "number of modes with fixed interface nodes; default 8 without --frequency"),
    CLI_OPTION_NUMBER("--frequency", CLI_NUMBER, TMLI_RANGE_POSITIVE, AT(frequency), "HZ", NULL,
                      "modes up to this frequency; with --modes at most so many"),
    CLI_OPTION_TEXT("--reference", 0, AT(reference), "NODE", CLI_FILE_NONE,
                    "interface node that carries the floating frame; default: the first one"),
    CLI_OPTION_LIST("--load", AT(load), "LOAD[=FILE]", CLI_FILE_NONE,
                    "load case of geometric stiffening, NODE.x ... NODE.rz (a force or moment on an "
                    "interface node) or spin.xx ... spin.yz (centrifugal forces); with matrices: its "
                    "geometric stiffness (Matrix Market); may be repeated"),
    CLI_OPTION_LIST("--tie", AT(tie), "NAME=NODES", CLI_FILE_NONE,
                    "with matrices: a new node in the middle of these (separated by commas), which moves "
                    "them as a rigid body: the surface of a solid as an interface node; may be repeated"),
    CLI_SET(AT(set)),
    CLI_ALLOW_PATH(AT(folders)),
    CLI_OPTION_TEXT("--out", 'o', AT(out), "FILE", CLI_FILE_WRITTEN,
                    "write the part, for 'part:' of a modal body"),
    CLI_OPTION_TEXT(
        "--matrices", 0, AT(matrices), "PREFIX", CLI_FILE_NONE,
        "write the matrices and nodes before the reduction: PREFIX_stiffness.mtx, PREFIX_mass.mtx, "
        "PREFIX_nodes.csv, PREFIX_stiffening_LOAD.mtx"),
};
#undef AT

/** Names before and, if there is one, after '='. */
typedef struct name_list {
    int count;
    const char *name[MAX_INTERFACE], *frame[MAX_INTERFACE];
    char *text;
} name_list;

static tml_status split(const char *text, name_list *out, tml_error *err)
{
    out->text = tmli_strdup(NULL, text);
    if (!out->text) return tmli_no_memory(err, "reduce");
    for (char *word = strtok(out->text, ", "); word; word = strtok(NULL, ", ")) {
        if (out->count == MAX_INTERFACE)
            return tmli_fail(err, TML_ERR_ARG, "--interface: more than %d nodes.", MAX_INTERFACE);
        char *equals = strchr(word, '=');
        out->name[out->count] = word;
        out->frame[out->count++] = equals ? equals + 1 : word;
        if (equals) *equals = 0;
    }
    return out->count > 0 ? TML_OK : tmli_fail(err, TML_ERR_ARG, "--interface: no node is given.");
}

static bool is_matrix(const char *path)
{
    const size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".mtx") == 0;
}

static tml_status check_usage(const reduce_values *v, tml_error *err)
{
    if (!v->interface)
        return tmli_fail(err, TML_ERR_ARG, "--interface is missing: the nodes to which a model attaches.");
    if (is_matrix(v->source) && (!v->mass || !v->nodes))
        return tmli_fail(err, TML_ERR_ARG, "%s is missing.", v->mass ? "--nodes" : "--mass");
    if (!is_matrix(v->source) && (v->mass || v->nodes || v->tie.count > 0))
        return tmli_fail(err, TML_ERR_ARG, "%s is for matrices; '%s' does not end in .mtx.",
                         v->mass    ? "--mass"
                         : v->nodes ? "--nodes"
                                    : "--tie",
                         v->source);
    if (!is_matrix(v->source) && v->load.count > 0 && v->reference)
        return tmli_fail(
            err, TML_ERR_ARG,
            "--reference: load cases of a model hold for the first interface node as reference.");
    return TML_OK;
}

// ---- sources ----------------------------------------------------------------------------------------------

static tml_status tie_nodes(const reduce_values *v, tml_mesh *mesh, tml_error *err)
{
    tml_status st = TML_OK;
    for (int i = 0; i < v->tie.count && st == TML_OK; i++) {
        char *text = tmli_strdup(NULL, v->tie.items[i]), *equals = text ? strchr(text, '=') : NULL;
        const size_t room = strlen(v->tie.items[i]) / 2 + 1;
        const char **node = tmli_calloc(NULL, room, sizeof *node);
        int count = 0;
        if (!text || !node) st = tmli_no_memory(err, "reduce");
        else if (!equals) st = tmli_fail(err, TML_ERR_ARG, "--tie: '%s' is not NAME=NODES.", text);
        if (st == TML_OK) {
            *equals = 0;
            for (char *word = strtok(equals + 1, ", "); word; word = strtok(NULL, ", ")) node[count++] = word;
            st = tml_mesh_tie(mesh, text, count, node, err);
        }
        tmli_free(NULL, (void *)node);
        tmli_free(NULL, text);
    }
    return st;
}

// The files of --load and --matrices.
static tml_status add_files(const reduce_values *v, tml_error *err)
{
    static const char *const endings[] = {"stiffness.mtx", "mass.mtx", "nodes.csv"};
    tml_status st = TML_OK;
    for (int i = 0; i < v->load.count && st == TML_OK; i++) {
        const char *equals = strchr(v->load.items[i], '=');
        if (equals) st = cli_files_add(v->files, CLI_FILE_READ, "--load", equals + 1, err);
    }
    for (int i = 0; i < 3 + v->load.count && v->matrices && st == TML_OK; i++) {
        const char *load = i < 3 ? "" : v->load.items[i - 3];
        const size_t room = strlen(v->matrices) + strlen(load) + 40;
        char *path = malloc(room);
        if (!path) return tmli_no_memory(err, "reduce");
        if (i < 3) snprintf(path, room, "%s_%s", v->matrices, endings[i]);
        else snprintf(path, room, "%s_stiffening_%.*s.mtx", v->matrices, (int)strcspn(load, "="), load);
        st = cli_files_add(v->files, CLI_FILE_WRITTEN, "--matrices", path, err);
        free(path);
    }
    return st;
}

static tml_status read_matrices(const reduce_values *v, const tml_env *env, tml_mesh **mesh, tml_error *err)
{
    tml_status st = tml_mesh_read(v->source, v->mass, v->nodes, env, mesh, err);
    for (int i = 0; i < v->load.count && st == TML_OK; i++) {
        const char *equals = strchr(v->load.items[i], '=');
        if (!equals) return tmli_fail(err, TML_ERR_ARG, "--load: '%s' is not LOAD=FILE.", v->load.items[i]);
        char *name = tmli_strndup(NULL, v->load.items[i], (size_t)(equals - v->load.items[i]));
        st = name ? tml_mesh_add_stiffening(*mesh, name, equals + 1, err) : tmli_no_memory(err, "reduce");
        tmli_free(NULL, name);
    }
    return st == TML_OK ? tie_nodes(v, *mesh, err) : st;
}

static tml_status read_model(const reduce_values *v, const name_list *nodes, const tml_env *env,
                             tml_mesh **mesh, tml_error *err)
{
    tml_spec *spec = NULL;
    tml_mesh_def def = tml_mesh_def_default();
    tml_status st = cli_read_model(v->source, &v->set, &v->folders, v->files, env, &spec, err);
    def.spec = spec;
    def.interface_count = nodes->count;
    def.interface = nodes->frame;
    def.names = nodes->name;
    def.load_count = v->load.count;
    def.load = v->load.items;
    if (st == TML_OK) st = tml_mesh_of_spec(&def, mesh, err);
    tml_spec_destroy(spec);
    return st;
}

// ---- report -----------------------------------------------------------------------------------------------

static tml_status print_report(const tml_mesh *mesh, const tml_part *part, tml_error *err)
{
    tml_part_info info;
    double free_frequency[SHOWN_MODES];
    int found;
    tml_status st = tml_part_get_info(part, &info, err);
    if (st == TML_OK) st = tml_part_free_frequencies(part, SHOWN_MODES, free_frequency, &found, err);
    if (st != TML_OK) return st;
    printf("Mesh       %d nodes, %d coordinates\n", tml_mesh_node_count(mesh), tml_mesh_size(mesh));
    printf("Part       %d interface nodes, %d modes: %d coordinates\n", info.node_count, info.mode_count,
           6 * info.node_count + info.mode_count);
    for (int i = 0; i < info.node_count; i++) {
        double x[3];
        st = tml_part_node_position(part, i, x, err);
        if (st != TML_OK) return st;
        printf("  %-16s [%.6g, %.6g, %.6g] m%s\n", CLI_VISIBLE(tml_part_node_name(part, i)), x[0], x[1], x[2],
               i == info.reference ? ", reference" : "");
    }
    printf("Mass       %.6g kg, centre [%.6g, %.6g, %.6g] m\n", info.mass, info.centre[0], info.centre[1],
           info.centre[2]);
    printf("Inertia    %.6g %.6g %.6g, %.6g %.6g %.6g kg m^2 (xx yy zz, xy xz yz)\n", info.inertia[0],
           info.inertia[1], info.inertia[2], info.inertia[3], info.inertia[4], info.inertia[5]);
    printf("Checks     symmetric, mass positive definite, rigid motion free of force to %.1e\n",
           info.rigid_residual);
    if (info.stiffening_count > 0) printf("Stiffening %d load cases\n", info.stiffening_count);
    printf("\nFrequencies [Hz]\n  %4s %14s %14s\n", "", "fixed", "free");
    for (int i = 0; i < SHOWN_MODES && (i < found || i < info.mode_count); i++) {
        printf("  %4d ", i + 1);
        if (i < info.mode_count) printf("%14.6g ", tml_part_fixed_frequency(part, i));
        else printf("%14s ", "-");
        if (i < found) printf("%14.6g\n", free_frequency[i]);
        else printf("%14s\n", "-");
    }
    return TML_OK;
}

static tml_status run(void *values, cli_call *c)
{
    enum { USUAL_MODES = 8 };
    const reduce_values *v = values;
    tml_mesh *mesh = NULL;
    tml_part *part = NULL;
    name_list nodes = {0};
    tml_reduce_def def = tml_reduce_def_default();
    tml_status st = check_usage(v, &c->err);
    if (st == TML_OK) st = add_files(v, &c->err);
    if (st == TML_OK) st = split(v->interface, &nodes, &c->err);
    if (st == TML_OK)
        st = is_matrix(v->source) ? read_matrices(v, &c->env, &mesh, &c->err)
                                  : read_model(v, &nodes, &c->env, &mesh, &c->err);
    if (st == TML_OK && v->matrices) st = tml_mesh_write(mesh, v->matrices, &c->err);
    def.interface_count = nodes.count;
    def.interface = nodes.name;
    def.reference = v->reference;
    def.frequency = isnan(v->frequency) ? 0 : v->frequency;
    def.modes = v->modes >= 0 ? v->modes : def.frequency > 0 ? -1 : USUAL_MODES;
    if (st == TML_OK) st = tml_part_reduce(mesh, &def, &part, &c->err);
    if (st == TML_OK && v->out) st = tml_part_write(part, v->out, &c->err);
    if (st == TML_OK) st = print_report(mesh, part, &c->err);
    if (st == TML_OK && v->out) printf("\nPart: %s\n", CLI_VISIBLE(v->out));
    tml_part_destroy(part);
    tml_mesh_destroy(mesh);
    tmli_free(NULL, nodes.text);
    return st;
}

const cli_command cli_command_reduce = {
    .name = "reduce",
    .summary = "Reduce an elastic part to interface nodes and modes, for modal bodies.",
    .notes =
        "The part has the static shapes of its interface nodes and the lowest modes with these nodes fixed "
        "(Craig-Bampton). docs/modal-bodies.md explains files and method.\n"
        "\n"
        "Examples:\n"
        "  trammel reduce K.mtx --mass M.mtx --nodes nodes.csv --interface 1,21 --modes 6 -o link.part\n"
        "  trammel reduce arm.yaml --interface root=arm.start,tip=arm.end --frequency 500 -o arm.part\n",
    CLI_OPTIONS(reduce_values),
    .files = offsetof(reduce_values, files),
    .run = run};
