// A small HTTP server for one person; see the header.
#define _DEFAULT_SOURCE
#include "view/serve/http.h"

#include "result/writer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct connection {
    int fd;        // -1: free
    double since;  // it was opened, or the last bytes of the answer were taken
    size_t used, room;
    char *text;         // (room + 1), what has come so far; then the header of the answer
    bool answers;       // the request has come as a whole
    char *body;         // of the answer; NULL: none
    size_t size, sent;  // bytes of the body, and of header and body that are on their way
} connection;

struct tmli_http {
    tml_env env;
    int fd, port;
    size_t most;  // bytes of a POST; 0: refused
    connection connection[TMLI_HTTP_CONNECTIONS];
};

// After which a connection is given up: without a request, and without a byte of the answer taken.
enum { IDLE_SECONDS = 10, SEND_SECONDS = 20 };

static tml_status fail(int port, tml_error *err)
{
    const int number = errno;
    if (port > 0) return tmli_fail(err, TML_ERR_IO, "Cannot listen on port %d: %s.", port, strerror(number));
    return tmli_fail(err, TML_ERR_IO, "Cannot listen on the loopback address: %s.", strerror(number));
}

// Not inherited by programs, and nobody waits in a call for it.
static bool prepare(int fd)
{
    return fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 && fcntl(fd, F_SETFL, O_NONBLOCK) == 0;
}

tml_status tmli_http_open(int port, const tml_env *env, tmli_http **out, tml_error *err)
{
    *out = NULL;
    tmli_http *h = tmli_calloc(env, 1, sizeof *h);
    if (!h) return tmli_no_memory(err, "server");
    if (env) h->env = *env;
    for (int i = 0; i < TMLI_HTTP_CONNECTIONS; i++) h->connection[i] = (connection){.fd = -1};
    h->fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const int yes = 1;
    const bool ok = h->fd >= 0 && prepare(h->fd) &&
                    setsockopt(h->fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
                    bind(h->fd, (struct sockaddr *)&address, size) == 0 && listen(h->fd, 16) == 0 &&
                    getsockname(h->fd, (struct sockaddr *)&address, &size) == 0;
    if (!ok) {
        const tml_status st = fail(port, err);
        tmli_http_close(h);
        return st;
    }
    h->port = ntohs(address.sin_port);
    *out = h;
    return TML_OK;
}

int tmli_http_port(const tmli_http *h) { return h->port; }

void tmli_http_allow_post(tmli_http *h, size_t most) { h->most = most; }

static void drop(connection *c)
{
    if (c->fd >= 0) close(c->fd);
    free(c->text);
    free(c->body);
    *c = (connection){.fd = -1};
}

void tmli_http_close(tmli_http *h)
{
    if (!h) return;
    for (int i = 0; i < TMLI_HTTP_CONNECTIONS; i++) drop(&h->connection[i]);
    if (h->fd >= 0) close(h->fd);
    const tml_env env = h->env;
    tmli_free(&env, h);
}

// ---- answers ----------------------------------------------------------------------------------------------

static const char *reason_of(int status)
{
    switch (status) {
    case 200: return "OK";
    case 204: return "No Content";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 405: return "Method Not Allowed";
    default: return "Not Found";
    }
}

// Sends what the client takes now: a slow one does not hold up the others. With the answer the connection
// ends.
static void send_more(connection *c)
{
    while (c->sent < c->used + c->size) {
        const bool head = c->sent < c->used;
        const char *bytes = head ? c->text + c->sent : c->body + (c->sent - c->used);
        const ssize_t n =
            send(c->fd, bytes, head ? c->used - c->sent : c->used + c->size - c->sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
        if (n <= 0) {  // the browser has gone
            drop(c);
            return;
        }
        c->sent += (size_t)n;
        c->since = tmli_wall_time();
    }
    shutdown(c->fd, SHUT_WR);
    drop(c);
}

// Begins an answer, whose header takes the place of the request.
static void send_answer(connection *c, const tmli_http_answer *a, bool body)
{
    const int n = snprintf(c->text, c->room + 1,
                           "HTTP/1.1 %d %s\r\n"
                           "Content-Type: %s\r\n"
                           "Content-Length: %zu\r\n"
                           "Cache-Control: no-store\r\n"
                           "X-Content-Type-Options: nosniff\r\n"
                           "Cross-Origin-Resource-Policy: same-origin\r\n"
                           "Connection: close\r\n\r\n",
                           a->status, reason_of(a->status), a->type ? a->type : "text/plain", a->size);
    c->answers = true;
    c->used = n > 0 && (size_t)n <= c->room ? (size_t)n : 0;
    c->body = a->body;
    c->size = body && a->body ? a->size : 0;
    send_more(c);
}

// The value of a header, which ends at the end of its line; NULL: there is none.
static const char *header(const char *request, const char *name, size_t *length)
{
    const size_t n = strlen(name);
    for (const char *line = strstr(request, "\r\n"); line; line = strstr(line, "\r\n")) {
        line += 2;
        if (strncasecmp(line, name, n) != 0 || line[n] != ':') continue;
        line += n + 1;
        line += strspn(line, " \t");
        *length = strcspn(line, "\r\n");
        while (*length > 0 && (line[*length - 1] == ' ' || line[*length - 1] == '\t')) --*length;
        return line;
    }
    return NULL;
}

static bool is_this_machine(const char *request)
{
    static const char *const names[] = {"localhost", "127.0.0.1"};
    size_t length = 0;
    const char *host = header(request, "Host", &length);
    for (size_t i = 0; host && i < sizeof names / sizeof *names; i++) {
        const size_t n = strlen(names[i]);
        if (length >= n && strncasecmp(host, names[i], n) == 0 && (length == n || host[n] == ':'))
            return true;
    }
    return false;
}

// The bytes of the body that the header announces; 0: none, or too many.
static size_t length_of_body(const tmli_http *h, const char *request)
{
    size_t length = 0, size = 0;
    if (strncmp(request, "POST ", 5) != 0) return 0;
    const char *text = header(request, "Content-Length", &length);
    for (size_t i = 0; text && i < length && text[i] >= '0' && text[i] <= '9' && size <= h->most; i++)
        size = 10 * size + (size_t)(text[i] - '0');
    return size <= h->most ? size : 0;
}

// A whole request, whose header has `head` bytes; it is changed.
static void answer(const tmli_http *h, connection *c, size_t head, tmli_http_handler *handler, void *user)
{
    tmli_http_answer a = {.status = 404};
    char *text = c->text;
    const bool only_head = strncmp(text, "HEAD ", 5) == 0, post = strncmp(text, "POST ", 5) == 0;
    const bool known = strncmp(text, "GET ", 4) == 0 || only_head || (post && h->most > 0);
    char *target = strchr(text, ' ');
    char *end = target ? strpbrk(target + 1, " \r\n") : NULL;
    if (!end || *end != ' ' || target[1] != '/') a.status = 400;
    else if (!known) a.status = 405;
    else if (!is_this_machine(text)) a.status = 403;
    else {
        const tmli_http_request r = {target + 1, post ? text + head : NULL, post ? c->used - head : 0};
        *end = 0;
        handler(&r, user, &a);
    }
    send_answer(c, &a, !only_head);
}

// ---- connections ------------------------------------------------------------------------------------------

static void accept_connections(tmli_http *h)
{
    for (int i = 0; i < TMLI_HTTP_CONNECTIONS; i++) {
        connection *c = &h->connection[i];
        if (c->fd >= 0) continue;
        *c = (connection){.fd = accept(h->fd, NULL, NULL)};
        if (c->fd < 0) return;
        c->since = tmli_wall_time();
        c->room = TMLI_HTTP_REQUEST;
        c->text = malloc(c->room + 1);
        if (!c->text || !prepare(c->fd)) drop(c);
    }
}

// Room for the body that a header of `head` bytes announces.
static bool reserve(const tmli_http *h, connection *c, size_t head, size_t *whole)
{
    *whole = head + length_of_body(h, c->text);
    if (*whole <= c->room) return true;
    char *bigger = realloc(c->text, *whole + 1);
    if (!bigger) return false;
    c->text = bigger;
    c->room = *whole;
    return true;
}

static void receive(const tmli_http *h, connection *c, tmli_http_handler *handler, void *user)
{
    const ssize_t n = recv(c->fd, c->text + c->used, c->room - c->used, 0);
    if (n < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (n <= 0) {
        drop(c);
        return;
    }
    c->used += (size_t)n;
    c->text[c->used] = 0;
    const char *end = strstr(c->text, "\r\n\r\n");
    const size_t head = end ? (size_t)(end - c->text) + 4 : 0;
    size_t whole = 0;
    const bool zero = !end && strlen(c->text) != c->used;  // in the header
    if (zero || (!end && c->used >= TMLI_HTTP_REQUEST) || (end && !reserve(h, c, head, &whole))) {
        send_answer(c, &(tmli_http_answer){.status = 400}, false);
    } else if (end && c->used >= whole) {
        answer(h, c, head, handler, user);
    }
}

tml_status tmli_http_serve(tmli_http *h, double seconds, tmli_http_handler *handler, void *user,
                           tml_error *err)
{
    const double end = tmli_wall_time() + seconds;
    for (double now = tmli_wall_time(); now < end; now = tmli_wall_time()) {
        struct pollfd wait[1 + TMLI_HTTP_CONNECTIONS] = {{.fd = h->fd, .events = POLLIN}};
        int open = 0;
        for (int i = 0; i < TMLI_HTTP_CONNECTIONS; i++) {
            connection *c = &h->connection[i];
            if (c->fd >= 0 && now - c->since > (c->answers ? SEND_SECONDS : IDLE_SECONDS)) drop(c);
            wait[1 + i] = (struct pollfd){.fd = c->fd, .events = c->answers ? POLLOUT : POLLIN};
            open += c->fd >= 0;
        }
        if (open == TMLI_HTTP_CONNECTIONS) wait[0].fd = -1;  // the next one waits
        const double left = end - now;
        const int found = poll(wait, 1 + TMLI_HTTP_CONNECTIONS, (int)(1000 * (left < 1 ? left : 1)) + 1);
        if (found < 0 && errno == EINTR) return TML_OK;
        if (found < 0) return tmli_fail(err, TML_ERR_IO, "Cannot wait for requests: %s.", strerror(errno));
        for (int i = 0; i < TMLI_HTTP_CONNECTIONS; i++) {
            connection *c = &h->connection[i];
            if (c->fd < 0 || !wait[1 + i].revents) continue;
            if (c->answers) send_more(c);
            else receive(h, c, handler, user);
        }
        if (wait[0].revents) accept_connections(h);
    }
    return TML_OK;
}
