// Keys of modal bodies.
#include "spec/schema_tables.h"

#define MODAL(m) offsetof(tml_modal_def, m)

static const tmli_field modal_fields[] = {
    {"part", TMLI_FIELD_TEXT, TMLI_RANGE_ANY, "", "", ALL, 0, MODAL(part_file), 0, NULL, NULL,
     "file of the part, made by `trammel reduce`; its path is relative to the model file"},
    {"stiffness", TMLI_FIELD_TEXT, TMLI_RANGE_ANY, "", "", ALL, 0, MODAL(stiffness_file), 0, NULL, NULL,
     "instead of part: Matrix Market file of the stiffness of a free mesh"},
    {"mass", TMLI_FIELD_TEXT, TMLI_RANGE_ANY, "", "", ALL, 0, MODAL(mass_file), 0, NULL, NULL,
     "with stiffness: Matrix Market file of the mass"},
    {"nodes", TMLI_FIELD_TEXT, TMLI_RANGE_ANY, "", "", ALL, 0, MODAL(nodes_file), 0, NULL, NULL,
     "with stiffness: CSV file of the nodes of the mesh"},
    {"interface", TMLI_FIELD_TEXT, TMLI_RANGE_ANY, "", "", ALL, 0, MODAL(interface), 0, NULL, NULL,
     "with stiffness: names of the interface nodes, separated by commas"},
    {"modes", TMLI_FIELD_INTEGER, TMLI_RANGE_NONNEGATIVE, "", "0", ALL, 0, MODAL(modes), 0, NULL, NULL,
     "with stiffness: number of modes with fixed interface nodes"},
    {"position", TMLI_FIELD_VECTOR, TMLI_RANGE_ANY, "m", "[0, 0, 0]", ALL, 0, MODAL(position), 0, NULL, NULL,
     "origin of the part, inertial frame"},
    {"orientation", TMLI_FIELD_ROTATION, TMLI_RANGE_ANY, "rad", "0", ALL, 0, MODAL(orientation), 0, NULL,
     NULL, "axes of the part"},
    {"velocity", TMLI_FIELD_VECTOR, TMLI_RANGE_ANY, "m/s", "[0, 0, 0]", ALL, 0, MODAL(velocity), 0, NULL,
     NULL, "of the origin of the part at the start, inertial frame"},
    {"angular_velocity", TMLI_FIELD_SPIN, TMLI_RANGE_ANY, "rad/s", "[0, 0, 0]", ALL, 0,
     MODAL(angular_velocity), 0, NULL, NULL, "at the start, inertial frame: the part moves as a rigid body"},
    {"reference", TMLI_FIELD_TEXT, TMLI_RANGE_ANY, "", "of the part", ALL, 0, MODAL(reference), 0, NULL, NULL,
     "interface node that carries the floating frame"},
    {"damping", TMLI_FIELD_LIST, TMLI_RANGE_NONNEGATIVE, "", "none", ALL, 0, MODAL(damping),
     MODAL(damping_count), NULL, NULL,
     "list of shares of critical damping of the elastic modes of the free part; the last one holds for all "
     "further modes"},
    {"mass_damping", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "1/s", "0", ALL, 0, MODAL(mass_damping), 0,
     NULL, NULL, "further damping of these modes in proportion to their mass"},
    {"stiffness_damping", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "s", "0", ALL, 0,
     MODAL(stiffness_damping), 0, NULL, NULL, "and to their stiffness"},
    {"stiffening", TMLI_FIELD_BOOL, TMLI_RANGE_ANY, "", "true", ALL, 0, MODAL(stiffening), 0, NULL, NULL,
     "geometric stiffening by the load cases of the part"},
};
const tmli_schema tmli_schema_modal = {
    TMLI_SCHEMA_ENTRY,
    "modal",
    "An elastic part in a floating frame, with modes of its mesh ([modal bodies](modal-bodies.md)). Its "
    "interface nodes become bodies NAME_NODE with the frames NAME.NODE (NAME.nNODE if NODE begins with a "
    "digit); the element NAME_part has the channels energy, mode1, mode2, ...",
    NULL,
    COUNT(modal_fields),
    modal_fields,
    sizeof(tml_modal_def),
    &tmli_kind_modal};
