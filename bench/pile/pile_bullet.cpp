// The pile in Bullet: sequential impulses without friction and restitution; no sphere sleeps.
#include "pile.h"

#include <btBulletDynamicsCommon.h>
#include <cstdio>
#include <memory>
#include <vector>

namespace {

struct setting {
    double step;
    int iterations;
};
const setting SETTINGS[] = {{4e-3, 10}, {4e-3, 50}, {2e-3, 10},  {2e-3, 50}, {2e-3, 100},
                            {1e-3, 10}, {1e-3, 50}, {1e-3, 100}, {5e-4, 50}, {5e-4, 200}};

struct world {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld dynamics{&dispatcher, &broadphase, &solver, &configuration};
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btMotionState>> motions;
    std::vector<std::unique_ptr<btRigidBody>> bodies;

    void add(btCollisionShape *shape, double mass, const btVector3 &at)
    {
        btVector3 inertia(0, 0, 0);
        if (mass > 0) shape->calculateLocalInertia(btScalar(mass), inertia);
        motions.emplace_back(new btDefaultMotionState(btTransform(btQuaternion::getIdentity(), at)));
        btRigidBody::btRigidBodyConstructionInfo info(btScalar(mass), motions.back().get(), shape, inertia);
        info.m_friction = 0;
        info.m_restitution = 0;
        bodies.emplace_back(new btRigidBody(info));
        bodies.back()->setActivationState(DISABLE_DEACTIVATION);
        dynamics.addRigidBody(bodies.back().get());
    }

    ~world()
    {
        for (auto &b : bodies) dynamics.removeRigidBody(b.get());
    }
};

}  // namespace

bool pile_bullet(const pile *p, int i, pile_result *out)
{
    if (i >= int(sizeof SETTINGS / sizeof *SETTINGS)) return false;
    world w;
    const btScalar h = btScalar(SETTINGS[i].step), side = btScalar(p->radius * p->n);
    w.dynamics.setGravity(btVector3(0, 0, btScalar(-9.81)));
    w.dynamics.getSolverInfo().m_numIterations = SETTINGS[i].iterations;
    const btVector3 normal[5] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
    for (int k = 0; k < 5; k++) {
        w.shapes.emplace_back(new btStaticPlaneShape(normal[k], k == 0 ? btScalar(0) : -side));
        w.add(w.shapes.back().get(), 0, btVector3(0, 0, 0));
    }
    w.shapes.emplace_back(new btSphereShape(btScalar(p->radius)));
    btCollisionShape *ball = w.shapes.back().get();
    for (int k = 0; k < p->n * p->n * p->n; k++) {
        double x[3];
        pile_start(p, k, x);
        w.add(ball, p->mass, btVector3(btScalar(x[0]), btScalar(x[1]), btScalar(x[2])));
    }
    const long early = long(p->late / SETTINGS[i].step + 0.5), all = long(p->end / SETTINGS[i].step + 0.5);
    for (long k = 0; k < early; k++) w.dynamics.stepSimulation(h, 0, h);
    const double start = pile_clock();
    for (long k = early; k < all; k++) w.dynamics.stepSimulation(h, 0, h);
    out->seconds = pile_clock() - start;
    out->steps = all - early;
    out->contacts = 0;
    for (int k = 0; k < w.dispatcher.getNumManifolds(); k++)
        out->contacts += w.dispatcher.getManifoldByIndexInternal(k)->getNumContacts();
    for (int k = 0; k < p->n * p->n * p->n; k++) {
        const btVector3 &x = w.bodies[size_t(k) + 5]->getWorldTransform().getOrigin();
        for (int c = 0; c < 3; c++) out->position[3 * k + c] = double(x[c]);
    }
    std::snprintf(out->setting, sizeof out->setting, "%d iterations, h %g", SETTINGS[i].iterations,
                  SETTINGS[i].step);
    return true;
}
