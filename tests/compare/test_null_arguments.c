// Every public function refuses NULL with a status and a message, or documents that it does nothing;
// tests/tools/check_null_arguments checks that none is missing here.
#include "support.h"

#include <math.h>
#include <trammel/trammel.h>

static tml_error err;

static void refuse(tml_status st, const char *call)
{
    if (st != TML_ERR_ARG || !err.msg[0]) fail_msg("%s: %s '%s'", call, tml_status_name(st), err.msg);
    err = (tml_error){0};
}
#define REFUSED(call) refuse(call, #call)

static void parts(void **state)
{
    (void)state;
    tml_mesh *mesh = NULL;
    tml_part *part = NULL;
    const tml_mesh_def of = tml_mesh_def_default();
    const tml_reduce_def how = tml_reduce_def_default();
    double x[3];
    int found;
    REFUSED(tml_mesh_read(NULL, "m.mtx", "n.csv", NULL, &mesh, &err));
    REFUSED(tml_mesh_read("k.mtx", "m.mtx", "n.csv", NULL, NULL, &err));
    REFUSED(tml_mesh_write(NULL, "x", &err));
    REFUSED(tml_mesh_add_stiffening(NULL, "tip.x", "g.mtx", &err));
    REFUSED(tml_mesh_of_spec(NULL, &mesh, &err));
    REFUSED(tml_mesh_of_spec(&of, &mesh, &err));
    REFUSED(tml_mesh_tie(NULL, "x", 1, NULL, &err));
    tml_mesh_destroy(NULL);
    assert_int_equal(tml_mesh_node_count(NULL), 0);
    assert_int_equal(tml_mesh_size(NULL), 0);
    REFUSED(tml_part_reduce(NULL, &how, &part, &err));
    REFUSED(tml_part_read(NULL, NULL, &part, &err));
    REFUSED(tml_part_write(NULL, "x.part", &err));
    REFUSED(tml_part_get_info(NULL, NULL, &err));
    REFUSED(tml_part_node_position(NULL, 0, x, &err));
    REFUSED(tml_part_free_frequencies(NULL, 1, x, &found, &err));
    assert_null(tml_part_node_name(NULL, 0));
    assert_true(isnan(tml_part_fixed_frequency(NULL, 0)));
    tml_part_destroy(NULL);
}

static void robots(void **state)
{
    (void)state;
    tml_robot *robot = NULL;
    tml_robot_frame frame = {0};
    int count = 0;
    tml_robot_reached reached;
    double x[9];
    REFUSED(tml_robot_create(NULL, &robot, &err));
    tml_robot_destroy(NULL);
    assert_int_equal(tml_robot_n(NULL), 0);
    assert_int_equal(tml_robot_nq(NULL), 0);
    assert_int_equal(tml_robot_row_count(NULL), 0);
    assert_null(tml_robot_get_coordinate(NULL, 0));
    REFUSED(tml_robot_set(NULL, x, NULL, &err));
    REFUSED(tml_robot_set_state(NULL, NULL, &err));
    REFUSED(tml_robot_get_state(NULL, NULL, &err));
    REFUSED(tml_robot_set_input(NULL, 0, 0, &err));
    assert_null(tml_robot_q(NULL));
    assert_null(tml_robot_u(NULL));
    REFUSED(tml_robot_mass_matrix(NULL, x, &err));
    REFUSED(tml_robot_forces(NULL, x, x, &err));
    REFUSED(tml_robot_rows(NULL, x, x, &err));
    REFUSED(tml_robot_inverse_dynamics(NULL, NULL, x, &err));
    REFUSED(tml_robot_accelerations(NULL, NULL, x, NULL, &err));
    REFUSED(tml_robot_gradients(NULL, NULL, x, x, x, &err));
    REFUSED(tml_robot_find_frame(NULL, "a", &frame, &err));
    REFUSED(tml_robot_pose(NULL, &frame, x, x, &err));
    REFUSED(tml_robot_jacobian(NULL, &frame, x, NULL, &err));
    REFUSED(tml_robot_contacts(NULL, 0, NULL, 0, &count, &err));
    REFUSED(tml_robot_contact_jacobian(NULL, NULL, x, &err));
    REFUSED(tml_robot_reach(NULL, NULL, 0, NULL, NULL, &reached, &err));
}

static void specs(void **state)
{
    (void)state;
    tml_spec *spec = NULL;
    const tml_body_def body = tml_body_def_default();
    const tml_frame_def frame = tml_frame_def_default();
    const tml_beam_def beam = tml_beam_def_default();
    const tml_modal_def modal = tml_modal_def_default();
    const tml_joint_def joint = tml_joint_def_default();
    const tml_road_def road = tml_road_def_default();
    const tml_shape_def shape = tml_shape_def_default();
    const tml_contact_def contact = tml_contact_def_default();
    const tml_force_def force = tml_force_def_default();
    const tml_output_def output = tml_output_def_default();
    const tml_event_def event = tml_event_def_default();
    const tml_run_def run = tml_run_def_default();
    REFUSED(tml_spec_create(NULL, NULL, &err));
    REFUSED(tml_spec_set_title(NULL, "x", &err));
    REFUSED(tml_spec_set_run(NULL, &run, &err));
    REFUSED(tml_spec_add_body(NULL, &body, &err));
    REFUSED(tml_spec_add_frame(NULL, &frame, &err));
    REFUSED(tml_spec_add_beam(NULL, &beam, &err));
    REFUSED(tml_spec_add_modal(NULL, &modal, &err));
    REFUSED(tml_spec_add_joint(NULL, &joint, &err));
    REFUSED(tml_spec_add_road(NULL, &road, &err));
    REFUSED(tml_spec_add_force(NULL, &force, &err));
    REFUSED(tml_spec_add_shape(NULL, &shape, &err));
    REFUSED(tml_spec_add_contact(NULL, &contact, &err));
    REFUSED(tml_spec_add_output(NULL, &output, &err));
    REFUSED(tml_spec_add_event(NULL, &event, &err));
    REFUSED(tml_spec_add_state(NULL, NULL, &err));
    REFUSED(tml_spec_add_input(NULL, NULL, &err));
    REFUSED(tml_spec_add_table(NULL, NULL, &err));
    tml_spec_set_planar(NULL, true);
    tml_spec_set_gravity(NULL, NULL);
    assert_null(tml_spec_run(NULL));
    assert_null(tml_spec_text(NULL));
    assert_int_equal(tml_spec_source_count(NULL), 0);
    assert_null(tml_spec_source(NULL, 0));
    assert_int_equal(tml_spec_parameter_count(NULL), 0);
    assert_false(tml_sim_channel_is_motion(NULL, 0));
    assert_null(tml_spec_parameter_name(NULL, 0));
    assert_true(isnan(tml_spec_parameter_value(NULL, 0)));
    const tml_read_def no_path = tml_read_def_default();
    REFUSED(tml_spec_read_def(NULL, NULL, &spec, &err));
    REFUSED(tml_spec_import(NULL, NULL, &spec, &err));
    REFUSED(tml_spec_write(NULL, "x.yaml", &err));
    assert_int_equal(tml_spec_note_count(NULL), 0);
    assert_null(tml_spec_note(NULL, 0));
    REFUSED(tml_spec_read_def(&no_path, NULL, &spec, &err));
    tml_spec_destroy(NULL);
    assert_int_equal(tml_spec_create(NULL, &spec, NULL), TML_OK);
    REFUSED(tml_spec_set_run(spec, NULL, &err));
    REFUSED(tml_spec_add_body(spec, NULL, &err));
    REFUSED(tml_spec_add_frame(spec, NULL, &err));
    REFUSED(tml_spec_add_beam(spec, NULL, &err));
    REFUSED(tml_spec_add_modal(spec, NULL, &err));
    REFUSED(tml_spec_add_joint(spec, NULL, &err));
    REFUSED(tml_spec_add_road(spec, NULL, &err));
    REFUSED(tml_spec_add_force(spec, NULL, &err));
    REFUSED(tml_spec_add_shape(spec, NULL, &err));
    REFUSED(tml_spec_add_contact(spec, NULL, &err));
    REFUSED(tml_spec_add_output(spec, NULL, &err));
    REFUSED(tml_spec_add_event(spec, NULL, &err));
    REFUSED(tml_spec_add_state(spec, NULL, &err));
    REFUSED(tml_spec_add_input(spec, NULL, &err));
    REFUSED(tml_spec_add_table(spec, NULL, &err));
    tml_spec_set_gravity(spec, NULL);
    tml_spec_destroy(spec);
    REFUSED(tml_spec_weigh(NULL, &err));
    REFUSED(tml_spec_read(NULL, NULL, 0, NULL, &spec, &err));
    REFUSED(tml_spec_read("a.yaml", NULL, 0, NULL, NULL, &err));
    REFUSED(tml_spec_read("a.yaml", NULL, 1, NULL, &spec, &err));
    REFUSED(tml_spec_parse(NULL, 3, "a.yaml", NULL, 0, NULL, &spec, &err));
    REFUSED(tml_spec_parse("", 0, "a.yaml", NULL, 0, NULL, NULL, &err));
    assert_int_not_equal(tml_spec_read(NULL, NULL, 0, NULL, NULL, NULL), TML_OK);
}

static void models(void **state)
{
    (void)state;
    tml_model *model = NULL;
    tml_check *check = NULL;
    tml_comparison *comparison = NULL;
    tml_verification *verification = NULL;
    tml_advice advice;
    REFUSED(tml_model_build(NULL, &model, &err));
    tml_spec *spec = NULL;
    assert_int_equal(tml_spec_create(NULL, &spec, &err), TML_OK);
    REFUSED(tml_model_build(spec, NULL, &err));
    tml_spec_destroy(spec);
    tml_model_destroy(NULL);
    assert_null(tml_model_system(NULL));
    assert_null(tml_model_run(NULL));
    assert_string_equal(tml_model_title(NULL), "");
    assert_int_equal(tml_model_body_count(NULL), 0);
    assert_int_equal(tml_model_joint_count(NULL), 0);
    assert_int_equal(tml_model_force_count(NULL), 0);
    assert_int_equal(tml_model_state_count(NULL), 0);
    assert_int_equal(tml_model_input_count(NULL), 0);
    assert_int_equal(tml_model_joint_row_count(NULL, 0), 0);
    assert_null(tml_model_body_name(NULL, 0));
    assert_null(tml_model_joint_name(NULL, 0));
    assert_null(tml_model_force_name(NULL, 0));
    assert_null(tml_model_state_name(NULL, 0));
    assert_null(tml_model_input_name(NULL, 0));
    assert_int_equal(tml_model_body_index(NULL, NULL, &err), -1);
    assert_int_equal(tml_model_joint_index(NULL, NULL, &err), -1);
    assert_int_equal(tml_model_force_index(NULL, NULL, &err), -1);
    assert_int_equal(tml_model_state_index(NULL, NULL, &err), -1);
    assert_int_equal(tml_model_input_index(NULL, NULL, &err), -1);
    assert_int_equal(tml_model_body_layout(NULL, 0).q, -1);
    assert_int_equal(tml_model_joint_layout(NULL, 0).lambda, -1);
    tml_model_start(NULL, 0, NULL);
    REFUSED(tml_check_create(NULL, 0, &check, &err));
    REFUSED(tml_check_create_system(NULL, NULL, &check, &err));
    tml_check_destroy(NULL);
    tml_modes *modes = NULL;
    tml_linear *linear = NULL;
    REFUSED(tml_modes_create(NULL, NULL, NULL, &modes, &err));
    assert_true(isnan(tml_modes_assurance(NULL, 0, NULL, 0)));
    tml_modes_destroy(NULL);
    REFUSED(tml_linear_create(NULL, NULL, &linear, &err));
    tml_linear_destroy(NULL);
    const tml_compare_def compare = tml_compare_def_default();
    REFUSED(tml_compare(NULL, &compare, &comparison, &err));
    tml_comparison_destroy(NULL);
    const tml_verify_def verify = tml_verify_def_default();
    REFUSED(tml_verify(NULL, &verify, &verification, &err));
    tml_verification_destroy(NULL);
    assert_non_null(tml_signal_kind_name(TML_SIGNAL_POSITION));
    REFUSED(tml_advise(NULL, NULL, &advice, &err));
}

static void systems(void **state)
{
    (void)state;
    tml_system *sys = NULL;
    tml_state *x = NULL;
    const tml_user_system_def def = tml_user_system_def_default();
    REFUSED(tml_system_create_user(NULL, NULL, &sys, &err));
    REFUSED(tml_system_create_user(&def, NULL, NULL, &err));
    tml_system_destroy(NULL);
    REFUSED(tml_state_create(NULL, &x, &err));
    tml_state_copy(NULL, NULL);
    tml_state_destroy(NULL, NULL);
    tml_state_archive(NULL, NULL);
    assert_null(tml_linsolver_find(NULL));
    assert_null(tml_method_find(NULL));
    assert_false(tml_method_is_explicit(NULL));
    const tml_method_ops *ops = NULL;
    void *self = NULL;
    const tml_integrator_options opt = tml_integrator_options_default();
    REFUSED(tml_method_create(NULL, NULL, &opt, &ops, &self, &err));
    REFUSED(tml_method_create(tml_methods[0], NULL, NULL, NULL, NULL, &err));
    tml_counters_archive(NULL, NULL);
}

static void archives(void **state)
{
    (void)state;
    double x = 1;
    int i = 1;
    long l = 1;
    bool b = true;
    char text[8] = "x";
    assert_false(tml_archive_reading(NULL));
    assert_int_equal(tml_archive_status(NULL), TML_ERR_ARG);
    tml_archive_doubles(NULL, &x, 1);
    tml_archive_ints(NULL, &i, 1);
    tml_archive_longs(NULL, &l, 1);
    tml_archive_bools(NULL, &b, 1);
    tml_archive_indices(NULL, &i, 1, 0, 1);
    tml_archive_text(NULL, text, sizeof text);
    tml_archive_fail(NULL, TML_ERR_ARG, NULL);
}

static void results(void **state)
{
    (void)state;
    tml_writer *w = NULL;
    tml_result *r = NULL;
    const tml_channel channel = {.name = "t", .unit = "s", .dataset = "/t", .width = 1};
    REFUSED(tml_writer_create(NULL, &channel, 1, NULL, 0, NULL, &w, &err));
    REFUSED(tml_writer_create("a.csv", NULL, 1, NULL, 0, NULL, &w, &err));
    REFUSED(tml_writer_create("a.csv", &channel, 1, NULL, 0, NULL, NULL, &err));
    REFUSED(tml_writer_row(NULL, NULL, &err));
    REFUSED(tml_writer_note(NULL, NULL, &err));
    const double last = 0;
    REFUSED(tml_writer_continue(NULL, &channel, 1, 1, &last, NULL, &w, &err));
    REFUSED(tml_writer_continue("a.csv", NULL, 1, 1, &last, NULL, &w, &err));
    REFUSED(tml_writer_continue("a.csv", &channel, 1, 1, NULL, NULL, &w, &err));
    REFUSED(tml_writer_continue("a.csv", &channel, 1, 1, &last, NULL, NULL, &err));
    REFUSED(tml_writer_flush(NULL, &err));
    assert_int_equal(tml_writer_close(NULL, &err), TML_OK);
    REFUSED(tml_result_open(NULL, NULL, &r, &err));
    REFUSED(tml_result_open("a.csv", NULL, NULL, &err));
    REFUSED(tml_result_open_rows(NULL, NULL, &r, &err));
    REFUSED(tml_result_open_rows("a.csv", NULL, NULL, &err));
    REFUSED(tml_result_write(NULL, "a.csv", NULL, 0, &err));
    REFUSED(tml_result_read_rows(NULL, 0, 0, NULL, &err));
    tml_result_close(NULL);
    assert_int_equal(tml_result_channel_count(NULL), 0);
    assert_null(tml_result_channel_name(NULL, 0));
    assert_string_equal(tml_result_channel_unit(NULL, 0), "");
    assert_int_equal(tml_result_channel_index(NULL, NULL, &err), -1);
    assert_int_equal(tml_result_row_count(NULL), 0);
    assert_null(tml_result_row(NULL, 0));
    assert_true(isnan(tml_result_time(NULL, 0)) && isnan(tml_result_value(NULL, 0, 0)));
    assert_null(tml_result_note_text(NULL, NULL));
}

static void simulations(void **state)
{
    (void)state;
    tml_sim *sim = NULL;
    size_t size = 0;
    const tml_sim_def empty = tml_sim_def_default();
    REFUSED(tml_sim_create(NULL, NULL, &sim, &err));
    REFUSED(tml_sim_create_system(NULL, NULL, NULL, &sim, &err));
    REFUSED(tml_sim_create_def(NULL, &sim, &err));
    REFUSED(tml_sim_create_def(&empty, &sim, &err));
    REFUSED(tml_sim_create_def(&empty, NULL, &err));
    tml_sim_destroy(NULL);
    tml_sim_set_hooks(NULL, NULL);
    REFUSED(tml_sim_step(NULL, 1, &err));
    REFUSED(tml_sim_run(NULL, 1, &err));
    assert_false(tml_sim_is_near_end(NULL, 1));
    REFUSED(tml_sim_advance_to(NULL, 1, NULL, &err));
    REFUSED(tml_sim_state_at(NULL, 1, NULL, &err));
    REFUSED(tml_sim_restart(NULL, NULL, &err));
    REFUSED(tml_sim_set_input(NULL, 0, 0, 0, &err));
    REFUSED(tml_sim_set_inputs(NULL, NULL, 0, NULL, &err));
    REFUSED(tml_sim_record(NULL, &err));
    assert_null(tml_sim_recorded(NULL));
    REFUSED(tml_sim_read(NULL, NULL, 0, NULL, &err));
    REFUSED(tml_sim_set_parameter(NULL, "k", 0, &err));
    assert_true(isnan(tml_sim_input(NULL, 0)));
    REFUSED(tml_sim_save(NULL, NULL, &err));
    REFUSED(tml_sim_save_memory(NULL, NULL, 0, &size, &err));
    REFUSED(tml_sim_load(NULL, "a.sim", &sim, &err));
    REFUSED(tml_sim_load_def(NULL, "a.sim", &sim, &err));
    REFUSED(tml_sim_load_def(&empty, NULL, &sim, &err));
    REFUSED(tml_sim_load_memory(NULL, NULL, 0, &sim, &err));
    REFUSED(tml_sim_load_memory(&empty, "x", 1, &sim, &err));
    assert_true(isnan(tml_sim_time(NULL)));
    assert_null(tml_sim_state(NULL));
    assert_null(tml_sim_system(NULL));
    assert_null(tml_sim_model(NULL));
    assert_null(tml_sim_settings(NULL));
    tml_sim_report report;
    tml_sim_get_report(NULL, &report);
    tml_sim_get_report(NULL, NULL);
    assert_int_equal(report.position_row, -1);
    assert_true(tml_sim_condition(NULL) == 0);
    assert_false(tml_sim_get_conditioning(NULL, NULL));
    assert_int_equal(tml_sim_channel_count(NULL), 0);
    assert_null(tml_sim_channels(NULL));
    assert_int_equal(tml_sim_channel_index(NULL, NULL, &err), -1);
    REFUSED(tml_sim_channel_values(NULL, NULL, NULL, &err));
    assert_non_null(tml_version());
    assert_non_null(tml_status_name(TML_OK));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(robots),  cmocka_unit_test(specs),       cmocka_unit_test(parts),
        cmocka_unit_test(models),  cmocka_unit_test(systems),     cmocka_unit_test(archives),
        cmocka_unit_test(results), cmocka_unit_test(simulations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
