// Parts of the page of a result: the viewer, which the build makes from web/, and the values.
#ifndef TMLI_VIEW_PAGE_PAGE_H
#define TMLI_VIEW_PAGE_PAGE_H

#include "base/json.h"
#include <stdio.h>
#include <trammel/view.h>

/** The page without data, and its size; 0: Trammel was built without node.js and its packages. Made by
 * web/build.mjs. The data go to the place of TMLI_PAGE_DATA. */
extern const unsigned char tmli_viewer_page[];
extern const size_t tmli_viewer_page_size;
#define TMLI_PAGE_DATA "<!--DATA-->"
/** In the page: no connection to anything; a page with a server may ask it. */
#define TMLI_PAGE_ALONE "connect-src 'none'"
#define TMLI_PAGE_SERVED "connect-src 'self'"

/** How a channel is stored. Little-endian numbers, one per row that is kept. */
typedef enum tmli_coding {
    TMLI_CODE_CONSTANT,  // not in the data: the first value is all of them
    TMLI_CODE_DOUBLE,    // 8 bytes: times, numbers far from zero
    TMLI_CODE_FLOAT,     // 4 bytes
    TMLI_CODE_SHORT      // 2 bytes: least + code/65534 (most - least); 65535: not a number
} tmli_coding;

typedef struct tmli_packed_channel {
    tmli_coding coding;
    double least, most;  // over all rows; NAN: no value is finite
    double first;        // value of the first row
    double between;      // largest distance of rows that are left out from the line between kept ones
    size_t offset;       // of its codes
} tmli_packed_channel;

/** The values of a result in bytes. */
typedef struct tmli_packed {
    int channels, time;  // time: index of "t", -1: none
    size_t rows, stride;
    size_t kept;                   // rows 0, stride, 2 stride, ... and the last one
    tmli_packed_channel *channel;  // (channels)
    unsigned char *bytes;          // channel by channel
    size_t size;
    double value_error, between_error;  // as in tml_page_report
    int between_channel;
} tmli_packed;

/** Pack a result into at most `room` bytes if that can be done by shorter numbers and fewer rows (two are
 * always kept). The caller clears *out. Errors: TML_ERR_NOMEM, and those of tml_result_read_rows(). */
tml_status tmli_pack(const tml_result *r, size_t room, const tml_env *env, tmli_packed *out, tml_error *err);
void tmli_packed_clear(tmli_packed *p, const tml_env *env);

/** Write the page of a result. version: of the result, if the page is to ask its server for later ones
 * (view/serve); NULL: it is alone. report may be NULL. */
tml_status tmli_page_put(const tml_result *result, const tml_page_def *def, const char *version,
                         const tml_env *env, FILE *out, tml_page_report *report, tml_error *err);
/** Write what changes with the rows: the length of the information (32 bits, little-endian), the information,
 * the values. */
tml_status tmli_page_put_data(const tml_result *result, const tml_page_def *def, const char *version,
                              const tml_env *env, FILE *out, tml_error *err);

#endif
