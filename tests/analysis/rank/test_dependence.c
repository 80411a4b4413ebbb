// Dependent rows: what they repeat, independence of units, sets, kinds of reactions, joints not quite
// aligned; large lifts.
#include "analysis/check_models.h"

#include "analysis/assembly/assembly.h"
#include "analysis/rank/dependence.h"
#include "analysis/rank/redundancy.h"
#include <time.h>

static tmli_dependence dependence_at(const tml_system *sys, const tml_state *x)
{
    tmli_dependence k;
    void *w = sys->ops->create_work(sys->self, &sys->env);
    assert_non_null(w);
    OK(tmli_dependence_calc(sys, w, x, &k, err));
    sys->ops->destroy_work(w);
    return k;
}

static tml_state *start_of(const tml_model *model)
{
    tml_state *x = NULL;
    OK(tml_state_create(tml_model_system(model), &x, err));
    tml_model_start(model, 0, x);
    return x;
}

static tmli_dependence dependence_at_start(const tml_model *model)
{
    tml_state *x = start_of(model);
    const tmli_dependence k = dependence_at(tml_model_system(model), x);
    tml_state_destroy(x, tml_model_system(model));
    return k;
}

static double coef_of(const tmli_dependence *k, int d, int row)
{
    for (int i = k->start[d]; i < k->start[d + 1]; i++)
        if (k->at[i] == row) return k->coef[i];
    return 0;
}

static bool is_dependent(const tmli_dependence *k, int row)
{
    for (int d = 0; d < k->count; d++)
        if (k->row[d] == row) return true;
    return false;
}

// The combination in coef really gives the dependent row; the dependent rows are those of the joint that
// closes the loop.
static void combination_reproduces_row(void **state)
{
    (void)state;
    tml_model *model = four_bar(false, TML_JOINT_REVOLUTE);
    const tml_system *sys = tml_model_system(model);
    tml_state *x = start_of(model);
    tmli_dependence k = dependence_at(sys, x);
    assert_int_equal(k.rank, 17);
    assert_int_equal(k.count, 3);
    void *w = sys->ops->create_work(sys->self, &sys->env);
    double rows[1000], dense[20][18] = {{0}};
    assert_true(sys->rowptr[sys->m] <= 1000);
    OK(sys->ops->rows(sys->self, w, x, rows, err));
    for (int r = 0; r < 20; r++)
        for (int i = sys->rowptr[r]; i < sys->rowptr[r + 1]; i++)
            dense[r][sys->rowcol[i]] =
                rows[i] * (sys->kind[sys->rowcol[i]] == TML_COORDINATE_TRANSLATION ? sys->length : 1) /
                k.norm[r];
    for (int d = 0; d < 3; d++) {
        double size = 0;
        assert_true(k.row[d] >= 15);  // pin_d
        assert_true(d == 0 || k.row[d] > k.row[d - 1]);
        for (int j = 0; j < 18; j++) {
            double sum = 0;
            for (int r = 0; r < 20; r++) sum += coef_of(&k, d, r) * dense[r][j];
            CHECK_CLOSE(sum, dense[k.row[d]][j], 1e-12);
            size += fabs(sum);
        }
        assert_true(size > 0.5);
        for (int i = k.start[d]; i < k.start[d + 1]; i++) assert_false(is_dependent(&k, k.at[i]));
    }
    CHECK_SMALL(k.misfit, 1e-13);
    sys->ops->destroy_work(w);
    tml_state_destroy(x, sys);
    tmli_dependence_clear(&k);
    tml_model_destroy(model);
}

// Of the four hinges the components in the plane are unique, those out of it shared: displacement along z,
// rotation about x, y.
static void reactions_of_four_bar(void **state)
{
    (void)state;
    tml_model *model = four_bar(false, TML_JOINT_REVOLUTE);
    tmli_dependence k = dependence_at_start(model);
    tml_reaction_kind kind[20];
    tmli_reactions_classify(&k, &k, kind);
    for (int r = 0; r < 20; r++)
        assert_int_equal(kind[r], r % 5 < 2 ? TML_REACTION_UNIQUE : TML_REACTION_SHARED);
    const double plane[5] = {0.7, -1.3, 0, 0, 0}, across[5] = {0.7, -1.3, 0.2, 0, 0};
    assert_true(tmli_reaction_is_unique(&k, 5, 5, plane));
    assert_false(tmli_reaction_is_unique(&k, 5, 5, across));
    char text[400];
    assert_true(tmli_redundancy_sentence(model, &k, NULL, 3, true, text, sizeof text));
    assert_string_equal(
        text, "pin_d: displacement along z and rotation about x and y are redundant with pin_a, pin_b and "
              "pin_c; their reactions are shared (minimum-norm values)");
    assert_true(tmli_redundancy_sentence(model, &k, NULL, 1, true, text, sizeof text));
    assert_string_equal(text, "");
    tmli_dependence_clear(&k);
    tml_model_destroy(model);
}

// Sums of multipliers that are unique though the multipliers are not: null vectors cancel in them.
static void sums_are_unique(void **state)
{
    (void)state;
    tml_spec *spec = new_spec(0, 0, -9.81);
    add_body(spec, bar("door", 20, 0, 0, 0.8, 0));
    for (int i = 0; i < 3; i++) {
        const char *const names[3] = {"hinge_a", "hinge_b", "hinge_c"};
        add_joint(spec, names[i], TML_JOINT_REVOLUTE, "ground", "door", 0, 0, 0.7 * (i - 1));
    }
    tml_model *model = build(spec);
    tmli_dependence k = dependence_at_start(model);
    assert_int_equal(k.rank, 5);
    assert_int_equal(k.count, 10);
    double weight[15] = {0};
    weight[2] = weight[7] = weight[12] = 1;  // the weight of the door on all hinges
    assert_true(tmli_reaction_is_unique(&k, 0, 15, weight));
    weight[12] = 0.99;
    assert_false(tmli_reaction_is_unique(&k, 0, 15, weight));
    char text[400];
    assert_true(tmli_redundancy_sentence(model, &k, NULL, 2, true, text, sizeof text));
    assert_string_equal(
        text, "hinge_c: displacement along x, y and z and rotation about x and y are redundant with hinge_a "
              "and hinge_b; their reactions are shared (minimum-norm values)");
    tmli_dependence_clear(&k);
    tml_model_destroy(model);
}

// A door whose upper hinge is off by 1e-6 m and tilted by 2e-6: still a door, and the assembly leaves its
// velocity alone.
static void not_quite_aligned(void **state)
{
    (void)state;
    tml_spec *spec = new_spec(0, 0, -9.81);
    tml_body_def door = bar("door", 20, 0, 0, 0.8, 0);
    door.angular_velocity[2] = 1.3;
    door.velocity[1] = 1.3 * 0.4;
    add_body(spec, door);
    add_joint(spec, "lower", TML_JOINT_REVOLUTE, "ground", "door", 0, 0, -0.7);
    tml_frame_def f = tml_frame_def_default();
    f.body = "ground";
    f.name = "jamb";
    f.position[0] = 1e-6;
    f.position[2] = 0.7;
    f.orientation[0] = 1;
    f.orientation[1] = 1e-6;
    OK(tml_spec_add_frame(spec, &f, err));
    f = tml_frame_def_default();
    f.body = "door";
    f.name = "leaf";
    f.position[0] = -0.4;
    f.position[2] = 0.7;
    OK(tml_spec_add_frame(spec, &f, err));
    tml_joint_def j = tml_joint_def_default();
    j.name = "upper";
    j.type = TML_JOINT_REVOLUTE;
    j.a = "ground.jamb";
    j.b = "door.leaf";
    OK(tml_spec_add_joint(spec, &j, err));
    tml_model *model = build(spec);
    const tml_system *sys = tml_model_system(model);
    tml_state *x = start_of(model);
    double moved = 0;
    OK(tmli_assemble(sys, NULL, x, &moved, NULL, err));
    tmli_dependence k = dependence_at(sys, x);
    assert_int_equal(k.rank, 5);
    assert_true(k.misfit > 1e-8 && k.misfit < 1e-5);
    assert_true(moved < 1e-5);
    CHECK_CLOSE(x->u[5], 1.3, 1e-4);
    double motion[6], phi[10];
    void *w = sys->ops->create_work(sys->self, &sys->env);
    OK(sys->ops->residual(sys->self, w, x, NULL, motion, phi, err));
    int closed = 0;
    for (int r = 0; r < 10; r++) closed += fabs(phi[r]) < 1e-11;
    assert_true(closed >= 5);  // the independent ones, to the end
    sys->ops->destroy_work(w);
    tml_state_destroy(x, sys);
    tmli_dependence_clear(&k);
    tml_model_destroy(model);
}

// A scissor lift of spatial hinges, `cells` of them: 2 bars per cell, 6 + 15 cells rows or so, 3 too many per
// loop.
static tml_model *lift(int cells)
{
    tml_spec *spec = new_spec(0, 0, 0);
    const double a = 0.4, b = 0.3;
    char name[64], other[64], joint[64];
    for (int i = 0; i < cells; i++)
        for (int s = 0; s < 2; s++) {
            snprintf(name, sizeof name, "%s%d", s ? "right" : "left", i);
            add_body(spec,
                     s ? bar(name, 1, a, b * i, -a, b * (i + 1)) : bar(name, 1, -a, b * i, a, b * (i + 1)));
        }
    add_joint(spec, "foot", TML_JOINT_REVOLUTE, "ground", "left0", -a, 0, 0);
    for (int i = 0; i < cells; i++) {
        snprintf(name, sizeof name, "left%d", i);
        snprintf(other, sizeof other, "right%d", i);
        snprintf(joint, sizeof joint, "mid%d", i);
        add_joint(spec, joint, TML_JOINT_REVOLUTE, name, other, 0, b * (i + 0.5), 0);
        for (int s = 0; s < 2 && i + 1 < cells;
             s++) {  // the upper end of one is the lower end of the other kind
            snprintf(name, sizeof name, "%s%d", s ? "right" : "left", i);
            snprintf(other, sizeof other, "%s%d", s ? "left" : "right", i + 1);
            snprintf(joint, sizeof joint, "%s_pin%d", s ? "left" : "right", i);
            add_joint(spec, joint, TML_JOINT_REVOLUTE, name, other, s ? -a : a, b * (i + 1), 0);
        }
    }
    return build(spec);
}

// Out of the plane every loop is closed three times too often: 3 (cells - 1) rows. Sparse and dense
// elimination agree on small ones; a hundred cells take a moment.
static void scissor_lift(void **state)
{
    (void)state;
    const int cells[] = {2, 5, 30, 100};
    for (int i = 0; i < 4; i++) {
        tml_model *model = lift(cells[i]);
        const tml_system *sys = tml_model_system(model);
        const clock_t before = clock();
        tmli_dependence k = dependence_at_start(model);
        const double seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
        assert_int_equal(k.count, 3 * (cells[i] - 1));
        assert_int_equal(sys->n - k.rank, 2);  // the lift and its turning about the foot
        tml_reaction_kind *kind = calloc((size_t)sys->m, sizeof *kind);
        tmli_reactions_classify(&k, NULL, kind);
        for (int r = 0; r < sys->m; r++) {
            const bool in_plane = r % 5 < 2, foot = r < 5;
            assert_int_equal(kind[r], in_plane || foot ? TML_REACTION_UNIQUE : TML_REACTION_SHARED);
        }
        printf("lift of %d cells, %d rows, %d too many: %.3f s\n", cells[i], sys->m, k.count, seconds);
        free(kind);
        tmli_dependence_clear(&k);
        tml_model_destroy(model);
    }
}

// The rank does not depend on the unit of length, nor on the size of a row.
typedef struct scaled {
    double unit, row;
} scaled;

static tml_status unit_mass(double t, const double *q, double *M, void *user)
{
    (void)t, (void)q, (void)user;
    for (int i = 0; i < 4; i++) M[5 * i] = 0.7 + i;
    return TML_OK;
}
static tml_status no_force(double t, const double *q, const double *u, double *f, void *user)
{
    (void)t, (void)q, (void)u, (void)user;
    memset(f, 0, 4 * sizeof *f);
    return TML_OK;
}
static tml_status three_rows(double t, const double *q, double *phi, void *user)
{
    (void)t;
    const scaled *s = user;
    phi[0] = (q[0] * q[0] + q[1] * q[1]) / (s->unit * s->unit) - 1;
    phi[1] = (q[2] - 0.31 * q[3]) / s->unit;
    phi[2] = s->row * (3 * phi[0] - 1.7 * phi[1]);
    return TML_OK;
}

static void units_do_not_matter(void **state)
{
    (void)state;
    for (int trial = 0; trial < 4; trial++) {
        scaled s = {.unit = trial % 2 ? 1e3 : 1e-3, .row = trial / 2 ? 1e6 : 1e-6};
        tml_user_system_def def = tml_user_system_def_default();
        def.n = 4;
        def.m = 3;
        def.length = s.unit;
        def.mass = unit_mass;
        def.force = no_force;
        def.constraint = three_rows;
        def.user = &s;
        tml_system *sys = NULL;
        tml_state *x = NULL;
        tmli_dependence k;
        OK(tml_system_create_user(&def, NULL, &sys, err));
        OK(tml_state_create(sys, &x, err));
        const double q[4] = {0.6 * s.unit, 0.8 * s.unit, 0.31 * 0.57 * s.unit, 0.57 * s.unit};
        memcpy(x->q, q, sizeof q);
        void *w = sys->ops->create_work(sys->self, &sys->env);
        OK(tmli_dependence_calc(sys, w, x, &k, err));
        assert_int_equal(k.rank, 2);
        assert_int_equal(k.row[0], 2);
        // row 2 = row factor * (3 B0 - 1.7 B1), all in normalized rows; B by differences, good to 1e-8
        CHECK_CLOSE(coef_of(&k, 0, 0) * k.norm[2] / k.norm[0] / s.row, 3, 1e-6);
        CHECK_CLOSE(coef_of(&k, 0, 1) * k.norm[2] / k.norm[1] / s.row, -1.7, 1e-6);
        tmli_dependence_clear(&k);
        sys->ops->destroy_work(w);
        tml_state_destroy(x, sys);
        tml_system_destroy(sys);
    }
}

// A row without any derivative (the top of a parabola) depends on nothing.
static tml_status flat_row(double t, const double *q, double *phi, void *user)
{
    (void)t, (void)user;
    phi[0] = q[0] - 0.2 * q[3];
    phi[1] = q[1] * q[1];
    phi[2] = q[2] + q[3];
    return TML_OK;
}
static tml_status flat_jacobian(double t, const double *q, double *B, void *user)
{
    (void)t, (void)user;
    B[0] = 1;
    B[3] = -0.2;
    B[5] = 2 * q[1];
    B[10] = B[11] = 1;
    return TML_OK;
}

static void vanishing_row(void **state)
{
    (void)state;
    tml_user_system_def def = tml_user_system_def_default();
    def.n = 4;
    def.m = 3;
    def.mass = unit_mass;
    def.force = no_force;
    def.constraint = flat_row;
    def.constraint_jacobian = flat_jacobian;
    tml_system *sys = NULL;
    tml_state *x = NULL;
    tmli_dependence k;
    OK(tml_system_create_user(&def, NULL, &sys, err));
    OK(tml_state_create(sys, &x, err));
    void *w = sys->ops->create_work(sys->self, &sys->env);
    OK(tmli_dependence_calc(sys, w, x, &k, err));
    assert_int_equal(k.rank, 2);
    assert_int_equal(k.row[0], 1);
    assert_int_equal(k.start[1], 0);
    tml_reaction_kind kind[3];
    tmli_reactions_classify(&k, NULL, kind);
    assert_int_equal(kind[0], TML_REACTION_UNIQUE);
    assert_int_equal(kind[1], TML_REACTION_INDETERMINATE);
    assert_int_equal(kind[2], TML_REACTION_UNIQUE);
    tmli_dependence_clear(&k);
    sys->ops->destroy_work(w);
    tml_state_destroy(x, sys);
    tml_system_destroy(sys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(combination_reproduces_row),
        cmocka_unit_test(reactions_of_four_bar),
        cmocka_unit_test(sums_are_unique),
        cmocka_unit_test(not_quite_aligned),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(vanishing_row),
        cmocka_unit_test(scissor_lift),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
