// XML by expat. The files come from anywhere: nothing that they declare is expanded or opened, and the depth
// of elements is limited, since trees are walked by functions that call themselves.
#include "import/xml/xml.h"

#ifndef TRAMMEL_HAVE_EXPAT

tml_status tmli_xml_parse(const char *text, size_t length, const char *name, tmli_arena *arena,
                          tmli_xml **out, tml_error *err)
{
    (void)text, (void)length, (void)arena;
    *out = NULL;
    return tmli_fail(err, TML_ERR_IO, "Cannot read '%s': this build of Trammel has no expat, for XML files.",
                     name);
}

#else

#include <expat.h>
#include <stdio.h>

enum { DEPTH = 100 };  // of elements in each other; robots have some ten

typedef struct reading {
    XML_Parser parser;
    const char *name;
    tmli_arena *arena;
    tmli_xml *open[DEPTH];  // the elements around the present place
    int depth;
    tmli_xml *root;
    tml_status status;
    tml_error *err;
} reading;

static tml_mark here(const reading *r)
{
    return (tml_mark){r->name, (int)XML_GetCurrentLineNumber(r->parser),
                      (int)XML_GetCurrentColumnNumber(r->parser) + 1};
}

// The first failure counts; handlers may be called once more after it.
static void stop(reading *r, tml_status status, const char *text)
{
    if (r->status != TML_OK) return;
    r->status = status;
    tmli_fail_at(r->err, status, here(r), "%s", text);
    XML_StopParser(r->parser, XML_FALSE);
}

static tmli_xml *new_element(const reading *r, const char *tag, const char **attributes)
{
    tmli_xml *e = tmli_arena_alloc(r->arena, 1, sizeof *e);
    if (!e) return NULL;
    int count = 0;
    while (attributes[count]) count++;
    *e = (tmli_xml){.tag = tmli_arena_strdup(r->arena, tag), .at = here(r), .nattributes = count / 2};
    e->attributes = tmli_arena_alloc(r->arena, (size_t)count + 1, sizeof *e->attributes);
    if (!e->tag || !e->attributes) return NULL;
    for (int i = 0; i < count; i++) {
        e->attributes[i] = tmli_arena_strdup(r->arena, attributes[i]);
        if (!e->attributes[i]) return NULL;
    }
    return e;
}

static void XMLCALL start(void *user, const char *tag, const char **attributes)
{
    reading *r = user;
    if (r->status != TML_OK) return;
    char text[96];
    snprintf(text, sizeof text, "Elements are nested deeper than %d.", DEPTH);
    if (r->depth == DEPTH) {
        stop(r, TML_ERR_SYNTAX, text);
        return;
    }
    tmli_xml *e = new_element(r, tag, attributes), *around = r->depth > 0 ? r->open[r->depth - 1] : NULL;
    if (!e) {
        stop(r, TML_ERR_NOMEM, "No memory for the file.");
        return;
    }
    if (!around) r->root = e;
    else if (around->last) around->last->next = e;
    else around->first = e;
    if (around) around->last = e;
    r->open[r->depth++] = e;
}

static void XMLCALL end(void *user, const char *tag)
{
    reading *r = user;
    (void)tag;
    if (r->status == TML_OK) r->depth--;
}

static void XMLCALL refuse_entity(void *user, const char *name, int parameter, const char *value, int length,
                                  const char *base, const char *system, const char *public,
                                  const char *notation)
{
    (void)name, (void)parameter, (void)value, (void)length, (void)base, (void)system, (void)public,
        (void)notation;
    stop(user, TML_ERR_SYNTAX, "Declarations of entities are not read: write what they stand for.");
}

// Entities that an external part could declare would be left out in silence.
static void XMLCALL check_document_type(void *user, const char *name, const char *system, const char *public,
                                        int internal)
{
    (void)name, (void)internal;
    if (system || public)
        stop(user, TML_ERR_SYNTAX, "The document type is in another file, which is not read.");
}

// Whether the parser has stopped at, or just behind, an '&' that begins no entity.
static bool has_bare_and(const char *text, size_t at) { return text[at] == '&' || text[at - 1] == '&'; }

static tml_status parse(reading *r, const char *text, size_t length)
{
    XML_SetUserData(r->parser, r);
    XML_SetElementHandler(r->parser, start, end);
    XML_SetEntityDeclHandler(r->parser, refuse_entity);
    XML_SetStartDoctypeDeclHandler(r->parser, check_document_type);
    const enum XML_Status done = XML_Parse(r->parser, text, (int)length, XML_TRUE);
    if (r->status != TML_OK || done == XML_STATUS_OK) return r->status;
    const enum XML_Error code = XML_GetErrorCode(r->parser);
    if (code == XML_ERROR_NO_MEMORY) return tmli_fail(r->err, TML_ERR_NOMEM, "No memory for the file.");
    char why[120];
    snprintf(why, sizeof why, "%s", XML_ErrorString(code));
    if (why[0] >= 'a' && why[0] <= 'z') why[0] = (char)(why[0] - 'a' + 'A');
    tmli_fail_at(r->err, TML_ERR_SYNTAX, here(r), "%s: this is no XML file.", why);
    const tmli_xml *open = r->depth > 0 ? r->open[r->depth - 1] : NULL;
    const XML_Index at = XML_GetCurrentByteIndex(r->parser);
    if ((code == XML_ERROR_TAG_MISMATCH || code == XML_ERROR_NO_ELEMENTS ||
         code == XML_ERROR_UNCLOSED_TOKEN) &&
        open)
        tmli_error_append(r->err, "(<%.40s> of line %d is not closed.)", open->tag, open->at.line);
    if (code == XML_ERROR_INVALID_TOKEN && at > 0 && (size_t)at < length && has_bare_and(text, (size_t)at))
        tmli_error_append(r->err, "(Write '&amp;' for '&'.)");
    return TML_ERR_SYNTAX;
}

// Memory of the parser is the C library's: what is kept of the file is in the arena.
tml_status tmli_xml_parse(const char *text, size_t length, const char *name, tmli_arena *arena,
                          tmli_xml **out, tml_error *err)
{
    *out = NULL;
    if (length > INT32_MAX) return tmli_fail(err, TML_ERR_IO, "'%s' is larger than 2 GB.", name);
    reading r = {.parser = XML_ParserCreate(NULL), .name = name, .arena = arena, .err = err};
    if (!r.parser) return tmli_fail(err, TML_ERR_NOMEM, "No memory to read '%s'.", name);
    const tml_status st = parse(&r, text, length);
    XML_ParserFree(r.parser);
    if (st == TML_OK) *out = r.root;
    return st;
}

#endif
