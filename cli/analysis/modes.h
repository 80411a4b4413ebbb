// Options and results of `trammel modes`.
#ifndef CLI_MODES_H
#define CLI_MODES_H

#include "cli/common/report.h"
#include "cli/common/state_at.h"

#include <trammel/modes.h>

typedef struct modes_values {
    cli_input in;
    const char *at, *out, *over, *plot, *orders;
    int count, eigen;
    double near;
    bool json;
} modes_values;

/** A value for each tracked mode. */
typedef struct modes_point {
    double re, im, hz, damping;  // NAN: the mode was not found
} modes_point;

/** A parameter value at which an order crosses a mode: its frequency is the order times the parameter. */
typedef struct modes_crossing {
    int track;
    double order, value, hz;
} modes_crossing;

enum { MODES_ORDERS = 8, MODES_CROSSINGS = 64 };

/** Modes over a parameter. */
typedef struct modes_sweep {
    char name[64];  // of the parameter
    double from, to;
    int values, tracks, room;
    double *value;        // (values)
    bool *rest, *steady;  // (values) as in tml_modes
    modes_point *point;   // (values x room)
    int order_count;
    double order[MODES_ORDERS];
    int crossing_count;
    modes_crossing crossing[MODES_CROSSINGS];
} modes_sweep;

/** --over: modes at each value, followed from one to the next; table, JSON, files. */
tml_status modes_run_sweep(const modes_values *v, cli_call *c);
/** Definition from the options. */
tml_modes_def modes_definition(const modes_values *v);

void modes_report(cli_report *out, const modes_values *v, const cli_state *s, const tml_modes *m);
/** Write shapes to a result file: a row for each mode. */
tml_status modes_write_shapes(const modes_values *v, const cli_state *s, const tml_modes *m, tml_error *err);
/** Draw shapes (--plot). */
tml_status modes_draw_shapes(const modes_values *v, const cli_state *s, const tml_modes *m, tml_error *err);

#endif
