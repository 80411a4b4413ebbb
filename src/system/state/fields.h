// Fields of objects that belong to a system (base/layout.h): their sizes, and members that are its states and
// workspaces.
#ifndef TMLI_SYSTEM_STATE_FIELDS_H
#define TMLI_SYSTEM_STATE_FIELDS_H

#include "base/layout.h"
#include <trammel/system.h>

extern const tmli_object_kind tmli_state_object, tmli_work_object;

#define TMLI_KEPT_STATES(T, first, last) TMLI_OBJECTS(T, first, last, &tmli_state_object, true)
#define TMLI_SCRATCH_STATES(T, first, last) TMLI_OBJECTS(T, first, last, &tmli_state_object, false)
#define TMLI_WORK(T, member) TMLI_OBJECTS(T, member, member, &tmli_work_object, false)

/** All but own sizes. */
tmli_sizes tmli_sizes_of(const tml_system *sys);

/** Fields without own sizes. */
tml_status tmli_object_create(const tmli_fields *f, const tml_system *sys, void *object, tml_error *err);
void tmli_object_clear(const tmli_fields *f, const tml_system *sys, void *object);
void tmli_object_archive(const tmli_fields *f, const tml_system *sys, void *object, tml_archive *a);

#endif
