// The table of the module 'png'.
#include "load/plot/tables.h"

extern const tmli_module_png tml_module_png;
TMLI_MODULE_EXPORT const tmli_module_png tml_module_png = {
    {TRAMMEL_VERSION, sizeof tml_module_png}, tmli_png_create, tmli_pdf_create};
