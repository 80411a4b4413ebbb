// The model: a mechanism built from a spec. It is immutable; any number of simulations and threads may share
// it.
#ifndef TRAMMEL_MODEL_H
#define TRAMMEL_MODEL_H

#include <stdbool.h>
#include <trammel/base.h>
#include <trammel/spec.h>
#include <trammel/system.h>

TML_C_BEGIN

typedef struct tml_model tml_model;

/** Build a model: resolve names, number the unknowns, fix the sparse pattern. The spec may be destroyed
 * afterwards; the caller destroys *out. Errors: TML_ERR_NAME, TML_ERR_SYNTAX (expression), TML_ERR_MODEL,
 * TML_ERR_NOMEM, with the position in the model file and the nearest valid name. */
TML_API tml_status tml_model_build(const tml_spec *spec, tml_model **out, tml_error *err);
TML_API void tml_model_destroy(tml_model *model);  ///< accepts NULL

TML_API const tml_system *tml_model_system(const tml_model *model);  ///< the equations; borrowed
TML_API const tml_run_def *tml_model_run(const tml_model *model);    ///< run settings of the spec; borrowed
TML_API const char *tml_model_title(const tml_model *model);         ///< "": none; borrowed
// Numbers and names of the elements. Indices start at 0; names are borrowed, NULL for an index out of range.
TML_API int tml_model_body_count(const tml_model *model);
TML_API const char *tml_model_body_name(const tml_model *model, int body);
TML_API int tml_model_joint_count(const tml_model *model);
TML_API const char *tml_model_joint_name(const tml_model *model, int joint);
/** Number of constraint rows of a joint, including redundant rows. */
TML_API int tml_model_joint_row_count(const tml_model *model, int joint);
TML_API int tml_model_force_count(const tml_model *model);
TML_API const char *tml_model_force_name(const tml_model *model, int force);
TML_API int tml_model_state_count(const tml_model *model);  ///< first-order states: z of a state
TML_API const char *tml_model_state_name(const tml_model *model, int state);
TML_API int tml_model_input_count(const tml_model *model);
TML_API const char *tml_model_input_name(const tml_model *model, int input);
/** The index of an element by its name; -1: there is none, and err (TML_ERR_NAME) gives the nearest name. */
TML_API int tml_model_body_index(const tml_model *model, const char *name, tml_error *err);
TML_API int tml_model_joint_index(const tml_model *model, const char *name, tml_error *err);
TML_API int tml_model_force_index(const tml_model *model, const char *name, tml_error *err);
TML_API int tml_model_state_index(const tml_model *model, const char *name, tml_error *err);
TML_API int tml_model_input_index(const tml_model *model, const char *name, tml_error *err);

/** A velocity component of a body: of its centre of mass in inertial axes [m/s], of its rotation in body axes
 * [rad/s]. */
typedef enum tml_body_component {
    TML_BODY_VX,
    TML_BODY_VY,
    TML_BODY_VZ,
    TML_BODY_WX,
    TML_BODY_WY,
    TML_BODY_WZ
} tml_body_component;

/** Where a body is in a state of the model.
 *
 * q: bodies in their order, 7 numbers each: centre of mass x, y, z in inertial axes, from `origin` of the
 * state (0 for most models) [m], and a unit quaternion, scalar first, that turns body axes to inertial axes.
 * Planar bodies and points have all of them. u, udot: bodies in their order, each with the components that
 * it has: six in space, VX, VY and WZ in the plane, no rotation for points. After the bodies, each
 * first-order state has 7 numbers in q, which mean nothing to a user, and its value in u (z of the state).
 * lambda: joints in their order. */
typedef struct tml_body_layout {
    int q;                            ///< index of x in q; -1: there is no such body
    int u;                            ///< index of its first component in u and udot
    int u_count;                      ///< number of its components, 0..6
    tml_body_component component[6];  ///< (u_count) what they are
} tml_body_layout;
TML_API tml_body_layout tml_model_body_layout(const tml_model *model, int body);

typedef struct tml_joint_layout {
    int lambda;     ///< index of its first multiplier; -1: there is no such joint
    int row_count;  ///< number of its multipliers
} tml_joint_layout;
TML_API tml_joint_layout tml_model_joint_layout(const tml_model *model, int joint);

/** Set x to the start values of the spec: t [s], q, u and angles, not yet consistent with the constraints.
 * udot and lambda become 0. */
TML_API void tml_model_start(const tml_model *model, double t, tml_state *x);

TML_C_END
#endif
