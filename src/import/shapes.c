// Shapes of links: visuals are drawn; collisions touch, in the group 'collision', and are drawn where nothing
// else is. Without any collision in the file the visuals are the group.
#define _DEFAULT_SOURCE  // PATH_MAX
#include "import/robot.h"
#include "import/values.h"
#include "spec/schema.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ANCESTORS = 4 };  // folders above the file that may be that of a package

// ---- meshes -----------------------------------------------------------------------------------------------

static tml_status leave_out(const tmli_robot *r, const tmli_xml *e, const char *file, const char *why)
{
    return tmli_robot_note(r, e, "mesh '%.200s' is left out: %s", file, why);
}

static bool is_visible(const char *text)
{
    for (uint32_t code; *text; text += tmli_utf8(text, &code)) {
        tmli_utf8(text, &code);
        if (tmli_is_hidden(code)) return false;
    }
    return true;
}

// A file beside the robot or in a folder above it, with the name of the package before it or without.
static int find_mesh(const tmli_robot *r, const char *file, char found[PATH_MAX], bool *outside)
{
    const char *scheme = strstr(file, "://"), *inner = scheme ? scheme + 3 : file,
               *slash = strchr(inner, '/'), *rest = scheme && slash ? slash + 1 : inner;
    const char *end = strrchr(r->def->path, '/');
    const int length = end ? (int)(end - r->def->path) + 1 : 0;
    *outside = false;
    for (int up = 0; up <= ANCESTORS; up++)
        for (int k = 0; k < 2; k++) {
            char path[PATH_MAX];
            int n = snprintf(path, sizeof path, "%.*s", length, r->def->path);
            for (int i = 0; i < up && n < (int)sizeof path; i++)
                n += snprintf(path + n, sizeof path - (size_t)n, "../");
            const char *name = k == 0 ? inner : rest;
            if (n >= (int)sizeof path || strlen(name) >= sizeof path - (size_t)n) continue;
            if (name[0] == '/') n = 0;
            memcpy(path + n, name, strlen(name) + 1);
            bool there = false;
            const int place = tmli_file_find(path, r->places, found, PATH_MAX, &there);
            if (place >= 0) return place;
            *outside = *outside || there;
        }
    return -1;
}

tml_status tmli_robot_mesh(const tmli_robot *r, const tmli_xml *e, const char *file, const double scale[3],
                           tml_shape_def *d, bool *use)
{
    static const char *const endings[] = {".stl", ".obj", ".glb", ".gltf"};
    char found[PATH_MAX], ending[8];
    bool known = false, outside = false;
    *use = false;
    const char *dot = strrchr(file, '.');
    snprintf(ending, sizeof ending, "%s", dot ? dot : "");
    for (char *c = ending; *c; c++) *c = (char)(*c >= 'A' && *c <= 'Z' ? *c | 0x20 : *c);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) known |= strcmp(ending, endings[i]) == 0;
    if (!known) return leave_out(r, e, file, "it is no STL, OBJ or glTF file");
    if (!(scale[0] > 0) || scale[1] != scale[0] || scale[2] != scale[0])
        return leave_out(r, e, file, "its scale differs by direction");
    const int place = find_mesh(r, file, found, &outside);
    if (place < 0 && outside)
        return leave_out(r, e, file, "it is outside of the folder of the model file (--allow-path)");
    if (place < 0) return leave_out(r, e, file, "it is not found beside the file");
    if (!is_visible(found) || strpbrk(found, "{}"))
        return leave_out(r, e, file, "its name has characters that a model file cannot hold");
    d->type = TML_SHAPE_MESH;
    d->file = tmli_arena_format(r->arena, "%s%s%s", place == 0 ? r->folder : r->places->folder[place],
                                place == 0 ? "" : "/", found);
    d->scale = scale[0];
    *use = true;
    return d->file ? TML_OK : tmli_no_memory(r->err, "mesh");
}

static tml_status read_mesh(const tmli_robot *r, const tmli_xml *g, tml_shape_def *d, bool *use)
{
    const char *file = NULL;
    double scale[3] = {1, 1, 1};
    *use = false;
    tml_status st = tmli_xml_text(g, "filename", &file, r->err);
    if (st == TML_OK) st = tmli_xml_numbers(g, "scale", 3, true, scale, r->err);
    return st == TML_OK ? tmli_robot_mesh(r, g, file, scale, d, use) : st;
}

// ---- shapes -----------------------------------------------------------------------------------------------

tml_status tmli_robot_colour(const tmli_robot *r, const double rgba[4], tml_shape_def *d)
{
    int value[3];
    for (int i = 0; i < 3; i++) value[i] = (int)lround(255 * fmin(fmax(rgba[i], 0), 1));
    d->colour = tmli_arena_format(r->arena, "#%02x%02x%02x", value[0], value[1], value[2]);
    d->opacity = fmin(fmax(rgba[3], 0), 1);
    return d->colour ? TML_OK : tmli_no_memory(r->err, "colour");
}

static tml_status read_colour(const tmli_robot *r, const tmli_xml *e, tml_shape_def *d)
{
    const tmli_xml *m = tmli_xml_find(e, "material"), *colour = tmli_xml_find(m, "color");
    const char *name = tmli_xml_get(m, "name"), *other;
    for (const tmli_xml *k = tmli_xml_find(r->root, "material"); k && name && !colour; k = tmli_xml_next(k))
        if ((other = tmli_xml_get(k, "name")) && strcmp(other, name) == 0) colour = tmli_xml_find(k, "color");
    if (!colour || !tmli_xml_get(colour, "rgba")) return TML_OK;
    double rgba[4];
    const tml_status st = tmli_xml_numbers(colour, "rgba", 4, false, rgba, r->err);
    return st == TML_OK ? tmli_robot_colour(r, rgba, d) : st;
}

// The numbers of a geometry; sizes that are 0 draw nothing.
static tml_status read_geometry(const tmli_robot *r, const tmli_xml *e, tml_shape_def *d, bool *use)
{
    const tmli_xml *g = tmli_xml_find(e, "geometry");
    g = g ? g->first : NULL;
    *use = false;
    if (!g) return tmli_robot_note(r, e, "<%s> is left out: it has no <geometry> with a shape", e->tag);
    double least = INFINITY;
    const bool box = strcmp(g->tag, "box") == 0, sphere = strcmp(g->tag, "sphere") == 0,
               cylinder = strcmp(g->tag, "cylinder") == 0, capsule = strcmp(g->tag, "capsule") == 0;
    tml_status st = TML_OK;
    if (strcmp(g->tag, "mesh") == 0) return read_mesh(r, g, d, use);
    if (!box && !sphere && !cylinder && !capsule)
        return tmli_robot_note(r, g, "<%.60s> is left out: it is no box, cylinder, sphere, capsule or mesh",
                               g->tag);
    d->type = box        ? TML_SHAPE_BOX
              : sphere   ? TML_SHAPE_SPHERE
              : cylinder ? TML_SHAPE_CYLINDER
                         : TML_SHAPE_CAPSULE;
    if (box) st = tmli_xml_numbers(g, "size", 3, false, d->edges, r->err);
    else st = tmli_xml_numbers(g, "radius", 1, false, &d->radius, r->err);
    if (st == TML_OK && !box && !sphere) st = tmli_xml_numbers(g, "length", 1, false, &d->length, r->err);
    if (st != TML_OK) return st;
    for (int i = 0; i < 3 && box; i++) least = fmin(least, d->edges[i]);
    if (!box) least = fmin(d->radius, sphere ? d->radius : d->length);
    *use = least > 0;
    return *use ? TML_OK : tmli_robot_note(r, g, "<%s> is left out: its size is not above 0", g->tag);
}

typedef struct placed {
    tmli_pose pose;
    const char *at;  // NULL: none yet
} placed;

static bool is_same(const tmli_pose *a, const tmli_pose *b)
{
    return memcmp(&a->r, &b->r, sizeof a->r) == 0 && memcmp(&a->p, &b->p, sizeof a->p) == 0;
}

// One shape; `last` is the frame of the one before, which often serves again.
static tml_status add_shape(const tmli_robot *r, const tmli_link *link, const tmli_xml *e, int number,
                            bool group, bool hidden, placed *last, bool *drawn)
{
    tml_shape_def d = tml_shape_def_default();
    const tmli_entry at = {.at = e->at};
    tmli_pose pose;
    bool use = false;
    char suffix[24] = "";
    const bool own = &r->links[link->holder] == link && link->holder != r->ground;
    tml_status st = tmli_robot_origin(r, e, &pose);
    if (st == TML_OK) st = read_geometry(r, e, &d, &use);
    if (st != TML_OK || !use) return st;
    if (number > 1) snprintf(suffix, sizeof suffix, "_%d", number);
    d.name = tmli_arena_format(r->arena, "%s_%s%s", link->name, e->tag, suffix);
    const char *frame =
        tmli_arena_format(r->arena, "%s%s%s%s", own ? "" : link->name, own ? "" : "_", e->tag, suffix);
    while (frame && tmli_robot_is_taken(r, frame)) frame = tmli_arena_format(r->arena, "%s_", frame);
    if (!d.name || !frame) return tmli_no_memory(r->err, "shape");
    if (!last->at || !is_same(&last->pose, &pose)) {
        st = tmli_robot_frame(r, link, e, frame, &pose, &last->at);
        last->pose = pose;
    }
    d.at = last->at;
    d.group = group ? "collision" : NULL;
    d.hidden = hidden;
    *drawn = *drawn || !hidden;
    if (st == TML_OK && !hidden) st = read_colour(r, e, &d);
    return st == TML_OK ? tmli_spec_add(r->spec, &tmli_schema_shape, &d, &at, r->err) : st;
}

tml_status tmli_robot_shapes(const tmli_robot *r, const tmli_link *link)
{
    placed last = {.at = NULL};
    bool drawn = false;
    tml_status st = TML_OK;
    int number = 0;
    for (const tmli_xml *e = tmli_xml_find(link->element, "visual"); e && st == TML_OK; e = tmli_xml_next(e))
        st = add_shape(r, link, e, ++number, !r->touching, false, &last, &drawn);
    const bool seen = drawn;
    number = 0;
    for (const tmli_xml *e = tmli_xml_find(link->element, "collision"); e && st == TML_OK;
         e = tmli_xml_next(e))
        st = add_shape(r, link, e, ++number, true, seen, &last, &drawn);
    return st;
}
