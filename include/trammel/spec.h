// The specification: a mutable description of a mechanism, read from a file or built by calls.
// tml_model_build turns it into a tml_model.
//
// Units are SI; angles are in rad. A "frame" is a named point with axes, fixed to a body or to the ground. A
// frame reference is "body.frame", "ground.frame", "body" (its centre of mass and axes) or "ground" (the
// inertial frame). Definitions: start from the default function, which sets `size`. All texts and tables are
// copied.
#ifndef TRAMMEL_SPEC_H
#define TRAMMEL_SPEC_H

#include <stdbool.h>
#include <stdint.h>
#include <trammel/base.h>
#include <trammel/bodies.h>
#include <trammel/forces.h>
#include <trammel/joints.h>
#include <trammel/run.h>
#include <trammel/shapes.h>
#include <trammel/table.h>

TML_C_BEGIN

typedef struct tml_spec tml_spec;

/** A named expression that becomes a channel of the results. */
typedef struct tml_output_def {
    size_t size;       ///< set by tml_output_def_default()
    const char *name;  ///< required; unique
    /** expression of t, states, joint coordinates and their rates, reactions and distances */
    const char *value;
    const char *unit;  ///< unit of the value, for results; NULL: 1
} tml_output_def;

/** An event: the run ends when an expression crosses zero. */
typedef struct tml_event_def {
    size_t size;       ///< set by tml_event_def_default()
    const char *name;  ///< required; unique
    const char *when;  ///< expression of t and state
    int direction;     ///< +1: only if it increases, -1: only if it decreases, 0: both
} tml_event_def;

/** A first-order state z with zdot = rate, integrated with the motion: controllers, actuators, filters.
 * Expressions use it by its name. */
typedef struct tml_state_def {
    size_t size;       ///< set by tml_state_def_default()
    const char *name;  ///< required; unique among bodies, joints, forces, roads, states and inputs
    const char *rate;  ///< expression of t, states and motion [unit/s]
    double start;      ///< value at the start [unit]
    double scale;      ///< nominal magnitude [unit], > 0: unit of the absolute tolerance; default 1
    const char *unit;  ///< of the value, for results; NULL: "1"
} tml_state_def;

/** An input: a number that the caller sets between steps (tml_sim_set_input). Expressions use it by its name.
 */
typedef struct tml_input_def {
    size_t size;       ///< set by tml_input_def_default()
    const char *name;  ///< required; unique among bodies, joints, forces, roads, states and inputs
    double value;      ///< at the start [unit]
    const char *unit;  ///< NULL: "1"
} tml_input_def;

/** A table: a function of one argument in expressions, NAME(x). */
typedef struct tml_table_def {
    size_t size;       ///< set by tml_table_def_default()
    const char *name;  ///< required; unique among bodies, joints, forces, roads, states, inputs and tables
    int count;         ///< number of points, >= 2
    const double *points;  ///< (count x 2) x ascending, y
    tml_table_style style;
    const char *file;  ///< in model files: a CSV file, from which tml_spec_read takes the points; NULL: none
    const char *x;     ///< column of the file by name or number (from 1); NULL: the first
    const char *y;     ///< NULL: the second
} tml_table_def;

TML_API tml_body_def tml_body_def_default(void);
TML_API tml_frame_def tml_frame_def_default(void);
TML_API tml_beam_def tml_beam_def_default(void);
TML_API tml_modal_def tml_modal_def_default(void);
TML_API tml_joint_def tml_joint_def_default(void);
TML_API tml_road_def tml_road_def_default(void);
TML_API tml_force_def tml_force_def_default(void);
TML_API tml_shape_def tml_shape_def_default(void);
TML_API tml_contact_def tml_contact_def_default(void);
TML_API tml_output_def tml_output_def_default(void);
TML_API tml_event_def tml_event_def_default(void);
TML_API tml_state_def tml_state_def_default(void);
TML_API tml_input_def tml_input_def_default(void);
TML_API tml_table_def tml_table_def_default(void);
TML_API tml_run_def tml_run_def_default(void);

/** Create an empty specification. env may be NULL. Error: TML_ERR_NOMEM. */
TML_API tml_status tml_spec_create(const tml_env *env, tml_spec **out, tml_error *err);
TML_API void tml_spec_destroy(tml_spec *spec);  ///< accepts NULL

/** Set the title; it is copied. Error: TML_ERR_NOMEM. */
TML_API tml_status tml_spec_set_title(tml_spec *spec, const char *title, tml_error *err);
TML_API void tml_spec_set_planar(tml_spec *spec, bool planar);         ///< motion in the x-y plane only
TML_API void tml_spec_set_gravity(tml_spec *spec, const double g[3]);  ///< [m/s^2], inertial frame; default 0
/** Set how the model is run; the definition is copied. Errors: TML_ERR_ARG, TML_ERR_MODEL (invalid value),
 * TML_ERR_NOMEM. */
TML_API tml_status tml_spec_set_run(tml_spec *spec, const tml_run_def *def, tml_error *err);
TML_API const tml_run_def *tml_spec_run(const tml_spec *spec);  ///< borrowed

// Add an element. The definition is copied and its fields are checked one by one; tml_model_build resolves
// names. Errors: TML_ERR_ARG, TML_ERR_MODEL (invalid value), TML_ERR_NAME (invalid or used name),
// TML_ERR_NOMEM. On failure the spec is not changed.
TML_API tml_status tml_spec_add_body(tml_spec *spec, const tml_body_def *def, tml_error *err);
TML_API tml_status tml_spec_add_frame(tml_spec *spec, const tml_frame_def *def, tml_error *err);
TML_API tml_status tml_spec_add_beam(tml_spec *spec, const tml_beam_def *def, tml_error *err);
TML_API tml_status tml_spec_add_modal(tml_spec *spec, const tml_modal_def *def, tml_error *err);
TML_API tml_status tml_spec_add_joint(tml_spec *spec, const tml_joint_def *def, tml_error *err);
TML_API tml_status tml_spec_add_road(tml_spec *spec, const tml_road_def *def, tml_error *err);
TML_API tml_status tml_spec_add_force(tml_spec *spec, const tml_force_def *def, tml_error *err);
TML_API tml_status tml_spec_add_shape(tml_spec *spec, const tml_shape_def *def, tml_error *err);
/** Bodies with a density: mass and inertia from their shapes. Position, velocity, frames and shapes of such a
 * body are given in a frame of one's own choice; it becomes the frame `origin` of the body, whose own one
 * goes to the centre of mass. Shapes that overlap count twice. tml_spec_read() does this; a program calls it
 * after the last shape. Errors: TML_ERR_MODEL (no shapes, a plane, a mesh that is not closed), and those of
 * reading a mesh. */
TML_API tml_status tml_spec_weigh(tml_spec *spec, tml_error *err);
TML_API tml_status tml_spec_add_contact(tml_spec *spec, const tml_contact_def *def, tml_error *err);
TML_API tml_status tml_spec_add_output(tml_spec *spec, const tml_output_def *def, tml_error *err);
TML_API tml_status tml_spec_add_event(tml_spec *spec, const tml_event_def *def, tml_error *err);
TML_API tml_status tml_spec_add_state(tml_spec *spec, const tml_state_def *def, tml_error *err);
TML_API tml_status tml_spec_add_input(tml_spec *spec, const tml_input_def *def, tml_error *err);
TML_API tml_status tml_spec_add_table(tml_spec *spec, const tml_table_def *def, tml_error *err);

/** A value that replaces a parameter of the file ("--set NAME=VALUE"). */
typedef struct tml_parameter {
    const char *name;
    const char *text;  ///< expression
} tml_parameter;

/** Read a model file (YAML or JSON). overrides (count) replace values of `parameters` in the file; NULL if
 * count = 0. An override of a parameter that the file does not define is an error. Files that the model names
 * (include, tables, parts, meshes) are regular files in its folder or below, or in its project, the nearest
 * folder above with a file `trammel.project` of this user or of root; also after symbolic links are followed.
 * tml_spec_read_def admits more folders. env may be NULL. The caller destroys *out. Errors:
 * TML_ERR_IO, TML_ERR_SYNTAX, TML_ERR_NAME, TML_ERR_MODEL, TML_ERR_NOMEM, with file, line and column. */
TML_API tml_status tml_spec_read(const char *path, const tml_parameter *overrides, int count,
                                 const tml_env *env, tml_spec **out, tml_error *err);
/** As tml_spec_read, from a text of `length` bytes in memory. Messages and the paths of includes use `name`
 * as the path of the file. */
TML_API tml_status tml_spec_parse(const char *text, size_t length, const char *name,
                                  const tml_parameter *overrides, int count, const tml_env *env,
                                  tml_spec **out, tml_error *err);

/** A file of a model: the model file, an included one, a table, a part, a mesh. */
typedef struct tml_source {
    const char *path;  ///< as in messages: relative to the working directory, or absolute
    const char *text;  ///< `length` bytes, and a zero byte after them; NULL: a mesh, whose bytes are not kept
    size_t length;
    uint64_t hash;  ///< of the bytes of a mesh: what is read later must have it
} tml_source;

/** How to read a model file. Pointers are borrowed. */
typedef struct tml_read_def {
    size_t size;       ///< set by tml_read_def_default()
    const char *path;  ///< of the model file
    const tml_parameter *parameters;
    int parameter_count;
    /** Folders, beyond that of the model file, from which its files may be read: see tml_spec_read. */
    const char *const *folders;
    int folder_count;
    /** Files in memory, in place of those on disk: if there are any, no other is read, but meshes, when and
     * if something needs their triangles. */
    const tml_source *sources;
    int source_count;
} tml_read_def;
TML_API tml_read_def tml_read_def_default(void);
TML_API tml_status tml_spec_read_def(const tml_read_def *def, const tml_env *env, tml_spec **out,
                                     tml_error *err);

/** The files from which the spec was read, and the meshes that it names, the model file first; 0 if it was
 * built by calls. */
TML_API int tml_spec_source_count(const tml_spec *spec);
TML_API const tml_source *tml_spec_source(const tml_spec *spec, int index);  ///< NULL: out of range; borrowed
/** The text of the first of them; NULL if there is none. Borrowed. */
TML_API const char *tml_spec_text(const tml_spec *spec);

/** The parameters of the file, which overrides can replace, in its order. */
TML_API int tml_spec_parameter_count(const tml_spec *spec);
TML_API const char *tml_spec_parameter_name(const tml_spec *spec, int index);  ///< NULL: out of range
TML_API double tml_spec_parameter_value(const tml_spec *spec, int index);      ///< NAN: out of range

TML_C_END
#endif
