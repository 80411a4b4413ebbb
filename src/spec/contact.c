// Shapes and contacts: what is checked besides the ranges of their fields, and defaults that depend on the
// model.
#include "math/math3.h"
#include "spec/schema.h"

#include <math.h>
#include <string.h>

enum { COLOURS = 15 };
static const char *const colour_names[COLOURS] = {"white",  "silver", "grey",  "black", "red",
                                                  "orange", "yellow", "green", "teal",  "blue",
                                                  "purple", "pink",   "brown", "gold",  "steel"};

static bool is_colour(const char *text)
{
    if (text[0] == '#') {
        const size_t digits = strspn(text + 1, "0123456789abcdefABCDEF");
        return (digits == 3 || digits == 6) && text[1 + digits] == 0;
    }
    for (int i = 0; i < COLOURS; i++)
        if (strcmp(colour_names[i], text) == 0) return true;
    return false;
}

static tml_status check_look(const tmli_check *c, const tml_shape_def *d)
{
    if (!d->colour || is_colour(d->colour)) return TML_OK;
    return tmli_check_fail(c, TML_ERR_MODEL, "colour",
                           "'colour' is '%.60s'%s, expected \"#rrggbb\" or a name such as red, blue, steel.",
                           d->colour, tmli_hint_of(d->colour, colour_names, COLOURS).text);
}

static tml_status check_heights(const tmli_check *c, const tml_shape_def *d)
{
    if (c->planar)
        return tmli_check_fail(c, TML_ERR_MODEL, "type",
                               "height fields are for models in space; in the plane there are profiles.");
    if (d->height_count == 0)
        return tmli_check_fail(c, TML_ERR_MODEL, "type",
                               "a height field needs 'heights', or the 'file' that has them.");
    if (d->columns < 2 || d->height_count % d->columns != 0 || d->height_count / d->columns < 2)
        return tmli_check_fail(c, TML_ERR_MODEL, "heights",
                               "'heights' has %d numbers in rows of %d, expected at least 2 rows of 2.",
                               d->height_count, d->columns);
    return TML_OK;
}

tml_status tmli_spec_check_shape(const tmli_check *c, void *def)
{
    tml_shape_def *const d = def;
    char text[32];
    if (c->planar && d->type == TML_SHAPE_CYLINDER)
        return tmli_check_fail(c, TML_ERR_MODEL, "type",
                               "there are no cylinders in a planar model: a disc is a sphere, and a "
                               "rectangle is a box.");
    if (!c->planar && d->type == TML_SHAPE_PROFILE)
        return tmli_check_fail(c, TML_ERR_MODEL, "type",
                               "profiles are for planar models; in space there are meshes.");
    if (d->type == TML_SHAPE_PROFILE && (d->repeat < 1 || d->repeat > 1000))
        return tmli_check_fail(c, TML_ERR_MODEL, "repeat", "'repeat' is %d, expected 1 to 1000.", d->repeat);
    if (d->type == TML_SHAPE_PROFILE && d->outline != TML_OUTLINE_LINEAR && !isnan(d->rounding))
        return tmli_check_fail(c, TML_ERR_MODEL, "rounding",
                               "'rounding' belongs to the interpolation linear; a spline has no corners.");
    if (d->type == TML_SHAPE_HEIGHT_FIELD) {
        const tml_status st = check_heights(c, d);
        if (st != TML_OK) return st;
    }
    if (d->type == TML_SHAPE_BOX)
        for (int k = 0; k < (c->planar ? 2 : 3); k++)
            if (!(d->edges[k] > 0))
                return tmli_check_fail(c, TML_ERR_MODEL, "size", "edge %d of 'size' is %s, expected > 0.",
                                       k + 1, tmli_dtoa(d->edges[k], text));
    if (!(d->poisson > -1 && d->poisson <= 0.5))
        return tmli_check_fail(c, TML_ERR_MODEL, "poisson",
                               "'poisson' is %s, expected a number from above -1 to 0.5.",
                               tmli_dtoa(d->poisson, text));
    if (d->type == TML_SHAPE_TORUS && d->tube > d->radius)
        return tmli_check_fail(c, TML_ERR_MODEL, "tube", "'tube' is %s, more than the radius of the ring.",
                               tmli_dtoa(d->tube, text));
    const tml_status st = check_look(c, d);
    if (st != TML_OK) return st;
    if (c->planar && !d->has_normal) v3_store(v3(0, 1, 0), d->normal);
    if (c->planar && !d->has_axis && d->type != TML_SHAPE_TORUS) v3_store(v3(1, 0, 0), d->axis);
    v3_store(v3_scale(1 / v3_norm(v3_from(d->normal)), v3_from(d->normal)), d->normal);
    v3_store(v3_scale(1 / v3_norm(v3_from(d->axis)), v3_from(d->axis)), d->axis);
    return TML_OK;
}

static tml_status check_friction(const tmli_check *c, const tml_friction_def *f)
{
    if (f->law == TML_FRICTION_COULOMB)
        return tmli_check_fail(c, TML_ERR_MODEL, "friction",
                               "friction of a compliant contact has the law regularized or lugre; coulomb, "
                               "which sticks exactly, is for joints and rigid contacts.");
    if (!isnan(f->coulomb) || !isnan(f->static_force) || !isnan(f->load) || f->load_of_reaction ||
        !isnan(f->radius))
        return tmli_check_fail(c, TML_ERR_MODEL, "friction",
                               "the load of its friction is the normal force: give 'coefficient', without "
                               "'coulomb', 'static', 'load' and 'radius'.");
    if (isnan(f->coefficient))
        return tmli_check_fail(c, TML_ERR_MODEL, "friction", "its friction lacks the key 'coefficient'.");
    if (!isnan(f->static_coefficient) && f->static_coefficient < f->coefficient)
        return tmli_check_fail(c, TML_ERR_MODEL, "friction",
                               "the static coefficient of friction, %g, is less than that of slip, %g.",
                               f->static_coefficient, f->coefficient);
    if (!isnan(f->static_coefficient) && isnan(f->stribeck))
        return tmli_check_fail(c, TML_ERR_MODEL, "friction",
                               "'static_coefficient' needs 'stribeck', the speed over which it falls.");
    const bool lugre = f->law == TML_FRICTION_LUGRE;
    if (lugre != isnan(f->creep))
        return tmli_check_fail(c, TML_ERR_MODEL, "friction",
                               lugre ? "'creep' belongs to the law regularized."
                                     : "regularized friction needs 'creep', the speed of creep.");
    if (!lugre && !isnan(f->bristle_stiffness))
        return tmli_check_fail(c, TML_ERR_MODEL, "friction", "'bristle_stiffness' belongs to the law lugre.");
    if (lugre && (isnan(f->bristle_stiffness) || !(f->coefficient > 0)))
        return tmli_check_fail(c, TML_ERR_MODEL, "friction",
                               "friction of the law lugre needs 'bristle_stiffness' and a 'coefficient' > "
                               "0.");
    return TML_OK;
}

// Coulomb's law alone: the rows along the surface either hold or are free.
static tml_status check_rigid_friction(const tmli_check *c, const tml_friction_def *f)
{
    if (f->law != TML_FRICTION_COULOMB)
        return tmli_check_fail(c, TML_ERR_MODEL, "friction",
                               "friction of a rigid contact has the law coulomb.");
    if (isnan(f->coefficient))
        return tmli_check_fail(c, TML_ERR_MODEL, "friction", "its friction lacks the key 'coefficient'.");
    if (!isnan(f->coulomb) || !isnan(f->static_force) || !isnan(f->load) || f->load_of_reaction ||
        !isnan(f->radius) || !isnan(f->static_coefficient) || !isnan(f->stribeck) || f->viscous > 0 ||
        !isnan(f->bristle_stiffness) || f->bristle_damping > 0 || !isnan(f->creep))
        return tmli_check_fail(c, TML_ERR_MODEL, "friction",
                               "friction of a rigid contact has the key 'coefficient' alone; the load is its "
                               "normal force.");
    return TML_OK;
}

// A rigid contact has no law of the force.
static tml_status check_rigid(const tmli_check *c, const tml_contact_def *d)
{
    const struct {
        const char *key;
        bool given;
    } foreign[] = {{"stiffness", !isnan(d->stiffness)},  {"exponent", !isnan(d->exponent)},
                   {"damping", !isnan(d->damping)},      {"speed", !isnan(d->speed)},
                   {"rolling", d->rolling > 0},          {"drilling", d->drilling > 0},
                   {"spin_creep", !isnan(d->spin_creep)}};
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (foreign[i].given)
            return tmli_check_fail(c, TML_ERR_MODEL, foreign[i].key,
                                   "'%s' belongs to compliant laws; a rigid contact has 'restitution' and "
                                   "'friction' only.",
                                   foreign[i].key);
    if (isnan(d->restitution))
        return tmli_check_fail(c, TML_ERR_MODEL, "law",
                               "a rigid contact needs 'restitution', from 0 (no rebound) to 1.");
    return d->has_friction ? check_rigid_friction(c, &d->friction) : TML_OK;
}

tml_status tmli_spec_check_contact(const tmli_check *c, void *def)
{
    tml_contact_def *const d = def;
    char text[32];
    if (d->law == TML_CONTACT_RIGID) return check_rigid(c, d);
    if (d->impact != TML_IMPACT_NEWTON)
        return tmli_check_fail(c, TML_ERR_MODEL, "impact", "'impact' belongs to the law rigid.");
    if (!isnan(d->damping) && !isnan(d->restitution))
        return tmli_check_fail(c, TML_ERR_MODEL, "damping", "give either 'damping' or 'restitution'.");
    if (d->restitution == 0)
        return tmli_check_fail(c, TML_ERR_MODEL, "restitution",
                               "'restitution' is 0, which a compliant contact cannot have: give a small "
                               "number such as 0.01.");
    if (d->law != TML_CONTACT_HUNT_CROSSLEY && !isnan(d->exponent))
        return tmli_check_fail(c, TML_ERR_MODEL, "exponent", "'exponent' belongs to the law hunt-crossley.");
    if (d->exponent < 1)
        return tmli_check_fail(c, TML_ERR_MODEL, "exponent", "'exponent' is %s, expected at least 1.",
                               tmli_dtoa(d->exponent, text));
    if (!isnan(d->speed) && (d->law != TML_CONTACT_HUNT_CROSSLEY || isnan(d->restitution)))
        return tmli_check_fail(c, TML_ERR_MODEL, "speed",
                               "'speed' belongs to 'restitution' of the law hunt-crossley.");
    const bool spins = d->rolling > 0 || d->drilling > 0;
    if (spins && isnan(d->spin_creep))
        return tmli_check_fail(c, TML_ERR_MODEL, d->rolling > 0 ? "rolling" : "drilling",
                               "'rolling' and 'drilling' need 'spin_creep', the angular speed of creep.");
    if (!spins && !isnan(d->spin_creep))
        return tmli_check_fail(c, TML_ERR_MODEL, "spin_creep",
                               "'spin_creep' belongs to 'rolling' and 'drilling'.");
    return d->has_friction ? check_friction(c, &d->friction) : TML_OK;
}
