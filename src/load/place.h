// The places of modules. Apart from what opens them: the command that stands alone opens none, but has files
// beside the modules (tmli_module_file).
#ifndef TMLI_LOAD_PLACE_H
#define TMLI_LOAD_PLACE_H

#include "load/module.h"

enum { TMLI_MODULE_PLACES = 2 };

/** The path of a file in one of the places of modules, by its number; false: there is none. */
bool tmli_module_find(int place, const char *name, char path[TMLI_MODULE_PATH]);

#endif
