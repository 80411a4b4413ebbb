// IDA on Andrews' mechanism in its classical seven angles (../ida_andrews.h), with the poses of the seven
// bodies as samples.
#ifndef PEERS_IDA_ANGLES_H
#define PEERS_IDA_ANGLES_H

#include "peer.h"

/** Name of setting i, false beyond the last. */
bool ida_angles_setting(int i, char *buf, size_t size);
/** As peer.run. */
const char *ida_angles_run(int setting, double accuracy, double limit, samples *out, peer_result *result);

#endif
