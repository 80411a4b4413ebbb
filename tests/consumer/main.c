// The smallest user of an installed Trammel: prints the version and makes an empty description.
#include <stdio.h>
#include <string.h>
#include <trammel/base.h>
#include <trammel/spec.h>

int main(void)
{
    tml_error err = {0};
    tml_spec *spec = NULL;
    if (tml_spec_create(NULL, &spec, &err) != TML_OK) {
        fprintf(stderr, "%s\n", err.msg);
        return 1;
    }
    tml_spec_destroy(spec);
    puts(tml_version());
    return strlen(tml_version()) < 5;
}
