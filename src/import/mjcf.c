// The model of an MJCF file.
#include "import/mjcf.h"

#include <string.h>

// Nothing touches unless the model says so: what the file says about contacts, once.
static tml_status note_contacts(const tmli_mjcf *m)
{
    for (int i = 0; i < m->nbodies; i++)
        for (int k = 0; k < m->body[i].nparts; k++)
            if (strcmp(m->body[i].part[k].element->tag, "geom") == 0)
                return tmli_robot_note(
                    m->r, m->body[i].part[k].element,
                    "geoms do not touch: a section 'contacts' names what does, such as the "
                    "group 'collision'");
    return TML_OK;
}

static tml_status add_model(tmli_mjcf *m)
{
    tmli_robot *r = m->r;
    tmli_mjcf_scale_mass(m);
    tml_status st = tmli_mjcf_couple(m);
    tmli_robot_place(r);
    if (st == TML_OK) st = tmli_mjcf_drives(m);
    if (st == TML_OK) st = tmli_robot_weigh(r);
    if (st == TML_OK) st = tmli_robot_add(r);
    if (st == TML_OK) st = tmli_mjcf_loops(m);
    if (st == TML_OK) st = tmli_mjcf_forces(m);
    for (int i = 0; i < m->nbodies && st == TML_OK; i++) st = tmli_mjcf_shapes(m, &m->body[i]);
    if (st == TML_OK) st = note_contacts(m);
    return st == TML_OK ? tmli_mjcf_note_others(m) : st;
}

tml_status tmli_mjcf_read(tmli_robot *r)
{
    tmli_mjcf m = {.r = r, .root = r->root};
    tml_status st = tmli_mjcf_include(&m, m.root);
    if (st == TML_OK) st = tmli_mjcf_settings(&m);
    if (st == TML_OK) st = tmli_mjcf_defaults(&m);
    if (st == TML_OK) st = tmli_mjcf_bodies(&m);
    if (st != TML_OK) return st;
    if (r->def->floating)
        st = tmli_robot_note(r, m.root,
                             "--floating has no effect: a <freejoint> says that nothing holds a body");
    r->first = r->ground = m.body[0].link;
    tml_spec_set_gravity(r->spec, m.gravity);
    return st == TML_OK ? add_model(&m) : st;
}
