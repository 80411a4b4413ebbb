// Threshold pivoting of a sparse wide matrix; see columns.h.
//
// The active matrix is held by rows, each with room to grow; columns list their rows (an entry may have
// become 0 by cancellation, which does no harm). An entry knows its place in the list of its column, and the
// place the entry, so that nothing is searched for. A step takes the columns in the order of the lengths of
// their lists and in each the shortest row where the entry is at least TMLI_PIVOT_THRESHOLD times the
// largest:
//   cost (entries of the row - 1) (rows of the column - 1)          (Markowitz)
// so that a column with a single row is eliminated without cost. The least cost among the first
// SEARCHED_COLUMNS is taken (Z. Zlatev, SIAM J. Numer. Anal. 17 (1980) 18-30). Rows whose largest entry
// falls below the tolerance are dropped: they depend on those already taken. A column in which no entry is
// large enough is set aside until one of its rows has changed. Late rows take part in the elimination from
// the start, but hold no pivot before all other rows are taken or dropped.
#include "linalg/rank/eliminate.h"

#include <math.h>
#include <string.h>

#include "linalg/rank/constants.h"

typedef struct entry {
    int column, place;  // the place in the list of the column
    double value;
} entry;

typedef struct place {
    int row, at;  // the entry in the row
} place;

typedef struct line {
    int begin, count, room;  // in a pool
} line;

struct tmli_elimination {
    int users;
    int m, n, entries;
    const int *rowptr, *rowcol;
    tml_env env;
    line *row, *column;  // (m), (n)
    entry *pool;         // of the rows
    place *rows;         // pool of the columns
    int pool_room, pool_used, rows_room, rows_used;
    double *largest;            // (m) of the active entries of a row; < 0: taken or dropped
    int *head, *next, *before;  // columns by their counts: (m + 1), (n), (n)
    bool *aside;                // (n) columns that are in no list
    double *dense;              // (n) the current pivot row
    int *at;                    // (n) stamp of the row whose entry is in dense
    const bool *late;           // (m) rows that must not be picked yet; NULL: none
};

void tmli_elimination_destroy(tmli_elimination *e)
{
    if (!e || --e->users > 0) return;
    const tml_env env = e->env;
    tmli_free_all(&env, e->row, e->pool, e->rows, e->largest, e->head, e->aside, e);
}

tmli_elimination *tmli_elimination_share(tmli_elimination *e)
{
    e->users++;
    return e;
}

tml_status tmli_elimination_create(int m, int n, const int *rowptr, const int *rowcol, const tml_env *env,
                                   tmli_elimination **out, tml_error *err)
{
    *out = NULL;
    tmli_elimination *e = tmli_calloc(env, 1, sizeof *e);
    if (!e) return tmli_no_memory(err, "reduction");
    if (env) e->env = *env;
    const size_t M = (size_t)m, N = (size_t)n;
    e->users = 1;
    e->m = m;
    e->n = n;
    e->rowptr = rowptr;
    e->rowcol = rowcol;
    e->entries = rowptr[m];
    e->pool_room = e->rows_room = 6 * e->entries + 64;
    if (!tmli_calloc_all(env, TMLI_ARRAY(e->row, M + N), TMLI_ARRAY(e->pool, (size_t)e->pool_room),
                         TMLI_ARRAY(e->rows, (size_t)e->rows_room), TMLI_ARRAY(e->largest, M + N),
                         TMLI_ARRAY(e->head, M + 1 + 3 * N), TMLI_ARRAY(e->aside, N))) {
        tmli_elimination_destroy(e);
        return tmli_no_memory(err, "reduction");
    }
    e->column = e->row + m;
    e->dense = e->largest + m;
    e->next = e->head + m + 1;
    e->before = e->next + n;
    e->at = e->before + n;
    *out = e;
    return TML_OK;
}

// ---- columns by count -------------------------------------------------------------------------------------

static void unlink_column(tmli_elimination *e, int j)
{
    if (e->aside[j]) return;
    if (e->before[j] >= 0) e->next[e->before[j]] = e->next[j];
    else e->head[e->column[j].count] = e->next[j];
    if (e->next[j] >= 0) e->before[e->next[j]] = e->before[j];
}

static void link_column(tmli_elimination *e, int j)
{
    if (e->aside[j]) return;
    const int count = e->column[j].count;
    e->before[j] = -1;
    e->next[j] = e->head[count];
    if (e->next[j] >= 0) e->before[e->next[j]] = j;
    e->head[count] = j;
}

static void set_aside(tmli_elimination *e, int j)
{
    unlink_column(e, j);
    e->aside[j] = true;
}

static void take_back(tmli_elimination *e, int j)
{
    if (!e->aside[j]) return;
    e->aside[j] = false;
    link_column(e, j);
}

// Row i has an entry in column j now, at `at`. False: no memory.
static bool column_gains(tmli_elimination *e, int j, int i, int at)
{
    line *c = &e->column[j];
    if (c->count == c->room) {
        const int room = 2 * c->room + 4;
        if (e->rows_used + room > e->rows_room) {
            place *rows = tmli_regrow(&e->env, e->rows, (size_t)e->rows_used,
                                      2 * (size_t)e->rows_room + (size_t)room, sizeof *rows);
            if (!rows) return false;
            e->rows = rows;
            e->rows_room = 2 * e->rows_room + room;
        }
        memcpy(e->rows + e->rows_used, e->rows + c->begin, (size_t)c->count * sizeof *e->rows);
        c->begin = e->rows_used;
        c->room = room;
        e->rows_used += room;
    }
    unlink_column(e, j);
    e->rows[c->begin + c->count++] = (place){i, at};
    link_column(e, j);
    return true;
}

static entry *entry_at(const tmli_elimination *e, place p) { return e->pool + e->row[p.row].begin + p.at; }

static void column_loses(tmli_elimination *e, int j, int at)
{
    line *c = &e->column[j];
    unlink_column(e, j);
    const place last = e->rows[c->begin + --c->count];
    e->rows[c->begin + at] = last;
    entry_at(e, last)->place = at;
    link_column(e, j);
}

// ---- rows -------------------------------------------------------------------------------------------------

static void measure_row(tmli_elimination *e, int i)
{
    e->largest[i] = 0;
    for (int k = 0; k < e->row[i].count; k++)
        e->largest[i] = fmax(e->largest[i], fabs(e->pool[e->row[i].begin + k].value));
}

static void load(tmli_elimination *e, const double *values)
{
    e->pool_used = e->rows_used = 0;
    for (int j = 0; j < e->n; j++) {
        e->column[j] = (line){0, 0, 0};
        e->at[j] = -1;
        e->aside[j] = false;
    }
    for (int k = 0; k < e->entries; k++) e->column[e->rowcol[k]].room++;
    for (int j = 0; j < e->n; j++) {
        e->column[j].begin = e->rows_used;
        e->rows_used += e->column[j].room;
    }
    for (int i = 0; i < e->m; i++) {
        e->row[i] = (line){e->pool_used, 0, e->rowptr[i + 1] - e->rowptr[i]};
        for (int k = e->rowptr[i]; k < e->rowptr[i + 1]; k++) {
            if (values[k] == 0) continue;
            const int j = e->rowcol[k];
            const int at = e->row[i].count++, in_column = e->column[j].count++;
            e->pool[e->row[i].begin + at] = (entry){j, in_column, values[k]};
            e->rows[e->column[j].begin + in_column] = (place){i, at};
        }
        e->pool_used += e->row[i].room;
        measure_row(e, i);
    }
    for (int i = 0; i <= e->m; i++) e->head[i] = -1;
    for (int j = e->n - 1; j >= 0; j--) link_column(e, j);
}

static bool make_room(tmli_elimination *e, int i, int count)
{
    line *r = &e->row[i];
    if (count <= r->room) return true;
    const int room = count + count / 2;
    if (e->pool_used + room > e->pool_room) {
        entry *pool = tmli_regrow(&e->env, e->pool, (size_t)e->pool_used,
                                  2 * (size_t)e->pool_room + (size_t)room, sizeof *pool);
        if (!pool) return false;
        e->pool = pool;
        e->pool_room = 2 * e->pool_room + room;
    }
    memcpy(e->pool + e->pool_used, e->pool + r->begin, (size_t)r->count * sizeof *e->pool);
    r->begin = e->pool_used;
    r->room = room;
    e->pool_used += room;
    return true;
}

static void remove_row(tmli_elimination *e, int i)
{
    for (int k = 0; k < e->row[i].count; k++) {
        const entry *a = &e->pool[e->row[i].begin + k];
        column_loses(e, a->column, a->place);
    }
    e->largest[i] = -1;
}

// Row i -= factor times row p; its entry at `pivot` goes, but not from the list of its column. False: no
// memory.
static bool subtract(tmli_elimination *e, int i, int p, int pivot, double factor)
{
    if (!make_room(e, i, e->row[i].count + e->row[p].count)) return false;
    line *r = &e->row[i];
    entry *a = e->pool + r->begin;
    const entry *b = e->pool + e->row[p].begin;
    for (int k = 0; k < e->row[p].count; k++) {
        e->dense[b[k].column] = b[k].value;
        e->at[b[k].column] = i;
    }
    for (int k = 0; k < r->count; k++)
        if (e->at[a[k].column] == i) {
            a[k].value -= factor * e->dense[a[k].column];
            e->at[a[k].column] = -1;
        }
    for (int k = 0; k < e->row[p].count; k++)
        if (e->at[b[k].column] == i) {  // fill-in
            e->at[b[k].column] = -1;
            a[r->count] = (entry){b[k].column, e->column[b[k].column].count, -factor * b[k].value};
            if (!column_gains(e, b[k].column, i, r->count++)) return false;
        }
    a[pivot] = a[--r->count];
    if (pivot < r->count) e->rows[e->column[a[pivot].column].begin + a[pivot].place].at = pivot;
    measure_row(e, i);
    for (int k = 0; k < r->count; k++) take_back(e, a[k].column);
    return true;
}

// ---- pivots -----------------------------------------------------------------------------------------------

// The shortest row of column j with an entry large enough, or -1.
static int row_of_column(const tmli_elimination *e, int j, double tolerance)
{
    int best = -1;
    const line *c = &e->column[j];
    for (int k = 0; k < c->count; k++) {
        const int i = e->rows[c->begin + k].row;
        if (e->late && e->late[i]) continue;
        const double a = fabs(entry_at(e, e->rows[c->begin + k])->value);
        if (a <= tolerance || a < TMLI_PIVOT_THRESHOLD * e->largest[i]) continue;
        if (best < 0 || e->row[i].count < e->row[best].count ||
            (e->row[i].count == e->row[best].count && i < best))
            best = i;
    }
    return best;
}

// False: nothing is left of the rows whose turn it is.
static bool find_pivot_in_turn(tmli_elimination *e, double tolerance, int *row, int *column)
{
    double cost = INFINITY;
    int searched = 0;
    for (int count = 1; count <= e->m; count++) {
        if (cost <= (double)(count - 1) * (count - 1)) break;  // no later one can be better
        for (int j = e->head[count], after; j >= 0; j = after) {
            const int i = row_of_column(e, j, tolerance);
            after = e->next[j];
            if (i < 0) {
                set_aside(e, j);
                continue;
            }
            if ((double)(count - 1) * (e->row[i].count - 1) < cost) {
                cost = (double)(count - 1) * (e->row[i].count - 1);
                *row = i;
                *column = j;
            }
            if (cost == 0 || ++searched == SEARCHED_COLUMNS) return true;
        }
    }
    return cost < INFINITY;
}

// False: nothing is left.
static bool find_pivot(tmli_elimination *e, double tolerance, int *row, int *column)
{
    if (find_pivot_in_turn(e, tolerance, row, column)) return true;
    if (!e->late) return false;
    for (int i = 0; i < e->m; i++)
        if (!e->late[i] && e->largest[i] >= 0) remove_row(e, i);  // dropped
    e->late = NULL;
    for (int j = 0; j < e->n; j++) take_back(e, j);
    return find_pivot_in_turn(e, tolerance, row, column);
}

tml_status tmli_elimination_run(tmli_elimination *e, const double *values, const bool *late, double tolerance,
                                int *row, int *column, int *rank, double *least, tml_error *err)
{
    load(e, values);
    e->late = late;
    int p, j;
    *least = INFINITY;
    for (*rank = 0; find_pivot(e, tolerance, &p, &j); ++*rank) {
        row[*rank] = p;
        column[*rank] = j;
        const place *at = e->rows + e->column[j].begin;
        while (at->row != p) at++;
        const double pivot = entry_at(e, *at)->value;
        *least = fmin(*least, fabs(pivot));
        remove_row(e, p);
        unlink_column(e, j);
        const line c = e->column[j];
        for (int k = 0; k < c.count; k++) {
            const place of = e->rows[c.begin + k];
            if (!subtract(e, of.row, p, of.at, entry_at(e, of)->value / pivot))
                return tmli_no_memory(err, "reduction");
        }
        e->column[j].count = 0;
        link_column(e, j);
    }
    return TML_OK;
}
