// The table of the module of diagrams.
#ifndef TMLI_LOAD_PLOT_TABLES_H
#define TMLI_LOAD_PLOT_TABLES_H

#include "load/module.h"
#include "view/plot/plot.h"

/** cairo: room view/png. */
typedef struct tmli_module_png {
    tmli_module_head head;
    tml_status (*create)(double width, double height, double scale, const tml_env *env, tmli_canvas *out,
                         tml_error *err);
    tml_status (*create_pdf)(double width, double height, const char *title, const tml_env *env,
                             tmli_canvas *out, tml_error *err);
} tmli_module_png;

#endif
