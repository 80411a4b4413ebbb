// Tree joints and bodies of planar models. Vectors have two components, in world axes unless a frame is
// named; P, l and c as in internal.h.
#ifndef TMLI_SYSTEM_JOINT_SPACE_PLANAR_H
#define TMLI_SYSTEM_JOINT_SPACE_PLANAR_H

#include <stdbool.h>

/** A tree joint of a planar model: the data of tmli_tree_joint in the plane. */
typedef struct tmli_planar_joint {
    int parent, first, firstq, node;
    int nslide;
    bool turns;             // has a rotation
    bool pose_used;         // as in tmli_joint_space
    double sign;            // of the rotation about z: 1 or -1
    double phi;             // attitude relative to the parent at angle 0 [rad]
    double ax, ay, cx, cy;  // arm in the parent's frame, centre of mass from P in its own [m]
    double sx[2], sy[2];    // slides in the parent's frame
    double mass, J;
} tmli_planar_joint;

/** A body of a planar tree at a state; (x, y) in the plane, rotation about z. */
typedef struct tmli_planar_body {
    double phi, co, si;  // attitude
    double Px, Py, lx, ly, cx, cy;
    double vx, vy, w;
    double ax, ay;                    // acceleration of P at udot = 0
    double dx, dy, dw;                // due to udot: P and angular
    double mxx, mxy, myy, hx, hy, J;  // articulated inertia at P: f = M a + h alpha, n = h.a + J alpha
    double fx, fy, n;
    double sx[2], sy[2];         // axes of the slides
    double Ux[3], Uy[3], Un[3];  // force and moment per unit acceleration of the slides and the rotation
} tmli_planar_body;

/** A body of a planar tree at the start of an increment, and its motion over the increment. */
typedef struct tmli_planar_step {
    double co, si, lx, ly, cx, cy, rx, ry;  // as in tmli_planar_body; r: centre of mass
    double dx, dy, th;                      // displacement of P, rotation
    double sine, versine;                   // sin th, 1 - cos th
} tmli_planar_step;

#endif
