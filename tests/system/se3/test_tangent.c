// The checks of test_multibody_tangent.c with every subject on SE(3): body-frame velocities, incremental
// motions.
#define MB_ON_SE3
#define main tangent_main
#include "system/multibody/test_tangent.c"
#undef main

int main(void)
{
    const int failed = tangent_main();
    mb_cayley = true;
    return failed + tangent_main();
}
