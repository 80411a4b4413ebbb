// States and workspaces as fields of objects; see fields.h.
#include "system/state/fields.h"

static tml_status create_state(const void *system, void **out, tml_error *err)
{
    tml_state *x = NULL;
    const tml_status st = tml_state_create(system, &x, err);
    *out = x;
    return st;
}

static void destroy_state(void *x, const void *system) { tml_state_destroy(x, system); }
static void archive_state(void *x, tml_archive *a) { tml_state_archive(x, a); }

const tmli_object_kind tmli_state_object = {create_state, destroy_state, archive_state};

static tml_status create_work(const void *system, void **out, tml_error *err)
{
    const tml_system *sys = system;
    *out = sys->ops->create_work(sys->self, &sys->env);
    return *out ? TML_OK : tmli_no_memory(err, "workspace");
}

static void destroy_work(void *work, const void *system)
{
    if (work) ((const tml_system *)system)->ops->destroy_work(work);
}

const tmli_object_kind tmli_work_object = {create_work, destroy_work, NULL};

tmli_sizes tmli_sizes_of(const tml_system *sys)
{
    return (tmli_sizes){.env = &sys->env,
                        .system = sys,
                        .of = {[TMLI_BY_N] = (size_t)sys->n,
                               [TMLI_BY_M] = (size_t)sys->m,
                               [TMLI_BY_NM] = (size_t)sys->n + (size_t)sys->m,
                               [TMLI_BY_NQ] = (size_t)sys->nq,
                               [TMLI_BY_ENTRIES] = (size_t)sys->rowptr[sys->m],
                               [TMLI_BY_NNZ] = (size_t)sys->pattern->colptr[sys->pattern->n]}};
}

tml_status tmli_object_create(const tmli_fields *f, const tml_system *sys, void *object, tml_error *err)
{
    const tmli_sizes sizes = tmli_sizes_of(sys);
    return tmli_fields_create(f, &sizes, object, err);
}

void tmli_object_clear(const tmli_fields *f, const tml_system *sys, void *object)
{
    const tmli_sizes sizes = tmli_sizes_of(sys);
    tmli_fields_clear(f, &sizes, object);
}

void tmli_object_archive(const tmli_fields *f, const tml_system *sys, void *object, tml_archive *a)
{
    const tmli_sizes sizes = tmli_sizes_of(sys);
    tmli_fields_archive(f, &sizes, object, a);
}
