// The checks of system/multibody/test_rates.c with bodies on SE(3).
#define MB_ON_SE3
#define main rates_main
#include "system/multibody/test_rates.c"
#undef main

int main(void)
{
    const int failed = rates_main();
    mb_cayley = true;
    return failed + rates_main();
}
