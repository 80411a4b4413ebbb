// The beam element: internal forces, energy, section resultants. Equation numbers as in section.h.
#include "element/beam/section.h"
#include "math/lagrange.h"

#include <string.h>

enum { ALL = 6 * TMLI_BEAM_NODES };

#define G2 0.57735026918962576451  // 1/sqrt(3)
#define G3 0.77459666924148337704  // sqrt(3/5)
static const double gauss_point[TMLI_BEAM_POINTS + 1][TMLI_BEAM_POINTS] = {{0}, {0}, {-G2, G2}, {-G3, 0, G3}};
static const double gauss_weight[TMLI_BEAM_POINTS + 1][TMLI_BEAM_POINTS] = {
    {0}, {2}, {1, 1}, {5 / 9.0, 8 / 9.0, 5 / 9.0}};

// ---- local coordinates ------------------------------------------------------------------------------------

// Rotation vector of a rotation matrix. The logarithm needs no unit quaternion: (1 + trace, ...) is four
// times the scalar part times the quaternion.
static vec3 rotation_vector(const mat3 *P)
{
    const double *m = P->m, trace = m[0] + m[4] + m[8];
    if (!(trace > 0)) return tmli_so3_log(tmli_quat_from_matrix(P));
    return tmli_so3_log((quat){1 + trace, m[7] - m[5], m[2] - m[6], m[3] - m[1]});
}

void tmli_beam_shape_of(const tmli_beam *b, const tmli_pose *node, const double *u, tmli_beam_shape *s)
{
    const int k = b->reference;
    const mat3 Rt = m3_transpose(&node[k].R);
    s->moving = u && b->eta > 0;
    for (int i = 0; i < b->nodes; i++) {
        if (i == k) {
            s->y[i] = s->psi[i] = s->ydot[i] = s->psidot[i] = v3(0, 0, 0);
            continue;
        }
        const mat3 P = m3_mul(&Rt, &node[i].R);
        s->y[i] = m3_mulv(&Rt, v3_sub(node[i].r, node[k].r));
        s->psi[i] = rotation_vector(&P);
        s->S[i] = tmli_so3_tangent_inverse(s->psi[i]);
        if (!s->moving) continue;
        const vec3 w = v3_from(u + 6 * k + 3), v = v3_sub(v3_from(u + 6 * i), v3_from(u + 6 * k));
        s->ydot[i] = v3_add(m3_mulv(&Rt, v), v3_cross(s->y[i], w));
        s->psidot[i] = v3_sub(m3_mulv(&s->S[i], v3_from(u + 6 * i + 3)), m3_tmulv(&s->S[i], w));
    }
    for (int i = 0; i < b->nodes && b->motion; i++) {
        s->d[i] = s->ddot[i] = v3(0, 0, 0);
        if (i == k) continue;
        s->d[i] = m3_tmulv(&s->S[i], s->y[i]);
        s->B[i] = tmli_so3_tangent_inverse_tmulv_dx(s->psi[i], s->y[i]);
        if (s->moving) s->ddot[i] = v3_add(m3_tmulv(&s->S[i], s->ydot[i]), m3_mulv(&s->B[i], s->psidot[i]));
    }
}

// ---- one Gauss point --------------------------------------------------------------------------------------

static void multiply_stiffness(const tmli_beam *b, const double *x, double *y)
{
    for (int i = 0; i < 6; i++) {
        double sum = b->C[7 * i] * x[i];
        for (int k = 0; k < 6 && !b->diagonal; k++) sum += k == i ? 0 : b->C[6 * i + k] * x[k];
        y[i] = sum;
    }
}

static void add_rates(const tmli_beam *b, int g, const tmli_beam_shape *s, tmli_beam_section *c)
{
    const vec3 *xdot = b->motion ? s->ddot : s->ydot;
    c->psidot = c->dpsidot = c->ddot = c->dxdot = v3(0, 0, 0);
    for (int i = 0; i < b->nodes; i++) {
        c->psidot = v3_axpy(b->N[g][i], s->psidot[i], c->psidot);
        c->dpsidot = v3_axpy(b->dN[g][i], s->psidot[i], c->dpsidot);
        c->dxdot = v3_axpy(b->dN[g][i], xdot[i], c->dxdot);
        if (b->motion) c->ddot = v3_axpy(b->N[g][i], xdot[i], c->ddot);
    }
    const mat3 A = tmli_kernel_rate(&c->kernel, 0, c->psidot), B = tmli_kernel_rate(&c->kernel, 1, c->psidot);
    v3_store(v3_add(m3_mulv(&A, c->dx), m3_mulv(&c->G[0], c->dxdot)), c->rate);
    v3_store(v3_add(m3_mulv(&B, c->dpsi), m3_mulv(&c->G[1], c->dpsidot)), c->rate + 3);
    if (b->motion) tmli_beam_motion_rate(c);
    for (int k = 0; k < 6; k++) c->rate[k] /= b->j[g];
}

void tmli_beam_section_at(const tmli_beam *b, int g, const tmli_beam_shape *s, tmli_beam_section *c)
{
    const vec3 *x = b->motion ? s->d : s->y;
    vec3 psi = v3(0, 0, 0);
    c->dpsi = c->dx = c->d = psi;
    for (int i = 0; i < b->nodes; i++) {
        psi = v3_axpy(b->N[g][i], s->psi[i], psi);
        c->dpsi = v3_axpy(b->dN[g][i], s->psi[i], c->dpsi);
        c->dx = v3_axpy(b->dN[g][i], x[i], c->dx);
        if (b->motion) c->d = v3_axpy(b->N[g][i], x[i], c->d);
    }
    c->kernel = tmli_kernel_at(psi);
    c->G[0] = tmli_kernel_matrix(&c->kernel, 0);
    c->G[1] = tmli_kernel_matrix(&c->kernel, 1);
    v3_store(m3_mulv(&c->G[0], c->dx), c->strain);
    v3_store(m3_mulv(&c->G[1], c->dpsi), c->strain + 3);
    if (b->motion) tmli_beam_motion_strain(c);
    const double stretch = 1 / b->j[g];
    double total[6];
    for (int k = 0; k < 6; k++) total[k] = c->strain[k] = c->strain[k] * stretch - b->e0[g][k];
    if (s->moving) {
        add_rates(b, g, s, c);
        for (int k = 0; k < 6; k++) total[k] += b->eta * c->rate[k];
    }
    multiply_stiffness(b, total, c->stress);
}

void tmli_beam_add_section_force(const tmli_beam *b, int g, const tmli_beam_section *c, double *f)
{
    const vec3 n = v3_from(c->stress), m = v3_from(c->stress + 3);
    const vec3 by_psi = v3_add(tmli_kernel_gradient(&c->kernel, 0, c->dx, n),
                               tmli_kernel_gradient(&c->kernel, 1, c->dpsi, m));
    const vec3 by_dpsi = m3_tmulv(&c->G[1], m), by_dy = m3_tmulv(&c->G[0], n);
    for (int i = 0; i < b->nodes; i++) {
        const double N = b->weight[g] * b->N[g][i], dN = b->weight[g] * b->dN[g][i];
        double *fi = f + 6 * i;
        v3_store(v3_axpy(dN, by_dy, v3_from(fi)), fi);
        v3_store(v3_axpy(N, by_psi, v3_axpy(dN, by_dpsi, v3_from(fi + 3))), fi + 3);
    }
}

// ---- the element ------------------------------------------------------------------------------------------

double tmli_beam_init(tmli_beam *b, int nodes, bool motion, const tmli_pose *start)
{
    const int points = nodes - 1;
    tmli_beam_shape s;
    *b = (tmli_beam){.nodes = nodes, .reference = (nodes - 1) / 2, .diagonal = true, .motion = motion};
    tmli_beam_shape_of(b, start, NULL, &s);
    double least = INFINITY, largest = 0;
    for (int g = 0; g < points; g++) {
        tmli_beam_section c;
        tmli_lagrange(nodes, tmli_lobatto_point[nodes], gauss_point[points][g], b->N[g], b->dN[g]);
        b->weight[g] = gauss_weight[points][g];
        b->j[g] = 1;
        tmli_beam_section_at(b, g, &s, &c);
        b->j[g] = v3_norm(motion ? v3_from(c.strain) : c.dx);  // |y'|, in any axes
        least =
            fmin(least, c.strain[0]);  // along the axis of the section: negative where the curve is folded
        largest = fmax(largest, b->j[g]);
        tmli_beam_section_at(b, g, &s, &c);
        memcpy(b->e0[g], c.strain, sizeof b->e0[g]);
    }
    return least / largest;
}

void tmli_beam_set_section(tmli_beam *b, const double C[36], double eta)
{
    memcpy(b->C, C, sizeof b->C);
    b->eta = eta;
    b->diagonal = true;
    for (int i = 0; i < 36; i++) b->diagonal = b->diagonal && (i % 7 == 0 || C[i] == 0);
}

void tmli_beam_force(const tmli_beam *b, const tmli_pose *node, const double *u, double *F)
{
    double f[ALL] = {0};
    tmli_beam_shape s;
    if (b->motion) {
        tmli_beam_dense_force(b, node, u, F);
        return;
    }
    if (b->planar) {
        tmli_beam_planar_force(b, node, u, F);
        return;
    }
    tmli_beam_shape_of(b, node, u, &s);
    for (int g = 0; g < b->nodes - 1; g++) {
        tmli_beam_section c;
        tmli_beam_section_at(b, g, &s, &c);
        tmli_beam_add_section_force(b, g, &c, f);
    }
    tmli_beam_to_nodes(b, node, &s, f, F);
}

double tmli_beam_energy(const tmli_beam *b, const tmli_pose *node, const double *u, double *dissipated)
{
    if (b->planar && !b->motion) return tmli_beam_planar_energy(b, node, u, dissipated);
    tmli_beam_shape s;
    double sum = 0;
    *dissipated = 0;
    tmli_beam_shape_of(b, node, u, &s);
    for (int g = 0; g < b->nodes - 1; g++) {
        tmli_beam_section c;
        double stress[6];
        tmli_beam_section_at(b, g, &s, &c);
        multiply_stiffness(b, c.strain, stress);
        for (int k = 0; k < 6; k++) sum += b->weight[g] * b->j[g] * stress[k] * c.strain[k] / 2;
        if (!s.moving) continue;
        multiply_stiffness(b, c.rate, stress);
        for (int k = 0; k < 6; k++) *dissipated += b->eta * b->weight[g] * b->j[g] * stress[k] * c.rate[k];
    }
    return sum;
}

void tmli_beam_resultants(const tmli_beam *b, const tmli_pose *node, const double *u, double xi,
                          double strain[6], double stress[6])
{
    const int points = b->nodes - 1;
    double N[TMLI_BEAM_POINTS], slope[TMLI_BEAM_POINTS];
    tmli_beam_shape s;
    tmli_beam_shape_of(b, node, u, &s);
    tmli_lagrange(points, gauss_point[points], xi, N, slope);
    memset(strain, 0, 6 * sizeof *strain);
    memset(stress, 0, 6 * sizeof *stress);
    for (int g = 0; g < points; g++) {
        tmli_beam_section c;
        tmli_beam_section_at(b, g, &s, &c);
        for (int k = 0; k < 6; k++) {
            strain[k] += N[g] * c.strain[k];
            stress[k] += N[g] * c.stress[k];
        }
    }
}
