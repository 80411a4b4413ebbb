// Bodies, frames, beams and modal bodies of a specification (spec.h).
#ifndef TRAMMEL_BODIES_H
#define TRAMMEL_BODIES_H

#include <stdbool.h>
#include <stddef.h>
#include <trammel/part.h>

TML_C_BEGIN

/** A rigid body. The origin of its frame is the centre of mass. */
typedef struct tml_body_def {
    size_t size;       ///< set by tml_body_def_default()
    const char *name;  ///< required; unique; letters, digits, '_'; not "ground"
    double mass;       ///< [kg], >= 0
    /** [kg m^2] about the centre of mass, body axes: entries Jxx Jyy Jzz Jxy Jxz Jyz of the tensor. */
    double inertia[6];
    double position[3];          ///< centre of mass at the start, inertial frame [m]
    double orientation[4];       ///< unit quaternion (scalar first), body to inertial axes, at the start
    double velocity[3];          ///< of the centre of mass at the start, inertial frame [m/s]
    double angular_velocity[3];  ///< at the start, body frame [rad/s]
    bool point;  ///< a point mass: no rotation, 3 coordinates (2 in planar models); inertia must be 0
    bool fixed_at_start;  ///< the assembly of the start keeps the given pose
    /** [kg/m^3], planar [kg/m^2]: mass, centre and inertia follow from the shapes of the body, see
     * tml_spec_weigh(); 0: they are given. */
    double density;
} tml_body_def;

/** A named frame on a body or on the ground. */
typedef struct tml_frame_def {
    size_t size;            ///< set by tml_frame_def_default()
    const char *body;       ///< name of the body, or "ground"
    const char *name;       ///< required; unique on its body
    double position[3];     ///< of the origin, relative to the body frame, in body axes [m]
    double orientation[4];  ///< unit quaternion, frame axes to body axes
} tml_frame_def;

/** What the elements of a beam interpolate between their nodes: positions and rotations by themselves, or
 * rigid motions. */
typedef enum tml_beam_interpolation { TML_BEAM_R3SO3, TML_BEAM_SE3 } tml_beam_interpolation;

/** The sections of beams. Their axes: x along the beam, y along the width, z along the height. */
typedef enum tml_section_type {
    TML_SECTION_GENERAL,    ///< stiffness, mass and inertia are given
    TML_SECTION_RECTANGLE,  ///< width, height
    TML_SECTION_CIRCLE,     ///< radius
    TML_SECTION_TUBE,       ///< radius, inner_radius
    TML_SECTION_I,          ///< width, height, web, flange: web along z
    TML_SECTION_L,          ///< width, height, web, flange: legs along y (flange) and z (web)
    TML_SECTION_TYPES
} tml_section_type;

/** Materials of beams: Young's modulus [Pa], Poisson's ratio, density [kg/m^3]. */
typedef enum tml_material {
    TML_MATERIAL_NONE,       ///< the three numbers are given
    TML_MATERIAL_STEEL,      ///< 210e9, 0.3, 7850
    TML_MATERIAL_ALUMINIUM,  ///< 70e9, 0.33, 2700
    TML_MATERIAL_TITANIUM,   ///< 114e9, 0.34, 4430
    TML_MATERIALS
} tml_material;

/** A beam (docs/beams.md): geometrically exact, with shear and torsion. It becomes `elements * order + 1`
 * bodies NAME_0, NAME_1, ..., the nodes, and `elements` forces NAME_e1, NAME_e2, ... of type beam. The frames
 * NAME.start, NAME.mid (where a node is there) and NAME.end are those of nodes. Nodes are on the line of the
 * centres of mass of the sections. */
typedef struct tml_beam_def {
    size_t size;         ///< set by tml_beam_def_default()
    const char *name;    ///< required; unique among bodies, joints, forces, ...
    double position[3];  ///< start, inertial frame [m]
    bool has_end;
    double end[3];  ///< end of a straight beam, inertial frame [m]
    bool has_up;
    double up[3];           ///< section axis z, made perpendicular to x; default z, or y for a beam along z
    double length;          ///< if no end is given: [m], > 0
    double orientation[4];  ///< if no end is given: section axes at the start, unit quaternion
    double curvature[3];    ///< shape without stress: twist, curvature about y and z [rad/m], section axes
    /** instead of position, end, length, orientation: points of a curve, inertial frame [m] */
    int point_count;
    const double *points;  ///< (3 point_count)
    /** stations that become nodes, frames NAME.s1, NAME.s2, ...: shares of the length, 0 to 1 */
    int station_count;
    const double *stations;
    int elements;  ///< number of elements, >= 1; default 4
    int order;     ///< degree of the polynomials, 1 to 3: 2 to 4 nodes per element; default 3
    tml_beam_interpolation interpolation;  ///< default TML_BEAM_R3SO3
    tml_section_type section;
    double width, height, radius, inner_radius, web, flange;  ///< of the section [m]
    tml_material material;
    double youngs_modulus;  ///< [Pa]; NAN: of the material
    double poisson;         ///< Poisson's ratio [-]; NAN: of the material
    double density;         ///< [kg/m^3]; NAN: of the material
    /** general: stiffness of (axial, shear y, shear z, torsion, bending about y, about z) [N, N m, N m^2] */
    double stiffness6[36];
    double mass;                 ///< general: per length [kg/m]
    double inertia[6];           ///< general: per length, as of a body: Jxx Jyy Jzz Jxy Jxz Jyz [kg m]
    double damping;              ///< stress = stiffness (strain + damping d(strain)/dt) [s]
    double mass_damping;         ///< force = -mass_damping mass velocity [1/s]
    double velocity[3];          ///< at the start: of the start point, inertial frame [m/s]
    double angular_velocity[3];  ///< at the start, inertial frame [rad/s]; the beam moves as a rigid body
    /** loads per length, expressions of t and any state; NULL: none. In inertial axes [N/m, N]: */
    const char *load[3], *load_moment[3];
    const char *follower_load[3], *follower_moment[3];  ///< in section axes
} tml_beam_def;

/** A modal body (docs/modal-bodies.md): an elastic part in a floating frame. It becomes bodies NAME_NODE at
 * the interface nodes of the part, with frames NAME.NODE, and a force NAME_part of type modal. A node whose
 * name begins with a digit has the frame NAME.nNODE. */
typedef struct tml_modal_def {
    size_t size;           ///< set by tml_modal_def_default()
    const char *name;      ///< required; unique among bodies, joints, forces, ...
    const tml_part *part;  ///< required; borrowed, it must live as long as the spec
    /** in files: that of the part, or those of a mesh with its interface nodes, "left, right", and the number
     * of modes; the reader sets `part` */
    const char *part_file, *stiffness_file, *mass_file, *nodes_file, *interface;
    int modes;
    double position[3];          ///< of the origin of the part, inertial frame [m]
    double orientation[4];       ///< of its axes, unit quaternion
    double velocity[3];          ///< of its origin at the start, inertial frame [m/s]
    double angular_velocity[3];  ///< at the start, inertial frame [rad/s]; the part moves as a rigid body
    const char *reference;       ///< node that carries the floating frame; NULL: that of the part
    /** shares of critical damping of the elastic modes of the free part; the last one is that of all further
     * ones; 0: none */
    int damping_count;
    const double *damping;
    double mass_damping;       ///< further damping alpha M of these modes [1/s]
    double stiffness_damping;  ///< and beta K [s]
    bool stiffening;           ///< use the load cases of the part; default true
} tml_modal_def;

TML_C_END

#endif
