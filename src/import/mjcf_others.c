// What an MJCF file has and the model does not: a note for each kind of element and each attribute, with the
// line of the first.
#include "import/mjcf.h"

#include <stdio.h>
#include <string.h>

enum { NOTES = 200 };  // kinds that are listed

typedef struct others {
    const tmli_xml *first[NOTES];
    const char *attribute[NOTES];  // NULL: the element itself
    int times[NOTES], count, more;
} others;

/** Attributes that are read, of an element within another; those of the tag "" are read in all. */
typedef struct known {
    const char *tag, *keys;  // keys: with a blank before and after each
} known;

static const known table[] = {
    {"", " name class childclass "},
    {"mujoco", " model "},
    {"compiler", " angle coordinate eulerseq meshdir assetdir texturedir autolimits inertiafromgeom "
                 "inertiagrouprange settotalmass boundmass boundinertia balanceinertia fusestatic "},
    {"option", " gravity "},
    {"body", " pos quat axisangle xyaxes zaxis euler gravcomp "},
    {"frame", " pos quat axisangle xyaxes zaxis euler "},
    {"inertial", " pos quat axisangle xyaxes zaxis euler mass diaginertia fullinertia "},
    {"joint", " type pos axis ref range limited damping stiffness springref frictionloss armature "
              "actuatorfrcrange actuatorfrclimited actuatorgravcomp joint coef joint1 joint2 polycoef active "
              "group "},
    {"freejoint", " group "},
    {"geom", " type pos quat axisangle xyaxes zaxis euler size fromto mesh mass density group contype "
             "conaffinity rgba material "},
    {"site", " pos quat axisangle xyaxes zaxis euler size type rgba group fromto material "},
    {"mesh", " file scale refpos refquat content_type "},
    {"material", " rgba "},
    {"connect", " body1 body2 anchor site1 site2 active "},
    {"weld", " body1 body2 anchor relpose site1 site2 active "},
    {"fixed", " stiffness damping springlength range limited frictionloss armature "},
    {"general", " joint jointinparent tendon site refsite gear ctrlrange ctrllimited forcerange forcelimited "
                "gaintype biastype dyntype gainprm biasprm dynprm group "},
    {"motor", " joint jointinparent tendon site refsite gear ctrlrange ctrllimited forcerange forcelimited "
              "group "},
    {"position",
     " joint jointinparent tendon site refsite gear ctrlrange ctrllimited forcerange forcelimited "
     "kp kv dampratio timeconst inheritrange group "},
    {"velocity",
     " joint jointinparent tendon site refsite gear ctrlrange ctrllimited forcerange forcelimited "
     "kv group "},
    {"intvelocity", " joint jointinparent tendon site refsite gear ctrlrange ctrllimited forcerange "
                    "forcelimited kp kv dampratio inheritrange group "},
    {"damper", " joint jointinparent tendon site refsite gear ctrlrange ctrllimited forcerange forcelimited "
               "kv group "},
};

// Elements that are read, or told of where they are read; what is in the others is not looked at.
static const char elements[] =
    " mujoco compiler option body frame inertial joint freejoint geom site mesh "
    "material connect weld fixed general motor position velocity intvelocity damper "
    "worldbody asset actuator tendon equality keyframe ";
static const char told[] = " key spatial default muscle adhesion plugin cylinder flex tendon ";

static bool has(const char *list, const char *word)
{
    char padded[80];
    if (snprintf(padded, sizeof padded, " %s ", word) >= (int)sizeof padded) return false;
    return strstr(list, padded) != NULL;
}

static void count(others *o, const tmli_xml *e, const char *attribute)
{
    int i = 0;
    while (i < o->count && (strcmp(o->first[i]->tag, e->tag) != 0 || !o->attribute[i] != !attribute ||
                            (attribute && strcmp(o->attribute[i], attribute) != 0)))
        i++;
    if (i == NOTES) {
        o->more++;
        return;
    }
    if (i == o->count) {
        o->first[i] = e;
        o->attribute[i] = attribute;
        o->count++;
    }
    o->times[i]++;
}

static void look_at(others *o, const tmli_xml *e)
{
    const char *keys = "";
    for (size_t i = 1; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].tag, e->tag) == 0) keys = table[i].keys;
    for (int i = 0; i < e->nattributes; i++)
        if (!has(keys, e->attributes[2 * i]) && !has(table[0].keys, e->attributes[2 * i]))
            count(o, e, e->attributes[2 * i]);
    for (const tmli_xml *c = e->first; c; c = c->next) {
        if (has(told, c->tag) && !has(elements, c->tag)) continue;
        if (has(elements, c->tag)) look_at(o, c);
        else count(o, c, NULL);
    }
}

tml_status tmli_mjcf_note_others(const tmli_mjcf *m)
{
    others o = {.count = 0};
    tml_status st = TML_OK;
    for (const tmli_xml *e = m->root->first; e; e = e->next) {
        if (strcmp(e->tag, "default") == 0 || strcmp(e->tag, "worldbody") == 0) continue;
        if (has(elements, e->tag)) look_at(&o, e);
        else count(&o, e, NULL);
    }
    for (int i = 0; i < m->nbodies; i++) {
        for (int k = 0; k < m->body[i].nparts; k++) {
            const tmli_xml *e = m->body[i].part[k].element;
            if (!has(elements, e->tag)) count(&o, e, NULL);
            else if (strcmp(e->tag, "body") != 0) look_at(&o, e);
            else
                for (int a = 0; a < e->nattributes; a++)
                    if (!has(table[4].keys, e->attributes[2 * a]) &&
                        !has(table[0].keys, e->attributes[2 * a]))
                        count(&o, e, e->attributes[2 * a]);
        }
    }
    for (int i = 0; i < o.count && st == TML_OK; i++) {
        char times[48] = "";
        if (o.times[i] > 1) snprintf(times, sizeof times, ", here and %d times more", o.times[i] - 1);
        st = tmli_robot_note(m->r, o.first[i], "<%.60s%s%.60s> is left out%s", o.first[i]->tag,
                             o.attribute[i] ? " " : "", o.attribute[i] ? o.attribute[i] : "", times);
    }
    if (o.more > 0 && st == TML_OK) st = tmli_robot_note(m->r, m->root, "%d more are left out", o.more);
    return st;
}
