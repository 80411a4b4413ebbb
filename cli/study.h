// Options of `trammel study`.
#ifndef CLI_STUDY_H
#define CLI_STUDY_H

#include "cli.h"

#include <trammel/study.h>

typedef struct study_values {
    const char *study, *out, *part;
    cli_list files;
    int threads;
    bool resume, overwrite, list, quiet, no_progress;
} study_values;

#endif
