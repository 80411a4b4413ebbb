// The virtual file driver of the HDF5 reader; see the header.
#define _POSIX_C_SOURCE 200809L
#include "result/hdf5/h5source.h"

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct source {
    tmli_h5_file file;  // must be first
    int fd, fault;      // errno of the first read that failed; 0: none
    hid_t driver;  // kept until the end of source_close: H5FD_close gives its own up before it calls that
} source;

// For tmli_h5_reason. What the library calls thereafter may change errno.
static void push_reason(const char *what)
{
    const int code = errno;
    H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_FILE, H5E_READERROR,
             "%s, error message = '%s'", what, strerror(code));
    errno = code;
}

static H5FD_t *source_open(const char *name, unsigned flags, hid_t access, haddr_t max)
{
    (void)max;
    struct stat info;
    source *s = flags & H5F_ACC_RDWR ? NULL : calloc(1, sizeof *s);
    if (!s) return NULL;
    s->fd = open(name, O_RDONLY | O_CLOEXEC);
    if (s->fd >= 0 && fstat(s->fd, &info) == 0) {
        s->file.eof = info.st_size > 0 ? (haddr_t)info.st_size : 0;
        s->driver = H5Pget_driver(access);
        if (s->driver >= 0 && H5Iinc_ref(s->driver) >= 0) return &s->file.pub;
    } else {
        push_reason("cannot be opened");
    }
    if (s->fd >= 0) close(s->fd);
    free(s);
    return NULL;
}

static herr_t source_close(H5FD_t *file)
{
    source *s = (source *)file;
    close(s->fd);
    H5FDunregister(s->driver);
    free(s);
    return 0;
}

static herr_t source_query(const H5FD_t *file, unsigned long *flags)
{
    (void)file;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static herr_t source_read(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                          void *buffer)
{
    (void)type, (void)transfer;
    const source *s = (const source *)file;
    char *to = buffer;
    for (size_t done = 0; done < size;) {
        const ssize_t n = pread(s->fd, to + done, size - done, (off_t)(address + done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            ((source *)file)->fault = s->fault ? s->fault : errno;
            push_reason("cannot be read");
            return -1;
        }
        if (n == 0) {
            memset(to + done, 0, size - done);  // beyond the end
            break;
        }
        done += (size_t)n;
    }
    return 0;
}

static herr_t source_handle(H5FD_t *file, hid_t access, void **handle)
{
    (void)access;
    *handle = &((source *)file)->fault;
    return 0;
}

static herr_t source_write(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                           const void *buffer)
{
    (void)file, (void)type, (void)transfer, (void)address, (void)size, (void)buffer;
    return -1;
}

static const H5FD_class_t source_class = {
    TMLI_H5_CLASS(518),    .name = "trammel reader",    .open = source_open, .close = source_close,
    .query = source_query, .get_handle = source_handle, .read = source_read, .write = source_write,
};

hid_t tmli_h5_source_open(const char *path, char reason[TMLI_H5_REASON])
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS), driver = H5FDregister(&source_class);
    hid_t file = H5I_INVALID_HID;
    if (access >= 0 && driver >= 0 && H5Pset_driver(access, driver, NULL) >= 0)
        file = H5Fopen(path, H5F_ACC_RDONLY, access);
    if (file < 0) tmli_h5_reason(reason);
    if (driver >= 0) H5FDunregister(driver);  // the file keeps it
    if (access >= 0) H5Pclose(access);
    return file;
}

int tmli_h5_source_fault(hid_t file)
{
    void *fault = NULL;
    return H5Fget_vfd_handle(file, H5P_DEFAULT, &fault) >= 0 && fault ? *(const int *)fault : 0;
}
