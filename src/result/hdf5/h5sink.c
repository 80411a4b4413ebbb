// The virtual file driver of the HDF5 writer; see the header.
#define _POSIX_C_SOURCE 200809L
#include "result/hdf5/h5sink.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

typedef struct sink_info {
    tmli_h5_sink *sink;
} sink_info;

static H5FD_t *sink_open(const char *name, unsigned flags, hid_t access, haddr_t max)
{
    (void)name, (void)flags, (void)max;
    const sink_info *info = H5Pget_driver_info(access);
    if (!info || info->sink->open) return NULL;
    tmli_h5_sink *s = info->sink;
    s->open = true;
    s->eoa = s->eof = 0;
    return &s->pub;
}

static herr_t sink_close(H5FD_t *file)
{
    ((tmli_h5_sink *)file)->open = false;
    return 0;
}

static herr_t sink_query(const H5FD_t *file, unsigned long *flags)
{
    (void)file;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t sink_get_eoa(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const tmli_h5_sink *)file)->eoa;
}

static herr_t sink_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t address)
{
    (void)type;
    ((tmli_h5_sink *)file)->eoa = address;
    return 0;
}

static haddr_t sink_get_eof(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const tmli_h5_sink *)file)->eof;
}

static herr_t sink_read(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                        void *buffer)
{
    (void)type, (void)transfer;
    const tmli_h5_sink *s = (const tmli_h5_sink *)file;
    char *to = buffer;
    while (size > 0) {
        const ssize_t n = pread(s->target.fd, to, size, (off_t)address);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return -1;
        if (n == 0) {
            memset(to, 0, size);  // beyond the end
            return 0;
        }
        to += n;
        size -= (size_t)n;
        address += (haddr_t)n;
    }
    return 0;
}

static herr_t sink_write(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                         const void *buffer)
{
    (void)type, (void)transfer;
    tmli_h5_sink *s = (tmli_h5_sink *)file;
    if (address + size > s->eof) s->eof = address + size;
    const char *from = buffer;
    while (size > 0 && !s->fault) {
        const ssize_t n = pwrite(s->target.fd, from, size, (off_t)address);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            s->fault = n < 0 ? errno : EIO;
            break;
        }
        from += n;
        size -= (size_t)n;
        address += (haddr_t)n;
    }
    return 0;
}

static herr_t sink_truncate(H5FD_t *file, hid_t transfer, hbool_t closing)
{
    (void)transfer, (void)closing;
    tmli_h5_sink *s = (tmli_h5_sink *)file;
    if (s->eoa == s->eof) return 0;
    if (!s->fault && ftruncate(s->target.fd, (off_t)s->eoa) != 0 && errno != EINVAL)
        s->fault = errno;  // EINVAL: a device
    s->eof = s->eoa;
    return 0;
}

static const H5FD_class_t sink_class = {
#ifdef H5FD_CLASS_VERSION
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)517,  // any number above those of the library and below its limit
#endif
    .name = "trammel",
    .maxaddr = ((haddr_t)1 << (8 * sizeof(off_t) - 1)) - 1,
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(sink_info),
    .open = sink_open,
    .close = sink_close,
    .query = sink_query,
    .get_eoa = sink_get_eoa,
    .set_eoa = sink_set_eoa,
    .get_eof = sink_get_eof,
    .read = sink_read,
    .write = sink_write,
    .truncate = sink_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

tml_status tmli_h5_sink_open(tmli_h5_sink *sink, const char *path, const tml_env *env, tml_error *err)
{
    *sink = (tmli_h5_sink){.driver = H5I_INVALID_HID};
    return tmli_target_open(&sink->target, path, O_RDWR, env, err);
}

bool tmli_h5_sink_use(tmli_h5_sink *sink, hid_t access)
{
    sink->driver = H5FDregister(&sink_class);
    const sink_info info = {sink};
    return sink->driver >= 0 && H5Pset_driver(access, sink->driver, &info) >= 0;
}

tml_status tmli_h5_sink_close(tmli_h5_sink *sink, tml_error *err)
{
    if (sink->driver >= 0) H5FDunregister(sink->driver);
    sink->driver = H5I_INVALID_HID;
    const int fault = sink->fault;
    if (fault)
        tmli_fail(err, TML_ERR_IO, "Cannot finish result file '%s': %s.", sink->target.path, strerror(fault));
    const tml_status st = tmli_target_close(&sink->target, fault ? NULL : err);
    return fault ? TML_ERR_IO : st;
}
