// XML files as trees of elements. Texts between elements, comments and instructions are not kept.
#ifndef TMLI_IMPORT_XML_XML_H
#define TMLI_IMPORT_XML_XML_H

#include "base/base.h"

/** An element; all texts are in the arena that it was parsed into. */
typedef struct tmli_xml {
    const char *tag;
    tml_mark at;
    int nattributes;
    const char **attributes;  // (2 nattributes) name, value
    struct tmli_xml *first, *last, *next;
} tmli_xml;

/** The root element. name: of the file, for marks and messages; it must outlive the tree. Declarations of
 * entities and external parts of a document type are refused. Errors: TML_ERR_SYNTAX, with the position,
 * TML_ERR_NOMEM, TML_ERR_IO (no module for XML). */
tml_status tmli_xml_parse(const char *text, size_t length, const char *name, tmli_arena *arena,
                          tmli_xml **out, tml_error *err);

#endif
