// Triangles of glTF 2.0 files, binary (.glb) or text with its data in it (.gltf).
#ifndef TMLI_SPEC_MASS_GLTF_H
#define TMLI_SPEC_MASS_GLTF_H

#include "base/base.h"

/** What is done with a triangle: its corners in the axes of the scene. */
typedef tml_status tmli_gltf_triangle(const float corner[3][3], void *user);

/** Whether a file looks like one: text[length] is 0. */
bool tmli_gltf_is(const char *text, size_t length);
/** All triangles of the scene. name: for messages. TML_ERR_SYNTAX, TML_ERR_NOMEM, what `triangle` returns. */
tml_status tmli_gltf_parse(const char *text, size_t length, const char *name, const tml_env *env,
                           tmli_gltf_triangle *triangle, void *user, tml_error *err);

#endif
