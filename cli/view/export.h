// Shared by the files of `trammel export`.
#ifndef CLI_EXPORT_H
#define CLI_EXPORT_H

#include "view/export/export.h"
#include <trammel/view.h>

/** Pictures of the scene, taken by Chromium. */
typedef struct cli_pictures {
    const char *path;      // .png, .gif or .mp4; of several .png NAME-0000.png and so on
    const char *chromium;  // NULL: found in PATH
    const char *view;      // "3d", "front", "side", "top"; NULL: as the page opens
    int width, height;     // [px]
    double fps;            // of films
    tmli_times times;
    bool progress;  // a line on the terminal counts them
} cli_pictures;

tml_status cli_export_pictures(const tml_result *result, const tml_page_def *def, const cli_pictures *p,
                               const tml_env *env, tml_error *err);

#endif
