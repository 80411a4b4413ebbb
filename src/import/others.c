// What a file has and is not understood: a note for each kind of element, with the line of the first.
#include "import/robot.h"

#include <stdio.h>
#include <string.h>

enum { TAGS = 40 };  // kinds of elements that are listed by name

/** Elements that have no meaning here, by the tag of what they are in and their own. */
typedef struct others {
    const tmli_xml *first[TAGS];
    const char *in[TAGS];
    int times[TAGS], count, more;
} others;

static void collect_others(others *o, const tmli_xml *e, const char *const *known)
{
    for (const tmli_xml *c = e->first; c; c = c->next) {
        const char *const *k = known;
        while (*k && strcmp(*k, c->tag) != 0) k++;
        if (*k || strncmp(c->tag, "xacro:", 6) == 0) continue;  // these have been noted
        int i = 0;
        while (i < o->count && (strcmp(o->first[i]->tag, c->tag) != 0 || strcmp(o->in[i], e->tag) != 0)) i++;
        if (i == TAGS) {
            o->more++;
            continue;
        }
        if (i == o->count) {
            o->first[i] = c;
            o->in[i] = e->tag;
            o->count++;
        }
        o->times[i]++;
    }
}

tml_status tmli_robot_note_others(const tmli_robot *r)
{
    static const char *const in_robot[] = {"link", "joint", "material", NULL},
                             *const in_link[] = {"inertial", "visual", "collision", NULL},
                             *const in_joint[] = {"origin", "parent",   "child", "axis",
                                                  "limit",  "dynamics", "mimic", NULL};
    others o = {.count = 0};
    tml_status st = TML_OK;
    collect_others(&o, r->root, in_robot);
    for (int i = 0; i < r->nlinks; i++) collect_others(&o, r->links[i].element, in_link);
    for (int i = 0; i < r->njoints; i++) collect_others(&o, r->joints[i].element, in_joint);
    for (int i = 0; i < o.count && st == TML_OK; i++) {
        char times[48] = "";
        if (o.times[i] > 1) snprintf(times, sizeof times, ", here and %d times more", o.times[i] - 1);
        const char *const *known = strcmp(o.in[i], "link") == 0    ? in_link
                                   : strcmp(o.in[i], "joint") == 0 ? in_joint
                                                                   : in_robot;
        size_t count = 0;
        while (known[count]) count++;
        st = tmli_robot_note(r, o.first[i], "<%.60s> of <%.60s> is left out%s%s", o.first[i]->tag, o.in[i],
                             times, tmli_hint_of(o.first[i]->tag, known, count).text);
    }
    if (o.more > 0 && st == TML_OK) st = tmli_robot_note(r, r->root, "%d more elements are left out", o.more);
    return st;
}
