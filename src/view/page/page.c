// The page of a result: the viewer with the scene and the values in elements that are no scripts.
//
//   info   JSON: notes of the result, channels, how their values are coded
//   scene  JSON: the scene
//   data   base64: the values (pack.c)
#define _POSIX_C_SOURCE 200809L
#include "view/page/page.h"
#include "base/target.h"

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
        if (k->coding == TMLI_CODE_CONSTANT) tmli_json_number(j, NULL, k->first);
        if (k->coding == TMLI_CODE_SHORT) {
            tmli_json_number(j, NULL, k->least);
            tmli_json_number(j, NULL, k->most);
        }
        tmli_json_close(j, ']');
    }
    tmli_json_close(j, ']');
}

// FNV-1a, to see whether a scene is still the same.
static unsigned long long hash_of(const char *text)
{
    unsigned long long h = 14695981039346656037ull;
    for (; *text; text++) h = (h ^ (unsigned char)*text) * 1099511628211ull;
    return h;
}

static void put_live(tmli_json *j, const char *version, const char *scene)
{
    char hash[32];
    snprintf(hash, sizeof hash, "%016llx", hash_of(scene ? scene : ""));
    tmli_json_object(j, "live", "version %s scene %s", version, hash);
}

static const char *scene_of(const tml_result *r, const tml_page_def *def)
{
    return def->scene ? def->scene : tml_result_note_text(r, "scene");
}

static void put_info(tmli_json *j, const tml_result *r, const tml_page_def *def, const char *version,
                     const tmli_packed *p)
{
    static const char *const notes[] = {"file",   "version", "settings", "model",
                                        "report", "marks",   "steps",    "axes"};
    const char *title = def->title ? def->title : tml_result_note_text(r, "title");
    tmli_json_open(j, NULL, '{');
    tmli_json_members(j, "trammel %s title %s", tml_version(), title ? title : "");
    tmli_json_open(j, "notes", '{');
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
        const char *text = tml_result_note_text(r, notes[i]);
        if (text) tmli_json_text(j, notes[i], text);
    }
    tmli_json_close(j, '}');
    if (version) put_live(j, version, scene_of(r, def));
    tmli_json_members(j, "rows %zu kept %zu value_error %.7g between_error %.7g", p->rows, p->kept,
                      p->value_error, p->between_error);
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

// Where a mark is in the viewer; NULL: nowhere.
static const char *find_mark(const char *mark)
{
    const char *page = (const char *)tmli_viewer_page;
    const size_t n = strlen(mark);
    for (size_t i = 0; i + n <= tmli_viewer_page_size; i++)
        if (memcmp(page + i, mark, n) == 0) return page + i;
    return NULL;
}

// The part of the viewer before the data; the policy allows a page with a server to ask it.
static void put_head(FILE *f, size_t length, bool served)
{
    const char *const page = (const char *)tmli_viewer_page, *const policy = find_mark(TMLI_PAGE_ALONE);
    const size_t before = policy ? (size_t)(policy - page) : length, n = strlen(TMLI_PAGE_ALONE);
    if (!served || before + n > length) {
        fwrite(page, 1, length, f);
        return;
    }
    fwrite(page, 1, before, f);
    fputs(TMLI_PAGE_SERVED, f);
    fwrite(page + before + n, 1, length - before - n, f);
}

static void put_page(FILE *f, const char *info, const char *scene, const tmli_packed *p, bool served)
{
    const char *const page = (const char *)tmli_viewer_page, *const place = find_mark(TMLI_PAGE_DATA);
    const size_t before = place ? (size_t)(place - page) : 0, mark = strlen(TMLI_PAGE_DATA);
    put_head(f, before, served);
    fprintf(f, "<script type=\"application/json\" id=\"info\">%s</script>\n", info);
    fprintf(f, "<script type=\"application/json\" id=\"scene\">%s</script>\n", scene);
    fputs("<script type=\"text/plain\" id=\"data\">", f);
    put_base64(f, p->bytes, p->size);
    fputs("</script>\n", f);
    fwrite(page + before + mark, 1, tmli_viewer_page_size - before - mark, f);
}

// A scene goes into the page only as JSON that cannot end its element.
static bool is_safe_json(const char *text) { return text[0] == '{' && !strpbrk(text, "<>&"); }

static tml_status check(const tml_result *r, const tml_page_def *def, const char *scene, tml_error *err)
{
    if (def->size != sizeof *def)
        return tmli_fail(err, TML_ERR_ARG, "tml_page_write: start from tml_page_def_default()");
    if (tmli_viewer_page_size == 0 || !find_mark(TMLI_PAGE_DATA))
        return tmli_fail(
            err, TML_ERR_ARG,
            "This Trammel was built without the viewer: install node.js and npm, run 'npm ci' in "
            "the folder web (on Debian and Ubuntu 'make deps' does both), and build again.");
    if (tml_result_row_count(r) == 0) return tmli_fail(err, TML_ERR_ARG, "The result has no rows.");
    if (scene && !is_safe_json(scene))
        return tmli_fail(err, TML_ERR_ARG, "The scene of the result is not one that Trammel has written.");
    return TML_OK;
}

// Values and information of a result, for a page of the size that is wanted. The caller clears both.
static tml_status make(const tml_result *result, const tml_page_def *def, const char *version,
                       const tml_env *env, tmli_packed *packed, tmli_json *info, tml_error *err)
{
    const char *scene = scene_of(result, def);
    *packed = (tmli_packed){0};
    *info = (tmli_json){.env = env};
    tml_status st = check(result, def, scene, err);
    if (st != TML_OK) return st;
    put_info(info, result, def, version, packed);  // without channels, for its size
    const double used = (double)tmli_viewer_page_size + (double)info->length +
                        (double)(scene ? strlen(scene) : 0) + 48.0 * tml_result_channel_count(result),
                 left = (def->bytes - used) * 3 / 4;
    tmli_json_clear(info);
    st = tmli_pack(result, left > 0 ? (size_t)left : 0, env, packed, err);
    if (st != TML_OK) return st;
    *info = (tmli_json){.env = env};
    put_info(info, result, def, version, packed);
    return info->failed ? tmli_no_memory(err, "page") : TML_OK;
}

tml_status tmli_page_put(const tml_result *result, const tml_page_def *def, const char *version,
                         const tml_env *env, FILE *out, tml_page_report *report, tml_error *err)
{
    tmli_json info;
    tmli_packed packed;
    const char *scene = scene_of(result, def);
    const tml_status st = make(result, def, version, env, &packed, &info, err);
    if (st == TML_OK) put_page(out, info.text, scene ? scene : "null", &packed, version != NULL);
    if (st == TML_OK && report)
        *report =
            (tml_page_report){.rows = packed.rows,
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

tml_status tmli_page_put_data(const tml_result *result, const tml_page_def *def, const char *version,
                              const tml_env *env, FILE *out, tml_error *err)
{
    tmli_json info;
    tmli_packed packed;
    const tml_status st = make(result, def, version, env, &packed, &info, err);
    if (st == TML_OK) {
        for (int k = 0; k < 4; k++) fputc((int)(info.length >> 8 * k & 255), out);
        fwrite(info.text, 1, info.length, out);
        fwrite(packed.bytes, 1, packed.size, out);
    }
    tmli_packed_clear(&packed, env);
    tmli_json_clear(&info);
    return st;
}

tml_status tml_page_write(const tml_result *result, const tml_page_def *def, const char *path,
                          const tml_env *env, tml_page_report *report, tml_error *err)
{
    const tml_page_def fallback = tml_page_def_default();
    if (!result || !path) return tmli_null_argument(err, "tml_page_write");
    if (!def) def = &fallback;
    tml_status st = check(result, def, scene_of(result, def), err);
    if (st != TML_OK) return st;
    tmli_draft d;
    st = tmli_draft_open(&d, path, env, err);
    if (st != TML_OK) return st;
    st = tmli_page_put(result, def, NULL, env, d.out, report, err);
    if (report) report->bytes = (size_t)ftell(d.out);
    return tmli_draft_close(&d, st, err);
}
