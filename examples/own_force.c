// A force of one's own: a magnet below a pendulum, as a function of the program. The model comes from a file
// that knows nothing of it; tml_spec_add_force adds it before the model is built.
#include <math.h>
#include <stdio.h>
#include <trammel/trammel.h>

typedef struct magnet {
    double strength;  // [N m^2]
    double size;      // keeps the force finite at distance 0 [m]
} magnet;

// Frame 0: the magnet on the ground; frame 1: the bob.
static void attract(double t, const tml_frame_motion *frame, double *wrench, void *user)
{
    const magnet *const m = (const magnet *)user;
    double d[3], square = m->size * m->size;
    (void)t;
    for (int i = 0; i < 3; i++) {
        d[i] = frame[0].position[i] - frame[1].position[i];
        square += d[i] * d[i];
    }
    const double factor = m->strength / (square * sqrt(square));
    for (int i = 0; i < 3; i++) {
        wrench[6 + i] = factor * d[i];  // on the bob, towards the magnet
        wrench[i] = -wrench[6 + i];
    }
}

static int failed(const tml_error *err)
{
    fprintf(stderr, "%s\n", err->msg);
    return 1;
}

int main(void)
{
    tml_error err;
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_sim *sim = NULL;
    magnet m = {0.4, 0.1};
    if (tml_spec_read("models/pendulum.yaml", NULL, 0, NULL, &spec, &err) != TML_OK) return failed(&err);
    tml_frame_def place = tml_frame_def_default();
    place.body = "ground";
    place.name = "magnet";
    place.position[0] = 0.3;
    place.position[1] = -1.2;
    if (tml_spec_add_frame(spec, &place, &err) != TML_OK) return failed(&err);
    tml_force_def force = tml_force_def_default();
    force.name = "attraction";
    force.type = TML_FORCE_CALLBACK;
    force.frame_count = 2;
    force.frame[0] = "ground.magnet";
    force.frame[1] = "bob";
    force.function = attract;
    force.user = &m;
    if (tml_spec_add_force(spec, &force, &err) != TML_OK) return failed(&err);
    if (tml_model_build(spec, &model, &err) != TML_OK) return failed(&err);
    tml_spec_destroy(spec);
    if (tml_sim_create(model, NULL, &sim, &err) != TML_OK) return failed(&err);
    if (tml_sim_run(sim, 2, &err) != TML_OK) return failed(&err);
    const tml_state *x = tml_sim_state(sim);
    printf("t = %g s: bob at (%.5f, %.5f) m\n", x->t, x->q[0], x->q[1]);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
    return 0;
}
