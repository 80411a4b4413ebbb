// Sections of beams: stiffness about the centre of mass and, per length, mass and inertia.
//
// Strains at the point (y, z) of a section: axial gamma_x + z kappa_y - y kappa_z, shear gamma_y - z kappa_x
// and gamma_z + y kappa_x. Shear forces act at the shear centre (ey, ez), so that with the shear stiffnesses
// GAy, GAz
//   C(gamma_y, kappa_x) = -ez GAy,   C(gamma_z, kappa_x) = ey GAz,
//   C(kappa_x, kappa_x) = GJ + ez^2 GAy + ey^2 GAz                                                        (1)
//   C(kappa_y, kappa_z) = -E Iyz,    Iyz = integral of y z                                                (2)
#include "math/math3.h"
#include "spec/beam_parts.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

typedef struct section {
    double A, Iy, Iz, J;  // area, second moments about y and z, torsion constant [m^2, m^4]
    double ky, kz;        // shear factors
    double Iyz;           // integral of y z
    double ey, ez;        // shear centre
} section;

// Torsion constant of a rectangle with the sides a >= b (Saint-Venant's series).
static double torsion_of_rectangle(double a, double b)
{
    double sum = 0;
    for (int n = 1; n < 40; n += 2) sum += tanh(n * pi * a / (2 * b)) / pow(n, 5);
    return a * b * b * b / 3 * (1 - 192 * b / (pow(pi, 5) * a) * sum);
}

// Two legs that meet at their lower left corner: one along y, of the thickness `flange`, one along z, of the
// thickness `web`. The shear centre is where the middle lines of thin legs meet.
static section section_of_l(const tml_beam_def *d)
{
    const double b = d->width, h = d->height, t = d->flange, w = d->web;
    const double area[2] = {b * t, w * (h - t)};  // the leg along y; the rest of that along z
    const double y[2] = {b / 2, w / 2}, z[2] = {t / 2, (h + t) / 2};
    section s = {.A = area[0] + area[1]};
    const double yc = (area[0] * y[0] + area[1] * y[1]) / s.A, zc = (area[0] * z[0] + area[1] * z[1]) / s.A;
    s.Iy = b * t * t * t / 12 + w * pow(h - t, 3) / 12;
    s.Iz = t * b * b * b / 12 + (h - t) * w * w * w / 12;
    for (int i = 0; i < 2; i++) {
        s.Iy += area[i] * (z[i] - zc) * (z[i] - zc);
        s.Iz += area[i] * (y[i] - yc) * (y[i] - yc);
        s.Iyz += area[i] * (y[i] - yc) * (z[i] - zc);
    }
    s.J = ((b - w / 2) * t * t * t + (h - t / 2) * w * w * w) / 3;  // thin walls
    s.ky = 5 / 6.0 * b * t / s.A;
    s.kz = 5 / 6.0 * h * w / s.A;
    s.ey = w / 2 - yc;
    s.ez = t / 2 - zc;
    return s;
}

static section section_of(const tml_beam_def *d, double nu)
{
    const double b = d->width, h = d->height, r = d->radius;
    section s = {0};
    if (d->section == TML_SECTION_RECTANGLE) {
        s = (section){.A = b * h, .Iy = b * h * h * h / 12, .Iz = h * b * b * b / 12};
        s.J = torsion_of_rectangle(fmax(b, h), fmin(b, h));
        s.ky = s.kz = 10 * (1 + nu) / (12 + 11 * nu);  // Cowper
    } else if (d->section == TML_SECTION_L) {
        s = section_of_l(d);
    } else if (d->section == TML_SECTION_I) {
        const double t = d->flange, inner = h - 2 * t, w = d->web;
        s.A = 2 * b * t + inner * w;
        s.Iy = (b * h * h * h - (b - w) * inner * inner * inner) / 12;
        s.Iz = (2 * t * b * b * b + inner * w * w * w) / 12;
        s.J = (2 * b * t * t * t + (h - t) * w * w * w) / 3;  // thin walls
        s.ky = 5 / 6.0 * 2 * b * t / s.A;                     // the flanges carry shear along y
        s.kz = (h - t) * w / s.A;                             // the web that along z
    } else {
        const double i = d->section == TML_SECTION_TUBE ? d->inner_radius : 0, m = i / r;
        const double q = (1 + m * m) * (1 + m * m);
        s.A = pi * (r * r - i * i);
        s.Iy = s.Iz = pi * (pow(r, 4) - pow(i, 4)) / 4;
        s.J = 2 * s.Iy;
        s.ky = s.kz = 6 * (1 + nu) * q / ((7 + 6 * nu) * q + (20 + 12 * nu) * m * m);  // Cowper
    }
    return s;
}

static const double material_values[TML_MATERIALS][3] = {[TML_MATERIAL_NONE] = {NAN, NAN, NAN},
                                                         [TML_MATERIAL_STEEL] = {210e9, 0.3, 7850},
                                                         [TML_MATERIAL_ALUMINIUM] = {70e9, 0.33, 2700},
                                                         [TML_MATERIAL_TITANIUM] = {114e9, 0.34, 4430}};

// Stiffness, mass and inertia of a section that is given by its form and material.
tml_status tmli_beam_complete_section(const tmli_check *c, tml_beam_def *d)
{
    static const char *const key[3] = {"E", "nu", "density"};
    double *const value[3] = {&d->youngs_modulus, &d->poisson, &d->density};
    for (int i = 0; i < 3; i++) {
        if (isnan(*value[i])) *value[i] = material_values[d->material][i];
        if (isnan(*value[i]))
            return tmli_check_fail(c, TML_ERR_MODEL, key[i], "'%s' is missing (or give a material).", key[i]);
    }
    const double E = d->youngs_modulus, nu = d->poisson, G = E / (2 * (1 + nu));
    if (!(nu > -1 && nu <= 0.5))
        return tmli_check_fail(c, TML_ERR_MODEL, "nu", "'nu' is %g, expected a number from -1 to 0.5.", nu);
    if (d->section == TML_SECTION_TUBE && d->inner_radius >= d->radius)
        return tmli_check_fail(c, TML_ERR_MODEL, "inner_radius",
                               "'inner_radius' is %g, expected less than 'radius', %g.", d->inner_radius,
                               d->radius);
    if (d->section == TML_SECTION_I && (2 * d->flange >= d->height || d->web > d->width))
        return tmli_check_fail(c, TML_ERR_MODEL, 2 * d->flange >= d->height ? "flange" : "web",
                               "the parts of the section do not fit into its width %g and height %g.",
                               d->width, d->height);
    if (d->section == TML_SECTION_L && (d->flange >= d->height || d->web >= d->width))
        return tmli_check_fail(c, TML_ERR_MODEL, d->flange >= d->height ? "flange" : "web",
                               "the legs of the section do not fit into its width %g and height %g.",
                               d->width, d->height);
    const section s = section_of(d, nu);
    const double Ay = s.ky * G * s.A, Az = s.kz * G * s.A;
    const double diagonal[6] = {E * s.A,  Ay,      Az, G * s.J + s.ez * s.ez * Ay + s.ey * s.ey * Az,
                                E * s.Iy, E * s.Iz};
    double *const C = d->stiffness6;
    for (int i = 0; i < 6; i++) C[7 * i] = diagonal[i];
    C[6 * 1 + 3] = C[6 * 3 + 1] = -s.ez * Ay;  // (1)
    C[6 * 2 + 3] = C[6 * 3 + 2] = s.ey * Az;
    C[6 * 4 + 5] = C[6 * 5 + 4] = -E * s.Iyz;  // (2)
    d->inertia[5] = -d->density * s.Iyz;
    d->mass = d->density * s.A;
    d->inertia[0] = d->density * (s.Iy + s.Iz);
    d->inertia[1] = d->density * s.Iy;
    d->inertia[2] = d->density * s.Iz;
    return TML_OK;
}

// A symmetric matrix is positive definite: elimination without pivots.
tml_status tmli_beam_check_stiffness(const tmli_check *c, const double *C)
{
    double A[36];
    memcpy(A, C, sizeof A);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < i; k++)
            if (fabs(C[6 * i + k] - C[6 * k + i]) > 1e-9 * sqrt(fabs(C[7 * i] * C[7 * k])))
                return tmli_check_fail(
                    c, TML_ERR_MODEL, "stiffness",
                    "'stiffness' is not symmetric: entries (%d, %d) and (%d, %d) are %g and "
                    "%g.",
                    i + 1, k + 1, k + 1, i + 1, C[6 * i + k], C[6 * k + i]);
    for (int p = 0; p < 6; p++) {
        if (!(A[7 * p] > 1e-12 * C[7 * p]) || !(C[7 * p] > 0))
            return tmli_check_fail(c, TML_ERR_MODEL, "stiffness",
                                   "'stiffness' is not positive definite (entry %d).", p + 1);
        for (int i = p + 1; i < 6; i++)
            for (int k = p + 1; k < 6; k++) A[6 * i + k] -= A[6 * i + p] * A[6 * p + k] / A[7 * p];
    }
    return TML_OK;
}
