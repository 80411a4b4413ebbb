// Robots in XML files, from bytes to a spec.
#ifndef TMLI_IMPORT_IMPORT_H
#define TMLI_IMPORT_IMPORT_H

#include "base/file.h"
#include <trammel/import.h>

/** Whether a text looks like XML: its first character beyond blanks and a byte order mark is '<'. */
bool tmli_is_xml(const char *text, size_t length);
/** The spec of a robot, with notes on what it leaves out or changes. text (length) is the file def->path.
 * places: where meshes may be, the folder of the model file first; folder: the same as a prefix of names, ""
 * or with a '/' at its end. The caller destroys *out. Errors: those of tml_spec_import. */
tml_status tmli_import(const tml_import_def *def, const char *text, size_t length, const tmli_places *places,
                       const char *folder, const tml_env *env, tml_spec **out, tml_error *err);

#endif
