// Model files through everything: read, build, start, two steps with their channels.
#include <stdint.h>

#include "fuzz/simulate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size <= 8192) run_text((const char *)data, size);
    return 0;
}
