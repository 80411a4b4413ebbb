// The small HTTP server: what it answers and what it refuses.
#define _DEFAULT_SOURCE
#include "support.h"

#include "view/serve/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LONG_BODY = 30 << 20 };  // bytes, far more than the buffers of a socket

static char byte_at(size_t i) { return (char)('a' + i % 23); }

static void tell_long(tmli_http_answer *a)
{
    a->status = 200;
    a->body = malloc(LONG_BODY);
    a->size = LONG_BODY;
    for (size_t i = 0; i < LONG_BODY; i++) a->body[i] = byte_at(i);
}

static void greet(const tmli_http_request *r, void *user, tmli_http_answer *a)
{
    int *count = user;
    ++*count;
    if (r->body) *count += (int)r->size;
    if (strcmp(r->target, "/long") == 0) tell_long(a);
    if (strcmp(r->target, "/hello?x=1") != 0) return;
    a->status = 200;
    a->type = "text/plain";
    a->body = strdup("good day");
    a->size = strlen(a->body);
}

static int connect_to(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

// The answer to a request that is sent in pieces of `piece` bytes; the server runs in between.
static void ask(tmli_http *h, const char *request, size_t size, size_t piece, int *count, char *out,
                size_t room)
{
    const int fd = connect_to(tmli_http_port(h));
    size_t used = 0;
    for (size_t sent = 0; sent < size;) {
        const size_t n = piece < size - sent ? piece : size - sent;
        if (send(fd, request + sent, n, MSG_NOSIGNAL) != (ssize_t)n) break;
        sent += n;
        assert_int_equal(tmli_http_serve(h, 0.002, greet, count, NULL), TML_OK);
    }
    for (ssize_t n = 1; n > 0 && used + 1 < room;) {
        assert_int_equal(tmli_http_serve(h, 0.002, greet, count, NULL), TML_OK);
        n = recv(fd, out + used, room - 1 - used, MSG_DONTWAIT);
        if (n > 0) used += (size_t)n;
        else if (n < 0) n = 1;  // not there yet
    }
    out[used] = 0;
    close(fd);
}

static void test_requests(void **state)
{
    (void)state;
    static const struct {
        const char *request, *begin, *end;
        int handled;
    } cases[] = {
        {"GET /hello?x=1 HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n", "HTTP/1.1 200 OK\r\n", "\r\n\r\ngood day",
         1},
        {"GET /hello?x=1 HTTP/1.1\r\nA: b\r\nhost:  localhost \r\n\r\n", "HTTP/1.1 200 OK\r\n", "good day",
         1},
        {"HEAD /hello?x=1 HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 200 OK\r\n", "\r\n\r\n", 1},
        {"GET /other HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 404 Not Found\r\n", "\r\n\r\n", 1},
        {"GET /hello?x=1 HTTP/1.1\r\nHost: localhost.evil.example\r\n\r\n", "HTTP/1.1 403", "\r\n\r\n", 0},
        {"GET /hello?x=1 HTTP/1.1\r\nHost: evil.example\r\n\r\n", "HTTP/1.1 403", "\r\n\r\n", 0},
        {"GET /hello?x=1 HTTP/1.1\r\nX: y\r\n\r\n", "HTTP/1.1 403", "\r\n\r\n", 0},
        {"POST /hello?x=1 HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 405", "\r\n\r\n", 0},
        {"GET http://a/ HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 400", "\r\n\r\n", 0},
        {"nonsense\r\n\r\n", "HTTP/1.1 400", "\r\n\r\n", 0},
    };
    tmli_http *h = NULL;
    tml_error err = {0};
    if (tmli_http_open(0, NULL, &h, &err) != TML_OK) fail_msg("%s", err.msg);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t piece = 7; piece < 2000; piece += 1000) {
            char out[2000];
            int count = 0;
            ask(h, cases[i].request, strlen(cases[i].request), piece, &count, out, sizeof out);
            if (strncmp(out, cases[i].begin, strlen(cases[i].begin)) != 0) fail_msg("%zu: '%s'", i, out);
            const size_t n = strlen(out), m = strlen(cases[i].end);
            assert_true(n >= m);
            assert_string_equal(out + n - m, cases[i].end);
            assert_int_equal(count, cases[i].handled);
            if (count) assert_non_null(strstr(out, "X-Content-Type-Options: nosniff\r\n"));
        }
    tmli_http_close(h);
}

static void test_long_and_silent(void **state)
{
    (void)state;
    tmli_http *h = NULL;
    int count = 0;
    char out[2000], *text = malloc(20000);
    memset(text, 'a', 20000);
    memcpy(text, "GET /", 5);
    assert_int_equal(tmli_http_open(0, NULL, &h, NULL), TML_OK);
    ask(h, text, 20000, 20000, &count, out, sizeof out);
    assert_true(out[0] == 0 || strncmp(out, "HTTP/1.1 400", 12) == 0);
    ask(h, "GET / HTTP/1.1\r\nHost: localhost\0\r\n\r\n", 36, 36, &count, out, sizeof out);
    assert_int_equal(strncmp(out, "HTTP/1.1 400", 12), 0);
    assert_int_equal(count, 0);
    // connections that say nothing keep nobody from being answered
    int silent[8];
    for (int i = 0; i < 8; i++) silent[i] = connect_to(tmli_http_port(h));
    static const char good[] = "GET /hello?x=1 HTTP/1.1\r\nHost: localhost\r\n\r\n";
    ask(h, good, strlen(good), 100, &count, out, sizeof out);
    assert_int_equal(strncmp(out, "HTTP/1.1 200", 12), 0);
    for (int i = 0; i < 8; i++) close(silent[i]);
    tmli_http *second = NULL;
    tml_error err = {0};
    assert_int_equal(tmli_http_open(tmli_http_port(h), NULL, &second, &err), TML_ERR_IO);
    assert_non_null(strstr(err.msg, "Cannot listen on port"));
    assert_null(second);
    tmli_http_close(h);
    tmli_http_close(NULL);
    free(text);
}

static void test_post(void **state)
{
    (void)state;
    tmli_http *h = NULL;
    char out[2000], *text = malloc(70000);
    const int n =
        snprintf(text, 200, "POST /hello?x=1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50000\r\n\r\n");
    memset(text + n, 0, 50000);  // any bytes
    assert_int_equal(tmli_http_open(0, NULL, &h, NULL), TML_OK);
    tmli_http_allow_post(h, 60000);
    for (size_t piece = 9999; piece < 90000; piece += 70000) {
        int count = 0;
        ask(h, text, (size_t)n + 50000, piece, &count, out, sizeof out);
        assert_int_equal(strncmp(out, "HTTP/1.1 200", 12), 0);
        assert_int_equal(count, 50001);
    }
    tmli_http_close(h);
    free(text);
}

// A client that does not read its long answer holds up nobody, and gets every byte when it reads.
static void test_slow_reader(void **state)
{
    (void)state;
    static const char wanted[] = "GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n";
    static const char other[] = "GET /hello?x=1 HTTP/1.1\r\nHost: localhost\r\n\r\n";
    tmli_http *h = NULL;
    int count = 0;
    char out[2000];
    assert_int_equal(tmli_http_open(0, NULL, &h, NULL), TML_OK);
    const int slow = connect_to(tmli_http_port(h));
    assert_int_equal(send(slow, wanted, strlen(wanted), MSG_NOSIGNAL), strlen(wanted));
    const double begin = tmli_wall_time();
    while (count == 0) assert_int_equal(tmli_http_serve(h, 0.002, greet, &count, NULL), TML_OK);
    ask(h, other, strlen(other), 100, &count, out, sizeof out);
    assert_int_equal(count, 2);
    assert_int_equal(strncmp(out, "HTTP/1.1 200", 12), 0);
    assert_true(tmli_wall_time() - begin < 10);  // half the time that a reader has for a byte

    char *all = malloc(LONG_BODY + sizeof out);
    size_t used = 0;
    for (ssize_t n = 1; n != 0 && used < LONG_BODY + sizeof out;) {
        assert_int_equal(tmli_http_serve(h, 1e-4, greet, &count, NULL), TML_OK);
        n = recv(slow, all + used, LONG_BODY + sizeof out - used, MSG_DONTWAIT);
        if (n > 0) used += (size_t)n;
        assert_true(n >= 0 || errno == EAGAIN);
    }
    assert_true(used > LONG_BODY);
    const size_t head = used - LONG_BODY;
    assert_int_equal(memcmp(all + head - 4, "\r\n\r\n", 4), 0);
    for (size_t i = 0; i < LONG_BODY; i++)
        if (all[head + i] != byte_at(i)) fail_msg("byte %zu differs", i);
    free(all);
    close(slow);
    // nor one that goes away in the middle
    const int gone = connect_to(tmli_http_port(h));
    assert_int_equal(send(gone, wanted, strlen(wanted), MSG_NOSIGNAL), strlen(wanted));
    while (count == 2) assert_int_equal(tmli_http_serve(h, 0.002, greet, &count, NULL), TML_OK);
    close(gone);
    ask(h, other, strlen(other), 100, &count, out, sizeof out);
    assert_int_equal(strncmp(out, "HTTP/1.1 200", 12), 0);
    tmli_http_close(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requests),
        cmocka_unit_test(test_long_and_silent),
        cmocka_unit_test(test_post),
        cmocka_unit_test(test_slow_reader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
