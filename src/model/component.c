// Constraint rows in words; see component.h and the catalogue in element/joint/joint.c.
#include "model/component.h"

#include <math.h>
#include <stdio.h>

// The axis of a marker that is nearest to the direction of a vector (body axes).
static int axis_of(const mat3 *C, vec3 v)
{
    int best = 0;
    double largest = -1;
    for (int k = 0; k < 3; k++) {
        const double along = fabs(v3_dot(m3_col(C, k), v));
        if (along > largest) {
            largest = along;
            best = k;
        }
    }
    return best;
}

static tmli_component of_measure(const tml_model *m, const tmli_constraint *c, const tmli_measure *f)
{
    const mat3 inertial = m3_identity();
    switch (f->kind) {
    case TMLI_COORD: return (tmli_component){TMLI_COMPONENT_DISPLACEMENT, axis_of(&inertial, f->a)};
    case TMLI_DOT2:
        return (tmli_component){TMLI_COMPONENT_DISPLACEMENT,
                                m->planar ? TMLI_COMPONENT_NO_AXIS : axis_of(&c->marker[0].C, f->a)};
    case TMLI_DOT1: {  // two axes stay perpendicular: no rotation about the third
        const int a = axis_of(&c->marker[0].C, f->a), b = axis_of(&c->marker[1].C, f->b);
        const bool named = !m->planar && a != b;
        return (tmli_component){TMLI_COMPONENT_ROTATION, named ? 3 - a - b : TMLI_COMPONENT_NO_AXIS};
    }
    case TMLI_SLIP: return (tmli_component){TMLI_COMPONENT_SLIP, TMLI_COMPONENT_NO_AXIS};
    case TMLI_DIST2:
    case TMLI_LENGTH: return (tmli_component){TMLI_COMPONENT_LENGTH, TMLI_COMPONENT_NO_AXIS};
    case TMLI_SINE:
    case TMLI_ANGLE:
    case TMLI_ARCSINE: break;
    }
    return (tmli_component){TMLI_COMPONENT_ROTATION, TMLI_COMPONENT_NO_AXIS};
}

tmli_component tmli_row_component(const tml_model *m, int row)
{
    const tmli_constraint *c = &m->constraint[m->row_owner[row]];
    if (c->stick) return (tmli_component){TMLI_COMPONENT_SLIP, TMLI_COMPONENT_NO_AXIS};
    if (c->ops->role == TMLI_JOINT_COUPLER)
        return (tmli_component){TMLI_COMPONENT_RATIO, TMLI_COMPONENT_NO_AXIS};
    if (c->ops->role == TMLI_JOINT_MOTION || c->ops->moved)
        return (tmli_component){TMLI_COMPONENT_MOTION, TMLI_COMPONENT_NO_AXIS};
    int terms = 0;
    const tmli_measure *first = NULL;
    for (int k = 0; k < c->nterms; k++) {
        if (c->term[k].row != row - c->first) continue;
        if (terms++ == 0) first = &m->measure_use[c->term[k].use].measure;
    }
    if (terms > 1 && c->ops->start_target)
        return (tmli_component){TMLI_COMPONENT_LEAD, TMLI_COMPONENT_NO_AXIS};
    return first ? of_measure(m, c, first) : (tmli_component){TMLI_COMPONENT_LENGTH, TMLI_COMPONENT_NO_AXIS};
}

typedef struct text {
    char *buf;
    size_t size, used;
} text;

static void put(text *t, const char *s)
{
    const int n = snprintf(t->buf + t->used, t->size - t->used, "%s", s);
    if (n > 0) t->used += (size_t)n < t->size - t->used ? (size_t)n : t->size - t->used - 1;
}

static const char *phrase_of(tmli_component_kind kind)
{
    switch (kind) {
    case TMLI_COMPONENT_DISPLACEMENT: return "displacement";
    case TMLI_COMPONENT_ROTATION: return "rotation";
    case TMLI_COMPONENT_LENGTH: return "length";
    case TMLI_COMPONENT_LEAD: return "lead";
    case TMLI_COMPONENT_RATIO: return "ratio";
    case TMLI_COMPONENT_SLIP: return "slip";
    case TMLI_COMPONENT_MOTION: break;
    }
    return "motion";
}

// " along x, y and z" for the axes in a mask; nothing for TMLI_COMPONENT_NO_AXIS
static void put_axes(text *t, tmli_component_kind kind, unsigned mask)
{
    const char *const axes[3] = {"x", "y", "z"};
    int left = 0, count = 0;
    for (int k = 0; k < 3; k++) left += ((mask >> k) & 1) != 0;
    if (left == 0) return;
    put(t, kind == TMLI_COMPONENT_ROTATION ? " about " : " along ");
    for (int k = 0; k < 3; k++) {
        if (!((mask >> k) & 1)) continue;
        if (count++ > 0) put(t, left == 1 ? " and " : ", ");
        put(t, axes[k]);
        left--;
    }
}

int tmli_component_text(const tmli_component *list, int count, char *buf, size_t size)
{
    unsigned mask[TMLI_COMPONENT_MOTION + 1] = {0};
    int phrases = 0, done = 0;
    text t = {buf, size, 0};
    if (size > 0) buf[0] = 0;
    for (int i = 0; i < count; i++) mask[list[i].kind] |= 1u << list[i].axis;
    for (int k = 0; k <= TMLI_COMPONENT_MOTION; k++) phrases += mask[k] != 0;
    for (int k = 0; k <= TMLI_COMPONENT_MOTION; k++) {
        if (!mask[k]) continue;
        if (done > 0) put(&t, done + 1 == phrases ? " and " : ", ");
        put(&t, phrase_of((tmli_component_kind)k));
        put_axes(&t, (tmli_component_kind)k, mask[k]);
        done++;
    }
    return phrases;
}
