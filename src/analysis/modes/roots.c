// The list of wanted roots: insertion by distance, zeros by independent shapes.
#include "analysis/modes/roots.h"

#include <math.h>
#include <string.h>

#include "analysis/modes/constants.h"

tml_status tmli_roots_init(tmli_roots *r, const tml_env *env, int n, const tmli_roots_def *want,
                           tml_error *err)
{
    *r = (tmli_roots){.env = *env, .n = n, .near = want->near, .room = want->count};
    const size_t room = (size_t)r->room + 2;  // one beyond the end, and one for a shape under test
    return tmli_calloc_all(env, TMLI_ARRAY(r->s, room), TMLI_ARRAY(r->d, room * (size_t)n + 1),
                           TMLI_ARRAY(r->noise, room), TMLI_ARRAY(r->distance, room),
                           TMLI_ARRAY(r->error, room))
               ? TML_OK
               : tmli_no_memory(err, "modes");
}

void tmli_roots_clear(tmli_roots *r)
{
    const tml_env env = r->env;
    tmli_free_all(&env, r->s, r->d, r->noise, r->distance, r->error);
    *r = (tmli_roots){0};
}

double tmli_roots_distance(const tmli_roots *r, double complex s) { return cabs(s - I * r->near); }

bool tmli_roots_wants(const tmli_roots *r, double distance)
{
    return r->count < r->room || distance < r->distance[r->count - 1];
}

static double norm(const double complex *d, int n)
{
    double sum = 0;
    for (int j = 0; j < n; j++) sum += creal(d[j] * conj(d[j]));
    return sqrt(sum);
}

// What is left of a shape of this root beside those in the list; false: nothing
static bool is_independent(const tmli_roots *r, const tmli_root *root, double complex *d)
{
    for (int pass = 0; pass < 2; pass++)  // twice, against round-off
        for (int i = 0; i < r->count; i++) {
            if (cabs(r->s[i] - root->s) > SAME_ROOT * cabs(root->s)) continue;
            const double complex *known = r->d + (size_t)i * (size_t)r->n;
            double complex product = 0;
            for (int j = 0; j < r->n; j++) product += conj(known[j]) * d[j];
            for (int j = 0; j < r->n; j++) d[j] -= product * known[j];
        }
    return norm(d, r->n) > INDEPENDENT_SHAPE;
}

static void scale(double complex *d, int n)
{
    const double size = norm(d, n);
    for (int j = 0; j < n && size > 0; j++) d[j] /= size;
}

double tmli_root_error(const double complex *s, int count, int i, double noise)
{
    const double size = cabs(s[i]), near = fmax(noise, sqrt(TMLI_ROUNDOFF) * size);
    for (int k = 0; k < count; k++)
        if (k != i && cabs(s[k] - s[i]) <= near && creal(s[k]) * creal(s[i]) <= 0) return near;
    return size > 0 ? noise * noise / size : noise;
}

void tmli_roots_add(tmli_roots *r, tmli_root root, const double *re, const double *im)
{
    if (!tmli_roots_wants(r, root.distance)) return;
    const size_t n = (size_t)r->n;
    double complex *const last = r->d + (size_t)(r->room + 1) * n;
    for (size_t j = 0; j < n; j++) last[j] = re[j] + (im ? im[j] * I : 0);
    scale(last, r->n);
    if (root.s == 0 || root.again) {
        if (!is_independent(r, &root, last)) return;
        scale(last, r->n);
    }
    int k = r->count;
    for (; k > 0 && r->distance[k - 1] > root.distance; k--) {
        r->s[k] = r->s[k - 1];
        r->distance[k] = r->distance[k - 1];
        r->noise[k] = r->noise[k - 1];
        r->error[k] = r->error[k - 1];
        memcpy(r->d + (size_t)k * n, r->d + (size_t)(k - 1) * n, n * sizeof *r->d);
    }
    r->s[k] = root.s;
    r->distance[k] = root.distance;
    r->noise[k] = root.noise;
    r->error[k] = root.error;
    memcpy(r->d + (size_t)k * n, last, n * sizeof *r->d);
    if (r->count < r->room) r->count++;
}
