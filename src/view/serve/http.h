// A small HTTP server for one person: it listens on the loopback address only, answers GET and HEAD, and POST
// if that is allowed, one request per connection.
//
// Requests whose Host is not this machine are refused, so that a page of another site cannot reach it by a
// name of its own that points here (DNS rebinding).
#ifndef TMLI_VIEW_SERVE_HTTP_H
#define TMLI_VIEW_SERVE_HTTP_H

#include "base/base.h"

enum {
    TMLI_HTTP_REQUEST = 8192,   // bytes of a request without its body; longer ones are refused
    TMLI_HTTP_CONNECTIONS = 32  // at once; more wait
};

/** The answer to a request. The server frees the body with free(). */
typedef struct tmli_http_answer {
    int status;        // 200, 204, 404
    const char *type;  // "text/html; charset=utf-8"
    char *body;
    size_t size;
} tmli_http_answer;

typedef struct tmli_http_request {
    const char *target;  // "/data?have=7"
    const char *body;    // of POST; NULL otherwise
    size_t size;
} tmli_http_request;

/** Fills the answer, which is 404 before. */
typedef void tmli_http_handler(const tmli_http_request *request, void *user, tmli_http_answer *answer);

typedef struct tmli_http tmli_http;

/** Listen on 127.0.0.1. port 0: any that is free. The caller closes *out. Error: TML_ERR_IO. */
tml_status tmli_http_open(int port, const tml_env *env, tmli_http **out, tml_error *err);
int tmli_http_port(const tmli_http *h);
/** Allow POST with at most so many bytes. */
void tmli_http_allow_post(tmli_http *h, size_t most);
/** Wait for requests and answer them, for `seconds` at most; a signal ends the wait. */
tml_status tmli_http_serve(tmli_http *h, double seconds, tmli_http_handler *handler, void *user,
                           tml_error *err);
void tmli_http_close(tmli_http *h);  ///< accepts NULL

#endif
