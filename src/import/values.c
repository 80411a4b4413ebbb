// Values of attributes of XML elements; see the header.
#include "import/values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const tmli_xml *tmli_xml_find(const tmli_xml *e, const char *tag)
{
    const tmli_xml *c = e ? e->first : NULL;
    while (c && strcmp(c->tag, tag) != 0) c = c->next;
    return c;
}

const tmli_xml *tmli_xml_next(const tmli_xml *e)
{
    const tmli_xml *c = e->next;
    while (c && strcmp(c->tag, e->tag) != 0) c = c->next;
    return c;
}

const char *tmli_xml_get(const tmli_xml *e, const char *key)
{
    for (int i = 0; e && i < e->nattributes; i++)
        if (strcmp(e->attributes[2 * i], key) == 0) return e->attributes[2 * i + 1];
    return NULL;
}

tml_status tmli_xml_text(const tmli_xml *e, const char *key, const char **out, tml_error *err)
{
    *out = tmli_xml_get(e, key);
    if (*out) return TML_OK;
    return tmli_fail_at(err, TML_ERR_SYNTAX, e->at, "<%.60s> has no attribute '%s'.", e->tag, key);
}

tml_status tmli_xml_list(const tmli_xml *e, const char *key, int least, int most, int *found, double *out,
                         tml_error *err)
{
    const char *text = tmli_xml_get(e, key), *p = text ? text : "";
    double x[TMLI_XML_NUMBERS] = {0};
    *found = 0;
    if (!text) return least == 0 ? TML_OK : tmli_xml_text(e, key, &text, err);
    while (*(p += strspn(p, " \t\r\n"))) {
        const char *end = NULL;
        const double value = tmli_strtod(p, &end);
        if (end == p || !isfinite(value) || *found == most || (*end && !strchr(" \t\r\n", *end))) break;
        x[(*found)++] = value;
        p = end;
    }
    if (!*p && *found >= least && *found > 0) {
        memcpy(out, x, (size_t)*found * sizeof *x);
        return TML_OK;
    }
    char want[48] = "a number";
    if (most > 1) snprintf(want, sizeof want, "%d numbers", most);
    if (most > 1 && least < most) snprintf(want, sizeof want, "%d to %d numbers", least ? least : 1, most);
    return tmli_fail_at(err, TML_ERR_SYNTAX, e->at, "<%.60s %s=\"%.80s\">: expected %s.%s", e->tag, key, text,
                        want, strchr(text, '$') ? " (Expand the file with xacro first.)" : "");
}

tml_status tmli_xml_numbers(const tmli_xml *e, const char *key, int count, bool optional, double *out,
                            tml_error *err)
{
    int found;
    if (optional && !tmli_xml_get(e, key)) return TML_OK;
    return tmli_xml_list(e, key, count, count, &found, out, err);
}
