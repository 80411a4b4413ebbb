// The inside of a robot: a model in joint coordinates at a state, and memory for what is asked.
#ifndef TMLI_ROBOT_ROBOT_H
#define TMLI_ROBOT_ROBOT_H

#include "base/base.h"
#include "consistency/redundant_rows.h"
#include "system/joint_space/joint_space.h"
#include <trammel/robot.h>

struct tml_robot {
    tml_env env;
    const tml_model *model;
    tml_system *sys;  // in joint coordinates, then first-order states
    int n, nq;        // velocity coordinates and numbers of q, without the states
    void *work;
    tml_state *y;                   // of sys
    tml_robot_coordinate *coords;   // (n)
    tmli_redundant_rows redundant;  // the search for rows that depend on others; none without rows
    tmli_arena arena;
    // scratch
    double *M, *D, *K;  // (n x n) by columns
    double *A;          // ((n + m) x (n + m)) by columns: the equations, and their factors
    double *right;      // ((n + m) x 3 n) right sides, by columns
    double *rows;       // (2 rowptr[m]) entries of B and of its derivatives
    double *jacobian;   // (12 n)
    int *pivot;         // (n + m)
};

/** to (rows x n) := the columns of `from` (rows x sys->n) that are no states. */
void tmli_robot_columns(const tml_robot *r, int rows, const double *from, double *to);

/** Names, units and limits of the coordinates (coordinates.c). */
tml_status tmli_robot_name_coordinates(tml_robot *r, tml_error *err);

/** After a change of configuration or velocities: counted angles and modes (friction that slips, contacts)
 * follow. */
void tmli_robot_moved(tml_robot *r);

/** The pose of a frame at the configuration q (nq). */
tmli_pose tmli_robot_frame_pose(tml_robot *r, const double *q, const tml_robot_frame *f);

#endif
