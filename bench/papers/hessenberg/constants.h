// Thresholds of the Hessenberg systems; base/constants.h says how they are declared. The defaults of
// tml_hessenberg_def are part of its interface and stand in hessenberg.c.
#ifndef PAPERS_HESSENBERG_CONSTANTS_H
#define PAPERS_HESSENBERG_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"

// [-] Largest number of unknowns x and of multipliers y: matrices are dense.
// Origin: matrices are dense, and their columns are differenced one by one.
#define LARGEST_SYSTEM TMLI_DENSE_UNKNOWNS

#endif
