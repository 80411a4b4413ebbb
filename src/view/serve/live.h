// The page of a result that may change: answers to its requests.
//
//   /             the page with what the result holds now, or one that waits for it
//   /data?have=V  nothing (204) if the result is still the one of version V; else, as bytes: the length of
//                 the information (32 bits, little-endian), the information (JSON), the values
#ifndef TMLI_VIEW_SERVE_LIVE_H
#define TMLI_VIEW_SERVE_LIVE_H

#include "view/page/page.h"
#include "view/serve/http.h"

typedef struct tmli_live {
    const char *path;
    tml_page_def def;
    const tml_env *env;
} tmli_live;

/** A handler of tmli_http; user: tmli_live. */
tmli_http_handler tmli_live_answer;

#endif
