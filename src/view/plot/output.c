// A file in memory while a canvas draws; it is written as a whole when the picture is complete.
#include "base/target.h"
#include "view/plot/plot.h"

#include <string.h>

void tmli_output_put(tmli_output *o, const void *data, size_t n)
{
    if (o->out_of_memory) return;
    if (o->used + n > o->room) {
        const size_t room = 2 * (o->used + n) + 4096;
        char *grown = tmli_regrow(&o->env, o->data, o->used, room, 1);
        if (!grown) {
            o->out_of_memory = true;
            return;
        }
        o->data = grown;
        o->room = room;
    }
    if (n > 0) memcpy(o->data + o->used, data, n);
    o->used += n;
}

tml_status tmli_output_write(const tmli_output *o, const char *path, tml_error *err)
{
    if (o->out_of_memory) return tmli_no_memory(err, "diagram");
    return tmli_file_write(path, o->data, o->used, false, &o->env, err);
}
