// Reports as HTML; see the header.
#define _POSIX_C_SOURCE 200809L
#include "html.h"

#include "base/stream.h"
#include "view/plot/plot.h"

#include <stdlib.h>

// Colours are those of the page of results (web/src/style.css). Diagrams are drawn on white.
#define DARK                                                                                        \
    "color-scheme:dark;--ink:#dde3ea;--paper:#15191f;--soft:#9aa5b1;--line:#343c46;--thin:#262d35;" \
    "--code:#1f252c;--bad:#ff8a80"
static const char style[] =
    ":root{color-scheme:light;--ink:#1d2733;--paper:#fff;--soft:#5a6472;--line:#dde3ea;--thin:#eef1f4;"
    "--code:#f5f7fa;--bad:#b3261e}"
    "@media(prefers-color-scheme:dark){:root:not(.light){" DARK "}}:root.dark{" DARK "}"
    "body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:62rem;"
    "margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}"
    "h1{font-size:1.5rem;margin-bottom:0}h2{font-size:1.1rem;margin-top:2.2rem;"
    "border-bottom:1px solid var(--line)}main{overflow-x:auto}"
    ".sub{color:var(--soft);margin-top:.2rem}table{border-collapse:collapse}"
    "td,th{padding:.15rem .9rem .15rem 0;"
    "text-align:left;vertical-align:top}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}"
    "tr+tr td{border-top:1px solid var(--thin)}pre{background:var(--code);padding:.8rem;overflow:auto;"
    "font-size:13px}"
    "svg{max-width:100%;height:auto;background:#fff}.bad{color:var(--bad)}"
    ".pair{display:flex;flex-wrap:wrap;gap:2rem}figure{margin:0}"
    "figcaption{color:var(--soft);font-size:13px;max-width:32rem}"
    "button{float:right;font:inherit;color:inherit;background:none;border:1px solid var(--line);"
    "border-radius:6px}";

// Light or dark as the system is, or as the reader has chosen on this page, another one, or that of a result
// (web/src/remember.ts). The policy of the page lets this script run by its hash: tests/cli/test_html.py.
static const char script[] =
    "(()=>{const r=document.documentElement,k=\"trammel-dark\";let d=null;try{d=localStorage.getItem(k)"
    "}catch{}d=d===null?matchMedia(\"(prefers-color-scheme:dark)\").matches:d===\"1\";const s=()=>{r.clas"
    "sName=d?\"dark\":\"light\"};s();addEventListener(\"DOMContentLoaded\",()=>{const b=document.querySelec"
    "tor(\"button\");b.hidden=false;b.addEventListener(\"click\",()=>{d=!d;s();try{localStorage.setItem(k"
    ",d?\"1\":\"0\")}catch{}})})})()";
#define SCRIPT_HASH "i+BBfeer5cFN5ELW1PWlfoJBAA0uVcEbiAsD0Ohw6ZE="

tml_status cli_html_begin(cli_html *h, const char *path, const char *title, const char *below,
                          const tml_env *env, tml_error *err)
{
    *h = (cli_html){0};
    const tml_status st = tmli_draft_open(&h->draft, path, env, err);
    if (st != TML_OK) return st;
    h->out = h->draft.out;
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
          "'sha256-" SCRIPT_HASH "'; style-src 'unsafe-inline'\">\n"
          "<meta name=\"viewport\" content=\"width=device-width\">\n<title>",
          h->out);
    cli_html_text(h, title);
    fprintf(h->out,
            "</title>\n<style>%s</style>\n<script>%s</script>\n</head>\n<body>\n<main>\n"
            "<button hidden>Light or dark</button>\n<h1>",
            style, script);
    cli_html_text(h, title);
    fputs("</h1>\n<p class=\"sub\">", h->out);
    cli_html_text(h, below);
    fprintf(h->out, " &middot; Trammel %s</p>\n", tml_version());
    return TML_OK;
}

tml_status cli_html_end(cli_html *h, tml_status st, tml_error *err)
{
    if (h->out) fputs("</main>\n</body>\n</html>\n", h->out);
    h->out = NULL;
    return tmli_draft_close(&h->draft, st, err);
}

void cli_html_raw(const cli_html *h, const char *html) { fputs(html, h->out); }

void cli_html_text(const cli_html *h, const char *text) { tmli_put_markup(h->out, text); }

static void put_element(const cli_html *h, const char *name, const char *text)
{
    fprintf(h->out, "<%s>", name);
    cli_html_text(h, text);
    fprintf(h->out, "</%s>\n", name);
}

void cli_html_heading(const cli_html *h, const char *text) { put_element(h, "h2", text); }
void cli_html_paragraph(const cli_html *h, const char *text) { put_element(h, "p", text); }

cli_report cli_html_table(cli_html *h)
{
    h->table = tmli_memory_stream(NULL, &h->text, &h->size);
    return cli_report_text(h->table);
}

tml_status cli_html_table_end(cli_html *h, tml_status st, tml_error *err)
{
    const bool done = h->table && fclose(h->table) == 0;
    if (st == TML_OK && !done) st = tmli_fail(err, TML_ERR_NOMEM, "No memory for the table.");
    if (st == TML_OK) {
        cli_html_heading(h, "Table");
        cli_html_raw(h, "<pre tabindex=\"0\">");  // without a mouse it is scrolled by arrows
        cli_html_text(h, h->text);
        cli_html_raw(h, "</pre>\n");
    }
    free(h->text);
    h->text = NULL;
    return st;
}

cli_report cli_html_facts(const cli_html *h)
{
    return (cli_report){CLI_REPORT_PAGE, .out = h->out, .j = {.failed = true}};
}

tml_status cli_html_plot(const cli_html *h, const tml_plot *plot, tml_error *err)
{
    return tmli_plot_embed(plot, h->out, err);
}
