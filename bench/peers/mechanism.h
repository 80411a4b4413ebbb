// A planar mechanism described for every simulator of the comparison alike: rods on pins, with the few force
// elements the problems need. Bodies are given by their centre of mass; points are in body axes [m], from the
// centre of mass; the ground is body -1. Gravity points along -y.
#ifndef PEERS_MECHANISM_H
#define PEERS_MECHANISM_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mech_body {
    double mass, inertia;           // [kg], [kg m^2] about the centre of mass
    double x, y, angle, vx, vy, w;  // at the start [m, rad, m/s, rad/s]
} mech_body;

typedef struct mech_pin {
    int a, b;
    double sa[2], sb[2];
    bool loop;  // closes a loop; the other pins form a tree in which b hangs on a
} mech_pin;

/** Acts on b with T = -stiffness (angle_b - angle_a - rest) - damping (w_b - w_a), on a with -T; [N m]. */
typedef struct mech_torsion {
    int pin;  // of the tree
    double stiffness, damping, rest;
} mech_torsion;

/** Pulls point sb of b towards the fixed point sa with stiffness (length - rest). */
typedef struct mech_spring {
    int b;
    double sa[2], sb[2], stiffness, rest;
} mech_spring;

typedef enum problem_kind { CHAIN, FOUR_BARS, ANDREWS, STIFF_PENDULUM } problem_kind;

typedef struct mechanism {
    problem_kind kind;
    char name[32];
    int n;               // the size asked for
    double gravity;      // [m/s^2]
    double end, sample;  // [s]
    int bodies, pins, torsions, springs;
    mech_body *body;
    mech_pin *pin;
    mech_torsion torsion[2];
    mech_spring spring[1];
    double torque[1];  // on body 0, constant [N m]
} mechanism;

/** The problem of this kind and size; ends the program if memory does. */
mechanism *mechanism_create(problem_kind kind, int n);
void mechanism_destroy(mechanism *m);

/** Poses of all bodies at the sample times, the start first. */
typedef struct samples {
    int bodies, rows, room;
    double *pose;  // (room x bodies x 3): x, y of the centre of mass, angle
} samples;

samples samples_create(const mechanism *m);
/** Room for the next row, NULL if there is none. */
double *samples_next(samples *s);
/** Largest difference of a position [m] or angle [rad, up to whole turns] in any row; infinite if rows are
 * missing or numbers are not finite. */
double samples_distance(const samples *a, const samples *b);

double cpu_now(void);  // processor time of this program [s]

#ifdef __cplusplus
}
#endif
#endif
