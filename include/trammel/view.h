// Pictures of a mechanism: the scene of a model, and the page of a result (library libtrammel_view,
// docs/viewer.md).
#ifndef TRAMMEL_VIEW_H
#define TRAMMEL_VIEW_H

#include <stdbool.h>
#include <trammel/base.h>
#include <trammel/model.h>
#include <trammel/result.h>
#include <trammel/spec.h>

TML_C_BEGIN

/** What of a model is to be seen: bodies with their shapes, the places of joints and forces, beams, roads. */
typedef struct tml_scene tml_scene;

/** Create the scene of a model and of the spec from which it was built. Files of meshes are read. env may be
 * NULL; the caller destroys *out. Errors: TML_ERR_IO, TML_ERR_SYNTAX (files of meshes, with the position in
 * the model file), TML_ERR_ARG, TML_ERR_NOMEM. */
TML_API tml_status tml_scene_create(const tml_spec *spec, const tml_model *model, const tml_env *env,
                                    tml_scene **out, tml_error *err);
TML_API void tml_scene_destroy(tml_scene *scene);  ///< accepts NULL
/** The scene as one line of JSON, for the note "scene" of a result (tml_writer_create); borrowed. */
TML_API const char *tml_scene_text(const tml_scene *scene);

/** Settings of a page. */
typedef struct tml_page_def {
    size_t size;        ///< set by tml_page_def_default()
    double bytes;       ///< largest size of the file; rows are left out beyond it; default 5e6
    const char *title;  ///< NULL: that of the result
    const char *scene;  ///< text of a scene, for a result without one; NULL: the note "scene" of the result
    const tml_result *const *beside;  ///< results to be shown beside it, transparent and as dashed curves
    const char *const *beside_names;  ///< (beside_count) what the page calls them
    int beside_count;
} tml_page_def;

/** What a page holds of its result. */
typedef struct tml_page_report {
    size_t bytes;          ///< size of the file
    size_t rows;           ///< rows of the result
    size_t rows_kept;      ///< rows in the page
    int channels;          ///< channels of the result
    bool scene;            ///< there is something to be seen
    bool modes;            ///< rows are modes (`trammel modes --out`), not times
    double value_error;    ///< largest error of a value of a row that is kept, over the largest value of its
                           ///< channel
    double between_error;  ///< the same of a row that is left out, between its neighbours
    int between_channel;   ///< channel of this error; -1: no row is left out
} tml_page_report;

TML_API tml_page_def tml_page_def_default(void);
/** Write a result as one HTML file that needs nothing else. def, report and env may be NULL. Errors:
 * TML_ERR_ARG (a result without rows; a library built without the viewer: the message says what to install),
 * TML_ERR_IO, TML_ERR_NOMEM. */
TML_API tml_status tml_page_write(const tml_result *result, const tml_page_def *def, const char *path,
                                  const tml_env *env, tml_page_report *report, tml_error *err);

TML_C_END
#endif
