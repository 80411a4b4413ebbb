// The files of a command; see the header.
#define _POSIX_C_SOURCE 200809L
#include "base/register.h"

#include <stdio.h>
#include <string.h>

void tmli_files_begin(struct tml_files *f)
{
    *f = (struct tml_files){0};
    pthread_mutex_init(&f->lock, NULL);
}

void tmli_files_clear(struct tml_files *f)
{
    for (int i = 0; i < f->count; i++) tmli_free_all(NULL, f->item[i].path, f->item[i].what);
    tmli_free(NULL, f->item);
    pthread_mutex_destroy(&f->lock);
    *f = (struct tml_files){0};
}

// ---- the same file ----------------------------------------------------------------------------------------

// Whether the folders of two paths are the same one.
static bool is_same_folder(const char *a, const char *b)
{
    struct stat x, y;
    const char *ends[] = {strrchr(a, '/'), strrchr(b, '/')};
    char *first = ends[0] ? tmli_strndup(NULL, a, (size_t)(ends[0] - a) + 1) : tmli_strdup(NULL, "."),
         *second = ends[1] ? tmli_strndup(NULL, b, (size_t)(ends[1] - b) + 1) : tmli_strdup(NULL, ".");
    const bool same = first && second && stat(first, &x) == 0 && stat(second, &y) == 0 &&
                      x.st_dev == y.st_dev && x.st_ino == y.st_ino;
    tmli_free_all(NULL, first, second);
    return same;
}

static bool is_same_name(const char *a, const char *b)
{
    const char *slash_a = strrchr(a, '/'), *slash_b = strrchr(b, '/');
    return strcmp(slash_a ? slash_a + 1 : a, slash_b ? slash_b + 1 : b) == 0 && is_same_folder(a, b);
}

// info: of the file `path`; NULL: there is none.
static bool is_same(const tmli_used_file *item, const char *path, const struct stat *info)
{
    struct stat own;
    if (item->known && info)
        return item->dev == (uint64_t)info->st_dev && item->ino == (uint64_t)info->st_ino;
    if (item->known) return is_same_name(item->path, path);
    const bool there = stat(item->path, &own) == 0;
    if (there && info)
        return S_ISREG(own.st_mode) && own.st_dev == info->st_dev && own.st_ino == info->st_ino;
    return !there && !info && is_same_name(item->path, path);
}

// The first item with one of these uses that is the file.
static tmli_used_file *find(const struct tml_files *f, unsigned uses, const char *path,
                            const struct stat *info)
{
    for (int i = 0; i < f->count; i++)
        if (uses >> f->item[i].use & 1 && is_same(&f->item[i], path, info)) return &f->item[i];
    return NULL;
}

enum { READ = 1 << TMLI_USE_READ, WRITTEN = 1 << TMLI_USE_WRITTEN, KEPT = 1 << TMLI_USE_KEPT };

// ---- what a command says ----------------------------------------------------------------------------------

static tmli_used_file *append(struct tml_files *f, tmli_use use, const char *what, const char *path)
{
    tmli_used_file *item = tmli_grown(NULL, f->item, f->count, &f->room, 8, sizeof *item);
    if (!item) return NULL;
    f->item = item;
    item += f->count;
    *item = (tmli_used_file){.use = use, .path = tmli_strdup(NULL, path), .what = tmli_strdup(NULL, what)};
    if (item->path && item->what) {
        f->count++;
        return item;
    }
    tmli_free_all(NULL, item->path, item->what);
    return NULL;
}

// Others than those to be read may be in the way of a file that is read.
static const tmli_used_file *in_the_way(const struct tml_files *f, tmli_use use, const char *path)
{
    struct stat info;
    return find(f, use == TMLI_USE_READ ? WRITTEN | KEPT : READ | WRITTEN | KEPT, path,
                stat(path, &info) == 0 ? &info : NULL);
}

void tmli_used_file_clear(tmli_used_file *file)
{
    tmli_free_all(NULL, file->path, file->what);
    *file = (tmli_used_file){0};
}

// A copy, made under the lock: the items move when another thread adds one.
static tml_status tell(const tmli_used_file *item, tmli_used_file *other)
{
    *other = (tmli_used_file){0};
    if (!item) return TML_OK;
    *other = *item;
    other->path = tmli_strdup(NULL, item->path);
    other->what = tmli_strdup(NULL, item->what);
    if (other->path && other->what) return TML_ERR_ARG;
    tmli_used_file_clear(other);
    return TML_ERR_NOMEM;
}

tml_status tmli_files_find(struct tml_files *f, tmli_use use, const char *path, tmli_used_file *other)
{
    pthread_mutex_lock(&f->lock);
    const tml_status st = tell(in_the_way(f, use, path), other);
    pthread_mutex_unlock(&f->lock);
    return st;
}

// A file of this path that is read already; it may have got there by being opened, without a word for it.
static tmli_used_file *find_read(const struct tml_files *f, const char *path)
{
    for (int i = 0; i < f->count; i++)
        if (f->item[i].use == TMLI_USE_READ && strcmp(f->item[i].path, path) == 0) return &f->item[i];
    return NULL;
}

void tmli_files_continue(struct tml_files *f, const char *path)
{
    pthread_mutex_lock(&f->lock);
    tmli_used_file *item = find_read(f, path);
    if (item) {
        item->use = TMLI_USE_KEPT;
        item->known = false;  // it may be replaced
        item->published = true;
    }
    pthread_mutex_unlock(&f->lock);
}

tml_status tmli_files_add(struct tml_files *f, tmli_use use, const char *what, const char *path,
                          tmli_used_file *other)
{
    *other = (tmli_used_file){0};
    pthread_mutex_lock(&f->lock);
    tmli_used_file *old = use == TMLI_USE_READ ? find_read(f, path) : NULL;
    char *word = old ? tmli_strdup(NULL, what) : NULL;
    tml_status st = TML_OK;
    if (old && word) {
        tmli_free(NULL, old->what);
        old->what = word;
    } else if (!old) {
        st = tell(in_the_way(f, use, path), other);
        if (st == TML_OK && !append(f, use, what, path)) st = TML_ERR_NOMEM;
    }
    pthread_mutex_unlock(&f->lock);
    return st;
}

// ---- what is done -----------------------------------------------------------------------------------------

static void identify(tmli_used_file *item, const struct stat *info)
{
    item->known = true;
    item->dev = (uint64_t)info->st_dev;
    item->ino = (uint64_t)info->st_ino;
}

tml_status tmli_files_read(const tml_env *env, const char *path, const struct stat *info, char *reason,
                           size_t room)
{
    struct tml_files *f = env ? env->files : NULL;
    tml_status st = TML_OK;
    if (!f || !S_ISREG(info->st_mode)) return TML_OK;
    pthread_mutex_lock(&f->lock);
    const tmli_used_file *other = find(f, WRITTEN | KEPT, path, info);
    if (other && !other->published) {
        const bool same = strcmp(other->path, path) == 0;
        snprintf(reason, room, "%s%s%.90s%s would overwrite it", other->what, same ? "" : " '",
                 same ? "" : other->path, same ? "" : "'");
        st = TML_ERR_IO;
    } else if (!other && !find_read(f, path)) {
        tmli_used_file *item = append(f, TMLI_USE_READ, "a file that is read", path);
        if (item) identify(item, info);
        else {
            snprintf(reason, room, "memory is exhausted");
            st = TML_ERR_NOMEM;
        }
    }
    pthread_mutex_unlock(&f->lock);
    return st;
}

static tml_status refuse(const tmli_used_file *other, const char *path, tml_error *err)
{
    if (other->use == TMLI_USE_READ)
        return tmli_fail(err, TML_ERR_IO, "Cannot write '%.300s': it would overwrite %s ('%.300s').", path,
                         other->what, other->path);
    return tmli_fail(err, TML_ERR_IO, "Cannot write '%.300s': it is written already (%s).", path,
                     other->what);
}

tml_status tmli_files_write(const tml_env *env, const char *path, const char *final, const struct stat *info,
                            tml_error *err)
{
    struct tml_files *f = env ? env->files : NULL;
    struct stat older;
    tml_status st = TML_OK;
    if (!f) return TML_OK;
    pthread_mutex_lock(&f->lock);
    const struct stat *there = stat(final, &older) == 0 ? &older : NULL;
    tmli_used_file *item = find(f, KEPT, final, there);
    if (!item) item = find(f, READ, final, there);
    if (!item) item = find(f, WRITTEN, final, there);
    if (item && (item->use == TMLI_USE_READ || (item->use == TMLI_USE_WRITTEN && item->published)))
        st = refuse(item, path, err);
    if (st == TML_OK && !item && info) item = append(f, TMLI_USE_WRITTEN, "an output", final);
    if (st == TML_OK && !item && info) st = tmli_no_memory(err, path);
    if (st == TML_OK && info) {
        item->published = true;
        if (item->use == TMLI_USE_WRITTEN) identify(item, info);
    }
    pthread_mutex_unlock(&f->lock);
    return st;
}
