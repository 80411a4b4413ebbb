// Robots of any bytes: refused with a sentence, or a spec whose text is read as a model. The options follow
// from the length of the input. The names lie in a folder that does not exist, so that no mesh is found.
#include "import/import.h"
#include "io/write.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char *none[1];
    const tmli_places places = {.limited = true, .count = 0, .folder = none};
    tml_import_def def = tml_import_def_default();
    tml_spec *robot = NULL, *spec = NULL;
    tml_error err = {0};
    char *text = NULL;
    size_t length = 0;
    def.path = "no-such-folder/robot.urdf";
    def.floating = size & 1;
    def.motors = size & 2;
    def.mend = size & 4;
    const tml_status st = tmli_import(&def, (const char *)data, size, &places, "", NULL, &robot, &err);
    if ((st == TML_OK) != (robot != NULL)) abort();
    if (st != TML_OK && !err.msg[0]) abort();
    if (st == TML_OK && (tmli_yaml_write(robot, "robot", "", &text, &length, &err) != TML_OK ||
                         tml_spec_parse(text, length, "fuzz.yaml", NULL, 0, NULL, &spec, &err) != TML_OK)) {
        fprintf(stderr, "%d: %s\n%s\n", err.line, err.msg, text ? text : "");
        abort();
    }
    free(text);
    tml_spec_destroy(spec);
    tml_spec_destroy(robot);
    return 0;
}
