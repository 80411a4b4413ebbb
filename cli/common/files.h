// The files of a command: nothing that it writes may be something that it reads, or that it writes under
// another option.
//
// They are in the register of its environment (base/register.h), where everything that is opened is reported.
// Options say in their table whether they name a file (cli_file); main.c adds these before the command runs.
// A command adds what no option names: files of default names. What a model, a study or a robot names in turn
// gets there when it is read.
#ifndef CLI_FILES_H
#define CLI_FILES_H

#include "base/register.h"
#include "options.h"

#include <trammel/spec.h>

typedef struct tml_files cli_files;

/** Add a file. what: in messages, "--out" or "the model". TML_ERR_ARG: it is written, and the same file is
 * read or written already, or its name, which no option gave, is a symbolic link. path NULL, and the word
 * "none" for a file that is written: nothing. */
tml_status cli_files_add(cli_files *f, cli_file use, const char *what, const char *path, tml_error *err);
/** Whether it may be added as written. */
tml_status cli_files_check(cli_files *f, const char *what, const char *path, tml_error *err);
/** The same for the files NAME-0000.ENDING and so on, `count` of them, that belong to the output NAME.xyz. */
tml_status cli_files_add_series(cli_files *f, const char *path, const char *ending, size_t count,
                                tml_error *err);
/** Add the files that the options of a table name. */
tml_status cli_files_add_options(cli_files *f, const cli_table *table, const void *values, tml_error *err);
/** Add the files from which a model was read, and its meshes: also of one that came from a checkpoint. */
tml_status cli_files_add_model(cli_files *f, const tml_spec *spec, tml_error *err);

/** A name without folder and ending, and `ending`: "crank.h5" of "dir/crank.yaml". Freed by the caller; NULL:
 * no memory. */
char *cli_stem(const char *path, const char *ending);

#endif
