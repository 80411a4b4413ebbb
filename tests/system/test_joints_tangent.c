// The checks of test_multibody_tangent.c with every subject in joint coordinates.
#define MB_ON_JOINTS
#include "test_multibody_tangent.c"
