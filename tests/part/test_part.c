// Meshes and parts: files and their errors, Craig-Bampton reduction against formulas of a bar.
#include "part/part.h"
#include "support/support.h"

static tml_error err;

#define OK(call)                                                  \
    do {                                                          \
        if ((call) != TML_OK) fail_msg("%s: %s", #call, err.msg); \
    } while (0)

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

// ---- a mesh of springs ------------------------------------------------------------------------------------

// A straight chain of nodes along x with six springs and a mass between neighbours. Springs act on the
// relative motion at the left node, moved there as a rigid body, so that rigid motion strains nothing.
static void write_chain(int nodes, bool lumped_rotations)
{
    FILE *k = fopen("k.mtx", "w"), *m = fopen("m.mtx", "w"), *n = fopen("n.csv", "w");
    const int size = 6 * nodes;
    const double h = 0.05, s[6] = {8e5, 3e5, 2e5, 40, 50, 70};
    fprintf(k, "%%%%MatrixMarket matrix array real general\n%d %d\n", size, size);
    fprintf(m, "%%%%MatrixMarket matrix coordinate real symmetric\n%% lumped\n%d %d %d\n", size, size, size);
    fprintf(n, "# a chain\nnode; x; y; z; ux; uy; uz; rx; ry; rz\n");
    double *K = calloc((size_t)(size * size), sizeof *K);
    for (int e = 0; e + 1 < nodes; e++)
        for (int c = 0; c < 6; c++) {
            double row[12] = {0};  // strain of spring c: relative displacement of the two nodes
            row[c] = -1;
            row[6 + c] = 1;
            if (c == 1) row[5] -= h / 2, row[11] -= h / 2;  // uy of the right node minus h rz
            if (c == 2) row[4] += h / 2, row[10] += h / 2;
            for (int i = 0; i < 12; i++)
                for (int j = 0; j < 12; j++) K[(6 * e + i) * size + 6 * e + j] += s[c] * row[i] * row[j];
        }
    for (int j = 0; j < size; j++)
        for (int i = 0; i < size; i++) fprintf(k, "%.17g\n", K[i * size + j]);
    for (int i = 0; i < size; i++)
        fprintf(m, "%d %d %.17g\n", i + 1, i + 1, i % 6 < 3 ? 0.2 : lumped_rotations ? 3e-4 : 1e-9);
    for (int i = 0; i < nodes; i++)
        fprintf(n, "%d; %.17g; 0; 0; %d; %d; %d; %d; %d; %d\n", i + 1, h * i, 6 * i + 1, 6 * i + 2, 6 * i + 3,
                6 * i + 4, 6 * i + 5, 6 * i + 6);
    free(K);
    fclose(k);
    fclose(m);
    fclose(n);
}

static tml_status reduce_chain(const char *nodes, int modes, tml_part **part)
{
    tml_mesh *mesh = NULL;
    char text[64];
    const char *name[4];
    tml_reduce_def def = tml_reduce_def_default();
    snprintf(text, sizeof text, "%s", nodes);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) name[def.interface_count++] = word;
    def.interface = name;
    def.modes = modes;
    tml_status st = tml_mesh_read("k.mtx", "m.mtx", "n.csv", NULL, &mesh, &err);
    if (st == TML_OK) st = tml_part_reduce(mesh, &def, part, &err);
    tml_mesh_destroy(mesh);
    return st;
}

// Longitudinal vibration of a chain of N equal masses m with springs s: w = 2 sqrt(s/m) sin(j pi/(2 N)) free,
// and with both end masses fixed 2 sqrt(s/m) sin(j pi/(2 (N - 1))).
static void frequencies(void **state)
{
    (void)state;
    enum { NODES = 12 };
    const double pi = 3.14159265358979323846, w0 = 2 * sqrt(8e5 / 0.2) / (2 * pi);
    tml_part *part = NULL;
    double free_frequency[6 * NODES];
    int found;
    write_chain(NODES, true);
    for (int modes = 6 * (NODES - 2); modes >= 12; modes -= 24) {  // all of them, or fewer
        OK(reduce_chain("1 12", modes, &part));
        OK(tml_part_free_frequencies(part, 6 * NODES, free_frequency, &found, &err));
        for (int j = 1; j < NODES - 1; j++) {
            double best[2] = {INFINITY, INFINITY};
            const double fixed = w0 * sin(j * pi / (2 * (NODES - 1))), loose = w0 * sin(j * pi / (2 * NODES));
            for (int i = 0; i < modes; i++)
                best[0] = fmin(best[0], fabs(tml_part_fixed_frequency(part, i) / fixed - 1));
            for (int i = 0; i < found; i++) best[1] = fmin(best[1], fabs(free_frequency[i] / loose - 1));
            if (fixed < tml_part_fixed_frequency(part, modes - 1)) CHECK_SMALL(best[0], 1e-9);
            if (modes == 6 * (NODES - 2)) CHECK_SMALL(best[1], 1e-8);  // nothing was left out
        }
        tml_part_info info;
        OK(tml_part_get_info(part, &info, &err));
        CHECK_CLOSE(info.mass, 0.2 * NODES, 1e-12);
        CHECK_CLOSE(info.centre[0], 0.05 * (NODES - 1) / 2, 1e-12);
        double J = 3e-4 * NODES;
        for (int i = 0; i < NODES; i++) J += 0.2 * pow(0.05 * (i - (NODES - 1) / 2.0), 2);
        CHECK_CLOSE(info.inertia[1], J, 1e-12);
        CHECK_CLOSE(info.inertia[0], 3e-4 * NODES, 1e-12);
        assert_true(info.rigid_residual < 1e-14);
        tml_part_destroy(part);
    }
}

// Large meshes go by iteration, small ones by dense matrices: both find the same modes, pairs of equal
// frequencies included.
static void large_mesh(void **state)
{
    (void)state;
    enum { NODES = 60, MODES = 20 };
    tml_part *part = NULL;
    write_chain(NODES, true);
    OK(reduce_chain("1 60", MODES, &part));  // 348 inner coordinates: iteration
    double found[MODES];
    for (int i = 0; i < MODES; i++) found[i] = tml_part_fixed_frequency(part, i);
    tml_part_destroy(part);
    OK(reduce_chain("1 60", 348, &part));  // all of them
    for (int i = 0; i < MODES; i++) CHECK_CLOSE(found[i], tml_part_fixed_frequency(part, i), 1e-7 * found[i]);
    tml_part_destroy(part);
}

// Names with commas and quotes are read back from the file of nodes that is written.
static void named_nodes(void **state)
{
    (void)state;
    static const char *const two[] = {"1", "2"}, *const interface[] = {"a, \"b\"", "3"};
    tml_mesh *mesh = NULL, *again = NULL;
    tml_part *part = NULL;
    tml_reduce_def def = tml_reduce_def_default();
    write_chain(4, true);
    OK(tml_mesh_read("k.mtx", "m.mtx", "n.csv", NULL, &mesh, &err));
    OK(tml_mesh_tie(mesh, interface[0], 2, two, &err));
    OK(tml_mesh_write(mesh, "named", &err));
    OK(tml_mesh_read("named_stiffness.mtx", "named_mass.mtx", "named_nodes.csv", NULL, &again, &err));
    def.interface_count = 2;
    def.interface = interface;
    def.modes = 1;
    OK(tml_part_reduce(again, &def, &part, &err));
    tml_part_destroy(part);
    tml_mesh_destroy(mesh);
    tml_mesh_destroy(again);
}

// Nodes tied to one move as a rigid body: mass and inertia stay, and the others are one spring shorter.
static void tied_nodes(void **state)
{
    (void)state;
    static const char *const first[] = {"1", "2", "3"}, *const interface[] = {"end", "8"};
    tml_mesh *mesh = NULL;
    tml_part *part = NULL, *whole = NULL;
    tml_part_info a, b;
    tml_reduce_def def = tml_reduce_def_default();
    write_chain(8, true);
    OK(reduce_chain("1 8", 6, &whole));
    OK(tml_mesh_read("k.mtx", "m.mtx", "n.csv", NULL, &mesh, &err));
    OK(tml_mesh_tie(mesh, "end", 3, first, &err));
    assert_int_equal(tml_mesh_node_count(mesh), 6);
    assert_int_equal(tml_mesh_size(mesh), 36);
    def.interface_count = 2;
    def.interface = interface;
    def.modes = 24;
    OK(tml_part_reduce(mesh, &def, &part, &err));
    OK(tml_part_get_info(part, &a, &err));
    OK(tml_part_get_info(whole, &b, &err));
    CHECK_CLOSE(a.mass, b.mass, 1e-13);
    for (int i = 0; i < 3; i++) CHECK_CLOSE(a.centre[i], b.centre[i], 1e-13);
    for (int i = 0; i < 6; i++) CHECK_CLOSE(a.inertia[i], b.inertia[i], 1e-13);
    CHECK_CLOSE(part->position[0], 0.05, 1e-15);
    // axial springs between 3 and 8: five, and four masses between fixed ends
    const double pi = 3.14159265358979323846, w = 2 * sqrt(8e5 / 0.2) * sin(pi / 10) / (2 * pi);
    double best = INFINITY;
    for (int i = 0; i < 24; i++) best = fmin(best, fabs(tml_part_fixed_frequency(part, i) / w - 1));
    CHECK_SMALL(best, 1e-10);
    assert_int_equal(tml_mesh_tie(mesh, "x", 1, first, &err), TML_ERR_NAME);
    tml_mesh_destroy(mesh);
    tml_part_destroy(part);
    tml_part_destroy(whole);
}

// ---- files ------------------------------------------------------------------------------------------------

static void round_trip(void **state)
{
    (void)state;
    tml_part *a = NULL, *b = NULL;
    write_chain(5, true);
    OK(reduce_chain("2 5", 4, &a));
    OK(tml_part_write(a, "chain.part", &err));
    OK(tml_part_read("chain.part", NULL, &b, &err));
    assert_int_equal(b->nnodes, 2);
    assert_int_equal(b->nmodes, 4);
    const size_t square = (size_t)(a->N * a->N) * sizeof(double);
    assert_memory_equal(a->M, b->M, square);
    assert_memory_equal(a->K, b->K, square);
    for (int k = 0; k < 3; k++) assert_memory_equal(a->A[k], b->A[k], square);
    for (int k = 0; k < TMLI_PAIRS; k++) assert_memory_equal(a->B[k], b->B[k], square);
    assert_string_equal(tml_part_node_name(b, 1), "5");
    tml_part_destroy(a);
    tml_part_destroy(b);
}

static void refused(tml_status st, tml_status expected, const char *file, int line, const char *text)
{
    if (st != expected) fail_msg("status %d, expected %d: %s", st, expected, err.msg);
    if (!strstr(err.msg, text)) fail_msg("'%s' does not have '%s'", err.msg, text);
    if (file) assert_string_equal(err.file, file);
    if (line > 0) assert_int_equal(err.line, line);
}

// Replace line `line` of a file.
static void edit(const char *path, int line, const char *text)
{
    FILE *f = fopen(path, "r"), *out = fopen("edited", "w");
    char buffer[1 << 14];
    for (int i = 1; fgets(buffer, sizeof buffer, f); i++) fputs(i == line ? text : buffer, out);
    fclose(f);
    fclose(out);
    assert_int_equal(rename("edited", path), 0);
}

static void bad_matrices(void **state)
{
    (void)state;
    tml_part *part = NULL;
    static const struct {
        const char *file;
        int line;
        const char *text;
        tml_status status;
        int at;
        const char *message;
    } cases[] = {
        {"k.mtx", 1, "%%MatrixMarket matrix array complex general\n", TML_ERR_SYNTAX, 1, "expected real"},
        {"k.mtx", 1, "K = [1 2]\n", TML_ERR_SYNTAX, 1, "not that of a Matrix Market file"},
        {"k.mtx", 2, "18 12\n", TML_ERR_MODEL, 2, "18 rows and 12 columns"},
        {"k.mtx", 4, "1e5\n", TML_ERR_MODEL, 4, "stiffness matrix is not symmetric: entry (2, 1) is 100000"},
        {"k.mtx", 3, "-8e5\n", TML_ERR_MODEL, 3, "not positive: entry (1, 1)"},
        {"k.mtx", 7, "x\n", TML_ERR_SYNTAX, 7, "'x', expected a number"},
        {"m.mtx", 3, "12 12 18\n", TML_ERR_SYNTAX, 16,
         "the row of an entry is 13, expected an integer from 1"},
        {"m.mtx", 4, "1 1 -0.2\n", TML_ERR_MODEL, 4, "the mass matrix is not positive: entry (1, 1)"},
        {"m.mtx", 4, "1 2 0.1\n", TML_ERR_MODEL, 4, "above the diagonal"},
        {"m.mtx", 4, "", TML_ERR_SYNTAX, 0, "ends after 17 of 18 entries"},
        {"n.csv", 2, "node; x; y; z; ux; uy\n", TML_ERR_SYNTAX, 2, "the column 'uz' is missing"},
        {"n.csv", 3, "1; 0; 0; zero; 1; 2; 3; 4; 5; 6\n", TML_ERR_SYNTAX, 3, "'z' is 'zero'"},
        {"n.csv", 3, "1; 0; 0; 0; 1; 2; 3; 4; 5; 60\n", TML_ERR_MODEL, 3,
         "a row of the matrices from 1 to 18"},
        {"n.csv", 3, "2; 0; 0; 0; 1; 2; 3; 4; 5; 6\n", TML_ERR_NAME, 0, "there are two nodes '2'"},
        {"n.csv", 4, "2; 0.05; 0; 0; 1; 8; 9; 10; 11; 12\n", TML_ERR_MODEL, 4, "belongs to node '1' and to"},
        {"n.csv", 4, "", TML_ERR_MODEL, 1, "row 7 of the matrices belongs to no node"},
        {"n.csv", 3, "1; 0; 0; 0; 1; 2; 3; 4; 5\n", TML_ERR_MODEL, 1, "row 6 of the matrices belongs to no"},
        {"n.csv", 4, "2; 0.07; 0; 0; 7; 8; 9; 10; 11; 12\n", TML_ERR_MODEL, 0, "the part is not free: rigid"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_chain(3, true);
        edit(cases[i].file, cases[i].line, cases[i].text);
        const tml_status st = reduce_chain("1 3", 2, &part);
        refused(st, cases[i].status, cases[i].file[0] == 'n' && cases[i].at == 0 ? NULL : cases[i].file,
                cases[i].at, cases[i].message);
    }
    write_chain(3, true);
    put("m.mtx", "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 2\n");
    refused(reduce_chain("1 3", 2, &part), TML_ERR_MODEL, "m.mtx", 1,
            "the mass matrix has 1 rows, the stiffness matrix 18");
    write_chain(3, true);
    refused(reduce_chain("1 4", 2, &part), TML_ERR_NAME, "n.csv", 0, "the mesh has no node '4'");
    refused(reduce_chain("1 1", 2, &part), TML_ERR_NAME, "n.csv", 3, "given twice");
    remove("m.mtx");
    refused(reduce_chain("1 3", 2, &part), TML_ERR_IO, NULL, 0, "'m.mtx' cannot be opened");
}

// A support at any coordinate is found where it is.
static void supported(void **state)
{
    (void)state;
    enum { NODES = 3, SIZE = 6 * NODES };
    static const char *const coordinate[] = {"x", "y", "z", "rx", "ry", "rz"};
    write_chain(NODES, true);
    for (int row = 0; row < SIZE; row++) {
        const int line = 3 + row * (SIZE + 1);  // of the entry on the diagonal
        char entry[64] = "", text[64];
        FILE *f = fopen("k.mtx", "r");
        for (int i = 0; i < line; i++) assert_non_null(fgets(entry, sizeof entry, f));
        fclose(f);
        tml_part *part = NULL;
        snprintf(text, sizeof text, "%.17g\n", 1.5 * atof(entry));
        edit("k.mtx", line, text);
        snprintf(text, sizeof text, "at coordinate %s of node '%d' (row %d)", coordinate[row % 6],
                 row / 6 + 1, row + 1);
        refused(reduce_chain("1 3", 2, &part), TML_ERR_MODEL, "n.csv", row / 6 + 3, text);
        edit("k.mtx", line, entry);
    }
}

// An interface node without rotations, and inner nodes that nothing holds.
static void bad_interface(void **state)
{
    (void)state;
    tml_part *part = NULL;
    put("k.mtx", "%%MatrixMarket matrix coordinate real symmetric\n12 12 3\n1 1 5\n7 1 -5\n7 7 5\n");
    FILE *m = fopen("m.mtx", "w");
    fprintf(m, "%%%%MatrixMarket matrix coordinate real symmetric\n12 12 12\n");
    for (int i = 1; i <= 12; i++) fprintf(m, "%d %d 1\n", i, i);
    fclose(m);
    put("n.csv", "node,x,y,z,ux,uy,uz,rx,ry,rz\n1,0,0,0,1,2,3,4,5,6\n2,1,0,0,7,8,9\n3,1,0,0,,,,10,11,12\n");
    refused(reduce_chain("2", 1, &part), TML_ERR_MODEL, "n.csv", 3,
            "interface node '2' lacks the coordinate rx");
    refused(reduce_chain("1", 1, &part), TML_ERR_MODEL, NULL, 0, "can still move without strain");
}

static void bad_part_files(void **state)
{
    (void)state;
    tml_part *part = NULL;
    static const struct {
        int line;
        const char *text;
        tml_status status;
        const char *message;
    } cases[] = {
        {1, "trammel model 1\n", TML_ERR_SYNTAX, "'trammel part 1'"},
        {2, "nodes two\n", TML_ERR_SYNTAX, "the number of nodes is 'two'"},
        {3, "left 0 0\n", TML_ERR_SYNTAX, "the position of a node is missing"},
        {5, "reference 9\n", TML_ERR_NAME, "the part has no node '9'"},
        {6, "modes -1\n", TML_ERR_SYNTAX, "the number of modes is -1"},
        {9, "matrix masses\n", TML_ERR_NAME, "there is no matrix 'masses'"},
        {10, "1 2 3\n", TML_ERR_SYNTAX, "an entry of a matrix is missing"},
    };
    write_chain(4, true);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OK(reduce_chain("1 4", 2, &part));
        OK(tml_part_write(part, "chain.part", &err));
        tml_part_destroy(part);
        edit("chain.part", cases[i].line, cases[i].text);
        refused(tml_part_read("chain.part", NULL, &part, &err), cases[i].status, "chain.part", cases[i].line,
                cases[i].message);
    }
    OK(reduce_chain("1 4", 2, &part));
    part->K[0] *= 1.1;
    OK(tml_part_write(part, "chain.part", &err));
    tml_part *other = NULL;
    refused(tml_part_read("chain.part", NULL, &other, &err), TML_ERR_MODEL, "chain.part", 1,
            "the part is not free");
    part->K[0] /= 1.1;
    part->K[7 * part->N + 2] += 1e5;
    OK(tml_part_write(part, "chain.part", &err));
    refused(tml_part_read("chain.part", NULL, &other, &err), TML_ERR_MODEL, "chain.part", 0,
            "not symmetric: entry (8, 3) is ");
    part->K[7 * part->N + 2] -= 1e5;
    part->M[0] = -1;
    OK(tml_part_write(part, "chain.part", &err));
    refused(tml_part_read("chain.part", NULL, &other, &err), TML_ERR_MODEL, "chain.part", 1,
            "not positive definite");
    tml_part_destroy(part);
}

// ---- memory -----------------------------------------------------------------------------------------------

typedef struct limited {
    long left, held;
} limited;

static void *limited_alloc(size_t size, void *user)
{
    limited *m = user;
    if (m->left-- <= 0) return NULL;
    m->held++;
    return malloc(size);
}

static void limited_free(void *p, void *user)
{
    ((limited *)user)->held--;
    free(p);
}

// Every allocation may fail: a status says so, and nothing leaks.
static void failing_memory(void **state)
{
    (void)state;
    limited memory = {0};
    const tml_env env = {.alloc = limited_alloc, .free = limited_free, .user = &memory};
    static const char *const name[] = {"1", "4"};
    write_chain(4, true);
    for (long k = 0;; k += 1 + k / 40) {
        tml_mesh *mesh = NULL;
        tml_part *part = NULL, *again = NULL;
        tml_reduce_def def = tml_reduce_def_default();
        memory = (limited){.left = k};
        def.interface_count = 2;
        def.interface = name;
        def.modes = 3;
        tml_status st = tml_mesh_read("k.mtx", "m.mtx", "n.csv", &env, &mesh, &err);
        if (st == TML_OK) st = tml_part_reduce(mesh, &def, &part, &err);
        if (st == TML_OK) st = tml_part_write(part, "memory.part", &err);
        if (st == TML_OK) st = tml_part_read("memory.part", &env, &again, &err);
        tml_mesh_destroy(mesh);
        tml_part_destroy(part);
        tml_part_destroy(again);
        assert_int_equal(memory.held, 0);
        if (st == TML_OK) break;
        assert_int_equal(st, TML_ERR_NOMEM);
        assert_true(k < 100000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frequencies),    cmocka_unit_test(large_mesh),    cmocka_unit_test(tied_nodes),
        cmocka_unit_test(named_nodes),    cmocka_unit_test(round_trip),    cmocka_unit_test(bad_matrices),
        cmocka_unit_test(supported),      cmocka_unit_test(bad_interface), cmocka_unit_test(bad_part_files),
        cmocka_unit_test(failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
