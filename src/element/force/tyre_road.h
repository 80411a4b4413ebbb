// What the tyres of forces have in common: the road, and the tables of both (wheel.c).
#ifndef TMLI_ELEMENT_FORCE_TYRE_ROAD_H
#define TMLI_ELEMENT_FORCE_TYRE_ROAD_H

#include "element/force/force.h"
#include "element/tyre/tyre.h"

/** at: the marker of the centre of the wheel; t: the tyre on its road. */
tml_status tmli_tyre_on_road(const tmli_force_builder *b, const tmli_force_entry *e, tmli_marker *at,
                             tmli_tyre *t);
/** The wheel on its road has a contact force among the results. */
void tmli_tyre_name_contact(tmli_force *f, bool rubs);
/** Visit the tables of road and tyre that are in use. */
void tmli_tyre_visit_tables(const tmli_tyre *t, const tmli_tyre_state *s, tmli_table_visit *visit,
                            void *user);

#endif
