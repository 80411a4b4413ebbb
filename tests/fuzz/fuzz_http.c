// Any bytes as requests to the server of the viewer, in pieces whose lengths the first byte gives: it answers
// or closes, and what it hands on is a target of a request from this machine.
#define _DEFAULT_SOURCE
#include "view/serve/http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { POST = 4096 };

static void require(int condition)
{
    if (!condition) abort();
}

static void handle(const tmli_http_request *r, void *user, tmli_http_answer *a)
{
    int *count = user;
    ++*count;
    require(r->target[0] == '/' && !strpbrk(r->target, " \r\n") && strlen(r->target) < TMLI_HTTP_REQUEST);
    require(r->body ? r->size <= POST + TMLI_HTTP_REQUEST : r->size == 0);
    unsigned sum = 0;
    for (size_t i = 0; i < r->size; i++) sum += (unsigned char)r->body[i];
    a->status = 200;
    a->body = strdup(sum % 2 ? "odd" : r->target);
    a->size = a->body ? strlen(a->body) : 0;
}

static void serve(tmli_http *h, int *count)
{
    require(tmli_http_serve(h, 1e-5, handle, count, NULL) == TML_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tmli_http *h = NULL;
    int count = 0;
    require(tmli_http_open(0, NULL, &h, NULL) == TML_OK);
    tmli_http_allow_post(h, POST);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)tmli_http_port(h))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    require(fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
    // so that the port is free at once
    const struct linger now = {.l_onoff = 1};
    require(setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now) == 0);
    serve(h, &count);
    const size_t piece = size > 0 && data[0] % 8 ? size / (data[0] % 8) + 1 : size;
    for (size_t i = 1; i < size && count == 0; i += piece) {
        if (send(fd, data + i, piece < size - i ? piece : size - i, MSG_NOSIGNAL) < 0) break;
        serve(h, &count);
    }
    require(count <= 1);
    char answer[64] = "";
    const ssize_t n = recv(fd, answer, sizeof answer - 1, MSG_DONTWAIT);
    require(n <= 0 || strncmp(answer, "HTTP/1.1 ", 9) == 0);
    require(count == 0 || (n > 0 && strncmp(answer, "HTTP/1.1 200 ", 13) == 0));
    close(fd);
    tmli_http_close(h);
    return 0;
}
