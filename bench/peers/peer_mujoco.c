// MuJoCo in the comparison: the mechanism as MJCF, the tree of pins as hinges, loops closed by `connect`.
// Such closures are springs and dampers in acceleration (solref: time constant and damping ratio) of an
// impedance that ends at 0.9999; the time constant is a setting, in units of the step.
#define _POSIX_C_SOURCE 200809L
#include "peer.h"

#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct mujoco_setting {
    const char *integrator, *jacobian;
    double time_constant;  // of closures, in steps; 0: a mechanism without
} mujoco_setting;

static const mujoco_setting TREES[] = {
    {"RK4", "dense", 0}, {"RK4", "sparse", 0}, {"implicit", "dense", 0}, {"Euler", "dense", 0}};
static const mujoco_setting LOOPS[] = {
    {"RK4", "dense", 2},      {"RK4", "sparse", 2},      {"RK4", "dense", 4},      {"RK4", "sparse", 4},
    {"RK4", "dense", 1.2},    {"RK4", "dense", 10},      {"RK4", "sparse", 10},    {"RK4", "dense", 30},
    {"implicit", "dense", 2}, {"implicit", "sparse", 2}, {"implicit", "dense", 5}, {"Euler", "dense", 2}};
enum { TREE_SETTINGS = sizeof TREES / sizeof *TREES, LOOP_SETTINGS = sizeof LOOPS / sizeof *LOOPS };

static bool has_loops(const mechanism *m)
{
    for (int i = 0; i < m->pins; i++)
        if (m->pin[i].loop) return true;
    return false;
}

static const mujoco_setting *setting_of(const mechanism *m, int i)
{
    const bool loops = has_loops(m);
    if (i >= (loops ? (int)LOOP_SETTINGS : (int)TREE_SETTINGS)) return NULL;
    return loops ? &LOOPS[i] : &TREES[i];
}

// ---- the model as MJCF ------------------------------------------------------------------------------------

// MuJoCo's reader of XML takes elements nested 100 deep at most; deeper bodies go to files that are included.
enum { DEPTH = 80, MAX_FILES = 16 };

typedef struct mjcf {
    const mechanism *m;
    int files;
    FILE *file[MAX_FILES];
    char *text[MAX_FILES];
    size_t length[MAX_FILES];
} mjcf;

static FILE *open_file(mjcf *x)
{
    if (x->files == MAX_FILES) exit(1);
    FILE *f = open_memstream(&x->text[x->files], &x->length[x->files]);
    if (!f) exit(1);
    return x->file[x->files++] = f;
}

static void put_site(FILE *f, const char *name, const double *s)
{
    fprintf(f, "<site name='%s' pos='%.17g %.17g 0'/>\n", name, s[0], s[1]);
}

// The joint of pin i, with the torsion spring on it; its coordinate counts from the start.
static void put_joint(FILE *f, const mechanism *m, int i)
{
    const mech_pin *p = &m->pin[i];
    fprintf(f, "<joint name='j%d' axis='0 0 1' pos='%.17g %.17g 0'", p->b, p->sb[0], p->sb[1]);
    for (int k = 0; k < m->torsions; k++) {
        const mech_torsion *t = &m->torsion[k];
        const double start = m->body[p->b].angle - (p->a < 0 ? 0 : m->body[p->a].angle);
        if (t->pin == i)
            fprintf(f, " stiffness='%.17g' damping='%.17g' springref='%.17g'", t->stiffness, t->damping,
                    t->rest - start);
    }
    fputs("/>\n", f);
}

// The bodies that hang on body `parent`, by the pins of the tree.
static void put_children(mjcf *x, FILE *f, int parent, int depth)
{
    const mechanism *m = x->m;
    const mech_body ground = {0}, *a = parent < 0 ? &ground : &m->body[parent];
    const double c = cos(a->angle), s = sin(a->angle);
    for (int i = parent < 0 || m->kind != CHAIN ? 0 : parent; i < m->pins; i++) {
        const mech_pin *p = &m->pin[i];
        if (p->loop || p->a != parent) continue;
        if (depth == DEPTH) {
            fprintf(f, "<include file='part%d.xml'/>\n", x->files);
            FILE *part = open_file(x);
            fputs("<mujocoinclude>\n", part);
            put_children(x, part, parent, 0);
            fputs("</mujocoinclude>\n", part);
            return;
        }
        const mech_body *b = &m->body[p->b];
        const double dx = b->x - a->x, dy = b->y - a->y;
        fprintf(f, "<body name='b%d' pos='%.17g %.17g 0' euler='0 0 %.17g'>\n", p->b, c * dx + s * dy,
                c * dy - s * dx, b->angle - a->angle);
        fprintf(f, "<inertial pos='0 0 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>\n", b->mass,
                b->inertia, b->inertia, b->inertia);
        put_joint(f, m, i);
        for (int k = 0; k < m->springs; k++)
            if (m->spring[k].b == p->b) put_site(f, "moving", m->spring[k].sb);
        put_children(x, f, p->b, depth + 1);
        fputs("</body>\n", f);
    }
}

static void put_model(mjcf *x, const mujoco_setting *s, double step)
{
    const mechanism *m = x->m;
    FILE *f = open_file(x);
    fprintf(f, "<mujoco><compiler angle='radian' boundmass='0' boundinertia='0'/>\n");
    fprintf(f,
            "<option timestep='%.17g' gravity='0 %.17g 0' integrator='%s' jacobian='%s' solver='Newton' "
            "tolerance='1e-14'>",
            step, -m->gravity, s->integrator, s->jacobian);
    fputs("<flag contact='disable' limit='disable' frictionloss='disable' "
          "refsafe='disable'/></option>\n<worldbody>\n",
          f);
    for (int k = 0; k < m->springs; k++) put_site(f, "fixed", m->spring[k].sa);
    put_children(x, f, -1, 0);
    fputs("</worldbody>\n<equality>\n", f);
    for (int i = 0; i < m->pins; i++) {
        const mech_pin *p = &m->pin[i];
        if (p->loop)
            fprintf(f,
                    "<connect body1='b%d' body2='b%d' anchor='%.17g %.17g 0' solref='%.17g 1' solimp='.9999 "
                    ".9999 1'/>\n",
                    p->b, p->a, p->sb[0], p->sb[1], s->time_constant * step);
    }
    fputs("</equality>\n<tendon>\n", f);
    for (int k = 0; k < m->springs; k++)
        fprintf(f,
                "<spatial stiffness='%.17g' springlength='%.17g'><site site='fixed'/><site "
                "site='moving'/></spatial>\n",
                m->spring[k].stiffness, m->spring[k].rest);
    fputs("</tendon></mujoco>\n", f);
}

// setup: processor time to load the text; a user has it already.
static mjModel *load(const mechanism *m, const mujoco_setting *s, double step, double *setup, char *message,
                     int size)
{
    mjcf x = {.m = m};
    mjVFS *vfs = malloc(sizeof *vfs);
    if (!vfs) exit(1);
    put_model(&x, s, step);
    for (int i = 0; i < x.files; i++) fclose(x.file[i]);
    const double start = cpu_now();
    mj_defaultVFS(vfs);
    for (int i = 0; i < x.files; i++) {
        char name[32];
        snprintf(name, sizeof name, "part%d.xml", i);
        mj_makeEmptyFileVFS(vfs, name, (int)x.length[i]);
        memcpy(vfs->filedata[mj_findFileVFS(vfs, name)], x.text[i], x.length[i]);
        free(x.text[i]);
    }
    mjModel *model = mj_loadXML("part0.xml", vfs, message, size);
    *setup = cpu_now() - start;
    mj_deleteVFS(vfs);
    free(vfs);
    return model;
}

// ---- a run ------------------------------------------------------------------------------------------------

static int body_id(const mjModel *model, int i)
{
    char name[16];
    snprintf(name, sizeof name, "b%d", i);
    return mj_name2id(model, mjOBJ_BODY, name);
}

static void start(const mechanism *m, const mjModel *model, mjData *d, const int *id)
{
    for (int i = 0; i < m->pins; i++) {
        const mech_pin *p = &m->pin[i];
        if (p->loop) continue;
        const int dof = model->body_dofadr[id[p->b]];
        d->qvel[dof] = m->body[p->b].w - (p->a < 0 ? 0 : m->body[p->a].w);
    }
    d->qfrc_applied[model->body_dofadr[id[0]]] = m->torque[0];
}

static void take(const mechanism *m, const mjModel *model, mjData *d, const int *id, samples *out)
{
    mj_kinematics(model, d);
    double *p = samples_next(out);
    for (int i = 0; i < m->bodies; i++, p += 3) {
        p[0] = d->xpos[3 * id[i]];
        p[1] = d->xpos[3 * id[i] + 1];
        p[2] = atan2(d->xmat[9 * id[i] + 3], d->xmat[9 * id[i]]);
    }
}

static bool went_wrong(const mjData *d)
{
    return d->warning[mjWARN_BADQPOS].number + d->warning[mjWARN_BADQVEL].number +
               d->warning[mjWARN_BADQACC].number >
           0;
}

static void be_silent(const char *text)
{
    (void)text;
}  // MuJoCo's own way is a file in the working directory

static const char *run(const mechanism *m, int index, double accuracy, double limit, samples *out,
                       peer_result *result)
{
    static char message[256];
    const int steps = (int)ceil(1 / accuracy - 1e-9);
    mju_user_warning = be_silent;
    mjModel *model =
        load(m, setting_of(m, index), m->sample / steps, &result->setup, message, sizeof message);
    if (!model) return message;
    const double loaded = cpu_now();
    mjData *d = mj_makeData(model);
    int *id = malloc((size_t)m->bodies * sizeof *id);
    if (!d || !id) exit(1);
    for (int i = 0; i < m->bodies; i++) id[i] = body_id(model, i);
    start(m, model, d, id);
    const char *wrong = NULL;
    const int every = m->bodies < 100 ? 64 : 1;  // looking at the clock costs, too
    const double begin = cpu_now();
    result->setup += begin - loaded;
    for (int i = 0; i < out->room && !wrong; i++) {
        for (int k = 0; i > 0 && k < steps && !wrong; k++) {
            mj_step(model, d);
            result->steps++;
            if (result->steps % every == 0 && cpu_now() - begin > limit) wrong = PEER_LATE;
        }
        if (!wrong && went_wrong(d)) wrong = "diverges";
        if (!wrong) take(m, model, d, id, out);
    }
    result->seconds = cpu_now() - begin;
    free(id);
    mj_deleteData(d);
    mj_deleteModel(model);
    return wrong;
}

static bool setting(const mechanism *m, bool quick, int i, char *buf, size_t size)
{
    const mujoco_setting *s = setting_of(m, i);
    if (!s || (quick && i >= 4)) return false;
    if (s->time_constant > 0)
        snprintf(buf, size, "%s %s solref=%g steps", s->integrator, s->jacobian, s->time_constant);
    else snprintf(buf, size, "%s %s", s->integrator, s->jacobian);
    return true;
}

const peer the_peer = {
    .version = mj_versionString, .setting = setting, .first = 1, .factor = 0.70710678118654752, .run = run};
