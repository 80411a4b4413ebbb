// Simbody in the comparison: the tree of pins as mobilizers, loops closed by points kept on lines along z
// (two equations each, as a planar pin has). The accuracy is Simbody's own; settings are its integrators.
#include "peer.h"

#include <SimTKsimbody.h>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

using namespace SimTK;

namespace {

struct Setting {
    const char *name;
    bool everyStep;  // project onto the constraints after every step, not only when they need it
};

const Setting SETTINGS[] = {
    {"RungeKuttaMerson", false}, {"RungeKuttaMerson", true}, {"RungeKuttaFeldberg", false},
    {"RungeKutta3", false},      {"CPodes BDF", false},      {"CPodes Adams", false},
    {"Verlet", false},
};
const int SETTING_COUNT = sizeof SETTINGS / sizeof *SETTINGS, QUICK = 5;

std::unique_ptr<Integrator> createIntegrator(const std::string &name, const System &system)
{
    if (name == "RungeKuttaMerson") return std::make_unique<RungeKuttaMersonIntegrator>(system);
    if (name == "RungeKuttaFeldberg") return std::make_unique<RungeKuttaFeldbergIntegrator>(system);
    if (name == "RungeKutta3") return std::make_unique<RungeKutta3Integrator>(system);
    if (name == "Verlet") return std::make_unique<VerletIntegrator>(system);
    if (name == "CPodes BDF") return std::make_unique<CPodesIntegrator>(system, CPodes::BDF, CPodes::Newton);
    return std::make_unique<CPodesIntegrator>(system, CPodes::Adams, CPodes::Functional);
}

Vec3 planar(const double *s) { return Vec3(s[0], s[1], 0); }

// The mechanism as a system of Simbody. Angles of mobilizers count from equal axes of the two bodies.
struct Model {
    MultibodySystem system;
    SimbodyMatterSubsystem matter{system};
    GeneralForceSubsystem forces{system};
    std::vector<MobilizedBody> bodies;

    explicit Model(const mechanism &m) : bodies(m.bodies)
    {
        matter.setShowDefaultGeometry(false);
        if (m.gravity > 0) Force::UniformGravity(forces, matter, Vec3(0, -m.gravity, 0));
        addChildren(m, -1);
        for (int i = 0; i < m.pins; i++) {
            const mech_pin &p = m.pin[i];
            if (p.loop)
                Constraint::PointOnLine(at(p.a), UnitVec3(0, 0, 1), planar(p.sa), at(p.b), planar(p.sb));
        }
        for (int i = 0; i < m.torsions; i++) {
            const mech_torsion &t = m.torsion[i];
            MobilizedBody &b = bodies[m.pin[t.pin].b];
            Force::MobilityLinearSpring(forces, b, MobilizerUIndex(0), t.stiffness, t.rest);
            Force::MobilityLinearDamper(forces, b, MobilizerUIndex(0), t.damping);
        }
        for (int i = 0; i < m.springs; i++) {
            const mech_spring &s = m.spring[i];
            Force::TwoPointLinearSpring(forces, matter.Ground(), planar(s.sa), bodies[s.b], planar(s.sb),
                                        s.stiffness, s.rest);
        }
        if (m.torque[0] != 0) Force::MobilityConstantForce(forces, bodies[0], 0, m.torque[0]);
    }

    State start(const mechanism &m)
    {
        system.realizeTopology();
        State state = system.getDefaultState();
        for (int i = 0; i < m.pins; i++) {
            const mech_pin &p = m.pin[i];
            if (p.loop) continue;
            const mech_body ground = {}, &a = p.a < 0 ? ground : m.body[p.a], &b = m.body[p.b];
            bodies[p.b].setOneQ(state, 0, b.angle - a.angle);
            bodies[p.b].setOneU(state, 0, b.w - a.w);
        }
        return state;
    }

    void take(const State &state, samples *out) const
    {
        double *p = samples_next(out);
        system.realize(state, Stage::Position);
        for (const MobilizedBody &b : bodies) {
            const Transform &X = b.getBodyTransform(state);
            *p++ = X.p()[0];
            *p++ = X.p()[1];
            *p++ = std::atan2(X.R()[1][0], X.R()[0][0]);
        }
    }

  private:
    MobilizedBody &at(int i) { return i < 0 ? matter.updGround() : bodies[i]; }

    void addChildren(const mechanism &m, int parent)
    {
        for (int i = parent < 0 || m.kind != CHAIN ? 0 : parent; i < m.pins; i++) {
            const mech_pin &p = m.pin[i];
            if (p.loop || p.a != parent) continue;
            const mech_body &b = m.body[p.b];
            const Body::Rigid rigid(MassProperties(b.mass, Vec3(0), Inertia(b.inertia)));
            bodies[p.b] =
                MobilizedBody::Pin(at(parent), Transform(planar(p.sa)), rigid, Transform(planar(p.sb)));
            addChildren(m, p.b);
            if (m.kind == CHAIN) return;
        }
    }
};

const char *version()
{
    static char text[32];
    int major, minor, build;
    SimTK_version_SimTKcommon(&major, &minor, &build);
    std::snprintf(text, sizeof text, "%d.%d", major, minor);
    return text;
}

bool setting(const mechanism *, bool quick, int i, char *buf, size_t size)
{
    if (i >= (quick ? QUICK : SETTING_COUNT)) return false;
    std::snprintf(buf, size, "%s%s", SETTINGS[i].name, SETTINGS[i].everyStep ? ", projected every step" : "");
    return true;
}

const char *run(const mechanism *m, int index, double accuracy, double limit, samples *out,
                peer_result *result)
{
    static char message[160];
    const double start = cpu_now();
    try {
        Model model(*m);
        State state = model.start(*m);
        std::unique_ptr<Integrator> integrator = createIntegrator(SETTINGS[index].name, model.system);
        integrator->setAccuracy(accuracy);
        if (SETTINGS[index].everyStep) integrator->setProjectEveryStep(true);
        integrator->setReturnEveryInternalStep(true);  // to look at the clock
        integrator->setFinalTime(m->end);
        integrator->initialize(state);
        long returns = 0;
        const double begin = cpu_now();
        result->setup = begin - start;
        model.take(integrator->getState(), out);
        for (int i = 1; i < out->room; i++) {
            const double time = i + 1 < out->room ? i * m->sample : m->end;
            while (integrator->getTime() < time) {
                integrator->stepTo(time, time);
                if (++returns % 16 == 0 && cpu_now() - begin > limit) return PEER_LATE;
            }
            model.take(integrator->getState(), out);
        }
        result->seconds = cpu_now() - begin;
        result->steps = integrator->getNumStepsTaken();
        return nullptr;
    } catch (const std::exception &e) {
        result->steps = 1;  // it began
        std::snprintf(message, sizeof message, "%s", e.what());
        return message;
    }
}

}  // namespace

const peer the_peer = {version, setting, 1e-1, 0.31622776601683794, run};
