// The table of the module 'lapack': every routine of LAPACK and BLAS that is called, TMLI_LAPACK(X) with
// X(name, parameters, arguments). The prototypes are those of linalg/dense/lapack.h and of the rooms that
// declare a routine of their own.
#ifndef TMLI_LOAD_CORE_LAPACK_H
#define TMLI_LOAD_CORE_LAPACK_H

#include "linalg/dense/lapack.h"
#include "load/module.h"

#define TMLI_LAPACK(X)                                                                                       \
    X(dgetrf_, (const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info),                \
      (m, n, a, lda, ipiv, info))                                                                            \
    X(dgetrs_,                                                                                               \
      (const char *trans, const int *n, const int *nrhs, const double *a, const int *lda, const int *ipiv,   \
       double *b, const int *ldb, int *info, size_t trans_len),                                              \
      (trans, n, nrhs, a, lda, ipiv, b, ldb, info, trans_len))                                               \
    X(dgecon_,                                                                                               \
      (const char *norm, const int *n, const double *a, const int *lda, const double *anorm, double *rcond,  \
       double *work, int *iwork, int *info, size_t norm_len),                                                \
      (norm, n, a, lda, anorm, rcond, work, iwork, info, norm_len))                                          \
    X(dpotrf_, (const char *uplo, const int *n, double *a, const int *lda, int *info, size_t uplo_len),      \
      (uplo, n, a, lda, info, uplo_len))                                                                     \
    X(dsytrf_,                                                                                               \
      (const char *uplo, const int *n, double *a, const int *lda, int *ipiv, double *work, const int *lwork, \
       int *info, size_t uplo_len),                                                                          \
      (uplo, n, a, lda, ipiv, work, lwork, info, uplo_len))                                                  \
    X(dsyev_,                                                                                                \
      (const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w, double *work, \
       const int *lwork, int *info, size_t jobz_len, size_t uplo_len),                                       \
      (jobz, uplo, n, a, lda, w, work, lwork, info, jobz_len, uplo_len))                                     \
    X(dgeev_,                                                                                                \
      (const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda, double *wr,            \
       double *wi, double *vl, const int *ldvl, double *vr, const int *ldvr, double *work, const int *lwork, \
       int *info, size_t jobvl_len, size_t jobvr_len),                                                       \
      (jobvl, jobvr, n, a, lda, wr, wi, vl, ldvl, vr, ldvr, work, lwork, info, jobvl_len, jobvr_len))        \
    X(dggev_,                                                                                                \
      (const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda, double *b,             \
       const int *ldb, double *alphar, double *alphai, double *beta, double *vl, const int *ldvl,            \
       double *vr, const int *ldvr, double *work, const int *lwork, int *info, size_t jobvl_len,             \
       size_t jobvr_len),                                                                                    \
      (jobvl, jobvr, n, a, lda, b, ldb, alphar, alphai, beta, vl, ldvl, vr, ldvr, work, lwork, info,         \
       jobvl_len, jobvr_len))                                                                                \
    X(dgesvd_,                                                                                               \
      (const char *jobu, const char *jobvt, const int *m, const int *n, double *a, const int *lda,           \
       double *s, double *u, const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork,    \
       int *info, size_t jobu_len, size_t jobvt_len),                                                        \
      (jobu, jobvt, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, info, jobu_len, jobvt_len))              \
    X(dgelss_,                                                                                               \
      (const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b, const int *ldb,    \
       double *s, const double *rcond, int *rank, double *work, const int *lwork, int *info),                \
      (m, n, nrhs, a, lda, b, ldb, s, rcond, rank, work, lwork, info))                                       \
    X(dgeqp3_,                                                                                               \
      (const int *m, const int *n, double *a, const int *lda, int *jpvt, double *tau, double *work,          \
       const int *lwork, int *info),                                                                         \
      (m, n, a, lda, jpvt, tau, work, lwork, info))                                                          \
    X(dorgqr_,                                                                                               \
      (const int *m, const int *n, const int *k, double *a, const int *lda, const double *tau, double *work, \
       const int *lwork, int *info),                                                                         \
      (m, n, k, a, lda, tau, work, lwork, info))                                                             \
    X(dtrsm_,                                                                                                \
      (const char *side, const char *uplo, const char *transa, const char *diag, const int *m, const int *n, \
       const double *alpha, const double *a, const int *lda, double *b, const int *ldb, size_t side_len,     \
       size_t uplo_len, size_t transa_len, size_t diag_len),                                                 \
      (side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb, side_len, uplo_len, transa_len, diag_len))     \
    X(dgemm_,                                                                                                \
      (const char *transa, const char *transb, const int *m, const int *n, const int *k,                     \
       const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,                \
       const double *beta, double *c, const int *ldc, size_t transa_len, size_t transb_len),                 \
      (transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, transa_len, transb_len))

#define TMLI_LAPACK_PROTOTYPE(name, parameters, arguments) void name parameters;
TMLI_LAPACK(TMLI_LAPACK_PROTOTYPE)

#define TMLI_LAPACK_MEMBER(name, parameters, arguments) void(*name) parameters;
typedef struct tmli_module_lapack {
    tmli_module_head head;
    TMLI_LAPACK(TMLI_LAPACK_MEMBER)
} tmli_module_lapack;

#endif
