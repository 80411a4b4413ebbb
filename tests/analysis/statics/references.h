// Displacements of the tips of cantilevers: solutions of the boundary-value problem of the geometrically
// exact beam by shooting in quadruple precision.
#ifndef TMLI_TESTS_ANALYSIS_STATICS_REFERENCES_H
#define TMLI_TESTS_ANALYSIS_STATICS_REFERENCES_H

#include "analysis/statics/cantilever.h"

typedef enum beam_kind {
    ELASTICA,  // inextensible, L = EI = 1, force along y
    BEND0,
    BEND1,
    BEND2,
    BEND3,    // Bathe and Bolourchi: four sets of stiffnesses, force along z
    GERADIN,  // force along -z
    THICK,    // Nachbagauer et al.: a thick beam, force along y
    PRINCETON,
    PRINCETON2  // two sections; angle of the force
} beam_kind;

static const struct {
    const char *label;
    beam_kind kind;
    double load, angle;  // [N], [deg]
    double u[3];         // [m]
} references[] = {
    {"elastica 1", ELASTICA, 1.0, 0, {-0.056433236283377, 0.301720773799814, 0.000000000000000}},
    {"elastica 2", ELASTICA, 2.0, 0, {-0.160641720825167, 0.493457480396712, 0.000000000000000}},
    {"elastica 3", ELASTICA, 3.0, 0, {-0.254420184564187, 0.603253441129977, 0.000000000000000}},
    {"elastica 4", ELASTICA, 4.0, 0, {-0.328941242246846, 0.669964181277667, 0.000000000000000}},
    {"elastica 5", ELASTICA, 5.0, 0, {-0.387628360724430, 0.713791523611913, 0.000000000000000}},
    {"elastica 6", ELASTICA, 6.0, 0, {-0.434588828681905, 0.744571148889515, 0.000000000000000}},
    {"elastica 7", ELASTICA, 7.0, 0, {-0.472927428386337, 0.767369099740463, 0.000000000000000}},
    {"elastica 8", ELASTICA, 8.0, 0, {-0.504827732133532, 0.784982374953315, 0.000000000000000}},
    {"elastica 9", ELASTICA, 9.0, 0, {-0.531820562672527, 0.799055527470840, 0.000000000000000}},
    {"elastica 10", ELASTICA, 10.0, 0, {-0.554995597753751, 0.810609024880296, 0.000000000000000}},
    {"bend of 45 deg, variant 0, 300",
     BEND0,
     300.0,
     0,
     {-11.931555628971947, 7.044540935977549, 40.191891670150518}},
    {"bend of 45 deg, variant 0, 450",
     BEND0,
     450.0,
     0,
     {-18.472120107499764, 10.781142955975764, 48.502927344140894}},
    {"bend of 45 deg, variant 0, 600",
     BEND0,
     600.0,
     0,
     {-23.560239545025739, 13.604521347306486, 53.474858791825127}},
    {"bend of 45 deg, variant 1, 300",
     BEND1,
     300.0,
     0,
     {-11.931780788679984, 7.044642454669452, 40.192392332295252}},
    {"bend of 45 deg, variant 1, 450",
     BEND1,
     450.0,
     0,
     {-18.472416271932204, 10.781257005753095, 48.503491531813998}},
    {"bend of 45 deg, variant 1, 600",
     BEND1,
     600.0,
     0,
     {-23.560581878312716, 13.604632402365576, 53.475477998225048}},
    {"bend of 45 deg, variant 2, 300",
     BEND2,
     300.0,
     0,
     {-12.174495795064416, 7.176564095923405, 40.479963555418846}},
    {"bend of 45 deg, variant 2, 450",
     BEND2,
     450.0,
     0,
     {-18.740685771621186, 10.919895236732523, 48.704580303207393}},
    {"bend of 45 deg, variant 2, 600",
     BEND2,
     600.0,
     0,
     {-23.818489270242308, 13.731397477883076, 53.607232386275810}},
    {"bend of 45 deg, variant 3, 300",
     BEND3,
     300.0,
     0,
     {-11.932364257192346, 7.044980335476908, 40.193266442704983}},
    {"bend of 45 deg, variant 3, 450",
     BEND3,
     450.0,
     0,
     {-18.473108785819588, 10.781646734470271, 48.504242138850617}},
    {"bend of 45 deg, variant 3, 600",
     BEND3,
     600.0,
     0,
     {-23.561296785714792, 13.605023009644427, 53.476108140282349}},
    {"Geradin and Cardona", GERADIN, 600e3, 0, {-0.596471272235171, 0.000000000000000, -2.159693894490080}},
    {"Nachbagauer", THICK, 6.25e7, 0, {-0.150971144239293, 0.710568597853645, 0.000000000000000}},
    {"Nachbagauer, small load", THICK, 6.25e4, 0, {-0.000000188849164, 0.000809903253977, 0.000000000000000}},
    {"Princeton 4.448 N, 0 deg",
     PRINCETON,
     4.448,
     0,
     {-0.000033914395877, 0.000000000000000, 0.005359539372303}},
    {"Princeton 4.448 N, 15 deg",
     PRINCETON,
     4.448,
     15,
     {-0.000543791182085, 0.020801395117414, 0.005210157534463}},
    {"Princeton 4.448 N, 30 deg",
     PRINCETON,
     4.448,
     30,
     {-0.001916839678782, 0.039949985968510, 0.004751073377756}},
    {"Princeton 4.448 N, 45 deg",
     PRINCETON,
     4.448,
     45,
     {-0.003746980861372, 0.056056004856903, 0.003965164595317}},
    {"Princeton 4.448 N, 60 deg",
     PRINCETON,
     4.448,
     60,
     {-0.005527197951102, 0.068130099525519, 0.002862209210896}},
    {"Princeton 4.448 N, 75 deg",
     PRINCETON,
     4.448,
     75,
     {-0.006800283469967, 0.075572573307196, 0.001502996507225}},
    {"Princeton 4.448 N, 90 deg",
     PRINCETON,
     4.448,
     90,
     {-0.007260121247077, 0.078082976974153, 0.000000000000000}},
    {"Princeton 8.896 N, 0 deg",
     PRINCETON,
     8.896,
     0,
     {-0.000135580026392, 0.000000000000000, 0.010715402199233}},
    {"Princeton 8.896 N, 15 deg",
     PRINCETON,
     8.896,
     15,
     {-0.002240889777259, 0.042125845954068, 0.010625769125876}},
    {"Princeton 8.896 N, 30 deg",
     PRINCETON,
     8.896,
     30,
     {-0.007661002699220, 0.079457222664473, 0.010147256354658}},
    {"Princeton 8.896 N, 45 deg",
     PRINCETON,
     8.896,
     45,
     {-0.014389658959851, 0.109043083125001, 0.008888885967019}},
    {"Princeton 8.896 N, 60 deg",
     PRINCETON,
     8.896,
     60,
     {-0.020473649844669, 0.129925260188529, 0.006654390169561}},
    {"Princeton 8.896 N, 75 deg",
     PRINCETON,
     8.896,
     75,
     {-0.024584443001244, 0.142216289448697, 0.003568908306230}},
    {"Princeton 8.896 N, 90 deg",
     PRINCETON,
     8.896,
     90,
     {-0.026024802733514, 0.146261896415101, 0.000000000000000}},
    {"Princeton 13.345 N, 0 deg",
     PRINCETON,
     13.345,
     0,
     {-0.000304810397727, 0.000000000000000, 0.016065128986573}},
    {"Princeton 13.345 N, 15 deg",
     PRINCETON,
     13.345,
     15,
     {-0.005298505302773, 0.064497284179585, 0.016502906523682}},
    {"Princeton 13.345 N, 30 deg",
     PRINCETON,
     13.345,
     30,
     {-0.017163826065659, 0.117903922300328, 0.016778053727133}},
    {"Princeton 13.345 N, 45 deg",
     PRINCETON,
     13.345,
     45,
     {-0.030361782901839, 0.156589872115108, 0.015342348455643}},
    {"Princeton 13.345 N, 60 deg",
     PRINCETON,
     13.345,
     60,
     {-0.041207236321657, 0.181923439992722, 0.011716496169942}},
    {"Princeton 13.345 N, 75 deg",
     PRINCETON,
     13.345,
     75,
     {-0.048075565739771, 0.196127059496721, 0.006328484492384}},
    {"Princeton 13.345 N, 90 deg",
     PRINCETON,
     13.345,
     90,
     {-0.050406669704180, 0.200695292911793, 0.000000000000000}},
    {"Princeton, other section, 8.896 N, 0 deg",
     PRINCETON2,
     8.896,
     0,
     {-0.000135516792558, -0.010712764794308, 0.000000000000000}},
    {"Princeton, other section, 8.896 N, 15 deg",
     PRINCETON2,
     8.896,
     15,
     {-0.002248463842192, -0.010643581435628, 0.042192448630419}},
    {"Princeton, other section, 8.896 N, 30 deg",
     PRINCETON2,
     8.896,
     30,
     {-0.007680972105207, -0.010207613789053, 0.079547377120298}},
    {"Princeton, other section, 8.896 N, 45 deg",
     PRINCETON2,
     8.896,
     45,
     {-0.014411824833466, -0.008979196722704, 0.109113115255171}},
    {"Princeton, other section, 8.896 N, 60 deg",
     PRINCETON2,
     8.896,
     60,
     {-0.020486717758922, -0.006742044150677, 0.129957858887551}},
    {"Princeton, other section, 8.896 N, 75 deg",
     PRINCETON2,
     8.896,
     75,
     {-0.024586065535330, -0.003621978705809, 0.142218169895071}},
    {"Princeton, other section, 8.896 N, 90 deg",
     PRINCETON2,
     8.896,
     90,
     {-0.026021482773110, -0.000000000000000, 0.146252357200968}},
    {"Princeton, other section, 13.345 N, 0 deg",
     PRINCETON2,
     13.345,
     0,
     {-0.000304668367080, -0.016061178877362, 0.000000000000000}},
    {"Princeton, other section, 13.345 N, 15 deg",
     PRINCETON2,
     13.345,
     15,
     {-0.005340667767242, -0.016577651973456, 0.064734218006947}},
    {"Princeton, other section, 13.345 N, 30 deg",
     PRINCETON2,
     13.345,
     30,
     {-0.017258922258337, -0.016989798932701, 0.118179534218106}},
    {"Princeton, other section, 13.345 N, 45 deg",
     PRINCETON2,
     13.345,
     45,
     {-0.030452934696078, -0.015621149905967, 0.156774617720784}},
    {"Princeton, other section, 13.345 N, 60 deg",
     PRINCETON2,
     13.345,
     60,
     {-0.041257300595063, -0.011963545832022, 0.182003786208314}},
    {"Princeton, other section, 13.345 N, 75 deg",
     PRINCETON2,
     13.345,
     75,
     {-0.048085612480260, -0.006470335302644, 0.196138733764160}},
    {"Princeton, other section, 13.345 N, 90 deg",
     PRINCETON2,
     13.345,
     90,
     {-0.050401015352526, -0.000000000000000, 0.200683960607989}},
};

static cantilever beam_of(beam_kind kind, double load, double angle, int elements)
{
    const double pi = acos(-1.0), s = sin(angle * pi / 180), c = cos(angle * pi / 180);
    cantilever b = {.elements = elements, .order = 3};
    switch (kind) {
    case ELASTICA: {
        b.length = 1;
        for (int i = 0; i < 6; i++) b.stiffness[i] = i < 3 ? 3e10 : 1;
        b.force[1] = load;
        break;
    }
    case BEND0:
    case BEND1:
    case BEND2:
    case BEND3: {
        const double EI = kind == BEND3 ? 8.333e5 : 1e7 / 12;
        const double GA = kind == BEND1 ? 5e6 * 5 / 6 : kind == BEND3 ? 41.6667e5 : 5e6;
        const double GJ = kind == BEND2 ? 0.1406 * 5e6 : kind == BEND3 ? 8.333e5 : 5e6 / 6;
        b.length = 100 * pi / 4;
        b.curvature[2] = -0.01;
        memcpy(b.stiffness, (const double[6]){1e7, GA, GA, GJ, EI, EI}, sizeof b.stiffness);
        b.force[2] = load;
        break;
    }
    case GERADIN:
        b.length = 5;
        memcpy(b.stiffness, (const double[6]){4.8e8, 3.231e8, 3.231e8, 1e6, 9.346e6, 9.346e6},
               sizeof b.stiffness);
        b.force[2] = -load;
        break;
    case THICK: {
        const double E = 2.07e11, nu = 0.3, A = 0.5 * 0.1, I = 0.1 * 0.125 / 12,
                     GA = 10 * (1 + nu) / (12 + 11 * nu) * E / (2 * (1 + nu)) * A;
        b.length = 2;
        memcpy(b.stiffness, (const double[6]){E * A, GA, GA, E * I, E * I, E * I}, sizeof b.stiffness);
        b.force[1] = load;
        break;
    }
    case PRINCETON:
        b.length = 0.508;
        memcpy(b.stiffness, (const double[6]){2.84191e6, 6.40131e5, 9.03881e5, 3.10338, 36.2794, 2.42873},
               sizeof b.stiffness);
        b.force[1] = load * s;
        b.force[2] = load * c;
        break;
    case PRINCETON2: {
        const double h = 12.3777e-3, w = 3.2024e-3, E = 71.7e9, G = E / (2 * 1.31), Iz = w * h * h * h / 12,
                     Iy = h * w * w * w / 12;
        b.length = 0.508;
        memcpy(b.stiffness,
               (const double[6]){E * h * w, G * h * w, G * h * w, G * 0.198 * (Iy + Iz), E * Iy, E * Iz},
               sizeof b.stiffness);
        b.force[1] = -load * c;
        b.force[2] = load * s;
        break;
    }
    }
    return b;
}

// Compare all references; errors are over the length. Returns the largest one.
static double compare_references(int elements, double allowed)
{
    double worst = 0;
    const size_t stride = less_if_slow("every sixth reference") ? 6 : 1;
    for (size_t i = 0; i < sizeof references / sizeof *references; i += stride) {
        const cantilever c = beam_of(references[i].kind, references[i].load, references[i].angle, elements);
        const result r = solve(&c);
        const double error = error_of(&r, references[i].u, c.length);
        printf("%-40s %3d elements: error %.1e, %d load steps\n", references[i].label, elements, error,
               r.found.steps + 1);
        CHECK_SMALL(error, allowed);
        worst = fmax(worst, error);
    }
    return worst;
}

#endif
