// The writer of model files, from a spec to a text. As the reader it follows the schema: a field is written
// where its value is not that of the default definition. Entries of which another one consists are not
// written: reading that one makes them again.
#include "io/write.h"

#include "base/stream.h"
#include "base/target.h"
#include "spec/names.h"
#include "spec/schema.h"

#include <math.h>
#include <string.h>

typedef struct writer {
    const tml_spec *spec;
    const char *folder;
    FILE *out;
    int *head, *next;  // frames by body: first of each body (the ground last), next of each frame; -1: none
} writer;

// ---- values -----------------------------------------------------------------------------------------------

static void put(const writer *w, const char *text) { fputs(text, w->out); }

static void put_number(const writer *w, double x)
{
    char buf[32];
    put(w, tmli_dtoa(x == 0 ? 0 : x, buf));
}

static void put_numbers(const writer *w, const double *x, int count)
{
    for (int i = 0; i < count; i++) {
        put(w, i == 0 ? "[" : ", ");
        put_number(w, x[i]);
    }
    put(w, "]");
}

// Rows of `width` numbers.
static void put_rows(const writer *w, const double *x, int count, int width)
{
    for (int i = 0; i < count; i++) {
        put(w, i == 0 ? "[" : ", ");
        put_numbers(w, x + (size_t)width * (size_t)i, width);
    }
    put(w, "]");
}

// A text that no reader of YAML can take for anything else.
static void put_text(const writer *w, const char *text)
{
    const size_t n = strlen(text);
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_",
                      more[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.-/";
    static const char *const words[] = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"};
    bool plain = n > 0 && strchr(letters, text[0]) && strspn(text, more) == n;
    for (size_t i = 0; i < sizeof words / sizeof *words && plain; i++) {
        size_t k = 0;
        while (words[i][k] && (text[k] | 0x20) == words[i][k]) k++;
        plain = words[i][k] || text[k];
    }
    if (plain) {
        put(w, text);
        return;
    }
    fputc('"', w->out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c == '"' || *c == '\\') fprintf(w->out, "\\%c", *c);
        else if (*c < 0x20 || *c == 0x7F) fprintf(w->out, "\\x%02x", *c);
        else fputc(*c, w->out);
    fputc('"', w->out);
}

static void put_word(const writer *w, const tmli_field *f, int value)
{
    const tmli_key_choice *c = f->choices;
    while (c->name && c->value != value) c++;
    put_text(w, c->name ? c->name : "");
}

// A component that is not given is 0; in the plane a torque is that about z.
static void put_components(const writer *w, const tmli_field *f, const char *const *text)
{
    if (w->spec->planar && f->kind == TMLI_FIELD_TORQUE3) {
        put_text(w, text[2] ? text[2] : "0");
        return;
    }
    for (int i = 0; i < (w->spec->planar ? 2 : 3); i++) {
        put(w, i == 0 ? "[" : ", ");
        put_text(w, text[i] ? text[i] : "0");
    }
    put(w, "]");
}

static void put_texts(const writer *w, const char *const *text, int count)
{
    for (int i = 0; i < count; i++) {
        put(w, i == 0 ? "[" : ", ");
        put_text(w, text[i]);
    }
    put(w, "]");
}

static bool are_zero(const double *x, int count, int step)
{
    for (int i = 0; i < count; i++)
        if ((step == 0 || i % step != 0) && x[i] != 0) return false;
    return true;
}

static void put_matrix(const writer *w, const double *x)
{
    double diagonal[6];
    for (int i = 0; i < 6; i++) diagonal[i] = x[7 * i];
    if (are_zero(x, 36, 7)) put_numbers(w, diagonal, 6);
    else put_rows(w, x, 6, 6);
}

// The name of a file as seen from the folder of the model file, if it is in or below it.
static void put_file(const writer *w, const char *path)
{
    const size_t n = strlen(w->folder);
    put_text(w, strncmp(path, w->folder, n) == 0 ? path + n : path);
}

static void put_fields(const writer *w, const tmli_schema *s, int type, const void *def, const void *fallback,
                       const char *separator);

static void put_block(const writer *w, const tmli_schema *s, const void *def, const void *fallback)
{
    put(w, "{");
    put_fields(w, s, 0, def, fallback, "");
    put(w, "}");
}

static void put_value(const writer *w, const tmli_field *f, const void *def, const void *fallback)
{
    const void *p = (const char *)def + f->offset, *flag = (const char *)def + f->flag;
    switch (f->kind) {
    case TMLI_FIELD_COORDINATES: put_texts(w, p, *(const int *)flag); break;
    case TMLI_FIELD_FORCE3:
    case TMLI_FIELD_TORQUE3: put_components(w, f, p); break;
    case TMLI_FIELD_LOAD:
        if (*(const bool *)flag) put(w, "reaction");
        else put_number(w, *(const double *)p);
        break;
    case TMLI_FIELD_NUMBER:
    case TMLI_FIELD_AUGMENT: put_number(w, *(const double *)p); break;
    case TMLI_FIELD_INTEGER: put_number(w, *(const int *)p); break;
    case TMLI_FIELD_BOOL: put(w, *(const bool *)p ? "true" : "false"); break;
    case TMLI_FIELD_BOOL_CHOICE: put_word(w, f, *(const bool *)p); break;
    case TMLI_FIELD_CHOICE: put_word(w, f, *(const int *)p); break;
    case TMLI_FIELD_SCALING:
        if (*(const int *)p == TML_SCALING_GIVEN)
            put_block(w, f->sub, flag, (const char *)fallback + f->flag);
        else put_word(w, f, *(const int *)p);
        break;
    case TMLI_FIELD_ROTATION:
        put(w, "{quaternion: ");
        put_numbers(w, p, 4);
        put(w, "}");
        break;
    case TMLI_FIELD_INERTIA: put_numbers(w, p, are_zero((const double *)p + 3, 3, 0) ? 3 : 6); break;
    case TMLI_FIELD_MATRIX6: put_matrix(w, p); break;
    case TMLI_FIELD_LIST: put_numbers(w, *(const double *const *)p, *(const int *)flag); break;
    case TMLI_FIELD_TABLE:
    case TMLI_FIELD_POINTS:
        put_rows(w, *(const double *const *)p, *(const int *)flag, tmli_field_width(f));
        break;
    case TMLI_FIELD_GRID: {
        const int *size = flag;  // numbers, columns
        put_rows(w, *(const double *const *)p, size[0] / size[1], size[1]);
        break;
    }
    case TMLI_FIELD_BLOCK: put_block(w, f->sub, p, (const char *)fallback + f->offset); break;
    default:
        if (tmli_field_stored(f).numbers > 0) put_numbers(w, p, tmli_field_stored(f).numbers);
        else put_text(w, *(const char *const *)p);
    }
}

// ---- fields -----------------------------------------------------------------------------------------------

// Whether a field differs from its default, or says of itself that it was given.
static bool is_given(const tmli_field *f, const void *def, const void *fallback)
{
    const void *p = (const char *)def + f->offset, *q = (const char *)fallback + f->offset,
               *flag = (const char *)def + f->flag;
    if (f->kind == TMLI_FIELD_LOAD) return *(const bool *)flag || !isnan(*(const double *)p);
    if (f->kind == TMLI_FIELD_NUMBER && isnan(*(const double *)p)) return false;
    if (tmli_field_width(f) > 0 || f->kind == TMLI_FIELD_COORDINATES) return *(const int *)flag > 0;
    if (f->flag && f->kind != TMLI_FIELD_SCALING) return *(const bool *)flag;
    return memcmp(p, q, tmli_field_stored(f).bytes) != 0;
}

// Keys that reading asks for although the schema does not require them: a body has a mass (or a density,
// which is gone when it has been weighed), and one with a mass says what its inertia is.
static bool is_expected(const tmli_schema *s, const tmli_field *f, int type, const void *def)
{
    if (f->required >> type & 1u) return true;
    const tml_body_def *body = s == &tmli_schema_body ? def : NULL;
    return body && (f->offset == offsetof(tml_body_def, mass) ||
                    (f->kind == TMLI_FIELD_INERTIA && body->mass > 0 && !body->point));
}

// What others of its fields say: the rows of a file stand in the entry, and a beam was completed from its end
// or its points.
static bool is_replaced(const tmli_schema *s, const tmli_field *f, const void *def)
{
    const tml_shape_def *shape = s == &tmli_schema_shape ? def : NULL;
    const tml_beam_def *beam = s == &tmli_schema_beam ? def : NULL;
    if (s == &tmli_schema_table) return f->kind == TMLI_FIELD_TEXT;
    if (shape) return shape->height_count > 0 && f->offset == offsetof(tml_shape_def, file);
    if (!beam || (!beam->has_end && beam->point_count == 0)) return false;
    return f->offset == offsetof(tml_beam_def, length) || f->offset == offsetof(tml_beam_def, orientation) ||
           (beam->point_count > 0 && f->offset == offsetof(tml_beam_def, position));
}

// separator: before a field on a line of its own; "": fields are separated by commas
static void put_fields(const writer *w, const tmli_schema *s, int type, const void *def, const void *fallback,
                       const char *separator)
{
    bool first = true;
    for (int i = 0; i < s->nfields; i++) {
        const tmli_field *f = &s->fields[i];
        if (!(f->types >> type & 1u) || f->kind == TMLI_FIELD_FRAMES || f->kind == TMLI_FIELD_SHAPES ||
            is_replaced(s, f, def) || (!is_expected(s, f, type, def) && !is_given(f, def, fallback)))
            continue;
        put(w, separator[0] ? separator : first ? "" : ", ");
        put_text(w, f->key);
        put(w, ": ");
        if (s == &tmli_schema_shape && f->offset == offsetof(tml_shape_def, file))
            put_file(w, ((const tml_shape_def *)def)->file);
        else put_value(w, f, def, fallback);
        if (separator[0]) put(w, "\n");
        first = false;
    }
}

// ---- entries ----------------------------------------------------------------------------------------------

static void put_frames(const writer *w, int owner, const char *indent)
{
    const tml_frame_def none = tml_frame_def_default();
    if (w->head[owner] < 0) return;
    fprintf(w->out, "%sframes:\n", indent);
    for (int i = w->head[owner]; i >= 0; i = w->next[i]) {
        const tml_frame_def *d = &w->spec->frames[i].def;
        fprintf(w->out, "%s  ", indent);
        put_text(w, d->name);
        put(w, ": {");
        put_fields(w, &tmli_schema_frame, 0, d, &none, "");
        put(w, "}\n");
    }
}

static const void *entry_at(const tml_spec *spec, const tmli_schema *s, int index)
{
    const void *items = *(void *const *)(const void *)((const char *)spec + s->entry->items);
    return (const char *)items + (size_t)index * (offsetof(tmli_any_entry, def) + s->def_size);
}

static tml_status put_entry(const writer *w, const tmli_schema *s, const void *def, int index, tml_error *err)
{
    tmli_any_def fallback;
    s->entry->start(&fallback, NULL);
    const char *name = *(const char *const *)(const void *)((const char *)def + s->entry->name);
    const int type =
        s->types ? *(const int *)(const void *)((const char *)def + tmli_schema_find(s, "type", -1)->offset)
                 : 0;
    if (s == &tmli_schema_force && type == TML_FORCE_CALLBACK)
        return tmli_fail(err, TML_ERR_MODEL,
                         "Force '%.80s' is a function of a program, which no model file holds.", name);
    put(w, "  ");
    put_text(w, name);
    put(w, s->entry->has_frames ? ":\n" : ": {");
    put_fields(w, s, type, def, &fallback, s->entry->has_frames ? "    " : "");
    if (s->entry->has_frames) put_frames(w, index, "    ");
    else put(w, "}\n");
    return TML_OK;
}

static tml_status put_section(const writer *w, const tmli_field *f, tml_error *err)
{
    const tmli_schema *s = f->sub;
    const int count = *(const int *)(const void *)((const char *)w->spec + s->entry->count);
    bool any = false;
    tml_status st = TML_OK;
    for (int i = 0; i < count && st == TML_OK; i++) {
        const char *entry = entry_at(w->spec, s, i);
        if (((const tmli_entry *)(const void *)entry)->derived) continue;
        if (!any) fprintf(w->out, "%s:\n", f->key);
        any = true;
        st = put_entry(w, s, entry + offsetof(tmli_any_entry, def), i, err);
    }
    return st;
}

// ---- the model --------------------------------------------------------------------------------------------

static void put_settings(const writer *w)
{
    const tml_spec *spec = w->spec;
    if (spec->title && spec->title[0]) {
        put(w, "title: ");
        put_text(w, spec->title);
        put(w, "\n");
    }
    if (spec->planar) put(w, "planar: true\n");
    if (!are_zero(spec->gravity, 3, 0)) {
        put(w, "gravity: ");
        put_numbers(w, spec->gravity, 3);
        put(w, "\n");
    }
    for (int i = 0; i < spec->nparams; i++) {
        if (i == 0) put(w, "parameters:\n");
        put(w, "  ");
        put_text(w, spec->param_names[i]);
        put(w, ": ");
        put_number(w, spec->param_values[i]);
        put(w, "\n");
    }
}

static tml_status put_model(const writer *w, tml_error *err)
{
    const tml_run_def none = tml_run_def_default();
    tml_status st = TML_OK;
    put_settings(w);
    for (int i = 0; i < tmli_schema_model.nfields && st == TML_OK; i++) {
        const tmli_field *f = &tmli_schema_model.fields[i];
        const int ground = w->spec->nbodies;
        if (f->sub && f->sub->entry) st = put_section(w, f, err);
        else if (f->sub == &tmli_schema_ground && w->head[ground] >= 0) {
            fprintf(w->out, "%s:\n", f->key);
            put_frames(w, ground, "  ");
        }
    }
    if (memcmp(&w->spec->run, &none, sizeof none) != 0) {
        put(w, "run: {");
        put_fields(w, &tmli_schema_run, 0, &w->spec->run, &none, "");
        put(w, "}\n");
    }
    return st;
}

// Frames of each body in their order.
static tml_status sort_frames(writer *w, tml_error *err)
{
    const tml_spec *spec = w->spec;
    w->head = tmli_calloc(&spec->env, (size_t)spec->nbodies + 1, sizeof *w->head);
    w->next = tmli_calloc(&spec->env, (size_t)spec->nframes + 1, sizeof *w->next);
    if (!w->head || !w->next) return tmli_no_memory(err, "frames");
    for (int i = 0; i <= spec->nbodies; i++) w->head[i] = -1;
    for (int i = spec->nframes - 1; i >= 0; i--) {
        const tmli_frame_entry *f = &spec->frames[i];
        const tmli_taken *body = tmli_names_find(spec, TMLI_SPACE_ENTRIES, f->def.body, NULL);
        const bool ground = strcmp(f->def.body, "ground") == 0;
        if (f->at.derived || (!ground && (!body || strcmp(body->what, "body") != 0))) continue;
        const int owner = ground ? spec->nbodies : body->index;
        w->next[i] = w->head[owner];
        w->head[owner] = i;
    }
    return TML_OK;
}

static void put_comments(const writer *w, const char *head)
{
    if (head) fprintf(w->out, "# %s\n", head);
    for (int i = 0; i < w->spec->nnotes; i++)
        fprintf(w->out, "# line %d: %s\n", w->spec->notes[i].line, w->spec->notes[i].text);
}

tml_status tmli_yaml_write(const tml_spec *spec, const char *head, const char *folder, char **text,
                           size_t *length, tml_error *err)
{
    writer w = {.spec = spec, .folder = folder};
    *text = NULL;
    w.out = tmli_memory_stream(&spec->env, text, length);
    if (!w.out) return tmli_no_memory(err, "text");
    tml_status st = sort_frames(&w, err);
    if (st == TML_OK) {
        put_comments(&w, head);
        st = put_model(&w, err);
    }
    tmli_free_all(&spec->env, w.head, w.next);
    if (fclose(w.out) != 0 && st == TML_OK) st = tmli_no_memory(err, "text");
    if (st != TML_OK) {
        tmli_free(&spec->env, *text);
        *text = NULL;
    }
    return st;
}

tml_status tml_spec_write(const tml_spec *spec, const char *path, tml_error *err)
{
    if (!spec || !path) return tmli_null_argument(err, "tml_spec_write");
    const char *slash = strrchr(path, '/');
    char *folder = tmli_strndup(&spec->env, path, slash ? (size_t)(slash - path) + 1 : 0), *text = NULL;
    size_t length = 0;
    tml_status st = folder ? TML_OK : tmli_no_memory(err, "path");
    if (st == TML_OK) st = tmli_yaml_write(spec, NULL, folder, &text, &length, err);
    if (st == TML_OK) st = tmli_file_write(path, text, length, false, &spec->env, err);
    tmli_free(&spec->env, text);
    tmli_free(&spec->env, folder);
    return st;
}
