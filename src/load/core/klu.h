// The table of the module 'klu': every function of KLU that is called, TMLI_KLU(X) with X(type, name,
// parameters, arguments). The prototypes are those of klu.h.
#ifndef TMLI_LOAD_CORE_KLU_H
#define TMLI_LOAD_CORE_KLU_H

#include "load/module.h"

#include <suitesparse/klu.h>

#define TMLI_KLU(X)                                                                                          \
    X(int, klu_defaults, (klu_common * common), (common))                                                    \
    X(klu_symbolic *, klu_analyze, (int n, int *Ap, int *Ai, klu_common *common), (n, Ap, Ai, common))       \
    X(klu_numeric *, klu_factor, (int *Ap, int *Ai, double *Ax, klu_symbolic *symbolic, klu_common *common), \
      (Ap, Ai, Ax, symbolic, common))                                                                        \
    X(klu_numeric *, klu_z_factor,                                                                           \
      (int *Ap, int *Ai, double *Ax, klu_symbolic *symbolic, klu_common *common),                            \
      (Ap, Ai, Ax, symbolic, common))                                                                        \
    X(int, klu_refactor,                                                                                     \
      (int *Ap, int *Ai, double *Ax, klu_symbolic *symbolic, klu_numeric *numeric, klu_common *common),      \
      (Ap, Ai, Ax, symbolic, numeric, common))                                                               \
    X(int, klu_rgrowth,                                                                                      \
      (int *Ap, int *Ai, double *Ax, klu_symbolic *symbolic, klu_numeric *numeric, klu_common *common),      \
      (Ap, Ai, Ax, symbolic, numeric, common))                                                               \
    X(int, klu_rcond, (klu_symbolic * symbolic, klu_numeric * numeric, klu_common * common),                 \
      (symbolic, numeric, common))                                                                           \
    X(int, klu_flops, (klu_symbolic * symbolic, klu_numeric * numeric, klu_common * common),                 \
      (symbolic, numeric, common))                                                                           \
    X(int, klu_solve,                                                                                        \
      (klu_symbolic * symbolic, klu_numeric * numeric, int ld, int nrhs, double *B, klu_common *common),     \
      (symbolic, numeric, ld, nrhs, B, common))                                                              \
    X(int, klu_z_solve,                                                                                      \
      (klu_symbolic * symbolic, klu_numeric * numeric, int ld, int nrhs, double *B, klu_common *common),     \
      (symbolic, numeric, ld, nrhs, B, common))                                                              \
    X(int, klu_tsolve,                                                                                       \
      (klu_symbolic * symbolic, klu_numeric * numeric, int ld, int nrhs, double *B, klu_common *common),     \
      (symbolic, numeric, ld, nrhs, B, common))                                                              \
    X(int, klu_extract,                                                                                      \
      (klu_numeric * numeric, klu_symbolic * symbolic, int *Lp, int *Li, double *Lx, int *Up, int *Ui,       \
       double *Ux, int *Fp, int *Fi, double *Fx, int *P, int *Q, double *Rs, int *R, klu_common *common),    \
      (numeric, symbolic, Lp, Li, Lx, Up, Ui, Ux, Fp, Fi, Fx, P, Q, Rs, R, common))                          \
    X(void *, klu_malloc, (size_t n, size_t size, klu_common * common), (n, size, common))                   \
    X(void *, klu_free, (void *p, size_t n, size_t size, klu_common *common), (p, n, size, common))          \
    X(int, klu_free_symbolic, (klu_symbolic * *symbolic, klu_common * common), (symbolic, common))           \
    X(int, klu_free_numeric, (klu_numeric * *numeric, klu_common * common), (numeric, common))               \
    X(int, klu_z_free_numeric, (klu_numeric * *numeric, klu_common * common), (numeric, common))

#define TMLI_KLU_MEMBER(type, name, parameters, arguments) type(*name) parameters;
typedef struct tmli_module_klu {
    tmli_module_head head;
    TMLI_KLU(TMLI_KLU_MEMBER)
} tmli_module_klu;

#endif
