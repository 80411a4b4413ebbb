// Modules: shared objects beside the library that hold what stands on a large third-party library. They are
// loaded when a run first needs them. A program that neither writes HDF5 nor draws PNG does not wait for the
// forty libraries behind these formats to be mapped and relocated, which takes longer than a small run.
//
// A room that a module holds (result/hdf5, linalg/eigen, view/png) has functions that others call. The static
// libraries contain the room itself. The shared libraries and the command contain functions of the same names
// from here, which load the module and call its function by a table. A module has its own copies of what it
// uses of the core; there is no state that both would need to share.
#ifndef TMLI_LOAD_MODULE_H
#define TMLI_LOAD_MODULE_H

#include "base/base.h"

#if defined(__GNUC__)
#define TMLI_MODULE_EXPORT __attribute__((visibility("default")))
#else
#define TMLI_MODULE_EXPORT
#endif

/** The first member of the table of every module: the version of Trammel and the size of the table. They
 * guard against the module of another build. */
typedef struct tmli_module_head {
    const char *version;
    size_t size;
} tmli_module_head;

/** The table of a module. name: "hdf5"; the file is hdf5.so, in the folder of modules beside the shared
 * library or the command that contains this function, or in that of the installed libraries; its table is
 * called tml_module_hdf5. size: that of the table. A module stays loaded. Error: TML_ERR_IO (no such module,
 * one that cannot be loaded, or one of another version). */
tml_status tmli_module_table(const char *name, size_t size, const void **table, tml_error *err);

enum { TMLI_MODULE_PATH = 4352 };
/** The path of a file of this name beside the modules; false: there is none. */
bool tmli_module_file(const char *name, char path[TMLI_MODULE_PATH]);

#endif
