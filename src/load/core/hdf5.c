// HDF5 result files by the module 'hdf5'.
#include "load/core/tables.h"

static tml_status load(const tmli_module_hdf5 **module, tml_error *err)
{
    const void *table;
    const tml_status st = tmli_module_table("hdf5", sizeof **module, &table, err);
    *module = table;
    if (st != TML_OK) tmli_error_append(err, "CSV needs none (.csv).");
    return st;
}

tml_status tmli_writer_hdf5(const tmli_writer_ops **ops, tml_error *err)
{
    const tmli_module_hdf5 *module;
    const tml_status st = load(&module, err);
    return st == TML_OK ? module->writer(ops, err) : st;
}

tml_status tmli_result_read_hdf5(const char *path, const tml_env *env, tmli_result **out, tml_error *err)
{
    const tmli_module_hdf5 *module;
    *out = NULL;
    const tml_status st = load(&module, err);
    return st == TML_OK ? module->read(path, env, out, err) : st;
}

tml_status tmli_result_open_hdf5(const char *path, const tml_env *env, tmli_result **out, tml_error *err)
{
    const tmli_module_hdf5 *module;
    *out = NULL;
    const tml_status st = load(&module, err);
    return st == TML_OK ? module->open(path, env, out, err) : st;
}

tml_status tmli_result_attachment(const char *path, const tml_env *env, void **data, size_t *size,
                                  tml_error *err)
{
    const tmli_module_hdf5 *module;
    *data = NULL;
    *size = 0;
    const tml_status st = load(&module, err);
    return st == TML_OK ? module->attachment(path, env, data, size, err) : st;
}
