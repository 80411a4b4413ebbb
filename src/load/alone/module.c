// The modules of a library that stands alone: there are none.
#include "load/module.h"

tml_status tmli_module_table(const char *name, size_t size, const void **table, tml_error *err)
{
    (void)size;
    *table = NULL;
    return tmli_fail(err, TML_ERR_IO, "The module '%s' is not part of this library, which loads none.", name);
}
