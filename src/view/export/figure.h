// What a result shows, as surfaces that move: for files of other programs.
#ifndef TMLI_VIEW_EXPORT_FIGURE_H
#define TMLI_VIEW_EXPORT_FIGURE_H

#include "base/json.h"
#include "view/export/surface.h"
#include <trammel/result.h>

typedef struct tmli_figure_pose {
    vec3 p;
    quat q;
} tmli_figure_pose;

/** A surface in the axes of a body; -1: of the ground. */
typedef struct tmli_part {
    const char *name;
    int body;
    tmli_surface surface;
    double colour[3];
} tmli_part;

/** A round bar between two places: springs, rods, segments of beams. */
typedef struct tmli_link {
    const char *name;
    int body[2];  // -1: ground
    vec3 at[2];   // in body axes
    double radius;
    double colour[3];
} tmli_link;

typedef struct tmli_figure {
    tml_env env;
    tmli_arena arena;
    const tml_result *result;
    bool planar;
    int bodies, parts, links;
    double origin[3];  // from which the scene counts positions, and the figure too [m]
    const char **body_name;
    tmli_figure_pose *start;  // (bodies) where a body is whose motion is not in the result
    int (*channel)[7];        // (bodies) of x, y, z, q0 .. q3; [0] < 0: not in the result
                              // others < 0: as at the start
    tmli_part *part;
    tmli_link *link;
    tmli_figure_pose *pose;  // (bodies) of tmli_figure_set_time
} tmli_figure;

/** The figure of a result with a scene; scene: its text. The result is borrowed, the caller destroys *out.
 * Errors: TML_ERR_ARG (no scene), TML_ERR_SYNTAX, TML_ERR_NOMEM. */
tml_status tmli_figure_create(const tml_result *result, const char *scene, const tml_env *env,
                              tmli_figure **out, tml_error *err);
void tmli_figure_destroy(tmli_figure *f);  ///< accepts NULL
/** Poses at a time, between rows as the page shows them: rotations by the shorter way. */
void tmli_figure_set_time(tmli_figure *f, double time);
/** The ends of a link now. */
void tmli_figure_ends(const tmli_figure *f, const tmli_link *l, vec3 end[2]);

#endif
