"""Structures and prototypes of the C library.

Generated from include/trammel and CMakeLists.txt by python/tools/write_abi.py: do not edit by hand.
"""
# pylint: disable=invalid-name,missing-class-docstring,too-few-public-methods,line-too-long
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_long,
                    c_size_t, c_uint64, c_void_p)

VERSION = "0.2.0"  # of the headers


class tml_error(Structure):
    pass


class tml_env(Structure):
    pass


class tml_modal_def(Structure):
    pass


class tml_friction_def(Structure):
    pass


class tml_limits_def(Structure):
    pass


class tml_table_style(Structure):
    pass


class tml_frame_motion(Structure):
    pass


class tml_magic_def(Structure):
    pass


class tml_force_def(Structure):
    pass


class tml_scale_factor(Structure):
    pass


class tml_run_def(Structure):
    pass


class tml_parameter(Structure):
    pass


class tml_source(Structure):
    pass


class tml_read_def(Structure):
    pass


class tml_inactive_rows(Structure):
    pass


class tml_state(Structure):
    pass


class tml_body_layout(Structure):
    pass


class tml_advice(Structure):
    pass


class tml_check_body(Structure):
    pass


class tml_check_joint(Structure):
    pass


class tml_check_dependency(Structure):
    pass


class tml_check_row(Structure):
    pass


class tml_check_set(Structure):
    pass


class tml_check_conflict(Structure):
    pass


class tml_check_sweep(Structure):
    pass


class tml_check_residual(Structure):
    pass


class tml_check_eigenvalue(Structure):
    pass


class tml_check_note(Structure):
    pass


class tml_check(Structure):
    pass


class tml_counters(Structure):
    pass


class tml_contact_counters(Structure):
    pass


class tml_compare_progress(Structure):
    pass


class tml_compare_def(Structure):
    pass


class tml_errors(Structure):
    pass


class tml_compare_row(Structure):
    pass


class tml_comparison(Structure):
    pass


class tml_verify_signal(Structure):
    pass


class tml_verify_def(Structure):
    pass


class tml_verify_run(Structure):
    pass


class tml_verification(Structure):
    pass


class tml_import_def(Structure):
    pass


class tml_note(Structure):
    pass


class tml_channel(Structure):
    pass


class tml_result_note(Structure):
    pass


class tml_sim_impulse(Structure):
    pass


class tml_equilibrium(Structure):
    pass


class tml_sim_report(Structure):
    pass


class tml_sim_hooks(Structure):
    pass


class tml_sim_def(Structure):
    pass


class tml_linear_quantity(Structure):
    pass


class tml_linear(Structure):
    pass


class tml_modes_def(Structure):
    pass


class tml_mode(Structure):
    pass


class tml_modes(Structure):
    pass


class tml_axis_def(Structure):
    pass


class tml_plot_def(Structure):
    pass


class tml_series_def(Structure):
    pass


class tml_robot_coordinate(Structure):
    pass


class tml_robot_frame(Structure):
    pass


class tml_robot_contact(Structure):
    pass


class tml_robot_target(Structure):
    pass


class tml_robot_reached(Structure):
    pass


class tml_study_progress(Structure):
    pass


class tml_study_ranks(Structure):
    pass


class tml_study_run_def(Structure):
    pass


class tml_study_problem(Structure):
    pass


class tml_study_statistics(Structure):
    pass


class tml_study_indices(Structure):
    pass


class tml_page_def(Structure):
    pass


class tml_page_report(Structure):
    pass


tml_error._fields_ = [
    ('status', c_int),
    ('file', c_char * 512),
    ('line', c_int),
    ('col', c_int),
    ('t', c_double),
    ('msg', c_char * 1024),
]
tml_env._fields_ = [
    ('alloc', CFUNCTYPE(c_void_p, c_size_t, c_void_p)),
    ('free', CFUNCTYPE(None, c_void_p, c_void_p)),
    ('log', CFUNCTYPE(None, c_int, c_char_p, c_void_p)),
    ('user', c_void_p),
    ('files', c_void_p),
]
tml_modal_def._fields_ = [
    ('size', c_size_t),
    ('name', c_char_p),
    ('part', c_void_p),
    ('part_file', c_char_p),
    ('stiffness_file', c_char_p),
    ('mass_file', c_char_p),
    ('nodes_file', c_char_p),
    ('interface', c_char_p),
    ('modes', c_int),
    ('position', c_double * 3),
    ('orientation', c_double * 4),
    ('velocity', c_double * 3),
    ('angular_velocity', c_double * 3),
    ('reference', c_char_p),
    ('damping_count', c_int),
    ('damping', POINTER(c_double)),
    ('mass_damping', c_double),
    ('stiffness_damping', c_double),
    ('stiffening', c_bool),
]
tml_friction_def._fields_ = [
    ('law', c_int),
    ('coulomb', c_double),
    ('static_force', c_double),
    ('coefficient', c_double),
    ('static_coefficient', c_double),
    ('load', c_double),
    ('load_of_reaction', c_bool),
    ('radius', c_double),
    ('stribeck', c_double),
    ('viscous', c_double),
    ('bristle_stiffness', c_double),
    ('bristle_damping', c_double),
    ('creep', c_double),
]
tml_limits_def._fields_ = [
    ('lower', c_double),
    ('upper', c_double),
    ('stiffness', c_double),
    ('damping', c_double),
    ('restitution', c_double),
]
tml_table_style._fields_ = [
    ('interpolation', c_int),
    ('outside', c_int),
]
tml_frame_motion._fields_ = [
    ('position', c_double * 3),
    ('axes', c_double * 9),
    ('velocity', c_double * 3),
    ('angular_velocity', c_double * 3),
]
tml_magic_def._fields_ = [
    ('B', c_double),
    ('C', c_double),
    ('D', c_double),
    ('E', c_double),
]
tml_force_def._fields_ = [
    ('size', c_size_t),
    ('name', c_char_p),
    ('type', c_int),
    ('a', c_char_p),
    ('b', c_char_p),
    ('stiffness', c_double),
    ('damping', c_double),
    ('free', c_double),
    ('law', c_char_p),
    ('table_count', c_int),
    ('table', POINTER(c_double)),
    ('stiffness6', c_double * 36),
    ('damping6', c_double * 36),
    ('preload6', c_double * 6),
    ('force', c_char_p * 3),
    ('torque', c_char_p * 3),
    ('body_axes', c_bool),
    ('linear', c_double),
    ('quadratic', c_double),
    ('angular_linear', c_double),
    ('angular_quadratic', c_double),
    ('road', c_char_p),
    ('radius', c_double),
    ('contact', c_bool),
    ('normal', c_bool),
    ('frame_count', c_int),
    ('frame', c_char_p * 4),
    ('section_stiffness', c_double * 36),
    ('section_damping', c_double),
    ('beam_interpolation', c_int),
    ('space_damping', c_double * 4),
    ('function', CFUNCTYPE(None, c_double, POINTER(tml_frame_motion), POINTER(c_double), c_void_p)),
    ('user', c_void_p),
    ('table_style', tml_table_style),
    ('of', c_char_p),
    ('friction', tml_friction_def),
    ('drive', c_char_p),
    ('backlash', c_double),
    ('limits', tml_limits_def),
    ('modal', POINTER(tml_modal_def)),
    ('derivatives', CFUNCTYPE(None, c_double, POINTER(tml_frame_motion), POINTER(c_double), c_void_p)),
    ('has_axis', c_bool),
    ('axis', c_double * 3),
    ('slip_law', c_int),
    ('load', c_double),
    ('load_exponent', c_double),
    ('coefficient', c_double),
    ('longitudinal_stiffness', c_double),
    ('cornering_stiffness', c_double),
    ('has_longitudinal', c_bool),
    ('has_lateral', c_bool),
    ('longitudinal', tml_magic_def),
    ('lateral', tml_magic_def),
    ('longitudinal_relaxation', c_double),
    ('lateral_relaxation', c_double),
    ('slip_damping', c_double),
    ('trail', c_double),
    ('armature', c_double),
]
tml_scale_factor._fields_ = [
    ('k', c_double),
    ('d', c_double),
    ('m', c_double),
]
tml_run_def._fields_ = [
    ('size', c_size_t),
    ('method', c_char_p),
    ('solver', c_char_p),
    ('start', c_double),
    ('end', c_double),
    ('output_step', c_double),
    ('tol', c_double),
    ('rtol', c_double),
    ('atol', c_double),
    ('step', c_double),
    ('control_from', c_double),
    ('max_step', c_double),
    ('min_step', c_double),
    ('rho', c_double),
    ('alpha', c_double),
    ('max_order', c_int),
    ('gamma', c_double),
    ('epsilon', c_double),
    ('index', c_int),
    ('redundancy', c_int),
    ('placement', c_int),
    ('constraint_point', c_int),
    ('fields', c_int),
    ('control', c_int),
    ('scaling', c_int),
    ('scale', tml_scale_factor),
    ('augment', c_double),
    ('iterate', c_int),
    ('report', c_bool),
    ('switches', c_bool),
    ('repeat_steps', c_bool),
    ('group', c_int),
    ('coordinates', c_int),
    ('kinematics', c_int),
    ('jacobian', c_int),
    ('estimate', c_int),
    ('begin', c_int),
    ('record', c_char_p),
    ('threads', c_int),
    ('contacts', c_int),
]
tml_parameter._fields_ = [
    ('name', c_char_p),
    ('text', c_char_p),
]
tml_source._fields_ = [
    ('path', c_char_p),
    ('text', c_char_p),
    ('length', c_size_t),
    ('hash', c_uint64),
]
tml_read_def._fields_ = [
    ('size', c_size_t),
    ('path', c_char_p),
    ('parameters', POINTER(tml_parameter)),
    ('parameter_count', c_int),
    ('folders', POINTER(c_char_p)),
    ('folder_count', c_int),
    ('sources', POINTER(tml_source)),
    ('source_count', c_int),
]
tml_inactive_rows._fields_ = [
    ('count', c_int),
    ('has_force', c_bool),
    ('row', POINTER(c_bool)),
    ('t0', c_double),
    ('min_energy', c_double),
    ('force', POINTER(c_double)),
    ('rate', POINTER(c_double)),
    ('inertia', POINTER(c_double)),
]
tml_state._fields_ = [
    ('t', c_double),
    ('nq', c_int),
    ('n', c_int),
    ('m', c_int),
    ('na', c_int),
    ('nmode', c_int),
    ('nz', c_int),
    ('ninput', c_int),
    ('input_t', c_double),
    ('origin', c_double * 3),
    ('q', POINTER(c_double)),
    ('u', POINTER(c_double)),
    ('z', POINTER(c_double)),
    ('udot', POINTER(c_double)),
    ('lambda', POINTER(c_double)),
    ('angle', POINTER(c_double)),
    ('input', POINTER(c_double)),
    ('mode', POINTER(c_double)),
    ('inactive', POINTER(tml_inactive_rows)),
]
tml_body_layout._fields_ = [
    ('q', c_int),
    ('u', c_int),
    ('u_count', c_int),
    ('component', c_int * 6),
]
tml_advice._fields_ = [
    ('runs', c_bool),
    ('failure', c_char * 1024),
    ('method', c_char_p),
    ('method_reason', c_char * 400),
    ('unknowns', c_char_p),
    ('solver', c_char_p),
    ('solver_reason', c_char_p),
    ('tolerance', c_double),
    ('step', c_double),
    ('steps', c_long),
    ('span', c_double),
    ('step_reason', c_char * 200),
    ('condition_scaled', c_double),
    ('condition_plain', c_double),
    ('unknown_count', c_int),
]
tml_check_body._fields_ = [
    ('name', c_char_p),
    ('mass', c_double),
    ('coordinates', c_int),
    ('moved', c_double),
    ('turned', c_double),
    ('position', c_double * 3),
    ('connected', c_bool),
]
tml_check_joint._fields_ = [
    ('name', c_char_p),
    ('type', c_char_p),
    ('between', c_char_p),
    ('rows', c_int),
    ('redundant', c_int),
]
tml_check_dependency._fields_ = [
    ('row', c_char_p),
    ('joint', c_int),
    ('empty', c_bool),
    ('other_count', c_int),
    ('others', POINTER(c_char_p)),
]
tml_check_row._fields_ = [
    ('joint', c_int),
    ('component', c_char_p),
    ('reaction', c_int),
    ('set', c_int),
    ('redundant', c_bool),
]
tml_check_set._fields_ = [
    ('rows', c_int),
    ('excess', c_int),
    ('here', c_bool),
]
tml_check_conflict._fields_ = [
    ('group', c_int),
    ('joint', c_int),
    ('row', c_char_p),
    ('gap', c_double),
    ('unit', c_char_p),
]
tml_check_sweep._fields_ = [
    ('along', c_char_p),
    ('unit', c_char_p),
    ('driven', c_bool),
    ('start', c_double),
    ('least', c_double),
    ('last', c_double),
    ('lowest', c_double),
    ('highest', c_double),
    ('t_least', c_double),
    ('t_last', c_double),
    ('sigma_start', c_double),
    ('sigma', c_double),
    ('singular', c_bool),
    ('passes', c_bool),
    ('rank_before', c_int),
    ('rank_there', c_int),
    ('closed', c_bool),
    ('extreme', c_bool),
    ('text', c_char_p),
]
tml_check_residual._fields_ = [
    ('value', c_double),
    ('row', c_char_p),
    ('unit', c_char_p),
]
tml_check_eigenvalue._fields_ = [
    ('re', c_double),
    ('im', c_double),
]
tml_check_note._fields_ = [
    ('level', c_int),
    ('text', c_char_p),
]
tml_check._fields_ = [
    ('assembled', c_bool),
    ('t', c_double),
    ('title', c_char_p),
    ('length', c_double),
    ('body_count', c_int),
    ('joint_count', c_int),
    ('force_count', c_int),
    ('bodies', POINTER(tml_check_body)),
    ('joints', POINTER(tml_check_joint)),
    ('row_list', POINTER(tml_check_row)),
    ('conflict_count', c_int),
    ('conflicts', POINTER(tml_check_conflict)),
    ('coordinates', c_int),
    ('rows', c_int),
    ('count_freedoms', c_int),
    ('rank', c_int),
    ('freedoms', c_int),
    ('rank_nearby', c_int),
    ('mobility', c_char_p),
    ('misfit', c_double),
    ('weakest', c_double),
    ('dependency_count', c_int),
    ('dependencies', POINTER(tml_check_dependency)),
    ('set_count', c_int),
    ('sets', POINTER(tml_check_set)),
    ('sentence_count', c_int),
    ('sentences', POINTER(c_char_p)),
    ('unique', c_int),
    ('shared', c_int),
    ('indeterminate', c_int),
    ('loops', c_bool),
    ('sweep_count', c_int),
    ('sweeps', POINTER(tml_check_sweep)),
    ('nearest', c_int),
    ('position', tml_check_residual),
    ('velocity', tml_check_residual),
    ('left_open', tml_check_residual),
    ('moved', c_double),
    ('velocity_changed', c_double),
    ('has_spectrum', c_bool),
    ('instantaneous', c_bool),
    ('steady', c_bool),
    ('axes', c_char_p),
    ('massless', c_int),
    ('eigenvalue_count', c_int),
    ('eigenvalues', POINTER(tml_check_eigenvalue)),
    ('zeros', c_int),
    ('zeros_below', c_double),
    ('stiffness_ratio', c_double),
    ('fastest', c_double),
    ('highest_hz', c_double),
    ('note_count', c_int),
    ('notes', POINTER(tml_check_note)),
]
tml_counters._fields_ = [
    ('steps', c_long),
    ('rejected_error', c_long),
    ('rejected_newton', c_long),
    ('iterations', c_long),
    ('residuals', c_long),
    ('factorizations', c_long),
    ('max_iterations', c_int),
    ('bases', c_long),
    ('singular', c_long),
    ('singular_first', c_double),
    ('singular_last', c_double),
    ('rank', c_int),
    ('singular_rank', c_int),
    ('damped_above', c_double),
    ('damped_position', c_double),
    ('damped_velocity', c_double),
    ('damped_energy', c_double),
]
tml_contact_counters._fields_ = [
    ('points', c_int),
    ('islands', c_int),
    ('impacts', c_long),
    ('sweeps', c_long),
    ('missed', c_long),
    ('bound', c_double),
    ('residual', c_double),
    ('depth', c_double),
    ('impact_loss', c_double),
    ('friction_loss', c_double),
    ('lifted', c_double),
    ('last_loss', c_double),
    ('last_impact_loss', c_double),
    ('last_driven', c_double),
    ('last_impact_driven', c_double),
]
tml_compare_progress._fields_ = [
    ('what', c_char_p),
    ('method', c_char_p),
    ('tol', c_double),
    ('step', c_double),
    ('part', c_double),
    ('done', c_int),
    ('total', c_int),
]
tml_compare_def._fields_ = [
    ('size', c_size_t),
    ('run', POINTER(tml_run_def)),
    ('methods', POINTER(c_char_p)),
    ('method_count', c_int),
    ('tols', POINTER(c_double)),
    ('tol_count', c_int),
    ('steps', POINTER(c_double)),
    ('step_count', c_int),
    ('reference_method', c_char_p),
    ('reference_tol', c_double),
    ('reference_file', c_char_p),
    ('threads', c_int),
    ('budget', c_double),
    ('limit', c_double),
    ('on_progress', CFUNCTYPE(c_int, POINTER(tml_compare_progress), c_void_p)),
    ('user', c_void_p),
]
tml_errors._fields_ = [
    ('position', c_double),
    ('velocity', c_double),
    ('multiplier', c_double),
]
tml_compare_row._fields_ = [
    ('method', c_char_p),
    ('tol', c_double),
    ('step', c_double),
    ('outcome', c_int),
    ('status', c_int),
    ('error', tml_errors),
    ('count', tml_counters),
    ('cpu_seconds', c_double),
    ('t', c_double),
    ('note', c_char * 400),
]
tml_comparison._fields_ = [
    ('row_count', c_int),
    ('rows', POINTER(tml_compare_row)),
    ('reference', c_char * 700),
    ('check', c_char * 700),
    ('uncertainty', tml_errors),
    ('length', c_double),
    ('velocity_scale', c_double),
    ('force_scale', c_double),
    ('output_times', c_int),
    ('skipped_count', c_int),
    ('skipped', POINTER(c_char_p)),
    ('stopped', c_bool),
    ('wall_seconds', c_double),
    ('own', c_void_p),
]
tml_verify_signal._fields_ = [
    ('name', c_char_p),
    ('unit', c_char_p),
    ('kind', c_int),
    ('difference', c_double),
    ('t', c_double),
    ('scale', c_double),
    ('digits', c_double),
    ('judged', c_bool),
    ('ratio', c_double),
    ('ratio_t', c_double),
    ('doubt', c_double),
]
tml_verify_def._fields_ = [
    ('size', c_size_t),
    ('run', POINTER(tml_run_def)),
    ('with', c_char_p),
    ('factor', c_double),
    ('threads', c_int),
    ('on_progress', CFUNCTYPE(c_int, POINTER(tml_compare_progress), c_void_p)),
    ('user', c_void_p),
]
tml_verify_run._fields_ = [
    ('method', c_char_p),
    ('first_method', c_char_p),
    ('rtol', c_double),
    ('atol', c_double),
    ('step', c_double),
    ('count', tml_counters),
    ('cpu_seconds', c_double),
    ('t', c_double),
    ('event', c_char_p),
]
tml_verification._fields_ = [
    ('asked', tml_verify_run),
    ('better', tml_verify_run),
    ('check', tml_verify_run),
    ('extrapolated', c_bool),
    ('signal_count', c_int),
    ('signals', POINTER(tml_verify_signal)),
    ('output_times', c_int),
    ('unmatched', c_int),
    ('length', c_double),
    ('ratio', c_double),
    ('ratio_t', c_double),
    ('ratio_name', c_char_p),
    ('doubt', c_double),
    ('doubt_name', c_char_p),
    ('confirmed', c_bool),
    ('met', c_bool),
    ('jumps', c_int),
    ('time_scale', c_double),
    ('own', c_void_p),
]
tml_import_def._fields_ = [
    ('size', c_size_t),
    ('path', c_char_p),
    ('model', c_char_p),
    ('floating', c_bool),
    ('motors', c_bool),
    ('mend', c_bool),
    ('folders', POINTER(c_char_p)),
    ('folder_count', c_int),
    ('start', c_char_p),
]
tml_note._fields_ = [
    ('file', c_char_p),
    ('line', c_int),
    ('col', c_int),
    ('text', c_char_p),
]
tml_channel._fields_ = [
    ('name', c_char_p),
    ('unit', c_char_p),
    ('dataset', c_char_p),
    ('component', c_int),
    ('width', c_int),
    ('determined', c_char_p),
    ('fixed', c_bool),
    ('detail', c_bool),
]
tml_result_note._fields_ = [
    ('name', c_char_p),
    ('text', c_char_p),
]
tml_sim_impulse._fields_ = [
    ('joint', c_char_p),
    ('t', c_double),
    ('value', c_double),
    ('jump', c_double),
    ('work', c_double),
]
tml_equilibrium._fields_ = [
    ('found', c_bool),
    ('relaxed', c_bool),
    ('neutral', c_bool),
    ('turns', c_bool),
    ('steps', c_int),
    ('iterations', c_int),
    ('limit_points', c_int),
    ('limit_load', c_double * 8),
    ('unstable', c_int),
    ('residual', c_double),
    ('moved', c_double),
]
tml_sim_report._fields_ = [
    ('count', tml_counters),
    ('h_min', c_double),
    ('h_max', c_double),
    ('h_mean', c_double),
    ('position_residual', c_double),
    ('velocity_residual', c_double),
    ('position_row', c_int),
    ('energy_start', c_double),
    ('kinetic', c_double),
    ('potential', c_double),
    ('dissipated', c_double),
    ('supplied', c_double),
    ('contact_loss', c_double),
    ('energy_error', c_double),
    ('energy_scale', c_double),
    ('energy_allowed', c_double),
    ('start_change_count', c_int),
    ('start_changes', POINTER(c_char_p)),
    ('impulse_count', c_long),
    ('impulses_kept', c_int),
    ('impulses', POINTER(tml_sim_impulse)),
    ('impact_count', c_long),
    ('impact_loss', c_double),
    ('switches', c_long),
    ('repeated', c_int),
    ('sentence_count', c_int),
    ('sentences', POINTER(c_char_p)),
    ('creeping_count', c_int),
    ('creeps_most', c_char_p),
    ('creep', c_double),
    ('wall_seconds', c_double),
    ('method', c_char_p),
    ('solver', c_char_p),
    ('reason', c_char_p),
    ('event', c_char_p),
    ('equilibrium', tml_equilibrium),
    ('contacts', tml_contact_counters),
]
tml_sim_hooks._fields_ = [
    ('on_step', CFUNCTYPE(c_int, c_void_p, c_double, c_double, c_void_p)),
    ('on_output', CFUNCTYPE(c_int, c_void_p, POINTER(tml_state), c_void_p)),
    ('user', c_void_p),
    ('motion_only', c_bool),
    ('jump_rows', c_bool),
]
tml_sim_def._fields_ = [
    ('size', c_size_t),
    ('model', c_void_p),
    ('system', c_void_p),
    ('x0', POINTER(tml_state)),
    ('run', POINTER(tml_run_def)),
    ('method', c_void_p),
]
tml_linear_quantity._fields_ = [
    ('name', c_char_p),
    ('unit', c_char_p),
    ('value', c_double),
]
tml_linear._fields_ = [
    ('t', c_double),
    ('rest', c_bool),
    ('steady', c_bool),
    ('axes', c_char_p),
    ('state_count', c_int),
    ('input_count', c_int),
    ('output_count', c_int),
    ('states', POINTER(tml_linear_quantity)),
    ('inputs', POINTER(tml_linear_quantity)),
    ('outputs', POINTER(tml_linear_quantity)),
    ('A', POINTER(c_double)),
    ('B', POINTER(c_double)),
    ('C', POINTER(c_double)),
    ('D', POINTER(c_double)),
]
tml_modes_def._fields_ = [
    ('size', c_size_t),
    ('count', c_int),
    ('near', c_double),
    ('solver', c_int),
]
tml_mode._fields_ = [
    ('re', c_double),
    ('im', c_double),
    ('hz', c_double),
    ('damping', c_double),
    ('kind', c_int),
    ('unstable', c_bool),
    ('shape_re', POINTER(c_double)),
    ('shape_im', POINTER(c_double)),
    ('part', c_char_p * 3),
    ('share', c_double * 3),
]
tml_modes._fields_ = [
    ('t', c_double),
    ('rest', c_bool),
    ('steady', c_bool),
    ('axes', c_char_p),
    ('sparse', c_bool),
    ('freedoms', c_int),
    ('n', c_int),
    ('count', c_int),
    ('rigid', c_int),
    ('unstable', c_int),
    ('missing', c_int),
    ('modes', POINTER(tml_mode)),
    ('weight', POINTER(c_double)),
]
tml_axis_def._fields_ = [
    ('label', c_char_p),
    ('unit', c_char_p),
    ('kind', c_int),
    ('min', c_double),
    ('max', c_double),
]
tml_plot_def._fields_ = [
    ('size', c_size_t),
    ('title', c_char_p),
    ('x', tml_axis_def),
    ('y', tml_axis_def),
    ('legend', c_int),
    ('width', c_double),
    ('height', c_double),
    ('grid', c_bool),
    ('png_scale', c_double),
]
tml_series_def._fields_ = [
    ('size', c_size_t),
    ('name', c_char_p),
    ('count', c_int),
    ('x', POINTER(c_double)),
    ('y', POINTER(c_double)),
    ('line', c_int),
    ('marker', c_int),
    ('open', c_bool),
    ('color', c_long),
    ('width', c_double),
]
tml_robot_coordinate._fields_ = [
    ('name', c_char_p),
    ('unit', c_char_p),
    ('q', c_int),
    ('quaternion', c_bool),
    ('lower', c_double),
    ('upper', c_double),
]
tml_robot_frame._fields_ = [
    ('body', c_int),
    ('point', c_double * 3),
    ('axes', c_double * 9),
]
tml_robot_contact._fields_ = [
    ('name', c_char_p),
    ('body', c_int * 2),
    ('gap', c_double),
    ('position', c_double * 3),
    ('normal', c_double * 3),
]
tml_robot_target._fields_ = [
    ('frame', tml_robot_frame),
    ('position', c_double * 3),
    ('axes', c_double * 9),
    ('weight', c_double),
    ('turn_weight', c_double),
]
tml_robot_reached._fields_ = [
    ('iterations', c_int),
    ('distance', c_double),
    ('angle', c_double),
    ('opening', c_double),
    ('converged', c_bool),
]
tml_study_progress._fields_ = [
    ('members', c_long),
    ('done', c_long),
    ('failed', c_long),
    ('here', c_long),
    ('seconds', c_double),
    ('rate', c_double),
]
tml_study_ranks._fields_ = [
    ('rank', c_int),
    ('count', c_int),
    ('send', CFUNCTYPE(c_int, c_int, c_void_p, c_size_t, c_void_p, POINTER(tml_error))),
    ('probe', CFUNCTYPE(c_bool, POINTER(c_int), POINTER(c_size_t), c_void_p)),
    ('receive', CFUNCTYPE(c_int, c_int, c_void_p, c_size_t, c_void_p, POINTER(tml_error))),
    ('user', c_void_p),
]
tml_study_run_def._fields_ = [
    ('size', c_size_t),
    ('out', c_char_p),
    ('threads', c_int),
    ('part', c_int),
    ('parts', c_int),
    ('resume', c_bool),
    ('overwrite', c_bool),
    ('progress', CFUNCTYPE(c_bool, POINTER(tml_study_progress), c_void_p)),
    ('user', c_void_p),
    ('ranks', POINTER(tml_study_ranks)),
]
tml_study_problem._fields_ = [
    ('n', c_int),
    ('m', c_int),
    ('lower', POINTER(c_double)),
    ('upper', POINTER(c_double)),
    ('start', POINTER(c_double)),
    ('method', c_char_p),
    ('evaluations', c_int),
    ('tolerance', c_double),
    ('evaluate', CFUNCTYPE(c_bool, POINTER(c_double), POINTER(c_double), POINTER(c_double), c_void_p)),
    ('user', c_void_p),
]
tml_study_statistics._fields_ = [
    ('count', c_long),
    ('mean', c_double),
    ('deviation', c_double),
    ('least', c_double),
    ('most', c_double),
    ('low', c_double),
    ('median', c_double),
    ('high', c_double),
]
tml_study_indices._fields_ = [
    ('points', c_long),
    ('first', c_double),
    ('total', c_double),
]
tml_page_def._fields_ = [
    ('size', c_size_t),
    ('bytes', c_double),
    ('title', c_char_p),
    ('scene', c_char_p),
    ('beside', POINTER(c_void_p)),
    ('beside_names', POINTER(c_char_p)),
    ('beside_count', c_int),
]
tml_page_report._fields_ = [
    ('bytes', c_size_t),
    ('rows', c_size_t),
    ('rows_kept', c_size_t),
    ('channels', c_int),
    ('scene', c_bool),
    ('modes', c_bool),
    ('value_error', c_double),
    ('between_error', c_double),
    ('between_channel', c_int),
]

TML_OK = 0
TML_ERR_NOMEM = -2
TML_ERR_NAME = -4
TML_ERR_STOPPED = -12
TML_LOG_WARNING = 1
TML_FORCE_CALLBACK = 6
TML_CALLBACK_FRAMES = 4
TML_MODE_SOLVER_AUTO = 0
TML_MODE_SOLVER_DENSE = 1
TML_MODE_SOLVER_SPARSE = 2
TML_MODE_PARTS = 3
TML_MARKER_NONE = 1

# names of the constants of an enumeration, in lower case, by value
ENUMS = {
    'tml_axis_kind': {0: 'linear', 1: 'log'},
    'tml_beam_interpolation': {0: 'r3so3', 1: 'se3'},
    'tml_begin': {0: 'given', 1: 'static', 2: 'steady'},
    'tml_body_component': {0: 'vx', 1: 'vy', 2: 'vz', 3: 'wx', 4: 'wy', 5: 'wz'},
    'tml_compare_outcome': {0: 'done', 1: 'reference', 2: 'failed', 3: 'stopped', 4: 'left_out'},
    'tml_constraint_point': {0: 'end', 1: 'mean', 2: 'inner'},
    'tml_contacts': {0: 'located', 1: 'captured'},
    'tml_control': {0: 'motion', 1: 'all'},
    'tml_coordinates': {0: 'partition', 1: 'tangent'},
    'tml_estimate': {0: 'filtered', 1: 'embedded'},
    'tml_fields': {0: 'two', 1: 'three'},
    'tml_force_type': {0: 'spring', 1: 'torsion', 2: 'bushing', 3: 'applied', 4: 'drag', 5: 'tyre', 6:
        'callback', 7: 'beam', 8: 'friction', 9: 'coordinate', 10: 'modal', 11: 'limit', 12: 'slip_tyre', 13:
        'armature', 14: 'types'},
    'tml_friction_law': {0: 'coulomb', 1: 'lugre', 2: 'regularized', 3: 'laws'},
    'tml_group': {0: 'r3so3', 1: 'se3', 2: 'se3_cayley'},
    'tml_interpolation': {0: 'monotone', 1: 'linear', 2: 'spline'},
    'tml_iterate': {0: 'converged', 1: 'saturated'},
    'tml_jacobian': {0: 'exact', 1: 'differences', 2: 'full'},
    'tml_kinematics': {0: 'auto', 1: 'bodies', 2: 'joints'},
    'tml_legend_place': {0: 'auto', 1: 'none', 2: 'top_left', 3: 'top_right', 4: 'bottom_left', 5:
        'bottom_right', 6: 'outside'},
    'tml_line_kind': {0: 'auto', 1: 'none', 2: 'solid', 3: 'dashed', 4: 'dashdot', 5: 'dotted'},
    'tml_log_level': {0: 'info', 1: 'warning'},
    'tml_marker_kind': {0: 'auto', 1: 'none', 2: 'circle', 3: 'square', 4: 'triangle', 5: 'diamond', 6:
        'down', 7: 'cross', 8: 'plus'},
    'tml_mode_kind': {0: 'rigid', 1: 'oscillation', 2: 'aperiodic'},
    'tml_mode_solver': {0: 'auto', 1: 'dense', 2: 'sparse'},
    'tml_outside': {0: 'extend', 1: 'hold'},
    'tml_placement': {0: 'nodes', 1: 'inner'},
    'tml_reaction_kind': {0: 'unique', 1: 'shared', 2: 'indeterminate'},
    'tml_redundancy': {0: 'select', 1: 'regularize'},
    'tml_scaling': {0: 'none', 1: 'left', 2: 'left_right', 3: 'left_right_velocity', 4: 'uniform', 5: 'norm',
        6: 'physical', 7: 'given'},
    'tml_signal_kind': {0: 'position', 1: 'orientation', 2: 'velocity', 3: 'angular_velocity', 4:
        'coordinate', 5: 'reaction', 6: 'force', 7: 'energy', 8: 'state', 9: 'output', 10: 'event', 11:
        'kinds'},
    'tml_slip_law': {0: 'brush', 1: 'magic_formula', 2: 'laws'},
    'tml_status': {0: 'ok', 1: 'retry', -1: 'err_arg', -2: 'err_nomem', -3: 'err_syntax', -4: 'err_name', -5:
        'err_model', -6: 'err_assembly', -7: 'err_singular', -8: 'err_step', -9: 'err_nan', -10: 'err_io',
        -11: 'err_user', -12: 'err_stopped'},
}

# enumeration of a field, by structure and field
ENUM_FIELDS = {
    ('tml_error', 'status'): 'tml_status',
    ('tml_friction_def', 'law'): 'tml_friction_law',
    ('tml_table_style', 'interpolation'): 'tml_interpolation',
    ('tml_table_style', 'outside'): 'tml_outside',
    ('tml_force_def', 'type'): 'tml_force_type',
    ('tml_force_def', 'beam_interpolation'): 'tml_beam_interpolation',
    ('tml_force_def', 'slip_law'): 'tml_slip_law',
    ('tml_run_def', 'redundancy'): 'tml_redundancy',
    ('tml_run_def', 'placement'): 'tml_placement',
    ('tml_run_def', 'constraint_point'): 'tml_constraint_point',
    ('tml_run_def', 'fields'): 'tml_fields',
    ('tml_run_def', 'control'): 'tml_control',
    ('tml_run_def', 'scaling'): 'tml_scaling',
    ('tml_run_def', 'iterate'): 'tml_iterate',
    ('tml_run_def', 'group'): 'tml_group',
    ('tml_run_def', 'coordinates'): 'tml_coordinates',
    ('tml_run_def', 'kinematics'): 'tml_kinematics',
    ('tml_run_def', 'jacobian'): 'tml_jacobian',
    ('tml_run_def', 'estimate'): 'tml_estimate',
    ('tml_run_def', 'begin'): 'tml_begin',
    ('tml_run_def', 'contacts'): 'tml_contacts',
    ('tml_check_row', 'reaction'): 'tml_reaction_kind',
    ('tml_check_note', 'level'): 'tml_log_level',
    ('tml_compare_row', 'outcome'): 'tml_compare_outcome',
    ('tml_compare_row', 'status'): 'tml_status',
    ('tml_verify_signal', 'kind'): 'tml_signal_kind',
    ('tml_modes_def', 'solver'): 'tml_mode_solver',
    ('tml_mode', 'kind'): 'tml_mode_kind',
    ('tml_axis_def', 'kind'): 'tml_axis_kind',
    ('tml_plot_def', 'legend'): 'tml_legend_place',
    ('tml_series_def', 'line'): 'tml_line_kind',
    ('tml_series_def', 'marker'): 'tml_marker_kind',
}

# library: function: (result, arguments)
FUNCTIONS = {
    'trammel': {
        'tml_status_name': (c_char_p, [c_int]),
        'tml_version': (c_char_p, []),
        'tml_force_def_default': (tml_force_def, []),
        'tml_spec_destroy': (None, [c_void_p]),
        'tml_spec_run': (POINTER(tml_run_def), [c_void_p]),
        'tml_spec_add_force': (c_int, [c_void_p, POINTER(tml_force_def), POINTER(tml_error)]),
        'tml_spec_parse': (c_int, [c_char_p, c_size_t, c_char_p, POINTER(tml_parameter), c_int,
            POINTER(tml_env), POINTER(c_void_p), POINTER(tml_error)]),
        'tml_read_def_default': (tml_read_def, []),
        'tml_spec_read_def': (c_int, [POINTER(tml_read_def), POINTER(tml_env), POINTER(c_void_p),
            POINTER(tml_error)]),
        'tml_spec_source_count': (c_int, [c_void_p]),
        'tml_spec_source': (POINTER(tml_source), [c_void_p, c_int]),
        'tml_spec_text': (c_char_p, [c_void_p]),
        'tml_state_create': (c_int, [c_void_p, POINTER(POINTER(tml_state)), POINTER(tml_error)]),
        'tml_state_copy': (None, [POINTER(tml_state), POINTER(tml_state)]),
        'tml_state_destroy': (None, [POINTER(tml_state), c_void_p]),
        'tml_model_build': (c_int, [c_void_p, POINTER(c_void_p), POINTER(tml_error)]),
        'tml_model_destroy': (None, [c_void_p]),
        'tml_model_system': (c_void_p, [c_void_p]),
        'tml_model_run': (POINTER(tml_run_def), [c_void_p]),
        'tml_model_title': (c_char_p, [c_void_p]),
        'tml_model_body_count': (c_int, [c_void_p]),
        'tml_model_body_name': (c_char_p, [c_void_p, c_int]),
        'tml_model_joint_count': (c_int, [c_void_p]),
        'tml_model_joint_name': (c_char_p, [c_void_p, c_int]),
        'tml_model_force_count': (c_int, [c_void_p]),
        'tml_model_force_name': (c_char_p, [c_void_p, c_int]),
        'tml_model_state_count': (c_int, [c_void_p]),
        'tml_model_state_name': (c_char_p, [c_void_p, c_int]),
        'tml_model_input_count': (c_int, [c_void_p]),
        'tml_model_input_name': (c_char_p, [c_void_p, c_int]),
        'tml_model_body_index': (c_int, [c_void_p, c_char_p, POINTER(tml_error)]),
        'tml_model_input_index': (c_int, [c_void_p, c_char_p, POINTER(tml_error)]),
        'tml_model_body_layout': (tml_body_layout, [c_void_p, c_int]),
        'tml_advise': (c_int, [c_void_p, POINTER(tml_run_def), POINTER(tml_advice), POINTER(tml_error)]),
        'tml_check_create': (c_int, [c_void_p, c_double, POINTER(POINTER(tml_check)), POINTER(tml_error)]),
        'tml_check_destroy': (None, [POINTER(tml_check)]),
        'tml_compare_def_default': (tml_compare_def, []),
        'tml_compare': (c_int, [c_void_p, POINTER(tml_compare_def), POINTER(POINTER(tml_comparison)),
            POINTER(tml_error)]),
        'tml_comparison_destroy': (None, [POINTER(tml_comparison)]),
        'tml_verify_def_default': (tml_verify_def, []),
        'tml_verify': (c_int, [c_void_p, POINTER(tml_verify_def), POINTER(POINTER(tml_verification)),
            POINTER(tml_error)]),
        'tml_verification_destroy': (None, [POINTER(tml_verification)]),
        'tml_import_def_default': (tml_import_def, []),
        'tml_spec_import': (c_int, [POINTER(tml_import_def), POINTER(tml_env), POINTER(c_void_p),
            POINTER(tml_error)]),
        'tml_spec_note_count': (c_int, [c_void_p]),
        'tml_spec_note': (POINTER(tml_note), [c_void_p, c_int]),
        'tml_writer_create': (c_int, [c_char_p, POINTER(tml_channel), c_int, POINTER(tml_result_note), c_int,
            POINTER(tml_env), POINTER(c_void_p), POINTER(tml_error)]),
        'tml_writer_row': (c_int, [c_void_p, POINTER(c_double), POINTER(tml_error)]),
        'tml_writer_close': (c_int, [c_void_p, POINTER(tml_error)]),
        'tml_result_open': (c_int, [c_char_p, POINTER(tml_env), POINTER(c_void_p), POINTER(tml_error)]),
        'tml_result_close': (None, [c_void_p]),
        'tml_result_channel_count': (c_int, [c_void_p]),
        'tml_result_channel_name': (c_char_p, [c_void_p, c_int]),
        'tml_result_channel_unit': (c_char_p, [c_void_p, c_int]),
        'tml_result_channel_index': (c_int, [c_void_p, c_char_p, POINTER(tml_error)]),
        'tml_result_row_count': (c_size_t, [c_void_p]),
        'tml_result_row': (POINTER(c_double), [c_void_p, c_size_t]),
        'tml_result_read_rows': (c_int, [c_void_p, c_size_t, c_size_t, POINTER(c_double),
            POINTER(tml_error)]),
        'tml_result_note_text': (c_char_p, [c_void_p, c_char_p]),
        'tml_sim_def_default': (tml_sim_def, []),
        'tml_sim_create_def': (c_int, [POINTER(tml_sim_def), POINTER(c_void_p), POINTER(tml_error)]),
        'tml_sim_destroy': (None, [c_void_p]),
        'tml_sim_set_hooks': (None, [c_void_p, POINTER(tml_sim_hooks)]),
        'tml_sim_step': (c_int, [c_void_p, c_double, POINTER(tml_error)]),
        'tml_sim_run': (c_int, [c_void_p, c_double, POINTER(tml_error)]),
        'tml_sim_set_input': (c_int, [c_void_p, c_int, c_double, c_double, POINTER(tml_error)]),
        'tml_sim_set_parameter': (c_int, [c_void_p, c_char_p, c_double, POINTER(tml_error)]),
        'tml_sim_set_inputs': (c_int, [c_void_p, POINTER(c_int), c_int, POINTER(c_double),
            POINTER(tml_error)]),
        'tml_sim_input': (c_double, [c_void_p, c_int]),
        'tml_sim_record': (c_int, [c_void_p, POINTER(tml_error)]),
        'tml_sim_recorded': (c_void_p, [c_void_p]),
        'tml_sim_advance_to': (c_int, [c_void_p, c_double, POINTER(tml_state), POINTER(tml_error)]),
        'tml_sim_restart': (c_int, [c_void_p, POINTER(tml_state), POINTER(tml_error)]),
        'tml_sim_save': (c_int, [c_void_p, c_char_p, POINTER(tml_error)]),
        'tml_sim_save_memory': (c_int, [c_void_p, c_void_p, c_size_t, POINTER(c_size_t), POINTER(tml_error)]),
        'tml_sim_load': (c_int, [c_void_p, c_char_p, POINTER(c_void_p), POINTER(tml_error)]),
        'tml_sim_load_memory': (c_int, [POINTER(tml_sim_def), c_void_p, c_size_t, POINTER(c_void_p),
            POINTER(tml_error)]),
        'tml_sim_time': (c_double, [c_void_p]),
        'tml_sim_state': (POINTER(tml_state), [c_void_p]),
        'tml_sim_settings': (POINTER(tml_run_def), [c_void_p]),
        'tml_sim_get_report': (None, [c_void_p, POINTER(tml_sim_report)]),
        'tml_sim_channel_count': (c_int, [c_void_p]),
        'tml_sim_channels': (POINTER(tml_channel), [c_void_p]),
        'tml_sim_channel_index': (c_int, [c_void_p, c_char_p, POINTER(tml_error)]),
        'tml_sim_read': (c_int, [c_void_p, POINTER(c_int), c_int, POINTER(c_double), POINTER(tml_error)]),
        'tml_sim_channel_values': (c_int, [c_void_p, POINTER(tml_state), POINTER(c_double),
            POINTER(tml_error)]),
        'tml_linear_create': (c_int, [c_void_p, POINTER(tml_state), POINTER(POINTER(tml_linear)),
            POINTER(tml_error)]),
        'tml_linear_destroy': (None, [POINTER(tml_linear)]),
        'tml_modes_def_default': (tml_modes_def, []),
        'tml_modes_create': (c_int, [c_void_p, POINTER(tml_state), POINTER(tml_modes_def),
            POINTER(POINTER(tml_modes)), POINTER(tml_error)]),
        'tml_modes_destroy': (None, [POINTER(tml_modes)]),
        'tml_modes_assurance': (c_double, [POINTER(tml_modes), c_int, POINTER(tml_modes), c_int]),
        'tml_robot_create': (c_int, [c_void_p, POINTER(c_void_p), POINTER(tml_error)]),
        'tml_robot_destroy': (None, [c_void_p]),
        'tml_robot_n': (c_int, [c_void_p]),
        'tml_robot_nq': (c_int, [c_void_p]),
        'tml_robot_row_count': (c_int, [c_void_p]),
        'tml_robot_get_coordinate': (POINTER(tml_robot_coordinate), [c_void_p, c_int]),
        'tml_robot_set': (c_int, [c_void_p, POINTER(c_double), POINTER(c_double), POINTER(tml_error)]),
        'tml_robot_set_state': (c_int, [c_void_p, POINTER(tml_state), POINTER(tml_error)]),
        'tml_robot_get_state': (c_int, [c_void_p, POINTER(tml_state), POINTER(tml_error)]),
        'tml_robot_set_input': (c_int, [c_void_p, c_int, c_double, POINTER(tml_error)]),
        'tml_robot_q': (POINTER(c_double), [c_void_p]),
        'tml_robot_u': (POINTER(c_double), [c_void_p]),
        'tml_robot_mass_matrix': (c_int, [c_void_p, POINTER(c_double), POINTER(tml_error)]),
        'tml_robot_forces': (c_int, [c_void_p, POINTER(c_double), POINTER(c_double), POINTER(tml_error)]),
        'tml_robot_rows': (c_int, [c_void_p, POINTER(c_double), POINTER(c_double), POINTER(tml_error)]),
        'tml_robot_inverse_dynamics': (c_int, [c_void_p, POINTER(c_double), POINTER(c_double),
            POINTER(tml_error)]),
        'tml_robot_accelerations': (c_int, [c_void_p, POINTER(c_double), POINTER(c_double), POINTER(c_double),
            POINTER(tml_error)]),
        'tml_robot_gradients': (c_int, [c_void_p, POINTER(c_double), POINTER(c_double), POINTER(c_double),
            POINTER(c_double), POINTER(tml_error)]),
        'tml_robot_find_frame': (c_int, [c_void_p, c_char_p, POINTER(tml_robot_frame), POINTER(tml_error)]),
        'tml_robot_pose': (c_int, [c_void_p, POINTER(tml_robot_frame), POINTER(c_double), POINTER(c_double),
            POINTER(tml_error)]),
        'tml_robot_jacobian': (c_int, [c_void_p, POINTER(tml_robot_frame), POINTER(c_double),
            POINTER(c_double), POINTER(tml_error)]),
        'tml_robot_contacts': (c_int, [c_void_p, c_double, POINTER(tml_robot_contact), c_int, POINTER(c_int),
            POINTER(tml_error)]),
        'tml_robot_contact_jacobian': (c_int, [c_void_p, POINTER(tml_robot_contact), POINTER(c_double),
            POINTER(tml_error)]),
        'tml_robot_reach': (c_int, [c_void_p, POINTER(tml_robot_target), c_int, POINTER(c_double),
            POINTER(c_double), POINTER(tml_robot_reached), POINTER(tml_error)]),
        'tml_study_read': (c_int, [c_char_p, POINTER(tml_env), POINTER(c_void_p), POINTER(tml_error)]),
        'tml_study_destroy': (None, [c_void_p]),
        'tml_study_title': (c_char_p, [c_void_p]),
        'tml_study_member_count': (c_long, [c_void_p]),
        'tml_study_parameter_count': (c_int, [c_void_p]),
        'tml_study_parameter_name': (c_char_p, [c_void_p, c_int]),
        'tml_study_quantity_count': (c_int, [c_void_p]),
        'tml_study_quantity_name': (c_char_p, [c_void_p, c_int]),
        'tml_study_in_place': (c_bool, [c_void_p]),
        'tml_study_parameters': (c_int, [c_void_p, c_long, POINTER(c_double), POINTER(tml_error)]),
        'tml_study_worker_create': (c_int, [c_void_p, POINTER(c_void_p), POINTER(tml_error)]),
        'tml_study_worker_destroy': (None, [c_void_p]),
        'tml_study_worker_run': (c_int, [c_void_p, c_long, POINTER(c_double), POINTER(tml_error)]),
        'tml_study_run_def_default': (tml_study_run_def, []),
        'tml_study_run': (c_int, [c_void_p, POINTER(tml_study_run_def), POINTER(tml_study_progress),
            POINTER(tml_error)]),
        'tml_study_merge': (c_int, [c_void_p, c_char_p, POINTER(c_char_p), c_int, POINTER(tml_study_progress),
            POINTER(tml_error)]),
        'tml_study_optimizes': (c_bool, [c_void_p]),
        'tml_study_optimize': (c_int, [c_void_p, POINTER(tml_study_run_def), CFUNCTYPE(c_int,
            POINTER(tml_study_problem), POINTER(c_double), POINTER(tml_error)), POINTER(tml_study_progress),
            POINTER(c_long), POINTER(tml_error)]),
        'tml_study_goal': (c_int, [c_void_p, POINTER(c_double), POINTER(c_double), POINTER(c_double),
            POINTER(tml_error)]),
        'tml_study_table_read': (c_int, [c_void_p, c_char_p, POINTER(c_void_p), POINTER(tml_error)]),
        'tml_study_table_destroy': (None, [c_void_p]),
        'tml_study_table_count': (c_long, [c_void_p]),
        'tml_study_table_member': (c_long, [c_void_p, c_long]),
        'tml_study_table_values': (POINTER(c_double), [c_void_p, c_long]),
        'tml_study_table_message': (c_char_p, [c_void_p, c_long]),
        'tml_study_table_write': (c_int, [c_void_p, c_void_p, c_char_p, POINTER(tml_error)]),
        'tml_study_table_statistics': (c_int, [c_void_p, c_int, POINTER(tml_study_statistics),
            POINTER(tml_error)]),
        'tml_study_table_correlation': (c_int, [c_void_p, c_int, c_int, POINTER(c_double),
            POINTER(tml_error)]),
        'tml_study_sobol': (c_int, [c_void_p, c_void_p, c_int, c_int, POINTER(tml_study_indices),
            POINTER(tml_error)]),
    },
    'trammel_plot': {
        'tml_plot_def_default': (tml_plot_def, []),
        'tml_series_def_default': (tml_series_def, []),
        'tml_plot_create': (c_int, [POINTER(tml_plot_def), POINTER(tml_env), POINTER(c_void_p),
            POINTER(tml_error)]),
        'tml_plot_add': (c_int, [c_void_p, POINTER(tml_series_def), POINTER(tml_error)]),
        'tml_plot_write': (c_int, [c_void_p, c_char_p, POINTER(tml_error)]),
        'tml_plot_destroy': (None, [c_void_p]),
    },
    'trammel_view': {
        'tml_scene_create': (c_int, [c_void_p, c_void_p, POINTER(tml_env), POINTER(c_void_p),
            POINTER(tml_error)]),
        'tml_scene_destroy': (None, [c_void_p]),
        'tml_scene_text': (c_char_p, [c_void_p]),
        'tml_page_def_default': (tml_page_def, []),
        'tml_page_write': (c_int, [c_void_p, POINTER(tml_page_def), c_char_p, POINTER(tml_env),
            POINTER(tml_page_report), POINTER(tml_error)]),
    },
}
