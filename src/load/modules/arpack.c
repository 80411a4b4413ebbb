// The table of the module 'arpack'.
#include "load/core/tables.h"

extern const tmli_module_arpack tml_module_arpack;
TMLI_MODULE_EXPORT const tmli_module_arpack tml_module_arpack = {{TRAMMEL_VERSION, sizeof tml_module_arpack},
                                                                 tmli_arnoldi_solve};
