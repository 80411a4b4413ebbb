// The page of a result: the viewer with the scene and the values in elements that are no scripts.
//
//   info   JSON: notes of the result, channels, how their values are coded
//   scene  JSON: the scene
//   data   base64: the values (pack.c)
#define _POSIX_C_SOURCE 200809L
#include "view/page/page.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

tml_page_def tml_page_def_default(void) { return (tml_page_def){.size = sizeof(tml_page_def), .bytes = 5e6}; }

// ---- info -------------------------------------------------------------------------------------------------

static void put_channels(tmli_json *j, const tml_result *r, const tmli_packed *p)
{
    static const char *const codes[] = {"c", "d", "f", "s"};
    tmli_json_open(j, "channels", '[');
    for (int c = 0; c < p->channels; c++) {
        const tmli_packed_channel *k = &p->channel[c];
        tmli_json_open(j, NULL, '[');
        tmli_json_text(j, NULL, tml_result_channel_name(r, c));
        tmli_json_text(j, NULL, tml_result_channel_unit(r, c));
        tmli_json_text(j, NULL, codes[k->coding]);
        if (k->coding == TMLI_CODE_CONSTANT) tmli_json_exact(j, NULL, k->first);
        if (k->coding == TMLI_CODE_SHORT) {
            tmli_json_exact(j, NULL, k->least);
            tmli_json_exact(j, NULL, k->most);
        }
        tmli_json_close(j, ']');
    }
    tmli_json_close(j, ']');
}

static void put_info(tmli_json *j, const tml_result *r, const tml_page_def *def, const tmli_packed *p)
{
    static const char *const notes[] = {"file", "version", "settings", "model", "report", "marks", "axes"};
    const char *title = def->title ? def->title : tml_result_note_text(r, "title");
    tmli_json_open(j, NULL, '{');
    tmli_json_text(j, "trammel", tml_version());
    tmli_json_text(j, "title", title ? title : "");
    tmli_json_open(j, "notes", '{');
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
        const char *text = tml_result_note_text(r, notes[i]);
        if (text) tmli_json_text(j, notes[i], text);
    }
    tmli_json_close(j, '}');
    tmli_json_integer(j, "rows", (long long)p->rows);
    tmli_json_integer(j, "kept", (long long)p->kept);
    tmli_json_number(j, "value_error", p->value_error);
    tmli_json_number(j, "between_error", p->between_error);
    if (p->between_channel >= 0 && p->channel)
        tmli_json_text(j, "between_channel", tml_result_channel_name(r, p->between_channel));
    tmli_json_bool(j, "modes", p->time < 0 && tml_result_channel_index(r, "hz", NULL) >= 0);
    put_channels(j, r, p);
    tmli_json_close(j, '}');
}

// ---- the file ---------------------------------------------------------------------------------------------

static void put_base64(FILE *f, const unsigned char *x, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        const unsigned a = x[i], b = i + 1 < n ? x[i + 1] : 0, c = i + 2 < n ? x[i + 2] : 0;
        const unsigned bits = a << 16 | b << 8 | c;
        const char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63],
                              i + 1 < n ? digits[bits >> 6 & 63] : '=', i + 2 < n ? digits[bits & 63] : '='};
        fwrite(four, 1, sizeof four, f);
    }
}

// Where the data go in the viewer.
static const char *find_place(void)
{
    const char *page = (const char *)tmli_viewer_page;
    const size_t mark = strlen(TMLI_PAGE_DATA);
    for (size_t i = 0; i + mark <= tmli_viewer_page_size; i++)
        if (memcmp(page + i, TMLI_PAGE_DATA, mark) == 0) return page + i;
    return NULL;
}

static void put_page(FILE *f, const char *info, const char *scene, const tmli_packed *p)
{
    const char *const page = (const char *)tmli_viewer_page, *const place = find_place();
    const size_t before = place ? (size_t)(place - page) : 0, mark = strlen(TMLI_PAGE_DATA);
    fwrite(page, 1, before, f);
    fprintf(f, "<script type=\"application/json\" id=\"info\">%s</script>\n", info);
    fprintf(f, "<script type=\"application/json\" id=\"scene\">%s</script>\n", scene);
    fputs("<script type=\"text/plain\" id=\"data\">", f);
    put_base64(f, p->bytes, p->size);
    fputs("</script>\n", f);
    fwrite(page + before + mark, 1, tmli_viewer_page_size - before - mark, f);
}

// Under another name first: a page that is being read stays whole.
static tml_status write_file(const char *path, const char *info, const char *scene, const tmli_packed *p,
                             const tml_env *env, size_t *bytes, tml_error *err)
{
    const size_t room = strlen(path) + 32;
    char *part = tmli_calloc(env, room, 1);
    if (!part) return tmli_no_memory(err, "page");
    snprintf(part, room, "%s.%ld.part", path, (long)getpid());
    errno = 0;
    FILE *f = fopen(part, "wb");
    bool ok = f != NULL;
    if (ok) {
        put_page(f, info, scene, p);
        *bytes = (size_t)ftell(f);
        ok = !ferror(f);
        ok = fclose(f) == 0 && ok && rename(part, path) == 0;
    }
    tml_status st = TML_OK;
    if (!ok) {
        st = tmli_fail(err, TML_ERR_IO, "Cannot write the page '%s': %s.", path,
                       errno ? strerror(errno) : "the disk is full");
        if (f) remove(part);
    }
    tmli_free(env, part);
    return st;
}

// A scene goes into the page only as JSON that cannot end its element.
static bool is_safe_json(const char *text) { return text[0] == '{' && !strpbrk(text, "<>&"); }

static tml_status check(const tml_result *r, const tml_page_def *def, const char *scene, tml_error *err)
{
    if (def->size != sizeof *def)
        return tmli_fail(err, TML_ERR_ARG, "tml_page_write: start from tml_page_def_default()");
    if (tmli_viewer_page_size == 0 || !find_place())
        return tmli_fail(
            err, TML_ERR_ARG,
            "This Trammel was built without the viewer: install node.js and npm, run 'npm ci' in "
            "the folder web (on Debian and Ubuntu 'make deps' does both), and build again.");
    if (tml_result_row_count(r) == 0) return tmli_fail(err, TML_ERR_ARG, "The result has no rows.");
    if (scene && !is_safe_json(scene))
        return tmli_fail(err, TML_ERR_ARG, "The scene of the result is not one that Trammel has written.");
    return TML_OK;
}

tml_status tml_page_write(const tml_result *result, const tml_page_def *def, const char *path,
                          const tml_env *env, tml_page_report *report, tml_error *err)
{
    const tml_page_def fallback = tml_page_def_default();
    if (!result || !path) return tmli_null_argument(err, "tml_page_write");
    if (!def) def = &fallback;
    const char *scene = def->scene ? def->scene : tml_result_note_text(result, "scene");
    tml_status st = check(result, def, scene, err);
    if (st != TML_OK) return st;

    tmli_json info = {.env = env};
    tmli_packed packed = {0};
    put_info(&info, result, def, &packed);  // without channels, for its size
    const double used = (double)tmli_viewer_page_size + (double)info.length +
                        (double)(scene ? strlen(scene) : 0) + 48.0 * tml_result_channel_count(result),
                 left = (def->bytes - used) * 3 / 4;
    tmli_json_clear(&info);
    st = tmli_pack(result, left > 0 ? (size_t)left : 0, env, &packed, err);
    size_t bytes = 0;
    if (st == TML_OK) {
        put_info(&info, result, def, &packed);
        st = info.failed ? tmli_no_memory(err, "page") : TML_OK;
        if (st == TML_OK) st = write_file(path, info.text, scene ? scene : "null", &packed, env, &bytes, err);
    }
    if (st == TML_OK && report)
        *report =
            (tml_page_report){.bytes = bytes,
                              .rows = packed.rows,
                              .rows_kept = packed.kept,
                              .channels = packed.channels,
                              .scene = scene != NULL,
                              .modes = packed.time < 0 && tml_result_channel_index(result, "hz", NULL) >= 0,
                              .value_error = packed.value_error,
                              .between_error = packed.between_error,
                              .between_channel = packed.between_channel};
    tmli_packed_clear(&packed, env);
    tmli_json_clear(&info);
    return st;
}
