// The checks of system/multibody/test_loads.c with bodies on SE(3).
#define MB_ON_SE3
#include "system/multibody/test_loads.c"
