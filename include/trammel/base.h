// Status codes, the error record, the environment (memory, log) and the version.
#ifndef TRAMMEL_BASE_H
#define TRAMMEL_BASE_H

#include <stddef.h>

#ifdef __cplusplus
#define TML_C_BEGIN extern "C" {
#define TML_C_END }
#else
#define TML_C_BEGIN
#define TML_C_END
#endif

#if defined(__GNUC__)
#define TML_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define TML_API __attribute__((visibility("default")))
#else
#define TML_PRINTF(fmt, args)
#define TML_API
#endif

TML_C_BEGIN

/** Return value of a call. 0: success; > 0: recoverable within a step (a smaller step may help); < 0:
 * final. */
typedef enum tml_status {
    TML_OK = 0,
    TML_RETRY = 1,          ///< the step failed; a smaller step may succeed
    TML_ERR_ARG = -1,       ///< an argument or option is outside its documented range
    TML_ERR_NOMEM = -2,     ///< memory is exhausted
    TML_ERR_SYNTAX = -3,    ///< a model file or an expression cannot be read
    TML_ERR_NAME = -4,      ///< a name is unknown or not unique
    TML_ERR_MODEL = -5,     ///< the model is invalid (axis of length 0, joint of a body with itself, ...)
    TML_ERR_ASSEMBLY = -6,  ///< no configuration near the start satisfies the constraints
    TML_ERR_SINGULAR = -7,  ///< a matrix is singular: redundant constraints, or massless motion
    TML_ERR_STEP = -8,      ///< the step size fell below its minimum
    TML_ERR_NAN = -9,       ///< an evaluation returned NaN or infinity
    TML_ERR_IO = -10,       ///< a file cannot be opened, read or written
    TML_ERR_USER = -11,     ///< a user callback failed
    TML_ERR_STOPPED = -12   ///< a user callback asked to stop
} tml_status;

/** A position in a file of the user. line and col count from 1; line 0 means "no position". */
typedef struct tml_mark {
    const char *file;  ///< borrowed; NULL if unknown
    int line;
    int col;
} tml_mark;

enum { TML_ERROR_MSG = 1024, TML_ERROR_FILE = 512 };

/** Details of a failed call, in storage of the caller. Every parameter `tml_error *err` may be NULL. `msg`
 * holds one or more sentences without a position; `file`, `line` and `col` hold the position if there is
 * one. */
typedef struct tml_error {
    tml_status status;
    char file[TML_ERROR_FILE];  ///< "" if the error has no position in a file
    int line;                   ///< from 1; 0 if unknown
    int col;                    ///< from 1; 0 if unknown
    double t;                   ///< errors during a run: simulated time [s]
    char msg[TML_ERROR_MSG];
} tml_error;

/** One word for a status, for logs ("ok", "retry", "singular", ...). Never NULL. */
TML_API const char *tml_status_name(tml_status status);

typedef enum tml_log_level { TML_LOG_INFO, TML_LOG_WARNING } tml_log_level;

typedef struct tml_files tml_files;

/** Memory allocation and logging. A zeroed struct means malloc, free and no log. Objects copy it. */
typedef struct tml_env {
    void *(*alloc)(size_t bytes, void *user);                        ///< NULL: malloc
    void (*free)(void *ptr, void *user);                             ///< NULL: free; never called with NULL
    void (*log)(tml_log_level level, const char *text, void *user);  ///< NULL: no log
    void *user;                                                      ///< last argument of the three functions
    tml_files *files;  ///< of the command, which keeps what it reads and what it writes apart; else NULL
} tml_env;

/** The version of the library: "0.2.0". */
TML_API const char *tml_version(void);

TML_C_END
#endif
