// The variants of methods that options choose, with their sources.
#ifndef CLI_VARIANTS_H
#define CLI_VARIANTS_H

/** One value of an option that changes equations, unknowns, scaling, error control or estimate. */
typedef struct cli_variant {
    const char *option, *value;  // as in the run block
    const char *methods;         // that have it
    const char *order;           // what it does to the order; "" : nothing
    const char *source;          // document and equation
    const char *use;             // what it is good for; what is there for comparison only says so
} cli_variant;

extern const cli_variant cli_variants[];  // ends with option NULL

#endif
