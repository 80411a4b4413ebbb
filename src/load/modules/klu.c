// The table of the module 'klu'.
#include "load/core/klu.h"

extern const tmli_module_klu tml_module_klu;
#define ADDRESS(type, name, parameters, arguments) .name = name,
TMLI_MODULE_EXPORT const tmli_module_klu tml_module_klu = {.head = {TRAMMEL_VERSION, sizeof tml_module_klu},
                                                           TMLI_KLU(ADDRESS)};
