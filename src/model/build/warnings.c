// What the user may have forgotten: inertias, and parts of the model that have no effect.
#include "model/build/build.h"

#include <stdio.h>
#include <string.h>

static bool is_given(const tmli_entry *e, const char *key)
{
    for (int i = 0; i < e->nfields; i++)
        if (strcmp(e->fields[i].key, key) == 0) return true;
    return false;
}

// A body of a file with mass, without `inertia`, whose rotation matters: it is not one that is kept at rest
// because nothing causes it. An inertia that was forgotten would go unnoticed.
static void warn_of_missing_inertia(const tml_spec *spec, const tml_model *m)
{
    for (int i = 0; i < m->nbodies; i++) {
        const tmli_body_entry *e = &spec->bodies[i];
        const double *J = e->def.inertia;
        const bool has_inertia = J[0] != 0 || J[1] != 0 || J[2] != 0 || is_given(&e->at, "inertia");
        if (!e->at.at.file || !(e->def.mass > 0) || e->def.point || has_inertia) continue;
        if (m->node[i].massless_rotations == (m->planar ? 1 : 3)) continue;
        tmli_log(&m->env, TML_LOG_WARNING,
                 "%s:%d:%d: body '%s' has no 'inertia': its mass counts as concentrated in one point; write "
                 "'inertia: 0' if that is meant",
                 e->at.at.file, e->at.at.line, e->at.at.col, e->def.name);
    }
}

static void warn_of_unused_parameters(const tml_model *m)
{
    for (int i = 0; i < m->nparams; i++) {
        const tml_mark *at = &m->param_unused[i];
        if (at->line > 0)
            tmli_log(&m->env, TML_LOG_WARNING, "%s:%d:%d: nothing uses the parameter '%s'", at->file,
                     at->line, at->col, m->param_names[i]);
    }
}

// The keys by which a force of a type acts.
static const struct {
    tml_force_type type;
    const char *keys[5];
} acts[] = {
    {TML_FORCE_SPRING, {"stiffness", "damping", "law", "table"}},
    {TML_FORCE_TORSION, {"stiffness", "damping", "law", "table"}},
    {TML_FORCE_BUSHING, {"stiffness", "damping", "preload"}},
    {TML_FORCE_APPLIED, {"force", "torque"}},
    {TML_FORCE_DRAG, {"linear", "quadratic", "angular_linear", "angular_quadratic"}},
    {TML_FORCE_TYRE, {"stiffness", "damping", "table"}},
};

// A force of a file that gives none of them. (One that gives 0 may be the member of a study.)
static void warn_of_idle_force(const tml_model *m, const tmli_force_entry *e)
{
    const tml_mark at = e->at.at;
    char list[100] = "";
    size_t used = 0;
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++) {
        if (acts[i].type != e->def.type) continue;
        for (const char *const *k = acts[i].keys; *k; k++) {
            if (is_given(&e->at, *k)) return;
            used += (size_t)snprintf(list + used, sizeof list - used, "%s'%s'", used ? ", " : "", *k);
        }
    }
    if (used == 0) return;
    tmli_log(&m->env, TML_LOG_WARNING, "%s:%d:%d: force '%s' does nothing: it has none of %s", at.file,
             at.line, at.col, e->def.name, list);
}

static void warn_of_forces(const tml_spec *spec, const tml_model *m)
{
    for (int i = 0; i < spec->nforces; i++) {
        const tmli_force_entry *e = &spec->forces[i];
        if (!e->at.at.file) continue;
        warn_of_idle_force(m, e);
        const tml_mark at = tmli_entry_mark(&e->at, "damping");
        if (e->def.damping < 0)
            tmli_log(&m->env, TML_LOG_WARNING,
                     "%s:%d:%d: force '%s' has a negative damping, %g: it drives the motion", at.file,
                     at.line, at.col, e->def.name, e->def.damping);
    }
}

static void warn_of_unused(const tml_model *m, const char *what, const tmli_entry *e, const char *name)
{
    if (e->at.file)
        tmli_log(&m->env, TML_LOG_WARNING, "%s:%d:%d: nothing uses the %s '%s'", e->at.file, e->at.line,
                 e->at.col, what, name);
}

static void warn_of_unused_inputs(const tml_spec *spec, const tml_model *m)
{
    for (int i = 0; i < spec->ninputs; i++)
        if (!m->input[i].used) warn_of_unused(m, "input", &spec->inputs[i].at, spec->inputs[i].def.name);
}

static bool is_called(const tml_model *m, const char *table)
{
    for (int i = 0; i < m->ntables; i++)
        if (strcmp(m->table[i].what, "table") == 0 && strcmp(m->table[i].name, table) == 0)
            return m->table[i].called;
    return false;
}

static void warn_of_unused_tables(const tml_spec *spec, const tml_model *m)
{
    for (int i = 0; i < spec->ntables; i++) {
        const tmli_table_entry *e = &spec->tables[i];
        if (!e->at.used && !is_called(m, e->def.name)) warn_of_unused(m, "table", &e->at, e->def.name);
    }
}

static void warn_of_unused_roads(const tml_spec *spec, const tml_model *m)
{
    for (int i = 0; i < spec->nroads; i++) {
        bool used = false;
        for (int k = 0; k < spec->nforces && !used; k++) {
            const char *road = spec->forces[k].def.road;
            used = road && strcmp(road, spec->roads[i].def.name) == 0;
        }
        if (!used) warn_of_unused(m, "road", &spec->roads[i].at, spec->roads[i].def.name);
    }
}

// Whether a reference is a body or a frame of it.
static bool is_of(const char *reference, const char *body)
{
    const size_t n = strlen(body);
    return reference && strncmp(reference, body, n) == 0 && (reference[n] == 0 || reference[n] == '.');
}

static bool has_shape(const tml_spec *spec, const char *body)
{
    for (int i = 0; i < spec->nshapes; i++) {
        const tml_shape_def *d = &spec->shapes[i].def;
        if (is_of(d->at ? d->at : d->name, body)) return true;
    }
    return false;
}

static bool is_held(const tml_spec *spec, const char *body)
{
    for (int i = 0; i < spec->njoints; i++)
        if (is_of(spec->joints[i].def.a, body) || is_of(spec->joints[i].def.b, body)) return true;
    for (int i = 0; i < spec->nforces; i++)
        if (is_of(spec->forces[i].def.a, body) || is_of(spec->forces[i].def.b, body)) return true;
    return false;
}

// A body with a shape that falls freely past shapes of the ground, since nobody has said that they touch.
static void warn_of_missing_contacts(const tml_spec *spec, const tml_model *m)
{
    const double *g = spec->gravity;
    if (spec->ncontacts > 0 || (g[0] == 0 && g[1] == 0 && g[2] == 0) || !has_shape(spec, "ground")) return;
    for (int i = 0; i < spec->nbodies; i++) {
        const tmli_body_entry *e = &spec->bodies[i];
        const tml_mark at = e->at.at;
        if (!at.file || !has_shape(spec, e->def.name) || is_held(spec, e->def.name)) continue;
        tmli_log(&m->env, TML_LOG_WARNING,
                 "%s:%d:%d: nothing holds body '%s', and its shape touches nothing: shapes touch where "
                 "'contacts' say so, and there are none",
                 at.file, at.line, at.col, e->def.name);
        return;
    }
}

void tmli_model_warn(const tml_spec *spec, const tml_model *m)
{
    warn_of_missing_inertia(spec, m);
    warn_of_unused_parameters(m);
    warn_of_unused_inputs(spec, m);
    warn_of_unused_tables(spec, m);
    warn_of_unused_roads(spec, m);
    warn_of_forces(spec, m);
    warn_of_missing_contacts(spec, m);
}
