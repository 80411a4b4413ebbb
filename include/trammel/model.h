// The model: a mechanism built from a spec. It is immutable; any number of simulations and threads may share
// it.
#ifndef TRAMMEL_MODEL_H
#define TRAMMEL_MODEL_H

#include <stdbool.h>
#include <trammel/base.h>
#include <trammel/spec.h>
#include <trammel/system.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tml_model tml_model;

/** Build a model: resolve names, number the unknowns, fix the sparse pattern. The spec may be destroyed
 * afterwards; the caller destroys *out. Errors: TML_ERR_NAME, TML_ERR_SYNTAX (expression), TML_ERR_MODEL,
 * TML_ERR_NOMEM, with the position in the model file and the nearest valid name. */
TML_API tml_status tml_model_build(const tml_spec *spec, tml_model **out, tml_error *err);
TML_API void tml_model_destroy(tml_model *model);  ///< accepts NULL

TML_API const tml_system *tml_model_system(const tml_model *model);  ///< the equations; borrowed
TML_API const tml_run_def *tml_model_run(const tml_model *model);    ///< run settings of the spec; borrowed
TML_API const char *tml_model_title(const tml_model *model);         ///< never NULL; borrowed
// Counts and names of the elements. Indices start at 0; names are borrowed.
TML_API int tml_model_body_count(const tml_model *model);
TML_API const char *tml_model_body_name(const tml_model *model, int body);
TML_API int tml_model_joint_count(const tml_model *model);
TML_API const char *tml_model_joint_name(const tml_model *model, int joint);
/** Number of constraint rows of a joint, including redundant rows. */
TML_API int tml_model_joint_rows(const tml_model *model, int joint);
TML_API int tml_model_force_count(const tml_model *model);
TML_API const char *tml_model_force_name(const tml_model *model, int force);

/** Set x to the start values of the spec: t [s], q, u and angles, not yet consistent with the constraints.
 * udot and lambda become 0. */
TML_API void tml_model_start(const tml_model *model, double t, tml_state *x);

#ifdef __cplusplus
}
#endif
#endif
