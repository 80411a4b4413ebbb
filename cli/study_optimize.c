// Studies that search an optimum: the program of optimization, and what it has found.
#include "study.h"

#include "base/base.h"
#include "load/core/tables.h"

#include <math.h>

tml_status study_minimizer(tml_study_minimizer *out, tml_error *err)
{
    *out = NULL;
#ifdef TRAMMEL_HAVE_NLOPT
    const void *table;
    const tml_status st = tmli_module_table("nlopt", sizeof(tmli_module_nlopt), &table, err);
    if (st == TML_OK) *out = ((const tmli_module_nlopt *)table)->minimize;
    return st;
#else
    return tmli_fail(err, TML_ERR_ARG, "This program was built without NLopt: it searches no optimum.");
#endif
}

void study_print_optimum(const tml_study *s, const tml_study_table *t, long best)
{
    const int np = tml_study_parameter_count(s), nq = tml_study_quantity_count(s);
    double goal, violation;
    for (long i = 0; i < tml_study_table_count(t); i++) {
        const double *x = tml_study_table_values(t, i);
        if (tml_study_table_member(t, i) != best || tml_study_goal(s, x, &goal, &violation, NULL) != TML_OK)
            continue;
        printf("\noptimum   member %ld, %.9g", best, goal);
        if (violation > 0) printf("; a constraint is %.3g, not satisfied", violation);
        putchar('\n');
        for (int k = 0; k < np; k++) printf("  %s = %.9g\n", tml_study_parameter_name(s, k), x[k]);
        for (int k = 0; k < nq; k++) printf("  %s: %.9g\n", tml_study_quantity_name(s, k), x[np + k]);
    }
    if (best < 0) printf("\noptimum   none: no member has a value\n");
}
