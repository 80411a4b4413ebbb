// Curves of a result: channels, and expressions of channels, over its rows.
#ifndef CLI_CURVES_H
#define CLI_CURVES_H

#include "options.h"

#include <trammel/result.h>

/** A number per row. */
typedef struct cli_curve {
    const char *text;  // as given
    const char *unit;  // of a channel; "" of an expression
    double *value;     // (rows)
} cli_curve;

/** Evaluate an expression of channels, as in model files: "crank.x", "sqrt(pin.fx^2 + pin.fy^2)". The caller
 * frees value. Errors: TML_ERR_SYNTAX, TML_ERR_NAME with the nearest channel, TML_ERR_NOMEM. */
tml_status cli_curve_eval(const tml_result *r, const char *text, cli_curve *out, tml_error *err);
/** The texts with patterns, such as "pin.*", replaced by the channels that are like them. The caller frees
 * the items, not their texts. A pattern that is like none stays, for the error of cli_curve_eval. */
tml_status cli_curve_names(const tml_result *r, const cli_list *texts, cli_list *out, tml_error *err);
/** The times of the rows, freed by the caller; of a result without channel "t" the numbers of the rows from
 * 1. NULL: no memory. */
double *cli_curve_times(const tml_result *r);

/** Points of a line; the caller frees x and y, also after a failure. */
typedef struct cli_points {
    double *x, *y;
    size_t count;
} cli_points;

/** The amplitude spectrum of a curve (math/amplitudes.h): amplitudes over frequencies [Hz] above 0, up to
 * `highest` (NAN: all), at most two points for each of `columns` parts. Errors: TML_ERR_ARG (rows),
 * TML_ERR_NOMEM. */
tml_status cli_curve_spectrum(const double *t, const double *x, size_t rows, double highest, size_t columns,
                              cli_points *out, tml_error *err);

/** Whether a row at time t is after a limit that was typed (side 1), or before it (-1), by more than the
 * round-off of the times of rows. NAN: no limit. */
bool cli_is_beyond(double t, double limit, int side);

#endif
