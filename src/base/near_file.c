// The file that may be meant by a path; see the header.
#define _DEFAULT_SOURCE  // readdir
#include "base/near_file.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

// Endings of files that are written for each other: models and results.
static const char *const endings[][4] = {{"", ".yaml", ".yml", ".json"}, {".h5", ".hdf5", ".csv"}};

// The name is that of the file with another ending of the same kind.
static bool is_twin(const char *name, const char *file)
{
    const char *dot = strrchr(file, '.');
    const size_t stem = dot ? (size_t)(dot - file) : strlen(file);
    if (strncmp(name, file, stem) != 0 || strcmp(name, file) == 0) return false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        int found = 0;
        for (size_t k = 0; k < sizeof *endings / sizeof **endings; k++) {
            const char *e = endings[i][k];
            found |= e && strcmp(dot ? dot : "", e) == 0 ? 1 : 0;
            found |= e && *e && strcmp(name + stem, e) == 0 ? 2 : 0;
        }
        if (found == 3) return true;
    }
    return false;
}

void tmli_file_hint(const char *path, char *text, size_t room)
{
    enum { ENTRIES = 4096 };  // of a folder that are looked at
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    char folder[PATH_MAX], best[NAME_MAX + 1] = "";
    const char *dot = strrchr(file, '.');
    const int length = slash ? (int)(slash - path) + 1 : 0;
    const int n = snprintf(folder, sizeof folder, "%.*s.", length, path);
    DIR *d = *file && n > 0 && n < (int)sizeof folder ? opendir(folder) : NULL;
    bool twin = false;
    for (int i = 0; d && i < ENTRIES; i++) {
        const struct dirent *e = readdir(d);
        if (!e) break;
        const char *name = e->d_name;
        const bool better = is_twin(name, file), alike = !dot || tmli_ends_with(name, dot);
        if (name[0] == '.' || strlen(name) >= sizeof best || !(better || (alike && !twin))) continue;
        // the order of a folder is not that of its names
        const bool first = strcmp(name, best) < 0;
        const char *const two[] = {!best[0] || first ? name : best, !best[0] || first ? best : name};
        if (!(better && !twin) && tmli_nearest(file, two, best[0] ? 2 : 1) != name) continue;
        memcpy(best, name, strlen(name) + 1);
        twin = twin || better;
    }
    if (d) closedir(d);
    text[0] = 0;
    tmli_clean(best);
    if (best[0] && (size_t)snprintf(text, room, " (is it '%.*s%s'?)", length, path, best) >= room)
        text[0] = 0;
}
