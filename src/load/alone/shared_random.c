// A function of new versions of libc for the archives in a shared library that stands alone
// (cmake/TrammelPortable.cmake), so that it can be loaded beside an older one: expat takes from glibc 2.36
// the random start of its tables.
#include <stddef.h>
#include <string.h>

int getentropy(void *out, size_t size);  // of glibc 2.25
void arc4random_buf(void *out, size_t size);

enum { MOST = 256 };  // [bytes] of one call

void arc4random_buf(void *out, size_t size)
{
    for (size_t i = 0; i < size; i += MOST) {
        const size_t n = size - i < MOST ? size - i : MOST;
        if (getentropy((char *)out + i, n) != 0)
            memset((char *)out + i, 0, n);  // a kernel without random numbers
    }
}
