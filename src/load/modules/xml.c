// The table of the module 'xml'.
#include "load/core/tables.h"

extern const tmli_module_xml tml_module_xml;
TMLI_MODULE_EXPORT const tmli_module_xml tml_module_xml = {{TRAMMEL_VERSION, sizeof tml_module_xml},
                                                           tmli_xml_parse};
