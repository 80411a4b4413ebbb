// A pattern as a graph of bodies and joints, and symmetric matrices on it without coupling of bodies:
//
//   [ A   B' ]     A: one symmetric block on each coordinate block ("body")
//   [ B   E  ]     B: a block ("arm") for each multiplier block ("joint") and each of its bodies
// E is zero except for inactive rows. An inactive row of B is zero and has a number on the diagonal of E
// instead: its multiplier is decoupled. The equations of motion at acceleration level are of this kind (A:
// mass matrix), iteration matrices in general are not.
#ifndef TMLI_LINALG_TOPOLOGY_SADDLE_H
#define TMLI_LINALG_TOPOLOGY_SADDLE_H

#include "base/base.h"

#include <trammel/linsolver.h>

/** The block of B of one joint and one body. Row r of B is values[row + r * stride of the joint + c], c
 * over the body's columns; the same numbers lie in the mirrored block as values[mirror + c * stride of the
 * body + r]. */
typedef struct tmli_arm {
    int32_t joint, body;  // numbers of the joint and the body, from 0
    int32_t row, mirror;
} tmli_arm;

/** A coordinate or multiplier block. */
typedef struct tmli_part {
    int32_t block;   // in the pattern
    int32_t first;   // first unknown
    int32_t size;    // unknowns
    int32_t stride;  // entries of one column
    int32_t at;      // of the diagonal block in the value array: entry (r, c) is values[at + c * stride + r]
    bool switched;   // a joint whose rows are inactive at times
} tmli_part;

/** A block that must be zero. */
typedef struct tmli_coupling {
    int32_t at, stride, rows, columns;
} tmli_coupling;

typedef struct tmli_saddle {
    tml_env env;
    int32_t nbodies, njoints, narms, ncouplings;
    int32_t rows;  // multipliers
    tmli_part *body, *joint;
    int32_t *armptr;   // (njoints + 1)
    tmli_arm *arm;     // (narms) joint by joint
    int32_t *bodyptr;  // (nbodies + 1)
    int32_t *bodyarm;  // (narms) the same arms body by body: indices into arm
    tmli_coupling *coupling;
    double *inactive;  // (n) diagonal of E for inactive rows, else 0; indexed by unknown
    bool any_inactive;
} tmli_saddle;

/** Fills a zeroed saddle; clear it also after a failure. */
tml_status tmli_saddle_init(tmli_saddle *s, const tml_pattern *pattern, const tml_env *env, tml_error *err);
void tmli_saddle_clear(tmli_saddle *s);

/** True if the values (in pattern order) make a matrix of this kind, bit for bit symmetric. Sets inactive.
 * trusted: only E is checked. */
bool tmli_saddle_read(tmli_saddle *s, const double *values, bool trusted);
/** n: unknowns of the pattern. */
void tmli_saddle_archive(tmli_saddle *s, int32_t n, tml_archive *a);

#endif
