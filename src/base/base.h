// Functions for all rooms: errors, memory and log of the environment, texts, numbers.
#ifndef TMLI_BASE_BASE_H
#define TMLI_BASE_BASE_H

#include <stdbool.h>
#include <stdint.h>
#include <trammel/base.h>

// ---- errors -----------------------------------------------------------------------------------------------

/** Fill err (may be NULL) with status and message, without a position. Returns status, for `return
 * tmli_fail(...)`. */
tml_status tmli_fail(tml_error *err, tml_status status, const char *fmt, ...) TML_PRINTF(3, 4);

/** As tmli_fail, with a position in a file. */
tml_status tmli_fail_at(tml_error *err, tml_status status, tml_mark at, const char *fmt, ...)
    TML_PRINTF(4, 5);

/** TML_ERR_NOMEM, "WHO: memory is exhausted". */
tml_status tmli_no_memory(tml_error *err, const char *who);

/** Whether memory or a module of the program is missing (TML_ERR_NOMEM, or TML_ERR_IO of what reads no file):
 * such a failure says nothing about the model. */
bool tmli_is_shortage(tml_status status);

/** TML_ERR_ARG, "FUNCTION: an argument is NULL". */
tml_status tmli_null_argument(tml_error *err, const char *function);

/** Append a space and a sentence to the message in err; does nothing if err is NULL. */
void tmli_error_append(tml_error *err, const char *fmt, ...) TML_PRINTF(2, 3);

/** A number of 64 bits that follows from the bytes and differs if a few of them change. */
uint64_t tmli_checksum(const void *bytes, size_t size);

// ---- memory and log ---------------------------------------------------------------------------------------

/** count*size bytes from env (may be NULL), set to 0; NULL if memory is exhausted or the product overflows.
 * count*size = 0 gives a valid pointer. */
void *tmli_calloc(const tml_env *env, size_t count, size_t size);
void tmli_free(const tml_env *env, void *ptr);  // ptr may be NULL
void tmli_free_each(const tml_env *env, void *const blocks[], size_t count);
/** Free several blocks, in their order. */
#define tmli_free_all(env, ...) \
    tmli_free_each(env, (void *const[]){__VA_ARGS__}, sizeof((void *const[]){__VA_ARGS__}) / sizeof(void *))
char *tmli_strdup(const tml_env *env, const char *text);
char *tmli_strndup(const tml_env *env, const char *text, size_t n);
/** A new block of new_count elements with the old_count elements of the old block, which is freed. NULL on
 * failure; the old block then remains. */
void *tmli_regrow(const tml_env *env, void *old, size_t old_count, size_t new_count, size_t size);
/** Room for one more element: the block as it is, or if its *room elements are in use one of twice the size,
 * at first of `first` elements. NULL on failure; nothing has changed then. */
void *tmli_grown(const tml_env *env, void *items, int count, int *room, int first, size_t size);
/** An array to be made: the place of the pointer to it, its length, bytes of an element. */
typedef struct tmli_array {
    void *place;
    size_t count, size;
} tmli_array;
#define TMLI_ARRAY(pointer, count)           \
    {                                        \
        &(pointer), count, sizeof *(pointer) \
    }
/** Set each pointer to an array of zeros of its own, by tmli_calloc. False if memory is exhausted: pointers
 * without an array are NULL then. */
bool tmli_calloc_each(const tml_env *env, const tmli_array *arrays, size_t count);
#define tmli_calloc_all(env, ...)                            \
    tmli_calloc_each(env, (const tmli_array[]){__VA_ARGS__}, \
                     sizeof((const tmli_array[]){__VA_ARGS__}) / sizeof(tmli_array))
/** The same in one block, arrays of 8-byte numbers without gaps. The first pointer frees it; all are NULL if
 * there is none. */
bool tmli_calloc_parts(const tml_env *env, const tmli_array *arrays, size_t count);
#define tmli_calloc_block(env, ...)                           \
    tmli_calloc_parts(env, (const tmli_array[]){__VA_ARGS__}, \
                      sizeof((const tmli_array[]){__VA_ARGS__}) / sizeof(tmli_array))
/** Whether so many bytes can be had at this moment. Some libraries crash, wait for ever or go on with wrong
 * data when an allocation of theirs fails: they are entered with a reserve of what they need. */
bool tmli_spare(size_t bytes);
void tmli_log(const tml_env *env, tml_log_level level, const char *fmt, ...) TML_PRINTF(3, 4);

/** An arena: many small allocations that are freed together. Zero-initialize, set env, clear at the end. */
typedef struct tmli_arena {
    const tml_env *env;
    struct tmli_arena_block *head;
} tmli_arena;
void *tmli_arena_alloc(tmli_arena *a, size_t count,
                       size_t size);  // zeroed, aligned for any type; NULL if exhausted
/** As tmli_calloc_each. */
bool tmli_arena_alloc_each(tmli_arena *a, const tmli_array *arrays, size_t count);
#define tmli_arena_alloc_all(arena, ...)                            \
    tmli_arena_alloc_each(arena, (const tmli_array[]){__VA_ARGS__}, \
                          sizeof((const tmli_array[]){__VA_ARGS__}) / sizeof(tmli_array))
char *tmli_arena_strdup(tmli_arena *a, const char *text);
/** A text of any length as printf gives it: names are never cut. NULL if memory is exhausted. */
char *tmli_arena_format(tmli_arena *a, const char *fmt, ...) TML_PRINTF(2, 3);
void tmli_arena_reset(tmli_arena *a);  // free all but the first block, which is empty then
void tmli_arena_clear(tmli_arena *a);

// ---- text -------------------------------------------------------------------------------------------------

/** Whether a path ends like this (lower case), in upper or lower case, after at least one character. */
bool tmli_ends_with(const char *path, const char *ending);

/** The name nearest to `word` (edit distance, case ignored); NULL: no name is similar enough. */
const char *tmli_nearest(const char *word, const char *const *names, size_t count);

/** What a wrong name may mean, with a blank before it: " (is it 'x'?)", or "" if no name is like it or names
 * is NULL. */
typedef struct tmli_hint {
    char text[240];
} tmli_hint;
tmli_hint tmli_hint_of(const char *word, const char *const *names, size_t count);
/** The same among names that are words of this program (keys, types, methods, options), which other programs
 * may have other words for: " ('hinge' is called 'revolute' here)". */
tmli_hint tmli_hint_word(const char *word, const char *const *names, size_t count);
/** The name of an option, a command or a kind of model that a word of another program stands for, or NULL. */
const char *tmli_usage_word(const char *word, const char *const *names, size_t count);
/** That of tmli_hint_of; if no name is like the word and they are few, all of them: " (there are a, b)". */
tmli_hint tmli_hint_list(const char *word, const char *const *names, size_t count);
/** Append that of tmli_hint_of to a message; whether there is one. */
bool tmli_error_hint(tml_error *err, const char *word, const char *const *names, size_t count);

/** Decode the first character of a text in UTF-8: its length in bytes, at least 1. *code: its number, or
 * TMLI_NOT_UTF8. */
size_t tmli_utf8(const char *text, uint32_t *code);
#define TMLI_NOT_UTF8 0xFFFFFFFFu
/** Whether a character has no place in a name or a line: control characters, line separators, marks that turn
 * the direction of writing (they let a text look like another one), bytes that are not UTF-8. */
bool tmli_is_hidden(uint32_t code);
enum { TMLI_MARKUP = 8 };  // bytes of a character as markup

/** Hidden characters become blanks, in place. For texts that others have made and that are printed. */
void tmli_clean(char *text);
/** The first character of a text as HTML, SVG and other XML need it, in texts and between quotes; hidden ones
 * but line feeds are blanks. Returns its length in the text. */
size_t tmli_markup(const char *text, char out[TMLI_MARKUP]);

/** Plural ending of a noun: printf("%d row%s", count, tmli_plural(count)). */
static inline const char *tmli_plural(long count) { return count == 1 ? "" : "s"; }

/** Monotonic wall time [s]: the time of day may be set back (pool.c). */
double tmli_wall_time(void);

// ---- numbers, independent of the locale -------------------------------------------------------------------

/** As strtod, with '.' as the decimal point and decimal notation only (no hex, inf, nan). *end == text: no
 * number. */
double tmli_strtod(const char *text, const char **end);
/** The shortest decimal text that reads back to exactly x, or "nan", "inf", "-inf". Returns buf. */
const char *tmli_dtoa(double x, char buf[32]);
/** The same; returns the length. */
size_t tmli_print_double(double x, char buf[32]);

#endif
