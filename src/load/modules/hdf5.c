// The table of the module 'hdf5'.
#include "load/core/tables.h"

extern const tmli_module_hdf5 tml_module_hdf5;
TMLI_MODULE_EXPORT const tmli_module_hdf5 tml_module_hdf5 = {{TRAMMEL_VERSION, sizeof tml_module_hdf5},
                                                             tmli_writer_hdf5,
                                                             tmli_result_read_hdf5,
                                                             tmli_result_open_hdf5,
                                                             tmli_result_attachment};
