// The impulses of an impact by Newton's or Poisson's law, from the rows in s->rows; and what is said of them.
#ifndef TMLI_INTEGRATE_EVENTS_IMPACT_RESTITUTION_H
#define TMLI_INTEGRATE_EVENTS_IMPACT_RESTITUTION_H

#include "integrate/events/impacts.h"

/** Group k of the rows is a unilateral constraint that is struck. */
bool tmli_impact_is_struck(const tmli_impacts *s, int k);
/** No impulses, and the rates without them. */
void tmli_impact_begin(tmli_impacts *s);
/** The impulses s->rows.p and the rates s->after by Newton's law; *good: there is a solution, and it gains no
 * energy. Where nothing is struck it is the law of friction alone. */
tml_status tmli_impact_newton(tmli_impacts *s, tml_state *x, bool *good, tml_error *err);
/** The same by the law that is asked for, or by the one that has a solution. */
tml_status tmli_impact_solve(tmli_impacts *s, tml_state *x, tml_error *err);
/** The error that no impulses satisfy the laws. */
tml_status tmli_impact_refuse(const tmli_impacts *s, const tml_state *x, tml_error *err);
/** Warn of the impact, unless *told, which is set. */
void tmli_impact_tell(tmli_impacts *s, const tml_state *x, bool *told, const char *what);

#endif
