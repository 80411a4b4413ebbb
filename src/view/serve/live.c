// Answers to the requests of a page whose result may change; see the header.
#define _POSIX_C_SOURCE 200809L
#include "view/serve/live.h"

#include "base/stream.h"

#include <string.h>
#include <sys/stat.h>

enum { VERSION = 80 };

// Which file it is and when it changed last; "none" if there is no file.
static void write_version(const char *path, char text[VERSION])
{
    struct stat info;
    strcpy(text, "none");
    if (stat(path, &info) == 0)
        snprintf(text, VERSION, "%llx-%llx-%llx-%lx", (unsigned long long)info.st_ino,
                 (unsigned long long)info.st_size, (unsigned long long)info.st_mtim.tv_sec,
                 (unsigned long)info.st_mtim.tv_nsec);
}

// A page that asks again every second.
static void put_waiting(FILE *f, const char *reason)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"refresh\" content=\"1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'\">\n"
          "<title>Trammel</title></head>\n"
          "<body style=\"font-family: system-ui, sans-serif; margin: 3em; color: #445\">\n"
          "<h1 style=\"font-size: 1.3em\">Waiting for rows of the result</h1>\n<p>",
          f);
    tmli_put_markup(f, reason);
    fputs("</p>\n</body></html>\n", f);
}

static void answer_page(const tmli_live *live, tmli_http_answer *a)
{
    tml_error err = {0};
    tml_result *r = NULL;
    char version[VERSION];
    write_version(live->path, version);
    FILE *f = tmli_memory_stream(NULL, &a->body, &a->size);
    if (!f) return;
    tml_status st = tml_result_open(live->path, live->env, &r, &err);
    if (st == TML_OK && tml_result_row_count(r) == 0)
        st = tmli_fail(&err, TML_ERR_ARG, "'%s' has no rows yet.", live->path);
    if (st == TML_OK) st = tmli_page_put(r, &live->def, version, live->env, f, NULL, &err);
    if (st != TML_OK) put_waiting(f, err.msg);
    tml_result_close(r);
    a->status = fclose(f) == 0 ? 200 : 404;
    a->type = "text/html; charset=utf-8";
}

static void answer_data(const tmli_live *live, const char *have, tmli_http_answer *a)
{
    tml_result *r = NULL;
    char version[VERSION];
    write_version(live->path, version);
    a->status = 204;
    if (have && strcmp(have, version) == 0) return;
    if (tml_result_open(live->path, live->env, &r, NULL) != TML_OK) return;
    FILE *f = tml_result_row_count(r) > 0 ? tmli_memory_stream(NULL, &a->body, &a->size) : NULL;
    if (f) {
        const tml_status st = tmli_page_put_data(r, &live->def, version, live->env, f, NULL);
        if (fclose(f) == 0 && st == TML_OK) a->status = 200;
        a->type = "application/octet-stream";
    }
    tml_result_close(r);
}

void tmli_live_answer(const tmli_http_request *request, void *user, tmli_http_answer *answer)
{
    static const char data[] = "/data?have=";
    const tmli_live *live = user;
    const char *target = request->target;
    if (strcmp(target, "/") == 0) answer_page(live, answer);
    else if (strcmp(target, "/favicon.ico") == 0) answer->status = 204;  // browsers ask every server for it
    else if (strncmp(target, data, strlen(data)) == 0) answer_data(live, target + strlen(data), answer);
}
