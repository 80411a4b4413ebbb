// The table of the module 'lapack'.
#include "load/core/lapack.h"

extern const tmli_module_lapack tml_module_lapack;
#define ADDRESS(name, parameters, arguments) .name = name##_,
TMLI_MODULE_EXPORT const tmli_module_lapack tml_module_lapack = {
    .head = {TRAMMEL_VERSION, sizeof tml_module_lapack}, TMLI_LAPACK(ADDRESS)};
