// What the files about beams share.
#ifndef TMLI_SPEC_BEAM_PARTS_H
#define TMLI_SPEC_BEAM_PARTS_H

#include "spec/schema.h"

/** Stiffness, mass and inertia of a section that is given by its form and material. */
tml_status tmli_beam_complete_section(const tmli_check *c, tml_beam_def *d);
/** The stiffness C (6 x 6) is symmetric and positive definite. */
tml_status tmli_beam_check_stiffness(const tmli_check *c, const double *C);

#endif
