// Two rectangles of a planar model: the corners of each within the other, pushed out through the nearest
// side. Boxes in space: core_core.c.
#include "element/shape/point.h"

void tmli_box_box(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y, const tmli_place *y,
                  tmli_contact_point *out)
{
    for (int i = 0; i < 8; i++) {
        const bool swapped = i >= 4;
        out[i] = swapped ? tmli_box_beside(Y, y, tmli_box_corner(X, x, i - 4))
                         : tmli_box_beside(X, x, tmli_box_corner(Y, y, i));
        out[i].swapped = swapped;
    }
}
