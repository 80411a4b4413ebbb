// Which file may be meant by a path at which there is none.
#ifndef TMLI_BASE_NEAR_FILE_H
#define TMLI_BASE_NEAR_FILE_H

#include "base/base.h"

/** The file beside it with a similar name, or with another ending of the same kind, as
 * " (is it 'rod.yaml'?)"; "" if there is none. For files that the caller has named himself. */
void tmli_file_hint(const char *path, char *text, size_t room);

#endif
