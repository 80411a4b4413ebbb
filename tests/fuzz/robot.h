// What fuzz targets do with robots: refused with a sentence, or a spec whose text is read as a model.
#ifndef FUZZ_ROBOT_H
#define FUZZ_ROBOT_H

#include "import/import.h"
#include "io/write.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <trammel/model.h>

/** options: 1 floating, 2 motors, 4 mend, 8 the model is built. The names lie in a folder that does not
 * exist, so that no mesh is found. */
static inline void run_robot(const char *path, const char *data, size_t size, unsigned options)
{
    static char *none[1];
    const tmli_places places = {.limited = true, .count = 0, .folder = none};
    tml_import_def def = tml_import_def_default();
    tml_spec *robot = NULL, *spec = NULL;
    tml_model *model = NULL;
    tml_error err = {0};
    char *text = NULL;
    size_t length = 0;
    def.path = path;
    def.floating = options & 1;
    def.motors = options & 2;
    def.mend = options & 4;
    tml_status st = tmli_import(&def, data, size, &places, "", NULL, &robot, &err);
    if ((st == TML_OK) != (robot != NULL)) abort();
    if (st != TML_OK && !err.msg[0]) abort();
    if (st == TML_OK && (tmli_yaml_write(robot, "robot", "", &text, &length, &err) != TML_OK ||
                         tml_spec_parse(text, length, "fuzz.yaml", NULL, 0, NULL, &spec, &err) != TML_OK)) {
        fprintf(stderr, "%d: %s\n%s\n", err.line, err.msg, text ? text : "");
        abort();
    }
    if (spec && options & 8) {
        st = tml_model_build(spec, &model, &err);
        if ((st == TML_OK) != (model != NULL) || (st != TML_OK && !err.msg[0])) abort();
    }
    free(text);
    tml_model_destroy(model);
    tml_spec_destroy(spec);
    tml_spec_destroy(robot);
}

#endif
