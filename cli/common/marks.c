// Marks on the time line of a run; see marks.h.
#define _POSIX_C_SOURCE 200809L
#include "marks.h"

#include "base/base.h"
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

void cli_marks_clear(cli_marks *m)
{
    free(m->items);
    *m = (cli_marks){0};
}

void cli_marks_add(cli_marks *m, double t, const char *kind, const char *text)
{
    if (m->count == m->room && m->room < CLI_MARKS_MAX) {
        const int room = m->room ? 2 * m->room : 32;
        cli_mark *more = realloc(m->items, (size_t)room * sizeof *more);
        if (more) {
            m->items = more;
            m->room = room;
        }
    }
    if (m->count == m->room) {
        m->dropped++;
        return;
    }
    cli_mark *k = &m->items[m->count++];
    *k = (cli_mark){.t = t, .kind = kind};
    snprintf(k->text, sizeof k->text, "%.*s", CLI_MARK_TEXT - 1, text);
}

void cli_marks_step(cli_marks *m, const tml_sim_report *report, double t)
{
    if (report->impact_count > m->impacts) cli_marks_add(m, t, "impact", "impact of a limit");
    else if (report->impulse_count > m->impulses)
        cli_marks_add(m, t, "impulse", "jump of a prescribed velocity");
    else if (report->switches > m->switches)
        cli_marks_add(m, t, "switch", "discontinuity of a force or motion");
    m->impacts = report->impact_count;
    m->impulses = report->impulse_count;
    m->switches = report->switches;
}

void cli_marks_message(cli_marks *m, const char *text)
{
    const char *at = strstr(text, "t = "), *end = NULL;
    if (!at) return;
    const double t = tmli_strtod(at + 4, &end);
    if (end > at + 4) cli_marks_add(m, t, "note", text);
}

char *cli_marks_text(const cli_marks *m)
{
    tmli_json j = {.style = TMLI_JSON_LINE};
    tmli_json_open(&j, NULL, '[');
    for (int i = 0; i < m->count; i++)
        tmli_json_object(&j, NULL, "t %g kind %s text %s", m->items[i].t, m->items[i].kind, m->items[i].text);
    tmli_json_close(&j, ']');
    return tmli_json_take(&j);
}
