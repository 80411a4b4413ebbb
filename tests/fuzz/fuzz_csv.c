// Any bytes as a CSV result file, in memory: what was read is consistent, and an error has a sentence.
#include "result/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition) abort();
}

static void check(const tmli_result *r, size_t size)
{
    require(r->ncols > 0 && r->nrows * (size_t)r->ncols <= size);
    for (int i = 0; i < r->ncols; i++) {
        const int found = tmli_result_column(r, r->names[i]);
        require(found >= 0 && found <= i && r->names[i][0]);
        require(!r->units || (r->units[i] && strlen(r->units[i]) < size));
    }
    double sum = 0;  // a sanitizer sees values that are not there
    for (size_t i = 0; i < r->nrows * (size_t)r->ncols; i++) sum += isfinite(r->values[i]) ? r->values[i] : 0;
    require(!isnan(sum) || r->nrows > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    require(text != NULL);
    if (size) memcpy(text, data, size);
    text[size] = 0;
    tmli_result *r = NULL;
    tml_error err = {0};
    const tml_status st = tmli_result_parse_csv("fuzz.csv", text, size, NULL, &r, &err);
    require((st == TML_OK) == (r != NULL) && (st == TML_OK || err.msg[0]));
    if (r) check(r, size);
    tmli_result_destroy(r);
    free(text);
    return 0;
}
