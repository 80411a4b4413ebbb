// Builds the nodes from the events of libfyaml. Our own tree, instead of the document tree of libfyaml, gives
// every node its position, shares the nodes of aliases instead of copying them, and permits our own message
// for a repeated key.
#include "io/yaml_doc.h"

#include <errno.h>
#include <libfyaml.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Limits against texts designed to exhaust the memory. They are far beyond any real model.
enum { DEPTH_MAX = 48, NODES_MAX = 20000000, ANCHORS_MAX = 10000 };
// Bytes that libfyaml needs for a text: 12 kB whatever its length, and copies of one value.
enum { RESERVE = 65536, RESERVE_PER_BYTE = 4 };

typedef struct level {
    tmli_yaml_node *node;
    size_t start;  // of its items on the stack of items
    bool flow;     // written in { } or [ ]
} level;

typedef struct anchor {
    const char *name;
    const tmli_yaml_node *node;
} anchor;

typedef struct builder {
    tmli_arena *arena;
    const char *file, *text;
    size_t length;
    const tmli_yaml_node **items;  // of all open lists and maps
    size_t nitems, room;
    level levels[DEPTH_MAX];
    int depth;
    anchor *anchors;
    int nanchors, anchor_room;
    char *bytes;  // of one quoted text
    size_t byte_room;
    int64_t nodes;
    tml_mark last;
    const tmli_yaml_node *root;
    int documents;
    tml_error *err;
} builder;

static tml_status check_bytes(const char *text, size_t length, const char *file, tml_error *err);
static tml_status build(builder *b, struct fy_parser *parser);
static tml_status syntax_error(const builder *b, struct fy_diag *diag);

const tmli_yaml_node *tmli_yaml_node_get(const tmli_yaml_node *map, const char *key)
{
    if (!map || map->kind != TMLI_NODE_MAP) return NULL;
    for (int i = 0; i < map->count; i++)
        if (strcmp(map->items[2 * i]->text, key) == 0) return map->items[2 * i + 1];
    return NULL;
}

const char *tmli_yaml_node_label(const tmli_yaml_node *n, char buf[64])
{
    switch (n->kind) {
    case TMLI_NODE_NULL: return "nothing";
    case TMLI_NODE_LIST:
        if (n->count < 0) return "a list";
        snprintf(buf, 64, "a list of %d", n->count);
        return buf;
    case TMLI_NODE_MAP: return "a map";
    case TMLI_NODE_SCALAR: break;
    }
    snprintf(buf, 64, strlen(n->text) > 40 ? "'%.40s...'" : "'%.40s'", n->text);
    return buf;
}

tml_status tmli_yaml_parse(const char *text, size_t length, const char *file, tmli_arena *arena,
                           const tmli_yaml_node **out, tml_error *err)
{
    *out = NULL;
    tml_status st = check_bytes(text, length, file, err);
    if (st != TML_OK) return st;
    if (!tmli_spare(RESERVE + RESERVE_PER_BYTE * length))
        return tmli_fail(err, TML_ERR_NOMEM, "No memory to read '%s'.", file);

    struct fy_diag_cfg diag_cfg;
    fy_diag_cfg_default(&diag_cfg);
    diag_cfg.fp = NULL;  // no output; errors are collected
    diag_cfg.output_fn = NULL;
    diag_cfg.level = FYET_ERROR;
    diag_cfg.colorize = false;
    struct fy_diag *diag = fy_diag_create(&diag_cfg);
    if (diag) fy_diag_set_collect_errors(diag, true);
    const struct fy_parse_cfg cfg = {.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_JSON_NONE,
                                     .diag = diag};
    struct fy_parser *parser = diag ? fy_parser_create(&cfg) : NULL;
    if (!parser || fy_parser_set_string(parser, text, length) != 0) {
        st = tmli_fail(err, TML_ERR_NOMEM, "No memory to read '%s'.", file);
    } else {
        builder b = {
            .arena = arena, .file = file, .text = text, .length = length, .err = err, .last = {file, 1, 1}};
        st = build(&b, parser);
        if (st == TML_OK && fy_parser_get_stream_error(parser)) st = syntax_error(&b, diag);
        if (st == TML_OK && !b.root) {
            tmli_yaml_node *empty = tmli_arena_alloc(arena, 1, sizeof *empty);
            if (empty) empty->at = (tml_mark){file, 1, 1};
            else st = tmli_fail(err, TML_ERR_NOMEM, "No memory to read '%s'.", file);
            b.root = empty;
        }
        if (st == TML_OK) *out = b.root;
        tmli_free_all(arena->env, (void *)b.items, b.anchors, b.bytes);
    }
    if (parser) fy_parser_destroy(parser);
    if (diag) fy_diag_destroy(diag);
    return st;
}

// Length of the UTF-8 sequence at p (n bytes left); 0 if it is not one.
static size_t utf8_length(const unsigned char *p, size_t n)
{
    if (p[0] < 0x80) return 1;
    const size_t len = p[0] >= 0xC2 && p[0] < 0xE0   ? 2
                       : p[0] >= 0xE0 && p[0] < 0xF0 ? 3
                       : p[0] >= 0xF0 && p[0] < 0xF5 ? 4
                                                     : 0;
    if (len == 0 || n < len) return 0;
    for (size_t i = 1; i < len; i++)
        if ((p[i] & 0xC0) != 0x80) return 0;
    // overlong forms, surrogates, beyond U+10FFFF
    if ((p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] >= 0xA0)) return 0;
    if ((p[0] == 0xF0 && p[1] < 0x90) || (p[0] == 0xF4 && p[1] >= 0x90)) return 0;
    return len;
}

static tml_status check_bytes(const char *text, size_t length, const char *file, tml_error *err)
{
    const unsigned char *p = (const unsigned char *)text;
    tml_mark at = {file, 1, 1};
    for (size_t i = 0; i < length;) {
        const size_t n = utf8_length(p + i, length - i);
        if (n == 0)
            return tmli_fail_at(err, TML_ERR_SYNTAX, at,
                                "Byte 0x%02X is not UTF-8 text; a model file is YAML in UTF-8.",
                                (unsigned)p[i]);
        if ((p[i] < 0x20 && p[i] != '\n' && p[i] != '\r' && p[i] != '\t') || p[i] == 0x7F)
            return tmli_fail_at(
                err, TML_ERR_SYNTAX, at,
                "Control character 0x%02X found; this looks like a binary file, expected YAML text.",
                (unsigned)p[i]);
        if (p[i] == '\n') at = (tml_mark){file, at.line + 1, 1};
        else at.col++;
        i += n;
    }
    return TML_OK;
}

static tml_status no_memory(const builder *b)
{
    return tmli_fail(b->err, TML_ERR_NOMEM, "No memory to read '%s'.", b->file);
}

static tml_status push(builder *b, const tmli_yaml_node *n)
{
    if (b->nitems == b->room) {
        const size_t room = b->room ? 2 * b->room : 256;
        const tmli_yaml_node **items =
            tmli_regrow(b->arena->env, (void *)b->items, b->nitems, room, sizeof *items);
        if (!items) return no_memory(b);
        b->items = items;
        b->room = room;
    }
    b->items[b->nitems++] = n;
    return TML_OK;
}

// Add a finished node, or one that opens a list or map, to its parent, or make it the root.
static tml_status place(builder *b, const tmli_yaml_node *n)
{
    if (b->depth > 0) {
        const level *parent = &b->levels[b->depth - 1];
        const bool is_key = parent->node->kind == TMLI_NODE_MAP && (b->nitems - parent->start) % 2 == 0;
        char label[64];
        if (is_key && n->kind != TMLI_NODE_SCALAR)
            return tmli_fail_at(b->err, TML_ERR_SYNTAX, n->at, "A key is %s, expected a word.",
                                tmli_yaml_node_label(n, label));
        return push(b, n);
    }
    b->root = n;
    return TML_OK;
}

static tml_status new_node(builder *b, struct fy_event *event, tmli_yaml_node_kind kind, tmli_yaml_node **out)
{
    if (++b->nodes > NODES_MAX)
        return tmli_fail_at(b->err, TML_ERR_SYNTAX, b->last, "The file has more than %d values.", NODES_MAX);
    struct fy_token *tag = fy_event_get_tag_token(event);
    if (tag)
        return tmli_fail_at(b->err, TML_ERR_SYNTAX, b->last, "Tags (!name) have no meaning in a model file.");
    tmli_yaml_node *n = tmli_arena_alloc(b->arena, 1, sizeof *n);
    if (!n) return no_memory(b);
    n->kind = kind;
    n->at = b->last;
    *out = n;
    struct fy_token *name = fy_event_get_anchor_token(event);
    if (!name) return TML_OK;
    if (b->nanchors >= ANCHORS_MAX)
        return tmli_fail_at(b->err, TML_ERR_SYNTAX, b->last, "The file has more than %d anchors.",
                            ANCHORS_MAX);
    anchor *a = tmli_grown(b->arena->env, b->anchors, b->nanchors, &b->anchor_room, 16, sizeof *a);
    if (!a) return no_memory(b);
    b->anchors = a;
    const char *text = fy_token_get_text0(name);
    char *copy = text ? tmli_arena_strdup(b->arena, text) : NULL;
    if (!copy) return no_memory(b);
    b->anchors[b->nanchors++] = (anchor){copy, n};
    return TML_OK;
}

static bool is_null(const char *text)
{
    return !*text || strcmp(text, "~") == 0 || strcmp(text, "null") == 0 || strcmp(text, "Null") == 0 ||
           strcmp(text, "NULL") == 0;
}

// UTF-8 of a code point; returns its length.
static size_t encode(int c, char out[4])
{
    const unsigned u = (unsigned)c;
    const size_t n = u < 0x80 ? 1 : u < 0x800 ? 2 : u < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n - 1; i > 0; i--) out[i] = (char)(0x80 | (u >> (6 * (n - 1 - i)) & 0x3f));
    out[0] = (char)(lead[n] | u >> (6 * (n - 1)));
    return n;
}

// Quoted texts are read character by character: of libfyaml 0.7, fy_token_get_text leaks memory on a line
// with many escapes, and fy_token_iter_read joins the pieces of a text over several lines wrongly.
static tml_status read_quoted(builder *b, struct fy_token *token, const char **text, size_t *length)
{
    struct fy_token_iter *it = fy_token_iter_create(token);
    tml_status st = it ? TML_OK : no_memory(b);
    size_t used = 0;
    while (st == TML_OK) {
        if (b->byte_room - used < 4) {
            const size_t room = b->byte_room ? 2 * b->byte_room : 256;
            char *bytes = tmli_regrow(b->arena->env, b->bytes, used, room, 1);
            if (!bytes) {
                st = no_memory(b);
                break;
            }
            b->bytes = bytes;
            b->byte_room = room;
        }
        const int c = fy_token_iter_utf8_get(it);
        if (c < -1) st = tmli_fail_at(b->err, TML_ERR_SYNTAX, b->last, "A quoted text cannot be read.");
        if (c < 0) break;
        used += encode(c, b->bytes + used);
    }
    if (it) fy_token_iter_destroy(it);
    *text = b->bytes;
    *length = used;
    return st;
}

// Texts get into messages, tables and files: none of them may command a terminal or look like another one.
static tml_status check_characters(builder *b, tml_mark at, const char *text)
{
    uint32_t code;
    for (const char *p = text; *p;) {
        p += tmli_utf8(p, &code);
        if (code == '\n' || code == '\r' || code == '\t' || !tmli_is_hidden(code)) continue;
        if (code == TMLI_NOT_UTF8) return tmli_fail_at(b->err, TML_ERR_SYNTAX, at, "A text is not in UTF-8.");
        return tmli_fail_at(b->err, TML_ERR_SYNTAX, at,
                            "A text contains the control character U+%04X, which would not be visible.",
                            (unsigned)code);
    }
    return TML_OK;
}

static tml_status on_scalar(builder *b, struct fy_event *event)
{
    tmli_yaml_node *n = NULL;
    tml_status st = new_node(b, event, TMLI_NODE_SCALAR, &n);
    if (st != TML_OK) return st;
    struct fy_token *token = event->scalar.value;
    const enum fy_scalar_style style = token ? fy_token_scalar_style(token) : FYSS_PLAIN;
    size_t length = 0;
    const char *text = "";
    if (style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED)
        st = read_quoted(b, token, &text, &length);
    else if (token) text = fy_token_get_text(token, &length);
    if (st != TML_OK) return st;
    if (!text) return no_memory(b);
    if (memchr(text, 0, length))
        return tmli_fail_at(b->err, TML_ERR_SYNTAX, n->at, "A text contains a zero character.");
    char *copy = tmli_arena_alloc(b->arena, length + 1, 1);
    n->number = tmli_arena_alloc(b->arena, 1, sizeof *n->number);
    if (!copy || !n->number) return no_memory(b);
    memcpy(copy, text, length);
    st = check_characters(b, n->at, copy);
    if (st != TML_OK) return st;
    if (style == FYSS_LITERAL || style == FYSS_FOLDED)
        while (length > 0 && (copy[length - 1] == '\n' || copy[length - 1] == ' ')) copy[--length] = 0;
    n->text = copy;
    n->plain = style == FYSS_PLAIN;
    if (n->plain && is_null(copy)) n->kind = TMLI_NODE_NULL;
    return place(b, n);
}

static tml_status on_start(builder *b, struct fy_event *event, tmli_yaml_node_kind kind)
{
    tmli_yaml_node *n = NULL;
    tml_status st = new_node(b, event, kind, &n);
    if (st != TML_OK) return st;
    if (b->depth == DEPTH_MAX)
        return tmli_fail_at(b->err, TML_ERR_SYNTAX, n->at, "Lists and maps are nested deeper than %d levels.",
                            DEPTH_MAX);
    n->count = -1;  // open: an alias must not refer to it
    st = place(b, n);
    if (st != TML_OK) return st;
    b->levels[b->depth++] = (level){n, b->nitems, fy_event_get_node_style(event) == FYNS_FLOW};
    return TML_OK;
}

static int by_key(const void *x, const void *y)
{
    const tmli_yaml_node *const *a = x, *const *b = y;
    const int order = strcmp((*a)->text, (*b)->text);
    if (order) return order;
    if ((*a)->at.line != (*b)->at.line) return (*a)->at.line < (*b)->at.line ? -1 : 1;
    return (*a)->at.col < (*b)->at.col ? -1 : (*a)->at.col > (*b)->at.col;
}

static tml_status check_unique(const builder *b, const tmli_yaml_node *map)
{
    if (map->count < 2) return TML_OK;
    const tmli_yaml_node **keys = tmli_calloc(b->arena->env, (size_t)map->count, sizeof *keys);
    if (!keys) return no_memory(b);
    for (int i = 0; i < map->count; i++) keys[i] = map->items[2 * i];
    qsort((void *)keys, (size_t)map->count, sizeof *keys, by_key);
    tml_status st = TML_OK;
    for (int i = 1; i < map->count && st == TML_OK; i++)
        if (strcmp(keys[i - 1]->text, keys[i]->text) == 0)
            st = tmli_fail_at(b->err, TML_ERR_NAME, keys[i]->at,
                              "The key '%s' is used twice; first in line %d.", keys[i]->text,
                              keys[i - 1]->at.line);
    tmli_free(b->arena->env, (void *)keys);
    return st;
}

// Add the pairs of `from` whose keys are not yet in the map under construction (items from `start`).
static tml_status merge_map(builder *b, size_t start, const tmli_yaml_node *from, tml_mark at)
{
    if (from->kind != TMLI_NODE_MAP)
        return tmli_fail_at(b->err, TML_ERR_SYNTAX, at, "'<<' expects a map or a list of maps.");
    if (from->count > 1000)
        return tmli_fail_at(b->err, TML_ERR_SYNTAX, at,
                            "'<<' merges a map of %d keys; at most 1000 are allowed.", from->count);
    for (int i = 0; i < from->count; i++) {
        bool known = false;
        for (size_t k = start; k < b->nitems && !known; k += 2)
            known = strcmp(b->items[k]->text, from->items[2 * i]->text) == 0;
        b->nodes += (int64_t)(b->nitems - start) / 8;  // the search counts as work too
        if (known) continue;
        b->nodes += 2;
        if (b->nodes > NODES_MAX)
            return tmli_fail_at(b->err, TML_ERR_SYNTAX, at, "The file has more than %d values after merging.",
                                NODES_MAX);
        tml_status st = push(b, from->items[2 * i]);
        if (st == TML_OK) st = push(b, from->items[2 * i + 1]);
        if (st != TML_OK) return st;
    }
    return TML_OK;
}

static tml_status merge(builder *b, size_t start)
{
    size_t k = start;
    while (k < b->nitems && !(b->items[k]->plain && strcmp(b->items[k]->text, "<<") == 0)) k += 2;
    if (k >= b->nitems) return TML_OK;
    const tmli_yaml_node *from = b->items[k + 1];
    memmove((void *)(b->items + k), (const void *)(b->items + k + 2), (b->nitems - k - 2) * sizeof *b->items);
    b->nitems -= 2;
    if (from->kind != TMLI_NODE_LIST) return merge_map(b, start, from, from->at);
    for (int i = 0; i < from->count; i++) {
        const tml_status st = merge_map(b, start, from->items[i], from->at);
        if (st != TML_OK) return st;
    }
    return TML_OK;
}

static tml_status on_end(builder *b)
{
    const level top = b->levels[--b->depth];
    tmli_yaml_node *n = top.node;
    const bool map = n->kind == TMLI_NODE_MAP;
    n->count = (int)((b->nitems - top.start) / (map ? 2 : 1));
    n->items = b->items ? b->items + top.start : NULL;
    tml_status st = map ? check_unique(b, n) : TML_OK;
    if (st == TML_OK && map) st = merge(b, top.start);
    if (st != TML_OK) return st;
    const size_t count = b->nitems - top.start;
    n->items = tmli_arena_alloc(b->arena, count + 1, sizeof *n->items);
    if (!n->items) return no_memory(b);
    if (count) memcpy((void *)n->items, (const void *)(b->items + top.start), count * sizeof *n->items);
    n->count = (int)(count / (map ? 2 : 1));
    b->nitems = top.start;
    return TML_OK;
}

static tml_status on_alias(builder *b, struct fy_event *event)
{
    const char *name = fy_token_get_text0(event->alias.anchor);
    if (!name) return no_memory(b);
    for (int i = b->nanchors - 1; i >= 0; i--) {
        if (strcmp(b->anchors[i].name, name) != 0) continue;
        if (b->anchors[i].node->count < 0)
            return tmli_fail_at(b->err, TML_ERR_SYNTAX, b->last,
                                "The alias '*%s' refers to a value that contains it.", name);
        return place(b, b->anchors[i].node);
    }
    return tmli_fail_at(b->err, TML_ERR_NAME, b->last, "The alias '*%s' has no anchor '&%s' before it.", name,
                        name);
}

static tml_status on_event(builder *b, struct fy_event *event)
{
    const struct fy_mark *m = fy_event_start_mark(event);
    if (m) b->last = (tml_mark){b->file, m->line + 1, m->column + 1};
    switch (event->type) {
    case FYET_DOCUMENT_START:
        if (++b->documents > 1)
            return tmli_fail_at(b->err, TML_ERR_SYNTAX, b->last,
                                "A second YAML document starts here; a model file has one.");
        return TML_OK;
    case FYET_SCALAR: return on_scalar(b, event);
    case FYET_ALIAS: return on_alias(b, event);
    case FYET_MAPPING_START: return on_start(b, event, TMLI_NODE_MAP);
    case FYET_SEQUENCE_START: return on_start(b, event, TMLI_NODE_LIST);
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END: return on_end(b);
    default: return TML_OK;
    }
}

// After a failed allocation libfyaml may take a value for an empty one or the text for wrong: nothing that it
// says is believed then.
static tml_status build(builder *b, struct fy_parser *parser)
{
    for (;;) {
        errno = 0;
        struct fy_event *event = fy_parser_parse(parser);
        tml_status st = event ? on_event(b, event) : TML_OK;
        if (errno == ENOMEM) st = no_memory(b);
        if (!event) return st;  // end of the stream or a syntax error: the caller checks
        fy_parser_event_free(parser, event);
        if (st != TML_OK) return st;
    }
}

// The byte at a position; columns count characters.
static char byte_at(const builder *b, tml_mark at)
{
    tml_mark here = {b->file, 1, 1};
    for (size_t i = 0; i < b->length; i++) {
        if (here.line == at.line && here.col == at.col) return b->text[i];
        if (b->text[i] == '\n') here = (tml_mark){b->file, here.line + 1, 1};
        else if (((unsigned char)b->text[i] & 0xC0) != 0x80) here.col++;
    }
    return 0;
}

static tml_status syntax_error(const builder *b, struct fy_diag *diag)
{
    static const struct {
        const char *part, *say;
    } advice[] = {
        {"multiline plain key", "Is the next line indented too far, or a ':' missing?"},
        {"nested block mapping on the same line", "Quote a text with ': ' in it."},
        {"-quoted scalar", "Is a quote missing at its end? A ' inside '...' is written twice."},
        {"tab character", "Indent by blanks."},
    };
    void *iterator = NULL;
    const struct fy_diag_error *e = fy_diag_errors_iterate(diag, &iterator);
    if (!e || !e->msg) return tmli_fail_at(b->err, TML_ERR_SYNTAX, b->last, "The text is not valid YAML.");
    const tml_mark at = {b->file, e->line > 0 ? e->line : b->last.line,
                         e->column > 0 ? e->column : b->last.col};
    tmli_fail_at(b->err, TML_ERR_SYNTAX, at, "YAML: %s.", e->msg);
    if (byte_at(b, at) == '{')
        tmli_error_append(b->err, "(Quote a text with braces, such as link{i}, inside [ ] or { }.)");
    else if (strstr(e->msg, "flow"))
        tmli_error_append(b->err, "(Is a comma, a '}' or a ']' missing here or in a line before?)");
    for (size_t i = 0; !strstr(e->msg, "flow") && i < sizeof advice / sizeof *advice; i++)
        if (strstr(e->msg, advice[i].part)) tmli_error_append(b->err, "(%s)", advice[i].say);
    if (b->file && tmli_ends_with(b->file, ".csv"))
        tmli_error_append(b->err, "(A .csv file is a table or a result, not a model.)");
    const level *open = b->depth > 0 ? &b->levels[b->depth - 1] : NULL;
    if (open && open->flow && open->node->at.line < at.line)
        tmli_error_append(b->err, "(The '%c' in line %d, column %d is open.)",
                          open->node->kind == TMLI_NODE_MAP ? '{' : '[', open->node->at.line,
                          open->node->at.col);
    return TML_ERR_SYNTAX;
}
