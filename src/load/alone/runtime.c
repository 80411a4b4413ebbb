// What the archives in a library that stands alone (cmake/TrammelCore.cmake) need of others.
//
// LAPACK calls the run time library of Fortran for two things only: to put two letters side by side, and to
// print that an argument is wrong before it stops the program. Both are here, so that the library with its
// files, formats and threads stays outside. Our calls have right arguments; a wrong one leaves INFO < 0,
// which callers look at.
//
// The archives are compiled for programs, in which stdin, stdout and stderr stand at fixed distances; in a
// shared library only variables of its own do. The linker (--wrap) takes these in their place.
#include <stddef.h>
#include <stdio.h>
#include <string.h>

void xerbla_(const char *name, const int *argument, size_t name_length);
void _gfortran_concat_string(size_t room, char *out, size_t a_length, const char *a, size_t b_length,
                             const char *b);
extern FILE *__real_stdin, *__real_stdout, *__real_stderr;
extern FILE *__wrap_stdin, *__wrap_stdout, *__wrap_stderr;
FILE *__wrap_stdin, *__wrap_stdout, *__wrap_stderr;

__attribute__((constructor)) static void take_streams(void)
{
    __wrap_stdin = __real_stdin;
    __wrap_stdout = __real_stdout;
    __wrap_stderr = __real_stderr;
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
