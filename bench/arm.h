// The robot arm of models/contact/robot_arm.yaml under a digital controller at 1 kHz: each tick it reads the
// encoders, the angles of the joints, and sets the torques of the motors. The arm swings between two poses.
#ifndef BENCH_ARM_H
#define BENCH_ARM_H

#include <math.h>
#include <time.h>
#include <trammel/trammel.h>

enum { ARM_JOINTS = 6 };
static const double ARM_TICK = 1e-3;  // [s]

// Where joint i should be at time t [rad].
static inline double arm_target(int i, double t)
{
    static const double swing[ARM_JOINTS] = {0.8, 0.5, 0.9, 1.2, 0.7, 1.5};
    static const double middle[ARM_JOINTS] = {0, -0.6, 0.9, 0, 0.3, 0};
    return middle[i] * fmin(t, 1) + swing[i] * (1 - cos(2.2 * t + 0.3 * i * t)) / 2;
}

// What the controller remembers of the last tick.
typedef struct arm_memory {
    double angle[ARM_JOINTS], target[ARM_JOINTS], sum[ARM_JOINTS];
} arm_memory;

// Proportional, differential and integral parts, of encoders.
static inline void arm_control(const tml_state *x, arm_memory *last, double torque[ARM_JOINTS])
{
    static const double P[ARM_JOINTS] = {900, 2500, 1200, 60, 60, 20},
                        D[ARM_JOINTS] = {60, 150, 60, 1.5, 1.5, 0.5};
    for (int i = 0; i < ARM_JOINTS; i++) {
        const double wanted = arm_target(i, x->t), e = wanted - x->angle[i],
                     rate = (wanted - last->target[i] - (x->angle[i] - last->angle[i])) / ARM_TICK;
        last->angle[i] = x->angle[i];
        last->target[i] = wanted;
        last->sum[i] += e * ARM_TICK;
        torque[i] = P[i] * (e + 2 * last->sum[i]) + D[i] * rate;
    }
}

// Calls after_tick with the tick's number and the state at its end. *seconds: processor time of all ticks.
static inline tml_status arm_run(tml_sim *sim, int ticks,
                                 void (*after_tick)(int k, const tml_state *x, void *user), void *user,
                                 double *seconds, tml_error *err)
{
    double torque[ARM_JOINTS];
    arm_memory last = {0};
    for (int i = 0; i < ARM_JOINTS; i++) {
        last.angle[i] = tml_sim_state(sim)->angle[i];
        last.target[i] = arm_target(i, -ARM_TICK);
    }
    tml_status st = TML_OK;
    const clock_t begin = clock();
    for (int k = 0; k < ticks && st == TML_OK; k++) {
        arm_control(tml_sim_state(sim), &last, torque);
        for (int i = 0; i < ARM_JOINTS && st == TML_OK; i++)
            st = tml_sim_set_input(sim, i, torque[i], 0, err);
        while (st == TML_OK && tml_sim_time(sim) < ARM_TICK * (k + 1))
            st = tml_sim_step(sim, ARM_TICK * (k + 1), err);
        if (st == TML_OK) after_tick(k, tml_sim_state(sim), user);
    }
    *seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    return st;
}

#endif
