// Where modules and the files beside them stand; see module.h and place.h.
#define _GNU_SOURCE  // dladdr
#include "load/place.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 };

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

bool tmli_module_find(int place, const char *name, char path[TMLI_MODULE_PATH])
{
    static const char *const places[TMLI_MODULE_PLACES] = {"", TRAMMEL_LIBRARIES_FROM_COMMAND "/"};
    char folder[PATH_ROOM];
    own_folder(folder);
    const int n =
        snprintf(path, TMLI_MODULE_PATH, "%s/%s%s/%s", folder, places[place], TRAMMEL_MODULE_FOLDER, name);
    return folder[0] && n > 0 && n < TMLI_MODULE_PATH && access(path, R_OK) == 0;
}

bool tmli_module_file(const char *name, char path[TMLI_MODULE_PATH])
{
    for (int i = 0; i < TMLI_MODULE_PLACES; i++)
        if (tmli_module_find(i, name, path)) return true;
    return false;
}
