// The virtual file driver of the HDF5 writer; see the header.
#define _POSIX_C_SOURCE 200809L
#include "result/hdf5/h5sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
    struct stat file;
    s->file.eoa = 0;
    s->file.eof = fstat(s->target.fd, &file) == 0 && file.st_size > 0 ? (haddr_t)file.st_size : 0;
    s->committed = s->file.eof;
    return &s->file.pub;
}

static herr_t sink_close(H5FD_t *file)
{
    ((tmli_h5_sink *)file)->open = false;
    return 0;
}

static herr_t sink_query(const H5FD_t *file, unsigned long *flags)
{
    (void)file;
    // not H5FD_FEAT_ACCUMULATE_METADATA: pieces keep their kinds
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA |
             H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

// ---- pieces that wait -------------------------------------------------------------------------------------

static void write_now(tmli_h5_sink *s, haddr_t address, const void *bytes, size_t size)
{
    const char *from = bytes;
    tmli_target_look(&s->target);
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
        tmli_target_wrote(&s->target, (int64_t)address);
    }
}

// Nodes of the index of version 1 begin with "TREE", their type and their level, which is 0 for leaves.
static int rank_of(const tmli_h5_sink *s, H5FD_mem_t type, haddr_t address, const unsigned char *bytes,
                   size_t size)
{
    enum { NEW, SUPERBLOCK, INDEX, OTHER = INDEX + 256, HEADER };
    if (address >= s->committed) return NEW;
    if (type == H5FD_MEM_SUPER) return SUPERBLOCK;
    if (type == H5FD_MEM_BTREE && size > 5 && memcmp(bytes, "TREE", 4) == 0) return INDEX + 255 - bytes[5];
    return type == H5FD_MEM_OHDR ? HEADER : OTHER;
}

// False: there is no room.
static bool keep(tmli_h5_sink *s, H5FD_mem_t type, haddr_t address, const void *bytes, size_t size)
{
    for (size_t i = 0; i < s->pieces; i++)
        if (s->piece[i].address == address && s->piece[i].size == size) {  // written again
            memcpy(s->piece[i].bytes, bytes, size);
            return true;
        }
    if (s->pieces == TMLI_H5_PIECES || size > TMLI_H5_BYTES - s->used) return false;
    unsigned char *copy = s->bytes + s->used;
    memcpy(copy, bytes, size);
    s->used += size;
    s->piece[s->pieces++] = (tmli_h5_piece){address, size, rank_of(s, type, address, bytes, size), copy};
    return true;
}

static int compare_pieces(const void *a, const void *b)
{
    const tmli_h5_piece *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return x->address < y->address ? -1 : x->address > y->address;
}

bool tmli_h5_sink_commit(tmli_h5_sink *s)
{
    struct stat file = {0};
    if (s->pieces > 0) qsort(s->piece, s->pieces, sizeof *s->piece, compare_pieces);
    tmli_target_look(&s->target);
    // the superblock must not know an end that the file does not have yet
    if (!s->fault && fstat(s->target.fd, &file) == 0 && S_ISREG(file.st_mode) &&
        (haddr_t)file.st_size < s->file.eoa && ftruncate(s->target.fd, (off_t)s->file.eoa) != 0)
        s->fault = errno;
    if (!s->fault && S_ISREG(file.st_mode)) tmli_target_wrote(&s->target, (int64_t)s->file.eoa);
    for (size_t i = 0; i < s->pieces; i++)
        write_now(s, s->piece[i].address, s->piece[i].bytes, s->piece[i].size);
    s->pieces = s->used = 0;
    s->committed = s->file.eof > s->file.eoa ? s->file.eof : s->file.eoa;
    return !s->fault;
}

// ---- reading and writing ----------------------------------------------------------------------------------

// What waits covers what is in the file.
static void overlay(const tmli_h5_sink *s, haddr_t address, size_t size, char *to)
{
    for (size_t i = 0; i < s->pieces; i++) {
        const tmli_h5_piece *p = &s->piece[i];
        const haddr_t begin = p->address > address ? p->address : address,
                      end = p->address + p->size < address + size ? p->address + p->size : address + size;
        if (begin < end) memcpy(to + (begin - address), p->bytes + (begin - p->address), end - begin);
    }
}

static herr_t sink_read(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                        void *buffer)
{
    (void)type, (void)transfer;
    const tmli_h5_sink *s = (const tmli_h5_sink *)file;
    char *to = buffer;
    for (size_t done = 0; done < size;) {
        const ssize_t n = pread(s->target.fd, to + done, size - done, (off_t)(address + done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return -1;
        if (n == 0) {
            memset(to + done, 0, size - done);  // beyond the end
            break;
        }
        done += (size_t)n;
    }
    overlay(s, address, size, to);
    return 0;
}

static herr_t sink_write(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                         const void *buffer)
{
    (void)transfer;
    tmli_h5_sink *s = (tmli_h5_sink *)file;
    if (address + size > s->file.eof) s->file.eof = address + size;
    if (type == H5FD_MEM_DRAW) {
        write_now(s, address, buffer, size);
    } else if (!keep(s, type, address, buffer, size)) {
        tmli_h5_sink_commit(s);
        if (!keep(s, type, address, buffer, size)) write_now(s, address, buffer, size);
    }
    return 0;
}

// The file is extended by the next commit and shortened when it is closed: never below what its superblock
// says.
static herr_t sink_truncate(H5FD_t *file, hid_t transfer, hbool_t closing)
{
    (void)transfer, (void)closing;
    tmli_h5_sink *s = (tmli_h5_sink *)file;
    s->file.eof = s->file.eoa;
    return 0;
}

static const H5FD_class_t sink_class = {
    TMLI_H5_CLASS(517), .name = "trammel",   .fapl_size = sizeof(sink_info),
    .open = sink_open,  .close = sink_close, .query = sink_query,
    .read = sink_read,  .write = sink_write, .truncate = sink_truncate,
};

static tml_status allocate(tmli_h5_sink *sink, const char *path, const tml_env *env, tml_error *err)
{
    *sink = (tmli_h5_sink){.driver = H5I_INVALID_HID, .target = {.fd = -1, .env = env ? *env : (tml_env){0}}};
    sink->piece = tmli_calloc(env, TMLI_H5_PIECES, sizeof *sink->piece);
    sink->bytes = tmli_calloc(env, TMLI_H5_BYTES, 1);
    if (sink->piece && sink->bytes) return TML_OK;
    return tmli_fail(err, TML_ERR_NOMEM, "Result file '%s': no memory for its tables.", path);
}

tml_status tmli_h5_sink_open(tmli_h5_sink *sink, const char *path, const tml_env *env, tml_error *err)
{
    const tml_status st = allocate(sink, path, env, err);
    return st == TML_OK ? tmli_target_open(&sink->target, path, O_RDWR, env, err) : st;
}

tml_status tmli_h5_sink_reopen(tmli_h5_sink *sink, const char *path, const tml_env *env, tml_error *err)
{
    const tml_status st = allocate(sink, path, env, err);
    return st == TML_OK ? tmli_target_reopen(&sink->target, path, env, err) : st;
}

bool tmli_h5_sink_use(tmli_h5_sink *sink, hid_t access)
{
    sink->driver = H5FDregister(&sink_class);
    const sink_info info = {sink};
    return sink->driver >= 0 && H5Pset_driver(access, sink->driver, &info) >= 0;
}

static void shorten(tmli_h5_sink *s)
{
    struct stat file;
    if (fstat(s->target.fd, &file) == 0 && S_ISREG(file.st_mode) && (haddr_t)file.st_size > s->file.eoa &&
        ftruncate(s->target.fd, (off_t)s->file.eoa) != 0)
        s->fault = errno;
    s->target.extent = (int64_t)s->file.eoa;
}

tml_status tmli_h5_sink_close(tmli_h5_sink *sink, tml_error *err)
{
    if (sink->driver >= 0) H5FDunregister(sink->driver);
    sink->driver = H5I_INVALID_HID;
    const tml_status intact = tmli_target_check(&sink->target, err);  // before a commit fills what was cut
    if (sink->target.fd >= 0 && sink->file.eoa > 0 && tmli_h5_sink_commit(sink)) shorten(sink);
    const tml_env env = sink->target.env;
    tmli_free_all(&env, sink->piece, sink->bytes);
    sink->piece = NULL;
    sink->bytes = NULL;
    const int fault = sink->fault;
    if (fault && intact == TML_OK)
        tmli_fail(err, TML_ERR_IO, "Cannot finish result file '%s': %s.", sink->target.path, strerror(fault));
    const tml_status st = tmli_target_close(&sink->target, fault || intact != TML_OK ? NULL : err);
    return fault ? TML_ERR_IO : intact != TML_OK ? intact : st;
}
