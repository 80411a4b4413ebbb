// The description of the model file. It drives the reader (io), the checks of definitions made by calls, the
// reference page (docs/model-file.md) and editor completion (docs/trammel.schema.json).
//
// A schema lists the fields of one kind of entry. If entries have types (joints, forces), each field lists
// the types to which it applies. The same key may occur twice with different types and meanings (the
// stiffness of a spring is a number, that of a bushing a matrix).
#ifndef TMLI_SPEC_SCHEMA_H
#define TMLI_SPEC_SCHEMA_H

#include "base/base.h"
#include "spec/spec.h"

/** The form of a value in the file and its storage. "number" always includes expressions of parameters. */
typedef enum tmli_field_kind {
    TMLI_FIELD_TEXT,         // const char *: any text
    TMLI_FIELD_WORD,         // const char *: one word, checked where it is used
    TMLI_FIELD_REFERENCE,    // const char *: frame: ground, body, body.frame
    TMLI_FIELD_BODY,         // const char *: body
    TMLI_FIELD_ROAD,         // const char *: road
    TMLI_FIELD_COORDINATE,   // const char *: joint.angle, joint.distance
    TMLI_FIELD_COORDINATES,  // int count and const char *[TML_ACTUATORS]: such coordinates, or one of them
    TMLI_FIELD_EXPRESSION,   // const char *: evaluated during the run
    TMLI_FIELD_FORCE3,       // const char *[3]: expressions; planar: 2
    TMLI_FIELD_TORQUE3,      // const char *[3]: expressions; planar: one, about z
    TMLI_FIELD_NUMBER,       // double
    TMLI_FIELD_AUGMENT,      // double: number, or true/on (1), false/off (0)
    TMLI_FIELD_LOAD,         // double: number; or the word `reaction`: then `flag` is true
    TMLI_FIELD_INTEGER,      // int
    TMLI_FIELD_BOOL,         // bool
    TMLI_FIELD_CHOICE,       // int: value of one of `choices`
    TMLI_FIELD_SCALING,      // int: value of one of `choices`; or a map: the last of them, and `flag` is the
                             // offset of a structure with the fields of `sub`
    TMLI_FIELD_BOOL_CHOICE,  // bool: value of one of `choices`
    TMLI_FIELD_VECTOR,       // double[3]; planar: 2 numbers, z = 0
    TMLI_FIELD_AXIS,         // double[3], length > 0; planar: 2 numbers lie in the plane
    TMLI_FIELD_SPIN,         // double[3]; planar: one number, about z
    TMLI_FIELD_GRAVITY,      // double[3], or a number: downwards (-y planar, -z spatial)
    TMLI_FIELD_QUATERNION,   // double[4], scalar first
    TMLI_FIELD_ROTATION,     // double[4] from any of the forms of tmli_schema_rotation
    TMLI_FIELD_INERTIA,      // double[6]: 1 number (planar, or a ball), 3 or 6 numbers
    TMLI_FIELD_VECTOR6,      // double[6]
    TMLI_FIELD_MATRIX6,      // double[36]: 6 numbers (diagonal) or 6 rows of 6
    TMLI_FIELD_TABLE,        // int count and const double *: rows [x, F], at least 2, or the name of a table
    TMLI_FIELD_LIST,         // int count and const double *: numbers
    TMLI_FIELD_POINTS,       // int count and const double *: at least 2 vectors
    TMLI_FIELD_GRID,      // int count, int columns and const double *: at least 2 rows of 2 numbers or more
    TMLI_FIELD_ANGLES,    // double[3], also in planar models
    TMLI_FIELD_SEQUENCE,  // const char *: axes of three body-fixed rotations, "zyx"
    TMLI_FIELD_FILES,     // file name or list of them
    TMLI_FIELD_NUMBERS,   // map NAME: number
    TMLI_FIELD_EXPRESSIONS,  // map NAME: expression
    TMLI_FIELD_FRAMES,       // map NAME: frame, or NAME: position
    TMLI_FIELD_SHAPES,       // shape of a body or frame, or list of them
    TMLI_FIELD_ENTRIES,      // map NAME: entry of `sub`
    TMLI_FIELD_BLOCK,        // one map with the fields of `sub`
    TMLI_FIELD_BLOCKS,       // list of such maps
    TMLI_FIELD_PARTIAL       // map with some of the fields of `sub`, any type
} tmli_field_kind;

typedef enum tmli_range {
    TMLI_RANGE_ANY,
    TMLI_RANGE_NONNEGATIVE,
    TMLI_RANGE_POSITIVE,
    TMLI_RANGE_UNIT,  // 0..1
    TMLI_RANGE_NONZERO
} tmli_range;

typedef struct tmli_key_choice {
    const char *name;
    int value;
    const char *doc;
} tmli_key_choice;

typedef struct tmli_schema tmli_schema;

typedef struct tmli_field {
    const char *key;
    tmli_field_kind kind;
    tmli_range range;
    const char *unit;      // "" if it has none
    const char *fallback;  // the default in words or as in a file; may be ""
    uint32_t types;        // bit k: applies to type k
    uint32_t required;     // bit k: must be given for type k
    size_t offset;         // of the value in the def
    const char *doc;
    size_t flag;  // of the bool that is true if the field was given (with a count: of the count); 0: none
    const tmli_key_choice *choices;  // ends with a NULL name
    const tmli_schema *sub;          // TABLE: that of tables if the name of one may stand for the rows
} tmli_field;

/** Numbers of a row of a field with a count; 0: it has none. */
static inline int tmli_field_width(const tmli_field *f)
{
    if (f->kind == TMLI_FIELD_LIST || f->kind == TMLI_FIELD_GRID) return 1;
    return f->kind == TMLI_FIELD_TABLE ? 2 : f->kind == TMLI_FIELD_POINTS ? 3 : 0;
}

/** What a definition has of a field: so many texts or numbers beside each other, and bytes in all. Of fields
 * with rows and of sections: nothing. */
typedef struct tmli_stored {
    int texts, numbers;
    size_t bytes;
} tmli_stored;
tmli_stored tmli_field_stored(const tmli_field *f);

/** What a schema describes. */
typedef enum tmli_schema_kind {
    TMLI_SCHEMA_BLOCK,       // a map of settings or sections: run, defaults, repeat, include
    TMLI_SCHEMA_MODEL,       // the whole file
    TMLI_SCHEMA_GROUND,      // frames of the ground
    TMLI_SCHEMA_ENTRY,       // an entry with a name of its own: body, joint, force
    TMLI_SCHEMA_MEMBER,      // an entry that is named within another one: a frame of a body
    TMLI_SCHEMA_EXPRESSION,  // an entry that may be written as NAME: expression: an output
    TMLI_SCHEMA_VALUE        // the value of one field, written as a map: an orientation
} tmli_schema_kind;

struct tmli_check;

/** How entries of a section are made (entries.c). A definition begins with its size. */
typedef struct tmli_entry_ops {
    const char *section;  // "bodies": their section and that of their defaults
    bool has_frames;      // an entry has its own frames
    tmli_name_space space;
    size_t name;                                 // offset of the name in the definition
    size_t owner;                                // offset of the name of the owner, a frame's body; 0: none
    size_t texts;                                // offset of texts that are no fields of the file
    int ntexts;                                  // their number
    size_t items, count;                         // offsets of the list and its length in tml_spec
    void (*start)(void *def, const char *name);  // *def = default definition with this name
    /** Checks besides those of the fields; may complete the definition. NULL: none. */
    tml_status (*check)(const struct tmli_check *c, void *def);
    /** Add the entries of which this one consists. NULL: none. */
    tml_status (*expand)(tml_spec *spec, const void *def, const tmli_entry *entry, tml_error *err);
} tmli_entry_ops;

extern const tmli_entry_ops tmli_kind_body, tmli_kind_frame, tmli_kind_beam, tmli_kind_joint, tmli_kind_road,
    tmli_kind_force, tmli_kind_output, tmli_kind_event, tmli_kind_state, tmli_kind_input, tmli_kind_table,
    tmli_kind_shape, tmli_kind_contact, tmli_kind_modal;

/** Room for a definition of any kind of entry. */
typedef union tmli_any_def {
    tml_body_def body;
    tml_frame_def frame;
    tml_beam_def beam;
    tml_modal_def modal;
    tml_joint_def joint;
    tml_road_def road;
    tml_force_def force;
    tml_output_def output;
    tml_event_def event;
    tml_state_def state;
    tml_input_def input;
    tml_table_def table;
    tml_shape_def shape;
    tml_contact_def contact;
} tmli_any_def;

/** An entry of any kind; all have this layout. */
typedef struct tmli_any_entry {
    tmli_entry at;
    tmli_any_def def;
} tmli_any_entry;

struct tmli_schema {
    tmli_schema_kind kind;
    const char *name;              // "joint": as in messages
    const char *doc;               // one paragraph
    const tmli_key_choice *types;  // ends with a NULL name; NULL: one type only
    int nfields;
    const tmli_field *fields;
    size_t def_size;              // of the def struct; 0: none
    const tmli_entry_ops *entry;  // NULL: it has no section of entries
};

enum { TMLI_SCHEMA_COUNT = 26 };
extern const tmli_schema tmli_schema_model, tmli_schema_body, tmli_schema_frame, tmli_schema_beam,
    tmli_schema_joint, tmli_schema_road, tmli_schema_force, tmli_schema_output, tmli_schema_event,
    tmli_schema_run, tmli_schema_ground, tmli_schema_defaults, tmli_schema_repeat, tmli_schema_rotation,
    tmli_schema_include, tmli_schema_state, tmli_schema_input, tmli_schema_table, tmli_schema_friction,
    tmli_schema_limits, tmli_schema_motor, tmli_schema_shape, tmli_schema_contact, tmli_schema_modal,
    tmli_schema_scale, tmli_schema_magic;
extern const tmli_key_choice tmli_friction_laws[];
/** All of them, the model first. */
extern const tmli_schema *const tmli_schemas[TMLI_SCHEMA_COUNT];

/** The bodies, frames and elements of a beam (beam.c). */
tml_status tmli_spec_check_beam(const struct tmli_check *c, void *def);
tml_status tmli_spec_expand_beam(tml_spec *spec, const void *def, const tmli_entry *entry, tml_error *err);

/** Completion of a shape and of a contact (contact.c). */
tml_status tmli_spec_check_shape(const struct tmli_check *c, void *def);
tml_status tmli_spec_check_contact(const struct tmli_check *c, void *def);
/** The bodies, frames and the element of a modal body (modal.c). */
tml_status tmli_spec_check_modal(const struct tmli_check *c, void *def);
tml_status tmli_spec_expand_modal(tml_spec *spec, const void *def, const tmli_entry *entry, tml_error *err);

/** The forces of a joint with a spring, limits, friction, ..., and the state of LuGre friction (along.c). */
tml_status tmli_spec_check_joint(const struct tmli_check *c, void *def);
tml_status tmli_spec_expand_joint(tml_spec *spec, const void *def, const tmli_entry *entry, tml_error *err);
tml_status tmli_spec_expand_force(tml_spec *spec, const void *def, const tmli_entry *entry, tml_error *err);

/** Add a definition, with positions for messages; entry may be NULL. Keys and file names of the marks must
 * outlive the spec (string literals, or in its arena). */
tml_status tmli_spec_add(tml_spec *spec, const tmli_schema *s, const void *def, const tmli_entry *entry,
                         tml_error *err);

/** The field with this key that applies to `type`; NULL if there is none. type < 0: any type. */
const tmli_field *tmli_schema_find(const tmli_schema *s, const char *key, int type);
/** The name of a type ("revolute"); "" if the schema has no types. */
const char *tmli_schema_type_name(const tmli_schema *s, int type);
/** Distinct keys that apply to `type` (< 0: any); returns their count, at most `room`. */
int tmli_schema_keys(const tmli_schema *s, int type, const char **keys, int room);

/** The types to which a key applies: "gear, rack". */
const char *tmli_schema_owners(const tmli_schema *s, const char *key, char *buf, size_t size);

/** Receives the pieces of a generated text. */
typedef void tmli_text_sink(const char *piece, void *user);
/** A section of a reference page: the keys of one schema and their words. */
void tmli_schema_section(const char *heading, const tmli_schema *s, tmli_text_sink *sink, void *user);
/** The reference page of the file format. */
void tmli_schema_markdown(tmli_text_sink *sink, void *user);
/** JSON Schema (draft 2020-12) of a model file, for editors. */
void tmli_schema_json(tmli_text_sink *sink, void *user);

// ---- checks of one definition -----------------------------------------------------------------------------

/** The definition that is checked, for messages and the positions of fields. */
typedef struct tmli_check {
    const tmli_schema *schema;
    int type;
    const char *name;         // of the entry; NULL: none
    const tmli_entry *entry;  // may be NULL
    bool planar;
    const tml_env *env;  // for scratch memory
    tml_error *err;
} tmli_check;

/** Check that values are finite and inside their ranges, that required fields are given, and that no field is
 * set that does not apply to the type. `fallback` is the default definition of the same kind. */
tml_status tmli_check_def(const tmli_check *c, const void *def, const void *fallback);
/** Check that the inertia is physically possible: principal moments >= 0, none larger than the sum of the two
 * others. */
tml_status tmli_check_inertia(const tmli_check *c, const tml_body_def *def);
/** Fail at a field: "joint 'pin': " + sentence. */
tml_status tmli_check_fail(const tmli_check *c, tml_status status, const char *key, const char *fmt, ...)
    TML_PRINTF(4, 5);
/** Check that name is a valid identifier and not a word of the language (ground, t, functions, constants). */
tml_status tmli_check_name(const tmli_check *c, const char *name);
bool tmli_is_identifier(const char *text, size_t length);

#endif
