// Thresholds that were chosen, not derived: how a room declares them.
//
// Each room that decides by thresholds has one file constants.h with all of them. An entry is
//   // [unit] What the threshold decides.
//   // Origin: the theory or experiment that gave the value.
//   TMLI_CONSTANT(NAME, value)
// A constants.h is included by the sources of its room only, and it is the last of their includes.
//
// scripts/sensitivity doubles and halves each of them over the bundled models and writes docs/constants.md.
// It
// uses a build with TRAMMEL_VARY_CONSTANTS, in which the environment variable TRAMMEL_VARY,
// "integrate/newton/constants.h:NAME=factor", multiplies one value. In all other builds they are compile-time
// constants.
#ifndef TMLI_BASE_CONSTANTS_H
#define TMLI_BASE_CONSTANTS_H

#ifdef TRAMMEL_VARY_CONSTANTS
double tmli_vary(const char *file, const char *name, double value);
#define TMLI_CONSTANT(name, value)                                  \
    static double name = value;                                     \
    __attribute__((constructor)) static void tmli_vary_##name(void) \
    {                                                               \
        name = tmli_vary(__FILE__, #name, value);                   \
    }
/** A whole number: of steps, trials, points. A number that sizes an array cannot vary: use an enum for it. */
#define TMLI_COUNT(name, value)                                     \
    static int name = value;                                        \
    __attribute__((constructor)) static void tmli_vary_##name(void) \
    {                                                               \
        name = (int)tmli_vary(__FILE__, #name, value);              \
    }
#elif defined(__GNUC__)
#define TMLI_CONSTANT(name, value) __attribute__((unused)) static const double name = value;
#define TMLI_COUNT(name, value) enum { name = value };
#else
#define TMLI_CONSTANT(name, value) static const double name = value;
#define TMLI_COUNT(name, value) enum { name = value };
#endif

#endif
