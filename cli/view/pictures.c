// Pictures of a result: Chromium opens the page of the result from a server in this process, draws the scene
// at the times it is asked for, and sends every picture back. ffmpeg makes films of them.
//
//   GET  /KEY/          the page; it draws pictures because its address ends in "#record"
//   GET  /KEY/plan      what is to be drawn
//   POST /KEY/frame/N   a picture
// KEY is random: no other page can guess it.
#define _XOPEN_SOURCE 700
#include "base/file.h"
#include "base/stream.h"
#include "base/target.h"
#include "export.h"

#include "view/page/page.h"
#include "view/serve/http.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PICTURE_BYTES = 64 << 20, FILM_BYTES = 1 << 30, PATH_BYTES = 4096, KEY_BYTES = 33 };
static const double PATIENCE = 120;  // [s] without a picture after which the browser is given up

typedef struct session {
    const tml_result *result;
    const tml_page_def *def;
    const cli_pictures *plan;
    const tml_env *env;
    char key[KEY_BYTES];
    const char *folder;  // of the pictures of a film
    size_t received;
    double last;  // wall time of the last request
    tml_error err;
} session;

static bool is_film(const char *path)
{
    const size_t n = strlen(path);
    return n < 4 || (strcmp(path + n - 4, ".png") != 0 && strcmp(path + n - 4, ".PNG") != 0);
}

static void picture_path(const session *s, size_t i, char path[PATH_BYTES])
{
    const char *out = s->plan->path;
    if (is_film(out)) snprintf(path, PATH_BYTES, "%.4000s/%06zu.png", s->folder, i);
    else if (s->plan->times.count == 1) snprintf(path, PATH_BYTES, "%.4000s", out);
    else snprintf(path, PATH_BYTES, "%.*s-%04zu.png", (int)strlen(out) - 4, out, i);
}

// ---- answers ----------------------------------------------------------------------------------------------

static void answer_page(session *s, tmli_http_answer *a)
{
    FILE *f = tmli_memory_stream(NULL, &a->body, &a->size);
    if (!f) return;
    const tml_status st = tmli_page_put(s->result, s->def, "picture", s->env, f, NULL, &s->err);
    if (fclose(f) == 0 && st == TML_OK) a->status = 200;
    a->type = "text/html; charset=utf-8";
}

static void answer_plan(const session *s, tmli_http_answer *a)
{
    tmli_json j = {.env = s->env};
    tmli_json_open(&j, NULL, '{');
    tmli_json_members(&j, "width %d height %d", s->plan->width, s->plan->height);
    if (s->plan->view) tmli_json_text(&j, "view", s->plan->view);
    tmli_json_open(&j, "times", '[');
    for (size_t i = 0; i < s->plan->times.count; i++) tmli_json_number(&j, NULL, s->plan->times.t[i]);
    tmli_json_close(&j, ']');
    tmli_json_close(&j, '}');
    a->body = j.text ? strdup(j.text) : NULL;
    a->size = a->body ? strlen(a->body) : 0;
    a->status = a->body ? 200 : 404;
    a->type = "application/json";
    tmli_json_clear(&j);
}

static void take_picture(session *s, size_t number, const tmli_http_request *r, tmli_http_answer *a)
{
    static const char png[] = "\x89PNG\r\n\x1a\n";
    char path[PATH_BYTES];
    if (number != s->received || number >= s->plan->times.count || r->size < 8 ||
        memcmp(r->body, png, 8) != 0)
        return;
    picture_path(s, number, path);
    if (tmli_file_write(path, r->body, r->size, false, s->env, &s->err) != TML_OK) return;
    s->received++;
    a->status = 204;
}

static void answer(const tmli_http_request *r, void *user, tmli_http_answer *a)
{
    session *s = user;
    const size_t n = strlen(s->key);
    s->last = tmli_wall_time();
    if (r->target[0] != '/' || strncmp(r->target + 1, s->key, n) != 0 || r->target[1 + n] != '/') return;
    const char *rest = r->target + n + 2;
    if (!*rest && !r->body) answer_page(s, a);
    else if (strcmp(rest, "plan") == 0 && !r->body) answer_plan(s, a);
    else if (strncmp(rest, "frame/", 6) == 0 && r->body)
        take_picture(s, (size_t)strtoul(rest + 6, NULL, 10), r, a);
}

// ---- programs ---------------------------------------------------------------------------------------------

static void be_silent(void)
{
    const int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3 && null >= 0; fd++) dup2(null, fd);
}

static pid_t start_browser(const session *s, int port, const char *profile)
{
    static const char *const names[] = {"chromium", "chromium-browser", "google-chrome"};
    char size[64], data[PATH_BYTES], address[128];
    snprintf(size, sizeof size, "--window-size=%d,%d", s->plan->width, s->plan->height);
    snprintf(data, sizeof data, "--user-data-dir=%.4000s", profile);
    snprintf(address, sizeof address, "http://127.0.0.1:%d/%s/#record", port, s->key);
    const pid_t child = fork();
    if (child != 0) return child;
    setsid();  // with its own processes it is ended as a group
    be_silent();
    const char *argv[] = {"chromium",
                          "--headless=new",
                          "--use-gl=angle",
                          "--use-angle=swiftshader",
                          "--hide-scrollbars",
                          "--enable-unsafe-swiftshader",
                          "--no-first-run",
                          "--disable-extensions",
                          "--force-device-scale-factor=1",
                          size,
                          data,
                          geteuid() == 0 ? "--no-sandbox" : "--disable-sync",
                          address,
                          NULL};
    if (s->plan->chromium) execvp(s->plan->chromium, (char *const *)argv);
    for (size_t i = 0; !s->plan->chromium && i < sizeof names / sizeof *names; i++)
        execvp(names[i], (char *const *)argv);
    _exit(127);
}

// A picture takes a fraction of a second: films take long enough to ask how far they are.
static void show_progress(const session *s, bool over)
{
    const size_t count = s->plan->times.count;
    if (!s->plan->progress || count < 2 || !isatty(STDERR_FILENO)) return;
    fputs("\r\033[K", stderr);
    if (!over) fprintf(stderr, "picture %zu of %zu", s->received + 1, count);
    fflush(stderr);
}

static tml_status wait_for_pictures(session *s, tmli_http *server, pid_t browser, tml_error *err)
{
    tml_status st = TML_OK;
    s->last = tmli_wall_time();
    show_progress(s, false);
    while (st == TML_OK && s->received < s->plan->times.count) {
        int status = 0;
        const size_t before = s->received;
        st = tmli_http_serve(server, 0.2, answer, s, err);
        if (s->received > before && s->received < s->plan->times.count) show_progress(s, false);
        if (st == TML_OK && s->err.status != TML_OK) {
            *err = s->err;
            st = s->err.status;
        } else if (st == TML_OK && waitpid(browser, &status, WNOHANG) == browser) {
            show_progress(s, true);
            if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
                return tmli_fail(err, TML_ERR_IO,
                                 "Pictures need Chromium: install it, or give its path with --chromium.");
            return tmli_fail(err, TML_ERR_IO, "The browser ended before it had drawn all pictures.");
        } else if (st == TML_OK && tmli_wall_time() - s->last > PATIENCE) {
            st = tmli_fail(err, TML_ERR_IO, "The browser has drawn nothing for %g s.", PATIENCE);
        }
    }
    show_progress(s, true);
    kill(-browser, SIGKILL);
    waitpid(browser, NULL, 0);
    return st;
}

// Before the pictures are drawn.
static tml_status find_ffmpeg(tml_error *err)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        be_silent();
        execlp("ffmpeg", "ffmpeg", "-version", (char *)NULL);
        _exit(127);
    }
    if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return TML_OK;
    return tmli_fail(err, TML_ERR_IO,
                     "Films need ffmpeg, which is not installed; .png gives pictures, and the page of "
                     "'trammel view' records films without it.");
}

// A film gets its name when ffmpeg is done with it.
static tml_status move_film(const session *s, const char *film, tml_error *err)
{
    tmli_bytes bytes;
    char reason[TMLI_FILE_REASON];
    tml_status st = tmli_file_load(film, NULL, FILM_BYTES, TMLI_FILE_REGULAR, s->env, &bytes, reason);
    if (st != TML_OK) return tmli_fail(err, st, "Cannot read the film '%.300s': %s.", film, reason);
    st = tmli_file_write(s->plan->path, bytes.data, bytes.length, false, s->env, err);
    tmli_free(s->env, bytes.data);
    return st;
}

static tml_status make_film(const session *s, tml_error *err)
{
    char rate[32], pictures[PATH_BYTES], film[PATH_BYTES];
    const char *out = s->plan->path, *ending = out + strlen(out) - 4;
    const bool gif = strcmp(ending, ".gif") == 0;
    snprintf(film, sizeof film, "%.4000s/film%s", s->folder, ending);
    snprintf(rate, sizeof rate, "%g", s->plan->fps);
    snprintf(pictures, sizeof pictures, "%.4000s/%%06d.png", s->folder);
    const pid_t child = fork();
    if (child == 0) {
        be_silent();
        if (gif)
            execlp("ffmpeg", "ffmpeg", "-y", "-framerate", rate, "-i", pictures, "-vf",
                   "split[a][b];[a]palettegen[p];[b][p]paletteuse", film, (char *)NULL);
        else
            execlp("ffmpeg", "ffmpeg", "-y", "-framerate", rate, "-i", pictures, "-vf",
                   "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", film, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return move_film(s, film, err);
    return tmli_fail(err, TML_ERR_IO, "ffmpeg could not write '%.300s'.", out);
}

// ---- folders ----------------------------------------------------------------------------------------------

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

static tml_status make_folder(char path[PATH_BYTES], tml_error *err)
{
    const char *base = getenv("TMPDIR");
    snprintf(path, PATH_BYTES, "%.3900s/trammel-pictures-XXXXXX", base && *base ? base : "/tmp");
    if (mkdtemp(path)) return TML_OK;
    return tmli_fail(err, TML_ERR_IO, "Cannot make a folder '%.300s': %s.", path, strerror(errno));
}

static bool make_key(char key[KEY_BYTES])
{
    unsigned char bytes[(KEY_BYTES - 1) / 2];
    FILE *f = fopen("/dev/urandom", "rb");
    const bool ok = f && fread(bytes, 1, sizeof bytes, f) == sizeof bytes;
    if (f) fclose(f);
    for (size_t i = 0; ok && i < sizeof bytes; i++) snprintf(key + 2 * i, 3, "%02x", bytes[i]);
    return ok;
}

tml_status cli_export_pictures(const tml_result *result, const tml_page_def *def, const cli_pictures *p,
                               const tml_env *env, tml_error *err)
{
    char folder[PATH_BYTES], profile[PATH_BYTES + 16];
    session s = {.result = result, .def = def, .plan = p, .env = env, .folder = folder};
    tmli_http *server = NULL;
    if (!make_key(s.key)) return tmli_fail(err, TML_ERR_IO, "Cannot read /dev/urandom.");
    tml_status st = is_film(p->path) ? find_ffmpeg(err) : TML_OK;
    if (st == TML_OK) st = make_folder(folder, err);
    if (st != TML_OK) return st;
    snprintf(profile, sizeof profile, "%s/profile", folder);
    st = tmli_http_open(0, env, &server, err);
    if (st == TML_OK) {
        tmli_http_allow_post(server, PICTURE_BYTES);
        const pid_t browser = start_browser(&s, tmli_http_port(server), profile);
        st = browser > 0 ? wait_for_pictures(&s, server, browser, err)
                         : tmli_fail(err, TML_ERR_IO, "No process can be started: %s.", strerror(errno));
    }
    tmli_http_close(server);
    if (st == TML_OK && is_film(p->path)) st = make_film(&s, err);
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    return st;
}
