// Reports as HTML: one file with its diagrams in it, which needs nothing else.
#ifndef CLI_HTML_H
#define CLI_HTML_H

#include "report.h"

#include "base/target.h"

#include <stdio.h>
#include <trammel/plot.h>

typedef struct cli_html {
    FILE *out;  // of the draft
    tmli_draft draft;
    FILE *table;  // of cli_html_table; NULL: no memory
    char *text;
    size_t size;
} cli_html;

/** Begin a report; title and what is below it are texts. Error: TML_ERR_IO. */
tml_status cli_html_begin(cli_html *h, const char *path, const char *title, const char *below,
                          const tml_env *env, tml_error *err);
/** End it and close the file. st: of what was written; a report that failed leaves no file. */
tml_status cli_html_end(cli_html *h, tml_status st, tml_error *err);

void cli_html_text(const cli_html *h, const char *text);  ///< escaped
void cli_html_heading(const cli_html *h, const char *text);
void cli_html_paragraph(const cli_html *h, const char *text);
/** A report as text below the heading "Table", up to cli_html_table_end; st: of what was written before. */
cli_report cli_html_table(cli_html *h);
tml_status cli_html_table_end(cli_html *h, tml_status st, tml_error *err);
/** Facts, lines of a report, as rows of a table of two columns; between cli_html_raw "<table>" and
 * "</table>". */
cli_report cli_html_facts(const cli_html *h);
void cli_html_raw(const cli_html *h, const char *html);
/** A diagram as the element <svg>. */
tml_status cli_html_plot(const cli_html *h, const tml_plot *plot, tml_error *err);

#endif
