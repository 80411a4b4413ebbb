// Texts of diagrams: cleaning, superscripts and subscripts, estimated widths.
//
// The font in which an SVG is shown is not known. Widths are those of Helvetica and of fonts with the same
// metrics (Arial, Liberation Sans), which are the first in the font list, plus a tenth for wider fonts.
#include "view/plot/plot.h"

#include <string.h>

const double tmli_script_size = 0.72, tmli_script_rise = 0.38;

// Number of bytes of the UTF-8 character at s, 0 if it is not a valid one.
static int character(const unsigned char *s)
{
    const unsigned char c = s[0];
    const int n = c < 0x80                ? 1
                  : c >= 0xC2 && c < 0xE0 ? 2
                  : c >= 0xE0 && c < 0xF0 ? 3
                  : c >= 0xF0 && c < 0xF5 ? 4
                                          : 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xC0) != 0x80) return 0;
    if ((c == 0xE0 && s[1] < 0xA0) || (c == 0xED && s[1] >= 0xA0)) return 0;  // overlong, surrogates
    if ((c == 0xF0 && s[1] < 0x90) || (c == 0xF4 && s[1] >= 0x90)) return 0;  // overlong, beyond Unicode
    if (c == 0xEF && s[1] == 0xBF && s[2] >= 0xBE) return 0;                  // U+FFFE, U+FFFF: not in XML
    return n;
}

char *tmli_text_clean(const tml_env *env, const char *text)
{
    const unsigned char *s = (const unsigned char *)(text ? text : "");
    char *out = tmli_calloc(env, 3 * strlen((const char *)s) + 1, 1), *at = out;
    if (!out) return NULL;
    while (*s) {
        const int n = character(s);
        if (n == 0) {
            memcpy(at, "\xEF\xBF\xBD", 3);  // U+FFFD
            at += 3;
            s++;
        } else if (n == 1 && (*s < 0x20 || *s == 0x7F)) {
            *at++ = ' ';
            s++;
        } else {
            memcpy(at, s, (size_t)n);
            at += n;
            s += n;
        }
    }
    return out;
}

// The end of "^{...}" at s; NULL: it is no markup, and its characters are plain text.
static const char *script_end(const char *s)
{
    return (s[0] == '^' || s[0] == '_') && s[1] == '{' ? strchr(s, '}') : NULL;
}

bool tmli_text_next(const char **text, tmli_text_run *run)
{
    const char *s = *text, *end = script_end(s);
    if (!*s) return false;
    if (end) {
        *run = (tmli_text_run){s + 2, (int)(end - s - 2), *s == '^' ? 1 : -1};
        *text = end + 1;
        return true;
    }
    while (*s && !script_end(s)) s++;
    *run = (tmli_text_run){*text, (int)(s - *text), 0};
    *text = s;
    return true;
}

// Advance widths of Helvetica for U+0020 .. U+007E, in thousandths of the size.
static const short helvetica[] = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};

double tmli_text_width(const char *text, double size)
{
    double width = 0;
    tmli_text_run run;
    while (tmli_text_next(&text, &run)) {
        int units = 0;
        for (int i = 0; i < run.bytes; i++) {
            const unsigned char c = (unsigned char)run.at[i];
            if (c >= 0x20 && c < 0x7F) units += helvetica[c - 0x20];
            else if ((c & 0xC0) != 0x80) units += c >= 0xE3 ? 1000 : 600;  // East Asian characters are square
        }
        width += units * 1e-3 * size * (run.level ? tmli_script_size : 1);
    }
    return 1.1 * width;
}
