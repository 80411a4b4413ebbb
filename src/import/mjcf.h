// A model of an MJCF file, the format of MuJoCo: bodies in each other, with the joints to the body around
// them. Files: mjcf_tree (included files, classes of defaults), mjcf_values (poses, settings of <compiler>),
// mjcf_bodies (bodies and joints), mjcf_mass (inertia of geoms), mjcf_shapes (what is seen and touches),
// mjcf_links (equalities: what closes loops), mjcf_forces (actuators, tendons), mjcf_others (notes on the
// rest), mjcf (the model).
//
// Bodies and joints become links and joints of a robot (robot.h). A body with several joints has links
// without mass between them. The frame of a link is at the last joint of its body, with the axes of the body.
#ifndef TMLI_IMPORT_MJCF_H
#define TMLI_IMPORT_MJCF_H

#include "import/robot.h"

/** An element within a body, and the frame in which its place is given, in that of the body. */
typedef struct tmli_mjcf_part {
    const tmli_xml *element;
    tmli_pose at;
} tmli_mjcf_part;

typedef struct tmli_mjcf_body {
    const tmli_xml *element;
    const char *given;  // "" without a name
    int link;
    tmli_pose inside;  // of its frame, in that of its link
    int nparts;
    tmli_mjcf_part *part;
} tmli_mjcf_body;

/** A sum of joint coordinates: the length of a fixed tendon, or a joint times a gear. */
typedef struct tmli_mjcf_sum {
    int count;
    int *joint;
    double *factor;
} tmli_mjcf_sum;

typedef struct tmli_mjcf {
    tmli_robot *r;
    tmli_xml *root;
    double angle;      // [rad] of the unit of angles
    char sequence[4];  // of Euler angles
    const char *mesh_folder;
    bool auto_limits, balance;
    int from_geoms;     // -1: never, 0: of bodies without <inertial>, 1: always
    int group[2];       // of geoms that have mass
    double total_mass;  // <= 0: as it is
    double bound_mass, bound_inertia;
    double gravity[3];
    int nbodies;
    tmli_mjcf_body *body;  // the world first
    tmli_pose *reference;  // (links) places at the reference configuration
    // (actuators) controls and activations at the start; NULL: 0
    double *control, *activation;
} tmli_mjcf;

/** Replace <include>s by what is in the files, in the whole tree. */
tml_status tmli_mjcf_include(const tmli_mjcf *m, tmli_xml *e);
/** Add to each element the attributes of its class of defaults that it does not have. */
tml_status tmli_mjcf_defaults(const tmli_mjcf *m);
tml_status tmli_mjcf_settings(tmli_mjcf *m);

/** Place of an element: pos and one of quat, axisangle, xyaxes, zaxis, euler. */
tml_status tmli_mjcf_pose(const tmli_mjcf *m, const tmli_xml *e, tmli_pose *out);
/** true, false, or `otherwise` for auto and without the attribute. */
bool tmli_mjcf_flag(const tmli_xml *e, const char *key, bool otherwise);
/** A range, if it limits: LIMITED is true, or not given and autolimits. */
tml_status tmli_mjcf_range(const tmli_mjcf *m, const tmli_xml *e, const char *key, const char *limited,
                           bool *given, double range[2]);

tml_status tmli_mjcf_bodies(tmli_mjcf *m);
/** A body by its name; NULL, with an error, if there is none. */
const tmli_mjcf_body *tmli_mjcf_find_body(const tmli_mjcf *m, const tmli_xml *e, const char *name);
/** A joint by its name; -1: none. */
int tmli_mjcf_find_joint(const tmli_mjcf *m, const char *name);
/** A site by its name, and its pose in the frame of the body; NULL, with an error, if there is none. */
const tmli_mjcf_body *tmli_mjcf_find_site(const tmli_mjcf *m, const tmli_xml *e, const char *name,
                                          tmli_pose *at, tml_status *st);

/** What a geom is: its shape (type TML_SHAPE_TYPES: an ellipsoid of these edges, or a height field) and its
 * pose in the frame of the body. *use: false: it is left out, with a note. */
tml_status tmli_mjcf_geom(const tmli_mjcf *m, const tmli_mjcf_part *p, tml_shape_def *d, tmli_pose *pose,
                          bool *use);
/** Mass, centre and inertia of a body, into its link. */
tml_status tmli_mjcf_weigh(const tmli_mjcf *m, const tmli_mjcf_body *b);
/** The mass of all in proportion to <compiler settotalmass>. */
void tmli_mjcf_scale_mass(const tmli_mjcf *m);

tml_status tmli_mjcf_shapes(const tmli_mjcf *m, const tmli_mjcf_body *b);
/** Starts and rates of joints, controls: those of a keyframe, if one is asked for; notes on others. */
tml_status tmli_mjcf_keyframe(tmli_mjcf *m);
/** Joints that copy others, and limits of starts; before the robot is weighed. */
tml_status tmli_mjcf_couple(tmli_mjcf *m);
/** Joints of <connect> and <weld>. */
tml_status tmli_mjcf_loops(const tmli_mjcf *m);
/** Whether an actuator has an activation besides its control. */
bool tmli_mjcf_has_activation(const tmli_xml *e);
/** Drives of joints by actuators and fixed tendons; before joints are added. */
tml_status tmli_mjcf_drives(const tmli_mjcf *m);
/** Forces at sites, and forces against gravity. */
tml_status tmli_mjcf_forces(const tmli_mjcf *m);
tml_status tmli_mjcf_note_others(const tmli_mjcf *m);

#endif
