// Singular positions that a motion passes: noticed by the smallest singular value of the constraints, which changes its sign there.
//
// In units of the model, n' B w = s > 0 with the left and right vectors of the smallest singular value, by inverse iteration with
// the matrix of accelerations. A little later the same vectors give n' B w < 0: s has passed zero in between, and the position is
// taken to be singular if rows are found to depend on others there.
#ifndef TMLI_PASSAGES_H
#define TMLI_PASSAGES_H

#include "base/base.h"
#include "integrate/consistent.h"

typedef struct tmli_passages {
    const tml_system *sys;  // NULL: nothing to watch
    double *n, *w;          // (m), (n) in units
    double *test, *v;       // (m) a fixed vector without meaning; scratch
    double *x, *rows;       // (n), (entries of B)
    tml_state *probe;
    bool known;          // there are vectors
    double s, t;         // s at time t
    long count;          // passages so far
    double first, last;  // times of them [s]
    int rank[2];         // usually, and at the last
} tmli_passages;

tml_status tmli_passages_create(const tml_system *sys, tmli_passages *p, tml_error *err);
void tmli_passages_clear(tmli_passages *p);
/** Into how many parts a step of h [s] that ends at x is to be divided. */
int tmli_passages_parts(const tmli_passages *p, const tml_state *x, double h);
/** The motion has come to x; c: its constraints, which allow dependent rows. */
void tmli_passages_look(tmli_passages *p, tmli_consistent *c, const tml_state *x);

#endif
