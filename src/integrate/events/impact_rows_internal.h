// The rows of the law of impact, as impulses (impact_rows.c) and forces (resting_rows.c) use them.
#ifndef TMLI_INTEGRATE_EVENTS_IMPACT_ROWS_INTERNAL_H
#define TMLI_INTEGRATE_EVENTS_IMPACT_ROWS_INTERNAL_H

#include "integrate/events/impact_rows.h"

/** One more row of the law: that of a mode. */
void tmli_impact_rows_add(tmli_impact_rows *r, int mode);
/** Signs of normals and coefficients of friction. Multipliers of x are 0 then. */
void tmli_impact_rows_find_signs(tmli_impact_rows *r, tml_state *x);
/** The modes of x without the rows of the law. */
void tmli_impact_rows_open(const tmli_impact_rows *r, tml_state *x);
/** force (n) += a g of row k */
void tmli_impact_rows_add_gradient(const tmli_impact_rows *r, int k, double a, double *force);
/** What else a unit of p of row k does: force (n) += the friction of a point that slips, with the modes of x
 * and its multipliers 0. */
void tmli_impact_rows_add_slip(tmli_impact_rows *r, int k, double a, tml_state *x, double *force);
/** The terms of the rate of row k by the velocity v, added without their signs. */
double tmli_impact_rows_terms(const tmli_impact_rows *r, int k, const double *v);
/** du (n) and lambda (m, may be NULL) by the force a and the right-hand sides c (NULL: 0) of all other rows,
 * which du satisfies to round-off. */
void tmli_impact_rows_move(tmli_impact_rows *r, const double *a, const double *c, double *du, double *lambda);
/** at_rest: the state if W is that of forces (r->f0: those without p), NULL: of impulses. */
void tmli_impact_rows_find_W(tmli_impact_rows *r, tml_state *at_rest);

#endif
