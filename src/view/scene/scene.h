// The scene of a model: places fixed to bodies, in numbers and words that a viewer needs. See
// docs/viewer.md for its members.
#ifndef TMLI_VIEW_SCENE_SCENE_H
#define TMLI_VIEW_SCENE_SCENE_H

#include "base/json.h"
#include "model/model.h"
#include "spec/mass/mesh.h"
#include <trammel/view.h>

struct tml_scene {
    tml_env env;
    tmli_json json;
};

/** A place fixed to a body, "KEY": {"body": i, "p": [x, y, z], "q": [e0, e1, e2, e3]}; body -1: ground. */
void tmli_scene_place(tmli_json *j, const char *key, const tmli_marker *at);

/** "shapes": of all shapes that are not hidden (shapes.c). */
tml_status tmli_scene_shapes(tmli_json *j, const tml_spec *spec, const tml_model *model, tml_error *err);
/** "roads": name and points along the profile (roads.c). */
void tmli_scene_roads(tmli_json *j, const tml_spec *spec, const tml_model *model);

#endif
