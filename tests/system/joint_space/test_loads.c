// The checks of system/multibody/test_loads.c in joint coordinates: loads are reactions of loops.
#define MB_ON_JOINTS
#include "system/multibody/test_loads.c"
