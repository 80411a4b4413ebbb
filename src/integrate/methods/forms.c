// The forms of a model's equations (SE(3), joint coordinates) and the conversion of states; form.c has the
// decorator that uses them.
#include "integrate/methods/form.h"
#include "system/joint_space/joint_space.h"
#include "system/se3/se3.h"

#include <math.h>

void tmli_form_clear(tmli_form *f)
{
    if (f->work) f->system->ops->destroy_work(f->work);
    tml_system_destroy(f->system);
    *f = (tmli_form){0};
}

// ---- bodies on SE(3): only velocities and accelerations change --------------------------------------------

static tml_status enter_se3(const tmli_form *f, const tml_state *x, tml_state *inside, tml_error *err)
{
    (void)err;
    tml_state_copy(inside, x);
    tmli_se3_from_base(f->system, x->q, x->u, x->udot, inside->u, inside->udot);
    return TML_OK;
}

static void leave_se3(const tmli_form *f, const tml_state *inside, tml_state *x)
{
    tml_state_copy(x, inside);
    tmli_se3_to_base(f->system, inside->q, inside->u, inside->udot, x->u, x->udot);
}

tml_status tmli_form_se3(const tml_system *sys, const tml_integrator_options *opt, tmli_form *f,
                         tml_error *err)
{
    *f = (tmli_form){.enter = enter_se3, .leave = leave_se3};
    if (!tmli_se3_possible(sys))
        return tmli_fail(err, TML_ERR_ARG,
                         "group se3 is for models of bodies and beams; this system has none, or has modal "
                         "bodies or armatures");
    return tmli_se3_create(sys, opt->run.group == TML_GROUP_SE3_CAYLEY, &f->system, err);
}

// ---- joint coordinates ------------------------------------------------------------------------------------

static tml_status enter_joints(const tmli_form *f, const tml_state *x, tml_state *inside, tml_error *err)
{
    return tmli_joint_space_from_base(f->system, f->work, x, inside, err);
}

static void leave_joints(const tmli_form *f, const tml_state *inside, tml_state *x)
{
    tmli_joint_space_to_base(f->system, f->work, inside, x);
}

static bool settle_joints(const tmli_form *f, tml_state *inside)
{
    return tmli_joint_space_settle(f->system, f->work, inside);
}

static bool complete_joints(const tmli_form *f, const tml_state *inside, tml_state *x)
{
    return tmli_joint_space_complete(f->system, f->work, inside, x);
}

static void archive_joints(const tmli_form *f, tml_archive *a)
{
    tmli_joint_space_archive(f->system, f->work, a);
}

tml_status tmli_form_joints(const tml_system *sys, bool explicit_method, tml_system **made, tmli_form *f,
                            tml_error *err)
{
    *f = (tmli_form){.system = *made,
                     .enter = enter_joints,
                     .leave = leave_joints,
                     .settle = settle_joints,
                     .complete = complete_joints,
                     .archive = archive_joints};
    *made = NULL;
    tml_status st = TML_OK;
    if (!f->system) st = tmli_joint_space_create(sys, !explicit_method, INFINITY, &f->system, err);
    else if (!explicit_method) st = tmli_joint_space_add_matrix(f->system, err);
    if (st == TML_OK) {
        f->work = f->system->ops->create_work(f->system->self, &sys->env);
        if (!f->work) st = tmli_no_memory(err, "integrator");
    }
    if (st != TML_OK) tmli_form_clear(f);
    return st;
}
