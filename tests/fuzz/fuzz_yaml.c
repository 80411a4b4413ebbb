// tml_spec_parse on any bytes. The name lies in a folder that does not exist, so that no relative include
// opens a file.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <trammel/spec.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tml_spec *spec = NULL;
    tml_error err = {0};
    const tml_status st =
        tml_spec_parse((const char *)data, size, "no-such-folder/fuzz.yaml", NULL, 0, NULL, &spec, &err);
    if ((st == TML_OK) != (spec != NULL)) abort();
    if (st != TML_OK && !err.msg[0]) abort();
    tml_spec_destroy(spec);
    return 0;
}
