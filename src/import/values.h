// Values of attributes of XML elements.
#ifndef TMLI_IMPORT_VALUES_H
#define TMLI_IMPORT_VALUES_H

#include "import/xml/xml.h"

/** The first element of this tag within e; NULL: there is none, or e is NULL. */
const tmli_xml *tmli_xml_find(const tmli_xml *e, const char *tag);
/** The next one of the same tag beside e; NULL: there is none. */
const tmli_xml *tmli_xml_next(const tmli_xml *e);
/** NULL: e has no such attribute, or e is NULL. */
const char *tmli_xml_get(const tmli_xml *e, const char *key);
/** An attribute that must be there. */
tml_status tmli_xml_text(const tmli_xml *e, const char *key, const char **out, tml_error *err);
enum { TMLI_XML_NUMBERS = 16 };  // of one attribute, at most

/** `least` to `most` finite numbers, separated by blanks; *found: how many. Without the attribute, if `least`
 * is 0, *found is 0. *out beyond them stays. */
tml_status tmli_xml_list(const tmli_xml *e, const char *key, int least, int most, int *found, double *out,
                         tml_error *err);
/** `count` finite numbers, separated by blanks. Without the attribute *out stays, if `optional`. */
tml_status tmli_xml_numbers(const tmli_xml *e, const char *key, int count, bool optional, double *out,
                            tml_error *err);

#endif
