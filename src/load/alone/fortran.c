// What the archives of LAPACK and ARPACK in something that stands alone (cmake/TrammelCore.cmake) need of the
// run time library of Fortran.
//
// LAPACK calls it for two things only: to put two letters side by side, and to print that an argument is
// wrong before it stops the program. Our calls have right arguments; a wrong one leaves INFO < 0, which
// callers look at. ARPACK prints vectors and statistics on the way, if it is asked to, which nobody does. All
// are here, so that the library with its files, formats and threads stays outside.
#include <stddef.h>
#include <string.h>

void xerbla_(const char *name, const int *argument, size_t name_length);
void _gfortran_concat_string(size_t room, char *out, size_t a_length, const char *a, size_t b_length,
                             const char *b);

// SUBROUTINE xVOUT(unit, n, values, digits, title), xMOUT(unit, m, n, values, lda, digits, title)
#define VECTOR(name)                                                                                   \
    void name(const int *, const int *, const void *, const int *, const char *, size_t);              \
    void name(const int *unit, const int *n, const void *values, const int *digits, const char *title, \
              size_t title_length)                                                                     \
    {                                                                                                  \
        (void)unit, (void)n, (void)values, (void)digits, (void)title, (void)title_length;              \
    }
#define MATRIX(name)                                                                                       \
    void name(const int *, const int *, const int *, const void *, const int *, const int *, const char *, \
              size_t);                                                                                     \
    void name(const int *unit, const int *m, const int *n, const void *values, const int *lda,             \
              const int *digits, const char *title, size_t title_length)                                   \
    {                                                                                                      \
        (void)unit, (void)m, (void)n, (void)values, (void)lda, (void)digits, (void)title,                  \
            (void)title_length;                                                                            \
    }

// WRITE of statistics
void _gfortran_st_write(void *statement);
void _gfortran_st_write_done(void *statement);
void _gfortran_transfer_integer_write(void *statement, void *value, int kind);
void _gfortran_transfer_real_write(void *statement, void *value, int kind);

VECTOR(ivout_)
VECTOR(dvout_)
VECTOR(zvout_)
MATRIX(dmout_)
MATRIX(zmout_)

void _gfortran_st_write(void *statement) { (void)statement; }

void _gfortran_st_write_done(void *statement) { (void)statement; }

void _gfortran_transfer_integer_write(void *statement, void *value, int kind)
{
    (void)statement, (void)value, (void)kind;
}

void _gfortran_transfer_real_write(void *statement, void *value, int kind)
{
    (void)statement, (void)value, (void)kind;
}

void xerbla_(const char *name, const int *argument, size_t name_length)
{
    (void)name;
    (void)argument;
    (void)name_length;
}

// out (room) = a // b, cut or filled with blanks
void _gfortran_concat_string(size_t room, char *out, size_t a_length, const char *a, size_t b_length,
                             const char *b)
{
    const size_t first = a_length < room ? a_length : room,
                 second = b_length < room - first ? b_length : room - first;
    memcpy(out, a, first);
    memcpy(out + first, b, second);
    memset(out + first + second, ' ', room - first - second);
}
