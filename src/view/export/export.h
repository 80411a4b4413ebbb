// Files of other programs: VTK series for ParaView, glTF animations.
#ifndef TMLI_VIEW_EXPORT_EXPORT_H
#define TMLI_VIEW_EXPORT_EXPORT_H

#include "view/export/figure.h"

/** Times that are written. */
typedef struct tmli_times {
    const double *t;  // (count) [s]
    size_t count;
} tmli_times;

/** A series for ParaView: `path` is NAME.pvd, the surfaces of the times are NAME-0000.vtp and so on beside
 * it. */
tml_status tmli_export_vtk(tmli_figure *f, const tmli_times *times, const char *path, tml_error *err);
/** A binary glTF 2.0 file with one animation. */
tml_status tmli_export_gltf(tmli_figure *f, const tmli_times *times, const char *path, tml_error *err);

#endif
