// Table of the variants, by option; see variants.h. tests/cli/test_variants.py checks that every value of
// these options in the schema has an entry.
#include "variants.h"

#include <stddef.h>

#define IMPLICIT "index-3 methods with Newton's iteration of the kernel (alpha family, bdf, bdf2)"
#define STATE_SPACE "ssp-trap, ssp-sdirk, infl-trap, infl-sdirk, for-sdirk, for-rosen"
#define REGULARIZED "baumgarte, trust-region, direct-reg"
#define BAUCHAU "Bauchau, Epple & Bottasso 2009"
#define BOTTASSO "Bottasso, Bauchau & Cardona 2007"
#define NEGRUT "Negrut 1998"
#define PETZOLD "Petzold, Ren & Maly 1997"
#define DYMORE "Dymore user's manual"

const cli_variant cli_variants[] = {
    {"scaling", "none", IMPLICIT, "", BOTTASSO ", (4) and (37); " BAUCHAU ", (20), (30)",
     "comparison: condition numbers grow with h^-3 or h^-4"},
    {"scaling", "left", IMPLICIT, "", BOTTASSO ", (16) and (44)",
     "comparison: condition numbers still grow with h^-2 or h^-3"},
    {"scaling", "left-right", IMPLICIT, "", BOTTASSO ", (23), (24) and (48), (49); " BAUCHAU ", s = 1",
     "independent of the step, not of the masses"},
    {"scaling", "left-right-velocity", IMPLICIT, "", BOTTASSO ", (29)",
     "as left-right where velocities are unknowns too (fields three)"},
    {"scaling", "uniform", IMPLICIT, "", BAUCHAU ", (6)", "independent of the step and of the masses"},
    {"scaling", "norm", IMPLICIT, "", BAUCHAU ", text before (4)",
     "comparison: as uniform, m, d and k the infinity norms of M, D and K"},
    {"scaling", "physical", IMPLICIT, "", "own, docs/theory/scaling.md",
     "the default: as uniform, with a factor for each row"},
    {"scaling", "given", "alpha methods, bdf, decay, conserve", "", BOTTASSO ", section 5",
     "k=...,d=...,m=...: s = k + d/h + m/h^2 by the user; comparison"},
    {"augment", "0", IMPLICIT, "", BAUCHAU ", (36)", "comparison: solvers without pivots need more"},
    {"augment", "1", IMPLICIT, "", BAUCHAU ", (7a), (12)",
     "the default: penalty in units of the scaling; no pivots needed"},
    {"fields", "two", IMPLICIT, "", BOTTASSO ", (34) - (37)", "the default"},
    {"fields", "three", IMPLICIT, "", BOTTASSO ", (4)", "comparison: velocities as unknowns"},
    {"iterate", "converged", IMPLICIT, "", "own, docs/theory/alpha.md", "the default: ends by the tolerance"},
    {"iterate", "saturated", IMPLICIT, "", BOTTASSO ", (33)",
     "comparison: until corrections are round-off, with a new matrix each time"},
    {"placement", "nodes", "genalpha, hht", "2, 2, 2", "Arnold & Bruels 2007; " DYMORE ", (5) - (14)",
     "the default"},
    {"placement", "inner", "genalpha, hht", "2, 2, 2", "Chung & Hulbert 1993; " BAUCHAU ", (19)",
     "comparison: forces and reactions at a point inside the step"},
    {"constraint_point", "end", "midpoint; genalpha, hht with placement inner", "2, 2, 2", BAUCHAU ", (19b)",
     "the default: positions satisfy the constraints"},
    {"constraint_point", "mean", "midpoint; genalpha, hht with placement inner", "2, 2, 2", BAUCHAU ", (9c)",
     "comparison: errors of the constraints change their sign from step to step and do not decay (midpoint)"},
    {"constraint_point", "inner", "genalpha (rho < 1), hht with placement inner", "2, 2, 2",
     BAUCHAU ", (37b), (38a)", "comparison: positions violate the constraints by O(h^2)"},
    {"control", "motion", "all methods with multipliers as unknowns", "", "own, docs/decisions/0001",
     "the default: positions and velocities decide the step"},
    {"control", "all", "all methods with multipliers as unknowns", "", "own, docs/decisions/0001",
     "smooth multipliers of the method itself"},
    {"coordinates", "partition", STATE_SPACE ", explicit methods", "", NEGRUT ", (3.1) - (3.4)",
     "the default"},
    {"coordinates", "tangent", STATE_SPACE ", explicit methods", "", NEGRUT ", appendix B",
     "few coordinates of the model suit; no change of basis"},
    {"jacobian", "exact", STATE_SPACE, "", NEGRUT ", (3.93), (3.98); descriptor form: (3.76) in part",
     "the default"},
    {"jacobian", "differences", STATE_SPACE, "", NEGRUT ", 5.3, Table 30",
     "forces without derivatives, checks of derivatives"},
    {"jacobian", "full", "infl-trap, infl-sdirk", "", NEGRUT ", 3.3, matrix after (3.83)",
     "comparison: all derivatives of the descriptor form; about as many iterations, more factorizations"},
    {"estimate", "filtered", STATE_SPACE, "", "own, docs/theory/state-space.md, 5; " NEGRUT ", (5.6)",
     "the default: errors in proportion to the tolerance"},
    {"estimate", "embedded", STATE_SPACE, "1 (trapezoidal), 3",
     NEGRUT ", 4.1.2, (4.5) - (4.8), (4.71), (4.86)",
     "comparison: errors not in proportion to the tolerance"},
    {"index", "3", REGULARIZED, "", PETZOLD ", (4.3), (4.6), (4.8)", "the default: positions do not drift"},
    {"index", "2", REGULARIZED, "", PETZOLD ", (2.5), (2.10), (2.12)",
     "comparison: positions drift, branches are lost"},
    {"redundancy", "select", "all methods", "", "own, docs/theory/singular.md",
     "the default: dependent rows are set aside, whatever the method"},
    {"redundancy", "regularize", REGULARIZED, "", PETZOLD ", sections 2 to 4",
     "comparison: the regularization alone on all rows"},
    {"group", "r3so3", "all methods", "", "Bruels, Cardona & Arnold 2012", "the default"},
    {"group", "se3", "all methods", "", "Bruels, Arnold & Cardona; docs/theory/motion.md",
     "bodies that turn and move together"},
    {"group", "se3-cayley", "all methods", "", DYMORE ", (31); docs/theory/motion.md",
     "as se3, with the Cayley map"},
    {"kinematics", "auto", "all methods", "", "own, docs/theory/joints.md", "the default"},
    {"kinematics", "bodies", "all methods", "", NEGRUT ", 3.4.2", "multipliers of all joints as unknowns"},
    {"kinematics", "joints", "all methods", "", NEGRUT ", 3.4.3", "fewer unknowns in open chains"},
    {NULL, NULL, NULL, NULL, NULL, NULL},
};
