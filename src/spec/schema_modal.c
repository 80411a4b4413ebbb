// Keys of modal bodies.
#include "spec/schema_tables.h"

#define MODAL(m) offsetof(tml_modal_def, m)

static const tmli_field modal_fields[] = {
    FIELD("part", TEXT, ANY, "", "", MODAL(part_file),
          "file of the part, made by `trammel reduce`; its path is relative to the model file"),
    FIELD("stiffness", TEXT, ANY, "", "", MODAL(stiffness_file),
          "instead of part: Matrix Market file of the stiffness of a free mesh"),
    FIELD("mass", TEXT, ANY, "", "", MODAL(mass_file), "with stiffness: Matrix Market file of the mass"),
    FIELD("nodes", TEXT, ANY, "", "", MODAL(nodes_file), "with stiffness: CSV file of the nodes of the mesh"),
    FIELD("interface", TEXT, ANY, "", "", MODAL(interface),
          "with stiffness: names of the interface nodes, separated by commas"),
    FIELD("modes", INTEGER, NONNEGATIVE, "", "0", MODAL(modes),
          "with stiffness: number of modes with fixed interface nodes"),
    FIELD("position", VECTOR, ANY, "m", "[0, 0, 0]", MODAL(position), "origin of the part, inertial frame"),
    FIELD("orientation", ROTATION, ANY, "rad", "0", MODAL(orientation), "axes of the part"),
    FIELD("velocity", VECTOR, ANY, "m/s", "[0, 0, 0]", MODAL(velocity),
          "of the origin of the part at the start, inertial frame"),
    FIELD("angular_velocity", SPIN, ANY, "rad/s", "[0, 0, 0]", MODAL(angular_velocity),
          "at the start, inertial frame: the part moves as a rigid body"),
    FIELD("reference", TEXT, ANY, "", "of the part", MODAL(reference),
          "interface node that carries the floating frame"),
    FIELD("damping", LIST, NONNEGATIVE, "", "none", MODAL(damping),
          "list of shares of critical damping of the elastic modes of the free part; the last one holds for "
          "all further modes",
          .flag = MODAL(damping_count)),
    FIELD("mass_damping", NUMBER, NONNEGATIVE, "1/s", "0", MODAL(mass_damping),
          "further damping of these modes in proportion to their mass"),
    FIELD("stiffness_damping", NUMBER, NONNEGATIVE, "s", "0", MODAL(stiffness_damping),
          "and to their stiffness"),
    FIELD("stiffening", BOOL, ANY, "", "true", MODAL(stiffening),
          "geometric stiffening by the load cases of the part"),
};
const tmli_schema tmli_schema_modal =
    SCHEMA(ENTRY, "modal", NULL, modal_fields, sizeof(tml_modal_def), &tmli_kind_modal,
           "An elastic part in a floating frame, with modes of its mesh ([modal bodies](modal-bodies.md)). "
           "Its interface nodes become bodies NAME_NODE with the frames NAME.NODE (NAME.nNODE if NODE begins "
           "with a digit); the element NAME_part has the channels energy, mode1, mode2, ...");
