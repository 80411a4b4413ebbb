// Parts of a whole: numbers that pairs of them join (union and find). A part has the name of its lowest one.
#ifndef TMLI_BASE_PARTS_H
#define TMLI_BASE_PARTS_H

/** name (count), in which name[i] = i at first: that of the part of i. */
static inline int tmli_part_of(int *name, int i)
{
    while (name[i] != i) i = name[i] = name[name[i]];
    return i;
}

static inline void tmli_parts_join(int *name, int i, int k)
{
    const int a = tmli_part_of(name, i), b = tmli_part_of(name, k);
    name[a > b ? a : b] = a > b ? b : a;
}

#endif
