// Work-precision curves; see ida_curves.h.
#include "ida_curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void curve_add_time(curve_point *p, double seconds)
{
    double sorted[CURVE_REPEATS];
    if (p->times == CURVE_REPEATS) return;
    p->time[p->times++] = seconds;
    memcpy(sorted, p->time, (size_t)p->times * sizeof *sorted);
    qsort(sorted, (size_t)p->times, sizeof *sorted, by_size);
    p->seconds = (sorted[(p->times - 1) / 2] + sorted[p->times / 2]) / 2;
}

// The error of point i that counts.
static double safe_error(const curve *c, int i)
{
    double worst = 0;
    for (; i < c->count; i++) worst = fmax(worst, c->point[i].error);
    return worst;
}

double curve_time(const curve *c, double error, int *low, int *high)
{
    *low = *high = -1;
    for (int i = 0; i < c->count; i++) {
        const double here = safe_error(c, i);
        if (here > error) continue;
        *high = i;
        *low = i > 0 ? i - 1 : i;
        if (i == 0) return c->point[0].seconds;
        const double before = safe_error(c, i - 1);
        const double share = log(before / error) / log(before / here);
        return exp(log(c->point[i - 1].seconds) + share * log(c->point[i].seconds / c->point[i - 1].seconds));
    }
    return NAN;
}

int curve_fastest(const curve *c, int count, const char *group, bool plain, bool measured, double error,
                  double *seconds)
{
    int best = -1;
    *seconds = NAN;
    for (int i = 0; i < count; i++) {
        if (group ? strcmp(c[i].group, group) != 0 : strcmp(c[i].group, "IDA") == 0) continue;
        if (plain && !c[i].plain) continue;
        int low, high;
        const double t = curve_time(&c[i], error, &low, &high);
        if (isnan(t) || (measured && !(c[i].point[low].wanted && c[i].point[high].wanted))) continue;
        if (best >= 0 && t >= *seconds) continue;
        best = i;
        *seconds = t;
    }
    return best;
}
