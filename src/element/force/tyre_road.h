// What the tyres of forces have in common (wheel.c): the body of the wheel, the road, its pieces and the
// contact as modes, and the tables of both.
#ifndef TMLI_ELEMENT_FORCE_TYRE_ROAD_H
#define TMLI_ELEMENT_FORCE_TYRE_ROAD_H

#include "element/force/force.h"
#include "element/tyre/tyre.h"

/** A tyre on a wheel; the data of the forces begin with it. */
typedef struct tmli_mounted_tyre {
    tmli_tyre tyre;
    int body;  // node of the wheel
} tmli_mounted_tyre;

/** Pose of the wheel; u: its velocity. */
const tmli_pose *tmli_mounted_motion(const tmli_force *f, const tmli_view *v, double u[6]);
/** As of tmli_force_ops. */
void tmli_mounted_event_values(const tmli_force *f, const tmli_view *v, const double *mode, double *values);
int tmli_mounted_update_modes(const tmli_force *f, const tmli_view *v, const tmli_view *later, bool all,
                              double *mode);
tmli_touch tmli_mounted_touch(const tmli_force *f, int node, vec3 *point);

/** at: the marker of the centre of the wheel; t: the tyre on its road. */
tml_status tmli_tyre_on_road(const tmli_force_builder *b, const tmli_force_entry *e, tmli_marker *at,
                             tmli_tyre *t);
/** The wheel on its road has a contact force among the results. */
void tmli_tyre_name_contact(tmli_force *f, bool has_friction);
/** Visit the tables of road and tyre that are in use. */
void tmli_tyre_visit_tables(const tmli_tyre *t, const tmli_tyre_state *s, tmli_table_visit *visit,
                            void *user);

#endif
