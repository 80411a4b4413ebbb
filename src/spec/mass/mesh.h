// Triangles of STL, OBJ and glTF files.
#ifndef TMLI_SPEC_MASS_MESH_H
#define TMLI_SPEC_MASS_MESH_H

#include "base/file.h"
#include "spec/spec.h"

/** Triangles of a file. */
typedef struct tmli_mesh_data {
    int vertex_count, triangle_count;
    float *vertex;  // (3 vertex_count) in units of the file
    int *triangle;  // (3 triangle_count)
    uint64_t hash;  // tmli_checksum of the file
} tmli_mesh_data;

enum { TMLI_MESH_BYTES = 256 << 20 };  // largest file

/** Read an STL (text or binary), OBJ or glTF file, told apart by its contents; equal vertices are merged.
 * places: where it must be. The caller clears *out. Errors: TML_ERR_IO, TML_ERR_SYNTAX, TML_ERR_NOMEM. */
tml_status tmli_mesh_load(const char *path, const tmli_places *places, const tml_env *env,
                          tmli_mesh_data *out, tml_error *err);
/** That of a shape of a spec: where the spec's files may be, and with the bytes that it had when the spec was
 * read, or before the run that is continued. */
tml_status tmli_mesh_of_spec(const tml_spec *spec, const char *path, const tml_env *env, tmli_mesh_data *out,
                             tml_error *err);
/** The same from a text in memory; name: for messages. text[length] is 0. */
tml_status tmli_mesh_parse(const char *text, size_t length, const char *name, const tml_env *env,
                           tmli_mesh_data *out, tml_error *err);
void tmli_mesh_data_clear(tmli_mesh_data *mesh, const tml_env *env);

#endif
