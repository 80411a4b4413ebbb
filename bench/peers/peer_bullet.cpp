// Bullet in the comparison, in two forms. "links": an articulated body (Featherstone's algorithm) of the tree
// of pins, loops closed by points that impulses hold together. "bodies": free bodies in the plane, every pin
// a pair of points. Bullet has no step-size control and its steps are of first order (RK4 on articulated
// bodies is of order four until an impulse acts); the accuracy is the step over the time between samples.
// Force elements, which it does not have, act through its external forces, constant over a step.
#include "peer.h"

#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <BulletDynamics/Featherstone/btMultiBodyMLCPConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyPoint2Point.h>
#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <BulletDynamics/MLCPSolvers/btMLCPSolver.h>
#include <btBulletDynamicsCommon.h>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

namespace {

struct Setting {
    bool links;      // an articulated body; otherwise free bodies
    bool rk4;        // only on links
    int iterations;  // over the pins held by impulses; 0: by Dantzig's algorithm
    double erp;      // share of an opening that a step closes
};

const Setting TREES[] = {
    {true, true, 10, 0.2}, {true, false, 10, 0.2}, {false, false, 100, 0.2}, {false, false, 0, 0.8}};
const Setting LOOPS[] = {{true, false, 20, 0.2},  {true, false, 100, 0.8},  {true, false, 500, 0.8},
                         {false, false, 20, 0.2}, {false, false, 100, 0.2}, {false, false, 0, 0.8},
                         {true, false, 0, 0.2},   {true, true, 20, 0.2}};
const int TREE_COUNT = sizeof TREES / sizeof *TREES, LOOP_COUNT = sizeof LOOPS / sizeof *LOOPS, QUICK = 3;
const double UNLIMITED = 1e30;  // impulses, velocities

const Setting *settingOf(const mechanism &m, int i)
{
    bool loops = false;
    for (int k = 0; k < m.pins; k++) loops |= m.pin[k].loop;
    if (i >= (loops ? LOOP_COUNT : TREE_COUNT)) return nullptr;
    return loops ? &LOOPS[i] : &TREES[i];
}

btVector3 planar(const double *s) { return btVector3(s[0], s[1], 0); }
btQuaternion turn(double angle) { return btQuaternion(btVector3(0, 0, 1), angle); }

void put(const btTransform &x, double *pose)
{
    pose[0] = x.getOrigin().x();
    pose[1] = x.getOrigin().y();
    pose[2] = std::atan2(x.getBasis()[1][0], x.getBasis()[0][0]);
}

// What both forms share: a world in which nothing collides, and the force elements.
class Model {
  public:
    virtual ~Model() = default;
    virtual void take(double *pose) = 0;

    void step(double h)
    {
        for (int i = 0; i < m.torsions; i++) {
            const mech_torsion &t = m.torsion[i];
            twist(m.pin[t.pin],
                  -t.stiffness * (angle(m.pin[t.pin]) - t.rest) - t.damping * rate(m.pin[t.pin]));
        }
        for (int i = 0; i < m.springs; i++) {
            const mech_spring &s = m.spring[i];
            double pose[3];
            poseOf(s.b, pose);
            const btVector3 arm = quatRotate(turn(pose[2]), planar(s.sb)),
                            way = planar(s.sa) - (btVector3(pose[0], pose[1], 0) + arm);
            const btVector3 force = way * (s.stiffness * (1 - s.rest / way.length()));
            push(s.b, force, arm.cross(force));
        }
        if (m.torque[0] != 0) push(0, btVector3(0, 0, 0), btVector3(0, 0, m.torque[0]));
        world->stepSimulation(h, 0, h);
    }

  protected:
    const mechanism &m;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btDantzigSolver dantzig;
    btSphereShape shape{btScalar(0.01)};
    std::unique_ptr<btDiscreteDynamicsWorld> world;

    explicit Model(const mechanism &mech) : m(mech) {}

    void configure(const Setting &s)
    {
        world->setGravity(btVector3(0, -m.gravity, 0));
        world->getSolverInfo().m_numIterations = s.iterations > 0 ? s.iterations : 10;
        world->getSolverInfo().m_erp = s.erp;
        world->getSolverInfo().m_globalCfm = 0;
    }

    virtual double angle(const mech_pin &p) = 0;  // of b from a [rad], and its rate
    virtual double rate(const mech_pin &p) = 0;
    virtual void twist(const mech_pin &p, double torque) = 0;  // on b, and against it on a
    virtual void push(int body, const btVector3 &force, const btVector3 &torque) = 0;
    virtual void poseOf(int body, double *pose) = 0;
};

// The tree as one articulated body on the ground; a link per pin of the tree, of its body b.
class Links : public Model {
    std::unique_ptr<btMultiBodyConstraintSolver> solver;
    std::unique_ptr<btMultiBody> tree;
    std::vector<std::unique_ptr<btMultiBodyConstraint>> closures;
    std::vector<std::unique_ptr<btMultiBodyLinkCollider>> colliders;
    std::vector<int> link;  // of each body
    btAlignedObjectArray<btQuaternion> turns;
    btAlignedObjectArray<btVector3> origins;

    int linkOf(int body) const { return body < 0 ? -1 : link[size_t(body)]; }

    // One that meets no other.
    void addShape(int k)
    {
        colliders.emplace_back(new btMultiBodyLinkCollider(tree.get(), k));
        colliders.back()->setCollisionShape(&shape);
        colliders.back()->setWorldTransform(tree->getLink(k).m_cachedWorldTransform);
        colliders.back()->setActivationState(DISABLE_DEACTIVATION);
        world->addCollisionObject(colliders.back().get(), 0, 0);
        tree->getLink(k).m_collider = colliders.back().get();
    }

  public:
    Links(const mechanism &mech, const Setting &s) : Model(mech), link(size_t(mech.bodies))
    {
        if (s.iterations > 0) solver = std::make_unique<btMultiBodyConstraintSolver>();
        else solver = std::make_unique<btMultiBodyMLCPConstraintSolver>(&dantzig);
        world = std::make_unique<btMultiBodyDynamicsWorld>(&dispatcher, &broadphase, solver.get(),
                                                           &configuration);
        configure(s);
        tree = std::make_unique<btMultiBody>(m.bodies, 0, btVector3(0, 0, 0), true, false);
        int count = 0;
        for (int i = 0; i < m.pins; i++) {
            const mech_pin &p = m.pin[i];
            if (p.loop) continue;
            const mech_body &b = m.body[p.b];
            link[size_t(p.b)] = count;
            tree->setupRevolute(count++, b.mass, btVector3(b.inertia, b.inertia, b.inertia), linkOf(p.a),
                                btQuaternion::getIdentity(), btVector3(0, 0, 1), planar(p.sa), -planar(p.sb),
                                true);
        }
        tree->finalizeMultiDof();
        tree->setLinearDamping(0);
        tree->setAngularDamping(0);
        tree->setMaxAppliedImpulse(UNLIMITED);
        tree->setMaxCoordinateVelocity(UNLIMITED);
        tree->useRK4Integration(s.rk4);
        for (int i = 0; i < m.pins; i++) {
            const mech_pin &p = m.pin[i];
            if (p.loop) continue;
            const mech_body ground = {}, &a = p.a < 0 ? ground : m.body[p.a], &b = m.body[p.b];
            tree->setJointPos(linkOf(p.b), b.angle - a.angle);
            tree->setJointVel(linkOf(p.b), b.w - a.w);
        }
        static_cast<btMultiBodyDynamicsWorld &>(*world).addMultiBody(tree.get());
        tree->forwardKinematics(turns, origins);
        for (int i = 0; i < m.pins; i++) {
            const mech_pin &p = m.pin[i];
            if (!p.loop) continue;
            // closures act in an island, and an island consists of shapes
            if (colliders.empty())
                for (int k = 0; k < m.bodies; k++) addShape(k);
            closures.emplace_back(new btMultiBodyPoint2Point(tree.get(), linkOf(p.a), tree.get(), linkOf(p.b),
                                                             planar(p.sa), planar(p.sb)));
            closures.back()->setMaxAppliedImpulse(UNLIMITED);
            static_cast<btMultiBodyDynamicsWorld &>(*world).addMultiBodyConstraint(closures.back().get());
        }
    }

    ~Links() override
    {
        auto &all = static_cast<btMultiBodyDynamicsWorld &>(*world);
        for (auto &c : closures) all.removeMultiBodyConstraint(c.get());
        for (auto &c : colliders) all.removeCollisionObject(c.get());
        all.removeMultiBody(tree.get());
    }

    void take(double *pose) override
    {
        tree->forwardKinematics(turns, origins);
        for (int i = 0; i < m.bodies; i++) put(tree->getLink(linkOf(i)).m_cachedWorldTransform, pose + 3 * i);
    }

  protected:
    double angle(const mech_pin &p) override { return tree->getJointPos(linkOf(p.b)); }
    double rate(const mech_pin &p) override { return tree->getJointVel(linkOf(p.b)); }
    void twist(const mech_pin &p, double torque) override { tree->addJointTorque(linkOf(p.b), torque); }
    void push(int body, const btVector3 &force, const btVector3 &torque) override
    {
        tree->addLinkForce(linkOf(body), force);
        tree->addLinkTorque(linkOf(body), torque);
    }
    void poseOf(int body, double *pose) override
    {
        tree->forwardKinematics(turns, origins);
        put(tree->getLink(linkOf(body)).m_cachedWorldTransform, pose);
    }
};

// Free bodies that move in the plane only, every pin held by impulses.
class Bodies : public Model {
    std::unique_ptr<btConstraintSolver> solver;
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    std::vector<std::unique_ptr<btTypedConstraint>> pins;

    btRigidBody &at(int i) { return *bodies[size_t(i)]; }

  public:
    Bodies(const mechanism &mech, const Setting &s) : Model(mech)
    {
        if (s.iterations > 0) solver = std::make_unique<btSequentialImpulseConstraintSolver>();
        else solver = std::make_unique<btMLCPSolver>(&dantzig);
        world =
            std::make_unique<btDiscreteDynamicsWorld>(&dispatcher, &broadphase, solver.get(), &configuration);
        configure(s);
        for (int i = 0; i < m.bodies; i++) {
            const mech_body &b = m.body[i];
            btRigidBody::btRigidBodyConstructionInfo info(b.mass, nullptr, &shape,
                                                          btVector3(b.inertia, b.inertia, b.inertia));
            info.m_startWorldTransform = btTransform(turn(b.angle), btVector3(b.x, b.y, 0));
            bodies.emplace_back(new btRigidBody(info));
            at(i).setLinearFactor(btVector3(1, 1, 0));
            at(i).setAngularFactor(btVector3(0, 0, 1));
            at(i).setLinearVelocity(btVector3(b.vx, b.vy, 0));
            at(i).setAngularVelocity(btVector3(0, 0, b.w));
            at(i).setActivationState(DISABLE_DEACTIVATION);
            world->addRigidBody(&at(i), 0, 0);
        }
        for (int i = 0; i < m.pins; i++) {
            const mech_pin &p = m.pin[i];
            if (p.a < 0)  // the second point is the first one's place in space
                pins.emplace_back(new btPoint2PointConstraint(at(p.b), planar(p.sb)));
            else pins.emplace_back(new btPoint2PointConstraint(at(p.a), at(p.b), planar(p.sa), planar(p.sb)));
            world->addConstraint(pins.back().get());
        }
    }

    ~Bodies() override
    {
        for (auto &p : pins) world->removeConstraint(p.get());
        for (auto &b : bodies) world->removeRigidBody(b.get());
    }

    void take(double *pose) override
    {
        for (int i = 0; i < m.bodies; i++) poseOf(i, pose + 3 * i);
    }

  protected:
    double angle(const mech_pin &p) override
    {
        double a[3] = {0}, b[3];
        if (p.a >= 0) poseOf(p.a, a);
        poseOf(p.b, b);
        // within half a turn of what it was at the start
        const double start = m.body[p.b].angle - (p.a < 0 ? 0 : m.body[p.a].angle);
        return start + std::remainder(b[2] - a[2] - start, 2 * SIMD_PI);
    }
    double rate(const mech_pin &p) override
    {
        return at(p.b).getAngularVelocity().z() - (p.a < 0 ? 0 : at(p.a).getAngularVelocity().z());
    }
    void twist(const mech_pin &p, double torque) override
    {
        at(p.b).applyTorque(btVector3(0, 0, torque));
        if (p.a >= 0) at(p.a).applyTorque(btVector3(0, 0, -torque));
    }
    void push(int body, const btVector3 &force, const btVector3 &torque) override
    {
        at(body).applyCentralForce(force);
        at(body).applyTorque(torque);
    }
    void poseOf(int body, double *pose) override { put(at(body).getWorldTransform(), pose); }
};

const char *version()
{
    static char text[32];
    std::snprintf(text, sizeof text, "%d.%d", btGetVersion() / 100, btGetVersion() % 100);
    return text;
}

bool setting(const mechanism *m, bool quick, int i, char *buf, size_t size)
{
    const Setting *s = settingOf(*m, i);
    if (!s || (quick && i >= QUICK)) return false;
    char pins[32];
    if (s->iterations > 0) std::snprintf(pins, sizeof pins, "%d iterations", s->iterations);
    else std::snprintf(pins, sizeof pins, "Dantzig");
    std::snprintf(buf, size, "%s%s, %s, erp %g", s->links ? "links" : "bodies", s->rk4 ? " RK4" : "", pins,
                  s->erp);
    return true;
}

const char *run(const mechanism *m, int index, double accuracy, double limit, samples *out,
                peer_result *result)
{
    const Setting &s = *settingOf(*m, index);
    const double start = cpu_now();
    std::unique_ptr<Model> model;
    if (s.links) model = std::make_unique<Links>(*m, s);
    else model = std::make_unique<Bodies>(*m, s);
    const long steps = long(std::ceil(1 / accuracy - 1e-9));
    const double h = m->sample / double(steps);
    const int every = m->bodies < 100 ? 64 : 1;
    const double begin = cpu_now();
    result->setup = begin - start;
    for (int i = 0; i < out->room; i++) {
        for (long k = 0; i > 0 && k < steps; k++) {
            model->step(h);
            if (++result->steps % every == 0 && cpu_now() - begin > limit) return PEER_LATE;
        }
        double *pose = samples_next(out);
        model->take(pose);
        for (int k = 0; k < 3 * m->bodies; k++)
            if (!std::isfinite(pose[k])) return "diverges";
    }
    result->seconds = cpu_now() - begin;
    return nullptr;
}

}  // namespace

const peer the_peer = {version, setting, 1, 0.5, run};
