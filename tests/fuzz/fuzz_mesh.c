// Files of triangles: STL, OBJ and glTF. What must hold: no byte beyond the end is read, and a mesh that is
// taken has finite vertices and triangles between them.
#include "spec/mass/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);  // the reader's contract: a 0 behind the last byte
    tmli_mesh_data m;
    tml_error err = {0};
    if (!text) return 0;
    if (size) memcpy(text, data, size);
    text[size] = 0;
    if (tmli_mesh_parse(text, size, "mesh", NULL, &m, &err) == TML_OK) {
        require(m.vertex_count > 0 && m.triangle_count > 0);
        for (int i = 0; i < 3 * m.vertex_count; i++) require(isfinite(m.vertex[i]));
        for (int i = 0; i < 3 * m.triangle_count; i++)
            require(m.triangle[i] >= 0 && m.triangle[i] < m.vertex_count);
    } else {
        require(err.msg[0] && !m.vertex && !m.triangle);
    }
    tmli_mesh_data_clear(&m, NULL);
    free(text);
    return 0;
}
