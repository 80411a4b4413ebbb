// Robots in files of other programs, as model files.
#ifndef TRAMMEL_IMPORT_H
#define TRAMMEL_IMPORT_H

#include <trammel/spec.h>

TML_C_BEGIN

/** How to import a robot. Pointers are borrowed. */
typedef struct tml_import_def {
    size_t size;       ///< set by tml_import_def_default()
    const char *path;  ///< URDF or MJCF file
    /** path of the model file that it will be: meshes must be in its folder or below; NULL: that of `path` */
    const char *model;
    bool floating;  ///< nothing holds the first link; otherwise it is the ground
    bool motors;    ///< joints have inputs tau_JOINT, their torque [N m] or force [N]
    bool mend;      ///< impossible inertias become possible ones
    /** Folders, beyond that of the model file, in which meshes may be. */
    const char *const *folders;
    int folder_count;
    /** Name of the keyframe of an MJCF file at which the model starts; NULL: its reference configuration. */
    const char *start;
} tml_import_def;
TML_API tml_import_def tml_import_def_default(void);

/** Something of the file that the model leaves out, has otherwise, or calls otherwise. */
typedef struct tml_note {
    const char *file;
    int line, col;
    const char *text;
} tml_note;

/** Import a robot. tml_spec_text() is the model file, and *out what is read from it. env may be NULL. The
 * caller destroys *out. Errors: TML_ERR_IO, TML_ERR_SYNTAX, TML_ERR_NAME, TML_ERR_MODEL, TML_ERR_NOMEM, with
 * file, line and column. */
TML_API tml_status tml_spec_import(const tml_import_def *def, const tml_env *env, tml_spec **out,
                                   tml_error *err);
TML_API int tml_spec_note_count(const tml_spec *spec);
TML_API const tml_note *tml_spec_note(const tml_spec *spec, int index);  ///< NULL: out of range; borrowed

/** Write a spec as a model file. Included files, repeat blocks, defaults and tables of files are written out;
 * names of other files are relative to its folder. Errors: TML_ERR_IO, TML_ERR_MODEL (a function of a
 * program, which no file can hold), TML_ERR_NOMEM. */
TML_API tml_status tml_spec_write(const tml_spec *spec, const char *path, tml_error *err);

TML_C_END
#endif
