// Impacts do not depend on where a model stands, how it is turned or mirrored, nor on the order of its
// entries: scenes in which constraints are struck at the same time, or in a random order, are written in many
// forms that differ in all of these, and leave the same motion.
#include "sim_fixture.h"

#include <string.h>

enum { MAX = 6 };

typedef struct scene {
    bool planar;
    int bodies, planes, contacts;
    double size[MAX][3];  // edges of a box; {radius, 0, 0}: a sphere
    double mass[MAX], position[MAX][3], velocity[MAX][3], spin[MAX];  // spin: about the last axis
    double at[MAX][3], normal[MAX][3];                                // planes
    int pair[MAX][2];                                                 // of bodies; the second < 0: plane ~k
    double e, mu, gravity, end;
} scene;

// x -> R (S x) + d, S: mirror of the first axis
typedef struct form {
    double R[3][3], d[3];
    bool mirror;
    int body[MAX], contact[MAX];  // order of entries
    bool swap[MAX];               // of the shapes of a contact
} form;

// ---- forms ------------------------------------------------------------------------------------------------

static void shuffle(rng *r, int *order, int count)
{
    for (int i = 0; i < count; i++) order[i] = i;
    for (int i = count - 1; i > 0; i--) {
        const int k = (int)rng_range(r, 0, i + 1), kept = order[i];
        order[i] = order[k];
        order[k] = kept;
    }
}

// A rotation by the quaternion p; planar: about the last axis
static void set_rotation(const double p[4], double R[3][3])
{
    const double w = p[0], x = p[1], y = p[2], z = p[3];
    const double all[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                              {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                              {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    memcpy(R, all, sizeof all);
}

static form random_form(rng *r, const scene *s, double p[4])
{
    form f = {.mirror = rng_range(r, 0, 1) < 0.5};
    double size = 0;
    for (int k = 0; k < 4; k++) {
        p[k] = s->planar && (k == 1 || k == 2) ? 0 : rng_range(r, -1, 1);
        size += p[k] * p[k];
    }
    for (int k = 0; k < 4; k++) p[k] /= sqrt(size);
    set_rotation(p, f.R);
    for (int k = 0; k < 3; k++) f.d[k] = s->planar && k == 2 ? 0 : rng_range(r, -30, 30);
    shuffle(r, f.body, s->bodies);
    shuffle(r, f.contact, s->contacts);
    for (int i = 0; i < s->contacts; i++) f.swap[i] = rng_range(r, 0, 1) < 0.5;
    return f;
}

// place: with the shift
static void transform(const form *f, const double v[3], bool place, double out[3])
{
    const double m[3] = {f->mirror ? -v[0] : v[0], v[1], v[2]};
    for (int i = 0; i < 3; i++) {
        out[i] = place ? f->d[i] : 0;
        for (int k = 0; k < 3; k++) out[i] += f->R[i][k] * m[k];
    }
}

static void transform_back(const form *f, const double v[3], bool place, double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = 0;
        for (int k = 0; k < 3; k++) out[i] += f->R[k][i] * (v[k] - (place ? f->d[k] : 0));
    }
    if (f->mirror) out[0] = -out[0];
}

// ---- models -----------------------------------------------------------------------------------------------

static void put(char **at, const scene *s, const form *f, const char *key, const double v[3], bool place)
{
    double w[3];
    transform(f, v, place, w);
    *at += s->planar ? sprintf(*at, "%s: [%.17g, %.17g]", key, w[0], w[1])
                     : sprintf(*at, "%s: [%.17g, %.17g, %.17g]", key, w[0], w[1], w[2]);
}

static void put_shapes(char **at, const scene *s, const form *f)
{
    *at += sprintf(*at, "shapes:\n");
    for (int i = 0; i < s->bodies; i++) {
        const double *size = s->size[i];
        *at += sprintf(*at, "  s%d: {at: b%d, type: ", i, i);
        if (size[1] == 0) *at += sprintf(*at, "sphere, radius: %.17g}\n", size[0]);
        else if (s->planar) *at += sprintf(*at, "box, size: [%.17g, %.17g]}\n", size[0], size[1]);
        else *at += sprintf(*at, "box, size: [%.17g, %.17g, %.17g]}\n", size[0], size[1], size[2]);
    }
    for (int i = 0; i < s->planes; i++) {
        *at += sprintf(*at, "  p%d: {at: ground.g%d, type: plane, ", i, i);
        put(at, s, f, "normal", s->normal[i], false);
        *at += sprintf(*at, "}\n");
    }
}

static void put_contacts(char **at, const scene *s, const form *f)
{
    *at += sprintf(*at, "contacts:\n");
    for (int j = 0; j < s->contacts; j++) {
        const int i = f->contact[j], *pair = s->pair[i];
        char name[2][10];
        snprintf(name[0], sizeof name[0], "s%d", pair[0]);
        snprintf(name[1], sizeof name[1], pair[1] < 0 ? "p%d" : "s%d", pair[1] < 0 ? ~pair[1] : pair[1]);
        *at += sprintf(*at, "  c%d: {a: %s, b: %s, law: rigid, restitution: %.17g", i, name[f->swap[i]],
                       name[!f->swap[i]], s->e);
        if (s->mu > 0 && pair[1] < 0) *at += sprintf(*at, ", friction: {coefficient: %.17g}", s->mu);
        *at += sprintf(*at, "}\n");
    }
}

// p: the quaternion of the form
static void write_scene(char *at, const scene *s, const form *f, const double p[4])
{
    const double down[3] = {0, s->planar ? -s->gravity : 0, s->planar ? 0 : -s->gravity};
    const double sine = sqrt(p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    if (s->planar) at += sprintf(at, "planar: true\n");
    put(&at, s, f, "gravity", down, false);
    at += sprintf(at, "\nbodies:\n");
    for (int j = 0; j < s->bodies; j++) {
        const int i = f->body[j];
        at += sprintf(at, "  b%d: {mass: %.17g, ", i, s->mass[i]);
        at +=
            s->planar
                ? sprintf(at, "inertia: %.17g, orientation: %.17g, angular_velocity: %.17g, ",
                          0.02 * s->mass[i], 2 * atan2(p[3], p[0]), f->mirror ? -s->spin[i] : s->spin[i])
                : sprintf(at,
                          "inertia: [%.17g, %.17g, %.17g], orientation: {axis: [%.17g, %.17g, %.17g], angle: "
                          "%.17g}, ",
                          0.02 * s->mass[i], 0.023 * s->mass[i], 0.03 * s->mass[i], p[1], p[2],
                          sine > 0 ? p[3] : 1, 2 * atan2(sine, p[0]));
        put(&at, s, f, "position", s->position[i], true);
        at += sprintf(at, ", ");
        put(&at, s, f, "velocity", s->velocity[i], false);
        at += sprintf(at, "}\n");
    }
    if (s->planes > 0) at += sprintf(at, "ground:\n  frames:\n");
    for (int i = 0; i < s->planes; i++) {
        char key[20];
        snprintf(key, sizeof key, "    g%d", i);
        put(&at, s, f, key, s->at[i], true);
        at += sprintf(at, "\n");
    }
    put_shapes(&at, s, f);
    put_contacts(&at, s, f);
    sprintf(at, "run: {end: %.17g, tol: 1e-9, output_step: 0.1}\n", s->end);
}

// ---- comparison -------------------------------------------------------------------------------------------

static void read_vector(const tml_sim *sim, const scene *s, int body, const char *names, double v[3])
{
    for (int k = 0; k < 3; k++) {
        char name[30];
        snprintf(name, sizeof name, "b%d.%s%c", body, names, "xyz"[k]);
        v[k] = s->planar && k == 2 ? 0 : channel_value(sim, name);
    }
}

// The motion at the end, in the frame of the scene
static long run_form(const scene *s, const form *f, const double p[4], double (*motion)[6])
{
    char text[8000];
    tml_error err = {0};
    tml_model *model;
    write_scene(text, s, f, p);
    tml_sim *sim = sim_of_text(text, "erk8", 0, &model);
    OK(tml_sim_run(sim, NAN, &err));
    for (int i = 0; i < s->bodies; i++) {
        double x[3], v[3];
        read_vector(sim, s, i, "", x);
        read_vector(sim, s, i, "v", v);
        transform_back(f, x, true, motion[i]);
        transform_back(f, v, false, motion[i] + 3);
    }
    const long count = report_of(sim).impact_count;
    end_sim(sim, model);
    return count;
}

static void compare_forms(const scene *s, int forms, uint64_t seed)
{
    rng r = rng_seed(seed);
    form own = {.R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    double p[4] = {1, 0, 0, 0}, first[MAX][6], other[MAX][6];
    for (int i = 0; i < MAX; i++) own.body[i] = own.contact[i] = i;
    const long count = run_form(s, &own, p, first);
    assert_true(count > 0);
    for (int k = 0; k < forms; k++) {
        const form f = random_form(&r, s, p);
        const long found = run_form(s, &f, p, other);
        for (int i = 0; i < s->bodies; i++)
            for (int j = 0; j < 6; j++)
                if (!(fabs(other[i][j] - first[i][j]) <= 1e-9))
                    fail_msg(
                        "form %d: component %d of body %d is %.12g, in the scene itself %.12g; %ld and %ld "
                        "impacts",
                        k, j, i, other[i][j], first[i][j], found, count);
        assert_int_equal(found, count);
    }
}

// ---- scenes -----------------------------------------------------------------------------------------------

// Balls in a line: those in the middle are struck from both sides at the same time.
static void pinched(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        scene s = {.planar = k % 2, .bodies = k / 2 % 2 ? 5 : 3, .e = k < 4 ? 1 : 0.4, .end = 1};
        s.contacts = s.bodies - 1;
        for (int i = 0; i < s.bodies; i++) {
            const int from_middle = i - s.bodies / 2;
            s.size[i][0] = 0.1;
            s.mass[i] = 1 + 0.5 * abs(from_middle);
            s.position[i][0] = 0.7 * from_middle;
            s.velocity[i][0] = -from_middle;
            s.pair[i][0] = i;
            s.pair[i][1] = i + 1;
        }
        compare_forms(&s, 6, 10 + (uint64_t)k);
    }
}

// A level box falls and bounces; in the plane on two corners, in space on four.
static void level_box(void **state)
{
    (void)state;
    const int count = less_if_slow("most boxes") ? 2 : 8;
    for (int k = 0; k < count; k++) {
        const bool planar = k % 2;
        scene s = {.planar = planar,
                   .bodies = 1,
                   .planes = 1,
                   .contacts = 1,
                   .mass = {1.3},
                   .size = {{0.4, planar ? 0.2 : 0.3, 0.2}},
                   .pair = {{0, ~0}},
                   .e = k < 4 ? 0.7 : 0.5,
                   .mu = k / 2 % 2 ? 0.3 : 0,
                   .gravity = 9.81,
                   .end = 1.5};
        s.position[0][planar ? 1 : 2] = 0.6;
        s.normal[0][planar ? 1 : 2] = 1;
        compare_forms(&s, 4, 30 + (uint64_t)k);
    }
}

// A ball falls into a groove of two planes.
static void groove(void **state)
{
    (void)state;
    for (int k = 0; k < 6; k++) {
        const bool planar = k % 2;
        const int up = planar ? 1 : 2;
        const double angle = 0.5 + 0.1 * k;
        scene s = {.planar = planar,
                   .bodies = 1,
                   .planes = 2,
                   .contacts = 2,
                   .mass = {0.7},
                   .size = {{0.1}},
                   .pair = {{0, ~0}, {0, ~1}},
                   .e = 0.6,
                   .mu = k < 3 ? 0 : 0.2,
                   .gravity = 9.81,
                   .end = 0.7};
        s.position[0][up] = 0.8;
        for (int i = 0; i < 2; i++) {
            s.normal[i][0] = (i ? -1 : 1) * sin(angle);
            s.normal[i][up] = cos(angle);
        }
        compare_forms(&s, 6, 50 + (uint64_t)k);
    }
}

// Balls between walls, without a tie.
static void between_walls(void **state)
{
    (void)state;
    const int count = less_if_slow("most scenes") ? 2 : 12;
    for (int k = 0; k < count; k++) {
        rng r = rng_seed(500 + (uint64_t)k);
        scene s = {.planar = k % 2,
                   .bodies = 2,
                   .planes = 2,
                   .contacts = 5,
                   .e = 0.8,
                   .mu = k < 6 ? 0 : 0.3,
                   .end = 0.8,
                   .gravity = 9.81,
                   .pair = {{0, 1}, {0, ~0}, {1, ~0}, {0, ~1}, {1, ~1}}};
        const int up = s.planar ? 1 : 2;
        for (int i = 0; i < 2; i++) {
            s.size[i][0] = 0.15;
            s.mass[i] = rng_range(&r, 0.5, 2);
            s.spin[i] = rng_range(&r, -3, 3);
            s.position[i][0] = (i ? 1 : -1) * rng_range(&r, 0.2, 0.3);
            s.position[i][up] = rng_range(&r, 0.3, 0.6);
            s.velocity[i][0] = (i ? -1 : 1) * rng_range(&r, 0.5, 1.5);
        }
        s.normal[0][up] = 1;
        s.normal[1][0] = 1;
        s.at[1][0] = -0.6;
        compare_forms(&s, 4, 70 + (uint64_t)k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pinched), cmocka_unit_test(level_box),
                                       cmocka_unit_test(groove), cmocka_unit_test(between_walls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
