// Finds and loads modules; see module.h.
#define _GNU_SOURCE  // dladdr
#include "load/module.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH_ROOM = 4096, PLACE_ROOM = 64, PLACES = 2 };

// The folder of the shared library or program that contains this function; "" if it cannot be found. For a
// program the dynamic linker knows only the name by which it was called.
static void own_folder(char folder[PATH_ROOM])
{
    Dl_info info;
    static const char inside = 0;
    folder[0] = 0;
    if (dladdr(&inside, &info) && info.dli_fname && info.dli_fname[0] == '/' &&
        strlen(info.dli_fname) < PATH_ROOM) {
        strcpy(folder, info.dli_fname);
    } else {
        const ssize_t n = readlink("/proc/self/exe", folder, PATH_ROOM - 1);
        folder[n > 0 ? n : 0] = 0;
    }
    char *slash = strrchr(folder, '/');
    if (slash) *slash = 0;
}

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

// A file in one of the places of modules, by its number.
static bool find_file(int place, const char *name, char path[TMLI_MODULE_PATH])
{
    static const char *const places[PLACES] = {"", TRAMMEL_LIBRARIES_FROM_COMMAND "/"};
    char folder[PATH_ROOM];
    own_folder(folder);
    const int n =
        snprintf(path, TMLI_MODULE_PATH, "%s/%s%s/%s", folder, places[place], TRAMMEL_MODULE_FOLDER, name);
    return folder[0] && n > 0 && n < TMLI_MODULE_PATH && access(path, R_OK) == 0;
}

bool tmli_module_file(const char *name, char path[TMLI_MODULE_PATH])
{
    for (int i = 0; i < PLACES; i++)
        if (find_file(i, name, path)) return true;
    return false;
}

// The module in one of its places; NULL: none could be loaded, and *reason says why if there was one.
static void *open_module(const char *name, const char **reason)
{
    char file[PLACE_ROOM], path[TMLI_MODULE_PATH];
    *reason = NULL;
    snprintf(file, sizeof file, "%s.so", name);
    for (int i = 0; i < PLACES; i++) {
        if (!find_file(i, file, path)) continue;
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
