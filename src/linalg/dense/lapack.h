// The few LAPACK and BLAS routines we call, as the Fortran compiler sees them: every argument by address, the
// lengths of character arguments at the end. Matrices are column-major. tmli_lapack_load comes before the
// first call of one.
#ifndef TMLI_LINALG_DENSE_LAPACK_H
#define TMLI_LINALG_DENSE_LAPACK_H

#include <stddef.h>

/** P A = L U with partial pivoting. info > 0: U(info, info) is exactly zero. */
void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
/** A = L L' of a symmetric matrix. info > 0: it is not positive definite. */
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t uplo_length);
/** Solve with the factors of dgetrf. */
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda,
             const int *ipiv, double *b, const int *ldb, int *info, size_t trans_len);
/** Reciprocal condition number from the factors of dgetrf. work (4 n), iwork (n). */
void dgecon_(const char *norm, const int *n, const double *a, const int *lda, const double *anorm,
             double *rcond, double *work, int *iwork, int *info, size_t norm_len);
/** A = L D L' of a symmetric matrix, lower triangle (uplo = "L"), D with blocks of size 1 and, where ipiv <
 * 0, 2. work (lwork). */
void dsytrf_(const char *uplo, const int *n, double *a, const int *lda, int *ipiv, double *work,
             const int *lwork, int *info, size_t uplo_len);
/** Eigenvalues w (n, ascending) and -vectors (jobz = "V", in place of A) of a symmetric matrix. work (lwork
 * >= 3 n - 1). */
void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
            double *work, const int *lwork, int *info, size_t jobz_len, size_t uplo_len);
/** Eigenvalues wr + i wi (n) of A if jobvl = jobvr = "N"; A is destroyed. work (lwork >= 3 n). */
void dgeev_(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda, double *wr,
            double *wi, double *vl, const int *ldvl, double *vr, const int *ldvr, double *work,
            const int *lwork, int *info, size_t jobvl_len, size_t jobvr_len);
/** Eigenvalues (alphar + i alphai)/beta of the pencil a - s b. Vectors of a conjugate pair are two columns,
 * its real and its imaginary part. work (lwork >= 8 n). */
void dggev_(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda, double *b,
            const int *ldb, double *alphar, double *alphai, double *beta, double *vl, const int *ldvl,
            double *vr, const int *ldvr, double *work, const int *lwork, int *info, size_t jobvl_len,
            size_t jobvr_len);
/** Singular values s (n, descending) of A if jobu = jobvt = "N"; A is destroyed. work (lwork >= 5 n for
 * square A). */
void dgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, double *a, const int *lda,
             double *s, double *u, const int *ldu, double *vt, const int *ldvt, double *work,
             const int *lwork, int *info, size_t jobu_len, size_t jobvt_len);
/** B = alpha inv(op(A)) B or alpha B inv(op(A)), A triangular. */
void dtrsm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m,
            const int *n, const double *alpha, const double *a, const int *lda, double *b, const int *ldb,
            size_t side_len, size_t uplo_len, size_t transa_len, size_t diag_len);
/** C = alpha op(A) op(B) + beta C. */
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc, size_t transa_len, size_t transb_len);

#endif
