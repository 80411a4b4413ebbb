// The checks of test_multibody_tangent.c with every subject on SE(3): body-frame velocities, incremental motions.
#define MB_ON_SE3
#include "test_multibody_tangent.c"
