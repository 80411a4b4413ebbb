// Canvases that draw to PNG and PDF files, by the module 'png'.
#include "load/plot/tables.h"

tml_status tmli_png_create(double width, double height, double scale, const tml_env *env, tmli_canvas *out,
                           tml_error *err)
{
    const void *table;
    const tml_status st = tmli_module_table("png", sizeof(tmli_module_png), &table, err);
    const tmli_module_png *module = table;
    if (st != TML_OK) tmli_error_append(err, "SVG needs none (.svg).");
    return st == TML_OK ? module->create(width, height, scale, env, out, err) : st;
}

tml_status tmli_pdf_create(double width, double height, const char *title, const tml_env *env,
                           tmli_canvas *out, tml_error *err)
{
    const void *table;
    const tml_status st = tmli_module_table("png", sizeof(tmli_module_png), &table, err);
    const tmli_module_png *module = table;
    if (st != TML_OK) tmli_error_append(err, "SVG needs none (.svg).");
    return st == TML_OK ? module->create_pdf(width, height, title, env, out, err) : st;
}

bool tml_plot_has_png(void)
{
    const void *table;
    return tmli_module_table("png", sizeof(tmli_module_png), &table, NULL) == TML_OK;
}
