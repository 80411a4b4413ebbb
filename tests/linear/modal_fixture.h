// A part made of a model of beams, and models with it.
#ifndef TEST_LINEAR_MODAL_FIXTURE_H
#define TEST_LINEAR_MODAL_FIXTURE_H

#include "support/support.h"

#include <trammel/trammel.h>

static tml_error err;

#define OK(call)                                                  \
    do {                                                          \
        if ((call) != TML_OK) fail_msg("%s: %s", #call, err.msg); \
    } while (0)

static inline tml_spec *parse(const char *text)
{
    tml_spec *spec = NULL;
    OK(tml_spec_parse(text, strlen(text), "test.yaml", NULL, 0, NULL, &spec, &err));
    return spec;
}

/** The reduced part of the model `text` with `count` interface nodes, NAME=FRAME in two lists. */
static inline tml_part *reduce(const char *text, int count, const char *const *names,
                               const char *const *frames, int modes, int loads, const char *const *load)
{
    tml_spec *spec = parse(text);
    tml_mesh *mesh = NULL;
    tml_part *part = NULL;
    tml_mesh_def def = tml_mesh_def_default();
    def.spec = spec;
    def.interface_count = count;
    def.interface = frames;
    def.names = names;
    def.load_count = loads;
    def.load = load;
    OK(tml_mesh_of_spec(&def, &mesh, &err));
    tml_reduce_def how = tml_reduce_def_default();
    how.interface_count = count;
    how.interface = names;
    how.modes = modes;
    OK(tml_part_reduce(mesh, &how, &part, &err));
    tml_mesh_destroy(mesh);
    tml_spec_destroy(spec);
    return part;
}

#endif
