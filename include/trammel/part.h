// Elastic parts for modal bodies: finite-element matrices and their reduction (docs/modal-bodies.md).
//
// A mesh holds the stiffness and mass matrix of a free part and its nodes. Reduced (Craig-Bampton), it is a
// part: interface nodes, to which a model attaches, and modes with these nodes fixed.
#ifndef TRAMMEL_PART_H
#define TRAMMEL_PART_H

#include <stdbool.h>
#include <trammel/base.h>

TML_C_BEGIN

typedef struct tml_mesh tml_mesh;
typedef struct tml_part tml_part;

/** Read a mesh: two Matrix Market files and a file of nodes (CSV with the columns node, x, y, z and one
 * column per coordinate ux, uy, uz, rx, ry, rz with its row in the matrices from 1; 0 or empty: none). env
 * may be NULL. Errors have the position in the file: TML_ERR_IO, TML_ERR_SYNTAX, TML_ERR_MODEL (sizes differ,
 * not symmetric, a mass that is not positive, a row without a node). */
TML_API tml_status tml_mesh_read(const char *stiffness, const char *mass, const char *nodes,
                                 const tml_env *env, tml_mesh **out, tml_error *err);
/** Write PREFIX_stiffness.mtx, PREFIX_mass.mtx, PREFIX_nodes.csv, and a file PREFIX_stiffening_CASE.mtx per
 * load case. */
TML_API tml_status tml_mesh_write(const tml_mesh *mesh, const char *prefix, tml_error *err);
/** Add the geometric stiffness (Matrix Market) of a load case. "NODE.x", ..., "NODE.rz": a unit force or
 * moment on an interface node along an axis of the part, with the reference node clamped. "spin.ab" with ab =
 * xx, yy, zz, xy, xz, yz: forces -m (e_a x (e_b x r) + e_b x (e_a x r))/2 on the masses, r from the reference
 * node, with all interface nodes clamped: the centrifugal forces of w_a w_b = 1 rad^2/s^2. */
TML_API tml_status tml_mesh_add_stiffening(tml_mesh *mesh, const char *load, const char *path,
                                           tml_error *err);
/** Tie nodes to a new node `name` in their mean position, which moves them as a rigid body: a surface of a
 * solid becomes an interface node. After an error the mesh can only be destroyed. */
TML_API tml_status tml_mesh_tie(tml_mesh *mesh, const char *name, int count, const char *const *nodes,
                                tml_error *err);
TML_API void tml_mesh_destroy(tml_mesh *mesh);  ///< accepts NULL
TML_API int tml_mesh_node_count(const tml_mesh *mesh);
TML_API int tml_mesh_size(const tml_mesh *mesh);  ///< rows of the matrices

/** A mesh from the bodies and elements of a model: beams, rigid bodies, springs between them. */
typedef struct tml_mesh_def {
    size_t size;                   ///< set by tml_mesh_def_default()
    const struct tml_spec *spec;   ///< required: a spatial model without joints, free of stress at the start
    int interface_count;           ///< number of interface nodes, >= 1
    const char *const *interface;  ///< (interface_count) frames "arm.end" at nodes of beams, or bodies
    const char *const *names;      ///< (interface_count) names of these nodes in the mesh
    int load_count;                ///< load cases for geometric stiffening, as of tml_mesh_add_stiffening
    const char *const *load;       ///< (load_count); the reference node is the first interface node
} tml_mesh_def;
TML_API tml_mesh_def tml_mesh_def_default(void);
/** Axes and origin of the part are those of the inertial frame. TML_ERR_MODEL: joints, planar, a frame that
 * is not at a node. */
TML_API tml_status tml_mesh_of_spec(const tml_mesh_def *def, tml_mesh **out, tml_error *err);

/** How to reduce a mesh. */
typedef struct tml_reduce_def {
    size_t size;                   ///< set by tml_reduce_def_default()
    int interface_count;           ///< number of interface nodes, >= 1
    const char *const *interface;  ///< (interface_count) names of nodes, which have all six coordinates
    const char *reference;         ///< interface node whose axes carry the part; NULL: the first one
    int modes;                     ///< number of modes with fixed interface; < 0: by `frequency`
    double frequency;              ///< [Hz] limit of these modes; 0: `modes` alone counts
} tml_reduce_def;
TML_API tml_reduce_def tml_reduce_def_default(void);

/** Reduce a mesh. TML_ERR_NAME: an interface node does not exist; TML_ERR_MODEL: it lacks a coordinate, the
 * part is not free (rigid motion strains it), or its inner nodes are a mechanism. */
TML_API tml_status tml_part_reduce(const tml_mesh *mesh, const tml_reduce_def *def, tml_part **out,
                                   tml_error *err);
/** Read and write the file of a part (docs/modal-bodies.md). */
TML_API tml_status tml_part_read(const char *path, const tml_env *env, tml_part **out, tml_error *err);
TML_API tml_status tml_part_write(const tml_part *part, const char *path, tml_error *err);
TML_API void tml_part_destroy(tml_part *part);  ///< accepts NULL

/** What is known of a part; vectors in its axes, from its origin. */
typedef struct tml_part_info {
    int node_count, mode_count;
    int reference;          ///< index of the reference node
    int stiffening_count;   ///< load cases of geometric stiffening
    double mass;            ///< [kg]
    double centre[3];       ///< centre of mass [m]
    double inertia[6];      ///< about it: Jxx Jyy Jzz Jxy Jxz Jyz [kg m^2]
    double rigid_residual;  ///< largest force of rigid motion over its possible terms
} tml_part_info;
TML_API tml_status tml_part_get_info(const tml_part *part, tml_part_info *info, tml_error *err);
TML_API const char *tml_part_node_name(const tml_part *part, int node);  ///< NULL: there is no such node
TML_API tml_status tml_part_node_position(const tml_part *part, int node, double position[3], tml_error *err);
/** Frequency [Hz] of mode i (from 0) with all interface nodes fixed; NAN: there is none. */
TML_API double tml_part_fixed_frequency(const tml_part *part, int i);
/** frequency (count) [Hz]: the lowest elastic ones of the free reduced part, ascending; *found of them. */
TML_API tml_status tml_part_free_frequencies(const tml_part *part, int count, double *frequency, int *found,
                                             tml_error *err);

TML_C_END
#endif
