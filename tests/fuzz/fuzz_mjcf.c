// MJCF files made of tables of elements and attributes: every byte of the input is a decision. So the fuzzer
// meets whole robots with values of the right kind, and with wrong ones, in place of texts that are no XML.
// With FUZZ_PRINT in the environment the texts are printed.
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "fuzz/robot.h"

enum { ROOM = 16384, DEPTH = 4 };

typedef struct input {
    const uint8_t *data;
    size_t size;
    char text[ROOM];
    size_t used;
    int names;
} input;

// Attributes "KEY:KIND": a digit is that many numbers; N a name of its own, of the kind that follows (b body,
// j joint, g geom, s site, t tendon, m mesh, M material); R a name of others of that kind; B truth; C class;
// F file; I a small integer; other letters a list of words.
typedef struct element {
    const char *tag, *attributes, *children;  // children: tags
} element;

#define PLACE "pos:3 quat:4 euler:3 axisangle:4 xyaxes:6 zaxis:3 "
#define ACTUATOR                                                                                       \
    "joint:Rj jointinparent:Rj tendon:Rt site:Rs refsite:Rs body:Rb gear:6 ctrlrange:2 ctrllimited:B " \
    "forcerange:2 forcelimited:B kp:1 kv:1 dampratio:1 timeconst:1 gainprm:3 biasprm:3 gaintype:y "    \
    "biastype:y dyntype:y dynprm:3 inheritrange:1 actrange:2 actlimited:B lengthrange:2 class:C name:Na"
#define BODIES "body joint joint freejoint inertial geom geom site frame camera body"
#define ACTUATORS "motor position velocity general damper cylinder muscle intvelocity adhesion plugin"

static const element ELEMENTS[] = {
    {"mujoco", "model:Nb",
     "compiler option default asset worldbody worldbody tendon equality actuator "
     "keyframe contact sensor include"},
    {"compiler",
     "angle:a autolimits:B coordinate:c eulerseq:e meshdir:F assetdir:F inertiafromgeom:B "
     "inertiagrouprange:2 settotalmass:1 boundmass:1 boundinertia:1 balanceinertia:B",
     ""},
    {"option", "gravity:3 timestep:1 integrator:i density:1 wind:3", ""},
    {"default", "class:C", "joint geom mesh site default general motor position tendon material equality"},
    {"asset", "", "mesh material texture hfield"},
    {"mesh", "name:Nm file:F scale:3 vertex:9 refpos:3 refquat:4 class:C", ""},
    {"material", "name:NM rgba:4 class:C", ""},
    {"hfield", "name:Nm file:F size:4", ""},
    {"worldbody", "", "body body geom site frame light"},
    {"body", "name:Nb childclass:C mocap:B gravcomp:1 " PLACE, BODIES},
    {"frame", "name:Nb childclass:C " PLACE, BODIES},
    {"joint",
     "name:Nj type:j axis:3 pos:3 range:2 limited:B stiffness:1 damping:1 armature:1 frictionloss:1 "
     "springref:1 ref:1 class:C actuatorfrcrange:2 actuatorfrclimited:B springdamper:2 joint1:Rj joint2:Rj "
     "polycoef:5 active:B joint:Rj coef:1",
     ""},
    {"freejoint", "name:Nj", ""},
    {"inertial", "mass:1 diaginertia:3 fullinertia:6 " PLACE, ""},
    {"geom",
     "name:Ng type:g size:3 fromto:6 mass:1 density:1 mesh:Rm rgba:4 material:RM class:C group:I contype:I "
     "conaffinity:I " PLACE,
     ""},
    {"site", "name:Ns size:1 site:Rs class:C " PLACE, ""},
    {"camera", "name:Ns " PLACE, ""},
    {"light", "pos:3", ""},
    {"tendon", "stiffness:1 damping:1", "fixed fixed spatial"},
    {"fixed", "name:Nt range:2 limited:B stiffness:1 damping:1 frictionloss:1 springlength:2 class:C",
     "joint joint joint"},
    {"spatial", "name:Nt range:2 limited:B stiffness:1 damping:1 springlength:2 class:C", "site site geom"},
    {"equality", "solref:2", "connect weld joint tendon"},
    {"connect", "body1:Rb body2:Rb anchor:3 site1:Rs site2:Rs active:B name:Ne class:C", ""},
    {"weld", "body1:Rb body2:Rb relpose:7 anchor:3 site1:Rs site2:Rs active:B name:Ne", ""},
    {"actuator", "", ACTUATORS},
    {"motor", ACTUATOR, ""},
    {"position", ACTUATOR, ""},
    {"velocity", ACTUATOR, ""},
    {"general", ACTUATOR, ""},
    {"damper", ACTUATOR, ""},
    {"cylinder", ACTUATOR, ""},
    {"muscle", ACTUATOR, ""},
    {"intvelocity", ACTUATOR, ""},
    {"adhesion", ACTUATOR, ""},
    {"plugin", ACTUATOR, ""},
    {"keyframe", "", "key"},
    {"key", "name:Nk qpos:7 qvel:6 ctrl:2", ""},
    {"contact", "", "geom"},
    {"sensor", "", "site"},
    {"include", "file:F", ""},
};

// A decision between n > 0 alternatives; 0 at the end of the input.
static int choose(input *in, int n)
{
    if (in->size == 0) return 0;
    in->size--;
    return *in->data++ % n;
}

static void put(input *in, const char *text, size_t n)
{
    if (in->used + n >= ROOM) return;
    memcpy(in->text + in->used, text, n);
    in->used += n;
}

static void say(input *in, const char *text) { put(in, text, strlen(text)); }

// A word of a list that blanks separate.
static void put_word(input *in, const char *list, int index)
{
    for (; index > 0 && strchr(list, ' '); index--) list = strchr(list, ' ') + 1;
    put(in, list, strcspn(list, " "));
}

static void put_numbers(input *in, int count)
{
    static const char usual[] = "0 1 0.731 -0.37 2.5 0.05 -1 0.2";
    static const char odd[] = "1e-9 1e300 -1e300 inf nan 1e999 x 0x1p3 5e-324 1_0 1e16 +";
    const int other = choose(in, 24);
    if (other == 23) count--;
    if (other == 22) count++;
    for (int i = 0; i < count; i++) {
        if (i) say(in, " ");
        if (choose(in, 24) == 23) put_word(in, odd, choose(in, 12));
        else put_word(in, usual, choose(in, 8));
    }
}

static void put_name(input *in, char kind, int number)
{
    static const char odd[] = "ground world main &#x202e; &quot;a&#10;b t a.b ../c j0.angle {}";
    char name[16];
    if (choose(in, 24) == 23) {
        put_word(in, odd, choose(in, 10));
        return;
    }
    snprintf(name, sizeof name, "%c%d", kind, number);
    say(in, name);
}

static void put_choice(input *in, const char *list)
{
    int n = 1;
    for (const char *c = list; *c; c++) n += *c == ' ';
    put_word(in, list, choose(in, n));
}

static void put_value(input *in, const char *kind)
{
    switch (kind[0]) {
    case 'N': put_name(in, kind[1], choose(in, 16) == 15 ? 0 : in->names++ % 8); break;
    case 'R': put_name(in, kind[1], choose(in, 8)); break;
    case 'B': put_choice(in, "true false auto 1"); break;
    case 'C': put_choice(in, "main c0 c1 gone"); break;
    case 'F': put_choice(in, "a.stl ../b.obj /etc/passwd m.msh more.xml &#x85;.stl"); break;
    case 'I': put_choice(in, "0 1 2 3 -1 x"); break;
    case 'a': put_choice(in, "radian degree turns"); break;
    case 'c': put_choice(in, "local global"); break;
    case 'e': put_choice(in, "xyz ZYX zyx XYx xxx"); break;
    case 'g': put_choice(in, "sphere capsule box cylinder ellipsoid plane mesh hfield sdf ball"); break;
    case 'i': put_choice(in, "Euler RK4 implicit"); break;
    case 'j': put_choice(in, "hinge slide ball free screw"); break;
    case 'y': put_choice(in, "fixed affine none integrator filter muscle user"); break;
    default: put_numbers(in, kind[0] - '0');
    }
}

static void put_attributes(input *in, const char *a)
{
    const int rarity = 2 + choose(in, 6);
    while (*a) {
        const size_t n = strcspn(a, ":"), all = strcspn(a, " ");
        const bool usual = strchr("NR", a[n + 1]) || strncmp(a, "mass", 4) == 0 ||
                           strncmp(a, "diag", 4) == 0 || strncmp(a, "size", 4) == 0;
        if (usual ? choose(in, 4) != 3 : choose(in, rarity) == 1) {
            say(in, " ");
            put(in, a, n);
            say(in, "=\"");
            put_value(in, a + n + 1);
            say(in, "\"");
        }
        a += all + (a[all] == ' ');
    }
}

static void put_element(input *in, const char *tag, size_t length, int depth)
{
    const element *e = NULL;
    for (size_t i = 0; i < sizeof ELEMENTS / sizeof *ELEMENTS && !e; i++)
        if (strlen(ELEMENTS[i].tag) == length && memcmp(ELEMENTS[i].tag, tag, length) == 0) e = &ELEMENTS[i];
    say(in, "<");
    put(in, tag, length);
    if (e) put_attributes(in, e->attributes);
    if (!e || !e->children[0] || depth == 0) {
        say(in, "/>\n");
        return;
    }
    say(in, ">");
    for (const char *c = e->children; *c;) {
        const size_t n = strcspn(c, " ");
        if (choose(in, 2)) put_element(in, c, n, depth - 1);
        c += n + (c[n] == ' ');
    }
    say(in, "</");
    put(in, tag, length);
    say(in, choose(in, 64) == 63 ? "" : ">\n");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {.data = data, .size = size};
    const unsigned options = (unsigned)choose(&in, 16);
    put_element(&in, "mujoco", 6, DEPTH + 1);
    if (getenv("FUZZ_PRINT")) fwrite(in.text, 1, in.used, stdout);
    run_robot("no-such-folder/robot.xml", in.text, in.used, options);
    return 0;
}
