// Links and joints of a URDF file, and the tree that they form.
#include "import/robot.h"

#include "import/constants.h"
#include "import/values.h"
#include "spec/names.h"
#include "spec/schema.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[TMLI_URDF_BALL] = {"revolute", "continuous", "prismatic",
                                                  "fixed",    "floating",   "planar"};

tml_status tmli_robot_note(const tmli_robot *r, const tmli_xml *e, const char *fmt, ...)
{
    char text[600];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    const size_t n = strlen(text);
    if (e->at.file && strcmp(e->at.file, r->def->path) != 0)
        snprintf(text + n, sizeof text - n, " (%.200s)", e->at.file);
    tmli_clean(text);
    return tmli_spec_add_note(r->spec, e->at, text, r->err);
}

// ---- names ------------------------------------------------------------------------------------------------

bool tmli_robot_is_taken(const tmli_robot *r, const char *name)
{
    return tmli_names_find(r->taken, TMLI_SPACE_ENTRIES, name, NULL) != NULL;
}

static tml_status take(const tmli_robot *r, const char *name)
{
    const tml_status st = name ? tmli_names_reserve(r->taken, r->err) : tmli_no_memory(r->err, "robot");
    if (st == TML_OK) tmli_names_put(r->taken, &(tmli_taken){.name = name, .space = TMLI_SPACE_ENTRIES});
    return st;
}

// Forces along a joint have its name with one of these.
static const char *const parts[] = {"", "_force", "_limit", "_friction", "_armature"};

static bool is_free(const tmli_robot *r, const char *word, bool joint)
{
    const tmli_check c = {.schema = &tmli_schema_body, .name = word};
    bool free = tmli_check_name(&c, word) == TML_OK;
    char name[160];
    for (size_t i = 0; i < (joint ? sizeof parts / sizeof *parts : 1) && free; i++) {
        snprintf(name, sizeof name, "%s%s", word, parts[i]);
        free = !tmli_robot_is_taken(r, name);
    }
    return free;
}

tml_status tmli_robot_name(const tmli_robot *r, const tmli_xml *e, const char *given, const char *what,
                           const char **out)
{
    enum { LONGEST = 80 };
    char word[LONGEST + 40];
    size_t n = 0;
    const bool joint = strcmp(what, "joint") == 0;
    if (given[0] >= '0' && given[0] <= '9') word[n++] = '_';
    for (const char *c = given; *c && n < LONGEST; c++) {
        word[n] = *c;
        if (!tmli_is_identifier(c, 1) && !(*c >= '0' && *c <= '9')) word[n] = '_';
        if (((unsigned char)*c & 0xC0) != 0x80) n++;  // one for a character of several bytes
    }
    word[n] = 0;
    if (n == 0) snprintf(word, sizeof word, "%s", what);
    const size_t plain = strlen(word);
    for (int k = 1; !is_free(r, word, joint); k++)
        if (k == 1) snprintf(word + plain, sizeof word - plain, "_%s", what);
        else snprintf(word + plain, sizeof word - plain, "_%s%d", what, k);
    tml_status st = TML_OK;
    for (size_t i = 0; i < (joint ? sizeof parts / sizeof *parts : 1) && st == TML_OK; i++)
        st = take(r, tmli_arena_format(r->arena, "%s%s", word, parts[i]));
    *out = tmli_arena_strdup(r->arena, word);
    if (st == TML_OK && !*out) st = tmli_no_memory(r->err, "robot");
    if (st == TML_OK && strcmp(word, given) != 0)
        st = tmli_robot_note(r, e, "%s '%.80s' is called %s", what, given, word);
    return st;
}

static int by_name(const void *x, const void *y)
{
    const tmli_by_name *a = x, *b = y;
    const int order = strcmp(a->name, b->name);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

static int find(const tmli_by_name *sorted, int count, const char *name)
{
    int lo = 0, hi = count;
    while (lo < hi) {
        const int mid = (lo + hi) / 2, order = strcmp(name, sorted[mid].name);
        if (order == 0) return sorted[mid].index;
        if (order < 0) hi = mid;
        else lo = mid + 1;
    }
    return -1;
}

static tml_status fail_unknown(const tmli_robot *r, const tmli_xml *e, const char *what,
                               const tmli_by_name *sorted, int count, const char *name)
{
    const char **names = tmli_arena_alloc(r->arena, (size_t)count + 1, sizeof *names);
    for (int i = 0; i < count && names; i++) names[i] = sorted[i].name;
    return tmli_fail_at(r->err, TML_ERR_NAME, e->at, "There is no %s '%.80s'%s.", what, name,
                        names ? tmli_hint_of(name, names, (size_t)count).text : "");
}

// The elements of a tag with their names, sorted; two of one name are refused.
static tml_status sort_names(const tmli_robot *r, const char *tag, int *count, tmli_by_name **out,
                             const tmli_xml ***elements)
{
    *count = 0;
    for (const tmli_xml *e = tmli_xml_find(r->root, tag); e; e = tmli_xml_next(e)) (*count)++;
    *out = tmli_arena_alloc(r->arena, (size_t)*count + 1, sizeof **out);
    *elements = tmli_arena_alloc(r->arena, (size_t)*count + 1, sizeof **elements);
    if (!*out || !*elements) return tmli_no_memory(r->err, "robot");
    int n = 0;
    for (const tmli_xml *e = tmli_xml_find(r->root, tag); e; e = tmli_xml_next(e), n++) {
        const tml_status st = tmli_xml_text(e, "name", &(*out)[n].name, r->err);
        if (st != TML_OK) return st;
        (*elements)[n] = e;
        (*out)[n].index = n;
    }
    if (n > 0) qsort(*out, (size_t)n, sizeof **out, by_name);
    for (int i = 1; i < n; i++)
        if (strcmp((*out)[i].name, (*out)[i - 1].name) == 0)
            return tmli_fail_at(r->err, TML_ERR_NAME, (*elements)[(*out)[i].index]->at,
                                "There are two %ss '%.80s'; the first is in line %d.", tag, (*out)[i].name,
                                (*elements)[(*out)[i - 1].index]->at.line);
    return TML_OK;
}

// ---- numbers ----------------------------------------------------------------------------------------------

double tmli_robot_tidy(double x, double size)
{
    if (fabs(x) < ROTATION_ROUNDOFF * size) return 0;
    const double digits = 15 - ceil(log10(fabs(x)));
    if (!(digits >= 0 && digits <= 22)) return x;  // 10^22 is the last power of ten that is a double
    const double scale = pow(10, digits);
    return round(x * scale) / scale;
}

// Roll, pitch and yaw about fixed axes: Rz(yaw) Ry(pitch) Rx(roll).
static mat3 rotation(const double rpy[3])
{
    const double cr = cos(rpy[0]), sr = sin(rpy[0]), cp = cos(rpy[1]), sp = sin(rpy[1]), cy = cos(rpy[2]),
                 sy = sin(rpy[2]);
    return (mat3){{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, sy * cp, sy * sp * sr + cy * cr,
                   sy * sp * cr - cy * sr, -sp, cp * sr, cp * cr}};
}

tml_status tmli_robot_origin(const tmli_robot *r, const tmli_xml *e, tmli_pose *out)
{
    const tmli_xml *o = tmli_xml_find(e, "origin");
    double xyz[3] = {0}, rpy[3] = {0};
    tml_status st = TML_OK;
    if (o) st = tmli_xml_numbers(o, "xyz", 3, true, xyz, r->err);
    if (o && st == TML_OK) st = tmli_xml_numbers(o, "rpy", 3, true, rpy, r->err);
    *out = (tmli_pose){rotation(rpy), v3_from(xyz)};
    return st;
}

// ---- links ------------------------------------------------------------------------------------------------

static tml_status read_inertia(const tmli_robot *r, tmli_link *link)
{
    static const char *const keys[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    const tmli_xml *mass = tmli_xml_find(link->own, "mass"), *tensor = tmli_xml_find(link->own, "inertia");
    double J[6] = {0};
    tmli_pose at;
    tml_status st = tmli_robot_origin(r, link->own, &at);
    if (st == TML_OK && !mass)
        st = tmli_fail_at(r->err, TML_ERR_SYNTAX, link->own->at, "<inertial> of link '%.80s' has no <mass>.",
                          link->given);
    if (st == TML_OK) st = tmli_xml_numbers(mass, "value", 1, false, &link->mass, r->err);
    if (st == TML_OK && link->mass < 0)
        st = tmli_fail_at(r->err, TML_ERR_MODEL, mass->at, "The mass of link '%.80s' is %g, expected >= 0.",
                          link->given, link->mass);
    for (int i = 0; i < 6 && st == TML_OK && tensor; i++)
        st = tmli_xml_numbers(tensor, keys[i], 1, i > 2, &J[i], r->err);
    if (st == TML_OK && !tensor)
        st = tmli_robot_note(r, link->own, "link '%.80s' has no <inertia>: its mass is in one point",
                             link->given);
    const mat3 own = {{J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2]}}, turned = m3_mul(&at.r, &own),
               back = m3_transpose(&at.r);
    link->inertia = m3_mul(&turned, &back);
    link->centre = at.p;
    return st;
}

static tml_status read_links(tmli_robot *r)
{
    const tmli_xml **elements = NULL;
    tml_status st = sort_names(r, "link", &r->nlinks, &r->link_names, &elements);
    if (st != TML_OK) return st;
    if (r->nlinks == 0) return tmli_fail_at(r->err, TML_ERR_MODEL, r->root->at, "The robot has no link.");
    r->links = tmli_arena_alloc(r->arena, (size_t)r->nlinks, sizeof *r->links);
    if (!r->links) return tmli_no_memory(r->err, "robot");
    for (int i = 0; i < r->nlinks && st == TML_OK; i++) {
        tmli_link *link = &r->links[i];
        *link = (tmli_link){.element = elements[i], .parent = -1, .first = -1, .last = -1};
        link->given = tmli_xml_get(elements[i], "name");
        link->place = tmli_pose_identity();
        link->own = tmli_xml_find(elements[i], "inertial");
        st = tmli_robot_name(r, elements[i], link->given, "link", &link->name);
        if (st == TML_OK && link->own) st = read_inertia(r, link);
    }
    return st;
}

// ---- joints -----------------------------------------------------------------------------------------------

static tml_status read_kind(const tmli_robot *r, tmli_urdf_joint *j)
{
    const char *text = NULL;
    const tml_status st = tmli_xml_text(j->element, "type", &text, r->err);
    if (st != TML_OK) return st;
    for (j->kind = 0; j->kind < TMLI_URDF_BALL; j->kind++)
        if (strcmp(text, kinds[j->kind]) == 0) return TML_OK;
    const tmli_hint near = tmli_hint_word(text, kinds, TMLI_URDF_BALL);
    return tmli_fail_at(
        r->err, TML_ERR_NAME, j->element->at, "Joint '%.80s' has the type '%.60s'%s.", j->given, text,
        near.text[0] ? near.text : ", expected revolute, continuous, prismatic, fixed, floating or planar");
}

static tml_status read_end(const tmli_robot *r, const tmli_urdf_joint *j, const char *tag, int *out)
{
    const tmli_xml *end = tmli_xml_find(j->element, tag);
    const char *name = NULL;
    if (!end)
        return tmli_fail_at(r->err, TML_ERR_SYNTAX, j->element->at, "Joint '%.80s' has no <%s>.", j->given,
                            tag);
    const tml_status st = tmli_xml_text(end, "link", &name, r->err);
    if (st != TML_OK) return st;
    *out = find(r->link_names, r->nlinks, name);
    return *out >= 0 ? TML_OK : fail_unknown(r, end, "link", r->link_names, r->nlinks, name);
}

static tml_status read_axis(const tmli_robot *r, tmli_urdf_joint *j)
{
    double x[3] = {1, 0, 0}, size = 0;
    const tmli_xml *e = tmli_xml_find(j->element, "axis");
    j->axis = v3(1, 0, 0);
    if (j->kind == TMLI_URDF_FIXED || j->kind == TMLI_URDF_FLOATING) return TML_OK;  // it has no meaning
    const tml_status st = e ? tmli_xml_numbers(e, "xyz", 3, false, x, r->err) : TML_OK;
    if (st != TML_OK) return st;
    for (int i = 0; i < 3; i++) size = fmax(size, fabs(x[i]));
    if (!(size > 0))
        return tmli_fail_at(r->err, TML_ERR_MODEL, e->at, "The axis of joint '%.80s' has no length.",
                            j->given);
    const vec3 a = v3(x[0] / size, x[1] / size, x[2] / size);  // squares of its numbers are finite
    j->axis = v3_scale(1 / v3_norm(a), a);
    return TML_OK;
}

tml_status tmli_robot_limit(const tmli_robot *r, const tmli_xml *e, double wanted, tmli_urdf_joint *j)
{
    const double inside = START_INSIDE * (j->upper - j->lower);
    const double nearest = fmin(fmax(wanted, j->lower + inside), j->upper - inside);
    j->start = nearest == wanted ? wanted : tmli_robot_tidy(nearest, 1);
    j->limited = j->lower < j->upper;
    j->held = !j->limited;
    if (j->held)
        return tmli_robot_note(r, e, "joint '%.80s' is held at %g: its limits are equal", j->given, j->start);
    if (j->start != wanted && !tmli_xml_find(j->element, "mimic"))
        return tmli_robot_note(r, e, "joint '%.80s' starts at %g: %g is not between its limits", j->given,
                               j->start, wanted);
    return TML_OK;
}

// Equal limits hold the joint; limits that leave nothing between them are left out.
static tml_status read_limits(const tmli_robot *r, tmli_urdf_joint *j)
{
    const tmli_xml *e = tmli_xml_find(j->element, "limit");
    if (!e || (j->kind != TMLI_URDF_REVOLUTE && j->kind != TMLI_URDF_PRISMATIC)) return TML_OK;
    if (!tmli_xml_get(e, "lower") && !tmli_xml_get(e, "upper")) return TML_OK;
    tml_status st = tmli_xml_numbers(e, "lower", 1, true, &j->lower, r->err);
    if (st == TML_OK) st = tmli_xml_numbers(e, "upper", 1, true, &j->upper, r->err);
    if (st != TML_OK) return st;
    if (j->lower > j->upper)
        return tmli_robot_note(
            r, e, "limits of joint '%.80s' are left out: the lower one is above the upper one", j->given);
    return tmli_robot_limit(r, e, 0, j);
}

static tml_status read_dynamics(const tmli_robot *r, tmli_urdf_joint *j)
{
    const tmli_xml *e = tmli_xml_find(j->element, "dynamics");
    const tml_status st = e ? tmli_xml_numbers(e, "damping", 1, true, &j->damping, r->err) : TML_OK;
    return e && st == TML_OK ? tmli_xml_numbers(e, "friction", 1, true, &j->friction, r->err) : st;
}

static tml_status read_joint(tmli_robot *r, tmli_urdf_joint *j, int index)
{
    tml_status st = read_kind(r, j);
    if (st == TML_OK) st = tmli_robot_name(r, j->element, j->given, "joint", &j->name);
    if (st == TML_OK) st = read_end(r, j, "parent", &j->parent);
    if (st == TML_OK) st = read_end(r, j, "child", &j->child);
    if (st == TML_OK) st = tmli_robot_origin(r, j->element, &j->origin);
    if (st == TML_OK) st = read_axis(r, j);
    if (st == TML_OK) st = read_limits(r, j);
    if (st == TML_OK) st = read_dynamics(r, j);
    if (st != TML_OK) return st;
    tmli_link *child = &r->links[j->child], *parent = &r->links[j->parent];
    if (child->parent >= 0)
        return tmli_fail_at(r->err, TML_ERR_MODEL, j->element->at,
                            "Link '%.80s' is the child of two joints, '%.80s' and '%.80s'; a loop is closed "
                            "by a joint of the model file.",
                            child->given, r->joints[child->parent].given, j->given);
    child->parent = index;
    if (parent->last >= 0) r->joints[parent->last].sibling = index;
    else parent->first = index;
    parent->last = index;
    return TML_OK;
}

static tml_status read_joints(tmli_robot *r)
{
    const tmli_xml **elements = NULL;
    tml_status st = sort_names(r, "joint", &r->njoints, &r->joint_names, &elements);
    if (st != TML_OK) return st;
    r->joints = tmli_arena_alloc(r->arena, (size_t)r->njoints + 1, sizeof *r->joints);
    if (!r->joints) return tmli_no_memory(r->err, "robot");
    for (int i = 0; i < r->njoints && st == TML_OK; i++) {
        r->joints[i] = (tmli_urdf_joint){.element = elements[i], .sibling = -1, .leader = -1};
        r->joints[i].given = tmli_xml_get(elements[i], "name");
        st = read_joint(r, &r->joints[i], i);
    }
    return st;
}

// ---- the tree ---------------------------------------------------------------------------------------------

static tml_status find_first(tmli_robot *r)
{
    r->first = -1;
    for (int i = 0; i < r->nlinks; i++) {
        if (r->links[i].parent >= 0) continue;
        if (r->first >= 0)
            return tmli_fail_at(r->err, TML_ERR_MODEL, r->links[i].element->at,
                                "Links '%.80s' and '%.80s' are children of no joint, expected one.",
                                r->links[r->first].given, r->links[i].given);
        r->first = i;
    }
    if (r->first >= 0) return TML_OK;
    return tmli_fail_at(r->err, TML_ERR_MODEL, r->links[0].element->at,
                        "Every link is the child of another: the links form a ring.");
}

static tml_status sort_links(tmli_robot *r)
{
    r->order = tmli_arena_alloc(r->arena, (size_t)r->nlinks, sizeof *r->order);
    bool *found = tmli_arena_alloc(r->arena, (size_t)r->nlinks, sizeof *found);
    if (!r->order || !found) return tmli_no_memory(r->err, "robot");
    int count = 0;
    r->order[count++] = r->first;
    for (int i = 0; i < count; i++) {
        found[r->order[i]] = true;
        for (int k = r->links[r->order[i]].first; k >= 0; k = r->joints[k].sibling)
            r->order[count++] = r->joints[k].child;
    }
    for (int i = 0; i < r->nlinks; i++)
        if (!found[i])
            return tmli_fail_at(r->err, TML_ERR_MODEL, r->links[i].element->at,
                                "Link '%.80s' is in a ring of joints: leave one of them out, and close the "
                                "loop by a joint of the model file.",
                                r->links[i].given);
    return TML_OK;
}

static bool is_along(tmli_urdf_kind kind)
{
    return kind == TMLI_URDF_REVOLUTE || kind == TMLI_URDF_CONTINUOUS || kind == TMLI_URDF_PRISMATIC;
}

// One step of a chain of joints that copy each other: x = ratio y + offset.
static tml_status read_mimic(const tmli_robot *r, const tmli_xml *e, int *leader, double *ratio,
                             double *offset)
{
    const char *name = NULL;
    tml_status st = tmli_xml_text(e, "joint", &name, r->err);
    if (st != TML_OK) return st;
    *leader = find(r->joint_names, r->njoints, name);
    *ratio = 1;
    *offset = 0;
    if (*leader < 0) return fail_unknown(r, e, "joint", r->joint_names, r->njoints, name);
    st = tmli_xml_numbers(e, "multiplier", 1, true, ratio, r->err);
    if (st == TML_OK) st = tmli_xml_numbers(e, "offset", 1, true, offset, r->err);
    return st;
}

enum { CHAIN = 100 };  // joints that copy each other, at most

// Follow the chain to its end. A joint that neither turns nor slides copies nothing, and has the value 0.
static tml_status find_leader(const tmli_robot *r, tmli_urdf_joint *j)
{
    const tmli_xml *own = tmli_xml_find(j->element, "mimic"), *e = own;
    if (own && !is_along(j->kind))
        return tmli_robot_note(r, own, "<mimic> of joint '%.80s' is left out: it does not turn or slide",
                               j->given);
    double ratio = 1, offset = 0;
    int steps = 0;
    const tmli_urdf_joint *k = j;
    while (e) {
        double a, b;
        int next;
        const tml_status st = read_mimic(r, e, &next, &a, &b);
        if (st != TML_OK) return st;
        offset += ratio * b;
        ratio *= a;
        j->leader = next;
        k = &r->joints[next];
        if (k == j || ++steps > CHAIN)
            return tmli_fail_at(r->err, TML_ERR_MODEL, own->at,
                                "Joint '%.80s' copies itself, or by more than %d others.", j->given, CHAIN);
        e = is_along(k->kind) ? tmli_xml_find(k->element, "mimic") : NULL;
    }
    if (!own) return TML_OK;
    const double start = ratio * k->start + offset;
    if (!isfinite(start) || !isfinite(ratio))
        return tmli_fail_at(r->err, TML_ERR_MODEL, own->at, "Joint '%.80s' copies beyond all numbers.",
                            j->given);
    j->start = start;
    j->ratio = ratio;
    if (j->limited)
        return tmli_robot_note(r, own, "limits of joint '%.80s' are left out: it copies '%.80s'", j->given,
                               k->given);
    return TML_OK;
}

// What a joint copies, in steps of the chain: its leaders have no <mimic>, and so the start of their own.
static tml_status find_leaders(tmli_robot *r)
{
    tml_status st = TML_OK;
    for (int i = 0; i < r->njoints && st == TML_OK; i++) st = find_leader(r, &r->joints[i]);
    for (int i = 0; i < r->njoints && st == TML_OK; i++) {
        tmli_urdf_joint *j = &r->joints[i];
        if (j->leader < 0) continue;
        j->limited = false;
        j->held = j->ratio == 0 || r->joints[j->leader].held || !is_along(r->joints[j->leader].kind);
        if (j->held)
            st = tmli_robot_note(r, j->element, "joint '%.80s' is held at %g, as what it copies", j->given,
                                 j->start);
        if (j->held) j->leader = -1;
    }
    return st;
}

tml_status tmli_robot_read(tmli_robot *r)
{
    tml_status st = read_links(r);
    if (st == TML_OK) st = read_joints(r);
    if (st == TML_OK) st = find_first(r);
    if (st == TML_OK) st = sort_links(r);
    if (st == TML_OK) st = find_leaders(r);
    return st == TML_OK ? tmli_robot_note_others(r) : st;
}
