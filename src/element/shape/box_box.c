// Two boxes: the corners of each within the other, pushed out through the nearest face, and in space the two
// edges that cross.
#include "element/shape/point.h"

void tmli_box_box(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y, const tmli_place *y,
                  tmli_contact_point *out)
{
    const int corners = X->flat ? 4 : 8;
    for (int i = 0; i < 2 * corners; i++) {
        const bool swapped = i >= corners;
        out[i] = swapped ? tmli_box_beside(Y, y, tmli_box_corner(X, x, i - corners))
                         : tmli_box_beside(X, x, tmli_box_corner(Y, y, i));
        out[i].swapped = swapped;
    }
    if (!X->flat) tmli_box_edges(X, x, Y, y, &out[2 * corners]);
}
