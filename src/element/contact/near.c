// Lists of near shapes; see near.h.
#include "element/contact/near.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "element/contact/constants.h"

static size_t aligned(size_t bytes) { return (bytes + sizeof(double) - 1) / sizeof(double) * sizeof(double); }

size_t tmli_near_bytes(int count)
{
    const size_t n = (size_t)count;
    return n * sizeof(vec3) + aligned((n + 2 + PARTNERS * n) * sizeof(int32_t)) + tmli_grid_bytes(count);
}

tmli_near tmli_near_in(void *memory, int count, double width)
{
    tmli_near l = {.count = count, .skin = NEAR_SKIN * width, .at = memory};
    l.made = (int32_t *)(l.at + count);
    l.first = l.made + 1;
    l.partner = l.first + count + 1;
    unsigned char *const rest = (unsigned char *)memory + tmli_near_bytes(count) - tmli_grid_bytes(count);
    l.grid = tmli_grid_in(rest, count, width + l.skin);
    return l;
}

// Shapes that have flown off to infinity stay there.
static bool is_current(const tmli_near *l, const vec3 *centre)
{
    const double most = l->skin * l->skin / 4;
    if (!*l->made) return false;
    for (int i = 0; i < l->count; i++) {
        const vec3 d = v3_sub(centre[i], l->at[i]);
        if (!(v3_dot(d, d) <= most) && isfinite(centre[i].x + centre[i].y + centre[i].z)) return false;
    }
    return true;
}

// What the cells find, counted and then stored.
typedef struct making {
    tmli_near *l;
    const vec3 *centre;
    const double *radius;
    bool store;
} making;

static void note(int i, int j, void *user)
{
    const making *m = user;
    const vec3 d = v3_sub(m->centre[i], m->centre[j]);
    const double reach = m->radius[i] + m->radius[j] + m->l->skin;
    if (!(v3_dot(d, d) <= reach * reach)) return;
    const int high = i > j ? i : j, low = i > j ? j : i;
    if (m->store) m->l->partner[--m->l->first[high + 1]] = low;
    else m->l->first[high + 1]++;
}

static void sort(int32_t *list, int32_t count)
{
    for (int32_t k = 1; k < count; k++) {
        const int32_t item = list[k];
        int32_t at = k;
        for (; at > 0 && list[at - 1] > item; at--) list[at] = list[at - 1];
        list[at] = item;
    }
}

// False: there are too many pairs.
static bool make(tmli_near *l, const vec3 *centre, const double *radius)
{
    making m = {.l = l, .centre = centre, .radius = radius};
    *l->made = 0;
    memset(l->first, 0, ((size_t)l->count + 1) * sizeof *l->first);
    tmli_grid_pairs(&l->grid, note, &m);
    int64_t total = 0;
    for (int i = 0; i < l->count; i++) {
        total += l->first[i + 1];
        if (total > (int64_t)PARTNERS * l->count) return false;
        l->first[i + 1] = (int32_t)total;  // the end of its partners
    }
    m.store = true;
    tmli_grid_pairs(&l->grid, note, &m);
    // first[i + 1] is now the first partner of i
    memmove(l->first, l->first + 1, (size_t)l->count * sizeof *l->first);
    l->first[l->count] = (int32_t)total;
    for (int i = 0; i < l->count; i++) sort(l->partner + l->first[i], l->first[i + 1] - l->first[i]);
    memcpy(l->at, centre, (size_t)l->count * sizeof *l->at);
    *l->made = 1;
    return true;
}

void tmli_near_pairs(tmli_near *l, const vec3 *centre, const double *radius, tmli_grid_visit *visit,
                     void *user)
{
    if (!is_current(l, centre)) {
        tmli_grid_fill(&l->grid, centre);
        if (!make(l, centre, radius)) {  // a heap of shapes in each other: by cells, without a list
            tmli_grid_pairs(&l->grid, visit, user);
            return;
        }
    }
    for (int i = 0; i < l->count; i++)
        for (int32_t k = l->first[i]; k < l->first[i + 1]; k++) visit(i, l->partner[k], user);
}
