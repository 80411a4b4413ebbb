// Status names and the filling of error records.
#include "base/base.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *tml_status_name(tml_status status)
{
    switch (status) {
    case TML_OK: return "ok";
    case TML_RETRY: return "retry";
    case TML_ERR_ARG: return "argument";
    case TML_ERR_NOMEM: return "memory";
    case TML_ERR_SYNTAX: return "syntax";
    case TML_ERR_NAME: return "name";
    case TML_ERR_MODEL: return "model";
    case TML_ERR_ASSEMBLY: return "assembly";
    case TML_ERR_SINGULAR: return "singular";
    case TML_ERR_STEP: return "step";
    case TML_ERR_NAN: return "nan";
    case TML_ERR_IO: return "io";
    case TML_ERR_USER: return "user";
    case TML_ERR_STOPPED: return "stopped";
    }
    return "unknown";
}

const char *tml_version(void) { return TRAMMEL_VERSION; }

static void fill(tml_error *err, tml_status status, tml_mark at, const char *fmt, va_list args)
{
    if (!err) return;
    err->status = status;
    snprintf(err->file, sizeof err->file, "%s", at.file ? at.file : "");
    err->line = at.line;
    err->col = at.col;
    vsnprintf(err->msg, sizeof err->msg, fmt, args);
}

tml_status tmli_fail(tml_error *err, tml_status status, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fill(err, status, (tml_mark){0}, fmt, args);
    va_end(args);
    return status;
}

tml_status tmli_fail_at(tml_error *err, tml_status status, tml_mark at, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fill(err, status, at, fmt, args);
    va_end(args);
    return status;
}

tml_status tmli_no_memory(tml_error *err, const char *who)
{
    return tmli_fail(err, TML_ERR_NOMEM, "%s: memory is exhausted", who);
}

void tmli_error_append(tml_error *err, const char *fmt, ...)
{
    if (!err) return;
    size_t used = strlen(err->msg);
    if (used + 3 >= sizeof err->msg) return;
    // end the last sentence before a new one
    if (used > 0 && isupper((unsigned char)fmt[0]) && !strchr(".!?:;,", err->msg[used - 1]))
        err->msg[used++] = '.';
    err->msg[used++] = ' ';
    va_list args;
    va_start(args, fmt);
    vsnprintf(err->msg + used, sizeof err->msg - used, fmt, args);
    va_end(args);
}

bool tmli_is_shortage(tml_status status) { return status == TML_ERR_NOMEM || status == TML_ERR_IO; }

tml_status tmli_null_argument(tml_error *err, const char *function)
{
    return tmli_fail(err, TML_ERR_ARG, "%s: an argument is NULL", function);
}
