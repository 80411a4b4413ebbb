// Numbers of model and result files: any bytes as a decimal number, and as the bits of doubles that are
// printed. What must hold: the value is that of strtod, a printed number reads back to the same bits, and no
// shorter text does.
#include "base/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LONGEST = 512 };

static void require(int condition)
{
    if (!condition) abort();
}

static int same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

static void check_text(const uint8_t *data, size_t size)
{
    char text[LONGEST + 1];
    const char *end = NULL;
    memcpy(text, data, size);
    text[size] = 0;
    const double x = tmli_strtod(text, &end);
    require(end >= text && end <= text + size);
    text[end - text] = 0;  // strtod knows more: hexadecimal numbers, names
    char *libc_end = NULL;
    const double y = strtod(text, &libc_end);
    if (end == text) return;
    require(libc_end == end && same_bits(x, y));
}

static int digits_of(const char *text)
{
    int count = 0, zeros = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9') continue;
        zeros = *text == '0' ? zeros + 1 : 0;
        if (count > 0 || *text != '0') count++;
    }
    return count - zeros > 1 ? count - zeros : 1;
}

static void check_print(double x)
{
    char text[32], shorter[64];
    const char *end = NULL;
    const size_t length = tmli_print_double(x, text);
    require(length > 0 && length < sizeof text && strlen(text) == length);
    if (isnan(x) || isinf(x)) {
        require(strcmp(text, isnan(x) ? "nan" : x < 0 ? "-inf" : "inf") == 0);
        return;
    }
    require(same_bits(tmli_strtod(text, &end), x) && *end == 0);
    const int digits = digits_of(text);
    if (digits < 2 || x == 0) return;
    snprintf(shorter, sizeof shorter, "%.*e", digits - 2, x);
    require(!same_bits(strtod(shorter, NULL), x));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > LONGEST) return 0;
    check_text(data, size);
    for (size_t i = 0; i + sizeof(double) <= size && i < 64; i += sizeof(double)) {
        double x;
        memcpy(&x, data + i, sizeof x);
        check_print(x);
    }
    return 0;
}
