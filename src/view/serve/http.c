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
#include <sys/time.h>
#include <unistd.h>

typedef struct connection {
    int fd;  // -1: free
    double since;
    size_t used, room;
    char *text;  // (room + 1), what has come so far
} connection;

struct tmli_http {
    tml_env env;
    int fd, port;
    size_t most;  // bytes of a POST; 0: refused
    connection connection[TMLI_HTTP_CONNECTIONS];
};

enum { IDLE_SECONDS = 10, SEND_SECONDS = 20 };  // after which a connection is given up

static tml_status fail(int port, tml_error *err)
{
    const int number = errno;
    if (port > 0) return tmli_fail(err, TML_ERR_IO, "Cannot listen on port %d: %s.", port, strerror(number));
    return tmli_fail(err, TML_ERR_IO, "Cannot listen on the loopback address: %s.", strerror(number));
}

static bool keep_private(int fd) { return fcntl(fd, F_SETFD, FD_CLOEXEC) == 0; }

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
    const bool ok = h->fd >= 0 && keep_private(h->fd) &&
                    setsockopt(h->fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
                    fcntl(h->fd, F_SETFL, O_NONBLOCK) == 0 &&
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

static void send_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t n = send(fd, bytes, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return;  // the browser has gone
        bytes += n;
        size -= (size_t)n;
    }
}

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

static void send_answer(int fd, const tmli_http_answer *a, bool body)
{
    char head[512];
    const int n = snprintf(head, sizeof head,
                           "HTTP/1.1 %d %s\r\n"
                           "Content-Type: %s\r\n"
                           "Content-Length: %zu\r\n"
                           "Cache-Control: no-store\r\n"
                           "X-Content-Type-Options: nosniff\r\n"
                           "Cross-Origin-Resource-Policy: same-origin\r\n"
                           "Connection: close\r\n\r\n",
                           a->status, reason_of(a->status), a->type ? a->type : "text/plain", a->size);
    if (n < 0 || (size_t)n >= sizeof head) return;
    send_all(fd, head, (size_t)n);
    if (body && a->body) send_all(fd, a->body, a->size);
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
static void answer(const tmli_http *h, const connection *c, size_t head, tmli_http_handler *handler,
                   void *user)
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
    send_answer(c->fd, &a, !only_head);
    free(a.body);
}

// ---- connections ------------------------------------------------------------------------------------------

static void accept_connections(tmli_http *h)
{
    for (int i = 0; i < TMLI_HTTP_CONNECTIONS; i++) {
        connection *c = &h->connection[i];
        if (c->fd >= 0) continue;
        *c = (connection){.fd = accept(h->fd, NULL, NULL)};
        if (c->fd < 0) return;
        const struct timeval limit = {.tv_sec = SEND_SECONDS};
        const int flags = fcntl(c->fd, F_GETFL);
        c->since = tmli_wall_time();
        c->room = TMLI_HTTP_REQUEST;
        c->text = malloc(c->room + 1);
        if (!c->text || !keep_private(c->fd) || flags < 0 ||
            fcntl(c->fd, F_SETFL, flags & ~O_NONBLOCK) != 0 ||
            setsockopt(c->fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) != 0)
            drop(c);
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
    const ssize_t n = recv(c->fd, c->text + c->used, c->room - c->used, MSG_DONTWAIT);
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
        send_answer(c->fd, &(tmli_http_answer){.status = 400}, false);
        drop(c);
    } else if (end && c->used >= whole) {
        answer(h, c, head, handler, user);
        shutdown(c->fd, SHUT_WR);
        drop(c);
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
            if (c->fd >= 0 && now - c->since > IDLE_SECONDS) drop(c);
            wait[1 + i] = (struct pollfd){.fd = c->fd, .events = POLLIN};  // poll leaves out those below 0
            open += c->fd >= 0;
        }
        if (open == TMLI_HTTP_CONNECTIONS) wait[0].fd = -1;  // the next one waits
        const double left = end - now;
        const int found = poll(wait, 1 + TMLI_HTTP_CONNECTIONS, (int)(1000 * (left < 1 ? left : 1)) + 1);
        if (found < 0 && errno == EINTR) return TML_OK;
        if (found < 0) return tmli_fail(err, TML_ERR_IO, "Cannot wait for requests: %s.", strerror(errno));
        for (int i = 0; i < TMLI_HTTP_CONNECTIONS; i++)
            if (wait[1 + i].fd >= 0 && wait[1 + i].revents) receive(h, &h->connection[i], handler, user);
        if (wait[0].revents) accept_connections(h);
    }
    return TML_OK;
}
