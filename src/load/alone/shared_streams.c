// The streams of libc for the archives in a shared library that stands alone (cmake/TrammelCore.cmake).
//
// They are compiled for programs, in which stdin, stdout and stderr stand at fixed distances; in a shared
// library only variables of its own do. The linker (--wrap) takes these in their place.
#include <stdio.h>

extern FILE *__real_stdin, *__real_stdout, *__real_stderr;
extern FILE *__wrap_stdin, *__wrap_stdout, *__wrap_stderr;
FILE *__wrap_stdin, *__wrap_stdout, *__wrap_stderr;

__attribute__((constructor)) static void take_streams(void)
{
    __wrap_stdin = __real_stdin;
    __wrap_stdout = __real_stdout;
    __wrap_stderr = __real_stderr;
}
