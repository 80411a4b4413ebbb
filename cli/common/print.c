// Reports as text; see print.h.
#include "print.h"
#include "options.h"

#include "base/base.h"

#include <stdarg.h>
#include <string.h>

void cli_put_visible(const char *text, size_t length, char keep, FILE *out)
{
    uint32_t code;
    for (size_t i = 0, n; i < length && text[i]; i += n) {
        n = tmli_utf8(text + i, &code);
        if (tmli_is_hidden(code) && code != (uint32_t)keep) fputc(' ', out);
        else fwrite(text + i, 1, n, out);
    }
}

void cli_label(FILE *out, const char *label) { fprintf(out, "  %-*s", CLI_LABEL - 2, label); }

void cli_fact(FILE *out, const char *label, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    cli_label(out, label);
    vfprintf(out, format, values);
    fputc('\n', out);
    va_end(values);
}

void cli_sentence(FILE *out, const char *label, const char *text)
{
    cli_label(out, label);
    cli_wrap(out, text, CLI_LABEL, CLI_LABEL);
}

int cli_widest(int least, const void *array, int count, size_t size, size_t offset)
{
    int width = least;
    for (int i = 0; i < count; i++) {
        const char *text;
        memcpy(&text, (const char *)array + (size_t)i * size + offset, sizeof text);
        if ((int)strlen(text) > width) width = (int)strlen(text);
    }
    return width;
}

const char *cli_title(const tml_model *model, const char *file)
{
    const char *title = model ? tml_model_title(model) : "";
    return title[0] ? title : file;
}

void cli_put_title(const tml_model *model, const char *file, FILE *out)
{
    const char *title = cli_title(model, file);
    cli_put_visible(title, strlen(title), 0, out);
    fputc('\n', out);
}

tml_status cli_writer_close(tml_writer *writer, tml_status st, tml_error *err)
{
    tml_error closing = {0};
    const tml_status closed = writer ? tml_writer_close(writer, &closing) : TML_OK;
    if (st == TML_OK && closed != TML_OK) *err = closing;
    return st == TML_OK ? closed : st;
}
