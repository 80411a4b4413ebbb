// The beam element in the plane: rotations are angles about z, and sections have the strains
// e = (axial, shear, curvature), components 0, 1 and 5 of those in space. With phi_i = th_i - th_k and
// Q(phi) the rotation by phi,
//   e = (Q(phi)'y'/j, phi'/j) - e0,   dy_i = R_k'(dr_i - dr_k) - (z x y_i) dth_k,   dphi_i = dth_i - dth_k
//                                                                                                         (1)
// Forces f_i = dU/dy_i and g_i = dU/dphi_i become
//   on r_i: R_k f_i;  on th_i: g_i;  on r_k: -sum R_k f_i;  on th_k: sum f_i x y_i - g_i                  (2)
#include "element/beam/section.h"

#include <string.h>

enum { NODES = TMLI_BEAM_NODES, ALL = 3 * NODES, POINT = 4 };
static const int in_plane[3] = {0, 1, 5};  // of six coordinates or strains

typedef struct shape {
    double c, s;                         // R_k
    double y[NODES][2], phi[NODES];      // of (1); 0 at the reference node
    double ydot[NODES][2], rate[NODES];  // their rates, if `moving`
    bool moving;
} shape;

typedef struct section {
    double c, s;  // Q(phi)
    double g[2];  // gamma
    double strain[3], rate[3];
    double dydot[2], phi;  // rates of y' and phi
    double stress[3];
} section;

// R_k'x and R_k x
static inline void to_local(const shape *s, double x, double y, double *out)
{
    out[0] = s->c * x + s->s * y;
    out[1] = -s->s * x + s->c * y;
}
static inline void to_world(const shape *s, const double *x, double *out)
{
    out[0] = s->c * x[0] - s->s * x[1];
    out[1] = s->s * x[0] + s->c * x[1];
}

static void shape_of(const tmli_beam *b, const tmli_pose *node, const double *u, shape *s)
{
    const int k = b->reference;
    const tmli_pose *ref = &node[k];
    s->c = ref->R.m[0];
    s->s = ref->R.m[3];
    s->moving = u && b->eta > 0;
    for (int i = 0; i < b->nodes; i++) {
        const double c = node[i].R.m[0], sn = node[i].R.m[3];
        to_local(s, node[i].r.x - ref->r.x, node[i].r.y - ref->r.y, s->y[i]);
        s->phi[i] = i == k ? 0 : atan2(s->c * sn - s->s * c, s->c * c + s->s * sn);
        if (!s->moving) continue;
        const double w = u[6 * k + 5];
        to_local(s, u[6 * i] - u[6 * k], u[6 * i + 1] - u[6 * k + 1], s->ydot[i]);
        s->ydot[i][0] += w * s->y[i][1];
        s->ydot[i][1] -= w * s->y[i][0];
        s->rate[i] = u[6 * i + 5] - w;
    }
}

static void multiply_stiffness(const tmli_beam *b, const double *x, double *y)
{
    for (int i = 0; i < 3; i++) {
        const double *C = b->C + 6 * in_plane[i];
        y[i] = C[0] * x[0] + C[1] * x[1] + C[5] * x[2];
    }
}

static void section_at(const tmli_beam *b, int g, const shape *s, section *p)
{
    double phi = 0, dphi = 0, dy[2] = {0}, dphidot = 0, *e = p->strain, *rate = p->rate;
    const double j = b->j[g], *N = b->N[g], *dN = b->dN[g];
    for (int i = 0; i < b->nodes; i++) {
        phi += N[i] * s->phi[i];
        dphi += dN[i] * s->phi[i];
        dy[0] += dN[i] * s->y[i][0];
        dy[1] += dN[i] * s->y[i][1];
    }
    p->c = cos(phi);
    p->s = sin(phi);
    p->g[0] = (p->c * dy[0] + p->s * dy[1]) / j;
    p->g[1] = (-p->s * dy[0] + p->c * dy[1]) / j;
    e[0] = p->g[0] - b->e0[g][0];
    e[1] = p->g[1] - b->e0[g][1];
    e[2] = dphi / j - b->e0[g][5];
    if (s->moving) {
        p->phi = p->dydot[0] = p->dydot[1] = 0;
        for (int i = 0; i < b->nodes; i++) {
            p->phi += N[i] * s->rate[i];
            dphidot += dN[i] * s->rate[i];
            p->dydot[0] += dN[i] * s->ydot[i][0];
            p->dydot[1] += dN[i] * s->ydot[i][1];
        }
        rate[0] = (p->c * p->dydot[0] + p->s * p->dydot[1]) / j + p->g[1] * p->phi;
        rate[1] = (-p->s * p->dydot[0] + p->c * p->dydot[1]) / j - p->g[0] * p->phi;
        rate[2] = dphidot / j;
    }
    double total[3];
    for (int i = 0; i < 3; i++) total[i] = e[i] + (s->moving ? b->eta * rate[i] : 0);
    multiply_stiffness(b, total, p->stress);
}

// f (3 per node: dU/dy, dU/dphi) += the forces of the section.
static void add_section_force(const tmli_beam *b, int g, const section *p, double *f)
{
    const double *n = p->stress, w = b->weight[g];
    const double by_phi = w * b->j[g] * (n[0] * p->g[1] - n[1] * p->g[0]), by_dphi = w * n[2],
                 by_dy[2] = {w * (p->c * n[0] - p->s * n[1]), w * (p->s * n[0] + p->c * n[1])};
    for (int i = 0; i < b->nodes; i++) {
        const double N = b->N[g][i], dN = b->dN[g][i];
        f[3 * i] += dN * by_dy[0];
        f[3 * i + 1] += dN * by_dy[1];
        f[3 * i + 2] += N * by_phi + dN * by_dphi;
    }
}

void tmli_beam_planar_force(const tmli_beam *b, const tmli_pose *node, const double *u, double *F)
{
    const int k = b->reference;
    double f[ALL] = {0};
    shape s;
    shape_of(b, node, u, &s);
    for (int g = 0; g < b->nodes - 1; g++) {
        section p;
        section_at(b, g, &s, &p);
        add_section_force(b, g, &p, f);
    }
    for (int i = 0; i < b->nodes; i++) {  // (2)
        const double *fi = f + 3 * i;
        double on_r[2];
        if (i == k) continue;
        to_world(&s, fi, on_r);
        F[6 * i] += on_r[0];
        F[6 * i + 1] += on_r[1];
        F[6 * i + 5] += fi[2];
        F[6 * k] -= on_r[0];
        F[6 * k + 1] -= on_r[1];
        F[6 * k + 5] += fi[0] * s.y[i][1] - fi[1] * s.y[i][0] - fi[2];
    }
}

double tmli_beam_planar_energy(const tmli_beam *b, const tmli_pose *node, const double *u, double *dissipated)
{
    shape s;
    double sum = 0;
    *dissipated = 0;
    shape_of(b, node, u, &s);
    for (int g = 0; g < b->nodes - 1; g++) {
        section p;
        double stress[3];
        section_at(b, g, &s, &p);
        multiply_stiffness(b, p.strain, stress);
        for (int k = 0; k < 3; k++) sum += b->weight[g] * b->j[g] * stress[k] * p.strain[k] / 2;
        if (!s.moving) continue;
        multiply_stiffness(b, p.rate, stress);
        for (int k = 0; k < 3; k++) *dissipated += b->eta * b->weight[g] * b->j[g] * stress[k] * p.rate[k];
    }
    return sum;
}

// ---- tangents ---------------------------------------------------------------------------------------------

// A (4 x 4) += f E'C W, rows of E and W (3 x 4): strains by (phi, phi', y')
static void add_product(const tmli_beam *b, double f, double E[3][POINT], double W[3][POINT],
                        double A[POINT][POINT])
{
    for (int k = 0; k < POINT; k++) {
        double CW[3];
        for (int i = 0; i < 3; i++) {
            const double *C = b->C + 6 * in_plane[i];
            CW[i] = f * (C[0] * W[0][k] + C[1] * W[1][k] + C[5] * W[2][k]);
        }
        for (int i = 0; i < POINT; i++) A[i][k] += E[0][i] * CW[0] + E[1][i] * CW[1] + E[2][i] * CW[2];
    }
}

// K, V: derivatives of the forces of the section by (phi, phi', y') and by their rates.
static void point_tangent(const tmli_beam *b, int g, const section *p, bool moving, double K[POINT][POINT],
                          double V[POINT][POINT])
{
    const double j = b->j[g], c = p->c, s = p->s, *n = p->stress;
    double E[3][POINT] = {{j * p->g[1], 0, c, s}, {-j * p->g[0], 0, -s, c}, {0, 1, 0, 0}};  // j times
    memset(K, 0, POINT * POINT * sizeof(double));
    memset(V, 0, POINT * POINT * sizeof(double));
    add_product(b, 1 / j, E, E, K);
    K[0][0] -= j * (n[0] * p->g[0] + n[1] * p->g[1]);
    const double mixed[2] = {-s * n[0] - c * n[1], c * n[0] - s * n[1]};
    for (int i = 0; i < 2; i++) {
        K[0][2 + i] += mixed[i];
        K[2 + i][0] += mixed[i];
    }
    if (b->eta == 0) return;
    add_product(b, b->eta / j, E, E, V);
    if (!moving) return;
    const double along = c * p->dydot[0] + s * p->dydot[1], across = -s * p->dydot[0] + c * p->dydot[1];
    double W[3][POINT] = {{across - j * p->g[0] * p->phi, 0, -s * p->phi, c * p->phi},
                          {-along - j * p->g[1] * p->phi, 0, -c * p->phi, -s * p->phi},
                          {0}};
    add_product(b, b->eta / j, E, W, K);
}

// A (3 per node, ALL wide) += the tangent P of Gauss point g.
static void spread(const tmli_beam *b, int g, double P[POINT][POINT], double A[ALL][ALL])
{
    for (int r = 0; r < b->nodes; r++) {
        if (r == b->reference) continue;
        const double Nr = b->weight[g] * b->N[g][r], dr = b->weight[g] * b->dN[g][r];
        double row[3][POINT];  // of (y_r, phi_r)
        for (int k = 0; k < POINT; k++) {
            row[0][k] = dr * P[2][k];
            row[1][k] = dr * P[3][k];
            row[2][k] = Nr * P[0][k] + dr * P[1][k];
        }
        for (int c = 0; c < b->nodes; c++) {
            if (c == b->reference) continue;
            const double Nc = b->N[g][c], dc = b->dN[g][c];
            for (int i = 0; i < 3; i++) {
                A[3 * r + i][3 * c] += dc * row[i][2];
                A[3 * r + i][3 * c + 1] += dc * row[i][3];
                A[3 * r + i][3 * c + 2] += Nc * row[i][0] + dc * row[i][1];
            }
        }
    }
}

// out (3 per node, ALL wide) = A J with the variation (1), as columns of the nodes.
static void to_node_columns(const tmli_beam *b, const shape *s, int rows, double A[ALL][ALL],
                            double out[ALL][ALL])
{
    const int k = b->reference;
    for (int r = 0; r < rows; r++) {
        double sum[3] = {0};
        for (int i = 0; i < b->nodes; i++) {
            if (i == k) continue;
            const double *a = A[r] + 3 * i;
            double *o = out[r] + 3 * i;
            to_world(s, a, o);  // a R_k'
            o[2] = a[2];
            sum[0] -= o[0];
            sum[1] -= o[1];
            sum[2] += a[0] * s->y[i][1] - a[1] * s->y[i][0] - a[2];
        }
        memcpy(out[r] + 3 * k, sum, sizeof sum);
    }
}

// H (6 per node, `b` wide) += J'B for rows of B in local coordinates, columns of the nodes.
static void put_rows(const tmli_beam *b, const shape *s, double B[ALL][ALL], double *H)
{
    const int k = b->reference, n = 3 * b->nodes, width = 6 * b->nodes;
    for (int i = 0; i < b->nodes; i++) {
        if (i == k) continue;
        for (int c = 0; c < n; c++) {
            const double a[3] = {B[3 * i][c], B[3 * i + 1][c], B[3 * i + 2][c]};
            double on_r[2], *column = H + 6 * (c / 3) + in_plane[c % 3];
            to_world(s, a, on_r);
            column[(6 * i) * width] += on_r[0];
            column[(6 * i + 1) * width] += on_r[1];
            column[(6 * i + 5) * width] += a[2];
            column[(6 * k) * width] -= on_r[0];
            column[(6 * k + 1) * width] -= on_r[1];
            column[(6 * k + 5) * width] += a[0] * s->y[i][1] - a[1] * s->y[i][0] - a[2];
        }
    }
}

// H += derivative of (2) by increments at constant f.
static void add_geometric(const tmli_beam *b, const shape *s, const double *f, double *H)
{
    const int k = b->reference, width = 6 * b->nodes;
    for (int i = 0; i < b->nodes; i++) {
        if (i == k) continue;
        const double turned[2] = {-f[3 * i + 1], f[3 * i]};  // z x f
        double Rf[2];
        to_world(s, turned, Rf);
        for (int a = 0; a < 2; a++) {
            H[(6 * i + a) * width + 6 * k + 5] += Rf[a];
            H[(6 * k + a) * width + 6 * k + 5] -= Rf[a];
            H[(6 * k + 5) * width + 6 * i + a] += Rf[a];
            H[(6 * k + 5) * width + 6 * k + a] -= Rf[a];
        }
        H[(6 * k + 5) * (width + 1)] += turned[0] * s->y[i][1] - turned[1] * s->y[i][0];
    }
}

// K += V times the change of the local rates with the local coordinates; turn (ALL) += that with th_k:
//   d(ydot_i) = -(z x R_k'v) dth_k - w_k z x dy_i,   v = v_i - v_k
static void add_rate_changes(const tmli_beam *b, const shape *s, const double *u, double V[ALL][ALL],
                             double K[ALL][ALL], double *turn)
{
    const int k = b->reference;
    const double w = u[6 * k + 5];
    for (int i = 0; i < b->nodes; i++) {
        double v[2];
        if (i == k) continue;
        to_local(s, u[6 * i] - u[6 * k], u[6 * i + 1] - u[6 * k + 1], v);
        for (int r = 0; r < 3 * b->nodes; r++) {
            const double *a = V[r] + 3 * i;
            K[r][3 * i] -= w * a[1];
            K[r][3 * i + 1] += w * a[0];
            turn[r] += a[0] * v[1] - a[1] * v[0];
        }
    }
}

void tmli_beam_planar_tangent(const tmli_beam *b, const tmli_pose *node, const double *u, double *H,
                              double *D)
{
    const int n = 3 * b->nodes, k = b->reference;
    double f[ALL] = {0}, A[ALL][ALL], V[ALL][ALL], B[ALL][ALL], turn[ALL] = {0};
    shape s;
    shape_of(b, node, u, &s);
    memset(A, 0, sizeof A);
    memset(V, 0, sizeof V);
    for (int g = 0; g < b->nodes - 1; g++) {
        section p;
        double K[POINT][POINT], W[POINT][POINT];
        section_at(b, g, &s, &p);
        add_section_force(b, g, &p, f);
        point_tangent(b, g, &p, s.moving, K, W);
        spread(b, g, K, A);
        if (b->eta > 0) spread(b, g, W, V);
    }
    if (s.moving) add_rate_changes(b, &s, u, V, A, turn);
    to_node_columns(b, &s, n, A, B);
    for (int r = 0; r < n; r++) B[r][3 * k + 2] += turn[r];
    put_rows(b, &s, B, H);
    add_geometric(b, &s, f, H);
    if (b->eta == 0) return;
    to_node_columns(b, &s, n, V, B);
    put_rows(b, &s, B, D);
}
