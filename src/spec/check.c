// Checks of single definitions, driven by the schema.
//
// Inertia tensor J about the centre of mass. With the second moments S = integral of x x' dm,
//   J = tr(S) I - S,     S = tr(J)/2 I - J                                   (1)
// and J is the inertia of a distribution of positive mass exactly if S is positive semidefinite. In principal
// axes this means that no moment exceeds the sum of the two others; all moments are then >= 0.
#include "expr/expr.h"
#include "spec/schema.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/tolerances.h"
#include "spec/constants.h"

tml_status tmli_check_fail(const tmli_check *c, tml_status status, const char *key, const char *fmt, ...)
{
    char text[TML_ERROR_MSG - 128];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    const tml_mark at = tmli_entry_mark(c->entry, key);
    if (!c->name) return tmli_fail_at(c->err, status, at, "%s: %s", c->schema->name, text);
    return tmli_fail_at(c->err, status, at, "%s '%s': %s", c->schema->name, c->name, text);
}

bool tmli_is_identifier(const char *text, size_t length)
{
    if (length == 0 || isdigit((unsigned char)text[0])) return false;
    for (size_t i = 0; i < length; i++) {
        const unsigned char ch = (unsigned char)text[i];
        if (!(ch == '_' || (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9')))
            return false;
    }
    return true;
}

tml_status tmli_check_name(const tmli_check *c, const char *name)
{
    tml_mark at = c->entry ? c->entry->at : (tml_mark){0};
    const char *what = c->schema ? c->schema->name : "parameter";
    if (!name || !*name) return tmli_fail_at(c->err, TML_ERR_NAME, at, "A %s has no name.", what);
    if (!tmli_is_identifier(name, strlen(name))) {
        tmli_fail_at(
            c->err, TML_ERR_NAME, at,
            "The %s name '%s' is not valid: expected letters, digits and '_', and no digit at the start.",
            what, name);
        if (!c->schema && strspn(name, "0123456789") == strlen(name))
            tmli_error_append(c->err, "(Numbers have a decimal point: 0.4, not 0,4.)");
        return TML_ERR_NAME;
    }
    if (c->schema && c->schema->kind == TMLI_SCHEMA_MEMBER) return TML_OK;  // always preceded by its owner
    if (c->schema == &tmli_schema_shape) return TML_OK;                     // not used in expressions
    bool taken = strcmp(name, "ground") == 0 || strcmp(name, "t") == 0 || strcmp(name, "deg") == 0 ||
                 strcmp(name, "pi") == 0;
    taken = taken || strcmp(name, "and") == 0 || strcmp(name, "or") == 0 || strcmp(name, "not") == 0;
    // other names are never called: floor is a body where floor(x) is the function
    const bool called = c->schema == &tmli_schema_table;
    for (const char *const *f = tmli_expr_functions; *f && called && !taken; f++)
        taken = strcmp(name, *f) == 0;
    if (!taken) return TML_OK;
    return tmli_fail_at(c->err, TML_ERR_NAME, at,
                        "The %s name '%s' is a word of the expression language; choose another name.", what,
                        name);
}

static tml_status check_range(const tmli_check *c, const tmli_field *f, double x)
{
    char buf[32];
    const char *want = NULL;
    if (!isfinite(x)) want = "a finite number";
    else if (f->range == TMLI_RANGE_NONNEGATIVE && x < 0) want = "a number >= 0";
    else if (f->range == TMLI_RANGE_POSITIVE && x <= 0) want = "a number > 0";
    else if (f->range == TMLI_RANGE_UNIT && (x < 0 || x > 1)) want = "a number from 0 to 1";
    else if (f->range == TMLI_RANGE_NONZERO && x == 0) want = "a number other than 0";
    if (!want) return TML_OK;
    return tmli_check_fail(c, TML_ERR_MODEL, f->key, "'%s' is %s, expected %s.", f->key, tmli_dtoa(x, buf),
                           want);
}

static tml_status check_number(const tmli_check *c, const tmli_field *f, double x, double fallback)
{
    if (!(isnan(x) && isnan(fallback))) return check_range(c, f, x);
    if (f->required >> c->type & 1u)
        return tmli_check_fail(c, TML_ERR_MODEL, f->key, "'%s' is missing.", f->key);
    return TML_OK;
}

// The default of a whole number may be outside of its range: 0 for "no limit".
static tml_status check_integer(const tmli_check *c, const tmli_field *f, int x, int fallback)
{
    return x == fallback ? TML_OK : check_range(c, f, x);
}

static tml_status check_vector(const tmli_check *c, const tmli_field *f, const double *x, int n)
{
    char buf[32];
    double norm2 = 0;
    for (int i = 0; i < n; i++) {
        if (!isfinite(x[i]))
            return tmli_check_fail(c, TML_ERR_MODEL, f->key,
                                   "entry %d of '%s' is %s, expected a finite number.", i + 1, f->key,
                                   tmli_dtoa(x[i], buf));
        norm2 += x[i] * x[i];
    }
    if (f->kind == TMLI_FIELD_AXIS || f->kind == TMLI_FIELD_ROTATION) {
        if (norm2 == 0 || !isfinite(norm2))
            return tmli_check_fail(c, TML_ERR_MODEL, f->key, "'%s' has %s, expected a direction.", f->key,
                                   norm2 == 0 ? "length 0" : "a length that is too large");
    }
    if (!c->planar) return TML_OK;
    if (f->kind == TMLI_FIELD_VECTOR && x[2] != 0)
        return tmli_check_fail(c, TML_ERR_MODEL, f->key,
                               "the z entry of '%s' is %s, expected 0 in a planar model.", f->key,
                               tmli_dtoa(x[2], buf));
    if (f->kind == TMLI_FIELD_SPIN && (x[0] != 0 || x[1] != 0))
        return tmli_check_fail(c, TML_ERR_MODEL, f->key, "'%s' must be about the z axis in a planar model.",
                               f->key);
    // Frames may be rotated out of the plane: the z axis of a prismatic joint lies in the plane. If the
    // orientation of a body is a product of rotations about z, e1 and e2 contain round-off.
    if (f->kind == TMLI_FIELD_ROTATION && c->schema->kind != TMLI_SCHEMA_MEMBER &&
        x[1] * x[1] + x[2] * x[2] > TMLI_AGREEMENT * TMLI_AGREEMENT * norm2)
        return tmli_check_fail(c, TML_ERR_MODEL, f->key, "'%s' must be about the z axis in a planar model.",
                               f->key);
    return TML_OK;
}

static tml_status check_table(const tmli_check *c, const tmli_field *f, int count, const double *rows)
{
    char a[32], b[32];
    if (count == 0) return TML_OK;
    if (count < 2 || !rows)
        return tmli_check_fail(c, TML_ERR_MODEL, f->key, "'%s' has %d row, expected at least 2.", f->key,
                               count);
    for (int i = 0; i < 2 * count; i++)
        if (!isfinite(rows[i]))
            return tmli_check_fail(c, TML_ERR_MODEL, f->key,
                                   "row %d of '%s' contains %s, expected finite numbers.", i / 2 + 1, f->key,
                                   tmli_dtoa(rows[i], a));
    for (int i = 1; i < count; i++)
        if (rows[2 * i] <= rows[2 * i - 2])
            return tmli_check_fail(c, TML_ERR_MODEL, f->key,
                                   "row %d of '%s' starts with %s after %s, expected ascending values.",
                                   i + 1, f->key, tmli_dtoa(rows[2 * i], a), tmli_dtoa(rows[2 * i - 2], b));
    return TML_OK;
}

// A list of numbers or of points.
static tml_status check_list(const tmli_check *c, const tmli_field *f, int count, const double *values)
{
    char buf[32];
    const int width = tmli_field_width(f);
    if (count == 0) return TML_OK;
    if (!values || count < (width == 3 ? 2 : 1))
        return tmli_check_fail(c, TML_ERR_MODEL, f->key, "'%s' has %d points, expected at least 2.", f->key,
                               count);
    for (int i = 0; i < width * count; i++)
        if (!isfinite(values[i]))
            return tmli_check_fail(c, TML_ERR_MODEL, f->key, "'%s' contains %s, expected finite numbers.",
                                   f->key, tmli_dtoa(values[i], buf));
    return TML_OK;
}

// Check the form of a text, for instance of a frame reference. Whether the frame exists is checked when the
// model is built.
static tml_status check_text(const tmli_check *c, const tmli_field *f, const char *text)
{
    if (!text) {
        if (f->required >> c->type & 1u)
            return tmli_check_fail(c, TML_ERR_MODEL, f->key, "'%s' is missing.", f->key);
        return TML_OK;
    }
    const char *want = NULL, *dot = strchr(text, '.');
    const bool one = tmli_is_identifier(text, strlen(text));
    const bool two =
        dot && tmli_is_identifier(text, (size_t)(dot - text)) && tmli_is_identifier(dot + 1, strlen(dot + 1));
    if (f->kind == TMLI_FIELD_REFERENCE && !one && !two)
        want = "a frame: ground, body, ground.frame or body.frame";
    if (f->kind == TMLI_FIELD_BODY && !one) want = "the name of a body";
    if (f->kind == TMLI_FIELD_ROAD && !one) want = "the name of a road";
    const bool coordinate = f->kind == TMLI_FIELD_COORDINATE || f->kind == TMLI_FIELD_COORDINATES;
    if (coordinate && !two) want = "joint.angle or joint.distance";
    if (f->kind == TMLI_FIELD_EXPRESSION && !text[strspn(text, " \t\n")]) want = "an expression";
    if (f->kind == TMLI_FIELD_TEXT && !text[0]) want = "a text";
    if (f->kind == TMLI_FIELD_WORD && !text[0]) want = "a word";
    if (!want) return TML_OK;
    return tmli_check_fail(c, TML_ERR_SYNTAX, f->key, "'%s' is '%s', expected %s.", f->key, text, want);
}

static tml_status check_coordinates(const tmli_check *c, const tmli_field *f, int count,
                                    const char *const *text)
{
    if (count < 0 || count > TML_ACTUATORS)
        return tmli_check_fail(c, TML_ERR_MODEL, f->key, "'%s' has %d entries; at most %d are allowed.",
                               f->key, count, TML_ACTUATORS);
    tml_status st = TML_OK;
    for (int i = 0; i < count && st == TML_OK; i++) {
        st = text[i]
                 ? check_text(c, f, text[i])
                 : tmli_check_fail(c, TML_ERR_MODEL, f->key, "entry %d of '%s' is missing.", i + 1, f->key);
        for (int k = 0; k < i && st == TML_OK; k++)
            if (strcmp(text[i], text[k]) == 0)
                st = tmli_check_fail(c, TML_ERR_MODEL, f->key, "'%s' is listed twice in '%s'.", text[i],
                                     f->key);
    }
    return st;
}

static tml_status check_field(const tmli_check *c, const tmli_field *f, const char *def,
                              const char *fallback);

// The fields of a map within a definition; they have the position of the map.
static tml_status check_block(const tmli_check *c, const tmli_field *f, const char *def, const char *fallback)
{
    tml_status st = TML_OK;
    for (int i = 0; i < f->sub->nfields && st == TML_OK; i++) {
        const tml_mark at = tmli_entry_mark(c->entry, f->key);
        const tmli_field_mark mark = {f->sub->fields[i].key, at};
        const tmli_entry entry = {.at = at, .nfields = 1, .fields = &mark};
        tmli_check inner = *c;
        if (c->entry) inner.entry = &entry;
        st = check_field(&inner, &f->sub->fields[i], def + f->offset, fallback + f->offset);
    }
    return st;
}

static tml_status check_field(const tmli_check *c, const tmli_field *f, const char *def, const char *fallback)
{
    const void *p = def + f->offset;
    const bool counted = tmli_field_width(f) > 0 || f->kind == TMLI_FIELD_COORDINATES ||
                         f->kind == TMLI_FIELD_SCALING || f->kind == TMLI_FIELD_LOAD;
    const bool given = counted || !f->flag || *(const bool *)(const void *)(def + f->flag);
    if (!given) return TML_OK;
    if (tmli_field_stored(f).texts == 1) return check_text(c, f, *(const char *const *)p);
    switch (f->kind) {
    case TMLI_FIELD_COORDINATES:
        return check_coordinates(c, f, *(const int *)(const void *)(def + f->flag), p);
    case TMLI_FIELD_NUMBER:
    case TMLI_FIELD_LOAD:
    case TMLI_FIELD_AUGMENT:
        return check_number(c, f, *(const double *)p, *(const double *)(const void *)(fallback + f->offset));
    case TMLI_FIELD_INTEGER:
        return check_integer(c, f, *(const int *)p, *(const int *)(const void *)(fallback + f->offset));
    case TMLI_FIELD_VECTOR:
    case TMLI_FIELD_AXIS:
    case TMLI_FIELD_SPIN:
    case TMLI_FIELD_ROTATION:
    case TMLI_FIELD_INERTIA:
    case TMLI_FIELD_VECTOR6:
    case TMLI_FIELD_MATRIX6: return check_vector(c, f, p, tmli_field_stored(f).numbers);
    case TMLI_FIELD_BLOCK: return f->sub->def_size > 0 ? check_block(c, f, def, fallback) : TML_OK;
    case TMLI_FIELD_TABLE:
        return check_table(c, f, *(const int *)(const void *)(def + f->flag), *(const double *const *)p);
    case TMLI_FIELD_LIST:
    case TMLI_FIELD_POINTS:
    case TMLI_FIELD_GRID:
        return check_list(c, f, *(const int *)(const void *)(def + f->flag), *(const double *const *)p);
    case TMLI_FIELD_SCALING:
    case TMLI_FIELD_CHOICE: {
        const int value = *(const int *)p;
        for (const tmli_key_choice *k = f->choices; k->name; k++)
            if (k->value == value) return TML_OK;
        return tmli_check_fail(c, TML_ERR_ARG, f->key, "'%s' is %d, which is not one of its values.", f->key,
                               value);
    }
    default: return TML_OK;
    }
}

static bool differs(const tmli_field *f, const char *def, const char *fallback)
{
    switch (f->kind) {
    case TMLI_FIELD_LOAD:
    case TMLI_FIELD_NUMBER: {
        if (f->kind == TMLI_FIELD_LOAD && *(const bool *)(const void *)(def + f->flag)) return true;
        const double x = *(const double *)(const void *)(def + f->offset);
        const double y = *(const double *)(const void *)(fallback + f->offset);
        return !(x == y || (isnan(x) && isnan(y)));
    }
    case TMLI_FIELD_TABLE:
    case TMLI_FIELD_COORDINATES:
    case TMLI_FIELD_LIST:
    case TMLI_FIELD_POINTS:
    case TMLI_FIELD_GRID: return *(const int *)(const void *)(def + f->flag) != 0;
    case TMLI_FIELD_BLOCK:
    case TMLI_FIELD_VECTOR:
    case TMLI_FIELD_AXIS: return f->flag && *(const bool *)(const void *)(def + f->flag);
    case TMLI_FIELD_WORD: return false;
    case TMLI_FIELD_BOOL:
    case TMLI_FIELD_BOOL_CHOICE:
    case TMLI_FIELD_MATRIX6:
    case TMLI_FIELD_VECTOR6: break;
    default:
        if (tmli_field_stored(f).texts == 0) return false;
    }
    return memcmp(def + f->offset, fallback + f->offset, tmli_field_stored(f).bytes) != 0;
}

tml_status tmli_check_def(const tmli_check *c, const void *def, const void *fallback)
{
    const tmli_schema *s = c->schema;
    for (int i = 0; i < s->nfields; i++) {
        const tmli_field *f = &s->fields[i];
        if (f->types >> c->type & 1u) {
            const tml_status st = check_field(c, f, def, fallback);
            if (st != TML_OK) return st;
            continue;
        }
        bool used = false;  // by another field that applies and shares the storage
        for (int k = 0; k < s->nfields; k++)
            if (s->fields[k].offset == f->offset && (s->fields[k].types >> c->type & 1u)) used = true;
        char owners[256];
        const char *type = tmli_schema_type_name(s, c->type);
        if (!used && differs(f, def, fallback))
            return tmli_check_fail(c, TML_ERR_MODEL, f->key,
                                   "'%s' does not apply to %s %s %s; it belongs to: %s.", f->key,
                                   type[0] == 'a' ? "an" : "a", type, s->name,
                                   tmli_schema_owners(s, f->key, owners, sizeof owners));
    }
    return TML_OK;
}

// True if S of (1), with a tolerance relative to the trace, is positive semidefinite: all its principal
// minors are >= 0. The leading ones are not sufficient, since S may be singular (rod, plate).
static bool is_possible_inertia(const double J[6])
{
    const double half = 0.5 * (J[0] + J[1] + J[2]);
    if (!(half >= 0)) return false;
    if (half == 0) return J[0] == 0 && J[1] == 0 && J[2] == 0 && J[3] == 0 && J[4] == 0 && J[5] == 0;
    // in units of the trace, so that products neither overflow nor underflow
    const double a = (half - J[0]) / (2 * half) + INERTIA_TOLERANCE,
                 b = (half - J[1]) / (2 * half) + INERTIA_TOLERANCE;
    const double c = (half - J[2]) / (2 * half) + INERTIA_TOLERANCE;
    const double d = -J[3] / (2 * half), e = -J[4] / (2 * half), f = -J[5] / (2 * half);
    const double det = a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e);
    return a >= 0 && b >= 0 && c >= 0 && a * b >= d * d && a * c >= e * e && b * c >= f * f && det >= 0;
}

tml_status tmli_check_inertia(const tmli_check *c, const tml_body_def *def)
{
    char buf[32];
    const double *J = def->inertia;
    bool zero = true;
    for (int i = 0; i < 6; i++) zero = zero && J[i] == 0;
    if (def->point) {
        if (!zero) return tmli_check_fail(c, TML_ERR_MODEL, "inertia", "a point mass has no inertia.");
        for (int i = 0; i < 3; i++)
            if (def->angular_velocity[i] != 0)
                return tmli_check_fail(c, TML_ERR_MODEL, "angular_velocity",
                                       "a point mass has no angular velocity.");
        if (def->orientation[1] != 0 || def->orientation[2] != 0 || def->orientation[3] != 0)
            return tmli_check_fail(c, TML_ERR_MODEL, "orientation", "a point mass has no orientation.");
        return TML_OK;
    }
    if (c->planar) {
        if (J[2] >= 0) return TML_OK;
        return tmli_check_fail(c, TML_ERR_MODEL, "inertia",
                               "the moment about z is %s, expected a number >= 0.", tmli_dtoa(J[2], buf));
    }
    for (int i = 0; i < 3; i++)
        if (J[i] < 0)
            return tmli_check_fail(c, TML_ERR_MODEL, "inertia", "J%c%c is %s, expected a number >= 0.",
                                   'x' + i, 'x' + i, tmli_dtoa(J[i], buf));
    if (is_possible_inertia(J)) return TML_OK;
    return tmli_check_fail(
        c, TML_ERR_MODEL, "inertia",
        "the inertia [%g, %g, %g, %g, %g, %g] is physically impossible: the largest principal moment exceeds "
        "the sum of the two others.",
        J[0], J[1], J[2], J[3], J[4], J[5]);
}
