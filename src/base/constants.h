// Thresholds that were chosen, not derived: how a room declares them.
//
// Each room that decides by thresholds has one file constants.h with all of them. An entry is
//   // [unit] What the threshold decides.
//   // Origin: the theory or experiment that gave the value.
//   TMLI_CONSTANT(NAME, value)
// and TMLI_COUNT, TMLI_SHARE or TMLI_GROWTH if that is its kind. A constants.h is included by the sources of
// its room, and it is the last of their includes; a room that stands on another may share its thresholds.
//
// scripts/sensitivity halves and doubles each of them over the bundled models and writes docs/constants.md.
// A threshold stays within its domain: a share varies by its odds x/(1 - x), a growth by x - 1.
// The script uses a build with TRAMMEL_VARY_CONSTANTS, in which the environment variable TRAMMEL_VARY,
// "integrate/newton/constants.h:NAME=factor", changes one value. In all other builds they are compile-time
// constants.
#ifndef TMLI_BASE_CONSTANTS_H
#define TMLI_BASE_CONSTANTS_H

#ifdef TRAMMEL_VARY_CONSTANTS
enum tmli_threshold_kind { TMLI_KIND_SCALE, TMLI_KIND_SHARE, TMLI_KIND_GROWTH };
double tmli_vary(const char *file, const char *name, enum tmli_threshold_kind kind, double value);
#define TMLI_VARIABLE(type, kind, name, value)                      \
    static type name = value;                                       \
    __attribute__((constructor)) static void tmli_vary_##name(void) \
    {                                                               \
        name = (type)tmli_vary(__FILE__, #name, kind, value);       \
    }
#define TMLI_CONSTANT(name, value) TMLI_VARIABLE(double, TMLI_KIND_SCALE, name, value)
#define TMLI_SHARE(name, value) TMLI_VARIABLE(double, TMLI_KIND_SHARE, name, value)
#define TMLI_GROWTH(name, value) TMLI_VARIABLE(double, TMLI_KIND_GROWTH, name, value)
#define TMLI_COUNT(name, value) TMLI_VARIABLE(int, TMLI_KIND_SCALE, name, value)
#else
#ifdef __GNUC__
/** A level, a factor, a cost: any positive number. */
#define TMLI_CONSTANT(name, value) __attribute__((unused)) static const double name = value;
#else
#define TMLI_CONSTANT(name, value) static const double name = value;
#endif
/** A part of a whole, a safety factor below one, a rate of decay: between 0 and 1. */
#define TMLI_SHARE(name, value) TMLI_CONSTANT(name, value)
/** A factor by which something may grow: above 1. */
#define TMLI_GROWTH(name, value) TMLI_CONSTANT(name, value)
/** A whole number: of steps, trials, points. A number that sizes an array cannot vary: use an enum for it. */
#define TMLI_COUNT(name, value) enum { name = value };
#endif

#endif
