// XML files by the module 'xml'.
#include "load/core/tables.h"

#ifdef TRAMMEL_HAVE_EXPAT  // without it import/xml is part of the core, and says that there is none

tml_status tmli_xml_parse(const char *text, size_t length, const char *name, tmli_arena *arena,
                          tmli_xml **out, tml_error *err)
{
    const void *table;
    *out = NULL;
    const tml_status st = tmli_module_table("xml", sizeof(tmli_module_xml), &table, err);
    const tmli_module_xml *module = table;
    return st == TML_OK ? module->parse(text, length, name, arena, out, err) : st;
}

#endif
