// Building a model from a spec: nodes, constraints, forces, outputs, then the sparse pattern, the modes of
// discontinuities and the inertia of massless rotations.
#ifndef TMLI_MODEL_BUILD_BUILD_H
#define TMLI_MODEL_BUILD_BUILD_H

#include "model/model.h"

/** Build the model without its equations, which tml_model_build adds (system/multibody/multibody.c). */
tml_status tmli_model_build(const tml_spec *spec, tml_model **out, tml_error *err);
/** Remove the massless rotations that are kept at rest from the velocities of x. */
void tmli_model_stop_massless_rotations(const tml_model *m, tml_state *x);

// ---- shared between the files of this folder --------------------------------------------------------------

/** After nodes: length and origin of the model; node positions become relative to the origin. Fails if the
 * model stands so far away that its dimensions are lost. */
tml_status tmli_model_set_extent(const tml_spec *spec, tml_model *m, tml_error *err);
tml_status tmli_model_build_constraints(const tml_spec *spec, tml_model *m, tml_error *err);
tml_status tmli_model_build_forces(const tml_spec *spec, tml_model *m, tml_error *err);
/** After forces: springs have coordinates too. */
tml_status tmli_model_build_actuators(const tml_spec *spec, tml_model *m, tml_error *err);
tml_status tmli_model_build_outputs(const tml_spec *spec, tml_model *m, tml_error *err);
/** The unit of an output: the one given, in which its value is then, or that of the expression. */
tml_status tmli_model_set_output_unit(tml_model *m, tmli_output *o, const char *given, tml_mark at,
                                      tml_error *err);
/** Warn of an output that is constant in any motion. */
void tmli_model_warn_of_constant(const tml_model *m, const tmli_output *o, tml_mark at);
/** Warn of what the user may have forgotten: inertias, and parts of the model that have no effect. */
void tmli_model_warn(const tml_spec *spec, const tml_model *m);
tml_status tmli_model_build_pattern(tml_model *m, tml_error *err);
/** Find massless rotations that no force or constraint determines, and add an inertia that keeps them at
 * rest. */
tml_status tmli_model_find_massless_rotations(tml_model *m, tml_error *err);
/** Assign an index in state.mode to every discontinuity of forces and motions. */
tml_status tmli_model_number_modes(tml_model *m, tml_error *err);

#endif
