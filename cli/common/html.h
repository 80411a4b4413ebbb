// Reports as HTML: one file with its diagrams in it, which needs nothing else.
#ifndef CLI_HTML_H
#define CLI_HTML_H

#include "base/target.h"

#include <stdio.h>
#include <trammel/plot.h>

typedef struct cli_html {
    FILE *out;  // of the draft
    tmli_draft draft;
} cli_html;

/** Begin a report; title and what is below it are texts. Error: TML_ERR_IO. */
tml_status cli_html_begin(cli_html *h, const char *path, const char *title, const char *below,
                          const tml_env *env, tml_error *err);
/** End it and close the file. st: of what was written; a report that failed leaves no file. */
tml_status cli_html_end(cli_html *h, tml_status st, tml_error *err);

void cli_html_text(const cli_html *h, const char *text);  ///< escaped
void cli_html_heading(const cli_html *h, const char *text);
void cli_html_paragraph(const cli_html *h, const char *text);
/** What `print` writes as text, below the heading "Table". */
tml_status cli_html_table(const cli_html *h, void (*print)(const void *data, FILE *out), const void *data,
                          tml_error *err);
/** A row of a table of two columns; between cli_html_raw "<table>" and "</table>". */
void cli_html_fact(const cli_html *h, const char *name, const char *format, ...);
void cli_html_raw(const cli_html *h, const char *html);
/** A diagram as the element <svg>. */
tml_status cli_html_plot(const cli_html *h, const tml_plot *plot, tml_error *err);

#endif
