// Functions of the HDF5 writer and reader.
#include "result/hdf5/h5.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

// [bytes] What HDF5 has allocated when a small file is open: 3 MB, of them the cache of a table 1 MB.
enum { RESERVE = 8 << 20 };

haddr_t tmli_h5_get_eoa(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const tmli_h5_file *)file)->eoa;
}

herr_t tmli_h5_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t address)
{
    (void)type;
    ((tmli_h5_file *)file)->eoa = address;
    return 0;
}

haddr_t tmli_h5_get_eof(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const tmli_h5_file *)file)->eof;
}

tml_status tmli_h5_ready(const char *path, tml_error *err)
{
    if (tmli_spare(RESERVE)) return TML_OK;
    return tmli_fail(err, TML_ERR_NOMEM, "Result file '%s': no memory for the HDF5 library.", path);
}

tmli_h5_quiet tmli_h5_quiet_begin(void)
{
    tmli_h5_quiet quiet = {0};
    // this fails if the caller installed a handler of the old (1.6) kind, which we could not restore
    quiet.saved = H5Eget_auto2(H5E_DEFAULT, &quiet.function, &quiet.data) >= 0;
    if (quiet.saved) H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return quiet;
}

void tmli_h5_quiet_end(tmli_h5_quiet quiet)
{
    if (quiet.saved) H5Eset_auto2(H5E_DEFAULT, quiet.function, quiet.data);
}

static herr_t take_first(unsigned n, const H5E_error2_t *e, void *user)
{
    if (n > 0 || !e->desc) return 0;
    char *buf = user;
    const char *key = "error message = '", *system = strstr(e->desc, key);
    if (!system) {
        const bool memory = e->min_num == H5E_NOSPACE || e->min_num == H5E_CANTALLOC;
        snprintf(buf, TMLI_H5_REASON, memory ? "no memory, %s" : "%s", e->desc);
        return 0;
    }
    system += strlen(key);
    snprintf(buf, TMLI_H5_REASON, "%.*s", (int)strcspn(system, "'"), system);
    return 0;
}

const char *tmli_h5_reason(char buf[TMLI_H5_REASON])
{
    snprintf(buf, TMLI_H5_REASON, errno == ENOMEM ? "there is no memory" : "HDF5 gives no reason");
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, buf);
    return buf;
}

static bool is_elsewhere(hid_t dataset)
{
    const hid_t create = H5Dget_create_plist(dataset);
    const bool own =
        create >= 0 && H5Pget_external_count(create) == 0 && H5Pget_layout(create) != H5D_VIRTUAL;
    if (create >= 0) H5Pclose(create);
    return !own;
}

hid_t tmli_h5_open(hid_t group, const char *name, hid_t access)
{
    H5L_info_t link;
    if (H5Lget_info(group, name, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD)
        return H5I_INVALID_HID;
    const hid_t id = access == H5P_DEFAULT ? H5Oopen(group, name, access) : H5Dopen2(group, name, access);
    if (id < 0 || H5Iget_type(id) != H5I_DATASET || !is_elsewhere(id)) return id;
    H5Dclose(id);
    return H5I_INVALID_HID;
}

hid_t tmli_h5_string_type(size_t size)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    if (type < 0) return type;
    if (H5Tset_size(type, size) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0) {
        H5Tclose(type);
        return H5I_INVALID_HID;
    }
    return type;
}
