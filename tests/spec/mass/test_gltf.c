// Triangles of glTF files: nodes with transformations, text and binary files, and what is refused.
#include "spec/mass/mesh.h"
#include "support.h"

#include <math.h>
#include <string.h>

// four vertices (0,0,0), (1,0,0), (0,2,0), (0,0,3) as floats, then 0 1 2, 0 2 3 as whole numbers of 2 bytes
#define NUMBERS                                                                \
    "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAEBAAAABAAIA" \
    "AAACAAMA"
#define PARTS                                                                                         \
    "\"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0}, \"indices\": 1},"             \
    "{\"mode\": 1, \"attributes\": {\"POSITION\": 0}}]}],"                                            \
    "\"accessors\": [{\"bufferView\": 0, \"componentType\": 5126, \"count\": 4, \"type\": \"VEC3\"}," \
    "{\"bufferView\": 1, \"componentType\": 5123, \"count\": 6, \"type\": \"SCALAR\"}],"              \
    "\"bufferViews\": [{\"buffer\": 0, \"byteLength\": 48},"                                          \
    "{\"buffer\": 0, \"byteOffset\": 48, \"byteLength\": 12}]"
#define BUFFER \
    "\"buffers\": [{\"byteLength\": 60, \"uri\": \"data:application/octet-stream;base64," NUMBERS "\"}]"
#define TREE                                                                                          \
    "\"scene\": 0, \"scenes\": [{\"nodes\": [1]}], \"nodes\": [{\"mesh\": 0, \"scale\": [1, 1, -1]}," \
    "{\"children\": [0], \"translation\": [10, 0, 0], \"rotation\": [0, 0, 0.6, 0.8]}]"

static tml_status parse(const char *text, size_t length, tmli_mesh_data *m, tml_error *err)
{
    return tmli_mesh_parse(text, length, "m", NULL, m, err);
}

static void check_vertex(const tmli_mesh_data *m, int corner, double x, double y, double z)
{
    const float *p = m->vertex + 3 * m->triangle[corner];
    CHECK_CLOSE(p[0], x, 1e-6);  // single precision
    CHECK_CLOSE(p[1], y, 1e-6);
    CHECK_CLOSE(p[2], z, 1e-6);
}

static void as_they_are(void **state)
{
    (void)state;
    const char text[] = " {" PARTS "," BUFFER "}";
    tmli_mesh_data m;
    tml_error err = {0};
    assert_int_equal(parse(text, sizeof text - 1, &m, &err), TML_OK);
    assert_int_equal(m.vertex_count, 4);  // those of both triangles are merged
    assert_int_equal(m.triangle_count, 2);
    check_vertex(&m, 1, 1, 0, 0);
    check_vertex(&m, 2, 0, 2, 0);
    check_vertex(&m, 5, 0, 0, 3);
    tmli_mesh_data_clear(&m, NULL);
}

// Mirrored, turned by 2 atan(0.6/0.8) about z, then moved. The order of the corners is turned round, so that
// the outside stays outside.
static void by_nodes(void **state)
{
    (void)state;
    const char text[] = "{" TREE "," PARTS "," BUFFER "}";
    const double c = 0.28, s = 0.96;
    tmli_mesh_data m;
    tml_error err = {0};
    assert_int_equal(parse(text, sizeof text - 1, &m, &err), TML_OK);
    assert_int_equal(m.triangle_count, 2);
    check_vertex(&m, 2, 10, 0, 0);
    check_vertex(&m, 1, 10 + c, s, 0);
    check_vertex(&m, 0, 10 - 2 * s, 2 * c, 0);
    check_vertex(&m, 3, 10, 0, -3);
    tmli_mesh_data_clear(&m, NULL);
}

static size_t put(char *at, const char *kind, const void *data, size_t size)
{
    const uint32_t length = (uint32_t)size;
    for (int k = 0; k < 4; k++) at[k] = (char)(length >> 8 * k);
    memcpy(at + 4, kind, 4);
    memcpy(at + 8, data, size);
    return 8 + size;
}

// The numbers in a chunk of their own; whatever is cut off is refused, and nothing is read beyond the end.
static void binary(void **state)
{
    (void)state;
    static const char json[] = "{" TREE "," PARTS ", \"buffers\": [{\"byteLength\": 60}]}";
    const float p[12] = {0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3};
    const unsigned char index[12] = {0, 0, 1, 0, 2, 0, 0, 0, 2, 0, 3, 0};
    char numbers[60], file[2000] = "glTF\2\0\0\0";
    memcpy(numbers, p, sizeof p);  // of a little-endian machine, as all of ours
    memcpy(numbers + 48, index, sizeof index);
    size_t size = 12;
    size += put(file + size, "JSON", json, sizeof json - 1);
    size += put(file + size, "BIN\0", numbers, sizeof numbers);
    tmli_mesh_data m;
    tml_error err = {0};
    assert_int_equal(parse(file, size, &m, &err), TML_OK);
    assert_int_equal(m.vertex_count, 4);
    check_vertex(&m, 3, 10, 0, -3);
    tmli_mesh_data_clear(&m, NULL);
    for (size_t n = 0; n < size; n++) {
        char *cut = calloc(n + 1, 1);
        memcpy(cut, file, n);
        assert_int_equal(parse(cut, n, &m, &err), TML_ERR_SYNTAX);
        free(cut);
    }
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *word;
    } cases[] = {
        {"{", "JSON"},
        {"{\"a\": [1, 2,]}", "JSON"},
        {"{\"a\": \"\\", "JSON"},
        {"{}", "no triangles"},
        {"{" PARTS "}", "wrong number"},
        {"{" PARTS ", \"buffers\": [{\"uri\": \"parts.bin\"}]}", "'parts.bin': export it as one file"},
        {"{" PARTS ", \"buffers\": [{\"uri\": \"data:,A*\"}]}", "base64"},
        {"{" PARTS ", \"buffers\": [{\"uri\": \"data:,AAAA\"}]}", "beyond its buffer"},
        {"{\"scenes\": [{\"nodes\": [0]}], \"nodes\": [{\"children\": [0]}]," PARTS "," BUFFER "}",
         "no tree"},
        {"{\"scenes\": [{\"nodes\": [3]}]," PARTS "," BUFFER "}", "no such node"},
        {"{\"scenes\": [{\"nodes\": [0]}], \"nodes\": [{\"mesh\": 1}]," PARTS "," BUFFER "}", "no such mesh"},
        {"{\"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 7}}]}]}", "accessor is missing"},
        {"{\"meshes\": [{\"primitives\": [{\"mode\": 5}]}]}", "strips"},
        {"{\"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0}}]}], \"accessors\": "
         "[{\"count\": 3, "
         "\"type\": \"VEC3\", \"componentType\": 5126}]}",
         "compressed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tmli_mesh_data m;
        tml_error err = {0};
        assert_int_equal(parse(cases[i].text, strlen(cases[i].text), &m, &err), TML_ERR_SYNTAX);
        if (!strstr(err.msg, cases[i].word)) fail_msg("'%s' is not in: %s", cases[i].word, err.msg);
        assert_null(m.vertex);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_they_are), cmocka_unit_test(by_nodes),
                                       cmocka_unit_test(binary), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
