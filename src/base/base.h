// What every folder uses: failing with a sentence, memory through the environment, text and numbers.
#ifndef TMLI_BASE_BASE_H
#define TMLI_BASE_BASE_H

#include <stdbool.h>
#include <stdint.h>
#include <trammel/base.h>

// ---- errors -----------------------------------------------------------------------------------------------

/** Fill err (if not NULL) with status and sentence, no position; returns status, so `return tmli_fail(...)`.
 */
tml_status tmli_fail(tml_error *err, tml_status status, const char *fmt, ...) TML_PRINTF(3, 4);

/** As tmli_fail, with a position in a file. */
tml_status tmli_fail_at(tml_error *err, tml_status status, tml_mark at, const char *fmt, ...)
    TML_PRINTF(4, 5);

/** TML_ERR_NOMEM, "WHO: memory is exhausted". */
tml_status tmli_no_memory(tml_error *err, const char *who);

/** Append a sentence (" " + text) to the message already in err; does nothing if err is NULL. */
void tmli_error_append(tml_error *err, const char *fmt, ...) TML_PRINTF(2, 3);

// ---- memory and log ---------------------------------------------------------------------------------------

/** count*size zeroed bytes from env, or NULL (also on overflow). count*size == 0 gives a valid pointer. */
void *tmli_calloc(const tml_env *env, size_t count, size_t size);
void tmli_free(const tml_env *env, void *ptr);  // NULL is fine
char *tmli_strdup(const tml_env *env, const char *text);
char *tmli_strndup(const tml_env *env, const char *text, size_t n);
/** New block of new_count*size bytes holding the first old_count elements; old block freed. NULL on failure
 * (old kept). */
void *tmli_regrow(const tml_env *env, void *old, size_t old_count, size_t new_count, size_t size);
void tmli_log(const tml_env *env, tml_log_level level, const char *fmt, ...) TML_PRINTF(3, 4);

/** An arena: many small allocations freed at once. Zero-initialize, set env, clear at the end. */
typedef struct tmli_arena {
    const tml_env *env;
    struct tmli_arena_block *head;
} tmli_arena;
void *tmli_arena_alloc(tmli_arena *a, size_t count,
                       size_t size);  // zeroed, aligned for any type; NULL if exhausted
char *tmli_arena_strdup(tmli_arena *a, const char *text);
void tmli_arena_clear(tmli_arena *a);

// ---- text -------------------------------------------------------------------------------------------------

/** The name nearest to `word` (edit distance, case ignored), or NULL if none is near enough to be a likely
 * misspelling. */
const char *tmli_nearest(const char *word, const char *const *names, size_t count);

/** "%d row%s": the ending of a noun of which there are `count`. */
static inline const char *tmli_plural(long count) { return count == 1 ? "" : "s"; }

// ---- numbers, independent of the locale -------------------------------------------------------------------

/** Like strtod with '.' as decimal point, decimal notation only (no hex, inf, nan). *end == text if there is
 * no number. */
double tmli_strtod(const char *text, const char **end);
/** Shortest decimal text that reads back to exactly x ("nan", "inf", "-inf" as such). buf holds >= 32 bytes.
 */
const char *tmli_dtoa(double x, char buf[32]);

#endif
