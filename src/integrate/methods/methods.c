// The table of methods, and the creation of a method with its form and constraint monitor.
#include "integrate/core/methods.h"
#include "integrate/constraints/monitor.h"
#include "integrate/methods/form.h"
#include "system/joint_space/joint_space.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define ADDRESS(name) &tmli_method_##name,

const tml_method_ops *const tml_methods[] = {
    TMLI_METHOD_LIST(ADDRESS)
#ifdef TRAMMEL_HAVE_IDA
        TMLI_IDA_METHOD_LIST(ADDRESS)
#endif
            NULL,
};

// Found by name in any build: without IDA their creation fails with a message.
static const tml_method_ops *const ida_methods[] = {TMLI_IDA_METHOD_LIST(ADDRESS)};

#undef ADDRESS

const tml_method_ops *tml_method_find(const char *name)
{
    if (!name) return NULL;
    for (size_t i = 0; tml_methods[i]; i++)
        if (strcmp(tml_methods[i]->name, name) == 0) return tml_methods[i];
    for (size_t i = 0; i < sizeof ida_methods / sizeof *ida_methods; i++)
        if (strcmp(ida_methods[i]->name, name) == 0) return ida_methods[i];
    return strcmp(tml_method_moreau.name, name) == 0 ? &tml_method_moreau : NULL;
}

bool tml_method_is_explicit(const tml_method_ops *method) { return method && method->is_explicit; }

// The form of sys that opt asks for; f->system NULL: sys itself.
static tml_status choose_form(const tml_method_ops *method, const tml_system *sys,
                              const tml_integrator_options *opt, tml_system **joints, tmli_form *f,
                              tml_error *err)
{
    const bool on_group = opt->run.group != TML_GROUP_R3SO3, explicit_method = tml_method_is_explicit(method);
    *f = (tmli_form){0};
    if (on_group && opt->run.kinematics == TML_KINEMATICS_JOINTS)
        return tmli_fail(err, TML_ERR_ARG,
                         "group se3 needs kinematics bodies: joint coordinates have no bodies to move");
    if (on_group) return tmli_form_se3(sys, opt, f, err);
    if (opt->run.kinematics == TML_KINEMATICS_JOINTS)
        return tmli_form_joints(sys, explicit_method, joints, f, err);
    // bodies without constraints have their accelerations one by one
    if (opt->run.kinematics != TML_KINEMATICS_AUTO || !explicit_method || sys->ops->accelerate ||
        !tmli_joint_space_possible(sys))
        return TML_OK;
    double least = 0;
    tml_status st = tmli_form_joints(sys, true, joints, f, err);
    if (st == TML_OK) st = tmli_joint_space_least_inertia(f->system, &least, err);
    if (least == 0) tmli_form_clear(f);  // bodies need no inertia of every joint coordinate
    return tmli_is_shortage(st) ? st : TML_OK;
}

tml_status tml_method_create(const tml_method_ops *method, const tml_system *sys,
                             const tml_integrator_options *opt, const tml_method_ops **ops, void **self,
                             tml_error *err)
{
    tml_system *joints = NULL;
    return tmli_method_create(method, sys, opt, &joints, ops, self, err);
}

tml_status tmli_method_create(const tml_method_ops *method, const tml_system *sys,
                              const tml_integrator_options *opt, tml_system **joints,
                              const tml_method_ops **ops, void **self, tml_error *err)
{
    tmli_form form;
    if (self) *self = NULL;
    if (!method || !sys || !opt || !ops || !self || !opt->solver)
        return tmli_null_argument(err, "tml_method_create");
    if (opt->run.constraint_point != TML_CONSTRAINT_POINT_END && !method->inner_point)
        return tmli_fail(err, TML_ERR_ARG,
                         "constraint_point is a setting of midpoint, and of genalpha and hht with placement "
                         "inner; method %s does not have it",
                         method->name);
    *ops = method;
    tml_status st = choose_form(method, sys, opt, joints, &form, err);
    if (st != TML_OK) return st;
    if (!form.system) return tmli_monitor_create(method, sys, opt, ops, self, err);
    if (!opt->solver->pivots && opt->run.group == TML_GROUP_R3SO3)  // the monitor and the method have solvers
        st = tmli_joint_space_share_schedule(form.system, err);
    if (st != TML_OK) {
        tmli_form_clear(&form);
        return st;
    }
    tml_integrator_options inside = *opt;  // options of the inner method
    inside.run.group = TML_GROUP_R3SO3;
    inside.run.kinematics = TML_KINEMATICS_BODIES;
    inside.shared_workspace = NULL;
    inside.redundant = NULL;  // the form may have other redundant rows, but as many
    for (int r = 0; opt->redundant && r < sys->m; r++) inside.min_redundant += opt->redundant[r];
    return tmli_form_create(method, sys, form, &inside, ops, self, err);
}

tml_integrator_options tml_integrator_options_default(void)
{
    tml_integrator_options opt = {
        .size = sizeof opt, .run = tml_run_def_default(), .duration = 1, .solver = &tml_linsolver_klu};
    opt.run.rtol = opt.run.atol = opt.run.tol;
    return opt;
}
