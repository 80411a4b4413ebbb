// Robots of any bytes, URDF or MJCF. The options follow from the length of the input.
#include <stdint.h>

#include "fuzz/robot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    run_robot("no-such-folder/robot.urdf", (const char *)data, size, size & 7);
    return 0;
}
