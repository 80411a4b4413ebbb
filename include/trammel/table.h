// Tables: how a curve runs through the points of a table, and outside of them (docs/tables.md).
#ifndef TRAMMEL_TABLE_H
#define TRAMMEL_TABLE_H

typedef enum tml_interpolation {
    TML_INTERPOLATION_MONOTONE,  ///< cubics that rise and fall with the points: never beyond them; C1
    TML_INTERPOLATION_LINEAR,    ///< straight lines: kinks at the points
    TML_INTERPOLATION_SPLINE     ///< natural cubic spline: smoothest (C2), but it may swing beyond the points
} tml_interpolation;

typedef enum tml_outside {
    TML_OUTSIDE_EXTEND,  ///< straight lines with the slopes at the ends
    TML_OUTSIDE_HOLD     ///< the values at the ends
} tml_outside;

typedef struct tml_table_style {
    tml_interpolation interpolation;
    tml_outside outside;
} tml_table_style;

#endif
