// The checks of system/multibody/test_rates.c in joint coordinates.
#define MB_ON_JOINTS
#include "system/multibody/test_rates.c"
