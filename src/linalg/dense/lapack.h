// The routines of LAPACK and BLAS we call, as the Fortran compiler sees them: every argument by address, the
// lengths of character arguments at the end. Matrices are column-major. tmli_lapack_load comes before the
// first call of one.
//
// OpenBLAS takes its work memory from a table that all threads share, and without threads of its own, as
// Debian's libopenblas0-serial is built, it does so without a lock: two threads that enter at the same time
// may get the same memory, and numbers are wrong. We call tmli_dgetrf for dgetrf_, and so on: one thread at a
// time.
#ifndef TMLI_LINALG_DENSE_LAPACK_H
#define TMLI_LINALG_DENSE_LAPACK_H

#include "base/pool.h"

#include <stddef.h>

/** X(name, parameters, arguments) for every routine. */
#define TMLI_LAPACK(X)                                                                                       \
    /* P A = L U with partial pivoting. info > 0: U(info, info) is exactly zero. */                          \
    X(dgetrf, (const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info),                 \
      (m, n, a, lda, ipiv, info))                                                                            \
    /* Solve with the factors of dgetrf. */                                                                  \
    X(dgetrs,                                                                                                \
      (const char *trans, const int *n, const int *nrhs, const double *a, const int *lda, const int *ipiv,   \
       double *b, const int *ldb, int *info, size_t trans_len),                                              \
      (trans, n, nrhs, a, lda, ipiv, b, ldb, info, trans_len))                                               \
    /* Reciprocal condition number from the factors of dgetrf. work (4 n), iwork (n). */                     \
    X(dgecon,                                                                                                \
      (const char *norm, const int *n, const double *a, const int *lda, const double *anorm, double *rcond,  \
       double *work, int *iwork, int *info, size_t norm_len),                                                \
      (norm, n, a, lda, anorm, rcond, work, iwork, info, norm_len))                                          \
    /* A = L L' of a symmetric matrix. info > 0: it is not positive definite. */                             \
    X(dpotrf, (const char *uplo, const int *n, double *a, const int *lda, int *info, size_t uplo_len),       \
      (uplo, n, a, lda, info, uplo_len))                                                                     \
    /* A = L D L', lower triangle, blocks of size 1 and, where ipiv < 0, 2. work (lwork). */                 \
    X(dsytrf,                                                                                                \
      (const char *uplo, const int *n, double *a, const int *lda, int *ipiv, double *work, const int *lwork, \
       int *info, size_t uplo_len),                                                                          \
      (uplo, n, a, lda, ipiv, work, lwork, info, uplo_len))                                                  \
    /* Eigenvalues w (n, ascending), vectors (jobz = "V") in place of A. work (lwork >= 3 n - 1). */         \
    X(dsyev,                                                                                                 \
      (const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w, double *work, \
       const int *lwork, int *info, size_t jobz_len, size_t uplo_len),                                       \
      (jobz, uplo, n, a, lda, w, work, lwork, info, jobz_len, uplo_len))                                     \
    /* Eigenvalues wr + i wi (n) if jobvl = jobvr = "N"; A is destroyed. work (lwork >= 3 n). */             \
    X(dgeev,                                                                                                 \
      (const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda, double *wr,            \
       double *wi, double *vl, const int *ldvl, double *vr, const int *ldvr, double *work, const int *lwork, \
       int *info, size_t jobvl_len, size_t jobvr_len),                                                       \
      (jobvl, jobvr, n, a, lda, wr, wi, vl, ldvl, vr, ldvr, work, lwork, info, jobvl_len, jobvr_len))        \
    /* Eigenvalues (alphar + i alphai)/beta of a - s b; conjugate vectors: two columns. lwork >= 8 n. */     \
    X(dggev,                                                                                                 \
      (const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda, double *b,             \
       const int *ldb, double *alphar, double *alphai, double *beta, double *vl, const int *ldvl,            \
       double *vr, const int *ldvr, double *work, const int *lwork, int *info, size_t jobvl_len,             \
       size_t jobvr_len),                                                                                    \
      (jobvl, jobvr, n, a, lda, b, ldb, alphar, alphai, beta, vl, ldvl, vr, ldvr, work, lwork, info,         \
       jobvl_len, jobvr_len))                                                                                \
    /* Singular values s (n, descending) if jobu = jobvt = "N"; A is destroyed. lwork >= 5 n. */             \
    X(dgesvd,                                                                                                \
      (const char *jobu, const char *jobvt, const int *m, const int *n, double *a, const int *lda,           \
       double *s, double *u, const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork,    \
       int *info, size_t jobu_len, size_t jobvt_len),                                                        \
      (jobu, jobvt, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, info, jobu_len, jobvt_len))              \
    /* Least-squares solution of least norm; rcond: relative size of zeros. lwork >= 5 max(m, n). */         \
    X(dgelss,                                                                                                \
      (const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b, const int *ldb,    \
       double *s, const double *rcond, int *rank, double *work, const int *lwork, int *info),                \
      (m, n, nrhs, a, lda, b, ldb, s, rcond, rank, work, lwork, info))                                       \
    /* A P = Q R, column pivoting. jpvt: 0; on return column k of A P is jpvt[k] (from 1) of A. */           \
    X(dgeqp3,                                                                                                \
      (const int *m, const int *n, double *a, const int *lda, int *jpvt, double *tau, double *work,          \
       const int *lwork, int *info),                                                                         \
      (m, n, a, lda, jpvt, tau, work, lwork, info))                                                          \
    /* Q (m x n) from the k reflectors of a QR factorization. */                                             \
    X(dorgqr,                                                                                                \
      (const int *m, const int *n, const int *k, double *a, const int *lda, const double *tau, double *work, \
       const int *lwork, int *info),                                                                         \
      (m, n, k, a, lda, tau, work, lwork, info))                                                             \
    /* B = alpha inv(op(A)) B or alpha B inv(op(A)), A triangular. */                                        \
    X(dtrsm,                                                                                                 \
      (const char *side, const char *uplo, const char *transa, const char *diag, const int *m, const int *n, \
       const double *alpha, const double *a, const int *lda, double *b, const int *ldb, size_t side_len,     \
       size_t uplo_len, size_t transa_len, size_t diag_len),                                                 \
      (side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb, side_len, uplo_len, transa_len, diag_len))     \
    /* C = alpha op(A) op(B) + beta C. */                                                                    \
    X(dgemm,                                                                                                 \
      (const char *transa, const char *transb, const int *m, const int *n, const int *k,                     \
       const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,                \
       const double *beta, double *c, const int *ldc, size_t transa_len, size_t transb_len),                 \
      (transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, transa_len, transb_len))

#define TMLI_LAPACK_ROUTINE(name, parameters, arguments) \
    void name##_ parameters;                             \
    static inline void tmli_##name parameters            \
    {                                                    \
        tmli_library_enter();                            \
        name##_ arguments;                               \
        tmli_library_leave();                            \
    }
TMLI_LAPACK(TMLI_LAPACK_ROUTINE)

#endif
