// Islands and sweeps of the contact problem; see cone.h.
#include "linalg/cone/internal.h"

#include <math.h>
#include <string.h>

#include "linalg/cone/constants.h"

// ---- creation ---------------------------------------------------------------------------------------------

void tmli_cone_clear(tmli_cone *c)
{
    const tml_env env = c->env;
    tmli_free_all(&env, c->point, c->v, c->far_at, c->far, c->parent, c->label, c->order, c->begin, c->dense,
                  c->rhs, c->save, c->mode, c->pivot, c->free, c->kept, c->split, c->ball);
    tmli_cone_bodies_clear(&env, &c->bodies);
    *c = (tmli_cone){0};
}

tml_status tmli_cone_create(const tml_env *env, int n, int units, int room, int nfar, int far_room,
                            tmli_cone *out, tml_error *err)
{
    const size_t points = (size_t)room + 1, unknowns = 3 * (size_t)TMLI_CONE_DIRECT;
    *out = (tmli_cone){.env = *env, .n = n, .units = units, .room = room, .nfar = nfar, .far_room = far_room};
    if (tmli_calloc_all(env, TMLI_ARRAY(out->point, points), TMLI_ARRAY(out->v, (size_t)n + 6),
                        TMLI_ARRAY(out->far_at, (size_t)nfar + 1),
                        TMLI_ARRAY(out->far, 3 * (size_t)nfar * (size_t)far_room + 1),
                        TMLI_ARRAY(out->parent, (size_t)units + 1), TMLI_ARRAY(out->label, (size_t)units + 1),
                        TMLI_ARRAY(out->order, points), TMLI_ARRAY(out->begin, points + 1),
                        TMLI_ARRAY(out->dense, unknowns * unknowns), TMLI_ARRAY(out->rhs, 3 * points),
                        TMLI_ARRAY(out->save, 3 * points), TMLI_ARRAY(out->free, (size_t)n + 6),
                        TMLI_ARRAY(out->kept, (size_t)n + 6), TMLI_ARRAY(out->ball, points),
                        TMLI_ARRAY(out->split, 3 * points), TMLI_ARRAY(out->mode, points),
                        TMLI_ARRAY(out->pivot, unknowns)) &&
        tmli_cone_bodies_create(env, units, room, &out->bodies))
        return TML_OK;
    tmli_cone_clear(out);
    return tmli_no_memory(err, "contacts");
}

// ---- a point ----------------------------------------------------------------------------------------------

void tmli_cone_velocity(const tmli_cone *c, const tmli_cone_point *p, double u[3])
{
    u[0] = u[1] = u[2] = 0;
    for (int side = 0; side < 2; side++) {
        if (p->at[side] < 0) continue;
        const double *v = c->v + p->at[side];
        for (int k = 0; k < 3; k++) {
            const double *g = p->G[k] + 6 * side;
            u[k] += (g[0] * v[0] + g[1] * v[1] + g[2] * v[2]) + (g[3] * v[3] + g[4] * v[4] + g[5] * v[5]);
        }
    }
}

void tmli_cone_push(tmli_cone *c, const tmli_cone_point *p, const double dr[3])
{
    for (int side = 0; side < 2; side++) {
        if (p->at[side] < 0) continue;
        double *v = c->v + p->at[side];
        const double *a = p->H[0] + 6 * side, *b = p->H[1] + 6 * side, *d = p->H[2] + 6 * side;
        for (int j = 0; j < 6; j++) v[j] += dr[0] * a[j] + dr[1] * b[j] + dr[2] * d[j];
    }
    if (p->far < 0) return;
    const double *far = c->far + 3 * (size_t)c->nfar * (size_t)p->far;
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < c->nfar && dr[k] != 0; j++)
            c->v[c->far_at[j]] += dr[k] * far[(size_t)k * (size_t)c->nfar + (size_t)j];
}

// Velocity of row i of p by a unit impulse k of q.
static double product(const tmli_cone *c, const tmli_cone_point *p, int i, const tmli_cone_point *q, int k)
{
    double sum = 0;
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2 && p->at[a] >= 0; b++) {
            if (p->at[a] != q->at[b]) continue;
            for (int j = 0; j < 6; j++) sum += p->G[i][6 * a + j] * q->H[k][6 * b + j];
        }
    if (p->far < 0 || q->far < 0) return sum;
    const double *far = c->far + (size_t)c->nfar * (3 * (size_t)q->far + (size_t)k);
    for (int j = 0; j < c->nfar; j++)
        for (int a = 0; a < 2; a++) {
            const int local = c->far_at[j] - p->at[a];
            if (p->at[a] >= 0 && local >= 0 && local < 6) sum += p->G[i][6 * a + local] * far[j];
        }
    return sum;
}

void tmli_cone_block(const tmli_cone *c, const tmli_cone_point *p, const tmli_cone_point *q, double W[9])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) W[3 * i + k] = product(c, p, i, q, k);
}

void tmli_cone_weigh(const tmli_cone *c, tmli_cone_point *p)
{
    static const int row[6] = {0, 0, 0, 1, 1, 2}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int e = 0; e < 6; e++) {
        const int i = row[e], k = column[e];
        p->W[e] = (product(c, p, i, p, k) + product(c, p, k, p, i)) / 2;
    }
    // in the plane there is one tangent: the other one moves nothing
    if (!(p->W[3] > 0)) p->W[3] = p->W[0];
    if (!(p->W[5] > 0)) p->W[5] = p->W[3];
    p->round = p->far < 0 && tmli_cone_is_round(p->W);
}

// ---- islands ----------------------------------------------------------------------------------------------

static int root_of(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static int unit_of(const tmli_cone_point *p) { return p->unit[0] >= 0 ? p->unit[0] : p->unit[1]; }

// c->order: the points that take part, by island, in the order of the first point of each; returns the number
// of islands.
static int find_islands(tmli_cone *c)
{
    int count = 0;
    for (int i = 0; i < c->units; i++) {
        c->parent[i] = i;
        c->label[i] = -1;
    }
    for (int i = 0; i < c->count; i++) {
        const tmli_cone_point *p = &c->point[i];
        if (!p->in || p->unit[0] < 0 || p->unit[1] < 0) continue;
        const int a = root_of(c->parent, p->unit[0]), b = root_of(c->parent, p->unit[1]);
        c->parent[a > b ? a : b] = a > b ? b : a;
    }
    c->begin[0] = 0;
    for (int i = 0; i < c->count; i++) {
        if (!c->point[i].in) continue;
        int *const label = &c->label[root_of(c->parent, unit_of(&c->point[i]))];
        if (*label < 0) {
            *label = count++;
            c->begin[count] = 0;
        }
        c->begin[*label + 1]++;
    }
    for (int i = 0; i < count; i++) c->begin[i + 1] += c->begin[i];
    const int total = c->begin[count];
    for (int i = c->count - 1; i >= 0; i--) {
        if (!c->point[i].in) continue;
        c->order[--c->begin[c->label[root_of(c->parent, unit_of(&c->point[i]))] + 1]] = i;
    }
    // begin[i + 1] is now the first of island i
    for (int i = 0; i < count; i++) c->begin[i] = c->begin[i + 1];
    c->begin[count] = total;
    return count;
}

// ---- sweeps -----------------------------------------------------------------------------------------------

// The same for a point of two spheres, or of one and a fixed body: most of the time of heaps.
static inline void update_round(double *all, tmli_cone_point *p)
{
    double u[3] = {0};
    for (int side = 0; side < 2; side++) {
        if (p->at[side] < 0) continue;
        const double *v = all + p->at[side];
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 6; j++) u[k] += p->G[k][6 * side + j] * v[j];
    }
    const double next = fmax(0, p->r[0] - (u[0] - p->b) / p->W[0]), most = p->mu * next;
    double t[2] = {p->r[1] - u[1] / p->W[3], p->r[2] - u[2] / p->W[3]};
    const double square = t[0] * t[0] + t[1] * t[1], part = square > most * most ? most / sqrt(square) : 1;
    const double r[3] = {next, part * t[0], part * t[1]};
    const double dr[3] = {r[0] - p->r[0], r[1] - p->r[1], r[2] - p->r[2]};
    for (int side = 0; side < 2; side++) {
        if (p->at[side] < 0) continue;
        double *v = all + p->at[side];
        for (int j = 0; j < 6; j++)
            v[j] +=
                dr[0] * p->H[0][6 * side + j] + dr[1] * p->H[1][6 * side + j] + dr[2] * p->H[2][6 * side + j];
    }
    memcpy(p->r, r, sizeof r);
}

void tmli_cone_sweep(tmli_cone *c, const int *order, int count)
{
    for (int i = 0; i < count; i++) {
        tmli_cone_point *p = &c->point[order[i]];
        if (p->round) {
            update_round(c->v, p);
            continue;
        }
        const double *W = p->W, *r = p->r;
        double u[3], next[3];
        tmli_cone_velocity(c, p, u);
        const double q[3] = {u[0] - p->b - (W[0] * r[0] + W[1] * r[1] + W[2] * r[2]),
                             u[1] - (W[1] * r[0] + W[3] * r[1] + W[4] * r[2]),
                             u[2] - (W[2] * r[0] + W[4] * r[1] + W[5] * r[2])};
        tmli_cone_local(W, p->mu, q, next);
        const double dr[3] = {next[0] - r[0], next[1] - r[1], next[2] - r[2]};
        if (dr[0] == 0 && dr[1] == 0 && dr[2] == 0) continue;
        tmli_cone_push(c, p, dr);
        memcpy(p->r, next, sizeof next);
    }
}

double tmli_cone_island_residual(const tmli_cone *c, const int *order, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++) {
        double u[3];
        const tmli_cone_point *p = &c->point[order[i]];
        tmli_cone_velocity(c, p, u);
        most = fmax(most, tmli_cone_residual(p, u));
    }
    return most;
}

// The largest velocity of a body at a point, before velocities of bodies cancel.
static double size_of(const tmli_cone *c, const tmli_cone_point *p)
{
    double size = 0;
    for (int side = 0; side < 2; side++)
        for (int j = 0; j < 6 && p->at[side] >= 0; j++)
            size += fabs(p->G[0][6 * side + j] * c->v[p->at[side] + j]);
    return size;
}

// The largest change of velocity that the points demand: of the velocities without their impulses. What is
// round-off of velocities that cancel is no demand.
static double demand(tmli_cone *c, const int *order, int count)
{
    double most = c->least;
    for (int i = 0; i < count; i++) {
        const tmli_cone_point *p = &c->point[order[i]];
        const double dr[3] = {-p->r[0], -p->r[1], -p->r[2]};
        tmli_cone_push(c, p, dr);
    }
    for (int i = 0; i < count; i++) {
        const tmli_cone_point *p = &c->point[order[i]];
        double u[3];
        tmli_cone_velocity(c, p, u);
        most = fmax(most, DEMAND_ROUNDOFF * size_of(c, p));
        if (u[0] < p->b) most = fmax(most, p->mu > 0 ? hypot(u[0] - p->b, hypot(u[1], u[2])) : p->b - u[0]);
    }
    for (int i = 0; i < count; i++) tmli_cone_push(c, &c->point[order[i]], c->point[order[i]].r);
    return most;
}

// Sweeps until the residual is within `allowed`, or `most` of them.
static double iterate(tmli_cone *c, const int *order, int count, double allowed, int most, long *sweeps)
{
    double residual = INFINITY;
    const bool balls = count > TMLI_CONE_DIRECT && tmli_cone_balls_pack(c, order, count);
    for (int k = 0; k < most && residual > allowed; k += SWEEPS_PER_TEST) {
        for (int i = 0; i < SWEEPS_PER_TEST; i++) {
            if (balls) tmli_cone_balls_sweep(c, count);
            else tmli_cone_sweep(c, order, count);
        }
        if (balls) tmli_cone_balls_unpack(c, order, count);
        *sweeps += SWEEPS_PER_TEST;
        residual = tmli_cone_island_residual(c, order, count);
    }
    return residual;
}

// Sweeps, unless they make it worse.
static double smooth(tmli_cone *c, const int *order, int count, double residual, double allowed, int most,
                     long *sweeps)
{
    tmli_cone_keep(c, order, count);
    const double found = iterate(c, order, count, allowed, most, sweeps);
    if (found < residual) return found;
    tmli_cone_restore(c, order, count);
    return residual;
}

// Islands that can be factored are solved to round-off if modes are found with which a solution at once is
// consistent; else to a closer tolerance, by cycles of sweeps, splitting and modes.
static double solve_at_once(tmli_cone *c, const int *order, int count, double scale, double allowed,
                            double residual, tmli_cone_result *out, long *sweeps)
{
    const double wanted = DIRECT_RESIDUAL * count * scale,
                 close = count <= TMLI_CONE_DIRECT ? SMALL_TOLERANCE * scale : CLOSE_PART * allowed;
    residual = tmli_cone_at_once(c, order, count, true, residual, wanted);
    for (int cycle = 0; cycle < MOST_CYCLES; cycle++) {
        const double enough = cycle == 0 ? wanted : cycle < MOST_CYCLES / 2 ? close : fmax(close, allowed);
        if (residual <= enough) break;
        residual =
            smooth(c, order, count, residual, wanted, cycle == 0 ? SWEEPS_PER_TEST : FIRST_SWEEPS, sweeps);
        if (cycle > 0 && c->bodies.n > 0 && residual > close)
            residual = tmli_cone_split(c, order, count, cycle - 1, residual, close);
        residual = tmli_cone_at_once(c, order, count, false, residual, wanted);
    }
    out->direct += residual <= wanted;
    return residual;
}

// Faces of boxes are redundant and bend as columns: such islands are factored at once. Points of spheres are
// neither: large heaps of them are swept, and factored if that does not suffice.
static bool is_factored_first(const tmli_cone *c, const int *order, int count)
{
    if (count <= TMLI_CONE_DIRECT) return true;
    for (int i = 0; i < count; i++)
        if (!c->point[order[i]].round) return true;
    return false;
}

static double solve_island(tmli_cone *c, const int *order, int count, double scale, double allowed,
                           tmli_cone_result *out, long *sweeps)
{
    double residual = tmli_cone_island_residual(c, order, count);
    const bool first = is_factored_first(c, order, count);
    if (!first && residual > allowed) residual = iterate(c, order, count, allowed, HEAP_SWEEPS, sweeps);
    if (first || residual > allowed) {
        const bool bodies = tmli_cone_bodies_enter(c, order, count);
        if (bodies || count <= TMLI_CONE_DIRECT)
            residual = solve_at_once(c, order, count, scale, allowed, residual, out, sweeps);
        if (bodies) tmli_cone_bodies_leave(c);
    }
    if (!(residual > allowed)) return residual;
    // with as many updates of points in small islands as in large ones
    const int most = count < TMLI_CONE_DIRECT ? MOST_SWEEPS * TMLI_CONE_DIRECT / count : MOST_SWEEPS;
    return smooth(c, order, count, residual, allowed, most, sweeps);
}

// The point with the largest residual.
static int worst_of(const tmli_cone *c, const int *order, int count)
{
    int worst = order[0];
    double most = -1;
    for (int i = 0; i < count; i++) {
        const double residual = tmli_cone_island_residual(c, order + i, 1);
        if (!(residual > most)) continue;
        most = residual;
        worst = order[i];
    }
    return worst;
}

tmli_cone_result tmli_cone_solve(tmli_cone *c, double tolerance)
{
    tmli_cone_result out = {.islands = find_islands(c), .worst = -1};
    double swept = 0;
    for (int k = 0; k < out.islands; k++) {
        const int *order = c->order + c->begin[k], count = c->begin[k + 1] - c->begin[k];
        const double scale = demand(c, order, count), allowed = tolerance * scale;
        long sweeps = 0;
        const double residual = solve_island(c, order, count, scale, allowed, &out, &sweeps);
        swept += (double)sweeps * count;
        const bool missed = !(residual <= allowed);
        out.missed += missed;
        if (missed && !(residual / scale <= out.residual)) out.worst = worst_of(c, order, count);
        if (scale > 0) out.residual = fmax(out.residual, residual / scale);
    }
    const int total = c->begin[out.islands];
    out.sweeps = total > 0 ? lround(swept / total) : 0;
    return out;
}
