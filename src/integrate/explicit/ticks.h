// The order of explicit Runge-Kutta steps that inputs cut short.
//
// A program that sets inputs at the ticks of a clock ends a step at each of them. Where a tick is short
// beside the motion, a formula of order 3 with four evaluations is as good within the tolerance as one of
// order 8 with twelve. Errors are estimated and held to the tolerance with every formula, so one may simply
// be tried: the first step after a change of the inputs is made with the lowest order that is not barred.
// Where it is rejected, or does not reach the next tick, this order is barred for some ticks, twice as many
// each time. All other steps have the method's own order.
#ifndef TMLI_INTEGRATE_EXPLICIT_TICKS_H
#define TMLI_INTEGRATE_EXPLICIT_TICKS_H

#include "base/layout.h"

#include <stdbool.h>

/** Lower orders that a method may have. */
enum { TMLI_LOWER_ORDERS = 2 };

typedef struct tmli_ticks {
    int lower;                      // lower orders of the method, from the lowest: 0 .. lower - 1
    int order;                      // of the first step after the change; lower: the method's own
    int steps;                      // accepted since
    int single;                     // ticks in a row that took a single step
    int barred[TMLI_LOWER_ORDERS];  // ticks for which an order is still barred
    int bars[TMLI_LOWER_ORDERS];    // ticks for which it was barred last
} tmli_ticks;

/** Its fields, as those of a part of another object. */
extern const tmli_span tmli_ticks_spans[];

/** Begin without ticks. */
void tmli_ticks_start(tmli_ticks *t);
/** The inputs change: a tick ends, and the next one begins. */
void tmli_ticks_change(tmli_ticks *t);
/** Order of the next step: an index of a lower one, or t->lower. */
int tmli_ticks_order(const tmli_ticks *t);
/** A step was accepted or rejected. */
void tmli_ticks_step(tmli_ticks *t, bool accepted);

#endif
