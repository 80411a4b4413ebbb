// Scenes: meshes, places of joints and shapes.
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include "view/scene/scene.h"

#include <trammel/view.h>

static void stl_text(void **state)
{
    (void)state;
    const char text[] = "solid part\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1.5 0 0\n"
                        "   vertex 0 2 0\n  endloop\n endfacet\n facet normal 0 0 1\n  outer loop\n"
                        "   vertex 1.5 0 0\n   vertex 1.5 2 0\n   vertex 0 2 0\n  endloop\n endfacet\n";
    tmli_mesh_data m;
    tml_error err = {0};
    assert_int_equal(tmli_mesh_parse(text, sizeof text - 1, "a.stl", NULL, &m, &err), TML_OK);
    assert_int_equal(m.triangle_count, 2);
    assert_int_equal(m.vertex_count, 4);  // two are shared
    assert_int_equal(m.triangle[3], m.triangle[1]);
    CHECK_CLOSE(m.vertex[3], 1.5, 0);
    tmli_mesh_data_clear(&m, NULL);
}

static void stl_binary(void **state)
{
    (void)state;
    unsigned char bytes[84 + 50 + 1] = "solid, though binary";  // some programs write such a head
    bytes[80] = 1;
    const float corner[9] = {0, 0, 0, 0.25f, 0, 0, 0, -3, 0.5f};
    memcpy(bytes + 84 + 12, corner, sizeof corner);  // little-endian machines only, as are our tests
    tmli_mesh_data m;
    tml_error err = {0};
    assert_int_equal(tmli_mesh_parse((const char *)bytes, 134, "b.stl", NULL, &m, &err), TML_OK);
    assert_int_equal(m.triangle_count, 1);
    assert_int_equal(m.vertex_count, 3);
    CHECK_CLOSE(m.vertex[7], -3, 0);
    tmli_mesh_data_clear(&m, NULL);
}

static void obj(void **state)
{
    (void)state;
    const char text[] = "# quad and triangle\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0.5\nvn 0 0 1\n"
                        "f 1//1 2//1 3//1 4//1\nf -1 -2 -3\n";
    tmli_mesh_data m;
    tml_error err = {0};
    assert_int_equal(tmli_mesh_parse(text, sizeof text - 1, "a.obj", NULL, &m, &err), TML_OK);
    const int expected[9] = {0, 1, 2, 0, 2, 3, 3, 2, 1};
    assert_int_equal(m.triangle_count, 3);
    assert_memory_equal(m.triangle, expected, sizeof expected);
    tmli_mesh_data_clear(&m, NULL);
}

static void bad_meshes(void **state)
{
    (void)state;
    static const struct {
        const char *text, *word;
    } bad[] = {{"v 0 0\nf 1 1 1\n", "line 1: expected three numbers"},
               {"v 0 0 0\nf 1 2 3\n", "line 2: there is no vertex 2"},
               {"v 0 0 0\nv 1 0 0\nf 1 2\n", "line 3: a face has three"},
               {"nothing", "has no triangles"},
               {"", "has no triangles"},
               {"solid x\nvertex 1 2 e\n", "line 2: expected three numbers"},
               {"v 1e99 0 0\n", "not a finite number"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tmli_mesh_data m;
        tml_error err = {0};
        assert_int_equal(tmli_mesh_parse(bad[i].text, strlen(bad[i].text), "m", NULL, &m, &err),
                         TML_ERR_SYNTAX);
        if (!strstr(err.msg, bad[i].word)) fail_msg("%s: %s", bad[i].word, err.msg);
        assert_null(m.vertex);
    }
}

static tml_scene *scene_of(const char *text, tml_status expected, tml_error *err)
{
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_scene *scene = NULL;
    if (tml_spec_parse(text, strlen(text), "text.yaml", NULL, 0, NULL, &spec, err) != TML_OK ||
        tml_model_build(spec, &model, err) != TML_OK)
        fail_msg("%s", err->msg);
    assert_int_equal(tml_scene_create(spec, model, NULL, &scene, err), expected);
    tml_model_destroy(model);
    tml_spec_destroy(spec);
    return scene;
}

// A joint given by a point in space is a place on each of its bodies; hidden shapes are left out.
static void places(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_scene *scene =
        scene_of("bodies:\n"
                 "  arm: {mass: 2, inertia: 1, position: [1, 2, 3], shape: {type: torus, radius: "
                 "0.5, tube: 0.125, axis: [1, 0, 0], colour: gold, opacity: 0.5}}\n"
                 "joints:\n"
                 "  pin: {type: revolute, a: ground, b: arm, point: [1, 2, 5], axis: [0, 0, 1]}\n"
                 "forces:\n"
                 "  s: {type: spring, a: ground, b: arm, stiffness: 3, damping: 1}\n"
                 "shapes:\n"
                 "  secret: {type: sphere, radius: 1, at: arm, hidden: true}\n",
                 TML_OK, &err);
    const char *text = tml_scene_text(scene);
    static const char *const words[] = {
        "\"name\":\"pin\",\"type\":\"revolute\",\"a\":{\"body\":-1,\"p\":[1,2,5]",
        "\"b\":{\"body\":0,\"p\":[0,0,2]",
        "\"type\":\"torus\",\"at\":{\"body\":0,\"p\":[0,0,0],\"q\":[0.5,0.5,0.5,0.5]",
        "\"radius\":0.5,\"tube\":0.125,\"colour\":\"gold\",\"opacity\":0.5",
        "\"name\":\"s\",\"type\":\"spring\",\"a\":{\"body\":-1,\"p\":[0,0,0]",
        "\"spring\":true,\"damper\":true",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strstr(text, words[i])) fail_msg("%s\nnot in %s", words[i], text);
    assert_null(strstr(text, "secret"));
    tml_scene_destroy(scene);
}

// The object of `text` that begins with the name `name`, up to the next name.
static void joint_text(const char *text, const char *name, char out[400])
{
    char head[64];
    snprintf(head, sizeof head, "{\"name\":\"%s\"", name);
    const char *at = strstr(strstr(text, "\"joints\":["), head);
    if (!at) fail_msg("no %s in %s", name, text);
    const char *end = strstr(at + 1, "{\"name\""), *last = strstr(at, "],\"forces\"");
    if (!end || end > last) end = last;
    snprintf(out, 400, "%.*s", (int)(end - at), at);
}

// Models have joints between frames first, whatever their order in the file: every joint has its own keys.
static void joints_have_their_own_keys(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_scene *scene =
        scene_of("planar: true\n"
                 "bodies:\n"
                 "  a: {mass: 2, inertia: 1}\n"
                 "  b: {mass: 2, inertia: 1, position: [1, 0]}\n"
                 "  c: {mass: 2, inertia: 1, position: [2, 0]}\n"
                 "joints:\n"
                 "  motor: {type: driver, of: pin_a.angle, motion: 3*t}\n"
                 "  pin_a: {type: revolute, a: ground, b: a, point: [0, 0]}\n"
                 "  mesh: {type: gear, first: pin_a.angle, second: pin_b.angle, ratio: -2.5}\n"
                 "  pin_b: {type: revolute, a: ground, b: b, point: [1, 0], stiffness: 7}\n"
                 "  bar: {type: rack, first: slide.distance, second: pin_b.angle, ratio: 0.25}\n"
                 "  slide: {type: prismatic, a: ground, b: c, axis: [1, 0]}\n",
                 TML_OK, &err);
    static const struct {
        const char *joint, *keys[3];
    } expected[] = {
        {"pin_a", {NULL}},
        {"pin_b", {"\"spring\":true"}},
        {"slide", {NULL}},
        {"motor", {"\"of\":\"pin_a.angle\""}},
        {"mesh", {"\"first\":\"pin_a.angle\"", "\"second\":\"pin_b.angle\"", "\"ratio\":-2.5"}},
        {"bar", {"\"first\":\"slide.distance\"", "\"second\":\"pin_b.angle\"", "\"ratio\":0.25"}}};
    static const char *const all[] = {"\"first\"", "\"second\"", "\"of\"",
                                      "\"ratio\"", "\"radius\"", "\"spring\""};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        char text[400];
        joint_text(tml_scene_text(scene), expected[i].joint, text);
        size_t wanted = 0, found = 0;
        for (int k = 0; k < 3 && expected[i].keys[k]; k++, wanted++)
            if (!strstr(text, expected[i].keys[k])) fail_msg("no %s in %s", expected[i].keys[k], text);
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) found += strstr(text, all[k]) != NULL;
        if (found != wanted) fail_msg("%zu keys, expected %zu, in %s", found, wanted, text);
    }
    tml_scene_destroy(scene);
}

static void beams_and_roads(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_scene *scene =
        scene_of("beams:\n"
                 "  mast: {position: [0, 0, 0], end: [1, 0, 0], elements: 2, order: 1, type: rectangle, "
                 "width: 0.01, height: 0.02, material: steel}\n"
                 "joints:\n"
                 "  root: {type: fixed, a: ground, b: mast.start}\n"
                 "roads:\n"
                 "  way: {type: step, position: 3, height: 0.5}\n"
                 "  hill: {type: table, table: [[0, 0], [2, 1]], interpolation: linear}\n",
                 TML_OK, &err);
    const char *text = tml_scene_text(scene);
    if (!strstr(text, "\"section\":\"rectangle\",\"width\":0.01,\"height\":0.02,\"elements\":2,\"order\":1,"
                      "\"nodes\":[0,1,2]"))
        fail_msg("%s", text);
    if (!strstr(text, "\"profile\":[3,0,3,0.5]")) fail_msg("%s", text);
    if (!strstr(text, "\"profile\":[0,0,0.5,0.25,1,0.5,1.5,0.75,2,1]")) fail_msg("%s", text);
    tml_scene_destroy(scene);
}

static void missing_mesh(void **state)
{
    (void)state;
    tml_error err = {0};
    const tml_scene *scene = scene_of("bodies:\n"
                                      "  arm: {mass: 2, inertia: 1, shape: {type: mesh, file: none.stl}}\n",
                                      TML_ERR_IO, &err);
    assert_null(scene);
    assert_int_equal(err.line, 2);
    assert_non_null(strstr(err.msg, "none.stl"));
    tml_scene_destroy(NULL);
    assert_null(tml_scene_text(NULL));
    assert_int_equal(tml_scene_create(NULL, NULL, NULL, NULL, &err), TML_ERR_ARG);
}

// Places of a model that stands far away count from its origin.
static void far_away(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_scene *scene =
        scene_of("ground: {frames: {eye: [3000000, 0, 2]}}\n"
                 "bodies: {arm: {mass: 2, inertia: 1, position: [3000000, 0, 1]}}\n"
                 "joints: {pin: {type: spherical, a: ground, b: arm, point: [3000000, 0, 2]}}\n"
                 "forces: {s: {type: spring, a: ground.eye, b: arm, stiffness: 3}}\n",
                 TML_OK, &err);
    const char *text = tml_scene_text(scene);
    static const char *const words[] = {
        "\"origin\":[3000000,0,1.5]",
        "\"q\":[0,0,-0.5,1,0,0,0]",
        "\"name\":\"eye\",\"at\":{\"body\":-1,\"p\":[0,0,0.5]",
        "\"name\":\"pin\",\"type\":\"spherical\",\"a\":{\"body\":-1,\"p\":[0,0,0.5]",
        "\"b\":{\"body\":0,\"p\":[0,0,1]",
        "\"name\":\"s\",\"type\":\"spring\",\"a\":{\"body\":-1,\"p\":[0,0,0.5]",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strstr(text, words[i])) fail_msg("no %s in %s", words[i], text);
    tml_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {

        cmocka_unit_test(stl_text),
        cmocka_unit_test(stl_binary),
        cmocka_unit_test(obj),
        cmocka_unit_test(bad_meshes),
        cmocka_unit_test(places),
        cmocka_unit_test(missing_mesh),
        cmocka_unit_test(beams_and_roads),
        cmocka_unit_test(joints_have_their_own_keys),
        cmocka_unit_test(far_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
