// The page of a result: the viewer with the scene and the values in elements that are no scripts.
//
//   info   JSON: notes of the result, channels, how their values are coded
//   scene  JSON: the scene
//   data   base64: the values (pack.c)
//
// Results beside it are elements info-1, scene-1, data-1 and so on.
#define _POSIX_C_SOURCE 200809L
#include "view/page/page.h"
#include "base/target.h"

#include <stdio.h>
#include <string.h>

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

// The elements of a result; number: 0, or of a result beside it.
static void put_result(FILE *f, int number, const char *info, const char *scene, const tmli_packed *p)
{
    char tail[16] = "";
    if (number > 0) snprintf(tail, sizeof tail, "-%d", number);
    fprintf(f, "<script type=\"application/json\" id=\"info%s\">%s</script>\n", tail, info);
    fprintf(f, "<script type=\"application/json\" id=\"scene%s\">%s</script>\n", tail,
            scene ? scene : "null");
    fprintf(f, "<script type=\"text/plain\" id=\"data%s\">", tail);
    put_base64(f, p->bytes, p->size);
    fputs("</script>\n", f);
}

// A scene goes into the page only as JSON that cannot end its element.
static bool is_safe_json(const char *text) { return text[0] == '{' && !strpbrk(text, "<>&"); }

// timed: it is shown beside others, which needs times.
static tml_status check_result(const tml_result *r, const char *scene, bool timed, tml_error *err)
{
    if (tml_result_row_count(r) == 0) return tmli_fail(err, TML_ERR_ARG, "The result has no rows.");
    if (timed && tml_result_channel_index(r, "t", NULL) < 0)
        return tmli_fail(err, TML_ERR_ARG, "Results beside each other need times: one has no channel 't'.");
    if (scene && !is_safe_json(scene))
        return tmli_fail(err, TML_ERR_ARG, "The scene of the result is not one that Trammel has written.");
    return TML_OK;
}

static tml_status check(const tml_result *r, const tml_page_def *def, tml_error *err)
{
    if (def->size != sizeof *def)
        return tmli_fail(err, TML_ERR_ARG, "tml_page_write: start from tml_page_def_default()");
    if (tmli_viewer_page_size == 0 || !find_mark(TMLI_PAGE_DATA))
        return tmli_fail(
            err, TML_ERR_ARG,
            "This Trammel was built without the viewer: install node.js and npm, run 'npm ci' in "
            "the folder web (on Debian and Ubuntu 'make deps' does both), and build again.");
    if (def->beside_count < 0)
        return tmli_fail(err, TML_ERR_ARG, "tml_page_write: beside_count is %d.", def->beside_count);
    tml_status st = check_result(r, scene_of(r, def), def->beside_count > 0, err);
    for (int i = 0; i < def->beside_count && st == TML_OK; i++)
        st = !def->beside || !def->beside_names || !def->beside[i] || !def->beside_names[i]
                 ? tmli_null_argument(err, "tml_page_write")
                 : check_result(def->beside[i], tml_result_note_text(def->beside[i], "scene"), true, err);
    return st;
}

// Values and information of a result, for a page of the size that is wanted. The caller clears both.
static tml_status make(const tml_result *result, const tml_page_def *def, const char *version,
                       const tml_env *env, tmli_packed *packed, tmli_json *info, tml_error *err)
{
    const char *scene = scene_of(result, def);
    *packed = (tmli_packed){0};
    *info = (tmli_json){.env = env};
    tml_status st = check(result, def, err);
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

// Every result has the same share of what the viewer leaves of the size.
static tml_page_def share_of(const tml_page_def *def)
{
    tml_page_def own = *def;
    const double viewer = (double)tmli_viewer_page_size;
    own.bytes = viewer + (def->bytes - viewer) / (1 + def->beside_count);
    return own;
}

static tml_status put_beside(const tml_page_def *def, const tml_env *env, FILE *out, tml_error *err)
{
    tml_status st = TML_OK;
    for (int i = 0; i < def->beside_count && st == TML_OK; i++) {
        tmli_json info;
        tmli_packed packed;
        tml_page_def own = share_of(def);
        own.title = def->beside_names[i];
        own.scene = NULL;
        own.beside_count = 0;
        st = make(def->beside[i], &own, NULL, env, &packed, &info, err);
        if (st == TML_OK) put_result(out, i + 1, info.text, scene_of(def->beside[i], &own), &packed);
        tmli_packed_clear(&packed, env);
        tmli_json_clear(&info);
    }
    return st;
}

tml_status tmli_page_put(const tml_result *result, const tml_page_def *def, const char *version,
                         const tml_env *env, FILE *out, tml_page_report *report, tml_error *err)
{
    tmli_json info;
    tmli_packed packed;
    const tml_page_def own = share_of(def);
    const char *scene = scene_of(result, def);
    tml_status st = make(result, &own, version, env, &packed, &info, err);
    if (st == TML_OK) {
        const char *const page = (const char *)tmli_viewer_page;
        const size_t before = (size_t)(find_mark(TMLI_PAGE_DATA) - page),
                     after = before + strlen(TMLI_PAGE_DATA);
        put_head(out, before, version != NULL);
        put_result(out, 0, info.text, scene, &packed);
        st = put_beside(def, env, out, err);
        fwrite(page + after, 1, tmli_viewer_page_size - after, out);
    }
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
    tml_status st = check(result, def, err);
    if (st != TML_OK) return st;
    tmli_draft d;
    st = tmli_draft_open(&d, path, env, err);
    if (st != TML_OK) return st;
    st = tmli_page_put(result, def, NULL, env, d.out, report, err);
    if (report) report->bytes = (size_t)ftell(d.out);
    return tmli_draft_close(&d, st, err);
}
