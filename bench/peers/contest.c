// Measuring a peer on one problem; see contest.h.
//
// A run's error counts only if all tighter runs of the same setting that were made are at least as good as
// the level: an error that passes through zero by chance does not win.
#include "contest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const double LEVEL[LEVELS] = {1e-3, 1e-5};

contest *contest_create(const mechanism *m, const reference *ref, const contest_options *opt)
{
    contest *c = calloc(1, sizeof *c);
    entry *e = calloc(MAX_ENTRIES, sizeof *e);
    if (!c || !e) exit(1);
    *c = (contest){.m = m, .ref = ref, .opt = *opt, .work = samples_create(m), .entry = e};
    return c;
}

void contest_destroy(contest *c)
{
    if (!c) return;
    free(c->work.pose);
    free(c->entry);
    free(c);
}

// ---- choosing ---------------------------------------------------------------------------------------------

static bool reaches(const entry *e, int i, double error)
{
    for (; i < e->count; i++)
        if (!(e->point[i].error <= error)) return false;
    return true;
}

const point *contest_best(const contest *c, const remote *p, int only, int level, timing by, const entry **of)
{
    const point *best = NULL;
    for (int k = 0; k < c->count; k++) {
        const entry *e = &c->entry[k];
        if (e->p != p || (only >= 0 && e->index != only)) continue;
        for (int i = 0; i < e->count; i++) {
            if (!reaches(e, i, LEVEL[level]) || (best && best->seconds[by] <= e->point[i].seconds[by]))
                continue;
            best = &e->point[i];
            if (of) *of = e;
        }
    }
    return best;
}

static double best_seconds(const contest *c, const remote *p, int level, timing by)
{
    const point *best = contest_best(c, p, -1, level, by, NULL);
    return best ? best->seconds[by] : INFINITY;
}

double contest_late(const contest *c, const remote *p, int only)
{
    double late = 0;
    for (int k = 0; k < c->count; k++)
        if (c->entry[k].p == p && (only < 0 || c->entry[k].index == only))
            late = fmax(late, c->entry[k].late);
    return late;
}

// ---- running ----------------------------------------------------------------------------------------------

static const char *run(contest *c, const entry *e, double accuracy, double limit, point *out)
{
    peer_result r = {0};
    c->work.rows = 0;
    const char *wrong = remote_run(e->p, c->m, e->index, accuracy, limit, &c->work, &r);
    *out = (point){
        .accuracy = accuracy, .seconds = {r.seconds, r.setup + r.seconds}, .steps = r.steps, .runs = 1};
    out->error = samples_distance(&c->work, &c->ref->exact);
    snprintf(out->note, sizeof out->note, "%s", r.note ? r.note : "");
    return wrong;
}

static void insert(entry *e, const point *p)
{
    int at = e->count;
    while (at > 0 && e->point[at - 1].accuracy < p->accuracy) at--;
    memmove(&e->point[at + 1], &e->point[at], (size_t)(e->count - at) * sizeof *p);
    e->point[at] = *p;
    e->count++;
}

// Settings that do not differ on this problem are followed once.
static bool is_double(const contest *c, const entry *e)
{
    for (int k = 0; k < c->count; k++) {
        const entry *o = &c->entry[k];
        if (o == e || o->p != e->p || o->index == 0 || e->index == 0) continue;
        for (int i = 0; i < o->count; i++)
            if (o->point[i].accuracy == e->point[0].accuracy && o->point[i].error == e->point[0].error &&
                o->point[i].steps == e->point[0].steps)
                return true;
    }
    return false;
}

static void fail(entry *e, double accuracy, const char *why)
{
    if (e->failed_at > 0) return;
    e->failed_at = accuracy;
    snprintf(e->failure, sizeof e->failure, "%s", why);
    for (char *s = e->failure; *s; s++)
        if (*s == '\n' || *s == '"') *s = ' ';
}

// The next accuracy of one setting.
static void advance(contest *c, entry *e, bool to_the_end)
{
    const double best = best_seconds(c, e->p, LEVELS - 1, LOOP), left = c->stop - e->p->spent,
                 most = fmin(c->opt.limit, left), before = e->p->spent, accuracy = e->next;
    if (!(left > 0)) {  // says nothing about the time of a run
        e->closed = true;
        return;
    }
    const double limit = to_the_end ? most : fmin(most, 1.5 * best + 1e-3);
    point p;
    const char *wrong = run(c, e, accuracy, limit, &p);
    e->cost = e->p->spent - before;
    e->next *= e->p->factor;
    if (wrong) {
        const bool late = strcmp(wrong, PEER_LATE) == 0;
        if (late && limit == c->opt.limit) e->late = limit;
        else if (!late) fail(e, accuracy, wrong);
        // a loose tolerance may be too loose to go through; what comes after may not
        e->failures++;
        e->closed = late || p.steps == 0 || e->failures > MAX_POINTS || (e->count > 0 && e->failures > 3) ||
                    accuracy < 1e-13;
        return;
    }
    insert(e, &p);
    e->closed = p.error <= LEVEL[LEVELS - 1] || accuracy < 1e-13 || e->count >= MAX_POINTS - 8 ||
                (!to_the_end && p.seconds[LOOP] > 1.3 * best) || (e->count == 1 && is_double(c, e));
}

// All settings from loose to tight, always the one whose last run took the least: the fastest reaches the
// smallest error first, and ends the search of the others when they take longer.
static void follow(contest *c, remote *p, int keep)
{
    for (;;) {
        entry *next = NULL;
        for (int k = 0; k < c->count; k++) {
            entry *e = &c->entry[k];
            if (e->p == p && !e->closed && (!next || e->cost < next->cost)) next = e;
        }
        if (!next) return;
        advance(c, next, next->index < keep || c->opt.all);
    }
}

// Between the last accuracy that misses a level and the first that reaches it; not where a run takes long.
static void refine(contest *c, entry *e, int level)
{
    for (int k = 0; k < 2; k++) {
        int i = 0;
        while (i < e->count && !reaches(e, i, LEVEL[level])) i++;
        if (i == 0 || i == e->count || e->count == MAX_POINTS || e->point[i].seconds[LOOP] > 0.5 ||
            e->p->spent > c->stop)
            return;
        point p;
        const double middle = sqrt(e->point[i - 1].accuracy * e->point[i].accuracy);
        const char *wrong = run(c, e, middle, c->opt.limit, &p);
        if (wrong) {
            fail(e, middle, wrong);
            return;
        }
        insert(e, &p);
    }
}

// The first point of an entry that reaches the level, by time; NULL: none.
static point *first_reaching(entry *e, int level, timing by)
{
    point *best = NULL;
    for (int i = 0; i < e->count; i++)
        if (reaches(e, i, LEVEL[level]) && (!best || e->point[i].seconds[by] < best->seconds[by]))
            best = &e->point[i];
    return best;
}

static void again(contest *c, const entry *e, point *p)
{
    point q;
    p->runs++;
    if (run(c, e, p->accuracy, 10 * c->opt.limit, &q)) return;
    for (int by = 0; by < TIMINGS; by++) p->seconds[by] = fmin(p->seconds[by], q.seconds[by]);
}

// Refine what is near the best, then time it again; runs that take long, once.
static void settle_level(contest *c, const remote *p, int keep, int level, timing by)
{
    for (int pass = 0; pass < 2; pass++) {
        const double best = best_seconds(c, p, level, by);
        for (int k = 0; k < c->count; k++) {
            entry *e = &c->entry[k];
            if (e->p != p) continue;
            point *q = first_reaching(e, level, by);
            if (!q || (q->seconds[by] > (pass ? 1.15 : 1.3) * best && e->index >= keep)) continue;
            if (pass == 0) refine(c, e, level);
            else
                while (q->runs < c->opt.repeats && q->seconds[LOOP] < 0.2 && p->spent < c->stop)
                    again(c, e, q);
        }
    }
}

static void settle(contest *c, const remote *p, int keep)
{
    for (int level = 0; level < LEVELS; level++)
        for (int by = 0; by < TIMINGS; by++) settle_level(c, p, keep, level, (timing)by);
}

// ---- the race ---------------------------------------------------------------------------------------------

// Is this point the fastest of its simulator, or of `auto`, at some level?
static bool wins(const contest *c, const entry *e, const point *p)
{
    for (int level = 0; level < LEVELS; level++)
        for (int by = 0; by < TIMINGS; by++)
            if (contest_best(c, e->p, -1, level, (timing)by, NULL) == p ||
                (e->index == 0 && contest_best(c, e->p, 0, level, (timing)by, NULL) == p))
                return true;
    return false;
}

void contest_race(contest *c)
{
    enum { ROUNDS = 12, IN_A_ROW = 3 };  // the first of a row finds the caches full of another's numbers
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < c->count; k++) {
            entry *e = &c->entry[k];
            for (int i = 0; i < e->count; i++) {
                point *p = &e->point[i];
                if (!wins(c, e, p)) continue;
                for (int n = 0; n < IN_A_ROW && p->runs * p->seconds[WHOLE] < 0.5; n++) again(c, e, p);
            }
        }
}

// ---- a peer -----------------------------------------------------------------------------------------------

void contest_find_hopeless(contest *c, const remote *p, bool hopeless[MAX_ENTRIES])
{
    memset(hopeless, 0, MAX_ENTRIES * sizeof *hopeless);
    for (int k = 0; k < c->count; k++) {
        entry *e = &c->entry[k];
        if (e->p != p) continue;
        bool *h = &hopeless[e->index];
        *h = true;
        for (int level = 0; level < LEVELS; level++) {
            const point *q = first_reaching(e, level, LOOP);
            if (q && q->seconds[LOOP] <= 1.5 * best_seconds(c, p, level, LOOP)) *h = false;
        }
    }
}

void contest_measure(contest *c, remote *p, int keep, const bool hopeless[MAX_ENTRIES])
{
    char name[64];
    c->stop = p->spent + c->opt.cell;
    for (int i = 0; c->count < MAX_ENTRIES && remote_setting(p, c->m, c->opt.quick, i, name, sizeof name);
         i++) {
        if (i >= keep && hopeless[i]) continue;
        entry *e = &c->entry[c->count++];
        *e = (entry){.p = p, .index = i, .next = p->first};
        memcpy(e->name, name, sizeof name);
    }
    follow(c, p, keep);
    settle(c, p, keep);
}
