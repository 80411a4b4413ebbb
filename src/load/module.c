// Finds and loads modules; see module.h.
#define _GNU_SOURCE  // RTLD_DEEPBIND
#include "load/place.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { NAME_ROOM = 64 };

// The ten thousand symbols of OpenBLAS are its own: to look for them in the program and its libraries first
// would take a third longer than all else. Sanitizers forbid it (TRAMMEL_SANITIZED).
static int flags_for(const char *name)
{
    int flags = RTLD_LAZY | RTLD_LOCAL;
#if defined(RTLD_DEEPBIND) && !defined(TRAMMEL_SANITIZED)
    if (strcmp(name, "lapack") == 0) flags |= RTLD_DEEPBIND;
#else
    (void)name;
#endif
    return flags;
}

// The module in one of its places; NULL: none could be loaded, and *reason says why if there was one.
static void *open_module(const char *name, const char **reason)
{
    char file[NAME_ROOM], path[TMLI_MODULE_PATH];
    *reason = NULL;
    snprintf(file, sizeof file, "%s.so", name);
    for (int i = 0; i < TMLI_MODULE_PLACES; i++) {
        if (!tmli_module_find(i, file, path)) continue;
        errno = 0;
        void *module = dlopen(path, flags_for(name));
        if (module) return module;
        const char *why = dlerror();
        *reason = errno == ENOMEM || !why ? "there is no memory for it" : why;
    }
    return NULL;
}

tml_status tmli_module_table(const char *name, size_t size, const void **table, tml_error *err)
{
    *table = NULL;
    const char *reason;
    void *module = open_module(name, &reason);
    if (!module && reason)
        return tmli_fail(err, TML_ERR_IO, "The module '%s' cannot be loaded: %s.", name, reason);
    if (!module)
        return tmli_fail(err, TML_ERR_IO,
                         "The module '%s' is not installed: " TRAMMEL_MODULE_FOLDER
                         "/%s.so stands beside the libraries of Trammel.",
                         name, name);
    char symbol[64];
    snprintf(symbol, sizeof symbol, "tml_module_%s", name);
    const tmli_module_head *head = dlsym(module, symbol);
    if (!head || head->size != size || strcmp(head->version, TRAMMEL_VERSION) != 0) {
        dlclose(module);
        return tmli_fail(err, TML_ERR_IO, "The module '%s' belongs to another version of Trammel than %s.",
                         name, TRAMMEL_VERSION);
    }
    *table = head;
    return TML_OK;
}
