// What a result shows, as surfaces that move; see the header. Bodies with shapes show these; other bodies are
// bars between the places at which joints and forces act, as in the viewer, without hubs and feet.
#include "view/export/figure.h"

#include <math.h>
#include <string.h>

enum { POINTS = 64 };  // places of one body that are drawn

static const double BAR = 0.01;    // radius of a bar over the size of the mechanism
static const double BALL = 0.025;  // radius of a body without places over the size of the mechanism
static const double FLAT = 0.029;  // thickness of what has none in planar models, over the same

typedef struct places {
    vec3 at[POINTS];
    int count;
} places;

static const double palette[][3] = {{0.31, 0.51, 0.80}, {0.88, 0.54, 0.24}, {0.31, 0.64, 0.48},
                                    {0.69, 0.36, 0.61}, {0.78, 0.66, 0.23}, {0.35, 0.66, 0.72},
                                    {0.81, 0.39, 0.39}, {0.50, 0.47, 0.79}};
enum { COLOURS = sizeof palette / sizeof *palette };
static const double metal[3] = {0.62, 0.65, 0.70};

static bool read_place(const tmli_json_node *at, int *body, vec3 *p, quat *q)
{
    double x[3], r[4] = {1, 0, 0, 0};
    if (!tmli_json_numbers_of(tmli_json_member(at, "p"), x, 3)) return false;
    tmli_json_numbers_of(tmli_json_member(at, "q"), r, 4);
    *body = (int)tmli_json_number_of(at, "body", -1);
    *p = v3_from(x);
    if (q) *q = q_normalize(q_from(r));
    return true;
}

static const tmli_json_node *first_of(const tmli_json_node *scene, const char *key)
{
    const tmli_json_node *n = tmli_json_array(scene, key);
    return n ? n->child : NULL;
}

static int count_of(const tmli_json_node *scene, const char *key)
{
    const tmli_json_node *n = tmli_json_array(scene, key);
    return n ? n->count : 0;
}

// ---- bodies -----------------------------------------------------------------------------------------------

static void find_channels(tmli_figure *f, int body, bool point)
{
    static const char *const ends[7] = {"x", "y", "z", "q0", "q1", "q2", "q3"};
    for (int k = 0; k < 7; k++) {
        const char *name = tmli_arena_format(&f->arena, "%s.%s", f->body_name[body], ends[k]);
        f->channel[body][k] = name ? tml_result_channel_index(f->result, name, NULL) : -1;
        // what cannot change is not in the result: z, q1, q2 in the plane, the orientation of a point mass
        const bool fixed = (f->planar && (k == 2 || k == 4 || k == 5)) || (point && k >= 3);
        if (f->channel[body][k] < 0 && !fixed) f->channel[body][0] = -1;
    }
}

static tml_status read_bodies(tmli_figure *f, const tmli_json_node *scene, tml_error *err)
{
    f->bodies = count_of(scene, "bodies");
    tmli_json_numbers_of(tmli_json_member(scene, "origin"), f->origin, 3);
    const size_t n = (size_t)f->bodies + 1;
    if (!tmli_arena_alloc_all(&f->arena, TMLI_ARRAY(f->body_name, n), TMLI_ARRAY(f->start, n),
                              TMLI_ARRAY(f->pose, n), TMLI_ARRAY(f->channel, n)))
        return tmli_no_memory(err, "figure");
    int i = 0;
    for (const tmli_json_node *b = first_of(scene, "bodies"); b; b = b->next, i++) {
        double q[7] = {0, 0, 0, 1, 0, 0, 0};
        const char *name = tmli_json_text_of(b, "name");
        f->body_name[i] = name ? name : "body";
        tmli_json_numbers_of(tmli_json_member(b, "q"), q, 7);
        f->start[i] = (tmli_figure_pose){v3_from(q), q_normalize(q_from(q + 3))};
        find_channels(f, i, tmli_json_number_of(b, "point", 0) != 0);
    }
    return TML_OK;
}

static tmli_figure_pose pose_of_row(const tmli_figure *f, size_t row, int body)
{
    const tmli_figure_pose *start = &f->start[body];
    double x[7] = {start->p.x, start->p.y, start->p.z, start->q.e0, start->q.e1, start->q.e2, start->q.e3};
    for (int k = 0; k < 7; k++)
        if (f->channel[body][k] >= 0)
            x[k] = tml_result_value(f->result, row, f->channel[body][k]) - (k < 3 ? f->origin[k] : 0);
    return (tmli_figure_pose){v3_from(x), q_normalize(q_from(x + 3))};
}

static tmli_figure_pose mix(const tmli_figure_pose *a, const tmli_figure_pose *b, double share)
{
    const double dot = a->q.e0 * b->q.e0 + a->q.e1 * b->q.e1 + a->q.e2 * b->q.e2 + a->q.e3 * b->q.e3;
    const double v = dot < 0 ? -share : share, u = 1 - share;
    const quat q = {u * a->q.e0 + v * b->q.e0, u * a->q.e1 + v * b->q.e1, u * a->q.e2 + v * b->q.e2,
                    u * a->q.e3 + v * b->q.e3};
    return (tmli_figure_pose){v3_add(v3_scale(u, a->p), v3_scale(share, b->p)), q_normalize(q)};
}

void tmli_figure_set_time(tmli_figure *f, double time)
{
    const size_t rows = tml_result_row_count(f->result);
    size_t low = 0, high = rows - 1;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (tml_result_time(f->result, middle) <= time) low = middle;
        else high = middle;
    }
    const double from = tml_result_time(f->result, low), to = tml_result_time(f->result, high);
    const double share = to > from ? fmin(1, fmax(0, (time - from) / (to - from))) : 0;
    for (int i = 0; i < f->bodies; i++) {
        f->pose[i] = f->start[i];
        if (f->channel[i][0] < 0) continue;
        const tmli_figure_pose a = pose_of_row(f, low, i), b = pose_of_row(f, high, i);
        f->pose[i] = share > 0 ? mix(&a, &b, share) : a;
    }
}

static vec3 place_now(const tmli_figure *f, int body, vec3 p)
{
    if (body < 0 || body >= f->bodies) return p;
    const mat3 R = q_matrix(f->pose[body].q);
    return v3_add(f->pose[body].p, m3_mulv(&R, p));
}

void tmli_figure_ends(const tmli_figure *f, const tmli_link *l, vec3 end[2])
{
    for (int k = 0; k < 2; k++) end[k] = place_now(f, l->body[k], l->at[k]);
}

// ---- what is drawn ----------------------------------------------------------------------------------------

// Places of joints and forces of a body, equal ones once.
static void add_place(const tmli_json_node *at, int body, double size, places *out)
{
    int owner;
    vec3 p;
    if (!read_place(at, &owner, &p, NULL) || owner != body || out->count == POINTS) return;
    for (int i = 0; i < out->count; i++)
        if (v3_norm(v3_sub(out->at[i], p)) < 1e-4 * size) return;
    out->at[out->count++] = p;
}

static void find_places(const tmli_json_node *scene, int body, double size, places *out)
{
    static const char *const lists[] = {"joints", "forces"};
    out->count = 0;
    for (int k = 0; k < 2; k++)
        for (const tmli_json_node *e = first_of(scene, lists[k]); e; e = e->next) {
            const char *type = tmli_json_text_of(e, "type");
            if (type && (strcmp(type, "tyre") == 0 || strcmp(type, "slip_tyre") == 0)) continue;
            add_place(tmli_json_member(e, "a"), body, size, out);
            add_place(tmli_json_member(e, "b"), body, size, out);
        }
}

static tmli_spot centre(void) { return (tmli_spot){.R = m3_identity()}; }

static void draw_links(tmli_surface *s, const places *p, double size)
{
    const tmli_spot here = centre();
    if (p->count == 0) {
        tmli_surface_sphere(s, &here, BALL * size);
    } else if (p->count == 1) {
        tmli_surface_bar(s, p->at[0], (vec3){0, 0, 0}, BAR * size);
        tmli_surface_sphere(s, &here, BALL * size);
    } else if (p->count == 2) {
        tmli_surface_bar(s, p->at[0], p->at[1], BAR * size);
    } else {
        vec3 middle = {0, 0, 0};
        for (int i = 0; i < p->count; i++) middle = v3_axpy(1.0 / p->count, p->at[i], middle);
        for (int i = 0; i < p->count; i++) tmli_surface_bar(s, middle, p->at[i], BAR * size);
    }
}

static void draw_mesh(tmli_surface *s, const tmli_spot *at, const tmli_json_node *shape, tmli_arena *arena)
{
    const tmli_json_node *vertices = tmli_json_member(shape, "vertices"),
                         *triangles = tmli_json_member(shape, "triangles");
    if (!vertices || !triangles || vertices->kind != TMLI_JSON_ARRAY || triangles->kind != TMLI_JSON_ARRAY)
        return;
    const int n = vertices->count / 3;
    double *x = tmli_arena_alloc(arena, (size_t)n + 1, 3 * sizeof *x);
    if (!x || !tmli_json_numbers_of(vertices, x, 3 * n)) {
        s->failed |= !x;
        return;
    }
    const tmli_json_node *t = triangles->child;
    for (int i = 0; i < triangles->count / 3; i++) {
        vec3 corner[3];
        bool ok = true;
        for (int k = 0; k < 3; k++, t = t->next) {
            const int index = t->number >= 0 && t->number < n ? (int)t->number : -1;
            ok = ok && index >= 0;
            if (ok) corner[k] = v3_from(x + (ptrdiff_t)3 * index);
        }
        if (ok) tmli_surface_triangle(s, at, corner);
    }
}

// A disc with the outline of a profile: walls, and triangles from the middle.
static void draw_profile(tmli_surface *s, const tmli_spot *at, const tmli_json_node *shape, double thickness)
{
    const tmli_json_node *const list = tmli_json_member(shape, "outline");
    vec3 middle = v3(0, 0, 0), before = middle;
    int count = 0;
    const double h = thickness / 2;
    for (const tmli_json_node *x = list ? list->child : NULL; x && x->next; x = x->next->next, count++) {
        before = v3(x->number, x->next->number, 0);  // the last one
        middle = v3_add(middle, before);
    }
    if (count == 0) return;
    middle = v3_scale(1.0 / count, middle);
    const vec3 up = v3(0, 0, h), down = v3(0, 0, -h);
    for (const tmli_json_node *x = list->child; x && x->next; x = x->next->next) {
        const vec3 p = v3(x->number, x->next->number, 0);
        tmli_surface_triangle(s, at, (const vec3[]){v3_add(middle, up), v3_add(before, up), v3_add(p, up)});
        tmli_surface_triangle(s, at,
                              (const vec3[]){v3_add(middle, down), v3_add(p, down), v3_add(before, down)});
        tmli_surface_triangle(s, at, (const vec3[]){v3_add(before, down), v3_add(p, down), v3_add(p, up)});
        tmli_surface_triangle(s, at, (const vec3[]){v3_add(before, down), v3_add(p, up), v3_add(before, up)});
        before = p;
    }
}

static void draw_shape(tmli_figure *f, tmli_surface *s, const tmli_json_node *shape, double flat)
{
    int body;
    vec3 p;
    quat q;
    double size[3];
    const char *type = tmli_json_text_of(shape, "type");
    if (!type || !read_place(tmli_json_member(shape, "at"), &body, &p, &q)) return;
    const tmli_spot at = {.R = q_matrix(q), .p = p};
    const double radius = tmli_json_number_of(shape, "radius", 0),
                 length = tmli_json_number_of(shape, "length", 0);
    if (strcmp(type, "sphere") == 0 && f->planar) tmli_surface_cylinder(s, &at, radius, flat);
    else if (strcmp(type, "sphere") == 0) tmli_surface_sphere(s, &at, radius);
    else if (strcmp(type, "cylinder") == 0) tmli_surface_cylinder(s, &at, radius, length);
    else if (strcmp(type, "capsule") == 0) tmli_surface_capsule(s, &at, radius, length);
    else if (strcmp(type, "cone") == 0) tmli_surface_cone(s, &at, radius, length);
    else if (strcmp(type, "torus") == 0)
        tmli_surface_torus(s, &at, radius, tmli_json_number_of(shape, "tube", 0));
    else if (strcmp(type, "box") == 0 && tmli_json_numbers_of(tmli_json_member(shape, "size"), size, 3)) {
        if (f->planar) size[2] = flat;
        tmli_surface_box(s, &at, size);
    }
    if (strcmp(type, "profile") == 0) draw_profile(s, &at, shape, flat);
    if (strcmp(type, "mesh") == 0) draw_mesh(s, &at, shape, &f->arena);
}

// A wheel about the y axis of its body, about the z axis of its joint, or about its own axis.
static void draw_wheels(tmli_surface *s, const tmli_json_node *scene, const char *list, const char *type,
                        int body)
{
    for (const tmli_json_node *e = first_of(scene, list); e; e = e->next) {
        int owner;
        vec3 p;
        quat q;
        const char *word = tmli_json_text_of(e, "type");
        if (!word || strcmp(word, type) != 0) continue;
        if (!read_place(tmli_json_member(e, "b"), &owner, &p, &q) || owner != body) continue;
        const double radius = tmli_json_number_of(e, "radius", 0);
        double axis[3] = {0, 0, 1};
        (void)tmli_json_numbers_of(tmli_json_member(e, "axis"), axis, 3);
        const mat3 frame = q_matrix(q), turn = m3_axes_along(v3_from(axis));
        const tmli_spot at = {
            .R = strcmp(type, "tyre") == 0 ? m3_axes_along((vec3){0, 1, 0}) : m3_mul(&frame, &turn), .p = p};
        tmli_surface_cylinder(s, &at, radius, 0.42 * radius);
    }
}

static bool is_node(const tmli_json_node *scene, int body)
{
    static const char *const lists[] = {"beams", "modal_bodies"};
    for (int k = 0; k < 2; k++)
        for (const tmli_json_node *b = first_of(scene, lists[k]); b; b = b->next)
            for (const tmli_json_node *n = first_of(b, "nodes"); n; n = n->next)
                if ((int)n->number == body) return true;
    return false;
}

static void draw_part(tmli_figure *f, const tmli_json_node *scene, int body, double size)
{
    tmli_part *part = &f->part[f->parts];
    *part = (tmli_part){
        .name = body < 0 ? "ground" : f->body_name[body], .body = body, .surface = {.env = &f->env}};
    memcpy(part->colour, body < 0 ? metal : palette[body % COLOURS], sizeof part->colour);
    bool shaped = body < 0;
    for (const tmli_json_node *s = first_of(scene, "shapes"); s; s = s->next)
        if ((int)tmli_json_number_of(tmli_json_member(s, "at"), "body", -1) == body) {
            draw_shape(f, &part->surface, s, FLAT * size);
            shaped = true;
        }
    if (!shaped && !is_node(scene, body)) {
        places found;
        find_places(scene, body, size, &found);
        draw_wheels(&part->surface, scene, "forces", "tyre", body);
        draw_wheels(&part->surface, scene, "forces", "slip_tyre", body);
        draw_wheels(&part->surface, scene, "joints", "wheel", body);
        if (found.count > 0 || part->surface.triangles == 0) draw_links(&part->surface, &found, size);
    }
    if (part->surface.triangles > 0 || part->surface.failed) f->parts++;
}

static void add_link(tmli_figure *f, const tmli_json_node *e, const char *name, double radius)
{
    tmli_link *l = &f->link[f->links];
    l->name = name ? name : "link";
    l->radius = radius;
    memcpy(l->colour, metal, sizeof l->colour);
    if (read_place(tmli_json_member(e, "a"), &l->body[0], &l->at[0], NULL) &&
        read_place(tmli_json_member(e, "b"), &l->body[1], &l->at[1], NULL))
        f->links++;
}

static double beam_radius(const tmli_json_node *beam, double size)
{
    const double r = tmli_json_number_of(beam, "radius", NAN), w = tmli_json_number_of(beam, "width", NAN),
                 h = tmli_json_number_of(beam, "height", NAN);
    if (isfinite(r)) return r;
    return isfinite(w) && isfinite(h) ? sqrt(w * h / 3.14159265358979323846) : BAR * size;
}

static void draw_moving_links(tmli_figure *f, const tmli_json_node *scene, double size)
{
    for (const tmli_json_node *e = first_of(scene, "forces"); e; e = e->next) {
        const char *type = tmli_json_text_of(e, "type");
        if (type && strcmp(type, "spring") == 0)
            add_link(f, e, tmli_json_text_of(e, "name"), 0.6 * BAR * size);
    }
    for (const tmli_json_node *e = first_of(scene, "joints"); e; e = e->next) {
        const char *type = tmli_json_text_of(e, "type");
        if (type && strcmp(type, "distance") == 0)
            add_link(f, e, tmli_json_text_of(e, "name"), 0.5 * BAR * size);
    }
    for (const tmli_json_node *b = first_of(scene, "beams"); b; b = b->next)
        for (const tmli_json_node *n = first_of(b, "nodes"); n && n->next; n = n->next) {
            tmli_link *l = &f->link[f->links++];
            *l = (tmli_link){.name = tmli_json_text_of(b, "name"),
                             .body = {(int)n->number, (int)n->next->number},
                             .radius = beam_radius(b, size)};
            if (!l->name) l->name = "beam";
            memcpy(l->colour, palette[0], sizeof l->colour);
        }
}

// The diagonal of the box of all bodies and places at the start.
static double size_of(const tmli_figure *f, const tmli_json_node *scene)
{
    static const char *const lists[] = {"joints", "forces"}, *const ends[] = {"a", "b"};
    vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < f->bodies; i++) {
        const vec3 p = f->pose[i].p;
        low = (vec3){fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)};
        high = (vec3){fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)};
    }
    for (int k = 0; k < 4; k++)
        for (const tmli_json_node *e = first_of(scene, lists[k / 2]); e; e = e->next) {
            int body;
            vec3 p;
            if (!read_place(tmli_json_member(e, ends[k % 2]), &body, &p, NULL)) continue;
            p = place_now(f, body, p);
            low = (vec3){fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)};
            high = (vec3){fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)};
        }
    const double size = v3_norm(v3_sub(high, low));
    return isfinite(size) && size > 0 ? size : fmax(tmli_json_number_of(scene, "length", 1), 1e-9);
}

static tml_status build(tmli_figure *f, const tmli_json_node *scene, tml_error *err)
{
    f->planar = tmli_json_number_of(scene, "planar", 0) != 0;
    const tml_status st = read_bodies(f, scene, err);
    if (st != TML_OK) return st;
    size_t links = (size_t)count_of(scene, "forces") + (size_t)count_of(scene, "joints");
    for (const tmli_json_node *b = first_of(scene, "beams"); b; b = b->next)
        links += (size_t)count_of(b, "nodes");
    f->part = tmli_arena_alloc(&f->arena, (size_t)f->bodies + 2, sizeof *f->part);
    f->link = tmli_arena_alloc(&f->arena, links + 1, sizeof *f->link);
    if (!f->part || !f->link) return tmli_no_memory(err, "figure");
    tmli_figure_set_time(f, tml_result_time(f->result, 0));
    const double size = size_of(f, scene);
    for (int i = -1; i < f->bodies; i++) draw_part(f, scene, i, size);
    draw_moving_links(f, scene, size);
    for (int i = 0; i < f->parts; i++)
        if (f->part[i].surface.failed) return tmli_no_memory(err, "figure");
    return TML_OK;
}

tml_status tmli_figure_create(const tml_result *result, const char *scene, const tml_env *env,
                              tmli_figure **out, tml_error *err)
{
    *out = NULL;
    if (!scene) return tmli_fail(err, TML_ERR_ARG, "The result has no scene: only its numbers can be had.");
    if (tml_result_row_count(result) == 0 || tml_result_channel_index(result, "t", NULL) < 0)
        return tmli_fail(err, TML_ERR_ARG, "The result has no rows with a time.");
    tmli_figure *f = tmli_calloc(env, 1, sizeof *f);
    if (!f) return tmli_no_memory(err, "figure");
    if (env) f->env = *env;
    f->arena.env = &f->env;
    f->result = result;
    tmli_json_node *root = NULL;
    tml_status st = tmli_json_parse(scene, "The scene of the result", SIZE_MAX, &f->arena, &root, err);
    if (st == TML_OK) st = build(f, root, err);
    if (st == TML_OK) *out = f;
    else tmli_figure_destroy(f);
    return st;
}

void tmli_figure_destroy(tmli_figure *f)
{
    if (!f) return;
    for (int i = 0; i < f->parts; i++) tmli_surface_clear(&f->part[i].surface);
    tmli_arena_clear(&f->arena);
    const tml_env env = f->env;
    tmli_free(&env, f);
}
