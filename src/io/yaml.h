// The reader of model files, from nodes to a spec. Files of this room: yaml_doc (text to nodes), yaml_names
// (parameters, indices, {...}), yaml_value (typed values), yaml_rotation (forms of an orientation),
// csv_table (points of tables), part (parts of modal bodies), yaml_entry (one body, joint, ...), yaml_model
// (sections, repeat, defaults), files (bytes of files, folders), yaml_read (include, public functions;
// parsed.h).
#ifndef TMLI_IO_YAML_H
#define TMLI_IO_YAML_H

#include "base/file.h"
#include "expr/expr.h"
#include "import/import.h"
#include "io/yaml_doc.h"
#include "spec/schema.h"
#include "spec/spec.h"

/** Limits of sizes; each has its own message. */
enum {
    TMLI_FILE_BYTES = 64 << 20,  // one file
    TMLI_PART_BYTES = 1 << 30,   // one file of a part: a matrix
    TMLI_FILES = 4000,           // files of one model, with its meshes
    TMLI_INCLUDE_DEPTH = 32,
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION  // fuzzers explore structure, not size
    TMLI_ENTRIES = 20000,
    TMLI_VALUES = 1000000,
#else
    TMLI_ENTRIES = 1000000,  // bodies, frames, joints, ... in total
    TMLI_VALUES = 50000000,  // values read in total
#endif
    TMLI_TEXT_BYTES = 256 << 20,  // texts in total
    TMLI_PARAMETER_DEPTH = 100    // nesting of parameters that use other parameters
};

typedef struct tmli_param {
    const char *name;
    const tmli_yaml_node *value;
    tml_mark at;
    const char *override;  // text of the override; NULL: the value of the file is used
    enum { TMLI_PARAM_NEW, TMLI_PARAM_BUSY, TMLI_PARAM_DONE } state;
    double x;
    bool used;  // by a number or a text of the file
} tmli_param;

/** The index of a repeat block, linked to those of the enclosing blocks. */
typedef struct tmli_index {
    const char *name;
    double value;
    const struct tmli_index *outer;
} tmli_index;

typedef struct tmli_file {
    const char *name;   // in the arena of the spec: marks refer to it
    uint64_t dev, ino;  // identity on disk; both 0: a text from memory
    bool open;          // its includes are being read
    tml_mark from;      // position of its include; line 0: the main file
    const tmli_yaml_node *root;
} tmli_file;

typedef struct tmli_file_identity {
    uint64_t dev, ino;  // both 0: a text from memory
} tmli_file_identity;

/** A file of the model, kept in the spec. */
typedef struct tmli_model_text {
    const char *path;
    const char *bytes;  // with a 0 behind them
    size_t length;
    uint64_t dev, ino;
} tmli_model_text;

typedef struct tmli_reader {
    const tml_read_def *def;
    const tml_import_def *import;  // of a robot; NULL: the file is a model, or a robot without options
    const char *main;              // path of the model file
    tmli_file_identity *identity;  // (TMLI_FILES) of the sources of the spec
    const tml_env *env;
    tml_spec *spec;
    tmli_arena arena;    // nodes and tables of all files
    tmli_arena scratch;  // texts of one entry
    tmli_file *files;    // in the order of their entries: an included file precedes the including one
    int nfiles, depth;
    tmli_param *params;
    int nparams;
    tmli_param **sorted;       // by name; valid after tmli_params_sort
    const char **param_names;  // same order, for hints
    tmli_param *busy[TMLI_PARAMETER_DEPTH];
    int nbusy;
    bool failed_inside;  // the error is in a parameter that an expression uses
    const tmli_index *index;
    bool keeps_numbers;              // the nodes have no other reader: they may keep values of expressions
    int64_t scope, scopes;           // number of the repeat block being read, 0: none; blocks so far
    int64_t index_uses;              // of indices in expressions
    const tmli_yaml_node *defaults;  // of the file being read; NULL: none
    int64_t entries, values;
    size_t bytes;
    bool translated;              // the file is a robot: its angles are in rad
    const tmli_yaml_node *noted;  // last angle that was suspected to be in degrees
    bool along_angle;             // the coordinate of the entry being read is an angle: "m or rad" means rad
    tml_error *err;               // never NULL
} tmli_reader;

/** The owner of a value, for messages: 'mass' of body 'crank'. name may be NULL. */
typedef struct tmli_where {
    const char *what, *name, *key;
} tmli_where;
/** Warn if the angle x [rad] of a value looks like degrees. */
void tmli_value_note_degrees(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w, double x);
/** "'mass' of body 'crank'" */
const char *tmli_where_text(const tmli_where *w, char buf[160]);

// ---- yaml_names -------------------------------------------------------------------------------------------

tml_status tmli_params_collect(tmli_reader *r, const tmli_yaml_node *map);
tml_status tmli_params_sort(tmli_reader *r);
/** NULL: there is no parameter of that name. Valid after tmli_params_sort. */
tmli_param *tmli_params_find(const tmli_reader *r, const char *name);
tml_status tmli_params_override(tmli_reader *r, const tml_parameter *overrides, int count);
/** Evaluate all parameters and add them to the spec. */
tml_status tmli_params_finish(tmli_reader *r);
/** Tell the spec which parameters no number of the file has used. */
tml_status tmli_params_list_unused(tmli_reader *r);
/** Value of an expression of parameters and indices. */
tml_status tmli_names_eval(tmli_reader *r, const char *text, tml_mark at, double *out);
/** The text with every {expression} replaced by its value; the text itself if there is none. Lives until the
 * scratch arena is cleared. */
tml_status tmli_names_expand(tmli_reader *r, const char *text, tml_mark at, const char **out);

// ---- yaml_value -------------------------------------------------------------------------------------------

/** A key of a map in { } that is what follows a comma in an unquoted text before it: "b)", "5". */
bool tmli_is_rest_of_text(const char *key);
#define TMLI_QUOTE_COMMA " (Quote a text with commas inside { }; the decimal sign is '.'.)"
/** Fail at a node: "... is ..., expected ...". */
tml_status tmli_value_fail(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w,
                           const char *expected);
tml_status tmli_value_number(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w, double *out);
tml_status tmli_value_integer(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w, double *out);
/** A list of `count` numbers. */
tml_status tmli_value_numbers(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w, int count,
                              double *out);
/** Three numbers, or two in a planar model. */
tml_status tmli_value_vector(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w, double out[3]);
tml_status tmli_value_text(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w, const char **out);
tml_status tmli_value_rotation(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w, double out[4]);
/** Read a field of any kind and store it in its definition. */
tml_status tmli_value_field(tmli_reader *r, const tmli_field *f, const tmli_yaml_node *n, const tmli_where *w,
                            void *def);

// ---- csv_table --------------------------------------------------------------------------------------------

/** The table of that name; NULL: there is none. */
tmli_table_entry *tmli_csv_find_table(const tmli_reader *r, const char *name);
/** Points of a table from its file, if it has one; they live until the scratch arena is cleared. */
tml_status tmli_csv_read_table(tmli_reader *r, const tmli_entry *at, tml_table_def *def);

// ---- csv_grid ---------------------------------------------------------------------------------------------

/** The heights of a height field from its file. */
tml_status tmli_csv_read_heights(tmli_reader *r, const tmli_entry *at, tml_shape_def *def);

// ---- part -------------------------------------------------------------------------------------------------

/** The part of a modal body from its files; the spec owns it. */
tml_status tmli_read_part(tmli_reader *r, const tmli_entry *at, tml_modal_def *def);

// ---- files ------------------------------------------------------------------------------------------------

/** `name` as seen from the folder of `base`, in the arena of the spec; NULL: no memory. */
char *tmli_relative_path(tmli_reader *r, const char *base, const char *name);

/** The folders from which the model may read, in the spec. */
tml_status tmli_set_places(tmli_reader *r);
/** Note what is in a mesh, whose triangles are read later, if somebody needs them; a warning if it is not
 * there. Of a run that is continued: what was in it then. `at`: position of its name, for messages. */
tml_status tmli_note_mesh(tmli_reader *r, tml_mark at, const char *path);
/** Read the model file, or take its text from memory. The spec keeps it. */
tml_status tmli_read_main(tmli_reader *r, const char *path, const tmli_bytes *memory, tmli_model_text *out);
/** Read a regular file of at most `most` bytes that a model names; `name` is relative to the folder of the
 * file `base`. The spec keeps it. `at`: position of the name, for messages. */
tml_status tmli_read_file(tmli_reader *r, tml_mark at, const char *base, const char *name, size_t most,
                          tmli_model_text *out);

// ---- yaml_entry -------------------------------------------------------------------------------------------

/** Reject keys that are not in the schema for this type (type < 0: any). */
tml_status tmli_entry_check_keys(tmli_reader *r, const tmli_schema *s, int type, const char *name,
                                 const tmli_yaml_node *map);
/** The map of a section, or an error. */
tml_status tmli_entry_expect_map(tmli_reader *r, const tmli_yaml_node *n, const char *key);
/** One named entry of a section; key holds the name, possibly with {...}. */
tml_status tmli_entry_read(tmli_reader *r, const tmli_schema *s, const tmli_yaml_node *key,
                           const tmli_yaml_node *value);
tml_status tmli_entry_frames(tmli_reader *r, const char *body, const tmli_yaml_node *frames);
/** As tmli_entry_frames, but checks only that they can be read. */
tml_status tmli_entry_check_frames(tmli_reader *r, const tmli_yaml_node *frames);
tml_status tmli_entry_output(tmli_reader *r, const tmli_yaml_node *key, const tmli_yaml_node *value);
tml_status tmli_entry_run(tmli_reader *r, const tmli_yaml_node *value);
/** Count one more entry against the limit. */
tml_status tmli_entry_count(tmli_reader *r, tml_mark at);

// ---- yaml_model -------------------------------------------------------------------------------------------

/** Add the entries of all files of r->files to r->spec. */
tml_status tmli_model_read(tmli_reader *r, const tml_parameter *overrides, int count);

#endif
