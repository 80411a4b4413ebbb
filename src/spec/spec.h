// Internal data of a spec: definitions in the order given, each with the positions of its fields in the file
// of the user.
#ifndef TMLI_SPEC_SPEC_H
#define TMLI_SPEC_SPEC_H

#include "base/file.h"
#include <trammel/import.h>
#include <trammel/spec.h>

#define TMLI_ROWS 1e8  // largest number of rows of a result

/** Names are unique within a name space. Bodies, joints, roads, forces, contacts, states,
 * inputs and tables share one. */
typedef enum tmli_name_space {
    TMLI_SPACE_ENTRIES,
    TMLI_SPACE_FRAMES,  // name: that of the body, second: that of the frame
    TMLI_SPACE_SHAPES,
    TMLI_SPACE_OUTPUTS,
    TMLI_SPACE_EVENTS,
    TMLI_SPACE_PARAMETERS
} tmli_name_space;

/** Position of one key of an entry in the file. */
typedef struct tmli_field_mark {
    const char *key;  // as in the file and the schema: "mass", "a", "axis"
    tml_mark at;      // of the value
} tmli_field_mark;

/** Position of an entry and of its fields; all zero for definitions made by calls. */
typedef struct tmli_entry {
    tml_mark at;
    int nfields;
    const tmli_field_mark *fields;
    bool derived;     // another entry consists of it: the force of a joint with a spring
    int first_state;  // index of the first of the states that it has
    bool used;        // a table: by a force or road, by its name
} tmli_entry;

/** Position of the value of a field; that of the entry if the field was not given. */
tml_mark tmli_entry_mark(const tmli_entry *entry, const char *key);

typedef struct tmli_body_entry {
    tmli_entry at;
    tml_body_def def;
} tmli_body_entry;
typedef struct tmli_frame_entry {
    tmli_entry at;
    tml_frame_def def;
} tmli_frame_entry;
typedef struct tmli_beam_entry {
    tmli_entry at;
    tml_beam_def def;
} tmli_beam_entry;
typedef struct tmli_modal_entry {
    tmli_entry at;
    tml_modal_def def;
} tmli_modal_entry;
typedef struct tmli_joint_entry {
    tmli_entry at;
    tml_joint_def def;
} tmli_joint_entry;
typedef struct tmli_road_entry {
    tmli_entry at;
    tml_road_def def;
} tmli_road_entry;
typedef struct tmli_force_entry {
    tmli_entry at;
    tml_force_def def;
} tmli_force_entry;
typedef struct tmli_shape_entry {
    tmli_entry at;
    tml_shape_def def;
} tmli_shape_entry;
typedef struct tmli_contact_entry {
    tmli_entry at;
    tml_contact_def def;
} tmli_contact_entry;
typedef struct tmli_output_entry {
    tmli_entry at;
    tml_output_def def;
} tmli_output_entry;
typedef struct tmli_event_entry {
    tmli_entry at;
    tml_event_def def;
} tmli_event_entry;

typedef struct tmli_state_entry {
    tmli_entry at;
    tml_state_def def;
} tmli_state_entry;
typedef struct tmli_input_entry {
    tmli_entry at;
    tml_input_def def;
} tmli_input_entry;
typedef struct tmli_table_entry {
    tmli_entry at;
    tml_table_def def;
} tmli_table_entry;

struct tml_spec {
    tml_env env;
    tmli_arena arena;  // all strings, tables and marks
    const char *title;
    int nsources;  // files that it was read from and meshes, the main one first; their bytes are owned
    tml_source *sources;
    tmli_places places;  // of the files that it names; of a model file: its folder and those admitted
    tml_mark at;         // start of the file
    bool planar;
    double gravity[3];
    tml_run_def run;
    tmli_entry run_at;
    int nbodies, nframes, nbeams, njoints, nroads, nforces, noutputs, nevents, nstates, ninputs, ntables;
    int nshapes, ncontacts, nmodals;
    tmli_body_entry *bodies;
    tmli_frame_entry *frames;
    tmli_beam_entry *beams;
    tmli_modal_entry *modals;
    tmli_joint_entry *joints;
    tmli_road_entry *roads;
    tmli_force_entry *forces;
    tmli_shape_entry *shapes;
    tmli_contact_entry *contacts;
    tmli_output_entry *outputs;
    tmli_event_entry *events;
    tmli_state_entry *states;
    tmli_input_entry *inputs;
    tmli_table_entry *tables;
    int nparams;  // parameters, for expressions of forces, drivers and outputs
    const char **param_names;
    double *param_values;
    const tml_mark
        *param_unused;  // (nparams) places of those that no number uses, else without a line; or NULL
    int nparts;         // parts of modal bodies that were read with the file; the spec owns them
    tml_part **parts;
    const char **part_paths;   // (nparts)
    struct tmli_names *names;  // names in use, with the positions of their definitions
    int expanding;             // entries whose parts are being added
    int nnotes;                // of an import
    tml_note *notes;
};

/** Keep the bytes of a file (from the environment of the spec, with a zero byte after them); the spec owns
 * them from now on, also after an error. */
tml_status tmli_spec_keep_source(tml_spec *spec, const char *path, char *bytes, size_t length,
                                 tml_error *err);
/** Note what is in a mesh that the model names. */
tml_status tmli_spec_keep_mesh(tml_spec *spec, const char *path, size_t length, uint64_t hash,
                               tml_error *err);
/** The source with this path; mesh: one of those, else one with its bytes. NULL: there is none. */
const tml_source *tmli_spec_find_source(const tml_spec *spec, const char *path, bool mesh);
/** The spec owns the part from now on, also after an error. path: its file. */
tml_status tmli_spec_keep_part(tml_spec *spec, tml_part *part, const char *path, tml_error *err);

/** Add a note; the text and the name of the file are copied. */
tml_status tmli_spec_add_note(tml_spec *spec, tml_mark at, const char *text, tml_error *err);

/** run_at of the spec becomes a copy of entry. */
tml_status tmli_spec_set_run(tml_spec *spec, const tml_run_def *def, const tmli_entry *entry, tml_error *err);
tml_status tmli_spec_add_parameter(tml_spec *spec, const char *name, double value, tml_error *err);

/** The keys of the coordinates of a pose, in the order of tml_joint_def.pose. */
extern const char *const tmli_pose_keys[6];

#endif
