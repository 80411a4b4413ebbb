// Many runs of one chain: planar rods on pins, 1 m and 1 kg each, released from the horizontal. A constant
// torque on the first rod is another one in each member. Wanted is where the tip is at the end.
#ifndef BENCH_ROLLOUT_H
#define BENCH_ROLLOUT_H

#include <stdbool.h>

typedef struct rollout {
    int rods;
    double end;  // [s]
    long members;
    int threads;
    const double *torque;  // (members) [N m], about z, the normal of the plane
} rollout;

typedef struct rollout_result {
    char setting[60];
    double cpu, passed;  // processor time and time [s] of all members
    double *tip;         // (members x 2) x, y of the tip at the end [m]
} rollout_result;

/** Run all members with a setting of a simulator, 0 the coarsest. False: there is no such setting. */
typedef bool rollout_run(const rollout *r, int setting, rollout_result *out);
rollout_run rollout_trammel, rollout_mujoco;

/** Torques of the members, as a study chooses them, and the motion at a tolerance far below all others. */
void rollout_reference(const rollout *r, double *torque, double *tip);

double rollout_cpu(void), rollout_wall(void);  // [s]

#endif
